//! OR-44: what is found, what is left alone, and that it costs little.

use super::{redact, redact_json};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;
use std::borrow::Cow;

fn check(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(redact(text), *expected, "of {text}");
        assert_eq!(redact(expected), *expected, "twice");
    }
}

#[test]
fn keys_of_known_makers_are_found_anywhere() {
    check(&[
        ("sk-abcdef1234567890abcdef", "[redacted:api_key]"),
        ("use sk-ant-api03-AbC_dEf-123456789, please", "use [redacted:api_key], please"),
        ("sk-proj-abcdefghijklmnopqrstuvwxyz", "[redacted:api_key]"),
        ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "[redacted:api_key]"),
        ("(ghp_16C7e42F292c6912E7710c838347Ae178B4a)", "([redacted:github_token])"),
        ("github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz", "[redacted:github_token]"),
        ("glpat-abcDEF123456_7890xyz", "[redacted:gitlab_token]"),
        ("id AKIAIOSFODNN7EXAMPLE.", "id [redacted:aws_key]."),
        ("xoxb-123456789012-abcdefABCDEF", "[redacted:slack_token]"),
        ("xoxp-1-2-3-abcdef", "[redacted:slack_token]"),
        ("key\u{e4}ghp_16C7e42F292c6912E7710c838347Ae178B4a\u{e4}", "key\u{e4}[redacted:github_token]\u{e4}"),
        ("a-ghp_aaaaaaaaaaaaaaaapassword=x", "a-[redacted:github_token]=[redacted:secret]"),
    ]);
}

#[test]
fn tokens_are_found_by_their_form() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
    check(&[
        (jwt, "[redacted:jwt]"),
        (&format!("see {jwt}."), "see [redacted:jwt]."),
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted:bearer]"),
        ("authorization: bearer 0123456789abcdef", "authorization: bearer [redacted:bearer]"),
        ("-H 'Authorization: Basic dXNlcjpwYXNz'", "-H 'Authorization: Basic [redacted:secret]'"),
        ("Authorization: token 0123abcdef", "Authorization: token [redacted:secret]"),
        ("with Bearer mF_9.B5f-4.1JqM in it", "with Bearer [redacted:bearer] in it"),
        ("Bearer averyveryverylongtokenwithoutdigits.", "Bearer [redacted:bearer]."),
        (r#"{"Authorization": "Bearer abc"}"#, r#"{"Authorization": "[redacted:secret]"}"#),
    ]);
}

#[test]
fn private_keys_and_passwords_in_addresses_are_found() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nAbC=\n-----END RSA PRIVATE KEY-----";
    check(&[
        (key, "[redacted:private_key]"),
        (&format!("before {key}\nafter"), "before [redacted:private_key]\nafter"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz", "[redacted:private_key]"),
        (r"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n", r"[redacted:private_key]\n"),
        (
            "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----password=x",
            "[redacted:private_key]password=[redacted:secret]",
        ),
        ("https://user:pa55@example.com/x", "https://user:[redacted:password]@example.com/x"),
        ("postgres://u:p@ss:w0rd@db:5432/x", "postgres://u:[redacted:password]@db:5432/x"),
        ("redis://:secretpw@host", "redis://:[redacted:password]@host"),
    ]);
}

#[test]
fn values_are_found_by_their_names() {
    check(&[
        ("password=hunter2", "password=[redacted:secret]"),
        ("password=swordfish&user=me", "password=[redacted:secret]&user=me"),
        ("PASSWORD='a b c' next", "PASSWORD='[redacted:secret]' next"),
        ("db_password: hunter2", "db_password: [redacted:secret]"),
        ("password: swordfish", "password: [redacted:secret]"),
        ("password: swordfish\nuser: me", "password: [redacted:secret]\nuser: me"),
        ("api_key: abc123def", "api_key: [redacted:secret]"),
        ("apiKey = \"abc\"", "apiKey = \"[redacted:secret]\""),
        ("?api_key=abc&token=xyz#top", "?api_key=[redacted:secret]&token=[redacted:secret]"),
        ("secret=abc", "secret=[redacted:secret]"),
        ("secret: 8f14e45fceea167a", "secret: [redacted:secret]"),
        ("export GITHUB_TOKEN=abcdef", "export GITHUB_TOKEN=[redacted:secret]"),
        ("--password=hunter2)", "--password=[redacted:secret])"),
        (r#"{"password": "x", "user": "me"}"#, r#"{"password": "[redacted:secret]", "user": "me"}"#),
        (r#"{"token":"abc"}"#, r#"{"token":"[redacted:secret]"}"#),
        (r#"{\"password\": \"a\\\"b\", \"n\": 1}"#, r#"{\"password\": \"[redacted:secret]\"b\", \"n\": 1}"#),
        (r#"password = "a\"b" # c"#, r#"password = "[redacted:secret]" # c"#),
        ("password=\"not closed", "password=\"[redacted:secret] closed"),
        ("password=pässwört, user=me", "password=[redacted:secret], user=me"),
        ("client_secret => 'abc'", "client_secret => '[redacted:secret]'"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [redacted:secret]"),
        ("token: Bearer abc12345", "token: Bearer [redacted:bearer]"),
    ]);
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in [
        "",
        "Read the module first.",
        "alpha: VALUE is 42",
        "The password: must be at least 8 characters long",
        "password: required",
        "enter a password:",
        "the password is wrong",
        "password=",
        "password = getpass.getpass()",
        "password=getpass()",
        "password=os.environ['DB']",
        "password=${DB_PASSWORD}",
        "password=$DB_PASSWORD",
        "password: <your password>",
        "password=****",
        "if password == other {",
        "password::new(x1)",
        "password: String, user: u8",
        "fn token(&self) -> &str",
        "unexpected token: '}'",
        "unexpected token: `let`",
        "token: 5000",
        "token=42",
        "each token: a word or a part of one",
        "secret: be patient",
        "Secret Santa: bring gifts1234",
        "let secret = compute(x1, y2);",
        "max_tokens=4096 input_tokens: 12345678a",
        r#"{"input_tokens": 12, "tokens": "abc12345"}"#,
        r#"{"type": "password", "name": "x"}"#,
        r#"{"password": {"type": "string"}, "token": null, "secret": true}"#,
        r#"{"required": ["password", "token"]}"#,
        "bearer of good news",
        "the bearer certificates expire",
        "Authorization: required",
        "Authorization: Bearer token required",
        "risk-averse-1234567890123",
        "task-123456789012345",
        "sk-learn-1.3",
        "sk-fading-circle sk-cube-grid-item",
        "ghp_short",
        "AKIA",
        "AKIAIOSFODNN7EXAMPLETOOLONG",
        "MAKIAIOSFODNN7EXAMPLE",
        "xoxb-",
        "eyJhbGciOiJIUzI1NiJ9",
        "eyJ.eyJ.eyJ",
        "a.b.c 1.2.3",
        "https://example.com:8080/path@v1?x=y:z@w",
        "http://localhost:3000",
        "git@github.com:owner/repo",
        "mail me@example.com: now",
        "postgres://user:${PASS}@host",
        "://:@",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "----- BEGIN -----",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "123e4567-e89b-12d3-a456-426614174000",
        "evt-root/1-3 sub-1f3a9c2e-d1",
        "密码：请输入 пароль",
        "[redacted:secret] [redacted:jwt]",
    ] {
        assert!(matches!(redact(text), Cow::Borrowed(same) if same == text), "{text} became {}", redact(text));
    }
}

#[test]
fn json_is_redacted_in_strings_keys_and_under_secret_names() {
    let mut value = json!({
        "b": "use sk-abcdef1234567890abcdef",
        "password": "plain",
        "nested": [{"api_key": 1234, "token": 5, "secret": ["a", "", {"name": "x"}]}],
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a": 1,
        "ghp_26C7e42F292c6912E7710c838347Ae178B4a": 2,
        "tokens": {"input": 3},
        "a": "plain",
        "none": null,
        "Authorization": "Bearer",
    });
    redact_json(&mut value);
    let expected = json!({
        "b": "use [redacted:api_key]",
        "password": "[redacted:secret]",
        "nested": [{"api_key": "[redacted:secret]", "token": 5, "secret": ["[redacted:secret]", "", {"name": "x"}]}],
        "[redacted:github_token]": 1,
        "[redacted:github_token]#2": 2,
        "tokens": {"input": 3},
        "a": "plain",
        "none": null,
        "Authorization": "[redacted:secret]",
    });
    assert_eq!(value.to_string(), expected.to_string(), "order stays");
    redact_json(&mut value);
    assert_eq!(value, expected, "twice");
}

/// Pieces that secrets are made of, and those that trip a scanner.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "password",
        "token",
        "secret",
        "api_key",
        "Authorization",
        "Bearer",
        "Basic",
        "=",
        ":",
        " ",
        "  ",
        "\n",
        "\"",
        "'",
        "`",
        "\\\"",
        "\\",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "&",
        "@",
        "://",
        "http",
        "/",
        ".",
        "-",
        "_",
        "ä",
        "sk-",
        "ghp_",
        "xoxb-",
        "AKIA",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJI",
        "eyJ",
        "abcdefghij",
        "ABCDEF",
        "1234567890",
        "hunter2",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "-----BEGIN ",
        "[redacted:secret]",
        "[redacted:",
        "none",
        "$",
        "${",
        "*",
        "=>",
        "==",
        "a1",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

// The same texts every time: whether a change may land is no matter of luck.
proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, rng_seed: RngSeed::Fixed(44), ..ProptestConfig::default() })]

    #[test]
    fn redacting_twice_changes_nothing_more(text in pieces()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn a_key_is_found_in_any_surroundings(before in "[^A-Za-z0-9]{0,8}", after in "[^A-Za-z0-9]{0,8}") {
        let text = format!("{before}ghp_16C7e42F292c6912E7710c838347Ae178B4a{after}");
        prop_assert!(!redact(&text).contains("16C7e42F"));
    }
}

// Linear time: texts of 128 KiB that make a careless scanner read the same run from each of its places. Quadratic time would
// be minutes, and no clock is asked: the test runner's patience is the measure.
#[test]
fn texts_that_repeat_a_beginning_are_read_in_one_pass() {
    for piece in [
        "sk-",
        "sk-a",
        "eyJ-",
        "eyJ.",
        "eyJhbGciOiJI-",
        "xoxb-",
        "github_pat_",
        "password",
        "password=\"",
        "password='\\'",
        "password=",
        "password: ",
        "token",
        "secret: ",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY----- ",
        "http://",
        "://a:",
        "://",
        "@",
        ":",
        "bearer ",
        "Authorization: Basic ",
        "\"",
        "\\",
        "-",
        ".",
        "[redacted:",
        "[redacted:secret]",
        "password=[redacted:secret]",
        "password:        ",
        "AKIA",
        "a:b@",
        "secret:a:",
        "password:a:",
        "password:x(1:",
        "password=a(:",
        "token:basic :",
        "password:$A:",
        "password:)",
    ] {
        let mut text = piece.repeat((128 << 10) / piece.len());
        text.push_str(&" ".repeat(128 << 10));
        text.push_str(")x");
        let once = redact(&text).into_owned();
        assert!(once.len() <= text.len().saturating_mul(24), "{piece}");
    }
}
