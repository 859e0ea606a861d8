//! `sandfork schema`: the documents' schemas as they are kept, and the defaults as a plan would write them.

use crate::cli::args::{SchemaArgs, SchemaOf};
use crate::cli::exit::Exit;
use crate::cli::show;
use sandfork::schema;
use std::fmt::Write as _;

pub(crate) fn schema(args: &SchemaArgs) -> Exit {
    let text = match args.of {
        SchemaOf::Plan => schema::PLAN.to_owned(),
        SchemaOf::Script => schema::SCRIPT.to_owned(),
        SchemaOf::Task => schema::TASK.to_owned(),
        SchemaOf::Report => schema::REPORT.to_owned(),
        SchemaOf::Event => schema::EVENT.to_owned(),
        SchemaOf::Defaults => defaults(),
    };
    show::text(&text, Exit::Completed)
}

/// YAML that can be pasted into a plan; what has no default stands there as a comment.
fn defaults() -> String {
    let mut text = String::from("# The default of every limit. A plan changes what it writes.\nlimits:\n");
    for (key, default, meaning) in schema::defaults_table() {
        let entry = if default == "absent" { format!("# {key}:") } else { format!("{key}: {default}") };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {entry:<28} # {meaning}");
    }
    text
}
