//! What a run asks of the machine besides agents: a look at files, and tools without a model.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hast_agent::tools::net::time::Machine;
use hast_agent::tools::{Cache, Settings, perform};
use hast_flow::steps::{Effect, EffectResult, StepKey, ToolAnswer, ToolUse};
use hast_flow::tools::ToolFailure;
use hast_flow::words::Lang;
use hast_world::calls::OtherEffects;
use hast_world::scan;

use crate::commands::auto::effects::Nothing;

/// Files and tools of one root.
pub(super) struct RunEffects {
    pub(super) root: PathBuf,
    pub(super) variables: Vec<(OsString, OsString)>,
    pub(super) user_agent: Option<String>,
    pub(super) lang: Lang,
}

impl OtherEffects for RunEffects {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Scan(wanted) => scan::perform(&self.root, wanted),
            Effect::Tools(uses) => EffectResult::Tools(
                uses.iter()
                    .map(|one| self.tool(one).map_err(|failure| failure.record(self.lang)))
                    .collect(),
            ),
            other => Nothing.perform(key, other),
        }
    }
}

impl RunEffects {
    fn tool(&self, one: &ToolUse) -> Result<ToolAnswer, ToolFailure> {
        let variable = |name: &str| {
            let mut values = self.variables.iter().filter(|(known, _)| known == OsStr::new(name));
            values.next().and_then(|(_, value)| value.to_str().map(str::to_owned))
        };
        let time = Arc::new(Machine::new(Arc::new(AtomicBool::new(false))));
        let settings = Settings::from_variables(variable, self.user_agent.clone(), time)?;
        perform(one, &settings, &mut Cache::none()).map(|answer| ToolAnswer::of(answer.bytes))
    }
}
