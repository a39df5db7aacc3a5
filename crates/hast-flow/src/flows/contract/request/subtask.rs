//! The fold of the log for one subtask: its stage, its gates and its rounds.

use super::{
    Attempt, Back, Detail, Failure, Gate, Judged, SetAside, Stage, Subtask, TestKind, Tests,
};
use crate::attempt::base::ObjectId;
use crate::attempt::worktrees::Target;
use crate::docs::contract::{ContractEventKind as Kind, GateStatus, WorkStatus};

impl Subtask {
    pub(super) fn take(&mut self, kind: Kind, detail: Detail<'_>) {
        match kind {
            Kind::SubtaskStarted => self.status = WorkStatus::InProgress,
            Kind::AttemptStarted => {
                let number = detail.number("attempt");
                self.last_attempt = self.last_attempt.max(number);
                self.onto = detail.read::<String>("onto").map(Target::from).or(self.onto.take());
                self.put_attempt(Some(Attempt { number, ended: None }));
            }
            Kind::AttemptInterrupted => {
                self.set_aside(detail);
                self.put_attempt(None);
            }
            Kind::TestsWritten | Kind::WorkEnded => {
                let (number, ended) = (detail.number("attempt"), detail.read("end"));
                self.put_attempt(Some(Attempt { number, ended }));
            }
            Kind::GatePassed => self.passed(detail),
            Kind::GateFailed => self.failed(detail),
            Kind::Committed => self.committed(detail),
            Kind::Tested => {
                if let Stage::Verification { tested, .. } = &mut self.stage {
                    *tested = detail.read("tested");
                }
            }
            Kind::SentBack => self.sent_back(detail),
            Kind::SubtaskCompleted => {
                self.status = WorkStatus::Completed;
                self.stage = Stage::Complete;
            }
            _ => {}
        }
    }

    fn set_aside(&mut self, detail: Detail<'_>) {
        if let Some(saved) = detail.text("saved").map(str::to_owned) {
            let aside = detail.read("aside").unwrap_or_default();
            self.returns.push(SetAside { saved, aside });
        }
    }

    fn put_attempt(&mut self, new: Option<Attempt>) {
        match &mut self.stage {
            Stage::TestFirst { attempt } | Stage::Implementation { attempt } => *attempt = new,
            _ => {}
        }
    }

    fn gate(&mut self, gate: Gate) -> &mut GateStatus {
        let pending = GateStatus::Pending;
        match gate {
            Gate::Tests => &mut self.gates.gate_1,
            Gate::Verification => &mut self.gates.gate_2,
            Gate::Scope => self.gates.gate_3.get_or_insert(pending),
            Gate::Design => self.gates.gate_4.get_or_insert(pending),
        }
    }

    fn passed(&mut self, detail: Detail<'_>) {
        let Some(gate) = detail.read::<Gate>("gate") else { return };
        *self.gate(gate) = GateStatus::Passed;
        let judged: Option<Judged> = detail.read("judged");
        match (gate, judged) {
            (Gate::Tests, Some(judged)) => {
                let (kind, sha256) = (detail.read("tests"), detail.read("sha256"));
                if let (Some(kind), Some(sha256)) = (kind, sha256) {
                    let (attempt, commit) = (judged.attempt, None);
                    self.tests = Some(Tests { attempt, kind, sha256, commit });
                    if kind == TestKind::Checklist {
                        (self.gates.gate_3, self.gates.gate_4) = (None, None);
                    }
                }
                self.stage = Stage::TestsPassed { judged };
            }
            (Gate::Scope, Some(judged)) => {
                self.built = detail.read("built");
                self.stage = Stage::Review { judged };
            }
            (Gate::Design, judged) => self.stage = Stage::Verification { judged, tested: None },
            (Gate::Verification, judged) => self.stage = Stage::Passed { judged },
            (Gate::Tests | Gate::Scope, None) => {}
        }
    }

    fn failed(&mut self, detail: Detail<'_>) {
        let (Some(gate), Some(to)) = (detail.read::<Gate>("gate"), detail.read("to")) else {
            return;
        };
        // Gates that have to be passed again.
        let again: &[Gate] = match to {
            Back::TestFirst | Back::Design => {
                &[Gate::Tests, Gate::Scope, Gate::Design, Gate::Verification]
            }
            Back::Implementation => &[Gate::Scope, Gate::Design, Gate::Verification],
        };
        let checklist = self.gates.gate_3.is_none();
        for one in again {
            if !checklist || matches!(one, Gate::Tests | Gate::Verification) {
                *self.gate(*one) = GateStatus::Pending;
            }
        }
        *self.gate(gate) = GateStatus::Failed;
        self.failures.push(Failure {
            round: self.round,
            gate,
            reasons: detail.read("reasons").unwrap_or_default(),
            to,
            tail: detail.text("tail").unwrap_or_default().to_owned(),
            stops: detail.read("stops"),
            saved: None,
        });
        self.stage = Stage::Failing { attempt: detail.read("rolls_back"), to };
    }

    fn committed(&mut self, detail: Detail<'_>) {
        let commit: Option<ObjectId> = detail.read("commit");
        self.commits.extend(commit.clone());
        if let Stage::TestsPassed { .. } = self.stage {
            if let Some(tests) = &mut self.tests {
                tests.commit = commit;
            }
            let red = self.tests.as_ref().is_some_and(|tests| tests.kind == TestKind::Red);
            self.stage = match red {
                true => Stage::Implementation { attempt: None },
                false => Stage::Verification { judged: None, tested: None },
            };
        }
    }

    fn sent_back(&mut self, detail: Detail<'_>) {
        let Some(to) = detail.read::<Back>("to") else { return };
        if let Some(last) = self.failures.last_mut() {
            last.saved = detail.text("saved").map(str::to_owned);
        }
        self.set_aside(detail);
        self.round += 1;
        self.spent += 1;
        self.stage = match to {
            Back::Implementation => Stage::Implementation { attempt: None },
            Back::TestFirst | Back::Design => {
                self.tests = None;
                // Whether it is a checklist is for the next contract to say.
                self.gates.gate_3.get_or_insert(GateStatus::Pending);
                self.gates.gate_4.get_or_insert(GateStatus::Pending);
                Stage::TestFirst { attempt: None }
            }
        };
    }
}
