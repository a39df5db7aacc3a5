//! `hast agent list`: every agent that could be called, which is the default, and why.

use hast_flow::agents::choice::{Chosen, Why, Wishes};
use hast_flow::agents::presets::Preset;
use hast_flow::agents::problem::AgentProblem;
use hast_flow::agents::provider::Provider;
use hast_flow::calling::candidates::candidates;
use hast_flow::words::Lang;
use hast_world::agents::{Seen, Version, look};
use hast_world::calls::variable;
use hast_world::programs;
use serde_json::{Value, json};

use crate::agent_messages::say;
use crate::app::App;
use crate::commands::calling::{Project, project, supervisor, told_missing};
use crate::problem::{Exit, Problem};

/// A row of the list.
struct Row {
    name: String,
    /// The line of `ai_tools` or `ai_tool`; nothing for a preset.
    line: Option<String>,
    program: String,
    path: Option<String>,
    version: Option<String>,
    state: String,
    default: Option<Why>,
}

pub(crate) fn run(app: &mut App) -> Result<Exit, Problem> {
    let project = project(app)?;
    let (guarded, _signals) = supervisor(app.lang)?;
    let seen = look(&guarded, &project.variables);
    let chosen = who(&project, &seen, "", None);
    let default = chosen.as_ref().ok().and_then(|chain| chain.first());
    let rows = rows(&project, &seen, default, app.lang);
    if app.json {
        app.print_json(&json!({
            "agents": rows.iter().map(row_json).collect::<Vec<_>>(),
            "default": default.map(|chosen| json!({
                "name": chosen.name, "why": why_word(chosen.why),
            })),
        }))?;
        return Ok(if default.is_some() { Exit::Done } else { Exit::Failed });
    }
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(24);
    let mut text = String::new();
    for row in &rows {
        let default = row.default.map(|why| say::is_default(app.lang, why_text(app.lang, why)));
        let default = default.map(|default| format!("  {default}")).unwrap_or_default();
        let name: String = row.name.chars().take(24).collect();
        text += &format!("{name:width$}  {}{default}\n", row.state);
    }
    app.print(&text)?;
    match chosen {
        Ok(_) => Ok(Exit::Done),
        Err(AgentProblem::Empty) => {
            Err(Problem::new(say::no_default(app.lang), say::no_default_next(app.lang)))
        }
        Err(problem) => Err(Problem::new(problem.what(app.lang), problem.next(app.lang))),
    }
}

/// Who would be asked for a role, first to last.
pub(super) fn who(
    project: &Project,
    seen: &[Seen],
    role: &str,
    flag: Option<&str>,
) -> Result<Vec<Chosen>, AgentProblem> {
    let installed: Vec<Preset> =
        seen.iter().filter(|seen| seen.program.is_some()).map(|seen| seen.preset).collect();
    candidates(Wishes {
        flag,
        unit: None,
        role,
        variable: variable(&project.variables, "HAST_AI_TOOL").and_then(|value| value.to_str()),
        config: &project.config,
        installed: &installed,
    })
}

fn rows(project: &Project, seen: &[Seen], default: Option<&Chosen>, lang: Lang) -> Vec<Row> {
    let mut rows: Vec<Row> = seen.iter().map(|seen| preset_row(seen, lang)).collect();
    for (name, line) in &project.config.ai_tools {
        rows.push(line_row(project, name, line, lang));
    }
    if let Some(chosen) = default {
        match rows.iter_mut().find(|row| row.name == chosen.name) {
            Some(row) => row.default = Some(chosen.why),
            // A whole line in `ai_tool` or HAST_AI_TOOL is an agent without a name.
            None => {
                let mut row = line_row(project, &chosen.name, &chosen.name, lang);
                row.default = Some(chosen.why);
                rows.push(row);
            }
        }
    }
    rows
}

fn preset_row(seen: &Seen, lang: Lang) -> Row {
    let description = seen.preset.description();
    let (version, state) = match &seen.version {
        Version::NotInstalled => (None, say::not_installed(lang)),
        Version::Known(version) => (Some(version.clone()), version.clone()),
        Version::Silent { .. } => (None, say::no_version(lang)),
    };
    Row {
        name: description.name.to_owned(),
        line: None,
        program: description.program.to_owned(),
        path: seen.program.as_ref().map(|path| path.display().to_string()),
        version,
        state,
        default: None,
    }
}

/// Nothing of a line is run here: the repository may have brought it.
fn line_row(project: &Project, name: &str, line: &str, lang: Lang) -> Row {
    let search = variable(&project.variables, "PATH").unwrap_or_default();
    let (program, path, state) = match Provider::parse(line) {
        Ok(provider) => {
            let program = provider.program("hast").to_owned();
            let path = programs::find(&program, search).map(|path| path.display().to_string());
            let state = match programs::missing(&provider, &project.root, search) {
                None => line.to_owned(),
                Some(programs::Missing::Program(_)) => say::not_installed(lang),
                Some(missing) => told_missing(lang, &missing).0,
            };
            (program, path, state)
        }
        Err(problem) => (String::new(), None, problem.what(lang)),
    };
    let line = Some(line.to_owned());
    Row { name: name.to_owned(), line, program, path, version: None, state, default: None }
}

fn row_json(row: &Row) -> Value {
    json!({
        "name": row.name,
        "line": row.line,
        "program": row.program,
        "path": row.path,
        "version": row.version,
        "installed": row.path.is_some(),
        "default": row.default.map(why_word),
    })
}

pub(super) fn why_word(why: Why) -> &'static str {
    match why {
        Why::Flag => "flag",
        Why::Unit => "unit",
        Why::Role => "role",
        Why::Variable => "variable",
        Why::Config => "config",
        Why::Installed => "installed",
        Why::Fallback => "fallback",
    }
}

pub(super) fn why_text(lang: Lang, why: Why) -> String {
    match why {
        Why::Flag | Why::Unit => say::why_flag(lang),
        Why::Role => say::why_role(lang),
        Why::Variable => say::why_variable(lang),
        Why::Config => say::why_config(lang),
        Why::Installed => say::why_installed(lang),
        Why::Fallback => say::why_fallback(lang),
    }
}
