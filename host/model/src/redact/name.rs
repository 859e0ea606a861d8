//! Which names announce a secret. Knows nothing of values.

/// How sure a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sureness {
    /// `password`, `api_key`: hardly ever the name of anything else.
    Sure,
    /// `token`, `secret`: an ordinary word too, so the value must look like a secret where the form leaves a doubt.
    Likely,
    /// `authorization`: a scheme, then the secret.
    Scheme,
}

/// Ends of names, without separators and in lower case.
const SURE: [&str; 18] = [
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "apitoken",
    "apisecret",
    "secretkey",
    "secretaccesskey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "clientsecret",
    "accesstoken",
    "refreshtoken",
    "authtoken",
    "sessiontoken",
    "bearertoken",
];
/// Last words of names.
const LIKELY: [&str; 5] = ["token", "secret", "pwd", "credential", "credentials"];
/// Bytes at the end of a name that are looked at: more than the longest entry with its separators.
const TAIL_BYTES: usize = 32;

/// Whether a value under this name is a secret: `password`, `GITHUB_TOKEN`, `clientSecret`, `x-api-key`.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    sureness(name).is_some()
}

/// How sure the name announces a secret; `None` if it does not.
pub(crate) fn sureness(name: &str) -> Option<Sureness> {
    let tail = name.get(name.ceil_char_boundary(name.len().saturating_sub(TAIL_BYTES))..).unwrap_or(name);
    let plain: String = tail.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if SURE.iter().any(|end| plain.ends_with(end)) {
        return Some(Sureness::Sure);
    }
    if plain.ends_with("authorization") {
        return Some(Sureness::Scheme);
    }
    let word = last_word(tail);
    LIKELY.iter().any(|likely| word.eq_ignore_ascii_case(likely)).then_some(Sureness::Likely)
}

/// The last word of `max_token`, `max-token`, `maxToken`, `MAX_TOKEN`.
fn last_word(name: &str) -> &str {
    let name = name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let word = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or(name);
    let bytes = word.as_bytes();
    let hump = bytes.windows(2).rposition(
        |pair| matches!(pair, [before, after] if !before.is_ascii_uppercase() && after.is_ascii_uppercase()),
    );
    hump.and_then(|hump| word.get(hump.saturating_add(1)..)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for (names, expected) in [
            (
                "password PASSWORD db_password userPassword --password my.passwd api_key apiKey x-api-key ApiKey",
                Some(Sureness::Sure),
            ),
            ("AWS_SECRET_ACCESS_KEY client_secret clientSecret accessToken refresh-token", Some(Sureness::Sure)),
            (
                "token secret TOKEN github_token githubToken GITHUB_TOKEN --token session.secret pwd",
                Some(Sureness::Likely),
            ),
            ("authorization Authorization Proxy-Authorization", Some(Sureness::Scheme)),
            (
                "tokens max_tokens input_tokens tokenizer secretary passwordless password_hash key keys keyboard \
                 api_key_id authorizations pass author name value mytoken agent",
                None,
            ),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(sureness(name), expected, "{name}");
            }
        }
        assert_eq!(sureness(""), None);
        assert_eq!(sureness(&format!("{}token", "ä_".repeat(100))), Some(Sureness::Likely));
    }
}
