//! `hast try GOAL[@N]`: the files of an attempt in a directory of their own. A copy: nothing comes back.

use hast_flow::attempt::base::ref_part;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::words::{shell_word, visible};
use hast_world::{git, roots};
use serde_json::json;

use super::target;
use crate::app::App;
use crate::commands::calling;
use crate::look_cli::TryArgs;
use crate::look_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &TryArgs) -> Result<Exit, Problem> {
    let target = target::find(app, &args.goal)?;
    let project = calling::project_at(app, target.root.clone())?;
    let lang = app.lang;
    let tried = target.tried(app)?;
    let (goal, number) = (visible(&target.id).into_owned(), tried.number);
    let Some((_, to)) = tried.sides() else {
        return Err(target.no_work(app, tried));
    };
    let (above, name) = match &args.dir {
        Some(directory) => {
            let directory = app.directory.join(directory);
            if directory.symlink_metadata().is_ok() {
                let problem = Problem::usage(say::dir_there(lang), say::dir_there_next(lang));
                return Err(problem.at(&directory));
            }
            let above = directory.parent().map(ToOwned::to_owned).unwrap_or_default();
            let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (above, name)
        }
        None => (roots::temporary(), format!("hast-try-{}-{number}", ref_part(&target.id))),
    };
    let directory = git::fresh_directory(&above, &name)
        .map_err(|error| Problem::cannot_write(lang, &error.path, &error.source))?;
    let failed = |problem: GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    git::export(&target.root, to, &directory).map_err(failed)?;
    let path = directory.display().to_string();
    if app.json {
        app.print_json(&json!({ "goal_id": target.id, "attempt": number, "directory": path }))?;
        return Ok(Exit::Done);
    }
    let command = target.goal.as_ref().and_then(|goal| goal.test_command.clone());
    let command = command.or_else(|| project.config.test_command.clone());
    let told = say::tried(lang, goal, number, visible(&path));
    let go = format!("cd {}", shell_word(&path));
    let next = command.map_or(go.clone(), |command| format!("{go} && {}", visible(&command)));
    let words = say::tried_words(lang);
    app.print(&format!("{told}\n{words}\n{}: {next}\n", common::next(lang)))?;
    Ok(Exit::Done)
}
