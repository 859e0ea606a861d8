//! What makes two tasks the same or alike: normalised goal, input range, tool set (GV-41). Pure text work.

use sandfork_model::sha256_hex;
use serde_json::Value;
use std::collections::BTreeSet;

/// The fingerprint of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    words: BTreeSet<String>,
    exact: String,
    scope: String,
}

impl Fingerprint {
    /// Of a goal, the context it works on and the tools it may use.
    pub(crate) fn of(goal: &str, context: &Value, tools: &BTreeSet<String>) -> Self {
        let normal = normalise(goal);
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        let scope = sha256_hex(format!("{context}\n{}", tools.join(",")).as_bytes());
        let exact = sha256_hex(format!("{normal}\n{scope}").as_bytes());
        let words = normal.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Self { words, exact, scope }
    }

    /// The very same task.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.exact == other.exact
    }

    /// How alike two tasks are, 0 to 1: shared words of the goals if they cover the same range with the same tools, else 0.
    #[allow(clippy::cast_precision_loss, reason = "goals have far fewer than 2^52 words")]
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        if self.scope != other.scope {
            return 0.0;
        }
        let all = self.words.union(&other.words).count();
        if all == 0 {
            return 1.0;
        }
        self.words.intersection(&other.words).count() as f64 / all as f64
    }
}

/// Lower case, punctuation and runs of blanks folded into single blanks.
fn normalise(goal: &str) -> String {
    let lower = goal.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(goal: &str) -> Fingerprint {
        Fingerprint::of(goal, &json!({ "range": 1 }), &BTreeSet::from(["read_file".to_owned()]))
    }

    // GV-41
    #[test]
    fn case_and_punctuation_do_not_make_another_task() {
        assert!(of("Search, the logs!").is_same(&of("search the  logs")));
        assert!(!of("search the logs").is_same(&of("search the traces")));
    }

    // GV-41
    #[test]
    fn another_range_is_another_task() {
        let other = Fingerprint::of("search", &json!({ "range": 2 }), &BTreeSet::from(["read_file".to_owned()]));
        assert!(!of("search").is_same(&other));
        assert!(of("search").similarity(&other) < f64::EPSILON);
    }
}
