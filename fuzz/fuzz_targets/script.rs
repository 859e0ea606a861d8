//! Text in, component or problems out. Whatever the text is, the compiler answers: it never panics, what it refuses has a
//! place, and what it accepts is the same bytes when it is compiled again.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    match sandfork_script::compile("fuzz.yaml", source) {
        Ok(compiled) => {
            assert!(sandfork_script::manifest(&compiled.component).is_some(), "a component without its manifest");
            let again = sandfork_script::compile("fuzz.yaml", source);
            assert!(again.is_ok_and(|again| again == compiled), "the same source gave other bytes");
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            for problem in problems {
                let is_ours = problem.hint.as_deref().is_some_and(|hint| hint.starts_with("this is a fault of the compiler"));
                assert!(!is_ours, "{problem}");
            }
        }
    }
});
