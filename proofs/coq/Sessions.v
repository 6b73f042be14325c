(** Sessions in any order of arrival
    Code: spec/muntin/spec/windows/data_driven.py
    Code: optimized/muntin/optimized/scotty/slices/slice_manager.py
    Text: proofs/scotty.md
    Idealised: all events belong to one key, and none is late. Each event has its gap. A tuple
    fuses the sessions that it overlaps, which is M2; that the code reads sessions of larger gaps
    off slices (M3), makes them final, retracts and discards them (M8) is not modelled. *)
From Muntin Require Import Monoid Cells Slicing.
Set Implicit Arguments.
Open Scope Z_scope.

Section Sessions.
  (* 1 where a dialect merges sessions exactly one gap apart, else 0 *)
  Variable reach : Z.
  Hypothesis reach_01 : 0 <= reach <= 1.
  Variable V : Type.
  Record event := Event { time : Z; gap : Z; value : V }.
  Definition interval := (Z * Z)%type.
  Definition gaps_positive (events : list event) := forall ev, In ev events -> 0 < gap ev.
  Definition in_order (events : list event) :=
    forall p x q y s, events = p ++ x :: q ++ y :: s -> time x <= time y.

  (* Session.intervals: in event order, a tuple extends the last session or begins one. *)
  Fixpoint extend (sessions : list interval) first last : list interval :=
    match sessions with
    | [] => [(first, last)]
    | (l, h) :: later =>
        match later with
        | [] => if h + reach <=? first then [(l, h); (first, last)] else [(l, Z.max h last)]
        | _ => (l, h) :: extend later first last
        end
    end.
  Definition specification (events : list event) :=
    fold_left (fun sessions ev => extend sessions (time ev) (time ev + gap ev)) events [].

  (* M2: in any order, a tuple fuses all sessions that its [time, time + gap) overlaps. *)
  Definition session := (interval * list event)%type.
  Fixpoint fuse a b held (sessions : list session) : list session :=
    match sessions with
    | [] => [(a, b, held)]
    | (l, h, others) :: later =>
        if b + reach <=? l then (a, b, held) :: sessions
        else if h + reach <=? a then (l, h, others) :: fuse a b held later
        else fuse (Z.min a l) (Z.max b h) (others ++ held) later
    end.
  Definition add sessions ev := fuse (time ev) (time ev + gap ev) [ev] sessions.
  Definition sessions events := fold_left add events [].

  (* in order, and at least reach apart *)
  Fixpoint apart low (s : list session) :=
    match s with [] => True | (l, h, _) :: s' => low <= l /\ l < h /\ apart (h + reach) s' end.
  (* The proof: the half-points that a set of intervals covers determine the intervals, and
     fusing a tuple adds its half-points. A union does not depend on the order of its parts. *)
  Definition covers (i : interval) z := 2 * fst i - reach < z < 2 * snd i + reach.
  Arguments covers : simpl never.
  Definition covered (s : list session) z := Exists (fun c => covers (fst c) z) s.

  Lemma apart_low low s z : apart low s -> covered s z -> 2 * low - reach < z.
  Proof. unfold gaps_positive in *.
    unfold covered. revert low; induction s as [|[[l h] y] s IH]; intros low H C; [inversion C|].
    destruct H as (H1 & H2 & H3); inversion C as [? ? Q|]; subst.
    - unfold covers in Q. cbn in Q. lia.
    - specialize (IH _ H3 ltac:(assumption)). lia.
  Qed.

  Lemma determined low low' s s' : apart low s -> apart low' s' ->
    (forall z, covered s z <-> covered s' z) -> map fst s = map fst s'.
  Proof.
    revert low low' s'; induction s as [|[[l h] y] s IH]; intros low low' [|[[l' h'] y'] s'] H H'
      E; cbn in *; auto.
    - assert (Q : covered [] (2 * l' + 1)) by (apply E; left; unfold covers; cbn; lia). inversion Q.
    - assert (Q : covered [] (2 * l + 1)) by (apply E; left; unfold covers; cbn; lia). inversion Q.
    - destruct H as (H1 & H2 & H3), H' as (H1' & H2' & H3').
      assert (S : forall z, covered ((l, h, y) :: s) z <-> 2 * l - reach < z < 2 * h + reach \/
        covered s z).
      { intro z. unfold covered. rewrite Exists_cons. reflexivity. }
      assert (S' : forall z, covered ((l', h', y') :: s') z <-> 2 * l' - reach < z < 2 * h' + reach
        \/ covered s' z).
      { intro z. unfold covered. rewrite Exists_cons. reflexivity. }
      assert (B : forall z, covered s z -> 2 * (h + reach) - reach < z) by (intro; now apply
        apart_low).
      assert (B' : forall z, covered s' z -> 2 * (h' + reach) - reach < z) by (intro; now apply
        apart_low).
      assert (K : forall z, (2 * l - reach < z < 2 * h + reach \/ covered s z) <-> (2 * l' - reach
        < z < 2 * h' + reach \/ covered s' z)).
      { intro z. now rewrite <- S, <- S'. }
      assert (l = l').
      { pose proof (proj1 (K (2 * l - reach + 1)) ltac:(left; lia)) as [Q|Q]; [|apply B' in Q];
        pose proof (proj2 (K (2 * l' - reach + 1)) ltac:(left; lia)) as [R|R]; try apply B in R;
          lia. }
      subst l'.
      assert (h = h').
      { destruct (Z.lt_trichotomy h h') as [T|[T|T]]; auto; exfalso.
        - destruct (proj2 (K (2 * h + reach)) ltac:(left; lia)) as [Q|Q]; [|apply B in Q]; lia.
        - destruct (proj1 (K (2 * h' + reach)) ltac:(left; lia)) as [Q|Q]; [|apply B' in Q]; lia. }
      subst h'. f_equal. eapply IH; eauto. intro z. specialize (K z). specialize (B z).
      specialize (B' z).
      split; intro Q.
      + destruct (proj1 K (or_intror Q)); auto. specialize (B Q). lia.
      + destruct (proj2 K (or_intror Q)); auto. specialize (B' Q). lia.
  Qed.

  Lemma fuse_apart low a b x s : low <= a -> a < b -> apart low s -> apart low (fuse a b x s).
  Proof.
    revert low a b x; induction s as [|[[l h] y] s IH]; intros low a b x Ha Hb H; cbn in *; [lia|].
    destruct H as (H1 & H2 & H3).
    destruct (Z.leb_spec (b + reach) l); [|destruct (Z.leb_spec (h + reach) a)]; cbn.
    - repeat split; auto; lia.
    - repeat split; auto.
    - apply IH; try lia. clear -H1 H2 H3 reach_01. destruct s as [|[[l' h'] y'] s]; cbn in *; auto.
      intuition lia.
  Qed.

  Lemma fuse_covered a b x s z : covered (fuse a b x s) z <-> covers (a, b) z \/ covered s z.
  Proof.
    unfold covered. revert a b x; induction s as [|[[l h] y] s IH]; intros a b x; cbn [fuse].
    - rewrite Exists_cons, !Exists_nil. cbn. tauto.
    - destruct (Z.leb_spec (b + reach) l); [|destruct (Z.leb_spec (h + reach) a)]; rewrite
        ?Exists_cons, ?IH; [cbn; tauto|cbn; tauto|].
      assert (Q : covers (Z.min a l, Z.max b h) z <-> covers (a, b) z \/ covers (l, h) z)
        by (unfold covers; cbn; lia).
      rewrite Q. cbn. tauto.
  Qed.

  Lemma sessions_ok events low : (forall ev, In ev events -> low <= time ev /\ 0 < gap ev) ->
    apart low (sessions events) /\
    forall z, covered (sessions events) z <-> Exists (fun ev => covers (time ev, time ev + gap ev)
      z) events.
  Proof.
    unfold sessions. intro H.
    cut (forall s, apart low s -> apart low (fold_left add events s) /\ forall z, covered
      (fold_left add events s) z <->
      Exists (fun ev => covers (time ev, time ev + gap ev) z) events \/ covered s z).
    { intro Q. destruct (Q []) as [Q1 Q2]; cbn; auto. split; auto. intro z. rewrite Q2.
      unfold covered.
      rewrite Exists_nil. tauto. }
    induction events as [|ev events IH]; intros s Hs; cbn.
    - split; auto. intro z. rewrite Exists_nil. tauto.
    - destruct (H ev) as [H1 H2]; [now left|].
      destruct (IH ltac:(intros; apply H; now right) (add s ev)) as [I1 I2].
      + apply fuse_apart; auto. lia.
      + split; auto. intro z. rewrite I2, Exists_cons. unfold add. rewrite fuse_covered. tauto.
  Qed.

  Lemma lower events : exists low, forall ev : event, In ev events -> low <= time ev.
  Proof.
    induction events as [|ev events [low IH]]; [now exists 0|]. exists (Z.min low (time ev)).
    intros v [<-|I]; [lia|]. apply IH in I. lia.
  Qed.

  (** [M2] The intervals of sessions do not depend on the order of arrival. *)
  Theorem confluence events others : gaps_positive events -> Permutation events others ->
    map fst (sessions events) = map fst (sessions others).
  Proof. unfold gaps_positive in *.
    intros G P. destruct (lower events) as [low H].
    destruct (@sessions_ok events low) as [A1 C1]; [intros; split; auto|].
    destruct (@sessions_ok others low) as [A2 C2].
    { intros ev I. apply (Permutation_in _ (Permutation_sym P)) in I. auto. }
    apply determined with low low; auto. intro z. rewrite C1, C2. rewrite !Exists_exists.
    split; intros (ev & I & C); exists ev; split; eauto using Permutation_in, Permutation_sym.
  Qed.

  (* a tuple that is not older than any before it extends the last session *)
  Lemma fuse_extend low a b x s : a < b -> apart low s -> (forall c, In c s -> fst (fst c) <= a) ->
    map fst (fuse a b x s) = extend (map fst s) a b.
  Proof.
    intro Hb. revert low; induction s as [|[[l h] y] s IH]; intros low H O; [reflexivity|].
    pose proof (O _ (or_introl eq_refl)) as Ol. cbn in Ol, H. destruct H as (H1 & H2 & H3).
    cbn [fuse]. destruct (Z.leb_spec (b + reach) l); [lia|]. destruct s as [|[[l' h'] y'] s].
    - cbn. destruct (Z.leb_spec (h + reach) a); cbn; auto. f_equal. f_equal; lia.
    - pose proof (O _ (or_intror (or_introl eq_refl))) as Ol'. cbn in Ol', H3.
      destruct (Z.leb_spec (h + reach) a); [|lia]. cbn [map]. rewrite (IH _ H3); auto.
      intros; apply O; now right.
  Qed.

  Lemma fuse_starts a b x s m : a <= m -> (forall c, In c s -> fst (fst c) <= m) ->
    forall c, In c (fuse a b x s) -> fst (fst c) <= m.
  Proof.
    revert a b x; induction s as [|[[l h] y] s IH]; intros a b x Ha H c; cbn.
    - intros [<-|[]]. exact Ha.
    - pose proof (H _ (or_introl eq_refl)) as Hl. cbn in Hl.
      destruct (b + reach <=? l); [|destruct (h + reach <=? a)]; cbn.
      + intros [<-|I]; [exact Ha|]. apply H. exact I.
      + intros [<-|I]; [exact Hl|]. eapply IH; [exact Ha| |exact I]. intros; apply H; now right.
      + apply IH; [lia|]. intros; apply H; now right.
  Qed.

  Lemma sessions_specified events : gaps_positive events -> in_order events ->
    map fst (sessions events) = specification events.
  Proof. unfold gaps_positive in *.
    intros G O. destruct (lower events) as [low Hl]. unfold sessions, specification.
    cut (forall s, apart low s -> (forall ev q, events = ev :: q -> forall c, In c s -> fst (fst c)
      <= time ev) ->
      map fst (fold_left add events s) = fold_left (fun s ev => extend s (time ev) (time ev + gap
        ev)) events (map fst s)).
    { intro Q. apply Q; cbn; easy. }
    induction events as [|ev events IH]; intros s Hs Hc; cbn; auto.
    assert (G0 : 0 < gap ev) by (apply G; now left).
    assert (L0 : low <= time ev) by (apply Hl; now left).
    unfold add. rewrite IH.
    - rewrite (@fuse_extend low); auto; [lia|]. now apply (Hc ev events).
    - intros; apply G; now right.
    - intros p x q y t ->. apply (O (ev :: p) x q y t). reflexivity.
    - intros; apply Hl; now right.
    - apply fuse_apart; auto. lia.
    - intros v q -> c I. assert (time ev <= time v) by now apply (O [] ev [] v q).
      revert c I. apply fuse_starts; auto. intros c I. specialize (Hc ev (v :: q) eq_refl c I).
      exact (Z.le_trans _ _ _ Hc H).
  Qed.

  (** [M2] In whatever order the events arrive, their sessions have the intervals of the
      specification, which goes through them in event order.
      Not claimed: in which order events of equal time are; here any order by time will do. *)
  Theorem sessions_are_specified events sorted :
    gaps_positive events -> Permutation events sorted -> in_order sorted ->
    map fst (sessions events) = specification sorted.
  Proof. unfold gaps_positive in *.
    intros G P O. rewrite <- sessions_specified; auto using confluence.
    intros ev I. apply G. eauto using Permutation_in, Permutation_sym.
  Qed.

  (* what a session holds *)
  Definition own (c : session) := forall ev, In ev (snd c) -> fst (fst c) <= time ev < snd (fst c).
  Lemma fuse_contents a b x s :
    (forall ev, In ev x -> a <= time ev < b) -> Forall own s ->
    Forall own (fuse a b x s) /\ Permutation (concat (map snd (fuse a b x s))) (x ++ concat (map
      snd s)).
  Proof.
    revert a b x; induction s as [|[[l h] y] s IH]; intros a b x Hx H; cbn.
    - split; auto.
    - inversion H as [|? ? H1 H2]; subst.
      destruct (b + reach <=? l); [|destruct (h + reach <=? a)]; cbn.
      + split; auto.
      + destruct (IH a b x) as [I1 I2]; auto. split; auto. rewrite I2, !app_assoc.
        apply Permutation_app_tail, Permutation_app_comm.
      + destruct (IH (Z.min a l) (Z.max b h) (y ++ x)) as [I1 I2]; auto.
        * intros ev I. apply in_app_iff in I as [I|I]; [apply H1 in I; cbn in I|apply Hx in I]; lia.
        * split; auto. rewrite I2, !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  Qed.

  Lemma sessions_contents events : gaps_positive events ->
    Forall own (sessions events) /\ Permutation (concat (map snd (sessions events))) events.
  Proof. unfold gaps_positive in *.
    unfold sessions. intro G. cut (forall s, Forall own s -> Forall own (fold_left add events s) /\
      Permutation (concat (map snd (fold_left add events s))) (events ++ concat (map snd s))).
    { intro Q. destruct (Q []) as [Q1 Q2]; auto. cbn in Q2. rewrite app_nil_r in Q2. auto. }
    induction events as [|ev events IH]; intros s Hs; cbn; auto.
    assert (0 < gap ev) by (apply G; now left).
    destruct (@fuse_contents (time ev) (time ev + gap ev) [ev] s) as [F1 F2]; auto.
    { intros v [<-|[]]. lia. }
    destruct (IH ltac:(intros; apply G; now right) _ F1) as [I1 I2]. split; auto.
    etransitivity; [exact I2|]. rewrite F2. cbn. symmetry. apply Permutation_middle.
  Qed.

  (** [M2] Each session holds exactly the events inside it. *)
  Theorem contents events l h y :
    gaps_positive events -> In (l, h, y) (sessions events) ->
    Permutation y (filter (fun ev => inside l h (time ev)) events).
  Proof. unfold gaps_positive in *.
    intros G I. destruct (lower events) as [low Hl].
    destruct (@sessions_ok events low) as [A _]; [intros; split; auto|].
    destruct (@sessions_contents events G) as [O P]. rewrite <- (filter_permutation _ P). clear P G.
    clear Hl. revert low A I O. generalize (sessions events) as s.
    induction s as [|[[l' h'] y'] s IH]; intros low A I O; [easy|].
    inversion O as [|? ? O1 O2]; subst. destruct A as (A1 & A2 & A3). cbn. rewrite filter_app.
    assert (N : forall low s, apart low s -> Forall own s -> forall ev, In ev (concat (map snd s))
      -> low <= time ev).
    { clear - reach_01. intros low s. revert low.
      induction s as [|[[l h] y] s IH]; intros low A O ev I; [easy|]. cbn in *.
      inversion O as [|? ? O1 O2]; subst. destruct A as (A1 & A2 & A3).
      apply in_app_iff in I as [I|I].
      - apply O1 in I. cbn in I. lia.
      - specialize (IH _ A3 O2 _ I). lia. }
    assert (All : forall l h y, (forall ev, In ev y -> l <= time ev < h) -> filter (fun ev =>
      inside l h (time ev)) y = y).
    { clear. intros l h y H. induction y as [|ev y IH]; cbn; auto.
      rewrite IH by (intros; apply H; now right).
      specialize (H ev (or_introl eq_refl)). unfold inside.
      destruct (Z.leb_spec l (time ev)), (Z.ltb_spec (time ev) h); cbn; auto; lia. }
    assert (None : forall l h y, (forall ev, In ev y -> time ev < l \/ h <= time ev) -> filter (fun
      ev => inside l h (time ev)) y = []).
    { clear. intros l h y H. induction y as [|ev y IH]; cbn; auto.
      rewrite IH by (intros; apply H; now right).
      specialize (H ev (or_introl eq_refl)). unfold inside.
      destruct (Z.leb_spec l (time ev)), (Z.ltb_spec (time ev) h); cbn; auto; lia. }
    destruct I as [I|I].
    - injection I as -> -> ->. rewrite All by exact O1. rewrite None, app_nil_r; auto.
      intros ev J. apply (N _ _ A3 O2) in J. lia.
    - rewrite None.
      + cbn. eapply IH; eauto.
      + intros ev J. apply O1 in J. cbn in J.
        assert (h' + reach <= l); [|lia].
        clear -A3 I reach_01. revert A3 I. generalize (h' + reach) as m.
        induction s as [|[[l1 h1] y1] s IH]; intros m A I; [easy|].
        destruct A as (A1 & A2 & A3). destruct I as [I|I]; [injection I as -> -> ->; auto|].
        specialize (IH _ A3 I). lia.
  Qed.

  (** [M4] So the partial aggregate of a session is what the specification folds, if order does
      not matter to the monoid.
      Not claimed: anything of monoids that do not commute. *)
  Theorem aggregate {A} (M : monoid A) {L : lawful M} {C : commutative M} (lift : V -> A)
      events sorted l h held :
    gaps_positive events -> Permutation events sorted -> In (l, h, held) (sessions events) ->
    fold M (map (fun ev => lift (value ev)) held)
    = fold M (map (fun ev => lift (value ev))
                (filter (fun ev => inside l h (time ev)) sorted)).
  Proof. unfold gaps_positive in *.
    intros G P I. apply fold_permutation; auto. apply Permutation_map.
    rewrite (@contents events l h held G I). now apply filter_permutation.
  Qed.
End Sessions.
