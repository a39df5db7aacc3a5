//! `hast log GOAL[@N]`: what an attempt was asked, what its agent said and did, and the events about it.

use std::time::Duration;

use hast_flow::agents::events::AgentEvent;
use hast_flow::agents::provider::reader_of;
use hast_flow::agents::reply::ReplyReader;
use hast_flow::docs::goals::GoalsEvent;
use hast_flow::flows::goals::story::Tried;
use hast_flow::process::Stream;
use hast_flow::words::{Lang, shell_word, visible};
use hast_world::calls::folder::is_running;
use hast_world::log_lines::each_line;
use serde_json::{Value, json};

use super::records::{self, CallFolder};
use super::target::{self, Target};
use crate::app::App;
use crate::commands::agent::progress::event_words;
use crate::commands::auto::chosen;
use crate::commands::calling::{self, machine_directory};
use crate::commands::flow_root::printable;
use crate::look_cli::LogArgs;
use crate::look_messages::say;
use crate::problem::{Exit, Problem};
use crate::progress::board::elapsed;

/// How often a stream that grows is looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(crate) fn run(app: &mut App, args: &LogArgs) -> Result<Exit, Problem> {
    let target = target::find(app, &args.goal)?;
    let tried = target.tried(app)?;
    let calls = records::calls(&target.root, &target.id, tried);
    let events = events(app, &target, tried)?;
    if app.json {
        let calls: Vec<Value> = calls.iter().map(call_json).collect();
        let told = json!({
            "goal_id": target.id, "attempt": tried.number, "calls": calls, "events": events,
        });
        app.print_json(&told)?;
        return Ok(Exit::Done);
    }
    if calls.is_empty() && events.is_empty() {
        let (goal, word) = (visible(&target.id), shell_word(&target.id));
        let what = say::no_records(app.lang, goal, tried.number);
        return Err(Problem::new(what, say::no_records_next(app.lang, visible(&word))));
    }
    for (at, call) in calls.iter().enumerate() {
        let is_last = at + 1 == calls.len();
        tell_call(app, &target, call, args.follow && is_last)?;
    }
    // More may have happened while the agent was followed.
    let events = if args.follow { self::events(app, &target, tried)? } else { events };
    let mut text = format!("== {}\n", say::events(app.lang));
    text.extend(events.iter().map(|event| event_line(app, event)));
    app.print(&text)?;
    Ok(Exit::Done)
}

/// The events of one attempt.
fn events(app: &App, target: &Target, tried: &Tried) -> Result<Vec<GoalsEvent>, Problem> {
    let mut all = Vec::new();
    target::each_event(app, &target.root, &target.id, &mut |event| {
        let number = event.detail.get("attempt").and_then(Value::as_u64);
        if number == Some(u64::from(tried.number)) {
            all.push(event);
        }
    })?;
    Ok(all)
}

/// `2026-02-09 14:30:05  ATTEMPT_JUDGED  failed: tests are red`, in local time.
fn event_line(app: &App, event: &GoalsEvent) -> String {
    let text = |key: &str| event.detail.get(key).and_then(Value::as_str);
    let parts: Vec<&str> = ["class", "then", "reason"].into_iter().filter_map(text).collect();
    let kind = serde_json::to_value(event.kind).unwrap_or_default();
    let kind = kind.as_str().unwrap_or_default().to_owned();
    let first = parts.join(": ");
    let first = first.lines().next().unwrap_or_default();
    format!("{}  {kind}  {}\n", app.local(event.ts), visible(first))
}

fn call_json(call: &CallFolder) -> Value {
    let record = call.record();
    let words = record.as_ref().map(|record| call.reply(record).final_text().to_owned());
    json!({
        "directory": call.path.display().to_string(),
        "prompt": call.text("prompt.md"),
        "record": record,
        "last_words": words,
    })
}

fn tell_call(
    app: &mut App,
    target: &Target,
    call: &CallFolder,
    follow: bool,
) -> Result<(), Problem> {
    let lang = app.lang;
    let prompt = call.text("prompt.md");
    let path = |name: &str| visible(&call.path.join(name).display().to_string()).into_owned();
    let heading = say::prompt(lang, path("prompt.md"), prompt.len());
    app.print_exact(&format!("== {heading}\n{}", printable(&prompt)))?;
    let (name, reader) = match call.record() {
        Some(record) => (record.command.clone(), reader_of(&record.command)),
        // The settings may have become invalid since; the words are shown all the same.
        None => at_work(app, target).unwrap_or_else(|_| ("-".to_owned(), reader_of("-"))),
    };
    let heading = say::agent(lang, visible(&name), path("stdout.txt"));
    app.print(&format!("== {heading}\n"))?;
    let mut reader = Lines { reader, read: 0, pieces: String::new() };
    let machine = machine_directory(&target.root);
    loop {
        let is_over = !is_running(&machine, &call.name);
        let text = reader.more(lang, call, is_over);
        app.print(&text)?;
        if is_over || !follow {
            break;
        }
        std::thread::sleep(LOOK);
    }
    let rest = reader.rest();
    app.print(&rest)?;
    if let Some(record) = call.record() {
        let outcome = serde_json::to_value(record.outcome).unwrap_or_default();
        let outcome = outcome.as_str().unwrap_or_default().to_owned();
        let time = elapsed(Duration::from_millis(record.duration_ms));
        app.print(&format!("-- {outcome}, {time}\n"))?;
    }
    Ok(())
}

/// The agent of a call that has no record yet, as it would be chosen now.
fn at_work(app: &mut App, target: &Target) -> Result<(String, ReplyReader), Problem> {
    let project = calling::project_at(app, target.root.clone())?;
    let unit = target.goal.as_ref().and_then(|goal| goal.tool.as_deref());
    let chosen = chosen(app, &project, None, unit)?;
    Ok((chosen.name, chosen.provider.reader()))
}

/// The output of an agent, in words, as it comes.
struct Lines {
    reader: ReplyReader,
    read: u64,
    /// Words that came in pieces, without a line end yet.
    pieces: String,
}

impl Lines {
    /// The lines that came since; of a call that is over, a last line without its end too.
    fn more(&mut self, lang: Lang, call: &CallFolder, is_over: bool) -> String {
        let mut bytes = Vec::new();
        let stream = call.path.join("stdout.txt");
        let given = each_line(&stream, self.read, &mut |line| bytes.extend_from_slice(line));
        self.read += given.ok().flatten().unwrap_or(0);
        if is_over {
            let read = usize::try_from(self.read).unwrap_or(usize::MAX);
            bytes.extend_from_slice(call.bytes("stdout.txt").get(read..).unwrap_or_default());
            bytes.push(b'\n');
        }
        let events = self.reader.push(Stream::Out, &bytes);
        events.iter().map(|event| self.words(lang, event)).collect()
    }

    fn words(&mut self, lang: Lang, event: &AgentEvent) -> String {
        let line = match event {
            AgentEvent::SaidMore(piece) => {
                self.pieces += piece;
                return String::new();
            }
            AgentEvent::Said(said) => printable(said.trim_end()),
            event => match event_words(lang, event) {
                Some(words) => format!("> {}\n", visible(&words)),
                None => return String::new(),
            },
        };
        self.rest() + &line
    }

    fn rest(&mut self) -> String {
        match std::mem::take(&mut self.pieces) {
            pieces if pieces.trim().is_empty() => String::new(),
            pieces => printable(pieces.trim_end()),
        }
    }
}
