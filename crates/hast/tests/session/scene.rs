//! A directory with a rehearsal as planner, executor and critic, and pages on loopback.

use std::ops::Deref;

use hast_stage::Stage;
use hast_stage::pages::Pages;
use serde_json::{Value, json};

pub(crate) use hast_stage::Ran;

pub(crate) struct Scene {
    stage: Stage,
    pub(crate) pages: Pages,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

/// Everybody does what they should; whatever stands before it in a rehearsal wins.
const HONEST: &str = r#"
  - when: {step: synthesize}
    do: [{outbox: {note.md: "as [K-0001] says, attempt {{attempt}}\n"}}]
  - when: {step: review}
    do: [{outbox: {report.json: {verdict: PASS, findings: [{severity: LOW, detail: fine}], required_fixes: []}}}]
  - when: {step: finalize}
    do: [{outbox: {final.md: "It is so [K-0002], because of [K-0001].\n"}}]
  - when: {step: verdict}
    do: [{outbox: {verdict.md: "PASS: it answers.\n"}}]
"#;

pub(crate) fn fetch(id: &str, page: &str) -> Value {
    json!({"id": id, "title": "a page", "level": 1, "parent_id": null, "data_sources": ["WEB"], "deps": [],
        "outputs": [{"path": format!("/execution/outputs/{id}/page.md"), "type": "page"}],
        "tool_calls": [{"name": "web_fetch", "args": {"url": format!("https://news.example/{page}")}}],
        "acceptance": ["the page is there"]})
}

pub(crate) fn write(id: &str, deps: &[&str]) -> Value {
    json!({"id": id, "title": "a note", "level": 1, "parent_id": null, "data_sources": ["SYNTHESIS"], "deps": deps,
        "outputs": [{"path": format!("/execution/outputs/{id}/note.md"), "type": "note"}],
        "tool_calls": [], "acceptance": ["it cites"]})
}

/// What a planner writes.
pub(crate) fn planned(step: &str, major: u32, revision: u32, tasks: &[Value]) -> String {
    let plan = json!({"major_version": major, "revision": revision, "tasks": tasks});
    let kind = if revision == 1 { "MAJOR" } else { "MINOR" };
    let replan = if step == "replan" {
        format!("          replan.json: {{kind: {kind}, reason: it did not work}}\n")
    } else {
        String::new()
    };
    format!(
        "  - when: {{step: {step}}}\n    do:\n      - outbox:\n          state.json: {{}}\n{replan}          decomposition.json: {plan}\n"
    )
}

impl Scene {
    /// A page and a note about it; the first reply that fits is played.
    pub(crate) fn new(replies: &str) -> Self {
        let plan = planned("plan", 1, 1, &[fetch("T-0001", "a"), write("T-0002", &["T-0001"])]);
        let pages = Pages::serve();
        let stage =
            Stage::new(env!("CARGO_BIN_EXE_hast")).with("HAST_WEB_GATEWAY", &pages.gateway());
        let scene = Self { stage, pages };
        scene.rehearse(&format!("{replies}{plan}"));
        scene.write(".ai/config.yaml", "ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: off\n");
        scene
    }

    pub(crate) fn rehearse(&self, replies: &str) {
        self.write("x.rehearsal.yaml", format!("version: 1\nreplies:\n{replies}{HONEST}"));
    }

    pub(crate) fn ask(&self) -> Ran {
        self.hast(&["session", "start", "is it so?"])
    }

    /// The directory of the only session.
    pub(crate) fn session(&self) -> String {
        let names = self.names("sessions");
        assert_eq!(names.len(), 1, "{names:?}");
        format!("sessions/{}", names[0])
    }

    pub(crate) fn of(&self, path: &str) -> String {
        self.read(&format!("{}/{path}", self.session()))
    }

    pub(crate) fn document(&self, path: &str) -> Value {
        serde_json::from_str(&self.of(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The kinds of the events, in their order.
    pub(crate) fn events(&self) -> Vec<String> {
        let log = self.of("plan/active/status_log.ndjson");
        let kind = |line: &str| {
            let event: Value = serde_json::from_str(line).unwrap();
            event["type"].as_str().unwrap().to_owned()
        };
        log.lines().map(kind).collect()
    }
}
