//! Contracts and decisions of earlier requests that concern the next one: asked of the world, ranked here,
//! quoted with their source. Prompts and streams of calls are no memory.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::docs::goals::Memory;
use crate::docs::session::RoutingState;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::knowledge::words_of;
use crate::flows::contract::layout;
use crate::steps::{Effect, EffectResult, Step, StepKey, ToolUse};

/// The tool that searches.
pub const TOOL: &str = "memory_search";
/// Most that is quoted, and how much of one source.
pub const MOST_FOUND: usize = 5;
const QUOTED: usize = 600;

/// Something that was said or found before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memo {
    /// Where it stands: a path, or an address.
    pub source: String,
    pub text: String,
}

/// What a search gave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub found: Vec<Memo>,
}

/// Whether a file, by its path below the contracts, may be quoted to a request: a contract or the decisions
/// of an earlier request, as they stand in the end. What a later round replaced is no memory.
pub fn is_quotable(path: &str, request: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let contracts =
        [layout::EXPLORED, layout::BREAKDOWN, layout::DESIGN, layout::TESTS, layout::DECISIONS];
    contracts.contains(&name) && parts.all(|part| part != request && part != "archive")
}

/// The passages closest to a query, best first: by words in common, the rarer the better.
pub fn rank(query: &str, memos: &[Memo], most: usize) -> Vec<Memo> {
    let wanted = words_of(query);
    let texts: Vec<_> = memos.iter().map(|memo| words_of(&memo.text)).collect();
    let all = texts.len() + 1;
    let weight = |word: &str| {
        let having = texts.iter().filter(|text| text.contains(word)).count();
        // Hundredths, so that order needs no fractions.
        (all * 100).checked_div(having.max(1)).unwrap_or(0)
    };
    let weights: Vec<(&String, usize)> = wanted.iter().map(|word| (word, weight(word))).collect();
    let mut scored: Vec<(usize, usize)> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let score = weights.iter().filter(|(word, _)| text.contains(*word));
            (score.map(|(_, weight)| weight).sum::<usize>(), index)
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
    let quoted = |index: usize| memos.get(index).map(|memo| excerpt(memo, &wanted));
    scored.into_iter().take(most).filter_map(|(_, index)| quoted(index)).collect()
}

/// The part of a long text around the first word that was looked for.
fn excerpt(memo: &Memo, wanted: &std::collections::BTreeSet<String>) -> Memo {
    let lines: Vec<&str> = memo.text.lines().collect();
    let hit = lines.iter().position(|line| !words_of(line).is_disjoint(wanted)).unwrap_or(0);
    let from = hit.saturating_sub(2);
    let text: String = lines[from..].join("\n").chars().take(QUOTED).collect();
    Memo { source: memo.source.clone(), text }
}

/// What memory says about a text, as a part of a prompt; or the step that asks it.
pub(super) fn search(scene: &Scene<'_>, key: &StepKey, text: &str) -> Result<Vec<Memo>, Step> {
    if scene.flow.settings.memory == Memory::Off {
        return Ok(Vec::new());
    }
    match scene.view.results.get(key) {
        None => {
            let args = json!({ "query": text, "request_id": scene.request.id });
            let args = args.as_object().cloned().unwrap_or_default();
            let state = RoutingState::default();
            let tools = vec![ToolUse { name: TOOL.to_owned(), args, state }];
            Err(Step::Effect { key: key.clone(), effect: Effect::Tools(tools) })
        }
        // A memory that fails is no reason to stop: nothing is quoted then.
        Some(EffectResult::Tools(answers)) => {
            let bytes = answers.first().and_then(|answer| answer.as_ref().ok());
            let found: Option<Found> =
                bytes.and_then(|answer| serde_json::from_slice(&answer.bytes).ok());
            Ok(found.map(|found| found.found).unwrap_or_default())
        }
        Some(_) => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memo(source: &str, text: &str) -> Memo {
        Memo { source: source.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn contracts_and_decisions_of_other_requests_are_quoted_and_nothing_else() {
        for path in ["R1/explored.yaml", "R1/T1/decisions.yaml", "R1/T1/T1-S1/test-contract.yaml"] {
            assert!(is_quotable(path, "R2"), "{path}");
            assert!(!is_quotable(path, "R1"), "its own: {path}");
        }
        for path in [
            "R1/merge.json",
            "R1/state.json",
            "contract+R1+0+explore/1/prompt.md",
            "contract+R1+0+explore/1/stdout.txt",
            "R1/explored.rejected-1.yaml",
            "R1/T1/T1-S1/archive/round-1/test-contract.yaml",
        ] {
            assert!(!is_quotable(path, "R2"), "{path}");
        }
    }

    #[test]
    fn the_rarer_word_in_common_counts_for_more() {
        let memos = [
            memo("a", "the parser reads the file"),
            memo("b", "the file is read by the tokenizer"),
            memo("c", "colours and fonts"),
        ];
        let found = rank("why does the tokenizer read the file", &memos, 5);
        let sources: Vec<&str> = found.iter().map(|memo| memo.source.as_str()).collect();
        assert_eq!(sources, ["b", "a"]);
        assert_eq!(rank("nothing in common here at all", &memos[2..], 5), []);
    }

    #[test]
    fn a_long_text_is_quoted_where_it_speaks_of_it() {
        let long = format!("{}the tokenizer is slow\nbecause of copies\n", "filler\n".repeat(200));
        let found = rank("tokenizer", &[memo("a", &long)], 1);
        assert!(found[0].text.contains("the tokenizer is slow\nbecause of copies"));
        assert!(found[0].text.chars().count() <= QUOTED);
    }
}
