//! The end of a run that was interrupted, or that an agent's limit or login stopped: what the attempt
//! had left is saved and the tree goes back at once. Where that is not safe the next start decides.

use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::{AutoFlow, layout, starting, words};
use crate::roles::PolicyTable;
use crate::steps::{Ending, Notice, Step};
use crate::store::DocPath;

/// Clears away what the run of this flow has left, and ends.
#[derive(Clone, Debug)]
pub struct ClearingFlow {
    pub auto: AutoFlow,
}

impl Flow for ClearingFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, _: bool) -> bool {
        layout::is_read(path)
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let lang = facts.lang;
        let finish = |ending: fn(Notice) -> Ending| {
            let (what, next) = (words::cleared(lang), words::waiting_next(lang));
            Step::Finish(ending(Notice { what, next }))
        };
        if !view.is_cut_off() {
            return finish(Ending::Done);
        }
        starting::clear_away(&self.auto, view, facts).unwrap_or_else(|| finish(Ending::Blocked))
    }
}
