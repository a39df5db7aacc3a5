//! `hast agent rehearse FILE`: plays the reply of a rehearsal that fits the call. hast starts it as
//! an agent, so it comes before everything else, like the guard.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hast_agent::rehearsal::{NO_REPLY, Stage, Voice, escape, give_up, play};
use hast_flow::agents::rehearsal::matching::{asked as asked_words, listed, reply_for};
use hast_flow::docs::call::Call;
use hast_flow::docs::document::{Document, read};
use hast_flow::docs::rehearsal::Rehearsal;
use hast_flow::formats::diagnostic::{Diagnostic, Finding};
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::ports::Clock;
use hast_flow::words::Lang;
use hast_world::files::{PathError, read_named};
use hast_world::root_path::RootPath;

use crate::cli::{ColorWhen, RehearseArgs};
use crate::messages::say;
use crate::output::Output;
use crate::problem::{Exit, Problem, diagnostic_text};

/// Where `call.json` lies.
const CALL: &str = "HAST_CALL";
/// How many replies are named where none fits.
const MOST_LISTED: usize = 20;

/// What is for the parser of the command line: a person's, not hast's.
const OF_PEOPLE: &[&str] = &["--help", "-h", "--json"];

/// What follows `hast agent rehearse`, if that is what was asked for.
pub(crate) fn asked(args: &[OsString]) -> Option<&[OsString]> {
    match args {
        [_, agent, rehearse, rest @ ..] if agent == "agent" && rehearse == "rehearse" => {
            (!rest.iter().any(|arg| OF_PEOPLE.iter().any(|word| arg == word))).then_some(rest)
        }
        _ => None,
    }
}

/// The answer to whoever asks in a way in which no agent is started.
pub(crate) fn refused(lang: Lang, args: &RehearseArgs) -> Problem {
    let (what, next) = match std::env::var_os(CALL) {
        None => (say::no_call(lang, CALL), say::no_call_next(lang)),
        Some(_) => (say::rehearse_usage(lang), say::rehearse_usage_next(lang)),
    };
    Problem::usage(what, next).at(&args.file)
}

pub(crate) fn run(
    args: &[OsString],
    clock: Result<Box<dyn Clock>, Problem>,
    lang: Lang,
) -> ExitCode {
    let code = match clock.and_then(|clock| Ok((Words::parse(args, lang)?, clock))) {
        Err(problem) => complain(&problem, lang),
        Ok((Words::Leave { voice }, _)) => match escape::leave(voice == Voice::Raw) {
            true => Exit::Done as u8,
            false => Exit::Failed as u8,
        },
        Ok((words, clock)) => with_call(&words, &*clock, lang),
    };
    ExitCode::from(code)
}

/// What was asked on the command line.
enum Words {
    Play { file: PathBuf, voice: Voice },
    Leave { voice: Voice },
    Left { voice: Voice },
}

impl Words {
    fn parse(args: &[OsString], lang: Lang) -> Result<Self, Problem> {
        let raw = args.iter().any(|arg| arg == "--raw");
        let voice = if raw { Voice::Raw } else { Voice::Played };
        let rest: Vec<&OsString> = args.iter().filter(|arg| *arg != "--raw").collect();
        match rest.as_slice() {
            [word] if *word == escape::LEAVE => Ok(Self::Leave { voice }),
            [word] if *word == escape::LEFT => Ok(Self::Left { voice }),
            [file] if !file.to_string_lossy().starts_with('-') => {
                Ok(Self::Play { file: file.into(), voice })
            }
            _ => Err(Problem::usage(say::rehearse_usage(lang), say::rehearse_usage_next(lang))),
        }
    }
}

fn with_call(words: &Words, clock: &dyn Clock, lang: Lang) -> u8 {
    let Some(call_file) = std::env::var_os(CALL) else {
        let problem = Problem::usage(say::no_call(lang, CALL), say::no_call_next(lang));
        return complain(&problem, lang);
    };
    let call_file = PathBuf::from(call_file);
    let call: Call = match document(&call_file) {
        Ok(call) => call,
        Err(findings) => return complain_of(&findings, lang),
    };
    let call_file = call_file.to_string_lossy();
    let stage = |voice| Stage { call: &call, call_file: &call_file, clock, voice, lang };
    match words {
        Words::Play { file, voice } => play_file(file, &stage(*voice)),
        Words::Left { voice } => escape::left(&stage(*voice)),
        // Handled before: it needs no call.
        Words::Leave { .. } => Exit::Done as u8,
    }
}

fn play_file(file: &Path, stage: &Stage<'_>) -> u8 {
    let lang = stage.lang;
    let root = Path::new(&stage.call.root);
    let rehearsal: Rehearsal = match read_rehearsal(file, root) {
        Ok(rehearsal) => rehearsal,
        Err(findings) => {
            let first = findings.first().map(|finding| {
                let line = finding.line().map(|line| format!(":{line}")).unwrap_or_default();
                format!("{}{line}: {}", finding.file, finding.finding.what(lang))
            });
            give_up(stage.call, &first.unwrap_or_default());
            return complain_of(&findings, lang);
        }
    };
    let exists = |path: &str| root.join(path).symlink_metadata().is_ok();
    match reply_for(&rehearsal, stage.call, stage.clock.now(), &exists) {
        Some(reply) => play(&reply.actions, stage),
        None => {
            let what = say::no_reply(lang, asked_words(stage.call));
            give_up(stage.call, &what);
            let mut replies = listed(&rehearsal);
            if replies.len() > MOST_LISTED {
                replies.truncate(MOST_LISTED);
                replies.push("...".to_owned());
            }
            let problem =
                Problem::new(what, say::no_reply_next(lang)).at(file).because(replies.join(" | "));
            complain(&problem, lang);
            NO_REPLY
        }
    }
}

/// A relative file lies below the root of the flow, and is the one that was approved; if it is not there,
/// in the working directory.
fn read_rehearsal(file: &Path, root: &Path) -> Result<Rehearsal, Vec<Diagnostic>> {
    let below_root = RootPath::new(root).ok().map(|root| root.join(file));
    match below_root.filter(|below| !file.is_absolute() && (below.exists() || !file.exists())) {
        Some(below) => parsed(&below, below.read_bounded(MAX_DOCUMENT_BYTES)),
        None => document(file),
    }
}

fn document<D: Document>(path: &Path) -> Result<D, Vec<Diagnostic>> {
    parsed(path, read_named(path, MAX_DOCUMENT_BYTES))
}

fn parsed<D: Document>(
    path: &Path,
    bytes: Result<Vec<u8>, PathError>,
) -> Result<D, Vec<Diagnostic>> {
    let name = path.display().to_string();
    let bytes = bytes.map_err(|error| {
        vec![Diagnostic::of_file(&name, Finding::CannotRead { why: error.source.to_string() })]
    })?;
    let source = Source::from_bytes(&name, &bytes).map_err(|finding| vec![finding])?;
    Ok(read::<D>(&source)?.value)
}

fn complain(problem: &Problem, lang: Lang) -> u8 {
    let mut output = Output::new(ColorWhen::Never, true);
    output.message(&problem.text(lang, &output.message_renderer()));
    problem.exit as u8
}

fn complain_of(findings: &[Diagnostic], lang: Lang) -> u8 {
    let mut output = Output::new(ColorWhen::Never, true);
    for finding in findings {
        output.message(&diagnostic_text(finding, lang, &output.message_renderer()));
    }
    Exit::Usage as u8
}
