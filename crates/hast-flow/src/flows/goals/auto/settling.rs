//! A judged attempt is settled here, act by act, and its goal with it. Each call names the next act
//! that is not done yet, or the commit that closes the settlement.

use serde_json::{Value, json};

use crate::attempt::base::{ObjectId, Saved};
use crate::attempt::hooked;
use crate::attempt::judge::Verdict;
use crate::attempt::settle::{Act, Attempt, Blocked, Then, settle};
use crate::attempt::workspace::{CommitPlan, Content, GitResult, GitStep, Identity};
use crate::attempt_steps::{CommitKeys, Committed, blocked};
use crate::docs::goals::{GoalsEventKind as Kind, HandoffName};
use crate::driver::Facts;
use crate::flows::goals::auto::asking::{git, git_steps, if_possible, lease};
use crate::flows::goals::auto::judging::Round;
use crate::flows::goals::auto::lanes::wanted::{Asking, Word};
use crate::flows::goals::auto::publishing::StatusCommit;
use crate::flows::goals::auto::record::{KeptWork, ToldStatus, VerdictRecord};
use crate::flows::goals::auto::retry::agreeing_command;
use crate::flows::goals::auto::run::Beside;
use crate::flows::goals::auto::view::{Current, Documents, Settled, View};
use crate::flows::goals::auto::working::{Work, key};
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{evidence, lanes, layout, words};
use crate::flows::goals::runnable::parents_done;
use crate::flows::goals::selection::Placed;
use crate::leases::{LeaseResult, LeaseStep};
use crate::steps::Step;
use crate::time::OffsetTime;

/// What the acts have come to.
pub(super) struct Outcome<'v> {
    pub(super) head: ObjectId,
    pub(super) saved: Option<&'v Saved>,
    /// The branch that keeps the work.
    branch: Option<String>,
    /// What is on no ref.
    beside: Beside,
    /// What was put into the checkout and is not committed.
    pub(super) uncommitted: Vec<String>,
}

impl Outcome<'_> {
    pub(super) fn at(head: &ObjectId) -> Self {
        let (saved, branch, beside) = (None, None, Beside::default());
        Self { head: head.clone(), saved, branch, beside, uncommitted: Vec::new() }
    }
}

/// Settles a judged attempt: the next act that is not done yet, or the commit that says all are.
pub(super) fn step(work: &Work<'_>, record: &VerdictRecord, all: &[Placed<'_>]) -> Step {
    let goal = work.current.goal.as_str();
    // What passed alone gets one more attempt, whatever is left of the others.
    let bounced = record.verdict.reason.is_of_the_merge();
    let attempt = work.attempt(if bounced { 0 } else { work.view.ledger(goal).spent() });
    let plan = settle(&record.verdict, &attempt);
    let mut outcome = Outcome::at(&record.head);
    for act in &plan.acts {
        if let Err(step) = perform(work, record, act, &mut outcome) {
            return step;
        }
    }
    let branch = outcome.branch.clone();
    let handed = match (&plan.then, outcome.saved) {
        (Then::Block(_), Some(saved)) => match handed_over(work, record, saved, &outcome) {
            Ok(told) => Some((told, branch)),
            Err(step) => return step,
        },
        _ => None,
    };
    let not_ours = match &plan.then {
        Then::Block(_) => not_ours(work, &outcome).unwrap_or_else(Some),
        _ => None,
    };
    not_ours.unwrap_or_else(|| settled(work, &plan.then, &outcome, handed, all))
}

impl Work<'_> {
    /// The attempt as its settlement sees it, with what was spent on the goal.
    pub(super) fn attempt(&self, spent: u32) -> Attempt<'_> {
        Attempt {
            goal: &self.current.goal,
            title: &self.record.title,
            kind: self.record.kind(),
            number: self.current.number,
            spent,
            max_retries: self.record.max_retries,
            commits: self.record.commits(),
        }
    }
}

/// What a person needs to decide about work that is handed over, and what a later start needs to
/// know it again.
fn handed_over(
    work: &Work<'_>,
    record: &VerdictRecord,
    saved: &Saved,
    outcome: &Outcome<'_>,
) -> Result<Value, Step> {
    let (base, saved) = (work.base, saved.work());
    let compare = || GitStep::Compare { from: base.tree().clone(), to: saved.tree.clone() };
    let diff = match if_possible(work.view, work.key(&["diff"]), compare)? {
        Some(GitResult::Compared(lines)) => evidence::diff(lines),
        _ => Value::Null,
    };
    let kept = KeptWork {
        name: saved.name.clone(),
        commit: saved.commit.clone(),
        tree: saved.tree.clone(),
        branch: base.branch().to_owned(),
        base: base.commit().clone(),
        base_tree: base.tree().clone(),
        in_tree: false,
    };
    let mut look = evidence::look_at_all(base.commit(), &kept.name, &outcome.beside);
    if record.verdict.reason.asks_about_tests() {
        look.push(agreeing_command(&work.current.goal));
    }
    Ok(json!({
        "title": work.record.title,
        "class": record.verdict.class,
        "verdict": record.verdict.reason.code(),
        layout::FOUND: record.verdict.reason,
        "diff": diff,
        "test_tail": evidence::tail(&record.test_tail),
        layout::CHANGED_TESTS: record.changed_tests,
        "look": look,
        "kept": kept,
    }))
}

pub(super) fn perform<'v>(
    work: &Work<'v>,
    record: &VerdictRecord,
    act: &Act,
    outcome: &mut Outcome<'v>,
) -> Result<(), Step> {
    match act {
        Act::Commit { message } if record.uncommitted => {
            outcome.head = commit(work, record, message)?;
        }
        // The agent's own commits are all there is, and the room's ref is at them.
        Act::Commit { .. } => {}
        Act::Save { .. } => {
            let save = work.key(&["save"]);
            let steps = git_steps(work.view, work.facts);
            outcome.saved = Some(steps.save(&save, || work.save_plan())?);
        }
        Act::Keep { branch } => {
            let Some(saved) = outcome.saved else { return Ok(()) };
            // What passed is kept as it would have been merged.
            let passed = record.verdict.reason.is_of_the_merge() && work.record.commits;
            let commit = if passed { &record.head } else { &saved.work().commit }.clone();
            let keep = || GitStep::Keep { branch: branch.clone(), commit };
            let kept = git(work.view, work.facts, work.key(&["keep"]), keep)?;
            if let GitResult::Kept { branch } = kept {
                outcome.branch = Some(branch.clone());
            }
        }
        // Done where it is known which room it comes from.
        Act::PutIntoCheckout => {}
        Act::RollBack => roll_back(work, outcome)?,
    }
    Ok(())
}

fn roll_back(work: &Work<'_>, outcome: &mut Outcome<'_>) -> Result<(), Step> {
    let Some(saved) = outcome.saved else { return Ok(()) };
    let (base, saved) = (work.base.clone(), saved.clone());
    let back = || GitStep::RollBack { base, saved };
    if let GitResult::RolledBack(back) = git(work.view, work.facts, work.key(&["rollback"]), back)?
    {
        outcome.beside = Beside::aside(&back.aside);
    }
    outcome.head = work.base.commit().clone();
    Ok(())
}

/// The user's hooks, then the commit, then the branch moves to it. Its date is the verdict's, so
/// that doing it again makes the same commit.
fn commit(work: &Work<'_>, record: &VerdictRecord, message: &str) -> Result<ObjectId, Step> {
    let plan = || CommitPlan {
        content: Content::Tree(record.commit_tree.clone()),
        parent: record.head.clone(),
        message: message.to_owned(),
        at: record.judged_at,
        identity: Identity::Users,
    };
    let documents = work.view.documents_of(&work.current.goal, work.current.number);
    let hooked = documents.is_some_and(|documents| documents.hooked.is_some());
    let keys = CommitKeys {
        hooks: work.key(&[if hooked { "hooks-again" } else { "hooks" }]),
        build: work.key(&["build"]),
        advance: work.key(&["advance"]),
    };
    match git_steps(work.view, work.facts).commit(&keys, work.base, plan)? {
        Committed::At(commit) => Ok(commit),
        Committed::Refused(why) => Err(refused(work, record, why)),
        Committed::Rewritten { hook } => Err(rewritten(work, record, &hook)),
    }
}

/// What the user's hooks made of the content is judged and tested, once: hooks that change it again refuse it.
fn rewritten(work: &Work<'_>, record: &VerdictRecord, hook: &str) -> Step {
    let documents = work.view.documents_of(&work.current.goal, work.current.number);
    let judged_before = documents.is_some_and(|documents| documents.hooked.is_some());
    match &work.current.ended {
        Some(ended) if !judged_before => {
            let end = OffsetTime::new(ended.at.instant(), work.flow.settings.offset);
            work.inspect(&ended.end, end, Round::Hooked)
        }
        _ => refused(work, record, hooked::say::changed_content(work.facts.lang, hook)),
    }
}

/// A refusal of the user's hooks is a second verdict: the attempt failed.
fn refused(work: &Work<'_>, record: &VerdictRecord, why: String) -> Step {
    let verdict = Verdict::commit_refused(why);
    let text = verdict.reason.text(work.facts.lang);
    let record = VerdictRecord { verdict, text, judged_at: work.facts.now, ..record.clone() };
    let draft = Draft::new(work.view, work.facts, "the commit was refused");
    work.judged(draft, layout::REFUSED, &record).step()
}

/// Why a goal is handed to a person, in the words that its last attempt was judged with.
fn told(work: &Work<'_>, why: &Blocked) -> String {
    let documents = work.view.documents_of(&work.current.goal, work.current.number);
    match documents.and_then(Documents::last_verdict) {
        Some(verdict) => why.telling(verdict.text.clone(), work.facts.lang),
        None => why.text(work.facts.lang),
    }
}

/// Says what became of an attempt, and of its goal.
pub(super) fn settled(
    work: &Work<'_>,
    then: &Then,
    outcome: &Outcome<'_>,
    handed: Option<(Value, Option<String>)>,
    all: &[Placed<'_>],
) -> Step {
    let (goal, number) = (&work.current.goal, work.current.number);
    let (word, status) = match then {
        Then::TryAgain => ("try_again", None),
        Then::Done => ("done", Some(ToldStatus::Done)),
        Then::DoneAndStop => ("done_and_stop", Some(ToldStatus::Done)),
        Then::Block(why) => ("blocked", Some(ToldStatus::Blocked { reason: told(work, why) })),
        Then::Wait | Then::Stop => {
            return blocked(words::waiting(work.facts.lang), words::waiting_next(work.facts.lang));
        }
    };
    let here = match status.as_ref().map(|_| lanes::status::is_written_here(work)) {
        Some(Err(step)) => return step,
        Some(Ok(here)) => here,
        None => true,
    };
    let file = work.view.goals.as_ref();
    let write = |status: &ToldStatus| file.and_then(|file| file.with_goal(goal, status));
    let edited = status.as_ref().filter(|_| here).map(write);
    let by_hand = matches!(edited, Some(None));
    let commits_goals = work.record.commits && status.is_some() && !by_hand;
    let mut detail = about_attempt(work, word, outcome);
    if commits_goals {
        detail["commit_goals_on"] = json!(outcome.head);
        detail["status"] = json!(status);
        detail["written"] = json!(here);
    }
    let draft = Draft::new(work.view, work.facts, &format!("{goal} attempt {number}: {word}"));
    let draft = match edited.flatten() {
        Some(text) => draft.goals(text),
        None => draft,
    };
    let passed = matches!(then, Then::Done | Then::DoneAndStop);
    let draft = ignored_handoffs(work)
        .into_iter()
        .filter(|_| passed && here)
        .fold(draft, |draft, (name, bytes)| {
            draft.create(&format!("{}{name}", layout::HANDOFFS), bytes)
        });
    let mut about = about(work, handed, by_hand);
    // The goal first: settling ends the attempt.
    let draft = match then {
        Then::Done | Then::DoneAndStop => {
            let parents = if here { parents_done(all, goal) } else { Vec::new() };
            about["parents"] = json!(parents);
            draft.event(Kind::GoalDone, about)
        }
        Then::Block(why) => {
            about["code"] = json!(why.code());
            about["reason"] = json!(told(work, why));
            about[layout::ATTEMPTS_MADE] = json!(why.attempts());
            draft.event(Kind::GoalBlocked, about)
        }
        Then::TryAgain | Then::Wait | Then::Stop => draft,
    };
    let draft = draft.event(Kind::AttemptSettled, detail);
    // The note of what follows rides along.
    match then {
        Then::TryAgain => draft.starts(key(goal, number + 1, &["record"])).step(),
        _ if commits_goals => draft.starts(key(goal, number, &[lanes::status::STANDING])).step(),
        _ => draft.step(),
    }
}

/// Handoffs of an attempt that no commit brings into the checkout: the next session reads them there.
fn ignored_handoffs(work: &Work<'_>) -> Vec<(String, Vec<u8>)> {
    let documents = work.view.documents_of(&work.current.goal, work.current.number);
    let verdict = documents.and_then(Documents::last_verdict);
    let names = verdict.iter().flat_map(|verdict| &verdict.ignored_handoffs);
    let known = names.filter_map(|name| {
        let bytes = work.view.handoffs.get(&name.parse::<HandoffName>().ok()?)?;
        (!bytes.is_empty()).then(|| (name.clone(), bytes.clone()))
    });
    known.collect()
}

/// A goal that is not blocked though its attempt was: another worker has it by now, or people have decided
/// about it themselves. Theirs stands, and the work is kept.
fn not_ours(work: &Work<'_>, outcome: &Outcome<'_>) -> Result<Option<Step>, Step> {
    let (seen, facts, goal) = (work.view, work.facts, work.current.goal.as_str());
    let step = LeaseStep::Keep { unit: goal.to_owned() };
    let LeaseResult::Held { .. } = lease(seen, facts, &work.key(&["lease-again"]), step)? else {
        let draft = Draft::new(seen, facts, &format!("{goal} is somebody else's"));
        let detail = about_attempt(work, "lease_lost", outcome);
        return Ok(Some(draft.event(Kind::AttemptSettled, detail).step()));
    };
    let Some(onto) = &work.view.onto else { return Ok(None) };
    let (key, since) = (|part: &str| work.key(&[part]), work.base.commit());
    let asking = Asking { seen, facts, goal, onto, since, key: &key };
    let Word::Withdrawn(status) = asking.word()? else { return Ok(None) };
    let mut detail = about_attempt(work, layout::WITHDRAWN, outcome);
    detail["status_is"] = json!(status);
    let draft = Draft::new(seen, facts, &format!("{goal} is not wanted any more"));
    Ok(Some(draft.event(Kind::AttemptSettled, detail).step()))
}

/// What is told of the attempt, and of where its work is.
pub(super) fn about_attempt(work: &Work<'_>, word: &str, outcome: &Outcome<'_>) -> Value {
    let (goal, number) = (&work.current.goal, work.current.number);
    let mut detail =
        json!({"goal_id": goal, "attempt": number, "then": word, "head": outcome.head});
    if let Some(saved) = outcome.saved {
        detail["saved"] = json!(saved.work());
        detail["base"] = json!(work.base.tree());
    }
    // What was not committed has none.
    if word == "done" && outcome.head != *work.base.commit() {
        detail["commit"] = json!(outcome.head);
    }
    if let Some(branch) = &outcome.branch {
        detail["branch"] = json!(branch);
    }
    if !outcome.uncommitted.is_empty() {
        detail[layout::UNCOMMITTED] = json!(outcome.uncommitted);
    }
    if !outcome.beside.is_empty() {
        detail["beside"] = json!(outcome.beside);
    }
    detail
}

/// What is told of the goal.
fn about(work: &Work<'_>, handed: Option<(Value, Option<String>)>, by_hand: bool) -> Value {
    let (mut about, branch) = handed.unwrap_or((json!({}), None));
    about["goal_id"] = json!(work.current.goal);
    about["attempt"] = json!(work.current.number);
    if let Some(branch) = branch {
        about["branch"] = json!(branch);
    }
    if by_hand {
        about["by_hand"] = Value::Bool(true);
    }
    about
}

/// What the steps of the first try are called; another try has names of its own.
pub(super) const FIRST: &str = "goals";

/// With `commit: auto` each status change of goals.yaml is a commit of that file alone.
pub(super) fn commit_goals_on(
    view: &View,
    facts: &Facts<'_>,
    current: &Current,
    settled: &Settled,
    (branch, part): (&str, &str),
) -> Step {
    let (goal, number) = (current.goal.as_str(), current.number);
    let commit = StatusCommit {
        goals: std::slice::from_ref(&current.goal),
        branch: branch.to_owned(),
        head: settled.head.clone(),
        at: settled.at,
        text: None,
        build: key(goal, number, &[&format!("{part}-build")]),
        advance: key(goal, number, &[&format!("{part}-advance")]),
    };
    commit.step(view, facts)
}
