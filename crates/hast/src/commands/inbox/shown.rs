//! Items of the inbox as people see them: a line each, or one screen.

use std::collections::BTreeMap;

use hast_flow::inbox::{Action, Inbox, Item, ItemKind, ItemState};
use hast_flow::words::{Lang, shell_word, visible};

use crate::ops_messages::say;

/// Longest evidence that is shown.
const SCREEN: usize = 40;

pub(super) fn line(lang: Lang, item: &Item, opened_at: &str) -> String {
    let state = match &item.state {
        ItemState::Open => String::new(),
        ItemState::Deferred(deed) => {
            format!("  ({}, {})", say::deferred(lang), visible(&deed.operator))
        }
        ItemState::Approved(deed) | ItemState::Acted(deed) => {
            format!("  ({}, {})", word(deed.action), visible(&deed.operator))
        }
        ItemState::Resolved { why, .. } => format!("  ({})", visible(why)),
    };
    let (kind, flow) = (item.kind.code(), item.flow.as_str());
    format!("{}  {kind:<15}  {flow:<8}  {}  {}{state}\n", item.id, opened_at, visible(&item.title))
}

/// What happened, what changed, how the tests ended, how to look at it.
pub(super) fn screen(lang: Lang, item: &Item, opened_at: &str, name: &str) -> String {
    let mut text = line(lang, item, opened_at);
    for line in item.evidence.iter().take(SCREEN) {
        text += &format!("    {}\n", visible(&in_words(lang, line)));
    }
    if item.is_open() {
        let answer = if item.kind == ItemKind::Question { " --text \"...\"" } else { "" };
        let command = format!("hast inbox act {} --action approve{answer}", shell_word(name));
        text += &format!("    {}   {}\n", visible(&command), say::or_otherwise(lang));
    }
    text
}

/// Evidence is a part of a file, whatever the language: which attempt it was and how much it changed
/// is said here in the reader's.
fn in_words(lang: Lang, line: &str) -> String {
    let attempt = line.strip_prefix("attempt ").and_then(|rest| rest.split_once(": "));
    if let Some((number, class)) = attempt.filter(|(number, _)| number.parse::<u32>().is_ok()) {
        return say::of_attempt(lang, number, class);
    }
    let changes = line.strip_prefix("files ").and_then(|rest| rest.split_once(", "));
    if let Some((files, lines)) = changes.filter(|(files, _)| files.parse::<u64>().is_ok()) {
        return say::of_files(lang, files, lines);
    }
    line.to_owned()
}

/// How many of each kind wait.
pub(super) fn counts(inbox: &Inbox) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for item in inbox.open_items() {
        *counts.entry(item.kind.code()).or_default() += 1;
    }
    counts
}

pub(super) fn word(action: Action) -> &'static str {
    match action {
        Action::Approve => "approve",
        Action::Reject => "reject",
        Action::Defer => "defer",
    }
}
