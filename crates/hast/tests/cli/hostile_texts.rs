//! Texts and files of a repository that mean harm: nothing of them reaches a terminal that it would obey, and
//! no command reads without end.

use std::fs::File;
use std::time::{Duration, Instant};

use crate::world::World;

/// Colours, a new title, a bell, a move back, and a change of the direction of reading.
const EVIL: &str = "\u{1b}[31mred \u{1b}]0;title\u{7} \u{8}\r\u{9b}2J\u{202e}";
/// The same as YAML writes it.
const IN_YAML: &str = "\\e[31mred \\e]0;title\\x07 \\b\\r\\x9b2J\\u202e";

/// Commands that show what is in files of the repository.
const SHOWING: &[&str] = &[
    "context",
    "context --goal M1",
    "context --format plain",
    "context --format json",
    "auto --dry-run",
    "auto --dry-run-full",
    "status",
    "inbox list",
    "inbox list --json",
    "inbox summary",
    "inbox show M2",
    "inbox show M2 --json",
    "events tail",
    "events tail --json",
    "take M2",
    "agent limits",
    "auto --dry-run --json",
    "status --json",
    "verify --json",
    "search red --json",
    "queue list --json",
    "kernel show",
    "contract show",
    "observe baseline",
    "verify",
    "search red",
    "explore red --no-agent",
    "trust",
    "queue list",
    "session list",
    "session show",
    "run list",
    "run show",
    "kernel list",
    "contract list",
    "agent doctor",
];

fn hostile() -> World {
    let handoff = format!(
        "---\ngoal_id: M1\nsession_id: s\ntimestamp: \"2026-02-09T14:00:00+09:00\"\nstatus: complete\n---\n## Done\n- x {EVIL}\n## Next\n{EVIL}\n"
    );
    let event = format!(
        "{{\"event_id\":\"EV-20260209T140100Z-0001\",\"ts\":\"2026-02-09T14:01:00Z\",\"actor\":\"controller\",\"type\":\"GOAL_BLOCKED\",\"detail\":{{\"goal_id\":\"M2\",\"code\":\"lane\",\"reason\":{}}}}}\n",
        serde_json::to_string(EVIL).unwrap()
    );
    World::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".ai/config.yaml", format!("test_command: \"true {IN_YAML}\"\nai_tool: \"x {IN_YAML}\"\nprotect: [\"{IN_YAML}\"]\n"))
        .file(
            ".ai/goals.yaml",
            format!("goals:\n  - {{id: M1, title: \"t {IN_YAML}\", status: active, notes: \"n {IN_YAML}\", acceptance: [\"{IN_YAML}\"]}}\n  - {{id: M2, title: \"{IN_YAML}\", status: blocked, blocked_reason: \"{IN_YAML}\"}}\n"),
        )
        .file(".ai/rules.md", format!("- rule {EVIL}\n"))
        .file(".ai/handoffs/2026-02-09_140000.md", handoff)
        .file(".ai/events/events.ndjson", event)
        .file("AGENTS.md", format!("# red {EVIL}\n"))
        .file("src/red.rs", format!("/// red {EVIL}\nfn red() {{}}\n"))
        .file(&format!("src/red{EVIL}.rs").replace(['\r', '\u{202e}'], ""), "fn red() {}\n")
}

#[test]
fn nothing_that_a_terminal_obeys_is_shown_of_a_repository() {
    for lang in ["en", "ko"] {
        let world = hostile();
        for words in SHOWING {
            let args: Vec<&str> = words.split(' ').chain(["--lang", lang]).collect();
            let ran = world.run(&args);
            let obeyed = |c: char| (c.is_control() && !"\n\t".contains(c)) || c == '\u{202e}';
            for text in [&ran.out, &ran.err] {
                let found = text.lines().find(|line| line.contains(obeyed));
                assert_eq!(found, None, "{words} {lang} ({})", ran.code);
            }
            assert_ne!(ran.code, 2, "{words} is a command: {}", ran.err);
        }
    }
}

#[test]
fn a_file_with_holes_slows_no_command() {
    let files = [
        ".ai/rules.md",
        ".ai/goals.yaml",
        ".ai/config.yaml",
        ".ai/handoffs/2026-02-09_150000.md",
        ".ai/events/events.ndjson",
        ".ai/queue/queue.ndjson",
        "AGENTS.md",
        "src/red.rs",
    ];
    for path in files {
        let world = hostile().file(path, "");
        File::options()
            .write(true)
            .open(world.root().join(path))
            .unwrap()
            .set_len(50 << 30)
            .unwrap();
        for words in SHOWING {
            let started = Instant::now();
            let ran = world.run(&words.split(' ').collect::<Vec<_>>());
            let took = started.elapsed();
            // A guard: reading 50 GiB takes minutes.
            assert!(took < Duration::from_secs(10), "{words} with {path} took {took:?}");
            assert!((0..=3).contains(&ran.code), "{words} with {path}: {ran:?}");
        }
    }
}
