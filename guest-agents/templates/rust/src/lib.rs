//! {{name}}: reads the file that its task names and says how large it is.

#![forbid(unsafe_code)]

use sandfork_guest::{Agent, Context, Failure, Json, Task, json};
use serde::Deserialize;

/// The agent. It holds nothing: every fork starts anew.
struct Reader;

/// The part of `read_file`'s answer that is used here.
#[derive(Deserialize)]
struct File {
    bytes: u64,
}

impl Agent for Reader {
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
        // Absent from the context? The fork ends `blocked` and names the field.
        let path = task.need_text("path")?;
        host.note(format!("reading {path}"));
        // A tool's error becomes this fork's failure by `?`; match on it instead to go on without the file.
        let file: File = host.tool_as("read_file", &json!({ "path": path }))?;
        Ok(json!({ "reply": format!("{path} has {} bytes", file.bytes), "bytes": file.bytes }))
    }
}

sandfork_guest::export!(Reader);

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::fake::FakeHost;

    #[test]
    fn the_size_of_the_file_is_returned() {
        let run = FakeHost::new()
            .tool("read_file", |arguments| Ok(json!({ "path": arguments["path"], "text": "milk", "bytes": 4 })))
            .run::<Reader>(Task::new("Read it").context(json!({ "path": "todo.txt" })));
        assert_eq!(run.result, Ok(json!({ "reply": "todo.txt has 4 bytes", "bytes": 4 })));
        assert_eq!(run.notes, ["reading todo.txt"]);
    }

    #[test]
    fn a_file_that_is_not_there_is_the_agents_failure() {
        let run = FakeHost::new()
            .tool("read_file", |_| Err(Failure::new("not_found", "no such file")))
            .run::<Reader>(Task::new("Read it").context(json!({ "path": "todo.txt" })));
        assert_eq!(run.result.map_err(|failure| failure.code), Err("not_found".to_owned()));
    }

    #[test]
    fn a_task_without_a_path_is_blocked() {
        let run = FakeHost::new().run::<Reader>(Task::new("Read it"));
        assert_eq!(run.result, Err(Failure::blocked(["path"])));
    }
}
