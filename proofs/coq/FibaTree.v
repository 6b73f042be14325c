(** The tree of FiBA and its calls
    Code: optimized/muntin/optimized/btree/fiba.py
    Code: optimized/muntin/optimized/btree/btree.py
    Code: optimized/muntin/optimized/btree/balanced_tree.py
    Code: optimized/muntin/optimized/btree/rebalance.py
    Code: optimized/muntin/optimized/btree/node_aggregates.py
    Code: optimized/muntin/optimized/btree/node.py
    Text: proofs/fiba.md
    Idealised: calls descend from the root, where the code climbs from a finger; the node that they
    reach is the same, and bounds in FibaCost.v say how far the code climbs. After each call the
    root and both spines are recomputed, where the code recomputes what hit names: FibaInsertHit.v
    and FibaEvictRepair.v say that the tree is the same. Visits and combines are not counted. Range
    queries are in FibaRange.v, bulk calls in FibaBulkEvict.v and FibaBulkInsert.v. *)
From Muntin Require Import Monoid.
Set Implicit Arguments.

(* mu, the smallest arity of a node; a node has at most 2 mu children *)
Class min_arity := MinArity { mu : nat; mu_at_least_2 : 2 <= mu }.

Section Tree.
  Context {A : Type} {M : monoid A} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).

  (* An entry is a time and its value. The children of a node are a first child, and then pairs of
     an entry and the child after it. A node is its aggregate and its children. *)
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Definition arity C (n : node C) := S (length (snd (snd n))).

  (* All leaves are at one depth (S3) by type: a tree of height h has trees of height h - 1 as
     children. A leaf is a node whose children are units, which spares it cases of its own. *)
  Fixpoint tree h : Type := match h with 0 => unit | S below => node (tree below) end.
  Arguments tree : simpl never.
  Definition aggregate h : tree h -> A := match h with 0 => fun _ => identity M | S _ => fst end.

  (* What an insert makes of a node: itself, or two halves and the entry between them. *)
  Inductive pieces (X : Type) := One (c : X) | Two (c : X) (x : entry) (d : X).

  Fixpoint split_last X (l : list X) : option (list X * X) :=
    match l with
    | [] => None
    | x :: others =>
        match split_last others with
        | None => Some ([], x)
        | Some (i, y) => Some (x :: i, y)
        end
    end.

  (* One level: calls on the children, C, make a call on the node. *)
  Section Level.
    Variables (C : Type) (ag : C -> A).

    (* The formulas of Figure 2: fold_tail folds all but the first child, fold_init all but the
       last, inner all but both, and an up-aggregate everything. *)
    Definition fold_tail (cs : list (entry * C)) :=
      fold M (map (fun p => snd (fst p) ** ag (snd p)) cs).
    Fixpoint fold_init c (cs : list (entry * C)) :=
      match cs with
      | [] => identity M
      | (x, d) :: others => ag c ** (snd x ** fold_init d others)
      end.
    Definition inner (cs : list (entry * C)) :=
      match cs with [] => identity M | (x, d) :: others => snd x ** fold_init d others end.
    Definition node_of (s : children C) : node C := (ag (fst s) ** fold_tail (snd s), s).
    Fixpoint map_last (f : C -> C) c (cs : list (entry * C)) : children C :=
      match cs with
      | [] => (f c, [])
      | (x, d) :: others => let (d', ds) := map_last f d others in (c, (x, d') :: ds)
      end.

    (* Insert: ci inserts into a child. A value at a time that is there is combined on its right. *)
    Definition put_pieces (r : pieces C) cs : children C :=
      match r with One c => (c, cs) | Two c x d => (c, (x, d) :: cs) end.
    Fixpoint insert_below (ci : C -> pieces C) t v c (cs : list (entry * C)) : children C :=
      match cs with
      | [] => put_pieces (ci c) []
      | (x, d) :: others =>
          if (t <? fst x)%Z then put_pieces (ci c) cs
          else if (t =? fst x)%Z then (c, ((fst x, snd x ** v), d) :: others)
          else let (d', ds) := insert_below ci t v d others in (c, (x, d') :: ds)
      end.
    (* A node of 2 mu + 1 children makes one of mu + 1 and one of mu. *)
    Definition split (s : children C) : pieces (node C) :=
      if length (snd s) <? 2 * mu then One (node_of s)
      else match skipn mu (snd s) with
           | (x, d) :: rest => Two (node_of (fst s, firstn mu (snd s))) x (node_of (d, rest))
           | [] => One (node_of s)
           end.

    (* Evict: the child c may have become too small; its younger neighbour d is after the entry x.
       A neighbour that can spare a child gives it away (move), else the two become one (merge). *)
    Definition join_younger (c : node C) x (d : node C) (cs : list (entry * node C))
        : children (node C) :=
      let '(c0, ci) := snd c in let '(d0, di) := snd d in
      if arity c <? mu then
        if mu <? arity d then
          match di with
          | (y, d1) :: ds => (node_of (c0, ci ++ [(x, d0)]), (y, node_of (d1, ds)) :: cs)
          | [] => (c, (x, d) :: cs)
          end
        else (node_of (c0, ci ++ (x, d0) :: di), cs)
      else (c, (x, d) :: cs).
    (* The last child has an older neighbour only. *)
    Definition join_older (c : node C) x (d : node C) : children (node C) :=
      let '(c0, ci) := snd c in let '(d0, di) := snd d in
      if arity d <? mu then
        if mu <? arity c then
          match split_last ci with
          | Some (i, (y, k)) => (node_of (c0, i), [(y, node_of (k, (x, d0) :: di))])
          | None => (c, [(x, d)])
          end
        else (node_of (c0, ci ++ (x, d0) :: di), [])
      else (c, [(x, d)]).
    Section Evict.
      (* cd evicts from a child; the others take the first and last entry out of one. *)
      Variables (cd : node C -> node C) (take_first take_last : node C -> entry * node C).
      Fixpoint evict_below t c (cs : list (entry * node C)) : children (node C) :=
        match cs with
        | [] => (cd c, [])
        | (x, d) :: others =>
            if (t <? fst x)%Z then join_younger (cd c) x d others
            else if (t =? fst x)%Z then
              if mu <? arity d then let (y, d') := take_first d in (c, (y, d') :: others)
              else let (y, c') := take_last c in join_younger c' y d others
            else match others with
                 | [] => join_older c x (cd d)
                 | _ => let (d', ds) := evict_below t d others in (c, (x, d') :: ds)
                 end
        end.
      Definition take_first_below c (cs : list (entry * node C)) : entry * children (node C) :=
        let (y, c') := take_first c in
        match cs with
        | [] => (y, (c', []))
        | (x, d) :: others => (y, join_younger c' x d others)
        end.
      Fixpoint take_last_below c (cs : list (entry * node C)) : entry * children (node C) :=
        match cs with
        | [] => let (y, c') := take_last c in (y, (c', []))
        | (x, d) :: others =>
            match others with
            | [] => let (y, d') := take_last d in (y, join_older c x d')
            | _ => let (y, s) := take_last_below d others in (y, (c, (x, fst s) :: snd s))
            end
        end.
    End Evict.
    Fixpoint remove_entry t (cs : list (entry * C)) :=
      match cs with
      | [] => []
      | p :: others => if (t =? fst (fst p))%Z then others else p :: remove_entry t others
      end.
    Fixpoint last_child (c : C) (cs : list (entry * C)) :=
      match cs with [] => c | (_, d) :: others => last_child d others end.
  End Level.

  (* The calls on trees of each height. *)
  Unset Implicit Arguments.
  Definition make h (s : children (tree h)) : tree (S h) := node_of (aggregate h) s.
  Definition no_entry : entry := (0%Z, identity M).
  Fixpoint insert_in h t v : tree h -> pieces (tree h) :=
    match h with
    | 0 => fun _ => Two tt (t, v) tt
    | S h => fun n =>
        split (aggregate h) (insert_below (insert_in h t v) t v (fst (snd n)) (snd (snd n)))
    end.
  Fixpoint take_first h : tree (S h) -> entry * tree (S h) :=
    match h with
    | 0 => fun n : tree 1 =>
        match snd (snd n) with
        | [] => (no_entry, n)
        | (y, _) :: cs => (y, make 0 (tt, cs))
        end
    | S h => fun n =>
        let (y, s) := take_first_below (aggregate h) (take_first h) (fst (snd n)) (snd (snd n)) in
        (y, make (S h) s)
    end.
  Fixpoint take_last h : tree (S h) -> entry * tree (S h) :=
    match h with
    | 0 => fun n : tree 1 =>
        match @split_last (entry * tree 0) (snd (snd n)) with
        | None => (no_entry, n)
        | Some (cs, (y, _)) => (y, make 0 (tt, cs))
        end
    | S h => fun n =>
        let (y, s) := take_last_below (aggregate h) (take_last h) (fst (snd n)) (snd (snd n)) in
        (y, make (S h) s)
    end.
  Fixpoint evict_in h t : tree (S h) -> tree (S h) :=
    match h with
    | 0 => fun n : tree 1 => make 0 (tt, @remove_entry (tree 0) t (snd (snd n)))
    | S h => fun n =>
        make (S h) (evict_below (aggregate h) (evict_in h t) (take_first h) (take_last h) t
          (fst (snd n)) (snd (snd n)))
    end.

  (* Repair: the root, then down both spines, each node from the aggregate of its parent. *)
  Fixpoint repair_left h (parent : A) : tree h -> tree h :=
    match h with
    | 0 => fun n => n
    | S h => fun n =>
        let a := fold_tail (aggregate h) (snd (snd n)) ** parent in
        (a, (repair_left h a (fst (snd n)), snd (snd n)))
    end.
  Fixpoint repair_right h (parent : A) : tree h -> tree h :=
    match h with
    | 0 => fun n => n
    | S h => fun n =>
        let a := parent ** fold_init (aggregate h) (fst (snd n)) (snd (snd n)) in
        (a, map_last (repair_right h a) (fst (snd n)) (snd (snd n)))
    end.
  Definition repair h (n : tree (S h)) : tree (S h) :=
    (inner (aggregate h) (snd (snd n)),
     map_last (repair_right h (identity M)) (repair_left h (identity M) (fst (snd n)))
       (snd (snd n))).

  (* The structure: a root of some height. *)
  Definition fiba := {h : nat & tree (S h)}.
  Definition new : fiba := existT _ 0 (identity M, (tt, [])).
  Definition insert t v (f : fiba) : fiba :=
    let (h, n) := f in
    match insert_in (S h) t v n with
    | One n' => existT _ h (repair h n')
    | Two a x b => existT _ (S h) (repair (S h) (make (S h) (a, [(x, b)])))
    end.
  Definition shrink h : tree (S h) -> fiba :=
    match h with
    | 0 => fun n => existT _ 0 (repair 0 n)
    | S h => fun n =>
        match snd (snd n) with
        | [] => existT _ h (repair h (fst (snd n)))
        | _ => existT _ (S h) (repair (S h) n)
        end
    end.
  Definition evict t (f : fiba) : fiba := let (h, n) := f in shrink h (evict_in h t n).
  Fixpoint left_finger h : tree h -> A :=
    match h with
    | 0 => fun _ => identity M
    | S h => fun n => match h with 0 => fst n | _ => left_finger h (fst (snd n)) end
    end.
  Fixpoint right_finger h : tree h -> A :=
    match h with
    | 0 => fun _ => identity M
    | S h => fun n =>
        match h with
        | 0 => fst n
        | _ => right_finger h (last_child (fst (snd n)) (snd (snd n)))
        end
    end.
  Definition query (f : fiba) : A :=
    let (h, n) := f in
    match h with
    | 0 => fst n
    | _ =>
        left_finger h (fst (snd n)) ** fst n
        ** right_finger h (last_child (fst (snd n)) (snd (snd n)))
    end.
  Set Implicit Arguments.

  (* The window: entries whose times rise (S1). These are the calls of the specification,
     TimedWindow: a value at a time that is there is combined on its right. *)
  Fixpoint rising (l : list entry) :=
    match l with
    | [] => True
    | x :: later => (forall y, In y later -> (fst x < fst y)%Z) /\ rising later
    end.
  Fixpoint window_insert t v (l : list entry) :=
    match l with
    | [] => [(t, v)]
    | x :: later =>
        if (t <? fst x)%Z then (t, v) :: l
        else if (t =? fst x)%Z then (fst x, snd x ** v) :: later
        else x :: window_insert t v later
    end.
  Definition window_evict t (l : list entry) := filter (fun x => negb (fst x =? t)%Z) l.

  (* The window that a tree stands for: its entries from left to right. *)
  Section Contents.
    Variables (C : Type) (con : C -> list entry).
    Definition tail_contents (cs : list (entry * C)) :=
      flat_map (fun p => fst p :: con (snd p)) cs.
    Definition children_contents (s : children C) := con (fst s) ++ tail_contents (snd s).
    Definition node_contents (n : node C) := children_contents (snd n).
    Definition pieces_contents (r : pieces C) :=
      match r with One c => con c | Two c x d => con c ++ x :: con d end.
  End Contents.
  Fixpoint contents h : tree h -> list entry :=
    match h with 0 => fun _ => [] | S h => fun n => node_contents (contents h) n end.
  Definition window (f : fiba) := let (h, n) := f in contents (S h) n.

  (* S2: every node has from mu to 2 mu children, the root at most 2 mu, and 2 if it is no leaf. *)
  Definition all_children C (Q : C -> Prop) (s : children C) :=
    Q (fst s) /\ Forall (fun p => Q (snd p)) (snd s).
  Definition legal a := mu <= a <= 2 * mu.
  Fixpoint legal_sizes h : tree h -> Prop :=
    match h with
    | 0 => fun _ => True
    | S h => fun n => legal (@arity (tree h) n) /\ all_children (legal_sizes h) (snd n)
    end.
  Definition root_legal (f : fiba) := let (h, n) := f in
    @arity (tree h) n <= 2 * mu /\ (h = 0 \/ 2 <= @arity (tree h) n)
    /\ all_children (legal_sizes h) (snd n).
End Tree.
Arguments tree : simpl never.

(* Takes a tree apart into its aggregate, first child and the others. *)
Ltac open n a c cs :=
  match type of n with
  | @tree ?A (S ?h) => change (A * (@tree A h * list ((Z * A) * @tree A h)))%type in n
  end;
  destruct n as [a [c cs]].
