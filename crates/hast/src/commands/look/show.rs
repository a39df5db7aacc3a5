//! `hast show GOAL[@N]`: a goal on one screen. What happened, where the work is, what to do next.

use hast_flow::agents::usage::Usage;
use hast_flow::attempt::workspace::{DiffLine, GitResult, GitStep};
use hast_flow::docs::goals::GoalStatus;
use hast_flow::flows::goals::closed::Closed;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::selection::placed;
use hast_flow::flows::goals::story::Tried;
use hast_flow::flows::goals::waiting::Waiting;
use hast_flow::words::{shell_word, visible};
use hast_world::git_thread::GitThread;
use serde_json::{Value, json};

use super::records::{self, CallFolder};
use super::show_text;
use super::target::{self, Target};
use crate::app::App;
use crate::look_cli::GoalArgs;
use crate::look_messages::say;
use crate::problem::{Exit, Problem};

/// An attempt with what git and its calls tell of it.
pub(super) struct Shown<'t> {
    pub(super) tried: &'t Tried,
    pub(super) diff: Option<Diff>,
    pub(super) usage: Usage,
    pub(super) calls: Vec<CallFolder>,
}

/// The changes of an attempt, without hast's own files.
#[derive(Clone, Debug, Default)]
pub(super) struct Diff {
    pub(super) files: usize,
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) paths: Vec<String>,
}

pub(crate) fn run(app: &mut App, args: &GoalArgs) -> Result<Exit, Problem> {
    let target = target::find(app, &args.goal)?;
    let git = GitThread::open(&target.root).ok();
    let all = target.story.attempts.iter();
    let wanted = all.filter(|tried| target.number.is_none_or(|number| tried.number == number));
    let shown: Vec<Shown<'_>> = wanted
        .map(|tried| {
            let calls = records::calls(&target.root, &target.id, tried);
            let diff = git.as_ref().and_then(|git| diff(git, tried));
            Shown { tried, diff, usage: records::usage(&calls), calls }
        })
        .collect();
    let last_words = shown.last().map(|last| records::last_words(&last.calls)).unwrap_or_default();
    let next = next(&target, shown.last());
    if app.json {
        app.print_json(&as_json(&target, &shown, &last_words, &next))?;
        return Ok(Exit::Done);
    }
    let why = why_not(app, &target);
    let text = show_text::screen(app.lang, &target, &shown, (&why, &last_words, &next));
    app.print(&text)?;
    Ok(Exit::Done)
}

fn diff(git: &GitThread, tried: &Tried) -> Option<Diff> {
    let (from, to) = tried.sides()?;
    let step = GitStep::Compare { from: from.clone(), to: to.clone() };
    let GitResult::Compared(lines) = git.perform(&step) else { return None };
    let own = format!("{}/", layout::DIRECTORY);
    let lines: Vec<&DiffLine> =
        lines.iter().filter(|line| !line.change.path.as_str().starts_with(&own)).collect();
    let counted = lines.iter().filter_map(|line| line.lines);
    let (added, removed) = counted.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let paths = lines.iter().map(|line| line.change.path.to_string()).collect();
    Some(Diff { files: lines.len(), added, removed, paths })
}

/// Why it does not run now, where that is no attempt's fault.
fn why_not(app: &App, target: &Target) -> Vec<String> {
    let (lang, all) = (app.lang, placed(&target.goals));
    let Some(placed) = all.iter().find(|placed| placed.goal.id == target.id) else {
        return vec![say::no_goal(lang, visible(&target.id))];
    };
    let mut lines = Vec::new();
    if placed.goal.status == GoalStatus::Blocked {
        let handed = target.story.handed.as_ref().map(|handed| handed.reason.clone());
        let reason = placed.goal.blocked_reason.clone().or(handed).unwrap_or_default();
        lines.push(say::blocked(lang, visible(reason.trim())));
    }
    lines.extend(Closed::of(placed).map(|closed| closed.what(lang)));
    if placed.goal.status == GoalStatus::Active {
        let waiting = Waiting::of(placed.goal, &all);
        lines.extend(waiting.map(|one| say::waits(lang, visible(&one.on.join(", ")))));
        let stopped = target.story.stopped.as_ref();
        lines.extend(stopped.map(|why| say::stopped(lang, visible(why))));
    }
    lines
}

/// Commands that can be typed as they are: those that look, and the one that goes on.
pub(super) struct Next {
    pub(super) look: Vec<String>,
    pub(super) again: Option<String>,
}

fn next(target: &Target, last: Option<&Shown<'_>>) -> Next {
    let id = shell_word(&target.id).into_owned();
    let named = match target.number {
        Some(number) => shell_word(&format!("{}@{number}", target.id)).into_owned(),
        None => id.clone(),
    };
    let has_work = last.is_some_and(|last| last.diff.as_ref().is_some_and(|diff| diff.files > 0));
    let mut look = Vec::new();
    if has_work {
        look.push(format!("hast diff {named}"));
    }
    if last.is_some_and(|last| !last.calls.is_empty()) {
        look.push(format!("hast log {named}"));
    }
    if last.is_some_and(|last| last.tried.work.is_some()) {
        look.push(format!("hast try {named}"));
    }
    let status = target.goal.as_ref().map(|goal| goal.status);
    if status == Some(GoalStatus::Blocked) && has_work {
        look.push(format!("hast take {named}"));
    }
    let again = match status {
        Some(GoalStatus::Blocked) => Some(format!("hast retry {id}")),
        Some(GoalStatus::Active) => Some(format!("hast auto {id}")),
        _ => None,
    };
    Next { look, again }
}

fn as_json(target: &Target, shown: &[Shown<'_>], last_words: &str, next: &Next) -> Value {
    let goal = target.goal.as_ref();
    let attempts: Vec<Value> = shown.iter().map(attempt_json).collect();
    let next: Vec<&String> = next.look.iter().chain(&next.again).collect();
    json!({
        "goal_id": target.id,
        "title": goal.map(|goal| &goal.title),
        "status": goal.map(|goal| goal.status),
        "blocked_reason": goal.and_then(|goal| goal.blocked_reason.as_ref()),
        "attempts": attempts,
        "last_words": last_words,
        "next": next,
    })
}

fn attempt_json(shown: &Shown<'_>) -> Value {
    let Shown { tried, diff, usage, calls } = shown;
    let (from, to) = tried.sides().unzip();
    let calls: Vec<String> = calls.iter().map(|call| call.path.display().to_string()).collect();
    json!({
        "attempt": tried.number,
        "retry": tried.round,
        "class": tried.class,
        "code": tried.code,
        "reason": tried.reason,
        "started_at": tried.started_at,
        "judged_at": tried.judged_at,
        "seconds": show_text::seconds(tried),
        "then": tried.then,
        "ref": tried.work.as_ref().and_then(|work| work.name.as_ref()),
        "branch": tried.branch,
        "from": from,
        "to": to,
        "files": diff.as_ref().map(|diff| diff.files),
        "added": diff.as_ref().map(|diff| diff.added),
        "removed": diff.as_ref().map(|diff| diff.removed),
        "paths": diff.as_ref().map(|diff| &diff.paths),
        "changed_tests": tried.changed_tests,
        "test_tail": tried.test_tail,
        "input_tokens": usage.tokens.map(|tokens| tokens.input),
        "output_tokens": usage.tokens.map(|tokens| tokens.output),
        "micro_usd": usage.cost.map(|cost| cost.0),
        "interruptions": tried.cuts,
        "calls": calls,
    })
}
