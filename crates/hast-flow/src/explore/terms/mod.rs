//! The terms of a question, Korean or English, and whether a word is one of them.

mod glossary;

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Terms {
    pub terms: Vec<Term>,
    /// Finds the places of a text where a term may be. Without one, nothing is looked for.
    finder: Option<AhoCorasick>,
}

/// One term of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// As it was asked.
    pub word: String,
    /// Stems in small letters that count as the term.
    stems: Vec<String>,
    /// The beginning of Korean words that count as the term.
    korean: Option<String>,
    /// A name or a path of the code, written as such.
    pub exact: Option<String>,
}

/// More terms make a question vague, not precise.
const MOST: usize = 16;
/// Shorter stems fit too much.
const SHORTEST: usize = 2;

impl Terms {
    pub fn of(question: &str) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        let mut known = BTreeSet::new();
        for raw in question.split(|c: char| c.is_whitespace() || ",;\"`()?!<>[]{}".contains(c)) {
            let raw = raw.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if terms.len() < MOST
                && let Some(term) = Term::of(raw)
                && known.insert((term.stems.clone(), term.korean.clone()))
            {
                terms.push(term);
            }
        }
        let heads = terms.iter().flat_map(Term::heads);
        let finder = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(heads).ok();
        Self { terms, finder }
    }

    /// The words of a text that may be a term, as often as they are there.
    pub fn words<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut until = 0;
        let places = self.finder.iter().flat_map(move |finder| finder.find_iter(text));
        places.filter_map(move |place| {
            if place.start() < until {
                return None;
            }
            let before = text.get(..place.start())?;
            let start = before.rfind(|c| !is_part(c)).map_or(0, |at| {
                at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
            });
            let rest = text.get(place.start()..)?;
            until = place.start() + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            text.get(start..until)
        })
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

impl Term {
    fn of(raw: &str) -> Option<Self> {
        if raw.contains(is_hangul) {
            return korean(raw);
        }
        let is_name = raw.contains(['_', '/', '.', ':']) || has_inner_capital(raw);
        let exact = is_name.then(|| raw.rsplit("::").next().unwrap_or(raw).to_owned());
        let small = raw.to_ascii_lowercase();
        if exact.is_none() && (STOP.contains(&small.as_str()) || small.len() < SHORTEST) {
            return None;
        }
        let mut stems: Vec<String> = parts(raw).iter().map(|part| stem(part)).collect();
        stems.retain(|stem| stem.len() >= SHORTEST);
        if exact.is_some() {
            // A name is looked for as a name; its first and last part still help to find the place.
            stems.truncate(4);
        }
        let is_number = raw.bytes().all(|byte| byte.is_ascii_digit());
        (!stems.is_empty() && !is_number).then(|| Self {
            word: raw.to_owned(),
            stems,
            korean: None,
            exact,
        })
    }

    /// How many of these parts of a name are the term.
    pub fn hits(&self, parts: &[String]) -> usize {
        parts.iter().filter(|part| self.stems.contains(&stem(part))).count()
    }

    /// Whether a word of a text, in whatever letters, is the term.
    pub fn is_in(&self, word: &str) -> bool {
        if let Some(korean) = &self.korean
            && word.contains(korean.as_str())
        {
            return true;
        }
        self.hits(&parts(word)) > 0
    }

    /// What every word begins a part with that can be the term.
    fn heads(&self) -> Vec<String> {
        let head = |stem: &String| stem.get(..stem.len().min(3)).map(str::to_owned);
        self.stems.iter().filter_map(head).chain(self.korean.clone()).collect()
    }

    /// Whether a symbol or a path is what the question named.
    pub fn names(&self, symbol: &str) -> bool {
        self.exact
            .as_deref()
            .is_some_and(|exact| exact == symbol || symbol.ends_with(&format!("/{exact}")))
    }
}

/// The parts of a name: `parseHTTPReply_v2` is `parse http reply v2`.
pub fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for run in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let bytes = run.as_bytes();
        let mut start = 0;
        for at in 1..bytes.len() {
            let (before, here) = (bytes[at - 1], bytes[at]);
            let next_is_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            let begins = here.is_ascii_uppercase()
                && (before.is_ascii_lowercase() || before.is_ascii_digit() || next_is_small);
            if begins {
                parts.extend(run.get(start..at).map(str::to_ascii_lowercase));
                start = at;
            }
        }
        parts.extend(run.get(start..).filter(|part| !part.is_empty()).map(str::to_ascii_lowercase));
    }
    parts
}

/// One form for the forms of an English word: `retries` and `retry`, `locked` and `locking`.
pub fn stem(word: &str) -> String {
    let mut stem = word;
    let long = |stem: &str, ending: &str| stem.len() >= ending.len() + 3;
    if let Some(rest) = stem.strip_suffix('s')
        && long(stem, "s")
        && !rest.ends_with(['s', 'u', 'i'])
    {
        stem = rest
            .strip_suffix('e')
            .filter(|rest| rest.ends_with('i') || rest.ends_with("ch"))
            .unwrap_or(rest);
    }
    for ending in ["ing", "ed", "er", "or", "ion"] {
        if let Some(rest) = stem.strip_suffix(ending)
            && long(stem, ending)
        {
            let bytes = rest.as_bytes();
            let doubled = bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
            stem =
                if doubled && !rest.ends_with(['l', 's']) { &rest[..rest.len() - 1] } else { rest };
            break;
        }
    }
    let stem = stem.strip_suffix('e').filter(|rest| rest.len() > 2).unwrap_or(stem);
    match stem.strip_suffix('y').filter(|rest| rest.len() > 2) {
        Some(rest) => format!("{rest}i"),
        None => stem.to_owned(),
    }
}

fn has_inner_capital(word: &str) -> bool {
    word.chars().skip(1).any(|c| c.is_ascii_uppercase())
        && word.contains(|c: char| c.is_ascii_lowercase())
}

fn is_hangul(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

/// A Korean word without its particles, with the English words that code uses for it.
fn korean(raw: &str) -> Option<Term> {
    let latin: String = raw.chars().take_while(|c| !is_hangul(*c)).collect();
    if latin.len() >= SHORTEST {
        // `goals.yaml을`, `Lock은`: the particle is all that is Korean.
        return Term::of(latin.trim_end_matches(|c: char| !c.is_alphanumeric()));
    }
    let mut word: String = raw.chars().filter(|c| is_hangul(*c)).collect();
    if KOREAN_STOP.contains(&word.as_str()) {
        return None;
    }
    for _ in 0..2 {
        let ending = PARTICLES.iter().find(|particle| {
            word.strip_suffix(**particle).is_some_and(|rest| rest.chars().count() >= 2)
        });
        match ending.and_then(|particle| word.strip_suffix(particle)) {
            Some(rest) => word = rest.to_owned(),
            None => break,
        }
    }
    if word.chars().count() < 2 || KOREAN_STOP.contains(&word.as_str()) {
        return None;
    }
    let mut stems: Vec<String> = glossary::english(&word).iter().map(|word| stem(word)).collect();
    stems.sort();
    stems.dedup();
    Some(Term { word: raw.to_owned(), stems, korean: Some(word), exact: None })
}

/// Longest first: `에서는` is not `는` after `에서`.
const PARTICLES: &[&str] = &[
    "에서는",
    "으로는",
    "에서의",
    "하는지",
    "되는지",
    "인가요",
    "한가요",
    "하나요",
    "되나요",
    "합니까",
    "됩니까",
    "합니다",
    "됩니다",
    "할까요",
    "에서",
    "에게",
    "으로",
    "까지",
    "부터",
    "처럼",
    "보다",
    "하는",
    "하고",
    "하면",
    "하지",
    "되는",
    "되고",
    "되면",
    "한다",
    "된다",
    "했다",
    "하다",
    "되다",
    "해서",
    "돼서",
    "인지",
    "이나",
    "이란",
    "들은",
    "들이",
    "들을",
    "들의",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "와",
    "과",
    "도",
    "만",
    "로",
    "들",
    "할",
    "한",
    "된",
    "될",
];

const KOREAN_STOP: &[&str] = &[
    "되나요",
    "하나요",
    "됩니까",
    "합니까",
    "할까요",
    "될까요",
    "인가요",
    "일까요",
    "어떻게",
    "어디",
    "어디서",
    "어디에",
    "어디에서",
    "무엇",
    "무엇을",
    "무엇이",
    "무슨",
    "왜",
    "언제",
    "누가",
    "어떤",
    "있는",
    "있는지",
    "있나",
    "있나요",
    "있습니까",
    "없는",
    "하는",
    "하는지",
    "되는",
    "되는지",
    "하나",
    "되나",
    "대해",
    "대한",
    "관련",
    "관한",
    "설명",
    "알려",
    "알려줘",
    "설명해",
    "설명해줘",
    "코드",
    "부분",
    "그리고",
    "또는",
    "이것",
    "그것",
    "우리",
    "모든",
    "경우",
    "때문",
    "정도",
    "다음",
    "이후",
    "동안",
    "않고",
    "않는",
    "않게",
    "해야",
    "바꾸면",
    "바뀌면",
    "고치려면",
    "하려면",
];

const STOP: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "before", "between",
    "by", "can", "code", "could", "do", "does", "done", "each", "explain", "find", "for", "from",
    "get", "gets", "happen", "happens", "has", "have", "how", "i", "if", "in", "into", "is", "it",
    "its", "me", "my", "not", "of", "on", "or", "our", "over", "same", "should", "show", "so",
    "tell", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to",
    "until", "up", "use", "used", "uses", "using", "was", "we", "what", "when", "where", "which",
    "while", "who", "why", "will", "with", "work", "works", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(question: &str) -> Vec<String> {
        Terms::of(question).terms.into_iter().map(|term| term.word).collect()
    }

    #[test]
    fn a_question_is_its_terms() {
        assert_eq!(words("How does the driver lock get retried?"), ["driver", "lock", "retried"]);
        assert_eq!(
            words("Where is `DriverLock::take` used in src/lib.rs?"),
            ["DriverLock::take", "src/lib.rs"]
        );
        assert_eq!(words("세션의 계획은 어디에서 검증되나요?"), ["세션의", "계획은", "검증되나요"]);
        assert!(Terms::of("how does it work?").is_empty());
        assert!(Terms::of("어떻게 되나요").is_empty());
    }

    #[test]
    fn the_forms_of_a_word_are_one_word() {
        for forms in [
            &["retry", "retries", "retried", "retrying"][..],
            &["lock", "locks", "locked", "locking", "locker"],
            &["drive", "driver", "drives", "driving"],
            &["execute", "executes", "executing", "execution", "executor"],
            &["run", "running", "runner", "runs"],
            &["call", "calls", "calling", "caller"],
            &["process", "processing", "processes"],
            &["match", "matches", "matching"],
        ] {
            let stems: BTreeSet<String> = forms.iter().map(|form| stem(form)).collect();
            assert_eq!(stems.len(), 1, "{forms:?}: {stems:?}");
        }
        assert_ne!(stem("status"), stem("state"));
    }

    #[test]
    fn a_name_falls_into_parts() {
        assert_eq!(parts("parseHTTPReply_v2"), ["parse", "http", "reply", "v2"]);
        assert_eq!(parts("KernelToEngineRequest"), ["kernel", "to", "engine", "request"]);
        assert_eq!(parts("__init__"), ["init"]);
    }

    #[test]
    fn korean_finds_korean_text_and_english_names() {
        let terms = Terms::of("잠금은 어떻게 해제되나요? 로그인을 검증하는 곳");
        let [lock, release, login, verify] = &terms.terms[..] else { panic!("{terms:?}") };
        assert!(lock.is_in("DriverLock") && lock.is_in("잠금을"));
        assert!(release.is_in("release_claim"), "{release:?}");
        assert!(login.is_in("LoginForm") && verify.is_in("validate_token"));
        assert!(!lock.is_in("Block") && !lock.is_in("clock"), "parts of a name, not letters");
    }
}
