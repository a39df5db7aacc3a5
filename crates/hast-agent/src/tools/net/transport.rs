//! One request over the network. Redirects are not followed and nothing is tried again here.

use std::fmt::Debug;
use std::io::{self, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ureq::config::Config;
use ureq::http::{Request, Response, Uri};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body, Proxy};

use crate::tools::net::address::{Named, is_public};
use crate::tools::net::time::Time;
use crate::tools::net::{Ask, Got, Trouble};

/// Whoever performs one request, for as long as `time` says that it is wanted.
pub trait Transport: Debug + Send + Sync {
    fn send(&self, ask: &Ask, time: &dyn Time) -> Result<Got, Trouble>;
}

/// The network, but only its public part and the hosts that were named.
#[derive(Debug)]
pub struct Network {
    /// Replaced when its connections were closed, which is for good.
    agent: Mutex<Agent>,
    named: Named,
    proxy: Option<Proxy>,
    patience: Patience,
}

/// How long a request may hide that it is not wanted any more.
const SLICE: Duration = Duration::from_millis(50);

/// How long one request may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub connect: Duration,
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), whole: Duration::from_secs(60) }
    }
}

/// Whether requests go through the proxy that the environment names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Direct,
    ProxyOfEnvironment,
}

impl Network {
    pub fn new(named: Named, patience: Patience, way: Way) -> Self {
        let proxy = match way {
            Way::Direct => None,
            Way::ProxyOfEnvironment => Proxy::try_from_env(),
        };
        let agent = Mutex::new(agent(&named, patience, proxy.clone()));
        Self { agent, named, proxy, patience }
    }

    fn agent(&self) -> MutexGuard<'_, Agent> {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes what is open, whoever waits for it; the next request begins anew.
    fn hang_up(&self) {
        let fresh = agent(&self.named, self.patience, self.proxy.clone());
        std::mem::replace(&mut *self.agent(), fresh).shutdown();
    }
}

fn agent(named: &Named, patience: Patience, proxy: Option<Proxy>) -> Agent {
    let gate = proxy.as_ref().map(|proxy| format!("{}:{}", proxy.host(), proxy.port()));
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(patience.connect))
        .timeout_global(Some(patience.whole))
        .user_agent(concat!("hast/", env!("CARGO_PKG_VERSION")))
        .proxy(proxy)
        .build();
    // A proxy is a host that the person named, and it may be near.
    let checked = CheckedResolver { named: named.clone(), proxy: Named::new(gate) };
    Agent::with_parts(config, DefaultConnector::default(), checked)
}

impl Transport for Network {
    fn send(&self, ask: &Ask, time: &dyn Time) -> Result<Got, Trouble> {
        if !self.named.allow(&ask.url) {
            let host = ask.url.host_str().unwrap_or_default().to_owned();
            return Err(Trouble::PrivateAddress { host });
        }
        let (agent, ask) = (self.agent().clone(), ask.clone());
        let (tell, told) = mpsc::channel();
        // A thread of its own: looking a name up and connecting cannot be cut short, only left alone.
        let began = std::thread::Builder::new().name("request".to_owned()).spawn(move || {
            let _ = tell.send(requested(&agent, &ask));
        });
        began.map_err(|error| Trouble::Unreachable { why: error.to_string() })?;
        loop {
            match told.recv_timeout(SLICE) {
                Ok(came) => return came,
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Cut),
                Err(RecvTimeoutError::Timeout) if time.check().is_err() => {
                    self.hang_up();
                    return Err(Trouble::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn requested(agent: &Agent, ask: &Ask) -> Result<Got, Trouble> {
    let url = ask.full_url();
    let mut request = match &ask.body {
        None => Request::get(url.as_str()),
        Some(_) => Request::post(url.as_str()).header("content-type", "application/json"),
    };
    for (name, value) in &ask.headers {
        request = request.header(*name, value);
    }
    let sent = match &ask.body {
        None => request.body(()).map(|request| agent.run(request)),
        Some(body) => request.body(body.as_str()).map(|request| agent.run(request)),
    };
    match sent {
        Ok(Ok(response)) => receive(response, ask.limit),
        Ok(Err(error)) => Err(trouble(error)),
        Err(error) => Err(Trouble::Unreachable { why: error.to_string() }),
    }
}

fn receive(response: Response<Body>, limit: u64) -> Result<Got, Trouble> {
    let header = |name: &str| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let cookies = response.headers().get_all("set-cookie").iter();
    let mut got = Got {
        status: response.status().as_u16(),
        media: header("content-type").unwrap_or_default(),
        location: header("location"),
        retry_after: header("retry-after"),
        cookies: cookies.filter_map(|value| value.to_str().ok()).map(str::to_owned).collect(),
        body: Vec::new(),
    };
    // The limit is on what is unpacked, so that a small answer cannot become a large one.
    let body = response.into_body().into_with_config().limit(u64::MAX).reader();
    body.take(limit.saturating_add(1)).read_to_end(&mut got.body).map_err(cut)?;
    if u64::try_from(got.body.len()).unwrap_or(u64::MAX) > limit {
        return Err(Trouble::TooLarge);
    }
    Ok(got)
}

fn cut(error: io::Error) -> Trouble {
    match ureq::Error::from(error) {
        ureq::Error::Timeout(_) => Trouble::TimedOut,
        _ => Trouble::Cut,
    }
}

fn trouble(error: ureq::Error) -> Trouble {
    let other = match error {
        ureq::Error::Timeout(_) => return Trouble::TimedOut,
        ureq::Error::Other(other) => other,
        ureq::Error::HostNotFound => {
            return Trouble::Unreachable { why: "there is no such host".to_owned() };
        }
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Trouble::Cut;
        }
        error => return Trouble::Unreachable { why: error.to_string() },
    };
    match other.downcast::<PrivateHost>() {
        Ok(private) => Trouble::PrivateAddress { host: private.host },
        Err(other) => Trouble::Unreachable { why: other.to_string() },
    }
}

/// A name that leads into a private network.
#[derive(Debug, thiserror::Error)]
#[error("{host} is not public")]
struct PrivateHost {
    host: String,
}

/// Resolves names and keeps only addresses that may be reached. The connection is made to one of
/// these and to nothing else, so a name cannot change its mind in between.
#[derive(Debug)]
struct CheckedResolver {
    named: Named,
    proxy: Named,
}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        let host = uri.host().unwrap_or_default();
        let port = found.iter().next().map_or(0, std::net::SocketAddr::port);
        if self.named.include(host, port) || self.proxy.include(host, port) {
            return Ok(found);
        }
        let mut open = self.empty();
        for address in found.iter().filter(|address| is_public(address.ip())) {
            open.push(*address);
        }
        if open.is_empty() {
            return Err(ureq::Error::Other(Box::new(PrivateHost { host: host.to_owned() })));
        }
        Ok(open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for an address without the look at its text, as a name with a private address would.
    fn ask(named: Named, url: &str) -> Result<u16, Trouble> {
        let checked = CheckedResolver { named, proxy: Named::default() };
        let config = Agent::config_builder().proxy(None).http_status_as_error(false).build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), checked);
        agent.get(url).call().map(|response| response.status().as_u16()).map_err(trouble)
    }

    #[test]
    fn a_name_whose_addresses_are_private_is_refused_when_it_is_resolved() {
        // Every machine resolves this name to itself.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("http://localhost:{port}/");
        let private = Err(Trouble::PrivateAddress { host: "localhost".to_owned() });
        assert_eq!(ask(Named::default(), &url), private);
        assert_eq!(ask(Named::new(["localhost:1".to_owned()]), &url), private);
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            io::Write::write_all(&mut stream, b"HTTP/1.1 204 X\r\n\r\n").unwrap();
        });
        assert_eq!(ask(Named::new([format!("localhost:{port}")]), &url), Ok(204));
        server.join().unwrap();
    }
}
