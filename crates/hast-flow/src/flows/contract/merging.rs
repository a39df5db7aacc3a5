//! A subtask that passed its gates goes onto the user's branch: as it was judged where the branch is where
//! the subtask began, else on top of what came onto it, with the tests run once more.

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::{RepoPath, TestEnd, TestRun};
use crate::attempt::git_problem::GitProblem;
use crate::attempt::reason::Reason;
use crate::attempt::worktrees::{MergePlan, Target, Waits, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::flows::contract::attempts::{self, key};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::request::{Subtask, Tests};
use crate::flows::contract::{layout, rooms, words};
use crate::steps::{Check, Effect, EffectResult, Step, StepKey};

/// How often a branch that moves is followed.
const MOST_MOVES: u32 = 3;

/// The end of a merge.
pub(super) enum Merged {
    At(ObjectId),
    /// The work does not fit what came onto the branch: it is done again on top of that.
    Not {
        reasons: Vec<String>,
        tail: String,
    },
    /// Something of the user's is in the way.
    Waits(String),
}

pub(super) fn merge(
    scene: &Scene<'_>,
    subtask: &Subtask,
    tests: &Tests,
    head: &ObjectId,
) -> Result<Merged, Step> {
    let base = attempts::base(scene, &subtask.id, tests.attempt)?.commit();
    let lang = scene.facts.lang;
    let Some(onto) = &subtask.onto else {
        let what = words::lost_documents(lang, layout::LOG);
        return Err(blocked(what, words::lost_documents_next(lang)));
    };
    for moves in 0..MOST_MOVES {
        let work = Merging { scene, subtask, base, head, onto, moves };
        if let Some(merged) = work.step()? {
            return Ok(merged);
        }
    }
    Ok(Merged::Waits(Reason::TipMoves { times: MOST_MOVES }.text(lang)))
}

struct Merging<'m> {
    scene: &'m Scene<'m>,
    subtask: &'m Subtask,
    /// The commits of the subtask begin here and end there.
    base: &'m ObjectId,
    head: &'m ObjectId,
    onto: &'m Target,
    moves: u32,
}

impl Merging<'_> {
    fn key(&self, part: &str) -> StepKey {
        let (lives, moves) = (self.scene.request.lives, self.moves);
        let part = format!("merge-{part}.{lives}.{moves}");
        key(self.scene, &self.subtask.id, self.subtask.last_attempt, &part)
    }

    fn trees(
        &self,
        part: &str,
        step: impl FnOnce() -> WorktreeStep,
    ) -> Result<&WorktreeResult, Step> {
        self.scene.git().worktree(&self.key(part), step)
    }

    fn unexpected(&self, part: &str) -> Step {
        unexpected(&self.key(part), self.scene.facts.lang)
    }

    fn not(&self, reason: &Reason, tail: &str) -> Merged {
        let reasons = vec![reason.text(self.scene.facts.lang)];
        Merged::Not { reasons, tail: tail.to_owned() }
    }

    /// One try; nothing where the branch moved meanwhile.
    fn step(&self) -> Result<Option<Merged>, Step> {
        let lang = self.scene.facts.lang;
        let key = self.key("tip");
        if let Some(EffectResult::Worktree(WorktreeResult::Refused(
            gone @ GitProblem::BranchGone { .. },
        ))) = self.scene.view.results.get(&key)
        {
            let (reasons, tail) = (vec![gone.what(lang)], String::new());
            return Ok(Some(Merged::Not { reasons, tail }));
        }
        let (now, tip) = rooms::tip(&self.scene.git(), &key, Some(self.onto))?;
        if now != *self.onto {
            // The subtask began on no branch, and the user is on one by now.
            let why = words::branch_left(lang, self.onto.as_str(), short(now.as_str()));
            return Ok(Some(Merged::Waits(why)));
        }
        let to = if tip == *self.base { Ok(self.head.clone()) } else { self.on_top(&tip)? };
        match to {
            Err(merged) => Ok(Some(merged)),
            Ok(to) if to == tip => Ok(Some(Merged::At(to))),
            Ok(to) => self.advance(tip, to),
        }
    }

    fn advance(&self, from: ObjectId, to: ObjectId) -> Result<Option<Merged>, Step> {
        let key = self.key("merge");
        let lang = self.scene.facts.lang;
        match self.scene.view.results.get(&key) {
            None => {
                let (onto, rules) = (self.onto.clone(), self.scene.flow.settings.rules.clone());
                let merge = WorktreeStep::Merge(MergePlan { onto, from, to, rules });
                Err(Step::Effect { key, effect: Effect::Worktree(Box::new(merge)) })
            }
            Some(EffectResult::Worktree(WorktreeResult::Merged)) => Ok(Some(Merged::At(to))),
            Some(EffectResult::Worktree(WorktreeResult::Waits(waits))) => {
                let reason = match waits {
                    Waits::UsersFiles { paths } => {
                        let (path, more) = RepoPath::first_of(paths);
                        Reason::MergeTouches { path, more }
                    }
                    Waits::InProgress { what: why } | Waits::CheckedOut { at: why } => {
                        Reason::MergeWaits { why: why.clone() }
                    }
                };
                Ok(Some(Merged::Waits(reason.text(lang))))
            }
            Some(EffectResult::Worktree(WorktreeResult::Refused(GitProblem::Moved { .. }))) => {
                Ok(None)
            }
            Some(EffectResult::Worktree(WorktreeResult::Refused(refused))) => {
                Err(problem(refused, lang))
            }
            Some(_) => Err(self.unexpected("merge")),
        }
    }

    /// The commits on top of the branch's tip, tested there; or why not.
    fn on_top(&self, tip: &ObjectId) -> Result<Result<ObjectId, Merged>, Step> {
        let (onto, commit) = (Some(self.onto.clone()), self.head.clone());
        match self.trees("there", || WorktreeStep::Contains { onto, commit })? {
            WorktreeResult::Contains(true) => return Ok(Ok(tip.clone())),
            WorktreeResult::Contains(false) => {}
            _ => return Err(self.unexpected("there")),
        }
        let (base, head, onto) = (self.base.clone(), self.head.clone(), tip.clone());
        let (to, tree) = match self.trees("replay", || WorktreeStep::Replay { base, head, onto })? {
            WorktreeResult::Replayed { commit, tree } => (commit, tree),
            WorktreeResult::Conflict { paths } => {
                let (path, more) = RepoPath::first_of(paths);
                return Ok(Err(self.not(&Reason::MergeConflict { path, more }, "")));
            }
            _ => return Err(self.unexpected("replay")),
        };
        if to == tip {
            return Ok(Ok(to.clone()));
        }
        rooms::open(self.scene, to, |part| self.key(part))?;
        let run = self.suite(tree)?;
        let why = match &run.end {
            TestEnd::Green => return Ok(Ok(to.clone())),
            TestEnd::Red { code } => format!("exit code {code}"),
            TestEnd::CouldNotRun { why } | TestEnd::NoProgram { why, .. } => why.clone(),
        };
        Ok(Err(self.not(&Reason::RedAfterMerge { why }, &run.tail)))
    }

    fn suite(&self, tree: &ObjectId) -> Result<&TestRun, Step> {
        let key = self.key("suite");
        match self.scene.view.results.get(&key) {
            Some(EffectResult::Check(run)) => Ok(run),
            Some(_) => Err(self.unexpected("suite")),
            None => {
                let settings = &self.scene.flow.settings;
                let check = Check {
                    command: settings.test_command.clone(),
                    tree: tree.clone(),
                    limit_seconds: settings.timeout_minutes.seconds(),
                };
                Err(Step::Effect { key, effect: Effect::Check(check) })
            }
        }
    }
}

/// A branch as people type it.
fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}
