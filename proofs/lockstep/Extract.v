(** The definitions that the theorems speak of, and the denotation, as OCaml; what structures hold, as
    a list of numbers.
    Partial aggregates are numbers here: those of a monoid that main.ml gives. *)
From Muntin Require Import Monoid FibaTree.
From Muntin Require TwoStacks TwoStacksLite SubtractOnEvict Daba DabaLite FlatFat FibaRange FibaInsertHit
  FibaEvictHit FibaBulkEvict FibaBulkInsert Reactive Denotation SlicingOperator.
Require Import ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.
Set Implicit Arguments.
Extraction Language OCaml.

(* Lists begin with their length, so that no two states have the same numbers. *)
Definition sized {X} (numbers : X -> list Z) (items : list X) rest :=
  Z.of_nat (length items) :: flat_map numbers items ++ rest.
Definition totals := sized (fun total : Z => [total]).
Definition entries := sized (fun entry : Z * Z => [fst entry; snd entry]).

Definition two_stacks_state (s : TwoStacks.two_stacks) :=
  totals (TwoStacks.front s) (entries (rev (TwoStacks.back s)) []).
Definition two_stacks_lite_state (s : TwoStacksLite.two_stacks_lite) :=
  Z.of_nat (TwoStacksLite.cut s) :: TwoStacksLite.back_total s
  :: totals (TwoStacksLite.slots s) [].
Definition subtract_on_evict_state (s : SubtractOnEvict.subtract_on_evict) :=
  SubtractOnEvict.total s :: totals (SubtractOnEvict.items s) [].
Definition daba_state (d : Daba.daba) :=
  totals (Daba.ready d) (totals (Daba.left d) (entries (rev (Daba.right d))
    (totals (Daba.turned d) (entries (rev (Daba.back d)) [])))).
Definition daba_lite_state (d : DabaLite.daba_lite) :=
  DabaLite.rest_total d :: DabaLite.back_total d
  :: totals (DabaLite.ready d) (totals (DabaLite.left d) (totals (rev (DabaLite.right d))
       (totals (DabaLite.turned d) (totals (rev (DabaLite.back d)) [])))).

(* A node: its number of entries, its aggregate, its entries, and then its children. *)
Fixpoint node_numbers h : tree (A := Z) h -> list Z -> list Z :=
  match h with
  | 0 => fun _ rest => rest
  | S h => fun n rest =>
      let (first, others) := snd n in
      fst n :: entries (map fst others)
        (node_numbers h first (fold_right (fun p => node_numbers h (snd p)) rest others))
  end.
Definition fiba_state (f : fiba (A := Z)) := let (h, n) := f in node_numbers (S h) n [].
Definition fiba_items (f : fiba (A := Z)) := entries (window f) [].

(* The ring: its capacity, front and span; of each slot its time, whether it is a hole, and its value;
   and the tree. *)
Definition reactive_state (identity : Z) (r : Reactive.reactive (A := Z)) :=
  let number (s : Z * option Z) :=
    match snd s with Some v => [fst s; 0; v]%Z | None => [fst s; 1; identity]%Z end in
  (2 ^ Z.of_nat (Reactive.height r))%Z :: Z.of_nat (Reactive.front r)
  :: Z.of_nat (length (Reactive.slots r))
  :: flat_map number (Reactive.slots r) ++ Reactive.tree r.

Separate Extraction monoid Z.of_nat
  TwoStacks.empty TwoStacks.insert TwoStacks.evict TwoStacks.query two_stacks_state
  TwoStacksLite.empty TwoStacksLite.insert TwoStacksLite.evict TwoStacksLite.query
  two_stacks_lite_state
  SubtractOnEvict.empty SubtractOnEvict.insert SubtractOnEvict.evict SubtractOnEvict.query
  subtract_on_evict_state
  Daba.empty Daba.insert Daba.evict Daba.query daba_state
  DabaLite.empty DabaLite.insert DabaLite.evict DabaLite.query daba_lite_state
  FlatFat.new FlatFat.update FlatFat.touched FlatFat.prefix FlatFat.suffix FlatFat.range
  FlatFat.cover
  FibaTree.new FibaInsertHit.insert_by_hit FibaEvictHit.evict_by_hit FibaBulkEvict.bulk_evict
  FibaBulkInsert.bulk_insert FibaTree.query
  FibaRange.query_range fiba_state fiba_items
  Reactive.new Reactive.insert Reactive.bulk_insert Reactive.evict Reactive.bulk_evict Reactive.query
  reactive_state
  Denotation.empty Denotation.add_query Denotation.remove_query Denotation.step_of
  SlicingOperator.new_operator SlicingOperator.operator_step.
