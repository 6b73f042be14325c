(** Sizes and coins of FiBA: insert
    Code: optimized/muntin/optimized/btree/rebalance.py
    Code: optimized/muntin/optimized/btree/amortization.py
    Text: proofs/amortization.md
    Idealised: as in FibaTree.v; a move, which makes and loses no node, is not counted. *)
From Muntin Require Import Monoid FibaTree.
Set Implicit Arguments.

Section Sizes.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation pieces := (@FibaTree.pieces A).
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Let mu2 : 2 <= mu := mu_at_least_2.
  Section Below.
    Variables (C : Type) (Q : C -> Prop) (f : C -> Z).
    Local Notation all_children := (all_children Q).
    (* what the children have of something, all together *)
    Definition tail_sum (cs : list (entry * C)) := fold_right (fun p n => (f (snd p) + n)%Z) 0%Z cs.
    Definition children_sum (s : children C) := (f (fst s) + tail_sum (snd s))%Z.
    Definition all_pieces (r : pieces C) := match r with One c => Q c | Two c _ d => Q c /\ Q d end.
    Definition pieces_sum (r : pieces C) := match r
      with One c => f c | Two c _ d => (f c + f d + 2)%Z end.
    Arguments children_sum : simpl never.
    Lemma tail_sum_app l k : tail_sum (l ++ k) = (tail_sum l + tail_sum k)%Z.
    Proof. unfold tail_sum. induction l; cbn in *; lia. Qed.

    Lemma insert_below_sizes ci t v : (forall c, Q c -> all_pieces (ci c) /\ (pieces_sum (ci c)
      <= f c + 2)%Z) ->
      forall cs c, all_children (c, cs) -> all_children (insert_below ci t v c cs) /\
        (length (snd (insert_below ci t v c cs)) = length cs /\
          (children_sum (insert_below ci t v c cs) <= children_sum (c, cs) + 2)%Z \/
         length (snd (insert_below ci t v c cs)) = S (length cs) /\
           (children_sum (insert_below ci t v c cs) <= children_sum (c, cs))%Z).
    Proof.
      intro H.
      assert (Hput : forall c cs, all_children (c, cs) -> all_children (put_pieces (ci c) cs) /\
        (length (snd (put_pieces (ci c) cs)) = length cs /\
          (children_sum (put_pieces (ci c) cs) <= children_sum (c, cs) + 2)%Z \/
         length (snd (put_pieces (ci c) cs)) = S (length cs) /\
           (children_sum (put_pieces (ci c) cs) <= children_sum (c, cs))%Z)).
      { intros c cs [H1 H2]. cbn in *. destruct (H c H1) as [R1 R2].
        unfold all_children, children_sum in *. destruct (ci c); cbn in *.
        - split; auto. left. lia.
        - destruct R1. split; auto. right. lia. }
      induction cs as [|[x d] cs IH]; intros c G; cbn [insert_below]; [now apply Hput|].
      destruct (t <? fst x)%Z; [now apply Hput|]. destruct (t =? fst x)%Z.
      - unfold all_children, children_sum in *. cbn in *. destruct G as [G1 G2].
        inversion G2; subst. cbn in *. split; auto. left. lia.
      - destruct G as [G1 G2]. inversion G2; subst. cbn in *.
        destruct (IH d) as [I1 I2]; [split; auto|].
        destruct (insert_below ci t v d cs) as [d' ds]. unfold all_children, children_sum in *.
        cbn in *. destruct I1. split; auto.
        destruct I2 as [[I2 I3]|[I2 I3]]; [left|right]; lia.
    Qed.
  End Below.
  Arguments children_sum : simpl never.
  Arguments tail_sum : simpl never.
  Lemma tail_sum_cons C (f : C -> Z) p l : tail_sum f (p :: l) = (f (snd p) + tail_sum f l)%Z.
  Proof. reflexivity. Qed.

  (* c(a): the coins that a node of arity a holds, and the root of arity a *)
  Definition reserve a : Z :=
    if 2 * mu <=? a then 2 + 2 * (Z.of_nat a - 2 * Z.of_nat mu)
    else if a <? mu then 2 else if a =? mu then 1 else 0.
  Definition reserve_root a : Z :=
    if 2 * mu <=? a then 2 + 2 * (Z.of_nat a - 2 * Z.of_nat mu) else 0.
  Arguments reserve : simpl never.
  Arguments reserve_root : simpl never.
  (* The coins of a tree, and k for each node: splits and growing make nodes, merges and shrinking
     lose them. So with k = 1 what an insert may add to this is its bill, and with k = -1 what an
     evict may. *)
  Fixpoint wealth k h : tree h -> Z :=
    match h with 0 => fun _ => 0%Z | S h => fun n => (k + reserve (@arity A (tree h) n) +
      children_sum (wealth k h) (snd n))%Z end.
  Lemma split_sizes h (s : children (tree h)) m w : mu <= S m <= 2 * mu ->
    all_children (legal_sizes h) s ->
    (length (snd s) = m /\ (children_sum (wealth 1 h) s <= w + 2)%Z \/ length (snd s) = S m /\
      (children_sum (wealth 1 h) s <= w)%Z) ->
    all_pieces (legal_sizes (S h)) (split (aggregate h) s) /\
      (pieces_sum (wealth 1 (S h)) (split (aggregate h) s) <= 1 + reserve (S m) + w + 2)%Z.
  Proof.
    intros Hm G D. destruct s as [c cs]. unfold split. cbn [fst snd] in *.
    destruct (Nat.ltb_spec (length cs) (2 * mu)).
    - cbn. unfold arity, legal. cbn. split.
      + split; auto. destruct D; lia.
      + destruct D as [[-> D]|[E D]]; [lia|]. rewrite E. unfold reserve.
        destruct (Nat.leb_spec (2 * mu) (S (S m))), (Nat.leb_spec (2 * mu) (S m)),
          (Nat.ltb_spec (S (S m)) mu), (Nat.ltb_spec (S m) mu), (Nat.eqb_spec (S (S m)) mu),
          (Nat.eqb_spec (S m) mu); try lia.
    - destruct D as [[E D]|[E D]]; [lia|]. assert (S m = 2 * mu) by lia.
      destruct (skipn mu cs) as [|[x d] rest] eqn:K.
      { apply (f_equal (@length _)) in K. rewrite skipn_length in K. cbn in K. lia. }
      assert (F : length (firstn mu cs) = mu) by (rewrite firstn_length; lia).
      assert (R : length rest = mu - 1).
      { apply (f_equal (@length _)) in K. rewrite skipn_length in K. cbn in K. lia. }
      pose proof (firstn_skipn mu cs) as Z0. rewrite K in Z0. clear K. revert Z0 F.
      generalize (firstn mu cs) as i. intros i <- F.
      destruct G as [G1 G2]. cbn in G1, G2. apply Forall_app in G2 as [G2 G3]. inversion G3; subst.
      cbn in *.
      unfold arity, legal, all_children, children_sum in *. cbn in *.
      rewrite tail_sum_app, tail_sum_cons in D. cbn in D. repeat split; auto; try lia.
      rewrite F, R. unfold children_sum. cbn. unfold reserve.
      destruct (Nat.leb_spec (2 * mu) (S mu)), (Nat.leb_spec (2 * mu) (S (mu - 1))),
        (Nat.leb_spec (2 * mu) (S m)), (Nat.ltb_spec (S mu) mu), (Nat.ltb_spec (S (mu - 1)) mu),
        (Nat.eqb_spec (S mu) mu), (Nat.eqb_spec (S (mu - 1)) mu); lia.
  Qed.

  Lemma insert_in_good h t v n : legal_sizes h n ->
    all_pieces (legal_sizes h) (insert_in h t v n) /\
    (pieces_sum (wealth 1 h) (insert_in h t v n) <= wealth 1 h n + 2)%Z.
  Proof.
    revert n; induction h; intros n H; [cbn; auto with zarith|]. open n a c cs.
    destruct H as [H1 H2].
    destruct (@insert_below_sizes _ (legal_sizes h) (wealth 1 h) (insert_in h t v) t v IHh cs c H2)
      as [W1 W2].
    apply (@split_sizes h (insert_below (insert_in h t v) t v c cs) (length cs) (children_sum
      (wealth 1 h) (c, cs))); auto.
  Qed.

  Definition root_wealth k (f : fiba) : Z := let (h, n) :=
    f in (k + reserve_root (@arity A (tree h) n) + children_sum (wealth k h) (snd n))%Z.

  Lemma map_last_sizes C (Q : C -> Prop) (w : C -> Z) (f : C -> C) :
    (forall c, Q c -> Q (f c)) -> (forall c, w (f c) = w c) -> forall cs c,
    (all_children Q (c, cs) -> all_children Q (map_last f c cs)) /\
      children_sum w (map_last f c cs) = children_sum w (c, cs) /\
    length (snd (map_last f c cs)) = length cs.
  Proof.
    intros H1 H2. induction cs as [|[x d] cs IH]; intro c; cbn [map_last].
    - unfold all_children, children_sum. cbn. rewrite H2. repeat split; auto; try tauto.
      destruct H; auto.
    - destruct (IH d) as (I1 & I2 & I3). destruct (map_last f d cs) as [d' ds].
      unfold all_children, children_sum in *. cbn in *.
      rewrite !tail_sum_cons. cbn. repeat split; try lia; destruct H as [G1 G2]; auto.
      inversion G2; subst. destruct I1; auto.
  Qed.

  Lemma repair_left_sizes k h g n : (legal_sizes h n -> legal_sizes h (repair_left h g n)) /\
    wealth k h (repair_left h g n) = wealth k h n.
  Proof.
    revert g n; induction h; intros g n; [auto|]. open n a c cs.
    cbn [repair_left legal_sizes wealth fst snd]. unfold arity. cbn [fst snd].
    destruct (IHh (fold_tail (aggregate h) cs ** g) c) as [I1 I2]. split.
    - intros [H1 [H2 H3]]. repeat split; cbn; auto; apply H1.
    - unfold children_sum. cbn. now rewrite I2.
  Qed.

  Lemma repair_right_sizes k h g n : (legal_sizes h n -> legal_sizes h (repair_right h g n)) /\
    wealth k h (repair_right h g n) = wealth k h n.
  Proof.
    revert g n; induction h; intros g n; [auto|]. open n a c cs.
    cbn [repair_right legal_sizes wealth fst snd]. unfold arity. cbn [fst snd].
    set (a' := g ** _).
    destruct (@map_last_sizes _ (legal_sizes h) (wealth k h) (repair_right h a')) with (cs :=
      cs) (c := c) as (I1 & I2 & I3).
    - apply IHh.
    - apply IHh.
    - rewrite I2, I3. split; auto. intros [H1 H2]. auto.
  Qed.

  Lemma repair_sizes k h (n : tree (S h)) : root_legal (existT _ h n) ->
    root_legal (existT _ h (repair h n)) /\ root_wealth k (existT _ h (repair h n))
    = root_wealth k (existT _ h n).
  Proof.
    open n a c cs. unfold root_legal, root_wealth, repair, arity. cbn [fst snd].
    intros (H1 & H2 & H3).
    destruct (@map_last_sizes _ (legal_sizes h) (wealth k h) (repair_right h (identity M)))
      with (cs := cs) (c := repair_left h (identity M) c) as (I1 & I2 & I3).
    - intro; apply (@repair_right_sizes k).
    - intro; apply repair_right_sizes.
    - rewrite I2, I3. destruct (@repair_left_sizes k h (identity M) c) as [L1 L2]. split.
      + split; [auto|]. split; [auto|]. apply I1. destruct H3. split; cbn; auto.
      + unfold children_sum. cbn. now rewrite L2.
  Qed.

  (* S2, S3 and L1 to L3: what is spent on splits and on growing is paid by 2 coins an insert *)
  Lemma root_insert h t v (n : tree (S h)) : root_legal (existT _ h n) ->
    match insert_in (S h) t v n with
    | One n' => root_legal (existT _ h n') /\ (root_wealth 1 (existT _ h n')
      <= root_wealth 1 (existT _ h n) + 2)%Z
    | Two a x b => legal_sizes (S h) a /\ legal_sizes (S h) b /\
      (wealth 1 (S h) a + wealth 1 (S h) b + 1 <= root_wealth 1 (existT _ h n) + 1)%Z
    end.
  Proof.
    open n g c cs. unfold root_legal, root_wealth, arity. cbn [fst snd]. intros (H1 & H2 & H3).
    destruct (@insert_below_sizes _ (legal_sizes h) (wealth 1 h) (insert_in h t v) t v)
      with (cs := cs) (c := c) as [W1 W2]; auto using insert_in_good.
    cbn [insert_in fst snd].
    pose proof (@split_sizes h (insert_below (insert_in h t v) t v c cs) (length cs) (children_sum
      (wealth 1 h) (c, cs))) as S1.
    unfold split in *. destruct (insert_below _ t v c cs) as [c' cs']. cbn [fst snd] in *.
    destruct (Nat.ltb_spec (length cs') (2 * mu)).
    - cbn [node_of fst snd]. repeat split; try apply W1; try lia.
      destruct W2 as [[-> D]|[E D]]; [lia|]. rewrite E. unfold reserve_root.
      destruct (Nat.leb_spec (2 * mu) (S (S (length cs)))),
        (Nat.leb_spec (2 * mu) (S (length cs))); lia.
    - destruct W2 as [[E D]|[E D]]; [lia|]. assert (K : S (length cs) = 2 * mu) by lia.
      destruct (skipn mu cs') as [|[x d] rest] eqn:F.
      { exfalso. apply (f_equal (@length _)) in F. rewrite skipn_length in F. cbn in F. lia. }
      destruct S1 as [S1 S2]; auto; [lia|]. cbn [all_pieces pieces_sum] in *.
      destruct S1 as [Sa Sb]. split; [exact Sa|split; [exact Sb|]].
      rewrite K in *. unfold reserve, reserve_root in *. rewrite Nat.leb_refl in *. lia.
  Qed.

  Lemma insert_sizes t v f : root_legal f -> root_legal (insert t v f) /\
    (root_wealth 1 (insert t v f) <= root_wealth 1 f + 2)%Z.
  Proof.
    destruct f as [h n]. intro G. pose proof (@root_insert h t v n G) as R. unfold insert.
    destruct (insert_in (S h) t v n) as [n'|a x b].
    - destruct R as [R1 R2]. destruct (@repair_sizes 1 h n' R1) as [Q1 ->]. auto.
    - destruct R as (R1 & R2 & R3).
      destruct (@repair_sizes 1 (S h) (make (S h) (a, [(x, b)]))) as [Q1 Q2].
      + cbn. unfold arity. cbn. repeat split; auto; try lia; try apply R1. constructor; auto.
      + split; auto. rewrite Q2. revert R3. generalize (root_wealth 1 (existT _ h n)) as W.
        intros W R3.
        change ((1 + reserve_root 2 + (wealth 1 (S h) a + (wealth 1 (S h) b + 0)) <= W + 2)%Z).
        unfold reserve_root at 1. destruct (Nat.leb_spec (2 * mu) 2); lia.
  Qed.

End Sizes.
