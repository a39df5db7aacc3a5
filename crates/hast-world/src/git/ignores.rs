//! The ignore rules of one moment as a single list that stands by itself, so that what an agent
//! writes into a `.gitignore` later hides nothing.

use super::paths::literal_pattern;

/// Collects rules, weakest first.
#[derive(Debug, Default)]
pub(super) struct Ignores {
    text: Vec<u8>,
}

impl Ignores {
    /// Rules that hold for the whole tree: the user's own, and `info/exclude`.
    pub(super) fn add_global(&mut self, text: &[u8]) {
        self.add(b"", text);
    }

    /// The rules of `.gitignore` files, by the directories they are in. Deeper ones are stronger.
    pub(super) fn add_files(&mut self, mut files: Vec<(Vec<u8>, Vec<u8>)>) {
        files.sort_by_key(|(directory, _)| {
            (directory.iter().filter(|byte| **byte == b'/').count(), directory.clone())
        });
        for (directory, text) in files {
            self.add(&directory, &text);
        }
    }

    pub(super) fn into_text(self) -> Vec<u8> {
        self.text
    }

    /// `directory` is empty at the top, else ends in `/`.
    fn add(&mut self, directory: &[u8], text: &[u8]) {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let (negated, body) = match line.strip_prefix(b"!") {
                Some(body) => (true, body),
                None => (false, line),
            };
            if negated {
                self.text.push(b'!');
            }
            self.add_body(directory, body, negated);
            self.text.push(b'\n');
        }
    }

    fn add_body(&mut self, directory: &[u8], body: &[u8], negated: bool) {
        if directory.is_empty() {
            // `!` was taken off: a second one belongs to the name.
            if negated && body.starts_with(b"!") {
                self.text.push(b'\\');
            }
            return self.text.extend_from_slice(body);
        }
        self.text.extend(literal_pattern(directory));
        let trimmed = body.strip_suffix(b"/").unwrap_or(body);
        if let Some(anchored) = body.strip_prefix(b"/") {
            self.text.extend_from_slice(anchored);
        } else {
            if !trimmed.contains(&b'/') {
                self.text.extend_from_slice(b"**/");
            }
            // Only the first character of a line needs an escape for these.
            let plain = match body {
                [b'\\', rest @ ..] if rest.starts_with(b"#") || rest.starts_with(b"!") => rest,
                _ => body,
            };
            self.text.extend_from_slice(plain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_rules_are_written_as_if_they_stood_at_the_top() {
        let mut ignores = Ignores::default();
        ignores.add_global(b"*.o\r\n# comment\n\n");
        ignores.add_files(vec![
            (b"a/b[1]/".to_vec(), b"x\n/y\nz/w\n!keep/\n\\#odd\n".to_vec()),
            (b"".to_vec(), b"target/\n!x.o\n".to_vec()),
        ]);
        let text = String::from_utf8(ignores.into_text()).unwrap();
        let wanted = "*.o\ntarget/\n!x.o\n/a/b\\[1]/**/x\n/a/b\\[1]/y\n/a/b\\[1]/z/w\n\
                      !/a/b\\[1]/**/keep/\n/a/b\\[1]/**/#odd\n";
        assert_eq!(text, wanted);
    }
}
