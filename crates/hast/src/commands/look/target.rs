//! The goal or attempt that is typed as `M3` or `M3@2`, with what happened to it.

use hast_flow::attempt::recovery::Owner;
use hast_flow::docs::goals::{Goal, Goals, GoalsEvent};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::selection::{find_typed, placed};
use hast_flow::flows::goals::story::{Story, Tried};
use hast_flow::words::{shell_word, visible};
use hast_world::auto_lock;
use hast_world::log_lines::each_line;
use hast_world::root_path::RootPath;

use crate::app::App;
use crate::commands::flow_root::unread;
use crate::commands::goals_files::find_root;
use crate::commands::{goals_history, queue};
use crate::look_messages::say;
use crate::problem::Problem;

/// A goal, or one of its attempts, that is to be looked at.
pub(crate) struct Target {
    pub(crate) root: RootPath,
    /// All goals, where the file can be read.
    pub(crate) goals: Goals,
    pub(crate) id: String,
    /// None: the goal is not in the file any more.
    pub(crate) goal: Option<Goal>,
    pub(crate) story: Story,
    pub(crate) number: Option<u32>,
}

/// Finds what is typed; ids may differ in case, and an id may have an `@` itself.
pub(crate) fn find(app: &App, typed: &str) -> Result<Target, Problem> {
    let root = find_root(app)?;
    let goals = queue::goals_there(&root).unwrap_or_default();
    let numbered = typed.rsplit_once('@');
    let numbered = numbered.and_then(|(id, number)| Some((id, number.parse::<u32>().ok()?)));
    let all = placed(&goals);
    let known = |id: &str| find_typed(&all, id).map(|placed| placed.goal.clone());
    let (goal, number) = match (known(typed), numbered) {
        (Some(goal), _) => (Some(goal), None),
        (None, Some((id, number))) => (known(id), Some(number)),
        (None, None) => (None, None),
    };
    let typed_id = numbered.filter(|_| number.is_some()).map_or(typed, |(id, _)| id);
    let id = goal.as_ref().map_or(typed_id, |goal| &goal.id).to_owned();
    let story = story(app, &root, &id)?;
    if goal.is_none() && story.attempts.is_empty() {
        let what = say::no_goal(app.lang, visible(typed));
        return Err(Problem::new(what, say::no_goal_next(app.lang)));
    }
    let target = Target { root, goals, id, goal, story, number };
    if target.number.is_some() {
        target.tried(app)?;
    }
    Ok(target)
}

/// How far an attempt came whose end is not written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    UnderWay,
    /// The run died; the next one goes on with it.
    CutOff,
    /// A later attempt was begun.
    Left,
}

impl Target {
    /// A run works in this checkout now.
    pub(crate) fn is_run_alive(&self) -> bool {
        let found = auto_lock::find(&self.root.join(layout::DIRECTORY));
        found.ok().flatten().is_some_and(|found| found.owner == Owner::Alive)
    }

    /// An attempt whose end is not written down, and whether a run works on it.
    pub(crate) fn unfinished(&self, tried: &Tried) -> Option<Unfinished> {
        if tried.class.is_some() {
            return None;
        }
        let is_last = self.story.attempts.last().is_some_and(|last| last.number == tried.number);
        Some(match (is_last, self.is_run_alive()) {
            (false, _) => Unfinished::Left,
            (true, true) => Unfinished::UnderWay,
            (true, false) => Unfinished::CutOff,
        })
    }

    /// Why there is nothing of an attempt to look at.
    pub(crate) fn no_work(&self, app: &App, tried: &Tried) -> Problem {
        let (lang, goal) = (app.lang, visible(&self.id));
        let word = visible(&shell_word(&self.id)).into_owned();
        match self.unfinished(tried) {
            Some(Unfinished::UnderWay) => Problem::new(
                say::still_under_way(lang, goal, tried.number),
                say::follow_next(lang, word),
            ),
            _ => Problem::new(say::no_work(lang, goal, tried.number), say::show_next(lang, word)),
        }
    }

    /// The attempt that is meant.
    pub(crate) fn tried(&self, app: &App) -> Result<&Tried, Problem> {
        let (lang, goal) = (app.lang, visible(&self.id));
        let word = visible(&shell_word(&self.id)).into_owned();
        self.story.attempt(self.number).ok_or_else(|| match self.number {
            Some(number) if !self.story.attempts.is_empty() => {
                Problem::new(say::no_attempt(lang, goal, number), say::show_next(lang, word))
            }
            _ => Problem::new(say::not_tried(lang, goal), say::not_tried_next(lang, word)),
        })
    }
}

/// Paths below the root that are no part of what an attempt changed: files that hast writes for itself, and handoffs.
pub(crate) fn files_of_hast() -> Vec<String> {
    let machine = layout::MACHINE_FILES.iter().map(|name| format!("{}/{name}", layout::DIRECTORY));
    machine.chain([format!("{}/", layout::HANDOFFS)]).collect()
}

/// Lines that name the goal are read whole, and no others.
pub(crate) fn story(app: &App, root: &RootPath, goal: &str) -> Result<Story, Problem> {
    let mut story = Story::new(goal);
    each_event(app, root, goal, &mut |event| story.take(&event))?;
    Ok(story)
}

/// Calls `each` with the events of a goal, oldest first, archived ones too.
pub(crate) fn each_event(
    app: &App,
    root: &RootPath,
    goal: &str,
    each: &mut dyn FnMut(GoalsEvent),
) -> Result<(), Problem> {
    let named = serde_json::to_string(goal).unwrap_or_default();
    let is_about = |event: &GoalsEvent| {
        event.detail.get("goal_id").and_then(serde_json::Value::as_str) == Some(goal)
    };
    for file in goals_history::files(root).map_err(|error| unread(app, &error))? {
        let mut take = |line: &[u8]| {
            if !String::from_utf8_lossy(line).contains(&named) {
                return;
            }
            let event = serde_json::from_slice::<GoalsEvent>(line).ok();
            event.filter(is_about).into_iter().for_each(&mut *each);
        };
        each_line(&file, 0, &mut take).map_err(|error| unread(app, &error))?;
    }
    Ok(())
}
