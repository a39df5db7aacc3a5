//! Events carry evidence for a person who has to decide about an attempt: changed files, the end of
//! its tests, commands that show the work. The evidence is bounded, so that an inbox shows it on
//! one screen.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::{ChangeKind, RepoPath};
use crate::attempt::test_files::is_test_file;
use crate::attempt::workspace::DiffLine;
use crate::flows::goals::auto::run::Beside;
use crate::flows::goals::layout as project;
use crate::words::shell_word;

/// How many paths are named.
const PATHS: usize = 20;
/// How many places of ignored files are named.
const PLACES: usize = 5;
/// How many files that no ref holds are named.
const ASIDE: usize = 5;
/// How much of the test output is repeated.
const TAIL_LINES: usize = 15;
const TAIL_CHARS: usize = 1_500;

/// `{"files": 2, "added": 3, "removed": 1, "paths": ["M src/a.rs +3 -1", ...]}`
pub(super) fn diff(lines: &[DiffLine]) -> Value {
    let is_work = |line: &&DiffLine| !line.change.path.as_str().starts_with(project::HANDOFFS);
    let lines: Vec<&DiffLine> = lines.iter().filter(is_work).collect();
    let sum = |count: fn((u64, u64)) -> u64| -> u64 {
        lines.iter().filter_map(|line| line.lines.map(count)).sum()
    };
    let paths: Vec<String> = lines.iter().take(PATHS).copied().map(one).collect();
    json!({
        "files": lines.len(),
        "added": sum(|(added, _)| added),
        "removed": sum(|(_, removed)| removed),
        "paths": paths,
    })
}

/// Test files among what differs: `calc.test.js +1 -1`.
pub(super) fn tests(lines: &[DiffLine]) -> Vec<String> {
    let tests = lines.iter().filter(|line| is_test_file(line.change.path.as_str()));
    let told = |line: &DiffLine| match line.lines {
        Some((added, removed)) => format!("{} +{added} -{removed}", line.change.path),
        None => line.change.path.to_string(),
    };
    tests.take(PATHS).map(told).collect()
}

fn one(line: &DiffLine) -> String {
    let letter = match line.change.kind {
        ChangeKind::Added | ChangeKind::Hollow | ChangeKind::NotCommitted => 'A',
        ChangeKind::Modified | ChangeKind::Emptied => 'M',
        ChangeKind::Deleted | ChangeKind::Moved => 'D',
        ChangeKind::Mode => 'T',
    };
    match line.lines {
        Some((added, removed)) => format!("{letter} {} +{added} -{removed}", line.change.path),
        None => format!("{letter} {}", line.change.path),
    }
}

/// The beginning of a list of paths.
pub(super) fn paths(all: &[String]) -> &[String] {
    &all[..all.len().min(PATHS)]
}

/// The first places of some files: what lies deeper is named by the two directories above it.
pub(super) fn places(all: &[RepoPath]) -> String {
    let place = |path: &RepoPath| {
        let parts: Vec<&str> = path.as_str().split('/').collect();
        let end = if parts.len() > 2 { "/" } else { "" };
        format!("{}{end}", parts[..parts.len().min(2)].join("/"))
    };
    let places: BTreeSet<String> = all.iter().map(place).collect();
    let mut first: Vec<&str> = places.iter().take(PLACES).map(String::as_str).collect();
    if places.len() > PLACES {
        first.push("...");
    }
    first.join(", ")
}

/// The end of a test output.
pub(super) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n");
    let from = last.chars().count().saturating_sub(TAIL_CHARS);
    last.chars().skip(from).collect()
}

/// Commands that show the work, from its beginning to the ref that has it.
pub(super) fn look(base: &ObjectId, name: &str) -> [String; 2] {
    let base = base.as_str().get(..12).unwrap_or_default();
    [format!("git diff --stat {base} {name}"), format!("git diff {base} {name}")]
}

/// The same, with what the ref does not hold.
pub(super) fn look_at_all(base: &ObjectId, name: &str, beside: &Beside) -> Vec<String> {
    let beside = beside.aside.iter().map(|aside| &aside.at);
    let beside = beside.take(ASIDE).map(|path| format!("ls -ld {}", shell_word(path)));
    look(base, name).into_iter().chain(beside).collect()
}

/// The command that takes one file from a ref.
pub(super) fn checkout(name: &str, path: &str) -> String {
    format!("git checkout {name} -- {}", shell_word(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::evidence::Change;

    fn line(path: &str, kind: ChangeKind, lines: Option<(u64, u64)>) -> DiffLine {
        DiffLine { change: Change { path: RepoPath(path.into()), kind }, lines }
    }

    #[test]
    fn files_are_told_by_their_place_and_only_the_first() {
        let paths = |all: &[&str]| -> Vec<RepoPath> {
            all.iter().map(|path| RepoPath((*path).into())).collect()
        };
        let all = paths(&["x.log", "node_modules/a/i.js", "node_modules/a/b/c.js", "build/o"]);
        assert_eq!(places(&all), "build/o, node_modules/a/, x.log");
        let many: Vec<String> = (0..9).map(|number| format!("{number}.log")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(places(&paths(&many)).ends_with("4.log, ..."));
    }

    #[test]
    fn a_diff_has_its_sums_and_the_first_paths() {
        let mut lines = vec![
            line("a", ChangeKind::Added, Some((3, 0))),
            line("b c", ChangeKind::Modified, Some((1, 2))),
            line("pic", ChangeKind::Deleted, None),
        ];
        let told = diff(&lines);
        assert_eq!(
            (&told["files"], &told["added"], &told["removed"]),
            (&json!(3), &json!(4), &json!(2))
        );
        assert_eq!(told["paths"], json!(["A a +3 -0", "M b c +1 -2", "D pic"]));
        lines.resize(500, line("x", ChangeKind::Mode, None));
        let told = diff(&lines);
        assert_eq!(
            (told["files"].as_u64(), told["paths"].as_array().map(Vec::len)),
            (Some(500), Some(20))
        );
    }

    #[test]
    fn a_tail_is_its_last_lines_and_never_long() {
        let text: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let told = tail(&text);
        assert!(told.starts_with("line 85\n") && told.ends_with("line 99"), "{told}");
        assert_eq!(tail(&"가".repeat(9_000)).chars().count(), 1_500);
        assert_eq!(tail(""), "");
    }
}
