//! The scratch repository of a demo. What the user has set for all of their repositories (signatures, hooks,
//! templates, line ends, ignored files) does not count in it: it has settings of its own for all of that.

use std::path::Path;
use std::time::Duration;

use hast_flow::process::environment::filtered;
use hast_flow::process::exit::Exit as Ended;
use hast_flow::process::{CommandSpec, Limits, Supervisor};
use hast_flow::words::Lang;
use hast_world::roots::temporary;
use hast_world::supervisor::Guarded;

use crate::auto_messages::say;
use crate::problem::Problem;

/// Said in the repository, where it outweighs what the user's own files say: the git of the run and of
/// the agent reads those.
const SETTINGS: &[(&str, &str)] = &[
    ("user.name", "hast demo"),
    ("user.email", "demo@localhost"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("tag.forceSignAnnotated", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.autocrlf", "false"),
    ("core.safecrlf", "false"),
    ("core.eol", "lf"),
    ("core.excludesFile", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.sparseCheckout", "false"),
    ("core.quotePath", "true"),
    ("index.version", "2"),
    ("i18n.commitEncoding", "utf-8"),
    ("gc.auto", "0"),
];

/// A repository of everything that is there.
pub(super) fn commit_all(lang: Lang, directory: &Path, message: &str) -> Result<(), Problem> {
    let problem = || Problem::new(say::demo_no_git(lang), say::demo_no_git_next(lang));
    let supervisor =
        Guarded::new(temporary()).map_err(|error| problem().because(error.to_string()))?;
    let init = vec!["init", "-q", "--template=", "-b", "main"];
    let settings = SETTINGS.iter().map(|(key, value)| vec!["config", "--local", key, value]);
    let commit = [vec!["add", "-A"], vec!["commit", "-q", "-m", message]];
    for args in std::iter::once(init).chain(settings).chain(commit) {
        let shown = format!("git {}", args.first().copied().unwrap_or_default());
        let mut spec = CommandSpec::new("git", directory).args(args);
        spec.env = filtered(std::env::vars_os(), &[]);
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ] {
            spec.env.insert(name.into(), value.into());
        }
        let limits = Limits { timeout: Duration::from_secs(60), ..Limits::default() };
        let ended = supervisor.run(&spec, &limits, &mut |_, _| std::ops::ControlFlow::Continue(()));
        if ended.exit != Ended::Exited(0) {
            let said = [ended.stderr.text(), ended.stdout.text()];
            let said = said.into_iter().find(|text| !text.trim().is_empty());
            let why = said.unwrap_or_else(|| ended.exit.what(lang));
            return Err(problem().because(format!("{shown}: {}", why.trim())));
        }
    }
    Ok(())
}
