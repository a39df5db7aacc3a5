//! Code without its comments and strings: they become spaces, so that every byte stays at its place
//! and what looks like code in them is none.

use crate::explore::language::Language;

/// The text with comments and strings blanked. Line breaks stay.
pub fn blank(text: &str, language: Language) -> String {
    let mut pen = Pen { bytes: text.as_bytes(), out: text.as_bytes().to_vec(), at: 0, last: 0 };
    while let Some(byte) = pen.here() {
        let start = pen.at;
        let may_open = match byte {
            b'/' | b'"' | b'\'' | b'`' | b'#' => true,
            b'r' | b'b' | b'c' => language == Language::Rust && pen.opens_rust(),
            b'R' => pen.ahead("R\""),
            _ => false,
        };
        if may_open && (pen.skip_comment(language) || pen.skip_string(language)) {
            pen.wipe(start);
            continue;
        }
        if !byte.is_ascii_whitespace() {
            pen.last = byte;
        }
        pen.at += 1;
    }
    // An escape before a letter of several bytes may have cut it; what is left of it is no code.
    String::from_utf8(pen.out).unwrap_or_else(|error| {
        let bytes = error.into_bytes();
        bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { ' ' }).collect()
    })
}

struct Pen<'t> {
    bytes: &'t [u8],
    out: Vec<u8>,
    at: usize,
    /// The last byte of code that is no space: it tells a regular expression from a division.
    last: u8,
}

impl Pen<'_> {
    fn here(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn ahead(&self, text: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// A quick no for most names that begin like a string of Rust.
    fn opens_rust(&self) -> bool {
        let next = self.bytes.get(self.at + 1);
        next.is_some_and(|next| matches!(next, b'"' | b'\'' | b'#' | b'r'))
    }

    fn wipe(&mut self, start: usize) {
        let end = self.at.min(self.out.len());
        if let Some(part) = self.out.get_mut(start..end) {
            part.iter_mut()
                .filter(|byte| !matches!(byte, b'\n' | b'\r'))
                .for_each(|byte| *byte = b' ');
        }
        // A string is a value: what follows it is no regular expression.
        self.last = b'"';
    }

    fn skip_comment(&mut self, language: Language) -> bool {
        if language == Language::Shell {
            let before = self.at.checked_sub(1).and_then(|before| self.bytes.get(before));
            let begins =
                before.is_none_or(|byte| byte.is_ascii_whitespace() || b";(".contains(byte));
            let is_comment = begins && self.ahead("#");
            if is_comment {
                self.skip_to_line_end();
            }
            return is_comment;
        }
        if language == Language::Python {
            let is_comment = self.ahead("#");
            if is_comment {
                self.skip_to_line_end();
            }
            return is_comment;
        }
        if self.ahead("//") {
            self.skip_to_line_end();
            return true;
        }
        if !self.ahead("/*") {
            return false;
        }
        let nests = language == Language::Rust;
        let mut depth = 0;
        while self.at < self.bytes.len() {
            if self.ahead("/*") && (nests || depth == 0) {
                depth += 1;
                self.at += 2;
            } else if self.ahead("*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return true;
                }
            } else {
                self.at += 1;
            }
        }
        true
    }

    fn skip_to_line_end(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    fn skip_string(&mut self, language: Language) -> bool {
        let Some(byte) = self.here() else { return false };
        let inside_name = self.at > 0
            && self.bytes.get(self.at - 1).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        match (language, byte) {
            (Language::Rust, b'r' | b'b' | b'c') if !inside_name => self.raw_rust(),
            (Language::Rust, b'\'') => self.rust_char(),
            (Language::Cpp | Language::C, b'R') if self.ahead("R\"") && !inside_name => {
                self.raw_cpp()
            }
            // Digit separators of C++ are no characters.
            (Language::Cpp | Language::C, b'\'') if self.is_after_digits() => false,
            (Language::Python | Language::Java, b'"' | b'\'') => self.maybe_triple(byte),
            (Language::JavaScript | Language::TypeScript, b'`') => self.template(),
            (Language::Go, b'`') => {
                self.at += 1;
                self.past_quote(b'`', Escapes::None, Lines::Many)
            }
            (Language::JavaScript | Language::TypeScript, b'/') => self.regular_expression(),
            (Language::Shell, b'"' | b'\'') if self.is_escaped() => false,
            (Language::Shell, b'"') => {
                self.at += 1;
                self.past_quote(b'"', Escapes::Backslash, Lines::Many)
            }
            (Language::Shell, b'\'') => {
                self.at += 1;
                self.past_quote(b'\'', Escapes::None, Lines::Many)
            }
            (_, b'"') => self.plain(b'"', language),
            (Language::Text, _) => false,
            (_, b'\'') => self.plain(b'\'', language),
            _ => false,
        }
    }

    /// Whether a number stands before this place: `1'000`.
    fn is_after_digits(&self) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let length = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        before.get(before.len() - length).is_some_and(u8::is_ascii_digit)
    }

    fn is_escaped(&self) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    }

    fn plain(&mut self, quote: u8, language: Language) -> bool {
        self.at += 1;
        let lines = if language == Language::Rust { Lines::Many } else { Lines::One };
        self.past_quote(quote, Escapes::Backslash, lines)
    }

    /// Past the closing quote. A string that never closes ends with its line, so that one odd
    /// apostrophe does not swallow the file.
    fn past_quote(&mut self, quote: u8, escapes: Escapes, lines: Lines) -> bool {
        while let Some(byte) = self.here() {
            match byte {
                b'\\' if escapes == Escapes::Backslash => self.at += 2,
                b'\n' if lines == Lines::One => return true,
                _ => {
                    self.at += 1;
                    if byte == quote {
                        return true;
                    }
                }
            }
        }
        true
    }

    /// `r"..."`, `r#"..."#`, `b"..."`, `br#"..."#`, `c"..."`; also `b'x'`.
    fn raw_rust(&mut self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let letters = rest.iter().take(2).take_while(|byte| b"rbc".contains(byte)).count();
        let hashes = rest.iter().skip(letters).take_while(|byte| **byte == b'#').count();
        let raw = rest.iter().take(letters).any(|byte| *byte == b'r');
        match rest.get(letters + hashes) {
            Some(b'"') if raw => {
                self.at += letters + hashes + 1;
                let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
                self.past(&end)
            }
            Some(b'"') if hashes == 0 => {
                self.at += letters + 1;
                self.past_quote(b'"', Escapes::Backslash, Lines::Many)
            }
            Some(b'\'') if hashes == 0 && letters == 1 && rest.first() == Some(&b'b') => {
                self.at += 1;
                self.rust_char()
            }
            _ => false,
        }
    }

    /// A character, and not a lifetime: it closes after one character or one escape.
    fn rust_char(&mut self) -> bool {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        if rest.first() == Some(&b'\\') {
            self.at += 3;
            return self.past_quote(b'\'', Escapes::None, Lines::One);
        }
        let width = match rest.first() {
            None => return false,
            Some(byte) if *byte < 0x80 => 1,
            Some(byte) if *byte < 0xe0 => 2,
            Some(byte) if *byte < 0xf0 => 3,
            Some(_) => 4,
        };
        let closes = rest.get(width) == Some(&b'\'');
        if closes {
            self.at += width + 2;
        }
        closes
    }

    fn raw_cpp(&mut self) -> bool {
        let rest = self.bytes.get(self.at + 2..).unwrap_or_default();
        let Some(length) = rest.iter().take(17).position(|byte| *byte == b'(') else {
            return false;
        };
        let end = [b")".as_slice(), rest.get(..length).unwrap_or_default(), b"\""].concat();
        self.at += 2 + length + 1;
        self.past(&end)
    }

    fn maybe_triple(&mut self, quote: u8) -> bool {
        let triple = [quote; 3];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(&triple) {
            self.at += 1;
            return self.past_quote(quote, Escapes::Backslash, Lines::One);
        }
        self.at += 3;
        while let Some(byte) = self.here() {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if rest.starts_with(&triple) {
                self.at += 3;
                return true;
            }
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
        true
    }

    /// A template of JavaScript, with what it computes: braces inside of `${}` are counted.
    fn template(&mut self) -> bool {
        self.at += 1;
        let mut depth = 0_u32;
        while let Some(byte) = self.here() {
            match byte {
                b'\\' => self.at += 1,
                b'`' if depth == 0 => {
                    self.at += 1;
                    return true;
                }
                b'$' if self.ahead("${") => {
                    depth += 1;
                    self.at += 1;
                }
                b'{' if depth > 0 => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        true
    }

    /// A `/` where a value can begin opens a regular expression.
    fn regular_expression(&mut self) -> bool {
        if !b"(,=:[!&|?{};+-*%<>~^\0".contains(&self.last) {
            return false;
        }
        let start = self.at;
        self.at += 1;
        let mut in_class = false;
        while let Some(byte) = self.here() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return true,
                b'\n' => break,
                _ => {}
            }
        }
        self.at = start;
        false
    }

    fn past(&mut self, end: &[u8]) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = memchr::memmem::find(rest, end);
        self.at += found.map_or(rest.len(), |at| at + end.len());
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Backslash,
    None,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Many,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str, language: Language) -> String {
        let blanked = blank(text, language);
        assert_eq!(blanked.len(), text.len(), "every byte stays at its place");
        blanked.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        use Language::{Cpp, Go, Java, JavaScript, Python, Rust, Shell};
        for (text, language, left) in [
            ("a /* fn b /* c */ d */ e // f", Rust, "a e"),
            (
                "x(r#\"fn \"q\" {\"#, 'a', '\\'', b'{', \"}\\\"\") &'a str",
                Rust,
                "x( , , , , ) &'a str",
            ),
            ("a = \"\"\"def f():\n '''\"\"\" # g\nb = 'it\\'s'", Python, "a = b ="),
            ("let a = `x ${ {b: `}`} } {`; c /* } */", JavaScript, "let a = ; c"),
            ("r = x.replace(/[\"'/]{2}/g, 1) / 2 / y", JavaScript, "r = x.replace( g, 1) / 2 / y"),
            ("a := `func b() {` + \"}\"", Go, "a := +"),
            (
                "auto a = R\"x(void f() { )\" )x\"; int b = 1'000; char c = '{';",
                Cpp,
                "auto a = ; int b = 1'000; char c = ;",
            ),
            ("String a = \"\"\"\n class B {\n\"\"\"; // c", Java, "String a = ;"),
            ("a() { # b() {\n echo '\"{' \"c\n'\" \\' $#; } # d", Shell, "a() { echo \\' $#; }"),
        ] {
            assert_eq!(code(text, language), left, "{text}");
        }
    }

    #[test]
    fn what_never_closes_ends_somewhere() {
        use Language::{C, JavaScript, Python, Rust};
        for language in [Rust, Python, JavaScript, C, Language::Text] {
            for text in ["\"", "'", "`", "/*", "r#\"", "\"\"\"", "\\", "${", "/", "R\"x(", "가'"] {
                assert_eq!(blank(text, language).len(), text.len());
            }
        }
        assert_eq!(code("it's fine\nint x;", C), "it int x;");
    }
}
