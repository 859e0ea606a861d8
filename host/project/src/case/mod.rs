//! Cases: a task, the answers of tools and models, and the outcome that is expected. Read with places, compared with what
//! came of it, rewritten where a person says that what came is right. Runs nothing.

mod compare;
mod emit;
mod expect;
mod plan;
mod read;
mod rewrite;
mod tree;

pub use compare::{Difference, differences};
pub use expect::{Expect, Got};
pub use plan::{Child, PlanParts};
pub use read::{Case, case_files, read_cases};
pub use rewrite::{rewrite, update};
