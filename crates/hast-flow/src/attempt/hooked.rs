//! The user's hooks may change a commit's message or refuse the commit. This module is given the
//! planned message and the verdict of the hooks. A message that the hooks emptied is a refusal, as
//! it is for git. Trailers that name the attempt are put back where the hooks removed them.

use crate::attempt::workspace::HookVerdict;
use crate::words::Lang;

impl HookVerdict {
    /// The message to commit with, or why nothing is committed.
    pub fn message(&self, planned: &str, lang: Lang) -> Result<String, String> {
        match self {
            Self::Passed { message } if is_empty(message) => Err(say::no_message(lang)),
            Self::Passed { message } => Ok(with_trailers(planned, message)),
            Self::Refused { hook, said } if said.trim().is_empty() => Err(say::silent(lang, hook)),
            Self::Refused { hook, said } => Err(format!("{hook}: {said}")),
            Self::Rewrote { hook, .. } | Self::ChangedContent { hook } => {
                Err(say::changed_content(lang, hook))
            }
        }
    }
}

/// As git has it: comments and signatures alone say nothing.
fn is_empty(message: &str) -> bool {
    message
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#') || line.starts_with("Signed-off-by:"))
}

/// The last paragraph of a message, where it is one of trailers and not the subject.
fn trailers(message: &str) -> Vec<&str> {
    let lines: Vec<&str> = message.trim_end().lines().collect();
    let is_trailer = |line: &&str| {
        line.split_once(": ").is_some_and(|(key, _)| {
            !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
    };
    match lines.iter().rposition(|line| line.trim().is_empty()) {
        Some(blank) if lines[blank + 1..].iter().all(is_trailer) => lines[blank + 1..].to_vec(),
        _ => Vec::new(),
    }
}

fn with_trailers(planned: &str, message: &str) -> String {
    let there: Vec<&str> = message.lines().map(str::trim_end).collect();
    let missing: Vec<&str> =
        trailers(planned).into_iter().filter(|line| !there.contains(line)).collect();
    if missing.is_empty() {
        return message.to_owned();
    }
    let between = if trailers(message).is_empty() { "\n\n" } else { "\n" };
    format!("{}{between}{}\n", message.trim_end(), missing.join("\n"))
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        no_message() { en: "the commit hooks left no message", ko: "커밋 훅이 메시지를 비웠습니다" }
        silent(hook) { en: "{hook} refused it and said nothing", ko: "{hook}(이)가 이유 없이 거부했습니다" }
        changed_content(hook) { en: "{hook} changed the content", ko: "{hook}(이)가 내용을 바꿨습니다" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANNED: &str = "feat(M1): it\n\nHast-Goal: M1\nHast-Attempt: 2\n";

    fn left(message: &str) -> Result<String, String> {
        HookVerdict::Passed { message: message.into() }.message(PLANNED, Lang::En)
    }

    #[test]
    fn a_message_is_taken_as_the_hooks_left_it_while_it_says_which_attempt_it_was() {
        let more = format!("{PLANNED}Reviewed-by: a\n");
        for message in [PLANNED, more.as_str(), "x\n\nHast-Attempt: 2\nHast-Goal: M1"] {
            assert_eq!(left(message).as_deref(), Ok(message));
        }
    }

    #[test]
    fn an_emptied_message_is_a_refusal() {
        for message in ["", "\n \n", "# only\n# comments\n", "\nSigned-off-by: a <a@b>\n"] {
            assert!(left(message).is_err(), "{message:?}");
        }
    }

    #[test]
    fn trailers_that_were_taken_out_come_back() {
        let again = "Hast-Goal: M1\nHast-Attempt: 2\n";
        assert_eq!(left("better words\n").unwrap(), format!("better words\n\n{again}"));
        assert_eq!(left("fix: it\n").unwrap(), format!("fix: it\n\n{again}"));
        assert_eq!(
            left("better\n\nIssue: 7\nHast-Goal: M1\n").unwrap(),
            "better\n\nIssue: 7\nHast-Goal: M1\nHast-Attempt: 2\n"
        );
        assert_eq!(
            left("better\n\nHast-Goal: M1 and more words.\n").unwrap(),
            format!("better\n\nHast-Goal: M1 and more words.\n{again}")
        );
    }
}
