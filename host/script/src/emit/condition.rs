//! Emits conditions: an expression that leaves 0 or 1. Parts of `all` and `any` are asked in order, until the answer is
//! known.

use super::Emitter;
use super::body::Body;
use super::built::call;
use crate::ast::{Condition, Order};
use wasm_encoder::{BlockType, ValType};

impl Emitter<'_> {
    /// Asks a condition and keeps its answer; ends the run if a reference in it was absent or of the wrong kind.
    pub(super) fn ask(&mut self, body: &mut Body, condition: &Condition) -> Result<(), String> {
        body.code().call(self.runtime.calls.ask);
        self.condition(body, condition)?;
        body.keep_condition();
        body.code().call(self.runtime.calls.settle);
        body.leave_if_set();
        Ok(())
    }

    fn condition(&mut self, body: &mut Body, condition: &Condition) -> Result<(), String> {
        let calls = &self.runtime.calls;
        match condition {
            Condition::Ok(reference) => {
                let (slot, path) = self.place(reference, &["ok"])?;
                // The name itself says by its kind how its answer went; behind a path stands a value with an `ok`.
                let ask = if reference.path.is_empty() { calls.went_well } else { calls.flag };
                call(body.code(), &[slot, path], ask);
            }
            Condition::Failed { of, code } => {
                let (slot, whole) = self.place(of, &[])?;
                call(body.code(), &[slot, whole], calls.look);
                body.code().drop();
                let (slot, path) = self.place(of, &["error", "code"])?;
                body.code().i32_const(slot).i32_const(path).i32_const(i32::from(of.path.is_empty()));
                self.operand(body, code, |runtime| runtime.calls.look)?;
                body.code().call(calls.failed_with);
            }
            Condition::Present(reference) => {
                let (slot, path) = self.place(reference, &[])?;
                call(body.code(), &[slot, path], calls.resolve);
                body.code().i32_const(0).i32_ne();
            }
            Condition::Flag(reference) => {
                let (slot, path) = self.place(reference, &[])?;
                call(body.code(), &[slot, path], calls.flag);
            }
            Condition::Equal(a, b) => {
                self.operand(body, a, |runtime| runtime.calls.look)?;
                self.operand(body, b, |runtime| runtime.calls.look)?;
                call(body.code(), &[0], calls.equal);
            }
            Condition::Contains(a, b) => {
                self.operand(body, a, |runtime| runtime.calls.look)?;
                self.operand(body, b, |runtime| runtime.calls.look)?;
                body.code().call(calls.contains);
            }
            Condition::Compare(order, a, b) => {
                self.operand(body, a, |runtime| runtime.calls.look_number)?;
                self.operand(body, b, |runtime| runtime.calls.look_number)?;
                body.code().call(calls.order).i32_const(0);
                match order {
                    Order::Less => body.code().i32_lt_s(),
                    Order::LessEqual => body.code().i32_le_s(),
                    Order::Greater => body.code().i32_gt_s(),
                    Order::GreaterEqual => body.code().i32_ge_s(),
                };
            }
            Condition::Not(inner) => {
                self.condition(body, inner)?;
                body.code().i32_eqz();
            }
            Condition::All(parts) => self.parts(body, parts, true)?,
            Condition::Any(parts) => self.parts(body, parts, false)?,
        }
        Ok(())
    }

    /// Parts until one of them is not `going`.
    fn parts(&mut self, body: &mut Body, parts: &[Condition], going: bool) -> Result<(), String> {
        let answer = BlockType::Result(ValType::I32);
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                if !going {
                    body.code().i32_eqz();
                }
                body.code().if_(answer);
            }
            self.condition(body, part)?;
        }
        for _ in parts.iter().skip(1) {
            body.code().else_().i32_const(i32::from(!going)).end();
        }
        Ok(())
    }
}
