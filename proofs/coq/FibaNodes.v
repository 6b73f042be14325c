(** Nodes of FiBA: inserts make them, evicts lose them
    Code: optimized/muntin/optimized/btree/rebalance.py
    Text: proofs/amortization.md
    Idealised: as in FibaCost.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaSizes Fiba FibaCost.
Set Implicit Arguments.

Section Nodes.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Local Notation node_count := (@FibaCost.node_count A).
  Local Open Scope Z_scope.

  (* Repairs make and lose none. *)
  Lemma repair_nodes h (n : tree (S h)) : node_count (S h) (repair h n) = node_count (S h) n.
  Proof.
    open n a c cs. unfold repair. cbn [FibaCost.node_count fst snd].
    assert (E : forall g h (n : tree h), node_count h (repair_right h g n) = node_count h n).
    { intros g k m. pose proof (proj2 (@repair_right_sizes A M min 0 k g m)) as Z0.
      pose proof (proj2 (@repair_right_sizes A M min 1 k g m)) as Z1.
      rewrite !wealth_split in Z0, Z1. lia. }
    assert (F : forall g h (n : tree h), node_count h (repair_left h g n) = node_count h n).
    { intros g k m. pose proof (proj2 (@repair_left_sizes A M min 0 k g m)) as Z0.
      pose proof (proj2 (@repair_left_sizes A M min 1 k g m)) as Z1.
      rewrite !wealth_split in Z0, Z1. lia. }
    assert (G : forall c (cs : list (entry * tree h)),
      children_sum (node_count h) (map_last (repair_right h (identity M)) c cs)
      = children_sum (node_count h) (c, cs)).
    { intros k ks. revert k. induction ks as [|[x d] ks IH]; intro k; cbn [map_last].
      - unfold children_sum. cbn. now rewrite E.
      - specialize (IH d). destruct (map_last _ d ks) as [d' ds].
        unfold children_sum in *. cbn [fst snd] in *. rewrite !tail_sum_cons. cbn [snd]. lia. }
    rewrite G. unfold children_sum. cbn [fst snd]. now rewrite F.
  Qed.

  Definition pieces_nodes C (f : C -> Z) (r : FibaTree.pieces (A := A) C) :=
    match r with One c => f c | Two c _ d => f c + f d end.

  Lemma insert_below_nodes C (f : C -> Z) ci t v : (forall c, f c <= pieces_nodes f (ci c)) ->
    forall (cs : list (entry * C)) c,
    children_sum f (c, cs) <= children_sum f (insert_below ci t v c cs).
  Proof.
    intro H.
    assert (P : forall c (cs : list (entry * C)),
      children_sum f (c, cs) <= children_sum f (put_pieces (ci c) cs)).
    { intros c cs. specialize (H c). unfold children_sum.
      destruct (ci c); cbn [put_pieces pieces_nodes fst snd] in *; rewrite ?tail_sum_cons;
        cbn [snd]; lia. }
    induction cs as [|[x d] cs IH]; intro c; cbn [insert_below]; [apply P|].
    destruct (t <? fst x); [apply P|]. destruct (t =? fst x).
    - unfold children_sum. cbn [fst snd]. rewrite !tail_sum_cons. cbn [snd]. lia.
    - specialize (IH d). destruct (insert_below ci t v d cs) as [d' ds].
      unfold children_sum in *. cbn [fst snd] in *. rewrite !tail_sum_cons. cbn [snd]. lia.
  Qed.

  Lemma insert_in_nodes h t v (n : tree h) :
    node_count h n <= pieces_nodes (node_count h) (insert_in h t v n).
  Proof.
    revert n; induction h; intro n; [cbn; lia|]. open n a c cs.
    cbn [insert_in fst snd]. cbn [FibaCost.node_count snd].
    pose proof (@insert_below_nodes _ (node_count h) (insert_in h t v) t v IHh cs c) as I.
    destruct (insert_below (insert_in h t v) t v c cs) as [c' cs']. unfold split. cbn [fst snd].
    destruct (length cs' <? 2 * mu)%nat; [cbn; lia|].
    destruct (skipn mu cs') as [|[x d] rest] eqn:K; [cbn; lia|].
    rewrite <- (firstn_skipn mu cs'), K in I. unfold node_of.
    cbn [pieces_nodes FibaCost.node_count fst snd]. unfold children_sum in *. cbn [fst snd] in *.
    rewrite tail_sum_app, tail_sum_cons in I. cbn [snd] in I. lia.
  Qed.

  (** [L3] An insert loses no node, so what it makes is what it spends. *)
  Theorem insert_makes_nodes t v (f : fiba) : nodes f <= nodes (insert t v f).
  Proof.
    destruct f as [h n]. unfold insert, nodes. pose proof (@insert_in_nodes (S h) t v n) as I.
    destruct (insert_in (S h) t v n) as [n'|a x b].
    - now rewrite repair_nodes.
    - rewrite repair_nodes. cbn [pieces_nodes] in I.
      assert (E : node_count (S (S h)) (make (S h) (a, [(x, b)]))
        = 1 + (node_count (S h) a + (node_count (S h) b + 0))) by reflexivity.
      rewrite E. lia.
  Qed.

  Lemma sum_pair C (f : C -> Z) c (cs : list (entry * C)) :
    children_sum f (c, cs) = f c + tail_sum f cs.
  Proof. reflexivity. Qed.

  Lemma count_node h g (c : tree h) (cs : list (entry * tree h)) :
    node_count (S h) (g, (c, cs)) = 1 + (node_count h c + tail_sum (node_count h) cs).
  Proof. reflexivity. Qed.

  Lemma sum_none C (f : C -> Z) : @tail_sum A C f [] = 0.
  Proof. reflexivity. Qed.

  Ltac sums :=
    unfold node_of; cbn [fst snd];
    repeat (rewrite ?sum_pair, ?tail_sum_app, ?tail_sum_cons, ?count_node,
      ?sum_none; cbn [fst snd]);
    try lia; try (repeat first [eassumption | apply Z.le_refl | apply Z.add_le_mono]).

  (* A move keeps the nodes, a merge loses one. *)
  Lemma join_younger_nodes h (c : tree (S h)) x (d : tree (S h)) cs :
    children_sum (node_count (S h)) (join_younger (aggregate h) c x d cs)
    <= node_count (S h) c + children_sum (node_count (S h)) (d, cs).
  Proof.
    open c g c0 ci. open d g' d0 di. unfold join_younger. cbn [snd].
    destruct (_ <? _)%nat; [destruct (_ <? _)%nat; [destruct di as [|[y d1] ds]|]|]; sums.
  Qed.

  Lemma join_older_nodes h (c : tree (S h)) x (d : tree (S h)) :
    children_sum (node_count (S h)) (join_older (aggregate h) c x d)
    <= node_count (S h) c + node_count (S h) d.
  Proof.
    open c g c0 ci. open d g' d0 di. unfold join_older. cbn [snd].
    destruct (_ <? _)%nat; [destruct (_ <? _)%nat|]; [|sums|sums].
    pose proof (split_last_spec ci) as U. destruct (split_last ci) as [[i [y k]]|]; [subst|]; sums.
  Qed.

  Section Below.
    Variables (h : nat) (cd : tree (S h) -> tree (S h)).
    Variables (first last : tree (S h) -> entry * tree (S h)) (t : Z).
    Local Notation count := (node_count (S h)).
    Hypothesis cd_loses : forall c, count (cd c) <= count c.
    Hypothesis first_loses : forall c, count (snd (first c)) <= count c.
    Hypothesis last_loses : forall c, count (snd (last c)) <= count c.

    Lemma evict_below_nodes (cs : list (entry * tree (S h))) c :
      children_sum count (evict_below (aggregate h) cd first last t c cs)
      <= children_sum count (c, cs).
    Proof.
      revert c; induction cs as [|[x d] cs IH]; intro c; cbn [evict_below].
      - specialize (cd_loses c). sums.
      - destruct (t <? fst x).
        + pose proof (@join_younger_nodes h (cd c) x d cs) as H. specialize (cd_loses c).
          apply (Z.le_trans _ _ _ H). clear H. sums.
        + destruct (t =? fst x).
          1: match goal with |- context [if ?b then _ else _] => destruct b end.
          * specialize (first_loses d). destruct (first d) as [y d']. cbn [snd] in *. sums.
          * specialize (last_loses c). destruct (last c) as [y c']. cbn [snd] in *.
            pose proof (@join_younger_nodes h c' y d cs) as H. apply (Z.le_trans _ _ _ H). clear H.
            sums.
          * destruct cs as [|p cs].
            -- pose proof (@join_older_nodes h c x (cd d)) as H. specialize (cd_loses d).
            apply (Z.le_trans _ _ _ H). clear H. sums.
            -- specialize (IH d).
               destruct (evict_below (aggregate h) cd first last t d (p :: cs)) as [d' ds].
               revert IH. destruct p. sums.
    Qed.

    Lemma take_first_below_nodes (cs : list (entry * tree (S h))) c :
      children_sum count (snd (take_first_below (aggregate h) first c cs))
      <= children_sum count (c, cs).
    Proof.
      clear cd cd_loses last last_loses.
      unfold take_first_below. specialize (first_loses c). destruct (first c) as [y c'].
      cbn [snd] in *. destruct cs as [|[x d] cs]; cbn [snd]; [sums|].
      pose proof (@join_younger_nodes h c' x d cs) as H. apply (Z.le_trans _ _ _ H). clear H. sums.
    Qed.

    Lemma take_last_below_nodes (cs : list (entry * tree (S h))) c :
      children_sum count (snd (take_last_below (aggregate h) last c cs))
      <= children_sum count (c, cs).
    Proof.
      clear cd cd_loses first first_loses.
      revert c; induction cs as [|[x d] cs IH]; intro c; cbn [take_last_below].
      - specialize (last_loses c). destruct (last c) as [y c']. cbn [snd] in *. sums.
      - destruct cs as [|p cs].
        + specialize (last_loses d). destruct (last d) as [y d']. cbn [snd] in *.
          pose proof (@join_older_nodes h c x d') as H. apply (Z.le_trans _ _ _ H). clear H. sums.
        + specialize (IH d).
          destruct (take_last_below (aggregate h) last d (p :: cs)) as [y [d' ds]].
          cbn [fst snd] in *. revert IH. destruct p. sums.
    Qed.
  End Below.

  Lemma leaf_count a cs : node_count 1 (a, (tt, cs)) = 1.
  Proof. rewrite count_node. induction cs as [|[x d] cs IH]; sums. cbn in *. lia. Qed.

  Lemma take_first_nodes h (n : tree (S h)) :
    node_count (S h) (snd (take_first h n)) <= node_count (S h) n.
  Proof.
    revert n; induction h; intro n; open n a c cs; cbn [take_first fst snd].
    - destruct c.
      destruct cs as [|[y d] cs]; cbn [snd]; unfold make, node_of; rewrite !leaf_count; lia.
    - pose proof (@take_first_below_nodes h (take_first h) IHh cs c) as I.
      destruct (take_first_below _ _ _ _) as [y [c' cs']]. cbn [snd] in *. unfold make.
      revert I. sums.
  Qed.

  Lemma take_last_nodes h (n : tree (S h)) :
    node_count (S h) (snd (take_last h n)) <= node_count (S h) n.
  Proof.
    revert n; induction h; intro n; open n a c cs; cbn [take_last fst snd].
    - destruct c. destruct (split_last cs) as [[i [y d]]|]; cbn [snd]; unfold make, node_of;
        rewrite !leaf_count; lia.
    - pose proof (@take_last_below_nodes h (take_last h) IHh cs c) as I.
      destruct (take_last_below _ _ _ _) as [y [c' cs']]. cbn [snd] in *. unfold make.
      revert I. sums.
  Qed.

  Lemma evict_in_nodes h t (n : tree (S h)) :
    node_count (S h) (evict_in h t n) <= node_count (S h) n.
  Proof.
    revert n; induction h; intro n; open n a c cs; cbn [evict_in fst snd].
    - destruct c. unfold make, node_of. rewrite !leaf_count. lia.
    - pose proof (@evict_below_nodes h (evict_in h t) (take_first h) (take_last h) t IHh
        (@take_first_nodes h) (@take_last_nodes h) cs c) as I.
      destruct (evict_below _ _ _ _ _ _ _) as [c' cs']. unfold make. revert I. sums.
  Qed.

  (** [L3] An evict makes no node, so what it loses is what it spends. *)
  Theorem evict_loses_nodes t (f : fiba) : nodes (evict t f) <= nodes f.
  Proof.
    destruct f as [h n]. unfold evict, nodes. pose proof (@evict_in_nodes h t n) as I.
    destruct h; cbn [shrink]; [now rewrite repair_nodes|].
    destruct (evict_in (S h) t n) as [g [c cs]]. cbn [fst snd]. destruct cs as [|p cs].
    - rewrite repair_nodes. revert I. sums.
    - rewrite repair_nodes. exact I.
  Qed.
End Nodes.
