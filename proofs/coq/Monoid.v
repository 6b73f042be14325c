(** Monoids and folds
    Code: spec/muntin/spec/algebra/monoid.py
    Text: spec/muntin/spec/algebra/monoid.py
    Idealised: values have an equality that Coq knows; a combine never raises. *)
From Coq Require Export List Arith ZArith Lia ZifyNat Bool Permutation.
Export ListNotations.
Set Implicit Arguments.

(* A1: an operation and its identity. Its laws are a class of their own, so that a statement
   shows whether it needs them. *)
Record monoid (A : Type) := Monoid { identity : A; combine : A -> A -> A }.
Existing Class monoid.

Class lawful {A} (M : monoid A) : Prop := {
  associative : forall a b c, combine M a (combine M b c) = combine M (combine M a b) c;
  identity_left : forall a, combine M (identity M) a = a;
  identity_right : forall a, combine M a (identity M) = a }.
Class commutative {A} (M : monoid A) : Prop :=
  commutes : forall a b, combine M a b = combine M b a.

(* Combined from the right, which is easier in proofs; [fold_is_reduce] says that it is A2. *)
Definition fold {A} (M : monoid A) (items : list A) : A :=
  fold_right (combine M) (identity M) items.
Arguments fold : simpl never.

Section Fold.
  Context {A : Type} (M : monoid A) {L : lawful M}.
  Implicit Types items others : list A.

  Lemma fold_nil : fold M [] = identity M.
  Proof. reflexivity. Qed.

  Lemma fold_cons a items : fold M (a :: items) = combine M a (fold M items).
  Proof. reflexivity. Qed.

  Lemma fold_app items others :
    fold M (items ++ others) = combine M (fold M items) (fold M others).
  Proof.
    induction items; cbn.
    - now rewrite fold_nil, identity_left.
    - now rewrite !fold_cons, IHitems, associative.
  Qed.

  Lemma associative_right a b c :
    combine M (combine M a b) c = combine M a (combine M b c).
  Proof. now rewrite associative. Qed.

  (** [A2] The fold of these files is the fold of the specification: from left to right,
      beginning with the identity.
      Not claimed: that Python's numbers satisfy the laws; those of floats do not. *)
  Theorem fold_is_reduce items :
    fold M items = fold_left (combine M) items (identity M).
  Proof.
    rewrite <- (identity_left (fold M items)). generalize (identity M) as a.
    induction items; intro b; cbn.
    - rewrite fold_nil. apply identity_right.
    - rewrite fold_cons, associative. apply IHitems.
  Qed.

  (** [A2] Where order does not matter to a monoid, it does not matter to a fold.
      Not claimed: anything of monoids that do not commute. *)
  Theorem fold_permutation {C : commutative M} items others :
    Permutation items others -> fold M items = fold M others.
  Proof.
    induction 1; rewrite ?fold_cons; try congruence.
    now rewrite !associative, (commutes y x).
  Qed.

  Lemma fold_identities n : fold M (repeat (identity M) n) = identity M.
  Proof. induction n; cbn; rewrite ?fold_cons, ?IHn; auto using identity_left. Qed.
End Fold.

(* Normal form of combines and folds. *)
Create HintDb folds.
#[export] Hint Rewrite @fold_nil @fold_cons @fold_app @associative_right @identity_left
  @identity_right using typeclasses eauto : folds.
Ltac folds := autorewrite with folds.

Global Arguments Nat.div : simpl never.
Global Arguments Nat.modulo : simpl never.
Global Arguments Z.mul : simpl never.
Global Arguments Z.add : simpl never.
Global Arguments Z.sub : simpl never.

(* A3: words under concatenation, the free monoid. *)
Definition free (X : Type) : monoid (list X) := Monoid [] (@app X).
#[export] Instance free_lawful X : lawful (free X).
Proof. split; cbn; intros; auto using app_assoc, app_nil_r. Qed.

(** [A3] The image of a word in a monoid, which is the fold of its letters' images, may be taken
    part by part: the image of several words in one is the fold of the images of each.
    Not claimed: that what is right over words is right over every monoid; for that an algorithm
    must be parametric besides, and proofs/parametric/ looks at that. *)
Theorem free_is_universal X A (M : monoid A) {L : lawful M} (image : X -> A) words :
  fold M (map image (fold (free X) words))
  = fold M (map (fun word => fold M (map image word)) words).
Proof.
  induction words as [|word words IH]; [reflexivity|].
  cbn [map]. rewrite fold_cons. cbn [combine free]. rewrite map_app. folds. now rewrite IH.
Qed.

(* A value, and how many combines it took. *)
Definition counted (X : Type) := (X * nat)%type.
Notation "'let!' x := c 'in' k" :=
  (let (x, n) := c in let (y, m) := k in (y, n + m))
  (at level 200, x name, right associativity).
Definition counted_combine {A} (M : monoid A) (a b : A) : counted A := (combine M a b, 1).
