//! Yahoo's finance endpoints. They are not documented by Yahoo, so nothing in them is relied on
//! more than it has to be.

pub mod crumb;
pub mod history;
pub mod summary;
pub mod timeseries;

use std::sync::PoisonError;

use hast_flow::tools::ToolFailure;
use hast_flow::tools::args::{Interval, Period, Statement};
use hast_flow::tools::request::Span;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use url::Url;

use crate::tools::answer::document;
use crate::tools::below;
use crate::tools::net::fetcher::{judged, parse_json};
use crate::tools::net::{Ask, Fetcher};
use crate::tools::settings::Settings;

use crumb::Crumb;

const MAX_JSON: u64 = 32 << 20;
/// 1985 and 2100: everything that there is.
const FIRST_SECOND: &str = "473385600";
const LAST_SECOND: &str = "4102444800";
const MAX_CRUMB: u64 = 64 << 10;

/// Yahoo turns away programs that say what they are, with a page of status 429.
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36";

pub(crate) fn prices(
    ticker: &str,
    span: Span,
    interval: Interval,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let mut url = below(&settings.yahoo, &["v8", "finance", "chart", ticker]);
    {
        let mut query = url.query_pairs_mut();
        match span {
            Span::Days { start, end } => {
                let next_day = end.date().tomorrow().unwrap_or(end.date());
                query.append_pair("period1", &seconds(start.date()).to_string());
                query.append_pair("period2", &seconds(next_day).to_string());
            }
            Span::Range(range) => {
                query.append_pair("range", range.name());
            }
        }
        query.append_pair("interval", interval.name()).append_pair("events", "div,splits");
    }
    let ask = Ask::get(url, MAX_JSON).header("user-agent", BROWSER);
    let answer: history::Answer = known(ticker, fetcher.json(&ask))?;
    let history = history::read(answer, ticker, span, interval, ask.url.as_str())?;
    document(&history)
}

pub(crate) fn quote(
    ticker: &str,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let (answer, url) = summarised(ticker, &summary::QUOTE, settings, fetcher)?;
    document(&summary::quote(&answer, ticker, &url)?)
}

pub(crate) fn financials(
    ticker: &str,
    statement: Statement,
    period: Period,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let place = ["ws", "fundamentals-timeseries", "v1", "finance", "timeseries", ticker];
    let mut url = below(&settings.yahoo, &place);
    url.query_pairs_mut()
        .append_pair("symbol", ticker)
        .append_pair("type", &timeseries::types(statement, period))
        .append_pair("merge", "false")
        .append_pair("period1", FIRST_SECOND)
        .append_pair("period2", LAST_SECOND);
    let ask = Ask::get(url, MAX_JSON).header("user-agent", BROWSER);
    let answer: timeseries::Answer = known(ticker, fetcher.json(&ask))?;
    let found = timeseries::statements(&answer, ticker, statement, period, ask.url.as_str())?;
    document(&found)
}

/// Yahoo says 404 for a ticker that it does not know.
fn known<T>(ticker: &str, answer: Result<T, ToolFailure>) -> Result<T, ToolFailure> {
    answer.map_err(|failure| match failure {
        ToolFailure::NotFound { .. } => ToolFailure::UnknownTicker { ticker: ticker.to_owned() },
        other => other,
    })
}

/// `quoteSummary`, which wants a cookie and a crumb. An old crumb is replaced once.
fn summarised(
    ticker: &str,
    modules: &[&str],
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<(summary::Answer, String), ToolFailure> {
    let mut url = below(&settings.yahoo, &["v10", "finance", "quoteSummary", ticker]);
    url.query_pairs_mut().append_pair("modules", &modules.join(","));
    let shown = url.to_string();
    let crumb = crumb(settings, fetcher, None)?;
    let first = fetcher.endpoint(&with_crumb(url.clone(), &crumb));
    let page = match first {
        Err(ToolFailure::Refused { status: 401, .. }) => {
            let fresh = self::crumb(settings, fetcher, Some(&crumb))?;
            fetcher.endpoint(&with_crumb(url, &fresh))
        }
        other => other,
    };
    let page = known(ticker, page)?;
    Ok((parse_json(&page.url, &page.media, &page.body)?, shown))
}

fn with_crumb(url: Url, crumb: &Crumb) -> Ask {
    let mut ask = Ask::get(url, MAX_JSON).header("user-agent", BROWSER);
    ask.hidden.push(("crumb", crumb.value.reveal().to_owned()));
    ask.header("cookie", crumb.cookie.reveal())
}

/// The crumb that all threads share, made if there is none but the one that was refused.
fn crumb(
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
    refused: Option<&Crumb>,
) -> Result<Crumb, ToolFailure> {
    let mut shared = settings.crumb.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(crumb) = shared.as_ref().filter(|crumb| Some(*crumb) != refused) {
        return Ok(crumb.clone());
    }
    let ask = Ask::get(settings.yahoo_cookie.clone(), MAX_CRUMB).header("user-agent", BROWSER);
    // This page is often a 404; its cookies count.
    let cookie = crumb::cookie(&fetcher.persist(&ask)?.cookies)
        .ok_or_else(|| ToolFailure::NoCrumb { why: "no cookie was set".to_owned() })?;
    let url = below(&settings.yahoo, &["v1", "test", "getcrumb"]);
    let ask = Ask::get(url, MAX_CRUMB).header("user-agent", BROWSER);
    let got = fetcher.persist(&ask.clone().header("cookie", cookie.reveal()))?;
    let got = judged(got, ask.url.as_str())?;
    let value = crumb::value(&got.media, &got.body)
        .ok_or_else(|| ToolFailure::NoCrumb { why: "the answer is not a crumb".to_owned() })?;
    let crumb = Crumb { cookie, value };
    *shared = Some(crumb.clone());
    Ok(crumb)
}

fn seconds(date: Date) -> i64 {
    date.to_zoned(TimeZone::UTC).map_or(0, |zoned| zoned.timestamp().as_second())
}
