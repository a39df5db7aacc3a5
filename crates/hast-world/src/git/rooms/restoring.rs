//! Ignored files do not vouch for the work: before tests and hooks run, what an agent left at ignored
//! paths becomes again what the room began with. `room_keep` names what stays, and installed dependencies stay
//! where the attempt changed the list of them and no setup installs them again.

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::dependencies::{is_list, is_reinstalled};
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;

use super::super::diff::Difference;
use super::super::paths::{Matcher, repo_path, shown};
use super::shade::{OWN_CACHES, hide_absent};
use super::{RealRooms, Room};

impl RealRooms {
    /// Puts ignored files back. `changed` is what the attempt changed of tracked and new files, `absent` what it
    /// deleted of the user's: what was uninstalled stays so. Of the agent's ignored files, those that were put back
    /// are named.
    pub(super) fn restore_ignored(
        &self,
        room: &Room,
        rules: &TreeRules,
        changed: &[Difference],
        (absent, of_agent): (&[Vec<u8>], &[Vec<u8>]),
    ) -> Result<Vec<RepoPath>, GitProblem> {
        let (matcher, shown_paths) = (Matcher::new(rules), self.shown_paths(room));
        let lists = changed.iter().map(|one| shown(&one.path)).filter(|path| is_list(path));
        let lists: Vec<String> = lists.filter(|_| !rules.installs_again).collect();
        let keep = |path: &[u8]| matcher.is_kept(path) || is_reinstalled(&shown(path), &lists);
        self.uncover(room, &keep)?;
        hide_absent(room, absent.iter().filter(|path| keep(path)))?;
        let hasts = |path: &[u8]| {
            matcher.is_left_out(path)
                || matcher.is_handoff(path)
                || matcher.is_protected(path)
                || shown_paths.contains(path)
        };
        let (tree, begun) = (room.files()?, self.begun_paths(room));
        let git = self.git_of(room);
        let list =
            git.call(["ls-files", "-z", "-o", "-i", "-X"]).args([room.ignores().as_os_str()]);
        let list = list.index(&room.trusted().join("judged")).from(&room.trusted()).run()?;
        for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            if !hasts(path) && !begun.contains(path) && !keep(path) {
                tree.named(path).remove()?;
            }
        }
        self.restore_begun(room, &keep)?;
        let back = of_agent.iter().filter(|path| !hasts(path) && !keep(path) && !is_cache(path));
        Ok(back.map(|path| repo_path(path)).collect())
    }
}

impl RealRooms {
    /// Ignored files that are not what the room began with.
    pub(super) fn changed_ignored(&self, room: &Room) -> Result<Vec<Vec<u8>>, GitProblem> {
        let git = self.git_of(room);
        let list =
            git.call(["ls-files", "-z", "-o", "-i", "-X"]).args([room.ignores().as_os_str()]);
        let list = list.index(&room.index()).from(&room.trusted()).run()?;
        let files = list.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let mut changed = Vec::new();
        for path in files {
            if !self.is_as_begun(room, path)? {
                changed.push(path.to_vec());
            }
        }
        Ok(changed)
    }
}

/// What interpreters leave by the way.
fn is_cache(path: &[u8]) -> bool {
    path.ends_with(b".pyc")
        || path.split(|byte| *byte == b'/').any(|part| OWN_CACHES.contains(&part))
}
