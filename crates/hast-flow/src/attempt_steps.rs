//! The steps of an attempt that every flow takes which changes code: asking git, saving and going back,
//! committing for the user. Pure: it looks at results and names the next step.

use std::collections::BTreeMap;

use crate::agents::outcome::FailureClass;
use crate::attempt::base::{Base, ObjectId, Saved};
use crate::attempt::evidence::CallEnd;
use crate::attempt::git_problem::GitProblem;
use crate::attempt::workspace::{CommitPlan, GitResult, GitStep, HookVerdict, SavePlan, TreeFile};
use crate::attempt::worktrees::{WorktreeResult, WorktreeStep};
use crate::messages;
use crate::steps::{Answer, CallResult, Effect, EffectResult, Ending, Notice, Step, StepKey};
use crate::words::Lang;

messages! {
    other_answer(step) { en: "the step {step} got an answer that does not fit it", ko: "단계 {step}에 맞지 않는 답이 왔습니다" }
    other_answer_next() { en: "this is a mistake in hast; please report it", ko: "hast의 오류입니다. 알려 주세요" }
}

/// Asks git for one thing after the other. Where something is still to be done first, the step that
/// does it comes back as the error.
#[derive(Clone, Copy, Debug)]
pub struct GitSteps<'r> {
    /// Results that no commit has used yet.
    pub results: &'r BTreeMap<StepKey, EffectResult>,
    pub lang: Lang,
}

/// The keys of a commit's steps.
#[derive(Clone, Debug)]
pub struct CommitKeys {
    pub hooks: StepKey,
    pub build: StepKey,
    /// Goes before the name of the commit that the branch moves to.
    pub advance: StepKey,
}

/// What became of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Committed {
    At(ObjectId),
    /// The user's hooks did not take it.
    Refused(String),
    /// The user's hooks made another tree of it, which no gate has judged.
    Rewritten {
        hook: String,
    },
}

impl<'r> GitSteps<'r> {
    /// The result of a step, or the step that has to be taken first.
    pub fn git(&self, key: StepKey, step: impl FnOnce() -> GitStep) -> Result<&'r GitResult, Step> {
        match self.results.get(&key) {
            None => Err(Step::Effect { key, effect: Effect::Git(Box::new(step())) }),
            Some(EffectResult::Git(GitResult::Refused(refused))) => {
                Err(problem(refused, self.lang))
            }
            Some(EffectResult::Git(result)) => Ok(result),
            Some(_) => Err(unexpected(&key, self.lang)),
        }
    }

    /// The result of a step with rooms, or the step that has to be taken first.
    pub fn worktree(
        &self,
        key: &StepKey,
        step: impl FnOnce() -> WorktreeStep,
    ) -> Result<&'r WorktreeResult, Step> {
        match self.results.get(key) {
            None => {
                let effect = Effect::Worktree(Box::new(step()));
                Err(Step::Effect { key: key.clone(), effect })
            }
            Some(EffectResult::Worktree(WorktreeResult::Refused(refused))) => {
                Err(problem(refused, self.lang))
            }
            Some(EffectResult::Worktree(result)) => Ok(result),
            Some(_) => Err(unexpected(key, self.lang)),
        }
    }

    /// Everything goes onto a ref.
    pub fn save(&self, key: &StepKey, plan: impl FnOnce() -> SavePlan) -> Result<&'r Saved, Step> {
        match self.git(key.clone(), || GitStep::Save(plan()))? {
            GitResult::Saved(saved) => Ok(saved),
            _ => Err(unexpected(key, self.lang)),
        }
    }

    /// Saved, and only then back at the base.
    pub fn save_and_go_back(
        &self,
        save: &StepKey,
        back: StepKey,
        plan: impl FnOnce() -> SavePlan,
        base: &Base,
    ) -> Result<&'r Saved, Step> {
        let saved = self.save(save, plan)?;
        self.git(back, || GitStep::RollBack { base: base.clone(), saved: saved.clone() })?;
        Ok(saved)
    }

    /// The user's hooks, then the commit, then the base's branch moves to it. An equal plan makes the same
    /// commit, so that doing it again after a crash does nothing twice.
    pub fn commit(
        &self,
        keys: &CommitKeys,
        base: &Base,
        plan: impl Fn() -> CommitPlan,
    ) -> Result<Committed, Step> {
        let built = self.build(keys, base, &plan)?;
        if let Committed::At(commit) = &built
            && let Err(why) = self.advance(keys, base, plan().parent, commit)?
        {
            return Ok(Committed::Refused(why));
        }
        Ok(built)
    }

    /// The commit, that no branch has yet.
    pub fn build(
        &self,
        keys: &CommitKeys,
        base: &Base,
        plan: impl Fn() -> CommitPlan,
    ) -> Result<Committed, Step> {
        let hooks = || GitStep::RunHooks { plan: plan(), base: base.clone() };
        let GitResult::Hooks(verdict) = self.git(keys.hooks.clone(), hooks)? else {
            return Err(unexpected(&keys.hooks, self.lang));
        };
        if let HookVerdict::Rewrote { hook, .. } = verdict {
            return Ok(Committed::Rewritten { hook: hook.clone() });
        }
        let message = match verdict.message(&plan().message, self.lang) {
            Ok(message) => message,
            Err(why) => return Ok(Committed::Refused(why)),
        };
        let build = || GitStep::Build { plan: CommitPlan { message, ..plan() } };
        match self.git(keys.build.clone(), build)? {
            GitResult::Built { commit } => Ok(Committed::At(commit.clone())),
            _ => Err(unexpected(&keys.build, self.lang)),
        }
    }

    /// The base's branch moves to a commit that was built, or why it does not: whoever ran since the tree
    /// was inspected, the tests at that, went elsewhere or moved it.
    pub fn advance(
        &self,
        keys: &CommitKeys,
        base: &Base,
        from: ObjectId,
        built: &ObjectId,
    ) -> Result<Result<(), String>, Step> {
        let advance = StepKey::new(&[keys.advance.as_str(), built.as_str()]);
        self.advance_here(advance, base, from, built.clone())
    }

    /// The same from one commit to another.
    pub fn advance_here(
        &self,
        key: StepKey,
        base: &Base,
        from: ObjectId,
        to: ObjectId,
    ) -> Result<Result<(), String>, Step> {
        if let Some(EffectResult::Git(GitResult::Refused(
            problem @ (GitProblem::Moved { .. } | GitProblem::OtherBranch { .. }),
        ))) = self.results.get(&key)
        {
            return Ok(Err(problem.what(self.lang)));
        }
        let branch = base.branch().to_owned();
        self.git(key, || GitStep::AdvanceHere { branch, from, to }).map(|_| Ok(()))
    }

    /// Files of a recorded tree.
    pub fn files(
        &self,
        key: &StepKey,
        tree: &ObjectId,
        paths: impl FnOnce() -> Vec<String>,
    ) -> Result<&'r [TreeFile], Step> {
        let read = || GitStep::Read { tree: tree.clone(), paths: paths() };
        match self.git(key.clone(), read)? {
            GitResult::Files(files) => Ok(files),
            _ => Err(unexpected(key, self.lang)),
        }
    }
}

pub fn blocked(what: String, next: String) -> Step {
    Step::Finish(Ending::Blocked(Notice { what, next }))
}

pub fn problem(problem: &GitProblem, lang: Lang) -> Step {
    blocked(problem.what(lang), problem.next(lang))
}

/// An answer of another kind than was asked for.
pub fn unexpected(key: &StepKey, lang: Lang) -> Step {
    blocked(other_answer(lang, key), other_answer_next(lang))
}

/// How a call ended, for the judge. What never counts does not come here.
pub fn call_end(result: &CallResult) -> CallEnd {
    match result {
        CallResult::Completed(Answer { denied: Some(denied), .. }) => {
            CallEnd::Denied { why: denied.clone() }
        }
        CallResult::Completed(_) | CallResult::Broken { .. } => CallEnd::Ended,
        CallResult::Blocked { reason } => CallEnd::SaidBlocked { reason: reason.clone() },
        CallResult::Failed { class, reason } => match class {
            FailureClass::TimedOut => CallEnd::TimedOut,
            FailureClass::Stalled => CallEnd::Stalled,
            FailureClass::Flooded => CallEnd::Flooded,
            FailureClass::Supervision => CallEnd::Leaked,
            // A budget that ran out cut the work off; the reason names it.
            FailureClass::AgentSaid | FailureClass::Budget | FailureClass::Strayed => {
                CallEnd::SaidFailed { error: reason.clone() }
            }
            FailureClass::Api
            | FailureClass::Connection
            | FailureClass::NoEnding
            | FailureClass::ExitCode(_)
            | FailureClass::Signal(_) => CallEnd::EndedBadly { why: reason.clone() },
        },
        CallResult::Limited { .. } => CallEnd::Limited,
        CallResult::LoginNeeded { advice, .. } => CallEnd::LoginNeeded { advice: advice.clone() },
        CallResult::NotStarted { reason, .. } | CallResult::OverBudget { reason, .. } => {
            CallEnd::NotStarted { why: reason.clone() }
        }
        CallResult::Cancelled => CallEnd::Interrupted,
    }
}
