//! How far the budgets are used up, as the tool `budget` tells: the run's level, and this fork's own shares. Time is not
//! looked at: what this loop does must not depend on how fast a machine is.

use crate::limits::{CONVERGE_PERCENT, SAVE_PERCENT};
use sandfork_guest::{Budget, Json};

/// What follows from the budgets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Water {
    /// Old results are to be replaced.
    pub(crate) is_scarce: bool,
    /// Why the fork is to return what it has, if it is.
    pub(crate) converge: Option<String>,
    /// Model calls left; `None` where the host does not say.
    pub(crate) turns_left: Option<u64>,
}

/// Judges an answer of `budget` against the declared limits.
pub(crate) fn judge(declared: &Budget, answer: &Json) -> Water {
    let left = |key: &str| answer.pointer(&format!("/left/{key}")).and_then(Json::as_u64);
    let run_percent = answer.pointer("/run/level_percent").and_then(Json::as_u64).unwrap_or(0);
    let shares = [
        ("input_tokens", declared.input_tokens),
        ("output_tokens", declared.output_tokens),
        ("result_bytes", declared.result_bytes),
        ("host_calls", declared.host_calls),
        ("fuel", declared.fuel),
    ];
    let own = shares.iter().filter_map(|(key, limit)| Some((*key, used_percent(*limit, left(key)?)?)));
    let (tightest, own_percent) = own.fold(("", 0), |most, next| if next.1 > most.1 { next } else { most });
    let turns_left = [left("steps"), left("turns")].into_iter().flatten().min();
    let converge = if run_percent >= CONVERGE_PERCENT {
        Some(format!("the run has used up {run_percent} percent of its budget"))
    } else if own_percent >= CONVERGE_PERCENT {
        Some(format!("this fork has used up {own_percent} percent of its {tightest}"))
    } else if turns_left.is_some_and(|turns| turns <= 1) {
        Some("this is the last turn".to_owned())
    } else {
        None
    };
    Water { is_scarce: run_percent.max(own_percent) >= SAVE_PERCENT, converge, turns_left }
}

/// Percent of a limit that is used; `None` where nothing was declared.
fn used_percent(limit: u64, left: u64) -> Option<u64> {
    let used = u128::from(limit.saturating_sub(left)) * 100;
    used.checked_div(u128::from(limit)).and_then(|percent| u64::try_from(percent).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::{Task, json};

    fn declared() -> Budget {
        Task::from(json!({ "budget": { "input_tokens": 1000, "host_calls": 100, "fuel": 0 } })).budget
    }

    // GV-34
    #[test]
    fn results_are_replaced_from_60_percent_on_and_the_fork_converges_at_95() {
        for (answer, is_scarce, converges) in [
            (json!({}), false, false),
            (json!({ "run": { "level_percent": 59 } }), false, false),
            (json!({ "run": { "level_percent": 60 } }), true, false),
            (json!({ "run": { "level_percent": 95 } }), true, true),
            (json!({ "left": { "input_tokens": 401 } }), false, false),
            (json!({ "left": { "input_tokens": 400 } }), true, false),
            (json!({ "left": { "host_calls": 5 } }), true, true),
            (json!({ "left": { "fuel": 0 } }), false, false),
            (json!({ "left": { "steps": 2, "turns": 9 } }), false, false),
            (json!({ "left": { "steps": 9, "turns": 1 } }), false, true),
            (json!({ "left": { "steps": "many" }, "run": [] }), false, false),
        ] {
            let water = judge(&declared(), &answer);
            assert_eq!((water.is_scarce, water.converge.is_some()), (is_scarce, converges), "{answer}");
        }
    }
}
