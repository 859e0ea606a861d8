//! The language once more, as a plain interpreter over the source tree: what compiled scripts are held against. Shares
//! nothing with the compiler but the reader of JSON, which keeps the text of numbers.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

pub mod decimal;
pub mod value;

use crate::fake::{Answers, Asked, Call, Failure};
use sandfork_source::{Node, NodeValue, ParseLimits};
use std::cmp::Ordering;
use std::collections::HashMap;
use value::{absent, json, mistaken, node, reference, render, text};

/// How a run ended: output text, or code, message and details text.
pub type Ended = Result<String, (String, String, String)>;
/// Going on, or the end.
type Go<T> = Result<T, Ended>;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Value,
    Answer,
    Error,
    Outcomes,
}

pub struct Plain<A> {
    answers: A,
    pub calls: Vec<Call>,
    names: HashMap<String, (Kind, Node)>,
    turn: u64,
}

/// Runs a script that is known to compile.
pub fn run<A: Answers>(script: &str, task: &str, answers: A) -> (Ended, Vec<Call>) {
    let script = node(script);
    let names = HashMap::from([("task".to_owned(), (Kind::Value, node(task)))]);
    let mut plain = Plain { answers, calls: Vec::new(), names, turn: 0 };
    let ended = match plain.turns(list(script.get("turns").expect("a script has turns"))) {
        Err(ended) => ended,
        Ok(()) => {
            plain.turn += 1;
            let arguments = format!("{{\"provider\":\"scripted\",\"turn\":{},\"exhausted\":true}}", plain.turn);
            plain.calls.push(Call::Tool("model".into(), value(&arguments)));
            Err(("replies_exhausted".into(), "script replies exhausted".into(), "{}".into()))
        }
    };
    (ended, plain.calls)
}

impl<A: Answers> Plain<A> {
    fn turns(&mut self, turns: &[Node]) -> Go<()> {
        for turn in turns {
            self.turn += 1;
            let think = turn.get("think").and_then(Node::as_text).and_then(sandfork_source::duration);
            let mut arguments = format!(
                "{{\"provider\":\"scripted\",\"turn\":{},\"think_ns\":{}",
                self.turn,
                think.unwrap_or_default().as_nanos()
            );
            if let Some(say) = turn.get("say") {
                arguments.push_str(&format!(",\"say\":{}", text(&self.plain(say)?)));
            }
            arguments.push('}');
            if let Err(failure) = self.tool("model", &arguments) {
                return Err(Err((failure.code, failure.message, failure.details)));
            }
            self.steps(turn.get("do").map_or(&[], |steps| list(steps)))?;
            if turn.get("return").is_some() || turn.get("fail").is_some() {
                self.step(turn)?;
            }
        }
        Ok(())
    }

    fn tool(&mut self, name: &str, arguments: &str) -> Result<String, Failure> {
        let arguments = value(arguments);
        self.calls.push(Call::Tool(name.into(), arguments.clone()));
        self.answers.tool(name, &arguments)
    }

    fn steps(&mut self, steps: &[Node]) -> Go<()> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Node) -> Go<()> {
        let get = |key: &str| step.get(key);
        if let Some(name) = get("tool").and_then(Node::as_text) {
            let with = get("with").map_or(Ok("{}".into()), |with| self.value(with).map(|with| json(&with)))?;
            let (kind, answer) = match self.tool(name, &with) {
                Ok(answer) => (Kind::Answer, node(&answer)),
                Err(f) => (
                    Kind::Error,
                    node(&format!(
                        "{{\"ok\":false,\"error\":{{\"code\":{},\"message\":{},\"details\":{}}}}}",
                        text(&f.code),
                        text(&f.message),
                        f.details
                    )),
                ),
            };
            self.bind(get("as"), kind, answer);
        } else if let Some(requests) = get("spawn") {
            self.spawn(list(requests), get("options"), get("as"))?;
        } else if let Some(note) = get("note") {
            let note = self.plain(note)?;
            self.calls.push(Call::Note(note));
        } else if let Some(condition) = get("if") {
            let branch = if self.holds(condition)? { get("then") } else { get("else") };
            self.steps(branch.map_or(&[], |steps| list(steps)))?;
        } else if let Some(of) = get("for_each") {
            let items = self.value(of)?;
            let NodeValue::List(items) = items.value else { return Err(mistaken(path_of(of), "a list")) };
            let item = get("as").and_then(Node::as_text).unwrap_or("item");
            for (at, one) in items.into_iter().enumerate() {
                self.names.insert(item.into(), (Kind::Value, one));
                if let Some(index) = get("index").and_then(Node::as_text) {
                    self.names.insert(index.into(), (Kind::Value, node(&at.to_string())));
                }
                self.body(step)?;
            }
        } else if let Some(bound) = get("repeat") {
            let NodeValue::Number(bound) = &bound.value else { panic!("a bound is a number") };
            for _ in 0..bound.parse::<u32>().expect("a bound is a whole number") {
                self.body(step)?;
                if get("until").map_or(Ok(false), |until| self.holds(until))? {
                    break;
                }
            }
        } else if let Some(fail) = get("fail") {
            let code = self.plain(fail.get("code").expect("checked"))?;
            let message = self.plain(fail.get("message").expect("checked"))?;
            let details = fail.get("details").map_or(Ok("{}".into()), |d| self.value(d).map(|d| json(&d)))?;
            return Err(Err((code, message, details)));
        } else if let Some(answer) = get("return") {
            return Err(Ok(json(&self.value(answer)?)));
        } else {
            panic!("a step does something");
        }
        Ok(())
    }

    fn body(&mut self, step: &Node) -> Go<()> {
        match (step.get("do"), step.get("turns")) {
            (Some(steps), _) => self.steps(list(steps)),
            (_, Some(turns)) => self.turns(list(turns)),
            _ => panic!("a loop has a body"),
        }
    }

    fn bind(&mut self, name: Option<&Node>, kind: Kind, value: Node) {
        if let Some(name) = name.and_then(Node::as_text) {
            self.names.insert(name.into(), (kind, value));
        }
    }

    fn spawn(&mut self, requests: &[Node], options: Option<&Node>, name: Option<&Node>) -> Go<()> {
        let mut asked = Vec::new();
        for request in requests {
            let agent = self.plain(request.get("agent").expect("checked"))?;
            let goal = self.plain(request.get("goal").expect("checked"))?;
            let context = request.get("context").map_or(Ok(node("{}")), |context| self.value(context))?;
            let NodeValue::Map(entries) = &request.value else { panic!("a request is a map") };
            let mut written = Vec::new();
            for (key, option) in entries.iter().filter(|(key, _)| !["agent", "goal", "context"].contains(&&*key.text)) {
                if key.text == "timeout" {
                    let time = option.as_text().and_then(sandfork_source::duration).expect("checked");
                    written.push(format!("\"timeout_ms\":{}", time.as_millis()));
                } else {
                    written.push(format!("{}:{}", text(&key.text), json(&self.value(option)?)));
                }
            }
            let options = value(&format!("{{{}}}", written.join(",")));
            asked.push(Asked { agent, goal, context: value(&json(&context)), options });
        }
        let options = options.map_or(Ok(node("{}")), |options| self.value(options))?;
        let options = value(&json(&options));
        self.calls.push(Call::Spawn(asked.clone(), options.clone()));
        let outcomes: Vec<_> = self
            .answers
            .spawn(&asked, &options)
            .into_iter()
            .map(|o| {
                let error = o.error.map_or("null".into(), |f| {
                    format!("{{\"code\":{},\"message\":{},\"details\":{}}}", text(&f.code), text(&f.message), f.details)
                });
                format!(
                    "{{\"task_id\":{},\"agent\":{},\"status\":{},\"ok\":{},\"output\":{},\"error\":{error},\"info\":{}}}",
                    text(&o.task_id),
                    text(&o.agent),
                    text(&o.status),
                    o.status == "ok",
                    o.output.unwrap_or("null".into()),
                    o.info
                )
            })
            .collect();
        self.bind(name, Kind::Outcomes, node(&format!("[{}]", outcomes.join(","))));
        Ok(())
    }

    /// Where a path leads.
    fn find(&self, path: &str) -> Option<(Kind, Node)> {
        let (root, hops) = reference(path);
        let (kind, mut at) = self.names.get(&root).cloned().unwrap_or_else(|| panic!("{root} is not set"));
        for hop in &hops {
            at = hop.follow(&at)?;
        }
        Some((if hops.is_empty() { kind } else { Kind::Value }, at))
    }

    fn need(&self, path: &str) -> Go<(Kind, Node)> {
        self.find(path).ok_or_else(|| absent(path))
    }

    fn value(&self, from: &Node) -> Go<Node> {
        let value = match &from.value {
            NodeValue::Text(written) => match value::alone(written) {
                Some(path) => return Ok(self.need(path)?.1),
                None => NodeValue::Text(self.template(written)?),
            },
            NodeValue::List(items) => NodeValue::List(items.iter().map(|item| self.value(item)).collect::<Go<_>>()?),
            NodeValue::Map(entries) => NodeValue::Map(
                entries.iter().map(|(key, item)| Ok((key.clone(), self.value(item)?))).collect::<Go<_>>()?,
            ),
            other => other.clone(),
        };
        Ok(Node { place: from.place, value })
    }

    fn plain(&self, from: &Node) -> Go<String> {
        self.template(from.as_text().expect("text"))
    }

    fn template(&self, written: &str) -> Go<String> {
        let mut out = String::new();
        for piece in value::pieces(written) {
            match piece {
                Ok(text) => out.push_str(&text),
                Err(path) => out.push_str(&render(&self.need(&path)?.1)),
            }
        }
        Ok(out)
    }

    fn holds(&self, condition: &Node) -> Go<bool> {
        if let Some(written) = condition.as_text() {
            return self.flag(value::alone(written).expect("a reference"));
        }
        let NodeValue::Map(entries) = &condition.value else { panic!("a condition is a map") };
        let (key, inner) = &entries[0];
        Ok(match key.text.as_str() {
            "ok" => {
                let path = bare(inner);
                match self.need(path)? {
                    (Kind::Answer, _) => true,
                    (Kind::Error, _) => false,
                    (Kind::Outcomes, outcomes) => {
                        list(&outcomes).iter().all(|o| o.get("ok").map(|ok| &ok.value) == Some(&NodeValue::Bool(true)))
                    }
                    (Kind::Value, _) => self.flag(&format!("{path}.ok"))?,
                }
            }
            "present" => self.find(bare(inner)).is_some(),
            "error" => {
                let (kind, of) = self.need(bare(inner.get("of").expect("checked")))?;
                let code = self.plain(inner.get("is").expect("checked"))?;
                let found = of.get("error").and_then(|error| error.get("code")).and_then(Node::as_text);
                kind != Kind::Answer && found == Some(&code)
            }
            "equal" => value::equal(&self.value(&list(inner)[0])?, &self.value(&list(inner)[1])?),
            "contains" => value::contains(&self.value(&list(inner)[0])?, &self.value(&list(inner)[1])?),
            "not" => !self.holds(inner)?,
            "all" => {
                for part in list(inner) {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            "any" => {
                for part in list(inner) {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                false
            }
            order => {
                let numbers = list(inner).iter().map(|side| self.number(side)).collect::<Go<Vec<_>>>()?;
                let found = decimal::order(&numbers[0], &numbers[1]);
                match order {
                    "less" => found == Ordering::Less,
                    "less_equal" => found != Ordering::Greater,
                    "greater" => found == Ordering::Greater,
                    "greater_equal" => found != Ordering::Less,
                    other => panic!("no condition {other}"),
                }
            }
        })
    }

    fn number(&self, side: &Node) -> Go<String> {
        match self.value(side)?.value {
            NodeValue::Number(text) => Ok(text),
            _ => Err(mistaken(path_of(side), "a number")),
        }
    }

    fn flag(&self, path: &str) -> Go<bool> {
        match self.need(path)?.1.value {
            NodeValue::Bool(flag) => Ok(flag),
            _ => Err(mistaken(path, "true or false")),
        }
    }
}

fn list(node: &Node) -> &[Node] {
    match &node.value {
        NodeValue::List(items) => items,
        other => panic!("not a list: {other:?}"),
    }
}

/// A path with or without `${` and `}`.
fn bare(node: &Node) -> &str {
    let text = node.as_text().expect("a path is text");
    value::alone(text).unwrap_or(text)
}

/// The path that a value is.
fn path_of(node: &Node) -> &str {
    bare(node)
}

fn value(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// The reader's limits, wide enough for answers.
pub fn limits() -> ParseLimits {
    ParseLimits::default()
}
