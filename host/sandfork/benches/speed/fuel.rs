//! What metering costs code that computes: three loops with fuel on and off, compiled as language guests are.

use crate::bare::Bare;
use crate::sample::median;
use crate::table::{Row, Target};
use anyhow::Result;
use sandfork_sandbox::settings;

const ROUNDS: usize = 11;

/// A core function `work` that computes for some ten milliseconds, in a component of our shape.
fn component(work: &str) -> Result<Vec<u8>> {
    let text = format!(
        r#"(component
  (core module $guest
    (memory (export "memory") 2)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0x10000))
    {work}
    (func (export "run") (param i32 i32) (result i32)
      (drop (call $work))
      (i32.store8 (i32.const 0) (i32.const 0))
      (i32.store (i32.const 4) (i32.const 0))
      (i32.store (i32.const 8) (i32.const 0))
      (i32.const 0)))
  (core instance $i (instantiate $guest))
  (type $fields (record (field "code" string) (field "message" string) (field "details" string)))
  (export $error "error" (type $fields))
  (func (export "run") (param "task" string) (result (result string (error $error)))
    (canon lift (core func $i "run") (memory $i "memory") (realloc (func $i "realloc")))))"#
    );
    Ok(wat::parse_str(text)?)
}

/// A chain of dependent additions and multiplications.
const ARITHMETIC: &str = "(func $work (result i64) (local $n i32) (local $x i64)
  (local.set $n (i32.const 20000000))
  (loop $l
    (local.set $x (i64.add (i64.mul (local.get $x) (i64.const 6364136223846793005)) (i64.const 1442695040888963407)))
    (local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 29))))
    (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (local.get $x))";
/// Reads and writes over 64 KiB, over and over.
const MEMORY: &str = "(func $work (result i64) (local $n i32) (local $at i32) (local $x i64)
  (local.set $n (i32.const 3000))
  (loop $pass
    (local.set $at (i32.const 0x8000))
    (loop $l
      (local.set $x (i64.add (local.get $x) (i64.load (local.get $at))))
      (i64.store (local.get $at) (local.get $x))
      (br_if $l (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const 0x18000))))
    (br_if $pass (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (local.get $x))";
/// Nothing but small calls.
const CALLS: &str = "(func $fib (param $n i64) (result i64)
    (if (result i64) (i64.lt_u (local.get $n) (i64.const 2))
      (then (local.get $n))
      (else (i64.add (call $fib (i64.sub (local.get $n) (i64.const 1)))
                     (call $fib (i64.sub (local.get $n) (i64.const 2)))))))
  (func $work (result i64) (call $fib (i64.const 31)))";

/// Each loop with fuel against without.
pub(crate) fn costs() -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut rows = Vec::new();
    for (what, work) in [("arithmetic", ARITHMETIC), ("memory", MEMORY), ("calls", CALLS)] {
        let component = component(work)?;
        let mut unmetered = settings::for_guests(2);
        unmetered.consume_fuel(false);
        let with = Bare::new(&settings::for_guests(2), &component, true)?;
        let without = Bare::new(&unmetered, &component, false)?;
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let metered = runtime.block_on(with.time(1, "{}"))?.as_secs_f64();
            let free = runtime.block_on(without.time(1, "{}"))?.as_secs_f64();
            ratios.push(metered / free);
        }
        rows.push(Row::new(format!("{what} loop, fuel on against off"), median(ratios), 2, "×", Target::None));
    }
    Ok(rows)
}
