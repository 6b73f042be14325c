(** Two-Stacks Lite
    Code: optimized/muntin/optimized/fifo/two_stacks_lite.py
    Text: proofs/two_stacks_lite.md
    Idealised: the deque is a list, oldest first. `unturned`, which lets a turn go on after a
    combine that raised, is zero between calls here (S4), and empty windows do not raise. *)
From Muntin Require Import Monoid RunningTotals.
Set Implicit Arguments.

Section TwoStacksLite.
  Context {A : Type} (M : monoid A) {L : lawful M}.
  Implicit Types window : list A.

  (* the first cut slots are suffix totals of the front, the others items of the back *)
  Record two_stacks_lite := Lite { slots : list A; cut : nat; back_total : A }.
  Definition empty := Lite [] 0 (identity M).

  Definition insert x s : counted two_stacks_lite :=
    let! total := counted_combine M (back_total s) x in (Lite (slots s ++ [x]) (cut s) total, 0).
  (* Items leave on the right, their totals enter on the left. *)
  Fixpoint turn unturned front_size queue : counted (list A) :=
    match unturned with
    | 0 => (queue, 0)
    | S rest =>
        let younger :=
          if unturned =? front_size then identity M else first_total M queue in
        let! total := counted_combine M (last queue (identity M)) younger in
        turn rest front_size (total :: removelast queue)
    end.
  Definition evict s : counted two_stacks_lite :=
    match cut s with
    | S size => (Lite (tl (slots s)) size (back_total s), 0)
    | 0 =>
        let size := length (slots s) in
        let! turned := turn size size (slots s) in (Lite (tl turned) (size - 1) (identity M), 0)
    end.
  Definition query s : counted A :=
    counted_combine M (if cut s =? 0 then identity M else first_total M (slots s)) (back_total s).

  (* S1 to S3 *)
  Definition relates s window :=
    exists older younger,
      window = older ++ younger /\
      slots s = suffix_totals M older ++ younger /\
      cut s = length older /\
      back_total s = fold M younger.

  (** [S1-S3] The empty queue stands for the empty window. *)
  Theorem empty_relates : relates empty [].
  Proof. now exists [], []. Qed.

  (** [S1-S3] An insert keeps the facts, and appends to the window. *)
  Theorem insert_relates x s window :
    relates s window -> relates (fst (insert x s)) (window ++ [x]).
  Proof.
    intros (f & b & -> & Hs & Hc & Ht). exists f, (b ++ [x]). cbn.
    rewrite Hs, Ht, <- !app_assoc. folds. auto.
  Qed.

  (* When some items have gone round, the queue is their suffix totals, and then the others. *)
  Lemma turn_relates waiting passed :
    turn (length waiting) (length waiting + length passed) (suffix_totals M passed ++ waiting)
    = (suffix_totals M (waiting ++ passed), length waiting).
  Proof.
    revert passed; induction waiting as [|x waiting IH] using rev_ind; intro passed.
    - cbn. now rewrite app_nil_r.
    - rewrite app_length, Nat.add_1_r. cbn [turn]. rewrite app_assoc, last_last, removelast_last.
      set (younger := if _ =? _ then _ else _).
      assert (E : younger = fold M passed).
      { subst younger. destruct passed as [|y passed].
        - now rewrite Nat.add_0_r, Nat.eqb_refl.
        - destruct (Nat.eqb_spec (S (length waiting)) (S (length waiting) + length (y :: passed))).
          + cbn in *. lia.
          + cbn. now rewrite app_nil_r. }
      rewrite E. cbn [counted_combine]. specialize (IH (x :: passed)).
      replace (length waiting + length (x :: passed)) with (S (length waiting) + length passed)
        in IH by (cbn; lia).
      unfold suffix_totals in *. cbn [totals_through app] in IH. rewrite app_nil_r, fold_cons in IH.
      unfold counted_combine. rewrite IH, <- app_assoc. reflexivity.
  Qed.

  (** [S1-S3] An evict keeps the facts, and removes the oldest item.
      Not claimed: what an evict of an empty window does; the code raises. *)
  Theorem evict_relates s x window :
    relates s (x :: window) -> relates (fst (evict s)) window.
  Proof.
    intros (f & b & E & Hs & Hc & Ht). unfold evict. destruct f as [|y f]; rewrite Hc; cbn.
    - cbn in *. subst b. rewrite Hs. pose proof (turn_relates (x :: window) []) as T.
      rewrite Nat.add_0_r, app_nil_r in T. cbn [app suffix_totals totals_through] in T.
      change (suffix_totals M [] ++ x :: window) with (x :: window) in *.
      rewrite T. exists window, []. cbn. rewrite !app_nil_r. repeat split; auto. lia.
    - injection E as -> ->. exists f, b. cbn. rewrite Hs. cbn. repeat split; auto.
  Qed.

  (** [T1] A query is the fold of the window, and takes one combine. *)
  Theorem query_is_fold s window : relates s window -> query s = (fold M window, 1).
  Proof.
    intros (f & b & -> & Hs & Hc & Ht). unfold query, counted_combine. rewrite Hs, Hc, Ht.
    destruct f as [|y f]; cbn; rewrite ?app_nil_r; now folds.
  Qed.

  (* The credit is one for each item of the back: it pays for the turn. *)
  Definition credit s := length (slots s) - cut s.

  (** [T2] Amortised, an insert costs two combines: its own, and one that it puts aside. *)
  Theorem insert_cost x s window : relates s window ->
    snd (insert x s) + credit (fst (insert x s)) = credit s + 2.
  Proof.
    intros (f & b & -> & Hs & Hc & Ht). unfold insert, credit. cbn.
    rewrite Hs, Hc, !app_length, suffix_totals_length. cbn. lia.
  Qed.

  (** [T2] Amortised, an evict costs nothing: a turn spends what inserts have put aside.
      Not claimed: that a single evict is cheap; it may cost the length of the window. *)
  Theorem evict_cost s x window : relates s (x :: window) ->
    snd (evict s) + credit (fst (evict s)) <= credit s.
  Proof.
    intros (f & b & E & Hs & Hc & Ht). unfold evict, credit. destruct f as [|y f]; rewrite Hc; cbn.
    - cbn in *. subst b. rewrite Hs. pose proof (turn_relates (x :: window) []) as T.
      rewrite Nat.add_0_r, app_nil_r in T.
      change (suffix_totals M [] ++ x :: window) with (x :: window) in *.
      rewrite T. cbn. rewrite totals_through_length. lia.
    - rewrite Hs. cbn. lia.
  Qed.

  (** [T3] There is one slot an item; the back total is one partial more.
      Not claimed: the one that a turn makes while it lasts. *)
  Theorem space s window : relates s window -> length (slots s) = length window.
  Proof.
    intros (f & b & -> & -> & _). now rewrite !app_length, suffix_totals_length.
  Qed.
End TwoStacksLite.
