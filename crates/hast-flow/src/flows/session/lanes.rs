//! Which tasks of a plan can be worked on, kept event by event: what is startable, what is in hand,
//! what is left. No question here looks through the plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::session::{Decomposition, PlanTask};
use crate::flows::session::view::{Progress, Stage};
use crate::ids::TaskId;

/// The plan in the order of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub document: Decomposition,
    /// Tasks in the order of work: dependencies and children first, then as listed.
    order: Vec<usize>,
    /// The place of each task in that order.
    rank: Vec<usize>,
    by_id: BTreeMap<TaskId, usize>,
    children: Vec<Vec<usize>>,
    /// Tasks that wait for this one.
    needed_by: Vec<Vec<usize>>,
    /// How many tasks this one waits for.
    waits_for: Vec<usize>,
    passed: Vec<bool>,
    /// Places of tasks that wait for nothing and were not begun.
    ready: BTreeSet<usize>,
    /// Places of tasks that were begun and have not passed.
    in_hand: BTreeSet<usize>,
    /// Tasks that have not passed.
    left: usize,
    /// How many outputs of the plan have a base name.
    names: BTreeMap<String, usize>,
}

impl Plan {
    pub(super) fn new(document: Decomposition, progress: &BTreeMap<TaskId, Progress>) -> Self {
        let tasks = &document.tasks;
        let by_id: BTreeMap<TaskId, usize> =
            tasks.iter().enumerate().map(|(index, task)| (task.id.clone(), index)).collect();
        let children = children(tasks, &by_id);
        let before = before(tasks, &by_id, &children);
        let order = order(&before);
        let mut rank = vec![0; tasks.len()];
        for (place, &task) in order.iter().enumerate() {
            rank[task] = place;
        }
        let mut needed_by = vec![Vec::new(); tasks.len()];
        for (task, earlier) in before.iter().enumerate() {
            for &earlier in earlier {
                needed_by[earlier].push(task);
            }
        }
        let mut names = BTreeMap::new();
        for output in tasks.iter().flat_map(|task| &task.outputs) {
            let name = output.path.rsplit('/').next().unwrap_or_default();
            *names.entry(name.to_owned()).or_default() += 1;
        }
        let count = tasks.len();
        let waits_for: Vec<usize> = before.iter().map(Vec::len).collect();
        let mut plan = Self {
            document,
            order,
            rank,
            by_id,
            children,
            needed_by,
            waits_for,
            passed: vec![false; count],
            ready: BTreeSet::new(),
            in_hand: BTreeSet::new(),
            left: count,
            names,
        };
        for task in 0..count {
            if plan.waits_for[task] == 0 && !plan.passed[task] {
                plan.freed(task);
            }
        }
        // What passed comes first: whether something else can be begun follows from it.
        let has_passed = |progress: &Progress| progress.stage == Stage::Passed;
        for (id, progress) in progress.iter().filter(|(_, progress)| has_passed(progress)) {
            plan.take(id, progress.stage);
        }
        for (id, progress) in progress.iter().filter(|(_, progress)| !has_passed(progress)) {
            plan.take(id, progress.stage);
        }
        plan
    }

    /// Takes in how far a task is.
    pub(super) fn take(&mut self, id: &TaskId, stage: Stage) {
        let Some(&task) = self.by_id.get(id) else { return };
        let place = self.rank[task];
        match stage {
            Stage::Started | Stage::Executed => {
                self.ready.remove(&place);
                if !self.passed[task] {
                    self.in_hand.insert(place);
                }
            }
            // It is tried again as soon as what it is made from is there.
            Stage::Failed => {
                self.in_hand.remove(&place);
                if self.waits_for[task] == 0 && !self.passed[task] {
                    self.ready.insert(place);
                }
            }
            Stage::Passed => self.pass(task),
            Stage::Waiting => {}
        }
    }

    /// A task passes, and with it each one above that makes nothing of its own.
    fn pass(&mut self, task: usize) {
        let mut passing = vec![task];
        while let Some(task) = passing.pop() {
            if std::mem::replace(&mut self.passed[task], true) {
                continue;
            }
            self.left -= 1;
            self.ready.remove(&self.rank[task]);
            self.in_hand.remove(&self.rank[task]);
            for later in self.needed_by[task].clone() {
                self.waits_for[later] = self.waits_for[later].saturating_sub(1);
                if self.waits_for[later] == 0 && !self.passed[later] {
                    if self.makes_nothing(later) {
                        passing.push(later);
                    } else if !self.in_hand.contains(&self.rank[later]) {
                        self.ready.insert(self.rank[later]);
                    }
                }
            }
        }
    }

    fn freed(&mut self, task: usize) {
        if self.makes_nothing(task) {
            self.pass(task);
        } else {
            self.ready.insert(self.rank[task]);
        }
    }

    fn makes_nothing(&self, task: usize) -> bool {
        self.document.tasks[task].outputs.is_empty()
    }

    /// Tasks that were begun and have not passed, first in the order of work first.
    pub fn in_hand(&self) -> impl Iterator<Item = &PlanTask> {
        self.in_hand.iter().filter_map(|&place| self.at(place))
    }

    pub fn in_hand_count(&self) -> usize {
        self.in_hand.len()
    }

    /// The task to begin next: nothing that it waits for is left.
    pub fn startable(&self) -> Option<&PlanTask> {
        self.at(*self.ready.first()?)
    }

    /// All tasks that are made from one of these, near or far.
    pub fn made_from(&self, ids: &BTreeSet<TaskId>) -> BTreeSet<TaskId> {
        let mut open: Vec<usize> =
            ids.iter().filter_map(|id| self.by_id.get(id).copied()).collect();
        let mut found: BTreeSet<usize> = BTreeSet::new();
        while let Some(task) = open.pop() {
            let later = self.needed_by[task].iter().filter(|later| !found.contains(later));
            let later: Vec<usize> = later.copied().collect();
            found.extend(later.iter().copied());
            open.extend(later);
        }
        found.into_iter().map(|task| self.document.tasks[task].id.clone()).collect()
    }

    pub fn is_worked_off(&self) -> bool {
        self.left == 0
    }

    pub fn has(&self, id: &str) -> bool {
        id.parse::<TaskId>().is_ok_and(|id| self.by_id.contains_key(&id))
    }

    /// Whether one output of the plan alone has this base name.
    pub fn has_one(&self, name: &str) -> bool {
        self.names.get(name) == Some(&1)
    }

    pub fn task(&self, id: &TaskId) -> Option<&PlanTask> {
        self.document.tasks.get(*self.by_id.get(id)?)
    }

    /// Tasks that nothing else is made from: what an answer rests on.
    pub fn ends(&self) -> impl Iterator<Item = &PlanTask> {
        let last = |index: &usize| {
            let later = &self.needed_by[*index];
            !self.makes_nothing(*index) && later.iter().all(|later| self.makes_nothing(*later))
        };
        (0..self.document.tasks.len()).filter(last).map(|index| &self.document.tasks[index])
    }

    /// How many tasks that make something have passed.
    pub fn passed(&self) -> usize {
        let tasks = self.passed.iter().enumerate();
        tasks.filter(|(index, passed)| **passed && !self.makes_nothing(*index)).count()
    }

    pub fn has_passed(&self, id: &TaskId) -> bool {
        self.by_id.get(id).is_some_and(|index| self.passed[*index])
    }

    /// How many tasks make something.
    pub fn making(&self) -> usize {
        self.document.tasks.iter().filter(|task| !task.outputs.is_empty()).count()
    }

    /// The last task in the order of work that makes something.
    pub fn last(&self) -> Option<&PlanTask> {
        let tasks = self.order.iter().rev().filter_map(|&task| self.document.tasks.get(task));
        tasks.into_iter().find(|task| !task.outputs.is_empty())
    }

    /// What a task is made from: its dependencies and, for a parent, its children.
    pub fn sources<'p>(&'p self, task: &'p PlanTask) -> impl Iterator<Item = &'p TaskId> {
        let children = self.by_id.get(&task.id).and_then(|&index| self.children.get(index));
        let children = children.into_iter().flatten();
        task.deps.iter().chain(children.map(|&child| &self.document.tasks[child].id))
    }

    fn at(&self, place: usize) -> Option<&PlanTask> {
        self.document.tasks.get(*self.order.get(place)?)
    }
}

fn children(tasks: &[PlanTask], by_id: &BTreeMap<TaskId, usize>) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); tasks.len()];
    for (child, task) in tasks.iter().enumerate() {
        if let Some(&parent) = task.parent_id.as_ref().and_then(|id| by_id.get(id)) {
            children[parent].push(child);
        }
    }
    children
}

/// What each task waits for: its dependencies, and a parent for its children.
fn before(
    tasks: &[PlanTask],
    by_id: &BTreeMap<TaskId, usize>,
    children: &[Vec<usize>],
) -> Vec<Vec<usize>> {
    let waits = tasks.iter().zip(children).map(|(task, children)| {
        let dependencies = task.deps.iter().filter_map(|id| by_id.get(id).copied());
        dependencies.chain(children.iter().copied()).collect()
    });
    waits.collect()
}

/// Depth first, so that a task comes right after the last one that it waits for.
fn order(before: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(before.len());
    let mut seen = vec![false; before.len()];
    for start in 0..before.len() {
        let mut open = vec![(start, 0)];
        while let Some((task, next)) = open.last_mut() {
            let task = *task;
            if *next == 0 && std::mem::replace(&mut seen[task], true) {
                open.pop();
                continue;
            }
            if let Some(&earlier) = before[task].get(*next) {
                *next += 1;
                if !seen[earlier] {
                    open.push((earlier, 0));
                }
            } else {
                order.push(task);
                open.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn task(id: &str, parent: Option<&str>, deps: &[&str], makes: bool) -> Value {
        let path = format!("/execution/outputs/{id}/a.md");
        let outputs = if makes { json!([{"path": path, "type": "x"}]) } else { json!([]) };
        let level = if parent.is_some() { 2 } else { 1 };
        json!({"id": id, "title": "t", "level": level, "parent_id": parent, "data_sources": ["SYNTHESIS"],
            "deps": deps, "outputs": outputs, "tool_calls": [], "acceptance": ["x"]})
    }

    fn plan(tasks: &[Value]) -> Plan {
        let document = json!({"major_version": 1, "revision": 1, "tasks": tasks});
        Plan::new(serde_json::from_value(document).unwrap(), &BTreeMap::new())
    }

    fn startable(plan: &Plan) -> Vec<&str> {
        plan.ready.iter().filter_map(|&place| plan.at(place)).map(|task| task.id.as_str()).collect()
    }

    fn id(text: &str) -> TaskId {
        text.parse().unwrap()
    }

    #[test]
    fn independent_tasks_are_startable_together_and_a_parent_after_its_children() {
        let mut plan = plan(&[
            task("T-0001", None, &[], true),
            task("T-0002", Some("T-0001"), &[], true),
            task("T-0003", Some("T-0001"), &[], true),
            task("T-0004", None, &["T-0001"], true),
        ]);
        assert_eq!(startable(&plan), ["T-0002", "T-0003"]);
        plan.take(&id("T-0002"), Stage::Started);
        plan.take(&id("T-0003"), Stage::Passed);
        assert_eq!(startable(&plan), [""; 0]);
        plan.take(&id("T-0002"), Stage::Passed);
        assert_eq!(startable(&plan), ["T-0001"]);
        plan.take(&id("T-0001"), Stage::Passed);
        assert_eq!(startable(&plan), ["T-0004"]);
        plan.take(&id("T-0004"), Stage::Passed);
        assert!(plan.is_worked_off());
    }

    #[test]
    fn a_parent_without_outputs_is_done_when_its_children_are() {
        let mut plan = plan(&[
            task("T-0001", None, &[], false),
            task("T-0002", Some("T-0001"), &[], true),
            task("T-0003", None, &["T-0001"], true),
        ]);
        assert_eq!(startable(&plan), ["T-0002"]);
        plan.take(&id("T-0002"), Stage::Passed);
        assert_eq!(startable(&plan), ["T-0003"]);
    }

    #[test]
    fn a_task_is_made_from_its_dependencies_and_its_children() {
        let plan = plan(&[
            task("T-0001", None, &["T-0003"], true),
            task("T-0002", Some("T-0001"), &[], true),
            task("T-0003", None, &[], true),
        ]);
        let sources: Vec<&str> =
            plan.sources(&plan.document.tasks[0]).map(TaskId::as_str).collect();
        assert_eq!(sources, ["T-0003", "T-0002"]);
    }

    proptest! {
        /// Whatever the order of events, the kept sets are those that looking through the plan finds,
        /// and those of a plan read after all of it.
        #[test]
        fn the_kept_sets_are_what_looking_through_the_plan_finds(
            deps in prop::collection::vec((any::<u16>(), any::<bool>()), 1..12),
            events in prop::collection::vec((0usize..12, 0u8..3), 0..40),
        ) {
            let name = |n: usize| format!("T-{:04}", n + 1);
            let tasks: Vec<Value> = deps.iter().enumerate().map(|(n, (mask, makes))| {
                let before: Vec<String> = (0..n).filter(|m| mask & (1 << m) != 0).map(name).collect();
                let before: Vec<&str> = before.iter().map(String::as_str).collect();
                task(&name(n), None, &before, *makes)
            }).collect();
            let mut kept = plan(&tasks);
            let mut progress = BTreeMap::new();
            for (n, stage) in events {
                if n >= tasks.len() { continue; }
                let stage = [Stage::Started, Stage::Failed, Stage::Passed][usize::from(stage)];
                let before = progress.get(&id(&name(n)));
                if matches!(before, Some(Progress { stage: Stage::Passed, .. })) { continue; }
                kept.take(&id(&name(n)), stage);
                progress.insert(id(&name(n)), Progress { attempt: 1, failures: 0, asked: 0, stage });
            }
            prop_assert_eq!(&kept, &Plan::new(kept.document.clone(), &progress));
            let done = |task: &PlanTask| kept.passed[kept.by_id[&task.id]];
            for task in &kept.document.tasks {
                let free = task.deps.iter().all(|dep| kept.passed[kept.by_id[dep]]);
                let stage = progress.get(&task.id).map(|progress| progress.stage);
                let passed = stage == Some(Stage::Passed);
                // What failed is begun again, once what it is made from is there.
                let at_work = stage == Some(Stage::Started);
                let startable = free && !at_work && !passed && !task.outputs.is_empty();
                prop_assert_eq!(kept.ready.contains(&kept.rank[kept.by_id[&task.id]]), startable);
                prop_assert_eq!(done(task), passed || (task.outputs.is_empty() && free));
            }
        }
    }
}
