//! Refs as plain files, read and written without starting git. Only what git itself writes in that
//! form; anything odd is left to git.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use hast_flow::attempt::base::ObjectId;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::config::Writing;
use super::place::Place;
use super::refs::{Move, Refs, Target};
use super::run::Git;
use crate::files::{read_bounded, read_if_there};

/// More than any plain ref holds, and more than any list of packed ones.
const LONGEST: usize = 4_096;
const MOST_PACKED: usize = 64 << 20;
const DEEPEST: usize = 64;
/// Refs that each work tree has for itself.
const OWN: [&str; 3] = ["refs/bisect", "refs/rewritten", "refs/worktree"];
/// Refs that nobody but hast makes, and that have no log.
const OURS: &str = "refs/hast/";

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// What a file of git's has to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasts {
    AfterAPowerCut,
    AfterADeath,
}

/// What the file of a ref says.
enum Says {
    Object(ObjectId),
    Follows(String),
}

impl Place {
    /// All refs of a repository whose refs are plain files.
    pub(super) fn plain_refs(&self) -> Option<Refs> {
        // In this order: one that is packed meanwhile is in the list before its file goes.
        let mut found = BTreeMap::new();
        self.collect_refs("refs", 0, &mut found)?;
        let mut refs: Refs =
            self.packed()?.into_iter().map(|(name, id)| (name, direct(id))).collect();
        let mut following = Vec::new();
        for (name, says) in found {
            match says {
                Says::Object(id) => {
                    refs.insert(name, direct(id));
                }
                Says::Follows(other) => following.push((name, other)),
            }
        }
        for (name, other) in following {
            let target = refs.get(&other).filter(|target| target.follows.is_none())?;
            let target = Target { id: target.id.clone(), follows: Some(other) };
            refs.insert(name, target);
        }
        Some(refs)
    }

    fn home_of(&self, name: &str) -> &Path {
        if OWN.iter().any(|own| Path::new(name).starts_with(own)) {
            &self.git_dir
        } else {
            &self.common_dir
        }
    }

    fn collect_refs(
        &self,
        directory: &str,
        depth: usize,
        into: &mut BTreeMap<String, Says>,
    ) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let real = self.home_of(directory).join(directory);
        let entries = match fs::read_dir(&real) {
            Ok(entries) => entries,
            // Nobody made it yet; the top one is always there.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && depth > 0 => {
                return Some(());
            }
            Err(_) => return None,
        };
        let mut names: Vec<(OsString, fs::FileType)> = Vec::new();
        for entry in entries {
            let entry = entry.ok()?;
            names.push((entry.file_name(), entry.file_type().ok()?));
        }
        for (name, kind) in names {
            let name = name.to_str()?;
            // As git passes over them.
            if name.starts_with('.') || name.ends_with(".lock") {
                continue;
            }
            let name = format!("{directory}/{name}");
            if !is_plain(&name) {
                return None;
            }
            if kind.is_dir() {
                self.collect_refs(&name, depth + 1, into)?;
            } else if kind.is_file() {
                into.insert(name.clone(), says(&self.home_of(&name).join(&name))?);
            } else {
                return None;
            }
        }
        if depth == 0 && self.is_linked() {
            for own in OWN {
                self.collect_refs(own, 1, into)?;
            }
        }
        Some(())
    }

    fn packed(&self) -> Option<BTreeMap<String, ObjectId>> {
        let path = self.common_dir.join("packed-refs");
        let Some(bytes) = read_if_there(&path, MOST_PACKED).ok()? else {
            return Some(BTreeMap::new());
        };
        if bytes.len() > MOST_PACKED {
            return None;
        }
        let mut refs = BTreeMap::new();
        for line in std::str::from_utf8(&bytes).ok()?.lines() {
            if line.starts_with(['#', '^']) {
                continue;
            }
            let (id, name) = line.split_once(' ')?;
            if !is_plain(name) {
                return None;
            }
            refs.insert(name.to_owned(), id.parse().ok()?);
        }
        Some(refs)
    }
}

impl Git {
    /// All refs; nothing where only git can tell.
    pub(super) fn refs_in_files(&self) -> Option<Refs> {
        if self.overrides.writing == Writing::ByGit {
            return None;
        }
        self.plain_refs()
    }

    /// The same before it is known what the configuration says.
    pub(super) fn plain_refs(&self) -> Option<Refs> {
        self.place.plain_refs()
    }

    /// Where a ref points, if it and all that it needs are plain files. The inner nothing: no ref.
    pub(super) fn ref_in_files(&self, name: &str) -> Option<Option<ObjectId>> {
        if self.overrides.writing == Writing::ByGit || !is_plain(name) {
            return None;
        }
        let path = self.place.home_of(name).join(name);
        match fs::symlink_metadata(&path) {
            Ok(there) if there.is_file() => match says(&path)? {
                Says::Object(id) => Some(Some(id)),
                Says::Follows(_) => None,
            },
            Ok(there) if !there.is_dir() => None,
            _ => Some(self.packed()?.remove(name)),
        }
    }

    /// The files among refs that say nothing, or lead nowhere.
    pub(super) fn unreadable_refs(&self) -> Vec<String> {
        let top = self.place.common_dir.join("refs");
        let mut unreadable = Vec::new();
        let mut left = vec![("refs".to_owned(), top)];
        while let Some((directory, path)) = left.pop() {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                if name.starts_with('.') || name.ends_with(".lock") {
                    continue;
                }
                let name = format!("{directory}/{name}");
                let leads = |other: &str| matches!(self.resolve(other), Ok(Some(_)));
                if kind.is_dir() {
                    left.push((name, entry.path()));
                    continue;
                }
                let says = kind.is_file().then(|| says(&entry.path())).flatten();
                let reads = match says {
                    Some(Says::Object(_)) => true,
                    Some(Says::Follows(other)) => leads(&other),
                    None => false,
                };
                if !reads {
                    unreadable.push(name);
                }
            }
        }
        unreadable
    }

    pub(super) fn packed(&self) -> Option<BTreeMap<String, ObjectId>> {
        self.place.packed()
    }

    /// A file of git's with another content, whole or not at all.
    pub(super) fn put(&self, path: &Path, text: &str, lasts: Lasts) -> std::io::Result<()> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let staged = format!("put-{}-{number}", std::process::id());
        let ours = self.place.git_dir.join("hast");
        // An agent may have taken it away.
        fs::create_dir_all(&ours)?;
        let staged = ours.join(staged);
        let write = |mut file: File| {
            file.write_all(text.as_bytes())?;
            match lasts {
                Lasts::AfterAPowerCut => file.sync_all()?,
                Lasts::AfterADeath => {}
            }
            Ok(renameat_with(CWD, &staged, CWD, path, RenameFlags::empty())?)
        };
        let put = File::create_new(&staged).and_then(write);
        if put.is_err() {
            let _ = fs::remove_file(&staged);
        }
        put
    }

    /// Makes one of our own refs. It gets its name with its content, so that a death in between
    /// leaves no lock behind that nobody would take away. Nothing: git has to, and its words tell why it
    /// could not be done here.
    pub(super) fn make_own_ref(&self, step: &Move) -> Option<()> {
        let Move { name, from: None, to: Some(to) } = step else { return None };
        let plain = name.starts_with(OURS) && is_plain(name);
        if self.overrides.writing == Writing::ByGit || !plain {
            return None;
        }
        let common = &self.place.common_dir;
        let path = common.join(name);
        let lock = PathBuf::from(format!("{}.lock", path.to_str()?));
        if common.join("logs").join(name).symlink_metadata().is_ok()
            || lock.symlink_metadata().is_ok()
        {
            return None;
        }
        let packed = self.packed()?;
        let inside = |one: &str, other: &str| {
            one.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if packed.keys().any(|other| inside(other, name) || inside(name, other)) {
            return None;
        }
        fs::create_dir_all(path.parent()?).ok()?;
        // Named like our other files, which the next process takes away after a death.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let staged = format!("ref-{}-{number}", std::process::id());
        let staged = self.place.git_dir.join("hast").join(staged);
        let made = File::create_new(&staged)
            .and_then(|mut file| {
                file.write_all(format!("{to}\n").as_bytes())?;
                file.sync_all()
            })
            // Where there is something of that name, this fails.
            .and_then(|()| fs::hard_link(&staged, &path));
        let _ = fs::remove_file(&staged);
        made.ok()
    }
}

fn direct(id: ObjectId) -> Target {
    Target { id, follows: None }
}

/// What the file of a ref says, in the form that git writes.
fn says(path: &Path) -> Option<Says> {
    let bytes = read_bounded(path, LONGEST).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?.strip_suffix('\n')?;
    if let Some(name) = text.strip_prefix("ref: ") {
        return is_plain(name).then(|| Says::Follows(name.to_owned()));
    }
    let id: ObjectId = text.parse().ok()?;
    (text.len() == 40 && text.bytes().any(|digit| digit != b'0')).then_some(Says::Object(id))
}

/// A full name that git would take, and that is nothing but itself.
pub(super) fn is_plain(name: &str) -> bool {
    let odd = |letter: char| letter.is_control() || " ~^:?*[\\\"".contains(letter);
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.ends_with(".lock")
            && !part.contains("..")
            && !part.contains("@{")
    };
    (name == "refs" || name.starts_with("refs/"))
        && !name.contains(odd)
        && name.split('/').all(part)
}
