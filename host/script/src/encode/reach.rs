//! Which of the runtime's functions a script can reach. The others keep their index and lose their body, so that a script
//! carries, and the host compiles, only what it uses.

use super::modules::Code;
use super::runtime::Parts;
use wasmparser::{BinaryReader, FunctionBody, Operator};

/// The body of a function that is never called: no locals, `unreachable`, `end`.
pub(super) const NOTHING: [u8; 3] = [0x00, 0x00, 0x0b];

/// The functions that a body calls, by index.
pub(super) fn calls(body: &[u8]) -> Result<Vec<u32>, String> {
    let body = FunctionBody::new(BinaryReader::new(body, 0));
    let mut called = Vec::new();
    for operator in body.get_operators_reader().map_err(|error| error.to_string())? {
        if let Operator::Call { function_index } = operator.map_err(|error| error.to_string())? {
            called.push(function_index);
        }
    }
    Ok(called)
}

/// For each of the runtime's own functions, whether the script's code leads there.
pub(super) fn reached(parts: &Parts, code: &Code) -> Result<Vec<bool>, String> {
    let mut reached = vec![false; parts.bodies.len()];
    let mut left = Vec::new();
    for body in code.functions.iter().chain([&code.run]) {
        left.extend(calls(body)?);
    }
    while let Some(function) = left.pop() {
        // Imports before and the script's own functions behind are not in question.
        let own = function.checked_sub(parts.imported).and_then(|own| usize::try_from(own).ok());
        let Some(own) = own else { continue };
        if let (Some(seen), Some(calls)) = (reached.get_mut(own), parts.calls.get(own))
            && !*seen
        {
            *seen = true;
            left.extend(calls);
        }
    }
    Ok(reached)
}
