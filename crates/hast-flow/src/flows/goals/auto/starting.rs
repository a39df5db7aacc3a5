//! The beginning of a run: what is found there, cleared away if that is safe, and the first event.

use serde_json::{Value, json};

use crate::attempt::base::{Base, ObjectId, Saved, SavedWork, TreeRules};
use crate::attempt::git_problem::GitProblem;
use crate::attempt::recovery::{
    Cleared, Found, From, Lock, OtherRefs, Owner, Place, Refusal, StartAct, StartUp, Strange, Wish,
    start_up,
};
use crate::attempt::settle::Commits;
use crate::attempt::workspace::{
    GitResult, GitStep, Guarded, Head, LeftWork, Looked, Reach, SavePlan,
};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::Facts;
use crate::flows::goals::auto::decide::{git, git_steps};
use crate::flows::goals::auto::record::{KeptWork, UnjudgedWork};
use crate::flows::goals::auto::run::Beside;
use crate::flows::goals::auto::view::{Documents, View};
use crate::flows::goals::auto::working::{Work, key};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{AutoFlow, base_tests, evidence, kept, layout};
use crate::flows::goals::layout as project;
use crate::flows::goals::runnable::Depth;
use crate::flows::goals::status_edit::{NewStatus, with_status};
use crate::steps::{Effect, EffectResult, Step, StepKey};

/// Looks around, and begins the run or refuses to.
pub(super) fn step(flow: &AutoFlow, view: &View, facts: &Facts<'_>) -> Step {
    let refuse = |refusal: &Refusal| blocked(refusal.what(facts.lang), refusal.next(facts.lang));
    if let Some(not_ready) = &flow.not_ready {
        return refuse(&Refusal::NotReady(not_ready.clone()));
    }
    let (found, start) = match looked_around(flow, view, facts) {
        Ok(found) => found,
        Err(step) => return step,
    };
    // Where nothing would run, nothing is in the way of it. What a dead process left is cleared away
    // all the same.
    if let (None, From::Base, Place::InPlace) = (&found.lock, flow.from, flow.place)
        && let Err(step) = kept::something_runs(flow, view, facts)
    {
        return step;
    }
    match start {
        StartUp::Refuse(Refusal::Git(found)) => problem(&found, facts.lang),
        StartUp::Refuse(refusal) => refuse(&refusal),
        StartUp::Begin { first, because } => match cleared(flow, view, facts, &found, &first) {
            Ok(saved) => begin(flow, view, facts, &found, saved, because.as_ref()),
            Err(step) => step,
        },
        StartUp::GiveUp { first, why } => match clear(flow, view, facts, &first) {
            Ok(saved) => give_up(flow, view, facts, &found, saved, &why),
            Err(step) => step,
        },
    }
}

/// What is found here, and what a start does about it.
fn looked_around(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
) -> Result<(Found, StartUp), Step> {
    let look = StepKey::new(&["start", &flow.run, "look"]);
    let looked = match view.results.get(&look) {
        Some(EffectResult::Git(GitResult::Refused(refused))) => Err(refused.clone()),
        Some(EffectResult::Git(GitResult::Looked(looked))) => {
            Ok(base_tests::without_leftovers(view, looked.clone()))
        }
        Some(_) => return Err(unexpected(&look, facts.lang)),
        None => {
            let effect = Effect::Git(Box::new(GitStep::Look { rules: flow.settings.tree_rules() }));
            return Err(Step::Effect { key: look, effect });
        }
    };
    let lock = lock(flow, view, looked.as_ref().ok());
    let found = found(flow, view, facts, looked, lock)?;
    let wish = Wish { place: flow.place, from: flow.from, at: facts.now };
    let start = start_up(&found, wish, &format!("{}/", project::DIRECTORY));
    Ok((found, start))
}

/// The same for a run that ends here: what is cut off is cleared away as a start would do it. Whoever
/// has seen the agent end also knows whose commits these are: they go as after any attempt that failed.
pub(super) fn clear_away(flow: &AutoFlow, view: &View, facts: &Facts<'_>) -> Option<Step> {
    let first = match looked_around(flow, view, facts) {
        Ok((_, StartUp::Begin { first, .. })) => first,
        Ok((_, StartUp::GiveUp { why, .. })) => {
            let (Strange::HeadMoved { saved: name } | Strange::OtherBranch { saved: name, .. }) =
                why
            else {
                return None;
            };
            let base = open_base(view)?.commit().clone();
            vec![StartAct::Save { name }, StartAct::BackToBase { base }, StartAct::RemoveLock]
        }
        Ok((_, StartUp::Refuse(_))) => return None,
        Err(step) => return Some(step),
    };
    match clear(flow, view, facts, &first) {
        Ok(saved) => {
            let draft = closing(view, Draft::new(view, facts, "what was cut off is cleared away"));
            Some(abandoned(flow, view, facts, recovered(flow, view, draft, saved)))
        }
        Err(step) => Some(step),
    }
}

/// Everything that a start looks at; what was left by earlier runs only where nobody died since.
fn found(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    looked: Result<Looked, GitProblem>,
    lock: Option<Lock>,
) -> Result<Found, Step> {
    let (mut kept, mut unjudged) = (None, None);
    match (&looked, &lock) {
        (Ok(looked), None) => {
            kept = kept::in_tree(flow, view, looked)?;
            unjudged = kept::unjudged(flow, view, looked)?;
        }
        (Ok(_), Some(Lock { owner: Owner::Gone, .. })) => {
            if let Some(base) = open_base(view) {
                let since = base.at();
                git(view, facts, unlock_key(flow), || GitStep::Unlock { since })?;
            }
        }
        _ => {}
    }
    Ok(Found { not_ready: None, looked, lock, kept, unjudged })
}

fn unlock_key(flow: &AutoFlow) -> StepKey {
    StepKey::new(&["start", &flow.run, "unlock"])
}

/// Nothing is cleared away for work that cannot be gone on with, or that another worker has. What a
/// dead process left goes in any case.
fn cleared<'v>(
    flow: &AutoFlow,
    view: &'v View,
    facts: &Facts<'_>,
    found: &Found,
    first: &[StartAct],
) -> Result<Option<&'v Saved>, Step> {
    let continued = match (flow.from, &found.looked) {
        (From::KeptWork, Ok(looked)) => Some(kept::goal_to_continue(flow, view, facts, looked)?),
        _ => None,
    };
    if found.lock.is_none() && !first.is_empty() {
        kept::one_is_free(flow, view, facts, continued.as_deref())?;
    }
    clear(flow, view, facts, first)
}

/// The lock to decide about. What is written down about the attempt counts for more than the file.
fn lock(flow: &AutoFlow, view: &View, looked: Option<&Looked>) -> Option<Lock> {
    let found = flow.lock.as_ref();
    let pid = found.map_or(0, |found| found.pid);
    let empty = Lock {
        pid,
        owner: Owner::Gone,
        base: None,
        tree: None,
        branch: None,
        goal: None,
        commits: Vec::new(),
        judged: None,
    };
    if found.is_some_and(|found| found.owner == Owner::Alive) {
        return Some(Lock { owner: Owner::Alive, ..empty });
    }
    if let Some(current) = &view.current {
        let documents = view.documents_of(&current.goal, current.number);
        let base = documents.and_then(|documents| documents.base.as_ref());
        let verdict = documents.and_then(Documents::last_verdict).filter(|_| current.judged);
        return Some(Lock {
            base: base.map(|base| base.commit().clone()),
            tree: base.map(|base| base.tree().clone()),
            branch: base.map(|base| base.branch().to_owned()),
            goal: Some(current.goal.clone()),
            commits: verdict.map(|verdict| verdict.head.clone()).into_iter().collect(),
            judged: verdict.map(|verdict| verdict.tree.clone()),
            ..empty
        });
    }
    // One of ours, between two attempts: nothing was under way.
    let foreign = found.filter(|found| found.goal.is_none())?;
    let head = looked.filter(|looked| looked.uncommitted.is_empty()).and_then(commit_of);
    let base = head.filter(|head| head.as_str().starts_with(&foreign.base_commit)).cloned();
    Some(Lock { base, branch: foreign.branch.clone(), ..empty })
}

fn commit_of(looked: &Looked) -> Option<&ObjectId> {
    match &looked.head {
        Head::Branch { commit, .. } | Head::Detached { commit } => Some(commit),
        Head::Unborn { .. } => None,
    }
}

/// The base of the attempt that was cut off.
fn open_base(view: &View) -> Option<&Base> {
    let current = view.current.as_ref()?;
    view.documents_of(&current.goal, current.number)?.base.as_ref()
}

/// Performs what has to happen before the beginning.
fn clear<'v>(
    flow: &AutoFlow,
    view: &'v View,
    facts: &Facts<'_>,
    first: &[StartAct],
) -> Result<Option<&'v Saved>, Step> {
    let mut saved = None;
    for act in first {
        match act {
            StartAct::Save { name } => {
                let save_key = StepKey::new(&["start", &flow.run, "save"]);
                let plan = || SavePlan {
                    name: name.clone(),
                    rules: flow.settings.tree_rules(),
                    base: open_base(view).cloned(),
                    message: "what an interrupted run left".to_owned(),
                    at: facts.now,
                    max_file_bytes: flow.settings.max_saved_file_bytes,
                    max_total_bytes: flow.settings.max_saved_bytes,
                };
                match git(view, facts, save_key.clone(), || GitStep::Save(plan()))? {
                    GitResult::Saved(done) => saved = Some(done),
                    _ => return Err(unexpected(&save_key, facts.lang)),
                }
            }
            StartAct::BackToBase { .. } => {
                if let (Some(base), Some(saved)) = (open_base(view).cloned(), saved.cloned()) {
                    let back = StepKey::new(&["start", &flow.run, "back"]);
                    git(view, facts, back, || GitStep::RollBack { base, saved })?;
                }
            }
            StartAct::Guard { refs } => {
                let reach = match refs {
                    OtherRefs::PutBack => Reach::OfGit,
                    OtherRefs::Told => Reach::OfGitButRefs,
                };
                if let Some(base) = open_base(view) {
                    git_steps(view, facts).guard(&guard_key(flow), base, reach)?;
                }
            }
            StartAct::BranchBack { branch, from, to } => {
                let (branch, from, to) = (branch.clone(), from.clone(), to.clone());
                let back = StepKey::new(&["start", &flow.run, "branch-back"]);
                git(view, facts, back, || GitStep::Advance { branch, from, to })?;
            }
            StartAct::TakeOut => {
                let commits = first.iter().any(|act| matches!(act, StartAct::BranchBack { .. }));
                if let (Some(left), Some(saved)) = (left_behind(view, commits), saved.cloned()) {
                    let left_by_tests = view.left_by_tests.iter().cloned().collect();
                    let rules = TreeRules { left_by_tests, ..flow.settings.tree_rules() };
                    let out = StepKey::new(&["start", &flow.run, "take-out"]);
                    git(view, facts, out, || GitStep::Discard { left, saved, rules })?;
                }
            }
            // The lock is the caller's, and goals change in the commit that follows.
            StartAct::RemoveLock | StartAct::BlockGoal { .. } => {}
        }
    }
    Ok(saved)
}

/// What is to go out of the tree: the work that was left in it, or what commits that go brought.
fn left_behind(view: &View, commits: bool) -> Option<LeftWork> {
    let unjudged = view.unjudged.as_ref().filter(|_| commits);
    let of_it = |goal: &str| unjudged.is_none_or(|work| work.goal_id == goal);
    let left = view.left_in_tree().filter(|(goal, _)| of_it(goal));
    let left = left.map(|(_, handed)| LeftWork {
        base: handed.kept.base.clone(),
        from: handed.kept.base_tree.clone(),
        work: handed.kept.tree.clone(),
        within: None,
    });
    let commits = |work: &UnjudgedWork| LeftWork {
        base: work.base.clone(),
        from: work.base.clone(),
        work: work.head.clone(),
        within: None,
    };
    left.or_else(|| unjudged.map(commits))
}

fn started<'v>(
    flow: &AutoFlow,
    view: &'v View,
    facts: &'v Facts<'v>,
    found: &Found,
    continues: Option<&str>,
) -> Draft<'v> {
    let recursive = flow.asked.depth == Depth::Leaves;
    let goal = &flow.asked.goal;
    let mut detail =
        json!({"run": flow.run, "goal": goal, "recursive": recursive, "continues": continues});
    if flow.place == Place::Isolated {
        detail[layout::LANE] = json!(true);
    }
    if found.looked.as_ref().is_ok_and(|looked| kept::is_elsewhere(view, looked)) {
        detail[layout::ELSEWHERE] = json!(true);
    }
    closing(view, Draft::new(view, facts, "auto begins").event(Kind::AutoStarted, detail))
}

/// Whoever had called an agent is gone.
fn closing<'v>(view: &View, draft: Draft<'v>) -> Draft<'v> {
    match &view.current {
        Some(current) => {
            let call = ["call", &current.cuts.to_string()];
            draft.closes(key(&current.goal, current.number, &call))
        }
        None => draft,
    }
}

/// The run begins. An attempt that was not judged is none; one that was is settled next.
fn begin(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    found: &Found,
    saved: Option<&Saved>,
    because: Option<&Cleared>,
) -> Step {
    let continues = match flow.from {
        From::Base => None,
        From::KeptWork => view.goal_kept(flow.asked.goal.as_deref()),
    };
    let draft = started(flow, view, facts, found, continues);
    let draft = match because {
        Some(Cleared::KeptWork { goal, name }) => {
            let mut detail = json!({"goal_id": goal, "ref": name});
            tell_beside(&mut detail, &moved_aside(flow, view));
            draft.event(Kind::KeptCleared, detail)
        }
        _ => recovered(flow, view, draft, saved),
    };
    abandoned(flow, view, facts, draft)
}

/// Tells what was done about the remains of a dead process, if anything was.
fn recovered<'v>(
    flow: &AutoFlow,
    view: &View,
    draft: Draft<'v>,
    saved: Option<&Saved>,
) -> Draft<'v> {
    let (unlocked, guarded) = (unlocked(flow, view), guarded(flow, view));
    let back = StepKey::new(&["start", &flow.run, "back"]);
    let ignored = evidence::ignored_back(view, &[back, guard_key(flow)]);
    if saved.is_none() && unlocked.is_empty() && guarded.is_none() && ignored.is_empty() {
        return draft;
    }
    let name = saved.map(|saved| &saved.work().name);
    let mut detail = json!({"ref": name, "unlocked": unlocked, "guarded": guarded});
    if let (Some(_), Some(base)) = (saved, open_base(view)) {
        detail["base"] = json!(base.tree());
    }
    tell_beside(&mut detail, &moved_aside(flow, view));
    if !ignored.is_empty() {
        detail[layout::IGNORED] = json!(ignored);
    }
    draft.event(Kind::Recovered, detail)
}

/// What was taken out of the tree and is on no ref.
fn moved_aside(flow: &AutoFlow, view: &View) -> Beside {
    let results = ["back", "take-out"].map(|part| StepKey::new(&["start", &flow.run, part]));
    let results = results.iter().filter_map(|key| view.results.get(key));
    let aside = results.filter_map(|result| match result {
        EffectResult::Git(GitResult::RolledBack(back)) => Some(back.aside.clone()),
        _ => None,
    });
    Beside::aside(&aside.flatten().collect::<Vec<_>>())
}

fn tell_beside(detail: &mut Value, beside: &Beside) {
    if !beside.is_empty() {
        detail["beside"] = json!(beside);
    }
}

fn abandoned(flow: &AutoFlow, view: &View, facts: &Facts<'_>, draft: Draft<'_>) -> Step {
    let Some(current) = view.current.as_ref().filter(|current| !current.judged) else {
        return draft.step();
    };
    let documents = view.documents_of(&current.goal, current.number);
    let Some(Documents { base: Some(base), record: Some(record), .. }) = documents else {
        // What was agreed is lost, and with it what it could be judged by. The next attempt has its own.
        let about =
            json!({"goal_id": current.goal, "attempt": current.number, "then": "interrupted"});
        let draft = draft.event(Kind::AttemptInterrupted, about.clone());
        return draft.event(Kind::AttemptSettled, about).step();
    };
    let work = Work { flow, view, facts, current, base, record };
    work.abandon(draft).step()
}

/// The remains are left as they are, the goal is a person's, and the run is over.
fn give_up(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    found: &Found,
    saved: Option<&Saved>,
    why: &Strange,
) -> Step {
    let (what, next) = (why.what(facts.lang), why.next(facts.lang));
    let mut draft = started(flow, view, facts, found, None);
    let (base, head) = (open_base(view), found.looked.as_ref().ok().and_then(commit_of));
    let mut unjudged = None;
    if let Some(current) = &view.current {
        let text = view.goals.as_ref().map(|file| file.text.as_str()).unwrap_or_default();
        let mut detail = json!({"goal_id": current.goal, "attempt": current.number, "code": "recovery", "reason": what});
        if let Ok(text) = with_status(text, &current.goal, NewStatus::Blocked { reason: &what }) {
            draft = draft.goals(text);
            if flow.settings.commits == Commits::Auto {
                detail[layout::OWED] = json!(true);
            }
        }
        if let (Some(base), Some(saved)) = (base, saved) {
            let kept = left(base, saved.work());
            detail["look"] = json!(evidence::look(base.commit(), &kept.name));
            detail["kept"] = json!(kept);
        }
        draft = draft.event(Kind::GoalBlocked, detail);
        unjudged =
            base.zip(head).filter(|(base, head)| base.commit() != *head).map(|(base, head)| {
                UnjudgedWork {
                    goal_id: current.goal.clone(),
                    branch: base.branch().to_owned(),
                    base: base.commit().clone(),
                    head: head.clone(),
                }
            });
    }
    let beside = saved.map(|saved| Beside::in_tree(&saved.work().overflow));
    let saved = saved.map(|saved| saved.work().name.clone());
    let (unlocked, guarded) = (unlocked(flow, view), guarded(flow, view));
    let mut detail = json!({"ref": saved, "what": what, "next": next, "unlocked": unlocked, "guarded": guarded, "unjudged": unjudged});
    tell_beside(&mut detail, &beside.unwrap_or_default());
    draft.event(Kind::Recovered, detail).step()
}

/// What a dead attempt left, so that it is known again while it lies in the tree.
fn left(base: &Base, saved: &SavedWork) -> KeptWork {
    KeptWork {
        name: saved.name.clone(),
        commit: saved.commit.clone(),
        tree: saved.tree.clone(),
        branch: base.branch().to_owned(),
        base: base.commit().clone(),
        base_tree: base.tree().clone(),
        in_tree: true,
    }
}

fn guard_key(flow: &AutoFlow) -> StepKey {
    StepKey::new(&["start", &flow.run, "guard"])
}

/// What of git's own was not as the dead attempt had found it.
fn guarded(flow: &AutoFlow, view: &View) -> Option<Guarded> {
    match view.results.get(&guard_key(flow)) {
        Some(EffectResult::Git(GitResult::Guarded(guarded))) if !guarded.is_empty() => {
            Some(guarded.clone())
        }
        _ => None,
    }
}

/// Locks of git that were taken away before.
fn unlocked(flow: &AutoFlow, view: &View) -> Vec<String> {
    match view.results.get(&unlock_key(flow)) {
        Some(EffectResult::Git(GitResult::Unlocked { paths })) => paths.clone(),
        _ => Vec::new(),
    }
}
