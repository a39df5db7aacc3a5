//! What makes a plan workable: every rule, every finding, before anything is executed.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::session::{DataSource, Decomposition, PlanTask};
use crate::flows::session::layout;
use crate::ids::TaskId;

/// Everything that is wrong with a plan, in words for the planner.
pub fn findings(plan: &Decomposition) -> Vec<String> {
    let mut findings = Vec::new();
    if plan.tasks.is_empty() {
        findings.push("the plan has no task".to_owned());
    }
    if plan.tasks.iter().all(|task| task.outputs.is_empty()) {
        findings.push("no task of the plan makes anything".to_owned());
    }
    let mut earlier: BTreeMap<&TaskId, &PlanTask> = BTreeMap::new();
    let known: BTreeSet<&TaskId> = plan.tasks.iter().map(|task| &task.id).collect();
    let parents: BTreeSet<&TaskId> =
        plan.tasks.iter().filter_map(|task| task.parent_id.as_ref()).collect();
    for task in &plan.tasks {
        place(task, &earlier, &mut findings);
        for dependency in task.deps.iter().filter(|id| !known.contains(id)) {
            findings.push(format!("{}: the dependency {dependency} does not exist", task.id));
        }
        work(task, parents.contains(&task.id), &mut findings);
        if earlier.insert(&task.id, task).is_some() {
            findings.push(format!("{}: the id is used twice", task.id));
        }
    }
    if let Some(id) = cycle(plan) {
        findings.push(format!("{id}: it waits for itself through its dependencies or children"));
    }
    findings
}

/// Level and parent: a parent stands before its children, one level up.
fn place(task: &PlanTask, earlier: &BTreeMap<&TaskId, &PlanTask>, findings: &mut Vec<String>) {
    match (&task.parent_id, task.level) {
        (None, 1) => {}
        (None, level) => findings.push(format!("{}: level {level} needs a parent_id", task.id)),
        (Some(_), 1) => findings.push(format!("{}: level 1 has no parent", task.id)),
        (Some(parent), level) => match earlier.get(parent) {
            None => findings.push(format!("{}: its parent {parent} must stand before it", task.id)),
            Some(above) if above.level + 1 != level => {
                let wanted = above.level + 1;
                findings.push(format!("{}: level must be {wanted}, one below {parent}", task.id));
            }
            Some(_) => {}
        },
    }
}

/// Source, calls, outputs and acceptance.
fn work(task: &PlanTask, has_children: bool, findings: &mut Vec<String>) {
    let id = &task.id;
    if task.acceptance.is_empty() {
        findings.push(format!("{id}: acceptance is empty"));
    }
    match task.data_sources.as_slice() {
        [DataSource::Synthesis] if !task.tool_calls.is_empty() => {
            findings.push(format!("{id}: SYNTHESIS has no tool_calls"));
        }
        [DataSource::Synthesis] => {}
        [_] if has_children && !task.outputs.is_empty() => {
            findings.push(format!("{id}: a task with children and outputs is SYNTHESIS"));
        }
        [_] if !has_children && task.tool_calls.len() != task.outputs.len() => {
            let (calls, outputs) = (task.tool_calls.len(), task.outputs.len());
            findings.push(format!("{id}: {calls} tool_calls for {outputs} outputs; one fills one"));
        }
        [_] => {}
        sources => findings.push(format!("{id}: exactly one data source, not {}", sources.len())),
    }
    let directory = format!("/{}/", layout::outputs(id, 1));
    let mut names = BTreeSet::new();
    for output in &task.outputs {
        let name = output.path.strip_prefix(&directory);
        let plain = name
            .filter(|name| !name.is_empty() && !name.contains('/') && layout::path(name).is_some());
        match plain {
            None => findings.push(format!("{id}: {} must be a file in {directory}", output.path)),
            Some("artifact_manifest.json") => {
                findings.push(format!("{id}: artifact_manifest.json is written by hast"));
            }
            Some(name) if !names.insert(name) => {
                findings.push(format!("{id}: {name} is made twice"))
            }
            Some(_) => {}
        }
    }
}

/// A task that waits for itself, over dependencies and from parents to children.
fn cycle(plan: &Decomposition) -> Option<&TaskId> {
    let mut waits: BTreeMap<&TaskId, Vec<&TaskId>> = BTreeMap::new();
    for task in &plan.tasks {
        waits.entry(&task.id).or_default().extend(&task.deps);
        if let Some(parent) = &task.parent_id {
            waits.entry(parent).or_default().push(&task.id);
        }
    }
    let mut left: BTreeMap<&TaskId, usize> = waits.keys().map(|id| (*id, 0)).collect();
    let mut wanted_by: BTreeMap<&TaskId, Vec<&TaskId>> = BTreeMap::new();
    for (id, earlier) in &waits {
        for before in earlier.iter().filter(|before| waits.contains_key(**before)) {
            wanted_by.entry(before).or_default().push(id);
            *left.entry(id).or_default() += 1;
        }
    }
    let mut free: Vec<&TaskId> =
        left.iter().filter(|(_, left)| **left == 0).map(|(id, _)| *id).collect();
    while let Some(id) = free.pop() {
        left.remove(id);
        for later in wanted_by.get(id).into_iter().flatten() {
            if let Some(count) = left.get_mut(later) {
                *count -= 1;
                if *count == 0 {
                    free.push(later);
                }
            }
        }
    }
    left.into_keys().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn task(id: &str, change: impl FnOnce(&mut Value)) -> Value {
        let mut task = json!({
            "id": id, "title": "t", "level": 1, "parent_id": null, "data_sources": ["SYNTHESIS"],
            "deps": [], "outputs": [{"path": format!("/execution/outputs/{id}/a.md"), "type": "spec"}],
            "tool_calls": [], "acceptance": ["x"],
        });
        change(&mut task);
        task
    }

    fn found(tasks: &[Value]) -> Vec<String> {
        let plan = json!({"major_version": 1, "revision": 1, "tasks": tasks});
        findings(&serde_json::from_value(plan).unwrap())
    }

    #[test]
    fn a_workable_plan_has_no_findings() {
        let child = task("T-0002", |t| {
            t["level"] = 2.into();
            t["parent_id"] = "T-0001".into();
            t["data_sources"] = json!(["WEB"]);
            t["tool_calls"] = json!([{"name": "web_fetch", "args": {}}]);
        });
        assert_eq!(found(&[task("T-0001", |_| {}), child]), Vec::<String>::new());
    }

    fn two(change: impl FnOnce(&mut Value)) -> Vec<Value> {
        vec![task("T-0001", |_| {}), task("T-0002", change)]
    }

    fn one(field: &str, value: Value) -> Vec<Value> {
        vec![task("T-0001", |task| task[field] = value)]
    }

    fn expect(expected: &str, tasks: &[Value]) {
        let found = found(tasks);
        assert!(found.iter().any(|finding| finding.contains(expected)), "{expected}: {found:?}");
    }

    #[test]
    fn places_in_the_tree_are_checked() {
        expect("the plan has no task", &[]);
        expect("used twice", &[task("T-0001", |_| {}), task("T-0001", |_| {})]);
        expect("needs a parent_id", &one("level", 2.into()));
        expect("level 1 has no parent", &two(|task| task["parent_id"] = "T-0001".into()));
        let child = |level: u32| {
            two(move |task| {
                task["parent_id"] = "T-0001".into();
                task["level"] = level.into();
            })
        };
        expect("level must be 2", &child(3));
        let mut reversed = child(2);
        reversed.reverse();
        expect("must stand before it", &reversed);
    }

    #[test]
    fn dependencies_are_checked() {
        expect("does not exist", &one("deps", json!(["T-0009"])));
        let mut circle = two(|task| task["deps"] = json!(["T-0001"]));
        circle[0]["deps"] = json!(["T-0002"]);
        expect("waits for itself", &circle);
    }

    #[test]
    fn the_work_of_a_task_is_checked() {
        expect("exactly one data source", &one("data_sources", json!(["WEB", "SEC"])));
        expect(
            "SYNTHESIS has no tool_calls",
            &one("tool_calls", json!([{"name": "x", "args": {}}])),
        );
        expect("0 tool_calls for 1 outputs", &one("data_sources", json!(["WEB"])));
        expect("acceptance is empty", &one("acceptance", json!([])));
        let outputs = |path: &str| one("outputs", json!([{"path": path, "type": "x"}]));
        expect("must be a file in", &outputs("/etc/passwd"));
        expect("must be a file in", &outputs("/execution/outputs/T-0001/../x"));
        expect("written by hast", &outputs("/execution/outputs/T-0001/artifact_manifest.json"));
    }

    #[test]
    fn all_findings_come_at_once() {
        let bad = task("T-0001", |t| {
            t["acceptance"] = json!([]);
            t["deps"] = json!(["T-0009"]);
            t["level"] = 3.into();
        });
        assert_eq!(found(&[bad]).len(), 3);
    }
}
