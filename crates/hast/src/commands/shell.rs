//! `hast completions` and `hast man`: what a package installs beside the binary.

use hast_flow::words::visible;

use crate::app::App;
use clap::Command;

use crate::help_pages;
use crate::messages::say;
use crate::problem::{Exit, Problem};

pub(crate) fn completions(app: &mut App, shell: clap_complete::Shell) -> Result<Exit, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help_pages::manual(app.lang), "hast", &mut script);
    app.print_exact(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// `hast help [COMMAND...]`: the page of a command, as with `--help`.
pub(crate) fn help(app: &mut App, words: &[String]) -> Result<Exit, Problem> {
    let mut command = help_pages::command(app.lang);
    command.build();
    let mut page = named(app, command, words)?;
    app.print(&page.render_help().to_string())?;
    Ok(Exit::Done)
}

pub(crate) fn version(app: &mut App) -> Result<Exit, Problem> {
    app.print(&help_pages::command(app.lang).render_version())?;
    Ok(Exit::Done)
}

/// The command that words name.
fn named(app: &App, mut command: Command, words: &[String]) -> Result<Command, Problem> {
    let words = words.iter().filter(|word| *word != "hast");
    for word in words {
        let Some(below) = command.find_subcommand(word) else {
            let next = say::usage_next(app.lang, command.get_bin_name().unwrap_or("hast"));
            return Err(Problem::usage(say::unknown_command(app.lang, visible(word)), next));
        };
        command = below.clone();
    }
    Ok(command)
}

pub(crate) fn man(app: &mut App, words: &[String]) -> Result<Exit, Problem> {
    let mut page = Vec::new();
    let mut command = help_pages::manual(app.lang);
    command.build();
    let command = named(app, command, words)?;
    clap_mangen::Man::new(command).render(&mut page).map_err(|error| {
        Problem::new(say::internal(app.lang), say::internal_next(app.lang))
            .because(error.to_string())
    })?;
    app.print_exact(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
