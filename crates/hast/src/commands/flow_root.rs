//! Where the documents of a flow are, and how what is in them is read and shown.

use std::path::{Path, PathBuf};

use hast_flow::docs::files::FlowName;
use hast_flow::words::{Lang, visible, visible_lines};
use hast_world::derived_files::NotPut;
use hast_world::files::PathError;
use hast_world::root_path::RootPath;
use hast_world::roots;

use crate::app::App;
use crate::messages::say;
use crate::problem::Problem;
use crate::progress::board::cut;

/// The nearest root of a flow, upward.
pub(crate) fn found(app: &App, flow: FlowName) -> Option<PathBuf> {
    let marker = flow.marker();
    match &app.root {
        // A named root is that directory or nothing.
        Some(root) => roots::find_root(root, Some(root), marker),
        None => roots::find_root(&app.directory, app.home.as_deref(), marker),
    }
}

/// For commands that need one to be there.
pub(crate) fn there(
    app: &App,
    flow: FlowName,
    none: impl FnOnce() -> Problem,
) -> Result<RootPath, Problem> {
    real(app, flow, &found(app, flow).ok_or_else(none)?)
}

/// For commands that make one where there is none.
pub(crate) fn there_or_here(app: &App, flow: FlowName) -> Result<RootPath, Problem> {
    real(app, flow, &found(app, flow).unwrap_or_else(|| app.here().to_owned()))
}

/// A root by its real path. A link in the place of the flow's own directories is refused.
fn real(app: &App, flow: FlowName, root: &Path) -> Result<RootPath, Problem> {
    let root = RootPath::new(root).map_err(|error| unread(app, &error))?;
    for directory in flow.directories() {
        root.join(directory).check_directory().map_err(|error| unread(app, &error))?;
    }
    Ok(root)
}

pub(crate) fn unread(app: &App, error: &PathError) -> Problem {
    Problem::cannot_read(app.lang, &error.path, &error.source)
}

/// Where answers of data sources are kept. What keeps them follows links, so that there may be none.
pub(crate) fn cache(app: &App, directory: &RootPath) -> Result<PathBuf, Problem> {
    let refused = |error: PathError| unread(app, &error);
    directory.check_directory().map_err(refused)?;
    for name in directory.names().map_err(refused)? {
        directory.join(name).check_directory().map_err(refused)?;
    }
    Ok(directory.to_path_buf())
}

pub(crate) fn unwritten(lang: Lang, error: &NotPut) -> Problem {
    match error {
        NotPut::Link { path } => Problem::link_in_the_way(lang, path),
        NotPut::NotOurs { path } => {
            let (what, next) = (say::not_our_file(lang), say::not_our_file_next(lang));
            Problem::new(what, next).at(path).coded("file_in_the_way")
        }
        NotPut::Failed(error) => Problem::cannot_write(lang, &error.path, &error.source),
    }
}

/// An agent's text, with nothing in it that a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    visible_lines(text)
}

/// Room for a request in a list.
const HEADLINE: usize = 100;

/// The first line of a request that says something, as a list shows it.
pub(crate) fn headline(text: &str) -> String {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    // More than this does not fit anyway, and a line may be endless.
    let first: String = first.chars().take(HEADLINE + 1).collect();
    cut(&visible(&first), HEADLINE)
}

/// There is no root of any flow here.
pub(crate) fn nothing_here(app: &App) -> String {
    let next = say::nothing_here_next(app.lang, app.here().display());
    format!("{}\n{}: {next}\n", say::nothing_here(app.lang), say::next(app.lang))
}
