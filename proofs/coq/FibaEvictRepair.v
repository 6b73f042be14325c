(** Repairs of FiBA by what an evict has hit
    Code: optimized/muntin/optimized/btree/fiba.py
    Code: optimized/muntin/optimized/btree/btree.py
    Code: optimized/muntin/optimized/btree/balanced_tree.py
    Text: proofs/fiba.md
    Idealised: as in FibaEvictHit.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates FibaEvictSizes Fiba FibaHit
  FibaEvictHit.
Set Implicit Arguments.

Section EvictRepair.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation tree := (@FibaTree.tree A).
  Let mu2 : 2 <= mu := mu_at_least_2.

  (* What the repair by what is hit makes of a node, beside what FibaTree.v makes of it. *)
  Definition agrees h l r g (o : outcome (tree (S h))) (d : tree (S h)) :=
    match o with
    | Repaired c => mu <= @arity A (tree h) d /\
        (l = true /\ r = false /\ c = repair_left (S h) g d
         \/ l = false /\ r = true /\ c = repair_right (S h) g d)
    | Open c => alike (S h) l r c d /\ ((l || r)%bool = true -> @arity A (tree h) d < mu)
    end.
  Arguments agrees : clear implicits.

  Lemma join_younger_large h (c : tree (S h)) x (d : tree (S h)) (cs : list (entry * tree (S h))) :
    mu <= @arity A (tree h) c -> join_younger (aggregate h) c x d cs = (c, (x, d) :: cs).
  Proof.
    open c a c0 ci. open d b d0 di. intro H. unfold join_younger. cbn [snd].
    destruct (Nat.ltb_spec (@arity A (tree h) (a, (c0, ci))) mu); [lia|reflexivity].
  Qed.
  Lemma join_older_large h (c : tree (S h)) x (d : tree (S h)) :
    mu <= @arity A (tree h) d -> join_older (aggregate h) c x d = (c, [(x, d)]).
  Proof.
    open c a c0 ci. open d b d0 di. intro H. unfold join_older. cbn [snd].
    destruct (Nat.ltb_spec (@arity A (tree h) (b, (d0, di))) mu); [lia|reflexivity].
  Qed.

  Lemma join_younger_hit_large h l r (c : tree (S h)) x (d : tree (S h)) cs :
    @small A min (tree h) c = false ->
      join_younger_hit (aggregate h) l r c x d cs = (c, (x, d) :: cs).
  Proof.
    open c a c0 ci. open d b d0 di. intro E. unfold join_younger_hit. cbn [snd]. now rewrite E.
  Qed.
  Lemma join_older_hit_large h l r (c : tree (S h)) x (d : tree (S h)) :
    @small A min (tree h) d = false -> join_older_hit (aggregate h) l r c x d = (c, [(x, d)]).
  Proof.
    open c a c0 ci. open d b d0 di. intro E. unfold join_older_hit. cbn [snd]. now rewrite E.
  Qed.

  Lemma open_large h l r (c d : tree (S h)) : alike (S h) l r c d ->
    @small A min (tree h) c = false ->
    ((l || r)%bool = true -> @arity A (tree h) d < mu) ->
    l = false /\ r = false /\ c = d /\ mu <= @arity A (tree h) c.
  Proof.
    intros F E N. pose proof (alike_arity F) as K. unfold small in E.
    rewrite K in E |- *. apply Nat.ltb_ge in E.
    destruct (l || r)%bool eqn:O; [specialize (N eq_refl); lia|].
    destruct l, r; try discriminate. apply alike_equal in F. now rewrite F.
  Qed.

  Section Below.
    Variables (h : nat) (t : Z) (g : A) (Q : bool -> bool -> tree (S h) -> Prop)
      (cd : bool -> bool -> tree (S h) -> outcome (tree (S h))) (cd' : tree (S h) -> tree (S h)).
    Hypothesis H : forall l r c, Q l r c -> agrees h l r g (cd l r c) (cd' c).
    Implicit Types (c d : tree (S h)) (cs : list (entry * tree (S h))).

    Lemma evict_hit_below_agrees cs l r c : cs <> [] -> along Q l r c cs ->
      let (s, change) := evict_hit_below (aggregate h) cd (take_first_hit h) (take_last_hit h) l r t
        c cs in
      children_agree (S h) l r g c cs s change
        (evict_below (aggregate h) cd' (take_first h) (take_last h) t c cs).
    Proof.
      revert l r c. induction cs as [|[x d] cs IH]; intros l r c N G; [easy|]. clear N.
      destruct G as [G1 G2]. cbn [evict_hit_below evict_below].
      pose proof (if_last_spec r cs) as R. set (rd := @if_last A (tree h) r cs) in *.
      assert (Rr : rd = true -> r = true) by (subst rd; destruct cs; easy).
      assert (Rl : r = true -> rd = false -> cs <> []) by (subst rd; destruct cs; cbn; congruence).
      destruct (t <? fst x)%Z; [|destruct (t =? fst x)%Z; [destruct (mu <? _)|]].
      - specialize (H G1). destruct (cd l false c) as [c1|c1]; cbn [agrees] in H.
        + destruct H as [H1 [(-> & _ & ->)|(_ & H2 & _)]]; [|discriminate].
          rewrite join_younger_large by auto. left. split; [reflexivity|]. now exists (cd' c).
        + destruct H as [H1 H2]. unfold hits. destruct (@small A min (tree h) c1) eqn:Sm.
          * refine (conj _ (conj Rr (conj (join_younger_alike x d R H1) (conj _ _))));
            try congruence.
            intros E1 E2. exact (join_younger_last l rd c1 x d (Rl E1 E2)).
          * destruct (open_large H1 Sm H2) as (-> & _ & <- & E).
            rewrite join_younger_hit_large, join_younger_large by auto.
            refine (conj _ (conj _ (conj _ (conj _ _)))); try easy.
            apply all_alike_same, alike_same.
      - pose proof (take_first_hit_alike rd d) as [F1 F2].
        destruct (take_first_hit h rd d) as [y d1], (take_first h d) as [y' d2].
        cbn [fst snd] in F1, F2. subst y'.
        refine (conj _ (conj Rr (conj _ (conj _ _)))); try easy.
        + split; [reflexivity|]. split; [apply alike_same|now apply last_alike].
        + intros E1 E2. cbn [fst snd last_child]. specialize (Rl E1 E2). destruct cs as [|[]]; easy.
      - pose proof (take_last_hit_alike l c) as [F1 F2].
        destruct (take_last_hit h l c) as [y c1], (take_last h c) as [y' c2].
        cbn [fst snd] in F1, F2. subst y'. destruct (@small A min (tree h) c1) eqn:Sm; cbn [andb].
        + refine (conj _ (conj Rr (conj (join_younger_alike y d R F2) (conj _ _)))); try congruence.
          intros E1 E2. exact (join_younger_last l rd c1 y d (Rl E1 E2)).
        + pose proof (alike_arity F2) as K. unfold small in Sm. pose proof Sm as Sm'.
        rewrite K in Sm'.
          apply Nat.ltb_ge in Sm'. rewrite join_younger_hit_large, join_younger_large by auto.
          refine (conj _ (conj _ (conj _ (conj _ _)))); try easy; try congruence.
          split; [reflexivity|]. split; [exact F2|apply all_alike_same, alike_same].
      - destruct cs as [|p cs].
        + specialize (H G2). cbn in rd. destruct (cd false r d) as [d1|d1]; cbn [agrees] in H.
          * destruct H as [H1 [(H2 & _ & _)|(_ & -> & ->)]]; [discriminate|].
            rewrite join_older_large by auto. right. split; [reflexivity|]. now exists (cd' d).
          * destruct H as [H1 H2]. unfold hits. destruct (@small A min (tree h) d1) eqn:Sm.
            -- refine (conj _ (conj _ (conj (join_older_alike l c x H1) (conj _ _))));
              try congruence.
            -- destruct (open_large H1 Sm H2) as (_ & -> & <- & E).
               rewrite join_older_hit_large, join_older_large by auto.
               refine (conj _ (conj _ (conj _ (conj _ _)))); try easy.
               apply all_alike_same, alike_same.
        + specialize (IH false r d ltac:(easy) G2).
          destruct (evict_hit_below (aggregate h) cd (take_first_hit h) (take_last_hit h) false r t
            d
            (p :: cs)) as [[d1 ds] [|hl hr]];
          destruct (evict_below (aggregate h) cd' (take_first h) (take_last h) t d (p :: cs))
            as [e es]; cbn [children_agree fst snd] in *.
          * right. destruct IH as [[IH _]|[-> (m & E1 & E2)]]; [discriminate|]. split;
            auto. exists m.
            cbn [map_last] in *. now rewrite <- E1, <- E2.
          * destruct IH as (H1 & H2 & H3 & H4 & H5). destruct hl; [now discriminate H1|].
            refine (conj _ (conj H2 (conj _ (conj _ H5)))); try easy.
            split; auto using alike_same.
    Qed.
  End Below.

  Lemma finish_agrees h l r hl hr a g s (s' : children (tree h)) : (l && r = false)%bool ->
    (hl = true -> l = true) -> (hr = true -> r = true) ->
    all_alike (alike h) hl hr (fst s) (snd s) (fst s') (snd s') ->
    agrees h l r a (finish h l r a g s) (make h s').
  Proof.
    intros E Hl Hr W. apply (@all_alike_weaker A _ _ (@alike_weaker A h) hl hr l r) in W; auto.
    pose proof (@refreshed_alike A M h l r g s s' W) as F. pose proof (alike_arity F) as K.
    assert (E1 : @arity A (tree h) (refreshed (aggregate h) l r g s) = @arity A (tree h) (g, s)).
    { unfold refreshed. now destruct (l || r)%bool. }
    unfold finish, small. rewrite E1 in K. rewrite K.
    destruct (Nat.ltb_spec (@arity A (tree h) (node_of (aggregate h) s')) mu) as [U|U];
      [exact (conj F (fun _ => U))|].
    destruct l, r; try discriminate; unfold refreshed in *; cbn [orb] in *.
    - split; [exact U|]. left. repeat split. now apply (@alike_left A M (S h)).
    - split; [exact U|]. right. repeat split. now apply (@alike_right A M (S h)).
    - split; [exact F|easy].
  Qed.

  Lemma evict_hit_agrees h l r a t (n : tree (S h)) : (l && r = false)%bool ->
    legal_sizes (S h) n -> sound (S h) a l r n ->
      agrees h l r a (evict_hit h l r a t n) (evict_in h t n).
  Proof.
    revert l r a n; induction h as [|h IH]; intros l r a n E G So.
    - open n g c cs. cbn [evict_hit evict_in fst snd].
      apply finish_agrees with false false; auto; try easy. apply all_alike_same, alike_same.
    - pose proof (@sound_children A M (S h) l r a n E So) as S'.
      pose proof (@some_children A min (S h) n G) as N. open n g c cs. cbn [fst snd] in S', N.
      destruct G as [G1 G2]. unfold legal, arity in G1. cbn [fst snd] in G1.
      pose (Q := fun l r (c : tree (S h)) =>
        (l && r = false)%bool /\ legal_sizes (S h) c /\ sound (S h) g l r c).
      assert (HQ : along Q l r c cs).
      { destruct G2 as [G2 G3]. cbn [fst snd] in *. clear -E G2 G3 S'. revert l c E G2 S'.
        induction G3 as [|[x d] cs G3 G4 IH]; intros l c E G2 S'; cbn in *; [now split; auto|].
        destruct S' as [S1 S2]. split; [|now apply IH].
        split; [now destruct l|now split; auto]. }
      pose proof (@evict_hit_below_agrees h t g Q (fun l r => evict_hit h l r g t) (evict_in h t)
        (fun l r c q => IH l r g c (proj1 q) (proj1 (proj2 q)) (proj2 (proj2 q))) cs l r c N HQ) as
          B.
      cbn [evict_hit evict_in fst snd].
      destruct (evict_hit_below (aggregate h) (fun l r => evict_hit h l r g t) (take_first_hit h)
        (take_last_hit h) l r t c cs) as [s change].
      set (s' := evict_below (aggregate h) (evict_in h t) (take_first h) (take_last h) t c cs) in *.
      clearbody s'. destruct change as [|hl hr].
      + destruct (@unchanged_below A M (S h) l r a g c cs s s' E So B) as [Hn F].
        split; [|apply F]. unfold arity, make. cbn [node_of fst snd]. lia.
      + destruct B as (B1 & B2 & B3 & _). now apply finish_agrees with hl hr.
  Qed.

  (** [S9, S10, S11, S12] An evict of a time that is there, which recomputes only what is said
      of an insert, here with what its merges and moves have hit, makes the same tree as one that
        recomputes the root and both spines.
      Not claimed: how many nodes these are (T3); that the code looks for the time as the model
      does, which asks all entries. *)
  Theorem evict_by_hit_is_evict t f entries :
    relates f entries -> In t (map fst entries) -> evict_by_hit t f = evict t f.
  Proof.
    intros [<- I] T. unfold evict_by_hit.
    assert (existsb (fun x => (fst x =? t)%Z) (window f) = true) as ->.
    { apply existsb_exists. apply in_map_iff in T as (x & <- & T). exists x. split; auto. lia. }
    clear T. destruct f as [h n]. destruct I as (H & _ & G1 & G2 & G3).
    apply root_sound in H as [H0 H]. unfold evict.
    destruct h as [|h].
    - cbn [shrink evict_in evict_from_root]. f_equal.
    - assert (N : snd (snd n) <> []).
      { destruct G2 as [|G2]; [discriminate|]. open n a c cs. unfold arity in G2.
      cbn [fst snd] in *.
        intros ->. cbn in G2. lia. }
      pose proof (@evict_in_lpost A M min (S h) t n G3 (or_intror N)) as P.
      open n a c cs. cbn [fst snd] in *.
      set (e := identity M) in *.
      pose (Q := fun l r (c : tree (S h)) =>
        (l && r = false)%bool /\ legal_sizes (S h) c /\ sound (S h) e l r c).
      assert (HQ : along Q true true c cs).
      { destruct G3 as [G3 G4]. cbn [fst snd] in *.
        assert (W : forall l c, legal_sizes (S h) c -> along (sound (S h) e) l true c cs ->
          l = false \/ cs <> [] -> along Q l true c cs).
        { clear -G4. induction G4 as [|[x d] cs G4 G5 IH]; intros l c G3 H N; cbn in *.
          - split; [|split; auto]. destruct N as [->|N]; auto; easy.
          - destruct H as [S1 S2]. split; [|apply (IH false); auto].
            split; [now destruct l|split; auto]. }
        apply W; auto. }
      pose proof (@evict_hit_below_agrees h t e Q (fun l r => evict_hit h l r e t) (evict_in h t)
        (fun l r c q => @evict_hit_agrees h l r e t c (proj1 q) (proj1 (proj2 q)) (proj2 (proj2 q)))
        cs true true c N HQ) as B.
      assert (Hc : repair_left (S h) e c = c).
      { destruct cs as [|[x d] cs]; [easy|now apply H]. }
      assert (Hl : repair_right (S h) e (last_child c cs) = last_child c cs).
      { apply along_last in H as [l [_ H]]. auto. }
      cbn [evict_from_root evict_in shrink fst snd] in *. fold e.
      destruct (evict_hit_below (aggregate h) (fun l r => evict_hit h l r e t) (take_first_hit h)
        (take_last_hit h) true true t c cs) as [s change].
      set (s' := evict_below (aggregate h) (evict_in h t) (take_first h) (take_last h) t c cs) in *.
      clearbody s'. unfold make at 1. cbn [node_of snd]. destruct change as [|hl hr].
      + destruct (@unchanged_below_root A M (S h) a c cs s s' (fst (make (S h) s')) (or_intror N) H0
          Hc Hl B) as [E Hn].
        destruct s' as [c2 [|p cs2]]; cbn [snd] in *; [now destruct cs|]. f_equal. exact E.
      + destruct B as (_ & _ & B & B1 & B2). destruct s as [c1 cs1], s' as [c2 cs2].
        cbn [fst snd] in *. destruct cs1 as [|[x d] cs1], cs2 as [|[y d'] cs2]; try easy.
        * f_equal. cbn [all_alike] in B.
          apply (@alike_weaker A (S h) hl hr true true) in B; auto.
          destruct P as [[P _] _]. cbn [make node_of fst snd] in P.
          pose proof (@some_children A min h c2 P) as K. pose proof (alike_arity B) as Ar.
          destruct B as [_ B]. destruct c1 as [g1 [c3 cs3]], c2 as [g2 [c4 cs4]].
          unfold arity in Ar. cbn [fst snd] in *. apply repair_hit_is_repair; auto; try easy.
          right. cbn [snd]. destruct cs3, cs4; easy.
        * f_equal. apply repair_hit_is_repair; auto; try easy.
          -- right. easy.
          -- intro F. rewrite B1 by auto. exact Hc.
          -- intro F. specialize (B2 eq_refl F). cbn [fst snd last_child] in *. rewrite B2.
          exact Hl.
  Qed.
End EvictRepair.
