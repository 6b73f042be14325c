(** Sizes and coins of FiBA: evict
    Code: optimized/muntin/optimized/btree/rebalance.py
    Code: optimized/muntin/optimized/btree/amortization.py
    Text: proofs/amortization.md
    Idealised: as in FibaSizes.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaSizes.
Set Implicit Arguments.

Section EvictSizes.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).
  Let mu2 : 2 <= mu := mu_at_least_2.
  Lemma reserve_under a : a < mu -> reserve a = 2%Z.
  Proof. intro. unfold reserve. destruct (Nat.leb_spec (2 * mu) a), (Nat.ltb_spec a mu); lia. Qed.

  Lemma reserve_least a : a = mu -> reserve a = 1%Z.
  Proof.
    intro. unfold reserve.
    destruct (Nat.leb_spec (2 * mu) a), (Nat.ltb_spec a mu), (Nat.eqb_spec a mu); lia.
  Qed.

  Lemma reserve_between a : mu < a < 2 * mu -> reserve a = 0%Z.
  Proof.
    intro. unfold reserve.
    destruct (Nat.leb_spec (2 * mu) a), (Nat.ltb_spec a mu), (Nat.eqb_spec a mu); lia.
  Qed.

  Lemma reserve_less a : (reserve a <= reserve (S a) + 1)%Z.
  Proof.
    unfold reserve.
    destruct (Nat.leb_spec (2 * mu) a), (Nat.leb_spec (2 * mu) (S a)), (Nat.ltb_spec a mu),
      (Nat.ltb_spec (S a) mu), (Nat.eqb_spec a mu), (Nat.eqb_spec (S a) mu); lia.
  Qed.

  (* A node that has lost an entry has one child less at most, and one coin more at most, the nodes
     that were lost below it included. *)
  Section Below.
    Variable h : nat.
    Let w := @wealth A min (-1) (S h).
    Let Q := @legal_sizes A min (S h).
    Definition post (c c' : tree (S h)) :=
      @arity A (tree h) c' <= @arity A (tree h) c <= S (@arity A (tree h) c') /\
        all_children (legal_sizes h) (snd c') /\ (w c' <= w c + 1)%Z.
    (* what nodes hold, where their sizes say it; and one child less costs at most one coin *)
    Ltac coins :=
      try change (@tail_sum A (node (tree h)) w) with (@tail_sum A (tree (S h)) w) in *;
      unfold legal, arity in *; cbn [fst snd length] in *;
      rewrite ?app_length, ?Nat.add_1_r in *; cbn [length] in *; rewrite ?Nat.add_1_r in *;
      repeat match goal with
             | |- context [reserve ?a] =>
                 first [ rewrite (@reserve_under a) by lia | rewrite (@reserve_least a) by lia
                       | rewrite (@reserve_between a) by lia ]
             end;
      try match goal with
          | |- context [reserve (S (S (length ?l)))] => pose proof (reserve_less (S (length l)))
          end;
      lia.
    Lemma w_node a (c : tree h) (cs : list (entry * tree h)) : w (a, (c, cs))
      = (-1 + reserve (S (length cs)) + (wealth (-1) h c + tail_sum (wealth (-1) h) cs))%Z.
    Proof. reflexivity. Qed.

    Lemma join_younger_sizes (c : tree (S h)) x (d : tree (S h)) (cs : list (entry * tree (S h))) :
      @arity A (tree h) c <= 2 * mu -> mu <= S (@arity A (tree h) c) ->
      all_children (legal_sizes h) (snd c) -> all_children Q (d, cs) ->
      all_children Q (join_younger (aggregate h) c x d cs) /\
      (length (snd (join_younger (aggregate h) c x d cs)) = S (length cs) /\
        (children_sum w (join_younger (aggregate h) c x d cs) <= w c + children_sum w (d, cs))%Z \/
       length (snd (join_younger (aggregate h) c x d cs)) = length cs /\
         (children_sum w (join_younger (aggregate h) c x d cs) <= w c + children_sum w (d,
         cs) - 2)%Z).
    Proof.
      intros Hc Hc' Gc [Gd Gs]. open c g c0 ci. open d g' d0 di. cbn [fst snd] in *.
      destruct Gd as [Ld [Gd1 Gd2]]. destruct Gc as [Gc1 Gc2]. cbn [fst snd] in *.
      unfold join_younger. cbn [snd]. unfold children_sum. cbn [fst snd].
      destruct (Nat.ltb_spec (@arity A (tree h) (g, (c0, ci))) mu)
        as [U|U]; [destruct (Nat.ltb_spec mu (@arity A (tree h) (g', (d0, di)))) as [V|V]|].
      - destruct di as [|[y d1] ds]; [unfold arity in *; cbn in *; lia|]. inversion Gd2; subst.
        cbn [fst snd] in *. split.
        + repeat split; cbn [fst snd node_of]; auto; try (unfold legal,
            arity in *; cbn [node_of fst snd length] in *; rewrite ?app_length; cbn [length]; lia).
          * apply Forall_app. auto.
          * constructor; auto. cbn [snd].
            repeat split; auto; unfold legal, arity in *; cbn [node_of fst snd length] in *; lia.
        + left. split; auto. unfold node_of. rewrite tail_sum_cons. cbn [fst snd].
          rewrite !w_node, tail_sum_app, !tail_sum_cons. cbn [snd].
          change (tail_sum (wealth (-1) h) []) with 0%Z.
          coins.
      - split.
        + repeat split; cbn [fst snd node_of]; auto; try (unfold legal,
            arity in *; cbn [node_of fst snd length] in *; rewrite ?app_length; cbn [length]; lia).
          apply Forall_app. auto.
        + right. split; auto. unfold node_of. cbn [fst snd].
          rewrite !w_node, tail_sum_app, !tail_sum_cons. cbn [snd]. coins.
      - split.
        + repeat split; cbn [fst snd]; auto. constructor; auto. repeat split; auto; apply Ld.
        + left. split; auto. cbn [fst snd]. rewrite tail_sum_cons. cbn [snd]. coins.
    Qed.

    Lemma join_older_sizes (c : tree (S h)) x (d : tree (S h)) : @arity A (tree h) d <= 2 * mu ->
      mu <= S (@arity A (tree h) d) -> all_children (legal_sizes h) (snd d) -> Q c ->
      all_children Q (join_older (aggregate h) c x d) /\
      (length (snd (join_older (aggregate h) c x d)) = 1 /\
        (children_sum w (join_older (aggregate h) c x d) <= w c + w d)%Z \/
       length (snd (join_older (aggregate h) c x d)) = 0 /\
         (children_sum w (join_older (aggregate h) c x d) <= w c + w d - 2)%Z).
    Proof.
      intros Hd Hd' Gd Gc. open c g c0 ci. open d g' d0 di. destruct Gc as [Lc [Gc1 Gc2]].
      destruct Gd as [Gd1 Gd2]. cbn [fst snd] in *.
      unfold join_older. cbn [snd]. unfold children_sum. cbn [fst snd].
      destruct (Nat.ltb_spec (@arity A (tree h) (g', (d0, di))) mu)
        as [U|U]; [destruct (Nat.ltb_spec mu (@arity A (tree h) (g, (c0, ci)))) as [V|V]|].
      - pose proof (split_last_spec ci) as E.
        destruct (split_last ci) as [[i [y k]]|]; [|subst; unfold arity in *; cbn in *; lia].
        subst ci.
        apply Forall_app in Gc2 as [Gc2 Gc3]. inversion Gc3; subst. cbn [fst snd] in *. split.
        + repeat split; cbn [fst snd node_of]; auto; try (unfold legal,
            arity in *; cbn [node_of fst snd length] in *; rewrite ?app_length in *; cbn [length]
            in *; lia).
          constructor; auto. cbn [snd].
          repeat split; cbn [fst snd node_of]; auto; unfold legal,
            arity in *; cbn [node_of fst snd length] in *; lia.
        + left. split; auto. unfold node_of. rewrite tail_sum_cons. cbn [fst snd].
          rewrite !w_node, tail_sum_app, !tail_sum_cons. cbn [snd].
          change (tail_sum (wealth (-1) h) []) with 0%Z. change (tail_sum w []) with 0%Z.
          coins.
      - split.
        + repeat split; cbn [fst snd node_of]; auto; try (unfold legal,
            arity in *; cbn [node_of fst snd length] in *; rewrite ?app_length; cbn [length]; lia).
          apply Forall_app. auto.
        + right. split; auto. unfold node_of. cbn [fst snd].
          rewrite !w_node, tail_sum_app, !tail_sum_cons. cbn [snd].
          change (tail_sum w []) with 0%Z. coins.
      - split.
        + repeat split; cbn [fst snd]; auto; try apply Lc. constructor; auto. repeat split; auto.
        + left. split; auto. cbn [fst snd]. rewrite tail_sum_cons. cbn [snd].
          change (tail_sum w []) with 0%Z. coins.
    Qed.

    Definition spost (s s' : children (tree (S h))) := all_children Q s' /\
      (length (snd s') = length (snd s) /\ (children_sum w s' <= children_sum w s + 1)%Z \/
       S (length (snd s')) = length (snd s) /\ (children_sum w s' <= children_sum w s - 1)%Z).
    Lemma join_younger_post (c c' : tree (S h)) x (d : tree (S h)) (cs : list (entry * tree (S h)))
      : Q c -> post c c' -> all_children Q (d, cs) -> forall x', spost (c, (x',
      d) :: cs) (join_younger (aggregate h) c' x d cs).
    Proof.
      intros [L1 G1] (P1 & P2 & P3) G x'. unfold legal in L1.
      destruct (@join_younger_sizes c' x d cs) as [F1 F2]; auto; try lia.
      split; auto. unfold children_sum in *. cbn [fst snd length] in *. rewrite tail_sum_cons.
      cbn [snd].
      destruct F2 as [[F2 F3]|[F2 F3]]; [left; split; [exact F2|lia]|right; split; [exact (f_equal
        S F2)|lia]].
    Qed.

    Lemma join_older_post (c : tree (S h)) x x' (d d' : tree (S h)) : Q c -> Q d -> post d d' ->
      spost (c, [(x', d)]) (join_older (aggregate h) c x d').
    Proof.
      intros Gc [L1 G1] (P1 & P2 & P3). unfold legal in L1.
      destruct (@join_older_sizes c x d') as [F1 F2]; auto; try lia.
      split; auto. unfold children_sum in *. cbn [fst snd length] in *. rewrite tail_sum_cons.
      cbn [snd]. change (tail_sum w []) with 0%Z.
      destruct F2 as [[F2 F3]|[F2 F3]]; [left; split; [exact F2|lia]|right; split; [exact (f_equal
        S F2)|lia]].
    Qed.

    Lemma cons_post (c : tree (S h)) x x' (d : tree (S h)) cs (d' : tree (S h)) cs' : Q c ->
      spost (d, cs) (d', cs') -> spost (c, (x, d) :: cs) (c, (x', d') :: cs').
    Proof.
      intros G [[S1 S2] S3]. split; [split; [exact G|constructor; [exact S1|exact S2]]|].
      unfold children_sum in *. cbn [fst snd length] in *. rewrite !tail_sum_cons. cbn [snd].
      destruct S3 as [[E S3]|[E S3]]; [left|right]; (split; [exact (f_equal S E)|lia]).
    Qed.

    Variables (cd : tree (S h) -> tree (S h)) (fst' lst' : tree (S h) ->
      entry * tree (S h)) (t : Z).
    Hypothesis Hcd : forall c, Q c -> post c (cd c).
    Hypothesis Hfirst : forall c, Q c -> post c (snd (fst' c)).
    Hypothesis Hlast : forall c, Q c -> post c (snd (lst' c)).
    Lemma evict_below_sizes (cs : list (entry * tree (S h))) (c : tree (S h)) : cs <> [] ->
      all_children Q (c, cs) -> spost (c, cs) (evict_below (aggregate h) cd fst' lst' t c cs).
    Proof.
      revert c; induction cs as [|[x d] cs IH]; intros c N [G1 G2]; [easy|]. cbn [evict_below].
      cbn [fst snd] in G1, G2. inversion G2 as [|? ? G3 G4]; subst. cbn [snd] in G3.
      destruct (t <? fst x)%Z; [apply join_younger_post; auto; split; auto|].
      destruct (t =? fst x)%Z; [destruct (Nat.ltb_spec mu (@arity A (tree h) d))|].
      - pose proof (Hfirst G3) as (P1 & P2 & P3). destruct (fst' d) as [y d']. cbn [fst snd] in *.
        apply cons_post; auto.
        destruct G3 as [L3 G3]. unfold legal in L3. split.
        + split; [split; [cbn [fst]; unfold legal; lia|exact P2]|exact G4].
        + left. split; auto. unfold children_sum. cbn [fst snd]. lia.
      - pose proof (Hlast G1) as Pl. destruct (lst' c) as [y c']. apply join_younger_post; auto.
        split; auto.
      - destruct cs as [|p cs]; [apply join_older_post; auto|].
        specialize (IH d ltac:(easy) (conj G3 G4)).
        destruct (evict_below (aggregate h) cd fst' lst' t d (p :: cs)) as [d' ds].
        now apply cons_post.
    Qed.

    Lemma take_first_below_sizes (cs : list (entry * tree (S h))) (c : tree (S h)) : cs <> [] ->
      all_children Q (c, cs) -> spost (c, cs) (snd (take_first_below (aggregate h) fst' c cs)).
    Proof using mu2 Hfirst.
      intros N [G1 G2]. unfold take_first_below. pose proof (Hfirst G1) as F. cbn [fst snd] in *.
      destruct (fst' c) as [y c']. destruct cs as [|[x d] cs]; [easy|].
      cbn [snd] in *. inversion G2; subst. apply join_younger_post; auto. split; auto.
    Qed.

    Lemma take_last_below_sizes (cs : list (entry * tree (S h))) (c : tree (S h)) : cs <> [] ->
      all_children Q (c, cs) -> spost (c, cs) (snd (take_last_below (aggregate h) lst' c cs)).
    Proof using mu2 Hlast.
      revert c; induction cs as [|[x d] cs IH]; intros c N [G1 G2]; [easy|]. cbn [take_last_below].
      cbn [fst snd] in G1, G2. inversion G2 as [|? ? G3 G4]; subst. cbn [snd] in G3.
      destruct cs as [|p cs].
      - pose proof (Hlast G3) as F. destruct (lst' d) as [y d']. now apply join_older_post.
      - specialize (IH d ltac:(easy) (conj G3 G4)).
        destruct (take_last_below (aggregate h) lst' d (p :: cs)) as [y [d' ds]].
        cbn [fst snd] in *. now apply cons_post.
    Qed.
  End Below.
  Arguments post : clear implicits.
  Arguments spost : clear implicits.

  Lemma reserve_root_less a : (reserve_root a <= reserve_root (S a))%Z.
  Proof. unfold reserve_root.
  destruct (Nat.leb_spec (2 * mu) a), (Nat.leb_spec (2 * mu) (S a)); lia. Qed.

  Lemma reserve_root_least a : (0 <= reserve_root a <= reserve a)%Z.
  Proof. unfold reserve, reserve_root.
  destruct (Nat.leb_spec (2 * mu) a), (Nat.ltb_spec a mu), (Nat.eqb_spec a mu); lia. Qed.

  Definition lpost h (n n' : tree (S h)) :=
    let s := snd n in let s' := snd n' in all_children (legal_sizes h) s' /\
    (@length (entry * tree h) (snd s') = @length (entry * tree h) (snd s) /\
      (children_sum (wealth (-1) h) s' <= children_sum (wealth (-1) h) s + 1)%Z \/
     S (@length (entry * tree h) (snd s')) = @length (entry * tree h) (snd s) /\
       (children_sum (wealth (-1) h) s' <= children_sum (wealth (-1) h) s)%Z).
  Arguments lpost : clear implicits.
  Lemma lpost_post h (n n' : tree (S h)) : lpost h n n' -> post h n n'.
  Proof.
    open n a c cs. open n' a' c' cs'. unfold lpost, post, arity. cbn [fst snd wealth].
    unfold arity. cbn [fst snd].
    intros [G [[E D]|[E D]]]; (split; [lia|split; [exact G|]]).
    - rewrite E. lia.
    - rewrite <- E. pose proof (reserve_less (S (length cs'))). lia.
  Qed.

  Lemma spost_lpost h a a' (s s' : children (tree (S h))) : spost h s s' -> lpost (S h) (a,
    s) (a', s').
  Proof.
  intros [G [[E D]|[E D]]]; (split; [exact G|]); [left|right]; (split; [exact E|]); cbn [snd]; lia.
  Qed.

  Lemma units cs : Forall (fun p : entry * tree 0 => legal_sizes 0 (snd p)) cs /\
    tail_sum (wealth (-1) 0) cs = 0%Z.
  Proof. induction cs as [|[x d] cs [I1 I2]]; [auto|]. rewrite tail_sum_cons, I2. cbn. auto. Qed.

  Lemma leaf_lpost a a' (cs cs' : list (entry * tree 0)) : length cs' <= length cs
    <= S (length cs') -> lpost 0 (a, (tt, cs)) (a', (tt, cs')).
  Proof.
    intro H. split; [split; [exact I|apply units]|]. unfold children_sum. cbn [fst snd].
    rewrite (proj2 (units cs)), (proj2 (units cs')).
    destruct (Nat.eq_dec (length cs') (length cs)); [left|right]; split; auto; lia.
  Qed.

  Lemma some_children h (n : tree (S h)) : legal_sizes (S h) n -> snd (snd n) <> [].
  Proof. open n a c cs. intros [H _]. unfold legal, arity in H. cbn [fst snd] in *.
  destruct cs; [cbn in H; lia|easy]. Qed.

  Lemma take_first_lpost h (n : tree (S h)) : legal_sizes (S h) n ->
    lpost h n (snd (take_first h n)).
  Proof.
    revert n; induction h; intros n G; pose proof (@some_children _ n G)
      as N; open n a c cs; destruct G as [G1 G2]; cbn [fst snd] in *.
    - destruct cs as [|[y d] cs]; [easy|]. destruct c. apply leaf_lpost. cbn. lia.
    - pose proof (@take_first_below_sizes h (take_first h) (fun c G => @lpost_post h c _ (IHh c G))
        cs c N G2) as W.
      cbn [take_first fst snd].
      destruct (take_first_below (aggregate h) (take_first h) c cs) as [y s]. now apply spost_lpost.
  Qed.

  Lemma take_last_lpost h (n : tree (S h)) : legal_sizes (S h) n -> lpost h n (snd (take_last h n)).
  Proof.
    revert n; induction h; intros n G; pose proof (@some_children _ n G)
      as N; open n a c cs; destruct G as [G1 G2]; cbn [fst snd] in *.
    - pose proof (split_last_spec cs) as U. cbn [take_last fst snd].
      destruct (split_last cs) as [[i [y d]]|]; [|easy]. destruct c. subst. apply leaf_lpost.
      rewrite app_length. cbn. lia.
    - pose proof (@take_last_below_sizes h (take_last h) (fun c G => @lpost_post h c _ (IHh c G))
        cs c N G2) as W.
      cbn [take_last fst snd].
      destruct (take_last_below (aggregate h) (take_last h) c cs) as [y s]. now apply spost_lpost.
  Qed.

  Lemma remove_entry_length C t (cs : list (entry * C)) : length (remove_entry t cs)
    <= length cs <= S (length (remove_entry t cs)).
  Proof. induction cs as [|p cs IH]; cbn; [lia|]. destruct (t =? fst (fst p))%Z; cbn; lia. Qed.

  Lemma evict_in_lpost h t (n : tree (S h)) : all_children (legal_sizes h) (snd n) -> h = 0 \/
    snd (snd n) <> [] -> lpost h n (evict_in h t n).
  Proof.
    revert n; induction h; intros n G N; open n a c cs; cbn [fst snd] in *.
    - destruct c. apply leaf_lpost, remove_entry_length.
    - destruct N as [N|N]; [discriminate|].
      apply spost_lpost.
      apply (@evict_below_sizes h (evict_in h t) (take_first h) (take_last h)); auto.
      + intros c' G'. apply lpost_post, IHh; [apply G'|right; now apply some_children].
      + intros c' G'. now apply lpost_post, take_first_lpost.
      + intros c' G'. now apply lpost_post, take_last_lpost.
  Qed.

  (* S2, S3, L2, L3: merges and shrinking are paid by 1 coin an evict, which leaves 1 for a move *)
  Lemma evict_sizes t f : root_legal f -> root_legal (evict t f) /\
    (root_wealth (-1) (evict t f) <= root_wealth (-1) f + 1)%Z.
  Proof.
    destruct f as [h n]. intros (G1 & G2 & G3). unfold evict.
    assert (N : h = 0 \/ snd (snd n) <> []).
    { destruct G2 as [|G2]; auto. right. open n a c cs. unfold arity in G2. cbn [fst snd] in *.
      destruct cs; [cbn in G2; lia|easy]. }
    pose proof (@evict_in_lpost h t n G3 N) as Hd. revert Hd. generalize (evict_in h t n) as n'.
    intros n' [P1 P2].
    open n a c cs. open n' a' c' cs'. unfold arity in *. cbn [fst snd] in *.
    assert (Keep : (h = 0 \/ cs' <> []) -> root_legal (existT _ h (a', (c', cs'))) /\
      (root_wealth (-1) (existT _ h (a', (c', cs'))) <= root_wealth (-1) (existT _ h (a, (c,
      cs))) + 1)%Z).
    { intro K. unfold root_legal, root_wealth, arity. cbn [fst snd].
      repeat split; try apply P1; try lia.
      - destruct K as [|K]; auto. right. destruct cs'; [easy|cbn; lia].
      - destruct P2 as [[-> P2]|[E P2]]; [lia|]. rewrite <- E.
        pose proof (reserve_root_less (S (length cs'))). lia. }
    destruct h.
    - cbn [shrink].
      destruct (@repair_sizes A M min (-1) 0 (a', (c', cs'))) as [Q1 ->]; [apply Keep; auto|].
      split; auto. apply Keep. auto.
    - cbn [shrink fst snd]. destruct cs' as [|p cs'].
      + destruct P1 as [P1 _]. cbn [fst] in P1. destruct N as [N|N]; [discriminate|].
        destruct cs; [easy|]. cbn [length] in P2.
        destruct P2 as [[E _]|[E P2]]; [discriminate|].
        assert (F : root_legal (existT _ h c')).
        { destruct P1 as [[L1 L2] P1]. unfold root_legal. repeat split; try apply P1; lia. }
        destruct (@repair_sizes A M min (-1) h c' F) as [Q1 ->]. split; auto.
        unfold children_sum at 1 in P2. cbn [fst snd tail_sum fold_right] in P2.
        change (tail_sum (wealth (-1) (S h)) []) with 0%Z in P2.
        unfold root_wealth. open c' g d ds. cbn [fst snd wealth] in *. unfold arity in *.
        cbn [fst snd] in *.
        pose proof (reserve_root_least (S (length ds))).
        pose proof (reserve_root_least (S (length (p :: cs)))). cbn [length] in *. lia.
      + destruct (@repair_sizes A M min (-1) (S h) (a', (c', p :: cs')))
          as [Q1 ->]; [apply Keep; right; easy|]. split; auto. apply Keep. right; easy.
  Qed.
End EvictSizes.
