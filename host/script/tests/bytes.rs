//! What comes out as bytes: their type, size, manifest, and that they are always the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

mod fake;
use fake::{compile, script};
use serde_json::json;
use wit_component::DecodedWasm;
use wit_parser::Resolve;

fn ten_turns() -> String {
    let mut turns = String::from("turns:\n");
    for n in 1..=9 {
        turns.push_str(&format!(
            "  - think: 80ms\n    say: \"Step {n}: look at the next module.\"\n    do:\n      \
             - {{ tool: read, with: {{ path: \"module_{n}.py\" }}, as: source_{n} }}\n      \
             - {{ tool: write, with: {{ path: \"module_{n}.py\", text: \"${{source_{n}.text}}!\" }} }}\n"
        ));
    }
    script(&(turns + "  - return: { reply: \"done\", bytes: \"${source_9.bytes}\" }\n"))
}

#[test]
fn a_ten_turn_script_is_a_few_kib() {
    let size = compile(&ten_turns()).len();
    assert!(size < 8 << 10, "a ten-turn script has {size} bytes");
    let least = compile("agent: a\nturns: []").len();
    assert!(least < 6 << 10, "the smallest script has {least} bytes");
    println!("ten turns: {size} bytes; none: {least} bytes");
}

#[test]
fn the_same_script_gives_the_same_bytes() {
    let first = compile(&ten_turns());
    for _ in 0..20 {
        assert_eq!(compile(&ten_turns()), first);
    }
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| compile(&ten_turns()))).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("compiling does not panic"), first);
    }
}

#[test]
fn yaml_and_json_give_the_same_bytes() {
    let yaml = "agent: a\ntools: [read]\nturns:\n  - think: 1s\n    do: [{ tool: read, with: { n: 1.50 } }]\n";
    let json = r#"{"agent":"a","tools":["read"],"turns":[{"think":"1s","do":[{"tool":"read","with":{"n":1.50}}]}]}"#;
    assert_eq!(compile(yaml), sandfork_script::compile("a.json", json.as_bytes()).expect("it compiles").component);
}

/// The world of a component, as WIT text.
fn wit_of(component: &[u8]) -> String {
    let DecodedWasm::Component(resolve, world) = wit_component::decode(component).expect("it decodes") else {
        panic!("no component");
    };
    let mut printer = wit_component::WitPrinter::default();
    let package = resolve.worlds[world].package.expect("a world has a package");
    let others: Vec<_> = resolve.packages.iter().map(|(id, _)| id).filter(|id| *id != package).collect();
    printer.print(&resolve, package, &others).expect("it prints");
    printer.output.to_string()
}

#[test]
fn the_type_of_a_component_is_the_world_of_the_wit_file() {
    let mut resolve = Resolve::default();
    let package = resolve.push_file("../../wit/agent.wit").expect("the WIT parses");
    let world = resolve.select_world(&[package], Some("agent")).expect("it has the world");
    for source in [ten_turns(), "agent: a\nturns: []".to_owned()] {
        let component = compile(&source);
        wit_component::targets(&resolve, world, &component).expect("the component is of the world");
        // The same world, encoded by the toolchain everyone else uses, reads back as the same text.
        let mut module = wit_component::dummy_module(
            &resolve,
            world,
            wit_parser::ManglingAndAbi::Legacy(wit_parser::LiftLowerAbi::Sync),
        );
        wit_component::embed_component_metadata(&mut module, &resolve, world, wit_component::StringEncoding::UTF8)
            .expect("metadata fits");
        let reference = wit_component::ComponentEncoder::default()
            .module(&module)
            .and_then(|mut encoder| encoder.encode())
            .expect("the reference encodes");
        assert_eq!(wit_of(&component), wit_of(&reference));
    }
}

#[test]
fn a_component_is_valid_with_the_features_of_plain_wasm_alone() {
    use wasmparser::WasmFeatures as F;
    let features = F::COMPONENT_MODEL | F::WASM1 | F::BULK_MEMORY;
    for source in [ten_turns(), "agent: a\nturns: []".to_owned()] {
        wasmparser::Validator::new_with_features(features).validate_all(&compile(&source)).expect("it is valid");
    }
}

#[test]
fn names_and_toolchain_marks_are_stripped() {
    for payload in wasmparser::Parser::new(0).parse_all(&compile(&ten_turns())) {
        if let Ok(wasmparser::Payload::CustomSection(section)) = payload {
            assert_eq!(section.name(), "sandfork:manifest");
        }
    }
}

#[test]
fn the_manifest_is_read_without_running() {
    let source = "agent: lead\ndescription: Leads.\ntools: [read]\ndelegate: [write]\nspawn: [alpha, self]\nturns: []";
    let compiled = sandfork_script::compile("a.yaml", source.as_bytes()).expect("it compiles");
    assert_eq!(
        sandfork_script::manifest(&compiled.component),
        Some(json!({
            "interface": "sandfork:agent@0.1.0", "name": "lead", "description": "Leads.",
            "tools": ["read"], "delegate": ["write"], "spawn": ["alpha", "self"],
        }))
    );
    assert_eq!(compiled.manifest.spawn, ["alpha", "self"]);
}

// HOSTILE 34
#[test]
fn what_has_no_manifest_gives_none() {
    let component = compile("agent: a\nturns: []");
    assert!(sandfork_script::manifest(b"").is_none());
    assert!(sandfork_script::manifest(b"(component)").is_none());
    assert!(sandfork_script::manifest(b"\0asm\x01\0\0\0").is_none());
    assert!(sandfork_script::manifest(&[0; 1000]).is_none());
    for end in 0..component.len() {
        assert!(sandfork_script::manifest(&component[..end]).is_none(), "cut at {end}");
    }
}
