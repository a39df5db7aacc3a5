//! `hast goal import`: goals from a JSON list, as trackers print them. All of the list or nothing.

use std::io::{IsTerminal, Read};

use hast_flow::flows::goals::goal_edit::NewGoal;
use hast_flow::words::Lang;
use serde_json::Value;

use super::add;
use crate::app::App;
use crate::commands::calling;
use crate::commands::goals_files::find_root;
use crate::goal_cli::ImportArgs;
use crate::goal_messages::say;
use crate::problem::{Exit, Problem};

/// Longest list.
const LIST_BYTES: u64 = 16 << 20;

/// A goal of the list; whatever else a tracker tells about it is not for us. Trackers have numbers for ids too.
fn goal(lang: Lang, at: usize, item: &Value) -> Result<NewGoal, Problem> {
    let wrong = |what: String| Problem::new(what, say::wrong_list_next(lang));
    let Some(fields) = item.as_object() else { return Err(wrong(say::no_map(lang, at))) };
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let text = |name: &str| match field(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(say::not_text(lang, at, name))),
    };
    let id = match field("id") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => text("id")?,
    };
    let number = match field("number") {
        None => None,
        Some(number) => {
            let whole = number.as_u64().ok_or_else(|| wrong(say::not_whole(lang, at, "number")))?;
            Some(format!("GH-{whole}"))
        }
    };
    let title = text("title")?.unwrap_or_default();
    let (notes, body) = (text("notes")?, text("body")?);
    Ok(NewGoal { id: id.or(number), title, notes: notes.or(body), ..NewGoal::default() })
}

pub(super) fn run(app: &mut App, args: &ImportArgs) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let goals = goals(app)?;
    let project = calling::project_at(app, root)?;
    let added = add::written(app, &project, args.under.as_deref(), &goals)?;
    add::print(app, &added)
}

fn goals(app: &App) -> Result<Vec<NewGoal>, Problem> {
    let lang = app.lang;
    let no_list = || Problem::new(say::no_list(lang), say::no_list_next(lang));
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(no_list());
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(LIST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| no_list().because(error.to_string()))?;
    if bytes.len() as u64 > LIST_BYTES {
        let what = say::list_too_long(lang, LIST_BYTES);
        return Err(Problem::new(what, say::too_long_next(lang)));
    }
    let read: Value =
        serde_json::from_slice(&bytes).map_err(|error| no_list().because(error.to_string()))?;
    let Value::Array(listed) = read else { return Err(no_list()) };
    listed.iter().enumerate().map(|(at, item)| goal(lang, at + 1, item)).collect()
}
