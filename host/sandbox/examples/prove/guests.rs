//! Guests that nobody wrote: bytes of a real component changed at random, and programs thrown together from what guests may do
//! and should not. Pure: the same dice give the same guests.

use std::fmt::Write as _;

/// A linear congruence: good enough to choose with, the same everywhere, and no dependency.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`; 0 where there are none.
    pub fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The high bits are the random ones.
        usize::try_from(self.0 >> 33).unwrap_or(0).checked_rem(sides).unwrap_or(0)
    }

    pub fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.throw(things.len())]
    }
}

/// The bytes with one to three changes: a byte replaced, a bit flipped, a stretch removed, doubled or overwritten.
pub fn mutated(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.throw(3) {
        let at = dice.throw(bytes.len());
        let end = (at + 1 + dice.throw(16)).min(bytes.len());
        match dice.throw(8) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let stretch = bytes[at..end].to_vec();
                bytes.splice(at..at, stretch);
            }
            2 => {
                let from = dice.throw(bytes.len().saturating_sub(end - at));
                let stretch = bytes[from..from + (end - at)].to_vec();
                bytes[at..end].copy_from_slice(&stretch);
            }
            3 | 4 => bytes[at] ^= 1 << dice.throw(8),
            _ => bytes[at] = u8::try_from(dice.throw(256)).unwrap_or(0),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// One thing a guest does. `$n` counts loops; every operation is free to trap.
fn operation(dice: &mut Dice) -> String {
    let page = dice.throw(1 << 17);
    let far = [0, 0x100, 0x1_fff0, 0x2_0000, 0x7fff_ffff, 0xffff_fff0_usize];
    let (at, size) = (*dice.one_of(&far), [0, 1, 7, 300, 70_000, 0x7fff_ffff][dice.throw(6)]);
    match dice.throw(12) {
        0 | 1 => format!("(call $note (i32.const 0x100) (i32.const {}))", dice.throw(300)),
        2 => format!("(call $note (i32.const {at}) (i32.const {size}))"),
        3 => "(call $tool (i32.const 0x106) (i32.const 6) (i32.const 0x10c) (i32.const 2) (i32.const 0x200))".into(),
        4 => format!(
            "(call $tool (i32.const {at}) (i32.const {size}) (i32.const 0x10c) (i32.const 2) (i32.const {page}))"
        ),
        5 => format!(
            "(call $spawn (i32.const 0x300) (i32.const {}) (i32.const 0x10c) (i32.const 2) (i32.const 0x400))",
            dice.throw(4)
        ),
        6 => format!("(drop (memory.grow (i32.const {})))", dice.throw(400)),
        7 => format!(
            "(memory.fill (i32.const {page}) (i32.const {}) (i32.const {}))",
            dice.throw(256),
            dice.throw(9_000)
        ),
        8 => {
            let turns = [10, 1_000, 100_000][dice.throw(3)];
            format!(
                "(local.set $n (i32.const {turns})) (loop $l (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))"
            )
        }
        9 => format!("(i32.store (i32.const {page}) (i32.const {size}))"),
        10 => format!("(call $deep (i32.const {}))", [3, 1_000, 10_000_000][dice.throw(3)]),
        _ => match dice.throw(6) {
            0 => "(unreachable)".into(),
            1 => "(drop (i32.div_u (i32.const 1) (local.get $zero)))".into(),
            2 => "(loop $for_ever (br $for_ever))".into(),
            3 => "(drop (i32.load (i32.const 0x7fffffff)))".into(),
            _ => "(nop)".into(),
        },
    }
}

/// What the host's writes are answered with: mostly room, now and then a trap, a loop, or an address beyond the memory.
fn realloc(dice: &mut Dice) -> &'static str {
    match dice.throw(12) {
        0 => "(unreachable)",
        1 => "(loop $l (br $l)) (unreachable)",
        2 => "(i32.const 0x7ffffff0)",
        3 => "(i32.const 0x10003)",
        _ => {
            "(local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
             (global.set $next (i32.add (local.get $at) (local.get $bytes)))
             (local.get $at)"
        }
    }
}

/// The text of a valid component of our world that does between one and twelve things and then returns something.
pub fn generated(dice: &mut Dice) -> String {
    let mut body = String::new();
    for _ in 0..=dice.throw(12) {
        let _ = writeln!(body, "      {}", operation(dice));
    }
    // The task back, one byte, nothing, a megabyte, or an address out of memory.
    let result = [
        "(local.get $task) (local.get $size)",
        "(i32.const 0x10c) (i32.const 2)",
        "(i32.const 0) (i32.const 0)",
        "(i32.const 0) (i32.const 0x180000)",
        "(i32.const 0x20000) (i32.const 1)",
    ];
    let result = dice.one_of(&result);
    let kind = [0, 0, 0, 1, 7][dice.throw(5)];
    SHELL
        .replace("@realloc", realloc(dice))
        .replace("@body", &body)
        .replace("@result", &format!("(call $answer (i32.const {kind}) {result})"))
}

const SHELL: &str = r#"(component
  (import "sandfork:agent/orchestrator@0.1.0" (instance $host
    (type $json' string)
    (export "json" (type $json (eq $json')))
    (type $error' (record (field "code" string) (field "message" string) (field "details" $json)))
    (export "error" (type $error (eq $error')))
    (type $request' (record (field "agent" string) (field "goal" string) (field "context" $json) (field "options" $json)))
    (export "request" (type $request (eq $request')))
    (type $outcome' (record
      (field "task-id" string) (field "agent" string) (field "status" string)
      (field "output" (option $json)) (field "error" (option $error)) (field "info" $json)))
    (export "outcome" (type $outcome (eq $outcome')))
    (export "note" (func (param "text" string)))
    (export "spawn" (func (param "requests" (list $request)) (param "options" $json) (result (list $outcome))))
    (export "tool" (func (param "name" string) (param "arguments" $json) (result (result $json (error $error)))))))
  (alias export $host "error" (type $error))
  (core module $memory
    (memory (export "memory") 2)
    (global $next (mut i32) (i32.const 0x10000))
    (func (export "realloc") (param i32 i32 i32) (param $bytes i32) (result i32) (local $at i32) @realloc))
  (core instance $mem (instantiate $memory))
  (core func $note (canon lower (func $host "note") (memory $mem "memory")))
  (core func $tool (canon lower (func $host "tool") (memory $mem "memory") (realloc (func $mem "realloc"))))
  (core func $spawn (canon lower (func $host "spawn") (memory $mem "memory") (realloc (func $mem "realloc"))))
  (core module $guest
    (import "mem" "memory" (memory 0))
    (import "host" "note" (func $note (param i32 i32)))
    (import "host" "tool" (func $tool (param i32 i32 i32 i32 i32)))
    (import "host" "spawn" (func $spawn (param i32 i32 i32 i32 i32)))
    (data (i32.const 0x100) "a notehammer{}childgoal[1]")
    (func $deep (param $left i32)
      (if (local.get $left) (then (call $deep (i32.sub (local.get $left) (i32.const 1))))))
    (func $answer (param $kind i32) (param $at i32) (param $size i32) (result i32)
      (i32.store8 (i32.const 0) (local.get $kind))
      (i32.store (i32.const 4) (local.get $at)) (i32.store (i32.const 8) (local.get $size))
      (i32.store (i32.const 12) (local.get $at)) (i32.store (i32.const 16) (local.get $size))
      (i32.store (i32.const 20) (local.get $at)) (i32.store (i32.const 24) (local.get $size))
      (i32.const 0))
    (func (export "run") (param $task i32) (param $size i32) (result i32) (local $n i32) (local $zero i32)
@body      @result))
  (core instance $i (instantiate $guest
    (with "mem" (instance $mem))
    (with "host" (instance (export "note" (func $note)) (export "tool" (func $tool)) (export "spawn" (func $spawn))))))
  (func (export "run") (param "task" string) (result (result string (error $error)))
    (canon lift (core func $i "run") (memory $mem "memory") (realloc (func $mem "realloc")))))
"#;
