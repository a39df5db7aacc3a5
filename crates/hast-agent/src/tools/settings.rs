//! Where the sources are and who asks: from the configuration and from variables.
//!
//! Addresses, keys and exceptions come from variables only: a repository must not be able to send
//! hast elsewhere or open a private network to it.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hast_flow::docs::session::RoutingState;
use hast_flow::tools::ToolFailure;
use url::Url;

use crate::tools::net::address::Named;
use crate::tools::net::pace::Pace;
use crate::tools::net::time::Time;
use crate::tools::net::transport::{Network, Patience, Transport, Way};
use crate::tools::yahoo::crumb::Crumb;

/// A text that is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Who searches the web.
#[derive(Clone, Debug)]
pub enum Search {
    Nobody,
    Gemini { base: Url, model: String, key: Secret },
    Searxng { base: Url },
}

/// Everything that tools need besides their arguments. Clones share turns and the crumb, so that
/// threads together stay polite.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `state.json` of the session.
    pub state: RoutingState,
    pub sec_user_agent: Option<String>,
    pub sec_www: Url,
    pub sec_data: Url,
    pub yahoo: Url,
    pub yahoo_cookie: Url,
    pub search: Search,
    /// Pages are asked for below this address, as `<gateway>/<host>/<path>`.
    pub web_gateway: Option<Url>,
    pub time: Arc<dyn Time>,
    /// To the endpoints above.
    pub endpoints: Arc<dyn Transport>,
    /// To pages of the web.
    pub pages: Arc<dyn Transport>,
    pub sec_pace: Arc<Pace>,
    pub yahoo_pace: Arc<Pace>,
    pub web_pace: Arc<Pace>,
    pub(crate) crumb: Arc<Mutex<Option<Crumb>>>,
}

/// The SEC allows ten requests a second; the window is a little longer, because requests that
/// leave evenly do not arrive evenly.
const SEC_REQUESTS: usize = 10;
const SEC_WINDOW: Duration = Duration::from_millis(1100);
const OTHER_REQUESTS: usize = 4;
const OTHER_WINDOW: Duration = Duration::from_secs(1);

const PROXIES: [&str; 6] =
    ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

impl Settings {
    /// Settings from variables; `user_agent` is `sec.user_agent` of the configuration.
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<String>,
        user_agent: Option<String>,
        time: Arc<dyn Time>,
    ) -> Result<Self, ToolFailure> {
        let filled = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let url = |name: &str, default: &str| base_url(name, filled(name), default);
        let gateway = match filled("HAST_WEB_GATEWAY") {
            Some(text) => Some(base_url("HAST_WEB_GATEWAY", Some(text), "")?),
            None => None,
        };
        let way = if PROXIES.iter().any(|name| filled(name).is_some()) {
            Way::ProxyOfEnvironment
        } else {
            Way::Direct
        };
        let network = |named| Arc::new(Network::new(named, Patience::default(), way));
        let private = filled("HAST_WEB_ALLOW_PRIVATE").unwrap_or_default();
        let private = private.split(',').map(|host| host.trim().to_owned());
        let mut settings = Self {
            state: RoutingState::default(),
            sec_user_agent: filled("HAST_SEC_USER_AGENT").or(user_agent),
            sec_www: url("HAST_SEC_URL", "https://www.sec.gov/")?,
            sec_data: url("HAST_SEC_DATA_URL", "https://data.sec.gov/")?,
            yahoo: url("HAST_YAHOO_URL", "https://query2.finance.yahoo.com/")?,
            yahoo_cookie: url("HAST_YAHOO_COOKIE_URL", "https://fc.yahoo.com/")?,
            search: search(&filled, &url)?,
            web_gateway: gateway,
            endpoints: network(Named::default()),
            pages: network(Named::default()),
            time,
            sec_pace: Arc::new(Pace::new(SEC_REQUESTS, SEC_WINDOW)),
            yahoo_pace: Arc::new(Pace::new(OTHER_REQUESTS, OTHER_WINDOW)),
            web_pace: Arc::new(Pace::new(OTHER_REQUESTS, OTHER_WINDOW)),
            crumb: Arc::default(),
        };
        let near = private.chain(settings.web_gateway.as_ref().and_then(Named::of_url));
        settings.pages = network(Named::new(near));
        let hosts = Named::new(settings.endpoint_hosts());
        settings.endpoints = network(hosts);
        Ok(settings)
    }

    #[must_use]
    pub fn with_state(self, state: RoutingState) -> Self {
        Self { state, ..self }
    }

    /// All requests, to endpoints and pages, through this.
    #[must_use]
    pub fn through(self, transport: Arc<dyn Transport>) -> Self {
        Self { endpoints: Arc::clone(&transport), pages: transport, ..self }
    }

    /// The hosts that a person configured, wherever they are.
    pub fn endpoint_hosts(&self) -> Vec<String> {
        let search = match &self.search {
            Search::Nobody => None,
            Search::Gemini { base, .. } | Search::Searxng { base } => Some(base),
        };
        let fixed = [&self.sec_www, &self.sec_data, &self.yahoo, &self.yahoo_cookie];
        fixed.into_iter().chain(search).filter_map(Named::of_url).collect()
    }
}

/// SearXNG where its address is given, else Gemini where there is a key.
fn search(
    variable: &dyn Fn(&str) -> Option<String>,
    url: &dyn Fn(&str, &str) -> Result<Url, ToolFailure>,
) -> Result<Search, ToolFailure> {
    if variable("HAST_SEARXNG_URL").is_some() {
        return Ok(Search::Searxng { base: url("HAST_SEARXNG_URL", "")? });
    }
    let Some(key) = variable("GEMINI_API_KEY").or_else(|| variable("GOOGLE_API_KEY")) else {
        return Ok(Search::Nobody);
    };
    let base = url("HAST_GEMINI_URL", "https://generativelanguage.googleapis.com/")?;
    let model = variable("HAST_GEMINI_MODEL").unwrap_or_else(|| "gemini-2.5-flash".to_owned());
    Ok(Search::Gemini { base, model, key: Secret::new(key.trim()) })
}

/// An address to which paths are added; its own path may have parts.
fn base_url(name: &str, given: Option<String>, default: &str) -> Result<Url, ToolFailure> {
    let mut text = given.unwrap_or_else(|| default.to_owned());
    if !text.ends_with('/') {
        text.push('/');
    }
    match Url::parse(&text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err(ToolFailure::BadSetting { name: name.to_owned(), value: text }),
    }
}
