//! What makes two tasks the same or alike: normalised goal, input range, tool set (GV-41). Pure text work, in any script:
//! words where words are written apart, pairs of characters where they are not.

use sandfork_model::sha256_hex;
use serde_json::Value;
use std::collections::BTreeSet;

/// Words that make a goal no other goal: to go on with a search, to deepen it or to do it again is the same search.
const NO_OTHER_GOAL: [&str; 37] = [
    "a",
    "additional",
    "additionally",
    "again",
    "an",
    "and",
    "another",
    "carefully",
    "continue",
    "continued",
    "deep",
    "deeper",
    "deeply",
    "detailed",
    "do",
    "extended",
    "extra",
    "for",
    "further",
    "in",
    "keep",
    "more",
    "of",
    "on",
    "once",
    "please",
    "repeat",
    "second",
    "some",
    "supplement",
    "supplemental",
    "supplementary",
    "the",
    "thorough",
    "thoroughly",
    "to",
    "with",
];
/// The same in Chinese, where they stand inside the text.
const NO_OTHER_GOAL_CHINESE: [&str; 16] = [
    "继续",
    "补充",
    "深入",
    "深度",
    "进一步",
    "再次",
    "重新",
    "更多",
    "详细",
    "追加",
    "扩展",
    "全面",
    "仔细",
    "一下",
    "进行",
    "请",
];

/// The fingerprint of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    tokens: BTreeSet<String>,
    exact: String,
    scope: String,
}

impl Fingerprint {
    /// Of a goal, the context it works on and the tools it may use.
    pub(crate) fn of(goal: &str, context: &Value, tools: &BTreeSet<String>) -> Self {
        let normal = normalise(goal);
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        let scope = sha256_hex(format!("{context}\n{}", tools.join(",")).as_bytes());
        let exact = sha256_hex(format!("{normal}\n{scope}").as_bytes());
        Self { tokens: tokens(&normal), exact, scope }
    }

    /// The very same task.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.exact == other.exact
    }

    /// How alike two tasks are, 0 to 1: the share of tokens their goals have in common if they cover the same range with
    /// the same tools, else 0. Goals of nothing but go-on words are alike.
    #[allow(clippy::cast_precision_loss, reason = "goals have far fewer than 2^52 words")]
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        if self.scope != other.scope {
            return 0.0;
        }
        let all = self.tokens.union(&other.tokens).count();
        if all == 0 {
            return 1.0;
        }
        self.tokens.intersection(&other.tokens).count() as f64 / all as f64
    }
}

/// Lower case, punctuation and runs of blanks folded into single blanks.
fn normalise(goal: &str) -> String {
    let lower = goal.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn tokens(normal: &str) -> BTreeSet<String> {
    let mut text = normal.to_owned();
    for word in NO_OTHER_GOAL_CHINESE {
        text = text.replace(word, " ");
    }
    let mut tokens = BTreeSet::new();
    for word in text.split(' ').filter(|word| !word.is_empty() && !NO_OTHER_GOAL.contains(word)) {
        if word.chars().any(is_ideograph) {
            let characters: Vec<char> = word.chars().collect();
            if let [one] = characters.as_slice() {
                tokens.insert(one.to_string());
            }
            tokens.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            tokens.insert(stem(word).to_owned());
        }
    }
    tokens
}

/// The endings that change no goal: searches, searching, searched.
fn stem(word: &str) -> &str {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= 4
        {
            return stem;
        }
    }
    word
}

/// Scripts that write no blanks between words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A usual threshold.
    const ALIKE: f64 = 0.8;

    fn of(goal: &str) -> Fingerprint {
        Fingerprint::of(goal, &json!({ "range": 1 }), &BTreeSet::from(["read_file".to_owned()]))
    }

    // GV-41
    #[test]
    fn case_and_punctuation_do_not_make_another_task() {
        assert!(of("Search, the logs!").is_same(&of("search the  logs")));
        assert!(!of("search the logs").is_same(&of("search the traces")));
    }

    // GV-41
    #[test]
    fn another_range_is_another_task() {
        let other = Fingerprint::of("search", &json!({ "range": 2 }), &BTreeSet::from(["read_file".to_owned()]));
        assert!(!of("search").is_same(&other));
        assert!(of("search").similarity(&other) < f64::EPSILON);
    }

    // HOSTILE 7, GV-41
    #[test]
    fn searching_on_is_the_same_search_in_english_and_chinese() {
        for (one, other) in [
            ("continue search", "supplementary search"),
            ("supplementary search", "deep search"),
            ("deep search", "continue searching"),
            ("search the payment logs", "search the payment logs again, more thoroughly"),
            ("继续搜索", "补充搜索"),
            ("补充搜索", "深度搜索"),
            ("搜索支付日志", "请进一步详细搜索支付日志"),
        ] {
            let similarity = of(one).similarity(&of(other));
            assert!(similarity > ALIKE, "{one} / {other}: {similarity}");
        }
    }

    // HOSTILE 7, the other way
    #[test]
    fn really_different_tasks_are_not_alike_in_english_and_chinese() {
        for (one, other) in [
            ("search the payment logs", "search the login traces"),
            ("find the cheapest offer", "find the best reviewed offer"),
            ("summarise the release notes", "list the open incidents"),
            ("搜索支付日志", "搜索登录记录"),
            ("查找最便宜的报价", "总结发布说明"),
        ] {
            let similarity = of(one).similarity(&of(other));
            assert!(similarity < ALIKE, "{one} / {other}: {similarity}");
        }
    }
}
