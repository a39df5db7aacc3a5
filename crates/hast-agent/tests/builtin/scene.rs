//! A call in a scratch directory, and the agent in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hast_agent::builtin::tools::{Answer, Means, Tools};
use hast_agent::builtin::{Start, run};
use hast_flow::agents::presets::builtin::Builtin;
use hast_flow::docs::builtin::{BuiltinLine, LineKind};
use hast_flow::docs::call::{Call, CallGrants};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{NoTime, Server};

pub(crate) struct Scene {
    pub(crate) root: TempDir,
    pub(crate) call: Call,
}

/// What the call may write besides its documents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum May {
    Write,
    Read,
}

impl Scene {
    pub(crate) fn new(may: May) -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().canonicalize().unwrap().join(name);
        for name in ["tree/src", "tree/.ai/handoffs", "calls/1/outbox", "outside"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        put(&at("outside/secret.txt"), "outside");
        put(&at("calls/1/prompt.md"), "prompt");
        let mut write = vec![text(at("calls/1/outbox"))];
        if may == May::Write {
            write.extend([text(at("tree")), text(at("tree/.ai/handoffs"))]);
        }
        let call = json!({
            "version": 1, "flow": "goals", "role": "worker", "step": "attempt", "unit": "M1", "attempt": 1,
            "regeneration": 0, "root": at("tree"), "workdir": at("tree"), "outbox": at("calls/1/outbox"),
            "prompt_file": at("calls/1/prompt.md"), "language": "en", "inputs": [], "expected": [],
            "limits": {"timeout_seconds": 60, "output_bytes": 1, "tokens": null, "usd": null}, "findings": [],
        });
        let mut call: Call = serde_json::from_value(call).unwrap();
        call.grants = Some(CallGrants {
            read: vec![text(at("tree"))],
            write,
            closed: vec![text(at("tree/.ai"))],
            hidden: vec![text(at("calls"))],
        });
        Self { root, call }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        put(&self.path(name), text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn tools(&self) -> Tools {
        let means = Means {
            scratch: self.path("scratch"),
            withheld: vec!["HOME".to_owned()],
            web: None,
            time: Arc::new(NoTime::default()),
        };
        Tools::of(&self.call, means)
    }

    pub(crate) fn using(&self, tool: &str, arguments: impl Into<Value>) -> Answer {
        self.tools().perform(tool, &arguments.into())
    }

    /// The lines of a whole conversation, and how long it waited.
    pub(crate) fn talk(&self, builtin: &str, server: &Server, settings: &Value) -> Talked {
        self.talk_with(builtin, &server.address, settings.clone())
    }

    pub(crate) fn talk_with(&self, builtin: &str, address: &str, mut settings: Value) -> Talked {
        settings["base_url"] = address.into();
        let builtin = Builtin::parse(builtin).unwrap().with_settings(settings.to_string());
        let time = NoTime::default();
        let (mut lines, variable) = (Vec::new(), |name: &str| {
            ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"].contains(&name).then(|| "test-key".to_owned())
        });
        let code = run(Start {
            call: &self.call,
            prompt: "Do it.",
            builtin: &builtin,
            variable: &variable,
            scratch: self.path("scratch"),
            time: Arc::new(time.clone()),
            tell: &mut |line| lines.push(line),
        });
        let slept = time.slept.lock().unwrap().iter().map(|wait| wait.as_secs()).collect();
        Talked { code, lines, slept }
    }
}

fn put(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[derive(Debug)]
pub(crate) struct Talked {
    pub(crate) code: u8,
    pub(crate) lines: Vec<BuiltinLine>,
    pub(crate) slept: Vec<u64>,
}

impl Talked {
    pub(crate) fn of(&self, kind: LineKind) -> impl Iterator<Item = &BuiltinLine> {
        self.lines.iter().filter(move |line| line.kind == kind)
    }

    /// The word of the end, its text, and the status.
    pub(crate) fn end(&self) -> (String, String, Option<u16>) {
        let end = self.lines.last().unwrap();
        let reason = serde_json::to_value(end.reason).unwrap().as_str().unwrap().to_owned();
        (reason, end.text.clone().unwrap_or_default(), end.status)
    }

    /// Tokens as they were told: in, out, cached.
    pub(crate) fn usage(&self) -> Vec<(u64, u64, u64)> {
        let number = |number: Option<u64>| number.unwrap();
        self.of(LineKind::Usage)
            .map(|line| (number(line.input), number(line.output), number(line.cached)))
            .collect()
    }
}
