//! A request whose second item grows a sub-plan, one child of which fails and is replaced.

use std::collections::BTreeMap;
use std::path::Path;

use crate::rounds::{Outcome, Play};
use crate::stage::Stage;

const REHEARSAL: &str = include_str!("kernel.rehearsal.yaml");

#[derive(Debug)]
pub struct Growing;

impl Play for Growing {
    fn set(&self, hast: &Path) -> Stage {
        let stage = Stage::new(hast);
        stage.write("x.rehearsal.yaml", REHEARSAL);
        stage.write(".ai/config.yaml", "ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: off\n");
        stage
    }

    fn arguments(&self, stage: &Stage) -> Vec<String> {
        // A commit that was cut off after it counted is finished by whoever opens the root next; only
        // then the log says whether the request is there.
        if stage.has(".brain") {
            stage.hast(&["kernel", "boot"]);
        }
        let received = stage.read(".brain/events.ndjson").contains("REQUEST_RECEIVED");
        let words: &[&str] =
            if received { &["kernel", "resume"] } else { &["kernel", "start", "write something"] };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn outcome(&self, stage: &Stage) -> Option<Outcome> {
        let requests = stage.names(".brain/requests");
        let id = requests.last()?;
        let request = format!(".brain/requests/{id}");
        if !stage.has(&format!("{request}/response.json")) {
            return None;
        }
        let mut outcome = Outcome::from([("requests".to_owned(), requests.len().to_string())]);
        for name in ["plan.json", "report.md"] {
            let text = stage.read(&format!("{request}/{name}")).replace(id, "ID");
            outcome.insert(name.to_owned(), text);
        }
        Some(outcome)
    }

    fn check(&self, stage: &Stage) {
        for (item, answers) in answers(&stage.read(".brain/events.ndjson")) {
            // The item that grew and the one that was replaced are answered, then completed.
            let expected = if item == "b" || item == "b/s2" { 2 } else { 1 };
            assert_eq!(answers, expected, "{item} was executed more than once");
        }
        let verified = stage.hast(&["verify"]);
        assert!(!verified.out.contains(".brain"), "{}", verified.out);
    }
}

/// How often each item was answered, by the log.
fn answers(log: &str) -> BTreeMap<&str, usize> {
    let mut answers = BTreeMap::new();
    for line in log.lines().filter(|line| line.contains("TASK_ANSWERED")) {
        let rest = line.split_once("\"task_id\":\"").map(|(_, rest)| rest);
        if let Some((item, _)) = rest.and_then(|rest| rest.split_once('"')) {
            *answers.entry(item).or_default() += 1;
        }
    }
    answers
}
