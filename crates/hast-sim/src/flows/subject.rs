//! What the sweep has to know about a flow: how its world answers, what must always hold, and what
//! of two ends must be equal.

use std::collections::BTreeMap;

use hast_flow::driver::Flow;
use hast_flow::steps::{Commit, Effect, EffectResult, StepKey};
use hast_flow::store::DocPath;

use crate::rng::Rng;

pub type Files = BTreeMap<String, Vec<u8>>;

/// A flow under test.
pub trait Subject {
    type Flow: Flow<View: Clone>;

    fn flow(&self) -> Self::Flow;

    /// What a second driver works on in the same root.
    fn second(&self) -> Self::Flow {
        self.flow()
    }

    /// Whether the clock moves; a moving one never prints the same time twice.
    fn clock_moves(&self) -> bool;

    /// What comes of an effect. It follows from the seed and the step alone, so that a step done
    /// again is answered the same.
    fn perform(&self, key: &StepKey, effect: &Effect) -> Performed;

    /// What holds at every moment, whatever happened. What a person wrote over is not ours.
    fn documents_hold(&self, files: &Files, edited: Option<&str>) -> Result<(), String>;

    /// A role wrote where its row lets it.
    fn role_is_kept(&self, commit: &Commit) -> Result<(), String>;

    /// Logs that only grow.
    fn logs(&self) -> &'static [&'static str];

    /// What a view learnt change by change is what a fresh read says.
    fn views_agree(
        &self,
        kept: &<Self::Flow as Flow>::View,
        fresh: &<Self::Flow as Flow>::View,
    ) -> Result<(), String>;

    /// What must be equal, by name: two runs that may differ in nothing else.
    fn essence(&self, files: &Files, ending: &str) -> Files;

    /// What a person writes when the flow waits for them.
    fn answer(&self, _files: &Files) -> Option<(DocPath, Vec<u8>)> {
        None
    }

    /// A person's edit.
    fn edit(&self, chance: &mut Rng) -> Option<PersonsEdit>;
}

/// An answer, and what the agent was up to.
#[derive(Clone, Debug)]
pub struct Performed {
    pub result: EffectResult,
    pub mood: &'static str,
}

/// What a person saves.
#[derive(Clone, Debug)]
pub struct PersonsEdit {
    pub path: DocPath,
    pub bytes: Vec<u8>,
    /// Whether the rest must end as if they had not.
    pub harmless: bool,
    /// Whether, told of a conflict, they take what was kept aside; others only move theirs away.
    pub puts_back: bool,
}

impl PersonsEdit {
    /// The last part of the path, by which a notice may name it.
    pub fn file_name(&self) -> &str {
        let path = self.path.as_str();
        path.rsplit('/').next().unwrap_or(path)
    }
}

/// Every document, byte for byte.
pub fn every_document(files: &Files, ending: &str) -> Files {
    let ours = files.iter().filter(|(path, _)| !path.starts_with(".hast/"));
    let mut essence: Files = ours.map(|(path, bytes)| (path.clone(), bytes.clone())).collect();
    essence.insert("(ending)".to_owned(), ending.as_bytes().to_vec());
    essence
}

/// Logs are only added to.
pub fn history_is_kept(logs: &[&str], before: &Files, after: &Files) -> Result<(), String> {
    for path in logs {
        let (Some(before), after) = (before.get(*path), after.get(*path)) else { continue };
        if !after.is_some_and(|after| after.starts_with(before)) {
            return Err(format!("{path} lost what it said"));
        }
    }
    Ok(())
}

/// The first name that two ends do not agree on.
pub fn same(calm: &Files, hit: &Files, but: Option<&str>) -> Result<(), String> {
    let differs = calm.iter().filter(|(path, bytes)| hit.get(*path) != Some(bytes));
    let extra = hit.keys().filter(|path| !calm.contains_key(*path));
    let mut paths = differs.map(|(path, _)| path).chain(extra);
    match paths.find(|path| Some(path.as_str()) != but) {
        Some(path) => Err(format!("{path} differs from the undisturbed run")),
        None => Ok(()),
    }
}
