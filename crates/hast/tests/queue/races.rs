//! Many processes at one queue.

use std::collections::BTreeSet;

use hast_stage::{Stage, fleet};

const HAST: &str = env!("CARGO_BIN_EXE_hast");

#[test]
fn sixty_four_processes_never_share_a_goal() {
    let stage = Stage::new(HAST);
    let list = |id: usize| format!("  - {{id: G{id}, title: t, status: active}}\n");
    let text: String = (0..40).map(list).collect();
    stage.write(".ai/goals.yaml", format!("goals:\n{text}"));
    let results: Vec<(i32, String)> = std::thread::scope(|scope| {
        let run = |worker: usize| {
            let name = format!("w{worker}");
            let ran = stage.hast(&["queue", "claim", "--worker", &name, "--json"]);
            let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            let told = json["goal_id"].as_str().or_else(|| json["problem"]["code"].as_str());
            (ran.code, told.unwrap().to_owned())
        };
        let all: Vec<_> = (0..64).map(|worker| scope.spawn(move || run(worker))).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let goals: BTreeSet<&String> =
        results.iter().filter(|(code, _)| *code == 0).map(|(_, goal)| goal).collect();
    assert_eq!(goals.len(), 40, "every goal has one holder");
    let refused = results.iter().filter(|(code, told)| *code == 1 && told == "no_claimable_goals");
    assert_eq!(refused.count(), 24);
    let tally = fleet::judge(&fleet::log(&stage));
    assert_eq!((tally.claims, tally.most_at_once), (40, 40));
}

/// The full count is `cargo xtask soak --queue`.
#[test]
fn workers_that_die_lose_nothing_and_share_nothing() {
    let tally = fleet::run(std::path::Path::new(HAST), 24, 6, 7);
    assert!(tally.kills > 10, "{tally}");
    assert!(tally.claims >= 24, "{tally}");
}
