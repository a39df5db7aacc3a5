//! What differs between two trees, in lines; and taking work out of a tree that is not the base of
//! anything: only what is as that work left it becomes what HEAD has.

use std::collections::BTreeSet;

use hast_flow::attempt::base::{ObjectId, Saved, TreeRules};
use hast_flow::attempt::evidence::Change;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{DiffLine, RolledBack};

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

impl RealWorkspace {
    pub(super) fn take_out(
        &mut self,
        (from, work): (&ObjectId, &ObjectId),
        saved: &Saved,
        rules: &TreeRules,
    ) -> Result<RolledBack, GitProblem> {
        self.scene = None;
        self.latest = None;
        let known = self.saved.take().filter(|known| known.commit == saved.work().commit);
        let known = known.ok_or_else(|| GitProblem::EditedSince { paths: Vec::new() })?;
        let head = self.git.resolve("HEAD")?.ok_or(GitProblem::NoFirstCommit)?;
        let entries = self.entries_of_head((from, work), &known.tree, &head, rules)?;
        let aside = self.scratch.aside(&saved.work().name);
        let wanted = self.scratch.index(Some(&known.image))?;
        self.git.set_entries(&wanted, &entries)?;
        let wanted = self.git.write_tree(&wanted)?;
        let index = self.scratch.index(Some(&known.image))?;
        let moved = self.back_to(&index, &known.tree, &wanted, &aside)?;
        // What the user had staged of it goes too.
        if let Some(users) = IndexImage::of_user(&self.git)? {
            let index = self.scratch.index(Some(&users))?;
            self.git.set_entries(&index, &entries)?;
            let image = index.image()?;
            if !image.has_bytes_of(&users) {
                image.install(&self.git, &self.scratch)?;
            }
        }
        Ok(RolledBack { aside: lies_aside(&aside, &moved) })
    }

    /// What HEAD has at the paths of some work that are still as it left them.
    fn entries_of_head(
        &self,
        (from, work): (&ObjectId, &ObjectId),
        now: &ObjectId,
        head: &ObjectId,
        rules: &TreeRules,
    ) -> Result<Vec<Entry>, GitProblem> {
        let matcher = Matcher::new(rules);
        let stays = |path: &[u8]| {
            matcher.is_left_out(path)
                || matcher.is_protected(path)
                || matcher.is_left_by_tests(path)
        };
        let changed: BTreeSet<Vec<u8>> =
            self.git.diff(work, now)?.into_iter().map(|found| found.path).collect();
        let ours: BTreeSet<Vec<u8>> = self
            .git
            .diff(from, work)?
            .into_iter()
            .map(|found| found.path)
            .filter(|path| !stays(path) && !changed.contains(path))
            .collect();
        let back = self.git.diff(now, &self.git.tree_of(head)?)?;
        let back = back.iter().filter(|found| ours.contains(&found.path));
        Ok(back.map(Difference::new_entry).collect())
    }
}
