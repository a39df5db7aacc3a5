//! The port `Workspace` for the user's checkout: what hast may do there. It looks, commits single files
//! for the user, brings saved work back when asked, and reads and keeps refs. No agent works there.

use std::path::Path;
use std::time::Duration;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::Change;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, HookVerdict, Looked, OwnRef, RolledBack, SavePlan, TreeFile,
    Workspace,
};

use super::config::Config;
use super::diff::Difference;
use super::index::{Entry, ScratchFile, disk, list, object};
use super::place::Place;
use super::refs::HeadNow;
use super::run::{Call, Git, GitEnvironment};

/// A checkout of the user's, with its repository. It remembers nothing but the configuration.
#[derive(Debug)]
pub struct Checkout {
    pub(super) git: Git,
    config: Config,
    /// How long a merge waits for a user who is in the middle of something.
    pub(super) patience: Duration,
}

/// The same where nothing else is said: a rebase of a few commits has ended by then.
const PATIENCE: Duration = Duration::from_secs(30);

impl Checkout {
    /// The checkout whose top a directory is.
    pub fn open(top: &Path, environment: GitEnvironment) -> Result<Self, GitProblem> {
        let (git, config) = Git::open(Place::find(top)?, environment)?;
        git.place.sweep_scratch();
        Ok(Self { git, config, patience: PATIENCE })
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// People change their configuration meanwhile.
    pub(super) fn reread_config(&mut self) -> Result<(), GitProblem> {
        self.config = Config::read(&self.git)?;
        self.git.overrides = self.config.overrides.clone();
        Ok(())
    }

    /// An empty index of hast's.
    pub(super) fn scratch_index(&self) -> Result<ScratchFile, GitProblem> {
        self.git.place.scratch("index")
    }

    /// A copy of the user's index, with the dates that tell git which entries to look at twice; a commit's
    /// where the user has none.
    pub(super) fn copied_index(&self, commit: &ObjectId) -> Result<ScratchFile, GitProblem> {
        let (users, copy) = (self.git.place.git_dir.join("index"), self.scratch_index()?);
        if !users.exists() {
            self.git.read_tree(&copy, commit)?;
            return Ok(copy);
        }
        let failed = |error: std::io::Error| disk(&copy.path, error);
        std::fs::copy(&users, &copy.path).map_err(failed)?;
        let date = std::fs::metadata(&users).and_then(|there| there.modified()).map_err(failed)?;
        let file = std::fs::File::options().write(true).open(&copy.path);
        file.and_then(|file| file.set_modified(date)).map_err(failed)?;
        Ok(copy)
    }

    /// Lets the user's index have what differs between two commits, under git's own lock. The files are there
    /// already; entries of other paths stay as they are.
    pub(super) fn index_follows(
        &self,
        differences: &[Difference],
        to: &ObjectId,
    ) -> Result<(), GitProblem> {
        let git = &self.git;
        let index = git.place.git_dir.join("index");
        if !index.exists() {
            return self.changing_index(|| git.call(["read-tree", to.as_str()]));
        }
        if differences.is_empty() {
            return Ok(());
        }
        let entries: Vec<Entry> = differences.iter().map(Difference::new_entry).collect();
        let mut left_out = self.left_out_of_sparse(differences)?;
        left_out.retain(|path| entries.iter().any(|one| one.path == *path && one.object.is_some()));
        self.changing_index(|| git.setting_entries(&entries))?;
        if !left_out.is_empty() {
            let mark = || git.call(["update-index", "-z", "--skip-worktree", "--stdin"]);
            self.changing_index(|| mark().input(list(&left_out)))?;
        }
        let there = differences.iter().filter(|one| one.new.is_some());
        let there: Vec<&[u8]> = there.map(|one| one.path.as_slice()).collect();
        // It only says which files are as the index has them; git finds that out later too.
        let _ = self.changing_index(|| git.refreshing(&there));
        Ok(())
    }

    /// Runs a command that writes the user's index, once more where it was killed: its lock goes with it.
    fn changing_index<'g>(&self, call: impl Fn() -> Call<'g>) -> Result<(), GitProblem> {
        let run = || call().users_index().synced().run().map(|_| ());
        let git_dir = &self.git.place.git_dir;
        let ran = match run() {
            Err(GitProblem::Killed { .. }) => {
                self.git.place.remove_unheld(vec![git_dir.join("index.lock")]);
                run()
            }
            other => other,
        };
        ran.map_err(|problem| match problem {
            // Git does not say which file it could not write.
            GitProblem::Refused { said, .. } => GitProblem::NotWritten {
                said: format!("{}: {said}", git_dir.join("index").display()),
            },
            other => other,
        })
    }

    /// Those of some paths that a sparse checkout leaves out.
    pub(super) fn left_out_of_sparse(
        &self,
        all: &[Difference],
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let listed = self.git.call(["ls-files", "-z", "-t"]).users_index().run()?;
        let skipped = listed.split(|byte| *byte == 0).filter_map(|line| line.strip_prefix(b"S "));
        let skipped: std::collections::BTreeSet<&[u8]> = skipped.collect();
        let out = all.iter().filter(|one| skipped.contains(&*one.path));
        Ok(out.map(|one| one.path.clone()).collect())
    }

    /// The tree of a commit with one file as the user's checkout has it, or as a text says.
    fn tree_with_file(&self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let git = &self.git;
        let (path, call) = match &plan.content {
            Content::Tree(tree) => return Ok(tree.clone()),
            Content::Text { path, text } => {
                let call = git.call(["hash-object", "-w", "--stdin", "--no-filters"]);
                (path, call.input(text.clone().into_bytes()))
            }
            Content::File { path } => {
                self.nothing_under_way()?;
                (path, git.call(["hash-object", "-w", "--path", path, "--", path]))
            }
        };
        let object = Some(object(&call.synced().line()?)?);
        let (path, mode) = (path.as_bytes().to_vec(), "100644".to_owned());
        self.with_entry(&plan.parent, Entry { path, mode, object })
    }

    /// The tree of a commit, or a tree, with one other entry.
    pub(super) fn with_entry(&self, tree: &ObjectId, entry: Entry) -> Result<ObjectId, GitProblem> {
        let index = self.scratch_index()?;
        self.git.read_tree(&index, tree)?;
        self.git.set_entries(&index, &[entry])?;
        self.git.write_tree(&index)
    }

    fn is_on(&self, branch: &str) -> Result<bool, GitProblem> {
        Ok(match self.git.head()? {
            HeadNow::Branch(name) => name == branch,
            HeadNow::Detached => branch == "HEAD",
        })
    }
}

impl Workspace for Checkout {
    fn look(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        self.reread_config()?;
        self.config.refuse_own_filters()?;
        self.git.look(rules)
    }

    fn record(&mut self, _: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        Err(only_in_a_room("record"))
    }

    fn inspect(&mut self, _: &Base) -> Result<Inspection, GitProblem> {
        Err(only_in_a_room("inspect"))
    }

    fn save(&mut self, _: &SavePlan) -> Result<SavedWork, GitProblem> {
        Err(only_in_a_room("save"))
    }

    fn roll_back(&mut self, _: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        Err(only_in_a_room("roll back"))
    }

    fn run_hooks(&mut self, _: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        Err(only_in_a_room("hooks"))
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        self.reread_config()?;
        let tree = self.tree_with_file(plan)?;
        self.git.planned_commit(plan, &tree, self.config.signature())
    }

    fn advance(&mut self, branch: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        // The branch comes last, as in a merge: with an index that is behind it, the user's next commit would
        // take the file back.
        if self.is_on(branch)? {
            self.index_follows(&self.git.diff(from, to)?, to)?;
        }
        self.git.advance(branch, from, to)
    }

    fn stands_on(&mut self, branch: &str) -> Result<(), GitProblem> {
        if self.is_on(branch)? {
            return Ok(());
        }
        let found = match self.git.head()? {
            HeadNow::Branch(name) => name,
            HeadNow::Detached => "HEAD".to_owned(),
        };
        Err(GitProblem::OtherBranch { name: branch.to_owned(), found })
    }

    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        self.git.keep_work(branch, commit)
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.git.diff_lines(from, to)
    }

    fn restore(
        &mut self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        self.restore_work(name, since, rules)
    }

    fn read(&mut self, tree: &ObjectId, paths: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        self.git.files_of(tree, paths)
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        self.git.own_refs()
    }

    fn delete_refs(&mut self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        self.git.delete_own(refs)
    }
}

fn only_in_a_room(command: &str) -> GitProblem {
    let said = "no agent works in the checkout".to_owned();
    GitProblem::Refused { command: command.to_owned(), said }
}
