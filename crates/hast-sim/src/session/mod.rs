//! The session flow under test: its agents, what must hold of its documents, and what of two ends
//! must be equal.

mod actors;
mod checks;
mod essence;

use hast_flow::flows::session::{NewSession, SessionFlow, View, boot, layout};
use hast_flow::steps::{Commit, Effect, StepKey};
use hast_flow::store::DocPath;

use crate::flows::subject::{Files, Performed, PersonsEdit, Promise, Subject, every_document};
use crate::rng::Rng;
use actors::Actors;

/// Every session of the sweep has this name, whenever it begins.
const SESSION: &str = "S-20260112-143000Z";

/// A session of one seed.
#[derive(Debug)]
pub struct Session {
    actors: Actors,
    parallel: usize,
}

impl Session {
    /// One task after the other.
    pub fn one_by_one(seed: u64) -> Self {
        Self { actors: Actors::new(seed), parallel: 1 }
    }

    /// Three at a time.
    pub fn in_lanes(seed: u64) -> Self {
        Self { actors: Actors::new(seed), parallel: 3 }
    }
}

impl Subject for Session {
    type Flow = SessionFlow;

    fn flow(&self) -> SessionFlow {
        let (query, system_prompt) = ("질문".to_owned(), String::new());
        let id = Some(SESSION.parse().unwrap_or_else(|_| unreachable!("an id of its own form")));
        let new = NewSession { id, query, system_prompt, review_rules: None };
        SessionFlow { new: Some(new), parallel: self.parallel, ..SessionFlow::default() }
    }

    fn clock_moves(&self) -> bool {
        self.parallel > 1
    }

    fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        self.actors.perform(key, effect)
    }

    fn documents_hold(&self, files: &Files, edited: Option<&str>) -> Result<(), String> {
        checks::documents_hold(files, edited)
    }

    fn role_is_kept(&self, commit: &Commit) -> Result<(), String> {
        checks::role_is_kept(commit)
    }

    fn logs(&self) -> &'static [&'static str] {
        &[layout::LOG, layout::CHANGE_LOG]
    }

    fn views_agree(&self, kept: &View, fresh: &View) -> Result<(), String> {
        checks::views_agree(kept, fresh)
    }

    fn essence(&self, files: &Files, ending: &str) -> Files {
        if self.parallel == 1 {
            return every_document(files, ending);
        }
        essence::meaning(files, ending)
    }

    /// Whatever is asked is answered.
    fn answer(&self, files: &Files) -> Option<(DocPath, Vec<u8>)> {
        let name = |path: &&String| path.starts_with(layout::QUESTIONS);
        let mut open = files.keys().filter(name).filter_map(|path| path.strip_suffix(".json"));
        let open = open.find(|id| {
            !id.ends_with(".answer") && !files.contains_key(&format!("{id}.answer.json"))
        })?;
        let id = open.rsplit('/').next()?;
        // A person does what the question offers.
        let question = String::from_utf8_lossy(files.get(&format!("{open}.json"))?);
        let offered = [boot::RESTORE, boot::REPLAN];
        let word = offered.into_iter().find(|word| question.contains(&format!("`{word}`")));
        let answer = serde_json::json!({
            "id": id, "ts": "2026-01-12T14:40:00Z", "answer": word.unwrap_or("그렇게 하세요"), "status": "ANSWERED",
        });
        let path = DocPath::new(&format!("{open}.answer.json")).ok()?;
        Some((path, answer.to_string().into_bytes()))
    }

    fn edit(&self, chance: &mut Rng) -> Option<PersonsEdit> {
        let (path, text, harmless) = match chance.below(6) {
            0 => (layout::REVIEW_RULES, "# 내 규칙\n", true),
            1 => (layout::STATUS, "{\"mine\": true}\n", true),
            2 => (layout::GOAL, "내 목표\n", true),
            3 => ("notes/mine.md", "메모\n", true),
            4 => ("execution/outputs/T-0001/out.md", "내가 고친 글\n", false),
            _ => (layout::INDEX, "{\"knowledge\": [\n]}\n", false),
        };
        // Who only moves their file away is asked about it, and that is in the log. Of the index only
        // the new end was kept aside, which is no document.
        let puts_back = path != layout::INDEX && chance.percent(50);
        let promise = if harmless && puts_back { Promise::SameEnd } else { Promise::SomeEnd };
        Some(PersonsEdit { puts_back, ..PersonsEdit::of(path, text, promise)? })
    }
}
