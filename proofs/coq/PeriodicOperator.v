(** A slicing operator answers sliding windows as the denotation does
    Code: optimized/muntin/optimized/scotty/operator.py
    Code: optimized/muntin/optimized/scotty/schedules/sliding_schedule.py
    Text: proofs/scotty.md
    Text: spec/muntin/spec/denotation.py
    Idealised: as in SlicingOperator.v; and the times of a trace lie between two given times, for
    which the operator has all windows. The code computes the next windows when it needs them. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator
  SlicingOperatorContents SlicingOperatorRun PeriodicWindows.
Set Implicit Arguments.
Open Scope Z_scope.

Section PeriodicOperator.
  Variables (V : Type) (size slide offset low times : Z).
  Hypothesis size_positive : 0 < size.
  Hypothesis slide_positive : 0 < slide.
  Hypothesis times_positive : 0 <= times.
  Variables (chosen : settings) (name k slack : Z).
  Hypothesis lateness : 0 <= allowed_lateness chosen.
  Hypothesis slack_positive : 0 <= slack.
  Local Notation event := (@Slicing.event (details V)).
  Local Notation arriving := (Denotation.arriving V).
  Local Notation sliding := (Sliding size slide offset).
  Local Notation windows := (windows_between size slide offset low times).
  Local Notation is_between := (is_between low times).
  Implicit Types (events : list event) (news late : list arriving).

  Definition history_of type watermark finite latest arrivals keys :=
    History chosen watermark finite latest arrivals [(name, Registered (V := V) type Never keys)].
  Definition all_between (keys : list (Z * keyed V)) :=
    forall k held ev, In (k, held) keys -> In ev (events_of held) -> is_between (fst ev).
  Definition step_is_between (step : list arriving * instant) :=
    forall new, In new (fst step) -> is_between (fst new).

  Lemma at_key_between k0 keys ev : all_between keys ->
    In ev (events_of (at_key k0 keys)) -> is_between (fst ev).
  Proof.
    induction keys as [|[other held] keys IH]; cbn; intros B I; [easy|].
    destruct (k0 =? other); [eapply B; eauto; now left|].
    apply IH; auto. intros k' h' ev' J. apply (B k' h'). now right.
  Qed.

  Lemma replace_key_between k0 held keys : all_between keys ->
    (forall ev, In ev (events_of held) -> is_between (fst ev)) ->
    all_between (replace_key k0 held keys).
  Proof.
    intros B H. induction keys as [|[other old] keys IH]; cbn.
    - intros k' h' ev [E|[]] I. injection E as <- <-. auto.
    - assert (B' : all_between keys) by (intros k' h' ev' J; apply (B k' h'); now right).
      destruct (k0 =? other).
      + intros k' h' ev [E|I] J; [injection E as <- <-; auto|]. eapply B'; eauto.
      + intros k' h' ev [E|I] J; [injection E as <- <-; eapply B; eauto; now left|].
        eapply IH; eauto.
  Qed.

  (* What is ingested does not depend on the type of windows. *)
  Lemma ingest_any_type news : forall watermark finite latest arrivals keys late,
    all_between keys -> (forall new, In new news -> is_between (fst new)) ->
    exists latest' arrivals' keys' late', all_between keys' /\
      forall type, fold_left (@ingest V) news
        (history_of type watermark finite latest arrivals keys, late)
        = (history_of type watermark finite latest' arrivals' keys', late').
  Proof.
    induction news as [|new news IH]; intros watermark finite latest arrivals keys late B N.
    - exists latest, arrivals, keys, late. auto.
    - cbn [fold_left].
      set (h := history_of sliding watermark finite latest arrivals keys).
      set (on_time := negb (is_late h new)).
      set (ev := accept arrivals new).
      set (grown := Keyed (events_of (at_key (Denotation.key (snd ev)) keys) ++ [ev])
        (published (at_key (Denotation.key (snd ev)) keys))).
      set (keys' := if on_time then replace_key (Denotation.key (snd ev)) grown keys else keys).
      set (late' := if on_time then late else late ++ [new]).
      assert (B' : all_between keys').
      { unfold keys'. destruct on_time; auto. apply replace_key_between; auto. intros e I.
        apply in_app_or in I as [I|[<-|[]]]; [eapply at_key_between; eauto|].
        destruct new as [t [[? ?] ?]]. apply (N _ (or_introl eq_refl)). }
      destruct (IH watermark finite (max_instant latest (At (fst new))) (S arrivals) keys' late' B')
        as (latest2 & arrivals2 & keys2 & late2 & B2 & E).
      { intros n I. apply N. now right. }
      exists latest2, arrivals2, keys2, late2. split; auto. intro type. rewrite <- E. f_equal.
      unfold ingest, history_of, late', keys'. cbn [queries map settings_of Denotation.watermark
        latest_time].
      change (is_late (History chosen watermark finite latest arrivals
        [(name, Registered type Never keys)]) new) with (is_late h new).
      fold on_time. unfold sees. cbn [since leb_instant negb].
      destruct on_time; cbn [andb]; reflexivity.
  Qed.

  Lemma republish_any_type now keys (held : keyed V) :
    (forall ev, In ev (events_of held) -> is_between (fst ev)) ->
    republish now (Registered sliding Never keys) held
    = republish now (Registered (Known windows) Never keys) held.
  Proof.
    intro B. unfold republish. cbn [query_type since].
    now rewrite (@sliding_windows_are_known size slide offset size_positive slide_positive V low
      times times_positive).
  Qed.

  Lemma step_any_type watermark finite latest arrivals keys news promised :
    all_between keys -> (forall new, In new news -> is_between (fst new)) ->
    match step_of (history_of sliding watermark finite latest arrivals keys) news promised,
      step_of (history_of (Known windows) watermark finite latest arrivals keys) news promised with
    | None, None => True
    | Some (h, output), Some (h', output') => output = output' /\
        exists watermark finite latest arrivals keys, all_between keys /\
          h = history_of sliding watermark finite latest arrivals keys /\
          h' = history_of (Known windows) watermark finite latest arrivals keys
    | _, _ => False
    end.
  Proof.
    intros B N. unfold step_of, history_of.
    cbn [settings_of Denotation.latest_time].
    destruct (in_order chosen && negb (is_in_order latest news)); auto.
    destruct (@ingest_any_type news watermark finite latest arrivals keys [] B N)
      as (latest' & arrivals' & keys' & late & B' & E).
    unfold history_of in E. rewrite !E. cbn [settings_of Denotation.latest_time Denotation.watermark
      Denotation.finite_watermark Denotation.arrivals queries].
    set (next := max_instant watermark _). set (finite' := match next with End => _ | _ => _ end).
    assert (P : forall now, map (fun pair : Z * keyed V => (fst pair,
        republish now (Registered sliding Never keys') (snd pair))) keys'
      = map (fun pair : Z * keyed V => (fst pair,
        republish now (Registered (Known windows) Never keys') (snd pair))) keys').
    { intro now. apply map_ext_in. intros [k0 held] I. cbn [fst snd]. f_equal.
      apply republish_any_type. intros ev J. eapply B'; eauto. }
    unfold with_queries, publish.
    cbn [map fst snd query_type since Denotation.keys settings_of Denotation.latest_time
      Denotation.watermark Denotation.finite_watermark Denotation.arrivals queries].
    rewrite !P.
    match goal with |- context [map ?f keys'] => set (keys1 := map f keys') end.
    match goal with |- context [map ?f keys'] => set (keys2 := map f keys') end.
    assert (K : keys1 = keys2) by reflexivity.
    clearbody keys1. subst keys1. split; [reflexivity|].
    exists next, finite', latest', arrivals', keys2. split; auto.
    intros k0 held ev I J. unfold keys2 in I. apply in_map_iff in I as ([k1 old] & Q & I).
    cbn [fst snd] in Q. injection Q as <- <-. eapply B'; eauto.
  Qed.

  Definition edges_of (windows : list interval) := map fst windows ++ map snd windows.
  Definition sliding_history :=
    add_query (empty V chosen) name sliding.

  (** [V1, S5] A slicing operator with one query of sliding or tumbling windows answers as the
      denotation does every trace of one key whose times lie between two given times, however far
      these are apart, in every output mode.
      Not claimed: that one operator does so for traces of all times at once; anything of several
      keys or queries, of sessions, or of other dialects. *)
  Theorem sliding_operator_is_denotation before steps :
    lies_before (edges_of windows) before ->
    Forall step_is_between steps ->
    Forall (fun step : list arriving * instant =>
      Forall (fun new : arriving => fst (fst (snd new)) = k) (fst step)) steps ->
    run (operator_step (edges_of windows) before windows chosen name k slack) (new_operator V) steps
    = run (@step_of V) sliding_history steps.
  Proof.
    intros L B K.
    rewrite (@operator_is_denotation V (edges_of windows) before windows chosen name k slack
      slack_positive L); auto.
    - clear K. assert (Q : forall watermark finite latest arrivals keys, all_between keys ->
        run (@step_of V) (history_of (Known windows) watermark finite latest arrivals keys) steps
        = run (@step_of V) (history_of sliding watermark finite latest arrivals keys) steps).
      { induction steps as [|[news promised] steps IH]; intros watermark finite latest arrivals keys
          A; auto.
        inversion B as [|? ? B1 B2]; subst. cbn [run].
        pose proof (@step_any_type watermark finite latest arrivals keys news promised A B1) as D.
        destruct (step_of (history_of sliding _ _ _ _ _) news promised) as [[h output]|],
          (step_of (history_of (Known windows) _ _ _ _ _) news promised) as [[h' output']|];
          try easy.
        - destruct D as [-> (w & f & l & a & ks & A' & -> & ->)]. f_equal. now apply IH.
        - f_equal. now apply IH. }
      apply (Q Never Never Never 0%nat []). now intros k0 held ev I.
    - intros i I. apply (proj1 (sorted_set_in i windows)) in I. unfold edges_of.
      rewrite !in_app_iff.
      split; [left|right]; [exact (in_map fst _ _ I)|exact (in_map snd _ _ I)].
  Qed.
End PeriodicOperator.
