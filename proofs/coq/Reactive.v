(** The Reactive Aggregator
    Code: optimized/muntin/optimized/flatfat/reactive.py
    Text: proofs/reactive.md
    Idealised: the slots in use are a list from the front on, each with its time and a value or, of
      a
    hole, none; the code keeps times by location, and a set of holes. An evict asks each slot for
    its time, where the code bisects; slots behind the last one written get the identity even if
    they are holes. Calls that are refused, costs (T4) and range queries are not modelled. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaBulkInsert FlatFat ReactiveRing.
Set Implicit Arguments.

(* the windows of FibaTree.v are those of TimedWindow, for any arity *)
#[local] Instance any_arity : min_arity := MinArity (le_n 2).

Section Reactive.
  Context {A : Type} {M : monoid A} {L : lawful M}.
  Local Notation entry := (Z * A)%type.
  Local Notation slot := (Z * option A)%type.
  Implicit Types (s : list slot) (pairs batch entries : list entry).
  Variable least : nat. (* the least capacity is 2 ^ least *)

  Record reactive := Reactive { height : nat; front : nat; slots : list slot; tree : list A }.
  Implicit Types r : reactive.
  Definition value (x : slot) : A := match snd x with Some v => v | None => identity M end.
  Definition item (x : entry) : slot := (fst x, Some (snd x)).
  Definition items_of (x : slot) : list entry :=
    match snd x with Some v => [(fst x, v)] | None => [] end.
  Definition items s : list entry := flat_map items_of s.
  Definition holes s := length s - length (items s).
  (* writes at offsets, and at locations *)
  Definition located h front (write : nat * A) := ((front + fst write) mod 2 ^ h, snd write).
  Definition write_offsets h front writes T := update h (map (located h front) writes) T.
  Definition numbered start (values : list A) := List.combine (seq start (length values)) values.

  (* _overwrite: the slots from the length of s on are written anew *)
  Definition overwrite_from s pairs r :=
    let last := length s + length pairs in
    let writes := numbered last (repeat (identity M) (length (slots r) - last))
                  ++ numbered (length s) (map snd pairs) in
    Reactive (height r) (front r) (s ++ map item pairs)
      (write_offsets (height r) (front r) writes (tree r)).
  Definition resize h pairs := Reactive h 0 (map item pairs) (ReactiveRing.resize h (map snd
    pairs)).
  (* _room_for *)
  Fixpoint double fuel h size :=
    match fuel with 0 => h | S fuel => if 2 ^ h <? size then double fuel (S h) size else h end.
  Definition room_for size r :=
    let full := 4 * holes (slots r) <? 2 ^ height r in
    double size (if full then S (height r) else height r) size.
  (* _compact: what is before the first hole stays *)
  Fixpoint before_hole s : list slot :=
    match s with
    | [] => []
    | x :: others => match snd x with Some _ => x :: before_hole others | None => [] end
    end.
  Definition compact pairs r :=
    let unmoved := before_hole (slots r) in
    overwrite_from unmoved (skipn (length unmoved) pairs) r.
  (* _append: the pairs come after the slots s, which are the first of the ring *)
  Definition append s pairs r :=
    if length s + length pairs <=? 2 ^ height r then overwrite_from s pairs r
    else
      let all := items s ++ pairs in
      let h := room_for (length all) r in
      if height r <? h then resize h all else compact all r.
  Definition bulk_insert batch r :=
    match batch with
    | [] => r
    | x :: _ =>
        match split_last (slots r) with
        | Some (s, (t, Some v)) =>
            if (fst x =? t)%Z then append s (combine_same ((t, v) :: batch)) r
            else append (slots r) (combine_same batch) r
        | _ => append (slots r) (combine_same batch) r
        end
    end.
  Definition insert t v r := bulk_insert [(t, v)] r.

  (* _remove, of the slots whose times are named *)
  Section Remove.
    Variable gone : Z -> bool.
    Definition vacated_slot (x : slot) : slot := if gone (fst x) then (fst x, None) else x.
    Fixpoint vacating_writes offset s : list (nat * A) :=
      match s with
      | [] => []
      | x :: others =>
          let later := vacating_writes (S offset) others in
          match snd x with
          | Some _ => if gone (fst x) then (offset, identity M) :: later else later
          | None => later
          end
      end.
    (* _trim: the ring begins and ends with an item *)
    Fixpoint trim_front s : nat * list slot :=
      match s with
      | [] => (0, [])
      | x :: others => match snd x with
                       | Some _ => (0, s)
                       | None => let (n, s) := trim_front others in (S n, s)
                       end
      end.
    Fixpoint trim_back s : list slot :=
      match s with
      | [] => []
      | x :: others => match trim_back others, snd x with
                       | [], None => []
                       | others, _ => x :: others
                       end
      end.
    Definition vacate r :=
      let (n, s) := trim_front (map vacated_slot (slots r)) in
      Reactive (height r) ((front r + n) mod 2 ^ height r) (trim_back s)
        (write_offsets (height r) (front r) (vacating_writes 0 (slots r)) (tree r)).
    Fixpoint halve h n :=
      match h with
      | 0 => 0
      | S below => if (least <? h) && (4 * n <? 2 ^ h) then halve below n else h
      end.
    Definition remove r :=
      let kept := items (map vacated_slot (slots r)) in
      if length kept =? length (items (slots r)) then r
      else
        let h := halve (height r) (length kept) in
        if h <? height r then resize h kept else vacate r.
  End Remove.
  Definition evict t r := remove (fun time => (time =? t)%Z) r.
  Definition bulk_evict last_out r := remove (fun time => (time <=? last_out)%Z) r.
  Definition new := resize least [].
  Definition query r := ReactiveRing.query (height r) (front r) (length (slots r)) (tree r).

  Fixpoint rising_times s :=
    match s with
    | [] => True
    | x :: later => (forall y, In y later -> (fst x < fst y)%Z) /\ rising_times later
    end.
  Definition ends_with_items s :=
    match s with [] => True | x :: _ => snd x <> None end /\ trim_back s = s.
  (* S1 to S6 *)
  Definition facts r :=
    ends_with_items (slots r) /\                                             (* S3 *)
    rising_times (slots r) /\                                                (* S4 *)
    least <= height r /\
    (height r = least \/ 2 ^ height r <= 4 * length (items (slots r))) /\    (* S5 *)
    ring_relates (height r) (tree r) (front r) (map value (slots r)).        (* S2, S6 *)
  Definition relates r entries := items (slots r) = entries /\ facts r.      (* S1 *)

  (* The ring turned so that its front is first: a write at an offset is a write there. *)
  Definition turned h front (T : list A) := skipn front (leaves h T) ++ firstn front (leaves h T).
  Lemma overwrite_app v x (l k : list A) : overwrite v x (l ++ k)
    = if v <? length l then overwrite v x l ++ k else l ++ overwrite (v - length l) x k.
  Proof.
    revert v; induction l as [|y l IH]; intro v; cbn [app length].
    - destruct v; reflexivity.
    - destruct v; cbn [overwrite]; [reflexivity|]. rewrite IH.
      change (S v <? S (length l)) with (v <? length l).
      change (S v - S (length l)) with (v - length l). now destruct (v <? length l).
  Qed.
  Lemma turn_overwrite front k x (l : list A) : front < length l -> k < length l ->
    let write := overwrite ((front + k) mod length l) x l in
    skipn front write ++ firstn front write = overwrite k x (skipn front l ++ firstn front l).
  Proof.
    intros Hf Hk. cbn zeta. rewrite <- (firstn_skipn front l) at 2 4.
    rewrite !overwrite_app, firstn_length, skipn_length, Nat.min_l by lia.
    destruct (Nat.ltb_spec k (length l - front)).
    - rewrite Nat.mod_small by lia. destruct (Nat.ltb_spec (front + k) front); [lia|].
      rewrite skipn_app, firstn_app, firstn_length, Nat.min_l, Nat.sub_diag by lia.
      rewrite (@skipn_all2 _ front (firstn front l)) by (rewrite firstn_length; lia).
      rewrite firstn_firstn, Nat.min_id. cbn. rewrite app_nil_r.
      replace (front + k - front) with k by lia. reflexivity.
    - replace ((front + k) mod length l) with (k - (length l - front)).
      2: { apply Nat.mod_unique with (q := 1); lia. }
      destruct (Nat.ltb_spec (k - (length l - front)) front); [|lia].
      rewrite skipn_app, firstn_app, overwrite_length, firstn_length, Nat.min_l, Nat.sub_diag by
        lia.
      rewrite (@skipn_all2 _ front (overwrite _ _ _)) by (rewrite overwrite_length, firstn_length;
        lia).
      rewrite (@firstn_all2 _ front (overwrite _ _ _)) by (rewrite overwrite_length, firstn_length;
        lia).
      cbn. now rewrite app_nil_r.
  Qed.
  Lemma writes_turned h front T held writes : ring_relates h T front held ->
    (forall w, In w writes -> fst w < 2 ^ h) ->
    FlatFat.relates h (write_offsets h front writes T) (leaves h (write_offsets h front writes T))
      /\
    turned h front (write_offsets h front writes T)
    = fold_left (fun l w => overwrite (fst w) (snd w) l) writes (turned h front T).
  Proof.
    intros (R & Hf & _ & _) Hw. unfold write_offsets.
    assert (W : forall w, In w (map (located h front) writes) -> fst w < 2 ^ h).
    { intros w I. apply in_map_iff in I as (u & <- & _). cbn. apply Nat.mod_upper_bound.
      pose proof (pow_pos h). lia. }
    pose proof (@update_relates A M h (map (located h front) writes) T _ R W) as U.
    destruct U as (U1 & U2 & U3 & U4). split; [now repeat split|]. unfold turned. rewrite U2.
    assert (Hl : length (leaves h T) = 2 ^ h).
    { unfold leaves. rewrite skipn_length. destruct R as [R _]. lia. }
    clear U1 U2 U3 U4 R W. revert Hl. generalize (leaves h T) as l.
    induction writes as [|w writes IH]; intros l Hl; [reflexivity|]. cbn [map fold_left].
    rewrite IH; [|intros; apply Hw; now right|now rewrite overwrite_length]. f_equal.
    unfold located. cbn [fst snd]. rewrite <- Hl. apply turn_overwrite; rewrite Hl; auto.
    apply Hw. now left.
  Qed.
End Reactive.
