(** Controls of monoids and queues
    False variants of the theorems, each refuted by a computed counterexample, and witnesses that
    the hypotheses of the theorems can be met. *)
From Muntin Require Monoid RunningTotals TwoStacks TwoStacksLite SubtractOnEvict Daba DabaLite.
Import Monoid.
Set Implicit Arguments.

Definition words := free nat.
Definition sums : monoid Z := Monoid 0%Z Z.add.
Definition differences : monoid Z := Monoid 0%Z Z.sub. (* no monoid: it breaks two laws *)
Definition maxima : monoid nat := Monoid 0 Nat.max.

(** Witness of Monoid.fold_is_reduce, Monoid.free_is_universal: sums satisfy the laws. *)
Example sums_lawful : lawful sums.
Proof. split; cbn; intros; lia. Qed.

(** Witness of Monoid.fold_permutation: sums satisfy the laws and commute, and lists have
    permutations. *)
Example sums_commute : lawful sums /\ commutative sums /\ Permutation [1; 2]%Z [2; 1]%Z.
Proof. split; [apply sums_lawful|]. split; [intros a b; apply Z.add_comm|apply perm_swap]. Qed.

(** Control of Monoid.fold_is_reduce: without the laws. *)
Example fold_is_reduce_without_laws :
  ~ forall items, fold differences items = fold_left Z.sub items 0%Z.
Proof. intro H. specialize (H [1]%Z). discriminate. Qed.

(** Control of Monoid.fold_permutation: without commutativity. *)
Example fold_permutation_of_words :
  ~ forall items others, Permutation items others -> fold words items = fold words others.
Proof. intro H. specialize (H [[1]; [2]] [[2]; [1]] (perm_swap _ _ _)). discriminate. Qed.

(** Control of Monoid.free_is_universal: without the laws. *)
Example free_is_universal_without_laws :
  ~ forall parts, fold differences (map Z.of_nat (fold words parts))
    = fold differences (map (fun part => fold differences (map Z.of_nat part)) parts).
Proof. intro H. specialize (H [[1; 2]; [3]]). vm_compute in H. discriminate. Qed.

Module TwoStacksControls.
  Import RunningTotals TwoStacks.
  Definition three := TwoStacks [[1]] [([3], [2; 3]); ([2], [2])].
  Definition window := [[1]; [2]; [3]].

  (** Witness of TwoStacks.insert_relates, TwoStacks.evict_relates, TwoStacks.query_is_fold,
      TwoStacks.evict_cost, TwoStacks.space: a front of one item and a back of two. *)
  Example three_relates : relates words three window.
  Proof. now exists [[1]], [[3]; [2]]. Qed.
  Definition unflipped := TwoStacks [] [([3], [1; 2; 3]); ([2], [1; 2]); ([1], [1])].
  Example unflipped_relates : relates words unflipped window.
  Proof. now exists [], [[3]; [2]; [1]]. Qed.

  (** Control of TwoStacks.empty_relates: the empty stacks stand for a window of one item. *)
  Example empty_is_not_one : ~ relates words (empty (A := list nat)) [[1]].
  Proof. intro H. apply query_is_fold in H; [|apply free_lawful]. discriminate. Qed.

  (** Control of TwoStacks.query_is_fold: the back before the front. *)
  Example query_back_first : ~ forall s held, relates words s held ->
    combine words (top_total words (back s)) (first_total words (front s)) = fold words held.
  Proof. intro H. specialize (H _ _ three_relates). discriminate. Qed.

  (** Control of TwoStacks.insert_relates: an insert that combines the new item on the left. *)
  Definition insert_left x s :=
    TwoStacks (front s) ((x, combine words x (top_total words (back s))) :: back s).
  Example insert_on_the_left : ~ forall x s held,
    relates words s held -> relates words (insert_left x s) (held ++ [x]).
  Proof.
    intro H. specialize (H [4] _ _ three_relates).
    apply query_is_fold in H; [discriminate|apply free_lawful].
  Qed.

  (** Control of TwoStacks.evict_relates: a flip from the old end, which gives prefix totals. *)
  Definition evict_from_old s :=
    match front s with
    | _ :: younger => TwoStacks younger (back s)
    | [] => TwoStacks (tl (fst (flip words (rev (back s)) (identity words) []))) []
    end.
  Example flip_from_the_old_end : ~ forall s x held,
    relates words s (x :: held) -> relates words (evict_from_old s) held.
  Proof.
    intro H. specialize (H _ _ _ unflipped_relates).
    apply query_is_fold in H; [discriminate|apply free_lawful].
  Qed.

  (** Control of TwoStacks.insert_cost: amortised, an insert costs one combine only. *)
  Example insert_puts_one_aside :
    ~ forall x s, snd (insert words x s) + credit (fst (insert words x s)) <= credit s + 1.
  Proof. intro H. specialize (H [1] (TwoStacks [] [])). vm_compute in H. lia. Qed.

  (** Control of TwoStacks.evict_cost: no single evict costs more than two combines. *)
  Example evict_is_not_constant :
    ~ forall s x held, relates words s (x :: held) -> snd (evict words s) <= 2.
  Proof. intro H. specialize (H _ _ _ unflipped_relates). vm_compute in H. lia. Qed.

  (** Control of TwoStacks.space: fewer than two partials an item. *)
  Example space_is_attained : ~ forall s held, relates words s held ->
    length (front s) + 2 * length (back s) <= 2 * length held - 1.
  Proof. intro H. specialize (H _ _ unflipped_relates). vm_compute in H. lia. Qed.
End TwoStacksControls.

Module TwoStacksLiteControls.
  Import RunningTotals TwoStacksLite.
  Definition window := [[1]; [2]; [3]].
  Definition three := Lite [[1]; [2]; [3]] 1 [2; 3].
  Definition unturned := Lite [[1]; [2]; [3]] 0 [1; 2; 3].

  (** Witness of TwoStacksLite.insert_relates, TwoStacksLite.evict_relates,
      TwoStacksLite.query_is_fold, TwoStacksLite.insert_cost, TwoStacksLite.evict_cost,
      TwoStacksLite.space: a front of one item and a back of two. *)
  Example three_relates : relates words three window.
  Proof. now exists [[1]], [[2]; [3]]. Qed.
  Example unturned_relates : relates words unturned window.
  Proof. now exists [], [[1]; [2]; [3]]. Qed.

  (** Control of TwoStacksLite.empty_relates: the empty queue stands for a window of one item. *)
  Example empty_is_not_one : ~ relates words (empty words) [[1]].
  Proof. intro H. apply query_is_fold in H; [|apply free_lawful]. discriminate. Qed.

  (** Control of TwoStacksLite.query_is_fold: slot 0 is read though the front is empty. *)
  Example query_reads_slot_0 : ~ forall s held, relates words s held ->
    combine words (first_total words (slots s)) (back_total s) = fold words held.
  Proof. intro H. specialize (H _ _ unturned_relates). discriminate. Qed.

  (** Control of TwoStacksLite.insert_relates: an insert that forgets the back total. *)
  Example insert_without_total : ~ forall x s held, relates words s held ->
    relates words (Lite (slots s ++ [x]) (cut s) (back_total s)) (held ++ [x]).
  Proof.
    intro H. specialize (H [4] _ _ three_relates).
    apply query_is_fold in H; [discriminate|apply free_lawful].
  Qed.

  (** Control of TwoStacksLite.evict_relates: a turn that combines each item with the identity. *)
  Definition evict_forgetting s :=
    match cut s with
    | S size => Lite (tl (slots s)) size (back_total s)
    | 0 => Lite (tl (slots s)) (length (slots s) - 1) (identity words)
    end.
  Example turn_without_totals : ~ forall s x held,
    relates words s (x :: held) -> relates words (evict_forgetting s) held.
  Proof.
    intro H. specialize (H _ _ _ unturned_relates).
    apply query_is_fold in H; [discriminate|apply free_lawful].
  Qed.

  (** Control of TwoStacksLite.insert_cost: amortised, an insert costs one combine only. *)
  Example insert_puts_one_aside : ~ forall x s held, relates words s held ->
    snd (insert words x s) + credit (fst (insert words x s)) <= credit s + 1.
  Proof. intro H. specialize (H [1] _ _ three_relates). vm_compute in H. lia. Qed.

  (** Control of TwoStacksLite.evict_cost: no single evict costs more than two combines. *)
  Example evict_is_not_constant :
    ~ forall s x held, relates words s (x :: held) -> snd (evict words s) <= 2.
  Proof. intro H. specialize (H _ _ _ unturned_relates). vm_compute in H. lia. Qed.

  (** Control of TwoStacksLite.space: fewer slots than items. *)
  Example space_is_attained :
    ~ forall s held, relates words s held -> length (slots s) <= length held - 1.
  Proof. intro H. specialize (H _ _ three_relates). vm_compute in H. lia. Qed.
End TwoStacksLiteControls.

Module SubtractOnEvictControls.
  Import SubtractOnEvict.

  (** Witness of SubtractOnEvict.evict_relates: sums can be taken off. *)
  Example sums_invert : inverts sums (fun total x => total - x)%Z.
  Proof. intros x y. cbn. lia. Qed.

  (** Witness of SubtractOnEvict.insert_relates, SubtractOnEvict.query_is_fold: two items. *)
  Example two_relates : relates words (Totalled [[1]; [2]] [1; 2]) [[1]; [2]].
  Proof. now split. Qed.

  (** Control of SubtractOnEvict.empty_relates: the empty queue stands for a window of one item. *)
  Example empty_is_not_one : ~ relates words (empty words) [[1]].
  Proof. intros [H _]. discriminate. Qed.

  (** Control of SubtractOnEvict.insert_relates: the new item is combined on the left. *)
  Example insert_on_the_left : ~ forall x s held, relates words s held ->
    relates words (Totalled (items s ++ [x]) (combine words x (total s))) (held ++ [x]).
  Proof. intro H. destruct (H [3] _ _ two_relates) as [_ E]. discriminate. Qed.

  (** Control of SubtractOnEvict.evict_relates: maxima, from which nothing can be taken off. *)
  Example maxima_cannot_be_taken_off : ~ forall s x held, relates maxima s (x :: held) ->
    relates maxima (fst (evict Nat.sub s)) held.
  Proof.
    intro H. destruct (H (Totalled [1; 2] 2) 1 [2]) as [_ E]; [now split|]. discriminate.
  Qed.

  (** Control of SubtractOnEvict.query_is_fold: the total folds the items from the young end. *)
  Example query_from_the_young_end :
    ~ forall s held, relates words s held -> fst (query s) = fold words (rev held).
  Proof. intro H. specialize (H _ _ two_relates). discriminate. Qed.
End SubtractOnEvictControls.

Module DabaControls.
  Import RunningTotals Daba.
  (* the state after n inserts *)
  Definition after n :=
    fold_left (fun d x => fst (insert words [x] d)) (seq 1 n) (empty (A := list nat)).
  Lemma after_relates n : relates words (after n) (map (fun x => [x]) (seq 1 n)).
  Proof.
    unfold after. generalize 1 as k.
    assert (R : forall k d held, relates words d held ->
      relates words (fold_left (fun d x => fst (insert words [x] d)) (seq k n) d)
        (held ++ map (fun x => [x]) (seq k n))).
    { induction n as [|n IH]; intros k d held H; cbn; [now rewrite app_nil_r|].
      change ([k] :: ?l) with ([[k]] ++ l). rewrite app_assoc. apply IH.
      apply insert_relates; [apply free_lawful|exact H]. }
    intro k. apply (R k _ []). apply empty_relates.
  Qed.

  (** Witness of Daba.insert_relates, Daba.evict_relates, Daba.query_is_fold, Daba.space: the
      states that inserts lead to. *)
  Example three_relates : relates words (after 3) [[1]; [2]; [3]].
  Proof. apply after_relates. Qed.

  (** Witness of Daba.step_relates: ready and back of one item each. *)
  Example one_each : totals_hold words (Daba [[1]] [] [] [] [([2], [2])]) [[1]] [] [] [] [[2]].
  Proof. repeat split. Qed.

  (** Control of Daba.empty_relates: the empty lists stand for a window of one item. *)
  Example empty_is_not_one : ~ relates words (empty (A := list nat)) [[1]].
  Proof. intro H. apply query_is_fold in H. discriminate. apply free_lawful. Qed.

  (** Control of Daba.step_relates: ready is shorter than the back. *)
  Example step_of_a_late_flip : ~ forall d in_ready in_left r in_turned b,
    totals_hold words d in_ready in_left r in_turned b -> length in_left = length r ->
    relates words (fst (step words d)) (window_of in_ready in_left r in_turned b).
  Proof.
    intro H.
    specialize (H (Daba [] [] [] [] [([2], [2])]) [] [] [] [] [[2]]).
    destruct H as (wr & wl & r & wt & b & (H1 & H2 & H3 & H4 & H5) & E & Hl & Hr);
      [repeat split|reflexivity|].
    cbn in *. destruct wr, wl, wt; try discriminate. cbn in E.
    destruct b as [|x [|y b]]; cbn in *; try discriminate.
  Qed.

  (** Control of Daba.insert_relates, Daba.evict_relates: without steps, nothing is ready when the
      first item has gone. *)
  Definition lazy_insert x d : daba (A := list nat) :=
    match ready d with
    | [] => Daba [x] (left d) (right d) (turned d) (back d)
    | _ =>
        Daba (ready d) (left d) (right d) (turned d)
          ((x, combine words (top_total words (back d)) x) :: back d)
    end.
  Definition lazy_evict (d : daba (A := list nat)) :=
    Daba (tl (ready d)) (left d) (right d) (turned d) (back d).
  Example without_steps : ~ forall (x y z : list nat),
    relates words
      (lazy_insert z (lazy_evict (lazy_insert y (lazy_insert x (empty (A := list nat))))))
      [y; z].
  Proof.
    intro H. specialize (H [1] [2] [3]). apply query_is_fold in H; [discriminate|apply free_lawful].
  Qed.

  (** Control of Daba.query_is_fold: the back before the front. *)
  Example query_back_first : ~ forall d held, relates words d held ->
    combine words (top_total words (back d)) (first_total words (ready d)) = fold words held.
  Proof. intro H. specialize (H _ _ three_relates). discriminate. Qed.

  (** Control of Daba.worst_case: three combines an insert. *)
  Example insert_takes_four : ~ forall x d, snd (insert words x d) <= 3.
  Proof. intro H. specialize (H [2] (after 1)). vm_compute in H. lia. Qed.

  (** Control of Daba.worst_case: two combines an evict. *)
  Example evict_takes_three : ~ forall d, snd (evict words d) <= 2.
  Proof. intro H. specialize (H (after 3)). vm_compute in H. lia. Qed.

  (** Control of Daba.space: one partial an item and a quarter. *)
  Example space_is_more : ~ forall d held, relates words d held ->
    4 * (length (ready d) + length (left d) + length (turned d)
         + 2 * length (right d) + 2 * length (back d)) <= 5 * length held.
  Proof. intro H. specialize (H _ _ (after_relates 10)). vm_compute in H. lia. Qed.
End DabaControls.

Module DabaLiteControls.
  Import RunningTotals DabaLite.
  Definition after n := fold_left (fun d x => fst (insert words [x] d)) (seq 1 n) (empty words).
  Lemma after_relates n : relates words (after n) (map (fun x => [x]) (seq 1 n)).
  Proof.
    unfold after. generalize 1 as k.
    assert (R : forall k d held, relates words d held ->
      relates words (fold_left (fun d x => fst (insert words [x] d)) (seq k n) d)
        (held ++ map (fun x => [x]) (seq k n))).
    { induction n as [|n IH]; intros k d held H; cbn; [now rewrite app_nil_r|].
      change ([k] :: ?l) with ([[k]] ++ l). rewrite app_assoc. apply IH.
      apply insert_relates; [apply free_lawful|exact H]. }
    intro k. apply (R k _ []). apply empty_relates.
  Qed.

  (** Witness of DabaLite.insert_relates, DabaLite.evict_relates, DabaLite.query_is_fold,
      DabaLite.space: the states that inserts lead to. *)
  Example three_relates : relates words (after 3) [[1]; [2]; [3]].
  Proof. apply after_relates. Qed.

  (** Witness of DabaLite.step_relates: ready and back of one item each. *)
  Example one_each :
    totals_hold words (DabaLite [[1]] [] [] [] [[2]] [] [2]) [[1]] [] [] [] [[2]].
  Proof. repeat split. Qed.

  (** Control of DabaLite.empty_relates: the empty lists stand for a window of one item. *)
  Example empty_is_not_one : ~ relates words (empty words) [[1]].
  Proof. intro H. apply query_is_fold in H; [discriminate|apply free_lawful]. Qed.

  (** Control of DabaLite.step_relates, DabaLite.insert_relates, DabaLite.evict_relates: a flip that
      keeps the totals in their places. *)
  Definition bad_flip (d : daba_lite (A := list nat)) :=
    match left d, turned d with
    | [], [] =>
        DabaLite (left d) (ready d) (back d) (turned d) (right d) (rest_total d) (back_total d)
    | _, _ => d
    end.
  Example flip_without_the_totals : ~ forall d in_ready in_left r in_turned b,
    totals_hold words d in_ready in_left r in_turned b ->
    length in_left = length r -> length in_ready = length b ->
    relates words (fst (advance words (bad_flip d))) (window_of in_ready in_left r in_turned b).
  Proof.
    intro H.
    specialize (H _ _ _ _ _ _ one_each eq_refl eq_refl).
    destruct H as (? & ? & ? & ? & b & (_ & _ & _ & _ & _ & H6 & H7) & _).
    cbn in *. subst b. discriminate.
  Qed.

  (** Control of DabaLite.query_is_fold: the back before the front. *)
  Example query_back_first : ~ forall d held, relates words d held ->
    combine words (back_total d) (first_total words (ready d)) = fold words held.
  Proof. intro H. specialize (H _ _ three_relates). discriminate. Qed.

  (** Control of DabaLite.worst_case: two combines an insert. *)
  Example insert_takes_three : ~ forall x d, snd (insert words x d) <= 2.
  Proof. intro H. specialize (H [2] (after 1)). vm_compute in H. lia. Qed.

  (** Control of DabaLite.worst_case: one combine an evict. *)
  Example evict_takes_two : ~ forall d, snd (evict words d) <= 1.
  Proof. intro H. specialize (H (after 3)). vm_compute in H. lia. Qed.

  (** Control of DabaLite.space: fewer slots than items. *)
  Example space_is_attained : ~ forall d held, relates words d held ->
    length (ready d) + length (left d) + length (right d) + length (turned d) + length (back d)
    <= length held - 1.
  Proof. intro H. specialize (H _ _ three_relates). vm_compute in H. lia. Qed.
End DabaLiteControls.
