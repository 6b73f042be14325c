(** FiBA holds the window after a bulk insert
    Code: optimized/muntin/optimized/btree/bulk_insert.py
    Text: proofs/btree.md
    Text: proofs/fiba.md
    Idealised: as in FibaBulkInsert.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates FibaSizes FibaEvictSizes Fiba
  FibaBulkInsert.
Set Implicit Arguments.

Section BulkInsertHolds.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation tree := (@FibaTree.tree A).
  Let mu2 : 2 <= mu := mu_at_least_2.
  Implicit Types (x y : entry) (batch entries : list entry).

  (* Contents. *)
  Lemma bulk_times batch entries y : In y (window_bulk_insert batch entries) ->
    exists z, (In z batch \/ In z entries) /\ fst z = fst y.
  Proof.
    unfold window_bulk_insert. revert entries; induction batch as [|x batch IH]; cbn; [eauto|].
    intros entries I. destruct (IH _ I) as (z & [Z0|Z0] & E); [eauto|].
    apply window_insert_in in Z0 as [Z0|(u & U1 & U2)].
    - exists x. split; auto. congruence.
    - exists u. split; auto. congruence.
  Qed.
  Lemma children_contents_app C (con : C -> list entry) c cs x d ds :
    children_contents con (c, cs ++ (x, d) :: ds)
    = children_contents con (c, cs) ++ x :: children_contents con (d, ds).
  Proof.
    unfold children_contents. cbn [fst snd].
    now rewrite tail_contents_app, tail_contents_cons, <- app_assoc.
  Qed.

  Lemma distribute_contents C (con : C -> list entry) ci :
    (forall batch c, rising batch -> rising (con c) ->
      children_contents con (ci batch c) = window_bulk_insert batch (con c)) ->
    forall cs c batch, rising batch -> rising (children_contents con (c, cs)) ->
    children_contents con (distribute ci batch c cs)
    = window_bulk_insert batch (children_contents con (c, cs)).
  Proof.
    intro H. induction cs as [|[x d] cs IH]; intros c batch B R; cbn [distribute].
    - rewrite H; auto; unfold children_contents in *; cbn in *; now rewrite app_nil_r in *.
    - rewrite children_contents_cons in *. apply in_children_contents in R as (R1 & R2 & R3 & R4).
      pose proof (before_spec (fst x) batch B) as S1.
      destruct (before (fst x) batch) as [older rest].
      destruct S1 as (-> & B1 & B2 & B3 & B4).
      pose proof (H older c B1 R1) as K. destruct (ci older c) as [c' ins].
      set (W := window_bulk_insert older (con c)) in *.
      assert (HW : forall y, In y W -> (fst y < fst x)%Z).
      { intros y Y. apply bulk_times in Y as (z & [Z0|Z0] & <-); auto. }
      assert (E : window_bulk_insert (older ++ rest) (con c ++ x :: children_contents con (d, cs))
        = window_bulk_insert rest (W ++ x :: children_contents con (d, cs))).
      { unfold window_bulk_insert at 1. rewrite fold_left_app. fold (window_bulk_insert older
          (con c ++ x :: children_contents con (d, cs))). now rewrite bulk_on_the_left. }
      rewrite E. clear E.
      assert (Right : forall x' later, fst x' = fst x -> rising later ->
        (forall y, In y later -> (fst x < fst y)%Z) ->
        children_contents con (let (d', ds) := distribute ci later d cs in
          (c', ins ++ (x', d') :: ds))
        = window_bulk_insert later (W ++ x' :: children_contents con (d, cs))).
      { intros x' later Ex B5 B6. pose proof (IH d later B5 R2) as I.
        destruct (distribute ci later d cs) as [d' ds]. rewrite children_contents_app, K, I.
        change (W ++ x' :: children_contents con (d, cs))
          with (W ++ [x'] ++ children_contents con (d, cs)).
        rewrite app_assoc, bulk_on_the_right, <- app_assoc; auto.
        intros u y U Y. specialize (B6 _ Y). apply in_app_iff in U as [U|[<-|[]]]; [|lia].
        specialize (HW _ U). lia. }
      destruct rest as [|y later]; [now apply Right|]. cbn [at_time]. destruct B2 as [B5 B2].
      destruct (Z.eqb_spec (fst y) (fst x)) as [Ey|Ey].
      + rewrite Right; auto; [|intros z Z0; rewrite <- Ey; auto].
        unfold window_bulk_insert at 2. cbn [fold_left].
        fold (window_bulk_insert later (window_insert (fst y) (snd y)
          (W ++ x :: children_contents con (d, cs)))).
        f_equal. rewrite window_insert_right by (intros z Z0; rewrite Ey; auto).
        f_equal. cbn. destruct (Z.ltb_spec (fst y) (fst x)), (Z.eqb_spec (fst y) (fst x)); try lia.
        reflexivity.
      + apply Right; [reflexivity|now split|]. intros z [<-|Z0].
        * specialize (B4 y (or_introl eq_refl)). lia.
        * specialize (B4 y (or_introl eq_refl)). specialize (B5 z Z0). lia.
  Qed.
  Lemma pieces_of_contents C (ag : C -> A) (con : C -> list entry) n s :
    children_contents (node_contents con) (pieces_of ag n s) = children_contents con s.
  Proof.
    assert (One : forall s, children_contents (node_contents con) (node_of ag s, [])
      = children_contents con s).
    { intro k. unfold children_contents at 1. cbn [fst snd].
    now rewrite tail_contents_nil, app_nil_r. }
    revert s; induction n as [|n IH]; intros [c cs]; [apply One|]. cbn [pieces_of fst snd].
    set (k := (length cs + S n) / S n - 1). pose proof (firstn_skipn k cs) as E. clearbody k.
    destruct (skipn k cs) as [|[x d] rest]; [apply One|]. pose proof (IH (d, rest)) as I.
    destruct (pieces_of ag n (d, rest)) as [piece pieces].
    rewrite children_contents_cons, I, <- E, children_contents_app. f_equal.
    now rewrite E.
  Qed.
  Lemma bulk_insert_in_contents h batch n : rising batch -> rising (contents h n) ->
    children_contents (contents h) (bulk_insert_in h batch n)
    = window_bulk_insert batch (contents h n).
  Proof.
    revert batch n; induction h as [|h IH]; intros batch n B R.
    - cbn [bulk_insert_in]. rewrite (bulk_of_nothing batch B). unfold children_contents. cbn.
      clear B R. induction batch as [|x batch IH]; cbn; auto. now rewrite IH.
    - open n a c cs. cbn [bulk_insert_in fst snd]. destruct batch as [|x batch].
      + unfold children_contents. cbn [fst snd]. now rewrite tail_contents_nil, app_nil_r.
      + set (b := x :: batch) in *. clearbody b.
        change (rising (children_contents (contents h) (c, cs))) in R.
        change (contents (S h) (a, (c, cs))) with (children_contents (contents h) (c, cs)).
        rewrite <- (@distribute_contents _ (contents h) (bulk_insert_in h) IH cs c b B R).
        set (s := distribute (bulk_insert_in h) b c cs). unfold split_in_pieces.
        destruct (_ <=? _); [|exact (pieces_of_contents (aggregate h) (contents h) _ s)].
        unfold children_contents at 1. cbn [fst snd]. now rewrite tail_contents_nil, app_nil_r.
  Qed.

  (* Sizes. n pieces of a node of arity a are legal, if their average is. *)
  Lemma distribute_sizes C (Q : C -> Prop) ci :
    (forall batch c, Q c -> all_children Q (ci batch c)) ->
    forall cs c batch, all_children Q (c, cs) -> all_children Q (distribute ci batch c cs) /\
      length cs <= length (snd (distribute ci batch c cs)).
  Proof.
    intro H. induction cs as [|[x d] cs IH]; intros c batch [G1 G2]; cbn [distribute fst snd] in *.
    - split; [auto|cbn; lia].
    - inversion G2; subst. destruct (before (fst x) batch) as [older rest].
      destruct (at_time x rest) as [x' younger]. pose proof (H older c G1) as [K1 K2].
      destruct (ci older c) as [c' ins]. destruct (IH d younger) as [[I1 I2] I3]; [now split|].
      destruct (distribute ci younger d cs) as [d' ds]. cbn [fst snd] in *. split.
      + split; [exact K1|]. apply Forall_app. auto.
      + rewrite app_length. cbn. lia.
  Qed.
  Lemma pieces_of_sizes h n (s : children (tree h)) : n <> 0 ->
    mu * n <= S (length (snd s)) <= 2 * mu * n -> all_children (legal_sizes h) s ->
    all_children (legal_sizes (S h)) (pieces_of (aggregate h) n s) /\
    length (snd (pieces_of (aggregate h) n s)) = n - 1.
  Proof.
    revert s; induction n as [|n IH]; intros [c cs] N H [G1 G2]; [easy|]. clear N.
    cbn [pieces_of fst snd] in *. set (k := (length cs + S n) / S n).
    assert (K : (k - 1) * S n < S (length cs) <= k * S n).
    { pose proof (Nat.div_mod (length cs + S n) (S n) ltac:(lia)) as D.
      pose proof (Nat.mod_upper_bound (length cs + S n) (S n) ltac:(lia)). fold k in D.
      destruct k; nia. }
    assert (K1 : mu <= k <= 2 * mu) by nia.
    pose proof (firstn_skipn (k - 1) cs) as E. pose proof (firstn_length (k - 1) cs) as E1.
    pose proof (skipn_length (k - 1) cs) as E2. clearbody k.
    destruct (skipn (k - 1) cs) as [|[x d] rest].
    - cbn in E2. assert (n = 0) as -> by nia. cbn. split; [|reflexivity].
      split; [|constructor]. cbn. split; [unfold legal, arity; cbn; lia|now split].
    - cbn [length] in E2. destruct n as [|n]; [nia|].
      rewrite <- E in G2. apply Forall_app in G2 as [G2 G3]. inversion G3; subst. cbn [snd] in *.
      destruct (IH (d, rest)) as [I1 I2]; [easy| |now split|].
      { cbn [snd]. assert (S (length rest) = S (length cs) - k) by lia. nia. }
      destruct (pieces_of (aggregate h) (S n) (d, rest)) as [piece pieces].
      cbn [fst snd length] in *.
      split; [|lia]. destruct I1 as [I1 I3]. split; [|now constructor].
      split; [|now split]. unfold legal, arity. cbn [node_of fst snd]. rewrite E1. lia.
  Qed.
  Lemma split_in_pieces_sizes h (s : children (tree h)) : mu <= S (length (snd s)) ->
    all_children (legal_sizes h) s ->
    all_children (legal_sizes (S h)) (split_in_pieces (aggregate h) s) /\
    length (snd (split_in_pieces (aggregate h) s)) <= length (snd s) - 1 /\
    (2 * mu < S (length (snd s)) -> snd (split_in_pieces (aggregate h) s) <> []).
  Proof.
    intros H G. unfold split_in_pieces. set (a := S (length (snd s))) in *.
    destruct (Nat.leb_spec a (2 * mu)) as [U|U].
    - cbn [fst snd length]. split; [|split; [lia|lia]]. split; [|constructor].
      split; [unfold legal, arity; cbn [node_of fst snd]; lia|exact G].
    - set (q := a / S mu).
      assert (Q : S mu * q <= a < S mu * q + S mu).
      { pose proof (Nat.div_mod a (S mu) ltac:(lia)). unfold q.
        pose proof (Nat.mod_upper_bound a (S mu) ltac:(lia)). lia. }
      clearbody q. destruct (@pieces_of_sizes h (Nat.max 2 q) s) as [P1 P2]; [lia| |exact G|].
      { fold a. destruct (Nat.max_spec 2 q) as [[W ->]|[W ->]]; nia. }
      split; [exact P1|]. split.
      + rewrite P2. assert (Nat.max 2 q <= a - 1) by nia. unfold a in *. lia.
      + intros _ E. rewrite E in P2. cbn [length] in P2. lia.
  Qed.

  Lemma bulk_insert_in_sizes h batch (n : tree h) : legal_sizes h n ->
    all_children (legal_sizes h) (bulk_insert_in h batch n).
  Proof.
    revert batch n; induction h as [|h IH]; intros batch n G.
    - split; [exact I|]. cbn. induction batch; cbn; constructor; auto.
    - open n a c cs. cbn [bulk_insert_in fst snd]. destruct batch as [|x batch].
      + split; [exact G|constructor].
      + destruct G as [G1 G2]. destruct (@distribute_sizes _ (legal_sizes h) (bulk_insert_in h) IH
        cs c
          (x :: batch) G2) as [D1 D2].
        apply split_in_pieces_sizes; [|exact D1]. unfold legal, arity in G1. cbn [fst snd] in G1.
        lia.
  Qed.

  (* Aggregates: nodes on no spine hold their folds. *)
  Lemma along_graft C (P : bool -> bool -> C -> Prop) l r c i x d k : along P l false c i ->
    along P false r d k -> along P l r c (i ++ (x, d) :: k).
  Proof. intros H1 H2. apply along_app. auto. Qed.
  Lemma distribute_folds C (P : bool -> bool -> C -> Prop) ci :
    (forall batch l r c, P l r c -> along P l r (fst (ci batch c)) (snd (ci batch c))) ->
    forall cs c batch l r, along P l r c cs ->
      along P l r (fst (distribute ci batch c cs)) (snd (distribute ci batch c cs)).
  Proof.
    intro H. induction cs as [|[x d] cs IH]; intros c batch l r G; cbn [distribute].
    - now apply H.
    - destruct G as [G1 G2]. destruct (before (fst x) batch) as [older rest].
      destruct (at_time x rest) as [x' younger]. pose proof (H older l false c G1) as K.
      destruct (ci older c) as [c' ins]. specialize (IH d younger false r G2).
      destruct (distribute ci younger d cs) as [d' ds]. now apply along_graft.
  Qed.
  Lemma make_folds h l r s : along (folds_below h) l r (fst s) (snd s) ->
    folds_below (S h) l r (make h s).
  Proof.
    apply (@node_of_flags A M L _ (aggregate h) (contents h) (folds_below h)
      (@folds_below_is_fold A M h)).
  Qed.
  Lemma pieces_of_folds h l r n s : along (folds_below h) l r (fst s) (snd s) ->
    along (folds_below (S h)) l r (fst (pieces_of (aggregate h) n s))
      (snd (pieces_of (aggregate h) n s)).
  Proof.
    revert l s; induction n as [|n IH]; intros l [c cs] H; [now apply make_folds|].
    cbn [pieces_of fst snd] in *. set (k := (length cs + S n) / S n - 1).
    pose proof (firstn_skipn k cs) as E. clearbody k.
    destruct (skipn k cs) as [|[x d] rest]; [now apply make_folds|]. rewrite <- E in H.
    apply along_app in H as [H1 H2]. specialize (IH false (d, rest) H2).
    destruct (pieces_of (aggregate h) n (d, rest)) as [piece pieces]. split; [|exact IH].
    now apply make_folds.
  Qed.
  Lemma bulk_insert_in_folds h batch l r (n : tree h) : folds_below h l r n ->
    along (folds_below h) l r (fst (bulk_insert_in h batch n)) (snd (bulk_insert_in h batch n)).
  Proof.
    revert batch l r n; induction h as [|h IH]; intros batch l r n H.
    - cbn. clear H. revert l n. induction batch as [|x batch IH]; intros l n; cbn; auto.
    - open n a c cs. cbn [bulk_insert_in fst snd]. destruct batch as [|x batch]; [exact H|].
      destruct H as [_ H]. cbn [fst snd] in H. unfold split_in_pieces.
      apply (@distribute_folds _ (folds_below h) (bulk_insert_in h) IH cs c (x :: batch)) in H.
      destruct (_ <=? _); [now apply make_folds|now apply pieces_of_folds].
  Qed.

  (* The root. *)
  Lemma grow_invariants fuel h (s : children (tree (S h))) : length (snd s) <= fuel ->
    all_children (legal_sizes (S h)) s -> along (folds_below (S h)) true true (fst s) (snd s) ->
    rising (children_contents (contents (S h)) s) -> snd s <> [] ->
    invariants (grow fuel h s) /\ window (grow fuel h s) = children_contents (contents (S h)) s.
  Proof.
    revert h s; induction fuel as [|fuel IH]; intros h s F G H R N;
      [destruct (snd s); [easy|cbn in F; lia]|].
    destruct s as [c cs]. cbn [fst snd] in *. destruct cs as [|p cs]; [easy|].
    cbn [grow fst snd]. destruct (Nat.leb_spec (S (length (p :: cs))) (2 * mu)) as [U|U].
    - destruct (@repair_gives_aggregates A M L (S h) (make (S h) (c, p :: cs))) as [Q1 Q2].
      { split; [exact H|easy]. }
      destruct (@repair_sizes A M min 0 (S h) (make (S h) (c, p :: cs))) as [Q3 _].
      { split; [exact U|]. split; [right; exact (le_n_S _ _ (le_n_S _ _ (Nat.le_0_l _)))|exact G]. }
      cbn [window]. split; [|exact Q2]. split; [exact Q1|]. split; [rewrite Q2; exact R|exact Q3].
    - set (s := (c, p :: cs) : children (tree (S h))) in *.
      assert (U' : 2 * mu < S (length (snd s))) by exact U.
      assert (F' : length (snd s) - 1 <= fuel) by (cbn [snd length s] in *; lia).
      assert (H' : along (folds_below (S h)) true true (fst s) (snd s)) by exact H.
      clear U F H. clearbody s.
      destruct (@split_in_pieces_sizes (S h) s) as (P1 & P2 & P3); [lia|exact G|].
      assert (E : children_contents (contents (S (S h))) (split_in_pieces (aggregate (S h)) s)
        = children_contents (contents (S h)) s).
      { unfold split_in_pieces. destruct (Nat.leb_spec (S (length (snd s))) (2 * mu)); [lia|].
        apply (pieces_of_contents (aggregate (S h)) (contents (S h))). }
      rewrite <- E in *. apply IH; auto.
      + exact (Nat.le_trans _ _ _ P2 F').
      + unfold split_in_pieces. destruct (Nat.leb_spec (S (length (snd s))) (2 * mu)); [lia|].
        now apply pieces_of_folds.
  Qed.

  (** [S1, S2, S3, S9, S10, S11, S12] A bulk insert of pairs that are sorted by time keeps all
    facts,
      and makes of the window what one insert after another makes of it.
      Not claimed: its cost (T5). *)
  Theorem bulk_insert_relates batch f entries : relates f entries -> sorted batch ->
    relates (bulk_insert batch f) (fold_left (fun held x => window_insert (fst x) (snd x) held)
      batch entries).
  Proof.
    intros [<- I] So. destruct (combine_same_spec batch So) as (B & _ & E).
    change (relates (bulk_insert batch f) (window_bulk_insert batch (window f))). rewrite <- E.
    unfold bulk_insert. destruct (combine_same batch) as [|x b]; [now split|].
    set (b' := x :: b) in *. destruct f as [h n]. destruct I as (H & R & G1 & G2 & G3).
    assert (F : folds_below (S h) true true n).
    { split; [easy|]. now apply aggregates_hold_inside. }
    pose proof (bulk_insert_in_contents (S h) b' n B R) as C.
    pose proof (@bulk_insert_in_folds (S h) b' true true n F) as K. cbn [window] in *.
    open n a c cs. cbn [fst snd] in *. unfold arity in G1, G2. cbn [fst snd] in G1, G2.
    destruct (@distribute_sizes _ (legal_sizes h) (bulk_insert_in h) (@bulk_insert_in_sizes h) cs c
      b'
      G3) as [D1 D2].
    assert (Q : bulk_insert_in (S h) b' (a, (c, cs))
      = split_in_pieces (aggregate h) (distribute (bulk_insert_in h) b' c cs)) by reflexivity.
    rewrite Q in *. clear Q. set (s := distribute (bulk_insert_in h) b' c cs) in *.
    assert (R' : rising (window_bulk_insert b' (contents (S h) (a, (c, cs))))).
    { clear -R L min. revert R. generalize (contents (S h) (a, (c, cs))) as l.
    unfold window_bulk_insert.
      induction b' as [|y b' IH]; cbn; auto. intros l R. now apply IH, window_insert_rising. }
    destruct (Nat.leb_spec (S (length (snd s))) (2 * mu)) as [U|U].
    - assert (Q : split_in_pieces (aggregate h) s = (node_of (aggregate h) s, [])).
      { unfold split_in_pieces. destruct (Nat.leb_spec (S (length (snd s))) (2 * mu)); [auto|lia]. }
      rewrite Q in *. cbn [grow fst snd length] in *.
      assert (N : h = 0 \/ 2 <= S (length (snd s))) by (destruct G2; [auto|right; lia]).
      destruct (@repair_gives_aggregates A M L h (make h s)) as [Q1 Q2].
      { split; [apply K|]. intro E0.
        assert (Z0 : forall l : list (entry * tree h), h = 0 \/ 2 <= S (length l) -> l = [] ->
          h = 0)
          by (intros l [Z0|Z0] ->; [exact Z0|cbn in Z0; lia]).
        exact (Z0 _ N E0). }
      destruct (@repair_sizes A M min 0 h (make h s)) as [Q3 _].
      { split; [exact U|]. split; [exact N|exact D1]. }
      assert (W : contents (S h) (make h s) = window_bulk_insert b' (contents (S h) (a, (c, cs)))).
      { rewrite <- C. unfold children_contents. cbn [fst snd].
      now rewrite tail_contents_nil, app_nil_r. }
      change (node_of (aggregate h) s) with (make h s). unfold relates, invariants, window.
      rewrite Q2, W. repeat split; auto; apply Q3.
    - destruct (@split_in_pieces_sizes h s) as (P1 & P2 & P3); [lia|exact D1|].
      destruct (@grow_invariants (length (snd (split_in_pieces (aggregate h) s))) h
        (split_in_pieces (aggregate h) s)) as [J1 J2]; auto.
      + rewrite C. exact R'.
      + split; [etransitivity; [exact J2|exact C]|exact J1].
  Qed.
End BulkInsertHolds.
