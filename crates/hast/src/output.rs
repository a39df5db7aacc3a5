//! The two streams: results on stdout, everything else on stderr. A closed pipe is not an error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use annotate_snippets::Renderer;
use hast_flow::ports::Clock;
use jiff::Timestamp;

use rustix::termios::tcgetwinsize;

use crate::cli::ColorWhen;
use crate::progress::board::folded;

/// Where results and messages go, and which of them have colour: either may be a file.
#[derive(Debug)]
pub(crate) struct Output {
    coloured_results: bool,
    coloured_messages: bool,
    closed: bool,
}

/// Whether a stream ends on a screen on which more than lines can be drawn: a terminal that has a name
/// and does not call itself `dumb`.
pub(crate) fn is_screen(stream: &impl IsTerminal) -> bool {
    let name = std::env::var_os("TERM").unwrap_or_default();
    stream.is_terminal() && !name.is_empty() && name != "dumb"
}

/// Columns and lines of the terminal that shows results; those of a small one where there is none.
pub(crate) fn screen_size() -> (usize, usize) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => (80, 24),
    }
}

/// A time as people here read it.
pub(crate) fn local_time(clock: &dyn Clock, at: Timestamp) -> String {
    clock.local_offset(at).to_datetime(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Lines that are not longer than the terminal, broken between words; as they are where there is none.
pub(crate) fn for_screen(text: &str) -> String {
    width_of(io::stdout()).map_or_else(|| text.to_owned(), |width| on_lines(text, width))
}

/// A line that is as wide as the terminal may already be on its next one.
fn on_lines(text: &str, width: usize) -> String {
    let line = |line: &str| match line.strip_suffix('\n') {
        Some(line) => folded(line, width.saturating_sub(1)) + "\n",
        None => folded(line, width.saturating_sub(1)),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Columns of a terminal; none of something else.
fn width_of(stream: impl AsFd + IsTerminal) -> Option<usize> {
    let size = stream.is_terminal().then(|| tcgetwinsize(stream).ok())?;
    Some(size.map(|size| usize::from(size.ws_col)).filter(|width| *width > 0).unwrap_or(80))
}

impl Output {
    pub(crate) fn new(when: ColorWhen, no_color: bool) -> Self {
        let coloured = |is_screen: bool| match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => !no_color && is_screen,
        };
        Self {
            coloured_results: coloured(is_screen(&io::stdout())),
            coloured_messages: coloured(is_screen(&io::stderr())),
            closed: false,
        }
    }

    /// Writes a result. After the reader went away, nothing more is written and nothing is said.
    pub(crate) fn result(&mut self, text: &str) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other,
        }
    }

    /// Writes a message, on a terminal in lines that fit. If nobody can read messages there is nobody to tell.
    pub(crate) fn message(&mut self, text: &str) {
        let text = match width_of(io::stderr()) {
            Some(width) => Cow::from(on_lines(text, width)),
            None => Cow::from(text),
        };
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    pub(crate) fn colours_messages(&self) -> bool {
        self.coloured_messages
    }

    pub(crate) fn colours_results(&self) -> bool {
        self.coloured_results
    }

    /// For what goes to stdout.
    pub(crate) fn result_renderer(&self) -> Renderer {
        renderer(self.coloured_results)
    }

    /// For what goes to stderr.
    pub(crate) fn message_renderer(&self) -> Renderer {
        renderer(self.coloured_messages)
    }
}

fn renderer(coloured: bool) -> Renderer {
    if coloured { Renderer::styled() } else { Renderer::plain() }
}
