//! For a person who looks at work that is in git: the difference as a patch, and the files of a commit in a
//! directory. Nothing of the checkout or the repository changes.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;

use super::place::Place;
use super::run::{Git, GitEnvironment};
use crate::files::PathError;

/// The difference between two commits or trees, as `git diff` prints it, without the paths in `leave_out`.
pub fn patch(
    top: &Path,
    (from, to): (&ObjectId, &ObjectId),
    leave_out: &[String],
) -> Result<Vec<u8>, GitProblem> {
    let git = open(top)?;
    let call = git.call(["diff-tree", "-p", "--no-ext-diff", "--no-textconv", "-M", "--stat"]);
    let call = call.args(["--no-color", from.as_str(), to.as_str(), "--", ":(top)"]);
    call.args(leave_out.iter().map(|path| format!(":(top,exclude){path}"))).fetching().run()
}

/// The files of a commit, written into an empty directory that was made for them. It goes where that fails.
pub fn export(top: &Path, commit: &ObjectId, directory: &Path) -> Result<(), GitProblem> {
    let written = write_files(top, commit, directory);
    if written.is_err() {
        let _ = std::fs::remove_dir_all(directory);
    }
    written
}

fn write_files(top: &Path, commit: &ObjectId, directory: &Path) -> Result<(), GitProblem> {
    let git = open(top)?;
    git.place.sweep_scratch();
    let index = git.place.scratch("index")?;
    let tree = format!("{commit}^{{tree}}");
    git.call(["read-tree", tree.as_str()]).index(&index.path).fetching().run()?;
    let prefix = format!("--prefix={}/", directory.display());
    let call = git.call(["checkout-index", "-a", prefix.as_str()]).index(&index.path);
    call.fetching().run().map(drop)
}

/// The user's name, as git has it where they are.
pub fn user_name(top: &Path) -> Option<String> {
    let environment = GitEnvironment::of_this_process().ok()?;
    let (_, config) = Git::open(Place::find(top).ok()?, environment).ok()?;
    config.user.map(|(name, _)| name)
}

fn open(top: &Path) -> Result<Git, GitProblem> {
    let (git, config) = Git::open(Place::find(top)?, GitEnvironment::of_this_process()?)?;
    config.refuse_own_filters()?;
    Ok(git)
}

/// A directory that nobody else may look into, with a name that was free.
pub fn fresh_directory(above: &Path, name: &str) -> Result<PathBuf, PathError> {
    for number in 1..=MOST {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let path = above.join(name);
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(PathError { path, source }),
        }
    }
    Err(PathError { path: above.join(name), source: io::ErrorKind::AlreadyExists.into() })
}

/// So many names are tried.
const MOST: u32 = 1_000;
