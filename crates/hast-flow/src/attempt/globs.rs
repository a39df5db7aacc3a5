//! Patterns of paths as `.gitignore` writes them, matched in memory. Knows nothing of files.
//!
//! One difference to git, on the narrow side: a later `!pattern` counts even below a directory
//! that an earlier pattern named as a whole.

/// A list of patterns; of those that fit a path or a directory above it, the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    patterns: Vec<Pattern>,
}

/// A place below the root; an empty path is the root itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A directory, with everything that a wildcard after it can mean.
    Directory(String),
    /// A path without wildcards: a file, or a directory.
    Path(String),
}

#[derive(Clone, Debug)]
struct Pattern {
    /// `!pattern` takes out what an earlier one named.
    takes_out: bool,
    /// `pattern/` fits directories only.
    directories_only: bool,
    /// With a `/` before its end a pattern begins at the root; else it fits a name anywhere.
    from_root: bool,
    parts: Vec<Part>,
    /// Names its path without any wildcard.
    is_literal: bool,
}

#[derive(Clone, Debug)]
enum Part {
    /// `**`: directories, as many as there are.
    AnyDepth,
    Name(Vec<Token>),
}

#[derive(Clone, Debug)]
enum Token {
    Char(char),
    /// `?`
    AnyChar,
    /// `*`
    AnyText,
    Class {
        negated: bool,
        items: Vec<ClassItem>,
    },
}

#[derive(Clone, Copy, Debug)]
enum ClassItem {
    Range(char, char),
    Named(fn(&char) -> bool),
}

impl Globs {
    pub fn new<T: AsRef<str>>(lines: &[T]) -> Self {
        Self { patterns: lines.iter().filter_map(|line| Pattern::read(line.as_ref())).collect() }
    }

    /// Whether the list names the file at this path, itself or by a directory above it.
    pub fn names(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let last = self.patterns.iter().rev().find(|pattern| pattern.fits_any(&parts));
        last.is_some_and(|pattern| !pattern.takes_out)
    }

    /// The first of the directories above a file, or the file itself, that git would leave out by this list.
    /// As for git, nothing counts below a directory that is left out as a whole. Tests ask it of the lines that hast
    /// tells people to write.
    #[cfg(test)]
    pub(crate) fn leaves_out(&self, path: &str) -> Option<String> {
        let parts: Vec<&str> = path.split('/').collect();
        let hidden = |count: &usize| {
            let is_directory = *count < parts.len();
            let fits = |pattern: &&Pattern| {
                (is_directory || !pattern.directories_only) && pattern.fits(&parts[..*count])
            };
            self.patterns.iter().rev().find(fits).is_some_and(|pattern| !pattern.takes_out)
        };
        let count = (1..=parts.len()).find(hidden)?;
        let end = if count < parts.len() { "/" } else { "" };
        Some(parts[..count].join("/") + end)
    }

    /// The smallest places that together hold everything the list can name.
    pub fn places(&self) -> Vec<Named> {
        let mut places: Vec<Named> =
            self.patterns.iter().filter(|pattern| !pattern.takes_out).map(Pattern::place).collect();
        places.sort();
        places.dedup();
        places
    }

    /// Whether a pattern without wildcards names exactly this file.
    pub fn names_literally(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let literal = self
            .patterns
            .iter()
            .filter(|pattern| pattern.is_literal && pattern.from_root && !pattern.directories_only);
        self.names(path) && literal.clone().any(|pattern| pattern.fits(&parts))
    }
}

impl Pattern {
    /// A pattern, or nothing for what fits nothing: blank lines, comments, broken classes.
    fn read(line: &str) -> Option<Self> {
        let line = without_trailing_spaces(line);
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (takes_out, text) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (directories_only, text) =
            text.strip_suffix('/').map_or((false, text), |rest| (true, rest));
        let from_root = text.contains('/');
        let text = text.strip_prefix('/').unwrap_or(text);
        let parts = read_parts(text, from_root)?;
        let is_literal = parts.iter().all(|part| match part {
            Part::AnyDepth => false,
            Part::Name(tokens) => tokens.iter().all(|token| matches!(token, Token::Char(_))),
        });
        Some(Self { takes_out, directories_only, from_root, parts, is_literal })
    }

    /// Everything that the pattern can name is here.
    fn place(&self) -> Named {
        let literal = |part: &Part| match part {
            Part::Name(tokens) => tokens
                .iter()
                .map(|token| match token {
                    Token::Char(plain) => Some(*plain),
                    _ => None,
                })
                .collect::<Option<String>>(),
            Part::AnyDepth => None,
        };
        let names: Vec<String> = match self.from_root {
            true => self.parts.iter().map_while(literal).collect(),
            // A name without a `/` may be anywhere.
            false => Vec::new(),
        };
        let path = names.join("/");
        match self.is_literal && self.from_root && !self.directories_only {
            true => Named::Path(path),
            false => Named::Directory(path),
        }
    }

    /// Whether the pattern fits the file or one of the directories above it.
    fn fits_any(&self, path: &[&str]) -> bool {
        let last = if self.directories_only { path.len() - 1 } else { path.len() };
        (1..=last).any(|count| self.fits(&path[..count]))
    }

    fn fits(&self, path: &[&str]) -> bool {
        match (&self.parts[..], self.from_root, path.last()) {
            ([Part::Name(tokens)], false, Some(name)) => name_fits(tokens, name),
            (parts, _, _) => parts_fit(parts, path),
        }
    }
}

/// Spaces at the end do not count, unless a backslash keeps them.
fn without_trailing_spaces(line: &str) -> &str {
    let mut kept = line.trim_end_matches(' ');
    let backslashes = kept.len() - kept.trim_end_matches('\\').len();
    if backslashes % 2 == 1 && kept.len() < line.len() {
        kept = &line[..kept.len() + 1];
    }
    kept
}

fn read_parts(text: &str, from_root: bool) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut tokens = Vec::new();
    let mut stars = 0;
    let mut rest = text.chars().peekable();
    loop {
        let next = rest.next();
        // `a\/b` is `a/b`.
        let next = match (next, rest.peek()) {
            (Some('\\'), Some('/')) => rest.next(),
            (next, _) => next,
        };
        match next {
            None | Some('/') => {
                let only_stars = stars == tokens.len() && stars >= 2 && from_root;
                parts.push(if only_stars { Part::AnyDepth } else { Part::Name(tokens) });
                (tokens, stars) = (Vec::new(), 0);
                if next.is_none() {
                    return Some(parts);
                }
            }
            Some('*') => {
                stars += 1;
                tokens.push(Token::AnyText);
            }
            Some('?') => tokens.push(Token::AnyChar),
            Some('[') => tokens.push(read_class(&mut rest)?),
            Some('\\') => tokens.push(Token::Char(rest.next()?)),
            Some(plain) => tokens.push(Token::Char(plain)),
        }
    }
}

/// The inside of `[...]`; one that does not close fits nothing.
fn read_class(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Token> {
    let negated = rest.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut items = Vec::new();
    loop {
        let first = match rest.next()? {
            ']' if !items.is_empty() => return Some(Token::Class { negated, items }),
            '[' if rest.peek() == Some(&':') => {
                items.push(ClassItem::Named(read_named_class(rest)?));
                continue;
            }
            '\\' => rest.next()?,
            plain => plain,
        };
        let mut ahead = rest.clone();
        let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
        let end = if is_range {
            rest.next();
            match rest.next()? {
                '\\' => rest.next()?,
                plain => plain,
            }
        } else {
            first
        };
        items.push(ClassItem::Range(first, end));
    }
}

fn read_named_class(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
) -> Option<fn(&char) -> bool> {
    rest.next();
    let mut name = String::new();
    loop {
        match rest.next()? {
            ':' => break,
            letter if name.len() < 8 => name.push(letter),
            _ => return None,
        }
    }
    rest.next_if_eq(&']')?;
    Some(match name.as_str() {
        "alnum" => char::is_ascii_alphanumeric,
        "alpha" => char::is_ascii_alphabetic,
        "blank" => |c| matches!(c, ' ' | '\t'),
        "cntrl" => char::is_ascii_control,
        "digit" => char::is_ascii_digit,
        "graph" => char::is_ascii_graphic,
        "lower" => char::is_ascii_lowercase,
        "print" => |c| c.is_ascii_graphic() || *c == ' ',
        "punct" => char::is_ascii_punctuation,
        "space" => |c| c.is_ascii_whitespace() || *c == '\u{b}',
        "upper" => char::is_ascii_uppercase,
        "xdigit" => char::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Both of these remember only the last star: what fits after an earlier one also fits after it.
fn parts_fit(parts: &[Part], path: &[&str]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut last_depth: Option<(usize, usize)> = None;
    loop {
        match (parts.get(at), path.get(seen)) {
            (None, None) => return true,
            // At the end `**` stands for what is inside, so there must be something.
            (Some(Part::AnyDepth), next) if at + 1 == parts.len() => return next.is_some(),
            (Some(Part::AnyDepth), _) => {
                last_depth = Some((at, seen));
                at += 1;
            }
            (Some(Part::Name(tokens)), Some(name)) if name_fits(tokens, name) => {
                at += 1;
                seen += 1;
            }
            _ => match last_depth {
                Some((depth, from)) if from < path.len() => {
                    last_depth = Some((depth, from + 1));
                    (at, seen) = (depth + 1, from + 1);
                }
                _ => return false,
            },
        }
    }
}

fn name_fits(tokens: &[Token], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut seen) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    loop {
        match (tokens.get(at), name.get(seen)) {
            (None, None) => return true,
            (Some(Token::AnyText), _) => {
                last_star = Some((at, seen));
                at += 1;
            }
            (Some(token), Some(c)) if token.fits(*c) => {
                at += 1;
                seen += 1;
            }
            _ => match last_star {
                Some((star, from)) if from < name.len() => {
                    last_star = Some((star, from + 1));
                    (at, seen) = (star + 1, from + 1);
                }
                _ => return false,
            },
        }
    }
}

impl Token {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Char(wanted) => *wanted == c,
            Self::AnyChar => true,
            Self::AnyText => false,
            Self::Class { negated, items } => {
                let found = items.iter().any(|item| match item {
                    ClassItem::Range(start, end) => (*start..=*end).contains(&c),
                    ClassItem::Named(is) => is(&c),
                });
                found != *negated
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(lines: &[&str], path: &str) -> bool {
        Globs::new(lines).names(path)
    }

    #[test]
    fn the_places_of_a_list_are_as_small_as_its_patterns_allow() {
        let globs = Globs::new(&["src/**", "docs/*.md", "/out.txt", "a/b/", "!src/x", "src/**"]);
        let directory = |path: &str| Named::Directory(path.to_owned());
        let expected = [
            directory("a/b"),
            directory("docs"),
            directory("src"),
            Named::Path("out.txt".to_owned()),
        ];
        assert_eq!(globs.places(), expected);
        assert_eq!(Globs::new(&["*.md"]).places(), [directory("")]);
        assert_eq!(Globs::new::<&str>(&[]).places(), []);
    }

    #[test]
    fn a_directory_means_everything_below_it() {
        for (path, expected) in [
            ("tests/a.py", true),
            ("tests/deep/er/a.py", true),
            ("sub/tests/a.py", true),
            ("tests", false),
            ("tests2/a.py", false),
            ("a/tests.py", false),
        ] {
            assert_eq!(names(&["tests/"], path), expected, "{path}");
        }
        assert!(names(&["tests"], "tests"));
    }

    #[test]
    fn a_slash_binds_a_pattern_to_the_root_and_a_bare_name_is_anywhere() {
        assert!(names(&["core/strategy.py"], "core/strategy.py"));
        assert!(!names(&["core/strategy.py"], "x/core/strategy.py"));
        assert!(names(&["/a.py"], "a.py") && !names(&["/a.py"], "b/a.py"));
        assert!(names(&["*.py"], "a.py") && names(&["*.py"], "b/c/a.py"));
        assert!(!names(&["src/*.py"], "src/deep/a.py"));
    }

    #[test]
    fn two_stars_stand_for_any_depth() {
        for (pattern, path, expected) in [
            ("src/**/a.rs", "src/a.rs", true),
            ("src/**/a.rs", "src/x/y/a.rs", true),
            ("src/**", "src/x/y", true),
            ("src/**", "src", false),
            ("**/gen/*.rs", "gen/a.rs", true),
            ("**/gen/*.rs", "x/gen/a.rs", true),
            ("**/gen/*.rs", "x/gen/y/a.rs", false),
            ("a/**/b/**/c", "a/b/x/b/c", true),
            ("/**", "any/thing", true),
            ("a**b", "axxb", true),
            ("x/a**b", "x/a/b", false),
        ] {
            assert_eq!(names(&[pattern], path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_negated_pattern_takes_out_also_below_a_directory() {
        let lines = ["src/", "!src/secret.rs", "!src/gen/"];
        assert!(names(&lines, "src/a.rs"));
        assert!(!names(&lines, "src/secret.rs"));
        assert!(!names(&lines, "src/gen/a.rs"));
        assert!(names(&["!a", "a"], "a"));
        assert!(!names(&["!a"], "b"));
    }

    #[test]
    fn git_looks_into_no_directory_that_is_left_out_as_a_whole() {
        let handoff = ".ai/handoffs/1.md";
        for (lines, hidden) in [
            (&[".ai/"][..], Some(".ai/")),
            (&[".ai/", "!.ai/handoffs/", "!.ai/handoffs/*.md"], Some(".ai/")),
            (&["*", "!.ai/handoffs/"], Some(".ai/")),
            (&[".ai/*", "!.ai/handoffs/"], None),
            (&[".ai/", "!.ai/", ".ai/*", "!.ai/handoffs/", "!.ai/handoffs/*.md"], None),
            (&[".ai/**"], Some(".ai/handoffs/")),
            (&["handoffs"], Some(".ai/handoffs/")),
            (&["*.md", "!README.md"], Some(handoff)),
            (&["*.md", "!.ai/handoffs/*.md"], None),
            (&["1.md/"], None),
        ] {
            assert_eq!(Globs::new(lines).leaves_out(handoff).as_deref(), hidden, "{lines:?}");
        }
    }

    #[test]
    fn case_counts_and_korean_and_spaced_names_are_names() {
        assert!(!names(&["Src/"], "src/a"));
        assert!(names(&["문서/"], "문서/계획 1.md"));
        assert!(names(&["문?/*.md"], "문서/계획 1.md"));
        assert!(names(&["[가-힣]*.md"], "계획.md"));
        assert!(names(&["with space/a b.md"], "with space/a b.md"));
        assert!(names(&["a\\ "], "a ") && names(&["a   "], "a"));
    }

    #[test]
    fn what_is_no_pattern_fits_nothing() {
        for line in ["", "   ", "# a", "a[", "a\\", "/", "a[[:none:]]"] {
            for path in ["a", "a[", "# a", "a/b", "\\"] {
                assert!(!names(&[line], path), "{line:?} {path:?}");
            }
        }
        assert!(names(&["\\#a"], "#a") && names(&["\\!a"], "!a"));
        assert!(!names(&["src/{a,b}.rs"], "src/a.rs"), "braces are only letters, as in git");
    }

    #[test]
    fn a_file_is_named_literally_only_by_its_whole_path() {
        let literally = |line: &str| Globs::new(&[line]).names_literally("tests/test_old.py");
        assert!(literally("tests/test_old.py") && literally("/tests/test_old.py"));
        for line in ["tests/", "test_old.py", "tests/test_*.py", "tests", "/tests"] {
            assert!(!literally(line), "{line}");
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_endless_time() {
        let pattern = format!("{}b", "*a".repeat(500));
        assert!(!names(&[&pattern], &"a".repeat(5_000)));
        let pattern = format!("{}b", "**/a/".repeat(300));
        assert!(!names(&[&pattern], &vec!["a"; 2_000].join("/")));
    }
}
