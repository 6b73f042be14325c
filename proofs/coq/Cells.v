(** Edges, and the cells between them
    Code: optimized/muntin/optimized/scotty/slices/edges.py
    Text: proofs/scotty.md
    Idealised: the edges are a finite list of times in any order, where the code keeps arithmetic
    progressions; a cell is named by its edge, and the one before all edges by a time `before`.
    How the code finds the next edge, and the minimal cover of progressions, are not modelled. *)
From Muntin Require Import Monoid.
Set Implicit Arguments.
Open Scope Z_scope.

(* whether a time lies in the window [a, b) *)
Definition inside a b t := (a <=? t) && (t <? b).
Global Arguments inside : simpl never.

(* the last edge at or before a time: it names the cell of the time *)
Definition cell (edges : list Z) before t :=
  fold_right (fun edge last => if edge <=? t then Z.max edge last else last) before edges.
Definition lies_before edges (before : Z) := forall edge, In edge edges -> before < edge.

Section Cells.
  Variables (edges : list Z) (before : Z).
  Hypothesis before_all : lies_before edges before.
  Local Notation cell := (cell edges before).

  Lemma cell_edge x t : In x edges -> x <= t <-> x <= cell t.
  Proof.
    unfold Cells.cell, lies_before in *. intro I. split.
    - intro H. induction edges as [|y l IH]; cbn; [easy|]. destruct I as [->|I].
      + destruct (Z.leb_spec x t); lia.
      + specialize (IH ltac:(intros; apply before_all; now right) I).
        destruct (Z.leb_spec y t); lia.
    - intro H. assert (B := before_all _ I).
      cut (fold_right (fun x acc => if x <=? t then Z.max x acc else acc) before edges <= Z.max
        before t); [lia|].
      clear. induction edges as [|y l IH]; cbn; [lia|]. destruct (Z.leb_spec y t); lia.
  Qed.

  Lemma cell_monotone t u : t <= u -> cell t <= cell u.
  Proof.
    unfold Cells.cell, lies_before in *. intro H. induction edges as [|y l IH]; cbn; [lia|].
    specialize (IH ltac:(intros; apply before_all; now right)).
    destruct (Z.leb_spec y t), (Z.leb_spec y u); lia.
  Qed.

  Lemma cell_in t : In (cell t) (before :: edges).
  Proof.
    unfold Cells.cell, lies_before in *. clear before_all.
    induction edges as [|y l IH]; cbn; [auto|]. destruct (y <=? t); cbn in *; [|tauto].
    destruct (Z.max_spec y (fold_right (fun x acc => if x <=? t then Z.max x acc else acc) before
      l)) as [[_ ->]|[_ ->]]; tauto.
  Qed.

  (** [E2] All times of one cell lie in the same windows, of those whose ends are edges: none of
      them begins or ends within.
      Not claimed: that the edges are those of the queries (E1), or arithmetic progressions (E3). *)
  Theorem one_cell_one_set_of_windows a b t u :
    In a edges -> In b edges -> cell t = cell u -> inside a b t = inside a b u.
  Proof.
    intros Ha Hb E. unfold inside.
    pose proof (@cell_edge a t Ha). pose proof (@cell_edge b t Hb).
    pose proof (@cell_edge a u Ha). pose proof (@cell_edge b u Hb). rewrite E in *.
    destruct (Z.leb_spec a t), (Z.leb_spec a u), (Z.ltb_spec t b), (Z.ltb_spec u b);
      cbn; auto; lia.
  Qed.

  (* the edge of a cell stands for its times *)
  Lemma inside_cell a b t : In a edges -> In b edges -> inside a b (cell t) = inside a b t.
  Proof.
    intros Ha Hb. unfold inside. pose proof (@cell_edge a t Ha). pose proof (@cell_edge b t Hb).
    destruct (Z.leb_spec a t), (Z.leb_spec a (cell t)), (Z.ltb_spec t b), (Z.ltb_spec (cell t) b);
      cbn; auto; lia.
  Qed.
End Cells.

Section Minimality.
  Variables (edges cuts : list Z) (before : Z) (window : Z -> Z -> Prop).
  Lemma cell_same x : ~ In x cuts -> cell cuts before (x - 1) = cell cuts before x.
  Proof.
    unfold Cells.cell, lies_before in *. induction cuts as [|y l IH]; cbn; intro N; auto.
    rewrite IH by tauto. assert (y <> x) by tauto.
    destruct (Z.leb_spec y (x - 1)), (Z.leb_spec y x); auto; lia.
  Qed.

  (** [E1] If cuts of the time line make each window a union of whole pieces, then there is a cut
      at every edge of a window, so there are at least as many cuts ([Traub20], section 5.3).
      Not claimed: that windows of no length need cuts, or that pieces without events are needed. *)
  Theorem every_edge_is_needed :
    (forall x, In x edges -> exists a b, window a b /\ a < b /\ (x = a \/ x = b)) ->
    (forall t u, cell cuts before t = cell cuts before u ->
       forall a b, window a b -> inside a b t = inside a b u) ->
    NoDup edges -> incl edges cuts /\ (length edges <= length cuts)%nat.
  Proof.
    intros needed whole N.
    assert (I : incl edges cuts); [|split; auto; now apply NoDup_incl_length].
    intros x I. destruct (in_dec Z.eq_dec x cuts) as [|F]; auto. exfalso.
    destruct (needed _ I) as (a & b & W & H & D).
    pose proof (@whole (x - 1) x (@cell_same x F) a b W) as Q. unfold inside in Q.
    destruct (Z.leb_spec a x), (Z.leb_spec a (x - 1)), (Z.ltb_spec x b), (Z.ltb_spec (x - 1) b);
      cbn in Q; try lia; easy.
  Qed.
End Minimality.
