//! Unfinished files of builds that were killed: each carries the number of the process that made it. Knows no build.

use crate::group::may_live;
use std::fs;
use std::path::Path;

/// Removes what processes that are gone have left in `directory`. A courtesy: what cannot be removed stays.
pub(crate) fn clear(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let maker = entry.file_name().to_str().and_then(maker);
        if maker.is_some_and(|process| !may_live(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Who made an unfinished file: `.component.PID.wasm.tmp`, `.NAME.PID.tmp`.
fn maker(name: &str) -> Option<u32> {
    let name = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (_, process) = name.strip_suffix(".wasm").unwrap_or(name).rsplit_once('.')?;
    process.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unfinished_files_have_a_maker() {
        for (name, process) in [
            (".component.7.wasm.tmp", Some(7)),
            (".a.wasm.71.tmp", Some(71)),
            (".a.stamp.8.tmp", Some(8)),
            ("component.7.wasm.tmp", None),
            (".a.tmp", None),
            (".7.tmp", None),
            (".a.-7.tmp", None),
            (".a.7.wasm", None),
        ] {
            assert_eq!(maker(name), process, "{name}");
        }
    }
}
