//! The status of a goal that was in a lane. While the user's checkout is on the branch that the work went
//! onto, it is written there and committed; else it is committed on that branch alone.

use serde_json::json;

use crate::attempt::base::ObjectId;
use crate::attempt::git_problem::GitProblem;
use crate::attempt::workspace::{GitResult, GitStep, Head};
use crate::attempt::worktrees::{Standing, Target, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{problem, unexpected};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::Facts;
use crate::flows::goals::auto::asking::if_possible;
use crate::flows::goals::auto::goals_file::GoalsFile;
use crate::flows::goals::auto::lanes::decide::{tip, worktree};
use crate::flows::goals::auto::lanes::view::Lane;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::publishing::{StatusCommit, committed};
use crate::flows::goals::auto::settling::{FIRST, commit_goals_on};
use crate::flows::goals::auto::view::{Current, Settled, View};
use crate::flows::goals::auto::working::{Work, key};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::layout as project;
use crate::steps::{EffectResult, Step, StepKey};

/// What committing the status begins with.
pub(in crate::flows::goals::auto) const STANDING: &str = "goals-standing";

/// Whether the status belongs into the checkout's file: the user may be on another branch by now, and
/// that has goals of its own.
pub(in crate::flows::goals::auto) fn is_written_here(work: &Work<'_>) -> Result<bool, Step> {
    let Some(onto) = &work.view.onto else { return Ok(true) };
    let stands = standing(work.view, work.facts, &work.key(&["standing"]), onto)?;
    Ok(!matches!((stands, onto), (Standing::Off, Target::Branch(_))))
}

pub(super) fn standing(
    seen: &View,
    facts: &Facts<'_>,
    key: &StepKey,
    onto: &Target,
) -> Result<Standing, Step> {
    let step = || WorktreeStep::Stand { onto: onto.clone() };
    match worktree(seen, facts, key.clone(), step)? {
        WorktreeResult::Stands(standing) => Ok(standing.clone()),
        WorktreeResult::Refused(refused @ GitProblem::Killed { .. }) => {
            Err(problem(refused, facts.lang))
        }
        // Nothing is moved where nobody can tell.
        WorktreeResult::Refused(refused) => Ok(Standing::Busy(refused.clone())),
        _ => Err(unexpected(key, facts.lang)),
    }
}

/// A status that is told and still to be committed.
struct Told<'t> {
    seen: &'t View,
    facts: &'t Facts<'t>,
    lane: &'t Lane,
    current: &'t Current,
    settled: &'t Settled,
}

/// The status of the goal, committed on the branch that the work went onto.
pub(super) fn commit_goals(
    seen: &View,
    facts: &Facts<'_>,
    lane: &Lane,
    current: &Current,
    settled: &Settled,
) -> Step {
    let told = Told { seen, facts, lane, current, settled };
    let stands = match standing(seen, facts, &told.key(&[STANDING]), &lane.onto) {
        Ok(stands) => stands,
        Err(step) => return step,
    };
    let step = match (stands, &lane.onto) {
        (Standing::On, _) if settled.written => told.on_top(),
        (Standing::Off, Target::Branch(branch)) => told.on_its_own(branch),
        (Standing::Busy(problem), _) => Ok(told.later(&problem.what(facts.lang))),
        (Standing::CheckedOut { at }, _) => Ok(told.later(&at)),
        (Standing::On | Standing::Off, _) => Ok(told.later("")),
    };
    step.unwrap_or_else(|step| step)
}

impl Told<'_> {
    fn key(&self, parts: &[&str]) -> StepKey {
        key(&self.current.goal, self.current.number, parts)
    }

    fn goals(&self) -> &[String] {
        std::slice::from_ref(&self.current.goal)
    }

    /// Where the merge left the branch, so that doing it again after a death does the same; or, if
    /// somebody was there since, where it is by now.
    fn on_top(&self) -> Result<Step, Step> {
        let Self { seen, facts, lane, current, settled } = *self;
        let branch = match &lane.onto {
            Target::Branch(name) => name.as_str(),
            Target::Detached => "HEAD",
        };
        if !self.has_moved() {
            return Ok(commit_goals_on(seen, facts, current, settled, (branch, FIRST)));
        }
        let (_, head) = tip(seen, facts, &self.key(&["goals-tip"]), Some(&lane.onto))?;
        let settled = Settled { head, ..settled.clone() };
        Ok(commit_goals_on(seen, facts, current, &settled, (branch, "goals-again")))
    }

    /// Whether the first try found the branch elsewhere.
    fn has_moved(&self) -> bool {
        let result = |parts: &[&str]| self.seen.results.get(&self.key(parts));
        let Some(EffectResult::Git(GitResult::Built { commit })) = result(&["goals-build"]) else {
            return false;
        };
        let moved = result(&["goals-advance", commit.as_str()]);
        matches!(moved, Some(EffectResult::Git(GitResult::Refused(GitProblem::Moved { .. }))))
    }

    /// The goals of that branch with this one changed, whatever is checked out.
    fn on_its_own(&self, branch: &str) -> Result<Step, Step> {
        let (seen, facts) = (self.seen, self.facts);
        let tip_key = self.key(&["goals-own-tip"]);
        let onto = || WorktreeStep::Tip { onto: Some(self.lane.onto.clone()) };
        let head = match worktree(seen, facts, tip_key, onto)? {
            WorktreeResult::Tip(Head::Branch { commit, .. }) => commit,
            WorktreeResult::Refused(refused) => return Ok(self.later(&refused.what(facts.lang))),
            _ => return Ok(self.later("")),
        };
        let Some((before, after)) = self.goals_at(head)? else {
            return Ok(self.later(branch));
        };
        if before == after {
            return Ok(committed(seen, facts, self.goals(), json!({layout::ELSEWHERE: branch})));
        }
        let commit = StatusCommit {
            goals: self.goals(),
            branch: branch.to_owned(),
            head: head.clone(),
            at: self.settled.at,
            text: Some(after),
            build: self.key(&["goals-own-build"]),
            advance: self.key(&["goals-own-advance"]),
        };
        match commit.refusal(seen) {
            Some(problem) => Ok(self.later(&problem.what(facts.lang))),
            None => Ok(commit.step(seen, facts)),
        }
    }

    /// The text of `goals.yaml` at a commit, and with the status; nothing where it cannot have it.
    fn goals_at(&self, commit: &ObjectId) -> Result<Option<(String, String)>, Step> {
        let Some(status) = &self.settled.status else { return Ok(None) };
        let read =
            || GitStep::Read { tree: commit.clone(), paths: vec![project::GOALS.to_owned()] };
        let files = match if_possible(self.seen, self.key(&["goals-own"]), read)? {
            Some(GitResult::Files(files)) => files.as_slice(),
            _ => return Ok(None),
        };
        let Some(bytes) = files.first().and_then(|file| file.bytes.as_ref()) else {
            return Ok(None);
        };
        let file = GoalsFile::read(bytes, None);
        let after = file.with_goal(&self.current.goal, status);
        Ok(after.map(|after| (file.text, after)))
    }

    /// Not now: it is committed as soon as nothing is in the way. The checkout's file says it until
    /// then.
    fn later(&self, why: &str) -> Step {
        let Self { seen, facts, current, settled, .. } = *self;
        let goal = &current.goal;
        let mut draft = Draft::new(seen, facts, &format!("{goal}: goals.yaml, later"));
        let missing = settled.status.as_ref().filter(|_| !settled.written);
        if let (Some(status), Some(file)) = (missing, &seen.goals)
            && let Some(text) = file.with_goal(goal, status)
        {
            draft = draft.goals(text);
        }
        let detail = json!({"goal_id": goal, "refused": why, layout::OWED: true});
        draft.event(Kind::GoalsCommitted, detail).step()
    }
}
