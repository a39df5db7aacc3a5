//! New goals in `goals.yaml`: their ids, and the text with them. No other byte changes, but the status of
//! goals above them that were done: these are active again.

use std::collections::BTreeSet;

use crate::docs::document::{Read, read};
use crate::docs::goals::{GoalStatus, Goals, matches_nothing};
use crate::flows::goals::layout;
use crate::flows::goals::selection::{Placed, find_typed, placed};
use crate::flows::goals::status_edit::{NewStatus, path_to, with_status};
use crate::formats::diagnostic::Diagnostic;
use crate::formats::source::{MAX_DOCUMENT_BYTES, Source};
use crate::formats::yaml_append::{NewField, NewValue, append};

/// A goal as it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewGoal {
    /// None: the next one that is free.
    pub id: Option<String>,
    pub title: String,
    pub allowed_changes: Vec<String>,
    pub acceptance: Vec<String>,
    pub test_command: Option<String>,
    pub notes: Option<String>,
}

/// The text with new goals, and what there is to say about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Added {
    pub text: String,
    pub goals: Vec<AddedGoal>,
    /// Ids that were there already: nothing was done about these.
    pub skipped: Vec<String>,
    /// Goals above the new ones that were done and are active again.
    pub reopened: Vec<String>,
    /// The goal above the new ones that keeps them from running.
    pub closed_by: Option<(String, GoalStatus)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedGoal {
    pub id: String,
    pub title: String,
    pub parent: Option<String>,
}

/// Why goals cannot be added.
#[derive(Clone, Debug)]
pub enum NoAdd {
    NoParent {
        id: String,
    },
    /// The number of the goal in what was asked for, from one on.
    NoTitle {
        number: usize,
    },
    /// An id that commands, refs and files could not name.
    BadId {
        number: usize,
        id: String,
    },
    /// A glob of `allowed_changes` that no file can match.
    NoMatch {
        number: usize,
        glob: String,
    },
    TooLong,
    /// The file has nothing but comments, or not even these.
    Empty,
    /// The file is wrong as it is.
    Invalid(Vec<Diagnostic>),
    /// The file is right, and cannot be edited without changing more.
    NotEditable(Vec<Diagnostic>),
}

/// The goals, added below another one or at the top, in the order in which they are asked for.
pub fn add(text: &str, under: Option<&str>, goals: &[NewGoal]) -> Result<Added, NoAdd> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Err(NoAdd::Empty);
    }
    let before = read_goals(text).map_err(NoAdd::Invalid)?;
    let all = placed(&before.value);
    let parent = match under {
        None => None,
        Some(typed) => {
            Some(find_typed(&all, typed).ok_or_else(|| NoAdd::NoParent { id: typed.to_owned() })?)
        }
    };
    let mut added = Added { text: text.to_owned(), ..Added::default() };
    let items = items(&all, parent, goals, &mut added)?;
    let parent_id = parent.map(|placed| placed.goal.id.clone());
    added.closed_by = parent.and_then(closed_by);
    if items.is_empty() {
        return Ok(added);
    }
    for id in parent.map(|parent| done_at_or_above(&all, parent)).unwrap_or_default() {
        added.text =
            with_status(&added.text, &id, NewStatus::Active).map_err(NoAdd::NotEditable)?;
        added.reopened.push(id);
    }
    let now = read_goals(&added.text).map_err(NoAdd::NotEditable)?;
    let path = parent_id.as_ref().and_then(|id| path_to(&now.value.goals, id)).unwrap_or_default();
    let key = if parent_id.is_some() { "children" } else { "goals" };
    let source = Source::new(layout::GOALS, &added.text);
    let edit = append(&source, &now.tree, &path, key, &items)
        .map_err(|refused| NoAdd::NotEditable(vec![refused]))?;
    added.text = edit.apply(&added.text);
    if added.text.len() > MAX_DOCUMENT_BYTES {
        return Err(NoAdd::TooLong);
    }
    read_goals(&added.text).map_err(NoAdd::NotEditable)?;
    Ok(added)
}

/// The fields of those that are new, each with its id.
fn items(
    all: &[Placed<'_>],
    parent: Option<&Placed<'_>>,
    goals: &[NewGoal],
    added: &mut Added,
) -> Result<Vec<Vec<NewField>>, NoAdd> {
    let mut known: BTreeSet<String> =
        all.iter().map(|placed| placed.goal.id.to_lowercase()).collect();
    // Ids that are given come before those that are free.
    let given = goals.iter().filter_map(|goal| goal.id.as_ref()).map(|id| id.to_lowercase());
    let mut taken: BTreeSet<String> = known.iter().cloned().chain(given).collect();
    let parent = parent.map(|placed| placed.goal.id.as_str());
    let mut items = Vec::new();
    for (at, goal) in goals.iter().enumerate() {
        let number = at + 1;
        let title = goal.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() {
            return Err(NoAdd::NoTitle { number });
        }
        if let Some(glob) = goal.allowed_changes.iter().find(|glob| matches_nothing(glob)) {
            return Err(NoAdd::NoMatch { number, glob: glob.clone() });
        }
        let id = match &goal.id {
            Some(id) if !is_an_id(id) => {
                return Err(NoAdd::BadId { number, id: id.clone() });
            }
            Some(id) => id.clone(),
            None => next_id(&taken, parent),
        };
        taken.insert(id.to_lowercase());
        if !known.insert(id.to_lowercase()) {
            added.skipped.push(id);
            continue;
        }
        items.push(fields(&id, &title, goal));
        added.goals.push(AddedGoal { id, title, parent: parent.map(str::to_owned) });
    }
    Ok(items)
}

fn fields(id: &str, title: &str, goal: &NewGoal) -> Vec<NewField> {
    let word = |word: &str| NewValue::Word(word.to_owned());
    let mut fields = vec![
        ("id", word(id)),
        ("title", NewValue::Text(title.to_owned())),
        ("status", word("active")),
    ];
    let lists =
        [("allowed_changes", &goal.allowed_changes), ("acceptance", &goal.acceptance)].into_iter();
    let lists = lists.filter(|(_, list)| !list.is_empty());
    fields.extend(lists.map(|(key, list)| (key, NewValue::List(list.clone()))));
    let command = goal.test_command.as_ref();
    fields.extend(command.map(|command| ("test_command", NewValue::Text(command.clone()))));
    let notes = goal.notes.as_ref().map(|notes| notes.replace("\r\n", "\n").trim_end().to_owned());
    let notes = notes.filter(|notes| !notes.trim().is_empty());
    fields.extend(notes.map(|notes| ("notes", NewValue::Lines(notes))));
    fields
}

/// The number after the greatest: `G3`, or `M4.3` below M4. An id that was used once is not used again.
fn next_id(taken: &BTreeSet<String>, parent: Option<&str>) -> String {
    let start = parent.map_or_else(|| "G".to_owned(), |parent| format!("{parent}."));
    let folded = start.to_lowercase();
    let numbers = taken.iter().filter_map(|id| id.strip_prefix(&folded)?.parse::<u32>().ok());
    let greatest = numbers.filter(|number| *number < u32::MAX).max().unwrap_or(0);
    format!("{start}{}", greatest + 1)
}

/// Ids stand in commands, in names of refs and beside the `@` of an attempt. Older ones are read as they are.
fn is_an_id(id: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    id.starts_with(char::is_alphanumeric)
        && id.len() <= LONGEST_ID
        && id.chars().all(is_plain)
        && !id.ends_with('.')
        && !id.contains("..")
        && !id.ends_with(".lock")
}

const LONGEST_ID: usize = 200;

/// The parent and the goals above it, as far as they are done.
fn done_at_or_above(all: &[Placed<'_>], parent: &Placed<'_>) -> Vec<String> {
    let mut done = Vec::new();
    let mut next = Some(parent.goal.id.as_str());
    while let Some(placed) = next.and_then(|id| all.iter().find(|one| one.goal.id == id)) {
        if placed.goal.status == GoalStatus::Done {
            done.push(placed.goal.id.clone());
        }
        next = placed.parent.map(|above| above.id.as_str());
    }
    done
}

/// The parent, or the goal above it that is neither done nor to be worked on.
fn closed_by(parent: &Placed<'_>) -> Option<(String, GoalStatus)> {
    let own = Some(parent.goal).into_iter().chain(parent.closed_by);
    let is_closed = |status| matches!(status, GoalStatus::Pending | GoalStatus::Dropped);
    let mut closed = own.filter(|goal| is_closed(goal.status));
    closed.next().map(|goal| (goal.id.clone(), goal.status))
}

fn read_goals(text: &str) -> Result<Read<Goals>, Vec<Diagnostic>> {
    read::<Goals>(&Source::new(layout::GOALS, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOALS: &str = "\
# mine
goals:
  - id: M1   # first
    title: 'Sign in'
    status: done
    children:
      - id: M1.1
        title: \"form\"
        status: done

  - {id: M2, title: later, status: pending}
";

    fn goal(title: &str) -> NewGoal {
        NewGoal { title: title.to_owned(), ..NewGoal::default() }
    }

    fn ids(added: &Added) -> Vec<&str> {
        added.goals.iter().map(|goal| goal.id.as_str()).collect()
    }

    #[test]
    fn a_goal_is_added_and_every_other_byte_stays() {
        let new = NewGoal {
            allowed_changes: vec!["src/".into()],
            acceptance: vec!["it says no".into()],
            test_command: Some("make test".into()),
            notes: Some("one\r\ntwo\n".into()),
            ..goal("로그인 #2: fix")
        };
        let added = add(GOALS, None, &[new]).unwrap();
        let lines = "  - id: G1\n    title: \"로그인 #2: fix\"\n    status: active\n    allowed_changes: [\"src/\"]\n    acceptance: [\"it says no\"]\n    test_command: \"make test\"\n    notes: |-\n      one\n      two\n";
        assert_eq!(added.text, format!("{GOALS}{lines}"));
        assert_eq!(ids(&added), ["G1"]);
    }

    #[test]
    fn below_a_done_goal_it_is_active_again_with_those_above() {
        let added = add(GOALS, Some("m1.1"), &[goal("a"), goal("b")]).unwrap();
        assert_eq!(added.reopened, ["M1.1", "M1"]);
        assert_eq!(ids(&added), ["M1.1.1", "M1.1.2"]);
        let goals = read_goals(&added.text).unwrap().value.goals;
        assert_eq!(goals[0].status, GoalStatus::Active);
        assert_eq!(goals[0].children[0].children.len(), 2);
        assert!(added.text.contains("- id: M1   # first\n"), "{}", added.text);
        let next = add(&added.text, Some("M1"), &[goal("c")]).unwrap();
        assert_eq!((ids(&next), next.reopened.len()), (vec!["M1.2"], 0));
    }

    #[test]
    fn below_a_pending_goal_it_is_added_and_does_not_run() {
        let added = add(GOALS, Some("M2"), &[goal("a")]).unwrap();
        assert_eq!(added.closed_by, Some(("M2".to_owned(), GoalStatus::Pending)));
        assert!(added.text.contains("status: pending, children: [{id: M2.1, title: \"a\""));
    }

    #[test]
    fn an_id_that_is_there_is_skipped_whatever_its_case_and_free_ones_keep_clear_of_given_ones() {
        let given = |id: &str| NewGoal { id: Some(id.to_owned()), ..goal("t") };
        let added = add(GOALS, None, &[goal("a"), given("m2"), given("g4"), given("G4")]).unwrap();
        assert_eq!(added.skipped, ["m2", "G4"]);
        assert_eq!(ids(&added), ["G5", "g4"]);
        let nothing = add(GOALS, None, &[given("M1")]).unwrap();
        assert_eq!((nothing.text.as_str(), nothing.goals.len()), (GOALS, 0));
    }

    #[test]
    fn what_cannot_be_a_goal_is_refused_with_its_number() {
        assert!(matches!(add(GOALS, Some("X"), &[goal("a")]), Err(NoAdd::NoParent { .. })));
        let empty = add(GOALS, None, &[goal("a"), goal(" \n")]);
        assert!(matches!(empty, Err(NoAdd::NoTitle { number: 2 })));
        for id in ["", " a", "a\nb", "-n", "G1@1", "../../x", "a/b", "a b", ".x", "a..b", "a.lock"]
        {
            let bad = NewGoal { id: Some(id.to_owned()), ..goal("t") };
            assert!(
                matches!(add(GOALS, None, &[bad]), Err(NoAdd::BadId { number: 1, .. })),
                "{id:?}"
            );
        }
        for id in ["GH-12", "M4.3", "로그인_2", "a-b"] {
            let good = NewGoal { id: Some(id.to_owned()), ..goal("t") };
            assert!(add(GOALS, None, &[good]).is_ok(), "{id}");
        }
        for glob in ["", "../up", "src/../x"] {
            let bad = NewGoal { allowed_changes: vec![glob.to_owned()], ..goal("t") };
            assert!(matches!(add(GOALS, None, &[bad]), Err(NoAdd::NoMatch { .. })), "{glob:?}");
        }
    }

    #[test]
    fn a_file_that_is_wrong_is_told_from_one_that_cannot_be_edited_and_from_an_empty_one() {
        let bad = add("goals: [\n", None, &[goal("a")]);
        assert!(matches!(bad, Err(NoAdd::Invalid(_))));
        assert!(matches!(add("# nothing\n\n", None, &[goal("a")]), Err(NoAdd::Empty)));
        let shared = "goals: &g\n  - {id: M1, title: t, status: active}\nothers: *g\n";
        assert!(matches!(add(shared, None, &[goal("a")]), Err(NoAdd::NotEditable(_))));
    }

    #[test]
    fn the_file_of_init_takes_its_first_goal() {
        let added = add("goals: []\n# One goal is enough.\n", None, &[goal("Sign in")]).unwrap();
        let text = "goals:\n  - id: G1\n    title: \"Sign in\"\n    status: active\n# One goal is enough.\n";
        assert_eq!(added.text, text);
    }
}
