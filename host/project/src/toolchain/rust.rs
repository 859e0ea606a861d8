//! Rust for wasm32-unknown-unknown: cargo, with rustc's own linker for components. Where rustc lacks the target, the
//! private compiler that `guest-agents/toolchain` prepares is used.

use super::pieces::{absolute, missing, on_path};
use super::{COMPONENT_BYTES, Compiled, Toolchain};
use crate::error::BuildError;
use crate::files::read_bounded;
use crate::language::Language;
use crate::process::Program;
use crate::project::Project;
use crate::watch::Watch;
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

const TARGET: &str = "wasm32-unknown-unknown";
const LINKER: &str = "wasm-component-ld";
const STEP: &str = "cargo build";
/// What to do where no compiler has the target.
const REMEDY: &str =
    "run: rustup target add wasm32-unknown-unknown (where rustup cannot download: guest-agents/toolchain)";
/// The sources a build looked at, as cargo lists them.
const DEP_INFO_BYTES: u64 = 4 << 20;
/// Settings of the caller's own builds that would change what a guest is made of, or for.
const NOT_FOR_GUESTS: [&str; 6] =
    ["RUSTC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_TARGET"];

pub(crate) struct Rust {
    dir: PathBuf,
    cargo: PathBuf,
    /// Another compiler than cargo would choose.
    rustc: Option<PathBuf>,
    linker: PathBuf,
    versions: Vec<String>,
}

impl Rust {
    pub(crate) fn find(project: &Project, watch: &dyn Watch) -> Result<Self, BuildError> {
        let dir = absolute(project)?;
        let lacks = |piece: &str, remedy: &str| missing(Language::Rust, piece, remedy.to_owned());
        let by_rustup = "install Rust with rustup";
        let cargo = on_path("cargo").ok_or_else(|| lacks("cargo", by_rustup))?;
        let path = on_path("rustc").ok_or_else(|| lacks("rustc", by_rustup))?;
        let usual = Compiler::ask(&path, &dir, watch).ok_or_else(|| lacks("rustc", by_rustup))?;
        let linker = usual
            .tool(LINKER)
            .or_else(|| on_path(LINKER))
            .ok_or_else(|| lacks(LINKER, "run: cargo install wasm-component-ld"))?;
        let (rustc, compiler) = if usual.has_target() {
            (None, usual)
        } else {
            let private = private_compiler().filter(|path| path.is_file());
            let found = private.and_then(|path| Compiler::ask(&path, &dir, watch).map(|compiler| (path, compiler)));
            let (path, compiler) = found
                .filter(|(_, compiler)| compiler.has_target())
                .ok_or_else(|| lacks("the target wasm32-unknown-unknown of rustc", REMEDY))?;
            (Some(path), compiler)
        };
        Ok(Self { dir, cargo, rustc, linker, versions: vec![compiler.version] })
    }

    fn program(&self) -> Program {
        let mut program = Program::new(STEP, &self.cargo, &self.dir).args([
            "build",
            "--release",
            "--target",
            TARGET,
            "--message-format",
            "json-render-diagnostics",
        ]);
        program.is_output_data = true;
        program.env.extend(NOT_FOR_GUESTS.map(|name| (name, None)));
        program.env.push(("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", Some(OsString::from(&self.linker))));
        if let Some(rustc) = &self.rustc {
            program.env.push(("RUSTC", Some(OsString::from(rustc))));
        }
        program
    }
}

impl Toolchain for Rust {
    fn versions(&self) -> &[String] {
        &self.versions
    }

    fn compile(&self, _project: &Project, _scratch: &Path, watch: &mut dyn Watch) -> Result<Compiled, BuildError> {
        let messages = self.program().run(watch)?;
        let failed = |ended: String| BuildError::Failed { step: STEP.into(), ended, said: Vec::new() };
        let artifact = artifact(&messages, &self.dir).ok_or_else(|| {
            failed("it made no component; is `crate-type = [\"cdylib\"]` under [lib] of Cargo.toml?".into())
        })?;
        let component = read_bounded(&artifact, COMPONENT_BYTES)
            .map_err(|error| failed(format!("{} cannot be read: {error}", artifact.display())))?;
        Ok(Compiled { component, outside: outside(&artifact, &self.dir) })
    }
}

/// What a compiler says of itself.
struct Compiler {
    version: String,
    host: String,
    sysroot: PathBuf,
}

impl Compiler {
    fn ask(path: &Path, dir: &Path, watch: &dyn Watch) -> Option<Self> {
        let ask = |args: &[&str]| {
            let mut program = Program::new("rustc", path, dir).args(args);
            program.env.extend(NOT_FOR_GUESTS.map(|name| (name, None)));
            program.answer(watch)
        };
        let verbose = ask(&["-vV"])?;
        let host = verbose.lines().find_map(|line| line.strip_prefix("host: "))?.to_owned();
        let sysroot = PathBuf::from(ask(&["--print", "sysroot"])?);
        Some(Self { version: verbose.lines().next()?.to_owned(), host, sysroot })
    }

    /// Whether it has the core library of the target; an empty directory of that name is none.
    fn has_target(&self) -> bool {
        let libraries = self.sysroot.join("lib/rustlib").join(TARGET).join("lib");
        let names = fs::read_dir(libraries).into_iter().flatten().flatten();
        names
            .map(|entry| entry.file_name())
            .any(|name| name.to_str().is_some_and(|name| name.starts_with("libcore-") && name.ends_with(".rlib")))
    }

    /// A program that lies beside it.
    fn tool(&self, name: &str) -> Option<PathBuf> {
        let bin = self.sysroot.join("lib/rustlib").join(&self.host).join("bin");
        Some(bin.join(format!("{name}{}", env::consts::EXE_SUFFIX))).filter(|path| path.is_file())
    }
}

/// Where `guest-agents/toolchain` puts its compiler.
fn private_compiler() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let root = set("SANDFORK_GUEST_RUST").or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| env::home_dir().map(|home| home.join(".cache")))?;
        Some(cache.join("sandfork/guest-rust"))
    })?;
    Some(root.join("bin/rustc"))
}

/// The component among what cargo says it made, of this very package and not of one it depends on.
fn artifact(messages: &str, dir: &Path) -> Option<PathBuf> {
    let own = dir.join("Cargo.toml").canonicalize().ok()?;
    let is_own = |message: &Value| {
        let manifest = message.get("manifest_path").and_then(Value::as_str).map(Path::new);
        manifest.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path == own)
    };
    let made = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_us = made.filter(|message| {
        message.get("reason").and_then(Value::as_str) == Some("compiler-artifact") && is_own(message)
    });
    let mut files = of_us.flat_map(|message| {
        let names = message.get("filenames").and_then(Value::as_array).cloned().unwrap_or_default();
        names.into_iter().filter_map(|name| name.as_str().map(PathBuf::from))
    });
    files.rfind(|path| path.extension().is_some_and(|extension| extension == "wasm"))
}

/// The sources outside the project that went into an artifact, from the list that cargo keeps beside it. Without the list
/// there are none that anybody knows of.
fn outside(artifact: &Path, dir: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = read_bounded(&artifact.with_extension("d"), DEP_INFO_BYTES) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    let Some((_, sources)) = text.lines().next().and_then(|line| line.split_once(": ")) else { return Vec::new() };
    let inside = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let sources = words(sources).into_iter().map(PathBuf::from);
    let mut outside: Vec<PathBuf> =
        sources.filter(|path| path.canonicalize().is_ok_and(|path| !path.starts_with(&inside))).collect();
    outside.sort();
    outside
}

/// The words of a make rule; `\ ` is a blank inside one.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.push(String::new()),
            '\\' if chars.next_if_eq(&' ').is_some() => words.last_mut().into_iter().for_each(|word| word.push(' ')),
            c => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_component_is_that_of_the_project_itself() {
        let home = tempfile::tempdir().expect("a directory");
        fs::write(home.path().join("Cargo.toml"), "").expect("written");
        fs::create_dir(home.path().join("sdk")).expect("made");
        fs::write(home.path().join("sdk/Cargo.toml"), "").expect("written");
        let message = |manifest: &str, file: &str| {
            let manifest = home.path().join(manifest);
            serde_json::json!({ "reason": "compiler-artifact", "manifest_path": manifest, "filenames": [file] })
                .to_string()
        };
        let messages = [
            "not JSON".to_owned(),
            message("Cargo.toml", "/t/agent.wasm"),
            message("Cargo.toml", "/t/agent.rlib"),
            message("sdk/Cargo.toml", "/t/sdk.wasm"),
            "{\"reason\":\"build-finished\",\"success\":true}".to_owned(),
        ];
        assert_eq!(artifact(&messages.join("\n"), home.path()), Some(PathBuf::from("/t/agent.wasm")));
        assert_eq!(artifact(&message("sdk/Cargo.toml", "/t/sdk.wasm"), home.path()), None);
    }

    #[test]
    fn sources_outside_the_project_are_found_in_cargos_list() {
        let home = tempfile::tempdir().expect("a directory");
        let file = |path: &str| {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(&path, "").expect("written");
            path
        };
        let (inside, outside_of_it) = (file("agent/src/lib.rs"), file("the sdk/src/lib.rs"));
        let escaped = outside_of_it.display().to_string().replace(' ', "\\ ");
        let artifact = file("agent/target/agent.wasm");
        let list = format!("{}: {} {escaped} /nowhere.rs\n", artifact.display(), inside.display());
        fs::write(artifact.with_extension("d"), list).expect("written");
        assert_eq!(outside(&artifact, &home.path().join("agent")), [outside_of_it]);
    }
}
