//! `hast agent prompt`: every prompt, as the demos make it, says what an agent needs and no more.

use serde_json::Value;

use crate::world::World;

/// Without its inputs, which are files. The planner of a session has the arguments of all tools.
const LONGEST: usize = 6_000;

fn prompts(args: &[&str]) -> Vec<Value> {
    // The demos make repositories.
    let world = World::new();
    let mut command = world.command(&[&["agent", "prompt", "--json"], args].concat());
    let ran = command.env("PATH", std::env::var_os("PATH").unwrap()).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let all: Value = serde_json::from_slice(&ran.stdout).unwrap();
    all["prompts"].as_array().unwrap().clone()
}

fn word<'p>(prompt: &'p Value, name: &str) -> &'p str {
    prompt[name].as_str().unwrap()
}

#[test]
fn each_prompt_is_short_and_names_its_files_and_the_way_out() {
    let mut flows = std::collections::BTreeSet::new();
    for prompt in prompts(&[]) {
        let (role, step, text) =
            (word(&prompt, "role"), word(&prompt, "step"), word(&prompt, "text"));
        flows.insert(word(&prompt, "flow").to_owned());
        assert!(text.len() < LONGEST, "{role} {step}: {} bytes", text.len());
        assert!(text.contains("blocked"), "{role} {step}: a question has a way out");
        assert!(!text.contains('%'), "{role} {step}: no percent sign in a path");
        let told = text.contains("/outbox") || text.contains("/handoffs/");
        assert!(told, "{role} {step}: where the result goes");
    }
    let all = ["contract", "goals", "kernel", "run", "session"];
    assert_eq!(flows.iter().map(String::as_str).collect::<Vec<_>>(), all);
}

#[test]
fn one_prompt_is_asked_for_by_flow_role_and_step_in_any_case_and_language() {
    let found =
        prompts(&["--flow", "session", "--role", "critic", "--step", "Review", "--lang", "ko"]);
    let [review] = &found[..] else { panic!("{found:?}") };
    assert_eq!((word(review, "role"), word(review, "step")), ("Critic", "review"));
    assert!(word(review, "text").contains("질문"), "{review}");
}

#[test]
fn a_role_that_nobody_has_is_told_with_the_list_as_the_next_step() {
    for lang in ["en", "ko"] {
        let world = World::new();
        let args = ["agent", "prompt", "--flow", "session", "--role", "nobody", "--lang", lang];
        let ran = world.command(&args).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains("hast agent prompt"), "{said}");
    }
}
