//! `hast auto --dry-run`: what would be asked of whom, without starting or writing anything.

use std::collections::BTreeSet;

use hast_flow::docs::goals::{Goal, GoalStatus, HandoffName};
use hast_flow::flows::goals::auto::View;
use hast_flow::flows::goals::auto::kept::last_failure_before;
use hast_flow::flows::goals::context::{assemble, fit};
use hast_flow::flows::goals::handoffs::LastSession;
use hast_flow::flows::goals::instructions::{Parts, prompt};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::print::Format;
use hast_flow::flows::goals::report::{DryRun, dry_run};
use hast_flow::flows::goals::runnable::{
    Asked, Choice, LeftOver, Nothing, choose as choose_goal, left_over, parents_done,
};
use hast_flow::flows::goals::selection::{Placed, placed};
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::time::OffsetTime;
use serde_json::{Value, json};

use super::{chosen, refusals};
use crate::app::App;
use crate::auto_cli::AutoArgs;
use crate::auto_messages::say;
use crate::commands::calling::Project;
use crate::commands::goals_files::{GoalsFiles, newest_handoff};
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(super) fn run(
    app: &mut App,
    project: &Project,
    files: &GoalsFiles,
    asked: &Asked,
    args: &AutoArgs,
) -> Result<Exit, Problem> {
    let mut goals = files.goals.clone();
    let newest = newest_handoff(app, &project.root)?.session.map(|(_, session)| session);
    let mut last = newest.as_ref().map(|session| session.front.goal_id.clone());
    let (mut tried, mut planned) = (BTreeSet::new(), Vec::new());
    let view = refusals::written_down(project);
    let most = args.max_goals.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    loop {
        if planned.len() >= most {
            break;
        }
        let all = placed(&goals);
        match choose_goal(&all, asked, last.as_deref(), &tried) {
            Choice::Run(chosen) => {
                planned.push(one(app, project, (newest.as_ref(), &view), chosen, args)?);
                let id = chosen.goal.id.clone();
                let mut done = parents_done(&all, &id);
                done.push(id.clone());
                tried.insert(id.clone());
                last = Some(id);
                // As if each passed: what waits for it runs next.
                set_done(&mut goals.goals, &done);
            }
            Choice::Refused(refused) => {
                return Err(Problem::new(refused.what(app.lang), refused.next(app.lang)));
            }
            Choice::Nothing(nothing) if planned.is_empty() => {
                let (what, next) = (nothing.what(app.lang), nothing.next(app.lang));
                if app.json {
                    app.print_json(&json!({ "goals": [], "what": what, "next": next }))?;
                } else {
                    app.print(&format!("{what}\n{}: {next}\n", common::next(app.lang)))?;
                }
                return Ok(Exit::Done);
            }
            Choice::Nothing(_) => break,
        }
    }
    let left = left_over(&placed(&goals), asked, &tried);
    if app.json {
        app.print_json(&json!({ "goals": planned, "left": left_json(&left) }))?;
    } else {
        app.print(&dry_run(&planned, app.lang))?;
    }
    tell_left(app, left);
    // What would keep the run from starting is a part of what would happen.
    for problem in refusals::now(app, project, asked, args) {
        let (what, next) = (say::would_refuse(app.lang, problem.what), common::next(app.lang));
        app.output.message(&format!("{what}\n{next}: {}\n", problem.next));
    }
    Ok(Exit::Done)
}

/// Goals that would not run, and why.
fn tell_left(app: &mut App, left: LeftOver) {
    let LeftOver { waiting, closed, .. } = left;
    let waiting = (!waiting.is_empty()).then_some(Nothing::AllWait { waiting });
    let closed = (!closed.is_empty()).then_some(Nothing::AllClosed { closed });
    for left in [waiting, closed].into_iter().flatten() {
        let (what, next) = (left.what(app.lang), left.next(app.lang));
        app.output.message(&format!("{what}\n{}: {next}\n", common::next(app.lang)));
    }
}

fn left_json(left: &LeftOver) -> Vec<Value> {
    let waiting = left.waiting.iter();
    let waiting = waiting.map(|one| json!({ "goal_id": one.id, "waits_for": one.on }));
    let closed = left.closed.iter().map(
        |one| json!({ "goal_id": one.id, "closed_by": { "id": one.above, "status": one.status } }),
    );
    waiting.chain(closed).collect()
}

fn set_done(goals: &mut [Goal], done: &[String]) {
    for goal in goals {
        if done.contains(&goal.id) {
            goal.status = GoalStatus::Done;
        }
        set_done(&mut goal.children, done);
    }
}

fn one(
    app: &App,
    project: &Project,
    (session, view): (Option<&LastSession>, &View),
    placed: &Placed<'_>,
    args: &AutoArgs,
) -> Result<DryRun, Problem> {
    let (lang, config, goal) = (app.lang, &project.config, placed.goal);
    let chosen = chosen(app, project, args.tool.as_deref(), goal.tool.as_deref())?;
    let rules = project
        .root
        .join(layout::RULES)
        .read_if_there(MAX_DOCUMENT_BYTES)
        .map_err(|error| Problem::cannot_read(lang, &error.path, &error.source))?;
    let rules = String::from_utf8_lossy(&rules.unwrap_or_default()).into_owned();
    let max = config.max_context_bytes.map_or(120_000, u32::from);
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    let context = assemble(Some(placed), session, &rules);
    let context = fit(&context, Format::Plain, lang, max).map_err(|small| {
        let what = common::context_too_small(lang, max, small.needed);
        Problem::new(what, common::context_too_small_next(lang))
    })?;
    let command = goal.test_command.clone().or_else(|| config.test_command.clone());
    let command = command.unwrap_or_default();
    // As if it began now. How the tests end on the base is not known before they run.
    let now = app.clock.now();
    let now = OffsetTime::new(now, app.clock.local_offset(now));
    let handoff = HandoffName { local: now.local(), number: 1 };
    let parts = Parts {
        context: &context,
        test_command: &command,
        base: None,
        handoff_path: &format!("{}/{handoff}", layout::HANDOFFS),
        timestamp: &now.to_string(),
        protect: &config.protect,
        last: last_failure_before(view, &goal.id, u32::MAX, lang),
        said: view.said.get(&goal.id).map(String::as_str),
    };
    let text = prompt(goal, &parts, lang);
    Ok(DryRun {
        goal_id: goal.id.clone(),
        title: goal.title.clone(),
        tool: chosen.name,
        prompt_bytes: text.len(),
        timeout_minutes: goal.timeout_minutes.unwrap_or_else(|| config.timeout()),
        max_retries: goal.max_retries.or(config.max_retries).map_or(3, u32::from),
        test_command: command,
        allowed_changes: goal.allowed_changes.clone(),
        expect_failure: goal.expect_failure,
        prompt: args.dry_run_full.then_some(text),
    })
}
