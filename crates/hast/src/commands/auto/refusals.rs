//! What `hast auto` would refuse if it were started now, for whoever only asks. Writes nothing, and asks git
//! only what changes nothing.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::recovery::{
    Found, From, Lock, Owner, Place, Refusal, StartUp, Wish, start_up,
};
use hast_flow::attempt::workspace::{Looked, UncommittedKind};
use hast_flow::driver::Delta;
use hast_flow::flows::goals::auto::{View, layout as auto_layout};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::runnable::Asked;
use hast_flow::store::{DocPath, Seen};
use hast_flow::time::UtcTime;
use hast_world::{auto_lock, git};

use super::{agent_is_there, can_be_told, lanes, settings, tree_rules};
use crate::app::App;
use crate::cli::AutoArgs;
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
    let all = [trusted, told, agent, settings, starts(app, project, args)];
    all.into_iter().filter_map(Result::err).collect()
}

/// Whether a start would begin in this repository.
fn starts(app: &App, project: &Project, args: &AutoArgs) -> Result<(), Problem> {
    let lang = app.lang;
    let refused = |problem: &GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    let isolated = args.isolate || args.parallel.is_some();
    let isolated = isolated || lanes::configured(&project.config).is_some();
    let place = if isolated { Place::Isolated } else { Place::InPlace };
    let looked = git::glance(&project.root, &tree_rules(project));
    let looked = looked.map(|looked| without_ours(project, looked, args));
    let (kept, unjudged) = (None, None);
    let found = Found { not_ready: None, looked, lock: running(project), kept, unjudged };
    let wish = Wish { place, from: From::Base, at: UtcTime::new(app.clock.now()) };
    match start_up(&found, wish, &format!("{}/", layout::DIRECTORY)) {
        StartUp::Refuse(Refusal::Git(problem)) => Err(refused(&problem)),
        StartUp::Refuse(refusal) => Err(Problem::new(refusal.what(lang), refusal.next(lang))),
        StartUp::Begin { .. } | StartUp::GiveUp { .. } => {
            let handoffs = format!("{}/", layout::HANDOFFS);
            git::hides_handoffs(&project.root, &handoffs).map_err(|problem| refused(&problem))
        }
    }
}

/// A run that works here now.
fn running(project: &Project) -> Option<Lock> {
    let found = auto_lock::find(&project.root.join(layout::DIRECTORY)).ok()??;
    (found.owner == Owner::Alive).then_some(Lock {
        pid: found.lock.pid,
        owner: Owner::Alive,
        base: None,
        tree: None,
        branch: None,
        goal: None,
        commits: Vec::new(),
        judged: None,
    })
}

/// Without what a start would clear away or go on with, and without what tests left: whether all of the former
/// is as an attempt left it, only the start itself looks.
fn without_ours(project: &Project, mut looked: Looked, args: &AutoArgs) -> Looked {
    let mut view = View::default();
    let log = project.root.join(layout::DIRECTORY).join(auto_layout::EVENTS);
    let bytes = log.read_if_there(LOG_BYTES).ok().flatten();
    if let (Some(bytes), Some(path)) = (bytes, DocPath::new(auto_layout::EVENTS).ok()) {
        view.fold(&Delta::Document { path: &path, bytes: &bytes, seen: Seen::Absent });
    }
    if args.go_on || view.left_in_tree().is_some() || view.is_cut_off() {
        looked.uncommitted.clear();
    }
    let left = |path: &String| view.left_by_tests.contains(path);
    looked.uncommitted.retain(|file| file.kind == UncommittedKind::Tracked || !left(&file.path));
    looked
}
