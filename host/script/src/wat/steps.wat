  ;; ---- Conditions ----

  ;; A number that a reference names; anything else ends the run and reads as `0`.
  (func (export "look_number") (param $slot i32) (param $path i32) (result i32)
    (local $p i32)
    (local.set $p (call $look (local.get $slot) (local.get $path)))
    (if (call $numeric (i32.load8_u (local.get $p))) (then (return (local.get $p))))
    (call $wrong (local.get $path) @"a number")
    (call $start @"0"))

  ;; A list that a reference names; anything else ends the run and reads as `[]`.
  (func (export "look_list") (param $slot i32) (param $path i32) (result i32)
    (local $p i32)
    (local.set $p (call $look (local.get $slot) (local.get $path)))
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 91)) (then (return (local.get $p))))
    (call $wrong (local.get $path) @"a list")
    (call $start @"[]"))

  ;; The truth of a reference; anything but true and false ends the run.
  (func $flag (export "flag") (param $slot i32) (param $path i32) (result i32)
    (local $c i32)
    (local.set $c (i32.load8_u (call $look (local.get $slot) (local.get $path))))
    (if (i32.eq (local.get $c) (i32.const 116)) (then (return (i32.const 1))))
    (if (i32.ne (local.get $c) (i32.const 102)) (then (call $wrong (local.get $path) @"true or false")))
    (i32.const 0))

  ;; Whether what a name stands for went well: an answer by its kind, outcomes all of them, a value by its `ok`, which is
  ;; where $path leads.
  (func (export "went_well") (param $slot i32) (param $path i32) (result i32)
    (local $kind i32) (local $p i32) (local $end i32) (local $ok i32)
    (local.set $kind (i32.load (local.get $slot)))
    (if (i32.eq (local.get $kind) (i32.const 1)) (then
      (return (call $flag (local.get $slot) (local.get $path)))))
    (if (i32.ne (local.get $kind) (i32.const 4)) (then
      (return (i32.eq (local.get $kind) (i32.const 2)))))
    (local.set $p (i32.load offset=4 (local.get $slot)))
    (local.set $end (i32.add (local.get $p) (i32.load offset=8 (local.get $slot))))
    (local.set $p (call $enter (local.get $p) (local.get $end)))
    (loop $next
      (if (local.get $p) (then
        (local.set $ok (call $member (local.get $p) (local.get $end) @"ok"))
        (if (i32.ne (call $peek (local.get $ok) (local.get $end)) (i32.const 116)) (then (return (i32.const 0))))
        (local.set $p (call $next (local.get $p) (local.get $end)))
        (br $next))))
    (i32.const 1))

  ;; Whether the error code where $path leads is the JSON string $code. $bare: the path starts at the name itself, where an
  ;; ok answer has no error, whatever its result may call `error`.
  (func (export "failed_with") (param $slot i32) (param $path i32) (param $bare i32) (param $code i32) (param $code_end i32)
      (result i32)
    (local $p i32)
    (if (i32.and (local.get $bare) (i32.eq (i32.load (local.get $slot)) (i32.const 2))) (then (return (i32.const 0))))
    (local.set $p (call $resolve (local.get $slot) (local.get $path)))
    (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
    (call $equal (local.get $p) (global.get $end) (local.get $code) (local.get $code_end) (i32.const 0)))

  ;; Before a condition.
  (func (export "ask") (global.set $asked (global.get $top)))

  ;; After a condition: what it built is gone. 0, or the result of a run that cannot go on.
  (func (export "settle") (result i32)
    (if (global.get $failed) (then (return (i32.const @RESULT))))
    (global.set $top (global.get $asked))
    (i32.const 0))

  ;; ---- Steps. Each answers 0 to go on, or the address of the result that ends the run. ----

  (func (export "begin") (global.set $mark (global.get $top)))

  ;; The task, as the slot of the name `task`.
  (func (export "task") (param $p i32) (param $len i32) (param $slot i32)
    (global.set $mark (local.get $p))
    (call $bind (local.get $slot) (i32.const 1) (local.get $p) (i32.add (local.get $p) (local.get $len))))

  ;; Moves a JSON text down to the mark and lets the slot stand for it; with no slot it is forgotten.
  (func $keep (param $slot i32) (param $kind i32) (param $p i32) (param $end i32)
    (if (i32.eqz (local.get $slot)) (then
      (global.set $top (global.get $mark))
      (return)))
    (call $bind (local.get $slot) (local.get $kind) (local.get $p) (local.get $end)))

  ;; The text is JSON by the host's word; it is not walked here. What is not will trap where it is looked at.
  (func $bind (param $slot i32) (param $kind i32) (param $p i32) (param $end i32)
    (local.set $p (call $space (local.get $p) (local.get $end)))
    (local.set $end (i32.sub (call $trim (local.get $p) (local.get $end)) (local.get $p)))
    (memory.copy (global.get $mark) (local.get $p) (local.get $end))
    (i32.store (local.get $slot) (local.get $kind))
    (call $pair (i32.add (local.get $slot) (i32.const 4)) (global.get $mark) (local.get $end))
    (global.set $top (i32.add (global.get $mark) (local.get $end))))

  ;; The end of a text without the white space there; a text of nothing else traps.
  (func $trim (param $p i32) (param $end i32) (result i32)
    (loop $next
      (drop (call $peek (local.get $p) (local.get $end)))
      (if (i32.le_u (i32.load8_u (i32.sub (local.get $end) (i32.const 1))) (i32.const 32)) (then
        (local.set $end (i32.sub (local.get $end) (i32.const 1)))
        (br $next))))
    (local.get $end))

  ;; Begins a model call's arguments.
  (func $begin_turn (export "turn")
    (global.set $mark (global.get $top))
    (global.set $turn (i32.add (global.get $turn) (i32.const 1)))
    (call $text @"{\"provider\":\"scripted\",\"turn\":")
    (call $number (global.get $turn)))

  ;; Calls the model; its error ends the run as it is.
  (func $model (export "model") (result i32)
    (if (global.get $failed) (then (return (i32.const @RESULT))))
    (call $host_tool @"model"
      (global.get $mark) (i32.sub (global.get $top) (global.get $mark)) (i32.const @ANSWER))
    (if (i32.load8_u (i32.const @ANSWER)) (then
      (memory.copy (i32.const @RESULT) (i32.const @ANSWER) (i32.const 28))
      (return (i32.const @RESULT))))
    (global.set $top (global.get $mark))
    (i32.const 0))

  ;; The model call after the last turn. The host's provider answers it with an error; should it not, the run still ends.
  (func (export "exhausted") (result i32)
    (call $begin_turn)
    (call $text @",\"exhausted\":true}")
    (if (i32.eqz (call $model)) (then
      (i32.store8 (i32.const @RESULT) (i32.const 1))
      (call $pair (i32.const @RESULT_CODE) @"replies_exhausted")
      (call $pair (i32.const @RESULT_MESSAGE) @"script replies exhausted")
      (call $pair (i32.const @RESULT_DETAILS) @"{}")))
    (i32.const @RESULT))

  ;; Calls a tool with what was built since `begin`.
  (func (export "tool") (param $name i32) (param $len i32) (param $slot i32) (result i32)
    (local $p i32)
    (if (global.get $failed) (then (return (i32.const @RESULT))))
    (call $host_tool (local.get $name) (local.get $len)
      (global.get $mark) (i32.sub (global.get $top) (global.get $mark)) (i32.const @ANSWER))
    (if (i32.load8_u (i32.const @ANSWER))
      (then
        (local.set $p (global.get $top))
        (call $text @"{\"ok\":false,\"error\":")
        (call $error (i32.const @ANSWER_PAYLOAD))
        (call $byte (i32.const 125))
        (call $keep (local.get $slot) (i32.const 3) (local.get $p) (global.get $top)))
      (else
        (local.set $p (i32.load (i32.const @ANSWER_PAYLOAD)))
        (call $keep (local.get $slot) (i32.const 2) (local.get $p)
          (i32.add (local.get $p) (i32.load offset=4 (i32.const @ANSWER_PAYLOAD))))))
    (i32.const 0))

  ;; A record of three texts as `{"code":…,"message":…,"details":…}`.
  (func $error (param $at i32)
    (call $text @"{\"code\":")
    (call $quoted (local.get $at))
    (call $text @",\"message\":")
    (call $quoted (i32.add (local.get $at) (i32.const 8)))
    (call $text @",\"details\":")
    (call $json_field (i32.add (local.get $at) (i32.const 16)))
    (call $byte (i32.const 125)))

  ;; A field of plain text as a JSON string.
  (func $quoted (param $at i32)
    (local $p i32)
    (local.set $p (i32.load (local.get $at)))
    (call $byte (i32.const 34))
    (call $encode (local.get $p) (i32.add (local.get $p) (i32.load offset=4 (local.get $at))))
    (call $byte (i32.const 34)))

  ;; A field of JSON text.
  (func $json_field (param $at i32)
    (local $p i32)
    (local.set $p (i32.load (local.get $at)))
    ;; Nothing would leave a hole in the text around it.
    (if (i32.eqz (i32.load offset=4 (local.get $at))) (then unreachable))
    (call $text (local.get $p) (i32.load offset=4 (local.get $at))))

  (func (export "note") (result i32)
    (if (global.get $failed) (then (return (i32.const @RESULT))))
    (call $host_note (global.get $mark) (i32.sub (global.get $top) (global.get $mark)))
    (global.set $top (global.get $mark))
    (i32.const 0))

  ;; Begins a record of so many bytes of texts (eight each); the texts follow, each ended by `field`.
  (func (export "fields") (param $bytes i32)
    (global.set $mark (global.get $top))
    (global.set $field (i32.and (i32.add (global.get $top) (i32.const 3)) (i32.const -4)))
    (call $room (i32.add (local.get $bytes) (i32.const 4)))
    (global.set $top (i32.add (global.get $field) (local.get $bytes)))
    (global.set $from (global.get $top)))

  (func (export "field")
    (call $pair (global.get $field) (global.get $from) (i32.sub (global.get $top) (global.get $from)))
    (global.set $field (i32.add (global.get $field) (i32.const 8)))
    (global.set $from (global.get $top)))

  ;; Spawns $count requests of four fields each; one more field has the options.
  (func (export "spawn") (param $count i32) (param $slot i32) (result i32)
    (local $p i32) (local $start i32)
    (if (global.get $failed) (then (return (i32.const @RESULT))))
    (local.set $p (i32.sub (global.get $field) (i32.add (i32.mul (local.get $count) (i32.const 32)) (i32.const 8))))
    (call $host_spawn (local.get $p) (local.get $count)
      (i32.load (i32.sub (global.get $field) (i32.const 8)))
      (i32.load (i32.sub (global.get $field) (i32.const 4)))
      (i32.const @ANSWER))
    (local.set $p (i32.load (i32.const @ANSWER)))
    (local.set $count (i32.load offset=4 (i32.const @ANSWER)))
    (local.set $start (global.get $top))
    (call $byte (i32.const 91))
    (loop $next
      (if (local.get $count) (then
        (call $outcome (local.get $p))
        (local.set $p (i32.add (local.get $p) (i32.const 72)))
        (if (local.tee $count (i32.sub (local.get $count) (i32.const 1))) (then
          (call $byte (i32.const 44))
          (br $next))))))
    (call $byte (i32.const 93))
    (call $keep (local.get $slot) (i32.const 4) (local.get $start) (global.get $top))
    (i32.const 0))

  ;; An outcome record (72 bytes, as wit/agent.wit lays it out) as a JSON map. All keys are always there.
  (func $outcome (param $at i32)
    (call $text @"{\"task_id\":")
    (call $quoted (local.get $at))
    (call $text @",\"agent\":")
    (call $quoted (i32.add (local.get $at) (i32.const 8)))
    (call $text @",\"status\":")
    (call $quoted (i32.add (local.get $at) (i32.const 16)))
    (call $text @",\"ok\":")
    (if (call $same (i32.load offset=16 (local.get $at)) (i32.load offset=20 (local.get $at)) @"ok")
      (then (call $text @"true"))
      (else (call $text @"false")))
    (call $text @",\"output\":")
    (if (i32.load8_u offset=24 (local.get $at))
      (then (call $json_field (i32.add (local.get $at) (i32.const 28))))
      (else (call $text @"null")))
    (call $text @",\"error\":")
    (if (i32.load8_u offset=36 (local.get $at))
      (then (call $error (i32.add (local.get $at) (i32.const 40))))
      (else (call $text @"null")))
    (call $text @",\"info\":")
    (call $json_field (i32.add (local.get $at) (i32.const 64)))
    (call $byte (i32.const 125)))

  ;; Ends the run with what was built since `begin`.
  (func (export "return") (result i32)
    (if (i32.eqz (global.get $failed)) (then
      (i32.store8 (i32.const @RESULT) (i32.const 0))
      (call $pair (i32.const @RESULT_CODE) (global.get $mark) (i32.sub (global.get $top) (global.get $mark)))))
    (i32.const @RESULT))

  ;; Ends the run with an error: three fields.
  (func (export "fail") (result i32)
    (if (i32.eqz (global.get $failed)) (then
      (i32.store8 (i32.const @RESULT) (i32.const 1))
      (memory.copy (i32.const @RESULT_CODE) (i32.sub (global.get $field) (i32.const 24)) (i32.const 24))))
    (i32.const @RESULT))

  ;; ---- Loops ----

  ;; Lets the slot stand for the next item of a list: $at is the list's own address at first, then what this answered, until
  ;; that is 0.
  (func (export "item") (param $at i32) (param $end i32) (param $slot i32) (result i32)
    (local $c i32)
    (local.set $at (call $space (local.get $at) (local.get $end)))
    (local.set $c (call $peek (local.get $at) (local.get $end)))
    (local.set $at (call $space (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
    (if (i32.ne (local.get $c) (i32.const 44)) (then
      ;; `[`, or the end: an empty list ends at once.
      (if (i32.ne (local.get $c) (i32.const 91)) (then (return (i32.const 0))))
      (if (i32.eq (call $peek (local.get $at) (local.get $end)) (i32.const 93)) (then (return (i32.const 0))))))
    (local.set $c (call $skip (local.get $at) (local.get $end)))
    (i32.store (local.get $slot) (i32.const 1))
    (call $pair (i32.add (local.get $slot) (i32.const 4)) (local.get $at) (i32.sub (local.get $c) (local.get $at)))
    (local.get $c))

  ;; Lets the slot stand for a number.
  (func (export "index") (param $n i32) (param $slot i32)
    (local $start i32)
    (local.set $start (global.get $top))
    (call $number (local.get $n))
    (i32.store (local.get $slot) (i32.const 1))
    (call $pair
      (i32.add (local.get $slot) (i32.const 4)) (local.get $start) (i32.sub (global.get $top) (local.get $start))))

  ;; The slot stands for nothing.
  (func (export "clear") (param $slot i32)
    (i32.store (local.get $slot) (i32.const 0))
    (call $pair (i32.add (local.get $slot) (i32.const 4)) (i32.const 0) (i32.const 0)))

  ;; After a round of a loop: of what lies above $to only the texts of slots are kept, moved together, lowest first. No two
  ;; slots share bytes there: items lie in lists below, and a loop clears its own before it ends.
  (func (export "sweep") (param $to i32) (param $slots i32) (param $slots_end i32)
    (local $from i32) (local $slot i32) (local $p i32) (local $best i32) (local $least i32)
    (local.set $from (local.get $to))
    (loop $again
      (local.set $least (i32.const -1))
      (local.set $slot (local.get $slots))
      (loop $next
        (if (i32.lt_u (local.get $slot) (local.get $slots_end)) (then
          (local.set $p (i32.load offset=4 (local.get $slot)))
          (if (i32.and
                (i32.ge_u (local.get $p) (local.get $from))
                (i32.lt_u (local.get $p) (local.get $least)))
            (then
              (local.set $least (local.get $p))
              (local.set $best (local.get $slot))))
          (local.set $slot (i32.add (local.get $slot) (i32.const 12)))
          (br $next))))
      (if (i32.ne (local.get $least) (i32.const -1)) (then
        (memory.copy (local.get $to) (local.get $least) (i32.load offset=8 (local.get $best)))
        (i32.store offset=4 (local.get $best) (local.get $to))
        (local.set $to (i32.add (local.get $to) (i32.load offset=8 (local.get $best))))
        (local.set $from (i32.add (local.get $least) (i32.const 1)))
        (br $again))))
    (global.set $top (local.get $to)))
)
