//! The fault that was found first: a link in the place of a store's directory for temporary files, which
//! is emptied when documents are opened.

use super::places::{Places, SESSION, home_tree, link};

#[test]
fn a_directory_behind_a_link_for_temporary_files_is_not_emptied() {
    for (place, words) in [
        ("", "run list"),
        ("", "run resume"),
        (".ai/queue", "queue list"),
        (".ai/queue", "queue sweep"),
        (".brain", "kernel boot"),
        (".claude/orchestrator", "contract start x"),
        (SESSION, "session resume"),
    ] {
        let places = Places::new();
        let root = places.clone_into("clone");
        link(&root.join(place).join(".hast/tmp"), &places.home().join("Documents"));
        let before = home_tree(&places.home());
        let args: Vec<&str> = words.split(' ').collect();
        let ran = places.hast(&root, &args);
        assert_eq!(home_tree(&places.home()), before, "{words}: {ran:?}");
    }
}

#[test]
fn a_link_in_the_way_is_told_with_its_place_and_what_to_do() {
    let places = Places::new();
    let root = places.clone_into("clone");
    link(&root.join(".brain/.hast/tmp"), &places.home().join("Documents"));
    let ran = places.hast(&root, &["kernel", "boot"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains(".brain/.hast/tmp: a symbolic link"), "{}", ran.err);
    link(&root.join(".brain"), &places.home().join("Documents"));
    for (lang, word) in [("en", "a link stands where"), ("ko", "링크가 있어 따라가지 않았습니다")]
    {
        let ran = places.hast(&root, &["kernel", "list", "--json", "--lang", lang]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(word) && ran.err.contains("/.brain"), "{}", ran.err);
        assert!(ran.err.contains("ls -l"), "{}", ran.err);
        assert!(ran.out.contains("\"code\": \"link_in_the_way\""), "{}", ran.out);
    }
}

#[test]
fn a_project_that_is_reached_over_a_link_works_as_before() {
    let places = Places::new();
    let root = places.clone_into("clone");
    let way = places.home().join("way");
    link(&way, &root);
    let ran = places.hast(&way, &["kernel", "boot"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = places.hast(&places.home(), &["status", "--root", "way"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
