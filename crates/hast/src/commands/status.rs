//! `hast status`: all flows found here, at a glance.

use hast_flow::time::UtcTime;
use hast_flow::words::visible;
use serde_json::json;

use super::verify::{Report, check_flow, flows_here};
use crate::app::App;
use crate::messages::say;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App) -> Result<Exit, Problem> {
    let mut flows = Vec::new();
    for (flow, root) in flows_here(app) {
        let mut report = Report::default();
        check_flow(app, flow, &root, &mut report);
        flows.push((flow, root, report));
    }
    if app.json {
        let at = UtcTime::new(app.clock.now()).to_string();
        let flows: Vec<_> = flows
            .iter()
            .map(|(flow, root, report)| {
                json!({
                    "flow": flow.as_str(),
                    "root": root.display().to_string(),
                    "documents": report.files,
                    "errors": report.errors,
                    "warnings": report.warnings,
                })
            })
            .collect();
        app.print_json(&json!({ "at": at, "flows": flows }))?;
        return Ok(Exit::Done);
    }
    if flows.is_empty() {
        let next = say::nothing_here_next(app.lang, app.here().display());
        app.print(&format!("{}\n{}: {next}\n", say::nothing_here(app.lang), say::next(app.lang)))?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    let mut broken = false;
    for (flow, root, report) in &flows {
        let state = say::flow_state(app.lang, report.files, report.errors, report.warnings);
        let root = root.display().to_string();
        text += &format!("{:<9} {}  {state}\n", flow.as_str(), visible(&root));
        broken |= report.findings() > 0;
    }
    if broken {
        text += &format!("{}: {}\n", say::next(app.lang), say::run_verify(app.lang));
    }
    app.print(&text)?;
    Ok(Exit::Done)
}
