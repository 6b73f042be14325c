(** The Reactive Aggregator holds the window
    Code: optimized/muntin/optimized/flatfat/reactive.py
    Text: proofs/reactive.md
    Idealised: as in Reactive.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaBulkInsert FlatFat ReactiveRing
  Reactive.
Set Implicit Arguments.

Section ReactiveHolds.
  Context {A : Type} {M : monoid A} {L : lawful M}.
  Local Notation entry := (Z * A)%type.
  Local Notation slot := (Z * option A)%type.
  Local Notation reactive := (@Reactive.reactive A).
  #[local] Instance any_arity : min_arity := MinArity (le_n 2).
  Variable least : nat.
  Implicit Types (s : list slot) (pairs batch entries : list entry) (r : reactive).
  Local Notation writes_done := (fold_left (fun l (w : nat * A) => overwrite (fst w) (snd w) l)).

  (* Writes at offsets that follow each other. *)
  Lemma numbered_writes (values l : list A) start : start + length values <= length l ->
    writes_done (numbered start values) l
    = firstn start l ++ values ++ skipn (start + length values) l.
  Proof.
    unfold numbered. revert start l; induction values as [|v values IH]; intros start l H.
    - cbn. now rewrite Nat.add_0_r, firstn_skipn.
    - cbn [length seq List.combine fold_left fst snd] in *.
    rewrite IH by (rewrite overwrite_length; lia).
      assert (E : l = firstn start l ++ skipn start l) by now rewrite firstn_skipn.
      destruct (skipn start l) as [|y later] eqn:K.
      { apply (f_equal (@length A)) in K. rewrite skipn_length in K. cbn in K. lia. }
      assert (Hf : length (firstn start l) = start) by (rewrite firstn_length; lia).
      assert (O : overwrite start v l = firstn start l ++ v :: later).
      { rewrite E at 1. rewrite overwrite_app, Hf.
        destruct (Nat.ltb_spec start start); [lia|]. now rewrite Nat.sub_diag. }
      rewrite O. set (i := firstn start l) in *. clearbody i. subst l start.
      rewrite !firstn_app, !skipn_app, (@firstn_all2 _ (S (length i)) i), (@skipn_all2 _ (S (length
        i)
        + length values) i), (@skipn_all2 _ (length i + S (length values)) i) by lia.
      replace (S (length i) - length i) with 1 by lia.
      replace (S (length i) + length values - length i) with (S (length values)) by lia.
      replace (length i + S (length values) - length i) with (S (length values)) by lia.
      cbn. now rewrite <- app_assoc.
  Qed.
  Lemma numbered_below start (values : list A) n w : start + length values <= n ->
    In w (numbered start values) -> fst w < n.
  Proof.
    unfold numbered. intros H I. destruct w as [k v]. apply in_combine_l, in_seq in I. cbn. lia.
  Qed.

  Lemma ring_write h front T held writes held' : ring_relates h T front held ->
    (forall w, In w writes -> fst w < 2 ^ h) -> length held' <= 2 ^ h ->
    writes_done writes (held ++ repeat (identity M) (2 ^ h - length held))
    = held' ++ repeat (identity M) (2 ^ h - length held') ->
    ring_relates h (write_offsets h front writes T) front held'.
  Proof.
    intros R Hw Hl E. destruct (writes_turned _ R Hw) as [W1 W2].
    destruct R as (_ & Hf & _ & R). split; [exact W1|]. split; [exact Hf|]. split; [exact Hl|].
    unfold ring in *. fold (turned h front (write_offsets h front writes T)).
    fold (turned h front T) in R. now rewrite W2, R.
  Qed.
  (* _overwrite: the slots held from an offset on give way to values *)
  Lemma ring_overwrite h front T held start values :
    ring_relates h T front held -> start <= length held -> start + length values <= 2 ^ h ->
    let last := start + length values in
    ring_relates h (write_offsets h front (numbered last (repeat (identity M) (length held - last))
      ++ numbered start values) T) front (firstn start held ++ values).
  Proof.
    intros R Hs Hv last. assert (Hh : length held <= 2 ^ h) by apply R.
    assert (Ha : length (firstn start held ++ values) = last).
    { rewrite app_length, firstn_length, Nat.min_l by lia. reflexivity. }
    apply ring_write with held; auto.
    - intros w I. apply in_app_iff in I as [I|I].
      + eapply numbered_below; [|exact I]. rewrite repeat_length.
        destruct (Nat.le_gt_cases (length held) last); [|lia].
        replace (length held - last) with 0 in * by lia. destruct I.
      + eapply numbered_below; [|exact I]. exact Hv.
    - rewrite Ha. exact Hv.
    - rewrite Ha, fold_left_app. set (all := held ++ _).
      assert (Hl : length all = 2 ^ h) by (unfold all; rewrite app_length, repeat_length; lia).
      assert (F : forall k, k <= length held -> firstn k all = firstn k held).
      { intros k K. unfold all. rewrite firstn_app. replace (k - length held) with 0 by lia.
        apply app_nil_r. }
      assert (S' : forall k, length held <= k -> skipn k all = repeat (identity M) (2 ^ h - k)).
      { intros k K. unfold all. rewrite skipn_app, (@skipn_all2 _ k held) by lia. cbn.
        destruct (Nat.le_gt_cases (2 ^ h) k).
        - rewrite skipn_all2 by (rewrite repeat_length; lia). now replace (2 ^ h - k) with 0 by lia.
        - replace (2 ^ h - length held) with ((k - length held) + (2 ^ h - k)) by lia.
          rewrite repeat_app, skipn_app, skipn_all2, repeat_length, Nat.sub_diag
            by (rewrite repeat_length; lia). reflexivity. }
      assert (X : exists mid, writes_done (numbered last (repeat (identity M) (length held - last)))
          all = mid /\ length mid = 2 ^ h /\ firstn start mid = firstn start held
          /\ skipn last mid = repeat (identity M) (2 ^ h - last)).
      { destruct (Nat.le_gt_cases (length held) last) as [K|K].
        - replace (length held - last) with 0 by lia. exists all. cbn. repeat split; auto.
        - exists (firstn last all ++ repeat (identity M) (length held - last)
            ++ skipn (length held) all). split; [|split; [|split]].
          + rewrite numbered_writes; rewrite repeat_length; [|lia]. do 3 f_equal. lia.
          + rewrite !app_length, repeat_length, firstn_length, skipn_length. lia.
          + rewrite firstn_app, firstn_length, Nat.min_l by lia.
            replace (start - last) with 0 by lia. cbn. rewrite app_nil_r, firstn_firstn.
            rewrite Nat.min_l by lia. apply F. lia.
          + rewrite skipn_app, skipn_all2, firstn_length, Nat.min_l by (rewrite ?firstn_length;
            lia).
            rewrite Nat.sub_diag. cbn. rewrite S', <- repeat_app by lia. f_equal. lia. }
      destruct X as (mid & -> & X1 & X2 & X3). rewrite numbered_writes by lia.
      rewrite X2. fold last. rewrite X3. now rewrite app_assoc.
  Qed.

  (* Slots, items and their times. *)
  Lemma items_app s s' : items (s ++ s') = items s ++ items s'.
  Proof. apply flat_map_app. Qed.
  Lemma items_of_pairs pairs : items (map (item (A := A)) pairs) = pairs.
  Proof. induction pairs as [|[t v] pairs IH]; cbn; auto. f_equal. exact IH. Qed.
  Lemma values_of_pairs pairs : map value (map (item (A := A)) pairs) = map snd pairs.
  Proof. rewrite map_map. now apply map_ext. Qed.
  Lemma fold_of_slots s : fold M (map value s) = fold M (map snd (items s)).
  Proof.
    induction s as [|[t [v|]] s IH]; cbn; [reflexivity|now rewrite !fold_cons, IH|].
    now rewrite fold_cons, IH, identity_left.
  Qed.
  Lemma items_length s : length (items s) <= length s.
  Proof. induction s as [|[t [v|]] s IH]; unfold items in *; cbn; lia. Qed.
  Lemma item_slot x s : In x (items s) -> exists y, In y s /\ fst y = fst x.
  Proof.
    induction s as [|[t [v|]] s IH]; cbn; [easy| |].
    - intros [<-|I]; [exists (t, Some v); auto|]. destruct (IH I) as (y & Y & E). eauto.
    - intro I. destruct (IH I) as (y & Y & E). eauto.
  Qed.
  Lemma rising_times_app s s' : rising_times (s ++ s') <-> rising_times s /\ rising_times s' /\
    forall x y, In x s -> In y s' -> (fst x < fst y)%Z.
  Proof.
    induction s as [|x s IH]; cbn; [intuition|]. rewrite IH. split.
    - intros (H1 & H2 & H3 & H4). repeat split; auto; try (intros; apply H1, in_app_iff; auto).
      intros a y [<-|I] J; [apply H1, in_app_iff; auto|eauto].
    - intros ((H1 & H2) & H3 & H4). repeat split; auto.
      intros y I. apply in_app_iff in I as [I|I]; auto.
  Qed.
  Lemma items_rising s : rising_times s -> rising (items s).
  Proof.
    induction s as [|[t [v|]] s IH]; cbn; auto; intros [H1 H2]; auto. split; auto.
    intros y I. destruct (item_slot _ _ I) as (z & Z0 & <-). auto.
  Qed.
  Lemma pairs_rising pairs : rising pairs -> rising_times (map (item (A := A)) pairs).
  Proof.
    induction pairs as [|x pairs IH]; cbn; auto. intros [H1 H2]. split; auto.
    intros y I. apply in_map_iff in I as (z & <- & Z0). now apply H1.
  Qed.
  Lemma trim_back_item s : snd (last s (0%Z, None)) <> None -> trim_back s = s.
  Proof.
    induction s as [|x s IH]; [reflexivity|]. intro H. cbn [trim_back]. destruct s as [|y s].
    - cbn in *. now destruct (snd x).
    - rewrite IH by exact H. reflexivity.
  Qed.
  Lemma ends_after s pairs : pairs <> [] -> match s with [] => True | x :: _ => snd x <> None end ->
    ends_with_items (s ++ map (item (A := A)) pairs).
  Proof.
    intros N H. split.
    - destruct s; [|exact H]. destruct pairs as [|[t v] pairs]; [easy|]. cbn. discriminate.
    - apply trim_back_item. destruct (exists_last N) as (i & [t v] & ->).
      rewrite map_app, app_assoc. cbn [map]. rewrite last_last. cbn. discriminate.
  Qed.

  (* Capacities. *)
  Lemma double_spec fuel h size : size <= 2 ^ (h + fuel) ->
    h <= double fuel h size /\ size <= 2 ^ double fuel h size /\
    (double fuel h size = h \/ 2 ^ double fuel h size <= 2 * size).
  Proof.
    revert h; induction fuel as [|fuel IH]; intros h H; cbn [double].
    - rewrite Nat.add_0_r in H. auto.
    - destruct (Nat.ltb_spec (2 ^ h) size) as [K|K]; [|auto].
      destruct (IH (S h)) as (I1 & I2 & I3); [now replace (S h + fuel) with (h + S fuel) by lia|].
      split; [lia|]. split; [exact I2|]. right. destruct I3 as [->|I3]; [cbn; lia|exact I3].
  Qed.
  Lemma size_below_power n h : n <= 2 ^ (h + n).
  Proof. induction n; rewrite ?Nat.add_succ_r; cbn; [lia|]. pose proof (pow_pos (h + n)). lia. Qed.
  Lemma halve_spec h n : n <= 2 ^ h -> least <= h ->
    least <= halve least h n <= h /\ n <= 2 ^ halve least h n /\
    (halve least h n = least \/ 2 ^ halve least h n <= 4 * n).
  Proof.
    intros H1 H2. induction h as [|h IH]; cbn [halve].
    - split; [lia|]. split; [exact H1|]. left. lia.
    - destruct (Nat.ltb_spec least (S h)), (Nat.ltb_spec (4 * n) (2 ^ S h)); cbn [andb];
        try (split; [lia|split; [exact H1|]]; try (left; lia); right; lia).
      destruct IH as (I1 & I2 & I3); [cbn in *; lia|lia|]. repeat split; auto; lia.
  Qed.

  Local Notation facts := (facts (M := M) least).
  Local Notation relates := (Reactive.relates (M := M) least).
  Lemma overwrite_relates r s later pairs : facts r -> slots r = s ++ later -> pairs <> [] ->
    rising pairs -> (forall x y, In x s -> In y pairs -> (fst x < fst y)%Z) ->
    length s + length pairs <= 2 ^ height r ->
    length (items (slots r)) <= length (items s ++ pairs) ->
    relates (overwrite_from (M := M) s pairs r) (items s ++ pairs).
  Proof.
    intros (F1 & F2 & F3 & F4 & F5) E N R T Hc Hn. split.
    { unfold overwrite_from. cbn [slots]. now rewrite items_app, items_of_pairs. }
    rewrite E in *. apply rising_times_app in F2 as (F2 & _ & _).
    unfold overwrite_from, Reactive.facts. cbn [slots height front tree].
    rewrite items_app, items_of_pairs. split; [|split; [|split; [exact F3|split]]].
    - apply ends_after; auto. destruct F1 as [F1 _]. now destruct s.
    - apply rising_times_app. split; [exact F2|]. split; [now apply pairs_rising|].
      intros x y X Y. apply in_map_iff in Y as (z & <- & Y). now apply T.
    - destruct F4 as [F4|F4]; [auto|right; lia].
    - rewrite E, map_app, values_of_pairs.
      pose proof (@ring_overwrite _ _ _ _ (length s) (map snd pairs) F5) as K.
      rewrite !map_length, app_length in K.
      rewrite map_app, firstn_app, map_length, Nat.sub_diag, firstn_all2, app_nil_r in K
        by (rewrite map_length; lia).
      rewrite app_length. apply K; lia.
  Qed.
  Lemma resize_holds h pairs : least <= h -> length pairs <= 2 ^ h ->
    (h = least \/ 2 ^ h <= 4 * length pairs) -> rising pairs ->
    relates (resize (M := M) h pairs) pairs.
  Proof.
    intros H1 H2 H3 H4. split; [apply items_of_pairs|].
    unfold resize, Reactive.facts. cbn [slots height front tree].
    rewrite items_of_pairs, values_of_pairs. split; [|split; [|split; [exact H1|split]]]; auto.
    - destruct pairs as [|p pairs]; [now split|]. now apply (@ends_after [] (p :: pairs)).
    - now apply pairs_rising.
    - apply resize_relates. now rewrite map_length.
  Qed.

  (* _compact *)
  Lemma before_hole_spec s : exists later, s = before_hole s ++ later /\
    length (items (before_hole s)) = length (before_hole s) /\
    (length (items s) < length s -> forall s', before_hole (s ++ s') = before_hole s).
  Proof.
    induction s as [|[t [v|]] s (later & I1 & I2 & I3)].
    - exists []. repeat split; cbn; lia.
    - exists later. cbn. split; [now rewrite <- I1|]. split; [unfold items in *; cbn; lia|].
      intros H s'. rewrite I3; [reflexivity|]. unfold items in *. lia.
    - exists ((t, None) :: s). repeat split.
  Qed.
  Lemma append_relates r s later pairs : facts r -> slots r = s ++ later ->
    length (items later) = length later -> pairs <> [] -> rising (items s ++ pairs) ->
    (forall x y, In x s -> In y pairs -> (fst x < fst y)%Z) ->
    length (items (slots r)) <= length (items s ++ pairs) ->
    relates (append (M := M) s pairs r) (items s ++ pairs).
  Proof.
    intros F E El N R T Hn. assert (Rp : rising pairs) by (apply rising_app in R; apply R).
    unfold append. destruct (Nat.leb_spec (length s + length pairs) (2 ^ height r)) as [Hc|Hc].
    { now apply overwrite_relates with later. }
    set (all := items s ++ pairs) in *. unfold room_for.
    assert (Hh : holes (slots r) = length s - length (items s)).
    { unfold holes. rewrite E, items_app, !app_length. lia. }
    pose proof (items_length s) as Hi.
    assert (Ha : length all = length (items s) + length pairs) by apply app_length.
    destruct (Nat.ltb_spec (4 * holes (slots r)) (2 ^ height r)) as [U|U].
    - destruct (@double_spec (length all) (S (height r)) (length all)) as (D1 & D2 & D3);
        [apply size_below_power|].
      destruct (Nat.ltb_spec (height r) (double (length all) (S (height r)) (length all))); [|lia].
      destruct F as (_ & _ & F3 & _). apply resize_holds; auto; [lia|]. right.
      destruct D3 as [D3|D3]; [rewrite D3 in *; cbn [Nat.pow] in *; lia|lia].
    - destruct (@double_spec (length all) (height r) (length all)) as (D1 & D2 & D3);
        [apply size_below_power|].
      destruct (Nat.ltb_spec (height r) (double (length all) (height r) (length all))) as [V|V].
      + destruct F as (_ & _ & F3 & _). apply resize_holds; auto; [lia|]. right.
        destruct D3 as [D3|D3]; lia.
      + assert (D4 : double (length all) (height r) (length all) = height r) by lia.
        rewrite D4 in D2. pose proof (pow_pos (height r)) as Pw.
        destruct (before_hole_spec s) as (rest & B1 & B2 & B3). unfold compact.
        rewrite E, (B3 ltac:(lia) later). set (u := before_hole s) in *. clearbody u.
        assert (A1 : all = items u ++ items rest ++ pairs).
        { unfold all. rewrite B1, items_app. symmetry. apply app_assoc. }
        rewrite A1. rewrite <- B2. rewrite skipn_app, skipn_all, Nat.sub_diag. cbn [app skipn].
        subst s. rewrite <- app_assoc in E.
        assert (A2 : length all = length u + length (items rest ++ pairs)).
        { rewrite A1, app_length, B2. reflexivity. }
        apply overwrite_relates with (rest ++ later); auto.
        * intro K. apply app_eq_nil in K as [_ K]. auto.
        * rewrite A1 in R. apply rising_app in R. apply R.
        * destruct F as (_ & F2 & _). rewrite E in F2.
          apply rising_times_app in F2 as (_ & F2 & F6).
          intros x y X Y. apply in_app_iff in Y as [Y|Y]; [|apply T; auto; apply in_app_iff; auto].
          destruct (item_slot _ _ Y) as (z & Z0 & <-). apply F6; auto. apply in_app_iff. auto.
        * lia.
        * now rewrite <- A1.
  Qed.
End ReactiveHolds.
