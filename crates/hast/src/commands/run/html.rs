//! `hast run show --html`: a run as one page that opens offline: phases, stages, tasks, assets, and
//! the lineage from each deliverable back to what people brought.

use std::collections::BTreeSet;
use std::path::Path;

use hast_agent::page::{
    Branch, Html, Mood, Page, Section, badge, facts, file_link, list, table, tree,
};
use hast_flow::docs::run::{RunStatus, TaskRow, WorkStatus};
use hast_flow::flows::run::{View, layout};
use hast_flow::ids::RunId;
use hast_flow::words::Lang;
use serde_json::json;

use super::listing::{assets, title, word, work_word};
use super::{outputs, reading, shown};
use crate::app::App;
use crate::commands::page_file::{self, headline};
use crate::commands::verify::shown_path;
use crate::problem::{Exit, Problem};
use crate::run_messages::say;

/// A chain of files that is longer goes in circles.
const DEEPEST: usize = 30;

pub(super) fn write(app: &mut App, id: Option<&str>, file: Option<&Path>) -> Result<Exit, Problem> {
    let (root, run) = shown(app, id)?;
    let view = reading::view(app, &root, &run)?;
    let outputs = outputs(&root, &run);
    let Some(file) = file else {
        app.print_exact(&page(&view, &run, &outputs, "", app.lang).render())?;
        return Ok(Exit::Done);
    };
    let path = app.directory.join(file);
    let way = page_file::way_to(&root, &path);
    page_file::save(app, &path, &page(&view, &run, &outputs, &way, app.lang).render())?;
    let shown = shown_path(app, &path);
    if app.json {
        app.print_json(&json!({ "run_id": run, "file": shown }))?;
    } else {
        app.print(&format!("{shown}\n"))?;
    }
    Ok(Exit::Done)
}

/// `way` leads from where the page lies to the root.
fn page(view: &View, run: &RunId, outputs: &[String], way: &str, lang: Lang) -> Page {
    let own = &view.own;
    let request = own.request.as_ref().map_or("", |request| request.user_request.as_str());
    let feedback = own.feedback.as_ref().map(|known| String::from_utf8_lossy(&known.value));
    let failure = own.failure.as_ref().map_or_else(Html::default, |failure| {
        Html::paragraph(&failure.purpose).then(&Html::code(&failure.error))
    });
    let section = |id, title, body| Section { id, title, body };
    let results = outputs.iter().map(|path| file_link(way, path)).collect::<Vec<_>>();
    Page {
        lang,
        title: headline(request, || title(lang, run)),
        about: about(view, run, lang),
        sections: vec![
            section("request", say::request_title(lang), Html::markdown(request)),
            section("failure", say::failure(lang), failure),
            section("phases", say::phases(lang), tree(&branches(view))),
            section(
                "results",
                say::results(lang),
                if results.is_empty() { Html::default() } else { list(results) },
            ),
            section("lineage", say::lineage(lang), lineage(view, outputs)),
            section("assets", say::assets(lang), made(view, run, way, lang)),
            section("instructions", say::instructions(lang), instructions(view, run)),
            section("proposal", say::proposal(lang), Html::markdown(&feedback.unwrap_or_default())),
        ],
    }
}

fn about(view: &View, run: &RunId, lang: Lang) -> Html {
    let row = view.runs().and_then(|runs| runs.get(run.as_str())).and_then(Result::ok);
    let status = row.map_or(RunStatus::Pending, |row| row.status);
    let mood = match status {
        RunStatus::Completed => Mood::Good,
        RunStatus::Failed => Mood::Bad,
        RunStatus::AwaitingConfirmation => Mood::Waiting,
        RunStatus::Pending => Mood::Running,
    };
    let request = view.own.request.as_ref();
    let mode = request.and_then(|request| serde_json::to_value(request.mode).ok());
    let mode = mode.as_ref().and_then(|mode| mode.as_str()).unwrap_or_default().to_owned();
    let learnt = request.map_or(&[][..], |request| &request.learning_context);
    let learnt: Vec<String> = learnt.iter().map(ToString::to_string).collect();
    let mut all = vec![
        (say::status_title(lang), badge(mood, word(status))),
        (say::mode_title(lang), Html::text(mode)),
    ];
    if !learnt.is_empty() {
        all.push((say::learnt_from(lang), Html::text(learnt.join(", "))));
    }
    Html::paragraph(say::about_html(lang, run)).then(&facts(&all))
}

fn branches(view: &View) -> Vec<Branch> {
    let own = &view.own;
    let branch = |status, id: &str, name: &str, note: &str, under| Branch {
        title: format!("{id} {name}"),
        note: note.to_owned(),
        mood: match status {
            WorkStatus::Completed => Mood::Good,
            WorkStatus::Failed => Mood::Bad,
            WorkStatus::Pending => Mood::Plain,
        },
        word: work_word(status).to_owned(),
        under,
    };
    let tools = |task: &TaskRow| {
        let rows = own.tools().iter().filter(|row| row.parent_task_id == task.task_id);
        rows.map(|row| {
            let id = row.tool_task_id.as_str();
            branch(row.status, id, &row.tool_task_name, &row.tool_type, Vec::new())
        })
        .collect()
    };
    let tasks = |stage: &hast_flow::ids::StageId| {
        let rows = own.tasks().iter().filter(|row| row.stage_id == *stage);
        rows.map(|row| {
            branch(row.status, row.task_id.as_str(), &row.task_name, &row.task_purpose, tools(row))
        })
        .collect()
    };
    let stages = |phase: &hast_flow::ids::PhaseId| {
        let rows = own.stages().iter().filter(|row| row.phase_id == *phase);
        rows.map(|row| {
            let under = tasks(&row.stage_id);
            branch(row.status, row.stage_id.as_str(), &row.stage_name, &row.stage_goal, under)
        })
        .collect()
    };
    let phases = own.phases().iter();
    phases
        .map(|row| {
            let (id, under) = (row.phase_id.as_str(), stages(&row.phase_id));
            branch(row.status, id, &row.phase_name, &row.phase_purpose, under)
        })
        .collect()
}

/// Each deliverable, what it was made from, and so on down to what people brought.
fn lineage(view: &View, outputs: &[String]) -> Html {
    if outputs.is_empty() {
        return Html::default();
    }
    let roots = outputs.iter().map(|path| origin(view, path, &mut BTreeSet::new(), 0));
    tree(&roots.collect::<Vec<_>>())
}

fn origin(view: &View, path: &str, seen: &mut BTreeSet<String>, depth: usize) -> Branch {
    let row = view.catalog().and_then(|table| table.get(path)).and_then(Result::ok);
    let kind = row.as_ref().map_or("", |row| row.asset_type.as_str());
    let task = view.own.tasks().iter().find(|task| task.output_path.as_deref() == Some(path));
    let fresh = seen.insert(path.to_owned()) && depth < DEEPEST;
    // A file that hast published was made under its old name.
    let published = path.rsplit('/').next().filter(|_| kind == "FINAL_OUTPUT" && task.is_none());
    let made_as = published.and_then(|name| {
        let tasks = view.own.tasks().iter().filter_map(|task| task.output_path.clone());
        tasks.into_iter().find(|other| other.ends_with(&format!("/{name}")))
    });
    let references = task.and_then(|task| task.related_references.clone()).unwrap_or_default();
    let from = references.lines().map(str::to_owned).chain(made_as).filter(|_| fresh);
    let under = from.map(|from| origin(view, from.trim(), seen, depth + 1)).collect();
    let brought = path.starts_with(layout::ASSETS) || path.starts_with(layout::GUIDELINES);
    Branch {
        title: path.to_owned(),
        note: task.map_or_else(String::new, |task| task.task_purpose.clone()),
        mood: if brought { Mood::Good } else { Mood::Plain },
        word: if kind.is_empty() { "-".to_owned() } else { kind.to_owned() },
        under,
    }
}

fn made(view: &View, run: &RunId, way: &str, lang: Lang) -> Html {
    let rows: Vec<Vec<Html>> = assets(view, run)
        .into_iter()
        .map(|row| {
            vec![
                file_link(way, &row.file_path),
                Html::text(row.asset_type),
                Html::text(row.source_task_id.unwrap_or_default()),
                Html::text(row.summary.unwrap_or_default()),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Html::default();
    }
    let heads = [
        say::path_title(lang),
        say::type_title(lang),
        say::task_title(lang),
        say::summary_title(lang),
    ];
    table(&heads, &rows)
}

fn instructions(view: &View, run: &RunId) -> Html {
    let rows = view.instructions().into_iter().flat_map(|table| table.rows());
    let own = rows.filter(|row| *row.text(1) == *run.as_str());
    let items = own.map(|row| {
        let status = row.text(4);
        let mood = if *status == *"ACTIVE" { Mood::Good } else { Mood::Plain };
        badge(mood, &status).then(&Html::text(format!(" {}: {}", row.text(0), row.text(3))))
    });
    let items: Vec<Html> = items.collect();
    if items.is_empty() { Html::default() } else { list(items) }
}
