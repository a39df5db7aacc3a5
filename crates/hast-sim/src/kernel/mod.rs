//! The kernel flow under test: its planner and experts, what must hold of its documents, and what of
//! two ends must be equal.

mod actors;
mod checks;

use hast_flow::flows::kernel::decide::Asked;
use hast_flow::flows::kernel::{KernelFlow, NewRequest, View, layout};
use hast_flow::ids::RequestUuid;
use hast_flow::steps::{Commit, Effect, StepKey};

use crate::flows::subject::{Files, Performed, PersonsEdit, Promise, Subject, every_document};
use crate::rng::Rng;
use actors::Actors;

const REQUEST: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const PLAN: &str = "requests/01890a5d-ac96-774b-bcce-b302099a8057/plan.json";
const RESPONSE: &str = "requests/01890a5d-ac96-774b-bcce-b302099a8057/response.json";
const ERRORS: &str = "requests/01890a5d-ac96-774b-bcce-b302099a8057/errors.ndjson";

/// One request of one seed, from the boot to its response.
#[derive(Debug)]
pub struct Kernel {
    actors: Actors,
}

impl Kernel {
    pub fn new(seed: u64) -> Self {
        Self { actors: Actors::new(seed) }
    }
}

impl Subject for Kernel {
    type Flow = KernelFlow;

    fn flow(&self) -> KernelFlow {
        let asked = match REQUEST.parse::<RequestUuid>() {
            Ok(id) => Asked::Request { id, new: Some(NewRequest { text: "보고서".to_owned() }) },
            Err(_) => Asked::Boot,
        };
        KernelFlow { asked, max_regenerations: 2 }
    }

    fn clock_moves(&self) -> bool {
        false
    }

    fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        self.actors.perform(key, effect)
    }

    fn documents_hold(&self, files: &Files, edited: Option<&str>) -> Result<(), String> {
        checks::documents_hold(files, edited)
    }

    fn role_is_kept(&self, commit: &Commit) -> Result<(), String> {
        checks::role_is_kept(commit)
    }

    fn logs(&self) -> &'static [&'static str] {
        &[layout::LOG, ERRORS]
    }

    fn views_agree(&self, kept: &View, fresh: &View) -> Result<(), String> {
        checks::views_agree(kept, fresh)
    }

    fn essence(&self, files: &Files, ending: &str) -> Files {
        every_document(files, ending)
    }

    fn edit(&self, chance: &mut Rng) -> Option<PersonsEdit> {
        let (path, text, promise) = match chance.below(5) {
            0 => ("notes/mine.md", "메모\n", Promise::SameEnd),
            1 => (layout::MIRROR, "# 내 계획\n- [x] a\n", Promise::SomeEnd),
            2 => (layout::STATUS, "{\"mine\": true}\n", Promise::SomeEnd),
            3 => ("experts/ResearchExpert.yaml", "name: Somebody\n", Promise::SomeEnd),
            _ => (PLAN, "{\"todo_list\": []}\n", Promise::SomeEnd),
        };
        Some(PersonsEdit { puts_back: true, ..PersonsEdit::of(path, text, promise)? })
    }
}
