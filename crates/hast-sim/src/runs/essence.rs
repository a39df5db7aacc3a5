//! Parts of a run that must be equal at two ends: its own files byte for byte, its own rows and
//! events. Writes of other runs of the root may differ, and so may the numbers that they took.

use serde_json::Value;

use super::{OTHER, RUN};
use crate::flows::subject::Files;

pub(super) fn of_the_run(files: &Files, ending: &str) -> Files {
    let mut essence = Files::from([("(ending)".to_owned(), ending.as_bytes().to_vec())]);
    for (path, bytes) in files {
        let others = path.starts_with(".hast/") || path.contains(OTHER);
        let text = String::from_utf8_lossy(bytes);
        let own = text.lines().filter(|line| line.contains(RUN));
        match path.as_str() {
            _ if others => continue,
            "db/events.ndjson" => {
                let events: Vec<String> = own.map(event).collect();
                essence.insert(path.clone(), events.join("\n").into_bytes());
            }
            _ if path.starts_with("db/") && path != "db/templates/default_phases.md" => {
                let rows: Vec<&str> = own.map(without_number).collect();
                essence.insert(path.clone(), rows.join("\n").into_bytes());
            }
            _ => drop(essence.insert(path.clone(), bytes.clone())),
        }
    }
    essence
}

/// Which number an event and an instruction got, and who was the first to enter what people brought.
fn event(line: &str) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap_or_default();
    event["event_id"] = Value::Null;
    if let Some(detail) = event["detail"].as_object_mut() {
        detail.remove("instructions");
        detail.remove("files");
    }
    event.to_string()
}

/// The row of an instruction without its id.
fn without_number(row: &str) -> &str {
    let rest = row.strip_prefix("| I-").and_then(|rest| rest.split_once('|'));
    rest.map_or(row, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_runs_rows_are_no_part_of_it_and_a_row_of_its_own_is() {
        let files =
            |rows: &str| Files::from([("db/process_runs.md".to_owned(), rows.as_bytes().to_vec())]);
        let own = format!("| {RUN} | x | PENDING |\n");
        let alone = of_the_run(&files(&own), "done");
        let both = of_the_run(&files(&format!("{own}| {OTHER} | x | PENDING |\n")), "done");
        assert_eq!(alone, both);
        assert_ne!(alone, of_the_run(&files(&own.replace("PENDING", "FAILED")), "done"));
        assert_ne!(alone, of_the_run(&files(&own), "failed"));
    }
}
