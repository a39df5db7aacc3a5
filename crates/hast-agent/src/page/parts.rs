//! Parts of HTML reports: facts, tables, trees, badges, lists and links.

use super::{Html, escaped};

/// How something went, for its colour. The word beside it says it without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Good,
    Bad,
    Waiting,
    Running,
    Plain,
}

impl Mood {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Plain => "plain",
        }
    }
}

/// A part of a plan, with its parts.
#[derive(Clone, Debug)]
pub struct Branch {
    pub title: String,
    pub note: String,
    pub mood: Mood,
    pub word: String,
    pub under: Vec<Branch>,
}

pub fn badge(mood: Mood, word: &str) -> Html {
    Html(format!("<span class=\"badge {}\">{}</span>", mood.class(), escaped(word)))
}

/// Something long that opens when it is wanted.
pub fn details(summary: &str, body: &Html) -> Html {
    Html(format!("<details><summary>{}</summary>\n{}</details>\n", escaped(summary), body.0))
}

/// Names and values, side by side.
pub fn facts(facts: &[(String, Html)]) -> Html {
    let mut out = String::from("<dl class=\"facts\">\n");
    for (name, value) in facts {
        out += &format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), value.0);
    }
    Html(out + "</dl>\n")
}

/// A link to the web, within the page, or to a file beside it; anything else stays text.
pub fn link(to: &str, words: &str) -> Html {
    let web = to.starts_with("https://") || to.starts_with("http://") || to.starts_with('#');
    let beside = !to.starts_with('/') && !to.contains([':', '"', '<', '>', '\\']);
    if web || beside {
        Html(format!("<a href=\"{}\">{}</a>", escaped(to), escaped(words)))
    } else {
        Html::text(words)
    }
}

/// A link to a file, by the way there from the page, whose name breaks between its parts and not
/// within a word.
pub fn file_link(way: &str, path: &str) -> Html {
    // What ends a path in an address is part of a name here.
    let to: String =
        format!("{way}{path}").replace('%', "%25").replace('#', "%23").replace('?', "%3F");
    let Html(plain) = link(&to, path);
    let Some((open, words)) = plain.strip_suffix("</a>").and_then(|plain| plain.split_once('>'))
    else {
        return Html(plain);
    };
    let broken: String = words.split_inclusive(['/', '_']).collect::<Vec<_>>().join("<wbr>");
    Html(format!("{open} class=\"file\">{broken}</a>"))
}

pub fn list(items: Vec<Html>) -> Html {
    let items: String = items.into_iter().map(|item| format!("<li>{}</li>\n", item.0)).collect();
    Html(format!("<ul>\n{items}</ul>\n"))
}

pub fn table(heads: &[String], rows: &[Vec<Html>]) -> Html {
    let mut out = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    for head in heads {
        out += &format!("<th>{}</th>", escaped(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            out += &format!("<td>{}</td>", cell.0);
        }
        out.push_str("</tr>\n");
    }
    Html(out + "</tbody>\n</table></div>\n")
}

pub fn tree(branches: &[Branch]) -> Html {
    let mut out = String::new();
    grow(branches, &mut out);
    Html(out)
}

fn grow(branches: &[Branch], out: &mut String) {
    out.push_str("<ul class=\"tree\">\n");
    for branch in branches {
        let (class, word) = (branch.mood.class(), escaped(&branch.word));
        *out += &format!(
            "<li><span class=\"badge {class}\">{word}</span> {} <small>{}</small>",
            escaped(&branch.title),
            escaped(&branch.note)
        );
        if !branch.under.is_empty() {
            out.push('\n');
            grow(&branch.under, out);
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
}
