(** Repairs of FiBA by what a call has hit
    Code: optimized/muntin/optimized/btree/fiba.py
    Code: optimized/muntin/optimized/btree/balanced_tree.py
    Text: proofs/fiba.md
    Idealised: as in FibaTree.v, but nodes are recomputed where the code recomputes them: on the way
    up to the first node on a spine, and from there down that spine; from the root, down the spines
    that hit names. How many nodes these are is not counted. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates.
Set Implicit Arguments.

Section Hit.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).

  (* What a change below a node means for it: nothing, since the repair has ended further down; or
     it is to be repaired, and the change has hit nodes on the left spine, or on the right. *)
  Inductive change := Unchanged | Changed (hit_left hit_right : bool).

  (* _refresh: a node on a spine keeps the aggregate a that it has *)
  Definition refreshed C (ag : C -> A) (l r : bool) a (s : children C) : node C :=
    if (l || r)%bool then (a, s) else node_of ag s.

  Unset Implicit Arguments.
  (* the repair of the root: itself, and the spines that have been hit *)
  Definition repair_hit h (hit_left hit_right : bool) (s : children (tree h)) : tree (S h) :=
    let first := if hit_left then repair_left h (identity M) (fst s) else fst s in
    (inner (aggregate h) (snd s),
     if hit_right then map_last (repair_right h (identity M)) first (snd s) else (first, snd s)).
  Set Implicit Arguments.

  (* Two trees are alike if they are the same but for what nodes on the left (l) and the right (r)
     spine hold, which a repair of that spine makes the same. *)
  Fixpoint all_alike C (P : bool -> bool -> C -> C -> Prop) l r c (cs : list (entry * C)) d ds :=
    match cs, ds with
    | [], [] => P l r c d
    | (x, c') :: cs, (y, d') :: ds => x = y /\ P l false c d /\ all_alike P false r c' cs d' ds
    | _, _ => False
    end.
  Fixpoint alike h l r : tree h -> tree h -> Prop :=
    match h with
    | 0 => fun _ _ => True
    | S h => fun n m =>
        ((l || r)%bool = false -> fst n = fst m) /\
        all_alike (alike h) l r (fst (snd n)) (snd (snd n)) (fst (snd m)) (snd (snd m))
    end.
  Arguments alike : clear implicits.

  Section AllAlike.
    Variables (C : Type) (P : bool -> bool -> C -> C -> Prop).
    Implicit Types (c d : C) (cs ds : list (entry * C)).
    Lemma all_alike_length l r c d cs ds : all_alike P l r c cs d ds -> length cs = length ds.
    Proof.
      revert l c d ds; induction cs as [|[x c'] cs IH]; intros l c d [|[y d'] ds]; cbn; try easy.
      intros (_ & _ & F). f_equal. eapply IH, F.
    Qed.
    Lemma all_alike_parts l r c i x d k c' cs' : all_alike P l r c (i ++ (x, d) :: k) c' cs' ->
      exists i' d' k', cs' = i' ++ (x, d') :: k' /\ length i = length i' /\
        all_alike P l false c i c' i' /\ all_alike P false r d k d' k'.
    Proof.
      revert l c c' cs'; induction i as [|[y e] i IH]; intros l c c' [|[z e'] cs']; cbn; try easy.
      - intros (-> & H1 & H2). exists [], e', cs'. repeat split; auto.
      - intros (-> & H1 & H2). destruct (IH _ _ _ _ H2) as (i' & d' & k' & -> & E & H3 & H4).
        exists ((z, e') :: i'), d', k'. cbn. rewrite E. repeat split; auto.
    Qed.
    Lemma all_alike_app l r c i x d k c' i' d' k' : all_alike P l false c i c' i' ->
      all_alike P false r d k d' k' ->
      all_alike P l r c (i ++ (x, d) :: k) c' (i' ++ (x, d') :: k').
    Proof.
      revert l c c' i'; induction i as [|[y e] i IH]; intros l c c' [|[z e'] i']; cbn; try easy.
      intros (-> & H1 & H2) H3. auto.
    Qed.
    Hypothesis same : forall l r c, P l r c c.
    Lemma all_alike_same l r c cs : all_alike P l r c cs c cs.
    Proof. revert l c; induction cs as [|[x d] cs IH]; intros l c; cbn; auto. Qed.
    Hypothesis equal : forall c d, P false false c d -> c = d.
    Lemma all_alike_equal c d cs ds : all_alike P false false c cs d ds -> c = d /\ cs = ds.
    Proof.
      revert c d ds; induction cs as [|[x c'] cs IH]; intros c d [|[y d'] ds]; cbn; try easy.
      - intro H. now rewrite (equal H).
      - intros (-> & H & F). apply IH in F as [-> ->]. now rewrite (equal H).
    Qed.
    Hypothesis weaker : forall l r l' r' c d, (l = true -> l' = true) -> (r = true -> r' = true) ->
      P l r c d -> P l' r' c d.
    Lemma all_alike_weaker l r l' r' c d cs ds : (l = true -> l' = true) ->
      (r = true -> r' = true) -> all_alike P l r c cs d ds -> all_alike P l' r' c cs d ds.
    Proof.
      intros Hl Hr. revert l l' Hl c d ds.
      induction cs as [|[x c'] cs IH]; intros l l' Hl c d [|[y d'] ds]; cbn; try easy; eauto.
      intros (-> & H & F). repeat split; [now apply weaker with l false|].
      now apply (IH false false).
    Qed.
  End AllAlike.

  Lemma alike_same h l r (c : tree h) : alike h l r c c.
  Proof. revert l r c; induction h; intros l r c; cbn; auto using all_alike_same. Qed.
  Lemma alike_equal h (c d : tree h) : alike h false false c d -> c = d.
  Proof.
    induction h as [|h IH]; [now destruct c, d|]. open c a c0 ci. open d b d0 di. cbn.
    intros [E F]. apply all_alike_equal in F as [-> ->]; auto. now rewrite E.
  Qed.
  Lemma alike_weaker h l r l' r' (c d : tree h) : (l = true -> l' = true) ->
    (r = true -> r' = true) -> alike h l r c d -> alike h l' r' c d.
  Proof.
    revert l r l' r' c d; induction h as [|h IH]; intros l r l' r' c d Hl Hr; cbn; auto.
    intros [E F]. split.
    - intro N. apply E. destruct l, r; auto; try (now rewrite Hl in N by auto).
      rewrite Hr in N by auto. destruct l'; discriminate.
    - now apply (@all_alike_weaker _ (alike h) IH) with l r.
  Qed.
  Lemma alike_left h (c d : tree h) g : alike h true false c d ->
    repair_left h g c = repair_left h g d.
  Proof.
    revert c d g; induction h as [|h IH]; intros c d g; [now destruct c, d|].
    open c a c0 ci. open d b d0 di. cbn. intros [_ F].
    destruct ci as [|[x e] ci], di as [|[y e'] di]; try easy; cbn in F.
    - now rewrite (IH c0 d0).
    - destruct F as (-> & F1 & F2). apply all_alike_equal in F2 as [-> ->]; [|apply alike_equal].
      now rewrite (IH c0 d0).
  Qed.
  Lemma all_alike_right h (Q : forall (c d : tree h) g, alike h false true c d ->
      repair_right h g c = repair_right h g d) c d cs ds :
    all_alike (alike h) false true c cs d ds ->
    fold_init (aggregate h) c cs = fold_init (aggregate h) d ds /\
    forall g, map_last (repair_right h g) c cs = map_last (repair_right h g) d ds.
  Proof.
    revert c d ds; induction cs as [|[x c'] cs IH]; intros c d [|[y d'] ds]; cbn; try easy.
    - intro H. split; auto. intro g. now rewrite (Q c d).
    - intros (-> & H & F). apply IH in F as [F1 F2]. apply alike_equal in H as ->.
      rewrite F1. split; auto. intro g. now rewrite F2.
  Qed.
  Lemma alike_right h (c d : tree h) g : alike h false true c d ->
    repair_right h g c = repair_right h g d.
  Proof.
    revert c d g; induction h as [|h IH]; intros c d g; [now destruct c, d|].
    open c a c0 ci. open d b d0 di. cbn. intros [_ F].
    apply (@all_alike_right h IH) in F as [-> F]. now rewrite F.
  Qed.
  Lemma refreshed_alike h l r a (s s' : children (tree h)) :
    all_alike (alike h) l r (fst s) (snd s) (fst s') (snd s') ->
    alike (S h) l r (refreshed (aggregate h) l r a s) (node_of (aggregate h) s').
  Proof.
    destruct s as [c cs], s' as [d ds]. unfold refreshed. cbn [fst snd]. intro F.
    destruct (l || r)%bool eqn:E; cbn; rewrite E; split; auto; try discriminate.
    destruct l, r; try discriminate. apply all_alike_equal in F as [-> ->]; [easy|].
    apply alike_equal.
  Qed.

  (* Nothing on a spine below a node that holds g waits for a repair. *)
  Definition sound h g (l r : bool) (c : tree h) :=
    (l = true -> repair_left h g c = c) /\ (r = true -> repair_right h g c = c).
  Arguments sound : clear implicits.

  Lemma sound_children h l r g (n : tree (S h)) : (l && r = false)%bool -> sound (S h) g l r n ->
    along (sound h (fst n)) l r (fst (snd n)) (snd (snd n)).
  Proof.
    open n a c cs. cbn [fst snd]. intros E [H1 H2].
    assert (N : forall c (cs : list (entry * tree h)), along (sound h a) false false c cs).
    { clear. intros c cs. revert c. induction cs as [|[x d] cs IH]; intro c; cbn; auto;
      repeat split; easy. }
    destruct l, r; try discriminate; auto.
    - specialize (H1 eq_refl). cbn in H1. injection H1 as H0 H1. rewrite H0 in H1.
      destruct cs as [|[x d] cs]; [split; easy|split; [split; easy|apply N]].
    - specialize (H2 eq_refl). cbn in H2. injection H2 as H0 H2. rewrite H0 in H2.
      clear -H2. revert c H2. induction cs as [|[x d] cs IH]; intros c H2; cbn in *.
      + injection H2 as H2. split; easy.
      + destruct (map_last _ d cs) eqn:F. injection H2 as H3 H4. split; [split; easy|].
        apply IH. congruence.
  Qed.

  Lemma map_last_length C (f : C -> C) (cs : list (entry * C)) c :
    length (snd (map_last f c cs)) = length cs.
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intro c; cbn; auto. specialize (IH d).
    destruct (map_last f d cs). cbn in *. now rewrite IH.
  Qed.
  Lemma map_last_fold_init h (f : tree h -> tree h) cs c :
    fold_init (aggregate h) (fst (map_last f c cs)) (snd (map_last f c cs))
    = fold_init (aggregate h) c cs.
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intro c; cbn; auto. specialize (IH d).
    destruct (map_last f d cs). cbn in *. now rewrite IH.
  Qed.
  Lemma map_last_inner h (f : tree h -> tree h) cs c :
    inner (aggregate h) (snd (map_last f c cs)) = inner (aggregate h) cs.
  Proof.
    destruct cs as [|[x d] cs]; cbn; auto. pose proof (@map_last_fold_init h f cs d) as E.
    destruct (map_last f d cs). cbn in *. now rewrite E.
  Qed.
  Lemma map_last_twice C (f g : C -> C) (cs : list (entry * C)) c :
    map_last f (fst (map_last g c cs)) (snd (map_last g c cs)) = map_last (fun c => f (g c)) c cs.
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intro c; cbn; auto. specialize (IH d).
    destruct (map_last g d cs). cbn in *. now rewrite IH.
  Qed.

  Lemma spine_left_sound h rest g (n : tree h) : g = total rest -> spine_left h rest n ->
    repair_left h g n = n.
  Proof.
    revert rest g n; induction h as [|h IH]; intros rest g n E S; [reflexivity|].
    open n a c cs. destruct S as (S1 & S2 & S3). cbn [fst snd repair_left] in *.
    assert (F : fold_tail (aggregate h) cs ** g = a).
    { rewrite S1, total_app, <- E. f_equal. destruct cs as [|[x d] cs]; [reflexivity|].
      rewrite tail_contents_cons.
      apply (@fold_tail_ok A M L _ (aggregate h) (contents h) (folds_below h)
        (@folds_below_is_fold A M h) d ((x, d) :: cs)); [|reflexivity].
      destruct cs as [|[y e] cs]; cbn in *; tauto. }
    rewrite F. now rewrite (IH (tail_contents (contents h) cs ++ rest) a c S1 S2).
  Qed.
  Lemma map_last_sound h (f : tree h -> tree h) (cs : list (entry * tree h)) c :
    f (last_child c cs) = last_child c cs -> map_last f c cs = (c, cs).
  Proof.
    revert c; induction cs as [|[x d] cs IH]; intros c E; cbn in *; [now rewrite E|].
    now rewrite IH.
  Qed.
  Lemma spine_right_sound h rest g (n : tree h) : g = total rest -> spine_right h rest n ->
    repair_right h g n = n.
  Proof.
    revert rest g n; induction h as [|h IH]; intros rest g n E S; [reflexivity|].
    open n a c cs. destruct S as (S1 & S2). cbn [fst snd repair_right] in *.
    assert (F : g ** fold_init (aggregate h) c cs = a).
    { rewrite S1, total_app, <- E. f_equal. apply fold_init_ok.
      eapply spine_seq; eauto. apply spine_right_folds_below. }
    rewrite F, (@map_last_sound h _ cs c); [reflexivity|]. eapply IH; [exact S1|].
    eapply spine_last; eauto.
  Qed.
  Lemma root_sound h (n : tree (S h)) : aggregates_hold h n ->
    fst n = inner (aggregate h) (snd (snd n)) /\
    along (sound h (identity M)) true true (fst (snd n)) (snd (snd n)).
  Proof.
    open n a c cs. unfold aggregates_hold. cbn [fst snd]. destruct cs as [|[x d] cs].
    - intros [-> ->]. now destruct c.
    - intros (H1 & H2 & H3). split.
      + rewrite H1, total_cons. cbn [inner]. f_equal. symmetry. apply fold_init_ok.
        eapply spine_seq; eauto. apply spine_right_folds_below.
      + split; [split; [intros _; now apply spine_left_sound with []|easy]|].
        clear -L H3. revert d H3. induction cs as [|[y e] cs IH]; intros d H3; cbn in *.
        * split; [easy|]. intros _. now apply spine_right_sound with [].
        * destruct H3 as [_ H3]. split; [split; easy|]. now apply IH.
  Qed.

  Lemma along_last C (Q : bool -> bool -> C -> Prop) l r c (cs : list (entry * C)) :
    along Q l r c cs -> exists l', Q l' r (last_child c cs).
  Proof.
    revert l c; induction cs as [|[x d] cs IH]; intros l c H; cbn in *;
      [eauto|]. now apply (IH false).
  Qed.

  (* A root whose children are alike, and whose spines that have not been hit are sound. *)
  Lemma repair_hit_is_repair h hl hr (s s' : children (tree h)) g : h = 0 \/ snd s <> [] ->
    all_alike (alike h) hl hr (fst s) (snd s) (fst s') (snd s') ->
    (hl = false -> repair_left h (identity M) (fst s) = fst s) ->
    (hr = false -> repair_right h (identity M) (last_child (fst s) (snd s))
      = last_child (fst s) (snd s)) ->
    repair_hit h hl hr s = repair h (g, s').
  Proof.
    destruct s as [c cs], s' as [d ds]. unfold repair_hit, repair. cbn [fst snd]. intros N F Hl Hr.
    destruct cs as [|[x c'] cs], ds as [|[y d'] ds]; try easy.
    - destruct N as [->|]; [|easy]. destruct c, d. now destruct hl, hr.
    - destruct F as (-> & F1 & F2). cbn [last_child] in Hr.
      assert (E : (if hl then repair_left h (identity M) c else c) = repair_left h (identity M) d).
      { destruct hl; [now apply alike_left|]. apply alike_equal in F1 as ->. symmetry. auto. }
      rewrite E. cbn [inner]. destruct hr.
      + apply (@all_alike_right h (@alike_right h)) in F2 as [-> F2]. cbn [map_last].
      now rewrite F2.
      + apply all_alike_equal in F2 as [-> ->]; [|apply alike_equal]. f_equal.
        symmetry. apply map_last_sound. cbn [last_child]. auto.
  Qed.

  (* What a change below a node with the children c and cs makes of them (s), beside what
     FibaTree.v makes of them (s'). g is what the node holds. *)
  Definition children_agree h l r g c cs (s : children (tree h)) change (s' : children (tree h)) :=
    match change with
    | Unchanged =>
        (l = true /\ exists m, s' = (m, cs) /\ s = (repair_left h g m, cs)) \/
        (r = true /\ exists m, s' = map_last (fun _ => m) c cs /\
          s = map_last (fun _ => repair_right h g m) c cs)
    | Changed hl hr =>
        (hl = true -> l = true) /\ (hr = true -> r = true) /\
        all_alike (alike h) hl hr (fst s) (snd s) (fst s') (snd s') /\
        (l = true -> hl = false -> fst s = c) /\
        (r = true -> hr = false -> last_child (fst s) (snd s) = last_child c cs)
    end.

  (* Where the repair has ended below a node, its own aggregate is right as it stands. *)
  Lemma unchanged_below h l r a g c (cs : list (entry * tree h)) s s' : (l && r = false)%bool ->
    sound (S h) a l r (g, (c, cs)) -> children_agree h l r g c cs s Unchanged s' ->
    length (snd s') = length cs /\ forall b,
    (l = true /\ r = false /\ (g, s) = repair_left (S h) a (b, s')
     \/ l = false /\ r = true /\ (g, s) = repair_right (S h) a (b, s')).
  Proof.
    intros E [Sl Sr] [(-> & m & -> & ->)|(-> & m & -> & ->)].
    - destruct r; [discriminate|]. split; auto. intro b. specialize (Sl eq_refl). cbn in Sl.
      injection Sl as S0 S1. left. repeat split. cbn. now rewrite S0.
    - destruct l; [discriminate|]. specialize (Sr eq_refl). cbn in Sr. injection Sr as S0 S1.
      split; [apply map_last_length|]. intro b. right. repeat split.
      cbn. rewrite map_last_fold_init, S0, map_last_twice. reflexivity.
  Qed.
  Lemma unchanged_below_root h g c (cs : list (entry * tree h)) s s' b : h = 0 \/ cs <> [] ->
    g = inner (aggregate h) cs -> repair_left h (identity M) c = c ->
    repair_right h (identity M) (last_child c cs) = last_child c cs ->
    children_agree h true true (identity M) c cs s Unchanged s' ->
    (g, s) = repair h (b, s') /\ length (snd s') = length cs.
  Proof.
    intros N H0 Hc Hl B. unfold repair. cbn [fst snd]. destruct cs as [|p cs].
    - destruct N as [->|]; [|easy].
      destruct B as [(_ & m & -> & ->)|(_ & m & -> & ->)]; cbn in *; rewrite H0; now destruct m.
    - destruct B as [(_ & m & -> & ->)|(_ & m & -> & ->)].
      + cbn [fst snd]. rewrite (@map_last_sound h _ (p :: cs)) by exact Hl. now rewrite H0.
      + split; [|apply map_last_length].
        pose proof (@map_last_inner h (fun _ => m) (p :: cs) c) as E1.
        pose proof (map_last_twice (repair_right h (identity M)) (fun _ => m) (p :: cs) c) as E2.
        destruct p as [x d]. cbn [map_last] in *. destruct (map_last (fun _ => m) d cs) as [d' ds].
        cbn [fst snd] in *. rewrite Hc, E2, H0. now f_equal.
  Qed.
End Hit.
Arguments alike {A} h.
Arguments sound {A M} h.
