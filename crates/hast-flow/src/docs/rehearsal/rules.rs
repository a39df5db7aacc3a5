//! A rehearsal has rules that its schema cannot express. An item has one action, and a file has one
//! content. Placeholders must exist, and nothing may follow an ending.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::action::{Act, Action, Mode};
use super::placeholder::{KNOWN, unknown};
use super::{Rehearsal, Reply};
use crate::docs::document::Rules;
use crate::formats::diagnostic::Finding;
use crate::formats::tree::{Node, Value};

/// The longest that an action may wait, in seconds: a day.
const LONGEST_SLEEP: i64 = 86_400;

pub(super) fn rehearsal_rules(rehearsal: &Rehearsal, rules: &mut Rules<'_>) {
    let tree = rules.tree;
    let replies = tree.get("replies").map_or(&[][..], Node::list);
    for (Reply { actions, .. }, node) in rehearsal.replies.iter().zip(replies) {
        if let Some(list) = node.get("do") {
            action_rules(actions, list, rules);
            placeholder_rules(list, rules);
        }
    }
}

fn action_rules(actions: &[Action], list: &Node, rules: &mut Rules<'_>) {
    let mut ended: Option<&str> = None;
    for (action, node) in actions.iter().zip(list.list()) {
        if let Some(ending) = ended.take() {
            rules.report(node, Finding::NeverReached { after: ending.to_owned() });
        }
        match action.act() {
            None => one_action(node, rules),
            Some(act) => {
                details(act, node, rules);
                ended = ending_name(act);
            }
        }
    }
}

fn one_action(node: &Node, rules: &mut Rules<'_>) {
    let found = named(node, Action::NAMES);
    let allowed = Action::NAMES.iter().map(|name| (*name).to_owned()).collect();
    rules.report(node, Finding::NotExactlyOne { found, allowed });
}

/// The fields of a map that are among these.
fn named(node: &Node, names: &[&str]) -> Vec<String> {
    let keys = node.fields().iter().map(|field| &*field.key);
    keys.filter(|key| names.contains(key)).map(str::to_owned).collect()
}

/// After these nothing is played.
fn ending_name(act: Act<'_>) -> Option<&'static str> {
    match act {
        Act::Exit(_) => Some("exit"),
        Act::Signal(_) => Some("signal"),
        Act::Crash(_) => Some("crash"),
        Act::Hang(_) => Some("hang"),
        Act::Limit(_) => Some("limit"),
        Act::Login(_) => Some("login"),
        _ => None,
    }
}

fn details(act: Act<'_>, node: &Node, rules: &mut Rules<'_>) {
    let at = |key: &str| node.get(key).unwrap_or(node);
    match act {
        Act::Write(write) => {
            one_content(at("write"), &["text", "base64", "json"], rules);
            base64_rule(write.base64.as_deref(), at("write"), rules);
            mode_rule(write.mode.as_ref(), at("write"), rules);
        }
        Act::Chmod(chmod) => mode_rule(Some(&chmod.mode), at("chmod"), rules),
        Act::Print(print) => {
            if print.0.text.is_none() || print.0.base64.is_some() {
                one_content(at("print"), &["text", "base64"], rules);
            }
            base64_rule(print.0.base64.as_deref(), at("print"), rules);
        }
        Act::Outbox(documents) => {
            for (name, field) in documents.keys().zip(at("outbox").fields()) {
                if name.is_empty() || name.contains(['/', '\0']) || [".", ".."].contains(&&**name) {
                    let example = "report.json".to_owned();
                    rules.report(&field.node, Finding::BadForm { value: name.clone(), example });
                }
            }
        }
        Act::Sleep(&seconds) => {
            let fits = (0.0..=86_400.0).contains(&seconds);
            if !fits {
                let value = seconds.to_string();
                let finding = Finding::OutOfRange { value, least: 0, most: LONGEST_SLEEP };
                rules.report(at("sleep"), finding);
            }
        }
        Act::Spawn(spawn) => {
            action_rules(&spawn.actions, at("spawn").get("do").unwrap_or(node), rules)
        }
        _ => {}
    }
}

fn one_content(node: &Node, names: &[&str], rules: &mut Rules<'_>) {
    let found = named(node, names);
    if found.len() != 1 {
        let allowed = names.iter().map(|name| (*name).to_owned()).collect();
        rules.report(node, Finding::NotExactlyOne { found, allowed });
    }
}

fn base64_rule(text: Option<&str>, node: &Node, rules: &mut Rules<'_>) {
    if let Some(text) = text
        && STANDARD.decode(text).is_err()
    {
        let finding = Finding::BadForm { value: text.to_owned(), example: "aGVsbG8=".to_owned() };
        rules.report(node.get("base64").unwrap_or(node), finding);
    }
}

fn mode_rule(mode: Option<&Mode>, node: &Node, rules: &mut Rules<'_>) {
    if let Some(mode) = mode.filter(|mode| mode.bits().is_none()) {
        let finding = Finding::BadForm { value: mode.0.clone(), example: Mode::EXAMPLE.to_owned() };
        rules.report(node.get("mode").unwrap_or(node), finding);
    }
}

/// Every text below may have placeholders.
fn placeholder_rules(node: &Node, rules: &mut Rules<'_>) {
    match &node.value {
        Value::Text(text) => {
            if let Some(name) = unknown(text) {
                let mut allowed: Vec<String> =
                    KNOWN.iter().map(|name| format!("{{{{{name}}}}}")).collect();
                allowed.push("{{{{ (two braces as they are)".to_owned());
                let value = format!("{{{{{name}}}}}");
                rules.report(node, Finding::NotOneOf { value, allowed });
            }
        }
        Value::List(items) => items.iter().for_each(|item| placeholder_rules(item, rules)),
        Value::Map(fields) => {
            fields.iter().for_each(|field| placeholder_rules(&field.node, rules));
        }
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Number(_) => {}
    }
}
