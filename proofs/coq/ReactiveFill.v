(** How full the ring of the Reactive Aggregator is after it has moved
    Code: optimized/muntin/optimized/flatfat/reactive.py
    Text: proofs/reactive.md
    Idealised: as in Reactive.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaBulkInsert FlatFat ReactiveRing Reactive
  ReactiveHolds ReactiveWindow.
Set Implicit Arguments.

Section ReactiveFill.
  Context {A : Type} {M : monoid A} {L : lawful M}.
  Local Notation entry := (Z * A)%type.
  Variable least : nat.
  Implicit Types (entries : list entry) (r : @reactive A).
  Local Notation relates := (Reactive.relates (M := M) least).

  Lemma append_one_height s x r : holes (slots r) <= length (slots r) ->
    length (slots r) <= 2 ^ height r ->
    (s = slots r \/ S (length s) = length (slots r)) ->
    height r < height (append (M := M) s [x] r) -> s = slots r /\
    height (append (M := M) s [x] r) = S (height r) /\ 4 * holes (slots r) < 2 ^ height r /\
    length (slots r) = 2 ^ height r.
  Proof.
    intros Hh Hc N. unfold append. cbn [length]. pose proof (pow_pos (height r)) as P.
    pose proof (items_length (slots r)) as Hi.
    destruct (Nat.leb_spec (length s + 1) (2 ^ height r)) as [U|U];
      [unfold overwrite_from; cbn [height]; lia|].
    destruct N as [-> | N]; [|lia]. unfold room_for. rewrite app_length. cbn [length].
    set (size := length (items (slots r)) + 1) in *. unfold holes in *.
    destruct (Nat.ltb_spec (4 * (length (slots r) - length (items (slots r)))) (2 ^ height r)) as
      [V|V].
    - assert (D : double size (S (height r)) size = S (height r)).
      { unfold size. rewrite Nat.add_1_r. cbn [double].
        destruct (Nat.ltb_spec (2 ^ S (height r)) (S (length (items (slots r))))); [|reflexivity].
        cbn [Nat.pow] in *. lia. }
      rewrite D. destruct (Nat.ltb_spec (height r) (S (height r)));
        [|lia]. unfold resize. cbn [height].
      intros _. repeat split; lia.
    - assert (D : double size (height r) size = height r).
      { unfold size. rewrite Nat.add_1_r. cbn [double].
        destruct (Nat.ltb_spec (2 ^ height r) (S (length (items (slots r))))); [lia|reflexivity]. }
      rewrite D, Nat.ltb_irrefl. unfold compact, overwrite_from. cbn [height]. lia.
  Qed.

  (** [T4] If one insert moves the ring, its capacity has doubled, and without the new item it is
    more
      than three eighths full and at most half full.
      Not claimed: anything of a bulk insert, which may leave the ring full but for one slot. *)
  Theorem insert_fill t v r entries : relates r entries ->
    height r < height (insert (M := M) t v r) ->
    height (insert (M := M) t v r) = S (height r) /\
    3 * 2 ^ height (insert (M := M) t v r) < 8 * length entries /\
    2 * length entries <= 2 ^ height (insert (M := M) t v r).
  Proof.
    intros [<- (F1 & _ & _ & _ & F5)] H.
    assert (Hc : length (slots r) <= 2 ^ height r).
    { destruct F5 as (_ & _ & F5 & _). now rewrite map_length in F5. }
    pose proof (items_length (slots r)) as Hi.
    assert (Hh : holes (slots r) <= length (slots r)) by (unfold holes; lia).
    assert (Fill : forall s x, (s = slots r \/ S (length s) = length (slots r)) ->
      height r < height (append (M := M) s [x] r) ->
      height (append (M := M) s [x] r) = S (height r) /\
      3 * 2 ^ height (append (M := M) s [x] r) < 8 * length (items (slots r)) /\
      2 * length (items (slots r)) <= 2 ^ height (append (M := M) s [x] r)).
    { intros s x N K. destruct (append_one_height x r Hh Hc N K) as (_ & -> & K1 & K2).
      unfold holes in K1. cbn [Nat.pow]. lia. }
    unfold insert, bulk_insert in *. cbn [fst] in *. pose proof (split_last_spec (slots r)) as E.
    destruct (split_last (slots r)) as [[s [u [w|]]]|].
    - destruct (Z.eqb_spec t u) as [->|Eu].
      + cbn [combine_same fst snd] in *. rewrite Z.eqb_refl in *. apply Fill; auto. right.
        rewrite E, app_length. cbn. lia.
      + apply Fill; auto.
    - apply Fill; auto.
    - apply Fill; auto.
  Qed.

  (** [T4] If one evict moves the ring, and its capacity was 8 or more, then its capacity C is half
    of
      what it was, and it holds C/2 - 1 items.
      Not claimed: anything of smaller rings, which may be halved again, nor of a bulk evict. *)
  Theorem evict_fill t r entries : relates r entries ->
    height (evict (M := M) least t r) < height r -> 8 <= 2 ^ height r ->
    S (height (evict (M := M) least t r)) = height r /\
    2 * S (length (filter (fun x => negb (fst x =? t)%Z) entries))
    = 2 ^ height (evict (M := M) least t r).
  Proof.
    intros [<- (_ & F2 & F3 & F4 & _)] H H8.
    assert (One : forall l : list entry, rising l ->
      length l <= S (length (filter (fun x => negb (fst x =? t)%Z) l))).
    { induction l as [|x l IH]; cbn; [lia|]. intros [H1 H2].
      destruct (Z.eqb_spec (fst x) t); cbn; [|specialize (IH H2); lia].
      fold (window_evict t l). rewrite window_evict_none; [lia|].
      intros y Y. specialize (H1 _ Y). lia. }
    specialize (One _ (items_rising _ F2)). unfold evict, remove in *. rewrite vacated_items in *.
    set (kept := filter _ (items (slots r))) in *.
    destruct (Nat.eqb_spec (length kept) (length (items (slots r)))) as [E|E]; [lia|].
    destruct (Nat.ltb_spec (halve least (height r) (length kept)) (height r)) as [V|V].
    2: { unfold vacate in H. destruct (trim_front _) in H. cbn in H. lia. }
    cbn [resize height] in *. destruct (height r) as [|h] eqn:Eh; [lia|]. cbn [halve] in *.
    destruct (Nat.ltb_spec least (S h)) as [K|K]; cbn [andb] in *; [|lia].
    destruct (Nat.ltb_spec (4 * length kept) (2 ^ S h)) as [W|W]; [|lia].
    assert (Q : 2 ^ S h <= 4 * length (items (slots r))) by (destruct F4 as [F4|F4];
      [lia|exact F4]).
    assert (L1 : length (items (slots r)) = S (length kept)).
    { cut (length kept <= length (items (slots r))); [lia|]. unfold kept. clear.
      induction (items (slots r)) as [|x l IH]; cbn; [lia|]. destruct (negb _); cbn; lia. }
    cbn [Nat.pow] in *. destruct h as [|h]; [cbn in *; lia|]. cbn [halve].
    destruct (Nat.ltb_spec (4 * length kept) (2 ^ S h)) as [Y|Y]; [cbn [Nat.pow] in *; lia|].
    rewrite andb_false_r. split; [reflexivity|]. cbn [Nat.pow] in *.
    destruct h as [|h]; [cbn in *; lia|]. cbn [Nat.pow] in *. lia.
  Qed.
End ReactiveFill.
