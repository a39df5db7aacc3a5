//! Work of somebody else into a tree of ours. It becomes a tree of git first, without any file: what
//! git refuses there, and what is too large, never reaches the disk.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::{DeliverPlan, Delivered, Target, Worktrees};

use super::checkout::Checkout;
use super::diff::Difference;
use super::index::{Entry, ScratchFile, object};
use super::paths::shown;
use super::rooms::RealWorktrees;

/// How many files a delivery may change.
const MOST_FILES: usize = 20_000;
/// How much of git's words is repeated.
const SAID: usize = 300;
const GITLINK: &str = "160000";

impl RealWorktrees {
    pub(super) fn has_on(
        &self,
        onto: Option<&Target>,
        commit: &ObjectId,
    ) -> Result<bool, GitProblem> {
        let name = match onto {
            Some(Target::Branch(name)) => name.as_str(),
            Some(Target::Detached) | None => "HEAD",
        };
        let git = &self.main.git;
        let Some(tip) = git.resolve(name)? else { return Ok(false) };
        Ok(git.has_commit(commit)? && (tip == *commit || git.is_ancestor(commit, &tip)?))
    }

    /// Puts the work into its tree, or tells why it does not fit.
    pub(super) fn deliver_into(
        &mut self,
        plan: &DeliverPlan,
    ) -> Result<Option<String>, GitProblem> {
        self.main.reread_config()?;
        let head = match &plan.work {
            Delivered::Patch(_) => plan.base.clone(),
            Delivered::Branch { name, commit } => {
                if let Some(why) = self.main.not_from(&plan.base, name, commit)? {
                    return Ok(Some(why));
                }
                commit.clone()
            }
        };
        let main = &self.main;
        let index = main.scratch_index()?;
        main.git.read_tree(&index, &head)?;
        if let Delivered::Patch(text) = &plan.work
            && let Some(why) = main.apply(&index, text)?
        {
            return Ok(Some(why));
        }
        let mut tree = main.git.write_tree(&index)?;
        if let Some((path, text)) = &plan.file
            && !main.git.has_entry(&tree, path.as_bytes())?
        {
            let call = main.git.call(["hash-object", "-w", "--stdin", "--no-filters"]);
            let blob = object(&call.synced().input(text.clone().into_bytes()).line()?)?;
            let (path, mode) = (path.clone().into_bytes(), "100644".to_owned());
            main.git.set_entries(&index, &[Entry { path, mode, object: Some(blob) }])?;
            tree = main.git.write_tree(&index)?;
        }
        if let Some(why) = main.objection(plan, &tree)? {
            return Ok(Some(why));
        }
        // Also over what an earlier try had written before it was cut off.
        self.bring(&plan.tree, &plan.base)?;
        self.workspace(&plan.tree)?.take_delivery(&head, &tree)?;
        Ok(None)
    }
}

impl Checkout {
    /// Why a branch is none that was made for the task.
    fn not_from(
        &self,
        base: &ObjectId,
        name: &str,
        commit: &ObjectId,
    ) -> Result<Option<String>, GitProblem> {
        let full = match name {
            _ if name.starts_with("refs/heads/") || name.starts_with("refs/remotes/") => {
                name.to_owned()
            }
            _ => format!("refs/heads/{name}"),
        };
        let found = self.git.resolve(&full)?;
        if found.as_ref() != Some(commit) {
            let at = found.map_or_else(|| "-".to_owned(), |id| id.to_string());
            return Ok(Some(format!("{full} is at {at}, not at {commit}")));
        }
        if !self.git.has_commit(commit)? || !self.git.is_ancestor(base, commit)? {
            return Ok(Some(format!("{full} does not begin at {base}")));
        }
        Ok(None)
    }

    /// A patch onto an index, all of it or nothing; what git says where it does not go.
    fn apply(&self, index: &ScratchFile, patch: &str) -> Result<Option<String>, GitProblem> {
        let call = self.git.call(["apply", "--cached", "--whitespace=nowarn"]);
        let call = call.args(["--no-ignore-whitespace", "-p1", "-"]).index(&index.path);
        // Names that mean `.git` on other systems do not pass here either.
        let call = call.setting("core.protectHFS", "true").setting("core.protectNTFS", "true");
        let output = call.input(patch.as_bytes().to_vec()).synced().output()?;
        if output.code == Some(0) {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Ok(Some(first.chars().take(SAID).collect()))
    }

    /// What would fill the disk before anybody could judge it, and what no work tree shows.
    fn objection(&self, plan: &DeliverPlan, tree: &ObjectId) -> Result<Option<String>, GitProblem> {
        let found = self.git.diff(&self.git.tree_of(&plan.base)?, tree)?;
        if found.len() > MOST_FILES {
            return Ok(Some(format!("{} files, at most {MOST_FILES}", found.len())));
        }
        let module = |found: &&Difference| found.new_mode == GITLINK && found.old_mode != GITLINK;
        if let Some(found) = found.iter().find(module) {
            return Ok(Some(format!("{}: a submodule", shown(&found.path))));
        }
        let files: Vec<(&Difference, &ObjectId)> = found
            .iter()
            .filter(|found| found.new_mode != GITLINK)
            .filter_map(|found| Some((found, found.new.as_ref()?)))
            .collect();
        let ids: String = files.iter().map(|(_, id)| format!("{id}\n")).collect();
        let call = self.git.call(["cat-file", "--batch-check=%(objectsize)"]);
        let sizes = call.input(ids.into_bytes()).run()?;
        let mut total: u64 = 0;
        for (line, (found, _)) in String::from_utf8_lossy(&sizes).lines().zip(files) {
            let size = line.trim().parse().unwrap_or(u64::MAX);
            total = total.saturating_add(size);
            if size > plan.max_file_bytes || total > plan.max_total_bytes {
                return Ok(Some(format!("{}: {size} bytes", shown(&found.path))));
            }
        }
        Ok(None)
    }
}
