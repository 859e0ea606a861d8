//! Whether the model goes in circles: the same call with the same answer, again and again. Looks back over a few calls.

use crate::limits::{REPEATS, WINDOW};
use sandfork_guest::Json;
use std::collections::VecDeque;

/// The last calls with their answers.
#[derive(Debug, Default)]
pub(crate) struct Circles(VecDeque<(String, Json, String)>);

impl Circles {
    /// Remembers a call; true if it completes a loop. What was counted once is forgotten, so that one loop is told once.
    pub(crate) fn is_loop(&mut self, tool: &str, arguments: &Json, answer: &str) -> bool {
        self.0.push_back((tool.to_owned(), arguments.clone(), answer.to_owned()));
        while self.0.len() > WINDOW {
            self.0.pop_front();
        }
        let same = self.0.iter().filter(|(a, b, c)| a == tool && b == arguments && c == answer).count();
        let is_loop = same >= REPEATS;
        if is_loop {
            self.0.clear();
        }
        is_loop
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::json;

    // HF-20
    #[test]
    fn the_third_call_with_the_same_answer_is_a_loop_and_news_is_none() {
        let told = |calls: &[(&str, i32, &str)]| -> Vec<bool> {
            let mut circles = Circles::default();
            calls.iter().map(|(tool, n, answer)| circles.is_loop(tool, &json!({ "n": n }), answer)).collect()
        };
        assert_eq!(told(&[("a", 1, "x"); 4]), [false, false, true, false]);
        assert!(told(&[("a", 1, "x"); 6])[5], "told again when it goes on");
        assert!(!told(&[("a", 1, "x"), ("a", 1, "y"), ("a", 1, "z"), ("a", 2, "x")]).contains(&true));
        assert!(!told(&[("a", 1, "x"), ("b", 1, "x"), ("a", 1, "x"), ("b", 1, "x")]).contains(&true));
        let far = ["x", "1", "2", "3", "4", "5", "x", "6", "7", "8", "9", "10", "x"].map(|answer| ("a", 1, answer));
        assert!(!told(&far).contains(&true));
    }
}
