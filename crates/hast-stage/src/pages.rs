//! Web pages on loopback, for sessions that fetch: every path has one, but for those that say `missing`
//! or `never`, or are `busy` the first time; each ask is counted.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that lives as long as the process.
#[derive(Clone, Debug)]
pub struct Pages {
    address: SocketAddr,
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Pages {
    pub fn serve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
        let counted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                // Whoever hangs up early was killed.
                std::thread::spawn(move || drop(answer(stream, &counted)));
            }
        });
        Self { address, asked }
    }

    /// What `HAST_WEB_GATEWAY` is set to.
    pub fn gateway(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How often a path was asked for.
    pub fn asked(&self, path: &str) -> usize {
        self.asked.lock().unwrap().get(path).copied().unwrap_or(0)
    }
}

fn answer(stream: TcpStream, asked: &Mutex<BTreeMap<String, usize>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let times = {
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(path.clone()).or_default();
        *times += 1;
        *times
    };
    if path.contains("never") {
        // Until the other side gives up.
        return reader.read(&mut [0; 1]).map(drop);
    }
    let missing = path.ends_with("robots.txt") || path.contains("missing");
    let status = match missing {
        true => "404 Not Found",
        false if path.contains("busy") && times == 1 => {
            "503 Service Unavailable\r\nRetry-After: 3600"
        }
        false => "200 OK",
    };
    let body = format!(
        "<html><head><title>{path}</title></head><body><article><h1>{path}</h1><p>What this page says is longer than a line, so that a reader takes it for text and not for a menu.</p></article></body></html>"
    );
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
