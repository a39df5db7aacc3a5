//! The end of a session: the answer, the last verdict, and the view from inputs to outputs.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Pointers, SessionEventKind as Kind, SessionSummary, SummaryUsage, SystemStatus, TaskCounts,
    Verdict,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, call, fail, usage_of, used};
use crate::flows::session::events::About;
use crate::flows::session::footnotes::footnoted;
use crate::flows::session::policy::{CONTROLLER, CRITIC, EXECUTOR};
use crate::flows::session::promotion::unknown;
use crate::flows::session::view::View;
use crate::flows::session::write::{Draft, files};
use crate::flows::session::{happening, layout, people, prompts};
use crate::ids::{KnowledgeId, Sha256};
use crate::knowledge::{Piece, citations};
use crate::replies::{self, Asked, NoAnswer};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::store::Put;

/// How many artifacts an answer is given; all of them are named in the index.
const MAX_INPUTS: usize = 64;

/// How often an answer goes back to its author.
const MOST_REFUSALS: usize = 1;
/// So much of a verdict is told in a message.
const TOLD: usize = 600;

pub(super) fn step(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    if view.refused.len() > MOST_REFUSALS {
        return refused(view, facts);
    }
    if view.has_answer() { judge(flow, view, facts) } else { answer(flow, view, facts) }
}

fn answer(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let asked = flow
        .asking(view, facts, view.finalize_key())
        .ask(|| final_call(view, facts), |answer| cited(view, facts, answer));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => {
            let hash = Sha256::of(&value);
            let mut detail = vec![("step", json!("finalize")), ("final_sha256", json!(hash))];
            let number = view.answer_number();
            detail.extend((number > 1).then(|| ("attempt", json!(number))));
            detail.extend(used(view, &steps));
            let before = view.answer.as_ref().and_then(|file| file.identity);
            let put = layout::path(layout::FINAL).map(|path| Put::whole(path, before, value));
            Draft::new(view, facts, CONTROLLER, "the answer")
                .puts(put)
                .event(EXECUTOR, Kind::TaskExecuted, &detail)
                .finishes(steps)
                .starts(view.verdict_key())
                .step()
        }
        Asked::Unanswered { why, steps, .. } => {
            asks(view, facts, About::Answer, EXECUTOR, &why, steps)
        }
    }
}

/// The last verdict is a gate: an answer that it does not pass goes back once, and then the session fails.
fn judge(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let asked = flow
        .asking(view, facts, view.verdict_key())
        .ask(|| verdict_call(view, facts), |answer| judged(answer, facts));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value: (Verdict::Pass, text), steps, .. } => {
            complete(view, facts, steps, &text)
        }
        Asked::Answered { value: (Verdict::Fail, text), steps, .. } => {
            refuse(view, facts, steps, &text)
        }
        // A verdict that says neither, as often as it was asked for, has not passed the answer.
        Asked::Unanswered { why: NoAnswer::Broken(_), steps, .. } => {
            let text = format!("FAIL\n\n{}\n", prompts::no_ruling(facts.lang));
            refuse(view, facts, steps, text.as_bytes())
        }
        Asked::Unanswered { why, steps, .. } => {
            asks(view, facts, About::Verdict, CRITIC, &why, steps)
        }
    }
}

/// A verdict with its first word.
fn judged(answer: &Answer, facts: &Facts<'_>) -> Result<(Verdict, Vec<u8>), Vec<CallFinding>> {
    let bytes = text(answer, VERDICT_FILE, facts)?;
    match ruling(&String::from_utf8_lossy(&bytes)) {
        Some(verdict) => Ok((verdict, bytes)),
        None => Err(vec![CallFinding {
            file: VERDICT_FILE.to_owned(),
            line: Some(1),
            problem: prompts::no_ruling(facts.lang),
            next: prompts::no_ruling_next(facts.lang),
        }]),
    }
}

/// The word that a verdict begins with; marks of Markdown around it do not matter.
fn ruling(text: &str) -> Option<Verdict> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches(|c: char| "#*_`>- ".contains(c));
    let word: String = first.chars().take_while(|c| c.is_alphanumeric()).collect();
    match word.as_str() {
        "PASS" => Some(Verdict::Pass),
        "FAIL" => Some(Verdict::Fail),
        _ => None,
    }
}

/// What the critic wants, without the word that the verdict begins with.
fn wanted(text: &str) -> String {
    let below = text.trim_start_matches(|c: char| c.is_whitespace() || "#*_`>-".contains(c));
    let below = below.strip_prefix("FAIL").unwrap_or(below);
    below.trim_matches(|c: char| c.is_whitespace() || "*_`:.-".contains(c)).to_owned()
}

/// The answer and what was said of it stay among the reports, and the author is told.
fn refuse(view: &View, facts: &Facts<'_>, steps: Vec<StepKey>, verdict: &[u8]) -> Step {
    let number = view.refused.len() + 1;
    let (final_path, verdict_path) = layout::refused(number);
    let answer = view.answer.as_ref().map_or(&[][..], |file| file.bytes.as_slice());
    let reason = wanted(&String::from_utf8_lossy(verdict));
    let mut detail = vec![
        ("step", json!("verdict")),
        ("attempt", json!(number)),
        ("verdict", json!(Verdict::Fail)),
        ("reasons", json!([reason])),
        files([(final_path.clone(), answer), (verdict_path.clone(), verdict)]),
    ];
    detail.extend(used(view, &steps));
    Draft::new(view, facts, CRITIC, "the answer is refused")
        .create(&final_path, answer)
        .create(&verdict_path, verdict)
        .event(CRITIC, Kind::TaskReviewed, &detail)
        .finishes(steps)
        .step()
}

/// The end of a session whose answer was refused as often as it may be.
fn refused(view: &View, facts: &Facts<'_>) -> Step {
    let reason = view.refused.last().map_or("", String::as_str);
    let told = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let reason = prompts::answer_refused(facts.lang, told.chars().take(TOLD).collect::<String>());
    fail(view, facts, Vec::new(), &reason)
}

/// All that was gathered is there; only a person can say how to get its last word.
fn asks(
    view: &View,
    facts: &Facts<'_>,
    about: About,
    role: &str,
    why: &NoAnswer,
    steps: Vec<StepKey>,
) -> Step {
    let draft = Draft::new(view, facts, CONTROLLER, "no last word");
    let question = prompts::role_asks(facts.lang, role, why.reason());
    let asking = people::Asking { about, task: None, file: None, question };
    people::ask(draft, view, facts, &asking, steps)
}

/// What an answer rests on: the ends of the plan, by the names of the knowledge.
fn rests_on(view: &View) -> Vec<&Piece> {
    let ends = view.plan.iter().flat_map(|plan| plan.ends());
    ends.flat_map(|task| view.knowledge.active_of(task.id.as_str())).take(MAX_INPUTS).collect()
}

fn final_call(view: &View, facts: &Facts<'_>) -> Call {
    let pieces = rests_on(view);
    let known = prompts::named(pieces.iter().copied());
    let prompt = prompts::finalize(facts.lang, &view.query, &known);
    let prompt = prompts::with_faults(prompt, &view.refused, facts.lang);
    let inputs = pieces.iter().map(|piece| piece.artifact.trim_start_matches('/').to_owned());
    let refused = (1..=view.refused.len()).flat_map(|number| {
        let (answer, verdict) = layout::refused(number);
        [answer, verdict]
    });
    let given = [layout::USER_INPUT, layout::DECOMPOSITION, layout::INDEX];
    let given = given.into_iter().map(str::to_owned);
    closing_call(view, facts, EXECUTOR, "finalize", prompt, inputs.chain(given).chain(refused))
}

/// The critic sees the answer with everything that passed.
fn verdict_call(view: &View, facts: &Facts<'_>) -> Call {
    let prompt = prompts::verdict(facts.lang, &view.query, &view.review_rules);
    let given = [
        layout::FINAL,
        layout::INDEX,
        layout::REVIEW_RULES,
        layout::USER_INPUT,
        layout::DECOMPOSITION,
    ];
    let passed = view.knowledge.active().take(MAX_INPUTS);
    let passed = passed.map(|piece| piece.artifact.trim_start_matches('/').to_owned());
    let inputs = given.into_iter().map(str::to_owned).chain(passed);
    closing_call(view, facts, CRITIC, "verdict", prompt, inputs)
}

fn closing_call(
    view: &View,
    facts: &Facts<'_>,
    role: &'static str,
    step: &'static str,
    prompt: String,
    inputs: impl Iterator<Item = String>,
) -> Call {
    let file = if step == "finalize" { "final.md" } else { VERDICT_FILE };
    let (told, answers) = view.told_about(None);
    let asked = Call {
        attempt: u32::try_from(view.refused.len() + 1).unwrap_or(u32::MAX),
        inputs: inputs.filter_map(|path| layout::path(&path)).chain(answers).collect(),
        expected: vec![Expected::required(file)],
        ..Call::new(role, step, "session", prompts::with_notes(prompt, &told, facts.lang))
    };
    call(view, facts, asked)
}

/// The name that the critic writes its verdict under.
const VERDICT_FILE: &str = "verdict.md";

/// The answer with its footnotes, where everything that it cites is known and it rests on what there is.
fn cited(view: &View, facts: &Facts<'_>, answer: &Answer) -> Result<Vec<u8>, Vec<CallFinding>> {
    let bytes = text(answer, "final.md", facts)?;
    let cites = citations(&String::from_utf8_lossy(&bytes));
    let unknown: Vec<&str> = unknown(view, cites.iter()).map(KnowledgeId::as_str).collect();
    let rests_on_nothing = cites.is_empty() && !rests_on(view).is_empty();
    let (problem, next) = match (unknown.is_empty(), rests_on_nothing) {
        (true, false) => {
            let text = String::from_utf8_lossy(&bytes);
            return Ok(footnoted(view, &text, facts.lang).into_bytes());
        }
        (true, true) => (prompts::no_citation(facts.lang), prompts::no_citation_next(facts.lang)),
        (false, _) => {
            let problem = prompts::not_known(facts.lang, unknown.join(", "));
            (problem, prompts::not_known_next(facts.lang))
        }
    };
    Err(vec![CallFinding { file: "final.md".to_owned(), line: None, problem, next }])
}

fn text(answer: &Answer, name: &str, facts: &Facts<'_>) -> Result<Vec<u8>, Vec<CallFinding>> {
    replies::file(answer, name, facts.lang).map(<[u8]>::to_vec)
}

fn complete(view: &View, facts: &Facts<'_>, steps: Vec<StepKey>, verdict: &[u8]) -> Step {
    let judged = files([(layout::VERDICT.to_owned(), verdict)]);
    let detail: Vec<_> = used(view, &steps).into_iter().chain([judged]).collect();
    let usage = happening::sum(view.usage, usage_of(view, &steps));
    let draft = Draft::new(view, facts, CONTROLLER, "the end")
        .create(layout::VERDICT, verdict)
        .finishes(steps);
    summed_up(view, facts, draft, SystemStatus::Completed, usage)
        .event(CONTROLLER, Kind::SessionCompleted, &detail)
        .step()
}

/// The documents of an end without an answer.
pub(super) fn failed<'v>(
    view: &View,
    facts: &Facts<'_>,
    draft: Draft<'v>,
    reason: &str,
) -> Draft<'v> {
    let draft = draft.create(layout::VERDICT, prompts::failed(facts.lang, reason) + "\n");
    summed_up(view, facts, draft, SystemStatus::Failed, view.usage)
}

/// Where everything is, and what it came to.
fn summed_up<'v>(
    view: &View,
    facts: &Facts<'_>,
    draft: Draft<'v>,
    status: SystemStatus,
    usage: SummaryUsage,
) -> Draft<'v> {
    let passed = |id| view.plan.as_ref().is_some_and(|plan| plan.has_passed(id));
    let last = view.plan.as_ref().and_then(|plan| plan.last()).filter(|task| passed(&task.id));
    let attempt = last.and_then(|task| view.progress.get(&task.id)).map_or(1, |p| p.attempt);
    let id = view.id(facts.now);
    let named = |path: &str| layout::from_project(&id, path);
    let pointers = Pointers {
        status: named(layout::STATUS),
        plan: named(layout::DECOMPOSITION),
        critique_report: last.map(|task| named(&layout::report(&task.id, attempt))),
        context_index: named(layout::INDEX),
    };
    draft
        .create_json(layout::SUMMARY, &SessionSummary { usage, ..summary(view, facts, status) })
        .create_json(layout::POINTERS, &pointers)
}

fn summary(view: &View, facts: &Facts<'_>, status: SystemStatus) -> SessionSummary {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let total = count(view.plan.as_ref().map_or(0, |plan| plan.making()));
    let passed = count(view.plan.as_ref().map_or(0, |plan| plan.passed()));
    let started = view.started.unwrap_or(facts.now);
    let seconds = facts.now.instant().as_second() - started.instant().as_second();
    SessionSummary {
        session_id: view.id(facts.now),
        status,
        plan_major_version: view.pointer.plan_major_version,
        plan_revision: view.pointer.plan_revision,
        tasks: TaskCounts { total, passed, failed: total.saturating_sub(passed) },
        knowledge_ids: view.knowledge.active().map(|piece| piece.id.clone()).collect(),
        duration_seconds: u64::try_from(seconds).unwrap_or(0),
        usage: view.usage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_begins_with_pass_or_fail_or_says_neither() {
        for (text, verdict) in [
            ("PASS", Some(Verdict::Pass)),
            ("\n# PASS: it answers\n", Some(Verdict::Pass)),
            ("**FAIL** - a number is wrong", Some(Verdict::Fail)),
            ("FAIL\n- T-0001", Some(Verdict::Fail)),
            ("The answer passes. PASS", None),
            ("PASSED", None),
            ("pass", None),
            ("", None),
        ] {
            assert_eq!(ruling(text), verdict, "{text}");
        }
        assert_eq!(wanted("# FAIL: the year is 2024\n"), "the year is 2024");
    }
}
