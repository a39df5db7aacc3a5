//! Agents on this machine: versions, signs of a login, and the abilities of the sandbox here. hast
//! tries all of them at once, with time limits.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hast_flow::agents::inspection::{Login, login_answer, login_question, login_signs, version_in};
use hast_flow::agents::presets::Preset;
use hast_flow::agents::provider::Provider;
use hast_flow::process::environment::{Pattern, filtered};
use hast_flow::process::exit::{Applied, Net};
use hast_flow::process::{CommandSpec, Limits, Sandbox, SandboxMode, Supervisor};

use crate::calls::homes::HomeState;
use crate::calls::{homes, variable};
use crate::files::{PathError, read_named};
use crate::programs;
use crate::supervisor::Guarded;

const LONGEST: Duration = Duration::from_secs(10);
/// A run waits no longer than this to hear that nobody is logged in.
const LONGEST_QUESTION: Duration = Duration::from_secs(5);
const MOST_SETTINGS: usize = 1 << 20;

/// A preset as it is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub preset: Preset,
    pub program: Option<PathBuf>,
    pub version: Version,
    pub login: Login,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    NotInstalled,
    Known(String),
    /// It is there, and did not say its version.
    Silent {
        why: String,
    },
}

/// All presets, asked for their versions side by side.
pub fn look(supervisor: &Guarded, variables: &[(OsString, OsString)]) -> Vec<Seen> {
    std::thread::scope(|scope| {
        let asked: Vec<_> = Preset::ALL
            .into_iter()
            .map(|preset| (preset, scope.spawn(move || one(supervisor, variables, preset))))
            .collect();
        let lost = |preset| Seen {
            preset,
            program: None,
            version: Version::NotInstalled,
            login: Login::CannotTell,
        };
        asked.into_iter().map(|(preset, seen)| seen.join().unwrap_or(lost(preset))).collect()
    })
}

fn one(supervisor: &Guarded, variables: &[(OsString, OsString)], preset: Preset) -> Seen {
    let path = variable(variables, "PATH").unwrap_or_default();
    let program = programs::find(preset.description().program, path);
    let login = login_of(supervisor, variables, preset);
    let version = match &program {
        None => Version::NotInstalled,
        Some(program) => version(supervisor, program, path),
    };
    Seen { preset, program, version, login }
}

/// Asked in an empty home of its own: several agents make their directories even for this.
fn version(supervisor: &Guarded, program: &Path, search: &OsStr) -> Version {
    let line = "HOME=\"$TMPDIR\" exec \"$0\" --version";
    let mut spec = CommandSpec::new("/bin/sh", "/").args(["-c", line]).args([program]);
    spec.env = [(OsString::from("PATH"), search.to_owned())].into();
    let ended = supervisor.run(&spec, &short(), &mut |_, _| ControlFlow::Continue(()));
    let text = [ended.stdout.text(), ended.stderr.text()].join("\n");
    match version_in(&text) {
        Some(version) if ended.exit.is_success() => Version::Known(version.to_owned()),
        _ => Version::Silent { why: ended.exit.what(hast_flow::words::Lang::En) },
    }
}

/// Whether somebody is logged in: by keys and files, else by what the program itself says.
pub fn login_of(supervisor: &Guarded, variables: &[(OsString, OsString)], preset: Preset) -> Login {
    let env = environment(preset, variables);
    match signs(preset, &env) {
        Login::CannotTell => ask(supervisor, preset, env),
        told => told,
    }
}

/// Asks the program where it can change nothing: several keep a file of every start in their home. Without a
/// whole sandbox it is not asked.
fn ask(supervisor: &Guarded, preset: Preset, env: BTreeMap<OsString, OsString>) -> Login {
    let path = env.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let program = programs::find(preset.description().program, &path);
    let (Some(question), Some(program)) = (login_question(preset), program) else {
        return Login::CannotTell;
    };
    let home = homes::paths(&Provider::Preset(preset), &env).into_iter().next();
    let settings = home.and_then(|home| read_named(&home.join("config.toml"), MOST_SETTINGS).ok());
    let settings = String::from_utf8_lossy(settings.as_deref().unwrap_or_default()).into_owned();
    let mut spec = CommandSpec::new(program, "/").args(question.args);
    spec.env = env;
    spec.sandbox = Sandbox {
        mode: SandboxMode::Enforce,
        writable: Vec::new(),
        closed: Vec::new(),
        hidden: Vec::new(),
        room: None,
    };
    let limits = Limits { timeout: LONGEST_QUESTION, ..short() };
    let ended = supervisor.run(&spec, &limits, &mut |_, _| ControlFlow::Continue(()));
    match login_answer(preset, &ended.stdout.text(), &settings) {
        Login::CannotTell => login_answer(preset, &ended.stderr.text(), &settings),
        told => told,
    }
}

/// Limits for a program that is asked something and ends.
fn short() -> Limits {
    Limits {
        timeout: LONGEST,
        grace: Duration::from_millis(500),
        stall: None,
        head: 8 << 10,
        tail: 0,
        flood: 1 << 20,
    }
}

fn signs(preset: Preset, env: &BTreeMap<OsString, OsString>) -> Login {
    let homes = homes::paths(&Provider::Preset(preset), env);
    let is_set = |name: &str| env.get(&OsString::from(name)).is_some_and(|value| !value.is_empty());
    let is_there = |home: usize, path: &str| {
        homes.get(home).is_some_and(|home| match path {
            "" => home.is_file(),
            path => home.join(path).is_file(),
        })
    };
    login_signs(preset).read(is_set, is_there)
}

/// The directories of a preset for this user, looked at and not changed.
pub fn homes_of(preset: Preset, variables: &[(OsString, OsString)]) -> Vec<HomeState> {
    homes::states(&Provider::Preset(preset), &environment(preset, variables))
}

/// Makes those that are not there.
pub fn make_homes(
    preset: Preset,
    variables: &[(OsString, OsString)],
) -> Result<Vec<PathBuf>, PathError> {
    homes::make(&Provider::Preset(preset), &environment(preset, variables))
}

/// What the agent would see of these variables.
fn environment(preset: Preset, variables: &[(OsString, OsString)]) -> BTreeMap<OsString, OsString> {
    let inherit = preset.description().inherit.iter();
    let wanted: Vec<Pattern> = inherit.filter_map(|text| text.parse().ok()).collect();
    filtered(variables.iter().cloned(), &wanted)
}

/// What the sandbox can do here: tried with a program that does nothing.
pub fn abilities(supervisor: &Guarded, temp: &Path) -> (Applied, Net) {
    let mut spec = CommandSpec::new("/bin/sh", "/").args(["-c", ":"]);
    spec.sandbox = Sandbox {
        mode: SandboxMode::Prefer,
        writable: vec![temp.to_owned()],
        closed: vec![temp.to_owned()],
        hidden: Vec::new(),
        room: None,
    };
    let limits = Limits { timeout: LONGEST, stall: None, ..Limits::default() };
    let ended = supervisor.run(&spec, &limits, &mut |_, _| ControlFlow::Continue(()));
    (ended.sandbox, ended.net)
}
