//! The figures of a comparison: which ones, and how they are shown. One table; a figure that a report lacks is `None`.

use serde_json::{Value, json};

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Words.
    Word,
    /// Things.
    Count,
    /// Milliseconds.
    Ms,
    /// Parts per thousand.
    Permille,
}

/// One figure of both reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The group it belongs to.
    pub group: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// As the reports have it; null where one does not.
    pub values: [Value; 2],
}

/// Group, name, unit, place in the report.
const FIGURES: [(&str, &str, Unit, &str); 27] = [
    ("run", "status", Unit::Word, "/status"),
    ("run", "forks", Unit::Count, "/tasks_used"),
    ("run", "model calls", Unit::Count, "/usage/model_calls"),
    ("run", "tool calls", Unit::Count, "/usage/tool_calls"),
    ("run", "input tokens", Unit::Count, "/usage/input_tokens"),
    ("run", "output tokens", Unit::Count, "/usage/output_tokens"),
    ("run", "fuel", Unit::Count, "/usage/fuel"),
    ("run", "wall clock", Unit::Ms, "/elapsed_ms"),
    ("context", "opening bytes", Unit::Count, "/metrics/context/opening_bytes"),
    ("context", "told again", Unit::Permille, "/metrics/context/repeated_permille"),
    ("context", "artifacts read in part", Unit::Permille, "/metrics/context/artifact_part_permille"),
    ("messages", "events", Unit::Count, "/metrics/messages/delivered"),
    ("messages", "held", Unit::Permille, "/metrics/messages/held_permille"),
    ("messages", "duplicates", Unit::Permille, "/metrics/messages/duplicate_permille"),
    ("messages", "conflicts", Unit::Permille, "/metrics/messages/conflict_permille"),
    ("messages", "waiting for others", Unit::Ms, "/metrics/messages/dependency_wait_ms"),
    ("budget", "fuel reserved", Unit::Count, "/metrics/budget/dimensions/fuel/reserved"),
    ("budget", "fuel recovered", Unit::Count, "/metrics/budget/dimensions/fuel/recovered"),
    ("budget", "fuses", Unit::Count, "/metrics/budget/fuses"),
    ("recursion", "deepest", Unit::Count, "/metrics/recursion/max_depth"),
    ("recursion", "branches", Unit::Count, "/metrics/recursion/branches"),
    ("recursion", "similar tasks refused", Unit::Count, "/metrics/recursion/similar_refused"),
    ("quality", "completed", Unit::Permille, "/metrics/quality/completion_permille"),
    ("quality", "accepted at first", Unit::Permille, "/metrics/quality/first_pass_permille"),
    ("quality", "constraints kept", Unit::Permille, "/metrics/quality/constraints_kept_permille"),
    ("business", "p95 latency of a fork", Unit::Ms, "/metrics/business/latency_p95_ms"),
    ("business", "human takeovers", Unit::Permille, "/metrics/business/human_takeover_permille"),
];
/// Figures of the outcomes, and of what an accepted task costs, which stand at the end of their groups.
const COSTS: [(&str, &str); 2] = [
    ("tokens per accepted task", "/metrics/business/tokens_per_accepted_task"),
    ("fuel per accepted task", "/metrics/business/fuel_per_accepted_task"),
];

pub(super) fn rows(reports: [&Value; 2]) -> Vec<Row> {
    let at = |pointer: &str| reports.map(|report| report.pointer(pointer).cloned().unwrap_or(Value::Null));
    let figure = |(group, name, unit, pointer)| Row { group, name, unit, values: at(pointer) };
    let mut rows: Vec<Row> = FIGURES.into_iter().map(figure).collect();
    let outcomes = reports.map(|report| json!(of_outcomes(report, |result| result["ok"] == true)));
    let refused = reports.map(|report| json!(of_outcomes(report, |result| result["ok"] != true)));
    let outcomes = [("outcomes ok", outcomes), ("outcomes not ok", refused)];
    let outcomes = outcomes.map(|(name, values)| Row { group: "run", name, unit: Unit::Count, values });
    rows.splice(1..1, outcomes);
    rows.extend(COSTS.map(|(name, pointer)| figure(("business", name, Unit::Count, pointer))));
    rows
}

pub(super) fn of_outcomes(report: &Value, is_one: impl Fn(&Value) -> bool) -> usize {
    report.get("results").and_then(Value::as_array).into_iter().flatten().filter(|result| is_one(result)).count()
}

impl Row {
    /// Both figures as shown; `–` where there is none.
    #[must_use]
    pub fn cells(&self) -> [String; 2] {
        [0, 1].map(|side| match (self.values.get(side), self.unit) {
            (None | Some(Value::Null), _) => "–".to_owned(),
            (Some(Value::String(word)), _) => crate::plain::plain(word),
            (Some(value), Unit::Ms) => format!("{:.1} ms", value.as_f64().unwrap_or_default()),
            (Some(value), Unit::Permille) => {
                let permille = value.as_u64().unwrap_or_default();
                format!("{}.{} %", permille / 10, permille % 10)
            }
            (Some(value), Unit::Word | Unit::Count) => value.to_string(),
        })
    }

    /// From the first to the second: `=`, percent, or percentage points for shares; `–` where nothing can be said.
    #[must_use]
    pub fn change(&self) -> String {
        let [Some(a), Some(b)] = [0, 1].map(|side| self.values.get(side).and_then(Value::as_f64)) else {
            let is_same = self.unit == Unit::Word && self.values[0] == self.values[1];
            return if is_same { "=" } else { "–" }.to_owned();
        };
        if a == b {
            return "=".to_owned();
        }
        match self.unit {
            Unit::Permille => format!("{:+.1} pp", (b - a) / 10.0),
            Unit::Word | Unit::Count | Unit::Ms if a == 0.0 => "new".to_owned(),
            Unit::Word | Unit::Count | Unit::Ms => format!("{:+.0} %", (b - a) / a * 100.0),
        }
    }

    pub(super) fn document(&self) -> Value {
        let unit = match self.unit {
            Unit::Word => "word",
            Unit::Count => "count",
            Unit::Ms => "ms",
            Unit::Permille => "permille",
        };
        json!({
            "group": self.group, "name": self.name, "unit": unit,
            "a": self.values[0], "b": self.values[1], "change": self.change(),
        })
    }
}
