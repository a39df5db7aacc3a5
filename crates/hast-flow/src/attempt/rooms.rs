//! A room as data: where an agent works, apart from the user's checkout and repository, and what
//! hast finds there afterwards. `hast-world` makes rooms; nothing here touches a disk.

use serde::{Deserialize, Serialize};

use super::base::ObjectId;
use super::evidence::{Breach, Change, RepoPath};
use crate::messages;
use crate::words::Lang;

/// The record of a room. hast writes it last: a directory without it is garbage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoomRecord {
    pub version: u32,
    /// The user's checkout that the room belongs to.
    pub checkout: String,
    /// The commit that the tree was made from.
    pub base: ObjectId,
    /// The unit of work that has the room; a room without one is free.
    #[serde(default)]
    pub unit: Option<String>,
    /// The full name of the user's branch; none where HEAD is detached.
    pub branch: Option<String>,
    #[serde(default)]
    pub kind: RoomKind,
    pub state: RoomState,
    /// The start of the machine during which the room was opened.
    pub boot_id: String,
}

/// The version of [`RoomRecord`] that this program writes.
pub const ROOM_VERSION: u32 = 1;

/// The path at which an agent sees its room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomKind {
    /// The path of the user's checkout: ignored files of the user are seen there, and stay as they are.
    SamePath,
    /// The path of the room itself.
    #[default]
    OwnPath,
}

/// The kind of room that works here, by trying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoomAbility {
    SamePath,
    OwnPath(OwnPathReason),
}

/// Why rooms are at a path of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnPathReason {
    /// `room: own-path` in the configuration.
    Asked,
    /// `sandbox: off` in the configuration: nothing is mounted.
    NoSandbox,
    /// The test command or a compose file speaks of docker, whose server sees the user's files.
    Docker,
    /// Something else is mounted below the checkout.
    MountBelow { path: String },
    /// The machine refused the trial.
    Refused { why: String },
}

impl RoomAbility {
    pub fn kind(&self) -> RoomKind {
        match self {
            Self::SamePath => RoomKind::SamePath,
            Self::OwnPath(_) => RoomKind::OwnPath,
        }
    }

    /// Why rooms are not at the checkout's path, where nobody asked for that.
    pub fn degraded(&self) -> Option<&OwnPathReason> {
        match self {
            Self::SamePath => None,
            Self::OwnPath(OwnPathReason::Asked | OwnPathReason::NoSandbox) => None,
            Self::OwnPath(why) => Some(why),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomState {
    /// An agent may work, or have worked, in it.
    Open,
    /// hast is putting it back to a commit: what is in it is nobody's work.
    Resetting,
}

/// The tree of what is in a room, compared with its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomChanges {
    /// What a commit would hold, as an object of git.
    pub tree: ObjectId,
    pub changes: Vec<Change>,
    /// Changed paths at which a symbolic link is now.
    pub links: Vec<RepoPath>,
    /// Things that no commit can hold, or that lead out of the tree.
    pub breaches: Vec<Breach>,
}

/// The commits that an agent made by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnCommits {
    /// It made none.
    None,
    /// An honest continuation of the base, oldest first; the repository has them now.
    Linear(Vec<ObjectId>),
    /// Its commits are not kept: hast makes one commit of the tree.
    Squash(SquashReason),
}

/// Why an agent's commits are not kept. None of these fails an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SquashReason {
    /// HEAD is on another branch, or on none.
    OtherBranch,
    /// The room's git directory cannot be read.
    Unreadable {
        what: String,
    },
    /// The base is no ancestor, or a commit has two parents.
    NotLinear,
    TooMany {
        commits: usize,
    },
    /// An object is missing, or is not what its name says.
    BadObjects {
        said: String,
    },
    /// A commit has a path that no attempt may commit, or that is out of scope.
    OutOfScope {
        path: RepoPath,
    },
    /// A commit has a path that is not in the room's tree any more.
    NotInTree {
        path: RepoPath,
    },
    /// A commit adds or moves a submodule.
    Submodule {
        path: RepoPath,
    },
    /// The user signs commits, and an agent has no key.
    Signed,
    /// The user has a commit hook, which no commit of an agent has passed.
    Hook {
        name: String,
    },
    /// A filter of the user's converts this path, and the agent's git has none.
    Filter {
        path: RepoPath,
    },
}

messages! {
    asked() { en: "`room: own-path` asks for it", ko: "`room: own-path` 설정 때문입니다" }
    no_sandbox() { en: "`sandbox: off` mounts nothing", ko: "`sandbox: off`에서는 아무것도 마운트하지 않습니다" }
    docker() { en: "the tests speak of docker, whose server would see your files and not the room's", ko: "테스트가 docker를 쓰는데, docker 서버는 작업실이 아니라 사용자의 파일을 봅니다" }
    mount_below(path) { en: "something is mounted at {path}, below the checkout", ko: "체크아웃 아래 {path}에 다른 것이 마운트되어 있습니다" }
    refused(why) { en: "this machine refuses a tree over the checkout: {why}", ko: "이 컴퓨터가 체크아웃 위에 트리를 겹치는 것을 거부합니다: {why}" }
    other_branch() { en: "the agent left the branch", ko: "에이전트가 브랜치를 떠났습니다" }
    unreadable(what) { en: "the room's git directory cannot be read: {what}", ko: "작업실의 git 디렉터리를 읽을 수 없습니다: {what}" }
    not_linear() { en: "the agent's commits do not follow the base one by one", ko: "에이전트의 커밋이 기준 커밋에서 한 줄로 이어지지 않습니다" }
    too_many(commits) { en: "the agent made {commits} commits, more than hast keeps one by one", ko: "에이전트의 커밋이 {commits}개로, 하나씩 남길 수 있는 수를 넘습니다" }
    bad_objects(said) { en: "the agent's commits are damaged: {said}", ko: "에이전트의 커밋이 손상되었습니다: {said}" }
    out_of_scope(path) { en: "a commit of the agent changes {path}, which is out of scope", ko: "에이전트의 커밋이 범위 밖의 {path}(을)를 바꿉니다" }
    not_in_tree(path) { en: "a commit of the agent has {path}, which is not in the tree any more", ko: "에이전트의 커밋에 있는 {path}(이)가 이제 트리에 없습니다" }
    submodule(path) { en: "a commit of the agent changes the submodule {path}", ko: "에이전트의 커밋이 서브모듈 {path}(을)를 바꿉니다" }
    signed() { en: "you sign your commits (commit.gpgsign)", ko: "커밋에 서명하도록 설정되어 있습니다(commit.gpgsign)" }
    hook(name) { en: "you have a {name} hook, which the agent's commits did not pass", ko: "{name} 훅이 있는데 에이전트의 커밋은 이를 거치지 않았습니다" }
    filter(path) { en: "{path} has a filter attribute, which the agent's git does not apply", ko: "{path}에 filter 속성이 있는데 에이전트의 git은 이를 적용하지 않습니다" }
}

impl OwnPathReason {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::Asked => asked(lang),
            Self::NoSandbox => no_sandbox(lang),
            Self::Docker => docker(lang),
            Self::MountBelow { path } => mount_below(lang, path),
            Self::Refused { why } => refused(lang, why),
        }
    }
}

impl SquashReason {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::OtherBranch => other_branch(lang),
            Self::Unreadable { what } => unreadable(lang, what),
            Self::NotLinear => not_linear(lang),
            Self::TooMany { commits } => too_many(lang, commits),
            Self::BadObjects { said } => bad_objects(lang, said),
            Self::OutOfScope { path } => out_of_scope(lang, path),
            Self::NotInTree { path } => not_in_tree(lang, path),
            Self::Submodule { path } => submodule(lang, path),
            Self::Signed => signed(lang),
            Self::Hook { name } => hook(lang, name),
            Self::Filter { path } => filter(lang, path),
        }
    }
}

/// Refs that keep the bases of rooms reachable while the user prunes.
pub const ROOM_REFS: &str = "refs/hast/rooms/";

/// The ref of a room's base. Slots of several checkouts of one repository have names of their own.
pub fn room_ref(rooms: &str, slot: &str) -> String {
    format!("{ROOM_REFS}{rooms}/{slot}")
}
