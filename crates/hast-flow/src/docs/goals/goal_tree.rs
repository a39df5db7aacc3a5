//! `goals.yaml`: the tree of goals that people write and `auto` works through.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::docs::document::{Nullable, Read, Rules};
use crate::docs::goals::{Config, Minutes, PRESETS};
use crate::document;
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::source::Source;
use crate::formats::tree::Node;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Goals {
    /// With nothing behind its key there are none: so a list begins whose first item is still a comment.
    #[serde(deserialize_with = "none_or_some")]
    #[schemars(with = "Nullable<Vec<Goal>>")]
    pub goals: Vec<Goal>,
}

document!(Goals, "goals", Yaml, Warn, rules goal_rules);

fn none_or_some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Goal>, D::Error> {
    Option::<Vec<Goal>>::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    #[schemars(length(min = 1), example = &"M1")]
    pub id: String,
    pub title: String,
    #[schemars(example = &"active")]
    pub status: GoalStatus,
    /// Why hast blocked the goal; removed on retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Goal>,
    /// Red tests are the wanted result (the RED step of test-first work).
    #[serde(default)]
    pub expect_failure: bool,
    /// Globs, gitignore style, that the goal may change; empty is unlimited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_changes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_mode: Option<PromptMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<GoalMode>,
    /// A name of `ai_tools`, or a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<GoalPhase>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_command: Option<String>,
    /// Fewer tests than before the goal are right: nobody is asked about them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fewer_tests: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_minutes: Option<Minutes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<NonZeroU32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GoalStatus {
    Pending,
    Active,
    Done,
    Blocked,
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PromptMode {
    Adversarial,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GoalMode {
    Interactive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GoalPhase {
    Plan,
    Implement,
    Gate,
    Adversarial,
    Review,
}

/// Goals that name an agent which neither the config nor hast knows.
pub fn unknown_tools(source: &Source<'_>, goals: &Read<Goals>, config: &Config) -> Vec<Diagnostic> {
    let mut declared = Vec::new();
    if let Some(node) = goals.tree.get("goals") {
        collect(&goals.value.goals, node, None, &mut declared);
    }
    let unknown = declared.iter().filter_map(|entry| {
        let tool = entry.goal.tool.as_deref()?;
        let named = config.ai_tools.contains_key(tool) || PRESETS.contains(&tool);
        let direct = tool.starts_with("builtin:") || tool.starts_with("rehearsal:");
        (!named && !direct).then_some((tool, entry.node.get("tool")?))
    });
    unknown
        .map(|(tool, node)| {
            let tools = config.ai_tools.keys().map(String::as_str);
            let allowed = tools.chain(PRESETS.iter().copied()).map(str::to_owned).collect();
            let finding = Finding::NotOneOf { value: tool.to_owned(), allowed };
            source.diagnose(node.span.clone(), finding)
        })
        .collect()
}

/// A glob that names no file of a repository: an empty one, or one that leads up.
pub fn matches_nothing(glob: &str) -> bool {
    let pattern = glob.trim().trim_start_matches('!');
    pattern.trim_matches('/').is_empty() || pattern.split('/').any(|part| part == "..")
}

/// A goal of the tree with the node that declares it, and the one above it.
struct Declared<'a> {
    goal: &'a Goal,
    node: &'a Node,
    above: Option<usize>,
}

/// Ids are unique in the whole tree; dependencies exist and do not wait for each other.
fn goal_rules(goals: &Goals, rules: &mut Rules<'_>) {
    let tree = rules.tree;
    let mut declared = Vec::new();
    if let Some(node) = tree.get("goals") {
        collect(&goals.goals, node, None, &mut declared);
    }
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, entry) in declared.iter().enumerate() {
        Minutes::rule(entry.goal.timeout_minutes, entry.node, "timeout_minutes", rules);
        let id = entry.goal.id.as_str();
        if let Some(&first) = by_id.get(id) {
            let first = id_node(declared[first].node);
            rules.report_with(id_node(entry.node), |rules| Finding::DuplicateId {
                id: id.to_owned(),
                first_line: rules.line(first),
            });
        } else {
            by_id.insert(id, index);
        }
    }
    for entry in &declared {
        let globs = entry.node.get("allowed_changes").map_or(&[][..], |list| list.list());
        for (glob, node) in entry.goal.allowed_changes.iter().zip(globs) {
            if matches_nothing(glob) {
                rules.warn(node, Finding::MatchesNothing { glob: glob.clone() });
            }
        }
        let named = entry.node.get("depends_on").map_or(&[][..], |list| list.list());
        for (id, node) in entry.goal.depends_on.iter().zip(named) {
            if !by_id.contains_key(id.as_str()) {
                rules.report(node, Finding::UnknownReference { id: id.clone() });
            }
        }
    }
    if let Some(circle) = find_cycle(&declared, &by_id) {
        let named = circle.iter().map(|&at| {
            let line = rules.line(id_node(declared[at].node));
            format!("{} ({line})", declared[at].goal.id)
        });
        let path = named.collect();
        // The goal before the last one is where the circle closes.
        let closing = circle.iter().rev().nth(1).map_or(0, |&at| at);
        let node = declared[closing].node;
        rules.report(node.get("depends_on").unwrap_or(node), Finding::Cycle { path });
    }
}

fn collect<'a>(
    goals: &'a [Goal],
    list: &'a Node,
    above: Option<usize>,
    into: &mut Vec<Declared<'a>>,
) {
    for (goal, node) in goals.iter().zip(list.list()) {
        let own = into.len();
        into.push(Declared { goal, node, above });
        if let Some(children) = node.get("children") {
            collect(&goal.children, children, Some(own), into);
        }
    }
}

fn id_node(goal: &Node) -> &Node {
    goal.get("id").unwrap_or(goal)
}

/// A goal, as a circle of waiting goals passes through it: its beginning waits for the ends of its dependencies
/// and for the beginning of the goal above it, its end for its beginning and for the ends of its children.
#[derive(Clone, Copy)]
enum GoalMoment {
    Begin(usize),
    End(usize),
}

impl GoalMoment {
    fn place(self) -> usize {
        match self {
            Self::Begin(index) => index * 2,
            Self::End(index) => index * 2 + 1,
        }
    }

    fn waits_for(self, declared: &[Declared<'_>], by_id: &BTreeMap<&str, usize>) -> Vec<Self> {
        let known = |id: &str| by_id.get(id).copied();
        match self {
            Self::Begin(index) => {
                let named = declared[index].goal.depends_on.iter().filter_map(|id| known(id));
                // A part that is named beside the whole waits for nothing more.
                let named = named.filter(|at| *at == index || !is_below(declared, *at, index));
                named.map(Self::End).chain(declared[index].above.map(Self::Begin)).collect()
            }
            Self::End(index) => {
                let children = declared[index].goal.children.iter();
                let children = children.filter_map(|child| known(&child.id)).map(Self::End);
                children.chain([Self::Begin(index)]).collect()
            }
        }
    }
}

fn is_below(declared: &[Declared<'_>], below: usize, index: usize) -> bool {
    let mut above = declared[below].above;
    while let Some(next) = above {
        if next == index {
            return true;
        }
        above = declared[next].above;
    }
    false
}

/// Goals that wait for each other, the first of them at the end again.
fn find_cycle(declared: &[Declared<'_>], by_id: &BTreeMap<&str, usize>) -> Option<Vec<usize>> {
    let circle = circle(declared, by_id)?;
    let mut goals: Vec<usize> = circle.into_iter().map(|place| place / 2).collect();
    goals.dedup();
    // The end and the beginning of one goal may stand at both ends.
    if goals.len() == 1 || goals.first() != goals.last() {
        goals.extend(goals.first().copied());
    }
    Some(goals)
}

/// Depth first without recursion: a chain of ten thousand goals is no deeper than the heap.
fn circle(declared: &[Declared<'_>], by_id: &BTreeMap<&str, usize>) -> Option<Vec<usize>> {
    let waits_for = |place: usize| -> Vec<usize> {
        let moment = match place % 2 {
            0 => GoalMoment::Begin(place / 2),
            _ => GoalMoment::End(place / 2),
        };
        moment.waits_for(declared, by_id).into_iter().map(GoalMoment::place).collect()
    };
    let mut finished = vec![false; declared.len() * 2];
    // From the ends: what a goal is made of is looked at as it stands in the file.
    for start in (0..declared.len()).map(|index| GoalMoment::End(index).place()) {
        let mut path = vec![(start, waits_for(start))];
        let mut on_path = BTreeMap::from([(start, 0)]);
        while let Some((index, next)) = path.last_mut() {
            let index = *index;
            match next.pop() {
                Some(target) if on_path.contains_key(&target) => {
                    let from = on_path.get(&target).copied().unwrap_or(0);
                    return Some(path[from..].iter().map(|(at, _)| *at).chain([target]).collect());
                }
                Some(target) if finished[target] => {}
                Some(target) => {
                    on_path.insert(target, path.len());
                    path.push((target, waits_for(target)));
                }
                None => {
                    finished[index] = true;
                    on_path.remove(&index);
                    path.pop();
                }
            }
        }
    }
    None
}
