//! `hast kernel list` and `show`: what was asked, how the plan grew, and what came of it.

use hast_flow::docs::kernel::{MergeRecord, TodoItem, TodoStatus};
use hast_flow::flows::kernel::layout;
use hast_flow::flows::kernel::view::{Life, Request};
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::RequestUuid;
use hast_flow::words::{Lang, visible};
use hast_world::root_path::RootPath;
use serde_json::json;

use super::super::flow_root::{headline, printable};
use super::{brain, known, reading, response, there};
use crate::app::App;
use crate::kernel_messages::say;
use crate::problem::{Exit, Problem};

pub(super) fn list(app: &mut App) -> Result<Exit, Problem> {
    let root = there(app)?;
    let view = reading::view(app, &root)?;
    let requests: Vec<_> = view.requests.iter().rev().collect();
    if app.json {
        let requests: Vec<_> = requests
            .iter()
            .map(|(id, request)| {
                json!({
                    "request_id": id,
                    "state": code(request.life),
                    "items_done": done(request),
                    "items": request.items().len(),
                    "request": request.text,
                })
            })
            .collect();
        app.print_json(&json!({ "requests": requests }))?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for (id, request) in &requests {
        let (state, all) = (word(app.lang, request.life), request.items().len());
        text += &format!("{id}  {state}  {}/{all}  {}\n", done(request), first_line(request));
    }
    if text.is_empty() {
        text = say::no_requests(app.lang) + "\n";
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

pub(super) fn show(app: &mut App, id: Option<&str>) -> Result<Exit, Problem> {
    let root = there(app)?;
    let view = reading::view(app, &root)?;
    let lang = app.lang;
    let id = match id {
        Some(id) => known(app, id)?,
        None => view.requests.keys().next_back().cloned().ok_or_else(|| {
            Problem::new(say::no_requests(lang), say::nothing_unfinished_next(lang))
        })?,
    };
    let Some(request) = view.requests.get(&id) else {
        let next = say::unknown_request_next(lang);
        return Err(Problem::new(say::unknown_request(lang, &id), next));
    };
    let merges = merges(&root, &id);
    let response = response(app, &root, &id)?;
    if app.json {
        app.print_json(&json!({
            "request_id": id,
            "state": code(request.life),
            "request": request.text,
            "items": request.items(),
            "merges": merges,
            "response": response,
        }))?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{id}  {}\n{}\n", word(lang, request.life), printable(&request.text));
    text.extend(request.items().iter().map(line));
    if !merges.is_empty() {
        text += &format!("\n{}\n", say::history(lang));
        text.extend(merges.iter().map(|merge| format!("  {}\n", grown(lang, merge))));
    }
    if let Some(report) = response.and_then(|response| response.final_report) {
        text += &format!("\n{}\n{}", say::report(lang), printable(&report));
    }
    if let Some(error) = &request.error {
        text += &format!("\n{}: {}\n", say::failed_state(lang), visible(error));
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// How the plan grew, oldest first.
fn merges(root: &RootPath, id: &RequestUuid) -> Vec<MergeRecord> {
    let directory = brain(root).join(layout::of_request(id, "transcript"));
    let mut files = directory.names().unwrap_or_default();
    files.retain(|file| file.ends_with("_MergeRecord.json"));
    files.sort();
    let read = |file: &String| {
        let bytes = directory.join(file).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten()?;
        serde_json::from_slice(&bytes).ok()
    };
    files.iter().filter_map(read).collect()
}

fn grown(lang: Lang, merge: &MergeRecord) -> String {
    let added: Vec<&str> =
        merge.after.iter().filter(|id| !merge.before.contains(id)).map(String::as_str).collect();
    let (before, after) = (merge.before.len(), merge.after.len());
    visible(&say::merged(lang, &merge.parent_id, added.join(", "), before, after)).into_owned()
}

fn line(item: &TodoItem) -> String {
    let indent = "  ".repeat(usize::try_from(item.depth).unwrap_or(1));
    let mark = match item.status {
        TodoStatus::Completed => "[x]",
        TodoStatus::InProgress => "[>]",
        TodoStatus::Failed => "[!]",
        TodoStatus::Pending => "[ ]",
    };
    let TodoItem { id, title, expert, .. } = item;
    format!("{indent}{mark} {} {} ({})\n", visible(id), visible(title), visible(expert))
}

fn done(request: &Request) -> usize {
    request.items().iter().filter(|item| item.status == TodoStatus::Completed).count()
}

fn first_line(request: &Request) -> String {
    headline(&request.text)
}

/// The state of every request, for whoever only counts them.
pub(crate) fn states(app: &App, root: &RootPath) -> Vec<&'static str> {
    let Ok(view) = reading::view(app, root) else { return Vec::new() };
    view.requests.values().map(|request| code(request.life)).collect()
}

fn code(life: Life) -> &'static str {
    match life {
        Life::Unborn | Life::Planning => "planning",
        Life::Working => "working",
        Life::Reporting | Life::Judging => "reporting",
        Life::Completed => "completed",
        Life::Failed => "failed",
    }
}

fn word(lang: Lang, life: Life) -> String {
    match life {
        Life::Unborn | Life::Planning => say::planning_state(lang),
        Life::Working => say::working_state(lang),
        Life::Reporting | Life::Judging => say::reporting_state(lang),
        Life::Completed => say::completed_state(lang),
        Life::Failed => say::failed_state(lang),
    }
}
