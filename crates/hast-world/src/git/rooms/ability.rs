//! The kind of room that works here. hast tries the mounts of a room over this checkout with a program
//! that does nothing: what a kernel, a container or a file system allows is known by trying alone.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::{OwnPathReason, RoomAbility};
use hast_flow::docs::goals::{Config, RoomSetting, SandboxMode as SandboxSetting};
use hast_flow::process::exit::Exit;
use hast_flow::process::{
    CommandSpec, Limits, ROOM_OBJECTS, RoomMounts, Sandbox, SandboxMode, Supervisor,
};
use hast_flow::words::Lang;

use super::super::index::disk;
use super::{RealRooms, make_private, remove_all, shade};
use crate::sandbox::mounts::mount_points;
use crate::supervisor::Guarded;

const LONGEST_TRIAL: Duration = Duration::from_secs(20);
/// Inside, the room's own git directory is seen, and the user's is not.
const SEEN: &str = "test -d .git/users-objects && test ! -e .git/HEAD";
/// Words of a test command whose server sees the user's files at the same path.
const OUTSIDE_SERVERS: &[&str] = &["docker", "podman", "docker-compose", "testcontainers"];

impl RealRooms {
    /// Which kind works for this checkout, and why not the one at its own path.
    pub fn ability(&self, supervisor: &Guarded, config: &Config, lang: Lang) -> RoomAbility {
        match self.against_same_path(supervisor, config, lang) {
            Some(reason) => RoomAbility::OwnPath(reason),
            None => RoomAbility::SamePath,
        }
    }

    fn against_same_path(
        &self,
        supervisor: &Guarded,
        config: &Config,
        lang: Lang,
    ) -> Option<OwnPathReason> {
        if config.room == Some(RoomSetting::OwnPath) {
            return Some(OwnPathReason::Asked);
        }
        if config.sandbox == Some(SandboxSetting::Off) {
            return Some(OwnPathReason::NoSandbox);
        }
        if speaks_of_docker(config.test_command.as_deref().unwrap_or_default()) {
            return Some(OwnPathReason::Docker);
        }
        let top = &self.git.place.top;
        if let Some(path) = mount_below(top) {
            return Some(OwnPathReason::MountBelow { path: path.display().to_string() });
        }
        let refused = |why: String| OwnPathReason::Refused { why };
        match self.try_mounts(supervisor, lang) {
            Ok(why) => why.map(refused),
            Err(problem) => Some(refused(problem.what(lang))),
        }
    }

    /// Why the mounts do not work; nothing if they do.
    fn try_mounts(&self, supervisor: &Guarded, lang: Lang) -> Result<Option<String>, GitProblem> {
        let above = self.directory.parent().unwrap_or(&self.directory);
        let trial = above.join(format!(".trial-{}", std::process::id()));
        remove_all(&trial)?;
        let tried = self.try_mounts_in(&trial, supervisor, lang);
        remove_all(&trial)?;
        tried
    }

    fn try_mounts_in(
        &self,
        trial: &Path,
        supervisor: &Guarded,
        lang: Lang,
    ) -> Result<Option<String>, GitProblem> {
        let (tree, work) = (trial.join("tree"), trial.join("work"));
        make_private(&tree.join(ROOM_OBJECTS))?;
        make_private(&work)?;
        shade::try_marks(&tree).map_err(|error| disk(&tree, error))?;
        let (checkout, objects) =
            (self.git.place.top.clone(), self.git.place.common_dir.join("objects"));
        let mut spec = CommandSpec::new("/bin/sh", &checkout).args(["-c", SEEN]);
        spec.env.insert("PATH".into(), self.git.environment.path.clone());
        spec.sandbox = Sandbox {
            mode: SandboxMode::Prefer,
            writable: vec![checkout.clone()],
            room: Some(RoomMounts { checkout, tree, work, objects }),
            ..Sandbox::off()
        };
        let limits = Limits { timeout: LONGEST_TRIAL, stall: None, ..Limits::default() };
        let ended = supervisor.run(&spec, &limits, &mut |_, _| ControlFlow::Continue(()));
        Ok((ended.exit != Exit::Exited(0)).then(|| ended.exit.what(lang)))
    }
}

fn speaks_of_docker(command: &str) -> bool {
    let apart = |sign: char| !sign.is_ascii_alphanumeric() && sign != '-';
    command.split(apart).any(|word| OUTSIDE_SERVERS.contains(&word))
}

/// Something that is mounted below a directory: an overlay does not show it.
fn mount_below(top: &Path) -> Option<PathBuf> {
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    mount_points(&table).find(|point| point != top && point.starts_with(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_command_speaks_of_docker_by_whole_words() {
        for command in ["docker compose run tests", "make x && podman run y", "./docker/run docker"]
        {
            assert!(speaks_of_docker(command), "{command}");
        }
        for command in ["pytest", "cargo test --features dockerless", "npm test -- undocker"] {
            assert!(!speaks_of_docker(command), "{command}");
        }
    }
}
