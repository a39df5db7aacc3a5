//! The rules of a workable plan. Every rule is checked and every finding is reported, up to a
//! limit, before any task is executed.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::call::CallFinding;
use crate::docs::session::{DataSource, Decomposition, PlanTask, RoutingState};
use crate::flows::session::layout;
use crate::formats::diagnostic::MAX_FINDINGS;
use crate::formats::source::Source;
use crate::formats::tree::{Node, Step};
use crate::ids::TaskId;
use crate::messages;
use crate::tools;
use crate::words::Lang;

/// A broken rule, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFinding {
    /// The task's place in the list; none for the plan as a whole.
    task: Option<usize>,
    field: &'static str,
    item: Option<usize>,
    pub rule: Rule,
}

/// Every rule that a plan can break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    NoTask,
    MakesNothing,
    FirstVersion,
    NextVersion {
        major: u32,
        revision: u32,
    },
    PassedAlready,
    IdTwice,
    NeedsParent,
    Level1HasNoParent,
    ParentFirst {
        parent: TaskId,
    },
    LevelBelowParent {
        parent: TaskId,
        wanted: u32,
    },
    UnknownDependency {
        id: TaskId,
    },
    WaitsForItself,
    NoAcceptance,
    OneSource {
        found: usize,
    },
    SynthesisHasNoCalls,
    ParentIsSynthesis,
    OneCallPerOutput {
        calls: usize,
        outputs: usize,
    },
    OutputOutside {
        path: String,
        directory: String,
    },
    OutputOfHast,
    OutputTwice {
        name: String,
    },
    TooManyOutputs {
        found: usize,
    },
    /// What keeps a call from being performed, as the tools say it.
    Tool {
        finding: String,
    },
}

/// More outputs of one task do not fit into one commit with all their sources.
pub const MAX_OUTPUTS: usize = 16;

/// Everything that is wrong with a first plan.
pub fn first_plan(plan: &Decomposition, state: Option<&RoutingState>) -> Vec<PlanFinding> {
    let mut findings = findings(plan, state);
    if (plan.major_version, plan.revision) != (1, 1) {
        findings.push(PlanFinding::of_plan("revision", Rule::FirstVersion));
    }
    findings
}

/// Everything that is wrong with a plan, up to what anybody reads. Calls are checked where it is
/// known what they are about.
pub fn findings(plan: &Decomposition, state: Option<&RoutingState>) -> Vec<PlanFinding> {
    let mut findings = Vec::new();
    if plan.tasks.is_empty() {
        findings.push(PlanFinding::of_plan("tasks", Rule::NoTask));
    } else if plan.tasks.iter().all(|task| task.outputs.is_empty()) {
        findings.push(PlanFinding::of_plan("tasks", Rule::MakesNothing));
    }
    let mut earlier: BTreeMap<&TaskId, &PlanTask> = BTreeMap::new();
    let known: BTreeSet<&TaskId> = plan.tasks.iter().map(|task| &task.id).collect();
    let parents: BTreeSet<&TaskId> =
        plan.tasks.iter().filter_map(|task| task.parent_id.as_ref()).collect();
    for (index, task) in plan.tasks.iter().enumerate() {
        let mut report = |field: &'static str, item: Option<usize>, rule: Rule| {
            findings.push(PlanFinding { task: Some(index), field, item, rule });
        };
        place(task, &earlier, &mut report);
        for (item, id) in task.deps.iter().enumerate().filter(|(_, id)| !known.contains(id)) {
            report("deps", Some(item), Rule::UnknownDependency { id: id.clone() });
        }
        work(task, parents.contains(&task.id), &mut report);
        calls(task, state, &mut report);
        if earlier.insert(&task.id, task).is_some() {
            report("id", None, Rule::IdTwice);
        }
    }
    if let Some(id) = cycle(plan) {
        let task = plan.tasks.iter().position(|task| task.id == *id);
        findings.push(PlanFinding { task, field: "deps", item: None, rule: Rule::WaitsForItself });
    }
    findings.truncate(MAX_FINDINGS);
    findings
}

impl PlanFinding {
    pub(super) fn of_plan(field: &'static str, rule: Rule) -> Self {
        Self { task: None, field, item: None, rule }
    }

    pub(super) fn of_task(task: usize, field: &'static str, rule: Rule) -> Self {
        Self { task: Some(task), field, item: None, rule }
    }

    /// The finding with its line, as the next call is told it.
    pub fn located(
        &self,
        source: &Source<'_>,
        tree: &Node,
        plan: &Decomposition,
        lang: Lang,
    ) -> CallFinding {
        let mut path = Vec::new();
        if let Some(task) = self.task {
            path.extend([Step::Key("tasks"), Step::Index(task)]);
        }
        path.push(Step::Key(self.field));
        path.extend(self.item.map(Step::Index));
        // The innermost value that is there.
        let node = (0..=path.len()).rev().find_map(|length| tree.at(&path[..length]));
        let line = node.map(|node| source.place(node.span.clone()).line);
        let task = self.task.and_then(|task| plan.tasks.get(task));
        let problem = match task {
            Some(task) => format!("{}: {}", task.id, self.rule.what(lang)),
            None => self.rule.what(lang),
        };
        CallFinding { file: source.name.to_owned(), line, problem, next: self.rule.next(lang) }
    }
}

impl Rule {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NoTask => no_task(lang),
            Self::MakesNothing => makes_nothing(lang),
            Self::FirstVersion => first_version(lang),
            Self::NextVersion { major, revision } => next_version(lang, major, revision),
            Self::PassedAlready => passed_already(lang),
            Self::TooManyOutputs { found } => too_many_outputs(lang, found, MAX_OUTPUTS),
            Self::Tool { finding } => tool_finding(lang, finding),
            Self::IdTwice => id_twice(lang),
            Self::NeedsParent => needs_parent(lang),
            Self::Level1HasNoParent => level1_has_no_parent(lang),
            Self::ParentFirst { parent } => parent_first(lang, parent),
            Self::LevelBelowParent { parent, wanted } => level_below_parent(lang, wanted, parent),
            Self::UnknownDependency { id } => unknown_dependency(lang, id),
            Self::WaitsForItself => waits_for_itself(lang),
            Self::NoAcceptance => no_acceptance(lang),
            Self::OneSource { found } => one_source(lang, found),
            Self::SynthesisHasNoCalls => synthesis_has_no_calls(lang),
            Self::ParentIsSynthesis => parent_is_synthesis(lang),
            Self::OneCallPerOutput { calls, outputs } => one_call_per_output(lang, calls, outputs),
            Self::OutputOutside { path, directory } => output_outside(lang, path, directory),
            Self::OutputOfHast => output_of_hast(lang),
            Self::OutputTwice { name } => output_twice(lang, name),
        }
    }

    fn next(&self, lang: Lang) -> String {
        match self {
            Self::NoTask | Self::MakesNothing => add_a_task(lang),
            Self::FirstVersion => write_first_version(lang),
            Self::NextVersion { major, revision } => write_version(lang, major, revision),
            Self::PassedAlready => leave_passed(lang),
            Self::TooManyOutputs { .. } => split_task(lang),
            Self::Tool { .. } => mend_tool(lang),
            Self::IdTwice | Self::OutputTwice { .. } | Self::OutputOfHast => other_name(lang),
            Self::NeedsParent
            | Self::Level1HasNoParent
            | Self::ParentFirst { .. }
            | Self::LevelBelowParent { .. } => mend_place(lang),
            Self::UnknownDependency { .. } | Self::WaitsForItself => mend_deps(lang),
            Self::NoAcceptance => add_acceptance(lang),
            Self::OneSource { .. } | Self::ParentIsSynthesis => choose_source(lang),
            Self::SynthesisHasNoCalls | Self::OneCallPerOutput { .. } => mend_calls(lang),
            Self::OutputOutside { directory, .. } => move_output(lang, directory),
        }
    }
}

messages! {
    no_task() { en: "the plan has no task", ko: "계획에 작업이 없습니다" }
    makes_nothing() { en: "no task of the plan makes anything", ko: "산출물을 만드는 작업이 없습니다" }
    add_a_task() { en: "add a task with outputs", ko: "outputs가 있는 작업을 추가하세요" }
    first_version() { en: "a first plan has major_version 1 and revision 1", ko: "첫 계획은 major_version 1, revision 1입니다" }
    write_first_version() { en: "write 1 and 1", ko: "1과 1로 쓰세요" }
    next_version(major, revision) { en: "the revised plan must have major_version {major} and revision {revision}", ko: "고친 계획은 major_version {major}, revision {revision}(이)여야 합니다" }
    write_version(major, revision) { en: "write {major} and {revision}", ko: "{major}(과)와 {revision}(으)로 쓰세요" }
    passed_already() { en: "the task has passed and must stay as it is", ko: "이미 통과한 작업이라 그대로 두어야 합니다" }
    leave_passed() { en: "copy it unchanged, or leave it out and use a new id", ko: "그대로 옮기거나, 빼고 새 id를 쓰세요" }
    too_many_outputs(found, most) { en: "{found} outputs; a task has at most {most}", ko: "outputs가 {found}개입니다. 한 작업에는 {most}개까지입니다" }
    split_task() { en: "split the task", ko: "작업을 나누세요" }
    tool_finding(finding) { en: "a tool call cannot be performed: {finding}", ko: "도구 호출을 수행할 수 없습니다: {finding}" }
    mend_tool() { en: "mend name and args of the call, or state.json", ko: "호출의 name과 args 또는 state.json을 고치세요" }
    id_twice() { en: "the id is used twice", ko: "id가 두 번 쓰였습니다" }
    other_name() { en: "choose another name", ko: "다른 이름을 고르세요" }
    needs_parent() { en: "a level above 1 needs a parent_id", ko: "level이 1보다 크면 parent_id가 필요합니다" }
    level1_has_no_parent() { en: "level 1 has no parent", ko: "level 1에는 parent가 없습니다" }
    parent_first(parent) { en: "its parent {parent} must stand before it", ko: "parent {parent}(이)가 먼저 나와야 합니다" }
    level_below_parent(wanted, parent) { en: "level must be {wanted}, one below {parent}", ko: "level은 {parent} 바로 아래인 {wanted}(이)여야 합니다" }
    mend_place() { en: "mend level and parent_id, parents before their children", ko: "level과 parent_id를 고치고 parent를 먼저 두세요" }
    unknown_dependency(id) { en: "the dependency {id} does not exist", ko: "의존 작업 {id}(이)가 없습니다" }
    waits_for_itself() { en: "it waits for itself through its dependencies or children", ko: "의존이나 하위 작업을 거쳐 자신을 기다립니다" }
    mend_deps() { en: "name only tasks of the plan that do not wait for this one", ko: "이 작업을 기다리지 않는, 계획에 있는 작업만 적으세요" }
    no_acceptance() { en: "acceptance is empty", ko: "acceptance가 비어 있습니다" }
    add_acceptance() { en: "say in one line or more when the task is accepted", ko: "합격 기준을 한 줄 이상 쓰세요" }
    one_source(found) { en: "exactly one data source, not {found}", ko: "data_sources는 {found}개가 아니라 정확히 하나여야 합니다" }
    parent_is_synthesis() { en: "a task with children and outputs is SYNTHESIS", ko: "하위 작업과 산출물이 있는 작업은 SYNTHESIS입니다" }
    choose_source() { en: "choose one of SEC, YFINANCE, WEB, SYNTHESIS", ko: "SEC, YFINANCE, WEB, SYNTHESIS 중 하나를 고르세요" }
    synthesis_has_no_calls() { en: "SYNTHESIS has no tool_calls", ko: "SYNTHESIS에는 tool_calls가 없습니다" }
    one_call_per_output(calls, outputs) { en: "{calls} tool_calls for {outputs} outputs; one fills one", ko: "tool_calls {calls}개에 outputs {outputs}개입니다. 하나가 하나를 채웁니다" }
    mend_calls() { en: "the i-th call fills the i-th output; SYNTHESIS has none", ko: "i번째 호출이 i번째 산출물을 채우며 SYNTHESIS에는 없습니다" }
    output_outside(path, directory) { en: "{path} must be a file in {directory}", ko: "{path}(은)는 {directory} 안의 파일이어야 합니다" }
    move_output(directory) { en: "write it as {directory}<name>", ko: "{directory}<이름>으로 쓰세요" }
    output_of_hast() { en: "artifact_manifest.json is written by hast", ko: "artifact_manifest.json은 hast가 씁니다" }
    output_twice(name) { en: "{name} is made twice", ko: "{name}(을)를 두 번 만듭니다" }
}

type Report<'r> = &'r mut dyn FnMut(&'static str, Option<usize>, Rule);

/// Level and parent: a parent stands before its children, one level up.
fn place(task: &PlanTask, earlier: &BTreeMap<&TaskId, &PlanTask>, report: Report<'_>) {
    match (&task.parent_id, task.level) {
        (None, 1) => {}
        (None, _) => report("level", None, Rule::NeedsParent),
        (Some(_), 1) => report("parent_id", None, Rule::Level1HasNoParent),
        (Some(parent), level) => match earlier.get(parent) {
            None => report("parent_id", None, Rule::ParentFirst { parent: parent.clone() }),
            Some(above) if above.level.saturating_add(1) != level => {
                let wanted = above.level.saturating_add(1);
                report("level", None, Rule::LevelBelowParent { parent: parent.clone(), wanted });
            }
            Some(_) => {}
        },
    }
}

/// Source, calls, outputs and acceptance.
fn work(task: &PlanTask, has_children: bool, report: Report<'_>) {
    if task.acceptance.is_empty() {
        report("acceptance", None, Rule::NoAcceptance);
    }
    match task.data_sources.as_slice() {
        [DataSource::Synthesis] if !task.tool_calls.is_empty() => {
            report("tool_calls", None, Rule::SynthesisHasNoCalls);
        }
        [DataSource::Synthesis] => {}
        [_] if has_children && !task.outputs.is_empty() => {
            report("data_sources", None, Rule::ParentIsSynthesis);
        }
        [_] if task.tool_calls.len() != task.outputs.len() => {
            let (calls, outputs) = (task.tool_calls.len(), task.outputs.len());
            report("tool_calls", None, Rule::OneCallPerOutput { calls, outputs });
        }
        [_] => {}
        sources => report("data_sources", None, Rule::OneSource { found: sources.len() }),
    }
    if task.outputs.len() > MAX_OUTPUTS {
        report("outputs", None, Rule::TooManyOutputs { found: task.outputs.len() });
    }
    let directory = format!("/{}/", layout::outputs(&task.id, 1));
    let mut names = BTreeSet::new();
    for (item, output) in task.outputs.iter().enumerate() {
        let name = output.path.strip_prefix(&directory);
        let plain = name
            .filter(|name| !name.is_empty() && !name.contains('/') && layout::path(name).is_some());
        let rule = match plain {
            None => Rule::OutputOutside { path: output.path.clone(), directory: directory.clone() },
            Some("artifact_manifest.json") => Rule::OutputOfHast,
            Some(name) if !names.insert(name) => Rule::OutputTwice { name: name.to_owned() },
            Some(_) => continue,
        };
        report("outputs", Some(item), rule);
    }
}

/// Every call is one of the source's tools, with arguments that fit its schema.
fn calls(task: &PlanTask, state: Option<&RoutingState>, report: Report<'_>) {
    let (Some(state), [source]) = (state, task.data_sources.as_slice()) else { return };
    if *source == DataSource::Synthesis {
        return;
    }
    for (item, call) in task.tool_calls.iter().enumerate() {
        for finding in tools::findings(&call.name, &call.args, *source, state) {
            report("tool_calls", Some(item), Rule::Tool { finding });
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
        let plan: Decomposition = serde_json::from_value(plan).unwrap();
        let state = RoutingState { ticker: Some("MRBT".to_owned()), ..RoutingState::default() };
        findings(&plan, Some(&state)).iter().map(|finding| finding.rule.what(Lang::En)).collect()
    }

    #[test]
    fn a_workable_plan_has_no_findings() {
        let child = task("T-0002", |t| {
            t["level"] = 2.into();
            t["parent_id"] = "T-0001".into();
            t["data_sources"] = json!(["WEB"]);
            t["tool_calls"] =
                json!([{"name": "web_fetch", "args": {"url": "https://news.example/a"}}]);
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
    fn calls_are_known_tools_of_the_source_with_arguments_of_their_schema() {
        let call = |source: &str, name: &str, args: Value| {
            vec![task("T-0001", |task| {
                task["data_sources"] = json!([source]);
                task["tool_calls"] = json!([{"name": name, "args": args}]);
            })]
        };
        assert_eq!(found(&call("YFINANCE", "yf_quote", json!({}))), Vec::<String>::new());
        expect("no tool `sec_magic`", &call("SEC", "sec_magic", json!({})));
        expect("not a tool of this source", &call("SEC", "yf_quote", json!({})));
        expect("concept", &call("SEC", "sec_facts", json!({})));
        expect(
            "`for ever` is not allowed",
            &call("YFINANCE", "yf_prices", json!({"range": "for ever"})),
        );
        let mut parent = call("WEB", "web_search", json!({"query": "x"}));
        parent[0]["outputs"] = json!([]);
        expect("1 tool_calls for 0 outputs", &parent);
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

    #[test]
    fn a_finding_points_at_its_line() {
        let text = "{\n \"major_version\": 1, \"revision\": 1,\n \"tasks\": [\n  {\"id\": \"T-0001\", \"title\": \"t\", \"level\": 1,\n   \"parent_id\": null, \"data_sources\": [\"SYNTHESIS\"],\n   \"deps\": [\n    \"T-0009\"],\n   \"outputs\": [], \"tool_calls\": [],\n   \"acceptance\": []}]}";
        let source = Source::new("decomposition.json", text);
        let read = crate::docs::document::read::<Decomposition>(&source).unwrap();
        let located: Vec<(Option<usize>, String)> = findings(&read.value, None)
            .iter()
            .map(|finding| finding.located(&source, &read.tree, &read.value, Lang::En))
            .map(|finding| (finding.line, finding.problem))
            .collect();
        assert_eq!(located[0], (Some(3), "no task of the plan makes anything".to_owned()));
        let dependency = "T-0001: the dependency T-0009 does not exist".to_owned();
        assert_eq!(located[1], (Some(7), dependency));
        assert_eq!(located[2], (Some(9), "T-0001: acceptance is empty".to_owned()));
    }
}
