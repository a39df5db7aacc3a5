//! Finding texts that say something about a question: words, their stems, and which text has the
//! most of the rare ones. Korean and English; a stem is found whatever particle follows it.

use std::collections::BTreeSet;

use memchr::memmem;

/// What is looked for: the stems of a question's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    stems: Vec<String>,
}

/// Longer questions say nothing more.
const MAX_STEMS: usize = 64;

/// Words that stand in every request.
const COMMON: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "by",
    "for",
    "from",
    "in",
    "is",
    "it",
    "make",
    "of",
    "on",
    "or",
    "please",
    "that",
    "the",
    "this",
    "to",
    "use",
    "was",
    "with",
    "write",
    "그리고",
    "대한",
    "대해",
    "위한",
    "위해",
    "주세요",
    "해줘",
    "하고",
    "하는",
    "있는",
    "작성",
    "작성해",
];

/// What follows a Korean noun, the longer before what they end in.
const PARTICLES: &[&str] = &[
    "으로부터",
    "에서부터",
    "이라는",
    "에서는",
    "에게서",
    "으로는",
    "으로써",
    "으로서",
    "까지는",
    "부터는",
    "이라도",
    "에서도",
    "라는",
    "에는",
    "에서",
    "에게",
    "에도",
    "으로",
    "까지",
    "부터",
    "처럼",
    "보다",
    "마다",
    "조차",
    "밖에",
    "이나",
    "이란",
    "이든",
    "라도",
    "로서",
    "로써",
    "로는",
    "와의",
    "과의",
    "하고",
    "들을",
    "들이",
    "들의",
    "들은",
    "들",
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
    "나",
];

impl Query {
    pub fn new(text: &str) -> Self {
        let mut stems: Vec<String> = Vec::new();
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let word = word.to_lowercase();
            if word.is_empty() || COMMON.contains(&word.as_str()) || stems.len() == MAX_STEMS {
                continue;
            }
            let stem = stem(&word).to_owned();
            if !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        // A question of nothing but common words means them.
        if stems.is_empty() {
            let all = text.split_whitespace().take(MAX_STEMS).map(str::to_lowercase);
            stems.extend(all.collect::<BTreeSet<_>>());
        }
        Self { stems }
    }

    pub fn stems(&self) -> &[String] {
        &self.stems
    }

    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// Which stems are in a text.
    pub fn found_in(&self, text: &str) -> Vec<usize> {
        let text = text.to_lowercase();
        let there = |stem: &str| memmem::find(text.as_bytes(), stem.as_bytes()).is_some();
        self.stems.iter().enumerate().filter(|(_, stem)| there(stem)).map(|(at, _)| at).collect()
    }
}

/// The best texts by the rarity of the stems they have, best first; ties in the order of the keys,
/// the last first: what is newer says more.
pub fn best<K: Ord + Clone>(
    query: &Query,
    texts: impl Iterator<Item = (K, impl AsRef<str>)>,
    most: usize,
) -> Vec<(K, f64)> {
    let mut total = 0_u32;
    let mut frequency = vec![0_u32; query.stems.len()];
    let mut candidates = Vec::new();
    for (key, text) in texts {
        total += 1;
        let found = query.found_in(text.as_ref());
        for stem in &found {
            frequency[*stem] += 1;
        }
        if !found.is_empty() {
            candidates.push((key, found));
        }
    }
    let scored = candidates.into_iter().map(|(key, found)| {
        let score = found.iter().map(|stem| rarity(total, frequency[*stem])).sum();
        (key, score)
    });
    let mut scored: Vec<(K, f64)> = scored.collect();
    scored.sort_by(|(a, one), (b, other)| other.total_cmp(one).then_with(|| b.cmp(a)));
    scored.truncate(most);
    scored
}

/// How much a word says that is in so many texts of all.
pub fn rarity(total: u32, having: u32) -> f64 {
    (1.0 + f64::from(total) / f64::from(having.max(1))).log2()
}

/// The part of a word that stays when its ending changes.
pub fn stem(word: &str) -> &str {
    if !word.chars().any(is_hangul) {
        let plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
        return if plural && word.is_ascii() { &word[..word.len() - 1] } else { word };
    }
    let long_enough = |stem: &&str| stem.chars().count() >= 2;
    let shorter = PARTICLES.iter().filter_map(|ending| word.strip_suffix(ending));
    shorter.filter(long_enough).min_by_key(|stem| stem.len()).unwrap_or(word)
}

fn is_hangul(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_korean_stem_is_found_whatever_particle_follows_it() {
        for (word, expected) in [
            ("보고서를", "보고서"),
            ("보고서에서는", "보고서"),
            ("매출과", "매출"),
            ("시장으로부터", "시장"),
            ("보고서", "보고서"),
            ("나이", "나이"),
            ("reports", "report"),
            ("glass", "glass"),
            ("bus", "bus"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
        let query = Query::new("보고서를 매출과 함께");
        assert_eq!(query.found_in("분기 매출이 담긴 보고서의 요약"), [0, 1]);
    }

    #[test]
    fn rare_words_weigh_more_than_words_that_stand_everywhere() {
        let texts = [(1, "coffee report"), (2, "tea report"), (3, "bread report"), (4, "bread")];
        let found = best(&Query::new("tea report"), texts.iter().map(|(k, t)| (*k, *t)), 5);
        assert_eq!(found.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [2, 3, 1]);
        assert_eq!(best(&Query::new("wine"), texts.iter().map(|(k, t)| (*k, *t)), 5), []);
    }

    #[test]
    fn common_words_count_only_where_there_is_nothing_else() {
        assert_eq!(Query::new("please write the report").stems(), ["report"]);
        assert!(!Query::new("the").is_empty());
        assert!(Query::new(" \n").is_empty());
    }
}
