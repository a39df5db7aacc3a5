//! The surroundings of an item, as its expert is told them: the plan with the item's place in it, the parent,
//! and the results that are there, in excerpts with their paths.

use crate::docs::kernel::{ExpertOutput, TodoItem, TodoStatus};
use crate::messages;
use crate::words::Lang;

messages! {
    plan_heading() { en: "The plan (`>` is your item, `x` is done):", ko: "계획 (`>`가 당신의 항목, `x`는 끝난 것):" }
    more_items(count) { en: "({count} more items elsewhere in the plan)", ko: "(계획의 다른 곳에 항목 {count}개 더)" }
    parent_words(id, title: whole, description: whole) { en: "Your item is a part of {id}: {title}\n{description}", ko: "당신의 항목은 {id}의 일부입니다: {title}\n{description}" }
    results_heading() { en: "Results that are there; the files are among your inputs:", ko: "나와 있는 결과 (파일은 입력에 있습니다):" }
    no_results() { en: "No item that yours builds on has a result yet.", ko: "당신의 항목이 바탕으로 삼을 결과는 아직 없습니다." }
}

/// Lines of a plan that a prompt shows, and how much of the results.
const MOST_LINES: usize = 40;
const EXCERPT: usize = 2_500;
const EXCERPTS: usize = 6_000;

/// The words around an item.
pub(super) fn told<'o>(
    items: &[TodoItem],
    item: &TodoItem,
    output: impl Fn(&TodoItem) -> Option<&'o ExpertOutput>,
    lang: Lang,
) -> String {
    let parent = item.parent_id.as_ref();
    let parent = parent.and_then(|id| items.iter().find(|other| other.id == *id));
    let parent =
        parent.map(|above| parent_words(lang, &above.id, &above.title, &above.description));
    let parts = [Some(plan(items, item, lang)), parent, Some(results(items, item, output, lang))];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// What an item may build on: its dependencies, its own sub-plan, and what is done beside it.
pub(super) fn known<'p>(
    items: &'p [TodoItem],
    item: &'p TodoItem,
) -> impl Iterator<Item = &'p TodoItem> {
    items.iter().filter(move |other| {
        let beside = other.parent_id == item.parent_id && other.status == TodoStatus::Completed;
        other.id != item.id
            && (item.dependencies.contains(&other.id)
                || other.parent_id.as_ref() == Some(&item.id)
                || beside)
    })
}

fn plan(items: &[TodoItem], item: &TodoItem, lang: Lang) -> String {
    let near = |other: &TodoItem| {
        other.depth == 1
            || other.parent_id == item.parent_id
            || other.parent_id.as_ref() == Some(&item.id)
            || item.parent_id.as_ref() == Some(&other.id)
            || other.id == item.id
    };
    let all = items.len() <= MOST_LINES;
    let shown: Vec<&TodoItem> = items.iter().filter(|other| all || near(other)).collect();
    let mut text = plan_heading(lang);
    for other in shown.iter().take(MOST_LINES) {
        let mark = match other.status {
            _ if other.id == item.id => '>',
            TodoStatus::Completed => 'x',
            TodoStatus::Failed => '!',
            TodoStatus::Pending | TodoStatus::InProgress => ' ',
        };
        let indent = "  ".repeat(usize::try_from(other.depth.saturating_sub(1)).unwrap_or(0));
        let title = other.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title: String = title.chars().take(100).collect();
        text += &format!("\n{indent}- [{mark}] {}: {title}", other.id);
    }
    match items.len() - shown.len().min(MOST_LINES) {
        0 => text,
        more => format!("{text}\n{}", more_items(lang, more)),
    }
}

fn results<'o>(
    items: &[TodoItem],
    item: &TodoItem,
    output: impl Fn(&TodoItem) -> Option<&'o ExpertOutput>,
    lang: Lang,
) -> String {
    let mut left = EXCERPTS;
    let mut text = String::new();
    for other in known(items, item) {
        let Some(result) = output(other).and_then(|output| output.result.as_ref()) else {
            continue;
        };
        let path = other.result_path.as_deref().unwrap_or_default();
        text += &format!("\n- {} ({path})", other.id);
        let words = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
        let excerpt: String = words.chars().take(EXCERPT.min(left)).collect();
        left = left.saturating_sub(excerpt.chars().count());
        let cut = if excerpt.chars().count() < words.chars().count() { "…" } else { "" };
        if !excerpt.is_empty() {
            text += &format!(": {excerpt}{cut}");
        }
    }
    if text.is_empty() { no_results(lang) } else { results_heading(lang) + &text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::kernel::ExpertStatus;
    use serde_json::json;

    fn item(id: &str, parent: Option<&str>, status: TodoStatus) -> TodoItem {
        TodoItem {
            id: id.to_owned(),
            title: format!("title of {id}"),
            description: format!("do {id}"),
            expert: "ResearchExpert".to_owned(),
            status,
            parent_id: parent.map(str::to_owned),
            dependencies: Vec::new(),
            estimated_steps: 1,
            requires_external_data: false,
            depth: if parent.is_some() { 2 } else { 1 },
            result_path: Some(format!("requests/x/outputs/{id}/output.json")),
        }
    }

    #[test]
    fn an_expert_knows_the_plan_its_place_and_what_is_done_beside_it() {
        use TodoStatus::{Completed, InProgress, Pending};
        let items = [
            item("a", None, Completed),
            item("b", None, Pending),
            item("b/1", Some("b"), Completed),
            item("b/2", Some("b"), InProgress),
        ];
        let output = ExpertOutput {
            task_id: "b/1".to_owned(),
            status: ExpertStatus::Completed,
            result: Some(json!({"sum": "가".repeat(5_000)})),
            plan: None,
            error_details: None,
        };
        let found = |other: &TodoItem| (other.id == "b/1").then_some(&output);
        let told = told(&items, &items[3], found, Lang::En);
        for part in [
            "- [x] a: title of a",
            "  - [>] b/2: title of b/2",
            "a part of b: title of b\ndo b",
            "- b/1 (requests/x/outputs/b/1/output.json): {\"sum\":",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(told.chars().count() < 4_000 && told.contains('…'), "{}", told.len());
    }

    #[test]
    fn a_long_plan_is_shown_around_the_item() {
        let mut items: Vec<TodoItem> =
            (0..100).map(|n| item(&format!("a/{n}"), Some("a"), TodoStatus::Pending)).collect();
        items.push(item("b", None, TodoStatus::InProgress));
        let told = plan(&items, &items[100], Lang::En);
        assert!(told.contains("[>] b") && told.contains("(100 more items"), "{told}");
    }
}
