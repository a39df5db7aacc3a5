//! The way to a server and back: what is asked, what came, and how politely.
//!
//! Knows no data source. Everything that decides (waiting, addresses, robots, encodings) is pure;
//! [`transport`] alone opens connections.

pub mod address;
pub mod charset;
pub mod fetcher;
pub mod pace;
pub mod robots;
pub mod time;
pub mod transport;
pub mod waiting;

pub use fetcher::{Fetcher, Page};

use url::Url;

/// One request.
#[derive(Clone, Debug)]
pub struct Ask {
    pub url: Url,
    /// Pairs of the query that are sent and never written down.
    pub hidden: Vec<(&'static str, String)>,
    pub headers: Vec<(&'static str, String)>,
    /// Sent as JSON with POST; without one, the request is a GET.
    pub body: Option<String>,
    /// At most so many bytes of the answer, unpacked.
    pub limit: u64,
}

impl Ask {
    pub fn get(url: Url, limit: u64) -> Self {
        Self { url, hidden: Vec::new(), headers: Vec::new(), body: None, limit }
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The address as it is sent.
    pub fn full_url(&self) -> Url {
        let mut url = self.url.clone();
        if !self.hidden.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.hidden);
        }
        url
    }
}

/// What a server sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Got {
    pub status: u16,
    pub media: String,
    pub location: Option<String>,
    pub retry_after: Option<String>,
    pub cookies: Vec<String>,
    pub body: Vec<u8>,
}

/// Why nothing was sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    PrivateAddress {
        host: String,
    },
    TimedOut,
    Cut,
    TooLarge,
    Unreachable {
        why: String,
    },
    NotRecorded,
    /// Nobody wants the answer any more; the connection is closed.
    Cancelled,
}
