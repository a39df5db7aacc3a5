//! The rules of a master plan: what a plan may look like, which item comes next, when an item is too
//! complex, and how a sub-plan is taken in.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::kernel::{MergeRecord, TodoItem, TodoStatus};
use crate::messages;
use crate::words::Lang;

pub const MOST_ITEMS: usize = 200;
pub const MOST_CHILDREN: usize = 10;
/// Top level is depth 1; an item this deep never expands.
pub const DEEPEST: u32 = 3;
/// More steps than this are too many for one call.
const SIMPLE_STEPS: u32 = 3;

/// One way in which a plan breaks the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Empty,
    TooManyItems { count: usize },
    TooManyChildren { parent: String, count: usize },
    DuplicateId { id: String },
    FirstNotInProgress { id: String },
    FirstHasDependencies { id: String },
    NotPending { id: String },
    UnknownExpert { id: String, expert: String },
    UnknownDependency { id: String, dependency: String },
    UnknownParent { id: String, parent: String },
    TooDeep { id: String },
    Cycle { path: Vec<String> },
}

messages! {
    empty() { en: "the plan has no items", ko: "계획에 항목이 없습니다" }
    empty_next() { en: "name at least one item", ko: "항목을 하나 이상 적으세요" }
    too_many(count, most) { en: "the plan has {count} items; at most {most} are allowed", ko: "계획의 항목이 {count}개입니다. 최대 {most}개입니다" }
    too_many_next() { en: "make fewer, larger items", ko: "항목을 더 적고 크게 나누세요" }
    too_many_children(parent, count, most) { en: "the sub-plan of `{parent}` has {count} items; at most {most} are allowed", ko: "`{parent}`의 하위 계획 항목이 {count}개입니다. 최대 {most}개입니다" }
    duplicate(id) { en: "the id `{id}` is there twice", ko: "id `{id}`(이)가 두 번 나옵니다" }
    duplicate_next() { en: "give each item an id of its own", ko: "항목마다 서로 다른 id를 주세요" }
    first_status(id) { en: "the first item `{id}` is not in_progress", ko: "첫 항목 `{id}`의 상태가 in_progress가 아닙니다" }
    first_status_next() { en: "set the first item to in_progress and all others to pending", ko: "첫 항목은 in_progress, 나머지는 pending으로 하세요" }
    first_depends(id) { en: "the first item `{id}` has dependencies", ko: "첫 항목 `{id}`에 의존성이 있습니다" }
    first_depends_next() { en: "begin with an item that depends on nothing", ko: "아무것에도 의존하지 않는 항목으로 시작하세요" }
    not_pending(id) { en: "`{id}` is not pending, but nothing of this plan has been done", ko: "`{id}`(이)가 pending이 아닌데, 이 계획은 아직 실행되지 않았습니다" }
    unknown_expert(id, expert) { en: "`{id}` names `{expert}`, who is no expert for items", ko: "`{id}`의 `{expert}`(은)는 항목을 맡을 수 있는 전문가가 아닙니다" }
    unknown_expert_next(experts) { en: "use one of: {experts}", ko: "다음 중 하나를 쓰세요: {experts}" }
    unknown_dependency(id, dependency) { en: "`{id}` depends on `{dependency}`, which does not exist", ko: "`{id}`(이)가 의존하는 `{dependency}`(이)가 없습니다" }
    unknown_parent(id, parent) { en: "`{id}` has the parent `{parent}`, which does not exist", ko: "`{id}`의 부모 `{parent}`(이)가 없습니다" }
    unknown_next() { en: "name an item of this plan", ko: "이 계획에 있는 항목을 쓰세요" }
    too_deep(id, deepest) { en: "`{id}` is deeper than level {deepest}", ko: "`{id}`(이)가 {deepest}단계보다 깊습니다" }
    too_deep_next() { en: "put its work into the item above it", ko: "상위 항목에 작업을 합치세요" }
    cycle(path) { en: "these items wait for each other: {path}", ko: "서로를 기다리는 항목입니다: {path}" }
    cycle_next() { en: "remove one of these dependencies", ko: "의존성 하나를 없애세요" }
}

impl Fault {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::Empty => empty(lang),
            Self::TooManyItems { count } => too_many(lang, count, MOST_ITEMS),
            Self::TooManyChildren { parent, count } => {
                too_many_children(lang, parent, count, MOST_CHILDREN)
            }
            Self::DuplicateId { id } => duplicate(lang, id),
            Self::FirstNotInProgress { id } => first_status(lang, id),
            Self::FirstHasDependencies { id } => first_depends(lang, id),
            Self::NotPending { id } => not_pending(lang, id),
            Self::UnknownExpert { id, expert } => unknown_expert(lang, id, expert),
            Self::UnknownDependency { id, dependency } => unknown_dependency(lang, id, dependency),
            Self::UnknownParent { id, parent } => unknown_parent(lang, id, parent),
            Self::TooDeep { id } => too_deep(lang, id, DEEPEST),
            Self::Cycle { path } => cycle(lang, path.join(" -> ")),
        }
    }

    pub fn next(&self, lang: Lang, experts: &BTreeSet<String>) -> String {
        match self {
            Self::Empty => empty_next(lang),
            Self::TooManyItems { .. } | Self::TooManyChildren { .. } => too_many_next(lang),
            Self::DuplicateId { .. } => duplicate_next(lang),
            Self::FirstNotInProgress { .. } | Self::NotPending { .. } => first_status_next(lang),
            Self::FirstHasDependencies { .. } => first_depends_next(lang),
            Self::UnknownExpert { .. } => {
                let names: Vec<&str> = experts.iter().map(String::as_str).collect();
                unknown_expert_next(lang, names.join(", "))
            }
            Self::UnknownDependency { .. } | Self::UnknownParent { .. } => unknown_next(lang),
            Self::TooDeep { .. } => too_deep_next(lang),
            Self::Cycle { .. } => cycle_next(lang),
        }
    }
}

/// All faults of a first plan at once.
pub fn faults(items: &[TodoItem], experts: &BTreeSet<String>) -> Vec<Fault> {
    let Some(first) = items.first() else { return vec![Fault::Empty] };
    let mut faults = Vec::new();
    if items.len() > MOST_ITEMS {
        faults.push(Fault::TooManyItems { count: items.len() });
    }
    if first.status != TodoStatus::InProgress {
        faults.push(Fault::FirstNotInProgress { id: first.id.clone() });
    }
    if !first.dependencies.is_empty() {
        faults.push(Fault::FirstHasDependencies { id: first.id.clone() });
    }
    for item in items.iter().skip(1).filter(|item| item.status != TodoStatus::Pending) {
        faults.push(Fault::NotPending { id: item.id.clone() });
    }
    faults.extend(common_faults(items, experts, DEEPEST));
    faults
}

/// What holds for every plan, first or grown.
fn common_faults(items: &[TodoItem], experts: &BTreeSet<String>, deepest: u32) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    for item in items {
        if !ids.insert(item.id.as_str()) {
            faults.push(Fault::DuplicateId { id: item.id.clone() });
        }
    }
    for item in items {
        let id = || item.id.clone();
        if !experts.contains(&item.expert) {
            faults.push(Fault::UnknownExpert { id: id(), expert: item.expert.clone() });
        }
        for dependency in item.dependencies.iter().filter(|other| !ids.contains(other.as_str())) {
            let dependency = dependency.clone();
            faults.push(Fault::UnknownDependency { id: id(), dependency });
        }
        if let Some(parent) = item.parent_id.as_ref().filter(|id| !ids.contains(id.as_str())) {
            faults.push(Fault::UnknownParent { id: id(), parent: parent.clone() });
        }
    }
    if let Some(path) = circle(items) {
        faults.push(Fault::Cycle { path });
    } else {
        let depths = depths(items);
        let deep = items.iter().filter(|item| depths.get(item.id.as_str()) > Some(&deepest));
        faults.extend(deep.map(|item| Fault::TooDeep { id: item.id.clone() }));
    }
    faults
}

/// Items that wait for each other: an item waits for its dependencies and for its children.
fn circle(items: &[TodoItem]) -> Option<Vec<String>> {
    let mut waits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in items {
        let dependencies = item.dependencies.iter().map(String::as_str);
        waits.entry(&item.id).or_default().extend(dependencies);
        if let Some(parent) = &item.parent_id {
            waits.entry(parent).or_default().push(&item.id);
        }
    }
    // Whatever waits for nothing that is left is taken away; what stays is in or behind a circle.
    let mut left: BTreeSet<&str> = waits.keys().copied().collect();
    loop {
        let free: Vec<&str> = left
            .iter()
            .filter(|id| waits.get(**id).is_none_or(|on| on.iter().all(|id| !left.contains(id))))
            .copied()
            .collect();
        if free.is_empty() {
            break;
        }
        for id in free {
            left.remove(id);
        }
    }
    let mut path = vec![*left.first()?];
    loop {
        let on = waits.get(path.last()?)?;
        let next = on.iter().find(|id| left.contains(**id))?;
        if let Some(start) = path.iter().position(|id| id == next) {
            let around = path.iter().skip(start).chain([next]);
            return Some(around.map(|id| (*id).to_owned()).collect());
        }
        path.push(next);
    }
}

/// The depth of each item, by its parents.
fn depths(items: &[TodoItem]) -> BTreeMap<&str, u32> {
    let parents: BTreeMap<&str, Option<&str>> =
        items.iter().map(|item| (item.id.as_str(), item.parent_id.as_deref())).collect();
    let depth = |id: &str| {
        let mut above = parents.get(id).copied().flatten();
        let mut depth = 1;
        // A plan has no circle here; the bound only makes that obvious.
        while let (Some(parent), true) = (above, depth <= DEEPEST + 1) {
            depth += 1;
            above = parents.get(parent).copied().flatten();
        }
        depth
    };
    items.iter().map(|item| (item.id.as_str(), depth(&item.id))).collect()
}

/// A plan that keeps the rules, as task management registers it: depths computed, one item in work.
pub fn registered(items: &[TodoItem]) -> Vec<TodoItem> {
    let depths = depths(items);
    let mut plan = items.to_vec();
    for item in &mut plan {
        item.depth = depths.get(item.id.as_str()).copied().unwrap_or(1);
        item.status = TodoStatus::Pending;
        item.result_path = None;
    }
    select(&mut plan);
    plan
}

/// Puts the next item into work: the first whose dependencies and children are completed.
pub fn select(plan: &mut [TodoItem]) -> Option<usize> {
    for item in plan.iter_mut().filter(|item| item.status == TodoStatus::InProgress) {
        item.status = TodoStatus::Pending;
    }
    let next =
        plan.iter().position(|item| item.status == TodoStatus::Pending && is_free(item, plan))?;
    plan[next].status = TodoStatus::InProgress;
    Some(next)
}

fn is_free(item: &TodoItem, plan: &[TodoItem]) -> bool {
    let completed = |other: &TodoItem| other.status == TodoStatus::Completed;
    plan.iter()
        .filter(|other| {
            item.dependencies.contains(&other.id) || other.parent_id.as_ref() == Some(&item.id)
        })
        .all(completed)
}

pub fn in_work(plan: &[TodoItem]) -> Option<&TodoItem> {
    plan.iter().find(|item| item.status == TodoStatus::InProgress)
}

pub fn children<'p>(plan: &'p [TodoItem], id: &'p str) -> impl Iterator<Item = &'p TodoItem> {
    plan.iter().filter(move |item| item.parent_id.as_deref() == Some(id))
}

/// The seed's rule, computed here and not asked of a model. Its third condition, unfinished
/// dependencies, cannot hold for an item that was selected.
pub fn is_too_complex(item: &TodoItem) -> bool {
    item.estimated_steps > SIMPLE_STEPS || item.requires_external_data
}

/// Whether an item may still be broken down: once, and not at the bottom.
pub fn may_expand(plan: &[TodoItem], item: &TodoItem) -> bool {
    item.depth < DEEPEST && children(plan, &item.id).next().is_none()
}

/// Takes a sub-plan in below an item: ids under its own, order kept, the item waiting for them.
pub fn merge(
    plan: &[TodoItem],
    parent: &TodoItem,
    sub_plan: &[TodoItem],
    experts: &BTreeSet<String>,
    deepest: u32,
) -> Result<(Vec<TodoItem>, MergeRecord), Vec<Fault>> {
    if sub_plan.is_empty() {
        return Err(vec![Fault::Empty]);
    }
    let mut faults = Vec::new();
    if sub_plan.len() > MOST_CHILDREN {
        let (parent, count) = (parent.id.clone(), sub_plan.len());
        faults.push(Fault::TooManyChildren { parent, count });
    }
    let own: BTreeSet<&str> = sub_plan.iter().map(|item| item.id.as_str()).collect();
    let named = |id: &String| match own.contains(id.as_str()) {
        true => format!("{}/{id}", parent.id),
        false => id.clone(),
    };
    let taken_in = sub_plan.iter().map(|item| TodoItem {
        id: named(&item.id),
        parent_id: Some(item.parent_id.as_ref().map_or_else(|| parent.id.clone(), &named)),
        dependencies: item.dependencies.iter().map(&named).collect(),
        status: TodoStatus::Pending,
        result_path: None,
        ..item.clone()
    });
    let at = plan.iter().position(|item| item.id == parent.id).map_or(plan.len(), |at| at + 1);
    let mut grown = plan.to_vec();
    grown.splice(at..at, taken_in);
    if grown.len() > MOST_ITEMS {
        faults.push(Fault::TooManyItems { count: grown.len() });
    }
    faults.extend(common_faults(&grown, experts, deepest));
    if !faults.is_empty() {
        return Err(faults);
    }
    let depths: BTreeMap<String, u32> =
        depths(&grown).into_iter().map(|(id, depth)| (id.to_owned(), depth)).collect();
    for item in &mut grown {
        item.depth = depths.get(&item.id).copied().unwrap_or(1);
        if item.id == parent.id {
            item.status = TodoStatus::Pending;
        }
    }
    select(&mut grown);
    let ids = |plan: &[TodoItem]| plan.iter().map(|item| item.id.clone()).collect();
    let record =
        MergeRecord { parent_id: parent.id.clone(), before: ids(plan), after: ids(&grown) };
    Ok((grown, record))
}
