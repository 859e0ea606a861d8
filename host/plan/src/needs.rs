//! Who waits for whom: the keys `needs` and `needs_optional` of the plan's tasks, and the proof that nobody waits for ever.
//! Knows nothing of when anybody starts.

use crate::names::Known;
use sandfork_source::{Fields, Place, Problems, quote};
use std::collections::{HashMap, HashSet};

/// Tasks that one task may wait for: as many as one call of `spawn` may ask for.
const MOST_NEEDS: usize = 1024;
/// Tasks of a circle that a message names; of a larger one it tells the size.
const MOST_NAMED: usize = 64;

/// What one task waits for, as written.
pub(crate) struct Wish<'a> {
    id: String,
    path: String,
    needs: Vec<(&'a str, Place)>,
    optional: Vec<(&'a str, Place)>,
}

impl<'a> Wish<'a> {
    /// Reads both keys of the task `id`.
    pub(crate) fn read(id: &str, fields: &mut Fields<'a>, problems: &mut Problems) -> Self {
        let needs = fields.texts("needs", problems).unwrap_or_default();
        let optional = fields.texts("needs_optional", problems).unwrap_or_default();
        let wish = Self { id: id.to_owned(), path: fields.path_of("needs"), needs, optional };
        let count = wish.all().count();
        if count > MOST_NEEDS {
            let message = format!("the task {} waits for {count} tasks; at most {MOST_NEEDS} are read", quote(id));
            problems.push(problems.at(fields.place(), message).hint("let a task in between bring them together"));
        }
        wish
    }

    /// What must be ok, and what must only have ended, by id.
    pub(crate) fn ids(&self) -> (Vec<String>, Vec<String>) {
        let ids = |list: &[(&str, Place)]| list.iter().map(|(id, _)| (*id).to_owned()).collect();
        (ids(&self.needs), ids(&self.optional))
    }

    fn all(&self) -> impl Iterator<Item = (&'a str, Place)> {
        self.needs.iter().chain(&self.optional).copied()
    }
}

/// Checks the wishes of all tasks of a list against each other. `accepted` are tasks that have ended well before.
pub(crate) fn check(wishes: &[Wish<'_>], accepted: &[&str], problems: &mut Problems) {
    if wishes.iter().all(|wish| wish.all().next().is_none()) {
        return;
    }
    let known = Known::new("task", wishes.iter().map(|wish| wish.id.as_str()).chain(accepted.iter().copied()));
    for wish in wishes {
        check_one(wish, &known, problems);
    }
    find_circles(wishes, problems);
}

fn check_one(wish: &Wish<'_>, known: &Known<'_>, problems: &mut Problems) {
    known.check(wish.needs.clone(), &wish.path, problems);
    known.check(wish.optional.clone(), &format!("{}_optional", wish.path), problems);
    let mut seen = HashSet::new();
    for (id, place) in wish.all() {
        let is_new = seen.insert(id);
        if id == wish.id {
            let problem = problems.at(place, format!("the task {} waits for itself", quote(id)));
            problems.push(problem.hint("remove it: no task can start after its own end"));
        } else if !is_new {
            let problem = problems.at(place, format!("the task {} waits for {} twice", quote(&wish.id), quote(id)));
            problems.push(problem.hint("keep it in `needs` if it must be ok, in `needs_optional` if not"));
        }
    }
}

/// Where the search for circles stands with a task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnTheWay,
    Done,
}

/// Follows every need once, without recursion: a plan may be a chain of any length.
fn find_circles(wishes: &[Wish<'_>], problems: &mut Problems) {
    let place_of: HashMap<&str, usize> =
        wishes.iter().enumerate().map(|(place, wish)| (wish.id.as_str(), place)).collect();
    let needs_of = |task: usize| wishes.get(task).into_iter().flat_map(Wish::all);
    let edges: Vec<Vec<(usize, Place)>> = (0..wishes.len())
        .map(|task| needs_of(task).filter_map(|(id, place)| Some((*place_of.get(id)?, place))).collect())
        .collect();
    let mut marks = vec![Mark::New; wishes.len()];
    let mut mark = |task: usize, new: Mark| {
        marks
            .get_mut(task)
            .map_or(Mark::Done, |mark| if new == Mark::New { *mark } else { std::mem::replace(mark, new) })
    };
    for start in 0..wishes.len() {
        if mark(start, Mark::New) != Mark::New {
            continue;
        }
        mark(start, Mark::OnTheWay);
        let mut way = vec![(start, 0)];
        while let Some((task, next)) = way.last_mut() {
            let task = *task;
            let Some((needed, place)) = edges.get(task).and_then(|edges| edges.get(*next)).copied() else {
                mark(task, Mark::Done);
                way.pop();
                continue;
            };
            *next += 1;
            match mark(needed, Mark::New) {
                Mark::Done => {}
                Mark::New => {
                    mark(needed, Mark::OnTheWay);
                    way.push((needed, 0));
                }
                // A task that waits for itself has been told so.
                Mark::OnTheWay if needed == task || problems.is_full() => {}
                Mark::OnTheWay => {
                    let circle = way.iter().map(|(task, _)| *task).skip_while(|task| *task != needed);
                    let ids: Vec<&str> = circle.filter_map(|task| Some(wishes.get(task)?.id.as_str())).collect();
                    let problem = problems.at(place, format!("tasks wait for each other: {}", named(&ids)));
                    problems.push(problem.hint("remove one of these needs: none of them could ever start"));
                }
            }
        }
    }
}

/// `a → b → c → a`; of a large circle the first ones, and how many there are.
fn named(ids: &[&str]) -> String {
    let mut text = String::new();
    for id in ids.iter().take(MOST_NAMED) {
        text.push_str(id);
        text.push_str(" → ");
    }
    if ids.len() > MOST_NAMED {
        text.push_str(&format!("… ({} tasks) → ", ids.len()));
    }
    text.push_str(ids.first().copied().unwrap_or_default());
    text
}
