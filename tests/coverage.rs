//! The list of acceptance items itself: whole, each once. Whether each has its test is `.ci/coverage`'s question.

use crate::harness::repository;

#[test]
fn the_list_of_acceptance_items_is_whole_and_in_order() {
    let text = std::fs::read_to_string(repository().join("tests/acceptance-ids.txt")).expect("the list");
    let listed: Vec<&str> =
        text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(' ').next()).collect();
    let wanted: Vec<String> =
        (1..=55).map(|n| format!("M4-{n:02}")).chain((1..=64).map(|n| format!("OR-{n:02}"))).collect();
    assert_eq!(listed, wanted);
}
