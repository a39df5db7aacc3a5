//! The contract flow: requests that stopped. Approving takes one up again, rejecting leaves it as it is,
//! putting off keeps it in the list.

use hast_flow::docs::files::FlowName;
use hast_flow::flows::contract::inbox::{OVERTAKEN, RESUMED};
use hast_flow::inbox::{Item, ItemState, Refused};
use hast_flow::words::Lang;
use hast_world::root_path::RootPath;

use super::{Decision, Source, refusal};
use crate::app::App;
use crate::commands::contract::deciding;
use crate::contract_messages::say;
use crate::problem::Problem;

pub(super) struct Contract;

impl Source for Contract {
    fn flow(&self) -> FlowName {
        FlowName::Contract
    }

    fn items(&self, app: &App, root: &RootPath) -> Result<Vec<Item>, Problem> {
        let items = deciding::items(root)
            .map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
        Ok(items.into_iter().map(|item| shown(app.lang, item)).collect())
    }

    fn act(&self, app: &mut App, decision: &Decision<'_>) -> Result<String, Problem> {
        let Decision { root, item, deed, .. } = decision;
        let Ok(request) = item.unit.parse() else {
            return Err(refusal(app, item.id.as_str(), &Refused::Unknown));
        };
        deciding::decide(app, root.clone(), request, item, deed)
    }
}

/// An item as people read it, with what they can do.
fn shown(lang: Lang, mut item: Item) -> Item {
    if item.is_open() {
        let commands =
            ["show", "resume"].map(|verb| format!("$ hast contract {verb} {}", item.unit));
        item.evidence.extend(commands);
    }
    if let ItemState::Resolved { why, .. } = &mut item.state {
        match why.as_str() {
            RESUMED => *why = say::was_resumed(lang),
            OVERTAKEN => *why = say::was_overtaken(lang),
            _ => {}
        }
    }
    item
}
