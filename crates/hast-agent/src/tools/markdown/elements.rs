//! Which elements are content, and where one that is not ends.

use html5ever::tokenizer::Tag;

pub(super) fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attrs.iter().find(|found| &*found.name.local == name).map(|found| &*found.value)
}

/// The element that a page calls its content. A role on another element is not counted, because
/// its end cannot be told from the ends of others.
pub(super) fn is_main(name: &str) -> bool {
    matches!(name, "main" | "article")
}

pub(super) fn is_left_out(name: &str, tag: &Tag, everything: bool, in_content: bool) -> bool {
    if is_void(name) || tag.self_closing {
        return false;
    }
    let code = matches!(
        name,
        "script"
            | "style"
            | "template"
            | "svg"
            | "math"
            | "noscript"
            | "iframe"
            | "object"
            | "canvas"
            | "audio"
            | "video"
            | "select"
            | "textarea"
            | "noembed"
            | "noframes"
            | "ix:header"
            | "ix:hidden"
    );
    if code || is_hidden(tag) {
        return true;
    }
    if everything {
        return false;
    }
    // The head of an article has its title.
    let around = matches!(name, "nav" | "footer" | "aside" | "button" | "dialog" | "menu")
        || (name == "header" && !in_content);
    let role = attribute(tag, "role").unwrap_or_default();
    around || matches!(role, "navigation" | "banner" | "contentinfo" | "search" | "dialog")
}

fn is_hidden(tag: &Tag) -> bool {
    let style = attribute(tag, "style").unwrap_or_default();
    let compact = || -> String {
        style.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
    };
    attribute(tag, "hidden").is_some()
        || attribute(tag, "aria-hidden") == Some("true")
        || (style.len() > 10 && compact().contains("display:none"))
}

pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

/// An element whose content is left out, until it ends.
pub(super) struct Leave {
    name: String,
    depth: usize,
}

impl Leave {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), depth: 1 }
    }

    /// Whether a start tag ends the element: these need no end tag of their own.
    pub(super) fn start(&mut self, name: &str) -> bool {
        if name != self.name {
            return false;
        }
        let implied = matches!(name, "p" | "li" | "td" | "th" | "tr" | "dd" | "dt" | "option");
        if !implied {
            self.depth += 1;
        }
        implied
    }

    /// Whether an end tag ends the element.
    pub(super) fn end(&mut self, name: &str) -> bool {
        if name == self.name {
            self.depth -= 1;
        }
        self.depth == 0
    }
}
