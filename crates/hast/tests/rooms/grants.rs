//! Paths of `sandbox_write` that would let an agent write past its room.

use crate::scene::{KINDS, Scene, differences};

#[test]
fn a_grant_that_reaches_checkout_git_directory_or_rooms_starts_nothing_and_is_told() {
    let ways = ["src", ".", "..", ".git", ".git/hooks", "~/state/hast", "../into/src", "/"];
    for (number, grant) in ways.into_iter().enumerate() {
        let kind = KINDS[number % 2];
        let config = format!("{kind}sandbox_write: [../granted, \"{grant}\"]\n");
        let scene = Scene::with_check("echo agent > src/a.txt", &config, "true\n");
        scene.shell("ln -s project ../into");
        let before = scene.everything();
        let ran = scene.hast(&["auto"]);
        assert_eq!(ran.code, 1, "{grant}: {ran:?}");
        assert!(ran.err.contains(&format!("sandbox_write names {grant},")), "{ran:?}");
        assert!(!scene.read(".ai/events/events.ndjson").contains("GOAL_STARTED"), "{grant}");
        assert_eq!(differences(&before, &scene.everything(), &[]), Vec::<String>::new());
        assert_eq!(scene.status(), "active", "{grant}");
        let verified = scene.hast(&["verify"]);
        assert_eq!(verified.code, 1, "{grant}: {verified:?}");
        assert!(verified.out.contains("sandbox_write names"), "{verified:?}");
        let doctor = scene.hast(&["agent", "doctor"]);
        assert!(doctor.err.contains(&format!("sandbox_write names {grant},")), "{doctor:?}");
    }
}

#[test]
fn a_refused_grant_is_told_in_korean_with_what_to_write_instead() {
    let scene = Scene::with_check("true", "sandbox_write: [..]\n", "true\n");
    let ran = scene.hast(&["--lang", "ko", "auto"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("포함합니다") && ran.err.contains("~/.cargo"), "{ran:?}");
}
