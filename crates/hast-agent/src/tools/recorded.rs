//! Answers that were recorded, instead of a network: for rehearsals, demonstrations and tests.

use std::collections::BTreeMap;

use crate::tools::net::time::Time;
use crate::tools::net::transport::Transport;
use crate::tools::net::{Ask, Got, Trouble};

/// Answers by address.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    answers: BTreeMap<String, (String, Vec<u8>)>,
}

impl Recorded {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer. An address without its query answers for every query that has no own one.
    #[must_use]
    pub fn with(mut self, url: &str, media: &str, body: impl Into<Vec<u8>>) -> Self {
        self.answers.insert(url.to_owned(), (media.to_owned(), body.into()));
        self
    }

    /// The answers of an invented company, MRBT, in the year 2024, at the addresses of the real
    /// sources; with SearXNG at `https://search.example/`.
    pub fn sample() -> Self {
        SAMPLE.iter().fold(Self::new(), |all, (url, media, body)| all.with(url, media, *body))
    }

    fn find(&self, ask: &Ask) -> Option<&(String, Vec<u8>)> {
        let mut bare = ask.url.clone();
        bare.set_query(None);
        self.answers.get(ask.url.as_str()).or_else(|| self.answers.get(bare.as_str()))
    }
}

impl Transport for Recorded {
    fn send(&self, ask: &Ask, _: &dyn Time) -> Result<Got, Trouble> {
        let got = |media: &str, body: &[u8]| Got {
            status: 200,
            media: media.to_owned(),
            cookies: vec!["A3=recorded; Path=/".to_owned()],
            body: body.to_vec(),
            ..Got::default()
        };
        match self.find(ask) {
            Some((media, body)) => Ok(got(media, body)),
            None if ask.url.path() == "/robots.txt" => Ok(Got { status: 404, ..Got::default() }),
            None => Err(Trouble::NotRecorded),
        }
    }
}

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/fixtures/", $name))
    };
}

/// What is bundled. The tests serve the same files on loopback.
pub const SAMPLE: &[(&str, &str, &[u8])] = &[
    ("https://www.sec.gov/files/company_tickers.json", JSON, fixture!("company_tickers.json")),
    ("https://data.sec.gov/submissions/CIK0009990001.json", JSON, fixture!("submissions.json")),
    (
        "https://data.sec.gov/submissions/CIK0009990001-submissions-001.json",
        JSON,
        fixture!("submissions-001.json"),
    ),
    (
        "https://data.sec.gov/api/xbrl/companyconcept/CIK0009990001/us-gaap/Revenues.json",
        JSON,
        fixture!("concept-Revenues.json"),
    ),
    (
        "https://data.sec.gov/api/xbrl/companyconcept/CIK0009990001/us-gaap/NetIncomeLoss.json",
        JSON,
        fixture!("concept-NetIncomeLoss.json"),
    ),
    (
        "https://data.sec.gov/api/xbrl/companyconcept/CIK0009990001/us-gaap/Assets.json",
        JSON,
        fixture!("concept-Assets.json"),
    ),
    (
        "https://www.sec.gov/Archives/edgar/data/9990001/000999000125000007/mrbt-20241231.htm",
        HTML,
        fixture!("mrbt-20241231.htm"),
    ),
    ("https://query2.finance.yahoo.com/v8/finance/chart/MRBT", JSON, fixture!("chart-MRBT.json")),
    (
        "https://query2.finance.yahoo.com/v10/finance/quoteSummary/MRBT",
        JSON,
        fixture!("quote-MRBT.json"),
    ),
    (
        "https://query2.finance.yahoo.com/ws/fundamentals-timeseries/v1/finance/timeseries/MRBT",
        JSON,
        fixture!("timeseries-MRBT.json"),
    ),
    ("https://query2.finance.yahoo.com/v1/test/getcrumb", "text/plain", b"sample.Crumb/1"),
    ("https://fc.yahoo.com/", HTML, b"<html></html>"),
    ("https://search.example/search", JSON, fixture!("search.json")),
    ("https://news.example/moraebit-2024-results", HTML, fixture!("news.html")),
    ("https://industry.example/sensor-market", HTML, fixture!("industry.html")),
];
