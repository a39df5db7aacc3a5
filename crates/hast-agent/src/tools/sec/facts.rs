//! The values of one XBRL concept over the years, each period once, as last reported.

use std::collections::BTreeMap;

use hast_flow::tools::args::Period;
use hast_flow::tools::request::Years;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::tools::sec::filings::year_of;

/// What is asked of a company's facts.
#[derive(Clone, Debug)]
pub struct Asked {
    pub taxonomy: String,
    pub concept: String,
    pub unit: Option<String>,
    pub period: Period,
    pub years: Years,
}

/// `companyconcept/CIK##########/us-gaap/Revenues.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Concept {
    pub taxonomy: String,
    pub tag: String,
    #[serde(default)]
    pub label: Option<String>,
    pub entity_name: String,
    pub units: BTreeMap<String, Vec<Fact>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Fact {
    #[serde(default)]
    pub start: Option<String>,
    pub end: String,
    pub val: Number,
    pub accn: String,
    #[serde(default)]
    pub form: String,
    pub filed: String,
}

/// What `sec_facts` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    pub company: String,
    pub taxonomy: String,
    pub concept: String,
    pub label: Option<String>,
    pub unit: String,
    pub period: Period,
    pub values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// The year in which the period ends.
    pub year: i32,
    pub start: Option<String>,
    pub end: String,
    pub value: Number,
    pub form: String,
    pub filed: String,
    pub accession: String,
}

/// The facts of the asked unit and period; nothing if the concept has no such unit.
pub fn select(concept: &Concept, asked: &Asked) -> Option<Series> {
    let (unit, facts) = match &asked.unit {
        Some(unit) => concept.units.get_key_value(unit)?,
        // The unit with most facts; of equal ones the first by name.
        None => concept.units.iter().rev().max_by_key(|(_, facts)| facts.len())?,
    };
    let mut latest: BTreeMap<(&str, Option<&str>), &Fact> = BTreeMap::new();
    for fact in facts.iter().filter(|fact| fits(fact, asked)) {
        let place = latest.entry((&fact.end, fact.start.as_deref())).or_insert(fact);
        if (&place.filed, &place.accn) < (&fact.filed, &fact.accn) {
            *place = fact;
        }
    }
    Some(Series {
        company: concept.entity_name.clone(),
        taxonomy: concept.taxonomy.clone(),
        concept: concept.tag.clone(),
        label: concept.label.clone(),
        unit: unit.clone(),
        period: asked.period,
        values: latest.into_values().filter_map(value).collect(),
    })
}

fn value(fact: &Fact) -> Option<Value> {
    Some(Value {
        year: year_of(&fact.end)?,
        start: fact.start.clone(),
        end: fact.end.clone(),
        value: fact.val.clone(),
        form: fact.form.clone(),
        filed: fact.filed.clone(),
        accession: fact.accn.clone(),
    })
}

/// Years have 52 or 53 weeks, quarters 12 to 14; a balance belongs to the report it stands in.
fn fits(fact: &Fact, asked: &Asked) -> bool {
    if !year_of(&fact.end).is_some_and(|year| asked.years.include(year)) {
        return false;
    }
    let days = match &fact.start {
        None => {
            let annual = ["10-K", "20-F", "40-F"].iter().any(|form| fact.form.starts_with(form));
            return annual || asked.period == Period::Quarterly;
        }
        Some(start) => match (start.parse::<Date>(), fact.end.parse::<Date>()) {
            (Ok(start), Ok(end)) => (end - start).get_days(),
            _ => return false,
        },
    };
    match asked.period {
        Period::Annual => (350..=380).contains(&days),
        Period::Quarterly => (80..=100).contains(&days),
    }
}
