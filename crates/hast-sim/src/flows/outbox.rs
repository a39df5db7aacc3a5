//! The outbox of a simulated agent, judged by the same code as a real one.

use std::collections::BTreeMap;

use hast_flow::agents::outbox::{Word, take};
use hast_flow::agents::outcome::FailureClass;
use hast_flow::agents::usage::Usage;
use hast_flow::docs::call::ExpectedDocument;
use hast_flow::steps::{Answer, Call, CallResult, Needed};
use hast_flow::words::Lang;

/// The files that an agent left, and what it was up to; or how it died.
pub(crate) type Left = Result<(BTreeMap<String, Vec<u8>>, &'static str), String>;

/// What came of a call, and what the agent was up to.
pub(crate) fn judged(call: &Call, left: Left) -> (CallResult, &'static str) {
    let failed = |reason| CallResult::Failed { class: FailureClass::Signal(6), reason };
    let (documents, mood) = match left {
        Ok(left) => left,
        Err(reason) => return (failed(reason), "failed"),
    };
    let expected = call.expected.iter().map(|expected| ExpectedDocument {
        name: expected.name.clone(),
        schema: expected.schema.map(str::to_owned),
        required: expected.needed == Needed::Required,
    });
    let taken = take(&expected.collect::<Vec<_>>(), &documents, "");
    let findings = taken.call_findings(Lang::Ko);
    match taken.word {
        Some(Word::Blocked { reason }) => (CallResult::Blocked { reason }, "blocked"),
        Some(Word::Failed { error }) => (failed(error), "failed"),
        None if findings.is_empty() => {
            let documents = taken.documents.into_iter().map(|one| (one.name, one.bytes));
            let documents = documents.collect();
            (CallResult::Completed(Answer { documents, ..Answer::default() }), mood)
        }
        None => {
            let usage = Usage::default();
            (CallResult::Broken { findings, left: documents, usage }, "broken")
        }
    }
}
