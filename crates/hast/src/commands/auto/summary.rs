//! The end of a run: per goal its attempts, what they were judged, how long they took, what they cost.

use std::time::Duration;

use hast_flow::agents::usage::Usage;
use hast_flow::attempt::recovery::named;
use hast_flow::flows::goals::auto::run::SettledWork;
use hast_flow::steps::Ending;
use hast_flow::words::visible;
use serde_json::{Value, json};

use super::beside;
use super::eyes::{GoalEyes, Judgement};
use crate::app::App;
use crate::auto_messages::say;
use crate::commands::driving::{Driven, meaning, spent, word};
use crate::problem::{Exit, Problem};
use crate::progress::board::elapsed;

pub(super) fn report(app: &mut App, driven: &Driven<()>, eyes: &GoalEyes) -> Result<Exit, Problem> {
    let problem = meaning(app.lang, &driven.ending).map(|problem| match problem.exit {
        // The seed knows 0 and 1; an interruption is an interruption everywhere.
        Exit::Interrupted => problem,
        _ => Problem { exit: Exit::Failed, ..problem },
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
            app.print(&format!(
                "{}\n{}: {}\n",
                notice.what,
                crate::messages::say::next(app.lang),
                notice.next
            ))?;
            Ok(Exit::Done)
        }
        (None, _) => Ok(Exit::Done),
    }
}

/// A block a goal, a line an attempt.
fn table(app: &App, driven: &Driven<()>, eyes: &GoalEyes) -> String {
    let (mut text, judged) = (String::new(), &eyes.judged);
    let mut goals: Vec<&str> = Vec::new();
    for judgement in judged {
        if !goals.contains(&judgement.goal.as_str()) {
            goals.push(&judgement.goal);
        }
    }
    for goal in goals {
        let attempts: Vec<&Judgement> = judged.iter().filter(|one| one.goal == goal).collect();
        let title = attempts.first().map_or("", |first| first.title.as_str());
        let cost = driven.usage.get(goal).copied().and_then(spent);
        let cost = cost.map(|cost| format!(" · {cost}")).unwrap_or_default();
        text += &format!("{} {}{cost}\n", visible(goal), visible(title));
        for one in attempts {
            let time = elapsed(Duration::from_secs(u64::try_from(one.seconds).unwrap_or(0)));
            let mark = if one.passed { "+" } else { "-" };
            let told = say::attempt(app.lang, one.attempt);
            text += &format!("  {mark} {told}: {} · {time} · {}\n", one.class, visible(&one.text));
            if !one.brought_back.is_empty() {
                let names = visible(&named(&one.brought_back)).into_owned();
                text += &format!("    {}\n", say::brought_back(app.lang, names));
            }
            if !one.moved_refs.is_empty() {
                let names = visible(&named(&one.moved_refs)).into_owned();
                text += &format!("    {}\n", say::moved_refs(app.lang, names));
            }
            for line in settled(eyes, one)
                .iter()
                .flat_map(|work| beside::settled(app.lang, &eyes.root, work))
            {
                text += &format!("    {line}\n");
            }
        }
    }
    if !text.is_empty() {
        let all =
            driven.usage.values().copied().fold(Usage::default(), crate::commands::driving::sum);
        let parts = [Some(say::took(app.lang, elapsed(driven.lasted))), spent(all)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        text += &format!("{}\n", parts.join(" · "));
    }
    text
}

/// Where the work of an attempt is, if it is not all on its ref.
fn settled<'e>(eyes: &'e GoalEyes, one: &Judgement) -> Option<&'e SettledWork> {
    eyes.settled.iter().find(|work| work.goal == one.goal && work.attempt == one.attempt)
}

fn as_json(driven: &Driven<()>, eyes: &GoalEyes, problem: Option<&Problem>) -> Value {
    let attempts: Vec<Value> = eyes
        .judged
        .iter()
        .map(|one| {
            let work = settled(eyes, one);
            let beside = work.map(|work| beside::as_json(&work.beside));
            json!({
                "goal_id": one.goal,
                "attempt": one.attempt,
                "class": one.class,
                "code": one.code,
                "reason": one.text,
                "seconds": one.seconds,
                "moved_refs": one.moved_refs,
                "brought_back": one.brought_back,
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
    let recovered = eyes
        .recovered
        .as_ref()
        .map(|(name, beside)| json!({ "ref": name, "not_on_ref": beside::as_json(beside) }));
    json!({
        "ending": word(&driven.ending),
        "recovered": recovered,
        "attempts": attempts,
        "usage": usage,
        "seconds": driven.lasted.as_secs(),
        "problem": problem.map(|problem| json!({"what": problem.what, "next": problem.next})),
    })
}
