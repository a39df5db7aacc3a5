//! `hast goal add`: one more goal. The edit is a commit of the documents like every other, so that a run of
//! `auto` that goes on meanwhile loses nothing.

use hast_flow::docs::goals::{GoalStatus, GoalsEventKind};
use hast_flow::flows::goals::goal_edit::{Added, NewGoal, NoAdd, add};
use hast_flow::flows::goals::status_edit::status_word;
use hast_flow::words::{shell_word, visible};
use serde_json::{Value, json};

use crate::app::App;
use crate::commands::calling::{self, Project};
use crate::commands::goals_files::{find_root, show};
use crate::commands::goals_log::{self, Wish};
use crate::goal_cli::AddArgs;
use crate::goal_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(super) fn run(app: &mut App, args: &AddArgs) -> Result<Exit, Problem> {
    if args.title.trim().is_empty() {
        let (what, next) =
            (say::empty_title(app.lang), say::empty_title_next(app.lang, "hast goal add"));
        return Err(Problem::usage(what, next));
    }
    let goal = NewGoal {
        id: args.id.clone(),
        title: args.title.clone(),
        allowed_changes: args.allow.clone(),
        acceptance: args.accept.clone(),
        test_command: args.test.clone(),
        notes: None,
    };
    let root = find_root(app)?;
    let project = calling::project_at(app, root)?;
    let added = written(app, &project, args.under.as_deref(), &[goal])?;
    if added.goals.is_empty() {
        let id = added.skipped.first().map(String::as_str).unwrap_or_default();
        let what = say::is_there(app.lang, visible(id));
        return Err(Problem::new(what, say::is_there_next(app.lang)));
    }
    print(app, &added)
}

/// Adds goals to the file. Whoever was faster is read again.
pub(crate) fn written(
    app: &mut App,
    project: &Project,
    under: Option<&str>,
    goals: &[NewGoal],
) -> Result<Added, Problem> {
    let (lang, mut done, mut refused) = (app.lang, Added::default(), None);
    goals_log::write(app, project, |store| {
        let (bytes, before) = goals_log::goals_bytes(lang, store)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut wish =
            Wish { actor: "person".to_owned(), status: None, goals: None, events: Vec::new() };
        match add(&text, under, goals) {
            Ok(added) => {
                let reopened = |id: &String| {
                    let detail = json!({ "goal_id": id, "status": GoalStatus::Active });
                    (GoalsEventKind::StatusSet, detail)
                };
                wish.events = added.reopened.iter().map(reopened).collect();
                wish.goals = (added.text != text).then(|| (added.text.clone(), before));
                done = added;
            }
            Err(why) => refused = Some(why),
        }
        Ok(wish)
    })?;
    match refused {
        Some(why) => Err(problem(app, why)),
        None => Ok(done),
    }
}

fn problem(app: &mut App, why: NoAdd) -> Problem {
    let lang = app.lang;
    let (what, next) = match why {
        NoAdd::NoParent { id } => {
            (say::no_parent(lang, visible(&id)), say::nothing_added_next(lang))
        }
        NoAdd::NoTitle { number } => (say::no_title(lang, number), say::no_title_next(lang)),
        NoAdd::BadId { number, id } => {
            (say::bad_id(lang, number, visible(&id)), say::bad_id_next(lang))
        }
        NoAdd::NoMatch { number, glob } => {
            (say::no_match(lang, number, visible(&glob)), say::no_match_next(lang))
        }
        NoAdd::Empty => (say::empty_file(lang), say::empty_file_next(lang)),
        NoAdd::Invalid(findings) => {
            show(app, &findings);
            (say::invalid_file(lang), say::invalid_file_next(lang))
        }
        NoAdd::TooLong => (say::too_long(lang), say::too_long_next(lang)),
        NoAdd::NotEditable(findings) => {
            show(app, &findings);
            (say::cannot_add(lang), say::cannot_add_next(lang))
        }
    };
    Problem::new(what, next)
}

/// Tells of added and skipped goals, and of the next command.
pub(super) fn print(app: &mut App, added: &Added) -> Result<Exit, Problem> {
    let lang = app.lang;
    if app.json {
        app.print_json(&as_json(added))?;
        return Ok(Exit::Done);
    }
    let mut lines: Vec<String> =
        added.skipped.iter().map(|id| say::skipped(lang, visible(id))).collect();
    lines.extend(added.reopened.iter().map(|id| say::reopened(lang, visible(id))));
    let told = added.goals.iter();
    lines.extend(told.map(|goal| say::added(lang, visible(&goal.id), visible(&goal.title))));
    let next = match (&added.closed_by, added.goals.as_slice()) {
        (_, []) => {
            lines.push(say::nothing_added(lang));
            say::nothing_added_next(lang)
        }
        (Some((above, status)), _) => {
            lines.push(say::closed(lang, visible(above), status_word(*status)));
            say::closed_next(lang, visible(above))
        }
        (None, [one]) => format!("hast auto {}", shell_word(&one.id)),
        (None, _) => "hast auto --dry-run".to_owned(),
    };
    lines.push(format!("{}: {next}", common::next(lang)));
    app.print(&(lines.join("\n") + "\n"))?;
    Ok(Exit::Done)
}

fn as_json(added: &Added) -> Value {
    let goals: Vec<Value> = added
        .goals
        .iter()
        .map(|goal| {
            json!({
                "id": goal.id, "title": goal.title, "status": GoalStatus::Active,
                "parent": goal.parent,
            })
        })
        .collect();
    let closed_by = added.closed_by.as_ref();
    json!({
        "added": goals,
        "skipped": added.skipped,
        "reopened": added.reopened,
        "closed_by": closed_by.map(|(id, status)| json!({ "id": id, "status": status })),
    })
}
