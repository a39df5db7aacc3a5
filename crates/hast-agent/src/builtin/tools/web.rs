//! `google_web_search`, `web_fetch` and the data sources, through the same client as everything else
//! of hast: public addresses only, checked again after every redirect.

use hast_flow::steps::ToolUse;
use hast_flow::tools::{Tool, ToolFailure};
use hast_flow::words::Lang;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::reading::MAX_ANSWER_BYTES;
use crate::tools::{Cache, Search, Settings, perform};

const MAX_ADDRESSES: usize = 5;

/// Whether there is anybody to ask.
pub(super) fn searches(settings: &Settings) -> bool {
    !matches!(settings.search, Search::Nobody)
}

pub(super) fn search(settings: &Settings, arguments: &Arguments) -> Result<String, String> {
    used(settings, Tool::WebSearch, &json!({ "query": arguments.text("query") }))
}

pub(super) fn fetch(settings: &Settings, arguments: &Arguments) -> Result<String, String> {
    let given = match arguments.optional_text("url") {
        Some(url) => vec![url],
        None => addresses(arguments.text("prompt")),
    };
    if given.is_empty() {
        return Err("web_fetch needs `url`, or a `prompt` with an http address".to_owned());
    }
    let answers: Vec<Result<String, String>> =
        given.iter().map(|url| used(settings, Tool::WebFetch, &json!({ "url": url }))).collect();
    let failed = answers.iter().all(Result::is_err);
    let text: Vec<String> =
        answers.into_iter().map(|answer| answer.unwrap_or_else(|why| why)).collect();
    let text = bounded(text.join("\n\n"));
    if failed { Err(text) } else { Ok(text) }
}

/// The addresses in a text.
fn addresses(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || "<>\"'`()[]".contains(c));
    words
        .map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?']))
        .filter(|word| word.starts_with("http://") || word.starts_with("https://"))
        .take(MAX_ADDRESSES)
        .collect()
}

/// One use of a data source.
pub(super) fn used(settings: &Settings, tool: Tool, arguments: &Value) -> Result<String, String> {
    let args = arguments.as_object().cloned().unwrap_or_default();
    let tool = ToolUse { name: tool.name().to_owned(), args, state: settings.state.clone() };
    let answer = perform(&tool, settings, &mut Cache::none()).map_err(|failure| told(&failure))?;
    Ok(bounded(String::from_utf8_lossy(&answer.bytes).into_owned()))
}

fn told(failure: &ToolFailure) -> String {
    format!("{} -> {}", failure.what(Lang::En), failure.next(Lang::En))
}

fn bounded(mut text: String) -> String {
    if text.len() > MAX_ANSWER_BYTES {
        let mut at = MAX_ANSWER_BYTES;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        text.truncate(at);
        text += "\n[... cut ...]\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::addresses;

    #[test]
    fn addresses_are_found_in_a_prompt_without_what_ends_a_sentence() {
        let text = "Compare <https://a.example/x?y=1> with (http://b.example/한글). Then ftp://c.";
        assert_eq!(addresses(text), ["https://a.example/x?y=1", "http://b.example/한글"]);
    }
}
