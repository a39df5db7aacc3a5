//! `hast agent builtin FORMAT/MODEL`: the built-in agent. hast starts it as an agent, under the guard
//! and in the sandbox, so it comes before everything else, like a rehearsal.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use hast_agent::builtin::{Start, asked_to_end, run as answer};
use hast_agent::tools::net::time::Machine;
use hast_flow::agents::presets::builtin::{Builtin, SETTINGS};
use hast_flow::docs::builtin::BuiltinLine;
use hast_flow::docs::call::Call;
use hast_flow::docs::document::read;
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::words::Lang;
use hast_world::files::read_named;

use crate::agent_messages::say;
use crate::cli::{BuiltinArgs, ColorWhen};
use crate::messages::say as common;
use crate::output::Output;
use crate::problem::Problem;

/// Where `call.json` lies.
const CALL: &str = "HAST_CALL";

/// The format and model that follow `hast agent builtin`, if that is what was asked for.
pub(crate) fn asked(args: &[OsString]) -> Option<&str> {
    match args {
        [_, agent, builtin, model] if agent == "agent" && builtin == "builtin" => {
            model.to_str().filter(|model| !model.starts_with('-'))
        }
        _ => None,
    }
}

/// The answer to whoever asks in a way in which no agent is started.
pub(crate) fn refused(lang: Lang, args: &BuiltinArgs) -> Problem {
    let line = format!("builtin:{}", args.model);
    match Builtin::parse(&line) {
        Err(problem) => Problem::usage(problem.what(lang), problem.next(lang)),
        Ok(_) => Problem::usage(common::no_call(lang, CALL), say::builtin_next(lang, line)),
    }
}

pub(crate) fn run(model: &str, lang: Lang) -> ExitCode {
    match begun(model, lang) {
        Ok(code) => ExitCode::from(code),
        Err(problem) => {
            let mut output = Output::new(ColorWhen::Never, true);
            output.message(&problem.text(lang, &output.message_renderer()));
            ExitCode::from(problem.exit as u8)
        }
    }
}

fn begun(model: &str, lang: Lang) -> Result<u8, Problem> {
    let line = format!("builtin:{model}");
    let builtin = Builtin::parse(&line)
        .map_err(|problem| Problem::usage(problem.what(lang), problem.next(lang)))?;
    let settings = std::env::var(SETTINGS).unwrap_or_else(|_| "{}".to_owned());
    let builtin = builtin.with_settings(settings);
    let call = call(lang, &line)?;
    let prompt = prompt(lang)?;
    let scratch = std::env::temp_dir().join(format!("hast-builtin-{}", std::process::id()));
    let time = Arc::new(Machine::new(asked_to_end()));
    Ok(answer(Start {
        call: &call,
        prompt: &prompt,
        builtin: &builtin,
        variable: &|name| std::env::var(name).ok(),
        scratch,
        time,
        tell: &mut |line| tell(&line),
    }))
}

/// Who does not read any more is told nothing.
fn tell(line: &BuiltinLine) {
    let text = serde_json::to_string(line).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn call(lang: Lang, line: &str) -> Result<Call, Problem> {
    let Some(file) = std::env::var_os(CALL).map(PathBuf::from) else {
        return Err(Problem::usage(common::no_call(lang, CALL), say::builtin_next(lang, line)));
    };
    let bytes = read_named(&file, MAX_DOCUMENT_BYTES)
        .map_err(|error| Problem::cannot_read(lang, &error.path, &error.source))?;
    let name = file.display().to_string();
    let parsed = Source::from_bytes(&name, &bytes)
        .map_err(|finding| vec![finding])
        .and_then(|source| read::<Call>(&source));
    parsed.map(|read| read.value).map_err(|findings| {
        let why = findings.first().map(|finding| finding.finding.what(lang));
        Problem::usage(common::no_call(lang, CALL), say::builtin_next(lang, line))
            .at(&file)
            .because(why.unwrap_or_default())
    })
}

fn prompt(lang: Lang) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_DOCUMENT_BYTES).unwrap_or(u64::MAX);
    let problem =
        |why: String| Problem::new(say::no_prompt(lang), say::no_prompt_next(lang)).because(why);
    let read = std::io::stdin().lock().take(most).read_to_end(&mut bytes);
    read.map_err(|error| problem(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| problem(error.to_string()))
}
