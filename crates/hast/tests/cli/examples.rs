//! What the README shows works as it is shown.

use std::path::PathBuf;

use crate::world::World;

fn repository() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    PathBuf::from(manifest).join("../..").canonicalize().unwrap()
}

#[test]
fn the_first_command_of_the_readme_prints_a_context() {
    let example = repository().join("examples/goals");
    let ran = World::new().run(&["context", "--root", example.to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("## Your Task\nM1.3 — make the tests pass\n"), "{}", ran.out);
    assert_eq!(World::new().run(&["verify", example.to_str().unwrap()]).code, 0);
}

#[test]
fn every_document_is_in_the_reference() {
    let reference = std::fs::read_to_string(repository().join("docs/reference.md")).unwrap();
    let names = World::new().run(&["verify", "--schema"]).out;
    let words: Vec<&str> = reference.split([' ', ',', '|']).collect();
    for name in names.lines() {
        assert!(words.contains(&name), "{name}");
    }
}
