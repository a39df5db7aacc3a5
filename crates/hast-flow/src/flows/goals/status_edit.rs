//! Changes of a goal's status in `goals.yaml`: one value, and `blocked_reason` comes and goes with
//! it. Every other byte stays, and each edit is proven by reading the result.

use crate::docs::document::{Read, read};
use crate::docs::goals::{Goal, GoalStatus, Goals};
use crate::flows::goals::layout;
use crate::formats::diagnostic::{Diagnostic, Finding, NoEdit};
use crate::formats::source::Source;
use crate::formats::tree::Step;
use crate::formats::yaml_edit;
use crate::messages;
use crate::words::{Lang, shell_word};

/// What a goal becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewStatus<'a> {
    Pending,
    Active,
    Done,
    Blocked { reason: &'a str },
}

impl NewStatus<'_> {
    fn status(self) -> GoalStatus {
        match self {
            Self::Pending => GoalStatus::Pending,
            Self::Active => GoalStatus::Active,
            Self::Done => GoalStatus::Done,
            Self::Blocked { .. } => GoalStatus::Blocked,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Done => "done",
            Self::Blocked { .. } => "blocked",
        }
    }

    fn reason(self) -> Option<String> {
        match self {
            Self::Pending | Self::Active | Self::Done => None,
            Self::Blocked { reason } => Some(reason.to_owned()),
        }
    }
}

/// The text of `goals.yaml` with one goal changed.
pub fn with_status(text: &str, id: &str, new: NewStatus<'_>) -> Result<String, Vec<Diagnostic>> {
    let before = read_goals(text)?;
    let mut wanted = before.value.clone();
    let Some(goal) = find_mut(&mut wanted.goals, id) else {
        return Err(vec![refused(text, NoEdit::NotFound)]);
    };
    goal.status = new.status();
    goal.blocked_reason = new.reason();
    let changed = edited(text, id, new, &before)?;
    let after = read_goals(&changed)?;
    if after.value == wanted {
        Ok(changed)
    } else {
        Err(vec![refused(text, NoEdit::OtherValuesWouldChange)])
    }
}

fn edited(
    text: &str,
    id: &str,
    new: NewStatus<'_>,
    before: &Read<Goals>,
) -> Result<String, Vec<Diagnostic>> {
    let one = |diagnostic: Diagnostic| vec![diagnostic];
    let goal_path = path_to(&before.value.goals, id).unwrap_or_default();
    let at =
        |key: &'static str| goal_path.iter().cloned().chain([Step::Key(key)]).collect::<Vec<_>>();
    let old = find(&before.value.goals, id);
    let source = Source::new(layout::GOALS, text);
    let mut changed = text.to_owned();
    if old.is_none_or(|goal| goal.status != new.status()) {
        changed = yaml_edit::set(&source, &before.tree, &at("status"), new.word())
            .map_err(one)?
            .apply(text);
    }
    let has_reason = old.is_some_and(|goal| goal.blocked_reason.is_some());
    let now = read_goals(&changed)?;
    let source = Source::new(layout::GOALS, &changed);
    let edit = match (new, has_reason) {
        (NewStatus::Blocked { reason }, true) => {
            yaml_edit::set(&source, &now.tree, &at("blocked_reason"), reason)
        }
        (NewStatus::Blocked { reason }, false) => {
            yaml_edit::insert(&source, &now.tree, &goal_path, "status", ("blocked_reason", reason))
        }
        (NewStatus::Pending | NewStatus::Active | NewStatus::Done, true) => {
            yaml_edit::remove(&source, &now.tree, &goal_path, "blocked_reason")
        }
        (NewStatus::Pending | NewStatus::Active | NewStatus::Done, false) => return Ok(changed),
    };
    Ok(edit.map_err(one)?.apply(&changed))
}

/// Why the status of these goals could not be set once they are done or handed over, each with its place.
pub fn not_to_be_set<'i>(text: &str, ids: impl IntoIterator<Item = &'i String>) -> Vec<Diagnostic> {
    let objection = |id: &String| {
        let news = [NewStatus::Done, NewStatus::Blocked { reason: "-" }];
        news.into_iter().find_map(|new| with_status(text, id, new).err())
    };
    ids.into_iter().filter_map(objection).flatten().collect()
}

/// Gives a blocked goal back: the text with it active again, or why not.
pub fn retried(text: &str, id: &str) -> Result<String, NoRetry> {
    let goals = read_goals(text).map_err(NoRetry::Unreadable)?.value;
    match find(&goals.goals, id) {
        None => Err(NoRetry::Unknown { id: id.to_owned() }),
        Some(goal) if goal.status == GoalStatus::Blocked => {
            with_status(text, id, NewStatus::Active).map_err(NoRetry::Unreadable)
        }
        Some(goal) => Err(NoRetry::NotBlocked { id: id.to_owned(), status: goal.status }),
    }
}

/// Why a goal cannot be retried.
#[derive(Clone, Debug)]
pub enum NoRetry {
    Unknown {
        id: String,
    },
    NotBlocked {
        id: String,
        status: GoalStatus,
    },
    /// The file cannot be read, or not edited without changing more than the goal.
    Unreadable(Vec<Diagnostic>),
}

impl NoRetry {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::Unknown { id } => unknown(lang, id),
            Self::NotBlocked { id, status } => not_blocked(lang, id, status_word(*status)),
            Self::Unreadable(findings) => {
                findings.first().map_or_else(String::new, |found| found.finding.what(lang))
            }
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::Unknown { .. } => unknown_next(lang),
            Self::NotBlocked { status: GoalStatus::Active, id } => {
                active_next(lang, shell_word(id))
            }
            Self::NotBlocked { .. } => not_blocked_next(lang),
            Self::Unreadable(findings) => {
                findings.first().map_or_else(String::new, |found| found.finding.next(lang))
            }
        }
    }
}

/// The word of a status, as the file has it.
pub fn status_word(status: GoalStatus) -> &'static str {
    match status {
        GoalStatus::Pending => "pending",
        GoalStatus::Active => "active",
        GoalStatus::Done => "done",
        GoalStatus::Blocked => "blocked",
        GoalStatus::Dropped => "dropped",
    }
}

messages! {
    unknown(id) { en: "there is no goal {id}", ko: "목표 {id}(이)가 없습니다" }
    unknown_next() { en: "the ids are in .ai/goals.yaml", ko: ".ai/goals.yaml에서 id를 확인하세요" }
    not_blocked(id, status) { en: "{id} is {status}; only a blocked goal is retried", ko: "{id}(은)는 {status} 상태입니다. blocked 목표만 다시 시도합니다" }
    not_blocked_next() { en: "set `status: active` in .ai/goals.yaml to run it", ko: "실행하려면 .ai/goals.yaml에서 `status: active`로 바꾸세요" }
    active_next(id) { en: "hast auto {id}", ko: "hast auto {id}" }
}

fn read_goals(text: &str) -> Result<Read<Goals>, Vec<Diagnostic>> {
    read::<Goals>(&Source::new(layout::GOALS, text))
}

fn refused(text: &str, reason: NoEdit) -> Diagnostic {
    Source::new(layout::GOALS, text).diagnose(0..0, Finding::CannotEdit { reason })
}

fn find<'g>(goals: &'g [Goal], id: &str) -> Option<&'g Goal> {
    goals.iter().find_map(|goal| if goal.id == id { Some(goal) } else { find(&goal.children, id) })
}

fn find_mut<'g>(goals: &'g mut [Goal], id: &str) -> Option<&'g mut Goal> {
    goals
        .iter_mut()
        .find_map(|goal| if goal.id == id { Some(goal) } else { find_mut(&mut goal.children, id) })
}

pub(crate) fn path_to(goals: &[Goal], id: &str) -> Option<Vec<Step<'static>>> {
    fn below(goals: &[Goal], id: &str, list: &'static str) -> Option<Vec<Step<'static>>> {
        goals.iter().enumerate().find_map(|(index, goal)| {
            let rest = if goal.id == id {
                Some(Vec::new())
            } else {
                below(&goal.children, id, "children")
            };
            let here = [Step::Key(list), Step::Index(index)];
            rest.map(|rest| here.into_iter().chain(rest).collect())
        })
    }
    below(goals, id, "goals")
}
