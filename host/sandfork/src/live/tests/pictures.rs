//! What is on a picture, and that it always fits.

use super::*;

#[test]
fn a_small_tree_is_shown_whole_with_its_ends() {
    let (mut told, _, children) = Told::with_children(3);
    told.start(&children[0]);
    told.start(&children[1]);
    told.tell(&children[1], EventBody::ModelCall { turn: 2, is_ok: true, input_tokens: 0, output_tokens: 0 });
    told.end(&children[0], "failed");
    let wanted = "\
demo-1  2.5 s  1 running, 1 in spawn, 1 failed, 1 waiting
  task      agent   state     turns       fuel   left
  root      lead    in spawn      0  1.2k/640M  7.5 s
    … 1 waiting
    root/1  worker  failed        0  1.2k/640M
    root/2  worker  running       2  1.2k/640M  7.5 s";
    assert_eq!(told.first_picture(TALL), wanted);
}

#[test]
fn a_narrow_terminal_shows_less_of_each_fork() {
    let (mut told, _, children) = Told::with_children(1);
    told.start(&children[0]);
    let wanted = "\
demo-1  2.5 s  1 running, 1 in spawn
  task      agent   state      left
  root      lead    in spawn  7.5 s
    root/1  worker  running   7.5 s";
    assert_eq!(told.first_picture(SMALL), wanted);
}

#[test]
fn siblings_that_ended_are_folded_into_one_line_where_not_all_fit() {
    let (mut told, _, children) = Told::with_children(60);
    children[..42].iter().for_each(|child| told.start(child));
    children[..37].iter().for_each(|child| told.end(child, "ok"));
    children[37..39].iter().for_each(|child| told.end(child, "failed"));
    let picture = told.first_picture(TALL);
    assert!(picture.contains("\n    … 37 ok, 2 failed, 18 waiting\n"), "{picture}");
    for id in ["root/40 ", "root/41 ", "root/42 "] {
        assert!(picture.contains(id), "{picture}");
    }
    assert!(!picture.contains("root/37 "), "{picture}");
}

#[test]
fn a_picture_is_never_higher_than_the_terminal_and_says_what_it_leaves_out() {
    let (mut told, _, children) = Told::with_children(1_000);
    children.iter().for_each(|child| told.start(child));
    for rows in 5..60 {
        let picture = told.picture(Size { rows, cols: 80 }, &mut Layout::default());
        assert_eq!(picture.len(), (rows - 1).min(32));
        let shown = picture.iter().filter(|line| line.contains("worker")).count();
        assert_eq!(picture.last().map(String::as_str), Some(&*format!("  … {} more", 1_000 - shown)));
    }
}

#[test]
fn a_chain_deeper_than_the_terminal_fits_too() {
    let (mut told, root, _) = Told::with_children(0);
    let mut last = root;
    for _ in 0..100 {
        let next = Arc::new(last.child("worker", 0, None));
        told.admit(Some(&last));
        told.start(&next);
        last = next;
    }
    let picture = told.picture(SMALL, &mut Layout::default());
    assert_eq!(picture.len(), 9);
    assert!(picture.iter().all(|line| line.chars().count() <= 40), "{picture:#?}");
    assert_eq!(told.0.totals().in_spawn, 100);
}

#[test]
fn before_the_first_fork_the_run_is_starting() {
    assert_eq!(Told::new().first_picture(TALL), "demo-1  2.5 s  starting");
}

#[test]
fn an_ordinary_end_does_not_make_a_fork_jump_between_folded_and_shown() {
    let (mut told, _, children) = Told::with_children(8);
    let mut layout = Layout::default();
    children.iter().for_each(|child| told.start(child));
    assert!(told.picture(SMALL, &mut layout).last().is_some_and(|line| line.contains("more")));
    children[..6].iter().for_each(|child| told.end(child, "ok"));
    let picture = told.picture(SMALL, &mut layout).join("\n");
    assert!(picture.contains("… 6 ok") && !picture.contains("root/1 "), "{picture}");
}
