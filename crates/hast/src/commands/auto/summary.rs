//! The end of a run: per goal its attempts, what they were judged, how long they took, what they cost.

use std::time::Duration;

use hast_flow::agents::usage::Usage;
use hast_flow::attempt::dependencies::install_commands;
use hast_flow::attempt::recovery::named;
use hast_flow::flows::goals::auto::run::SettledWork;
use hast_flow::steps::Ending;
use hast_flow::words::{shell_word, visible};
use serde_json::{Value, json};

use super::beside;
use super::eyes::{GoalEyes, Judgement};
use crate::app::App;
use crate::auto_messages::say;
use crate::commands::driving::{Driven, meaning, spent, word};
use crate::look_messages::say as look;
use crate::problem::{Exit, Problem};
use crate::progress::board::elapsed;

/// So much of a commit's id is shown.
const SHORT: usize = 12;

pub(super) fn report(app: &mut App, driven: &Driven<()>, eyes: &GoalEyes) -> Result<Exit, Problem> {
    let problem = meaning(app.lang, &driven.ending).map(|problem| match problem.exit {
        // The seed knows 0 and 1; an interruption is an interruption everywhere.
        Exit::Interrupted => problem,
        // A goal that waits for a person is nothing that is wrong.
        _ => Problem {
            exit: Exit::Failed,
            is_notice: eyes.has_handed && matches!(driven.ending, Ending::Blocked(_)),
            ..problem
        },
    });
    if app.json {
        app.print_json(&as_json(driven, eyes, problem.as_ref()))?;
        if let Some(problem) = &problem {
            app.output.message(&problem.text(app.lang, &app.output.message_renderer()));
        }
        return Ok(problem.map_or(Exit::Done, |problem| problem.exit));
    }
    let text = table(app, driven, eyes);
    app.print(&text)?;
    match (problem, &driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, Ending::Done(notice)) => {
            let next = crate::messages::say::next(app.lang);
            app.print(&format!("{}\n{next}: {}\n", notice.what, notice.next))?;
            Ok(Exit::Done)
        }
        (None, _) => Ok(Exit::Done),
    }
}

/// A block a goal, a line an attempt.
fn table(app: &App, driven: &Driven<()>, eyes: &GoalEyes) -> String {
    let (mut text, judged) = (String::new(), counting(&eyes.judged));
    let mut goals: Vec<&str> = Vec::new();
    for judgement in &judged {
        if !goals.contains(&judgement.goal.as_str()) {
            goals.push(&judgement.goal);
        }
    }
    for goal in goals {
        let attempts: Vec<&&Judgement> = judged.iter().filter(|one| one.goal == goal).collect();
        let title = attempts.first().map_or("", |first| first.title.as_str());
        let cost = driven.usage.get(goal).and_then(|usage| spent(app.lang, *usage));
        let cost = cost.map(|cost| format!(" · {cost}")).unwrap_or_default();
        text += &format!("{} {}{cost}\n", visible(goal), visible(title));
        for one in attempts {
            let time = elapsed(Duration::from_secs(seconds(driven, one)));
            let mark = if one.passed { "+" } else { "-" };
            let told = say::attempt(app.lang, one.attempt);
            let work = settled(eyes, one);
            let at = work.and_then(place).map(|at| format!("{at} · ")).unwrap_or_default();
            let (class, why) = (&one.class, visible(&one.text));
            text += &format!("  {mark} {told}: {class} · {time} · {at}{why}\n");
            if !one.not_committed.is_empty() && one.passed {
                let names = visible(&named(&one.not_committed)).into_owned();
                text += &format!("    {}\n", say::not_committed(app.lang, names));
            }
            if !one.changed_tests.is_empty() {
                let names = visible(&one.changed_tests.join(", ")).into_owned();
                text += &format!("    {}\n", say::changed_tests(app.lang, names));
            }
            let installs = installs(eyes, one);
            if !installs.is_empty() {
                let commands = visible(&installs.join("`, `")).into_owned();
                text += &format!("    {}\n", say::installs(app.lang, commands));
            }
            if let Some(why) = &one.squashed {
                text += &format!("    {}\n", say::squashed(app.lang, visible(why)));
            }
            if !one.moved_refs.is_empty() {
                let names = visible(&named(&one.moved_refs)).into_owned();
                text += &format!("    {}\n", say::moved_refs(app.lang, names));
            }
            for line in work.iter().flat_map(|work| beside::settled(app.lang, &eyes.root, work)) {
                text += &format!("    {line}\n");
            }
        }
    }
    let last = || eyes.settled.iter().rev().find_map(|work| work.commit.as_deref());
    if let Some(commit) = last().filter(|_| eyes.is_detached) {
        let commit = visible(commit.get(..SHORT).unwrap_or(commit)).into_owned();
        text += &format!("{}\n", look::on_no_branch(app.lang, commit));
    }
    if eyes.settled.iter().any(|work| work.name.is_some()) {
        text += &format!("{}\n", say::get_back(app.lang));
    }
    if !text.is_empty() {
        let all =
            driven.usage.values().copied().fold(Usage::default(), crate::commands::driving::sum);
        let parts = [Some(say::took(app.lang, elapsed(driven.lasted))), spent(app.lang, all)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        text += &format!("{}\n", parts.join(" · "));
    }
    text
}

/// How long an attempt took in this run. One that an earlier run began counts from the start of this one.
fn seconds(driven: &Driven<()>, one: &Judgement) -> u64 {
    // Attempts count whole seconds of a clock.
    let lasted = driven.lasted.as_secs() + 1;
    u64::try_from(one.seconds).unwrap_or(0).min(lasted)
}

/// Commands that install what an attempt that passed has put into a list of dependencies: nothing is installed in
/// the checkout.
fn installs(eyes: &GoalEyes, one: &Judgement) -> Vec<String> {
    if !one.passed {
        return Vec::new();
    }
    let is_there = |path: &str| eyes.root.join(path).exists();
    let commands = install_commands(&one.dependency_lists, &is_there);
    let line = |(directory, command): (String, String)| match directory.as_str() {
        "" => command,
        directory => format!("cd {} && {command}", shell_word(directory)),
    };
    commands.into_iter().map(line).collect()
}

/// The commit of what passed, or the ref of what did not.
fn place(work: &SettledWork) -> Option<String> {
    let commit = work.commit.as_deref().map(|commit| commit.get(..SHORT).unwrap_or(commit));
    commit.or(work.name.as_deref()).map(|at| visible(at).into_owned())
}

/// The last judgement of each attempt: what passed alone may have failed where it met other work, or a
/// hook of the user.
fn counting(judged: &[Judgement]) -> Vec<&Judgement> {
    let same = |one: &Judgement, other: &Judgement| {
        (&one.goal, one.attempt) == (&other.goal, other.attempt)
    };
    let stands =
        |(at, one): &(usize, &Judgement)| !judged.iter().skip(at + 1).any(|later| same(one, later));
    judged.iter().enumerate().filter(stands).map(|(_, one)| one).collect()
}

/// Where the work of an attempt is.
fn settled<'e>(eyes: &'e GoalEyes, one: &Judgement) -> Option<&'e SettledWork> {
    eyes.settled.iter().rfind(|work| work.goal == one.goal && work.attempt == one.attempt)
}

pub(crate) fn as_json(driven: &Driven<()>, eyes: &GoalEyes, problem: Option<&Problem>) -> Value {
    let attempts: Vec<Value> = counting(&eyes.judged)
        .into_iter()
        .map(|one| {
            let work = settled(eyes, one);
            let beside = work.map(|work| &work.beside).filter(|beside| !beside.is_empty());
            let beside = beside.map(beside::as_json);
            json!({
                "goal_id": one.goal,
                "attempt": one.attempt,
                "class": one.class,
                "code": one.code,
                "reason": one.text,
                "seconds": seconds(driven, one),
                "moved_refs": one.moved_refs,
                "not_committed": one.not_committed,
                "changed_tests": one.changed_tests,
                "squashed": one.squashed,
                "install": installs(eyes, one),
                "commit": work.and_then(|work| work.commit.as_deref()),
                "ref": work.and_then(|work| work.name.as_deref()),
                "uncommitted": work.map_or(&[][..], |work| &work.uncommitted),
                "branch": work.and_then(|work| work.branch.as_deref()),
                "not_on_ref": beside,
            })
        })
        .collect();
    let usage: serde_json::Map<String, Value> = driven
        .usage
        .iter()
        .map(|(goal, usage)| {
            let tokens = usage.tokens;
            let value = json!({
                "input_tokens": tokens.map(|tokens| tokens.input),
                "output_tokens": tokens.map(|tokens| tokens.output),
                "micro_usd": usage.cost.map(|cost| cost.0),
            });
            (goal.clone(), value)
        })
        .collect();
    let notice = match &driven.ending {
        Ending::Done(notice) => Some(json!({ "what": notice.what, "next": notice.next })),
        _ => None,
    };
    json!({
        "ending": word(&driven.ending),
        "notice": notice,
        "attempts": attempts,
        "usage": usage,
        "seconds": driven.lasted.as_secs(),
        "problem": problem.map(|problem| problem.json()["problem"].clone()),
        "exit": problem.map_or(Exit::Done, |problem| problem.exit) as u8,
    })
}
