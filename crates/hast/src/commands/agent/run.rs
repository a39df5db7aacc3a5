//! `hast agent run`: one supervised call by hand, and what came of it.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use hast_flow::agents::usage::Usd;
use hast_flow::docs::call_record::{CallRecord, RecordedOutcome, RecordedUsage};
use hast_flow::docs::files::FlowName;
use hast_flow::docs::registry;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::steps::{Call, CallResult, Expected, Place, StepKey};
use hast_flow::words::{Lang, visible};
use hast_world::calls::{Calls, Kept, Performed};
use hast_world::files::read_named;
use serde_json::{Value, json};

use super::progress::{Screen, duration};
use crate::agent_messages::say;
use crate::app::App;
use crate::cli::RunArgs;
use crate::commands::calling::{commands, project, settings, supervisor, trusted};
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &RunArgs) -> Result<Exit, Problem> {
    let call = call(app, args)?;
    let project = project(app)?;
    let trusted = trusted(app, &project, &commands(&project))?;
    let documents = project.root.clone();
    let settings = settings(app, &project, FlowName::Goals, documents, args.tool.clone(), trusted)?;
    let (guarded, _signals) = supervisor(app.lang)?;
    let screen = Screen::new(app);
    let shown = screen.clone();
    let calls = Calls::new(settings, guarded, Box::new(move |progress| shown.show(progress)));
    let ticking = screen.tick();
    let performed = calls.perform(&StepKey::new(&["by-hand", &call.role]), &call);
    drop(ticking);
    report(app, &performed)
}

fn call(app: &App, args: &RunArgs) -> Result<Call, Problem> {
    let prompt = prompt(app.lang, &args.prompt_file)?;
    let mut call = Call::new(&args.role, "run", "by-hand", prompt);
    call.place = if args.in_place { Place::Checkout } else { Place::Reading };
    call.timeout = args.timeout.as_deref().map(|text| time(app.lang, text)).transpose()?;
    for text in &args.expect {
        call.expected.push(expected(app.lang, text)?);
    }
    Ok(call)
}

fn prompt(lang: Lang, path: &Path) -> Result<String, Problem> {
    let problem = |why: String| {
        Problem::new(say::no_prompt(lang), say::no_prompt_next(lang)).at(path).because(why)
    };
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let most = u64::try_from(MAX_DOCUMENT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let read = std::io::stdin().lock().take(most).read_to_end(&mut bytes);
        read.map_err(|error| problem(error.to_string()))?;
        bytes
    } else {
        read_named(path, MAX_DOCUMENT_BYTES).map_err(|error| problem(error.source.to_string()))?
    };
    if bytes.len() > MAX_DOCUMENT_BYTES {
        return Err(problem(format!("> {MAX_DOCUMENT_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| problem(error.to_string()))
}

fn expected(lang: Lang, text: &str) -> Result<Expected, Problem> {
    let (name, schema) = match text.split_once('=') {
        Some((name, schema)) => (name, Some(schema)),
        None => (text, None),
    };
    if name.is_empty() || name.contains(['/', '\0']) || name.starts_with('.') {
        return Err(Problem::usage(say::bad_expect(lang, name), say::bad_expect_next(lang)));
    }
    let expected = Expected::required(name);
    match schema {
        None => Ok(expected),
        Some(schema) => match registry::find(schema) {
            Some(entry) => Ok(expected.of(entry.name)),
            None => {
                let what = common::no_schema(lang, schema);
                Err(Problem::usage(what, common::no_schema_next(lang)))
            }
        },
    }
}

/// `90s`, `5m`, `1h`; a number alone is minutes, as in the settings.
fn time(lang: Lang, text: &str) -> Result<Duration, Problem> {
    let (number, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, "m"),
    };
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => 0,
    };
    let total = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds));
    match total.filter(|total| (1..=7 * 24 * 3600).contains(total)) {
        Some(total) => Ok(Duration::from_secs(total)),
        None => Err(Problem::usage(say::no_config_value(lang, text), say::time_next(lang))),
    }
}

fn report(app: &mut App, performed: &Performed) -> Result<Exit, Problem> {
    let lang = app.lang;
    let (exit, problem) = meaning(performed, lang);
    if app.json {
        app.print_json(&as_json(performed, problem.as_ref(), exit))?;
        if let Some(problem) = problem {
            app.output.message(&problem.text(lang, &app.output.message_renderer()));
        }
        return Ok(exit);
    }
    let mut text = String::new();
    if let (CallResult::Completed(answer), Some(kept)) = (&performed.result, &performed.kept) {
        if !answer.text.trim().is_empty() {
            text += &format!("{}\n\n", lines(answer.text.trim()));
        }
        let time = duration(Duration::from_millis(kept.record.duration_ms));
        text += &format!("{}\n", say::completed(lang, &kept.agent, time));
    }
    if let Some(kept) = &performed.kept {
        text += &details(kept, &performed.result, lang);
    }
    app.print(&text)?;
    match problem {
        None => Ok(exit),
        Some(problem) => Err(problem),
    }
}

/// Text of an agent, line by line, without what a terminal would obey.
fn lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

fn details(kept: &Kept, result: &CallResult, lang: Lang) -> String {
    let mut text = String::new();
    if let CallResult::Completed(answer) = result {
        for name in answer.documents.keys().chain(answer.others.keys()) {
            let path = kept.path.join("outbox").join(name);
            text += &format!("{}\n", say::document_at(lang, path.display()));
        }
    }
    let RecordedUsage { input_tokens, output_tokens, micro_usd, .. } = kept.record.usage;
    if let Some(input) = input_tokens {
        text += &format!("{}\n", say::tokens_used(lang, input, output_tokens.unwrap_or(0)));
    }
    if let Some(amount) = micro_usd {
        text += &format!("{}\n", say::cost(lang, Usd(amount)));
    }
    for finding in &kept.record.findings {
        let line = say::finding(lang, &finding.file, &finding.problem, &finding.next);
        text += &format!("{line}\n");
    }
    text + &format!("{}\n", say::record_at(lang, kept.path.display()))
}

/// The exit code, and what to say and do where it is not 0.
fn meaning(performed: &Performed, lang: Lang) -> (Exit, Option<Problem>) {
    let record = performed.kept.as_ref().map(|kept| kept.path.display().to_string());
    let problem = match &performed.result {
        CallResult::Completed(_) => return (Exit::Done, None),
        CallResult::Broken { findings, .. } => {
            let problem = Problem::new(say::broken(lang), say::broken_next(lang));
            match findings.first() {
                None => problem,
                Some(first) => problem.because(format!("{}: {}", first.file, first.problem)),
            }
        }
        CallResult::Failed { reason, .. } => Problem::new(
            say::failed(lang, reason),
            say::failed_next(lang, record.unwrap_or_default()),
        ),
        CallResult::Blocked { reason } => {
            Problem::new(say::blocked(lang, reason), say::blocked_next(lang))
        }
        CallResult::Limited { agent, until } => {
            Problem::new(say::limited(lang, agent), say::limited_next(lang, until.text(lang)))
        }
        CallResult::LoginNeeded { agent, advice } => {
            Problem::new(say::login(lang, agent, advice), say::login_next(lang, agent))
        }
        CallResult::NotStarted { reason, next } | CallResult::OverBudget { reason, next } => {
            Problem::new(reason.clone(), next.clone())
        }
        CallResult::Cancelled => {
            let problem = Problem::new(say::interrupted(lang), say::interrupted_next(lang));
            Problem { exit: Exit::Interrupted, ..problem }
        }
    };
    let problem = match &performed.kept {
        Some(kept) => problem.at(&kept.path),
        None => problem,
    };
    (problem.exit, Some(problem))
}

fn as_json(performed: &Performed, problem: Option<&Problem>, exit: Exit) -> Value {
    let kept = performed.kept.as_ref();
    let (documents, text, findings) = match &performed.result {
        CallResult::Completed(answer) => {
            let names = answer.documents.keys().chain(answer.others.keys());
            let path = |name: &String| {
                kept.map(|kept| kept.path.join("outbox").join(name).display().to_string())
            };
            (names.filter_map(path).collect(), answer.text.as_str(), Vec::new())
        }
        CallResult::Broken { findings, .. } => (Vec::new(), "", findings.clone()),
        _ => (Vec::new(), "", Vec::new()),
    };
    let record = kept.map(|kept| &kept.record);
    let findings = record.map_or(findings, |record| record.findings.clone());
    json!({
        "outcome": outcome(&performed.result),
        "agent": kept.map(|kept| &kept.agent),
        "record": kept.map(|kept| kept.path.display().to_string()),
        "duration_ms": record.map(|record| record.duration_ms),
        "usage": record.map(|record| record.usage),
        "documents": documents,
        "text": text,
        "findings": findings,
        "reason": record.map(|record: &CallRecord| &record.reason),
        "resume_at": match &performed.result {
            CallResult::Limited { until, .. } => Some(until.at()),
            _ => None,
        },
        "problem": problem.map(|problem| problem.json()["problem"].take()),
        "exit": exit as u8,
    })
}

fn outcome(result: &CallResult) -> Value {
    match result {
        CallResult::Completed(_) => json!(RecordedOutcome::Completed),
        CallResult::Broken { .. } => json!("broken"),
        CallResult::Failed { .. } => json!(RecordedOutcome::Failed),
        CallResult::Blocked { .. } => json!(RecordedOutcome::Blocked),
        CallResult::Limited { .. } => json!(RecordedOutcome::Limited),
        CallResult::LoginNeeded { .. } => json!(RecordedOutcome::LoginNeeded),
        CallResult::NotStarted { .. } | CallResult::OverBudget { .. } => {
            json!(RecordedOutcome::NotStarted)
        }
        CallResult::Cancelled => json!(RecordedOutcome::Cancelled),
    }
}
