(** FlatFAT
    Code: optimized/muntin/optimized/flatfat/flatfat.py
    Text: proofs/flatfat.md
    Idealised: the height h stands for the capacity 2 ^ h; slots and locations are natural numbers,
    and slots outside the list cannot be written. Refused locations, of_identities, copies and
    visits are not modelled. The code's short cut for one write goes through the same nodes. *)
From Muntin Require Import Monoid.
Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.
Set Implicit Arguments.

Section FlatFat.
  Context {A : Type} {M : monoid A} {L : lawful M}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Implicit Types (T values : list A) (h v : nat) (writes : list (nat * A)).

  (* the aggregate of node v *)
  Definition get T v := nth v T (identity M).
  Fixpoint overwrite v x T :=
    match T, v with
    | [], _ => []
    | _ :: others, 0 => x :: others
    | y :: others, S u => y :: overwrite u x others
    end.
  Definition recompute T v := overwrite v (get T (2 * v) ** get T (2 * v + 1)) T.

  (* Algorithm 1 *)
  Definition inner_nodes values := rev (seq 1 (length values - 1)).
  Definition new values :=
    fold_left recompute (inner_nodes values) (repeat (identity M) (length values) ++ values).

  (* Algorithm 2: the leaves, then level by level each inner node above a changed one, once *)
  Definition parents nodes := nodup Nat.eq_dec (map (fun v => v / 2) nodes).
  Fixpoint nodes_above h nodes :=
    match h with
    | 0 => []
    | S below => parents nodes ++ nodes_above below (parents nodes)
    end.
  Definition leaf h (write : nat * A) := 2 ^ h + fst write.
  Definition write_leaf h T write := overwrite (leaf h write) (snd write) T.
  Definition touched h writes := nodes_above h (map (leaf h) writes).
  Definition update h writes T :=
    fold_left recompute (touched h writes) (fold_left (write_leaf h) writes T).

  (* Algorithm 3, with its combines counted *)
  Fixpoint climb_prefix h v T total : counted A :=
    match h with
    | 0 => (total, 0)
    | S above =>
        let! next :=
          if v mod 2 =? 1 then counted_combine M (get T (v - 1)) total else (total, 0) in
        climb_prefix above (v / 2) T next
    end.
  Definition prefix h i T := climb_prefix h (2 ^ h + i) T (get T (2 ^ h + i)).
  Fixpoint climb_suffix h v T total : counted A :=
    match h with
    | 0 => (total, 0)
    | S above =>
        let! next :=
          if v mod 2 =? 0 then counted_combine M total (get T (v + 1)) else (total, 0) in
        climb_suffix above (v / 2) T next
    end.
  Definition suffix h i T := climb_suffix h (2 ^ h + i) T (get T (2 ^ h + i)).
  (* _cover: the nodes low, and those of high, last first; fuel bounds the levels *)
  Fixpoint cover_sides fuel a b : list nat * list nat :=
    match fuel with
    | 0 => ([], [])
    | S rest =>
        if a <? b then
          let (low, high) := cover_sides rest ((a + 1) / 2) (b / 2) in
          ((if a mod 2 =? 1 then [a] else []) ++ low,
           high ++ (if b mod 2 =? 1 then [b - 1] else []))
        else ([], [])
    end.
  Definition cover h i j :=
    let (low, high) := cover_sides (S (S h)) (2 ^ h + i) (2 ^ h + j + 1) in low ++ high.
  Definition range h i j T := fold M (map (get T) (cover h i j)).

  (* equation (4.1) at a node *)
  Definition combines_children T v := get T v = get T (2 * v) ** get T (2 * v + 1).
  Definition ok h T :=
    length T = 2 * 2 ^ h /\ forall v, 1 <= v < 2 ^ h -> combines_children T v.
  Definition leaves h T := skipn (2 ^ h) T.
  Definition relates h T values :=
    length T = 2 * 2 ^ h /\                                        (* H1 *)
    leaves h T = values /\                                         (* H2 *)
    (forall v, 1 <= v < 2 ^ h -> combines_children T v) /\         (* H3 *)
    get T 0 = identity M.                                          (* H4 *)

  Lemma overwrite_length v x T : length (overwrite v x T) = length T.
  Proof. revert v; induction T; destruct v; cbn; auto. Qed.

  Lemma get_overwrite v x T u : v < length T -> get (overwrite v x T) u = if u =? v then x else get
    T u.
  Proof.
    unfold get; revert v u; induction T; intros v u H; cbn in *; [lia|].
    destruct v, u; cbn; auto. apply IHT; lia.
  Qed.

  Lemma skipn_overwrite n i x T : skipn n (overwrite (n + i) x T) = overwrite i x (skipn n T).
  Proof. revert T; induction n; destruct T; cbn; auto. now destruct i. Qed.

  Lemma skipn_overwrite_low n v x T : v < n -> skipn n (overwrite v x T) = skipn n T.
  Proof. revert T v; induction n; destruct T, v; cbn; intros; auto; try lia. apply IHn; lia. Qed.

  Lemma pow_pos h : 1 <= 2 ^ h.
  Proof. induction h; cbn; lia. Qed.

  (* a recompute makes its node hold (4.1), and touches no other but the parent *)
  Lemma recompute_node T v u :
    1 <= v -> 2 * v + 1 < length T -> combines_children T u \/ u = v -> u <> v / 2 \/ u = 0 ->
      combines_children (recompute T v) u \/ u = 0.
  Proof.
    intros Hv Hl G N. destruct (Nat.eq_dec u 0); [now right|left]. assert (u <> v / 2) by tauto.
    unfold combines_children, recompute in *. rewrite !get_overwrite by lia.
    destruct (Nat.eqb_spec u v), (Nat.eqb_spec (2 * u) v), (Nat.eqb_spec (2 * u + 1) v); try lia;
      subst; auto.
    now destruct G.
  Qed.

  Lemma recompute_all T vs k :
    (forall v, In v vs -> 2 ^ k <= v < 2 ^ S k) -> 2 * 2 ^ S k <= length T ->
    (forall u, u <> 0 -> 2 * u + 1 < length T -> combines_children T u \/ In u vs \/ In u (map (fun
      v => v / 2) vs)) ->
    forall u, u <> 0 -> 2 * u + 1 < length T ->
      combines_children (fold_left recompute vs T) u \/ In u (map (fun v => v / 2) vs).
  Proof.
    pose proof (pow_pos k) as Hp.
    cut (forall done T, (forall v, In v (vs ++ done) -> 2 ^ k <= v < 2 ^ S k) -> 2 * 2 ^ S k <=
      length T ->
      (forall u, u <> 0 -> 2 * u + 1 < length T -> combines_children T u \/ In u vs \/ In u (map
        (fun v => v / 2) (vs ++ done))) ->
      forall u, u <> 0 -> 2 * u + 1 < length T ->
      combines_children (fold_left recompute vs T) u \/ In u (map (fun v => v / 2) (vs ++ done))).
    { intros H ? ? H0. specialize (H [] T). rewrite app_nil_r in H. now apply H. }
    clear T. induction vs as [|v vs IH]; intros done T Hr Hl Hg u Hu Hlu; cbn.
    - destruct (Hg u Hu Hlu) as [|[[]|]]; auto.
    - assert (Hv : 2 ^ k <= v < 2 ^ S k) by (apply Hr; now left).
      specialize (IH (v :: done) (recompute T v)).
      assert (E : forall x, In x (map (fun v => v / 2) (vs ++ v :: done)) <-> v / 2 = x \/ In x
        (map (fun v => v / 2) (vs ++ done))).
      { intro x. rewrite !map_app. cbn. rewrite !in_app_iff. cbn. tauto. }
      rewrite <- E. apply IH; clear IH; auto; unfold recompute; try rewrite overwrite_length; auto.
      + intros w Hw. apply Hr. rewrite in_app_iff in *. cbn in *. tauto.
      + intros w Hw Hlw. rewrite E. fold (recompute T v).
        destruct (Nat.eq_dec w (v / 2)); [subst; auto|].
        destruct (Hg w Hw Hlw) as [G|[[<-|I]|I]]; auto.
        1, 2: left; match goal with |- combines_children _ ?x => destruct (@recompute_node T v x);
          auto; lia end.
  Qed.

  Lemma recompute_length vs T : length (fold_left recompute vs T) = length T.
  Proof. revert T; induction vs; intro T; cbn; auto. rewrite IHvs. apply overwrite_length. Qed.

  Lemma recompute_leaves vs T h : (forall v, In v vs -> v < 2 ^ h) -> skipn (2 ^ h) (fold_left
    recompute vs T) = skipn (2 ^ h) T.
  Proof.
    revert T; induction vs; intros T H; cbn; auto. rewrite IHvs by (intros; apply H; now right).
    apply skipn_overwrite_low, H. now left.
  Qed.

  Lemma nodes_above_ok k h vs T :
    k <= h -> (forall v, In v vs -> 2 ^ k <= v < 2 ^ S k) -> length T = 2 * 2 ^ h ->
    (forall u, u <> 0 -> 2 * u + 1 < length T -> combines_children T u \/ In u (map (fun v => v /
      2) vs)) ->
    ok h (fold_left recompute (nodes_above k vs) T) /\
    leaves h (fold_left recompute (nodes_above k vs) T) = leaves h T.
  Proof.
    revert vs T; induction k; intros vs T Hk Hr Hl Hg.
    - cbn. split; [split; [exact Hl|]|auto]. intros v Hv. destruct (Hg v) as [|I]; auto; try lia.
      apply in_map_iff in I as (w & <- & I). specialize (Hr _ I). cbn in Hr. lia.
    - cbn [nodes_above]. rewrite !fold_left_app.
      assert (Hi : forall x, In x (parents vs) <-> In x (map (fun v => v / 2) vs)) by (intro; apply
        nodup_In).
      assert (Hp : forall v, In v (parents vs) -> 2 ^ k <= v < 2 ^ S k).
      { intros v I. apply Hi, in_map_iff in I as (w & <- & I). specialize (Hr _ I). cbn in *. lia. }
      assert (2 ^ S k <= 2 ^ h) by (apply Nat.pow_le_mono_r; lia).
      destruct (IHk (parents vs) (fold_left recompute (parents vs) T)) as [R1 R2]; auto; try lia.
      + now rewrite recompute_length.
      + rewrite recompute_length. apply recompute_all with (k := k); auto; try lia.
        intros u Hu Hlu. rewrite !Hi. destruct (Hg u Hu Hlu); auto.
      + split; auto. rewrite R2. apply recompute_leaves. intros v I. apply Hp in I. lia.
  Qed.

  Lemma update_ok h writes T :
    ok h T -> (forall w, In w writes -> fst w < 2 ^ h) ->
    ok h (update h writes T) /\
    leaves h (update h writes T) = fold_left (fun l w => overwrite (fst w) (snd w) l) writes
      (leaves h T).
  Proof.
    intros [Hl Hg] Hw. unfold update.
    set (put := write_leaf h). unfold touched.
    assert (P : forall T, length T = 2 * 2 ^ h -> length (fold_left put writes T) = 2 * 2 ^ h /\
      leaves h (fold_left put writes T) = fold_left (fun l w => overwrite (fst w) (snd w) l) writes
        (leaves h T) /\
      forall u, u <> 0 -> 2 * u + 1 < 2 * 2 ^ h -> combines_children T u -> combines_children
        (fold_left put writes T) u \/ In u (map (fun v => v / 2) (map (leaf h) writes))).
    { clear Hg Hl T. induction writes as [|w ws IH]; intros T Hl; cbn; [auto|].
      destruct (IH ltac:(intros; apply Hw; now right) (put T w)) as (I1 & I2 & I3).
      { unfold put, write_leaf. now rewrite overwrite_length. }
      split; [auto|]. split.
      - rewrite I2. f_equal. unfold put, leaves, write_leaf, leaf. apply skipn_overwrite.
      - intros u Hu Hlu G. assert (fst w < 2 ^ h) by (apply Hw; now left).
        destruct (Nat.eq_dec u (leaf h w / 2)); [auto|]. destruct (I3 u); auto.
        unfold combines_children, put, write_leaf, leaf in *. rewrite !get_overwrite by lia.
        destruct (Nat.eqb_spec u (2 ^ h + fst w)), (Nat.eqb_spec (2 * u) (2 ^ h + fst w)),
          (Nat.eqb_spec (2 * u + 1) (2 ^ h + fst w)); auto; lia. }
    destruct (P T Hl) as (P1 & P2 & P3). rewrite <- P2. apply nodes_above_ok; auto; rewrite ?P1.
    - intros v I. apply in_map_iff in I as (w & <- & I). apply Hw in I. unfold leaf. cbn. lia.
    - intros u Hu Hlu. apply P3; auto. apply Hg. lia.
  Qed.

  Lemma new_ok h ls : length ls = 2 ^ h -> ok h (new ls) /\ leaves h (new ls) = ls.
  Proof.
    intro H. unfold new, inner_nodes. rewrite H.
    assert (Hl : length (repeat (identity M) (2 ^ h) ++ ls) = 2 * 2 ^ h) by (rewrite app_length,
      repeat_length; lia).
    pose proof (pow_pos h).
    split; [split|].
    - now rewrite recompute_length.
    - cut (forall m T, m <= 2 ^ h - 1 -> length T = 2 * 2 ^ h -> (forall v, m < v < 2 ^ h ->
        combines_children T v) ->
        forall v, 1 <= v < 2 ^ h -> combines_children (fold_left recompute (rev (seq 1 m)) T) v).
      { intro Q. apply Q; auto. lia. }
      clear Hl. induction m; intros T Hm Hl Hg v Hv; cbn -[seq]; [apply Hg; lia|].
      rewrite seq_S, rev_app_distr. cbn [rev app fold_left].
      assert (length (recompute T (S m)) = 2 * 2 ^ h) by (unfold recompute; rewrite
        overwrite_length; auto).
      apply IHm; auto; [lia|]. intros u Hu. destruct (@recompute_node T (S m) u); try lia; auto.
      destruct (Nat.eq_dec u (S m)); auto. left. apply Hg. lia.
    - unfold leaves. rewrite recompute_leaves.
      + rewrite skipn_app, repeat_length, Nat.sub_diag, skipn_all2 by (rewrite repeat_length; lia).
        reflexivity.
      + intros v I. rewrite <- in_rev, in_seq in I. lia.
  Qed.

  (* H4: nothing writes to slot 0 *)
  Lemma recompute_slot_0 nodes T : (forall v, In v nodes -> v <> 0) ->
    get (fold_left recompute nodes T) 0 = get T 0.
  Proof.
    revert T; induction nodes as [|v nodes IH]; intros T H; [reflexivity|]. cbn [fold_left].
    rewrite IH by (intros; apply H; now right). specialize (H v (or_introl eq_refl)).
    unfold recompute, get. destruct v; [easy|]. now destruct T.
  Qed.

  Lemma parents_level k nodes :
    (forall v, In v nodes -> 2 ^ S k <= v < 2 ^ S (S k)) ->
    forall v, In v (parents nodes) -> 2 ^ k <= v < 2 ^ S k.
  Proof.
    intros H v I. apply nodup_In, in_map_iff in I as (w & <- & I). apply H in I. cbn in *. lia.
  Qed.

  Lemma nodes_above_inner k nodes : (forall v, In v nodes -> 2 ^ k <= v < 2 ^ S k) ->
    forall v, In v (nodes_above k nodes) -> 1 <= v < 2 ^ k.
  Proof.
    revert nodes; induction k; intros nodes H v I; [easy|]. cbn [nodes_above] in I.
    pose proof (@parents_level k nodes H) as P. pose proof (pow_pos k).
    apply in_app_iff in I as [I|I]; [specialize (P v I); lia|].
    specialize (IHk _ P v I). cbn. lia.
  Qed.

  Lemma write_leaves_slot_0 h writes T : get (fold_left (write_leaf h) writes T) 0 = get T 0.
  Proof.
    revert T; induction writes as [|w writes IH]; intro T; [reflexivity|]. cbn [fold_left].
    rewrite IH. unfold write_leaf, leaf, get. pose proof (pow_pos h).
    destruct (2 ^ h + fst w) eqn:E; [lia|]. now destruct T.
  Qed.

  Lemma touched_inner h writes : (forall w, In w writes -> fst w < 2 ^ h) ->
    forall v, In v (touched h writes) -> 1 <= v < 2 ^ h.
  Proof.
    intros H. apply nodes_above_inner. intros v I. apply in_map_iff in I as (w & <- & I).
    apply H in I. unfold leaf. cbn. lia.
  Qed.

  (** [H1-H4] A new tree over 2 ^ h values has them as its leaves, and (4.1) at each inner node. *)
  Theorem new_relates h values : length values = 2 ^ h -> relates h (new values) values.
  Proof.
    intro H. destruct (@new_ok h values H) as [[H1 H3] H2]. repeat split; auto.
    unfold new, inner_nodes. rewrite recompute_slot_0.
    - rewrite H. pose proof (pow_pos h). now destruct (2 ^ h).
    - intros v I. apply in_rev, in_seq in I. lia.
  Qed.

  (** [H1-H4] An update overwrites these values and no other, and (4.1) holds again.
      Not claimed: that the locations are distinct; the code refuses others, and here the last write
      to a location wins. *)
  Theorem update_relates h writes T values :
    relates h T values -> (forall w, In w writes -> fst w < 2 ^ h) ->
    relates h (update h writes T)
      (fold_left (fun held write => overwrite (fst write) (snd write) held) writes values).
  Proof.
    intros (H1 & H2 & H3 & H4) Hw. destruct (@update_ok h writes T) as [[U1 U3] U2]; auto.
    { split; auto. }
    repeat split; auto; [now rewrite U2, H2|]. unfold update.
    rewrite recompute_slot_0, write_leaves_slot_0; auto.
    intros v I. apply (@touched_inner h writes Hw) in I. lia.
  Qed.

  Lemma relates_ok h T values : relates h T values -> ok h T /\ leaves h T = values.
  Proof. intros (H1 & H2 & H3 & H4). repeat split; auto; apply H3. Qed.
End FlatFat.
