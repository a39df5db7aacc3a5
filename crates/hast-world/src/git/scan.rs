//! What is in the work tree now: one walk by git, then only what differs is read.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;

use super::access::open_up;
use super::index::{IndexImage, Scratch, ScratchFile, list, object};
use super::paths::Matcher;
use super::place::Place;
use super::run::{Git, MOST_ERROR_BYTES};
use super::true_objects::Packed;

/// Larger files are named and not read into git.
pub(super) const HUGE: u64 = 1 << 30;

/// What `git update-index` says of a path that it leaves out, and then goes on.
const REFUSES: &[u8] = b"Ignoring path ";
/// More files than this that git does not take mean that something else is wrong.
const MOST_REFUSED: usize = 8;

/// Why a directory cannot be opened that is too deep.
const TOO_LONG: &str = "File name too long";

/// What a path is, without following links anywhere below the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Nothing,
    File {
        size: u64,
    },
    Link,
    Directory,
    /// A pipe, a device: nothing that git keeps.
    Other,
}

impl Place {
    pub(super) fn look_at(&self, path: &[u8]) -> At {
        // Something below a link is somewhere else.
        for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            match fs::symlink_metadata(self.at(&path[..at])) {
                Ok(above) if above.is_dir() => {}
                _ => return At::Nothing,
            }
        }
        match fs::symlink_metadata(self.at(path)) {
            Err(_) => At::Nothing,
            Ok(there) if there.is_file() => At::File { size: there.len() },
            Ok(there) if there.is_symlink() => At::Link,
            Ok(there) if there.is_dir() => At::Directory,
            Ok(_) => At::Other,
        }
    }
}

/// The work tree as an index and a tree object, and what could not be part of them.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) index: ScratchFile,
    /// The same as bytes.
    pub(super) image: IndexImage,
    pub(super) tree: ObjectId,
    /// Directories that are repositories of their own, without a `/` at the end.
    pub(super) repositories: Vec<Vec<u8>>,
    /// Directories of tracked files that became repositories.
    pub(super) nested: Vec<Vec<u8>>,
    pub(super) huge: Vec<Vec<u8>>,
    /// Names that git refuses, pipes, sockets and devices.
    pub(super) not_storable: Vec<Vec<u8>>,
    /// Directories that are repositories without being called `.git`, and were none at the start.
    pub(super) bare: Vec<Vec<u8>>,
    /// Files whose content lay there as an object with another one.
    pub(super) forged: Vec<Vec<u8>>,
}

impl Scanned {
    /// Whether its index holds everything that there is.
    pub(super) fn is_all_in_index(&self) -> bool {
        let others = [&self.repositories, &self.nested, &self.huge, &self.not_storable, &self.bare];
        others.iter().all(|paths| paths.is_empty()) && self.forged.is_empty()
    }

    /// What an earlier scan found, where nothing has changed since.
    pub(super) fn again(index: ScratchFile, image: IndexImage, tree: ObjectId) -> Self {
        let (repositories, nested, huge) = Default::default();
        let (not_storable, bare, forged) = Default::default();
        Self { index, image, tree, repositories, nested, huge, not_storable, bare, forged }
    }
}

/// What a scan starts from.
#[derive(Debug)]
pub(super) struct Start<'s> {
    /// An index whose entries know the files; without one everything is read again.
    pub(super) image: Option<&'s IndexImage>,
    pub(super) tree: &'s ObjectId,
    pub(super) ignores: &'s [u8],
    /// Paths that a sparse checkout left out.
    pub(super) absent: &'s [Vec<u8>],
    /// Where false objects are put.
    pub(super) aside: &'s Path,
}

impl Git {
    /// Compares the work tree with a start, by the start's ignore rules.
    pub(super) fn scan(
        &self,
        scratch: &Scratch,
        start: &Start<'_>,
        matcher: &Matcher<'_>,
    ) -> Result<Scanned, GitProblem> {
        let index = scratch.index(start.image)?;
        if start.image.is_none() {
            self.read_tree(&index, start.tree)?;
        }
        let (back, still): (Vec<&[u8]>, Vec<&[u8]>) = start
            .absent
            .iter()
            .map(Vec::as_slice)
            .partition(|path| self.place.look_at(path) != At::Nothing);
        self.mark(&index, "--no-skip-worktree", &back)?;
        if start.image.is_none() {
            self.mark(&index, "--skip-worktree", &still)?;
        }
        let rules = scratch.file("ignores", start.ignores)?;
        let list = || {
            let call = self.call(["ls-files", "-z", "-t", "-m", "-d", "-o", "-X"]);
            let call = call.args([rules.path.as_os_str()]).args(["--"]);
            call.args(matcher.pathspecs()).index(&index.path).output()
        };
        let mut listed = list()?;
        if was_closed(&listed.stderr) {
            self.place.open_directories();
            listed = list()?;
        }
        if listed.code != Some(0) {
            let said = listed.said();
            return Err(GitProblem::Refused { command: "ls-files".to_owned(), said });
        }
        let too_deep = self.too_deep(&index, &listed.stderr)?;
        let mut paths: Vec<&[u8]> = listed
            .stdout
            .split(|byte| *byte == 0)
            .filter_map(|entry| entry.get(2..))
            .filter(|path| !matcher.is_left_out(path))
            .filter(|path| !too_deep.iter().any(|above| path.starts_with(above)))
            .collect();
        paths.sort_unstable();
        paths.dedup();
        let taken = self.take_in(&index, &paths, start.aside)?;
        let image = match start.image {
            Some(image) if paths.is_empty() && back.is_empty() => image.clone(),
            _ => index.image()?,
        };
        let (tree, image) = self.tree_of_index(&index, image)?;
        let TakenIn { repositories, huge, refused: mut not_storable, forged } = taken;
        let named = |above: &Vec<u8>| above.strip_suffix(b"/").unwrap_or(above).to_vec();
        not_storable.extend(too_deep.iter().map(named));
        let (bare, nested) = Default::default();
        Ok(Scanned { index, image, tree, repositories, nested, huge, not_storable, bare, forged })
    }

    /// Directories, with their `/`, that hold nothing known and go deeper than a path can be long. One that
    /// cannot be read for another reason hides what is in it.
    fn too_deep(
        &self,
        index: &ScratchFile,
        stderr: &[u8],
    ) -> Result<BTreeSet<Vec<u8>>, GitProblem> {
        let mut found = BTreeSet::new();
        for unread in unread_directories(stderr) {
            let image = index.image()?;
            let entries = self.entries(&image).filter(|_| unread.is_too_long);
            let above = entries.and_then(|entries| {
                let path = unread.path.as_bytes();
                let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
                let mut above = ends.map(|(at, _)| &path[..=at]);
                above.find(|above| !entries.has_below(above)).map(<[u8]>::to_vec)
            });
            let why = || "it cannot be read".to_owned();
            found.insert(above.ok_or_else(|| GitProblem::Disk { path: unread.path, why: why() })?);
        }
        Ok(found)
    }

    /// Lets an index have what the work tree has at some paths.
    pub(super) fn take_in(
        &self,
        index: &ScratchFile,
        paths: &[&[u8]],
        aside: &Path,
    ) -> Result<TakenIn, GitProblem> {
        let mut taken = TakenIn::default();
        let (mut there, mut gone) = (Vec::new(), Vec::new());
        for path in paths {
            if let Some(directory) = path.strip_suffix(b"/") {
                taken.repositories.push(directory.to_vec());
                continue;
            }
            match self.place.look_at(path) {
                At::File { size } if size > HUGE => {
                    taken.huge.push(path.to_vec());
                }
                At::File { .. } => {
                    // Git keeps no such bit, and what cannot be read cannot be compared or saved.
                    open_up(&self.place.at(path));
                    there.push(*path);
                }
                At::Link => there.push(*path),
                // A directory where the index has one object is a submodule.
                At::Directory if self.place.at(path).join(".git").exists() => there.push(*path),
                At::Nothing | At::Directory | At::Other => gone.push(*path),
            }
        }
        self.mark(index, "--force-remove", &gone)?;
        if !there.is_empty() {
            let said = self.add_what_it_takes(index, &there, &mut taken.refused)?;
            there.retain(|path| !taken.refused.iter().any(|refused| refused == path));
            // Among very many words the one that counts may be cut off.
            let refuses = said.windows(REFUSES.len()).any(|part| part == REFUSES);
            if refuses || said.len() >= MOST_ERROR_BYTES {
                taken.refused.extend(self.not_in(index, &there)?);
            }
            taken.forged = self.add_in_truth(index, &there, aside)?;
        }
        Ok(taken)
    }

    /// Says what git said.
    fn add(&self, index: &ScratchFile, paths: &[&[u8]]) -> Result<Vec<u8>, GitProblem> {
        let call = self.call(["update-index", "-z", "--add", "--replace", "--stdin"]);
        let call = call.index(&index.path).synced_objects().input(list(paths));
        Ok(call.run_and_hear()?.1)
    }

    /// One file that cannot be converted (its encoding, a filter that is not installed) makes git refuse all
    /// of them: it is found, and is no part of what there is.
    fn add_what_it_takes(
        &self,
        index: &ScratchFile,
        paths: &[&[u8]],
        refused: &mut Vec<Vec<u8>>,
    ) -> Result<Vec<u8>, GitProblem> {
        let problem = match self.add(index, paths) {
            Err(problem) => problem,
            added => return added,
        };
        let of_a_file = matches!(problem, GitProblem::Refused { .. }) && !problem.is_everybodys();
        if !of_a_file || refused.len() >= MOST_REFUSED {
            return Err(problem);
        }
        if let [path] = paths {
            refused.push(path.to_vec());
            self.mark(index, "--force-remove", paths)?;
            return Ok(Vec::new());
        }
        let (one, other) = paths.split_at(paths.len() / 2);
        let mut said = self.add_what_it_takes(index, one, refused)?;
        said.extend(self.add_what_it_takes(index, other, refused)?);
        Ok(said)
    }

    /// Git writes no object that is there already, whatever is in it. Says of which files that was
    /// something else; they are added once more.
    fn add_in_truth(
        &self,
        index: &ScratchFile,
        paths: &[&[u8]],
        aside: &Path,
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let named = self.objects_at(index, paths)?;
        let untrue = self.untrue(&named.iter().map(|(_, id)| id.clone()).collect(), Packed::All)?;
        let forged: Vec<&[u8]> =
            named.iter().filter(|(_, id)| untrue.contains(id)).map(|(path, _)| *path).collect();
        if !forged.is_empty() {
            self.untrue_aside(&untrue, aside)?;
            // Those that an index knows are not read again.
            self.mark(index, "--force-remove", &forged)?;
            self.add(index, &forged)?;
        }
        Ok(forged.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// Those of some paths that an index does not have.
    fn not_in(&self, index: &ScratchFile, paths: &[&[u8]]) -> Result<Vec<Vec<u8>>, GitProblem> {
        let listed = self.call(["ls-files", "-z", "--cached"]).index(&index.path).run()?;
        let known: BTreeSet<&[u8]> = listed.split(|byte| *byte == 0).collect();
        let missing = paths.iter().filter(|path| !known.contains(*path));
        Ok(missing.map(|path| path.to_vec()).collect())
    }

    pub(super) fn has_entry(&self, tree: &ObjectId, path: &[u8]) -> Result<bool, GitProblem> {
        let call = self.call(["ls-tree", "-z", tree.as_str(), "--"]);
        Ok(!call.args([OsStr::from_bytes(path)]).run()?.is_empty())
    }

    /// Lets an index know again the files that it has with their content, but not with their dates.
    /// Git changes no file that it does not know.
    pub(super) fn refresh(&self, index: &ScratchFile, paths: &[&[u8]]) -> Result<(), GitProblem> {
        let call = self.call(["add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul"]);
        let call = call.variable("GIT_LITERAL_PATHSPECS", "1");
        // Its code only says that some have changed; whoever writes them will find that out.
        call.index(&index.path).input(list(paths)).output().map(|_| ())
    }

    /// What differs between two trees, without guessing at renames.
    pub(super) fn diff(
        &self,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Vec<Difference>, GitProblem> {
        if from == to {
            return Ok(Vec::new());
        }
        if let Some(known) = self.compared.borrow().as_ref().and_then(|it| it.between(from, to)) {
            return Ok(known);
        }
        let call = self.call(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"]);
        let call = call.args(["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]);
        parse_raw(&call.args([from.as_str(), to.as_str()]).run()?)
    }
}

impl Git {
    /// Compares two indexes that hold these trees, for whoever asks what differs between them. What
    /// cannot be compared here is git's to compare.
    pub(super) fn compare(&self, old: (&ObjectId, &IndexImage), new: (&ObjectId, &IndexImage)) {
        let Some((one, other)) = self.entries(old.1).zip(self.entries(new.1)) else { return };
        if let Some(found) = one.differences(&other) {
            let (from, to) = (old.0.clone(), new.0.clone());
            *self.compared.borrow_mut() = Some(Compared { from, to, found });
        }
    }
}

/// Two trees and what differs between them.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    from: ObjectId,
    to: ObjectId,
    found: Vec<Difference>,
}

impl Compared {
    fn between(&self, from: &ObjectId, to: &ObjectId) -> Option<Vec<Difference>> {
        if (&self.from, &self.to) == (from, to) {
            return Some(self.found.clone());
        }
        let back = (&self.from, &self.to) == (to, from);
        back.then(|| self.found.iter().map(Difference::reversed).collect())
    }
}

#[derive(Debug, Default)]
pub(super) struct TakenIn {
    pub(super) repositories: Vec<Vec<u8>>,
    pub(super) huge: Vec<Vec<u8>>,
    /// Paths that git takes from nobody, as `.GIT/x`.
    pub(super) refused: Vec<Vec<u8>>,
    pub(super) forged: Vec<Vec<u8>>,
}

/// One path that two trees have differently. A mode of zeros means that it is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) path: Vec<u8>,
    pub(super) old_mode: String,
    pub(super) new_mode: String,
    pub(super) old: Option<ObjectId>,
    pub(super) new: Option<ObjectId>,
}

impl Difference {
    pub(super) fn reversed(&self) -> Self {
        Self {
            path: self.path.clone(),
            old_mode: self.new_mode.clone(),
            new_mode: self.old_mode.clone(),
            old: self.new.clone(),
            new: self.old.clone(),
        }
    }
}

/// `:oldmode newmode old new status NUL path NUL` over and over.
pub(super) fn parse_raw(bytes: &[u8]) -> Result<Vec<Difference>, GitProblem> {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        let head = String::from_utf8_lossy(head);
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old, new, _] = words[..] else {
            let said = format!("not understood: {head}");
            return Err(GitProblem::Refused { command: "diff-tree".to_owned(), said });
        };
        let id = |mode: &str, text: &str| {
            if mode == "000000" { Ok(None) } else { object(text).map(Some) }
        };
        found.push(Difference {
            path: path.to_vec(),
            old: id(old_mode, old)?,
            new: id(new_mode, new)?,
            old_mode: old_mode.to_owned(),
            new_mode: new_mode.to_owned(),
        });
    }
    Ok(found)
}

/// Whether git was kept out of something.
fn was_closed(stderr: &[u8]) -> bool {
    String::from_utf8_lossy(stderr).contains("Permission denied")
}

struct Unread {
    path: String,
    is_too_long: bool,
}

/// Git only warns of a directory that it cannot read; what is in it would be hidden.
fn unread_directories(stderr: &[u8]) -> Vec<Unread> {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().filter(|line| line.contains("could not open directory"));
    // Git cuts a line that is too long for it.
    let unread = |line: &str| {
        let named = line.split_once('\'').map_or(line, |(_, named)| named);
        match named.rsplit_once("': ") {
            Some((path, why)) => Unread { path: path.to_owned(), is_too_long: why == TOO_LONG },
            None => Unread { path: named.to_owned(), is_too_long: true },
        }
    };
    lines.map(unread).collect()
}
