//! A call that has ended is settled here. It becomes a result for the flow, a record without
//! secrets, and a line in the ledger. No process of the call runs any more when this begins.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::agents::beginning::{Beginning, EndOf, beginning};
use crate::agents::budget;
use crate::agents::choice::Chosen;
use crate::agents::command::{AgentCall, AgentCommand};
use crate::agents::denials;
use crate::agents::ledger::{Amount, Ended as HowEnded};
use crate::agents::limit::{Limit, Moment};
use crate::agents::outbox::{self, Files, Taken};
use crate::agents::outcome::{Documents, Evidence, FailureClass, Outcome, classify};
use crate::agents::problem::AgentProblem;
use crate::agents::record::{Recording, record};
use crate::agents::redact::Redactor;
use crate::agents::reply::AgentReply;
use crate::agents::usage::{Earlier, Usage};
use crate::calling::strays;
use crate::docs::call::CallFinding;
use crate::docs::call_record::CallRecord;
use crate::process::exit::{Applied, Exit};
use crate::process::refusal::{is_below, refusal};
use crate::steps::{Answer, CallResult};
use crate::words::Lang;

/// Everything that is known when nothing of the call runs any more.
#[derive(Clone, Copy, Debug)]
pub struct Over<'a> {
    pub agent: &'a Chosen,
    pub asked: &'a AgentCall,
    pub command: &'a AgentCommand,
    pub started_at: Timestamp,
    pub lasted: Duration,
    pub exit: &'a Exit,
    /// The sandbox that held it.
    pub sandbox: &'a Applied,
    /// The last line of what it complained about, without secrets.
    pub said: &'a str,
    /// Where its record is, for a person.
    pub kept_in: &'a str,
    pub reply: &'a AgentReply,
    pub files: &'a Files,
    /// Expected files that lie there and cannot be taken: links, pipes, too large ones.
    pub unreadable: &'a [CallFinding],
    /// Changed settings of the agent.
    pub settings: &'a [CallFinding],
    pub spending: Spending,
    /// What it changed and may not.
    pub strays: &'a [String],
    pub changed: Changed,
    pub moment: Moment,
}

/// Whether the agent left anything. Looked at only where that decides whether it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    NotLookedAt,
    Nothing,
    Something,
}

/// Whether hast ended the call because it had used all that it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    Within,
    UsedUp,
}

/// What follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    pub end: End,
    /// Nothing where nothing could even be started.
    pub record: Option<CallRecord>,
    pub used: Amount,
    pub how: HowEnded,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    Result(CallResult),
    /// Until when is for the ledger to say, and whether somebody else is asked.
    Limited(Limit),
    /// The program is not there; somebody else may be asked.
    Missing(CallResult),
    /// The agent ended before it began; it may be started once more.
    NeverBegan(CallResult),
}

impl Settled {
    /// A call whose command cannot be made.
    pub fn impossible(problem: &AgentProblem, lang: Lang) -> Self {
        let result =
            CallResult::NotStarted { reason: problem.what(lang), next: problem.next(lang) };
        let (record, used) = (None, Amount::default());
        Self { end: End::Result(result), record, used, how: HowEnded::Failed }
    }
}

pub fn settle(over: Over<'_>, redactor: &Redactor, lang: Lang) -> Settled {
    let expected = &over.asked.call.expected;
    let taken = outbox::take(expected, over.files, over.reply.final_text());
    let mut findings = explained(taken.call_findings(lang), over.unreadable);
    let documents = if findings.is_empty() || taken.word.is_some() {
        taken.documents(expected)
    } else {
        Documents::Missing
    };
    let outcome = outcome(over, documents, &taken, lang);
    let usage = over.reply.usage(Earlier::Nothing);
    let result = result(over, &outcome, &taken, findings.clone(), usage, lang);
    findings.extend_from_slice(over.settings);
    let record = record(
        Recording {
            call: &over.asked.call,
            command: over.command,
            started_at: over.started_at,
            duration_ms: u64::try_from(over.lasted.as_millis()).unwrap_or(u64::MAX),
            exit: over.exit,
            reply: over.reply,
            outcome: &outcome,
            earlier: Earlier::Nothing,
            findings: &findings,
        },
        redactor,
        lang,
    );
    let used = Amount {
        tokens: usage.tokens.map(|tokens| tokens.total()),
        micro_usd: usage.cost.map(|cost| cost.0),
        seconds: Some(over.lasted.as_secs()),
    };
    Settled { end: result, record: Some(record), used, how: how(&outcome) }
}

fn outcome(over: Over<'_>, documents: Documents, taken: &Taken, lang: Lang) -> Outcome {
    // Ended by us on purpose: to the supervisor that looks like an interruption.
    if over.spending == Spending::UsedUp {
        let reason = budget::say::reached(lang);
        return Outcome::Failed { class: FailureClass::Budget, reason };
    }
    let evidence = Evidence {
        provider: &over.agent.provider,
        exit: over.exit,
        reply: over.reply,
        documents,
        word: taken.word.as_ref(),
    };
    match classify(evidence, over.moment) {
        // Nothing of it counts, or nothing ran.
        outcome @ (Outcome::Cancelled | Outcome::NotStarted(_)) => outcome,
        Outcome::Failed { reason, .. } if over.strays.is_empty() && never_began(over, taken) => {
            let said = if reason.is_empty() { over.said.to_owned() } else { reason };
            Outcome::NeverBegan { reason: said }
        }
        outcome if over.strays.is_empty() => outcome,
        _ => {
            let class = FailureClass::Strayed;
            Outcome::Failed { class, reason: strays::told(over.strays, lang) }
        }
    }
}

fn never_began(over: Over<'_>, taken: &Taken) -> bool {
    let end = EndOf {
        provider: &over.agent.provider,
        exit: over.exit,
        reply: over.reply,
        word: taken.word.as_ref(),
        lasted: over.lasted,
    };
    match beginning(end) {
        Beginning::Worked => false,
        Beginning::NeverBegan => true,
        Beginning::IfUnchanged => over.changed == Changed::Nothing,
    }
}

/// A file that is there and cannot be taken is not just missing.
fn explained(mut findings: Vec<CallFinding>, unreadable: &[CallFinding]) -> Vec<CallFinding> {
    findings.retain(|finding| unreadable.iter().all(|better| better.file != finding.file));
    findings.extend_from_slice(unreadable);
    findings
}

fn result(
    over: Over<'_>,
    outcome: &Outcome,
    taken: &Taken,
    findings: Vec<CallFinding>,
    usage: Usage,
    lang: Lang,
) -> End {
    let agent = over.agent.name.clone();
    End::Result(match outcome {
        Outcome::Completed if !findings.is_empty() => {
            CallResult::Broken { findings, left: over.files.clone(), usage }
        }
        Outcome::Completed => CallResult::Completed(answer(over, taken, usage, lang)),
        Outcome::Blocked { reason } => CallResult::Blocked { reason: reason.clone() },
        Outcome::Limited(limit) => return End::Limited(limit.clone()),
        Outcome::LoginNeeded { text } => {
            CallResult::LoginNeeded { agent, advice: login_advice(text, lang) }
        }
        Outcome::Denied { tools } => CallResult::Failed {
            class: FailureClass::AgentSaid,
            reason: denials::told(over.agent, tools, lang).unwrap_or_default(),
        },
        Outcome::Failed { class, reason } if reason.is_empty() => {
            CallResult::Failed { class: *class, reason: died(over, lang) }
        }
        Outcome::Failed { class, reason } => {
            CallResult::Failed { class: *class, reason: with_advice(reason.clone(), over, lang) }
        }
        Outcome::NotStarted(cause) => {
            use crate::process::exit::NotStarted;
            let reason = say::not_started(lang, agent, cause.what(lang));
            let result = CallResult::NotStarted { reason, next: say::not_started_next(lang) };
            return match cause {
                NotStarted::NoProgram => End::Missing(result),
                NotStarted::NotExecutable
                | NotStarted::NoDirectory
                | NotStarted::TooLong
                | NotStarted::NoSandbox(_)
                | NotStarted::NoRoom(_)
                | NotStarted::Failed { .. } => End::Result(result),
            };
        }
        Outcome::NeverBegan { reason } => {
            let why = match reason.as_str() {
                "" => say::died(lang, over.exit.what(lang), over.kept_in),
                said => say::died_saying(lang, over.exit.what(lang), said, over.kept_in),
            };
            let why = with_advice(why, over, lang);
            let reason = say::never_began(lang, denials::short_name(over.agent), why);
            let next = say::not_started_next(lang);
            return End::NeverBegan(CallResult::NotStarted { reason, next });
        }
        Outcome::Cancelled => CallResult::Cancelled,
    })
}

/// How it ended, its last words, and where all of them are.
fn died(over: Over<'_>, lang: Lang) -> String {
    let what = over.exit.what(lang);
    match over.said {
        "" => say::died(lang, what, over.kept_in),
        said => with_advice(say::died_saying(lang, what, said, over.kept_in), over, lang),
    }
}

/// A reason, and what to do where the agent complains about something that the sandbox refused.
fn with_advice(reason: String, over: Over<'_>, lang: Lang) -> String {
    if !matches!(over.sandbox, Applied::Whole { .. } | Applied::Partly { .. }) {
        return reason;
    }
    let call = &over.asked.call;
    let open = |path: &str| [&call.root, &call.workdir].iter().any(|above| is_below(path, above));
    match refusal(&reason, open).or_else(|| refusal(over.said, open)) {
        Some(refusal) => format!("{reason}; {}", refusal.advice(lang)),
        None => reason,
    }
}

fn answer(over: Over<'_>, taken: &Taken, usage: Usage, lang: Lang) -> Answer {
    let documents: BTreeMap<String, Vec<u8>> = taken
        .documents
        .iter()
        .map(|document| (document.name.clone(), document.bytes.clone()))
        .collect();
    let others = taken.others.iter();
    let others =
        others.filter_map(|name| Some((name.clone(), over.files.get(name)?.clone()))).collect();
    let denied = denials::told(over.agent, &over.reply.denials, lang);
    Answer { documents, others, text: over.reply.final_text().to_owned(), usage, denied }
}

fn login_advice(text: &str, lang: Lang) -> String {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    first.map_or_else(|| say::no_login(lang), str::to_owned)
}

fn how(outcome: &Outcome) -> HowEnded {
    match outcome {
        Outcome::Completed
        | Outcome::Blocked { .. }
        | Outcome::Denied { .. }
        | Outcome::Failed { class: FailureClass::AgentSaid, .. } => HowEnded::Answered,
        Outcome::Limited(_) => HowEnded::Refused,
        Outcome::LoginNeeded { .. }
        | Outcome::Failed { .. }
        | Outcome::NotStarted(_)
        | Outcome::NeverBegan { .. }
        | Outcome::Cancelled => HowEnded::Failed,
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        no_login() { en: "the service asks for a login", ko: "서비스가 로그인을 요구합니다" }
        died(what, at) { en: "{what} (its record: {at})", ko: "{what} (기록: {at})" }
        died_saying(what, said, at) { en: "{what}: {said} (its record: {at})", ko: "{what}: {said} (기록: {at})" }
        not_started(agent, why) { en: "`{agent}` was not started: {why}", ko: "`{agent}`(을)를 시작하지 못했습니다: {why}" }
        never_began(agent, why) { en: "`{agent}` ended before its first answer: {why}", ko: "`{agent}`(이)가 첫 응답 전에 끝났습니다: {why}" }
        once_more(reason) { en: "{reason}; it is started once more", ko: "{reason}. 한 번 더 시작합니다" }
        not_started_next() { en: "run `hast agent doctor` to see what is missing", ko: "`hast agent doctor`로 무엇이 빠졌는지 확인하세요" }
        not_regular() { en: "this is not a regular file", ko: "일반 파일이 아닙니다" }
        not_regular_next(name) { en: "write `{name}` as an ordinary file, not as a link or a pipe", ko: "`{name}`(을)를 링크나 파이프가 아닌 일반 파일로 쓰세요" }
        too_large(limit) { en: "this file has more than {limit} bytes", ko: "파일이 {limit}바이트보다 큽니다" }
        too_large_next(name) { en: "write a shorter `{name}`", ko: "`{name}`(을)를 더 짧게 쓰세요" }
        unreadable(why) { en: "this file cannot be read: {why}", ko: "파일을 읽을 수 없습니다: {why}" }
    }
}
