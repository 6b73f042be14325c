(** Controls of the slicing operator
    False variants of the theorems, each refuted by a computed counterexample, and witnesses that
    the hypotheses of the theorems can be met. *)
From Muntin Require Monoid Cells Slicing Denotation SlicingOperator SlicingOperatorRun
  PeriodicWindows PeriodicOperator Sessions SessionWindows SeveralQueries
  CalendarOperator.
Import Monoid Cells Denotation SlicingOperator SlicingOperatorRun PeriodicWindows PeriodicOperator.
Set Implicit Arguments.
Open Scope Z_scope.

Module OperatorControls.
  Definition words := free nat.
  (* the event of a key at a time; its value is a number *)
  Definition at_time key time value : arriving nat := (time, (key, None, value)).
  Definition late_by lateness := Settings lateness Accumulate false.
  Definition windows := [(0, 10); (5, 15); (10, 20)].
  Definition edges := [0; 5; 10; 15; 20].
  Definition operator_run edges windows chosen :=
    run (@operator_step nat edges (-1) windows chosen 7 1 1) (new_operator nat).
  Definition denotation_run windows chosen :=
    run (@step_of nat) (new_history nat windows chosen 7).
  (* out of order, a late update within the lateness, a late event, and the end *)
  Definition trace :=
    [([at_time 1 12 1%nat; at_time 1 7 2%nat], Never); ([], At 15); ([at_time 1 9 3%nat], Never);
     ([at_time 1 1 4%nat], At 30); ([at_time 1 9 5%nat], End)].
  (* the interval, the values, the kind and the revision of each result *)
  Definition rows (output : option (output_of_step nat)) :=
    match output with
    | None => []
    | Some (results, _) => map (fun r =>
        (of_interval r, map (fun ev => value (snd ev)) (of_content r), of_kind r,
          revision r)) results
    end.

  (** Witness of SlicingOperatorRun.step_emits_denotation,
      SlicingOperatorRun.operator_is_denotation, SlicingOperatorRun.kept_slices_are_needed: windows
      whose ends are edges, and a trace of one key with a new window, an update and a late event. *)
  Example a_trace_with_an_update :
    0 <= 1 /\ lies_before edges (-1) /\
    (forall i, In i (sorted_set windows) -> In (fst i) edges /\ In (snd i) edges) /\
    Forall (fun step : list (arriving nat) * instant =>
      Forall (fun new => fst (fst (snd new)) = 1) (fst step)) trace /\
    map rows (operator_run edges windows (late_by 10) trace)
    = [[];
       [((0, 10), [2%nat], New, 0%nat); ((5, 15), [2%nat; 1%nat], New, 0%nat)];
       [((0, 10), [2%nat; 3%nat], Updated, 1%nat); ((5, 15), [2%nat; 3%nat;
         1%nat], Updated, 1%nat)];
       [((10, 20), [1%nat], New, 0%nat)];
       []].
  Proof.
    split; [lia|split; [|split; [|split]]].
    - intros edge I. repeat destruct I as [<-|I]; try lia; try destruct I.
    - intros i I. repeat destruct I as [<-|I]; cbn; tauto || destruct I.
    - repeat constructor.
    - vm_compute. reflexivity.
  Qed.

  (** Control of SlicingOperatorRun.operator_is_denotation: windows that end at no edge. *)
  Example a_window_that_ends_within_a_slice : ~ forall steps,
    operator_run [0] [(0, 5)] (late_by 0) steps = denotation_run [(0, 5)] (late_by 0) steps.
  Proof. intro H. specialize (H [([at_time 1 7 1%nat], At 9)]). vm_compute in H. discriminate. Qed.

  (** Control of SlicingOperatorRun.operator_is_denotation: several keys, which the model throws
      together. *)
  Example a_trace_of_two_keys : ~ forall steps,
    operator_run edges windows (late_by 0) steps = denotation_run windows (late_by 0) steps.
  Proof.
    intro H. specialize (H [([at_time 1 7 1%nat; at_time 2 8 2%nat], End)]). vm_compute in H.
    discriminate.
  Qed.

  (** Control of SlicingOperatorRun.step_emits_denotation: an operator that forgets what no open
      window needs, where open is what the watermark has not passed, whatever the lateness. *)
  Definition hasty_step (op : operator nat) news promised :=
    match @operator_step nat edges (-1) windows (late_by 10) 7 1 1 op news promised with
    | None => None
    | Some (next, output) =>
        Some (Operator (filter (is_needed windows (late_by 0) 0 (reached next)) (slices next))
          (reached next) (latest next) (seen next) (emitted next), output)
    end.
  Example forgetting_at_the_watermark : ~ forall steps,
    run hasty_step (new_operator nat) steps = denotation_run windows (late_by 10) steps.
  Proof. intro H. specialize (H trace). vm_compute in H. discriminate. Qed.

  (** Control of SlicingOperatorRun.kept_slices_are_needed: what is kept lies in a window that is
      not complete, as if nothing came late. *)
  Example kept_for_late_events : ~ forall op news promised next output slice,
    @operator_step nat edges (-1) windows (late_by 10) 7 1 1 op news promised = Some (next,
      output) ->
    In slice (slices next) ->
    existsb (fun i => negb (leb_instant (At (snd i)) (reached next))
      && inside (fst i) (snd i) (fst slice)) windows = true.
  Proof.
    intro H. specialize (H (new_operator nat) [at_time 1 7 1%nat] (At 16)).
    specialize (H _ _ (5, [(7, Details 0 1 None 1%nat)]) eq_refl). vm_compute in H.
    specialize (H (or_introl eq_refl)). discriminate.
  Qed.

  (** Witness of SlicingOperatorRun.value_from_partials: words are a lawful monoid. *)
  Example words_lawful : lawful words.
  Proof. apply free_lawful. Qed.

  (** Control of SlicingOperatorRun.value_from_partials: the slices of a window youngest first. *)
  Example partials_youngest_first : ~ forall i (held : list (Z * list (Slicing.event (A := details
    nat)))),
    fold words (map (fun ev => [value (snd ev)]) (tuples_in i held))
    = fold words (map (fun slice => fold words (map (fun ev => [value (snd ev)]) (snd slice)))
        (rev (filter (fun slice => inside (fst i) (snd i) (fst slice)) held))).
  Proof.
    intro H. specialize (H (0, 10) [(0, [(1, Details 0 1 None 1%nat)]); (5, [(6, Details 1 1 None
      2%nat)])]). vm_compute in H. discriminate.
  Qed.

  (* several queries *)
  Definition added types := SeveralQueries.with_queries_added nat (late_by 10) types.
  Definition two := [(8, Session 3); (7, Known windows)].

  (** Witness of SeveralQueries.operator_is_denotation_of_a_query: one of two queries has known
      windows; both have results in one step, in turns. *)
  Example a_trace_of_two_queries :
    filter (fun query => fst query =? 7) two = [(7, Known windows)] /\
    map (fun output => match output with
      | Some (results, _) => map (fun r => (of_query r, of_interval r)) results
      | None => []
      end) (run (@step_of nat) (added two) (firstn 2 trace))
    = [[]; [(7, (0, 10)); (8, (7, 10)); (7, (5, 15)); (8, (12, 15))]].
  Proof. vm_compute. auto. Qed.

  (** Control of SeveralQueries.query_alone: one query's results are all. *)
  Example all_results_are_of_one_query : ~ forall h news promised after results late,
    @step_of nat h news promised = Some (after, (results, late)) ->
    step_of (SeveralQueries.alone 7 h) news promised
    = Some (SeveralQueries.alone 7 after, (results, late)).
  Proof.
    intro H. specialize (H (added two) [at_time 1 7 1%nat] End _ _ _ eq_refl). vm_compute in H.
    discriminate.
  Qed.
  (** Control of SeveralQueries.operator_is_denotation_of_a_query: two queries of one name. *)
  Example two_queries_of_one_name : ~ forall types steps, In (7, Known windows) types ->
    operator_run edges windows (late_by 10) steps
    = map (SeveralQueries.part_of 7) (run (@step_of nat) (added types) steps).
  Proof.
    intro H. specialize (H [(7, Known windows); (7, Known windows)] trace (or_introl eq_refl)).
    vm_compute in H. discriminate.
  Qed.

  (* windows between instants *)
  Definition months := [0; 31; 59; 90].
  Definition months_run instants chosen :=
    run (@operator_step nat instants (-1) (CalendarOperator.between months) chosen 7 1 1)
      (new_operator nat).

  (** Witness of CalendarOperator.one_window_at_a_time,
      CalendarOperator.calendar_operator_is_denotation: months of 31, 28 and 31 days. *)
  Example three_months : CalendarOperator.rising_instants months /\ lies_before months (-1) /\
    (exists a, In a months /\ a <= 58) /\ (exists b, In b months /\ 58 < b) /\
    0 <= allowed_lateness (late_by 10) /\ 0 <= 1.
  Proof.
    split; [|split; [|split; [|split]]].
    - cbn. repeat split; intros; intuition lia.
    - intros edge I. cbn in I. intuition lia.
    - exists 31. cbn. intuition lia.
    - exists 59. cbn. intuition lia.
    - cbn. lia.
  Qed.

  (** Control of CalendarOperator.one_window_at_a_time: instants that do not rise. *)
  Example two_windows_at_a_time : ~ forall instants t,
    (exists a, In a instants /\ a <= t) -> (exists b, In b instants /\ t < b) ->
    exists i, In i (CalendarOperator.between instants) /\ inside (fst i) (snd i) t = true /\
      forall j, In j (CalendarOperator.between instants) -> inside (fst j) (snd j) t = true ->
        j = i.
  Proof.
    intro H. destruct (H [0; 10; 5; 20] 7) as (i & _ & _ & K).
    - exists 0. cbn. intuition lia.
    - exists 10. cbn. intuition lia.
    - pose proof (K (0, 10) ltac:(cbn; auto) eq_refl) as <-.
      specialize (K (5, 20) ltac:(cbn; auto) eq_refl). discriminate.
  Qed.
  (** Control of CalendarOperator.calendar_operator_is_denotation: slices of thirty days. *)
  Example months_of_thirty_days : ~ forall steps,
    months_run [0; 30; 60; 90] (late_by 10) steps
    = denotation_run (CalendarOperator.between months) (late_by 10) steps.
  Proof.
    intro H. specialize (H [([at_time 1 58 1%nat; at_time 1 59 2%nat; at_time 1 30 3%nat], End)]).
    vm_compute in H. discriminate.
  Qed.
End OperatorControls.

Module PeriodicControls.
  Import OperatorControls.
  Definition some_events : list (Slicing.event (A := details nat)) :=
    [(12, Details 0 1 None 1%nat); (7, Details 1 1 None 2%nat)].
  Definition sliding_run low times chosen :=
    let windows := windows_between 10 5 0 low times in
    run (@operator_step nat (edges_of windows) (-100) windows chosen 7 1 1) (new_operator nat).

  (** Witness of PeriodicWindows.starts_are_specified, PeriodicWindows.starts_in_each_dialect,
      PeriodicWindows.sliding_windows_are_known,
      PeriodicOperator.sliding_operator_is_denotation: windows of 10 every 5, times from 0 to 29,
      and a trace between them. *)
  Example a_trace_between :
    0 < 10 /\ 0 < 5 /\ 0 <= 30 /\ 0 <= 1 /\
    lies_before (edges_of (windows_between 10 5 0 0 30)) (-100) /\
    (forall ev, In ev some_events -> is_between 0 30 (fst ev)) /\
    Forall (step_is_between (V := nat) 0 30) trace /\
    map rows (sliding_run 0 30 (late_by 10) trace)
    = map rows (run (@step_of nat) (sliding_history nat 10 5 0 (late_by 10) 7) trace) /\
    length (windows_of (Sliding 10 5 0) Never some_events) = 3%nat.
  Proof.
    do 4 (split; [lia|]). split; [|split; [|split; [|split]]].
    - intros edge I. vm_compute in I. repeat destruct I as [<-|I]; try lia; try destruct I.
    - intros ev I. unfold is_between. repeat destruct I as [<-|I]; cbn; try lia; try destruct I.
    - unfold trace. repeat (apply Forall_cons; [intros new I; unfold is_between, at_time in *;
        repeat destruct I as [<-|I]; cbn; try lia; try destruct I|]). apply Forall_nil.
    - vm_compute. reflexivity.
    - vm_compute. reflexivity.
  Qed.

  (** Control of PeriodicWindows.starts_are_specified: windows that hold their end. *)
  Example starts_with_the_end : ~ forall s t,
    In s (starts 10 10 0 t) <-> is_start 10 0 s /\ inside s (s + 11) t = true.
  Proof.
    intro H. destruct (H 0 10) as [_ G]. cut (In 0 (starts 10 10 0 10)).
    - vm_compute. intros [E|[]]. discriminate.
    - apply G. split; [exists 0|]; reflexivity.
  Qed.

  (** Control of PeriodicWindows.starts_in_each_dialect: a dialect of (a, b] whose windows hold
      their start. *)
  Example right_edges_as_left : ~ forall s t,
    In s (starts_in 10 10 0 Right t) <-> is_start 10 0 s /\ inside s (s + 10) t = true.
  Proof.
    intro H. destruct (H 0 0) as [_ G]. cut (In 0 (starts_in 10 10 0 Right 0)).
    - vm_compute. intros [E|[]]. discriminate.
    - apply G. split; [exists 0|]; reflexivity.
  Qed.

  (** Control of PeriodicWindows.sliding_windows_are_known: an event that comes later than all the
      windows that are known. *)
  Example an_event_beyond_what_is_known : ~ forall events : list (Slicing.event (A := details nat)),
    windows_of (Sliding 10 5 0) Never events
    = windows_of (Known (windows_between 10 5 0 0 5)) Never events.
  Proof. intro H. specialize (H some_events). vm_compute in H. discriminate. Qed.

  (** Control of PeriodicOperator.sliding_operator_is_denotation: the same, of the operator. *)
  Example a_trace_beyond_what_is_known : ~ forall steps,
    sliding_run 0 5 (late_by 10) steps
    = run (@step_of nat) (sliding_history nat 10 5 0 (late_by 10) 7) steps.
  Proof. intro H. specialize (H trace). vm_compute in H. discriminate. Qed.
End PeriodicControls.

Module SessionWindowControls.
  Import Sessions SessionWindows.
  Definition first_two := [Event 0 2 1%nat; Event 5 2 2%nat].
  Definition at_the_end := [Event 2 2 3%nat; Event 6 3 4%nat].

  (** Witness of SessionWindows.released_sessions_are_not_missed: a limit at the end of a session,
      which is released where sessions do not merge at the gap; later events, of which one extends
      the session that is not. *)
  Example a_session_released :
    0 <= 0 <= 1 /\ gaps_positive first_two /\ gaps_positive at_the_end /\
    (forall ev, In ev at_the_end -> 2 <= time ev) /\
    map fst (filter (is_open 0 2) (sessions 0 first_two)) = [(5, 7)] /\
    map fst (filter (is_open 0 2) (sessions 0 (first_two ++ at_the_end))) = [(2, 4); (5, 9)].
  Proof.
    split; [lia|]. do 3 (split; [intros ev [<-|[<-|[]]]; cbn; lia|]). split; reflexivity.
  Qed.

  (** Control of SessionWindows.released_sessions_are_not_missed: where sessions merge at the gap, a
      session that is released at its end, without the unit of slack. *)
  Example released_at_the_end : ~ forall limit (events later : list (Sessions.event nat)),
    gaps_positive events -> gaps_positive later -> (forall ev, In ev later -> limit <= time ev) ->
    map fst (filter (fun c => limit <? snd (fst c)) (sessions 1 (events ++ later)))
    = map fst (fold_left (@Sessions.add 1 nat) later
        (filter (fun c => limit <? snd (fst c)) (sessions 1 events))).
  Proof.
    intro H. specialize (H 2 first_two at_the_end).
    destruct a_session_released as (_ & G & G' & L & _). specialize (H G G' L).
    vm_compute in H. discriminate.
  Qed.

  (** Witness of SessionWindows.session_windows_are_fused: two events of one session, out of order,
      which bring no gap. *)
  Definition out_of_order : list (Slicing.event (A := details nat)) :=
    [(4, Details 0 1 None 1%nat); (2, Details 1 1 None 2%nat)].
  Example one_session :
    gaps_are_positive 3 out_of_order /\
    map fst (windows_of (Session 3) Never out_of_order) = [(2, 7)].
  Proof. split; [intros ev [<-|[<-|[]]]; cbn; lia|reflexivity]. Qed.

  (** Control of SessionWindows.session_windows_are_fused: sessions that hold their events in the
      order of arrival. *)
  Example sessions_in_the_order_of_arrival : ~ forall events, gaps_are_positive 3 events ->
    windows_of (Session 3) Never events
    = map (fun c => (fst c, filter (lies_in (fst c)) events))
        (sessions 0 (map (with_gap (V := nat) 3) events)).
  Proof.
    intro H. specialize (H out_of_order (proj1 one_session)). vm_compute in H. discriminate.
  Qed.
End SessionWindowControls.
