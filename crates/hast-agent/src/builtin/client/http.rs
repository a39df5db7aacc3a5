//! A POST whose answer is read as it comes. Silence and cancelling end it; the answer goes through a
//! thread, because a read cannot be cut short.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::http::Request;
use ureq::{Agent, Body, Proxy};
use url::Url;

use super::failure::Failure;
use super::sse::{Event, Events};
use crate::tools::net::time::Time;

const CONNECT: Duration = Duration::from_secs(10);
const SLICE: Duration = Duration::from_millis(50);
const MAX_ERROR_BYTES: u64 = 64 << 10;
const MAX_ANSWER_BYTES: u64 = 256 << 20;
const PIECE: usize = 16 << 10;

/// A request, with its key in a header and never in the address.
#[derive(Debug)]
pub struct Post {
    pub url: Url,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<Value>,
}

/// Something that came of it.
enum Came {
    /// Status, media type, `retry-after`.
    Head(u16, String, Option<String>),
    Bytes(Vec<u8>),
    End,
    Broken(String),
}

fn agent(url: &Url) -> Agent {
    // No proxy knows the way to this machine.
    let here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let proxy = if here { None } else { Proxy::try_from_env() };
    let config = Agent::config_builder()
        .http_status_as_error(false)
        // A key is not carried on to where an answer points.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(CONNECT))
        .user_agent(concat!("hast/", env!("CARGO_PKG_VERSION")))
        .proxy(proxy)
        .build();
    config.new_agent()
}

/// Sends a request and hands on each event of the answer, until the reader has enough.
pub fn stream(
    post: Post,
    silence: Duration,
    time: &Arc<dyn Time>,
    mut take: impl FnMut(Event) -> Result<Flow, Failure>,
) -> Result<(), Failure> {
    let (answer, media) = begun(post, silence, time)?;
    if !media.contains("text/event-stream") {
        return Err(no_stream(&answer, &media, silence, time));
    }
    let mut events = Events::default();
    let too_long = |_| Failure::broken("the answer is no stream of events");
    loop {
        match next(&answer, silence, time)? {
            Came::Bytes(bytes) => {
                for event in events.push(&bytes).map_err(too_long)? {
                    if take(event)? == Flow::Enough {
                        return Ok(());
                    }
                }
            }
            Came::End => break,
            Came::Broken(why) => return Err(Failure::broken(why)),
            Came::Head(..) => {}
        }
    }
    if let Some(last) = events.finish() {
        take(last)?;
    }
    Ok(())
}

/// Whether the reader of a stream has all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    More,
    Enough,
}

/// The answer to a request that is no stream, as JSON.
pub fn whole(post: Post, silence: Duration, time: &Arc<dyn Time>) -> Result<Value, Failure> {
    let (answer, media) = begun(post, silence, time)?;
    let bytes = rest(&answer, 4 << 20, silence, time)?;
    serde_json::from_slice(&bytes)
        .map_err(|_| Failure::broken(format!("the answer is {media}, not JSON")))
}

/// The answer once its head is here and good.
fn begun(
    post: Post,
    silence: Duration,
    time: &Arc<dyn Time>,
) -> Result<(Receiver<Came>, String), Failure> {
    let (tell, answer) = sync_channel(16);
    let thread = std::thread::Builder::new().name("model".to_owned());
    let started = thread.spawn(move || send(&post, &tell));
    started.map_err(|error| Failure::broken(error.to_string()))?;
    match next(&answer, silence, time)? {
        Came::Head(200..300, media, _) => Ok((answer, media.to_ascii_lowercase())),
        Came::Head(status, _, after) => {
            let body = rest(&answer, MAX_ERROR_BYTES, silence, time).unwrap_or_default();
            let body = String::from_utf8_lossy(&body);
            Err(Failure::of_status(status, &body, after.as_deref(), time.now()))
        }
        Came::Broken(why) => Err(Failure::broken(why)),
        Came::Bytes(_) | Came::End => Err(Failure::broken("an empty answer")),
    }
}

/// An answer with status 200 that is no stream: an error as JSON, or a page of something between.
fn no_stream(
    answer: &Receiver<Came>,
    media: &str,
    silence: Duration,
    time: &Arc<dyn Time>,
) -> Failure {
    let body = match rest(answer, MAX_ERROR_BYTES, silence, time) {
        Ok(body) => body,
        Err(failure) => return failure,
    };
    match serde_json::from_slice::<Value>(&body) {
        Ok(error) if error.get("error").is_some() => Failure::of_error(&error),
        _ => {
            let page: String = String::from_utf8_lossy(&body).chars().take(120).collect();
            Failure::broken(format!("the answer is `{media}` and no stream of events: {page}"))
        }
    }
}

/// What is left of an answer, up to a limit.
fn rest(
    answer: &Receiver<Came>,
    limit: u64,
    silence: Duration,
    time: &Arc<dyn Time>,
) -> Result<Vec<u8>, Failure> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut body = Vec::new();
    loop {
        match next(answer, silence, time)? {
            Came::Bytes(bytes) if body.len() < limit => body.extend(bytes),
            Came::Broken(why) if body.is_empty() => return Err(Failure::broken(why)),
            Came::Head(..) => {}
            Came::Bytes(_) | Came::End | Came::Broken(_) => {
                body.truncate(limit);
                return Ok(body);
            }
        }
    }
}

fn next(answer: &Receiver<Came>, silence: Duration, time: &Arc<dyn Time>) -> Result<Came, Failure> {
    let began = Instant::now();
    loop {
        match answer.recv_timeout(SLICE.min(silence)) {
            Ok(came) => return Ok(came),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::broken("the answer was cut"));
            }
            Err(RecvTimeoutError::Timeout) if time.check().is_err() => {
                return Err(Failure::cancelled());
            }
            Err(RecvTimeoutError::Timeout) if began.elapsed() >= silence => {
                let seconds = silence.as_secs();
                return Err(Failure::broken(format!(
                    "the service was silent for {seconds} seconds"
                )));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Runs in a thread of its own; it ends when nobody listens any more.
fn send(post: &Post, tell: &SyncSender<Came>) {
    let came = match requested(post) {
        Ok(response) => response,
        Err(error) => {
            let _ = tell.send(Came::Broken(told(&error)));
            return;
        }
    };
    let header = |name: &str| {
        came.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    // Milliseconds are finer, and some services send only them.
    let millis = header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    let after =
        header("retry-after").or_else(|| millis.map(|ms| format!("{:.0}", (ms / 1000.0).ceil())));
    let media = header("content-type").unwrap_or_default();
    if tell.send(Came::Head(came.status().as_u16(), media, after)).is_err() {
        return;
    }
    let reader = came.into_body().into_with_config().limit(u64::MAX).reader();
    let mut reader = reader.take(MAX_ANSWER_BYTES);
    let mut piece = vec![0; PIECE];
    loop {
        let came = match reader.read(&mut piece) {
            Ok(0) => Came::End,
            Ok(length) => Came::Bytes(piece[..length].to_vec()),
            Err(error) => Came::Broken(format!("the answer was cut: {error}")),
        };
        let last = !matches!(came, Came::Bytes(_));
        if tell.send(came).is_err() || last {
            return;
        }
    }
}

fn requested(post: &Post) -> Result<ureq::http::Response<Body>, ureq::Error> {
    let agent = agent(&post.url);
    let mut request = match &post.body {
        Some(_) => Request::post(post.url.as_str()).header("content-type", "application/json"),
        None => Request::get(post.url.as_str()),
    };
    for (name, value) in &post.headers {
        request = request.header(*name, value);
    }
    match &post.body {
        Some(body) => agent.run(request.body(body.to_string())?),
        None => agent.run(request.body(())?),
    }
}

fn told(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "there is no such host".to_owned(),
        ureq::Error::Timeout(_) => "nothing answers within ten seconds".to_owned(),
        error => error.to_string(),
    }
}
