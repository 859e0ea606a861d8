//! `--limit` and `--set`: values from the command line, put into the document before it is read, so that they meet the
//! same checks as written ones. A problem of such a value names its flag instead of a place in the file.

use sandfork_source::{Key, Node, NodeValue, ParseLimits, Place, Problem, parse_yaml, quote, resolve};

/// Steps of a dotted path: as deep as a document may be.
const MAX_STEPS: usize = 64;

/// Values that take precedence over the file, in the order given; the last one for a path wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--limit NAME=VALUE`, short for `--set limits.NAME=VALUE`.
    pub limits: Vec<(String, String)>,
    /// `--set PATH=VALUE`: a dotted path into the document; steps into a list are numbers from 0, or task ids, also written
    /// as problems name them (`tasks[0].goal`). The value is what an unquoted YAML scalar would be, or a flow list, a flow map or a quoted text.
    pub sets: Vec<(String, String)>,
    /// Names of the tools that the host answers besides the built-in ones: a plan grants and limits them like those.
    pub tools: Vec<String>,
}

impl Overrides {
    fn each(&self) -> impl Iterator<Item = (String, String, &str)> {
        let limits = self
            .limits
            .iter()
            .map(|(name, value)| (format!("--limit {name}"), format!("limits.{name}"), value.as_str()));
        limits.chain(self.sets.iter().map(|(path, value)| (format!("--set {path}"), path.clone(), value.as_str())))
    }

    /// Puts every value into `document`. Their nodes stand in line 0; the column is their number, from 1.
    pub(crate) fn apply(&self, document: &mut Node) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (number, (flag, path, value)) in self.each().enumerate() {
            let place = Place { line: 0, column: u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1) };
            let done = value_of(&flag, value).and_then(|mut node| {
                displace(&mut node, place);
                put(document, &path, node, place).map_err(|message| Problem::new(&flag, Place::START, message))
            });
            problems.extend(done.err());
        }
        problems
    }

    /// Gives a problem of line 0 the name of its flag.
    pub(crate) fn name(&self, mut problem: Problem) -> Problem {
        if problem.place.line == 0 {
            let number = usize::try_from(problem.place.column).unwrap_or_default().saturating_sub(1);
            problem.file = self.each().nth(number).map_or_else(|| "the command line".into(), |(flag, _, _)| flag);
            problem.place = Place::START;
        }
        problem
    }
}

fn value_of(flag: &str, value: &str) -> Result<Node, Problem> {
    let text = value.trim();
    if text.starts_with(['[', '{', '"', '\'']) {
        return parse_yaml(flag, value.as_bytes(), &ParseLimits::default()).map_err(|problem| match problem.hint {
            None => problem.hint("a text that starts with a bracket or a quote is read as YAML; quote it"),
            Some(_) => problem,
        });
    }
    // An empty value is an empty text: a user who means the default leaves the flag out.
    let value = if text.is_empty() { NodeValue::Text(String::new()) } else { resolve(text) };
    Ok(Node { place: Place::START, value })
}

fn displace(node: &mut Node, place: Place) {
    node.place = place;
    match &mut node.value {
        NodeValue::List(items) => items.iter_mut().for_each(|item| displace(item, place)),
        NodeValue::Map(entries) => {
            for (key, node) in entries {
                key.place = place;
                displace(node, place);
            }
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::Text(_) => {}
    }
}

/// `tasks[0].goal` as `tasks.0.goal`; anything else in brackets is a key like any other.
fn dotted(path: &str) -> String {
    let mut parts = path.split('[');
    let mut dotted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.split_once(']').filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
        match number {
            Some((number, rest)) if !number.is_empty() && !dotted.is_empty() => {
                dotted.push('.');
                dotted.push_str(number);
                dotted.push_str(rest);
            }
            _ => {
                dotted.push('[');
                dotted.push_str(part);
            }
        }
    }
    dotted
}

fn put(document: &mut Node, path: &str, value: Node, place: Place) -> Result<(), String> {
    let dotted = dotted(path);
    let steps: Vec<&str> = dotted.split('.').take(MAX_STEPS + 1).collect();
    if steps.len() > MAX_STEPS || steps.iter().any(|step| step.is_empty()) {
        return Err(format!("{} is not a path like root.goal", quote(path)));
    }
    let mut here = document;
    let mut walked = String::new();
    for step in steps {
        if here.value == NodeValue::Null {
            here.value = NodeValue::Map(Vec::new());
        }
        let kind = here.kind();
        let next = match &mut here.value {
            NodeValue::Map(entries) => {
                let index = entries.iter().position(|(key, _)| key.text == step).unwrap_or_else(|| {
                    let key = Key { place, text: step.to_owned() };
                    entries.push((key, Node { place, value: NodeValue::Null }));
                    entries.len() - 1
                });
                entries.get_mut(index).map(|(_, node)| node)
            }
            NodeValue::List(items) => {
                let named = items.iter().position(|item| item.get("id").and_then(Node::as_text) == Some(step));
                let index = named.or_else(|| step.parse().ok()).filter(|index| *index < items.len());
                index.and_then(|index| items.get_mut(index))
            }
            _ => None,
        };
        let Some(next) = next else {
            let whole = if walked.is_empty() { "the document".to_owned() } else { quote(&walked) };
            return Err(format!("{whole} is {kind} and has no {}", quote(step)));
        };
        if !walked.is_empty() {
            walked.push('.');
        }
        walked.push_str(step);
        here = next;
    }
    *here = value;
    Ok(())
}
