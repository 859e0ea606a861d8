;; What every script shares, in five parts that are one module: this head, json, build, compare, steps. Functions that are
;; exported are the ones a script's own code may call; the export names disappear when the script is put in.
;;
;; A text here is a pair of addresses: its first byte and the one past its last. A slot is twelve bytes: kind, address and
;; length of the JSON text of what a name stands for. Kinds: 0 nothing, 1 a value, 2 a tool's answer, 3 a tool's error,
;; 4 the outcomes of a spawn. `@"..."` is the address and the length of a constant, `@ANSWER` and the like are addresses;
;; both are put in before assembling.
(module
  (import "memory" "memory" (memory 1))
  (import "memory" "top" (global $top (mut i32)))
  (import "memory" "reserve" (func $reserve (param i32)))
  (import "host" "note" (func $host_note (param i32 i32)))
  (import "host" "spawn" (func $host_spawn (param i32 i32 i32 i32 i32)))
  (import "host" "tool" (func $host_tool (param i32 i32 i32 i32 i32)))

  ;; End of the text that the last look-up found.
  (global $end (export "end") (mut i32) (i32.const 0))
  ;; Where the arguments of the step at hand begin: its answer is moved down to here.
  (global $mark (mut i32) (i32.const 0))
  ;; Where `top` was when the condition at hand began.
  (global $asked (mut i32) (i32.const 0))
  ;; The next field of the record being filled, and where that field's text began.
  (global $field (mut i32) (i32.const 0))
  (global $from (mut i32) (i32.const 0))
  ;; Model calls so far.
  (global $turn (mut i32) (i32.const 0))
  ;; 1 once something made the run impossible; the error stands in RESULT, the first one counts.
  (global $failed (mut i32) (i32.const 0))
