//! How everything that goes wrong is said: what, where, why, and what to do next; and the exit code.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Origin, Snippet};
use hast_flow::formats::diagnostic::{Diagnostic, Severity};
use hast_flow::words::Lang;
use serde_json::json;

use crate::messages::say;
use crate::output::Output;

/// The documented exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
}

/// Something went wrong that is not a finding in a document.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) what: String,
    pub(crate) place: Option<String>,
    pub(crate) why: Option<String>,
    pub(crate) next: String,
    pub(crate) exit: Exit,
}

impl Problem {
    pub(crate) fn new(what: String, next: String) -> Self {
        Self { what, place: None, why: None, next, exit: Exit::Failed }
    }

    pub(crate) fn usage(what: String, next: String) -> Self {
        Self { exit: Exit::Usage, ..Self::new(what, next) }
    }

    pub(crate) fn at(self, path: &Path) -> Self {
        Self { place: Some(path.display().to_string()), ..self }
    }

    pub(crate) fn because(self, why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..self }
    }

    pub(crate) fn cannot_read(lang: Lang, path: &Path, why: &std::io::Error) -> Self {
        Self::new(say::cannot_read(lang), say::cannot_read_next(lang))
            .at(path)
            .because(why.to_string())
    }

    pub(crate) fn text(&self, lang: Lang, output: &Output) -> String {
        let name = say::error(lang);
        let mut group = Level::ERROR
            .with_name(name.as_str())
            .primary_title(&*self.what)
            .elements(self.place.as_deref().map(Origin::path));
        let (why, next) = (say::why(lang), say::next(lang));
        if let Some(cause) = &self.why {
            group = group.element(Level::NOTE.with_name(why.as_str()).message(&**cause));
        }
        group = group.element(Level::HELP.with_name(next.as_str()).message(&*self.next));
        output.renderer().render(&[group]) + "\n"
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        json!({ "problem": {
            "what": self.what,
            "where": self.place,
            "why": self.why,
            "next": self.next,
        }, "exit": self.exit as u8 })
    }
}

/// A finding with the line it is on.
pub(crate) fn diagnostic_text(diagnostic: &Diagnostic, lang: Lang, output: &Output) -> String {
    let (level, name) = match diagnostic.severity {
        Severity::Error => (Level::ERROR, say::error(lang)),
        Severity::Warning => (Level::WARNING, say::warning(lang)),
    };
    let (what, next) = (diagnostic.finding.what(lang), diagnostic.finding.next(lang));
    let next_name = say::next(lang);
    let title = level.with_name(name.as_str()).primary_title(what);
    let origin = Origin::path(&*diagnostic.file);
    let help = Level::HELP.with_name(next_name.as_str()).message(next);
    let group = match &diagnostic.place {
        None => title.element(origin).element(help),
        Some(place) => {
            let excerpt = &place.excerpt;
            let mark = AnnotationKind::Primary.span(excerpt.marked.clone());
            let snippet = Snippet::source(&*excerpt.text).line_start(place.line).annotation(mark);
            let shown_column = excerpt.text[..excerpt.marked.start].chars().count() + 1;
            if shown_column == place.column {
                title.element(snippet.path(&*diagnostic.file)).element(help)
            } else {
                // The excerpt of a long line starts somewhere inside it: say the true column.
                let origin = origin.line(place.line).char_column(place.column);
                title.element(origin).element(snippet).element(help)
            }
        }
    };
    output.renderer().render(&[group]) + "\n"
}

pub(crate) fn diagnostic_json(diagnostic: &Diagnostic, lang: Lang) -> serde_json::Value {
    json!({
        "file": diagnostic.file,
        "line": diagnostic.line(),
        "column": diagnostic.place.as_ref().map(|place| place.column),
        "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "code": diagnostic.finding.code(),
        "problem": diagnostic.finding.what(lang),
        "next": diagnostic.finding.next(lang),
    })
}
