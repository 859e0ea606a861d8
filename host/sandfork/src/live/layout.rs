//! What stays from one picture to the next, so that nothing jumps: columns only ever grow, and siblings that were folded
//! stay folded until the terminal changes its size.

/// How large the terminal is, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: usize,
    pub(super) cols: usize,
}

/// The columns, in their order.
pub(super) const TITLES: [&str; 6] = ["task", "agent", "state", "turns", "fuel", "left"];
/// The most characters of each.
const WIDEST: [usize; 6] = [28, 16, 13, 6, 12, 8];
/// Columns of numbers, which stand to the right.
const NUMBERS_FROM: usize = 3;
/// Which columns go first where the terminal is narrow: fuel, turns, agent, time left.
const GOES_FIRST: [usize; 4] = [4, 3, 1, 5];
/// Between two columns, and before the first.
const GAP: usize = 2;

/// Widths and folding.
#[derive(Debug, Default)]
pub(super) struct Layout {
    widths: [usize; 6],
    size: Option<Size>,
    has_folded: bool,
}

impl Layout {
    /// Fits the layout to the terminal.
    pub(super) fn fit(&mut self, size: Size) {
        if self.size.replace(size) != Some(size) {
            self.has_folded = false;
        }
    }

    /// Whether ended siblings are folded, given that not everything fits now.
    pub(super) fn folds(&mut self, has_too_many: bool) -> bool {
        self.has_folded |= has_too_many;
        self.has_folded
    }

    /// Widens the columns to what the rows need.
    pub(super) fn widen<'a>(&mut self, rows: impl Iterator<Item = &'a [String; 6]>) {
        for row in rows {
            for ((width, widest), cell) in self.widths.iter_mut().zip(WIDEST).zip(row) {
                *width = (*width).max(cell.chars().count()).min(widest);
            }
        }
    }

    /// The columns there is room for, each with its width.
    pub(super) fn columns(&self, cols: usize) -> [Option<usize>; 6] {
        let mut columns = self.widths.map(Some);
        for goes in GOES_FIRST {
            let taken: usize = columns.iter().flatten().map(|width| width + GAP).sum();
            if taken <= cols {
                break;
            }
            if let Some(column) = columns.get_mut(goes) {
                *column = None;
            }
        }
        columns
    }
}

/// One cell with its gap, cut and filled to its width.
pub(super) fn cell(place: usize, text: &str, width: usize) -> String {
    let text = if place == 0 { fit_task(text, width) } else { super::cells::head(text, width) };
    if place < NUMBERS_FROM { format!("{:GAP$}{text:<width$}", "") } else { format!("{:GAP$}{text:>width$}", "") }
}

/// A task id keeps its indentation and its end.
fn fit_task(text: &str, width: usize) -> String {
    let id = text.trim_start();
    let indent = text.len().saturating_sub(id.len()).min(width / 2);
    format!("{:indent$}{}", "", super::cells::tail(id, width.saturating_sub(indent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let mut layout = Layout::default();
        layout.widen([TITLES.map(str::to_owned)].iter());
        layout
    }

    #[test]
    fn columns_grow_up_to_a_bound_and_never_shrink() {
        let mut layout = layout();
        let mut row = TITLES.map(str::to_owned);
        row[1] = "x".repeat(99);
        layout.widen([row].iter());
        layout.widen([TITLES.map(str::to_owned)].iter());
        assert_eq!(layout.widths, [4, 16, 5, 5, 4, 4]);
    }

    #[test]
    fn a_narrow_terminal_loses_columns_and_keeps_task_and_state() {
        let shown = |cols| layout().columns(cols).map(|column| column.is_some());
        assert_eq!(shown(80), [true; 6]);
        assert_eq!(shown(35), [true, true, true, true, false, true]);
        assert_eq!(shown(20), [true, false, true, false, false, true]);
        assert_eq!(shown(1), [true, false, true, false, false, false]);
    }

    #[test]
    fn what_was_folded_stays_folded_until_the_size_changes() {
        let mut layout = layout();
        layout.fit(Size { rows: 10, cols: 40 });
        assert!(!layout.folds(false) && layout.folds(true) && layout.folds(false));
        layout.fit(Size { rows: 10, cols: 40 });
        assert!(layout.folds(false));
        layout.fit(Size { rows: 24, cols: 80 });
        assert!(!layout.folds(false));
    }

    #[test]
    fn a_task_that_is_too_long_keeps_its_end_and_some_of_its_indentation() {
        assert_eq!(cell(0, "    root/12/fetch", 12), "      …2/fetch");
        assert_eq!(cell(3, "7", 5), "      7");
    }
}
