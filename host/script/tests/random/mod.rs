//! Scripts, tasks and answers made from a string of bytes: each byte a choice, so that proptest can make a failing script
//! smaller by making the bytes fewer. Every script made here compiles.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use crate::fake::Failure;
use serde_json::{Map, Value, json};

/// Choices still to be made; 0 when there are no more.
pub struct Choices<'a>(std::slice::Iter<'a, u8>);

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.iter())
    }

    fn of(&mut self, n: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % n
    }

    fn one<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.of(all.len())].clone()
    }

    fn is(&mut self, one_in: usize) -> bool {
        self.of(one_in) == 1
    }

    fn is_over(&self) -> bool {
        self.0.len() == 0
    }
}

const NUMBERS: [&str; 14] = [
    "0",
    "-0.0",
    "1",
    "1.0",
    "1.50",
    "1.5",
    "-2",
    "100",
    "1e2",
    "9007199254740993",
    "9007199254740992",
    "0.1",
    "15E-1",
    "3",
];
const TEXTS: [&str; 10] =
    ["", "a", "read", "a\"b\\c", "line\nbreak\ttab", "é😀", "${x}", "$", "1.5", "{\"a\": [1, 2]}"];
const KEYS: [&str; 6] = ["n", "t", "l", "ok", "error", "a key"];

fn number(choices: &mut Choices<'_>) -> Value {
    serde_json::from_str(choices.one(&NUMBERS)).expect("numbers are JSON")
}

/// A value without references. Text keeps `${` as it is.
fn value(choices: &mut Choices<'_>, depth: usize) -> Value {
    match choices.of(if depth == 0 { 4 } else { 7 }) {
        0 => number(choices),
        1 => Value::from(choices.one(&TEXTS)),
        2 => Value::Bool(choices.is(2)),
        3 => Value::Null,
        4 | 5 => Value::Array((0..choices.of(4)).map(|_| value(choices, depth - 1)).collect()),
        _ => object(choices, depth),
    }
}

fn object(choices: &mut Choices<'_>, depth: usize) -> Value {
    let mut map = Map::new();
    for _ in 0..choices.of(4) {
        let key = choices.one(&KEYS);
        map.insert(key.into(), value(choices, depth.saturating_sub(1)));
    }
    Value::Object(map)
}

/// Compact or pretty.
fn written(choices: &mut Choices<'_>, value: &Value) -> String {
    if choices.is(2) { serde_json::to_string_pretty(value).expect("JSON") } else { value.to_string() }
}

/// An answer with the keys that references like to name.
pub fn answer(choices: &mut Choices<'_>) -> Result<String, Failure> {
    if choices.is(4) {
        let details = object(choices, 1);
        let code = choices.one(&["not_found", "timeout", "bad"]);
        return Err(Failure::new(code, choices.one(&["", "no \"such\" \\ thing", "é😀"]), &details.to_string()));
    }
    let mut answer =
        json!({ "n": number(choices), "t": choices.one(&TEXTS), "l": [value(choices, 1), value(choices, 1)] });
    if choices.is(2) {
        answer["ok"] = Value::Bool(choices.is(2));
    }
    if choices.is(3) {
        answer["error"] = json!({ "code": choices.one(&["not_found", "bad"]) });
    }
    Ok(written(choices, &answer))
}

pub fn task(choices: &mut Choices<'_>) -> String {
    let list: Vec<_> = (0..choices.of(4)).map(|_| value(choices, 1)).collect();
    let context = json!({
        "n": number(choices), "t": choices.one(&TEXTS), "l": list, "flag": choices.is(2), "a key": value(choices, 2),
        "items": [{ "ok": true, "n": 1 }, { "ok": choices.is(2), "n": number(choices), "error": { "code": "bad" } }],
    });
    let task = json!({ "goal": "go", "context": context });
    written(choices, &task)
}

/// What is known while a script is made.
#[derive(Clone, Default)]
struct Names {
    /// Answers of tools and lists of outcomes, and which of them may be outcomes.
    answers: Vec<(String, bool)>,
    /// Items and indexes of the loops around.
    loops: Vec<String>,
}

impl Names {
    fn set(&mut self, name: &str, is_outcomes: bool) {
        self.answers.retain(|(have, _)| have != name);
        self.answers.push((name.into(), is_outcomes));
    }

    /// What is set on both ways.
    fn and(&mut self, other: &Self) {
        self.answers.retain(|(name, _)| other.answers.iter().any(|(have, _)| have == name));
        for (name, is_outcomes) in &mut self.answers {
            *is_outcomes |= other.answers.iter().any(|(have, is)| have == name && *is);
        }
    }
}

/// A path that mostly leads somewhere.
fn path(choices: &mut Choices<'_>, names: &Names) -> String {
    let task = [
        "task.context.n",
        "task.context.t",
        "task.context.l",
        "task.context.flag",
        "task.context[\"a key\"]",
        "task.goal",
        "task.context.items",
        "task.context.items[0]",
        "task.context.items[-1].n",
        "task.context",
    ];
    match choices.of(8) {
        0 if choices.is(4) => {
            choices.one(&["task.no", "task.context.l[0]", "task.context.l[-2]", "task.context.n.t"]).into()
        }
        0..=3 => choices.one(&task).into(),
        4..=6 if !names.answers.is_empty() => {
            let (name, is_outcomes) = choices.one(&names.answers);
            let rest = if is_outcomes {
                choices.one(&["", "[0]", "[0].status", "[-1].output", "[0].ok", "[0].error"])
            } else {
                choices.one(&["", ".n", ".t", ".l", ".l[1]", ".l[-1]", ".error.code", ".ok"])
            };
            format!("{name}{rest}")
        }
        7 if !names.loops.is_empty() => choices.one(&names.loops),
        _ => choices.one(&task).into(),
    }
}

/// Text with references and escapes.
fn text(choices: &mut Choices<'_>, names: &Names) -> String {
    let mut text = String::new();
    for _ in 0..choices.of(4) {
        match choices.of(4) {
            0 => text.push_str(&format!("${{{}}}", path(choices, names))),
            1 => text.push_str(choices.one(&["$${", "$", "}", " \" ", "\\", "\n", "$${task.goal}"])),
            _ => text.push_str(choices.one(&["a", "b ", "é😀", "x=1.50"])),
        }
    }
    // A `$` before a reference would escape it, which is fine; before an escape it only adds a `$`.
    text
}

/// A value with references.
fn filled(choices: &mut Choices<'_>, names: &Names, depth: usize) -> Value {
    match choices.of(if depth == 0 { 4 } else { 6 }) {
        0 | 1 => Value::from(format!("${{{}}}", path(choices, names))),
        2 => Value::from(text(choices, names)),
        3 => number(choices),
        4 => Value::Array((0..choices.of(3)).map(|_| filled(choices, names, depth - 1)).collect()),
        _ => arguments(choices, names, depth - 1),
    }
}

fn arguments(choices: &mut Choices<'_>, names: &Names, depth: usize) -> Value {
    let mut map = Map::new();
    for _ in 0..choices.of(3) {
        map.insert(choices.one(&KEYS).into(), filled(choices, names, depth));
    }
    Value::Object(map)
}

fn condition(choices: &mut Choices<'_>, names: &Names, depth: usize) -> Value {
    match choices.of(if depth == 0 { 7 } else { 10 }) {
        0 => json!({ "present": path(choices, names) }),
        1 => json!({ "equal": [filled(choices, names, 1), filled(choices, names, 1)] }),
        2 => json!({ "contains": [filled(choices, names, 1), filled(choices, names, 1)] }),
        3 => {
            let order = choices.one(&["less", "less_equal", "greater", "greater_equal"]);
            let side = |choices: &mut Choices<'_>| match choices.of(3) {
                0 => number(choices),
                1 => Value::from("${task.context.n}"),
                _ => Value::from(format!("${{{}}}", path(choices, names))),
            };
            let sides = [side(choices), side(choices)];
            json!({ order: sides })
        }
        4 => match names.answers.is_empty() {
            true => json!({ "ok": "task.context.items[1]" }),
            false => json!({ "ok": choices.one(&names.answers).0 }),
        },
        5 => {
            let of: Vec<_> =
                names.answers.iter().filter(|(_, is_outcomes)| !is_outcomes).map(|(name, _)| name.clone()).collect();
            let of = if of.is_empty() { "task.context.items[1]".to_owned() } else { choices.one(&of) };
            json!({ "error": { "of": of, "is": choices.one(&["not_found", "bad", "${task.goal}"]) } })
        }
        6 => Value::from(choices.one(&["${task.context.flag}", "${task.context.items[1].ok}", "${task.context.t}"])),
        7 => json!({ "not": condition(choices, names, depth - 1) }),
        n => {
            let parts: Vec<_> = (0..=choices.of(3)).map(|_| condition(choices, names, depth - 1)).collect();
            json!({ if n == 8 { "all" } else { "any" }: parts })
        }
    }
}

fn request(choices: &mut Choices<'_>, names: &Names) -> Value {
    let mut request = json!({ "agent": choices.one(&["alpha", "beta", "${task.goal}"]), "goal": text(choices, names) });
    if choices.is(2) {
        request["context"] = filled(choices, names, 2);
    }
    if choices.is(3) {
        request["timeout"] = Value::from("1.5s");
    }
    if choices.is(3) {
        request["acceptance_criteria"] = json!([text(choices, names)]);
    }
    request
}

/// Steps; true if no run comes past them, which makes them the last.
fn steps(choices: &mut Choices<'_>, names: &mut Names, depth: usize) -> (Vec<Value>, bool) {
    let mut steps = Vec::new();
    for _ in 0..1 + choices.of(5) {
        if choices.is_over() {
            break;
        }
        let (step, is_last) = step(choices, names, depth);
        steps.push(step);
        if is_last {
            return (steps, true);
        }
    }
    (steps, false)
}

fn step(choices: &mut Choices<'_>, names: &mut Names, depth: usize) -> (Value, bool) {
    let free = ["x", "y", "z"];
    match choices.of(if depth == 0 { 7 } else { 13 }) {
        0..=2 => {
            let mut step = json!({ "tool": choices.one(&["read", "write", "budget"]) });
            if choices.is(2) {
                step["with"] = arguments(choices, names, 2);
            }
            if !choices.is(3) {
                let name = choices.one(&free);
                step["as"] = Value::from(name);
                names.set(name, false);
            }
            (step, false)
        }
        3 | 4 => (json!({ "note": text(choices, names) }), false),
        5 => {
            let requests: Vec<_> = (0..=choices.of(3)).map(|_| request(choices, names)).collect();
            let mut step = json!({ "spawn": requests });
            if choices.is(3) {
                step["options"] = json!({ "return": choices.one(&["all", "first_ok", "${task.goal}"]) });
            }
            let name = choices.one(&free);
            step["as"] = Value::from(name);
            names.set(name, true);
            (step, false)
        }
        6 if choices.is(3) => match choices.is(2) {
            true => (json!({ "return": filled(choices, names, 2) }), true),
            false => {
                let code = choices.one(&["no", "blocked", "c${task.goal}"]);
                (
                    json!({ "fail": { "code": code, "message": text(choices, names), "details": filled(choices, names, 2) } }),
                    true,
                )
            }
        },
        6 => (json!({ "note": text(choices, names) }), false),
        7..=9 => {
            let asked = condition(choices, names, 2);
            let mut other = names.clone();
            let (then, is_over) = steps(choices, names, depth - 1);
            let mut step = json!({ "if": asked, "then": then });
            let mut is_other_over = false;
            if choices.is(2) {
                let (otherwise, is) = steps(choices, &mut other, depth - 1);
                step["else"] = Value::from(otherwise);
                is_other_over = is;
            }
            match (is_over, is_other_over) {
                (true, true) => return (step, true),
                (true, false) => *names = other,
                (false, true) => {}
                (false, false) => names.and(&other),
            }
            (step, false)
        }
        10 | 11 => {
            let before = names.clone();
            let list = match choices.of(4) {
                0 => filled_list(choices, names),
                1 => Value::from("${task.context.l}"),
                2 => Value::from("${task.context.items}"),
                _ => Value::from(format!("${{{}}}", path(choices, names))),
            };
            // A loop's own names depend on how deep it is, so that they never meet.
            let (item, index) = (format!("item{depth}"), format!("index{depth}"));
            let mut step = json!({ "for_each": list, "as": item, "index": index });
            names.loops.push(item);
            names.loops.push(index);
            let _ = body(choices, names, depth, &mut step);
            *names = before.clone();
            names.answers.iter_mut().for_each(|(_, is_outcomes)| *is_outcomes = true);
            (step, false)
        }
        _ => {
            let mut step = json!({ "repeat": 1 + choices.of(3) });
            let is_over = body(choices, names, depth, &mut step);
            if choices.is(2) {
                step["until"] = condition(choices, names, 1);
            }
            (step, is_over)
        }
    }
}

fn filled_list(choices: &mut Choices<'_>, names: &Names) -> Value {
    Value::Array((0..choices.of(3)).map(|_| filled(choices, names, 1)).collect())
}

/// A loop's body, not empty.
fn body(choices: &mut Choices<'_>, names: &mut Names, depth: usize, step: &mut Value) -> bool {
    if choices.is(3) {
        let (turns, is_over) = turns(choices, names, depth - 1, 1);
        step["turns"] = Value::from(turns);
        return is_over;
    }
    let (mut list, is_over) = steps(choices, names, depth - 1);
    if list.is_empty() {
        list.push(json!({ "note": text(choices, names) }));
    }
    step["do"] = Value::from(list);
    is_over
}

fn turns(choices: &mut Choices<'_>, names: &mut Names, depth: usize, least: usize) -> (Vec<Value>, bool) {
    let mut turns = Vec::new();
    for _ in 0..least + choices.of(3) {
        let mut turn = json!({});
        if choices.is(3) {
            turn["think"] = Value::from(choices.one(&["80ms", "1.5s", "0s", "250us"]));
        }
        if choices.is(2) {
            turn["say"] = Value::from(text(choices, names));
        }
        let (list, mut is_over) = steps(choices, names, depth);
        turn["do"] = Value::from(list);
        if !is_over && choices.is(5) {
            turn["return"] = filled(choices, names, 2);
            is_over = true;
        }
        turns.push(turn);
        if is_over {
            return (turns, true);
        }
    }
    (turns, false)
}

pub fn script(choices: &mut Choices<'_>) -> String {
    let (turns, _) = turns(choices, &mut Names::default(), 3, 2);
    json!({ "agent": "random", "tools": ["read", "write"], "turns": turns }).to_string()
}
