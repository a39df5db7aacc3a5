//! Replies of agents, for every flow alike: a file that is missing or breaks its rules is asked for
//! again with what was wrong, so many times and no more. Pure: it looks at results and names a call.

use std::collections::BTreeMap;

use crate::agents::outbox::OutboxFinding;
use crate::docs::call::CallFinding;
use crate::docs::document::{self, Document};
use crate::formats::diagnostic::Diagnostic;
use crate::formats::source::Source;
use crate::messages;
use crate::step_log::AGAIN;
use crate::steps::{Answer, Call, CallResult, Effect, EffectResult, StepKey};
use crate::words::Lang;

messages! {
    empty_file(name) { en: "`{name}` is empty", ko: "`{name}`(이)가 비어 있습니다" }
    empty_file_next(name) { en: "write `{name}` with its content", ko: "`{name}`에 내용을 쓰세요" }
    never_ran() { en: "the call never ran", ko: "호출이 실행되지 않았습니다" }
    not_a_call() { en: "something else answered where an agent was asked", ko: "에이전트에게 물은 자리에 다른 것이 답했습니다" }
}

/// One question to an agent, over all the times it is asked.
#[derive(Clone, Debug)]
pub struct Asking<'r> {
    /// The key of the first call; those after it are numbered.
    pub key: StepKey,
    pub max_regenerations: u32,
    /// Results that no commit has used yet.
    pub results: &'r BTreeMap<StepKey, EffectResult>,
    pub lang: Lang,
}

/// Where a question stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked<T> {
    /// This call has to be made, or is on its way.
    Call { key: StepKey, call: Box<Call> },
    /// What came back, and the steps that the commit which uses it ends. `rejected` has what was
    /// wrong each time before.
    Answered { value: T, steps: Vec<StepKey>, rejected: Vec<String> },
    /// There is no answer, and asking again is no use.
    Unanswered { why: NoAnswer, steps: Vec<StepKey>, rejected: Vec<String> },
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// Asked for as often as is allowed, and still wrong.
    Broken(Vec<CallFinding>),
    Failed(String),
    /// The agent wants a person.
    Blocked(String),
}

impl Asking<'_> {
    /// Asks, and asks again. `read` says what a flow makes of an answer, or all that is wrong with
    /// it; what breaks a schema never gets that far.
    pub fn ask<T>(
        &self,
        call: impl FnOnce() -> Call,
        read: impl Fn(&Answer) -> Result<T, Vec<CallFinding>>,
    ) -> Asked<T> {
        let (mut steps, mut rejected) = (Vec::new(), Vec::new());
        let (mut findings, mut left) = (Vec::new(), BTreeMap::new());
        for regeneration in 0..=self.max_regenerations {
            let key = numbered(&self.key, regeneration);
            let Some(result) = self.results.get(&key) else {
                let mut call = Box::new(Call { regeneration, findings, ..call() });
                let expected = |name: &String| call.expected.iter().any(|one| one.name == *name);
                left.retain(|name, _| expected(name));
                call.rejected = left;
                return Asked::Call { key, call };
            };
            steps.push(key);
            findings = match judge(result, &read, self.lang) {
                Ok(value) => return Asked::Answered { value, steps, rejected },
                Err(NoAnswer::Broken(findings)) => findings,
                Err(why) => return Asked::Unanswered { why, steps, rejected },
            };
            left = written(result);
            rejected.push(all_in_one_line(&findings));
        }
        Asked::Unanswered { why: NoAnswer::Broken(findings), steps, rejected }
    }
}

impl<T> Asked<T> {
    /// The effect to ask the world for, where there is one.
    pub fn effect(self) -> Result<(StepKey, Effect), Self> {
        match self {
            Self::Call { key, call } => Ok((key, Effect::Call(call))),
            other => Err(other),
        }
    }
}

impl NoAnswer {
    /// The reason in one line.
    pub fn reason(&self) -> String {
        match self {
            Self::Broken(findings) => all_in_one_line(findings),
            Self::Failed(reason) | Self::Blocked(reason) => reason.clone(),
        }
    }
}

/// The key of a question asked again. The first has the name itself.
pub fn numbered(key: &StepKey, regeneration: u32) -> StepKey {
    match regeneration {
        0 => key.clone(),
        again => StepKey::new(&[key.as_str(), &format!("{AGAIN}{again}")]),
    }
}

/// Forgets what came back for a question, however often it was asked: a commit has used it.
pub fn forget(results: &mut BTreeMap<StepKey, EffectResult>, key: &StepKey) {
    results.remove(key);
    for again in 1.. {
        if results.remove(&numbered(key, again)).is_none() {
            break;
        }
    }
}

fn judge<T>(
    result: &EffectResult,
    read: impl Fn(&Answer) -> Result<T, Vec<CallFinding>>,
    lang: Lang,
) -> Result<T, NoAnswer> {
    let EffectResult::Call(result) = result else { return Err(NoAnswer::Failed(not_a_call(lang))) };
    match result {
        CallResult::Completed(answer) => read(answer).map_err(NoAnswer::Broken),
        CallResult::Broken { findings, .. } => Err(NoAnswer::Broken(findings.clone())),
        CallResult::Failed { reason, .. } => Err(NoAnswer::Failed(reason.clone())),
        CallResult::Blocked { reason } => Err(NoAnswer::Blocked(reason.clone())),
        // The driver ends on these; no flow sees them.
        CallResult::Limited { .. }
        | CallResult::LoginNeeded { .. }
        | CallResult::NotStarted { .. }
        | CallResult::OverBudget { .. }
        | CallResult::Cancelled => Err(NoAnswer::Failed(never_ran(lang))),
    }
}

/// The files of a reply, whatever they are worth.
fn written(result: &EffectResult) -> BTreeMap<String, Vec<u8>> {
    match result {
        EffectResult::Call(CallResult::Broken { left, .. }) => left.clone(),
        EffectResult::Call(CallResult::Completed(answer)) => answer.documents.clone(),
        _ => BTreeMap::new(),
    }
}

/// A file that must be there and say something.
pub fn file<'a>(answer: &'a Answer, name: &str, lang: Lang) -> Result<&'a [u8], Vec<CallFinding>> {
    match answer.documents.get(name) {
        Some(bytes) if bytes.trim_ascii().is_empty() => Err(vec![CallFinding {
            file: name.to_owned(),
            line: None,
            problem: empty_file(lang, name),
            next: empty_file_next(lang, name),
        }]),
        Some(bytes) => Ok(bytes),
        None => Err(vec![OutboxFinding::Missing { name: name.to_owned() }.for_call(lang)]),
    }
}

/// A document with its tree, for findings that point into it.
pub fn document<'a, D: Document>(
    answer: &'a Answer,
    name: &'a str,
    lang: Lang,
) -> Result<(Source<'a>, document::Read<D>), Vec<CallFinding>> {
    let told = |found: Vec<Diagnostic>| {
        let errors = found.into_iter().filter(Diagnostic::is_error);
        errors.map(|finding| OutboxFinding::Wrong(finding).for_call(lang)).collect::<Vec<_>>()
    };
    let bytes = file(answer, name, lang)?;
    let source = Source::from_bytes(name, bytes).map_err(|finding| told(vec![finding]))?;
    let read = document::read(&source).map_err(told)?;
    Ok((source, read))
}

fn all_in_one_line(findings: &[CallFinding]) -> String {
    findings.iter().map(one_line).collect::<Vec<_>>().join("; ")
}

/// A finding on one line, as a log shows it.
pub fn one_line(finding: &CallFinding) -> String {
    let CallFinding { file, line, problem, next } = finding;
    let place = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
    format!("{place}: {problem} -> {next}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::outcome::FailureClass;
    use crate::agents::usage::Usage;

    type Results = BTreeMap<StepKey, EffectResult>;

    fn key(text: &str) -> StepKey {
        StepKey::new(&[text])
    }

    fn ask(results: &Results, most: u32) -> Asked<String> {
        let asking =
            Asking { key: key("T/review"), max_regenerations: most, results, lang: Lang::En };
        asking.ask(
            || Call::new("critic", "review", "T", "prompt".to_owned()),
            |answer| {
                let bytes = file(answer, "report.md", Lang::En)?;
                Ok(String::from_utf8_lossy(bytes).into_owned())
            },
        )
    }

    fn answer(text: &str) -> EffectResult {
        let documents = BTreeMap::from([("report.md".to_owned(), text.as_bytes().to_vec())]);
        EffectResult::Call(CallResult::Completed(Answer { documents, ..Answer::default() }))
    }

    fn broken(problem: &str) -> EffectResult {
        let (problem, next) = (problem.to_owned(), "mend it".to_owned());
        let findings =
            vec![CallFinding { file: "report.md".to_owned(), line: Some(3), problem, next }];
        EffectResult::Call(CallResult::Broken {
            findings,
            left: BTreeMap::new(),
            usage: Usage::default(),
        })
    }

    #[test]
    fn a_broken_file_is_asked_for_again_with_its_findings() {
        let mut results = Results::new();
        let Asked::Call { key: first, call } = ask(&results, 2) else { panic!() };
        assert_eq!((first, call.regeneration, call.findings.len()), (key("T/review"), 0, 0));
        results.insert(key("T/review"), broken("no verdict"));
        let Asked::Call { key: second, call } = ask(&results, 2) else { panic!() };
        assert_eq!((second.as_str(), call.regeneration), ("T/review/again-1", 1));
        assert_eq!(call.findings[0].problem, "no verdict");
        results.insert(second.clone(), answer("PASS"));
        let Asked::Answered { value, steps, rejected } = ask(&results, 2) else { panic!() };
        assert_eq!(rejected.len(), steps.len() - 1);
        assert_eq!((value.as_str(), steps), ("PASS", vec![key("T/review"), second]));
    }

    #[test]
    fn a_rejected_document_goes_along_with_the_next_call() {
        let asks = |results: &Results| {
            let asking =
                Asking { key: key("T/review"), max_regenerations: 2, results, lang: Lang::En };
            let call = || Call {
                expected: vec![crate::steps::Expected::required("report.md")],
                ..Call::new("critic", "review", "T", "prompt".to_owned())
            };
            let wrong = |_: &Answer| {
                let (problem, next) = ("wrong".to_owned(), "mend it".to_owned());
                let file = "report.md".to_owned();
                Err::<(), _>(vec![CallFinding { file, line: None, problem, next }])
            };
            match asking.ask(call, wrong) {
                Asked::Call { call, .. } => call.rejected,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(asks(&Results::new()), BTreeMap::new());
        let first = BTreeMap::from([("report.md".to_owned(), b"PASS?".to_vec())]);
        let mut results = Results::from([(key("T/review"), answer("PASS?"))]);
        assert_eq!(asks(&results), first, "what the flow refused");
        let left = BTreeMap::from([
            ("report.md".to_owned(), b"{".to_vec()),
            ("notes.md".to_owned(), b"not asked for".to_vec()),
        ]);
        let findings = Vec::new();
        let broken = CallResult::Broken { findings, left, usage: Usage::default() };
        results.insert(key("T/review/again-1"), EffectResult::Call(broken));
        let second = BTreeMap::from([("report.md".to_owned(), b"{".to_vec())]);
        assert_eq!(asks(&results), second, "what broke its schema, and nothing else");
    }

    #[test]
    fn what_a_flow_finds_wrong_is_asked_for_again_like_a_broken_schema() {
        let results = Results::from([(key("T/review"), answer(""))]);
        let Asked::Call { call, .. } = ask(&results, 1) else { panic!() };
        assert_eq!(
            one_line(&call.findings[0]),
            "report.md: `report.md` is empty -> write `report.md` with its content"
        );
    }

    #[test]
    fn at_most_so_many_times_and_then_the_findings_are_the_reason() {
        let results = Results::from([
            (key("T/review"), broken("first")),
            (key("T/review/again-1"), broken("second")),
        ]);
        let Asked::Unanswered { why, steps, rejected } = ask(&results, 1) else { panic!() };
        assert_eq!(rejected.len(), steps.len());
        assert_eq!(why.reason(), "report.md:3: second -> mend it");
        assert_eq!(steps.len(), 2);
    }

    #[test]
    fn a_failed_call_is_not_asked_again() {
        let failed =
            CallResult::Failed { class: FailureClass::Signal(6), reason: "it crashed".to_owned() };
        let results = Results::from([(key("T/review"), EffectResult::Call(failed))]);
        let Asked::Unanswered { why, .. } = ask(&results, 5) else { panic!() };
        assert_eq!(why, NoAnswer::Failed("it crashed".to_owned()));
    }

    #[test]
    fn what_was_used_is_forgotten_and_nothing_else() {
        let mut results = Results::from([
            (key("T/review"), broken("a")),
            (key("T/review/again-1"), broken("b")),
            (key("T/review-2"), broken("c")),
        ]);
        forget(&mut results, &key("T/review"));
        assert_eq!(results.keys().collect::<Vec<_>>(), [&key("T/review-2")]);
    }
}
