//! The window of a local server: Ollama cuts a prompt from its front without a word, so hast asks
//! before the first request. Servers elsewhere are believed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use url::Url;

use super::Service;
use super::http::{Post, whole};
use crate::builtin::address::at;
use crate::tools::net::address::Named;
use crate::tools::net::time::Time;

const PATIENCE: Duration = Duration::from_secs(5);
/// A model is loaded before its window is known.
const LOADING: Duration = Duration::from_secs(180);
/// The window of an Ollama that nobody told otherwise, on a machine with little memory.
pub const OLLAMA_DEFAULT: u64 = 4_096;

/// A local server as far as it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    pub kind: &'static str,
    pub window: Option<u64>,
    /// Whether it says that the model can use tools.
    pub tools: Option<bool>,
}

/// Asks a server on this machine or in a private network what it is; nothing for others.
pub fn local(service: &Service, time: &Arc<dyn Time>) -> Option<Local> {
    if Named::default().allow(&service.base) {
        return None;
    }
    ollama(service, time).or_else(|| llama_cpp(service, time))
}

fn asked(url: Url, body: Option<Value>, patience: Duration, time: &Arc<dyn Time>) -> Option<Value> {
    whole(Post { url, headers: Vec::new(), body }, patience, time).ok()
}

/// What the model was made with, else what it was loaded with: the server's own setting shows only
/// there.
fn ollama(service: &Service, time: &Arc<dyn Time>) -> Option<Local> {
    let origin = origin(&service.base);
    let model = json!({ "model": service.model });
    let show = asked(at(&origin, "api/show"), Some(model), PATIENCE, time)?;
    show.get("model_info")?;
    let told = show.get("parameters").and_then(Value::as_str).unwrap_or_default();
    let set = told.lines().find_map(|line| {
        line.trim().strip_prefix("num_ctx")?.trim().trim_matches('"').parse::<u64>().ok()
    });
    let loaded = || {
        let list = asked(at(&origin, "api/ps"), None, PATIENCE, time)?;
        let models = list.get("models")?.as_array()?;
        let name = |model: &&Value| {
            let name = model.get("model").or_else(|| model.get("name")).and_then(Value::as_str);
            name.is_some_and(|name| {
                name == service.model || name == format!("{}:latest", service.model)
            })
        };
        models.iter().find(name)?.get("context_length")?.as_u64()
    };
    // A request without a prompt loads the model.
    let load = || {
        let request = json!({ "model": service.model, "stream": false });
        asked(at(&origin, "api/generate"), Some(request), LOADING, time)?;
        loaded()
    };
    let window = set.or_else(loaded).or_else(load);
    let able = show.get("capabilities").and_then(Value::as_array);
    let tools = able.map(|able| able.iter().any(|one| one == "tools"));
    Some(Local { kind: "Ollama", window, tools })
}

fn llama_cpp(service: &Service, time: &Arc<dyn Time>) -> Option<Local> {
    let props = asked(at(&origin(&service.base), "props"), None, PATIENCE, time)?;
    let window = props.pointer("/default_generation_settings/n_ctx").and_then(Value::as_u64)?;
    let tools = props.pointer("/chat_template_caps/supports_tools").and_then(Value::as_bool);
    Some(Local { kind: "llama.cpp", window: Some(window), tools })
}

/// These two answer beside `/v1`.
fn origin(base: &Url) -> Url {
    let mut origin = base.clone();
    let path = base.path().trim_end_matches('/');
    let path = path.strip_suffix("/v1").unwrap_or(path).to_owned();
    origin.set_path(&path);
    origin
}
