//! What one function body may cost: to compile, and in fuel that a trap would hide. Reads operators once, while they are
//! validated; judges nothing.

use wasmparser::{BinaryReaderError, FuncValidator, FunctionBody, Operator, OperatorsReader, WasmModuleResources};

/// The costs of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyCost {
    /// Its size.
    pub(crate) bytes: u32,
    /// Locals × branch targets: the compiler may have to join the value of every local at every target.
    pub(crate) joins: u64,
    /// Fuel of all its operators, the longest way past no fuel check.
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
        let locals = u64::from(validator.len_locals());
        let mut operators = OperatorsReader::new(reader);
        let (mut targets, mut unchecked_fuel) = (1_u64, 1_u64);
        while !operators.eof() {
            let offset = operators.original_position();
            let operator = operators.read()?;
            validator.op(offset, &operator)?;
            targets = targets.saturating_add(branch_targets(&operator));
            unchecked_fuel = unchecked_fuel.saturating_add(operator_fuel(&operator));
        }
        operators.finish()?;
        let bytes = u32::try_from(body.range().len()).unwrap_or(u32::MAX);
        Ok(Self { bytes, joins: locals.saturating_mul(targets), unchecked_fuel })
    }
}

/// Blocks at which the compiler may have to join the values of locals.
fn branch_targets(operator: &Operator<'_>) -> u64 {
    match operator {
        Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::Else => 1,
        _ => 0,
    }
}

/// Fuel one operator can add without a fuel check. Bulk operations check, except those of a constant cost of at most 128.
fn operator_fuel(operator: &Operator<'_>) -> u64 {
    match operator {
        Operator::MemoryCopy { .. }
        | Operator::MemoryFill { .. }
        | Operator::MemoryInit { .. }
        | Operator::MemoryGrow { .. }
        | Operator::TableCopy { .. }
        | Operator::TableFill { .. }
        | Operator::TableInit { .. }
        | Operator::TableGrow { .. } => 129,
        _ => 1,
    }
}
