//! A flow under test, as the sweep needs it. It says how the flow's world answers, which laws
//! always hold, and which files must be equal at two ends.

use std::collections::BTreeMap;

use hast_flow::driver::Flow;
use hast_flow::steps::{Commit, Effect, EffectResult, StepKey};
use hast_flow::store::DocPath;

use crate::disk::EditStyle;
use crate::rng::Rng;

pub type Files = BTreeMap<String, Vec<u8>>;

/// A flow under test.
pub trait Subject: 'static {
    type Flow: Flow<View: Clone> + 'static;

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

    /// Whether a step may be begun although it has ended: what ended it left nothing behind that could
    /// be gone on with, and the person starts anew.
    fn starts_anew(&self, _key: &StepKey, _files: &Files) -> bool {
        false
    }

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

    /// Whether people may spoil any document. A flow of the tests takes no care of that.
    fn may_be_spoiled(&self) -> bool {
        true
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

/// What a person may expect who saves a document while hast runs. Never is their edit lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Everything else ends as if they had not.
    SameEnd,
    /// It ends, and every law holds.
    SomeEnd,
    /// It ends, or hast goes on telling of the document.
    Told,
}

/// What a person saves.
#[derive(Clone, Debug)]
pub struct PersonsEdit {
    pub path: DocPath,
    pub bytes: Vec<u8>,
    pub style: EditStyle,
    pub promise: Promise,
    /// Whether, told of a conflict, they take what was kept aside; others only move theirs away.
    pub puts_back: bool,
}

impl PersonsEdit {
    /// Saved as most editors do, by a person who moves their file away when they are told of it.
    pub fn of(path: &str, text: &str, promise: Promise) -> Option<Self> {
        let (path, bytes) = (DocPath::new(path).ok()?, text.as_bytes().to_vec());
        Some(Self { path, bytes, style: EditStyle::Rename, promise, puts_back: false })
    }

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
        Some(path) => {
            let [calm, hit] = first_difference(calm.get(path), hit.get(path));
            Err(format!("{path} differs from the undisturbed run: {hit:?} instead of {calm:?}"))
        }
        None => Ok(()),
    }
}

/// The first line in which two texts differ, of each; a text that is not there has none.
fn first_difference(one: Option<&Vec<u8>>, other: Option<&Vec<u8>>) -> [Option<String>; 2] {
    let lines = |bytes: Option<&Vec<u8>>| -> Vec<String> {
        let text = bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        text.iter().flat_map(|text| text.lines().map(str::to_owned)).collect()
    };
    let (one, other) = (lines(one), lines(other));
    let same = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    [one, other].map(|lines| lines.into_iter().nth(same))
}
