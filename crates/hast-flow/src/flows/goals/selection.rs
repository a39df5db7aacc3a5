//! Which goal comes next: the last session's, then the deepest, then the first declared.

use std::collections::BTreeSet;

use crate::docs::goals::{Goal, GoalStatus, Goals};

/// A goal with its place in the tree, in the order of the file.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    pub goal: &'a Goal,
    pub parent: Option<&'a Goal>,
    pub depth: usize,
    /// The nearest goal above it that is not to be worked on: nothing below one runs.
    pub closed_by: Option<&'a Goal>,
    /// The nearest goal above it that waits for others: nothing below one begins before these are done.
    pub held_by: Option<&'a Goal>,
}

impl Placed<'_> {
    /// Goals that have to be done before this one begins, with the goal that names them: itself, or the nearest
    /// one above it that waits.
    pub fn waits_for(&self, is_done: impl Fn(&str) -> bool) -> Option<(&Goal, Vec<String>)> {
        [Some(self.goal), self.held_by].into_iter().flatten().find_map(|goal| {
            let on = open_dependencies(goal, &is_done);
            (!on.is_empty()).then_some((goal, on))
        })
    }
}

/// Goals that are not done and that a goal depends on. Its own parts are left out: they hold it up anyway.
fn open_dependencies(goal: &Goal, is_done: impl Fn(&str) -> bool) -> Vec<String> {
    let mut open: Vec<String> = goal.depends_on.iter().filter(|id| !is_done(id)).cloned().collect();
    if !open.is_empty() && !goal.children.is_empty() {
        let below = ids_below(goal);
        open.retain(|id| !below.contains(id.as_str()));
    }
    open
}

/// Everything that a goal is made of.
pub fn ids_below(goal: &Goal) -> BTreeSet<&str> {
    let mut below = BTreeSet::new();
    let mut open: Vec<&Goal> = goal.children.iter().collect();
    while let Some(next) = open.pop() {
        below.insert(next.id.as_str());
        open.extend(&next.children);
    }
    below
}

/// Ids of all goals that are done.
pub fn done_ids(goals: &Goals) -> BTreeSet<&str> {
    let (mut done, mut open) = (BTreeSet::new(), goals.goals.iter().collect::<Vec<_>>());
    while let Some(goal) = open.pop() {
        if goal.status == GoalStatus::Done {
            done.insert(goal.id.as_str());
        }
        open.extend(&goal.children);
    }
    done
}

/// The goal that somebody means: ids are typed without minding case, and the id as written comes first.
pub fn find_typed<'g, 'a>(all: &'g [Placed<'a>], typed: &str) -> Option<&'g Placed<'a>> {
    let folded = typed.to_lowercase();
    let same = || all.iter().filter(|placed| placed.goal.id.to_lowercase() == folded);
    let exact = all.iter().find(|placed| placed.goal.id == typed);
    exact.or_else(|| same().next().filter(|_| same().count() == 1))
}

/// All goals, parents before their children.
pub fn placed(goals: &Goals) -> Vec<Placed<'_>> {
    let (mut all, done) = (Vec::new(), done_ids(goals));
    let mut open: Vec<Placed<'_>> = Vec::new();
    let roots = goals.goals.iter().rev().map(|goal| Placed {
        goal,
        parent: None,
        depth: 0,
        closed_by: None,
        held_by: None,
    });
    open.extend(roots);
    while let Some(next) = open.pop() {
        let depth = next.depth + 1;
        let closed = match next.goal.status {
            GoalStatus::Pending | GoalStatus::Done | GoalStatus::Dropped => Some(next.goal),
            GoalStatus::Active | GoalStatus::Blocked => next.closed_by,
        };
        let waits = !open_dependencies(next.goal, |id| done.contains(id)).is_empty();
        let held = if waits { Some(next.goal) } else { next.held_by };
        let children = next.goal.children.iter().rev();
        open.extend(children.map(|goal| Placed {
            goal,
            parent: Some(next.goal),
            depth,
            closed_by: closed,
            held_by: held,
        }));
        all.push(next);
    }
    all
}

/// The goal to work on. Goals whose dependencies are not done come after all others.
pub fn select<'g, 'a>(goals: &'g [Placed<'a>], last_goal: Option<&str>) -> Option<&'g Placed<'a>> {
    let done: BTreeSet<&str> = goals
        .iter()
        .filter(|placed| placed.goal.status == GoalStatus::Done)
        .map(|placed| placed.goal.id.as_str())
        .collect();
    let is_ready = |placed: &&Placed<'_>| placed.waits_for(|id| done.contains(id)).is_none();
    let active = || goals.iter().filter(|placed| is_open(placed));
    let continued = active().find(|placed| Some(placed.goal.id.as_str()) == last_goal);
    continued.or_else(|| deepest(active().filter(is_ready))).or_else(|| deepest(active()))
}

/// Active, and not below a goal that is pending, done or dropped.
fn is_open(placed: &Placed<'_>) -> bool {
    placed.goal.status == GoalStatus::Active && placed.closed_by.is_none()
}

/// The deepest, and of several the one declared first.
fn deepest<'g, 'a: 'g>(goals: impl Iterator<Item = &'g Placed<'a>>) -> Option<&'g Placed<'a>> {
    goals.reduce(|best, next| if next.depth > best.depth { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::document::read;
    use crate::formats::source::Source;

    fn selected(text: &str, last_goal: Option<&str>) -> Option<String> {
        let goals = read::<Goals>(&Source::new("goals.yaml", text)).unwrap().value;
        select(&placed(&goals), last_goal).map(|placed| placed.goal.id.clone())
    }

    /// Written short: `id:status` with two spaces for each level, and `<id` for a dependency.
    fn goals(lines: &str) -> String {
        let mut text = String::from("goals:\n");
        let mut above: Option<usize> = None;
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let level = (line.len() - line.trim_start().len()) / 2;
            let pad = " ".repeat(level * 4);
            if above.is_some_and(|above| level > above) {
                text += &format!("{}  children:\n", " ".repeat((level - 1) * 4));
            }
            above = Some(level);
            let (goal, waits) = line.trim().split_once('<').unwrap_or((line.trim(), ""));
            let (id, status) = goal.split_once(':').unwrap();
            text += &format!("{pad}- id: {id}\n{pad}  title: t\n{pad}  status: {status}\n");
            if !waits.is_empty() {
                text += &format!("{pad}  depends_on: [{waits}]\n");
            }
        }
        text
    }

    #[test]
    fn a_goal_is_found_without_minding_case_unless_two_ids_differ_by_it() {
        let text = goals("M1:active\nm1:active\nFix-Login:active\n");
        let goals = read::<Goals>(&Source::new("goals.yaml", &text)).unwrap().value;
        let all = placed(&goals);
        let found = |typed| find_typed(&all, typed).map(|placed| placed.goal.id.as_str());
        assert_eq!(found("fix-login"), Some("Fix-Login"));
        assert_eq!((found("M1"), found("m1")), (Some("M1"), Some("m1")));
        assert_eq!(found("M2"), None);
    }

    #[test]
    fn the_selection_policy_of_the_seed() {
        let tree =
            "M4:active\n  M4.1:done\n  M4.2:active\n  M4.3:active\n    M4.3.1:active\nM5:active\n";
        for (name, lines, last, expected) in [
            (
                "1. the goal of the newest handoff, if it is active",
                tree,
                Some("M4.2"),
                Some("M4.2"),
            ),
            (
                "1. a handoff of a goal that is done does not count",
                tree,
                Some("M4.1"),
                Some("M4.3.1"),
            ),
            ("1. a handoff of an unknown goal does not count", tree, Some("X"), Some("M4.3.1")),
            ("1. also a container, if the handoff is about it", tree, Some("M4"), Some("M4")),
            ("2. the deepest active goal", tree, None, Some("M4.3.1")),
            (
                "3. at the same depth the one declared first",
                "A:active\n  A1:active\nB:active\n  B1:active\n",
                None,
                Some("A1"),
            ),
            (
                "pending, done, blocked and dropped goals are not selected",
                "A:pending\nB:done\nC:blocked\nD:dropped\n",
                None,
                None,
            ),
            (
                "an active goal below a pending, done or dropped one is not selected",
                "A:pending\n  B:active\n    B1:active\nD:done\n  D1:active\nE:dropped\n  E1:active\nC:active\n",
                Some("B"),
                Some("C"),
            ),
            (
                "an active goal below a blocked one is selected",
                "A:blocked\n  B:active\n",
                None,
                Some("B"),
            ),
            (
                "a goal that waits comes after one that does not",
                "Z:pending\nA:blocked\n  B:active<Z\nC:active\n",
                None,
                Some("C"),
            ),
            ("a goal that waits is better than none", "A:pending\nB:active<A\n", None, Some("B")),
            (
                "a dependency that is done does not wait",
                "A:done\nC:active\n  B:active<A\n",
                None,
                Some("B"),
            ),
        ] {
            assert_eq!(selected(&goals(lines), last).as_deref(), expected, "{name}");
        }
        assert_eq!(selected("goals: []\n", None), None);
    }

    #[test]
    fn what_is_part_of_a_goal_that_waits_waits_and_no_goal_waits_for_its_own_part() {
        let waits = goals("Z:pending\nA:active<Z\n  B:active\n    B1:active\nC:active\n");
        assert_eq!(selected(&waits, None).as_deref(), Some("C"));
        let own = goals("A:active<A1\n  A1:active\nC:active\n");
        assert_eq!(selected(&own, None).as_deref(), Some("A1"));
    }
}
