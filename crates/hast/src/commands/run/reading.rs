//! Documents of runs as they are on disk, for whoever only looks.

use std::path::Path;

use hast_flow::docs::run::{ProcessRun, RunStatus};
use hast_flow::driver::Delta;
use hast_flow::flows::run::laws::Logged;
use hast_flow::flows::run::view::Own;
use hast_flow::flows::run::{View, layout};
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::formats::table::read_rows;
use hast_flow::ids::{RunId, Sha256};
use hast_flow::store::Seen;
use hast_world::root_path::RootPath;

use super::super::flow_root::unread;
use crate::app::App;
use crate::commands::goals_files::show;
use crate::messages::say as common;
use crate::problem::Problem;

/// More of a log is not looked at.
const MAX_LOG: usize = 256 << 20;

/// All runs, in the order of the table.
pub(super) fn runs(app: &mut App, root: &RootPath) -> Result<Vec<ProcessRun>, Problem> {
    let read = root.join(layout::RUNS).read_if_there(MAX_DOCUMENT_BYTES);
    let Some(bytes) = read.map_err(|error| unread(app, &error))? else { return Ok(Vec::new()) };
    let source = Source::from_bytes(layout::RUNS, &bytes).map_err(|finding| vec![finding]);
    source.and_then(|source| read_rows(&source)).map_err(|findings| {
        show(app, &findings);
        let what = common::bad_files(app.lang, findings.len());
        Problem::new(what, common::bad_files_next(app.lang))
    })
}

/// A run that is neither COMPLETED nor FAILED.
pub(super) fn is_open(run: &&ProcessRun) -> bool {
    matches!(run.status, RunStatus::Pending | RunStatus::AwaitingConfirmation)
}

/// What the files say about one run.
pub(super) fn view(app: &App, root: &RootPath, run: &RunId) -> Result<View, Problem> {
    let mut view = shared(app, root, run)?;
    turn_to(app, root, run, &mut view)?;
    Ok(view)
}

/// What the tables of all runs say.
pub(super) fn shared(app: &App, root: &RootPath, run: &RunId) -> Result<View, Problem> {
    let mut view = View::default();
    for path in [layout::RUNS, layout::INSTRUCTIONS, layout::CATALOG, layout::TEMPLATE] {
        fold(app, root, run, path, &mut view)?;
    }
    Ok(view)
}

/// Makes it the view of another run: its own documents are read, the tables of all stay.
pub(super) fn turn_to(
    app: &App,
    root: &RootPath,
    run: &RunId,
    view: &mut View,
) -> Result<(), Problem> {
    view.own = Own::default();
    for directory in ["", "db/", "results/"] {
        let place = root.join(layout::of_run(run, directory));
        let mut files = place.names().unwrap_or_default();
        files.sort();
        for file in files {
            fold(app, root, run, &layout::of_run(run, &format!("{directory}{file}")), view)?;
        }
    }
    Ok(())
}

/// What the log of all runs says, its archived segments first.
pub(super) fn logged(root: &RootPath) -> Logged {
    let mut logged = Logged::default();
    let archive = Path::new(layout::LOG).with_file_name("archive");
    let mut segments = root.join(&archive).names().unwrap_or_default();
    segments.sort();
    let segments = segments.iter().map(|name| archive.join(name).to_string_lossy().into_owned());
    let hash = |path: &str| {
        let bytes = root.join(path).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten();
        bytes.map(|bytes| Sha256::of(&bytes))
    };
    for file in segments.chain([layout::LOG.to_owned()]) {
        let bytes = root.join(&file).read_if_there(MAX_LOG).ok().flatten();
        logged.take(&file, &bytes.unwrap_or_default(), &hash);
    }
    logged
}

fn fold(
    app: &App,
    root: &RootPath,
    run: &RunId,
    path: &str,
    view: &mut View,
) -> Result<(), Problem> {
    let place = root.join(path);
    let Some(path) = layout::path(path).filter(|_| !place.is_dir()) else { return Ok(()) };
    let read = place.read_if_there(MAX_DOCUMENT_BYTES);
    if let Some(bytes) = read.map_err(|error| unread(app, &error))? {
        view.fold(run, &Delta::Document { path: &path, bytes: &bytes, seen: Seen::Absent });
    }
    Ok(())
}
