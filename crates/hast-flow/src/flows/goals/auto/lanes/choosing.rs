//! Which goal may begin beside those that are under way.

use std::collections::BTreeSet;

use crate::docs::goals::{Goal, GoalMode, GoalStatus};
use crate::flows::goals::runnable::{Asked, Choice, choose};
use crate::flows::goals::selection::Placed;

/// What a lane may begin with.
#[derive(Debug)]
pub(super) enum Next<'g, 'a> {
    Open(&'g Placed<'a>),
    /// Not now: something that is under way has to end first.
    Later,
    /// There is nothing, whatever ends.
    None(Choice<'g, 'a>),
}

/// The next goal by the selection policy that gets along with all that are under way. While the branch
/// is red, because this goal was to make it so, that is whoever comes after it, alone.
pub(super) fn next<'g, 'a>(
    all: &'g [Placed<'a>],
    asked: &Asked,
    last_goal: Option<&str>,
    tried: &BTreeSet<String>,
    under_way: &BTreeSet<String>,
    red: Option<&str>,
) -> Next<'g, 'a> {
    let lanes: Vec<&Goal> =
        all.iter().map(|placed| placed.goal).filter(|goal| under_way.contains(&goal.id)).collect();
    let mut passed_over = tried.clone();
    passed_over.extend(under_way.iter().cloned());
    // RED runs alone.
    if lanes.iter().any(|goal| goal.expect_failure) {
        return Next::Later;
    }
    let after = red.map_or(&[][..], |red| siblings_after(all, red));
    let follows = |goal: &&Goal| after.iter().any(|placed| placed.goal.id == goal.id);
    if lanes.iter().any(follows) {
        return Next::Later;
    }
    if let Some(goal) = first_of(after, all, asked, last_goal, &passed_over) {
        return if lanes.is_empty() { Next::Open(goal) } else { Next::Later };
    }
    loop {
        let goal = match choose(all, asked, last_goal, &passed_over) {
            Choice::Run(goal) => goal,
            _ if !under_way.is_empty() => return Next::Later,
            _ => return Next::None(choose(all, asked, last_goal, tried)),
        };
        if goal.goal.expect_failure && !lanes.is_empty() {
            return Next::Later;
        }
        // Whoever names a goal wants that one.
        let named = asked.goal.as_deref() == Some(goal.goal.id.as_str());
        let waits = (!named && red_before(all, goal, tried))
            || lanes.iter().any(|lane| overlap(&lane.allowed_changes, &goal.goal.allowed_changes));
        if !waits {
            return Next::Open(goal);
        }
        passed_over.insert(goal.goal.id.clone());
        if named {
            return Next::Later;
        }
    }
}

/// Later siblings of a goal, and what is below them.
fn siblings_after<'g, 'a>(all: &'g [Placed<'a>], id: &str) -> &'g [Placed<'a>] {
    let Some(at) = all.iter().position(|placed| placed.goal.id == id) else { return &[] };
    let (depth, rest) = (all[at].depth, &all[at + 1..]);
    let end = rest.iter().position(|placed| placed.depth < depth).unwrap_or(rest.len());
    &rest[..end]
}

/// The first of these that could run now, as the file has them.
fn first_of<'g, 'a>(
    some: &'g [Placed<'a>],
    all: &'g [Placed<'a>],
    asked: &Asked,
    last_goal: Option<&str>,
    passed_over: &BTreeSet<String>,
) -> Option<&'g Placed<'a>> {
    let mut left = passed_over.clone();
    while let (false, Choice::Run(goal)) = (some.is_empty(), choose(all, asked, last_goal, &left)) {
        left.insert(goal.goal.id.clone());
    }
    some.iter()
        .find(|placed| left.contains(&placed.goal.id) && !passed_over.contains(&placed.goal.id))
}

/// Whether an earlier sibling writes the tests that this goal is to turn green.
fn red_before(all: &[Placed<'_>], placed: &Placed<'_>, tried: &BTreeSet<String>) -> bool {
    let parent = |placed: &Placed<'_>| placed.parent.map(|parent| parent.id.clone());
    let above = parent(placed);
    let siblings = all.iter().filter(|other| parent(other) == above).map(|other| other.goal);
    let is_to_run = |goal: &Goal| {
        goal.expect_failure
            && goal.children.is_empty()
            && goal.status == GoalStatus::Active
            && goal.mode != Some(GoalMode::Interactive)
            && !tried.contains(&goal.id)
    };
    siblings.take_while(|goal| goal.id != placed.goal.id).any(is_to_run)
}

/// Whether two lists of globs may name the same file. A list without any is no statement.
pub fn overlap(one: &[String], other: &[String]) -> bool {
    let starts = |globs: &[String]| -> Vec<Start> {
        globs.iter().filter(|glob| !glob.starts_with('!')).map(|glob| Start::of(glob)).collect()
    };
    let (one, other) = (starts(one), starts(other));
    one.iter().any(|one| other.iter().any(|other| one.nests(other) || other.nests(one)))
}

/// The part of a glob before anything that stands for more than itself.
#[derive(Debug, PartialEq, Eq)]
struct Start {
    text: String,
    /// Other characters may follow.
    open: bool,
}

impl Start {
    fn of(glob: &str) -> Self {
        let glob = glob.strip_prefix('/').unwrap_or(glob);
        let end = glob.find(['*', '?', '[', '\\']).unwrap_or(glob.len());
        let text = &glob[..end];
        Self { text: text.to_owned(), open: end < glob.len() }
    }

    /// Whether everything that the other one names could be named by this one.
    fn nests(&self, other: &Self) -> bool {
        let Some(rest) = other.text.strip_prefix(&self.text) else { return false };
        rest.is_empty() || self.open || self.text.ends_with('/') || rest.starts_with('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaps(one: &[&str], other: &[&str]) -> bool {
        let owned = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let (one, other): (Vec<String>, Vec<String>) = (owned(one), owned(other));
        assert_eq!(overlap(&one, &other), overlap(&other, &one));
        overlap(&one, &other)
    }

    #[test]
    fn globs_overlap_where_their_literal_beginnings_nest() {
        for (one, other) in [
            (&["src/"][..], &["src/a.py"][..]),
            (&["src/a.py"], &["src/a.py"]),
            (&["/src"], &["src/deep/"]),
            (&["src/a*"], &["src/ab.py"]),
            (&["*.py"], &["docs/x.md"]),
            (&["docs/", "core/**/x"], &["core/a/"]),
        ] {
            assert!(overlaps(one, other), "{one:?} {other:?}");
        }
        for (one, other) in [
            (&["src/a.py"][..], &["src/b.py"][..]),
            (&["src/a"], &["src/ab"]),
            (&["src/"], &["srcs/"]),
            (&["tests/"], &["core/strategy.py"]),
            (&["!src/"], &["src/"]),
        ] {
            assert!(!overlaps(one, other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_goal_without_a_list_overlaps_nothing() {
        assert!(!overlaps(&[], &["src/"]));
        assert!(!overlaps(&[], &[]));
    }
}
