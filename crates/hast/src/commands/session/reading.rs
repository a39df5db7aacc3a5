//! A session's documents as they are on disk, for whoever only looks.

use std::collections::BTreeMap;

use hast_flow::docs::session::{
    CritiqueReport, Decomposition, RunLogLine, SessionEvent, SourceRecord,
};
use hast_flow::driver::Delta;
use hast_flow::flows::session::{View, layout};
use hast_flow::formats::ndjson;
use hast_flow::ids::{SessionId, TaskId};
use hast_flow::store::Seen;
use hast_world::root_path::RootPath;
use serde_json::Value;

use super::directory;
use crate::app::App;
use crate::commands::flow_root::unread;
use crate::problem::Problem;

/// Logs of a thousand tasks have a few megabytes.
pub(super) const MAX_BYTES: usize = 256 << 20;

/// Everything that a report tells.
pub(super) struct Session {
    pub(super) id: SessionId,
    pub(super) directory: RootPath,
    pub(super) view: View,
    pub(super) events: Vec<SessionEvent>,
    pub(super) answer: Option<String>,
    pub(super) verdict: Option<String>,
    /// The second of each task's first event, and of its last where there are several.
    pub(super) spans: BTreeMap<String, (i64, Option<i64>)>,
    /// What each task's calls fetched.
    pub(super) sources: BTreeMap<TaskId, Vec<SourceRecord>>,
    /// The same by the artifact that it fills.
    behind: BTreeMap<String, Vec<SourceRecord>>,
    /// Titles of tasks, those of earlier plans too.
    titles: BTreeMap<TaskId, String>,
}

/// What the files say now. What was made is not read.
pub(super) fn view(app: &App, directory: &RootPath) -> Result<View, Problem> {
    let below = |place: &str| directory.join(place).names().unwrap_or_default();
    let mut paths: Vec<String> = [
        layout::STATUS,
        layout::INDEX,
        layout::ROUTING,
        layout::REVIEW_RULES,
        layout::USER_INPUT,
        layout::FINAL,
        layout::DECOMPOSITION,
        layout::METADATA,
    ]
    .map(str::to_owned)
    .to_vec();
    for place in [layout::QUESTIONS, layout::RUN_LOGS] {
        let mut files = below(place);
        files.sort();
        paths.extend(files.into_iter().map(|file| format!("{place}{file}")));
    }
    // The log last, as the driver reads it: it tells what all of it means.
    paths.push(layout::LOG.to_owned());
    let mut view = View::default();
    for path in paths.iter().filter_map(|path| layout::path(path)) {
        let read = directory.join(path.as_str()).read_if_there(MAX_BYTES);
        if let Some(bytes) = read.map_err(|error| unread(app, &error))? {
            view.fold(&Delta::Document { path: &path, bytes: &bytes, seen: Seen::Absent });
        }
    }
    Ok(view)
}

pub(super) fn session(app: &App, root: &RootPath, id: &SessionId) -> Result<Session, Problem> {
    let directory = directory(root, id);
    let view = view(app, &directory)?;
    let bytes = |path: &str| {
        let read = directory.join(path).read_if_there(MAX_BYTES);
        read.map_err(|error| unread(app, &error))
    };
    let text =
        |path: &str| Ok(bytes(path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    let log = bytes(layout::LOG)?.unwrap_or_default();
    let (events, _) = ndjson::read::<SessionEvent>(layout::LOG, &log);
    let titles = titles(&view, &bytes)?;
    let mut sources: BTreeMap<TaskId, Vec<SourceRecord>> = BTreeMap::new();
    let mut behind: BTreeMap<String, Vec<SourceRecord>> = BTreeMap::new();
    let mut calls: BTreeMap<(TaskId, u32), usize> = BTreeMap::new();
    let mut logs = directory.join(layout::RUN_LOGS).names().unwrap_or_default();
    logs.sort();
    for log in logs {
        let path = format!("{}{log}", layout::RUN_LOGS);
        let (lines, _) = ndjson::read::<RunLogLine>(&path, &bytes(&path)?.unwrap_or_default());
        for line in lines {
            let attempt = line.attempt.unwrap_or(1);
            let call = calls.entry((line.task_id.clone(), attempt)).or_default();
            // The i-th call fills the i-th output.
            let task = view.plan.as_ref().and_then(|plan| plan.task(&line.task_id));
            if let Some(output) = task.and_then(|task| task.outputs.get(*call)) {
                let name = output.path.rsplit('/').next().unwrap_or_default();
                let artifact = format!("/{}/{name}", layout::outputs(&line.task_id, attempt));
                behind.insert(artifact, line.sources.clone());
            }
            *call += 1;
            let known = sources.entry(line.task_id).or_default();
            for source in line.sources {
                if !known.iter().any(|one| one.sha256 == source.sha256) {
                    known.push(source);
                }
            }
        }
    }
    let (answer, verdict) = (text(layout::FINAL)?, text(layout::VERDICT)?);
    let id = id.clone();
    let spans = spans(&events);
    Ok(Session { id, view, events, answer, verdict, spans, sources, behind, titles, directory })
}

/// One look at the log for all tasks.
fn spans(events: &[SessionEvent]) -> BTreeMap<String, (i64, Option<i64>)> {
    let mut spans: BTreeMap<String, (i64, Option<i64>)> = BTreeMap::new();
    for event in events {
        let Some(task) = event.detail.get("task_id").and_then(Value::as_str) else { continue };
        let second = event.ts.instant().as_second();
        match spans.get_mut(task) {
            Some((_, last)) => *last = Some(second),
            None => drop(spans.insert(task.to_owned(), (second, None))),
        }
    }
    spans
}

type ReadFile<'r> = &'r dyn Fn(&str) -> Result<Option<Vec<u8>>, Problem>;

/// The plan's titles, over those of the plans before it.
fn titles(view: &View, read: ReadFile<'_>) -> Result<BTreeMap<TaskId, String>, Problem> {
    let mut titles = BTreeMap::new();
    let snapshots = view.plan_files.snapshots.iter();
    let plans = snapshots.map(|place| format!("{place}/decomposition.json"));
    for path in plans.chain([layout::DECOMPOSITION.to_owned()]) {
        let bytes = read(&path)?.unwrap_or_default();
        let Ok(plan) = serde_json::from_slice::<Decomposition>(&bytes) else { continue };
        titles.extend(plan.tasks.into_iter().map(|task| (task.id, task.title)));
    }
    Ok(titles)
}

impl Session {
    /// A document of the session, where it is there and can be read.
    pub(super) fn file(&self, path: &str) -> Option<Vec<u8>> {
        self.directory.join(path.trim_start_matches('/')).read_if_there(MAX_BYTES).ok().flatten()
    }

    /// A task's title; nothing for what is no task.
    pub(super) fn title(&self, task: &str) -> &str {
        let title = task.parse().ok().and_then(|id: TaskId| self.titles.get(&id));
        title.map_or("", String::as_str)
    }

    /// What an artifact was made from by its call.
    pub(super) fn behind(&self, artifact: &str) -> &[SourceRecord] {
        self.behind.get(artifact).map_or(&[], Vec::as_slice)
    }

    pub(super) fn report(&self, task: &TaskId, attempt: u32) -> Option<CritiqueReport> {
        serde_json::from_slice(&self.file(&layout::report(task, attempt))?).ok()
    }
}
