//! Whether the agents of lanes are kept from what all lanes share: config, hooks, and the like.

use std::path::{Path, PathBuf};

use hast_flow::agents::presets::Preset;
use hast_flow::agents::provider::Provider;
use hast_flow::attempt::worktrees::TreeName;
use hast_flow::calling::grants::{GitLayout, Ground, granted};
use hast_flow::docs::goals::SandboxMode;
use hast_flow::flows::goals::auto::lanes::Walls;
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::layout;
use hast_flow::process::exit::Applied;
use hast_flow::steps::Place;
use hast_world::calls::homes;
use hast_world::git;
use hast_world::sandbox::landlock;

use crate::commands::calling::Project;

/// Looked at once, before any agent starts. The sandbox of every lane opens the same kind of places.
pub(super) fn of(project: &Project, repository: &git::Place) -> Walls {
    let off = project.config.sandbox == Some(SandboxMode::Off);
    if off || !matches!(landlock::ability(), Applied::Whole { .. }) {
        return Walls::Open;
    }
    let writable: Vec<PathBuf> =
        opened(project, repository).iter().map(|path| real(path)).collect();
    let shared = repository.shared_paths();
    let reached =
        shared.iter().map(|path| real(path)).chain(shared.iter().cloned()).any(|path| {
            writable.iter().any(|open| path.starts_with(open) || open.starts_with(&path))
        });
    if reached { Walls::Open } else { Walls::Whole }
}

/// What a lane's sandbox opens, with the settings of whichever agent.
fn opened(project: &Project, repository: &git::Place) -> Vec<PathBuf> {
    let tree = TreeName::of("any");
    let Some(path) = auto_layout::path(&format!("{}{tree}", auto_layout::WORKTREES)) else {
        return vec![repository.common_dir.clone()];
    };
    let env = project.variables.iter().cloned().collect();
    let presets = Preset::ALL.map(Provider::Preset);
    let state = project.root.as_path().join(layout::DIRECTORY);
    let ground = Ground {
        root: project.root.to_path_buf(),
        tree: state.join(path.as_str()),
        state: state.clone(),
        documents: state,
        git: Some(GitLayout {
            common: repository.common_dir.clone(),
            own: repository.common_dir.join("worktrees").join(tree.as_str()),
            branch: Some(tree.branch()),
        }),
        homes: presets.iter().flat_map(|preset| homes::paths(preset, &env)).collect(),
        user_home: env.get(std::ffi::OsStr::new("HOME")).map(PathBuf::from),
        ..Ground::default()
    };
    let writable = granted(&Place::Worktree(path), &ground, &project.config).writable;
    // There is no outbox yet.
    writable.into_iter().filter(|path| !path.as_os_str().is_empty()).collect()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
