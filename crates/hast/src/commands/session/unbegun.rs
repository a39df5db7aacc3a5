//! Directories of starts that were killed before their first commit: no session is in them.

use hast_flow::ids::SessionId;
use hast_flow::time::UtcTime;
use hast_world::root_path::RootPath;
use jiff::SignedDuration;

use super::{directory, is_written, named, recover_begun};
use crate::app::App;
use crate::commands::{driving, opening};
use crate::problem::Problem;

/// A start that is younger than this may be on its way.
const YOUNG: SignedDuration = SignedDuration::from_mins(1);
/// The directory of hast's own files.
const OWN: &str = ".hast";

/// Removes the directories in which no start has got as far as a document. What a killed start had committed
/// becomes its session first.
pub(super) fn remove(app: &App, root: &RootPath) -> Result<(), Problem> {
    recover_begun(app, root)?;
    let now = app.clock.now();
    let is_old = |id: &SessionId| {
        let young = now.saturating_sub(YOUNG).unwrap_or(now);
        SessionId::at(UtcTime::new(young)).as_str() > id.as_str()
    };
    for id in named(root).filter(|id| !is_written(root, id) && is_old(id)) {
        let place = directory(root, &id);
        if !is_empty(&place) || !opening::is_at_rest(app, &place) {
            continue;
        }
        // Whoever has the lock begins there just now.
        if let Ok(_lock) = driving::lock_of(app.lang, &place, id.as_str()) {
            // One that stays does no harm.
            let _ = place.remove_directory();
        }
    }
    Ok(())
}

/// Whether nothing is there but hast's own files.
fn is_empty(place: &RootPath) -> bool {
    place.names().is_ok_and(|names| names.iter().all(|name| name == OWN))
}
