//! The outcomes of one call, in the order of its requests.

use crate::{Failure, Json, Outcome};
use std::ops::Deref;

/// One outcome for each request, in the order of the requests, whichever ended first. Reads like a slice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcomes(pub(crate) Vec<Outcome>);

impl Outcomes {
    /// Those whose output may be used.
    pub fn ok(&self) -> impl Iterator<Item = &Outcome> {
        self.iter().filter(|outcome| outcome.is_ok())
    }

    /// Those that ended otherwise.
    pub fn not_ok(&self) -> impl Iterator<Item = &Outcome> {
        self.iter().filter(|outcome| !outcome.is_ok())
    }

    /// The first that is ok, in the order of the requests.
    ///
    /// # Errors
    /// The failure of the first request if none is ok; code `no_children` if there was no request.
    pub fn into_first(self) -> Result<Outcome, Failure> {
        let place = self.iter().position(Outcome::is_ok).unwrap_or_default();
        match self.into_iter().nth(place) {
            Some(outcome) => Ok(outcome.into_result()?),
            None => Err(Failure::new("no_children", "nothing was asked, so nothing came back")),
        }
    }

    /// The outputs of all, in the order of the requests.
    ///
    /// # Errors
    /// The failure of the first that is not ok.
    pub fn into_outputs(self) -> Result<Vec<Json>, Failure> {
        self.into_iter().map(|outcome| Ok(outcome.into_result()?.output.unwrap_or_default())).collect()
    }
}

impl Deref for Outcomes {
    type Target = [Outcome];

    fn deref(&self) -> &[Outcome] {
        &self.0
    }
}

impl IntoIterator for Outcomes {
    type Item = Outcome;
    type IntoIter = std::vec::IntoIter<Outcome>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Outcomes {
    type Item = &'a Outcome;
    type IntoIter = std::slice::Iter<'a, Outcome>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
