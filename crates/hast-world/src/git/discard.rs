//! What differs between two trees, in lines; and taking work out of a tree that is not the base of
//! anything: only what is as that work left it becomes what HEAD has, or what was uncommitted before.

use std::collections::BTreeSet;

use hast_flow::attempt::base::{ObjectId, Saved, TreeRules};
use hast_flow::attempt::evidence::Change;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{DiffLine, LeftWork, RolledBack};

use super::RealWorkspace;
use super::aside::lies_aside;
use super::index::{Entry, IndexImage};
use super::paths::{Matcher, repo_path};
use super::run::Git;
use super::scan::Difference;

impl Git {
    /// As [`Git::diff`], with the lines that came and went.
    pub(super) fn diff_lines(
        &self,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Vec<DiffLine>, GitProblem> {
        let differences = self.diff(from, to)?;
        if differences.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.call(["diff-tree", "-r", "-z", "--numstat", "--no-renames"]);
        let call = call.args(["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]);
        let bytes = call.args([from.as_str(), to.as_str()]).run()?;
        let counts: std::collections::BTreeMap<&[u8], (u64, u64)> =
            bytes.split(|byte| *byte == 0).filter_map(counted).collect();
        let line = |found: &Difference| DiffLine {
            change: Change { path: repo_path(&found.path), kind: found.kind() },
            lines: counts.get(found.path.as_slice()).copied(),
        };
        Ok(differences.iter().map(line).collect())
    }
}

impl Git {
    /// Lines and files that differ, with renames found: what moved and stayed the same is no line.
    pub(super) fn measure(
        &self,
        from: &ObjectId,
        to: &ObjectId,
        leave_out: &[String],
    ) -> Result<(u64, u64), GitProblem> {
        let call = self.call(["diff-tree", "-r", "-z", "--numstat", "-M", "-l1000"]);
        let call = call.args(["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]);
        let call = call.args([from.as_str(), to.as_str(), "--", ":(top)"]);
        let leave_out = leave_out.iter().map(|path| format!(":(top,exclude){path}"));
        let bytes = call.args(leave_out).run()?;
        let (mut lines, mut files) = (0, 0);
        let mut entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        while let Some(entry) = entries.next() {
            files += 1;
            if let Some((_, (added, removed))) = counted(entry) {
                lines += added + removed;
            }
            // Of a renamed file the old and the new path follow.
            let path = entry.splitn(3, |byte| *byte == b'\t').nth(2);
            if path.is_some_and(<[u8]>::is_empty) {
                entries.next();
                entries.next();
            }
        }
        Ok((lines, files))
    }
}

/// `added TAB removed TAB path`; dashes stand where it is no text.
fn counted(entry: &[u8]) -> Option<(&[u8], (u64, u64))> {
    let mut parts = entry.splitn(3, |byte| *byte == b'\t');
    let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
    let (added, removed) = (number()?, number()?);
    Some((parts.next()?, (added, removed)))
}

/// What becomes of the paths of some work that are still as it left them.
struct Cleared {
    /// In the tree: what HEAD has, or what was uncommitted there before the work began.
    files: Vec<Entry>,
    /// In the user's index: what HEAD has.
    staged: Vec<Entry>,
}

impl RealWorkspace {
    pub(super) fn take_out(
        &mut self,
        left: &LeftWork,
        saved: &Saved,
        rules: &TreeRules,
    ) -> Result<RolledBack, GitProblem> {
        self.scene = None;
        self.latest = None;
        let known = self.saved.take().filter(|known| known.commit == saved.work().commit);
        let known = known.ok_or_else(|| GitProblem::EditedSince { paths: Vec::new() })?;
        let head = self.git.resolve("HEAD")?.ok_or(GitProblem::NoFirstCommit)?;
        let cleared = self.cleared(left, &known.tree, &head, rules)?;
        let aside = self.scratch.aside(&saved.work().name);
        let wanted = self.scratch.index(Some(&known.image))?;
        self.git.set_entries(&wanted, &cleared.files)?;
        let wanted = self.git.write_tree(&wanted)?;
        let index = self.scratch.index(Some(&known.image))?;
        let back = self.back_to(&index, &known.tree, &wanted, &aside)?;
        // What the user had staged of it goes too.
        if let Some(users) = IndexImage::of_user(&self.git)? {
            let index = self.scratch.index(Some(&users))?;
            self.git.set_entries(&index, &cleared.staged)?;
            let image = index.image()?;
            if !image.has_bytes_of(&users) {
                image.install(&self.git, &self.scratch)?;
            }
        }
        let handoffs = back.handoffs(&Matcher::new(rules));
        Ok(RolledBack { aside: lies_aside(&aside, &back.moved), handoffs, ..RolledBack::default() })
    }

    fn cleared(
        &self,
        left: &LeftWork,
        now: &ObjectId,
        head: &ObjectId,
        rules: &TreeRules,
    ) -> Result<Cleared, GitProblem> {
        let matcher = Matcher::new(rules);
        let stays = |path: &[u8]| {
            matcher.is_left_out(path)
                || matcher.is_protected(path)
                || matcher.is_left_by_tests(path)
        };
        let LeftWork { base, from, work, within } = left;
        // An earlier hast kept no hold of that tree: then the commit it stood on has to do.
        let from = if self.git.missing(&[from])?.is_empty() { from } else { base };
        let changed: BTreeSet<Vec<u8>> =
            self.git.diff(work, now)?.into_iter().map(|found| found.path).collect();
        let ours: BTreeSet<Vec<u8>> = self
            .git
            .diff(from, work)?
            .into_iter()
            .map(|found| found.path)
            .filter(|path| !stays(path) && !changed.contains(path))
            .filter(|path| within.as_ref().is_none_or(|home| path.starts_with(home.as_bytes())))
            .collect();
        let mut staged = self.git.diff(now, &self.git.tree_of(head)?)?;
        staged.retain(|found| ours.contains(&found.path));
        let mut uncommitted = self.git.diff(base, from)?;
        uncommitted.retain(|found| ours.contains(&found.path));
        if !uncommitted.is_empty() {
            // What was committed there since is newer than what was uncommitted then.
            let since = self.git.diff(base, head)?;
            uncommitted.retain(|found| !since.iter().any(|other| other.path == found.path));
        }
        let theirs = |path: &[u8]| uncommitted.iter().any(|found| found.path == path);
        let of_head = staged.iter().filter(|found| !theirs(&found.path));
        let files = of_head.chain(&uncommitted).map(Difference::new_entry).collect();
        Ok(Cleared { files, staged: staged.iter().map(Difference::new_entry).collect() })
    }
}
