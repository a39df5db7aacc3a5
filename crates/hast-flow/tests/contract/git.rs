//! A work tree in memory: trees are named by what they hold, commits by what they are.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Breach, Change, ChangeKind, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::{GivenBack, IgnoredBack};
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Guarded, Head, HookVerdict, LeftWork, Looked, OwnRef, Reach,
    RolledBack, SavePlan, TreeFile, Uncommitted, UncommittedKind, Workspace,
};
use hast_flow::ids::Sha256;
use hast_flow::time::UtcTime;

pub(crate) type Files = BTreeMap<String, String>;

#[derive(Default)]
pub(crate) struct Git {
    pub(crate) files: Files,
    trees: BTreeMap<ObjectId, Files>,
    /// Messages and trees of commits.
    commits: BTreeMap<ObjectId, (String, ObjectId)>,
    pub(crate) history: Vec<String>,
    head: Option<ObjectId>,
    pub(crate) saved: Vec<String>,
    pub(crate) breach: Option<Breach>,
    pub(crate) hook: Option<String>,
    /// Refs that are not where a base found them.
    pub(crate) moved: Vec<String>,
    /// What is checked out, where it is not `main`.
    pub(crate) on: Option<&'static str>,
}

fn named(text: &str) -> ObjectId {
    Sha256::of(text.as_bytes()).as_str()[..40].parse().unwrap()
}

impl Git {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let mut git = Self { files: files.collect(), ..Self::default() };
        let tree = git.scan();
        let first = named("first");
        git.commits.insert(first.clone(), ("first".to_owned(), tree));
        git.history.push("first".to_owned());
        git.head = Some(first);
        git
    }

    pub(crate) fn write(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
    }

    /// A person commits files, and nothing else that lies in the tree.
    pub(crate) fn commit(&mut self, message: &str, files: &[(&str, &str)]) {
        let mut tree = self.trees[&self.head_tree()].clone();
        for (path, text) in files {
            tree.insert((*path).to_owned(), (*text).to_owned());
            self.write(path, text);
        }
        let id = named(&format!("{tree:?}"));
        self.trees.insert(id.clone(), tree);
        let commit = named(&format!("{message} {}", self.head()));
        self.commits.insert(commit.clone(), (message.to_owned(), id));
        self.history.push(message.to_owned());
        self.head = Some(commit);
    }

    fn scan(&mut self) -> ObjectId {
        let id = named(&format!("{:?}", self.files));
        self.trees.insert(id.clone(), self.files.clone());
        id
    }

    fn head(&self) -> ObjectId {
        self.head.clone().unwrap()
    }

    fn head_tree(&self) -> ObjectId {
        self.commits[&self.head()].1.clone()
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
        let tree = self.scan();
        let changes = self.diff(&self.head_tree());
        let file = |change: &Change| Uncommitted {
            path: change.path.to_string(),
            kind: UncommittedKind::Tracked,
        };
        Ok(Looked {
            head: Head::Branch {
                name: self.on.unwrap_or("refs/heads/main").to_owned(),
                commit: self.head(),
            },
            uncommitted: changes.iter().map(file).collect(),
            in_progress: None,
            tree: Some(tree),
        })
    }

    fn record(&mut self, _: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        Ok(Recorded {
            branch: self.on.unwrap_or("refs/heads/main").to_owned(),
            commit: self.head(),
            tree: self.scan(),
            snapshot: named("snapshot"),
        })
    }

    fn inspect(&mut self, base: &Base) -> Result<Inspection, GitProblem> {
        let tree = self.scan();
        Ok(Inspection {
            breaches: self.breach.take().into_iter().collect(),
            others: Vec::new(),
            not_committed: Vec::new(),
            protected: Vec::new(),
            given_back: GivenBack::default(),
            changes: self.diff(base.tree()),
            links: self.links(base.tree()),
            handoffs: Vec::new(),
            head: self.head(),
            commit_tree: tree.clone(),
            uncommitted: tree != self.head_tree(),
            tree,
        })
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.saved.push(plan.name.clone());
        let (name, tree) = (plan.name.clone(), self.scan());
        Ok(SavedWork { name, commit: named("saved"), tree, overflow: Vec::new() })
    }

    fn roll_back(&mut self, base: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        self.files = self.trees[base.tree()].clone();
        self.head = Some(base.commit().clone());
        let at = &self.commits[base.commit()].0;
        assert!(self.moved.is_empty() && self.on.is_none(), "others' refs are not taken back");
        let length = self.history.iter().position(|message| message == at).unwrap() + 1;
        self.history.truncate(length);
        Ok(RolledBack::default())
    }

    fn guard(&mut self, _: &Base, _: Reach) -> Result<Guarded, GitProblem> {
        Ok(Guarded { refs: self.moved.clone(), ..Guarded::default() })
    }

    fn run_hooks(&mut self, plan: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        Ok(match self.hook.take() {
            Some(said) => HookVerdict::Refused { hook: "pre-commit".to_owned(), said },
            None => HookVerdict::Passed {
                message: plan.message.clone(),
                ignored: IgnoredBack::default(),
            },
        })
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let Content::Tree(tree) = &plan.content else { panic!("{plan:?}") };
        let id = named(&format!("{plan:?}"));
        let first = plan.message.lines().next().unwrap().to_owned();
        self.commits.insert(id.clone(), (first, tree.clone()));
        Ok(id)
    }

    fn advance(&mut self, _: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        if *to == self.head() {
            // It was done before.
            return Ok(());
        }
        assert_eq!(*from, self.head());
        self.head = Some(to.clone());
        self.history.push(self.commits[to].0.clone());
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

    fn discard(
        &mut self,
        LeftWork { from, work, .. }: &LeftWork,
        _: &Saved,
        _: &TreeRules,
    ) -> Result<RolledBack, GitProblem> {
        let (from, work) = (self.trees[from].clone(), self.trees[work].clone());
        let head = self.trees[&self.head_tree()].clone();
        let paths =
            from.keys().chain(work.keys()).filter(|path| from.get(*path) != work.get(*path));
        for path in paths
            .filter(|path| self.files.get(*path) == work.get(*path))
            .cloned()
            .collect::<Vec<_>>()
        {
            match head.get(&path) {
                Some(text) => self.files.insert(path, text.clone()),
                None => self.files.remove(&path),
            };
        }
        Ok(RolledBack::default())
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        assert_eq!(self.trees[to], self.files, "what is compared is what is there");
        let line = |change: Change| DiffLine { change, lines: None };
        Ok(self.diff(from).into_iter().map(line).collect())
    }

    fn unlock(&mut self, _: UtcTime) -> Result<Vec<String>, GitProblem> {
        Ok(Vec::new())
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
