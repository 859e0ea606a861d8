;; The component around every script: the type of wit/agent.wit, with two core modules inside. Knows nothing of scripts;
;; both modules are stand-ins here, replaced by the ones made for a script. A test holds its type against wit/agent.wit.
;;
;; Memory and allocator are a module of their own so that the host's functions can be lowered onto them before the script
;; is instantiated: neither a table nor a module of stubs is needed.
(component
  (type $Orchestrator (instance
    (type $j string)
    (export "json" (type $json (eq $j)))
    (type $e (record (field "code" string) (field "message" string) (field "details" $json)))
    (export "error" (type $error (eq $e)))
    (type $r (record (field "agent" string) (field "goal" string) (field "context" $json) (field "options" $json)))
    (export "request" (type $request (eq $r)))
    (type $maybe_json (option $json))
    (type $maybe_error (option $error))
    (type $o (record (field "task-id" string) (field "agent" string) (field "status" string)
                     (field "output" $maybe_json) (field "error" $maybe_error) (field "info" $json)))
    (export "outcome" (type $outcome (eq $o)))
    (type $note (func (param "text" string)))
    (export "note" (func (type $note)))
    (type $requests (list $request))
    (type $outcomes (list $outcome))
    (type $spawn (func (param "requests" $requests) (param "options" $json) (result $outcomes)))
    (export "spawn" (func (type $spawn)))
    (type $answer (result $json (error $error)))
    (type $tool (func (param "name" string) (param "arguments" $json) (result $answer)))
    (export "tool" (func (type $tool)))))
  (import "sandfork:agent/orchestrator@0.1.0" (instance $orchestrator (type $Orchestrator)))
  (alias export $orchestrator "json" (type $its_json))
  (import "json" (type $json (eq $its_json)))
  (alias export $orchestrator "error" (type $its_error))
  (import "error" (type $error (eq $its_error)))

  (core module $memory
    (memory (export "memory") 1)
    (global (export "top") (mut i32) (i32.const 0))
    (func (export "reserve") (param i32))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0)))
  (core instance $memory (instantiate $memory))
  (alias core export $memory "memory" (core memory $bytes))
  (alias core export $memory "cabi_realloc" (core func $realloc))
  (core func $note (canon lower (func $orchestrator "note") (memory $bytes)))
  (core func $spawn (canon lower (func $orchestrator "spawn") (memory $bytes) (realloc $realloc)))
  (core func $tool (canon lower (func $orchestrator "tool") (memory $bytes) (realloc $realloc)))
  (core instance $host
    (export "note" (func $note))
    (export "spawn" (func $spawn))
    (export "tool" (func $tool)))

  (core module $script
    (import "memory" "memory" (memory 1))
    (import "memory" "top" (global (mut i32)))
    (import "memory" "reserve" (func (param i32)))
    (import "host" "note" (func (param i32 i32)))
    (import "host" "spawn" (func (param i32 i32 i32 i32 i32)))
    (import "host" "tool" (func (param i32 i32 i32 i32 i32)))
    (func (export "run") (param i32 i32) (result i32) (i32.const 0)))
  (core instance $script (instantiate $script
    (with "memory" (instance $memory))
    (with "host" (instance $host))))
  (alias core export $script "run" (core func $run))
  (type $result (result $json (error $error)))
  (type $Run (func (param "task" $json) (result $result)))
  (func $lifted (type $Run) (canon lift (core func $run) (memory $bytes) (realloc $realloc)))
  (export "run" (func $lifted)))
