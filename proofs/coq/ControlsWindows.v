(** Controls of slicing and sessions
    False variants of the theorems, each refuted by a computed counterexample, and witnesses that
    the hypotheses of the theorems can be met. *)
From Muntin Require Monoid Cells Slicing Sessions.
Import Monoid.
Set Implicit Arguments.
Open Scope Z_scope.

Definition words := free nat.
Definition sums : monoid Z := Monoid 0 Z.add.

Module SlicingControls.
  Import Cells Slicing.
  Definition edges := [0; 10; 20].

  (** Witness of Cells.one_cell_one_set_of_windows, Slicing.slicing_with_tuples,
      Slicing.slices_partition_tuples, Slicing.slices_at_most: a time before all edges, and a
      window. *)
  Example edges_after : lies_before edges (-1) /\ In 0 edges /\ In 10 edges.
  Proof. split; [|cbn; tauto]. intros edge [<-|[<-|[<-|[]]]]; lia. Qed.

  (** Witness of Slicing.in_order_slicing: three events in order. *)
  Definition events : list (event (A := list nat)) := [(1, [1%nat]); (12, [2%nat]); (12, [3%nat])].
  Example events_ordered : ordered events.
  Proof.
    intros p x q y r E.
    destruct p as [|? [|? [|? p]]]; injection E as; subst; cbn; try lia.
    - destruct q as [|? [|? q]]; injection H0 as; subst; cbn; try lia. now destruct q.
    - destruct q as [|? q]; injection H1 as; subst; cbn; try lia. now destruct q.
    - now destruct q.
    - now destruct p.
  Qed.

  (** Witness of Slicing.commutative_slicing: sums commute. *)
  Example sums_commute : commutative sums.
  Proof. intros a b. apply Z.add_comm. Qed.

  (** Witness of Cells.every_edge_is_needed: one window, cut at its start and its end. *)
  Example one_window :
    (forall x, In x [0; 10] -> exists a b, (a = 0 /\ b = 10) /\ a < b /\ (x = a \/ x = b)) /\
    (forall t u, cell [0; 10] (-1) t = cell [0; 10] (-1) u ->
       forall a b, a = 0 /\ b = 10 -> inside a b t = inside a b u) /\
    NoDup [0; 10].
  Proof.
    split; [|split].
    - intros x [<-|[<-|[]]]; exists 0, 10; lia.
    - intros t u E a b [-> ->].
      apply (@one_cell_one_set_of_windows [0; 10] (-1)); cbn; auto.
      intros edge [<-|[<-|[]]]; lia.
    - repeat constructor; cbn; intuition lia.
  Qed.

  (** Control of Cells.one_cell_one_set_of_windows: the end of the window is no edge, as if slices
      began at starts only. *)
  Example cells_of_starts_only : ~ forall starts before a b t u,
    lies_before starts before -> In a starts -> cell starts before t = cell starts before u ->
    inside a b t = inside a b u.
  Proof.
    intro H. specialize (H [0] (-1) 0 10 5 15).
    assert (B : lies_before [0] (-1)) by (intros edge [<-|[]]; lia).
    specialize (H B (or_introl eq_refl) eq_refl). discriminate.
  Qed.

  (** Control of Cells.every_edge_is_needed: windows need not be made of whole pieces. *)
  Example cuts_anywhere : ~ forall (edges cuts : list Z) (window : Z -> Z -> Prop),
    (forall x, In x edges -> exists a b, window a b /\ a < b /\ (x = a \/ x = b)) ->
    NoDup edges -> incl edges cuts.
  Proof.
    intro H. specialize (H [0; 10] [] (fun a b => a = 0 /\ b = 10) (proj1 one_window)).
    destruct one_window as (_ & _ & N). now specialize (H N 0 (or_introl eq_refl)).
  Qed.

  (** Control of Slicing.in_order_slicing, Slicing.commutative_slicing: a late event, and a monoid
      that does not commute. *)
  Definition late : list (event (A := list nat)) := [(2, [2%nat]); (1, [1%nat])].
  Example slices_without_tuples_when_late : ~ forall events : list (event (A := list nat)),
    answer words 0 10 (slices_of words edges (-1) events)
    = denotation words 0 10 (event_order events).
  Proof. intro H. specialize (H late). discriminate. Qed.

  (** Control of Slicing.slicing_with_tuples: a window that ends at no edge. *)
  Example window_within_a_cell : ~ forall (events : list (event (A := list nat))) b,
    tuple_answer words 0 b (tuple_slices_of edges (-1) events)
    = denotation words 0 b (event_order events).
  Proof. intro H. specialize (H [(7, [1%nat])] 5). discriminate. Qed.

  (** Control of Slicing.slices_partition_tuples: tuples in the order of arrival. *)
  Example tuples_in_the_order_of_arrival : ~ forall events : list (event (A := list nat)),
    concat (map snd (tuple_slices_of edges (-1) events)) = events.
  Proof. intro H. specialize (H late). discriminate. Qed.

  (** Control of Slicing.slices_at_most: no slice before the first edge. *)
  Example a_slice_before_all_edges : ~ forall (edges : list Z) events,
    (length (tuple_slices_of (A := list nat) edges (-1) events) <= length edges)%nat.
  Proof.
    intro H. specialize (H [0] [(-1, [1%nat]); (1, [2%nat])]). vm_compute in H. lia.
  Qed.
End SlicingControls.

Module SessionsControls.
  Import Cells Sessions.
  Definition two_and_a_bridge := [Event 0 2 0%nat; Event 4 2 1%nat; Event 1 4 2%nat].
  Definition bridge_first := [Event 1 4 2%nat; Event 0 2 0%nat; Event 4 2 1%nat].
  Definition bridge_last := [Event 4 2 1%nat; Event 0 2 0%nat; Event 1 4 2%nat].
  Definition in_time := [Event 0 2 0%nat; Event 1 4 2%nat; Event 4 2 1%nat].

  (** Witness of Sessions.confluence, Sessions.contents: an event that joins two sessions, in any
      order of arrival. *)
  Example bridge_positive : gaps_positive two_and_a_bridge /\
    Permutation two_and_a_bridge bridge_first /\
    sessions 0 two_and_a_bridge = [((0, 6), bridge_last)].
  Proof.
    split; [|split].
    - intros ev [<-|[<-|[<-|[]]]]; cbn; lia.
    - unfold two_and_a_bridge, bridge_first.
      apply Permutation_sym, (Permutation_middle [Event 0 2 0%nat; Event 4 2 1%nat] []).
    - vm_compute. reflexivity.
  Qed.

  (** Witness of Sessions.sessions_are_specified, Sessions.aggregate: the same in order. *)
  Example bridge_in_order : Permutation two_and_a_bridge in_time /\ in_order in_time /\
    map fst (sessions 0 two_and_a_bridge) = specification 0 in_time.
  Proof.
    split; [|split].
    - apply perm_skip, perm_swap.
    - intros p x q y s E.
      destruct p as [|? [|? [|? p]]]; injection E as; subst; cbn; try lia.
      + destruct q as [|? [|? q]]; injection H0 as; subst; cbn; try lia. now destruct q.
      + destruct q as [|? q]; injection H1 as; subst; cbn; try lia. now destruct q.
      + now destruct q.
      + now destruct p.
    - reflexivity.
  Qed.

  (** Control of Sessions.confluence, Sessions.sessions_are_specified: a tuple fuses only the first
      session that it overlaps. *)
  Fixpoint fuse_first a b (held : list (Sessions.event nat)) (sessions : list (session nat)) :=
    match sessions with
    | [] => [(a, b, held)]
    | (l, h, others) :: later =>
        if b <=? l then (a, b, held) :: sessions
        else if h <=? a then (l, h, others) :: fuse_first a b held later
        else (Z.min a l, Z.max b h, others ++ held) :: later
    end.
  Definition sessions_first events :=
    fold_left (fun s ev => fuse_first (time ev) (time ev + gap ev) [ev] s) events [].
  Example fusing_one_session_only : ~ forall events others : list (Sessions.event nat),
    gaps_positive events -> Permutation events others ->
    map fst (sessions_first events) = map fst (sessions_first others).
  Proof.
    intro H. destruct bridge_positive as (G & P & _). specialize (H _ _ G P). discriminate.
  Qed.

  (** Control of Sessions.sessions_are_specified: events that are not in order. *)
  Example specification_out_of_order : ~ forall events : list (Sessions.event nat),
    gaps_positive events -> map fst (sessions 0 events) = specification 0 events.
  Proof.
    intro H. destruct bridge_positive as (G & _). specialize (H _ G). discriminate.
  Qed.

  (** Control of Sessions.contents: the end of a session belongs to it, though events exactly one
      gap apart are two sessions. *)
  Example end_included : ~ forall (events : list (Sessions.event nat)) l h held,
    gaps_positive events -> In (l, h, held) (sessions 0 events) ->
    length held = length (filter (fun ev => inside l (h + 1) (time ev)) events).
  Proof.
    intro H. specialize (H [Event 0 2 0%nat; Event 2 2 1%nat] 0 2 [Event 0 2 0%nat]).
    assert (G : gaps_positive [Event 0 2 0%nat; Event 2 2 1%nat]).
    { intros ev [<-|[<-|[]]]; cbn; lia. }
    specialize (H G (or_introl eq_refl)). discriminate.
  Qed.

  (** Control of Sessions.aggregate: a monoid that does not commute. *)
  Example session_of_words : ~ forall (events sorted : list (Sessions.event nat)) l h held,
    gaps_positive events -> Permutation events sorted -> In (l, h, held) (sessions 0 events) ->
    fold words (map (fun ev => [value ev]) held)
    = fold words (map (fun ev => [value ev]) (filter (fun ev => inside l h (time ev)) sorted)).
  Proof.
    intro H. destruct bridge_positive as (G & _ & E).
    specialize (H two_and_a_bridge in_time 0 6 bridge_last G (proj1 bridge_in_order)).
    rewrite E in H. specialize (H (or_introl eq_refl)). discriminate.
  Qed.
End SessionsControls.
