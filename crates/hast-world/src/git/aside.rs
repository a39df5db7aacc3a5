//! Where things lie that were taken out of a tree and that no ref holds: below the repository's own
//! directory, one directory for each ref or attempt, until somebody brings them back or clears them away.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use hast_flow::attempt::base::ref_part;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::Aside;
use hast_flow::time::UtcTime;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::directories::{disk_use, remove_all};
use super::index::disk;
use super::paths::shown;
use super::place::{At, Place};

/// Longer names are cut; what is left is their end.
const LONGEST: usize = 180;
/// How many of one name there may be.
const MOST: u32 = 1_000;

/// Everything that lies aside in a repository.
#[derive(Clone, Debug)]
pub struct AsideFiles {
    place: Place,
}

/// One thing that lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lying {
    /// The ref that does not hold it, or the attempt or work tree that it is from.
    pub of: String,
    /// Where it was; of a path that is too long, the end.
    pub path: String,
    pub is_whole_path: bool,
    pub at: PathBuf,
    pub bytes: u64,
    /// When something was put there last.
    pub since: UtcTime,
}

/// What came of bringing something back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroughtBack {
    Back,
    /// Something else is there by now.
    InTheWay,
    /// It does not lie there any more.
    Gone,
}

impl AsideFiles {
    pub fn new(place: Place) -> Self {
        Self { place }
    }

    /// Everything, by what it is of and where it was.
    pub fn list(&self) -> Result<Vec<Lying>, GitProblem> {
        let mut all = Vec::new();
        for directory in names(&directory(&self.place))? {
            all.extend(lying_in(&directory)?);
        }
        all.sort_by(|one, other| {
            (&one.of, &one.path, &one.at).cmp(&(&other.of, &other.path, &other.at))
        });
        Ok(all)
    }

    /// What a ref does not hold.
    pub fn of(&self, name: &str) -> Result<Vec<Lying>, GitProblem> {
        lying_in(&directory(&self.place).join(ref_part(name)))
    }

    /// Puts something where it was, in this work tree; never over anything.
    pub fn bring_back(&self, at: &Path, path: &str) -> Result<BroughtBack, GitProblem> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
        let inside = at.parent().and_then(Path::parent) == Some(&*directory(&self.place));
        if !inside || path.is_empty() || !Path::new(path).components().all(plain) {
            return Ok(BroughtBack::InTheWay);
        }
        if fs::symlink_metadata(at).is_err() {
            return Ok(BroughtBack::Gone);
        }
        let bytes = path.as_bytes();
        if self.place.file_above(bytes).is_some() || self.place.look_at(bytes) != At::Nothing {
            return Ok(BroughtBack::InTheWay);
        }
        let to = self.place.at(bytes);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(|error| disk(parent, error))?;
        }
        match renameat_with(CWD, at, CWD, &to, RenameFlags::NOREPLACE) {
            Ok(()) => {
                forget_empty(at);
                Ok(BroughtBack::Back)
            }
            Err(rustix::io::Errno::EXIST) => Ok(BroughtBack::InTheWay),
            Err(error) => Err(disk(&to, error)),
        }
    }

    /// Deletes something for good.
    pub fn delete(&self, lying: &Lying) -> Result<(), GitProblem> {
        match fs::symlink_metadata(&lying.at) {
            Ok(there) if there.is_dir() => remove_all(&lying.at)?,
            Ok(_) => fs::remove_file(&lying.at).map_err(|error| disk(&lying.at, error))?,
            Err(_) => {}
        }
        forget_empty(&lying.at);
        Ok(())
    }
}

/// Where everything is that no ref holds.
pub(super) fn directory(place: &Place) -> PathBuf {
    place.common_dir.join("hast/aside")
}

/// Names under which something can be kept aside; the first that is free is taken.
pub(super) fn places_aside(path: &[u8], aside: &Path) -> impl Iterator<Item = PathBuf> {
    let name = shown(path).replace('%', "%25").replace('/', "%2F");
    let skipped = name.chars().count().saturating_sub(LONGEST);
    let short: String = name.chars().skip(skipped).collect();
    (0..MOST).map(move |number| aside.join(format!("{number}-{short}")))
}

/// What was moved just now, and what an earlier try had moved there before it was cut off.
pub(super) fn lies_aside(aside: &Path, moved: &[(Vec<u8>, PathBuf)]) -> Vec<Aside> {
    let one = |path: String, at: &Path| Aside { path, at: at.display().to_string() };
    let mut all: Vec<Aside> = moved.iter().map(|(path, at)| one(shown(path), at)).collect();
    let before = names(aside).unwrap_or_default();
    let before = before.iter().filter(|at| !moved.iter().any(|(_, known)| known == *at));
    all.extend(before.filter_map(|at| Some(one(said_by(at)?, at))));
    all.sort();
    all
}

/// The path that a name stands for.
fn said_by(at: &Path) -> Option<String> {
    let (_, name) = at.file_name()?.to_str()?.split_once('-')?;
    Some(decoded(name))
}

fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.filter(|_| *first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn lying_in(directory: &Path) -> Result<Vec<Lying>, GitProblem> {
    let of = directory.file_name().unwrap_or_default().to_string_lossy();
    let since = fs::symlink_metadata(directory).and_then(|there| there.modified()).ok();
    let since = since.and_then(|since| jiff::Timestamp::try_from(since).ok()).unwrap_or_default();
    let mut all = Vec::new();
    for at in names(directory)? {
        let Some(path) = said_by(&at) else { continue };
        let name = at.file_name().unwrap_or_default().to_string_lossy();
        let cut = name.split_once('-').is_some_and(|(_, name)| name.chars().count() >= LONGEST);
        let Ok(there) = fs::symlink_metadata(&at) else { continue };
        let bytes = if there.is_dir() { disk_use(&at) } else { there.blocks() * 512 };
        let of = decoded(&of);
        all.push(Lying { of, path, is_whole_path: !cut, at, bytes, since: UtcTime::new(since) });
    }
    Ok(all)
}

/// What is in a directory, sorted; nothing where there is none.
fn names(directory: &Path) -> Result<Vec<PathBuf>, GitProblem> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(disk(directory, error)),
    };
    let mut all = Vec::new();
    for entry in entries {
        all.push(entry.map_err(|error| disk(directory, error))?.path());
    }
    all.sort();
    Ok(all)
}

/// A directory in which nothing lies any more goes too.
fn forget_empty(at: &Path) {
    if let Some(directory) = at.parent() {
        let _ = fs::remove_dir(directory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_aside_stands_for_the_path_that_it_was_made_from() {
        for path in ["a", "src/a b.bin", "50%2F/한글", "%", "a-b/0-c"] {
            let at = places_aside(path.as_bytes(), Path::new("/x")).next().unwrap();
            assert_eq!(said_by(&at).as_deref(), Some(path));
        }
    }
}
