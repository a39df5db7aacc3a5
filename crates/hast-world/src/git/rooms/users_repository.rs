//! Where no sandbox keeps an agent from the user's repository: what git runs or goes by there is noted
//! before the agent starts and looked at afterwards. A difference stops the run. Refs that only went
//! forward are told: the user commits meanwhile, and hast merges.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::MovedRef;
use hast_flow::ids::Sha256;
use serde::{Deserialize, Serialize};

use super::super::refs::HeadNow;
use super::{RealRooms, Room, remove_any, write_file};
use crate::files::read_bounded;

const LONGEST_FILE: usize = 16 << 20;
const LONGEST_NOTE: usize = 64 << 20;
/// Files of a git directory that decide what git does.
const FILES: [&str; 5] =
    ["HEAD", "config", "config.worktree", "info/attributes", "objects/info/alternates"];

/// What is looked at.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    /// Settings and hooks, by path; with a hook's right to run.
    files: BTreeMap<String, (Sha256, bool)>,
    /// All refs but hast's own.
    refs: BTreeMap<String, ObjectId>,
}

impl Room {
    fn repository_note(&self) -> PathBuf {
        self.trusted().join("repository.json")
    }
}

impl RealRooms {
    /// Notes the user's repository before an agent starts.
    pub(super) fn note_repository(&self, room: &Room) -> Result<(), GitProblem> {
        let noted = serde_json::to_vec(&self.repository_now()?).unwrap_or_default();
        write_file(&room.repository_note(), &noted)
    }

    /// Refs that went forward since it was noted; a problem where anything else differs.
    pub(super) fn compare_repository(&self, room: &Room) -> Result<Vec<MovedRef>, GitProblem> {
        let note = room.repository_note();
        // What was told once is not told by the next run.
        let Ok(bytes) = read_bounded(&note, LONGEST_NOTE) else { return Ok(Vec::new()) };
        let lost = |_| GitProblem::Lost { what: note.display().to_string() };
        let before: Noted = serde_json::from_slice(&bytes).map_err(lost)?;
        remove_any(&note)?;
        let now = self.repository_now()?;
        let paths = before.files.keys().chain(now.files.keys());
        let mut changed: Vec<String> =
            paths.filter(|path| before.files.get(*path) != now.files.get(*path)).cloned().collect();
        let mut forward = Vec::new();
        for (name, to) in now.refs.iter().filter(|(name, to)| before.refs.get(*name) != Some(to)) {
            let is_forward = match before.refs.get(name) {
                Some(was) => self.git.is_ancestor(was, to)?,
                None => true,
            };
            if is_forward && !was_made_in(room, to) {
                forward.push(MovedRef { name: name.clone(), to: Some(to.clone()) });
            } else {
                changed.push(name.clone());
            }
        }
        changed.extend(before.refs.into_keys().filter(|name| !now.refs.contains_key(name)));
        changed.sort();
        changed.dedup();
        if changed.is_empty() {
            Ok(forward)
        } else {
            Err(GitProblem::RepositoryChanged { changed })
        }
    }

    fn repository_now(&self) -> Result<Noted, GitProblem> {
        let place = &self.git.place;
        let mut files = BTreeMap::new();
        for directory in [&place.git_dir, &place.common_dir] {
            let named = FILES.iter().map(|name| directory.join(name));
            let hooks = fs::read_dir(directory.join("hooks")).into_iter().flatten().flatten();
            for path in named.chain(hooks.map(|entry| entry.path())) {
                files.extend(noted(&path));
            }
        }
        let refs = self.git.call(["for-each-ref", "--format=%(objectname) %(refname)"]).run()?;
        let refs = String::from_utf8_lossy(&refs);
        let refs = refs.lines().filter_map(|line| {
            let (id, name) = line.split_once(' ')?;
            let users = !name.starts_with("refs/hast/") && !name.starts_with("refs/heads/hast/");
            users.then_some((name.to_owned(), id.parse().ok()?))
        });
        let mut refs: BTreeMap<String, ObjectId> = refs.collect();
        // A detached HEAD goes forward with what hast merges.
        if self.git.head()? == HeadNow::Detached {
            files.remove(&place.git_dir.join("HEAD").display().to_string());
            refs.extend(self.git.resolve("HEAD")?.map(|at| ("HEAD".to_owned(), at)));
        }
        Ok(Noted { files, refs })
    }
}

/// Whether an object is among those that the agent's own git wrote.
fn was_made_in(room: &Room, object: &ObjectId) -> bool {
    let (directory, name) = object.as_str().split_at(2);
    room.agents_git().join("objects").join(directory).join(name).exists()
}

fn noted(path: &Path) -> Option<(String, (Sha256, bool))> {
    let bytes = read_bounded(path, LONGEST_FILE).ok()?;
    let runs = fs::metadata(path).is_ok_and(|there| there.permissions().mode() & 0o111 != 0);
    Some((path.display().to_string(), (Sha256::of(&bytes), runs)))
}
