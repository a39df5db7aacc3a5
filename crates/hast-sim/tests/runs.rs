//! A run flow whose rule is broken on purpose: the sweep over runs finds it.

#![cfg(test)]

use hast_flow::driver::{Delta, Facts, Flow, Patched, Taken};
use hast_flow::flows::run::{RunFlow, View, layout};
use hast_flow::roles::PolicyTable;
use hast_flow::steps::{Commit, Effect, Step, StepKey};
use hast_flow::store::DocPath;
use hast_sim::flows::subject::{Files, Performed, PersonsEdit, Subject};
use hast_sim::flows::{Name, Report, sweep};
use hast_sim::rng::Rng;
use hast_sim::runs::OneRun;

/// What a careless change might do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    Nothing,
    /// The catalog row is left for later.
    CatalogLater,
    /// A result counts, and the log of steps does not know.
    StepsStayOpen,
    /// A failure is told, and what failed is not marked.
    FailureUnmarked,
}

struct Careless {
    flow: RunFlow,
    broken: Broken,
}

impl Flow for Careless {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        self.flow.policy()
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        self.flow.reads(path, is_dir)
    }

    fn rests_on(&self, view: &View) -> Vec<DocPath> {
        self.flow.rests_on(view)
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        let unseen = self.broken == Broken::FailureUnmarked && view.runs().is_some();
        if unseen && matches!(delta, Delta::Document { path, .. } if path.as_str() == layout::RUNS)
        {
            return;
        }
        self.flow.fold(view, delta);
    }

    fn fold_patch(&self, view: &mut View, patch: &Patched<'_>) -> Taken {
        self.flow.fold_patch(view, patch)
    }

    fn news(&self) -> Taken {
        self.flow.news()
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let mut step = self.flow.next_step(view, facts);
        if let Step::Commit(commit) = &mut step {
            match self.broken {
                Broken::Nothing => {}
                Broken::FailureUnmarked if commit.reason.ends_with("failed") => {
                    commit.puts.retain(|put| !put.path().as_str().contains("/db/"));
                }
                Broken::FailureUnmarked => {}
                Broken::CatalogLater => commit.puts.retain(|put| {
                    put.path().as_str() != layout::CATALOG || view.catalog().is_none()
                }),
                Broken::StepsStayOpen => commit.finishes.clear(),
            }
        }
        step
    }
}

struct Tested {
    run: OneRun,
    broken: Broken,
}

impl Subject for Tested {
    type Flow = Careless;

    fn flow(&self) -> Careless {
        Careless { flow: self.run.flow(), broken: self.broken }
    }

    fn second(&self) -> Careless {
        Careless { flow: self.run.second(), broken: self.broken }
    }

    fn clock_moves(&self) -> bool {
        self.run.clock_moves()
    }

    fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        self.run.perform(key, effect)
    }

    fn documents_hold(&self, files: &Files, edited: Option<&str>) -> Result<(), String> {
        self.run.documents_hold(files, edited)
    }

    fn role_is_kept(&self, commit: &Commit) -> Result<(), String> {
        self.run.role_is_kept(commit)
    }

    fn logs(&self) -> &'static [&'static str] {
        self.run.logs()
    }

    fn views_agree(&self, kept: &View, fresh: &View) -> Result<(), String> {
        self.run.views_agree(kept, fresh)
    }

    fn essence(&self, files: &Files, ending: &str) -> Files {
        self.run.essence(files, ending)
    }

    fn edit(&self, chance: &mut Rng) -> Option<PersonsEdit> {
        self.run.edit(chance)
    }
}

fn diverged(broken: Broken) -> Vec<String> {
    let mut report = Report::default();
    for seed in [1, 4, 7] {
        let new = |seed| Tested { run: OneRun::new(seed), broken };
        sweep(Name::Run, seed, 997, new, &mut report);
    }
    report.diverged.iter().map(|(case, why)| format!("{case}: {why}")).collect()
}

#[test]
fn a_careful_flow_ends_like_the_undisturbed_one_and_a_careless_one_is_found() {
    assert_eq!(diverged(Broken::Nothing), Vec::<String>::new());
    for broken in [Broken::CatalogLater, Broken::StepsStayOpen, Broken::FailureUnmarked] {
        assert!(!diverged(broken).is_empty(), "{broken:?} was not found");
    }
}
