//! Numbers of the goals flow's logs that do not count on: a line that was damaged, put in or taken out by
//! hand. Warnings: people may edit and merge these logs.

use hast_flow::docs::goals::GoalViews;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::queue::desk;
use hast_flow::formats::diagnostic::{Diagnostic, Finding};
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::EventId;
use hast_world::log_lines::each_line;
use hast_world::root_path::RootPath;
use serde::Deserialize;

use super::goals_history;
use super::verify::shown_path;
use crate::app::App;
use crate::ops_messages::say;

#[derive(Deserialize)]
struct Numbered {
    event_id: EventId,
}

/// A warning for each number that jumps; what else is wrong with a line is told when it is checked.
pub(crate) fn jumps(app: &App, root: &RootPath) -> Vec<Diagnostic> {
    let queue = root.join(layout::DIRECTORY).join("queue").join(desk::LOG);
    let mut found = Vec::new();
    for path in [goals_history::log(root), queue] {
        let name = shown_path(app, &path);
        // Where segments went to the archive, the log goes on from there.
        let archive = path.parent().map(|above| above.join("archive"));
        let archive = archive.and_then(|archive| archive.names().ok()).unwrap_or_default();
        let (mut line, mut last) = (0_u64, archive.is_empty().then_some(0));
        // The number of a line that cannot be read is missing, and rightly so.
        let mut missing = 0;
        let read = each_line(&path, 0, &mut |text| {
            line += 1;
            let Ok(Numbered { event_id }) = serde_json::from_slice(text) else {
                missing += u64::from(!text.trim_ascii().is_empty());
                return;
            };
            let number = event_id.number();
            if let Some(last) = last.filter(|last| number > last + 1 + missing) {
                let detail = say::number_jumps(app.lang, line, last, number);
                found.push(Diagnostic::of_file(&name, Finding::Custom { detail }).warning());
            }
            (last, missing) = (last.max(Some(number)), 0);
        });
        // A log that cannot be read is told when it is checked.
        drop(read);
        if let (true, Some(last)) = (path == goals_history::log(root), last) {
            found.extend(views_ahead(app, root, &name, last));
        }
    }
    found
}

/// The views were made from the log, so they cannot know more than it does.
fn views_ahead(app: &App, root: &RootPath, log: &str, last: u64) -> Option<Diagnostic> {
    let path = root.join(goals_history::VIEWS);
    let bytes = path.read_if_there(MAX_DOCUMENT_BYTES).ok().flatten()?;
    let views: GoalViews = serde_json::from_slice(&bytes).ok()?;
    let id = views.log.last_event_id?;
    let known = id.parse::<EventId>().ok().filter(|known| known.number() > last)?;
    let finding = Finding::Contradicts { other: log.to_owned(), detail: known.to_string() };
    Some(Diagnostic::of_file(&shown_path(app, &path), finding).warning())
}
