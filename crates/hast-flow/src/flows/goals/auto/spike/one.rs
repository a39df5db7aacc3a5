//! One alternative: its tree, its base, its agent or command, the judge, the measure. A try that was cut
//! off is none: what it left is kept by whoever makes its tree anew, and it begins again.

use serde_json::json;

use crate::attempt::base::{Base, ref_part};
use crate::attempt::dependencies::is_list;
use crate::attempt::evidence::{CallEnd, TestEnd, TestRun};
use crate::attempt::inspection::Inspection;
use crate::attempt::judge::{
    Judged, Rules, Scope, Verdict, WantedHandoff, WantedTests, judge_counted,
};
use crate::attempt::workspace::{CommitPlan, GitResult, GitStep, SavePlan};
use crate::attempt::worktrees::{TreePlan, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, call_end, problem, unexpected};
use crate::docs::goals::{Alternative, GoalsEventKind as Kind};
use crate::driver::Facts;
use crate::flows::goals::auto::policy::WORKER;
use crate::flows::goals::auto::spike::decide::worktree;
use crate::flows::goals::auto::spike::view::{Spike, SpikeView};
use crate::flows::goals::auto::spike::{SpikeFlow, words};
use crate::flows::goals::auto::tested::BaseRun;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{layout, words as auto_words};
use crate::flows::goals::decision::Measured;
use crate::flows::goals::layout as project;
use crate::steps::{Call, Check, Effect, EffectResult, Place, Step, StepKey};
use crate::store::DocPath;
use crate::time::OffsetTime;

/// Everything that a step of a try needs.
struct Try<'t> {
    flow: &'t SpikeFlow,
    view: &'t SpikeView,
    facts: &'t Facts<'t>,
    spike: u32,
    alternative: &'t Alternative,
    number: u32,
}

pub(super) fn step(
    flow: &SpikeFlow,
    view: &SpikeView,
    facts: &Facts<'_>,
    (number, spike): (u32, &Spike),
    alternative: &Alternative,
) -> Step {
    let begun = spike.begun.get(&alternative.id).copied();
    let of = |tries: u32| Try { flow, view, facts, spike: number, alternative, number: tries };
    let step = match begun {
        Some((tries, at)) if !facts.left_open(&of(tries).key("call")) => {
            let path = flow.base_path(number, &alternative.id, tries);
            match view.base(&path) {
                Some(base) => of(tries).go_on((base, spike), at.instant().as_second()),
                None => Err(blocked(
                    auto_words::lost_records(facts.lang, &alternative.id),
                    auto_words::lost_records_next(facts.lang),
                )),
            }
        }
        _ => {
            let tries = begun.map_or(1, |(tries, _)| tries + 1);
            of(tries).begin(spike)
        }
    };
    step.unwrap_or_else(|step| step)
}

impl Try<'_> {
    fn key(&self, part: &str) -> StepKey {
        self.flow.of(self.spike, self.alternative, self.number, part)
    }

    /// The path of its tree.
    fn place(&self) -> Result<DocPath, Step> {
        let tree = self.flow.tree(&self.alternative.id);
        layout::path(&format!("{}{tree}", layout::WORKTREES))
            .ok_or_else(|| unexpected(&self.key("place"), self.facts.lang))
    }

    /// An effect of git or a check in its tree, or what came of it.
    fn within(&self, part: &str, effect: impl FnOnce() -> Effect) -> Result<&EffectResult, Step> {
        let (key, tree) = (self.key(part), self.place()?);
        match self.view.result(&key) {
            Some(EffectResult::Git(GitResult::Refused(refused))) => {
                Err(problem(refused, self.facts.lang))
            }
            Some(result) => Ok(result),
            None => {
                let effect = Effect::Within { tree, effect: Box::new(effect()) };
                Err(Step::Effect { key, effect })
            }
        }
    }

    fn check(&self, part: &str, command: &str, base: &Base) -> Result<&EffectResult, Step> {
        let limit_seconds = self.flow.timeout_minutes.seconds();
        let (command, tree) = (command.to_owned(), base.tree().clone());
        self.within(part, || Effect::Check(Check { command, tree, limit_seconds }))
    }

    /// A new tree at the base, set up and recorded.
    fn begin(&self, spike: &Spike) -> Result<Step, Step> {
        let (flow, facts) = (self.flow, self.facts);
        let add = || {
            WorktreeStep::Add(TreePlan {
                tree: flow.tree(&self.alternative.id),
                at: spike.base.clone(),
                copy: flow.copy.clone(),
                rules: flow.settings.tree_rules(),
                now: facts.now,
            })
        };
        worktree(self.view, facts, &self.key("add"), add)?;
        if let Some(command) = &flow.setup {
            let limit_seconds = flow.timeout_minutes.seconds();
            let (command, tree) = (command.clone(), spike.base.clone());
            let setup = || Effect::Check(Check { command, tree, limit_seconds });
            match self.within("setup", setup)? {
                EffectResult::Check(run) if run.end == TestEnd::Green => {}
                EffectResult::Check(run) => {
                    let why = run.tail.lines().last().unwrap_or_default().to_owned();
                    let next = words::none_passed_next(facts.lang);
                    return Err(blocked(auto_words::setup_failed(facts.lang, why), next));
                }
                _ => return Err(unexpected(&self.key("setup"), facts.lang)),
            }
        }
        let base_run = self.base_run(spike)?;
        let rules = flow.settings.tree_rules();
        let unit = format!("spike {} {} {}", flow.ticket.id, self.spike, self.alternative.id);
        let key = format!("{}/{}", ref_part(&unit), self.number);
        let record = || Effect::Git(Box::new(GitStep::Record { key, rules, at: facts.now }));
        let base = match self.within("record", record)? {
            EffectResult::Git(GitResult::Recorded(base)) => base.to_document(),
            _ => return Err(unexpected(&self.key("record"), facts.lang)),
        };
        let detail = json!({
            "decision_id": flow.ticket.id,
            "spike": self.spike,
            "alternative": self.alternative.id,
            "try": self.number,
            "end": base_run.end,
            layout::TALLY: base_run.tally,
        });
        let before = Try { number: self.number.saturating_sub(1), ..*self }.key("call");
        let seen = self.view.seen(&flow.prefix(self.spike, self.alternative));
        let draft = Draft::new(&seen, facts, &format!("{} is tried", self.alternative.id))
            .create(&flow.base_path(self.spike, &self.alternative.id, self.number), base)
            .event(Kind::SpikeBegun, detail)
            .closes(before)
            .starts(self.key("call"));
        Ok(draft.step())
    }

    /// The tests on the base, once for all alternatives.
    fn base_run(&self, spike: &Spike) -> Result<BaseRun, Step> {
        if let Some(known) = &spike.base_run {
            return Ok(known.clone());
        }
        let check = Check {
            command: self.flow.settings.test_command.clone(),
            tree: spike.base.clone(),
            limit_seconds: self.flow.timeout_minutes.seconds(),
        };
        match self.within("base-tests", || Effect::Check(check))? {
            EffectResult::Check(run) => Ok(BaseRun {
                end: run.end.clone(),
                tail: String::new(),
                tally: run.counted.tally.clone(),
            }),
            _ => Err(unexpected(&self.key("base-tests"), self.facts.lang)),
        }
    }

    /// Done, looked at, judged, kept and measured.
    fn go_on(&self, (base, spike): (&Base, &Spike), since: i64) -> Result<Step, Step> {
        let end = self.end(base)?;
        let inspect = || Effect::Git(Box::new(GitStep::Inspect { base: base.clone() }));
        let EffectResult::Git(GitResult::Inspected(inspection)) =
            self.within("inspect", inspect)?
        else {
            return Err(unexpected(&self.key("inspect"), self.facts.lang));
        };
        let (verdict, note) = self.verdict((base, spike), inspection, end)?;
        let (verdict, message) = self.hooked(base, inspection, verdict)?;
        let save = || Effect::Git(Box::new(GitStep::Save(self.save_plan(base))));
        let EffectResult::Git(GitResult::Saved(saved)) = self.within("save", save)? else {
            return Err(unexpected(&self.key("save"), self.facts.lang));
        };
        let measure = || WorktreeStep::Measure {
            from: base.tree().clone(),
            to: inspection.tree.clone(),
            leave_out: vec![format!("{}/", project::HANDOFFS)],
        };
        let key = self.key("measure");
        let WorktreeResult::Measured { lines, files } =
            worktree(self.view, self.facts, &key, measure)?
        else {
            return Err(unexpected(&key, self.facts.lang));
        };
        let saved = saved.work();
        let measured = Measured {
            id: self.alternative.id.clone(),
            passed: verdict.class.is_success(),
            class: verdict.class.to_string(),
            code: verdict.reason.code().to_owned(),
            reason: match note.filter(|_| verdict.class.is_success()) {
                Some(note) => {
                    let text = verdict.reason.text(self.facts.lang);
                    auto_words::with_note(self.facts.lang, text, note)
                }
                None => verdict.reason.text(self.facts.lang),
            },
            diff_lines: *lines,
            changed_files: *files,
            duration_seconds: self.facts.now.instant().as_second() - since,
            kept: saved.name.clone(),
            saved: saved.commit.clone(),
            tree: inspection.commit_tree.clone(),
            message,
            moved_refs: inspection.others.iter().map(|moved| moved.name.clone()).collect(),
        };
        let detail = json!({
            "decision_id": self.flow.ticket.id,
            "spike": self.spike,
            "alternative": self.alternative.id,
            "measured": measured,
        });
        let seen = self.view.seen(&self.flow.prefix(self.spike, self.alternative));
        let draft = Draft::new(&seen, self.facts, &format!("{} was tried", self.alternative.id));
        Ok(draft.event(Kind::SpikeTried, detail).step())
    }

    /// How the agent or the command ended.
    fn end(&self, base: &Base) -> Result<CallEnd, Step> {
        let (flow, facts) = (self.flow, self.facts);
        if let Some(command) = self.alternative.command.as_ref().or(flow.command.as_ref()) {
            return match self.check("call", command, base)? {
                EffectResult::Check(run) => Ok(match &run.end {
                    TestEnd::Green | TestEnd::Red { .. } => CallEnd::Ended,
                    TestEnd::CouldNotRun { why } | TestEnd::NoProgram { why, .. } => {
                        CallEnd::SaidFailed { error: why.clone() }
                    }
                }),
                _ => Err(unexpected(&self.key("call"), facts.lang)),
            };
        }
        let key = self.key("call");
        match self.view.result(&key) {
            Some(EffectResult::Call(result)) => Ok(call_end(result)),
            Some(_) => Err(unexpected(&key, facts.lang)),
            None => {
                let test = &flow.settings.test_command;
                let prompt = words::prompt(&flow.ticket, self.alternative, test, facts.lang);
                let call = Call {
                    attempt: self.number,
                    place: Place::Worktree(self.place()?),
                    tool: self.alternative.tool.clone(),
                    timeout: Some(flow.timeout_minutes.duration()),
                    ..Call::new(WORKER, "spike", &self.alternative.id, prompt)
                };
                Err(Step::Effect { key, effect: Effect::Call(Box::new(call)) })
            }
        }
    }

    /// The verdict, and what is to be said about the numbers of its tests.
    fn verdict(
        &self,
        (base, spike): (&Base, &Spike),
        inspection: &Inspection,
        end: CallEnd,
    ) -> Result<(Verdict, Option<String>), Step> {
        let (flow, lang) = (self.flow, self.facts.lang);
        let agreed = flow.agreed_tests(spike, self.alternative);
        let rules = Rules {
            goal_id: flow.ticket.id.clone(),
            scope: Scope::new(&flow.ticket.allowed_changes, project::HANDOFFS),
            wanted: WantedTests::Green,
            handoff: WantedHandoff::NotAsked,
            base_tests: agreed.base_end.clone(),
            attempt_end: OffsetTime::new(self.facts.now.instant(), flow.settings.offset),
            interruptions_before: 0,
        };
        let evidence = inspection.evidence(end, lang);
        let judged = |run| judge_counted(&evidence, &rules, &agreed, run);
        if let Judged::Verdict(verdict) = judged(None) {
            return Ok((verdict, None));
        }
        let lists = inspection.changes.iter().any(|change| is_list(change.path.as_str()));
        if let Some(command) = flow.setup.as_ref().filter(|_| lists) {
            self.check("setup-again", command, base)?;
        }
        let first = self.tests("tests", base)?;
        let run = match judged(Some(first)) {
            Judged::Verdict(verdict) if verdict.reason.may_be_chance() => {
                first.larger(self.tests("tests-again", base)?)
            }
            _ => first,
        };
        match judged(Some(run)) {
            Judged::Verdict(verdict) => Ok((verdict, agreed.note(run, lang))),
            Judged::NeedsTests => Err(unexpected(&self.key("tests"), lang)),
        }
    }

    fn tests(&self, part: &str, base: &Base) -> Result<&TestRun, Step> {
        match self.check(part, &self.flow.settings.test_command, base)? {
            EffectResult::Check(run) => Ok(run),
            _ => Err(unexpected(&self.key(part), self.facts.lang)),
        }
    }

    /// What passed has to pass the user's commit hooks too, where it was made.
    fn hooked(
        &self,
        base: &Base,
        inspection: &Inspection,
        verdict: Verdict,
    ) -> Result<(Verdict, String), Step> {
        if !verdict.class.is_success() {
            return Ok((verdict, String::new()));
        }
        let tree = &inspection.commit_tree;
        let plan = self.flow.commit_plan(base.commit(), tree, self.facts.now);
        let plan = CommitPlan { message: self.flow.message(self.alternative), ..plan };
        let planned = plan.message.clone();
        let hooks = || Effect::Git(Box::new(GitStep::RunHooks { plan, base: base.clone() }));
        let EffectResult::Git(GitResult::Hooks(hooked)) = self.within("hooks", hooks)? else {
            return Err(unexpected(&self.key("hooks"), self.facts.lang));
        };
        Ok(match hooked.message(&planned, self.facts.lang) {
            Ok(message) => (verdict, message),
            Err(why) => (Verdict::commit_refused(why), String::new()),
        })
    }

    fn save_plan(&self, base: &Base) -> SavePlan {
        let (flow, id) = (self.flow, &self.alternative.id);
        SavePlan {
            name: flow.kept(self.spike, id),
            rules: base.rules().clone(),
            base: Some(base.clone()),
            message: format!("{id}: {} of {}", self.alternative.title, flow.ticket.id),
            at: self.facts.now,
            max_file_bytes: flow.settings.max_saved_file_bytes,
            max_total_bytes: flow.settings.max_saved_bytes,
        }
    }
}
