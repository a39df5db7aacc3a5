//! What a start does about what it finds: another process, the remains of one that died, files of
//! the user. A decision over facts; it touches nothing, and what it wants is a plan.

pub mod say;

use crate::attempt::base::{ObjectId, recovered_ref};
use crate::attempt::git_problem::GitProblem;
use crate::attempt::workspace::{Head, Looked};
use crate::time::UtcTime;
use crate::words::{Lang, shell_word};

/// Everything that a start looks at.
#[derive(Clone, Debug)]
pub struct Found {
    /// What keeps any attempt from starting, whatever the tree looks like.
    pub not_ready: Option<NotReady>,
    pub looked: Result<Looked, GitProblem>,
    pub lock: Option<Lock>,
    pub kept: Option<Kept>,
    pub unjudged: Option<Unjudged>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReady {
    InvalidConfig { findings: String },
    NoAgent { line: String },
}

/// `auto.lock`, and what is recorded about the attempt that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    pub pid: u32,
    pub owner: Owner,
    /// None where the recorded commit is not there (any more).
    pub base: Option<ObjectId>,
    /// Everything that was in the tree when the attempt began, committed or not.
    pub tree: Option<ObjectId>,
    /// None in a lock with only the seed's three fields.
    pub branch: Option<String>,
    pub goal: Option<String>,
    /// Commits that were recorded as the attempt's.
    pub commits: Vec<ObjectId>,
    /// The tree that was judged, if the attempt got that far: then it only has to be settled.
    pub judged: Option<ObjectId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Alive,
    Gone,
}

/// The last attempt whose work was left in the tree for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub goal: String,
    /// The full name of the ref that has it too.
    pub name: String,
    pub branch: String,
    /// Paths at which the tree now has something else.
    pub differs: Vec<String>,
    /// Paths that were committed on the branch since the attempt's base.
    pub since: Vec<String>,
}

/// Commits that an attempt made before its process died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged {
    pub goal: String,
    pub branch: String,
    pub base: ObjectId,
    pub head: ObjectId,
    /// Paths at which HEAD now has something else than they left.
    pub on_top: Vec<String>,
    pub wanted: Wanted,
}

/// What a person wants with them, as the goal's status tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Still blocked: nobody has looked.
    Undecided,
    /// Active again: they go, and the goal is tried anew.
    AnotherTry,
    /// They stay as they are.
    Taken,
}

/// Whether an owner is the process that wrote the lock: a pid alone can be used again.
pub fn owner_of(recorded_start: Option<u64>, running: Option<Running>) -> Owner {
    match (recorded_start, running) {
        (_, None) => Owner::Gone,
        (Some(recorded), Some(Running { started: Some(now) })) if recorded != now => Owner::Gone,
        (_, Some(_)) => Owner::Alive,
    }
}

/// A process with the recorded pid, and when it started, where the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    pub started: Option<u64>,
}

/// What the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    pub place: Place,
    pub from: From,
    pub at: UtcTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    InPlace,
    /// `--isolate`: in a work tree of its own, so that the user's is not touched.
    Isolated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Base,
    /// `--continue`: kept work is where the next attempt begins.
    KeptWork,
}

/// What to do about what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartUp {
    /// Nothing is started and nothing was touched; exit 1.
    Refuse(Refusal),
    /// First this, then begin.
    Begin { first: Vec<StartAct>, because: Option<Cleared> },
    /// Only this; then exit 1, for a person has to look.
    GiveUp { first: Vec<StartAct>, why: Strange },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartAct {
    /// What is in the tree goes onto a ref whose parent is HEAD.
    Save {
        name: String,
    },
    BackToBase {
        base: ObjectId,
    },
    /// What is git's own gets back what it had when the attempt began: a hook that was left behind
    /// would run at the next commit, ours or the user's.
    Guard {
        refs: OtherRefs,
    },
    /// The branch goes from one commit back to another; the tree keeps what is in it.
    BranchBack {
        branch: String,
        from: ObjectId,
        to: ObjectId,
    },
    /// What the kept attempt left goes out of the tree; everything else stays.
    TakeOut,
    RemoveLock,
    BlockGoal {
        goal: String,
    },
}

/// What becomes of refs besides the attempt's branch that are not where they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherRefs {
    PutBack,
    /// Somebody has worked here since: they are only told of.
    Told,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    NotReady(NotReady),
    Git(GitProblem),
    AlreadyRunning {
        pid: u32,
    },
    UsersFiles {
        paths: Vec<String>,
    },
    /// Nobody has said what to do with commits that no gate has judged.
    Undecided {
        goal: String,
        base: ObjectId,
        head: ObjectId,
    },
    /// They are to go, and another branch is checked out.
    UndecidedElsewhere {
        goal: String,
        branch: String,
    },
    /// They are to go, and a run in lanes does not touch the checkout.
    UndecidedForLanes {
        goal: String,
        base: ObjectId,
        head: ObjectId,
    },
    /// They are to go, and something of the user lies on top.
    UndecidedBelow {
        goal: String,
        base: ObjectId,
        head: ObjectId,
    },
    /// What a kept attempt changed was changed by others since.
    KeptWorkOutdated {
        name: String,
        paths: Vec<String>,
    },
}

/// What was cleared away before the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cleared {
    DeadProcess { saved: String },
    KeptWork { goal: String, name: String },
    Unjudged { goal: String, saved: String },
}

/// Why the remains of a dead process are left as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strange {
    NoBase { saved: String },
    OtherBranch { saved: String, recorded: String },
    HeadMoved { saved: String },
}

/// Decides what a start does. `own` is the directory of our files, ending in `/`.
pub fn start_up(found: &Found, wish: Wish, own: &str) -> StartUp {
    if let Some(not_ready) = &found.not_ready {
        return StartUp::Refuse(Refusal::NotReady(not_ready.clone()));
    }
    let looked = match &found.looked {
        Ok(looked) => looked,
        Err(problem) => return refuse(problem.clone()),
    };
    let head = match &looked.head {
        Head::Unborn { .. } => return refuse(GitProblem::NoFirstCommit),
        Head::Branch { commit, .. } | Head::Detached { commit } => commit,
    };
    match &found.lock {
        Some(Lock { owner: Owner::Alive, pid, .. }) => {
            StartUp::Refuse(Refusal::AlreadyRunning { pid: *pid })
        }
        Some(lock) => recover(looked, head, lock, wish.at),
        None => begin(looked, head, found, wish, own),
    }
}

fn refuse(problem: GitProblem) -> StartUp {
    StartUp::Refuse(Refusal::Git(problem))
}

/// A process died here. Its remains are saved first, whatever happens to them then.
fn recover(looked: &Looked, head: &ObjectId, lock: &Lock, at: UtcTime) -> StartUp {
    let saved = recovered_ref(at);
    let save = StartAct::Save { name: saved.clone() };
    let begin = |first: Vec<StartAct>| {
        let because = first.contains(&save).then(|| Cleared::DeadProcess { saved: saved.clone() });
        StartUp::Begin { first, because }
    };
    if let Some(tree) = &lock.judged {
        let edited = looked.tree.as_ref() != Some(tree);
        let first = edited.then(|| save.clone()).into_iter().chain([StartAct::RemoveLock]);
        return begin(first.collect());
    }
    match strange(looked, head, lock, &saved) {
        Err(why) => {
            let block = lock.goal.clone().map(|goal| StartAct::BlockGoal { goal });
            let guard = StartAct::Guard { refs: OtherRefs::Told };
            let first = [guard, save, StartAct::RemoveLock].into_iter().chain(block).collect();
            StartUp::GiveUp { first, why }
        }
        // It died before its agent had done anything that shows in the tree.
        Ok(base) if base == head && (looked.uncommitted.is_empty() || as_found(lock, looked)) => {
            begin(vec![StartAct::Guard { refs: OtherRefs::PutBack }, StartAct::RemoveLock])
        }
        Ok(base) => {
            let back = StartAct::BackToBase { base: base.clone() };
            begin(vec![save.clone(), back, StartAct::RemoveLock])
        }
    }
}

fn as_found(lock: &Lock, looked: &Looked) -> bool {
    lock.tree.is_some() && lock.tree == looked.tree
}

/// The base to go back to, if branch and HEAD are where the dead process left them.
fn strange<'l>(
    looked: &Looked,
    head: &ObjectId,
    lock: &'l Lock,
    saved: &str,
) -> Result<&'l ObjectId, Strange> {
    let saved = || saved.to_owned();
    let Some(base) = &lock.base else { return Err(Strange::NoBase { saved: saved() }) };
    let on = match &looked.head {
        Head::Branch { name, .. } => Some(name),
        Head::Detached { .. } | Head::Unborn { .. } => None,
    };
    match (&lock.branch, on) {
        (Some(recorded), on) if on != Some(recorded) => {
            Err(Strange::OtherBranch { saved: saved(), recorded: recorded.clone() })
        }
        (Some(_), _)
            if looked.in_progress.is_none() && (head == base || lock.commits.contains(head)) =>
        {
            Ok(base)
        }
        // Without a recorded branch only a branch that need not move is safe to clean.
        (None, Some(_)) if looked.in_progress.is_none() && head == base => Ok(base),
        _ => Err(Strange::HeadMoved { saved: saved() }),
    }
}

fn begin(looked: &Looked, head: &ObjectId, found: &Found, wish: Wish, own: &str) -> StartUp {
    let untouched = StartUp::Begin { first: Vec::new(), because: None };
    let open = found.unjudged.as_ref().filter(|work| work.is_below(head, own));
    if let Some(work) = open.filter(|work| work.wanted == Wanted::Undecided) {
        let (goal, base, head) = (work.goal.clone(), work.base.clone(), work.head.clone());
        return StartUp::Refuse(Refusal::Undecided { goal, base, head });
    }
    if wish.place == Place::Isolated {
        return match open.filter(|work| work.wanted == Wanted::AnotherTry) {
            Some(work) => {
                let (goal, base, head) = (work.goal.clone(), work.base.clone(), work.head.clone());
                StartUp::Refuse(Refusal::UndecidedForLanes { goal, base, head })
            }
            None => untouched,
        };
    }
    // First, for a rebase detaches HEAD itself.
    if let Some(what) = &looked.in_progress {
        return refuse(GitProblem::InProgress { what: what.clone() });
    }
    if matches!(looked.head, Head::Detached { .. }) {
        return refuse(GitProblem::Detached);
    }
    let all = users_files(looked, own);
    let kept = found.kept.as_ref().filter(|kept| is_on(looked, &kept.branch));
    let paths: Vec<String> = match kept {
        // Files that are as the attempt left them are its own.
        Some(kept) if open.is_some() || kept.since.iter().all(|path| path.starts_with(own)) => {
            all.iter().filter(|path| kept.differs.contains(path)).cloned().collect()
        }
        _ => all.clone(),
    };
    if !paths.is_empty() {
        return StartUp::Refuse(Refusal::UsersFiles { paths });
    }
    match (open.filter(|work| work.wanted == Wanted::AnotherTry), kept) {
        (Some(work), _) => try_anew(looked, head, work, wish.at),
        (None, Some(kept)) if !all.is_empty() => {
            let save = StartAct::Save { name: kept.name.clone() };
            let (goal, name) = (kept.goal.clone(), kept.name.clone());
            let because = Some(Cleared::KeptWork { goal, name });
            StartUp::Begin { first: vec![save, StartAct::TakeOut], because }
        }
        (None, _) => untouched,
    }
}

impl Unjudged {
    /// Whether nobody has done anything about the commits but to commit files of ours on top.
    fn is_below(&self, head: &ObjectId, own: &str) -> bool {
        *head != self.base && self.on_top.iter().all(|path| path.starts_with(own))
    }
}

fn is_on(looked: &Looked, branch: &str) -> bool {
    matches!(&looked.head, Head::Branch { name, .. } if name == branch)
}

/// Commits that nobody judged leave the branch; a ref keeps them.
fn try_anew(looked: &Looked, head: &ObjectId, work: &Unjudged, at: UtcTime) -> StartUp {
    let (goal, branch) = (work.goal.clone(), work.branch.clone());
    let (base, commits) = (work.base.clone(), work.head.clone());
    if !is_on(looked, &branch) {
        return StartUp::Refuse(Refusal::UndecidedElsewhere { goal, branch });
    }
    if *head != work.head {
        return StartUp::Refuse(Refusal::UndecidedBelow { goal, base, head: commits });
    }
    let saved = recovered_ref(at);
    let save = StartAct::Save { name: saved.clone() };
    let back = StartAct::BranchBack { branch, from: commits, to: base };
    let because = Some(Cleared::Unjudged { goal, saved });
    StartUp::Begin { first: vec![save, back, StartAct::TakeOut], because }
}

/// Uncommitted files outside of our own directory.
fn users_files(looked: &Looked, own: &str) -> Vec<String> {
    let paths = looked.uncommitted.iter().map(|file| &file.path);
    paths.filter(|path| !path.starts_with(own)).cloned().collect()
}

impl Refusal {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NotReady(NotReady::InvalidConfig { findings }) => {
                say::invalid_config(lang, findings)
            }
            Self::NotReady(NotReady::NoAgent { line }) => say::no_agent(lang, line),
            Self::Git(problem) => problem.what(lang),
            Self::AlreadyRunning { pid } => say::already_running(lang, pid),
            Self::UsersFiles { paths } => say::users_files(lang, named(paths)),
            Self::Undecided { goal, base, head }
            | Self::UndecidedForLanes { goal, base, head }
            | Self::UndecidedBelow { goal, base, head } => {
                say::undecided(lang, goal, short(base), short(head))
            }
            Self::UndecidedElsewhere { goal, branch } => {
                say::undecided_elsewhere(lang, goal, branch)
            }
            Self::KeptWorkOutdated { name, paths } => {
                say::kept_work_outdated(lang, name, named(paths))
            }
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::NotReady(NotReady::InvalidConfig { .. }) => say::invalid_config_next(lang),
            Self::NotReady(NotReady::NoAgent { .. }) => say::no_agent_next(lang),
            Self::Git(problem) => problem.next(lang),
            Self::AlreadyRunning { .. } => say::already_running_next(lang),
            Self::UsersFiles { .. } => say::users_files_next(lang),
            Self::Undecided { goal, base, head } => {
                say::undecided_next(lang, shell_word(goal), short(base), short(head))
            }
            Self::UndecidedForLanes { goal, base, .. } => {
                say::undecided_for_lanes_next(lang, shell_word(goal), short(base))
            }
            Self::UndecidedBelow { goal, base, head } => {
                say::undecided_below_next(lang, goal, short(base), short(head))
            }
            Self::UndecidedElsewhere { branch, .. } => {
                let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
                say::undecided_elsewhere_next(lang, branch)
            }
            Self::KeptWorkOutdated { name, .. } => say::kept_work_outdated_next(lang, name),
        }
    }
}

impl Cleared {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::DeadProcess { saved } => say::dead_process(lang, saved),
            Self::KeptWork { goal, name } => say::kept_work(lang, goal, name),
            Self::Unjudged { goal, saved } => say::unjudged(lang, goal, saved),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::DeadProcess { saved: name }
            | Self::KeptWork { name, .. }
            | Self::Unjudged { saved: name, .. } => say::get_back(lang, name),
        }
    }
}

impl Strange {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NoBase { .. } => say::no_base(lang),
            Self::OtherBranch { recorded, .. } => say::other_branch(lang, recorded),
            Self::HeadMoved { .. } => say::head_moved(lang),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::NoBase { saved }
            | Self::OtherBranch { saved, .. }
            | Self::HeadMoved { saved } => say::look_yourself(lang, saved),
        }
    }
}

/// An object's name as people type it.
fn short(id: &ObjectId) -> &str {
    id.as_str().get(..12).unwrap_or_default()
}

/// How many files a message names.
const NAMED: usize = 10;

/// The first of some paths, and how many more there are.
pub fn named(paths: &[String]) -> String {
    let shown = paths.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} (+{more})"),
    }
}
