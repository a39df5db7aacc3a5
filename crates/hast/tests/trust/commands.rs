//! Every command of hast, and what it may do in a repository that nobody trusts.

use std::collections::BTreeSet;
use std::path::Path;

use super::places::program;

/// What a command may change there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum May {
    /// It only looks, or it would run what the repository brings and refuses.
    Nothing,
    /// It writes documents because the user says so, in the clone alone.
    Documents,
}

use May::{Documents, Nothing};

/// The words of each command. A file that a command needs is `{file}`.
pub(crate) const COMMANDS: &[(May, &str)] = &[
    (Nothing, "status"),
    (Nothing, "context"),
    (Nothing, "context --format json"),
    (Nothing, "verify"),
    (Nothing, "verify ."),
    (Nothing, "trust --json"),
    (Nothing, "search rules"),
    (Nothing, "agent list"),
    (Nothing, "agent doctor"),
    (Nothing, "agent limits"),
    (Nothing, "agent prompt --flow none"),
    (Nothing, "agent limits --clear claude"),
    (Nothing, "agent run --role coder --prompt-file src/lib.rs"),
    (Nothing, "agent record .hast/calls/s/1"),
    (Nothing, "agent rehearse x.rehearsal.yaml"),
    (Nothing, "agent builtin openai-chat/m"),
    (Nothing, "agent tool --list"),
    (Nothing, "auto"),
    (Nothing, "auto --recursive --isolate"),
    (Nothing, "auto --dry-run"),
    (Nothing, "auto --dry-run-full"),
    (Nothing, "retry M2"),
    (Nothing, "retry M2 --no-run"),
    (Nothing, "take M2"),
    (Nothing, "take M2@1"),
    (Nothing, "undo M2"),
    (Nothing, "goal list"),
    (Nothing, "show M2"),
    (Nothing, "log M2"),
    (Nothing, "diff M2"),
    (Nothing, "try M2"),
    (Nothing, "explore answer --no-agent"),
    (Nothing, "explore answer"),
    (Nothing, "demo --dir src"),
    (Nothing, "kernel start x"),
    (Nothing, "kernel resume"),
    (Nothing, "kernel list"),
    (Nothing, "kernel show"),
    (Nothing, "kernel verify"),
    (Nothing, "kernel experts list"),
    (Nothing, "kernel experts check"),
    (Nothing, "contract start x"),
    (Nothing, "contract resume"),
    (Nothing, "contract list"),
    (Nothing, "contract show"),
    (Nothing, "contract verify"),
    (Nothing, "contract knowledge list"),
    (Nothing, "queue list"),
    (Nothing, "queue list --active-only"),
    (Nothing, "session start x"),
    (Nothing, "session resume"),
    (Nothing, "session list"),
    (Nothing, "session show"),
    (Nothing, "session verify"),
    (Nothing, "session replan --reason x"),
    (Nothing, "run start x"),
    (Nothing, "run resume"),
    (Nothing, "run list"),
    (Nothing, "run show"),
    (Nothing, "run verify"),
    (Nothing, "run confirm"),
    (Nothing, "run modify x"),
    (Nothing, "run cancel"),
    (Nothing, "events tail"),
    (Nothing, "events replay --no-write"),
    (Nothing, "observe baseline"),
    (Nothing, "inbox list --include-resolved"),
    (Nothing, "inbox summary"),
    (Nothing, "inbox show INB_be81240265f3"),
    (Nothing, "protocol ingest src/lib.rs"),
    (Nothing, "decision evaluate .ai/decisions/D1.yaml"),
    (Nothing, "decision spike .ai/decisions/D1.yaml"),
    (Nothing, "completions bash"),
    (Documents, "init --conventions"),
    (Documents, "goal add x --under M2"),
    (Documents, "goal import"),
    (Documents, "auto --gc"),
    (Documents, "auto --undo"),
    (Documents, "kernel boot"),
    (Documents, "kernel experts add tester"),
    (Documents, "contract stop"),
    (Documents, "contract knowledge add x --pitfall y"),
    (Documents, "queue claim --worker w2"),
    (Documents, "queue renew x --worker w1"),
    (Documents, "queue release x --worker w1"),
    (Documents, "queue sweep"),
    (Documents, "session answer Q-20260112-0001 yes"),
    (Documents, "events replay --write"),
    (Documents, "observe baseline --html"),
    (Documents, "inbox act INB_be81240265f3 --action approve --operator me"),
    (Documents, "protocol export --adapter generic"),
    (Documents, "decision new D2 --question q --alternative a=A --alternative b=B"),
];

/// The commands that the help pages name, each with all its words.
fn named(above: &str, found: &mut BTreeSet<String>) {
    let words = above.split_whitespace();
    let page = program(env!("CARGO_BIN_EXE_hast"))
        .args(words)
        .args(["--help", "--lang", "en"])
        .current_dir(Path::new("/"))
        .output()
        .unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    // The first page has its commands in groups.
    let (first, last) = match above {
        "" => ("Start:", "Options of every command:"),
        _ => ("Commands:", ""),
    };
    let below = page.lines().skip_while(|line| *line != first).skip(1);
    let below = below.take_while(|line| *line != last);
    let below: Vec<&str> = below.filter(|line| line.starts_with("  ")).collect();
    if below.is_empty() {
        found.insert(above.to_owned());
    }
    for line in below {
        let name = line.split_whitespace().next().unwrap();
        named(format!("{above} {name}").trim(), found);
    }
}

#[test]
fn the_table_has_every_command() {
    let mut all = BTreeSet::new();
    named("", &mut all);
    assert!(all.len() > 50, "{all:?}");
    let begins = |command: &str| {
        COMMANDS.iter().any(|(_, words)| {
            words.strip_prefix(command).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    let missing: Vec<&String> = all.iter().filter(|command| !begins(command)).collect();
    assert_eq!(missing, Vec::<&String>::new());
}
