//! Search in the memory of claude-mem: one question over HTTP to its worker on this machine. hast
//! writes nothing there.

use std::time::Duration;

use serde_json::Value;
use url::Url;

use crate::tools::net::address::Named;
use crate::tools::net::time::Machine;
use crate::tools::net::transport::{Network, Patience, Transport, Way};
use crate::tools::net::{Ask, Trouble};

/// Where its worker listens unless `CLAUDE_MEM_WORKER_PORT` says otherwise.
pub const PORT: u16 = 37_777;

const MOST_BYTES: u64 = 1 << 20;
const PATIENCE: Patience =
    Patience { connect: Duration::from_secs(1), whole: Duration::from_secs(5) };

/// A passage and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub source: String,
    pub text: String,
}

/// Searches the observations of a project. The error says why there is no answer.
pub fn search(
    port: u16,
    query: &str,
    project: &str,
    most: usize,
) -> Result<Vec<Remembered>, String> {
    let host = format!("127.0.0.1:{port}");
    let limit = most.to_string();
    let fields = [("query", query), ("format", "full"), ("limit", &limit), ("project", project)];
    let address = format!("http://{host}/api/search/observations");
    let url = Url::parse_with_params(&address, fields).map_err(|error| error.to_string())?;
    let network = Network::new(Named::new([host.clone()]), PATIENCE, Way::Direct);
    let ask = Ask::get(url, MOST_BYTES);
    // Its patience is short enough to wait for it.
    let got = network.send(&ask, &Machine::default()).map_err(|trouble| told(&trouble))?;
    if got.status != 200 {
        return Err(format!("{host}: HTTP {}", got.status));
    }
    let answer: Value =
        serde_json::from_slice(&got.body).map_err(|error| format!("{host}: {error}"))?;
    Ok(passages(&answer, most))
}

fn told(trouble: &Trouble) -> String {
    match trouble {
        Trouble::PrivateAddress { host } => format!("{host} is a private address"),
        Trouble::TimedOut => "it did not answer in time".to_owned(),
        Trouble::Cut => "the connection was cut".to_owned(),
        Trouble::TooLarge => "the answer is too large".to_owned(),
        Trouble::Unreachable { why } => why.clone(),
        Trouble::NotRecorded => "no answer was recorded".to_owned(),
        Trouble::Cancelled => "cancelled".to_owned(),
    }
}

/// Its versions answer with a list of results, or with blocks of text for a model.
fn passages(answer: &Value, most: usize) -> Vec<Remembered> {
    let lists = ["observations", "results", "content"];
    let list =
        answer.as_array().or_else(|| lists.iter().find_map(|name| answer.get(name)?.as_array()));
    let one = |(number, entry): (usize, &Value)| {
        let field = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let parts = ["title", "subtitle", "narrative", "text", "content"].map(field);
        let text: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let id = entry.get("id").map_or_else(|| (number + 1).to_string(), |id| id.to_string());
        let source = format!("claude-mem #{}", id.trim_matches('"'));
        (!text.is_empty()).then(|| Remembered { source, text: text.join("\n") })
    };
    list.into_iter().flatten().enumerate().filter_map(one).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_forms_of_its_answers_are_read() {
        let results = json!({"results": [{"id": 7, "title": "Auth", "narrative": "JWT was chosen"}, {"id": 8}]});
        let found = passages(&results, 5);
        assert_eq!(
            found,
            [Remembered { source: "claude-mem #7".into(), text: "Auth\nJWT was chosen".into() }]
        );
        let blocks =
            json!({"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]});
        assert_eq!(passages(&blocks, 1).len(), 1);
        assert_eq!(passages(&json!("nothing"), 5), []);
    }
}
