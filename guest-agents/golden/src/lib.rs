//! Uses every function and every field of the interface once and returns what it saw, word for word: a component of this
//! source, kept as it was compiled, shows that a later host still speaks interface 0.1.0.

#![cfg(target_arch = "wasm32")]

wit_bindgen::generate!({ path: "../sdk/wit", world: "agent" });

use sandfork::agent::orchestrator::{Request, note, spawn, tool};

struct Golden;

impl Guest for Golden {
    fn run(task: String) -> Result<String, Error> {
        note("golden 0.1.0");
        // A task that asks for a failure gets one, so that the way of errors is shown too.
        if task.contains("\"fail\":true") {
            let details = "{\"asked\":true}".to_owned();
            return Err(Error { code: "asked_to_fail".to_owned(), message: "as asked".to_owned(), details });
        }
        let read = match tool("read_file", "{\"path\":\"golden.txt\"}") {
            Ok(answer) => answer,
            Err(error) => format!("{{\"code\":\"{}\"}}", error.code),
        };
        let request = Request {
            agent: "golden".to_owned(),
            goal: "Fail, as asked.".to_owned(),
            context: "{\"fail\":true}".to_owned(),
            options: "{\"id\":\"below\"}".to_owned(),
        };
        let below: Vec<String> = spawn(&[request], "{\"return\":\"all\"}")
            .into_iter()
            .map(|outcome| {
                let code = outcome.error.map(|error| error.code).unwrap_or_default();
                let output = outcome.output.unwrap_or_else(|| "null".to_owned());
                format!(
                    "{{\"task_id\":\"{}\",\"agent\":\"{}\",\"status\":\"{}\",\"output\":{output},\"code\":\"{code}\",\"has_info\":{}}}",
                    outcome.task_id,
                    outcome.agent,
                    outcome.status,
                    outcome.info.starts_with('{'),
                )
            })
            .collect();
        Ok(format!("{{\"interface\":\"0.1.0\",\"read\":{read},\"below\":[{}]}}", below.join(",")))
    }
}

export!(Golden);
