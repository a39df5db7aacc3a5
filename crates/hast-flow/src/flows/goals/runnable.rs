//! Which goal `auto` works on, and what it says when there is none to work on.

use std::collections::BTreeSet;

use crate::docs::goals::{Goal, GoalMode, GoalStatus};
use crate::flows::goals::closed::Closed;
use crate::flows::goals::selection::{Placed, find_typed, ids_below};
use crate::flows::goals::waiting::{Waiting, listed};
use crate::messages;
use crate::words::{Lang, shell_word};

/// What was asked for on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// None: what the selection policy names first.
    pub goal: Option<String>,
    pub depth: Depth,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    #[default]
    One,
    /// `--recursive`: the leaves, one after the other.
    Leaves,
}

impl Asked {
    /// What is asked for while other workers have some of the goals: whoever named none and has begun
    /// none is content with the first that is free.
    pub fn passing_over(&self, begun: &BTreeSet<String>) -> Self {
        let any = self.goal.is_none() && begun.is_empty();
        Self { goal: self.goal.clone(), depth: if any { Depth::Leaves } else { self.depth } }
    }
}

/// The goal to work on, or why there is none.
#[derive(Clone, Debug)]
pub enum Choice<'g, 'a> {
    Run(&'g Placed<'a>),
    /// Exit 0, with a notice.
    Nothing(Nothing),
    /// Exit 1, with what to do.
    Refused(Refused),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nothing {
    AlreadyDone {
        id: String,
    },
    /// Everything that was asked for has been worked on.
    AllTried,
    NoActiveGoal,
    /// What is left waits for goals that are not done.
    AllWait {
        waiting: Vec<Waiting>,
    },
    /// What is left is `mode: interactive`.
    LeftToPeople {
        ids: Vec<String>,
    },
    /// All that is left is below goals that are pending, done or dropped.
    AllClosed {
        closed: Vec<Closed>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Unknown { id: String, nearest: Option<String> },
    Pending { id: String },
    Blocked { id: String, reason: Option<String> },
    Dropped { id: String },
    Interactive { id: String },
    Container { id: String },
    Waits(Waiting),
    Closed(Closed),
}

impl Asked {
    /// The same with the goal's id as the file has it, however it was typed.
    pub fn typed(self, all: &[Placed<'_>]) -> Self {
        let goal = self
            .goal
            .map(|typed| find_typed(all, &typed).map_or(typed, |placed| placed.goal.id.clone()));
        Self { goal, ..self }
    }
}

/// Chooses among all goals. `tried` are those that this run has finished with.
pub fn choose<'g, 'a>(
    all: &'g [Placed<'a>],
    asked: &Asked,
    last_goal: Option<&str>,
    tried: &BTreeSet<String>,
) -> Choice<'g, 'a> {
    let goals = Goals::new(all);
    let Some(id) = &asked.goal else {
        if asked.depth == Depth::One && !tried.is_empty() {
            return Choice::Nothing(Nothing::AllTried);
        }
        return goals.first(|_| true, last_goal, tried);
    };
    let Some(named) = all.iter().find(|placed| placed.goal.id == *id) else {
        return Choice::Refused(Refused::Unknown { id: id.clone(), nearest: nearest(id, all) });
    };
    if tried.contains(id) {
        return Choice::Nothing(Nothing::AllTried);
    }
    let goal = named.goal;
    let is_leaf = goal.children.is_empty();
    match goal.status {
        // Its last leaf made it done, in this run.
        GoalStatus::Done if !tried.is_empty() => return Choice::Nothing(Nothing::AllTried),
        GoalStatus::Done => return Choice::Nothing(Nothing::AlreadyDone { id: id.clone() }),
        GoalStatus::Pending => return Choice::Refused(Refused::Pending { id: id.clone() }),
        GoalStatus::Dropped => return Choice::Refused(Refused::Dropped { id: id.clone() }),
        GoalStatus::Blocked => {
            let reason = goal.blocked_reason.clone();
            return Choice::Refused(Refused::Blocked { id: id.clone(), reason });
        }
        GoalStatus::Active => {}
    }
    if let Some(above) = named.closed_by {
        let (id, above, status) = (id.clone(), above.id.clone(), above.status);
        return Choice::Refused(Refused::Closed(Closed { id, above, status }));
    }
    if goal.mode == Some(GoalMode::Interactive) {
        return Choice::Refused(Refused::Interactive { id: id.clone() });
    }
    match (is_leaf, asked.depth) {
        (false, Depth::One) => Choice::Refused(Refused::Container { id: id.clone() }),
        (false, Depth::Leaves) => {
            let below = ids_below(goal);
            goals.first(|leaf| below.contains(leaf.id.as_str()), last_goal, tried)
        }
        (true, _) => match Waiting::of(goal, all) {
            None => Choice::Run(named),
            Some(waiting) => Choice::Refused(Refused::Waits(waiting)),
        },
    }
}

/// Every goal that could be worked on now, in the order of the selection policy without a last
/// session: the deepest first, then as declared.
pub fn ready<'g, 'a>(all: &'g [Placed<'a>]) -> Vec<&'g Placed<'a>> {
    let goals = Goals::new(all);
    let can_run = |placed: &&Placed<'a>| may_be_tried(placed) && !goals.is_waiting(placed);
    let mut ready: Vec<&Placed<'a>> = all.iter().filter(can_run).collect();
    ready.sort_by_key(|placed| std::cmp::Reverse(placed.depth));
    ready
}

/// An active leaf that is not left to a person, of what is to be worked on.
fn may_be_tried(placed: &Placed<'_>) -> bool {
    let goal = placed.goal;
    goal.status == GoalStatus::Active
        && placed.closed_by.is_none()
        && goal.children.is_empty()
        && goal.mode != Some(GoalMode::Interactive)
}

/// Goals whose status this may have to change: those that it may come to, and what they are part of.
pub fn in_reach(all: &[Placed<'_>], asked: &Asked, last_goal: Option<&str>) -> BTreeSet<String> {
    let named = asked.goal.as_deref();
    let top = named.and_then(|id| all.iter().position(|placed| placed.goal.id == id));
    let below = match (asked.depth, named, top) {
        (Depth::Leaves, None, _) => all,
        (Depth::Leaves, Some(_), Some(at)) => {
            let rest = &all[at + 1..];
            let end = rest.iter().position(|placed| placed.depth <= all[at].depth);
            &all[at..=at + end.unwrap_or(rest.len())]
        }
        _ => &[],
    };
    let mut reached: BTreeSet<String> =
        below.iter().filter(|one| may_be_tried(one)).map(|one| one.goal.id.clone()).collect();
    if let (Depth::One, Choice::Run(one)) =
        (asked.depth, choose(all, asked, last_goal, &BTreeSet::new()))
    {
        reached.insert(one.goal.id.clone());
    }
    let parents = all.iter().rev().filter_map(|one| Some((one.goal.id.as_str(), one.parent?)));
    for (id, parent) in parents {
        if reached.contains(id) {
            reached.insert(parent.id.clone());
        }
    }
    reached
}

/// What of that which was asked for a run leaves behind, though it is active: that is not done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOver {
    pub waiting: Vec<Waiting>,
    /// Only of a goal that was named.
    pub to_people: Vec<String>,
    pub closed: Vec<Closed>,
}

/// The active leaves that a run with `--recursive` could not come to.
pub fn left_over(all: &[Placed<'_>], asked: &Asked, tried: &BTreeSet<String>) -> LeftOver {
    let named = asked.goal.as_ref();
    let top = named.and_then(|id| all.iter().find(|placed| placed.goal.id == *id));
    let below = match (asked.depth, named, top) {
        (Depth::Leaves, None, _) => None,
        // Whoever calls the whole done has decided about its parts.
        (Depth::Leaves, Some(_), Some(top)) if top.goal.status != GoalStatus::Done => {
            Some(ids_below(top.goal))
        }
        _ => return LeftOver::default(),
    };
    let wanted = |goal: &Goal| below.as_ref().is_none_or(|below| below.contains(goal.id.as_str()));
    let left = |placed: &&Placed<'_>| wanted(placed.goal) && !tried.contains(&placed.goal.id);
    let open = all.iter().filter(left).filter(|placed| may_be_tried(placed));
    let waiting = open.filter_map(|placed| Waiting::of(placed.goal, all)).collect();
    let closed = all.iter().filter(left).filter_map(Closed::of).collect();
    let to_people = if named.is_some() { left_to_people(all, wanted) } else { Vec::new() };
    LeftOver { waiting, to_people, closed }
}

/// Goals that were asked for, could run now, and were not begun.
pub fn not_begun(all: &[Placed<'_>], asked: &Asked, tried: &BTreeSet<String>) -> Vec<String> {
    let top = asked.goal.as_ref();
    let top = top.and_then(|id| all.iter().find(|placed| placed.goal.id == *id));
    let below = top.map(|top| ids_below(top.goal));
    let wanted = |id: &str| below.as_ref().is_none_or(|below| below.contains(id));
    let ready = ready(all).into_iter().map(|placed| &placed.goal.id);
    ready.filter(|id| wanted(id.as_str()) && !tried.contains(*id)).cloned().collect()
}

/// Active leaves that are `mode: interactive`.
fn left_to_people(all: &[Placed<'_>], wanted: impl Fn(&Goal) -> bool) -> Vec<String> {
    let is_left = |placed: &&Placed<'_>| {
        let goal = placed.goal;
        goal.status == GoalStatus::Active
            && placed.closed_by.is_none()
            && goal.children.is_empty()
            && goal.mode == Some(GoalMode::Interactive)
            && wanted(goal)
    };
    all.iter().filter(is_left).map(|placed| placed.goal.id.clone()).collect()
}

/// The containers that become done when this goal is: all their other children are done or dropped.
pub fn parents_done(all: &[Placed<'_>], id: &str) -> Vec<String> {
    let mut done: BTreeSet<&str> = BTreeSet::from([id]);
    let mut finished = Vec::new();
    let mut child = id;
    while let Some(placed) = all.iter().find(|placed| placed.goal.id == child) {
        let Some(parent) = placed.parent else { break };
        let is_over = |goal: &Goal| {
            matches!(goal.status, GoalStatus::Done | GoalStatus::Dropped)
                || done.contains(goal.id.as_str())
        };
        let open = matches!(parent.status, GoalStatus::Active | GoalStatus::Pending);
        if !open || !parent.children.iter().all(is_over) {
            break;
        }
        done.insert(&parent.id);
        finished.push(parent.id.clone());
        child = &parent.id;
    }
    finished
}

struct Goals<'g, 'a> {
    all: &'g [Placed<'a>],
    done: BTreeSet<&'g str>,
}

impl<'g, 'a> Goals<'g, 'a> {
    fn new(all: &'g [Placed<'a>]) -> Self {
        let done = all.iter().filter(|placed| placed.goal.status == GoalStatus::Done);
        Self { all, done: done.map(|placed| placed.goal.id.as_str()).collect() }
    }

    fn is_waiting(&self, placed: &Placed<'_>) -> bool {
        placed.waits_for(|id| self.done.contains(id)).is_some()
    }

    /// The first leaf by the selection policy: the last session's, the deepest, the first declared.
    fn first(
        &self,
        wanted: impl Fn(&Goal) -> bool,
        last_goal: Option<&str>,
        tried: &BTreeSet<String>,
    ) -> Choice<'g, 'a> {
        let can_be_tried = |placed: &&Placed<'a>| {
            let goal = placed.goal;
            may_be_tried(placed) && wanted(goal) && !tried.contains(&goal.id)
        };
        let (ready, waiting): (Vec<&Placed<'a>>, Vec<&Placed<'a>>) =
            self.all.iter().filter(can_be_tried).partition(|placed| !self.is_waiting(placed));
        let continued = ready.iter().find(|placed| Some(placed.goal.id.as_str()) == last_goal);
        let deepest =
            || ready.iter().reduce(|best, next| if next.depth > best.depth { next } else { best });
        match continued.or_else(deepest) {
            Some(placed) => Choice::Run(placed),
            None if !waiting.is_empty() => {
                let waiting = waiting.iter().filter_map(|one| Waiting::of(one.goal, self.all));
                Choice::Nothing(Nothing::AllWait { waiting: waiting.collect() })
            }
            None if !tried.is_empty() => Choice::Nothing(Nothing::AllTried),
            None => match left_to_people(self.all, &wanted) {
                ids if ids.is_empty() => Choice::Nothing(self.closed(wanted)),
                ids => Choice::Nothing(Nothing::LeftToPeople { ids }),
            },
        }
    }
}

impl Goals<'_, '_> {
    /// Nothing is active, or it is below what is not.
    fn closed(&self, wanted: impl Fn(&Goal) -> bool) -> Nothing {
        let closed = self.all.iter().filter(|placed| wanted(placed.goal)).filter_map(Closed::of);
        let closed: Vec<Closed> = closed.collect();
        if closed.is_empty() { Nothing::NoActiveGoal } else { Nothing::AllClosed { closed } }
    }
}

fn nearest(id: &str, all: &[Placed<'_>]) -> Option<String> {
    let ids = all.iter().map(|placed| &placed.goal.id);
    let scored = ids.map(|other| (strsim::jaro_winkler(id, other), other));
    scored
        .filter(|(score, _)| *score > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, id)| id.clone())
}

messages! {
    already_done(id) { en: "{id} is done already", ko: "{id}(은)는 이미 완료되었습니다" }
    already_done_next() { en: "set `status: active` in .ai/goals.yaml to do it again", ko: "다시 하려면 .ai/goals.yaml에서 `status: active`로 바꾸세요" }
    all_tried() { en: "there is nothing more to run", ko: "더 실행할 목표가 없습니다" }
    all_tried_next() { en: "see the summary above, or hast status", ko: "위의 요약이나 hast status를 보세요" }
    no_active_goal() { en: "no goal is active that auto may run", ko: "auto가 실행할 활성 목표가 없습니다" }
    no_active_goal_next() { en: "hast goal add \"TITLE\" adds one; or set `status: active` on a goal in .ai/goals.yaml", ko: "hast goal add \"제목\"으로 추가하거나 .ai/goals.yaml에서 목표 하나를 `status: active`로 바꾸세요" }
    all_wait(ids) { en: "the goals that are left wait for others: {ids}", ko: "남은 목표가 다른 목표를 기다립니다: {ids}" }
    to_people(ids) { en: "left to a person (`mode: interactive`): {ids}", ko: "사람이 직접 할 목표입니다(`mode: interactive`): {ids}" }
    unknown(id) { en: "there is no goal {id}", ko: "목표 {id}(이)가 없습니다" }
    unknown_next() { en: "hast goal list shows the goals; hast goal add \"TITLE\" adds one", ko: "hast goal list로 목표를 보거나 hast goal add \"제목\"으로 추가하세요" }
    unknown_near(id) { en: "did you mean {id}?", ko: "{id}(을)를 뜻했나요?" }
    pending(id) { en: "{id} is pending, so it is not its turn yet", ko: "{id}(은)는 pending 상태라 아직 차례가 아닙니다" }
    pending_next() { en: "set its `status: active` in .ai/goals.yaml", ko: ".ai/goals.yaml에서 `status: active`로 바꾸세요" }
    blocked(id, reason) { en: "{id} is blocked: {reason}", ko: "{id}(은)는 blocked 상태입니다: {reason}" }
    blocked_next(id) { en: "solve that, then hast retry {id}", ko: "해결한 뒤 hast retry {id}(을)를 실행하세요" }
    no_reason() { en: "no reason is written down", ko: "적힌 사유가 없습니다" }
    dropped(id) { en: "{id} was dropped", ko: "{id}(은)는 폐기된 목표입니다" }
    interactive(id) { en: "{id} is `mode: interactive`, which auto leaves to a person", ko: "{id}(은)는 `mode: interactive`라 auto가 사람에게 맡깁니다" }
    interactive_next() { en: "work on it in a session (hast context), then set `status: done`", ko: "세션에서 직접 작업하고(hast context) `status: done`으로 바꾸세요" }
    container(id) { en: "{id} has children, and only its leaves can be run", ko: "{id}(은)는 하위 목표가 있어 잎 목표만 실행할 수 있습니다" }
    container_next(id) { en: "hast auto {id} --recursive, or name one of its leaves", ko: "hast auto {id} --recursive를 쓰거나 하위 목표를 지정하세요" }
    waits(id, on) { en: "{id} waits for {on}", ko: "{id}(은)는 {on}(을)를 기다립니다" }
}

impl Nothing {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::AlreadyDone { id } => already_done(lang, id),
            Self::AllTried => all_tried(lang),
            Self::NoActiveGoal => no_active_goal(lang),
            Self::AllWait { waiting } => all_wait(lang, Waiting::list(waiting, lang)),
            Self::LeftToPeople { ids } => to_people(lang, listed(ids.clone())),
            Self::AllClosed { closed } => Closed::list(closed, lang),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::AlreadyDone { .. } => already_done_next(lang),
            Self::AllTried => all_tried_next(lang),
            Self::NoActiveGoal => no_active_goal_next(lang),
            Self::AllWait { waiting } => {
                waiting.first().map_or_else(|| all_tried_next(lang), |first| first.way.next(lang))
            }
            Self::LeftToPeople { .. } => interactive_next(lang),
            Self::AllClosed { closed } => {
                closed.first().map_or_else(|| all_tried_next(lang), |first| first.next(lang))
            }
        }
    }
}

impl Refused {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::Unknown { id, .. } => unknown(lang, id),
            Self::Pending { id } => pending(lang, id),
            Self::Blocked { id, reason } => {
                blocked(lang, id, reason.clone().unwrap_or_else(|| no_reason(lang)))
            }
            Self::Dropped { id } => dropped(lang, id),
            Self::Interactive { id } => interactive(lang, id),
            Self::Container { id } => container(lang, id),
            Self::Waits(Waiting { id, on, .. }) => waits(lang, id, on.join(", ")),
            Self::Closed(closed) => closed.what(lang),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::Unknown { nearest: Some(id), .. } => unknown_near(lang, id),
            Self::Unknown { nearest: None, .. } => unknown_next(lang),
            Self::Pending { .. } | Self::Dropped { .. } => pending_next(lang),
            Self::Blocked { id, .. } => blocked_next(lang, shell_word(id)),
            Self::Interactive { .. } => interactive_next(lang),
            Self::Container { id } => container_next(lang, shell_word(id)),
            Self::Waits(waiting) => waiting.way.next(lang),
            Self::Closed(closed) => closed.next(lang),
        }
    }
}
