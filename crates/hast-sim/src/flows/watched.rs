//! A flow that is watched: every commit it asks for is kept, so that a checker with its own table
//! can say whether a role stayed behind its wall.

use std::cell::RefCell;
use std::collections::BTreeSet;

use hast_flow::driver::{Delta, Facts, Flow, Patched, Taken};
use hast_flow::roles::PolicyTable;
use hast_flow::steps::{CallResult, Commit, Step, StepKey};
use hast_flow::store::DocPath;

use crate::planted::Planted;

pub(super) struct Watched<F> {
    flow: F,
    pub(super) commits: RefCell<Vec<Commit>>,
    /// Documents that the flow was shown, there or not.
    pub(super) read: RefCell<BTreeSet<DocPath>>,
    planted: Option<Planted>,
}

impl<F> Watched<F> {
    pub(super) fn with(flow: F, planted: Option<Planted>) -> Self {
        Self { flow, commits: RefCell::default(), read: RefCell::default(), planted }
    }

    #[cfg(test)]
    pub(super) fn new(flow: F) -> Self {
        Self::with(flow, None)
    }
}

impl<F: Flow> Flow for Watched<F> {
    type View = F::View;

    fn policy(&self) -> &PolicyTable {
        self.flow.policy()
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        self.flow.reads(path, is_dir)
    }

    fn rests_on(&self, view: &F::View) -> Vec<DocPath> {
        self.flow.rests_on(view)
    }

    fn fold(&self, view: &mut F::View, delta: &Delta<'_>) {
        if let Delta::Document { path, .. } | Delta::Appended { path, .. } | Delta::Gone { path } =
            delta
        {
            self.read.borrow_mut().insert((*path).clone());
        }
        self.flow.fold(view, delta);
    }

    fn fold_patch(&self, view: &mut F::View, patch: &Patched<'_>) -> Taken {
        self.flow.fold_patch(view, patch)
    }

    fn news(&self) -> Taken {
        self.flow.news()
    }

    fn next_step(&self, view: &F::View, facts: &Facts<'_>) -> Step {
        let mut step = self.flow.next_step(view, facts);
        if let Step::Commit(commit) = &mut step {
            if let Some(planted) = self.planted {
                planted.spoil(commit);
            }
            self.commits.borrow_mut().push(commit.clone());
        }
        step
    }

    fn stopped(
        &self,
        view: &F::View,
        key: &StepKey,
        result: &CallResult,
        facts: &Facts<'_>,
    ) -> Option<Commit> {
        self.flow.stopped(view, key, result, facts)
    }
}
