//! Files that no commit holds do not vouch for the work: before tests and hooks run, files that an agent left at
//! ignored paths, in submodules and in hast's own places become again those that the room began with. `room_keep`
//! names files that stay. Installed dependencies stay where the attempt changed the list of them and no setup
//! installs them again.

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::dependencies::{is_list, is_reinstalled};
use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::git_problem::GitProblem;

use super::super::diff::Difference;
use super::super::index::list;
use super::super::paths::{Matcher, repo_path, shown};
use super::begun_files::files_below;
use super::change::judged_index_of;
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
        // These are told to the judge as they are.
        let is_told = |path: &[u8]| {
            matcher.is_handoff(path) || matcher.is_protected(path) || shown_paths.contains(path)
        };
        let (tree, begun) = (room.files()?, self.begun_paths(room));
        let is_ours = |path: &[u8]| begun.contains(path) || is_told(path);
        let mut of_agent = of_agent.to_vec();
        of_agent.extend(self.restore_left_out(room, &matcher, &is_ours)?);
        let git = self.git_of(room);
        let list =
            git.call(["ls-files", "-z", "-o", "-i", "-X"]).args([room.ignores().as_os_str()]);
        let list = list.index(&judged_index_of(room)).from(&room.trusted()).run()?;
        for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            if !is_ours(path) && !keep(path) {
                tree.named(path).remove()?;
            }
        }
        // Nor does a commit hold what lies in a submodule.
        for path in files_below(&tree, self.submodules(room)?) {
            if !is_ours(&path) && !keep(&path) {
                tree.named(&path).remove()?;
                of_agent.push(path);
            }
        }
        self.restore_begun(room, &keep)?;
        let back = of_agent.iter().filter(|path| !is_told(path) && !keep(path) && !is_cache(path));
        Ok(back.map(|path| repo_path(path)).collect())
    }

    /// hast's own places are in no judged tree and in no commit, ignored or not: they are as the base has them.
    /// New files that were there are named.
    fn restore_left_out(
        &self,
        room: &Room,
        matcher: &Matcher<'_>,
        is_ours: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let (git, tree, from) = (self.git_of(room), room.files()?, room.trusted());
        let index = judged_index_of(room);
        let listed = |call: &[&str]| -> Result<Vec<Vec<u8>>, GitProblem> {
            let list = git.call(call).index(&index).from(&from).run()?;
            let paths = list.split(|byte| *byte == 0).filter(|path| !path.is_empty());
            let hasts = paths.filter(|path| matcher.is_left_out(path) && !is_ours(path));
            Ok(hasts.map(<[u8]>::to_vec).collect())
        };
        let new = listed(&["ls-files", "-z", "-o"])?;
        new.iter().try_for_each(|path| tree.named(path).remove())?;
        let changed = listed(&["diff-files", "-z", "--name-only", "--ignore-submodules=all"])?;
        if !changed.is_empty() {
            changed.iter().try_for_each(|path| tree.named(path).make_way())?;
            let write = git.call(["checkout-index", "-f", "-u", "-q", "-z", "--stdin"]).fetching();
            write.index(&index).from(&from).input(list(&changed)).run()?;
        }
        Ok(new)
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
