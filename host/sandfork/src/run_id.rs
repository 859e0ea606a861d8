//! What a run may be called: a name that is also the name of a directory on every machine.

/// The longest run id, in bytes.
pub(crate) const RUN_ID_BYTES: usize = 128;

/// The id can name no run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{shown}` cannot name a run: expected a letter or digit, then letters, digits, `_`, `-` or `.`, at most \
     {RUN_ID_BYTES} in all"
)]
pub(crate) struct IdError {
    shown: String,
}

/// A text that may name a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValidId(String);

impl ValidId {
    fn new(id: &str) -> Result<Self, IdError> {
        let is_valid = id.len() <= RUN_ID_BYTES
            && id.starts_with(|c: char| c.is_ascii_alphanumeric())
            && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if is_valid { Ok(Self(id.into())) } else { Err(IdError { shown: id.chars().take(RUN_ID_BYTES).collect() }) }
    }

    /// The text.
    #[must_use]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a run gets its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunName {
    /// `NAME-N` with the first free N.
    Numbered(ValidId),
    /// This and no other; an earlier run of the same id is replaced.
    Exact(ValidId),
}

impl RunName {
    /// `NAME-N`.
    ///
    /// # Errors
    /// When the name cannot name a directory.
    pub(crate) fn numbered(name: &str) -> Result<Self, IdError> {
        ValidId::new(name).map(Self::Numbered)
    }

    /// Just `id`.
    ///
    /// # Errors
    /// When the id cannot name a directory.
    pub(crate) fn exact(id: &str) -> Result<Self, IdError> {
        ValidId::new(id).map(Self::Exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_could_leave_the_runs_directory_is_refused() {
        for bad in ["", ".", "..", "../x", "a/b", "/etc", "-x", "a b", "a\0", "ü", &"x".repeat(RUN_ID_BYTES + 1)] {
            assert!(RunName::exact(bad).is_err(), "{bad:?}");
        }
        for good in ["demo", "demo-1", "1", "a.b_c", &"x".repeat(RUN_ID_BYTES)] {
            assert!(RunName::exact(good).is_ok(), "{good:?}");
        }
    }
}
