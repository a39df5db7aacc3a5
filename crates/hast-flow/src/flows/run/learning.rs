//! A run learns from earlier runs whose requests, instructions and results are nearest to the new
//! request. Failed runs teach as well as completed ones.

use std::collections::BTreeMap;

use crate::flows::run::view::View;
use crate::ids::RunId;
use crate::ranking::{Query, best};

/// More would not be read.
const MOST: usize = 5;
/// A run is told by its first summaries.
const LONGEST_TEXT: usize = 16 << 10;

/// The runs most similar to a request, the most similar first.
pub fn similar(view: &View, own: &RunId, request: &str) -> Vec<RunId> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let Some(runs) = view.runs() else { return Vec::new() };
    for row in runs.rows() {
        let id = row.text(0);
        if *id != *own.as_str() {
            texts.insert(id.into_owned(), row.text(1).into_owned());
        }
    }
    let mut add = |run: &str, text: &str| {
        if let Some(known) = texts.get_mut(run).filter(|known| known.len() < LONGEST_TEXT) {
            known.push('\n');
            known.push_str(text);
        }
    };
    for row in view.instructions().into_iter().flat_map(|table| table.rows()) {
        add(&row.text(1), &row.text(3));
    }
    for row in view.catalog().into_iter().flat_map(|table| table.rows()) {
        add(&row.text(1), &row.text(4));
    }
    let ranked = best(&Query::new(request), texts.into_iter(), MOST);
    ranked.into_iter().filter_map(|(id, _)| id.parse().ok()).collect()
}

/// What the planner is told about a run of the past: its request, how it ended, its instructions
/// and what it made.
pub fn told(view: &View, run: &RunId) -> String {
    let row = view.runs().and_then(|runs| runs.get(run.as_str())).and_then(Result::ok);
    let Some(row) = row else { return String::new() };
    let status = crate::flows::run::write::word(&row.status);
    let mut text = format!("## {run} ({status})\n{}\n", row.user_request);
    let instructions = view.instructions().into_iter().flat_map(|table| table.rows());
    for one in instructions.filter(|one| *one.text(1) == *run.as_str()).take(MOST_LINES) {
        let (id, status, content) = (one.text(0), one.text(4), one.text(3));
        text += &format!("- {id} ({status}): {}\n", cut(&content));
    }
    let made = view.catalog().into_iter().flat_map(|table| table.rows());
    for one in made.filter(|one| *one.text(1) == *run.as_str()).take(MOST_LINES) {
        text += &format!("- {}: {}\n", one.text(0), cut(&one.text(4)));
    }
    text
}

const MOST_LINES: usize = 40;
const LONGEST_LINE: usize = 400;

fn cut(text: &str) -> String {
    let line = text.replace('\n', " ");
    line.chars().take(LONGEST_LINE).collect()
}
