//! The steps of a root that were begun and not ended, from `.hast/steps.ndjson`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::change::steps_log;
use super::content::read_whole;
use super::disk::Disk;
use super::problem::StoreError;
use super::root::Store;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Started,
    Finished,
}

/// Where the log ends, and which steps it leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenSteps {
    pub length: u64,
    pub open: BTreeSet<String>,
}

/// Reads the log of steps. A line that is none is skipped: it can only make a step look open.
pub fn open_steps<D: Disk>(store: &Store<D>) -> Result<OpenSteps, StoreError> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        step: std::borrow::Cow<'a, str>,
        state: StepState,
    }
    let Some(bytes) = read_whole(store.disk(), &steps_log())? else {
        return Ok(OpenSteps::default());
    };
    let mut open = BTreeSet::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else {
            continue;
        };
        match line.state {
            StepState::Started => open.insert(line.step.into_owned()),
            StepState::Finished => open.remove(line.step.as_ref()),
        };
    }
    let length = bytes.len() as u64;
    Ok(OpenSteps { length, open })
}
