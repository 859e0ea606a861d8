//! What a component may ask for: our interface, and nothing else; where a plan says `wasi: denied` also the interfaces of WASI
//! that have nothing behind them. Closed by default; this is the one file that opens it.

use crate::anatomy::{Anatomy, Named};
use crate::bounds::refuse;
use crate::wasi;
use sandfork_model::port::{LoadOptions, Unloadable};

/// The one interface on offer, as components name it.
pub(crate) const INTERFACE: &str = "sandfork:agent/orchestrator@0.1.0";
const INTERFACE_NAME: &str = "sandfork:agent/orchestrator";
/// Versions that may be asked for: the linker then holds the types to each other.
const COMPATIBLE: &str = "0.1.";
/// What the component must offer.
pub(crate) const RUN: &str = "run";

/// Holds a component's imports and exports to the guest contract, by name. Types are the linker's to compare.
///
/// # Errors
/// The import that is not on offer, or the missing `run`.
pub(crate) fn check(anatomy: &Anatomy, options: LoadOptions) -> Result<(), Unloadable> {
    for import in &anatomy.imports {
        is_offered(import, options)?;
    }
    if anatomy.exports.iter().any(|export| export.name == RUN && export.kind == "func") {
        return Ok(());
    }
    let exports: Vec<&str> = anatomy.exports.iter().map(|export| export.name.as_str()).take(8).collect();
    let found = if exports.is_empty() { "nothing".to_owned() } else { format!("`{}`", exports.join("`, `")) };
    Err(missing_run(format!("the component exports no function `run`; it exports {found}")))
}

/// The refusal of a component that is well-formed but cannot be run.
pub(crate) fn missing_run(message: String) -> Unloadable {
    Unloadable {
        message,
        hint: Some("export `run: func(task: json) -> result<json, error>`, as wit/agent.wit has it".to_owned()),
        is_missing_export: true,
    }
}

fn is_offered(import: &Named, options: LoadOptions) -> Result<(), Unloadable> {
    if import.is_type_equality {
        return Ok(());
    }
    let (name, version) = import.name.split_once('@').unwrap_or((&import.name, ""));
    let is_ours = name == INTERFACE_NAME && import.kind == "instance";
    if is_ours && is_compatible(version) {
        return Ok(());
    }
    if is_ours {
        let asked = if version.is_empty() { "no version".to_owned() } else { format!("version {version}") };
        return Err(refuse(
            format!("the component imports `{}` ({asked}); this host offers `{INTERFACE}`", import.name),
            Some("build it against the version on offer, or use a newer sandfork"),
        ));
    }
    let is_wasi = import.kind == "instance" && wasi::is_offered(&import.name);
    let (besides, hint) = match (is_wasi, options.wasi_denied) {
        (true, true) => return Ok(()),
        (true, false) => (
            "nothing else",
            "an agent gets no WASI: build it with WASI stubbed out, or say `wasi: denied` in its plan entry for WASI with nothing \
             behind it",
        ),
        (false, true) if name.starts_with("wasi:") => (
            "of WASI only io, cli, clocks, random, filesystem and sockets of 0.2, with nothing behind them",
            "an agent reaches the world through tools: ask for one by name",
        ),
        (false, _) if name.starts_with("wasi:") => {
            ("nothing else", "an agent gets no WASI: build it with WASI stubbed out")
        }
        (false, _) => ("nothing else", "an agent reaches the world through tools: ask for one by name"),
    };
    Err(refuse(
        format!(
            "the component imports {} `{}`; this host offers `{INTERFACE}` and {besides}",
            import.kind, import.name
        ),
        Some(hint),
    ))
}

/// `0.1.N` without pre-release or build parts: those match nothing but themselves.
fn is_compatible(version: &str) -> bool {
    version.strip_prefix(COMPATIBLE).is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: LoadOptions = LoadOptions { wasi_denied: false };
    const DENIED: LoadOptions = LoadOptions { wasi_denied: true };

    fn import(name: &str, kind: &'static str) -> Named {
        Named { name: name.into(), kind, is_type_equality: false }
    }

    // HOSTILE 24. Without the allow-list the linker would refuse too, but only after compiling, and in its own words.
    #[test]
    fn only_our_interface_is_offered_and_the_extra_import_is_named() {
        for name in ["sandfork:agent/orchestrator@0.1.0", "sandfork:agent/orchestrator@0.1.7"] {
            assert_eq!(is_offered(&import(name, "instance"), PLAIN), Ok(()), "{name}");
        }
        for (name, kind) in [
            ("wasi:cli/environment@0.2.0", "instance"),
            ("wasi:sockets/tcp@0.2.0", "instance"),
            ("acme:spy/wire", "instance"),
            ("sandfork:agent/orchestrator@0.2.0", "instance"),
            ("sandfork:agent/orchestrator@0.1.1-rc.1", "instance"),
            ("sandfork:agent/orchestrator@0.1.", "instance"),
            ("sandfork:agent/orchestrator@1.0.0", "instance"),
            ("sandfork:agent/orchestrator", "instance"),
            ("sandfork:agent/orchestrator@0.1.0", "func"),
            ("sandfork:agent/extra@0.1.0", "instance"),
            ("plain", "func"),
        ] {
            let refused = is_offered(&import(name, kind), PLAIN).expect_err(name);
            assert!(refused.message.contains(name), "{name} is not named: {}", refused.message);
            assert!(refused.message.contains(INTERFACE), "what is offered is not named: {}", refused.message);
            assert!(!refused.is_missing_export);
        }
    }

    #[test]
    fn a_newer_version_is_refused_naming_both_versions() {
        for newer in ["0.2.0", "1.0.0"] {
            let import = import(&format!("sandfork:agent/orchestrator@{newer}"), "instance");
            for options in [PLAIN, DENIED] {
                let refused = is_offered(&import, options).expect_err("newer");
                let names_both =
                    refused.message.contains(&format!("version {newer}")) && refused.message.contains("@0.1.0");
                assert!(names_both, "{}", refused.message);
            }
        }
    }

    // HOSTILE 24: closed unless the plan opens it, and then no wider than what has nothing behind it.
    #[test]
    fn wasi_is_offered_where_it_is_denied_and_nothing_that_was_not_emptied() {
        for name in ["wasi:cli/environment@0.2.0", "wasi:sockets/tcp@0.2.99", "wasi:io/streams@0.2.6"] {
            let refused = is_offered(&import(name, "instance"), PLAIN).expect_err(name);
            assert!(refused.hint.is_some_and(|hint| hint.contains("wasi: denied")), "{name}");
            assert_eq!(is_offered(&import(name, "instance"), DENIED), Ok(()), "{name}");
        }
        for (name, kind) in [
            ("wasi:http/outgoing-handler@0.2.0", "instance"),
            ("wasi:clocks/timezone@0.2.0", "instance"),
            ("wasi:cli/run@0.2.0", "instance"),
            ("wasi:cli/environment@0.3.0", "instance"),
            ("wasi:cli/environment@0.2.0-rc-2023-11-10", "instance"),
            ("wasi:cli/environment@0.2.", "instance"),
            ("wasi:cli/environment", "instance"),
            ("wasi:cli/environment@0.2.0", "func"),
            ("acme:spy/wire", "instance"),
        ] {
            let refused = is_offered(&import(name, kind), DENIED).expect_err(name);
            assert!(refused.message.contains(name), "{name} is not named: {}", refused.message);
        }
    }
}
