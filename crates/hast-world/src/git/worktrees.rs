//! The port `Worktrees` with the git binary: trees below one directory, each with an entry and a
//! branch. Found by what the repository says of them, never through a `.git` file that an agent had.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hast_flow::attempt::base::{ObjectId, Saved, SavedWork};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, Head, SavePlan, perform};
use hast_flow::attempt::worktrees::{
    Added, DeliverPlan, FoundTree, LANES, MergePlan, Removed, Replay, Spent, Standing, Target,
    TreeName, TreePlan, TreeState, Waits, Worktrees,
};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::index::disk;
use super::place::is_a_place_of_ours;
use super::refs::{HeadNow, Move};
use super::{GitEnvironment, Place, RealWorkspace};

/// Where things of ours are in a git directory, and how entries that are to go are called there.
const SCRATCH: &str = "hast";
const GONE: &[u8] = b"gone-";
/// How long somebody who still writes is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// What of an earlier tree is saved: one file, and all of them.
const SAVED_FILE_BYTES: u64 = 64 << 20;
const SAVED_BYTES: u64 = 1 << 30;

/// The work trees of a repository below one directory.
#[derive(Debug)]
pub struct RealWorktrees {
    pub(super) main: RealWorkspace,
    environment: GitEnvironment,
    directory: PathBuf,
}

/// The entry that the repository has of a tree.
#[derive(Clone, Debug)]
struct Entry {
    git_dir: PathBuf,
    state: EntryState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryState {
    Whole,
    /// Git was not done with making it.
    HalfMade,
    /// Somebody took parts of it away.
    Broken,
}

impl RealWorktrees {
    /// The trees in `directory`, of the repository whose work tree has its top at `top`.
    pub fn open(
        top: &Path,
        directory: &Path,
        environment: GitEnvironment,
    ) -> Result<Self, GitProblem> {
        let main = RealWorkspace::open(top, environment.clone())?;
        is_a_place_of_ours(&main.git.place.top, directory)?;
        let trees = Self { main, environment, directory: directory.to_owned() };
        for gone in directories(&trees.main.git.place.common_dir.join(SCRATCH))? {
            if gone.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(GONE)) {
                remove_all(&gone)?;
            }
        }
        Ok(trees)
    }

    /// Where a tree is, for whoever works in it.
    pub fn place(&self, tree: &TreeName) -> Result<Place, GitProblem> {
        let top = self.path(tree);
        let none = || GitProblem::NotARepository { path: top.display().to_string() };
        let entry = self.entries()?.remove(tree).filter(|entry| entry.state == EntryState::Whole);
        let git_dir = entry.ok_or_else(none)?.git_dir;
        let top = top.canonicalize().map_err(|_| none())?;
        Ok(Place { top, git_dir, common_dir: self.main.git.place.common_dir.clone() })
    }

    fn path(&self, tree: &TreeName) -> PathBuf {
        self.directory.join(tree.as_str())
    }

    pub(super) fn inside(&self, tree: &TreeName) -> Result<RealWorkspace, GitProblem> {
        RealWorkspace::open_at(self.place(tree)?, self.environment.clone())
    }

    /// The same where it may be broken. What keeps everybody from looking says nothing of the tree.
    fn openable(&self, tree: &TreeName) -> Result<Option<RealWorkspace>, GitProblem> {
        match self.inside(tree) {
            Ok(inside) => Ok(Some(inside)),
            Err(problem) if problem.is_everybodys() => Err(problem),
            Err(_) => Ok(None),
        }
    }

    /// The repository's entries of trees below the directory, by name.
    fn entries(&self) -> Result<BTreeMap<TreeName, Entry>, GitProblem> {
        let all = self.main.git.place.common_dir.join("worktrees");
        let mut entries = BTreeMap::new();
        let mut named: Vec<(TreeName, PathBuf)> = Vec::new();
        let mut others = Vec::new();
        for git_dir in directories(&all)? {
            match self.says_its_tree(&git_dir) {
                Some(name) => named.push((name, git_dir)),
                None => others.extend(says_its_branch(&git_dir).map(|name| (name, git_dir))),
            }
        }
        // An agent may have written into its entry; the branch then still tells whose it is.
        for (name, git_dir) in others {
            if named.iter().all(|(known, _)| *known != name) {
                named.push((name, git_dir));
            }
        }
        for (name, git_dir) in named {
            let locked = fs::read_to_string(git_dir.join("locked"));
            let state = match locked.is_ok_and(|why| why.trim() == "initializing") {
                true => EntryState::HalfMade,
                false if git_dir.join("HEAD").is_file() => EntryState::Whole,
                false => EntryState::Broken,
            };
            entries.insert(name, Entry { git_dir, state });
        }
        Ok(entries)
    }

    /// The tree that an entry is of, by where it says that its tree is.
    fn says_its_tree(&self, git_dir: &Path) -> Option<TreeName> {
        let at = fs::read_to_string(git_dir.join("gitdir")).ok()?;
        self.name_of(git_dir.join(at.trim_end()).parent()?)
    }

    fn name_of(&self, top: &Path) -> Option<TreeName> {
        let above = top.parent()?;
        let same = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if same(above) != same(&self.directory) {
            return None;
        }
        TreeName::read(top.file_name()?.to_str()?)
    }

    /// What the branch of a tree is at.
    fn branch_of(&self, tree: &TreeName) -> Result<Option<ObjectId>, GitProblem> {
        self.main.git.resolve(&tree.branch())
    }

    /// Whether a tree holds nothing that is not part of a commit of the user's.
    fn is_unused(&self, tree: &TreeName) -> Result<bool, GitProblem> {
        if let Some(head) = self.branch_of(tree)? {
            let user = self.main.git.resolve("HEAD")?.ok_or(GitProblem::NoFirstCommit)?;
            if head != user && !self.main.git.is_ancestor(&head, &user)? {
                return Ok(false);
            }
        }
        let Some(mut inside) = self.openable(tree)? else { return Ok(true) };
        if inside.git.head()? != HeadNow::Branch(tree.branch()) {
            return Ok(false);
        }
        let rules = hast_flow::attempt::base::TreeRules::default();
        let (looked, _) = inside.look_around(&rules)?;
        Ok(looked.uncommitted.is_empty())
    }

    /// What an earlier tree of the same name still has goes onto a ref.
    fn save_left(&self, plan: &TreePlan) -> Result<Option<Saved>, GitProblem> {
        let tree = &plan.tree;
        if self.is_unused(tree)? {
            return Ok(None);
        }
        // A tree that cannot be opened has its commits on the branch.
        let Some(mut inside) = self.openable(tree)? else { return Ok(None) };
        let head = inside.git.resolve("HEAD")?.or(self.branch_of(tree)?);
        let head = head.ok_or(GitProblem::NoFirstCommit)?;
        let save = GitStep::Save(SavePlan {
            name: recovered(tree, &head),
            rules: plan.rules.clone(),
            base: None,
            message: format!("what the work tree {tree} held"),
            at: plan.now,
            max_file_bytes: SAVED_FILE_BYTES,
            max_total_bytes: SAVED_BYTES,
        });
        match perform(&mut inside, &save) {
            GitResult::Saved(saved) => {
                // The tree is about to go, and the ref does not hold these.
                inside.overflow_aside(&saved)?;
                Ok(Some(saved))
            }
            GitResult::Refused(problem) => Err(problem),
            _ => Ok(None),
        }
    }

    /// Whoever died while it took a tree away may have left nothing but the branch. Its commits stay on
    /// a ref.
    fn keep_branch(&self, tree: &TreeName) -> Result<Option<String>, GitProblem> {
        let (Some(head), None) = (self.branch_of(tree)?, self.openable(tree)?) else {
            return Ok(None);
        };
        let name = recovered(tree, &head);
        match self.main.git.resolve(&name)? {
            None => {
                let (name, to) = (name.clone(), Some(head));
                self.main.git.move_refs(&[Move { name, from: None, to }])?;
            }
            // What the tree held besides was saved on top of it.
            Some(kept) if kept == head || self.main.git.is_ancestor(&head, &kept)? => {}
            Some(_) => return Ok(None),
        }
        Ok(Some(name))
    }

    /// The files, then the entry, then the branch: whatever is left can be found again.
    fn take_away(&self, tree: &TreeName) -> Result<Removed, GitProblem> {
        // Nobody but hast moves the branch of a tree, and one hast at a time.
        let lock = self.main.git.place.common_dir.join(format!("{}.lock", tree.branch()));
        self.main.git.place.remove_unheld(vec![lock]);
        let entry = self.entries()?.remove(tree);
        let state = entry.as_ref().map_or(EntryState::Broken, |entry| entry.state);
        let aside = match state {
            EntryState::Broken => self.put_aside(tree)?,
            EntryState::Whole | EntryState::HalfMade => None,
        };
        remove_all(&self.path(tree))?;
        if let Some(entry) = entry {
            self.forget(&entry.git_dir)?;
        }
        self.remove_branches(tree)?;
        Ok(Removed { aside: aside.map(|path| path.display().to_string()) })
    }

    /// Files that no entry knows of cannot be looked through with git: they go where whatever no ref
    /// holds is kept.
    fn put_aside(&self, tree: &TreeName) -> Result<Option<PathBuf>, GitProblem> {
        let path = self.path(tree);
        if !fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some()) {
            return Ok(None);
        }
        let aside = self.main.scratch.aside(tree.as_str());
        fs::create_dir_all(&aside).map_err(|error| disk(&aside, error))?;
        for number in 0..1_000_u32 {
            let to = aside.join(format!("{number}-worktree"));
            match renameat_with(CWD, &path, CWD, &to, RenameFlags::NOREPLACE) {
                Err(rustix::io::Errno::EXIST | rustix::io::Errno::NOTEMPTY) => {}
                Ok(()) => return Ok(Some(to)),
                Err(error) => return Err(disk(&path, error)),
            }
        }
        Err(disk(&aside, "it is full"))
    }

    /// The branch of a tree. Others in its directory, which is open to its agent, are kept elsewhere.
    fn remove_branches(&self, tree: &TreeName) -> Result<(), GitProblem> {
        let (branch, start) = (tree.branch(), format!("{LANES}{tree}/"));
        let now = self.main.git.refs()?;
        let mut moves = Vec::new();
        for (name, target) in now.iter().filter(|(name, _)| name.starts_with(&start)) {
            if *name != branch && target.follows.is_none() {
                let rest = name.strip_prefix(&start).unwrap_or(name);
                let kept = format!("refs/hast/displaced/{tree}/branches/{rest}");
                let from = now.get(&kept).map(|target| target.id.clone());
                moves.push(Move { name: kept, from, to: Some(target.id.clone()) });
            }
            moves.push(Move { name: name.clone(), from: Some(target.id.clone()), to: None });
        }
        if moves.is_empty() { Ok(()) } else { self.main.git.move_refs(&moves) }
    }

    /// Half of an entry would be nobody's: it goes away at once, and is removed where it is found
    /// again.
    fn forget(&self, git_dir: &Path) -> Result<(), GitProblem> {
        let scratch = self.main.git.place.common_dir.join(SCRATCH);
        fs::create_dir_all(&scratch).map_err(|error| disk(&scratch, error))?;
        let name = git_dir.file_name().unwrap_or_default();
        let mut gone = std::ffi::OsString::from(format!("gone-{}-", std::process::id()));
        gone.push(name);
        let gone = scratch.join(gone);
        remove_all(&gone)?;
        renameat_with(CWD, git_dir, CWD, &gone, RenameFlags::NOREPLACE)
            .map_err(|error| disk(git_dir, error))?;
        remove_all(&gone)
    }

    fn is_spent(&self, tree: &TreeName, spent: &Spent) -> Result<bool, GitProblem> {
        match spent {
            Spent::Saved(_) => Ok(true),
            Spent::Merged { into } => match self.branch_of(tree)? {
                Some(head) => Ok(head == *into || self.main.git.is_ancestor(&head, into)?),
                None => Ok(true),
            },
            Spent::Unused => self.is_unused(tree),
        }
    }
}

impl Worktrees for RealWorktrees {
    fn tip(&mut self, onto: Option<&Target>) -> Result<Head, GitProblem> {
        if let Some(Target::Branch(name)) = onto {
            let gone = || GitProblem::BranchGone { name: name.clone() };
            let commit = self.main.git.resolve(name)?.ok_or_else(gone)?;
            return Ok(Head::Branch { name: name.clone(), commit });
        }
        let commit = self.main.git.resolve("HEAD")?;
        Ok(match (self.main.git.head()?, commit) {
            (HeadNow::Branch(name), Some(commit)) => Head::Branch { name, commit },
            (HeadNow::Branch(name), None) => Head::Unborn { name },
            (HeadNow::Detached, Some(commit)) => Head::Detached { commit },
            (HeadNow::Detached, None) => return Err(GitProblem::NoFirstCommit),
        })
    }

    fn add(&mut self, plan: &TreePlan) -> Result<Added, GitProblem> {
        let tree = &plan.tree;
        self.main.reread_config()?;
        let recovered = match self.save_left(plan)? {
            Some(saved) => Some(saved.work().name.clone()),
            None if self.is_spent(tree, &Spent::Unused)? => None,
            None => Some(self.keep_branch(tree)?.ok_or_else(|| self.in_the_way(tree))?),
        };
        self.take_away(tree)?;
        fs::create_dir_all(&self.directory).map_err(|error| disk(&self.directory, error))?;
        let branch = tree.branch();
        let short = branch.strip_prefix("refs/heads/").unwrap_or(&branch);
        let path = self.path(tree);
        let call = self.main.git.call(["worktree", "add", "--quiet", "--no-track", "-B", short]);
        let made = call.args([path.as_os_str()]).args([plan.at.as_str()]).users_index().run();
        made.map_err(|problem| self.main.git.in_the_way(&branch).unwrap_or(problem))?;
        let copied = super::copies::copy(&self.main.git.place.top, &path, &plan.copy)?;
        Ok(Added { recovered, copied })
    }

    fn remove(&mut self, tree: &TreeName, spent: &Spent) -> Result<Removed, GitProblem> {
        if self.is_spent(tree, spent)? { self.take_away(tree) } else { Err(self.in_the_way(tree)) }
    }

    fn rescue(&mut self, plan: &TreePlan) -> Result<Option<SavedWork>, GitProblem> {
        Ok(self.save_left(plan)?.map(|saved| saved.work().clone()))
    }

    fn list(&mut self) -> Result<Vec<FoundTree>, GitProblem> {
        let entries = self.entries()?;
        let mut names: Vec<TreeName> = entries.keys().cloned().collect();
        let there = directories(&self.directory)?;
        names.extend(there.iter().filter_map(|path| TreeName::read(path.file_name()?.to_str()?)));
        names.extend(self.branches()?);
        names.sort();
        names.dedup();
        let mut found = Vec::new();
        for tree in names {
            let path = self.path(&tree);
            let entry = entries.get(&tree);
            let whole =
                path.is_dir() && entry.is_some_and(|entry| entry.state == EntryState::Whole);
            let state = if whole { TreeState::Whole } else { TreeState::Broken };
            let head = self.branch_of(&tree)?;
            found.push(FoundTree { head, state, bytes: disk_use(&path), tree });
        }
        Ok(found)
    }

    fn replay(
        &mut self,
        base: &ObjectId,
        head: &ObjectId,
        onto: &ObjectId,
    ) -> Result<Replay, GitProblem> {
        self.main.reread_config()?;
        self.main.git.replay(base, head, onto)
    }

    fn bring(&mut self, tree: &TreeName, to: &ObjectId) -> Result<(), GitProblem> {
        self.inside(tree)?.bring_to(&tree.branch(), to)
    }

    fn merge(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem> {
        self.main.reread_config()?;
        self.main.fast_forward(plan)
    }

    fn standing(&mut self, onto: &Target) -> Result<Standing, GitProblem> {
        self.main.standing(onto)
    }

    fn contains(&mut self, onto: Option<&Target>, commit: &ObjectId) -> Result<bool, GitProblem> {
        self.has_on(onto, commit)
    }

    fn measure(
        &mut self,
        from: &ObjectId,
        to: &ObjectId,
        leave_out: &[String],
    ) -> Result<(u64, u64), GitProblem> {
        self.main.git.measure(from, to, leave_out)
    }

    fn deliver(&mut self, plan: &DeliverPlan) -> Result<Option<String>, GitProblem> {
        self.deliver_into(plan)
    }
}

impl RealWorktrees {
    fn in_the_way(&self, tree: &TreeName) -> GitProblem {
        GitProblem::EditedSince { paths: vec![self.path(tree).display().to_string()] }
    }

    /// Trees whose branch is there, whatever became of the rest.
    fn branches(&self) -> Result<Vec<TreeName>, GitProblem> {
        let refs = self.main.git.call(["for-each-ref", "--format=%(refname)", LANES]).run()?;
        let text = String::from_utf8_lossy(&refs);
        Ok(text.lines().filter_map(tree_of).collect())
    }
}

/// Where what a tree held is kept.
fn recovered(tree: &TreeName, head: &ObjectId) -> String {
    format!("refs/hast/recovered/{tree}/{}", &head.as_str()[..12])
}

/// The tree that an entry is of, by the branch that is checked out there.
fn says_its_branch(git_dir: &Path) -> Option<TreeName> {
    let head = fs::read_to_string(git_dir.join("HEAD")).ok()?;
    tree_of(head.strip_prefix("ref: ")?.trim_end())
}

/// The tree whose branch has this name.
fn tree_of(branch: &str) -> Option<TreeName> {
    TreeName::read(branch.strip_prefix(LANES)?.strip_suffix("/work")?)
}

fn directories(path: &Path) -> Result<Vec<PathBuf>, GitProblem> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(disk(path, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| disk(path, error))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Removes a directory whatever modes its parts have. Links are removed, not followed. A git whose
/// hast was killed may still be writing there: it is waited for.
pub(super) fn remove_all(path: &Path) -> Result<(), GitProblem> {
    let end = Instant::now() + PATIENCE;
    loop {
        match fs::remove_dir_all(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound && !path.exists() => return Ok(()),
            Err(error) if Instant::now() > end => return Err(disk(path, error)),
            Err(_) => open_up(path),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Directories that their owner may not write to, made writable.
fn open_up(path: &Path) {
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        let _ = fs::set_permissions(&directory, fs::Permissions::from_mode(0o700));
        open.extend(directories(&directory).unwrap_or_default());
    }
}

/// What a directory takes on the disk, each file once.
pub(super) fn disk_use(path: &Path) -> u64 {
    let mut open = vec![path.to_owned()];
    let mut bytes = 0;
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let Ok(there) = entry.metadata() else { continue };
            bytes += there.blocks() * 512 / there.nlink().max(1);
            if there.is_dir() {
                open.push(entry.path());
            }
        }
    }
    bytes
}
