(** Calls of the Reactive Aggregator
    Code: optimized/muntin/optimized/flatfat/reactive.py
    Text: proofs/reactive.md
    Idealised: as in Reactive.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaBulkInsert FlatFat ReactiveRing Reactive
  ReactiveHolds.
Set Implicit Arguments.

Section ReactiveWindow.
  Context {A : Type} {M : monoid A} {L : lawful M}.
  Local Notation entry := (Z * A)%type.
  Local Notation slot := (Z * option A)%type.
  Local Notation reactive := (@Reactive.reactive A).
  #[local] Instance any_arity : min_arity := MinArity (le_n 2).
  Variable least : nat.
  Implicit Types (s : list slot) (pairs batch entries : list entry) (r : reactive).
  Local Notation relates := (Reactive.relates (M := M) least).
  Local Notation writes_done := (fold_left (fun l (w : nat * A) => overwrite (fst w) (snd w) l)).

  (* Inserts. *)
  Lemma window_bulk_at_end batch entries : rising batch ->
    (forall x y, In x entries -> In y batch -> (fst x < fst y)%Z) ->
    window_bulk_insert batch entries = entries ++ batch.
  Proof.
    intros B T. pose proof (bulk_on_the_right entries [] batch T) as K.
    now rewrite app_nil_r, (bulk_of_nothing batch B) in K.
  Qed.
  Lemma combine_same_nil batch : combine_same batch = [] -> batch = [].
  Proof.
    destruct batch as [|x batch]; [auto|]. cbn. destruct (combine_same batch) as [|y l]; [easy|].
    now destruct (fst x =? fst y)%Z.
  Qed.
  Lemma trim_back_hole s t : trim_back (s ++ [(t, @None A)]) <> s ++ [(t, None)].
  Proof.
    assert (H : length (trim_back (s ++ [(t, @None A)])) <= length s).
    { induction s as [|[u [v|]] s IH]; cbn [app trim_back]; [cbn; lia| |].
      - cbn [snd]. destruct (trim_back _); cbn in *; lia.
      - cbn [snd]. destruct (trim_back _); cbn in *; lia. }
    intro E. rewrite E, app_length in H. cbn in H. lia.
  Qed.

  (** [S1-S6] A bulk insert of pairs that are sorted by time, none older than the youngest item,
      keeps all facts, whether the ring has room, is compacted or moves to a larger ring;
        and makes of
      the window what one insert after another makes of it. So does an insert, which is one of one
      pair.
      Not claimed: its cost (T2, T4); that a call with older pairs is refused. *)
  Theorem bulk_insert_relates batch r entries : relates r entries -> sorted batch ->
    (forall x y, In x entries -> In y batch -> (fst x <= fst y)%Z) ->
    relates (bulk_insert (M := M) batch r) (window_bulk_insert batch entries).
  Proof.
    intros [<- F] So T. destruct batch as [|x batch]; [now split|].
    set (b := x :: batch) in *. pose proof F as (F1 & F2 & _).
    destruct (combine_same_spec b So) as (B1 & B2 & B3).
    assert (N : combine_same b <> []) by (intro K; now apply combine_same_nil in K).
    assert (Ri : rising (items (slots r))) by now apply items_rising.
    (* all slots are older than the batch *)
    assert (Older : (forall u y, In u (slots r) -> In y (combine_same b) -> (fst u < fst y)%Z) ->
      relates (append (M := M) (slots r) (combine_same b) r)
        (window_bulk_insert b (items (slots r)))).
    { intro O. rewrite <- B3.
      assert (O' : forall u y, In u (items (slots r)) -> In y (combine_same b) ->
        (fst u < fst y)%Z).
      { intros u y U Y. destruct (item_slot _ _ U) as (z & Z0 & <-). auto. }
      rewrite window_bulk_at_end by auto. apply append_relates with []; auto.
      - now rewrite app_nil_r.
      - apply rising_app. auto.
      - rewrite app_length. lia. }
    unfold bulk_insert. cbn [b]. fold b. pose proof (split_last_spec (slots r)) as E.
    destruct (split_last (slots r)) as [[s [t [v|]]]|].
    - rewrite E in *. apply rising_times_app in F2 as (F2 & _ & F3).
      rewrite items_app in *. cbn [items flat_map items_of snd fst app] in *.
      destruct (Z.eqb_spec (fst x) t) as [Et|Et].
      + assert (So' : sorted ((t, v) :: b)).
        { split; [|exact So]. intros y Y. apply T; [apply in_app_iff; cbn; auto|exact Y]. }
        destruct (combine_same_spec ((t, v) :: b) So') as (C1 & C2 & C3).
        assert (O : forall u y, In u s -> In y (combine_same ((t, v) :: b)) -> (fst u < fst y)%Z).
        { intros u y U Y. destruct (C2 _ Y) as (z & [<-|Z0] & <-);
          [exact (F3 u (t, Some v) U (or_introl eq_refl))|].
          specialize (F3 u (t, Some v) U (or_introl eq_refl)). cbn in F3.
          assert (t <= fst z)%Z; [|lia]. apply (T (t, v)); [apply in_app_iff; cbn; auto|exact Z0]. }
        assert (O' : forall u y, In u (items s) -> In y (combine_same ((t, v) :: b)) ->
          (fst u < fst y)%Z).
        { intros u y U Y. destruct (item_slot _ _ U) as (z & Z0 & <-). auto. }
        assert (W : window_bulk_insert b (items s ++ [(t, v)])
          = items s ++ combine_same ((t, v) :: b)).
        { rewrite <- (@window_bulk_at_end (combine_same ((t, v) :: b)) (items s) C1 O'), C3.
          unfold window_bulk_insert. cbn [fold_left fst snd].
          f_equal. pose proof (@window_insert_right A M any_arity t v (items s) []) as K.
          rewrite app_nil_r in K.
          rewrite K; [reflexivity|]. intros y Y. destruct (item_slot _ _ Y) as (z & Z0 & <-).
          exact (F3 z (t, Some v) Z0 (or_introl eq_refl)). }
        rewrite W. apply append_relates with [(t, Some v)]; auto.
        * intro K. now apply combine_same_nil in K.
        * apply rising_app. split; [now apply items_rising|auto].
        * rewrite E, items_app, !app_length. change (items [(t, Some v)]) with [(t, v)].
          cbn [length].
          assert (combine_same ((t, v) :: b) <> []) by (intro K; now apply combine_same_nil in K).
          destruct (combine_same ((t, v) :: b)); [easy|cbn [length]; lia].
      + apply Older. intros u y U Y. destruct (B2 _ Y) as (z & Z0 & <-).
        assert (Ht : (t < fst z)%Z).
        { assert (t <= fst x)%Z by (apply (T (t, v)); [apply in_app_iff; cbn; auto|now left]).
          destruct Z0 as [<-|Z0]; [lia|]. destruct So as [So _]. specialize (So z Z0). lia. }
        apply in_app_iff in U as [U|[<-|[]]]; [|exact Ht].
        specialize (F3 u (t, Some v) U (or_introl eq_refl)). cbn in F3. lia.
    - exfalso. destruct F1 as [_ F1]. rewrite E in F1. now apply trim_back_hole in F1.
    - apply Older. rewrite E. easy.
  Qed.

  (* Evicts. *)
  Section Remove.
    Variable gone : Z -> bool.
    Local Notation left_over := (filter (fun x : entry => negb (gone (fst x)))).
    Lemma vacated_items s : items (map (vacated_slot gone) s) = left_over (items s).
    Proof.
      unfold items, vacated_slot. induction s as [|[t [v|]] s IH]; cbn [map flat_map]; auto.
      - cbn [fst]. destruct (gone t) eqn:E; cbn; rewrite E; cbn; now rewrite IH.
      - cbn [fst]. destruct (gone t); cbn; exact IH.
    Qed.
    Lemma vacated_rising s : rising_times s -> rising_times (map (vacated_slot gone) s).
    Proof.
      induction s as [|x s IH]; cbn; auto. intros [H1 H2]. split; auto. intros y I.
      apply in_map_iff in I as (z & <- & Z0). unfold vacated_slot.
      destruct (gone (fst x)), (gone (fst z)); cbn; auto.
    Qed.
    Lemma vacating_writes_done s pre post :
      writes_done (vacating_writes (M := M) gone (length pre) s) (pre ++ map value s ++ post)
      = pre ++ map value (map (vacated_slot gone) s) ++ post.
    Proof.
      revert pre; induction s as [|[t o] s IH]; intro pre; [reflexivity|].
      cbn [vacating_writes map snd fst].
      assert (Next : forall x : A, writes_done (vacating_writes (M := M) gone (S (length pre)) s)
          (pre ++ x :: map value s ++ post)
        = pre ++ x :: map value (map (vacated_slot gone) s) ++ post).
      { intro x. specialize (IH (pre ++ [x])). rewrite app_length, Nat.add_1_r in IH.
        rewrite <- !app_assoc in IH. exact IH. }
      unfold vacated_slot at 1. cbn [fst]. destruct o as [v|]; [|destruct (gone t); apply Next].
      destruct (gone t); [|apply Next]. cbn [fold_left fst snd].
      rewrite overwrite_app, Nat.ltb_irrefl, Nat.sub_diag. cbn [app overwrite]. apply Next.
    Qed.
    Lemma vacating_writes_below s k n w : k + length s <= n ->
      In w (vacating_writes (M := M) gone k s) -> fst w < n.
    Proof.
      revert k; induction s as [|[t [v|]] s IH]; intros k H; cbn in *; [easy| |].
      - destruct (gone t); [intros [<-|I]; [cbn; lia|]|intro I]; apply (IH (S k)); auto; lia.
      - intro I. apply (IH (S k)); auto; lia.
    Qed.

    (* _trim *)
    Lemma trim_front_spec s : let (n, s') := trim_front s in
      map value s = repeat (identity M) n ++ map value s' /\ items s = items s' /\
      (rising_times s -> rising_times s') /\ match s' with [] => True | x :: _ => snd x <> None end
        /\
      length s = n + length s'.
    Proof.
      induction s as [|[t [v|]] s IH]; cbn [trim_front snd]; [repeat split| |].
      { refine (conj eq_refl (conj eq_refl (conj (fun H => H) (conj _ eq_refl)))). discriminate. }
      destruct (trim_front s) as [n s']. destruct IH as (I1 & I2 & I3 & I4 & I5).
      split; [cbn; now rewrite I1|]. split; [exact I2|]. split; [intros [_ H]; auto|].
      split; [exact I4|cbn; lia].
    Qed.
    Lemma trim_back_spec s : exists m, map value s = map value (trim_back s) ++ repeat (identity M)
      m
      /\ items (trim_back s) = items s /\ (exists later, s = trim_back s ++ later)
      /\ trim_back (trim_back s) = trim_back s.
    Proof.
      induction s as [|x s (m & I1 & I2 & (later & I3) & I4)]; [exists 0; repeat split;
        now exists []|].
      cbn [trim_back]. destruct (trim_back s) as [|y l] eqn:E.
      - destruct x as [t [v|]]; cbn [snd].
        + exists m. cbn [map trim_back snd app value] in *. split; [now rewrite I1|].
          split; [|split; [now exists s|reflexivity]]. unfold items in *. cbn in *.
          now rewrite <- I2.
        + exists (S m). cbn [map trim_back snd app value repeat] in *. split; [now rewrite I1|].
          split; [exact I2|]. split; [now exists ((t, None) :: s)|reflexivity].
      - exists m. split; [cbn [map app]; now rewrite I1|].
        split; [change (items_of x ++ items (y :: l) = items_of x ++ items s); now rewrite I2|].
        split; [exists later; cbn [app];
          now rewrite I3 at 1|]. cbn [trim_back] in *. now rewrite I4.
    Qed.
    Lemma ring_turn h T front n held : ring_relates h T front (repeat (identity M) n ++ held) ->
      ring_relates h T ((front + n) mod 2 ^ h) held.
    Proof.
      pose proof (pow_pos h) as P. revert front; induction n as [|n IH]; intros front R.
      - rewrite Nat.add_0_r, Nat.mod_small by apply R. exact R.
      - replace ((front + S n) mod 2 ^ h) with (((front + 1) mod 2 ^ h + n) mod 2 ^ h).
        2: { rewrite Nat.add_mod_idemp_l by lia. f_equal. lia. }
        apply IH. clear IH. destruct R as (R1 & R2 & R3 & R4).
        cbn [repeat app length] in *. set (rest := repeat (identity M) n ++ held) in *.
        split; [exact R1|]. split; [apply Nat.mod_upper_bound; lia|]. split; [lia|].
        unfold ring in *. cbn [length] in R4.
        assert (Hl : length (leaves h T) = 2 ^ h).
        { unfold leaves. rewrite skipn_length. destruct R1 as [R1 _]. lia. }
        set (l := leaves h T) in *. clearbody l.
        assert (E : l = firstn front l ++ skipn front l) by now rewrite firstn_skipn.
        assert (Lf : length (firstn front l) = front) by (rewrite firstn_length; lia).
        destruct (skipn front l) as [|x later] eqn:K.
        { apply (f_equal (@length A)) in K. rewrite skipn_length in K. cbn in K. lia. }
        cbn [app] in R4. injection R4 as Ex R4. subst x.
        assert (R5 : later ++ firstn front l ++ [identity M]
          = rest ++ repeat (identity M) (2 ^ h - length rest)).
        { rewrite app_assoc, R4, <- app_assoc, <- repeat_cons. f_equal.
          replace (2 ^ h - length rest) with (S (2 ^ h - S (length rest))) by lia. reflexivity. }
        rewrite <- R5. set (i := firstn front l) in *. clearbody i. subst l.
        rewrite app_length in Hl. cbn in Hl.
        destruct (Nat.eq_dec (front + 1) (2 ^ h)) as [Q|Q].
        + assert (later = []) as -> by (destruct later; auto; cbn in Hl; lia).
          rewrite Q, Nat.mod_same by lia. cbn. now rewrite app_nil_r.
        + rewrite Nat.mod_small by lia.
          rewrite skipn_app, firstn_app, skipn_all2, firstn_all2 by lia.
          replace (front + 1 - length i) with 1 by lia. reflexivity.
    Qed.

    Lemma left_over_none entries : length (left_over entries) = length entries ->
      left_over entries = entries.
    Proof.
      assert (H : forall l : list entry, length (left_over l) <= length l).
      { induction l as [|x l IH]; cbn; [lia|]. destruct (negb _); cbn; lia. }
      induction entries as [|x l IH]; cbn; auto. destruct (negb (gone (fst x))); cbn; intro E.
      - f_equal. apply IH. lia.
      - specialize (H l). lia.
    Qed.
    Lemma remove_relates r entries : relates r entries ->
      relates (remove (M := M) least gone r) (left_over entries).
    Proof.
      intros [<- F]. unfold remove. rewrite vacated_items.
      destruct (Nat.eqb_spec (length (left_over (items (slots r)))) (length (items (slots r)))) as
        [E|_].
      { rewrite left_over_none by exact E. now split. }
      destruct F as (F1 & F2 & F3 & F4 & F5). set (kept := left_over (items (slots r))).
      assert (Hk : length kept <= 2 ^ height r).
      { unfold kept. rewrite <- vacated_items. etransitivity; [apply items_length|].
        destruct F5 as (_ & _ & F5 & _). rewrite map_length in *. exact F5. }
      destruct (@halve_spec least (height r) (length kept) Hk F3) as (H1 & H2 & H3).
      destruct (Nat.ltb_spec (halve least (height r) (length kept)) (height r)) as [V|V].
      { apply resize_holds; auto; [lia|]. unfold kept. rewrite <- vacated_items.
        now apply items_rising, vacated_rising. }
      replace (halve least (height r) (length kept)) with (height r) in * by lia.
      pose proof (trim_front_spec (map (vacated_slot gone) (slots r))) as K. unfold vacate.
      destruct (trim_front (map (vacated_slot gone) (slots r))) as [n s'].
      destruct K as (K1 & K2 & K3 & K4 & K5).
      destruct (trim_back_spec s') as (m & B1 & B2 & (later & B3) & B4).
      assert (I : items (trim_back s') = kept) by now rewrite B2, <- K2, vacated_items.
      split; [exact I|]. unfold Reactive.facts. cbn [slots height front tree]. rewrite I.
      split; [|split; [|split; [exact F3|split; [exact H3|]]]].
      - split; [|exact B4]. destruct s' as [|x s']; [exact K4|]. cbn [trim_back] in *.
        destruct (trim_back s'); [destruct (snd x) eqn:E; [now rewrite E|easy]|exact K4].
      - specialize (K3 (vacated_rising _ F2)). rewrite B3 in K3. now apply rising_times_app in K3.
      - assert (R : ring_relates (height r) (write_offsets (M := M) (height r) (front r)
          (vacating_writes (M := M) gone 0 (slots r)) (tree r)) (front r)
          (map value (map (vacated_slot gone) (slots r)))).
        { apply ring_write with (map value (slots r)); auto.
          - intros w W. eapply vacating_writes_below; [|exact W].
            destruct F5 as (_ & _ & F5 & _). rewrite map_length in F5. exact F5.
          - rewrite !map_length. destruct F5 as (_ & _ & F5 & _). now rewrite map_length in F5.
          - pose proof (vacating_writes_done (slots r) []
              (repeat (identity M) (2 ^ height r - length (map value (slots r))))) as W.
            cbn [app length] in W. rewrite W, !map_length. reflexivity. }
        rewrite K1, B1 in R. apply ring_turn in R.
        destruct R as (R1 & R2 & R3 & R4). rewrite app_length, repeat_length in *.
        split; [exact R1|]. split; [exact R2|]. split;
          [lia|]. unfold ring in *. rewrite R4, <- app_assoc.
        f_equal. rewrite app_length, repeat_length, <- repeat_app. f_equal. lia.
    Qed.
  End Remove.

  (** [S1-S6] An evict keeps all facts, and removes what is at its time, if anything is; whether it
      leaves a hole, which goes if it is at an end, or the others move to a smaller ring.
      Not claimed: its cost (T2, T4). *)
  Theorem evict_relates t r entries : relates r entries ->
    relates (evict (M := M) least t r) (filter (fun x => negb (fst x =? t)%Z) entries).
  Proof. apply (remove_relates (fun time => (time =? t)%Z)). Qed.

  (** [S1-S6] A bulk evict keeps all facts, and removes what is at or before its time.
      Not claimed: its cost (T2, T4). *)
  Theorem bulk_evict_relates last_out r entries : relates r entries ->
    relates (bulk_evict (M := M) least last_out r)
      (filter (fun x => negb (fst x <=? last_out)%Z) entries).
  Proof. apply (remove_relates (fun time => (time <=? last_out)%Z)). Qed.

  (** [S1-S6] The new ring stands for the empty window. *)
  Theorem new_relates : relates (new (M := M) least) [].
  Proof. apply resize_holds; cbn; auto. lia. Qed.

  (** [T1] A query is the fold of the window, whether or not the ring is inverted, and whatever
    holes
      it has.
      Not claimed: its cost (T3); queries of a range. *)
  Theorem query_is_fold r entries : relates r entries ->
    query (M := M) r = fold M (map snd entries).
  Proof.
    intros [<- (_ & _ & _ & _ & F)]. apply query_is_fold in F. rewrite map_length in F.
    unfold query. rewrite F. apply fold_of_slots.
  Qed.
End ReactiveWindow.
