(** Sliding windows, and that known windows can stand for them
    Code: spec/muntin/spec/windows/periodic.py
    Code: optimized/muntin/optimized/scotty/schedules/sliding_schedule.py
    Text: spec/muntin/spec/windows/periodic.py
    Text: spec/muntin/spec/dialect.py
    Text: spec/muntin/spec/denotation.py
    Idealised: time is the measure, and starts are floored. That known windows stand for sliding
    ones is about traces whose times lie between two given times, however far these are apart. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator
  SlicingOperatorContents SlicingOperatorRun.
Set Implicit Arguments.
Open Scope Z_scope.

Section Starts.
  Variables size slide offset : Z.
  Hypothesis size_positive : 0 < size.
  Hypothesis slide_positive : 0 < slide.

  Lemma count_from_in n k : 0 <= n -> In k (count_from n) <-> 0 <= k < n.
  Proof.
    intro N. unfold count_from. rewrite in_map_iff. split.
    - intros (m & <- & I). apply in_seq in I. lia.
    - intro H. exists (Z.to_nat k). split; [lia|]. apply in_seq. lia.
  Qed.

  Definition is_start s := exists n, s = offset + n * slide.

  (** [W2] The windows that hold an event start at those multiples of the slide from which the size
      reaches beyond it.
      Not claimed: that the code finds the first of them in constant time. *)
  Theorem starts_are_specified s t :
    In s (starts size slide offset t) <-> is_start s /\ inside s (s + size) t = true.
  Proof.
    unfold starts, is_start, inside. rewrite filter_In, in_map_iff.
    set (pane := pane_start t offset slide).
    assert (Q : pane = offset + (t - offset) / slide * slide /\ pane <= t < pane + slide).
    { unfold pane, pane_start. pose proof (Z.div_mod (t - offset) slide ltac:(lia)).
      pose proof (Z.mod_pos_bound (t - offset) slide slide_positive). lia. }
    destruct Q as [Q1 Q2]. pose proof (Z.div_pos size slide ltac:(lia) slide_positive) as D.
    pose proof (Z.mod_pos_bound size slide slide_positive) as B.
    pose proof (Z.div_mod size slide ltac:(lia)) as E. split.
    - intros [(k & <- & I) L]. apply count_from_in in I; [|lia]. apply Z.ltb_lt in L.
      split; [exists ((t - offset) / slide - k); lia|].
      apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt. nia.
    - intros [(n & ->) L]. apply andb_true_iff in L as [L1 L2].
      apply Z.leb_le in L1. apply Z.ltb_lt in L2. split; [|apply Z.ltb_lt; lia].
      exists ((t - offset) / slide - n). split; [lia|]. apply count_from_in; [lia|]. nia.
  Qed.

  (* An event as the dialects see it: [a, b), (a, b] or [a, b]. *)
  Inductive edges := Left | Right | Both.
  Definition effective_coordinates dialect t :=
    match dialect with Left => [t] | Right => [t - 1] | Both => [t; t - 1] end.
  Definition starts_in dialect t :=
    flat_map (starts size slide offset) (effective_coordinates dialect t).
  Definition lies_in_dialect dialect s t :=
    match dialect with
    | Left => inside s (s + size) t
    | Right => inside (s + 1) (s + size + 1) t
    | Both => inside s (s + size + 1) t
    end.

  (** [X1, W2] In each dialect of edges the windows of an event are those that hold it: from the
      start to before the end, from after the start to the end, or from the start to the end; each
      of these is [a, b) for an a and a b that are later by one or not.
      Not claimed: anything of dialects that truncate instead of flooring. *)
  Theorem starts_in_each_dialect dialect s t :
    In s (starts_in dialect t) <-> is_start s /\ lies_in_dialect dialect s t = true.
  Proof.
    unfold starts_in, lies_in_dialect.
    destruct dialect; cbn [effective_coordinates flat_map]; rewrite ?app_nil_r, ?in_app_iff;
      rewrite !starts_are_specified; unfold inside; rewrite ?andb_true_iff, ?Z.leb_le, ?Z.ltb_lt;
      destruct (Z.lt_ge_cases t (s + size)); intuition lia.
  Qed.

  (* All windows that hold a time from low on, as many times as are counted. *)
  Definition windows_between low times :=
    flat_map (fun k => map (fun s => (s, s + size)) (starts size slide offset (low + k)))
      (count_from times).

  Section Stand.
    Variables (V : Type) (low times : Z).
    Hypothesis times_positive : 0 <= times.
    Local Notation event := (@Slicing.event (details V)).
    Implicit Types (events : list event) (i : interval).
    Definition is_between t := low <= t < low + times.
    Local Notation known := (windows_between low times).

    (* Strictly sorted lists of the same intervals are the same. *)
    Fixpoint ascending (l : list interval) :=
      match l with
      | [] => True
      | i :: later => (forall j, In j later -> precedes i j = true) /\ ascending later
      end.
    Lemma precedes_spec i j : precedes i j = true <->
      fst i < fst j \/ (fst i = fst j /\ snd i < snd j).
    Proof.
      unfold precedes. rewrite orb_true_iff, andb_true_iff, !Z.ltb_lt, Z.eqb_eq. tauto.
    Qed.
    Lemma place_in i j l : In j (place i l) <-> j = i \/ In j l.
    Proof.
      induction l as [|x l IH]; cbn; [intuition|].
      destruct (equal i x) eqn:E; [apply equal_iff in E; subst; cbn; intuition|].
      destruct (precedes i x); cbn; [intuition|]. rewrite IH. intuition.
    Qed.
    Lemma place_ascending i l : ascending l -> ascending (place i l).
    Proof.
      induction l as [|x l IH]; cbn; [intuition|]. intros [H1 H2].
      destruct (equal i x) eqn:E; [cbn; auto|]. destruct (precedes i x) eqn:P; cbn.
      - split; [|auto]. intros j [<-|I]; auto. apply H1 in I.
        apply precedes_spec in P, I. apply precedes_spec. lia.
      - split; [|auto]. intros j I. apply place_in in I as [->|I]; auto.
        apply precedes_spec. destruct (Z.eq_dec (fst i) (fst x)), (Z.eq_dec (snd i) (snd x)).
        + exfalso. destruct i, x. cbn in *. subst. rewrite equal_refl in E. easy.
        + assert (~ precedes i x = true) by congruence. rewrite precedes_spec in *. lia.
        + assert (~ precedes i x = true) by congruence. rewrite precedes_spec in *. lia.
        + assert (~ precedes i x = true) by congruence. rewrite precedes_spec in *. lia.
    Qed.
    Lemma sorted_set_ascending l : ascending (sorted_set l).
    Proof. induction l; cbn; auto. now apply place_ascending. Qed.
    Lemma sorted_set_in i l : In i (sorted_set l) <-> In i l.
    Proof. induction l; cbn; [tauto|]. rewrite place_in, IHl. intuition. Qed.
    Lemma filter_ascending p l : ascending l -> ascending (filter p l).
    Proof.
      induction l as [|i l IH]; cbn; auto. intros [H1 H2]. destruct (p i); cbn; auto.
      split; auto. intros j I. apply filter_In in I. now apply H1.
    Qed.
    Lemma ascending_unique l : forall l', ascending l -> ascending l' ->
      (forall i, In i l <-> In i l') -> l = l'.
    Proof.
      induction l as [|i l IH]; intros [|j l'] H H' E; auto.
      - destruct (E j) as [_ F]. destruct F. now left.
      - destruct (E i) as [F _]. destruct F. now left.
      - destruct H as [H1 H2], H' as [H1' H2'].
        assert (i = j) as ->.
        { destruct (proj1 (E i) (or_introl eq_refl)) as [|I]; auto.
          destruct (proj2 (E j) (or_introl eq_refl)) as [|J]; auto.
          apply H1' in I. apply H1 in J. rewrite precedes_spec in *. lia. }
        f_equal. apply IH; auto.
        intro i. specialize (E i). cbn in E. split; intro I.
        + destruct E as [[->|F] _]; auto. apply H1 in I. rewrite precedes_spec in I. lia.
        + destruct E as [_ [->|F]]; auto. apply H1' in I. rewrite precedes_spec in I. lia.
    Qed.

    Lemma holds_sliding i (ev : event) : holds (Sliding size slide offset) i ev = true <->
      is_start (fst i) /\ inside (fst i) (fst i + size) (fst ev) = true.
    Proof.
      cbn [holds]. rewrite existsb_exists, <- starts_are_specified. split.
      - intros (s & I & E). apply Z.eqb_eq in E. now subst.
      - intro I. exists (fst i). split; auto. apply Z.eqb_refl.
    Qed.

    (** [S5, W2] Sliding windows of events between two times are those of a list that is known in
        advance. *)
    Theorem sliding_windows_are_known finite events :
      (forall ev, In ev events -> is_between (fst ev)) ->
      windows_of (Sliding size slide offset) finite events
      = windows_of (Known known) finite events.
    Proof.
      intro H. unfold windows_of. cbn [intervals]. set (timeline := event_order events).
      assert (B : forall ev, In ev timeline -> is_between (fst ev)).
      { intros ev I. apply H. eapply Permutation_in; [apply event_order_permutation|exact I]. }
      clearbody timeline. clear H.
      set (sliding := fun i => (i, filter (holds (Sliding size slide offset) i) timeline)).
      set (all := fun i => (i, filter (holds (Known known) i) timeline)).
      assert (Same : forall i, is_start (fst i) -> snd i = fst i + size -> sliding i = all i).
      { intros [s e] S E. cbn in S, E. subst. unfold sliding, all. f_equal. apply filter_ext.
        intro ev. apply eq_true_iff_eq. rewrite holds_sliding. cbn [holds fst snd]. tauto. }
      assert (F : forall (f : interval -> window V) (l : list interval),
        filter (@nonempty V) (map f l) = map f (filter (fun i => nonempty (f i)) l)).
      { intros f l. induction l; cbn; auto. destruct (nonempty (f a)); cbn; now rewrite IHl. }
      change (fun i : interval => (i, filter (holds (Sliding size slide offset) i) timeline))
        with sliding.
      change (fun i : interval => (i, filter (holds (Known known) i) timeline)) with all.
      rewrite !F.
      assert (K : forall i, In i known -> is_start (fst i) /\ snd i = fst i + size).
      { intros i I. apply in_flat_map in I as (k & _ & I). apply in_map_iff in I as (s & <- & I).
        apply starts_are_specified in I as [I _]. auto. }
      set (found := flat_map _ timeline).
      assert (S : forall i, In i found -> is_start (fst i) /\ snd i = fst i + size).
      { intros i I. apply in_flat_map in I as (ev & _ & I). apply in_map_iff in I as (s & <- & I).
        apply starts_are_specified in I as [I _]. auto. }
      assert (E : filter (fun i => nonempty (sliding i)) (sorted_set found)
        = filter (fun i => nonempty (all i)) (sorted_set known)).
      { apply ascending_unique; try (apply filter_ascending, sorted_set_ascending).
        intro i. rewrite !filter_In, !sorted_set_in. split; intros [I N].
        - destruct (S i I) as [S1 S2]. rewrite <- Same by auto. split; auto.
          apply in_flat_map in I as (ev & I1 & I2). apply B in I1.
          apply in_flat_map. exists (fst ev - low). split.
          + apply count_from_in; [lia|]. unfold is_between in I1. lia.
          + now replace (low + (fst ev - low)) with (fst ev) by lia.
        - destruct (K i I) as [S1 S2]. rewrite Same by auto. split; auto.
          rewrite <- Same in N by auto. unfold nonempty, sliding in N. cbn [snd] in N.
          destruct (filter _ timeline) as [|ev l] eqn:G; [easy|].
          assert (J : In ev (filter (holds (Sliding size slide offset) i) timeline))
            by (rewrite G; now left).
          apply filter_In in J as [J1 J2]. apply in_flat_map. exists ev. split; auto.
          apply in_map_iff. exists (fst i). split; [destruct i; cbn in *; now subst|].
          apply starts_are_specified. now apply holds_sliding. }
      rewrite E. apply map_ext_in. intros i I. apply filter_In in I as [I _].
      apply (proj1 (sorted_set_in i known)) in I. destruct (K i I). now apply Same.
    Qed.
  End Stand.
End Starts.
