//! `retry`: a blocked goal becomes active again, and its attempts count from here on.

use serde_json::json;

use crate::attempt::base::TreeRules;
use crate::docs::goals::{GoalStatus, GoalsEventKind as Kind};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{layout, publishing, words};
use crate::flows::goals::selection::placed;
use crate::flows::goals::status_edit::{NewStatus, status_word, with_status};
use crate::roles::PolicyTable;
use crate::steps::{Ending, Notice, Step, StepKey};
use crate::store::{DocPath, Put};
use crate::words::{Lang, shell_word};

/// One retry of one goal.
#[derive(Clone, Debug)]
pub struct RetryFlow {
    pub goal: String,
    pub attempts: Attempts,
    /// What is looked at before goals.yaml is committed; none with `commit: off`.
    pub committing: Option<TreeRules>,
    /// A person's words to the next attempts.
    pub text: Option<String>,
    /// The options for the run that were typed too, each after a space.
    pub options: String,
}

/// The command of a person who agrees that fewer tests are right: kept work is judged again, without an agent.
pub fn agreeing_command(goal: &str) -> String {
    format!("hast retry {} --continue --fewer-tests", shell_word(goal))
}

/// What becomes of the records of earlier attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempts {
    Archive,
    Keep,
}

impl Flow for RetryFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, _: bool) -> bool {
        layout::is_read(path)
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let lang = facts.lang;
        let finish = |ending: fn(Notice) -> Ending, what: String, next: String| {
            Step::Finish(ending(Notice { what, next }))
        };
        if facts.noted.contains(&self.key()) {
            let rules = self.committing.as_ref();
            if let Some(step) = rules.and_then(|rules| publishing::next(rules, view, facts)) {
                return step;
            }
            let what = match self.text {
                Some(_) => words::retried_with(lang, &self.goal),
                None => words::retried(lang, &self.goal),
            };
            let next = words::retried_next(lang, shell_word(&self.goal), &self.options);
            return finish(Ending::Done, what, next);
        }
        let Some(Ok(goals)) = view.goals.as_ref().map(|file| &file.goals) else {
            return finish(Ending::Failed, words::no_goals(lang), words::no_goals_next(lang));
        };
        let all = placed(goals);
        let goal = all.iter().find(|placed| placed.goal.id == self.goal).map(|placed| placed.goal);
        match goal.map(|goal| goal.status) {
            Some(GoalStatus::Blocked) => self.reopen(view, facts),
            // It is tried again anyway; the words are what is new.
            Some(GoalStatus::Active) if self.text.is_some() => self.tell(view, facts),
            Some(status) => {
                let what = words::not_blocked(lang, &self.goal, status_word(status));
                finish(Ending::Failed, what, self.other_way(status, lang))
            }
            None => {
                let what = words::no_such_goal(lang, &self.goal);
                finish(Ending::Failed, what, words::no_such_goal_next(lang))
            }
        }
    }
}

impl RetryFlow {
    /// Open for the rest of the drive: it says that the work is done.
    fn key(&self) -> StepKey {
        StepKey::new(&["retry", &layout::goal_directory(&self.goal)])
    }

    /// What to do with a goal that is not blocked.
    fn other_way(&self, status: GoalStatus, lang: Lang) -> String {
        let goal = shell_word(&self.goal);
        match status {
            GoalStatus::Active | GoalStatus::Blocked => {
                words::active_next(lang, goal, &self.options)
            }
            GoalStatus::Done => words::done_again_next(lang, goal),
            GoalStatus::Pending | GoalStatus::Dropped => words::not_active_next(lang, goal),
        }
    }

    /// Keeps a person's words for the next attempt at a goal that is active.
    fn tell(&self, view: &View, facts: &Facts<'_>) -> Step {
        let detail = json!({ "goal_id": self.goal, layout::SAID: self.text });
        let draft = Draft::new(view, facts, &format!("retry {}", self.goal));
        draft.event(Kind::Retried, detail).starts(self.key()).step()
    }

    fn reopen(&self, view: &View, facts: &Facts<'_>) -> Step {
        let text = view.goals.as_ref().map(|file| file.text.as_str()).unwrap_or_default();
        let text = match with_status(text, &self.goal, NewStatus::Active) {
            Ok(text) => text,
            Err(findings) => {
                let why = findings.first().map(|first| first.finding.what(facts.lang));
                let what = words::cannot_edit(facts.lang, why.unwrap_or_default());
                let next = words::cannot_edit_next(facts.lang, &self.goal);
                return Step::Finish(Ending::Failed(Notice { what, next }));
            }
        };
        let mut detail = json!({ "goal_id": self.goal });
        if let Some(text) = &self.text {
            detail[layout::SAID] = json!(text);
        }
        if self.committing.is_some() {
            detail[layout::OWED] = json!(true);
        }
        let draft = Draft::new(view, facts, &format!("retry {}", self.goal))
            .goals(text)
            .event(Kind::Retried, detail)
            .starts(self.key());
        match (self.attempts, self.archived(view)) {
            (Attempts::Archive, Some(put)) => draft.put(put).step(),
            _ => draft.step(),
        }
    }

    /// The records of the attempts so far, moved aside under the number of the last one.
    fn archived(&self, view: &View) -> Option<Put> {
        let last = view.ledger(&self.goal).last_number();
        let directory = layout::goal_directory(&self.goal);
        view.documents.get(&directory).filter(|documents| !documents.is_empty())?;
        let from = layout::path(&format!("{}{directory}", layout::ATTEMPTS))?;
        let to = layout::path(&format!("{}{directory}/{last}", layout::ARCHIVED))?;
        Some(Put::Archive { from, to })
    }
}
