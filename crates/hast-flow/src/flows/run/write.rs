//! Puts a commit of a run together: every table changes once, with the documents and events that
//! belong to the same decision.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::docs::run::{
    CatalogRow, RunEvent, RunEventKind as Kind, RunStatus, StageRow, TaskRow, ToolTaskRow,
    WorkStatus,
};
use crate::flows::run::decide::Scene;
use crate::flows::run::layout;
use crate::flows::run::register::{Change, Register, Sheet, created};
use crate::flows::run::view::{Kept, readable};
use crate::formats::table::Row;
use crate::formats::{json as json_format, ndjson};
use crate::ids::{EventId, PhaseId, RunTaskId, StageId};
use crate::steps::{Commit, Step, StepKey};
use crate::store::{DocPath, Put};
use crate::written::Written;

/// A log that is longer moves to the archive.
const LONGEST_LOG: u64 = 4 << 20;

/// A commit in the making.
#[must_use]
pub(super) struct Draft<'v> {
    scene: Scene<'v>,
    role: &'static str,
    reason: String,
    puts: Vec<Put>,
    run: Vec<(&'static str, String)>,
    phases: Vec<(String, WorkStatus)>,
    stages: Rows<StageRow>,
    tasks: Rows<TaskRow>,
    tools: Rows<ToolTaskRow>,
    catalog: Vec<CatalogRow>,
    /// What this commit writes once; its last event says so.
    once: Written,
    events: Vec<RunEvent>,
    count: u64,
    starts: Vec<StepKey>,
    finishes: Vec<StepKey>,
}

/// What happens to a table of the run.
struct Rows<R> {
    added: Vec<R>,
    marked: Vec<(String, WorkStatus)>,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self { added: Vec::new(), marked: Vec::new() }
    }
}

impl<'v> Draft<'v> {
    pub(super) fn new(scene: &Scene<'v>, role: &'static str, reason: &str) -> Self {
        Self {
            scene: *scene,
            role,
            reason: format!("{}: {reason}", scene.flow.run),
            puts: Vec::new(),
            run: Vec::new(),
            phases: Vec::new(),
            stages: Rows::default(),
            tasks: Rows::default(),
            tools: Rows::default(),
            catalog: Vec::new(),
            once: Written::default(),
            events: Vec::new(),
            count: scene.view.events,
            starts: Vec::new(),
            finishes: Vec::new(),
        }
    }

    pub(super) fn starts(mut self, key: Option<StepKey>) -> Self {
        self.starts.extend(key);
        self
    }

    pub(super) fn finishes(mut self, keys: Vec<StepKey>) -> Self {
        for key in keys {
            if !self.finishes.contains(&key) {
                self.finishes.push(key);
            }
        }
        self
    }

    pub(super) fn put(mut self, put: Option<Put>) -> Self {
        self.puts.extend(put);
        self
    }

    pub(super) fn create(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        if layout::counts(path) {
            self.once.note(path, &bytes);
        }
        self.put(layout::path(path).map(|path| Put::Create { path, bytes }))
    }

    /// A new file of the run.
    pub(super) fn create_here(self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let path = layout::of_run(&self.scene.flow.run, name);
        self.create(&path, bytes)
    }

    /// A run that is over waits for no step: an earlier process may have left some open.
    pub(super) fn status(mut self, status: RunStatus) -> Self {
        self.run.push(("status", word(&status)));
        if !matches!(status, RunStatus::Completed | RunStatus::Failed) {
            return self;
        }
        let steps = self.scene.facts.steps;
        let open = steps.open_of(self.scene.flow.run.as_str()).cloned().collect();
        self.finishes(open)
    }

    /// Where the run is: the pointer columns of `process_runs.md`.
    pub(super) fn at(
        mut self,
        phase: Option<&PhaseId>,
        stage: Option<&StageId>,
        task: Option<&RunTaskId>,
    ) -> Self {
        let text = |id: Option<String>| id.unwrap_or_default();
        self.run.push(("current_phase_id", text(phase.map(ToString::to_string))));
        self.run.push(("current_stage_id", text(stage.map(ToString::to_string))));
        self.run.push(("current_task_id", text(task.map(ToString::to_string))));
        self
    }

    pub(super) fn phase(mut self, phase: &PhaseId, status: WorkStatus) -> Self {
        self.phases.push((phase.to_string(), status));
        self
    }

    pub(super) fn stage(mut self, stage: &StageId, status: WorkStatus) -> Self {
        self.stages.marked.push((stage.to_string(), status));
        self
    }

    pub(super) fn task(mut self, task: &RunTaskId, status: WorkStatus) -> Self {
        self.tasks.marked.push((task.to_string(), status));
        self
    }

    pub(super) fn tool(mut self, tool: &str, status: WorkStatus) -> Self {
        self.tools.marked.push((tool.to_owned(), status));
        self
    }

    pub(super) fn add_stages(mut self, rows: Vec<StageRow>) -> Self {
        self.stages.added.extend(rows);
        self
    }

    pub(super) fn add_tasks(mut self, rows: Vec<TaskRow>) -> Self {
        self.tasks.added.extend(rows);
        self
    }

    pub(super) fn add_tools(mut self, rows: Vec<ToolTaskRow>) -> Self {
        self.tools.added.extend(rows);
        self
    }

    pub(super) fn catalog(mut self, row: CatalogRow) -> Self {
        self.catalog.push(row);
        self
    }

    pub(super) fn event(mut self, actor: &str, kind: Kind, detail: &[(&str, Value)]) -> Self {
        self.count += 1;
        let mut all = Map::new();
        all.insert("run_id".to_owned(), json!(self.scene.flow.run));
        all.extend(detail.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        let now = self.scene.facts.now;
        let event = RunEvent {
            event_id: EventId::new(now, self.count),
            ts: now,
            actor: actor.to_owned(),
            kind,
            detail: all,
        };
        self.events.push(event);
        self
    }

    /// A line at the end of one of the run's logs.
    pub(super) fn line<T: Serialize>(self, name: &str, line: &T) -> Self {
        let path = layout::path(&layout::of_run(&self.scene.flow.run, name));
        let text = ndjson::to_line(line).unwrap_or_default();
        let put = path.map(|path| {
            let length = self.scene.view.length(&path);
            Put::lines(path, length, text.into_bytes())
        });
        self.put(put)
    }

    pub(super) fn step(mut self) -> Step {
        let view = self.scene.view;
        let run = self.scene.flow.run.to_string();
        let changed = view.runs().map(|table| {
            let row = table.change();
            self.run.iter().fold(row, |row, (column, value)| row.set(&run, column, value))
        });
        self.puts.extend(changed.and_then(Change::put));
        let own = &view.own;
        let here = |name: &str| layout::path(&layout::of_run(&self.scene.flow.run, name));
        let phases = Rows { added: Vec::new(), marked: std::mem::take(&mut self.phases) };
        let puts = [
            sheet_put(own.phases.as_ref(), here(layout::PHASES), &phases),
            sheet_put(own.stages.as_ref(), here(layout::STAGES), &self.stages),
            sheet_put(own.tasks.as_ref(), here(layout::TASKS), &self.tasks),
            sheet_put(own.tools.as_ref(), here(layout::TOOLS), &self.tools),
            rows_put(view.catalog.as_ref(), layout::path(layout::CATALOG), &self.catalog),
        ];
        self.puts.extend(puts.into_iter().flatten());
        self.append_events();
        Step::Commit(Commit {
            role: self.role,
            reason: self.reason,
            puts: self.puts,
            starts: self.starts,
            finishes: self.finishes,
        })
    }

    fn append_events(&mut self) {
        let Some(path) = layout::path(layout::LOG).filter(|_| !self.events.is_empty()) else {
            return;
        };
        if let Some(last) = self.events.last_mut() {
            self.once.tell(&mut last.detail);
        }
        let lines = self.events.drain(..).filter_map(|event| ndjson::to_line(&event).ok());
        let bytes = lines.collect::<String>().into_bytes();
        match self.scene.view.length(&path) {
            Some(length) if length > LONGEST_LOG => {
                let to = layout::path(&layout::segment(self.scene.view.events));
                self.puts.extend(to.map(|to| Put::Archive { from: path.clone(), to }));
                self.puts.push(Put::Create { path, bytes });
            }
            length => self.puts.push(Put::lines(path, length, bytes)),
        }
    }
}

fn sheet_put<R: Row>(
    sheet: Option<&Result<Sheet<R>, super::register::Faults>>,
    path: Option<DocPath>,
    rows: &Rows<R>,
) -> Option<Put> {
    let Rows { added, marked } = rows;
    let Some(sheet) = readable(sheet) else {
        return (!added.is_empty()).then(|| path.map(|path| created(path, added))).flatten();
    };
    let change = marked
        .iter()
        .fold(sheet.change(), |change, (key, status)| change.set(key, "status", &word(status)));
    added.iter().fold(change, Change::with_row).put()
}

fn rows_put<R: Row>(
    kept: Option<&Result<Register<R>, super::register::Faults>>,
    path: Option<DocPath>,
    rows: &[R],
) -> Option<Put> {
    match readable(kept) {
        Some(table) => rows.iter().fold(table.change(), Change::with_row).put(),
        None if rows.is_empty() => None,
        None => path.map(|path| created(path, rows)),
    }
}

/// A status or another word of a closed list, as tables print it.
pub(super) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Our documents hold nothing that JSON cannot.
pub(super) fn printed<T: Serialize>(value: &T) -> String {
    json_format::print(value).unwrap_or_default()
}

/// A table that every root has, where it is missing.
pub(super) fn missing_table<R: Row, T>(kept: &Kept<T>, path: &str) -> Option<Put> {
    let path = layout::path(path)?;
    kept.is_none().then(|| created::<R>(path, &[]))
}
