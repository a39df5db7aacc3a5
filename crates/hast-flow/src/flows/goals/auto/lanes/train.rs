//! The train: what passed goes onto the user's branch, one after the other. Where the branch has moved,
//! the work is put on top of it and tested again; the branch itself only ever goes forward.

use serde_json::json;

use crate::attempt::base::{ObjectId, kept_branch};
use crate::attempt::evidence::{RepoPath, TestEnd, TestRun};
use crate::attempt::git_problem::GitProblem;
use crate::attempt::judge::Verdict;
use crate::attempt::reason::{Class, Reason};
use crate::attempt::settle::{Act, Then, commit_message};
use crate::attempt::workspace::{GitResult, GitStep};
use crate::attempt::worktrees::{MergePlan, Waits, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::flows::goals::auto::asking::{git, lease};
use crate::flows::goals::auto::lanes::decide::{tip, worktree};
use crate::flows::goals::auto::lanes::lane::{brought, train_key, within};
use crate::flows::goals::auto::lanes::view::{Lane, Passed};
use crate::flows::goals::auto::lanes::wanted::{Asking, Word};
use crate::flows::goals::auto::record::{AttemptRecord, VerdictRecord};
use crate::flows::goals::auto::settling::{self, Outcome};
use crate::flows::goals::auto::working::Work;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{layout, words};
use crate::flows::goals::selection::Placed;
use crate::flows::goals::status_edit::status_word;
use crate::leases::{LeaseResult, LeaseStep};
use crate::steps::{Check, Effect, EffectResult, Step};
use crate::words::Lang;

/// How often a branch that moves is followed.
const MOST_MOVES: u32 = 3;

/// What becomes of work that passed; nothing while it is another one's turn.
pub(super) fn step(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    all: &[Placed<'_>],
    first: bool,
) -> Option<Step> {
    let step = match &lane.passed {
        None => commit(work, lane, verdict),
        Some(_) if !first => return None,
        Some(Passed { merging: Some((from, to)), .. }) => {
            merge(work, lane, verdict, all, (from, to))
        }
        Some(passed) => get_ready(work, lane, verdict, passed),
    };
    Some(step.unwrap_or_else(|step| step))
}

/// First a commit on its own branch.
fn commit(work: &Work<'_>, lane: &Lane, verdict: &VerdictRecord) -> Result<Step, Step> {
    let message = commit_message(&work.attempt(0));
    let mut outcome = Outcome::at(&verdict.head);
    settling::perform(work, verdict, &Act::Commit { message }, &mut outcome)
        .map_err(|step| within(lane, step))?;
    let (goal, number) = (&work.current.goal, work.current.number);
    let detail = json!({"goal_id": goal, "attempt": number, "head": outcome.head});
    let draft = Draft::new(work.view, work.facts, &format!("{goal} passed"));
    Ok(draft.event(Kind::AttemptPassed, detail).step())
}

/// On top of where the branch is now, and tested there if that is not where the work began.
fn get_ready(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    passed: &Passed,
) -> Result<Step, Step> {
    let (view, facts) = (work.view, work.facts);
    let (_, onto) = tip(view, facts, &train_key(work, lane, "tip"), Some(&lane.onto))?;
    if onto == *work.base.commit() {
        return start_merge(work, lane, verdict, (&onto, &passed.head));
    }
    let replay_key = train_key(work, lane, "replay");
    let replay = || WorktreeStep::Replay {
        base: work.base.commit().clone(),
        head: passed.head.clone(),
        onto: onto.clone(),
    };
    let (commit, tree) = match worktree(view, facts, replay_key.clone(), replay)? {
        WorktreeResult::Replayed { commit, tree } => (commit, tree),
        WorktreeResult::Conflict { paths } => {
            let (path, more) = RepoPath::first_of(paths);
            let reason = Reason::MergeConflict { path, more };
            return Ok(refuse(work, lane, verdict, reason, &passed.head, ""));
        }
        WorktreeResult::Refused(refused) => return Err(problem(refused, facts.lang)),
        _ => return Err(unexpected(&replay_key, facts.lang)),
    };
    brought(view, facts, &train_key(work, lane, "bring"), lane, commit)?;
    install_again(work, lane, verdict, tree)?;
    let test_key = train_key(work, lane, "retest");
    let run = match view.results.get(&test_key) {
        Some(EffectResult::Check(run)) => run,
        Some(_) => return Err(unexpected(&test_key, facts.lang)),
        None => {
            let check = Check {
                command: work.record.test_command.clone(),
                tree: tree.clone(),
                limit_seconds: work.record.timeout_minutes.seconds(),
            };
            let step = Step::Effect { key: test_key, effect: Effect::Check(check) };
            return Err(within(lane, step));
        }
    };
    match as_expected(run, work.record, verdict, facts.lang) {
        Ok(()) => start_merge(work, lane, verdict, (&onto, commit)),
        Err(why) => {
            let reason = Reason::RedAfterMerge { why };
            Ok(refuse(work, lane, verdict, reason, commit, &run.tail))
        }
    }
}

/// The room has the base's dependencies again: the setup installs what the goal's list names. Where it fails,
/// the tests do too.
fn install_again(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    tree: &ObjectId,
) -> Result<(), Step> {
    let Some(command) = work.record.setup.clone().filter(|_| !verdict.dependency_lists.is_empty())
    else {
        return Ok(());
    };
    let key = train_key(work, lane, "resetup");
    if work.view.results.contains_key(&key) {
        return Ok(());
    }
    let limit_seconds = work.record.timeout_minutes.seconds();
    let check = Check { command, tree: tree.clone(), limit_seconds };
    Err(within(lane, Step::Effect { key, effect: Effect::Check(check) }))
}

/// The outcome that the goal was judged by has to be there again. What came onto the branch may have taken tests
/// away, so their number is not compared.
fn as_expected(
    run: &TestRun,
    record: &AttemptRecord,
    verdict: &VerdictRecord,
    lang: Lang,
) -> Result<(), String> {
    let agreed = record.agreed_tests();
    let quiet = agreed.quiet_failures(run).map(|reason| reason.text(lang));
    let told = verdict.tally.as_ref().is_some_and(|tally| !tally.is_untold());
    match (&run.end, record.expect_failure) {
        (TestEnd::Green, expect) if quiet.is_some() => {
            if expect {
                Ok(())
            } else {
                Err(quiet.unwrap_or_default())
            }
        }
        (TestEnd::Green, false) if told && run.counted.tally.is_untold() => {
            Err(Reason::TestsWithoutResult.text(lang))
        }
        (TestEnd::Green, false) | (TestEnd::Red { .. }, true) => Ok(()),
        (TestEnd::Green, true) => Err("green".to_owned()),
        (TestEnd::Red { code }, false) => Err(format!("exit code {code}")),
        (TestEnd::CouldNotRun { why } | TestEnd::NoProgram { why, .. }, _) => Err(why.clone()),
    }
}

/// Written down before it is done: after a crash it is known what to look for.
fn start_merge(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    (from, to): (&ObjectId, &ObjectId),
) -> Result<Step, Step> {
    may_count(work, lane, verdict, to)?;
    let (goal, number) = (&work.current.goal, work.current.number);
    let detail = json!({"goal_id": goal, "attempt": number, "from": from, "to": to});
    let draft = Draft::new(work.view, work.facts, &format!("{goal} is merged"));
    Ok(draft.event(Kind::MergeStarted, detail).step())
}

/// Only whoever still has the goal may finish it, and only what people still want.
pub(super) fn may_count(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    head: &ObjectId,
) -> Result<(), Step> {
    let step = LeaseStep::Keep { unit: work.current.goal.clone() };
    match lease(work.view, work.facts, &train_key(work, lane, "lease"), step)? {
        LeaseResult::Held { .. } => {}
        _ => return Err(lost(work, head)),
    }
    match wanted(work, lane)? {
        Word::Wanted => Ok(()),
        Word::Withdrawn(status) => {
            let status = status.map(|status| status_word(status).to_owned());
            Err(refuse(work, lane, verdict, Reason::Withdrawn { status }, head, ""))
        }
        // It waits for its turn, and goes on with the next run.
        Word::Unreadable(why) => Err(blocked(why, words::bad_goals_next(work.facts.lang))),
    }
}

/// Asked for each try: the branch may have moved because somebody changed the goals.
fn wanted(work: &Work<'_>, lane: &Lane) -> Result<Word, Step> {
    let (seen, facts, goal) = (work.view, work.facts, work.current.goal.as_str());
    let (onto, since) = (&lane.onto, work.base.commit());
    let key = |part: &str| train_key(work, lane, part);
    Asking { seen, facts, goal, onto, since, key: &key }.word()
}

/// Another worker has the goal by now: what passed here is kept on a branch, and the goal is theirs.
fn lost(work: &Work<'_>, head: &ObjectId) -> Step {
    let (goal, number) = (&work.current.goal, work.current.number);
    let keep = || GitStep::Keep { branch: kept_branch(goal), commit: head.clone() };
    let kept = match git(work.view, work.facts, work.key(&["keep"]), keep) {
        Ok(kept) => kept,
        Err(step) => return step,
    };
    let mut detail =
        json!({"goal_id": goal, "attempt": number, "then": "lease_lost", "head": head});
    if let GitResult::Kept { branch } = kept {
        detail["branch"] = json!(branch);
    }
    let draft = Draft::new(work.view, work.facts, &format!("{goal} is somebody else's"));
    draft.event(Kind::AttemptSettled, detail).step()
}

fn merge(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    all: &[Placed<'_>],
    (from, to): (&ObjectId, &ObjectId),
) -> Result<Step, Step> {
    let merge_key = train_key(work, lane, "merge");
    let step = || {
        WorktreeStep::Merge(MergePlan {
            onto: lane.onto.clone(),
            from: from.clone(),
            to: to.clone(),
            rules: work.base.rules().clone(),
        })
    };
    let lang = work.facts.lang;
    let reason = match worktree(work.view, work.facts, merge_key.clone(), step)? {
        WorktreeResult::Merged => {
            let outcome = Outcome::at(to);
            return Ok(settling::settled(work, &Then::Done, &outcome, None, all));
        }
        WorktreeResult::Waits(Waits::UsersFiles { paths }) => {
            let (path, more) = RepoPath::first_of(paths);
            Reason::MergeTouches { path, more }
        }
        WorktreeResult::Waits(Waits::InProgress { what }) => {
            let why = GitProblem::InProgress { what: what.clone() }.what(lang);
            Reason::MergeWaits { why }
        }
        WorktreeResult::Waits(Waits::CheckedOut { at }) => Reason::MergeWaits { why: at.clone() },
        WorktreeResult::Refused(GitProblem::Moved { .. }) => {
            let moved = lane.passed.as_ref().map_or(0, |passed| passed.moved) + 1;
            if moved <= MOST_MOVES {
                let (goal, number) = (&work.current.goal, work.current.number);
                let draft = Draft::new(work.view, work.facts, "the branch has moved");
                let detail = json!({"goal_id": goal, "attempt": number});
                return Ok(draft.event(Kind::MergeMoved, detail).step());
            }
            Reason::TipMoves { times: moved }
        }
        // Not this goal's: it waits on the train, and goes on with the next run.
        WorktreeResult::Refused(refused) if refused.is_everybodys() => {
            return Err(problem(refused, lang));
        }
        WorktreeResult::Refused(refused) => Reason::MergeWaits { why: refused.what(lang) },
        _ => return Err(unexpected(&merge_key, lang)),
    };
    Ok(refuse(work, lane, verdict, reason, to, ""))
}

/// A second verdict on work that passed alone. The first conflict or red test is one more attempt;
/// what only a person can clear away, and a second one, is theirs.
pub(super) fn refuse(
    work: &Work<'_>,
    lane: &Lane,
    verdict: &VerdictRecord,
    reason: Reason,
    head: &ObjectId,
    tail: &str,
) -> Step {
    let tries_again = matches!(reason, Reason::MergeConflict { .. } | Reason::RedAfterMerge { .. });
    let class = if tries_again && lane.bounced == 0 { Class::Failed } else { Class::Blocked };
    let text = reason.text(work.facts.lang);
    let record = VerdictRecord {
        verdict: Verdict { class, reason, rule: 12 },
        text,
        judged_at: work.facts.now,
        head: head.clone(),
        test_tail: tail.to_owned(),
        ..verdict.clone()
    };
    let draft = Draft::new(work.view, work.facts, "it passed alone and cannot be merged");
    work.judged(draft, layout::REFUSED, &record).step()
}
