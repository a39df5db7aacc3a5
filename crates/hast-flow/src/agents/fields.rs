//! The allowed values of a document's fields, in a few words, from its JSON Schema. An example cannot
//! show which other values there are. What may be left out is not told: the example shows all that is wanted.

use serde_json::Value;

/// How deep a schema is looked into.
const DEEPEST: usize = 6;

/// A field of a document that has a closed list of values, by its path: `tasks[].data_sources[]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub path: String,
    pub values: Vec<String>,
}

impl Field {
    /// The names of the fields that this one lies in.
    pub fn above(&self) -> impl Iterator<Item = &str> {
        let above = self.path.rsplit_once('.').map_or("", |(above, _)| above);
        above.split('.').map(|name| name.trim_end_matches("[]")).filter(|name| !name.is_empty())
    }
}

/// The fields that have a closed list of values.
pub fn fields(schema: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    walk(schema, schema, "", 0, &mut found);
    found
}

/// Whether a document may have fields that its schema does not name.
pub fn is_open(schema: &Value) -> bool {
    schema.get("additionalProperties") != Some(&Value::Bool(false))
}

/// What may stand in one property, in a few words: a list, a range, or a form.
pub fn allowed(root: &Value, property: &Value) -> Option<String> {
    let list = closed(root, property);
    if !list.is_empty() {
        return Some(list.join("|"));
    }
    let node = resolved(root, property);
    let number = |key: &str| node.get(key).and_then(Value::as_i64);
    if let (Some(least), Some(most)) = (number("minimum"), number("maximum")) {
        return Some(format!("{least}..{most}"));
    }
    if let Some(items) = node.get("items") {
        return Some(format!("[{}]", allowed(root, items).unwrap_or_else(|| "text".to_owned())));
    }
    let example = || node.get("examples")?.as_array()?.first()?.as_str();
    node.get("pattern").and_then(|_| example()).map(str::to_owned)
}

fn walk(root: &Value, node: &Value, path: &str, depth: usize, found: &mut Vec<Field>) {
    let node = resolved(root, node);
    if depth > DEEPEST {
        return;
    }
    if let Some(items) = node.get("items") {
        return walk(root, items, &format!("{path}[]"), depth + 1, found);
    }
    let needed = node.get("required").and_then(Value::as_array);
    let properties = node.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let optional = !needed.is_some_and(|needed| needed.iter().any(|one| one == name));
        let mut values = closed(root, property);
        if !values.is_empty() && !optional && may_be_null(property) {
            values.push("null".to_owned());
        }
        // Who writes a contract is in its example; the other names are those of other calls.
        if name != "created_by" && !values.is_empty() {
            found.push(Field { path: below.clone(), values });
        }
        walk(root, property, &below, depth + 1, found);
    }
}

/// The values of a closed list, also of the entries of an array.
fn closed(root: &Value, node: &Value) -> Vec<String> {
    let node = resolved(root, node);
    if let Some(items) = node.get("items") {
        return closed(root, items);
    }
    let values = node.get("enum").and_then(Value::as_array);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.into_iter().flatten().filter(|value| !value.is_null()).map(text).collect()
}

fn may_be_null(property: &Value) -> bool {
    let is_null = |one: &Value| one.get("type").and_then(Value::as_str) == Some("null");
    let several = property.get("anyOf").and_then(Value::as_array);
    let types = property.get("type").and_then(Value::as_array);
    several.is_some_and(|several| several.iter().any(is_null))
        || types.is_some_and(|types| types.iter().any(|one| one == "null"))
}

/// The schema that a reference names; of several, the one that is not null.
fn resolved<'s>(root: &'s Value, node: &'s Value) -> &'s Value {
    let mut node = node;
    for _ in 0..DEEPEST {
        let name = node.get("$ref").and_then(Value::as_str);
        let named = name.and_then(|name| root.pointer(name.strip_prefix('#')?));
        let several = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| node.get(*key)?.as_array());
        let is_null = |one: &&Value| one.get("type").and_then(Value::as_str) == Some("null");
        let one = several.and_then(|several| several.iter().find(|one| !is_null(one)));
        match named.or(one) {
            Some(next) => node = next,
            None => return node,
        }
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::registry;
    use crate::tools::Tool;

    #[test]
    fn closed_lists_are_named_by_path() {
        let schema = (registry::find("contract-review").unwrap().schema)();
        let fields = fields(&schema);
        let told: Vec<_> =
            fields.iter().map(|field| (field.path.as_str(), field.values.join("|"))).collect();
        assert!(told.contains(&("verdict", "PASS|FAIL".to_owned())), "{told:?}");
        assert!(told.contains(&("findings[].verdict", "PASS|FAIL".to_owned())), "{told:?}");
        assert!(told.contains(&("back_to", "design|implementation|null".to_owned())), "{told:?}");
        assert!(!is_open(&schema));
    }

    #[test]
    fn an_argument_of_a_tool_is_told_as_a_list_a_range_or_a_form() {
        let of = |tool: Tool, name: &str| {
            let schema = tool.schema();
            let property = schema.pointer(&format!("/properties/{name}")).unwrap().clone();
            allowed(&schema, &property)
        };
        assert_eq!(of(Tool::YfFinancials, "statement").as_deref(), Some("income|balance|cashflow"));
        assert_eq!(of(Tool::SecFiling, "form").as_deref(), Some("10-K|10-Q"));
        assert_eq!(of(Tool::SecFiling, "quarter").as_deref(), Some("1..4"));
        assert_eq!(of(Tool::SecSubmissions, "forms").as_deref(), Some("[text]"));
        assert_eq!(of(Tool::YfQuote, "ticker"), None);
    }
}
