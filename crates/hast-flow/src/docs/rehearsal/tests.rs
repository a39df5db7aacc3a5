//! A rehearsal as a person writes one, and as a careless one does.

use super::*;
use crate::docs::document::read;
use crate::formats::diagnostic::Diagnostic;
use crate::formats::source::Source;
use crate::formats::yaml_print::{Layout, print};
use crate::words::Lang;

/// Every action, in every form that the page shows.
const EVERYTHING: &str = r#"
version: 1
about: all that a scripted agent can do
replies:
  - name: first try
    when:
      flow: goals
      role: worker
      step: attempt
      unit: "M1.*"
      attempt: {from: 2, to: 4}
      regeneration: 0
      exists: .ai/limit
      missing: [a, b]
      from: "2026-02-09T14:30:00+09:00"
      until: "2026-02-10T00:00:00Z"
    do:
      - write: {path: src/hello.txt, text: "hello {{unit}}\n", mode: 0755}
      - write: {path: logo.bin, base64: AAECAw==}
      - write: {path: a.json, json: {a: [1, "{{attempt}}"]}}
      - outbox:
          report.json: {verdict: PASS, findings: [], required_fixes: []}
          final.md: "done\n"
      - append: {path: log.txt, text: more}
      - replace: {path: log.txt, old: a, new: b, times: 2}
      - delete: [old.txt, build]
      - rename: {from: a, to: b}
      - symlink: {path: link, target: b}
      - mkdir: docs
      - chmod: {path: b, mode: "700"}
      - run: git add -A && git commit -qm "work"
      - run: [git, status]
        may_fail: true
      - print: thinking
      - print: {base64: /w==, to: stderr}
      - print: {text: '{"type":"turn.started"}', like: codex, newline: false}
      - stream:
          like: claude
          session: s-1
          model: m
          say: [one, two]
          tool: Write
          denied: Bash
          retry: {status: 529, text: Overloaded}
          usage: {input: 1200, output: 34, cached: 200, usd: 0.0123}
          end: success
      - sleep: 0.5
      - sleep: 2
      - wait_for: go
      - wait_for: {path: go, seconds: 5}
      - spawn: {do: [{sleep: 1}, {write: {path: late, text: x}}, hang], ignore_term: true, keep_output: true}
      - flood: 1000
      - failed: it cannot be done
      - blocked: which one?
      - handoff: {status: complete, done: [a], decisions: [b], changed: [c], next: d, context: [e], goal_id: M2}
      - expect: {prompt: hello, not_in_prompt: [secret], exists: a, missing: b, file: {path: a, has: b}}
      - exit: 3
  - do: [crash]
  - do: [{hang: {ignore_term: true}}]
  - do: [{signal: TERM}]
  - do: [{limit: {like: codex, status: 429, text: usage limit, resets_in: 3600}}]
  - do: [{limit: You have hit your usage limit}]
  - do: [limit]
  - do: [login]
  - do: [{login: {like: gemini}}]
  - do: []
"#;

fn findings(text: &str) -> Vec<Diagnostic> {
    match read::<Rehearsal>(&Source::new("r.yaml", text)) {
        Ok(read) => read.warnings,
        Err(findings) => findings,
    }
}

#[test]
fn everything_is_read_and_prints_back() {
    let source = Source::new("r.yaml", EVERYTHING);
    let first = read::<Rehearsal>(&source).unwrap_or_else(|found| panic!("{found:#?}")).value;
    assert_eq!(first.replies.len(), 10);
    assert!(first.replies.iter().flat_map(|reply| &reply.actions).all(|a| a.act().is_some()));
    let printed = print(&first, &Layout::COMPACT).unwrap();
    let again = read::<Rehearsal>(&Source::new("r.yaml", &printed)).unwrap().value;
    assert_eq!(again, first, "{printed}");
}

#[test]
fn every_action_is_in_the_example() {
    let tree = crate::formats::yaml::read(&Source::new("r.yaml", EVERYTHING)).unwrap().root;
    let used: Vec<&str> = tree
        .get("replies")
        .unwrap()
        .list()
        .iter()
        .flat_map(|reply| reply.get("do").unwrap().list())
        .flat_map(|item| item.fields().iter().map(|field| &*field.key).chain(item.text()))
        .collect();
    for name in Action::NAMES {
        assert!(used.contains(name), "{name}");
    }
}

#[test]
fn what_is_wrong_is_found_on_its_line() {
    let start = "version: 1\nreplies:\n- do:\n";
    for (line, code) in [
        ("  - wirte: {path: a, text: b}", "unknown_field"),
        ("  - {write: {path: a, text: b}, exit: 1}", "not_exactly_one"),
        ("  - may_fail: true", "not_exactly_one"),
        ("  - crush", "not_one_of"),
        ("  - write: {path: a}", "not_exactly_one"),
        ("  - write: {path: a, text: b, base64: AA==}", "not_exactly_one"),
        ("  - write: {path: a, base64: '*'}", "bad_form"),
        ("  - write: {path: '', text: b}", "empty"),
        ("  - chmod: {path: a, mode: 889}", "bad_form"),
        ("  - outbox: {../a.json: x}", "bad_form"),
        ("  - print: '{{goal}}'", "not_one_of"),
        ("  - print: {}", "not_exactly_one"),
        ("  - sleep: -1", "out_of_range"),
        ("  - sleep: soon", "wrong_type"),
        ("  - exit: 256", "out_of_range"),
        ("  - run: []", "empty"),
        ("  - signal: STOP", "not_one_of"),
        ("  - handoff: {status: done}", "not_one_of"),
        ("  - spawn: {do: [{print: '{{x}}'}]}", "not_one_of"),
        ("  - spawn: {do: [{}]}", "not_exactly_one"),
        ("  - stream: {like: cursor}", "not_one_of"),
    ] {
        let found = findings(&format!("{start}{line}\n"));
        let codes: Vec<_> = found.iter().map(|f| (f.finding.code(), f.line())).collect();
        assert_eq!(codes, [(code, Some(4))], "{line}");
        for lang in [Lang::En, Lang::Ko] {
            assert!(!found[0].finding.next(lang).is_empty());
        }
    }
    let after = findings(&format!("{start}  - exit: 1\n  - print: x\n"));
    assert_eq!((after[0].finding.code(), after[0].line()), ("never_reached", Some(5)));
}

#[test]
fn a_newer_rehearsal_and_one_without_replies_are_refused() {
    let code = |text: &str| findings(text).first().map(|finding| finding.finding.code());
    assert_eq!(code("version: 2\nreplies: [{do: []}]\n"), Some("newer_version"));
    assert_eq!(code("version: 1\nreplies: []\n"), Some("empty"));
    assert_eq!(code("version: 1\nreplies: [{when: {atempt: 1}, do: []}]\n"), Some("unknown_field"));
}
