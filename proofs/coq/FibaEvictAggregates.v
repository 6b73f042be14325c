(** Aggregates of FiBA after an evict
    Code: optimized/muntin/optimized/btree/rebalance.py
    Code: optimized/muntin/optimized/btree/fiba.py
    Text: proofs/fiba.md
    Idealised: as in FibaTree.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates.
Set Implicit Arguments.

Section EvictAggregates.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).

  Section EvictFlags.
    Variables (D : Type) (ag : D -> A) (con : D -> list entry) (P : bool -> bool -> D -> Prop).
    Hypothesis Pag : forall c, P false false c -> ag c = total (con c).
    Let P' := up_inside con P.
    Let mk' l r s := @node_of_flags A M L D ag con P Pag l r s.
    Lemma along_head C (R : bool -> bool -> C -> Prop) l r c (cs : list (entry * C)) : along R l r
      c cs ->
      exists rc, R l rc c /\ forall l' c', R l' rc c' -> along R l' r c' cs.
    Proof. destruct cs as [|[x d] cs]; cbn; [eauto|]. intros [H1 H2]. exists false. auto. Qed.

    Lemma join_younger_flags l r c x d cs : P' l false c -> along P' false r d cs ->
      along P' l r (fst (join_younger ag c x d cs)) (snd (join_younger ag c x d cs)).
    Proof.
      intros Hc Hd. destruct (@along_head _ _ _ _ _ _ Hd) as (rd & Hd1 & Hd2).
      destruct c as [g [c0 ci]], d as [g' [d0 di]]. unfold join_younger. cbn [snd].
      destruct (_ <? _); [|split; auto]. pose proof (proj2 Hc) as Sc. pose proof (proj2 Hd1) as Sd.
      cbn [fst snd] in Sc, Sd.
      destruct (_ <? _).
      - destruct di as [|[y d1] ds]; [split; auto|]. cbn in Sd. destruct Sd as [Sd1 Sd2]. split.
        + apply mk'. cbn [fst snd]. apply along_app. split; auto.
        + apply Hd2, mk'. auto.
      - apply Hd2, mk'. cbn [fst snd]. apply along_app. auto.
    Qed.

    Lemma join_older_flags l r c x d : P' l false c -> P' false r d ->
      along P' l r (fst (join_older ag c x d)) (snd (join_older ag c x d)).
    Proof.
      intros Hc Hd. destruct c as [g [c0 ci]], d as [g' [d0 di]]. unfold join_older. cbn [snd].
      destruct (_ <? _); [|split; auto]. pose proof (proj2 Hc) as Sc. pose proof (proj2 Hd) as Sd.
      cbn [fst snd] in Sc, Sd.
      destruct (_ <? _).
      - pose proof (split_last_spec ci) as U.
        destruct (split_last ci) as [[i [y k]]|]; [|split; auto]. subst.
        apply along_app in Sc as [Sc1 Sc2]. cbn in Sc2. split; apply mk'; cbn; auto.
      - apply mk'. cbn [fst snd]. apply along_app. auto.
    Qed.

    Variables (cd : node D -> node D) (fst' lst' : node D -> entry * node D) (t : Z).
    Hypothesis Hcd : forall l r c, P' l r c -> P' l r (cd c).
    Hypothesis Hfirst : forall l r c, P' l r c -> P' l r (snd (fst' c)).
    Hypothesis Hlast : forall l r c, P' l r c -> P' l r (snd (lst' c)).
    Lemma evict_below_flags cs l r c : along P' l r c cs ->
      along P' l r (fst (evict_below ag cd fst' lst' t c cs)) (snd (evict_below ag cd fst' lst' t c
        cs)).
    Proof.
      revert l r c; induction cs as [|[x d] cs IH]; intros l r c H; cbn [evict_below]; [cbn in *;
        auto|].
      destruct H as [H1 H2]. destruct (t <? fst x)%Z; [now apply join_younger_flags; auto|].
      destruct (t =? fst x)%Z; [destruct (mu <? arity d)|].
      - destruct (@along_head _ _ _ _ _ _ H2) as (rd & G1 & G2). apply Hfirst in G1.
        destruct (fst' d) as [y d']. split; auto.
      - apply Hlast in H1. destruct (lst' c) as [y c']. now apply join_younger_flags.
      - destruct cs as [|p cs]; [apply join_older_flags; cbn in H2; auto|].
        specialize (IH _ _ _ H2). destruct (evict_below ag cd fst' lst' t d (p :: cs)). split; auto.
    Qed.

    Lemma take_first_below_flags cs l r c : along P' l r c cs ->
      along P' l r (fst (snd (take_first_below ag fst' c cs))) (snd (snd (take_first_below ag fst'
        c cs))).
    Proof.
      intro H. destruct (@along_head _ _ _ _ _ _ H) as (rc & G1 & G2). unfold take_first_below.
      pose proof (Hfirst G1) as F. destruct (fst' c) as [y c'].
      destruct cs as [|[x d] cs]; [apply G2; auto|]. destruct H as [H1 H2].
      apply join_younger_flags; auto. apply Hfirst in H1.
      specialize (G2 l c'). cbn in G2. cbn [snd] in F. now apply G2.
    Qed.

    Lemma take_last_below_flags cs l r c : along P' l r c cs ->
      along P' l r (fst (snd (take_last_below ag lst' c cs))) (snd (snd (take_last_below ag lst' c
        cs))).
    Proof.
      revert l r c; induction cs as [|[x d] cs IH]; intros l r c H; cbn [take_last_below].
      - cbn in H. apply Hlast in H. destruct (lst' c). auto.
      - destruct H as [H1 H2]. destruct cs as [|p cs].
        + cbn in H2. apply Hlast in H2. destruct (lst' d). now apply join_older_flags.
        + specialize (IH _ _ _ H2). destruct (take_last_below ag lst' d (p :: cs)) as [y s].
          split; auto.
    Qed.
  End EvictFlags.
  Lemma along_units l r (cs : list (entry * tree 0)) : along (folds_below 0) l r tt cs.
  Proof. revert l; induction cs as [|[x []] cs IH]; intro l; cbn; auto. Qed.

  Lemma take_first_folds_below h l r n : folds_below (S h) l r n ->
    folds_below (S h) l r (snd (take_first h n)).
  Proof.
    revert l r n; induction h; intros l r n H; open n a c cs.
    - destruct cs as [|[y d] cs]; [exact H|].
      apply (@node_of_flags A M L _ (aggregate 0) (contents 0) (folds_below 0)
        (@folds_below_is_fold A M 0)), along_units.
    - pose proof (@take_first_below_flags _ (aggregate h) (contents h) (folds_below h)
        (@folds_below_is_fold A M h) (take_first h) IHh cs l r c (proj2 H)) as W.
      cbn [take_first fst snd].
      destruct (take_first_below (aggregate h) (take_first h) c cs) as [y s].
      exact (@node_of_flags A M L _ (aggregate (S h)) (contents (S h)) (folds_below (S h))
        (@folds_below_is_fold A M (S h)) l r s W).
  Qed.

  Lemma take_last_folds_below h l r n : folds_below (S h) l r n ->
    folds_below (S h) l r (snd (take_last h n)).
  Proof.
    revert l r n; induction h; intros l r n H; open n a c cs.
    - cbn [take_last fst snd]. destruct (split_last cs) as [[i [y d]]|]; [|exact H].
      apply (@node_of_flags A M L _ (aggregate 0) (contents 0) (folds_below 0)
        (@folds_below_is_fold A M 0)), along_units.
    - pose proof (@take_last_below_flags _ (aggregate h) (contents h) (folds_below h)
        (@folds_below_is_fold A M h) (take_last h) IHh cs l r c (proj2 H)) as W.
      cbn [take_last fst snd]. destruct (take_last_below (aggregate h) (take_last h) c cs) as [y s].
      exact (@node_of_flags A M L _ (aggregate (S h)) (contents (S h)) (folds_below (S h))
        (@folds_below_is_fold A M (S h)) l r s W).
  Qed.

  Lemma evict_in_folds_below h t l r n : folds_below (S h) l r n ->
    folds_below (S h) l r (evict_in h t n).
  Proof.
    revert l r n; induction h; intros l r n H; open n a c cs.
    - apply (@node_of_flags A M L _ (aggregate 0) (contents 0) (folds_below 0)
        (@folds_below_is_fold A M 0)), along_units.
    - apply (@node_of_flags A M L _ (aggregate (S h)) (contents (S h)) (folds_below (S h))
        (@folds_below_is_fold A M (S h)) l r (evict_below (aggregate h) (evict_in h t) (take_first
        h) (take_last h) t c cs)).
      refine (@evict_below_flags _ (aggregate h) (contents h) (folds_below h) (@folds_below_is_fold
        A M h) (evict_in h t) (take_first h) (take_last h) t IHh (@take_first_folds_below h)
        (@take_last_folds_below h) cs l r c (proj2 H)).
  Qed.

End EvictAggregates.
