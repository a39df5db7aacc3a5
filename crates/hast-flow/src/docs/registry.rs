//! The list of all document types: names, schemas, and which file is which.

use crate::docs::document::{self, Document};
use crate::docs::{contract, goals, kernel, session};
use crate::formats::diagnostic::{Diagnostic, Format};
use crate::formats::source::Source;

/// A document type without its type.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub format: Format,
    pub schema: fn() -> serde_json::Value,
    pub check: fn(&Source<'_>) -> Vec<Diagnostic>,
}

macro_rules! entries {
    ($($type:ty),* $(,)?) => {
        /// All document types, by flow.
        pub const ENTRIES: &[Entry] = &[$(Entry {
            name: <$type>::NAME,
            format: <$type>::FORMAT,
            schema: document::schema::<$type>,
            check: check::<$type>,
        }),*];
    };
}

entries![
    goals::Config,
    goals::Goals,
    goals::Handoff,
    goals::AutoLock,
    session::SessionStatus,
    session::SessionEvent,
    session::Decomposition,
    session::PlanMetadata,
    session::RoutingState,
    session::RunLogLine,
    session::ArtifactManifest,
    session::Question,
    session::Answer,
    session::CritiqueReport,
    session::KnowledgeIndex,
    session::Pointers,
    session::SessionSummary,
    kernel::KernelToEngineRequest,
    kernel::EngineToKernelResponse,
    kernel::EngineToExpertRequest,
    kernel::ExpertOutput,
    kernel::KernelPlan,
    kernel::KernelStatus,
    contract::ContractSession,
    contract::ContractState,
    contract::Explored,
    contract::TaskBreakdown,
    contract::DesignBrief,
    contract::DesignContract,
    contract::TestContract,
    contract::TestResult,
    contract::ProjectKnowledge,
];

pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

fn check<D: Document>(source: &Source<'_>) -> Vec<Diagnostic> {
    match document::read::<D>(source) {
        Ok(read) => read.warnings,
        Err(findings) => findings,
    }
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
