(** Cost of FlatFAT
    Code: optimized/muntin/optimized/flatfat/flatfat.py
    Text: proofs/flatfat.md
    Idealised: a recompute is one combine and one visit, as in the code; other work is not
    counted. *)
From Muntin Require Import Monoid FlatFat.
Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.
Set Implicit Arguments.

(* touched_nodes of the code: on each level at most one node for each write, and at most all *)
Fixpoint touched_nodes h writes :=
  match h with
  | 0 => 0
  | S below => Nat.min writes (2 ^ below) + touched_nodes below writes
  end.

Lemma touched_nodes_monotone h m n : m <= n -> touched_nodes h m <= touched_nodes h n.
Proof. intro H. induction h; cbn; lia. Qed.

Lemma touched_nodes_all h m : touched_nodes h m + 1 <= 2 ^ h.
Proof. induction h; cbn [touched_nodes Nat.pow]; lia. Qed.

(** [T2] The paper's bound, m (1 + ceil (log2 (n / m))) for m writes and n = 2 ^ h values, with
    one to spare: c is any number with n <= m * 2 ^ c. *)
Theorem touched_nodes_bound h m c : 1 <= m -> 2 ^ h <= m * 2 ^ c ->
  touched_nodes h m + 1 <= m * (1 + c).
Proof.
  intro Hm. revert c; induction h; intros c H; cbn [touched_nodes]; [nia|].
  destruct c as [|c].
  - pose proof (touched_nodes_all (S h) m) as T. cbn [touched_nodes Nat.pow] in *. lia.
  - cbn [Nat.pow] in H. specialize (IHh c ltac:(nia)). nia.
Qed.

Section Cost.
  Context {A : Type} {M : monoid A}.
  Implicit Types (T values : list A) (h v i j : nat).

  (** [T1] A new tree over n values recomputes n - 1 nodes. *)
  Theorem new_cost values : length (inner_nodes values) = length values - 1.
  Proof. unfold inner_nodes. now rewrite rev_length, seq_length. Qed.

  Lemma parents_few k nodes : (forall v, In v nodes -> 2 ^ S k <= v < 2 ^ S (S k)) ->
    length (parents nodes) <= Nat.min (length nodes) (2 ^ k).
  Proof.
    intro H. apply Nat.min_glb.
    - rewrite <- (map_length (fun v => v / 2) nodes).
      apply NoDup_incl_length; [apply NoDup_nodup|]. intros v I. now apply nodup_In in I.
    - rewrite <- (seq_length (2 ^ k) (2 ^ k)).
      apply NoDup_incl_length; [apply NoDup_nodup|]. intros v I.
      apply (@parents_level k nodes H) in I. apply in_seq. cbn in I. lia.
  Qed.

  Lemma nodes_above_few k nodes : (forall v, In v nodes -> 2 ^ k <= v < 2 ^ S k) ->
    length (nodes_above k nodes) <= touched_nodes k (length nodes).
  Proof.
    revert nodes; induction k; intros nodes H; [cbn; lia|]. cbn [nodes_above touched_nodes].
    rewrite app_length. pose proof (@parents_few k nodes H) as P.
    specialize (IHk _ (@parents_level k nodes H)).
    pose proof (@touched_nodes_monotone k (length (parents nodes)) (length nodes) ltac:(lia)). lia.
  Qed.

  (** [T2] An update of m values recomputes at most touched_nodes (m) nodes: 4.2 (ii) and
      Claim 4.3.
      Not claimed: that some update needs as many; the controls have one. *)
  Theorem update_cost h (writes : list (nat * A)) :
    (forall write, In write writes -> fst write < 2 ^ h) ->
    length (touched h writes) <= touched_nodes h (length writes).
  Proof.
    intro H. unfold touched. rewrite <- (map_length (leaf h)). apply nodes_above_few.
    intros v I. apply in_map_iff in I as (w & <- & I). apply H in I. unfold leaf. cbn. lia.
  Qed.

  (** [T2] Each node is recomputed once on its level, and all are inner nodes. *)
  Theorem update_touches_inner_nodes h (writes : list (nat * A)) :
    (forall write, In write writes -> fst write < 2 ^ h) ->
    NoDup (touched h writes) /\ forall v, In v (touched h writes) -> 1 <= v < 2 ^ h.
  Proof.
    intro H. split; [|now apply touched_inner]. unfold touched.
    assert (R : forall v, In v (map (leaf h) writes) -> 2 ^ h <= v < 2 ^ S h).
    { intros v I. apply in_map_iff in I as (w & <- & I). apply H in I. unfold leaf. cbn. lia. }
    revert R. generalize (map (leaf h) writes) as nodes. clear H.
    induction h as [|k IH]; intros nodes R; [constructor|]. cbn [nodes_above].
    pose proof (@parents_level k nodes R) as P. specialize (IH _ P).
    assert (D : forall v, In v (parents nodes) -> ~ In v (nodes_above k (parents nodes))).
    { intros v I J. apply (@nodes_above_inner k _ P) in J. apply P in I. lia. }
    revert IH D. generalize (nodes_above k (parents nodes)) as others.
    assert (N : NoDup (parents nodes)) by apply NoDup_nodup. revert N.
    generalize (parents nodes) as level. clear.
    induction 1 as [|v level F N IH]; intros others G D; auto.
    cbn. constructor.
    - rewrite in_app_iff. intros [I|I]; [easy|]. apply (D v); cbn; auto.
    - apply IH; auto. intros w I. apply D. now right.
  Qed.

  (** [T3] A prefix and a suffix take at most h combines.
      Not claimed: that some take as many; the controls have the last location of a prefix and the
      first of a suffix, which do. *)
  Theorem prefix_suffix_cost h i T : snd (prefix h i T) <= h /\ snd (suffix h i T) <= h.
  Proof.
    unfold prefix, suffix. generalize (2 ^ h + i) as v. intro v.
    generalize (get T v) as total. revert v.
    induction h as [|k IH]; intros v total; [cbn; lia|]. cbn [climb_prefix climb_suffix]. split.
    - destruct (v mod 2 =? 1); cbn.
      + destruct (IH (v / 2) (combine M (get T (v - 1)) total)) as [H _].
        destruct (climb_prefix _ _ _ _). cbn in *. lia.
      + destruct (IH (v / 2) total) as [H _]. destruct (climb_prefix _ _ _ _). cbn in *. lia.
    - destruct (v mod 2 =? 0); cbn.
      + destruct (IH (v / 2) (combine M total (get T (v + 1)))) as [_ H].
        destruct (climb_suffix _ _ _ _). cbn in *. lia.
      + destruct (IH (v / 2) total) as [_ H]. destruct (climb_suffix _ _ _ _). cbn in *. lia.
  Qed.

  Definition nodes_taken fuel a b :=
    length (fst (cover_sides fuel a b)) + length (snd (cover_sides fuel a b)).
  Lemma nodes_taken_S fuel a b : a < b -> nodes_taken (S fuel) a b
    = (if a mod 2 =? 1 then 1 else 0) + (if b mod 2 =? 1 then 1 else 0)
      + nodes_taken fuel ((a + 1) / 2) (b / 2).
  Proof.
    intro H. unfold nodes_taken. cbn [cover_sides]. destruct (Nat.ltb_spec a b); [|lia].
    destruct (cover_sides fuel ((a + 1) / 2) (b / 2)). cbn [fst snd]. rewrite !app_length.
    destruct (a mod 2 =? 1), (b mod 2 =? 1); cbn; lia.
  Qed.

  Lemma nodes_taken_none fuel a b : b <= a -> nodes_taken fuel a b = 0.
  Proof.
    intro H. unfold nodes_taken. destruct fuel; [reflexivity|]. cbn [cover_sides].
    destruct (Nat.ltb_spec a b); [lia|reflexivity].
  Qed.

  (* The levels at the top are looked at one by one; below them a level takes at most two. *)
  Lemma nodes_taken_few k fuel a b : 2 ^ k <= a -> b <= 2 ^ S k ->
    nodes_taken fuel a b <= Nat.max 1 (2 * k - 2).
  Proof.
    revert fuel a b. induction k as [|k IH]; intros fuel a b Ha Hb.
    - cbn in *. destruct (le_lt_dec b a); [rewrite nodes_taken_none; lia|].
      assert (a = 1 /\ b = 2) as [-> ->] by lia.
      destruct fuel as [|[|fuel]]; cbv; lia.
    - destruct (le_lt_dec b a); [rewrite nodes_taken_none; lia|].
      destruct fuel as [|fuel]; [cbv [nodes_taken cover_sides fst snd length]; lia|].
      rewrite nodes_taken_S by lia. cbn [Nat.pow] in *.
      specialize (IH fuel ((a + 1) / 2) (b / 2) ltac:(lia) ltac:(lia)).
      destruct k as [|[|k]].
      + cbn in *. destruct (Nat.eqb_spec (a mod 2) 1), (Nat.eqb_spec (b mod 2) 1);
          rewrite ?nodes_taken_none by lia; lia.
      + cbn in Ha, Hb, IH |- *.
        destruct (Nat.eqb_spec (a mod 2) 1), (Nat.eqb_spec (b mod 2) 1); try lia.
        rewrite nodes_taken_none by lia. lia.
      + destruct (a mod 2 =? 1), (b mod 2 =? 1); lia.
  Qed.

  (** [T3] A range is made of at most 2 (h - 1) nodes, and of one if h < 2.
      Not claimed: that the nodes are as few as can be. *)
  Theorem range_cost h i j : j < 2 ^ h -> length (cover h i j) <= Nat.max 1 (2 * h - 2).
  Proof.
    intro H. unfold cover.
    pose proof (@nodes_taken_few h (S (S h)) (2 ^ h + i) (2 ^ h + j + 1)) as N.
    specialize (N ltac:(lia) ltac:(cbn [Nat.pow]; lia)). unfold nodes_taken in N.
    destruct (cover_sides _ _ _). cbn [fst snd] in N. now rewrite app_length.
  Qed.
End Cost.
