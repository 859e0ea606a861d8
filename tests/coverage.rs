//! The list of acceptance items itself: whole, each once. Whether each has its test is `.ci/coverage`'s question.

use crate::harness::repository;

#[test]
fn the_list_of_acceptance_items_is_whole_and_in_order() {
    let text = std::fs::read_to_string(repository().join("tests/acceptance-ids.txt")).expect("the list");
    let listed: Vec<&str> =
        text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(' ').next()).collect();
    let families = [("M4", 55), ("OR", 64), ("HF", 36), ("GV", 60)];
    let numbered = |(family, last)| (1..=last).map(move |n| format!("{family}-{n:02}"));
    let wanted: Vec<String> =
        families.into_iter().flat_map(numbered).chain((1..=11).map(|n| format!("X-{n}"))).collect();
    assert_eq!(listed, wanted);
}
