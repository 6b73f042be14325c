(** A slicing operator answers every trace as the denotation does
    Code: optimized/muntin/optimized/scotty/operator.py
    Code: optimized/muntin/optimized/scotty/emission/scheduled_windows.py
    Text: proofs/scotty.md
    Text: spec/muntin/spec/denotation.py
    Idealised: as in SlicingOperator.v. *)
From Muntin Require Import Monoid Cells Slicing Sessions Denotation SlicingOperator
  SlicingOperatorContents SlicingOperatorPublished.
Set Implicit Arguments.
Open Scope Z_scope.

Section Run.
  Variable V : Type.
  Local Notation event := (@Slicing.event (details V)).
  Local Notation arriving := (Denotation.arriving V).
  Implicit Types (events added : list event) (news late : list arriving) (i : interval)
    (revisions : interval -> nat).
  Variables (edges : list Z) (before_edges : Z) (windows : list interval).
  Variables (chosen : settings) (name k : Z).
  Variable slack : Z.
  Hypothesis slack_positive : 0 <= slack.
  Hypothesis before_all : lies_before edges before_edges.
  Hypothesis ends_are_edges :
    forall i, In i (sorted_set windows) -> In (fst i) edges /\ In (snd i) edges.
  Hypothesis lateness : 0 <= allowed_lateness chosen.
  Local Notation all_windows := (sorted_set windows).
  Local Notation is_final := (is_final chosen).
  Local Notation operator := (operator V).
  Local Notation slices_relate := (@slices_relate V edges before_edges windows chosen).
  Local Notation is_shown := (@is_shown V chosen).
  Local Notation published_as := (@published_as V windows chosen).
  Local Notation relates := (@relates V edges before_edges windows chosen name k).
  Local Notation operator_step := (@operator_step V edges before_edges windows chosen name k slack).
  Local Notation emission := (@emission V chosen).
  Local Notation result_of := (@result_of V chosen name k).

  (* One step: what was published before it, and the events that it adds. *)
  Section Step.
    Variables (events added : list event) (revisions : interval ->
      nat) (op : operator) (first : nat).
    Variables (watermark : instant) (promised : instant).
    Let next := max_instant watermark promised.
    Let grown := events ++ added.
    Let before := published_as watermark events revisions.
    Let revisions' := revisions_after before grown.
    Hypothesis old : Forall (fun ev : event => (arrival (snd ev) < first)%nat) events.
    Hypothesis new : Forall (fun ev : event => (first <= arrival (snd ev))%nat /\
      leb_instant (limit_at chosen watermark) (At (fst ev)) = true) added.
    Hypothesis slices_hold : slices_relate op grown.
    Hypothesis same_watermark : reached op = watermark.
    Hypothesis emitted_before : forall i, In i all_windows -> is_final watermark i = false ->
      revision_of i (emitted op) = if is_shown watermark events i then Some (revisions i) else None.

    Lemma numbers_are_new : Forall (fun ev : event => (first <= arrival (snd ev))%nat) added.
    Proof. eapply Forall_impl; [|exact new]. cbn. tauto. Qed.

    Lemma final_is_untouched i : is_final watermark i = true ->
      content_of grown i = content_of events i.
    Proof.
      intro F. apply content_grows. intros ev I. rewrite Forall_forall in new.
      destruct (new _ I) as [_ L]. unfold SlicingOperator.is_final, lies_in, inside in *.
      destruct (limit_at chosen watermark) as [|l|]; cbn in *; try easy.
      apply Z.leb_le in L, F. destruct (Z.ltb_spec (fst ev) (snd i)); [lia|].
      apply andb_false_r.
    Qed.

    Lemma content_never_empties i :
      (length (content_of events i) =? 0)%nat = false ->
      (length (content_of grown i) =? 0)%nat = false.
    Proof.
      intro N. destruct (content_of events i) as [|ev content] eqn:E; [easy|].
      assert (I : In ev (content_of grown i)).
      { assert (J : In ev (content_of events i)) by (rewrite E; now left).
        apply content_in in J as [J1 J2]. apply content_in. split; auto.
        apply in_or_app. now left. }
      now destruct (content_of grown i).
    Qed.

    Lemma shown_stays i : is_shown watermark events i = true -> is_shown next grown i = true.
    Proof.
      unfold SlicingOperatorPublished.is_shown. intro S. apply andb_true_iff in S as [S1 S2].
      apply andb_true_iff. split; [now apply horizon_later|].
      apply negb_true_iff in S2. apply negb_true_iff. now apply content_never_empties.
    Qed.

    (* the changes of the denotation, window by window *)
    Definition change_of i : list (result V) :=
      let content := content_of grown i in
      if is_shown watermark events i then
        if existsb (is_of_step first) content then
          [Result name k i
            (match output chosen with
             | Discard => filter (is_of_step first) content
             | _ => content
             end) Updated (revisions' i)]
        else []
      else [Result name k i content New (revisions' i)].

    Lemma changes_known :
      changes (output chosen) name k before (published_as next grown revisions')
      = flat_map (fun i => if is_shown next grown i then change_of i else []) all_windows.
    Proof.
      unfold changes.
      assert (G : filter (fun known : window V * nat =>
        match find_window (fst (fst known)) (published_as next grown revisions') with
        | None => true | Some _ => false end) before = []).
      { unfold before, SlicingOperatorPublished.published_as at 2. rewrite filter_map.
        rewrite filter_filter. cbn [fst].
        assert (N : forall l, (forall i, In i l -> In i all_windows) ->
          filter (fun i => is_shown watermark events i &&
            match find_window i (published_as next grown revisions') with
            | None => true | Some _ => false end) l = []).
        { induction l as [|i l IH]; intro H; cbn; auto.
          rewrite find_published by (apply H; now left).
          destruct (is_shown watermark events i) eqn:S; cbn.
          - rewrite (shown_stays i S). apply IH. intros. apply H. now right.
          - apply IH. intros. apply H. now right. }
        now rewrite N. }
      set (gone := filter _ before). assert (Q : gone = []) by exact G.
      rewrite Q. cbn [map flat_map].
      assert (E : forall (X : list (result V)),
        match output chosen with AccumulateRetract => @nil (result V) | _ => [] end ++ X = X)
        by (now destruct (output chosen)).
      etransitivity; [apply E|]. unfold SlicingOperatorPublished.published_as.
      rewrite flat_map_map, flat_map_filter. apply flat_map_ext_in. intros i I.
      destruct (is_shown next grown i) eqn:S; auto. cbn [fst snd].
      unfold before. rewrite find_published by auto. unfold change_of.
      assert (N : (length (content_of grown i) =? 0)%nat = false).
      { unfold SlicingOperatorPublished.is_shown in S. apply andb_true_iff in S as [_ S].
        now apply negb_true_iff in S. }
      destruct (is_shown watermark events i) eqn:B.
      - cbn [fst snd]. unfold grown.
        rewrite (@same_arrivals_untouched V events added first old numbers_are_new),
          negb_involutive.
        rewrite (@pending_is_of_step V events added first old numbers_are_new). fold grown.
        destruct (existsb (is_of_step first) (content_of grown i)) eqn:T; cbn [andb]; auto.
        assert (M : (length (filter (is_of_step first) (content_of grown i)) =? 0)%nat = false).
        { apply existsb_exists in T as (ev & T1 & T2).
          assert (J : In ev (filter (is_of_step first) (content_of grown i)))
            by now apply filter_In.
          destruct (filter (is_of_step first) (content_of grown i)); [destruct J|reflexivity]. }
        destruct (output chosen); rewrite ?N, ?M; reflexivity.
      - cbn [andb]. unfold is_among.
        assert (F : filter (fun ev : event => negb (existsb (Nat.eqb (arrival (snd ev))) []))
          (content_of grown i) = content_of grown i).
        { clear. induction (content_of grown i); auto. exact (f_equal (cons a) IHl). }
        destruct (output chosen); rewrite ?F, N; reflexivity.
    Qed.

    Lemma revisions_after_step i : In i all_windows ->
      revisions' i
      = if is_shown watermark events i
        then if existsb (is_of_step first) (content_of grown i)
             then S (revisions i) else revisions i
        else 0%nat.
    Proof.
      intro I. unfold revisions', revisions_after, revised, before. cbn [fst snd].
      rewrite find_published by auto. destruct (is_shown watermark events i); auto.
      cbn [fst snd]. unfold grown.
      rewrite (@same_arrivals_untouched V events added first old numbers_are_new).
      now destruct (existsb _ _).
    Qed.

    Lemma emission_known i : In i all_windows -> is_final watermark i = false ->
      emission first next op i
      = if is_shown next grown i
        then Some (i, revisions' i, if is_shown watermark events i then Updated else New)
        else None.
    Proof.
      intros I F. unfold SlicingOperator.emission.
      rewrite (@tuples_are_content V edges before_edges windows chosen before_all ends_are_edges op
        grown i slices_hold I) by now rewrite same_watermark.
      rewrite emitted_before, revisions_after_step by auto.
      change (leb_instant (At (snd i)) (horizon chosen next)
        && negb (length (content_of grown i) =? 0)%nat) with (is_shown next grown i).
      destruct (is_shown next grown i); auto. now destruct (is_shown watermark events i).
    Qed.

    Lemma result_known i : In i all_windows -> is_final watermark i = false ->
      flat_map (result_of first op) (some_list (emission first next op i))
      = if is_shown next grown i then change_of i else [].
    Proof.
      intros I F. rewrite emission_known by auto. destruct (is_shown next grown i); auto.
      cbn [some_list flat_map]. rewrite app_nil_r. unfold SlicingOperator.result_of, change_of.
      rewrite (@tuples_are_content V edges before_edges windows chosen before_all ends_are_edges op
        grown i slices_hold I) by now rewrite same_watermark.
      destruct (is_shown watermark events i); [|now destruct (output chosen)].
      destruct (existsb _ _); auto.
    Qed.

    Lemma final_changes_nothing i : is_final watermark i = true ->
      (if is_shown next grown i then change_of i else []) = [].
    Proof.
      intro F. destruct (is_shown next grown i) eqn:S; auto.
      assert (B : is_shown watermark events i = true).
      { unfold SlicingOperatorPublished.is_shown in *. apply andb_true_iff in S as [_ S].
        rewrite final_is_untouched in S by auto. rewrite S, andb_true_r.
        now apply final_in_horizon. }
      unfold change_of. rewrite B.
      replace (existsb (is_of_step first) (content_of grown i)) with false; auto. symmetry.
      rewrite final_is_untouched by auto.
      destruct (existsb _ _) eqn:E; auto. apply existsb_exists in E as (ev & I & T).
      rewrite (@content_is_old V events first old i ev I) in T. easy.
    Qed.

    Lemma emitted_known :
      flat_map (result_of first op)
        (flat_map (fun i => some_list (emission first next op i))
          (open_windows windows chosen watermark))
      = flat_map (fun i => if is_shown next grown i then change_of i else []) all_windows.
    Proof.
      rewrite flat_map_flat_map. unfold open_windows. rewrite flat_map_filter.
      apply flat_map_ext_in. intros i I. destruct (is_final watermark i) eqn:F; cbn [negb].
      - symmetry. now apply final_changes_nothing.
      - now apply result_known.
    Qed.

    Lemma revision_of_kept i l : is_final next i = false ->
      (forall j, In j l -> In j all_windows /\ is_final watermark j = false) ->
      revision_of i (filter (fun known : interval * nat => negb (is_final next (fst known)))
        (map fst (flat_map (fun i => some_list (emission first next op i)) l)))
      = if existsb (equal i) l then
          if is_shown next grown i then Some (revisions' i) else None
        else None.
    Proof.
      intro F. induction l as [|j l IH]; intro H; auto.
      destruct (H j (or_introl eq_refl)) as [H1 H2].
      specialize (IH (fun i I => H i (or_intror I))).
      cbn [flat_map existsb]. rewrite emission_known by auto.
      destruct (equal i j) eqn:E; cbn [orb].
      - apply equal_iff in E. subst j. destruct (is_shown next grown i) eqn:S.
        + cbn [some_list app map filter fst]. rewrite F. cbn [negb revision_of fst].
          now rewrite equal_refl.
        + cbn [some_list app map]. rewrite IH. now destruct (existsb _ _).
      - destruct (is_shown next grown j); cbn [some_list app map filter fst]; auto.
        destruct (is_final next j); cbn [negb revision_of]; rewrite ?E; auto.
    Qed.

    Lemma revisions_kept i : In i all_windows -> is_final next i = false ->
      revision_of i (filter (fun known : interval * nat => negb (is_final next (fst known)))
        (map fst (flat_map (fun i => some_list (emission first next op i))
          (open_windows windows chosen watermark))))
      = if is_shown next grown i then Some (revisions' i) else None.
    Proof.
      intros I F. assert (G : is_final watermark i = false).
      { destruct (is_final watermark i) eqn:G; auto. apply (@final_later chosen watermark promised
        i) in G.
        unfold next in F. congruence. }
      rewrite revision_of_kept; auto.
      - replace (existsb (equal i) _) with true; auto. symmetry. apply existsb_exists.
        exists i. split; [|apply equal_refl]. apply filter_In. now rewrite G.
      - intros j J. apply filter_In in J as [J1 J2]. split; auto. now apply negb_true_iff in J2.
    Qed.
  End Step.

  (** [V1, S5] One step of the slicing operator emits what the denotation emits, and leaves it with
      all that it needs: the two stay related. *)
  Theorem step_emits_denotation h op news promised :
    relates h op -> Forall (fun new : arriving => fst (fst (snd new)) = k) news ->
    match step_of h news promised, operator_step op news promised with
    | None, None => True
    | Some (after, output), Some (next, emitted) => output = emitted /\ relates after next
    | _, _ => False
    end.
  Proof.
    intros (events & revisions & B & E) K.
    pose proof B as (B1 & B2 & B3 & B4 & (keys_before & B5 & B6) & _ & B8).
    unfold step_of, SlicingOperator.operator_step. rewrite B1, B3.
    destruct (in_order chosen && negb (is_in_order (latest op) news)); auto.
    destruct (@ingest_all V edges before_edges windows chosen name k before_all news h op events _
      []
      B K) as (h' & op' & added & late & I1 & I2 & I3 & I4 & I5 & I6).
    rewrite I1, I2. destruct I3 as (C1 & C2 & C3 & C4 & (keys & C5 & C6) & C7 & C8).
    rewrite C3, B2.
    set (promises := max_instant promised (if in_order chosen then latest op' else Never)).
    set (next := max_instant (reached op) promises).
    set (before := published_as (reached op) events revisions) in *.
    set (grown := events ++ added) in *.
    assert (R : forall i, In i all_windows -> is_final (reached op) i = false ->
      revision_of i (emitted op')
      = if is_shown (reached op) events i then Some (revisions i) else None).
    { intros. rewrite I5. now apply E. }
    pose proof (@emitted_known events added revisions op' (seen op) (reached op) promises B8 I6 C7
      I4 R) as Q.
    pose proof (@revisions_kept events added revisions op' (seen op) (reached op) promises B8 I6 C7
      I4 R) as Q'.
    pose proof (@changes_known events added revisions (seen op) (reached op) promises B8 I6) as Q2.
    fold next grown before in Q, Q', Q2. rewrite C5. cbn [map fst snd].
    set (now := History chosen next _ _ _ _).
    assert (P : holds_key k (map (fun pair : Z * keyed V => (fst pair,
      republish now (Registered (Known windows) Never keys) (snd pair))) keys) grown
      (published_as next grown (revisions_after before grown))).
    { destruct C6 as [(-> & G & N)| ->]; [left|right].
      - split; auto. split; auto. rewrite G. unfold SlicingOperatorPublished.published_as.
        assert (forall l, filter (is_shown next []) l = []) as Z0; [|now rewrite Z0].
        intro l. induction l as [|i l IH]; auto. cbn [filter].
        unfold SlicingOperatorPublished.is_shown at 1. cbn. now rewrite andb_false_r.
      - cbn [map fst snd]. now rewrite (@republish_known V windows chosen). }
    set (published_keys := map _ keys) in P.
    split.
    - f_equal. unfold output_delta, in_result_order. cbn [queries with_queries map fst].
      f_equal. rewrite B5.
      match goal with |- ?l = _ => change l with
        (flat_map (fun pair : Z * keyed V => let (k0, held) := pair in
          changes (output chosen) name k0 (published (at_key k0 keys_before)) (published held))
          published_keys ++ []) end.
      rewrite app_nil_r, Q.
      assert (K0 : published (at_key k keys_before) = before).
      { destruct B6 as [(-> & _ & N)| ->]; cbn; [now rewrite N|now rewrite Z.eqb_refl]. }
      destruct P as [(-> & G & N)| ->].
      + cbn [flat_map]. symmetry. clear -G.
        induction all_windows as [|i l IH]; auto. cbn [flat_map]. rewrite IH, app_nil_r.
        unfold SlicingOperatorPublished.is_shown. rewrite G. cbn. now rewrite andb_false_r.
      + cbn [flat_map]. rewrite app_nil_r, K0. exact Q2.
    - exists grown, (revisions_after before grown). split.
      + do 4 (split; [first [reflexivity|exact C4]|]).
        split; [exists published_keys; split; [reflexivity|exact P]|]. split; [|exact C8].
        apply (@forget_relates V edges before_edges windows chosen slack slack_positive before_all
          ends_are_edges op' grown next C7).
        intros i F. rewrite I4 in F. now apply (@final_later chosen (reached op) promises i).
      + cbn [reached emitted]. exact Q'.
  Qed.

  (* Runs: a step that is refused leaves all as it was. *)
  Definition output_of_step := (list (result V) * list arriving)%type.
  Fixpoint run State (step : State -> list arriving -> instant -> option (State * output_of_step))
      state (steps : list (list arriving * instant)) : list (option output_of_step) :=
    match steps with
    | [] => []
    | (news, promised) :: later =>
        match step state news promised with
        | None => None :: run step state later
        | Some (next, output) => Some output :: run step next later
        end
    end.
  Definition new_history := add_query (empty V chosen) name (Known windows).

  (** [V1, S5] A slicing operator with one query of known windows, all of whose ends are edges,
      answers every trace of one key as the denotation does: the same results in the same order, in
        every output mode, with the same
      late events.
      Not claimed: anything of several keys, of sessions, or of other dialects; for several queries
      see SeveralQueries.v. *)
  Theorem operator_is_denotation steps :
    Forall (fun step : list arriving * instant =>
      Forall (fun new : arriving => fst (fst (snd new)) = k) (fst step)) steps ->
    run operator_step (new_operator V) steps = run (@step_of V) new_history steps.
  Proof.
    assert (S : relates new_history (new_operator V)).
    { exists [], (fun _ => 0%nat). split.
      - do 4 (split; [reflexivity|]). split.
        + exists []. split; [reflexivity|]. left. repeat split.
          unfold SlicingOperatorPublished.published_as.
          assert (forall l, filter (is_shown Never []) l = []) as Z0; [|now rewrite Z0].
          induction l as [|j l IH]; [reflexivity|]. cbn [filter].
            unfold SlicingOperatorPublished.is_shown at 1.
          cbn. now rewrite andb_false_r.
        + split; [|constructor]. split; [exact I|]. split; [|reflexivity].
          intros p x q y r E. now destruct p.
      - intros i _ _. cbn. unfold SlicingOperatorPublished.is_shown. cbn.
        now rewrite andb_false_r. }
    revert S. generalize new_history as h, (new_operator V) as op.
    induction steps as [|[news promised] steps IH]; intros h op S K; auto.
    inversion K as [|? ? K1 K2]; subst. cbn [run fst] in *.
    pose proof (@step_emits_denotation h op news promised S K1) as D.
    destruct (step_of h news promised) as [[after output]|],
      (operator_step op news promised) as [[next emitted]|]; try easy.
    - destruct D as [-> D]. now rewrite (IH _ _ D K2).
    - now rewrite (IH _ _ S K2).
  Qed.

  (** [M6] After a step, each slice that is kept lies in a window that is not final, or has been for
      less than the slack, which is 1 in the code: the others are forgotten.
      Not claimed: that a slice is cut no finer than the windows which are not final need. *)
  Theorem kept_slices_are_needed op news promised next output slice :
    operator_step op news promised = Some (next, output) -> In slice (slices next) ->
    exists i, In i all_windows /\
      leb_instant (At (snd i)) (minus (limit_at chosen (reached next)) slack) = false /\
      inside (fst i) (snd i) (fst slice) = true.
  Proof.
    unfold SlicingOperator.operator_step.
    destruct (in_order chosen && _); [easy|]. destruct (fold_left _ news _) as [placed late].
    intros E H. injection E as <- _. cbn [slices reached] in *.
    apply filter_In in H as [_ H]. apply existsb_exists in H as (i & I & J).
    apply andb_true_iff in J as [J1 J2]. apply negb_true_iff in J1. eauto.
  Qed.

  (** [M4] What a window of slices holds folds to the fold of its slices' partial aggregates.
      Not claimed: how many combines that takes, and how the code shares them in a tree. *)
  Theorem value_from_partials {A} (M : monoid A) {L : lawful M} (lift : event -> A) i
      (held : list (Z * list event)) :
    fold M (map lift (tuples_in i held))
    = fold M (map (fun slice => fold M (map lift (snd slice)))
        (filter (fun slice => inside (fst i) (snd i) (fst slice)) held)).
  Proof.
    unfold tuples_in. induction (filter _ held) as [|slice l IH]; auto.
    cbn [map concat]. rewrite map_app, fold_app, fold_cons by auto. now rewrite IH.
  Qed.
End Run.
