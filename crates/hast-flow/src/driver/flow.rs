//! A flow tells the driver everything through the [`Flow`] trait: its policy, the documents it
//! reads, the fold into its view, and the next step. A flow is pure and performs nothing itself.

use crate::roles::PolicyTable;
use crate::steps::{CallResult, Commit, Step, StepKey};
use crate::store::DocPath;

use super::guard::Touched;
use super::world::{Delta, Facts, Patched, Taken};

/// A flow: what its documents mean, and what comes next. Pure.
pub trait Flow {
    type View: Default;

    fn policy(&self) -> &PolicyTable;

    /// Whether the flow wants to know of a document, or of anything below a directory. Where it
    /// does not, nothing is opened, listed or looked at.
    fn reads(&self, _path: &DocPath, _is_dir: bool) -> bool {
        true
    }

    /// Documents that the next decision rests on and that others may change. They are looked at
    /// before each decision, so there should be few; a directory that is not read may hold them.
    fn rests_on(&self, _view: &Self::View) -> Vec<DocPath> {
        Vec::new()
    }

    /// Whether nobody but the driver may change a document while it drives. What others make of it is
    /// not taken into the view; [`Self::touched`] is told instead.
    fn guards(&self, _path: &DocPath) -> bool {
        false
    }

    /// Somebody else changed a guarded document; the view still has what it was. A commit of the flow
    /// that writes the document ends it.
    fn touched(&self, _view: &mut Self::View, _touched: &Touched<'_>) {}

    /// Takes a change into the view. A fresh read is a fold from nothing.
    fn fold(&self, view: &mut Self::View, delta: &Delta<'_>);

    /// Takes other bytes in the middle of a document into the view, if the flow can do that without
    /// seeing the rest of it. Where it cannot, the document is read again.
    fn fold_patch(&self, _view: &mut Self::View, _patch: &Patched<'_>) -> Taken {
        Taken::No
    }

    /// Whether the view takes, at any time and in any order, documents that are new, logs that grew,
    /// and other contents of what it rests on. Where it does not, everything is read again after
    /// another process's commit.
    fn news(&self) -> Taken {
        Taken::No
    }

    fn next_step(&self, view: &Self::View, facts: &Facts<'_>) -> Step;

    /// What to write down about a result that ends the drive and never counts: a limit, a login, a
    /// budget. For people; the step stays open.
    fn stopped(
        &self,
        _view: &Self::View,
        _key: &StepKey,
        _result: &CallResult,
        _facts: &Facts<'_>,
    ) -> Option<Commit> {
        None
    }
}
