//! Artifacts, reports on them and fetched sources are checked here. The log or the run logs must
//! tell of every such file, and the file must be unchanged since.

use std::collections::{BTreeMap, BTreeSet};

use super::log::Told;
use super::{Attempt, Documents, contradicts, missing};
use crate::docs::session::{
    ArtifactManifest, CritiqueReport, RunLogLine, SourceRecord, SystemStatus,
};
use crate::flows::session::events::RUN_LINES;
use crate::flows::session::layout;
use crate::flows::session::policy::EXECUTOR;
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::ndjson::LogLines;
use crate::formats::source::{Place, Source};
use crate::ids::Sha256;

pub(super) fn check(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    artifacts(files, told, found);
    reports(files, told, found);
    fetched(files, told, found);
    written_once(files, told, found);
    if let (Some(hash), Some(bytes)) = (&told.answer, files.read(layout::FINAL)) {
        if *hash != Sha256::of(&bytes) {
            let detail = format!("sha256 {}", Sha256::of(&bytes));
            found.push(contradicts(layout::FINAL, layout::LOG, detail));
        }
    } else if told.answer.is_some() {
        found.push(missing(layout::FINAL, layout::LOG, "finalize"));
    }
}

/// What was written once is there, and is what it was; an end has its documents.
fn written_once(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    for (path, hash) in &told.files {
        match files.read(path).map(|bytes| Sha256::of(&bytes)) {
            Some(now) if now == *hash => {}
            Some(now) => found.push(contradicts(path, layout::LOG, format!("sha256 {now}"))),
            None => found.push(missing(path, layout::LOG, &format!("sha256 {hash}"))),
        }
    }
    if matches!(told.pointer.system_status, SystemStatus::Completed | SystemStatus::Failed) {
        for path in [layout::VERDICT, layout::SUMMARY, layout::POINTERS] {
            if !files.paths().contains(path) && !told.files.contains_key(path) {
                found.push(missing(path, layout::LOG, "SESSION_COMPLETED, SESSION_FAILED"));
            }
        }
    }
}

/// Manifests and artifacts. One that is knowledge is told with its entry in the index.
fn artifacts(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for ((task, attempt), made) in &told.made {
        let path = format!("{}/{}", layout::outputs(task, *attempt), layout::MANIFEST);
        known.insert(path.clone());
        match files.read(&path).map(|bytes| serde_json::from_slice::<ArtifactManifest>(&bytes)) {
            None => found.push(missing(&path, layout::LOG, &format!("TASK_EXECUTED {task}"))),
            Some(Ok(manifest)) if manifest.artifacts != *made || manifest.task_id != *task => {
                let detail = format!("TASK_EXECUTED {task} {attempt}");
                found.push(contradicts(&path, layout::LOG, detail));
            }
            Some(_) => {}
        }
        for artifact in made {
            let path = artifact.artifact.trim_start_matches('/').to_owned();
            let is_knowledge = told.has_passed(task, &path);
            match files.read(&path) {
                None if !is_knowledge => {
                    found.push(missing(&path, layout::LOG, &format!("TASK_EXECUTED {task}")));
                }
                Some(bytes) if !is_knowledge && Sha256::of(&bytes) != artifact.sha256 => {
                    let detail = format!("sha256 {}", Sha256::of(&bytes));
                    found.push(contradicts(&path, layout::LOG, detail));
                }
                _ => {}
            }
            known.insert(path);
        }
    }
    unaccounted(files, told, layout::OUTPUTS, "TASK_EXECUTED", &known, found);
}

/// Reports are written once.
fn reports(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    let mut known = BTreeSet::new();
    for ((task, attempt), (verdict, hash)) in &told.reviewed {
        let path = layout::report(task, *attempt);
        known.insert(path.clone());
        let Some(bytes) = files.read(&path) else {
            // A rebuilt log knows verdicts by the knowledge that they made.
            if !told.is_rebuilt {
                found.push(missing(&path, layout::LOG, &format!("TASK_REVIEWED {task}")));
            }
            continue;
        };
        let says = serde_json::from_slice::<CritiqueReport>(&bytes).ok();
        if hash.as_ref().is_some_and(|hash| *hash != Sha256::of(&bytes)) {
            let detail = format!("TASK_REVIEWED {task} {attempt}: sha256 {}", Sha256::of(&bytes));
            found.push(contradicts(&path, layout::LOG, detail));
        } else if says.is_some_and(|report| Some(report.verdict) != *verdict) {
            found.push(contradicts(&path, layout::LOG, format!("TASK_REVIEWED {task} {attempt}")));
        }
    }
    // Answers that were refused, with their verdicts, are told by their hashes.
    known.extend(told.files.keys().filter(|path| path.starts_with(layout::REPORTS)).cloned());
    unaccounted(files, told, layout::REPORTS, "TASK_REVIEWED", &known, found);
}

/// What the run logs say of one attempt.
struct Lines {
    text: String,
    /// Where they begin.
    file: String,
    place: Option<Place>,
}

/// Run logs tell of every attempt, in the words that were written, and of nothing else; every raw
/// answer is what its name says.
fn fetched(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    let mut lines: BTreeMap<Attempt, Lines> = BTreeMap::new();
    let mut records: BTreeMap<String, Vec<SourceRecord>> = BTreeMap::new();
    for path in files.paths().iter().filter(|path| path.starts_with(layout::RUN_LOGS)) {
        let bytes = files.read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let source = Source::new(path, &text);
        for (line, ran) in
            LogLines::whole(path, &bytes).typed::<RunLogLine>().filter_map(Result::ok)
        {
            let place = line.number.map(|number| source.line_place(number));
            if ran.actor != EXECUTOR {
                let (other, detail) = ("section 5".to_owned(), ran.actor.clone());
                let finding = Finding::Contradicts { other, detail };
                found.push(Diagnostic {
                    place: place.clone(),
                    ..Diagnostic::of_file(path, finding)
                });
            }
            for kept in ran.sources {
                records.entry(layout::source(&kept.sha256).0).or_default().push(kept);
            }
            let attempt = (ran.task_id, ran.attempt.unwrap_or(1));
            let first = || Lines { text: String::new(), file: path.clone(), place };
            let all = lines.entry(attempt).or_insert_with(first);
            all.text += line.text.trim_end();
            all.text.push('\n');
        }
    }
    run_lines(told, &lines, found);
    raw_answers(files, told, &records, found);
}

fn run_lines(told: &Told, lines: &BTreeMap<Attempt, Lines>, found: &mut Vec<Diagnostic>) {
    for ((task, attempt), hash) in &told.ran {
        let because = format!("{task} {attempt}");
        match (lines.get(&(task.clone(), *attempt)), hash) {
            (None, _) => {
                found.push(missing(layout::RUN_LOGS.trim_end_matches('/'), layout::LOG, &because));
            }
            (Some(lines), Some(hash)) if Sha256::of(lines.text.as_bytes()) != *hash => {
                found.push(lines.contradict(&format!("{because}: {RUN_LINES} {hash}")));
            }
            (Some(_), _) => {}
        }
    }
    for ((task, attempt), lines) in lines.iter().filter(|_| !told.is_rebuilt) {
        if !told.ran.contains_key(&(task.clone(), *attempt)) {
            found.push(lines.contradict(&format!("{task} {attempt}: -")));
        }
    }
}

impl Lines {
    fn contradict(&self, detail: &str) -> Diagnostic {
        let place = self.place.clone();
        Diagnostic { place, ..contradicts(&self.file, layout::LOG, detail.to_owned()) }
    }
}

/// Raw answers and, beside each, where it came from.
fn raw_answers(
    files: &dyn Documents,
    told: &Told,
    records: &BTreeMap<String, Vec<SourceRecord>>,
    found: &mut Vec<Diagnostic>,
) {
    let mut known = BTreeSet::new();
    for (raw, told_of) in records {
        let about = format!("{raw}.json");
        let url = told_of.first().map_or("", |record| record.url.as_str());
        match files.read(raw).map(|bytes| Sha256::of(&bytes)) {
            None => found.push(missing(raw, layout::RUN_LOGS, url)),
            Some(hash) if !raw.ends_with(hash.as_str()) => {
                found.push(contradicts(raw, raw, format!("sha256 {hash}")));
            }
            Some(_) => {}
        }
        let says = files.read(&about).map(|bytes| serde_json::from_slice::<SourceRecord>(&bytes));
        match says {
            None => found.push(missing(&about, layout::RUN_LOGS, url)),
            Some(Ok(record)) if !told_of.contains(&record) => {
                found.push(contradicts(&about, layout::RUN_LOGS, format!("sources: {url}")));
            }
            Some(_) => {}
        }
        known.extend([raw.clone(), about]);
    }
    unaccounted(files, told, layout::SOURCES, "sources", &known, found);
}

/// Files in a directory of ours that nobody tells of: somebody wrote where they may not.
fn unaccounted(
    files: &dyn Documents,
    told: &Told,
    directory: &str,
    told_by: &str,
    known: &BTreeSet<String>,
    found: &mut Vec<Diagnostic>,
) {
    if told.is_rebuilt {
        // What a lost log told of is gone with it.
        return;
    }
    let here = files.paths().iter().filter(|path| path.starts_with(directory));
    for path in here.filter(|path| !known.contains(*path)) {
        let other = if told_by == "sources" { layout::RUN_LOGS } else { layout::LOG };
        found.push(contradicts(path, other, format!("{told_by}: -")));
    }
}
