//! The difference between two trees: paths, kinds of change, and lines. Renames are not guessed at but
//! where lines are counted.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::evidence::{Change, ChangeKind};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::DiffLine;

use super::index::{Entry, object};
use super::paths::repo_path;
use super::run::{Call, Git};

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
    pub(super) fn old_entry(&self) -> Entry {
        Entry { path: self.path.clone(), mode: self.old_mode.clone(), object: self.old.clone() }
    }

    pub(super) fn new_entry(&self) -> Entry {
        Entry { path: self.path.clone(), mode: self.new_mode.clone(), object: self.new.clone() }
    }

    pub(super) fn reversed(&self) -> Self {
        Self {
            path: self.path.clone(),
            old_mode: self.new_mode.clone(),
            new_mode: self.old_mode.clone(),
            old: self.new.clone(),
            new: self.old.clone(),
        }
    }

    pub(super) fn kind(&self) -> ChangeKind {
        match (&self.old, &self.new) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (old, new) if old == new => ChangeKind::Mode,
            _ => ChangeKind::Modified,
        }
    }

    pub(super) fn change(&self) -> Change {
        Change { path: repo_path(&self.path), kind: self.kind() }
    }
}

impl Git {
    /// Paths that two commits or trees have differently.
    pub(super) fn diff(
        &self,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Vec<Difference>, GitProblem> {
        if from == to {
            return Ok(Vec::new());
        }
        let call = self.diff_tree(&["--raw", "--no-renames", "--no-abbrev"], from, to);
        parse_raw(&call.run()?)
    }

    /// The same, with the lines that came and went.
    pub(super) fn diff_lines(
        &self,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Vec<DiffLine>, GitProblem> {
        let differences = self.diff(from, to)?;
        if differences.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = self.diff_tree(&["--numstat", "--no-renames"], from, to).run()?;
        let counts: BTreeMap<&[u8], (u64, u64)> =
            bytes.split(|byte| *byte == 0).filter_map(counted).collect();
        let line = |found: &Difference| DiffLine {
            change: found.change(),
            lines: counts.get(found.path.as_slice()).copied(),
        };
        Ok(differences.iter().map(line).collect())
    }

    /// Lines and files that differ, with renames found: a file that moved and stayed the same has no line.
    pub(super) fn measure(
        &self,
        from: &ObjectId,
        to: &ObjectId,
        leave_out: &[String],
    ) -> Result<(u64, u64), GitProblem> {
        let call = self.diff_tree(&["--numstat", "-M", "-l1000"], from, to).args(["--", ":(top)"]);
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

    fn diff_tree(&self, format: &[&str], from: &ObjectId, to: &ObjectId) -> Call<'_> {
        let call =
            self.call(["diff-tree", "-r", "-z", "--no-ext-diff", "--no-textconv"]).fetching();
        let call = call.args(["--ignore-submodules=none"]).args(format);
        call.args([from.as_str(), to.as_str()])
    }

    pub(super) fn has_entry(&self, tree: &ObjectId, path: &[u8]) -> Result<bool, GitProblem> {
        let call = self.call(["ls-tree", "-z", tree.as_str(), "--"]);
        Ok(!call.args([OsStr::from_bytes(path)]).run()?.is_empty())
    }
}

/// `added TAB removed TAB path`; dashes stand where it is no text.
fn counted(entry: &[u8]) -> Option<(&[u8], (u64, u64))> {
    let mut parts = entry.splitn(3, |byte| *byte == b'\t');
    let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
    let (added, removed) = (number()?, number()?);
    Some((parts.next()?, (added, removed)))
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
