//! Keys are never written down: not in records, streams, documents, ledgers or messages.

use crate::scene::Scene;

const KEY: &str = "sk-ant-hunter2/+very=secret\"quoted";

#[test]
fn a_key_in_the_environment_is_in_no_file_and_no_message_whatever_the_agent_prints() {
    let scene = Scene::new(
        r#"echo "out $MY_API_KEY"; echo "err $MY_API_KEY" >&2
           printf '%s' "$MY_API_KEY" >"$HAST_OUTBOX/answer.md"
           printf '%s' "$MY_API_KEY" >"$HAST_OUTBOX/other.txt"
           head -c 3000000 /dev/zero | tr '\0' x; printf '%s' "$MY_API_KEY"
           printf '{"error": "%s"}' "$MY_API_KEY" >"$HAST_OUTBOX/failed.json"; exit 1"#,
    )
    .env("MY_API_KEY", KEY);
    scene.file("project/.ai/config.yaml", "env: [MY_API_KEY]\n");
    scene.file("project/p.md", &format!("use {KEY}\n"));
    let scene = scene.env("HAST_TRUST", "all");
    let ran = scene.call(&["--expect", "answer.md"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    // Only what the user wrote may have it.
    let kept: Vec<_> =
        scene.contents().into_iter().filter(|(path, _)| !path.ends_with("project/p.md")).collect();
    assert!(kept.len() >= 8, "{}", kept.len());
    for part in ["hunter2", "very=secret"] {
        let holds =
            |bytes: &[u8]| bytes.windows(part.len()).any(|window| window == part.as_bytes());
        for (path, bytes) in &kept {
            assert!(!holds(bytes), "{} has the key", path.display());
        }
        assert!(!holds(ran.out.as_bytes()) && !holds(ran.err.as_bytes()), "{ran:?}");
    }
    assert!(ran.out.contains("[MY_API_KEY redacted]"), "{}", ran.out);
}

#[test]
fn a_key_that_nobody_named_does_not_reach_the_agent() {
    let scene = Scene::new("env >\"$HAST_OUTBOX/env.txt\"").env("OTHER_TOKEN", "abcdef-123456");
    let ran = scene.call(&["--expect", "env.txt"]);
    let path = ran.json()["documents"][0].as_str().unwrap().to_owned();
    let env = std::fs::read_to_string(path).unwrap();
    assert!(!env.contains("OTHER_TOKEN") && env.contains("HAST_OUTBOX="), "{env}");
}
