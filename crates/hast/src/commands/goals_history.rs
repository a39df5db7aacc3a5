//! The log of the goals flow as it is now: what was written down of it, and what came since.

use hast_flow::docs::goals::GoalViews;
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::replay::Replay;
use hast_flow::formats::json;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::inbox::Item;
use hast_world::derived_files::{NotPut, put_again};
use hast_world::files::PathError;
use hast_world::log_lines::{each_line, line_before_has};
use hast_world::root_path::RootPath;
use serde::de::DeserializeOwned;

pub(crate) const VIEWS: &str = ".ai/state/goal_views.json";
pub(crate) const INBOX: &str = ".ai/state/inbox.json";

/// The file that events are appended to.
pub(crate) fn log(root: &RootPath) -> RootPath {
    root.join(layout::DIRECTORY).join(auto_layout::EVENTS)
}

/// Every file of the log, archived ones first.
pub(crate) fn files(root: &RootPath) -> Result<Vec<RootPath>, PathError> {
    let archive = root.join(layout::DIRECTORY).join("events/archive");
    let mut archived = archive.names()?;
    archived.retain(|name| name.ends_with(".ndjson"));
    archived.sort();
    let archived = archived.into_iter().map(|name| archive.join(name));
    Ok(archived.chain([log(root)]).collect())
}

/// The log from its first line.
pub(crate) fn whole(root: &RootPath) -> Result<Replay, PathError> {
    let mut replay = Replay::default();
    for file in files(root)? {
        replay.next_file();
        each_line(&file, 0, &mut |line| replay.line(line))?;
    }
    Ok(replay)
}

/// The same, from what was written down as far as that fits.
pub(crate) fn now(root: &RootPath) -> Result<Replay, PathError> {
    match written_down(root)? {
        Some(mut replay) => {
            catch_up(root, &mut replay)?;
            Ok(replay)
        }
        None => whole(root),
    }
}

/// Takes in what came since.
pub(crate) fn catch_up(root: &RootPath, replay: &mut Replay) -> Result<(), PathError> {
    let from = replay.bytes();
    each_line(&log(root), from, &mut |line| replay.line(line))?;
    Ok(())
}

fn written_down(root: &RootPath) -> Result<Option<Replay>, PathError> {
    let views: Option<GoalViews> = parsed(&root.join(VIEWS))?;
    let items: Option<Vec<Item>> = parsed(&root.join(INBOX))?;
    let (Some(views), Some(items)) = (views, items) else { return Ok(None) };
    let Some(last) = views.log.last_event_id.clone() else { return Ok(None) };
    // A log that was archived, or is another one, is read from its beginning.
    let fits = line_before_has(&log(root), views.log.bytes, &last)?;
    Ok(fits.then(|| Replay::resume(views, items)))
}

fn parsed<T: DeserializeOwned>(path: &RootPath) -> Result<Option<T>, PathError> {
    let bytes = path.read_if_there(MAX_DOCUMENT_BYTES)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Writes the views down. Whoever deletes them loses nothing but the time to make them again.
pub(crate) fn write(root: &RootPath, replay: &Replay) -> Result<(), NotPut> {
    let items: Vec<&Item> = replay.inbox().items().collect();
    // The views last: they say how far both were read.
    for (path, text) in [(INBOX, json::print(&items)), (VIEWS, json::print(&replay.views()))] {
        put_again(&root.join(path), text.unwrap_or_default().as_bytes())?;
    }
    Ok(())
}
