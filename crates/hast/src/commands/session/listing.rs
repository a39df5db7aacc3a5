//! `hast session list` and `show`: what was asked, how far it is, what is waited for, and the answer.

use hast_flow::docs::document::Document;
use hast_flow::docs::session::{PlanTask, SessionStatus, SessionSummary, SystemStatus};
use hast_flow::flows::session::layout;
use hast_flow::flows::session::view::Stage;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::{QuestionId, SessionId};
use hast_flow::words::{Lang, visible};
use hast_world::root_path::RootPath;
use serde_json::{Value, json};

use super::reading::{self, Session};
use super::{all, directory, footnotes, known, there};
use crate::app::App;
use crate::commands::flow_root::{headline, printable};
use crate::problem::{Exit, Problem};
use crate::session_messages::say;

pub(super) fn list(app: &mut App) -> Result<Exit, Problem> {
    let root = there(app)?;
    let mut rows = Vec::new();
    // Only small files are opened: a root may have many sessions.
    for id in all(&root).into_iter().rev() {
        let place = directory(&root, &id);
        let status: Option<SessionStatus> = small(&place, layout::STATUS);
        let summary: Option<SessionSummary> = small(&place, layout::SUMMARY);
        let query = place.join(layout::USER_INPUT).read_if_there(MAX_DOCUMENT_BYTES).ok();
        let query = query.flatten().unwrap_or_default();
        let query = String::from_utf8_lossy(&query).trim().to_owned();
        rows.push((id, status, summary, query));
    }
    if app.json {
        let sessions: Vec<Value> = rows
            .iter()
            .map(|(id, status, summary, query)| {
                json!({
                    "session_id": id,
                    "status": status.as_ref().map(|status| status.system_status),
                    "plan_major_version": status.as_ref().map(|status| status.plan_major_version),
                    "plan_revision": status.as_ref().map(|status| status.plan_revision),
                    "current_task_id": status.as_ref().and_then(|status| status.current_task_id.clone()),
                    "tasks": summary.as_ref().map(|summary| summary.tasks),
                    "query": query,
                })
            })
            .collect();
        app.print_json(&json!({ "sessions": sessions }))?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for (id, status, summary, query) in &rows {
        let word = status.as_ref().map_or("?", |status| code(status.system_status));
        let tasks = summary.as_ref().map(|summary| summary.tasks);
        let tasks =
            tasks.map_or_else(String::new, |tasks| format!("{}/{}", tasks.passed, tasks.total));
        let query = headline(query);
        text += &format!("{id}  {word:<10} {tasks:>7}  {query}\n");
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

pub(super) fn show(app: &mut App, id: Option<&str>) -> Result<Exit, Problem> {
    let root = there(app)?;
    let id = chosen(app, &root, id)?;
    if app.json {
        let document = document(app, &root, &id)?;
        app.print_json(&document)?;
        return Ok(Exit::Done);
    }
    let session = reading::session(app, &root, &id)?;
    let text = text(&session, app.lang);
    app.print(&text)?;
    Ok(Exit::Done)
}

/// The session that is named, or the newest.
pub(super) fn chosen(app: &App, root: &RootPath, id: Option<&str>) -> Result<SessionId, Problem> {
    match id {
        Some(id) => known(app, root, id),
        None => all(root).pop().ok_or_else(|| {
            Problem::new(say::no_sessions(app.lang), say::no_sessions_next(app.lang))
        }),
    }
}

fn text(session: &Session, lang: Lang) -> String {
    let view = &session.view;
    let status = view.pointer.system_status;
    let (major, revision) = (view.pointer.plan_major_version, view.pointer.plan_revision);
    let mut text = format!(
        "{}  {}  {}\n{}\n",
        session.id,
        code(status),
        say::plan_version(lang, major, revision),
        printable(&view.query)
    );
    match &view.plan {
        None => text += &format!("{}\n", say::unplanned(lang)),
        Some(plan) => {
            text.extend(plan.document.tasks.iter().map(|task| line(session, task, lang)));
            text += &format!("{}\n", say::progress(lang, plan.passed(), plan.making()));
        }
    }
    for (id, question) in open(session) {
        text += &format!("\n{}\n", say::open_question(lang, id, question));
        text += &format!("{}\n", say::how_to_answer(lang, id));
    }
    let review = to_review(session);
    if !review.is_empty() {
        text += &format!("\n{}\n", say::to_review(lang, review.join(", ")));
    }
    if session.answer.is_some() {
        let answer = footnotes::answer(session, lang);
        text += &format!("\n{}\n{}", say::answer_heading(lang), printable(&answer));
    }
    if status == SystemStatus::Failed {
        text += &format!("\n{}: {}\n", say::failed_state(lang), visible(&view.failed_because));
    }
    text
}

fn line(session: &Session, task: &PlanTask, lang: Lang) -> String {
    let depth = usize::try_from(task.level.saturating_sub(1)).unwrap_or(0);
    let progress = session.view.progress.get(&task.id);
    let passed = session.view.plan.as_ref().is_some_and(|plan| plan.has_passed(&task.id));
    let mark = match progress.map(|progress| progress.stage) {
        _ if passed => "[x]",
        None | Some(Stage::Waiting | Stage::Passed) => "[ ]",
        Some(Stage::Started | Stage::Executed) => "[>]",
        Some(Stage::Failed) => "[!]",
    };
    let again = progress.filter(|progress| progress.attempt > 1);
    let again = again.map(|progress| format!(" ({})", say::attempt(lang, progress.attempt)));
    let took = seconds(session, task).map(|seconds| format!(" {seconds}s")).unwrap_or_default();
    let indent = "  ".repeat(depth);
    let title = visible(&task.title);
    format!("{indent}{mark} {} {title}{}{took}\n", task.id, again.unwrap_or_default())
}

/// From a task's first event to its last.
pub(super) fn seconds(session: &Session, task: &PlanTask) -> Option<i64> {
    session.spans.get(task.id.as_str()).and_then(|(first, last)| Some((*last)? - first))
}

/// Questions that the session waits for and nobody has answered.
fn open(session: &Session) -> Vec<(&QuestionId, &str)> {
    let view = &session.view;
    let asked = view.pending.keys().filter_map(|id| Some((id, view.questions.get(id)?)));
    let open = asked.filter(|(_, file)| file.answer.is_none());
    open.map(|(id, file)| (id, file.question.as_str())).collect()
}

/// Tasks that cite what does not hold any more.
fn to_review(session: &Session) -> Vec<String> {
    let knowledge = &session.view.knowledge;
    let gone = knowledge.pieces().iter().filter(|piece| !piece.is_active());
    let mut tasks: Vec<String> =
        gone.flat_map(|piece| knowledge.to_review(&piece.id)).map(str::to_owned).collect();
    tasks.sort();
    tasks.dedup();
    tasks
}

/// Everything about a session, for programs.
pub(super) fn document(app: &App, root: &RootPath, id: &SessionId) -> Result<Value, Problem> {
    let session = reading::session(app, root, id)?;
    let view = &session.view;
    let tasks: Vec<Value> = view
        .plan
        .iter()
        .flat_map(|plan| &plan.document.tasks)
        .map(|task| {
            let progress = view.progress.get(&task.id);
            let passed = view.plan.as_ref().is_some_and(|plan| plan.has_passed(&task.id));
            json!({
                "id": task.id,
                "title": task.title,
                "level": task.level,
                "parent_id": task.parent_id,
                "data_sources": task.data_sources,
                "state": state(progress.map(|progress| progress.stage), passed),
                "attempt": progress.map(|progress| progress.attempt),
                "seconds": seconds(&session, task),
            })
        })
        .collect();
    let questions: Vec<Value> =
        open(&session).iter().map(|(id, text)| json!({"id": id, "question": text})).collect();
    let knowledge: Vec<Value> = view
        .knowledge
        .pieces()
        .iter()
        .map(|piece| {
            json!({"id": piece.id, "task_id": piece.source, "artifact": piece.artifact, "active": piece.is_active()})
        })
        .collect();
    Ok(json!({
        "session_id": id,
        "directory": session.directory.display().to_string(),
        "query": view.query.trim_end(),
        "status": view.pointer.system_status,
        "plan_major_version": view.pointer.plan_major_version,
        "plan_revision": view.pointer.plan_revision,
        "tasks": tasks,
        "questions": questions,
        "knowledge": knowledge,
        "to_review": to_review(&session),
        "usage": view.usage,
        "answer": session.answer,
        "verdict": session.verdict,
    }))
}

pub(super) fn state(stage: Option<Stage>, passed: bool) -> &'static str {
    match stage {
        _ if passed => "passed",
        None | Some(Stage::Waiting | Stage::Passed) => "waiting",
        Some(Stage::Started) => "running",
        Some(Stage::Executed) => "under_review",
        Some(Stage::Failed) => "failed",
    }
}

pub(super) fn small<T: Document>(directory: &RootPath, path: &str) -> Option<T> {
    let bytes = directory.join(path).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

pub(super) fn code(status: SystemStatus) -> &'static str {
    match status {
        SystemStatus::Planning => "PLANNING",
        SystemStatus::Executing => "EXECUTING",
        SystemStatus::Critiquing => "CRITIQUING",
        SystemStatus::Replanning => "REPLANNING",
        SystemStatus::Blocked => "BLOCKED",
        SystemStatus::Completed => "COMPLETED",
        SystemStatus::Failed => "FAILED",
    }
}
