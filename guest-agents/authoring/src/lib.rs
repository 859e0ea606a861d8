//! Not an agent: it makes every Rust snippet of docs/authoring.md a test of this workspace.

#[cfg(doctest)]
#[doc = include_str!("../../../docs/authoring.md")]
pub struct Authoring;
