//! The two languages hast speaks, and the macro that keeps every message in both.
//!
//! A message is a function of its arguments; a missing translation or argument does not compile.

use std::borrow::Cow;
use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

/// A language for messages and default prompts. Identifiers and file formats never change with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    En,
    Ko,
}

impl Lang {
    /// Reads a locale name such as `ko_KR.UTF-8`; everything that is not Korean is English.
    pub fn from_locale(locale: &str) -> Self {
        let language = locale.split(['_', '.', '-', '@']).next().unwrap_or("");
        if language.eq_ignore_ascii_case("ko") { Self::Ko } else { Self::En }
    }

    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ko => "ko",
        }
    }
}

impl FromStr for Lang {
    type Err = UnknownLang;

    fn from_str(text: &str) -> Result<Self, UnknownLang> {
        match text {
            "en" => Ok(Self::En),
            "ko" => Ok(Self::Ko),
            _ => Err(UnknownLang),
        }
    }
}

/// The text names neither `ko` nor `en`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected ko or en")]
pub struct UnknownLang;

/// One message in both languages, as written, with its `{placeholders}`.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub key: &'static str,
    pub en: &'static str,
    pub ko: &'static str,
}

/// Declares messages: `name(arg, ..) { en: "..", ko: ".." }` becomes
/// `fn name(lang: Lang, arg: impl Display, ..) -> String`, and an entry of `CATALOGUE`.
/// Arguments often quote a file: they are [`shown`], so that no message is endless or a command.
/// An argument that is declared as `arg: whole` is inserted as it is: agents have to see all of what
/// they work on.
#[macro_export]
macro_rules! messages {
    ($($key:ident ( $($arg:ident $(: $how:ident)?),* ) { en: $en:literal, ko: $ko:literal $(,)? })*) => {
        $(
            pub fn $key(lang: $crate::words::Lang $(, $arg: impl ::std::fmt::Display)*) -> String {
                $(let $arg = $crate::inserted!($arg $(, $how)?);)*
                match lang {
                    $crate::words::Lang::En => format!($en),
                    $crate::words::Lang::Ko => $crate::words::with_particles(&format!($ko)),
                }
            }
        )*

        /// Every message of this module, for the parity test.
        pub const CATALOGUE: &[$crate::words::Entry] = &[
            $($crate::words::Entry { key: stringify!($key), en: $en, ko: $ko }),*
        ];
    };
}

/// How an argument of a message is inserted.
#[macro_export]
macro_rules! inserted {
    ($arg:ident) => {
        $crate::words::shown($arg)
    };
    ($arg:ident, whole) => {
        ($arg).to_string()
    };
}

/// How much of a value a message quotes.
const SHOWN_CHARS: usize = 500;

/// The beginning of a value, on one line and without anything that a terminal would obey.
pub fn shown(value: impl Display) -> String {
    let mut shown = Shown { text: String::new(), room: SHOWN_CHARS };
    // The only error is our own, when there is no more room.
    if write!(shown, "{value}").is_err() {
        shown.text.push('…');
    }
    shown.text
}

/// Tells whether a word may be a slip for another one: at most two letters, and less than half of it. In a short
/// word one letter may be missing, too much, or in its neighbour's place; another letter makes another word.
pub fn is_near(typed: &str, word: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches('-').to_lowercase();
    let (typed, word) = (bare(typed), bare(word));
    let distance = strsim::osa_distance(&typed, &word);
    let length = word.chars().count();
    if length <= SHORT_WORD {
        let letters = |text: &str| {
            let mut letters: Vec<char> = text.chars().collect();
            letters.sort_unstable();
            letters
        };
        let is_other = typed.chars().count() == length && letters(&typed) != letters(&word);
        return distance == 0 || distance == 1 && length > 1 && !is_other;
    }
    distance <= 2 && distance * 2 < length
}

/// So many letters make a short word.
const SHORT_WORD: usize = 4;

/// The text with its control characters, and those that change the direction of reading, spelled.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push_visible(&mut out, c));
    Cow::Owned(out)
}

/// The same of a text with lines and tabs, which stay.
pub fn visible_lines(text: &str) -> String {
    let line =
        |line: &str| line.split('\t').map(|part| visible(part)).collect::<Vec<_>>().join("\t");
    text.lines().map(|text| line(text) + "\n").collect()
}

/// A text as one word of a command line that people paste into a shell.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")))
}

struct Shown {
    text: String,
    room: usize,
}

impl fmt::Write for Shown {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.room = self.room.checked_sub(1).ok_or(fmt::Error)?;
            push_visible(&mut self.text, c);
        }
        Ok(())
    }
}

fn push_visible(out: &mut String, c: char) {
    if is_hidden(c) {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
}

/// Characters that a terminal obeys or that nobody sees.
pub fn is_hidden(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Resolves `(은)는`, `(이)가`, `(을)를`, `(과)와`, `(으)로` by the sound before them.
pub fn with_particles(text: &str) -> String {
    if !text.contains('(') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('(') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(pair) = PARTICLES.iter().find(|pair| rest.starts_with(pair.written)) {
            out.push_str(pair.choose(final_sound(&out)));
            rest = &rest[pair.written.len()..];
        } else {
            out.push('(');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

/// How many different `{placeholders}` a template has, in order of name.
pub fn placeholders(template: &str) -> Vec<&str> {
    let mut names: Vec<&str> = template
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}').map(|(name, _)| name))
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

struct Particle {
    written: &'static str,
    after_consonant: &'static str,
    after_vowel: &'static str,
    /// `(으)로` treats a final ㄹ like a vowel.
    rieul_as_vowel: bool,
}

impl Particle {
    fn choose(&self, sound: FinalSound) -> &'static str {
        match sound {
            FinalSound::Vowel => self.after_vowel,
            FinalSound::Rieul if self.rieul_as_vowel => self.after_vowel,
            FinalSound::Rieul | FinalSound::Consonant => self.after_consonant,
        }
    }
}

const PARTICLES: &[Particle] = &[
    Particle {
        written: "(은)는", after_consonant: "은", after_vowel: "는", rieul_as_vowel: false
    },
    Particle {
        written: "(이)가", after_consonant: "이", after_vowel: "가", rieul_as_vowel: false
    },
    Particle {
        written: "(을)를", after_consonant: "을", after_vowel: "를", rieul_as_vowel: false
    },
    Particle {
        written: "(과)와", after_consonant: "과", after_vowel: "와", rieul_as_vowel: false
    },
    Particle {
        written: "(으)로",
        after_consonant: "으로",
        after_vowel: "로",
        rieul_as_vowel: true,
    },
];

#[derive(Clone, Copy)]
enum FinalSound {
    Vowel,
    Rieul,
    Consonant,
}

fn final_sound(text: &str) -> FinalSound {
    let spoken = text.chars().rev().find(|c| c.is_alphanumeric());
    match spoken {
        Some(c @ '가'..='힣') => match (c as u32 - '가' as u32) % 28 {
            0 => FinalSound::Vowel,
            8 => FinalSound::Rieul,
            _ => FinalSound::Consonant,
        },
        // Digits and letters as they are read aloud in Korean.
        Some('1' | '7' | '8' | 'l' | 'L' | 'r' | 'R') => FinalSound::Rieul,
        Some('0' | '3' | '6' | 'm' | 'M' | 'n' | 'N') => FinalSound::Consonant,
        _ => FinalSound::Vowel,
    }
}

impl Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_korean_locale_is_korean_and_every_other_is_english() {
        for (locale, lang) in [
            ("ko_KR.UTF-8", Lang::Ko),
            ("ko", Lang::Ko),
            ("KO-kr", Lang::Ko),
            ("kok_IN", Lang::En),
            ("C", Lang::En),
            ("", Lang::En),
            ("de_DE@euro", Lang::En),
        ] {
            assert_eq!(Lang::from_locale(locale), lang, "{locale}");
        }
    }

    #[test]
    fn particles_follow_the_last_sound() {
        for (written, said) in [
            ("목표(은)는", "목표는"),
            ("작업(은)는", "작업은"),
            ("`status`(이)가", "`status`가"),
            ("T-0001(을)를", "T-0001을"),
            ("파일(으)로", "파일로"),
            ("폴더(으)로", "폴더로"),
            ("이름(으)로", "이름으로"),
            ("필드 (선택)", "필드 (선택)"),
        ] {
            assert_eq!(with_particles(written), said);
        }
    }

    #[test]
    fn what_a_message_quotes_is_cut_and_sends_nothing_to_the_terminal() {
        assert_eq!(shown("이름 a\\b"), "이름 a\\b");
        assert_eq!(shown("\u{1b}[31m\n\u{9b}\u{202e}"), "\\u{1b}[31m\\n\\u{9b}\\u{202e}");
        let long = shown("가".repeat(5_000_000));
        assert_eq!(long.chars().count(), SHOWN_CHARS + 1);
        assert!(long.ends_with('…'));
        assert_eq!(shown("x".repeat(SHOWN_CHARS)).len(), SHOWN_CHARS);
        assert!(matches!(visible("가\\"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_word_of_a_shell_is_quoted_where_it_has_to_be() {
        for (text, word) in [
            ("src/한글_1.bin", "src/한글_1.bin"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("-n", "'-n'"),
            ("", "''"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn placeholders_are_counted_once() {
        assert_eq!(placeholders("{b} {a} and {b}, but not {{}}"), ["a", "b"]);
    }
}
