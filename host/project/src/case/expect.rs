//! What a case expects, and what it got: the same words for both. What is not written is not looked at.

use sandfork_source::{Fields, Node, NodeValue, Place, Problems, nearest, quote};
use serde_json::{Map, Value};

/// The ways in which a fork ends, as `expect.status` may name them.
const STATUSES: [&str; 8] =
    ["ok", "failed", "timeout", "out_of_fuel", "out_of_budget", "refused", "blocked", "cancelled"];

/// An `expect` block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// How the fork ends; `ok` where nothing is written.
    pub status: String,
    /// All of its output.
    pub output: Option<Value>,
    /// Parts of its error: `code`, `message` exactly, of `details` the keys that are written.
    pub error: Option<Map<String, Value>>,
    /// Notes written.
    pub notes: Option<u64>,
    /// Tool calls that count as such.
    pub tool_calls: Option<u64>,
}

/// How the agent under test ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Got {
    /// The status's word.
    pub status: String,
    /// Its output, if it ended well.
    pub output: Option<Value>,
    /// Its error as an object with `code`, `message` and `details`, if it did not.
    pub error: Option<Value>,
    /// Notes written.
    pub notes: u64,
    /// Tool calls that count as such.
    pub tool_calls: u64,
}

impl Expect {
    /// Reads an `expect` block.
    pub(super) fn read(node: &Node, path: &str, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::of(node, path, problems)?;
        let status = fields.take("status").map(|node| status(node, &fields.path_of("status"), problems));
        let output = fields.take("output").map(Node::to_json);
        let error = fields.take("error").map(|node| error(node, &fields.path_of("error"), problems));
        let notes = fields.take("notes").map(|node| count(node, &fields.path_of("notes"), problems));
        let tool_calls = fields.take("tool_calls").map(|node| count(node, &fields.path_of("tool_calls"), problems));
        fields.finish(problems);
        let is_ok = status.as_ref().is_none_or(|status| status == "ok");
        let misfit = match (is_ok, &output, &error) {
            (true, _, Some(_)) => Some("an agent that ends `ok` has no error"),
            (false, Some(_), _) => Some("only an agent that ends `ok` has an output"),
            _ => None,
        };
        if let Some(misfit) = misfit {
            let problem = problems.at(node.place, format!("{} contradicts itself: {misfit}", quote(path)));
            problems.push(problem.hint("remove one of them"));
        }
        Some(Self {
            status: status.unwrap_or_else(|| "ok".to_owned()),
            output,
            error: error.flatten(),
            notes: notes.flatten(),
            tool_calls: tool_calls.flatten(),
        })
    }

    /// What a person accepts by `--update`: all that this block speaks of, as it was got.
    #[must_use]
    pub fn updated(before: Option<&Self>, got: &Got) -> Self {
        let details = |error: &Value| {
            let written = before.and_then(|before| before.error.as_ref()?.get("details")?.as_object());
            let all = error.get("details").and_then(Value::as_object);
            let kept: Map<String, Value> = match (written, all) {
                (Some(written), Some(all)) => all
                    .iter()
                    .filter(|(key, _)| written.contains_key(*key))
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect(),
                // Without a choice of one's own: what tells one failure from another.
                (None, Some(all)) => ["cause", "code"]
                    .into_iter()
                    .filter_map(|key| Some((key.to_owned(), all.get(key)?.clone())))
                    .collect(),
                (_, None) => Map::new(),
            };
            (!kept.is_empty()).then_some(Value::Object(kept))
        };
        let error = got.error.as_ref().map(|error| {
            let written = before.and_then(|before| before.error.as_ref());
            let has_message = written.is_some_and(|error| error.contains_key("message"));
            let has_code = written.is_none_or(|error| error.contains_key("code"));
            let mut map = Map::new();
            for (key, is_wanted) in [("code", has_code), ("message", has_message)] {
                if let Some(value) = error.get(key).filter(|_| is_wanted) {
                    map.insert(key.to_owned(), value.clone());
                }
            }
            if let Some(details) = details(error) {
                map.insert("details".to_owned(), details);
            }
            map
        });
        Self {
            status: got.status.clone(),
            output: got.output.clone(),
            error,
            notes: before.and_then(|before| before.notes).map(|_| got.notes),
            tool_calls: before.and_then(|before| before.tool_calls).map(|_| got.tool_calls),
        }
    }

    /// The block as a document.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("status".into(), Value::from(self.status.as_str()));
        map.extend(self.output.clone().map(|output| ("output".to_owned(), output)));
        map.extend(self.error.clone().map(|error| ("error".to_owned(), Value::Object(error))));
        map.extend(self.notes.map(|notes| ("notes".to_owned(), Value::from(notes))));
        map.extend(self.tool_calls.map(|calls| ("tool_calls".to_owned(), Value::from(calls))));
        Value::Object(map)
    }
}

fn status(node: &Node, path: &str, problems: &mut Problems) -> String {
    let Some(word) = sandfork_source::expect_text(node, path, problems) else { return String::new() };
    if !STATUSES.contains(&word) {
        let mut problem = problems
            .at(node.place, format!("{} is no status", quote(word)))
            .expected(format!("one of {}", STATUSES.join(", ")));
        if let Some(near) = nearest(word, STATUSES) {
            problem = problem.hint(format!("did you mean `{near}`?"));
        }
        problems.push(problem);
    }
    word.to_owned()
}

fn error(node: &Node, path: &str, problems: &mut Problems) -> Option<Map<String, Value>> {
    let mut fields = Fields::of(node, path, problems)?;
    let code = fields.text("code", problems);
    let message = fields.text("message", problems);
    let details = fields.take("details");
    let details = details.and_then(|node| object(node, &fields.path_of("details"), problems));
    fields.finish(problems);
    let mut map = Map::new();
    map.extend(code.map(|code| ("code".to_owned(), Value::from(code))));
    map.extend(message.map(|message| ("message".to_owned(), Value::from(message))));
    map.extend(details.map(|details| ("details".to_owned(), Value::Object(details))));
    Some(map)
}

fn count(node: &Node, path: &str, problems: &mut Problems) -> Option<u64> {
    let count = match &node.value {
        NodeValue::Number(text) => text.parse().ok(),
        _ => None,
    };
    if count.is_none() {
        let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind()));
        problems.push(problem.expected("a whole number"));
    }
    count
}

/// A map as JSON; a problem otherwise.
pub(super) fn object(node: &Node, path: &str, problems: &mut Problems) -> Option<Map<String, Value>> {
    if let Value::Object(map) = node.to_json() {
        return Some(map);
    }
    let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind())).expected("a map");
    problems.push(problem);
    None
}

/// Where an `expect` block stands, for rewriting it.
pub(super) fn is_block_key(place: Place, text: &str) -> bool {
    let line = usize::try_from(place.line).ok().and_then(|line| text.lines().nth(line.saturating_sub(1)));
    let before: String = line.unwrap_or_default().chars().take(column(place)).collect();
    before.chars().all(|c| c == ' ' || c == '-')
}

/// Characters before a place on its line.
pub(super) fn column(place: Place) -> usize {
    usize::try_from(place.column).unwrap_or(usize::MAX).saturating_sub(1)
}
