//! The built-in agent: a model over HTTP, tools that are judged before each use, and one loop. It
//! knows one call and nothing of the flow that asks.

pub mod address;
mod circle;
pub mod client;
pub mod context;
mod prompt;
pub mod stand_in;
pub mod talk;
pub mod tools;
pub mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hast_flow::agents::presets::builtin::{Builtin, Wire};
use hast_flow::docs::builtin::{BuiltinLine, EndReason};
use hast_flow::docs::call::Call;
use hast_flow::docs::goals::BuiltinProvider;
use hast_flow::words::Lang;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::tools::net::time::Time;
use crate::tools::{Secret, Settings};
use client::Service;
use client::window::{Local, OLLAMA_DEFAULT, local};
use context::{UNKNOWN_WINDOW, guess};
use talk::{End, Talk};
use tools::{Means, Reach, Tools};

const SILENCE: Duration = Duration::from_secs(90);
/// Room that a prompt needs beside itself.
const ROOM: u64 = 8_000;

/// What a process of the built-in agent was given.
pub struct Start<'a> {
    pub call: &'a Call,
    pub prompt: &'a str,
    pub builtin: &'a Builtin,
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    pub scratch: PathBuf,
    pub time: Arc<dyn Time>,
    pub tell: &'a mut dyn FnMut(BuiltinLine),
}

impl std::fmt::Debug for Start<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Start").field("builtin", &self.builtin).finish_non_exhaustive()
    }
}

/// Set once somebody asks this process to end.
pub fn asked_to_end() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        // Without it the process just ends, and the guard tidies up.
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
}

/// Answers a call, tells how it ended, and gives the exit code.
pub fn run(start: Start<'_>) -> u8 {
    let Start { call, prompt, builtin, variable, scratch, time, tell } = start;
    let lang = call.language.lang();
    let end = match service(builtin, variable, lang) {
        Err(end) => end,
        Ok((service, settings)) => {
            let web = Settings::from_variables(variable, None, Arc::clone(&time)).ok();
            let withheld = vec![builtin.key_env().to_owned()];
            let means = Means { scratch: scratch.clone(), withheld, web, time: Arc::clone(&time) };
            let mut tools = Tools::of(call, means);
            let writes = Reach::of(call, &scratch).writes_more_than_documents();
            match window(&service, &settings, guess(prompt), &time, lang) {
                Err(end) => end,
                Ok(window) => {
                    let (service, price) = (&service, settings.price);
                    let mut talk = Talk { call, service, price, window, time, tell: &mut *tell };
                    talk.run(prompt, &mut tools, writes)
                }
            }
        }
    };
    tell(end.line());
    match end.reason {
        EndReason::Completed | EndReason::Blocked => 0,
        _ => 1,
    }
}

/// The service of a call, from the settings and from variables.
pub fn service(
    builtin: &Builtin,
    variable: &dyn Fn(&str) -> Option<String>,
    lang: Lang,
) -> Result<(Service, BuiltinProvider), End> {
    let wrong = |text: String| End::new(EndReason::Transport, text);
    let settings: BuiltinProvider = serde_json::from_str(builtin.settings())
        .map_err(|error| wrong(words::bad_settings(lang, error)))?;
    let wire = builtin.wire;
    let filled = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let named = settings.base_url.clone().or_else(|| filled(wire.address_variable()));
    let text = named.as_deref().unwrap_or(wire.address());
    let base = address::base(text).ok_or_else(|| wrong(words::bad_address(lang, text)))?;
    let key = filled(builtin.key_env()).map(|key| Secret::new(key.trim()));
    // Local servers need none; the vendors do.
    if key.is_none() && (named.is_none() || wire == Wire::Anthropic && settings.base_url.is_none())
    {
        let text = words::no_key(lang, builtin.key_env(), wire.name());
        return Err(End::new(EndReason::Login, text));
    }
    let silence = settings
        .silence_seconds
        .map_or(SILENCE, |seconds| Duration::from_secs(seconds.get().into()));
    let max_output_tokens = settings.max_output_tokens.map(std::num::NonZeroU32::get);
    let model = builtin.model.clone();
    Ok((Service { wire, model, base, key, max_output_tokens, silence }, settings))
}

/// How much fits into the model. A local server that would cut the prompt is refused, with the cause.
pub fn window(
    service: &Service,
    settings: &BuiltinProvider,
    prompt: u64,
    time: &Arc<dyn Time>,
    lang: Lang,
) -> Result<u64, End> {
    let configured = settings.context_tokens.map(|tokens| u64::from(tokens.get()));
    let told = local(service, time);
    let window = match (&told, configured) {
        (Some(Local { window: Some(window), .. }), Some(configured)) => configured.min(*window),
        (Some(Local { window: Some(window), .. }), None) => *window,
        (Some(_), configured) => configured.unwrap_or(OLLAMA_DEFAULT),
        (None, configured) => configured.unwrap_or(UNKNOWN_WINDOW),
    };
    let needed = prompt + ROOM;
    match told {
        Some(Local { kind, .. }) if window < needed => {
            let text = words::small_window(lang, kind, &service.model, window, needed);
            Err(End::new(EndReason::ContextFull, text))
        }
        _ => Ok(window),
    }
}
