//! A task is reviewed: mechanical checks, the critic's words, the gate's verdict, and what passes
//! into knowledge.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    CritiqueDraft, CritiqueReport, DataSource, PlanTask, SessionEventKind as Kind, SystemStatus,
    Verdict,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, about, call, used};
use crate::flows::session::events::About;
use crate::flows::session::execution::{Attempt, base_name};
use crate::flows::session::policy::CRITIC;
use crate::flows::session::promotion::{copies, evidence, index_put, made, objections};
use crate::flows::session::view::View;
use crate::flows::session::write::{Draft, files};
use crate::flows::session::{layout, prompts};
use crate::formats::json as print;
use crate::gates::gate;
use crate::ids::Sha256;
use crate::replies::{self, Asked, NoAnswer};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};

const REPORT: &str = "report.json";
/// So many raw answers of a task are shown to the critic.
const MOST_SOURCES: usize = 32;

pub(super) fn step(
    flow: &SessionFlow,
    view: &View,
    facts: &Facts<'_>,
    task: &PlanTask,
    number: u32,
) -> Step {
    let attempt = Attempt { view, facts, task, number };
    let asking = flow.asking(view, facts, view.review_key(&task.id, number));
    match asking.ask(|| review_call(attempt), |answer| read(attempt, answer)) {
        Asked::Call { key, call } => {
            let objections = objections(view, facts.lang, task);
            if objections.is_empty() || facts.running.contains(&key) {
                return Step::Effect { key, effect: Effect::Call(call) };
            }
            // Nobody needs to review what is not fit for it; what was asked so far ends with it.
            let asked = (0..=call.regeneration).map(|again| replies::numbered(&asking.key, again));
            let steps = asked.filter(|key| facts.steps.is_open(key)).collect();
            reviewed(attempt, steps, refused(objections))
        }
        Asked::Answered { value, steps, .. } => reviewed(attempt, steps, value),
        Asked::Unanswered { why: NoAnswer::Blocked(reason), steps, .. } => {
            attempt.asks(About::Review, CRITIC, &reason, steps)
        }
        // A report that cannot be had is a review that failed, with the reason in it.
        Asked::Unanswered { why, steps, .. } => {
            reviewed(attempt, steps, refused(vec![why.reason()]))
        }
    }
}

fn refused(required_fixes: Vec<String>) -> CritiqueDraft {
    CritiqueDraft { verdict: Verdict::Fail, findings: Vec::new(), required_fixes, checks: None }
}

fn review_call(attempt: Attempt<'_>) -> Call {
    let Attempt { view, facts, task, number } = attempt;
    let directory = layout::outputs(&task.id, number);
    let names =
        task.outputs.iter().map(|output| format!("{directory}/{}", base_name(&output.path)));
    let prompt = prompts::review(facts.lang, &view.query, task, &view.review_rules);
    let (told, answers) = view.told_about(Some(&task.id));
    let prompt = prompts::with_notes(prompt, &told, facts.lang);
    let given = [layout::REVIEW_RULES, layout::USER_INPUT, layout::DECOMPOSITION];
    let given = given.iter().map(|path| (*path).to_owned());
    // What the outputs are to be compared with: the raw answers behind a data task, what passed behind a
    // synthesis.
    let (_, sources) = view.origins.get(&task.id).cloned().unwrap_or_default();
    let sources = sources.into_iter().take(MOST_SOURCES).map(|one| layout::source(&one.sha256).0);
    let made_from = view.plan.iter().flat_map(|plan| plan.sources(task));
    let made_from = made_from.flat_map(|source| view.knowledge.active_of(source.as_str()));
    let made_from = made_from.map(|piece| piece.artifact.trim_start_matches('/').to_owned());
    let inputs = names.chain(given).chain(sources).chain(made_from);
    let asked = Call {
        attempt: number,
        inputs: inputs.filter_map(|path| layout::path(&path)).chain(answers).collect(),
        expected: vec![Expected::required(REPORT).of("critique-draft")],
        ..Call::new(CRITIC, "review", task.id.as_str(), prompt)
    };
    call(view, facts, asked)
}

/// Where the critic answers acceptance lines one by one, none may be left out, and an answer without
/// evidence is none.
fn read(attempt: Attempt<'_>, answer: &Answer) -> Result<CritiqueDraft, Vec<CallFinding>> {
    let lang = attempt.facts.lang;
    let report = replies::document::<CritiqueDraft>(answer, REPORT, lang)?.1.value;
    let Some(checks) = &report.checks else { return Ok(report) };
    let answers = |line: &str| checks.iter().any(|check| plain(&check.acceptance) == plain(line));
    let lines = attempt.task.acceptance.iter();
    let open = lines.filter(|line| !answers(line)).map(|line| prompts::no_check(lang, line));
    let empty = checks.iter().filter(|check| check.evidence.trim().is_empty());
    let empty = empty.map(|check| prompts::no_evidence_of(lang, &check.acceptance));
    let findings: Vec<CallFinding> = open
        .chain(empty)
        .map(|problem| CallFinding {
            file: REPORT.to_owned(),
            line: None,
            problem,
            next: prompts::no_check_next(lang),
        })
        .collect();
    if findings.is_empty() { Ok(report) } else { Err(findings) }
}

/// A line as it reads: spaces, capitals and the marks around it do not matter.
fn plain(line: &str) -> String {
    let words = line.trim_matches(|c: char| !c.is_alphanumeric()).split_whitespace();
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn reviewed(attempt: Attempt<'_>, steps: Vec<StepKey>, words: CritiqueDraft) -> Step {
    let Attempt { view, facts, task, number } = attempt;
    let CritiqueDraft { verdict, findings, required_fixes, checks } = words;
    let (task_id, ts) = (task.id.clone(), facts.now);
    let mut report = CritiqueReport { task_id, ts, verdict, findings, required_fixes, checks };
    let made = made(view, task);
    let evidence = evidence(view, facts.lang, task, &made, &report);
    let mut detail = about(task, number).to_vec();
    detail.extend(used(view, &steps));
    let draft = Draft::new(view, facts, CRITIC, &format!("{} reviewed", task.id)).finishes(steps);
    let path = layout::report(&task.id, number);
    match gate(made, &evidence) {
        Ok(passed) => {
            let pieces = view.knowledge.promote(&passed);
            let ids: Vec<&str> = pieces.iter().map(|piece| piece.id.as_str()).collect();
            let text = print::print(&report).unwrap_or_default();
            detail.push(("verdict", json!("PASS")));
            detail.push(("report_sha256", json!(Sha256::of(text.as_bytes()))));
            let copies = copies(view, &pieces);
            let names: Vec<&str> = copies.iter().map(|(name, _)| name.as_str()).collect();
            let kept =
                copies.iter().map(|(name, bytes)| (format!("{}{name}", layout::COPIES), *bytes));
            let promoted = [
                ("task_id", json!(task.id)),
                ("knowledge", json!(ids)),
                ("copies", json!(names)),
                files(kept),
            ];
            let mut draft = draft.create(&path, text).puts(index_put(view, &pieces, facts.now));
            for (name, bytes) in &copies {
                draft = draft.create(&format!("{}{name}", layout::COPIES), *bytes);
            }
            draft
                .event(CRITIC, Kind::TaskReviewed, &detail)
                .event(CRITIC, Kind::KnowledgePromoted, &promoted)
                .step()
        }
        Err(rejected) => {
            // The gate's word counts, not the critic's.
            report.verdict = Verdict::Fail;
            let text = print::print(&report).unwrap_or_default();
            detail.push(("verdict", json!("FAIL")));
            detail.push(("report_sha256", json!(Sha256::of(text.as_bytes()))));
            detail.push(("reasons", json!(rejected.reasons)));
            detail.extend(replan(attempt));
            draft.create(&path, text).event(CRITIC, Kind::TaskReviewed, &detail).step()
        }
    }
}

/// The same call would fetch the same: data that does not pass asks for another plan at once, a
/// synthesis after it was tried often enough.
fn replan(attempt: Attempt<'_>) -> Vec<(&'static str, serde_json::Value)> {
    if attempt.task.data_sources == [DataSource::Synthesis] {
        return attempt.gives_up();
    }
    let reason = format!("{} did not pass its review", attempt.task.id);
    vec![("status", json!(SystemStatus::Replanning)), ("reason", json!(reason))]
}
