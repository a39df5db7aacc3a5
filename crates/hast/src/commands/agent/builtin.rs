//! The built-in agent, for the doctor: where it asks, whether there is a key, and what a local server
//! says of its model. One request to a model is made only if that was asked for.

use std::sync::Arc;

use hast_agent::builtin::client::window::{Local, local};
use hast_agent::builtin::client::{Message, Request, Service, ask};
use hast_agent::builtin::{service, window};
use hast_agent::tools::net::time::{Machine, Time};
use hast_flow::agents::presets::builtin::Builtin;
use hast_flow::agents::provider::Provider;
use hast_flow::words::Lang;
use hast_world::agents::Seen;
use hast_world::calls::variable;
use serde_json::{Value, json};

use super::doctor::{ROLES, Report};
use super::list::who;
use crate::agent_messages::say;
use crate::commands::calling::Project;

/// Says what is known of each model that a role would ask.
pub(super) fn look(report: &mut Report, project: &Project, seen: &[Seen], calls: bool, lang: Lang) {
    let named = project.config.roles.keys().map(String::as_str);
    let mut asked: Vec<(String, Builtin)> = Vec::new();
    for role in ROLES.iter().copied().chain(named) {
        for chosen in who(project, seen, role, None).unwrap_or_default() {
            if let Provider::Builtin(builtin) = chosen.provider
                && !asked.iter().any(|(_, known)| *known == builtin)
            {
                asked.push((chosen.name, builtin));
            }
        }
    }
    let listed: Vec<Value> = asked
        .iter()
        .map(|(name, builtin)| one(report, project, name, builtin, calls, lang))
        .collect();
    report.json("builtin", listed.into());
}

fn one(
    report: &mut Report,
    project: &Project,
    name: &str,
    builtin: &Builtin,
    calls: bool,
    lang: Lang,
) -> Value {
    let value = |name: &str| variable(&project.variables, name)?.to_str().map(str::to_owned);
    let (service, settings) = match service(builtin, &value, lang) {
        Ok(found) => found,
        Err(end) => {
            report.problem(format!("{name}: {}", end.text), say::builtin_page(lang));
            return json!({ "name": name, "ready": false });
        }
    };
    let time: Arc<dyn Time> = Arc::new(Machine::default());
    let key = match service.key {
        Some(_) => say::builtin_key(lang, builtin.key_env()),
        None => say::builtin_no_key(lang),
    };
    report.line(format!("{name}: {}, {key}", service.base));
    let server = local(&service, &time);
    if let Some(Local { kind, window, tools }) = &server {
        let window = window.map_or_else(|| "?".to_owned(), |window| window.to_string());
        report.line(format!("{name}: {}", say::builtin_server(lang, kind, window)));
        if *tools == Some(false) {
            let what = format!("{name}: {}", say::builtin_no_tools(lang, kind));
            report.problem(what, say::builtin_no_tools_next(lang));
        }
    }
    let fits = window(&service, &settings, 0, &time, lang);
    if let Err(end) = &fits {
        report.problem(format!("{name}: {}", end.text), say::builtin_page(lang));
    }
    let answered = calls.then(|| test_call(report, name, &service, &time, lang));
    json!({
        "name": name,
        "ready": fits.is_ok(),
        "address": service.base.to_string(),
        "key": builtin.key_env(),
        "key_set": service.key.is_some(),
        "server": server.as_ref().map(|server| server.kind),
        "window": server.as_ref().and_then(|server| server.window),
        "tools": server.as_ref().and_then(|server| server.tools),
        "answered": answered,
    })
}

/// One request for one token.
fn test_call(
    report: &mut Report,
    name: &str,
    service: &Service,
    time: &Arc<dyn Time>,
    lang: Lang,
) -> bool {
    let service = Service { max_output_tokens: Some(1), ..service.clone() };
    let messages = [Message::Asked("Say: yes".to_owned())];
    let request = Request { system: "Answer with one word.", tools: &[], messages: &messages };
    let tried = ask(&service, request, time);
    match tried.reply {
        Ok(_) => {
            let tokens = tried.usage.unwrap_or_default();
            let words = say::builtin_answers(lang, tokens.input, tokens.output);
            report.line(format!("{name}: {words}"));
            true
        }
        Err(failure) => {
            let what = say::builtin_silent(lang, name, &failure.text);
            report.problem(what, say::builtin_page(lang));
            false
        }
    }
}
