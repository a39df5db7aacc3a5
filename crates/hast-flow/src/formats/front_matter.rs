//! Markdown with front matter: where the YAML and the body are, and the sections of the body.
//! Byte ranges only: nothing here knows YAML or changes a byte.

use std::ops::Range;

use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::source::Source;
use crate::formats::table::blocks::{self, OpenLines, TextLine};

/// How far the closing line is looked for.
pub const MAX_FRONT_MATTER_BYTES: usize = 256 << 10;

const FENCE: &[u8] = b"---";
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Where the parts of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// The lines between the two `---`.
    pub yaml: Range<usize>,
    /// Everything after the second one.
    pub body: Range<usize>,
}

/// The sections of a body, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sections<'a> {
    sections: Vec<Section<'a>>,
}

/// A heading of level 2 and what is under it, up to the next heading of level 1 or 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    pub title: &'a str,
    pub heading: Range<usize>,
    pub body: Range<usize>,
}

impl FrontMatter {
    pub fn split(source: &Source<'_>) -> Result<Self, Diagnostic> {
        let text = source.text.as_bytes();
        let start =
            if source.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let first = blocks::line_at(text, start);
        let Some(opening) = first.clone().filter(|line| is_fence(text, line)) else {
            let bytes = first.map_or(start..start, |line| line.text);
            return Err(source.diagnose(bytes, Finding::NoFrontMatter));
        };
        let mut at = opening.next;
        while let Some(line) = blocks::line_at(text, at) {
            if is_fence(text, &line) {
                return Ok(Self {
                    yaml: opening.next..line.text.start,
                    body: line.next..text.len(),
                });
            }
            if line.next - start > MAX_FRONT_MATTER_BYTES {
                break;
            }
            at = line.next;
        }
        Err(source.diagnose(opening.text, Finding::UnclosedFrontMatter))
    }
}

impl<'a> Sections<'a> {
    /// Reads the sections of a body. Headings inside fenced code and comments are none.
    pub fn read(source: &Source<'a>, body: Range<usize>) -> Self {
        let end = source.text.floor_char_boundary(body.end);
        let start = source.text.floor_char_boundary(body.start.min(end));
        let text = &source.text[..end];
        let mut sections: Vec<Section<'a>> = Vec::new();
        let mut open = false;
        for line in OpenLines::new(text, start) {
            let Some((level, title)) = heading_of(text, &line).filter(|(level, _)| *level <= 2)
            else {
                continue;
            };
            if let Some(last) = sections.last_mut().filter(|_| open) {
                last.body.end = line.text.start;
            }
            open = level == 2;
            if open {
                sections.push(Section { title, heading: line.text, body: line.next..end });
            }
        }
        Self { sections }
    }

    /// The first section with this title, in any case.
    pub fn get(&self, title: &str) -> Option<&Section<'a>> {
        let wanted = title.to_lowercase();
        self.sections.iter().find(|section| section.title.to_lowercase() == wanted)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Section<'a>> {
        self.sections.iter()
    }
}

fn is_fence(text: &[u8], line: &TextLine) -> bool {
    text[line.text.clone()].trim_ascii_end() == FENCE
}

fn heading_of<'a>(text: &'a str, line: &TextLine) -> Option<(usize, &'a str)> {
    let (level, title) = blocks::heading(&text.as_bytes()[line.text.clone()])?;
    // The title is cut at ASCII bytes only, so that it stays text.
    Some((level, std::str::from_utf8(title).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Result<(&str, &str), Finding> {
        match FrontMatter::split(&Source::new("handoff.md", text)) {
            Ok(parts) => Ok((&text[parts.yaml], &text[parts.body])),
            Err(diagnostic) => Err(diagnostic.finding),
        }
    }

    fn sections(text: &str) -> Vec<(&str, &str)> {
        let sections = Sections::read(&Source::new("handoff.md", text), 0..text.len());
        sections.iter().map(|section| (section.title, &text[section.body.clone()])).collect()
    }

    #[test]
    fn front_matter_and_body_are_split_without_changing_a_byte() {
        assert_eq!(split("---\nstatus: done\n---\n\n본문\n"), Ok(("status: done\n", "\n본문\n")));
        assert_eq!(split("---\r\na: 1\r\n---\r\nb\r\n"), Ok(("a: 1\r\n", "b\r\n")));
        assert_eq!(split("\u{feff}--- \na: 1\n---\t\nb"), Ok(("a: 1\n", "b")));
        assert_eq!(split("---\n---"), Ok(("", "")));
    }

    #[test]
    fn a_rule_in_the_body_belongs_to_the_body() {
        assert_eq!(split("---\na: 1\n---\nb\n---\nc\n"), Ok(("a: 1\n", "b\n---\nc\n")));
        assert_eq!(split("---\na: |\n  ---\n---\n"), Ok(("a: |\n  ---\n", "")));
    }

    #[test]
    fn a_file_without_front_matter_says_so() {
        for text in ["", "# title\n---\n", "\n---\na: 1\n---\n", "----\na\n----\n", " ---\n---\n"] {
            assert_eq!(split(text), Err(Finding::NoFrontMatter), "{text:?}");
        }
    }

    #[test]
    fn front_matter_that_is_not_closed_says_so() {
        assert_eq!(split("---\na: 1\n"), Err(Finding::UnclosedFrontMatter));
        assert_eq!(split("---"), Err(Finding::UnclosedFrontMatter));
        let far = format!("---\n{}---\n", "a: 1\n".repeat(MAX_FRONT_MATTER_BYTES));
        assert_eq!(split(&far), Err(Finding::UnclosedFrontMatter));
    }

    #[test]
    fn sections_reach_to_the_next_heading_of_their_level() {
        let text =
            "# h\n\n## Done\n- a\n### detail\nb\n\n## Key Decisions ##\r\nc\n# other\nd\n## Next";
        assert_eq!(
            sections(text),
            [("Done", "- a\n### detail\nb\n\n"), ("Key Decisions", "c\n"), ("Next", "")]
        );
    }

    #[test]
    fn headings_in_code_and_comments_are_no_sections() {
        let text = "## Done\n```\n## no\n```\n<!--\n## no\n-->\n    ## no\n## 다음\n";
        let titles: Vec<&str> = sections(text).into_iter().map(|(title, _)| title).collect();
        assert_eq!(titles, ["Done", "다음"]);
    }

    #[test]
    fn a_section_is_found_in_any_case() {
        let text = "## KEY decisions\nx\n## Key Decisions\ny\n";
        let sections = Sections::read(&Source::new("f", text), 0..text.len());
        let found = sections.get("Key Decisions").unwrap();
        assert_eq!(&text[found.body.clone()], "x\n");
        assert!(sections.get("Done").is_none());
    }
}
