(* The denotation as an operator: queries and steps, one a line. A value is a number. *)
open Denotation

exception Unknown of string list

let operators : (string, int history) Hashtbl.t = Hashtbl.create 64
let stepped : (string, int history) Hashtbl.t = Hashtbl.create 64

let instant = function "none" -> Never | "end" -> End | text -> At (int_of_string text)
let mode = function
  | "accumulate-retract" -> AccumulateRetract
  | "accumulate" -> Accumulate
  | "discard" -> Discard
  | "final" -> Final
  | text -> raise (Unknown [ text ])

let rec intervals = function
  | first :: last :: others -> (first, last) :: intervals others
  | _ -> []
let window_type name numbers =
  match (name, numbers) with
  | "sliding", [ size; slide; offset ] -> Sliding (size, slide, offset)
  | "landmark", [ start; every ] -> Landmark (start, every)
  | "cumulate", [ size; step; offset ] -> Cumulate (size, step, offset)
  | "band", [ first; last ] -> Known [ (first, last) ]
  | "session", [ gap ] -> Session gap
  | _ -> raise (Unknown [ name ])

let rec events = function
  | time :: key :: gap :: value :: others ->
      let gap = if gap = "-" then None else Some (int_of_string gap) in
      (int_of_string time, ((int_of_string key, gap), int_of_string value)) :: events others
  | _ -> []

let words = Stdlib.List.map string_of_int
let kind = function Retracted -> "retracted" | New -> "new" | Updated -> "updated"
let result r =
  let first, last = r.of_interval in
  let content = Stdlib.List.map (fun (_, details) -> details.value) r.of_content in
  String.concat " "
    (words [ r.of_query; r.of_key; first; last; r.revision ] @ (kind r.of_kind :: words content))

(* The reply to a call, if it has one. A step has no effect before it is committed. *)
let take = function
  | [ "new"; id; lateness; output; in_order ] ->
      let settings =
        { allowed_lateness = int_of_string lateness; output = mode output;
          in_order = in_order = "1" }
      in
      Hashtbl.replace operators id (empty settings);
      None
  | "add" :: id :: name :: kind :: numbers ->
      let window = window_type kind (Stdlib.List.map int_of_string numbers) in
      Hashtbl.replace operators id
        (add_query (Hashtbl.find operators id) (int_of_string name) window);
      None
  | [ "remove"; id; name ] ->
      Hashtbl.replace operators id (remove_query (Hashtbl.find operators id) (int_of_string name));
      None
  | "step" :: id :: watermark :: numbers -> (
      match step_of (Hashtbl.find operators id) (events numbers) (instant watermark) with
      | None -> Some "not in order"
      | Some (after, (results, late)) ->
          Hashtbl.replace stepped id after;
          let late = Stdlib.List.map (fun (_, (_, value)) -> value) late in
          let lines = Stdlib.List.map result results in
          Some (String.concat ";" lines ^ "|" ^ String.concat " " (words late)))
  | [ "commit"; id ] ->
      Hashtbl.replace operators id (Hashtbl.find stepped id);
      None
  | [ "drop"; id ] ->
      Hashtbl.remove operators id;
      Hashtbl.remove stepped id;
      None
  | words -> raise (Unknown words)

(* The slicing operator, with one query of known windows and one key: what it emits and keeps. *)
let name, key, before = (0, 0, -1_000_000)
let slack = 1 (* of windows [a, b): by event, the code keeps what may matter to [a, b] *)
let slicing = ref None
let sized numbers items =
  Stdlib.List.length items :: Stdlib.List.concat_map numbers items
let letters tuples = sized (fun (_, details) -> [ details.value ]) tuples
let result_numbers r =
  let first, last = r.of_interval in
  let kind = match r.of_kind with Retracted -> 0 | New -> 1 | Updated -> 2 in
  [ first; last; kind; r.revision ] @ letters r.of_content

let slicing_call = function
  | "new" :: lateness :: output :: in_order :: numbers ->
      let settings =
        { allowed_lateness = int_of_string lateness; output = mode output;
          in_order = in_order = "1" }
      in
      let windows = intervals (Stdlib.List.map int_of_string numbers) in
      let edges = Stdlib.List.concat_map (fun (first, last) -> [ first; last ]) windows in
      slicing := Some (settings, edges, windows, SlicingOperator.new_operator);
      []
  | "step" :: watermark :: numbers -> (
      let settings, edges, windows, held = Option.get !slicing in
      let events =
        Stdlib.List.map
          (fun (time, value) -> (time, ((key, None), value)))
          (intervals (Stdlib.List.map int_of_string numbers))
      in
      match
        SlicingOperator.operator_step edges before windows settings name key slack held events
          (instant watermark)
      with
      | None -> [ -1 ]
      | Some (next, (results, late)) ->
          slicing := Some (settings, edges, windows, next);
          sized result_numbers results
          @ sized (fun (_, (_, value)) -> [ value ]) late
          @ sized (fun (_, tuples) -> letters tuples) next.SlicingOperator.slices)
  | words -> raise (Unknown words)
