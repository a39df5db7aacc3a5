//! The part of a stream that is kept: its head, its tail, and how much was between them.

/// Head and tail of a stream. What lay between them was counted, not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
    pub dropped: u64,
}

impl Captured {
    /// How much the program wrote.
    pub fn total(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.dropped
    }

    /// The kept bytes as a reader sees them: invalid UTF-8 replaced, the gap named.
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.dropped > 0 {
            text += &gap(self.dropped);
        }
        text += &String::from_utf8_lossy(&self.tail);
        text
    }
}

/// The line that stands in a record for what was not kept.
pub fn gap(dropped: u64) -> String {
    format!("\n[hast: {dropped} bytes left out]\n")
}

/// Takes a stream in pieces and never holds more than its two limits.
#[derive(Clone, Debug)]
pub struct Capture {
    head_limit: usize,
    tail_limit: usize,
    head: Vec<u8>,
    /// A ring once it is full: the oldest byte is at `oldest`.
    tail: Vec<u8>,
    oldest: usize,
    dropped: u64,
}

impl Capture {
    pub fn new(head_limit: usize, tail_limit: usize) -> Self {
        Self { head_limit, tail_limit, head: Vec::new(), tail: Vec::new(), oldest: 0, dropped: 0 }
    }

    /// Takes a piece; returns the part of it that belongs to the head.
    pub fn push<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_limit - self.head.len()));
        self.head.extend_from_slice(head);
        self.push_tail(rest);
        head
    }

    fn push_tail(&mut self, bytes: &[u8]) {
        let (fits, rest) = bytes.split_at(bytes.len().min(self.tail_limit - self.tail.len()));
        self.tail.extend_from_slice(fits);
        self.dropped += rest.len() as u64;
        // Of what is longer than the ring only the end survives.
        let mut rest = &rest[rest.len().saturating_sub(self.tail_limit)..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(self.tail_limit - self.oldest));
            self.tail[self.oldest..self.oldest + now.len()].copy_from_slice(now);
            self.oldest = (self.oldest + now.len()) % self.tail_limit;
            rest = later;
        }
    }

    pub fn finish(mut self) -> Captured {
        self.tail.rotate_left(self.oldest);
        Captured { head: self.head, tail: self.tail, dropped: self.dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn head_and_tail_are_those_of_the_whole_stream(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..20),
            head in 0_usize..30,
            tail in 0_usize..30,
        ) {
            let whole = pieces.concat();
            let mut capture = Capture::new(head, tail);
            let headed: Vec<u8> =
                pieces.iter().flat_map(|piece| capture.push(piece)).copied().collect();
            let captured = capture.finish();
            let cut = whole.len().min(head);
            prop_assert_eq!(&captured.head, &whole[..cut]);
            prop_assert_eq!(headed, &whole[..cut]);
            let rest = &whole[cut..];
            prop_assert_eq!(&captured.tail, &rest[rest.len().saturating_sub(tail)..]);
            prop_assert_eq!(captured.total(), whole.len() as u64);
        }
    }

    #[test]
    fn the_text_names_the_gap_and_survives_invalid_utf8() {
        let mut capture = Capture::new(2, 2);
        capture.push(b"a\xffbcd\xfe!");
        assert_eq!(capture.finish().text(), "a\u{fffd}\n[hast: 3 bytes left out]\n\u{fffd}!");
    }
}
