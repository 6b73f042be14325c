(** Bulk evict of FiBA
    Code: optimized/muntin/optimized/btree/bulk_evict.py
    Text: proofs/fiba.md
    Idealised: as in FibaTree.v. What is dropped is not visited; the node where the cut begins is
    reached from the root; and the model asks all entries whether any stays, and any goes, where the
    code asks both fingers. At the end the root and both spines are recomputed. *)
From Muntin Require Import Monoid FibaTree FibaContents.
Set Implicit Arguments.

Section BulkEvict.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Variable last_out : Z. (* all at or before this time goes *)
  Implicit Types (x y : entry) (entries : list entry).
  Definition goes x := (fst x <=? last_out)%Z.

  (* One level of _cut: what is older goes, and of the child that the cut goes through, a part. *)
  Fixpoint cut_below C (cut : C -> C) c (cs : list (entry * C)) : children C :=
    match cs with
    | [] => (cut c, [])
    | (x, d) :: others => if goes x then cut_below cut d others else (cut c, cs)
    end.
  (* _fill: the first child takes entries from the second, half of what both have, or becomes one
     with it. The entries of both and the one between are in one list. *)
  Definition fill_first C (ag : C -> A) least (c : node C) x (d : node C)
      (cs : list (entry * node C)) : children (node C) :=
    if arity c <? least then
      let '(c0, ci) := snd c in
      let both := ci ++ (x, fst (snd d)) :: snd (snd d) in
      if length both <? 2 * mu then (node_of ag (c0, both), cs)
      else
        let half := length both / 2 in
        match skipn half both with
        | (y, d1) :: younger =>
            (node_of ag (c0, firstn half both), (y, node_of ag (d1, younger)) :: cs)
        | [] => (c, (x, d) :: cs)
        end
    else (c, (x, d) :: cs).

  Unset Implicit Arguments.
  Fixpoint cut h : tree h -> tree h :=
    match h with
    | 0 => fun n => n
    | S h => fun n => make h (cut_below (cut h) (fst (snd n)) (snd (snd n)))
    end.
  (* a child of height h that the cut has gone through must be able to spare one of its own *)
  Definition least h := mu + match h with 0 => 0 | S _ => 1 end.
  (* from the top down the left spine *)
  Fixpoint fill h : tree (S h) -> tree (S h) :=
    match h with
    | 0 => fun n => n
    | S h => fun n =>
        match snd (snd n) with
        | [] => n
        | (x, d) :: cs =>
            let (c, cs) := fill_first (aggregate h) (least h) (fst (snd n)) x d cs in
            make (S h) (fill h c, cs)
        end
    end.
  (* whether the cut begins at a node of the left spine: not further down *)
  Definition begins h (n : tree (S h)) :=
    match h with
    | 0 => true
    | S _ => match snd (snd n) with [] => true | (x, _) :: _ => goes x end
    end.
  (* A cut that begins further down the left spine: above its beginning, as after an evict. *)
  Fixpoint cut_left h : tree (S h) -> tree (S h) :=
    match h with
    | 0 => fun n => n
    | S h => fun n =>
        match snd (snd n) with
        | [] => n
        | (x, d) :: cs =>
            let c := fst (snd n) in
            if begins h c then
              let (c, cs) := fill_first (aggregate h) (least h) (cut (S h) c) x d cs in
              make (S h) (fill h c, cs)
            else make (S h) (join_younger (aggregate h) (cut_left h c) x d cs)
        end
    end.
  (* _drop_all_before: a node of the right spine becomes the root *)
  Fixpoint drop_before h : tree (S h) -> fiba :=
    match h with
    | 0 => fun n => existT _ 0 n
    | S h => fun n =>
        match @split_last (entry * tree (S h)) (snd (snd n)) with
        | Some (_, (x, d)) =>
            if (fst x <? last_out)%Z then drop_before h d else existT _ (S h) n
        | None => existT _ (S h) n
        end
    end.
  (* roots that have only one child left go *)
  Fixpoint shrink_all h : tree (S h) -> fiba :=
    match h with
    | 0 => fun n => existT _ 0 n
    | S h => fun n =>
        match snd (snd n) with [] => shrink_all h (fst (snd n)) | _ => existT _ (S h) n end
    end.
  Definition cut_root h (n : tree (S h)) : fiba :=
    if begins h n then
      let (h, n) := drop_before h n in
      let (h, n) := shrink_all h (cut (S h) n) in
      shrink h (fill h n)
    else shrink h (cut_left h n).
  Definition bulk_evict (f : fiba) : fiba :=
    if existsb goes (window f) then
      if forallb goes (window f) then new else let (h, n) := f in cut_root h n
    else f.
  Set Implicit Arguments.

  (* what stays *)
  Definition kept entries := filter (fun x => negb (goes x)) entries.
  Lemma kept_app entries others : kept (entries ++ others) = kept entries ++ kept others.
  Proof. apply filter_app. Qed.
  Lemma kept_all entries : (forall y, In y entries -> (last_out < fst y)%Z) ->
    kept entries = entries.
  Proof.
    unfold kept. induction entries as [|y l IH]; cbn; auto. intro H. unfold goes at 1.
    pose proof (H y (or_introl eq_refl)). destruct (Z.leb_spec (fst y) last_out); [lia|].
    cbn. f_equal. auto.
  Qed.
  Lemma kept_none entries : (forall y, In y entries -> (fst y <= last_out)%Z) -> kept entries = [].
  Proof.
    unfold kept. induction entries as [|y l IH]; cbn; auto. intro H. unfold goes at 1.
    pose proof (H y (or_introl eq_refl)). destruct (Z.leb_spec (fst y) last_out); [|lia]. cbn. auto.
  Qed.
  Lemma kept_rising entries : rising entries -> rising (kept entries).
  Proof.
    unfold kept. induction entries as [|x l IH]; cbn; auto. intros [H1 H2].
    destruct (negb (goes x)); cbn; auto. split;
      auto. intros y I. apply filter_In in I. now apply H1.
  Qed.

  Lemma cut_below_contents C (con : C -> list entry) (f : C -> C) :
    (forall c, rising (con c) -> con (f c) = kept (con c)) ->
    forall cs c, rising (children_contents con (c, cs)) ->
    children_contents con (cut_below f c cs) = kept (children_contents con (c, cs)).
  Proof.
    intro H. induction cs as [|[x d] cs IH]; intros c R; cbn [cut_below].
    - unfold children_contents in *. cbn in *. rewrite app_nil_r in *. now rewrite H, app_nil_r.
    - rewrite children_contents_cons in *. apply in_children_contents in R as (R1 & R2 & R3 & R4).
      rewrite kept_app. unfold kept at 2. cbn [filter]. unfold goes at 1 2.
      destruct (Z.leb_spec (fst x) last_out); cbn [negb].
      + rewrite kept_none, IH; auto. intros y I. specialize (R3 _ I). lia.
      + rewrite children_contents_cons, H by auto. f_equal. f_equal. symmetry. apply kept_all.
        intros y I. specialize (R4 _ I). lia.
  Qed.
  Lemma cut_contents h (n : tree h) : rising (contents h n) ->
    contents h (cut h n) = kept (contents h n).
  Proof.
    revert n; induction h as [|h IH]; intros n R; [reflexivity|]. open n a c cs.
    exact (cut_below_contents (contents h) (cut h) IH cs c R).
  Qed.

  Lemma fill_first_contents C (ag : C -> A) (con : C -> list entry) k c x d cs :
    children_contents (node_contents con) (fill_first ag k c x d cs)
    = children_contents (node_contents con) (c, (x, d) :: cs).
  Proof.
    destruct c as [a [c0 ci]], d as [b [d0 di]]. unfold fill_first. destruct (_ <? k); auto.
    cbn [fst snd]. set (both := ci ++ (x, d0) :: di).
    assert (E : children_contents con (c0, both) = children_contents con (c0, ci)
      ++ x :: children_contents con (d0, di)).
    { unfold both, children_contents. cbn [fst snd].
      now rewrite tail_contents_app, tail_contents_cons, <- !app_assoc. }
    assert (F : forall n, children_contents (node_contents con) ((n, (c0, ci)), (x, (b, (d0, di)))
      :: cs)
      = children_contents con (c0, both) ++ tail_contents (node_contents con) cs).
    { intro n. rewrite E. unfold children_contents at 1. cbn [fst snd]. rewrite tail_contents_cons.
      unfold node_contents. cbn [snd]. now rewrite <- app_assoc. }
    rewrite F. destruct (_ <? _); [reflexivity|].
    pose proof (firstn_skipn (length both / 2) both) as S.
    destruct (skipn (length both / 2) both) as [|[y d1] younger]; [apply F|].
    set (i := firstn _ _) in *. clearbody i. clear E F. rewrite <- S.
    unfold children_contents. cbn [fst snd node_of]. rewrite tail_contents_cons.
    unfold node_contents, children_contents. cbn [fst snd node_of].
    rewrite tail_contents_app, tail_contents_cons, <- !app_assoc. cbn [app].
    now rewrite <- !app_assoc.
  Qed.
  Lemma fill_contents h (n : tree (S h)) : contents (S h) (fill h n) = contents (S h) n.
  Proof.
    revert n; induction h as [|h IH]; intro n; [reflexivity|]. open n a c cs. cbn [fill fst snd].
    destruct cs as [|[x d] cs]; [reflexivity|].
    pose proof (@fill_first_contents _ (aggregate h) (contents h) (least h) c x d cs) as F.
    destruct (fill_first (aggregate h) (least h) c x d cs) as [c1 cs1].
    change (children_contents (contents (S h)) (fill h c1, cs1)
      = children_contents (contents (S h)) (c, (x, d) :: cs)).
    etransitivity; [|exact F]. unfold children_contents. cbn [fst snd]. now rewrite IH.
  Qed.

  (* A cut may begin at the root, or it goes through its first child. *)
  Lemma begins_below h (n : tree (S h)) : begins h n = false ->
    match snd (snd n) with [] => False | (x, _) :: _ => (last_out < fst x)%Z end /\ h <> 0.
  Proof.
    destruct h; [discriminate|]. cbn [begins]. destruct (snd (snd n)) as [|[x d] cs]; [easy|].
    unfold goes. destruct (Z.leb_spec (fst x) last_out); [discriminate|].
    intros _. split; [assumption|discriminate].
  Qed.
  Lemma cut_left_contents h (n : tree (S h)) : rising (contents (S h) n) -> begins h n = false ->
    contents (S h) (cut_left h n) = kept (contents (S h) n).
  Proof.
    revert n; induction h as [|h IH]; intros n R B; [discriminate|].
    apply begins_below in B as [B _]. open n a c cs. cbn [cut_left fst snd] in *.
    destruct cs as [|[x d] cs]; [easy|].
    change (rising (children_contents (contents (S h)) (c, (x, d) :: cs))) in R.
    change (contents (S (S h)) (a, (c, (x, d) :: cs)))
      with (children_contents (contents (S h)) (c, (x, d) :: cs)).
    rewrite children_contents_cons in *.
    apply in_children_contents in R as (R1 & R2 & R3 & R4).
    assert (K : kept (contents (S h) c ++ x :: children_contents (contents (S h)) (d, cs))
      = kept (contents (S h) c) ++ x :: children_contents (contents (S h)) (d, cs)).
    { rewrite kept_app. f_equal. apply kept_all. intros y [<-|I]; [exact B|].
      specialize (R4 _ I). lia. }
    rewrite K. destruct (begins h c) eqn:E.
    - pose proof (@fill_first_contents _ (aggregate h) (contents h) (least h) (cut (S h) c) x d cs)
        as F.
      destruct (fill_first (aggregate h) (least h) (cut (S h) c) x d cs) as [c1 cs1].
      change (children_contents (contents (S h)) (fill h c1, cs1) = kept (contents (S h) c)
        ++ x :: children_contents (contents (S h)) (d, cs)).
      rewrite <- (cut_contents (S h) c R1), <- children_contents_cons. etransitivity; [|exact F].
      unfold children_contents. cbn [fst snd]. now rewrite fill_contents.
    - change (children_contents (contents (S h)) (join_younger (aggregate h) (cut_left h c) x d cs)
        = kept (contents (S h) c) ++ x :: children_contents (contents (S h)) (d, cs)).
      rewrite <- (IH c R1 E). apply (@join_younger_contents A M min _ (aggregate h) (contents h)).
  Qed.
  Lemma drop_before_contents h (n : tree (S h)) : rising (contents (S h) n) ->
    kept (window (drop_before h n)) = kept (contents (S h) n) /\ rising (window (drop_before h n)).
  Proof.
    revert n; induction h as [|h IH]; intros n R; [split; auto|]. open n a c cs.
    cbn [drop_before fst snd]. pose proof (split_last_spec cs) as E.
    destruct (@split_last (entry * tree (S h)) cs) as [[i [x d]]|]; [|split; auto]. subst cs.
    destruct (Z.ltb_spec (fst x) last_out) as [H|H]; [|split; auto].
    change (contents (S (S h)) (a, (c, i ++ [(x, d)])))
      with (children_contents (contents (S h)) (c, i ++ [(x, d)])) in *.
    assert (K : children_contents (contents (S h)) (c, i ++ [(x, d)])
      = children_contents (contents (S h)) (c, i) ++ x :: contents (S h) d).
    { unfold children_contents. cbn [fst snd]. rewrite tail_contents_app, tail_contents_cons.
      cbn. now rewrite app_nil_r, app_assoc. }
    rewrite K in *. apply rising_app in R as (R1 & [R2 R4] & R3).
    destruct (IH d R4) as [I1 I2]. split; [|exact I2]. rewrite I1, kept_app.
    unfold kept at 3. cbn [filter]. unfold goes at 1. destruct (Z.leb_spec (fst x) last_out);
      [|lia].
    rewrite (@kept_none (children_contents (contents (S h)) (c, i))); [reflexivity|].
    intros y I. specialize (R3 y x I (or_introl eq_refl)). lia.
  Qed.
  Lemma shrink_all_contents h (n : tree (S h)) : window (shrink_all h n) = contents (S h) n.
  Proof.
    revert n; induction h as [|h IH]; intro n; [reflexivity|]. open n a c cs.
    cbn [shrink_all fst snd]. destruct cs; [|reflexivity]. rewrite IH.
    change (contents (S h) c = children_contents (contents (S h)) (c, [])).
    unfold children_contents. cbn. now rewrite app_nil_r.
  Qed.
End BulkEvict.
