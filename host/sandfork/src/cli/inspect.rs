//! `sandfork inspect`: what is in a component, loadable here or not.

use crate::cli::args::InspectArgs;
use crate::cli::exit::Exit;
use crate::cli::reach::reach;
use crate::cli::show;
use sandfork::{Departure, Inspection};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn inspect(args: &InspectArgs) -> Exit {
    match sandfork::inspect_file(&args.component) {
        Ok(inspection) if args.json => show::document(&document(&inspection), Exit::Completed),
        Ok(inspection) => show::text(&words(&inspection), Exit::Completed),
        Err(failure) => show::failure(&failure, args.json, Exit::Usage),
    }
}

fn document(inspection: &Inspection) -> Value {
    let Inspection {
        size_bytes,
        digest,
        imports,
        exports,
        core_modules,
        functions,
        largest_function_bytes,
        memory_pages,
        custom_sections,
        manifest,
        refusal,
        departures,
        loads_with_wasi_denied,
    } = inspection;
    let sections: Vec<Value> =
        custom_sections.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes })).collect();
    let departures: Vec<Value> = departures
        .iter()
        .map(|one| json!({ "function": one.function, "expected": one.expected, "found": one.found }))
        .collect();
    json!({
        "schema": "sandfork.inspect.v1",
        "size_bytes": size_bytes,
        "sha256": digest,
        "imports": imports,
        "exports": exports,
        "core_modules": core_modules,
        "functions": functions,
        "largest_function_bytes": largest_function_bytes,
        "memory_pages": memory_pages,
        "custom_sections": sections,
        "manifest": manifest,
        "loadable": refusal.is_none() && inspection.departures.is_empty(),
        "loadable_with_wasi_denied": loads_with_wasi_denied,
        "refusal": refusal.as_ref().map(|why| json!({ "message": why.message, "hint": why.hint })),
        "reach": reach(inspection),
        "departures": departures,
    })
}

fn words(inspection: &Inspection) -> String {
    let mut text = String::new();
    let mut line = |what: &str, words: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{what:<10} {}", sandfork_report::plain::plain(words));
    };
    line("size", &format!("{} bytes", inspection.size_bytes));
    line("sha256", &inspection.digest);
    for import in &inspection.imports {
        line("import", import);
    }
    for export in &inspection.exports {
        line("export", export);
    }
    line("core", &format!("{} modules, {} functions", inspection.core_modules, inspection.functions));
    line("largest", &format!("{} bytes in one function", inspection.largest_function_bytes));
    for pages in &inspection.memory_pages {
        line("memory", &format!("{pages} pages of 64 KiB at first"));
    }
    for (name, bytes) in &inspection.custom_sections {
        line("section", &format!("{name}, {bytes} bytes"));
    }
    if let Some(manifest) = &inspection.manifest {
        line("manifest", &manifest.to_string());
    }
    for sentence in reach(inspection) {
        line("reach", &sentence);
    }
    for Departure { function, expected, found } in &inspection.departures {
        line("differs", function);
        line("", &format!("wit/agent.wit: {}", expected.as_deref().unwrap_or("no such function")));
        line("", &format!("here:          {}", found.as_deref().unwrap_or("no such function")));
    }
    match &inspection.refusal {
        None if !inspection.departures.is_empty() => {
            line("loadable", "no: its functions are not those of the world it names");
            line("hint", "build it against the wit/ of this version, as `sandfork new` writes it");
        }
        None => line("loadable", "yes"),
        Some(why) => {
            let how = if inspection.loads_with_wasi_denied { "only by an entry with `wasi: denied`" } else { "no" };
            line("loadable", &format!("{how}: {}", why.message));
            if let Some(hint) = &why.hint {
                line("hint", hint);
            }
        }
    }
    text
}
