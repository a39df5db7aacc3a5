//! Politely from an address to its content: cache, turns, tries, redirects; and a list of what came.

use hast_flow::time::UtcTime;
use hast_flow::tools::ToolFailure;
use serde::de::DeserializeOwned;
use url::Url;

use crate::tools::answer::Raw;
use crate::tools::cache::{Cache, Entry};
use crate::tools::net::pace::Pace;
use crate::tools::net::time::{Cancelled, Time};
use crate::tools::net::transport::Transport;
use crate::tools::net::waiting::{self, Next};
use crate::tools::net::{Ask, Got, Trouble};

const MAX_REDIRECTS: usize = 5;

/// An answer with status 200 and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it was asked for, without secrets.
    pub url: String,
    /// Where it was found in the end.
    pub found_at: Url,
    pub media: String,
    pub body: Vec<u8>,
}

/// Fetches for one use of a tool.
#[derive(Debug)]
pub struct Fetcher<'a> {
    pub transport: &'a dyn Transport,
    pub time: &'a dyn Time,
    pub pace: &'a Pace,
    pub cache: &'a mut Cache,
    pub raw: Vec<Raw>,
    /// What came from servers and is not kept yet.
    pub fresh: Vec<(Ask, Entry)>,
}

impl Fetcher<'_> {
    /// The content at an address, of today's cache or from its server. `may_follow` is asked
    /// before each redirect.
    pub fn page(
        &mut self,
        ask: &Ask,
        may_follow: &mut dyn FnMut(&mut Self, &Url) -> Result<(), ToolFailure>,
    ) -> Result<Page, ToolFailure> {
        let now = UtcTime::new(self.time.now());
        let same = |(known, _): &&(Ask, Entry)| known.url == ask.url && known.body == ask.body;
        let here = self.fresh.iter().find(same).map(|(_, entry)| entry.clone());
        if let Some(entry) = here.or_else(|| self.cache.find(ask, now)) {
            self.raw.push(entry.raw());
            return entry.page();
        }
        let (got, found_at) = self.follow(ask, may_follow)?;
        let url = ask.url.to_string();
        let got = judged(got, &url)?;
        let fetched_at = UtcTime::new(self.time.now());
        let entry = Entry {
            url,
            found_at: found_at.to_string(),
            media: got.media,
            fetched_at,
            body: got.body,
        };
        self.fresh.push((ask.clone(), entry.clone()));
        self.raw.push(entry.raw());
        entry.page()
    }

    /// Keeps what came. If the tool failed, the last answer may be why: it is asked for again.
    pub fn keep<T>(&mut self, came: &Result<T, ToolFailure>) {
        if came.is_err() {
            self.fresh.pop();
        }
        for (ask, entry) in self.fresh.drain(..) {
            self.cache.keep(&ask, &entry);
        }
    }

    /// As [`Self::page`], for endpoints that are trusted to redirect.
    pub fn endpoint(&mut self, ask: &Ask) -> Result<Page, ToolFailure> {
        self.page(ask, &mut |_, _| Ok(()))
    }

    /// A JSON document of a documented shape.
    pub fn json<T: DeserializeOwned>(&mut self, ask: &Ask) -> Result<T, ToolFailure> {
        let page = self.endpoint(ask)?;
        parse_json(&page.url, &page.media, &page.body)
    }

    fn follow(
        &mut self,
        ask: &Ask,
        may_follow: &mut dyn FnMut(&mut Self, &Url) -> Result<(), ToolFailure>,
    ) -> Result<(Got, Url), ToolFailure> {
        let mut ask = ask.clone();
        let first = ask.url.to_string();
        for _ in 0..=MAX_REDIRECTS {
            let got = self.persist(&ask)?;
            let target = match (got.status, &got.location) {
                (301 | 302 | 303 | 307 | 308, Some(location)) => location.clone(),
                _ => return Ok((got, ask.url)),
            };
            let next = ask.url.join(&target).map_err(|error| ToolFailure::BadUrl {
                url: target.clone(),
                why: error.to_string(),
            })?;
            let next = web_url(next)?;
            // Keys are for the host that they were meant for.
            if next.origin() != ask.url.origin() {
                ask.hidden.clear();
                ask.headers.retain(|(name, _)| *name != "x-goog-api-key" && *name != "cookie");
            }
            may_follow(self, &next)?;
            ask.url = next;
        }
        Err(ToolFailure::TooManyRedirects { url: first })
    }

    /// One address, asked until it answers or it is no use.
    pub fn persist(&mut self, ask: &Ask) -> Result<Got, ToolFailure> {
        let mut tried = 0;
        loop {
            self.pace.wait(self.time).map_err(cancelled)?;
            let came = self.transport.send(ask, self.time);
            tried += 1;
            match waiting::next(tried, &came, self.time.now()) {
                Next::Again { after } => self.time.sleep(after).map_err(cancelled)?,
                Next::Take => {
                    self.time.check().map_err(cancelled)?;
                    return came.map_err(|trouble| failure(trouble, ask));
                }
            }
        }
    }
}

/// Only http and https, and no passwords in addresses.
pub fn web_url(url: Url) -> Result<Url, ToolFailure> {
    let bad = |why: &str| ToolFailure::BadUrl { url: shown(&url), why: why.to_owned() };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad("only http and https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it has a user name or password"));
    }
    Ok(url)
}

/// An address without what may be a password.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.to_string()
}

fn cancelled(_: Cancelled) -> ToolFailure {
    ToolFailure::Cancelled
}

fn failure(trouble: Trouble, ask: &Ask) -> ToolFailure {
    let url = ask.url.to_string();
    match trouble {
        Trouble::PrivateAddress { host } => ToolFailure::PrivateAddress { host },
        Trouble::TimedOut => ToolFailure::TimedOut { url },
        Trouble::Cut => ToolFailure::CutBody { url },
        Trouble::TooLarge => ToolFailure::TooLarge { url, limit: ask.limit },
        Trouble::Unreachable { why } => ToolFailure::Unreachable { url, why },
        Trouble::NotRecorded => ToolFailure::NotRecorded { url },
        Trouble::Cancelled => ToolFailure::Cancelled,
    }
}

/// A status other than 200 is a failure with its own name.
pub fn judged(got: Got, url: &str) -> Result<Got, ToolFailure> {
    let url = url.to_owned();
    match got.status {
        200 | 203 if got.body.iter().all(u8::is_ascii_whitespace) => {
            Err(ToolFailure::Empty { url })
        }
        200 | 203 => Ok(got),
        404 | 410 => Err(ToolFailure::NotFound { url }),
        429 => {
            let seconds = got.retry_after.as_deref().and_then(|text| text.trim().parse().ok());
            Err(ToolFailure::Limited { url, seconds })
        }
        status @ 500.. => Err(ToolFailure::Unavailable { url, status }),
        status @ 400..500 => Err(ToolFailure::Refused { url, status }),
        _ => Err(ToolFailure::Empty { url }),
    }
}

/// JSON, or which of the usual ways of not being JSON it is.
pub fn parse_json<T: DeserializeOwned>(
    url: &str,
    media: &str,
    body: &[u8],
) -> Result<T, ToolFailure> {
    let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii();
    if text.is_empty() {
        return Err(ToolFailure::Empty { url: url.to_owned() });
    }
    serde_json::from_slice(text).map_err(|error| {
        let url = url.to_owned();
        match error.classify() {
            serde_json::error::Category::Data => {
                ToolFailure::WrongShape { url, what: error.to_string() }
            }
            _ if text.starts_with(b"<") || media.starts_with("text/html") => {
                ToolFailure::HtmlInsteadOfJson { url }
            }
            serde_json::error::Category::Eof => ToolFailure::CutBody { url },
            _ => ToolFailure::NotJson { url, why: error.to_string() },
        }
    })
}
