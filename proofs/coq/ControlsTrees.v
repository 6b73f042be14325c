(** Controls of FlatFAT, its ring and FiBA
    False variants of the theorems, each refuted by a computed counterexample, and witnesses that
    the hypotheses of the theorems can be met. *)
From Muntin Require Monoid FlatFat FlatFatAnswers FlatFatCost ReactiveRing.
From Muntin Require FibaTree FibaContents FibaAggregates FibaSizes Fiba FibaRange FibaCost
  FibaNodes.
Import Monoid.
Set Implicit Arguments.

#[local] Instance words : monoid (list nat) := free nat.
#[local] Instance words_lawful : lawful words := free_lawful nat.
Definition letters n := map (fun x => [x]) (seq 0 n).

Module FlatFatControls.
  Import FlatFat FlatFatAnswers FlatFatCost.
  Definition eight := new (letters 8).

  (** Witness of FlatFat.new_relates, FlatFat.update_relates, FlatFatAnswers.node_folds_below,
      FlatFatAnswers.aggregate_is_fold, FlatFatAnswers.prefix_is_fold,
      FlatFatAnswers.suffix_is_fold, FlatFatAnswers.range_is_fold: a tree over eight letters. *)
  Example eight_relates : relates 3 eight (letters 8).
  Proof. now apply new_relates. Qed.
  Definition writes := [(0, [8]); (4, [9])].

  (** Witness of FlatFat.update_relates, FlatFatCost.update_cost,
      FlatFatCost.update_touches_inner_nodes: two writes. *)
  Example writes_in_place : forall write, In write writes -> fst write < 2 ^ 3.
  Proof. intros write [<-|[<-|[]]]; cbn; lia. Qed.

  (** Witness of FlatFatCost.touched_nodes_bound, FlatFatCost.range_cost: two writes to eight
      values; the range 1..6. *)
  Example two_of_eight : 1 <= 2 /\ 2 ^ 3 <= 2 * 2 ^ 2 /\ 6 < 2 ^ 3.
  Proof. cbn. lia. Qed.

  (** Control of FlatFat.new_relates: inner nodes in rising order. *)
  Definition new_rising values :=
    fold_left recompute (seq 1 (length values - 1))
      (repeat (identity words) (length values) ++ values).
  Example new_in_rising_order :
    ~ forall h values, length values = 2 ^ h -> relates h (new_rising values) values.
  Proof.
    intro H. destruct (H 2 (letters 4) eq_refl) as (_ & _ & H3 & _).
    specialize (H3 1 ltac:(cbn; lia)). discriminate.
  Qed.

  (** Control of FlatFat.update_relates: an update that stops below the root. *)
  Definition update_below h writes (T : list (list nat)) :=
    fold_left recompute (removelast (touched h writes)) (fold_left (write_leaf h) writes T).
  Example update_below_the_root : ~ forall h writes T values,
    relates h T values -> (forall write, In write writes -> fst write < 2 ^ h) ->
    relates h (update_below h writes T)
      (fold_left (fun held write => overwrite (fst write) (snd write) held) writes values).
  Proof.
    intro H. destruct (H _ _ _ _ eight_relates writes_in_place) as (_ & _ & H3 & _).
    specialize (H3 1 ltac:(cbn; lia)). discriminate.
  Qed.

  (** Control of FlatFatAnswers.node_folds_below: a node folds what is after its values. *)
  Example node_folds_its_right : ~ forall h l v (T values : list (list nat)),
    relates h T values -> l <= h -> 2 ^ l <= v < 2 ^ S l ->
    get T v = fold words (firstn (2 ^ (h - l)) (skipn (S (v - 2 ^ l) * 2 ^ (h - l)) values)).
  Proof.
    intro H. specialize (H 3 1 2 _ _ eight_relates ltac:(lia) ltac:(cbn; lia)). discriminate.
  Qed.

  (** Control of FlatFatAnswers.aggregate_is_fold: the root folds the values from the last on. *)
  Example aggregate_backwards : ~ forall h (T values : list (list nat)),
    relates h T values -> get T 1 = fold words (rev values).
  Proof. intro H. specialize (H _ _ _ eight_relates). discriminate. Qed.

  (** Control of FlatFatAnswers.prefix_is_fold: a prefix without its last value. *)
  Example prefix_without_its_last : ~ forall h i (T values : list (list nat)),
    relates h T values -> i < 2 ^ h -> fst (prefix h i T) = fold words (firstn i values).
  Proof. intro H. specialize (H 3 2 _ _ eight_relates ltac:(cbn; lia)). discriminate. Qed.

  (** Control of FlatFatAnswers.suffix_is_fold: a suffix without its first value. *)
  Example suffix_without_its_first : ~ forall h i (T values : list (list nat)),
    relates h T values -> i < 2 ^ h -> fst (suffix h i T) = fold words (skipn (S i) values).
  Proof. intro H. specialize (H 3 2 _ _ eight_relates ltac:(cbn; lia)). discriminate. Qed.

  (** Control of FlatFatAnswers.range_is_fold: the nodes of the right side in the order in which
      they are found. *)
  Definition range_unturned h i j (T : list (list nat)) :=
    let (low, high) := cover_sides (S (S h)) (2 ^ h + i) (2 ^ h + j + 1) in
    fold words (map (get T) (low ++ rev high)).
  Example range_with_unturned_side : ~ forall h i j (T values : list (list nat)),
    relates h T values -> j < 2 ^ h ->
    range_unturned h i j T = fold words (firstn (S j - i) (skipn i values)).
  Proof. intro H. specialize (H 3 1 6 _ _ eight_relates ltac:(cbn; lia)). discriminate. Qed.

  (** Control of FlatFatCost.touched_nodes_bound: m c in place of m (1 + c). *)
  Example bound_without_a_level : ~ forall h m c,
    1 <= m -> 2 ^ h <= m * 2 ^ c -> touched_nodes h m + 1 <= m * c.
  Proof. intro H. specialize (H 1 1 1 ltac:(lia) ltac:(cbn; lia)). vm_compute in H. lia. Qed.

  (** Control of FlatFatCost.new_cost: a node less. *)
  Example new_spares_a_node :
    ~ forall values : list (list nat), length (inner_nodes values) <= length values - 2.
  Proof. intro H. specialize (H (letters 8)). vm_compute in H. lia. Qed.

  (** Control of FlatFatCost.update_cost: a node less. Two writes that are far apart attain it. *)
  Example update_spares_a_node : ~ forall h (writes : list (nat * list nat)),
    (forall write, In write writes -> fst write < 2 ^ h) ->
    length (touched h writes) <= touched_nodes h (length writes) - 1.
  Proof. intro H. specialize (H 3 writes writes_in_place). vm_compute in H. lia. Qed.

  (** Control of FlatFatCost.update_touches_inner_nodes: parents of two nodes are kept twice. *)
  Fixpoint nodes_above_twice h nodes :=
    match h with
    | 0 => []
    | S below => let up := map (fun v => v / 2) nodes in up ++ nodes_above_twice below up
    end.
  Example parents_kept_twice : ~ forall h (writes : list (nat * list nat)),
    (forall write, In write writes -> fst write < 2 ^ h) ->
    NoDup (nodes_above_twice h (map (leaf h) writes)).
  Proof.
    intro H. specialize (H 3 writes writes_in_place).
    pose proof (proj1 (NoDup_nth _ 0) H 4 5) as N. vm_compute in N.
    specialize (N ltac:(lia) ltac:(lia) eq_refl). discriminate.
  Qed.

  (** Control of FlatFatCost.prefix_suffix_cost: a combine less. *)
  Example prefix_spares_a_combine : ~ forall h i (T : list (list nat)), snd (prefix h i T) <= h - 1.
  Proof. intro H. specialize (H 3 7 eight). vm_compute in H. lia. Qed.
  Example suffix_spares_a_combine : ~ forall h i (T : list (list nat)), snd (suffix h i T) <= h - 1.
  Proof. intro H. specialize (H 3 0 eight). vm_compute in H. lia. Qed.

  (** Control of FlatFatCost.range_cost: a node less. The range without the ends attains it. *)
  Example range_spares_a_node :
    ~ forall h i j, j < 2 ^ h -> length (cover h i j) <= Nat.max 1 (2 * h - 3).
  Proof. intro H. specialize (H 3 1 6 ltac:(cbn; lia)). vm_compute in H. lia. Qed.
End FlatFatControls.

Module RingControls.
  Import FlatFat ReactiveRing.
  Definition inverted := new [[1]; [0]].

  (** Witness of ReactiveRing.query_is_fold: an inverted ring. *)
  Example inverted_relates : ring_relates 1 inverted 1 [[0]; [1]].
  Proof.
    split; [|split; [cbn; lia|split; [cbn; lia|reflexivity]]].
    apply (@new_relates (list nat) words 1 [[1]; [0]] eq_refl).
  Qed.

  (** Witness of ReactiveRing.resize_relates: three items in four slots. *)
  Example three_of_four : length (letters 3) <= 2 ^ 2.
  Proof. cbn. lia. Qed.

  (** Control of ReactiveRing.query_is_fold: the root answers though the ring is inverted. *)
  Example root_of_an_inverted_ring : ~ forall h (T : list (list nat)) front held,
    ring_relates h T front held -> get T 1 = fold words held.
  Proof. intro H. specialize (H _ _ _ _ inverted_relates). discriminate. Qed.

  (** Control of ReactiveRing.resize_relates: more items than slots. *)
  Example resize_too_small :
    ~ forall h (items : list (list nat)), ring_relates h (resize h items) 0 items.
  Proof. intro H. destruct (H 1 (letters 3)) as (_ & _ & Hl & _). cbn in Hl. lia. Qed.
End RingControls.

Module FibaControls.
  Import FibaTree FibaContents FibaAggregates FibaSizes Fiba FibaRange FibaCost.
  #[local] Instance two : min_arity := MinArity (le_n 2).

  (* after inserts at 1, 2, 3 and so on *)
  Definition inserts n := map (fun x => Insert (Z.of_nat x) [x]) (seq 1 n).
  Definition after n : fiba := fold_left apply (inserts n) new.
  Definition entries n := fold_left window_apply (inserts n) [].

  (** Witness of Fiba.insert_relates, Fiba.evict_relates, Fiba.query_is_fold,
      FibaRange.query_range_is_fold: a tree of twelve entries and height 2. *)
  Example twelve_relates : relates (after 12) (entries 12).
  Proof. apply run_relates. Qed.
  Example twelve_is_high : projT1 (after 12) = 1 /\ length (entries 12) = 12.
  Proof. now vm_compute. Qed.

  Lemma relates_legal (f : fiba) held : relates f held -> root_legal f.
  Proof. destruct f. now intros (_ & _ & _ & G). Qed.

  (** Witness of FibaCost.insert_coins, FibaCost.evict_coins: sizes are legal after calls. *)
  Example twelve_legal : root_legal (after 12).
  Proof. exact (relates_legal twelve_relates). Qed.

  (** Witness of FibaCost.climb_bound, FibaCost.climb_right_bound: the smallest tree of two
      levels. *)
  Definition leaf : tree 1 := ([1; 2], (tt, [((1%Z, [1]), tt); ((2%Z, [2]), tt)])).
  Definition single x : tree 1 := ([x], (tt, [((Z.of_nat x, [x]), tt)])).
  Definition small : tree 2 := ([1; 2; 3], (single 1, [((2%Z, [2]), single 3)])).
  Example small_legal : legal_sizes 2 small /\ rising (contents 2 small).
  Proof.
    split.
    - repeat split; cbn; try lia; repeat constructor; cbn; lia.
    - cbn. intuition (subst; cbn; try lia; try easy).
  Qed.

  (** Witness of FibaAggregates.repair_gives_aggregates: a leaf as the root. *)
  Example leaf_inside : inside_folded 0 leaf.
  Proof. vm_compute. intuition. Qed.

  (** Control of Fiba.new_relates: the new tree stands for a window of one entry. *)
  Example new_is_not_one : ~ relates new [(1%Z, [1])].
  Proof. intros [H _]. discriminate. Qed.

  (** Control of Fiba.insert_relates: a value at a time that is there is combined on its left. *)
  Fixpoint insert_left t (v : list nat) l :=
    match l with
    | [] => [(t, v)]
    | x :: later =>
        if (t <? fst x)%Z then (t, v) :: l
        else if (t =? fst x)%Z then (fst x, v ++ snd x) :: later
        else x :: insert_left t v later
    end.
  Example insert_on_the_left : ~ forall t v f held,
    relates f held -> relates (insert t v f) (insert_left t v held).
  Proof.
    intro H. destruct (H 5%Z [0] _ _ twelve_relates) as [E _]. vm_compute in E. discriminate.
  Qed.

  (** Control of Fiba.evict_relates: an evict removes all up to its time. *)
  Example evict_up_to : ~ forall t f held,
    relates f held -> relates (evict t f) (filter (fun x => t <? fst x)%Z held).
  Proof.
    intro H. destruct (H 5%Z _ _ twelve_relates) as [E _]. vm_compute in E. discriminate.
  Qed.

  (** Control of Fiba.query_is_fold: the right finger is left out. *)
  Definition query_without_right (f : fiba) : list nat :=
    let (h, n) := f in match h with 0 => fst n | _ => left_finger h (fst (snd n)) ++ fst n end.
  Example right_finger_left_out :
    ~ forall f held, relates f held -> query_without_right f = fold words (map snd held).
  Proof. intro H. specialize (H _ _ twelve_relates). vm_compute in H. discriminate. Qed.

  (** Control of FibaRange.query_range_is_fold: a prefix that begins at the root, and so takes a
      node of the left spine whole. *)
  Definition prefix_from_the_root last (f : fiba) : list nat :=
    let (h, n) := f in prefix_below (aggregate h) (prefix_of last h) last (fst (snd n)) (snd (snd
      n)).
  Example spine_taken_whole : ~ forall last f held, relates f held ->
    prefix_from_the_root last f = fold words (map snd (filter (up_to last) held)).
  Proof.
    assert (R : relates (after 40) (entries 40)) by apply run_relates.
    intro H. specialize (H 40%Z _ _ R). vm_compute in H. discriminate.
  Qed.

  (** Control of Fiba.query_is_fold, FibaAggregates.repair_gives_aggregates: a node on the left
      spine does not include what its parent holds. *)
  Fixpoint repair_left_alone h : tree h -> tree h :=
    match h with
    | 0 => fun n => n
    | S h => fun n =>
        (fold_tail (aggregate h) (snd (snd n)),
         (repair_left_alone h (fst (snd n)), snd (snd n)))
    end.
  Definition repair_alone h (n : tree (S h)) : tree (S h) :=
    (inner (aggregate h) (snd (snd n)),
     map_last (repair_right h (identity words)) (repair_left_alone h (fst (snd n))) (snd (snd n))).
  Example spine_without_its_parent :
    ~ forall f held, relates f held ->
      query (let (h, n) := f in existT _ h (@repair_alone h n)) = fold words (map snd held).
  Proof.
    intro H. specialize (H (after 20) (entries 20) (proj1 (run_relates _))).
    vm_compute in H. discriminate.
  Qed.

  (** Control of Fiba.run_relates: without rising times, as if each call appended. *)
  Example calls_append : ~ forall calls,
    window (fold_left apply calls new)
    = map (fun c => match c with Insert t v => (t, v) | Evict t => (t, []) end) calls.
  Proof.
    intro H. specialize (H [Insert 2%Z [2]; Insert 1%Z [1]]). vm_compute in H. discriminate.
  Qed.

  (** Control of FibaCost.insert_coins: one coin an insert. *)
  Example insert_for_one_coin : ~ forall t v (f : fiba), root_legal f ->
    (nodes (insert t v f) - nodes f + root_coins (insert t v f) <= root_coins f + 1)%Z.
  Proof.
    intro H. specialize (H 3%Z [3] (after 2) (relates_legal (proj1 (run_relates (inserts 2))))).
    vm_compute in H. now apply H.
  Qed.

  (** Control of FibaCost.evict_coins: no coin an evict. *)
  Example evict_for_nothing : ~ forall t (f : fiba), root_legal f ->
    (nodes f - nodes (evict t f) + root_coins (evict t f) <= root_coins f)%Z.
  Proof.
    intro H. specialize (H 1%Z (after 4) (relates_legal (proj1 (run_relates (inserts 4))))).
    vm_compute in H. now apply H.
  Qed.

  (** Control of FibaNodes.insert_makes_nodes: every insert makes a node. *)
  Example insert_always_makes_a_node :
    ~ forall t v (f : fiba), (nodes f + 1 <= nodes (insert t v f))%Z.
  Proof. intro H. specialize (H 1%Z [1] new). vm_compute in H. now apply H. Qed.

  (** Control of FibaNodes.evict_loses_nodes: every evict loses a node. *)
  Example evict_always_loses_a_node :
    ~ forall t (f : fiba), (nodes (evict t f) + 1 <= nodes f)%Z.
  Proof. intro H. specialize (H 1%Z new). vm_compute in H. now apply H. Qed.

  (** Control of FibaCost.run_cost: inserts for nothing. *)
  Example inserts_for_nothing : ~ forall calls : list call, (steps calls new
    <= fold_right (fun c n => (match c with Insert _ _ => 0 | Evict _ => 1 end) + n) 0 calls)%Z.
  Proof. intro H. specialize (H (inserts 12)). vm_compute in H. now apply H. Qed.

  (** Control of FibaCost.climb_bound: a level more. *)
  Example climb_a_level_more : ~ forall h t (n : @tree (list nat) (S h)),
    legal_sizes (S h) n -> rising (contents (S h) n) ->
    mu ^ climb (S h) t n
    <= S (length (filter (fun y : Z * list nat => fst y <=? t)%Z (contents (S h) n))).
  Proof.
    intro H. specialize (H 1 2%Z small (proj1 small_legal) (proj2 small_legal)).
    vm_compute in H. lia.
  Qed.

  (** Control of FibaCost.climb_right_bound: a level more. *)
  Example climb_right_a_level_more : ~ forall h t (n : @tree (list nat) (S h)),
    legal_sizes (S h) n -> rising (contents (S h) n) ->
    mu ^ climb_right (S h) t n
    <= S (length (filter (fun y : Z * list nat => t <=? fst y)%Z (contents (S h) n))).
  Proof.
    intro H. specialize (H 1 2%Z small (proj1 small_legal) (proj2 small_legal)).
    vm_compute in H. lia.
  Qed.
End FibaControls.
