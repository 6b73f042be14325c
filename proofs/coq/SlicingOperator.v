(** A slicing operator, and that it keeps what windows need
    Code: optimized/muntin/optimized/scotty/groups/time_group.py
    Code: optimized/muntin/optimized/scotty/slices/slice_manager.py
    Code: optimized/muntin/optimized/scotty/emission/scheduled_windows.py
    Code: optimized/muntin/optimized/scotty/retention.py
    Text: proofs/scotty.md
    Idealised: one query of windows that are known in advance, all their ends being edges, and one
    key. An operator is its slices with tuples, its watermark, and the windows that it has emitted
    and that are not final, with their revisions. It looks at all windows in each step, where the
    code has timers (W1), and sorts what it emits at the end of the step. Sessions, several
    queries and keys, dialects, and undoing a step that fails are not modelled. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation.
Set Implicit Arguments.
Open Scope Z_scope.

Section SlicingOperator.
  Variable V : Type.
  Local Notation event := (@Slicing.event (details V)).
  Local Notation arriving := (Denotation.arriving V).
  Local Notation slice_list := (Slicing.tuple_slice_list (A := details V)).
  Implicit Types (events content : list event) (news late : list arriving) (i : interval).

  Variables (edges : list Z) (before_edges : Z) (windows : list interval).
  Variables (chosen : settings) (name k : Z).
  (* for how long slices are kept when their windows are final; in the code it is 1, since in some
     dialects an event at the very end of a window may change it *)
  Variable slack : Z.

  Record operator := Operator {
    slices : slice_list;
    reached : instant;                   (* the watermark *)
    latest : instant;                    (* the time of the youngest event *)
    seen : nat;                          (* how many events have come *)
    emitted : list (interval * nat) }.   (* windows that are not final, and their revisions *)
  Definition new_operator := Operator [] Never Never 0 [].

  Definition limit_at watermark := minus watermark (allowed_lateness chosen).
  (* up to which end windows are emitted *)
  Definition horizon watermark :=
    match output chosen with Final => limit_at watermark | _ => watermark end.
  Definition is_final watermark i := leb_instant (At (snd i)) (limit_at watermark).
  Definition lies_in i (ev : event) := inside (fst i) (snd i) (fst ev).

  (* place: a tuple goes to the slice of its cell *)
  Definition place_tuple (so_far : operator * list arriving) (new : arriving) :=
    let (op, late) := so_far in
    let is_late := negb (leb_instant (limit_at (reached op)) (At (fst new))) in
    let placed := add_tuple edges before_edges (slices op) (accept (seen op) new) in
    (Operator (if is_late then slices op else placed) (reached op)
       (max_instant (latest op) (At (fst new))) (S (seen op)) (emitted op),
     if is_late then late ++ [new] else late).

  (* what the slices of a window hold *)
  Definition tuples_in i (held : slice_list) : list event :=
    concat (map snd (filter (fun slice => inside (fst i) (snd i) (fst slice)) held)).
  Fixpoint revision_of i (emitted : list (interval * nat)) :=
    match emitted with
    | [] => None
    | (j, number) :: later => if equal i j then Some number else revision_of i later
    end.
  (* emit: a window that is not final, that ends by the horizon and holds a tuple, if it is new or
     holds a tuple of this step; tuples of this step have these numbers or greater ones *)
  Definition is_of_step first (ev : event) := (first <=? arrival (snd ev))%nat.
  Definition emission first watermark (op : operator) i : option (interval * nat * kind) :=
    let content := tuples_in i (slices op) in
    if leb_instant (At (snd i)) (horizon watermark) && negb (length content =? 0)%nat then
      match revision_of i (emitted op) with
      | None => Some (i, 0%nat, New)
      | Some number =>
          Some (i, if existsb (is_of_step first) content then S number else number, Updated)
      end
    else None.
  Definition result_of first (op : operator) (change : interval * nat * kind) : list (result V) :=
    let '(i, number, kind) := change in
    let content := tuples_in i (slices op) in
    let emitted :=
      match output chosen, kind with
      | Discard, Updated => filter (is_of_step first) content
      | _, _ => content
      end in
    match kind with
    | Updated =>
        if existsb (is_of_step first) content then [Result name k i emitted Updated number] else []
    | _ => [Result name k i emitted kind number]
    end.
  Definition open_windows watermark :=
    filter (fun i => negb (is_final watermark i)) (sorted_set windows).
  Definition some_list X (x : option X) := match x with Some y => [y] | None => [] end.
  (* forget: the slices in no window that can change, and the revisions of final windows *)
  Definition is_forgotten watermark i := leb_instant (At (snd i)) (minus (limit_at watermark)
    slack).
  Definition is_needed watermark (slice : Z * list event) :=
    existsb (fun i => negb (is_forgotten watermark i) && inside (fst i) (snd i) (fst slice))
      (sorted_set windows).
  Definition in_result_order (results : list (result V)) :=
    fold_left (fun sorted r => place_result (position_in [name]) r sorted) results [].

  Definition operator_step (op : operator) news promised
      : option (operator * (list (result V) * list arriving)) :=
    if in_order chosen && negb (is_in_order (latest op) news) then None
    else
      let (placed, late) := fold_left place_tuple news (op, []) in
      let own := if in_order chosen then latest placed else Never in
      let next := max_instant (reached op) (max_instant promised own) in
      let changes := flat_map (fun i => some_list (emission (seen op) next placed i))
        (open_windows (reached op)) in
      Some (Operator
        (filter (is_needed next) (slices placed)) next (latest placed) (seen placed)
        (filter (fun known => negb (is_final next (fst known))) (map fst changes)),
        (in_result_order (flat_map (result_of (seen op) placed) changes), late)).

  (* Facts of the slices: they partition their tuples, which are in the order of time. *)
  Definition in_time events :=
    forall p x q y r, events = p ++ x :: q ++ y :: r -> fst x <= fst y.
  Definition content_of events i := filter (lies_in i) (event_order events).

  Hypothesis before_all : lies_before edges before_edges.
  Hypothesis ends_are_edges :
    forall i, In i (sorted_set windows) -> In (fst i) edges /\ In (snd i) edges.
  Local Notation partitions := (Slicing.partitions edges before_edges).

  Lemma in_time_cons x events : in_time (x :: events) <->
    (forall y, In y events -> fst x <= fst y) /\ in_time events.
  Proof.
    split.
    - intro H. split.
      + intros y I. apply in_split in I as (q & r & ->). now apply (H [] x q y r).
      + intros p a q b r ->. apply (H (x :: p) a q b r). reflexivity.
    - intros [H1 H2] p a q b r E. destruct p as [|c p]; injection E as; subst.
      + apply H1. apply in_or_app. right. now left.
      + eapply H2. reflexivity.
  Qed.

  Lemma in_time_place ev events : in_time events -> in_time (place_in_order ev events).
  Proof.
    induction events as [|x events IH]; intro H; cbn.
    - apply in_time_cons. split; [easy|]. intros p a q b r E. now destruct p.
    - apply in_time_cons in H as [H1 H2]. destruct (Z.ltb_spec (fst ev) (fst x)).
      + apply in_time_cons. split; [|now apply in_time_cons].
        intros y [<-|I]; [lia|]. specialize (H1 _ I). lia.
      + apply in_time_cons. split; auto. intros y I.
        apply (Permutation_in _ (place_in_order_permutation ev events)) in I as [<-|I]; auto.
  Qed.

  Lemma in_time_filter f events : in_time events -> in_time (filter f events).
  Proof.
    induction events as [|x events IH]; intro H; cbn; auto. apply in_time_cons in H as [H1 H2].
    destruct (f x); auto. apply in_time_cons. split; auto. intros y I. apply filter_In in I.
    now apply H1.
  Qed.

  Lemma place_first ev events : (forall y, In y events -> fst ev < fst y) ->
    place_in_order ev events = ev :: events.
  Proof.
    destruct events as [|x events]; cbn; auto. intro H. specialize (H x (or_introl eq_refl)).
    destruct (Z.ltb_spec (fst ev) (fst x)); auto. lia.
  Qed.

  Lemma filter_place f ev events : in_time events ->
    filter f (place_in_order ev events)
    = if f ev then place_in_order ev (filter f events) else filter f events.
  Proof.
    induction events as [|x events IH]; intro H; cbn.
    - now destruct (f ev).
    - apply in_time_cons in H as [H1 H2]. specialize (IH H2).
      destruct (Z.ltb_spec (fst ev) (fst x)) as [T|T].
      + cbn [filter]. destruct (f ev); auto. symmetry.
        change (if f x then x :: filter f events else filter f events)
          with (filter f (x :: events)).
        apply place_first. intros y I. apply (proj1 (filter_In f y (x :: events))) in I as [I _].
        destruct I as [<-|I]; [auto|]. specialize (H1 _ I). lia.
      + cbn [filter]. rewrite IH. destruct (f x), (f ev); cbn; auto.
        destruct (Z.ltb_spec (fst ev) (fst x)); auto. lia.
  Qed.

  Lemma event_order_snoc events (ev : event) :
    event_order (events ++ [ev]) = place_in_order ev (event_order events).
  Proof. unfold event_order. now rewrite fold_left_app. Qed.

  Lemma event_order_in_time events : in_time (event_order events).
  Proof.
    induction events as [|ev events IH] using rev_ind.
    - intros p x q y r E. now destruct p.
    - rewrite event_order_snoc. now apply in_time_place.
  Qed.

  Lemma tuples_in_filter i low (held : slice_list) : In (fst i) edges -> In (snd i) edges ->
    partitions low held -> tuples_in i held = filter (lies_in i) (all_tuples held).
  Proof.
    intros Ha Hb. revert low. unfold tuples_in, all_tuples.
    induction held as [|[j l] held IH]; intros low S; auto.
    destruct S as (_ & _ & H & S). specialize (IH _ S). cbn. rewrite filter_app.
    assert (F : filter (lies_in i) l = if inside (fst i) (snd i) j then l else []).
    { clear -H Ha Hb before_all. unfold lies_in.
      induction l as [|x l IH]; cbn; [now destruct (inside (fst i) (snd i) j)|].
      rewrite IH by (intros; apply H; now right). pose proof (H x (or_introl eq_refl)) as <-.
      rewrite (@inside_cell edges before_edges before_all) by auto.
      now destruct (inside (fst i) (snd i) (fst x)). }
    etransitivity; [|symmetry; apply (f_equal2 (@app _) F eq_refl)].
    destruct (inside (fst i) (snd i) j); cbn; [apply (f_equal (app l))|]; exact IH.
  Qed.

  Lemma partitions_later low later (held : slice_list) :
    low <= later -> partitions later held -> partitions low held.
  Proof. intro H. destruct held as [|[j l] held]; cbn; auto. intuition lia. Qed.

  Lemma partitions_filter f low (held : slice_list) :
    partitions low held -> partitions low (filter f held).
  Proof.
    revert low; induction held as [|[j l] held IH]; intros low S; cbn [filter]; auto.
    cbn in S. destruct S as (S1 & S2 & S3 & S4).
    destruct (f (j, l)); cbn; auto. eapply partitions_later; [|apply IH; exact S4]. lia.
  Qed.

  Lemma all_tuples_filter_in_time f low (held : slice_list) : partitions low held ->
    in_time (all_tuples held) -> in_time (all_tuples (filter f held)).
  Proof.
    unfold all_tuples. revert low. induction held as [|[j l] held IH]; intros low S H; auto.
    destruct S as (_ & _ & _ & S). cbn in *. specialize (IH _ S).
    assert (D : in_time l /\ in_time (concat (map snd held)) /\
      forall x y, In x l -> In y (concat (map snd held)) -> fst x <= fst y).
    { clear -H. induction l as [|x l IH].
      - repeat split; auto; [|easy]. intros p x q y r E. now destruct p.
      - cbn in H. apply in_time_cons in H as [H1 H2]. destruct (IH H2) as (I1 & I2 & I3).
        split; [|split]; auto.
        + apply in_time_cons. split; auto. intros y I. apply H1, in_or_app. now left.
        + intros z y [<-|I] J; auto. apply H1, in_or_app. now right. }
    destruct D as (D1 & D2 & D3). specialize (IH D2). destruct (f (j, l)); auto. cbn.
    assert (D4 : forall x y, In x l -> In y (concat (map snd (filter f held))) -> fst x <= fst y).
    { intros x y I J. apply D3; auto. clear -J. induction held as [|s held IH]; auto. cbn in *.
      apply in_or_app. destruct (f s); auto. cbn in J. apply in_app_or in J as [J|J]; auto. }
    clear -IH D1 D4. induction l as [|x l IHl]; auto. cbn. apply in_time_cons in D1 as [E1 E2].
    apply in_time_cons. split.
    - intros y I. apply in_app_or in I as [I|I]; auto. apply D4; auto. now left.
    - apply IHl; auto. intros. apply D4; auto. now right.
  Qed.
End SlicingOperator.
