//! The one table: what was measured, the figure, its target, and whether it is met. Knows nothing of how anything is measured.

use anyhow::{Context, Result};
use std::fmt;

/// A figure and the most (or least) it should be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Shown for comparison.
    None,
    /// Met at this or below.
    AtMost(f64),
    /// Met at this or above.
    AtLeast(f64),
}

/// One line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    what: String,
    figure: String,
    target: String,
    verdict: String,
}

impl Row {
    /// A figure shown with `decimals` and its unit.
    pub(crate) fn new(what: impl Into<String>, figure: f64, decimals: usize, unit: &str, target: Target) -> Self {
        let shown = |figure: f64| format!("{figure:.decimals$} {unit}").trim_end().to_owned();
        let (goal, is_met) = match target {
            Target::None => (String::new(), None),
            Target::AtMost(most) => (format!("≤ {}", shown(most)), Some(figure <= most)),
            Target::AtLeast(least) => (format!("≥ {}", shown(least)), Some(figure >= least)),
        };
        let verdict = match is_met {
            None => "",
            Some(true) => "met",
            Some(false) => "MISSED",
        };
        Self { what: what.into(), figure: shown(figure), target: goal, verdict: verdict.into() }
    }

    /// The row on its way from one process to another.
    pub(crate) fn to_line(&self) -> String {
        [&self.what, &self.figure, &self.target, &self.verdict].map(String::as_str).join("\t")
    }

    /// The other end of [`Self::to_line`].
    pub(crate) fn from_line(line: &str) -> Result<Self> {
        let mut parts = line.split('\t').map(str::to_owned);
        let mut next = || parts.next().with_context(|| format!("not a row: {line}"));
        Ok(Self { what: next()?, figure: next()?, target: next()?, verdict: next()? })
    }

    fn cells(&self) -> [&str; 4] {
        [&self.what, &self.figure, &self.target, &self.verdict]
    }
}

/// Rows in the order they were measured, shown as Markdown.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<Row>);

impl Table {
    pub(crate) fn extend(&mut self, rows: Vec<Row>) {
        self.0.extend(rows);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["measured", "figure", "target", ""];
        let rows = || std::iter::once(head).chain(self.0.iter().map(Row::cells));
        let width = |column: usize| {
            rows().filter_map(|cells| cells.get(column).map(|cell| cell.chars().count())).max().unwrap_or_default()
        };
        let widths = [width(0), width(1), width(2), width(3)];
        for (place, [what, figure, target, verdict]) in rows().enumerate() {
            let [a, b, c, d] = widths;
            writeln!(f, "| {what:<a$} | {figure:>b$} | {target:>c$} | {verdict:<d$} |")?;
            if place == 0 {
                let [a, b, c, d] = widths.map(|width| "-".repeat(width));
                writeln!(f, "| {a} | {b}: | {c}: | {d} |", b = b.get(1..).unwrap_or(""), c = c.get(1..).unwrap_or(""))?;
            }
        }
        Ok(())
    }
}
