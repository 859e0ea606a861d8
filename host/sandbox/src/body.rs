//! What one function body may cost: to compile, and in fuel that a trap would hide. Reads operators once, while they are
//! validated; judges nothing.

use crate::engine::Profile;
use wasmparser::{BinaryReaderError, FuncValidator, FunctionBody, Operator, OperatorsReader, WasmModuleResources};

/// The costs of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyCost {
    /// Its size.
    pub(crate) bytes: u64,
    /// Parameters and locals.
    locals: u64,
    /// Blocks at which the compiler may have to join the values of locals.
    targets: u64,
    /// Places with a fuel check: loops, and bulk operations, which are compiled as such.
    checks: u64,
    /// Deepest nesting of loops.
    loop_depth: u64,
    /// Fuel of all its operators: the longest way past no fuel check.
    pub(crate) unchecked_fuel: u64,
}

impl BodyCost {
    /// Validates a body and measures it on the way.
    ///
    /// # Errors
    /// Where the body is invalid.
    pub(crate) fn measure<T: WasmModuleResources>(
        validator: &mut FuncValidator<T>,
        body: &FunctionBody<'_>,
    ) -> Result<Self, BinaryReaderError> {
        let mut reader = body.get_binary_reader();
        validator.read_locals(&mut reader)?;
        let mut cost = Self {
            bytes: u64::try_from(body.range().len()).unwrap_or(u64::MAX),
            locals: validator.len_locals().into(),
            unchecked_fuel: 1,
            ..Self::default()
        };
        let mut open = Vec::new();
        let mut operators = OperatorsReader::new(reader);
        while !operators.eof() {
            let offset = operators.original_position();
            let operator = operators.read()?;
            validator.op(offset, &operator)?;
            cost.add(&operator, &mut open);
        }
        operators.finish()?;
        Ok(cost)
    }

    /// Adds one operator. `open` holds the loop depth of every block that is open.
    fn add(&mut self, operator: &Operator<'_>, open: &mut Vec<u64>) {
        let depth = open.last().copied().unwrap_or_default();
        match operator {
            Operator::Loop { .. } => {
                let deeper = depth.saturating_add(1);
                open.push(deeper);
                self.loop_depth = self.loop_depth.max(deeper);
                self.targets = self.targets.saturating_add(1);
                self.checks = self.checks.saturating_add(1);
            }
            Operator::Block { .. } | Operator::If { .. } => {
                open.push(depth);
                self.targets = self.targets.saturating_add(1);
            }
            Operator::Else => self.targets = self.targets.saturating_add(1),
            Operator::End => {
                open.pop();
            }
            _ if is_bulk(operator) => self.checks = self.checks.saturating_add(1),
            _ => {}
        }
        // A bulk operation of a constant cost of at most 128 passes no check; any other resets what is unwritten.
        let fuel = if is_bulk(operator) { 129 } else { 1 };
        self.unchecked_fuel = self.unchecked_fuel.saturating_add(fuel);
    }

    /// How long compiling this body takes about, in nanoseconds on one of today's processors. The factors are measured with
    /// bodies made to be slow: many checks, many locals carried through many blocks, deeply nested loops. Real guests stay far
    /// below: 6 s for QuickJS, 45 s for CPython, most of it for their size alone.
    pub(crate) fn compile_ns(&self, profile: Profile) -> u64 {
        let joins = self.locals.saturating_mul(self.targets);
        let checks = square(self.checks);
        match profile {
            Profile::Tight => total(&[(self.bytes, 5_000), (joins, 2_500), (checks, 20), (square(self.targets), 2)]),
            Profile::Wide => total(&[
                (self.bytes, 3_000),
                (square(self.bytes) / 10, 1),
                (joins, 5_000),
                (checks, 170),
                (square(self.targets), 20),
                (self.checks.saturating_mul(self.loop_depth), 4_400),
            ]),
        }
    }
}

fn is_bulk(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::MemoryInit { .. }
            | Operator::MemoryGrow { .. }
            | Operator::TableCopy { .. }
            | Operator::TableFill { .. }
            | Operator::TableInit { .. }
            | Operator::TableGrow { .. }
    )
}

fn square(n: u64) -> u64 {
    n.saturating_mul(n)
}

fn total(terms: &[(u64, u64)]) -> u64 {
    terms.iter().fold(0, |sum, (n, each)| sum.saturating_add(n.saturating_mul(*each)))
}
