//! The tests on the base, before the first attempt at a goal. They run once for each tree and command; a
//! judged run counts for whoever begins at the commit that it judged.

use serde_json::json;

use crate::attempt::evidence::{TestEnd, TestRun};
use crate::attempt::workspace::{GitResult, GitStep, Head, Looked};
use crate::attempt_steps::{blocked, unexpected};
use crate::docs::goals::{Goal, GoalsEventKind as Kind};
use crate::driver::Facts;
use crate::flows::goals::auto::asking::git;
use crate::flows::goals::auto::tested::BaseRun;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::working::key;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{AutoFlow, layout, words};
use crate::steps::{Check, Effect, EffectResult, Step};

/// How the tests end on the base, and by what that is known.
#[derive(Clone, Debug)]
pub(super) struct KnownRun {
    pub(super) run: BaseRun,
    pub(super) by: KnownBy,
}

/// A judged run is forgotten as soon as another lane has settled. Where the tests then run after all,
/// they write files: the start is recorded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownBy {
    Event,
    JudgedRun,
}

impl KnownBy {
    /// The part of the step that records the start.
    pub(super) fn record_part(self) -> &'static str {
        match self {
            Self::Event => "record",
            Self::JudgedRun => "record-judged",
        }
    }
}

/// How the tests end on the base.
pub(super) fn on_base(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    goal: &Goal,
    number: u32,
) -> Result<Option<KnownRun>, Step> {
    let look = key(&goal.id, number, &["look"]);
    let looked = match git(view, facts, look.clone(), || GitStep::Look {
        rules: flow.settings.tree_rules(),
    })? {
        GitResult::Looked(looked) => looked,
        _ => return Err(unexpected(&look, facts.lang)),
    };
    let Some(tree) = &looked.tree else { return Ok(None) };
    let command = flow.settings.test_command_of(goal);
    if let Some(run) = just_tested(view, looked, command) {
        return Ok(Some(KnownRun { run, by: KnownBy::JudgedRun }));
    }
    let kept = (tree.to_string(), command.to_owned());
    if let Some(run) = view.tested.get(&kept) {
        return Ok(Some(KnownRun { run: run.clone(), by: KnownBy::Event }));
    }
    let check = key(&goal.id, number, &["base-tests"]);
    match view.results.get(&check) {
        None => {
            let limit_seconds = flow.settings.timeout_of(goal).seconds();
            let effect =
                Effect::Check(Check { command: kept.1, tree: tree.clone(), limit_seconds });
            Err(Step::Effect { key: check, effect })
        }
        // It would be the same after each attempt. Nothing is written down: whoever installs it goes on.
        Some(EffectResult::Check(TestRun { end: TestEnd::NoProgram { name, .. }, .. })) => {
            let what = words::no_test_program(facts.lang, command, name);
            let next = match &goal.test_command {
                Some(_) => words::no_test_program_of_goal_next(facts.lang, name, &goal.id),
                None => words::no_test_program_next(facts.lang, name),
            };
            Err(blocked(what, next))
        }
        Some(EffectResult::Check(run)) => {
            let tally = &run.counted.tally;
            let mut detail = json!({
                "goal_id": goal.id,
                "tree": tree,
                "command": command,
                "end": run.end,
                layout::TALLY: tally,
            });
            let tail = BaseRun::of(run.end.clone(), &run.tail, tally.clone()).tail;
            if !tail.is_empty() {
                detail[layout::TAIL] = json!(tail);
            }
            let draft = Draft::of_one(view, facts, "the tests on the base", check);
            let next = key(&goal.id, number, &[KnownBy::Event.record_part()]);
            Err(draft.event(Kind::BaseTested, detail).starts(next).step())
        }
        Some(_) => Err(unexpected(&check, facts.lang)),
    }
}

/// How the tests of this run ended on the very files that are here: nothing but goals.yaml was committed
/// since.
fn just_tested(view: &View, looked: &Looked, command: &str) -> Option<BaseRun> {
    let tested = view.just_tested.as_ref().filter(|tested| tested.command == command)?;
    let Head::Branch { commit, .. } = &looked.head else { return None };
    (*commit == tested.head).then(|| tested.run.clone())
}
