//! `hast agent doctor`: whether a call would work here, and if not, what to do about it.

use std::collections::BTreeSet;

use hast_flow::agents::choice::is_same_role;
use hast_flow::agents::inspection::{Login, denied, denied_next};
use hast_flow::attempt::rooms::RoomAbility;
use hast_flow::docs::goals::SandboxMode;
use hast_flow::process::environment::Pattern;
use hast_flow::process::exit::{Applied, Net};
use hast_flow::words::{Lang, visible};
use hast_world::agents::{Seen, Version, abilities, look};
use hast_world::calls::variable;
use hast_world::programs::{Missing, missing};
use hast_world::roots::temporary;
use hast_world::supervisor::Guarded;
use hast_world::trust::NotTrusted;
use serde_json::{Value, json};

use super::list::{who, why_text, why_word};
use super::{builtin, homes, limits};
use crate::agent_messages::say;
use crate::app::App;
use crate::commands::auto::effects::{
    refused_grants, room_ability, rooms_here, rooms_json, rooms_line,
};
use crate::commands::calling::{
    Project, approvals, bare_variable, commands, project, supervisor, told_missing,
    warn_of_variable,
};
use crate::commands::goals_files::show;
use crate::ops_cli::DoctorArgs;
use crate::problem::{Exit, Problem, diagnostic_json};

/// Roles that a doctor asks about besides those that the settings name.
pub(super) const ROLES: &[&str] = &["worker", "planner", "executor", "critic"];

/// What was found, and what is wrong.
#[derive(Default)]
pub(super) struct Report {
    pub(super) lines: Vec<String>,
    problems: Vec<(String, String)>,
    json: serde_json::Map<String, Value>,
}

impl Report {
    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(super) fn json(&mut self, name: &str, value: Value) {
        self.json.insert(name.to_owned(), value);
    }

    pub(super) fn problem(&mut self, what: String, next: String) {
        self.problems.push((what, next));
    }
}

pub(crate) fn run(app: &mut App, args: DoctorArgs) -> Result<Exit, Problem> {
    let project = project(app)?;
    let lang = app.lang;
    let (guarded, _signals) = supervisor(lang)?;
    let seen = look(&guarded, &project.variables);
    let (applied, net) = abilities(&guarded, &temporary());
    let mut report = Report::default();
    if args.fix {
        homes::make(&mut report, &project, &seen, lang);
    }
    agents(&mut report, &project, &seen, lang);
    homes::look(&mut report, &project, &seen, lang);
    builtin::look(&mut report, &project, &seen, args.call, lang);
    sandbox(&mut report, &project, &applied, net, lang);
    rooms(&mut report, &project, &guarded, lang);
    settings(&mut report, &project, lang);
    limited(app, &mut report, &project)?;
    roles(&mut report, &project, &seen, lang);
    trust(app, &mut report, &project)?;
    let exit = if report.problems.is_empty() { Exit::Done } else { Exit::Failed };
    if app.json {
        let problems: Vec<Value> = report
            .problems
            .iter()
            .map(|(what, next)| json!({ "what": what, "next": next }))
            .collect();
        report.json.insert("problems".to_owned(), problems.into());
        report.json.insert("warnings".to_owned(), warnings(&project, lang).into());
        app.print_json(&Value::Object(report.json))?;
        return Ok(exit);
    }
    show(app, &project.warnings);
    warn_of_variable(app, &project);
    let text: String = report.lines.iter().map(|line| format!("{}\n", visible(line))).collect();
    app.print(&text)?;
    for (what, next) in report.problems {
        let problem = Problem::new(what, next);
        app.output.message(&problem.text(lang, &app.output.message_renderer()));
    }
    Ok(exit)
}

/// What works and is not as it should be, for programs.
fn warnings(project: &Project, lang: Lang) -> Vec<Value> {
    let found = project.warnings.iter().map(|found| diagnostic_json(found, lang));
    let variable = bare_variable(project).map(|rights| {
        let (problem, next) = (rights.what(lang), rights.next(lang));
        json!({ "file": "HAST_AI_TOOL", "code": "no_rights", "problem": problem, "next": next })
    });
    found.chain(variable).collect()
}

fn agents(report: &mut Report, project: &Project, seen: &[Seen], lang: Lang) {
    let mut listed = Vec::new();
    let asked = homes::asked(project, seen);
    for Seen { preset, program, version, login } in seen {
        let name = preset.description().name;
        let (word, login) = match login {
            Login::Seen => ("seen", say::logged_in(lang)),
            Login::NotSeen => ("not_seen", say::not_logged_in(lang)),
            Login::Denied => ("denied", say::login_denied_short(lang)),
            Login::CannotTell => ("unknown", say::login_unknown(lang)),
        };
        let (known, shown) = match version {
            Version::NotInstalled => (None, say::not_installed(lang)),
            Version::Known(version) => (Some(version), format!("{version}, {login}")),
            Version::Silent { why } => (None, format!("{} ({why})", say::no_version(lang))),
        };
        report.lines.push(format!("{name}: {shown}"));
        if word == "denied" && asked.contains(preset) {
            let (what, next) = (denied(*preset, lang), denied_next(*preset, lang));
            report.problem(what, next);
        }
        listed.push(json!({
            "name": name,
            "path": program.as_ref().map(|path| path.display().to_string()),
            "version": known,
            "login": word,
            "homes": homes::json(project, *preset),
        }));
    }
    report.json.insert("agents".to_owned(), listed.into());
}

fn sandbox(report: &mut Report, project: &Project, applied: &Applied, net: Net, lang: Lang) {
    let (word, line) = match applied {
        Applied::Whole { abi } => ("whole", say::sandbox_whole(lang, abi)),
        Applied::Partly { .. } => {
            ("partly", say::sandbox_partly(lang, applied.notice(lang).unwrap_or_default()))
        }
        Applied::Unavailable { .. } => {
            ("unavailable", say::sandbox_partly(lang, applied.notice(lang).unwrap_or_default()))
        }
        Applied::Off => ("off", say::sandbox_off(lang)),
    };
    report.lines.push(line);
    report.lines.push(match net {
        Net::Namespace => say::net_namespace(lang),
        Net::Subreaper => say::net_subreaper(lang),
    });
    let net = match net {
        Net::Namespace => "namespace",
        Net::Subreaper => "subreaper",
    };
    report.json.insert("sandbox".to_owned(), json!({ "state": word, "processes": net }));
    let whole = matches!(applied, Applied::Whole { .. });
    if project.config.sandbox == Some(SandboxMode::Enforce) && !whole {
        report.problem(say::enforce_missing(lang), say::write_setting(lang, "sandbox: prefer"));
    }
}

/// Where agents would see their room; nothing outside of a repository.
fn rooms(report: &mut Report, project: &Project, supervisor: &Guarded, lang: Lang) {
    let Project { root, config, variables, .. } = project;
    for grant in refused_grants(root, config, variables) {
        report.problem(grant.what(lang), grant.next(lang));
    }
    let Ok(ability) = room_ability(supervisor, root, config, variables, lang) else { return };
    let (word, why) = match &ability {
        RoomAbility::SamePath => ("same_path", None),
        RoomAbility::OwnPath(why) => ("own_path", Some(why.what(lang))),
    };
    report.lines.push(match &why {
        None => say::rooms_same_path(lang),
        Some(why) => say::rooms_own_path(lang, why),
    });
    let found = rooms_here(root, variables).unwrap_or_default();
    report.lines.extend(rooms_line(&found, lang));
    report.json.insert("rooms".to_owned(), json!({ "kind": word, "why": why }));
    report.json.insert("rooms_on_disk".to_owned(), rooms_json(&found));
}

fn settings(report: &mut Report, project: &Project, lang: Lang) {
    let path = project.config_file.as_ref().map(|(path, _)| path.display().to_string());
    report.lines.push(match &path {
        Some(path) => say::settings_at(lang, path),
        None => say::settings_none(lang),
    });
    report.json.insert("settings".to_owned(), json!(path));
    for text in &project.config.env {
        if text.parse::<Pattern>().is_err() {
            report.problem(
                say::bad_env(lang, text),
                say::write_setting(lang, "env: [NAME, PREFIX_*]"),
            );
        }
    }
}

/// Agents that refuse; that passes by itself.
fn limited(app: &App, report: &mut Report, project: &Project) -> Result<(), Problem> {
    let known = limits::known(app, &project.machine)?;
    report.lines.extend(limits::lines(app, &known));
    report.json.insert("limits".to_owned(), limits::as_json(&known));
    Ok(())
}

fn roles(report: &mut Report, project: &Project, seen: &[Seen], lang: Lang) {
    let named = project.config.roles.keys().map(String::as_str);
    let named = named.filter(|one| !ROLES.iter().any(|role| is_same_role(role, one)));
    let names: BTreeSet<&str> = ROLES.iter().copied().chain(named).collect();
    let search = variable(&project.variables, "PATH").unwrap_or_default();
    let mut listed = serde_json::Map::new();
    // Several roles that one thing stands in the way of are told of once.
    let mut causes: Vec<((String, String), Vec<&str>)> = Vec::new();
    let mut cause = |role, told| match causes.iter_mut().find(|(known, _)| *known == told) {
        Some((_, roles)) => roles.push(role),
        None => causes.push((told, vec![role])),
    };
    for role in names {
        match who(project, seen, role, None) {
            Ok(chain) => {
                let shown: Vec<String> = chain
                    .iter()
                    .map(|chosen| format!("{} ({})", chosen.name, why_text(lang, chosen.why)))
                    .collect();
                report.lines.push(say::role_agent(lang, role, shown.join(", ")));
                let gone: Vec<Option<Missing>> = chain
                    .iter()
                    .map(|chosen| missing(&chosen.provider, &project.root, search))
                    .collect();
                let chain_json = chain.iter().zip(&gone).map(|(chosen, gone)| {
                    let (why, there) = (why_word(chosen.why), gone.is_none());
                    json!({ "name": chosen.name, "why": why, "installed": there })
                });
                let chain_json: Vec<Value> = chain_json.collect();
                if let (Some(Some(first)), true) = (gone.first(), gone.iter().all(Option::is_some))
                {
                    cause(role, told_missing(lang, first));
                }
                listed.insert(role.to_owned(), chain_json.into());
            }
            Err(problem) => cause(role, (problem.what(lang), problem.next(lang))),
        }
    }
    for ((what, next), roles) in causes {
        report.problem(say::role_problem(lang, roles.join(", "), what), next);
    }
    report.json.insert("roles".to_owned(), Value::Object(listed));
}

fn trust(app: &App, report: &mut Report, project: &Project) -> Result<(), Problem> {
    let judged = approvals(app, project)?.judge(&commands(project));
    let trusted = match &judged {
        Ok(_) => true,
        Err(NotTrusted::Doubt(_) | NotTrusted::NoPlace | NotTrusted::Io(_)) => false,
    };
    report.json.insert("trusted".to_owned(), trusted.into());
    if !trusted {
        report.problem(say::not_trusted(app.lang), say::not_trusted_next(app.lang));
    }
    Ok(())
}
