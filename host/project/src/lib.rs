//! Agent projects: a directory with a manifest, sources in one language, and cases. Reads them, makes new ones from a
//! template, builds them with the language's own toolchain, and says how what a case expects differs from what it got.
//!
//! Knows no engine: whether a component is acceptable, and what became of a case, is told by whoever runs it.

mod build;
mod case;
mod error;
mod files;
mod group;
mod inputs;
mod language;
mod leftovers;
mod manifest;
mod process;
mod project;
mod scaffold;
mod section;
mod stamp;
mod template;
mod toolchain;
mod watch;

pub use build::{BuildOptions, Built, build};
pub use case::{Case, Child, Difference, Expect, Got, PlanParts, case_files, differences, read_cases, rewrite, update};
pub use error::{BuildError, NewError};
pub use language::Language;
pub use manifest::Manifest;
pub use project::{PROJECT_FILE, Project};
pub use scaffold::{Made, NewProject, make};
pub use section::with_manifest;
pub use toolchain::for_shell;
pub use watch::{Silent, Watch};
