//! Server-sent events out of bytes that are cut anywhere: line ends of every kind, comments, and
//! data over several lines.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub data: String,
}

/// A longer event is no answer of a model.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// Bytes in, events out.
#[derive(Debug, Default)]
pub struct Events {
    /// The line that has no end yet, as bytes: a character may be cut too.
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    after_return: bool,
}

/// What came is no stream of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl Events {
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            let after_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    events.extend(self.take(&String::from_utf8_lossy(&line)));
                }
                byte => self.line.push(*byte),
            }
        }
        match self.line.len() + self.event.data.len() > MAX_EVENT_BYTES {
            true => Err(TooLong),
            false => Ok(events),
        }
    }

    /// The last event, where the stream ended without an empty line.
    pub fn finish(mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let last = self.take(&String::from_utf8_lossy(&line));
        last.or_else(|| self.has_data.then_some(self.event))
    }

    fn take(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field.trim_start_matches('\u{feff}') {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data += value;
                self.has_data = true;
            }
            // An empty field is a comment; others are not ours.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STREAM: &str = ": hello\r\n\r\nevent: a\r\ndata: {\"x\":\r\ndata: \"한글\"}\r\nid: 7\r\n\r\ndata: b\n\n\ndata:c\r\rdata: last";

    fn events(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut events = Events::default();
        let mut all = Vec::new();
        for piece in pieces {
            all.extend(events.push(piece).unwrap());
        }
        all.extend(events.finish());
        all.into_iter().map(|event| (event.name, event.data)).collect()
    }

    #[test]
    fn events_are_read_whatever_ends_their_lines() {
        let expected = [("a", "{\"x\":\n\"한글\"}"), ("", "b"), ("", "c"), ("", "last")];
        let expected = expected.map(|(name, data)| (name.to_owned(), data.to_owned()));
        assert_eq!(events(&[STREAM.as_bytes()]), expected);
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(cuts in prop::collection::vec(0..STREAM.len(), 0..8)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let (mut pieces, mut at) = (Vec::new(), 0);
            for cut in cuts {
                pieces.push(&STREAM.as_bytes()[at..cut]);
                at = cut;
            }
            pieces.push(&STREAM.as_bytes()[at..]);
            prop_assert_eq!(events(&pieces), events(&[STREAM.as_bytes()]));
        }

        #[test]
        fn any_bytes_are_events_or_nothing(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut events = Events::default();
            let _ = events.push(&bytes);
            let _ = events.finish();
        }
    }
}
