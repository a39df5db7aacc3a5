//! The winner goes onto the user's branch as one commit, by fast-forward only; where the branch has moved
//! since, on top of it and tested again. Doing it again after a death makes the same commit.

use serde_json::json;

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::{RepoPath, TestEnd};
use crate::attempt::git_problem::GitProblem;
use crate::attempt::reason::Reason;
use crate::attempt::workspace::{CommitPlan, GitResult, GitStep, Head};
use crate::attempt::worktrees::{
    MergePlan, Spent, Target, TreePlan, Waits, WorktreeResult, WorktreeStep,
};
use crate::attempt_steps::{problem, unexpected};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::Facts;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::spike::decide::{branch_of, worktree};
use crate::flows::goals::auto::spike::view::{Spike, SpikeView};
use crate::flows::goals::auto::spike::{SpikeFlow, words};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::decision::{Guards, Measured, accepted, evaluate};
use crate::steps::{Check, Effect, EffectResult, Ending, Notice, Step, StepKey};

/// How often a branch that moves is followed.
const MOST_MOVES: u32 = 3;

struct Accept<'a> {
    flow: &'a SpikeFlow,
    view: &'a SpikeView,
    facts: &'a Facts<'a>,
    number: u32,
    spike: &'a Spike,
    winner: &'a Measured,
}

pub(super) fn step(
    flow: &SpikeFlow,
    view: &SpikeView,
    facts: &Facts<'_>,
    (number, spike): (u32, &Spike),
    guards: &Guards,
) -> Step {
    let lang = facts.lang;
    if let Some((winner, commit)) = &spike.made {
        let short = commit.get(..12).unwrap_or(commit);
        let what = words::made(lang, &flow.ticket.id, winner, short);
        return Step::Finish(Ending::Done(Notice { what, next: words::made_next(lang) }));
    }
    let ranking = spike.ranking();
    match accepted(&ranking, guards, &evaluate(&flow.ticket)) {
        Ok(winner) => {
            let accept = Accept { flow, view, facts, number, spike, winner };
            accept.merge().unwrap_or_else(|step| step)
        }
        Err(failed) => {
            let first = ranking.first().map_or("-", |first| first.kept.as_str());
            let next = words::not_accepted_next(lang, first);
            Step::Finish(Ending::Failed(Notice { what: failed.what(lang), next }))
        }
    }
}

impl Accept<'_> {
    fn key(&self, part: &str) -> StepKey {
        self.flow.key(self.number, &["accept", part])
    }

    /// It stays what it is, kept and not merged.
    fn refuse(&self, what: String) -> Step {
        let next = words::not_accepted_next(self.facts.lang, &self.winner.kept);
        Step::Finish(Ending::Failed(Notice { what, next }))
    }

    fn because(&self, reason: &Reason) -> Step {
        self.refuse(reason.text(self.facts.lang))
    }

    fn git(&self, part: &str, step: impl FnOnce() -> GitStep) -> Result<&GitResult, Step> {
        let key = self.key(part);
        match self.view.result(&key) {
            None => Err(Step::Effect { key, effect: Effect::Git(Box::new(step())) }),
            Some(EffectResult::Git(GitResult::Refused(refused))) => {
                Err(problem(refused, self.facts.lang))
            }
            Some(EffectResult::Git(result)) => Ok(result),
            Some(_) => Err(unexpected(&key, self.facts.lang)),
        }
    }

    fn trees(
        &self,
        part: &str,
        step: impl FnOnce() -> WorktreeStep,
    ) -> Result<&WorktreeResult, Step> {
        worktree(self.view, self.facts, &self.key(part), step)
    }

    fn unexpected(&self, part: &str) -> Step {
        unexpected(&self.key(part), self.facts.lang)
    }

    /// Written down before it is done: after a death it is known what to look for.
    fn merge(&self) -> Result<Step, Step> {
        let onto = &self.spike.onto;
        let Some((from, to)) = &self.spike.merging else {
            let commit = self.commit()?;
            let tip = match self.trees("tip", || WorktreeStep::Tip { onto: Some(onto.clone()) })? {
                // It could be merged there only by leaving the branch.
                WorktreeResult::Tip(Head::Branch { name, .. }) if *onto == Target::Detached => {
                    return Err(self.elsewhere(name));
                }
                WorktreeResult::Tip(Head::Branch { commit, .. } | Head::Detached { commit }) => {
                    commit
                }
                _ => return Err(self.unexpected("tip")),
            };
            let same_tests = self.spike.test_command.as_ref();
            let same_tests =
                same_tests.is_none_or(|command| *command == self.flow.settings.test_command);
            let as_tested = *tip == self.spike.base && same_tests;
            let to = if as_tested { commit } else { self.on_top(&commit, tip)? };
            let detail = json!({"from": tip, "to": to});
            return Ok(self.tell(Kind::MergeStarted, detail));
        };
        let key = self.key("merge");
        let plan = || MergePlan {
            onto: onto.clone(),
            from: from.clone(),
            to: to.clone(),
            rules: self.flow.settings.tree_rules(),
        };
        match self.view.result(&key) {
            None => {
                let effect = Effect::Worktree(Box::new(WorktreeStep::Merge(plan())));
                Err(Step::Effect { key, effect })
            }
            Some(EffectResult::Worktree(WorktreeResult::Merged)) => {
                let detail = json!({
                    "winner": self.winner.id,
                    "commit": to,
                    "branch": branch_of(onto),
                });
                Ok(self.tell(Kind::DecisionMade, detail))
            }
            Some(EffectResult::Worktree(WorktreeResult::Waits(waits))) => Err(self.waits(waits)),
            // Somebody was there first: once more, on top of that.
            Some(EffectResult::Worktree(WorktreeResult::Refused(GitProblem::Moved { .. }))) => {
                let times = self.spike.moved + 1;
                if times > MOST_MOVES {
                    return Err(self.because(&Reason::TipMoves { times }));
                }
                Ok(self.tell(Kind::MergeMoved, json!({"run": self.flow.run})))
            }
            Some(EffectResult::Worktree(WorktreeResult::Refused(refused))) => {
                Err(problem(refused, self.facts.lang))
            }
            Some(_) => Err(self.unexpected("merge")),
        }
    }

    fn elsewhere(&self, branch: &str) -> Step {
        let (lang, base) = (self.facts.lang, self.spike.base.as_str());
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        let next = words::elsewhere_next(lang, base.get(..12).unwrap_or(base));
        Step::Finish(Ending::Failed(Notice { what: words::elsewhere(lang, branch), next }))
    }

    fn waits(&self, waits: &Waits) -> Step {
        match waits {
            Waits::UsersFiles { paths } => {
                let (path, more) = RepoPath::first_of(paths);
                self.because(&Reason::MergeTouches { path, more })
            }
            Waits::InProgress { what: why } | Waits::CheckedOut { at: why } => {
                self.because(&Reason::MergeWaits { why: why.clone() })
            }
        }
    }

    /// The winner as one commit on the base, with the words that the user's hooks left.
    fn commit(&self) -> Result<ObjectId, Step> {
        let at = self.spike.ranked.as_ref().map_or(self.facts.now, |(_, at)| *at);
        let plan = self.flow.commit_plan(&self.spike.base, &self.winner.tree, at);
        let plan = CommitPlan { message: self.winner.message.clone(), ..plan };
        match self.git("build", || GitStep::Build { plan })? {
            GitResult::Built { commit } => Ok(commit.clone()),
            _ => Err(self.unexpected("build")),
        }
    }

    /// On top of where the branch is by now, and tested there.
    fn on_top(&self, commit: &ObjectId, tip: &ObjectId) -> Result<ObjectId, Step> {
        let replay = || WorktreeStep::Replay {
            base: self.spike.base.clone(),
            head: commit.clone(),
            onto: tip.clone(),
        };
        let (to, tree) = match self.trees("replay", replay)? {
            WorktreeResult::Replayed { commit, tree } => (commit, tree),
            WorktreeResult::Conflict { paths } => {
                let (path, more) = RepoPath::first_of(paths);
                return Err(self.because(&Reason::MergeConflict { path, more }));
            }
            _ => return Err(self.unexpected("replay")),
        };
        // It is there already.
        if to == tip {
            return Ok(to.clone());
        }
        let name = self.flow.tree(&format!("{}-accept", self.winner.id));
        let add = || {
            WorktreeStep::Add(TreePlan {
                tree: name.clone(),
                at: to.clone(),
                copy: self.flow.copy.clone(),
                rules: self.flow.settings.tree_rules(),
                now: self.facts.now,
            })
        };
        self.trees("add", add)?;
        let key = self.key("retest");
        let run = match self.view.result(&key) {
            Some(EffectResult::Check(run)) => run,
            Some(_) => return Err(self.unexpected("retest")),
            None => {
                let place = layout::path(&format!("{}{name}", layout::WORKTREES));
                let place = place.ok_or_else(|| self.unexpected("retest"))?;
                let check = Check {
                    command: self.flow.settings.test_command.clone(),
                    tree: tree.clone(),
                    limit_seconds: self.flow.timeout_minutes.seconds(),
                };
                let effect = Box::new(Effect::Check(check));
                return Err(Step::Effect { key, effect: Effect::Within { tree: place, effect } });
            }
        };
        let spent = Spent::Merged { into: to.clone() };
        let gone = self.key("remove");
        if self.view.result(&gone).is_none() {
            let step = WorktreeStep::Remove { tree: name, spent };
            return Err(Step::Effect { key: gone, effect: Effect::Worktree(Box::new(step)) });
        }
        let alternative = self.flow.ticket.alternatives.iter().find(|one| one.id == self.winner.id);
        let agreed = alternative.map(|one| self.flow.agreed_tests(self.spike, one));
        let agreed = agreed.unwrap_or_default();
        let silent = !agreed.base.is_untold() && run.counted.tally.is_untold();
        let silent = silent.then_some(Reason::TestsWithoutResult);
        match (&run.end, agreed.quiet_failures(run).or(silent)) {
            (TestEnd::Green, Some(reason)) => {
                let why = reason.text(self.facts.lang);
                Err(self.because(&Reason::RedAfterMerge { why }))
            }
            (TestEnd::Green, None) => Ok(to.clone()),
            (TestEnd::Red { code }, _) => {
                Err(self.because(&Reason::RedAfterMerge { why: format!("exit code {code}") }))
            }
            (TestEnd::CouldNotRun { why } | TestEnd::NoProgram { why, .. }, _) => {
                Err(self.because(&Reason::RedAfterMerge { why: why.clone() }))
            }
        }
    }

    /// An event about the merge. It has used all results before it.
    fn tell(&self, kind: Kind, mut detail: serde_json::Value) -> Step {
        detail["decision_id"] = json!(self.flow.ticket.id);
        detail["spike"] = json!(self.number);
        let seen = self.view.seen(&format!("{}/", self.flow.key(self.number, &["accept"])));
        let draft = Draft::new(&seen, self.facts, &format!("{} is merged", self.flow.ticket.id));
        draft.event(kind, detail).step()
    }
}
