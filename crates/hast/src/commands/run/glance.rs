//! Runs in a few words, for `hast status`: how many there are, which are open, and what waits for a
//! person.

use hast_flow::docs::run::{ProcessRun, RunStatus};
use hast_flow::words::Lang;
use hast_world::root_path::RootPath;
use serde_json::{Value, json};

use super::listing::word;
use super::{proposals, reading};
use crate::commands::flow_root::headline;
use crate::run_messages::say;

/// What a look at the table tells.
pub(crate) struct Glance {
    runs: usize,
    open: Vec<ProcessRun>,
}

/// More open runs than this are only counted.
const MOST_SHOWN: usize = 10;

pub(crate) fn glance(root: &RootPath) -> Glance {
    let rows = proposals::rows(root);
    let runs = rows.len();
    Glance { runs, open: rows.into_iter().filter(|row| reading::is_open(&row)).collect() }
}

impl Glance {
    pub(crate) fn lines(&self, lang: Lang) -> Vec<String> {
        let mut lines = vec![say::glance(lang, self.runs, self.open.len())];
        for run in self.open.iter().rev().take(MOST_SHOWN) {
            let first = headline(&run.user_request);
            lines.push(format!("{} {}  {first}", run.run_id, word(run.status)));
            if run.status == RunStatus::AwaitingConfirmation {
                lines.push(format!("{} {}", run.run_id, say::how_to_decide(lang, &run.run_id)));
            }
        }
        lines
    }

    pub(crate) fn json(&self) -> Value {
        let awaiting = self.open.iter().filter(|run| run.status == RunStatus::AwaitingConfirmation);
        json!({
            "runs": self.runs,
            "unfinished": self.open,
            "awaiting": awaiting.map(|run| &run.run_id).collect::<Vec<_>>(),
        })
    }
}
