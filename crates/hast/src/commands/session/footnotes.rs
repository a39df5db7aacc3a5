//! The answer as people read it. The file has its footnotes; one of an earlier version has citations, which
//! become footnotes here: what each rests on, and where that came from.

use hast_flow::flows::session::footnotes::numbered;
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
