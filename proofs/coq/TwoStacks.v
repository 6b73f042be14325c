(** Two-Stacks
    Code: optimized/muntin/optimized/fifo/two_stacks.py
    Text: proofs/two_stacks.md
    Idealised: the two stacks are lists that begin at their top. That an evict of an empty window
    raises, and that a raising combine leaves the window as it was, is not modelled. *)
From Muntin Require Import Monoid RunningTotals.
Set Implicit Arguments.

Section TwoStacks.
  Context {A : Type} (M : monoid A) {L : lawful M}.
  Implicit Types window : list A.

  (* front: suffix totals, oldest first; back: items with prefix totals, youngest first *)
  Record two_stacks := TwoStacks { front : list A; back : list (A * A) }.
  Definition empty := TwoStacks [] [].

  Definition insert x s : counted two_stacks :=
    let! total := counted_combine M (top_total M (back s)) x in
    (TwoStacks (front s) ((x, total) :: back s), 0).
  Fixpoint flip (entries : list (A * A)) total totals : counted (list A) :=
    match entries with
    | [] => (totals, 0)
    | (x, _) :: older =>
        let! next := counted_combine M x total in flip older next (next :: totals)
    end.
  Definition evict s : counted two_stacks :=
    match front s with
    | _ :: younger => (TwoStacks younger (back s), 0)
    | [] => let! totals := flip (back s) (identity M) [] in (TwoStacks (tl totals) [], 0)
    end.
  Definition query s : counted A :=
    counted_combine M (first_total M (front s)) (top_total M (back s)).

  (* S1 to S3: which window the two stacks stand for. *)
  Definition relates s window :=
    exists older younger,
      window = older ++ rev younger /\
      front s = suffix_totals M older /\
      back s = prefix_entries M younger.

  (** [S1-S3] The empty stacks stand for the empty window. *)
  Theorem empty_relates : relates empty [].
  Proof. now exists [], []. Qed.

  (** [S1-S3] An insert keeps the facts, and appends to the window. *)
  Theorem insert_relates x s window :
    relates s window -> relates (fst (insert x s)) (window ++ [x]).
  Proof.
    intros (f & b & -> & Hf & Hb). exists f, (x :: b). cbn.
    rewrite Hb, top_of_prefix_entries, app_assoc. folds. auto.
  Qed.

  (* A flip goes through the back from the young end: what it has made are the suffix totals of
     the items that it has passed. *)
  Lemma flip_relates entries passed total totals :
    total = fold M passed -> totals = suffix_totals M passed ->
    fst (flip (prefix_entries M entries) total totals)
      = suffix_totals M (rev entries ++ passed) /\
    snd (flip (prefix_entries M entries) total totals) = length entries.
  Proof.
    revert passed total totals; induction entries as [|a entries IH]; intros passed total totals ->
      ->; [auto|].
    destruct (IH (a :: passed) (combine M a (fold M passed))
                (combine M a (fold M passed) :: suffix_totals M passed)) as [E F].
    - now folds.
    - cbn. now rewrite app_nil_r.
    - cbn. destruct (flip _ _ _). cbn in *. rewrite <- app_assoc. auto.
  Qed.

  (** [S1-S3] An evict keeps the facts, and removes the oldest item.
      Not claimed: what an evict of an empty window does; the code raises. *)
  Theorem evict_relates s x window :
    relates s (x :: window) -> relates (fst (evict s)) window.
  Proof.
    intros (f & b & E & Hf & Hb). unfold evict. destruct f as [|y f]; rewrite Hf; cbn.
    - cbn in E. destruct (@flip_relates b [] (identity M) []) as [F _]; auto. rewrite Hb.
      destruct (flip _ _ _) as [o n]; cbn in *. rewrite F, app_nil_r, <- E.
      exists window, []. cbn. rewrite app_nil_r. auto.
    - injection E as -> ->. now exists f, b.
  Qed.

  (** [T1] A query is the fold of the window, and takes one combine. *)
  Theorem query_is_fold s window : relates s window -> query s = (fold M window, 1).
  Proof.
    intros (f & b & -> & Hf & Hb). unfold query, counted_combine.
    rewrite Hf, Hb, first_of_suffix_totals, top_of_prefix_entries. now folds.
  Qed.

  (* The credit is one for each item of the back: it pays for the flip. *)
  Definition credit s := length (back s).

  (** [T2] Amortised, an insert costs two combines: its own, and one that it puts aside. *)
  Theorem insert_cost x s :
    snd (insert x s) + credit (fst (insert x s)) = credit s + 2.
  Proof. unfold insert, credit. cbn. lia. Qed.

  (** [T2] Amortised, an evict costs nothing: a flip spends what inserts have put aside.
      Not claimed: that a single evict is cheap; it may cost the length of the window. *)
  Theorem evict_cost s x window : relates s (x :: window) ->
    snd (evict s) + credit (fst (evict s)) <= credit s.
  Proof.
    intros (f & b & E & Hf & Hb). unfold evict, credit.
    destruct f as [|y f]; rewrite Hf; cbn; [|lia].
    destruct (@flip_relates b [] (identity M) []) as [_ F]; auto. rewrite Hb.
    destruct (flip _ _ _) as [o n]; cbn in *. rewrite prefix_entries_length. lia.
  Qed.

  (** [T3] At most two partials an item are kept. *)
  Theorem space s window : relates s window ->
    length (front s) + 2 * length (back s) <= 2 * length window.
  Proof.
    intros (f & b & -> & -> & ->).
    rewrite suffix_totals_length, prefix_entries_length, app_length, rev_length. lia.
  Qed.
End TwoStacks.
