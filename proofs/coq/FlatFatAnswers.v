(** Answers of FlatFAT
    Code: optimized/muntin/optimized/flatfat/flatfat.py
    Text: proofs/flatfat.md
    Idealised: as in FlatFat.v. *)
From Muntin Require Import Monoid FlatFat.
Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.
Set Implicit Arguments.

Section Answers.
  Context {A : Type} {M : monoid A} {L : lawful M}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Implicit Types (T values : list A) (h v i j : nat).

  (* the fold of k nodes from a on *)
  Definition level_fold T a k := fold M (map (get T) (seq a k)).
  Lemma level_fold_S T a k : level_fold T a (S k) = get T a ** level_fold T (S a) k.
  Proof. reflexivity. Qed.

  Lemma level_fold_app T a k l : level_fold T a (k + l) = level_fold T a k ** level_fold T (a + k)
    l.
  Proof. unfold level_fold. rewrite seq_app, map_app. now folds. Qed.

  Lemma level_fold_one T a : level_fold T a 1 = get T a.
  Proof. unfold level_fold. cbn. now folds.
  Qed.

  (* equation 4.2, level by level *)
  Lemma level_fold_double h T a k : ok h T -> 1 <= a -> a + k <= 2 ^ h -> level_fold T (2 * a) (2 *
    k) = level_fold T a k.
  Proof.
    intros [_ H]. revert a; induction k; intros a Ha Hk; [reflexivity|].
    replace (2 * S k) with (S (S (2 * k))) by lia. rewrite !level_fold_S.
    replace (S (S (2 * a))) with (2 * S a) by lia. rewrite IHk, (H a) by lia.
    replace (S (2 * a)) with (2 * a + 1) by lia. now folds.
  Qed.

  Lemma skipn_nth n m (T : list A) : n + m = length T -> skipn n T = map (get T) (seq n m).
  Proof.
    unfold get. revert n m; induction T; intros n m H; cbn in *.
    - now replace n with 0 by lia; replace m with 0 by lia.
    - destruct n; cbn in *.
      + subst. cbn. f_equal. rewrite <- seq_shift, map_map. specialize (IHT 0 (length T) eq_refl).
        cbn in IHT.
        exact IHT.
      + rewrite <- seq_shift, map_map. rewrite (IHT n m) by lia. reflexivity.
  Qed.

  Lemma leaves_level_fold h T : ok h T -> leaves h T = map (get T) (seq (2 ^ h) (2 ^ h)).
  Proof. intros [H _]. apply skipn_nth. lia. Qed.

  Lemma firstn_nodes (f : nat -> A) k a m : k <= m -> firstn k (map f (seq a m)) = map f (seq a k).
  Proof. revert a m; induction k; intros a [|m] H; cbn; auto; try lia. f_equal. apply IHk. lia. Qed.

  Lemma skipn_nodes (f : nat -> A) k a m : skipn k (map f (seq a m)) = map f (seq (a + k) (m - k)).
  Proof.
    revert a m; induction k; intros a m; cbn; [now rewrite Nat.add_0_r, Nat.sub_0_r|].
    destruct m; cbn; auto. rewrite IHk. do 2 f_equal. lia.
  Qed.

  Lemma climb_prefix_S k v T total : fst (climb_prefix (S k) v T total)
    = fst (climb_prefix k (v / 2) T
        (if v mod 2 =? 1 then get T (v - 1) ** total else total)).
  Proof. cbn [climb_prefix]. destruct (v mod 2 =? 1); cbn; now destruct (climb_prefix _ _ _ _). Qed.

  Lemma climb_suffix_S k v T total : fst (climb_suffix (S k) v T total)
    = fst (climb_suffix k (v / 2) T
        (if v mod 2 =? 0 then total ** get T (v + 1) else total)).
  Proof. cbn [climb_suffix]. destruct (v mod 2 =? 0); cbn; now destruct (climb_suffix _ _ _ _). Qed.

  (* a level's first nodes are as much as the first of the level below *)
  Lemma climb_prefix_ok k h v T total : ok h T -> k <= h -> 2 ^ k <= v < 2 ^ S k ->
    fst (climb_prefix k v T total) = level_fold T (2 ^ k) (v - 2 ^ k) ** total.
  Proof.
    intros Hok. revert v total; induction k; intros v total Hk Hv.
    - cbn in *. replace (v - 1) with 0 by lia. unfold level_fold. cbn. now folds.
    - rewrite climb_prefix_S. cbn [Nat.pow] in Hv. rewrite IHk by (cbn; lia).
      assert (2 ^ S k <= 2 ^ h) by (apply Nat.pow_le_mono_r; lia). cbn in H. pose proof (pow_pos k).
      rewrite <- (@level_fold_double h) by (auto; lia). cbn [Nat.pow].
      destruct (Nat.eqb_spec (v mod 2) 1).
      + replace (v - 2 * 2 ^ k) with (2 * (v / 2 - 2 ^ k) + 1) by lia.
        rewrite level_fold_app, level_fold_S.
        unfold level_fold at 3. cbn. folds. do 3 f_equal. lia.
      + do 2 f_equal. lia.
  Qed.

  Lemma prefix_ok h i T : ok h T -> i < 2 ^ h -> fst (prefix h i T) = fold M (firstn (S i) (leaves
    h T)).
  Proof.
    intros H Hi. pose proof (pow_pos h). unfold prefix.
    rewrite (@climb_prefix_ok h h) by (auto; cbn; lia).
    rewrite (leaves_level_fold H), firstn_nodes by lia. fold (level_fold T (2 ^ h) (S i)).
    replace (S i) with (i + 1) by lia. rewrite level_fold_app. f_equal; [f_equal; lia|].
    unfold level_fold. cbn. now folds.
  Qed.

  Lemma climb_suffix_ok k h v T total : ok h T -> k <= h -> 2 ^ k <= v < 2 ^ S k ->
    fst (climb_suffix k v T total) = total ** level_fold T (S v) (2 ^ S k - S v).
  Proof.
    intros Hok. revert v total; induction k; intros v total Hk Hv.
    - assert (v = 1) by (cbn in Hv; lia). subst v. unfold level_fold. cbn. now folds.
    - rewrite climb_suffix_S. cbn [Nat.pow] in *. rewrite IHk by (cbn; lia).
      assert (2 ^ S k <= 2 ^ h) by (apply Nat.pow_le_mono_r; lia). cbn in H. pose proof (pow_pos k).
      rewrite <- (@level_fold_double h) by (auto; lia).
      destruct (Nat.eqb_spec (v mod 2) 0).
      + replace (2 * (2 * 2 ^ k) - S v) with (1 + 2 * (2 * 2 ^ k - S (v / 2))) by lia.
        rewrite level_fold_app. unfold level_fold at 2. cbn. folds. do 2 f_equal; [f_equal; lia|].
        f_equal; lia.
      + f_equal. f_equal; lia.
  Qed.

  Lemma suffix_ok h i T : ok h T -> i < 2 ^ h -> fst (suffix h i T) = fold M (skipn i (leaves h T)).
  Proof.
    intros H Hi. pose proof (pow_pos h). unfold suffix.
    rewrite (@climb_suffix_ok h h) by (auto; cbn; lia).
    rewrite (leaves_level_fold H), skipn_nodes. fold (level_fold T (2 ^ h + i) (2 ^ h - i)).
    replace (2 ^ h - i) with (S (2 ^ S h - S (2 ^ h + i))) by (cbn; lia). reflexivity.
  Qed.

  Lemma aggregate_ok h T : ok h T -> get T 1 = fold M (leaves h T).
  Proof.
    intro H. rewrite (leaves_level_fold H).
    cut (forall k, k <= h -> level_fold T (2 ^ k) (2 ^ k) = get T 1).
    { intro Q. symmetry. now apply Q. }
    induction k; intro Hk.
    - unfold level_fold. cbn. now folds.
    - assert (2 ^ S k <= 2 ^ h) by (apply Nat.pow_le_mono_r; lia). cbn in *. pose proof (pow_pos k).
      replace (2 ^ k + (2 ^ k + 0)) with (2 * 2 ^ k) by lia.
      rewrite (@level_fold_double h) by (auto; lia). apply IHk. lia.
  Qed.

  Lemma cover_ok h T : ok h T -> forall fuel a b, 1 <= a -> b <= 2 * 2 ^ h -> b - a < 2 ^ fuel ->
    let (low, high) := cover_sides fuel a b in
    fold M (map (get T) (low ++ high)) = level_fold T a (b - a).
  Proof.
    intro Hok. induction fuel; intros a b Ha Hb Hf; cbn in Hf.
    - replace (b - a) with 0 by lia. reflexivity.
    - cbn [cover_sides]. destruct (Nat.ltb_spec a b); [|replace (b - a) with 0 by lia; reflexivity].
      specialize (IHfuel ((a + 1) / 2) (b / 2) ltac:(lia) ltac:(lia) ltac:(lia)).
      destruct (cover_sides fuel ((a + 1) / 2) (b / 2)) as [low high].
      rewrite !map_app in *. autorewrite with folds in *.
      rewrite (associative (fold M (map (get T) low))), IHfuel, <- (@level_fold_double h) by (auto;
        lia).
      set (k := b / 2 - (a + 1) / 2).
      destruct (Nat.eqb_spec (a mod 2) 1), (Nat.eqb_spec (b mod 2) 1); cbn [app map]; folds.
      + replace (2 * ((a + 1) / 2)) with (a + 1) by lia.
        replace (b - a) with (1 + (2 * k + 1)) by lia.
        rewrite !level_fold_app, !level_fold_one. replace (a + 1 + 2 * k) with (b - 1) by lia.
        reflexivity.
      + replace (2 * ((a + 1) / 2)) with (a + 1) by lia. replace (b - a) with (1 + 2 * k) by lia.
        now rewrite !level_fold_app, !level_fold_one.
      + replace (2 * ((a + 1) / 2)) with a by lia. replace (b - a) with (2 * k + 1) by lia.
        rewrite !level_fold_app, !level_fold_one. replace (a + 2 * k) with (b - 1) by lia.
        reflexivity.
      + f_equal; lia.
  Qed.

  (** [P1] A node of the level whose first node is 2 ^ l holds the fold of the values below it.
      This is equation (4.2), level by level. *)
  Theorem node_folds_below h l v T values :
    relates h T values -> l <= h -> 2 ^ l <= v < 2 ^ S l ->
    get T v = fold M (firstn (2 ^ (h - l)) (skipn ((v - 2 ^ l) * 2 ^ (h - l)) values)).
  Proof.
    intros R Hl Hv. destruct (relates_ok R) as [K <-]. clear R.
    rewrite (leaves_level_fold K), skipn_nodes. pose proof (pow_pos (h - l)).
    assert (E : 2 ^ h = 2 ^ l * 2 ^ (h - l)) by (rewrite <- Nat.pow_add_r; f_equal; lia).
    cbn [Nat.pow] in Hv. rewrite firstn_nodes by nia.
    replace (2 ^ h + (v - 2 ^ l) * 2 ^ (h - l)) with (v * 2 ^ (h - l)) by nia.
    fold (level_fold T (v * 2 ^ (h - l)) (2 ^ (h - l))).
    assert (D : forall d, d <= h - l -> level_fold T (v * 2 ^ d) (2 ^ d) = get T v).
    { induction d as [|d IH]; intro Hd; [rewrite Nat.mul_1_r; apply level_fold_one|].
      replace (v * 2 ^ S d) with (2 * (v * 2 ^ d)) by (cbn; lia). cbn [Nat.pow].
      pose proof (pow_pos d). pose proof (pow_pos l).
      assert (2 ^ h = 2 * 2 ^ l * 2 ^ d * 2 ^ (h - l - S d)).
      { replace h with (S l + d + (h - l - S d)) at 1 by lia. rewrite !Nat.pow_add_r. cbn. lia. }
      pose proof (pow_pos (h - l - S d)).
      replace (2 ^ d + (2 ^ d + 0)) with (2 * 2 ^ d) by lia.
      assert ((v + 1) * 2 ^ d <= 2 * 2 ^ l * 2 ^ d) by nia.
      rewrite (@level_fold_double h T _ _ K); [apply IH; lia|nia|nia]. }
    symmetry. apply D. lia.
  Qed.

  (** [P2] The aggregate, which is the root, folds all values. *)
  Theorem aggregate_is_fold h T values : relates h T values -> get T 1 = fold M values.
  Proof. intro R. destruct (relates_ok R) as [K <-]. now apply aggregate_ok. Qed.

  (** [P2] A prefix folds the values at 0..i. *)
  Theorem prefix_is_fold h i T values : relates h T values -> i < 2 ^ h ->
    fst (prefix h i T) = fold M (firstn (S i) values).
  Proof. intro R. destruct (relates_ok R) as [K <-]. now apply prefix_ok. Qed.

  (** [P2] A suffix folds the values from i on. *)
  Theorem suffix_is_fold h i T values : relates h T values -> i < 2 ^ h ->
    fst (suffix h i T) = fold M (skipn i values).
  Proof. intro R. destruct (relates_ok R) as [K <-]. now apply suffix_ok. Qed.

  (** [P2] A range folds the values at i..j; it is the identity if j < i.
      Not claimed: how many combines that takes; the code makes one less than there are nodes. *)
  Theorem range_is_fold h i j T values : relates h T values -> j < 2 ^ h ->
    range h i j T = fold M (firstn (S j - i) (skipn i values)).
  Proof.
    intros R Hj. destruct (relates_ok R) as [K <-]. unfold range, cover.
    pose proof (@cover_ok h T K (S (S h)) (2 ^ h + i) (2 ^ h + j + 1)) as Q.
    pose proof (pow_pos h). specialize (Q ltac:(lia) ltac:(lia) ltac:(cbn; lia)).
    destruct (cover_sides _ _ _) as [low high]. rewrite Q. unfold level_fold.
    rewrite (leaves_level_fold K), skipn_nodes. destruct (le_lt_dec i j).
    - rewrite firstn_nodes by lia.
      now replace (2 ^ h + j + 1 - (2 ^ h + i)) with (S j - i) by lia.
    - replace (S j - i) with 0 by lia.
      replace (2 ^ h + j + 1 - (2 ^ h + i)) with 0 by lia. reflexivity.
  Qed.
End Answers.
