//! The documents of the contract flow must agree with each other, no matter which program or person
//! wrote them. `breaches` is given all of them and reports each contradiction. No single file can
//! show these faults; `verify` calls this module.

use std::collections::BTreeMap;

use crate::docs::contract::{
    ContractEvent, ContractSession, ContractState, GateStatus, SubtaskState, TestOutcome,
    TestResult, WorkStatus,
};
use crate::docs::files::document_at;
use crate::flows::contract::layout;
use crate::flows::contract::request::Request;
use crate::flows::contract::view::{View, parsed};
use crate::flows::contract::write::printed;
use crate::formats::diagnostic::{Diagnostic, Finding, Format};
use crate::formats::ndjson::LogLines;
use crate::formats::source::Source;
use crate::formats::tree::Node;
use crate::formats::{json, yaml};
use crate::ids::{ProjectHash, RequestId, SubtaskId};
use crate::logged::{Counted, Counting};
use crate::written;

/// Documents by their path below `.claude/orchestrator/`, archives left out.
pub type Documents = BTreeMap<String, Vec<u8>>;

/// Everything in which the documents disagree.
pub fn breaches(documents: &Documents) -> Vec<Diagnostic> {
    let mut found = of_the_log(documents);
    for (path, bytes) in documents {
        found.extend(of_places(path, bytes));
    }
    let states = documents.keys().filter(|path| path.ends_with("/state.json"));
    for path in states.cloned().collect::<Vec<_>>() {
        found.extend(of_state(documents, &path));
    }
    found.extend(against_the_log(documents));
    found
}

/// Numbers of events count by one, and where hast drove a request there are events.
fn of_the_log(documents: &Documents) -> Vec<Diagnostic> {
    let Some(log) = documents.get(layout::LOG) else {
        let finding = |driven: &String| {
            let (path, because) = (layout::LOG.to_owned(), driven.clone());
            Diagnostic::of_file(layout::LOG, Finding::MissingFile { path, because })
        };
        return documents
            .keys()
            .find(|path| is_of_a_drive(path))
            .map(finding)
            .into_iter()
            .collect();
    };
    let text = String::from_utf8_lossy(log);
    let source = Source::new(layout::LOG, &text);
    let mut found = Vec::new();
    let mut counting = Counting::default();
    for read in LogLines::whole(layout::LOG, log).typed::<ContractEvent>() {
        let Ok((line, event)) = read else {
            counting.unread();
            continue;
        };
        if let Counted::Wrong(finding) = counting.take(&event.event_id) {
            let place = line.number.map(|number| source.line_place(number));
            found.push(Diagnostic { place, ..Diagnostic::of_file(layout::LOG, finding) });
        }
    }
    found
}

/// Documents that no other tool writes.
fn is_of_a_drive(path: &str) -> bool {
    path == layout::STEPS || layout::base_of(path).is_some()
}

/// A document is about the request, task and subtask whose directory it stands in.
fn of_places(path: &str, bytes: &[u8]) -> Vec<Diagnostic> {
    let Some((source, root)) = tree(path, bytes) else { return Vec::new() };
    let parts: Vec<&str> = path.split('/').collect();
    let mut wanted: Vec<(&[&str], &str)> = Vec::new();
    match parts[..] {
        ["sessions", hash, "session.json"] | ["knowledge", hash, "knowledge.yaml"] => {
            wanted.push((&["project", "hash"], hash));
        }
        ["sessions", _, "contracts", request, "state.json"] => {
            wanted.push((&["request", "id"], request));
        }
        ["sessions", _, "contracts", request, _] => wanted.push((&["request_id"], request)),
        ["sessions", _, "contracts", request, task, _] => {
            wanted.extend([(&["request_id"][..], request), (&["task_id"][..], task)]);
        }
        ["sessions", _, "contracts", request, task, subtask, _] => wanted.extend([
            (&["request_id"][..], request),
            (&["task_id"][..], task),
            (&["subtask_id"][..], subtask),
        ]),
        _ => {}
    }
    let mut found = Vec::new();
    for (field, value) in wanted {
        let node = field.iter().try_fold(&root, |node, name| node.get(name));
        // A field that is missing was told when the file was checked alone; some have none.
        let Some(node) = node else { continue };
        if node.text() != Some(value) {
            let detail = format!("{}: {value}", field.join("."));
            let finding = Finding::Contradicts { other: path.to_owned(), detail };
            found.push(source.diagnose(node.span.clone(), finding));
        }
    }
    found
}

fn tree<'t>(path: &'t str, bytes: &'t [u8]) -> Option<(Source<'t>, Node)> {
    let entry = document_at(&format!(".claude/orchestrator/{path}"))?;
    let source = Source::from_bytes(path, bytes).ok()?;
    let parsed = match entry.format {
        Format::Json => json::read(&source),
        Format::Yaml => yaml::read(&source),
        Format::Ndjson | Format::MarkdownTable | Format::FrontMatter => return None,
    };
    Some((source, parsed.ok()?.root))
}

/// What a state claims has its evidence.
fn of_state(documents: &Documents, path: &str) -> Vec<Diagnostic> {
    let Some(bytes) = documents.get(path) else { return Vec::new() };
    let Some(state) = parsed::<ContractState>(path, bytes) else { return Vec::new() };
    let Some((source, root)) = tree(path, bytes) else { return Vec::new() };
    let Some(hash) = path.split('/').nth(1).and_then(|hash| hash.parse().ok()) else {
        return Vec::new();
    };
    let here =
        State { documents, path, source: &source, root: &root, hash, request: &state.request.id };
    let mut found = here.session(&state);
    for (task_id, task) in &state.tasks {
        let at = ["tasks", task_id.as_str()];
        let open = task.subtasks.values().any(|one| one.status != WorkStatus::Completed);
        if task.status == WorkStatus::Completed && open {
            found.push(here.tell(&[&at[..], &["status"]].concat(), "subtasks", "completed"));
        }
        for (id, subtask) in &task.subtasks {
            found.extend(here.subtask(id, subtask));
        }
    }
    found
}

struct State<'s> {
    documents: &'s Documents,
    path: &'s str,
    source: &'s Source<'s>,
    root: &'s Node,
    hash: ProjectHash,
    request: &'s RequestId,
}

impl State<'_> {
    fn tell(&self, field: &[&str], other: &str, detail: &str) -> Diagnostic {
        let finding = Finding::Contradicts { other: other.to_owned(), detail: detail.to_owned() };
        self.at(field, finding)
    }

    fn at(&self, field: &[&str], finding: Finding) -> Diagnostic {
        let node = field.iter().try_fold(self.root, |node, name| node.get(name));
        match node {
            Some(node) => self.source.diagnose(node.span.clone(), finding),
            None => Diagnostic::of_file(self.path, finding),
        }
    }

    /// The session follows the current request.
    fn session(&self, state: &ContractState) -> Vec<Diagnostic> {
        let path = layout::session(&self.hash);
        let session = self.documents.get(&path).filter(|_| self.path == layout::state(&self.hash));
        let Some(session) = session.and_then(|bytes| parsed::<ContractSession>(&path, bytes))
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if session.status != state.request.status {
            let detail = format!("status: {}", printed(&session.status).trim());
            found.push(self.tell(&["request", "status"], &path, &detail));
        }
        if session.current_task != state.request.current_task {
            let detail = format!("current_task: {}", printed(&session.current_task).trim());
            found.push(self.tell(&["request", "current_task"], &path, &detail));
        }
        found
    }

    fn subtask(&self, id: &SubtaskId, subtask: &SubtaskState) -> Vec<Diagnostic> {
        let task = id.task();
        let at = ["tasks", task.as_str(), "subtasks", id.as_str()];
        let gate = |name: &'static str| [&at[..], &["gates", name]].concat();
        let mut found = Vec::new();
        let gates = subtask.gates;
        let open = |status: GateStatus| status != GateStatus::Passed;
        let failed = |status: Option<GateStatus>| status == Some(GateStatus::Failed);
        if subtask.status == WorkStatus::Completed {
            for (name, wrong) in [
                ("GATE-1", open(gates.gate_1)),
                ("GATE-2", open(gates.gate_2)),
                ("GATE-3", failed(gates.gate_3)),
                ("GATE-4", failed(gates.gate_4)),
            ] {
                if wrong {
                    let other = [&at[..], &["status"]].concat().join(".");
                    found.push(self.tell(&gate(name), &other, &format!("{name}: passed")));
                }
            }
        }
        for (name, status, file) in
            [("GATE-1", gates.gate_1, layout::TESTS), ("GATE-2", gates.gate_2, layout::RESULT)]
        {
            let path = layout::of_subtask(&self.hash, self.request, id, file);
            if status == GateStatus::Passed && !self.documents.contains_key(&path) {
                let because = format!("{id} {name}: passed");
                found.push(self.at(&gate(name), Finding::MissingFile { path, because }));
            }
        }
        let path = layout::of_subtask(&self.hash, self.request, id, layout::RESULT);
        let result = self.documents.get(&path).and_then(|bytes| parsed::<TestResult>(&path, bytes));
        let bad = result.is_some_and(|result| {
            result.execution.result == TestOutcome::Fail || result.summary.failed > 0
        });
        if gates.gate_2 == GateStatus::Passed && bad {
            found.push(self.tell(&gate("GATE-2"), &path, "result: fail"));
        }
        found
    }
}

/// Every request of the log has its state: the last one of a project where the project has it, with the
/// session, the others in their directories.
fn lost_pointers(documents: &Documents, view: &View) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for request in view.requests.values() {
        let Some(project) = &request.project else { continue };
        let last = view.last_of(project).is_some_and(|last| last.id == request.id);
        let wanted = match last {
            true => vec![layout::state(project), layout::session(project)],
            false => vec![layout::of_request(project, &request.id, "state.json")],
        };
        for path in wanted.into_iter().filter(|path| !documents.contains_key(path)) {
            let because = format!("{}: {}", layout::LOG, request.id);
            let finding = Finding::MissingFile { path, because };
            found.push(Diagnostic::of_file(layout::LOG, finding));
        }
    }
    found
}

/// A request that hast drove began with an event. One of another tool has none.
fn unknown_to_the_log(documents: &Documents, path: &str, id: &RequestId) -> Option<Diagnostic> {
    let mut bases = documents.keys().filter_map(|path| layout::base_of(path));
    bases.find(|(request, ..)| request == id)?;
    let (other, detail) = (layout::LOG.to_owned(), format!("REQUEST_STARTED {id}: -"));
    Some(Diagnostic::of_file(path, Finding::Contradicts { other, detail }))
}

/// What was written once for a request was told of.
fn untold(documents: &Documents, request: &Request, found: &mut Vec<Diagnostic>) {
    let contracts = format!("/contracts/{}/", request.id);
    let of_request = |path: &&str| match layout::base_of(path) {
        Some((id, ..)) => id == request.id,
        None => path.contains(&contracts) && !path.ends_with("/state.json"),
    };
    let files = documents.keys().map(String::as_str).filter(of_request);
    let told = |path: &str| request.written.contains_key(path);
    written::untold(layout::LOG, &told, files, found);
}

/// Where hast kept a log, the pointers are its fold and the contracts are as it wrote them.
fn against_the_log(documents: &Documents) -> Vec<Diagnostic> {
    let Some(log) = documents.get(layout::LOG) else { return Vec::new() };
    let view = View::of_log(log);
    let mut found = lost_pointers(documents, &view);
    for path in documents.keys().filter(|path| path.ends_with("/state.json")) {
        let bytes = documents.get(path).map(Vec::as_slice).unwrap_or_default();
        let Some(state) = parsed::<ContractState>(path, bytes) else { continue };
        let Some(request) = view.requests.get(&state.request.id) else {
            found.extend(unknown_to_the_log(documents, path, &state.request.id));
            continue;
        };
        let wanted = printed(&request.state());
        let text = String::from_utf8_lossy(bytes);
        let ended = std::iter::repeat("");
        let (is, should) = (text.lines().chain(ended.clone()), wanted.lines().chain(ended));
        let length = text.lines().count().max(wanted.lines().count());
        let lines = (1..).zip(is.zip(should)).take(length);
        let differs = lines.into_iter().find(|(_, (is, should))| is != should);
        if let Some((number, (_, should))) = differs {
            let source = Source::new(path, &text);
            let (other, detail) = (layout::LOG.to_owned(), should.trim().to_owned());
            let place = Some(source.line_place(number));
            let finding = Finding::Contradicts { other, detail };
            found.push(Diagnostic { place, ..Diagnostic::of_file(path, finding) });
        }
    }
    for request in view.requests.values() {
        untold(documents, request, &mut found);
        for (path, sha256) in &request.written {
            match documents.get(path).map(|bytes| crate::ids::Sha256::of(bytes)) {
                Some(now) if now == *sha256 => {}
                Some(_) => {
                    let detail = format!("sha256: {sha256}");
                    let other = layout::LOG.to_owned();
                    let finding = Finding::Contradicts { other, detail };
                    found.push(Diagnostic::of_file(path, finding));
                }
                None => {
                    let because = format!("{}: {}", layout::LOG, request.id);
                    let finding = Finding::MissingFile { path: path.clone(), because };
                    found.push(Diagnostic::of_file(layout::LOG, finding));
                }
            }
        }
    }
    found
}
