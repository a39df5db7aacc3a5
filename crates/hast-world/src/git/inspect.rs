//! What an attempt did, found out while nothing of it runs: protected things first, then refs, then
//! the tree by content and mode.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::{Breach, Change, ChangeKind, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::{Displaced, GivenBack, Meanwhile};
use hast_flow::attempt::inspection::{HandoffFile, Inspection, MovedRef};
use hast_flow::attempt::workspace::Aside;

use super::RealWorkspace;
use super::aside::lies_aside;
use super::guard::Found;
use super::index::{Entry, IndexImage};
use super::links::leaves;
use super::look::Listed;
use super::newly_ignored::not_of;
use super::paths::{Matcher, repo_path, shown};
use super::record::Opened;
use super::refs::{HeadNow, Move, Refs, displaced_ref};
use super::scan::{At, Difference, Scanned, Start};
use crate::files::read_bounded;

const LONGEST_HANDOFF: usize = 1 << 20;
const LINK: &str = "120000";
const GITLINK: &str = "160000";

/// The tree and the index of the last inspection.
#[derive(Debug)]
pub(super) struct Latest {
    pub(super) tree: ObjectId,
    pub(super) image: IndexImage,
    /// When it began; none where there was something that no index holds.
    pub(super) since: Option<SystemTime>,
}

/// What was found of HEAD and the refs.
struct InspectedRefs {
    /// Where the attempt's branch is.
    head: ObjectId,
    /// What others were meanwhile.
    displaced: Vec<Displaced>,
    /// Those that others may have moved, and that stay.
    others: Vec<MovedRef>,
}

impl RealWorkspace {
    pub(super) fn inspect_attempt(&mut self, base: &Base) -> Result<Inspection, GitProblem> {
        self.scene = None;
        self.git.place.open_repository();
        self.git.place.remove_left_locks(base.at());
        let opened = self.opened(base)?;
        let Found { changed, checkouts } = self.guard_all(base, &opened)?;
        let mut protected: BTreeSet<RepoPath> = changed.into_iter().collect();
        protected.extend(std::mem::take(&mut self.mended));
        let mut breaches = Vec::new();
        let InspectedRefs { head, displaced: refs, others } =
            self.inspect_refs(base, &opened, &mut breaches)?;
        self.inspect_operations(base, &opened, &mut breaches)?;
        let listed = self.listed_since(&opened);
        inspect_flags(&opened, &listed, &mut breaches);
        let matcher = Matcher::new(base.rules());
        let since = SystemTime::now();
        let mut scanned = self.scan_from(base, &opened, &matcher, &listed)?;
        let mut now = self.git.diff(base.tree(), &scanned.tree)?;
        protected.extend(self.take_back_protected(base, &matcher, &mut scanned, &mut now)?);
        let committed = self.committed_since(base, &head)?;
        if self.put_left_back(&matcher, &mut scanned, (&now, &committed))? {
            now = self.git.diff(base.tree(), &scanned.tree)?;
        }
        protected.extend(matcher.off_limits(committed.iter().map(|found| &found.path)));
        protected.extend(self.old_handoffs(base, &matcher, now.iter().chain(&committed))?);
        let shown = self.unhidden((base, &opened), &matcher, &scanned, (&now, &committed))?;
        breaches.extend(shown.breaches());
        breaches.extend(self.forged_of(base, &scanned));
        if shown.tree != scanned.tree {
            now = self.git.diff(base.tree(), &shown.tree)?;
            protected.extend(matcher.off_limits(now.iter().map(|found| &found.path)));
        }
        let passing = self.taken_back(base, &head, (&now, &committed), &breaches)?;
        protected.extend(matcher.off_limits(passing.iter()));
        let not_committed = self.newly_ignored(&matcher, (&now, &committed))?;
        let meant = not_of(&now, &not_committed);
        self.inspect_shapes(&scanned, &meant, &committed, &mut breaches)?;
        self.inspect_submodules(&opened, &checkouts, &mut breaches)?;
        self.inspect_hidden_edits(base, &opened, &now, &mut breaches)?;
        let whole = not_committed.is_empty().then_some(&shown.tree);
        let (commit_tree, uncommitted) = match self.commit_tree(base, &head, whole, &meant) {
            Err(problem) => (self.refused_commit(&head, problem, &mut breaches)?, false),
            Ok(built) => built,
        };
        let apart = self.apart(&now, &not_committed, passing)?;
        let forged = breaches.iter().any(|one| matches!(one, Breach::ForgedObject { .. }));
        let taken = !protected.is_empty() || !checkouts.emptied.is_empty() || forged;
        let files = if taken { self.lies_aside_of(base) } else { Vec::new() };
        let inspection = Inspection {
            breaches,
            others,
            not_committed: not_committed.iter().map(|path| repo_path(path)).collect(),
            given_back: GivenBack { files, refs, more: 0 },
            protected: protected.into_iter().collect(),
            changes: changes(&matcher, (&now, &committed), &scanned, &apart),
            links: links(&now),
            handoffs: self.new_handoffs(&matcher, &now),
            head,
            tree: shown.tree,
            commit_tree,
            uncommitted,
        };
        let since = Some(since).filter(|_| scanned.is_all_in_index());
        self.latest = Some(Latest { tree: scanned.tree, image: scanned.image, since });
        self.inspected = Some(base.clone());
        Ok(inspection)
    }

    fn apart<'d>(
        &self,
        now: &'d [Difference],
        not_committed: &'d BTreeSet<Vec<u8>>,
        passing: BTreeSet<Vec<u8>>,
    ) -> Result<Apart<'d>, GitProblem> {
        Ok(Apart {
            moved: self.git.moved_tests(now)?,
            emptied: self.git.emptied(now)?,
            hollow: self.git.hollow(now),
            ignored: not_committed.iter().map(Vec::as_slice).collect(),
            passing,
        })
    }

    /// What was there in the place of protected files.
    fn lies_aside_of(&self, base: &Base) -> Vec<Aside> {
        lies_aside(&self.scratch.aside(base.key()), &[])
    }

    /// Handoffs of earlier work that were changed: they tell what others did, and are no one's to
    /// rewrite. One that was not committed at the base belongs to the work that is continued.
    fn old_handoffs<'d>(
        &self,
        base: &Base,
        matcher: &Matcher<'_>,
        found: impl Iterator<Item = &'d Difference>,
    ) -> Result<Vec<RepoPath>, GitProblem> {
        let is_old = |found: &&Difference| found.old.is_some() && matcher.is_handoff(&found.path);
        let mut old: Vec<&[u8]> = found.filter(is_old).map(|found| &*found.path).collect();
        if !old.is_empty() {
            let before = self.git.diff(base.commit(), base.tree())?;
            old.retain(|path| !before.iter().any(|new| new.old.is_none() && new.path == *path));
        }
        Ok(old.into_iter().map(repo_path).collect())
    }

    /// What the attempt's commits changed. What was uncommitted before it, and is committed as it
    /// was, is no change of its own.
    fn committed_since(&self, base: &Base, head: &ObjectId) -> Result<Vec<Difference>, GitProblem> {
        if head == base.commit() {
            return Ok(Vec::new());
        }
        self.sync_objects()?;
        let before = self.git.diff(base.commit(), base.tree())?;
        let mut committed = self.git.diff(base.commit(), head)?;
        committed.retain(|found| !before.contains(found));
        Ok(committed)
    }

    /// The tree now, from what is known best: the last look at it, the start, or nothing.
    pub(super) fn scan_from(
        &mut self,
        base: &Base,
        opened: &Opened,
        matcher: &Matcher<'_>,
        listed: &Listed,
    ) -> Result<Scanned, GitProblem> {
        let latest = self.latest.take().map(|latest| latest.image);
        let image = latest.or_else(|| opened.image.clone());
        let start = Start {
            image: image.as_ref(),
            tree: base.tree(),
            ignores: &opened.snapshot.ignores,
            absent: &opened.snapshot.flags.skipped,
            aside: &self.scratch.aside(base.key()),
        };
        let mut scanned = self.git.scan(&self.scratch, &start, matcher)?;
        if let Some(image) = &opened.image {
            self.git.compare((base.tree(), image), (&scanned.tree, &scanned.image));
        }
        // A submodule whose own repository was protected away no longer looks like one.
        for path in &listed.gitlinks {
            let known = scanned.repositories.contains(path);
            let there = self.git.place.at(path).join(".git").symlink_metadata().is_ok();
            if !known && there && !self.git.has_entry(base.tree(), path)? {
                scanned.repositories.push(path.clone());
            }
        }
        if let Some(odd) = self.new_odd(opened, matcher, Some(&scanned.image)) {
            scanned.not_storable.extend(odd.special);
            scanned.bare = odd.bare;
            scanned.nested = odd.nested;
            let told = |path: &Vec<u8>| {
                scanned.repositories.contains(path) || listed.gitlinks.contains(path)
            };
            scanned.nested.retain(|path| !told(path));
        }
        Ok(scanned)
    }

    /// What the user's index holds now. The same bytes hold what they held at the start. An index
    /// that cannot be read hides nothing: it is not the one that we compare with.
    pub(super) fn listed_since(&self, opened: &Opened) -> Listed {
        let now = IndexImage::of_user(&self.git).ok().flatten();
        if let (Some(now), Some(then)) = (&now, &opened.users)
            && now.has_bytes_of(then)
        {
            let flags = opened.snapshot.flags.clone();
            return Listed { flags, gitlinks: opened.gitlinks.clone(), ..Listed::default() };
        }
        self.git.listed_in(now.as_ref()).unwrap_or_default()
    }

    /// HEAD, the branch and all other refs.
    fn inspect_refs(
        &self,
        base: &Base,
        opened: &Opened,
        breaches: &mut Vec<Breach>,
    ) -> Result<InspectedRefs, GitProblem> {
        let mut refs = Vec::new();
        let now = self.git.refs()?;
        let branch = base.branch();
        match self.git.head()? {
            HeadNow::Branch(name) if name == branch => {}
            other => {
                breaches.push(match other {
                    HeadNow::Branch(to) => Breach::BranchSwitched { to },
                    HeadNow::Detached => Breach::HeadDetached,
                });
                let at = self.put_head_back(base, &now)?;
                refs.push(Displaced { name: "HEAD".to_owned(), was: Meanwhile::Moved, at });
            }
        }
        let head = match now.get(branch) {
            Some(target) if target.follows.is_none() => target.id.clone(),
            other => {
                breaches.push(Breach::HistoryRewritten);
                let from = other.map(|target| target.id.clone());
                let to = Some(base.commit().clone());
                self.git.move_refs(&[Move { name: branch.to_owned(), from, to }])?;
                base.commit().clone()
            }
        };
        let back = self.git.restore_refs(base, opened.before(), &now)?;
        refs.extend(back.displaced);
        breaches.extend(back.breaches);
        let others = back.others;
        breaches.extend(self.start_back(base, opened, &now)?);
        let found = |head: ObjectId| InspectedRefs { head, displaced: refs, others };
        if head == *base.commit() || self.git.is_ancestor(base.commit(), &head)? {
            return Ok(found(head));
        }
        breaches.insert(0, Breach::HistoryRewritten);
        // A branch that points at nothing is of no use to anybody.
        if self.git.has_commit(&head)? {
            return Ok(found(head));
        }
        let (name, to) = (branch.to_owned(), Some(base.commit().clone()));
        self.git.move_refs(&[Move { name, from: Some(head), to }])?;
        Ok(found(base.commit().clone()))
    }

    /// Says which ref keeps where it was.
    fn put_head_back(&self, base: &Base, now: &Refs) -> Result<Option<String>, GitProblem> {
        let mut kept = None;
        if let Some(at) = self.git.resolve("HEAD")? {
            let name = displaced_ref(base, "HEAD");
            let from = now.get(&name).map(|target| target.id.clone());
            self.git.move_refs(&[Move { name: name.clone(), from, to: Some(at) }])?;
            kept = Some(name);
        }
        self.git.call(["symbolic-ref", "-m", "hast", "HEAD", base.branch()]).synced().run()?;
        Ok(kept)
    }

    /// Edits of the user that git was told not to show: what an attempt makes of such a file has them
    /// in it, and they are not to be committed.
    fn inspect_hidden_edits(
        &self,
        base: &Base,
        opened: &Opened,
        now: &[Difference],
        breaches: &mut Vec<Breach>,
    ) -> Result<(), GitProblem> {
        let flags = &opened.snapshot.flags;
        let hidden: BTreeSet<&Vec<u8>> = flags.assumed.iter().chain(&flags.skipped).collect();
        let touched: Vec<&Difference> =
            now.iter().filter(|found| hidden.contains(&found.path)).collect();
        if touched.is_empty() {
            return Ok(());
        }
        let edited = self.git.diff(base.commit(), base.tree())?;
        for found in touched {
            if edited.iter().any(|edit| edit.path == found.path) {
                breaches.push(Breach::HiddenByIndex { path: repo_path(&found.path) });
            }
        }
        Ok(())
    }

    /// Links that leave the tree, repositories inside of it, files too large for git.
    fn inspect_shapes(
        &self,
        scanned: &Scanned,
        now: &[Difference],
        committed: &[Difference],
        breaches: &mut Vec<Breach>,
    ) -> Result<(), GitProblem> {
        for path in &scanned.repositories {
            let dot = self.git.place.at(path).join(".git");
            breaches.push(if dot.is_dir() {
                Breach::NestedRepository { path: repo_path(path) }
            } else {
                Breach::SubmoduleAdded { path: repo_path(path) }
            });
        }
        let nested = |path: &Vec<u8>| Breach::NestedRepository { path: repo_path(path) };
        breaches.extend(scanned.nested.iter().map(nested));
        let mut seen = BTreeSet::new();
        for found in now.iter().chain(committed) {
            let added = found.new_mode == GITLINK && found.old_mode != GITLINK;
            if added && seen.insert((&found.path, true)) {
                breaches.push(Breach::SubmoduleAdded { path: repo_path(&found.path) });
            }
            if let Some(target) = found.new.as_ref().filter(|_| found.new_mode == LINK) {
                let target = self.git.call(["cat-file", "blob", target.as_str()]).run()?;
                if leaves(&self.git.place, &found.path, &target)
                    && seen.insert((&found.path, false))
                {
                    breaches.push(Breach::SymlinkLeaves { path: repo_path(&found.path) });
                }
            }
        }
        for path in &scanned.huge {
            breaches.push(Breach::TooLarge { path: repo_path(path) });
        }
        for path in &scanned.not_storable {
            breaches.push(Breach::NotStorable { path: repo_path(path) });
        }
        breaches.extend(self.bare_repositories(scanned, now.iter().chain(committed)));
        Ok(())
    }

    /// The attempt's changes on top of where its branch is, without what was uncommitted before.
    /// `there` is the whole tree, where all of it is to be committed.
    fn commit_tree(
        &self,
        base: &Base,
        head: &ObjectId,
        there: Option<&ObjectId>,
        now: &[Difference],
    ) -> Result<(ObjectId, bool), GitProblem> {
        let head_tree = self.git.tree_of(head)?;
        if let Some(there) = there
            && head == base.commit()
            && head_tree == *base.tree()
        {
            return Ok((there.clone(), *there != head_tree));
        }
        if now.is_empty() && head == base.commit() {
            return Ok((head_tree, false));
        }
        let index = self.scratch.index(None)?;
        self.git.read_tree(&index, &head_tree)?;
        let entries: Vec<Entry> = now.iter().map(Difference::new_entry).collect();
        self.git.set_entries(&index, &entries)?;
        let mut tree = self.git.write_tree(&index)?;
        // What the attempt committed and then took back to how it was.
        let undone = self.undone(base, head, &head_tree, now)?;
        if !undone.is_empty() {
            self.git.set_entries(&index, &undone)?;
            tree = self.git.write_tree(&index)?;
        }
        let uncommitted = tree != head_tree;
        Ok((tree, uncommitted))
    }

    /// Paths that commits changed and the work tree has as at the base.
    fn undone(
        &self,
        base: &Base,
        head: &ObjectId,
        head_tree: &ObjectId,
        now: &[Difference],
    ) -> Result<Vec<Entry>, GitProblem> {
        if head == base.commit() {
            return Ok(Vec::new());
        }
        let changed: BTreeSet<&[u8]> = now.iter().map(|found| found.path.as_slice()).collect();
        let committed = self.git.diff(base.commit(), head)?;
        let committed: BTreeSet<Vec<u8>> = committed.into_iter().map(|found| found.path).collect();
        let against_start = self.git.diff(head_tree, base.tree())?;
        let back = against_start
            .iter()
            .filter(|found| committed.contains(&found.path) && !changed.contains(&found.path[..]));
        Ok(back.map(Difference::new_entry).collect())
    }

    fn new_handoffs(&self, matcher: &Matcher<'_>, now: &[Difference]) -> Vec<HandoffFile> {
        let new = now.iter().filter(|found| {
            found.old.is_none() && found.new.is_some() && matcher.is_handoff(&found.path)
        });
        let read = |found: &Difference| {
            let name = matcher.name_among_handoffs(&found.path);
            let bytes = match self.git.place.look_at(&found.path) {
                At::File { size } if size > LONGEST_HANDOFF as u64 => Err("too large".to_owned()),
                At::File { .. } => {
                    let path = self.git.place.at(&found.path);
                    read_bounded(&path, LONGEST_HANDOFF).map_err(|error| error.to_string())
                }
                _ => Err("not a regular file".to_owned()),
            };
            HandoffFile { name: shown(name), bytes }
        };
        new.map(read).collect()
    }
}

/// Entries of the user's index that began to hide files.
fn inspect_flags(opened: &Opened, listed: &Listed, breaches: &mut Vec<Breach>) {
    let before = &opened.snapshot.flags;
    let known: BTreeSet<&Vec<u8>> = before.assumed.iter().chain(&before.skipped).collect();
    let hidden: BTreeSet<&Vec<u8>> =
        listed.flags.assumed.iter().chain(&listed.flags.skipped).collect();
    let new = hidden.iter().filter(|path| !known.contains(*path));
    breaches.extend(new.map(|path| Breach::HiddenByIndex { path: repo_path(path) }));
}

impl Difference {
    pub(super) fn old_entry(&self) -> Entry {
        Entry { path: self.path.clone(), mode: self.old_mode.clone(), object: self.old.clone() }
    }

    pub(super) fn new_entry(&self) -> Entry {
        Entry { path: self.path.clone(), mode: self.new_mode.clone(), object: self.new.clone() }
    }

    pub(super) fn kind(&self) -> ChangeKind {
        match (&self.old, &self.new) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (old, new) if old == new => ChangeKind::Mode,
            _ => ChangeKind::Modified,
        }
    }
}

/// Where a changed path is a link now.
fn links(now: &[Difference]) -> Vec<RepoPath> {
    now.iter().filter(|found| found.new_mode == LINK).map(|found| repo_path(&found.path)).collect()
}

/// Changes of a kind of their own.
struct Apart<'d> {
    moved: BTreeSet<&'d [u8]>,
    emptied: BTreeSet<&'d [u8]>,
    hollow: BTreeSet<&'d [u8]>,
    /// Ignored by rules that are as new, and in no commit.
    ignored: BTreeSet<&'d [u8]>,
    /// Taken back by a later commit.
    passing: BTreeSet<Vec<u8>>,
}

/// Every path that differs from the base in the work tree or in a commit, but handoffs.
fn changes(
    matcher: &Matcher<'_>,
    (now, committed): (&[Difference], &[Difference]),
    scanned: &Scanned,
    apart: &Apart<'_>,
) -> Vec<Change> {
    let mut found: BTreeMap<&[u8], ChangeKind> = BTreeMap::new();
    for difference in committed.iter().chain(now) {
        found.insert(&difference.path, difference.kind());
    }
    let Apart { moved, emptied, hollow, ignored, passing } = apart;
    found.extend(moved.iter().map(|path| (*path, ChangeKind::Moved)));
    found.extend(emptied.iter().map(|path| (*path, ChangeKind::Emptied)));
    found.extend(hollow.iter().map(|path| (*path, ChangeKind::Hollow)));
    found.extend(ignored.iter().map(|path| (*path, ChangeKind::NotCommitted)));
    found.extend(passing.iter().map(|path| (path.as_slice(), ChangeKind::TakenBack)));
    let others = scanned.repositories.iter().chain(&scanned.huge).chain(&scanned.not_storable);
    found.extend(others.map(|path| (path.as_slice(), ChangeKind::Added)));
    let judged = found
        .into_iter()
        .filter(|(path, _)| !matcher.is_handoff(path) && !matcher.is_left_out(path));
    judged.map(|(path, kind)| Change { path: repo_path(path), kind }).collect()
}
