(** Subtract-on-evict
    Code: reference/muntin/reference/subtract_on_evict.py
    Text: reference/muntin/reference/subtract_on_evict.py
    Idealised: `drifts`, which folds anew now and then because floats are no group, is not
    modelled; the deque is a list, oldest first. *)
From Muntin Require Import Monoid.
Set Implicit Arguments.

Section SubtractOnEvict.
  Context {A : Type} (M : monoid A) {L : lawful M}.
  (* A1: takes off the oldest *)
  Variable invert_first : A -> A -> A.
  Definition inverts := forall x y, invert_first (combine M x y) x = y.
  Implicit Types window : list A.

  Record subtract_on_evict := Totalled { items : list A; total : A }.
  Definition empty := Totalled [] (identity M).
  Definition insert x s : counted subtract_on_evict :=
    let! next := counted_combine M (total s) x in (Totalled (items s ++ [x]) next, 0).
  Definition evict s : counted subtract_on_evict :=
    match items s with
    | [] => (s, 0)
    | x :: younger => (Totalled younger (invert_first (total s) x), 0)
    end.
  Definition query s : counted A := (total s, 0).

  (* S1, S2: the items are the window, and the total folds it. *)
  Definition relates s window := items s = window /\ total s = fold M window.

  (** [S1-S2] The empty queue stands for the empty window. *)
  Theorem empty_relates : relates empty [].
  Proof. split; reflexivity. Qed.

  (** [S1-S2] An insert keeps the facts, appends to the window, and takes one combine. *)
  Theorem insert_relates x s window : relates s window ->
    relates (fst (insert x s)) (window ++ [x]) /\ snd (insert x s) = 1.
  Proof. intros [H1 H2]. unfold relates, insert. cbn. rewrite H1, H2. now folds. Qed.

  (** [S1-S2] An evict keeps the facts if the monoid can take off its oldest item, and takes no
      combine.
      Not claimed: that subtraction of floats is exact; the facts then hold up to rounding. *)
  Theorem evict_relates s x window : inverts -> relates s (x :: window) ->
    relates (fst (evict s)) window /\ snd (evict s) = 0.
  Proof.
    intros I [H1 H2]. unfold relates, evict. rewrite H1. cbn. rewrite H2, fold_cons. now rewrite I.
  Qed.

  (** [S2] A query is the fold of the window, and takes no combine. *)
  Theorem query_is_fold s window : relates s window -> query s = (fold M window, 0).
  Proof. intros [_ H]. unfold query. now rewrite H. Qed.
End SubtractOnEvict.
