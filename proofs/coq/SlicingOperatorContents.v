(** What the windows of a slicing operator hold
    Code: optimized/muntin/optimized/scotty/operator.py
    Code: optimized/muntin/optimized/scotty/emission/scheduled_windows.py
    Text: proofs/scotty.md
    Idealised: as in SlicingOperator.v. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator.
Set Implicit Arguments.
Open Scope Z_scope.

Section Contents.
  Variable V : Type.
  Local Notation event := (@Slicing.event (details V)).
  Local Notation arriving := (Denotation.arriving V).
  Implicit Types (events added : list event) (news late : list arriving) (i : interval).
  Variables (edges : list Z) (before_edges : Z) (windows : list interval).
  Variables (chosen : settings) (name k : Z).
  Local Notation all_windows := (sorted_set windows).
  Local Notation is_final := (is_final chosen).
  Local Notation horizon := (horizon chosen).
  Local Notation operator := (operator V).

  Lemma equal_iff i j : equal i j = true <-> i = j.
  Proof.
    destruct i as [a b], j as [c d]. unfold equal. cbn.
    rewrite andb_true_iff, !Z.eqb_eq. split; [intros [-> ->]; auto|intro E; injection E; auto].
  Qed.
  Lemma equal_refl i : equal i i = true.
  Proof. now apply equal_iff. Qed.

  (* Instants. *)
  Lemma max_later a b t : leb_instant (At t) a = true -> leb_instant (At t) (max_instant a b) =
    true.
  Proof.
    unfold max_instant. destruct a, b; cbn; auto; try easy. intro H.
    destruct (Z.leb_spec t0 t1); cbn; auto. destruct (Z.leb_spec t t0); [|easy].
    destruct (Z.leb_spec t t1); auto. lia.
  Qed.
  Lemma limit_later a b t : leb_instant (At t) (limit_at chosen a) = true ->
    leb_instant (At t) (limit_at chosen (max_instant a b)) = true.
  Proof.
    unfold limit_at, max_instant, minus. destruct a, b; cbn; auto; try easy. intro H.
    destruct (Z.leb_spec t0 t1); cbn; auto.
    destruct (Z.leb_spec t (t0 - allowed_lateness chosen)); [|easy].
    destruct (Z.leb_spec t (t1 - allowed_lateness chosen)); auto. lia.
  Qed.
  Lemma horizon_later a b t : leb_instant (At t) (horizon a) = true ->
    leb_instant (At t) (horizon (max_instant a b)) = true.
  Proof. unfold SlicingOperator.horizon. destruct (output chosen);
    auto using max_later, limit_later. Qed.
  Lemma final_in_horizon a i : 0 <= allowed_lateness chosen -> is_final a i = true ->
    leb_instant (At (snd i)) (horizon a) = true.
  Proof.
    intro lateness.
    unfold SlicingOperator.is_final, SlicingOperator.horizon, limit_at, minus.
    destruct (output chosen), a; cbn; auto;
      destruct (Z.leb_spec (snd i) (t - allowed_lateness chosen)); try easy;
      destruct (Z.leb_spec (snd i) t); auto; lia.
  Qed.
  Lemma final_later a b i : is_final a i = true -> is_final (max_instant a b) i = true.
  Proof. apply limit_later. Qed.

  (* What a window holds. *)
  Lemma content_in ev events i :
    In ev (content_of events i) <-> In ev events /\ lies_in i ev = true.
  Proof.
    unfold content_of. rewrite filter_In. split; intros [H1 H2]; split; auto.
    - eapply Permutation_in; [apply event_order_permutation|exact H1].
    - eapply Permutation_in; [symmetry; apply event_order_permutation|exact H1].
  Qed.
  Lemma content_grows events added i :
    (forall ev, In ev added -> lies_in i ev = false) ->
    content_of (events ++ added) i = content_of events i.
  Proof.
    unfold content_of. induction added as [|ev added IH] using rev_ind; intro H.
    - now rewrite app_nil_r.
    - rewrite app_assoc, event_order_snoc, filter_place by apply event_order_in_time.
      rewrite (H ev) by (apply in_or_app; right; now left).
      apply IH. intros. apply H, in_or_app. now left.
  Qed.

  (* A step adds events with these numbers or greater ones. *)
  Section Step.
    Variables (events added : list event) (first : nat).
    Hypothesis old : Forall (fun ev : event => (arrival (snd ev) < first)%nat) events.
    Hypothesis new : Forall (fun ev : event => (first <= arrival (snd ev))%nat) added.
    Local Notation content i := (content_of events i).
    Local Notation grown i := (content_of (events ++ added) i).

    Lemma content_is_old i ev : In ev (content i) -> is_of_step first ev = false.
    Proof.
      intro I. apply content_in in I as [I _]. rewrite Forall_forall in old. specialize (old _ I).
      unfold is_of_step. destruct (Nat.leb_spec first (arrival (snd ev))); auto. lia.
    Qed.

    Lemma untouched i : existsb (is_of_step first) (grown i) = false -> grown i = content i.
    Proof.
      intro E. apply content_grows. intros ev I. destruct (lies_in i ev) eqn:F; auto.
      rewrite <- E. symmetry. apply existsb_exists. exists ev. split.
      - apply content_in. split; auto. apply in_or_app. auto.
      - rewrite Forall_forall in new. specialize (new _ I). unfold is_of_step.
        now apply Nat.leb_le.
    Qed.

    Lemma same_arrivals_untouched i :
      same_arrivals (content i) (grown i) = negb (existsb (is_of_step first) (grown i)).
    Proof.
      unfold same_arrivals. destruct (existsb _ (grown i)) eqn:E.
      - destruct (list_eq_dec _ _ _) as [Q|]; auto. exfalso.
        apply existsb_exists in E as (ev & I & T).
        assert (J : In (arrival (snd ev)) (arrivals_of (content i))).
        { rewrite Q. unfold arrivals_of. now apply in_map with (f := fun ev : event =>
            arrival (snd ev)). }
        apply in_map_iff in J as (other & E & J). apply content_is_old in J.
        unfold is_of_step in *. rewrite E in J. congruence.
      - rewrite untouched by auto. now destruct (list_eq_dec _ _ _).
    Qed.

    Lemma pending_is_of_step i :
      filter (fun ev => negb (is_among (arrivals_of (content i)) ev)) (grown i)
      = filter (is_of_step first) (grown i).
    Proof.
      apply filter_ext_in. intros ev I. destruct (is_of_step first ev) eqn:T.
      - apply negb_true_iff. destruct (is_among _ ev) eqn:A; auto.
        unfold is_among in A. apply existsb_exists in A as (number & J & E).
        apply Nat.eqb_eq in E. subst. apply in_map_iff in J as (other & E & J).
        apply content_is_old in J. unfold is_of_step in *. rewrite E in J. congruence.
      - apply negb_false_iff. unfold is_among. apply existsb_exists.
        exists (arrival (snd ev)). split; [|apply Nat.eqb_refl].
        apply in_map_iff. exists ev. split; auto.
        apply content_in in I as [I F]. apply content_in. split; auto.
        apply in_app_or in I as [I|I]; auto. rewrite Forall_forall in new. specialize (new _ I).
        unfold is_of_step in T. apply Nat.leb_gt in T. lia.
    Qed.
  End Step.

  Variable slack : Z.
  Hypothesis slack_positive : 0 <= slack.
  Hypothesis before_all : lies_before edges before_edges.
  Hypothesis ends_are_edges :
    forall i, In i (sorted_set windows) -> In (fst i) edges /\ In (snd i) edges.

  (* The slices of an operator hold, of every window that can change, what it holds. *)
  Definition slices_relate (op : operator) events :=
    partitions edges before_edges before_edges (slices op) /\
    in_time (all_tuples (slices op)) /\
    forall i, In i all_windows -> is_final (reached op) i = false ->
      filter (lies_in i) (all_tuples (slices op)) = content_of events i.

  Lemma tuples_are_content op events i : slices_relate op events ->
    In i all_windows -> is_final (reached op) i = false ->
    tuples_in i (slices op) = content_of events i.
  Proof.
    intros (S1 & S2 & S3) I F. destruct (@ends_are_edges i I) as [E1 E2].
    rewrite (@tuples_in_filter V edges before_edges before_all i before_edges); auto.
  Qed.

  Lemma forget_relates op events next :
    slices_relate op events ->
    (forall i, is_final (reached op) i = true -> is_final next i = true) ->
    forall later seen emitted,
    slices_relate
      (Operator (filter (is_needed windows chosen slack next) (slices op)) next later seen emitted)
        events.
  Proof.
    intros R M later seen emitted. pose proof R as (S1 & S2 & S3).
    split; [|split]; cbn [slices reached].
    - now apply partitions_filter.
    - eapply all_tuples_filter_in_time; eauto.
    - intros i I F. destruct (@ends_are_edges i I) as [E1 E2].
      etransitivity.
      { symmetry. apply (@tuples_in_filter V edges before_edges before_all i before_edges); auto.
        now apply partitions_filter. }
      rewrite <- (@tuples_are_content op events i R I).
      + unfold tuples_in. do 2 f_equal. clear -I F slack_positive.
        induction (slices op) as [|[j l] held IH]; auto. cbn.
        destruct (is_needed windows chosen slack next (j, l)) eqn:N; cbn; rewrite ?IH; auto.
        destruct (inside (fst i) (snd i) j) eqn:J; auto. exfalso.
        enough (is_needed windows chosen slack next (j, l) = true) by congruence.
        unfold is_needed. apply existsb_exists. exists i. split; auto. cbn [fst].
        rewrite J, andb_true_r. apply negb_true_iff.
        unfold is_forgotten, SlicingOperator.is_final, minus in *.
        destruct (limit_at chosen next); cbn in *; auto.
        apply Z.leb_gt in F. apply Z.leb_gt. lia.
      + destruct (is_final (reached op) i) eqn:G; auto. apply M in G. congruence.
  Qed.
End Contents.
