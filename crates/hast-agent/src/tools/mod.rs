//! The data-source tools and `chart`: a call in, one document or one cause out.
//!
//! [`perform`] is the only entrance. Parsing is total and knows no network; [`net`] knows the
//! network and no source.

pub mod answer;
pub mod cache;
pub mod chart;
pub mod markdown;
pub mod net;
pub mod recorded;
pub mod sec;
pub mod settings;
pub mod web;
pub mod yahoo;

pub use answer::{Answer, Raw};
pub use cache::Cache;
pub use settings::{Search, Secret, Settings};

use hast_flow::steps::ToolUse;
use hast_flow::tools::{Request, Tool, ToolFailure, resolve};

use crate::tools::net::Fetcher;

/// Performs one use of a tool.
pub fn perform(
    tool: &ToolUse,
    settings: &Settings,
    cache: &mut Cache,
) -> Result<Answer, ToolFailure> {
    let request = resolve(&tool.name, &tool.args, &settings.state)?;
    let media = Tool::named(&tool.name).map_or(hast_flow::tools::Media::Json, Tool::media);
    let (transport, pace) = match &request {
        Request::SecCompany(_)
        | Request::SecSubmissions { .. }
        | Request::SecFiling { .. }
        | Request::SecFacts { .. } => (&settings.endpoints, &settings.sec_pace),
        Request::YfPrices { .. } | Request::YfQuote { .. } | Request::YfFinancials { .. } => {
            (&settings.endpoints, &settings.yahoo_pace)
        }
        Request::WebSearch { .. } => (&settings.endpoints, &settings.web_pace),
        Request::WebFetch { .. } | Request::Chart(_) => (&settings.pages, &settings.web_pace),
    };
    let mut fetcher = Fetcher {
        transport: transport.as_ref(),
        time: settings.time.as_ref(),
        pace,
        cache,
        raw: Vec::new(),
        fresh: Vec::new(),
    };
    let bytes = answer(request, settings, &mut fetcher);
    fetcher.keep(&bytes);
    // A list that was looked at twice is one source.
    let mut sources = fetcher.raw;
    let mut seen = std::collections::BTreeSet::new();
    sources.retain(|raw| seen.insert(raw.url.clone()));
    Ok(Answer { media, bytes: bytes?, sources })
}

fn answer(
    request: Request,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    match request {
        Request::SecCompany(name) => sec::company(&name, settings, fetcher),
        Request::SecSubmissions { ticker, forms, years, limit } => {
            sec::submissions(&ticker, &forms, years, limit, settings, fetcher)
        }
        Request::SecFiling { ticker, form, year, quarter, section } => {
            let wanted = sec::filings::Wanted { form, year, quarter };
            sec::filing(&ticker, wanted, section, settings, fetcher)
        }
        Request::SecFacts { ticker, taxonomy, concept, unit, period, years } => {
            let asked = sec::facts::Asked { taxonomy, concept, unit, period, years };
            sec::facts(&ticker, &asked, settings, fetcher)
        }
        Request::YfPrices { ticker, span, interval } => {
            yahoo::prices(&ticker, span, interval, settings, fetcher)
        }
        Request::YfQuote { ticker } => yahoo::quote(&ticker, settings, fetcher),
        Request::YfFinancials { ticker, statement, period } => {
            yahoo::financials(&ticker, statement, period, settings, fetcher)
        }
        Request::WebSearch { query, limit } => web::search(&query, limit, settings, fetcher),
        Request::WebFetch { url, max_chars } => web::fetch(&url, max_chars, settings, fetcher),
        Request::Chart(args) => Ok(chart::html(&args)?.into_bytes()),
    }
}

/// An address below a base, from parts that are encoded and cannot lead elsewhere.
pub(crate) fn below(base: &url::Url, parts: &[&str]) -> url::Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(parts);
    }
    url
}
