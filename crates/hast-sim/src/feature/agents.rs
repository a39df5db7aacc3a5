//! Agents of the contract flow that mostly do their work, and in the first round sometimes not. What they
//! do follows from the seed and the call alone.

use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, perform};
use hast_flow::attempt::worktrees::{self, TreeName};
use hast_flow::steps::{Answer, Call, CallResult, Effect, EffectResult, Place, ToolAnswer};
use hast_flow::suites::Counted;
use serde_json::{Value, json};

use crate::git::{Machine, RoomFault, SimWorkspace, SimWorktrees};
use crate::lanes::hands::last_part;
use crate::rng::Rng;

const AT: &str = "2026-01-12T14:30:00Z";
const TESTS: &str = "needs src/total.sh good";
const CODE: &str = "total() {\n    echo good\n}\n";

/// The test file of a subtask.
fn test_file(unit: &str) -> &'static str {
    if unit == "T1-S2" { "tests/more.test" } else { "tests/total.test" }
}

#[derive(Debug)]
pub(super) struct Hands {
    pub(super) workspace: SimWorkspace,
    pub(super) seed: u64,
}

/// What goes wrong in the first round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    GreenTests,
    OutsideScope,
    WeakTests,
    RedSuite,
    ReviewFails,
    NoWork,
}

impl Hands {
    fn wrong(&self, call: &Call) -> Wrong {
        const ALL: [Wrong; 7] = [
            Wrong::Nothing,
            Wrong::GreenTests,
            Wrong::OutsideScope,
            Wrong::WeakTests,
            Wrong::RedSuite,
            Wrong::ReviewFails,
            Wrong::NoWork,
        ];
        match call.attempt {
            1 => ALL[Rng::new(self.seed).below(ALL.len())],
            _ => Wrong::Nothing,
        }
    }

    pub(super) fn perform(&mut self, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Within { tree, effect } => self.within(last_part(tree), effect),
            Effect::Worktree(step) => {
                let mut trees = SimWorktrees::new(self.workspace.clone(), RoomFault::None);
                EffectResult::Worktree(worktrees::perform(&mut trees, step))
            }
            Effect::Call(call) => {
                let done = self.answer(call).and_then(|answer| {
                    self.workspace.operate(Machine::sync_rooms)?;
                    Ok(answer)
                });
                // Who dies in the middle of the work gives no answer.
                EffectResult::Call(done.unwrap_or(CallResult::Cancelled))
            }
            // A contract asks for none of these.
            Effect::Git(_) | Effect::Check(_) | Effect::Scan(_) | Effect::Lease(_) => {
                EffectResult::Tools(Vec::new())
            }
            Effect::Tools(uses) => {
                let nothing = || Ok(ToolAnswer::of("{}"));
                EffectResult::Tools(uses.iter().map(|_| nothing()).collect())
            }
        }
    }

    fn within(&self, tree: &str, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => {
                let trees = SimWorktrees::new(self.workspace.clone(), RoomFault::None);
                let lost = || GitProblem::Lost { what: tree.to_owned() };
                let unit = TreeName::read(tree).ok_or_else(lost);
                EffectResult::Git(match unit.and_then(|unit| trees.workspace(&unit)) {
                    Ok(mut room) => perform(&mut room, step),
                    Err(problem) => GitResult::Refused(problem),
                })
            }
            Effect::Check(_) => EffectResult::Check(self.suite(tree)),
            _ => EffectResult::Tools(Vec::new()),
        }
    }

    /// Writes a file in the room that a call is in.
    fn write(&self, call: &Call, path: &str, text: &str) -> Result<(), GitProblem> {
        let Place::Worktree(tree) = &call.place else { return Ok(()) };
        let tree = last_part(tree);
        self.workspace.inside(tree).operate(|machine| {
            let files = machine.files_in_mut(Some(tree));
            files.insert(path.to_owned(), text.as_bytes().to_vec());
        })
    }

    /// Each test file is a test, which passes unless it wants code that is not there or raises.
    fn suite(&self, tree: &str) -> TestRun {
        let machine = self.workspace.machine.borrow();
        let files = machine.files_in(Some(tree));
        let code = files.get("src/total.sh").map(|file| String::from_utf8_lossy(file));
        let works = code.is_some_and(|code| code.contains("good") && !code.contains("replaced"));
        let tests = files.iter().filter(|(path, _)| path.ends_with(".test"));
        let results = tests.map(|(path, text)| (path, text != TESTS.as_bytes() || works));
        let (mut tail, mut end) = (String::new(), TestEnd::Green);
        for (number, (path, passes)) in (1..).zip(results) {
            tail += &format!("{}ok {number} - {path}\n", if passes { "" } else { "not " });
            if !passes {
                end = TestEnd::Red { code: 1 };
            }
        }
        TestRun { end, counted: Counted::of(&tail, &[], &[]), tail }
    }

    /// A second subtask, which finds its code there.
    fn subtasks(&self) -> Value {
        let all = ["T1-S1", "T1-S2"].iter().take(if self.seed % 2 == 1 { 2 } else { 1 });
        all.map(|id| json!({"id": id, "name": "s", "description": "d"})).collect()
    }

    fn answer(&self, call: &Call) -> Result<CallResult, GitProblem> {
        let wrong = self.wrong(call);
        let documents = match call.step {
            "explore" => json!({"explored.yaml": with(call, "code-explore", json!({
                "project_manifest": {"claude_md": null, "agents_md": null},
                "explored_files": [], "directory_structure": {},
            }))}),
            "breakdown" => json!({"task-breakdown.yaml": with(call, "planner", json!({
                "original_request": "r", "objective": "o", "assumptions": [], "task_order": ["T1"],
                "tasks": [{"id": "T1", "name": "t", "objective": "o", "subtasks": self.subtasks()}],
            }))}),
            "design" => json!({"design-contract.yaml": with(call, "architect", json!({
                "task_name": "t", "invariants": [{"id": "INV-1", "rule": "r"}], "interfaces": [],
                "boundaries": [], "layer_assignments": [],
                "file_refs": [{"entity": "Total", "path": "src/total.sh", "status": "to_create"}],
            }))}),
            "test_first" => {
                let text = if wrong == Wrong::GreenTests { "true" } else { TESTS };
                let path = test_file(&call.unit);
                self.write(call, path, text)?;
                json!({"test-contract.yaml": with(call, "qa-engineer", json!({
                    "subtask_name": "s", "coverage_targets": [], "test_file_path": path,
                    "test_cases": [{"id": "TC-1", "name": "n", "target": "Total.total", "given": "g", "when": "w", "then": "t", "category": "happy_path"}],
                }))})
            }
            "implement" => {
                self.implement(call, wrong)?;
                json!({})
            }
            "review" => {
                let verdict = if wrong == Wrong::ReviewFails { "FAIL" } else { "PASS" };
                let back = if wrong == Wrong::ReviewFails { json!("design") } else { Value::Null };
                json!({"review.json": {
                    "verdict": verdict, "back_to": back,
                    "findings": [{"subject": "INV-1", "verdict": verdict, "evidence": "src/total.sh:1"}],
                }})
            }
            _ => json!({"recommendation.json": {"action": "complete", "reason": "r"}}),
        };
        let documents = documents.as_object().into_iter().flatten();
        let documents =
            documents.map(|(name, value)| (name.clone(), value.to_string().into_bytes()));
        Ok(CallResult::Completed(Answer { documents: documents.collect(), ..Answer::default() }))
    }

    fn implement(&self, call: &Call, wrong: Wrong) -> Result<(), GitProblem> {
        if wrong == Wrong::NoWork {
            return Ok(());
        }
        let text = if wrong == Wrong::RedSuite { "bad" } else { CODE };
        self.write(call, "src/total.sh", text)?;
        match wrong {
            Wrong::OutsideScope => self.write(call, "src/code", "mine"),
            Wrong::WeakTests => self.write(call, "tests/total.test", "true"),
            _ => Ok(()),
        }
    }
}

/// A contract with its header.
fn with(call: &Call, by: &str, fields: Value) -> Value {
    let mut all = json!({"version": 1, "created_at": AT, "created_by": by});
    for (name, id) in &call.ids {
        all[*name] = json!(id);
    }
    if let (Some(all), Value::Object(fields)) = (all.as_object_mut(), fields) {
        all.extend(fields);
    }
    all
}
