//! Runs a test command: code that an agent wrote, so in the agent's sandbox and without secrets.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use hast_flow::agents::redact::{Redactor, is_secret, names_a_secret};
use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::workspace::{GitResult, GitStep};
use hast_flow::calling::grants::{Ground, sandbox};
use hast_flow::docs::goals::{Config, SandboxMode};
use hast_flow::process::environment::{Pattern, filtered};
use hast_flow::process::exit::{Applied, Exit};
use hast_flow::process::refusal::refusal;
use hast_flow::process::shell_line::bare_program;
use hast_flow::process::{
    CommandSpec, Ended, Limits, Sandbox, SandboxMode as Mode, Stream, Supervisor,
};
use hast_flow::steps::{CallResult, Check, EffectResult, Place};
use hast_flow::suites::tally::selection;
use hast_flow::suites::{Counted, Sieve};
use hast_flow::words::Lang;

use crate::calls::ground::{self, Tree};
use crate::calls::{outside_servers, variable};
use crate::programs;
use crate::reports::{AskedReport, Reports};
use crate::sandbox::landlock;
use crate::supervisor::Guarded;

/// Enough of the output to see what failed.
const TAIL: usize = 16 << 10;
const TAIL_LINES: usize = 60;
/// So much of a command is named.
const NAMED: usize = 200;
/// What a shell says of a program that it may not run, or does not find.
const NOT_TO_BE_RUN: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Where checks run and what they may see.
#[derive(Debug)]
pub struct Checks {
    pub supervisor: Arc<Guarded>,
    /// The project; the command runs there, or in the room at its path.
    pub root: PathBuf,
    pub config: Config,
    pub variables: Vec<(OsString, OsString)>,
    pub lang: Lang,
}

impl Checks {
    /// Whether nothing keeps an agent from files outside of its tree.
    pub fn is_unconfined(&self) -> bool {
        let off = self.config.sandbox == Some(SandboxMode::Off);
        off || !matches!(landlock::ability(), Applied::Whole { .. })
    }

    /// Runs a check. An interruption is no result: the check is done again.
    pub fn perform(&self, check: &Check) -> EffectResult {
        self.perform_in(&Place::Checkout, check)
    }

    /// The same in another place than the project itself.
    pub fn perform_in(&self, place: &Place, check: &Check) -> EffectResult {
        // Without it pytest is asked for nothing, and what it prints is all there is.
        let asked = || AskedReport::make().ok();
        let run = || {
            let asked = asked();
            let (ended, counted) = self.run_counted(place, check, asked.as_ref());
            match asked.is_some_and(|asked| asked.is_unknown_to(&ended)) {
                true => self.run_counted(place, check, None),
                false => (ended, counted),
            }
        };
        let (ended, counted) = match place {
            Place::Worktree(_) => alone_if_an_address_was_taken(run),
            _ => run(),
        };
        self.result(check, &ended, counted)
    }

    fn run_counted(
        &self,
        place: &Place,
        check: &Check,
        asked: Option<&AskedReport>,
    ) -> (Ended, Counted) {
        let before = Reports::look(&self.tree(place).on_disk());
        let mut spec = self.spec(place, check);
        if let Some(asked) = asked {
            asked.ask_pytest(&mut spec);
        }
        let mut sieves = [Sieve::default(), Sieve::default()];
        let mut watch = |stream, bytes: &[u8]| {
            sieves[usize::from(stream == Stream::Err)].feed(bytes);
            ControlFlow::Continue(())
        };
        let ended = self.supervisor.run(&spec, &limits(check), &mut watch);
        let printed = sieves.map(Sieve::text).join("\n");
        let written = asked.and_then(AskedReport::read);
        let mut counted = Counted::of(&printed, &before.written_since(), written.as_slice());
        let selects = selection(&check.command).map(str::to_owned);
        counted.tally.selects = selects.or(counted.tally.selects);
        let redactor = self.redactor();
        let names = counted.failed_tests.iter_mut().chain(&mut counted.unread);
        names.for_each(|name| *name = redactor.text(name));
        counted.refused = self.refused(&spec.sandbox, &ended);
        (ended, counted)
    }

    /// The result of a step of git. Hooks that were interrupted have said nothing: they run again.
    pub fn unless_interrupted(&self, step: &GitStep, result: GitResult) -> EffectResult {
        let hooks = matches!(step, GitStep::RunHooks { .. });
        let refused = matches!(result, GitResult::Refused(_));
        if hooks && refused && self.supervisor.is_interrupted() {
            return EffectResult::Call(CallResult::Cancelled);
        }
        EffectResult::Git(result)
    }

    /// Advice where a program complains about something that the sandbox refused.
    fn refused(&self, sandbox: &Sandbox, ended: &Ended) -> Option<String> {
        if sandbox.mode == Mode::Off || ended.exit.is_success() {
            return None;
        }
        let open = |path: &str| {
            let granted = sandbox.writable.iter().any(|open| Path::new(path).starts_with(open));
            let private = sandbox.room.is_some()
                && ["/tmp", "/var/tmp"].iter().any(|place| Path::new(path).starts_with(place));
            granted || private
        };
        let said = [&ended.stderr, &ended.stdout].map(|stream| stream.text()).join("\n");
        Some(self.redactor().text(&refusal(&said, open)?.advice(self.lang)))
    }

    fn result(&self, check: &Check, ended: &Ended, counted: Counted) -> EffectResult {
        if ended.exit == Exit::Cancelled {
            return EffectResult::Call(CallResult::Cancelled);
        }
        let end = match meaning(&ended.exit, &check.command, self.lang) {
            TestEnd::CouldNotRun { why } if ended.exit == Exit::Exited(NOT_FOUND) => {
                match self.not_installed(&check.command) {
                    Some(name) => TestEnd::NoProgram { name: name.to_owned(), why },
                    None => TestEnd::CouldNotRun { why },
                }
            }
            end => end,
        };
        EffectResult::Check(TestRun { end, tail: self.tail(ended), counted })
    }

    /// The program that a command begins with, where it is nowhere on the search path and nothing that is
    /// written in the project could put it there.
    fn not_installed<'c>(&self, command: &'c str) -> Option<&'c str> {
        let name = bare_program(command)?;
        let search = variable(&self.variables, "PATH")?;
        let outside =
            |directory: PathBuf| directory.is_absolute() && !directory.starts_with(&self.root);
        let all_outside = std::env::split_paths(search).all(outside);
        (all_outside && programs::find(name, search).is_none()).then_some(name)
    }

    fn spec(&self, place: &Place, check: &Check) -> CommandSpec {
        let patterns: Vec<Pattern> =
            self.config.env.iter().filter_map(|text| text.parse().ok()).collect();
        let mut env = filtered(self.variables.iter().cloned(), &patterns);
        env.retain(|name, _| !name.to_str().is_some_and(names_a_secret));
        let home = env.get(std::ffi::OsStr::new("HOME")).map(PathBuf::from);
        let spec = CommandSpec::new("sh", &self.root).args(["-c", check.command.as_str()]);
        self.confined(place, home, CommandSpec { env, ..spec })
    }

    pub(crate) fn tree(&self, place: &Place) -> Tree {
        ground::tree(place, &self.root, &self.root.join(".ai"), &self.variables)
    }

    /// Something that an agent could have written, where it runs, with what it may write there.
    pub(crate) fn confined(
        &self,
        place: &Place,
        home: Option<PathBuf>,
        mut spec: CommandSpec,
    ) -> CommandSpec {
        let tree = self.tree(place);
        let grounds = Ground {
            root: self.root.clone(),
            tree: tree.top.clone(),
            room: tree.room.clone(),
            state: self.root.join(".ai"),
            documents: self.root.join(".ai"),
            within: Vec::new(),
            git: tree.git.clone(),
            outbox: PathBuf::new(),
            homes: Vec::new(),
            user_home: home,
        };
        spec.sandbox = sandbox(place, &grounds, &self.config);
        spec.sandbox.writable.retain(|path| !path.as_os_str().is_empty());
        spec.cwd = tree.workdir;
        outside_servers::keep_off(&mut spec, tree.lane.as_deref(), &self.variables);
        spec
    }

    pub(crate) fn without_secrets(&self, text: &str) -> String {
        self.redactor().text(text)
    }

    /// The end of both streams, without secrets.
    fn tail(&self, ended: &Ended) -> String {
        let streams = [&ended.stdout, &ended.stderr].map(|stream| last_lines(&stream.text()));
        let told: Vec<&str> =
            streams.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        self.redactor().text(&told.join("\n"))
    }

    /// The secrets among the variables that agents are given.
    pub fn agents_secrets(&self) -> Redactor {
        let patterns: Vec<Pattern> =
            self.config.env.iter().filter_map(|text| text.parse().ok()).collect();
        let given = filtered(self.variables.iter().cloned(), &patterns);
        let text = |value: &OsString| value.to_str().map(str::to_owned);
        let given: Vec<(String, String)> = given
            .iter()
            .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
            .filter(|(name, value)| is_secret(name, value))
            .collect();
        Redactor::new(given.iter().map(|(name, value)| (&**name, &**value)))
    }

    fn redactor(&self) -> Redactor {
        let text = |name: &OsString| name.to_str().map(str::to_owned);
        let secrets: Vec<(String, String)> = self
            .variables
            .iter()
            .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
            .filter(|(name, value)| is_secret(name, value))
            .collect();
        Redactor::new(secrets.iter().map(|(name, value)| (&**name, &**value)))
    }
}

/// Tests of lanes run at the same time, and those that listen on an address of their own can be in each
/// other's way: they run once more while no others do.
fn alone_if_an_address_was_taken(run: impl Fn() -> (Ended, Counted)) -> (Ended, Counted) {
    static TESTS: RwLock<()> = RwLock::new(());
    let ended = {
        let _with_others = TESTS.read().unwrap_or_else(PoisonError::into_inner);
        run()
    };
    if !says_that_an_address_was_taken(&ended.0) {
        return ended;
    }
    let _alone = TESTS.write().unwrap_or_else(PoisonError::into_inner);
    run()
}

fn says_that_an_address_was_taken(ended: &Ended) -> bool {
    let said = |text: &str| {
        let text = text.to_ascii_lowercase();
        ["address already in use", "eaddrinuse", "addrinuse"].iter().any(|word| text.contains(word))
    };
    matches!(ended.exit, Exit::Exited(code) if code != 0)
        && (said(&ended.stdout.text()) || said(&ended.stderr.text()))
}

fn limits(check: &Check) -> Limits {
    Limits {
        timeout: Duration::from_secs(check.limit_seconds),
        stall: None,
        head: 0,
        tail: TAIL,
        ..Limits::default()
    }
}

fn meaning(exit: &Exit, command: &str, lang: Lang) -> TestEnd {
    let command: String = command.chars().take(NAMED).collect();
    let could_not = |why: String| TestEnd::CouldNotRun { why };
    match exit {
        Exit::Exited(0) => TestEnd::Green,
        Exit::Exited(code @ (NOT_TO_BE_RUN | NOT_FOUND)) => {
            could_not(say::exit_code(lang, code, command))
        }
        Exit::Exited(code) => TestEnd::Red { code: *code },
        other => could_not(say::ended(lang, other.what(lang), command)),
    }
}

mod say {
    hast_flow::messages! {
        exit_code(code, command) { en: "exit code {code} of `{command}`", ko: "`{command}`의 종료 코드 {code}" }
        ended(what, command) { en: "{what} (`{command}`)", ko: "{what} (`{command}`)" }
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
