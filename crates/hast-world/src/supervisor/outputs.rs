//! The program's two streams on their way: into a capped record, and on to hast.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};

use hast_flow::process::capture::{Capture, gap};
use hast_flow::process::{Limits, Stream};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::wire::Frame;

/// As much as a pipe holds.
const PIECE: usize = 64 * 1024;

/// What a pipe can hold at its largest, in pieces: more than that was written after the end.
const LAST_PIECES: usize = 16;

/// One stream of the program.
pub(super) struct Output {
    stream: Stream,
    reader: Option<PipeReader>,
    capture: Capture,
    record: Option<File>,
    piece: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Bytes(u64),
    Nothing,
    Closed,
}

impl Output {
    /// The stream, and the end of it that the program gets.
    pub(super) fn new(
        stream: Stream,
        limits: &Limits,
        record: Option<&OsString>,
    ) -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        set_nonblocking(&reader)?;
        let create = |path| File::create(path).map_err(|error| at(path, &error));
        let record = record.map(create).transpose()?;
        let capture = Capture::new(limits.head, limits.tail);
        let output = Self { stream, reader: Some(reader), capture, record, piece: vec![0; PIECE] };
        Ok((output, writer))
    }

    pub(super) fn reader(&self) -> Option<&PipeReader> {
        self.reader.as_ref()
    }

    /// Takes what is there, at most one piece.
    pub(super) fn take(&mut self, to_hast: &mut Outbound) -> Taken {
        let Some(reader) = &mut self.reader else { return Taken::Closed };
        match reader.read(&mut self.piece) {
            Ok(count) if count > 0 => {
                let bytes = &self.piece[..count];
                let head = self.capture.push(bytes);
                // A full disk costs the record, not the run: hast has the same bytes.
                if let Some(record) = &mut self.record
                    && record.write_all(head).is_err()
                {
                    self.record = None;
                }
                to_hast.output(self.stream, bytes);
                Taken::Bytes(count as u64)
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                Taken::Nothing
            }
            Ok(_) | Err(_) => {
                self.reader = None;
                Taken::Closed
            }
        }
    }

    /// Takes what is left in the pipe, without waiting for an end that may never come: something
    /// that is not ours may hold the pipe open. Then completes the record.
    pub(super) fn finish(&mut self, to_hast: &mut Outbound) {
        for _ in 0..LAST_PIECES {
            match self.take(to_hast) {
                Taken::Bytes(_) => to_hast.wait(),
                Taken::Nothing | Taken::Closed => break,
            }
        }
        self.reader = None;
        let empty = Capture::new(0, 0);
        let captured = std::mem::replace(&mut self.capture, empty).finish();
        if let Some(record) = &mut self.record {
            if captured.dropped > 0 {
                let _ = record.write_all(gap(captured.dropped).as_bytes());
            }
            let _ = record.write_all(&captured.tail);
        }
    }
}

/// The way to hast: never blocks while the program runs, never holds more than one piece a stream.
pub(super) struct Outbound {
    pending: Vec<u8>,
    sent: usize,
    open: Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Yes,
    No,
}

impl Outbound {
    pub(super) fn new() -> io::Result<Self> {
        set_nonblocking(io::stdout())?;
        Ok(Self { pending: Vec::with_capacity(2 * PIECE), sent: 0, open: Open::Yes })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    pub(super) fn close(&mut self) {
        self.open = Open::No;
        self.pending.clear();
        self.sent = 0;
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if self.open == Open::Yes {
            Frame::output(stream, bytes, &mut self.pending);
            // An error shows again when it is waited for.
            let _ = self.flush();
        }
    }

    /// Sends what goes without waiting.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while self.sent < self.pending.len() {
            match rustix::io::write(io::stdout(), &self.pending[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(rustix::io::Errno::AGAIN) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.pending.clear();
        self.sent = 0;
        Ok(())
    }

    /// Waits until all is sent or hast is gone. Only for when the program has ended.
    fn wait(&mut self) {
        while !self.is_empty() {
            if self.flush().is_err() {
                return self.close();
            }
            if self.is_empty() {
                return;
            }
            let stdout = io::stdout();
            let _ = poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None);
        }
    }

    /// Sends the last frame.
    pub(super) fn last(&mut self, frame: &Frame) -> io::Result<()> {
        if self.open == Open::Yes {
            frame.encode(&mut self.pending)?;
            self.wait();
        }
        Ok(())
    }
}

/// An error that says at which path it happened.
pub(super) fn at(path: &OsString, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn set_nonblocking(file: impl std::os::fd::AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(&file)?;
    Ok(fcntl_setfl(&file, flags | OFlags::NONBLOCK)?)
}
