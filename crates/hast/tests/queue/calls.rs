//! One call after the other: what is printed, what is written, what is refused.

use hast_stage::{Ran, Stage};
use serde_json::Value;

const GOALS: &str = "goals:
  # kept
  - {id: A, title: \"첫 목표\", status: active}
  - {id: B, title: t, status: active, phase: review}
  - {id: C, title: t, status: blocked, blocked_reason: why}
";

struct Scene(Stage);

impl Scene {
    fn new() -> Self {
        let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
        stage.write(".ai/goals.yaml", GOALS);
        Self(stage)
    }

    fn at(&self, minute: u32, args: &[&str]) -> Ran {
        let mut command = self.0.hast_command(args);
        command.env("HAST_TEST_WORLD", format!("2026-02-09T14:{minute:02}:00Z#1"));
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn json(&self, minute: u32, args: &[&str]) -> (i32, Value) {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let ran = self.at(minute, &args);
        (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}")))
    }
}

#[test]
fn a_goal_is_claimed_renewed_and_given_back() {
    let scene = Scene::new();
    let (code, claim) = scene.json(0, &["queue", "claim", "--worker", "w1"]);
    assert_eq!((code, claim["goal_id"].as_str()), (0, Some("A")));
    assert_eq!(claim["expires_at"], "2026-02-09T14:30:00Z");
    assert_eq!((claim["role"].as_str(), claim["fence"].as_u64()), (Some("implement"), Some(1)));
    let id = claim["claim_id"].as_str().unwrap();
    let (_, renewed) = scene.json(10, &["queue", "renew", id, "--worker", "w1", "--ttl", "40"]);
    assert_eq!(renewed["expires_at"], "2026-02-09T14:50:00Z");
    let release = ["queue", "release", id, "--worker", "w1", "--goal-status", "blocked"];
    let (code, released) = scene.json(20, &release);
    assert_eq!((code, released["status"].as_str()), (0, Some("released")));
    let goals = scene.0.read(".ai/goals.yaml");
    assert!(goals.contains("# kept") && goals.contains("w1"), "{goals}");
    assert_eq!(scene.0.hast(&["verify"]).code, 0);
    let (code, again) = scene.json(21, &release);
    assert_eq!((code, again["problem"]["code"].as_str()), (1, Some("claim_not_active")));
    let events = scene.0.read(".ai/events/events.ndjson");
    assert_eq!(events.matches("STATUS_SET").count(), 1);
}

#[test]
fn a_refusal_has_a_code_says_what_to_do_and_exits_1() {
    let scene = Scene::new();
    let (code, told) = scene.json(0, &["queue", "claim", "--worker", "w", "--goal", "C"]);
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("goal_not_claimable")));
    assert!(told["problem"]["next"].as_str().unwrap().contains("hast retry C"));
    let wrong = ["queue", "claim", "--worker", "w", "--goal", "B", "--role", "test"];
    assert_eq!(scene.json(0, &wrong).1["problem"]["code"], "role_phase_mismatch");
    let none = ["queue", "claim", "--worker", "w", "--role", "test"];
    assert_eq!(scene.json(0, &none).1["problem"]["code"], "role_no_claimable_goals");
    assert_eq!(scene.at(0, &["queue", "claim", "--worker", "w"]).code, 0);
    let korean = scene.at(0, &["queue", "claim", "--worker", "w", "--lang", "ko"]);
    assert_eq!(korean.code, 1);
    assert!(korean.err.contains("워커"), "{}", korean.err);
    for wrong in [&["--ttl", "0"][..], &["--ttl", "1441"], &["--ttl", "241"], &["--role", "cook"]] {
        let args: Vec<&str> =
            ["queue", "claim", "--worker", "x"].iter().chain(wrong).copied().collect();
        assert_eq!(scene.at(0, &args).code, 2, "{wrong:?}");
    }
    assert_eq!(scene.at(0, &["queue", "claim", "--worker", " "]).code, 2);
}

#[test]
fn a_late_workers_release_is_refused_and_sets_no_status() {
    let scene = Scene::new();
    let (_, early) = scene.json(0, &["queue", "claim", "--worker", "w1"]);
    let (_, late) = scene.json(30, &["queue", "claim", "--worker", "w2"]);
    assert_eq!(late["goal_id"], early["goal_id"]);
    let id = early["claim_id"].as_str().unwrap();
    let before = scene.0.read(".ai/goals.yaml");
    let (code, told) =
        scene.json(31, &["queue", "release", id, "--worker", "w1", "--goal-status", "blocked"]);
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("claim_not_active")));
    assert_eq!(scene.0.read(".ai/goals.yaml"), before);
}

#[test]
fn the_list_shows_who_works_on_what_and_every_call_sweeps_first() {
    let scene = Scene::new();
    assert_eq!(scene.json(0, &["queue", "list"]).1["claims"], serde_json::json!([]));
    assert!(!scene.0.has(".ai/queue"), "to look at nothing writes nothing");
    scene.json(0, &["queue", "claim", "--worker", "w1"]);
    scene.json(5, &["queue", "claim", "--worker", "w2"]);
    let (_, list) = scene.json(31, &["queue", "list", "--active-only"]);
    assert_eq!(list["claims"].as_array().unwrap().len(), 1);
    let (_, list) = scene.json(31, &["queue", "list"]);
    let states: Vec<&str> =
        list["claims"].as_array().unwrap().iter().map(|c| c["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["expired", "active"]);
    let (_, swept) = scene.json(36, &["queue", "sweep"]);
    assert_eq!(swept["expired"][0]["worker_id"], "w2");
    assert_eq!(scene.json(36, &["queue", "sweep"]).1["expired"], serde_json::json!([]));
    assert_eq!(scene.0.hast(&["verify"]).code, 0);
}

#[test]
fn a_full_log_is_archived_and_nothing_is_forgotten() {
    let scene = Scene::new();
    let line = scene.0.hast(&["queue", "claim", "--worker", "keeper", "--goal", "B"]);
    assert_eq!(line.code, 0);
    let mut text = scene.0.read(".ai/queue/queue.ndjson");
    // What a year of refused calls leaves behind.
    let last = text.clone();
    for number in 2..400 {
        let refused = format!(
            "{{\"event_id\":\"EV-20260209T143000Z-{number:04}\",\"ts\":\"2026-02-09T14:30:00Z\",\"actor\":\"w\",\"type\":\"REFUSED\",\"detail\":{{\"goal_id\":\"B\",\"code\":\"goal_already_claimed\",\"claims\":[]}}}}\n"
        );
        text += &refused;
    }
    scene.0.write(".ai/queue/queue.ndjson", &text);
    let ran = scene.0.hast(&["queue", "claim", "--worker", "w1", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.0.names(".ai/queue/archive"), ["queue-000000000399.ndjson"]);
    let now = scene.0.read(".ai/queue/queue.ndjson");
    assert!(now.len() < 2_000, "{now}");
    let list = scene.0.hast(&["queue", "list", "--json"]);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    assert_eq!(list["claims"].as_array().unwrap().len(), 2);
    let fence = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let carried = fence(now.lines().next().unwrap());
    assert_eq!(carried["type"], "CARRIED");
    let first = fence(last.lines().next().unwrap());
    assert_eq!(carried["detail"]["claims"], first["detail"]["claims"]);
    assert_eq!(scene.0.hast(&["verify"]).code, 0);
}

#[test]
fn a_queue_outside_of_the_repository_needs_approval() {
    let scene = Scene::new();
    let shared = scene.0.root().join("../shared-queue");
    let config = format!(
        "test_command: \"true\"\nai_tool: \"a {{prompt}}\"\nqueue_dir: {}\n",
        shared.display()
    );
    scene.0.write(".ai/config.yaml", config);
    let mut command = scene.0.hast_command(&["queue", "claim", "--worker", "w"]);
    let refused = command.env_remove("HAST_TRUST").output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(!shared.exists(), "nothing is written before somebody agreed");
    assert_eq!(scene.0.hast(&["queue", "claim", "--worker", "w"]).code, 0);
    assert!(shared.join("queue.ndjson").exists());
}

#[test]
fn a_worker_does_not_undo_what_a_person_decided_meanwhile() {
    for (person, wished) in [("dropped", "active"), ("done", "blocked"), ("blocked", "pending")] {
        let scene = Scene::new();
        let (_, claim) = scene.json(0, &["queue", "claim", "--worker", "w1"]);
        let id = claim["claim_id"].as_str().unwrap();
        let goals = GOALS.replacen("status: active", &format!("status: {person}"), 1);
        scene.0.write(".ai/goals.yaml", &goals);
        let release = ["queue", "release", id, "--worker", "w1", "--goal-status", wished];
        let ran = scene.at(1, &release);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains(&format!("A is {person} by now")), "{}", ran.out);
        assert_eq!(scene.0.read(".ai/goals.yaml"), goals);
        let (_, list) = scene.json(2, &["queue", "list"]);
        assert_eq!(list["claims"][0]["status"], "released", "the claim is given back");
        let log = scene.0.read(".ai/queue/queue.ndjson");
        assert!(!log.contains("goal_status"), "{log}");
    }
}

#[test]
fn a_damaged_number_in_a_log_is_told_and_ends_nothing() {
    let scene = Scene::new();
    let (_, claim) = scene.json(0, &["queue", "claim", "--worker", "w1"]);
    let id = claim["claim_id"].as_str().unwrap();
    assert_eq!(scene.at(1, &["queue", "release", id, "--worker", "w1"]).code, 0);
    let log = scene.0.read(".ai/queue/queue.ndjson");
    let last = log.lines().last().unwrap();
    for (from, to) in
        [("Z-0002", "Z-18446744073709551615"), ("fence\":1", "fence\":18446744073709551615")]
    {
        let damaged = last.replace(from, to);
        assert_ne!(damaged, last);
        scene.0.write(".ai/queue/queue.ndjson", format!("{log}{damaged}\n"));
        let told = scene.0.hast(&["verify"]);
        assert_eq!(told.code, 1, "{told:?}");
        assert!(told.out.contains("queue.ndjson:3"), "{}", told.out);
        assert_eq!(scene.at(2, &["queue", "claim", "--worker", to]).code, 0);
    }
    // The last number there is: nothing can be told after it.
    for (from, to) in [("Z-0002", "Z-999999999999999"), ("fence\":1", "fence\":999999999999999")] {
        let jumped = last.replace(from, to).replace("released", "active");
        scene.0.write(".ai/queue/queue.ndjson", format!("{log}{jumped}\n"));
        let ran = scene.at(3, &["queue", "claim", "--worker", "w3"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("used up"), "{}", ran.err);
    }
    let jumped = last.replace("Z-0002", "Z-999999999999999");
    scene.0.write(".ai/queue/queue.ndjson", format!("{log}{jumped}\n"));
    let told = scene.0.hast(&["verify"]);
    assert!(told.out.contains("jumps from 2 to 999999999999999"), "{}", told.out);
}

#[test]
fn a_damaged_number_in_the_events_is_told_and_ends_nothing() {
    let scene = Scene::new();
    let line = |number: &str| {
        format!(
            "{{\"event_id\":\"EV-20260209T140000Z-{number}\",\"ts\":\"2026-02-09T14:00:00Z\",\"actor\":\"x\",\"type\":\"STATUS_SET\",\"detail\":{{\"goal_id\":\"A\",\"status\":\"active\"}}}}\n"
        )
    };
    let (_, claim) = scene.json(0, &["queue", "claim", "--worker", "w1"]);
    let id = claim["claim_id"].as_str().unwrap();
    let release = ["queue", "release", id, "--worker", "w1", "--goal-status", "pending"];
    scene.0.write(".ai/events/events.ndjson", line("0001") + &line("999999999999999"));
    let ran = scene.at(1, &release);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("used up"), "{}", ran.err);
    scene.0.write(".ai/events/events.ndjson", line("0001") + &line("18446744073709551615"));
    assert_eq!(scene.0.hast(&["verify"]).code, 1);
    let ran = scene.at(2, &release);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.0.read(".ai/events/events.ndjson").contains("Z-0002"));
}
