//! `hast protocol export`: claims a goal and prints it as a packet.

use hast_flow::flows::goals::auto::packets::export::ExportFlow;
use hast_flow::flows::goals::queue::Ask;
use hast_flow::ids::BadId;
use serde_json::json;

use super::{drive, settings};
use crate::app::{self, App};
use crate::commands::goals_files::repository_root;
use crate::commands::{calling, driving, queue};
use crate::messages::say as common;
use crate::problem::{Exit, Problem};
use crate::protocol_cli::ExportArgs;
use crate::protocol_messages::say;

pub(super) fn run(app: &mut App, args: &ExportArgs) -> Result<Exit, Problem> {
    let lang = app.lang;
    if args.worker.as_deref().is_some_and(|worker| worker.trim().is_empty()) {
        return Err(Problem::usage(say::empty_worker(lang), say::empty_worker_next(lang)));
    }
    let root = repository_root(app)?;
    let project = calling::project_at(app, root.clone())?;
    let settings = settings(app, &project)?;
    let fresh = app::ids(app.lang)?.uuid().simple().to_string();
    let own_name = || format!("protocol-{}", &fresh[..12]);
    let ask = Ask {
        worker: args.worker.clone().unwrap_or_else(own_name),
        role: args.role.map(crate::queue_cli::RoleArg::lane),
        goal: args.goal.clone(),
        time: queue::minutes(args.ttl),
        idempotency_key: None,
    };
    let claim = queue::take(app, &root, &ask)?;
    // One claim, one packet.
    let packet = format!("PKT_{}", claim.claim_id.trim_start_matches("QCLM_"));
    let packet = packet.parse().map_err(|error: BadId| {
        let next = common::internal_next(app.lang);
        Problem::new(common::internal(app.lang), next).because(error.to_string())
    })?;
    let adapter = args.adapter.adapter();
    let flow = ExportFlow { packet, adapter, claim, settings };
    let driven = drive(app, &root, &flow, None, |view| view.task.clone());
    let task = driven.and_then(|(ending, task)| match driving::meaning(app.lang, &ending) {
        Some(problem) => Err(problem),
        None => Ok(task),
    });
    match task {
        Ok(task) => {
            // The packet is the result, whoever asks.
            app.print_json(&json!(task))?;
            Ok(Exit::Done)
        }
        Err(problem) => {
            queue::give_back(app, &root, &flow.claim);
            Err(problem)
        }
    }
}
