//! Goals that wait for others: for which, and what a person does about the first of them, as a command or an
//! edit that really can be made.

use crate::docs::goals::{Goal, GoalMode, GoalStatus};
use crate::flows::goals::selection::Placed;
use crate::messages;
use crate::words::{Lang, shell_word};

/// So many goals are named.
const NAMED: usize = 5;

/// A goal with what it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub id: String,
    /// Itself, or the goal above it whose `depends_on` it is.
    pub named_by: String,
    pub on: Vec<String>,
    pub way: Way,
}

/// What makes a goal go on that others wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    Run {
        id: String,
    },
    RunLeaves {
        id: String,
    },
    Activate {
        id: String,
    },
    Retry {
        id: String,
    },
    /// Nobody works on it any more.
    LetGo {
        id: String,
        of: String,
    },
    /// A person does it.
    ByHand {
        id: String,
    },
}

impl Waiting {
    /// What a goal waits for, by itself or with what it is part of; none where all of that is done.
    pub fn of(goal: &Goal, all: &[Placed<'_>]) -> Option<Self> {
        let is_done = |id: &str| {
            all.iter().any(|one| one.goal.id == id && one.goal.status == GoalStatus::Done)
        };
        let placed = all.iter().find(|one| one.goal.id == goal.id)?;
        let (named_by, on) = placed.waits_for(is_done)?;
        let way = Way::of(on.first()?, named_by, all, all.len());
        Some(Self { id: goal.id.clone(), named_by: named_by.id.clone(), on, way })
    }

    /// All of them, each with what it waits for.
    pub fn list(waiting: &[Self], lang: Lang) -> String {
        let each = |one: &Self| waits_for(lang, &one.id, one.on.join(", "));
        listed(waiting.iter().map(each).collect())
    }
}

/// The first of a list, and how many more there are.
pub fn listed(mut all: Vec<String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    all.extend((more > 0).then(|| format!("+{more}")));
    all.join(", ")
}

impl Way {
    /// `steps` bounds how far what waits is followed to what that waits for.
    fn of(id: &str, of: &Goal, all: &[Placed<'_>], steps: usize) -> Self {
        let (name, of_id) = (id.to_owned(), of.id.clone());
        let Some(goal) = all.iter().map(|one| one.goal).find(|goal| goal.id == id) else {
            return Self::LetGo { id: name, of: of_id };
        };
        match goal.status {
            GoalStatus::Pending => Self::Activate { id: name },
            GoalStatus::Blocked => Self::Retry { id: name },
            GoalStatus::Dropped => Self::LetGo { id: name, of: of_id },
            GoalStatus::Active if goal.mode == Some(GoalMode::Interactive) => {
                Self::ByHand { id: name }
            }
            GoalStatus::Active if !goal.children.is_empty() => Self::RunLeaves { id: name },
            GoalStatus::Active | GoalStatus::Done => {
                let done = |id: &&String| {
                    let found = all.iter().find(|one| one.goal.id == **id);
                    found.is_some_and(|one| one.goal.status == GoalStatus::Done)
                };
                match goal.depends_on.iter().find(|id| !done(id)) {
                    Some(next) if steps > 0 => Self::of(next, goal, all, steps - 1),
                    _ => Self::Run { id: name },
                }
            }
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::Run { id } => run_first(lang, shell_word(id)),
            Self::RunLeaves { id } => run_leaves_first(lang, shell_word(id)),
            Self::Activate { id } => activate_first(lang, id),
            Self::Retry { id } => retry_first(lang, id, shell_word(id)),
            Self::LetGo { id, of } => let_go(lang, id, of),
            Self::ByHand { id } => by_hand_first(lang, id, shell_word(id)),
        }
    }
}

messages! {
    waits_for(id, on) { en: "{id} (waits for {on})", ko: "{id} ({on} 대기)" }
    run_first(id) { en: "run hast auto {id} first", ko: "먼저 hast auto {id}(을)를 실행하세요" }
    run_leaves_first(id) { en: "run hast auto {id} --recursive first", ko: "먼저 hast auto {id} --recursive를 실행하세요" }
    activate_first(id) { en: "set `status: active` of {id} in .ai/goals.yaml, and run it first", ko: "먼저 .ai/goals.yaml에서 {id}(을)를 `status: active`로 바꾸고 실행하세요" }
    retry_first(id, word) { en: "solve what blocks {id}, then run hast retry {word}", ko: "{id}(을)를 막은 문제를 해결한 뒤 hast retry {word}(을)를 실행하세요" }
    let_go(id, of) { en: "{id} will not be done: take it out of depends_on of {of} in .ai/goals.yaml, or set its `status: active`", ko: "{id}(은)는 하지 않을 목표입니다. .ai/goals.yaml에서 {of}의 depends_on에서 빼거나 `status: active`로 바꾸세요" }
    by_hand_first(id, word) { en: "{id} is done by a person: work on it in a session (hast context --goal {word}), then set its `status: done`", ko: "{id}(은)는 사람이 하는 목표입니다. 세션에서 작업하고(hast context --goal {word}) `status: done`으로 바꾸세요" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn every_way_is_said_in_both_languages() {
        for entry in CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
