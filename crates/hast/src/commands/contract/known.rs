//! `hast contract knowledge`: what the project has learnt, and one more piece of it.

use hast_flow::docs::contract::{DecisionDraft, Pattern, ProjectKnowledge};
use hast_flow::docs::files::FlowName;
use hast_flow::flows::contract::Asked;
use hast_flow::flows::contract::knowledge::NewPiece;
use hast_flow::trust::Commands;
use hast_flow::words::visible;
use serde_json::json;

use super::eyes::ContractEyes;
use super::{go, hash, reading, there};
use crate::app::App;
use crate::commands::{calling, driving, flow_root};
use crate::contract_cli::{AddArgs, KnowledgeCommands};
use crate::contract_messages::say;
use crate::problem::{Exit, Problem};

pub(super) fn run(app: &mut App, command: &KnowledgeCommands) -> Result<Exit, Problem> {
    match command {
        KnowledgeCommands::List => list(app),
        KnowledgeCommands::Add(args) => add(app, args),
    }
}

fn list(app: &mut App) -> Result<Exit, Problem> {
    let root = there(app)?;
    let knowledge = reading::knowledge(&root, &hash(&root));
    if app.json {
        app.print_json(&json!({ "knowledge": knowledge }))?;
        return Ok(Exit::Done);
    }
    let text = match knowledge {
        Some(knowledge) => shown(app, &knowledge),
        None => say::no_knowledge(app.lang) + "\n",
    };
    app.print(&text)?;
    Ok(Exit::Done)
}

fn shown(app: &App, knowledge: &ProjectKnowledge) -> String {
    let lang = app.lang;
    let mut text = String::new();
    let mut section = |title: String, lines: Vec<String>| {
        if !lines.is_empty() {
            text += &format!("{title}\n");
            lines.iter().for_each(|line| text += &format!("  {}\n", visible(line)));
        }
    };
    let patterns = knowledge.patterns.iter().map(|(name, value)| match value {
        Pattern::Text(text) => format!("{name}: {text}"),
        Pattern::Group(group) => {
            let all: Vec<String> =
                group.iter().map(|(name, text)| format!("{name}: {text}")).collect();
            format!("{name}: {}", all.join(", "))
        }
    });
    section(say::patterns(lang), patterns.collect());
    let decisions = knowledge.decisions.iter();
    let decisions = decisions
        .map(|one| format!("{} {}: {} ({})", one.id, one.topic, one.decision, one.rationale));
    section(say::decisions(lang), decisions.collect());
    let pitfalls = knowledge.pitfalls.iter().map(|one| {
        let from = one.learned_from.as_deref().map(|from| format!(" [{from}]")).unwrap_or_default();
        format!("{} {} ({}){from}", one.id, one.description, one.reason)
    });
    section(say::pitfalls(lang), pitfalls.collect());
    text
}

fn add(app: &mut App, args: &AddArgs) -> Result<Exit, Problem> {
    let root = flow_root::there_or_here(app, FlowName::Contract)?;
    let project = calling::project_at(app, root)?;
    let text = args.text.clone();
    let named = [&args.decision, &args.pitfall, &args.pattern].into_iter().flatten();
    if named.chain([&text]).any(|said| said.trim().is_empty()) {
        let next = say::empty_piece_next(app.lang);
        return Err(Problem::usage(say::empty_piece(app.lang), next));
    }
    let piece = match (&args.decision, &args.pitfall, &args.pattern) {
        (Some(topic), _, _) => NewPiece::Decision(DecisionDraft {
            topic: topic.clone(),
            decision: text,
            rationale: args.rationale.clone(),
            refs: args.refs.clone(),
        }),
        (None, Some(pitfall), _) => {
            NewPiece::Pitfall { description: pitfall.clone(), reason: text, learned_from: None }
        }
        (None, None, pattern) => NewPiece::Pattern {
            name: pattern.clone().unwrap_or_default(),
            value: Pattern::Text(text),
        },
    };
    let trusted = calling::trusted(app, &project, &Commands::default())?;
    let mut eyes = ContractEyes::new(app.lang);
    let driven = go(app, &project, Asked::Learn(piece), None, trusted, &mut eyes)?;
    if let Some(problem) = driving::meaning(app.lang, &driven.ending) {
        return Err(problem);
    }
    let knowledge = reading::knowledge(&project.root, &hash(&project.root));
    if app.json {
        app.print_json(&json!({ "knowledge": knowledge }))?;
    } else if let hast_flow::steps::Ending::Done(notice) = &driven.ending {
        app.print(&format!("{}\n", notice.what))?;
    }
    Ok(Exit::Done)
}
