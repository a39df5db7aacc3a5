//! Searching the web and reading a page of it.

pub mod found;

use hast_flow::tools::ToolFailure;
use serde_json::json;
use url::Url;

use crate::tools::answer::document;
use crate::tools::below;
use crate::tools::markdown;
use crate::tools::net::charset::decode;
use crate::tools::net::fetcher::web_url;
use crate::tools::net::robots::Robots;
use crate::tools::net::{Ask, Fetcher};
use crate::tools::settings::{Search, Settings};

const MAX_SEARCH: u64 = 4 << 20;
const MAX_PAGE: u64 = 8 << 20;
const MAX_ROBOTS: u64 = 512 << 10;

/// What a page may be; everything else is for programs.
const READABLE: &[&str] = &[
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/markdown",
    "text/csv",
    "application/json",
    "application/xml",
    "text/xml",
];

const AGENT: &str = concat!("hast/", env!("CARGO_PKG_VERSION"), " (web_fetch; obeys robots.txt)");

pub(crate) fn search(
    query: &str,
    limit: usize,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let mut results = match &settings.search {
        Search::Nobody => return Err(ToolFailure::NoSearchProvider),
        Search::Searxng { base } => {
            let mut url = below(base, &["search"]);
            url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
            let shown = url.to_string();
            let ask = Ask::get(url, MAX_SEARCH).header("user-agent", AGENT);
            found::searxng(fetcher.json(&ask)?, query, &shown)?
        }
        Search::Gemini { base, model, key } => {
            let call = format!("{model}:generateContent");
            let url = below(base, &["v1beta", "models", &*call]);
            let shown = url.to_string();
            let mut ask = Ask::get(url, MAX_SEARCH).header("x-goog-api-key", key.reveal());
            let contents = json!([{"role": "user", "parts": [{"text": query}]}]);
            ask.body =
                Some(json!({"contents": contents, "tools": [{"google_search": {}}]}).to_string());
            found::gemini(fetcher.json(&ask)?, query, &shown)?
        }
    };
    results.results.truncate(limit);
    document(&results)
}

pub(crate) fn fetch(
    address: &str,
    max_chars: usize,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let bad = |error: url::ParseError| ToolFailure::BadUrl {
        url: address.to_owned(),
        why: error.to_string(),
    };
    let mut url = web_url(Url::parse(address).map_err(bad)?)?;
    url.set_fragment(None);
    let asked = through(&url, settings.web_gateway.as_ref());
    obey(fetcher, &asked)?;
    let ask =
        Ask::get(asked, MAX_PAGE).header("user-agent", AGENT).header("accept", READABLE.join(","));
    let page = fetcher.page(&ask, &mut |fetcher, next| obey(fetcher, next))?;
    let kind = page.media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if !READABLE.contains(&kind.as_str()) {
        let found = if kind.is_empty() { "of no known type".to_owned() } else { kind };
        return Err(ToolFailure::WrongMedia { url: address.to_owned(), found });
    }
    let text = decode(&page.body, &page.media);
    let base = if settings.web_gateway.is_some() { &url } else { &page.found_at };
    let text = if kind.contains("html") { markdown::readable(&text, base) } else { text };
    if text.trim().is_empty() {
        return Err(ToolFailure::Empty { url: address.to_owned() });
    }
    Ok(format!("<!-- {base} -->\n\n{}", cut(&text, max_chars)).into_bytes())
}

/// The address at the gateway that serves recorded pages, where there is one.
fn through(url: &Url, gateway: Option<&Url>) -> Url {
    let Some(gateway) = gateway else { return url.clone() };
    let mut at = below(gateway, &[url.host_str().unwrap_or_default()]);
    let path = format!("{}{}", at.path(), url.path());
    at.set_path(&path);
    at.set_query(url.query());
    at
}

/// Asks the site's robots.txt. A site without one allows everything; one that cannot answer is
/// not entered.
fn obey(fetcher: &mut Fetcher<'_>, url: &Url) -> Result<(), ToolFailure> {
    let mut robots = url.clone();
    robots.set_path("/robots.txt");
    robots.set_query(None);
    let kept = fetcher.raw.len();
    let ask = Ask::get(robots, MAX_ROBOTS).header("user-agent", AGENT);
    let came = fetcher.endpoint(&ask);
    // What is allowed is not a source of anything.
    fetcher.raw.truncate(kept);
    let rules = match came {
        Ok(page) => Robots::parse(&String::from_utf8_lossy(&page.body)),
        Err(
            ToolFailure::NotFound { .. }
            | ToolFailure::Refused { .. }
            | ToolFailure::Empty { .. }
            | ToolFailure::TooManyRedirects { .. },
        ) => Robots::default(),
        Err(other) => return Err(other),
    };
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    if rules.allow(path) {
        return Ok(());
    }
    Err(ToolFailure::ForbiddenByRobots { url: url.to_string() })
}

fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n\n[cut after {max_chars} characters]\n", &text[..at]),
    }
}
