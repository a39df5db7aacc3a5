//! Reasons for which `hast auto` would refuse to start now, for commands that only ask. The module
//! writes nothing. It asks git only for commands that change nothing.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::recovery::{Owner, Refusal, StartFindings, refusal};
use hast_flow::driver::Delta;
use hast_flow::flows::goals::auto::{View, layout as auto_layout};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::runnable::Asked;
use hast_flow::store::{DocPath, Seen};
use hast_world::{auto_lock, git};

use super::effects::refused_grants;
use super::{agent_is_there, can_be_told, settings, tree_rules};
use crate::app::App;
use crate::auto_cli::AutoArgs;
use crate::commands::calling::{self, Project};
use crate::problem::Problem;

/// More of a log than this is not read only to tell more.
const LOG_BYTES: usize = 256 << 20;

/// Everything, in the order in which a start would come to it.
pub(super) fn now(
    app: &mut App,
    project: &Project,
    asked: &Asked,
    args: &AutoArgs,
) -> Vec<Problem> {
    let lang = app.lang;
    let trusted = calling::approvals(app, project).and_then(|approvals| {
        let judged = approvals.judge(&calling::commands(project));
        judged.map(|_| ()).map_err(|why| calling::not_kept(lang, &why))
    });
    let told = can_be_told(app, project, asked).map(|_| ());
    let agent = agent_is_there(app, project, args.tool.as_deref());
    let settings = settings(app, project).map(|_| ());
    let all = [trusted, told, agent, settings, starts(app, project)];
    let grants = refused_grants(&project.root, &project.config, &project.variables);
    let grants = grants.iter().map(|grant| Problem::new(grant.what(lang), grant.next(lang)));
    all.into_iter().filter_map(Result::err).chain(grants).collect()
}

/// Whether a start would begin in this repository.
fn starts(app: &App, project: &Project) -> Result<(), Problem> {
    let lang = app.lang;
    let told = |problem: &GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    let looked = git::glance(&project.root, &tree_rules(project));
    let view = written_down(project);
    let uncommitted = |path: &&String| {
        let files = looked.iter().flat_map(|looked| &looked.uncommitted);
        files.into_iter().any(|file| file.path == **path)
    };
    let to_commit = view
        .to_commit
        .as_ref()
        .map(|(goal, paths)| (goal.as_str(), paths.iter().filter(uncommitted).cloned().collect()));
    let head = Some(looked.as_ref().map(|looked| &looked.head));
    let found = StartFindings { not_ready: None, running: running(project), head, to_commit };
    match refusal(&found) {
        Some(Refusal::Git(problem)) => Err(told(&problem)),
        Some(refusal) => Err(Problem::new(refusal.what(lang), refusal.next(lang))),
        None => Ok(()),
    }
}

/// The process of a run that works here now.
fn running(project: &Project) -> Option<u32> {
    let found = auto_lock::find(&project.root.join(layout::DIRECTORY)).ok()??;
    (found.owner == Owner::Alive).then_some(found.lock.pid)
}

/// What the log tells.
pub(super) fn written_down(project: &Project) -> View {
    let mut view = View::default();
    let log = project.root.join(layout::DIRECTORY).join(auto_layout::EVENTS);
    let bytes = log.read_if_there(LOG_BYTES).ok().flatten();
    if let (Some(bytes), Some(path)) = (bytes, DocPath::new(auto_layout::EVENTS).ok()) {
        view.fold(&Delta::Document { path: &path, bytes: &bytes, seen: Seen::Absent });
    }
    view
}
