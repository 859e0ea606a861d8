//! `budget` of an agent, a task or the run: what may be spent, by dimension.

use crate::amount::{bytes, count};
use sandfork_model::Ask;
use sandfork_source::{Fields, Node, Problems, quote};

/// Whose budget it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purse {
    /// Of the whole run: memory is no tank there, `limits.memory_total` is its cap.
    Run,
    /// Of one fork.
    Fork,
}

/// Reads a budget; absent dimensions stay absent.
pub(crate) fn ask(node: &Node, path: &str, purse: Purse, problems: &mut Problems) -> Ask {
    let mut ask = Ask::default();
    let Some(mut fields) = Fields::of(node, path, problems) else { return ask };
    for key in Ask::KEYS {
        if key == "memory" && purse == Purse::Run {
            continue;
        }
        let Some((written, value)) = fields.entry(key) else { continue };
        let path = fields.path_of(key);
        let cap = match key {
            "result_bytes" | "output_bytes" | "note_bytes" | "memory" => bytes(value, &path, problems),
            _ => count(value, &path, problems),
        };
        let Some(slot) = ask.slot(key) else { continue };
        if slot.is_some() {
            let problem = problems
                .at(written.place, format!("{} is a second name for what is written already", quote(&path)))
                .hint("keep one of them");
            problems.push(problem);
        }
        *slot = cap;
    }
    fields.finish(problems);
    ask
}
