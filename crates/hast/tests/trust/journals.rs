//! Journals that somebody else made: what they say is not carried out, and that is told.

use std::fs;

use super::places::{Places, write};
use super::torn::cut_off_in;

const FILE: &str = "kernel_status.json";

#[test]
fn a_commit_that_a_repository_brings_is_told_of_and_not_carried_out() {
    let places = Places::new();
    let root = places.clone_into("clone");
    let before = fs::read_to_string(root.join(".brain").join(FILE)).unwrap();
    let after = before.replace("RUNNING", "BOOTING");
    cut_off_in(&root.join(".brain"), &[(FILE, Some(&before), &after)]);
    let resumed = places.hast(&root, &["kernel", "boot"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(resumed.err.contains("was not made by you on this machine"), "{}", resumed.err);
    assert!(resumed.err.contains(".brain/.hast/conflicts/journal-"), "{}", resumed.err);
    assert!(!fs::read_to_string(root.join(".brain").join(FILE)).unwrap().contains("BOOTING"));
}

#[test]
fn who_looks_is_told_what_to_do_about_a_journal_of_a_moved_project() {
    let places = Places::new();
    let root = places.clone_into("clone");
    cut_off_in(&root.join(".ai/queue"), &[("notes.md", None, "text")]);
    let ran = places.hast(&root, &["queue", "list", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains(".ai/queue/.hast/journal was not made by you"), "{}", ran.err);
    assert!(ran.err.contains("HAST_TRUST=all"), "{}", ran.err);
    assert!(ran.out.contains("\"repaired\""), "{}", ran.out);
    assert!(!root.join(".ai/queue/notes.md").exists());
}

#[test]
fn a_commit_of_ones_own_is_finished_without_any_approval() {
    let places = Places::new();
    let root = places.clone_into("clone");
    assert_eq!(places.hast(&root, &["kernel", "boot"]).code, 0);
    // The seal of this user stays in the header while a commit is cut off.
    let before = fs::read_to_string(root.join(".brain").join(FILE)).unwrap();
    let after = before.replace("RUNNING", "BOOTING");
    cut_off_in(&root.join(".brain"), &[(FILE, Some(&before), &after)]);
    let ran = places.hast(&root, &["kernel", "boot"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.err.contains("was not made by you"), "{}", ran.err);
    // Without the key nobody can tell.
    write(&places.home().join(".local/state/hast/journal.key"), &[7; 32]);
    cut_off_in(&root.join(".brain"), &[(FILE, Some(&before), &after)]);
    let ran = places.hast(&root, &["kernel", "boot"]);
    assert!(ran.err.contains("was not made by you"), "{}", ran.err);
}
