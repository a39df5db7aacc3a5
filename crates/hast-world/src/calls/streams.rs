//! Output of an agent on its way into the record: without secrets, with a cap, as it comes.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use hast_flow::agents::last_words::message_line;
use hast_flow::agents::redact::{RedactStream, Redactor};
use hast_flow::process::Stream;
use hast_flow::process::capture::{Capture, gap};

/// Bytes kept from the start and from the end of a stream.
const HEAD: usize = 1 << 20;
const TAIL: usize = 1 << 20;

/// One stream of a call.
#[derive(Debug)]
pub(super) struct KeptStream<'r> {
    redact: RedactStream<'r>,
    capture: Capture,
    /// A full disk costs the record of the stream, not the call.
    file: Option<File>,
}

impl<'r> KeptStream<'r> {
    pub(super) fn new(path: &Path, redactor: &'r Redactor) -> Self {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).ok();
        Self { redact: redactor.stream(), capture: Capture::new(HEAD, TAIL), file }
    }

    /// Takes a piece; returns what is certain to be free of secrets by now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let clean = self.redact.push(bytes);
        self.keep(&clean);
        clean
    }

    /// Completes the record; returns the rest.
    pub(super) fn finish(mut self, redactor: &'r Redactor) -> Vec<u8> {
        let redact = std::mem::replace(&mut self.redact, redactor.stream());
        let rest = redact.finish();
        self.keep(&rest);
        let captured = self.capture.finish();
        if let Some(mut file) = self.file {
            if captured.dropped > 0 {
                let _ = file.write_all(gap(captured.dropped).as_bytes());
            }
            let _ = file.write_all(&captured.tail);
        }
        rest
    }

    fn keep(&mut self, clean: &[u8]) {
        let head = self.capture.push(clean);
        if let Some(file) = &mut self.file
            && file.write_all(head).is_err()
        {
            self.file = None;
        }
    }
}

/// So much of complaints is remembered, and so much of a line told.
const HEARD: usize = 16 << 10;
const TOLD: usize = 200;

/// The end of what an agent complained about, without secrets.
#[derive(Debug, Default)]
pub(super) struct LastWords {
    bytes: Vec<u8>,
}

impl LastWords {
    pub(super) fn hear(&mut self, stream: Stream, clean: &[u8]) {
        if stream == Stream::Err {
            self.bytes.extend_from_slice(&clean[clean.len().saturating_sub(HEARD)..]);
            self.bytes.drain(..self.bytes.len().saturating_sub(HEARD));
        }
    }

    /// The line that says what went wrong; the beginning of a long one.
    pub(super) fn line(&self) -> String {
        message_line(&String::from_utf8_lossy(&self.bytes)).chars().take(TOLD).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_the_message_at_the_end_of_the_complaints() {
        let mut said = LastWords::default();
        assert_eq!(said.line(), "");
        for _ in 0..1_000 {
            said.hear(Stream::Err, b"again and again\n");
        }
        said.hear(Stream::Err, b"no such mo");
        said.hear(Stream::Err, b"del\n  \n");
        said.hear(Stream::Out, b"bye\n");
        assert_eq!(said.line(), "no such model");
        said.hear(Stream::Err, b"Error: EACCES: mkdir\n    at mkdir (node:fs:1)\n\nNode.js v22\n");
        assert_eq!(said.line(), "Error: EACCES: mkdir");
        assert!(said.bytes.len() <= HEARD);
    }

    #[test]
    fn a_secret_is_taken_out_wherever_the_caps_and_pieces_cut() {
        let root = tempfile::tempdir().unwrap();
        let redactor = Redactor::new([("KEY", "s3cr3t-value")]);
        let path = root.path().join("stdout.txt");
        let mut stream = KeptStream::new(&path, &redactor);
        let piece = b"s3cr3t-value.".repeat(1_000);
        let mut seen = Vec::new();
        for _ in 0..400 {
            for part in piece.chunks(1_237) {
                seen.extend(stream.push(part));
            }
        }
        seen.extend(stream.finish(&redactor));
        let kept = std::fs::read(&path).unwrap();
        for bytes in [&seen, &kept] {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("s3cr3t") && !text.contains("-value"));
        }
        assert!(kept.len() < HEAD + TAIL + 100);
        assert!(String::from_utf8_lossy(&kept).contains("bytes left out"));
    }
}
