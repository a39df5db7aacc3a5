//! Putting everything that is there on a ref, and only then taking a work tree back to its base.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::{Base, ObjectId, Saved, SavedWork};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{Head, RolledBack, SavePlan};

use super::RealWorkspace;
use super::aside::lies_aside;
use super::ignored_files::Next;
use super::index::{Entry, IndexImage, ScratchFile};
use super::inspect::Latest;
use super::look::{Scene, SceneOf};
use super::objects::NewCommit;
use super::odd::dot_in;
use super::paths::{Matcher, shown};
use super::put_back::Before;
use super::record::Opened;
use super::refs::{Move, Refs, Target};
use super::scan::{At, Difference, Scanned};
use super::snapshot::Home;
use super::true_objects::OBJECTS;

/// Where branches of kept work are.
const KEPT: &str = "refs/heads/hast/kept/";

/// What was moved aside: where it was, and where it is.
type Moving = (Vec<u8>, PathBuf);
type Moved = Vec<Moving>;

/// The tree that was saved last, for the rollback that follows.
#[derive(Debug)]
pub(super) struct SavedTree {
    pub(super) commit: ObjectId,
    /// Everything that was there, the overflow too.
    pub(super) tree: ObjectId,
    pub(super) image: IndexImage,
    head: ObjectId,
    overflow: Vec<Vec<u8>>,
}

/// What a tree that goes back loses.
#[derive(Debug, Default)]
pub(super) struct WentBack {
    pub(super) moved: Moved,
    gone: Vec<Vec<u8>>,
}

impl WentBack {
    pub(super) fn without(gone: Vec<Vec<u8>>) -> Self {
        Self { moved: Moved::new(), gone }
    }

    pub(super) fn handoffs(&self, matcher: &Matcher<'_>) -> Vec<String> {
        let handoffs = self.gone.iter().filter(|path| matcher.is_handoff(path));
        handoffs.map(|path| shown(path)).collect()
    }
}

impl RealWorkspace {
    pub(super) fn save_tree(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.scene = None;
        self.git.place.open_repository();
        let head = self.head_to_save(plan)?;
        let matcher = Matcher::new(&plan.rules);
        let (scanned, from) = self.scan_to_save(plan, &matcher)?;
        let beyond = self.overflow(plan, &from, &scanned)?;
        let mut tree = scanned.tree.clone();
        if !beyond.is_empty() {
            let index = self.scratch.index(Some(&scanned.image))?;
            // What was there before stays on the ref: bringing that back must delete nothing.
            let before: Vec<Entry> = beyond.iter().map(Difference::old_entry).collect();
            self.git.set_entries(&index, &before)?;
            tree = self.git.write_tree(&index)?;
        }
        let mut overflow: Vec<Vec<u8>> = beyond.into_iter().map(|found| found.path).collect();
        let others = scanned.huge.iter().chain(&scanned.repositories);
        overflow.extend(others.chain(&scanned.not_storable).cloned());
        overflow.extend(scanned.nested.iter().map(|directory| dot_in(directory)));
        overflow.sort();
        let before = self.git.resolve(&plan.name)?;
        let commit = self.saved_commit(plan, &head, &tree, before.as_ref())?;
        if plan.base.as_ref().is_none_or(|base| *base.commit() != head) {
            self.sync_objects()?;
        }
        if before.as_ref() != Some(&commit) {
            let (name, to) = (plan.name.clone(), Some(commit.clone()));
            self.git.move_refs(&[Move { name, from: before, to }])?;
        }
        self.own_saves.push((plan.name.clone(), commit.clone()));
        self.saved = Some(SavedTree {
            commit: commit.clone(),
            tree: scanned.tree,
            image: scanned.image,
            head,
            overflow: overflow.clone(),
        });
        let overflow = overflow.iter().map(|path| shown(path)).collect();
        Ok(SavedWork { name: plan.name.clone(), commit, tree, overflow })
    }

    /// The commit that HEAD is at; after a power cut that may be lost, and the base is not.
    fn head_to_save(&self, plan: &SavePlan) -> Result<ObjectId, GitProblem> {
        let head = self.git.resolve("HEAD")?.ok_or(GitProblem::NoFirstCommit)?;
        match &plan.base {
            Some(base) if head != *base.commit() && !self.git.has_commit(&head)? => {
                Ok(base.commit().clone())
            }
            _ => Ok(head),
        }
    }

    /// What is there, and the tree it is compared with.
    fn scan_to_save(
        &mut self,
        plan: &SavePlan,
        matcher: &Matcher<'_>,
    ) -> Result<(Scanned, ObjectId), GitProblem> {
        if let Some(base) = &plan.base {
            let opened = self.opened(base)?;
            let inspected = self.inspected.as_ref() == Some(base);
            if inspected
                && self.is_as_inspected(&opened, base.rules())
                && let Some(Latest { tree, image, .. }) = self.latest.take()
            {
                let index = self.scratch.index(Some(&image))?;
                return Ok((Scanned::again(index, image, tree), base.tree().clone()));
            }
            let listed = self.listed_since(&opened);
            let scanned = self.scan_from(base, &opened, matcher, &listed)?;
            return Ok((scanned, base.tree().clone()));
        }
        let (_, scene) = self.look_around(&plan.rules)?;
        let scene = scene.ok_or(GitProblem::NoFirstCommit)?;
        let start = super::scan::Start {
            image: Some(&scene.image),
            tree: &scene.tree,
            ignores: &scene.ignores,
            absent: &scene.flags.skipped,
            aside: &self.scratch.aside(OBJECTS),
        };
        let scanned = self.git.scan(&self.scratch, &start, matcher)?;
        let from = self.git.resolve("HEAD^{tree}")?.ok_or(GitProblem::NoFirstCommit)?;
        Ok((scanned, from))
    }

    /// Changed files beyond the caps, largest first.
    fn overflow(
        &self,
        plan: &SavePlan,
        from: &ObjectId,
        scanned: &Scanned,
    ) -> Result<Vec<Difference>, GitProblem> {
        let mut sizes: Vec<(u64, Difference)> = Vec::new();
        for found in self.git.diff(from, &scanned.tree)? {
            if let At::File { size } = self.git.place.look_at(&found.path) {
                sizes.push((size, found));
            }
        }
        let key = |(size, found): &(u64, Difference)| (*size, found.path.clone());
        sizes.sort_by_key(|one| std::cmp::Reverse(key(one)));
        let mut total: u64 = sizes.iter().map(|(size, _)| size).sum();
        let mut overflow = Vec::new();
        for (size, found) in sizes {
            if size <= plan.max_file_bytes && total <= plan.max_total_bytes {
                break;
            }
            total -= size;
            overflow.push(found);
        }
        Ok(overflow)
    }

    /// The commit that keeps a tree: the same one again if nothing changed, else on top of what the
    /// ref already keeps.
    fn saved_commit(
        &self,
        plan: &SavePlan,
        head: &ObjectId,
        tree: &ObjectId,
        before: Option<&ObjectId>,
    ) -> Result<ObjectId, GitProblem> {
        if let Some(before) = before
            && self.git.resolve(&format!("{before}^{{tree}}"))?.as_ref() == Some(tree)
            && self.git.resolve(&format!("{before}^1"))?.as_ref() == Some(head)
        {
            return Ok(before.clone());
        }
        let parents: Vec<&ObjectId> =
            [Some(head), before.filter(|before| *before != head)].into_iter().flatten().collect();
        let (name, email, message) = ("hast", "hast@localhost", plan.message.as_str());
        let commit = NewCommit { tree, parents: &parents, name, email, at: plan.at, message };
        self.git.make_commit(&commit)
    }

    pub(super) fn roll_back_tree(
        &mut self,
        base: &Base,
        saved: &Saved,
    ) -> Result<RolledBack, GitProblem> {
        self.scene = None;
        self.latest = None;
        self.git.place.open_repository();
        self.git.place.remove_left_locks(base.at());
        let opened = self.opened(base)?;
        let known = self.saved.take().filter(|known| known.commit == saved.work().commit);
        let known = known.ok_or_else(|| GitProblem::EditedSince { paths: Vec::new() })?;
        self.guard(base, &opened)?;
        // Before anything is moved: a branch that somebody else took away is not made up for.
        let refs = self.git.refs()?;
        let from = self.branch_now(base, &known, &refs)?;
        let aside = self.scratch.aside(&saved.work().name);
        let mut moved = self.move_overflow(&known.overflow, &aside)?;
        let index = self.scratch.index(Some(&known.image))?;
        let back = match self.back_from_added(base, &opened, &known)? {
            Some(back) => back,
            None => self.back_to(&index, &known.tree, base.tree(), &aside)?,
        };
        let handoffs = back.handoffs(&Matcher::new(base.rules()));
        moved.extend(back.moved);
        let mut expected = self.expected_refs(&opened).into_owned();
        expected.extend(kept_by_us(&refs, saved));
        let before = Before { refs: &expected, ..opened.before() };
        self.git.restore_refs(base, before, &refs)?;
        self.branch_back(base, from)?;
        self.end_operations(base, &opened)?;
        self.guard_again(base, &opened)?;
        // What was known of the files at the start holds; those that were given back have other
        // dates, and are read again.
        let image = match &opened.image {
            Some(image) => image.clone(),
            None => index.image()?,
        };
        self.index_back(base, &opened, &index)?;
        let ignored = self.give_back_ignored(base.key(), Next::AtBase);
        self.empty_back(base, &opened);
        self.keep_scene(base, &opened, image);
        self.forget_included();
        Ok(RolledBack { aside: lies_aside(&aside, &moved), ignored, handoffs })
    }

    /// The refs of a start, with what was saved since: a ref may have had the work of an earlier attempt of
    /// its name, where numbers began anew.
    pub(super) fn expected_refs<'o>(&self, opened: &'o Opened) -> Cow<'o, Refs> {
        let mut refs = Cow::Borrowed(&opened.snapshot.refs);
        for (name, id) in &self.own_saves {
            if refs.get(name).is_some_and(|was| was.id != *id) {
                refs.to_mut().insert(name.clone(), Target { id: id.clone(), follows: None });
            }
        }
        refs
    }

    fn move_overflow(&self, paths: &[Vec<u8>], aside: &Path) -> Result<Moved, GitProblem> {
        let mut moved = Moved::new();
        for path in paths {
            let at = self.git.place.move_aside(Home::Tree, path, aside)?;
            moved.extend(at.map(|at| (path.clone(), at)));
        }
        Ok(moved)
    }

    /// Files: git checks each one that it touches against the index, so that a file which somebody
    /// edited after the save stays.
    pub(super) fn back_to(
        &self,
        index: &ScratchFile,
        known: &ObjectId,
        wanted: &ObjectId,
        aside: &Path,
    ) -> Result<WentBack, GitProblem> {
        let differences = self.git.diff(known, wanted)?;
        let mut moved = Moved::new();
        if differences.is_empty() {
            return Ok(WentBack::default());
        }
        self.git.vouch_for(&differences)?;
        self.git.place.open_above(differences.iter().map(|found| &*found.path));
        for found in differences.iter().filter(|found| found.old.is_none()) {
            moved.extend(self.make_way(&found.path, aside)?);
        }
        let touched = differences.iter().filter(|found| found.old.is_some());
        let touched: Vec<&[u8]> = touched.map(|found| found.path.as_slice()).collect();
        let (from, to) = (known.as_str(), wanted.as_str());
        let back =
            || self.git.call(["read-tree", "-m", "-u", from, to]).index(&index.path).output();
        let mut output = back()?;
        if output.code != Some(0) {
            // Nothing was touched yet. It may only be that the index does not know a file's dates.
            self.git.refresh(index, &touched)?;
            output = back()?;
        }
        if output.code == Some(0) {
            self.git.is_of_tree(index, wanted)?;
            let gone = differences.into_iter().filter(|found| found.new.is_none());
            return Ok(WentBack { moved, gone: gone.map(|found| found.path).collect() });
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let paths: Vec<String> =
            text.lines().filter_map(|line| line.split('\'').nth(1)).map(str::to_owned).collect();
        if text.contains("not uptodate") || text.contains("would be overwritten") {
            return Err(GitProblem::EditedSince { paths });
        }
        let said = output.said();
        Err(GitProblem::Refused { command: "read-tree -m -u".to_owned(), said })
    }

    /// Something ignored may stand where a file must come back to.
    fn make_way(&self, path: &[u8], aside: &Path) -> Result<Option<Moving>, GitProblem> {
        let moving = |path: &[u8]| {
            let at = self.git.place.move_aside(Home::Tree, path, aside)?;
            Ok(at.map(|at| (path.to_vec(), at)))
        };
        for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            if matches!(self.git.place.look_at(&path[..at]), At::File { .. } | At::Link | At::Other)
            {
                return moving(&path[..at]);
            }
        }
        if self.git.place.look_at(path) == At::Nothing {
            return Ok(None);
        }
        moving(path)
    }

    /// Where the branch is, if that is saved or lost.
    fn branch_now(
        &self,
        base: &Base,
        known: &SavedTree,
        refs: &Refs,
    ) -> Result<Option<ObjectId>, GitProblem> {
        let name = base.branch().to_owned();
        // One that points at what is lost may not be listed.
        let from = match refs.get(&name) {
            Some(target) => Some(target.id.clone()),
            None => self.git.resolve(&name)?,
        };
        let expected = [&known.head, base.commit()];
        let lost = match &from {
            Some(from) if !expected.contains(&from) => !self.git.has_commit(from)?,
            _ => false,
        };
        if !lost && !from.as_ref().is_some_and(|from| expected.contains(&from)) {
            return Err(GitProblem::Moved {
                name,
                expected: Some(known.head.clone()),
                found: from,
            });
        }
        Ok(from)
    }

    fn branch_back(&self, base: &Base, from: Option<ObjectId>) -> Result<(), GitProblem> {
        let (name, to) = (base.branch().to_owned(), Some(base.commit().clone()));
        if from != to {
            self.git.move_refs(&[Move { name, from, to }])?;
        }
        if self.git.head()? != super::refs::HeadNow::Branch(base.branch().to_owned()) {
            self.git.call(["symbolic-ref", "-m", "hast", "HEAD", base.branch()]).synced().run()?;
        }
        Ok(())
    }

    /// The user's index as it was; one that nobody remembers is made again, with its flags.
    fn index_back(
        &self,
        base: &Base,
        opened: &Opened,
        index: &ScratchFile,
    ) -> Result<(), GitProblem> {
        if let Some(users) = &opened.users {
            if users.is_installed(&self.git) {
                return Ok(());
            }
            return users.install(&self.git, &self.scratch);
        }
        // What the user had not staged, or staged otherwise, is in the tree and not in the index.
        if let Some(tree) = &opened.snapshot.index {
            let staged = self.git.diff(base.tree(), tree)?;
            let staged: Vec<Entry> = staged.iter().map(Difference::new_entry).collect();
            self.git.set_entries(index, &staged)?;
        }
        let flags = &opened.snapshot.flags;
        let skipped: Vec<&[u8]> = flags.skipped.iter().map(Vec::as_slice).collect();
        let assumed: Vec<&[u8]> = flags.assumed.iter().map(Vec::as_slice).collect();
        self.git.mark(index, "--skip-worktree", &skipped)?;
        self.git.mark(index, "--assume-unchanged", &assumed)?;
        index.image()?.install(&self.git, &self.scratch)
    }

    /// A dead attempt changed nothing that shows in the tree: what was staged when it began is staged again. An
    /// index with conflicts, or none, is left for whoever looks at it.
    pub(super) fn staged_again(&self, base: &Base, opened: &Opened) -> Result<(), GitProblem> {
        let Some(users) = IndexImage::of_user(&self.git)? else { return Ok(()) };
        let index = self.scratch.index(Some(&users))?;
        let Ok((now, _)) = self.git.tree_of_index(&index, users) else { return Ok(()) };
        let wanted = opened.snapshot.index.as_ref().unwrap_or(base.tree());
        let differences = self.git.diff(&now, wanted)?;
        if differences.is_empty() {
            return Ok(());
        }
        let entries: Vec<Entry> = differences.iter().map(Difference::new_entry).collect();
        self.git.set_entries(&index, &entries)?;
        index.image()?.install(&self.git, &self.scratch)
    }

    /// The next attempt may start from here without another look, if this process saw the first one.
    fn keep_scene(&mut self, base: &Base, opened: &Opened, image: IndexImage) {
        if opened.users.is_none() {
            return;
        }
        self.scene = Some(Scene {
            head: Head::Branch { name: base.branch().to_owned(), commit: base.commit().clone() },
            tree: base.tree().clone(),
            image,
            users: opened.users.clone(),
            flags: opened.snapshot.flags.clone(),
            gitlinks: opened.gitlinks.clone(),
            ignores: opened.snapshot.ignores.clone(),
            guarded: opened.snapshot.guarded.clone(),
            ignored: opened.snapshot.ignored.clone(),
            since: None,
            around: None,
            seen: SceneOf::AttemptBefore,
        });
    }
}

/// Branches that keep this very work were made after it was saved, and not by the attempt.
fn kept_by_us<'r>(
    refs: &'r Refs,
    saved: &'r Saved,
) -> impl Iterator<Item = (String, Target)> + use<'r> {
    let ours = |(name, target): &(&String, &Target)| {
        name.starts_with(KEPT) && target.follows.is_none() && target.id == saved.work().commit
    };
    let owned = |(name, target): (&String, &Target)| (name.clone(), target.clone());
    refs.iter().filter(ours).map(owned)
}
