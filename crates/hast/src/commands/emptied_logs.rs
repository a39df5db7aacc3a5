//! Logs that were emptied or lost, of every flow: what each file says alone, or against another, is not
//! enough where the log has no line left to disagree.

use hast_flow::docs::files::FlowName;
use hast_flow::flows::{contract, goals, kernel, run, session};
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::logged::emptied;
use hast_world::root_path::RootPath;

use super::goals_history;
use super::verify::shown_path;
use crate::app::App;

/// More of a log is not needed to see that it has lines.
const ENOUGH: usize = 256 << 20;

/// A finding for each log of a flow that has no line although steps of it were ended.
pub(crate) fn of_flow(app: &App, flow: FlowName, root: &RootPath) -> Vec<Diagnostic> {
    let below = |path: &str| root.join(path);
    match flow {
        FlowName::Goals => {
            let documents = below(goals::layout::DIRECTORY);
            of_log(app, &documents, &goals_history::log(root)).into_iter().collect()
        }
        FlowName::Session => {
            let places = super::session::all(root);
            let places = places.iter().map(|id| super::session::directory(root, id));
            places
                .filter_map(|place| of_log(app, &place, &place.join(session::layout::LOG)))
                .collect()
        }
        FlowName::Run => of_log(app, root, &below(run::layout::LOG)).into_iter().collect(),
        FlowName::Kernel => {
            let documents = below(flow.marker());
            of_log(app, &documents, &documents.join(kernel::layout::LOG)).into_iter().collect()
        }
        FlowName::Contract => {
            let documents = below(flow.marker());
            of_log(app, &documents, &documents.join(contract::layout::LOG)).into_iter().collect()
        }
    }
}

fn of_log(app: &App, documents: &RootPath, log: &RootPath) -> Option<Diagnostic> {
    // What was archived is history, too.
    if log
        .parent()
        .is_some_and(|above| above.join("archive").names().is_ok_and(|names| !names.is_empty()))
    {
        return None;
    }
    let read = |path: &RootPath| path.read_if_there(ENOUGH).ok().flatten().unwrap_or_default();
    let (log, steps) = (log.clone(), documents.join(".hast/steps.ndjson"));
    let (shown_log, shown_steps) = (shown_path(app, &log), shown_path(app, &steps));
    emptied(&shown_log, &read(&log), &shown_steps, &read(&steps))
}
