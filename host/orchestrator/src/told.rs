//! What every fork with the same grant is told alike: its tools, and whom it may fork. Written once, copied into each task
//! document.

use crate::prose::{Prose, quote_all};
use crate::repeats::Retold;
use crate::toolbox::Toolbox;
use sandfork_model::Grant;

/// One grant, as its forks read of it.
#[derive(Debug)]
pub(crate) struct Told {
    /// The `tools` and the `spawn` of a task document: two members of a JSON object.
    members: String,
    /// The list of tools in an opening message, with its title.
    lines: Prose,
    /// Each tool: the text by which it is known, and the bytes of its line.
    tools: Vec<(String, u64)>,
    retold: Retold,
}

impl Told {
    /// Names what may be called: what was granted, and what needs no asking. `model` is how a fork thinks, not a tool it is
    /// told of.
    pub(crate) fn of(grant: &Grant, toolbox: &Toolbox) -> Self {
        let may_spawn = (!grant.spawn.is_empty()).then_some("fork_subagents");
        let names = grant.tools.iter().map(String::as_str).chain(["budget", "sleep"]).chain(may_spawn);
        let (mut members, mut lines, mut tools) = (String::from("\"tools\":["), Prose::default(), Vec::new());
        for entry in names.filter_map(|name| toolbox.entry(name)) {
            members.push_str(if tools.is_empty() { "" } else { "," });
            members.push_str(entry.json());
            lines.push(if tools.is_empty() { "Tools:\n" } else { "" });
            lines.append(entry.line());
            tools.push((entry.json().to_owned(), entry.line().bytes()));
        }
        members.push_str("],\"spawn\":");
        quote_all(&mut members, grant.spawn.iter().map(String::as_str));
        Self { members, lines, tools, retold: Retold::default() }
    }

    /// `"tools":[…],"spawn":[…]`.
    pub(crate) fn members(&self) -> &str {
        &self.members
    }

    /// The titled list of tools.
    pub(crate) fn lines(&self) -> &Prose {
        &self.lines
    }

    /// The tools as pieces of what is told.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&str, u64)> {
        self.tools.iter().map(|(text, bytes)| (text.as_str(), *bytes))
    }

    /// Whether forks were told before.
    pub(crate) fn retold(&self) -> &Retold {
        &self.retold
    }
}
