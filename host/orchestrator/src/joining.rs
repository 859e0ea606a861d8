//! From the ends of a list's tasks to the starts of those that waited for them (GV-21, GV-22): what each is handed, who can
//! never start, who must be done again because what it was handed is outdated (GV-48). Starts nothing itself.

use crate::dependencies::{Step, Web};
use crate::handing;
use crate::reviewing::Way;
use crate::run::Run;
use crate::stop::Reason;
use crate::storing;
use crate::versions::Versions;
use sandfork_model::{Dependency, Handed, Request, Status, TaskSpec};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The tasks of one list, some of which wait for others.
pub(crate) struct Joins {
    web: Web,
    place_of: HashMap<String, usize>,
    /// What each task has come to, as others are told.
    records: Vec<Option<Dependency>>,
    versions: Versions,
    /// When those that wait for nobody were asked for.
    began_ns: u64,
}

/// What some ends lead to.
#[derive(Default)]
pub(crate) struct Passed {
    /// Requests that may now go through the gate, in plan order, each with its task.
    pub(crate) asks: Vec<(usize, Request)>,
    /// Tasks that ended without a fork, each with the top ordinal under which that is reported.
    pub(crate) unstarted: Vec<(usize, u32)>,
}

impl Joins {
    /// `None` where nobody waits for anybody: such a list costs nothing here.
    pub(crate) fn of(run: &Run, tasks: &[TaskSpec]) -> Option<Self> {
        let web = Web::of(tasks, |id| run.accepted.lock().contains_key(id))?;
        let place_of = tasks.iter().enumerate().map(|(place, task)| (task.id.clone(), place)).collect();
        Some(Self { web, place_of, records: vec![None; tasks.len()], versions: Versions::default(), began_ns: 0 })
    }

    /// The tasks that wait for nobody.
    pub(crate) async fn first(&mut self, run: &Run, ways: &mut [Way]) -> Vec<(usize, Request)> {
        let free = self.web.first();
        let requests = self.requests(run, ways, free).await;
        self.began_ns = run.clock.now_ns();
        requests
    }

    /// Whether the fork that has just ended for this task worked on what is outdated.
    pub(crate) fn take_stale(&mut self, task: usize) -> bool {
        self.web.take_stale(task)
    }

    /// Takes note of tasks that have come to their ends, and of those whose last fork counts for nothing.
    pub(crate) async fn pass_on(
        &mut self,
        run: &Run,
        ways: &mut [Way],
        over: Vec<usize>,
        stale: Vec<usize>,
        stopped: Option<Reason>,
    ) -> Passed {
        let (mut passed, mut starts) = (Passed::default(), Vec::new());
        let mut steps: VecDeque<Step> = stale.into_iter().map(Step::Renew).collect();
        let mut line = VecDeque::from(over);
        loop {
            while let Some(step) = steps.pop_front() {
                let (task, ended) = self.take(run, ways, step, stopped);
                match ended {
                    None => starts.push(task),
                    Some(ordinal) => {
                        passed.unstarted.extend(ordinal.map(|ordinal| (task, ordinal)));
                        line.push_back(task);
                    }
                }
            }
            let Some(task) = line.pop_front() else { break };
            steps.extend(self.end(run, ways, task).await);
        }
        let waited_ns = run.clock.now_ns().saturating_sub(self.began_ns);
        // A start that was decided on first may have been forfeited in the same look.
        starts.retain(|task| ways.get(*task).is_some_and(|way| way.ended().is_none()));
        starts.sort_unstable();
        starts.dedup();
        for task in &starts {
            if let Some(way) = ways.get_mut(*task) {
                way.needs_wait_ns.get_or_insert(waited_ns);
            }
        }
        passed.asks = self.requests(run, ways, starts).await;
        passed
    }

    /// Tasks that were never reached end too: they wait for what never ends.
    pub(crate) fn sweep(&self, run: &Run, ways: &mut [Way]) -> Vec<(usize, u32)> {
        let left = ways.iter_mut().enumerate().filter(|(_, way)| way.ended().is_none());
        left.filter_map(|(task, way)| way.forfeit(run, None).map(|ordinal| (task, ordinal))).collect()
    }

    /// Acts on one step: the task may be asked for, or has ended (perhaps under an ordinal of its own).
    fn take(&self, run: &Run, ways: &mut [Way], step: Step, stopped: Option<Reason>) -> (usize, Option<Option<u32>>) {
        let (task, failed) = match step {
            Step::Start(task) => (task, None),
            Step::Forfeit { task, by } => (task, Some(by)),
            Step::Renew(task) => (task, self.obstacle(ways, task)),
        };
        let by = failed.and_then(|by| ways.get(by)).and_then(Way::ended).cloned();
        let Some(way) = ways.get_mut(task) else { return (task, Some(None)) };
        match (step, by, stopped) {
            (_, Some(by), _) => (task, Some(way.forfeit(run, Some(&by)))),
            (Step::Renew(_), None, stopped) if way.renew(run, stopped.is_some()) => (task, None),
            (Step::Renew(_), None, _) => (task, Some(None)),
            (_, None, Some(reason)) => (task, Some(way.leave(run, reason))),
            (_, None, None) => (task, None),
        }
    }

    /// A task that had to be ok for this one and is not any more.
    fn obstacle(&self, ways: &[Way], task: usize) -> Option<usize> {
        let needs = ways.get(task)?.needs().iter().filter_map(|id| self.place_of.get(id)).copied();
        needs.into_iter().find(|need| {
            self.records.get(*need).and_then(Option::as_ref).is_some_and(|record| record.status != Status::Ok)
        })
    }

    /// One task has come to its end.
    async fn end(&mut self, run: &Run, ways: &[Way], task: usize) -> Vec<Step> {
        let Some((way, outcome)) = ways.get(task).and_then(|way| Some((way, way.ended()?))) else { return Vec::new() };
        let stored =
            if self.web.has_dependents(task) { storing::store(run, way.plan_id(), outcome).await } else { None };
        let record = handing::record(way.plan_id(), outcome, stored);
        let mut steps = Vec::new();
        if outcome.is_ok() {
            let references = record.artifact_refs.iter().map(String::as_str);
            let ordinals_of = |reader: usize| ways.get(reader).map_or(&[][..], |way| way.ordinals.as_slice());
            let outdated = self.versions.accept(references, &run.stored.lock(), ordinals_of);
            if !outdated.is_empty() {
                // A newer version that rests on a task is no news for that task.
                let above = self.web.ancestors(task);
                let readers = outdated.into_iter().filter(|reader| *reader != task && !above.contains(reader));
                steps.extend(readers.filter_map(|reader| self.web.outdate(reader)));
            }
        }
        let is_news = self.records.get(task).is_none_or(|known| known.as_ref() != Some(&record));
        if let Some(known) = self.records.get_mut(task) {
            *known = Some(record);
        }
        steps.extend(self.web.end(task, outcome.is_ok(), is_news));
        steps
    }

    /// The requests of tasks that may start, each with what it is handed.
    async fn requests(&mut self, run: &Run, ways: &mut [Way], tasks: Vec<usize>) -> Vec<(usize, Request)> {
        let mut requests = Vec::with_capacity(tasks.len());
        for task in tasks {
            let Some(way) = ways.get_mut(task) else { continue };
            let mut dependencies = Vec::new();
            for id in way.waits_for().map(str::to_owned).collect::<Vec<_>>() {
                let known = self.place_of.get(&id).and_then(|place| self.records.get(*place)).cloned().flatten();
                let record = match known {
                    Some(record) => Some(record),
                    None => accepted_before(run, &id).await,
                };
                let Some(mut record) = record else { continue };
                for reference in &mut record.artifact_refs {
                    *reference = self.versions.renewed(reference);
                    self.versions.hand(task, reference);
                }
                dependencies.push(record);
            }
            self.web.start(task);
            handing::fit(&mut dependencies);
            let handed = Handed { dependencies, checkpoint: None };
            way.hand((!handed.dependencies.is_empty()).then(|| Arc::new(handed)));
            requests.push((task, way.work()));
        }
        requests
    }
}

/// The record of a task of an earlier list; its output is stored now that somebody waits for it.
async fn accepted_before(run: &Run, id: &str) -> Option<Dependency> {
    let outcome = run.accepted.lock().get(id).cloned()?;
    let stored = storing::store(run, id, &outcome).await;
    Some(handing::record(id, &outcome, stored))
}
