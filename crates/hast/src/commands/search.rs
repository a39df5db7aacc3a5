//! `hast search`: knowledge and history of all flows, by words. A scan without an index.

use hast_flow::docs::files::{FlowName, matches_part};
use hast_flow::docs::run::{CatalogRow, ProcessRun, UserInstruction};
use hast_flow::flows::run::layout;
use hast_flow::formats::source::Source;
use hast_flow::formats::table::{Column, Line, Row, TableHeader};
use hast_flow::ranking::{Query, rarity};
use hast_flow::words::visible;
use hast_world::root_path::RootPath;
use hast_world::searching::{Finder, Hit, line_at};
use serde_json::json;

use super::verify;
use crate::app::App;
use crate::problem::{Exit, Problem};
use crate::run_cli::SearchArgs;
use crate::run_messages::say;

/// Where a flow keeps what is worth finding; a `*` stands for any name.
const PLACES: &[(FlowName, &str)] = &[
    (FlowName::Run, layout::RUNS),
    (FlowName::Run, layout::INSTRUCTIONS),
    (FlowName::Run, layout::CATALOG),
    (FlowName::Goals, ".ai/goals.yaml"),
    (FlowName::Goals, ".ai/handoffs/*.md"),
    (FlowName::Goals, ".ai/decisions/*.md"),
    (FlowName::Session, "sessions/S-*/input/user_input.md"),
    (FlowName::Session, "sessions/S-*/output/final.md"),
    (FlowName::Session, "sessions/S-*/context/index.json"),
    (FlowName::Kernel, ".brain/requests/*/request.json"),
    (FlowName::Kernel, ".brain/requests/*/report*.md"),
    (FlowName::Contract, ".claude/orchestrator/knowledge/*/*.yaml"),
    (FlowName::Contract, ".claude/orchestrator/sessions/*/session.json"),
];

/// The header of a table is in its first bytes.
const HEAD: usize = 64 << 10;
/// More lines than this are counted and not kept.
const MOST_KEPT: usize = 200_000;

/// A line that was found, by the number of its file.
struct Found {
    file: usize,
    hit: Hit,
}

pub(crate) fn run(app: &mut App, args: &SearchArgs) -> Result<Exit, Problem> {
    let query = Query::new(&args.words.join(" "));
    let Some(finder) = Finder::new(query.stems()) else {
        return Err(Problem::usage(say::no_words(app.lang), say::no_words_next(app.lang)));
    };
    let files = files(app)?;
    let mut found = Vec::new();
    let mut having = vec![0_u32; query.stems().len()];
    let mut total = 0_u32;
    for (number, (_, path)) in files.iter().enumerate() {
        let mut visit = |hit: Hit, _: &[u8]| {
            total = total.saturating_add(1);
            for (word, count) in having.iter_mut().enumerate() {
                *count += u32::from(hit.words >> word & 1 == 1);
            }
            if found.len() < MOST_KEPT {
                found.push(Found { file: number, hit });
            }
        };
        // A file that went away or cannot be read has nothing to be found.
        let _ = finder.search(path, &mut visit);
    }
    let worth = |hit: &Hit| -> f64 {
        let words = having.iter().enumerate().filter(|(word, _)| hit.words >> word & 1 == 1);
        words.map(|(_, count)| rarity(total.max(1), *count)).sum()
    };
    let mut ranked: Vec<(f64, Found)> =
        found.into_iter().map(|found| (worth(&found.hit), found)).collect();
    // What stands later in a file is newer.
    let order = |(one, a): &(f64, Found), (other, b): &(f64, Found)| {
        other.total_cmp(one).then(a.file.cmp(&b.file)).then(b.hit.at.cmp(&a.hit.at))
    };
    let shown = args.limit.min(ranked.len());
    if shown > 0 && shown < ranked.len() {
        ranked.select_nth_unstable_by(shown - 1, order);
    }
    ranked.truncate(shown);
    ranked.sort_by(order);
    let results: Vec<Shown> =
        ranked.iter().map(|(score, found)| result(&files, found, *score)).collect();
    tell(app, &results, u64::from(total))
}

/// What is told about a line.
struct Shown {
    flow: &'static str,
    kind: &'static str,
    file: RootPath,
    id: String,
    text: String,
    score: f64,
}

fn result(files: &[(FlowName, RootPath)], found: &Found, score: f64) -> Shown {
    let (flow, path) = &files[found.file];
    let line = line_at(path, found.hit).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).into_owned();
    let name = path.to_string_lossy();
    let (kind, id, text) = if name.ends_with(layout::RUNS) {
        row(path, &line, ProcessRun::COLUMNS, 0, &[1]).map(|(id, text)| ("run", id, text))
    } else if name.ends_with(layout::INSTRUCTIONS) {
        let read = row(path, &line, UserInstruction::COLUMNS, 0, &[4, 3]);
        read.map(|(id, text)| ("instruction", id, text))
    } else if name.ends_with(layout::CATALOG) {
        row(path, &line, CatalogRow::COLUMNS, 0, &[4]).map(|(id, text)| ("asset", id, text))
    } else {
        None
    }
    .unwrap_or_else(|| ("text", String::new(), line.trim().to_owned()));
    Shown { flow: flow.as_str(), kind, file: path.clone(), id, text, score }
}

/// The cells of a row of a large table, without reading the rest of it.
fn row(
    path: &RootPath,
    line: &str,
    columns: &'static [Column],
    key: usize,
    texts: &[usize],
) -> Option<(String, String)> {
    let head = path.read_bounded(HEAD).ok()?;
    let head = String::from_utf8_lossy(&head);
    let header = TableHeader::find(&Source::new("", &head), columns).ok()?;
    match header.row(Source::new("", line), 0..line.len()).ok()? {
        Line::Row(view) => {
            let text: Vec<String> = texts.iter().map(|at| view.text(*at).into_owned()).collect();
            Some((view.text(key).into_owned(), text.join(" ")))
        }
        Line::Blank | Line::End => None,
    }
}

fn tell(app: &mut App, results: &[Shown], total: u64) -> Result<Exit, Problem> {
    if app.json {
        let results: Vec<_> = results
            .iter()
            .map(|one| {
                json!({
                    "flow": one.flow, "kind": one.kind, "id": one.id, "text": one.text,
                    "file": one.file.display().to_string(),
                    "score": (one.score * 1000.0).round() / 1000.0,
                })
            })
            .collect();
        app.print_json(&json!({ "results": results, "found": total }))?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for one in results {
        let file = verify::shown_path(app, &one.file);
        let words: String = one.text.chars().take(300).collect();
        let place = if one.id.is_empty() { file } else { format!("{file} {}", one.id) };
        text += &format!("{} {}\n    {}\n", one.kind, visible(&place), visible(&words));
    }
    if text.is_empty() {
        text = say::nothing_found(app.lang) + "\n";
    }
    let more = total.saturating_sub(results.len() as u64);
    app.print(&text)?;
    if more > 0 && !app.quiet {
        app.output.message(&format!("{}\n", say::more_found(app.lang, more)));
    }
    Ok(Exit::Done)
}

/// The files of every flow that is here or above.
fn files(app: &App) -> Result<Vec<(FlowName, RootPath)>, Problem> {
    let mut files = Vec::new();
    for (flow, root) in verify::flows_here(app)? {
        for (_, pattern) in PLACES.iter().filter(|(known, _)| *known == flow) {
            files.extend(expanded(&root, pattern).into_iter().map(|path| (flow, path)));
        }
    }
    Ok(files)
}

fn expanded(root: &RootPath, pattern: &str) -> Vec<RootPath> {
    let mut places = vec![root.to_owned()];
    for part in pattern.split('/') {
        places = places
            .iter()
            .flat_map(|place| match part.contains('*') {
                false => vec![place.join(part)],
                true => {
                    let mut below = place.names().unwrap_or_default();
                    below.retain(|name| matches_part(part, name));
                    below.sort();
                    below.iter().map(|name| place.join(name)).collect()
                }
            })
            .collect();
    }
    places.retain(|place| place.is_file());
    places
}
