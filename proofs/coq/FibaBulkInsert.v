(** Bulk insert of FiBA
    Code: optimized/muntin/optimized/btree/bulk_insert.py
    Code: optimized/muntin/optimized/btree/rebalance.py
    Text: proofs/fiba.md
    Idealised: as in FibaTree.v. The batch is distributed from the root, where the code starts at a
    finger, the root and the other finger; a node splits as soon as its children have, where the
    code splits level by level. At the end the root and both spines are recomputed. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates FibaSizes Fiba.
Set Implicit Arguments.

Section BulkInsert.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Let mu2 : 2 <= mu := mu_at_least_2.
  Implicit Types (x y : entry) (batch entries : list entry).

  (* SortedPairs: what is at the same time is combined in the order of arrival. *)
  Fixpoint combine_same batch : list entry :=
    match batch with
    | [] => []
    | x :: later =>
        match combine_same later with
        | y :: others => if (fst x =? fst y)%Z then (fst x, snd x ** snd y) :: others
                         else x :: y :: others
        | [] => [x]
        end
    end.
  (* the part of a sorted batch before a time, and the rest *)
  Fixpoint before t batch : list entry * list entry :=
    match batch with
    | x :: later => if (fst x <? t)%Z then let (b, r) := before t later in (x :: b, r)
                    else ([], batch)
    | [] => ([], [])
    end.
  (* an entry and what of the batch is at its time *)
  Definition at_time x batch : entry * list entry :=
    match batch with
    | y :: later => if (fst y =? fst x)%Z then ((fst x, snd x ** snd y), later) else (x, batch)
    | [] => (x, batch)
    end.

  Section Level.
    Variables (C : Type) (ag : C -> A).
    Fixpoint distribute (ci : list entry -> C -> children C) batch c (cs : list (entry * C))
        : children C :=
      match cs with
      | [] => ci batch c
      | (x, d) :: others =>
          let (older, rest) := before (fst x) batch in
          let (x, younger) := at_time x rest in
          let (c, inserted) := ci older c in
          let (d, ds) := distribute ci younger d others in
          (c, inserted ++ (x, d) :: ds)
      end.
    (* Pieces of nearly equal arity, the larger ones first: the first of n takes the n-th part of
      the
       children, rounded up. *)
    Fixpoint pieces_of n (s : children C) : children (node C) :=
      match n with
      | 0 => (node_of ag s, [])
      | S more =>
          let size := (length (snd s) + n) / n in
          match skipn (size - 1) (snd s) with
          | (x, d) :: rest =>
              let (piece, pieces) := pieces_of more (d, rest) in
              (node_of ag (fst s, firstn (size - 1) (snd s)), (x, piece) :: pieces)
          | [] => (node_of ag s, [])
          end
      end.
    Definition split_in_pieces (s : children C) : children (node C) :=
      let arity := S (length (snd s)) in
      if arity <=? 2 * mu then (node_of ag s, [])
      else pieces_of (Nat.max 2 (arity / S mu)) s.
  End Level.

  Unset Implicit Arguments.
  Fixpoint bulk_insert_in h batch : tree h -> children (tree h) :=
    match h with
    | 0 => fun n => (n, map (fun x => (x, tt)) batch)
    | S h => fun n =>
        match batch with
        | [] => (n, [])
        | _ => split_in_pieces (aggregate h)
                 (distribute (bulk_insert_in h) batch (fst (snd n)) (snd (snd n)))
        end
    end.
  (* A root that has split gets a root above it, which may split in turn. *)
  Fixpoint grow fuel h (s : children (tree (S h))) : fiba :=
    match snd s, fuel with
    | [], _ | _, 0 => existT _ h (repair h (fst s))
    | _, S fuel =>
        if S (length (snd s)) <=? 2 * mu then existT _ (S h) (repair (S h) (make (S h) s))
        else grow fuel (S h) (split_in_pieces (aggregate (S h)) s)
    end.
  Definition bulk_insert batch (f : fiba) : fiba :=
    match combine_same batch with
    | [] => f
    | batch =>
        let (h, n) := f in
        let s := bulk_insert_in (S h) batch n in grow (length (snd s)) h s
    end.
  Set Implicit Arguments.

  (* The window: one insert after another. *)
  Definition window_bulk_insert batch entries :=
    fold_left (fun entries x => window_insert (fst x) (snd x) entries) batch entries.
  Fixpoint sorted batch :=
    match batch with
    | [] => True
    | x :: later => (forall y, In y later -> (fst x <= fst y)%Z) /\ sorted later
    end.

  Lemma window_insert_twice t v w entries :
    window_insert t w (window_insert t v entries) = window_insert t (v ** w) entries.
  Proof.
    induction entries as [|x l IH]; cbn.
    - destruct (Z.ltb_spec t t), (Z.eqb_spec t t); try lia. reflexivity.
    - destruct (Z.ltb_spec t (fst x)) as [H|H]; cbn.
      + destruct (Z.ltb_spec t t), (Z.eqb_spec t t); try lia. reflexivity.
      + destruct (Z.eqb_spec t (fst x)) as [E|E]; cbn.
        * destruct (Z.ltb_spec t (fst x)), (Z.eqb_spec t (fst x)); try lia.
          now rewrite associative.
        * destruct (Z.ltb_spec t (fst x)), (Z.eqb_spec t (fst x)); try lia. now rewrite IH.
  Qed.
  Lemma combine_same_spec batch : sorted batch ->
    rising (combine_same batch) /\
    (forall y, In y (combine_same batch) -> exists x, In x batch /\ fst x = fst y) /\
    forall entries, window_bulk_insert (combine_same batch) entries = window_bulk_insert batch
      entries.
  Proof.
    induction batch as [|x later IH]; [repeat split; easy|]. intros [H1 H2].
    destruct (IH H2) as (I1 & I2 & I3). cbn [combine_same].
    destruct (combine_same later) as [|y others].
    - cbn. repeat split; try easy; [intros y [<-|[]]; eauto|]. intro entries.
      exact (I3 (window_insert (fst x) (snd x) entries)).
    - assert (J : forall y', In y' (y :: others) -> (fst x <= fst y')%Z).
      { intros y' Y. destruct (I2 _ Y) as (z & Z1 & <-). auto. }
      destruct I1 as [I1 I4]. destruct (Z.eqb_spec (fst x) (fst y)) as [E|E].
      + repeat split; auto; cbn.
        * intros z Z0. rewrite E. auto.
        * intros z [<-|Z0]; [eauto|]. destruct (I2 z) as (u & U1 & U2); [now right|eauto].
        * intro entries. unfold window_bulk_insert in *. cbn [fold_left fst snd] in *.
          rewrite <- I3. cbn [fold_left]. now rewrite <- E, window_insert_twice.
      + repeat split; auto.
        * intros z [<-|Z0]; [|specialize (I1 _ Z0)]; specialize (J y (or_introl eq_refl)); lia.
        * intros z [<-|Z0]; [cbn; eauto|]. destruct (I2 z Z0) as (u & U1 & U2). cbn. eauto.
        * intro entries. exact (I3 (window_insert (fst x) (snd x) entries)).
  Qed.
  Lemma bulk_on_the_left x entries later batch : (forall y, In y batch -> (fst y < fst x)%Z) ->
    window_bulk_insert batch (entries ++ x :: later) = window_bulk_insert batch entries ++ x ::
      later.
  Proof.
    unfold window_bulk_insert. revert entries; induction batch as [|y batch IH]; cbn; auto.
    intros entries H. rewrite window_insert_left by auto. apply IH. auto.
  Qed.
  Lemma bulk_on_the_right entries later batch :
    (forall x y, In x entries -> In y batch -> (fst x < fst y)%Z) ->
    window_bulk_insert batch (entries ++ later) = entries ++ window_bulk_insert batch later.
  Proof.
    unfold window_bulk_insert. revert later; induction batch as [|y batch IH]; cbn; auto.
    intros later H. rewrite window_insert_right by auto. apply IH. auto.
  Qed.
  Lemma bulk_of_nothing batch : rising batch -> window_bulk_insert batch [] = batch.
  Proof.
    induction batch as [|x batch IH]; [reflexivity|]. intros [H1 H2].
    change (window_bulk_insert batch ([(fst x, snd x)] ++ []) = x :: batch).
    rewrite bulk_on_the_right, IH by (auto; intros y z [<-|[]] Z0; cbn; auto). now destruct x.
  Qed.
  Lemma before_spec t batch : rising batch -> let (b, r) := before t batch in
    batch = b ++ r /\ rising b /\ rising r /\ (forall y, In y b -> (fst y < t)%Z) /\
    (forall y, In y r -> (t <= fst y)%Z) .
  Proof.
    induction batch as [|x batch IH]; cbn; [intuition|]. intros [H1 H2]. specialize (IH H2).
    destruct (Z.ltb_spec (fst x) t).
    - destruct (before t batch) as [b r]. destruct IH as (-> & I1 & I2 & I3 & I4). cbn.
      repeat split; auto.
      + intros y Y. apply H1, in_app_iff. auto.
      + intros y [<-|Y]; auto.
    - repeat split; auto; try easy. intros y [<-|Y]; auto. specialize (H1 _ Y). lia.
  Qed.
End BulkInsert.
