//! Effects of the contract flow other than agent calls: steps of git and test runs in a room, and
//! questions to memory.

use std::sync::{Arc, Mutex, PoisonError};

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::TreeName;
use hast_flow::docs::goals::Memory;
use hast_flow::flows::contract::layout;
use hast_flow::flows::contract::memory::TOOL;
use hast_flow::steps::{Effect, EffectResult, Place, StepKey, ToolAnswer, ToolUse};
use hast_flow::store::DocPath;
use hast_flow::tools::{FailureClass, FailureRecord};
use hast_flow::words::Lang;
use hast_world::calls::OtherEffects;
use hast_world::checks::Checks;
use hast_world::roots;
use hast_world::supervisor::Guarded;
use hast_world::worktree_threads::WorktreeThreads;

use super::memory::Memories;
use crate::auto_messages::say as auto_say;
use crate::commands::auto::effects::{Nothing, open_rooms, room_ability};
use crate::commands::calling::Project;
use crate::contract_messages::say;

pub(super) struct ContractEffects {
    rooms: WorktreeThreads,
    checks: Arc<Checks>,
    memories: Memories,
    lang: Lang,
    /// What a person should hear of; whoever draws the screen says it.
    notices: Arc<Mutex<Vec<String>>>,
}

impl ContractEffects {
    pub(super) fn open(
        project: &Project,
        supervisor: Arc<Guarded>,
        lang: Lang,
        notices: Arc<Mutex<Vec<String>>>,
    ) -> Result<Self, GitProblem> {
        let (root, config) = (project.root.to_path_buf(), project.config.clone());
        let top = roots::git_top(&root).unwrap_or_else(|| root.clone());
        let memories = Memories::of(project, config.memory.unwrap_or(Memory::Builtin));
        let variables = project.variables.clone();
        let checks = Arc::new(Checks { supervisor, root, config, variables, lang });
        let Checks { supervisor, config, variables, .. } = &*checks;
        let ability = room_ability(supervisor, &top, config, variables, lang)?;
        let rooms = open_rooms(&top, variables, ability.kind())?;
        if let Some(why) = ability.degraded() {
            let told = auto_say::own_path(lang, why.what(lang));
            notices.lock().unwrap_or_else(PoisonError::into_inner).push(told);
        }
        let rooms = rooms.with_hooks(Arc::clone(&checks), layout::ROOMS);
        Ok(Self { rooms, checks, memories, lang, notices })
    }

    /// Git or a check in the room that a path names.
    fn within(&self, tree: &DocPath, key: &StepKey, effect: &Effect) -> EffectResult {
        let unit = tree.as_str().rsplit('/').next().and_then(TreeName::read);
        match (effect, unit) {
            (Effect::Git(step), Some(unit)) => {
                self.checks.unless_interrupted(step, self.rooms.perform_in(&unit, step))
            }
            (Effect::Check(check), Some(_)) => {
                self.checks.perform_in(&Place::Worktree(tree.clone()), check)
            }
            _ => Nothing.perform(key, effect),
        }
    }

    fn tool(&self, tool: &ToolUse) -> Result<ToolAnswer, FailureRecord> {
        let failed = |cause: String| FailureRecord {
            class: FailureClass::Configuration,
            cause,
            next: String::new(),
        };
        if tool.name != TOOL {
            return Err(failed(format!("there is no tool {}", tool.name)));
        }
        let text = |key: &str| tool.args.get(key).and_then(|value| value.as_str());
        let found = self.memories.search(
            text("query").unwrap_or_default(),
            text("request_id").unwrap_or_default(),
            |why| {
                let notice = say::memory_fallback(self.lang, why);
                self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
            },
        );
        serde_json::to_vec(&found).map(ToolAnswer::of).map_err(|error| failed(error.to_string()))
    }
}

impl OtherEffects for ContractEffects {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Within { tree, effect } => self.within(tree, key, effect),
            Effect::Worktree(step) => EffectResult::Worktree(self.rooms.perform(step)),
            Effect::Tools(tools) => {
                EffectResult::Tools(tools.iter().map(|tool| self.tool(tool)).collect())
            }
            Effect::Call(_)
            | Effect::Git(_)
            | Effect::Check(_)
            | Effect::Scan(_)
            | Effect::Lease(_) => Nothing.perform(key, effect),
        }
    }
}
