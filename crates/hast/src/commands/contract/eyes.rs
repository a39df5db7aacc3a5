//! How a request is shown while it is worked on: tasks, subtasks, their phases and gates.

use std::sync::{Arc, Mutex, PoisonError};

use hast_flow::attempt::workspace::Aside;
use hast_flow::docs::contract::{GateStatus, Gates, GlobalPhase, RequestStatus, WorkStatus};
use hast_flow::flows::contract::View;
use hast_flow::flows::contract::request::{Request, Subtask, Task, TestKind};
use hast_flow::ids::RequestId;
use hast_flow::words::{Lang, visible};

use crate::commands::driving::Eyes;
use crate::contract_messages::say;
use crate::progress::board::{Row, State};

/// Something that happened to a subtask.
pub(crate) enum Change {
    Red {
        subtask: String,
    },
    SentBack {
        subtask: String,
        gate: &'static str,
        reasons: String,
    },
    Reviewed {
        subtask: String,
    },
    Green {
        subtask: String,
    },
    /// What was in the tree is on a ref.
    SetAside {
        subtask: String,
        saved: String,
        /// What the ref does not hold, with where it is.
        aside: Vec<Aside>,
    },
}

/// A subtask as it was when it was last looked at.
struct Known {
    id: String,
    gates: Gates,
    failures: usize,
    returns: usize,
}

impl Known {
    fn now(subtask: &Subtask) -> Self {
        Self {
            id: subtask.id.to_string(),
            gates: subtask.gates,
            failures: subtask.failures.len(),
            returns: subtask.returns.len(),
        }
    }
}

pub(crate) struct ContractEyes {
    lang: Lang,
    id: Option<RequestId>,
    known: Vec<Known>,
    /// What effects want a person to hear.
    pub(crate) notices: Arc<Mutex<Vec<String>>>,
    /// What is said about a change beyond the rows.
    pub(crate) comment: Option<fn(&Change, Lang) -> Option<String>>,
}

impl ContractEyes {
    pub(crate) fn new(lang: Lang) -> Self {
        Self { lang, id: None, known: Vec::new(), notices: Arc::default(), comment: None }
    }

    pub(crate) fn watch(&mut self, id: Option<RequestId>) {
        self.id = id;
    }

    fn request<'v>(&self, view: &'v View) -> Option<&'v Request> {
        view.requests.get(self.id.as_ref()?)
    }

    /// What is different from the last look.
    fn changes(&mut self, request: &Request) -> Vec<Change> {
        let subtasks = request.tasks.iter().flat_map(|task| &task.subtasks);
        let mut changes = Vec::new();
        let mut now = Vec::new();
        for subtask in subtasks {
            let before = self.known.iter().find(|known| known.id == subtask.id.as_str());
            if let Some(before) = before {
                changes.extend(changed(subtask, before));
            }
            now.push(Known::now(subtask));
        }
        self.known = now;
        changes
    }
}

fn changed(subtask: &Subtask, known: &Known) -> Vec<Change> {
    let before = known.gates;
    let id = || subtask.id.to_string();
    let newly = |now: Option<GateStatus>, then: Option<GateStatus>| {
        now == Some(GateStatus::Passed) && then != Some(GateStatus::Passed)
    };
    let mut changes = Vec::new();
    let gates = subtask.gates;
    let red = subtask.tests.as_ref().is_some_and(|tests| tests.kind == TestKind::Red);
    if newly(Some(gates.gate_1), Some(before.gate_1)) && red {
        changes.push(Change::Red { subtask: id() });
    }
    if newly(gates.gate_4, before.gate_4) {
        changes.push(Change::Reviewed { subtask: id() });
    }
    if newly(Some(gates.gate_2), Some(before.gate_2)) {
        changes.push(Change::Green { subtask: id() });
    }
    for failure in subtask.failures.iter().skip(known.failures) {
        let (gate, reasons) = (failure.gate.as_str(), failure.reasons.join("; "));
        changes.push(Change::SentBack { subtask: id(), gate, reasons });
    }
    for one in subtask.returns.iter().skip(known.returns) {
        let (saved, aside) = (one.saved.clone(), one.aside.clone());
        changes.push(Change::SetAside { subtask: id(), saved, aside });
    }
    changes
}

impl Eyes<View> for ContractEyes {
    fn rows(&self, view: &View) -> Vec<Row> {
        let Some(request) = self.request(view) else { return Vec::new() };
        let state = match request.status {
            RequestStatus::Active => State::Running,
            RequestStatus::Stopped => State::Failed,
            RequestStatus::Completed => State::Done,
        };
        let detail = match request.phase {
            GlobalPhase::GlobalDiscovery => say::discovery(self.lang),
            GlobalPhase::TaskLoop | GlobalPhase::Complete => String::new(),
        };
        let title = request.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let top = row(0, request.id.as_str(), &visible(&title), state, detail);
        let of_task = |task: &Task| {
            let state = working(task.status, request.status);
            let own = row(1, task.id.as_str(), &task.name, state, String::new());
            let below = task.subtasks.iter().map(|subtask| self.subtask(subtask, request.status));
            std::iter::once(own).chain(below).collect::<Vec<_>>()
        };
        std::iter::once(top).chain(request.tasks.iter().flat_map(of_task)).collect()
    }

    fn turn(&mut self, view: &View) -> Vec<String> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<String> = notices.drain(..).collect();
        drop(notices);
        let Some(request) = self.request(view).cloned() else { return lines };
        let lang = self.lang;
        for change in self.changes(&request) {
            match (self.comment, &change) {
                (Some(comment), change) => lines.extend(comment(change, lang)),
                (None, Change::SentBack { subtask, gate, reasons }) => {
                    let round = request.tasks.iter().flat_map(|task| &task.subtasks);
                    let round = round.filter(|one| one.id.as_str() == subtask);
                    let round = round.map(|one| one.round).max().unwrap_or(1);
                    lines.push(say::gate_failed(lang, subtask, round, gate, visible(reasons)));
                }
                (None, Change::SetAside { subtask, saved, aside }) => {
                    lines.push(say::set_aside(lang, subtask, saved));
                    lines.extend(aside.iter().map(|one| {
                        let (path, at) = (visible(&one.path), visible(&one.at));
                        say::too_large(lang, subtask, path, at)
                    }));
                }
                (None, Change::Red { .. } | Change::Reviewed { .. } | Change::Green { .. }) => {}
            }
        }
        lines
    }
}

impl ContractEyes {
    fn subtask(&self, subtask: &Subtask, request: RequestStatus) -> Row {
        let phase = serde_json::to_value(subtask.stage.phase()).ok();
        let phase = phase.and_then(|phase| phase.as_str().map(str::to_owned)).unwrap_or_default();
        let gates = subtask.gates;
        let mark = |status: GateStatus| match status {
            GateStatus::Passed => '+',
            GateStatus::Failed => '!',
            GateStatus::Pending => '.',
        };
        // In the order in which they are passed; an analysis has two of them.
        let marks = [
            (1, Some(gates.gate_1)),
            (3, gates.gate_3),
            (4, gates.gate_4),
            (2, Some(gates.gate_2)),
        ];
        let marks = marks
            .into_iter()
            .filter_map(|(number, status)| Some(format!("{number}{}", mark(status?))));
        let marks = marks.collect::<Vec<_>>().join(" ");
        let round = match subtask.round {
            1 => String::new(),
            more => format!(" · {}", say::rounds(self.lang, more)),
        };
        let detail = match subtask.status {
            WorkStatus::Pending => String::new(),
            WorkStatus::InProgress | WorkStatus::Completed => format!("{phase} [{marks}]{round}"),
        };
        row(2, subtask.id.as_str(), &subtask.name, working(subtask.status, request), detail)
    }
}

fn working(status: WorkStatus, request: RequestStatus) -> State {
    match (status, request) {
        (WorkStatus::Pending, _) => State::Waiting,
        (WorkStatus::Completed, _) => State::Done,
        (WorkStatus::InProgress, RequestStatus::Stopped) => State::Failed,
        (WorkStatus::InProgress, _) => State::Running,
    }
}

fn row(depth: usize, id: &str, title: &str, state: State, detail: String) -> Row {
    Row { depth, id: id.to_owned(), title: title.to_owned(), state, detail, ..Row::default() }
}
