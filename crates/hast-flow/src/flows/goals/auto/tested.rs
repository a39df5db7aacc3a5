//! The part of the view that outlasts an attempt: how tests ended, on a tree and on the files that the branch
//! has now, and which handoffs are no last session.

use serde_json::Value;

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::TestEnd;
use crate::docs::goals::GoalsEvent;
use crate::flows::goals::auto::view::{View, detail};
use crate::flows::goals::auto::{evidence, layout};
use crate::suites::Tally;

/// A run of the tests on a base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseRun {
    pub end: TestEnd,
    /// The last lines where they failed.
    pub tail: String,
    /// The numbers that it told of its tests.
    pub tally: Tally,
}

/// The files of a commit, but for goals.yaml, and how the tests of this run ended on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JustTested {
    pub head: ObjectId,
    pub command: String,
    pub run: BaseRun,
}

impl BaseRun {
    /// Output is kept only where it says what is to be repaired.
    pub(super) fn of(end: TestEnd, output: &str, tally: Tally) -> Self {
        let tail = match &end {
            TestEnd::Red { .. } => evidence::tail(output),
            TestEnd::Green | TestEnd::CouldNotRun { .. } | TestEnd::NoProgram { .. } => {
                String::new()
            }
        };
        Self { end, tail, tally }
    }
}

impl View {
    pub(super) fn take_base_tests(&mut self, event: &GoalsEvent) {
        let tested = (detail(event, "tree"), detail(event, "command"), detail(event, "end"));
        // An earlier version told no numbers: its runs say nothing about how many tests there are.
        let tally = detail(event, layout::TALLY);
        if let ((Some(tree), Some(command), Some(end)), Some(tally)) = (tested, tally) {
            let tail = detail(event, layout::TAIL).unwrap_or_default();
            self.tested.insert((tree, command), BaseRun { end, tail, tally });
        }
        self.results.retain(|key, _| !key.as_str().ends_with("/base-tests"));
    }

    /// An attempt is over: where it passed, its own tests ran on what is committed; where the tree went
    /// back, those on its base tell of what is there again.
    pub(super) fn tests_of_settled(&self, event: &GoalsEvent, goal: &str) -> Option<JustTested> {
        let text = |key: &str| event.detail.get(key).and_then(Value::as_str);
        let number = event.detail.get("attempt")?.as_u64()?;
        let documents = self.documents_of(goal, u32::try_from(number).ok()?)?;
        let record = documents.record.as_ref()?;
        let run = match text("then")? {
            "done" => {
                let verdict = documents.last_verdict()?;
                BaseRun::of(verdict.tests.clone()?, &verdict.test_tail, verdict.tally.clone()?)
            }
            "blocked" => record.base_run()?,
            _ => return None,
        };
        let (head, command) = (text("head")?.parse().ok()?, record.test_command.clone());
        Some(JustTested { head, command, run })
    }

    /// A commit of goals.yaml alone changes nothing that is tested.
    fn tests_hold_after(&mut self, event: &GoalsEvent) {
        let settled = self.current.as_ref().and_then(|current| current.settled.as_ref());
        let (Some(tested), Some(settled)) = (&mut self.just_tested, settled) else { return };
        let elsewhere = event.detail.contains_key(layout::ELSEWHERE);
        if let (Some(commit), false) = (detail(event, "commit"), elsewhere)
            && tested.head == settled.head
        {
            tested.head = commit;
        }
    }

    pub(super) fn take_goals_committed(&mut self, event: &GoalsEvent) {
        self.tests_hold_after(event);
        self.current = None;
        // A commit of the file has all that is in it.
        let all = [layout::OWED, layout::ELSEWHERE];
        if !all.iter().any(|key| event.detail.contains_key(*key)) {
            self.owed = None;
        }
        self.results.clear();
    }
}
