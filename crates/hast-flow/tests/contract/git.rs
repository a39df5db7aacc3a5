//! A repository in memory with the room of a request: trees are named by what they hold, commits by what
//! they are.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Breach, Change, ChangeKind, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Head, HookVerdict, Looked, OwnRef, RolledBack, SavePlan,
    TreeFile, Workspace,
};
use hast_flow::attempt::worktrees::{
    Added, DeliverPlan, FoundTree, MergePlan, Replay, Spent, Standing, Target, TreeName, TreePlan,
    Waits, Worktrees,
};
use hast_flow::ids::Sha256;

pub(crate) type Files = BTreeMap<String, String>;

/// A commit: its message, its tree, and what it is on top of.
#[derive(Clone)]
struct Made {
    message: String,
    tree: ObjectId,
    parent: Option<ObjectId>,
}

#[derive(Default)]
pub(crate) struct Git {
    /// What is in the room.
    pub(crate) files: Files,
    trees: BTreeMap<ObjectId, Files>,
    commits: BTreeMap<ObjectId, Made>,
    /// Messages of the commits on the user's branch.
    pub(crate) history: Vec<String>,
    /// The user's branch.
    branch: Option<ObjectId>,
    /// The commit that the room was opened at, and the ref of the work in it.
    room: Option<ObjectId>,
    lane: Option<ObjectId>,
    /// The room in which tests are tried: the commit that it is at.
    trial: Option<ObjectId>,
    pub(crate) saved: Vec<String>,
    pub(crate) breach: Option<Breach>,
    pub(crate) hook: Option<String>,
    /// Uncommitted files of the user that a merge would touch.
    pub(crate) in_the_way: Vec<String>,
    /// Commits that the user makes just before a merge.
    pub(crate) rival: Vec<(&'static str, &'static str)>,
}

fn named(text: &str) -> ObjectId {
    Sha256::of(text.as_bytes()).as_str()[..40].parse().unwrap()
}

impl Git {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let mut git = Self::default();
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let first = git.made("first", files.collect(), None);
        git.point(first);
        git
    }

    /// A file of the room.
    pub(crate) fn write(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
    }

    /// A person commits files on the branch.
    pub(crate) fn commit(&mut self, message: &str, files: &[(&str, &str)]) {
        let on = self.users_tip();
        let mut tree = self.trees[&self.commits[&on].tree].clone();
        tree.extend(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        let commit = self.made(message, tree, Some(on));
        self.point(commit);
    }

    /// The files of the user's branch.
    pub(crate) fn on_branch(&self) -> &Files {
        &self.trees[&self.commits[&self.users_tip()].tree]
    }

    /// The files of the room in which tests are tried.
    pub(crate) fn on_trial(&self) -> &Files {
        &self.trees[&self.commits[self.trial.as_ref().unwrap()].tree]
    }

    pub(crate) fn has_trial(&self) -> bool {
        self.trial.is_some()
    }

    pub(crate) fn has_room(&self) -> bool {
        self.room.is_some()
    }

    /// Somebody deletes the room and its ref.
    pub(crate) fn lose_room(&mut self) {
        (self.room, self.lane) = (None, None);
        self.files.clear();
    }

    /// A person merges the work of the room by hand.
    pub(crate) fn merge_lane(&mut self) {
        self.point(self.lane());
    }

    fn tree_of(&mut self, files: Files) -> ObjectId {
        let id = named(&format!("{files:?}"));
        self.trees.insert(id.clone(), files);
        id
    }

    fn made(&mut self, message: &str, files: Files, parent: Option<ObjectId>) -> ObjectId {
        let tree = self.tree_of(files);
        let id = named(&format!("{message} {tree} {parent:?}"));
        let message = message.lines().next().unwrap_or_default().to_owned();
        self.commits.insert(id.clone(), Made { message, tree, parent });
        id
    }

    fn users_tip(&self) -> ObjectId {
        self.branch.clone().unwrap()
    }

    /// A commit and all before it, the newest first.
    fn ancestry(&self, from: &ObjectId) -> Vec<ObjectId> {
        let before = |id: &ObjectId| self.commits[id].parent.clone();
        std::iter::successors(Some(from.clone()), before).collect()
    }

    fn point(&mut self, to: ObjectId) {
        let line = self.ancestry(&to);
        self.history = line.iter().rev().map(|id| self.commits[id].message.clone()).collect();
        self.branch = Some(to);
    }

    /// The room with the files of a commit.
    fn put_to(&mut self, commit: &ObjectId) {
        self.files = self.trees[&self.commits[commit].tree].clone();
        (self.room, self.lane) = (Some(commit.clone()), Some(commit.clone()));
    }

    fn scan(&mut self) -> ObjectId {
        self.tree_of(self.files.clone())
    }

    fn room(&self) -> Result<ObjectId, GitProblem> {
        self.room.clone().ok_or_else(|| GitProblem::Lost { what: "the room".to_owned() })
    }

    fn lane(&self) -> ObjectId {
        self.lane.clone().unwrap()
    }

    /// A file that says `link to ...` is one.
    fn links(&self, from: &ObjectId) -> Vec<RepoPath> {
        let changes = self.diff(from).into_iter().map(|change| change.path);
        let is_link = |path: &RepoPath| {
            self.files.get(path.as_str()).is_some_and(|text| text.starts_with("link to "))
        };
        changes.filter(is_link).collect()
    }

    fn diff(&self, from: &ObjectId) -> Vec<Change> {
        let before = &self.trees[from];
        let mut paths: Vec<&String> = before.keys().chain(self.files.keys()).collect();
        paths.sort();
        paths.dedup();
        let kind = |path: &&String| match (before.get(*path), self.files.get(*path)) {
            (None, Some(_)) => Some(ChangeKind::Added),
            (Some(_), None) => Some(ChangeKind::Deleted),
            (old, new) if old != new => Some(ChangeKind::Modified),
            _ => None,
        };
        let change = |path: &String| {
            let kind = kind(&path)?;
            Some(Change { path: RepoPath(path.as_str().into()), kind })
        };
        paths.into_iter().filter_map(change).collect()
    }
}

impl Workspace for Git {
    fn look(&mut self, _: &TreeRules) -> Result<Looked, GitProblem> {
        let (name, commit) = (LANE.to_owned(), self.room()?);
        Ok(Looked {
            head: Head::Branch { name, commit },
            uncommitted: Vec::new(),
            in_progress: None,
            tree: Some(self.scan()),
        })
    }

    fn record(&mut self, _: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        let commit = self.room()?;
        self.put_to(&commit);
        let tree = self.commits[&commit].tree.clone();
        Ok(Recorded { branch: LANE.to_owned(), commit, tree, snapshot: named("snapshot") })
    }

    fn inspect(&mut self, base: &Base) -> Result<Inspection, GitProblem> {
        assert_eq!(&self.room()?, base.commit(), "the room is where the attempt began");
        let tree = self.scan();
        Ok(Inspection {
            breaches: self.breach.take().into_iter().collect(),
            others: Vec::new(),
            not_committed: Vec::new(),
            squashed: None,
            taken_back: Vec::new(),
            protected: Vec::new(),
            changes: self.diff(base.tree()),
            links: self.links(base.tree()),
            handoffs: Vec::new(),
            head: base.commit().clone(),
            commit_tree: tree.clone(),
            uncommitted: tree != *base.tree(),
            tree,
        })
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.saved.push(plan.name.clone());
        let (name, tree) = (plan.name.clone(), self.scan());
        Ok(SavedWork { name, commit: named("saved"), tree, overflow: Vec::new() })
    }

    fn roll_back(&mut self, base: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        self.put_to(base.commit());
        Ok(RolledBack::default())
    }

    fn run_hooks(&mut self, plan: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        Ok(match self.hook.take() {
            Some(said) => HookVerdict::Refused { hook: "pre-commit".to_owned(), said },
            None => HookVerdict::Passed { message: plan.message.clone() },
        })
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let files = match &plan.content {
            Content::Tree(tree) => self.trees[tree].clone(),
            Content::Text { path, text } => {
                let mut files = self.trees[&self.commits[&plan.parent].tree].clone();
                files.insert(path.clone(), text.clone());
                files
            }
            Content::File { .. } => panic!("{plan:?}"),
        };
        Ok(self.made(&plan.message, files, Some(plan.parent.clone())))
    }

    fn advance(&mut self, branch: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        assert_eq!(branch, LANE);
        if *to != self.lane() {
            assert_eq!(*from, self.lane());
            self.lane = Some(to.clone());
        }
        Ok(())
    }

    fn read(&mut self, tree: &ObjectId, paths: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        let files = &self.trees[tree];
        let bytes = |path: &String| files.get(path).map(|text| text.clone().into_bytes());
        let file = |path: &String| TreeFile { path: path.clone(), bytes: bytes(path) };
        Ok(paths.iter().map(file).collect())
    }

    fn stands_on(&mut self, _: &str) -> Result<(), GitProblem> {
        Ok(())
    }

    fn keep(&mut self, branch: &str, _: &ObjectId) -> Result<String, GitProblem> {
        Ok(branch.to_owned())
    }

    fn compare(&mut self, _: &ObjectId, _: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        unreachable!("nothing is compared")
    }

    fn restore(
        &mut self,
        _: &str,
        _: Option<&ObjectId>,
        _: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        Ok(Vec::new())
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        Ok(Vec::new())
    }

    fn delete_refs(&mut self, _: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        Ok(())
    }
}

const MAIN: &str = "refs/heads/main";
const LANE: &str = "refs/hast/lanes/=contract-a1b2c3d4-R1";

fn is_trial(tree: &TreeName) -> bool {
    tree.as_str() == "=contract-a1b2c3d4-R1-trial"
}

impl Worktrees for Git {
    fn tip(&mut self, _: Option<&Target>) -> Result<Head, GitProblem> {
        Ok(Head::Branch { name: MAIN.to_owned(), commit: self.users_tip() })
    }

    fn add(&mut self, plan: &TreePlan) -> Result<Added, GitProblem> {
        match is_trial(&plan.tree) {
            true => self.trial = Some(plan.at.clone()),
            false => self.put_to(&plan.at),
        }
        Ok(Added { recovered: None, copied: 0 })
    }

    fn remove(&mut self, tree: &TreeName, spent: &Spent) -> Result<(), GitProblem> {
        let Spent::Merged { into } = spent else { panic!("{spent:?}") };
        if is_trial(tree) {
            assert_eq!(self.trial.take().as_ref(), Some(into));
            return Ok(());
        }
        assert!(self.lane.as_ref().is_none_or(|lane| self.ancestry(into).contains(lane)));
        // Its files stay, to be looked at here.
        (self.room, self.lane) = (None, None);
        Ok(())
    }

    fn rescue(&mut self, _: &TreePlan) -> Result<Option<SavedWork>, GitProblem> {
        Ok(None)
    }

    fn list(&mut self) -> Result<Vec<FoundTree>, GitProblem> {
        Ok(Vec::new())
    }

    /// File by file: what the commits changed, where the branch has not changed it.
    fn replay(
        &mut self,
        base: &ObjectId,
        head: &ObjectId,
        onto: &ObjectId,
    ) -> Result<Replay, GitProblem> {
        let line: Vec<ObjectId> =
            self.ancestry(head).into_iter().take_while(|id| id != base).collect();
        let mut at = onto.clone();
        for id in line.iter().rev() {
            let one = self.commits[id].clone();
            let before = self.trees[&self.commits[&one.parent.unwrap()].tree].clone();
            let after = self.trees[&one.tree].clone();
            let mut files = self.trees[&self.commits[&at].tree].clone();
            for (path, text) in after.iter().filter(|(path, text)| before.get(*path) != Some(text))
            {
                let there = files.insert(path.clone(), text.clone());
                if there.as_ref() != before.get(path) && there.as_ref() != Some(text) {
                    return Ok(Replay::Conflict { paths: vec![path.clone()] });
                }
            }
            if files != self.trees[&self.commits[&at].tree] {
                at = self.made(&one.message, files, Some(at.clone()));
            }
        }
        let tree = self.commits[&at].tree.clone();
        Ok(Replay::Done { commit: at, tree })
    }

    fn bring(&mut self, tree: &TreeName, to: &ObjectId) -> Result<(), GitProblem> {
        if is_trial(tree) {
            let trial = self.trial.as_mut();
            *trial.ok_or_else(|| GitProblem::Lost { what: tree.to_string() })? = to.clone();
            return Ok(());
        }
        self.room()?;
        self.put_to(to);
        Ok(())
    }

    fn merge(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem> {
        assert_eq!(plan.onto, Target::Branch(MAIN.to_owned()));
        if !self.in_the_way.is_empty() {
            return Ok(Some(Waits::UsersFiles { paths: self.in_the_way.clone() }));
        }
        for (path, text) in std::mem::take(&mut self.rival) {
            self.commit("theirs", &[(path, text)]);
        }
        let found = self.users_tip();
        if found == plan.to {
            return Ok(None);
        }
        if found != plan.from {
            let (name, expected) = (MAIN.to_owned(), Some(plan.from.clone()));
            return Err(GitProblem::Moved { name, expected, found: Some(found) });
        }
        self.point(plan.to.clone());
        Ok(None)
    }

    fn standing(&mut self, _: &Target) -> Result<Standing, GitProblem> {
        Ok(Standing::On)
    }

    fn contains(&mut self, _: Option<&Target>, commit: &ObjectId) -> Result<bool, GitProblem> {
        Ok(self.ancestry(&self.users_tip()).contains(commit))
    }

    fn measure(
        &mut self,
        _: &ObjectId,
        _: &ObjectId,
        _: &[String],
    ) -> Result<(u64, u64), GitProblem> {
        Ok((0, 0))
    }

    fn deliver(&mut self, _: &DeliverPlan) -> Result<Option<String>, GitProblem> {
        Ok(None)
    }
}
