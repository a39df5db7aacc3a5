//! The run flow under test: its planner and executor, what must hold of its tables, and what of two
//! ends must be equal.

mod actors;
mod checks;
mod essence;

use hast_flow::docs::run::RunMode;
use hast_flow::flows::run::{Asked, Confirm, NewRun, PersonsAnswer, RunFlow, Said, View, layout};
use hast_flow::steps::{Commit, Effect, StepKey};

use crate::flows::subject::{Files, Performed, PersonsEdit, Promise, Subject};
use crate::rng::Rng;
use actors::Actors;

/// Every run of the sweep has this name.
const RUN: &str = "run-20260112-143000-001";
/// A run that somebody else drives in the same root.
const OTHER: &str = "run-20260112-143000-002";

/// One run of one seed, from its request to its deliverables.
#[derive(Debug)]
pub struct OneRun {
    actors: Actors,
    seed: u64,
}

impl OneRun {
    pub fn new(seed: u64) -> Self {
        Self { actors: Actors::new(seed), seed }
    }

    fn asked(&self) -> Asked {
        let mode = (!self.seed.is_multiple_of(3)).then_some(RunMode::InitialRun);
        let reason = "필요 없다".to_owned();
        let confirm = match self.seed % 7 {
            6 => Confirm::Said(Said::here(1, PersonsAnswer::Cancel(reason))),
            _ => Confirm::Yes,
        };
        Asked::Start(NewRun {
            text: "매출 | 보고서를\n만들어 줘".to_owned(), mode, confirm
        })
    }
}

impl Subject for OneRun {
    type Flow = RunFlow;

    fn flow(&self) -> RunFlow {
        let run = RUN.parse().unwrap_or_else(|_| unreachable!("an id of its own form"));
        RunFlow { run, asked: self.asked(), max_regenerations: 2 }
    }

    /// Another run, or the same once more. Where the mode is to be found out, an other run would
    /// change it.
    fn second(&self) -> RunFlow {
        let mut flow = self.flow();
        if self.seed % 3 == 1 {
            flow.run = OTHER.parse().unwrap_or(flow.run);
        }
        flow
    }

    fn clock_moves(&self) -> bool {
        false
    }

    fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        self.actors.perform(key, effect)
    }

    /// A start that came to no run leaves no file of the run. Killed before it could say so, it is
    /// asked for again; people's next start has another name.
    fn starts_anew(&self, key: &StepKey, files: &Files) -> bool {
        let Some((run, _)) = key.as_str().split_once("/start/") else { return false };
        let request = format!("runs/{run}/{}", layout::REQUEST);
        !files.contains_key(&request)
    }

    fn documents_hold(&self, files: &Files, edited: Option<&str>) -> Result<(), String> {
        checks::documents_hold(files, edited)
    }

    fn role_is_kept(&self, commit: &Commit) -> Result<(), String> {
        checks::role_is_kept(commit)
    }

    fn logs(&self) -> &'static [&'static str] {
        &[layout::LOG, checks::DECISIONS]
    }

    fn views_agree(&self, kept: &View, fresh: &View) -> Result<(), String> {
        checks::views_agree(kept, fresh)
    }

    fn essence(&self, files: &Files, ending: &str) -> Files {
        essence::of_the_run(files, ending)
    }

    fn edit(&self, chance: &mut Rng) -> Option<PersonsEdit> {
        let feedback = format!("runs/{RUN}/{}", layout::FEEDBACK);
        let (path, text, promise) = match chance.below(6) {
            0 => ("notes/mine.md", "메모\n", Promise::SameEnd),
            1 => ("assets/more.csv", "a,b\n", Promise::SameEnd),
            2 => (feedback.as_str(), "# 내가 고친 제안\n", Promise::SomeEnd),
            3 => (layout::TEMPLATE, TEMPLATE, Promise::SomeEnd),
            4 => (layout::CATALOG, CATALOG, Promise::SomeEnd),
            _ => (layout::INSTRUCTIONS, "내 지시사항은 표가 아니다\n", Promise::SomeEnd),
        };
        // A proposal is kept aside whole; of a table only rows are.
        let puts_back = path == feedback;
        Some(PersonsEdit { puts_back, ..PersonsEdit::of(path, text, promise)? })
    }
}

/// Two phases of a person's own.
const TEMPLATE: &str = "나의 단계\n\n| phase_purpose | phase_name |\n|---|---|\n| 보기 | LOOK |\n| 내기 | GENERATING_OUTPUT |\n";
/// A catalog that a person wrote anew, in another order.
const CATALOG: &str = "# 내 자료\n\n| summary | note | file_path | run_id | asset_type | source_task_id |\n|---|---|---|---|---|---|\n| 매출 | 내\\|것 | assets/sales.csv |  | ORIGINAL_INPUT |  |\n\n아래 글\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_asked_for_again_only_while_there_is_no_run() {
        let (run, mut files) = (OneRun::new(3), Files::new());
        let classify = StepKey::new(&[RUN, "start", "classify"]);
        assert!(run.starts_anew(&classify, &files));
        assert!(!run.starts_anew(&StepKey::new(&[RUN, "plan", "1"]), &files));
        files.insert(format!("runs/{RUN}/{}", layout::REQUEST), Vec::new());
        assert!(!run.starts_anew(&classify, &files));
    }
}
