//! Calls that ended before the agent began: with a failure and without an answer of a model. They say
//! something about the machine and nothing about the work.

use std::time::Duration;

use crate::agents::events::Ending;
use crate::agents::outbox::Word;
use crate::agents::presets::EndingIs;
use crate::agents::provider::Provider;
use crate::agents::reply::AgentReply;
use crate::process::exit::Exit;

/// An agent without a stream that ends within this time may never have begun.
pub const SHORTEST_WORK: Duration = Duration::from_secs(5);
/// So often in a row an agent may end before it began, until nothing more is tried.
pub const MOST_STARTS: u32 = 2;

/// What an end tells about the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    Worked,
    NeverBegan,
    /// Nothing printed tells it: it never began unless it changed something.
    IfUnchanged,
}

/// The end of a call, as far as it tells about its beginning.
#[derive(Clone, Copy, Debug)]
pub struct EndOf<'a> {
    pub provider: &'a Provider,
    pub exit: &'a Exit,
    pub reply: &'a AgentReply,
    /// What the agent said in `blocked.json` or `failed.json`.
    pub word: Option<&'a Word>,
    pub lasted: Duration,
}

/// Tells whether an agent began to work.
pub fn beginning(end: EndOf<'_>) -> Beginning {
    let EndOf { provider, exit, reply, word, lasted } = end;
    let failed = match exit {
        // Some end with 0 whatever happened, and say that they failed.
        Exit::Exited(code) => *code != 0 || reply.ending == Some(Ending::Failure),
        Exit::Signalled(_) => true,
        // Ended by hast, or nothing ran at all.
        Exit::TimedOut | Exit::Stalled | Exit::Flooded | Exit::Leaked(_) => false,
        Exit::Lost | Exit::Cancelled | Exit::NotStarted(_) => false,
    };
    // A rehearsal is the answer of a model.
    let rehearsed = matches!(provider, Provider::Rehearsal { .. });
    if !failed || rehearsed || word.is_some() {
        return Beginning::Worked;
    }
    // An agent of a person's own that says how it ended has a stream as well.
    match (provider.ending(), reply.ending) {
        (EndingIs::Announced, _) | (EndingIs::Silent, Some(_)) => match reply.answered {
            true => Beginning::Worked,
            false => Beginning::NeverBegan,
        },
        (EndingIs::Silent, None) if lasted >= SHORTEST_WORK => Beginning::Worked,
        (EndingIs::Silent, None) => Beginning::IfUnchanged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Stream;

    fn of(line: &str, exit: &Exit, printed: &str, seconds: u64) -> Beginning {
        let provider = Provider::parse(line).unwrap();
        let mut reader = provider.reader();
        reader.push(Stream::Out, printed.as_bytes());
        let (reply, lasted) = (reader.finish(), Duration::from_secs(seconds));
        beginning(EndOf { provider: &provider, exit, reply: &reply, word: None, lasted })
    }

    const SAID: &str = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"I look."}]}}"#;
    const FAILED: &str = r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error: 400"}]}}"#;

    #[test]
    fn an_agent_with_a_stream_that_fails_before_the_first_answer_never_began() {
        for (exit, printed, begun) in [
            (Exit::Exited(1), "", Beginning::NeverBegan),
            (Exit::Exited(1), FAILED, Beginning::NeverBegan),
            (Exit::Signalled(11), "", Beginning::NeverBegan),
            (Exit::Exited(1), SAID, Beginning::Worked),
            (Exit::Exited(0), "", Beginning::Worked),
            (Exit::TimedOut, "", Beginning::Worked),
            (Exit::Stalled, "", Beginning::Worked),
        ] {
            assert_eq!(of("claude", &exit, printed, 600), begun, "{exit:?} {printed}");
        }
    }

    #[test]
    fn an_agent_that_ends_with_0_and_says_that_it_failed_has_failed() {
        let error = r#"{"type":"error","error":"failed to create directory `/h`"}"#;
        assert_eq!(of("goose", &Exit::Exited(0), error, 1), Beginning::NeverBegan);
    }

    #[test]
    fn of_an_agent_without_a_stream_the_time_tells_and_what_it_changed() {
        for (exit, seconds, begun) in [
            (Exit::Exited(1), 4, Beginning::IfUnchanged),
            (Exit::Exited(1), 5, Beginning::Worked),
            (Exit::Exited(0), 1, Beginning::Worked),
            (Exit::Signalled(6), 1, Beginning::IfUnchanged),
        ] {
            for line in ["mytool {stdin}", "claude -p {prompt}", "aider"] {
                assert_eq!(of(line, &exit, "hello\n", seconds), begun, "{line} {exit:?}");
            }
        }
    }

    #[test]
    fn an_agent_that_says_how_it_ended_is_believed_about_its_beginning() {
        let ended = "{\"hast\":\"ended\",\"ok\":false}\n";
        assert_eq!(of("mytool {stdin}", &Exit::Exited(1), ended, 1), Beginning::NeverBegan);
        let worked = format!("{{\"hast\":\"tool\",\"name\":\"search\"}}\n{ended}");
        assert_eq!(of("mytool {stdin}", &Exit::Exited(1), &worked, 1), Beginning::Worked);
    }

    #[test]
    fn a_rehearsal_is_an_answer_however_it_ends() {
        assert_eq!(of("rehearsal:x.yaml", &Exit::Exited(1), "", 0), Beginning::Worked);
    }

    #[test]
    fn an_agent_that_says_why_it_failed_has_worked() {
        let provider = Provider::parse("mytool {stdin}").unwrap();
        let (reply, word) = (AgentReply::default(), Word::Failed { error: "no".to_owned() });
        let (exit, lasted) = (&Exit::Exited(1), Duration::ZERO);
        let end = EndOf { provider: &provider, exit, reply: &reply, word: Some(&word), lasted };
        assert_eq!(beginning(end), Beginning::Worked);
    }
}
