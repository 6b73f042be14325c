(** Repairs of FiBA by what an insert has hit
    Code: optimized/muntin/optimized/btree/fiba.py
    Code: optimized/muntin/optimized/btree/balanced_tree.py
    Text: proofs/fiba.md
    Idealised: as in FibaHit.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates Fiba FibaHit.
Set Implicit Arguments.

Section InsertHit.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Let mu2 : 2 <= mu := mu_at_least_2.

  (* What an insert into a child leaves to its parent: nothing, since the repair has ended on a
     spine; a child on no spine, whose aggregate has changed; or two pieces, the outer of which may
     be on a spine and wait for their repair. *)
  Inductive outcome C := Repaired (c : C) | Risen (c : C) | Parted (c : C) (x : entry) (d : C).

  (* One level. The flags say whether a child is on the left or on the right spine. *)
  Section Level.
    Variables (C : Type) (ag : C -> A).
    Definition put_outcome (o : outcome C) l r cs : children C * change :=
      match o with
      | Repaired c => ((c, cs), Unchanged)
      | Risen c => ((c, cs), Changed false false)
      | Parted c x d => ((c, (x, d) :: cs), Changed l r)
      end.
    Fixpoint insert_hit_below (ci : bool -> bool -> C -> outcome C) l r t v c
        (cs : list (entry * C)) : children C * change :=
      match cs with
      | [] => put_outcome (ci l r c) l r []
      | (x, d) :: others =>
          if (t <? fst x)%Z then put_outcome (ci l false c) l false cs
          else if (t =? fst x)%Z then ((c, ((fst x, snd x ** v), d) :: others), Changed false false)
          else let '((d', ds), change) := insert_hit_below ci false r t v d others in
               ((c, (x, d') :: ds), change)
      end.
    Definition overfull (s : children C) := negb (length (snd s) <? 2 * mu).
    Definition split_hit l r a (s : children C) : outcome (node C) :=
      match skipn mu (snd s) with
      | (x, d) :: rest =>
          Parted (refreshed ag l false a (fst s, firstn mu (snd s))) x
            (refreshed ag false r a (d, rest))
      | [] => Repaired (a, s)
      end.
  End Level.

  Unset Implicit Arguments.
  (* a is what the parent of the node holds, if the node is on a spine *)
  Fixpoint insert_hit h l r a t v : tree h -> outcome (tree h) :=
    match h with
    | 0 => fun _ => Parted tt (t, v) tt
    | S h => fun n =>
        let (s, change) := insert_hit_below (fun l r => insert_hit h l r (fst n) t v) l r t v
          (fst (snd n)) (snd (snd n)) in
        match change with
        | Unchanged => Repaired ((fst n, s) : tree (S h))
        | Changed _ _ =>
            if overfull s then split_hit (aggregate h) l r (fst n) s
            else if l then Repaired (repair_left (S h) a (fst n, s))
            else if r then Repaired (repair_right (S h) a (fst n, s))
            else Risen (make h s)
        end
    end.
  (* growing marks the old root as on both spines, so that both are repaired *)
  Definition insert_by_hit t v (f : fiba) : fiba :=
    let (h, n) := f in
    let (s, change) := insert_hit_below (fun l r => insert_hit h l r (identity M) t v) true true t v
      (fst (snd n)) (snd (snd n)) in
    match change with
    | Unchanged => existT _ h (fst n, s)
    | Changed hit_left hit_right =>
        if overfull s then
          match split_hit (aggregate h) true true (fst n) s with
          | Parted c x d => existT _ (S h) (repair_hit (S h) true true (c, [(x, d)]))
          | Repaired c | Risen c => existT _ h c
          end
        else existT _ h (repair_hit h hit_left hit_right s)
    end.
  Set Implicit Arguments.

  (* What the repair by what is hit makes of a node, beside what FibaTree.v makes of it. *)
  Definition agrees h l r g (o : outcome (tree h)) (p : pieces (tree h)) :=
    match o, p with
    | Repaired c, One d => l = true /\ r = false /\ c = repair_left h g d
                       \/ l = false /\ r = true /\ c = repair_right h g d
    | Risen c, One d => l = false /\ r = false /\ c = d
    | Parted c x c', Two d y d' => x = y /\ alike h l false c d /\ alike h false r c' d'
    | _, _ => False
    end.
  Arguments agrees : clear implicits.

  Lemma insert_hit_below_agrees h g (ci : bool -> bool -> tree h -> outcome (tree h)) cj t v
      (Q : bool -> bool -> tree h -> Prop) :
    (forall l r c, Q l r c -> agrees h l r g (ci l r c) (cj c)) ->
    forall cs l r c, along Q l r c cs ->
      let (s, change) := insert_hit_below ci l r t v c cs in
      children_agree h l r g c cs s change (insert_below cj t v c cs).
  Proof.
    intro H.
    assert (Hput : forall l r c cs, (cs = [] \/ r = false) -> Q l r c ->
      forall r', (cs = [] -> r' = r) ->
      let (s, change) := put_outcome (ci l r c) l r cs in
      children_agree h l r' g c cs s change (put_pieces (cj c) cs)).
    { intros l r c cs E G r' R. specialize (H _ _ _ G).
      destruct (ci l r c) as [c' | c' | c' x d], (cj c) as [m | m y m']; try easy;
        cbn [put_outcome put_pieces agrees children_agree fst snd] in *.
      - destruct H as [[-> [-> ->]] | [-> [-> ->]]]; [left; eauto|].
        destruct E as [-> |]; [|discriminate]. right. rewrite R by auto. split;
          auto. exists m. auto.
      - destruct H as (-> & -> & ->).
        refine (conj _ (conj _ (conj _ (conj _ _)))); try easy;
          [apply all_alike_same, alike_same|].
        intros E' _. destruct cs as [|[]]; [|reflexivity]. now rewrite R in E'.
      - destruct H as (-> & H1 & H2). destruct E as [-> | ->].
        + rewrite R by auto. refine (conj _ (conj _ (conj _ (conj _ _)))); try congruence.
          cbn. auto.
        + refine (conj _ (conj _ (conj _ (conj _ _)))); try congruence;
            [|intros E _; destruct cs as [|[]]; [now rewrite R in E|reflexivity]].
          apply alike_equal in H2 as ->. split; auto. split; auto.
          apply all_alike_same, alike_same. }
    induction cs as [|[x d] cs IH]; intros l r c G; cbn [insert_hit_below insert_below].
    - now apply Hput; auto.
    - destruct G as [G1 G2]. destruct (t <? fst x)%Z; [now apply Hput; auto|].
      destruct (t =? fst x)%Z.
      + refine (conj _ (conj _ (conj _ (conj _ _)))); try easy. apply all_alike_same, alike_same.
      + specialize (IH _ _ _ G2).
        destruct (insert_hit_below ci false r t v d cs) as [[d' ds] [|hl hr]];
          destruct (insert_below cj t v d cs) as [e es]; cbn [children_agree fst snd] in *.
        * right. destruct IH as [[IH _]|[-> (m & E1 & E2)]]; [discriminate|]. split; auto. exists m.
          cbn [map_last]. now rewrite <- E1, <- E2.
        * destruct IH as (H1 & H2 & H3 & H4 & H5). destruct hl; [now discriminate H1|].
          refine (conj _ (conj H2 (conj _ (conj _ H5)))); try easy.
          split; auto using alike_same.
  Qed.

  Lemma split_of_few C (ag : C -> A) (s : children C) :
    length (snd s) < 2 * mu -> split ag s = One (node_of ag s).
  Proof. intro. unfold split. destruct (Nat.ltb_spec (length (snd s)) (2 * mu)); auto; lia. Qed.
  Lemma overfull_spec C (s : children C) : reflect (2 * mu <= length (snd s)) (overfull s).
  Proof.
    unfold overfull. destruct (length (snd s) <? 2 * mu) eqn:E; constructor.
    - apply Nat.ltb_lt in E. lia.
    - now apply Nat.ltb_ge in E.
  Qed.
  (* An overfull node is split at the same place. *)
  Lemma split_hit_agrees h hl hr l r a g (s s' : children (tree h)) : 2 * mu <= length (snd s) ->
    (hl = true -> l = true) -> (hr = true -> r = true) ->
    all_alike (alike h) hl hr (fst s) (snd s) (fst s') (snd s') ->
    agrees (S h) l r g (split_hit (aggregate h) l r a s) (split (aggregate h) s').
  Proof.
    destruct s as [c1 cs1], s' as [c2 cs2]. cbn [fst snd]. intros O Hl Hr W.
    apply (@all_alike_weaker A _ _ (@alike_weaker A h)) with (l' := l) (r' := r) in W; auto.
    pose proof (@all_alike_length _ _ _ _ _ _ _ _ _ W) as Hn. unfold split_hit, split.
    cbn [fst snd].
    destruct (Nat.ltb_spec (length cs2) (2 * mu)); [lia|].
    destruct (skipn mu cs1) as [|[x d] k] eqn:K.
    { apply (f_equal (@length _)) in K. rewrite skipn_length in K. cbn in K. lia. }
    pose proof (firstn_skipn mu cs1) as P. rewrite K in P. rewrite <- P in W.
    apply all_alike_parts in W as (i & d' & k' & -> & Li & W1 & W2).
    rewrite firstn_length in Li. replace mu with (length i) by lia.
    rewrite firstn_app, skipn_app, Nat.sub_diag, firstn_all, skipn_all. cbn [firstn skipn app].
    rewrite app_nil_r. split; [reflexivity|]. replace (length i) with mu in * by lia.
    split; now apply refreshed_alike.
  Qed.

  Lemma insert_hit_agrees h l r g t v (n : tree h) : h = 0 \/ (l && r = false)%bool ->
    legal_sizes h n -> sound h g l r n ->
      agrees h l r g (insert_hit h l r g t v n) (insert_in h t v n).
  Proof.
    revert l r g n; induction h as [|h IH]; intros l r g n E G So; [repeat split; easy|].
    destruct E as [|E]; [discriminate|].
    pose proof (@sound_children A M h l r g n E So) as S'. open n a c cs. cbn [fst snd] in S'.
    destruct G as [G1 G2]. unfold legal, arity in G1. cbn [fst snd] in G1.
    pose (Q := fun l r (c : tree h) =>
      (h = 0 \/ (l && r = false)%bool) /\ legal_sizes h c /\ sound h a l r c).
    assert (HQ : along Q l r c cs).
    { destruct G2 as [G2 G3]. cbn [fst snd] in *. clear -E G2 G3 S'. revert l c E G2 S'.
      induction G3 as [|[x d] cs G3 G4 IH]; intros l c E G2 S'; cbn in *; [now split; auto|].
      destruct S' as [S1 S2]. split; [|now apply IH].
      split; [right; now destruct l|now split; auto]. }
    pose proof (@insert_hit_below_agrees h a (fun l r => insert_hit h l r a t v) (insert_in h t v)
      t v Q
      (fun l r c q => IH l r a c (proj1 q) (proj1 (proj2 q)) (proj2 (proj2 q))) cs l r c HQ) as B.
    cbn [insert_hit insert_in fst snd].
    destruct (insert_hit_below _ l r t v c cs) as [s change].
    set (s' := insert_below (insert_in h t v) t v c cs) in *. clearbody s'.
    destruct change as [|hl hr].
    - destruct (@unchanged_below A M h l r g a c cs s s' E So B) as [Hn F].
      rewrite split_of_few by lia. apply F.
    - destruct B as (B1 & B2 & B3 & _). pose proof (@all_alike_length _ _ _ _ _ _ _ _ _ B3) as Hn.
      destruct (overfull_spec s) as [O|O]; [now apply split_hit_agrees with hl hr|].
      rewrite split_of_few by lia.
      apply (@all_alike_weaker A _ _ (@alike_weaker A h) hl hr l r) in B3; auto.
      pose proof (@refreshed_alike A M h l r a s s' B3) as F. unfold refreshed in F.
      destruct l, r; try discriminate; cbn [orb] in F.
      + left. repeat split. now apply (@alike_left A M (S h)).
      + right. repeat split. now apply (@alike_right A M (S h)).
      + repeat split. now apply (@alike_equal A (S h)).
  Qed.

  Lemma insert_below_longer C (ci : C -> pieces C) t v (cs : list (entry * C)) c :
    length cs <= length (snd (insert_below ci t v c cs)).
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intro c; cbn [insert_below]; [cbn; lia|].
    destruct (t <? fst x)%Z; [destruct (ci c); cbn; lia|]. destruct (t =? fst x)%Z; [cbn; lia|].
    specialize (IH d). destruct (insert_below ci t v d cs). cbn in *. lia.
  Qed.

  (** [S9, S10, S11, S12] An insert that recomputes only the path up to the first node on a spine
      and then that spine downwards, or the root and the spines that hit names, makes the same tree
      as one that recomputes the root and both spines.
      Not claimed: how many nodes these are (T3). *)
  Theorem insert_by_hit_is_insert t v f entries :
    relates f entries -> insert_by_hit t v f = insert t v f.
  Proof.
    intros [_ I]. destruct f as [h n]. destruct I as (H & _ & G1 & G2 & G3).
    apply root_sound in H as [H0 H]. open n a c cs. unfold arity in G1, G2. cbn [fst snd] in *.
    assert (N : h = 0 \/ cs <> []).
    { destruct G2; auto. right. intros ->. cbn in *. lia. }
    set (e := identity M) in *.
    pose (Q := fun l r (c : tree h) =>
      (h = 0 \/ (l && r = false)%bool) /\ legal_sizes h c /\ sound h e l r c).
    assert (HQ : along Q true true c cs).
    { destruct G3 as [G3 G4]. cbn [fst snd] in *.
      assert (W : forall l c, legal_sizes h c -> along (sound h e) l true c cs ->
        h = 0 \/ l = false \/ cs <> [] -> along Q l true c cs).
      { clear -G4. induction G4 as [|[x d] cs G4 G5 IH]; intros l c G3 H N; cbn in *.
        - split; [|split; auto]. destruct N as [N|[->|N]]; auto; easy.
        - destruct H as [S1 S2]. split; [|apply (IH false); auto].
          split; [right; now destruct l|split; auto]. }
      apply W; auto. destruct N; auto. }
    pose proof (@insert_hit_below_agrees h e (fun l r => insert_hit h l r e t v) (insert_in h t v)
      t v Q (fun l r c q => @insert_hit_agrees h l r e t v c (proj1 q) (proj1 (proj2 q))
      (proj2 (proj2 q))) cs true true c HQ) as B.
    assert (Hc : repair_left h e c = c).
    { destruct cs as [|[x d] cs]; [|now apply H]. destruct N as [->|N]; [now destruct c|easy]. }
    assert (Hl : repair_right h e (last_child c cs) = last_child c cs).
    { apply along_last in H as [l [_ H]]. auto. }
    pose proof (insert_below_longer (insert_in h t v) t v cs c) as Len.
    unfold insert_by_hit, insert. fold e. cbn [insert_in fst snd].
    destruct (insert_hit_below _ true true t v c cs) as [s change].
    set (s' := insert_below (insert_in h t v) t v c cs) in *. clearbody s'.
    destruct change as [|hl hr].
    - destruct (@unchanged_below_root A M h a c cs s s' (fst (node_of (aggregate h) s')) N H0 Hc Hl
      B)
        as [E Hn].
      rewrite split_of_few by lia. f_equal. exact E.
    - destruct B as (_ & _ & B & B1 & B2). pose proof (@all_alike_length _ _ _ _ _ _ _ _ _ B) as Hn.
      destruct (overfull_spec s) as [O|O].
      + pose proof (@split_hit_agrees h hl hr true true a e s s' O (fun _ => eq_refl)
          (fun _ => eq_refl) B) as F.
        destruct (split_hit (aggregate h) true true a s) as [k|k|c1 x d1],
          (split (aggregate h) s') as [m|c2 y d2]; cbn [agrees] in F; try easy;
          [destruct F as [(_ & F & _)|(F & _)]; discriminate F|].
        destruct F as (-> & F1 & F2). f_equal. now apply repair_hit_is_repair; try now right.
      + rewrite split_of_few by lia. f_equal. apply repair_hit_is_repair; auto.
        * destruct N as [N|N]; auto. right. intro E. rewrite E in Hn. cbn in Hn.
          destruct cs; [easy|cbn in Len; lia].
        * intro F. rewrite B1 by auto. exact Hc.
        * intro F. rewrite B2 by auto. exact Hl.
  Qed.
End InsertHit.
