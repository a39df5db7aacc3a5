//! One lane: its tree is made, its goal is tried there, and the tree goes
//! when the goal is settled. What stands in its way is the goal's trouble, not the run's.

use serde_json::json;

use crate::attempt::base::{Base, ObjectId};
use crate::attempt::evidence::TestEnd;
use crate::attempt::git_problem::GitProblem;
use crate::attempt::reason::Reason;
use crate::attempt::settle::Commits;
use crate::attempt::workspace::GitResult;
use crate::attempt::worktrees::{Spent, TreePlan, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::{GoalStatus, GoalsEventKind as Kind};
use crate::driver::Facts;
use crate::flows::goals::auto::asking::lease;
use crate::flows::goals::auto::lanes::decide::{tip, worktree};
use crate::flows::goals::auto::lanes::view::{Lane, LanesView, Tree};
use crate::flows::goals::auto::lanes::wanted::{Asking, Word};
use crate::flows::goals::auto::lanes::{LanesFlow, delivery, status, train, uncommitted, wanted};
use crate::flows::goals::auto::view::{Current, Documents, View};
use crate::flows::goals::auto::working::{self, Work, key};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{AutoFlow, CutOff, layout, words};
use crate::flows::goals::selection::Placed;
use crate::flows::goals::status_edit::{NewStatus, status_word, with_status};
use crate::leases::{LeaseResult, LeaseStep};
use crate::steps::{Check, Effect, EffectResult, Ending, Place, Step, StepKey};
use crate::words::{Lang, shell_word};

/// What a lane does next; nothing while it has to wait for another one.
pub(super) fn step(
    flow: &LanesFlow,
    view: &LanesView,
    facts: &Facts<'_>,
    lane: &Lane,
    all: &[Placed<'_>],
) -> Option<Step> {
    let seen = view.of(&lane.goal);
    let step = match (&lane.current, &lane.over) {
        (Some(current), _) => attempt(flow, view, &seen, facts, lane, current, all)?,
        (None, Some(_)) => close(flow, &seen, facts, lane),
        (None, None) => begin(flow, view, &seen, facts, lane, all)?,
    };
    Some(match step {
        step @ Step::Finish(Ending::Blocked(_) | Ending::Failed(_))
            if branch_is_gone(&seen, lane) =>
        {
            // It went while this run works: people may bring it back before the next one.
            if view.onto.as_ref() == Some(&lane.onto) { step } else { anew(&seen, facts, lane) }
        }
        Step::Finish(Ending::Blocked(notice) | Ending::Failed(notice))
            if !everybodys(&seen, facts.lang) && !room_is_refused(&seen, lane) =>
        {
            stuck(flow, &seen, facts, lane, &notice.what)
        }
        other => other,
    })
}

/// The branch that the work was to go onto was renamed or deleted.
fn branch_is_gone(seen: &View, lane: &Lane) -> bool {
    // A packet is for the branch that it went out from.
    lane.packet.is_none()
        && seen.results.values().any(|result| match result {
            EffectResult::Git(GitResult::Refused(problem))
            | EffectResult::Worktree(WorktreeResult::Refused(problem)) => {
                matches!(problem, GitProblem::BranchGone { .. })
            }
            _ => false,
        })
}

/// Git refuses to make the room. No agent has been there: whatever it is, it is the repository's or the
/// machine's, and the next goal would meet it too.
fn room_is_refused(seen: &View, lane: &Lane) -> bool {
    use GitProblem::{Disk, Lost, Refused, TimedOut};
    let refused = |result: &EffectResult| match result {
        EffectResult::Worktree(WorktreeResult::Refused(problem)) => {
            matches!(problem, Refused { .. } | Disk { .. } | Lost { .. } | TimedOut { .. })
        }
        _ => false,
    };
    lane.tree == Tree::ToMake && lane.current.is_none() && seen.results.values().any(refused)
}

/// Whether what stands in the way is not this goal's alone. The lane stays, and goes on when that is over.
fn everybodys(seen: &View, lang: Lang) -> bool {
    seen.results.values().any(|result| match result {
        EffectResult::Git(GitResult::Refused(problem))
        | EffectResult::Worktree(WorktreeResult::Refused(problem)) => problem.is_everybodys(),
        EffectResult::Lease(LeaseResult::Failed { .. }) => true,
        EffectResult::Check(run) => matches!(run.end, TestEnd::NoProgram { .. }),
        other => wanted::is_unreadable(other, lang),
    })
}

/// The attempt under way, in its tree.
fn attempt(
    flow: &LanesFlow,
    view: &LanesView,
    seen: &View,
    facts: &Facts<'_>,
    lane: &Lane,
    current: &Current,
    all: &[Placed<'_>],
) -> Option<Step> {
    if let Some(settled) = &current.settled {
        let first = view.on_the_train().is_none_or(|first| first.goal == lane.goal);
        return first.then(|| status::commit_goals(seen, facts, lane, current, settled));
    }
    if lane.packet.is_some() && current.ended.is_none() && !current.judged {
        return Some(delivery::step(flow, seen, facts, (lane, current)));
    }
    let limited;
    let auto = if flow.limited.contains(&lane.goal) {
        limited = AutoFlow { cut_off: CutOff::Limit { resume_at: None }, ..flow.auto.clone() };
        &limited
    } else {
        &flow.auto
    };
    let documents = seen.documents_of(&current.goal, current.number);
    if !matches!(documents, Some(Documents { base: Some(_), record: Some(_), .. })) {
        return Some(anew(seen, facts, lane));
    }
    let verdict = documents.and_then(Documents::last_verdict).filter(|_| current.judged);
    let passed = verdict.filter(|verdict| verdict.verdict.class.is_success());
    let (Some(Documents { base: Some(base), record: Some(record), .. }), Some(verdict)) =
        (documents, passed)
    else {
        if let Some(Err(step)) =
            lane.stopped.as_ref().map(|to| back(seen, facts, (lane, current), to))
        {
            return Some(step);
        }
        if let Some(step) = not_called_again(seen, facts, lane, current) {
            return Some(step);
        }
        return Some(within(lane, working::step(auto, seen, facts, current, all)));
    };
    let work = Work { flow: auto, view: seen, facts, current, base, record };
    if work.record.commits() == Commits::Off {
        let step = uncommitted::step(&work, lane, verdict, all);
        return Some(step.unwrap_or_else(|step| step));
    }
    let first = view.on_the_train().is_none_or(|first| first.goal == lane.goal);
    train::step(&work, lane, verdict, all, first)
}

/// The records of the attempt are lost, or its branch is. The lane is made anew, which puts
/// what is in its room on a ref first.
fn anew(seen: &View, facts: &Facts<'_>, lane: &Lane) -> Step {
    let closed = json!({"goal_id": lane.goal});
    let what = format!("the lane of {} is made anew", lane.goal);
    let Some(current) = &lane.current else {
        return Draft::new(seen, facts, &what).event(Kind::LaneClosed, closed).step();
    };
    let about = json!({
        "goal_id": lane.goal,
        "attempt": current.number,
        "then": "interrupted",
        layout::COUNTS: false,
    });
    let call = key(&lane.goal, current.number, &["call", &current.cuts.to_string()]);
    Draft::new(seen, facts, &what)
        .closes(call)
        .event(Kind::AttemptInterrupted, about.clone())
        .event(Kind::AttemptSettled, about)
        .event(Kind::LaneClosed, closed)
        .step()
}

/// A call that was cut off is not made again for what nobody wants or another worker has. What it had done is saved,
/// and the tree is at its base.
fn not_called_again(
    seen: &View,
    facts: &Facts<'_>,
    lane: &Lane,
    current: &Current,
) -> Option<Step> {
    let (goal, number, cuts) = (lane.goal.as_str(), current.number, current.cuts.to_string());
    let called = || seen.results.contains_key(&key(goal, number, &["call", &cuts]));
    if current.cuts == 0 || current.ended.is_some() || current.judged || called() {
        return None;
    }
    let base = seen.documents_of(goal, number)?.base.as_ref()?;
    let key = |part: &str| key(goal, number, &["again", &cuts, part]);
    if let Err(step) = tip(seen, facts, &key("tip"), Some(&lane.onto)) {
        return Some(step);
    }
    let over = |then: &str, status: Option<GoalStatus>| {
        let detail = json!({
            "goal_id": goal,
            "attempt": number,
            "then": then,
            "head": base.commit(),
            "status_is": status,
        });
        let draft = Draft::new(seen, facts, &format!("{goal} is not tried any more"));
        Some(draft.event(Kind::AttemptSettled, detail).step())
    };
    let keep = LeaseStep::Keep { unit: goal.to_owned() };
    match lease(seen, facts, &key("lease"), keep) {
        Ok(LeaseResult::Held { .. }) => {}
        Ok(_) => return over("lease_lost", None),
        Err(step) => return Some(step),
    }
    let asking = Asking { seen, facts, goal, onto: &lane.onto, since: base.commit(), key: &key };
    match asking.word() {
        Ok(Word::Withdrawn(status)) => over(layout::WITHDRAWN, status),
        Ok(Word::Wanted) => None,
        Ok(Word::Unreadable(why)) => Some(blocked(why, words::bad_goals_next(facts.lang))),
        Err(step) => Some(step),
    }
}

/// The tree as it was when it passed: with what came onto the branch it cannot be rolled back.
fn back(
    seen: &View,
    facts: &Facts<'_>,
    (lane, current): (&Lane, &Current),
    to: &ObjectId,
) -> Result<(), Step> {
    let back_key = key(&current.goal, current.number, &["back"]);
    brought(seen, facts, &back_key, lane, to)
}

/// The next attempt: its tree is made or brought to where the branch is, set up, then recorded.
fn begin(
    flow: &LanesFlow,
    view: &LanesView,
    seen: &View,
    facts: &Facts<'_>,
    lane: &Lane,
    all: &[Placed<'_>],
) -> Option<Step> {
    if flow.auto.bounds.is_late(facts.now) {
        return None;
    }
    let number = seen.ledger(&lane.goal).next_number();
    let made = match lane.tree {
        Tree::Made => Ok(()),
        Tree::ToMake => make(flow, seen, facts, lane, number),
        Tree::Outdated => bring(seen, facts, lane, number),
    };
    if let Err(step) = made {
        return Some(step);
    }
    let wanted_key = |part: &str| key(&lane.goal, number, &["begin", part]);
    let (goal, onto) = (lane.goal.as_str(), &lane.onto);
    let asking = Asking { seen, facts, goal, onto, since: &lane.base, key: &wanted_key };
    match asking.word() {
        Ok(Word::Wanted) => {}
        Ok(Word::Withdrawn(status)) => return Some(withdrawn(seen, facts, lane, status)),
        Ok(Word::Unreadable(why)) => return Some(blocked(why, words::bad_goals_next(facts.lang))),
        Err(step) => return Some(step),
    }
    let Some(placed) = all.iter().find(|placed| placed.goal.id == lane.goal) else {
        let what = words::no_such_goal(facts.lang, &lane.goal);
        return Some(blocked(what, words::no_such_goal_next(facts.lang)));
    };
    if let Err(step) = still_ours(seen, facts, lane, number) {
        return Some(step);
    }
    if waits_for_tests(view, facts, lane) {
        return None;
    }
    let step = working::begin(&flow.auto, seen, facts, placed);
    Some(within(lane, step))
}

/// No agent is called again for a goal that another worker has by now: the lane ends.
fn still_ours(seen: &View, facts: &Facts<'_>, lane: &Lane, number: u32) -> Result<(), Step> {
    if lane.then.as_deref() != Some("try_again") {
        return Ok(());
    }
    let step = LeaseStep::Keep { unit: lane.goal.clone() };
    let lease_key = key(&lane.goal, number, &["begin", "lease"]);
    if let LeaseResult::Held { .. } = lease(seen, facts, &lease_key, step)? {
        return Ok(());
    }
    let detail = removed(seen, facts, lane, last_base(seen, lane))?;
    let draft = Draft::new(seen, facts, &format!("{} is somebody else's", lane.goal));
    Err(draft.event(Kind::LaneClosed, detail).step())
}

/// Where the last attempt began: the room is there again.
fn last_base(seen: &View, lane: &Lane) -> ObjectId {
    let number = seen.ledger(&lane.goal).last_number();
    let last = seen.documents_of(&lane.goal, number).and_then(|documents| documents.base.as_ref());
    last.map_or(&lane.base, Base::commit).clone()
}

/// Lanes that begin at one commit need its tests only once.
fn waits_for_tests(view: &LanesView, facts: &Facts<'_>, lane: &Lane) -> bool {
    let testing = facts.running.iter().filter(|key| key.as_str().ends_with("/base-tests"));
    testing.filter_map(|key| key.as_str().split('/').next()).any(|directory| {
        let others = view.lanes.values().filter(|other| other.goal != lane.goal);
        let mut same = others.filter(|other| other.base == lane.base);
        same.any(|other| layout::goal_directory(&other.goal) == directory)
    })
}

fn make(
    flow: &LanesFlow,
    seen: &View,
    facts: &Facts<'_>,
    lane: &Lane,
    number: u32,
) -> Result<(), Step> {
    let add = || {
        WorktreeStep::Add(TreePlan {
            tree: lane.place.clone(),
            at: lane.base.clone(),
            copy: flow.copy.clone(),
            rules: flow.auto.settings.tree_rules(),
            now: facts.now,
        })
    };
    let add_key = key(&lane.goal, number, &["add"]);
    match worktree(seen, facts, add_key.clone(), add)? {
        WorktreeResult::Added(_) => {}
        WorktreeResult::Refused(refused) => return Err(problem(refused, facts.lang)),
        _ => return Err(unexpected(&add_key, facts.lang)),
    }
    let Some(command) = &flow.setup else { return Ok(()) };
    let setup_key = key(&lane.goal, number, &["setup"]);
    match seen.results.get(&setup_key) {
        None => {
            let limit_seconds = flow.auto.settings.timeout_minutes.seconds();
            let check = Check { command: command.clone(), tree: lane.base.clone(), limit_seconds };
            let step = Step::Effect { key: setup_key, effect: Effect::Check(check) };
            Err(within(lane, step))
        }
        Some(EffectResult::Check(run)) if run.end == TestEnd::Green => Ok(()),
        Some(EffectResult::Check(run)) => {
            let why = run.tail.lines().last().unwrap_or_default().to_owned();
            let what = words::setup_failed(facts.lang, why);
            Err(blocked(what, words::lane_stuck_next(facts.lang, shell_word(&lane.goal))))
        }
        Some(_) => Err(unexpected(&setup_key, facts.lang)),
    }
}

/// After what came onto the branch meanwhile: the tree begins anew from there.
fn bring(seen: &View, facts: &Facts<'_>, lane: &Lane, number: u32) -> Result<(), Step> {
    let tip_key = key(&lane.goal, number, &["tip"]);
    let (_, to) = tip(seen, facts, &tip_key, Some(&lane.onto))?;
    brought(seen, facts, &key(&lane.goal, number, &["bring"]), lane, &to)
}

/// The tree of a goal at a commit.
pub(super) fn brought(
    seen: &View,
    facts: &Facts<'_>,
    key: &StepKey,
    lane: &Lane,
    to: &ObjectId,
) -> Result<(), Step> {
    let bring = || WorktreeStep::Bring { tree: lane.place.clone(), to: to.clone() };
    match worktree(seen, facts, key.clone(), bring)? {
        WorktreeResult::Brought => Ok(()),
        WorktreeResult::Refused(refused) => Err(problem(refused, facts.lang)),
        _ => Err(unexpected(key, facts.lang)),
    }
}

/// The goal is settled: the tree goes, then the lane.
fn close(flow: &LanesFlow, seen: &View, facts: &Facts<'_>, lane: &Lane) -> Step {
    let Some(into) = lane.over.clone() else { return stuck(flow, seen, facts, lane, "") };
    let detail = match removed(seen, facts, lane, into) {
        Ok(detail) => detail,
        Err(step) => return step,
    };
    let draft = Draft::new(seen, facts, &format!("the work tree of {} is gone", lane.goal));
    delivery::settled(draft, seen, lane, None).event(Kind::LaneClosed, detail).step()
}

/// People have decided about the goal themselves, with nothing of an attempt under way: there will be no
/// other one.
fn withdrawn(seen: &View, facts: &Facts<'_>, lane: &Lane, status: Option<GoalStatus>) -> Step {
    let mut detail = match removed(seen, facts, lane, last_base(seen, lane)) {
        Ok(detail) => detail,
        Err(step) => return step,
    };
    detail[layout::WITHDRAWN] = json!(true);
    detail["status_is"] = json!(status);
    let reason = Reason::Withdrawn { status: status.map(|status| status_word(status).to_owned()) };
    let draft = Draft::new(seen, facts, &format!("{} is not wanted any more", lane.goal));
    let lane = Lane { then: Some(layout::WITHDRAWN.to_owned()), ..lane.clone() };
    let text = reason.text(facts.lang);
    delivery::settled(draft, seen, &lane, Some(&text)).event(Kind::LaneClosed, detail).step()
}

/// Takes the tree away and lets go of the goal; what is told of that.
fn removed(
    seen: &View,
    facts: &Facts<'_>,
    lane: &Lane,
    into: ObjectId,
) -> Result<serde_json::Value, Step> {
    let number = seen.ledger(&lane.goal).last_number();
    let remove_key = key(&lane.goal, number, &["remove"]);
    let (tree, spent) = (lane.place.clone(), Spent::Merged { into });
    let remove = || WorktreeStep::Remove { tree, spent };
    let detail = match worktree(seen, facts, remove_key.clone(), remove)? {
        WorktreeResult::Removed => json!({"goal_id": lane.goal}),
        WorktreeResult::Refused(refused) if refused.is_everybodys() => {
            return Err(problem(refused, facts.lang));
        }
        // The goal is settled all the same; what is left is found by `--gc`.
        WorktreeResult::Refused(refused) => {
            json!({"goal_id": lane.goal, "left": refused.what(facts.lang)})
        }
        _ => return Err(unexpected(&remove_key, facts.lang)),
    };
    release(seen, facts, lane)?;
    Ok(detail)
}

/// Others may have the goal; whether that could be said makes no difference here.
fn release(seen: &View, facts: &Facts<'_>, lane: &Lane) -> Result<(), Step> {
    let number = seen.ledger(&lane.goal).last_number();
    let step = LeaseStep::Release { unit: lane.goal.clone() };
    lease(seen, facts, &key(&lane.goal, number, &["release"]), step).map(|_| ())
}

/// Something that the lane cannot go on without does not work: the goal is a person's. Its tree stays
/// as it is.
fn stuck(flow: &LanesFlow, seen: &View, facts: &Facts<'_>, lane: &Lane, what: &str) -> Step {
    if let Err(step) = release(seen, facts, lane) {
        return step;
    }
    let text = seen.goals.as_ref().map(|file| file.text.as_str()).unwrap_or_default();
    let mut draft = Draft::new(seen, facts, &format!("{} cannot go on", lane.goal));
    let mut about = json!({"goal_id": lane.goal, "code": "lane", "reason": what});
    match with_status(text, &lane.goal, NewStatus::Blocked { reason: what }) {
        Ok(text) => {
            draft = draft.goals(text);
            if flow.auto.settings.commits == Commits::Auto {
                about[layout::OWED] = json!(true);
            }
        }
        Err(_) => about["by_hand"] = json!(true),
    }
    delivery::settled(draft.event(Kind::GoalBlocked, about), seen, lane, Some(what))
        .event(Kind::LaneClosed, json!({"goal_id": lane.goal, "left": what}))
        .step()
}

/// An effect, in the room of the lane.
pub(super) fn within(lane: &Lane, step: Step) -> Step {
    let Step::Effect { key, effect } = step else { return step };
    let Some(tree) = path(lane) else { return Step::Effect { key, effect } };
    let effect = match effect {
        Effect::Git(_) | Effect::Check(_) => Effect::Within { tree, effect: Box::new(effect) },
        Effect::Call(mut call) => {
            call.place = Place::Worktree(tree);
            Effect::Call(call)
        }
        other => other,
    };
    Step::Effect { key, effect }
}

fn path(lane: &Lane) -> Option<crate::store::DocPath> {
    layout::path(&format!("{}{}", layout::WORKTREES, lane.place))
}

/// The key of a step on the train, new after each move of the branch.
pub(super) fn train_key(work: &Work<'_>, lane: &Lane, part: &str) -> StepKey {
    let moved = lane.passed.as_ref().map_or(0, |passed| passed.moved).to_string();
    work.key(&[part, &moved])
}
