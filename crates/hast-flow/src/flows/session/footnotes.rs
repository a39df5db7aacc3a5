//! Citations as numbered footnotes: each `[K-0009]` of the answer becomes a number, and below it stands the
//! task's title, the artifact, and where what it rests on came from.

use crate::docs::session::SourceRecord;
use crate::flows::session::view::View;
use crate::ids::{KnowledgeId, TaskId};
use crate::knowledge::Piece;
use crate::words::Lang;

crate::messages! {
    heading() { en: "Sources", ko: "출처" }
    more_sources(count) { en: "and {count} more", ko: "외 {count}개" }
}

/// How many addresses a note names.
const NAMED: usize = 3;

/// The answer with numbers in the place of citations, and a list of what they stand for.
pub fn footnoted(view: &View, text: &str, lang: Lang) -> String {
    let (mut text, cited) = numbered(text);
    if cited.is_empty() {
        return text;
    }
    text.truncate(text.trim_end().len());
    text += &format!("\n\n## {}\n\n", heading(lang));
    for (number, id) in (1..).zip(&cited) {
        text += &format!("{number}. {}\n", note(view, id, lang));
    }
    text
}

/// The text with numbers in the place of citations, and what they are, in the order of their first
/// appearance. Also a list in one pair of brackets is a citation.
pub fn numbered(text: &str) -> (String, Vec<KnowledgeId>) {
    let mut cited: Vec<KnowledgeId> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let (before, after) = rest.split_at(start);
        out.push_str(before);
        let inside = after.get(1..).and_then(|after| after.split_once(']'));
        let ids = inside.and_then(|(list, _)| listed(list));
        if let (Some(ids), Some((_, behind))) = (ids, inside) {
            let mut number = |id: KnowledgeId| {
                let known = cited.iter().position(|known| *known == id);
                let at = known.unwrap_or_else(|| {
                    cited.push(id);
                    cited.len() - 1
                });
                (at + 1).to_string()
            };
            let numbers: Vec<String> = ids.into_iter().map(&mut number).collect();
            out += &format!("[{}]", numbers.join(", "));
            rest = behind;
        } else {
            out.push('[');
            rest = after.get(1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    (out, cited)
}

/// The ids between two brackets, if there is nothing else.
fn listed(inside: &str) -> Option<Vec<KnowledgeId>> {
    inside.split([',', ';']).map(|id| id.trim().parse().ok()).collect()
}

fn note(view: &View, id: &KnowledgeId, lang: Lang) -> String {
    let Some(piece) = view.knowledge.get(id) else { return id.to_string() };
    let task = piece.source.parse().ok();
    let task = task.and_then(|task: TaskId| view.plan.as_ref()?.task(&task));
    let title = task.map_or("", |task| task.title.as_str());
    let mut told = format!("{id} {} {title}: {}", piece.source, piece.artifact);
    let sources = behind(view, piece);
    for source in sources.iter().take(NAMED) {
        let date = source.fetched_at.to_string();
        let date = date.split('T').next().unwrap_or_default();
        told += &format!(" · {} ({date})", source.url);
    }
    match sources.len().saturating_sub(NAMED) {
        0 => told,
        more => format!("{told} · {}", more_sources(lang, more)),
    }
}

/// The raw answers that a piece of knowledge rests on, also by way of what it was made from; each address
/// once.
fn behind<'v>(view: &'v View, piece: &Piece) -> Vec<&'v SourceRecord> {
    let mut open: Vec<TaskId> = piece.source.parse().ok().into_iter().collect();
    let mut seen: Vec<TaskId> = Vec::new();
    let mut found: Vec<&SourceRecord> = Vec::new();
    while let Some(task) = open.pop() {
        if seen.contains(&task) {
            continue;
        }
        for source in view.origins.get(&task).into_iter().flat_map(|(_, sources)| sources) {
            if !found.iter().any(|known| known.url == source.url) {
                found.push(source);
            }
        }
        if let Some(plan) = &view.plan
            && let Some(of) = plan.task(&task)
        {
            open.extend(plan.sources(of).cloned());
        }
        seen.push(task);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_become_numbers_in_the_order_of_their_appearance() {
        let (text, cited) = numbered("가 [K-0002], 나 [K-0001] [x] [K-0002].");
        assert_eq!(text, "가 [1], 나 [2] [x] [1].");
        let ids: Vec<&str> = cited.iter().map(KnowledgeId::as_str).collect();
        assert_eq!(ids, ["K-0002", "K-0001"]);
        assert_eq!(numbered("[a [K-0001").0, "[a [K-0001");
        assert_eq!(numbered("[K-0002; K-0001] [K-0001, x]").0, "[1, 2] [K-0001, x]");
    }
}
