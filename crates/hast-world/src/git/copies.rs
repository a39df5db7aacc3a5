//! Files that a work tree needs and git does not have: settings with secrets, caches. Copied from the
//! user's checkout by globs; never over something that is there, and never from outside.

use std::fs;
use std::path::Path;

use hast_flow::attempt::git_problem::GitProblem;
use ignore::gitignore::GitignoreBuilder;

use super::index::disk;
use crate::root_path::{RootPath, is_link};

/// Most that is copied into one tree.
const MOST_FILES: u64 = 200_000;
const MOST_BYTES: u64 = 8 << 30;

/// Copies what the globs name, and counts the files.
pub(super) fn copy(from: &Path, to: &RootPath, globs: &[String]) -> Result<u64, GitProblem> {
    if globs.is_empty() {
        return Ok(0);
    }
    let mut builder = GitignoreBuilder::new("");
    for glob in globs {
        // A glob that cannot be read copies nothing; reading the config reports it.
        let _ = builder.add_line(None, glob);
    }
    let wanted = builder.build().map_err(|error| disk(from, error))?;
    let users = RootPath::new(from)?;
    let (mut files, mut bytes) = (0, 0);
    let mut open = vec![std::path::PathBuf::new()];
    while let Some(directory) = open.pop() {
        let here = from.join(&directory);
        for entry in fs::read_dir(&here).map_err(|error| disk(&here, error))?.flatten() {
            let path = directory.join(entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if path == Path::new(".git") || path == Path::new(".ai") {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if wanted.matched_path_or_any_parents(&path, false).is_ignore() {
                bytes += entry.metadata().map_or(0, |there| there.len());
                files += 1;
                if files > MOST_FILES || bytes > MOST_BYTES {
                    return Err(GitProblem::TooMuch { what: "room_copy".to_owned() });
                }
                copy_one(&users.join(&path), &to.join(&path))?;
            }
        }
    }
    Ok(files)
}

/// Copies a file or link into a tree, unless something is there or a link would lead the copy out of the tree.
pub(super) fn copy_one(from: &RootPath, to: &RootPath) -> Result<(), GitProblem> {
    let is_there = to.there().is_some();
    let wanted = from.there().filter(|from| !is_there && (from.is_file() || from.is_symlink()));
    match wanted.map(|_| from.copy_to(to)) {
        Some(Err(error)) if !is_link(&error) => Err(disk(to, error)),
        _ => Ok(()),
    }
}
