//! Inbox items of the contract flow, and the effect of a decision about one of them.

use hast_flow::docs::contract::ContractEvent;
use hast_flow::flows::contract::inbox::fold;
use hast_flow::flows::contract::{Asked, layout};
use hast_flow::ids::RequestId;
use hast_flow::inbox::{Deed, Inbox, Item};
use hast_flow::steps::Ending;
use hast_flow::trust::Commands;
use hast_world::files::PathError;
use hast_world::log_lines::each_line;
use hast_world::root_path::RootPath;

use super::eyes::ContractEyes;
use super::{go, store};
use crate::app::App;
use crate::commands::{calling, driving};
use crate::problem::Problem;

/// What waits below a root, and what is remembered.
pub(crate) fn items(root: &RootPath) -> Result<Vec<Item>, PathError> {
    let mut events: Vec<ContractEvent> = Vec::new();
    each_line(&store(root).join(layout::LOG), 0, &mut |line| {
        events.extend(serde_json::from_slice(line).ok());
    })?;
    let mut inbox = Inbox::default();
    fold(events.iter()).iter().for_each(|event| inbox.apply(event));
    Ok(inbox.items().cloned().collect())
}

/// Writes a decision about a stopped request down, and says what came of it.
pub(crate) fn decide(
    app: &mut App,
    root: RootPath,
    id: RequestId,
    item: &Item,
    deed: &Deed,
) -> Result<String, Problem> {
    let project = calling::project_at(app, root)?;
    // Deciding starts nobody, so there is nothing to approve.
    let trusted = calling::trusted(app, &project, &Commands::default())?;
    let mut eyes = ContractEyes::new(app.lang);
    let asked = Asked::Decide { id, item: item.id.clone(), deed: deed.clone() };
    let driven = go(app, &project, asked, None, trusted, &mut eyes)?;
    match (driving::meaning(app.lang, &driven.ending), driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, Ending::Done(notice)) => Ok(notice.what),
        (None, _) => Ok(String::new()),
    }
}
