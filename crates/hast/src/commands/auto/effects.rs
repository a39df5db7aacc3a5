//! Effects of `auto` other than agent calls: steps of git, test runs, claims and scans, in the
//! checkout or in a room. `Nothing` is for flows that ask for agents alone, and refuses every other
//! effect.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::{RoomAbility, RoomKind};
use hast_flow::attempt::workspace::{GitResult, GitStep};
use hast_flow::attempt::worktrees::{TreeName, WorktreeResult};
use hast_flow::docs::goals::Config;
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::layout;
use hast_flow::formats::grant_words::RefusedGrant;
use hast_flow::leases::LeaseResult;
use hast_flow::steps::{Effect, EffectResult, Place, StepKey};
use hast_flow::store::DocPath;
use hast_flow::tools::{FailureClass, FailureRecord};
use hast_flow::words::Lang;
use hast_world::calls::OtherEffects;
use hast_world::calls::grants::GrantGuard;
use hast_world::checks::Checks;
use hast_world::git::{GitEnvironment, RealRooms, RoomsOnDisk, rooms_directory, rooms_on_disk};
use hast_world::git_thread::GitThread;
use hast_world::root_path::RootPath;
use hast_world::roots::git_top;
use hast_world::supervisor::Guarded;
use hast_world::worktree_threads::WorktreeThreads;

use serde_json::{Value, json};

use super::leases::Leases;
use super::leftovers::size;
use crate::auto_messages::say;

/// Git and tests of the project, and of the work trees beside it.
pub(crate) struct AutoEffects {
    git: GitThread,
    checks: Arc<Checks>,
    trees: Option<WorktreeThreads>,
    leases: Option<Arc<Leases>>,
}

impl AutoEffects {
    pub(crate) fn open(
        root: &RootPath,
        config: Config,
        variables: Vec<(OsString, OsString)>,
        supervisor: Arc<Guarded>,
        lang: Lang,
    ) -> Result<Self, GitProblem> {
        supervisor.stay_one_ahead();
        let checks =
            Arc::new(Checks { supervisor, root: root.to_path_buf(), config, variables, lang });
        let git = GitThread::open(&checks.root)?;
        Ok(Self { git, checks, trees: None, leases: None })
    }

    /// The same with the claims on goals.
    pub(crate) fn with_leases(self, leases: Arc<Leases>) -> Self {
        Self { leases: Some(leases), ..self }
    }

    /// The same with rooms. Which kind works here is told by `ability`.
    pub(crate) fn with_trees(self, ability: &OnceLock<RoomAbility>) -> Result<Self, GitProblem> {
        let Checks { supervisor, root, config, variables, lang } = &*self.checks;
        let found = room_ability(supervisor, root, config, variables, *lang)?;
        let trees = open_rooms(root, variables, found.kind())?;
        let _ = ability.set(found);
        let trees = Some(trees.with_hooks(Arc::clone(&self.checks), auto_layout::WORKTREES));
        Ok(Self { trees, ..self })
    }

    fn within(&self, tree: &DocPath, key: &StepKey, effect: &Effect) -> EffectResult {
        let name = tree.as_str().rsplit('/').next().and_then(TreeName::read);
        match (effect, &self.trees, name) {
            (Effect::Git(step), Some(trees), Some(name)) => {
                self.checks.unless_interrupted(step, trees.perform_in(&name, step))
            }
            (Effect::Check(check), Some(_), Some(_)) => {
                self.checks.perform_in(&Place::Worktree(tree.clone()), check)
            }
            _ => Nothing.perform(key, effect),
        }
    }
}

impl OtherEffects for AutoEffects {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => {
                let result = self.git.perform_while(step, || {
                    if is_before_a_run(step) {
                        // Without one, the run starts its own.
                        let _ = self.checks.supervisor.prepare();
                    }
                });
                self.checks.unless_interrupted(step, result)
            }
            Effect::Check(check) => self.checks.perform(check),
            Effect::Worktree(step) => match &self.trees {
                Some(trees) => EffectResult::Worktree(trees.perform(step)),
                None => Nothing.perform(key, effect),
            },
            Effect::Lease(step) => match &self.leases {
                Some(leases) => EffectResult::Lease(leases.perform(step)),
                None => Nothing.perform(key, effect),
            },
            Effect::Within { tree, effect } => self.within(tree, key, effect),
            Effect::Scan(scan) => {
                hast_world::scan::perform(&self.checks.root.join(layout::DIRECTORY), scan)
            }
            Effect::Call(_) | Effect::Tools(_) => Nothing.perform(key, effect),
        }
    }
}

/// The rooms of a checkout. They are among the user's state, outside of the checkout.
pub(crate) fn open_rooms(
    root: &Path,
    variables: &[(OsString, OsString)],
    kind: RoomKind,
) -> Result<WorktreeThreads, GitProblem> {
    WorktreeThreads::open(root, &directory_of_rooms(root, variables)?, kind)
}

/// Paths of `sandbox_write` that would let agents write past their rooms.
pub(crate) fn refused_grants(
    root: &Path,
    config: &Config,
    variables: &[(OsString, OsString)],
) -> Vec<RefusedGrant> {
    let guard = GrantGuard::of(root, variables);
    guard.map_or_else(Vec::new, |guard| guard.refused_in(config))
}

/// The kind of room that works for a checkout. A grant that leads past rooms is refused: nothing starts.
pub(crate) fn room_ability(
    supervisor: &Guarded,
    root: &Path,
    config: &Config,
    variables: &[(OsString, OsString)],
    lang: Lang,
) -> Result<RoomAbility, GitProblem> {
    if let Some(grant) = refused_grants(root, config, variables).into_iter().next() {
        return Err(GitProblem::Grant(grant));
    }
    let directory = directory_of_rooms(root, variables)?;
    let rooms = RealRooms::new(root, &directory, GitEnvironment::of_this_process()?)?;
    Ok(rooms.ability(supervisor, config, lang))
}

/// The rooms that a checkout has; none outside of a repository.
pub(crate) fn rooms_here(root: &Path, variables: &[(OsString, OsString)]) -> Option<RoomsOnDisk> {
    let top = git_top(root)?;
    Some(rooms_on_disk(&rooms_directory(&top, variables)?))
}

/// The same for programs.
pub(crate) fn rooms_json(found: &RoomsOnDisk) -> Value {
    let kind = found.kind.map(|kind| match kind {
        RoomKind::SamePath => "same_path",
        RoomKind::OwnPath => "own_path",
    });
    json!({ "rooms": found.rooms, "in_use": found.in_use, "bytes": found.bytes, "kind": kind })
}

/// The same in words; nothing where there is no room.
pub(crate) fn rooms_line(found: &RoomsOnDisk, lang: Lang) -> Option<String> {
    let size = size(found.bytes);
    let kind = match found.kind? {
        RoomKind::SamePath => say::at_same_path(lang),
        RoomKind::OwnPath => say::at_own_path(lang),
    };
    Some(say::rooms_here(lang, found.rooms, found.in_use, size, kind))
}

fn directory_of_rooms(
    root: &Path,
    variables: &[(OsString, OsString)],
) -> Result<PathBuf, GitProblem> {
    let nowhere = || GitProblem::Disk {
        path: "$XDG_STATE_HOME/hast/rooms".to_owned(),
        why: "neither HOME nor XDG_STATE_HOME is set".to_owned(),
    };
    rooms_directory(root, variables).ok_or_else(nowhere)
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
                counted: Default::default(),
            }),
            Effect::Tools(uses) => {
                let (class, next) = (FailureClass::Configuration, String::new());
                let failure = FailureRecord { class, cause: why, next };
                EffectResult::Tools(uses.iter().map(|_| Err(failure.clone())).collect())
            }
            Effect::Scan(_) => EffectResult::Scan(Err(why)),
            Effect::Worktree(_) => {
                EffectResult::Worktree(WorktreeResult::Refused(GitProblem::NoGit { why }))
            }
            Effect::Lease(_) => EffectResult::Lease(LeaseResult::Failed { why }),
            Effect::Within { .. } | Effect::Call(_) => EffectResult::Tools(Vec::new()),
        }
    }
}
