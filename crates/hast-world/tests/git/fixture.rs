//! A small project in a repository, and the steps of an attempt in it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use hast_flow::attempt::base::{Base, ObjectId, Saved, TreeRules, attempt_ref};
use hast_flow::attempt::evidence::{Breach, ChangeKind};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, GitResult, GitStep, Identity, RolledBack, SavePlan, Workspace, perform,
};
use hast_flow::attempt::worktrees::TreeName;
use hast_flow::store::{Identity as SeenAs, Seen};
use hast_flow::time::UtcTime;
use hast_world::git::{Checkout, GitEnvironment, RoomWorkspace};

use crate::worktrees::{add, trees};

/// The user's checkout, or an agent's view of it from a room.
#[derive(Clone)]
pub(crate) struct Repo {
    pub(crate) dir: Rc<tempfile::TempDir>,
    room: Option<PathBuf>,
    pub(crate) environment: GitEnvironment,
}

/// Something that happens in a project.
pub(crate) type Act = fn(&Repo);

pub(crate) fn at() -> UtcTime {
    "2026-02-09T05:30:00Z".parse().unwrap()
}

pub(crate) fn rules() -> TreeRules {
    let text = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    TreeRules {
        leave_out: text(&[".ai/auto.lock", ".ai/.hast/", ".ai/events/", ".ai/attempts/"]),
        protected: text(&[".ai/config.yaml", ".ai/goals.yaml", ".ai/rules.md", ".ai/.gitignore"]),
        protect: text(&["*.pem", "infra/"]),
        handoffs: Some(".ai/handoffs/".to_owned()),
        ..TreeRules::default()
    }
}

pub(crate) const HANDOFF: &str = "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\n\
                           goal_id: M1\n---\n\n## Done\n- it\n";

impl Repo {
    /// A repository on `main` without any file or commit.
    pub(crate) fn bare_of_files() -> Self {
        let dir = Rc::new(tempfile::tempdir().unwrap());
        let path = std::env::var_os("PATH").unwrap();
        let program = hast_world::programs::find("git", &path).unwrap();
        let home = Some(dir.path().join("home"));
        let environment = GitEnvironment {
            program,
            path,
            home,
            config_home: None,
            signing: Vec::new(),
            fetching: Vec::new(),
        };
        let repo = Self { dir, room: None, environment };
        fs::create_dir_all(repo.top()).unwrap();
        fs::create_dir_all(repo.dir.path().join("home")).unwrap();
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    /// A project with one commit, ignored files of the user, and machine files.
    pub(crate) fn new() -> Self {
        let repo = Self::bare_of_files();
        for (path, text) in [
            (".gitignore", "target/\n*.log\n.env\n"),
            ("src/main.rs", "fn main() {}\n"),
            ("src/lib.rs", "pub fn one() -> u32 { 1 }\n"),
            ("tests/it.rs", "// test\n"),
            ("infra/deploy.tf", "resource\n"),
            ("한글 이름.txt", "안녕\n"),
            (".ai/config.yaml", "test_command: cargo test\n"),
            (".ai/goals.yaml", "goals: []\n"),
            (".ai/rules.md", "# rules\n"),
            (".ai/.gitignore", "/auto.lock\n/.hast/\n/events/\n/attempts/\n"),
        ] {
            repo.write(path, text);
        }
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-q", "-m", "first"]);
        for (path, text) in [
            ("target/out", "built"),
            ("notes.log", "mine"),
            (".env", "KEY=1"),
            (".ai/events/events.ndjson", "{}\n"),
            (".ai/.hast/journal", "journal"),
        ] {
            repo.write(path, text);
        }
        repo
    }

    pub(crate) fn top(&self) -> PathBuf {
        self.room.clone().unwrap_or_else(|| self.dir.path().join("work"))
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.top().join(path)
    }

    #[expect(clippy::disallowed_methods, reason = "the test plays the agent and the user")]
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(path)).unwrap()).into_owned()
    }

    pub(crate) fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Git as the agent or the user would call it; its output.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.top(), args)
    }

    #[expect(clippy::disallowed_methods, reason = "the test plays the agent and the user")]
    pub(crate) fn git_in(&self, directory: &Path, args: &[&str]) -> String {
        let output = std::process::Command::new(&self.environment.program)
            .args(["-c", "user.name=agent", "-c", "user.email=agent@localhost"])
            .args(["-c", "protocol.file.allow=always"])
            .args(args)
            .current_dir(directory)
            .env_clear()
            .env("PATH", &self.environment.path)
            .env("HOME", self.dir.path().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "@1700000000 +0000")
            .env("GIT_COMMITTER_DATE", "@1700000000 +0000")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {errors}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub(crate) fn commit_all(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    pub(crate) fn open(&self) -> Checkout {
        Checkout::open(&self.top(), self.environment.clone()).unwrap()
    }

    /// A fresh room at the branch: what an agent sees of it, and the steps of git there.
    pub(crate) fn enter(&self, unit: &str) -> (Self, RoomWorkspace) {
        let room = Some(add(self, unit));
        let steps = trees(self).workspace(&TreeName::of(unit)).unwrap();
        (Self { room, ..self.clone() }, steps)
    }

    pub(crate) fn head(&self) -> ObjectId {
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    /// Every file but git's: path, mode and content.
    pub(crate) fn files(&self) -> BTreeMap<String, (u32, Vec<u8>)> {
        let mut files = BTreeMap::new();
        collect(&self.top(), &self.top(), &mut files);
        files
    }
}

fn collect(top: &Path, directory: &Path, into: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let there = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if name == ".git" {
            continue;
        }
        if there.is_dir() {
            collect(top, &path, into);
        } else if there.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            into.insert(name, (0o120_000, target.into_os_string().into_encoded_bytes()));
        } else {
            into.insert(name, (there.mode() & 0o111, fs::read(&path).unwrap()));
        }
    }
}

/// The steps of an attempt, each of which must succeed.
pub(crate) trait Steps {
    fn start(&mut self, rules: &TreeRules) -> Base;
    fn see(&mut self, base: &Base) -> Inspection;
    fn put_safe(&mut self, base: &Base) -> Saved;
    fn back(&mut self, base: &Base, saved: &Saved) -> RolledBack;
    fn try_back(&mut self, base: &Base, saved: &Saved) -> Result<RolledBack, GitProblem>;
    fn settle(&mut self, base: &Base, found: &Inspection) -> ObjectId;
}

pub(crate) fn save_plan(base: Option<&Base>) -> SavePlan {
    SavePlan {
        name: attempt_ref("M1", 1),
        rules: rules(),
        base: base.cloned(),
        message: "attempt".into(),
        at: at(),
        max_file_bytes: 50 << 20,
        max_total_bytes: 200 << 20,
    }
}

pub(crate) fn commit_plan(found: &Inspection) -> CommitPlan {
    CommitPlan {
        content: Content::Tree(found.commit_tree.clone()),
        parent: found.head.clone(),
        message: "feat(M1): it\n\nHast-Goal: M1\n".into(),
        at: at(),
        identity: Identity::Users,
    }
}

impl<W: Workspace> Steps for W {
    fn start(&mut self, rules: &TreeRules) -> Base {
        let step = GitStep::Record { key: "M1/1".into(), rules: rules.clone(), at: at() };
        let GitResult::Recorded(record) = perform(self, &step) else { panic!("not recorded") };
        let document = record.to_document();
        Base::recorded(&document, &Seen::File(SeenAs::of(&document, None))).unwrap()
    }

    fn see(&mut self, base: &Base) -> Inspection {
        match perform(self, &GitStep::Inspect { base: base.clone() }) {
            GitResult::Inspected(found) => *found,
            other => panic!("{other:?}"),
        }
    }

    fn put_safe(&mut self, base: &Base) -> Saved {
        match perform(self, &GitStep::Save(save_plan(Some(base)))) {
            GitResult::Saved(saved) => saved,
            other => panic!("{other:?}"),
        }
    }

    fn back(&mut self, base: &Base, saved: &Saved) -> RolledBack {
        self.try_back(base, saved).unwrap()
    }

    fn try_back(&mut self, base: &Base, saved: &Saved) -> Result<RolledBack, GitProblem> {
        let step = GitStep::RollBack { base: base.clone(), saved: saved.clone() };
        match perform(self, &step) {
            GitResult::RolledBack(back) => Ok(back),
            GitResult::Refused(problem) => Err(problem),
            other => panic!("{other:?}"),
        }
    }

    fn settle(&mut self, base: &Base, found: &Inspection) -> ObjectId {
        if !found.uncommitted {
            return found.head.clone();
        }
        let plan = commit_plan(found);
        let GitResult::Built { commit } = perform(self, &GitStep::Build { plan }) else {
            panic!("not built")
        };
        let (branch, from) = (base.branch().to_owned(), found.head.clone());
        let step = GitStep::Advance { branch, from, to: commit.clone() };
        assert_eq!(perform(self, &step), GitResult::Advanced);
        commit
    }
}

/// Changes as `A path`, `M path`, `D path`, `V path` (moved test), `E path` (emptied), `X path` (mode), `H path`
/// (added, and nothing in it), `I path` (new, and ignored by new rules).
pub(crate) fn changes(found: &Inspection) -> Vec<String> {
    let word = |kind| match kind {
        ChangeKind::Added => "A",
        ChangeKind::Modified => "M",
        ChangeKind::Deleted => "D",
        ChangeKind::Moved => "V",
        ChangeKind::Emptied => "E",
        ChangeKind::Mode => "X",
        ChangeKind::Hollow => "H",
        ChangeKind::NotCommitted => "I",
    };
    found.changes.iter().map(|change| format!("{} {}", word(change.kind), change.path.0)).collect()
}

pub(crate) fn protected(found: &Inspection) -> Vec<&str> {
    found.protected.iter().map(|path| &*path.0).collect()
}

/// Runs an attempt that does something in a room, and says what was found. Then it is saved and rolled back.
/// The room has the base again, and nothing of the user's differs at any time.
pub(crate) fn attempt(repo: &Repo, act: impl FnOnce(&Repo)) -> Inspection {
    attempt_by(repo, &rules(), act)
}

pub(crate) fn attempt_by(repo: &Repo, rules: &TreeRules, act: impl FnOnce(&Repo)) -> Inspection {
    let users = (repo.files(), foreign_refs(repo), repo.git(&["status", "--porcelain"]));
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(rules);
    let files = room.files();
    act(&room);
    let found = steps.see(&base);
    let saved = steps.put_safe(&base);
    assert_eq!(repo.git(&["rev-parse", &attempt_ref("M1", 1)]), saved.work().commit.as_str());
    steps.back(&base, &saved);
    let mut left = room.files();
    left.retain(|path, _| files.contains_key(path) || !is_ignored(path));
    assert_eq!(left, files);
    let now = (repo.files(), foreign_refs(repo), repo.git(&["status", "--porcelain"]));
    assert_eq!(now, users);
    repo.git(&["fsck", "--connectivity-only"]);
    found
}

/// By the rules of [`Repo::new`]: a room keeps ignored files for the next attempt at its unit.
fn is_ignored(path: &str) -> bool {
    path.contains("target/") || path.contains(".log") || path.ends_with(".env")
}

fn foreign_refs(repo: &Repo) -> String {
    let all = repo.git(&["for-each-ref", "--format=%(objectname) %(symref) %(refname)"]);
    let foreign = all.lines().filter(|line| !line.contains("refs/hast/"));
    foreign.collect::<Vec<_>>().join("\n")
}

/// The attempt is found to have done nothing that it must not.
pub(crate) fn assert_honest(found: &Inspection) {
    assert_eq!(found.breaches, Vec::<Breach>::new());
    assert_eq!(protected(found), Vec::<&str>::new());
}
