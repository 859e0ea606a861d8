//! Emits single steps.

use super::Emitter;
use super::SLOT;
use super::body::Body;
use super::built::call;
use crate::ast::{Act, Body as Looped, Built, Condition, Name, Request, Step};
use crate::encode::TOP;

impl Emitter<'_> {
    pub(super) fn step(&mut self, body: &mut Body, act: &Act) -> Result<(), String> {
        let calls = &self.runtime.calls;
        match act {
            Act::Tool { name, with, bind } => {
                body.code().call(calls.begin);
                self.build(body, with)?;
                let (at, len) = self.data.place(name.text.as_bytes())?;
                call(body.code(), &[at, len, self.bound(bind.as_ref())?], calls.tool);
                body.leave_if_set();
            }
            Act::Spawn { requests, options, bind } => self.spawn(body, requests, options, bind.as_ref())?,
            Act::Note(text) => {
                body.code().call(calls.begin);
                self.build(body, text)?;
                body.code().call(calls.note);
                body.leave_if_set();
            }
            Act::If { condition, then, otherwise } => self.choice(body, condition, then, otherwise)?,
            Act::ForEach { list, item, index, body: looped } => {
                self.for_each(body, list, item, index.as_ref(), looped)?;
            }
            Act::Repeat { bound, until, body: looped } => self.repeat(body, *bound, until.as_ref(), looped)?,
            Act::Fail { code, message, details } => {
                call(body.code(), &[24], calls.fields);
                for field in [code, message, details] {
                    self.build(body, field)?;
                    body.code().call(calls.field);
                }
                body.code().call(calls.fail);
                body.leave();
            }
            Act::Return(value) => {
                body.code().call(calls.begin);
                self.build(body, value)?;
                body.code().call(calls.end_run);
                body.leave();
            }
        }
        Ok(())
    }

    /// The slot of a name that an answer is given, 0 for none.
    fn bound(&self, name: Option<&Name>) -> Result<i32, String> {
        name.map_or(Ok(0), |name| self.slot(&name.text))
    }

    fn spawn(
        &mut self,
        body: &mut Body,
        requests: &[Request],
        options: &Built,
        bind: Option<&Name>,
    ) -> Result<(), String> {
        let calls = &self.runtime.calls;
        let count = i32::try_from(requests.len()).map_err(|_| "too many requests")?;
        call(body.code(), &[count * 32 + 8], calls.fields);
        // Requests beyond the first few are functions of their own, so that no function grows without bound.
        for group in requests.chunks(16) {
            let mut part = Body::new();
            for request in group {
                for field in [&request.agent, &request.goal, &request.context, &request.options] {
                    self.build(&mut part, field)?;
                    part.code().call(calls.field);
                }
            }
            let part = self.finish(part);
            body.code().call(part).drop();
        }
        self.build(body, options)?;
        body.code().call(calls.field);
        call(body.code(), &[count, self.bound(bind)?], calls.spawn);
        body.leave_if_set();
        Ok(())
    }

    fn choice(
        &mut self,
        body: &mut Body,
        condition: &Condition,
        then: &[Step],
        otherwise: &[Step],
    ) -> Result<(), String> {
        self.ask(body, condition)?;
        body.condition();
        body.open(|code, block| {
            code.if_(block);
        });
        self.steps(body, then)?;
        if !otherwise.is_empty() {
            body.code().else_();
            self.steps(body, otherwise)?;
        }
        body.close();
        Ok(())
    }

    fn looped(&mut self, body: &mut Body, looped: &Looped) -> Result<(), String> {
        match looped {
            Looped::Steps(steps) => self.steps(body, steps),
            Looped::Turns(turns) => self.turns(body, turns),
        }
    }

    fn for_each(
        &mut self,
        body: &mut Body,
        list: &Built,
        item: &Name,
        index: Option<&Name>,
        looped: &Looped,
    ) -> Result<(), String> {
        let calls = &self.runtime.calls;
        let (at, end, round, mark) = (body.local(), body.local(), body.local(), body.local());
        let item = self.slot(&item.text)?;
        let index = index.map(|name| self.slot(&name.text)).transpose()?;
        body.code().call(calls.ask);
        self.operand(body, list, |runtime| runtime.calls.look_list)?;
        body.code().local_set(end).local_set(at);
        // What was built for the list stays: a loop walks it where it lies. Only its failure is of interest here.
        body.code().global_get(TOP).local_set(mark);
        body.code().call(calls.settle);
        body.leave_if_set();
        body.code().local_get(mark).global_set(TOP);
        body.code().i32_const(0).local_set(round);
        body.open(|code, block| {
            code.block(block);
        });
        body.open(|code, block| {
            code.loop_(block);
        });
        body.code().local_get(at).local_get(end).i32_const(item).call(calls.item).local_tee(at).i32_eqz().br_if(1);
        if let Some(index) = index {
            body.code().local_get(round).i32_const(index).call(calls.index);
            body.code().local_get(round).i32_const(1).i32_add().local_set(round);
        }
        self.looped(body, looped)?;
        self.sweep(body, mark)?;
        body.code().br(0);
        body.close();
        body.close();
        for slot in [Some(item), index].into_iter().flatten() {
            call(body.code(), &[slot], calls.clear);
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        body: &mut Body,
        bound: u32,
        until: Option<&Condition>,
        looped: &Looped,
    ) -> Result<(), String> {
        let (round, mark) = (body.local(), body.local());
        body.code().global_get(TOP).local_set(mark);
        body.code().i32_const(bound.cast_signed()).local_set(round);
        body.open(|code, block| {
            code.loop_(block);
        });
        self.looped(body, looped)?;
        if let Some(condition) = until {
            self.ask(body, condition)?;
        }
        self.sweep(body, mark)?;
        // The bound counts down; with `until`, the loop also ends where that holds.
        body.code().local_get(round).i32_const(1).i32_sub().local_tee(round);
        if until.is_some() {
            body.code().i32_const(0).i32_ne();
            body.condition();
            body.code().i32_eqz().i32_and();
        }
        body.code().br_if(0);
        body.close();
        Ok(())
    }

    /// Lets go of what one round of a loop built and nothing stands for any more.
    fn sweep(&mut self, body: &mut Body, mark: u32) -> Result<(), String> {
        let slots = self.slots;
        let end = slots + u32::try_from(self.names.len()).map_err(|_| "too many names")? * SLOT;
        body.code().local_get(mark);
        call(body.code(), &[slots.cast_signed(), end.cast_signed()], self.runtime.calls.sweep);
        Ok(())
    }
}
