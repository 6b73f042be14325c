(** Range queries of FiBA
    Code: optimized/muntin/optimized/btree/range_query.py
    Text: proofs/fiba.md
    Idealised: as in FibaTree.v. The lowest node with all of the range below it is reached from the
    root, where the code climbs from two searches; pieces are combined as they are met, where the
    code lists them first. Visits and combines are not counted. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates Fiba.
Set Implicit Arguments.
Local Open Scope Z_scope.

Section Range.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Local Notation entry := (Z * A)%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Implicit Types (first last : Z) (entries : list entry).

  Definition from first (x : entry) := first <=? fst x.
  Definition up_to last (x : entry) := fst x <=? last.
  Definition within first last (x : entry) := (first <=? fst x) && (fst x <=? last).

  (* One level: calls on the children make a call on the node, as in FibaTree.v. *)
  Section Level.
    Variables (C : Type) (ag : C -> A) (con : C -> list entry).
    (* _suffix: descend where the range begins, and take all that is right of it *)
    Fixpoint suffix_below (sub : C -> A) first c (cs : list (entry * C)) : A :=
      match cs with
      | [] => sub c
      | (x, d) :: others =>
          if first <? fst x then sub c ** fold_tail ag cs
          else if first =? fst x then fold_tail ag cs
          else suffix_below sub first d others
      end.
    (* _prefix: take all that is left of where the range ends, and descend there *)
    Fixpoint prefix_below (sub : C -> A) last c (cs : list (entry * C)) : A :=
      match cs with
      | [] => sub c
      | (x, d) :: others =>
          if last <? fst x then sub c
          else if last =? fst x then ag c ** snd x
          else ag c ** (snd x ** prefix_below sub last d others)
      end.
    (* _parts: descend to the node where the ends part; then the two chains, and what is between *)
    Fixpoint range_below (suffix prefix range : C -> A) first last c (cs : list (entry * C)) : A :=
      match cs with
      | [] => range c
      | (x, d) :: others =>
          if last <? fst x then range c
          else if fst x <? first then range_below suffix prefix range first last d others
          else if last =? fst x then suffix c ** snd x
          else suffix c ** (snd x ** prefix_below prefix last d others)
      end.

    Variable P : bool -> bool -> C -> Prop.
    Hypothesis Pag : forall c, P false false c -> ag c = total (con c).

    Lemma filter_none (f : entry -> bool) l : (forall y, In y l -> f y = false) -> filter f l = [].
    Proof.
      induction l as [|y l IH]; cbn; auto. intro H. rewrite H by now left. apply IH. auto.
    Qed.
    Lemma filter_every (f : entry -> bool) l : (forall y, In y l -> f y = true) -> filter f l = l.
    Proof.
      induction l as [|y l IH]; cbn; auto. intro H. rewrite H by now left. f_equal. auto.
    Qed.
    Lemma rising_parts c x d (cs : list (entry * C)) :
      rising (con c ++ x :: con d ++ tail_contents con cs) ->
      rising (con c) /\ rising (con d ++ tail_contents con cs) /\
      (forall y, In y (con c) -> fst y < fst x) /\
      (forall y, In y (con d ++ tail_contents con cs) -> fst x < fst y).
    Proof.
      intro R. apply rising_app in R as (R1 & R2 & R3). destruct R2 as [R2 R4].
      repeat split; auto. intros y I. apply R3; auto. now left.
    Qed.

    Lemma suffix_below_ok sub first : (forall l c, P l false c -> rising (con c) ->
        sub c = total (filter (from first) (con c))) ->
      forall cs l c, along P l false c cs -> rising (con c ++ tail_contents con cs) ->
      suffix_below sub first c cs = total (filter (from first) (con c ++ tail_contents con cs)).
    Proof.
      intro S. induction cs as [|[x d] cs IH]; intros l c F R.
      - cbn [suffix_below]. rewrite tail_contents_nil, app_nil_r in *. eauto.
      - destruct F as [F1 F2]. rewrite tail_contents_cons in *.
        destruct (rising_parts _ _ _ _ R) as (R1 & R2 & R3 & R4). cbn [suffix_below].
        assert (T : fold_tail ag ((x, d) :: cs)
          = total (x :: con d ++ tail_contents con cs)).
        { rewrite <- (tail_contents_cons con).
          apply (@fold_tail_ok A M L C ag con P Pag d ((x, d) :: cs)); [|reflexivity].
          destruct cs as [|[y e] cs]; cbn in *; tauto. }
        rewrite filter_app, total_app. destruct (Z.ltb_spec first (fst x)).
        + rewrite T, (S l c) by auto. f_equal. f_equal. symmetry. apply filter_every.
          intros y [<-|I]; apply Z.leb_le; [lia|]. specialize (R4 _ I). lia.
        + assert (N : filter (from first) (con c) = []).
          { apply filter_none. intros y I. apply Z.leb_gt. specialize (R3 _ I). lia. }
          rewrite N. cbn [total]. change (total []) with (identity M). rewrite identity_left.
          destruct (Z.eqb_spec first (fst x)).
          * rewrite T. f_equal. symmetry. apply filter_every.
            intros y [<-|I]; apply Z.leb_le; [lia|]. specialize (R4 _ I). lia.
          * cbn [filter]. unfold from at 1. destruct (Z.leb_spec first (fst x)); [lia|].
            now apply (IH false d).
    Qed.

    Lemma prefix_below_ok sub last : (forall r c, P false r c -> rising (con c) ->
        sub c = total (filter (up_to last) (con c))) ->
      forall cs r c, along P false r c cs -> rising (con c ++ tail_contents con cs) ->
      prefix_below sub last c cs = total (filter (up_to last) (con c ++ tail_contents con cs)).
    Proof.
      intro S. induction cs as [|[x d] cs IH]; intros r c F R.
      - cbn [prefix_below]. rewrite tail_contents_nil, app_nil_r in *. eauto.
      - destruct F as [F1 F2]. rewrite tail_contents_cons in *.
        destruct (rising_parts _ _ _ _ R) as (R1 & R2 & R3 & R4). cbn [prefix_below].
        rewrite filter_app, total_app. cbn [filter]. unfold up_to at 2.
        destruct (Z.ltb_spec last (fst x)).
        + destruct (Z.leb_spec (fst x) last); [lia|].
          rewrite (@filter_none (up_to last) (con d ++ _)).
          * change (total []) with (identity M). rewrite identity_right. now apply (S false).
          * intros y I. apply Z.leb_gt. specialize (R4 _ I). lia.
        + destruct (Z.leb_spec (fst x) last); [|lia].
          rewrite (@filter_every (up_to last) (con c)), (Pag F1), total_cons.
          2: { intros y I. apply Z.leb_le. specialize (R3 _ I). lia. }
          destruct (Z.eqb_spec last (fst x)).
          * rewrite (@filter_none (up_to last) (con d ++ _)).
            -- change (total []) with (identity M). now rewrite identity_right.
            -- intros y I. apply Z.leb_gt. specialize (R4 _ I). lia.
          * now rewrite (IH r d F2 R2).
    Qed.

    Lemma within_from first last l : (forall y, In y l -> fst y <= last) ->
      filter (within first last) l = filter (from first) l.
    Proof.
      intro H. apply filter_ext_in. intros y I. unfold within, from. specialize (H _ I).
      destruct (Z.leb_spec (fst y) last); [apply andb_true_r|lia].
    Qed.
    Lemma within_up_to first last l : (forall y, In y l -> first <= fst y) ->
      filter (within first last) l = filter (up_to last) l.
    Proof.
      intro H. apply filter_ext_in. intros y I. unfold within, up_to. specialize (H _ I).
      destruct (Z.leb_spec first (fst y)); [reflexivity|lia].
    Qed.

    Lemma range_below_ok suffix prefix range first last : first <= last ->
      (forall l c, P l false c -> rising (con c) ->
        suffix c = total (filter (from first) (con c))) ->
      (forall r c, P false r c -> rising (con c) ->
        prefix c = total (filter (up_to last) (con c))) ->
      (forall l r c, P l r c -> rising (con c) ->
        range c = total (filter (within first last) (con c))) ->
      forall cs l r c, along P l r c cs -> rising (con c ++ tail_contents con cs) ->
      range_below suffix prefix range first last c cs
      = total (filter (within first last) (con c ++ tail_contents con cs)).
    Proof.
      intros O S Pr Ra. induction cs as [|[x d] cs IH]; intros l r c F R.
      - cbn [range_below]. rewrite tail_contents_nil, app_nil_r in *. eauto.
      - destruct F as [F1 F2]. rewrite tail_contents_cons in *.
        destruct (rising_parts _ _ _ _ R) as (R1 & R2 & R3 & R4). cbn [range_below].
        rewrite filter_app, total_app. cbn [filter]. unfold within at 2.
        destruct (Z.ltb_spec last (fst x)).
        + destruct (Z.leb_spec (fst x) last); [lia|]. rewrite andb_false_r.
          rewrite (@filter_none (within first last) (con d ++ _)).
          * change (total []) with (identity M). rewrite identity_right. now apply (Ra l false).
          * intros y I. unfold within. specialize (R4 _ I).
            destruct (Z.leb_spec (fst y) last); [lia|]. apply andb_false_r.
        + destruct (Z.ltb_spec (fst x) first).
          * destruct (Z.leb_spec first (fst x)); [lia|]. cbn [andb].
            rewrite (@filter_none (within first last) (con c)).
            -- change (total []) with (identity M). rewrite identity_left. now apply (IH false r d).
            -- intros y I. unfold within. specialize (R3 _ I).
               destruct (Z.leb_spec first (fst y)); [lia|]. reflexivity.
          * destruct (Z.leb_spec first (fst x)); [|lia]. destruct (Z.leb_spec (fst x) last); [|lia].
            cbn [andb]. rewrite (within_from first), (S l c) by
              (auto; intros y I; specialize (R3 _ I); lia).
            rewrite total_cons, (@within_up_to first last (con d ++ _)) by
              (intros y I; specialize (R4 _ I); lia).
            destruct (Z.eqb_spec last (fst x)).
            -- rewrite (@filter_none (up_to last) (con d ++ _)).
               ++ change (total []) with (identity M). now rewrite identity_right.
               ++ intros y I. apply Z.leb_gt. specialize (R4 _ I). lia.
            -- now rewrite (@prefix_below_ok prefix last Pr cs r d F2 R2).
    Qed.
  End Level.

  Unset Implicit Arguments.
  Fixpoint suffix_of first h : tree h -> A :=
    match h with
    | 0%nat => fun _ => identity M
    | S h => fun n =>
        suffix_below (aggregate h) (suffix_of first h) first (fst (snd n)) (snd (snd n))
    end.
  Fixpoint prefix_of last h : tree h -> A :=
    match h with
    | 0%nat => fun _ => identity M
    | S h => fun n =>
        prefix_below (aggregate h) (prefix_of last h) last (fst (snd n)) (snd (snd n))
    end.
  Fixpoint range_of first last h : tree h -> A :=
    match h with
    | 0%nat => fun _ => identity M
    | S h => fun n =>
        range_below (aggregate h) (suffix_of first h) (prefix_of last h) (range_of first last h)
          first last (fst (snd n)) (snd (snd n))
    end.
  Definition query_range first last (f : fiba) : A :=
    if last <? first then identity M else let (h, n) := f in range_of first last (S h) n.
  Set Implicit Arguments.

  Lemma suffix_of_ok first h : forall l (n : tree h), folds_below h l false n ->
    rising (contents h n) -> suffix_of first h n = total (filter (from first) (contents h n)).
  Proof.
    induction h as [|h IH]; intros l n F R; [reflexivity|]. open n a c cs.
    destruct F as [_ F]. cbn [fst snd] in F.
    apply (@suffix_below_ok _ (aggregate h) (contents h) (folds_below h) (@folds_below_is_fold A M
      h)
      (suffix_of first h) first IH cs l c F R).
  Qed.
  Lemma prefix_of_ok last h : forall r (n : tree h), folds_below h false r n ->
    rising (contents h n) -> prefix_of last h n = total (filter (up_to last) (contents h n)).
  Proof.
    induction h as [|h IH]; intros r n F R; [reflexivity|]. open n a c cs.
    destruct F as [_ F]. cbn [fst snd] in F.
    apply (@prefix_below_ok _ (aggregate h) (contents h) (folds_below h) (@folds_below_is_fold A M
      h)
      (prefix_of last h) last IH cs r c F R).
  Qed.
  Lemma range_of_ok first last : first <= last -> forall h l r (n : tree h), folds_below h l r n ->
    rising (contents h n) ->
    range_of first last h n = total (filter (within first last) (contents h n)).
  Proof.
    intro O. induction h as [|h IH]; intros l r n F R; [reflexivity|]. open n a c cs.
    destruct F as [_ F]. cbn [fst snd] in F.
    apply (@range_below_ok _ (aggregate h) (contents h) (folds_below h) (@folds_below_is_fold A M h)
      (suffix_of first h) (prefix_of last h) (range_of first last h) first last O
      (@suffix_of_ok first h) (@prefix_of_ok last h) IH cs l r c F R).
  Qed.

  (** [T4] A range query, which takes whole only children that are on no spine, is the fold of what
      lies in the range; of a range whose ends are the wrong way round, the identity.
      Not claimed: its cost. *)
  Theorem query_range_is_fold first last f entries : relates f entries ->
    query_range first last f = fold M (map snd (filter (within first last) entries)).
  Proof.
    intros [<- I]. unfold query_range. destruct (Z.ltb_spec last first) as [O|O].
    - rewrite (@filter_none (within first last)); [reflexivity|]. intros y _. unfold within.
      destruct (Z.leb_spec first (fst y)), (Z.leb_spec (fst y) last); auto; lia.
    - destruct f as [h n]. destruct I as (H & R & _). apply aggregates_hold_inside in H as [H _].
      cbn [window]. open n a c cs.
      apply (@range_below_ok _ (aggregate h) (contents h) (folds_below h)
        (@folds_below_is_fold A M h) (suffix_of first h) (prefix_of last h)
        (range_of first last h) first last O (@suffix_of_ok first h) (@prefix_of_ok last h)
        (@range_of_ok first last O h) cs true true c H R).
  Qed.
End Range.
