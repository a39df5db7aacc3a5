//! A call tells the agent its task and takes documents back from the outbox. The agent can break
//! nothing by the files that it puts there.

use std::fs;

use serde_json::{Value, json};

use crate::scene::Scene;

fn record(ran: &crate::scene::Ran, file: &str) -> String {
    let path = ran.json()["record"].as_str().unwrap().to_owned();
    fs::read_to_string(format!("{path}/{file}")).unwrap()
}

#[test]
fn a_call_is_told_everything_gives_its_documents_back_and_is_kept() {
    let scene = Scene::new(
        r#"cp "$HAST_CALL" "$HAST_OUTBOX/seen.json"; cp "$1" "$HAST_OUTBOX/answer.md"
           echo "$HAST_FLOW $HAST_ROLE $HAST_STEP"; pwd >&2"#,
    );
    let ran = scene.call(&["--expect", "answer.md"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.json();
    assert_eq!(told["outcome"], "completed");
    assert_eq!(told["text"], "goals worker run");
    let call: Value = serde_json::from_str(&record(&ran, "call.json")).unwrap();
    assert_eq!(call["expected"], json!([{"name": "answer.md", "schema": null, "required": true}]));
    assert_eq!((&call["attempt"], &call["regeneration"]), (&json!(1), &json!(0)));
    assert_eq!(call["limits"]["timeout_seconds"], 1800);
    let seen: Value = serde_json::from_str(&record(&ran, "outbox/seen.json")).unwrap();
    assert_eq!(seen, call);
    let prompt = record(&ran, "prompt.md");
    assert!(prompt.starts_with("the prompt\n"), "{prompt}");
    assert!(prompt.contains("`answer.md`"), "{prompt}");
    assert_eq!(record(&ran, "outbox/answer.md"), prompt);
    assert_eq!(record(&ran, "stdout.txt"), "goals worker run\n");
    let root = scene.root().canonicalize().unwrap();
    assert_eq!(record(&ran, "stderr.txt"), format!("{}\n", root.display()));
    let kept: Value = serde_json::from_str(&record(&ran, "record.json")).unwrap();
    assert_eq!(kept["exit"], json!({"kind": "exited", "code": 0}));
    assert_eq!(kept["usage"]["micro_usd"], Value::Null, "cost is never made up");
    assert_eq!(fs::read_dir(scene.at("tmp")).unwrap().count(), 0);
    let second = scene.call(&["--expect", "answer.md"]).json();
    assert!(second["record"].as_str().unwrap().ends_with("/2"), "{second}");
}

#[test]
fn a_document_that_breaks_its_schema_is_said_with_its_line() {
    let scene = Scene::new(r#"printf '{\n "verdict": "MAYBE" }' >"$HAST_OUTBOX/report.json""#);
    let ran = scene.call(&["--expect", "report.json=critique-report"]);
    assert_eq!(ran.code, 1);
    let told = ran.json();
    assert_eq!(told["outcome"], "broken");
    let findings = told["findings"].as_array().unwrap();
    assert!(findings.iter().any(|f| f["file"] == "report.json" && f["line"] == 2), "{told}");
    let missing = Scene::new(":").call(&["--expect", "report.json"]).json();
    assert_eq!(missing["findings"][0]["problem"], "`report.json` is not in the outbox");
}

#[test]
fn an_agent_that_cannot_write_files_prints_them() {
    let scene = Scene::new("printf 'Here:\\n```text answer.md\\nforty-two\\n```\\n'");
    let ran = scene.call(&["--expect", "answer.md"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let document = ran.json()["documents"][0].as_str().map(str::to_owned);
    // What came by message is in the streams; the outbox was empty and is kept so.
    assert!(document.is_some_and(|path| path.ends_with("outbox/answer.md")));
}

#[test]
fn an_agent_may_say_itself_that_it_cannot() {
    let blocked =
        Scene::new(r#"echo '{"reason": "which database?"}' >"$HAST_OUTBOX/blocked.json""#);
    let ran = blocked.call(&["--expect", "a.md"]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("blocked")));
    assert!(ran.err.contains("which database?"), "{}", ran.err);
    let failed = Scene::new(r#"echo '{"error": "no source"}' >"$HAST_OUTBOX/failed.json"; exit 0"#);
    let ran = failed.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("failed")));
    assert_eq!(ran.json()["reason"], "no source");
    let crashed = Scene::new(r#"echo x >"$HAST_OUTBOX/a.md"; exit 3"#).call(&[]);
    assert_eq!((crashed.code, &crashed.json()["outcome"]), (1, &json!("failed")));
}

#[test]
fn a_hostile_outbox_reaches_nothing_and_leaves_nothing() {
    let scene = Scene::new(
        r#"cd "$HAST_OUTBOX"; ln -s /etc/passwd report.json; mkfifo pipe.md; truncate -s 1G huge.md
           ln -s /etc linked; mkdir -p deep/er; echo x >deep/er/file; : >"$(printf 'two\nlines')"
           seq 100000 | xargs touch; ln -s / root"#,
    );
    let ran =
        scene.call(&["--expect", "report.json", "--expect", "pipe.md", "--expect", "huge.md"]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("broken")), "{ran:?}");
    let findings = ran.json()["findings"].as_array().unwrap().len();
    assert_eq!(findings, 3, "{}", ran.out);
    let outbox = format!("{}/outbox", ran.json()["record"].as_str().unwrap());
    let entries: Vec<_> = fs::read_dir(outbox).unwrap().map(Result::unwrap).collect();
    assert!(entries.len() <= 256, "{}", entries.len());
    assert!(entries.iter().all(|entry| entry.file_type().unwrap().is_file()));
    assert!(!ran.out.contains("root:"), "a file outside was taken");
}

#[test]
fn an_outbox_that_was_swapped_for_a_link_gives_nothing() {
    let scene = Scene::new(
        r#"cd /; echo x >"$HAST_OUTBOX/a.md"; mv "$HAST_OUTBOX" "$HAST_OUTBOX.old" && ln -s /etc "$HAST_OUTBOX""#,
    );
    scene.file("project/.ai/config.yaml", "sandbox: off\n");
    let scene = scene.env("HAST_TRUST", "all");
    let ran = scene.call(&["--expect", "passwd", "--expect", "a.md"]);
    assert_eq!(ran.json()["outcome"], "broken", "{ran:?}");
    assert_eq!(ran.json()["findings"][0]["file"], "passwd");
    assert!(fs::metadata("/etc/passwd").is_ok());
}

#[test]
fn a_reader_cannot_change_the_project_and_a_worker_in_place_can() {
    let script = "echo x >new 2>/dev/null; exit 0";
    let scene = Scene::new(script);
    let ran = scene.call(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let sandboxed = !ran.err.contains("no sandbox");
    assert_eq!(scene.at("project/new").exists(), !sandboxed);
    let ran = Scene::new(script);
    assert_eq!(ran.call(&["--in-place"]).code, 0);
    assert!(ran.at("project/new").exists());
}

#[test]
fn a_call_ends_at_its_time_and_says_so() {
    let ran = Scene::new("sleep 1000").call(&["--timeout", "1s"]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("failed")));
    assert!(ran.json()["reason"].as_str().unwrap().contains("time limit"), "{}", ran.out);
    for wrong in ["soon", "0s", "5d", ""] {
        let ran = Scene::new(":").call(&["--timeout", wrong]);
        assert_eq!(ran.code, 2, "{wrong}");
    }
}

#[test]
fn wrong_usage_starts_nothing() {
    let scene = Scene::new("echo x >>../started");
    for more in [&["--expect", "../x"][..], &["--expect", "a=nothing"], &["--expect", ""]] {
        assert_eq!(scene.call(more).code, 2, "{more:?}");
    }
    let args = ["agent", "run", "--role", "r", "--prompt-file", "none.md"];
    assert_eq!(scene.run(&args).code, 1);
    assert_eq!(scene.run(&["agent", "run", "--role", "r"]).code, 2);
    assert_eq!(scene.starts("started"), 0);
}
