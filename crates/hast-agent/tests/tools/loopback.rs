//! A small HTTP server on loopback that behaves as badly as it is told to, and a clock by hand.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hast_agent::tools::net::address::Named;
use hast_agent::tools::net::time::{Cancelled, Time};
use hast_agent::tools::net::transport::{Network, Patience, Way};
use hast_agent::tools::recorded::SAMPLE;
use hast_agent::tools::{Answer, Cache, Settings, perform};
use hast_flow::docs::session::RoutingState;
use hast_flow::steps::ToolUse;
use hast_flow::tools::ToolFailure;
use jiff::Timestamp;
use serde_json::Value;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) manner: Manner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Whole,
    Gzip,
    /// Says its length and hangs up in the middle.
    Cut,
    /// Packs, and hangs up in the middle of what is packed.
    CutGzip,
    /// Sends a byte and then nothing.
    Stuck,
    /// Sends nothing at all.
    Silent,
    Chunked,
}

impl Reply {
    pub(crate) fn new(status: u16, media: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type", media.to_owned())];
        Self { status, headers, body: body.into(), manner: Manner::Whole }
    }

    pub(crate) fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "application/json", body)
    }

    pub(crate) fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::new(302, "text/plain", "").header("location", to)
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: String,
    pub(crate) body: String,
}

#[derive(Debug, Default)]
struct Plan {
    /// By path; the last reply of a path stays.
    replies: BTreeMap<String, VecDeque<Reply>>,
    seen: Vec<Seen>,
    /// How many gave up waiting.
    left: usize,
}

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    plan: Arc<Mutex<Plan>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let plan: Arc<Mutex<Plan>> = Arc::default();
        let shared = Arc::clone(&plan);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let plan = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &plan));
            }
        });
        Self { port, plan }
    }

    /// All sample answers below their paths, as their real hosts have them.
    pub(crate) fn with_sample() -> Self {
        let server = Self::start();
        for (url, media, body) in SAMPLE {
            let (_, path) = url.split_at(url.find("//").unwrap() + 2);
            let (host, path) = path.split_at(path.find('/').unwrap());
            let cookie = "A3=d=sample; Path=/; Secure";
            let reply = Reply::new(200, media, *body).header("set-cookie", cookie);
            let page = host.starts_with("news") || host.starts_with("industry");
            server.on(&if page { format!("/{host}{path}") } else { path.to_owned() }, reply);
        }
        server
    }

    pub(crate) fn on(&self, path: &str, reply: Reply) -> &Self {
        self.plan.lock().unwrap().replies.insert(path.to_owned(), VecDeque::from([reply]));
        self
    }

    pub(crate) fn on_each(&self, path: &str, replies: &[Reply]) -> &Self {
        self.plan.lock().unwrap().replies.insert(path.to_owned(), replies.to_vec().into());
        self
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.plan.lock().unwrap().seen.clone()
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        self.seen().iter().filter(|seen| seen.target.split('?').next() == Some(path)).count()
    }

    /// How many connections the other side closed while nothing was said.
    pub(crate) fn left(&self) -> usize {
        self.plan.lock().unwrap().left
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn serve(stream: TcpStream, plan: &Mutex<Plan>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let target = line.split(' ').nth(1)?.to_owned();
    let (mut headers, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        headers.push_str(&line.to_ascii_lowercase());
    }
    let mut body = vec![0; length];
    std::io::Read::read_exact(&mut reader, &mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let reply = {
        let mut plan = plan.lock().unwrap();
        plan.seen.push(Seen { target, headers, body });
        let replies = plan.replies.get_mut(&path);
        replies.and_then(|replies| {
            if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() }
        })
    };
    if reply.as_ref().is_some_and(|reply| reply.manner == Manner::Silent) {
        let _ = std::io::Read::read(&mut reader, &mut [0; 1]);
        plan.lock().unwrap().left += 1;
        return None;
    }
    answer(stream, reply.unwrap_or_else(|| Reply::new(404, "text/plain", "nothing here")))
}

fn answer(mut stream: TcpStream, reply: Reply) -> Option<()> {
    let packed = matches!(reply.manner, Manner::Gzip | Manner::CutGzip);
    let mut body = if packed { gzip(&reply.body) } else { reply.body };
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    match reply.manner {
        Manner::Chunked => head += "transfer-encoding: chunked\r\n",
        Manner::CutGzip => {
            body.truncate(body.len() / 2);
            head += "content-encoding: gzip\r\n";
        }
        Manner::Gzip => {
            head += &format!("content-encoding: gzip\r\ncontent-length: {}\r\n", body.len())
        }
        Manner::Whole | Manner::Stuck | Manner::Silent => {
            head += &format!("content-length: {}\r\n", body.len())
        }
        Manner::Cut => {
            head += &format!("content-length: {}\r\n", body.len());
            body.truncate(body.len() / 2);
        }
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    match reply.manner {
        Manner::Stuck => {
            stream.write_all(&body[..1]).ok()?;
            // Until the other side gives up.
            let _ = std::io::Read::read(&mut stream, &mut [0; 1]);
        }
        Manner::Chunked => {
            for chunk in body.chunks(1000) {
                stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).ok()?;
                stream.write_all(chunk).ok()?;
                stream.write_all(b"\r\n").ok()?;
            }
            stream.write_all(b"0\r\n\r\n").ok()?;
        }
        _ => stream.write_all(&body).ok()?,
    }
    stream.flush().ok()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Time that passes when somebody sleeps.
#[derive(Debug, Default)]
pub(crate) struct ByHand {
    millis: AtomicU64,
    pub(crate) cancelled: AtomicBool,
    pub(crate) slept: Mutex<Vec<Duration>>,
}

impl Time for ByHand {
    fn now(&self) -> Timestamp {
        let start: Timestamp = "2025-03-03T09:00:00Z".parse().unwrap();
        start + self.elapsed()
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.millis.load(Ordering::SeqCst))
    }

    fn sleep(&self, duration: Duration) -> Result<(), Cancelled> {
        if self.cancelled.load(Ordering::SeqCst) {
            return Err(Cancelled);
        }
        if !duration.is_zero() {
            self.slept.lock().unwrap().push(duration);
            self.millis.fetch_add(u64::try_from(duration.as_millis()).unwrap(), Ordering::SeqCst);
        }
        Ok(())
    }
}

/// Tools against a server, with everything else as users have it.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) time: Arc<ByHand>,
    pub(crate) settings: Settings,
    pub(crate) directory: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with(Server::with_sample(), &[])
    }

    pub(crate) fn with(server: Server, more: &[(&str, &str)]) -> Self {
        let time = Arc::new(ByHand::default());
        let base = server.url("");
        let variable = |name: &str| {
            let given = more.iter().find(|(known, _)| *known == name);
            given.map(|(_, value)| (*value).to_owned()).or_else(|| match name {
                "HAST_SEC_URL"
                | "HAST_SEC_DATA_URL"
                | "HAST_YAHOO_URL"
                | "HAST_YAHOO_COOKIE_URL"
                | "HAST_SEARXNG_URL"
                | "HAST_WEB_GATEWAY" => Some(base.clone()),
                _ => None,
            })
        };
        let agent = Some("Test test@example.com".to_owned());
        let clock: Arc<dyn Time> = Arc::<ByHand>::clone(&time);
        let settings =
            Settings::from_variables(variable, agent, clock).unwrap().with_state(state());
        Self { server, time, settings, directory: tempfile::tempdir().unwrap() }
    }

    /// Pages directly, without a gateway, with this patience and the server's own address open.
    pub(crate) fn direct(mut self, open: bool, whole: Duration) -> Self {
        let host = format!("127.0.0.1:{}", self.server.port);
        let patience = Patience { connect: Duration::from_secs(5), whole };
        let named = Named::new(open.then(|| host.clone()));
        self.settings.pages = Arc::new(Network::new(named, patience, Way::Direct));
        self.settings.endpoints = Arc::new(Network::new(Named::new([host]), patience, Way::Direct));
        self.settings.web_gateway = None;
        self
    }

    pub(crate) fn ask(&self, name: &str, args: &Value) -> Result<Answer, ToolFailure> {
        let args = args.as_object().unwrap().clone();
        let tool = ToolUse { name: name.to_owned(), args, state: RoutingState::default() };
        perform(&tool, &self.settings, &mut Cache::at(self.directory.path()))
    }

    pub(crate) fn json(&self, name: &str, args: &Value) -> Value {
        serde_json::from_slice(&self.ask(name, args).unwrap().bytes).unwrap()
    }

    pub(crate) fn text(&self, name: &str, args: &Value) -> String {
        String::from_utf8(self.ask(name, args).unwrap().bytes).unwrap()
    }

    pub(crate) fn failure(&self, name: &str, args: &Value) -> ToolFailure {
        self.ask(name, args).unwrap_err()
    }
}

pub(crate) fn state() -> RoutingState {
    RoutingState {
        ticker: Some("MRBT".to_owned()),
        company: Some("Moraebit Devices".to_owned()),
        year: Some(2024),
        min_year: Some(2019),
    }
}
