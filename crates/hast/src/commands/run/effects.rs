//! Effects of a run other than agent calls: scans of files, and tools without a model.

use hast_flow::steps::{Effect, EffectResult, StepKey};
use hast_world::calls::OtherEffects;
use hast_world::root_path::RootPath;
use hast_world::scan;

use crate::commands::session::effects::Tools;

/// Files and tools of one root.
pub(super) struct RunEffects {
    pub(super) root: RootPath,
    pub(super) tools: Tools,
}

impl OtherEffects for RunEffects {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Scan(wanted) => scan::perform(&self.root, wanted),
            other => self.tools.perform(key, other),
        }
    }
}
