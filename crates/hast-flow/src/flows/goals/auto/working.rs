//! One attempt, from its base to its verdict.

use std::collections::BTreeMap;

use serde_json::json;

use crate::attempt::base::{Base, attempt_ref};
use crate::attempt::evidence::{CallEnd, Change, TestRun};
use crate::attempt::inspection::Inspection;
use crate::attempt::judge::{
    INTERRUPTIONS_PER_ATTEMPT, Judged, Verdict, WantedHandoff, judge_counted,
};
use crate::attempt::reason::{Class, Reason};
use crate::attempt::settle::Commits;
use crate::attempt::test_files::is_test_file;
use crate::attempt::workspace::{GitResult, GitStep, SavePlan};
use crate::attempt::worktrees::WorktreeResult;
use crate::attempt_steps::{blocked, call_end, unexpected};
use crate::docs::document::Version;
use crate::docs::goals::{GoalsEventKind as Kind, HandoffName};
use crate::driver::Facts;
use crate::flows::goals::auto::asking::{git, git_steps, if_possible};
use crate::flows::goals::auto::base_tests::{KnownBy, KnownRun};
use crate::flows::goals::auto::policy::WORKER;
use crate::flows::goals::auto::record::{AttemptRecord, LISTED, VerdictRecord};
use crate::flows::goals::auto::view::{Current, Documents, View};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{
    AutoFlow, CutOff, base_tests, evidence, kept, layout, red_base, settling, words,
};
use crate::flows::goals::context::{assemble, fit};
use crate::flows::goals::instructions::{BaseTests, Parts, prompt};
use crate::flows::goals::layout as project;
use crate::flows::goals::print::Format;
use crate::flows::goals::selection::Placed;
use crate::steps::{Call, Check, Effect, EffectResult, Place, Step, StepKey};
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
            work.inspect(&ended.end, end)
        }
    }
}

impl Work<'_> {
    pub(super) fn key(&self, parts: &[&str]) -> StepKey {
        key(&self.current.goal, self.current.number, parts)
    }

    /// A key that is new after each interruption.
    fn key_now(&self, part: &str) -> StepKey {
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
                };
                self.judged(draft, layout::VERDICT, &record)
            }
        }
    }

    fn inspect(&self, end: &CallEnd, attempt_end: OffsetTime) -> Step {
        let inspect_key = self.key_now("inspect");
        let step = || GitStep::Inspect { base: self.base.clone() };
        let inspection = match git(self.view, self.facts, inspect_key.clone(), step) {
            Err(step) => return step,
            Ok(GitResult::Inspected(inspection)) => inspection,
            Ok(_) => return unexpected(&inspect_key, self.facts.lang),
        };
        let evidence = inspection.evidence(end.clone(), self.facts.lang);
        let before = self.view.ledger(&self.current.goal).interruptions();
        let mut rules = self.record.rules(attempt_end, before);
        if evidence.handoffs.is_empty() && self.handoff_was_there() {
            rules.handoff = WantedHandoff::NotAsked;
        }
        let agreed = self.record.agreed_tests();
        let first = self.tests_named("tests");
        let judged = |run| judge_counted(&evidence, &rules, &agreed, run);
        let (verdict, run) = match judged(first) {
            Judged::NeedsTests => return self.run_tests("tests", inspection),
            Judged::Verdict(verdict) => match (first, self.tests_named("tests-again")) {
                (Some(_), None) if verdict.reason.may_be_chance() => {
                    return self.run_tests("tests-again", inspection);
                }
                (Some(first), Some(again)) => {
                    let larger = first.larger(again);
                    match judged(Some(larger)) {
                        Judged::Verdict(verdict) => (verdict, Some(larger)),
                        Judged::NeedsTests => (verdict, Some(first)),
                    }
                }
                (run, _) => (verdict, run),
            },
        };
        let lines = match self.changed_tests(inspection, &verdict) {
            Ok(lines) => lines,
            Err(step) => return step,
        };
        let mut text = verdict.reason.text_after(end, verdict.class, self.facts.lang);
        let green = run.filter(|_| verdict.class == Class::Complete);
        if let Some(note) = green.and_then(|run| agreed.note(run, self.facts.lang)) {
            text = words::with_note(self.facts.lang, text, note);
        }
        self.verdict(inspection, verdict, text, (run, lines))
    }

    /// Whether the work that is judged again had a good handoff where no ref holds it.
    fn handoff_was_there(&self) -> bool {
        let found = self.view.kept.get(&self.current.goal).and_then(|handed| handed.found.as_ref());
        self.record.judged_again && matches!(found, Some(Reason::TestsRemoved { .. }))
    }

    fn tests_named(&self, part: &str) -> Option<&TestRun> {
        match self.view.results.get(&self.key_now(part)) {
            Some(EffectResult::Check(run)) => Some(run),
            _ => None,
        }
    }

    fn run_tests(&self, part: &str, inspection: &Inspection) -> Step {
        let effect = Effect::Check(Check {
            command: self.record.test_command.clone(),
            tree: inspection.tree.clone(),
            limit_seconds: self.record.timeout_minutes.seconds(),
        });
        Step::Effect { key: self.key_now(part), effect }
    }

    /// Test files that the attempt changed, with their lines, where a person is told of it.
    fn changed_tests(
        &self,
        inspection: &Inspection,
        verdict: &Verdict,
    ) -> Result<Vec<String>, Step> {
        let is_test = |change: &Change| is_test_file(change.path.as_str());
        let told = verdict.class.is_success() || verdict.reason.asks_about_tests();
        if !told || !inspection.changes.iter().any(is_test) {
            return Ok(Vec::new());
        }
        let (from, to) = (self.base.tree().clone(), inspection.tree.clone());
        let compare = || GitStep::Compare { from, to };
        Ok(match if_possible(self.view, self.key_now("changed-tests"), compare)? {
            Some(GitResult::Compared(lines)) => evidence::tests(lines),
            _ => Vec::new(),
        })
    }

    fn verdict(
        &self,
        inspection: &Inspection,
        verdict: Verdict,
        text: String,
        (tests, changed_tests): (Option<&TestRun>, Vec<String>),
    ) -> Step {
        let changed = inspection.changes.iter().take(LISTED).map(|change| change.path.to_string());
        let ignored = inspection.not_committed.iter().take(LISTED);
        let record = VerdictRecord {
            version: Version,
            text,
            judged_at: self.facts.now,
            head: inspection.head.clone(),
            tree: inspection.tree.clone(),
            commit_tree: inspection.commit_tree.clone(),
            uncommitted: inspection.uncommitted,
            changed: changed.collect(),
            tests: tests.map(|run| run.end.clone()),
            test_tail: tests.map(|run| run.tail.clone()).unwrap_or_default(),
            tally: tests.map(|run| run.counted.tally.clone()),
            changed_tests,
            moved_refs: self.view.moved_by_others(&inspection.others),
            not_committed: ignored.map(ToString::to_string).collect(),
            verdict,
        };
        let mut draft = Draft::new(self.view, self.facts, "judged");
        let passed = record.verdict.class.is_success();
        for file in inspection.handoffs.iter().filter(|_| passed) {
            // The next context is made of it, and the agent wrote it where nobody was told.
            if let (Ok(_), Ok(bytes)) = (file.name.parse::<HandoffName>(), &file.bytes) {
                let name = format!("{}{}", layout::HANDOFFS, file.name);
                let path = layout::of_attempt(&self.current.goal, self.current.number, &name);
                draft = draft.create(&path, bytes.clone());
            }
        }
        // A session that said why it cannot go on is read by the next one.
        let blocked = matches!(record.verdict.reason, Reason::HandoffBlocked { .. });
        let said = inspection.handoffs.iter().rev().find_map(|file| file.bytes.as_ref().ok());
        if let Some(bytes) = said.filter(|_| blocked && self.is_free()) {
            let path = format!("{}{}", layout::HANDOFFS, self.record.handoff);
            draft = draft.create(&path, bytes.clone());
        }
        self.judged(draft, layout::VERDICT, &record).step()
    }

    /// Whether the checkout has no handoff of the name that was asked for.
    fn is_free(&self) -> bool {
        let name = self.record.handoff.parse::<HandoffName>();
        name.is_ok_and(|name| !self.view.handoffs.contains_key(&name))
    }

    pub(super) fn judged<'v>(
        &self,
        draft: Draft<'v>,
        name: &str,
        record: &VerdictRecord,
    ) -> Draft<'v> {
        let Verdict { class, reason, rule } = &record.verdict;
        let mut detail = json!({
            "goal_id": self.current.goal,
            "attempt": self.current.number,
            "class": class,
            "rule": rule,
            "code": reason.code(),
            "reason": record.text,
            "changed": evidence::paths(&record.changed),
            "test_tail": if class.is_success() { String::new() } else { evidence::tail(&record.test_tail) },
            "look": if class.is_success() { Vec::new() } else { self.look(record) },
        });
        if !record.changed_tests.is_empty() {
            detail[layout::CHANGED_TESTS] = json!(record.changed_tests);
        }
        let path = layout::of_attempt(&self.current.goal, self.current.number, name);
        let draft = draft.create_json(&path, record).event(Kind::AttemptJudged, detail);
        self.first_acts(record).into_iter().fold(draft, Draft::starts)
    }

    /// Commands that show what was done, and bring back what was taken away with it.
    fn look(&self, record: &VerdictRecord) -> Vec<String> {
        let name = attempt_ref(&self.current.goal, self.current.number);
        let mut commands = evidence::look(self.base.commit(), &name).to_vec();
        if let Reason::OutsideScope { path, .. } = &record.verdict.reason {
            commands.push(evidence::checkout(&name, path.as_str()));
        }
        commands
    }

    /// What settling begins with. Its notes ride in the commit of the verdict.
    fn first_acts(&self, record: &VerdictRecord) -> Option<StepKey> {
        let commits = self.record.commits() == Commits::Auto;
        let first = match record.verdict.class.is_success() && commits {
            false => "save",
            true if record.uncommitted => "hooks",
            true => return None,
        };
        Some(self.key(&[first]))
    }
}
