//! What was made, said about it, and fetched for it: every file is one that the log or the run logs
//! tell of, and is still what it was.

use std::collections::{BTreeMap, BTreeSet};

use super::log::Told;
use super::{Attempt, Documents, contradicts, missing};
use crate::docs::session::{ArtifactManifest, CritiqueReport, RunLogLine};
use crate::flows::session::layout;
use crate::flows::session::policy::EXECUTOR;
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::ndjson::LogLines;
use crate::formats::source::Source;
use crate::ids::Sha256;

pub(super) fn check(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    artifacts(files, told, found);
    reports(files, told, found);
    fetched(files, told, found);
    if let (Some(hash), Some(bytes)) = (&told.answer, files.read(layout::FINAL)) {
        if *hash != Sha256::of(&bytes) {
            let detail = format!("sha256 {}", Sha256::of(&bytes));
            found.push(contradicts(layout::FINAL, layout::LOG, detail));
        }
    } else if told.answer.is_some() {
        found.push(missing(layout::FINAL, layout::LOG, "finalize"));
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
    unaccounted(files, told, layout::REPORTS, "TASK_REVIEWED", &known, found);
}

/// Run logs tell of every attempt, and every raw answer is what its name says.
fn fetched(files: &dyn Documents, told: &Told, found: &mut Vec<Diagnostic>) {
    let mut lines: BTreeMap<Attempt, usize> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for path in files.paths().iter().filter(|path| path.starts_with(layout::RUN_LOGS)) {
        let bytes = files.read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let source = Source::new(path, &text);
        for (line, ran) in
            LogLines::whole(path, &bytes).typed::<RunLogLine>().filter_map(Result::ok)
        {
            let place = line.number.map(|number| source.line_place(number));
            let mut tell = |finding: Finding| {
                found.push(Diagnostic {
                    place: place.clone(),
                    ..Diagnostic::of_file(path, finding)
                });
            };
            if ran.actor != EXECUTOR {
                let (other, detail) = ("section 5".to_owned(), ran.actor.clone());
                tell(Finding::Contradicts { other, detail });
            }
            for kept in &ran.sources {
                let (raw, about) = layout::source(&kept.sha256);
                if !files.paths().contains(&raw) {
                    let because = kept.url.clone();
                    tell(Finding::MissingFile { path: raw.clone(), because });
                }
                known.extend([raw, about]);
            }
            *lines.entry((ran.task_id, ran.attempt.unwrap_or(1))).or_default() += 1;
        }
    }
    for (task, attempt) in told.made.keys().filter(|attempt| !lines.contains_key(attempt)) {
        let because = format!("TASK_EXECUTED {task} {attempt}");
        found.push(missing(layout::RUN_LOGS.trim_end_matches('/'), layout::LOG, &because));
    }
    unaccounted(files, told, layout::SOURCES, "sources", &known, found);
    for path in known.iter().filter(|path| !path.ends_with(".json")) {
        let Some(bytes) = files.read(path) else { continue };
        let hash = Sha256::of(&bytes);
        if !path.ends_with(hash.as_str()) {
            found.push(contradicts(path, path, format!("sha256 {hash}")));
        }
    }
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
