(** The ring of the Reactive Aggregator
    Code: optimized/muntin/optimized/flatfat/reactive.py
    Text: proofs/reactive.md
    Idealised: a ring is its tree, its front and what its slots hold, holes as the identity.
    How holes come and go, the choice of capacities, and times are in Reactive.v; costs are not
    modelled. *)
From Muntin Require Import Monoid FlatFat FlatFatAnswers.
Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.
Set Implicit Arguments.

Section Ring.
  Context {A : Type} {M : monoid A} {L : lawful M}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Implicit Types (T held items : list A) (h front span : nat).

  (* From the front on, all round, come the slots held, holes among them being the identity, and
     then vacant slots. This is S6, with the order that S1 gives. *)
  Definition ring h T front held :=
    skipn front (leaves h T) ++ firstn front (leaves h T)
    = held ++ repeat (identity M) (2 ^ h - length held).
  Definition ring_relates h T front held :=
    relates h T (leaves h T) /\ front < 2 ^ h /\ length held <= 2 ^ h /\ ring h T front held.
  (* section 5.1.2: the root, unless the ring is inverted *)
  Definition query h front span T :=
    if span =? 0 then identity M
    else if 2 ^ h <? front + span
    then fst (suffix h front T) ** fst (prefix h ((front + span - 1) mod 2 ^ h) T)
    else get T 1.
  Definition resize h items := new (items ++ repeat (identity M) (2 ^ h - length items)).

  Lemma ring_query h T front held : ok h T -> front < 2 ^ h -> 1 <= length held <= 2 ^ h ->
    ring h T front held -> query h front (length held) T = fold M held.
  Proof.
    intros H Hf Hs R. unfold query, ring in *.
    destruct (Nat.eqb_spec (length held) 0); [lia|].
    assert (Hl : length (leaves h T) = 2 ^ h) by (unfold leaves; rewrite skipn_length; destruct H;
      lia).
    destruct (Nat.ltb_spec (2 ^ h) (front + length held)).
    - assert (E : (front + length held - 1) mod 2 ^ h = front + length held - 1 - 2 ^ h).
      { symmetry. apply Nat.mod_unique with (q := 1); lia. }
      rewrite E, (@suffix_ok A M L), (@prefix_ok A M L) by (auto; lia).
      rewrite <- (@fold_app _ M L).
      replace (S (front + length held - 1 - 2 ^ h)) with (front + length held - 2 ^ h) by lia.
      apply (f_equal (firstn (length held))) in R.
      rewrite !firstn_app, firstn_all, Nat.sub_diag, skipn_length, Hl, firstn_firstn in R. cbn in R.
      rewrite app_nil_r, firstn_all2 in R by (rewrite skipn_length; lia). f_equal.
      etransitivity; [|exact R]. do 2 f_equal. lia.
    - rewrite (@aggregate_ok A M L _ _ H), <- (firstn_skipn front (leaves h T)).
      assert (Hv : firstn front (leaves h T) = repeat (identity M) front).
      { apply (f_equal (skipn (2 ^ h - front))) in R.
        rewrite !skipn_app, skipn_length, Hl, Nat.sub_diag, (skipn_all2 (skipn front (leaves h
          T))), (skipn_all2 held) in R
          by (rewrite ?skipn_length; lia).
        cbn in R. rewrite R. clear R.
        replace (2 ^ h - length held) with ((2 ^ h - front - length held) + front) by lia.
        set (k := 2 ^ h - front - length held). rewrite repeat_app, skipn_app, repeat_length.
        rewrite (@skipn_all2 _ k (repeat (identity M) k)), Nat.sub_diag by (rewrite repeat_length;
          lia). reflexivity. }
      apply (f_equal (fold M)) in R.
      rewrite !(@fold_app _ M L), Hv, ?(@fold_identities A M L) in *.
      now autorewrite with folds in *.
  Qed.

  Lemma ring_resize h items : length items <= 2 ^ h ->
    ok h (resize h items) /\ ring h (resize h items) 0 items /\ get (resize h items) 1 = fold M
      items.
  Proof.
    intro H.
    destruct (@new_ok A M h (items ++ repeat (identity M) (2 ^ h - length items))) as [R1 R2].
    { rewrite app_length, repeat_length. lia. }
    fold (resize h items) in *. split; auto. split.
    - unfold ring. cbn. now rewrite app_nil_r.
    - rewrite (@aggregate_ok A M L _ _ R1), R2. folds. rewrite (@fold_identities A M L). now folds.
  Qed.

  (** [S6, T1] A query is the fold of what the ring holds, whether or not it is inverted.
      Not claimed: its cost, which is that of a suffix, a prefix (FlatFatCost.v) and one combine. *)
  Theorem query_is_fold h T front held :
    ring_relates h T front held -> query h front (length held) T = fold M held.
  Proof.
    intros (R & Hf & Hl & Hr). destruct (relates_ok R) as [K _]. destruct held as [|x held].
    - reflexivity.
    - apply ring_query; auto. cbn in *. lia.
  Qed.

  (** [S6] A resize puts the items, without holes, into a tree of any capacity that holds them.
      Not claimed: which capacity the code chooses (see Reactive.v), and what that costs (T4). *)
  Theorem resize_relates h items : length items <= 2 ^ h -> ring_relates h (resize h items) 0 items.
  Proof.
    intro H. pose proof (pow_pos h). destruct (@ring_resize h items H) as (K & R & _).
    repeat split; auto; try lia; try apply K. unfold resize.
    edestruct (@new_relates A M h) as (_ & _ & _ & Z); [|exact Z].
    rewrite app_length, repeat_length. lia.
  Qed.
End Ring.
