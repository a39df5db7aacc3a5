//! Why git did not do what was asked, and what to do next, in both languages.

use super::base::ObjectId;
use crate::formats::grant_words::RefusedGrant;
use crate::messages;
use crate::words::{Lang, shell_word};

/// Every way in which a workspace refuses or fails. Nothing was thrown away when it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitProblem {
    /// There is no git on `PATH`.
    NotInstalled,
    /// It cannot be started, or is too old.
    NoGit {
        why: String,
    },
    NotARepository {
        path: String,
    },
    /// It belongs to somebody else, and nothing says that it is safe: git would not work in it.
    NotYours {
        /// What belongs to somebody else, and the top of its work tree.
        path: String,
        top: String,
        owner: u32,
        you: u32,
    },
    NoFirstCommit,
    /// The user's git signs commits, and this one could not be signed.
    NotSigned {
        said: String,
    },
    /// A branch that work was to go onto was renamed or deleted.
    BranchGone {
        name: String,
    },
    /// A link stands where work trees are made.
    Linked {
        path: String,
    },
    /// A merge, rebase or the like of the user is under way.
    InProgress {
        what: String,
    },
    /// Another git is at work here.
    Locked {
        path: String,
    },
    /// A filter that only this repository's config defines: running it is not ours to decide, and
    /// without it contents would be compared and committed wrongly.
    RepositoryFilter {
        name: String,
    },
    /// Without a sandbox: settings, hooks or refs of the user's are not as they were before the agent
    /// started.
    RepositoryChanged {
        changed: Vec<String>,
    },
    /// Git does not see what agents have to write here.
    HandoffsIgnored {
        directory: String,
        /// What a rule names: a directory above it, itself, or the files in it.
        at: String,
    },
    /// A path of `sandbox_write` would let agents write past their rooms.
    Grant(RefusedGrant),
    /// A branch of this name does not let hast make those that begin with it and a slash.
    BranchInTheWay {
        name: String,
    },
    /// A ref is not where it was expected.
    Moved {
        name: String,
        expected: Option<ObjectId>,
        found: Option<ObjectId>,
    },
    /// HEAD is not on the branch that somebody works on.
    OtherBranch {
        name: String,
        found: String,
    },
    /// Files changed since they were saved.
    EditedSince {
        paths: Vec<String>,
    },
    /// Something of the user's is where files are to be brought.
    InTheWay {
        paths: Vec<String>,
    },
    /// A branch that somebody stands on is not deleted.
    CheckedOut {
        name: String,
        at: String,
    },
    /// An object that was recorded is no longer there.
    Lost {
        what: String,
    },
    TimedOut {
        command: String,
    },
    /// It gave no answer: something ended it with a signal, as the system does where memory is short.
    Killed {
        command: String,
    },
    /// The files of a merge could not be written into the user's checkout.
    NotWritten {
        said: String,
    },
    TooMuch {
        what: String,
    },
    Disk {
        path: String,
        why: String,
    },
    /// The commit that a room was made from is not in this repository. The room's files were laid aside.
    RoomOfAnother {
        path: String,
    },
    /// A file is where hast needs a directory.
    NoDirectory {
        path: String,
    },
    /// Git said no for a reason of its own.
    Refused {
        command: String,
        said: String,
    },
}

messages! {
    not_installed() { en: "there is no git on PATH", ko: "PATH에 git이 없습니다" }
    no_git(why) { en: "git cannot be used: {why}", ko: "git을 쓸 수 없습니다: {why}" }
    no_git_next() { en: "install git 2.36 or newer and put it on PATH", ko: "git 2.36 이상을 설치하고 PATH에 두세요" }
    not_a_repository(path) { en: "{path} is not a git repository", ko: "{path}(은)는 git 저장소가 아닙니다" }
    not_a_repository_next() { en: "run `git init`, commit once, then run the command again", ko: "`git init`을 실행하고 한 번 커밋한 뒤 명령을 다시 실행하세요" }
    not_yours(path, owner, you) { en: "{path} belongs to the user {owner} and you are {you}: git does not work in repositories of others", ko: "{path}의 소유자는 {owner}이고 현재 사용자는 {you}입니다. git은 다른 사용자의 저장소에서 동작하지 않습니다" }
    not_yours_next(top) { en: "if you trust it, run `git config --global --add safe.directory {top}`, then the same command again", ko: "신뢰한다면 `git config --global --add safe.directory {top}`(을)를 실행한 뒤 같은 명령을 다시 실행하세요" }
    not_signed(said) { en: "the commit could not be signed, and commit.gpgsign is set: {said}", ko: "commit.gpgsign이 켜져 있지만 커밋에 서명하지 못했습니다: {said}" }
    not_signed_next() { en: "make `git commit -S --allow-empty` work here, or run `git config commit.gpgsign false`; then the same command again goes on with the commit", ko: "이곳에서 `git commit -S --allow-empty`가 되게 하거나 `git config commit.gpgsign false`를 실행하세요. 그 뒤 같은 명령을 다시 실행하면 커밋부터 이어집니다" }
    no_first_commit() { en: "the repository has no first commit", ko: "저장소에 첫 커밋이 없습니다" }
    no_first_commit_next() { en: "run `git add -A && git commit -m start`, then run the command again", ko: "`git add -A && git commit -m start`를 실행한 뒤 명령을 다시 실행하세요" }
    branch_gone(name) { en: "the branch {name} is gone", ko: "브랜치 {name}(이)가 없습니다" }
    branch_gone_next(name) { en: "bring {name} back (`git reflog` has its last commit, `git branch -m` its old name), then run the command again", ko: "{name}(을)를 되살린 뒤 명령을 다시 실행하세요. 마지막 커밋은 `git reflog`에 있고, 이름은 `git branch -m`으로 되돌릴 수 있습니다" }
    linked(path) { en: "{path} is a link, and hast makes and removes work trees only in a directory of its own", ko: "{path}(이)가 링크입니다. hast는 자신의 디렉터리에서만 작업 트리를 만들고 지웁니다" }
    linked_next(path) { en: "look where it leads with `ls -l {path}`; remove the link, then run the command again", ko: "`ls -l {path}`(으)로 어디를 가리키는지 확인하고, 링크를 지운 뒤 명령을 다시 실행하세요" }
    in_progress(what) { en: "a {what} is under way in this repository", ko: "이 저장소에서 {what} 작업이 진행 중입니다" }
    in_progress_next(what) { en: "finish or abort the {what}, then run the command again", ko: "{what} 작업을 끝내거나 취소한 뒤 명령을 다시 실행하세요" }
    locked(path) { en: "another git is at work here: {path} is there", ko: "다른 git이 작업 중입니다: {path}(이)가 있습니다" }
    locked_next(path) { en: "wait for it to end; if none runs, delete {path}", ko: "끝나기를 기다리세요. 실행 중인 git이 없으면 {path}(을)를 지우세요" }
    repository_filter(name) { en: "the repository's own config defines the filter `{name}`, which hast does not run", ko: "저장소의 설정이 필터 `{name}`(을)를 정의하지만 hast는 이를 실행하지 않습니다" }
    repository_changed(changed) { en: "while an agent worked without a sandbox, your repository changed: {changed}", ko: "샌드박스 없이 에이전트가 일하는 동안 저장소가 바뀌었습니다: {changed}" }
    repository_changed_next() { en: "look at these, put them back if it was not you (git reflog shows where refs were), and start again; with `sandbox: auto` no agent reaches them", ko: "직접 바꾼 것이 아니면 확인하고 되돌린 뒤(ref의 이전 위치는 git reflog) 다시 시작하세요. `sandbox: auto`에서는 에이전트가 건드릴 수 없습니다" }
    repository_filter_next(name) { en: "if you trust it, move `filter.{name}` to your own config with `git config --global`", ko: "신뢰한다면 `git config --global`로 `filter.{name}`(을)를 사용자 설정으로 옮기세요" }
    branch_in_the_way(name) { en: "the branch `{name}` is in the way of the branches that hast makes below {name}/", ko: "브랜치 `{name}` 때문에 hast가 {name}/ 아래에 브랜치를 만들 수 없습니다" }
    branch_in_the_way_next(name) { en: "rename it with `git branch -m {name} NAME`, then run the same command again", ko: "`git branch -m {name} NAME`으로 이름을 바꾼 뒤 같은 명령을 다시 실행하세요" }
    moved(name, found) { en: "{name} is not where it was expected: it is at {found}", ko: "{name}(이)가 예상과 다른 곳에 있습니다: {found}" }
    moved_next(name) { en: "somebody else moved it, and it stays there; look at `git log {name}`, then run the command again", ko: "다른 이가 옮겼으며 그대로 둡니다. `git log {name}`(을)를 확인한 뒤 명령을 다시 실행하세요" }
    other_branch(name, found) { en: "HEAD is on {found} and not on {name}", ko: "HEAD가 {name}(이)가 아니라 {found}에 있습니다" }
    other_branch_next(name) { en: "`git switch` back to {name}, then run the command again", ko: "`git switch`로 {name}(으)로 돌아간 뒤 명령을 다시 실행하세요" }
    handoffs_ignored(directory) { en: "git ignores {directory}: a handoff that is written there could be seen by nobody", ko: "git이 {directory}(을)를 무시하므로, 거기에 쓴 인수인계는 아무도 볼 수 없습니다" }
    handoffs_ignored_next(directory, lines) { en: "`git check-ignore -v --no-index {directory}x.md` names the rule; take it out, or let these lines follow it, each on its own: {lines}; then run the same command again", ko: "`git check-ignore -v --no-index {directory}x.md`로 규칙을 찾아 지우거나, 그 아래에 다음을 한 줄씩 적으세요: {lines}. 그런 다음 같은 명령을 다시 실행하세요" }
    edited_since(paths) { en: "files changed after they were saved: {paths}", ko: "저장한 뒤 바뀐 파일이 있습니다: {paths}" }
    edited_since_next() { en: "they were left as they are; save them again, then roll back", ko: "그대로 두었습니다. 다시 저장한 뒤 되돌리세요" }
    in_the_way(paths) { en: "these are in the way, and nothing is written over them: {paths}", ko: "덮어쓰지 않을 파일이 그 자리에 있습니다: {paths}" }
    in_the_way_next() { en: "nothing was touched; move them elsewhere or commit them, then run the command again", ko: "아무것도 건드리지 않았습니다. 다른 곳으로 옮기거나 커밋한 뒤 명령을 다시 실행하세요" }
    checked_out(name, at) { en: "{name} is checked out at {at}", ko: "{name}(이)가 {at}에 체크아웃되어 있습니다" }
    checked_out_next() { en: "nothing was deleted; switch to another branch there, then run the command again", ko: "아무것도 지우지 않았습니다. 그곳에서 다른 브랜치로 바꾼 뒤 명령을 다시 실행하세요" }
    lost(what) { en: "{what} was recorded in git and is no longer there", ko: "git에 기록된 {what}(이)가 더는 없습니다" }
    lost_next() { en: "nothing was touched; run `git fsck`, restore the repository's objects, then run the command again", ko: "아무것도 건드리지 않았습니다. `git fsck`를 실행하고 저장소의 객체를 되살린 뒤 명령을 다시 실행하세요" }
    timed_out(command) { en: "`git {command}` did not end in time", ko: "`git {command}`(이)가 제시간에 끝나지 않았습니다" }
    timed_out_next() { en: "check the disk and other programs that use the repository, then run the command again", ko: "디스크와 저장소를 쓰는 다른 프로그램을 확인한 뒤 명령을 다시 실행하세요" }
    killed(command) { en: "`git {command}` was ended by a signal before it was done", ko: "`git {command}`(이)가 끝나기 전에 시그널로 종료되었습니다" }
    killed_next() { en: "make sure that there is enough memory and that nothing ends processes here, then run the same command again: it goes on where it was", ko: "메모리가 충분한지, 프로세스를 종료하는 것이 없는지 확인한 뒤 같은 명령을 다시 실행하면 이어집니다" }
    not_written(said) { en: "the files of the merge could not be written into your checkout: {said}", ko: "병합할 파일을 체크아웃에 쓰지 못했습니다: {said}" }
    not_written_next() { en: "free space and make the named files writable, then run the same command again: it goes on with the merge", ko: "공간을 비우고 위 파일을 쓸 수 있게 한 뒤 같은 명령을 다시 실행하면 병합부터 이어집니다" }
    too_much(what) { en: "there is more than hast reads: {what}", ko: "hast가 읽을 수 있는 양을 넘었습니다: {what}" }
    too_much_next() { en: "ignore or commit generated files, then run the command again", ko: "생성된 파일을 무시 목록에 넣거나 커밋한 뒤 명령을 다시 실행하세요" }
    disk(path, why) { en: "{path}: {why}", ko: "{path}: {why}" }
    room_of_another(path) { en: "an agent worked from a commit that is not in this repository: another repository was here, or the commit was deleted. What it left is in {path}", ko: "에이전트가 이 저장소에 없는 커밋에서 일하고 있었습니다. 여기에 다른 저장소가 있었거나 그 커밋이 지워졌습니다. 남은 파일은 {path}에 있습니다" }
    room_of_another_next() { en: "look there if you need it (`hast auto --gc` deletes it), then run the command again: the goal begins anew", ko: "필요하면 그곳을 확인하고(`hast auto --gc`가 지웁니다) 명령을 다시 실행하세요. 목표는 처음부터 시작합니다" }
    no_directory(path) { en: "{path} is a file, and hast needs a directory there", ko: "{path}(은)는 파일인데, 그 자리에 디렉터리가 필요합니다" }
    no_directory_next(path, aside) { en: "move it away with mv {path} {aside}, then run the command again", ko: "mv {path} {aside}(으)로 옮긴 뒤 명령을 다시 실행하세요" }
    disk_full_next(path) { en: "free space on the disk that holds {path}, then run the command again: it goes on where it was. What an agent wrote into the room there may be what fills it", ko: "{path}(이)가 있는 디스크의 공간을 비운 뒤 명령을 다시 실행하면 이어집니다. 에이전트가 그 방에 쓴 파일이 디스크를 채웠을 수 있습니다" }
    disk_next(path) { en: "make {path} readable and writable, free space if needed, then run the command again", ko: "{path}(을)를 읽고 쓸 수 있게 하고 필요하면 공간을 비운 뒤 명령을 다시 실행하세요" }
    damaged_next() { en: "repair the file of the repository that git names, or move it away (`git fsck` says more), then run the same command again: it goes on where it was", ko: "git이 가리키는 저장소 파일을 고치거나 옮긴 뒤(`git fsck`가 더 알려 줍니다) 같은 명령을 다시 실행하면 이어집니다" }
    refused(command, said) { en: "`git {command}` failed: {said}", ko: "`git {command}`(이)가 실패했습니다: {said}" }
    refused_next() { en: "what git says names the cause; `git status` and `git fsck` say more and change nothing. Put it right, then run the command again", ko: "git의 메시지가 원인입니다. 아무것도 바꾸지 않는 `git status`와 `git fsck`로 더 확인할 수 있습니다. 바로잡은 뒤 명령을 다시 실행하세요" }
    not_fetched_next() { en: "this repository is a partial clone, and its remote did not give what is missing: make `git fetch` work here (network, login), then run the same command again", ko: "일부 객체만 받은 저장소(partial clone)이고, 빠진 객체를 원격에서 받지 못했습니다. 이곳에서 `git fetch`가 되게 한 뒤(네트워크, 로그인) 같은 명령을 다시 실행하세요" }
}

/// What the system and git say of a disk that takes nothing more, in words that no locale changes.
/// Git names no cause where it was in the middle of a file.
const OF_THE_DISK: [&str; 6] = [
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Out of diskspace",
    "unable to write ",
    "write error",
];

const OF_A_FULL_DISK: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// Words of git about a repository that it cannot read.
const OF_DAMAGE: [&str; 14] = [
    "ignoring broken ref",
    "not a git repository",
    "unexpected line in ",
    "bad shallow line",
    "reference broken",
    "bad config line",
    "index file smaller than expected",
    "index file corrupt",
    "bad index file",
    "bad signature",
    "unable to read sha1 file",
    "unable to read tree",
    "is corrupt",
    "is empty",
];

/// Words of git about an object that a partial clone has not got.
const OF_FETCHING: [&str; 6] = [
    "from promisor remote",
    "lazy fetching disabled",
    "does not appear to be a git repository",
    "Could not read from remote repository",
    "Could not resolve host",
    "Authentication failed",
];

/// Git's own words: within quotes are names, and an agent can choose those.
fn says(said: &str, any: &[&str]) -> bool {
    said.split('\'').step_by(2).any(|part| any.iter().any(|words| part.contains(words)))
}

/// Commands that write to the user's repository alone, whatever an agent has left in its room.
fn writes_to_the_repository(command: &str) -> bool {
    ["update-ref ", "commit-tree "].iter().any(|start| command.starts_with(start))
}

/// Lines of a `.gitignore` after which git sees the files of a directory, where a rule before them names
/// `at`. Below a directory that is left out as a whole nothing can be taken in again.
fn seen_again(directory: &str, at: &str) -> Vec<String> {
    let above = directory.match_indices('/').map(|(end, _)| &directory[..=end]);
    let left_out = above.filter(|above| above.len() >= at.len() && *above != directory);
    let mut lines: Vec<String> =
        left_out.flat_map(|above| [format!("`!{above}`"), format!("`{above}*`")]).collect();
    lines.extend([format!("`!{directory}`"), format!("`!{directory}*.md`")]);
    lines
}

fn short(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").unwrap_or(branch)
}

impl GitProblem {
    /// Whether it is over as soon as somebody has finished what they are at, or was nothing that lasts.
    pub fn passes(&self) -> bool {
        matches!(self, Self::InProgress { .. } | Self::Locked { .. } | Self::Killed { .. })
    }

    /// Whether whatever is asked for next would meet it too: it is not one goal's.
    pub fn is_everybodys(&self) -> bool {
        match self {
            Self::NotInstalled
            | Self::NoGit { .. }
            | Self::RepositoryFilter { .. }
            | Self::RepositoryChanged { .. }
            | Self::HandoffsIgnored { .. }
            | Self::Grant(_)
            | Self::BranchInTheWay { .. }
            | Self::NotYours { .. }
            | Self::NotSigned { .. }
            | Self::Killed { .. }
            | Self::NoDirectory { .. }
            | Self::RoomOfAnother { .. }
            | Self::NotWritten { .. } => true,
            Self::Disk { why, .. } => says(why, &OF_THE_DISK),
            Self::Refused { command, said } => {
                says(said, &OF_THE_DISK)
                    || says(said, &OF_DAMAGE)
                    || says(said, &OF_FETCHING)
                    || writes_to_the_repository(command)
            }
            Self::NotARepository { .. }
            | Self::NoFirstCommit
            | Self::InProgress { .. }
            | Self::Locked { .. }
            | Self::BranchGone { .. }
            | Self::Linked { .. }
            | Self::InTheWay { .. }
            | Self::CheckedOut { .. }
            | Self::Moved { .. }
            | Self::OtherBranch { .. }
            | Self::EditedSince { .. }
            | Self::Lost { .. }
            | Self::TimedOut { .. }
            | Self::TooMuch { .. } => false,
        }
    }

    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NotInstalled => not_installed(lang),
            Self::NoGit { why } => no_git(lang, why),
            Self::NotARepository { path } => not_a_repository(lang, path),
            Self::NotYours { path, owner, you, .. } => not_yours(lang, path, owner, you),
            Self::NotSigned { said } => not_signed(lang, said),
            Self::NoFirstCommit => no_first_commit(lang),
            Self::BranchGone { name } => branch_gone(lang, short(name)),
            Self::Linked { path } => linked(lang, path),
            Self::InProgress { what } => in_progress(lang, what),
            Self::Locked { path } => locked(lang, path),
            Self::RepositoryFilter { name } => repository_filter(lang, name),
            Self::RepositoryChanged { changed } => repository_changed(lang, changed.join(", ")),
            Self::Grant(grant) => grant.what(lang),
            Self::BranchInTheWay { name } => branch_in_the_way(lang, name),
            Self::Moved { name, found, .. } => {
                moved(lang, name, found.as_ref().map_or("-", ObjectId::as_str))
            }
            Self::OtherBranch { name, found } => other_branch(lang, name, found),
            Self::HandoffsIgnored { directory, .. } => handoffs_ignored(lang, directory),
            Self::EditedSince { paths } => edited_since(lang, paths.join(", ")),
            Self::InTheWay { paths } => in_the_way(lang, paths.join(", ")),
            Self::CheckedOut { name, at } => checked_out(lang, name, at),
            Self::Lost { what } => lost(lang, what),
            Self::TimedOut { command } => timed_out(lang, command),
            Self::Killed { command } => killed(lang, command),
            Self::NotWritten { said } => not_written(lang, said),
            Self::TooMuch { what } => too_much(lang, what),
            Self::Disk { path, why } => disk(lang, path, why),
            Self::NoDirectory { path } => no_directory(lang, path),
            Self::RoomOfAnother { path } => room_of_another(lang, path),
            Self::Refused { command, said } => refused(lang, command, said),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::NotInstalled | Self::NoGit { .. } => no_git_next(lang),
            Self::NotARepository { .. } => not_a_repository_next(lang),
            Self::NotYours { top, .. } => not_yours_next(lang, shell_word(top)),
            Self::NotSigned { .. } => not_signed_next(lang),
            Self::NoFirstCommit => no_first_commit_next(lang),
            Self::BranchGone { name } => branch_gone_next(lang, short(name)),
            Self::Linked { path } => linked_next(lang, path),
            Self::InProgress { what } => in_progress_next(lang, what),
            Self::Locked { path } => locked_next(lang, path),
            Self::RepositoryFilter { name } => repository_filter_next(lang, name),
            Self::RepositoryChanged { .. } => repository_changed_next(lang),
            Self::Grant(grant) => grant.next(lang),
            Self::BranchInTheWay { name } => branch_in_the_way_next(lang, name),
            Self::Moved { name, .. } => moved_next(lang, name),
            Self::HandoffsIgnored { directory, at } => {
                handoffs_ignored_next(lang, directory, seen_again(directory, at).join(" "))
            }
            Self::OtherBranch { name, .. } => other_branch_next(lang, name),
            Self::EditedSince { .. } => edited_since_next(lang),
            Self::InTheWay { .. } => in_the_way_next(lang),
            Self::CheckedOut { .. } => checked_out_next(lang),
            Self::Lost { .. } => lost_next(lang),
            Self::TimedOut { .. } => timed_out_next(lang),
            Self::Killed { .. } => killed_next(lang),
            Self::NotWritten { .. } => not_written_next(lang),
            Self::TooMuch { .. } => too_much_next(lang),
            Self::Disk { path, why } if says(why, &OF_A_FULL_DISK) => disk_full_next(lang, path),
            Self::Disk { path, .. } => disk_next(lang, path),
            Self::RoomOfAnother { .. } => room_of_another_next(lang),
            Self::NoDirectory { path } => {
                no_directory_next(lang, shell_word(path), shell_word(&format!("{path}.aside")))
            }
            Self::Refused { said, .. } if says(said, &OF_DAMAGE) => damaged_next(lang),
            Self::Refused { said, .. } if says(said, &OF_FETCHING) => not_fetched_next(lang),
            Self::Refused { .. } => refused_next(lang),
        }
    }
}

impl std::fmt::Display for GitProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what(Lang::En))
    }
}

impl std::error::Error for GitProblem {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::globs::Globs;

    #[test]
    fn a_disk_that_is_full_is_everybodys_and_a_file_that_cannot_be_read_is_not() {
        let disk = |why: &str| GitProblem::Disk { path: "/p/x".into(), why: why.into() };
        let refused = |said: &str| GitProblem::Refused { command: "add".into(), said: said.into() };
        let full = "No space left on device (os error 28)";
        assert!(disk(full).is_everybodys() && refused(full).is_everybodys());
        assert!(!disk("Permission denied (os error 13)").is_everybodys());
        assert!(!refused("fatal: bad revision").is_everybodys());
        assert!(!refused("error: invalid path 'write error/.git'").is_everybodys());
        for said in [
            "fatal: unexpected line in /p/.git/packed-refs: garbage (code 128)",
            "fatal: bad shallow line: garbage (code 128)",
            "error: unable to read sha1 file of src/a.txt (78981922) (code 128)",
            "error: unable to write file src/a.bin (code 128)",
            "fatal: unable to write new index file (code 128)",
            "fatal: sha1 file '<stdout>' write error. Out of diskspace (code 128)",
        ] {
            assert!(refused(said).is_everybodys(), "{said}");
        }
    }

    #[test]
    fn what_is_advised_for_a_hidden_directory_takes_it_in_again() {
        let directory = ".ai/handoffs/";
        for (rule, at) in [
            (".ai/", ".ai/"),
            (".ai", ".ai/"),
            ("*", ".ai/"),
            ("handoffs", directory),
            ("*.md", ".ai/handoffs/1.md"),
        ] {
            let hidden = GitProblem::HandoffsIgnored { directory: directory.into(), at: at.into() };
            let next = hidden.next(Lang::En);
            let (_, lines) = next.split_once("own: ").unwrap();
            let lines = lines.split('`').skip(1).step_by(2);
            let rules: Vec<&str> = [rule].into_iter().chain(lines).collect();
            assert_eq!(Globs::new(&[rule]).leaves_out(".ai/handoffs/1.md").as_deref(), Some(at));
            assert_eq!(Globs::new(&rules).leaves_out(".ai/handoffs/1.md"), None, "{rules:?}");
            assert_eq!(Globs::new(&rules).names(".ai/config.yaml"), at == ".ai/", "{rules:?}");
        }
    }

    #[test]
    fn no_advice_is_a_command_that_writes() {
        for command in ["read-tree -u --reset 1234", "update-index -z --stdin", "clean -qffdx"] {
            let refused = GitProblem::Refused { command: command.into(), said: "fatal: x".into() };
            for lang in [Lang::En, Lang::Ko] {
                assert!(!refused.next(lang).contains(command), "{}", refused.next(lang));
            }
        }
    }

    #[test]
    fn an_object_that_cannot_be_fetched_is_everybodys_and_named_as_such() {
        let said = "fatal: could not fetch 1234 from promisor remote (code 128)".to_owned();
        let refused = GitProblem::Refused { command: "read-tree".into(), said };
        assert!(refused.is_everybodys() && refused.next(Lang::En).contains("partial clone"));
    }

    #[test]
    fn a_git_that_was_killed_is_everybodys_and_says_what_to_do() {
        let killed = GitProblem::Killed { command: "worktree add".into() };
        assert!(killed.is_everybodys() && killed.passes());
        for lang in [Lang::En, Lang::Ko] {
            assert!(killed.what(lang).contains("git worktree add"));
            assert!(!killed.next(lang).is_empty());
        }
    }
}
