//! `builtin:` of the configuration: where the built-in agent asks, with which key, and the limits of
//! the models there.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Rules;
use crate::formats::diagnostic::Finding;

/// Formats that the built-in agent speaks, as `builtin:NAME/MODEL` names them.
pub const BUILTIN_PROVIDERS: &[&str] = &["anthropic", "openai-chat"];

/// The settings, by format.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BuiltinSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anthropic: Option<BuiltinProvider>,
    #[serde(rename = "openai-chat", skip_serializing_if = "Option::is_none")]
    pub openai_chat: Option<BuiltinProvider>,
}

/// One service. hast has no table of models and prices: what is not said here is not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BuiltinProvider {
    /// The origin, with a prefix where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"http://127.0.0.1:11434")]
    pub base_url: Option<String>,
    /// The name of the variable that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"OPENROUTER_API_KEY")]
    pub key_env: Option<String>,
    /// How many tokens fit into the window of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<NonZeroU32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<NonZeroU32>,
    /// How long the service may be silent; 90 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silence_seconds: Option<NonZeroU32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<BuiltinPrice>,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BuiltinPrice {
    #[serde(rename = "in")]
    pub input: f64,
    #[serde(rename = "out")]
    pub output: f64,
    /// What is read from a cache; as `in` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
}

impl BuiltinSettings {
    pub fn of(&self, provider: &str) -> Option<&BuiltinProvider> {
        match provider {
            "anthropic" => self.anthropic.as_ref(),
            "openai-chat" => self.openai_chat.as_ref(),
            _ => None,
        }
    }
}

/// Format and model of `builtin:FORMAT/MODEL`; nothing where it is something else.
pub fn builtin_parts(line: &str) -> Option<(&'static str, &str)> {
    let (provider, model) = line.trim().strip_prefix("builtin:")?.split_once('/')?;
    let provider = BUILTIN_PROVIDERS.iter().find(|known| **known == provider.trim())?;
    let model = model.trim();
    let plain = !model.is_empty() && !model.chars().any(|c| c.is_whitespace() || c.is_control());
    plain.then_some((*provider, model))
}

/// An address is one, and a variable's name too; prices are no debts.
pub(super) fn builtin_rules(settings: &BuiltinSettings, rules: &mut Rules<'_>) {
    let Some(node) = rules.tree.get("builtin") else { return };
    for name in BUILTIN_PROVIDERS {
        let (Some(settings), Some(node)) = (settings.of(name), node.get(name)) else { continue };
        let is_url = |url: &str| {
            let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            rest.is_some_and(|rest| {
                !rest.is_empty() && !rest.starts_with('/') && !rest.contains(['@', '?', '#', ' '])
            })
        };
        let is_name = |name: &str| {
            !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let price = settings.price.unwrap_or_default();
        let prices = [Some(price.input), Some(price.output), price.cached];
        let is_price = |price: f64| price.is_finite() && price >= 0.0;
        let wrong = [
            (
                "base_url",
                settings.base_url.as_deref().is_some_and(|url| !is_url(url)),
                "https://api.example.com",
            ),
            (
                "key_env",
                settings.key_env.as_deref().is_some_and(|name| !is_name(name)),
                "OPENROUTER_API_KEY",
            ),
            ("price", !prices.into_iter().flatten().all(is_price), "{in: 3.0, out: 15.0}"),
        ];
        for (field, _, example) in wrong.into_iter().filter(|(_, wrong, _)| *wrong) {
            let Some(node) = node.get(field) else { continue };
            let value = match field {
                "base_url" => settings.base_url.clone().unwrap_or_default(),
                "key_env" => settings.key_env.clone().unwrap_or_default(),
                _ => field.to_owned(),
            };
            rules.report(node, Finding::BadForm { value, example: example.into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::document::read;
    use crate::docs::goals::Config;
    use crate::formats::source::Source;

    fn config(builtin: &str) -> Result<Config, usize> {
        let text = format!("test_command: t\nai_tool: \"builtin:anthropic/m\"\n{builtin}");
        let read = read::<Config>(&Source::new("config.yaml", &text));
        read.map(|read| read.value).map_err(|findings| findings.len())
    }

    #[test]
    fn the_example_of_the_page_is_read() {
        let config = config(
            "builtin:\n  anthropic: {base_url: \"https://h\", key_env: ANTHROPIC_API_KEY, context_tokens: 200000, \
             max_output_tokens: 16000, price: {in: 3.0, out: 15.0, cached: 0.3}}\n",
        );
        let builtin = config.unwrap().builtin.unwrap();
        let anthropic = builtin.of("anthropic").unwrap();
        assert_eq!(anthropic.context_tokens, NonZeroU32::new(200_000));
        assert_eq!(anthropic.price.unwrap().cached, Some(0.3));
        assert_eq!(builtin.of("openai-chat"), None);
    }

    #[test]
    fn an_address_a_name_and_a_price_are_what_they_should_be() {
        for (field, good) in [
            ("base_url: http://127.0.0.1:1/v1", true),
            ("base_url: file:///etc", false),
            ("base_url: https://user@h", false),
            ("base_url: https://", false),
            ("key_env: MY_KEY", true),
            ("key_env: \"a b\"", false),
            ("key_env: 1A", false),
            ("price: {in: 1, out: -1}", false),
            ("context_tokens: 0", false),
        ] {
            let read = config(&format!("builtin:\n  openai-chat: {{{field}}}\n"));
            assert_eq!(read.is_ok(), good, "{field}");
        }
    }

    #[test]
    fn a_line_names_a_format_and_a_model_that_may_have_slashes() {
        assert_eq!(
            builtin_parts("builtin:openai-chat/meta/llama:8b"),
            Some(("openai-chat", "meta/llama:8b"))
        );
        for line in [
            "builtin:",
            "builtin:anthropic",
            "builtin:anthropic/",
            "builtin:x/y",
            "builtin:anthropic/a b",
        ] {
            assert_eq!(builtin_parts(line), None, "{line}");
        }
    }
}
