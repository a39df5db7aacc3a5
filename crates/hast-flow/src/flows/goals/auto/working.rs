//! One attempt, from its base to its verdict.

use std::collections::BTreeMap;

use serde_json::json;

use crate::attempt::base::{Base, attempt_ref};
use crate::attempt::evidence::CallEnd;
use crate::attempt::judge::{INTERRUPTIONS_PER_ATTEMPT, Verdict};
use crate::attempt::reason::{Class, Reason};
use crate::attempt::workspace::{GitResult, GitStep, SavePlan};
use crate::attempt::worktrees::WorktreeResult;
use crate::attempt_steps::{blocked, call_end, unexpected};
use crate::docs::document::Version;
use crate::docs::goals::{GoalsEventKind as Kind, HandoffName};
use crate::driver::Facts;
use crate::flows::goals::auto::asking::{git, git_steps};
use crate::flows::goals::auto::base_tests::{KnownBy, KnownRun};
use crate::flows::goals::auto::judging::Round;
use crate::flows::goals::auto::policy::WORKER;
use crate::flows::goals::auto::record::{AttemptRecord, VerdictRecord};
use crate::flows::goals::auto::view::{Current, Documents, View};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{
    AutoFlow, CutOff, base_tests, kept, layout, red_base, settling, words,
};
use crate::flows::goals::context::{assemble, fit};
use crate::flows::goals::instructions::{BaseTests, Parts, prompt};
use crate::flows::goals::layout as project;
use crate::flows::goals::print::Format;
use crate::flows::goals::selection::Placed;
use crate::steps::{Call, Effect, EffectResult, Place, Step, StepKey};
use crate::time::OffsetTime;

/// Everything that a step of an attempt needs.
pub(super) struct Work<'w> {
    pub(super) flow: &'w AutoFlow,
    pub(super) view: &'w View,
    pub(super) facts: &'w Facts<'w>,
    pub(super) current: &'w Current,
    pub(super) base: &'w Base,
    pub(super) record: &'w AttemptRecord,
}

/// The key of a step of an attempt.
pub(super) fn key(goal: &str, number: u32, parts: &[&str]) -> StepKey {
    let (goal, number) = (layout::goal_directory(goal), number.to_string());
    let all: Vec<&str> =
        [goal.as_str(), &number].into_iter().chain(parts.iter().copied()).collect();
    StepKey::new(&all)
}

/// A goal's next attempt: its base is tested once, then recorded.
pub(super) fn begin(flow: &AutoFlow, view: &View, facts: &Facts<'_>, placed: &Placed<'_>) -> Step {
    let goal = placed.goal;
    let ledger = view.ledger(&goal.id);
    let number = ledger.next_number();
    let before = view.documents_of(&goal.id, ledger.last_number());
    let tested = match before {
        Some(Documents { record: Some(record), .. }) if ledger.goes_on() => {
            Ok(record.base_run().map(|run| KnownRun { run, by: KnownBy::Event }))
        }
        _ => base_tests::on_base(flow, view, facts, goal, number),
    };
    let tested = match tested {
        Ok(tested) => tested,
        Err(step) => return step,
    };
    let known_by = tested.as_ref().map_or(KnownBy::Event, |tested| tested.by);
    let tested = tested.map(|tested| tested.run);
    if let Some(step) = red_base::refusal(flow, view, facts, goal, tested.as_ref()) {
        return step;
    }
    let record_key = key(&goal.id, number, &[known_by.record_part()]);
    let record_step = || {
        let (key, rules) = (layout::base_key(&goal.id, number), flow.settings.tree_rules());
        GitStep::Record { key, rules, at: facts.now }
    };
    let base = match git(view, facts, record_key.clone(), record_step) {
        Err(step) => return step,
        Ok(GitResult::Recorded(base)) => base.to_document(),
        Ok(_) => return unexpected(&record_key, facts.lang),
    };
    let mut record = AttemptRecord::new(
        goal,
        &flow.settings,
        number,
        handoff_name(flow, view, facts).to_string(),
        tested,
        facts.now,
    );
    record.continues = kept::to_continue(view, &goal.id).cloned();
    if record.continues.is_some() && view.run.as_ref().is_some_and(|run| run.fewer_tests) {
        record.judge_again();
    }
    let mut draft = Draft::new(view, facts, &format!("{} attempt {number}", goal.id))
        .create(&layout::of_attempt(&goal.id, number, layout::BASE), base)
        .create_json(&layout::of_attempt(&goal.id, number, layout::RECORD), &record);
    if !ledger.goes_on() {
        draft = draft.event(Kind::GoalStarted, json!({"goal_id": goal.id, "title": goal.title}));
    }
    let continues = record.continues.as_ref().map(|kept| &kept.name);
    let handoff = &record.handoff;
    let mut detail = json!({
        "goal_id": goal.id,
        "attempt": number,
        "handoff": handoff,
        "continues": continues,
        layout::LANE: true,
    });
    if let Some(EffectResult::Worktree(WorktreeResult::Added(added))) =
        view.results.get(&key(&goal.id, number, &["add"]))
    {
        detail["recovered"] = json!(added.recovered);
    }
    draft.event(Kind::AttemptStarted, detail).starts(key(&goal.id, number, &["call", "0"])).step()
}

/// A name that no handoff has yet.
fn handoff_name(flow: &AutoFlow, view: &View, facts: &Facts<'_>) -> HandoffName {
    let local = OffsetTime::new(facts.now.instant(), flow.settings.offset).local();
    let taken = view.handoffs.keys().filter(|name| name.local == local).map(|name| name.number);
    HandoffName { local, number: taken.max().map_or(1, |number| number + 1) }
}

/// The attempt under way: called, inspected, judged, settled.
pub(super) fn step(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    current: &Current,
    all: &[Placed<'_>],
) -> Step {
    let lost = || {
        let what = words::lost_records(facts.lang, &current.goal);
        blocked(what, words::lost_records_next(facts.lang))
    };
    let Some(documents) = view.documents_of(&current.goal, current.number) else { return lost() };
    let Documents { base: Some(base), record: Some(record), .. } = documents else { return lost() };
    let work = Work { flow, view, facts, current, base, record };
    match (documents.last_verdict(), &current.ended) {
        (Some(verdict), _) if current.judged => settling::step(&work, verdict, all),
        (_, None) => work.call(all),
        (_, Some(ended)) => {
            let end = OffsetTime::new(ended.at.instant(), flow.settings.offset);
            work.inspect(&ended.end, end, Round::First)
        }
    }
}

impl Work<'_> {
    pub(super) fn key(&self, parts: &[&str]) -> StepKey {
        key(&self.current.goal, self.current.number, parts)
    }

    /// A key that is new after each interruption.
    pub(super) fn key_now(&self, part: &str) -> StepKey {
        self.key(&[part, &self.current.cuts.to_string()])
    }

    fn call(&self, all: &[Placed<'_>]) -> Step {
        let call_key = self.key_now("call");
        if self.facts.left_open(&call_key) {
            return match self.clear_away() {
                Ok(()) => {
                    let draft = Draft::new(self.view, self.facts, "the call was cut off");
                    self.cut_off(draft.closes(call_key)).step()
                }
                Err(step) => step,
            };
        }
        match self.view.results.get(&call_key) {
            None => {
                let goal = all.iter().find(|placed| placed.goal.id == self.current.goal);
                match (self.put_kept_work_back(), goal) {
                    (Err(step), _) => step,
                    (Ok(()), _) if self.record.judged_again => {
                        self.ended(&CallEnd::Ended).closes(call_key).step()
                    }
                    (Ok(()), Some(placed)) => self.ask(call_key, placed),
                    (Ok(()), None) => unexpected(&call_key, self.facts.lang),
                }
            }
            Some(EffectResult::Call(result)) => self.ended(&call_end(result)).step(),
            Some(_) => unexpected(&call_key, self.facts.lang),
        }
    }

    /// The work is there to be judged.
    fn ended(&self, end: &CallEnd) -> Draft<'_> {
        let (goal, number) = (&self.current.goal, self.current.number);
        let detail = json!({"goal_id": goal, "attempt": number, "end": end});
        Draft::new(self.view, self.facts, "the agent has ended")
            .event(Kind::AttemptEnded, detail)
            .starts(self.key_now("inspect"))
    }

    /// With `--continue` the earlier work is in the tree when the agent begins, as a change of this
    /// attempt. Its handoffs are not: they tell of another one, unless that one is only judged again.
    fn put_kept_work_back(&self) -> Result<(), Step> {
        let Some(kept) = &self.record.continues else { return Ok(()) };
        let restore = || {
            let mut rules = self.base.rules().clone();
            if !self.record.judged_again {
                rules.leave_out.extend(rules.handoffs.clone());
            }
            let (name, since) = (kept.commit.to_string(), Some(kept.base_tree.clone()));
            GitStep::Restore { name, since, rules }
        };
        git(self.view, self.facts, self.key_now("restore"), restore).map(|_| ())
    }

    fn ask(&self, key: StepKey, placed: &Placed<'_>) -> Step {
        let (view, lang) = (self.view, self.facts.lang);
        let context = assemble(Some(placed), view.last_session().as_ref(), &view.rules);
        let max = self.flow.settings.max_context_bytes;
        let context = fit(&context, Format::Plain, lang, max).unwrap_or_default();
        let handoff = format!("{}/{}", project::HANDOFFS, self.record.handoff);
        let started = OffsetTime::new(self.record.started_at.instant(), self.flow.settings.offset);
        let (tail, base) = (self.record.base_tail.as_str(), self.record.base_tests.as_ref());
        let parts = Parts {
            context: &context,
            test_command: &self.record.test_command,
            base: base.map(|end| BaseTests { end, tail }),
            handoff_path: &handoff,
            timestamp: &started.to_string(),
            protect: &self.base.rules().protect,
            last: kept::last_failure(view, self.current, self.record, lang),
            said: view.said.get(&self.current.goal).map(String::as_str),
        };
        let call = Call {
            attempt: self.current.number,
            place: Place::Checkout,
            ids: BTreeMap::from([("goal_id", self.current.goal.clone())]),
            tool: placed.goal.tool.clone(),
            handoff_path: Some(handoff.clone()),
            keeps: layout::kept_in_calls(&self.current.goal),
            timeout: Some(self.record.timeout_minutes.duration()),
            ..Call::new(WORKER, "attempt", &self.current.goal, prompt(placed.goal, &parts, lang))
        };
        Step::Effect { key, effect: Effect::Call(Box::new(call)) }
    }

    /// Saves what a cut-off call left and goes back to the base.
    fn clear_away(&self) -> Result<(), Step> {
        let (save, back) = (self.key_now("cut-save"), self.key_now("cut-back"));
        let steps = git_steps(self.view, self.facts);
        steps.save_and_go_back(&save, back, || self.save_plan(), self.base).map(|_| ())
    }

    pub(super) fn save_plan(&self) -> SavePlan {
        let (goal, number) = (&self.current.goal, self.current.number);
        SavePlan {
            name: attempt_ref(goal, number),
            rules: self.base.rules().clone(),
            base: Some(self.base.clone()),
            message: format!("attempt {number} at {goal}"),
            at: self.facts.now,
            max_file_bytes: self.flow.settings.max_saved_file_bytes,
            max_total_bytes: self.flow.settings.max_saved_bytes,
        }
    }

    /// What it means that the call never came back. Three times in a row count as one attempt.
    fn cut_off<'v>(&self, draft: Draft<'v>) -> Draft<'v> {
        let about = json!({"goal_id": self.current.goal, "attempt": self.current.number});
        if self.current.stopped {
            let mut about = about;
            about[layout::COUNTS] = json!(false);
            return draft.event(Kind::AttemptInterrupted, about);
        }
        match self.flow.cut_off {
            CutOff::Limit { resume_at } => {
                let detail = json!({"goal_id": self.current.goal, "attempt": self.current.number, "resume_at": resume_at});
                draft.event(Kind::LimitReached, detail)
            }
            CutOff::Interruption => {
                let before = self.view.ledger(&self.current.goal).interruptions();
                if before + 1 < INTERRUPTIONS_PER_ATTEMPT {
                    return draft.event(Kind::AttemptInterrupted, about);
                }
                let (class, reason) = (Class::Failed, Reason::InterruptedTooOften);
                let text = reason.text(self.facts.lang);
                let record = VerdictRecord {
                    version: Version,
                    verdict: Verdict { class, reason, rule: 1 },
                    text,
                    judged_at: self.facts.now,
                    head: self.base.commit().clone(),
                    tree: self.base.tree().clone(),
                    commit_tree: self.base.tree().clone(),
                    uncommitted: false,
                    changed: Vec::new(),
                    tests: None,
                    test_tail: String::new(),
                    tally: None,
                    changed_tests: Vec::new(),
                    moved_refs: Vec::new(),
                    not_committed: Vec::new(),
                    dependency_lists: Vec::new(),
                    ignored_handoffs: Vec::new(),
                    squashed: None,
                };
                self.judged(draft, layout::VERDICT, &record)
            }
        }
    }
}
