//! A line now and then for each agent that works, where there is no board to look at: long silence looks like
//! a hang. The time is passed in; nothing is printed here.

use std::collections::BTreeMap;
use std::time::Duration;

use super::board::{cut, elapsed};

const LONGEST: usize = 160;

/// The calls under way, by the key of their step.
#[derive(Debug)]
pub(crate) struct Beats {
    /// A call says something at least this often.
    every: Duration,
    working: BTreeMap<String, Working>,
}

#[derive(Debug)]
struct Working {
    unit: String,
    agent: String,
    since: Duration,
    told: Duration,
    doing: String,
    cost: String,
}

impl Beats {
    pub(crate) fn new(every: Duration) -> Self {
        Self { every, working: BTreeMap::new() }
    }

    pub(crate) fn begin(&mut self, key: &str, unit: &str, agent: &str, now: Duration) {
        let (unit, agent) = (unit.to_owned(), agent.to_owned());
        let (doing, cost) = (String::new(), String::new());
        let working = Working { unit, agent, since: now, told: now, doing, cost };
        self.working.insert(key.to_owned(), working);
    }

    /// What the agent does now, where that is news, and what it has cost so far.
    pub(crate) fn hear(&mut self, key: &str, doing: Option<&str>, cost: Option<String>) {
        let Some(working) = self.working.get_mut(key) else { return };
        if let Some(doing) = doing {
            doing.clone_into(&mut working.doing);
        }
        working.cost = cost.unwrap_or_default();
    }

    pub(crate) fn end(&mut self, key: &str) {
        self.working.remove(key);
    }

    /// The lines that are due, and remembers that they were told.
    pub(crate) fn due(&mut self, now: Duration) -> Vec<String> {
        let every = self.every;
        let due = self.working.values_mut().filter(|working| now - working.told.min(now) >= every);
        let line = |working: &mut Working| {
            working.told = now;
            let Working { unit, agent, since, doing, cost, .. } = working;
            let time = elapsed(now.saturating_sub(*since));
            let parts = [agent.as_str(), &time, doing, cost];
            let parts = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            cut(&format!("{unit}: {}", parts.join(" · ")), LONGEST)
        };
        due.map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn an_agent_that_works_is_told_of_every_thirty_seconds_until_it_ends() {
        let mut beats = Beats::new(seconds(30));
        beats.begin("auto/M1/1", "M1", "claude", seconds(10));
        assert!(beats.due(seconds(39)).is_empty());
        assert_eq!(beats.due(seconds(40)), ["M1: claude · 30s"]);
        let cost = Some("1.2k tokens".to_owned());
        beats.hear("auto/M1/1", Some("Bash: cargo test"), cost.clone());
        beats.hear("auto/M1/1", None, cost);
        assert!(beats.due(seconds(69)).is_empty());
        assert_eq!(
            beats.due(seconds(75)),
            ["M1: claude · 1m 05s · Bash: cargo test · 1.2k tokens"]
        );
        beats.end("auto/M1/1");
        assert!(beats.due(seconds(200)).is_empty());
    }

    #[test]
    fn each_of_several_calls_has_its_own_line_and_none_is_obeyed_by_a_terminal() {
        let mut beats = Beats::new(seconds(30));
        beats.begin("a", "목표/1", "claude", seconds(0));
        beats.begin("b", "M2", "codex", seconds(20));
        beats.hear("a", Some("\u{1b}[2Jsh -c\nrm"), None);
        assert_eq!(beats.due(seconds(30)), ["목표/1: claude · 30s ·  [2Jsh -c rm"]);
        assert_eq!(beats.due(seconds(50)), ["M2: codex · 30s"]);
        assert_eq!(beats.due(seconds(60)).len(), 1);
    }
}
