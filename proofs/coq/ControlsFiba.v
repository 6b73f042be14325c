(** Controls of what FiBA leaves out, and of its bulk calls
    False variants of the theorems, each refuted by a computed counterexample, and witnesses that
    the hypotheses of the theorems can be met. *)
From Muntin Require FibaTree FibaContents FibaAggregates Fiba FibaHit FibaInsertHit FibaEvictHit
  FibaEvictRepair FibaBulkEvict FibaBulkEvictHolds FibaBulkInsert FibaBulkInsertHolds.
From Muntin Require Import Monoid.
Set Implicit Arguments.

#[local] Instance words : monoid (list nat) := free nat.
#[local] Instance words_lawful : lawful words := free_lawful nat.

Module HitControls.
  Import FibaTree FibaContents FibaAggregates Fiba FibaHit FibaInsertHit FibaEvictHit
    FibaEvictRepair FibaBulkEvict FibaBulkEvictHolds FibaBulkInsert FibaBulkInsertHolds.
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

  Definition many := map (fun k => Z.of_nat (k * 7 mod 20)) (seq 0 20).

  (** Witness of FibaBulkEvictHolds.bulk_evict_relates, FibaBulkInsertHolds.bulk_insert_relates: a
      tree of twenty entries and height 2, and a batch with two pairs at one time. *)
  Definition batch := [(3%Z, [1]); (3%Z, [2]); (50%Z, [3])].
  Example many_relate : relates (after many) (entries many) /\ sorted batch /\
    projT1 (after many) = 2 /\ length (entries many) = 20.
  Proof.
    split; [apply after_relates|]. split; [|now vm_compute].
    cbn. repeat split; intros; intuition (subst; cbn; lia).
  Qed.

  (** Control of FibaBulkEvictHolds.bulk_evict_relates: what is at the time stays. *)
  Example what_is_at_the_time_stays : ~ forall last_out f held, relates f held ->
    relates (bulk_evict last_out f) (filter (fun x => last_out <=? fst x)%Z held).
  Proof.
    intro H. destruct (H 7%Z _ _ (after_relates many)) as [E _]. vm_compute in E. discriminate.
  Qed.
  (** Control of FibaBulkEvictHolds.bulk_evict_relates: the nodes that the cut has gone through are
      not filled. *)
  Definition cut_only last_out (f : fiba) : fiba :=
    let (h, n) := f in
    let (h, n) := drop_before last_out h n in
    let (h, n) := shrink_all h (cut last_out (S h) n) in shrink h n.
  Example cut_without_fill : ~ forall last_out f held, relates f held ->
    relates (cut_only last_out f) (filter (fun x => last_out <? fst x)%Z held).
  Proof.
    intro H. destruct (H 8%Z _ _ (after_relates many)) as [_ I].
    assert (G : root_legal (cut_only 8 (after many))).
    { destruct (cut_only 8 (after many)). apply I. }
    vm_compute in G. lia.
  Qed.

  (** Control of FibaBulkInsertHolds.bulk_insert_relates: of a batch that is not sorted. *)
  Example unsorted_batch : ~ forall batch f held, relates f held ->
    relates (bulk_insert batch f)
      (fold_left (fun held x => window_insert (fst x) (snd x) held) batch held).
  Proof.
    intro H. destruct (H [(30%Z, [0]); (5%Z, [1]); (30%Z, [2])] _ _ (after_relates many)) as [E _].
    vm_compute in E. discriminate.
  Qed.
  (** Control of FibaBulkInsertHolds.bulk_insert_relates: what is at one time in the
      batch is combined with the younger first. *)
  Example younger_first : ~ forall batch f held, relates f held -> sorted batch ->
    relates (bulk_insert batch f)
      (fold_left (fun held x => window_insert (fst x) (snd x) held) (rev batch) held).
  Proof.
    intro H. destruct (H batch _ _ (after_relates many)) as [E _]; [apply many_relate|].
    vm_compute in E. discriminate.
  Qed.
End HitControls.
