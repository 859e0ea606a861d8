//! Bytes in, anatomy out: everything is read, validated under our feature set and counted before anything is compiled, because
//! compiling untrusted code has no natural bound. Knows no engine.

use crate::anatomy::{Anatomy, Named, kind_name};
use crate::body::BodyCost;
use crate::bounds::{LoadLimits, refuse};
use crate::engine::Profile;
use crate::features::GUEST_FEATURES;
use crate::level::{Level, ModuleParts, Unfolded};
use crate::magic;
use sandfork_model::MANIFEST_SECTION;
use sandfork_model::port::Unloadable;
use wasmparser::{
    CanonicalFunction, CanonicalOption, ComponentTypeRef, Encoding, FuncValidatorAllocations, FunctionBody, Parser,
    Payload, TypeBounds, ValidPayload, Validator,
};

/// Reads a whole component.
///
/// # Errors
/// What it is instead, which limit it is over, or where it is invalid.
pub(crate) fn scan(bytes: &[u8], limits: &LoadLimits) -> Result<Anatomy, Unloadable> {
    magic::is_component(bytes, limits)?;
    let mut reading = Reading {
        limits,
        anatomy: Anatomy { bytes: bytes.len(), ..Anatomy::default() },
        levels: Vec::new(),
        largest_component: Unfolded::default(),
        modules: Vec::new(),
        validator: Validator::new_with_features(GUEST_FEATURES),
        allocations: FuncValidatorAllocations::default(),
    };
    let mut parser = Parser::new(0);
    parser.set_features(GUEST_FEATURES);
    for payload in parser.parse_all(bytes) {
        reading.payload(&payload.map_err(|error| invalid(&error))?)?;
    }
    if reading.anatomy.has_nested_components && reading.anatomy.has_wide_strings {
        return Err(refuse(
            "its nested components hand each other strings that are not UTF-8",
            Some("only UTF-8 is copied fast enough between them to be left unpriced: build them with it"),
        ));
    }
    Ok(reading.anatomy)
}

pub(crate) fn invalid(error: &wasmparser::BinaryReaderError) -> Unloadable {
    refuse(format!("the component is invalid: {} (at byte {})", error.message(), error.offset()), None)
}

struct Reading<'a> {
    limits: &'a LoadLimits,
    anatomy: Anatomy,
    /// The components that are open, outermost first.
    levels: Vec<Level>,
    /// Bounds every component that has ended.
    largest_component: Unfolded,
    /// The core module that is open. At most one: modules do not nest.
    modules: Vec<ModuleParts>,
    validator: Validator,
    allocations: FuncValidatorAllocations,
}

impl Reading<'_> {
    fn payload(&mut self, payload: &Payload<'_>) -> Result<(), Unloadable> {
        match self.validator.payload(payload).map_err(|error| invalid(&error))? {
            ValidPayload::Func(function, body) => {
                self.is_readable(&body)?;
                let mut validator = function.into_validator(std::mem::take(&mut self.allocations));
                let cost = BodyCost::measure(&mut validator, &body).map_err(|error| invalid(&error))?;
                self.allocations = validator.into_allocations();
                self.function(cost)?;
            }
            ValidPayload::Ok | ValidPayload::Parser(_) | ValidPayload::End(_) => {}
        }
        self.count(payload)
    }

    /// Adds one body's costs.
    fn function(&mut self, cost: BodyCost) -> Result<(), Unloadable> {
        let anatomy = &mut self.anatomy;
        anatomy.functions = anatomy.functions.saturating_add(1);
        anatomy.largest_function_bytes = anatomy.largest_function_bytes.max(cost.bytes);
        anatomy.straight_line_fuel = anatomy.straight_line_fuel.max(cost.unchecked_fuel);
        anatomy.compile_ns.0 = anatomy.compile_ns.0.saturating_add(cost.compile_ns(Profile::Tight));
        anatomy.compile_ns.1 = anatomy.compile_ns.1.saturating_add(cost.compile_ns(Profile::Wide));
        if anatomy.functions > self.limits.functions {
            return Err(refuse(format!("the component has more than {} functions", self.limits.functions), None));
        }
        Ok(())
    }

    /// Refuses a body by its size alone, before it is even validated.
    fn is_readable(&self, body: &FunctionBody<'_>) -> Result<(), Unloadable> {
        let (bytes, most) = (body.range().len(), self.limits.function_bytes);
        if u64::try_from(bytes).is_ok_and(|bytes| bytes <= most) {
            return Ok(());
        }
        Err(refuse(
            format!("function {} has {bytes} bytes; at most {most} are compiled", self.anatomy.functions),
            Some("split the function, or the script's turns"),
        ))
    }

    fn count(&mut self, payload: &Payload<'_>) -> Result<(), Unloadable> {
        match payload {
            Payload::Version { encoding: Encoding::Component, .. } => {
                self.anatomy.has_nested_components |= !self.levels.is_empty();
                self.levels.push(Level::default());
                if self.levels.len() > self.limits.nesting {
                    return Err(refuse(format!("components nest deeper than {}", self.limits.nesting), None));
                }
            }
            Payload::Version { encoding: Encoding::Module, .. } => {
                self.modules.push(ModuleParts::default());
                self.anatomy.core_modules = self.anatomy.core_modules.saturating_add(1);
                if self.anatomy.core_modules > self.limits.core_modules {
                    return Err(refuse(
                        format!("the component has more than {} core modules", self.limits.core_modules),
                        None,
                    ));
                }
            }
            Payload::End(_) => self.close()?,
            Payload::MemorySection(memories) => {
                for memory in memories.clone() {
                    let memory = memory.map_err(|error| invalid(&error))?;
                    self.anatomy.memory_pages.push(memory.initial);
                    if let Some(module) = self.modules.last_mut() {
                        module.memories = module.memories.saturating_add(1);
                    }
                }
            }
            Payload::TableSection(tables) => {
                for table in tables.clone() {
                    let ty = table.map_err(|error| invalid(&error))?.ty;
                    let elements = ty.maximum.unwrap_or(u64::MAX);
                    self.anatomy.table_elements = self.anatomy.table_elements.max(elements);
                    if let Some(module) = self.modules.last_mut() {
                        module.tables = module.tables.saturating_add(1);
                    }
                }
            }
            Payload::CustomSection(section) if self.levels.len() == 1 && self.modules.is_empty() => {
                let name = section.name();
                if name == MANIFEST_SECTION && self.anatomy.manifest.is_none() {
                    self.anatomy.manifest = Some(section.data().to_vec());
                }
                self.anatomy.custom_sections.entry(name.to_owned()).or_insert(section.data().len());
            }
            _ => self.count_component(payload)?,
        }
        Ok(())
    }

    fn count_component(&mut self, payload: &Payload<'_>) -> Result<(), Unloadable> {
        let is_outermost = self.levels.len() == 1;
        let Some(level) = self.levels.last_mut() else {
            return Ok(());
        };
        match payload {
            Payload::InstanceSection(instances) => {
                for instance in instances.clone() {
                    level.core_instance(&instance.map_err(|error| invalid(&error))?);
                }
            }
            Payload::ComponentInstanceSection(instances) => {
                for instance in instances.clone() {
                    level.component_instance(&instance.map_err(|error| invalid(&error))?, self.largest_component);
                }
            }
            Payload::ComponentAliasSection(aliases) => {
                for alias in aliases.clone() {
                    level.alias(&alias.map_err(|error| invalid(&error))?);
                }
            }
            Payload::ComponentImportSection(imports) => {
                for import in imports.clone() {
                    let import = import.map_err(|error| invalid(&error))?;
                    if !is_outermost && matches!(import.ty, ComponentTypeRef::Component(_)) {
                        return Err(refuse(
                            format!("a nested component takes a component `{}` as an argument", import.name.name),
                            Some("compose the parts before shipping them"),
                        ));
                    }
                    level.import(import.ty);
                    if is_outermost {
                        self.anatomy.imports.push(Named {
                            name: import.name.name.to_owned(),
                            kind: kind_name(import.ty.kind()),
                            is_type_equality: matches!(import.ty, ComponentTypeRef::Type(TypeBounds::Eq(_))),
                        });
                    }
                }
            }
            Payload::ComponentCanonicalSection(functions) => {
                for function in functions.clone() {
                    let function = function.map_err(|error| invalid(&error))?;
                    self.anatomy.has_wide_strings |= is_wide(&function);
                }
            }
            Payload::ComponentExportSection(exports) if is_outermost => {
                for export in exports.clone() {
                    let export = export.map_err(|error| invalid(&error))?;
                    let (name, kind) = (export.name.name.to_owned(), kind_name(export.kind));
                    self.anatomy.exports.push(Named { name, kind, is_type_equality: false });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A module or component ends: its counts go up one level.
    fn close(&mut self) -> Result<(), Unloadable> {
        if let Some(module) = self.modules.pop() {
            if let Some(level) = self.levels.last_mut() {
                level.module(module);
            }
            return Ok(());
        }
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        let unfolded = level.unfolded();
        if unfolded.instances > self.limits.instances {
            return Err(refuse(
                format!("the component unfolds to more than {} instances", self.limits.instances),
                Some("nested components are instantiated too often"),
            ));
        }
        self.largest_component = self.largest_component.max(unfolded);
        if self.levels.is_empty() {
            self.anatomy.core_instances = unfolded.core_instances;
            self.anatomy.memories = unfolded.memories;
            self.anatomy.tables = unfolded.tables;
        }
        Ok(())
    }
}

/// Whether a function is lifted or lowered with another encoding than UTF-8.
fn is_wide(function: &CanonicalFunction) -> bool {
    let (CanonicalFunction::Lift { options, .. } | CanonicalFunction::Lower { options, .. }) = function else {
        return false;
    };
    options.iter().any(|option| matches!(option, CanonicalOption::UTF16 | CanonicalOption::CompactUTF16))
}
