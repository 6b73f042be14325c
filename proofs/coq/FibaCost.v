(** Cost of FiBA: the coins of Lemma 9, and the climb from a finger
    Code: optimized/muntin/optimized/btree/amortization.py
    Code: optimized/muntin/optimized/btree/fiba.py
    Text: proofs/amortization.md
    Text: proofs/btree.md
    Text: proofs/fiba.md
    Idealised: steps are counted as nodes made or lost: a split and growing make one node, a merge
    and shrinking lose one. The move that can end an evict makes none, and is not counted. Visits
    and combines are not counted. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaSizes FibaEvictSizes Fiba.
Set Implicit Arguments.

Section Cost.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Let mu2 : 2 <= mu := mu_at_least_2.
  Local Notation call := (@Fiba.call A).

  Fixpoint node_count h : tree h -> Z := match h
    with 0 => fun _ => 0%Z | S h => fun n => (1 + children_sum (node_count h) (snd n))%Z end.
  Definition nodes (f : fiba) : Z := let (h, n) := f in node_count (S h) n.
  (* L1: what each node holds, the root apart *)
  Fixpoint coins h : tree h -> Z := match h with 0 => fun _ => 0%Z | S h => fun n => (reserve
    (@arity A (tree h) n) + children_sum (coins h) (snd n))%Z end.
  Definition root_coins (f : fiba) : Z := let (h, n) :=
    f in (reserve_root (@arity A (tree h) n) + children_sum (coins h) (snd n))%Z.
  Lemma children_sum_split C (f g k : C -> Z) z : (forall c, f c = g c + z * k c)%Z ->
    forall s : children C, (children_sum f s = children_sum g s + z * children_sum k s)%Z.
  Proof.
    intros H [c cs]. unfold children_sum. cbn [fst snd]. rewrite H.
    induction cs as [|[x d] cs IH]; rewrite ?tail_sum_cons; cbn [snd]; [change (tail_sum f []) with
      0%Z; change (tail_sum g []) with 0%Z; change (tail_sum k []) with 0%Z; lia|].
    rewrite H. lia.
  Qed.

  Lemma wealth_split z h n : (wealth z h n = coins h n + z * node_count h n)%Z.
  Proof. revert n; induction h; intro n; [cbn; lia|]. cbn [wealth coins node_count].
  rewrite (children_sum_split _ _ _ z IHh). lia. Qed.

  Lemma root_wealth_split z f : (root_wealth z f = root_coins f + z * nodes f)%Z.
  Proof. destruct f as [h n]. unfold root_wealth, root_coins, nodes. cbn [node_count].
  rewrite (children_sum_split _ _ _ z (wealth_split z h)). lia. Qed.

  Lemma children_sum_nonneg C (f : C -> Z) : (forall c, 0 <= f c)%Z -> forall s : children C,
    (0 <= children_sum f s)%Z.
  Proof. intros H [c cs]. unfold children_sum. cbn [fst snd]. pose proof (H c).
  induction cs as [|[x d] cs IH]; rewrite ?tail_sum_cons; cbn [snd]; [change (tail_sum f [])
    with 0%Z; lia|]. pose proof (H d). lia. Qed.

  Lemma reserve_nonneg a : (0 <= reserve a)%Z.
  Proof. pose proof (reserve_root_least a). lia. Qed.

  Lemma root_coins_nonneg f : (0 <= root_coins f)%Z.
  Proof.
    destruct f as [h n]. unfold root_coins. pose proof (reserve_root_least (@arity A (tree h) n)).
    assert (Hh : forall h n, (0 <= coins h n)%Z).
    { clear - mu2. intro h. induction h; intro n; [cbn; lia|]. cbn [coins].
      pose proof (reserve_nonneg (@arity A (tree h) n)).
      pose proof (children_sum_nonneg _ IHh (snd n)). lia. }
    pose proof (children_sum_nonneg _ (Hh h) (snd n)). lia.
  Qed.

  (** [S2, L2, L3] What an insert spends on splits and growing is paid by what nodes hold and two
      coins. Sizes stay legal. *)
  Theorem insert_coins t v f : root_legal f ->
    root_legal (insert t v f) /\
    (nodes (insert t v f) - nodes f + root_coins (insert t v f) <= root_coins f + 2)%Z.
  Proof.
    intro G. destruct (@insert_sizes A M min t v f G) as [S1 S2]. rewrite !root_wealth_split in S2.
    split; auto. lia.
  Qed.

  (** [S2, L2, L3] What an evict spends on merges and shrinking is paid by what nodes hold and one
      coin; the lemma's second coin is for a move. Sizes stay legal.
      Not claimed: that at most one move ends an evict. *)
  Theorem evict_coins t f : root_legal f ->
    root_legal (evict t f) /\
    (nodes f - nodes (evict t f) + root_coins (evict t f) <= root_coins f + 1)%Z.
  Proof.
    intro G. destruct (@evict_sizes A M min t f G) as [S1 S2]. rewrite !root_wealth_split in S2.
    split; auto. lia.
  Qed.

  (* Nodes made by the inserts of a run and lost by its evicts. *)
  Fixpoint steps (calls : list call) (f : fiba) : Z :=
    match calls with
    | [] => 0
    | c :: later =>
        match c with
        | Insert _ _ => nodes (apply f c) - nodes f
        | Evict _ => nodes f - nodes (apply f c)
        end + steps later (apply f c)
    end.
  Definition bill (c : call) : Z := match c with Insert _ _ => 2 | Evict _ => 1 end.

  Lemma run_coins calls f : root_legal f ->
    (steps calls f + root_coins (fold_left apply calls f)
     <= root_coins f + fold_right (fun c n => bill c + n) 0 calls)%Z.
  Proof.
    revert f; induction calls as [|c calls IH]; intros f G; cbn [steps fold_left fold_right];
      [lia|].
    destruct c; cbn [apply bill].
    - destruct (@insert_coins t v f G) as [S1 S2]. specialize (IH _ S1). lia.
    - destruct (@evict_coins t f G) as [S1 S2]. specialize (IH _ S1). lia.
  Qed.

  (** [L3] After any calls: splits, merges and changes of height are at most two an insert and one
      an evict. This is Lemma 9, amortised, for every smallest arity.
      No call counts below zero: see FibaNodes.v.
      Not claimed: bulk calls (L4). *)
  Theorem run_cost calls : (steps calls new <= fold_right (fun c n => bill c + n) 0 calls)%Z.
  Proof.
    destruct new_relates as (_ & _ & _ & G). pose proof (@run_coins calls _ G) as R.
    pose proof (root_coins_nonneg (fold_left apply calls new)).
    assert (P : root_coins new = 0%Z).
    { unfold root_coins, new, arity, reserve_root. cbn [fst snd length].
      destruct (Nat.leb_spec (2 * mu) 1); [lia|reflexivity]. }
    lia.
  Qed.

  Lemma items_below h (n : tree h) : legal_sizes h n -> mu ^ h <= S (length (contents h n)).
  Proof.
    revert n; induction h; intros n G; [cbn; lia|]. open n a c cs. destruct G as [[G _] [G1 G2]].
    unfold arity in G. cbn [fst snd] in *.
    change (mu * mu ^ h <= S (length (children_contents (contents h) (c, cs)))).
    apply Nat.le_trans with (S (length cs) * mu ^ h); [nia|].
    clear G. specialize (IHh) as I. revert c G1; induction cs as [|[x d] cs IH]; intros c G1.
    - unfold children_contents. cbn [fst snd length]. rewrite tail_contents_nil, app_nil_r.
      specialize (I c G1). lia.
    - rewrite children_contents_cons, app_length. cbn [length]. inversion G2; subst.
      cbn [snd] in *. specialize (IH H2 d H1). specialize (I c G1). cbn [Nat.mul] in *. lia.
  Qed.

  (* Where the climb from the left finger ends: at the lowest node of the left spine whose part of
     the window has the time in it. A leaf is at 1 here. *)
  Fixpoint climb h t : tree h -> nat :=
    match h with
    | 0 => fun _ => 0
    | S h => fun n => match snd (snd n) with
                      | (x, _) :: _ => if (t <? fst x)%Z then climb h t (fst (snd n)) else S h
                      | [] => S h
                      end
    end.
  (** [T2] In a tree all of whose nodes are of legal size, as in those below the root: if the climb
      from the left finger ends at height j, then at least mu ^ (j - 1) - 1 items
      are at or before the time: so it is logarithmic in the distance from that end.
      Not claimed: the way down, and visits. *)
  Theorem climb_bound h t (n : tree (S h)) : legal_sizes (S h) n -> rising (contents (S h) n) ->
    mu ^ (climb (S h) t n - 1) <= S (length (filter (fun y => fst y <=? t)%Z (contents (S h) n))).
  Proof.
    revert n; induction h; intros n G R; open n a c cs; pose proof (@some_children A min _ _ G)
      as N; cbn [fst snd] in N; destruct cs as [|[x d] cs]; try easy.
    - cbn [climb fst snd]. destruct (t <? fst x)%Z; cbn; lia.
    - change (contents (S (S h)) (a, (c, (x, d) :: cs)))
        with (children_contents (contents (S h)) (c, (x, d) :: cs)) in *.
      rewrite children_contents_cons in *.
      apply in_children_contents in R as (R1 & R2 & R3 & R4). destruct G as [_ [G1 _]].
      cbn [fst] in G1.
      change (climb (S (S h)) t (a, (c, (x, d) :: cs))) with (if (t <? fst x)%Z
        then climb (S h) t c else S (S h)).
      rewrite filter_app, app_length. destruct (Z.ltb_spec t (fst x)).
      + specialize (IHh c G1 R1). lia.
      + assert (E : filter (fun y => fst y <=? t)%Z (contents (S h) c) = contents (S h) c).
        { clear -R3 H. induction (contents (S h) c) as [|y l IH]; cbn; auto.
          pose proof (R3 y (or_introl eq_refl)).
          destruct (Z.leb_spec (fst y) t); [|lia]. rewrite IH; auto. intros; apply R3; now right. }
        rewrite E. pose proof (@items_below (S h) c G1). replace (S (S h) - 1) with (S h) by lia.
        lia.
  Qed.
  (* The climb from the right finger, likewise. *)
  Fixpoint climb_right h t : tree h -> nat :=
    match h with
    | 0 => fun _ => 0
    | S h => fun n =>
        match split_last (snd (snd n)) with
        | Some (_, (x, d)) => if (fst x <? t)%Z then climb_right h t d else S h
        | None => S h
        end
    end.

  (** [T2] The mirror image: if the climb from the right finger ends at height j, then at least
      mu ^ (j - 1) - 1 items are at or after the time.
      Not claimed: the way down, and visits. *)
  Theorem climb_right_bound h t (n : tree (S h)) :
    legal_sizes (S h) n -> rising (contents (S h) n) ->
    mu ^ (climb_right (S h) t n - 1)
    <= S (length (filter (fun y => t <=? fst y)%Z (contents (S h) n))).
  Proof.
    revert n; induction h; intros n G R; open n a c cs;
      pose proof (@some_children A min _ _ G) as N; cbn [fst snd] in N;
      pose proof (split_last_spec cs) as U.
    - cbn [climb_right fst snd]. clear U.
      match goal with |- context [match ?o with Some _ => _ | None => _ end] => destruct o end.
      + destruct p as [i [x d]]. destruct (fst x <? t)%Z; cbn; lia.
      + cbn. lia.
    - change (climb_right (S (S h)) t (a, (c, cs))) with
        (match split_last cs with
         | Some (_, (x, d)) => if (fst x <? t)%Z then climb_right (S h) t d else S (S h)
         | None => S (S h)
         end).
      destruct (split_last cs) as [[i [x d]]|]; [|easy]. subst cs.
      assert (E : contents (S (S h)) (a, (c, i ++ [(x, d)]))
        = children_contents (contents (S h)) (c, i) ++ x :: contents (S h) d).
      { change (contents (S (S h)) (a, (c, i ++ [(x, d)])))
          with (children_contents (contents (S h)) (c, i ++ [(x, d)])).
        unfold children_contents. cbn [fst snd]. rewrite tail_contents_app, <- app_assoc.
        f_equal. f_equal. rewrite tail_contents_cons, tail_contents_nil. now rewrite app_nil_r. }
      rewrite E in *. apply rising_app in R as (_ & [R2 R3] & _).
      assert (G1 : legal_sizes (S h) d).
      { destruct G as [_ [_ G]]. cbn [snd] in G. apply Forall_app in G as [_ G].
        now inversion G. }
      rewrite filter_app, app_length. cbn [filter]. destruct (Z.ltb_spec (fst x) t).
      + specialize (IHh d G1 R3). destruct (t <=? fst x)%Z; cbn [length]; lia.
      + assert (F : filter (fun y => t <=? fst y)%Z (contents (S h) d) = contents (S h) d).
        { clear -R2 H. induction (contents (S h) d) as [|y l IH]; cbn; auto.
          pose proof (R2 y (or_introl eq_refl)). destruct (Z.leb_spec t (fst y)); [|lia].
          rewrite IH; auto. intros; apply R2; now right. }
        rewrite F. pose proof (@items_below (S h) d G1).
        replace (S (S h) - 1) with (S h) by lia. destruct (t <=? fst x)%Z; cbn [length]; lia.
  Qed.
End Cost.
