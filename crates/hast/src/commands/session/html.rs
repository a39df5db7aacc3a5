//! `hast session show --html`: the session as one page that opens offline, without a script.

use std::path::Path;

use hast_agent::page::{
    Branch, Html, Mood, Page, Section, Span, badge, details, facts, link, list, table, timeline,
    tree,
};
use hast_flow::docs::session::{DataSource, SessionEventKind as Kind, SystemStatus, Verdict};
use hast_flow::flows::session::footnotes::numbered;
use hast_flow::flows::session::view::Stage;
use hast_flow::flows::session::{lanes::Plan, layout};
use hast_flow::ids::TaskId;
use hast_flow::words::Lang;
use serde_json::{Value, json};

use super::listing::{chosen, code, seconds, state};
use super::reading::{self, Session};
use super::{footnotes, series, there};
use crate::app::App;
use crate::commands::page_file::{self, headline};
use crate::commands::verify::shown_path;
use crate::problem::{Exit, Problem};
use crate::session_messages::say;

pub(super) fn write(app: &mut App, id: Option<&str>, file: Option<&Path>) -> Result<Exit, Problem> {
    let root = there(app)?;
    let id = chosen(app, &root, id)?;
    let session = reading::session(app, &root, &id)?;
    let page = page(&session, app.lang).render();
    let Some(file) = file else {
        app.print_exact(&page)?;
        return Ok(Exit::Done);
    };
    let path = app.directory.join(file);
    page_file::save(app, &path, &page)?;
    let shown = shown_path(app, &path);
    if app.json {
        app.print_json(&json!({ "session_id": id, "file": shown }))?;
    } else {
        app.print(&format!("{}\n", say::report_written(app.lang, shown)))?;
    }
    Ok(Exit::Done)
}

fn page(session: &Session, lang: Lang) -> Page {
    let section = |id, title, body| Section { id, title, body };
    let sections = vec![
        section("question", say::html_question(lang), Html::markdown(&session.view.query)),
        section("answer", say::answer_heading(lang), answer(session, lang)),
        section("verdict", say::html_final(lang), prose(session.verdict.as_deref())),
        section("charts", say::html_charts(lang), charts(session, lang)),
        section("plan", say::html_plan(lang), plan(session, lang)),
        section("timeline", say::html_timeline(lang), times(session)),
        section("verdicts", say::html_verdicts(lang), verdicts(session, lang)),
        section("knowledge", say::html_knowledge(lang), knowledge(session, lang)),
        section("sources", say::html_sources(lang), sources(session, lang)),
        section("history", say::html_history(lang), history(session, lang)),
    ];
    let title = headline(&session.view.query, || say::html_title(lang, &session.id));
    Page { lang, title, about: about(session, lang), sections }
}

fn about(session: &Session, lang: Lang) -> Html {
    let view = &session.view;
    let status = view.pointer.system_status;
    let mood = match status {
        SystemStatus::Completed => Mood::Good,
        SystemStatus::Failed => Mood::Bad,
        SystemStatus::Blocked => Mood::Waiting,
        _ => Mood::Running,
    };
    let version = format!("{}.{}", view.pointer.plan_major_version, view.pointer.plan_revision);
    let (passed, all) = view.plan.as_ref().map_or((0, 0), |plan| (plan.passed(), plan.making()));
    let mut known = vec![
        (say::fact_status(lang), badge(mood, code(status))),
        (say::fact_plan(lang), Html::text(version)),
        (say::fact_tasks(lang), Html::text(format!("{passed} / {all}"))),
    ];
    if let (Some(input), Some(output)) = (view.usage.input_tokens, view.usage.output_tokens) {
        known.push((say::fact_tokens(lang), Html::text(format!("{input} / {output}"))));
    }
    if let (Some(first), Some(last)) = (session.events.first(), session.events.last()) {
        let seconds = last.ts.instant().as_second() - first.ts.instant().as_second();
        let seconds = u64::try_from(seconds).unwrap_or(0);
        let time = crate::progress::board::elapsed(std::time::Duration::from_secs(seconds));
        known.push((say::fact_duration(lang), Html::text(time)));
    }
    facts(&known)
}

/// The answer, and below it what each number stands for.
fn answer(session: &Session, lang: Lang) -> Html {
    let Some(text) = &session.answer else { return Html::default() };
    let (text, cited) = numbered(text);
    let notes = (1..).zip(&cited).map(|(number, id)| {
        let note = Html::text(format!("[{number}] {}", footnotes::note(session, id, lang)));
        let artifact = session.view.knowledge.get(id).map_or("", |piece| piece.artifact.as_str());
        let sources = session.behind(artifact).iter();
        let sources = sources.map(|source| link(&source.url, &source.url)).collect();
        note.then(&list(sources))
    });
    Html::markdown(&text).then(&list(notes.collect()))
}

fn prose(text: Option<&str>) -> Html {
    text.map_or_else(Html::default, Html::markdown)
}

fn charts(session: &Session, lang: Lang) -> Html {
    let plan = session.view.plan.as_ref();
    let pieces = session.view.knowledge.active().filter_map(|piece| {
        let task = piece.source.parse::<TaskId>().ok().and_then(|id| plan?.task(&id))?;
        if task.data_sources == [DataSource::Synthesis] {
            return None;
        }
        let source = format!("{} {}, {}", task.id, task.title, piece.id);
        let args = series::chart(&session.file(&piece.artifact)?, &source)?;
        Some(Html::chart(lang, &args))
    });
    pieces.collect()
}

fn plan(session: &Session, lang: Lang) -> Html {
    match &session.view.plan {
        None => Html::paragraph(say::unplanned(lang)),
        Some(plan) => tree(&branches(session, plan, None, lang)),
    }
}

fn branches(session: &Session, plan: &Plan, parent: Option<&TaskId>, lang: Lang) -> Vec<Branch> {
    let tasks = plan.document.tasks.iter().filter(|task| task.parent_id.as_ref() == parent);
    tasks
        .map(|task| {
            let progress = session.view.progress.get(&task.id);
            let passed = plan.has_passed(&task.id);
            let stage = progress.map(|progress| progress.stage);
            let (mood, word) = look(stage, passed, lang);
            let source = task.data_sources.first().map(|source| json!(source));
            let source = source.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            let mut note = vec![source];
            note.extend(
                progress
                    .filter(|progress| progress.attempt > 1)
                    .map(|progress| say::attempt(lang, progress.attempt)),
            );
            note.extend(seconds(session, task).map(|seconds| format!("{seconds}s")));
            Branch {
                title: format!("{} {}", task.id, task.title),
                note: note.join(" · "),
                mood,
                word,
                under: branches(session, plan, Some(&task.id), lang),
            }
        })
        .collect()
}

fn look(stage: Option<Stage>, passed: bool, lang: Lang) -> (Mood, String) {
    match state(stage, passed) {
        "passed" => (Mood::Good, say::passed_state(lang)),
        "failed" => (Mood::Bad, say::failed_state(lang)),
        "running" => (Mood::Running, say::running_state(lang)),
        "under_review" => (Mood::Running, say::reviewing_state(lang)),
        _ => (Mood::Waiting, say::waiting_state(lang)),
    }
}

/// A bar for each attempt, from its start to its verdict.
fn times(session: &Session) -> Html {
    let Some(begin) = session.events.first().map(|event| event.ts.instant()) else {
        return Html::default();
    };
    let mut spans: Vec<(String, Span)> = Vec::new();
    for event in &session.events {
        let task = event.detail.get("task_id").and_then(Value::as_str);
        let attempt = event.detail.get("attempt").and_then(Value::as_u64);
        let (Some(task), Some(attempt)) = (task, attempt) else { continue };
        let at = event.ts.instant().duration_since(begin).as_secs_f64();
        let name = if attempt == 1 { task.to_owned() } else { format!("{task} ({attempt})") };
        let mood = match event.kind {
            Kind::TaskFailed => Mood::Bad,
            Kind::TaskReviewed if event.detail.get("verdict") == Some(&json!("PASS")) => Mood::Good,
            Kind::TaskReviewed => Mood::Bad,
            _ => Mood::Running,
        };
        match spans.iter_mut().find(|(known, _)| *known == name) {
            Some((_, span)) => (span.to, span.mood) = (at, mood),
            None => {
                let note = session.title(task).to_owned();
                let span = Span { name: format!("{name} {note}"), from: at, to: at, mood, note };
                spans.push((name, span));
            }
        }
    }
    let spans: Vec<Span> = spans.into_iter().map(|(_, span)| span).collect();
    timeline(&spans)
}

/// Every review, the rejected ones too.
fn verdicts(session: &Session, lang: Lang) -> Html {
    let rows: Vec<Vec<Html>> = session
        .events
        .iter()
        .filter(|event| event.kind == Kind::TaskReviewed)
        .filter_map(|event| {
            let task = event.detail.get("task_id")?.as_str()?;
            let attempt = u32::try_from(event.detail.get("attempt")?.as_u64()?).ok()?;
            let report = session.report(&task.parse().ok()?, attempt)?;
            let (mood, word) = match report.verdict {
                Verdict::Pass => (Mood::Good, "PASS"),
                Verdict::Fail => (Mood::Bad, "FAIL"),
            };
            let findings =
                report.findings.iter().map(|one| format!("{}: {}", one.severity, one.detail));
            let fixes = report.required_fixes.iter().map(|fix| format!("→ {fix}"));
            let words = lines(findings.chain(fixes).collect());
            let name = if attempt > 1 { format!("{task} ({attempt})") } else { task.to_owned() };
            let time = event.ts.to_string();
            Some(vec![Html::text(name), badge(mood, word), words, Html::text(time)])
        })
        .collect();
    let heads = [
        say::head_task(lang),
        say::head_verdict(lang),
        say::head_fixes(lang),
        say::head_time(lang),
    ];
    filled(&heads, &rows)
}

fn knowledge(session: &Session, lang: Lang) -> Html {
    let rows: Vec<Vec<Html>> = session
        .view
        .knowledge
        .pieces()
        .iter()
        .map(|piece| {
            let mark = if piece.is_active() {
                badge(Mood::Good, "ACTIVE")
            } else {
                badge(Mood::Bad, &say::invalid_mark(lang))
            };
            let task = format!("{} {}", piece.source, session.title(&piece.source));
            vec![Html::text(&piece.id), mark, Html::text(task), Html::text(&piece.artifact)]
        })
        .collect();
    let heads = [
        say::head_knowledge(lang),
        say::fact_status(lang),
        say::head_task(lang),
        say::head_artifact(lang),
    ];
    filled(&heads, &rows)
}

fn sources(session: &Session, lang: Lang) -> Html {
    let mut rows = Vec::new();
    for (task, fetched) in &session.sources {
        for source in fetched {
            let (path, _) = layout::source(&source.sha256);
            let hash = source.sha256.as_str().get(..12).unwrap_or_default();
            rows.push(vec![
                Html::text(task),
                link(&source.url, &source.url),
                Html::text(source.fetched_at),
                Html::text(source.bytes),
                Html::text(format!("{hash}…")).then(&details(&source.media, &Html::text(&path))),
            ]);
        }
    }
    let heads = [
        say::head_task(lang),
        say::head_source(lang),
        say::head_fetched(lang),
        say::head_size(lang),
        say::head_hash(lang),
    ];
    filled(&heads, &rows)
}

/// How the plan came to be what it is.
fn history(session: &Session, lang: Lang) -> Html {
    let rows: Vec<Vec<Html>> = session
        .events
        .iter()
        .filter_map(|event| {
            let text = |name: &str| event.detail.get(name).and_then(Value::as_str);
            let to = event.detail.get("to").map(ToString::to_string).unwrap_or_default();
            let change = match event.kind {
                Kind::PlanCreated => "INITIAL".to_owned(),
                Kind::PlanRevisionBump => format!("MINOR, revision {to}"),
                Kind::PlanMajorBump => format!("MAJOR, major_version {to}"),
                _ => return None,
            };
            let words = [text("reason"), text("why")].into_iter().flatten();
            let why = lines(words.map(str::to_owned).collect());
            Some(vec![Html::text(change), why, Html::text(event.ts)])
        })
        .collect();
    if rows.len() < 2 {
        return Html::default();
    }
    filled(&[say::head_change(lang), say::head_fixes(lang), say::head_time(lang)], &rows)
}

/// One line as it is, several as a list.
fn lines(mut lines: Vec<String>) -> Html {
    match lines.len() {
        0 | 1 => Html::text(lines.pop().unwrap_or_default()),
        _ => list(lines.into_iter().map(Html::text).collect()),
    }
}

fn filled(heads: &[String], rows: &[Vec<Html>]) -> Html {
    if rows.is_empty() { Html::default() } else { table(heads, rows) }
}
