(** Aggregates of FiBA by place
    Code: optimized/muntin/optimized/btree/node_aggregates.py
    Code: optimized/muntin/optimized/btree/fiba.py
    Text: proofs/fiba.md
    Idealised: as in FibaTree.v. *)
From Muntin Require Import Monoid FibaTree FibaContents.
Set Implicit Arguments.

Section Aggregates.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Local Notation entry := (Z * A)%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation pieces := (@FibaTree.pieces A).
  Local Notation tree := (@FibaTree.tree A).
  (* the fold of some entries *)
  Definition total (l : list entry) := fold M (map snd l).
  Lemma total_app l k : total (l ++ k) = total l ** total k.
  Proof. unfold total. rewrite map_app. now folds. Qed.

  Lemma total_cons x l : total (x :: l) = snd x ** total l.
  Proof. reflexivity. Qed.

  (* One level. A child is on the left spine of its tree, on the right, on neither or on both:
     this is what the two flags of P say. Children on no spine hold folds. *)
  Section Flags.
    Variables (C : Type) (ag : C -> A) (con : C -> list entry).
    Variable P : bool -> bool -> C -> Prop.
    Hypothesis Pag : forall c, P false false c -> ag c = total (con c).
    (* P of the first child with l, of the last with r, of the others with neither *)
    Fixpoint along l r c (cs : list (entry * C)) :=
      match cs with [] => P l r c | (_, d) :: cs' => P l false c /\ along false r d cs' end.
    (* S9: a node on no spine holds the fold of its contents *)
    Definition up_inside l r (n : node C) :=
      (l = false -> r = false -> fst n = total (node_contents con n)) /\
        along l r (fst (snd n)) (snd (snd n)).
    Lemma along_app l r c i x d k : along l r c (i ++ (x, d) :: k) <-> along l false c i /\
      along false r d k.
    Proof. revert l c; induction i as [|[y b] i IH]; intros l c; cbn; [tauto|]. rewrite IH. tauto.
    Qed.

    Lemma fold_tail_ok c cs r : along false false c cs -> r = fold_tail ag cs -> r
      = total (tail_contents con cs).
    Proof.
      intros H ->. unfold fold_tail, tail_contents. revert c H.
      induction cs as [|[x d] cs IH]; intros c H; cbn; auto. cbn in H.
      destruct H as [_ H]. assert (Pd : P false false d) by (destruct cs as [|[]]; cbn in H; tauto).
      rewrite fold_cons, (IH d H), (Pag Pd), total_cons, total_app. cbn. now folds.
    Qed.

    Lemma node_of_flags l r s : along l r (fst s) (snd s) -> up_inside l r (node_of ag s).
    Proof.
      intro H. split; auto. intros -> ->. destruct s as [c cs]. unfold node_of. cbn [fst snd] in *.
      unfold node_contents, children_contents. cbn [fst snd].
      rewrite total_app, (@fold_tail_ok c cs _ H eq_refl). f_equal. apply Pag.
      destruct cs as [|[]]; cbn in H; tauto.
    Qed.

    Definition pieces_flagged (Q : bool -> bool -> C -> Prop) l r (x : pieces C) :=
      match x with One c => Q l r c | Two c _ d => Q l false c /\ Q false r d end.
    Lemma put_flags l r c x cs : (forall l r, P l r c -> pieces_flagged P l r x) ->
      along l r c cs -> along l r (fst (put_pieces x cs)) (snd (put_pieces x cs)).
    Proof.
      intros H G. destruct cs as [|[y b] cs]; cbn in G.
      - apply H in G. destruct x; cbn in *; auto.
      - destruct G as [G1 G2]. apply H in G1. destruct x; cbn in *; tauto.
    Qed.

    Lemma insert_below_flags ci t v : (forall l r c, P l r c -> pieces_flagged P l r (ci c)) ->
      forall cs l r c, along l r c cs -> along l r (fst (insert_below ci t v c cs)) (snd
        (insert_below ci t v c cs)).
    Proof.
      intro H. induction cs as [|[x d] cs IH]; intros l r c G; cbn [insert_below].
      - apply put_flags with c; auto.
      - destruct (t <? fst x)%Z; [apply put_flags with c; auto|].
        destruct (t =? fst x)%Z; [exact G|].
        cbn in G. destruct G as [G1 G2]. specialize (IH _ _ _ G2).
        destruct (insert_below ci t v d cs). cbn in *. auto.
    Qed.
  End Flags.
  Lemma split_flags C (ag : C -> A) con (P : bool -> bool -> C -> Prop) l r s : (forall c,
    P false false c -> ag c = total (con c)) ->
    along P l r (fst s) (snd s) -> pieces_flagged (up_inside con P) l r (split ag s).
  Proof.
    intros Pag H. destruct s as [c cs]. unfold split. cbn [fst snd] in *.
    destruct (_ <? _); [now apply node_of_flags|].
    destruct (skipn mu cs) as [|[x d] k] eqn:E; [now apply node_of_flags|].
    rewrite <- (firstn_skipn mu cs), E in H. apply along_app in H as [H1 H2].
    split; now apply node_of_flags.
  Qed.

  (* S9 of a tree: each node below that is on no spine holds the fold of its contents. *)
  Fixpoint folds_below h : bool -> bool -> tree h -> Prop :=
    match h with 0 => fun _ _ _ => True | S h => up_inside (contents h) (folds_below h) end.
  Lemma folds_below_is_fold h c : folds_below h false false c -> aggregate h c
    = total (contents h c).
  Proof. destruct h; [reflexivity|]. intros [H _]. now apply H. Qed.

  Lemma insert_in_folds_below h t v l r n : folds_below h l r n ->
    pieces_flagged (folds_below h) l r (insert_in h t v n).
  Proof.
    revert l r n; induction h; intros l r n H; [cbn; auto|].
    apply (@split_flags _ (aggregate h) (contents h) (folds_below h) l r (insert_below (insert_in h
      t v) t v (fst (snd n)) (snd (snd n)))); [exact (@folds_below_is_fold h)|].
    destruct H as [_ H]. apply insert_below_flags; auto.
  Qed.

  (* S11: a node on the left spine holds everything below the root's first child, except what is
     below its own first child; rest is what follows the node there. *)
  Unset Implicit Arguments.
  Fixpoint spine_left h (rest : list entry) : tree h -> Prop :=
    match h with
    | 0 => fun _ => True
    | S h => fun n =>
        let below := tail_contents (contents h) (snd (snd n)) ++ rest in
        fst n = total below /\ spine_left h below (fst (snd n)) /\
        match snd (snd n) with [] => True | (_, d) :: cs => along (folds_below h) false false d cs
          end
    end.
  (* S12: the mirror image, last for first. *)
  Fixpoint without_last h c (cs : list (entry * tree h)) : list entry :=
    match cs with [] => [] | (x, d) :: cs' => contents h c ++ x :: without_last h d cs' end.
  Fixpoint spine_right h (rest : list entry) : tree h -> Prop :=
    match h with
    | 0 => fun _ => True
    | S h => fun n =>
        let below := rest ++ without_last h (fst (snd n)) (snd (snd n)) in
        fst n = total below /\
        along (fun _ r c => if r then spine_right h below c
          else folds_below h false false c) false true (fst (snd n)) (snd (snd n))
    end.
  (* S10: the root holds everything but its outer children; a root that is a leaf holds everything.
     And S9, S11, S12 of the children. *)
  Definition aggregates_hold h (n : tree (S h)) :=
    let '(g, (c, cs)) := n in
    match cs with
    | [] => h = 0 /\ g = identity M
    | (x, d) :: cs' =>
        g = total (x :: without_last h d cs') /\ spine_left h [] c /\
        along (fun _ r c => if r then spine_right h [] c
          else folds_below h false false c) false true d cs'
    end.

  Set Implicit Arguments.
  Lemma repair_left_ok h g rest n : g = total rest -> folds_below h true false n ->
    spine_left h rest (repair_left h g n) /\ contents h (repair_left h g n) = contents h n.
  Proof.
    revert g rest n; induction h; intros g rest n Hg H; [split; cbn; auto; now destruct n|].
    open n a c cs. destruct H as [_ H]. cbn [fst snd] in H.
    assert (Hc : folds_below h true false c /\ match cs with [] => True | (_,
      d) :: cs => along (folds_below h) false false d cs end).
    { destruct cs as [|[x d] cs]; cbn in H; tauto. }
    destruct Hc as [Hc Hcs].
    assert (Ha : fold_tail (aggregate h) cs = total (tail_contents (contents h) cs)).
    { destruct cs as [|[x d] cs]; auto. unfold fold_tail, tail_contents. cbn.
      rewrite fold_cons, total_cons, total_app.
      pose proof (@fold_tail_ok _ (aggregate h) (contents h) (folds_below h) (@folds_below_is_fold
        h) d cs _ Hcs eq_refl) as Q. unfold fold_tail, tail_contents in Q.
      rewrite Q, (@folds_below_is_fold h d) by (destruct cs as [|[]]; cbn in Hcs; tauto). cbn.
      now folds. }
    destruct (IHh (fold_tail (aggregate h) cs ** g) (tail_contents (contents h) cs ++ rest) c)
      as [I1 I2]; auto.
    { now rewrite total_app, Ha, Hg. }
    cbn. repeat split; auto.
    - now rewrite total_app, Ha, Hg.
    - unfold node_contents, children_contents. cbn. now rewrite I2.
  Qed.

  Lemma fold_init_ok h c cs : along (folds_below h) false true c cs ->
    fold_init (aggregate h) c cs = total (without_last h c cs).
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intros c H; auto. cbn in *. destruct H as [H1 H2].
    rewrite total_app, total_cons, (folds_below_is_fold _ _ H1), IH; auto.
  Qed.

  Lemma map_last_ok h (f : tree h -> tree h) (Q : tree h -> Prop) c cs :
    (forall c, folds_below h false true c -> Q (f c) /\ contents h (f c) = contents h c) ->
      along (folds_below h) false true c cs ->
    along (fun _ r c => if r then Q c else folds_below h false false c) false true (fst (map_last f
      c cs)) (snd (map_last f c cs)) /\
    children_contents (contents h) (map_last f c cs) = children_contents (contents h) (c, cs) /\
    without_last h (fst (map_last f c cs)) (snd (map_last f c cs)) = without_last h c cs.
  Proof.
    intro F. revert c; induction cs as [|[x d] cs IH]; intros c H; cbn in *.
    - apply F in H as [H1 H2]. unfold children_contents. cbn. now rewrite H2.
    - destruct H as [H1 H2]. destruct (IH d H2) as (I1 & I2 & I3).
      destruct (map_last f d cs) as [d' ds].
      cbn in *. repeat split; auto; [|now rewrite I3]. rewrite !children_contents_cons.
      now rewrite I2.
  Qed.

  Lemma repair_right_ok h g rest n : g = total rest -> folds_below h false true n ->
    spine_right h rest (repair_right h g n) /\ contents h (repair_right h g n) = contents h n.
  Proof.
    revert g rest n; induction h; intros g rest n Hg H; [split; cbn; auto; now destruct n|].
    open n a c cs. destruct H as [_ H]. cbn [fst snd] in H. cbn [repair_right fst snd].
    set (a' := g ** fold_init (aggregate h) c cs).
    assert (Ha : a' = total (rest ++ without_last h c cs)).
    { unfold a'. rewrite total_app, <- Hg. f_equal. now apply fold_init_ok. }
    destruct (@map_last_ok h (repair_right h a') (spine_right h (rest ++ without_last h c cs)) c
      cs) as (Q1 & Q2 & Q3); auto.
    cbn [spine_right contents fst snd]. destruct (map_last (repair_right h a') c cs) as [c' cs'].
    cbn [fst snd] in *. rewrite Q3. repeat split; auto.
  Qed.
  Unset Implicit Arguments.
  Definition inside_folded h (n : tree (S h)) :=
    along (folds_below h) true true (fst (snd n)) (snd (snd n)) /\ (snd (snd n) = [] -> h = 0).
  Set Implicit Arguments.
  (** [S9, S10, S11, S12] If the nodes on no spine hold their folds, then a repair of the root and
      both spines by the formulas of Figure 2 makes all aggregates hold, and changes no entry.
      Not claimed: which nodes need no repair; see FibaInsertHit.v and FibaEvictRepair.v. *)
  Theorem repair_gives_aggregates h n : inside_folded h n -> aggregates_hold h (repair h n) /\
    contents (S h) (repair h n) = contents (S h) n.
  Proof.
    open n a c cs. unfold inside_folded, repair, aggregates_hold. cbn [fst snd]. intros [H H0].
    destruct cs as [|[x d] cs].
    - specialize (H0 eq_refl). subst h. cbn. destruct c. auto.
    - cbn in H. destruct H as [H1 H2].
      destruct (@repair_left_ok h (identity M) [] c eq_refl H1) as [L1 L2].
      destruct (@map_last_ok h (repair_right h (identity M)) (spine_right h []) d cs)
        as (Q1 & Q2 & Q3); auto.
      { intros k Hk. now apply repair_right_ok. }
      cbn [map_last inner]. destruct (map_last _ d cs) as [d' ds]. cbn [fst snd] in *.
      repeat split; auto.
      + rewrite total_cons, Q3. f_equal. now apply fold_init_ok.
      + cbn [contents]. unfold node_contents. cbn [snd].
        now rewrite !children_contents_cons, L2, Q2.
  Qed.

  (* A tree whose aggregates hold can take part in the next call: nodes on no spine hold the fold
     of what is below them. *)
  Lemma spine_left_folds_below h rest n : spine_left h rest n -> folds_below h true false n.
  Proof.
    revert rest; induction h; intros rest H; [exact I|]. open n a c cs.
    destruct H as (H1 & H2 & H3).
    split; [easy|]. cbn [fst snd] in *. apply IHh in H2. destruct cs as [|[x d] cs]; cbn; auto.
  Qed.

  Lemma spine_seq h l rest c cs (K : forall n, spine_right h rest n -> folds_below h false true n) :
    along (fun _ r c => if r then spine_right h rest c
      else folds_below h false false c) l true c cs -> along (folds_below h) false true c cs.
  Proof.
    revert l c; induction cs as [|[x d] cs IH]; intros l c H; cbn in *; auto.
    destruct H; split; eauto.
  Qed.

  Lemma spine_right_folds_below h rest n : spine_right h rest n -> folds_below h false true n.
  Proof.
    revert rest n; induction h; intros rest n H; [exact I|]. open n a c cs. destruct H as (H1 & H2).
    split; [easy|]. cbn [fst snd] in *. eapply spine_seq; eauto.
  Qed.

  Lemma aggregates_hold_inside h n : aggregates_hold h n -> inside_folded h n.
  Proof.
    open n a c cs. unfold aggregates_hold, inside_folded. cbn [fst snd]. destruct cs as [|[x d] cs].
    - intros [-> _]. cbn. auto.
    - intros (H1 & H2 & H3). split; [|easy]. cbn.
      split; [now apply spine_left_folds_below with []|].
      eapply spine_seq; eauto. apply spine_right_folds_below.
  Qed.

  Lemma left_finger_ok h rest n : spine_left (S h) rest n -> left_finger (S h) n
    = total (contents (S h) n ++ rest).
  Proof.
    revert rest n; induction h; intros rest n (H1 & H2 & _).
    - destruct n as [a [[] cs]]. cbn in *. exact H1.
    - open n a c cs.
      change (left_finger (S h) c = total (children_contents (contents (S h)) (c, cs) ++ rest)).
      cbn [fst snd] in *. rewrite (IHh _ _ H2). unfold children_contents. cbn [fst snd].
      now rewrite <- app_assoc.
  Qed.

  Lemma without_last_ok h c cs : children_contents (contents h) (c, cs)
    = without_last h c cs ++ contents h (last_child c cs).
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intro c; [unfold children_contents; cbn; now rewrite
      app_nil_r|].
    rewrite children_contents_cons. cbn. rewrite IH, <- app_assoc. reflexivity.
  Qed.

  Lemma spine_last h Q l c cs : along (fun _ r c => if r then Q c
    else folds_below h false false c) l true c cs -> Q (last_child c cs).
  Proof. revert l c; induction cs as [|[x d] cs IH]; intros l c H; cbn in *; auto.
  destruct H; eauto. Qed.

  Lemma right_finger_ok h rest n : spine_right (S h) rest n -> right_finger (S h) n
    = total (rest ++ contents (S h) n).
  Proof.
    revert rest n; induction h; intros rest n (H1 & H2).
    - destruct n as [a [[] cs]]. cbn in *. rewrite H1. do 2 f_equal.
      pose proof (@without_last_ok 0 tt cs) as Q.
      unfold node_contents. cbn in *. now rewrite Q, app_nil_r.
    - open n a c cs.
      change (right_finger (S h) (last_child c cs) = total (rest ++ children_contents (contents (S
        h)) (c, cs))).
      cbn [fst snd] in *. apply spine_last in H2. rewrite (IHh _ _ H2), without_last_ok.
      now rewrite <- app_assoc.
  Qed.
End Aggregates.
