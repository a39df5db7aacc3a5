//! Every way a run can end, what of the sandbox held, and how that is said to people.

use serde::{Deserialize, Serialize};

use crate::words::Lang;

/// How a run ended. Each is the first thing that went wrong, not the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    NotStarted(NotStarted),
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Stalled,
    /// Everything else is over, but this many processes could not be ended.
    Leaked(u32),
    Flooded,
    Cancelled,
    /// The guard itself was killed. What became of the program is not known; it is ended.
    Lost,
}

/// Why a program never ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotStarted {
    NoProgram,
    NotExecutable,
    NoDirectory,
    /// Arguments and environment are more than the system takes.
    TooLong,
    /// The sandbox is enforced, and the machine does not have it.
    NoSandbox(String),
    /// The room could not be mounted over the checkout.
    NoRoom(String),
    /// Something of the machine failed; which call, and what it said.
    Failed {
        what: String,
        why: String,
    },
}

/// What of the sandbox was in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Applied {
    /// All that was asked for. The number is the Landlock version of the kernel.
    Whole {
        abi: i32,
    },
    /// Writing outside is prevented, but something else that was asked for is not there.
    Partly {
        abi: i32,
        missing: Missing,
    },
    Unavailable {
        why: String,
    },
    Off,
}

/// What a kernel did not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missing {
    /// Closed paths inside of writable ones: changes there are found afterwards, not prevented.
    ClosedPaths,
    /// An old kernel: truncating, renaming across directories or signals are not held back.
    Rights,
}

/// What holds the processes of a run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Net {
    /// A PID namespace: when the guard dies, however it dies, the kernel ends everything.
    Namespace,
    /// The guard adopts what is left over. If it is killed, hast takes its place; if both are
    /// killed at once, what the program had detached lives on.
    Subreaper,
}

impl Exit {
    pub fn is_success(&self) -> bool {
        *self == Self::Exited(0)
    }

    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NotStarted(cause) => cause.what(lang),
            Self::Exited(code) => say::exited(lang, code),
            Self::Signalled(signal) => say::signalled(lang, signal),
            Self::TimedOut => say::timed_out(lang),
            Self::Stalled => say::stalled(lang),
            Self::Leaked(count) => say::leaked(lang, count),
            Self::Flooded => say::flooded(lang),
            Self::Cancelled => say::cancelled(lang),
            Self::Lost => say::lost(lang),
        }
    }
}

impl NotStarted {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NoProgram => say::no_program(lang),
            Self::NotExecutable => say::not_executable(lang),
            Self::NoDirectory => say::no_directory(lang),
            Self::TooLong => say::too_long(lang),
            Self::NoSandbox(why) => say::no_sandbox(lang, why),
            Self::NoRoom(why) => say::no_room(lang, why),
            Self::Failed { what, why } => say::failed(lang, what, why),
        }
    }
}

impl Applied {
    /// What a person should know; nothing if all that was asked for is in force.
    pub fn notice(&self, lang: Lang) -> Option<String> {
        match self {
            Self::Whole { .. } | Self::Off => None,
            Self::Partly { missing: Missing::ClosedPaths, .. } => Some(say::detection_only(lang)),
            Self::Partly { abi, missing: Missing::Rights } => Some(say::old_kernel(lang, abi)),
            Self::Unavailable { why } => Some(say::unavailable(lang, why)),
        }
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        exited(code) { en: "the program ended with exit code {code}", ko: "프로그램이 종료 코드 {code}(으)로 끝났습니다" }
        signalled(signal) { en: "the program was ended by signal {signal}", ko: "프로그램이 시그널 {signal}(으)로 끝났습니다" }
        timed_out() { en: "the program took longer than its time limit and was ended", ko: "프로그램이 제한 시간을 넘겨 종료했습니다" }
        stalled() { en: "the program was silent for too long and was ended", ko: "프로그램이 너무 오래 출력이 없어 종료했습니다" }
        leaked(count) { en: "processes that could not be ended: {count}", ko: "종료하지 못한 프로세스: {count}개" }
        flooded() { en: "the program wrote more than the output limit and was ended", ko: "프로그램이 출력 한도를 넘겨 종료했습니다" }
        cancelled() { en: "the program was interrupted", ko: "프로그램을 중단했습니다" }
        lost() { en: "the guard of the program was killed; the program is ended", ko: "프로그램의 감시 프로세스가 강제 종료되어 프로그램도 끝냈습니다" }
        no_program() { en: "the program is not installed", ko: "프로그램이 설치되어 있지 않습니다" }
        not_executable() { en: "the program may not be run", ko: "프로그램을 실행할 권한이 없습니다" }
        no_directory() { en: "the working directory is not there", ko: "작업 디렉터리가 없습니다" }
        too_long() { en: "the arguments are longer than the system takes; pass the prompt by {{prompt_file}} or {{stdin}}", ko: "인자가 시스템 한도보다 깁니다. 프롬프트를 {{prompt_file}}이나 {{stdin}}으로 넘기세요" }
        no_sandbox(why) { en: "the sandbox is enforced but not available ({why}); set `sandbox: prefer` to go without", ko: "샌드박스가 필수인데 쓸 수 없습니다({why}). 없이 실행하려면 `sandbox: prefer`로 두세요" }
        no_room(why) { en: "the room cannot be mounted over the checkout ({why}); set `room: own-path` in .ai/config.yaml to work beside it", ko: "작업실을 체크아웃 위에 마운트할 수 없습니다({why}). .ai/config.yaml에 `room: own-path`를 쓰면 별도 경로에서 작업합니다" }
        failed(what, why) { en: "{what}: {why}", ko: "{what} 실패: {why}" }
        detection_only() { en: "what is closed to the agent inside the project is checked afterwards, not prevented: this machine gives no mount namespace", ko: "프로젝트 안에서 에이전트에게 닫힌 경로는 막지 않고 나중에 검사합니다. 이 컴퓨터에서는 마운트 네임스페이스를 쓸 수 없습니다" }
        old_kernel(abi) { en: "the sandbox is partial: the kernel has only version {abi} of Landlock", ko: "샌드박스가 일부만 적용됩니다. 커널의 Landlock 버전이 {abi}뿐입니다" }
        unavailable(why) { en: "there is no sandbox here ({why}); what the agent did is judged afterwards", ko: "여기에는 샌드박스가 없습니다({why}). 에이전트가 한 일은 나중에 검사합니다" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn every_ending_is_said_in_both_languages() {
        for entry in say::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
        let causes = [
            NotStarted::NoProgram,
            NotStarted::NotExecutable,
            NotStarted::NoDirectory,
            NotStarted::TooLong,
            NotStarted::NoSandbox("x".into()),
            NotStarted::NoRoom("x".into()),
        ];
        let exits = [Exit::TimedOut, Exit::Stalled, Exit::Leaked(2), Exit::Flooded, Exit::Lost];
        for exit in causes.into_iter().map(Exit::NotStarted).chain(exits) {
            assert_ne!(exit.what(Lang::En), exit.what(Lang::Ko));
        }
    }
}
