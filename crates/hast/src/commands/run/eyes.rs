//! A run as people see it while it is driven: its phases, and in the one that is worked on stages,
//! tasks and tools.

use std::collections::BTreeMap;

use hast_flow::docs::run::{ProcessRun, WorkStatus};
use hast_flow::flows::run::View;
use hast_flow::ids::RunId;
use hast_flow::words::Lang;

use crate::commands::driving::Eyes;
use crate::progress::board::{Row, State};

/// What changed since somebody looked last, for comments that stay on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Enacted { instructions: usize },
    PhaseDone { name: String },
}

type Comment = fn(&Change, Lang) -> String;

/// Watches one run.
pub(crate) struct RunEyes {
    lang: Lang,
    run: RunId,
    pub(crate) comment: Option<Comment>,
    done: BTreeMap<String, WorkStatus>,
}

impl RunEyes {
    pub(crate) fn new(lang: Lang, run: RunId) -> Self {
        Self { lang, run, comment: None, done: BTreeMap::new() }
    }

    fn row(&self, view: &View) -> Option<ProcessRun> {
        view.runs()?.get(self.run.as_str())?.ok()
    }

    fn changes(&mut self, view: &View) -> Vec<Change> {
        let mut changes = Vec::new();
        let own = &view.own;
        let units = own.phases().iter().map(|row| (row.phase_id.to_string(), row.status));
        let tasks = own.tasks().iter().map(|row| (row.task_id.to_string(), row.status));
        let now: BTreeMap<String, WorkStatus> = units.chain(tasks).collect();
        let newly = |id: &str| {
            now.get(id) == Some(&WorkStatus::Completed)
                && self.done.get(id).is_some_and(|before| *before == WorkStatus::Pending)
        };
        if newly("T02") {
            let rows = view.instructions().into_iter().flat_map(|table| table.rows());
            let own = rows.filter(|row| *row.text(1) == *self.run.as_str());
            changes.push(Change::Enacted { instructions: own.count() });
        }
        for phase in own.phases().iter().filter(|phase| newly(phase.phase_id.as_str())) {
            changes.push(Change::PhaseDone { name: phase.phase_name.clone() });
        }
        self.done = now;
        changes
    }
}

impl Eyes<View> for RunEyes {
    fn rows(&self, view: &View) -> Vec<Row> {
        let Some(now) = self.row(view) else { return Vec::new() };
        let own = &view.own;
        let mut rows = Vec::new();
        let is = |here: bool, status| state(status, here);
        for phase in own.phases() {
            let here = now.current_phase_id.as_ref() == Some(&phase.phase_id);
            let (id, name) = (phase.phase_id.to_string(), phase.phase_name.clone());
            rows.push(row(0, id, name, is(here, phase.status)));
            if !here {
                continue;
            }
            for stage in own.stages().iter().filter(|row| row.phase_id == phase.phase_id) {
                let here = now.current_stage_id.as_ref() == Some(&stage.stage_id);
                let (id, name) = (stage.stage_id.to_string(), stage.stage_name.clone());
                rows.push(row(1, id, name, is(here, stage.status)));
                if !here {
                    continue;
                }
                for task in own.tasks().iter().filter(|row| row.stage_id == stage.stage_id) {
                    let here = now.current_task_id.as_ref() == Some(&task.task_id);
                    let (id, name) = (task.task_id.to_string(), task.task_name.clone());
                    rows.push(row(2, id, name, is(here, task.status)));
                    let tools = own.tools().iter().filter(|_| here);
                    for tool in tools.filter(|tool| tool.parent_task_id == task.task_id) {
                        let (id, name) =
                            (tool.tool_task_id.to_string(), tool.tool_task_name.clone());
                        rows.push(row(3, id, name, is(false, tool.status)));
                    }
                }
            }
        }
        rows
    }

    fn turn(&mut self, view: &View) -> Vec<String> {
        let changes = self.changes(view);
        let lang = self.lang;
        self.comment.map_or_else(Vec::new, |say| changes.iter().map(|one| say(one, lang)).collect())
    }
}

fn row(depth: usize, id: String, title: String, state: State) -> Row {
    Row { depth, id, title, state, ..Row::default() }
}

fn state(status: WorkStatus, here: bool) -> State {
    match status {
        WorkStatus::Pending if here => State::Running,
        WorkStatus::Pending => State::Waiting,
        WorkStatus::Completed => State::Done,
        WorkStatus::Failed => State::Failed,
    }
}
