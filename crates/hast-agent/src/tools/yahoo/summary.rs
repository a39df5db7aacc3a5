//! The modules of `quoteSummary`: numbers wrapped as `{"raw": 1, "fmt": "1.00"}`, unwrapped here.

use std::collections::BTreeMap;

use hast_flow::tools::ToolFailure;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The modules of a quote.
pub const QUOTE: [&str; 3] = ["price", "summaryDetail", "defaultKeyStatistics"];

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub quote_summary: Summary,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Summary {
    #[serde(default)]
    pub result: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    pub error: Option<Refusal>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Refusal {
    #[serde(default)]
    pub description: String,
}

/// Values by name, in the order of names.
type Fields = BTreeMap<String, Value>;

/// What `yf_quote` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quote {
    pub ticker: String,
    pub name: Option<String>,
    pub currency: Option<String>,
    pub price: Fields,
    pub detail: Fields,
    pub statistics: Fields,
}

pub fn quote(answer: &Answer, ticker: &str, url: &str) -> Result<Quote, ToolFailure> {
    let modules = modules(answer, url)?;
    let [price, detail, statistics] = QUOTE.map(|name| fields(modules.get(name)));
    if price.is_empty() {
        let why = "there is no price".to_owned();
        return Err(ToolFailure::NoData { url: url.to_owned(), why });
    }
    let text = |name: &str| price.get(name).and_then(Value::as_str).map(str::to_owned);
    Ok(Quote {
        ticker: ticker.to_owned(),
        name: text("longName").or_else(|| text("shortName")),
        currency: text("currency"),
        price,
        detail,
        statistics,
    })
}

fn modules<'a>(answer: &'a Answer, url: &str) -> Result<&'a Map<String, Value>, ToolFailure> {
    let no_data = |why: &str| ToolFailure::NoData { url: url.to_owned(), why: why.to_owned() };
    if let Some(error) = &answer.quote_summary.error {
        return Err(no_data(&error.description));
    }
    let first = answer.quote_summary.result.iter().flatten().next();
    first.ok_or_else(|| no_data("the result is empty"))
}

/// Numbers, words and flags; what is empty or says how long it is valid is left away.
fn fields(module: Option<&Value>) -> Fields {
    let fields = module.and_then(Value::as_object).into_iter().flatten();
    fields
        .filter(|(name, _)| *name != "maxAge")
        .filter_map(|(name, value)| Some((name.clone(), unwrapped(value)?)))
        .collect()
}

fn unwrapped(value: &Value) -> Option<Value> {
    match value {
        Value::Object(wrapped) => wrapped.get("raw").filter(|raw| raw.is_number()).cloned(),
        Value::Number(_) | Value::Bool(_) => Some(value.clone()),
        Value::String(text) if !text.is_empty() => Some(value.clone()),
        Value::String(_) | Value::Null | Value::Array(_) => None,
    }
}
