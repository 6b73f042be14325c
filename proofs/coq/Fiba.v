(** FiBA holds the window
    Code: optimized/muntin/optimized/btree/fiba.py
    Code: optimized/muntin/optimized/btree/btree.py
    Code: optimized/muntin/optimized/btree/balanced_tree.py
    Text: proofs/btree.md
    Text: proofs/fiba.md
    Idealised: as in FibaTree.v. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates FibaEvictAggregates FibaSizes
  FibaEvictSizes.
Set Implicit Arguments.

Section Fiba.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation "a ** b" := (combine M a b) (at level 40, left associativity).
  Local Notation entry := (Z * A)%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Local Notation window_evict := (@FibaTree.window_evict A).
  Let mu2 : 2 <= mu := mu_at_least_2.

  (* The facts of proofs/btree.md and proofs/fiba.md; S3 holds by type, and S4 to S7 are about
     parents, marks and fingers, which these trees do not have. *)
  Definition invariants (f : fiba) := let (h, n) := f in
    aggregates_hold h n /\          (* S9 to S12 *)
    rising (contents (S h) n) /\    (* S1 *)
    root_legal f.                   (* S2 *)
  Definition relates (f : fiba) (entries : list entry) := window f = entries /\ invariants f.

  Lemma query_ok f : invariants f -> query f = total (window f).
  Proof.
    destruct f as [h n]. intros [H _]. open n a c cs. unfold aggregates_hold in H.
    cbn [query window fst snd].
    destruct cs as [|[x d] cs].
    - destruct H as [-> ->]. reflexivity.
    - destruct H as (H1 & H2 & H3). destruct h.
      + change (a = total (children_contents (contents 0) (c, (x, d) :: cs))).
        rewrite children_contents_cons, without_last_ok, H1. cbn [contents app].
        now rewrite app_nil_r.
      + change (left_finger (S h) c ** a ** right_finger (S h) (last_child d cs)
          = total (children_contents (contents (S h)) (c, (x, d) :: cs))).
        rewrite (@left_finger_ok A M _ _ _ H2), app_nil_r, H1,
          (@right_finger_ok A M _ _ _ (@spine_last A M _ _ _ _ _ H3)).
        rewrite children_contents_cons, without_last_ok, !total_app, !total_cons, total_app.
        cbn [app]. now folds.
  Qed.

  Lemma insert_ok t v f :
    invariants f -> invariants (insert t v f) /\ window (insert t v f)
      = window_insert t v (window f).
  Proof.
    destruct f as [h n]. intros (H & R & G). destruct (@insert_sizes A M min t v _ G) as [G' _].
    revert G'.
    pose proof (@root_insert A M min h t v n G) as Hh. unfold insert, invariants, window in *.
    pose proof (@insert_in_contents A M L min (S h) t v n R) as Hc.
    assert (Hp : pieces_flagged (folds_below (S h)) true true (insert_in (S h) t v n)).
    { apply insert_in_folds_below. open n a c cs. split; [easy|]. now apply aggregates_hold_inside.
      }
    destruct (insert_in (S h) t v n) as [n'|a x b].
    - intro G'. destruct (@repair_gives_aggregates A M L h n') as [Q1 Q2].
      { split; [apply Hp|]. intro E. destruct Hh as [(_ & [?|Hh] & _) _]; auto. clear -E Hh.
        open n' a' c' cs'. unfold arity in Hh. cbn in *. subst. cbn in Hh. lia. }
      rewrite Q2. cbn [pieces_contents] in Hc. rewrite Hc.
      split; [split; [exact Q1|split; [now apply window_insert_rising|exact G']]|reflexivity].
    - intro G'.
      destruct (@repair_gives_aggregates A M L (S h) (make (S h) (a, [(x, b)])))
        as [Q1 Q2]; [split; [exact Hp|easy]|]. rewrite Q2.
      assert (E : contents (S (S h)) (make (S h) (a, [(x, b)]))
        = window_insert t v (contents (S h) n)).
      { rewrite <- Hc.
        change (contents (S (S h)) (make (S h) (a, [(x, b)])))
          with (children_contents (contents (S h)) (a, [(x, b)])).
        rewrite children_contents_cons. unfold children_contents.
        cbn [fst snd tail_contents flat_map]. now rewrite app_nil_r. }
      rewrite E.
      split; [split; [exact Q1|split; [now apply window_insert_rising|exact G']]|reflexivity].
  Qed.

  Lemma evict_ok t f :
    invariants f -> invariants (evict t f) /\ window (evict t f) = window_evict t (window f).
  Proof.
    destruct f as [h n]. intros (H & R & G). destruct (@evict_sizes A M min t _ G) as [G' _].
    revert G'.
    destruct G as (G1 & G2 & G3). unfold invariants, evict, window.
    assert (N : h = 0 \/ snd (snd n) <> []).
    { destruct G2 as [|G2]; auto. right. open n a c cs. unfold arity in G2. cbn [fst snd] in *.
      destruct cs; [cbn in G2; lia|easy]. }
    pose proof (@evict_in_contents A M L min h t n G3 R) as Hc.
    destruct (@evict_in_lpost A M min h t n G3 N) as [P1 P2].
    assert (Hp : folds_below (S h) true true (evict_in h t n)).
    { apply evict_in_folds_below. open n a c cs. split; [easy|]. now apply aggregates_hold_inside. }
    revert Hc P1 P2 Hp. generalize (evict_in h t n) as n'. intros n' Hc P1 P2 Hp.
    assert (Keep : forall m : tree (S h), m = n' -> (h = 0 \/ snd (snd m) <> []) ->
      root_legal (existT _ h (repair h n')) ->
      (aggregates_hold h (repair h n') /\ rising (contents (S h) (repair h n')) /\
        root_legal (existT _ h (repair h n'))) /\ contents (S h) (repair h n')
        = window_evict t (contents (S h) n)).
    { intros m -> K Gr. destruct (@repair_gives_aggregates A M L h n') as [Q1 Q2].
      - split; [apply Hp|]. intro E. destruct K; auto. now destruct H0.
      - rewrite Q2, Hc. repeat split; auto; try apply Gr. now apply window_evict_rising. }
    destruct h.
    - cbn [shrink]. intro Gr. eapply Keep; auto.
    - cbn [shrink]. open n' a' c' cs'. cbn [fst snd] in *. destruct cs' as [|p cs'].
      + intro Gr. destruct P1 as [P1 _]. cbn [fst] in P1. destruct Hp as [_ Hp]. cbn in Hp.
        destruct (@repair_gives_aggregates A M L h c') as [Q1 Q2].
        { split; [open c' g d ds; apply Hp|]. intro E. exfalso.
          now apply (@some_children A min h c'). }
        assert (E : contents (S h) c' = window_evict t (contents (S (S h)) n)).
        { rewrite <- Hc. change (contents (S h) c' = children_contents (contents (S h)) (c', [])).
          unfold children_contents. cbn [fst snd]. now rewrite tail_contents_nil, app_nil_r. }
        rewrite Q2, E. repeat split; auto; try apply Gr. now apply window_evict_rising.
      + intro Gr. eapply Keep; auto. right; easy.
  Qed.

  (** [S1, S2, S3, S9, S10, S11, S12] The new tree stands for the empty window. *)
  Theorem new_relates : relates new [].
  Proof.
    split; [reflexivity|]. split; [split; reflexivity|]. split; [exact I|].
    split; [unfold arity; cbn; lia|]. split; [auto|]. split; [exact I|constructor].
  Qed.

  (** [S1, S2, S3, S9, S10, S11, S12] An insert keeps all facts, and inserts into the window; a
      value at a time that is there is combined on its right. *)
  Theorem insert_relates t v f entries :
    relates f entries -> relates (insert t v f) (window_insert t v entries).
  Proof. intros [<- I]. destruct (insert_ok t v f I). now split. Qed.

  (** [S1, S2, S3, S9, S10, S11, S12] An evict keeps all facts, and removes what is at the time,
      if anything is. *)
  Theorem evict_relates t f entries :
    relates f entries -> relates (evict t f) (window_evict t entries).
  Proof. intros [<- I]. destruct (evict_ok t f I). now split. Qed.

  (** [T1] A query, which is left finger, root and right finger, is the fold of the window.
      Not claimed: its cost. *)
  Theorem query_is_fold f entries : relates f entries -> query f = fold M (map snd entries).
  Proof. intros [<- I]. now apply query_ok. Qed.

  (* Any calls. *)
  Inductive call := Insert (t : Z) (v : A) | Evict (t : Z).
  Definition apply (f : fiba) c :=
    match c with Insert t v => insert t v f | Evict t => evict t f end.
  Definition window_apply (entries : list entry) c :=
    match c with Insert t v => window_insert t v entries | Evict t => window_evict t entries end.

  (** [S1, T1] After any calls the tree stands for the window, and a query is its fold. *)
  Theorem run_relates calls :
    relates (fold_left apply calls new) (fold_left window_apply calls []) /\
    query (fold_left apply calls new) = fold M (map snd (fold_left window_apply calls [])).
  Proof.
    assert (R : forall f entries, relates f entries ->
      relates (fold_left apply calls f) (fold_left window_apply calls entries)).
    { induction calls as [|c calls IH]; intros f entries H; [exact H|]. cbn [fold_left].
      apply IH. destruct c; [now apply insert_relates|now apply evict_relates]. }
    split; [|apply query_is_fold]; apply R, new_relates.
  Qed.
End Fiba.
