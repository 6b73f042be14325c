(** Running totals of queues
    Code: optimized/muntin/optimized/fifo/running_totals.py
    Text: proofs/two_stacks.md
    Idealised: the code's lists and deques are Coq's lists; a list that the code extends at its
    young end begins with its youngest item here. *)
From Muntin Require Import Monoid.
Set Implicit Arguments.

Section RunningTotals.
  Context {A : Type} (M : monoid A) {L : lawful M}.
  Implicit Types items rest : list A.

  (* For each item the fold from it to the end of rest, which follows. *)
  Fixpoint totals_through items rest : list A :=
    match items with
    | [] => []
    | x :: younger => fold M (items ++ rest) :: totals_through younger rest
    end.
  Definition suffix_totals items := totals_through items [].

  (* Items, youngest first, each with the fold of the list up to it. *)
  Fixpoint prefix_entries (items : list A) : list (A * A) :=
    match items with
    | [] => []
    | x :: older => (x, fold M (rev items)) :: prefix_entries older
    end.

  (* The total at the top of a list, or the identity. *)
  Definition first_total (totals : list A) : A := hd (identity M) totals.
  Definition top_total (entries : list (A * A)) : A :=
    match entries with [] => identity M | (_, total) :: _ => total end.

  Lemma totals_through_snoc items x rest :
    totals_through (items ++ [x]) rest = totals_through items (x :: rest) ++ [fold M (x :: rest)].
  Proof. induction items; cbn; [reflexivity|]. rewrite IHitems. now rewrite <- app_assoc. Qed.

  Lemma totals_through_length items rest : length (totals_through items rest) = length items.
  Proof. induction items; cbn; auto. Qed.

  Lemma suffix_totals_length items : length (suffix_totals items) = length items.
  Proof. apply totals_through_length. Qed.

  Lemma prefix_entries_length items : length (prefix_entries items) = length items.
  Proof. induction items; cbn; auto. Qed.

  Lemma first_of_suffix_totals items : first_total (suffix_totals items) = fold M items.
  Proof. destruct items; cbn; [reflexivity|]. now rewrite app_nil_r. Qed.

  Lemma top_of_prefix_entries items : top_total (prefix_entries items) = fold M (rev items).
  Proof. now destruct items. Qed.
End RunningTotals.
