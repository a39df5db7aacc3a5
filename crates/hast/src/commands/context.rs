//! `hast context`: the goal, the last handoff and the rules as one text.

use hast_flow::flows::goals::context::{DEFAULT_MAX_BYTES, assemble, fit};
use hast_flow::flows::goals::handoffs::LastSession;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::print::Format;
use hast_flow::flows::goals::selection::{Placed, find_typed, placed, select};
use hast_world::root_path::RootPath;

use super::flow_root::printable;
use super::goals_files::{GoalsFiles, find_root, last_session, show, text_of};
use crate::app::App;
use crate::cli::{ContextArgs, ContextFormat};
use crate::messages::say;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &ContextArgs) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let files = GoalsFiles::read(app, &root)?;
    if !app.quiet {
        show(app, &files.warnings);
    }
    let last = last_session(app, &root)?;
    let rules = text_of(app, &root, layout::RULES)?.unwrap_or_default();
    let goals = placed(&files.goals);
    let goal = match &args.goal {
        Some(id) => Some(find_typed(&goals, id).ok_or_else(|| {
            Problem::new(say::no_such_goal(app.lang, id), say::no_such_goal_next(app.lang))
        })?),
        None => select(&goals, last.as_ref().map(|last| last.front.goal_id.as_str())),
    };
    explain(app, &root, goal, last.as_ref());
    let context = assemble(goal, last.as_ref(), &rules);
    let max = files
        .config
        .max_context_bytes
        .and_then(|max| usize::try_from(max.get()).ok())
        .unwrap_or(DEFAULT_MAX_BYTES);
    let format = format(app, args);
    let text = fit(&context, format, app.lang, max).map_err(|error| {
        let what = say::context_too_small(app.lang, max, error.needed);
        Problem::new(what, say::context_too_small_next(app.lang))
    })?;
    // JSON spells such characters itself.
    let text = match format {
        Format::Json => text,
        _ => printable(&text),
    };
    app.print_exact(&text)?;
    Ok(Exit::Done)
}

/// What the context is made from, for `-v`.
fn explain(app: &mut App, root: &RootPath, goal: Option<&Placed<'_>>, last: Option<&LastSession>) {
    let lang = app.lang;
    app.detail(&say::using_root(lang, root.display()));
    let goal = goal.map(|placed| format!("{} — {}", placed.goal.id, placed.goal.title));
    app.detail(
        &goal.map_or_else(|| say::no_current_goal(lang), |goal| say::current_goal(lang, goal)),
    );
    let handoff = last.map(|last| say::last_handoff(lang, last.front.timestamp));
    app.detail(&handoff.unwrap_or_else(|| say::no_handoff(lang)));
}

fn format(app: &App, args: &ContextArgs) -> Format {
    match args.format {
        None if app.json => Format::Json,
        None | Some(ContextFormat::Markdown) => Format::Markdown,
        Some(ContextFormat::Plain) => Format::Plain,
        Some(ContextFormat::Json) => Format::Json,
    }
}
