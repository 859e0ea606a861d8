//! Who looks on while a project is built. Looking on decides nothing.

/// Told what happens; each call returns at once.
pub trait Watch {
    /// A step begins, in a few words: `cargo build`.
    fn step(&mut self, what: &str);
    /// The toolchain said a line.
    fn line(&mut self, line: &str);
    /// Nothing happened for a moment.
    fn tick(&mut self) {}
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watch for Silent {
    fn step(&mut self, _what: &str) {}
    fn line(&mut self, _line: &str) {}
}
