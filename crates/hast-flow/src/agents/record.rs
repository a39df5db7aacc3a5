//! Makes the record of a call: everything that is known about it, without its secrets.

use jiff::Timestamp;

use crate::agents::command::AgentCommand;
use crate::agents::limit::Limit;
use crate::agents::outcome::Outcome;
use crate::agents::redact::Redactor;
use crate::agents::reply::AgentReply;
use crate::agents::usage::{Earlier, Tokens, Usage, Usd};
use crate::docs::call::{Call, CallFinding};
use crate::docs::call_record::{
    CallRecord, ExitKind, RecordedExit, RecordedOutcome, RecordedUsage,
};
use crate::docs::document::Version;
use crate::process::exit::Exit;
use crate::time::UtcTime;
use crate::words::Lang;

/// What a record is made from.
#[derive(Clone, Copy, Debug)]
pub struct Recording<'a> {
    pub call: &'a Call,
    pub command: &'a AgentCommand,
    pub started_at: Timestamp,
    pub duration_ms: u64,
    pub exit: &'a Exit,
    pub reply: &'a AgentReply,
    pub outcome: &'a Outcome,
    pub earlier: Earlier,
    pub findings: &'a [CallFinding],
}

pub fn record(recording: Recording<'_>, redactor: &Redactor, lang: Lang) -> CallRecord {
    let Recording { call, reply, outcome, .. } = recording;
    let clean = |text: &str| redactor.text(text);
    CallRecord {
        version: Version,
        flow: call.flow,
        role: call.role.clone(),
        step: call.step.clone(),
        unit: call.unit.clone(),
        attempt: call.attempt,
        regeneration: call.regeneration,
        command: clean(&recording.command.shown),
        started_at: UtcTime::new(recording.started_at),
        duration_ms: recording.duration_ms,
        exit: exit(recording.exit),
        outcome: word(outcome),
        reason: clean(&reason(outcome, recording.exit, lang)),
        resume_at: match outcome {
            Outcome::Limited(limit) => limit.resume_at.map(UtcTime::new),
            _ => None,
        },
        usage: usage(reply.usage(recording.earlier)),
        native_session: reply.session.as_deref().map(clean),
        native_usage: usage(reply.reported()),
        model: reply.model.as_deref().map(clean),
        denials: reply.denials.iter().map(|tool| clean(tool)).collect(),
        findings: recording
            .findings
            .iter()
            .map(|finding| finding_without(finding, redactor))
            .collect(),
    }
}

/// What a session had used before, as the record of its last call tells it.
pub fn earlier(last: Option<&CallRecord>) -> Earlier {
    let Some(RecordedUsage { input_tokens, output_tokens, cached_tokens, micro_usd }) =
        last.map(|record| record.native_usage)
    else {
        return Earlier::Unknown;
    };
    let tokens = input_tokens.map(|input| Tokens {
        input,
        output: output_tokens.unwrap_or(0),
        cached: cached_tokens.unwrap_or(0),
    });
    Earlier::Known(Usage { tokens, cost: micro_usd.map(Usd) })
}

fn exit(exit: &Exit) -> RecordedExit {
    let (kind, code) = match exit {
        Exit::NotStarted(_) => (ExitKind::NotStarted, None),
        Exit::Exited(code) => (ExitKind::Exited, Some(*code)),
        Exit::Signalled(signal) => (ExitKind::Signalled, Some(*signal)),
        Exit::TimedOut => (ExitKind::TimedOut, None),
        Exit::Stalled => (ExitKind::Stalled, None),
        Exit::Leaked(_) => (ExitKind::Leaked, None),
        Exit::Flooded => (ExitKind::Flooded, None),
        Exit::Cancelled => (ExitKind::Cancelled, None),
        Exit::Lost => (ExitKind::Lost, None),
    };
    RecordedExit { kind, code }
}

fn word(outcome: &Outcome) -> RecordedOutcome {
    match outcome {
        Outcome::Completed => RecordedOutcome::Completed,
        Outcome::Blocked { .. } => RecordedOutcome::Blocked,
        Outcome::Limited(_) => RecordedOutcome::Limited,
        Outcome::LoginNeeded { .. } => RecordedOutcome::LoginNeeded,
        Outcome::Denied { .. } => RecordedOutcome::Denied,
        Outcome::Failed { .. } => RecordedOutcome::Failed,
        Outcome::NotStarted(_) | Outcome::NeverBegan { .. } => RecordedOutcome::NotStarted,
        Outcome::Cancelled => RecordedOutcome::Cancelled,
    }
}

/// The agent's words; where it had none, what the supervisor saw.
fn reason(outcome: &Outcome, exit: &Exit, lang: Lang) -> String {
    match outcome {
        Outcome::Completed => String::new(),
        Outcome::Blocked { reason } => reason.clone(),
        Outcome::Limited(Limit { text, .. }) | Outcome::LoginNeeded { text } => text.clone(),
        Outcome::Denied { tools } => tools.join(", "),
        Outcome::Failed { reason, .. } | Outcome::NeverBegan { reason } if !reason.is_empty() => {
            reason.clone()
        }
        Outcome::Failed { .. } | Outcome::NeverBegan { .. } | Outcome::Cancelled => exit.what(lang),
        Outcome::NotStarted(cause) => cause.what(lang),
    }
}

fn usage(usage: Usage) -> RecordedUsage {
    RecordedUsage {
        input_tokens: usage.tokens.map(|tokens| tokens.input),
        output_tokens: usage.tokens.map(|tokens| tokens.output),
        cached_tokens: usage.tokens.map(|tokens| tokens.cached),
        micro_usd: usage.cost.map(|cost| cost.0),
    }
}

fn finding_without(finding: &CallFinding, redactor: &Redactor) -> CallFinding {
    CallFinding {
        file: finding.file.clone(),
        line: finding.line,
        problem: redactor.text(&finding.problem),
        next: redactor.text(&finding.next),
    }
}
