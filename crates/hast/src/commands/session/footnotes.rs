//! The answer with its citations as footnotes: what each rests on, and where that came from.

use hast_flow::ids::KnowledgeId;
use hast_flow::words::Lang;

use super::reading::Session;
use crate::session_messages::say;

/// The answer; every `[K-0009]`, also in a list, becomes the number of a note below.
pub(super) fn answer(session: &Session, lang: Lang) -> String {
    let text = session.answer.as_deref().unwrap_or_default();
    let (mut text, cited) = numbered(text);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if cited.is_empty() {
        return text;
    }
    text.push('\n');
    for (number, id) in (1..).zip(&cited) {
        text += &format!("[{number}] {}\n", note(session, id, lang));
        for source in sources(session, id) {
            text += &format!("    {source}\n");
        }
    }
    text
}

/// The text with numbers in the place of citations, and what they are, in the order of their first
/// appearance.
pub(super) fn numbered(text: &str) -> (String, Vec<KnowledgeId>) {
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

/// What a piece of knowledge is, in a line.
pub(super) fn note(session: &Session, id: &KnowledgeId, lang: Lang) -> String {
    let Some(piece) = session.view.knowledge.get(id) else { return id.to_string() };
    let (task, title) = (&piece.source, session.title(&piece.source));
    let mark =
        if piece.is_active() { String::new() } else { format!(" ({})", say::invalid_mark(lang)) };
    format!("{id} {task} {title}: {}{mark}", piece.artifact)
}

/// Where the raw answers behind it came from.
fn sources(session: &Session, id: &KnowledgeId) -> Vec<String> {
    let Some(piece) = session.view.knowledge.get(id) else { return Vec::new() };
    let all = session.behind(&piece.artifact).iter();
    all.map(|source| format!("{} ({})", source.url, source.fetched_at)).collect()
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
