(** What a slicing operator ingests and the denotation publishes
    Code: optimized/muntin/optimized/scotty/operator.py
    Text: proofs/scotty.md
    Text: spec/muntin/spec/denotation.py
    Idealised: as in SlicingOperator.v. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator
  SlicingOperatorContents.
Set Implicit Arguments.
Open Scope Z_scope.

Section Published.
  Variable V : Type.
  Local Notation event := (@Slicing.event (details V)).
  Local Notation arriving := (Denotation.arriving V).
  Implicit Types (events added : list event) (news late : list arriving) (i : interval)
    (revisions : interval -> nat).
  Variables (edges : list Z) (before_edges : Z) (windows : list interval).
  Variables (chosen : settings) (name k : Z).
  Hypothesis before_all : lies_before edges before_edges.
  Local Notation all_windows := (sorted_set windows).
  Local Notation is_final := (is_final chosen).
  Local Notation operator := (operator V).
  Local Notation history := (history V).
  Local Notation slices_relate := (@slices_relate V edges before_edges windows chosen).
  Local Notation place_tuple := (@place_tuple V edges before_edges chosen).

  (* What the denotation has published: the windows that end by the horizon and hold an event. *)
  Definition is_shown watermark events i :=
    leb_instant (At (snd i)) (horizon chosen watermark)
    && negb (length (content_of events i) =? 0)%nat.
  Definition published_as watermark events revisions : list (window V * nat) :=
    map (fun i => ((i, content_of events i), revisions i))
      (filter (is_shown watermark events) all_windows).
  (* A query has nothing for a key before its first event. *)
  Definition holds_key (keys : list (Z * keyed V)) events published :=
    (keys = [] /\ events = [] /\ published = []) \/ keys = [(k, Keyed events published)].
  Definition both (h : history) (op : operator) events published :=
    settings_of h = chosen /\ watermark h = reached op /\ latest_time h = latest op /\
    arrivals h = seen op /\
    (exists keys, queries h = [(name, Registered (Known windows) Never keys)] /\
      holds_key keys events published) /\
    slices_relate op events /\
    Forall (fun ev : event => (arrival (snd ev) < seen op)%nat) events.
  (* The simulation: revisions are kept of the windows that can change. *)
  Definition relates (h : history) (op : operator) :=
    exists events revisions,
      both h op events (published_as (reached op) events revisions) /\
      forall i, In i all_windows -> is_final (reached op) i = false ->
        revision_of i (emitted op)
        = if is_shown (reached op) events i then Some (revisions i) else None.

  (* Ingestion. *)
  Lemma place_relates op events ev later number : slices_relate op events ->
    slices_relate (Operator (add_tuple edges before_edges (slices op) ev) (reached op) later number
      (emitted op)) (events ++ [ev]).
  Proof.
    intros (S1 & S2 & S3).
    assert (P : before_edges <= cell edges before_edges (fst ev)).
    { pose proof (@cell_in edges before_edges (fst ev)) as [Q|I]; [lia|].
      apply before_all in I. lia. }
    destruct (@add_tuple_sound _ edges before_edges before_all ev (slices op) before_edges P S1)
      as [P1 P2].
    split; [|split]; cbn [slices reached]; auto.
    - rewrite P2. now apply in_time_place.
    - intros i I F. specialize (S3 i I F). rewrite P2, filter_place by auto.
      unfold content_of. rewrite event_order_snoc, filter_place by apply event_order_in_time.
      unfold content_of in S3. now rewrite S3.
  Qed.

  Lemma ingest_both h op events published late new : both h op events published ->
    fst (fst (snd new)) = k ->
    exists added late',
      ingest (h, late) new = (fst (ingest (h, late) new), late') /\
      snd (place_tuple (op, late) new) = late' /\
      both (fst (ingest (h, late) new)) (fst (place_tuple (op, late) new)) (events ++ added)
        published /\
      reached (fst (place_tuple (op, late) new)) = reached op /\
      emitted (fst (place_tuple (op, late) new)) = emitted op /\
      seen (fst (place_tuple (op, late) new)) = S (seen op) /\
      Forall (fun ev : event => (seen op <= arrival (snd ev))%nat /\
        leb_instant (limit_at chosen (reached op)) (At (fst ev)) = true) added.
  Proof.
    intros (B1 & B2 & B3 & B4 & (keys & B5 & B6) & B7 & B8) K.
    destruct new as [t [[k' gap] v]]. cbn in K. subst k'.
    assert (L : limit h = limit_at chosen (reached op)).
    { unfold limit, limit_at. now rewrite B1, B2. }
    unfold ingest, SlicingOperator.place_tuple, is_late. cbn [fst snd]. rewrite L, B5. cbn [map].
    destruct (leb_instant (limit_at chosen (reached op)) (At t)) eqn:T; cbn [negb andb fst snd].
    - set (ev := accept (seen op) (t, (k, gap, v))).
      exists [ev], late. unfold sees. cbn [since leb_instant negb].
      repeat split; cbn; auto; rewrite ?B1, ?B2, ?B3, ?B4; auto.
      + exists [(k, Keyed (events ++ [ev]) published)]. split; [|now right].
        unfold append_event. cbn. destruct B6 as [(-> & -> & ->)| ->]; cbn; auto.
        now rewrite Z.eqb_refl.
      + apply (@place_relates op events ev) with (later := max_instant (latest op) (At t))
          (number := S (seen op)) in B7. apply B7.
      + apply (@place_relates op events ev) with (later := max_instant (latest op) (At t))
          (number := S (seen op)) in B7. apply B7.
      + apply (@place_relates op events ev) with (later := max_instant (latest op) (At t))
          (number := S (seen op)) in B7. apply B7.
      + apply Forall_app. split; [|repeat constructor; cbn; lia].
        eapply Forall_impl; [|exact B8]. cbn. lia.
    - exists [], (late ++ [(t, (k, gap, v))]). rewrite app_nil_r.
      repeat split; cbn; auto; rewrite ?B1, ?B2, ?B3, ?B4; auto; try apply B7.
      + exists keys. split; auto.
      + eapply Forall_impl; [|exact B8]. cbn. lia.
  Qed.

  Lemma ingest_all news : forall h op events published late, both h op events published ->
    Forall (fun new : arriving => fst (fst (snd new)) = k) news ->
    exists h' op' added late',
      fold_left (@ingest V) news (h, late) = (h', late') /\
      fold_left place_tuple news (op, late) = (op', late') /\
      both h' op' (events ++ added) published /\
      reached op' = reached op /\ emitted op' = emitted op /\
      Forall (fun ev : event => (seen op <= arrival (snd ev))%nat /\
        leb_instant (limit_at chosen (reached op)) (At (fst ev)) = true) added.
  Proof.
    induction news as [|new news IH]; intros h op events published late B K.
    - exists h, op, [], late. rewrite app_nil_r. repeat split; auto; apply B.
    - inversion K as [|? ? K1 K2]; subst. cbn [fold_left].
      destruct (@ingest_both h op events published late new B K1)
        as (added & late' & I1 & I2 & I3 & I4 & I5 & I6 & I7).
      rewrite I1. destruct (place_tuple (op, late) new) as [op' l']. cbn [fst snd] in *. subst l'.
      destruct (IH _ op' (events ++ added) published late' I3 K2)
        as (h2 & op2 & more & late2 & J1 & J2 & J3 & J4 & J5 & J6).
      exists h2, op2, (added ++ more), late2. rewrite app_assoc.
      repeat split; auto; try apply J3; try congruence.
      apply Forall_app. split; auto. eapply Forall_impl; [|exact J6]. cbn.
      rewrite I4, I6. intros ev [H1 H2]. split; auto. lia.
  Qed.

  (* Publication. *)
  Lemma filter_map X Y (p : Y -> bool) (f : X -> Y) l :
    filter p (map f l) = map f (filter (fun x => p (f x)) l).
  Proof. induction l; cbn; auto. destruct (p (f a)); cbn; now rewrite IHl. Qed.
  Lemma filter_filter X (p q : X -> bool) l : filter p (filter q l) = filter (fun x => q x && p x)
    l.
  Proof. induction l; cbn; auto. destruct (q a); cbn; rewrite ?IHl; auto. Qed.
  Lemma flat_map_filter X Y (p : X -> bool) (f : X -> list Y) l :
    flat_map f (filter p l) = flat_map (fun x => if p x then f x else []) l.
  Proof. induction l; cbn; auto. destruct (p a); cbn; now rewrite IHl. Qed.
  Lemma flat_map_map X Y Z (f : Y -> list Z) (g : X -> Y) l :
    flat_map f (map g l) = flat_map (fun x => f (g x)) l.
  Proof. induction l; cbn; auto. now rewrite IHl. Qed.
  Lemma flat_map_flat_map X Y Z (f : Y -> list Z) (g : X -> list Y) l :
    flat_map f (flat_map g l) = flat_map (fun x => flat_map f (g x)) l.
  Proof. induction l; cbn; auto. now rewrite flat_map_app, IHl. Qed.
  Lemma flat_map_ext_in X Y (f g : X -> list Y) l :
    (forall x, In x l -> f x = g x) -> flat_map f l = flat_map g l.
  Proof.
    induction l; cbn; auto. intro H. rewrite H by now left. f_equal. apply IHl. intros.
    apply H. now right.
  Qed.

  Definition revisions_after (published : list (window V * nat)) events i :=
    snd (revised published (i, content_of events i)).

  Lemma republish_known now type_since (keyed_before : keyed V) :
    0 <= allowed_lateness chosen -> settings_of now = chosen ->
    query_type type_since = Known windows -> since type_since = Never ->
    republish now type_since keyed_before
    = Keyed (events_of keyed_before)
        (published_as (watermark now) (events_of keyed_before)
           (revisions_after (published keyed_before) (events_of keyed_before))).
  Proof.
    intros lateness H1 H2 H3. unfold republish. rewrite H2, H3. f_equal.
    unfold windows_of, limit. cbn [intervals]. rewrite H1.
    set (events := events_of keyed_before).
    change (fun i : interval => (i, filter (holds (Known windows) i) (event_order events)))
      with (fun i : interval => (i, content_of events i)).
    set (visible := filter _ (filter _ _)).
    assert (E : visible = map (fun i => (i, content_of events i))
      (filter (fun i => leb_instant (At (snd i)) (watermark now)
        && negb (length (content_of events i) =? 0)%nat) all_windows)).
    { unfold visible. rewrite !filter_map, filter_filter. f_equal. apply filter_ext. intro i.
      unfold nonempty, is_complete. cbn [fst snd leb_instant negb andb]. apply andb_comm. }
    rewrite E. unfold published_as, is_shown, horizon, limit_at.
    destruct (output chosen) eqn:O; try (rewrite map_map; reflexivity).
    rewrite filter_map, filter_filter, map_map. f_equal. apply filter_ext. intro i.
    unfold minus. cbn [fst snd]. destruct (watermark now); cbn; auto using andb_true_r.
    destruct (Z.leb_spec (snd i) t), (Z.leb_spec (snd i) (t - allowed_lateness chosen)); cbn;
      auto using andb_true_r, andb_false_r; lia.
  Qed.

  Lemma find_published watermark events revisions i : In i all_windows ->
    find_window i (published_as watermark events revisions)
    = if is_shown watermark events i then Some ((i, content_of events i), revisions i) else None.
  Proof.
    unfold published_as. intro I. destruct (is_shown watermark events i) eqn:F.
    - assert (J : In i (filter (is_shown watermark events) all_windows)) by now apply filter_In.
      induction (filter _ _) as [|j l IH]; [easy|]. cbn.
      destruct (equal i j) eqn:E; [apply equal_iff in E; now subst|].
      apply IH. destruct J as [->|J]; auto. now rewrite equal_refl in E.
    - assert (J : ~ In i (filter (is_shown watermark events) all_windows)).
      { intro J. apply filter_In in J as [_ J]. congruence. }
      induction (filter _ _) as [|j l IH]; [easy|]. cbn.
      destruct (equal i j) eqn:E.
      + apply equal_iff in E. subst. exfalso. apply J. now left.
      + apply IH. intro. apply J. now right.
  Qed.
End Published.
