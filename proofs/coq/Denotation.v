(** The denotation of windows with known edges and of sessions
    Code: spec/muntin/spec/denotation.py
    Code: spec/muntin/spec/windows/window.py
    Code: spec/muntin/spec/windows/periodic.py
    Code: spec/muntin/spec/windows/data_driven.py
    Text: spec/muntin/spec/denotation.py
    Idealised: time is the only measure, and the dialect is ours: lateness is judged by event, so
    nothing is frozen (rule 12), late updates are published at once, windows are [a, b). Of window
    types there are sliding (and so tumbling), landmark and cumulate windows, any list of windows
    that is known in advance (a band is a list of one), and sessions. Keys and queries are numbers.
    A result has its content, where the code has the value that the query's aggregate gives it.
    Events are in the order of time, and then of arrival: a pair of a time and the rest. *)
From Muntin Require Import Monoid Cells Slicing Sessions.
Set Implicit Arguments.
Open Scope Z_scope.

(* A watermark: none yet, a time, or END. *)
Inductive instant := Never | At (t : Z) | End.
Definition leb_instant a b :=
  match a, b with
  | Never, _ | _, End => true
  | At s, At t => s <=? t
  | _, _ => false
  end.
Definition max_instant a b := if leb_instant a b then b else a.
Definition minus a d := match a with At t => At (t - d) | _ => a end.

Inductive mode := AccumulateRetract | Accumulate | Discard | Final.
Record settings := Settings { allowed_lateness : Z; output : mode; in_order : bool }.
Inductive window_type :=
  | Sliding (size slide offset : Z)
  | Landmark (start every : Z)
  | Cumulate (size step offset : Z)
  | Known (windows : list (Z * Z))
  | Session (default_gap : Z).

Section Denotation.
  Variable V : Type.
  (* An event that is accepted: its time, and its place in the order of arrival, key, and gap. *)
  Record details := Details { arrival : nat; key : Z; own_gap : option Z; value : V }.
  Local Notation event := (@Slicing.event details).
  Implicit Types (events content : list event).

  (* Windows. *)
  Definition interval := (Z * Z)%type.
  Definition equal (i j : interval) := (fst i =? fst j) && (snd i =? snd j).
  Definition precedes (i j : interval) :=
    (fst i <? fst j) || ((fst i =? fst j) && (snd i <? snd j)).
  (* sorted(set(...)) *)
  Fixpoint place (i : interval) (sorted : list interval) :=
    match sorted with
    | [] => [i]
    | j :: later =>
        if equal i j then sorted else if precedes i j then i :: sorted else j :: place i later
    end.
  Definition sorted_set (intervals : list interval) := fold_right place [] intervals.

  Definition count_from n := map Z.of_nat (seq 0 (Z.to_nat n)).
  Definition pane_start coordinate offset slide := coordinate - (coordinate - offset) mod slide.
  Definition starts size slide offset coordinate :=
    filter (fun start => coordinate - size <? start)
      (map (fun k => pane_start coordinate offset slide - slide * k)
         (count_from (size / slide + 1))).
  Definition windows_at size step offset coordinate :=
    let start := pane_start coordinate offset size in
    filter (fun i => coordinate <? snd i)
      (map (fun k => (start, start + step * (k + 1))) (count_from (size / step))).
  (* The edges up to the first beyond all events and the watermark. *)
  Definition edges_from first every finite_watermark events :=
    let past := match finite_watermark with At t => t | _ => first - every end in
    let last := fold_right (fun ev last => Z.max (fst ev) last) (first - every) events in
    map (fun k => first + every * k)
      (count_from ((Z.max past last - first) / every + 2)).
  Definition gap_of default_gap (ev : event) :=
    match own_gap (snd ev) with Some gap => gap | None => default_gap end.
  Definition intervals type finite_watermark events : list interval :=
    match type with
    | Sliding size slide offset =>
        flat_map (fun ev : event =>
          map (fun start => (start, start + size)) (starts size slide offset (fst ev))) events
    | Landmark start every =>
        map (pair start) (edges_from (start + every) every finite_watermark events)
    | Cumulate size step offset =>
        flat_map (fun ev : event => windows_at size step offset (fst ev)) events
    | Known windows => windows
    | Session default_gap =>
        fold_left (fun sessions ev =>
          extend 0 sessions (fst ev) (fst ev + gap_of default_gap ev)) events []
    end.
  Definition holds type (i : interval) (ev : event) :=
    match type with
    | Sliding size slide offset => existsb (Z.eqb (fst i)) (starts size slide offset (fst ev))
    | Cumulate size step offset => existsb (equal i) (windows_at size step offset (fst ev))
    | _ => inside (fst i) (snd i) (fst ev)
    end.

  Definition window := (interval * list event)%type.
  Definition nonempty (w : window) := negb (length (snd w) =? 0)%nat.
  (* materialize_windows, of a timeline in event order *)
  Definition windows_of type finite_watermark events : list window :=
    let timeline := event_order events in
    filter nonempty
      (map (fun i => (i, filter (holds type i) timeline))
         (sorted_set (intervals type finite_watermark timeline))).
  Definition is_complete (watermark : instant) (w : window) :=
    leb_instant (At (snd (fst w))) watermark.
  Definition arrivals_of content := map (fun ev : event => arrival (snd ev)) content.
  Definition same_arrivals content others :=
    if list_eq_dec Nat.eq_dec (arrivals_of content) (arrivals_of others) then true else false.

  (* Histories: S1 to S3. A published window has the number of its updates. *)
  Record keyed := Keyed { events_of : list event; published : list (window * nat) }.
  Record registered := Registered {
    query_type : window_type; since : instant; keys : list (Z * keyed) }.
  Record history := History {
    settings_of : settings; watermark : instant; finite_watermark : instant;
    latest_time : instant; arrivals : nat; queries : list (Z * registered) }.
  Definition limit h := minus (watermark h) (allowed_lateness (settings_of h)).
  Definition empty chosen := History chosen Never Never Never 0 [].

  Definition with_queries h queries :=
    History (settings_of h) (watermark h) (finite_watermark h) (latest_time h) (arrivals h)
      queries.
  Definition add_query h name type :=
    let since := max_instant (latest_time h) (watermark h) in
    with_queries h (queries h ++ [(name, Registered type since [])]).
  Definition remove_query h name :=
    with_queries h (filter (fun query => negb (fst query =? name)) (queries h)).

  (* What a query holds for a key, and the same with something else. *)
  Fixpoint at_key k (keys : list (Z * keyed)) :=
    match keys with
    | [] => Keyed [] []
    | (other, held) :: later => if k =? other then held else at_key k later
    end.
  Fixpoint replace_key k held (keys : list (Z * keyed)) :=
    match keys with
    | [] => [(k, held)]
    | (other, old) :: later =>
        if k =? other then (k, held) :: later else (other, old) :: replace_key k held later
    end.
  Definition append_event (ev : event) query :=
    let held := at_key (key (snd ev)) (keys query) in
    let grown := Keyed (events_of held ++ [ev]) (published held) in
    Registered (query_type query) (since query) (replace_key (key (snd ev)) grown (keys query)).

  (* An event as it comes: its time, key, gap and value. *)
  Definition arriving := (Z * (Z * option Z * V))%type.
  Definition accept number (new : arriving) : event :=
    let '(t, (k, gap, v)) := new in (t, Details number k gap v).
  Definition is_late h (new : arriving) := negb (leb_instant (limit h) (At (fst new))).
  Definition sees query (t : Z) := negb (leb_instant (At t) (since query)).
  (* ingest: an event that is not late goes to each query that came before it *)
  Definition ingest (so_far : history * list arriving) (new : arriving) :=
    let (h, late) := so_far in
    let is_on_time := negb (is_late h new) in
    let queries := map (fun named : Z * registered =>
      let (name, query) := named in
      (name, if is_on_time && sees query (fst new) then append_event (accept (arrivals h) new) query
             else query)) (queries h) in
    (History (settings_of h) (watermark h) (finite_watermark h)
       (max_instant (latest_time h) (At (fst new))) (S (arrivals h)) queries,
     if is_on_time then late else late ++ [new]).

  Fixpoint find_window i (windows : list (window * nat)) :=
    match windows with
    | [] => None
    | known :: later => if equal i (fst (fst known)) then Some known else find_window i later
    end.
  (* revision, with the window *)
  Definition revised (before : list (window * nat)) (w : window) : window * nat :=
    (w, match find_window (fst w) before with
        | None => 0%nat
        | Some (old, number) =>
            if same_arrivals (snd old) (snd w) then number else S number
        end).
  (* republish: rule 10; every final window is complete, for its limit is behind the watermark *)
  Definition republish now query (held : keyed) :=
    let windows := windows_of (query_type query) (finite_watermark now) (events_of held) in
    let visible := filter (fun w =>
      negb (leb_instant (At (fst (fst w))) (since query)) && is_complete (watermark now) w)
      windows in
    let shown :=
      match output (settings_of now) with
      | Final => filter (fun w => leb_instant (At (snd (fst w))) (limit now)) visible
      | _ => visible
      end in
    Keyed (events_of held) (map (revised (published held)) shown).
  Definition publish now query :=
    Registered (query_type query) (since query)
      (map (fun pair : Z * keyed => (fst pair, republish now query (snd pair))) (keys query)).

  Inductive kind := Retracted | New | Updated.
  Record result := Result {
    of_query : Z; of_key : Z; of_interval : interval; of_content : list event; of_kind : kind;
    revision : nat }.
  Definition is_retracted r := match of_kind r with Retracted => true | _ => false end.

  Definition is_among (numbers : list nat) (ev : event) :=
    existsb (Nat.eqb (arrival (snd ev))) numbers.
  (* result_changes *)
  Definition changes output name k (old new : list (window * nat)) : list result :=
    let gone := filter (fun known : window * nat =>
      match find_window (fst (fst known)) new with None => true | _ => false end) old in
    let retractions :=
      match output with
      | AccumulateRetract =>
          map (fun known : window * nat =>
            Result name k (fst (fst known)) (snd (fst known)) Retracted (snd known)) gone
      | _ => []
      end in
    let replaced := flat_map (fun known : window * nat => arrivals_of (snd (fst known))) gone in
    retractions ++ flat_map (fun known : window * nat =>
      let (w, number) := known in
      let previous := find_window (fst w) old in
      let emitted :=
        match previous with Some (before, _) => arrivals_of (snd before) | None => replaced end in
      let pending := filter (fun ev => negb (is_among emitted ev)) (snd w) in
      let content := match output with Discard => pending | _ => snd w end in
      let is_changed :=
        match previous with
        | Some (before, _) => negb (same_arrivals (snd before) (snd w))
        | None => true
        end in
      if is_changed && negb (length content =? 0)%nat
      then [Result name k (fst w) content
              (match previous with Some _ => Updated | None => New end) number]
      else []) new.

  (* rule 11: retractions, then by end, start and query; else as they are *)
  Definition comes_before (position : Z -> nat) (r s : result) :=
    let '(a, b) := of_interval r in
    let '(c, d) := of_interval s in
    let p := position (of_query r) in
    let q := position (of_query s) in
    match is_retracted r, is_retracted s with
    | true, false => true
    | false, true => false
    | _, _ =>
        (b <? d) || ((b =? d) && ((a <? c) || ((a =? c) && (p <? q)%nat)))
    end.
  Fixpoint place_result position r (sorted : list result) :=
    match sorted with
    | [] => [r]
    | s :: later =>
        if comes_before position r s then r :: sorted else s :: place_result position r later
    end.
  Fixpoint position_in (names : list Z) name : nat :=
    match names with [] => 0 | other :: later =>
      if name =? other then 0%nat else S (position_in later name) end.
  Definition output_delta before after :=
    let names := map fst (queries after) in
    let results := flat_map (fun pair : (Z * registered) * (Z * registered) =>
      let '((_, old), (name, new)) := pair in
      flat_map (fun keyed_now : Z * keyed =>
        let (k, held) := keyed_now in
        changes (output (settings_of after)) name k (published (at_key k (keys old)))
          (published held)) (keys new)) (List.combine (queries before) (queries after)) in
    fold_left (fun sorted r => place_result (position_in names) r sorted) results [].

  (* rule 14: None if the stream was declared in order and is not *)
  Fixpoint is_in_order latest (news : list arriving) :=
    match news with
    | [] => true
    | new :: later => leb_instant latest (At (fst new)) && is_in_order (At (fst new)) later
    end.
  Definition step_of before (news : list arriving) (promised : instant)
      : option (history * (list result * list arriving)) :=
    if in_order (settings_of before) && negb (is_in_order (latest_time before) news) then None
    else
      let (ingested, late) := fold_left ingest news (before, []) in
      let own := if in_order (settings_of before) then latest_time ingested else Never in
      let next := max_instant (watermark before) (max_instant promised own) in
      let finite := match next with End => finite_watermark before | _ => next end in
      let now := History (settings_of before) next finite (latest_time ingested)
        (arrivals ingested) (queries ingested) in
      let after := with_queries now (map (fun named : Z * registered =>
        (fst named, publish now (snd named))) (queries now)) in
      Some (after, (output_delta before after, late)).
End Denotation.
