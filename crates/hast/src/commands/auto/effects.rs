//! What `auto` asks of the machine besides agents: git, and the tests.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep};
use hast_flow::docs::goals::Config;
use hast_flow::steps::{Effect, EffectResult, StepKey};
use hast_flow::tools::{FailureClass, FailureRecord};
use hast_flow::words::Lang;
use hast_world::calls::OtherEffects;
use hast_world::checks::Checks;
use hast_world::git_thread::GitThread;
use hast_world::supervisor::Guarded;

/// Git and tests of one work tree.
pub(super) struct AutoEffects {
    git: GitThread,
    checks: Checks,
}

impl AutoEffects {
    pub(super) fn open(
        root: PathBuf,
        config: Config,
        variables: Vec<(OsString, OsString)>,
        supervisor: Arc<Guarded>,
        lang: Lang,
    ) -> Result<Self, GitProblem> {
        let git = GitThread::open(&root)?;
        Ok(Self { git, checks: Checks { supervisor, root, config, variables, lang } })
    }
}

impl OtherEffects for AutoEffects {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => EffectResult::Git(self.git.perform_while(step, || {
                if is_before_a_run(step) {
                    // Without one, the run starts its own.
                    let _ = self.checks.supervisor.prepare();
                }
            })),
            Effect::Check(check) => self.checks.perform(check),
            Effect::Call(_) | Effect::Tools(_) | Effect::Scan(_) => Nothing.perform(key, effect),
        }
    }
}

/// Whether an agent or a test is what mostly follows. None runs meanwhile.
fn is_before_a_run(step: &GitStep) -> bool {
    use GitStep::{Inspect, Look, Record, RollBack};
    matches!(step, Look { .. } | Record { .. } | Inspect { .. } | RollBack { .. })
}

/// For flows that ask for nothing but agents: whatever else comes is refused.
pub(crate) struct Nothing;

impl OtherEffects for Nothing {
    fn perform(&self, _: &StepKey, effect: &Effect) -> EffectResult {
        let why = "this flow has no such effects".to_owned();
        match effect {
            Effect::Git(_) => EffectResult::Git(GitResult::Refused(GitProblem::NoGit { why })),
            Effect::Check(_) => EffectResult::Check(TestRun {
                end: TestEnd::CouldNotRun { why },
                tail: String::new(),
            }),
            Effect::Tools(uses) => {
                let (class, next) = (FailureClass::Configuration, String::new());
                let failure = FailureRecord { class, cause: why, next };
                EffectResult::Tools(uses.iter().map(|_| Err(failure.clone())).collect())
            }
            Effect::Scan(_) => EffectResult::Scan(Err(why)),
            Effect::Call(_) => EffectResult::Tools(Vec::new()),
        }
    }
}
