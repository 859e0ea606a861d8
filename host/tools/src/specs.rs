//! What a guest is told about every built-in tool: name, description, JSON Schema of the arguments. Answers none of them.

use sandfork_model::ToolSpec;
use serde_json::{Value, json};

/// Every built-in tool, those that the orchestrator answers itself (`budget`, `fork_subagents`) included.
#[must_use]
pub fn built_in_specs() -> Vec<ToolSpec> {
    let mut all = vec![model(), sleep()];
    all.extend(answered_by_orchestrator());
    all.extend(workspace());
    all.extend(artifacts());
    all
}

/// The tools that have no provider: the orchestrator answers them out of its own ledger and gate.
#[must_use]
pub fn answered_by_orchestrator() -> Vec<ToolSpec> {
    vec![budget(), fork_subagents()]
}

pub(crate) fn model() -> ToolSpec {
    spec(
        "model",
        "Calls a model for one turn. With `messages` it answers {text, tool_calls, output?, turn, usage}; the provider \
         `scripted` answers {turn, text} with what was given to it, after `think_ns` nanoseconds.",
        &[],
        json!({
            "messages": { "type": "array", "items": { "type": "object" } },
            "tools": { "type": "array", "items": { "type": "object" } },
            "max_output_tokens": { "type": "integer", "minimum": 0 },
            "provider": { "type": "string", "enum": ["scripted"] },
            "turn": { "type": "integer", "minimum": 0 },
            "think_ns": { "type": "integer", "minimum": 0, "maximum": 86_400_000_000_000_u64 },
            "say": { "type": "string" },
            "exhausted": { "type": "boolean" },
        }),
    )
}

pub(crate) fn sleep() -> ToolSpec {
    let mut spec = spec(
        "sleep",
        "Waits, then answers {}. Give either `ms` or `duration`; at most 24 hours.",
        &[],
        json!({
            "ms": { "type": "integer", "minimum": 0, "maximum": 86_400_000 },
            "duration": { "type": "string", "pattern": "^[0-9]+([.][0-9]+)?(ns|us|ms|s|m|h)$" },
        }),
    );
    if let Some(schema) = spec.input_schema.as_object_mut() {
        schema.insert("oneOf".into(), json!([{ "required": ["ms"] }, { "required": ["duration"] }]));
    }
    spec
}

fn budget() -> ToolSpec {
    spec("budget", "Answers what is left of this fork's budget and time, by dimension.", &[], json!({}))
}

fn fork_subagents() -> ToolSpec {
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    let task = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["agent", "goal"],
        "properties": {
            "agent": { "type": "string", "description": "Name of an agent this fork may start." },
            "goal": { "type": "string" },
            "context": { "type": "object", "description": "All the child gets to know besides the goal." },
            "id": { "type": "string" },
            "tools": strings,
            "budget": { "type": "object" },
            "budget_min": { "type": "object" },
            "timeout_ms": { "type": "integer", "minimum": 1 },
            "on_failure": { "type": "string", "enum": ["propagate", "skip"] },
            "critical": { "type": "boolean" },
            "low_value": { "type": "boolean" },
            "output_schema": { "type": "object" },
            "acceptance_criteria": strings,
            "context_refs": strings,
        },
    });
    spec(
        "fork_subagents",
        "Starts all tasks as subagents, each in a sandbox of its own, and answers {ok, text, outcomes} when all have \
         ended. One unknown agent name refuses the whole call.",
        &["tasks"],
        json!({ "tasks": { "type": "array", "items": task } }),
    )
}

/// The five file tools, in the order of DESIGN section 6.
pub(crate) fn workspace() -> Vec<ToolSpec> {
    let path = json!({ "type": "string", "description": "Relative to the workspace, parts joined by `/`." });
    let text = json!({ "type": "string" });
    vec![
        spec("read_file", "Answers {path, text, bytes, lines} of a text file.", &["path"], json!({ "path": path })),
        spec(
            "write_file",
            "Writes a whole file, making it and its directories where they are missing. Answers {path, bytes, created}.",
            &["path", "text"],
            json!({ "path": path, "text": text }),
        ),
        spec(
            "edit_file",
            "Replaces `old`, which must occur exactly once, by `new`. Answers {path, bytes, replaced, line}.",
            &["path", "old", "new"],
            json!({ "path": path, "old": { "type": "string", "minLength": 1 }, "new": text }),
        ),
        spec(
            "list_files",
            "Answers {files: [{path, bytes}], truncated, skipped}: all files below a directory, sorted by path. Links are \
             neither listed nor followed.",
            &[],
            json!({ "path": path }),
        ),
        spec(
            "search_files",
            "Answers {matches: [{path, line, text}], truncated, skipped}: the lines that a regular expression matches, \
             sorted by path and line. `skipped` counts files that are no text or too large.",
            &["pattern"],
            json!({ "pattern": { "type": "string", "minLength": 1 }, "path": path }),
        ),
    ]
}

/// The two artifact tools.
pub(crate) fn artifacts() -> Vec<ToolSpec> {
    let range = json!({ "type": "integer", "minimum": 0 });
    vec![
        spec(
            "artifact_put",
            "Stores a text as the next version of a named artifact. Answers {ref, name, version, bytes, lines, sha256}; the \
             reference always leads to these bytes.",
            &["name", "text"],
            json!({
                "name": { "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_.-]{0,63}$" },
                "text": { "type": "string" },
                "media_type": { "type": "string", "description": "TYPE/SUBTYPE, such as text/markdown." },
            }),
        ),
        spec(
            "artifact_get",
            "Reads an artifact of this run, or a part of it by bytes or by lines (the first line is 1), at most 64 KiB. \
             Answers {ref, sha256, bytes, lines, offset, partial, more, text}.",
            &["ref"],
            json!({ "ref": { "type": "string" }, "offset": range, "length": range, "line": range, "lines": range }),
        ),
    ]
}

fn spec(name: &str, description: &str, required: &[&str], properties: Value) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.into(),
        input_schema: json!({
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        }),
    }
}
