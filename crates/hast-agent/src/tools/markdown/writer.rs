//! Blocks and lines of Markdown from start tags, texts and end tags.

use html5ever::tokenizer::Tag;
use url::Url;

use super::elements::attribute;
use super::table::Table;

/// No page needs more text than this; addresses of links could make it endless.
const MAX_TEXT: usize = 16 << 20;
const MAX_HREF: usize = 2000;
const MAX_LISTS: usize = 16;
const MAX_TABLES: usize = 8;

pub(super) struct Writer {
    base: Url,
    links: bool,
    out: String,
    line: String,
    /// Spans that are open, with where they began in the line.
    spans: Vec<Span>,
    lists: Vec<List>,
    /// The mark of the item that begins with the next line.
    mark: Option<String>,
    quotes: usize,
    heading: usize,
    pre: bool,
    tables: Vec<Table>,
    /// Tables inside more tables than anybody reads.
    ignored_tables: usize,
    /// Bytes of addresses so far: a short link may have a long address.
    addresses: usize,
}

struct Span {
    name: String,
    start: usize,
    address: Option<String>,
}

struct List {
    next: Option<u32>,
}

impl Writer {
    pub(super) fn new(base: Url, links: bool) -> Self {
        Self {
            base,
            links,
            out: String::new(),
            line: String::new(),
            spans: Vec::new(),
            lists: Vec::new(),
            mark: None,
            quotes: 0,
            heading: 0,
            pre: false,
            tables: Vec::new(),
            ignored_tables: 0,
            addresses: 0,
        }
    }

    pub(super) fn finish(mut self) -> String {
        while !self.tables.is_empty() {
            self.end_table();
        }
        self.flush();
        let mut text = self.out.trim().to_owned();
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.out.len() + self.line.len() > MAX_TEXT {
            return;
        }
        if self.pre {
            self.line.push_str(text);
            return;
        }
        for c in text.chars() {
            match c {
                '\u{a0}' | '\u{202f}' | '\u{2007}' => self.space(),
                c if c.is_whitespace() => self.space(),
                '\u{200b}' | '\u{feff}' | '\u{ad}' => {}
                '\\' | '*' | '`' | '<' | '[' | ']' => {
                    self.line.push('\\');
                    self.line.push(c);
                }
                c if c.is_control() => {}
                c => self.line.push(c),
            }
        }
    }

    fn space(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with([' ', '\n']) {
            self.line.push(' ');
        }
    }

    pub(super) fn start(&mut self, name: &str, tag: &Tag) {
        match name {
            "table" | "tr" | "td" | "th" => self.start_table_part(name, tag),
            "br" if self.pre => self.line.push('\n'),
            "br" if self.tables.is_empty() && self.heading == 0 => {
                let kept = self.line.trim_end().len();
                self.line.truncate(kept);
                self.line.push_str(if kept == 0 { "" } else { "  \n" });
            }
            "br" => self.space(),
            "b" | "strong" | "em" | "i" | "code" | "tt" if !self.pre => self.open(name, None),
            "a" => {
                let address = attribute(tag, "href").and_then(|href| self.address(href));
                self.open(name, address);
            }
            "img" => self.image(tag),
            _ if !self.tables.is_empty() => self.space(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                self.heading = usize::from(name.as_bytes()[1] - b'0');
            }
            "ul" | "ol" | "menu" => {
                self.flush();
                if self.lists.len() < MAX_LISTS {
                    let first = attribute(tag, "start").and_then(|start| start.parse().ok());
                    let next = (name == "ol").then_some(first.unwrap_or(1));
                    self.lists.push(List { next });
                }
            }
            "li" => self.item(),
            "blockquote" => {
                self.flush();
                self.quotes = (self.quotes + 1).min(8);
            }
            "pre" => {
                self.flush();
                self.pre = true;
            }
            "hr" => {
                self.flush();
                self.block("---");
            }
            name if is_block(name) => self.flush(),
            _ => {}
        }
    }

    /// An element that is left out: a block still ends the line before it.
    pub(super) fn interrupt(&mut self, name: &str) {
        if self.tables.is_empty() && is_block(name) {
            self.flush();
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        match name {
            "table" => self.end_table(),
            "td" | "th" | "tr" => {
                let line = self.cell_text();
                if let Some(table) = self.tables.last_mut() {
                    table.close_cell(&line);
                }
            }
            "b" | "strong" | "em" | "i" | "code" | "tt" | "a" => self.close(name),
            "pre" => {
                self.flush();
                self.pre = false;
            }
            _ if !self.tables.is_empty() => self.space(),
            "ul" | "ol" | "menu" => {
                self.flush();
                self.lists.pop();
                if self.lists.is_empty() && !self.out.ends_with("\n\n") && !self.out.is_empty() {
                    self.out.push('\n');
                }
            }
            "blockquote" => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            "li" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                self.heading = 0;
            }
            name if is_block(name) => self.flush(),
            _ => {}
        }
    }

    fn item(&mut self) {
        self.flush();
        let mark = match self.lists.last_mut() {
            Some(List { next: Some(number) }) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "- ".to_owned(),
        };
        let indent = "  ".repeat(self.lists.len().saturating_sub(1));
        self.mark = Some(format!("{indent}{mark}"));
    }

    /// Ends the line that is being written.
    fn flush(&mut self) {
        self.spans.clear();
        let line = std::mem::take(&mut self.line);
        if self.pre {
            if !line.trim().is_empty() {
                let body = line.trim_matches('\n').replace("```", "\\`\\`\\`");
                self.block(&format!("```\n{body}\n```"));
            }
            return;
        }
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if self.heading > 0 {
            let marks = "#".repeat(self.heading);
            let line = line.replace("  \n", " ");
            self.block(&format!("{marks} {line}"));
        } else if let Some(mark) = self.mark.take() {
            self.quoted(&format!("{mark}{line}"));
        } else if self.lists.is_empty() {
            self.block(&guarded(line));
        } else {
            let indent = "  ".repeat(self.lists.len());
            self.quoted(&format!("{indent}{line}"));
        }
    }

    /// A block with an empty line after it.
    fn block(&mut self, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.quoted(text);
        self.out.push('\n');
    }

    fn quoted(&mut self, text: &str) {
        let quote = "> ".repeat(self.quotes);
        for line in text.split('\n') {
            self.out.push_str(&quote);
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    fn open(&mut self, name: &str, address: Option<String>) {
        if self.spans.len() < 32 {
            self.spans.push(Span { name: name.to_owned(), start: self.line.len(), address });
        }
    }

    /// Puts marks around what was written since the span began, but not around spaces.
    fn close(&mut self, name: &str) {
        let Some(index) = self.spans.iter().rposition(|span| span.name == name) else { return };
        let span = self.spans.remove(index);
        let Some(inner) = self.line.get(span.start..) else { return };
        let text = inner.trim();
        if text.is_empty() {
            return;
        }
        let marked = match (name, &span.address) {
            ("a", None) => return,
            ("a", Some(address)) => format!("[{text}]({address})"),
            ("code" | "tt", _) => format!("`{}`", text.replace('\\', "").replace('`', "'")),
            ("em" | "i", _) => format!("*{text}*"),
            _ => format!("**{text}**"),
        };
        let before = if inner.starts_with(' ') { " " } else { "" };
        let after = if inner.ends_with(' ') { " " } else { "" };
        let replaced = format!("{before}{marked}{after}");
        self.line.truncate(span.start);
        self.line.push_str(&replaced);
    }

    fn address(&mut self, href: &str) -> Option<String> {
        let spent = self.addresses > MAX_TEXT;
        if !self.links || href.starts_with('#') || href.len() > MAX_HREF || spent {
            return None;
        }
        let url = self.base.join(href).ok()?;
        let web = matches!(url.scheme(), "http" | "https" | "mailto");
        self.addresses += url.as_str().len();
        web.then(|| url.as_str().replace('(', "%28").replace(')', "%29"))
    }

    fn image(&mut self, tag: &Tag) {
        let alt = attribute(tag, "alt").map(str::trim).unwrap_or_default();
        if alt.is_empty() || !self.links {
            return;
        }
        if let Some(address) = attribute(tag, "src").and_then(|src| self.address(src)) {
            self.line.push('!');
            let start = self.line.len();
            self.text(alt);
            let text = self.line.split_off(start);
            self.line.push_str(&format!("[{text}]({address})"));
        }
    }

    fn start_table_part(&mut self, name: &str, tag: &Tag) {
        if name == "table" {
            if self.tables.is_empty() {
                self.flush();
            } else {
                let line = self.cell_text();
                if let Some(table) = self.tables.last_mut() {
                    table.add_text(&line);
                }
            }
            if self.tables.len() < MAX_TABLES {
                self.tables.push(Table::default());
            } else {
                self.ignored_tables += 1;
            }
            return;
        }
        let line = self.cell_text();
        let number = |name: &str| attribute(tag, name).and_then(|text| text.trim().parse().ok());
        let (columns, rows) = (number("colspan").unwrap_or(1), number("rowspan").unwrap_or(1));
        match self.tables.last_mut() {
            Some(table) if name == "tr" => table.open_row(&line),
            Some(table) => table.open_cell(&line, columns, rows),
            None => self.line = line,
        }
    }

    /// The text of the cell so far, which leaves the line empty for the next one.
    fn cell_text(&mut self) -> String {
        if self.tables.is_empty() {
            return std::mem::take(&mut self.line);
        }
        self.spans.clear();
        std::mem::take(&mut self.line).trim().to_owned()
    }

    fn end_table(&mut self) {
        if self.ignored_tables > 0 {
            self.ignored_tables -= 1;
            return;
        }
        let line = self.cell_text();
        let Some(mut table) = self.tables.pop() else {
            self.line = line;
            return;
        };
        table.close_cell(&line);
        if let Some(outer) = self.tables.last_mut() {
            outer.add_text(&table.flat());
        } else {
            for block in table.blocks() {
                self.block(&block);
            }
        }
    }
}

/// A paragraph must not become a heading, a quote or a list by its first character.
fn guarded(line: &str) -> String {
    let marked =
        line.starts_with(['#', '>', '+']) || line.starts_with("- ") || line.starts_with("---");
    if marked { format!("\\{line}") } else { line.to_owned() }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "section"
            | "article"
            | "main"
            | "header"
            | "footer"
            | "body"
            | "html"
            | "form"
            | "fieldset"
            | "figure"
            | "figcaption"
            | "address"
            | "dl"
            | "dt"
            | "dd"
            | "details"
            | "summary"
            | "center"
            | "caption"
            | "aside"
            | "nav"
            | "option"
            | "legend"
    )
}
