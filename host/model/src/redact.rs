//! The one gate for text that leaves the run (OR-44): events, reports and merged output pass it; the journal is private
//! instead. Replaces what looks like a secret by `[redacted:kind]`, in linear time, and leaves ordinary text as it is.
//!
//! It knows forms, not values: a secret that looks like a word is not found. What is a secret by its form alone (a key with
//! a known prefix, a token, a private key) is found anywhere; what is one by its name (`password=…`) is found beside it.

mod block;
mod json;
mod keyed;
mod name;
mod prefixed;
mod scan;
#[cfg(test)]
mod tests;

pub use json::redact_json;
pub use name::is_secret_name;

use scan::Scan;
use std::borrow::Cow;

/// What a marker says was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ApiKey,
    AwsKey,
    Bearer,
    GithubToken,
    GitlabToken,
    Jwt,
    Password,
    PrivateKey,
    Secret,
    SlackToken,
}

impl Kind {
    /// What stands in the secret's place. It has no digit and no upper case, so that it never looks like a secret itself.
    pub(crate) fn marker(self) -> &'static str {
        match self {
            Self::ApiKey => "[redacted:api_key]",
            Self::AwsKey => "[redacted:aws_key]",
            Self::Bearer => "[redacted:bearer]",
            Self::GithubToken => "[redacted:github_token]",
            Self::GitlabToken => "[redacted:gitlab_token]",
            Self::Jwt => "[redacted:jwt]",
            Self::Password => "[redacted:password]",
            Self::PrivateKey => "[redacted:private_key]",
            Self::Secret => "[redacted:secret]",
            Self::SlackToken => "[redacted:slack_token]",
        }
    }
}

/// A secret at `start..end` of a text, both at character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
}

/// The text with every secret replaced by `[redacted:kind]`; borrowed if there is none. Redacting twice changes nothing more.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut copied = 0;
    for found in Scan::new(text) {
        clean.push_str(text.get(copied..found.start).unwrap_or_default());
        clean.push_str(found.kind.marker());
        copied = found.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(clean)
}

/// Whether a text begins with a marker.
pub(crate) fn is_marked(text: &str) -> bool {
    text.starts_with("[redacted:")
}
