//! The finding about a line that calls a known agent program without the right to change files, in words.

use crate::messages;
use crate::words::Lang;

/// A line that a known program runs and that leaves the work tree as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRights {
    /// The program, which is also the name of its preset.
    pub program: &'static str,
    /// The words that give the right, for a line that stays a line.
    pub flags: &'static str,
    pub cause: NoRightsCause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRightsCause {
    /// The program asks a person before it writes, and none is there.
    Asks,
    /// The program makes a sandbox of its own, which does not start inside hast's.
    OwnSandbox,
    /// The program writes in its working directory only, and the outbox lies outside of it.
    NoOutbox,
}

impl NoRights {
    pub fn what(&self, lang: Lang) -> String {
        match self.cause {
            NoRightsCause::Asks => asks(lang, self.program),
            NoRightsCause::OwnSandbox => own_sandbox(lang, self.program),
            NoRightsCause::NoOutbox => no_outbox(lang, self.program),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        rights_next(lang, self.program, self.flags)
    }
}

messages! {
    asks(program) {
        en: "this line gives `{program}` no right to change files, and no person is there to give it",
        ko: "이 줄은 `{program}`에 파일을 바꿀 권한을 주지 않으며, 물어볼 사람도 없습니다",
    }
    own_sandbox(program) {
        en: "the sandbox that `{program}` makes for itself does not start inside of hast's, so it changes nothing",
        ko: "`{program}`의 자체 샌드박스는 hast의 샌드박스 안에서 시작되지 않아 아무것도 바꾸지 못합니다",
    }
    no_outbox(program) {
        en: "this line lets `{program}` write in its working directory only; the documents that hast asks for lie outside of it",
        ko: "이 줄로는 `{program}`(이)가 작업 디렉터리 안에만 쓸 수 있습니다. hast가 요구하는 문서는 그 밖에 있습니다",
    }
    rights_next(program, flags) {
        en: "write `{program}` alone, which has the right flags; or add `{flags}` to the line",
        ko: "알맞은 플래그가 든 `{program}`만 적거나, 줄에 `{flags}`(을)를 더하세요",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn both_languages_say_the_same_things() {
        for entry in CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
