//! The work tree before an attempt: one `git status`, and from it the tree of what is there, the
//! ignore rules of this moment, and the files that git was told not to look at.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant, SystemTime};

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{Head, Looked, Uncommitted, UncommittedKind};

use super::RealWorkspace;
use super::entries::{GITLINK, IndexEntry};
use super::ignores::{Ignores, directories_above};
use super::index::{IndexImage, object};
use super::listing::Listing;
use super::odd::Odd;
use super::paths::{Matcher, shown};
use super::place::Place;
use super::run::Git;
use super::scan::At;
use super::snapshot::Flags;
use super::true_objects::OBJECTS;
use crate::files::read_bounded;

/// What a start will be recorded from.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) head: Head,
    pub(super) tree: ObjectId,
    /// An index of everything that is there, and the user's own.
    pub(super) image: IndexImage,
    pub(super) users: Option<IndexImage>,
    pub(super) flags: Flags,
    pub(super) gitlinks: Vec<Vec<u8>>,
    pub(super) ignores: Vec<u8>,
    pub(super) guarded: Vec<Vec<u8>>,
    /// What was ignored; a directory ends in `/`.
    pub(super) ignored: Vec<Vec<u8>>,
    /// When the look began; none where this was not seen by one.
    pub(super) since: Option<SystemTime>,
    /// The directories that there are, where that was found out later than the rest.
    pub(super) around: Option<(Listing, Odd)>,
    pub(super) seen: SceneOf,
}

/// Whose look a scene is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SceneOf {
    Now,
    /// The start of an attempt that was rolled back: ignored files may have come since.
    AttemptBefore,
}

/// A look that the next one may repeat: a run looks around, and then its first goal does.
#[derive(Clone, Debug)]
pub(super) struct Glance {
    rules: TreeRules,
    pub(super) looked: Looked,
    /// How protected files looked then: hast itself may have written one since.
    protected: Vec<Option<Seen>>,
    at: Instant,
}

/// Number, size and time of a file.
type Seen = (u64, u64, i64, i64);

/// A person who edits meanwhile is seen by a look that is older than this.
const JUST_NOW: Duration = Duration::from_millis(500);

impl Glance {
    pub(super) fn new(rules: &TreeRules, looked: &Looked, place: &Place) -> Self {
        let protected = protected(rules, place);
        Self { rules: rules.clone(), looked: looked.clone(), protected, at: Instant::now() }
    }

    pub(super) fn still_holds(&self, rules: &TreeRules, place: &Place) -> bool {
        self.is_of(rules)
            && self.at.elapsed() < JUST_NOW
            && self.protected == protected(rules, place)
    }

    pub(super) fn is_of(&self, rules: &TreeRules) -> bool {
        self.rules == *rules
    }
}

fn protected(rules: &TreeRules, place: &Place) -> Vec<Option<Seen>> {
    let seen = |path: &String| {
        let file = place.at(path.as_bytes()).symlink_metadata().ok()?;
        Some((file.ino(), file.size(), file.ctime(), file.ctime_nsec()))
    };
    rules.protected.iter().map(seen).collect()
}

/// Largest `.gitignore` that is read.
const LONGEST_RULES: usize = 4 << 20;

/// What `git status` says.
#[derive(Debug, Default)]
pub(super) struct Status {
    commit: Option<ObjectId>,
    branch: String,
    changed: Vec<Vec<u8>>,
    untracked: Vec<Vec<u8>>,
    ignored: Vec<Vec<u8>>,
}

impl Status {
    pub(super) fn head(&self) -> Head {
        let full = format!("refs/heads/{}", self.branch);
        match (&self.commit, self.branch.as_str()) {
            (None, _) => Head::Unborn { name: full },
            (Some(commit), "(detached)") => Head::Detached { commit: commit.clone() },
            (Some(commit), _) => Head::Branch { name: full, commit: commit.clone() },
        }
    }

    pub(super) fn uncommitted(&self) -> Vec<Uncommitted> {
        let changed = self.changed.iter().map(named(UncommittedKind::Tracked));
        changed.chain(self.untracked.iter().map(named(UncommittedKind::Untracked))).collect()
    }
}

fn named(kind: UncommittedKind) -> impl Fn(&Vec<u8>) -> Uncommitted {
    move |path| Uncommitted { path: shown(path), kind }
}

/// What the user's index holds, as far as it matters here.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) flags: Flags,
    /// Submodules.
    pub(super) gitlinks: Vec<Vec<u8>>,
    pub(super) ignore_files: Vec<Vec<u8>>,
}

impl RealWorkspace {
    pub(super) fn look_around(
        &mut self,
        rules: &TreeRules,
    ) -> Result<(Looked, Option<Scene>), GitProblem> {
        if !std::mem::take(&mut self.config_is_new) {
            self.reread_config()?;
        }
        // Without its filters the tree looks changed where it is not.
        if let Some(name) = self.config.own_filters.first() {
            return Err(GitProblem::RepositoryFilter { name: name.clone() });
        }
        let matcher = Matcher::new(rules);
        let since = SystemTime::now();
        let status = self.git.status(&matcher)?;
        let in_progress = self.in_progress().into_iter().next().map(|(word, _)| word.to_owned());
        let (head, mut uncommitted) = (status.head(), status.uncommitted());
        if status.commit.is_none() {
            let looked = Looked { head, uncommitted, in_progress, tree: None };
            return Ok((looked, None));
        }
        let mut scene = self.scene(rules, &matcher, &status, head.clone())?;
        (scene.ignored, scene.since) = (status.ignored, Some(since));
        let inside = self.inside_submodules(&scene.gitlinks)?;
        let inside = inside.iter().flat_map(|submodule| &submodule.uncommitted);
        uncommitted.extend(inside.map(named(UncommittedKind::Tracked)));
        let tree = Some(scene.tree.clone());
        Ok((Looked { head, uncommitted, in_progress, tree }, Some(scene)))
    }

    fn scene(
        &self,
        rules: &TreeRules,
        matcher: &Matcher<'_>,
        status: &Status,
        head: Head,
    ) -> Result<Scene, GitProblem> {
        let users = IndexImage::of_user(&self.git)?;
        let listed = self.git.listed_in(users.as_ref())?;
        let hidden: Vec<&[u8]> = listed
            .flags
            .skipped
            .iter()
            .map(Vec::as_slice)
            .filter(|path| self.git.place.look_at(path) != At::Nothing)
            .collect();
        let assumed: Vec<&[u8]> = listed.flags.assumed.iter().map(Vec::as_slice).collect();
        let mut paths: BTreeSet<&[u8]> =
            status.changed.iter().chain(&status.untracked).map(Vec::as_slice).collect();
        paths.extend(assumed.iter().chain(&hidden).copied());
        paths.retain(|path| !matcher.is_left_out(path));
        let paths: Vec<&[u8]> = paths.into_iter().collect();
        let as_it_is = users.as_ref().filter(|_| paths.is_empty());
        let as_it_is = as_it_is.and_then(|image| Some((self.git.entries(image)?, image)));
        let known = as_it_is
            .and_then(|(entries, image)| Some((self.git.store_tree(&entries)?, image.clone())));
        let (tree, image) = match known {
            Some(known) => known,
            None => {
                let index = self.scratch.index(users.as_ref())?;
                self.git.mark(&index, "--no-assume-unchanged", &assumed)?;
                self.git.mark(&index, "--no-skip-worktree", &hidden)?;
                self.git.take_in(&index, &paths, &self.scratch.aside(OBJECTS))?;
                let image = index.image()?;
                self.git.tree_of_index(&index, image)?
            }
        };
        let ignores = self.ignores(rules, &listed, status);
        let guarded = self.guarded(rules, matcher, &status.ignored);
        let Listed { flags, gitlinks, .. } = listed;
        Ok(Scene {
            head,
            tree,
            image,
            users,
            flags,
            gitlinks,
            ignores,
            guarded,
            ignored: Vec::new(),
            since: None,
            around: None,
            seen: SceneOf::Now,
        })
    }

    /// The ignore rules of this moment as one list.
    fn ignores(&self, rules: &TreeRules, listed: &Listed, status: &Status) -> Vec<u8> {
        let place = &self.git.place;
        let mut ignores = Ignores::default();
        let global = self.config.excludes_file.clone();
        let exclude = Some(place.common_dir.join("info/exclude"));
        for path in [global, exclude].into_iter().flatten() {
            if let Ok(text) = read_bounded(&path, LONGEST_RULES) {
                ignores.add_global(&text);
            }
        }
        let mut files: BTreeSet<Vec<u8>> = listed.ignore_files.iter().cloned().collect();
        files.extend(status.untracked.iter().filter(|path| is_ignore_file(path)).cloned());
        // Directories that ignore themselves have rules that nobody tracks.
        let ignored = status.ignored.iter().map(Vec::as_slice);
        for directory in directories_above(ignored) {
            files.insert([directory, b".gitignore"].concat());
        }
        files.insert(b".gitignore".to_vec());
        let texts = files.into_iter().filter_map(|path| {
            if !matches!(place.look_at(&path), At::File { .. }) {
                return None;
            }
            let text = read_bounded(&place.at(&path), LONGEST_RULES).ok()?;
            Some((path[..path.len() - b".gitignore".len()].to_vec(), text))
        });
        ignores.add_files(texts.collect());
        ignores.leave_out(&rules.leave_out);
        ignores.into_text()
    }

    /// The directory of the user's hooks, where it lies in the work tree.
    pub(super) fn hooks_in_tree(&self) -> Option<Vec<u8>> {
        let inside = self.config.hooks_path.as_deref()?.strip_prefix(&self.git.place.top).ok()?;
        let path = inside.as_os_str().as_encoded_bytes().to_vec();
        (!path.is_empty()).then_some(path)
    }

    /// Protected paths that neither a rule names nor git tracks.
    fn guarded(
        &self,
        rules: &TreeRules,
        matcher: &Matcher<'_>,
        ignored: &[Vec<u8>],
    ) -> Vec<Vec<u8>> {
        let plain = |path: &[u8]| path.strip_suffix(b"/").unwrap_or(path).to_vec();
        let matched = ignored.iter().map(|path| plain(path));
        let mut guarded: Vec<Vec<u8>> = matched.filter(|path| matcher.is_guarded(path)).collect();
        guarded.extend(rules.protect.iter().filter_map(|glob| place_named_by(glob, ignored)));
        guarded.extend(self.hooks_in_tree());
        guarded.extend(self.included_in_tree());
        guarded.retain(|path| !path.is_empty());
        guarded.sort();
        guarded.dedup();
        guarded
    }
}

impl Git {
    pub(super) fn status(&self, matcher: &Matcher<'_>) -> Result<Status, GitProblem> {
        let call = self.call(["status", "--porcelain=v2", "-z", "--branch", "--no-renames"]);
        let call = call.args(["--untracked-files=all", "--ignored=matching"]);
        // Looking into a submodule would run git under that repository's own config.
        let call = call.args(["--ignore-submodules=dirty", "--no-ahead-behind", "--"]);
        let bytes = call.args(matcher.pathspecs()).users_index().run()?;
        let mut status = Status::default();
        for entry in bytes.split(|byte| *byte == 0) {
            let after = |spaces: usize| {
                entry.splitn(spaces + 1, |byte| *byte == b' ').nth(spaces).unwrap_or_default()
            };
            match entry.first() {
                Some(b'1') => status.changed.push(after(8).to_vec()),
                Some(b'u') => status.changed.push(after(10).to_vec()),
                Some(b'?') => status.untracked.push(after(1).to_vec()),
                Some(b'!') => status.ignored.push(after(1).to_vec()),
                Some(b'#') => {
                    let text = String::from_utf8_lossy(entry);
                    if let Some(id) = text.strip_prefix("# branch.oid ") {
                        status.commit = object(id).ok();
                    } else if let Some(name) = text.strip_prefix("# branch.head ") {
                        name.clone_into(&mut status.branch);
                    }
                }
                _ => {}
            }
        }
        Ok(status)
    }

    /// The same of an image of it, where it can be read here.
    pub(super) fn listed_in(&self, users: Option<&IndexImage>) -> Result<Listed, GitProblem> {
        let Some(entries) = users.and_then(|image| self.entries(image)) else {
            return self.listed();
        };
        let paths = |wanted: &dyn Fn(&IndexEntry<'_>) -> bool| -> Vec<Vec<u8>> {
            let found = entries.all.iter().filter(|entry| wanted(entry));
            found.map(|entry| entry.path.to_vec()).collect()
        };
        Ok(Listed {
            flags: Flags {
                assumed: paths(&|entry| entry.assumed),
                skipped: paths(&|entry| entry.skipped),
            },
            gitlinks: paths(&|entry| entry.mode == GITLINK),
            ignore_files: paths(&|entry| is_ignore_file(entry.path)),
        })
    }

    /// The entries of the user's index that are hidden, submodules, and `.gitignore` files.
    pub(super) fn listed(&self) -> Result<Listed, GitProblem> {
        let bytes = self.call(["ls-files", "-z", "-v", "-s"]).users_index().run()?;
        let mut listed = Listed::default();
        for entry in bytes.split(|byte| *byte == 0) {
            // `tag mode object stage TAB path`
            let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            let (head, path) = (&entry[..tab], &entry[tab + 1..]);
            let Some(tag) = head.first() else { continue };
            if head.get(2..8) == Some(b"160000") {
                listed.gitlinks.push(path.to_vec());
            }
            if tag.is_ascii_lowercase() {
                listed.flags.assumed.push(path.to_vec());
            }
            if tag.eq_ignore_ascii_case(&b'S') {
                listed.flags.skipped.push(path.to_vec());
            }
            if is_ignore_file(path) {
                listed.ignore_files.push(path.to_vec());
            }
        }
        Ok(listed)
    }
}

/// The place that a glob of `protect` names: without any wildcard, or as everything in a directory that
/// git ignores. Of such a directory git says only where it begins, so that no other glob finds what is in it.
fn place_named_by(glob: &str, ignored: &[Vec<u8>]) -> Option<Vec<u8>> {
    let all = ["/**/*", "/**", "/*"].iter().find_map(|end| glob.strip_suffix(end));
    let place = all.unwrap_or(glob);
    if place.contains(['*', '?', '[', '\\', '!']) {
        return None;
    }
    let place = place.trim_matches('/').as_bytes();
    let below = [place, b"/"].concat();
    let is_ignored = || ignored.iter().any(|one| one.ends_with(b"/") && below.starts_with(one));
    (all.is_none() || is_ignored()).then(|| place.to_vec())
}

pub(super) fn is_ignore_file(path: &[u8]) -> bool {
    path == b".gitignore" || path.ends_with(b"/.gitignore")
}
