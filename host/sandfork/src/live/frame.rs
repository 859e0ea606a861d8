//! One picture of the tree: a line on top, a table of forks, never more lines than the terminal has. Walks what it shows
//! and nothing else; everything it does not show is a count that was kept.

use super::cells;
use super::layout::{Layout, Size, TITLES, cell};
use super::line::{Line, Tone};
use super::node::{Node, State, Tally};
use super::tree::Tree;
use sandfork_model::TaskPath;

/// A tall terminal is not filled: what stood there before the run stays in sight.
const MOST_LINES: usize = 32;
/// Lines above the forks: the one on top, and the titles.
const LINES_ABOVE: usize = 2;
/// Deeper levels are indented no further.
const DEEPEST_INDENT: u32 = 6;

/// A line of the table, before it is laid out.
enum Row<'a> {
    Fork(&'a Node),
    Fold { depth: u32, ended: Tally, waiting: u64 },
}

/// The picture at `now_ns` on the run's clock.
pub(super) fn frame(tree: &Tree, now_ns: u64, size: Size, layout: &mut Layout) -> Vec<Line> {
    // The cursor stands on the line below.
    let most = size.rows.saturating_sub(1).min(MOST_LINES);
    let room = most.saturating_sub(LINES_ABOVE);
    layout.fit(size);
    let has_too_many = !tree.keeps_ended() || rows(tree, false).take(room + 1).count() > room;
    let is_folded = layout.folds(has_too_many);
    let mut shown: Vec<Row<'_>> = rows(tree, is_folded).take(room + 1).collect();
    let is_cut = shown.len() > room;
    if is_cut {
        shown.truncate(room.saturating_sub(1));
    }

    let mut lines = vec![top(tree, now_ns)];
    if shown.is_empty() {
        return lines;
    }
    lines.extend(table(&shown, now_ns, size.cols, layout));
    if is_cut {
        let mut line = Line::default();
        line.push(Tone::Faint, format!("  … {} more", unseen(tree, &shown)));
        lines.push(line);
    }
    lines.truncate(most);
    lines
}

/// Every line of the table, depth first: a fork, and below it what is folded of its children.
fn rows(tree: &Tree, is_folded: bool) -> impl Iterator<Item = Row<'_>> {
    tree.nodes().flat_map(move |node| {
        let is_run = node.task.path == TaskPath::above_all();
        let is_in_sight = !is_folded || node.end.is_none();
        let fork = (is_in_sight && !is_run).then_some(Row::Fork(node));
        let ended = if is_folded { node.ended } else { Tally { refused: node.ended.refused, ..Tally::default() } };
        let has_fold = is_in_sight && (ended != Tally::default() || node.waiting > 0);
        let depth = if is_run { 0 } else { node.task.depth.saturating_add(1) };
        [fork, has_fold.then_some(Row::Fold { depth, ended, waiting: node.waiting })].into_iter().flatten()
    })
}

/// Forks alive that have no line.
fn unseen(tree: &Tree, shown: &[Row<'_>]) -> u64 {
    let totals = tree.totals();
    let seen = shown.iter().filter(|row| matches!(row, Row::Fork(node) if node.end.is_none())).count();
    (totals.running + totals.in_spawn).saturating_sub(u64::try_from(seen).unwrap_or(u64::MAX))
}

/// `demo-1  3.2 s  8 running, 1 in spawn, 980 waiting, 12 ok, 2 failed`
fn top(tree: &Tree, now_ns: u64) -> Line {
    let mut line = Line::default();
    let run = tree.nodes().next().map_or("run", |run| &*run.task.run.id);
    line.push(Tone::Strong, cells::name(run));
    line.push(Tone::Plain, format!("  {}  ", cells::time(now_ns)));
    let totals = tree.totals();
    let alive = [(totals.running, "running"), (totals.in_spawn, "in spawn")].map(|(n, what)| (n, what, Tone::Plain));
    let counts = alive.into_iter().chain(folded(&totals.ended, totals.waiting));
    if !list(&mut line, counts) {
        line.push(Tone::Faint, if tree.is_finished() { "finished" } else { "starting" });
    }
    line
}

fn table(rows: &[Row<'_>], now_ns: u64, cols: usize, layout: &mut Layout) -> Vec<Line> {
    let titles = TITLES.map(str::to_owned);
    let cells: Vec<Option<[String; 6]>> = rows
        .iter()
        .map(|row| match row {
            Row::Fork(node) => Some(fork(node, now_ns)),
            Row::Fold { .. } => None,
        })
        .collect();
    layout.widen(std::iter::once(&titles).chain(cells.iter().flatten()));
    let columns = layout.columns(cols.saturating_sub(1));
    let laid_out = |cells: &[String; 6], tones: [Tone; 6]| {
        let mut line = Line::default();
        for (place, ((text, width), tone)) in cells.iter().zip(columns).zip(tones).enumerate() {
            if let Some(width) = width {
                line.push(tone, cell(place, text, width));
            }
        }
        line
    };
    let mut lines = vec![laid_out(&titles, [Tone::Faint; 6])];
    for (row, cells) in rows.iter().zip(&cells) {
        lines.push(match (row, cells) {
            (Row::Fork(node), Some(cells)) => laid_out(cells, tones(node)),
            (Row::Fold { depth, ended, waiting }, _) => fold(*depth, ended, *waiting),
            (Row::Fork(_), None) => Line::default(),
        });
    }
    lines
}

fn fork(node: &Node, now_ns: u64) -> [String; 6] {
    let is_alive = node.end.is_none();
    let state = match node.state() {
        State::Running => "running",
        State::InSpawn => "in spawn",
        State::Ended(status) => status,
    };
    let left = match node.deadline_ns {
        u64::MAX => String::new(),
        deadline_ns if is_alive => cells::time(deadline_ns.saturating_sub(now_ns)),
        _ => String::new(),
    };
    [
        format!("{}{}", indent(node.task.depth), cells::name(&node.task.task_id)),
        cells::name(&node.task.agent),
        state.to_owned(),
        cells::short(node.turns),
        format!("{}/{}", cells::short(node.fuel_used), cells::short(node.fuel_granted)),
        left,
    ]
}

fn tones(node: &Node) -> [Tone; 6] {
    let (state, rest) = match node.state() {
        State::Running => (Tone::Strong, Tone::Plain),
        State::InSpawn => (Tone::Idle, Tone::Plain),
        State::Ended("ok") => (Tone::Good, Tone::Faint),
        State::Ended("cancelled") => (Tone::Faint, Tone::Faint),
        State::Ended(_) => (Tone::Bad, Tone::Plain),
    };
    [rest, rest, state, rest, rest, rest]
}

/// `… 37 ok, 2 failed, 12 waiting`
fn fold(depth: u32, ended: &Tally, waiting: u64) -> Line {
    let mut line = Line::default();
    line.push(Tone::Faint, format!("  {}… ", indent(depth)));
    list(&mut line, folded(ended, waiting));
    line
}

fn folded(ended: &Tally, waiting: u64) -> impl Iterator<Item = (u64, &'static str, Tone)> {
    [
        (ended.ok, "ok", Tone::Good),
        (ended.failed, "failed", Tone::Bad),
        (ended.cancelled, "cancelled", Tone::Faint),
        (ended.refused, "refused", Tone::Bad),
        (waiting, "waiting", Tone::Faint),
    ]
    .into_iter()
}

/// Appends the counts that are not 0; whether there were any.
fn list(line: &mut Line, counts: impl Iterator<Item = (u64, &'static str, Tone)>) -> bool {
    let mut has_any = false;
    for (n, what, tone) in counts.filter(|(n, ..)| *n > 0) {
        if has_any {
            line.push(Tone::Plain, ", ");
        }
        line.push(tone, format!("{n} {what}"));
        has_any = true;
    }
    has_any
}

fn indent(depth: u32) -> String {
    "  ".repeat(usize::try_from(depth.min(DEEPEST_INDENT)).unwrap_or_default())
}
