//! Consistency checks that are common to all flows' documents: logs can be read, steps end once,
//! and roles keep to their places.

use std::collections::BTreeSet;

use hast_flow::formats::ndjson;
use hast_flow::step_log::{StepLine, StepState};
use hast_flow::steps::Commit;

use super::subject::Files;

/// The lines of a log, and how many of them nobody can read.
pub(crate) fn log<T: serde::de::DeserializeOwned>(files: &Files, path: &str) -> (Vec<T>, usize) {
    let bytes = files.get(path).map_or(&[][..], Vec::as_slice);
    let (values, bad) = ndjson::read(path, bytes);
    (values, bad.len())
}

/// Numbers of a log that are used once, in their order.
pub(crate) fn numbers_grow(numbers: &[u64], bad_lines: usize) -> Result<(), String> {
    if bad_lines > 0 {
        return Err(format!("{bad_lines} bad lines in the log"));
    }
    if numbers.is_sorted_by(|a, b| a < b) {
        Ok(())
    } else {
        Err("event ids do not grow".to_owned())
    }
}

/// A step that has ended is not done again, but for those that are allowed to.
pub(crate) fn steps_end_once(
    files: &Files,
    may_again: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let (lines, _) = log::<StepLine>(files, ".hast/steps.ndjson");
    let mut ended = BTreeSet::new();
    for line in lines.into_iter().filter(|line| line.state == StepState::Finished) {
        if !ended.insert(line.step.clone()) && !may_again(line.step.as_str()) {
            return Err(format!("{} ended twice", line.step));
        }
    }
    Ok(())
}

/// A role wrote only to its own places and to those that everybody may add to. A place that ends
/// with a slash is everything below it.
pub(crate) fn keeps_to(commit: &Commit, own: &[&str], riders: &[&str]) -> Result<(), String> {
    let places = || own.iter().chain(riders);
    let within = |path: &str, place: &str| {
        path == place || (place.ends_with('/') && path.starts_with(place))
    };
    let mut paths = commit.puts.iter().map(|put| put.path().as_str());
    match paths.find(|path| !places().any(|place| within(path, place))) {
        Some(path) => Err(format!("{} wrote {path}", commit.role)),
        None => Ok(()),
    }
}
