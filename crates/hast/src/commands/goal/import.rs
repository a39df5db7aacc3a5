//! `hast goal import`: goals from a JSON list, as trackers print them. All of the list or nothing.

use std::io::{IsTerminal, Read};

use hast_flow::flows::goals::goal_edit::NewGoal;
use serde::Deserialize;

use super::add;
use crate::app::App;
use crate::commands::calling;
use crate::commands::goals_files::find_root;
use crate::goal_cli::ImportArgs;
use crate::goal_messages::say;
use crate::problem::{Exit, Problem};

/// Longest list.
const LIST_BYTES: u64 = 16 << 20;

/// A goal of the list; whatever else a tracker tells about it is not for us.
#[derive(Debug, Deserialize)]
struct Listed {
    id: Option<Id>,
    number: Option<u64>,
    #[serde(default)]
    title: Option<String>,
    body: Option<String>,
    notes: Option<String>,
}

/// Trackers have numbers for ids too.
#[derive(Debug)]
struct Id(String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self(text)),
            serde_json::Value::Number(number) => Ok(Self(number.to_string())),
            _ => Err(serde::de::Error::custom("an id is a text or a number")),
        }
    }
}

impl Listed {
    fn goal(self) -> NewGoal {
        let number = || self.number.map(|number| format!("GH-{number}"));
        NewGoal {
            id: self.id.map(|id| id.0).or_else(number),
            title: self.title.unwrap_or_default(),
            notes: self.notes.or(self.body),
            ..NewGoal::default()
        }
    }
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
    let listed: Vec<Listed> =
        serde_json::from_slice(&bytes).map_err(|error| no_list().because(error.to_string()))?;
    Ok(listed.into_iter().map(Listed::goal).collect())
}
