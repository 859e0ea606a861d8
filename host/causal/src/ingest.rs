//! Deliveries from anywhere, of any number of runs: three steps from an envelope to its effect (GV-19, 20, 21). Bounded in
//! everything; a delivery that cannot be kept is refused and may come again.

use crate::answer::{Answer, Applied, Clash, Full, Missing, Refused, WaitingFor};
use crate::content::Mark;
use crate::envelope::Envelope;
use crate::limits::Limits;
use crate::needs::{Needs, Progress};
use crate::threads::{Slot, Standing, Threads};
use sandfork_model::Deliveries;
use std::collections::{HashMap, HashSet};

/// Where a known event stands, and what it says.
#[derive(Clone, Copy, Debug)]
struct Known {
    thread: usize,
    seq_no: u64,
    whole: Mark,
}

/// What a blocked thread waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Wake {
    Event(Mark),
    /// Run and task whose needs are open.
    Task(String, String),
}

/// The order of all threads it is told of.
#[derive(Debug, Default)]
pub struct Ingest {
    limits: Limits,
    threads: Threads<Envelope>,
    /// Run, task and agent of each thread, by number.
    names: Vec<[String; 3]>,
    numbers: HashMap<[String; 3], usize>,
    ids: HashMap<Mark, Known>,
    /// Idempotency key to what stands under it.
    keys: HashMap<Mark, Mark>,
    held_bytes: u64,
    /// Threads whose head has come and must wait.
    blocked: HashSet<usize>,
    waits: HashMap<Wake, Vec<usize>>,
    progress: Progress,
    counts: Deliveries,
}

impl Ingest {
    /// An ingest within `limits` that lets no task of `needs` start before what it needs has ended.
    #[must_use]
    pub fn new(limits: Limits, needs: Needs) -> Self {
        Self { limits, progress: Progress::of(needs), ..Self::default() }
    }

    /// Goes on from a checkpoint: of this thread all up to `seq_no` was applied before, and is acknowledged only.
    ///
    /// # Errors
    /// When there are too many threads.
    pub fn start_after(&mut self, run_id: &str, task_id: &str, agent_id: &str, seq_no: u64) -> Result<(), Full> {
        let thread = self.number([run_id.to_owned(), task_id.to_owned(), agent_id.to_owned()])?;
        self.threads.start_after(thread, seq_no);
        Ok(())
    }

    /// The last place of a thread that was applied; 0 if none was.
    #[must_use]
    pub fn confirmed(&self, run_id: &str, task_id: &str, agent_id: &str) -> u64 {
        let name = [run_id.to_owned(), task_id.to_owned(), agent_id.to_owned()];
        self.numbers.get(&name).map_or(0, |thread| self.threads.applied(*thread))
    }

    /// Takes one line as it was delivered.
    pub fn deliver_line(&mut self, line: &str) -> Answer {
        match Envelope::read(line) {
            Ok(envelope) => self.deliver(envelope),
            Err(malformed) => {
                self.counts.delivered += 1;
                self.counts.refused += 1;
                Answer::Refused(malformed.into())
            }
        }
    }

    /// Takes one delivery.
    pub fn deliver(&mut self, envelope: Envelope) -> Answer {
        self.counts.delivered += 1;
        let answer = match self.take(envelope) {
            Ok(answer) => answer,
            Err(full) => Answer::Refused(Refused::Full(full)),
        };
        let applied = match &answer {
            Answer::Applied(applied) => applied.events.len(),
            Answer::Duplicate(applied) => {
                self.counts.duplicates += 1;
                applied.events.len()
            }
            Answer::Held { .. } => {
                self.counts.held += 1;
                0
            }
            Answer::Conflict(_) => {
                self.counts.conflicts += 1;
                0
            }
            Answer::Refused(_) => {
                self.counts.refused += 1;
                0
            }
        };
        self.counts.applied = self.counts.applied.saturating_add(u64::try_from(applied).unwrap_or(u64::MAX));
        answer
    }

    fn take(&mut self, envelope: Envelope) -> Result<Answer, Full> {
        // Step 1: new by id and by key.
        if let Some(known) = self.ids.get(&envelope.marks.id) {
            let is_same = known.whole == envelope.marks.whole;
            return Ok(if is_same { Answer::Duplicate(Applied::default()) } else { Answer::Conflict(Clash::EventId) });
        }
        match self.keys.get(&envelope.marks.key) {
            Some(effect) if *effect == envelope.marks.effect => return self.pass(&envelope),
            Some(_) => return Ok(Answer::Conflict(Clash::IdempotencyKey)),
            None => {}
        }
        let thread = self.number(name(&envelope))?;
        let standing = self.threads.standing(thread, envelope.seq_no);
        match standing {
            // Before the checkpoint that this ingest began at: whatever it was, it had its effect.
            Standing::Behind if self.threads.is_before_start(thread, envelope.seq_no) => {
                return Ok(Answer::Duplicate(Applied::default()));
            }
            Standing::Behind | Standing::Held => return Ok(Answer::Conflict(Clash::Place)),
            Standing::Next | Standing::Ahead => {}
        }
        self.within("known events", self.ids.len(), self.limits.known_events)?;
        // Steps 2 and 3: next in its thread, and all it follows from applied.
        let mut applied = Applied::default();
        if standing == Standing::Next && self.waits_for(&envelope).is_none() {
            self.know(&envelope, thread);
            self.threads.advance(thread);
            let mut todo = vec![thread];
            self.apply(envelope, &mut applied, &mut todo);
            self.settle(todo, &mut applied);
            return Ok(Answer::Applied(applied));
        }
        self.within("places for held events", self.threads.held(), self.limits.held_events)?;
        let bytes = self.held_bytes.saturating_add(envelope.bytes);
        if bytes > self.limits.held_bytes {
            return Err(Full { what: "bytes of held events", limit: self.limits.held_bytes });
        }
        self.held_bytes = bytes;
        self.know(&envelope, thread);
        let seq_no = envelope.seq_no;
        self.threads.hold(thread, seq_no, Slot::Event(envelope));
        self.settle(vec![thread], &mut applied);
        Ok(Answer::Held { waiting_for: self.reason(thread, seq_no) })
    }

    /// A copy under an id of its own: without effect, but its place in its thread is taken.
    fn pass(&mut self, envelope: &Envelope) -> Result<Answer, Full> {
        let thread = self.number(name(envelope))?;
        self.within("known events", self.ids.len(), self.limits.known_events)?;
        let mut applied = Applied::default();
        match self.threads.standing(thread, envelope.seq_no) {
            Standing::Behind | Standing::Held => self.know_id(envelope, thread),
            Standing::Next | Standing::Ahead => {
                self.within("places for held events", self.threads.held(), self.limits.held_events)?;
                self.know_id(envelope, thread);
                self.threads.hold(thread, envelope.seq_no, Slot::Passed(envelope.marks.id));
                self.settle(vec![thread], &mut applied);
            }
        }
        Ok(Answer::Duplicate(applied))
    }

    fn number(&mut self, name: [String; 3]) -> Result<usize, Full> {
        if let Some(thread) = self.numbers.get(&name) {
            return Ok(*thread);
        }
        self.within("threads", self.threads.len(), self.limits.threads)?;
        let thread = self.threads.open();
        self.names.push(name.clone());
        self.numbers.insert(name, thread);
        Ok(thread)
    }

    fn within(&self, what: &'static str, used: usize, limit: usize) -> Result<(), Full> {
        if used < limit { Ok(()) } else { Err(Full { what, limit: u64::try_from(limit).unwrap_or(u64::MAX) }) }
    }

    fn know(&mut self, envelope: &Envelope, thread: usize) {
        self.know_id(envelope, thread);
        self.keys.insert(envelope.marks.key, envelope.marks.effect);
    }

    fn know_id(&mut self, envelope: &Envelope, thread: usize) {
        let known = Known { thread, seq_no: envelope.seq_no, whole: envelope.marks.whole };
        self.ids.insert(envelope.marks.id, known);
    }

    /// What an event waits for, its own thread aside.
    fn waits_for(&self, envelope: &Envelope) -> Option<Wake> {
        if let Some(cause) = envelope.marks.cause {
            let known = self.ids.get(&cause);
            if known.is_none_or(|known| self.threads.applied(known.thread) < known.seq_no) {
                return Some(Wake::Event(cause));
            }
        }
        let is_open = !self.progress.open(&envelope.run_id, &envelope.task_id).is_empty();
        is_open.then(|| Wake::Task(envelope.run_id.clone(), envelope.task_id.clone()))
    }

    /// Applies what can be, thread by thread, until nothing more can.
    fn settle(&mut self, mut todo: Vec<usize>, applied: &mut Applied) {
        while let Some(thread) = todo.pop() {
            // A head that waits is looked at again when it is woken, not at every delivery behind it.
            if self.blocked.contains(&thread) {
                continue;
            }
            let wake = match self.threads.head(thread) {
                None => continue,
                Some(Slot::Passed(_)) => None,
                Some(Slot::Event(envelope)) => self.waits_for(envelope),
            };
            if let Some(wake) = wake {
                self.blocked.insert(thread);
                self.waits.entry(wake).or_default().push(thread);
                continue;
            }
            todo.push(thread);
            match self.threads.take_head(thread) {
                None => {}
                Some(Slot::Passed(id)) => self.wake(&Wake::Event(id), &mut todo),
                Some(Slot::Event(envelope)) => {
                    self.held_bytes = self.held_bytes.saturating_sub(envelope.bytes);
                    self.apply(envelope, applied, &mut todo);
                }
            }
        }
    }

    /// The effect, once: its thread has moved on already.
    fn apply(&mut self, envelope: Envelope, applied: &mut Applied, todo: &mut Vec<usize>) {
        self.wake(&Wake::Event(envelope.marks.id), todo);
        if let Some(is_ok) = envelope.ends_task() {
            for join in self.progress.end(&envelope.run_id, &envelope.task_id, is_ok) {
                self.wake(&Wake::Task(envelope.run_id.clone(), join.clone()), todo);
                applied.joins.push((envelope.run_id.clone(), join));
            }
        }
        applied.events.push(envelope);
    }

    fn wake(&mut self, wake: &Wake, todo: &mut Vec<usize>) {
        for thread in self.waits.remove(wake).into_iter().flatten() {
            self.blocked.remove(&thread);
            todo.push(thread);
        }
    }

    fn reason(&self, thread: usize, seq_no: u64) -> WaitingFor {
        if let Some((from, to)) = self.threads.gap(thread) {
            return WaitingFor::Sequence { from, to };
        }
        match self.threads.head(thread) {
            Some(Slot::Event(head)) if head.seq_no == seq_no => self.needs(head),
            Some(Slot::Event(head)) => WaitingFor::Earlier { seq_no: head.seq_no },
            Some(Slot::Passed(_)) | None => WaitingFor::Earlier { seq_no: seq_no.saturating_sub(1) },
        }
    }

    fn needs(&self, head: &Envelope) -> WaitingFor {
        match (self.waits_for(head), &head.parent_event_id) {
            (Some(Wake::Event(_)), Some(event_id)) => WaitingFor::Cause { event_id: event_id.clone() },
            _ => WaitingFor::Tasks { task_ids: self.progress.open(&head.run_id, &head.task_id) },
        }
    }

    /// What to fetch once more: every gap of every thread, and every cause that nobody has delivered, in order.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = Vec::new();
        for (thread, [run_id, task_id, agent_id]) in self.names.iter().enumerate() {
            missing.extend(self.threads.gaps(thread).map(|(from, to)| Missing::Sequence {
                run_id: run_id.clone(),
                task_id: task_id.clone(),
                agent_id: agent_id.clone(),
                from,
                to,
            }));
            if let Some(Slot::Event(head)) = self.threads.head(thread)
                && let Some(Wake::Event(cause)) = self.waits_for(head)
                && !self.ids.contains_key(&cause)
                && let Some(event_id) = &head.parent_event_id
            {
                missing.push(Missing::Event { run_id: run_id.clone(), event_id: event_id.clone() });
            }
        }
        missing.sort();
        missing.dedup();
        missing
    }

    /// Run, task and agent of each thread in which something waits, with what its first event waits for.
    #[must_use]
    pub fn waiting(&self) -> Vec<([&str; 3], WaitingFor)> {
        let names = self.names.iter().enumerate();
        let mut waiting: Vec<_> = names
            .filter_map(|(thread, [run, task, agent])| {
                let reason = match (self.threads.gap(thread), self.threads.head(thread)) {
                    (Some((from, to)), _) => WaitingFor::Sequence { from, to },
                    (None, Some(Slot::Event(head))) => self.needs(head),
                    (None, Some(Slot::Passed(_)) | None) => return None,
                };
                Some(([run.as_str(), task.as_str(), agent.as_str()], reason))
            })
            .collect();
        waiting.sort_by_key(|(name, _)| *name);
        waiting
    }

    /// Events that wait.
    #[must_use]
    pub fn held(&self) -> usize {
        self.threads.held()
    }

    /// What all deliveries so far came to.
    #[must_use]
    pub fn counts(&self) -> Deliveries {
        self.counts
    }
}

fn name(envelope: &Envelope) -> [String; 3] {
    [envelope.run_id.clone(), envelope.task_id.clone(), envelope.agent_id.clone()]
}
