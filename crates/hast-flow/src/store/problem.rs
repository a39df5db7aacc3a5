//! Why the store did not do what it was asked, and what to do next, in both languages.

use super::change::{Malformed, PutKind};
use super::disk::{DiskError, DiskErrorKind};
use super::path::DocPath;
use super::policy::{HistoryClass, Violation};
use crate::messages;
use crate::words::{Lang, shell_word};

/// Every way in which the store refuses or fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error(transparent)]
    Violation(#[from] Violation),
    #[error("cannot {kind} {path}: it is {class}")]
    History { path: DocPath, class: HistoryClass, kind: PutKind },
    /// Somebody else was faster. Nothing was written: read again and decide again.
    #[error("{path} changed since it was read")]
    Stale { path: DocPath },
    /// Nothing was written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The change is in the journal and counts, but is not visible yet.
    #[error("the change is recorded but could not be published: {0}")]
    Unpublished(DiskError),
    /// The journal could not be written or synced; whether the change counts shows on reopening.
    #[error("the journal failed: {0}")]
    Journal(DiskError),
    /// An earlier failure ended this process's right to write.
    #[error("this process stopped writing after an earlier failure")]
    Stopped,
    #[error("{path} was written by a newer hast")]
    Newer { path: String },
}

/// The end of the name under which people are told to move away what cannot be read. No flow reads it there.
pub const ASIDE: &str = ".aside";

messages! {
    next_decide_again(path) {
        en: "read {path} again and decide again",
        ko: "{path}(을)를 다시 읽고 다시 결정하세요",
    }
    next_change_table() {
        en: "do this as another role, or write to a place that this role owns",
        ko: "다른 역할로 하거나 이 역할이 소유한 곳에 쓰세요",
    }
    next_move_away(path, aside) {
        en: "move it away with mv {path} {aside}, then run the command again",
        ko: "mv {path} {aside}(으)로 옮긴 뒤 명령을 다시 실행하세요",
    }
    next_archive(path) {
        en: "write a new document, or archive {path} first",
        ko: "새 문서를 쓰거나 먼저 {path}(을)를 보관하세요",
    }
    next_size_limit(path) {
        en: "raise the limit on file sizes (`ulimit -f`) for {path}, then run the command again",
        ko: "{path}(을)를 쓸 수 있도록 파일 크기 제한(`ulimit -f`)을 늘린 뒤 명령을 다시 실행하세요",
    }
    next_free_space(path) {
        en: "free space on the disk that holds {path}, then run the command again",
        ko: "{path}(이)가 있는 디스크의 공간을 비운 뒤 명령을 다시 실행하세요",
    }
    next_permission(path) {
        en: "make {path} and its directory writable for this user, then run the command again",
        ko: "이 사용자가 {path}(과)와 그 디렉터리에 쓸 수 있게 한 뒤 명령을 다시 실행하세요",
    }
    next_link(path) {
        en: "replace the link at {path} by a file, or let it point inside the root",
        ko: "{path}의 링크를 파일로 바꾸거나 루트 안을 가리키게 하세요",
    }
    next_no_link(path) {
        en: "look where the link at {path} leads; remove it, or put a directory of your own in its place",
        ko: "{path}의 링크가 어디로 가는지 확인하고, 지우거나 그 자리에 직접 만든 디렉터리를 두세요",
    }
    next_directory(path) {
        en: "restore the directory of {path}, then run the command again",
        ko: "{path}의 디렉터리를 되돌린 뒤 명령을 다시 실행하세요",
    }
    next_check_disk(path) {
        en: "check the disk that holds {path}, then run the command again; the journal keeps what was committed",
        ko: "{path}(이)가 있는 디스크를 확인한 뒤 명령을 다시 실행하세요. 커밋된 것은 저널에 있습니다",
    }
    next_run_again() {
        en: "run the command again; the journal keeps what was committed",
        ko: "명령을 다시 실행하세요. 커밋된 것은 저널에 있습니다",
    }
    next_update(path) {
        en: "update hast; this version leaves {path} untouched",
        ko: "hast를 업데이트하세요. 이 버전은 {path}(을)를 건드리지 않습니다",
    }
    next_numbers(path) {
        en: "hast verify shows the line of {path} whose number jumps; correct or remove it",
        ko: "hast verify가 {path}에서 번호가 건너뛴 줄을 보여 줍니다. 그 줄을 고치거나 지우세요",
    }
    next_report() {
        en: "this is a mistake in hast; please report it",
        ko: "hast의 오류입니다. 알려 주세요",
    }
}

impl StoreError {
    /// What a person can do about it.
    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::Malformed(Malformed::Numbers(path)) => next_numbers(lang, path),
            Self::Malformed(_) => next_report(lang),
            Self::Violation(_) => next_change_table(lang),
            Self::History { path, .. } => next_archive(lang, path),
            Self::Stale { path } => next_decide_again(lang, path),
            Self::Disk(error) | Self::Unpublished(error) | Self::Journal(error) => error.next(lang),
            Self::Stopped => next_run_again(lang),
            Self::Newer { path } => next_update(lang, path),
        }
    }
}

impl DiskError {
    /// What a person can do about it.
    pub fn next(&self, lang: Lang) -> String {
        match &self.kind {
            DiskErrorKind::Full => next_free_space(lang, &self.path),
            DiskErrorKind::TooLarge => next_size_limit(lang, &self.path),
            DiskErrorKind::Denied | DiskErrorKind::ReadOnly => next_permission(lang, &self.path),
            DiskErrorKind::Escapes => next_link(lang, &self.path),
            DiskErrorKind::Link => next_no_link(lang, &self.path),
            DiskErrorKind::Huge { .. }
            | DiskErrorKind::NotAFile
            | DiskErrorKind::IsADirectory
            | DiskErrorKind::NotADirectory => {
                let aside = format!("{}{ASIDE}", self.path);
                next_move_away(lang, shell_word(&self.path), shell_word(&aside))
            }
            DiskErrorKind::NotFound => next_directory(lang, &self.path),
            DiskErrorKind::Exists | DiskErrorKind::Other(_) => next_check_disk(lang, &self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::disk::Action;

    #[test]
    fn every_refusal_of_the_disk_names_the_path_and_a_next_action() {
        for kind in [
            DiskErrorKind::Full,
            DiskErrorKind::TooLarge,
            DiskErrorKind::Denied,
            DiskErrorKind::ReadOnly,
            DiskErrorKind::Escapes,
            DiskErrorKind::Link,
            DiskErrorKind::NotAFile,
            DiskErrorKind::IsADirectory,
            DiskErrorKind::NotADirectory,
            DiskErrorKind::Huge { bytes: 1 << 40 },
            DiskErrorKind::NotFound,
            DiskErrorKind::Other("input/output error".into()),
        ] {
            let error = StoreError::Disk(DiskError {
                action: Action::Write,
                path: "/p/status.json".into(),
                kind,
            });
            assert!(error.to_string().contains("/p/status.json"), "{error}");
            for lang in [Lang::En, Lang::Ko] {
                assert!(error.next(lang).contains("/p/status.json"), "{error}");
            }
        }
    }
}
