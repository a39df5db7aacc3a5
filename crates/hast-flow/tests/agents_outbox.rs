//! Tests of everything that a call brings back: documents, fenced blocks, the agent's own word, and
//! redaction of secrets.

#![cfg(test)]

mod agents_scene;

use hast_flow::agents::asking::{self, Further, expected_section, findings_section};
use hast_flow::agents::outbox::{
    self, Files, From, NextAsk, OutboxFinding, Word, fenced_block, next_ask, take,
};
use hast_flow::agents::outcome::Documents;
use hast_flow::agents::redact::{Redactor, names_a_secret};
use hast_flow::docs::call::ExpectedDocument;
use hast_flow::docs::examples::{self, Values};
use hast_flow::docs::goals::Language;
use hast_flow::docs::registry;
use hast_flow::formats::source::Source;
use hast_flow::time::UtcTime;
use hast_flow::words::{Lang, placeholders};
use proptest::prelude::*;

fn at() -> UtcTime {
    "2026-01-12T14:30:00Z".parse().unwrap()
}

fn required(name: &str, schema: Option<&str>) -> ExpectedDocument {
    ExpectedDocument { name: name.to_owned(), schema: schema.map(str::to_owned), required: true }
}

fn optional(name: &str) -> ExpectedDocument {
    ExpectedDocument { name: name.to_owned(), schema: None, required: false }
}

fn files<const N: usize>(files: [(&str, &str); N]) -> Files {
    files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into()
}

const PLAN: &str = r#"{"todo_list": []}"#;

#[test]
fn documents_are_taken_from_the_outbox_and_others_are_named() {
    let expected = [required("plan.json", Some("kernel-plan")), optional("notes.md")];
    let taken = take(&expected, &files([("plan.json", PLAN), ("debug.log", "x")]), "");
    assert_eq!(taken.documents(&expected), Documents::Complete);
    assert_eq!(taken.documents.len(), 1);
    assert_eq!(taken.documents[0].from, From::Outbox);
    assert_eq!(taken.others, ["debug.log"]);
    assert!(taken.findings.is_empty());
}

#[test]
fn a_missing_document_and_one_that_breaks_its_schema_are_asked_for_again() {
    let expected = [required("plan.json", Some("kernel-plan")), required("report.md", None)];
    let wrong = take(&expected, &files([("plan.json", "{\n  \"todo\": []\n}")]), "");
    assert_eq!(wrong.documents(&expected), Documents::Missing);
    let told = wrong.call_findings(Lang::En);
    let missing = told.iter().find(|finding| finding.file == "report.md").unwrap();
    assert_eq!(missing.problem, "`report.md` is not in the outbox");
    let broken = told.iter().find(|finding| finding.file == "plan.json").unwrap();
    assert_eq!(broken.line, Some(2));
    assert!(broken.problem.contains("todo_list"), "{}", broken.problem);
    assert_eq!(next_ask(&wrong.findings, 0, 2), NextAsk::Again { regeneration: 1 });
    assert_eq!(next_ask(&wrong.findings, 1, 2), NextAsk::Again { regeneration: 2 });
    assert_eq!(next_ask(&wrong.findings, 2, 2), NextAsk::GiveUp);
    assert_eq!(next_ask(&[], 2, 2), NextAsk::Nothing);
    let section = findings_section(&told, Language::Ko);
    assert!(section.contains("- plan.json:2: "), "{section}");
    assert!(section.contains("HAST_OUTBOX"), "{section}");
}

#[test]
fn bytes_that_are_no_text_are_a_finding() {
    let expected = [required("report.md", None)];
    let bytes = [("report.md".to_owned(), vec![b'a', 0xff])].into();
    assert!(matches!(take(&expected, &bytes, "").findings[..], [OutboxFinding::Wrong(_)]));
}

#[test]
fn an_empty_outbox_is_replaced_by_fenced_blocks_of_the_last_message() {
    let expected = [required("plan.json", Some("kernel-plan")), required("report.md", None)];
    let message = "Done:\n```json plan.json\n{\"todo_list\": []}\n```\n~~~~markdown:report.md\n# R\n```\ncode\n```\n~~~~\n";
    let taken = take(&expected, &Files::new(), message);
    assert!(taken.findings.is_empty(), "{:?}", taken.findings);
    assert!(taken.documents.iter().all(|document| document.from == From::Message));
    assert_eq!(taken.documents[1].bytes, b"# R\n```\ncode\n```\n");
    let half = take(&expected, &files([("plan.json", PLAN)]), message);
    assert_eq!(half.findings, [OutboxFinding::Missing { name: "report.md".to_owned() }]);
}

#[test]
fn only_the_named_block_is_taken_the_last_one_and_only_if_it_closes() {
    for (text, block) in [
        ("```\nreport.json\n```\n", None),
        ("```json\n{}\n```\n", None),
        ("```json my-report.json\n{}\n```\n", None),
        ("```report.json.bak\n{}\n```\n", None),
        ("```report.json\n1\n```\n```report.json\n2\n```\n", Some("2\n")),
        ("```report.json\n1\n```\n```report.json\n2\n", Some("1\n")),
        ("```json title=\"out/report.json\"\n1\n```", Some("1\n")),
        ("  ```report.json\n  {\n    1\n  ```\n", Some("{\n  1\n")),
        ("```report.json\r\n1\r\n```\r\n", Some("1\r\n")),
        ("````report.json\n```\n````\n", Some("```\n")),
        ("``` a `report.json\n1\n```\n", None),
    ] {
        assert_eq!(fenced_block(text, "report.json").as_deref(), block, "{text}");
    }
}

#[test]
fn the_agents_own_word_ends_the_call_and_blocked_wins() {
    let expected = [required("plan.json", Some("kernel-plan"))];
    let failed = take(&expected, &files([("failed.json", r#"{"error": "no network"}"#)]), "");
    assert_eq!(failed.word, Some(Word::Failed { error: "no network".to_owned() }));
    assert!(failed.findings.is_empty() && failed.others.is_empty());
    let both = [("failed.json", r#"{"error": "e"}"#), ("blocked.json", r#"{"reason": "which?"}"#)];
    assert_eq!(
        take(&expected, &files(both), "").word,
        Some(Word::Blocked { reason: "which?".to_owned() })
    );
    let sloppy = take(&expected, &files([("blocked.json", "need a key\n")]), "");
    assert_eq!(sloppy.word, Some(Word::Blocked { reason: "need a key".to_owned() }));
}

#[test]
fn the_prompt_names_the_files_and_an_example_of_each() {
    let mut call = agents_scene::with_prompt("").call;
    call.expected = vec![required("plan.json", Some("kernel-plan")), optional("goal.md")];
    for language in [Language::En, Language::Ko] {
        call.language = language;
        let section = expected_section(&call, Further::None, at(), &Values::new());
        for part in
            ["`plan.json`", "`goal.md` (", "\"todo_list\"", "/calls/1/outbox", "blocked.json"]
        {
            assert!(section.contains(part), "{part}: {section}");
        }
        assert!(!section.contains("$defs"), "no schema where there is an example: {section}");
        let values = "`todo_list[].status`: pending, in_progress, completed, failed";
        assert!(section.contains(values), "{section}");
    }
    call.expected = Vec::new();
    assert!(!expected_section(&call, Further::None, at(), &Values::new()).contains("##"));
    assert_eq!(findings_section(&[], Language::En), "");
}

#[test]
fn where_result_files_may_lie_beside_the_answer_nothing_forbids_them() {
    let mut call = agents_scene::with_prompt("").call;
    call.expected = vec![required("output.json", Some("expert-output"))];
    let told = |further| expected_section(&call, further, at(), &Values::new());
    assert!(told(Further::None).contains("and nothing else there"));
    let open = told(Further::Results);
    assert!(!open.contains("nothing else") && open.contains("result files beside them"), "{open}");
}

/// Every schema that a flow asks an agent for.
const ASKED_FOR: [&str; 22] = [
    "decomposition",
    "routing-state",
    "replan",
    "critique-draft",
    "run-mode",
    "run-instructions",
    "run-stages",
    "run-tasks",
    "run-tool-tasks",
    "run-task-result",
    "expert-output",
    "kernel-plan",
    "kernel-judgement",
    "explored",
    "contract-patterns",
    "task-breakdown",
    "contract-merge",
    "design-contract",
    "contract-decisions",
    "test-contract",
    "contract-review",
    "contract-recommendation",
];

#[test]
fn every_document_that_agents_write_has_an_example_that_is_valid() {
    let mut call = agents_scene::with_prompt("").call;
    for step in ["execute", "expand"] {
        call.step = step.to_owned();
        for name in ASKED_FOR {
            let entry = registry::find(name).unwrap();
            let example = examples::filled(name, &call, at(), &Values::new()).unwrap();
            assert!(!example.contains("{{"), "{name}: {example}");
            let file = if example.starts_with(['{', '[']) { "a.json" } else { "a.yaml" };
            assert_eq!((entry.check)(&Source::new(file, &example)), [], "{name}: {example}");
        }
    }
}

#[test]
fn an_example_says_what_its_flow_wants_to_be_copied() {
    let call = agents_scene::with_prompt("").call;
    let values = [("major_version", "2"), ("revision", "1"), ("kind", "MAJOR")];
    let values = values.map(|(name, value)| (name, value.to_owned())).into();
    let example = |name| examples::filled(name, &call, at(), &values).unwrap();
    let plan = example("decomposition");
    assert!(plan.contains("\"major_version\": 2,\n  \"revision\": 1,"), "{plan}");
    assert!(example("replan").contains("\"kind\": \"MAJOR\""));
}

#[test]
fn an_example_has_the_ids_and_the_time_of_its_call() {
    let mut call = agents_scene::with_prompt("").call;
    (call.request_id, call.task_id) = (Some("R7".to_owned()), Some("T3".to_owned()));
    let example = examples::filled("design-contract", &call, at(), &Values::new()).unwrap();
    for line in ["request_id: \"R7\"", "task_id: \"T3\"", "created_at: \"2026-01-12T14:30:00Z\""] {
        assert!(example.contains(line), "{line}: {example}");
    }
    call.task_id = Some("say \"hi\"".to_owned());
    let example = examples::filled("expert-output", &call, at(), &Values::new()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&example).unwrap();
    assert_eq!(value["task_id"], "say \"hi\"");
}

#[test]
fn every_text_is_there_in_both_languages() {
    for entry in asking::say::CATALOGUE.iter().chain(outbox::say::CATALOGUE) {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
}

#[test]
fn secrets_are_taken_out_by_value_the_longest_first() {
    let redactor = Redactor::new([
        ("SHORT", "sk-secret"),
        ("LONG", "sk-secret-and-more"),
        ("QUOTED", "pa\"ss/word"),
        ("TINY", "abc"),
        ("EMPTY", ""),
    ]);
    assert_eq!(
        redactor.text("a sk-secret-and-more b sk-secret-an c abc"),
        "a [LONG redacted] b [SHORT redacted]-an c abc"
    );
    assert_eq!(redactor.text(r#"{"k":"pa\"ss/word"}"#), r#"{"k":"[QUOTED redacted]"}"#);
    assert_eq!(redactor.text("?k=pa%22ss%2Fword&"), "?k=[QUOTED redacted]&");
    assert!(!format!("{redactor:?}").contains("secret-"));
    assert!(names_a_secret("ANTHROPIC_API_KEY") && !names_a_secret("PATH"));
}

proptest! {
    #[test]
    fn chunk_borders_change_nothing(
        text in "(sk-a|sk-ab|sk-abc|sk-abcdef|sk-abcdefgh|[a-z ]{0,4}){0,12}",
        cuts in prop::collection::vec(1_usize..9, 0..30),
    ) {
        let redactor = Redactor::new([("A", "sk-abcdef"), ("B", "sk-abcdefgh"), ("C", "sk-abc")]);
        let mut stream = redactor.stream();
        let mut out = Vec::new();
        let mut rest = text.as_bytes();
        for cut in cuts {
            let (chunk, tail) = rest.split_at(cut.min(rest.len()));
            out.extend(stream.push(chunk));
            rest = tail;
        }
        out.extend(stream.push(rest));
        out.extend(stream.finish());
        let out = String::from_utf8(out).unwrap();
        prop_assert_eq!(&out, &redactor.text(&text));
        prop_assert!(!out.contains("sk-abc"));
    }
}
