//! The first command of the README and the rehearsals on their page work as they are shown. The
//! reference names every document.

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

/// The indented blocks of a page, without their indent.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in page.lines() {
        match (line.strip_prefix("    "), blocks.last_mut()) {
            (Some(line), Some(block)) => *block += &format!("{line}\n"),
            (None, Some(block)) if !block.is_empty() => blocks.push(String::new()),
            _ => {}
        }
    }
    blocks
}

#[test]
fn every_rehearsal_on_its_page_is_one() {
    let page = std::fs::read_to_string(repository().join("docs/rehearsals.md")).unwrap();
    let mut checked = 0;
    for block in blocks(&page) {
        let text = match &block {
            whole if whole.contains("version: 1\n") => block.clone(),
            replies if replies.starts_with("- when") || replies.starts_with("- {when") => {
                format!("version: 1\nreplies:\n{block}")
            }
            actions if actions.starts_with("- ") => {
                format!(
                    "version: 1\nreplies:\n- do:\n{}",
                    block.replace("- ", "  - ").replace("\n  ", "\n    ")
                )
            }
            _ => continue,
        };
        let ran =
            World::new().file("page.rehearsal.yaml", &text).run(&["verify", "page.rehearsal.yaml"]);
        assert_eq!(ran.code, 0, "{text}{}", ran.out);
        checked += 1;
    }
    assert_eq!(checked, 5);
}
