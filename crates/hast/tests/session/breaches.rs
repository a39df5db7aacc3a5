//! Planted breaches of the four laws: `verify` finds each, with its file, its line and a next action.

use serde_json::{Value, json};

use crate::gaps::every_line_is_missed;
use crate::scene::Scene;

const LOG: &str = "plan/active/status_log.ndjson";

/// A finished session, with one rejected attempt.
fn finished() -> Scene {
    let scene = Scene::new(
        "  - when: {step: review, unit: T-0002, attempt: 1}\n    do: [{outbox: {report.json: {verdict: FAIL, findings: [], required_fixes: [more]}}}]\n",
    );
    assert_eq!(scene.ask().code, 0);
    let good = scene.hast(&["session", "verify", "--json"]);
    assert!(good.code == 0 && good.out.contains("\"errors\": 0"), "{good:?}");
    scene
}

/// Plants a breach, looks for it, and takes it back.
fn plant(scene: &Scene, path: &str, change: impl Fn(&str) -> String, file: &str) -> Value {
    let full = format!("{}/{path}", scene.session());
    let before = scene.has(&full).then(|| scene.read(&full));
    scene.write(&full, change(before.as_deref().unwrap_or_default()));
    let found = look(scene, path, file);
    match before {
        Some(before) => scene.write(&full, before),
        None => scene.remove(&full),
    }
    found
}

fn look(scene: &Scene, what: &str, file: &str) -> Value {
    let ran = scene.hast(&["session", "verify", "--json"]);
    assert_eq!(ran.code, 1, "{what}: {}", ran.out);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let of_file = |finding: &&Value| finding["file"].as_str().is_some_and(|at| at.ends_with(file));
    let found = findings.iter().find(of_file).unwrap_or_else(|| panic!("{what}: {findings:#?}"));
    assert!(found["next"].as_str().is_some_and(|next| !next.is_empty()), "{found}");
    found.clone()
}

fn replaced(from: &'static str, to: &'static str) -> impl Fn(&str) -> String {
    move |text| {
        assert!(text.contains(from), "{text}");
        text.replacen(from, to, 1)
    }
}

#[test]
fn an_overwritten_report_and_one_that_nobody_tells_of() {
    let scene = finished();
    let report = "critique/reports/T-0002.json";
    plant(&scene, report, replaced("\"FAIL\"", "\"PASS\""), report);
    plant(&scene, report, replaced("more", "less"), report);
    let stranger = "critique/reports/T-0009.json";
    plant(
        &scene,
        stranger,
        |_| {
            json!({"task_id": "T-0009", "ts": "2026-01-12T15:00:00Z", "verdict": "PASS", "findings": [], "required_fixes": []}).to_string()
        },
        stranger,
    );
}

#[test]
fn an_edited_and_a_cut_log_and_an_event_id_used_twice() {
    let scene = finished();
    let edited = plant(&scene, LOG, replaced("\"attempt\":1", "\"attempt\":1,\"x\":1"), LOG);
    assert!(edited["line"].as_u64().is_some_and(|line| line > 1), "{edited}");
    let last = |text: &str| text.lines().count();
    let cut = |text: &str| {
        text.lines().take(last(text) - 1).map(|line| format!("{line}\n")).collect::<String>()
    };
    plant(&scene, LOG, cut, "status.json");
    let hole = |text: &str| {
        let kept = text.lines().enumerate().filter(|(number, _)| *number != 3);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    let found = plant(&scene, LOG, hole, LOG);
    assert_eq!(found["line"], 4, "{found}");
    let twice = |text: &str| format!("{text}{}\n", text.lines().last().unwrap());
    let found = plant(&scene, LOG, twice, LOG);
    assert_eq!(found["code"], "not_growing", "{found}");
    let other = replaced("\"actor\":\"Critic\"", "\"actor\":\"Executor\"");
    plant(&scene, LOG, other, LOG);
}

#[test]
fn knowledge_that_did_not_pass_and_artifacts_that_changed() {
    let scene = finished();
    let index = "context/index.json";
    let more = |text: &str| {
        let mut index: Value = serde_json::from_str(text).unwrap();
        let mut entry = index["knowledge"][0].clone();
        entry["id"] = "K-0099".into();
        index["knowledge"].as_array_mut().unwrap().push(entry);
        format!("{index:#}\n")
    };
    let found = plant(&scene, index, more, index);
    assert!(found["line"].as_u64().is_some_and(|line| line > 5), "{found}");
    // An entry for the attempt that was rejected.
    plant(&scene, index, replaced("T-0002/attempt-2/note.md", "T-0002/note.md"), index);
    let artifact = "execution/outputs/T-0001/page.md";
    plant(&scene, artifact, |text| format!("{text}!"), index);
    // Taking the hash out of the index does not help.
    let full = format!("{}/{index}", scene.session());
    let before = scene.read(&full);
    scene.write(&full, before.replace("\"sha256\"", "\"was\""));
    plant(&scene, artifact, |text| format!("{text}!"), index);
    scene.write(&full, before);
    let rejected = "execution/outputs/T-0002/note.md";
    plant(&scene, rejected, |text| format!("{text}!"), rejected);
    let raw = scene.names(&format!("{}/context/sources", scene.session()))[0].clone();
    let raw = format!("context/sources/{raw}");
    plant(&scene, &raw, |text| format!("{text}!"), &raw);
}

#[test]
fn a_pointer_to_nothing_and_a_pointer_that_is_not_the_fold_of_the_log() {
    let scene = finished();
    let found =
        plant(&scene, "pointers.json", replaced("T-0002.2.json", "T-0007.json"), "pointers.json");
    assert_eq!((found["code"].as_str(), found["line"].as_u64()), (Some("missing_file"), Some(4)));
    plant(&scene, "status.json", replaced("COMPLETED", "EXECUTING"), "status.json");
}

#[test]
fn a_plan_edited_without_a_revision_and_a_role_that_wrote_outside_its_row() {
    let scene = finished();
    let plan = "plan/active/decomposition.json";
    plant(&scene, plan, replaced("a note", "another note"), plan);
    let metadata = "plan/active/metadata.json";
    plant(&scene, metadata, replaced("\"revision\": 1", "\"revision\": 2"), metadata);
    for stranger in [
        "execution/outputs/T-0001/extra.md",
        "context/sources/0000",
        "context/notes.md",
        "execution/elsewhere.txt",
    ] {
        plant(&scene, stranger, |_| "mine".to_owned(), stranger);
    }
    let lines = format!(
        "execution/run_logs/{}",
        scene.names(&format!("{}/execution/run_logs", scene.session()))[0]
    );
    let found = plant(&scene, &lines, replaced("\"Executor\"", "\"Critic\""), &lines);
    assert_eq!(found["line"], 1, "{found}");
    plant(&scene, &lines, |_| String::new(), LOG);
    plant(&scene, "output/final.md", |text| format!("{text}more"), "output/final.md");
}

#[test]
fn run_logs_and_whatever_is_written_once_stay_as_they_were() {
    let scene = finished();
    let of = |directory: &str| {
        let names = scene.names(&format!("{}/{directory}", scene.session()));
        format!("{directory}/{}", names[0])
    };
    let lines = of("execution/run_logs");
    let found = plant(&scene, &lines, replaced("\"success\"", "\"failure\""), &lines);
    assert_eq!(found["line"], 1, "{found}");
    plant(&scene, &lines, replaced("news.example", "other.example"), &lines);
    let twice = |text: &str| format!("{text}{}\n", text.lines().last().unwrap());
    plant(&scene, &lines, twice, &lines);
    let stranger = |text: &str| {
        text.to_owned() + &text.lines().next().unwrap().replace("T-0001", "T-0009") + "\n"
    };
    plant(&scene, &lines, stranger, &lines);
    for path in [
        "input/user_input.md",
        "input/system_prompt.md",
        "plan/goal.md",
        "output/artifacts/page.md",
        "verdict.md",
    ] {
        plant(&scene, path, |text| format!("{text}!"), path);
    }
    plant(&scene, "plan/change_log.md", |_| String::new(), "plan/change_log.md");
    let added = |text: &str| format!("{text}- mine\n");
    plant(&scene, "plan/change_log.md", added, "plan/change_log.md");
    let about = scene.names(&format!("{}/context/sources", scene.session()));
    let about =
        format!("context/sources/{}", about.iter().find(|name| name.ends_with(".json")).unwrap());
    plant(&scene, &about, replaced("news.example", "other.example"), &about);
    // The last line of the log is named by no other.
    let later = |text: &str| {
        let at = text.rfind("\"ts\":\"20").unwrap();
        format!("{}\"ts\":\"21{}", &text[..at], &text[at + 8..])
    };
    plant(&scene, LOG, later, LOG);
    for path in [
        "verdict.md",
        "output/summary.json",
        "pointers.json",
        "plan/change_log.md",
        "critique/review_rules.md",
        "context/state.json",
    ] {
        let full = format!("{}/{path}", scene.session());
        let before = scene.read(&full);
        scene.remove(&full);
        look(&scene, path, LOG);
        scene.write(&full, before);
    }
}

#[test]
fn whichever_line_of_the_log_is_gone_is_missed() {
    let scene = finished();
    let log = format!("{}/{LOG}", scene.session());
    every_line_is_missed(&scene, &log, &["session", "verify"]);
}
