//! Agents' answers are checked here beyond their schemas. An answer must name its request, task,
//! subtask and author. Its paths must be files of the project. Faults become findings for the next
//! call.

use std::collections::BTreeSet;

use crate::docs::call::CallFinding;
use crate::docs::contract::{
    Author, Decisions, DesignContract, Explored, Merge, Patterns, Recommendation, Review,
    ReviewVerdict, TaskBreakdown, TestContract,
};
use crate::docs::document::Document;
use crate::flows::contract::layout;
use crate::flows::contract::scope::{BadPlace, project_path};
use crate::flows::contract::words as say;
use crate::ids::{ContractTaskId, RequestId, SubtaskId};
use crate::replies::document;
use crate::steps::Answer;
use crate::words::Lang;

/// Most tasks of a request, and most subtasks of a task.
const MOST_TASKS: usize = 50;
const MOST_SUBTASKS: usize = 50;
/// Most cases of a contract and most files of a design.
const MOST_ENTRIES: usize = 500;

/// A value with the bytes it was read from, which are committed as they are.
pub(super) struct Read<T> {
    pub(super) value: T,
    pub(super) bytes: Vec<u8>,
}

type Found<T> = Result<T, Vec<CallFinding>>;

/// All findings about one file.
struct Findings<'f> {
    file: &'f str,
    lang: Lang,
    all: Vec<CallFinding>,
}

impl<'f> Findings<'f> {
    fn new(file: &'f str, lang: Lang) -> Self {
        Self { file, lang, all: Vec::new() }
    }

    fn add(&mut self, problem: String, next: String) {
        self.all.push(CallFinding { file: self.file.to_owned(), line: None, problem, next });
    }

    fn field(&mut self, field: &str, found: &str, wanted: &str) {
        if found != wanted {
            let problem = say::other_field(self.lang, field, found);
            self.add(problem, say::other_field_next(self.lang, field, wanted));
        }
    }

    fn author(&mut self, found: Author, wanted: Author) {
        let name = |author: Author| {
            serde_json::to_value(author).ok().and_then(|name| name.as_str().map(str::to_owned))
        };
        let (found, wanted) = (name(found).unwrap_or_default(), name(wanted).unwrap_or_default());
        self.field("created_by", &found, &wanted);
    }

    fn path(&mut self, path: &str) {
        match project_path(path) {
            Ok(_) => {}
            Err(BadPlace::NotInside) => {
                self.add(say::not_inside(self.lang, path), say::not_inside_next(self.lang));
            }
            Err(BadPlace::Protected) => {
                self.add(say::not_yours(self.lang, path), say::not_yours_next(self.lang));
            }
        }
    }

    fn most(&mut self, what: &str, found: usize, most: usize) {
        if found > most {
            let problem = say::too_many(self.lang, what, found, most);
            self.add(problem, say::too_many_next(self.lang, what, most));
        }
    }

    fn read<T>(self, value: T, bytes: Vec<u8>) -> Found<Read<T>> {
        if self.all.is_empty() { Ok(Read { value, bytes }) } else { Err(self.all) }
    }
}

fn taken<D: Document>(answer: &Answer, name: &str, lang: Lang) -> Found<(D, Vec<u8>)> {
    let (_, read) = document::<D>(answer, name, lang)?;
    Ok((read.value, answer.documents.get(name).cloned().unwrap_or_default()))
}

/// A file that may be missing.
fn optional<D: Document>(answer: &Answer, name: &str, lang: Lang) -> Found<Option<Vec<u8>>> {
    match answer.documents.get(name) {
        None => Ok(None),
        Some(_) => taken::<D>(answer, name, lang).map(|(_, bytes)| Some(bytes)),
    }
}

pub(super) fn explored(
    answer: &Answer,
    request: &RequestId,
    lang: Lang,
) -> Found<(Vec<u8>, Option<Vec<u8>>)> {
    let (value, bytes) = taken::<Explored>(answer, layout::EXPLORED, lang)?;
    let mut findings = Findings::new(layout::EXPLORED, lang);
    findings.field("request_id", value.request_id.as_str(), request.as_str());
    findings.author(value.created_by, Author::CodeExplore);
    let read = findings.read(value, bytes)?;
    Ok((read.bytes, optional::<Patterns>(answer, layout::PATTERNS, lang)?))
}

pub(super) fn breakdown(
    answer: &Answer,
    request: &RequestId,
    lang: Lang,
) -> Found<Read<TaskBreakdown>> {
    let (value, bytes) = taken::<TaskBreakdown>(answer, layout::BREAKDOWN, lang)?;
    let mut findings = Findings::new(layout::BREAKDOWN, lang);
    findings.field("request_id", value.request_id.as_str(), request.as_str());
    findings.author(value.created_by, Author::Planner);
    findings.most("tasks", value.tasks.len(), MOST_TASKS);
    for task in &value.tasks {
        findings.most("subtasks", task.subtasks.len(), MOST_SUBTASKS);
    }
    let mut seen = BTreeSet::new();
    for id in value.task_order.iter().filter(|id| !seen.insert(id.as_str())) {
        findings.add(say::twice_in_order(lang, id), say::twice_in_order_next(lang));
    }
    findings.read(value, bytes)
}

/// Every assumption has a verdict with evidence, and nothing else has.
pub(super) fn merge(answer: &Answer, breakdown: &TaskBreakdown, lang: Lang) -> Found<Read<Merge>> {
    let (value, bytes) = taken::<Merge>(answer, layout::MERGE, lang)?;
    let mut findings = Findings::new(layout::MERGE, lang);
    let told: BTreeSet<&str> = value.0.iter().map(|one| one.assumption.as_str()).collect();
    for assumption in &breakdown.assumptions {
        if !told.contains(assumption.as_str()) {
            let next = say::no_verdict_next(lang);
            findings.add(say::no_verdict(lang, assumption), next);
        }
    }
    for one in &value.0 {
        if !breakdown.assumptions.contains(&one.assumption) {
            let next = say::unknown_assumption_next(lang);
            findings.add(say::unknown_assumption(lang, &one.assumption), next);
        } else if one.evidence.trim().is_empty() {
            let next = say::no_evidence_next(lang);
            findings.add(say::no_evidence(lang, &one.assumption), next);
        }
    }
    if told.len() != value.0.len() {
        findings.add(say::twice_judged(lang), say::twice_judged_next(lang));
    }
    findings.read(value, bytes)
}

pub(super) fn design(
    answer: &Answer,
    request: &RequestId,
    task: &ContractTaskId,
    lang: Lang,
) -> Found<(Vec<u8>, Option<Vec<u8>>)> {
    let (value, bytes) = taken::<DesignContract>(answer, layout::DESIGN, lang)?;
    let mut findings = Findings::new(layout::DESIGN, lang);
    findings.field("request_id", value.request_id.as_str(), request.as_str());
    findings.field("task_id", value.task_id.as_str(), task.as_str());
    findings.author(value.created_by, Author::Architect);
    findings.most("file_refs", value.file_refs.len(), MOST_ENTRIES);
    for file in &value.file_refs {
        findings.path(&file.path);
    }
    let mut seen = BTreeSet::new();
    for one in value.invariants.iter().filter(|one| !seen.insert(one.id.as_str())) {
        findings.add(say::same_id(lang, &one.id), say::same_id_next(lang));
    }
    let read = findings.read(value, bytes)?;
    Ok((read.bytes, optional::<Decisions>(answer, layout::DECISIONS, lang)?))
}

pub(super) fn tests(
    answer: &Answer,
    request: &RequestId,
    subtask: &SubtaskId,
    lang: Lang,
) -> Found<Read<TestContract>> {
    let (value, bytes) = taken::<TestContract>(answer, layout::TESTS, lang)?;
    let mut findings = Findings::new(layout::TESTS, lang);
    findings.field("request_id", value.request_id.as_str(), request.as_str());
    findings.field("subtask_id", value.subtask_id.as_str(), subtask.as_str());
    findings.author(value.created_by, Author::QaEngineer);
    findings.path(&value.test_file_path);
    findings.most("test_cases", value.test_cases.len(), MOST_ENTRIES);
    let mut seen = BTreeSet::new();
    for one in value.test_cases.iter().filter(|one| !seen.insert(one.id.as_str())) {
        findings.add(say::same_id(lang, &one.id), say::same_id_next(lang));
    }
    findings.read(value, bytes)
}

/// A review looks at each invariant and each interface, and says where it saw what it says.
pub(super) fn review(answer: &Answer, design: &DesignContract, lang: Lang) -> Found<Read<Review>> {
    let (value, bytes) = taken::<Review>(answer, layout::REVIEW, lang)?;
    let mut findings = Findings::new(layout::REVIEW, lang);
    let invariants = design.invariants.iter().map(|one| one.id.as_str());
    let subjects = invariants.chain(design.interfaces.iter().map(|one| one.name.as_str()));
    for subject in subjects {
        match value.findings.iter().find(|finding| finding.subject == subject) {
            None => findings.add(say::not_reviewed(lang, subject), say::not_reviewed_next(lang)),
            Some(finding) if finding.evidence.trim().is_empty() => {
                findings.add(say::no_evidence(lang, subject), say::no_evidence_next(lang));
            }
            Some(_) => {}
        }
    }
    let failed = value.findings.iter().find(|one| one.verdict == ReviewVerdict::Fail);
    if let (ReviewVerdict::Pass, Some(failed)) = (value.verdict, failed) {
        let problem = say::passes_what_failed(lang, &failed.subject);
        findings.add(problem, say::passes_what_failed_next(lang));
    }
    findings.read(value, bytes)
}

pub(super) fn recommendation(answer: &Answer, lang: Lang) -> Found<Recommendation> {
    taken::<Recommendation>(answer, layout::RECOMMENDATION, lang).map(|(value, _)| value)
}
