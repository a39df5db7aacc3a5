//! Files that a work tree needs and git does not have: settings with secrets, caches. Copied from the
//! user's checkout by globs; never over something that is there, and never from outside.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use hast_flow::attempt::git_problem::GitProblem;
use ignore::gitignore::GitignoreBuilder;

use super::index::disk;

/// Most that is copied into one tree.
const MOST_FILES: u64 = 200_000;
const MOST_BYTES: u64 = 8 << 30;

/// Copies what the globs name, and counts the files.
pub(super) fn copy(from: &Path, to: &Path, globs: &[String]) -> Result<u64, GitProblem> {
    if globs.is_empty() {
        return Ok(0);
    }
    let mut builder = GitignoreBuilder::new("");
    for glob in globs {
        // A glob that cannot be read copies nothing; reading the config reports it.
        let _ = builder.add_line(None, glob);
    }
    let wanted = builder.build().map_err(|error| disk(from, error))?;
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
                copy_one(&from.join(&path), &to.join(&path), to)?;
            }
        }
    }
    Ok(files)
}

/// Copies a file or link into a tree, unless something is there.
pub(super) fn copy_one(from: &Path, to: &Path, top: &Path) -> Result<(), GitProblem> {
    let at = |error| disk(to, error);
    if to.symlink_metadata().is_ok() {
        return Ok(());
    }
    let Some(parent) = to.parent() else { return Ok(()) };
    fs::create_dir_all(parent).map_err(at)?;
    // A directory that is a link would lead the copy out of the tree.
    let inside =
        |path: &Path| Some(path.canonicalize().ok()?.starts_with(top.canonicalize().ok()?));
    if inside(parent) != Some(true) {
        return Ok(());
    }
    let kind = fs::symlink_metadata(from).map_err(|error| disk(from, error))?;
    if kind.is_symlink() {
        return symlink(fs::read_link(from).map_err(at)?, to).map_err(at);
    }
    if kind.is_file() {
        fs::copy(from, to).map_err(at)?;
    }
    Ok(())
}
