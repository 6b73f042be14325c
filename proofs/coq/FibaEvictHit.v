(** Evicts of FiBA and what they hit
    Code: optimized/muntin/optimized/btree/fiba.py
    Code: optimized/muntin/optimized/btree/btree.py
    Code: optimized/muntin/optimized/btree/balanced_tree.py
    Text: proofs/fiba.md
    Idealised: as in FibaHit.v. A node that is too small may be recomputed before its neighbour
    makes it large enough, and then it is recomputed again, where the code does so only once. *)
From Muntin Require Import Monoid FibaTree FibaContents FibaAggregates FibaEvictSizes FibaHit.
Set Implicit Arguments.

Section EvictHit.
  Context {A : Type} {M : monoid A} {L : lawful M} {min : min_arity}.
  Local Notation entry := (Z * A)%type.
  Local Notation children C := (C * list (entry * C))%type.
  Local Notation node C := (A * (C * list (entry * C)))%type.
  Local Notation tree := (@FibaTree.tree A).
  Local Notation fiba := (@FibaTree.fiba A).
  Let mu2 : 2 <= mu := mu_at_least_2.

  (* What an evict from a child leaves to its parent: nothing, since the repair has ended on a
     spine; or a child that has changed, which is on no spine or too small. *)
  Inductive outcome C := Repaired (c : C) | Open (c : C).

  (* One level: as in FibaTree.v, but a node that has changed is refreshed. The flags l and r say
     whether the older node is on the left spine, and the younger on the right. *)
  Section Level.
    Variables (C : Type) (ag : C -> A).
    Implicit Types (c d : node C) (cs others : list (entry * node C)).
    Definition small c := arity c <? mu.
    Definition join_younger_hit l r c x d cs : children (node C) :=
      let '(c0, ci) := snd c in let '(d0, di) := snd d in
      if small c then
        if mu <? arity d then
          match di with
          | (y, d1) :: ds => (refreshed ag l false (fst c) (c0, ci ++ [(x, d0)]),
                              (y, refreshed ag false r (fst d) (d1, ds)) :: cs)
          | [] => (c, (x, d) :: cs)
          end
        else (refreshed ag l r (fst c) (c0, ci ++ (x, d0) :: di), cs)
      else (c, (x, d) :: cs).
    Definition join_older_hit l r c x d : children (node C) :=
      let '(c0, ci) := snd c in let '(d0, di) := snd d in
      if small d then
        if mu <? arity c then
          match split_last ci with
          | Some (i, (y, k)) => (refreshed ag l false (fst c) (c0, i),
                                 [(y, refreshed ag false r (fst d) (k, (x, d0) :: di))])
          | None => (c, [(x, d)])
          end
        else (refreshed ag l r (fst c) (c0, ci ++ (x, d0) :: di), [])
      else (c, [(x, d)]).
    Section Evict.
      Variables (cd : bool -> bool -> node C -> outcome (node C))
        (take_first take_last : bool -> node C -> entry * node C).
      (* the child after an entry is on the right spine if it is the last *)
      Definition if_last (r : bool) others := match others with [] => r | _ => false end.
      Definition hits l r (joined : bool) := if joined then Changed l r else Changed false false.
      Fixpoint evict_hit_below l r t c cs : children (node C) * change :=
        match cs with
        | [] => match cd l r c with
                | Repaired c => ((c, []), Unchanged)
                | Open c => ((c, []), Changed l r)
                end
        | (x, d) :: others =>
            let rd := if_last r others in
            if (t <? fst x)%Z then
              match cd l false c with
              | Repaired c => ((c, (x, d) :: others), Unchanged)
              | Open c => (join_younger_hit l rd c x d others, hits l rd (small c))
              end
            else if (t =? fst x)%Z then
              if mu <? arity d then
                let (y, d) := take_first rd d in ((c, (y, d) :: others), Changed false rd)
              else
                let (y, c) := take_last l c in
                (join_younger_hit l rd c y d others, Changed l (small c && rd))
            else
              match others with
              | [] =>
                  match cd false r d with
                  | Repaired d => ((c, [(x, d)]), Unchanged)
                  | Open d => (join_older_hit l r c x d, hits l r (small d))
                  end
              | _ => let '((d, ds), change) := evict_hit_below false r t d others in
                     ((c, (x, d) :: ds), change)
              end
        end.
      Definition take_first_hit_below r c cs : entry * children (node C) :=
        let (y, c) := take_first (if_last r cs) c in
        match cs with
        | [] => (y, (c, []))
        | (x, d) :: others => (y, join_younger_hit false (if_last r others) c x d others)
        end.
      Fixpoint take_last_hit_below l c cs : entry * children (node C) :=
        match cs with
        | [] => let (y, c) := take_last l c in (y, (c, []))
        | (x, d) :: others =>
            match others with
            | [] => let (y, d) := take_last false d in (y, join_older_hit l false c x d)
            | _ => let (y, s) := take_last_hit_below false d others in
                   (y, (c, (x, fst s) :: snd s))
            end
        end.
    End Evict.
  End Level.

  Unset Implicit Arguments.
  Fixpoint take_first_hit h r : tree (S h) -> entry * tree (S h) :=
    match h with
    | 0 => fun n : tree 1 =>
        match snd (snd n) with
        | [] => (no_entry, n)
        | (y, _) :: cs => (y, refreshed (aggregate 0) false r (fst n) (tt, cs))
        end
    | S h => fun n =>
        let (y, s) := take_first_hit_below (aggregate h) (take_first_hit h) r (fst (snd n))
          (snd (snd n)) in
        (y, refreshed (aggregate (S h)) false r (fst n) s)
    end.
  Fixpoint take_last_hit h l : tree (S h) -> entry * tree (S h) :=
    match h with
    | 0 => fun n : tree 1 =>
        match @split_last (entry * tree 0) (snd (snd n)) with
        | None => (no_entry, n)
        | Some (cs, (y, _)) => (y, refreshed (aggregate 0) l false (fst n) (tt, cs))
        end
    | S h => fun n =>
        let (y, s) := take_last_hit_below (aggregate h) (take_last_hit h) l (fst (snd n))
          (snd (snd n)) in
        (y, refreshed (aggregate (S h)) l false (fst n) s)
    end.
  (* a node g with the children s has changed; a is what its parent holds, if it is on a spine *)
  Definition finish h (l r : bool) a g (s : children (tree h)) : outcome (tree (S h)) :=
    if @small (tree h) (g, s) then Open (refreshed (aggregate h) l r g s)
    else if l then Repaired (repair_left (S h) a (g, s))
    else if r then Repaired (repair_right (S h) a (g, s))
    else Open (refreshed (aggregate h) l r g s).
  Fixpoint evict_hit h l r a t : tree (S h) -> outcome (tree (S h)) :=
    match h with
    | 0 => fun n : tree 1 => finish 0 l r a (fst n) (tt, @remove_entry A (tree 0) t (snd (snd n)))
    | S h => fun n =>
        let (s, change) := evict_hit_below (aggregate h) (fun l r => evict_hit h l r (fst n) t)
          (take_first_hit h) (take_last_hit h) l r t (fst (snd n)) (snd (snd n)) in
        match change with
        | Unchanged => Repaired ((fst n, s) : tree (S (S h)))
        | Changed _ _ => finish (S h) l r a (fst n) s
        end
    end.
  (* of a root that shrinks, both children were on a spine, so that hit names both *)
  Definition evict_from_root h t : tree (S h) -> fiba :=
    match h with
    | 0 => fun n : tree 1 =>
        existT _ 0 (repair_hit 0 true true (tt, @remove_entry A (tree 0) t (snd (snd n))))
    | S h => fun n =>
        let (s, change) := evict_hit_below (aggregate h)
          (fun l r => evict_hit h l r (identity M) t) (take_first_hit h) (take_last_hit h)
          true true t (fst (snd n)) (snd (snd n)) in
        match change with
        | Unchanged => existT _ (S h) ((fst n, s) : tree (S (S h)))
        | Changed hit_left hit_right =>
            match snd s with
            | [] => existT _ h (repair_hit h true true (snd (fst s)))
            | _ => existT _ (S h) (repair_hit (S h) hit_left hit_right s)
            end
        end
    end.
  Definition evict_by_hit t (f : fiba) : fiba :=
    if existsb (fun x => (fst x =? t)%Z) (window f)
    then let (h, n) := f in evict_from_root h t n else f.
  Set Implicit Arguments.

  Section Join.
    Variable h : nat.
    Local Notation children_alike := (all_alike (alike (S h))).
    Implicit Types (c d : tree (S h)) (cs : list (entry * tree (S h))).
    Lemma alike_arity l r c d : alike (S h) l r c d -> @arity A (tree h) c = @arity A (tree h) d.
    Proof. intros [_ F]. unfold arity. f_equal. eapply all_alike_length, F. Qed.
    Lemma last_alike r c d cs : cs = [] \/ r = false -> alike (S h) false r c d ->
      children_alike false r c cs d cs.
    Proof.
      intros [-> | ->] H; [exact H|]. apply alike_equal in H as ->.
      apply all_alike_same, alike_same.
    Qed.
    Lemma first_alike l r c d cs : cs = [] \/ r = false -> alike (S h) l r c d ->
      children_alike l r c cs d cs.
    Proof.
      intros [-> | ->] H; [exact H|]. destruct cs as [|[x e] cs]; [exact H|].
      split; [reflexivity|]. split; [exact H|]. apply all_alike_same, alike_same.
    Qed.

    Lemma join_younger_alike l r c c' x d cs : cs = [] \/ r = false -> alike (S h) l false c c' ->
      let s := join_younger_hit (aggregate h) l r c x d cs in
      let s' := join_younger (aggregate h) c' x d cs in
      children_alike l r (fst s) (snd s) (fst s') (snd s').
    Proof.
      intros N H. pose proof (alike_arity H) as E. open c a c0 ci. open c' a' c0' ci'.
      open d b d0 di. unfold join_younger_hit, join_younger, small. rewrite E. cbn [fst snd].
      destruct (_ <? mu); [destruct H as [_ F]; cbn [fst snd] in F; destruct (Nat.ltb_spec mu
        (@arity A (tree h) (b, (d0, di))))|].
      - destruct di as [|[y d1] ds]; [unfold arity in *; cbn in *; lia|].
        cbn [fst snd]. split; [reflexivity|]. split.
        + apply refreshed_alike. apply all_alike_app; [exact F|]. apply alike_same.
        + apply last_alike; auto. apply refreshed_alike, all_alike_same, alike_same.
      - cbn [fst snd]. apply first_alike; auto. apply refreshed_alike.
        apply all_alike_app; [exact F|]. apply all_alike_same, alike_same.
      - cbn [fst snd]. split; [reflexivity|]. split; [exact H|]. apply all_alike_same, alike_same.
    Qed.
    Lemma join_older_alike l r c x d d' : alike (S h) false r d d' ->
      let s := join_older_hit (aggregate h) l r c x d in
      let s' := join_older (aggregate h) c x d' in
      children_alike l r (fst s) (snd s) (fst s') (snd s').
    Proof.
      intros H. pose proof (alike_arity H) as E. open c a c0 ci. open d b d0 di.
      open d' b' d0' di'. unfold join_older_hit, join_older, small. rewrite E. cbn [fst snd].
      destruct (_ <? mu); [destruct H as [_ F]; cbn [fst snd] in F; destruct (Nat.ltb_spec mu
        (@arity A (tree h) (a, (c0, ci))))|].
      - pose proof (split_last_spec ci) as U.
        destruct (split_last ci) as [[i [y k]]|]; [|subst; unfold arity in *; cbn in *; lia].
        cbn [fst snd]. split; [reflexivity|].
        split; [apply refreshed_alike, all_alike_same, alike_same|].
        apply refreshed_alike. cbn [fst snd]. split; [reflexivity|]. split;
          [apply alike_same|exact F].
      - cbn [fst snd]. apply (@refreshed_alike A M h l r a). cbn [fst snd].
        apply all_alike_app; [apply all_alike_same, alike_same|exact F].
      - cbn [fst snd]. split; [reflexivity|]. split; [apply alike_same|exact H].
    Qed.
    Lemma join_younger_last l r c x d cs : cs <> [] ->
      let s := join_younger_hit (aggregate h) l r c x d cs in
      last_child (fst s) (snd s) = last_child d cs.
    Proof.
      open c a c0 ci. open d b d0 di. intro N. unfold join_younger_hit. cbn [snd].
      destruct cs as [|[y e] cs]; [easy|].
      destruct (small _); [destruct (mu <? _); [destruct di as [|[z d1] ds]|]|]; reflexivity.
    Qed.
    Lemma if_last_spec r cs : cs = [] \/ @if_last (tree h) r cs = false.
    Proof. destruct cs; auto. Qed.

    Lemma take_first_hit_below_alike first first' r c cs :
      (forall r c, fst (first r c) = fst (first' c) /\
        alike (S h) false r (snd (first r c)) (snd (first' c))) ->
      let p := take_first_hit_below (aggregate h) first r c cs in
      let p' := take_first_below (aggregate h) first' c cs in
      fst p = fst p' /\
      children_alike false r (fst (snd p)) (snd (snd p)) (fst (snd p')) (snd (snd p')).
    Proof.
      intro H. unfold take_first_hit_below, take_first_below.
      match goal with
      | |- context [first ?last c] => specialize (H last c); destruct (first last c) as [y c1]
      end.
      destruct (first' c) as [y' c2]. destruct H as [H1 H2]. cbn [fst snd] in H1, H2. subst y'.
      destruct cs as [|[x d] cs]; cbn [fst snd]; [split; [reflexivity|exact H2]|].
      split; [reflexivity|]. pose proof (@join_younger_alike false (if_last r cs) c1 c2 x d cs
        (if_last_spec r cs) H2) as F.
      destruct cs; [exact F|]. cbn [if_last] in F.
      apply (@all_alike_weaker A _ _ (@alike_weaker A (S h)) false false); auto; easy.
    Qed.
    Lemma take_last_hit_below_alike lst lst' l c cs :
      (forall l c, fst (lst l c) = fst (lst' c) /\
        alike (S h) l false (snd (lst l c)) (snd (lst' c))) ->
      let p := take_last_hit_below (aggregate h) lst l c cs in
      let p' := take_last_below (aggregate h) lst' c cs in
      fst p = fst p' /\
      children_alike l false (fst (snd p)) (snd (snd p)) (fst (snd p')) (snd (snd p')).
    Proof.
      intro H. revert l c. induction cs as [|[x d] cs IH]; intros l c.
      - cbn. specialize (H l c). destruct (lst l c), (lst' c). exact H.
      - cbn [take_last_hit_below take_last_below]. destruct cs as [|p cs].
        + specialize (H false d). destruct (lst false d) as [y d1], (lst' d) as [y' d2].
          destruct H as [H1 H2]. cbn [fst snd] in *. split; [exact H1|]. now apply join_older_alike.
        + specialize (IH false d). destruct (take_last_hit_below _ _ _ _ _) as [y s].
          destruct (take_last_below _ _ _ _) as [y' s']. cbn [fst snd] in *.
          destruct IH as [IH1 IH2]. split; [exact IH1|]. split; [reflexivity|].
          split; [apply alike_same|exact IH2].
    Qed.
  End Join.

  Lemma take_first_hit_alike h r n : fst (take_first_hit h r n) = fst (take_first h n) /\
    alike (S h) false r (snd (take_first_hit h r n)) (snd (take_first h n)).
  Proof.
    revert r n; induction h as [|h IH]; intros r n; open n a c cs;
      cbn [take_first_hit take_first fst snd].
    - destruct cs as [|[y d] cs]; [split; [reflexivity|apply alike_same]|].
      split; [reflexivity|]. apply refreshed_alike, all_alike_same, alike_same.
    - pose proof (@take_first_hit_below_alike h (take_first_hit h) (take_first h) r c cs IH) as F.
      destruct (take_first_hit_below _ _ _ _ _) as [y s], (take_first_below _ _ _ _) as [y' s'].
      destruct F as [F1 F2]. cbn [fst snd] in *. split; [exact F1|]. now apply refreshed_alike.
  Qed.
  Lemma take_last_hit_alike h l n : fst (take_last_hit h l n) = fst (take_last h n) /\
    alike (S h) l false (snd (take_last_hit h l n)) (snd (take_last h n)).
  Proof.
    revert l n; induction h as [|h IH]; intros l n; open n a c cs;
      cbn [take_last_hit take_last fst snd].
    - destruct (split_last cs) as [[i [y d]]|]; [|split; [reflexivity|apply alike_same]].
      split; [reflexivity|]. apply refreshed_alike, all_alike_same, alike_same.
    - pose proof (@take_last_hit_below_alike h (take_last_hit h) (take_last h) l c cs IH) as F.
      destruct (take_last_hit_below _ _ _ _ _) as [y s], (take_last_below _ _ _ _) as [y' s'].
      destruct F as [F1 F2]. cbn [fst snd] in *. split; [exact F1|]. now apply refreshed_alike.
  Qed.
End EvictHit.
