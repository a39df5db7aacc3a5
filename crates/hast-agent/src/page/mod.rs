//! Reports as one HTML file each: opens offline, needs no script, prints well, light and dark. Text of
//! agents and people comes in as text and cannot become anything else.

mod markdown;
mod parts;
mod style;
mod timeline;

use std::fmt::Display;

use crate::tools::chart::{self, escaped};
use hast_flow::tools::args::ChartArgs;
use hast_flow::words::Lang;

pub use parts::{Branch, Mood, badge, details, facts, file_link, link, list, table, tree};
pub use timeline::{Span, timeline};

/// A piece of a page. Only this module makes one, so nothing unescaped gets in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Any text, as text.
    pub fn text(text: impl Display) -> Self {
        Self(escaped(&text.to_string()))
    }

    /// A paragraph of text.
    pub fn paragraph(text: impl Display) -> Self {
        Self(format!("<p>{}</p>\n", escaped(&text.to_string())))
    }

    /// Text in which spaces and lines matter.
    pub fn code(text: impl Display) -> Self {
        Self(format!("<pre>{}</pre>\n", escaped(&text.to_string())))
    }

    /// An agent's Markdown: its HTML is shown as text, its links go to the web or within the page.
    pub fn markdown(text: &str) -> Self {
        Self(format!("<div class=\"prose\">\n{}</div>\n", markdown::rendered(text)))
    }

    /// A chart; a sentence where the series cannot be drawn.
    pub fn chart(lang: Lang, args: &ChartArgs) -> Self {
        match chart::figure(args) {
            Ok(figure) => Self(figure),
            Err(failure) => Self::paragraph(failure.what(lang)),
        }
    }

    pub fn then(mut self, other: &Self) -> Self {
        self.0.push_str(&other.0);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        Self(parts.into_iter().map(|part| part.0).collect())
    }
}

/// A heading and what stands under it.
#[derive(Clone, Debug)]
pub struct Section {
    /// For links within the page.
    pub id: &'static str,
    pub title: String,
    pub body: Html,
}

/// A whole file.
#[derive(Debug)]
pub struct Page {
    pub lang: Lang,
    pub title: String,
    /// One line under the title.
    pub about: Html,
    pub sections: Vec<Section>,
}

/// What every page begins with, after its language.
const HEAD: &str = "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<title>";

impl Page {
    /// Whether a file is such a page.
    pub fn is_one(bytes: &[u8]) -> bool {
        let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
        let first = lines.next() == Some(b"<!doctype html>");
        let second = lines.next().is_some_and(|line| line.starts_with(b"<html lang=\""));
        first && second && lines.next().is_some_and(|rest| rest.starts_with(HEAD.as_bytes()))
    }

    pub fn render(&self) -> String {
        let title = escaped(&self.title);
        let lang = self.lang.code();
        let mut out = format!(
            "<!doctype html>\n<html lang=\"{lang}\">\n{HEAD}{title}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n<div class=\"about\">{}</div>\n",
            chart::STYLE,
            style::PAGE,
            self.about.0
        );
        let sections = || self.sections.iter().filter(|section| !section.body.is_empty());
        if sections().count() > 2 {
            out.push_str("<nav>\n");
            for Section { id, title, .. } in sections() {
                out += &format!("<a href=\"#{}\">{}</a>\n", escaped(id), escaped(title));
            }
            out.push_str("</nav>\n");
        }
        out.push_str("</header>\n");
        for Section { id, title, body } in sections() {
            let (id, title) = (escaped(id), escaped(title));
            out += &format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{}</section>\n", body.0);
        }
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use hast_flow::words::Lang;

    use super::{
        Branch, Html, Mood, Page, Section, Span, badge, details, facts, link, list, table,
    };

    const EVIL: &str = "<script>alert(1)</script>\" onload=\"x' &";

    #[test]
    fn no_text_becomes_markup() {
        let tree = Branch {
            title: EVIL.into(),
            note: EVIL.into(),
            mood: Mood::Good,
            word: EVIL.into(),
            under: vec![],
        };
        let span =
            Span { name: EVIL.into(), from: 0.0, to: 2.5, mood: Mood::Bad, note: EVIL.into() };
        let body: Html = [
            Html::text(EVIL),
            Html::paragraph(EVIL),
            Html::code(EVIL),
            Html::markdown(&format!(
                "{EVIL}\n\n[x](javascript:alert(1)) ![i](https://x/y.png)\n\n{EVIL}"
            )),
            badge(Mood::Plain, EVIL),
            details(EVIL, &Html::text(EVIL)),
            facts(&[(EVIL.to_owned(), Html::text(EVIL))]),
            link(EVIL, EVIL),
            list(vec![Html::text(EVIL)]),
            table(&[EVIL.to_owned()], &[vec![Html::text(EVIL)]]),
            super::tree(&[tree]),
            super::timeline(&[span]),
        ]
        .into_iter()
        .collect();
        let section = Section { id: "all", title: EVIL.into(), body };
        let page = Page {
            lang: Lang::Ko,
            title: EVIL.into(),
            about: Html::text(EVIL),
            sections: vec![section],
        };
        let page = page.render();
        assert!(!page.contains("<script"), "{page}");
        let tags = page.split('<').filter_map(|part| Some(part.split_once('>')?.0));
        for tag in tags {
            let outside_values: String = tag.split('"').step_by(2).collect();
            assert!(!outside_values.contains("onload"), "{tag}");
        }
        assert!(!page.contains("javascript:"), "{page}");
        assert!(!page.contains("src="), "nothing is fetched: {page}");
    }

    #[test]
    fn a_page_names_its_language_and_leaves_empty_sections_out() {
        let section = |id, body| Section { id, title: id.to_owned(), body };
        let page = Page {
            lang: Lang::Ko,
            title: "보고서".into(),
            about: Html::default(),
            sections: vec![section("full", Html::text("x")), section("empty", Html::default())],
        };
        let page = page.render();
        assert!(page.contains("<html lang=\"ko\">"), "{page}");
        assert!(page.contains("id=\"full\"") && !page.contains("id=\"empty\""), "{page}");
    }
}
