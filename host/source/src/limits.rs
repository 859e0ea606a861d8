//! How much text a reader takes before it says no. Passed in by the caller, never a global.

/// Limits of one parse. Memory and time of a parse are proportional to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// Bytes of source text.
    pub max_bytes: usize,
    /// Lists and maps inside one another; a lone scalar has depth 0.
    pub max_depth: usize,
    /// Values and keys together: bounds the memory that many tiny ones would take.
    pub max_nodes: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        // Far above any plan or script a person writes, far below what a host would notice. Walking the tree recurses,
        // so the depth also keeps every later stage within a small stack.
        Self { max_bytes: 4 << 20, max_depth: 64, max_nodes: 200_000 }
    }
}
