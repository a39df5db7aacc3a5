//! The usual mistakes in YAML in the reader's words. The parser's own words, which are English, stay
//! behind them.

use crate::messages;
use crate::words::Lang;

type Words = fn(Lang) -> String;

/// What the parser says of a mistake, and its kind.
const KINDS: &[(&str, Words)] = &[
    (" tab", tab),
    ("tabs ", tab),
    ("tab cannot", tab),
    ("quoted scalar", quote),
    ("flow sequence", bracket),
    ("flow mapping", bracket),
    ("flow construct", bracket),
    ("illegal placement of ':'", bracket),
    ("simple key expect", colon),
    ("mapping values are not allowed", colon),
    ("did not find expected key", indentation),
    ("did not find expected '-' indicator", indentation),
    ("indent", indentation),
];

messages! {
    tab() { en: "a tab where only spaces may stand", ko: "탭 대신 공백을 써야 합니다" }
    quote() { en: "a quote is not closed, or what is quoted is wrong", ko: "따옴표가 닫히지 않았거나 따옴표 안이 잘못되었습니다" }
    bracket() { en: "a bracket is not closed, or a comma is missing", ko: "괄호가 닫히지 않았거나 쉼표가 빠졌습니다" }
    colon() { en: "a colon is missing, or one too many", ko: "콜론이 빠졌거나 더 있습니다" }
    indentation() { en: "the indentation does not fit the lines above", ko: "들여쓰기가 윗줄과 맞지 않습니다" }
}

/// The parser's words, after those of the kind where it is one of the usual.
pub fn told(detail: &str, lang: Lang) -> String {
    let kind = KINDS.iter().find(|(words, _)| detail.contains(words));
    kind.map_or_else(|| detail.to_owned(), |(_, say)| format!("{} ({detail})", say(lang)))
}

/// True where the mistake is a tab.
pub fn is_tab(detail: &str) -> bool {
    let words = KINDS.iter().find(|(words, _)| detail.contains(words));
    words.is_some_and(|(words, _)| words.contains("tab"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::source::Source;
    use crate::formats::yaml;
    use crate::words::placeholders;

    #[test]
    fn the_usual_mistakes_are_told_in_the_readers_words() {
        for (text, words) in [
            ("goals:\n  - id: M1\n   title: x\n", "들여쓰기"),
            ("a:\n\tb: 1\n", "탭"),
            ("a: \"x\n", "따옴표"),
            ("a: [1, 2\nb: 3\n", "괄호"),
            ("a: b: c\n", "콜론"),
            ("a: 1\nb\nc: 2\n", "콜론"),
        ] {
            let found = yaml::read(&Source::new("x.yaml", text)).unwrap_err();
            let what = found.finding.what(Lang::Ko);
            assert!(what.contains(words), "{text:?}: {what}");
        }
    }

    #[test]
    fn both_languages_say_the_same_things() {
        for entry in CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
