//! Reports of the tests themselves: JUnit files of this run count, also against the exit code. A
//! report that lay there before says nothing.

use crate::scene::{ONE, Scene};

/// A suite that prints nothing that counts, names the case that failed, and writes a report of what it ran.
fn quiet(report: &str) -> Scene {
    let scene = Scene::new(ONE);
    scene.write(".gitignore", "build/\n");
    scene.write(
        "tests/run.sh",
        format!(
            "mkdir -p build/test-results\nf=0; for t in tests/*.test; do sh \"$t\" 2>/dev/null || f=1; done\n{report}\n[ $f = 0 ] || echo 'TC-1 failed'\nexit $f\n"
        ),
    );
    scene.git(&["add", "-A", ".gitignore", "tests"]);
    scene.git(&["commit", "-qm", "quiet"]);
    scene
}

fn writes(xml: &str) -> String {
    format!("echo '{xml}' > build/test-results/TEST-all.xml")
}

#[test]
fn a_report_of_this_run_counts_its_tests() {
    let cases = "<testcase classname=\"a\" name=\"b\"/>".repeat(7);
    let scene = quiet(&writes(&format!("<testsuite tests=\"7\">{cases}</testsuite>")));
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let result = scene.contract("T1/T1-S2/test-result.yaml");
    assert!(result.contains("total: 7") && result.contains("passed: 7"), "{result}");
}

/// Every one of these suites ends with exit code 0 once the code is there.
#[test]
fn what_a_report_says_against_the_exit_code_counts() {
    for (report, reason) in [
        (
            writes("<testsuite><testcase name=\"b\"><failure/></testcase></testsuite>"),
            "tests that failed: 1",
        ),
        (
            writes("<testsuite><testcase name=\"b\"><skipped/></testcase></testsuite>"),
            "0 tests ran (1 were skipped), the contract has 1 cases",
        ),
        (
            writes("<testsuite><testcase name=\"b\">"),
            "cannot be read: build/test-results/TEST-all.xml",
        ),
        (
            writes(
                "<!DOCTYPE t [<!ENTITY a \"b\">]><testsuite><testcase name=\"&a;\"/></testsuite>",
            ),
            "it has a DOCTYPE",
        ),
    ] {
        let scene = quiet(&report);
        let ran = scene.hast(&["contract", "start", "a total"]);
        assert_eq!(ran.code, 1, "{report}\n{}", scene.log());
        assert!(scene.failures()[0].contains("GATE-2"), "{:?}", scene.failures());
        assert!(scene.failures()[0].contains(reason), "{:?}", scene.failures());
        assert_eq!(scene.commits()[0], "quiet");
    }
}

#[test]
fn a_report_that_lay_there_before_says_nothing() {
    let scene = quiet("true");
    let failed = "<testsuite><testcase name=\"b\"><failure/></testcase></testsuite>";
    scene.write("build/test-results/TEST-old.xml", failed);
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 0, "{ran:?}\n{}", scene.log());
    let result = scene.contract("T1/T1-S2/test-result.yaml");
    assert!(result.contains("total: 1"), "where nobody counts the exit code does: {result}");
}

/// Noise does not turn the counting off.
#[test]
fn a_summary_far_above_the_end_of_the_output_is_read() {
    let scene = quiet("echo '0 passed, 1 skipped in 0.1s'; seq 100000");
    let ran = scene.hast(&["contract", "start", "a total"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(scene.failures()[0].contains("0 tests ran (1 were skipped)"), "{:?}", scene.failures());
}
