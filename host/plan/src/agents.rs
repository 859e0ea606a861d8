//! The table `agents`: where each behaviour comes from, and the most it may ever be granted.

use crate::amount::{time, wrong};
use crate::ask::{Purse, ask};
use crate::files::Base;
use crate::names::{Known, is_name};
use sandfork_model::{AgentEntry, AgentSource, Ask, Cover};
use sandfork_source::{Fields, Key, Node, NodeValue, Problems, quote};

/// The word that stands for an agent's own name under `spawn`.
const SELF: &str = "self";

/// Reads the table, in file order.
pub(crate) fn agents(node: &Node, tools: &Known<'_>, base: &Base<'_>, problems: &mut Problems) -> Vec<AgentEntry> {
    let NodeValue::Map(entries) = &node.value else {
        let problem = problems.at(node.place, format!("`agents` is {}", node.kind())).expected("a map of agents");
        problems.push(problem);
        return Vec::new();
    };
    let names = Known::new("agent", entries.iter().map(|(key, _)| key.text.as_str()).chain([SELF]));
    entries.iter().filter_map(|(key, node)| entry(key, node, &names, tools, base, problems)).collect()
}

fn entry(
    key: &Key,
    node: &Node,
    agents: &Known<'_>,
    tools: &Known<'_>,
    base: &Base<'_>,
    problems: &mut Problems,
) -> Option<AgentEntry> {
    let name = key.text.as_str();
    if !is_name(name) || name == SELF {
        let problem = problems
            .at(key.place, format!("{} cannot name an agent", quote(name)))
            .expected("at most 64 letters, digits, `_`, `-` or `.`; `self` stands for the agent itself");
        problems.push(problem);
    }
    let mut fields = Fields::of(node, format!("agents.{name}"), problems)?;
    let source = source(name, &mut fields, base, problems);
    let role = fields.text("role", problems).unwrap_or_default().to_owned();
    let description = fields.text("description", problems).unwrap_or_default().to_owned();
    let tools_written =
        fields.texts("tools", problems).map(|names| tools.check(names, &fields.path_of("tools"), problems));
    let delegate = fields.texts("delegate", problems).unwrap_or_default();
    let delegate = tools.check(delegate, &fields.path_of("delegate"), problems);
    let spawn = fields.texts("spawn", problems).unwrap_or_default();
    let spawn = agents.check(spawn, &fields.path_of("spawn"), problems);
    let output_schema =
        fields.take("output_schema").and_then(|node| base.schema(node, &fields.path_of("output_schema"), problems));
    let budget = fields
        .take("budget")
        .map_or_else(Ask::default, |node| ask(node, &fields.path_of("budget"), Purse::Fork, problems));
    let timeout = fields.take("timeout").and_then(|node| time(node, &fields.path_of("timeout"), problems));
    let cover = fields.take("cover").and_then(|node| cover(node, &fields.path_of("cover"), problems));
    let wasi_denied = wasi(&mut fields, source.as_ref(), problems);
    fields.finish(problems);
    Some(AgentEntry {
        name: name.to_owned(),
        source: source?,
        role,
        description,
        tools: tools_written,
        delegate,
        spawn,
        output_schema,
        budget,
        timeout,
        cover,
        wasi_denied,
    })
}

fn source(name: &str, fields: &mut Fields<'_>, base: &Base<'_>, problems: &mut Problems) -> Option<AgentSource> {
    let script = fields.take("script");
    let component = fields.take("component");
    let problem = match (script, component) {
        (Some(node), None) => {
            return base.file(node, &fields.path_of("script"), problems).map(AgentSource::Script);
        }
        (None, Some(node)) => {
            return base.file(node, &fields.path_of("component"), problems).map(AgentSource::Component);
        }
        (Some(_), Some(node)) => {
            problems.at(node.place, format!("the agent {} has both a script and a component", quote(name)))
        }
        (None, None) if fields.take("turns").is_some() => problems
            .at(fields.place(), format!("the agent {} has its script in place", quote(name)))
            .hint("a script is a file of its own: `script: FILE`, and in the file `agent` and `turns`"),
        (None, None) => {
            problems.at(fields.place(), format!("the agent {} has neither a script nor a component", quote(name)))
        }
    };
    problems.push(problem.expected("one of script, component"));
    None
}

/// `cover: {key, values}`: what every batch of its forks must cover between them.
fn cover(node: &Node, path: &str, problems: &mut Problems) -> Option<Cover> {
    let mut fields = Fields::of(node, path, problems)?;
    let key = fields.need_text("key", problems).map(str::to_owned);
    let values = fields.texts("values", problems).unwrap_or_default();
    let values: Vec<String> = values.into_iter().map(|(value, _)| value.to_owned()).collect();
    fields.finish(problems);
    if values.is_empty() {
        let problem = problems.at(node.place, format!("{} has no values", quote(path)));
        problems.push(problem.expected("`values`: a list of at least one text"));
    }
    Some(Cover { key: key?, values })
}

/// Whether the entry says `wasi: denied`, the only thing it may say about WASI.
fn wasi(fields: &mut Fields<'_>, source: Option<&AgentSource>, problems: &mut Problems) -> bool {
    let Some((key, node)) = fields.entry("wasi") else { return false };
    let path = fields.path_of("wasi");
    if node.as_text() != Some("denied") {
        let problem = wrong(node, &path, problems, "denied")
            .hint("a component that imports WASI gets it with nothing behind it, or is refused");
        problems.push(problem);
    } else if matches!(source, Some(AgentSource::Script(_))) {
        let problem = problems
            .at(key.place, format!("{} does not fit a script", quote(&path)))
            .hint("remove it: a script never imports WASI");
        problems.push(problem);
    }
    true
}
