//! `hast agent tool`: one tool by hand, with the same settings that flows use.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hast_agent::tools::net::time::Machine;
use hast_agent::tools::{Answer, Cache, Settings, perform};
use hast_flow::docs::document::read;
use hast_flow::docs::goals::Config;
use hast_flow::docs::session::{DataSource, RoutingState};
use hast_flow::flows::goals::layout;
use hast_flow::formats::source::Source;
use hast_flow::steps::ToolUse;
use hast_flow::tools::{FailureClass, Tool, ToolFailure};
use hast_flow::words::Lang;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::ToolArgs;
use crate::commands::goals_files::{find_root, text_of};
use crate::messages::say;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &ToolArgs) -> Result<Exit, Problem> {
    let Some(name) = &args.tool_name else {
        return list(app);
    };
    let unknown = || problem(&ToolFailure::UnknownTool { name: name.clone() }, app.lang);
    let tool = Tool::named(name).ok_or_else(unknown)?;
    if args.args_schema {
        app.print_json(&tool.schema())?;
        return Ok(Exit::Done);
    }
    let (tool_args, state) = (arguments(app, args, name)?, RoutingState::default());
    let tool_use = ToolUse { name: name.clone(), args: tool_args, state };
    let lang = app.lang;
    let time = Arc::new(Machine::new(Arc::new(AtomicBool::new(false))));
    let settings = Settings::from_variables(|name| std::env::var(name).ok(), user_agent(app), time)
        .map_err(|failure| problem(&failure, lang))?;
    let answer = perform(&tool_use, &settings, &mut Cache::none())
        .map_err(|failure| problem(&failure, lang))?;
    show(app, tool, &answer)?;
    Ok(Exit::Done)
}

fn list(app: &mut App) -> Result<Exit, Problem> {
    if app.json {
        let tools = Tool::ALL.map(|tool| {
            json!({
                "name": tool.name(),
                "source": tool.source().map(source_name),
                "gives": tool.media().name(),
                "description": tool.description(),
                "schema": tool.schema(),
            })
        });
        app.print_json(&json!({ "tools": tools }))?;
        return Ok(Exit::Done);
    }
    let lines = Tool::ALL.map(|tool| {
        let source = tool.source().map_or("-", source_name);
        format!("{:<16} {source:<9} {}\n", tool.name(), tool.description())
    });
    app.print(&lines.concat())?;
    Ok(Exit::Done)
}

fn source_name(source: DataSource) -> &'static str {
    match source {
        DataSource::Sec => "SEC",
        DataSource::Yfinance => "YFINANCE",
        DataSource::Web => "WEB",
        DataSource::Synthesis => "SYNTHESIS",
    }
}

fn arguments(app: &App, args: &ToolArgs, tool: &str) -> Result<Map<String, Value>, Problem> {
    let Some(text) = &args.tool_args else { return Ok(Map::new()) };
    serde_json::from_str(text).map_err(|error| {
        let next = say::bad_tool_args_next(app.lang, tool);
        Problem::usage(say::bad_tool_args(app.lang), next).because(error.to_string())
    })
}

/// `sec.user_agent` of the configuration, where there is one that can be read.
fn user_agent(app: &App) -> Option<String> {
    let root = find_root(app).ok()?;
    let text = text_of(app, &root, layout::CONFIG).ok()??;
    let config = read::<Config>(&Source::new(layout::CONFIG, &text)).ok()?;
    config.value.sec?.user_agent
}

fn show(app: &mut App, tool: Tool, answer: &Answer) -> Result<(), Problem> {
    let text = String::from_utf8_lossy(&answer.bytes).into_owned();
    let hash = |raw: &hast_agent::tools::Raw| raw.sha256().map(|hash| hash.to_string());
    if app.json {
        let sources: Vec<Value> = answer
            .sources
            .iter()
            .map(|raw| {
                json!({
                    "url": raw.url,
                    "fetched_at": raw.fetched_at.to_string(),
                    "media": raw.media,
                    "bytes": raw.bytes.len(),
                    "sha256": hash(raw),
                })
            })
            .collect();
        let gives = answer.media.name();
        return app.print_json(
            &json!({ "tool": tool.name(), "gives": gives, "result": text, "sources": sources }),
        );
    }
    for raw in &answer.sources {
        let hash = hash(raw).unwrap_or_default();
        app.detail(&say::tool_source(app.lang, &raw.url, raw.fetched_at, hash));
    }
    app.print(&text)
}

fn problem(failure: &ToolFailure, lang: Lang) -> Problem {
    let (what, next) = (failure.what(lang), failure.next(lang));
    match failure.class() {
        FailureClass::Arguments => Problem::usage(what, next),
        FailureClass::Configuration
        | FailureClass::NotFound
        | FailureClass::Refused
        | FailureClass::Limited
        | FailureClass::Unreachable
        | FailureClass::Malformed
        | FailureClass::TooLarge
        | FailureClass::Cancelled => Problem::new(what, next),
    }
}
