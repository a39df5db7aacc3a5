//! What is seen while an agent works: one line that changes on a terminal, one line an event else.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hast_flow::agents::events::AgentEvent;
use hast_flow::agents::tool_use::ToolUse;
use hast_flow::agents::usage::Usage;
use hast_flow::words::{Lang, visible};
use hast_world::calls::{Progress, What};

use crate::agent_messages::say;
use crate::output::is_screen;

/// How often the line on a terminal is drawn again.
const TICK: Duration = Duration::from_millis(250);
const LONGEST: usize = 100;

/// Shows the progress of calls on stderr.
#[derive(Clone)]
pub(crate) struct Screen {
    lang: Lang,
    kind: Kind,
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Silent,
    Lines,
    Terminal,
}

#[derive(Default)]
struct State {
    agent: String,
    started: Option<Instant>,
    last: String,
    usage: Usage,
}

/// Draws again and again until it is dropped.
#[must_use]
pub(crate) struct Ticking {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Screen {
    pub(crate) fn new(lang: Lang, quiet: bool) -> Self {
        let kind = match (quiet, is_screen(&std::io::stderr())) {
            (true, _) => Kind::Silent,
            (false, true) => Kind::Terminal,
            (false, false) => Kind::Lines,
        };
        Self { lang, kind, state: Arc::default() }
    }

    pub(crate) fn tick(&self) -> Ticking {
        if self.kind != Kind::Terminal {
            return Ticking { stop: None, thread: None };
        }
        let (stop, stopped) = channel::<()>();
        let screen = self.clone();
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                screen.draw();
            }
            write("\r\u{1b}[K");
        });
        Ticking { stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn show(&self, progress: &Progress<'_>) {
        if self.kind == Kind::Silent {
            return;
        }
        let lang = self.lang;
        let told = match &progress.what {
            What::Started { record } => Some(say::started(lang, progress.agent, record.display())),
            What::Event(event) => event_words(lang, event),
            What::Notice(notice) => Some((*notice).to_owned()),
            What::Limited { until } => {
                Some(say::limited_until(lang, progress.agent, until.text(lang)))
            }
            What::Waiting { until } => Some(say::waiting_until(lang, until.text(lang))),
            What::Held => Some(say::held(lang)),
            What::Ended(_) => Some(say::ended(lang, duration(progress.elapsed))),
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        progress.agent.clone_into(&mut state.agent);
        state.usage = progress.usage;
        if let What::Started { .. } = progress.what {
            state.started = Some(Instant::now());
        }
        let Some(told) = told else { return };
        let told: String = visible(told.trim()).chars().take(LONGEST).collect();
        // What a person must not miss stays on the screen.
        let stays = matches!(progress.what, What::Notice(_) | What::Limited { .. });
        match self.kind {
            Kind::Lines => {
                let elapsed = duration(progress.elapsed);
                write(&format!("[{elapsed}] {}: {told}\n", progress.agent));
            }
            Kind::Terminal if stays => write(&format!("\r\u{1b}[K{told}\n")),
            Kind::Terminal | Kind::Silent => {}
        }
        state.last = told;
    }

    fn draw(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(started) = state.started else { return };
        let mut line = format!("\r\u{1b}[K{} {}", duration(started.elapsed()), state.agent);
        if let Some(tokens) = state.usage.tokens {
            line += &format!(" · {}", say::tokens_used(self.lang, tokens.input, tokens.output));
        }
        if let Some(cost) = state.usage.cost {
            line += &format!(" · {cost}");
        }
        line += &format!(" · {}", state.last.chars().take(60).collect::<String>());
        write(&line);
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What an event says; pieces of a text are too many to tell.
pub(crate) fn event_words(lang: Lang, event: &AgentEvent) -> Option<String> {
    match event {
        AgentEvent::Said(text) => {
            text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
        }
        AgentEvent::Tool(ToolUse { name, on: None }) => Some(say::using(lang, name)),
        AgentEvent::Tool(ToolUse { name, on: Some(on) }) => Some(format!("{name}: {on}")),
        AgentEvent::Retry(error) | AgentEvent::Error(error) => {
            Some(say::retrying(lang, &error.text))
        }
        AgentEvent::Session(_)
        | AgentEvent::Model(_)
        | AgentEvent::SaidMore(_)
        | AgentEvent::Tokens(..)
        | AgentEvent::MessageTokens(..)
        | AgentEvent::Cost(..)
        | AgentEvent::Denied(_)
        | AgentEvent::Final(_)
        | AgentEvent::Ended(_)
        | AgentEvent::Stopped => None,
    }
}

pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m"),
    }
}

fn write(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
