(** Controls of what FiBA leaves out, and of its bulk calls
    False variants of the theorems, each refuted by a computed counterexample, and witnesses that
    the hypotheses of the theorems can be met. *)
From Muntin Require FibaTree FibaContents FibaAggregates Fiba FibaHit FibaInsertHit FibaEvictHit
  FibaEvictRepair.
From Muntin Require Import Monoid.
Set Implicit Arguments.

#[local] Instance words : monoid (list nat) := free nat.
#[local] Instance words_lawful : lawful words := free_lawful nat.

Module HitControls.
  Import FibaTree FibaContents FibaAggregates Fiba FibaHit FibaInsertHit FibaEvictHit
    FibaEvictRepair.
  #[local] Instance two : min_arity := MinArity (le_n 2).
  Definition insert_at t := Insert t [Z.to_nat t].
  Definition after times : fiba := fold_left apply (map insert_at times) new.
  Definition entries times := fold_left window_apply (map insert_at times) [].
  Lemma after_relates times : relates (after times) (entries times).
  Proof. apply run_relates. Qed.

  (** Witness of FibaInsertHit.insert_by_hit_is_insert, FibaEvictRepair.evict_by_hit_is_evict: a
      tree of four entries, one of which is at 1. *)
  Example four_relate : relates (after [4; 1; 3; 2]%Z) (entries [4; 1; 3; 2]%Z) /\
    In 1%Z (map fst (entries [4; 1; 3; 2]%Z)).
  Proof. split; [apply after_relates|]. vm_compute. auto. Qed.

  (** Control of FibaInsertHit.insert_by_hit_is_insert: the left spine is not repaired from the
      root, though hit names it. *)
  Definition insert_right_only t v (f : fiba) : fiba :=
    let (h, n) := f in
    let (s, change) := insert_hit_below (fun l r => insert_hit h l r (identity words) t v) true true
      t v (fst (snd n)) (snd (snd n)) in
    match change with
    | Changed _ hit_right =>
        if overfull s then insert_by_hit t v f else existT _ h (repair_hit h false hit_right s)
    | Unchanged => insert_by_hit t v f
    end.
  Example left_spine_left_out : ~ forall t v f held,
    relates f held -> insert_right_only t v f = insert t v f.
  Proof.
    intro H. specialize (H 0%Z [0] _ _ (after_relates [7; 6; 5; 4; 3; 2; 1]%Z)).
    apply (f_equal query) in H. vm_compute in H. discriminate.
  Qed.

  (** Control of FibaEvictRepair.evict_by_hit_is_evict: hit omits the left spine, as Figure 7,
      line 61 of the paper does where a neighbour on it has given a child away. *)
  Definition evict_right_only t (f : fiba) : fiba :=
    let (h, n) := f in
    match h return tree (S h) -> fiba with
    | 0 => fun _ => evict_by_hit t f
    | S h => fun n =>
        let (s, change) := evict_hit_below (aggregate h)
          (fun l r => evict_hit h l r (identity words) t) (take_first_hit h) (take_last_hit h)
          true true t (fst (snd n)) (snd (snd n)) in
        match change, snd s with
        | Changed _ hit_right, _ :: _ => existT _ (S h) (repair_hit (S h) false hit_right s)
        | _, _ => evict_by_hit t f
        end
    end n.
  Example neighbour_left_out : ~ forall t f held,
    relates f held -> In t (map fst held) -> evict_right_only t f = evict t f.
  Proof.
    intro H. specialize (H 5%Z _ _ (after_relates [1; 5; 2; 3]%Z)).
    apply (f_equal query) in H; vm_compute in *; [discriminate|auto].
  Qed.
End HitControls.
