//! What the contract flow asks of the machine besides agents: git, the tests, and memory.

use std::sync::{Arc, Mutex, PoisonError};

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::docs::goals::Memory;
use hast_flow::flows::contract::memory::TOOL;
use hast_flow::steps::{Effect, EffectResult, Place, StepKey, ToolAnswer, ToolUse};
use hast_flow::tools::{FailureClass, FailureRecord};
use hast_flow::words::Lang;
use hast_world::calls::OtherEffects;
use hast_world::checks::Checks;
use hast_world::git::Hooking;
use hast_world::git_thread::GitThread;
use hast_world::roots;
use hast_world::supervisor::Guarded;

use super::memory::Memories;
use crate::commands::auto::effects::Nothing;
use crate::commands::calling::Project;
use crate::contract_messages::say;

pub(super) struct ContractEffects {
    git: GitThread,
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
        let hooking = Hooking { checks: Arc::clone(&checks), place: Place::Checkout };
        let git = GitThread::open_with(&top, hooking)?;
        Ok(Self { git, checks, memories, lang, notices })
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
            Effect::Git(step) => self.checks.unless_interrupted(step, self.git.perform(step)),
            Effect::Check(check) => self.checks.perform_counted(check),
            Effect::Tools(tools) => {
                EffectResult::Tools(tools.iter().map(|tool| self.tool(tool)).collect())
            }
            Effect::Call(_)
            | Effect::Scan(_)
            | Effect::Worktree(_)
            | Effect::Lease(_)
            | Effect::Within { .. } => Nothing.perform(key, effect),
        }
    }
}
