//! `hast trust`: shows the commands that a repository brings, and approves them.

use hast_world::trust::NotTrusted;
use serde_json::{Map, Value, json};

use super::calling::{approvals, asks, commands, not_kept, project, says_yes, show_commands};
use super::verify::flows_here;
use crate::agent_messages::say;
use crate::app::App;
use crate::cli::TrustArgs;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: TrustArgs) -> Result<Exit, Problem> {
    if flows_here(app)?.is_empty() {
        let (what, next) = (
            common::nothing_here(app.lang),
            common::nothing_here_next(app.lang, app.here().display()),
        );
        return Err(Problem::new(what, next));
    }
    let project = project(app)?;
    let commands = commands(&project);
    let approvals = approvals(app, &project)?;
    let lang = app.lang;
    let doubt = match approvals.judge_stored(&commands) {
        Ok(_) => None,
        Err(NotTrusted::Doubt(doubt)) => Some(doubt),
        Err(why) => return Err(not_kept(lang, &why)),
    };
    if !app.json && !commands.is_empty() && !app.quiet {
        show_commands(app, &approvals, &commands, doubt.as_ref());
    }
    let approved = match &doubt {
        None => true,
        Some(_) => args.yes || (asks(app) && says_yes(app)),
    };
    if doubt.is_some() && approved {
        let _ = approvals.approve(&commands).map_err(|why| not_kept(lang, &why))?;
    }
    if app.json {
        let listed: Map<String, Value> =
            commands.iter().map(|(field, command)| (field.to_owned(), command.into())).collect();
        let repository = approvals.repository().display().to_string();
        app.print_json(&json!({
            "repository": repository, "commands": listed, "approved": approved,
        }))?;
        return Ok(if approved { Exit::Done } else { Exit::Failed });
    }
    if !approved {
        return Err(Problem::new(say::trust_refused(lang), say::trust_refused_next(lang)));
    }
    let told = match (commands.is_empty(), doubt) {
        (true, _) => say::trust_none(lang),
        (false, None) => say::trust_already(lang),
        (false, Some(_)) => say::trust_approved(lang),
    };
    app.print(&(told + "\n"))?;
    Ok(Exit::Done)
}
