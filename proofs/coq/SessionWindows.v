(** Session windows of the denotation, fused as events arrive and released when they are final
    Code: spec/muntin/spec/windows/data_driven.py
    Code: optimized/muntin/optimized/scotty/slices/slice_manager.py
    Code: optimized/muntin/optimized/scotty/retention.py
    Text: proofs/scotty.md
    Text: spec/muntin/spec/denotation.py
    Idealised: as in Sessions.v; a session holds its tuples, and one gap is looked at. What an
    operator emits of sessions, with its retractions, is not modelled. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator
  SlicingOperatorContents PeriodicWindows.
Set Implicit Arguments.
Open Scope Z_scope.

Section Release.
  Variable reach : Z.
  Hypothesis reach_01 : 0 <= reach <= 1.
  Variable V : Type.
  Local Notation session := (Sessions.session V).
  Implicit Types (s : list session) (c : session).

  (* Whether an event at or after the limit may fuse with a session. *)
  Definition is_open limit c := limit <? snd (fst c) + reach.

  Lemma apart_in low s c : apart reach low s -> In c s -> low <= fst (fst c) < snd (fst c).
  Proof.
    revert low; induction s as [|[[l h] y] s IH]; intros low A I; [easy|].
    destruct A as (A1 & A2 & A3). destruct I as [<-|I]; [cbn; lia|].
    specialize (IH _ A3 I). cbn in *. lia.
  Qed.

  Lemma filter_all (f : session -> bool) s : (forall c, In c s -> f c = true) -> filter f s = s.
  Proof.
    induction s as [|c s IH]; cbn; intro H; auto. rewrite H by now left. f_equal. auto.
  Qed.

  (* One step of the filter, whatever the type of the pair is called. *)
  Local Ltac filter_step :=
    match goal with |- context [filter (is_open ?limit) (?c :: ?s)] =>
      change (filter (is_open limit) (c :: s))
        with (if limit <? snd (fst c) + reach then c :: filter (is_open limit) s
              else filter (is_open limit) s); cbn [fst snd]
    end.

  Lemma fuse_open limit low a b x s : limit < b + reach -> a < b -> apart reach low s ->
    (forall c, In c s -> is_open limit c = false -> snd (fst c) + reach <= a) ->
    filter (is_open limit) (fuse reach a b x s) = fuse reach a b x (filter (is_open limit) s).
  Proof.
    revert low a b x; induction s as [|[[l h] y] s IH]; intros low a b x Hb Hab A D.
    - cbn [fuse]. filter_step. now destruct (Z.ltb_spec limit (b + reach)); [|lia].
    - destruct A as (A1 & A2 & A3). cbn [fuse].
      assert (Later : limit < h + reach -> forall c, In c s -> is_open limit c = true).
      { intros H c I. pose proof (@apart_in (h + reach) s c A3 I). unfold is_open.
        apply Z.ltb_lt. lia. }
      assert (D' : forall c, In c s -> is_open limit c = false -> snd (fst c) + reach <= a)
        by (intros; apply D; auto; now right).
      pose proof (D _ (or_introl eq_refl)) as Dl. unfold is_open in Dl. cbn [fst snd] in Dl.
      destruct (Z.leb_spec (b + reach) l) as [F|F].
      + repeat filter_step. destruct (Z.ltb_spec limit (b + reach)); [|lia].
        destruct (Z.ltb_spec limit (h + reach)); [|lia]. cbn [fuse].
        destruct (Z.leb_spec (b + reach) l); [reflexivity|lia].
      + destruct (Z.leb_spec (h + reach) a) as [G|G].
        * repeat filter_step. rewrite (IH (h + reach) a b x Hb Hab A3 D').
          destruct (Z.ltb_spec limit (h + reach)); auto. cbn [fuse].
          destruct (Z.leb_spec (b + reach) l); [lia|].
          destruct (Z.leb_spec (h + reach) a); [reflexivity|lia].
        * filter_step.
          destruct (Z.ltb_spec limit (h + reach)) as [O|O]; [|specialize (Dl eq_refl); lia].
          cbn [fuse]. destruct (Z.leb_spec (b + reach) l); [lia|].
          destruct (Z.leb_spec (h + reach) a); [lia|].
          apply (IH (h + reach)); auto; try lia.
          intros c I E. rewrite (Later O c I) in E. easy.
  Qed.

  Lemma open_nil limit : filter (is_open limit) ([] : list session) = [].
  Proof. reflexivity. Qed.

  (** [M2, M6] A session that no event at or after the limit can fuse with may be released: what
      becomes of the others, whatever comes at or after the limit, does not depend on it. In the
      dialect where sessions merge at the gap that is one unit of time after its end, else its end.
      Not claimed: anything of what is emitted, or of sessions of several gaps over shared slices.
        *)
  Theorem released_sessions_are_not_missed limit events later :
    gaps_positive events -> gaps_positive later -> (forall ev, In ev later -> limit <= time ev) ->
    filter (is_open limit) (sessions reach (events ++ later))
    = fold_left (@Sessions.add reach V) later (filter (is_open limit) (sessions reach events)).
  Proof.
    intros G G' L. unfold sessions. rewrite fold_left_app.
    destruct (lower events) as [low Hl].
    destruct (@sessions_ok reach reach_01 V events low) as [A _]; [intros; split; auto|].
    unfold sessions in A. revert A. generalize (fold_left (@Sessions.add reach V) events []) as s.
    revert low Hl. induction later as [|ev later IH]; intros low Hl s A; auto.
    cbn [fold_left]. assert (G0 : 0 < gap ev) by (apply G'; now left).
    assert (L0 : limit <= time ev) by (apply L; now left).
    rewrite (IH (fun v I => G' v (or_intror I)) (fun v I => L v (or_intror I))
      (Z.min low (time ev))).
    - f_equal. unfold add. apply (@fuse_open limit low); auto; try lia.
      intros c I E. unfold is_open in E. apply Z.ltb_ge in E. lia.
    - intros v I. specialize (Hl v I). lia.
    - apply fuse_apart; auto; try lia.
      destruct s as [|[[l h] y] s]; cbn in *; auto. intuition lia.
  Qed.
End Release.

Section Windows.
  Variable V : Type.
  Local Notation event := (@Slicing.event (details V)).
  Variable default_gap : Z.
  Implicit Types (events : list event).

  (* An event of the denotation, as Sessions.v has them. *)
  Definition with_gap (ev : event) : Sessions.event (details V) :=
    Event (fst ev) (gap_of default_gap ev) (snd ev).
  Definition gaps_are_positive events := forall ev, In ev events -> 0 < gap_of default_gap ev.

  Lemma specification_of events :
    fold_left (fun sessions (ev : event) =>
      extend 0 sessions (fst ev) (fst ev + gap_of default_gap ev)) events []
    = specification 0 (map with_gap events).
  Proof.
    unfold specification. generalize (@nil Sessions.interval) as s.
    induction events as [|ev events IH]; intro s; auto. cbn [map fold_left]. apply IH.
  Qed.

  Lemma in_order_events events : in_time events -> Sessions.in_order (map with_gap events).
  Proof.
    intros T p x q y s E. apply map_eq_app in E as (p' & r & -> & <- & E).
    apply map_eq_cons in E as (x' & r' & -> & <- & E).
    apply map_eq_app in E as (q' & r'' & -> & <- & E).
    apply map_eq_cons in E as (y' & s' & -> & <- & <-). cbn. now apply (T p' x' q' y' s').
  Qed.

  Lemma sorted_set_of_apart low (s : list (session (details V))) : apart 0 low s ->
    sorted_set (map fst s) = map fst s.
  Proof.
    revert low. induction s as [|[[l h] y] s IH]; intros low A; auto.
    destruct A as (A1 & A2 & A3). cbn [map fst]. unfold sorted_set in *. cbn [fold_right].
    rewrite (IH _ A3). destruct s as [|[[l' h'] y'] s]; auto. destruct A3 as (B1 & B2 & _).
    cbn [map fst place]. unfold equal, precedes. cbn [fst snd].
    destruct (Z.eqb_spec l l'); [lia|]. destruct (Z.ltb_spec l l'); [reflexivity|lia].
  Qed.

  Lemma fuse_holds a b x (s : list (session (details V))) : x <> [] ->
    Forall (fun c => snd c <> []) s -> Forall (fun c => snd c <> []) (fuse 0 a b x s).
  Proof.
    revert a b x; induction s as [|[[l h] y] s IH]; intros a b x N H; cbn; [auto|].
    inversion H; subst. destruct (b + 0 <=? l); [auto|]. destruct (h + 0 <=? a); [auto|].
    apply IH; auto. now destruct y.
  Qed.

  (** [S5, M2] The windows of a session query, in the denotation, are the sessions that events fuse
      to in any order of arrival, each with the events inside it in event order: also for monoids
      that do not commute.
      Not claimed: in which order the code combines what two sessions hold when they fuse. *)
  Theorem session_windows_are_fused finite events : gaps_are_positive events ->
    windows_of (Session default_gap) finite events
    = map (fun c => (fst c, content_of events (fst c))) (sessions 0 (map with_gap events)).
  Proof.
    intro G. set (s := sessions 0 (map with_gap events)).
    assert (G1 : gaps_positive (map with_gap events)).
    { intros ev I. apply in_map_iff in I as (v & <- & I). now apply G. }
    assert (E : map fst s = specification 0 (map with_gap (event_order events))).
    { apply sessions_are_specified; auto; [lia| |].
      - apply Permutation_map. symmetry. apply event_order_permutation.
      - apply in_order_events, event_order_in_time. }
    destruct (lower (map with_gap events)) as [low Hl].
    destruct (@sessions_ok 0 ltac:(lia) _ (map with_gap events) low) as [A _];
      [intros; split; auto|]. fold s in A.
    unfold windows_of. cbn [intervals]. rewrite specification_of, <- E,
      (@sorted_set_of_apart low s A), map_map.
    assert (N : forall c, In c s -> content_of events (fst c) <> []).
    { intros [[l h] y] I.
      assert (H : Forall (fun c => snd c <> []) s).
      { unfold s, sessions. generalize (map with_gap events) as l0. intro l0.
        assert (Forall (fun c => snd c <> []) ([] : list (session (details V)))) as Z0 by auto.
        revert Z0. generalize ([] : list (session (details V))) as t.
        induction l0 as [|ev l0 IH]; intros t T; auto. cbn. apply IH. now apply fuse_holds. }
      rewrite Forall_forall in H. specialize (H _ I). cbn in H.
      pose proof (@contents 0 ltac:(lia) _ _ l h y G1 I) as P.
      destruct y as [|v y]; [easy|]. assert (J : In v (v :: y)) by now left.
      apply (Permutation_in _ P) in J. apply filter_In in J as [J1 J2].
      apply in_map_iff in J1 as (ev & <- & J1). intro Q.
      assert (K : In ev (content_of events (l, h))) by (apply content_in; auto).
      cbn [fst] in Q. rewrite Q in K. easy. }
    clear -N. induction s as [|c s IH]; auto. cbn [map filter].
    assert (Ne : nonempty (fst c, filter (holds (Session default_gap) (fst c))
      (event_order events)) = true).
    { specialize (N c (or_introl eq_refl)). unfold nonempty. cbn [snd].
      change (filter (holds (Session default_gap) (fst c)) (event_order events))
        with (content_of events (fst c)). now destruct (content_of events (fst c)). }
    match goal with |- context [if ?b then _ else _] => replace b with true by (symmetry;
      exact Ne) end.
    f_equal. apply IH. intros; apply N; now right.
  Qed.
End Windows.
