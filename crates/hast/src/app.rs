//! From arguments to an exit code: language first, then parsing, then one command.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, FromArgMatches};
use hast_flow::ports::{Clock, Ids};
use hast_flow::time::UtcTime;
use hast_flow::words::{Lang, is_hidden, is_near};
use hast_world::clock::{Fixed, Machine};
use hast_world::descriptors::keep_descriptors_from_programs;
use hast_world::supervisor::survive_size_limits;

use crate::cli::{Cli, ColorWhen, Commands};
use crate::commands::opening::Repair;
use crate::commands::{self, calling};
use crate::help_pages;
use crate::messages::say;
use crate::output::{Output, for_screen, local_time};
use crate::problem::{Exit, Problem};
use crate::synonyms;

/// Fixes clock and ids for hast's own tests of the real binary. Unsupported: it may change or go.
const TEST_WORLD: &str = "HAST_TEST_WORLD";

/// What every command needs to know.
pub(crate) struct App {
    pub(crate) lang: Lang,
    /// `--lang` was given: the config's language does not count.
    pub(crate) lang_given: bool,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) root: Option<PathBuf>,
    pub(crate) directory: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) output: Output,
    /// What opening documents had to repair, for people and for programs.
    pub(crate) repairs: RefCell<Vec<Repair>>,
    /// How many of them people were told.
    told: usize,
}

pub(crate) fn run(args: &[OsString]) -> ExitCode {
    // Where it cannot be had, the system's way stands.
    let _ = survive_size_limits();
    keep_descriptors_from_programs();
    if let Some(args) = commands::agent_guard::asked(args) {
        return commands::agent_guard::run(args, language(&[]));
    }
    if let Some(args) = commands::agent_rehearse::asked(args) {
        let lang = language(&[]);
        return commands::agent_rehearse::run(args, clock(lang), lang);
    }
    if let Some(model) = commands::agent_builtin::asked(args) {
        return commands::agent_builtin::run(model, language(&[]));
    }
    let mut lang = language(args);
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let wants_json = args.iter().any(|arg| arg == "--json");
    let mut output = Output::new(ColorWhen::Auto, no_color);
    let result = match help_pages::command(lang).try_get_matches_from(args) {
        Ok(matches) => start(&matches, &mut lang, no_color, &mut output),
        Err(error) => {
            let error = match projects_language(args).filter(|own| *own != lang) {
                None => error,
                Some(own) => {
                    lang = own;
                    help_pages::command(own).try_get_matches_from(args).err().unwrap_or(error)
                }
            };
            clap_says(&error, args, lang, &mut output)
        }
    };
    let exit = result.unwrap_or_else(|problem| {
        output.message(&problem.text(lang, &output.message_renderer()));
        if wants_json {
            // Whoever asked for a document gets one, also when there is no result.
            let _ = output.result(&json_text(&problem.json()));
        }
        problem.exit
    });
    ExitCode::from(exit as u8)
}

/// Runs the command. The language may turn out to be another one: a project has its own.
fn start(
    matches: &ArgMatches,
    speaks: &mut Lang,
    no_color: bool,
    output: &mut Output,
) -> Result<Exit, Problem> {
    let lang = *speaks;
    let internal = |why: &dyn ToString| {
        Problem::new(say::internal(lang), say::internal_next(lang)).because(why.to_string())
    };
    let cli = Cli::from_arg_matches(matches).map_err(|error| internal(&error))?;
    *output = Output::new(cli.color, no_color);
    let directory = std::env::current_dir().map_err(|error| {
        Problem::new(say::no_current_directory(lang), say::no_current_directory_next(lang))
            .because(error.to_string())
    })?;
    let root = cli.root.map(|root| directory.join(root));
    if let Some(root) = root.as_ref().filter(|root| !root.is_dir()) {
        return Err(Problem::usage(say::no_directory(lang), say::no_directory_next(lang)).at(root));
    }
    let mut app = App {
        lang,
        lang_given: cli.lang.is_some(),
        json: cli.json,
        quiet: cli.quiet,
        verbose: cli.verbose,
        root,
        directory,
        home: std::env::home_dir(),
        clock: clock(lang)?,
        output: Output::new(cli.color, no_color),
        repairs: RefCell::default(),
        told: 0,
    };
    if !app.lang_given {
        let found = calling::language(app.root.as_deref(), &app.directory, app.home.as_deref());
        app.lang = found.unwrap_or(lang);
    }
    let result = run_command(&mut app, cli.command);
    app.tell_repairs();
    *speaks = app.lang;
    result.map_err(|problem| problem.beside(&app.repairs.borrow()))
}

fn run_command(app: &mut App, command: Commands) -> Result<Exit, Problem> {
    match command {
        Commands::Init(args) => commands::init::run(app, &args),
        Commands::Context(args) => commands::context::run(app, &args),
        Commands::Status => commands::status::run(app),
        Commands::Verify(args) => commands::verify::run(app, &args),
        Commands::Agent(command) => commands::agent::run(app, &command),
        Commands::Trust(args) => commands::trust::run(app, args),
        Commands::Goal(command) => commands::goal::run(app, &command),
        Commands::Auto(args) => commands::auto::run(app, &args),
        Commands::Retry(args) => commands::auto::retry(app, &args),
        Commands::Show(args) => commands::look::show::run(app, &args),
        Commands::Log(args) => commands::look::log::run(app, &args),
        Commands::Diff(args) => commands::look::diff::run(app, &args),
        Commands::Try(args) => commands::look::try_out::run(app, &args),
        Commands::Undo(args) => commands::undo::run(app, &args),
        Commands::Take(args) => commands::auto::take::run(app, &args),
        Commands::Explore(args) => commands::explore::run(app, &args),
        Commands::Demo(args) => crate::demo::run(app, &args),
        Commands::Kernel(command) => commands::kernel::run(app, &command),
        Commands::Session(command) => commands::session::run(app, &command),
        Commands::Events(command) => commands::events::run(app, &command),
        Commands::Observe(command) => commands::observe::run(app, &command),
        Commands::Inbox(command) => commands::inbox::run(app, &command),
        Commands::Decision(command) => commands::decision::run(app, &command),
        Commands::Protocol(command) => commands::protocol::run(app, &command),
        Commands::Contract(command) => commands::contract::run(app, &command),
        Commands::Queue(command) => commands::queue::run(app, &command),
        Commands::Run(command) => commands::run::run(app, &command),
        Commands::Search(args) => commands::search::run(app, &args),
        Commands::Completions { shell } => commands::shell::completions(app, shell),
        Commands::Man { words } => commands::shell::man(app, &words),
        Commands::Help { words } => commands::shell::help(app, &words),
        Commands::Version => commands::shell::version(app),
    }
}

impl App {
    /// Prints a result for people: on a terminal in lines that fit, broken between words.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Problem> {
        self.print_exact(&for_screen(text))
    }

    /// Prints a result of which each line counts as it is: a patch, a document, a script.
    pub(crate) fn print_exact(&mut self, text: &str) -> Result<(), Problem> {
        let lang = self.lang;
        self.output.result(text).map_err(|error| cannot_write(lang, &error))
    }

    /// A time as people here read it. Programs get UTC.
    pub(crate) fn local(&self, at: UtcTime) -> String {
        local_time(&*self.clock, at.instant())
    }

    /// Prints a document. What was repaired meanwhile is a part of it, where anything was.
    pub(crate) fn print_json(&mut self, value: &serde_json::Value) -> Result<(), Problem> {
        let repairs: Vec<_> = self.repairs.borrow().iter().map(Repair::json).collect();
        let Some(fields) = value.as_object().filter(|_| !repairs.is_empty()) else {
            return self.print_exact(&json_text(value));
        };
        let mut fields = fields.clone();
        fields.insert("repaired".to_owned(), repairs.into());
        self.print_exact(&json_text(&fields.into()))
    }

    /// Tells what opening documents had to repair, each once. Not even `--quiet` hides that.
    pub(crate) fn tell_repairs(&mut self) {
        let lang = self.lang;
        let repairs = self.repairs.borrow();
        let text: String = repairs.iter().skip(self.told).map(|repair| repair.text(lang)).collect();
        self.told = repairs.len();
        if !text.is_empty() {
            self.output.message(&text);
        }
    }

    /// Says what is done, for whoever asked with `-v`.
    pub(crate) fn detail(&mut self, text: &str) {
        if self.verbose {
            self.output.message(&format!("{text}\n"));
        }
    }

    /// Where to look: `--root`, or the current directory.
    pub(crate) fn here(&self) -> &std::path::Path {
        self.root.as_deref().unwrap_or(&self.directory)
    }
}

fn cannot_write(lang: Lang, error: &std::io::Error) -> Problem {
    Problem::new(say::cannot_write(lang), say::cannot_write_next(lang)).because(error.to_string())
}

/// JSON escapes what terminals obey, except for these: only strings have them, where `\u` is allowed.
fn json_text(value: &serde_json::Value) -> String {
    let mut text = String::new();
    for c in format!("{value:#}\n").chars() {
        match c {
            c if is_hidden(c) && c != '\n' => text += &format!("\\u{:04x}", u32::from(c)),
            c => text.push(c),
        }
    }
    text
}

/// The value of a flag, wherever it stands on a command line that is not parsed yet.
fn given<'a>(args: &'a [OsString], flag: &str) -> Option<&'a str> {
    let args: Vec<_> = args.iter().filter_map(|arg| arg.to_str()).collect();
    args.iter().enumerate().find_map(|(index, arg)| match arg.strip_prefix(flag)? {
        "" => args.get(index + 1).copied(),
        value => value.strip_prefix('='),
    })
}

/// `--lang` wherever it stands, then the locale as POSIX orders its variables.
fn language(args: &[OsString]) -> Lang {
    if let Some(lang) = given(args, "--lang").and_then(|text| text.parse().ok()) {
        return lang;
    }
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .map_or(Lang::En, |locale| Lang::from_locale(&locale))
}

/// The language of the settings here, for words about a command line that is none: help, or a mistake.
fn projects_language(args: &[OsString]) -> Option<Lang> {
    if given(args, "--lang").is_some() {
        return None;
    }
    let directory = std::env::current_dir().ok()?;
    let root = given(args, "--root").map(|root| directory.join(root));
    calling::language(root.as_deref(), &directory, std::env::home_dir().as_deref())
}

/// A clock for many threads, the same as [`App::clock`].
pub(crate) fn shared_clock(lang: Lang) -> Result<Arc<dyn Clock + Send + Sync>, Problem> {
    Ok(match test_world(lang)? {
        None => Arc::new(Machine),
        Some(fixed) => Arc::new(fixed),
    })
}

/// Fresh ids, from the same world as the clock.
pub(crate) fn ids(lang: Lang) -> Result<Box<dyn Ids>, Problem> {
    Ok(match test_world(lang)? {
        None => Box::new(Machine),
        Some(fixed) => Box::new(fixed),
    })
}

fn clock(lang: Lang) -> Result<Box<dyn Clock>, Problem> {
    Ok(match test_world(lang)? {
        None => Box::new(Machine),
        Some(fixed) => Box::new(fixed),
    })
}

fn test_world(lang: Lang) -> Result<Option<Fixed>, Problem> {
    match std::env::var(TEST_WORLD) {
        Err(_) => Ok(None),
        Ok(text) => match text.parse::<Fixed>() {
            Ok(fixed) => Ok(Some(fixed)),
            Err(error) => {
                let what = say::bad_test_world(lang, TEST_WORLD);
                Err(Problem::usage(what, say::unset_it(lang)).because(error.to_string()))
            }
        },
    }
}

/// Help and version are results; everything else is a wrong usage, said in the user's language.
fn clap_says(
    error: &clap::Error,
    args: &[OsString],
    lang: Lang,
    output: &mut Output,
) -> Result<Exit, Problem> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let written = output.result(&for_screen(&error.render().to_string()));
            return written.map(|()| Exit::Done).map_err(|error| cannot_write(lang, &error));
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            output.message(&error.render().to_string());
            return Ok(Exit::Usage);
        }
        _ => {}
    }
    let context = |kind| error.get(kind).map(shown);
    let argument = context(ContextKind::InvalidArg).unwrap_or_default();
    let value = context(ContextKind::InvalidValue).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::UnknownArgument => say::unknown_argument(lang, argument),
        ErrorKind::InvalidSubcommand => {
            let word = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            if let Some(meant) = synonyms::of(&word) {
                let next = say::synonym(lang, meant);
                return Err(Problem::usage(say::unknown_command(lang, word), next));
            }
            say::unknown_command(lang, word)
        }
        ErrorKind::InvalidValue if value.is_empty() => say::missing_value(lang, argument),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            say::bad_value(lang, value, argument)
        }
        ErrorKind::MissingRequiredArgument => say::missing_value(lang, argument),
        ErrorKind::MissingSubcommand => say::no_command(lang),
        ErrorKind::ArgumentConflict => match context(ContextKind::PriorArg).unwrap_or_default() {
            other if other == argument => say::given_twice(lang, argument),
            other => say::conflict(lang, argument, other),
        },
        _ => say::wrong_usage(lang),
    };
    // Of several words the parser puts the nearest last.
    let nearest = |kind| {
        error.get(kind).map(|value| match value {
            ContextValue::Strings(words) => words.last().cloned().unwrap_or_default(),
            other => other.to_string(),
        })
    };
    let typed = context(ContextKind::InvalidSubcommand).unwrap_or_default();
    let given = context(ContextKind::InvalidArg).unwrap_or_default();
    let suggestion = nearest(ContextKind::SuggestedSubcommand)
        .filter(|word| is_near(&typed, word))
        .or_else(|| nearest(ContextKind::SuggestedArg).filter(|word| is_near(&given, word)))
        .or_else(|| nearest(ContextKind::SuggestedValue))
        .map(|word| say::did_you_mean(lang, word));
    let values = context(ContextKind::ValidValue).filter(|values| !values.is_empty());
    let values = values.map(|values| say::use_one_of(lang, values));
    let next =
        suggestion.or(values).unwrap_or_else(|| say::usage_next(lang, command_of(error, args)));
    let problem = Problem::usage(what, next);
    Err(match std::error::Error::source(error) {
        Some(why) => problem.because(cause(&why.to_string(), lang)),
        None => problem,
    })
}

/// Why a value does not fit; the parser says it in English only.
fn cause(why: &str, lang: Lang) -> String {
    let range = why.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="));
    match range {
        Some((least, most)) => say::not_in_range(lang, least, most),
        None if why.contains("invalid digit") || why.contains("empty string") => {
            say::not_a_number(lang)
        }
        None => why.to_owned(),
    }
}

/// The command whose usage was wrong, as it is typed.
fn command_of(error: &clap::Error, args: &[OsString]) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let words = usage.split_whitespace().skip_while(|word| *word != "hast");
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let words: Vec<&str> =
        words.take_while(|word| is_word(word) && !word.starts_with('-')).collect();
    if !words.is_empty() {
        return words.join(" ");
    }
    // Where only a value was wrong, the parser does not say.
    let (mut typed, mut command) = (vec!["hast"], help_pages::command(Lang::En));
    for word in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        if let Some(found) = command.find_subcommand(word).cloned() {
            typed.push(word);
            command = found;
        }
    }
    typed.join(" ")
}

fn shown(value: &ContextValue) -> String {
    match value {
        ContextValue::Strings(words) => words.join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_send_commands_to_the_terminal() {
        let value = serde_json::json!({ "file": "\u{1b}[2J\u{9b}2J\u{7f}가" });
        let text = json_text(&value);
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
