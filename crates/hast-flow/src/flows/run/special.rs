//! Tool tasks: two special agents that are built in, Web Search and Data Visualization; every other
//! is a call of the executor. What a tool makes is a file of the phase.

use serde_json::{Map, Value, json};

use crate::docs::run::{CatalogRow, RunEventKind as Kind, ToolTaskRow, ToolTiming, WorkStatus};
use crate::docs::session::RoutingState;
use crate::flows::run::decide::{Here, Scene};
use crate::flows::run::policy::EXECUTOR;
use crate::flows::run::work::{self, Made, base_name, expected, made};
use crate::flows::run::{amendment, chart_data, ending, layout, prompts};
use crate::replies::Asked;
use crate::steps::{Call, Effect, EffectResult, Scan, Step, StepKey, ToolAnswer, ToolUse};
use crate::tools::FailureRecord;
use crate::words::Lang;

const WEB_SEARCH: &str = "Web Search";
const DATA_VISUALIZATION: &str = "Data Visualization";

/// Results that a report lists, and pages that it quotes.
const MOST_RESULTS: u32 = 8;
const MOST_PAGES: usize = 3;
const LONGEST_QUOTE: usize = 1_500;
const LONGEST_QUERY: usize = 300;
/// A data file that is larger is not drawn.
const LARGEST_DATA: usize = 4 << 20;

pub(super) fn tool_task(scene: &Scene<'_>, here: &Here<'_>, tool: &ToolTaskRow) -> Step {
    match tool.tool_type.trim() {
        kind if kind.eq_ignore_ascii_case(WEB_SEARCH) => web_search(scene, here, tool),
        kind if kind.eq_ignore_ascii_case(DATA_VISUALIZATION) => visualize(scene, here, tool),
        _ => delegated(scene, here, tool),
    }
}

/// Where the file of a tool task goes.
pub(super) fn output(scene: &Scene<'_>, here: &Here<'_>, tool: &ToolTaskRow) -> String {
    let name = tool.tool_task_name.trim();
    let plain = |ending: &str| {
        (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if plain(ending) => (stem, ending.to_ascii_lowercase()),
        _ => (name, "md".to_owned()),
    };
    let ending = match tool.tool_type.trim() {
        kind if kind.eq_ignore_ascii_case(DATA_VISUALIZATION) => "html".to_owned(),
        kind if kind.eq_ignore_ascii_case(WEB_SEARCH) => "md".to_owned(),
        _ => ending,
    };
    let place = layout::workspace(&scene.flow.run, &here.phase.phase_name);
    format!("{place}{}_{}.{ending}", tool.tool_task_id, layout::file_part(stem))
}

/// A tool that is an agent: one purpose, its files, nothing else.
fn delegated(scene: &Scene<'_>, here: &Here<'_>, tool: &ToolTaskRow) -> Step {
    let lang = scene.facts.lang;
    let path = output(scene, here, tool);
    let name = base_name(&path).to_owned();
    let call = || {
        let inputs = work::inputs(scene, here, tool.timing);
        let prompt = prompts::tool_task(
            lang,
            (&tool.tool_type, &tool.tool_task_name, &tool.tool_task_purpose),
            &name,
            &amendment::active_text(scene),
        );
        Call {
            inputs: work::paths(&inputs),
            needs: work::evidence(here.task),
            expected: expected(&name),
            ids: work::ids(scene, here, Some(tool)),
            ..Call::new(EXECUTOR, "tool_task", tool.tool_task_id.as_str(), prompt)
        }
    };
    match scene.ask(work::tool_key(scene, tool), call, |answer| made(answer, &name, lang)) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => failed(scene, here, tool, &why.reason(), steps),
        Asked::Answered { value: Made::Failed(error), steps, .. } => {
            failed(scene, here, tool, &error, steps)
        }
        Asked::Answered { value: Made::File(result, bytes), steps, .. } => {
            completed(scene, here, tool, bytes, &result.summary, steps)
        }
    }
}

/// Looks for a topic, reads the first pages, and writes a report with its sources.
fn web_search(scene: &Scene<'_>, here: &Here<'_>, tool: &ToolTaskRow) -> Step {
    let key = work::tool_key(scene, tool);
    let query: String = tool.tool_task_purpose.chars().take(LONGEST_QUERY).collect();
    let Some(found) = scene.view.results.get(&key) else {
        let args = [("query", json!(query)), ("limit", json!(MOST_RESULTS))];
        return use_tools(key, vec![tool_use("web_search", &args)]);
    };
    let found: Value = match answered(found) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        Err(error) => return failed(scene, here, tool, &error, vec![key]),
    };
    let results = found["results"].as_array().cloned().unwrap_or_default();
    let urls = results.iter().filter_map(|hit| hit["url"].as_str()).take(MOST_PAGES);
    let urls: Vec<&str> = urls.collect();
    let fetch = scene.key(tool.tool_task_id.as_str(), "fetch");
    let pages = match scene.view.results.get(&fetch) {
        None if urls.is_empty() => Vec::new(),
        None => {
            let uses = urls.iter().map(|url| tool_use("web_fetch", &[("url", json!(url))]));
            return use_tools(fetch, uses.collect());
        }
        Some(EffectResult::Tools(pages)) => pages.clone(),
        Some(_) => Vec::new(),
    };
    let mut steps = vec![key];
    if !urls.is_empty() {
        steps.push(fetch);
    }
    let report = report(tool, &query, &found, &urls, &pages, scene.facts.lang);
    let summary = prompts::search_summary(scene.facts.lang, &query, results.len());
    completed(scene, here, tool, report.into_bytes(), &summary, steps)
}

fn report(
    tool: &ToolTaskRow,
    query: &str,
    found: &Value,
    urls: &[&str],
    pages: &[Result<ToolAnswer, FailureRecord>],
    lang: Lang,
) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().replace('\n', " ");
    let mut report = format!("# {}\n\n{}\n", tool.tool_task_name, prompts::searched(lang, query));
    if let Some(summary) = found["summary"].as_str() {
        report += &format!("\n{summary}\n");
    }
    for (url, page) in urls.iter().zip(pages) {
        report += &format!("\n## {url}\n\n");
        match page {
            Ok(page) => {
                let quote: String =
                    String::from_utf8_lossy(&page.bytes).chars().take(LONGEST_QUOTE).collect();
                report += &format!("{}\n", quote.trim());
            }
            Err(failure) => {
                report += &format!("{}\n", prompts::not_fetched(lang, &failure.cause));
            }
        }
    }
    report += &format!("\n## {}\n\n", prompts::sources(lang));
    for (number, hit) in (1..).zip(found["results"].as_array().into_iter().flatten()) {
        let (title, url, excerpt) = (text(&hit["title"]), text(&hit["url"]), text(&hit["excerpt"]));
        report += &format!("{number}. [{title}]({url})");
        report += &if excerpt.is_empty() { "\n".to_owned() } else { format!(": {excerpt}\n") };
    }
    report
}

/// Draws the numbers of the first file that has some. Which chart, the data decide.
fn visualize(scene: &Scene<'_>, here: &Here<'_>, tool: &ToolTaskRow) -> Step {
    let key = work::tool_key(scene, tool);
    let look = scene.key(tool.tool_task_id.as_str(), "data");
    let Some(looked) = scene.view.results.get(&look) else {
        let paths = work::paths(&data_files(scene, here, tool));
        let effect = Effect::Scan(Scan { paths, head: LARGEST_DATA });
        return Step::Effect { key: look, effect };
    };
    let files = match looked {
        EffectResult::Scan(Ok(files)) => files,
        EffectResult::Scan(Err(error)) => return failed(scene, here, tool, error, vec![look]),
        _ => return failed(scene, here, tool, "-", vec![look]),
    };
    let wanted = data_files(scene, here, tool);
    let in_order =
        wanted.iter().filter_map(|path| files.iter().find(|file| file.path.as_str() == path));
    let whole = in_order.filter(|file| file.size <= LARGEST_DATA as u64);
    let title = &tool.tool_task_name;
    let drawn = whole.into_iter().find_map(|file| {
        let chart = chart_data::chart(file.path.as_str(), &file.head, title)?;
        Some((file.path.as_str(), chart))
    });
    let Some((from, chart)) = drawn else {
        let error = prompts::no_data(scene.facts.lang, wanted.join(", "));
        return failed(scene, here, tool, &error, vec![look]);
    };
    let Some(result) = scene.view.results.get(&key) else {
        let args = match serde_json::to_value(&chart) {
            Ok(Value::Object(args)) => args,
            _ => Map::new(),
        };
        return use_tools(
            key,
            vec![ToolUse { name: "chart".to_owned(), args, state: RoutingState::default() }],
        );
    };
    match answered(result) {
        Ok(bytes) => {
            let summary = prompts::chart_summary(scene.facts.lang, title, from);
            completed(scene, here, tool, bytes, &summary, vec![look, key])
        }
        Err(error) => failed(scene, here, tool, &error, vec![look, key]),
    }
}

/// Where numbers may be: what the task made, then what it rests on.
fn data_files(scene: &Scene<'_>, here: &Here<'_>, tool: &ToolTaskRow) -> Vec<String> {
    let own = here.task.output_path.clone().filter(|_| tool.timing == ToolTiming::Post);
    let before = scene.view.own.tools().iter().filter(|other| {
        other.parent_task_id == here.task.task_id && other.status == WorkStatus::Completed
    });
    let before = before.map(|other| output(scene, here, other));
    own.into_iter().chain(before).chain(work::references(here.task).map(str::to_owned)).collect()
}

fn use_tools(key: StepKey, uses: Vec<ToolUse>) -> Step {
    Step::Effect { key, effect: Effect::Tools(uses) }
}

fn tool_use(name: &str, args: &[(&str, Value)]) -> ToolUse {
    let args = args.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    ToolUse { name: name.to_owned(), args: args.collect(), state: RoutingState::default() }
}

/// The one answer of one use.
fn answered(result: &EffectResult) -> Result<Vec<u8>, String> {
    match result {
        EffectResult::Tools(answers) => match answers.first() {
            Some(Ok(answer)) => Ok(answer.bytes.clone()),
            Some(Err(failure)) if failure.next.is_empty() => Err(failure.cause.clone()),
            Some(Err(failure)) => Err(format!("{} -> {}", failure.cause, failure.next)),
            None => Err("the tool gave no answer".to_owned()),
        },
        _ => Err("something else answered where a tool was asked".to_owned()),
    }
}

fn completed(
    scene: &Scene<'_>,
    here: &Here<'_>,
    tool: &ToolTaskRow,
    bytes: Vec<u8>,
    summary: &str,
    steps: Vec<StepKey>,
) -> Step {
    let path = output(scene, here, tool);
    let detail = [("tool_task_id", json!(tool.tool_task_id)), ("output", json!(path))];
    let row = CatalogRow {
        file_path: path.clone(),
        run_id: Some(scene.flow.run.clone()),
        asset_type: "TOOL_OUTPUT".to_owned(),
        source_task_id: Some(tool.tool_task_id.to_string()),
        summary: Some(summary.to_owned()).filter(|text| !text.is_empty()),
    };
    scene
        .draft(EXECUTOR, "a tool task is completed")
        .create(&path, bytes)
        .tool(tool.tool_task_id.as_str(), WorkStatus::Completed)
        .catalog(row)
        .event(EXECUTOR, Kind::ToolTaskCompleted, &detail)
        .finishes(steps)
        .step()
}

fn failed(
    scene: &Scene<'_>,
    here: &Here<'_>,
    tool: &ToolTaskRow,
    error: &str,
    steps: Vec<StepKey>,
) -> Step {
    let failure = ending::Failure::executing("tool_task", &tool.tool_task_purpose, error);
    ending::fail(scene, &failure.here(here).in_tool(tool), steps)
}
