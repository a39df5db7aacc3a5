//! The judge's evidence from a room, one row an attempt: honest work of every shape, and files that an agent
//! wants to hide. The fixture asserts for each that nothing of the user's differs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::inspection::Inspection;

use crate::fixture::{
    Act, HANDOFF, Repo, Steps, assert_honest, attempt, attempt_by, changes, protected, rules,
};

const HANDOFF_PATH: &str = ".ai/handoffs/2026-02-09_143000.md";

/// Breaches as `? path` (not storable), `R path` (repository), `L path` (link that leaves), `S path`
/// (submodule), `B path` (too large).
fn breaches(found: &Inspection) -> Vec<String> {
    let told = |breach: &Breach| match breach {
        Breach::NotStorable { path } => format!("? {path}"),
        Breach::NestedRepository { path } => format!("R {path}"),
        Breach::SymlinkLeaves { path } => format!("L {path}"),
        Breach::SubmoduleChanged { path } => format!("S {path}"),
        Breach::TooLarge { path } => format!("B {path}"),
        other => format!("{other:?}"),
    };
    let mut told: Vec<String> = found.breaches.iter().map(told).collect();
    told.sort();
    told
}

/// A sentence, what an agent does, and the changes that are found.
type Row = (&'static str, Act, &'static [&'static str]);

fn check(rows: &[Row]) {
    for (sentence, act, wanted) in rows {
        let found = attempt(&Repo::new(), act);
        assert_eq!(changes(&found), *wanted, "{sentence}");
        assert_honest(&found);
    }
}

fn link(repo: &Repo, to: &str, at: &str) {
    symlink(to, repo.path(at)).unwrap();
}

fn socket(repo: &Repo, path: &str) {
    let path = repo.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    drop(UnixListener::bind(path).unwrap());
}

fn work(repo: &Repo) {
    repo.write("src/lib.rs", "pub fn one() -> u32 { 2 }\n");
    repo.write("src/새 파일 1.rs", "// 새\n");
    repo.remove("tests/it.rs");
    repo.mode("src/main.rs", 0o755);
    repo.write(HANDOFF_PATH, HANDOFF);
}

const WORK: &[&str] = &["M src/lib.rs", "X src/main.rs", "A src/새 파일 1.rs", "D tests/it.rs"];

const HONEST: &[Row] = &[
    ("uncommitted work is compared by content and mode", work, WORK),
    (
        "committed work is the same work",
        |repo| {
            work(repo);
            repo.commit_all("mine")
        },
        WORK,
    ),
    ("an empty commit is no change", |repo| repo.commit_all("nothing"), &[]),
    ("a handoff alone is no change", |repo| repo.write(HANDOFF_PATH, HANDOFF), &[]),
    (
        "commits and a merge are one set of changes",
        |repo| {
            repo.write("a", "1");
            repo.commit_all("one");
            repo.git(&["checkout", "-q", "-b", "side"]);
            repo.write("b", "2");
            repo.commit_all("two");
            repo.git(&["checkout", "-q", "main"]);
            repo.write("c", "3");
            repo.commit_all("three");
            repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
            repo.write("d", "4");
        },
        &["A a", "A b", "A c", "A d"],
    ),
    (
        "a commit that was taken back is no change",
        |repo| {
            repo.write("src/lib.rs", "changed\n");
            repo.write("b", "1");
            repo.commit_all("one");
            repo.write("src/lib.rs", "pub fn one() -> u32 { 1 }\n");
        },
        &["A b"],
    ),
    (
        "what was staged and then deleted is no change",
        |repo| {
            repo.write("staged", "1");
            repo.git(&["add", "staged"]);
            repo.remove("staged");
        },
        &[],
    ),
    (
        "files and directories change places",
        |repo| {
            std::fs::remove_dir_all(repo.path("tests")).unwrap();
            repo.write("tests", "now a file");
            repo.remove("src/lib.rs");
            repo.write("src/lib.rs/mod.rs", "now a directory");
        },
        &["D src/lib.rs", "A src/lib.rs/mod.rs", "A tests", "D tests/it.rs"],
    ),
    (
        "a test that was renamed is moved",
        |repo| {
            repo.git(&["mv", "tests/it.rs", "tests/renamed.rs"]);
        },
        &["V tests/it.rs", "A tests/renamed.rs"],
    ),
    (
        "a test that is no test any more is deleted",
        |repo| {
            repo.write("docs/old.txt", repo.read("tests/it.rs"));
            repo.remove("tests/it.rs");
        },
        &["A docs/old.txt", "D tests/it.rs"],
    ),
    (
        "a test in whose place is another one is deleted",
        |repo| {
            repo.write("tests/renamed.rs", "// nothing of it\n");
            repo.remove("tests/it.rs");
        },
        &["D tests/it.rs", "A tests/renamed.rs"],
    ),
    (
        "new files with nothing in them are told apart",
        |repo| {
            repo.write("tests/empty.rs", "");
            repo.write("tests/blank.rs", "\u{feff}\n \t\n");
            repo.write("tests/full.rs", format!("{}x", " ".repeat(10_000)));
            link(repo, "it.rs", "tests/link.rs");
        },
        &["H tests/blank.rs", "H tests/empty.rs", "A tests/full.rs", "H tests/link.rs"],
    ),
    (
        "files that became blank or a link are told apart",
        |repo| {
            repo.write("tests/it.rs", format!("\u{feff}{}", " ".repeat(9_000)));
            repo.remove("src/lib.rs");
            link(repo, "main.rs", "src/lib.rs");
        },
        &["E src/lib.rs", "E tests/it.rs"],
    ),
    (
        "sockets at ignored paths are nobody's matter",
        |repo| {
            socket(repo, "target/new/s");
            socket(repo, "x.log");
        },
        &[],
    ),
];

#[test]
fn honest_work_of_every_shape_is_seen_as_it_is() {
    check(HONEST);
}

const HIDING: &[Row] = &[
    (
        "a flag of the index",
        |repo| {
            repo.git(&["update-index", "--assume-unchanged", "src/lib.rs"]);
            repo.git(&["update-index", "--skip-worktree", "src/main.rs"]);
            repo.write("src/lib.rs", "hidden\n");
            repo.write("src/main.rs", "hidden\n");
        },
        &["M src/lib.rs", "M src/main.rs"],
    ),
    (
        "a sparse checkout",
        |repo| {
            repo.git(&["sparse-checkout", "set", "--no-cone", "/src/", "/.ai/", "/infra/"]);
        },
        &["D .gitignore", "D tests/it.rs", "D 한글 이름.txt"],
    ),
    (
        "an index that is gone",
        |repo| {
            repo.write("a", "1");
            repo.remove(".git/index");
        },
        &["A a"],
    ),
    (
        "an index that is none",
        |repo| {
            repo.write("a", "1");
            repo.write(".git/index", "garbage");
        },
        &["A a"],
    ),
    (
        "the same size and the same date",
        |repo| {
            let path = repo.path("src/lib.rs");
            let before = std::fs::metadata(&path).unwrap().modified().unwrap();
            repo.write("src/lib.rs", "pub fn one() -> u32 { 7 }\n");
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(before).unwrap();
            repo.git(&["config", "core.trustctime", "false"]);
            repo.git(&["config", "core.checkStat", "minimal"]);
        },
        &["M src/lib.rs"],
    ),
    (
        "new rules: what they hide is judged, and not committed",
        |repo| {
            repo.write(".git/info/exclude", "secret1\n");
            repo.write(".gitignore", "target/\n*.log\n.env\nsecret2\n");
            repo.write("src/.gitignore", "*\n");
            repo.write("secret1", "1");
            repo.write("secret2", "2");
            repo.write("src/secret3", "3");
        },
        &["M .gitignore", "A secret1", "I secret2", "I src/.gitignore", "I src/secret3"],
    ),
    (
        "what the attempt added itself is committed though its rules ignore it",
        |repo| {
            repo.write(".gitignore", "target/\n*.log\n.env\n*.gen\n");
            repo.write("src/a.gen", "a\n");
            repo.git(&["add", "-f", "src/a.gen"]);
            repo.git(&["commit", "-qm", "meant"]);
        },
        &["M .gitignore", "A src/a.gen"],
    ),
    (
        "an ignored file that the attempt commits is its work",
        |repo| {
            repo.write("target/bundle.js", "the work\n");
            repo.git(&["add", "-f", "target/bundle.js"]);
            repo.git(&["commit", "-qm", "bundle"]);
            repo.write("target/bundle.js", "as it is in the end\n");
        },
        &["A target/bundle.js"],
    ),
    (
        "an ignored file that new rules show is its work",
        |repo| {
            repo.write(".gitignore", "*.log\n.env\n");
            repo.write("target/schema.sql", "create table t;\n");
        },
        &["M .gitignore", "A target/schema.sql"],
    ),
];

#[test]
fn nothing_that_an_agent_does_to_the_index_or_to_rules_hides_its_work() {
    check(HIDING);
}

#[test]
fn the_users_global_rules_and_sparse_checkout_hold() {
    let repo = Repo::new();
    repo.write("../home/.config/git/ignore", "*.swp\n");
    let found = attempt(&repo, |repo| {
        repo.write("y.swp", "also");
        repo.write("a", "1");
        repo.remove("y.swp");
    });
    assert_eq!(changes(&found), ["A a"]);
    let repo = Repo::new();
    repo.git(&["sparse-checkout", "set", "--no-cone", "/src/", "/.ai/", "/.gitignore"]);
    let found = attempt(&repo, |repo| {
        assert!(!repo.path("tests/it.rs").exists());
        repo.write("src/lib.rs", "2");
    });
    assert_honest(&found);
    assert_eq!(changes(&found), ["M src/lib.rs"]);
    // A file that comes up where there was none is a change.
    let found = attempt(&repo, |repo| repo.write("tests/it.rs", "hidden"));
    assert_eq!(changes(&found), ["M tests/it.rs"]);
}

#[test]
fn what_no_commit_can_hold_or_leads_out_of_the_tree_is_told() {
    let rows: &[(Act, &[&str])] = &[
        (
            |repo| {
                link(repo, "/etc/passwd", "absolute");
                link(repo, "../../outside", "src/up");
                link(repo, "lib.rs", "src/fine");
                link(repo, ".git/config", "gitconfig");
            },
            &["L absolute", "L gitconfig", "L src/up"],
        ),
        (
            |repo| {
                std::fs::remove_dir_all(repo.path("src")).unwrap();
                link(repo, "/tmp", "src");
            },
            &["L src"],
        ),
        (
            |repo| {
                socket(repo, "src/s");
                socket(repo, "new/deep/s");
                repo.remove("tests/it.rs");
                socket(repo, "tests/it.rs");
            },
            &["? new/deep/s", "? src/s", "? tests/it.rs"],
        ),
        (
            |repo| {
                repo.git(&["init", "-q", "vendor/nested"]);
                repo.write("vendor/nested/x", "1");
            },
            &["R vendor/nested"],
        ),
        (|repo| drop(repo.git(&["init", "-q", "src"])), &["R src"]),
        (
            |repo| {
                let head = repo.git(&["rev-parse", "HEAD"]);
                repo.git(&[
                    "update-index",
                    "--add",
                    "--cacheinfo",
                    &format!("160000,{head},ghost"),
                ]);
                repo.git(&["commit", "-q", "-m", "ghost"]);
            },
            &[],
        ),
        (
            |repo| {
                // A hole: large, and on no disk.
                let file = std::fs::File::create(repo.path("huge")).unwrap();
                file.set_len(1 << 40).unwrap();
            },
            &["B huge"],
        ),
    ];
    for (act, wanted) in rows {
        assert_eq!(breaches(&attempt(&Repo::new(), act)), *wanted);
    }
}

#[test]
fn names_that_git_refuses_are_told() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("docs/.GIT/payload", "evil");
        repo.write("src/git~1", "evil");
        link(repo, "README", ".gitmodules");
    });
    assert_eq!(breaches(&found), ["? .gitmodules", "? docs/.GIT/payload", "? src/git~1"]);
}

#[test]
fn names_of_every_kind_are_compared_saved_and_taken_back() {
    let names: [&[u8]; 8] = [
        b"new\nline",
        b"quote\"s'",
        "한글/파일 이름".as_bytes(),
        b"bad\xff\xfename",
        b"-dash",
        b"tab\there",
        b"*glob?[x]",
        b":(top)spec",
    ];
    let found = attempt(&Repo::new(), |repo| {
        for name in names {
            let path = repo.top().join(OsStr::from_bytes(name));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap();
        }
        repo.write("SRC/lib.rs", "another case\n");
    });
    assert_honest(&found);
    assert_eq!(found.changes.len(), names.len() + 1);
    assert!(changes(&found).contains(&"H bad\\xff\\xfename".to_owned()));
    assert!(changes(&found).contains(&"A SRC/lib.rs".to_owned()));
}

#[test]
fn protected_files_are_named_wherever_they_are() {
    let mut with_env = rules();
    with_env.protect.push(".env".into());
    let found = attempt_by(&Repo::new(), &with_env, |repo| {
        repo.write("infra/deploy.tf", "changed\n");
        repo.commit_all("infra");
        repo.write("key.pem", "new");
        repo.write(".env", "KEY=2");
    });
    assert_eq!(protected(&found), [".env", "infra/deploy.tf", "key.pem"]);
    let found = attempt(&Repo::new(), |repo| repo.write(".ai/goals.yaml", "goals: [done]\n"));
    assert_eq!(protected(&found), [".ai/goals.yaml"]);
    let found = attempt(&Repo::new(), |repo| repo.remove(".ai/rules.md"));
    assert_eq!(protected(&found), [".ai/rules.md"]);
}

#[test]
fn an_agents_own_commits_and_its_leftovers_end_in_one_tree() {
    let repo = Repo::new();
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write("a", "1");
    room.commit_all("one");
    room.write("b", "2");
    let found = steps.see(&base);
    let commit = steps.settle(&base, &found);
    let commit = commit.as_str();
    assert_eq!(repo.git(&["show", &format!("{commit}:b")]), "2");
    assert_eq!(repo.git(&["log", "--format=%s", commit]), "feat(M1): it\none\nfirst");
    assert_eq!(repo.git(&["diff", "--name-only", "HEAD", commit]), "a\nb");
}
