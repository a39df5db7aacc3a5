//! `hast decision`: tickets with alternatives, their matrix, and spikes that really try them.

mod report;
mod spike;

use std::path::Path;

use hast_flow::attempt::base::ref_part;
use hast_flow::docs::document::read;
use hast_flow::docs::goals::DecisionTicket;
use hast_flow::flows::goals::auto::policy::{CONTROLLER, POLICY};
use hast_flow::flows::goals::decision::{Evaluated, evaluate};
use hast_flow::flows::goals::layout;
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::formats::yaml_print::quoted;
use hast_flow::store::{ChangeSet, DocPath, Put};
use hast_flow::words::visible;
use hast_world::files::read_named;
use hast_world::root_path::RootPath;
use serde_json::json;

use super::goals_files::{bad_file, find_root, show};
use super::goals_log;
use super::opening::store_problem;
use crate::app::App;
use crate::decision_cli::{DecisionCommands, EvaluateArgs, NewArgs};
use crate::decision_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, command: &DecisionCommands) -> Result<Exit, Problem> {
    match command {
        DecisionCommands::New(args) => new(app, args),
        DecisionCommands::Evaluate(args) => evaluated(app, args),
        DecisionCommands::Spike(args) => spike::run(app, args),
    }
}

fn new(app: &mut App, args: &NewArgs) -> Result<Exit, Problem> {
    let lang = app.lang;
    if ref_part(&args.id) != args.id {
        return Err(Problem::usage(say::bad_id(lang, &args.id), say::bad_id_next(lang)));
    }
    let mut alternatives = Vec::new();
    for text in &args.alternatives {
        match text.split_once('=').filter(|(id, _)| !id.trim().is_empty()) {
            Some((id, title)) => alternatives.push((id.trim(), title.trim())),
            None => {
                let what = say::bad_alternative(lang, text);
                return Err(Problem::usage(what, say::too_few_next(lang)));
            }
        }
    }
    if alternatives.len() < 2 {
        return Err(Problem::usage(say::too_few(lang), say::too_few_next(lang)));
    }
    let root = find_root(app)?;
    let shown = format!("{}/decisions/{}.yaml", layout::DIRECTORY, args.id);
    let text = template(args, &alternatives);
    // What is written here can be read here.
    let findings = read::<DecisionTicket>(&Source::new(&shown, &text)).err().unwrap_or_default();
    if !findings.is_empty() {
        show(app, &findings);
        let what = common::bad_files(lang, findings.len());
        return Err(Problem::usage(what, say::too_few_next(lang)));
    }
    if root.join(&shown).symlink_metadata().is_ok() {
        return Err(Problem::new(say::exists(lang, &shown), say::exists_next(lang)));
    }
    write(app, &root, &args.id, text)?;
    if app.json {
        app.print_json(&json!({ "id": args.id, "path": shown }))?;
    } else {
        let (made, next) = (say::made(lang, &shown), say::made_next(lang, &shown));
        app.print(&format!("{made}\n{}: {next}\n", common::next(lang)))?;
    }
    Ok(Exit::Done)
}

fn write(app: &App, root: &RootPath, id: &str, text: String) -> Result<(), Problem> {
    let failed = |error| store_problem(app.lang, &error);
    let mut store = goals_log::open(app, root)?;
    let path = DocPath::new(&format!("decisions/{id}.yaml")).map_err(|error| {
        Problem::new(say::bad_id(app.lang, id), say::bad_id_next(app.lang))
            .because(error.to_string())
    })?;
    let mut change = ChangeSet::new(CONTROLLER, "a decision");
    change.puts.push(Put::Create { path, bytes: text.into_bytes() });
    store.commit(change, &POLICY).map(|_| ()).map_err(failed)
}

/// A ticket with everything that can be filled in.
fn template(args: &NewArgs, alternatives: &[(&str, &str)]) -> String {
    let mut text = format!("id: {}\nquestion: {}\n", quoted(&args.id), quoted(&args.question));
    if let Some(goal) = &args.goal {
        text += &format!("goal_id: {}\n", quoted(goal));
    }
    text += "alternatives:\n";
    for (id, title) in alternatives {
        text += &format!("  - id: {}\n    title: {}\n", quoted(id), quoted(title));
        text += "    # approach: how it is to be done\n";
        text += "    # command: tried by this command instead of an agent\n";
        text += "    # 0 to 5; weight and minimum: contract_fit 30/3, regression_risk 20/3, operability 20/3, delivery_speed 15/2, security_posture 15/3\n";
        text += "    # scores: {contract_fit: 3, regression_risk: 3, operability: 3, delivery_speed: 3, security_posture: 3}\n";
    }
    text
}

/// A ticket by its schema and rules, with its text.
fn ticket(app: &mut App, file: &Path) -> Result<(DecisionTicket, Vec<u8>), Problem> {
    let place = app.directory.join(file);
    let bytes = read_named(&place, MAX_DOCUMENT_BYTES)
        .map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
    let name = file.display().to_string();
    let parsed = Source::from_bytes(&name, &bytes)
        .map_err(|finding| vec![finding])
        .and_then(|source| read::<DecisionTicket>(&source));
    match parsed {
        Ok(read) => {
            show(app, &read.warnings);
            Ok((read.value, bytes))
        }
        Err(findings) => Err(bad_file(app, "decision", file, &findings).coded("bad_ticket")),
    }
}

fn evaluated(app: &mut App, args: &EvaluateArgs) -> Result<Exit, Problem> {
    let (ticket, _) = ticket(app, &args.file)?;
    let mut all = evaluate(&ticket);
    if app.json {
        let matrix = ticket.matrix();
        let document = json!({ "id": ticket.id, "criteria": matrix, "alternatives": all });
        app.print_json(&document)?;
        return Ok(Exit::Done);
    }
    all.sort_by(|one, other| other.total.total_cmp(&one.total));
    let text: String = all
        .iter()
        .map(|one| {
            let (id, title) = (visible(&one.id), visible(&one.title));
            format!("{:>6.1}  {id}  {title}  ({})\n", one.total, words(app, one))
        })
        .collect();
    app.print(&text)?;
    Ok(Exit::Done)
}

fn words(app: &App, one: &Evaluated) -> String {
    if one.eligible {
        return say::eligible(app.lang);
    }
    say::not_eligible(app.lang, [&one.below[..], &one.missing[..]].concat().join(", "))
}
