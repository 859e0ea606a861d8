//! GV-35 as a property: whatever else a result says, what must survive does, word for word.

use super::*;
use crate::thread::{Entry, Thread};
use sandfork_guest::Task;

/// A small generator; a failing seed is printed and fails again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }

    fn text(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..length).map(|_| letters[self.roll(letters.len())]).collect()
    }
}

const CHAT: [&str; 12] =
    ["well", "I think", "let us see", "so", "the", "next", "line", "is", "quite", "usual", "again,", "(really)"];
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// One piece of each kind that GV-35 names.
fn pieces(dice: &mut Dice, criteria: &[String]) -> Vec<String> {
    let (low, high) = (3 + dice.roll(6), 2 + dice.roll(4));
    let word = |dice: &mut Dice| dice.text(LETTERS, low);
    let number = |dice: &mut Dice, length| dice.text("123456789", 1) + &dice.text(DIGITS, length);
    vec![
        // order numbers
        format!("{}-{}", dice.text(CAPITALS, high), number(dice, 3)),
        format!("#{}", number(dice, 5)),
        number(dice, 7),
        format!("{}{}", dice.text(CAPITALS, 1), number(dice, 4)),
        // file paths
        format!("{}/{}.{}", word(dice), word(dice), dice.pick(&["rs", "py", "md", "tar.gz", "c"])),
        format!("./{}/{}", word(dice), word(dice)),
        format!("C:\\{}\\{}.txt", word(dice), word(dice)),
        format!("{}.{}", word(dice), dice.pick(&["toml", "json", "log"])),
        format!("{}/报告-{}.md", word(dice), number(dice, 1)),
        // error codes
        format!("{}_{}", word(dice), word(dice)),
        format!("E{}", dice.text(CAPITALS, high)),
        format!("E0{}", number(dice, 2)),
        format!("{}Error", dice.text(CAPITALS, 1) + &word(dice)),
        dice.pick(&["404", "503", "429"]).to_owned(),
        // evidence references
        format!("artifact://{}/v{}", word(dice), number(dice, 0)),
        format!("sha256:{}", dice.text("0123456789abcdef", 40) + "0a"),
        format!("https://{}.example/{}?q={}", word(dice), word(dice), word(dice)),
        // acceptance criteria
        criteria[dice.roll(criteria.len())].clone(),
    ]
}

/// Chat with the pieces somewhere in it, each behind and before something that is no part of it.
fn chat(dice: &mut Dice, pieces: &[String]) -> String {
    let mut text = String::new();
    for piece in pieces {
        for _ in 0..20 + dice.roll(20) {
            text.push_str(dice.pick(&CHAT));
            text.push(' ');
        }
        text.push_str(dice.pick(&["", "(", "\"", "[", "'", "see: "]));
        text.push_str(piece);
        text.push_str(dice.pick(&[" ", ") ", "\" ", ", ", ". ", "\n", "; ", "! "]));
    }
    text
}

fn criteria() -> Vec<String> {
    ["It says \"done\", and nothing else.", "第二行是 VALUE", "Two\nlines"].map(str::to_owned).into()
}

// GV-35
#[test]
fn what_must_survive_survives_word_for_word_in_plain_text_and_in_json() {
    for seed in 1..=120 {
        let mut dice = Dice(u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15));
        let pieces = pieces(&mut dice, &criteria());
        let plain = chat(&mut dice, &pieces);
        let in_json = json!({ "path": "x", "lines": [{ "text": plain }], "n": 19.90 }).to_string();
        let nested = json!({ "text": in_json }).to_string();
        for text in [&plain, &in_json, &nested] {
            let kept = kept(text, &criteria());
            let short = replaced("read_file", text, &kept, None);
            for piece in &pieces {
                assert!(short.contains(piece.as_str()), "seed {seed}: {piece:?} is gone from\n{text}\n---\n{short}");
            }
            assert!(short.len() < text.len(), "seed {seed}: {} of {} bytes", short.len(), text.len());
        }
    }
}

// GV-35: in every old result of a thread, however often it is gone through
#[test]
fn a_thread_keeps_what_it_must_however_often_it_is_squeezed() {
    for seed in 1..=30 {
        let mut dice = Dice(u64::wrapping_mul(seed, 0x2545_F491_4F6C_DD1D));
        let task = Task::from(json!({
            "acceptance_criteria": criteria(), "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": "u" }],
        }));
        let mut thread = Thread::of(&task);
        let mut all = Vec::new();
        for turn in 0..6 {
            let found = pieces(&mut dice, &criteria());
            let big = chat(&mut dice, &found);
            let id = format!("c{turn}");
            let call: ModelCall =
                serde_json::from_value(json!({ "id": id, "name": "t", "arguments": { "text": big } })).unwrap();
            thread.push(Entry::Said { text: "looking".into(), calls: vec![call] });
            let text = json!({ "text": chat(&mut dice, &found) }).to_string();
            thread.push(Entry::Result { id, tool: "t".into(), text });
            all.extend(found);
            thread.replace_old(turn % 2 == 0, |_, _| None);
        }
        let before = thread.bytes();
        thread.replace_old(true, |_, _| None);
        thread.replace_old(true, |_, _| None);
        assert!(thread.bytes() <= before);
        let mut sent = String::new();
        thread.messages().iter().for_each(|message| flatten(message, &mut sent));
        for piece in all {
            assert!(sent.contains(&piece), "seed {seed}: {piece:?}");
        }
        assert_eq!(thread.messages().len(), thread.len());
    }
}

fn flatten(value: &Json, into: &mut String) {
    match value {
        Json::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Json::Array(items) => items.iter().for_each(|item| flatten(item, into)),
        Json::Object(map) => map.values().for_each(|item| flatten(item, into)),
        _ => {}
    }
}

#[test]
fn values_under_naming_keys_are_kept_whatever_they_look_like() {
    let text = json!({
        "error": { "code": "unreachable", "message": "elm is down for a while" }, "order": 7, "evidence_refs": ["second", 3],
        "path": "My Documents/last report", "log": "exit code 1; signal nine; \"/srv/my files/a b.txt\" [12]",
    });
    let kept = kept(&text.to_string(), &[]);
    for piece in
        ["unreachable", "7", "second", "3", "My Documents/last report", "1", "nine", "/srv/my files/a b.txt", "[12]"]
    {
        assert!(kept.iter().any(|kept| kept == piece), "{piece}: {kept:?}");
    }
    assert!(!kept.iter().any(|kept| kept.contains("down")), "chat goes: {kept:?}");
}

#[test]
fn a_result_that_would_not_get_shorter_stays() {
    let mut thread = Thread::of(&Task::new("g"));
    let names: Vec<String> = (0..200).map(|n| format!("src/file_{n}.rs")).collect();
    let text = names.join("\n");
    thread.push(Entry::Result { id: "a".into(), tool: "t".into(), text: text.clone() });
    assert_eq!(thread.replace_old(true, |_, _| None).results, 0);
    assert_eq!(thread.messages()[0]["content"], text);
}
