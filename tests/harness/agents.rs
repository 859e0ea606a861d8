//! Shipped agents as components, built by the commands that their READMEs name.

use super::{BINARY, repository};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

/// Agents that this test program has built.
static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// The component of `guest-agents/NAME`, as `sandfork build` makes it where the toolchain has been made ready.
pub(crate) fn built(name: &str) -> PathBuf {
    let mut built = BUILT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(component) = built.get(name) {
        return component.clone();
    }
    let agents = repository().join("guest-agents");
    let directory = agents.join(name);
    let output = Command::new(agents.join("toolchain"))
        .args([BINARY, "build", &directory.display().to_string()])
        .output()
        .expect("the toolchain starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "guest-agents/toolchain sandfork build guest-agents/{name}\n{said}");
    let component = directory.join("build").join(format!("{name}.wasm"));
    assert!(component.is_file(), "{} was not made\n{said}", component.display());
    built.insert(name.to_owned(), component.clone());
    component
}
