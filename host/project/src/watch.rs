//! Who looks on while a project is built. Looking on decides nothing but when to give up.

/// Told what happens; each call returns at once.
pub trait Watch {
    /// A step begins, in a few words: `cargo build`.
    fn step(&mut self, what: &str);
    /// The toolchain said a line.
    fn line(&mut self, line: &str);
    /// Nothing happened for a moment.
    fn tick(&mut self) {}
    /// Whether the build is no longer wanted. Asked several times a second; a program that runs then is ended with all it started.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Somebody who is not told anything, and may still give up.
pub(crate) struct Untold<'a>(pub(crate) &'a dyn Watch);

impl Watch for Untold<'_> {
    fn step(&mut self, _what: &str) {}
    fn line(&mut self, _line: &str) {}
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watch for Silent {
    fn step(&mut self, _what: &str) {}
    fn line(&mut self, _line: &str) {}
}
