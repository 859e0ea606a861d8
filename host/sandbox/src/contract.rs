//! A component's types against the guest contract, function by function, for people who built one against another world.
//! Decides nothing: what may be loaded is told by names, and by the linker.

use crate::features::GUEST_FEATURES;
use crate::imports::{INTERFACE, RUN};
use wasmparser::component_types::{
    ComponentDefinedType, ComponentEntityType, ComponentFuncTypeId, ComponentInstanceTypeId, ComponentValType,
};
use wasmparser::types::TypesRef;
use wasmparser::{Parser, Payload, Validator};

/// The interface without its version.
const INTERFACE_NAME: &str = "sandfork:agent/orchestrator";
/// A type nested deeper than this is not written out: the contract's own are four deep.
const MAX_DEPTH: usize = 12;
/// Bytes of one written type: several times the contract's longest.
const MAX_BYTES: usize = 2000;
/// Functions that are told; a component may import any number of them.
const MAX_DEPARTURES: usize = 50;

/// The functions of `wit/agent.wit` as this module writes types; a test holds them to a component of that world.
const OFFERED: [(&str, &str); 3] = [
    ("note", "func(text: string)"),
    (
        "spawn",
        "func(requests: list<record { agent: string, goal: string, context: string, options: string }>, options: string) \
         -> list<record { task-id: string, agent: string, status: string, output: option<string>, \
         error: option<record { code: string, message: string, details: string }>, info: string }>",
    ),
    (
        "tool",
        "func(name: string, arguments: string) \
         -> result<string, record { code: string, message: string, details: string }>",
    ),
];
/// What every agent exports.
const WANTED: (&str, &str) =
    (RUN, "func(task: string) -> result<string, record { code: string, message: string, details: string }>");

/// One function that is not as the contract has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Which: `import note`, `export run`.
    pub function: String,
    /// Its type in `wit/agent.wit`, records written out; `None` if the contract has no such function.
    pub expected: Option<String>,
    /// Its type in the component; `None` if the component has no such function.
    pub found: Option<String>,
}

/// Every function of a valid component that is not as the contract has it. A function that is not imported is no departure.
pub(crate) fn departures(bytes: &[u8]) -> Vec<Departure> {
    let mut departures = Vec::new();
    let Ok(types) = Validator::new_with_features(GUEST_FEATURES).validate_all(bytes) else { return departures };
    let types = types.as_ref();
    for (name, entity) in imports(bytes, types) {
        let (interface, _) = name.split_once('@').unwrap_or((&name, ""));
        if interface != INTERFACE_NAME {
            continue;
        }
        if let ComponentEntityType::Instance(instance) = entity {
            compare_interface(types, instance, &mut departures);
        }
    }
    let run = types.component_item_for_export(RUN).map(|item| item.ty);
    let found = run.map(|ty| written(types, ty));
    if found.as_deref() != Some(WANTED.1) {
        departures.push(Departure { function: format!("export {RUN}"), expected: Some(WANTED.1.into()), found });
    }
    departures
}

/// The imports of the component itself, with their types.
fn imports(bytes: &[u8], types: TypesRef<'_>) -> Vec<(String, ComponentEntityType)> {
    let mut imports = Vec::new();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes).flatten() {
        match payload {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 1 => {
                imports.extend(section.into_iter().flatten().filter_map(|import| {
                    let item = types.component_item_for_import(import.name.name)?;
                    Some((import.name.name.to_owned(), item.ty))
                }));
            }
            _ => {}
        }
    }
    imports
}

fn compare_interface(types: TypesRef<'_>, instance: ComponentInstanceTypeId, departures: &mut Vec<Departure>) {
    let Some(instance) = types.get(instance) else { return };
    for (name, item) in &instance.exports {
        let ComponentEntityType::Func(_) = item.ty else { continue };
        let expected = OFFERED.iter().find(|(offered, _)| offered == name).map(|(_, ty)| (*ty).to_owned());
        let found = written(types, item.ty);
        if expected.as_ref() != Some(&found) && departures.len() < MAX_DEPARTURES {
            departures.push(Departure {
                function: format!("import {name} of {INTERFACE}"),
                expected,
                found: Some(found),
            });
        }
    }
}

fn written(types: TypesRef<'_>, entity: ComponentEntityType) -> String {
    let mut writing = Writing { types, text: String::new() };
    match entity {
        ComponentEntityType::Func(func) => writing.function(func),
        ComponentEntityType::Module(_) => writing.push("a core module"),
        ComponentEntityType::Value(_) => writing.push("a value"),
        ComponentEntityType::Type { .. } => writing.push("a type"),
        ComponentEntityType::Instance(_) => writing.push("an instance"),
        ComponentEntityType::Component(_) => writing.push("a component"),
    }
    writing.text
}

/// A type being written out as WIT would have it, with everything it names in place. Types share parts, so that a small
/// component can name one that is endless when written out: nothing is added beyond the bound.
struct Writing<'t> {
    types: TypesRef<'t>,
    text: String,
}

impl Writing<'_> {
    fn is_full(&self) -> bool {
        self.text.len() >= MAX_BYTES
    }

    fn push(&mut self, text: &str) {
        if self.is_full() {
            return;
        }
        if self.text.len() + text.len() >= MAX_BYTES {
            // Full from here on, whatever little would still fit.
            self.text.push_str(&"…".repeat((MAX_BYTES - self.text.len()).div_ceil("…".len())));
            return;
        }
        self.text.push_str(text);
    }

    fn function(&mut self, id: ComponentFuncTypeId) {
        let Some(func) = self.types.get(id) else { return self.push("a function") };
        self.push(if func.async_ { "async func(" } else { "func(" });
        self.named(func.params.iter().map(|(name, ty)| (name.as_str(), Some(*ty))), ": ", "", 0);
        self.push(")");
        if let Some(result) = func.result {
            self.push(" -> ");
            self.value(result, 0);
        }
    }

    /// Names with their types, between commas.
    fn named<'n>(
        &mut self,
        items: impl Iterator<Item = (&'n str, Option<ComponentValType>)>,
        before: &str,
        after: &str,
        depth: usize,
    ) {
        for (index, (name, ty)) in items.enumerate() {
            if self.is_full() {
                return;
            }
            self.push(if index > 0 { ", " } else { "" });
            self.push(name);
            if let Some(ty) = ty {
                self.push(before);
                self.value(ty, depth);
                self.push(after);
            }
        }
    }

    /// `word<…>`, a type that is absent as `_`.
    fn of(&mut self, word: &str, parts: &[Option<ComponentValType>], depth: usize) {
        self.push(word);
        self.push("<");
        for (index, part) in parts.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.push(if index > 0 { ", " } else { "" });
            match part {
                Some(ty) => self.value(*ty, depth),
                None => self.push("_"),
            }
        }
        self.push(">");
    }

    fn value(&mut self, ty: ComponentValType, depth: usize) {
        let id = match ty {
            ComponentValType::Primitive(primitive) => return self.push(&primitive.to_string()),
            ComponentValType::Type(id) => id,
        };
        let Some(defined) = self.types.get(id) else { return self.push("?") };
        if depth > MAX_DEPTH {
            return self.push("…");
        }
        let depth = depth + 1;
        match defined {
            ComponentDefinedType::Primitive(primitive) => self.push(&primitive.to_string()),
            ComponentDefinedType::Record(record) => {
                self.push("record { ");
                self.named(record.fields.iter().map(|(name, ty)| (name.as_str(), Some(*ty))), ": ", "", depth);
                self.push(" }");
            }
            ComponentDefinedType::Variant(variant) => {
                self.push("variant { ");
                self.named(variant.cases.iter().map(|(name, case)| (name.as_str(), case.ty)), "(", ")", depth);
                self.push(" }");
            }
            ComponentDefinedType::Flags(names) => {
                self.push("flags { ");
                self.named(names.iter().map(|name| (name.as_str(), None)), "", "", depth);
                self.push(" }");
            }
            ComponentDefinedType::Enum(names) => {
                self.push("enum { ");
                self.named(names.iter().map(|name| (name.as_str(), None)), "", "", depth);
                self.push(" }");
            }
            ComponentDefinedType::List { element, .. } => self.of("list", &[Some(*element)], depth),
            ComponentDefinedType::FixedLengthList { element, length, .. } => {
                self.of(&format!("list-of-{length}"), &[Some(*element)], depth);
            }
            ComponentDefinedType::Map { key, value, .. } => self.of("map", &[Some(*key), Some(*value)], depth),
            ComponentDefinedType::Tuple(tuple) => {
                let parts: Vec<_> = tuple.types.iter().copied().map(Some).collect();
                self.of("tuple", &parts, depth);
            }
            ComponentDefinedType::Option { ty, .. } => self.of("option", &[Some(*ty)], depth),
            ComponentDefinedType::Result { ok, err, .. } => self.of("result", &[*ok, *err], depth),
            ComponentDefinedType::Own(_) => self.push("own<resource>"),
            ComponentDefinedType::Borrow(_) => self.push("borrow<resource>"),
            ComponentDefinedType::Future { ty, .. } => self.of("future", &[*ty], depth),
            ComponentDefinedType::Stream { ty, .. } => self.of("stream", &[*ty], depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A component that imports one function of our interface and exports `run`, both of the given types.
    fn component(types: &str, import: &str, run: &str) -> Vec<u8> {
        let text = format!(
            r#"(component
                (type $orchestrator (instance {types} {import}))
                (import "sandfork:agent/orchestrator@0.1.0" (instance $o (type $orchestrator)))
                {run}
            )"#
        );
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    const ERROR: &str = r#"(type $e' (record (field "code" string) (field "message" string) (field "details" string)))
        (export "error" (type $e (eq $e')))"#;

    fn told(component: &[u8]) -> Vec<(String, Option<String>, Option<String>)> {
        departures(component).into_iter().map(|one| (one.function, one.expected, one.found)).collect()
    }

    #[test]
    fn a_function_of_another_type_is_told_with_both_types() {
        let note = r#"(export "note" (func (param "text" string) (param "level" u32) (result bool)))"#;
        let found = told(&component("", note, ""));
        assert_eq!(
            found[0],
            (
                "import note of sandfork:agent/orchestrator@0.1.0".into(),
                Some("func(text: string)".into()),
                Some("func(text: string, level: u32) -> bool".into())
            )
        );
        assert_eq!(found[1].0, "export run");
        assert_eq!(found[1].2, None, "there is no `run`");
        assert_eq!(found.len(), 2, "what is not imported is no departure");
    }

    #[test]
    fn a_record_with_another_field_and_a_function_nobody_offers_are_told() {
        let wrong = ERROR.replace(r#"(field "details" string)"#, r#"(field "detail" string)"#);
        let tool = r#"(export "tool" (func (param "name" string) (param "arguments" string) (result (result string (error $e)))))
            (export "clock" (func (result u64)))"#;
        let found = told(&component(&wrong, tool, ""));
        let details = found[0].2.as_deref().expect("found");
        assert!(details.contains("detail: string") && !details.contains("details"), "{details}");
        assert_eq!(found[1].0, "import clock of sandfork:agent/orchestrator@0.1.0");
        assert_eq!((found[1].1.as_deref(), found[1].2.as_deref()), (None, Some("func() -> u64")));
    }

    #[test]
    fn a_type_that_is_very_long_when_written_out_stays_short() {
        let mut types = String::from("(type $t0 (tuple string string))");
        for n in 1..9 {
            types += &format!("(type $t{n} (tuple $t{m} $t{m} $t{m} $t{m}))", m = n - 1);
        }
        let text = format!(
            "(component (type $o (instance {types} (export \"note\" (func (param \"x\" $t8))))) \
             (import \"sandfork:agent/orchestrator@0.1.0\" (instance (type $o))))"
        );
        let found = told(&wat::parse_str(&text).expect("a component"));
        let note = found[0].2.as_deref().expect("found");
        assert!(note.len() < 2 * MAX_BYTES && note.contains('…'), "{} bytes", note.len());
    }

    #[test]
    fn what_is_no_component_departs_from_nothing() {
        assert_eq!(departures(b"nothing"), []);
    }
}
