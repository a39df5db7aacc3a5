//! Arguments as a model gave them: names and later names, values that mean the same, and findings
//! that go back to the model.

use std::collections::BTreeMap;

use serde_json::Value;

use super::published::{Kind, Presence, Published};

/// Arguments that fit a tool.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    values: BTreeMap<&'static str, Value>,
}

impl Arguments {
    /// The arguments of a call, or what is wrong with them.
    pub(super) fn read(tool: &Published, given: &Value) -> Result<Self, String> {
        let empty = serde_json::Map::new();
        let given = match given {
            Value::Object(given) => given,
            Value::Null => &empty,
            _ => return Err(format!("the arguments of {} are no JSON object", tool.name)),
        };
        let (mut values, mut findings) = (BTreeMap::new(), Vec::new());
        for (name, value) in given {
            let known = tool.parameters.iter().find(|parameter| {
                parameter.name == name || parameter.aliases.contains(&name.as_str())
            });
            let Some(parameter) = known else {
                findings.push(format!("there is no parameter `{name}`"));
                continue;
            };
            if value.is_null() {
                continue;
            }
            match converted(value, parameter.kind) {
                Some(value) => {
                    values.insert(parameter.name, value);
                }
                None => findings.push(format!("`{name}` is not {}", kind_name(parameter.kind))),
            }
        }
        let missing = tool.parameters.iter().filter(|parameter| {
            parameter.presence == Presence::Needed && !values.contains_key(parameter.name)
        });
        findings.extend(missing.map(|parameter| format!("`{}` is missing", parameter.name)));
        match findings.is_empty() {
            true => Ok(Self { values }),
            false => Err(format!(
                "{}: {}. Its parameters: {}",
                tool.name,
                findings.join("; "),
                known_names(tool)
            )),
        }
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.values.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn optional_text(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.values.get(name).and_then(Value::as_u64).and_then(|number| number.try_into().ok())
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(default)
    }

    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.values.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

fn known_names(tool: &Published) -> String {
    let shown = tool.parameters.iter().filter(|one| one.presence != Presence::Understood);
    let names = shown.map(|parameter| match parameter.presence {
        Presence::Needed => parameter.name.to_owned(),
        Presence::Optional | Presence::Understood => format!("{}?", parameter.name),
    });
    names.collect::<Vec<_>>().join(", ")
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "a string",
        Kind::Number => "a number of 0 or more",
        Kind::Flag => "true or false",
        Kind::Texts => "a list of strings",
    }
}

/// The value in the kind that is asked for. Models write numbers as strings and one path instead of
/// a list of one.
fn converted(value: &Value, kind: Kind) -> Option<Value> {
    match (kind, value) {
        (Kind::Text, Value::String(_)) => Some(value.clone()),
        (Kind::Number, Value::Number(number)) => {
            let whole = number.as_u64().or_else(|| {
                let number = number.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0)?;
                format!("{number:.0}").parse().ok()
            });
            whole.map(Value::from)
        }
        (Kind::Number, Value::String(text)) => text.trim().parse::<u64>().ok().map(Value::from),
        (Kind::Flag, Value::Bool(_)) => Some(value.clone()),
        (Kind::Flag, Value::String(text)) => {
            text.trim().to_ascii_lowercase().parse::<bool>().ok().map(Value::from)
        }
        (Kind::Texts, Value::Array(items)) => {
            items.iter().all(Value::is_string).then(|| value.clone())
        }
        (Kind::Texts, Value::String(text)) => {
            // Some write the list as a string.
            let list = serde_json::from_str::<Vec<String>>(text);
            Some(list.unwrap_or_else(|_| vec![text.clone()]).into())
        }
        _ => None,
    }
}
