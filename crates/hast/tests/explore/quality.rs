//! The map of hast's own sources: questions whose answers are known, and how many are found.

use std::path::PathBuf;
use std::process::Command;

/// A question, and a file and a symbol that its map must have.
const QUESTIONS: &[(&str, &str, &str)] = &[
    ("where is the driver lock taken?", "crates/hast-world/src/driver_lock.rs", "DriverLock"),
    ("how are secrets redacted?", "crates/hast-flow/src/agents/redact.rs", "Redactor"),
    (
        "how does a sub-plan get merged into the plan of the kernel?",
        "crates/hast-flow/src/flows/kernel/plan.rs",
        "merge",
    ),
    ("how is a torn tail of the journal recovered?", "crates/hast-flow/src/store/recover.rs", ""),
    ("which code verifies trust of commands?", "crates/hast-flow/src/trust.rs", "Commands"),
    ("what does landlock restrict?", "crates/hast-world/src/sandbox/landlock.rs", "restrict"),
    ("how are leases renewed and swept?", "crates/hast-flow/src/leases.rs", ""),
    ("lossless YAML edit", "crates/hast-flow/src/formats/yaml_edit.rs", ""),
    ("예산은 어떻게 예약되나요? reserve", "crates/hast-flow/src/agents/budget.rs", "reserve"),
    ("인박스 inbox 항목은 어디에 있나요?", "crates/hast-flow/src/inbox.rs", ""),
    ("핸드오프 handoff 이름을 읽는 곳", "crates/hast-flow/src/flows/goals/handoffs.rs", ""),
    ("전문가 파일 검증 boot", "crates/hast-flow/src/flows/kernel/boot.rs", ""),
];

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of the binary has to start it")]
fn questions_about_hast_find_their_places() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    let mut missed = Vec::new();
    for (question, file, symbol) in QUESTIONS {
        let out = Command::new(env!("CARGO_BIN_EXE_hast"))
            .args(["explore", "--no-agent", "--lang", "en", "--root"])
            .arg(root.canonicalize().unwrap())
            .arg(question)
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&out.stdout).into_owned();
        let files = out.split("\nSymbols\n").next().unwrap();
        let symbols = out.split_once("\nSymbols\n").map_or("", |(_, symbols)| symbols);
        if !files.contains(file) || !symbols.contains(symbol) {
            missed.push(format!("{question}: {file} {symbol}\n{out}"));
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}
