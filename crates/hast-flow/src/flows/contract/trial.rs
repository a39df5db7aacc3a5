//! Tests that are green at once are tried: in a room of their own, where the body of one target after the
//! other raises, they must turn red. The room of the request is not touched.

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::{TestEnd, TestRun};
use crate::attempt::inspection::Inspection;
use crate::attempt::workspace::{CommitPlan, Content, GitResult, GitStep, Identity};
use crate::attempt::worktrees::{Spent, WorktreeStep};
use crate::attempt_steps::unexpected;
use crate::flows::contract::attempts::key;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::redness::Redness;
use crate::flows::contract::request::Subtask;
use crate::flows::contract::targets::Standing;
use crate::flows::contract::{rooms, words};
use crate::steps::{Check, Effect, EffectResult, Step, StepKey};

/// The tests of one attempt, and where they stand.
pub(super) struct Trial<'t> {
    pub(super) scene: &'t Scene<'t>,
    pub(super) subtask: &'t Subtask,
    pub(super) attempt: u32,
    pub(super) inspection: &'t Inspection,
}

impl Trial<'_> {
    /// Why the tests prove nothing about some of the targets; none if all is well.
    pub(super) fn faults(
        &self,
        targets: &[Standing],
        redness: impl Fn(&TestRun) -> Redness,
    ) -> Result<Vec<String>, Step> {
        let lang = self.scene.facts.lang;
        let tests = self.tests()?;
        let (mut faults, mut last) = (Vec::new(), tests.clone());
        for (number, one) in targets.iter().enumerate() {
            last = self.without(number, one, &tests)?;
            let run = self.run(number, &last)?;
            match color(run) {
                Some(false) => faults.push(words::green_without(lang, &one.target)),
                Some(true) if redness(run) == Redness::Case => {}
                Some(true) | None => faults.push(words::green_no_case(lang, &one.target)),
            }
        }
        self.close(last)?;
        Ok(faults)
    }

    fn key(&self, part: &str) -> StepKey {
        key(self.scene, &self.subtask.id, self.attempt, &format!("trial-{part}"))
    }

    /// The tests as a commit that no branch has.
    fn tests(&self) -> Result<ObjectId, Step> {
        let tree = Content::Tree(self.inspection.commit_tree.clone());
        self.build("tests", tree, &self.inspection.head)
    }

    /// The same with the body of one target replaced.
    fn without(
        &self,
        number: usize,
        target: &Standing,
        tests: &ObjectId,
    ) -> Result<ObjectId, Step> {
        let mut at = tests.clone();
        for (file, one) in target.raising.iter().enumerate() {
            let content = Content::Text { path: one.path.clone(), text: one.text.clone() };
            at = self.build(&format!("{number}-{file}"), content, &at)?;
        }
        Ok(at)
    }

    fn build(&self, part: &str, content: Content, parent: &ObjectId) -> Result<ObjectId, Step> {
        let key = self.key(part);
        let plan = || CommitPlan {
            content,
            parent: parent.clone(),
            message: format!("{} on trial", self.subtask.id),
            at: self.scene.facts.now,
            identity: Identity::Named {
                name: "hast".to_owned(),
                email: "hast@localhost".to_owned(),
            },
        };
        match self.scene.git().git(key.clone(), || GitStep::Build { plan: plan() })? {
            GitResult::Built { commit } => Ok(commit.clone()),
            _ => Err(unexpected(&key, self.scene.facts.lang)),
        }
    }

    fn run(&self, number: usize, at: &ObjectId) -> Result<&TestRun, Step> {
        let (scene, unit) = (self.scene, rooms::trial(self.scene));
        rooms::open_for(scene, &unit, at, |part| self.key(&format!("{number}-{part}")))?;
        let key = self.key(&format!("{number}-suite"));
        match scene.view.results.get(&key) {
            Some(EffectResult::Check(run)) => Ok(run),
            Some(_) => Err(unexpected(&key, scene.facts.lang)),
            None => {
                let settings = &scene.flow.settings;
                let check = Check {
                    command: settings.test_command.clone(),
                    tree: at.clone(),
                    limit_seconds: settings.timeout_minutes.seconds(),
                };
                Err(rooms::check_in(&unit, key, check))
            }
        }
    }

    /// The room goes; one that cannot go is found by `hast auto --gc`.
    fn close(&self, last: ObjectId) -> Result<(), Step> {
        let key = self.key("close");
        if self.scene.view.results.contains_key(&key) {
            return Ok(());
        }
        let (tree, spent) = (rooms::trial(self.scene), Spent::Merged { into: last });
        let step = WorktreeStep::Remove { tree, spent };
        Err(Step::Effect { key, effect: Effect::Worktree(Box::new(step)) })
    }
}

/// Whether a run is red; nothing where it did not come to an end.
fn color(run: &TestRun) -> Option<bool> {
    match &run.end {
        TestEnd::Red { .. } => Some(true),
        TestEnd::Green => Some(run.counted.summary.is_some_and(|told| told.failed > 0)),
        TestEnd::CouldNotRun { .. } | TestEnd::NoProgram { .. } => None,
    }
}
