//! The written form of a cell. Every text has one, on one line, and reading gives the text back;
//! a Markdown renderer shows it as the text too.

use std::borrow::Cow;
use std::fmt::Write as _;

use memchr::memchr3;
use unicode_width::UnicodeWidthStr;

/// CommonMark reads no longer numeric references.
const MAX_DECIMAL_DIGITS: usize = 7;
const MAX_HEX_DIGITS: usize = 6;

/// The text as it stands between the pipes.
pub fn encode(text: &str) -> Cow<'_, str> {
    // White space at the ends becomes references: trimming must not lose it.
    let head = text.len() - text.trim_start().len();
    let tail = text.trim_end().len();
    let plain = |(at, c): (usize, char)| head <= at && at < tail && is_plain(c);
    if text.char_indices().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut cell = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        match c {
            '\\' => cell.push_str("\\\\"),
            '|' => cell.push_str("\\|"),
            '\n' => cell.push_str("<br>"),
            '<' if begins_break(&text[at..]) => cell.push_str("\\<"),
            '&' if begins_reference(&text[at..]) => cell.push_str("\\&"),
            '<' | '&' => cell.push(c),
            c if at < head || at >= tail || !is_plain(c) => push_reference(&mut cell, c),
            c => cell.push(c),
        }
    }
    Cow::Owned(cell)
}

/// The text of a cell; what is no escape stands for itself.
pub fn decode(cell: &str) -> Cow<'_, str> {
    if memchr3(b'\\', b'&', b'<', cell.as_bytes()).is_none() {
        return Cow::Borrowed(cell);
    }
    let mut text = String::with_capacity(cell.len());
    let mut rest = cell;
    while let Some(at) = memchr3(b'\\', b'&', b'<', rest.as_bytes()) {
        let (before, marked) = rest.split_at(at);
        text.push_str(before);
        // The marked byte is ASCII, so that one byte is one character.
        let (meaning, length) = escape(marked).unwrap_or((char::from(marked.as_bytes()[0]), 1));
        text.push(meaning);
        rest = &marked[length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// How many columns of a terminal the written form takes.
pub(super) fn display_width(cell: &str) -> usize {
    cell.width()
}

/// Characters that never need another form, wherever in the cell they stand.
fn is_plain(c: char) -> bool {
    // Line and paragraph separators break lines in some editors; a byte-order mark gets lost.
    !c.is_control() && !matches!(c, '\\' | '|' | '<' | '&' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn push_reference(cell: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(cell, "&#{};", u32::from(c));
}

/// What an escape at the start of the text means, and its length in bytes.
fn escape(text: &str) -> Option<(char, usize)> {
    match text.as_bytes() {
        [b'\\', b'\\', ..] => Some(('\\', 2)),
        [b'\\', b'|', ..] => Some(('|', 2)),
        [b'\\', b'<', ..] if begins_break(&text[1..]) => Some(('<', 2)),
        [b'\\', b'&', ..] if begins_reference(&text[1..]) => Some(('&', 2)),
        [b'<', ..] => line_break(text).map(|length| ('\n', length)),
        [b'&', ..] => reference(text),
        _ => None,
    }
}

fn begins_break(text: &str) -> bool {
    matches!(text.as_bytes(), [b'<', b'b' | b'B', b'r' | b'R', ..])
}

fn begins_reference(text: &str) -> bool {
    text.starts_with("&#")
}

/// The length of `<br>`, `<br/>`, `<br />` in any case.
fn line_break(text: &str) -> Option<usize> {
    if !begins_break(text) {
        return None;
    }
    let inside = text[3..].trim_start_matches([' ', '\t']);
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let rest = inside.strip_prefix('>')?;
    Some(text.len() - rest.len())
}

/// A numeric character reference, decimal or hexadecimal.
fn reference(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix("&#")?;
    let (digits, radix, most) = match body.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16, MAX_HEX_DIGITS),
        None => (body, 10, MAX_DECIMAL_DIGITS),
    };
    let count = digits.bytes().take(most + 1).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let rest = digits[count..].strip_prefix(';')?;
    if count == 0 || count > most {
        return None;
    }
    let code = u32::from_str_radix(&digits[..count], radix).ok()?;
    Some((char::from_u32(code)?, text.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, cell: &str) {
        assert_eq!(encode(text), cell);
        assert_eq!(decode(cell), text);
    }

    #[test]
    fn ordinary_text_is_written_as_it_is() {
        check("", "");
        check("한국어 text, <b> & ~", "한국어 text, <b> & ~");
        assert!(matches!(encode("가나"), Cow::Borrowed(_)));
        assert!(matches!(decode("**가나**"), Cow::Borrowed(_)));
    }

    #[test]
    fn pipes_backslashes_and_line_breaks_are_escaped_and_restored() {
        check("a|b", "a\\|b");
        check("a\\|b\\", "a\\\\\\|b\\\\");
        check("one\ntwo\r\n", "one<br>two&#13;<br>");
    }

    #[test]
    fn text_that_looks_like_an_escape_is_escaped() {
        check("<br>", "\\<br>");
        check("<BR /> <brand>", "\\<BR /> \\<brand>");
        check("&#13; &amp; \\<br>", "\\&#13; &amp; \\\\\\<br>");
    }

    #[test]
    fn white_space_at_the_ends_and_control_characters_become_references() {
        check("  a b\t", "&#32;&#32;a b&#9;");
        check(" ", "&#32;");
        check("a\0b\u{7f}\u{2028}", "a&#0;b&#127;&#8232;");
        check("\u{3000}가\u{a0}", "&#12288;가&#160;");
    }

    #[test]
    fn hand_written_cells_keep_a_lone_backslash() {
        assert_eq!(decode("C:\\dir \\* \\<b> \\&amp;"), "C:\\dir \\* \\<b> \\&amp;");
        assert_eq!(decode("\\"), "\\");
    }

    #[test]
    fn hand_written_line_breaks_and_references_are_understood() {
        assert_eq!(decode("a<br/>b<br />c<BR>d"), "a\nb\nc\nd");
        assert_eq!(decode("&#x7C;&#124;"), "||");
        assert_eq!(
            decode("&#; &#x; &#1a; &#12345678; &#xD800; &#"),
            "&#; &#x; &#1a; &#12345678; &#xD800; &#"
        );
        assert_eq!(decode("<br <brx>"), "<br <brx>");
    }
}
