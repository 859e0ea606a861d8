//! Serial rounds against parallel ones, on the machine's monotonic clock. Compiling and copying are done before the clock
//! starts.

use crate::error::HostError;
use crate::host::{Host, blocking};
use crate::options::RunOptions;
use crate::prepared::Prepared;
use crate::run_id::RunName;
use crate::stage::Stage;
use sandfork_model::{RunRecord, RunStatus};
use sandfork_orchestrator::Interrupt;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// One round of each mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// One fork at a time, in milliseconds.
    pub serial_ms: f64,
    /// Forks side by side, in milliseconds.
    pub parallel_ms: f64,
}

/// What a bench found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bench {
    /// Every round, in order.
    pub rounds: Vec<Round>,
    /// The record of a run that did not complete: it ended the bench, and its round does not count.
    pub spoilt: Option<Box<RunRecord>>,
}

impl Bench {
    /// Median of the serial rounds in milliseconds; 0 without rounds.
    #[must_use]
    pub fn serial_median_ms(&self) -> f64 {
        median(self.rounds.iter().map(|round| round.serial_ms).collect())
    }

    /// Median of the parallel rounds in milliseconds; 0 without rounds.
    #[must_use]
    pub fn parallel_median_ms(&self) -> f64 {
        median(self.rounds.iter().map(|round| round.parallel_ms).collect())
    }

    /// How many times faster the parallel median is; 0 without rounds.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        let parallel = self.parallel_median_ms();
        if parallel > 0.0 { self.serial_median_ms() / parallel } else { 0.0 }
    }

    /// The figures as one document.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let rounds: Vec<Value> = self
            .rounds
            .iter()
            .map(|round| json!({ "serial_ms": round.serial_ms, "parallel_ms": round.parallel_ms }))
            .collect();
        json!({
            "schema": "sandfork.bench.v1",
            "serial_median_ms": self.serial_median_ms(),
            "parallel_median_ms": self.parallel_median_ms(),
            "speedup": self.speedup(),
            "rounds": rounds,
        })
    }
}

impl Host {
    /// Runs `rounds` rounds of each mode in turn, each on a fresh workspace.
    ///
    /// # Errors
    /// When nothing could run, or the host broke. A run that does not complete ends the bench and is in what is returned.
    pub async fn bench(&self, prepared: &Prepared, rounds: u16, interrupt: &Interrupt) -> Result<Bench, HostError> {
        let name = RunName::numbered(&format!("{}-bench", prepared.plan().name))
            .map_err(|error| crate::problem::usage(error.to_string()))?;
        let mut stage = self.stage(prepared, name, false).await?;
        prepared.ready().await;
        let mut bench = Bench::default();
        for _ in 0..rounds {
            let mut times = [0.0; 2];
            for (time, serial) in times.iter_mut().zip([true, false]) {
                stage = reset(stage, prepared).await?;
                let options = RunOptions { serial, interrupt: interrupt.clone(), ..RunOptions::default() };
                let started = Instant::now();
                let record = self.perform(prepared, &stage, options).await?;
                *time = started.elapsed().as_secs_f64() * 1e3;
                if record.is_interrupted || record.status != RunStatus::Completed {
                    bench.spoilt = Some(Box::new(record));
                    return Ok(bench);
                }
            }
            let [serial_ms, parallel_ms] = times;
            bench.rounds.push(Round { serial_ms, parallel_ms });
        }
        Ok(bench)
    }
}

async fn reset(mut stage: Stage, prepared: &Prepared) -> Result<Stage, HostError> {
    let plan = Arc::clone(prepared.plan());
    blocking("resetting the workspace", move || stage.reset(&plan).map(|()| stage)).await?
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    let at = |place: usize| times.get(place).copied().unwrap_or_default();
    if times.len() % 2 == 1 { at(middle) } else { f64::midpoint(at(middle.wrapping_sub(1)), at(middle)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "halves and whole numbers are exact")]
    fn a_median_is_the_middle_or_between_the_two_middle_ones() {
        for (times, wanted) in [(vec![], 0.0), (vec![3.0], 3.0), (vec![9.0, 1.0], 5.0), (vec![9.0, 1.0, 2.0], 2.0)] {
            assert_eq!(median(times), wanted);
        }
    }

    // M4-44
    #[test]
    fn the_figures_have_their_documented_names() {
        let rounds =
            vec![Round { serial_ms: 480.0, parallel_ms: 240.0 }, Round { serial_ms: 500.0, parallel_ms: 250.0 }];
        let document = Bench { rounds, spoilt: None }.to_json();
        assert_eq!(document["serial_median_ms"], json!(490.0));
        assert_eq!(document["parallel_median_ms"], json!(245.0));
        assert_eq!(document["speedup"], json!(2.0));
        assert_eq!(document["rounds"][1]["parallel_ms"], json!(250.0));
    }
}
