//! hast tells of each repair that it made when it opened documents after a kill: the document, the
//! place, and the next step.

use hast_stage::Stage;
use serde_json::Value;

use crate::torn::cut_off;

const PLACE: &str = ".brain";
const FILE: &str = "kernel_status.json";

/// A kernel was killed while it wrote its status, and a person has edited the file since.
fn edited() -> (Stage, String) {
    let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
    stage.write(".ai/config.yaml", "ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: off\n");
    assert_eq!(stage.hast(&["kernel", "boot"]).code, 0);
    let path = format!("{PLACE}/{FILE}");
    let before = stage.read(&path);
    let wanted = before.replace("RUNNING", "BOOTING");
    assert_ne!(before, wanted);
    cut_off(&stage, PLACE, &[(FILE, Some(&before), &wanted)]);
    let theirs = format!("{before}\n\n");
    stage.write(&path, &theirs);
    (stage, theirs)
}

#[test]
fn an_edit_that_stands_is_told_with_where_the_other_side_lies() {
    let (stage, theirs) = edited();
    let ran = stage.hast(&["kernel", "boot", "-q"]);
    let told = ran.err.lines().find(|line| line.contains("was edited after hast was killed"));
    let told = told.unwrap_or_else(|| panic!("{ran:?}"));
    let kept = told.rsplit(' ').next().unwrap();
    assert!(kept.starts_with(".brain/.hast/conflicts/"), "{told}");
    assert!(stage.read(kept).contains("BOOTING"), "what hast would have written");
    assert!(ran.err.contains("next: compare"), "{}", ran.err);
    assert_eq!(stage.read(&format!("{PLACE}/{FILE}")), theirs, "the edit stands");
    let again = stage.hast(&["kernel", "boot"]);
    assert!(!again.err.contains("was edited after"), "once is enough: {}", again.err);
}

#[test]
fn programs_and_people_who_read_korean_are_told_too() {
    let (stage, _) = edited();
    let ran = stage.hast(&["kernel", "boot", "--json", "--lang", "ko"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    let repaired = &document["repaired"][0];
    assert_eq!(repaired["path"], ".brain/kernel_status.json", "{document}");
    let kept = repaired["kept"].as_str().unwrap();
    assert!(stage.has(kept), "{document}");
    assert!(repaired["next"].as_str().is_some_and(|next| next.contains(kept)), "{document}");
    assert!(ran.err.contains("보관했습니다"), "{}", ran.err);
}

#[test]
fn a_command_that_ends_with_a_problem_tells_of_repairs_as_well() {
    let (stage, _) = edited();
    let ran = stage.hast(&["kernel", "resume", "--json"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    let document: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    assert!(document["problem"].is_object() && document["repaired"][0].is_object(), "{document}");
}

#[test]
fn a_journal_that_nobody_can_read_is_told_of_when_it_is_set_aside() {
    let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
    assert_eq!(stage.hast(&["kernel", "boot"]).code, 0);
    stage.write(".brain/.hast/journal", "rubbish");
    let ran = stage.hast(&["kernel", "boot"]);
    assert!(ran.err.contains("the journal could not be read"), "{ran:?}");
    assert!(ran.err.contains("hast verify"), "{ran:?}");
}
