//! The loop detector: a fork that calls the same tool again and again without progress goes in circles (HF-20). Looks back
//! over a bounded window; what a loop means is the caller's business.

use sandfork_model::{LoopDetector, sha256_hex};
use std::collections::VecDeque;

/// The last calls of one fork.
#[derive(Debug, Default)]
pub(crate) struct Recent(VecDeque<Call>);

#[derive(Debug)]
struct Call {
    tool: String,
    answer: String,
    has_progressed: bool,
}

impl Recent {
    /// Remembers a call; true if it completes a loop. A call progresses if its answer says so (`"progressed": true`) or is
    /// one that the window has not seen from this tool.
    pub(crate) fn is_loop(&mut self, detector: LoopDetector, tool: &str, answer: &str) -> bool {
        let says_so = answer.contains("\"progressed\":true") || answer.contains("\"progressed\": true");
        let answer = sha256_hex(answer.as_bytes());
        let is_new = !self.0.iter().any(|call| call.tool == tool && call.answer == answer);
        self.0.push_back(Call { tool: tool.into(), answer, has_progressed: says_so || is_new });
        while self.0.len() > detector.window {
            self.0.pop_front();
        }
        let stuck = self.0.iter().filter(|call| call.tool == tool && !call.has_progressed).count();
        stuck >= detector.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triggers_at(calls: &[(&str, &str)]) -> Option<usize> {
        let mut recent = Recent::default();
        calls.iter().position(|(tool, answer)| recent.is_loop(LoopDetector::default(), tool, answer)).map(|at| at + 1)
    }

    // HF-20
    #[test]
    fn four_calls_without_progress_in_a_window_of_six_are_a_loop() {
        let same = ("search", "nothing");
        // The first answer is news; the fourth repetition of it completes the loop.
        assert_eq!(triggers_at(&[same; 5]), Some(5));
        assert_eq!(triggers_at(&[same; 4]), None);
        let alternating = [("a", "x"), ("b", "x"), ("a", "x"), ("b", "x"), ("a", "x"), ("b", "x")];
        assert_eq!(triggers_at(&alternating), None);
        let marked = ("search", r#"{"progressed":true}"#);
        assert_eq!(triggers_at(&[marked; 20]), None);
        let news: Vec<(String, String)> = (0..20).map(|n| ("read".to_owned(), n.to_string())).collect();
        let news: Vec<(&str, &str)> = news.iter().map(|(tool, answer)| (tool.as_str(), answer.as_str())).collect();
        assert_eq!(triggers_at(&news), None);
    }
}
