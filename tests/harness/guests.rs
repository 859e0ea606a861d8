//! The guests of `fixtures/guests` as components, and the way to run them: on one worker and on two, to the same bytes.

use super::{Ran, Run, fixture};

/// A script that returns at once: the sibling that must not notice anything.
pub(crate) const QUIET: &str = "agent: quiet\nturns:\n  - return: { fine: true }\n";

impl Run {
    /// Writes a guest as `NAME.wasm` beside the plan.
    pub(crate) fn guest(self, name: &str) -> Self {
        self.guest_with(name, "", "")
    }

    /// The same, with a part of its text replaced; the part must be there.
    pub(crate) fn guest_with(self, name: &str, from: &str, to: &str) -> Self {
        let text = std::fs::read_to_string(fixture("guests").join(format!("{name}.wat"))).expect("a guest");
        assert!(text.contains(from), "{name} has no `{from}`");
        let component = wat::parse_str(text.replacen(from, to, 1)).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.file(&format!("{name}.wasm"), component)
    }
}

/// Runs it under virtual time on one worker and on two. Both must write the same bytes; the first is handed back.
pub(crate) fn settled(make: impl Fn() -> Run, code: i32) -> Ran {
    let [one, two] = ["1", "2"].map(|workers| make().with(["--virtual-time", "--workers", workers]).json());
    let one = one.expect_code(code);
    assert_eq!(one.stdout, two.expect_code(code).stdout, "the report differs with two workers");
    one
}

/// Runs it in real time on one worker: nothing may be left to a second thread.
pub(crate) fn on_one_worker(make: impl Fn() -> Run, code: i32) -> Ran {
    make().with(["--workers", "1"]).json().expect_code(code)
}
