//! `hast completions` and `hast man`: what a package installs beside the binary.

use crate::app::App;
use crate::cli;
use crate::messages::say;
use crate::problem::{Exit, Problem};

pub(crate) fn completions(app: &mut App, shell: clap_complete::Shell) -> Result<Exit, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(app.lang), "hast", &mut script);
    app.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

pub(crate) fn man(app: &mut App) -> Result<Exit, Problem> {
    let mut page = Vec::new();
    clap_mangen::Man::new(cli::command(app.lang)).render(&mut page).map_err(|error| {
        Problem::new(say::internal(app.lang), say::internal_next(app.lang))
            .because(error.to_string())
    })?;
    app.print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
