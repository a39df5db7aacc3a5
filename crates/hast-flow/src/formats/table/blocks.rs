//! The block structure of Markdown, as far as tables and sections need it: lines, and which of
//! them are inside fenced code or an HTML comment. Line based; one pass.

use std::ops::Range;

use memchr::{memchr, memmem};

/// A line indented this far is code.
const CODE_INDENT: usize = 4;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A line without its line ending, and where the next one starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextLine {
    pub(crate) text: Range<usize>,
    pub(crate) next: usize,
}

/// The lines of a text that are neither in fenced code nor in an HTML comment.
#[derive(Clone, Debug)]
pub(crate) struct OpenLines<'a> {
    text: &'a str,
    at: usize,
    inside: Inside,
}

#[derive(Clone, Copy, Debug)]
enum Inside {
    Nothing,
    Fence { mark: u8, length: usize },
    Comment,
}

/// The line that starts at a byte; none at the end of the text.
pub(crate) fn line_at(text: &[u8], start: usize) -> Option<TextLine> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let (length, next) = match memchr(b'\n', rest) {
        Some(at) => (at, start + at + 1),
        None => (rest.len(), text.len()),
    };
    let without_return = match rest[..length] {
        [.., b'\r'] => length - 1,
        _ => length,
    };
    Some(TextLine { text: start..start + without_return, next })
}

impl<'a> OpenLines<'a> {
    /// Lines from a byte that starts one. A byte-order mark is no part of the first line.
    pub(crate) fn new(text: &'a str, start: usize) -> Self {
        let mark = start == 0 && text.starts_with(BYTE_ORDER_MARK);
        Self { text, at: if mark { BYTE_ORDER_MARK.len() } else { start }, inside: Inside::Nothing }
    }

    /// Goes on at a later line, which must be outside of code and comments.
    pub(crate) fn skip_to(&mut self, start: usize) {
        self.at = start;
    }

    /// Whether the line is open, given what was before; remembers what it begins or ends.
    fn enter(&mut self, line: &[u8]) -> bool {
        match self.inside {
            Inside::Fence { mark, length } => {
                if closes_fence(line, mark, length) {
                    self.inside = Inside::Nothing;
                }
                false
            }
            Inside::Comment => {
                if memmem::find(line, b"-->").is_some() {
                    self.inside = Inside::Nothing;
                }
                false
            }
            Inside::Nothing => match begins(line) {
                Inside::Nothing => true,
                inside => {
                    self.inside = inside;
                    false
                }
            },
        }
    }
}

impl Iterator for OpenLines<'_> {
    type Item = TextLine;

    fn next(&mut self) -> Option<TextLine> {
        loop {
            let line = line_at(self.text.as_bytes(), self.at)?;
            self.at = line.next;
            if self.enter(&self.text.as_bytes()[line.text.clone()]) {
                return Some(line);
            }
        }
    }
}

/// Whether a line is indented so far that it is code, where a block may start.
pub(crate) fn is_code(line: &[u8]) -> bool {
    indentation(line).0 >= CODE_INDENT
}

/// The line without its indentation, and how far it is indented.
fn indentation(line: &[u8]) -> (usize, &[u8]) {
    let mut columns = 0;
    for (at, byte) in line.iter().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += CODE_INDENT - columns % CODE_INDENT,
            _ => return (columns, &line[at..]),
        }
    }
    (columns, &[])
}

/// Whether a line under a table ends it: blank, code, or the start of another block.
pub(crate) fn ends_table(line: &[u8]) -> bool {
    let (indent, line) = indentation(line);
    let Some(first) = line.first() else {
        return true;
    };
    match first {
        // Readers disagree on an indented line under a row; where it has a pipe no row gets lost.
        b'|' => false,
        _ if indent >= CODE_INDENT => true,
        b'>' => true,
        b'#' => heading(line).is_some(),
        b'`' | b'~' => fence(line).is_some(),
        b'-' | b'*' | b'+' | b'_' => is_bullet(line) || is_rule(line),
        b'0'..=b'9' => is_numbered(line),
        b'<' => begins_html(line),
        _ => false,
    }
}

/// Level and title of a heading such as `## Done`.
pub(crate) fn heading(line: &[u8]) -> Option<(usize, &[u8])> {
    let (indent, line) = indentation(line);
    let level = line.iter().take_while(|byte| **byte == b'#').count();
    let title = &line[level..];
    let spaced = matches!(title.first(), None | Some(b' ' | b'\t'));
    if indent >= CODE_INDENT || !(1..=6).contains(&level) || !spaced {
        return None;
    }
    let title = title.trim_ascii();
    let open = without_end(title, b'#');
    // A closing run of # counts only after a space: `C#` is a title.
    let closed = matches!(open.last(), None | Some(b' ' | b'\t'));
    Some((level, if closed { open.trim_ascii() } else { title }))
}

/// What a line begins. A comment that ends on its own line begins nothing that goes on.
fn begins(line: &[u8]) -> Inside {
    let (indent, line) = indentation(line);
    if indent >= CODE_INDENT {
        return Inside::Nothing;
    }
    if line.starts_with(b"<!--") && memmem::find(&line[4..], b"-->").is_none() {
        return Inside::Comment;
    }
    match fence(line) {
        Some((mark, length)) => Inside::Fence { mark, length },
        None => Inside::Nothing,
    }
}

/// Mark and length of an opening fence.
fn fence(line: &[u8]) -> Option<(u8, usize)> {
    let mark = *line.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = line.iter().take_while(|byte| **byte == mark).count();
    // A backtick later in the line makes it inline code.
    let inline = mark == b'`' && memchr(b'`', &line[length..]).is_some();
    (length >= 3 && !inline).then_some((mark, length))
}

fn closes_fence(line: &[u8], mark: u8, length: usize) -> bool {
    let (indent, line) = indentation(line);
    let marks = line.iter().take_while(|byte| **byte == mark).count();
    indent < CODE_INDENT && marks >= length && line[marks..].trim_ascii().is_empty()
}

fn is_bullet(line: &[u8]) -> bool {
    matches!(line, [b'-' | b'*' | b'+'] | [b'-' | b'*' | b'+', b' ' | b'\t', ..])
}

fn is_numbered(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = &line[digits..];
    digits <= 9 && matches!(after, [b'.' | b')'] | [b'.' | b')', b' ' | b'\t', ..])
}

/// A thematic break such as `---` or `* * *`.
fn is_rule(line: &[u8]) -> bool {
    let mark = line.first().filter(|byte| **byte != b'+');
    let marks = line.iter().filter(|byte| Some(*byte) == mark).count();
    let spaces = line.iter().filter(|byte| matches!(byte, b' ' | b'\t')).count();
    marks >= 3 && marks + spaces == line.len()
}

/// A tag ends a table only where no pipe says that the line is a row: no row may get lost.
fn begins_html(line: &[u8]) -> bool {
    match line.get(1) {
        Some(b'!' | b'?') => true,
        Some(b'/' | b'a'..=b'z' | b'A'..=b'Z') => memchr(b'|', line).is_none(),
        _ => false,
    }
}

fn without_end(text: &[u8], byte: u8) -> &[u8] {
    let kept = text.iter().rposition(|other| *other != byte);
    &text[..kept.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Vec<&str> {
        OpenLines::new(text, 0).map(|line| &text[line.text]).collect()
    }

    #[test]
    fn lines_know_both_line_endings_and_a_missing_last_one() {
        assert_eq!(open("a\r\n\nb"), ["a", "", "b"]);
        assert_eq!(open("\u{feff}a"), ["a"]);
        assert_eq!(open(""), Vec::<&str>::new());
    }

    #[test]
    fn fenced_code_is_closed() {
        assert_eq!(open("a\n```md\nb\n~~~\n```\nc"), ["a", "c"]);
        assert_eq!(open("~~~~\n~~~\nx\n~~~~~ \ny"), ["y"]);
        assert_eq!(open("``` a ` b\nx"), ["``` a ` b", "x"]);
        assert_eq!(open("```\nnever closed"), Vec::<&str>::new());
    }

    #[test]
    fn comments_are_closed() {
        assert_eq!(open("<!-- a\nb\nc --> d\ne"), ["e"]);
        assert_eq!(open("<!-- a -->\ne"), ["<!-- a -->", "e"]);
    }

    #[test]
    fn other_blocks_end_a_table() {
        let others = [
            "",
            "  ",
            "    code | code",
            "\tcode",
            "> q",
            "# h",
            "###### h",
            "```",
            "~~~ x",
            "- i",
            "* i",
            "+",
            "1. i",
            "23) i",
            "---",
            "* * *",
            "___",
            "<!-- c",
            "<div>",
            "</div>",
            "<?p",
        ];
        for line in others {
            assert!(ends_table(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn rows_do_not_end_a_table() {
        let rows = [
            "| a |",
            "   | a |",
            "      | a |",
            "a | b",
            "#tag | b",
            "####### h",
            "-1 | b",
            "--- | ---",
            "1 | 2",
            "1234567890. x",
            "<name> | b",
            "a",
            "**a** | b",
            "`a` | b",
            "+1",
            "_a_",
        ];
        for line in rows {
            assert!(!ends_table(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn headings_have_a_level_and_a_title() {
        assert_eq!(heading(b"## Done"), Some((2, &b"Done"[..])));
        assert_eq!(heading(b"  ### C# ###  "), Some((3, &b"C#"[..])));
        assert_eq!(heading(b"# C#"), Some((1, &b"C#"[..])));
        assert_eq!(heading(b"##"), Some((2, &b""[..])));
        assert_eq!(heading(b"##Done"), None);
        assert_eq!(heading(b"    ## code"), None);
    }
}
