(* Reads calls, one a line, and makes them on a model. After each call it appends what the model
   answers and holds, as numbers of 64 bits, to a buffer: `digest` prints the MD5 of the buffer and
   empties it, `show` prints what the last call has appended. *)

(* A letter is a line x -> slope * x + height modulo a prime, a word the composition of its lines;
   both are one number, slope * prime + height. Two words have the same number if they are the
   same word, and otherwise with a probability of about their length in 2 ** 31. *)
let prime = 0x7fffffff
let line slope height = (slope mod prime * prime) + (height mod prime)
let compose x y =
  line (x / prime * (y / prime)) ((x / prime * (y mod prime)) + (x mod prime))
let rec power base exponent =
  if exponent = 0 then 1
  else
    let half = power (base * base mod prime) (exponent / 2) in
    if exponent land 1 = 1 then half * base mod prime else half
(* the word that is left when the word x is taken off the front of the word y *)
let invert_first y x =
  let inverse = power (x / prime) (prime - 2) in
  line (inverse * (y / prime)) (inverse * ((y mod prime) + prime - (x mod prime) |> fun n -> n mod prime))
let monoid = { Monoid.identity = line 1 0; combine = compose }

let rec pairs = function
  | location :: value :: others -> (location, value) :: pairs others
  | _ -> []

exception Unknown of string list

(* A FIFO structure: its answer to a query, the combines of the call and of the query, its state. *)
let queue empty insert evict query state =
  let held = ref empty in
  fun call numbers ->
    let next, combines =
      match (call, numbers) with
      | "new", [] -> (empty, 0)
      | "insert", [ value ] -> insert value !held
      | "evict", [] -> evict !held
      | _ -> raise (Unknown [ call ])
    in
    held := next;
    let answer, query_combines = query next in
    answer :: combines :: query_combines :: state next

let flatfat =
  let height = ref 0 and tree = ref [] in
  fun call numbers ->
    let m = monoid and h = !height in
    match (call, numbers) with
    | "new", levels :: values ->
        height := levels;
        tree := FlatFat.coq_new m values;
        !tree
    | "update", numbers ->
        let writes = pairs numbers in
        tree := FlatFat.update m h writes !tree;
        Stdlib.List.length (FlatFat.touched h writes) :: !tree
    | "prefix", [ last ] -> let total, n = FlatFat.prefix m h last !tree in [ total; n ]
    | "suffix", [ first ] -> let total, n = FlatFat.suffix m h first !tree in [ total; n ]
    | "range", [ first; last ] ->
        [ FlatFat.range m h first last !tree; Stdlib.List.length (FlatFat.cover h first last) ]
    | _ -> raise (Unknown [ call ])

let fiba state =
  let min_arity = ref 2 and held = ref (FibaTree.coq_new monoid) in
  fun call numbers ->
    let m = monoid in
    let change next =
      held := next;
      FibaTree.query m next :: state next
    in
    match (call, numbers) with
    | "new", [ arity ] ->
        min_arity := arity;
        change (FibaTree.coq_new m)
    | "insert", [ time; value ] -> change (FibaInsertHit.insert_by_hit m !min_arity time value !held)
    | "evict", [ time ] -> change (FibaEvictHit.evict_by_hit m !min_arity time !held)
    | "bulk-evict", [ time ] -> change (FibaBulkEvict.bulk_evict m !min_arity time !held)
    | "bulk-insert", batch -> change (FibaBulkInsert.bulk_insert m !min_arity (pairs batch) !held)
    | "range", [ first; last ] -> [ FibaRange.query_range m first last !held ]
    | _ -> raise (Unknown [ call ])

let reactive =
  let least = ref 0 and held = ref (Reactive.coq_new monoid 0) in
  fun call numbers ->
    let m = monoid in
    held :=
      (match (call, numbers) with
      | "new", [ height ] ->
          least := height;
          Reactive.coq_new m height
      | "insert", [ time; value ] -> Reactive.insert m time value !held
      | "bulk-insert", batch -> Reactive.bulk_insert m (pairs batch) !held
      | "evict", [ time ] -> Reactive.evict m !least time !held
      | "bulk-evict", [ time ] -> Reactive.bulk_evict m !least time !held
      | _ -> raise (Unknown [ call ]));
    Reactive.query m !held :: Extract.reactive_state m.Monoid.identity !held

let structures =
  [ ( "two-stacks",
      queue TwoStacks.empty (TwoStacks.insert monoid) (TwoStacks.evict monoid)
        (TwoStacks.query monoid) Extract.two_stacks_state );
    ( "two-stacks-lite",
      queue (TwoStacksLite.empty monoid) (TwoStacksLite.insert monoid)
        (TwoStacksLite.evict monoid) (TwoStacksLite.query monoid) Extract.two_stacks_lite_state );
    ( "subtract-on-evict",
      queue (SubtractOnEvict.empty monoid) (SubtractOnEvict.insert monoid)
        (SubtractOnEvict.evict invert_first) SubtractOnEvict.query Extract.subtract_on_evict_state );
    ( "daba",
      queue Daba.empty (Daba.insert monoid) (Daba.evict monoid) (Daba.query monoid)
        Extract.daba_state );
    ( "daba-lite",
      queue (DabaLite.empty monoid) (DabaLite.insert monoid) (DabaLite.evict monoid)
        (DabaLite.query monoid) Extract.daba_lite_state );
    ("flatfat", flatfat);
    ("reactive", reactive);
    ("fiba", fiba Extract.fiba_state);
    ("fiba-items", fiba Extract.fiba_items) ]

let buffer = Buffer.create 65536
let last = ref []
let append numbers =
  last := numbers;
  Stdlib.List.iter (fun number -> Buffer.add_int64_le buffer (Int64.of_int number)) numbers
let reply line =
  print_endline line (* which flushes, or both sides would wait for ever *)

let take line =
  match String.split_on_char ' ' line with
  | [ "digest" ] ->
      reply (Digest.to_hex (Digest.string (Buffer.contents buffer)));
      Buffer.clear buffer
  | [ "show" ] -> reply (String.concat " " (Stdlib.List.map string_of_int !last))
  | "slicing" :: call -> append (Operators.slicing_call call)
  | "operator" :: call -> Option.iter reply (Operators.take call)
  | structure :: call :: numbers -> (
      match Stdlib.List.assoc_opt structure structures with
      | Some run -> append (run call (Stdlib.List.map int_of_string numbers))
      | None -> raise (Unknown [ structure ]))
  | words -> raise (Unknown words)

let () =
  try
    while true do
      take (input_line stdin)
    done
  with End_of_file -> ()
