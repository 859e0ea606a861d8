//! A fold over the events alone: first reviews and what passed them, and what was refused for being done already.

use sandfork_model::{Event, EventBody, EventSink, Judged, RefusalCode};
use std::io;
use std::sync::{Arc, OnceLock};

/// Takes one event into the sums.
pub fn judge(judged: &mut Judged, event: &Event) {
    if let EventBody::Reviewed { attempt: 1, verdict, .. } = &event.body {
        judged.first_reviews += 1;
        judged.first_passes += u64::from(*verdict == "PASS");
    }
    if let EventBody::SpawnRefused { code, .. } = &event.body {
        judged.similar_refused += u64::from(*code == RefusalCode::SimilarTask.name());
    }
}

/// The fold as a sink: it must be given each event once.
#[derive(Debug, Default)]
pub struct JudgeSink {
    judged: Judged,
    told: Judging,
}

/// Where the sums stand once the log has ended.
#[derive(Clone, Debug, Default)]
pub struct Judging(Arc<OnceLock<Judged>>);

impl Judging {
    /// The sums of the whole log; zeros before its end.
    #[must_use]
    pub fn result(&self) -> Judged {
        self.0.get().copied().unwrap_or_default()
    }
}

impl JudgeSink {
    /// A sink, and where its sums will be.
    #[must_use]
    pub fn new() -> (Self, Judging) {
        let told = Judging::default();
        (Self { judged: Judged::default(), told: told.clone() }, told)
    }
}

impl EventSink for JudgeSink {
    fn write(&mut self, _seq: u64, event: &Event) -> io::Result<()> {
        judge(&mut self.judged, event);
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        // A log ends once.
        let _ = self.told.0.set(self.judged);
        Ok(())
    }
}
