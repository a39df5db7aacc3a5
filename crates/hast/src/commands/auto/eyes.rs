//! How goals and their attempts are shown: a row a goal, a line a verdict.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::evidence::TestEnd;
use hast_flow::attempt::recovery::{Owner, named, say as start};
use hast_flow::docs::goals::{AutoLock, GoalMode, GoalStatus};
use hast_flow::flows::goals::auto::lanes::Lane;
use hast_flow::flows::goals::auto::record::{AttemptRecord, EarlierWork, VerdictRecord};
use hast_flow::flows::goals::auto::run::{Run, SettledWork};
use hast_flow::flows::goals::auto::view::Current;
use hast_flow::flows::goals::auto::{View, failing_line};
use hast_flow::flows::goals::selection::Placed;
use hast_flow::words::{Lang, visible};
use hast_world::auto_lock::{self, OwnLock};
use hast_world::root_path::RootPath;

use super::{beside, shown};
use crate::auto_messages::say;
use crate::progress::board::{Row, State, cut};

/// So much of a reason fits on a line.
const REASON: usize = 120;

/// One judged attempt.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) goal: String,
    pub(crate) title: String,
    pub(crate) attempt: u32,
    pub(crate) class: String,
    pub(crate) code: &'static str,
    pub(crate) text: String,
    pub(crate) seconds: i64,
    pub(crate) passed: bool,
    /// Refs that moved meanwhile, and not by hast.
    pub(crate) moved_refs: Vec<String>,
    pub(crate) not_committed: Vec<String>,
    /// Test files that it changed.
    pub(crate) changed_tests: Vec<String>,
    /// Lists of dependencies that it changed.
    pub(crate) dependency_lists: Vec<String>,
    /// Why the agent's own commits became one of hast's.
    pub(crate) squashed: Option<String>,
}

/// An attempt as it is told of.
pub(super) struct AttemptPlace {
    pub(super) number: u32,
    /// Its place among those that a goal may have; they count anew after a retry.
    pub(super) which: Option<String>,
}

/// Watches a run of `auto`.
pub(crate) struct GoalEyes {
    lang: Lang,
    explain: bool,
    pub(crate) judged: Vec<Judgement>,
    /// Where the work of settled attempts is.
    pub(super) settled: Vec<SettledWork>,
    /// How many verdicts were looked at for whoever has no board.
    failures_told: usize,
    /// The same for the refs of what failed.
    saved_told: usize,
    /// How many earlier work trees were told of.
    earlier_trees: usize,
    /// The project's root, as soon as there is one.
    pub(super) root: PathBuf,
    /// What is said about a verdict beyond its line.
    pub(crate) comment: Option<fn(&Judgement, Lang) -> Option<String>>,
    waiting: Option<(RootPath, AutoLock)>,
    lock: Option<OwnLock>,
    /// The run that was the last one when this one looked around.
    earlier: Option<String>,
    /// Whether the start of this one was told of.
    begun: bool,
    /// The user's HEAD is on no branch.
    pub(super) is_detached: bool,
    /// Goals were handed to a person.
    pub(super) has_handed: bool,
    /// Test commands that were told to be red before any work.
    red_told: BTreeSet<String>,
}

impl GoalEyes {
    pub(crate) fn new(lang: Lang, explain: bool) -> Self {
        Self {
            lang,
            explain,
            judged: Vec::new(),
            settled: Vec::new(),
            failures_told: 0,
            saved_told: 0,
            earlier_trees: 0,
            root: PathBuf::new(),
            comment: None,
            waiting: None,
            lock: None,
            earlier: None,
            begun: false,
            is_detached: false,
            has_handed: false,
            red_told: BTreeSet::new(),
        }
    }

    /// What is in the view is this run's, and no earlier one's.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    pub(super) fn lang(&self) -> Lang {
        self.lang
    }

    /// What is to be written down as soon as the run has begun.
    pub(super) fn lock_in(&mut self, state: RootPath, lock: AutoLock) {
        self.root = state.parent().map(|root| root.to_path_buf()).unwrap_or_default();
        self.waiting = Some((state, lock));
    }

    /// The file goes with the run, and with it one that a dead run left though this one never began.
    pub(super) fn drop_lock(&mut self) {
        self.lock = None;
        if let Some((state, lock)) = self.waiting.take() {
            let found = auto_lock::find(&state).ok().flatten();
            if found.is_some_and(|found| found.owner == Owner::Gone) {
                drop(OwnLock::write(&state, lock));
            }
        }
    }

    /// The file says who works on what. It is written once the look around is over: until then it
    /// is another's.
    fn tell_lock(&mut self, current: Option<&Current>) {
        if let Some((state, lock)) = self.waiting.take() {
            // Without the file the driver's own lock still holds, and its own records suffice.
            self.lock = OwnLock::write(&state, lock).ok();
        }
        if let (Some(lock), Some(current)) = (&mut self.lock, current) {
            lock.tell(&current.goal, current.number);
        }
    }

    /// What of the user's is no part of the work, and what earlier runs left.
    fn found_at_start(&self, run: &Run) -> Vec<String> {
        let (lang, mut lines) = (self.lang, Vec::new());
        if !run.uncommitted.is_empty() {
            lines.push(start::uncommitted(lang, visible(&named(&run.uncommitted))));
        }
        if !run.left_alone.is_empty() {
            lines.push(start::left_alone(lang, visible(&run.left_alone.join(", "))));
        }
        lines.extend(run.earlier.iter().map(|work| earlier(lang, work)));
        lines
    }

    fn judgement(&self, view: &View, current: Option<&Current>) -> Option<Judgement> {
        let current = current.filter(|current| current.judged)?;
        let documents = view.documents_of(&current.goal, current.number)?;
        let (record, verdict) = (documents.record.as_ref()?, documents.last_verdict()?);
        let code = verdict.verdict.reason.code();
        let told = self.judged.iter().any(|known| {
            known.goal == current.goal && known.attempt == current.number && known.code == code
        });
        (!told).then(|| judgement(record, verdict, self.lang))
    }
}

impl GoalEyes {
    /// Once the run has begun: what the one before left, and who works here now.
    pub(super) fn tell_start(&mut self, view: &View, current: Option<&Current>) -> Vec<String> {
        let mut lines = Vec::new();
        let now = view.run.as_ref().map(|run| run.id.as_str());
        let earlier = self.earlier.get_or_insert_with(|| now.unwrap_or_default().to_owned());
        if let Some(run) = view.run.as_ref().filter(|run| run.id != *earlier) {
            if !std::mem::replace(&mut self.begun, true) {
                lines = self.found_at_start(run);
            }
            self.tell_lock(current);
        }
        lines
    }

    /// Tests that are red before any work, each command once, before its first agent is called.
    pub(super) fn tell_red_base(
        &mut self,
        view: &View,
        current: Option<&Current>,
    ) -> Option<String> {
        let current = current?;
        let record = view.documents_of(&current.goal, current.number)?.record.as_ref()?;
        let Some(TestEnd::Red { code }) = &record.base_tests else { return None };
        if record.expect_failure || !self.red_told.insert(record.test_command.clone()) {
            return None;
        }
        let line = failing_line(&record.base_tail);
        Some(say::red_base(self.lang, visible(&record.test_command), code, visible(line)))
    }

    /// What work trees of an earlier run still held.
    pub(super) fn tell_earlier_trees(&mut self, view: &View) -> Vec<String> {
        let all =
            view.run.as_ref().filter(|_| self.begun).map_or(&[][..], |run| &run.earlier_trees);
        let new = all.get(self.earlier_trees..).unwrap_or_default();
        self.earlier_trees += new.len();
        let line = |(goal, name): &(String, String)| {
            say::earlier_tree(self.lang, visible(goal), visible(name))
        };
        new.iter().map(line).collect()
    }

    /// Where the work of settled attempts is, and what was taken away with it.
    pub(super) fn tell_settled(&mut self, view: &View) -> Vec<String> {
        let all = view.run.as_ref().filter(|_| self.begun).map_or(&[][..], |run| &run.settled);
        self.has_handed = view.run.as_ref().is_some_and(|run| !run.blocked.is_empty());
        let new = all.get(self.settled.len()..).unwrap_or_default().to_vec();
        let lines =
            new.iter().flat_map(|work| beside::settled(self.lang, &self.root, work)).collect();
        self.settled.extend(new);
        lines
    }

    /// Which attempt a lane is at, or begins next; a goal may have `max` of them.
    pub(super) fn turn_of(&self, view: &View, lane: &Lane, max: u32) -> AttemptPlace {
        let (goal, ledger) = (lane.goal.as_str(), view.ledger(&lane.goal));
        let number = lane.current.as_ref().map_or(ledger.next_number(), |current| current.number);
        let is_judged = lane.current.as_ref().is_some_and(|current| current.judged);
        let spent = if ledger.goes_on() || is_judged { ledger.spent() } else { 0 };
        let nth = spent.saturating_add(u32::from(!is_judged)).max(1);
        let max = max.max(nth);
        let name = || format!("{goal}@{number}");
        let which = lane.over.is_none().then(|| match nth == number {
            true => say::attempt_of(self.lang, nth, max),
            false => say::attempt_again(self.lang, nth, max, visible(&name())),
        });
        AttemptPlace { number, which }
    }

    /// Why the attempt before this one failed, on one line.
    pub(super) fn failed_before(&self, view: &View, goal: &str, number: u32) -> Option<String> {
        let verdict = view.last_verdict_before(goal, number)?;
        let failed = !verdict.verdict.class.is_success();
        let why = verdict.text.lines().next().filter(|_| failed)?;
        Some(say::failed_before(self.lang, visible(why)))
    }

    /// Why attempts failed that were not told of yet, and where their work is.
    pub(super) fn tell_failures(&mut self) -> Vec<String> {
        let new = self.judged.get(self.failures_told..).unwrap_or_default();
        self.failures_told += new.len();
        // Whoever is told of each verdict needs no other words.
        if self.comment.is_some() {
            return Vec::new();
        }
        let line = |one: &Judgement| {
            let (goal, attempt) = (visible(&one.goal), say::attempt(self.lang, one.attempt));
            let reason = one.text.lines().next().unwrap_or_default();
            format!("{goal} {attempt}: {} · {}", one.class, cut(&visible(reason), REASON))
        };
        let failed = new.iter().filter(|one| !one.passed && !self.explain);
        let mut lines: Vec<String> = failed.map(line).collect();
        let settled = self.settled.get(self.saved_told..).unwrap_or_default();
        self.saved_told += settled.len();
        // Of an attempt that changed nothing there is nothing to get back.
        let changed = |work: &&SettledWork| {
            let about = |one: &&Judgement| one.goal == work.goal && one.attempt == work.attempt;
            self.judged.iter().rfind(about).is_none_or(|one| one.code != "nothing_changed")
        };
        let work = settled.iter().filter(changed);
        lines.extend(work.filter_map(|work| beside::saved(self.lang, work)));
        lines
    }

    /// What is said about a verdict that is new.
    pub(super) fn tell_judged(&mut self, view: &View, current: Option<&Current>) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(judgement) = self.judgement(view, current) else { return lines };
        if self.explain {
            lines.push(visible(&shown(&judgement)).into_owned());
        }
        lines.extend(self.comment.and_then(|comment| comment(&judgement, self.lang)));
        self.judged.push(judgement);
        lines
    }
}

impl GoalEyes {
    /// The row of a goal, with the words about what is done for it now.
    pub(super) fn row(&self, placed: &Placed<'_>, now: Option<String>) -> Row {
        let goal = placed.goal;
        let failures = self.judged.iter().filter(|one| one.goal == goal.id && !one.passed).count();
        let (state, detail) = match (goal.status, now) {
            (_, Some(now)) => (State::Running, now),
            (GoalStatus::Done, None) => (State::Done, String::new()),
            (GoalStatus::Blocked, None) => {
                // Of an attempt of this run its own reason: what is said before it is known here.
                let last = self.judged.iter().rfind(|one| one.goal == goal.id && !one.passed);
                let reason = last.map(|one| &one.text).or(goal.blocked_reason.as_ref());
                (State::Failed, reason.cloned().unwrap_or_default())
            }
            (GoalStatus::Dropped, None) => (State::Skipped, String::new()),
            (GoalStatus::Active | GoalStatus::Pending, None)
                if goal.mode == Some(GoalMode::Interactive) =>
            {
                (State::Skipped, say::interactive(self.lang))
            }
            (GoalStatus::Active | GoalStatus::Pending, None) if failures > 0 => {
                (State::Waiting, say::tried(self.lang, failures))
            }
            (GoalStatus::Active | GoalStatus::Pending, None) => (State::Waiting, String::new()),
        };
        Row {
            depth: placed.depth,
            id: goal.id.clone(),
            title: goal.title.clone(),
            state,
            detail,
            ..Row::default()
        }
    }
}

/// What a version that worked in the checkout left there, and how to look at it.
fn earlier(lang: Lang, work: &EarlierWork) -> String {
    let short = |id: &ObjectId| id.as_str().get(..12).unwrap_or_default().to_owned();
    let (what, base) = match work {
        EarlierWork::Attempt { goal_id, base } => {
            (start::earlier_attempt(lang, visible(goal_id)), base.as_ref())
        }
        EarlierWork::Commits { goal_id, base, head } => {
            let told = start::earlier_commits(lang, visible(goal_id), short(base), short(head));
            (told, Some(base))
        }
        EarlierWork::Uncommitted { goal_id, name, base } => {
            (start::earlier_work(lang, visible(goal_id), visible(name)), Some(base))
        }
    };
    let look = match base {
        Some(base) => start::look_since(lang, short(base)),
        None => start::look_yourself(lang),
    };
    format!("{what} ({look})")
}

/// What is above something that is still at work is not done yet, whatever the file says already.
pub(super) fn whole_after_parts(mut rows: Vec<Row>) -> Vec<Row> {
    for at in 0..rows.len() {
        let (above, below) = rows.split_at_mut(at + 1);
        let row = &mut above[at];
        let mut parts = below.iter().take_while(|part| part.depth > row.depth);
        if row.state == State::Done && parts.any(|part| part.state == State::Running) {
            row.state = State::Waiting;
        }
    }
    rows
}

fn judgement(record: &AttemptRecord, verdict: &VerdictRecord, lang: Lang) -> Judgement {
    let ended = verdict.judged_at.instant().as_second();
    Judgement {
        goal: record.goal_id.clone(),
        title: record.title.clone(),
        attempt: record.attempt,
        class: verdict.verdict.class.to_string(),
        code: verdict.verdict.reason.code(),
        text: verdict.text.clone(),
        seconds: ended - record.started_at.instant().as_second(),
        passed: verdict.verdict.class.is_success(),
        moved_refs: verdict.moved_refs.clone(),
        not_committed: verdict.not_committed.clone(),
        changed_tests: verdict.changed_tests.clone(),
        dependency_lists: verdict.dependency_lists.clone(),
        squashed: verdict.squashed.as_ref().map(|why| why.what(lang)),
    }
}
