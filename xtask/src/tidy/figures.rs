//! Figures of proof in README and docs: each stands in `docs/proof.md`, which `cargo xtask proof`
//! writes, and that page is not much older than the code that it is about. Without the page no
//! other one may quote a figure.

use std::collections::BTreeSet;

use super::finding::{Finding, Rule};
use super::tree::TextFile;
use crate::proof;

/// Changes of the code under proof that the page may miss.
const COMMITS: u64 = 50;
/// The code that the page is about.
pub(crate) const UNDER_PROOF: [&str; 3] =
    ["crates/hast-flow/src/store", "crates/hast-flow/src/driver", "crates/hast-flow/src/flows"];
/// A number before one of these is a figure of proof.
const WORDS: [&str; 6] = ["runs", "kills", "rounds", "crashes", "diverged", "images"];
const KOREAN: [&str; 4] = ["번", "회", "라운드", "이미지"];

/// A decision keeps the figures of its day.
const DECISIONS: &str = "docs/decisions/";

const AGAIN: &str = "run cargo xtask proof, and commit what it wrote";

/// How old the page is.
#[derive(Debug)]
pub(crate) enum Age {
    /// Commits that changed the code under proof since.
    Commits(u64),
    /// Git could not tell; its own words.
    Unknown(String),
}

/// The commit that the page says it was made at.
pub(crate) fn commit_of(page: &str) -> Option<&str> {
    let is_id = |part: &&str| part.len() == 40 && part.bytes().all(|b| b.is_ascii_hexdigit());
    page.split('`').find(is_id)
}

pub(crate) fn check(pages: &[TextFile], age: Option<&Age>) -> Vec<Finding> {
    let current = pages.iter().filter(|page| !page.path.starts_with(DECISIONS));
    let (page, others): (Vec<&TextFile>, Vec<&TextFile>) =
        current.partition(|page| page.path == proof::PATH);
    let figures = page.iter().flat_map(|page| page.text.split(not_a_number));
    let known: BTreeSet<u64> = figures.filter_map(number).collect();
    let quoted = others.into_iter().flat_map(|other| unknown(other, &known));
    quoted.chain(page.into_iter().filter_map(|page| too_old(page, age))).collect()
}

/// Figures of a page that the proof does not have.
fn unknown(page: &TextFile, known: &BTreeSet<u64>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in (1..).zip(page.text.lines()) {
        for (figure, quoted) in quotes(text) {
            if !known.contains(&figure) {
                let what = format!("`{quoted}` is not in {}", proof::PATH);
                let next = "link to docs/proof.md instead, or word it without a number";
                findings.push(page.finding(line, Rule::ProofFigure, what, next));
            }
        }
    }
    findings
}

/// Each number with one of the words right after it or one word later, and the text of both.
fn quotes(line: &str) -> Vec<(u64, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let word = word.trim_end_matches(['*', '_', '`']);
        let end = word.find(not_a_number).unwrap_or(word.len());
        let Some(figure) = number(&word[..end]) else { continue };
        // A comma, a bracket, a unit: the number belongs to what follows it directly, if to anything.
        let glued = &word[end..];
        let next = |ahead: usize| words.get(at + ahead).copied().unwrap_or_default();
        let counted = if !glued.is_empty() {
            is_korean(glued)
        } else if word.ends_with(',') {
            false
        } else {
            is_counted(next(1)) || is_plain(next(1)) && is_english(next(2))
        };
        if counted {
            let text = words[at..words.len().min(at + 3)].join(" ");
            found.push((figure, text));
        }
    }
    found
}

fn is_counted(word: &str) -> bool {
    is_english(word) || is_korean(word)
}

fn is_english(word: &str) -> bool {
    WORDS.contains(&word.trim_end_matches(|c: char| !c.is_alphanumeric()))
}

/// `번째` counts an order and no figure.
fn is_korean(word: &str) -> bool {
    KOREAN.iter().any(|start| word.starts_with(start)) && !word.starts_with("번째")
}

/// A word that can stand between a number and the thing counted.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(char::is_alphabetic)
}

fn not_a_number(c: char) -> bool {
    !(c.is_ascii_digit() || c == ',')
}

fn number(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
}

fn too_old(page: &TextFile, age: Option<&Age>) -> Option<Finding> {
    let what = match age {
        Some(Age::Commits(commits)) if *commits <= COMMITS => return None,
        Some(Age::Commits(commits)) => {
            format!("{commits} commits have changed store, driver or flows since it was made")
        }
        None => "the page names no commit".to_owned(),
        Some(Age::Unknown(why)) => {
            let what = format!("git does not know the commit that it was made at: {why}");
            let next = "fetch the whole history (git fetch --unshallow), or run cargo xtask proof";
            return Some(page.finding(1, Rule::ProofAge(COMMITS), what, next));
        }
    };
    Some(page.finding(1, Rule::ProofAge(COMMITS), what, AGAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRESH: Age = Age::Commits(0);

    fn found(path: &str, text: &str) -> Vec<String> {
        let page = TextFile::new(proof::PATH, "| store | 29665 | 2000 rounds, 7000 kills |\n");
        let findings = check(&[page, TextFile::new(path, text)], Some(&FRESH));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_figure_that_the_page_does_not_have_is_found() {
        assert_eq!(
            found("README.md", "It was tried.\nIn 29,666 runs nothing was lost.\n"),
            [
                "README.md:2: `29,666 runs nothing` is not in docs/proof.md (figure of proof: in docs/proof.md) \
                 -> link to docs/proof.md instead, or word it without a number"
            ]
        );
        for line in [
            "30,000 simulated runs",
            "(2,001 kills)",
            "1 diverged.",
            "**12** power images",
            "3만이 아니라 2,001번 죽였습니다",
            "2001 회",
            "전원 이미지 24 이미지",
        ] {
            assert_eq!(found("docs/store.md", line).len(), 1, "{line}");
        }
    }

    #[test]
    fn a_figure_of_the_page_may_be_quoted_in_any_form() {
        for line in
            ["29,665 runs", "29665 simulated runs", "2,000번", "7,000 kills and 2,000 rounds"]
        {
            assert_eq!(found("README.ko.md", line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn a_number_that_counts_something_else_is_no_figure() {
        for line in [
            "2 cores, runs one after the other",
            "version 3 of it runs",
            "the 2번째 파일",
            "4711 files. Runs are",
            "in 25 minutes of rounds",
            "8 MB runs",
        ] {
            let wanted = usize::from(line == "8 MB runs");
            assert_eq!(found("docs/store.md", line).len(), wanted, "{line}");
        }
    }

    #[test]
    fn records_of_decisions_may_keep_their_figures() {
        assert!(found("docs/decisions/0001-a.md", "8 MB runs").is_empty());
        for path in ["README.md", "README.ko.md", "CONTRIBUTING.md"] {
            assert_eq!(found(path, "8 MB runs").len(), 1, "{path}");
        }
    }

    fn age_findings(text: &str, age: Option<&Age>) -> Vec<String> {
        let findings = check(&[TextFile::new(proof::PATH, text)], age);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_page_may_miss_fifty_commits_and_not_one_more() {
        assert_eq!(age_findings("", Some(&Age::Commits(COMMITS))), Vec::<String>::new());
        assert_eq!(
            age_findings("", Some(&Age::Commits(COMMITS + 1))),
            ["docs/proof.md:1: 51 commits have changed store, driver or flows since it was made \
                 (age of the proof: 50 commits) -> run cargo xtask proof, and commit what it wrote"]
        );
    }

    #[test]
    fn a_clone_that_lacks_the_commit_is_told_what_to_do() {
        let told = age_findings("", Some(&Age::Unknown("bad object".to_owned())));
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("bad object") && told[0].contains("--unshallow"), "{told:?}");
    }

    #[test]
    fn without_the_page_no_figure_may_be_quoted() {
        assert_eq!(check(&[TextFile::new("README.md", "It is proven.")], None), []);
        assert_eq!(check(&[TextFile::new("README.md", "0 diverged")], None).len(), 1);
    }

    #[test]
    fn a_page_that_names_no_commit_is_found() {
        assert_eq!(age_findings("# Proof\n", None).len(), 1);
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(commit_of(&format!("made at\n`{id}`, `x`")), Some(id));
        assert_eq!(commit_of("`cargo xtask proof`"), None);
    }
}
