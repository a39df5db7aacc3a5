//! The run of `hast auto`: goals in rooms, `--parallel N` of them at once.

use std::sync::{Arc, OnceLock};

use hast_flow::attempt::rooms::RoomAbility;
use hast_flow::attempt::settle::Commits;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::PacketLease;
use hast_flow::flows::goals::auto::AutoFlow;
use hast_flow::flows::goals::auto::lanes::{Delivery, LanePhase, LanesFlow, LanesView};
use hast_flow::flows::goals::selection::{Placed, placed};
use hast_world::calls::ledger::LedgerFile;

use super::effects::AutoEffects;
use super::eyes::{GoalEyes, whole_after_parts};
use super::leases::{AtOnce, Leases};
use crate::app::App;
use crate::auto_messages::say;
use crate::commands::calling::Project;
use crate::commands::driving::{self, Driven, Eyes, Unit};
use crate::commands::goals_files::GoalsFiles;
use crate::problem::Problem;
use crate::progress::board::Row;

pub(super) fn drive(
    app: &mut App,
    unit: Unit<'_>,
    auto: AutoFlow,
    width: usize,
    delivery: Option<(Delivery, PacketLease)>,
    eyes: &mut GoalEyes,
) -> Result<Driven<()>, Problem> {
    let (lang, project) = (app.lang, unit.project);
    if auto.settings.commits == Commits::Off && width > 1 {
        return Err(Problem::new(say::needs_commits(lang), say::needs_commits_next(lang)));
    }
    let limited = limited(app, project)?;
    let (setup, copy) = (project.config.setup().cloned(), project.config.copy().to_vec());
    let (delivery, lease) = delivery.unzip();
    let leases = match &lease {
        Some(lease) => Leases::of_packet(app, project, lease)?,
        None if width == 1 => Leases::open(app, project, AtOnce::One)?,
        None => Leases::open(app, project, AtOnce::Lanes(width))?,
    };
    let leases = Arc::new(leases);
    let claimed = Arc::clone(&leases);
    let flow = LanesFlow { auto, width, setup, copy, limited, delivery };
    let (root, config) = (project.root.clone(), project.config.clone());
    let variables = project.variables.clone();
    let ability = Arc::new(OnceLock::new());
    let found = Arc::clone(&ability);
    let others = move |guarded: &Arc<_>| {
        AutoEffects::open(&root, config, variables, Arc::clone(guarded), lang)
            .and_then(|effects| effects.with_leases(claimed).with_trees(&found))
            .map(|effects| Arc::new(effects) as Arc<_>)
            .map_err(|problem| Problem::new(problem.what(lang), problem.next(lang)))
    };
    let max_retries = flow.auto.settings.max_retries;
    let mut eyes_of_lanes = LaneEyes { goals: eyes, ability, max_retries };
    let driven = driving::drive(app, unit, &flow, others, &mut eyes_of_lanes, |_| ());
    // A lane that stays open asks for its goal again when it goes on.
    if lease.is_none() {
        leases.give_back();
    }
    eyes.drop_lock();
    driven
}

/// Goals whose last call a usage limit refused: being cut off there spent nothing.
fn limited(app: &mut App, project: &Project) -> Result<Vec<String>, Problem> {
    let files = GoalsFiles::read(app, &project.root)?;
    let ids: Vec<String> =
        placed(&files.goals).iter().map(|placed| placed.goal.id.clone()).collect();
    let ledger = LedgerFile::within(&project.machine);
    let refused = ledger.with(|ledger| {
        let unit = |id: &&String| format!("{}/{id}", FlowName::Goals.as_str());
        let refused = ids.iter().filter(|id| ledger.was_refused(&unit(id))).cloned().collect();
        (Vec::new(), refused)
    });
    Ok(refused.unwrap_or_default())
}

/// Watches several goals at once.
struct LaneEyes<'e> {
    goals: &'e mut GoalEyes,
    /// The kind of room that works here, until it is told.
    ability: Arc<OnceLock<RoomAbility>>,
    /// How many attempts a goal may have that says nothing about it.
    max_retries: u32,
}

impl Eyes<LanesView> for LaneEyes<'_> {
    fn rows(&self, view: &LanesView) -> Vec<Row> {
        let Some(Ok(goals)) = view.shared.goals.as_ref().map(|file| &file.goals) else {
            return Vec::new();
        };
        // What an earlier run left open is not worked on unless it was asked for.
        let is_ours = |goal: &String| {
            let run = view.shared.run.as_ref().filter(|_| self.goals.has_begun());
            run.is_some_and(|run| !run.left_alone.contains(goal))
        };
        let row = |placed: &Placed<'_>| {
            let ours = view.lanes.get(&placed.goal.id).filter(|lane| is_ours(&lane.goal));
            let Some(lane) = ours else {
                return self.goals.row(placed, None);
            };
            let turn = self.goals.turn_of(&view.shared, lane, self.max_retries(placed));
            let words = [turn.which.clone(), self.words(view.phase(lane))];
            let words: Vec<String> = words.into_iter().flatten().collect();
            // The first attempt at a goal is told of without a number.
            let told = turn.which.filter(|_| turn.number > 1).unwrap_or_default();
            let note = self.goals.failed_before(&view.shared, &lane.goal, turn.number);
            let note = note.unwrap_or_default();
            Row { told, note, ..self.goals.row(placed, Some(words.join(" · "))) }
        };
        whole_after_parts(placed(goals).iter().map(row).collect())
    }

    fn turn(&mut self, view: &LanesView) -> Vec<String> {
        let current = view.lanes.values().find_map(|lane| lane.current.as_ref());
        let mut lines: Vec<String> = self.tell_own_path().into_iter().collect();
        lines.extend(self.goals.tell_start(&view.shared, current));
        lines.extend(self.goals.tell_earlier_trees(&view.shared));
        for lane in view.lanes.values() {
            lines.extend(self.goals.tell_red_base(&view.shared, lane.current.as_ref()));
            lines.extend(self.goals.tell_judged(&view.shared, lane.current.as_ref()));
        }
        lines.extend(self.goals.tell_settled(&view.shared));
        lines
    }

    fn plain(&mut self, _: &LanesView) -> Vec<String> {
        self.goals.tell_failures()
    }
}

impl LaneEyes<'_> {
    /// Where rooms are not at the checkout's path although nobody asked for that, once.
    fn tell_own_path(&mut self) -> Option<String> {
        let lang = self.goals.lang();
        let told = std::mem::take(&mut self.ability);
        match told.get() {
            Some(ability) => ability.degraded().map(|why| say::own_path(lang, why.what(lang))),
            None => {
                self.ability = told;
                None
            }
        }
    }

    fn max_retries(&self, placed: &Placed<'_>) -> u32 {
        placed.goal.max_retries.map_or(self.max_retries, u32::from)
    }

    /// What is done in a lane; an agent tells that itself.
    fn words(&self, phase: LanePhase) -> Option<String> {
        let lang = self.goals.lang();
        Some(match phase {
            LanePhase::Preparing => say::lane_opening(lang),
            LanePhase::TestingBase => say::lane_testing(lang),
            LanePhase::Agent => return None,
            LanePhase::Judging => say::lane_judging(lang),
            LanePhase::PuttingBack => say::lane_putting_back(lang),
            LanePhase::WaitingForTurn => say::lane_waiting(lang),
            LanePhase::Merging => say::lane_merging(lang),
            LanePhase::Closing => say::lane_closing(lang),
        })
    }
}
