(** DABA Lite
    Code: optimized/muntin/optimized/fifo/daba_lite.py
    Text: proofs/daba_lite.md
    Idealised: as in Daba.v. *)
From Muntin Require Import Monoid RunningTotals.
Set Implicit Arguments.

Section DabaLite.
  Context {A : Type} (M : monoid A) {L : lawful M}.
  Implicit Types window : list A.

  Record daba_lite := DabaLite {
    ready : list A;      (* F to L, totals *)
    left : list A;       (* L to R, totals *)
    right : list A;      (* R to A, items, youngest first *)
    turned : list A;     (* A to B, totals *)
    back : list A;       (* B to E, items, youngest first *)
    rest_total : A;      (* of right and turned *)
    back_total : A }.
  Definition empty := DabaLite [] [] [] [] [] (identity M) (identity M).

  Definition flip d :=
    match left d, turned d with
    | [], [] =>
        DabaLite (left d) (ready d) (back d) (turned d) (right d) (back_total d) (rest_total d)
    | _, _ => d
    end.
  Definition advance d : counted daba_lite :=
    match left d, right d, turned d with
    | left_total :: lefts, x :: rights, _ =>
        let! next_ready := counted_combine M left_total (rest_total d) in
        let! next_turned := counted_combine M x (first_total M (turned d)) in
        (DabaLite (ready d ++ [next_ready]) lefts rights (next_turned :: turned d) (back d)
           (match lefts with [] => identity M | _ => rest_total d end) (back_total d), 0)
    | [], _, total :: totals =>
        (DabaLite (ready d ++ [total]) [] (right d) totals (back d) (rest_total d) (back_total d),
          0)
    | _, _, _ => (d, 0)
    end.
  Definition step d := advance (flip d).
  Definition insert x d : counted daba_lite :=
    match ready d with
    | [] =>
        (DabaLite [x] (left d) (right d) (turned d) (back d) (rest_total d) (back_total d), 0)
    | _ =>
        let! total := counted_combine M (back_total d) x in
        step (DabaLite (ready d) (left d) (right d) (turned d) (x :: back d) (rest_total d) total)
    end.
  Definition evict d : counted daba_lite :=
    match ready d with
    | [] => (d, 0)
    | _ :: totals =>
        step (DabaLite totals (left d) (right d) (turned d) (back d) (rest_total d) (back_total d))
    end.
  Definition query d : counted A :=
    counted_combine M (first_total M (ready d)) (back_total d).

  (* S1 and S3 to S7, for the items of each list; r and b are youngest first. *)
  Definition totals_hold d (in_ready in_left r in_turned b : list A) :=
    ready d = totals_through M in_ready (in_left ++ rev r ++ in_turned) /\
    left d = suffix_totals M in_left /\
    right d = r /\
    rest_total d = match in_left with [] => identity M | _ => fold M (rev r ++ in_turned) end /\
    turned d = suffix_totals M in_turned /\
    back d = b /\
    back_total d = fold M (rev b).
  Definition window_of (in_ready in_left r in_turned b : list A) :=
    in_ready ++ in_left ++ rev r ++ in_turned ++ rev b.
  (* S1 to S7 *)
  Definition relates d window :=
    exists in_ready in_left r in_turned b,
      totals_hold d in_ready in_left r in_turned b /\
      window = window_of in_ready in_left r in_turned b /\
      length in_left = length r /\
      length in_ready = length b + match window with [] => 0 | _ => 1 end.

  (** [P1] If the facts hold but for ready, which is as long as the back, then one step makes
      them all hold, and the window is the same. *)
  Theorem step_relates d in_ready in_left r in_turned b :
    totals_hold d in_ready in_left r in_turned b ->
    length in_left = length r -> length in_ready = length b ->
    relates (fst (step d)) (window_of in_ready in_left r in_turned b).
  Proof.
    rename in_ready into wr, in_left into wl, in_turned into wt.
    destruct d as [rd lf ri tu ba rt bt]. unfold totals_hold; cbn.
    intros (-> & -> & -> & -> & -> & -> & ->) Hl Hr.
    destruct wl as [|l wl].
    - destruct r; [|discriminate]. destruct wt as [|t wt].
      + (* flip *)
        destruct wr as [|l wr]; cbn.
        * destruct b; [|discriminate]. now exists [], [], [], [], [].
        * destruct b as [|x b]; [discriminate|]. cbn in *. unfold step, flip. cbn.
          unfold relates, window_of. exists [l], wr, b, [x], [].
          unfold totals_hold, suffix_totals. cbn. rewrite !app_nil_r. folds.
          repeat split; auto; try lia. destruct wr; cbn; now folds.
      + (* shift *)
        unfold step, flip. cbn. exists (wr ++ [t]), [], [], wt, b.
        unfold totals_hold, window_of. cbn.
        rewrite totals_through_snoc, app_nil_r, !app_length. repeat split; auto.
        * now rewrite <- app_assoc.
        * destruct wr; cbn in *; lia.
    - (* shrink *)
      destruct r as [|x r]; [discriminate|].
      unfold step, flip. cbn -[totals_through]. exists (wr ++ [l]), wl, r, (x :: wt), b.
      unfold totals_hold, window_of. cbn. rewrite totals_through_snoc, !app_length.
      rewrite first_of_suffix_totals, app_nil_r, <- !app_assoc. cbn in *. folds.
      repeat split; auto; try lia; try (now rewrite ?app_nil_r; folds).
      * now destruct wl.
      * destruct wr; cbn in *; lia.
  Qed.

  (** [S1-S7] The empty lists and two identities stand for the empty window. *)
  Theorem empty_relates : relates empty [].
  Proof. exists [], [], [], [], []. repeat split. Qed.

  (** [S1-S7] An insert keeps the facts, and appends to the window. *)
  Theorem insert_relates x d window :
    relates d window -> relates (fst (insert x d)) (window ++ [x]).
  Proof.
    intros (wr & wl & r & wt & b & H & -> & Hl & Hr). unfold insert.
    destruct H as (H1 & H2 & H3 & H4 & H5 & H6 & H7). destruct wr as [|y wr].
    - rewrite H1. cbn. unfold window_of in Hr. cbn in Hr.
      destruct b; [|cbn in Hr; lia]. destruct wl; [|cbn in Hr; lia]. destruct r; [|discriminate].
      destruct wt; [|cbn in Hr; lia].
      exists [x], [], [], [], []. unfold totals_hold, window_of. cbn.
      rewrite H2, H3, H4, H5, H6, H7. now folds.
    - replace (window_of (y :: wr) wl r wt b ++ [x]) with (window_of (y :: wr) wl r wt (x :: b))
        by (unfold window_of; cbn; now rewrite <- !app_assoc).
      rewrite H1. cbn [totals_through]. unfold counted_combine.
      pose proof (@step_relates (DabaLite (ready d) (left d) (right d) (turned d) (x :: back d)
        (rest_total d) (combine M (back_total d) x)) (y :: wr) wl r wt (x :: b)) as Q.
      rewrite H1 in *. cbn [totals_through] in *. destruct (step _) as [d' n]. apply Q; auto.
      + unfold totals_hold. cbn. rewrite H7.
        repeat split; auto; [now rewrite H6|now folds].
      + cbn in *. lia.
  Qed.

  (** [S1-S7] An evict keeps the facts, and removes the oldest item.
      Not claimed: what an evict of an empty window does; the code raises. *)
  Theorem evict_relates x d window :
    relates d (x :: window) -> relates (fst (evict d)) window.
  Proof.
    intros (wr & wl & r & wt & b & H & E & Hl & Hr). unfold evict.
    destruct H as (H1 & H2 & H3 & H4 & H5 & H6 & H7). destruct wr as [|y wr]; [cbn in Hr; lia|].
    rewrite H1. cbn. injection E as -> ->. apply step_relates; auto; [|cbn in Hr; lia].
    unfold totals_hold. repeat split; auto.
  Qed.

  (** [T1] A query is the fold of the window. *)
  Theorem query_is_fold d window : relates d window -> fst (query d) = fold M window.
  Proof.
    intros (wr & wl & r & wt & b & (H1 & H2 & H3 & H4 & H5 & H6 & H7) & -> & Hl & Hr).
    unfold query, counted_combine, window_of. rewrite H1, H7. destruct wr as [|y wr].
    - cbn. destruct wl, r, wt, b; cbn in *; try lia; try discriminate. now folds.
    - cbn. now folds.
  Qed.

  Lemma step_cost d : snd (step d) <= 2.
  Proof. unfold step, advance. destruct (flip d) as [? [|] [|] [|] ? ? ?]; cbn; lia. Qed.

  (** [T2] In the worst case an insert takes at most three combines, an evict at most two and a
      query one, in every state, even those that no history reaches.
      Not claimed: that all other work is constant. No definition has a loop, and ++ stands for an
      append at the end of a deque; the lines that the code runs are counted in tests. *)
  Theorem worst_case x d :
    snd (insert x d) <= 3 /\ snd (evict d) <= 2 /\ snd (query d) = 1.
  Proof.
    unfold insert, evict, counted_combine.
    destruct (ready d); cbn; repeat split; try lia; try apply step_cost.
    match goal with |- context [step ?d] => pose proof (step_cost d); destruct (step d) end.
    cbn in *. lia.
  Qed.

  (** [T3] One partial an item is kept, and the two totals. *)
  Theorem space d window : relates d window ->
    length (ready d) + length (left d) + length (right d) + length (turned d) + length (back d)
    = length window.
  Proof.
    intros (wr & wl & r & wt & b & (H1 & H2 & H3 & H4 & H5 & H6 & H7) & -> & Hl & Hr).
    rewrite H1, H2, H3, H5, H6, totals_through_length, !suffix_totals_length.
    unfold window_of. rewrite !app_length, !rev_length. lia.
  Qed.
End DabaLite.
