//! An inspection is the work tree after an attempt, compared with its base. The workspace makes it.
//! This module reads its handoffs and turns it into the evidence for the judge.

use super::base::ObjectId;
use super::evidence::{
    Breach, CallEnd, Change, Evidence, HandoffContent, HandoffWord, NewHandoff, RepoPath,
};
use super::handoff_reason;
use super::rooms::SquashReason;
use crate::docs::document::read;
use crate::docs::goals::{Handoff, HandoffName, HandoffStatus};
use crate::formats::diagnostic::{Diagnostic, Finding, Kind};
use crate::formats::front_matter::FrontMatter;
use crate::formats::source::Source;
use crate::words::Lang;

/// The work tree after an attempt, compared with its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    pub breaches: Vec<Breach>,
    /// Refs that moved meanwhile, where others may move them too and nothing held the attempt.
    pub others: Vec<MovedRef>,
    /// New files that the attempt's own ignore rules hide: judged, and in no commit of ours.
    pub not_committed: Vec<RepoPath>,
    /// Protected paths that were changed.
    pub protected: Vec<RepoPath>,
    pub changes: Vec<Change>,
    /// Changed paths at which a symbolic link is now.
    pub links: Vec<RepoPath>,
    pub handoffs: Vec<HandoffFile>,
    /// Ignored files of the agent that were taken back before the tests.
    pub taken_back: Vec<RepoPath>,
    /// Why the agent's own commits are not kept; none where it made none, or all are.
    pub squashed: Option<SquashReason>,
    /// Where the attempt's branch is now.
    pub head: ObjectId,
    /// Exactly what is there, as an object of git.
    pub tree: ObjectId,
    /// What a commit on `head` would hold: the attempt's changes and nothing that was uncommitted
    /// before it. Equal to the tree of `head` when there is nothing to commit.
    pub commit_tree: ObjectId,
    pub uncommitted: bool,
}

/// A ref that moved while an attempt was under way, by whoever; none is that it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedRef {
    pub name: String,
    pub to: Option<ObjectId>,
}

/// A file in the directory of handoffs that was not there at the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffFile {
    /// As the directory names it.
    pub name: String,
    /// What is in it, or why it was not read.
    pub bytes: Result<Vec<u8>, String>,
    /// Git ignores it: no commit has it.
    pub ignored: bool,
}

impl Inspection {
    /// The evidence, with how the call ended; what is wrong with a handoff in this language. Leaves what git
    /// needs later here.
    pub fn evidence(&self, call: CallEnd, lang: Lang) -> Evidence {
        let read = |file| read_handoff(file, lang);
        let mut handoffs: Vec<NewHandoff> = self.handoffs.iter().map(read).collect();
        handoffs.sort_by_cached_key(|handoff| {
            (handoff.name.parse::<HandoffName>().ok(), handoff.name.clone())
        });
        Evidence {
            call,
            breaches: self.breaches.clone(),
            protected: self.protected.clone(),
            changes: self.changes.clone(),
            handoffs,
        }
    }
}

fn read_handoff(file: &HandoffFile, lang: Lang) -> NewHandoff {
    let content = content(file, lang).unwrap_or_else(|why| HandoffContent::Invalid { why });
    NewHandoff { name: file.name.clone(), content }
}

fn content(file: &HandoffFile, lang: Lang) -> Result<HandoffContent, String> {
    let bytes = file.bytes.as_ref().map_err(Clone::clone)?;
    let said = |found: &Diagnostic| said(file, found, lang);
    let source = Source::from_bytes(&file.name, bytes).map_err(|found| said(&found))?;
    let front = read::<Handoff>(&source)
        .map_err(|found| found.first().map_or_else(String::new, said))?
        .value;
    let body = FrontMatter::split(&source).map_err(|found| said(&found))?.body;
    let removed_in = body.clone();
    let status = match front.status {
        HandoffStatus::Complete => HandoffWord::Complete,
        HandoffStatus::Failed => HandoffWord::Failed,
        HandoffStatus::Blocked => HandoffWord::Blocked,
    };
    let reason = match status {
        HandoffWord::Blocked => match handoff_reason::one_line(&source.text[body]) {
            reason if reason.is_empty() => file.name.clone(),
            reason => reason,
        },
        HandoffWord::Complete | HandoffWord::Failed => String::new(),
    };
    let (goal_id, timestamp) = (front.goal_id, front.timestamp.time());
    let removed_tests = handoff_reason::removed_tests(&source.text[removed_in]);
    Ok(HandoffContent::Valid { goal_id, status, timestamp, reason, removed_tests })
}

/// The fault of a handoff in words, with its line and the field that stands there.
fn said(file: &HandoffFile, found: &Diagnostic, lang: Lang) -> String {
    let what = found.finding.what(lang);
    let Some(line) = found.line() else { return what };
    let text = file.bytes.as_deref().ok().map(String::from_utf8_lossy).unwrap_or_default();
    let key = text.lines().nth(line - 1).and_then(|text| text.split_once(':'));
    let key = key.map(|(key, _)| key.trim()).filter(|key| HANDOFF_FIELDS.contains(key));
    match (key, &found.finding) {
        (Some(key), Finding::WrongType { found: Kind::Null, .. } | Finding::Empty { .. }) => {
            say::empty_field(lang, line, key)
        }
        (Some(key), _) => say::field(lang, line, key, what),
        (None, _) => say::line(lang, line, what),
    }
}

/// The fields of a handoff's front matter.
const HANDOFF_FIELDS: [&str; 3] = ["timestamp", "status", "goal_id"];

pub mod say {
    //! Where a handoff is wrong.
    crate::messages! {
        empty_field(line, key) { en: "line {line}: {key} is empty", ko: "{line}번째 줄: {key}(이)가 비어 있습니다" }
        field(line, key, what) { en: "line {line}, {key}: {what}", ko: "{line}번째 줄 {key}: {what}" }
        line(line, what) { en: "line {line}: {what}", ko: "{line}번째 줄: {what}" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> HandoffFile {
        HandoffFile { name: name.into(), bytes: Ok(text.as_bytes().to_vec()), ignored: false }
    }

    fn inspection(handoffs: Vec<HandoffFile>) -> Inspection {
        let id: ObjectId = "a".repeat(40).parse().unwrap();
        Inspection {
            breaches: Vec::new(),
            others: Vec::new(),
            not_committed: Vec::new(),
            squashed: None,
            taken_back: Vec::new(),
            protected: Vec::new(),
            changes: Vec::new(),
            links: Vec::new(),
            handoffs,
            head: id.clone(),
            tree: id.clone(),
            commit_tree: id,
            uncommitted: false,
        }
    }

    #[test]
    fn the_place_in_a_handoff_is_said_in_both_languages() {
        for entry in say::CATALOGUE {
            let [en, ko] = [entry.en, entry.ko].map(crate::words::placeholders);
            assert_eq!(en, ko, "{}", entry.key);
        }
    }

    const BLOCKED: &str = "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: blocked\n\
                           goal_id: M1\n---\n\nno database here\n";

    #[test]
    fn handoffs_are_read_oldest_first_and_a_blocked_one_says_why() {
        let found = inspection(vec![
            file("2026-02-09_143000_10.md", BLOCKED),
            file("2026-02-09_143000_2.md", BLOCKED),
        ]);
        let handoffs = found.evidence(CallEnd::Ended, Lang::En).handoffs;
        assert_eq!(handoffs[0].name, "2026-02-09_143000_2.md");
        let HandoffContent::Valid { reason, status, .. } = &handoffs[0].content else {
            panic!("{handoffs:?}");
        };
        assert_eq!((reason.as_str(), *status), ("no database here", HandoffWord::Blocked));
    }

    #[test]
    fn what_is_wrong_with_a_handoff_is_said_in_the_users_language() {
        let found = inspection(vec![file(
            "2026-02-09_143000.md",
            &BLOCKED.replace("status: blocked", "status: finished"),
        )]);
        let why = |lang| match found.evidence(CallEnd::Ended, lang).handoffs.pop() {
            Some(NewHandoff { content: HandoffContent::Invalid { why }, .. }) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(Lang::En), "line 3, status: `finished` is not allowed here");
        assert_eq!(
            why(Lang::Ko),
            "3번째 줄 status: `finished`(은)는 쓸 수 없는 값입니다".replace("(은)는", "는")
        );
    }

    #[test]
    fn a_field_of_a_handoff_that_is_empty_is_named_with_its_line() {
        for (wrong, said) in [
            ("goal_id:", "line 4: goal_id is empty"),
            ("goal_id: \"\"", "line 4: goal_id is empty"),
            ("goal_id: [a]", "line 4, goal_id: expected text, found a list"),
        ] {
            let text = BLOCKED.replace("goal_id: M1", wrong);
            let found = inspection(vec![file("2026-02-09_143000.md", &text)]);
            let handoffs = found.evidence(CallEnd::Ended, Lang::En).handoffs;
            let HandoffContent::Invalid { why } = &handoffs[0].content else { panic!("{wrong}") };
            assert_eq!(why, said);
        }
    }

    #[test]
    fn what_is_no_handoff_says_why() {
        let unread =
            HandoffFile { name: "x.md".into(), bytes: Err("too large".into()), ignored: false };
        let found = inspection(vec![
            file("notes.md", "hello"),
            file("2026-02-09_143000.md", "---\n"),
            unread,
        ]);
        for handoff in found.evidence(CallEnd::Ended, Lang::En).handoffs {
            assert!(
                matches!(&handoff.content, HandoffContent::Invalid { why } if !why.is_empty()),
                "{handoff:?}"
            );
        }
    }
}
