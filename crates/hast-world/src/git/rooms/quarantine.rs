//! The objects of a room's git directory, copied as plain files to a place that no agent can write.
//! Nothing but regular files with names of objects and packs is taken.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::SquashReason;

use super::super::index::disk;
use super::{Room, remove_any};

const MOST_FILES: usize = 200_000;
const MOST_BYTES: u64 = 2 << 30;

/// Copies the objects; what is no honest store of objects is a reason to keep none of them.
pub(super) fn quarantine(room: &Room) -> Result<Result<PathBuf, SquashReason>, GitProblem> {
    let to = room.trusted().join("objects");
    remove_any(&to)?;
    let pack = to.join("pack");
    fs::create_dir_all(&pack).map_err(|error| disk(&pack, error))?;
    let from = room.agents_git().join("objects");
    if !is_directory(&from) {
        return Ok(Err(unreadable("objects")));
    }
    let (mut files, mut bytes) = (0, 0);
    for directory in names_in(&from) {
        let is_pack = directory == "pack";
        let is_loose = directory.len() == 2 && is_hex(&directory);
        if !(is_pack || is_loose) || !is_directory(&from.join(&directory)) {
            continue;
        }
        for name in names_in(&from.join(&directory)) {
            let is_object = if is_pack { name.starts_with("pack-") } else { is_hex(&name) };
            let source = from.join(&directory).join(&name);
            let Ok(there) = fs::symlink_metadata(&source) else { continue };
            if !is_object || !there.is_file() {
                continue;
            }
            files += 1;
            bytes += there.size();
            if files > MOST_FILES || bytes > MOST_BYTES {
                return Ok(Err(unreadable("more objects than hast reads")));
            }
            let target = to.join(&directory);
            let copied = fs::create_dir_all(&target)
                .and_then(|()| fs::copy(&source, target.join(&name)).map(|_| ()));
            copied.map_err(|error| disk(&source, error))?;
        }
    }
    Ok(Ok(to))
}

pub(super) fn unreadable(what: &str) -> SquashReason {
    SquashReason::Unreadable { what: what.to_owned() }
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| there.is_dir())
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
