//! `context/index.json` as text: a new entry goes in where the last one ends, an invalidation
//! changes two values, and everything else stays as it was, byte for byte.

use crate::docs::session::{KnowledgeEntry, KnowledgeIndex, KnowledgeStatus};
use crate::flows::session::layout;
use crate::formats::edit::Edit;
use crate::formats::json;
use crate::formats::source::Source;
use crate::formats::tree::Node;
use crate::ids::{KnowledgeId, SessionId};
use crate::knowledge::{Piece, Standing};
use crate::store::Identity;
use crate::time::UtcTime;

/// The index as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    text: String,
    /// Where the next entry goes.
    end: usize,
    is_empty: bool,
    pub identity: Option<Identity>,
}

/// What a new content of the index adds to what was known.
#[derive(Clone, Debug, PartialEq)]
pub enum Learnt {
    /// Entries that follow those known; nothing else changed.
    More(Vec<KnowledgeEntry>),
    /// All entries anew.
    All(Vec<KnowledgeEntry>),
}

impl Index {
    /// Reads an index; none where nobody can.
    pub fn read(bytes: &[u8], identity: Option<Identity>) -> Option<(Self, Vec<KnowledgeEntry>)> {
        let text = std::str::from_utf8(bytes).ok()?;
        let index: KnowledgeIndex = serde_json::from_str(text).ok()?;
        let end = own_end(text).or_else(|| any_end(text))?;
        let is_empty = index.knowledge.is_empty();
        Some((Self { text: text.to_owned(), end, is_empty, identity }, index.knowledge))
    }

    /// Takes in a new content. Where it is the old one with entries added at the end, only those
    /// are read.
    pub fn learn(&mut self, bytes: &[u8], identity: Option<Identity>) -> Option<Learnt> {
        let rest = bytes.strip_prefix(&self.text.as_bytes()[..self.end]);
        if let Some(more) = rest.and_then(|rest| self.added(rest)) {
            self.grow(more.len(), std::str::from_utf8(rest?).ok()?, identity);
            return Some(Learnt::More(more));
        }
        let (index, entries) = Self::read(bytes, identity)?;
        *self = index;
        Some(Learnt::All(entries))
    }

    /// Takes in another end, as our own commits write it: nothing else is looked at.
    pub fn learn_end(
        &mut self,
        at: u64,
        bytes: &[u8],
        identity: Option<Identity>,
    ) -> Option<Learnt> {
        let at = usize::try_from(at).ok()?;
        if at == self.end
            && let Some(more) = self.added(bytes)
        {
            self.grow(more.len(), std::str::from_utf8(bytes).ok()?, identity);
            return Some(Learnt::More(more));
        }
        let mut whole = self.text.as_bytes().get(..at)?.to_vec();
        whole.extend_from_slice(bytes);
        self.learn(&whole, identity)
    }

    fn grow(&mut self, more: usize, rest: &str, identity: Option<Identity>) {
        let tail = self.text.len() - self.end;
        self.text.truncate(self.end);
        self.text.push_str(rest);
        if more > 0 {
            self.end = self.text[..self.text.len() - tail].trim_end().len();
            self.is_empty = false;
        }
        self.identity = identity;
    }

    /// The entries that stand before the old end, which the new one must still have.
    fn added(&self, rest: &[u8]) -> Option<Vec<KnowledgeEntry>> {
        let tail = self.text.as_bytes().get(self.end..).filter(|tail| !tail.is_empty())?;
        let middle = std::str::from_utf8(rest.strip_suffix(tail)?).ok()?.trim();
        let entries = match middle.strip_prefix(',') {
            Some(entries) if !self.is_empty => entries,
            None if self.is_empty || middle.is_empty() => middle,
            _ => return None,
        };
        serde_json::from_str(&format!("[{entries}]")).ok()
    }

    /// The end of the document as it is, and as it is with these entries before it.
    pub fn longer_end(&self, entries: &[KnowledgeEntry]) -> (&str, String) {
        let old = self.text.get(self.end..).unwrap_or_default();
        let mut new = String::new();
        for (number, entry) in entries.iter().enumerate() {
            if number > 0 || !self.is_empty {
                new.push(',');
            }
            new.push_str("\n    ");
            new += &serde_json::to_string_pretty(entry).unwrap_or_default().replace('\n', "\n    ");
        }
        if self.is_empty && old.trim_start().len() == old.len() {
            new.push_str("\n  ");
        }
        (old, new + old)
    }

    /// The whole text with another end.
    pub fn with_end(&self, end: &str) -> String {
        self.text.get(..self.end).unwrap_or_default().to_owned() + end
    }

    /// The text in which these entries do not hold any more.
    pub fn without(&self, ids: &[KnowledgeId], by: &str) -> Option<String> {
        let tree = json::read(&Source::new("index.json", &self.text)).ok()?.root;
        let named = |entry: &&Node| {
            let id = entry.get("id").and_then(Node::text);
            ids.iter().any(|wanted| Some(wanted.as_str()) == id)
        };
        let mut edits = Vec::new();
        for entry in tree.get("knowledge")?.list().iter().filter(named) {
            let values = [("status", json_text("INVALIDATED")), ("invalidated_by", json_text(by))];
            for (field, text) in values {
                edits.push(Edit { range: entry.get(field)?.span.clone(), text });
            }
        }
        // From the end, so that no edit moves the place of another.
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
        Some(edits.iter().fold(self.text.clone(), |text, edit| edit.apply(&text)))
    }
}

/// Where the entries end in an index as we print it: one field, and nothing behind its list.
fn own_end(text: &str) -> Option<usize> {
    let body = text.strip_suffix("\n  ]\n}\n")?;
    // In our print only the fields of the document itself stand two spaces in.
    let fields = text.matches("\n  \"").count();
    (fields == 1 && text.starts_with("{\n  \"knowledge\": [\n")).then_some(body.len())
}

/// Where they end in an index that somebody wrote in another way: right after the last entry, or
/// after the opening bracket.
fn any_end(text: &str) -> Option<usize> {
    let tree = json::read(&Source::new("index.json", text)).ok()?.root;
    let list = tree.get("knowledge")?;
    Some(list.list().last().map_or(list.span.start + 1, |entry| entry.span.end))
}

/// An index with these entries, as the seed prints one.
pub fn first(entries: &[KnowledgeEntry]) -> String {
    json::print(&KnowledgeIndex { knowledge: entries.to_vec() }).unwrap_or_default()
}

/// An entry as knowledge.
pub fn piece(entry: &KnowledgeEntry) -> Piece {
    Piece {
        id: entry.id.clone(),
        source: entry.source_task_id.to_string(),
        artifact: layout::from_session(&entry.artifact_path).to_owned(),
        sha256: entry.sha256.clone(),
        standing: match entry.status {
            KnowledgeStatus::Active => Standing::Active,
            KnowledgeStatus::Invalidated => {
                Standing::Invalidated { by: entry.invalidated_by.clone().unwrap_or_default() }
            }
        },
    }
}

/// Knowledge as an entry; none for a source that is no task.
pub fn entry(piece: &Piece, session: &SessionId, now: UtcTime) -> Option<KnowledgeEntry> {
    let (status, invalidated_by) = match &piece.standing {
        Standing::Active => (KnowledgeStatus::Active, None),
        Standing::Invalidated { by } => (KnowledgeStatus::Invalidated, Some(by.clone())),
    };
    Some(KnowledgeEntry {
        id: piece.id.clone(),
        source_task_id: piece.source.parse().ok()?,
        artifact_path: layout::from_project(session, &piece.artifact),
        status,
        created_at: now,
        invalidated_by,
        sha256: piece.sha256.clone(),
    })
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(numbers: std::ops::RangeInclusive<u64>) -> Vec<KnowledgeEntry> {
        let entry = |number| KnowledgeEntry {
            id: KnowledgeId::new(number),
            source_task_id: "T-0001".parse().unwrap(),
            artifact_path: format!("/execution/outputs/T-0001/{number}.md"),
            status: KnowledgeStatus::Active,
            created_at: "2026-01-12T14:30:00Z".parse().unwrap(),
            invalidated_by: None,
            sha256: None,
        };
        numbers.map(entry).collect()
    }

    fn read(text: &str) -> Index {
        Index::read(text.as_bytes(), None).unwrap().0
    }

    fn with(index: &Index, entries: &[KnowledgeEntry]) -> String {
        index.with_end(&index.longer_end(entries).1)
    }

    #[test]
    fn an_added_entry_prints_like_a_whole_index() {
        let index = read(&first(&entries(1..=2)));
        assert_eq!(with(&index, &entries(3..=4)), first(&entries(1..=4)));
        for empty in ["{\"knowledge\": []}", "{\n  \"knowledge\": [\n  ]\n}\n"] {
            let text = with(&read(empty), &entries(1..=2));
            let back: KnowledgeIndex = serde_json::from_str(&text).unwrap();
            assert_eq!(back.knowledge, entries(1..=2), "{text}");
        }
    }

    #[test]
    fn the_quick_look_for_the_end_finds_what_reading_finds() {
        let ours = first(&entries(1..=3));
        assert_eq!(own_end(&ours), any_end(&ours));
        assert!(own_end(&ours).is_some());
        let more = ours.replacen("\n  ]\n}", "\n  ],\n  \"tags\": [\n    1\n  ]\n}", 1);
        assert_eq!(own_end(&more), None, "another list stands behind");
        assert!(any_end(&more).is_some());
    }

    #[test]
    fn our_own_entry_is_learnt_without_reading_the_others_again() {
        for text in [first(&entries(1..=2)), "{\"knowledge\": []}".to_owned()] {
            let mut index = read(&text);
            let more = with(&index, &entries(3..=3));
            assert_eq!(index.learn(more.as_bytes(), None), Some(Learnt::More(entries(3..=3))));
            assert_eq!(index, read(&more), "it is what a fresh read says");
            let at = index.end as u64;
            let (_, end) = index.longer_end(&entries(4..=4));
            let again = with(&index, &entries(4..=4));
            let learnt = index.learn_end(at, end.as_bytes(), None);
            assert_eq!(learnt, Some(Learnt::More(entries(4..=4))));
            assert_eq!(index, read(&again));
        }
    }

    #[test]
    fn an_edit_anywhere_else_is_read_as_a_whole() {
        let mut index = read(&first(&entries(1..=3)));
        let edited = first(&entries(1..=3)).replacen("ACTIVE", "INVALIDATED", 1);
        let Some(Learnt::All(all)) = index.learn(edited.as_bytes(), None) else { panic!() };
        assert_eq!(all[0].status, KnowledgeStatus::Invalidated);
        assert_eq!(index.learn(b"nonsense", None), None);
    }

    #[test]
    fn an_invalidation_changes_two_values_and_keeps_what_others_added() {
        let text = first(&entries(1..=2)).replacen('{', "{\n  \"note\": \"mine\",", 1);
        let text = text.replacen("\"K-0001\",", "\"K-0001\", \"rating\": 5,", 1);
        let changed = read(&text).without(&[KnowledgeId::new(1)], "EV-1").unwrap();
        let expected = text.replacen("\"ACTIVE\"", "\"INVALIDATED\"", 1);
        let expected =
            expected.replacen("\"invalidated_by\": null", "\"invalidated_by\": \"EV-1\"", 1);
        assert_eq!(changed, expected);
    }
}
