//! Reading an event log back, as far as it is whole: a process that is killed leaves at most one torn line, at the end.
//! Knows lines; knows nothing of what the events mean.

use serde_json::Value;

/// What a log says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLog {
    /// The events, in the order of their lines.
    pub events: Vec<Value>,
    /// Bytes behind the last whole line: what was being written when the process ended.
    pub torn_bytes: usize,
}

/// Reads the longest beginning of `bytes` whose every line ended and is one JSON object. Nothing behind it counts.
#[must_use]
pub fn read_events(bytes: &[u8]) -> EventLog {
    let (mut events, mut whole_bytes) = (Vec::new(), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let event = line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice::<Value>(line).ok());
        let Some(event) = event.filter(Value::is_object) else { break };
        events.push(event);
        whole_bytes += line.len();
    }
    EventLog { events, torn_bytes: bytes.len() - whole_bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    // GV-50
    #[test]
    fn a_log_cut_at_any_byte_gives_its_whole_lines() {
        let text = "{\"seq\":1}\n{\"seq\":2,\"attrs\":{\"tool\":\"é\"}}\n{\"seq\":3}\n".as_bytes();
        for cut in 0..=text.len() {
            let part = text.get(..cut).unwrap_or_default();
            let log = read_events(part);
            assert_eq!(log.events.len(), part.iter().filter(|byte| **byte == b'\n').count(), "cut at {cut}");
            assert_eq!(log.torn_bytes > 0, part.last().is_some_and(|last| *last != b'\n'), "cut at {cut}");
        }
    }

    #[test]
    fn nothing_behind_a_line_that_is_no_event_counts() {
        let log = read_events(b"{\"seq\":1}\n[2]\n{\"seq\":3}\n");
        assert_eq!((log.events.len(), log.torn_bytes), (1, 14));
        assert_eq!(read_events(b""), EventLog::default());
    }
}
