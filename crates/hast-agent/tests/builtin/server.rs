//! A server that sends exactly the bytes that it is told to, one reply a request.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hast_agent::tools::net::time::{Cancelled, Time};
use jiff::Timestamp;
use serde_json::Value;

/// What happens to one request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Status, media type, more headers, body; then the connection closes.
    Whole(u16, &'static str, &'static str, String),
    /// A stream whose end never comes: the length says more than is sent.
    Cut(String),
    /// A stream in these pieces of bytes.
    Pieces(Vec<Vec<u8>>),
    /// A head and then nothing, until the agent hangs up.
    Silent,
}

pub(crate) fn events(body: &str) -> Reply {
    Reply::Whole(200, "text/event-stream; charset=utf-8", "", body.to_owned())
}

/// What a server tells of itself: answers by path.
pub(crate) type Pages = Vec<(&'static str, Value)>;

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Receiver<Request>,
}

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: Value,
}

impl Server {
    pub(crate) fn playing(replies: Vec<Reply>) -> Self {
        Self::local(Vec::new(), replies)
    }

    /// A server that also tells of itself: answers by path, the last of a path stays.
    pub(crate) fn local(pages: Pages, replies: Vec<Reply>) -> Self {
        let mut pages = pages;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (tell, requests) = channel();
        std::thread::spawn(move || {
            let mut replies = replies.into_iter();
            for stream in listener.incoming().flatten() {
                serve(stream, &mut pages, &mut replies, &tell);
            }
        });
        Self { address, requests }
    }

    /// The requests to a model so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

fn serve(
    mut stream: TcpStream,
    pages: &mut Pages,
    replies: &mut dyn Iterator<Item = Reply>,
    tell: &Sender<Request>,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut headers) = (String::new(), String::new());
    reader.read_line(&mut line).unwrap();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        if header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        headers += &header;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    // A look at what kind of server this is.
    if line.contains("/api/") || line.contains("/props") {
        let path = line.split(' ').nth(1).unwrap();
        let found = pages.iter().position(|(known, _)| *known == path);
        let (status, page) = match found {
            Some(at) if pages.iter().filter(|(known, _)| *known == path).count() > 1 => {
                (200, pages.remove(at).1)
            }
            Some(at) => (200, pages[at].1.clone()),
            None => (404, Value::Null),
        };
        let page = page.to_string();
        let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n");
        let more = format!("content-length: {}\r\nconnection: close\r\n\r\n{page}", page.len());
        let _ = stream.write_all((head + &more).as_bytes());
        return;
    }
    let body = serde_json::from_slice(&body).unwrap();
    tell.send(Request { line, headers, body }).unwrap();
    let head = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    let sent = match replies.next().expect("a reply for each request") {
        Reply::Whole(status, media, more, body) => stream.write_all(
            format!("HTTP/1.1 {status} X\r\ncontent-type: {media}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).as_bytes(),
        ),
        Reply::Cut(body) => {
            stream.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len() + 99).as_bytes())
        }
        Reply::Pieces(pieces) => {
            stream.set_nodelay(true).unwrap();
            stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
            pieces.iter().try_for_each(|piece| stream.write_all(piece).and_then(|()| stream.flush()))
        }
        Reply::Silent => {
            stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            // Open for as long as the agent waits, and no other request waits for that.
            std::thread::spawn(move || reader.read(&mut [0]));
            Ok(())
        }
    };
    // An agent that hung up has seen enough.
    let _ = sent;
}

/// Time that nobody waits for: sleeps are written down.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoTime {
    pub(crate) slept: Arc<Mutex<Vec<Duration>>>,
}

impl Time for NoTime {
    fn now(&self) -> Timestamp {
        "2026-01-12T14:30:00Z".parse().unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, duration: Duration) -> Result<(), Cancelled> {
        if !duration.is_zero() {
            self.slept.lock().unwrap().push(duration);
        }
        Ok(())
    }
}
