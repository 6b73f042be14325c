(** What a FiBA tree holds
    Code: optimized/muntin/optimized/btree/btree.py
    Code: optimized/muntin/optimized/btree/rebalance.py
    Text: proofs/btree.md
    Idealised: as in FibaTree.v. *)
From Muntin Require Import Monoid FibaTree.
Set Implicit Arguments.

Section Contents.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation window_evict := (@FibaTree.window_evict A).
  Let mu2 : 2 <= mu := mu_at_least_2.
  Implicit Types (x : entry) (l : list entry).
  Lemma rising_app l k : rising (l ++ k) <-> rising l /\ rising k /\ forall x y, In x l ->
    In y k -> (fst x < fst y)%Z.
  Proof.
    induction l as [|x l IH]; cbn; [firstorder|]. rewrite IH. split.
    - intros (H1 & H2 & H3 & H4). repeat split; auto.
      + intros; apply H1, in_app_iff; auto.
      + intros a y [<-|I] J; [apply H1, in_app_iff; auto|eauto].
    - intros ((H1 & H2) & H3 & H4). repeat split; auto.
      intros y I. apply in_app_iff in I as [I|I]; auto.
  Qed.

  Lemma window_insert_left t v l x k : (t < fst x)%Z -> window_insert t v (l ++ x :: k)
    = window_insert t v l ++ x :: k.
  Proof.
    intro H. induction l as [|y l IH]; cbn.
    - destruct (Z.ltb_spec t (fst x)); auto; lia.
    - destruct (t <? fst y)%Z; auto. destruct (t =? fst y)%Z; auto. cbn. now rewrite IH.
  Qed.

  Lemma window_insert_right t v l k : (forall y, In y l -> (fst y < t)%Z) ->
    window_insert t v (l ++ k) = l ++ window_insert t v k.
  Proof.
    induction l as [|y l IH]; cbn; auto. intro H. pose proof (H y (or_introl eq_refl)).
    destruct (Z.ltb_spec t (fst y)), (Z.eqb_spec t (fst y)); try lia. rewrite IH; auto.
  Qed.

  Lemma window_insert_in t v l y : In y (window_insert t v l) -> fst y = t \/ exists x, In x l /\
    fst x = fst y.
  Proof.
    induction l as [|x l IH]; cbn; [intros [<-|[]]; auto|].
    destruct (t <? fst x)%Z; [|destruct (Z.eqb_spec t (fst x))]; cbn; intros [<-|I]; eauto.
    destruct (IH I) as [|(z & I1 & I2)]; eauto.
  Qed.

  Lemma window_insert_rising t v l : rising l -> rising (window_insert t v l).
  Proof.
    induction l as [|x l IH]; cbn; [repeat split; easy|]. intros [H1 H2].
    destruct (Z.ltb_spec t (fst x)); [|destruct (Z.eqb_spec t (fst x))]; cbn; repeat split; auto.
    - intros y [<-|I]; cbn; auto. specialize (H1 _ I). cbn in *. lia.
    - intros y I. apply window_insert_in in I as [<-|(z & I & <-)]; auto. lia.
  Qed.

  Lemma window_evict_none t l : (forall y, In y l -> fst y <> t) -> window_evict t l = l.
  Proof.
    induction l as [|x l IH]; cbn; auto. intro H. destruct (Z.eqb_spec (fst x) t); cbn.
    - exfalso. eapply H; eauto.
    - f_equal. apply IH. auto.
  Qed.

  Lemma window_evict_app t l k : window_evict t (l ++ k) = window_evict t l ++ window_evict t k.
  Proof. unfold window_evict. apply filter_app. Qed.

  Lemma window_evict_rising t l : rising l -> rising (window_evict t l).
  Proof.
    induction l as [|x l IH]; cbn; auto. intros [H1 H2]. destruct (fst x =? t)%Z; cbn; auto.
    split; auto. intros y I. apply filter_In in I. apply H1. tauto.
  Qed.

  Lemma split_last_spec X (l : list X) : match split_last l with None => l = [] | Some (i,
    y) => l = i ++ [y] end.
  Proof. induction l as [|x l IH]; cbn; auto. destruct (split_last l) as [[i y]|]; subst; auto. Qed.

  Section Below.
    Variables (C : Type) (ag : C -> A) (con : C -> list entry).
    Local Notation tail_contents := (tail_contents con).
    Local Notation children_contents := (children_contents con).
    Local Notation pieces_contents := (pieces_contents con).
    Lemma tail_contents_app (cs ds : list (entry * C)) :
      tail_contents (cs ++ ds) = tail_contents cs ++ tail_contents ds. Proof. apply flat_map_app.
      Qed.

    Lemma children_contents_cons c x d cs : children_contents (c, (x, d) :: cs)
      = con c ++ x :: children_contents (d, cs). Proof. reflexivity. Qed.

    Lemma put_contents r cs : children_contents (put_pieces r cs)
      = pieces_contents r ++ tail_contents cs.
    Proof. destruct r; cbn; unfold children_contents; cbn; rewrite <- ?app_assoc; auto. Qed.

    Lemma insert_below_contents ci t v : (forall c, rising (con c) -> pieces_contents (ci c)
      = window_insert t v (con c)) ->
      forall cs c, rising (children_contents (c, cs)) ->
        children_contents (insert_below ci t v c cs) = window_insert t v (children_contents (c,
        cs)).
    Proof.
      intro H. induction cs as [|[x d] cs IH]; intros c R; cbn [insert_below].
      - rewrite put_contents. unfold children_contents in *. cbn in *. rewrite !app_nil_r in *.
        auto.
      - rewrite children_contents_cons in R. apply rising_app in R as (R1 & R2 & R3).
        destruct R2 as [R2 R4].
        destruct (Z.ltb_spec t (fst x)); [|destruct (Z.eqb_spec t (fst x))].
        + rewrite put_contents, children_contents_cons, window_insert_left, H by auto. reflexivity.
        + rewrite !children_contents_cons, window_insert_right
            by (intros y I; subst; apply R3; cbn; auto).
          cbn. destruct (Z.ltb_spec t (fst x)), (Z.eqb_spec t (fst x)); try lia. reflexivity.
        + specialize (IH d R4). destruct (insert_below ci t v d cs) as [d' ds].
          rewrite !children_contents_cons, IH.
          replace (con c ++ x :: children_contents (d, cs))
            with ((con c ++ [x]) ++ children_contents (d, cs)) by now rewrite <- app_assoc.
          rewrite window_insert_right, <- app_assoc; auto. intros y I.
          apply in_app_iff in I as [I|[<-|[]]]; [|lia].
          specialize (R3 y x I (or_introl eq_refl)). lia.
    Qed.
  End Below.
  Lemma split_contents C (ag : C -> A) (con : C ->
    list entry) s : pieces_contents (node_contents con) (split ag s) = children_contents con s.
  Proof.
    destruct s as [c cs]. unfold split. cbn [fst snd]. destruct (_ <? _); auto.
    destruct (skipn mu cs) as [|[x d] r] eqn:E; auto.
    pose proof (firstn_skipn mu cs) as Q. rewrite E in Q. revert Q. clear E.
    generalize (firstn mu cs) as l. intros l <-.
    unfold node_contents, children_contents, node_of. cbn. unfold children_contents, tail_contents.
    cbn. now rewrite flat_map_app, <- app_assoc.
  Qed.

  Lemma insert_in_contents h t v n : rising (contents h n) ->
    pieces_contents (contents h) (insert_in h t v n) = window_insert t v (contents h n).
  Proof.
    revert n; induction h; intros n R; [reflexivity|]. cbn [insert_in contents] in *.
    change (pieces_contents (node_contents (contents h)) (split (aggregate h) (insert_below
      (insert_in h t v) t v (fst (snd n)) (snd (snd n))))
      = window_insert t v (node_contents (contents h) n)).
    rewrite split_contents. open n g c cs. now apply insert_below_contents.
  Qed.

  Lemma tail_contents_nil C (con : C -> list entry) : tail_contents con [] = []. Proof.
  reflexivity. Qed.

  Lemma tail_contents_cons C (con : C -> list entry) x d cs : tail_contents con ((x, d) :: cs)
    = x :: con d ++ tail_contents con cs. Proof. reflexivity. Qed.

  Local Arguments tail_contents : simpl never.
  Ltac lists := repeat (progress (rewrite ?tail_contents_app, ?tail_contents_cons,
    ?tail_contents_nil, ?app_nil_r, <- ?app_assoc; cbn [app fst snd])).
  Lemma in_children_contents C (con : C -> list entry) c x d cs : rising (con c ++ x ::
    children_contents con (d, cs)) ->
    rising (con c) /\ rising (children_contents con (d, cs)) /\ (forall y, In y (con c) ->
      (fst y < fst x)%Z) /\
    (forall y, In y (children_contents con (d, cs)) -> (fst x < fst y)%Z).
  Proof.
    intro R. apply rising_app in R as (R1 & [R2 R4] & R3). repeat split; auto. intros y I.
    apply R3; auto. now left.
  Qed.

  Section EvictContents.
    Variables (D : Type) (ag : D -> A) (con : D -> list entry) (Q : node D -> Prop).
    Let nc := node_contents con.
    Lemma join_younger_contents c x d cs : children_contents nc (join_younger ag c x d cs)
      = nc c ++ x :: children_contents nc (d, cs).
    Proof.
      destruct c as [g [c0 ci]], d as [g' [d0 di]]. unfold join_younger. cbn [snd].
      destruct (_ <? _); auto.
      destruct (_ <? _).
      - destruct di as [|[y d1] ds]; auto. unfold nc, node_contents, children_contents, node_of.
        cbn [fst snd]. now lists.
      - unfold nc, node_contents, children_contents, node_of. cbn [fst snd]. now lists.
    Qed.

    Lemma join_older_contents c x d : children_contents nc (join_older ag c x d)
      = nc c ++ x :: nc d.
    Proof.
      destruct c as [g [c0 ci]], d as [g' [d0 di]].
      assert (E : children_contents nc ((g, (c0, ci)), [(x, (g', (d0, di)))]) = nc (g, (c0,
        ci)) ++ x :: nc (g', (d0, di))).
      { unfold children_contents. cbn [fst snd]. now lists. }
      unfold join_older. cbn [snd]. destruct (_ <? _); auto. destruct (_ <? _).
      - pose proof (split_last_spec ci) as U. destruct (split_last ci) as [[i [y k]]|]; auto. subst.
        unfold nc, node_contents, children_contents, node_of. cbn [fst snd]. now lists.
      - unfold nc, node_contents, children_contents, node_of. cbn [fst snd]. now lists.
    Qed.

    Variables (cd : node D -> node D) (fst' lst' : node D -> entry * node D) (t : Z).
    Hypothesis Hcd : forall c, Q c -> rising (nc c) -> nc (cd c) = window_evict t (nc c).
    Hypothesis Hfirst : forall c, Q c -> nc c = fst (fst' c) :: nc (snd (fst' c)).
    Hypothesis Hlast : forall c, Q c -> nc c = nc (snd (lst' c)) ++ [fst (lst' c)].
    Lemma evict_below_contents cs c : all_children Q (c, cs) -> rising (children_contents nc (c,
      cs)) ->
      children_contents nc (evict_below ag cd fst' lst' t c cs)
        = window_evict t (children_contents nc (c, cs)).
    Proof.
      revert c; induction cs as [|[x d] cs IH]; intros c [G1 G2] R; cbn [evict_below].
      - unfold children_contents in *. cbn [fst snd] in *.
        rewrite !tail_contents_nil, !app_nil_r in *. auto.
      - cbn [fst snd] in G1, G2. inversion G2 as [|? ? G3 G4]; subst. cbn [snd] in G3.
        rewrite children_contents_cons in *.
        apply in_children_contents in R as (R1 & R2 & R3 & R4). rewrite window_evict_app.
        cbn [window_evict filter].
        change (filter (fun x : entry => negb (fst x =? t)%Z)) with (window_evict t).
        destruct (Z.ltb_spec t (fst x)) as [T|T]; [|rewrite (Z.eqb_sym t); destruct (Z.eqb_spec
          (fst x) t) as [T'|T']].
        + destruct (Z.eqb_spec (fst x) t); [lia|]. cbn [negb].
          rewrite join_younger_contents, Hcd by auto.
          rewrite (@window_evict_none t (children_contents nc (d, cs))); auto. intros y I.
          apply R4 in I. lia.
        + cbn [negb].
          rewrite !window_evict_none by (intros y I; first [apply R3 in I|apply R4 in I]; lia).
          destruct (mu <? arity d).
          * pose proof (Hfirst G3) as F. destruct (fst' d) as [y d']. cbn [fst snd] in F.
            rewrite children_contents_cons. f_equal.
            unfold children_contents. cbn [fst snd]. now rewrite F.
          * pose proof (Hlast G1) as F. destruct (lst' c) as [y c']. cbn [fst snd] in F.
            rewrite join_younger_contents, F, <- app_assoc. reflexivity.
        + cbn [negb]. rewrite (@window_evict_none t (nc c)) by (intros y I; apply R3 in I; lia).
          destruct cs as [|p cs].
          * rewrite join_older_contents. unfold children_contents in *. cbn [fst snd] in *.
            rewrite !tail_contents_nil, !app_nil_r in *. rewrite Hcd by auto. reflexivity.
          * specialize (IH d (conj G3 G4) R2).
            destruct (evict_below ag cd fst' lst' t d (p :: cs)) as [d' ds].
            rewrite children_contents_cons. now rewrite IH.
    Qed.

    Lemma take_first_below_contents c cs : Q c -> children_contents nc (c, cs)
      = fst (take_first_below ag fst' c cs) :: children_contents nc (snd (take_first_below ag fst'
      c cs)).
    Proof.
      intro G. unfold take_first_below. pose proof (Hfirst G) as F. destruct (fst' c) as [y c'].
      cbn [fst snd] in F. destruct cs as [|[x d] cs]; cbn [fst snd].
      - unfold children_contents. cbn [fst snd]. now rewrite F.
      - rewrite join_younger_contents, children_contents_cons, F. reflexivity.
    Qed.

    Lemma take_last_below_contents cs c : all_children Q (c, cs) -> children_contents nc (c, cs)
      = children_contents nc (snd (take_last_below ag lst' c cs)) ++ [fst (take_last_below ag lst'
      c cs)].
    Proof.
      revert c; induction cs as [|[x d] cs IH]; intros c [G1 G2]; cbn [take_last_below].
      - pose proof (Hlast G1) as F. cbn [fst] in F. destruct (lst' c) as [y c'].
        cbn [fst snd] in *. unfold children_contents. cbn [fst snd]. now lists.
      - cbn [fst snd] in G1, G2. inversion G2 as [|? ? G3 G4]; subst. cbn [snd] in G3.
        destruct cs as [|p cs].
        + pose proof (Hlast G3) as F. destruct (lst' d) as [y d']. cbn [fst snd] in *.
          rewrite join_older_contents, children_contents_cons.
          unfold children_contents. cbn [fst snd]. rewrite F. now lists.
        + specialize (IH d (conj G3 G4)). destruct (take_last_below ag lst' d (p :: cs)) as [y s].
          cbn [fst snd] in *.
          destruct s. cbn [fst snd]. rewrite !children_contents_cons, IH. now lists.
    Qed.
  End EvictContents.
  Lemma remove_entry_tcon C (con : C -> list entry) (H : forall c, con c
    = []) t cs : rising (tail_contents con cs) -> tail_contents con (remove_entry t cs)
    = window_evict t (tail_contents con cs).
  Proof.
    induction cs as [|[x d] cs IH]; auto. intro R. rewrite tail_contents_cons, H in R.
    destruct R as [R1 R2].
    cbn [remove_entry fst]. rewrite tail_contents_cons, H. cbn [app window_evict filter].
    rewrite (Z.eqb_sym (fst x) t).
    change (filter (fun x : entry => negb (fst x =? t)%Z)) with (window_evict t).
    destruct (Z.eqb_spec t (fst x)); cbn [negb].
    - symmetry. apply window_evict_none. intros y I. apply R1 in I. lia.
    - rewrite tail_contents_cons, H, IH; auto.
  Qed.

  Lemma take_first_contents h n : legal_sizes (S h) n -> contents (S h) n
    = fst (take_first h n) :: contents (S h) (snd (take_first h n)).
  Proof.
    revert n; induction h; intros n G; open n a c cs; destruct G as [G1 G2].
    - destruct cs as [|[y d] cs]; [unfold legal, arity in G1; cbn in G1; lia|]. destruct c, d.
      reflexivity.
    - cbn [take_first fst snd] in *.
      change (children_contents (contents (S h)) (c, cs) = fst (let (y, s) :=
        take_first_below (aggregate h) (take_first h) c cs in (y, make (S h) s)) ::
        contents (S (S h)) (snd (let (y, s) := take_first_below (aggregate h) (take_first h) c cs
          in (y, make (S h) s)))).
      pose proof (@take_first_below_contents _ (aggregate h) (contents h) (legal_sizes (S h))
        (take_first h) IHh c cs (proj1 G2)) as W.
      destruct (take_first_below (aggregate h) (take_first h) c cs) as [y s]. exact W.
  Qed.

  Lemma take_last_contents h n : legal_sizes (S h) n -> contents (S h) n
    = contents (S h) (snd (take_last h n)) ++ [fst (take_last h n)].
  Proof.
    revert n; induction h; intros n G; open n a c cs; destruct G as [G1 G2].
    - pose proof (split_last_spec cs) as U. cbn [take_last fst snd].
      destruct (split_last cs) as [[i [y d]]|].
      + subst. destruct c, d.
        change (tail_contents (contents 0) (i ++ [(y, tt)]) = tail_contents (contents 0) i ++ [y]).
        now rewrite tail_contents_app.
      + subst. unfold legal, arity in G1. cbn in G1. lia.
    - cbn [take_last fst snd] in *.
      change (children_contents (contents (S h)) (c, cs) = contents (S (S h)) (snd (let (y, s) :=
        take_last_below (aggregate h) (take_last h) c cs in (y, make (S h) s))) ++
        [fst (let (y, s) := take_last_below (aggregate h) (take_last h) c cs in (y,
          make (S h) s))]).
      pose proof (@take_last_below_contents _ (aggregate h) (contents h) (legal_sizes (S h))
        (take_last h) IHh cs c G2) as W.
      destruct (take_last_below (aggregate h) (take_last h) c cs) as [y s]. exact W.
  Qed.

  Lemma evict_in_contents h t (n : tree (S h)) : all_children (legal_sizes h) (snd n) ->
    rising (contents (S h) n) -> contents (S h) (evict_in h t n)
    = window_evict t (contents (S h) n).
  Proof.
    revert n; induction h; intros n G R; open n a c cs.
    - destruct c. apply (@remove_entry_tcon _ (contents 0)); auto.
    - change (children_contents (contents (S h)) (evict_below (aggregate h) (evict_in h t)
        (take_first h) (take_last h) t c cs) = window_evict t (children_contents (contents (S h))
        (c, cs))).
      refine (@evict_below_contents _ (aggregate h) (contents h) (legal_sizes (S h)) (evict_in h t)
        (take_first h) (take_last h) t _ (@take_first_contents h) (@take_last_contents h) cs c G R).
      intros k [_ Gk]. exact (IHh k Gk).
  Qed.
End Contents.
