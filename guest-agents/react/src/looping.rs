//! The loop itself: ask, execute, tell, until there is an output or a reason to stop. Every way round is counted.

use crate::calls::{self, Word};
use crate::circles::Circles;
use crate::finish;
use crate::limits::{CALLS_PER_ANSWER, HARD_BYTES, MESSAGES, NOTE_BYTES, NUDGES, SAID_BYTES, SOFT_BYTES, STRIKES};
use crate::offers::Offers;
use crate::saving::Saving;
use crate::thread::{Entry, Saved, Thread};
use crate::water;
use sandfork_guest::{Context, Failure, Json, ModelAnswer, ModelCall, Task, json};

/// One fork's loop.
pub(crate) struct Loop<'a> {
    task: &'a Task,
    thread: Thread,
    offers: Offers,
    circles: Circles,
    saving: Saving,
    /// Answers in a row in which nothing could be executed.
    strikes: u32,
    nudges: u32,
    has_repaired: bool,
    /// Why the next answer is the last.
    converge: Option<String>,
}

impl<'a> Loop<'a> {
    pub(crate) fn new(task: &'a Task) -> Self {
        Self {
            task,
            thread: Thread::of(task),
            offers: Offers::of(task),
            circles: Circles::default(),
            saving: Saving::of(task),
            strikes: 0,
            nudges: 0,
            has_repaired: false,
            converge: None,
        }
    }

    /// Goes round until there is an output.
    ///
    /// # Errors
    /// Whatever the model gave up with, or why it could not be followed any longer.
    pub(crate) fn run(mut self, host: &mut Context) -> Result<Json, Failure> {
        loop {
            if let Some(output) = self.prepare(host)? {
                return Ok(output);
            }
            if let Some(why) = self.converge.take() {
                return self.last(host, &why);
            }
            let answer = self.ask(host, true)?;
            if let Some(output) = self.follow(host, answer)? {
                return Ok(output);
            }
        }
    }

    /// Looks at what is left: replaces what is old, decides whether to converge. An output if not even a last answer is left.
    fn prepare(&mut self, host: &mut Context) -> Result<Option<Json>, Failure> {
        // Whoever cannot be asked about budgets has none that matter here.
        let left = host.tool("budget", &json!({})).unwrap_or_default();
        let water = water::judge(&self.task.budget, &left);
        if water.is_scarce || self.thread.bytes() > SOFT_BYTES {
            self.replace_old(host, false);
        }
        if self.thread.bytes() > HARD_BYTES {
            self.replace_old(host, true);
        }
        let bytes = self.thread.bytes();
        if bytes > HARD_BYTES {
            let message =
                format!("the messages have {bytes} bytes, and what must be kept of them is more than can be sent");
            return Err(
                Failure::new("context_too_large", message).details(json!({ "bytes": bytes, "limit": HARD_BYTES }))
            );
        }
        if self.converge.is_none() {
            let is_long = self.thread.len() > MESSAGES;
            self.converge =
                water.converge.or_else(|| is_long.then(|| format!("there are {} messages", self.thread.len())));
        }
        match &self.converge {
            Some(why) if water.turns_left == Some(0) => {
                finish::partial(self.thread.last_said(), why, self.task).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn replace_old(&mut self, host: &mut Context, is_urgent: bool) {
        let saving = &self.saving;
        let saved = self.thread.replace_old(is_urgent, |id, text| saving.store(host, id, text));
        if saved.results > 0 {
            host.note(replaced(&saved));
        }
    }

    /// One model call. Without tools where no further call would be executed.
    fn ask(&mut self, host: &mut Context, with_tools: bool) -> Result<ModelAnswer, Failure> {
        let tools = if with_tools { self.offers.schemas() } else { &[] };
        let answer = host.model(&json!({ "messages": self.thread.messages(), "tools": tools }))?;
        if answer.text.len() > SAID_BYTES {
            let bytes = answer.text.len();
            return Err(Failure::new("answer_too_large", format!("the model said {bytes} bytes in one answer"))
                .details(json!({ "bytes": bytes, "limit": SAID_BYTES, "turn": answer.turn })));
        }
        if answer.tool_calls.len() > CALLS_PER_ANSWER {
            let asked = answer.tool_calls.len();
            let message = format!("the model asked for {asked} calls in one answer; none was executed");
            return Err(Failure::new("too_many_calls", message)
                .details(json!({ "asked": asked, "limit": CALLS_PER_ANSWER, "turn": answer.turn })));
        }
        Ok(answer)
    }

    /// Executes what an answer asks for, or takes it as the output.
    fn follow(&mut self, host: &mut Context, answer: ModelAnswer) -> Result<Option<Json>, Failure> {
        if answer.tool_calls.is_empty() {
            return self.conclude(answer);
        }
        let ModelAnswer { text, tool_calls, turn, .. } = answer;
        self.thread.push(Entry::Said { text, calls: tool_calls.iter().map(bounded).collect() });
        let (mut has_executed, mut loops) = (false, Vec::new());
        for call in &tool_calls {
            let called = calls::execute(call, &self.offers, host)?;
            if let Some(arguments) = &called.arguments {
                has_executed = true;
                let repeats = self.circles.is_loop(&call.name, arguments, &called.text);
                if (repeats || called.word == Some(Word::Loop)) && !loops.contains(&call.name) {
                    loops.push(call.name.clone());
                }
            }
            if let Some(Word::Converge(why)) = called.word {
                self.converge.get_or_insert(why);
            }
            let (id, tool) = (call.id.clone(), short(&call.name));
            self.thread.push(Entry::Result { id, tool, text: called.text });
        }
        self.strike(has_executed, turn, "none of its calls could be executed")?;
        if !loops.is_empty() {
            self.nudge(host, &loops.join(", "));
        }
        Ok(None)
    }

    /// An answer without calls: the output, or nothing at all.
    fn conclude(&mut self, answer: ModelAnswer) -> Result<Option<Json>, Failure> {
        if answer.output.is_none() && answer.text.trim().is_empty() {
            self.strike(false, answer.turn, "it said nothing")?;
            self.thread.push(Entry::Told("You said nothing. Call a tool, or give your final answer.".to_owned()));
            return Ok(None);
        }
        match finish::output(&answer, self.task) {
            Ok(output) => Ok(Some(output)),
            Err(mismatch) if self.has_repaired => Err(finish::unmet(mismatch)),
            Err((path, why)) => {
                self.has_repaired = true;
                let said = answer.output.map_or(answer.text, |output| output.to_string());
                let said = said.chars().take(SAID_BYTES).collect();
                self.thread.push(Entry::Said { text: said, calls: Vec::new() });
                let place = if path.is_empty() { "/" } else { path.as_str() };
                let told =
                    format!("Your answer does not meet its schema at {place}: {why}. Give the whole answer once more.");
                self.thread.push(Entry::Told(told));
                Ok(None)
            }
        }
    }

    /// The last answer: no tools, and whatever comes is the output.
    fn last(&mut self, host: &mut Context, why: &str) -> Result<Json, Failure> {
        host.note(format!("converging: {why}"));
        let told = format!("Stop here: {why}. No further call is executed. Give your final answer from what you have.");
        self.thread.push(Entry::Told(told));
        let answer = self.ask(host, false)?;
        let has_words = answer.output.is_some() || !answer.text.trim().is_empty();
        let is_done = has_words && answer.tool_calls.is_empty();
        match finish::output(&answer, self.task) {
            Ok(output) if is_done => Ok(output),
            _ => {
                let said = Some(answer.text.as_str()).filter(|text| !text.trim().is_empty());
                finish::partial(said.or_else(|| self.thread.last_said()), why, self.task)
            }
        }
    }

    /// Counts an answer that led to nothing; a good one makes up for those before it.
    fn strike(&mut self, is_good: bool, turn: u64, what: &str) -> Result<(), Failure> {
        self.strikes = if is_good { 0 } else { self.strikes + 1 };
        if self.strikes < STRIKES {
            return Ok(());
        }
        let message =
            format!("the model cannot be followed: in {STRIKES} answers in a row nothing could be done; {what}");
        Err(Failure::new("model_misbehaved", message)
            .details(json!({ "answers": STRIKES, "turn": turn, "last": what })))
    }

    /// Tells the model that it goes in circles; once it was told often enough, it is to return what it has.
    fn nudge(&mut self, host: &mut Context, tools: &str) {
        self.nudges += 1;
        host.note(format!("nudged: {tools} repeated without a new answer"));
        if self.nudges > NUDGES {
            self.converge.get_or_insert(format!("{tools} was repeated without a new answer, and words did not help"));
            return;
        }
        let told = format!(
            "You have called {tools} again and again and learnt nothing new. Change the question, use another tool, or give \
             your final answer."
        );
        self.thread.push(Entry::Told(told));
    }
}

/// A call as the thread keeps it: what is too large to be executed is too large to be repeated.
fn bounded(call: &ModelCall) -> ModelCall {
    let mut kept = call.clone();
    kept.id = short(&call.id);
    kept.name = short(&call.name);
    if crate::thread::size(&call.arguments) > SAID_BYTES {
        kept.arguments = json!({ "left_out": "too large" });
    }
    kept
}

fn short(name: &str) -> String {
    name.chars().take(128).collect()
}

/// The note about what was replaced, bounded.
fn replaced(saved: &Saved) -> String {
    let Saved { results, from_bytes, to_bytes, kept } = saved;
    let mut note = format!("replaced {results} results, {from_bytes} bytes by {to_bytes}; kept:");
    for piece in kept {
        if note.len() + piece.len() > NOTE_BYTES {
            note.push_str(" …");
            break;
        }
        note.push(' ');
        note.push_str(piece);
    }
    note
}
