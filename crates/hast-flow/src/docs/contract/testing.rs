//! The tests of a subtask have two documents. `test-contract.yaml` lists the cases that the subtask
//! must pass. `test-result.yaml` records the outcome of a run and a recommendation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Author;
use crate::docs::document::{Rules, Version};
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::ids::{ContractTaskId, RequestId, SubtaskId};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestContract {
    pub version: Version<1>,
    pub request_id: RequestId,
    pub task_id: ContractTaskId,
    pub subtask_id: SubtaskId,
    pub created_at: UtcTime,
    pub created_by: Author,
    pub subtask_name: String,
    pub test_cases: Vec<TestCase>,
    pub coverage_targets: Vec<String>,
    pub test_file_path: String,
}

document!(TestContract, "test-contract", Yaml, Reject, rules contract_rules);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestCase {
    #[schemars(example = &"TC-1")]
    pub id: String,
    pub name: String,
    pub target: String,
    pub given: String,
    pub when: String,
    pub then: String,
    pub category: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestResult {
    pub version: Version<1>,
    pub request_id: RequestId,
    pub task_id: ContractTaskId,
    pub subtask_id: SubtaskId,
    pub created_at: UtcTime,
    pub created_by: Author,
    pub execution: Execution,
    pub summary: TestSummary,
    pub failed_tests: Vec<String>,
    pub recommendation: Recommendation,
}

document!(TestResult, "test-result", Yaml, Reject, rules result_rules);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    pub command: String,
    pub timestamp: UtcTime,
    pub result: TestOutcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    Pass,
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestSummary {
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recommendation {
    pub action: RecommendedAction,
    pub reason: String,
}

document!(Recommendation, "contract-recommendation", Json, Reject);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecommendedAction {
    Complete,
    FixImplementation,
    Redesign,
}

fn contract_rules(contract: &TestContract, rules: &mut Rules<'_>) {
    owner_rule(&contract.subtask_id, &contract.task_id, rules);
}

fn result_rules(result: &TestResult, rules: &mut Rules<'_>) {
    owner_rule(&result.subtask_id, &result.task_id, rules);
}

fn owner_rule(subtask: &SubtaskId, task: &ContractTaskId, rules: &mut Rules<'_>) {
    if let Some(node) = rules.tree.get("subtask_id").filter(|_| !subtask.belongs_to(task)) {
        let finding = Finding::NotItsOwner { id: subtask.to_string(), owner: task.to_string() };
        rules.report(node, finding);
    }
}
