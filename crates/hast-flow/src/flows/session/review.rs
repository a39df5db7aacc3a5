//! A task is reviewed: the critic's words, the gate's verdict, and what passes into knowledge.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    CritiqueDraft, CritiqueReport, PlanTask, SessionEventKind as Kind, Verdict,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, about};
use crate::flows::session::execution::base_name;
use crate::flows::session::policy::CRITIC;
use crate::flows::session::promotion::{astray, evidence, index_put, made};
use crate::flows::session::view::{View, task_key};
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, prompts};
use crate::gates::gate;
use crate::replies::{self, Asked};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::words::Lang;

const REPORT: &str = "report.json";

pub(super) fn step(
    flow: &SessionFlow,
    view: &View,
    facts: &Facts<'_>,
    task: &PlanTask,
    attempt: u32,
) -> Step {
    let key = task_key(&task.id, "review", attempt);
    let asking = flow.asking(view, facts, key);
    match asking.ask(|| call(facts, task, attempt), |answer| read(answer, facts.lang)) {
        Asked::Call { key, call } => {
            let astray = astray(view, task);
            if astray.is_empty() || facts.running.contains(&key) {
                return Step::Effect { key, effect: Effect::Call(call) };
            }
            // Nobody can review what is not there; what was asked so far ends with it.
            let asked = (0..=call.regeneration).map(|again| replies::numbered(&asking.key, again));
            let steps = asked.filter(|key| facts.steps.is_open(key)).collect();
            let why = prompts::not_as_made(facts.lang, astray.join(", "));
            reviewed(view, facts, task, attempt, steps, refused(why))
        }
        Asked::Answered { value, steps, .. } => reviewed(view, facts, task, attempt, steps, value),
        // A report that cannot be had is a review that failed, with the reason in it.
        Asked::Unanswered { why, steps, .. } => {
            reviewed(view, facts, task, attempt, steps, refused(why.reason()))
        }
    }
}

fn refused(why: String) -> CritiqueDraft {
    CritiqueDraft {
        verdict: Verdict::Fail,
        findings: Vec::new(),
        required_fixes: vec![why],
        checks: None,
    }
}

fn call(facts: &Facts<'_>, task: &PlanTask, attempt: u32) -> Call {
    let directory = layout::outputs(&task.id, attempt);
    let names = task.outputs.iter().map(|output| base_name(&output.path));
    let prompt = prompts::review(facts.lang, &task.id, &task.title, prompts::acceptance(task));
    Call {
        attempt,
        inputs: names.filter_map(|name| layout::path(&format!("{directory}/{name}"))).collect(),
        expected: vec![Expected::required(REPORT).of("critique-draft")],
        ..Call::new(CRITIC, "review", task.id.as_str(), prompt)
    }
}

fn read(answer: &Answer, lang: Lang) -> Result<CritiqueDraft, Vec<CallFinding>> {
    replies::document::<CritiqueDraft>(answer, REPORT, lang).map(|(_, read)| read.value)
}

fn reviewed(
    view: &View,
    facts: &Facts<'_>,
    task: &PlanTask,
    attempt: u32,
    steps: Vec<StepKey>,
    words: CritiqueDraft,
) -> Step {
    let CritiqueDraft { verdict, findings, required_fixes, checks } = words;
    let (task_id, ts) = (task.id.clone(), facts.now);
    let mut report = CritiqueReport { task_id, ts, verdict, findings, required_fixes, checks };
    let made = made(view, task);
    let evidence = evidence(view, task, &made, &report);
    let draft = Draft::new(view, facts, CRITIC, &format!("{} reviewed", task.id)).finishes(steps);
    let [task_id, number] = about(task, attempt);
    let path = layout::report(&task.id, attempt);
    match gate(made, &evidence) {
        Ok(passed) => {
            let pieces = view.knowledge.promote(&passed);
            let ids: Vec<&str> = pieces.iter().map(|piece| piece.id.as_str()).collect();
            let verdict = ("verdict", json!("PASS"));
            draft
                .create_json(&path, &report)
                .puts(index_put(view, &pieces, facts.now))
                .event(CRITIC, Kind::TaskReviewed, &[task_id.clone(), number, verdict])
                .event(CRITIC, Kind::KnowledgePromoted, &[task_id, ("knowledge", json!(ids))])
                .step()
        }
        Err(rejected) => {
            // The gate's word counts, not the critic's.
            report.verdict = Verdict::Fail;
            let (verdict, reasons) = (json!("FAIL"), json!(rejected.reasons));
            let detail = [task_id, number, ("verdict", verdict), ("reasons", reasons)];
            draft.create_json(&path, &report).event(CRITIC, Kind::TaskReviewed, &detail).step()
        }
    }
}
