//! Progress of agent calls on stderr. On a terminal it is one line that changes; elsewhere a line an event and one
//! now and then. Beside `--json` only the latter is printed.

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
use crate::app::App;
use crate::commands::driving::spent;
use crate::output::is_screen;
use crate::progress::beats::Beats;
use crate::progress::live::{beat, look};

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
    Beats,
    Lines,
    Terminal,
}

struct State {
    /// The time of `beats` counts from here.
    origin: Instant,
    beats: Beats,
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
    pub(crate) fn new(app: &App) -> Self {
        let kind = match (app.quiet, app.json, is_screen(&std::io::stderr())) {
            (true, ..) => Kind::Silent,
            (false, true, _) => Kind::Beats,
            (false, false, true) => Kind::Terminal,
            (false, false, false) => Kind::Lines,
        };
        let state = State {
            origin: Instant::now(),
            beats: Beats::new(beat()),
            agent: String::new(),
            started: None,
            last: String::new(),
            usage: Usage::default(),
        };
        Self { lang: app.lang, kind, state: Arc::new(Mutex::new(state)) }
    }

    pub(crate) fn tick(&self) -> Ticking {
        let (every, act): (Duration, fn(&Self)) = match self.kind {
            Kind::Silent => return Ticking { stop: None, thread: None },
            Kind::Beats | Kind::Lines => (look(), Self::beat),
            Kind::Terminal => (TICK, Self::draw),
        };
        let (stop, stopped) = channel::<()>();
        let screen = self.clone();
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                act(&screen);
            }
            if screen.kind == Kind::Terminal {
                write("\r\u{1b}[K");
            }
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
        let now = state.origin.elapsed();
        note(&mut state.beats, progress, lang, now);
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
            Kind::Terminal | Kind::Beats | Kind::Silent => {}
        }
        state.last = told;
    }

    /// Says what is due.
    fn beat(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = state.origin.elapsed();
        state.beats.due(now).iter().for_each(|line| write(&format!("{line}\n")));
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

/// Notes what the agent of a call does, for the line that tells of it now and then.
pub(crate) fn note(beats: &mut Beats, progress: &Progress<'_>, lang: Lang, now: Duration) {
    let (key, unit) = (progress.key.as_str(), &progress.call.unit);
    match &progress.what {
        What::Started { .. } => beats.begin(key, unit, progress.agent, now),
        What::Event(event) => {
            let said = event_words(lang, event);
            beats.hear(key, said.as_deref(), spent(lang, progress.usage));
        }
        What::Ended(_) => beats.end(key),
        What::Notice(_) | What::Limited { .. } | What::Waiting { .. } | What::Held => {}
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
