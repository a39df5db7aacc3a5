//! An answer to a proposal that is only written down: the inbox decides, `hast run resume` goes on.

use hast_flow::flows::run::{Asked, Said};
use hast_flow::ids::RunId;
use hast_flow::steps::Ending;
use hast_flow::trust::Commands;
use hast_world::root_path::RootPath;

use super::eyes::RunEyes;
use super::{Wish, go};
use crate::app::App;
use crate::commands::{calling, driving};
use crate::problem::Problem;

pub(crate) fn give(
    app: &mut App,
    root: &RootPath,
    run: &RunId,
    said: Said,
) -> Result<String, Problem> {
    let cancels = said.cancels();
    let project = calling::project_at(app, root.to_owned())?;
    // Nobody is started to write an answer down, so there is nothing to approve.
    let trusted = calling::trusted(app, &project, &Commands::default())?;
    let wish = Wish { run: run.clone(), asked: Asked::Answer(said), tool: None };
    let mut eyes = RunEyes::new(app.lang, run.clone());
    let driven = go(app, &project, &wish, trusted, &mut eyes)?;
    match (driving::meaning(app.lang, &driven.ending), driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, Ending::Done(notice)) if cancels => Ok(notice.what),
        (None, Ending::Done(notice)) => Ok(format!("{}; {}", notice.what, notice.next)),
        (None, _) => Ok(String::new()),
    }
}
