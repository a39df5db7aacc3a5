//! What a start does about what it finds: another process, the remains of one that died, files of
//! the user. A decision over facts; it touches nothing, and what it wants is a plan.

use crate::attempt::base::{ObjectId, recovered_ref};
use crate::attempt::git_problem::GitProblem;
use crate::attempt::workspace::{Head, Looked};
use crate::time::UtcTime;
use crate::words::Lang;

/// Everything that a start looks at.
#[derive(Clone, Debug)]
pub struct Found {
    /// What keeps any attempt from starting, whatever the tree looks like.
    pub not_ready: Option<NotReady>,
    pub looked: Result<Looked, GitProblem>,
    pub lock: Option<Lock>,
    pub kept: Option<Kept>,
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
    pub base: ObjectId,
    /// Where the attempt left its branch.
    pub head: ObjectId,
    pub tree: ObjectId,
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
    RemoveLock,
    BlockGoal {
        goal: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    NotReady(NotReady),
    Git(GitProblem),
    AlreadyRunning { pid: u32 },
    UsersFiles { paths: Vec<String> },
}

/// What was cleared away before the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cleared {
    DeadProcess { saved: String },
    KeptWork { goal: String, name: String },
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
        None => begin(looked, head, found.kept.as_ref(), wish, own),
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
            let first = [save, StartAct::RemoveLock].into_iter().chain(block).collect();
            StartUp::GiveUp { first, why }
        }
        // It died before its agent had done anything.
        Ok(base) if base == head && looked.uncommitted.is_empty() => {
            begin(vec![StartAct::RemoveLock])
        }
        Ok(base) => {
            let back = StartAct::BackToBase { base: base.clone() };
            begin(vec![save.clone(), back, StartAct::RemoveLock])
        }
    }
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

fn begin(looked: &Looked, head: &ObjectId, kept: Option<&Kept>, wish: Wish, own: &str) -> StartUp {
    let untouched = StartUp::Begin { first: Vec::new(), because: None };
    if wish.place == Place::Isolated {
        return untouched;
    }
    if matches!(looked.head, Head::Detached { .. }) {
        return refuse(GitProblem::Detached);
    }
    if let Some(what) = &looked.in_progress {
        return refuse(GitProblem::InProgress { what: what.clone() });
    }
    let still_there = |kept: &&Kept| {
        looked.tree.as_ref() == Some(&kept.tree) && (*head == kept.head || *head == kept.base)
    };
    match (kept.filter(still_there), wish.from) {
        (Some(_), From::KeptWork) => return untouched,
        (Some(kept), From::Base) => {
            let save = StartAct::Save { name: kept.name.clone() };
            let back = StartAct::BackToBase { base: kept.base.clone() };
            let (goal, name) = (kept.goal.clone(), kept.name.clone());
            let because = Some(Cleared::KeptWork { goal, name });
            return StartUp::Begin { first: vec![save, back], because };
        }
        (None, _) => {}
    }
    let paths = users_files(looked, own);
    if paths.is_empty() { untouched } else { StartUp::Refuse(Refusal::UsersFiles { paths }) }
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
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::NotReady(NotReady::InvalidConfig { .. }) => say::invalid_config_next(lang),
            Self::NotReady(NotReady::NoAgent { .. }) => say::no_agent_next(lang),
            Self::Git(problem) => problem.next(lang),
            Self::AlreadyRunning { .. } => say::already_running_next(lang),
            Self::UsersFiles { .. } => say::users_files_next(lang),
        }
    }
}

impl Cleared {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::DeadProcess { saved } => say::dead_process(lang, saved),
            Self::KeptWork { goal, name } => say::kept_work(lang, goal, name),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::DeadProcess { saved: name } | Self::KeptWork { name, .. } => {
                say::get_back(lang, name)
            }
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

/// How many files a message names.
const NAMED: usize = 10;

fn named(paths: &[String]) -> String {
    let shown = paths.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} (+{more})"),
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        invalid_config(findings) { en: "the configuration is not valid: {findings}", ko: "설정이 올바르지 않습니다: {findings}" }
        invalid_config_next() { en: "mend .ai/config.yaml; hast verify shows each place", ko: ".ai/config.yaml을 고치세요. hast verify가 위치를 보여 줍니다" }
        no_agent(line) { en: "the agent is not installed: {line}", ko: "에이전트가 설치되어 있지 않습니다: {line}" }
        no_agent_next() { en: "install it, or name another in ai_tool or with --tool", ko: "설치하거나 ai_tool 또는 --tool로 다른 에이전트를 지정하세요" }
        already_running(pid) { en: "hast auto is already running here (process {pid})", ko: "이미 hast auto가 실행 중입니다 (프로세스 {pid})" }
        already_running_next() { en: "wait for it, or look at it with hast status", ko: "끝나기를 기다리거나 hast status로 확인하세요" }
        users_files(files) { en: "these files are not committed, and a rollback must not touch them: {files}", ko: "커밋되지 않은 파일이 있습니다. 롤백이 건드리면 안 됩니다: {files}" }
        users_files_next() { en: "commit them, git stash -u, or use --isolate", ko: "커밋하거나, git stash -u를 하거나, --isolate를 쓰세요" }
        dead_process(saved) { en: "the last run ended abnormally; its work is on {saved} and the tree is back at its base", ko: "이전 실행이 비정상 종료됨. 작업은 {saved}에 저장하고 롤백 후 재시작합니다" }
        kept_work(goal, name) { en: "the tree held the kept work of {goal}; it is on {name} and the tree is back at its base", ko: "작업 트리에 {goal}의 보존된 작업이 있었습니다. {name}에 있으며 트리는 기준으로 되돌렸습니다" }
        get_back(name) { en: "to get it back: git restore --source={name} -- .", ko: "되찾으려면: git restore --source={name} -- ." }
        no_base() { en: "the last run ended abnormally, and the commit it began at is not known", ko: "이전 실행이 비정상 종료됨. 시작한 커밋을 알 수 없습니다" }
        other_branch(recorded) { en: "the last run ended abnormally on {recorded}, and another branch is checked out now", ko: "이전 실행이 {recorded}에서 비정상 종료됨. 지금은 다른 브랜치입니다" }
        head_moved() { en: "the last run ended abnormally, and the branch has moved since", ko: "이전 실행이 비정상 종료됨. 그 뒤 브랜치가 움직였습니다" }
        look_yourself(saved) { en: "nothing was changed; a copy of the tree is on {saved}. Look at it, then hast retry the goal", ko: "아무것도 바꾸지 않았습니다. 트리의 사본은 {saved}에 있습니다. 확인한 뒤 목표를 hast retry 하세요" }
    }
}
