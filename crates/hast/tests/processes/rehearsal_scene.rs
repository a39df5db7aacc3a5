//! One call that a rehearsal answers, from the provider's command to the outcome, under the real
//! guard: what hast does with every agent.

use std::fs;
use std::path::{Path, PathBuf};

use hast_flow::agents::command::{AgentCall, NativeSession};
use hast_flow::agents::limit::Moment;
use hast_flow::agents::outbox::{Files, take};
use hast_flow::agents::outcome::{Evidence, Outcome, classify};
use hast_flow::agents::provider::Provider;
use hast_flow::agents::reply::AgentReply;
use hast_flow::docs::call::Call;
use hast_flow::docs::document::read;
use hast_flow::formats::source::Source;
use hast_flow::process::exit::Net;
use hast_flow::process::{Ended, Limits, Stream};
use hast_flow::time::OffsetTime;

use crate::scene::Scene;

pub(crate) const NOW: &str = "2026-02-09T14:30:00+09:00";

pub(crate) struct Rehearsed {
    pub(crate) scene: Scene,
    pub(crate) call: Call,
    pub(crate) provider: Provider,
}

/// What came of a call.
pub(crate) struct Answer {
    pub(crate) ended: Ended,
    pub(crate) reply: AgentReply,
    pub(crate) outcome: Outcome,
    pub(crate) outbox: Files,
}

impl Rehearsed {
    /// A call of the goals flow; `replies` is what follows `replies:` in the rehearsal.
    pub(crate) fn new(net: Net, replies: &str) -> Self {
        let scene = Scene::new(net, "");
        let at = |name: &str| scene.directory.path().join(name).display().to_string();
        for directory in ["root/.ai/handoffs", "tree", "outbox"] {
            fs::create_dir_all(at(directory)).unwrap();
        }
        put(&PathBuf::from(at("root/play.yaml")), &format!("version: 1\nreplies:\n{replies}"));
        put(&PathBuf::from(at("prompt.md")), "Work on goal M1.2: say hello.\n");
        let call = serde_json::json!({
            "version": 1, "flow": "goals", "role": "worker", "step": "attempt", "unit": "M1.2",
            "attempt": 1, "regeneration": 0, "root": at("root"), "workdir": at("tree"),
            "outbox": at("outbox"), "prompt_file": at("prompt.md"),
            "handoff_path": at("root/.ai/handoffs/2026-02-09_143000.md"), "language": "en",
            "inputs": [], "expected": [], "findings": [], "goal_id": "M1.2",
            "limits": {"timeout_seconds": 60, "output_bytes": 1_000_000, "tokens": null, "usd": null},
        });
        let text = call.to_string();
        let call = read::<Call>(&Source::new("call.json", &text)).unwrap().value;
        let provider = Provider::parse("rehearsal:play.yaml").unwrap();
        Self { scene, call, provider }
    }

    pub(crate) fn call(mut self, change: impl FnOnce(&mut Call)) -> Self {
        change(&mut self.call);
        self
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        self.scene = self.scene.limits(change);
        self
    }

    /// A path in the work tree.
    pub(crate) fn tree(&self, name: &str) -> PathBuf {
        Path::new(&self.call.workdir).join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.tree(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Makes the call and waits for its end; nothing of it is left then.
    #[track_caller]
    pub(crate) fn answer(&mut self) -> Answer {
        self.answer_while(&mut |_| {})
    }

    /// The same, and tells what was printed on standard output so far.
    #[track_caller]
    pub(crate) fn answer_while(&mut self, seen: &mut dyn FnMut(&str)) -> Answer {
        let call_file = self.scene.directory.path().join("call.json");
        put(&call_file, &serde_json::to_string(&self.call).unwrap());
        let prompt = fs::read_to_string(&self.call.prompt_file).unwrap();
        let asked = AgentCall {
            call: self.call.clone(),
            call_file: call_file.display().to_string(),
            prompt,
            session: NativeSession::Fresh,
        };
        let command = self.provider.command(&asked, env!("CARGO_BIN_EXE_hast")).unwrap();
        let more = self.scene.spec.env.clone();
        let (sandbox, record) = (self.scene.spec.sandbox.clone(), self.scene.spec.record.clone());
        self.scene.spec = command.in_environment([], &[]);
        self.scene.spec.env.extend(more);
        self.scene.spec.env.insert("HAST_TEST_WORLD".into(), NOW.into());
        self.scene.spec.sandbox = sandbox;
        self.scene.spec.record = record;
        let mut reader = self.provider.reader();
        let mut printed = String::new();
        let ended = self.scene.watched(&mut |stream, bytes| {
            reader.push(stream, bytes);
            if stream == Stream::Out {
                printed += &String::from_utf8_lossy(bytes);
                seen(&printed);
            }
            std::ops::ControlFlow::Continue(())
        });
        self.judged(ended, reader.finish())
    }

    fn judged(&self, ended: Ended, reply: AgentReply) -> Answer {
        let mut outbox = Files::new();
        for entry in fs::read_dir(&self.call.outbox).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            outbox.insert(name, fs::read(path).unwrap());
        }
        let taken = take(&self.call.expected, &outbox, reply.final_text());
        let now: OffsetTime = NOW.parse().unwrap();
        let evidence = Evidence {
            provider: &self.provider,
            exit: &ended.exit,
            reply: &reply,
            documents: taken.documents(&self.call.expected),
            word: taken.word.as_ref(),
        };
        let moment = Moment { now: now.instant(), offset: now.offset() };
        let outcome = classify(evidence, moment);
        Answer { ended, reply, outcome, outbox }
    }
}

impl Answer {
    /// What the process said on standard error.
    pub(crate) fn complaint(&self) -> String {
        self.ended.stderr.text()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
pub(crate) fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}
