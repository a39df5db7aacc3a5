//! The verification: hast runs the suite itself, the qa-engineer recommends, and GATE-2 goes by what the
//! suite said.

use serde_json::json;

use crate::attempt::base::ObjectId;
use crate::attempt::workspace::{GitResult, GitStep};
use crate::attempt_steps::{blocked, unexpected};
use crate::docs::contract::{
    Author, ContractEventKind as Kind, DesignContract, Execution, Recommendation,
    RecommendedAction, TestContract, TestResult, WorkStatus,
};
use crate::docs::document::Version;
use crate::flows::contract::attempts::{self, inspect, key, tree_path};
use crate::flows::contract::checklist::ticked;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::endings::give_up;
use crate::flows::contract::gates::{tested as of_run, to_build, to_create, verified};
use crate::flows::contract::policy::{ORCHESTRATOR, QA};
use crate::flows::contract::request::{Back, Cause, Gate, Judged, Subtask, Task, TestKind, Tested};
use crate::flows::contract::settling::{Fall, fall};
use crate::flows::contract::write::yaml;
use crate::flows::contract::{layout, prompts, readings, rooms, words};
use crate::replies::Asked;
use crate::steps::{Answer, Call, Check, Effect, EffectResult, Expected, Step, StepKey};

pub(super) fn step(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
    judged: Option<&Judged>,
    tested: Option<&Tested>,
) -> Step {
    let contract = scene.view.contract(&scene.subtask_path(&subtask.id, layout::TESTS));
    let Some(contract) = contract else {
        let lang = scene.facts.lang;
        let what = words::lost_documents(lang, layout::TESTS);
        return blocked(what, words::lost_documents_next(lang));
    };
    let work = Work { scene, task, subtask, judged, contract };
    match tested {
        None => work.test().unwrap_or_else(|step| step),
        Some(tested) => work.recommend(tested),
    }
}

struct Work<'w> {
    scene: &'w Scene<'w>,
    task: &'w Task,
    subtask: &'w Subtask,
    judged: Option<&'w Judged>,
    contract: TestContract,
}

impl Work<'_> {
    fn kind(&self) -> Option<TestKind> {
        self.subtask.tests.as_ref().map(|tests| tests.kind)
    }

    /// A key of this verification; a stop begins it anew.
    fn key(&self, part: &str) -> StepKey {
        let attempt = self.judged.map_or(self.subtask.last_attempt, |judged| judged.attempt);
        let (round, lives) = (self.subtask.round, self.scene.request.lives);
        key(self.scene, &self.subtask.id, attempt, &format!("{part}.{round}.{lives}"))
    }

    /// Runs the suite on exactly what was judged.
    fn test(&self) -> Result<Step, Step> {
        let scene = self.scene;
        let tree = match self.judged {
            Some(judged) => {
                let base = attempts::base(scene, &self.subtask.id, judged.attempt)?;
                let now = inspect(scene, base, &self.key("inspect"))?;
                if now.tree != judged.tree || !now.breaches.is_empty() {
                    let reasons = vec![words::tree_moved(scene.facts.lang)];
                    return Ok(self.fails(reasons, Back::Implementation, ""));
                }
                judged.tree.clone()
            }
            None => self.tree()?,
        };
        let now = scene.facts.now;
        let (missing, unbuilt) = (self.never_created(&tree)?, self.never_built());
        let mut tested = if self.kind() == Some(TestKind::Checklist) {
            let path = tree_path(scene, &self.contract.test_file_path);
            let files = scene.git().files(&self.key("checklist"), &tree, || vec![path])?;
            let file = files.first().and_then(|file| file.bytes.as_deref());
            ticked(file.unwrap_or_default(), &self.contract, now)
        } else {
            let settings = &scene.flow.settings;
            let key = self.key("suite");
            match scene.view.results.get(&key) {
                Some(EffectResult::Check(run)) => {
                    of_run(run, &settings.test_command, now, &self.contract)
                }
                Some(_) => return Err(unexpected(&key, scene.facts.lang)),
                None => {
                    let command = settings.test_command.clone();
                    let limit_seconds = settings.timeout_minutes.seconds();
                    let check = Check { command, tree, limit_seconds };
                    return Err(Step::Effect { key, effect: Effect::Check(check) });
                }
            }
        };
        (tested.missing, tested.unbuilt) = (missing, unbuilt);
        let detail = json!({ "subtask_id": self.subtask.id, "tested": tested });
        let draft = scene.draft("the suite").finishes_all();
        Ok(draft.event(ORCHESTRATOR, Kind::Tested, detail).step())
    }

    /// The design, where this is the last subtask of its task. An analysis, or tests of what is there, must not
    /// end a task that nobody has built.
    fn last_of(&self) -> Option<DesignContract> {
        let mut others = self.task.subtasks.iter().filter(|one| one.id != self.subtask.id);
        let last = others.all(|one| one.status == WorkStatus::Completed);
        let path = self.scene.task_path(self.task, layout::DESIGN);
        if last { self.scene.view.contract(&path) } else { None }
    }

    /// The files that are to be built, where no implementation of the whole task has written one.
    fn never_built(&self) -> Vec<String> {
        let wanted = self.last_of().map(|design| to_build(&design)).unwrap_or_default();
        if wanted.is_empty() || self.task.has_built(&wanted) { Vec::new() } else { wanted }
    }

    /// Files that the design wants and the tree does not have.
    fn never_created(&self, tree: &ObjectId) -> Result<Vec<String>, Step> {
        let scene = self.scene;
        let Some(design) = self.last_of().filter(|_| self.judged.is_none()) else {
            return Ok(Vec::new());
        };
        let paths: Vec<&str> = to_create(&design).collect();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = || paths.iter().map(|path| tree_path(scene, path)).collect();
        let files = scene.git().files(&self.key("created"), tree, wanted)?;
        let missing = files.iter().filter(|file| file.bytes.is_none());
        Ok(missing.map(|file| file.path.clone()).collect())
    }

    /// The tree of the tests' commit, where nothing was implemented.
    fn tree(&self) -> Result<ObjectId, Step> {
        let tests = self.subtask.tests.as_ref().and_then(|tests| tests.commit.as_ref());
        if let Some(commit) = tests {
            rooms::open(self.scene, commit, |part| self.key(part))?;
        }
        let key = self.key("look");
        let look = || GitStep::Look { rules: self.scene.flow.settings.rules.clone() };
        match self.scene.git().git(key.clone(), look)? {
            GitResult::Looked(looked) => {
                looked.tree.clone().ok_or_else(|| unexpected(&key, self.scene.facts.lang))
            }
            _ => Err(unexpected(&key, self.scene.facts.lang)),
        }
    }

    /// The qa-engineer says what to do; whether the gate is passed is not its word.
    fn recommend(&self, tested: &Tested) -> Step {
        let scene = self.scene;
        let prompt = prompts::verify(scene, self.task, self.subtask, tested);
        let call = || Call {
            expected: vec![
                Expected::required(layout::RECOMMENDATION).of("contract-recommendation"),
            ],
            ..attempts::reading(scene, self.subtask, QA, "verify", prompt)
        };
        let read = |answer: &Answer| readings::recommendation(answer, scene.facts.lang);
        match scene.ask(self.key("verify"), call, read) {
            Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
            Asked::Unanswered { why, .. } => {
                let draft = scene.draft("verify").finishes_all();
                give_up(draft, Cause::of(&why), &why.reason(), Some(&self.subtask.id))
            }
            Asked::Answered { value, .. } => self.gate(tested, value),
        }
    }

    fn gate(&self, tested: &Tested, recommendation: Recommendation) -> Step {
        let scene = self.scene;
        let action = recommendation.action;
        let result = TestResult {
            version: Version,
            request_id: scene.request.id.clone(),
            task_id: self.task.id.clone(),
            subtask_id: self.subtask.id.clone(),
            created_at: scene.facts.now,
            created_by: Author::QaEngineer,
            execution: Execution {
                command: tested.command.clone(),
                timestamp: tested.at,
                result: tested.result,
            },
            summary: tested.summary,
            failed_tests: tested.failed_tests.clone(),
            recommendation,
        };
        let path = scene.subtask_path(&self.subtask.id, layout::RESULT);
        let draft = scene.draft("GATE-2").by(QA).create(&path, yaml(&result)).finishes_all();
        let faults = verified(tested, &self.contract, scene.facts.lang);
        if faults.is_empty() {
            let mut detail = json!({ "subtask_id": self.subtask.id, "gate": Gate::Verification });
            if let Some(judged) = self.judged {
                detail["judged"] = json!(judged);
            }
            return draft.event(QA, Kind::GatePassed, detail).step();
        }
        let to = match (action, self.kind()) {
            (RecommendedAction::Redesign, _) => Back::Design,
            (_, Some(TestKind::Checklist)) => Back::TestFirst,
            // What is not there yet wants tests that fail for want of it.
            (_, Some(TestKind::Green)) if !tested.is_built() => Back::TestFirst,
            (RecommendedAction::Complete | RecommendedAction::FixImplementation, _) => {
                Back::Implementation
            }
        };
        fall(draft, self.subtask, &self.fallen(faults, to, &tested.tail)).step()
    }

    fn fails(&self, reasons: Vec<String>, to: Back, tail: &str) -> Step {
        let draft = self.scene.draft("GATE-2").finishes_all();
        fall(draft, self.subtask, &self.fallen(reasons, to, tail)).step()
    }

    fn fallen<'t>(&self, reasons: Vec<String>, to: Back, tail: &'t str) -> Fall<'t> {
        let rolls_back = match to {
            Back::Implementation => self.judged.map(|judged| judged.attempt),
            Back::TestFirst | Back::Design => {
                self.subtask.tests.as_ref().map(|tests| tests.attempt)
            }
        };
        Fall { gate: Gate::Verification, to, reasons, rolls_back, stops: None, tail }
    }
}
