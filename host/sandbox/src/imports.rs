//! What a component may ask for: our interface, and nothing else. Closed by default; this is the one file that opens it.

use crate::anatomy::{Anatomy, Named};
use crate::bounds::refuse;
use sandfork_model::port::Unloadable;

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
pub(crate) fn check(anatomy: &Anatomy) -> Result<(), Unloadable> {
    for import in &anatomy.imports {
        is_offered(import)?;
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

fn is_offered(import: &Named) -> Result<(), Unloadable> {
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
    let hint = if name.starts_with("wasi:") {
        "an agent gets no WASI: build it with WASI stubbed out"
    } else {
        "an agent reaches the world through tools: ask for one by name"
    };
    Err(refuse(
        format!(
            "the component imports {} `{}`; this host offers `{INTERFACE}` and nothing else",
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

    fn import(name: &str, kind: &'static str) -> Named {
        Named { name: name.into(), kind, is_type_equality: false }
    }

    // HOSTILE 24. Without the allow-list the linker would refuse too, but only after compiling, and in its own words.
    #[test]
    fn only_our_interface_is_offered_and_the_extra_import_is_named() {
        for name in ["sandfork:agent/orchestrator@0.1.0", "sandfork:agent/orchestrator@0.1.7"] {
            assert_eq!(is_offered(&import(name, "instance")), Ok(()), "{name}");
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
            let refused = is_offered(&import(name, kind)).expect_err(name);
            assert!(refused.message.contains(name), "{name} is not named: {}", refused.message);
            assert!(refused.message.contains(INTERFACE), "what is offered is not named: {}", refused.message);
            assert!(!refused.is_missing_export);
        }
    }

    #[test]
    fn a_newer_version_is_refused_naming_both_versions() {
        let refused = is_offered(&import("sandfork:agent/orchestrator@0.2.0", "instance")).expect_err("newer");
        assert!(refused.message.contains("version 0.2.0") && refused.message.contains("@0.1.0"), "{}", refused.message);
    }
}
