//! How a run of `auto` ends: what it did, and what of that which was asked for other workers have or
//! waits for a person. Whoever named a goal hears that it is done only where it is.

use std::collections::BTreeSet;

use serde_json::json;

use crate::attempt::reason::Reason;
use crate::attempt_steps::blocked;
use crate::docs::goals::{Goal, GoalStatus, GoalsEventKind as Kind};
use crate::driver::Facts;
use crate::driver::endings::stops;
use crate::flows::goals::auto::AutoFlow;
use crate::flows::goals::auto::run::{Run, Withdrawn};
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::words;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::runnable::{
    Asked, Choice, LeftOver, Nothing, Refused, left_over, not_begun,
};
use crate::flows::goals::selection::{Placed, ids_below};
use crate::flows::goals::status_edit::status_word;
use crate::flows::goals::waiting::listed;
use crate::steps::{CallResult, Commit, EffectResult, Ending, Notice, Step};
use crate::time::OffsetTime;
use crate::words::{Lang, shell_word};

/// So many blocked goals are named, and so much of each reason.
const NAMED: usize = 5;
const REASON: usize = 60;

/// What the end of a run is measured by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left<'a> {
    pub(super) asked: &'a Asked,
    pub(super) all: &'a [Placed<'a>],
    /// Goals that another worker has, as far as was asked.
    pub(super) elsewhere: &'a BTreeSet<String>,
}

/// What stops a run and passes, or needs a person, is told where the inbox looks.
pub(super) fn stopped(view: &View, result: &CallResult, facts: &Facts<'_>) -> Option<Commit> {
    let (cause, agent, until) = match result {
        CallResult::Limited { agent, until } => ("limit", Some(agent), Some(until.at())),
        CallResult::LoginNeeded { agent, .. } => ("login", Some(agent), None),
        CallResult::OverBudget { .. } => ("budget", None, None),
        CallResult::NotStarted { .. } => ("not_started", None, None),
        CallResult::Completed(_)
        | CallResult::Broken { .. }
        | CallResult::Failed { .. }
        | CallResult::Blocked { .. }
        | CallResult::Cancelled => return None,
    };
    let notice = match stops(&EffectResult::Call(result.clone()), facts.lang)? {
        Ending::Waiting { notice, .. } | Ending::Blocked(notice) => notice,
        Ending::Done(_) | Ending::Failed(_) | Ending::Interrupted(_) => return None,
    };
    let current = view.current.as_ref();
    let detail = json!({
        "cause": cause,
        "goal_id": current.map(|current| &current.goal),
        "attempt": current.map(|current| current.number),
        "agent": agent,
        "until": until,
        "what": notice.what,
        "next": notice.next,
    });
    Some(Draft::note(view, facts, "stopped").event(Kind::Stopped, detail).commit())
}

/// There is nothing to begin with, whatever ends.
pub(super) fn over(run: &Run, choice: &Choice<'_, '_>, left: Left<'_>, lang: Lang) -> Step {
    match choice {
        Choice::Nothing(nothing) => ending(run, nothing, left, lang),
        Choice::Refused(refused) if run.tried.is_empty() && left.elsewhere.is_empty() => {
            let (what, next) = (refused.what(lang), refused.next(lang));
            let notice = Notice { what, next };
            Step::Finish(match refused {
                Refused::Blocked { .. } => Ending::Blocked(notice),
                _ => Ending::Failed(notice),
            })
        }
        Choice::Refused(_) | Choice::Run(_) => ending(run, &Nothing::AllTried, left, lang),
    }
}

/// Goals that were blocked before are this run's business only where what they are part of was named;
/// those that another worker has, also where nothing was done because of that.
pub(super) fn ending(run: &Run, nothing: &Nothing, left: Left<'_>, lang: Lang) -> Step {
    let (claimed, before) = (left.claimed(run, lang), left.blocked_before(run, lang));
    let NotComeTo { waiting, people, closed } = left.not_come_to(run, lang);
    if let Some(Notice { what, next }) = trouble(run, left.all, lang) {
        let others = [&claimed, &waiting, &people, &closed, &before].into_iter().flatten();
        let others = others.map(|notice| notice.what.clone());
        return blocked(joined([what].into_iter().chain(others)), next);
    }
    let (named, done) = (left.asked.goal.is_some(), done(run, lang));
    let nothing = || Notice { what: nothing.what(lang), next: nothing.next(lang) };
    let any = [&claimed, &waiting, &people, &closed].into_iter().any(Option::is_some);
    let own = done.clone().or_else(|| (!any).then(nothing));
    let whats = [&own, &claimed, &waiting, &people, &closed, &before].into_iter().flatten();
    let what = joined(whats.map(|one| one.what.clone()));
    let ours = |notice: Option<Notice>| notice.filter(|_| named || done.is_none());
    let (before, waiting, people) = (ours(before), ours(waiting), ours(people));
    let closed = closed.filter(|_| done.is_none());
    // Nothing goes on while work lies uncommitted in the checkout.
    let next = match &own {
        Some(own) if run.stop => Some(own),
        _ => [&claimed, &before, &waiting, &people, &closed, &own].into_iter().flatten().next(),
    };
    let notice = Notice { what, next: next.cloned().unwrap_or_else(nothing).next };
    Step::Finish(match (claimed, before, waiting) {
        (Some(_), _, _) if named || done.is_none() => Ending::Failed(notice),
        (_, Some(_), _) if named => Ending::Blocked(notice),
        (_, _, Some(_)) if named => Ending::Failed(notice),
        _ => Ending::Done(notice),
    })
}

/// More could be done, and the run ends because somebody said how far it goes.
pub(super) fn bounded(flow: &AutoFlow, run: &Run, left: Left<'_>, facts: &Facts<'_>) -> Step {
    let lang = facts.lang;
    let goals = not_begun(left.all, left.asked, &run.tried);
    if goals.is_empty() {
        return ending(run, &Nothing::AllTried, left, lang);
    }
    let goals = listed(goals);
    let what = match flow.bounds.until.filter(|_| flow.bounds.is_late(facts.now)) {
        Some(until) => {
            let local = OffsetTime::new(until.instant(), flow.settings.offset).local();
            words::bounded_by_time(lang, local.strftime("%H:%M"), goals)
        }
        None => words::bounded_by_count(lang, flow.bounds.goals.unwrap_or_default(), goals),
    };
    let before = left.blocked_before(run, lang);
    match (trouble(run, left.all, lang), done(run, lang)) {
        (Some(trouble), _) => blocked(joined([trouble.what, what].into_iter()), trouble.next),
        (None, own) => {
            let own = own.map(|own| own.what);
            let before = before.map(|before| before.what);
            let what = joined(own.into_iter().chain([what]).chain(before));
            Step::Finish(Ending::Done(Notice { what, next: words::bounded_next(lang) }))
        }
    }
}

fn joined(whats: impl Iterator<Item = String>) -> String {
    whats.collect::<Vec<_>>().join("; ")
}

/// Active leaves of what was asked for that the run could not come to.
#[derive(Default)]
struct NotComeTo {
    /// They wait for other goals.
    waiting: Option<Notice>,
    /// A person does them.
    people: Option<Notice>,
    /// They are part of what is pending, done or dropped.
    closed: Option<Notice>,
}

impl Left<'_> {
    /// Goals that the run would have come to, and that others have.
    fn claimed(&self, run: &Run, lang: Lang) -> Option<Notice> {
        let open: Vec<&str> = self
            .elsewhere
            .iter()
            .filter(|goal| !run.tried.contains(*goal))
            .map(String::as_str)
            .collect();
        let notice = || Notice {
            what: words::claimed_elsewhere(lang, open.join(", ")),
            next: words::claimed_elsewhere_next(lang),
        };
        (!open.is_empty()).then(notice)
    }

    fn not_come_to(&self, run: &Run, lang: Lang) -> NotComeTo {
        if run.stop {
            return NotComeTo::default();
        }
        let mut tried = run.tried.clone();
        tried.extend(self.elsewhere.iter().cloned());
        let LeftOver { waiting, to_people, closed } = left_over(self.all, self.asked, &tried);
        let told = |nothing: Nothing| Notice { what: nothing.what(lang), next: nothing.next(lang) };
        NotComeTo {
            waiting: (!waiting.is_empty()).then(|| told(Nothing::AllWait { waiting })),
            people: (!to_people.is_empty()).then(|| told(Nothing::LeftToPeople { ids: to_people })),
            closed: (!closed.is_empty()).then(|| told(Nothing::AllClosed { closed })),
        }
    }

    /// Leaves of what was asked for that wait for a person, and not because of this run.
    fn blocked_before(&self, run: &Run, lang: Lang) -> Option<Notice> {
        let waits = |goal: &&Goal| {
            let is_leaf = goal.children.is_empty();
            is_leaf && goal.status == GoalStatus::Blocked && !run.blocked.contains(&goal.id)
        };
        let mut waiting: Vec<&Goal> = self.all.iter().map(|one| one.goal).filter(waits).collect();
        if let Some(id) = &self.asked.goal {
            let named = self.all.iter().map(|one| one.goal).find(|goal| goal.id == *id);
            // Whoever calls the whole done has decided about its parts.
            let named = named.filter(|goal| goal.status != GoalStatus::Done);
            let below = named.map(ids_below).unwrap_or_default();
            waiting.retain(|goal| below.contains(goal.id.as_str()));
        }
        let first = waiting.first()?;
        let mut told: Vec<String> =
            waiting.iter().take(NAMED).map(|goal| with_reason(goal)).collect();
        if let Some(more) = waiting.len().checked_sub(NAMED).filter(|more| *more > 0) {
            told.push(format!("+{more}"));
        }
        let what = words::blocked_before(lang, told.join(", "));
        Some(Notice { what, next: words::blocked_before_next(lang, shell_word(&first.id)) })
    }
}

fn with_reason(goal: &Goal) -> String {
    let reason = goal.blocked_reason.as_deref().unwrap_or_default();
    let line = reason.trim().lines().next().unwrap_or_default();
    let short: String = line.chars().take(REASON).collect();
    // No word is cut.
    let whole = short.len() == line.len();
    let short =
        if whole { &*short } else { short.rsplit_once(' ').map_or(&*short, |(cut, _)| cut) };
    let more = if whole && line.len() == reason.trim().len() { "" } else { "…" };
    if short.is_empty() { goal.id.clone() } else { format!("{} ({short}{more})", goal.id) }
}

/// What the run leaves to a person.
fn trouble(run: &Run, all: &[Placed<'_>], lang: Lang) -> Option<Notice> {
    if !run.by_hand.is_empty() {
        let what = words::by_hand(lang, run.by_hand.join(", "));
        return Some(Notice { what, next: words::by_hand_next(lang) });
    }
    if let Some(first) = run.blocked.first() {
        let next = if run.stuck.contains_key(first) {
            words::lane_stuck_next(lang, shell_word(first))
        } else if run.lost_tests.contains(first) {
            words::fewer_tests_next(lang, shell_word(first))
        } else {
            words::blocked_next(lang, shell_word(first))
        };
        let in_file = |goal: &String| all.iter().find(|one| one.goal.id == *goal);
        // An attempt has its lines in the summary; where there was none, this is the only place.
        let named = |goal: &String| match run.stuck.get(goal).map(|why| why.trim()) {
            Some(why) if !why.is_empty() => format!("{goal} ({why})"),
            _ => in_file(goal).map_or_else(|| goal.clone(), |one| with_reason(one.goal)),
        };
        let what = match run.blocked.as_slice() {
            [only] if !run.stuck.contains_key(only) => {
                one_blocked(run, only, in_file(only).map(|one| one.goal), lang)
            }
            all => {
                let goals: Vec<String> = all.iter().map(named).collect();
                words::blocked(lang, goals.join(", "))
            }
        };
        return Some(Notice { what, next });
    }
    run.withdrawn.first().map(|first| withdrawn(first, &run.withdrawn, lang))
}

/// The only goal that was handed over has room for its whole reason.
fn one_blocked(run: &Run, id: &str, goal: Option<&Goal>, lang: Lang) -> String {
    let written = goal.and_then(|goal| goal.blocked_reason.as_deref()).unwrap_or_default();
    let Some((attempts, found)) = run.used_up.get(id) else {
        return words::one_blocked(lang, id, first_line(written));
    };
    let why = match (found, goal.map(|goal| goal.allowed_changes.as_slice())) {
        (Some(Reason::OutsideScope { path, more, others }), Some(allowed @ [_, ..])) => {
            let others = others.iter().filter(|other| *other != path);
            let paths: Vec<String> =
                [path].into_iter().chain(others).map(ToString::to_string).collect();
            let unnamed = (more + 1).saturating_sub(paths.len());
            let rest = (unnamed > 0).then(|| format!("+{unnamed}"));
            let named = [listed(paths)].into_iter().chain(rest).collect::<Vec<_>>().join(", ");
            words::outside(lang, listed(allowed.to_vec()), named)
        }
        (Some(found), _) => first_line(&found.text(lang)).to_owned(),
        (None, _) => first_line(written).to_owned(),
    };
    match attempts {
        1 => words::one_blocked_at_once(lang, id, why),
        attempts => words::one_blocked_after(lang, id, attempts, why),
    }
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

fn done(run: &Run, lang: Lang) -> Option<Notice> {
    let notice = || Notice {
        what: words::done(lang, run.done.join(", ")),
        next: if run.stop { words::left_in_tree_next(lang) } else { words::done_next(lang) },
    };
    (!run.done.is_empty()).then(notice)
}

/// Nothing is wrong, and still somebody who waits for the goal should know that it was not merged.
fn withdrawn(first: &Withdrawn, all: &[Withdrawn], lang: Lang) -> Notice {
    let named = |one: &Withdrawn| match one.status {
        Some(status) => format!("{} ({})", one.goal, status_word(status)),
        None => one.goal.clone(),
    };
    let goals: Vec<String> = all.iter().map(named).collect();
    let next = match &first.branch {
        Some(branch) => {
            let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
            words::withdrawn_next(lang, branch)
        }
        None => words::withdrawn_before_next(lang),
    };
    Notice { what: words::withdrawn(lang, goals.join(", ")), next }
}
