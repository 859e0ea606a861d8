//! What two reports say about a split (GV-57). Three rules with their thresholds; each says what it saw.

use super::rows::of_outcomes;
use serde_json::Value;

/// From this many times the tokens on a bill is out of proportion, unless something was gained.
const DEAR: f64 = 3.0;
/// A gain in quality, in parts per thousand, that is more than little; and a loss.
const QUALITY_PERMILLE: f64 = 100.0;
/// A gain in time that is more than little: half the wall clock.
const FASTER: f64 = 0.5;
/// At most this share of the other's tokens counts as fewer.
const FEWER: f64 = 0.9;
/// Events held, in parts per thousand, from which on order costs more than it orders.
const HELD_PERMILLE: f64 = 50.0;
/// Of all the time that forks lived, the share spent waiting for other forks from which on the graph is too heavy.
const WAITING: f64 = 0.5;

/// One thing that stands out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// `wrong_split`, `over_compression` or `heavy_graph`.
    pub code: &'static str,
    /// What was seen and what it says.
    pub message: String,
}

/// What a report says, as far as the rules ask.
struct Figures<'a> {
    name: &'a str,
    tokens: f64,
    elapsed_ms: f64,
    completed: Option<f64>,
    kept: Option<f64>,
    held: Option<f64>,
    waiting: Option<f64>,
}

impl<'a> Figures<'a> {
    fn of(name: &'a str, report: &Value) -> Self {
        let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64);
        let lived_ms: f64 = report
            .get("results")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|result| result.get("elapsed_ms")?.as_f64())
            .sum();
        let waited_ms = number("/metrics/messages/dependency_wait_ms");
        // A task that waits for others has not begun to live; its wait is time of its all the same.
        let lived_ms = lived_ms + number("/metrics/messages/needs_wait_ms").unwrap_or_default();
        Self {
            name,
            tokens: ["/usage/input_tokens", "/usage/output_tokens"].into_iter().filter_map(number).sum(),
            elapsed_ms: number("/elapsed_ms").unwrap_or_default(),
            completed: number("/metrics/quality/completion_permille").or_else(|| completed(report)),
            kept: number("/metrics/quality/constraints_kept_permille"),
            held: number("/metrics/messages/held_permille"),
            waiting: waited_ms.filter(|_| lived_ms > 0.0).map(|waited_ms| waited_ms / lived_ms),
        }
    }

    /// Whether it did clearly better than the other in anything but its bill.
    fn gains_over(&self, other: &Self) -> bool {
        let is_better = |mine: Option<f64>, others: Option<f64>| match (mine, others) {
            (Some(mine), Some(others)) => mine - others >= QUALITY_PERMILLE,
            _ => false,
        };
        is_better(self.completed, other.completed)
            || is_better(self.kept, other.kept)
            || self.elapsed_ms <= other.elapsed_ms * FASTER
    }
}

/// An older report's completion, from its outcomes.
#[allow(clippy::cast_precision_loss, reason = "a report lists thousands of outcomes, not quadrillions")]
fn completed(report: &Value) -> Option<f64> {
    let all = of_outcomes(report, |_| true);
    (all > 0).then(|| of_outcomes(report, |result| result["ok"] == true) as f64 * 1000.0 / all as f64)
}

pub(super) fn judge(names: [&str; 2], reports: [&Value; 2]) -> Vec<Judgement> {
    let [a, b] = [Figures::of(names[0], reports[0]), Figures::of(names[1], reports[1])];
    let pairs = [(&a, &b), (&b, &a)];
    let between = pairs.into_iter().flat_map(|(one, other)| [wrong_split(one, other), over_compression(one, other)]);
    between.chain([&a, &b].map(heavy_graph)).flatten().collect()
}

fn wrong_split(dear: &Figures<'_>, cheap: &Figures<'_>) -> Option<Judgement> {
    let is_dear = cheap.tokens > 0.0 && dear.tokens >= cheap.tokens * DEAR;
    (is_dear && !dear.gains_over(cheap)).then(|| Judgement {
        code: "wrong_split",
        message: format!(
            "{} spends {:.1} times the tokens of {} and gains little (completion, constraints and wall clock): the split is \
             wrong; give the work to fewer agents.",
            dear.name,
            dear.tokens / cheap.tokens,
            cheap.name
        ),
    })
}

fn over_compression(short: &Figures<'_>, long: &Figures<'_>) -> Option<Judgement> {
    let (kept, before) = (short.kept?, long.kept?);
    let is_short = short.tokens <= long.tokens * FEWER;
    (is_short && before - kept >= QUALITY_PERMILLE).then(|| Judgement {
        code: "over_compression",
        message: format!(
            "{} spends fewer tokens than {} and keeps {:.1} % of the constraints instead of {:.1} %: too much is compressed; \
             pass criteria, codes, paths and references on whole.",
            short.name,
            long.name,
            kept / 10.0,
            before / 10.0
        ),
    })
}

fn heavy_graph(one: &Figures<'_>) -> Option<Judgement> {
    let (held, waiting) = (one.held.unwrap_or_default(), one.waiting.unwrap_or_default());
    let seen = if held >= HELD_PERMILLE {
        format!("holds {:.1} % of its events for others", held / 10.0)
    } else if waiting >= WAITING {
        format!("has its forks wait for each other {:.0} % of their time", waiting * 100.0)
    } else {
        return None;
    };
    Some(Judgement {
        code: "heavy_graph",
        message: format!("{} {seen}: its graph of tasks is too heavy; cut dependencies or layers.", one.name),
    })
}
