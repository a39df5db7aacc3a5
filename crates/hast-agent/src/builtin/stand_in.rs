//! A server on loopback in the place of a model, for demos and tests: it speaks Chat Completions and
//! makes each answer from nothing but the request.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::{Value, json};

use super::context::guess;

const MAX_BODY: usize = 64 << 20;

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Play {
    /// Uses of tools, by name, with their arguments.
    Calls(Vec<(&'static str, Value)>),
    Text(String),
}

/// A server that runs as long as this process.
#[derive(Clone, Debug)]
pub struct StandIn {
    /// For `base_url`.
    pub address: String,
}

impl StandIn {
    pub fn start(model: impl Fn(&Value) -> Play + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}", listener.local_addr()?);
        let model = Arc::new(model);
        let serving = move || {
            for stream in listener.incoming().flatten() {
                let model = Arc::clone(&model);
                // A request that cannot be read is not answered; the agent asks again.
                let _ = std::thread::Builder::new().spawn(move || serve(stream, &*model));
            }
        };
        std::thread::Builder::new().name("stand-in".to_owned()).spawn(serving)?;
        Ok(Self { address })
    }
}

fn serve(mut stream: TcpStream, model: &dyn Fn(&Value) -> Play) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    reader.read_line(&mut line)?;
    let asks = line.starts_with("POST ") && line.contains("/chat/completions");
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; usize::min(length, MAX_BODY)];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let answer = match asks {
        true => whole("200 OK", "text/event-stream", &streamed(&model(&request), body.len())),
        false => whole("404 Not Found", "text/plain", "not here"),
    };
    stream.write_all(answer.as_bytes())?;
    stream.flush()
}

fn whole(status: &str, media: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// An answer in the pieces of the format, with its usage at the end.
fn streamed(play: &Play, asked: usize) -> String {
    let delta = match play {
        Play::Text(text) => json!({ "role": "assistant", "content": text }),
        Play::Calls(calls) => {
            let calls = calls.iter().enumerate().map(|(index, (tool, arguments))| {
                let function = json!({ "name": tool, "arguments": arguments.to_string() });
                json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": function })
            });
            json!({ "role": "assistant", "tool_calls": calls.collect::<Vec<_>>() })
        }
    };
    let finish = match play {
        Play::Text(_) => "stop",
        Play::Calls(_) => "tool_calls",
    };
    let (input, output) = (asked / 4, guess(&delta.to_string()));
    let pieces = [
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }),
        json!({ "choices": [], "usage": { "prompt_tokens": input, "completion_tokens": output } }),
    ];
    pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect::<String>() + "data: [DONE]\n\n"
}
