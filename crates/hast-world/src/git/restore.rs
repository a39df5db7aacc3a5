//! Saved work into the tree again, never over anything of the user's.

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::evidence::{Change, ChangeKind};
use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::index::{Entry, ScratchFile};
use super::paths::{Matcher, repo_path};
use super::scan::{Difference, Start};
use super::true_objects::OBJECTS;
use super::way::named;

impl RealWorkspace {
    /// Saved work into the tree again. Only paths that are as they were before it, or as it has
    /// them, are touched.
    pub(super) fn restore_work(
        &mut self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        let lost = || GitProblem::Lost { what: name.to_owned() };
        let commit = self.git.resolve(name)?.ok_or_else(lost)?;
        let before = match since {
            Some(since) => since.clone(),
            None => self.git.resolve(&format!("{commit}^1"))?.ok_or_else(lost)?,
        };
        let matcher = Matcher::new(rules);
        let mut work = self.git.diff(&self.git.tree_of(&before)?, &self.git.tree_of(&commit)?)?;
        work.retain(|found| {
            !matcher.is_left_out(&found.path) && !matcher.is_protected(&found.path)
        });
        let (_, scene) = self.look_around(rules)?;
        let scene = scene.ok_or(GitProblem::NoFirstCommit)?;
        let start = Start {
            image: Some(&scene.image),
            tree: &scene.tree,
            ignores: &scene.ignores,
            absent: &scene.flags.skipped,
            aside: &self.scratch.aside(OBJECTS),
        };
        let scanned = self.git.scan(&self.scratch, &start, &matcher)?;
        let index = self.scratch.index(Some(&scanned.image))?;
        let old: Vec<Entry> = work.iter().map(Difference::old_entry).collect();
        self.git.set_entries(&index, &old)?;
        let as_before = self.git.write_tree(&index)?;
        let new: Vec<Entry> = work.iter().map(Difference::new_entry).collect();
        self.git.set_entries(&index, &new)?;
        let wanted = self.git.write_tree(&index)?;
        let to_do = self.git.diff(&scanned.tree, &wanted)?;
        let edited = self.git.diff(&scanned.tree, &as_before)?.into_iter().map(|found| found.path);
        let mut users_own: Vec<Vec<u8>> =
            edited.filter(|path| to_do.iter().any(|step| step.path == *path)).collect();
        users_own.extend(self.unlike_wanted(&index, &to_do)?);
        if !users_own.is_empty() {
            return Err(GitProblem::InTheWay { paths: named(users_own) });
        }
        let touched = to_do.iter().filter(|found| found.old.is_some());
        let touched: Vec<&[u8]> = touched.map(|found| found.path.as_slice()).collect();
        self.git.vouch_for(&to_do)?;
        self.git.refresh(&scanned.index, &touched)?;
        let call = self.git.call(["read-tree", "-m", "-u", scanned.tree.as_str(), wanted.as_str()]);
        call.index(&scanned.index.path).run()?;
        let changed =
            |found: &Difference| Change { path: repo_path(&found.path), kind: kind(found) };
        Ok(work.iter().map(changed).collect())
    }

    /// What no tree knows of, ignored by now, is the user's too: git would write over it.
    fn unlike_wanted(
        &self,
        wanted: &ScratchFile,
        to_do: &[Difference],
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let way = self.git.place.way_for(to_do);
        let there: Vec<&[u8]> = way.there.into_iter().collect();
        let mut users_own = self.git.unlike(wanted, &there)?;
        users_own.extend(way.blocked);
        Ok(users_own)
    }
}

fn kind(found: &Difference) -> ChangeKind {
    match (&found.old, &found.new) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        _ => ChangeKind::Modified,
    }
}
