//! Text with places: YAML and JSON to a tree that knows line and column, and problems that point there.
//!
//! Knows nothing of plans or scripts, and does no I/O: bytes come in, a [`Node`] or a [`Problem`] goes out.

mod builder;
mod fields;
mod json;
mod json_text;
mod limits;
mod near;
mod node;
mod problem;
mod quantity;
mod read;
mod scalar;
mod yaml;

pub use fields::{Fields, expect_list, expect_text, expect_texts};
pub use limits::ParseLimits;
pub use near::nearest;
pub use node::{Key, Node, NodeValue, Place};
pub use problem::{MAX_PROBLEMS, Problem, Problems, quote};
pub use quantity::{duration, size};
pub use read::{parse, parse_yaml};
pub use scalar::resolve;
