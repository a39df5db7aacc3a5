//! Knowledge, for every flow alike: only what passed gets in, what no longer holds is marked and
//! never removed, and whatever cited it is named for another look.

use std::collections::{BTreeMap, BTreeSet};

use crate::gates::Passed;
use crate::ids::{KnowledgeId, Sha256};

/// Something that was made, as its gate saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The task, stage or goal that made it.
    pub source: String,
    pub artifact: String,
    pub sha256: Sha256,
}

/// One piece of knowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub id: KnowledgeId,
    pub source: String,
    pub artifact: String,
    /// What the artifact was when it passed; older indexes do not say.
    pub sha256: Option<Sha256>,
    pub standing: Standing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    Active,
    Invalidated { by: String },
}

/// Why a piece of knowledge does not hold any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    ArtifactChanged,
    ArtifactGone,
    /// The plan does not have its source any more.
    SourceDropped,
}

impl Cause {
    /// The word that logs use.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ArtifactChanged => "artifact_changed",
            Self::ArtifactGone => "artifact_gone",
            Self::SourceDropped => "source_dropped",
        }
    }
}

/// All knowledge of a root, and who cites what. Looking something up does not depend on how much
/// there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    pieces: Vec<Piece>,
    by_artifact: BTreeMap<String, usize>,
    by_source: BTreeMap<String, Vec<usize>>,
    by_id: BTreeMap<KnowledgeId, usize>,
    cited_by: BTreeMap<KnowledgeId, BTreeSet<String>>,
    cites: BTreeMap<String, BTreeSet<KnowledgeId>>,
    /// Pieces found not to hold; a flow has not yet said so in its files.
    doubted: BTreeMap<usize, Cause>,
    /// The last number that was given, also where its piece is gone.
    given: u64,
}

impl Book {
    /// The pieces that a passed gate adds. Nothing else makes new ones.
    pub fn promote(&self, passed: &Passed<Vec<Made>>) -> Vec<Piece> {
        let last = self.pieces.last().map_or(0, |piece| piece.id.number());
        let first = last.max(self.given) + 1;
        let numbered = (first..).zip(passed.subject());
        let pieces = numbered.map(|(number, made)| Piece {
            id: KnowledgeId::new(number),
            source: made.source.clone(),
            artifact: made.artifact.clone(),
            sha256: Some(made.sha256.clone()),
            standing: Standing::Active,
        });
        pieces.collect()
    }

    /// Takes in a piece that the files tell of.
    pub fn add(&mut self, piece: Piece) {
        let index = self.pieces.len();
        self.by_artifact.insert(piece.artifact.clone(), index);
        self.by_source.entry(piece.source.clone()).or_default().push(index);
        self.by_id.insert(piece.id.clone(), index);
        self.pieces.push(piece);
    }

    /// Forgets the pieces, to be told all of them again; who cites what is told elsewhere.
    pub fn clear_pieces(&mut self) {
        let cited_by = std::mem::take(&mut self.cited_by);
        let cites = std::mem::take(&mut self.cites);
        *self = Self { cited_by, cites, given: self.given, ..Self::default() };
    }

    /// A log tells that this id was given: no other piece ever gets it.
    pub fn gave(&mut self, id: &KnowledgeId) {
        self.given = self.given.max(id.number());
    }

    /// What somebody's last text cites; what an earlier one did counts no more.
    pub fn cite(&mut self, who: &str, ids: BTreeSet<KnowledgeId>) {
        for id in self.cites.remove(who).into_iter().flatten() {
            if let Some(citing) = self.cited_by.get_mut(&id) {
                citing.remove(who);
            }
        }
        for id in &ids {
            self.cited_by.entry(id.clone()).or_default().insert(who.to_owned());
        }
        if !ids.is_empty() {
            self.cites.insert(who.to_owned(), ids);
        }
    }

    /// What somebody's last text cites.
    pub fn cited_by(&self, who: &str) -> impl Iterator<Item = &KnowledgeId> {
        self.cites.get(who).into_iter().flatten()
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn get(&self, id: &KnowledgeId) -> Option<&Piece> {
        self.pieces.get(*self.by_id.get(id)?)
    }

    /// What a source made that still holds.
    pub fn active_of(&self, source: &str) -> impl Iterator<Item = &Piece> {
        let indices = self.by_source.get(source).into_iter().flatten();
        indices.filter_map(|&index| self.pieces.get(index)).filter(|piece| piece.is_active())
    }

    pub fn active(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| piece.is_active())
    }

    /// Looks at an artifact as it is now; nothing if it is gone.
    pub fn look_at(&mut self, artifact: &str, now: Option<&Sha256>) {
        let Some(&index) = self.by_artifact.get(artifact) else { return };
        let Some(piece) = self.pieces.get(index).filter(|piece| piece.is_active()) else { return };
        let cause = match (now, &piece.sha256) {
            (None, _) => Some(Cause::ArtifactGone),
            (Some(now), Some(then)) if now != then => Some(Cause::ArtifactChanged),
            (Some(_), _) => None,
        };
        match cause {
            Some(cause) => drop(self.doubted.insert(index, cause)),
            // It is again what it was.
            None => drop(self.doubted.remove(&index)),
        }
    }

    /// Looks at a plan: what it has dropped does not hold any more.
    pub fn look_at_sources(&mut self, is_there: impl Fn(&str) -> bool) {
        self.doubted.retain(|_, cause| *cause != Cause::SourceDropped);
        for (index, piece) in self.pieces.iter().enumerate() {
            if piece.is_active() && !is_there(&piece.source) {
                self.doubted.entry(index).or_insert(Cause::SourceDropped);
            }
        }
    }

    /// What was found not to hold and is still called active, in the order of the ids.
    pub fn doubts(&self) -> impl Iterator<Item = (&Piece, &Cause)> {
        let doubted = self.doubted.iter();
        doubted.filter_map(|(index, cause)| Some((self.pieces.get(*index)?, cause)))
    }

    /// Whoever cited a piece has to be looked at again.
    pub fn to_review<'b>(&'b self, id: &KnowledgeId) -> impl Iterator<Item = &'b str> {
        self.cited_by.get(id).into_iter().flatten().map(String::as_str)
    }
}

impl Piece {
    pub fn is_active(&self) -> bool {
        self.standing == Standing::Active
    }
}

/// The pieces that a text cites as `[K-0009]`, also several in one pair of brackets.
pub fn citations(text: &str) -> BTreeSet<KnowledgeId> {
    let inside = text.split('[').skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
    let words = inside.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '-'));
    words.filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::{Evidence, Outcome, gate};

    fn hash(digit: char) -> Sha256 {
        digit.to_string().repeat(64).parse().unwrap()
    }

    fn made(source: &str, artifact: &str) -> Made {
        Made { source: source.to_owned(), artifact: artifact.to_owned(), sha256: hash('a') }
    }

    fn book(made: Vec<Made>) -> Book {
        let passed = gate(made, &Evidence::default().with("tests", Outcome::Met)).unwrap();
        let mut book = Book::default();
        for piece in book.promote(&passed) {
            book.add(piece);
        }
        book
    }

    fn doubts(book: &Book) -> Vec<(String, &'static str)> {
        book.doubts().map(|(piece, cause)| (piece.id.to_string(), cause.code())).collect()
    }

    #[test]
    fn what_passed_is_numbered_on_from_what_is_known() {
        let book = book(vec![made("T-0001", "/a"), made("T-0001", "/b")]);
        let ids: Vec<&str> = book.pieces().iter().map(|piece| piece.id.as_str()).collect();
        assert_eq!(ids, ["K-0001", "K-0002"]);
        let more = gate(vec![made("T-0002", "/c")], &Evidence::default().with("x", Outcome::Met));
        assert_eq!(book.promote(&more.unwrap())[0].id.as_str(), "K-0003");
    }

    #[test]
    fn a_number_that_was_given_is_not_given_again_when_its_piece_is_gone() {
        let mut book = book(vec![made("T-0001", "/a")]);
        book.gave(&"K-0007".parse().unwrap());
        book.clear_pieces();
        let more = gate(vec![made("T-0002", "/c")], &Evidence::default().with("x", Outcome::Met));
        assert_eq!(book.promote(&more.unwrap())[0].id.as_str(), "K-0008");
    }

    #[test]
    fn an_artifact_that_changed_or_is_gone_does_not_hold_any_more() {
        let mut book = book(vec![made("T-0001", "/a"), made("T-0002", "/b")]);
        book.look_at("/a", Some(&hash('a')));
        assert_eq!(doubts(&book), []);
        book.look_at("/a", Some(&hash('b')));
        book.look_at("/b", None);
        book.look_at("/unknown", None);
        let (changed, gone) = ("K-0001".to_owned(), "K-0002".to_owned());
        assert_eq!(doubts(&book), [(changed, "artifact_changed"), (gone, "artifact_gone")]);
        book.look_at("/a", Some(&hash('a')));
        assert_eq!(doubts(&book).len(), 1, "it is again what it was");
    }

    #[test]
    fn a_plan_that_drops_a_task_takes_its_knowledge_with_it() {
        let mut book = book(vec![made("T-0001", "/a"), made("T-0002", "/b")]);
        book.look_at_sources(|source| source == "T-0002");
        assert_eq!(doubts(&book), [("K-0001".to_owned(), "source_dropped")]);
        book.look_at_sources(|_| true);
        assert_eq!(doubts(&book), []);
    }

    #[test]
    fn what_is_invalidated_is_not_doubted_twice() {
        let mut book = book(vec![made("T-0001", "/a")]);
        let mut piece = book.pieces()[0].clone();
        book.clear_pieces();
        piece.standing = Standing::Invalidated { by: "EV".to_owned() };
        book.add(piece);
        book.look_at("/a", None);
        book.look_at_sources(|_| false);
        assert_eq!(doubts(&book), []);
        assert_eq!(book.active_of("T-0001").count(), 0);
    }

    #[test]
    fn whoever_cited_it_is_named_for_another_look() {
        let mut book = book(vec![made("T-0001", "/a")]);
        let id: KnowledgeId = "K-0001".parse().unwrap();
        for who in ["T-0003", "T-0002", "T-0004"] {
            book.cite(who, BTreeSet::from([id.clone()]));
        }
        book.cite("T-0004", BTreeSet::new());
        assert_eq!(book.to_review(&id).collect::<Vec<_>>(), ["T-0002", "T-0003"]);
        assert_eq!(book.cited_by("T-0003").collect::<Vec<_>>(), [&id]);
    }

    #[test]
    fn citations_are_found_in_any_text() {
        let text = "가[K-0009]나 [K-9] [[K-0010] K-0011] [K-0012 [K-12345]";
        let found: Vec<String> = citations(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["K-0009", "K-0010", "K-12345"]);
    }

    #[test]
    fn every_citation_of_a_list_in_brackets_is_found() {
        let text = "[K-0001, K-0002] [K-0003;K-0004] [siehe K-0005 und K-0006] [K-0007–K-0008]";
        let found: Vec<String> = citations(text).iter().map(ToString::to_string).collect();
        let all: Vec<String> = (1..=8).map(|number| format!("K-000{number}")).collect();
        assert_eq!(found, all);
    }
}
