(** FiBA holds the window after a bulk evict
    Code: optimized/muntin/optimized/btree/bulk_evict.py
    Text: proofs/btree.md
    Text: proofs/fiba.md
    Idealised: as in FibaBulkEvict.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates FibaEvictAggregates FibaSizes
  FibaEvictSizes Fiba FibaBulkEvict.
Set Implicit Arguments.

Section BulkEvictHolds.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Let mu2 : 2 <= mu := mu_at_least_2.
  Variable last_out : Z.

  (* Sizes. A node that the cut has gone through has no more than 2 mu children, of which all but
     the first are of legal size, and the first is such a node again. *)
  Fixpoint ragged h : tree h -> Prop :=
    match h with
    | 0 => fun _ => True
    | S h => fun n => @arity A (tree h) n <= 2 * mu /\ ragged h (fst (snd n)) /\
        Forall (fun p => legal_sizes h (snd p)) (snd (snd n))
    end.
  Lemma legal_ragged h (n : tree h) : legal_sizes h n -> ragged h n.
  Proof.
    revert n; induction h as [|h IH]; intros n H; [exact I|]. destruct H as [[_ H1] [H2 H3]].
    split; [exact H1|]. split; [now apply IH|exact H3].
  Qed.
  Lemma cut_below_ragged h (f : tree h -> tree h) (H : forall c, legal_sizes h c -> ragged h (f c))
      (cs : list (entry * tree h)) c : all_children (legal_sizes h) (c, cs) ->
    let s := cut_below last_out f c cs in
    ragged h (fst s) /\ Forall (fun p => legal_sizes h (snd p)) (snd s) /\
    length (snd s) <= length cs.
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intros c [G1 G2]; cbn [cut_below fst snd] in *.
    - auto.
    - destruct (goes last_out x); [|cbn; auto]. inversion G2; subst.
      destruct (IH d) as (I1 & I2 & I3); [now split|]. cbn in *. auto.
  Qed.
  Lemma cut_ragged h (n : tree h) : legal_sizes h n -> ragged h (cut last_out h n).
  Proof.
    revert n; induction h as [|h IH]; intros n H; [exact I|]. open n a c cs. destruct H as [H1 H2].
    destruct (@cut_below_ragged h (cut last_out h) IH cs c H2) as (I1 & I2 & I3).
    split; [|now split]. unfold legal, arity in *. cbn in *. lia.
  Qed.
  Lemma cut_root_ragged h (n : tree (S h)) : @arity A (tree h) n <= 2 * mu ->
    all_children (legal_sizes h) (snd n) -> ragged (S h) (cut last_out (S h) n).
  Proof.
    open n a c cs. intros H1 H2.
    destruct (@cut_below_ragged h (cut last_out h) (@cut_ragged h) cs c H2) as (I1 & I2 & I3).
    split; [|now split]. unfold arity in *. cbn in *. lia.
  Qed.

  (* After _fill a node can spare a child, and is not too large; one child less is left at most. *)
  Lemma fill_first_sizes h (c : tree (S h)) x (d : tree (S h)) cs : ragged (S h) c ->
    all_children (legal_sizes (S h)) (d, cs) ->
    let (c', cs') := fill_first (aggregate h) (least h) c x d cs in
    ragged (S h) c' /\ least h <= @arity A (tree h) c' /\
    Forall (fun p => legal_sizes (S h) (snd p)) cs' /\ length cs <= length cs' <= S (length cs).
  Proof.
    open c a c0 ci. open d b d0 di. intros (R1 & R2 & R3) [[L1 [G1 G2]] G3].
    unfold fill_first, legal, arity in *. cbn [fst snd] in *.
    destruct (Nat.ltb_spec (S (length ci)) (least h)) as [U|U].
    2: { repeat split; cbn; auto; try lia. constructor; auto. repeat split; auto; apply L1. }
    set (both := ci ++ (x, d0) :: di).
    assert (K : length both = S (length ci + length di)).
    { unfold both. rewrite app_length. cbn. lia. }
    assert (F : Forall (fun p => legal_sizes h (snd p)) both).
    { unfold both. apply Forall_app. split; [exact R3|]. now constructor. }
    assert (U' : length ci < mu).
    { unfold least in U. destruct h; lia. }
    destruct (Nat.ltb_spec (length both) (2 * mu)) as [V|V].
    - unfold node_of. repeat split; cbn [fst snd]; auto;
        try (unfold arity, least; cbn [fst snd]; destruct h; lia).
    - assert (W : length both / 2 * 2 <= length both < length both / 2 * 2 + 2).
      { pose proof (Nat.div_mod (length both) 2 ltac:(lia)).
        pose proof (Nat.mod_upper_bound (length both) 2). lia. }
      pose proof (firstn_skipn (length both / 2) both) as S0.
      pose proof (firstn_length (length both / 2) both) as S1.
      pose proof (skipn_length (length both / 2) both) as S2.
      destruct (skipn (length both / 2) both) as [|[y d1] younger]; [cbn in S2; lia|].
      cbn [length] in S2. rewrite <- S0 in F. apply Forall_app in F as [F1 F2].
      inversion F2 as [|? ? F3 F4]; subst. unfold node_of. cbn [fst snd].
      repeat split; cbn [fst snd length]; auto;
        try (unfold arity, least; cbn [fst snd]; destruct h; lia).
      constructor; auto. repeat split; cbn [fst snd]; auto; unfold legal, arity;
          cbn [fst snd]; lia.
  Qed.

  Lemma fill_sizes h (n : tree (S h)) : ragged (S h) n -> h = 0 \/ snd (snd n) <> [] ->
    all_children (legal_sizes h) (snd (fill h n)) /\
    @arity A (tree h) (fill h n) <= @arity A (tree h) n <= S (@arity A (tree h) (fill h n)) /\
    (h = 0 -> fill h n = n).
  Proof.
    revert n; induction h as [|h IH]; intros n R N.
    - split; [|split; [cbn; lia|auto]]. destruct R as (_ & R1 & R2). split; [exact I|exact R2].
    - open n a c cs. destruct N as [N|N]; [discriminate|]. destruct R as (R1 & R2 & R3).
      destruct cs as [|[x d] cs]; [easy|]. inversion R3 as [|? ? R4 R5];
        subst. cbn [fill fst snd] in *.
      pose proof (@fill_first_sizes h c x d cs R2 (conj R4 R5)) as F.
      destruct (fill_first (aggregate h) (least h) c x d cs) as [c1 cs1].
      destruct F as (F1 & F2 & F3 & F4).
      assert (N1 : h = 0 \/ snd (snd c1) <> []).
      { destruct h; auto. right. unfold arity, least in F2. intro E. rewrite E in F2. cbn in F2.
      lia. }
      destruct (IH c1 F1 N1) as (I1 & I2 & I3). split; [|split; [|discriminate]].
      + split; [|exact F3]. split; [|exact I1]. destruct F1 as [F1 _]. unfold legal, least in *.
        change (mu <= @arity A (tree h) (fill h c1) <= 2 * mu).
        destruct h as [|h]; [rewrite (I3 eq_refl)|]; lia.
      + unfold arity, make. cbn [node_of fst snd length].
        exact (conj (le_n_S _ _ (proj2 F4)) (le_n_S _ _ (le_n_S _ _ (proj1 F4)))).
  Qed.

  Lemma cut_left_sizes h (n : tree (S h)) : @arity A (tree h) n <= 2 * mu ->
    all_children (legal_sizes h) (snd n) ->
    begins last_out h n = false ->
    all_children (legal_sizes h) (snd (cut_left last_out h n)) /\
    @arity A (tree h) (cut_left last_out h n) <= @arity A (tree h) n
      <= S (@arity A (tree h) (cut_left last_out h n)).
  Proof.
    revert n; induction h as [|h IH]; intros n Ar G B; [discriminate|].
    apply begins_below in B as [B _]. open n a c cs. destruct G as [G1 G2].
    cbn [cut_left fst snd] in *. destruct cs as [|[x d] cs]; [easy|].
    inversion G2 as [|? ? G3 G4]; subst. cbn [snd] in G3. destruct (begins last_out h c) eqn:E.
    - pose proof (@fill_sizes (S h) (a, (cut last_out (S h) c, (x, d) :: cs))) as F.
      cbn [fill fst snd] in F.
      destruct (fill_first (aggregate h) (least h) (cut last_out (S h) c) x d cs) as [c1 cs1].
      destruct F as (F1 & F2 & _).
      + split; [|split; [now apply cut_ragged|exact G2]].
        exact Ar.
      + right. easy.
      + split; [exact F1|exact F2].
    - destruct G1 as [L1 L2]. destruct (IH c (proj2 L1) L2 E) as (I1 & I2). unfold legal in L1.
      destruct (@join_younger_sizes A M min h (cut_left last_out h c) x d cs) as [J1 J2]; auto;
        try lia.
      { split; auto. }
      split; [exact J1|].
      assert (K : forall m, m = S (length cs) \/ m = length cs ->
        S m <= S (length ((x, d) :: cs)) <= S (S m)) by (cbn; lia).
      refine (K _ _). destruct J2 as [[J2 _]|[J2 _]]; [left|right]; exact J2.
  Qed.

  (* Aggregates. A node on no spine holds its fold; it may come to be on one. *)
  Lemma along_weaker C (P : bool -> bool -> C -> Prop) :
    (forall l r l' r' c, (l = true -> l' = true) -> (r = true -> r' = true) ->
      P l r c -> P l' r' c) ->
    forall (cs : list (entry * C)) l r l' r' c, (l = true -> l' = true) ->
      (r = true -> r' = true) -> along P l r c cs -> along P l' r' c cs.
  Proof.
    intro H. induction cs as [|[x d] cs IH]; intros l r l' r' c Hl Hr; cbn; [eauto|].
    intros [H1 H2]. split; [now apply H with l false|now apply IH with false r].
  Qed.
  Lemma folds_weaker h l r l' r' (n : tree h) : (l = true -> l' = true) ->
    (r = true -> r' = true) -> folds_below h l r n -> folds_below h l' r' n.
  Proof.
    revert l r l' r' n; induction h as [|h IH]; intros l r l' r' n Hl Hr;
      [trivial|]. intros [H1 H2].
    split; [|now apply (@along_weaker _ (folds_below h) IH) with l r]. intros -> ->. apply H1.
    - destruct l; auto. now discriminate Hl.
    - destruct r; auto. now discriminate Hr.
  Qed.
  Lemma make_folds h l r s : along (folds_below h) l r (fst s) (snd s) ->
    folds_below (S h) l r (make h s).
  Proof.
    apply (@node_of_flags A M L _ (aggregate h) (contents h) (folds_below h)
      (@folds_below_is_fold A M h)).
  Qed.
  Lemma cut_folds h l r (n : tree h) : folds_below h l r n ->
    folds_below h true r (cut last_out h n).
  Proof.
    revert l r n; induction h as [|h IH]; intros l r n H; [trivial|]. open n a c cs.
    destruct H as [_ H]. cbn [fst snd] in H. cbn [cut fst snd]. apply make_folds.
    revert l c H. induction cs as [|[x d] cs IHc]; intros l c H; cbn [cut_below fst snd] in *.
    - cbn in *. eauto.
    - destruct H as [H1 H2]. destruct (goes last_out x); [now apply IHc with false|].
      split; [now apply IH with l|exact H2].
  Qed.
  Lemma fill_first_folds h l r k (c : tree (S h)) x (d : tree (S h)) cs :
    along (folds_below (S h)) l r c ((x, d) :: cs) ->
    let (c', cs') := fill_first (aggregate h) k c x d cs in along (folds_below (S h)) l r c' cs'.
  Proof.
    intros [H1 H2]. destruct (along_head _ _ _ _ _ H2) as (rd & H3 & H4).
    open c a c0 ci. open d b d0 di. unfold fill_first. cbn [fst snd].
    destruct (_ <? k); [|split; auto]. pose proof (proj2 H1) as S1. pose proof (proj2 H3) as S3.
    cbn [fst snd] in S1, S3.
    assert (F : along (folds_below h) l rd c0 (ci ++ (x, d0) :: di)) by (apply along_app; auto).
    destruct (_ <? 2 * mu); [apply H4, make_folds; exact F|].
    set (both := ci ++ (x, d0) :: di) in *. clearbody both.
    rewrite <- (firstn_skipn (length both / 2) both) in F.
    destruct (skipn (length both / 2) both) as [|[y d1] younger]; [split; auto|].
    apply along_app in F as [F1 F2]. split; [now apply make_folds|]. now apply H4, make_folds.
  Qed.
  Lemma fill_folds h l r (n : tree (S h)) : folds_below (S h) l r n ->
    folds_below (S h) l r (fill h n).
  Proof.
    revert l r n; induction h as [|h IH]; intros l r n H; [exact H|]. open n a c cs.
    cbn [fill fst snd]. destruct cs as [|[x d] cs]; [exact H|]. destruct H as [_ H].
    cbn [fst snd] in H. apply (@fill_first_folds h l r (least h)) in H.
    destruct (fill_first (aggregate h) (least h) c x d cs) as [c1 cs1]. apply make_folds.
    cbn [fst snd]. destruct (along_head _ _ _ _ _ H) as (rc & H1 & H2). apply H2. now apply IH.
  Qed.
  Lemma cut_left_folds h r (n : tree (S h)) : folds_below (S h) true r n ->
    folds_below (S h) true r (cut_left last_out h n).
  Proof.
    revert r n; induction h as [|h IH]; intros r n H; [exact H|]. open n a c cs.
    cbn [cut_left fst snd]. destruct cs as [|[x d] cs]; [exact H|]. destruct H as [_ [H1 H2]].
    cbn [fst snd] in H1, H2. destruct (begins last_out h c).
    - assert (F : along (folds_below (S h)) true r (cut last_out (S h) c) ((x, d) :: cs)).
      { split; [now apply cut_folds with true|exact H2]. }
      apply (@fill_first_folds h true r (least h)) in F.
      destruct (fill_first (aggregate h) (least h) (cut last_out (S h) c) x d cs) as [c1 cs1].
      apply make_folds. cbn [fst snd]. destruct (along_head _ _ _ _ _ F) as (rc & F1 & F2).
      apply F2. now apply fill_folds.
    - apply make_folds. apply (@join_younger_flags A M L min _ (aggregate h) (contents h)
        (folds_below h) (@folds_below_is_fold A M h)); [now apply IH|exact H2].
  Qed.

  (* The root. *)
  Definition root_folds (f : fiba) := let (h, n) := f in folds_below (S h) true true n.
  Lemma shrink_invariants h (n : tree (S h)) : @arity A (tree h) n <= 2 * mu ->
    all_children (legal_sizes h) (snd n) -> folds_below (S h) true true n ->
    rising (contents (S h) n) ->
    invariants (shrink h n) /\ window (shrink h n) = contents (S h) n.
  Proof.
    intros H1 H2 H3 H4.
    assert (Keep : h = 0 \/ snd (snd n) <> [] ->
      invariants (existT _ h (repair h n)) /\ contents (S h) (repair h n) = contents (S h) n).
    { intro N. destruct (@repair_gives_aggregates A M L h n) as [Q1 Q2].
      { split; [apply H3|]. intro E. now destruct N. }
      destruct (@repair_sizes A M min 0 h n) as [Q3 _].
      { split; [exact H1|]. split; [|exact H2]. destruct N as [N|N]; auto. right.
        open n a c cs. unfold arity. cbn in *. destruct cs; [easy|cbn; lia]. }
      unfold invariants. rewrite Q2. repeat split; auto; apply Q3. }
    destruct h as [|h]; [apply Keep; auto|]. cbn [shrink]. open n a c cs. cbn [fst snd] in *.
    destruct cs as [|p cs]; [|now apply Keep; right].
    destruct H2 as [H2 _]. cbn [fst] in H2. pose proof (@some_children A min h c H2) as N.
    destruct H3 as [_ H3]. cbn in H3.
    assert (E : contents (S (S h)) (a, (c, [])) = contents (S h) c).
    { change (children_contents (contents (S h)) (c, []) = contents (S h) c).
      unfold children_contents. cbn [fst snd]. now rewrite tail_contents_nil, app_nil_r. }
    assert (H6 : rising (contents (S h) c)) by (rewrite <- E; exact H4).
    destruct (@repair_gives_aggregates A M L h c) as [Q1 Q2].
    { split; [open c g d ds; apply H3|]. intro E'. now destruct N. }
    destruct H2 as [H2 H5]. unfold legal in H2.
    destruct (@repair_sizes A M min 0 h c) as [Q3 _].
    { split; [apply H2|]. split; [right; lia|exact H5]. }
    unfold invariants, window. split; [|rewrite Q2; symmetry; exact E].
    rewrite Q2. repeat split; auto; apply Q3.
  Qed.
  Lemma drop_before_legal h (n : tree (S h)) : root_legal (existT _ h n) ->
    folds_below (S h) true true n ->
    root_legal (drop_before last_out h n) /\ root_folds (drop_before last_out h n).
  Proof.
    revert n; induction h as [|h IH]; intros n H1 H2; [now split|]. open n a c cs.
    cbn [drop_before fst snd]. pose proof (split_last_spec cs) as E.
    destruct (@split_last (entry * tree (S h)) cs) as [[i [x d]]|]; [|now split].
    destruct (fst x <? last_out)%Z; [|now split]. subst cs.
    destruct H1 as (_ & _ & H1 & H3). destruct H2 as [_ H2]. cbn [fst snd] in *.
    apply along_app in H2 as [_ H2]. apply Forall_app in H3 as [_ H3].
    inversion H3 as [|? ? [H4 H5] _]; subst. cbn [snd] in *. apply IH.
    - unfold legal in H4. split; [apply H4|]. split; [right; lia|exact H5].
    - now apply folds_weaker with false true.
  Qed.
  Lemma shrink_all_ragged h (n : tree (S h)) : ragged (S h) n -> folds_below (S h) true true n ->
    let (h, n) := shrink_all h n in
    ragged (S h) n /\ folds_below (S h) true true n /\ (h = 0 \/ snd (snd n) <> []).
  Proof.
    revert n; induction h as [|h IH]; intros n H1 H2;
      [exact (conj H1 (conj H2 (or_introl eq_refl)))|]. open n a c cs.
    cbn [shrink_all fst snd]. destruct cs as [|p cs]; [|split; [|split]; auto; now right].
    apply IH; [apply H1|]. apply H2.
  Qed.

  (** [S1, S2, S3, S9, S10, S11, S12] A bulk evict keeps all facts, and removes what is at or before
      its time.
      Not claimed: its cost (T6). *)
  Theorem bulk_evict_relates f entries : relates f entries ->
    relates (bulk_evict last_out f) (filter (fun x => last_out <? fst x)%Z entries).
  Proof.
    intros [<- I].
    assert (E : forall l : list entry,
      filter (fun x => last_out <? fst x)%Z l = kept last_out l).
    { intro l. apply filter_ext. intro x. unfold goes.
      now rewrite Z.ltb_antisym. }
    rewrite E. unfold bulk_evict. destruct (existsb (goes last_out) (window f)) eqn:X.
    2: { rewrite kept_all; [now split|]. intros y Y. apply Z.nle_gt. intro N.
         enough (existsb (goes last_out) (window f) = true) by congruence.
         apply existsb_exists. exists y. split; auto. now apply Z.leb_le. }
    destruct (forallb (goes last_out) (window f)) eqn:Y.
    { rewrite kept_none; [apply new_relates|]. intros y Z0. rewrite forallb_forall in Y.
      now apply Z.leb_le, Y. }
    clear X Y E. destruct f as [h n]. destruct I as (H & R & G). unfold cut_root.
    assert (F : folds_below (S h) true true n).
    { split; [easy|]. now apply aggregates_hold_inside. }
    cbn [window] in *. destruct (begins last_out h n) eqn:B.
    - destruct (drop_before_contents last_out n R) as [D1 D2].
      destruct (@drop_before_legal h n G F) as [D3 D4].
      destruct (drop_before last_out h n) as [h1 n1]. cbn [window root_folds] in *.
      destruct D3 as (L1 & L2 & L3).
      pose proof (@cut_root_ragged h1 n1 L1 L3) as K1.
      pose proof (@cut_folds (S h1) true true n1 D4) as K2.
      pose proof (cut_contents last_out (S h1) n1 D2) as K3.
      pose proof (@shrink_all_ragged h1 (cut last_out (S h1) n1) K1 K2) as K4.
      pose proof (shrink_all_contents (cut last_out (S h1) n1)) as K5.
      destruct (shrink_all h1 (cut last_out (S h1) n1)) as [h2 n2]. cbn [window] in K5.
      destruct K4 as (K4 & K6 & K7). destruct (@fill_sizes h2 n2 K4 K7) as (F1 & F2 & _).
      assert (E : contents (S h2) (fill h2 n2) = kept last_out (contents (S h) n)).
      { now rewrite fill_contents, K5, K3, D1. }
      destruct (@shrink_invariants h2 (fill h2 n2)) as [I1 I2]; auto.
      + destruct K4 as [K4 _]. lia.
      + now apply fill_folds.
      + rewrite E. now apply kept_rising.
      + split; [now rewrite I2|exact I1].
    - destruct G as (G1 & G2 & G3). destruct (@cut_left_sizes h n G1 G3 B) as [S1 S2].
      pose proof (cut_left_contents last_out n R B) as E.
      destruct (@shrink_invariants h (cut_left last_out h n)) as [I1 I2]; auto.
      + lia.
      + now apply cut_left_folds.
      + rewrite E. now apply kept_rising.
      + split; [now rewrite I2|exact I1].
  Qed.
End BulkEvictHolds.
