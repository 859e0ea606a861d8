//! What a source text comes to, and what is refused at which place. HOSTILE 35.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use proptest::prelude::*;
use sandfork_source::{Node, NodeValue, ParseLimits, Place, Problem, parse, parse_yaml};
use serde_json::json;

fn yaml(text: &str) -> Result<Node, Problem> {
    parse("plan.yaml", text.as_bytes(), &ParseLimits::default())
}

fn refused(text: &[u8]) -> Problem {
    parse("plan.yaml", text, &ParseLimits::default()).unwrap_err()
}

#[test]
fn a_number_keeps_its_source_text_and_doubtful_ones_stay_text() {
    let node =
        yaml("a: 1.50\nb: 0x10\nc: +1\nd: 007\ne: yes\nf: '1'\ng: 1e5\nh:\ni: ~\nj: TRUE\nk: 12345678901234567890\n")
            .unwrap();
    assert_eq!(
        serde_json::to_string(&node.to_json()).unwrap(),
        r#"{"a":1.50,"b":"0x10","c":"+1","d":"007","e":"yes","f":"1","g":1e+5,"h":null,"i":null,"j":true,"k":12345678901234567890}"#
    );
}

#[test]
fn every_value_and_key_knows_its_place() {
    let node = yaml("run: x\nlist:\n  - {é: 1, b: 2}\n  - two\n").unwrap();
    let NodeValue::Map(entries) = &node.value else { panic!("no map") };
    assert_eq!(entries[1].0.place, Place { line: 2, column: 1 });
    let NodeValue::List(items) = &entries[1].1.value else { panic!("no list") };
    assert_eq!(items[0].place, Place { line: 3, column: 5 });
    assert_eq!(items[0].get("b").unwrap().place, Place { line: 3, column: 15 });
    assert_eq!(items[1].place, Place { line: 4, column: 5 });
}

#[test]
fn json_has_places_too_and_reads_surrogate_pairs() {
    let text = "{\n  \"a\": [1.50, \"\\ud83d\\ude00 \\u00e9 \\n\"],\r\n  \"b\": {\"c\": null}\n}\n";
    let node = yaml(text).unwrap();
    assert_eq!(node.to_json(), serde_json::from_str::<serde_json::Value>(text).unwrap());
    let NodeValue::Map(entries) = &node.value else { panic!("no map") };
    assert_eq!(entries[1].0.place, Place { line: 3, column: 3 });
    assert_eq!(entries[1].1.get("c").unwrap().place, Place { line: 3, column: 14 });
}

#[test]
fn block_texts_and_quoted_texts_are_text() {
    let node =
        yaml("a: |\n  one\n  two\nb: >\n  one\n  two\nc: \"\\u00e9\\x41\"\nd: 'it''s'\ne: !!str 12\nf: !!int \"12\"\n")
            .unwrap();
    assert_eq!(
        node.to_json(),
        json!({"a": "one\ntwo\n", "b": "one two\n", "c": "éA", "d": "it's", "e": "12", "f": 12})
    );
}

#[test]
fn a_byte_order_mark_is_no_content() {
    for text in ["\u{feff}run: x\n", "\u{feff}{\"run\": \"x\"}"] {
        assert_eq!(yaml(text).unwrap().to_json(), json!({"run": "x"}));
    }
}

#[test]
fn numbers_as_keys_become_text() {
    assert_eq!(
        yaml("1: [price]\n2.50: a\ntrue: b\n").unwrap().to_json(),
        json!({"1": ["price"], "2.50": "a", "true": "b"})
    );
}

#[test]
fn a_flow_map_on_a_command_line_is_yaml() {
    let limits = ParseLimits::default();
    assert_eq!(parse_yaml("--set x", b"{a: 1}", &limits).unwrap().to_json(), json!({"a": 1}));
    let problem = parse("x.yaml", b"{a: 1}", &limits).unwrap_err();
    assert_eq!(problem.hint.as_deref(), Some("a text that starts with `{` is read as JSON"));
}

// HOSTILE 35
#[test]
fn what_is_refused_names_its_place_and_what_to_do() {
    let cases: &[(&[u8], (u32, u32), &str)] = &[
        (b"", (1, 1), "the file is empty"),
        (b"  \n\t\n", (1, 1), "the file is empty"),
        (b"# only a comment\n", (1, 1), "the file is empty"),
        (b"---\n", (1, 1), "the file is empty"),
        (b"a: \xff\n", (1, 4), "not valid UTF-8 (byte 0xff)"),
        ("é: ok\nb: é\u{0}".as_bytes(), (2, 5), "control character U+0000"),
        (b"a: \x1b[31m", (1, 4), "control character U+001B"),
        (b"a: 1\nb: 2\na: 3\n", (3, 1), "`a` is written twice"),
        (b"x: {a: 1, 'a': 2}\n", (1, 11), "`a` is written twice"),
        (b"a: &x 1\n", (1, 4), "anchors"),
        (b"a: &x [1]\nb: *x\n", (1, 4), "anchors"),
        (b"a: &x\n  b: 1\n", (1, 4), "anchors"),
        (b"a: *x\n", (1, 4), "unknown anchor"),
        (b"a: !secret x\n", (1, 4), "the tag `!secret`"),
        (b"a: !!binary eA==\n", (1, 4), "the tag `!!binary`"),
        (b"a: !!int x\n", (1, 4), "the tag `!!int`"),
        (b"a: !!map [1]\n", (1, 4), "the tag `!!map`"),
        (b"a: 1\n---\nb: 2\n", (2, 1), "a second document"),
        (b"[a, b]: 1\n", (1, 1), "a key must be text"),
        (b"? {a: 1}\n: 1\n", (1, 3), "a key must be text"),
        (b": 1\n", (1, 1), "a key must be text"),
        (b"a: b: c\n", (1, 5), "mapping values are not allowed"),
        (b"a:\n\tb: 1\n", (2, 2), "tab"),
        (b"a: [1, 2\n", (2, 1), "this is not YAML"),
        (b"a: \"open\n", (1, 4), "this is not YAML"),
        (b"{\"a\": 1,}", (1, 9), "found `}`"),
        (b"{\"a\": 1", (1, 8), "the end of the file"),
        (b"{\"a\": 1} x", (1, 10), "found `x`"),
        (b"{\"a\": 1, \"a\": 2}", (1, 10), "`a` is written twice"),
        (b"{\"a\": 01}", (1, 7), "found `01`"),
        (b"{\"a\": [1 2]}", (1, 10), "found `2`"),
        (b"{\"a\": \"x\n\"}", (1, 9), "a line break or tab"),
        (b"{\"a\": \"\\ud83d\"}", (1, 8), "half of a surrogate pair"),
        (b"{\"a\": \"\\x\"}", (1, 8), "unknown escape"),
        (b"{\"a\": \"\\u12\"}", (1, 8), "broken escape"),
        (b"{\"a\": \"x}", (1, 7), "does not end"),
        (b"{\"a\": [}", (1, 8), "found `}`"),
        (b"{a: 1}", (1, 2), "found `a`"),
        (b"{\"a\": NaN}", (1, 7), "found `NaN`"),
    ];
    let mut wrong = Vec::new();
    for (text, (line, column), message) in cases {
        let problem = refused(text);
        if !problem.message.contains(message) || problem.place != (Place { line: *line, column: *column }) {
            wrong.push(format!("{:?}: {problem}", String::from_utf8_lossy(text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// HOSTILE 35
#[test]
fn a_text_beyond_a_limit_is_refused_before_it_costs_much() {
    let limits = ParseLimits::default();
    let big = vec![b'a'; 200 << 20];
    assert!(parse("x", &big, &limits).unwrap_err().message.contains("too large (209715200 bytes)"));

    let fill = |piece: &str| piece.repeat((4 << 20) / piece.len());
    for (text, message) in [
        (fill("["), "nested too deeply"),
        (fill("- "), "nested too deeply"),
        (fill("? "), "a key must be text"),
        (fill("{\"a\":"), "nested too deeply"),
        (fill("[{a: "), "nested too deeply"),
        (fill("- 1\n"), "too many values"),
        (format!("[{}", fill("1,").get(..3 << 20).unwrap()), "too many values"),
        ((0..2000).map(|n| format!("{}a:\n", " ".repeat(n))).collect(), "nested too deeply"),
        (format!("x: {}", "9".repeat(2000)), "too long"),
    ] {
        let problem = parse("x", text.as_bytes(), &limits).unwrap_err();
        assert!(problem.message.contains(message), "{}: {problem}", &text[..20]);
    }
    let json = format!("{{\"a\": {}", "[".repeat(1 << 20));
    assert!(parse("x", json.as_bytes(), &limits).unwrap_err().message.contains("nested too deeply"));
    let many = format!("{{\"a\": [{}1]}}", "1,".repeat(300_000));
    assert!(parse("x", many.as_bytes(), &limits).unwrap_err().message.contains("too many values"));
}

#[test]
fn the_limits_hold_exactly_at_their_edge() {
    let limits = ParseLimits { max_bytes: 9, max_depth: 2, max_nodes: 4 };
    assert!(parse("x", b"[[1, 22]]", &limits).is_ok());
    assert!(parse("x", b"[[1, 22]]\n", &limits).unwrap_err().message.contains("too large"));
    assert!(parse("x", b"[[[1]]]", &limits).unwrap_err().message.contains("nested"));
    assert!(parse("x", b"[1,2,3,4]", &limits).unwrap_err().message.contains("too many"));
    assert!(parse("x", b"{\"a\":[1]}", &limits).is_ok());
}

#[test]
fn a_printed_problem_is_one_line_each_and_cannot_steer_a_terminal() {
    let problem = Problem::new("a\u{1b}[2J.yaml", Place { line: 3, column: 7 }, "unknown key `x\n\u{202e}y`")
        .expected("goal")
        .hint("did you mean `goal`?");
    assert_eq!(
        problem.to_string(),
        "a\\u{1b}[2J.yaml:3:7: unknown key `x\\n\\u{202e}y`\n  expected: goal\n  hint: did you mean `goal`?"
    );
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b: ",
        "- ",
        "\n",
        "  ",
        "\t",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "? ",
        "|",
        ">",
        "|-2",
        "\"",
        "'",
        "\\",
        "\\u",
        "d83d",
        "&x ",
        "*x",
        "!",
        "!!str ",
        "%TAG",
        "---",
        "...",
        "#",
        "~",
        "1.5e",
        "é",
        "\u{2028}",
        "\r",
        "\u{feff}",
        "@",
        "`",
        "%YAML 1.2\n",
        "<<",
        "=",
        "!<",
        "\u{85}",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    // HOSTILE 35
    #[test]
    fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse("x.yaml", &bytes, &ParseLimits::default());
        let _ = parse("x.json", &bytes, &ParseLimits::default());
    }

    #[test]
    fn no_yaml_like_text_makes_the_readers_panic(text in pieces()) {
        let _ = parse_yaml("x.yaml", text.as_bytes(), &ParseLimits::default());
        let _ = parse("x.json", text.as_bytes(), &ParseLimits::default());
    }

    #[test]
    fn json_is_read_as_serde_reads_it(text in "[\\[\\]{},:\"0-9a-c.eE+ \\\\nu-]{0,24}") {
        let ours = parse("x.json", text.as_bytes(), &ParseLimits::default()).map(|node| node.to_json());
        match (ours, serde_json::from_str::<serde_json::Value>(&text)) {
            (Ok(ours), theirs) => prop_assert_eq!(Some(ours), theirs.ok()),
            // A duplicate key is our refusal alone.
            (Err(problem), Ok(_)) => prop_assert!(problem.message.contains("written twice"), "{}", problem),
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn what_serde_writes_reads_back_the_same(keys in prop::collection::btree_map(".{0,8}", prop::option::of(-1e6..1e6f64), 0..6)) {
        let value = serde_json::to_value(keys).unwrap();
        let read = parse("x.json", value.to_string().as_bytes(), &ParseLimits::default());
        prop_assert_eq!(read.map(|node| node.to_json()).ok(), Some(value));
    }
}
