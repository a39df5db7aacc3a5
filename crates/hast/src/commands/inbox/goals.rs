//! The goals flow: blocked goals, violations, conflicts, stops. A decision is an event of its log, and
//! gives the goal its status in the same commit.

use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::{self as docs, GoalStatus, GoalsEventKind};
use hast_flow::flows::goals::auto::retry::agreeing_command;
use hast_flow::flows::goals::replay::Replay;
use hast_flow::inbox::{Action, Item, ItemKind, ItemState, Refused};
use hast_flow::time::UtcTime;
use hast_flow::words::{Lang, shell_word};
use hast_world::root_path::RootPath;
use serde_json::json;

use super::{Decision, Source, refusal};
use crate::app::App;
use crate::commands::calling;
use crate::commands::events::word;
use crate::commands::flow_root::unread;
use crate::commands::goals_history;
use crate::commands::goals_log::{self, Becomes, Wish};
use crate::commands::queue;
use crate::ops_messages::say;
use crate::problem::Problem;
use crate::queue_cli::StatusArg;

pub(super) struct Goals;

impl Source for Goals {
    fn flow(&self) -> FlowName {
        FlowName::Goals
    }

    fn items(&self, app: &App, root: &RootPath) -> Result<Vec<Item>, Problem> {
        let replay = goals_history::now(root).map_err(|error| unread(app, &error))?;
        let (goals, at) = (queue::goals_there(root), UtcTime::new(app.clock.now()));
        let shown = |item: &Item| match over(app.lang, &replay, goals.as_ref(), item) {
            Some(why) if item.is_open() => {
                Item { state: ItemState::Resolved { at, why }, ..item.clone() }
            }
            _ => item.clone(),
        };
        Ok(replay.inbox().items().map(shown).collect())
    }

    fn act(&self, app: &mut App, decision: &Decision<'_>) -> Result<String, Problem> {
        let Decision { root, item, deed, goal_status } = decision;
        let project = calling::project_at(app, root.clone())?;
        let mut replay = goals_history::now(root).map_err(|error| unread(app, &error))?;
        // What is done stays done: such an item is only seen and put away.
        let put_away = replay.is_done(&item.unit) && goal_status.is_none();
        let status = status(item, deed.action, *goal_status).filter(|_| !put_away);
        goals_log::write(app, &project, |_| {
            // Whoever was faster has decided: this look is not older than the commit.
            goals_history::catch_up(root, &mut replay).map_err(|error| unread(app, &error))?;
            let refused = |why: Refused| refusal(app, item.id.as_str(), &why);
            replay.inbox().act(&item.id, deed.clone()).map_err(refused)?;
            let goals = queue::goals_there(root);
            if let Some(why) = over(app.lang, &replay, goals.as_ref(), item) {
                return Err(refused(Refused::AlreadyResolved { why }));
            }
            let mut detail = json!({
                "inbox_id": item.id,
                "kind": item.kind,
                "action": deed.action,
                "operator": deed.operator,
                "text": deed.text,
                "status": status,
            });
            let unit = if item.kind == ItemKind::Decision { "decision_id" } else { "goal_id" };
            detail[unit] = json!(item.unit);
            let mut events = vec![(GoalsEventKind::InboxActed, detail)];
            let about = json!({"goal_id": item.unit, "status": status, "operator": deed.operator});
            events.extend(status.map(|status| match status {
                // Its attempts count from here on, as after `hast retry`.
                GoalStatus::Active => (GoalsEventKind::Retried, about),
                _ => (GoalsEventKind::StatusSet, about),
            }));
            let becomes = status.map(|status| match status {
                GoalStatus::Pending => Becomes::Pending,
                GoalStatus::Blocked => {
                    let why = deed.text.clone();
                    Becomes::Blocked(why.unwrap_or_else(|| say::rejected(app.lang, &deed.operator)))
                }
                GoalStatus::Active | GoalStatus::Done | GoalStatus::Dropped => Becomes::Active,
            });
            Ok(Wish {
                actor: deed.operator.clone(),
                status: becomes.map(|becomes| (item.unit.clone(), becomes)),
                goals: None,
                events,
            })
        })?;
        Ok(match (status, deed.action, item.command()) {
            (Some(GoalStatus::Active), Action::Approve, _) if asks_about_tests(item) => {
                say::judge_again(app.lang, shell_word(&item.unit))
            }
            (Some(GoalStatus::Active), ..) => say::active_again(app.lang, shell_word(&item.unit)),
            (Some(status), ..) => say::goal_is(app.lang, &item.unit, word(status)),
            (None, Action::Approve, Some(command)) => say::merge_it(app.lang, command),
            (None, ..) => String::new(),
        })
    }
}

/// True where an attempt failed for nothing but tests that are gone: the evidence names the command that agrees.
fn asks_about_tests(item: &Item) -> bool {
    let agreeing = agreeing_command(&item.unit);
    item.commands().any(|command| command == agreeing)
}

/// Why nobody needs to be asked about a goal any more: a person has closed it in `goals.yaml`, or taken
/// it out. Goals that cannot be read close nothing; nor does success what an earlier attempt did wrong.
pub(crate) fn over(
    lang: Lang,
    replay: &Replay,
    goals: Option<&docs::Goals>,
    item: &Item,
) -> Option<String> {
    let goals = goals.filter(|_| is_about_a_goal(item.kind))?;
    match queue::status_of(goals, &item.unit) {
        None => Some(say::goal_gone(lang, &item.unit)),
        Some(GoalStatus::Done) if item.kind.is_violation() && replay.is_done(&item.unit) => None,
        Some(status @ (GoalStatus::Done | GoalStatus::Dropped)) => {
            Some(say::goal_is(lang, &item.unit, word(status)))
        }
        Some(GoalStatus::Pending | GoalStatus::Active | GoalStatus::Blocked) => None,
    }
}

fn is_about_a_goal(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Login | ItemKind::Budget | ItemKind::NotStarted | ItemKind::Decision => false,
        ItemKind::EditConflict
        | ItemKind::ProtectedPath
        | ItemKind::ScopeViolation
        | ItemKind::MergeConflict
        | ItemKind::Confirmation
        | ItemKind::Question
        | ItemKind::BlockedGoal => true,
    }
}

/// What the goal becomes: approve -> active, reject -> blocked, defer -> stays. What is about agents
/// and not about a goal changes no goal.
fn status(item: &Item, action: Action, wanted: Option<StatusArg>) -> Option<GoalStatus> {
    if let Some(wanted) = wanted {
        return Some(wanted.status());
    }
    let about_goal = is_about_a_goal(item.kind);
    match action {
        Action::Approve if about_goal => Some(GoalStatus::Active),
        Action::Reject if about_goal => Some(GoalStatus::Blocked),
        Action::Approve | Action::Reject | Action::Defer => None,
    }
}
