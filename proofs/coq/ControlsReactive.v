(** Controls of the Reactive Aggregator
    False variants of the theorems, each refuted by a computed counterexample, and witnesses that
    the hypotheses of the theorems can be met. *)
From Muntin Require FibaTree FibaBulkInsert FlatFat ReactiveRing Reactive ReactiveHolds
  ReactiveWindow ReactiveFill.
From Muntin Require Import Monoid.
Set Implicit Arguments.

#[local] Instance words : monoid (list nat) := free nat.
#[local] Instance words_lawful : lawful words := free_lawful nat.

Module ReactiveControls.
  Import FibaTree FibaBulkInsert Reactive ReactiveWindow ReactiveFill.
  Local Notation entry := (Z * list nat)%type.
  Local Notation related := (Reactive.relates (M := words) 2).
  Definition pair_at k : entry := (Z.of_nat k, [k]).
  Definition batch first n := map pair_at (seq first n).

  (* capacity 4: inserts at 1 to n *)
  Definition after n := bulk_insert (batch 1 n) (new (M := words) 2).
  Lemma sorted_batch first n : sorted (batch first n).
  Proof.
    revert first; induction n as [|n IH]; intro first; [exact I|]. split; [|apply IH].
    intros y Y. apply in_map_iff in Y as (k & <- & Y). apply in_seq in Y. cbn. lia.
  Qed.
  Lemma after_relates n : related (after n) (window_bulk_insert (batch 1 n) []).
  Proof. apply bulk_insert_relates; [apply new_relates|apply sorted_batch|easy]. Qed.
  (* with a hole, and inverted *)
  Definition holed := insert 9 [9] (evict (M := words) 2 7 (bulk_evict (M := words) 2 5 (after 8))).
  Definition held := window_bulk_insert [(9%Z, [9])]
    (filter (fun x : entry => negb (fst x =? 7)%Z) (filter (fun x : entry => negb (fst x <=? 5)%Z)
      (window_bulk_insert (batch 1 8) []))).

  (** Witness of ReactiveWindow.bulk_insert_relates, ReactiveWindow.evict_relates,
      ReactiveWindow.bulk_evict_relates, ReactiveWindow.query_is_fold: a ring with a hole that is
      inverted, and pairs younger than what it holds. *)
  Example holed_relates : related holed held /\ front holed + length (slots holed) > 2 ^ height
    holed
    /\ holes (slots holed) = 1 /\ sorted (batch 9 3) /\
    forall x y, In x held -> In y (batch 9 3) -> (fst x <= fst y)%Z.
  Proof.
    split; [|split; [vm_compute; lia|split; [reflexivity|split; [apply sorted_batch|]]]].
    - apply bulk_insert_relates.
      + apply evict_relates, bulk_evict_relates, after_relates.
      + repeat split; easy.
      + intros x y X [<-|[]]. vm_compute in X. destruct X as [<-|[<-|[]]]; cbn; lia.
    - intros x y X Y. vm_compute in X, Y.
      destruct X as [<-|[<-|[<-|[]]]], Y as [<-|[<-|[<-|[]]]]; cbn; lia.
  Qed.

  (** Witness of ReactiveFill.insert_fill: the fifth insert into a ring of capacity 4 doubles it. *)
  Example fifth_doubles : related (after 4) (window_bulk_insert (batch 1 4) []) /\
    height (after 4) < height (insert 5 [5] (after 4)).
  Proof. split; [apply after_relates|vm_compute; lia]. Qed.
  (** Witness of ReactiveFill.evict_fill: in a ring of 16 the evict that leaves three items halves
    it. *)
  Definition four_of_sixteen := bulk_evict (M := words) 2 5 (after 9).
  Example fourth_halves :
    related four_of_sixteen (filter (fun x : entry => negb (fst x <=? 5)%Z)
      (window_bulk_insert (batch 1 9) [])) /\
    height (evict (M := words) 2 6 four_of_sixteen) < height four_of_sixteen /\
    8 <= 2 ^ height four_of_sixteen.
  Proof. split; [apply bulk_evict_relates, after_relates|vm_compute; lia]. Qed.

  (** Control of ReactiveWindow.new_relates: the new ring stands for a window of one item. *)
  Example new_is_not_one : ~ related (new (M := words) 2) [(1%Z, [1])].
  Proof. intros [H _]. discriminate. Qed.

  (** Control of ReactiveWindow.bulk_insert_relates: pairs older than the youngest item. *)
  Example older_pairs : ~ forall pairs r entries, related r entries -> sorted pairs ->
    related (bulk_insert pairs r) (window_bulk_insert pairs entries).
  Proof.
    intro H. destruct (H (batch 1 1) _ _ (proj1 holed_relates) (sorted_batch 1 1)) as [E _].
    vm_compute in E. discriminate.
  Qed.

  (** Control of ReactiveWindow.evict_relates: an evict removes all up to its time. *)
  Example evict_up_to : ~ forall t r entries, related r entries ->
    related (evict (M := words) 2 t r) (filter (fun x => negb (fst x <=? t)%Z) entries).
  Proof.
    intro H. destruct (H 8%Z _ _ (proj1 holed_relates)) as [E _]. vm_compute in E. discriminate.
  Qed.

  (** Control of ReactiveWindow.bulk_evict_relates: what is at the time stays. *)
  Example what_is_at_the_time_stays : ~ forall t r entries, related r entries ->
    related (bulk_evict (M := words) 2 t r) (filter (fun x => negb (fst x <? t)%Z) entries).
  Proof.
    intro H. destruct (H 8%Z _ _ (proj1 holed_relates)) as [E _]. vm_compute in E. discriminate.
  Qed.

  (** Control of ReactiveWindow.query_is_fold: the root answers, though the ring is inverted. *)
  Example root_answers : ~ forall r entries, related r entries ->
    FlatFat.get (tree r) 1 = fold words (map snd entries).
  Proof. intro H. specialize (H _ _ (proj1 holed_relates)). vm_compute in H. discriminate. Qed.

  (** Control of ReactiveFill.insert_fill: after a bulk insert too the ring is at most half full. A
      batch of 127 into a ring of capacity 4 makes one of 128 that is full but for one slot. *)
  Example fill_after_a_batch : ~ forall pairs r entries, related r entries -> sorted pairs ->
    (forall x y, In x entries -> In y pairs -> (fst x <= fst y)%Z) ->
    height r < height (bulk_insert pairs r) ->
    2 * length (items (slots (bulk_insert pairs r))) <= 2 ^ height (bulk_insert pairs r).
  Proof.
    intro H. specialize (H (batch 1 127) _ _ (after_relates 0) (sorted_batch 1 127)).
    vm_compute in H. specialize (H ltac:(easy) ltac:(lia)). lia.
  Qed.

  (** Control of ReactiveFill.evict_fill: for rings of every capacity. *)
  Example evict_fill_of_small_rings : ~ forall least t r entries,
    Reactive.relates (M := words) least r entries ->
    height (evict (M := words) least t r) < height r ->
    S (height (evict (M := words) least t r)) = height r.
  Proof.
    intro H. specialize (H 0 3%Z (bulk_evict (M := words) 0 2 (bulk_insert (batch 1 3)
      (new (M := words) 0))) _ ltac:(apply bulk_evict_relates, bulk_insert_relates;
        [apply new_relates|apply sorted_batch|easy]) ltac:(vm_compute; lia)).
    vm_compute in H. discriminate.
  Qed.
End ReactiveControls.
