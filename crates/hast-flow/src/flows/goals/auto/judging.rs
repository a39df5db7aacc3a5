//! The judge's steps of an attempt: the room is inspected, its tests run, and the verdict is written down. Once
//! more where the user's commit hooks have changed the content.

use serde_json::json;

use crate::attempt::base::attempt_ref;
use crate::attempt::dependencies::is_list;
use crate::attempt::evidence::{CallEnd, Change, TestEnd, TestRun};
use crate::attempt::inspection::Inspection;
use crate::attempt::judge::{Judged, Verdict, WantedHandoff, judge_counted};
use crate::attempt::reason::{Class, Reason};
use crate::attempt::settle::Commits;
use crate::attempt::test_files::is_test_file;
use crate::attempt::workspace::{GitResult, GitStep};
use crate::attempt_steps::unexpected;
use crate::docs::document::Version;
use crate::docs::goals::{GoalsEventKind as Kind, HandoffName};
use crate::flows::goals::auto::asking::{git, if_possible};
use crate::flows::goals::auto::record::{LISTED, VerdictRecord};
use crate::flows::goals::auto::working::Work;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{evidence, layout, words};
use crate::steps::{Check, Effect, EffectResult, Step, StepKey};
use crate::time::OffsetTime;

/// How often the judge has come to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    First,
    /// The user's commit hooks have changed what passed.
    Hooked,
}

impl Work<'_> {
    /// The judge's steps after the agent, to the verdict.
    pub(super) fn inspect(&self, end: &CallEnd, attempt_end: OffsetTime, round: Round) -> Step {
        let inspect_key = self.key_in(round, "inspect");
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
        let judged = |run| judge_counted(&evidence, &rules, &agreed, run);
        let unset = match judged(None) {
            Judged::NeedsTests => match self.install_again(round, inspection) {
                Ok(unset) => unset,
                Err(step) => return step,
            },
            Judged::Verdict(_) => None,
        };
        let first = unset.as_ref().or_else(|| self.tests_named(round, "tests"));
        let (verdict, run) = match judged(first) {
            Judged::NeedsTests => return self.run_tests(round, "tests", inspection),
            Judged::Verdict(verdict) => match (first, self.tests_named(round, "tests-again")) {
                (Some(_), None) if verdict.reason.may_be_chance() => {
                    return self.run_tests(round, "tests-again", inspection);
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
        let lines = match self.changed_tests(round, inspection, &verdict) {
            Ok(lines) => lines,
            Err(step) => return step,
        };
        let mut text = verdict.reason.text_after(end, verdict.class, self.facts.lang);
        let green = run.filter(|_| verdict.class == Class::Complete);
        if let Some(note) = green.and_then(|run| agreed.note(run, self.facts.lang)) {
            text = words::with_note(self.facts.lang, text, note);
        }
        if let (Reason::TestsRed { .. }, false) =
            (&verdict.reason, inspection.taken_back.is_empty())
        {
            let places = evidence::places(&inspection.taken_back);
            text = words::taken_back(self.facts.lang, text, places);
        }
        if round == Round::Hooked {
            text = words::with_note(self.facts.lang, text, words::hooked(self.facts.lang));
        }
        self.verdict(round, inspection, verdict, text, (run, lines))
    }

    /// Where the attempt changed a list of dependencies, the setup installs them anew: those of the agent are gone.
    /// A setup that fails is a run of the tests that came to nothing.
    fn install_again(
        &self,
        round: Round,
        inspection: &Inspection,
    ) -> Result<Option<TestRun>, Step> {
        let Some(command) = &self.record.setup else { return Ok(None) };
        if dependency_lists(inspection).is_empty() {
            return Ok(None);
        }
        let check = Check {
            command: command.clone(),
            tree: inspection.tree.clone(),
            limit_seconds: self.record.timeout_minutes.seconds(),
        };
        let key = self.key_in(round, "setup-again");
        match self.view.results.get(&key) {
            None => Err(Step::Effect { key, effect: Effect::Check(check) }),
            Some(EffectResult::Check(run)) if run.end == TestEnd::Green => Ok(None),
            Some(EffectResult::Check(run)) => {
                let why = run.tail.lines().last().unwrap_or_default().to_owned();
                let why = words::setup_failed(self.facts.lang, why);
                Ok(Some(TestRun { end: TestEnd::CouldNotRun { why }, ..run.clone() }))
            }
            Some(_) => Err(unexpected(&key, self.facts.lang)),
        }
    }

    /// The key of a judge's step, new after each interruption.
    fn key_in(&self, round: Round, part: &str) -> StepKey {
        match round {
            Round::First => self.key_now(part),
            Round::Hooked => self.key_now(&format!("hooked-{part}")),
        }
    }

    /// Whether the work that is judged again had a good handoff where no ref holds it.
    fn handoff_was_there(&self) -> bool {
        let found = self.view.kept.get(&self.current.goal).and_then(|handed| handed.found.as_ref());
        self.record.judged_again && matches!(found, Some(Reason::TestsRemoved { .. }))
    }

    fn tests_named(&self, round: Round, part: &str) -> Option<&TestRun> {
        match self.view.results.get(&self.key_in(round, part)) {
            Some(EffectResult::Check(run)) => Some(run),
            _ => None,
        }
    }

    fn run_tests(&self, round: Round, part: &str, inspection: &Inspection) -> Step {
        let effect = Effect::Check(Check {
            command: self.record.test_command.clone(),
            tree: inspection.tree.clone(),
            limit_seconds: self.record.timeout_minutes.seconds(),
        });
        Step::Effect { key: self.key_in(round, part), effect }
    }

    /// Test files that the attempt changed, with their lines, where a person is told of it.
    fn changed_tests(
        &self,
        round: Round,
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
        Ok(match if_possible(self.view, self.key_in(round, "changed-tests"), compare)? {
            Some(GitResult::Compared(lines)) => evidence::tests(lines),
            _ => Vec::new(),
        })
    }

    fn verdict(
        &self,
        round: Round,
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
            dependency_lists: dependency_lists(inspection),
            ignored_handoffs: inspection
                .handoffs
                .iter()
                .filter(|file| file.ignored)
                .map(|file| file.name.clone())
                .collect(),
            squashed: inspection.squashed.clone().filter(|_| verdict.class.is_success()),
            verdict,
        };
        let mut draft = Draft::new(self.view, self.facts, "judged");
        if round == Round::Hooked {
            return self.judged(draft, layout::HOOKED, &record).step();
        }
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
        if let Some(why) = &record.squashed {
            detail[layout::SQUASHED] = json!(why.what(self.facts.lang));
        }
        let path = layout::of_attempt(&self.current.goal, self.current.number, name);
        let draft = draft.create_json(&path, record).event(Kind::AttemptJudged, detail);
        self.first_acts(name, record).into_iter().fold(draft, Draft::starts)
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
    fn first_acts(&self, name: &str, record: &VerdictRecord) -> Option<StepKey> {
        let commits = self.record.commits() == Commits::Auto;
        let first = match record.verdict.class.is_success() && commits {
            false => "save",
            true if record.uncommitted && name == layout::HOOKED => "hooks-again",
            true if record.uncommitted => "hooks",
            true => return None,
        };
        Some(self.key(&[first]))
    }
}

/// Lists of dependencies that the attempt changed.
fn dependency_lists(inspection: &Inspection) -> Vec<String> {
    let changed = inspection.changes.iter().map(|change| change.path.to_string());
    changed.filter(|path| is_list(path)).take(LISTED).collect()
}
