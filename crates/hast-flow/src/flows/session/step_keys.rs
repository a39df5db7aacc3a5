//! The names of a session's steps. A step that a person asked for once more gets a name of its own.

use crate::docs::session::SessionStatus;
use crate::flows::session::view::{Life, View};
use crate::ids::TaskId;
use crate::steps::StepKey;

impl View {
    /// The step that makes a plan: the first, or the one after this.
    pub(super) fn plan_key(&self) -> StepKey {
        let SessionStatus { plan_major_version: major, plan_revision: revision, .. } = self.pointer;
        let version = format!("{major}.{revision}");
        match self.life {
            Life::Working => self.numbered_again(&["replan", &version], "plan"),
            _ => self.numbered_again(&["plan", &version], "plan"),
        }
    }

    pub(super) fn finalize_key(&self) -> StepKey {
        let number = (self.refused.len() + 1).to_string();
        self.numbered_again(&["session", "finalize", &number], "answer")
    }

    pub(super) fn verdict_key(&self) -> StepKey {
        let number = (self.refused.len() + 1).to_string();
        self.numbered_again(&["session", "verdict", &number], "verdict")
    }

    fn numbered_again(&self, parts: &[&str], what: &str) -> StepKey {
        match self.again.get(what) {
            None | Some(0) => StepKey::new(parts),
            Some(times) => StepKey::new(&[parts, &[&format!("asked-{times}")]].concat()),
        }
    }

    pub(super) fn review_key(&self, task: &TaskId, attempt: u32) -> StepKey {
        match self.progress.get(task).map_or(0, |progress| progress.asked) {
            0 => task_key(task, "review", attempt),
            times => StepKey::new(&[
                task.as_str(),
                "review",
                &attempt.to_string(),
                &format!("asked-{times}"),
            ]),
        }
    }
}

pub(super) fn task_key(task: &TaskId, step: &str, attempt: u32) -> StepKey {
    StepKey::new(&[task.as_str(), step, &attempt.to_string()])
}
