//! Which agent answers: the command line before the goal, the goal before the role, the role before
//! the environment, the environment before the configuration, and last what is installed.

use crate::agents::presets::Preset;
use crate::agents::problem::AgentProblem;
use crate::agents::provider::Provider;
use crate::docs::goals::Config;

/// Everything that has a say.
#[derive(Clone, Copy, Debug)]
pub struct Wishes<'a> {
    /// `--tool NAME`.
    pub flag: Option<&'a str>,
    /// `tool:` of a goal.
    pub unit: Option<&'a str>,
    pub role: &'a str,
    /// `HAST_AI_TOOL`.
    pub variable: Option<&'a str>,
    pub config: &'a Config,
    /// Presets whose programs are on the user's `PATH`.
    pub installed: &'a [Preset],
}

/// An agent, what it was called, and who asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub name: String,
    pub provider: Provider,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Flag,
    Unit,
    Role,
    Variable,
    Config,
    Installed,
    Fallback,
}

/// Roles are the same however people write them: `planner` is the session's `Planner`.
pub fn is_same_role(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

pub fn choose(wishes: Wishes<'_>) -> Result<Chosen, AgentProblem> {
    let Wishes { flag, unit, role, variable, config, installed } = wishes;
    if let Some(name) = flag {
        return named(name, config, Why::Flag);
    }
    if let Some(name) = unit {
        return named(name, config, Why::Unit);
    }
    let by_role = config.roles.iter().find(|(named, _)| is_same_role(named, role));
    if let Some(name) = config.roles.get(role).or(by_role.map(|(_, name)| name)) {
        return named(name, config, Why::Role);
    }
    if let Some(line) = variable.filter(|line| !line.trim().is_empty()) {
        return line_or_name(line, config, Why::Variable);
    }
    if let Some(line) = &config.ai_tool {
        return line_or_name(line, config, Why::Config);
    }
    match Preset::ALL.into_iter().find(|preset| installed.contains(preset)) {
        Some(preset) => {
            Ok(chosen(preset.description().name, Provider::Preset(preset), Why::Installed))
        }
        None => Err(AgentProblem::Empty),
    }
}

/// The agents to try when the first is limited or missing, in order, each once.
pub fn fallbacks(first: &Chosen, config: &Config) -> Result<Vec<Chosen>, AgentProblem> {
    let mut chain: Vec<Chosen> = Vec::new();
    for name in &config.fallback {
        let next = named(name, config, Why::Fallback)?;
        let known = |other: &Chosen| other.provider == next.provider;
        if !known(first) && !chain.iter().any(known) {
            chain.push(next);
        }
    }
    Ok(chain)
}

/// A name of `ai_tools`, then a preset, then a rehearsal; a command line has to be in `ai_tools`.
fn named(name: &str, config: &Config, why: Why) -> Result<Chosen, AgentProblem> {
    let name = name.trim();
    if let Some(line) = config.ai_tools.get(name) {
        return Ok(chosen(name, parsed(line, config)?, why));
    }
    match Preset::named(name) {
        Some(preset) => Ok(chosen(name, Provider::Preset(preset), why)),
        None if name.starts_with("rehearsal:") || name.starts_with("builtin:") => {
            Ok(chosen(name, parsed(name, config)?, why))
        }
        None => Err(AgentProblem::UnknownAgent { name: name.to_owned() }),
    }
}

fn line_or_name(line: &str, config: &Config, why: Why) -> Result<Chosen, AgentProblem> {
    match named(line, config, why) {
        Err(AgentProblem::UnknownAgent { .. }) => Ok(chosen(line, parsed(line, config)?, why)),
        other => other,
    }
}

/// A line, with what the configuration says of the agent that it names.
fn parsed(line: &str, config: &Config) -> Result<Provider, AgentProblem> {
    Ok(match Provider::parse(line)? {
        Provider::Builtin(builtin) => Provider::Builtin(builtin.configured(config)),
        other => other,
    })
}

fn chosen(name: &str, provider: Provider, why: Why) -> Chosen {
    Chosen { name: name.trim().to_owned(), provider, why }
}
