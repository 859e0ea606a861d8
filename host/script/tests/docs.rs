//! Every example in the documentation compiles, and every key the compiler knows is documented.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

mod fake;

/// The fenced blocks of one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match open.as_mut() {
            None if line == format!("```{language}") => open = Some(String::new()),
            None => {}
            Some(_) if line == "```" => blocks.extend(open.take()),
            Some(block) => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

#[test]
fn every_example_in_the_documentation_compiles() {
    let examples = blocks(include_str!("../../../docs/scripts.md"), "yaml");
    assert!(examples.len() >= 6, "found {}", examples.len());
    for example in examples {
        fake::compile(&example);
    }
}

#[test]
fn every_example_in_the_documentation_meets_the_schema() {
    let schema = serde_json::from_str(sandfork_script::SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for example in blocks(include_str!("../../../docs/scripts.md"), "yaml") {
        let limits = sandfork_source::ParseLimits::default();
        let script = sandfork_source::parse("x.yaml", example.as_bytes(), &limits).expect("it parses").to_json();
        let problems: Vec<_> = validator.iter_errors(&script).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{}\n{example}", problems.join("\n"));
    }
}

#[test]
fn the_schema_refuses_what_it_can_see_to_be_wrong() {
    let schema = serde_json::from_str(sandfork_script::SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for wrong in [
        r#"{"turns":[]}"#,
        r#"{"agent":"1 a","turns":[]}"#,
        r#"{"agent":"a","turns":[{"thnik":"80ms"}]}"#,
        r#"{"agent":"a","turns":[{"think":80}]}"#,
        r#"{"agent":"a","turns":[{"return":1,"fail":{"code":"c","message":"m"}}]}"#,
        r#"{"agent":"a","turns":[{"do":[{"tool":"x","note":"y"}]}]}"#,
        r#"{"agent":"a","turns":[{"do":[{"tool":"x","as":"task"}]}]}"#,
        r#"{"agent":"a","turns":[{"do":[{"repeat":0,"do":[{"note":"x"}]}]}]}"#,
        r#"{"agent":"a","turns":[{"do":[{"repeat":1,"do":[]}]}]}"#,
        r#"{"agent":"a","turns":[{"do":[{"if":{"ok":"x","present":"x"},"then":[]}]}]}"#,
        r#"{"agent":"a","turns":[{"do":[{"spawn":[{"agent":"b"}]}]}]}"#,
    ] {
        let script: serde_json::Value = serde_json::from_str(wrong).expect("it is JSON");
        assert!(!validator.is_valid(&script), "{wrong}");
        assert!(sandfork_script::compile("x.json", wrong.as_bytes()).is_err(), "{wrong}");
    }
}
