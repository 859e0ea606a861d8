//! Every example in the documentation compiles, and every key the compiler knows is documented.

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
