//! Draws the board again and again on a terminal, below everything that was said. Without a terminal
//! nothing is drawn: what is said appears, and now and then a line for each agent that works.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;

use super::beats::Beats;
use super::board::{Board, Marks, Screen, folded};
use super::drawn::Drawn;
use crate::output::is_screen;

/// Fast enough for a clock of seconds, slow enough to cost nothing.
const TICK: Duration = Duration::from_millis(250);
/// How often there is a line for an agent that works, where there is no board.
const EVERY: Duration = Duration::from_secs(30);
/// How often it is looked whether a line is due.
const LOOK: Duration = Duration::from_secs(1);
/// Milliseconds in the place of [`EVERY`]: tests of the binary cannot wait for half a minute.
const TEST_BEAT: &str = "HAST_TEST_BEAT";

/// A board that is kept on the screen while it lives.
#[derive(Debug)]
pub(crate) struct Live {
    shared: Arc<Mutex<Shared>>,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

#[derive(Debug)]
struct Shared {
    board: Board,
    started: Instant,
    marks: Marks,
    colour: bool,
    is_terminal: bool,
    drawn: Drawn,
    beats: Beats,
}

impl Live {
    /// Starts drawing if stderr is a screen.
    pub(crate) fn start(board: Board, colour: bool, wanted: Wanted) -> Self {
        let is_terminal = wanted == Wanted::Board && is_screen(&io::stderr());
        let shared = Arc::new(Mutex::new(Shared {
            board,
            started: Instant::now(),
            marks: marks(),
            colour,
            is_terminal,
            drawn: Drawn::default(),
            beats: Beats::new(beat()),
        }));
        let ticker = match (wanted, is_terminal) {
            (Wanted::Nothing, _) => None,
            (_, true) => tick(Arc::clone(&shared), TICK, Shared::redraw),
            (_, false) => tick(Arc::clone(&shared), look(), Shared::beat),
        };
        Self { shared, ticker }
    }

    /// Changes the board; it is drawn with the next tick.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Board, Duration)) {
        let mut shared = lock(&self.shared);
        let now = shared.started.elapsed();
        change(&mut shared.board, now);
    }

    /// Notes what an agent does, for those who have no board.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Beats, Duration)) {
        let mut shared = lock(&self.shared);
        let now = shared.started.elapsed();
        note(&mut shared.beats, now);
    }

    /// Says a line above the board. It stays.
    pub(crate) fn say(&self, line: &str) {
        lock(&self.shared).draw(Some(line));
    }

    pub(crate) fn is_drawing(&self) -> bool {
        lock(&self.shared).is_terminal
    }
}

/// How much of the progress is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A board on a terminal, lines without one.
    Board,
    /// Only a line now and then for each agent that works (`--json`).
    Beats,
    /// `-q`.
    Nothing,
}

/// How often an agent that works is told of.
pub(crate) fn beat() -> Duration {
    let millis = std::env::var(TEST_BEAT).ok().and_then(|millis| millis.parse().ok());
    millis.map_or(EVERY, Duration::from_millis)
}

/// How often it is looked whether that is due.
pub(crate) fn look() -> Duration {
    beat().min(LOOK)
}

impl Drop for Live {
    /// The last state stays on the screen, and the cursor stands below it.
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            let _ = thread.join();
        }
        lock(&self.shared).draw(None);
    }
}

impl Shared {
    fn redraw(&mut self) {
        self.draw(None);
    }

    /// Says what is due.
    fn beat(&mut self) {
        let due = self.beats.due(self.started.elapsed());
        due.iter().for_each(|line| self.draw(Some(line)));
    }

    /// Draws the board where it stands, below a line that is to stay.
    fn draw(&mut self, said: Option<&str>) {
        let text = if self.is_terminal {
            let size = size();
            let (width, height) = size;
            let screen = Screen { width, height, marks: self.marks, colour: self.colour };
            let lines = self.board.lines(screen, self.started.elapsed());
            // As on the board: a full line may already be the next one.
            let said = said.map(|line| folded(line, width.saturating_sub(1)));
            self.drawn.again(said.as_deref(), &lines, size)
        } else {
            said.map(|line| format!("{line}\n")).unwrap_or_default()
        };
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

fn tick(
    shared: Arc<Mutex<Shared>>,
    every: Duration,
    act: fn(&mut Shared),
) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = mpsc::channel();
    let draw = move || {
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(every) {
            act(&mut lock(&shared));
        }
    };
    let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(draw).ok()?;
    Some((stop, thread))
}

fn size() -> (usize, usize) {
    match tcgetwinsize(io::stderr()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => (80, 24),
    }
}

fn marks() -> Marks {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
        .to_uppercase();
    if locale.contains("UTF-8") || locale.contains("UTF8") { Marks::Symbols } else { Marks::Ascii }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    // A thread that died while drawing left a board that can be drawn again.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
