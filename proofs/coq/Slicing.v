(** Slicing of windows whose edges are known
    Code: optimized/muntin/optimized/scotty/slices/slice_manager.py
    Text: proofs/scotty.md
    Idealised: windows are [a, b) with a and b among a finite list of edges. Slices are named by
    their cells and kept in the order of time. Sessions, which part slices further (M1, M2), other
    measures, dialects, lateness, outputs and the release of slices (M6) are not modelled. *)
From Muntin Require Import Monoid Cells.
Set Implicit Arguments.
Open Scope Z_scope.

Section Slicing.
  Context {A : Type} (M : monoid A) {L : lawful M}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Variables (edges : list Z) (before : Z).
  Hypothesis before_all : lies_before edges before.

  (* a time and a lifted value *)
  Definition event := (Z * A)%type.
  (* what a window holds, of events in the order in which they are folded *)
  Definition denotation a b (events : list event) :=
    fold M (map snd (filter (fun ev => inside a b (fst ev)) events)).
  (* event order: by time, and by arrival where times are equal *)
  Fixpoint place_in_order (ev : event) (events : list event) :=
    match events with
    | [] => [ev]
    | x :: later => if fst ev <? fst x then ev :: events else x :: place_in_order ev later
    end.
  Definition event_order events :=
    fold_left (fun placed ev => place_in_order ev placed) events [].
  Definition ordered (events : list event) :=
    forall p x q y r, events = p ++ x :: q ++ y :: r -> fst x <= fst y.

  (* Slices that keep an aggregate only: each is its cell and its partial aggregate. *)
  Definition slice_list := list (Z * A).
  Fixpoint add_value (k : Z) v (slices : slice_list) : slice_list :=
    match slices with
    | [] => [(k, v)]
    | (j, w) :: later =>
        if k <? j then (k, v) :: slices
        else if k =? j then (j, w ** v) :: later
        else (j, w) :: add_value k v later
    end.
  Definition add (slices : slice_list) (ev : event) :=
    add_value (cell edges before (fst ev)) (snd ev) slices.
  Definition slices_of events := fold_left add events [].
  Definition answer a b (slices : slice_list) :=
    fold M (map snd (filter (fun slice => inside a b (fst slice)) slices)).

  (* Slices that keep their tuples too, in event order. *)
  Definition tuple_slice_list := list (Z * list event).
  Fixpoint add_tuple_at (k : Z) (ev : event) (slices : tuple_slice_list) : tuple_slice_list :=
    match slices with
    | [] => [(k, [ev])]
    | (j, tuples) :: later =>
        if k <? j then (k, [ev]) :: slices
        else if k =? j then (j, place_in_order ev tuples) :: later
        else (j, tuples) :: add_tuple_at k ev later
    end.
  Definition add_tuple slices (ev : event) := add_tuple_at (cell edges before (fst ev)) ev slices.
  Definition tuple_slices_of events := fold_left add_tuple events [].
  Definition tuple_answer a b (slices : tuple_slice_list) :=
    fold M (map (fun slice => fold M (map snd (snd slice)))
             (filter (fun slice => inside a b (fst slice)) slices)).

  (* the keys rise, and end at or before k *)
  Fixpoint upto k (s : slice_list) :=
    match s with [] => True | (j, _) :: s' => match s' with [] => j <= k | _ => j < k /\ upto k s'
      end end.
  Lemma upto_add_value k v s : upto k s -> upto k (add_value k v s).
  Proof.
    induction s as [|[j w] s IH]; cbn [upto add_value]; [cbn; lia|].
    destruct s as [|c s].
    - intro H. destruct (Z.ltb_spec k j); [lia|]. destruct (Z.eqb_spec k j); cbn; lia.
    - intros [H1 H2]. specialize (IH H2). destruct (Z.ltb_spec k j); [lia|].
      destruct (Z.eqb_spec k j); [lia|].
      cbn [upto]. destruct (add_value k v (c :: s)) eqn:F; [|auto].
      destruct c; cbn in F. destruct (k <? z); [easy|]. destruct (k =? z); easy.
  Qed.

  Lemma upto_le k l s : k <= l -> upto k s -> upto l s.
  Proof.
    intro H. induction s as [|[j w] s IH]; auto. destruct s; cbn [upto]; [lia|]. intros [H1 H2].
    split; [lia|exact (IH H2)].
  Qed.

  Lemma add_value_answer a b k v s : commutative M \/ upto k s ->
    answer a b (add_value k v s) = answer a b s ** (if inside a b k then v else identity M).
  Proof.
    unfold answer. intro H. induction s as [|[j w] s IH]; cbn [add_value].
    - cbn. destruct (inside a b k); cbn; now folds.
    - assert (H' : commutative M \/ upto k s).
      { destruct H as [|H]; auto. right. cbn in H. destruct s; cbn; tauto. }
      specialize (IH H').
      destruct (Z.ltb_spec k j) as [K|K]; [|destruct (Z.eqb_spec k j) as [->|N]].
      + destruct H as [C|H]; [|cbn [upto] in H; destruct s; lia]. cbn.
        destruct (inside a b k), (inside a b j); cbn; folds; auto; rewrite (commutes v); now folds.
      + destruct H as [C|H].
        * cbn. destruct (inside a b j); cbn; folds; auto. now rewrite (commutes v).
        * destruct s; [|cbn [upto] in H; lia]. cbn. destruct (inside a b j); cbn; now folds.
      + cbn. destruct (inside a b j); cbn; folds; rewrite IH; now folds.
  Qed.

  (* in the order of arrival, which is the order of time or does not matter *)
  Lemma slices_of_answer a b events : In a edges -> In b edges -> commutative M \/ ordered events ->
    answer a b (slices_of events) = denotation a b events.
  Proof.
    intros Ha Hb H. unfold slices_of, denotation.
    cut (forall s, commutative M \/ (ordered events /\ forall x q, events = x :: q -> upto (cell
      edges before (fst x)) s) ->
      answer a b (fold_left add events s) = answer a b s ** denotation a b events).
    { intro Q. rewrite Q; [unfold answer; cbn; now folds|]. destruct H; auto. right. split; auto.
      intros. cbn. auto. }
    clear H. induction events as [|[t v] events IH]; intros s H; cbn.
    - unfold denotation. cbn. now folds.
    - rewrite IH.
      + unfold add.
        rewrite add_value_answer by (destruct H as [|[H1 H2]]; auto; right; now apply (H2 (t, v)
          events)).
        cbn. rewrite (@inside_cell edges before before_all) by auto. unfold denotation. cbn.
        destruct (inside a b t); cbn; now folds.
      + destruct H as [|[H1 H2]]; auto. right. split.
        * intros p x q y r ->. apply (H1 ((t, v) :: p) x q y r). reflexivity.
        * intros x q ->. unfold add. apply upto_le with (cell edges before t).
          -- apply cell_monotone; auto. now apply (H1 [] (t, v) [] x q).
          -- apply upto_add_value. now apply (H2 (t, v) (x :: q)).
  Qed.

  Lemma place_in_order_permutation ev l : Permutation (place_in_order ev l) (ev :: l).
  Proof.
    induction l as [|x l IH]; cbn; auto. destruct (fst ev <? fst x); auto.
    rewrite IH. apply perm_swap.
  Qed.

  Lemma event_order_permutation events : Permutation (event_order events) events.
  Proof.
    unfold event_order.
    cut (forall l, Permutation (fold_left (fun l ev => place_in_order ev l) events l) (l ++
      events)); [intro Q; exact (Q [])|].
    induction events as [|ev events IH]; intro l; cbn; [now rewrite app_nil_r|].
    rewrite IH, place_in_order_permutation. cbn. apply Permutation_middle.
  Qed.

  Lemma filter_permutation X (f : X -> bool) l k : Permutation l k -> Permutation (filter f l)
    (filter f k).
  Proof.
    induction 1; cbn; auto; try (destruct (f x)); try (destruct (f y)); eauto using Permutation.
  Qed.

  Lemma event_order_ordered events : ordered events -> event_order events = events.
  Proof.
    unfold event_order. intro H.
    cut (forall q p, events = p ++ q -> fold_left (fun l ev => place_in_order ev l) q p = events);
      [intro Q; now apply Q|].
    induction q as [|x q IH]; intros p ->; cbn; [now rewrite app_nil_r|].
    assert (P : place_in_order x p = p ++ [x]).
    { assert (O : forall y, In y p -> fst y <= fst x).
      { intros y I. apply in_split in I as (p1 & p2 & ->). apply (H p1 y p2 x q).
        now rewrite <- app_assoc. }
      clear H IH. induction p as [|y p IH]; cbn; auto. specialize (O y) as Oy. cbn in Oy.
      destruct (Z.ltb_spec (fst x) (fst y)); [specialize (Oy ltac:(auto)); lia|].
      rewrite IH; auto. intros; apply O; now right. }
    rewrite P. apply IH. now rewrite <- app_assoc.
  Qed.

  Definition all_tuples (s : tuple_slice_list) := concat (map snd s).
  Fixpoint partitions low (s : tuple_slice_list) :=
    match s with
    | [] => True
    | (j, l) :: s' => low <= j /\ l <> [] /\ (forall x, In x l -> cell edges before (fst x) = j) /\
      partitions (j + 1) s'
    end.
  Lemma place_before ev l k : (forall x, In x l -> fst x <= fst ev) -> place_in_order ev (l ++ k) =
    l ++ place_in_order ev k.
  Proof.
    induction l as [|x l IH]; cbn; auto. intro H. destruct (Z.ltb_spec (fst ev) (fst x)).
    - specialize (H x (or_introl eq_refl)). lia.
    - rewrite IH; auto.
  Qed.

  Lemma place_after ev l k : (forall x r, k = x :: r -> fst ev < fst x) -> place_in_order ev (l ++
    k) = place_in_order ev l ++ k.
  Proof.
    intro H. induction l as [|x l IH]; cbn.
    - destruct k as [|x r]; auto. cbn. destruct (Z.ltb_spec (fst ev) (fst x)); auto.
      specialize (H x r eq_refl). lia.
    - destruct (fst ev <? fst x); auto. now rewrite IH.
  Qed.

  Lemma cell_lt t u : cell edges before t < cell edges before u -> t < u.
  Proof. intro H. destruct (Z.lt_ge_cases t u) as [|G]; auto.
  pose proof (@cell_monotone edges before before_all _ _ G). lia. Qed.

  Lemma add_tuple_sound ev s low : low <= cell edges before (fst ev) -> partitions low s ->
    partitions low (add_tuple s ev) /\ all_tuples (add_tuple s ev) = place_in_order ev (all_tuples
      s).
  Proof.
    unfold add_tuple, all_tuples. set (k := cell edges before (fst ev)).
    revert low; induction s as [|[j l] s IH]; intros low Hk H; cbn.
    - repeat split; auto; try easy. intros x [->|[]]. reflexivity.
    - cbn in H. destruct H as (H1 & H2 & H3 & H4).
      destruct (Z.ltb_spec k j); [|destruct (Z.eqb_spec k j)].
      + split.
        * cbn. repeat split; auto; try easy; try lia. intros x [->|[]]. reflexivity.
        * destruct l as [|x l]; [easy|]. cbn. destruct (Z.ltb_spec (fst ev) (fst x)) as [|G]; auto.
          pose proof (H3 x (or_introl eq_refl)).
          pose proof (@cell_monotone edges before before_all _ _ G). unfold k in *. lia.
      + split.
        * cbn. repeat split; auto.
          -- destruct l as [|y l]; cbn; [easy|]. destruct (fst ev <? fst y); easy.
          -- intros x I.
          apply (Permutation_in _ (place_in_order_permutation ev l)) in I as [<-|I]; auto.
        * cbn. symmetry. apply place_after. intros x r Hx.
          destruct s as [|[j' l'] s']; [easy|]. cbn in *. destruct H4 as (H4 & H5 & H6 & _).
          destruct l' as [|y l']; [easy|]. injection Hx as <- _. apply cell_lt.
          rewrite (H6 y (or_introl eq_refl)). unfold k in *. lia.
      + destruct (IH (j + 1) ltac:(lia) H4) as [I1 I2]. split.
        * cbn. auto.
        * cbn. rewrite I2. symmetry. apply place_before. intros x I. apply H3 in I.
          assert (fst x < fst ev); [|lia]. apply cell_lt. unfold k in *. lia.
  Qed.

  Lemma tuple_slices_of_flat events : partitions before (tuple_slices_of events) /\ all_tuples
    (tuple_slices_of events) = event_order events.
  Proof.
    unfold tuple_slices_of, event_order. cut (forall s l, partitions before s -> all_tuples s = l ->
      partitions before (fold_left add_tuple events s) /\ all_tuples (fold_left add_tuple events s)
        = fold_left (fun l ev => place_in_order ev l) events l).
    { intro Q. apply Q; cbn; auto. }
    induction events as [|ev events IH]; intros s l Hs <-; cbn; auto.
    assert (before <= cell edges before (fst ev)).
    { clear -before_all. pose proof (@cell_in edges before (fst ev)) as [Q|I]; [lia|].
      apply before_all in I. lia. }
    destruct (@add_tuple_sound ev s before) as [S1 S2]; auto. exact (IH _ _ S1 S2).
  Qed.

  (** [M4] Slices without tuples, events in order: for any monoid, what slices answer is the
      denotation, the fold of the window's tuples in event order.
      Not claimed: anything of late events, for a monoid that does not commute. *)
  Theorem in_order_slicing a b events : ordered events -> In a edges -> In b edges ->
    answer a b (slices_of events) = denotation a b (event_order events).
  Proof. intros. rewrite event_order_ordered, slices_of_answer; auto. Qed.

  (** [M4] Slices without tuples, events in any order of arrival: for a commutative monoid, what
      slices answer is the denotation. *)
  Theorem commutative_slicing a b events : commutative M -> In a edges -> In b edges ->
    answer a b (slices_of events) = denotation a b (event_order events).
  Proof.
    intros C Ha Hb. rewrite slices_of_answer by auto. unfold denotation.
    apply fold_permutation; auto.
    apply Permutation_map, filter_permutation. symmetry. apply event_order_permutation.
  Qed.

  (** [M4, T1] Slices with tuples, events in any order of arrival: for any monoid, what slices
      answer is the denotation.
      Not claimed: that the code folds a slice anew only if a late event has fallen into it. *)
  Theorem slicing_with_tuples a b events : In a edges -> In b edges ->
    tuple_answer a b (tuple_slices_of events) = denotation a b (event_order events).
  Proof.
    intros Ha Hb. destruct (tuple_slices_of_flat events) as [S <-]. revert S.
    generalize before at 1. induction (tuple_slices_of events) as [|[j l] s IH]; intros low S.
    - reflexivity.
    - destruct S as (_ & _ & H & S). specialize (IH _ S).
      unfold tuple_answer, denotation, all_tuples in *. cbn.
      rewrite filter_app, map_app. folds. unfold event in *. rewrite <- IH.
      assert (F : filter (fun ev => inside a b (fst ev)) l = if inside a b j then l else []).
      { clear -H Ha Hb before_all. induction l as [|x l IH]; cbn; [now destruct (inside a b j)|].
        rewrite IH by (intros; apply H; now right). pose proof (H x (or_introl eq_refl)) as <-.
        rewrite (@inside_cell edges before before_all) by auto. now destruct (inside a b (fst x)). }
      rewrite F. destruct (inside a b j); cbn; now folds.
  Qed.

  (** [T1] The slices with tuples, one after the other, are the tuples in event order. *)
  Theorem slices_partition_tuples events :
    concat (map snd (tuple_slices_of events)) = event_order events.
  Proof. apply tuple_slices_of_flat. Qed.

  Lemma add_value_keys k v s : incl (map fst (add_value k v s)) (k :: map fst s).
  Proof.
    induction s as [|[j w] s IH]; cbn; [firstorder|].
    destruct (k <? j), (k =? j); cbn; intros x; cbn; try tauto.
    intros [|I]; [tauto|]. apply IH in I. cbn in I. tauto.
  Qed.

  (** [M2] There are at most as many slices with tuples as edges, and one more, which is before
      all edges.
      Not claimed: the same of slices without tuples, or that slices are released (M6). *)
  Theorem slices_at_most events : (length (tuple_slices_of events) <= S (length edges))%nat.
  Proof.
    destruct (tuple_slices_of_flat events) as [So _].
    replace (S (length edges)) with (length (before :: edges)) by auto.
    rewrite <- (map_length fst (tuple_slices_of events)).
    apply NoDup_incl_length.
    - revert So. generalize before at 1.
      induction (tuple_slices_of events) as [|[j l] s IH]; intros low So; cbn; constructor.
      + intro I. destruct So as (_ & _ & _ & So). clear -I So. assert (j < j + 1) as J by lia.
        revert J So. generalize (j + 1) as z.
        induction s as [|[i k] s IH]; intros z J So; cbn in *; auto.
        destruct So as (S1 & _ & _ & S4).
        destruct I as [->|I]; [lia|]. apply (IH I (i + 1)); auto. lia.
      + eapply IH. apply So.
    - revert So. generalize before at 1.
      induction (tuple_slices_of events) as [|[j l] s IH]; intros low So; cbn; [easy|].
      destruct So as (_ & H1 & H2 & So). intros x [<-|I]; [|eapply IH; eauto].
      destruct l as [|y l]; [easy|]. rewrite <- (H2 y (or_introl eq_refl)). apply cell_in.
  Qed.
End Slicing.
