//! Parts of a session that must be equal in two runs of it, byte for byte where nothing can differ.
//! With lanes and a moving clock, times, the order of events and numbers given in that order may
//! differ. Of a session that failed only the ending counts.

use std::collections::BTreeMap;

use hast_flow::flows::session::events::RUN_LINES;
use hast_flow::flows::session::layout;
use hast_flow::flows::session::view::sha256;
use serde_json::Value;

use crate::flows::subject::Files;

/// Every document without times and numbers; logs without their order. How far the other lanes of a
/// failed session were depends on who came home first, so of it only the ending counts.
pub(super) fn meaning(files: &Files, ending: &str) -> Files {
    let mut essence = Files::new();
    essence.insert("(ending)".to_owned(), ending.as_bytes().to_vec());
    let log = files.get(layout::LOG).map(|bytes| String::from_utf8_lossy(bytes));
    let turned = |log: &str| TURNS.iter().any(|kind| log.contains(kind));
    if log.is_some_and(|log| turned(&log)) {
        // Another plan, or a person, interrupts whatever the other lanes were at: what is left is
        // that it happened, and that every law holds.
        return Files::from([("(turned)".to_owned(), Vec::new())]);
    }
    if ending != "done" {
        return essence;
    }
    let hashes = hashes(files);
    let mut run_log = Vec::new();
    for (path, bytes) in files.iter().filter(|(path, _)| !path.starts_with(".hast/")) {
        let text = without_hashes(&String::from_utf8_lossy(bytes), &hashes);
        let text = without_numbers(&without_links(&text));
        if path.starts_with("execution/run_logs/") {
            run_log.extend(text.lines().map(str::to_owned));
            continue;
        }
        let text = match path.as_str() {
            layout::LOG => sorted(text.lines().map(str::to_owned).collect()),
            layout::INDEX => sorted_list(&text, "knowledge"),
            layout::SUMMARY => without_field(&text, "duration_seconds"),
            _ => text,
        };
        essence.insert(path.clone(), text.into_bytes());
    }
    essence.insert("execution/run_logs".to_owned(), sorted(run_log).into_bytes());
    essence
}

/// Events after which the rest depends on who came home first.
const TURNS: [&str; 3] = ["PLAN_REVISION_BUMP", "PLAN_MAJOR_BUMP", "QUESTION_OPENED"];

/// The hash of each output and refused answer: it changes with the numbers that a text cites, so its place
/// stands for it. The text itself is compared.
fn hashes(files: &Files) -> BTreeMap<String, String> {
    let cites =
        |path: &str| [layout::OUTPUTS, layout::REPORTS].iter().any(|it| path.starts_with(it));
    let outputs = files.iter().filter(|(path, _)| cites(path));
    let hashes =
        outputs.filter_map(|(path, bytes)| Some((sha256(bytes)?.to_string(), path.clone())));
    hashes.collect()
}

/// How a line names the one before it, and what reports and lines with times hash to: all change with
/// the order.
fn without_links(text: &str) -> String {
    let mut text = text.to_owned();
    for name in ["prev", "report_sha256", "final_sha256", RUN_LINES] {
        let field = format!("\"{name}\":\"");
        let field = field.as_str();
        let mut parts = text.split(field);
        let mut blanked = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            blanked += field;
            blanked += part.split_once('"').map_or("", |(_, rest)| rest);
        }
        text = blanked;
    }
    text
}

fn without_hashes(text: &str, hashes: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (hash, path) in hashes {
        if text.contains(hash.as_str()) {
            text = text.replace(hash.as_str(), path);
        }
    }
    text
}

fn sorted(mut lines: Vec<String>) -> String {
    lines.sort();
    lines.join("\n")
}

fn sorted_list(text: &str, field: &str) -> String {
    let Ok(document) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let items = document.get(field).and_then(Value::as_array).into_iter().flatten();
    sorted(items.map(ToString::to_string).collect())
}

fn without_field(text: &str, field: &str) -> String {
    let kept = text.lines().filter(|line| !line.contains(&format!("\"{field}\"")));
    kept.collect::<Vec<_>>().join("\n")
}

/// Blanks the digits of times, of event ids and of knowledge ids; task ids stay.
fn without_numbers(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        blanked.push_str(before);
        let end = number.find(|c: char| !c.is_ascii_alphanumeric() && !"-:".contains(c));
        let (number, after) = number.split_at(end.unwrap_or(number.len()));
        let is_time = number.len() >= 16 && number.contains('T') && number.contains('Z');
        if is_time || ["K-", "EV-", "S-"].iter().any(|id| before.ends_with(id)) {
            blanked.push('#');
        } else {
            blanked.push_str(number);
        }
        rest = after;
    }
    blanked + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_answer_that_cites_another_number_is_the_same_answer() {
        let with = |knowledge: &str| {
            let text = format!("as [{knowledge}] says\n").into_bytes();
            let hash = sha256(&text).unwrap();
            let name = format!("{}final.1.md", layout::REPORTS);
            let line =
                format!("{{\"type\":\"TASK_REVIEWED\",\"files\":{{\"{name}\":\"{hash}\"}}}}\n");
            meaning(
                &Files::from([(name, text), (layout::LOG.to_owned(), line.into_bytes())]),
                "done",
            )
        };
        assert_eq!(with("K-0001"), with("K-0002"));
        assert_ne!(with("K-0001"), with("nothing"));
    }

    #[test]
    fn times_and_given_numbers_are_blanked_and_nothing_else() {
        let line = r#"{"event_id":"EV-20260112T143000Z-0009","ts":"2026-01-12T14:30:00Z","task":"T-0001","k":["K-0009"],"n":12}"#;
        let blank = r##"{"event_id":"EV-#","ts":"#","task":"T-0001","k":["K-#"],"n":12}"##;
        assert_eq!(without_numbers(line), blank);
    }
}
