//! The request is everything that an agent receives for a call: `call.json`, the whole prompt, and
//! the limits of its process.

use std::time::Duration;

use crate::agents::asking::{Seen, expected_section, findings_section, given_section, say};
use crate::agents::budget::Reservation;
use crate::agents::command::{AgentCall, NativeSession};
use crate::agents::usage::Usd;
use crate::docs::call::{Call as CallFile, CallInput, CallLimits, ExpectedDocument};
use crate::docs::document::Version;
use crate::docs::files::FlowName;
use crate::docs::goals::{Config, Language};
use crate::process::Limits;
use crate::process::environment::Pattern;
use crate::steps::{Call, Needed, Place};
use crate::time::UtcTime;
use crate::words::Lang;

/// Where a call takes place, absolute. Names that are not UTF-8 cannot be told to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    pub root: String,
    pub workdir: String,
    pub outbox: String,
    pub prompt_file: String,
    pub call_file: String,
}

/// A call with everything that is known before it begins.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub flow: FlowName,
    pub call: &'a Call,
    pub config: &'a Config,
    pub lang: Lang,
    /// When the call is made, for documents that have a time.
    pub at: UtcTime,
}

impl Asked<'_> {
    /// How long the call may take without a budget.
    pub fn timeout(&self) -> Duration {
        let timeout = self.config.timeout();
        self.call.timeout.unwrap_or_else(|| timeout.duration())
    }

    /// The limits of its process.
    pub fn limits(&self, reservation: &Reservation) -> Limits {
        let stall = self.config.stall();
        let budgeted = reservation.limit.seconds.map_or(Duration::MAX, Duration::from_secs);
        Limits {
            timeout: self.timeout().min(budgeted),
            stall: Some(stall.duration()),
            ..Limits::default()
        }
    }

    /// The unit as budgets count it: flows have ids of their own.
    pub fn unit(&self) -> String {
        format!("{}/{}", self.flow.as_str(), self.call.unit)
    }

    /// The language of texts: what the project says, else what the user's messages are in.
    pub fn language(&self) -> Language {
        self.config.language.unwrap_or(match self.lang {
            Lang::En => Language::En,
            Lang::Ko => Language::Ko,
        })
    }

    /// What the agent is asked, complete.
    pub fn agent_call(
        &self,
        paths: &Paths,
        inputs: Vec<CallInput>,
        reservation: &Reservation,
    ) -> AgentCall {
        let file = self.call_file(paths, inputs, reservation);
        let seen = match self.call.place {
            Place::Copies => Seen::Copies,
            Place::Reading
            | Place::Checkout
            | Place::Within(_)
            | Place::Worktree(_)
            | Place::Viewing(_) => Seen::All,
        };
        let given = given_section(&file, seen);
        let expected = expected_section(&file, self.call.further, self.at, &self.call.shown);
        let mut findings = findings_section(&file.findings, file.language);
        if !self.call.rejected.is_empty() {
            findings += &format!("\n{}", say::rejected(file.language.lang()));
        }
        let prompt = whole_prompt([&self.call.prompt, &given, &findings, &expected]);
        AgentCall {
            call: file,
            call_file: paths.call_file.clone(),
            prompt,
            session: NativeSession::Fresh,
        }
    }

    fn call_file(
        &self,
        paths: &Paths,
        inputs: Vec<CallInput>,
        reservation: &Reservation,
    ) -> CallFile {
        let Call { role, step, unit, attempt, regeneration, findings, ids, .. } = self.call;
        let limits = self.limits(reservation);
        let id = |name: &str| ids.get(name).cloned();
        CallFile {
            version: Version,
            flow: self.flow,
            role: role.clone(),
            step: (*step).to_owned(),
            unit: unit.clone(),
            attempt: *attempt,
            regeneration: *regeneration,
            root: paths.root.clone(),
            workdir: paths.workdir.clone(),
            outbox: paths.outbox.clone(),
            prompt_file: paths.prompt_file.clone(),
            handoff_path: self.call.handoff_path.clone(),
            language: self.language(),
            inputs,
            expected: self.expected(),
            limits: CallLimits {
                timeout_seconds: limits.timeout.as_secs(),
                output_bytes: limits.flood,
                tokens: reservation.limit.tokens,
                usd: reservation.limit.micro_usd.map(|amount| Usd(amount).dollars()),
            },
            grants: None,
            findings: findings.clone(),
            goal_id: id("goal_id"),
            session_id: id("session_id"),
            task_id: id("task_id"),
            run_id: id("run_id"),
            phase: id("phase"),
            stage_id: id("stage_id"),
            tool_task_id: id("tool_task_id"),
            request_id: id("request_id"),
            subtask_id: id("subtask_id"),
        }
    }

    /// What must come back, as documents.
    pub fn expected(&self) -> Vec<ExpectedDocument> {
        let expected = self.call.expected.iter();
        expected
            .map(|document| ExpectedDocument {
                name: document.name.clone(),
                schema: document.schema.map(str::to_owned),
                required: document.needed == Needed::Required,
            })
            .collect()
    }

    /// Variables that the configuration lets through. One that is spelled wrong lets nothing through;
    /// reading the configuration reports it.
    pub fn env(&self) -> Vec<Pattern> {
        self.config.env.iter().filter_map(|text| text.parse().ok()).collect()
    }
}

/// The flow's prompt, what is given, what was wrong before, and what must come back.
fn whole_prompt(parts: [&str; 4]) -> String {
    let parts = parts.map(str::trim_end);
    let mut whole = parts.iter().filter(|part| !part.is_empty()).fold(
        String::new(),
        |mut whole: String, part| {
            if !whole.is_empty() {
                whole += "\n\n";
            }
            whole + part
        },
    );
    whole.push('\n');
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::ledger::Amount;
    use crate::docs::call::CallFinding;
    use crate::docs::goals::Minutes;
    use crate::steps::Expected;

    fn at() -> UtcTime {
        "2026-01-12T14:30:00Z".parse().unwrap()
    }

    fn paths() -> Paths {
        Paths {
            root: "/p".into(),
            workdir: "/p/w".into(),
            outbox: "/p/.hast/calls/k/1/outbox".into(),
            prompt_file: "/p/.hast/calls/k/1/prompt.md".into(),
            call_file: "/p/.hast/calls/k/1/call.json".into(),
        }
    }

    fn call() -> Call {
        let mut call = Call::new("critic", "review", "T-0001", "Review it.\n".to_owned());
        call.expected = vec![Expected::required("report.json").of("critique-report")];
        call.ids.insert("task_id", "T-0001".to_owned());
        call.regeneration = 1;
        call.findings = vec![CallFinding {
            file: "report.json".into(),
            line: Some(3),
            problem: "no verdict".into(),
            next: "add it".into(),
        }];
        call
    }

    #[test]
    fn the_prompt_says_in_words_what_call_json_says_in_fields() {
        let (call, config) = (call(), Config::default());
        let asked = Asked {
            flow: FlowName::Session,
            call: &call,
            config: &config,
            lang: Lang::En,
            at: at(),
        };
        let reservation = Reservation {
            limit: Amount { tokens: Some(9), micro_usd: Some(1_500_000), seconds: Some(60) },
            ..Reservation::default()
        };
        let told = asked.agent_call(&paths(), Vec::new(), &reservation);
        assert_eq!(told.call.task_id.as_deref(), Some("T-0001"));
        assert_eq!((told.call.regeneration, told.call.findings.len()), (1, 1));
        assert_eq!(told.call.limits.timeout_seconds, 60);
        assert_eq!((told.call.limits.tokens, told.call.limits.usd), (Some(9), Some(1.5)));
        let order = ["Review it.", "report.json:3: no verdict -> add it", "/k/1/outbox"];
        let places: Vec<_> = order.iter().map(|part| told.prompt.find(part).unwrap()).collect();
        assert!(places.is_sorted(), "{}", told.prompt);
        assert!(told.prompt.contains("\"verdict\""), "an example is part of the prompt");
        assert!(!told.prompt.contains("`rejected`"), "nothing was there");
        let rejected = [("report.json".to_owned(), b"{".to_vec())].into();
        let again = Call { rejected, ..call.clone() };
        let asked = Asked { call: &again, ..asked };
        let told = asked.agent_call(&paths(), Vec::new(), &reservation);
        assert!(told.prompt.contains("in the directory `rejected`"), "{}", told.prompt);
    }

    #[test]
    fn where_a_handoff_is_asked_for_no_other_way_out_is_named() {
        let (mut call, config) = (call(), Config::default());
        (call.expected, call.findings) = (Vec::new(), Vec::new());
        let told = |call: &Call| {
            let asked =
                Asked { flow: FlowName::Goals, call, config: &config, lang: Lang::En, at: at() };
            asked.agent_call(&paths(), Vec::new(), &Reservation::default()).prompt
        };
        assert!(told(&call).contains("blocked.json"));
        call.handoff_path = Some(".ai/handoffs/2026-02-09_143000.md".to_owned());
        assert_eq!(told(&call), "Review it.\n");
    }

    #[test]
    fn copies_are_named_as_they_lie_in_the_working_directory() {
        let (mut call, config) = (call(), Config::default());
        call.place = Place::Copies;
        let asked = Asked {
            flow: FlowName::Session,
            call: &call,
            config: &config,
            lang: Lang::En,
            at: at(),
        };
        let sha256 = crate::ids::Sha256::of(b"");
        let inputs = vec![CallInput { path: "/p/w/plan/active/x.json".to_owned(), sha256 }];
        let told = asked.agent_call(&paths(), inputs, &Reservation::default());
        assert!(told.prompt.contains("`/p/w`") && told.prompt.contains("- `plan/active/x.json`"));
    }

    #[test]
    fn every_input_is_named_by_its_path_wherever_the_agent_works() {
        let (mut call, config) = (call(), Config::default());
        let sha256 = crate::ids::Sha256::of(b"");
        let paths_of = ["/p/w/.claude/x.yaml", "/elsewhere/inputs/rejected/report.json"];
        let inputs =
            paths_of.map(|path| CallInput { path: path.to_owned(), sha256: sha256.clone() });
        for place in [Place::Reading, Place::Checkout, Place::Within(Vec::new())] {
            call.place = place;
            let (call, lang) = (&call, Lang::En);
            let asked = Asked { flow: FlowName::Contract, call, config: &config, lang, at: at() };
            let told = asked.agent_call(&paths(), inputs.to_vec(), &Reservation::default());
            assert!(told.prompt.contains("- `.claude/x.yaml`\n"), "{}", told.prompt);
            assert!(told.prompt.contains("- `/elsewhere/inputs/rejected/report.json`\n"));
            assert!(told.prompt.contains("below your working directory `/p/w`"));
        }
    }

    #[test]
    fn a_call_lasts_as_long_as_it_asks_else_as_the_configuration_says() {
        let mut call = call();
        let mut config = Config::default();
        let limits = |call: &Call, config: &Config| {
            let asked = Asked { flow: FlowName::Goals, call, config, lang: Lang::En, at: at() };
            asked.limits(&Reservation::default())
        };
        assert_eq!(limits(&call, &config).timeout, Duration::from_secs(1800));
        assert_eq!(limits(&call, &config).stall, Some(Duration::from_secs(600)));
        config.timeout_minutes = Some(Minutes::new(2));
        assert_eq!(limits(&call, &config).timeout, Duration::from_secs(120));
        call.timeout = Some(Duration::from_secs(7));
        assert_eq!(limits(&call, &config).timeout, Duration::from_secs(7));
    }
}
