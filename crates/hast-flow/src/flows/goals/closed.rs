//! Active goals below a goal that is pending, done or dropped: they do not run, and this says why and what a
//! person does about it.

use crate::docs::goals::{GoalMode, GoalStatus};
use crate::flows::goals::selection::Placed;
use crate::flows::goals::status_edit::status_word;
use crate::flows::goals::waiting::listed;
use crate::messages;
use crate::words::Lang;

/// A goal with the one above it that keeps it from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    pub id: String,
    pub above: String,
    pub status: GoalStatus,
}

impl Closed {
    /// An active goal that would run but for what it is part of.
    pub fn of(placed: &Placed<'_>) -> Option<Self> {
        let (goal, above) = (placed.goal, placed.closed_by?);
        let would_run = goal.status == GoalStatus::Active
            && goal.children.is_empty()
            && goal.mode != Some(GoalMode::Interactive);
        would_run.then(|| Self {
            id: goal.id.clone(),
            above: above.id.clone(),
            status: above.status,
        })
    }

    pub fn what(&self, lang: Lang) -> String {
        is_closed(lang, &self.id, &self.above, status_word(self.status))
    }

    pub fn next(&self, lang: Lang) -> String {
        open_it(lang, &self.above)
    }

    /// All of them, each with its reason.
    pub fn list(closed: &[Self], lang: Lang) -> String {
        let each = |one: &Self| below(lang, &one.id, &one.above, status_word(one.status));
        closed_goals(lang, listed(closed.iter().map(each).collect()))
    }
}

messages! {
    is_closed(id, above, status) { en: "{id} is part of {above}, which is {status}, so it does not run", ko: "{id}(은)는 {status} 상태인 {above}에 속해 실행하지 않습니다" }
    below(id, above, status) { en: "{id} ({above} is {status})", ko: "{id} ({above}(이)가 {status})" }
    closed_goals(ids) { en: "active, and part of what is not: {ids}", ko: "active지만 상위 목표가 active가 아니어서 실행하지 않은 목표: {ids}" }
    open_it(above) { en: "set `status: active` of {above} in .ai/goals.yaml", ko: ".ai/goals.yaml에서 {above}(을)를 `status: active`로 바꾸세요" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn what_keeps_a_goal_from_running_is_said_in_both_languages() {
        for entry in CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
