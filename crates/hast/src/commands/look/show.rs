//! `hast show GOAL[@N]`: a goal on one screen. What happened, where the work is, what to do next.

use std::collections::BTreeSet;

use hast_flow::agents::usage::Usage;
use hast_flow::attempt::workspace::{DiffLine, GitResult, GitStep};
use hast_flow::docs::goals::{GoalMode, GoalStatus};
use hast_flow::flows::goals::auto::retry::agreeing_command;
use hast_flow::flows::goals::closed::Closed;
use hast_flow::flows::goals::runnable::{Asked, Choice, Depth, Refused, choose};
use hast_flow::flows::goals::selection::placed;
use hast_flow::flows::goals::story::Tried;
use hast_flow::flows::goals::waiting::Waiting;
use hast_flow::words::{Lang, shell_word, visible};
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
    let next = next(app.lang, &target, shown.last());
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
    let own = target::files_of_hast();
    let is_own =
        |line: &DiffLine| own.iter().any(|own| line.change.path.as_str().starts_with(own.as_str()));
    let lines: Vec<&DiffLine> = lines.iter().filter(|line| !is_own(line)).collect();
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
        if placed.goal.mode == Some(GoalMode::Interactive) {
            lines.push(Refused::Interactive { id: target.id.clone() }.what(lang));
        }
        let stopped = target.story.stopped.as_ref();
        lines.extend(stopped.map(|why| say::stopped(lang, visible(why))));
    }
    lines
}

/// Commands that can be typed as they are: those that look, and the one that goes on.
pub(super) struct Next {
    pub(super) look: Vec<String>,
    pub(super) again: Option<String>,
    /// A person's part, where no command goes on yet.
    pub(super) first: Option<String>,
}

fn next(lang: Lang, target: &Target, last: Option<&Shown<'_>>) -> Next {
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
    if last.is_some_and(|last| last.tried.sides().is_some()) {
        look.push(format!("hast try {named}"));
    }
    let status = target.goal.as_ref().map(|goal| goal.status);
    if status == Some(GoalStatus::Blocked) && has_work {
        look.push(format!("hast take {named}"));
    }
    if status == Some(GoalStatus::Done) && target.story.passed().is_some() {
        look.push(format!("hast undo {id}"));
    }
    let (again, first) = match status {
        Some(GoalStatus::Blocked) => retrying(lang, target, &id),
        Some(GoalStatus::Active) => running(lang, target, &id),
        _ => (None, None),
    };
    Next { look, again, first }
}

/// The command, or a person's part, that a blocked goal goes on with.
fn retrying(lang: Lang, target: &Target, id: &str) -> (Option<String>, Option<String>) {
    let last = target.story.attempts.last();
    match last.and_then(|last| last.code.as_deref()) {
        // The same work is judged again; an agent would only do the same.
        Some("fewer_tests") => (Some(agreeing_command(&target.id)), None),
        // The reason names the files.
        Some("merge_touches") => (None, Some(say::commit_first(lang, visible(id)))),
        _ => (Some(format!("hast retry {id}")), None),
    }
}

/// The same for an active goal: what `hast auto` would refuse is not proposed.
fn running(lang: Lang, target: &Target, id: &str) -> (Option<String>, Option<String>) {
    if target.is_run_alive() {
        return (None, Some(say::follow_next(lang, visible(id))));
    }
    let all = placed(&target.goals);
    let with = |depth| {
        let asked = Asked { goal: Some(target.id.clone()), depth };
        choose(&all, &asked, None, &BTreeSet::new())
    };
    match with(Depth::One) {
        Choice::Run(_) => (Some(format!("hast auto {id}")), None),
        Choice::Refused(Refused::Container { .. }) => match with(Depth::Leaves) {
            Choice::Run(_) => (Some(format!("hast auto {id} --recursive")), None),
            Choice::Nothing(nothing) => (None, Some(nothing.next(lang))),
            Choice::Refused(refused) => (None, Some(refused.next(lang))),
        },
        Choice::Refused(refused) => (None, Some(refused.next(lang))),
        Choice::Nothing(nothing) => (None, Some(nothing.next(lang))),
    }
}

fn as_json(target: &Target, shown: &[Shown<'_>], last_words: &str, next: &Next) -> Value {
    let goal = target.goal.as_ref();
    let attempts: Vec<Value> = shown.iter().map(attempt_json).collect();
    let commands: Vec<&String> = next.look.iter().chain(&next.again).collect();
    json!({
        "goal_id": target.id,
        "title": goal.map(|goal| &goal.title),
        "status": goal.map(|goal| goal.status),
        "blocked_reason": goal.and_then(|goal| goal.blocked_reason.as_ref()),
        "attempts": attempts,
        "last_words": last_words,
        "next": commands,
        "first": next.first,
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
        "seconds": show_text::seconds(shown),
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
