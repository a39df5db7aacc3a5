//! Which exit codes a command has, for the end of its help page.

use hast_flow::words::Lang;

use crate::messages::help;
use crate::problem::Exit;

const PLAIN: &[Exit] = &[Exit::Done, Exit::Failed, Exit::Usage];
/// It may be interrupted; whoever holds the lock makes it fail.
const STOPPED: &[Exit] = &[Exit::Done, Exit::Failed, Exit::Usage, Exit::Interrupted];
const DRIVEN: &[Exit] = &[Exit::Done, Exit::Failed, Exit::Usage, Exit::Locked, Exit::Interrupted];
/// It may also have a question.
const ASKING: &[Exit] =
    &[Exit::Done, Exit::Failed, Exit::Usage, Exit::Waiting, Exit::Locked, Exit::Interrupted];

/// The last line of a command's help.
pub(crate) fn line(path: &str, lang: Lang) -> String {
    let codes = codes(path).iter().map(|&exit| {
        let meaning = match exit {
            Exit::Done => help::exit_done(lang),
            Exit::Failed if path == "hast verify" => help::exit_findings(lang),
            Exit::Failed if is_auto(path) => help::exit_not_all(lang),
            Exit::Failed => help::exit_failed(lang),
            Exit::Usage => help::exit_usage(lang),
            Exit::Waiting => help::exit_waiting(lang),
            Exit::Locked => help::exit_locked(lang),
            Exit::Interrupted => help::exit_interrupted(lang),
        };
        format!("{} {meaning}", exit as u8)
    });
    help::exit_line(lang, codes.collect::<Vec<_>>().join(", "))
}

fn is_auto(path: &str) -> bool {
    matches!(path, "hast auto" | "hast retry")
}

fn codes(path: &str) -> &'static [Exit] {
    let words: Vec<&str> = path.split(' ').skip(1).collect();
    match words.as_slice() {
        ["auto" | "retry" | "explore" | "demo"] | ["agent", "run"] => STOPPED,
        ["session", "start" | "resume" | "replan"]
        | ["run", "start" | "resume" | "confirm" | "modify" | "cancel"] => ASKING,
        ["session", "answer"]
        | ["kernel", "boot" | "start" | "resume"]
        | ["contract", "start" | "resume" | "stop"]
        | ["inbox", "act"]
        | ["protocol", "ingest"]
        | ["decision", "spike"] => DRIVEN,
        _ => PLAIN,
    }
}
