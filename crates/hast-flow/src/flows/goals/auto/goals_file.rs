//! `goals.yaml` as it was read: its text, and the goals or what is wrong with them.

use crate::docs::document::read;
use crate::docs::goals::Goals;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::record::ToldStatus;
use crate::flows::goals::runnable::parents_done;
use crate::flows::goals::selection::placed;
use crate::flows::goals::status_edit::with_status;
use crate::formats::source::Source;
use crate::store::Identity;

#[derive(Clone, Debug, PartialEq)]
pub struct GoalsFile {
    pub text: String,
    pub identity: Option<Identity>,
    /// The goals, or what is wrong with the file.
    pub goals: Result<Goals, String>,
}

impl GoalsFile {
    pub(super) fn read(bytes: &[u8], identity: Option<Identity>) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let found = |findings: &[crate::formats::diagnostic::Diagnostic]| {
            let lang = crate::words::Lang::En;
            findings.first().map_or_else(String::new, |first| first.finding.what(lang))
        };
        let goals = match Source::from_bytes(layout::GOALS, bytes) {
            Ok(source) => read::<Goals>(&source).map(|read| read.value).map_err(|all| found(&all)),
            Err(finding) => Err(found(&[finding])),
        };
        Self { text, identity, goals }
    }

    /// The text with the status of a goal, and of the parents that are done with it; nothing where that
    /// cannot be done without changing more.
    pub(super) fn with_goal(&self, goal: &str, status: &ToldStatus) -> Option<String> {
        let goals = self.goals.as_ref().ok()?;
        let parents = match status {
            ToldStatus::Done => parents_done(&placed(goals), goal),
            ToldStatus::Blocked { .. } => Vec::new(),
        };
        let text = with_status(&self.text, goal, status.new_status()).ok()?;
        let done = ToldStatus::Done;
        parents
            .iter()
            .try_fold(text, |text, parent| with_status(&text, parent, done.new_status()).ok())
    }
}
