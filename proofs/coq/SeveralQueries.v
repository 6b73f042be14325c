(** Several queries do not meet
    Code: spec/muntin/spec/denotation.py
    Text: spec/muntin/spec/denotation.py
    Text: proofs/scotty.md
    Idealised: as in Denotation.v. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator
  SlicingOperatorRun.
Set Implicit Arguments.
Open Scope Z_scope.

Section SeveralQueries.
  Variable V : Type.
  Local Notation result := (result V).
  Local Notation history := (history V).
  Local Notation registered := (registered V).
  Implicit Types (r s : result) (sorted results : list result) (h : history).

  (* Results by retraction, end, start and the position of their query. *)
  Lemma comes_before_follows p r s u : comes_before p r s = true -> comes_before p u s = false ->
    comes_before p r u = true.
  Proof.
    unfold comes_before. destruct (of_interval r) as [a b], (of_interval s) as [c d],
      (of_interval u) as [e f]. destruct (is_retracted r), (is_retracted s), (is_retracted u);
      try easy; rewrite ?orb_true_iff, ?orb_false_iff, ?andb_true_iff, ?andb_false_iff,
        ?orb_true_iff, ?orb_false_iff, ?andb_true_iff, ?andb_false_iff, ?Z.ltb_lt, ?Z.ltb_ge,
        ?Z.eqb_eq, ?Z.eqb_neq, ?Nat.ltb_lt, ?Nat.ltb_ge; lia.
  Qed.
  Lemma comes_before_same p q r s : of_query r = of_query s ->
    comes_before p r s = comes_before q r s.
  Proof.
    unfold comes_before. intros ->. destruct (of_interval r), (of_interval s).
    destruct (is_retracted r), (is_retracted s); auto; now rewrite !Nat.ltb_irrefl.
  Qed.

  Variable name : Z.
  Definition is_of r := of_query r =? name.
  Fixpoint in_result_order_of (p : Z -> nat) sorted :=
    match sorted with
    | [] => True
    | r :: later => (forall s, In s later ->
      comes_before p s r = false) /\ in_result_order_of p later
    end.
  Lemma place_result_in p r sorted s : In s (place_result p r sorted) -> s = r \/ In s sorted.
  Proof.
    induction sorted as [|u later IH]; cbn; [intros [<-|[]]; auto|].
    destruct (comes_before p r u); cbn; intros [<-|I]; auto. destruct (IH I); auto.
  Qed.
  Lemma comes_before_irreflexive p r s : comes_before p r s = true -> comes_before p s r = false.
  Proof.
    unfold comes_before. destruct (of_interval r) as [a b], (of_interval s) as [c d].
    destruct (is_retracted r), (is_retracted s); try easy;
      rewrite ?orb_true_iff, ?orb_false_iff, ?andb_true_iff, ?andb_false_iff,
        ?orb_true_iff, ?orb_false_iff, ?andb_true_iff, ?andb_false_iff, ?Z.ltb_lt, ?Z.ltb_ge,
        ?Z.eqb_eq, ?Z.eqb_neq, ?Nat.ltb_lt, ?Nat.ltb_ge; lia.
  Qed.
  Lemma place_result_order p r sorted : in_result_order_of p sorted ->
    in_result_order_of p (place_result p r sorted).
  Proof.
    induction sorted as [|s later IH]; [repeat split; easy|]. intros [H1 H2]. cbn [place_result].
    destruct (comes_before p r s) eqn:E.
    - split; [|now split]. intros u [<-|U]; [now apply comes_before_irreflexive|].
      apply comes_before_irreflexive. apply comes_before_follows with s; auto.
    - split; [|now apply IH]. intros u U. apply place_result_in in U as [->|U]; auto.
  Qed.
  Lemma place_result_filter p q r sorted : in_result_order_of p sorted ->
    filter is_of (place_result p r sorted)
    = if is_of r then place_result q r (filter is_of sorted) else filter is_of sorted.
  Proof.
    induction sorted as [|s later IH]; intro O; cbn [place_result filter].
    - now destruct (is_of r).
    - destruct O as [O1 O2]. destruct (comes_before p r s) eqn:E.
      + cbn [filter]. destruct (is_of r) eqn:R; [|reflexivity].
        (* r comes before s, and so before all that is left of s and what follows it *)
        assert (K : forall l : list result, (forall u, In u l -> comes_before p r u = true) ->
          r :: filter is_of l = place_result q r (filter is_of l)).
        { induction l as [|u l IHl]; [reflexivity|]. intro K. cbn [filter].
          destruct (is_of u) eqn:U; [|apply IHl; intros; apply K; now right].
          cbn [place_result]. rewrite <- (@comes_before_same p q r u) by (unfold is_of in *; lia).
          now rewrite (K u (or_introl eq_refl)). }
        apply (K (s :: later)). intros u [<-|U]; [exact E|].
        apply comes_before_follows with s; auto.
      + cbn [filter]. rewrite IH by exact O2. destruct (is_of r) eqn:R, (is_of s) eqn:S; auto.
        cbn [place_result]. now rewrite <- (@comes_before_same p q r s), E by (unfold is_of in *;
          lia).
  Qed.
  Lemma sort_filter p q results sorted : in_result_order_of p sorted ->
    filter is_of (fold_left (fun sorted r => place_result p r sorted) results sorted)
    = fold_left (fun sorted r => place_result q r sorted) (filter is_of results)
        (filter is_of sorted).
  Proof.
    revert sorted; induction results as [|r results IH]; intros sorted O; [reflexivity|].
    cbn [fold_left filter]. rewrite IH by now apply place_result_order.
    rewrite (@place_result_filter p q r sorted O). now destruct (is_of r).
  Qed.

  (* The history of one query alone. *)
  Definition is_named (named : Z * registered) := fst named =? name.
  Definition alone h := with_queries h (filter is_named (queries h)).

  Lemma filter_map X Y (f : X -> bool) (g : Y -> bool) (k : X -> Y) l :
    (forall x, g (k x) = f x) -> filter g (map k l) = map k (filter f l).
  Proof. intro H. induction l as [|x l IH]; cbn; auto. rewrite H, IH. now destruct (f x). Qed.

  Lemma ingest_alone (news : list (arriving V)) h late :
    fold_left (@ingest V) news (alone h, late)
    = (alone (fst (fold_left (@ingest V) news (h, late))),
       snd (fold_left (@ingest V) news (h, late))).
  Proof.
    revert h late; induction news as [|new news IH]; intros h late; [reflexivity|].
    cbn [fold_left].
    assert (E : ingest (alone h, late) new = (alone (fst (ingest (h, late) new)),
      snd (ingest (h, late) new))).
    { unfold ingest, alone, with_queries, is_late, limit. cbn. f_equal. f_equal.
      rewrite (filter_map is_named is_named); [reflexivity|]. now intros [n q]. }
    rewrite E, IH. destruct (ingest (h, late) new). reflexivity.
  Qed.

  (* what a query publishes depends on the settings and the watermark only *)
  Lemma publish_alone h query : publish (alone h) query = publish h query.
  Proof. reflexivity. Qed.

  Lemma changes_of output n k old new r : In r (@changes V output n k old new) -> of_query r = n.
  Proof.
    unfold changes. intro I. apply in_app_iff in I as [I|I].
    - destruct output; try easy. apply in_map_iff in I as (x & <- & _). reflexivity.
    - apply in_flat_map in I as ([w number] & _ & I).
      destruct (_ && _); [|easy]. destruct I as [<-|[]]. reflexivity.
  Qed.

  Lemma ingest_names (news : list (arriving V)) h late :
    map fst (queries (fst (fold_left (@ingest V) news (h, late)))) = map fst (queries h).
  Proof.
    revert h late; induction news as [|new news IH]; intros h late; [reflexivity|].
    cbn [fold_left]. destruct (ingest (h, late) new) as [next late'] eqn:E. rewrite IH.
    unfold ingest in E. injection E as <- _. cbn. rewrite map_map. apply map_ext. now intros [n q].
  Qed.
  Lemma combine_filter (olds news : list (Z * registered)) : map fst olds = map fst news ->
    List.combine (filter is_named olds) (filter is_named news)
    = filter (fun pair => is_named (snd pair)) (List.combine olds news).
  Proof.
    revert news; induction olds as [|[n q] olds IH]; intros [|[m p] news] E; try easy.
    injection E as -> E. specialize (IH _ E). cbn [List.combine filter snd].
    change (is_named (m, q)) with (m =? name). change (is_named (m, p)) with (m =? name).
    destruct (m =? name); cbn [List.combine]; now rewrite IH.
  Qed.
  Lemma flat_map_filter X (body : X -> list result) (of : X -> Z) l :
    (forall x r, In r (body x) -> of_query r = of x) ->
    filter is_of (flat_map body l) = flat_map body (filter (fun x => of x =? name) l).
  Proof.
    intro H. induction l as [|x l IH]; cbn; auto. rewrite filter_app, IH. specialize (H x).
    assert (E : filter is_of (body x) = if of x =? name then body x else []).
    { induction (body x) as [|r body' IHb]; cbn; [now destruct (of x =? name)|].
      rewrite IHb by (intros; apply H; now right). unfold is_of at 1.
      rewrite (H r (or_introl eq_refl)). now destruct (of x =? name). }
    rewrite E. destruct (of x =? name); reflexivity.
  Qed.
  Lemma output_delta_alone before after : map fst (queries before) = map fst (queries after) ->
    output_delta (alone before) (alone after) = filter is_of (output_delta before after).
  Proof.
    intro E. unfold output_delta. cbn [alone with_queries queries settings_of].
    set (body := fun pair : (Z * registered) * (Z * registered) => _).
    rewrite combine_filter by exact E.
    rewrite sort_filter with (q := position_in (map fst (filter is_named (queries after)))) by
      exact I.
    cbn [filter]. f_equal. symmetry. apply (flat_map_filter body (fun pair => fst (snd pair))).
    intros [[m old] [n new]] r I. cbn in I. apply in_flat_map in I as ([k held] & _ & I).
    now apply changes_of in I.
  Qed.

  (** [V1] One query's results, their order and their revisions do not depend on the other queries.
      Not claimed: anything of keys; they share the watermark, and the numbers of arrivals. *)
  Theorem query_alone h news promised :
    match step_of h news promised with
    | None => step_of (alone h) news promised = None
    | Some (after, (results, late)) =>
        step_of (alone h) news promised = Some (alone after, (filter is_of results, late))
    end.
  Proof.
    unfold step_of. cbn [alone with_queries settings_of latest_time watermark finite_watermark].
    destruct (in_order (settings_of h) && negb (is_in_order (latest_time h) news)); [reflexivity|].
    fold (alone h). rewrite (ingest_alone news h []).
    pose proof (ingest_names news h []) as N.
    destruct (fold_left (@ingest V) news (h, [])) as [ingested late]. cbn [fst snd] in *.
    f_equal. f_equal; [|f_equal].
    - unfold alone, with_queries. cbn. f_equal.
      rewrite (filter_map is_named is_named); [reflexivity|]. now intros [n q].
    - rewrite <- output_delta_alone.
      + f_equal. unfold alone, with_queries. cbn. f_equal.
        rewrite (filter_map is_named is_named); [reflexivity|]. now intros [n q].
      + cbn. rewrite map_map. cbn. now rewrite <- N.
  Qed.
End SeveralQueries.

Section Run.
  Variable V : Type.
  Local Notation arriving := (arriving V).
  Variables (edges : list Z) (before_edges : Z) (windows : list interval).
  Variables (chosen : settings) (name k slack : Z).
  Hypothesis slack_positive : 0 <= slack.
  Hypothesis before_all : lies_before edges before_edges.
  Hypothesis ends_are_edges :
    forall i, In i (sorted_set windows) -> In (fst i) edges /\ In (snd i) edges.
  Hypothesis lateness : 0 <= allowed_lateness chosen.

  (* the results of one query *)
  Definition part_of (output : option (list (result V) * list arriving)) :=
    match output with
    | Some (results, late) => Some (filter (is_of name) results, late)
    | None => None
    end.
  Lemma run_alone h steps :
    run (@step_of V) (alone name h) steps = map part_of (run (@step_of V) h steps).
  Proof.
    revert h; induction steps as [|[news promised] steps IH]; intro h; [reflexivity|].
    cbn [run]. pose proof (query_alone name h news promised) as E.
    destruct (step_of h news promised) as [[after [results late]]|]; rewrite E; cbn [map part_of];
      now rewrite IH.
  Qed.
  Definition with_queries_added (types : list (Z * window_type)) :=
    fold_left (fun h query => add_query h (fst query) (snd query)) types (empty V chosen).
  Lemma queries_added types h : latest_time h = Never -> watermark h = Never ->
    let added := fold_left (fun h query => add_query h (fst query) (snd query)) types h in
    added = with_queries h (queries h
      ++ map (fun query => (fst query, Registered (V := V) (snd query) Never [])) types).
  Proof.
    revert h; induction types as [|[n type] types IH]; intros h H1 H2; cbn zeta;
      cbn [fold_left map].
    - rewrite app_nil_r. now destruct h.
    - rewrite IH by assumption. unfold add_query. rewrite H1, H2.
      unfold with_queries. cbn [queries settings_of watermark finite_watermark latest_time arrivals
        fst snd max_instant leb_instant]. now rewrite <- app_assoc.
  Qed.

  (** [V1, S5] Of several queries, of whatever types, each with known windows is answered as by a
      slicing operator of its own, whose slices may be cut at the edges of all of them: the part of
      the denotation's results that belongs to the query is what the operator emits.
      Not claimed: anything of several keys;
        that the operator keeps one set of slices for all queries,
      and no more than they need together. *)
  Theorem operator_is_denotation_of_a_query types steps :
    filter (fun query => fst query =? name) types = [(name, Known windows)] ->
    Forall (fun step : list arriving * instant =>
      Forall (fun new : arriving => fst (fst (snd new)) = k) (fst step)) steps ->
    run (operator_step edges before_edges windows chosen name k slack) (new_operator V) steps
    = map part_of (run (@step_of V) (with_queries_added types) steps).
  Proof.
    intros E K. rewrite <- run_alone. rewrite (@operator_is_denotation V edges before_edges windows
      chosen name k slack) by assumption. f_equal.
    unfold with_queries_added. rewrite queries_added by reflexivity.
    unfold alone, with_queries, new_history, add_query, with_queries. cbn. f_equal.
    rewrite (@filter_map _ _ (fun query : Z * window_type => fst query =? name)) by reflexivity.
    now rewrite E.
  Qed.
End Run.
