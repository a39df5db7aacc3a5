//! The shapes of repositories that would do harm to whoever cloned them.

use std::fs;
use std::path::Path;

use super::places::{ROOTS, SESSION, clear, link, program, write};

/// Makes a clone hostile to the user of a home.
pub(crate) type Shape = fn(root: &Path, home: &Path);

pub(crate) const SHAPES: &[(&str, Shape)] = &[
    ("as another user left it", |_, _| {}),
    ("links for .hast", |root, home| of_store(root, "", &home.join("Documents"))),
    ("links for .hast/tmp", |root, home| of_store(root, "tmp", &home.join("Documents"))),
    ("links for .hast/conflicts", |root, home| {
        of_store(root, "conflicts", &home.join("Documents"))
    }),
    ("links for .hast/journal", |root, home| of_store(root, "journal", &home.join(".bashrc"))),
    ("links for .hast/lock", |root, home| of_store(root, "lock", &home.join(".bashrc"))),
    ("links for .hast/steps.ndjson", |root, home| {
        of_store(root, "steps.ndjson", &home.join(".bashrc"));
    }),
    ("links for locks of drivers", |root, home| {
        for unit in ["auto", "kernel", "contract"] {
            of_store(root, &format!("driver-{unit}.lock"), &home.join(".bashrc"));
        }
    }),
    ("links for records of calls", |root, home| {
        of_store(root, "calls", &home.join("Documents"));
        of_store(root, "cache", &home.join("Documents"));
        of_store(root, "ledger.ndjson", &home.join(".bashrc"));
        of_store(root, "ledger.lock", &home.join(".bashrc"));
    }),
    ("a link for .ai", |root, home| link(&root.join(".ai"), &home.join("Documents"))),
    ("a link for .ai/handoffs", |root, home| directory(root, home, ".ai/handoffs")),
    ("a link for .ai/events", |root, home| directory(root, home, ".ai/events")),
    ("links for what is below .ai", |root, home| {
        for name in ["queue", "state", "reports", "worktrees", "attempts", "protocols", "decisions"]
        {
            directory(root, home, &format!(".ai/{name}"));
        }
    }),
    ("a link for .brain", |root, home| directory(root, home, ".brain")),
    ("a link for .claude", |root, home| directory(root, home, ".claude")),
    ("a link for .claude/orchestrator", |root, home| directory(root, home, ".claude/orchestrator")),
    ("a link for sessions", |root, home| directory(root, home, "sessions")),
    ("a link for a session", |root, home| directory(root, home, SESSION)),
    ("a link for db", |root, home| directory(root, home, "db")),
    ("a link for runs", |root, home| directory(root, home, "runs")),
    ("links for texts", |root, home| {
        for name in [".ai/rules.md", ".ai/handoffs/2026-01-12_1430_M1.md", "AGENTS.md", "CLAUDE.md"]
        {
            link(&root.join(name), &home.join(".ssh/id_ed25519"));
        }
    }),
    ("links to what is not there yet", |root, home| {
        for name in
            [".ai/.gitignore", ".ai/auto.lock", ".ai/auto.lock.new", "CLAUDE.md", "GEMINI.md"]
        {
            link(&root.join(name), &home.join("Documents/new"));
        }
        of_store(root, ".gitignore", &home.join("Documents/new"));
    }),
    ("journals that would write hooks", journals),
    ("pipes for files", |root, _| {
        for name in [".ai/rules.md", ".ai/events/events.ndjson", "db/process_runs.md"] {
            pipe(&root.join(name));
        }
        for name in ["journal", "lock", "steps.ndjson", "driver-auto.lock", "driver-kernel.lock"] {
            ROOTS.iter().for_each(|place| pipe(&root.join(place).join(".hast").join(name)));
        }
    }),
    ("hard links for files that are written in place", |root, home| {
        for name in ["journal", "lock", ".gitignore", "driver-auto.lock", "driver-kernel.lock"] {
            for place in ROOTS {
                let path = root.join(place).join(".hast").join(name);
                clear(&path);
                fs::hard_link(home.join(".bashrc"), path).unwrap();
            }
        }
    }),
    ("links in a loop", |root, _| {
        for name in [".ai/rules.md", ".ai/events", ".ai/queue", ".brain", "sessions", "db"] {
            let path = root.join(name);
            link(&path, Path::new(path.file_name().unwrap()));
        }
        ROOTS[..2]
            .iter()
            .for_each(|place| link(&root.join(place).join(".hast/tmp"), Path::new("tmp")));
    }),
    ("files for .hast", |root, _| {
        for place in ROOTS {
            let path = root.join(place).join(".hast");
            clear(&path);
            write(&path, b"no directory");
        }
    }),
    ("a queue in the home", |root, home| {
        let config = format!("queue_dir: {}\n", home.join("Documents/queue").display());
        write(&root.join(".ai/config.yaml"), config.as_bytes());
    }),
];

/// A link in the place of a file of every store.
fn of_store(root: &Path, name: &str, target: &Path) {
    for place in ROOTS {
        let own = root.join(place).join(".hast");
        link(&if name.is_empty() { own } else { own.join(name) }, target);
    }
}

/// A link to a copy of a directory in the home, so that all that is looked for is there.
fn directory(root: &Path, home: &Path, name: &str) {
    let there = home.join("Documents").join(name.replace('/', "-"));
    let copied = program("cp").arg("-a").arg(root.join(name)).arg(&there).output().unwrap();
    if !copied.status.success() {
        fs::create_dir_all(&there).unwrap();
    }
    write(&there.join("precious"), b"theirs");
    write(&there.join(".hast/tmp/precious"), b"theirs");
    link(&root.join(name), &there);
}

/// In every root a commit that was cut off, as somebody wrote it down who wants it to be finished.
fn journals(root: &Path, _: &Path) {
    for (place, hooks) in [("", ".git/hooks"), (".ai", "hooks"), (".brain", "x"), (SESSION, "x")] {
        let files = [(&*format!("{hooks}/pre-commit"), None, "#!/bin/sh\ntouch $HOME/ran-hook\n")];
        super::torn::cut_off_in(&root.join(place), &files);
    }
}

fn pipe(path: &Path) {
    clear(path);
    assert!(program("mkfifo").arg(path).status().unwrap().success());
}
