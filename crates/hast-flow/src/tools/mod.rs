//! The tools that plans and agents may use: names, sources, arguments and what can go wrong.
//!
//! Nothing here reaches a network. `hast-agent` performs a [`Request`]; rules of plans only ask
//! whether a call could become one.

pub mod args;
pub mod failure;
pub mod request;

pub use failure::{FailureClass, FailureRecord, ToolFailure};
pub use request::{Request, findings, resolve};

use serde_json::Value as Json;

use crate::docs::document::schema;
use crate::docs::session::DataSource;
use crate::tools::args::{
    ChartArgs, SecCompanyArgs, SecFactsArgs, SecFilingArgs, SecSubmissionsArgs, WebFetchArgs,
    WebSearchArgs, YfFinancialsArgs, YfPricesArgs, YfQuoteArgs,
};

/// Every tool. The order is the one in which they are listed to people and models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    SecCompany,
    SecSubmissions,
    SecFiling,
    SecFacts,
    YfPrices,
    YfQuote,
    YfFinancials,
    WebSearch,
    WebFetch,
    Chart,
}

/// What the answer of a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    Json,
    Markdown,
    Html,
}

impl Media {
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}

impl Tool {
    pub const ALL: [Self; 10] = [
        Self::SecCompany,
        Self::SecSubmissions,
        Self::SecFiling,
        Self::SecFacts,
        Self::YfPrices,
        Self::YfQuote,
        Self::YfFinancials,
        Self::WebSearch,
        Self::WebFetch,
        Self::Chart,
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::SecCompany => "sec_company",
            Self::SecSubmissions => "sec_submissions",
            Self::SecFiling => "sec_filing",
            Self::SecFacts => "sec_facts",
            Self::YfPrices => "yf_prices",
            Self::YfQuote => "yf_quote",
            Self::YfFinancials => "yf_financials",
            Self::WebSearch => "web_search",
            Self::WebFetch => "web_fetch",
            Self::Chart => "chart",
        }
    }

    /// The source that a plan's task must name to use the tool; `chart` gathers nothing.
    pub fn source(self) -> Option<DataSource> {
        match self {
            Self::SecCompany | Self::SecSubmissions | Self::SecFiling | Self::SecFacts => {
                Some(DataSource::Sec)
            }
            Self::YfPrices | Self::YfQuote | Self::YfFinancials => Some(DataSource::Yfinance),
            Self::WebSearch | Self::WebFetch => Some(DataSource::Web),
            Self::Chart => None,
        }
    }

    pub fn media(self) -> Media {
        match self {
            Self::SecFiling | Self::WebFetch => Media::Markdown,
            Self::Chart => Media::Html,
            Self::SecCompany
            | Self::SecSubmissions
            | Self::SecFacts
            | Self::YfPrices
            | Self::YfQuote
            | Self::YfFinancials
            | Self::WebSearch => Media::Json,
        }
    }

    /// What the tool does, in words for a model.
    pub fn description(self) -> &'static str {
        match self {
            Self::SecCompany => {
                "Finds a company at the SEC by ticker or name: CIK, ticker and registered name."
            }
            Self::SecSubmissions => {
                "Lists a company's SEC filings, newest first: form, dates, accession number, address of the document."
            }
            Self::SecFiling => {
                "Text of a 10-K or 10-Q, or of one of its sections, as Markdown with its tables."
            }
            Self::SecFacts => {
                "Values of one XBRL concept (for example Revenues) by fiscal year or quarter, as last reported."
            }
            Self::YfPrices => {
                "Price history: open, high, low, close, adjusted close, volume, dividends, splits."
            }
            Self::YfQuote => "Current price, market value and key statistics of a security.",
            Self::YfFinancials => {
                "Income statement, balance sheet or cash flow of the last periods, as Yahoo keeps them."
            }
            Self::WebSearch => "Searches the web: titles, addresses and excerpts.",
            Self::WebFetch => "One public web page as readable Markdown.",
            Self::Chart => {
                "Draws series as one self-contained HTML file with an SVG chart that opens offline."
            }
        }
    }

    /// Arguments as a plan has them.
    pub fn example(self) -> &'static str {
        match self {
            Self::SecCompany => r#"{"ticker": "AVGO"}"#,
            Self::SecSubmissions => r#"{"ticker": "AVGO", "forms": ["10-K"], "from_year": 2022}"#,
            Self::SecFiling => {
                r#"{"ticker": "AVGO", "form": "10-K", "year": 2024, "section": "mda"}"#
            }
            Self::SecFacts => r#"{"ticker": "AVGO", "concept": "Revenues", "from_year": 2022}"#,
            Self::YfPrices => r#"{"ticker": "AVGO", "start": "2024-01-02", "end": "2024-12-31"}"#,
            Self::YfQuote => r#"{"ticker": "AVGO"}"#,
            Self::YfFinancials => {
                r#"{"ticker": "AVGO", "statement": "income", "period": "annual"}"#
            }
            Self::WebSearch => r#"{"query": "Broadcom fiscal 2025 guidance"}"#,
            Self::WebFetch => r#"{"url": "https://investors.example.com/results"}"#,
            Self::Chart => "{}",
        }
    }

    /// The JSON Schema of the arguments.
    pub fn schema(self) -> Json {
        match self {
            Self::SecCompany => schema::<SecCompanyArgs>(),
            Self::SecSubmissions => schema::<SecSubmissionsArgs>(),
            Self::SecFiling => schema::<SecFilingArgs>(),
            Self::SecFacts => schema::<SecFactsArgs>(),
            Self::YfPrices => schema::<YfPricesArgs>(),
            Self::YfQuote => schema::<YfQuoteArgs>(),
            Self::YfFinancials => schema::<YfFinancialsArgs>(),
            Self::WebSearch => schema::<WebSearchArgs>(),
            Self::WebFetch => schema::<WebFetchArgs>(),
            Self::Chart => schema::<ChartArgs>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::shape::Shape;

    #[test]
    fn the_examples_are_arguments_of_their_tools() {
        for tool in Tool::ALL.into_iter().filter(|tool| tool.source().is_some()) {
            let schema = tool.schema();
            let example: Json = serde_json::from_str(tool.example()).unwrap();
            let known = schema["properties"].as_object().unwrap();
            for name in example.as_object().unwrap().keys() {
                assert!(known.contains_key(name), "{}: {name}", tool.name());
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(example.get(name.as_str().unwrap()).is_some(), "{}: {name}", tool.name());
            }
        }
    }

    #[test]
    fn every_tool_is_found_by_its_name_and_only_by_it() {
        for tool in Tool::ALL {
            assert_eq!(Tool::named(tool.name()), Some(tool));
            assert!(!tool.description().is_empty());
        }
        assert_eq!(Tool::named("SEC_COMPANY"), None);
        assert_eq!(Tool::named(""), None);
    }

    #[test]
    fn every_schema_is_understood_by_the_check_and_closed() {
        for tool in Tool::ALL {
            let schema = tool.schema();
            Shape::compile(&schema).unwrap();
            assert_eq!(schema["additionalProperties"], Json::Bool(false), "{}", tool.name());
            assert_eq!(schema["type"], "object", "{}", tool.name());
        }
    }
}
