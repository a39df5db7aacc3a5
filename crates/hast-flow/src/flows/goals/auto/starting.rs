//! The beginning of a run: what keeps it from starting, what is told about what is found, and the first
//! event. Nothing is cleared away: an agent works in a room, and the checkout is the user's.

use serde_json::json;

use crate::attempt::git_problem::GitProblem;
use crate::attempt::recovery::{Refusal, StartFindings, StartFrom, refusal};
use crate::attempt::workspace::{GitResult, GitStep, Head, Looked};
use crate::attempt::worktrees::{WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::GoalsEventKind as Kind;
use crate::driver::Facts;
use crate::flows::goals::auto::lanes::view::LanesView;
use crate::flows::goals::auto::lanes::{LanesFlow, decide::worktree};
use crate::flows::goals::auto::record::EarlierWork;
use crate::flows::goals::auto::view::{Current, View};
use crate::flows::goals::auto::working::key;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{AutoFlow, kept, layout};
use crate::flows::goals::layout as project;
use crate::flows::goals::runnable::Depth;
use crate::steps::{Effect, EffectResult, Step, StepKey};

/// How many uncommitted files of the user an event names.
const NAMED: usize = 20;

/// Looks around, and begins the run or refuses to. Lanes that nobody asked for are named.
pub(super) fn step(
    flow: &LanesFlow,
    view: &LanesView,
    facts: &Facts<'_>,
    left_alone: &[&str],
) -> Step {
    begin(flow, view, facts, left_alone).unwrap_or_else(|step| step)
}

fn begin(
    flow: &LanesFlow,
    lanes: &LanesView,
    facts: &Facts<'_>,
    left_alone: &[&str],
) -> Result<Step, Step> {
    let (auto, view) = (&flow.auto, &lanes.of_start());
    let mut found = StartFindings {
        not_ready: auto.not_ready.as_ref(),
        running: auto.running,
        ..StartFindings::default()
    };
    refuse(&found, facts)?;
    let earlier = earlier(lanes, view);
    let nothing_open = lanes.lanes.is_empty() && view.owed.is_none() && earlier.is_empty();
    if nothing_open && auto.from == StartFrom::Base {
        kept::something_runs(auto, view, facts)?;
    }
    let at = |part: &str| StepKey::new(&["start", &auto.run, part]);
    let tip = worktree(view, facts, at("tip"), || WorktreeStep::Tip { onto: None })?;
    let head = match tip {
        WorktreeResult::Tip(head) => Ok(head),
        WorktreeResult::Refused(problem) => Err(problem),
        _ => return Err(unexpected(&at("tip"), facts.lang)),
    };
    found.head = Some(head);
    refuse(&found, facts)?;
    let uncommitted = uncommitted(auto, view, at("look"))?;
    if let Err(problem) = uncommitted {
        found.head = Some(Err(problem));
        refuse(&found, facts)?;
    }
    let uncommitted = uncommitted.unwrap_or_default();
    found.to_commit = view.to_commit.as_ref().map(|(goal, paths)| {
        let still = paths.iter().filter(|path| uncommitted.contains(path));
        (goal.as_str(), still.cloned().collect())
    });
    refuse(&found, facts)?;
    let continues = match (auto.from, head) {
        (
            StartFrom::KeptWork | StartFrom::KeptWorkAsItIs,
            Ok(Head::Branch { commit, .. } | Head::Detached { commit }),
        ) => Some(kept::goal_to_continue(auto, view, facts, commit)?),
        _ => None,
    };
    let detail = json!({
        "run": auto.run,
        "goal": auto.asked.goal,
        "recursive": auto.asked.depth == Depth::Leaves,
        "continues": continues,
        layout::FEWER_TESTS: auto.from == StartFrom::KeptWorkAsItIs,
        layout::UNCOMMITTED: uncommitted.iter().take(NAMED).collect::<Vec<_>>(),
        layout::LEFT_ALONE: left_alone,
        layout::EARLIER: earlier,
    });
    let draft = Draft::new(view, facts, "auto begins").event(Kind::AutoStarted, detail);
    Ok(match lanes.in_place() {
        Some(current) => close(draft, current).step(),
        None => draft.step(),
    })
}

fn refuse(found: &StartFindings<'_>, facts: &Facts<'_>) -> Result<(), Step> {
    match refusal(found) {
        None => Ok(()),
        Some(Refusal::Git(found)) => Err(problem(&found, facts.lang)),
        Some(refusal) => Err(blocked(refusal.what(facts.lang), refusal.next(facts.lang))),
    }
}

/// Uncommitted files of the user. What is wrong with the whole repository is told before anything begins;
/// anything else that keeps git from looking is in nobody's way.
fn uncommitted<'v>(
    auto: &AutoFlow,
    view: &'v View,
    key: StepKey,
) -> Result<Result<Vec<String>, &'v GitProblem>, Step> {
    let look = GitStep::Look { rules: auto.settings.tree_rules() };
    match view.results.get(&key) {
        None => Err(Step::Effect { key, effect: Effect::Git(Box::new(look)) }),
        Some(EffectResult::Git(GitResult::Looked(looked))) => Ok(Ok(users_files(looked))),
        Some(EffectResult::Git(GitResult::Refused(problem))) if problem.is_everybodys() => {
            Ok(Err(problem))
        }
        Some(_) => Ok(Ok(Vec::new())),
    }
}

/// Uncommitted files outside of hast's own directory.
fn users_files(looked: &Looked) -> Vec<String> {
    let own = format!("{}/", project::DIRECTORY);
    let paths = looked.uncommitted.iter().map(|file| &file.path);
    paths.filter(|path| !path.starts_with(&own)).cloned().collect()
}

/// What a version that worked in the checkout left there. It is told once, and nothing is done about it.
fn earlier(lanes: &LanesView, view: &View) -> Vec<EarlierWork> {
    let mut all = Vec::new();
    if let Some(current) = lanes.in_place() {
        let documents = lanes.shared.documents_of(&current.goal, current.number);
        let base = documents.and_then(|documents| documents.base.as_ref());
        let (goal_id, base) = (current.goal.clone(), base.map(|base| base.commit().clone()));
        all.push(EarlierWork::Attempt { goal_id, base });
    }
    if let Some(work) = &view.unjudged {
        let (goal_id, base, head) = (work.goal_id.clone(), work.base.clone(), work.head.clone());
        all.push(EarlierWork::Commits { goal_id, base, head });
    }
    if let Some((goal, kept)) = &view.in_tree {
        let (goal_id, name, base) = (goal.clone(), kept.name.clone(), kept.base.clone());
        all.push(EarlierWork::Uncommitted { goal_id, name, base });
    }
    all
}

/// Ends an attempt that was made in the checkout. Its status, if it had one already, is committed later.
fn close<'v>(draft: Draft<'v>, current: &Current) -> Draft<'v> {
    let (goal, number) = (&current.goal, current.number);
    let draft = draft.closes(key(goal, number, &["call", &current.cuts.to_string()]));
    if current.settled.is_some() {
        let detail = json!({"goal_id": goal, "refused": "", layout::OWED: true});
        return draft.event(Kind::GoalsCommitted, detail);
    }
    let about = json!({
        "goal_id": goal,
        "attempt": number,
        "then": "interrupted",
        layout::COUNTS: false,
    });
    draft.event(Kind::AttemptInterrupted, about.clone()).event(Kind::AttemptSettled, about)
}
