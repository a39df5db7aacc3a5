//! How everything that goes wrong is said: what, where, why, and what to do next; and the exit code.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use hast_flow::formats::diagnostic::{Diagnostic, Severity};
use hast_flow::formats::source::Excerpt;
use hast_flow::words::{Lang, shell_word, visible};
use hast_world::files::in_the_way;
use hast_world::root_path::is_link;
use serde_json::json;

use crate::commands::opening::Repair;
use crate::messages::say;

/// The documented exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    /// A person has to answer.
    Waiting = 3,
    Locked = 4,
    Interrupted = 130,
}

/// The word of a refusal to follow a link.
pub(crate) const LINK_IN_THE_WAY: &str = "link_in_the_way";

/// Something went wrong that is not a finding in a document.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) what: String,
    pub(crate) place: Option<Box<str>>,
    pub(crate) why: Option<String>,
    pub(crate) next: String,
    pub(crate) exit: Exit,
    /// The word for programs, where there is a closed list of them.
    pub(crate) code: Option<&'static str>,
    /// Nothing is wrong, whatever the exit code is: a person is waited for.
    pub(crate) is_notice: bool,
    /// What was repaired before it went wrong, for programs; people were told.
    pub(crate) repaired: Option<Box<serde_json::Value>>,
}

impl Problem {
    pub(crate) fn new(what: String, next: String) -> Self {
        let (place, why, exit, code) = (None, None, Exit::Failed, None);
        Self { what, place, why, next, exit, code, is_notice: false, repaired: None }
    }

    pub(crate) fn usage(what: String, next: String) -> Self {
        Self { exit: Exit::Usage, ..Self::new(what, next) }
    }

    pub(crate) fn coded(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    pub(crate) fn beside(self, repairs: &[Repair]) -> Self {
        let all: Vec<_> = repairs.iter().map(Repair::json).collect();
        Self { repaired: (!all.is_empty()).then(|| Box::new(all.into())), ..self }
    }

    pub(crate) fn at(self, path: &Path) -> Self {
        Self { place: Some(path.display().to_string().into()), ..self }
    }

    pub(crate) fn because(self, why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..self }
    }

    /// A repository brought a link where hast reads or writes files of its own.
    pub(crate) fn link_in_the_way(lang: Lang, path: &Path) -> Self {
        let next = say::link_in_the_way_next(lang, visible(&path.display().to_string()));
        Self::new(say::link_in_the_way(lang), next).at(path).coded(LINK_IN_THE_WAY)
    }

    pub(crate) fn cannot_read(lang: Lang, path: &Path, why: &std::io::Error) -> Self {
        if is_link(why) {
            return Self::link_in_the_way(lang, path);
        }
        let not_regular = why.to_string() == "not a regular file";
        let is_to_move = not_regular || why.kind() == ErrorKind::FileTooLarge;
        let moved = if is_to_move { Some(path.to_owned()) } else { in_the_way(path, why) };
        let said = if not_regular { say::not_regular(lang) } else { why.to_string() };
        let next = moved.as_deref().map_or(say::cannot_read_next(lang), |it| move_away(lang, it));
        Self::new(say::cannot_read(lang), next).at(moved.as_deref().unwrap_or(path)).because(said)
    }

    pub(crate) fn cannot_write(lang: Lang, path: &Path, why: &std::io::Error) -> Self {
        if is_link(why) {
            return Self::link_in_the_way(lang, path);
        }
        let moved = in_the_way(path, why);
        let next = moved.as_deref().map_or(say::cannot_create_next(lang), |it| move_away(lang, it));
        Self::new(say::cannot_create(lang), next)
            .at(moved.as_deref().unwrap_or(path))
            .because(why.to_string())
    }

    pub(crate) fn text(&self, lang: Lang, renderer: &Renderer) -> String {
        // Nothing is wrong where a person is waited for.
        let (level, name) = match self.exit {
            _ if self.is_notice => (Level::NOTE, say::notice(lang)),
            Exit::Waiting => (Level::NOTE, say::notice(lang)),
            _ => (Level::ERROR, say::error(lang)),
        };
        let place = self.place.as_deref().map(visible);
        let mut group = level
            .with_name(name.as_str())
            .primary_title(&*self.what)
            .elements(place.as_deref().map(Origin::path));
        let (why, next) = (say::why(lang), say::next(lang));
        if let Some(cause) = &self.why {
            // Programs that were asked answer in several lines.
            let lines: Vec<_> = cause.trim_end().lines().map(visible).collect();
            group = group.element(Level::NOTE.with_name(why.as_str()).message(lines.join("\n")));
        }
        group = group.element(Level::HELP.with_name(next.as_str()).message(&*self.next));
        renderer.render(&[group]) + "\n"
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let mut document = json!({ "problem": {
            "code": self.code,
            "what": self.what,
            "where": self.place,
            "why": self.why,
            "next": self.next,
        }, "exit": self.exit as u8 });
        if let Some(repaired) = &self.repaired {
            document["repaired"] = (**repaired).clone();
        }
        document
    }
}

/// What to type so that something is out of the way and nothing is lost.
fn move_away(lang: Lang, path: &Path) -> String {
    let shown = path.display().to_string();
    let aside = format!("{shown}.aside");
    say::move_away_next(lang, shell_word(&shown), shell_word(&aside))
}

/// A finding with the line it is on.
pub(crate) fn diagnostic_text(diagnostic: &Diagnostic, lang: Lang, renderer: &Renderer) -> String {
    let (level, name) = match diagnostic.severity {
        Severity::Error => (Level::ERROR, say::error(lang)),
        Severity::Warning => (Level::WARNING, say::warning(lang)),
    };
    let (what, next) = (diagnostic.finding.what(lang), diagnostic.next(lang));
    let next_name = say::next(lang);
    let title = level.with_name(name.as_str()).primary_title(what);
    let file = visible(&diagnostic.file);
    let origin = Origin::path(&*file);
    let help = Level::HELP.with_name(next_name.as_str()).message(next);
    let group = match &diagnostic.place {
        None => title.element(origin).element(help),
        Some(place) => {
            let excerpt = visible_excerpt(&place.excerpt);
            let mark = AnnotationKind::Primary.span(excerpt.marked.clone());
            let shown_column = excerpt.text[..excerpt.marked.start].chars().count() + 1;
            let snippet = Snippet::source(excerpt.text).line_start(place.line).annotation(mark);
            if shown_column == place.column {
                title.element(snippet.path(&*file)).element(help)
            } else {
                // The excerpt of a long line starts somewhere inside it: say the true column.
                let origin = origin.line(place.line).char_column(place.column);
                title.element(origin).element(snippet).element(help)
            }
        }
    };
    renderer.render(&[group]) + "\n"
}

/// A line of a file as it may be sent to a terminal. Tabs stay: the renderer aligns them.
fn visible_excerpt(excerpt: &Excerpt) -> Excerpt {
    let part = |text: &str| text.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    let Range { start, end } = excerpt.marked;
    let mut text = part(&excerpt.text[..start]);
    let shown_start = text.len();
    text += &part(&excerpt.text[start..end]);
    let marked = shown_start..text.len();
    text += &part(&excerpt.text[end..]);
    Excerpt { text, marked }
}

pub(crate) fn diagnostic_json(diagnostic: &Diagnostic, lang: Lang) -> serde_json::Value {
    json!({
        "file": diagnostic.file,
        "line": diagnostic.line(),
        "column": diagnostic.place.as_ref().map(|place| place.column),
        "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "code": diagnostic.finding.code(),
        "problem": diagnostic.finding.what(lang),
        "next": diagnostic.next(lang),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::formats::diagnostic::Finding;
    use hast_flow::formats::source::Source;

    const EVIL: &str = "a\u{1b}[31m\u{9b}31m";

    fn is_harmless(text: &str) -> bool {
        !text.contains(|c: char| c.is_control() && c != '\n')
    }

    #[test]
    fn a_file_cannot_send_commands_to_the_terminal() {
        let plain = Renderer::plain();
        let text = format!("\t{EVIL}: 가나");
        let source = Source::new("evil\n\u{1b}[2Jname", &text);
        let at = text.find('가').unwrap();
        let finding = Finding::QuoteText { text: EVIL.to_owned() };
        let shown = diagnostic_text(&source.diagnose(at..at + 6, finding), Lang::En, &plain);
        assert!(is_harmless(&shown), "{shown:?}");
        assert!(shown.contains("evil\\n\\u{1b}[2Jname:1:14"), "{shown}");
        assert!(shown.contains("a\\u{1b}[31m\\u{9b}31m: 가나"), "{shown}");
    }

    #[test]
    fn waiting_for_a_person_is_a_notice() {
        let problem = Problem::new("a question".to_owned(), "answer it".to_owned());
        let waiting = Problem { exit: Exit::Waiting, ..problem.clone() };
        let plain = Renderer::plain();
        assert!(waiting.text(Lang::En, &plain).starts_with("notice: a question"));
        assert!(waiting.text(Lang::Ko, &plain).starts_with("알림: "));
        assert!(problem.text(Lang::En, &plain).starts_with("error: "));
    }

    #[test]
    fn a_path_cannot_send_commands_to_the_terminal() {
        let plain = Renderer::plain();
        let why = std::io::Error::other(EVIL);
        let problem = Problem::cannot_read(Lang::Ko, Path::new("a\n\u{1b}[2J"), &why);
        let shown = problem.text(Lang::Ko, &plain);
        assert!(is_harmless(&shown) && shown.contains("a\\n\\u{1b}[2J"), "{shown}");
    }
}
