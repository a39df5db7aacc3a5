//! Any bytes read as a report of tests, and fed as an output in pieces: no panic, and counts that add up.

#![no_main]

use hast_flow::suites::{Counted, ReportFile, Sieve};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut sieve = Sieve::default();
    bytes.chunks(7).for_each(|piece| sieve.feed(piece));
    let report = ReportFile { path: "junit.xml".to_owned(), bytes: Ok(bytes.to_vec()) };
    let counted = Counted::of(&sieve.text(), &[report]);
    if let Some(summary) = counted.summary {
        let parts = [summary.passed, summary.failed, summary.skipped].map(u64::from);
        assert!(u64::from(summary.total) <= parts.iter().sum::<u64>());
    }
});
