(** Windows between instants, as those of a calendar
    Code: optimized/muntin/optimized/scotty/operator.py
    Text: proofs/scotty.md
    Text: spec/muntin/spec/denotation.py
    Idealised: as in SlicingOperator.v. The instants, such as the first days of months, are any list
    that rises; how a calendar gives them is not modelled, and the code has no calendar of its own.
    *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator
  SlicingOperatorRun PeriodicWindows.
Set Implicit Arguments.
Open Scope Z_scope.

Section Calendar.
  (* the windows from each instant to the next *)
  Fixpoint between (instants : list Z) : list interval :=
    match instants with
    | a :: (b :: _) as later => (a, b) :: between later
    | _ => []
    end.
  Fixpoint rising_instants (instants : list Z) :=
    match instants with
    | [] => True
    | a :: later => (forall b, In b later -> a < b) /\ rising_instants later
    end.

  Lemma between_ends instants i : In i (between instants) ->
    In (fst i) instants /\ In (snd i) instants.
  Proof.
    induction instants as [|a [|b later] IH]; [easy|easy|]. intros [<-|I]; [cbn; auto|].
    destruct (IH I) as [H1 H2]. split; now right.
  Qed.
  Lemma between_start a later i : rising_instants (a :: later) -> In i (between (a :: later)) ->
    a <= fst i.
  Proof.
    intros [H _] I. apply between_ends in I as [[<-|I] _]; [lia|]. specialize (H _ I). lia.
  Qed.

  (** [E2] Between the first and the last of rising instants each time lies in exactly one window.
  *)
  Theorem one_window_at_a_time instants t : rising_instants instants ->
    (exists a, In a instants /\ a <= t) -> (exists b, In b instants /\ t < b) ->
    exists i, In i (between instants) /\ inside (fst i) (snd i) t = true /\
      forall j, In j (between instants) -> inside (fst j) (snd j) t = true -> j = i.
  Proof.
    induction instants as [|a later IH]; intros R (x & X & Hx) (y & Y & Hy); [easy|].
    destruct later as [|b later].
    - destruct X as [<-|[]], Y as [<-|[]]. lia.
    - assert (R' := R). destruct R as [R1 R2]. assert (Hab : a < b) by (apply R1; now left).
      unfold inside in *. destruct (Z.lt_ge_cases t b) as [H|H].
      + assert (Ha : a <= t).
        { destruct X as [<-|X]; [lia|]. specialize (R1 _ X). lia. }
        exists (a, b). split; [now left|]. split; [cbn; lia|]. intros j [<-|J] E; [reflexivity|].
        pose proof (@between_start b later j R2 J). lia.
      + destruct IH as (i & I1 & I2 & I3); auto.
        * exists b. split; [now left|lia].
        * exists y. split; [|exact Hy]. destruct Y as [<-|Y]; [lia|exact Y].
        * exists i. split; [now right|]. split; [exact I2|]. intros j [<-|J] E; [cbn in E;
          lia|auto].
  Qed.

  Variables (V : Type) (chosen : settings) (name k slack : Z).
  Hypothesis lateness : 0 <= allowed_lateness chosen.
  Hypothesis slack_positive : 0 <= slack.

  (** [V1, S5] A slicing operator with one query of the windows between any instants answers every
      trace of one key as the denotation does, in every output mode, if its slices are cut at the
      instants.
      Not claimed: anything of several keys, or of other dialects; that instants come one by one. *)
  Theorem calendar_operator_is_denotation instants before steps : lies_before instants before ->
    Forall (fun step : list (arriving V) * instant =>
      Forall (fun new : arriving V => fst (fst (snd new)) = k) (fst step)) steps ->
    run (operator_step instants before (between instants) chosen name k slack) (new_operator V)
      steps
    = run (@step_of V) (new_history V (between instants) chosen name) steps.
  Proof.
    intros B K. apply operator_is_denotation; auto. intros i I.
    apply between_ends. now apply sorted_set_in.
  Qed.
End Calendar.
