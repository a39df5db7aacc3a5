//! The newest handoff tells the next session what was done and decided and what comes next. This
//! module reads a handoff's parts. It also orders the names of handoffs from newest to oldest.

use crate::docs::document::read;
use crate::docs::goals::{Handoff, HandoffName, HandoffStatus};
use crate::formats::diagnostic::Diagnostic;
use crate::formats::front_matter::{FrontMatter, Sections};
use crate::formats::source::Source;

/// The parts of a handoff that a context is made of; lists without their markers.
#[derive(Clone, Debug)]
pub struct LastSession {
    pub front: Handoff,
    pub done: Vec<String>,
    pub key_decisions: Vec<String>,
    /// The lines of `Next` as written.
    pub next: Vec<String>,
    pub context_files: Vec<String>,
}

impl LastSession {
    /// Whether a session at a goal is told of this one. The work of a blocked session is nowhere but on the branch
    /// of its own goal.
    pub fn reaches(&self, goal: &str) -> bool {
        self.front.status != HandoffStatus::Blocked || self.front.goal_id == goal
    }
}

/// Reads a handoff, or everything that makes it invalid.
pub fn read_handoff(source: &Source<'_>) -> Result<LastSession, Vec<Diagnostic>> {
    let front = read::<Handoff>(source)?.value;
    let parts = FrontMatter::split(source).map_err(|diagnostic| vec![diagnostic])?;
    let sections = Sections::read(source, parts.body);
    let lines = |title: &str| -> Vec<String> {
        let body = sections.get(title).map_or("", |section| &source.text[section.body.clone()]);
        body.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let items = |title: &str| lines(title).iter().map(|line| unlisted(line).to_owned()).collect();
    Ok(LastSession {
        front,
        done: items("Done"),
        key_decisions: items("Key Decisions"),
        next: lines("Next"),
        context_files: items("Context Files"),
    })
}

/// Names of handoffs, newest first, one at a time: usually the first one is read and no other.
/// Names that are no handoffs are left out.
#[derive(Debug)]
pub struct NewestFirst<'n> {
    names: Vec<(SortKey<'n>, &'n str)>,
}

/// Time as written, then the number: cheap to make for ten thousand names.
type SortKey<'n> = (&'n str, u32);

impl<'n> NewestFirst<'n> {
    pub fn new(names: impl Iterator<Item = &'n str>) -> Self {
        Self { names: names.filter_map(|name| Some((sort_key(name)?, name))).collect() }
    }
}

impl<'n> Iterator for NewestFirst<'n> {
    type Item = &'n str;

    fn next(&mut self) -> Option<&'n str> {
        loop {
            let newest = self.names.iter().enumerate().max_by_key(|(_, (key, _))| *key)?.0;
            let (_, name) = self.names.swap_remove(newest);
            if name.parse::<HandoffName>().is_ok() {
                return Some(name);
            }
        }
    }
}

fn sort_key(name: &str) -> Option<SortKey<'_>> {
    let stem = name.strip_suffix(".md")?;
    let (time, suffix) = stem.split_at_checked("2026-02-09_143000".len())?;
    let number = if suffix.is_empty() { 1 } else { suffix.strip_prefix('_')?.parse().ok()? };
    Some((time, number))
}

/// A line without its list marker: `- x`, `* x`, `+ x`, `1. x`, `1) x`.
pub fn unlisted(line: &str) -> &str {
    let line = line.trim();
    for marker in ["- ", "* ", "+ "] {
        if let Some(rest) = line.strip_prefix(marker) {
            return rest.trim_start();
        }
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 9 {
        return line;
    }
    let rest = &line[digits..];
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map_or(line, str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_markers_are_taken_off_and_nothing_else() {
        for (line, item) in [
            ("- a", "a"),
            ("  * 가나", "가나"),
            ("+ a", "a"),
            ("12. src/a.rs", "src/a.rs"),
            ("1) x", "x"),
            ("-a", "-a"),
            ("3.5 is a number", "3.5 is a number"),
            ("M4.3.2 — 다음", "M4.3.2 — 다음"),
            ("", ""),
        ] {
            assert_eq!(unlisted(line), item);
        }
    }

    #[test]
    fn the_newest_is_the_greatest_name_then_the_greatest_number() {
        let names = [
            "2026-02-09_143000_10.md",
            "2026-02-09_143000.md",
            "notes.md",
            "2026-02-09_143000_9.md",
            "2026-99-09_143000.md",
            "2026-02-08_235959.md",
            "README",
        ];
        let ordered: Vec<_> = NewestFirst::new(names.into_iter()).collect();
        assert_eq!(
            ordered,
            [
                "2026-02-09_143000_10.md",
                "2026-02-09_143000_9.md",
                "2026-02-09_143000.md",
                "2026-02-08_235959.md"
            ]
        );
    }

    #[test]
    fn the_sections_of_a_handoff_are_read() {
        let text = include_str!("../../../tests/seeds/handoff.md").replace('\n', "\r\n");
        let session = read_handoff(&Source::new("2026-02-09_143000.md", &text)).unwrap();
        assert_eq!(session.done.len(), 2);
        assert_eq!(session.key_decisions, ["성공 시 STRATEGY belief confidence 0.4로 초기화"]);
        assert_eq!(session.next[0], "M4.3.2 — Reflect 노드에서 STRATEGY 카테고리 쿼리");
        assert_eq!(session.context_files, ["core/mind/nodes/reflect.py", "core/memory/belief.py"]);
    }
}
