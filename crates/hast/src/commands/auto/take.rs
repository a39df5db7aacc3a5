//! `hast take GOAL`: the kept work of a blocked goal, into the checkout as uncommitted changes. All of it,
//! or nothing where a file of the user is in the way.

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::workspace::{GitResult, GitStep};
use hast_flow::docs::goals::GoalStatus;
use hast_flow::flows::goals::layout;
use hast_flow::words::{shell_word, visible};
use serde_json::{Value, json};

use super::refs::{self, Returned};
use super::refusals::written_down;
use crate::app::App;
use crate::auto_cli::TakeArgs;
use crate::auto_messages::say;
use crate::commands::calling;
use crate::commands::driving;
use crate::commands::goals_files::repository_root;
use crate::commands::look::target::{self, Target};
use crate::look_messages::say as look;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &TakeArgs) -> Result<Exit, Problem> {
    let root = repository_root(app)?;
    let target = target::find(app, &args.goal)?;
    let project = calling::project_at(app, root)?;
    let (lang, goal) = (app.lang, target.id.as_str());
    // Nothing is written in a repository that nobody has approved.
    let _approved = calling::trusted(app, &project, &calling::commands(&project))?;
    let documents = project.root.join(layout::DIRECTORY);
    let _lock = driving::lock_of(lang, &documents, super::UNIT)
        .map_err(|problem| Problem { exit: Exit::Failed, ..problem })?;
    if let Some(commit) = brought(&target) {
        let (goal, word) = (visible(goal), visible(&shell_word(goal)).into_owned());
        let what = look::brought(lang, goal, visible(&commit));
        return Err(Problem::new(what, look::brought_next(lang, word)));
    }
    let Some((kept_name, name, since)) = work(&project, &target) else {
        let what = say::nothing_kept(lang, visible(goal));
        let next = say::nothing_kept_next(lang, visible(&shell_word(goal)));
        return Err(Problem::new(what, next));
    };
    let restore = GitStep::Restore { name, since: Some(since), rules: rules(&project) };
    let paths = match refs::perform(app, &project, &restore)? {
        GitResult::Restored { paths } => paths,
        _ => Vec::new(),
    };
    let aside = refs::bring_back(app, &project, &kept_name, &Default::default())?;
    if paths.is_empty() && aside.is_empty() {
        let number = target.tried(app)?.number;
        let what = look::nothing_to_take(lang, visible(goal), number);
        return Err(Problem::new(what, look::show_next(lang, visible(&shell_word(goal)))));
    }
    let named: Vec<&str> = paths.iter().map(|change| change.path.as_str()).collect();
    if app.json {
        let aside: Vec<Value> = aside.iter().map(Returned::json).collect();
        let told = json!({ "goal_id": goal, "ref": kept_name, "paths": named, "aside": aside });
        app.print_json(&told)?;
        return Ok(Exit::Done);
    }
    let mut text = say::taken(lang, visible(goal), visible(&kept_name), paths.len()) + "\n";
    for path in named {
        text += &format!("  {}\n", visible(path));
    }
    for one in &aside {
        text += &format!("  {}\n", one.line(app, &project));
    }
    let typed = target.number.map_or(goal.to_owned(), |number| format!("{goal}@{number}"));
    let next = say::taken_next(lang, visible(&shell_word(&typed)), visible(goal));
    app.print(&format!("{text}{}: {next}\n", common::next(lang)))?;
    Ok(Exit::Done)
}

/// The commit of the attempt that is meant, where it passed.
fn brought(target: &Target) -> Option<String> {
    let tried = match target.number {
        None if target.goal.as_ref()?.status == GoalStatus::Done => target.story.passed()?,
        None => return None,
        Some(number) => target.story.attempt(Some(number))?,
    };
    let (_, to) = tried.merged.as_ref().filter(|_| tried.is_done())?;
    to.as_str().get(..12).map(str::to_owned)
}

/// The ref that has the work, the commit, and what it began from: that of the attempt that was named, else
/// what was handed over last.
fn work(project: &calling::Project, target: &Target) -> Option<(String, String, ObjectId)> {
    if target.number.is_some() {
        let work = target.story.attempt(target.number)?.work.clone()?;
        return Some((work.name?, work.commit.to_string(), work.base));
    }
    let view = written_down(project);
    let kept = &view.kept.get(&target.id)?.kept;
    Some((kept.name.clone(), kept.commit.to_string(), kept.base_tree.clone()))
}

/// Handoffs of attempts that did not pass stay on their refs: the next session would read them.
fn rules(project: &calling::Project) -> TreeRules {
    let mut rules = super::tree_rules(project);
    rules.leave_out.extend(rules.handoffs.clone());
    rules
}
