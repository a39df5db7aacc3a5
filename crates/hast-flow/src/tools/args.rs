//! The arguments of each tool as types; their JSON Schemas are made from these.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::time::Day;

/// Arguments of `sec_company`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecCompanyArgs {
    /// The ticker; omitted, the session's.
    pub ticker: Option<String>,
    /// The company's name, where there is no ticker; omitted, the session's.
    pub company: Option<String>,
}

/// Arguments of `sec_submissions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecSubmissionsArgs {
    /// The ticker; omitted, the session's.
    pub ticker: Option<String>,
    /// Only these forms, for example 10-K; omitted, all.
    pub forms: Vec<String>,
    /// Only filings made in this year or later; omitted, the session's `min_year`.
    #[schemars(range(min = 1900, max = 2200))]
    pub from_year: Option<i32>,
    /// Only filings made in this year or earlier.
    #[schemars(range(min = 1900, max = 2200))]
    pub to_year: Option<i32>,
    /// At most so many, newest first [default: 100].
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
}

/// Arguments of `sec_filing`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecFilingArgs {
    /// The ticker; omitted, the session's.
    pub ticker: Option<String>,
    /// The form [default: 10-K].
    pub form: Option<FilingForm>,
    /// The year in which the reported period ends; omitted, the session's.
    #[schemars(range(min = 1900, max = 2200))]
    pub year: Option<i32>,
    /// Which 10-Q of that year, by the end of its period; omitted, the last.
    #[schemars(range(min = 1, max = 4))]
    pub quarter: Option<u32>,
    /// One section; omitted, the whole document.
    pub section: Option<Section>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FilingForm {
    #[serde(rename = "10-K")]
    Annual,
    #[serde(rename = "10-Q")]
    Quarterly,
}

impl FilingForm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Annual => "10-K",
            Self::Quarterly => "10-Q",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Business,
    RiskFactors,
    Cybersecurity,
    Properties,
    LegalProceedings,
    MarketForEquity,
    Mda,
    MarketRisk,
    FinancialStatements,
    Controls,
}

impl Section {
    pub const ALL: [Self; 10] = [
        Self::Business,
        Self::RiskFactors,
        Self::Cybersecurity,
        Self::Properties,
        Self::LegalProceedings,
        Self::MarketForEquity,
        Self::Mda,
        Self::MarketRisk,
        Self::FinancialStatements,
        Self::Controls,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Business => "business",
            Self::RiskFactors => "risk_factors",
            Self::Cybersecurity => "cybersecurity",
            Self::Properties => "properties",
            Self::LegalProceedings => "legal_proceedings",
            Self::MarketForEquity => "market_for_equity",
            Self::Mda => "mda",
            Self::MarketRisk => "market_risk",
            Self::FinancialStatements => "financial_statements",
            Self::Controls => "controls",
        }
    }

    /// Part and item of the form that hold the section; not every form has each.
    pub fn place(self, form: FilingForm) -> Option<(u8, &'static str)> {
        Some(match (form, self) {
            (FilingForm::Annual, Self::Business) => (1, "1"),
            (FilingForm::Annual, Self::RiskFactors) => (1, "1A"),
            (FilingForm::Annual, Self::Cybersecurity) => (1, "1C"),
            (FilingForm::Annual, Self::Properties) => (1, "2"),
            (FilingForm::Annual, Self::LegalProceedings) => (1, "3"),
            (FilingForm::Annual, Self::MarketForEquity) => (2, "5"),
            (FilingForm::Annual, Self::Mda) => (2, "7"),
            (FilingForm::Annual, Self::MarketRisk) => (2, "7A"),
            (FilingForm::Annual, Self::FinancialStatements) => (2, "8"),
            (FilingForm::Annual, Self::Controls) => (2, "9A"),
            (FilingForm::Quarterly, Self::FinancialStatements) => (1, "1"),
            (FilingForm::Quarterly, Self::Mda) => (1, "2"),
            (FilingForm::Quarterly, Self::MarketRisk) => (1, "3"),
            (FilingForm::Quarterly, Self::Controls) => (1, "4"),
            (FilingForm::Quarterly, Self::LegalProceedings) => (2, "1"),
            (FilingForm::Quarterly, Self::RiskFactors) => (2, "1A"),
            (
                FilingForm::Quarterly,
                Self::Business | Self::Cybersecurity | Self::Properties | Self::MarketForEquity,
            ) => return None,
        })
    }
}

/// Arguments of `sec_facts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecFactsArgs {
    /// The XBRL concept, for example Revenues or NetIncomeLoss.
    #[schemars(length(min = 1), example = &"Revenues")]
    pub concept: String,
    /// The ticker; omitted, the session's.
    #[serde(default)]
    pub ticker: Option<String>,
    /// The taxonomy [default: us-gaap].
    #[serde(default)]
    pub taxonomy: Option<String>,
    /// The unit, where the concept has several: USD, shares, USD/shares.
    #[serde(default)]
    pub unit: Option<String>,
    /// Years or quarters [default: annual].
    #[serde(default)]
    pub period: Option<Period>,
    /// First year; omitted, the session's `min_year`.
    #[serde(default)]
    #[schemars(range(min = 1900, max = 2200))]
    pub from_year: Option<i32>,
    /// Last year; omitted, the session's `year`.
    #[serde(default)]
    #[schemars(range(min = 1900, max = 2200))]
    pub to_year: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Period {
    Annual,
    Quarterly,
}

/// Arguments of `yf_prices`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct YfPricesArgs {
    /// The ticker; omitted, the session's.
    pub ticker: Option<String>,
    /// First day; without days and range, the session's year, else the last 12 months.
    pub start: Option<Day>,
    /// Last day.
    pub end: Option<Day>,
    /// A span that ends today, instead of days.
    pub range: Option<Range>,
    /// The time between two prices [default: 1d].
    pub interval: Option<Interval>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Range {
    #[serde(rename = "1mo")]
    Month1,
    #[serde(rename = "3mo")]
    Month3,
    #[serde(rename = "6mo")]
    Month6,
    #[serde(rename = "ytd")]
    YearToDate,
    #[serde(rename = "1y")]
    Year1,
    #[serde(rename = "2y")]
    Year2,
    #[serde(rename = "5y")]
    Year5,
    #[serde(rename = "10y")]
    Year10,
    #[serde(rename = "max")]
    Max,
}

impl Range {
    pub fn name(self) -> &'static str {
        match self {
            Self::Month1 => "1mo",
            Self::Month3 => "3mo",
            Self::Month6 => "6mo",
            Self::YearToDate => "ytd",
            Self::Year1 => "1y",
            Self::Year2 => "2y",
            Self::Year5 => "5y",
            Self::Year10 => "10y",
            Self::Max => "max",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Interval {
    #[serde(rename = "1d")]
    Day,
    #[serde(rename = "1wk")]
    Week,
    #[serde(rename = "1mo")]
    Month,
}

impl Interval {
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "1d",
            Self::Week => "1wk",
            Self::Month => "1mo",
        }
    }
}

/// Arguments of `yf_quote`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct YfQuoteArgs {
    /// The ticker; omitted, the session's.
    pub ticker: Option<String>,
}

/// Arguments of `yf_financials`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct YfFinancialsArgs {
    pub statement: Statement,
    /// The ticker; omitted, the session's.
    #[serde(default)]
    pub ticker: Option<String>,
    /// Years or quarters [default: annual].
    #[serde(default)]
    pub period: Option<Period>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Statement {
    Income,
    Balance,
    Cashflow,
}

/// Arguments of `web_search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebSearchArgs {
    #[schemars(length(min = 1))]
    pub query: String,
    /// At most so many results [default: 10].
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
}

/// Arguments of `web_fetch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebFetchArgs {
    /// A public http or https address.
    #[schemars(length(min = 1), example = &"https://example.com/report.html")]
    pub url: String,
    /// Cut the text after so many characters [default: 200000].
    #[serde(default)]
    #[schemars(range(min = 100, max = 2_000_000))]
    pub max_chars: Option<u32>,
}

/// Arguments of `chart`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChartArgs {
    #[schemars(length(min = 1))]
    pub title: String,
    pub kind: ChartKind,
    /// What stands on the horizontal axis [default: found from the values].
    #[serde(default)]
    pub x_axis: Option<AxisKind>,
    #[serde(default)]
    pub x_label: Option<String>,
    /// What is measured, with its unit.
    #[serde(default)]
    pub y_label: Option<String>,
    /// One sentence for people who cannot see the chart.
    #[serde(default)]
    pub description: Option<String>,
    /// Where the numbers come from, printed below.
    #[serde(default)]
    pub source: Option<String>,
    #[schemars(length(min = 1))]
    pub series: Vec<Series>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChartKind {
    Line,
    Bar,
    Scatter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AxisKind {
    Time,
    Category,
    Number,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    #[schemars(length(min = 1))]
    pub name: String,
    #[schemars(length(min = 1))]
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub x: Place,
    /// Nothing is a gap.
    #[serde(default)]
    pub y: Option<f64>,
}

/// A place on the horizontal axis: a number, or a text that is a day, a month or a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    Number(f64),
    Text(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlaceVisitor)
    }
}

struct PlaceVisitor;

impl Visitor<'_> for PlaceVisitor {
    type Value = Place;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a text")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Place, E> {
        Ok(Place::Number(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Place, E> {
        Ok(Place::Number(number as f64))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Place, E> {
        Ok(Place::Number(number as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Place, E> {
        Ok(Place::Text(text.to_owned()))
    }
}

impl JsonSchema for Place {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"] })
    }
}
