//! The list of all document types: names, schemas, and which file is which.

use crate::docs::document::{self, Document};
use crate::docs::table_document::check_table;
use crate::docs::{builtin, call, call_record, contract, goals, kernel, rehearsal, run, session};
use crate::formats::diagnostic::{Diagnostic, Format, MAX_FINDINGS};
use crate::formats::ndjson::{LogLine, LogLines};
use crate::formats::source::Source;
use crate::formats::table::Row;

/// A document type without its type.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub format: Format,
    pub schema: fn() -> serde_json::Value,
    pub check: fn(&Source<'_>) -> Vec<Diagnostic>,
}

macro_rules! entries {
    ($($checked:ident $type:ty;)*) => {
        /// All document types, by flow.
        pub const ENTRIES: &[Entry] = &[$(Entry {
            name: <$type>::NAME,
            format: <$type>::FORMAT,
            schema: document::schema::<$type>,
            check: $checked::<$type>,
        }),*];
    };
}

entries! {
    whole goals::Config;
    whole goals::Goals;
    whole goals::Handoff;
    whole goals::AutoLock;
    log goals::GoalsEvent;
    log goals::QueueEvent;
    whole goals::GoalViews;
    whole goals::ContextOutput;
    whole goals::DecisionTicket;
    whole goals::ProtocolTask;
    whole goals::ProtocolResult;
    whole session::SessionStatus;
    log session::SessionEvent;
    whole session::Decomposition;
    whole session::PlanMetadata;
    whole session::RoutingState;
    whole session::Replan;
    whole session::SourceRecord;
    log session::RunLogLine;
    whole session::ArtifactManifest;
    whole session::Question;
    whole session::Answer;
    whole session::CritiqueReport;
    whole session::CritiqueDraft;
    whole session::KnowledgeIndex;
    whole session::Pointers;
    whole session::SessionSummary;
    table run::ProcessRun;
    table run::UserInstruction;
    table run::CatalogRow;
    table run::DefaultPhase;
    table run::PhaseRow;
    table run::StageRow;
    table run::TaskRow;
    table run::ToolTaskRow;
    log run::RunEvent;
    log run::DecisionLine;
    whole run::RunRequest;
    whole run::RunFailure;
    whole run::ModeReply;
    whole run::ProposedInstructions;
    whole run::ProposedStages;
    whole run::ProposedTasks;
    whole run::ProposedToolTasks;
    whole run::TaskResult;
    whole kernel::KernelToEngineRequest;
    whole kernel::EngineToKernelResponse;
    whole kernel::EngineToExpertRequest;
    whole kernel::ExpertOutput;
    whole kernel::KernelPlan;
    whole kernel::KernelStatus;
    whole kernel::Brain;
    whole kernel::ExpertIndex;
    whole kernel::Expert;
    log kernel::KernelEvent;
    log kernel::ErrorLine;
    whole kernel::MergeRecord;
    whole kernel::Judgement;
    whole contract::ContractSession;
    whole contract::ContractState;
    whole contract::Explored;
    whole contract::TaskBreakdown;
    whole contract::DesignBrief;
    whole contract::DesignContract;
    whole contract::TestContract;
    whole contract::TestResult;
    whole contract::ProjectKnowledge;
    whole contract::Merge;
    whole contract::Decisions;
    whole contract::Patterns;
    whole contract::Review;
    whole contract::Recommendation;
    log contract::ContractEvent;
    whole call::Call;
    whole call::CallFailed;
    whole call::CallBlocked;
    whole call_record::CallRecord;
    log builtin::BuiltinLine;
    whole rehearsal::Rehearsal;
}

pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

fn whole<D: Document>(source: &Source<'_>) -> Vec<Diagnostic> {
    match document::read::<D>(source) {
        Ok(read) => read.warnings,
        Err(findings) => findings,
    }
}

fn table<R: Document + Row>(source: &Source<'_>) -> Vec<Diagnostic> {
    check_table::<R>(source)
}

/// Checks each line of a log; what a line says wrong is told with the line of the file.
fn log<D: Document>(source: &Source<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for line in LogLines::whole(source.name, source.text.as_bytes()) {
        if findings.len() >= MAX_FINDINGS {
            break;
        }
        match line {
            Err(finding) => findings.push(finding),
            Ok(line) if serde_json::from_str::<D>(line.text).is_ok() => {}
            Ok(line) => {
                let of_line = whole::<D>(&Source::new(source.name, line.text));
                findings.extend(of_line.into_iter().map(|finding| in_line(finding, &line)));
            }
        }
    }
    findings
}

fn in_line(mut finding: Diagnostic, line: &LogLine<'_>) -> Diagnostic {
    let offset = usize::try_from(line.offset).unwrap_or(0);
    if let Some(place) = &mut finding.place {
        place.line = line.number.unwrap_or(place.line);
        place.bytes = place.bytes.start + offset..place.bytes.end + offset;
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::shape::Shape;

    #[test]
    fn every_schema_is_understood_by_the_check() {
        for entry in ENTRIES {
            Shape::compile(&(entry.schema)())
                .unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        }
    }

    #[test]
    fn names_are_unique() {
        for entry in ENTRIES {
            assert_eq!(
                find(entry.name).map(|found| found.schema as usize),
                Some(entry.schema as usize)
            );
        }
    }
}
