//! `hast agent list` and `doctor`, and what an agent does to its own settings.

use serde_json::json;

use crate::scene::Scene;

#[test]
fn the_list_says_what_is_installed_and_which_is_the_default_and_why() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "");
    scene.script("bin/codex", "echo codex-cli 9.8.7");
    scene.script("bin/gemini", "sleep 1000");
    scene.script("bin/claude", "exit 1");
    scene.file("project/.ai/config.yaml", "fallback: [codex]\n");
    let ran = scene.run(&["agent", "list", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.json();
    assert_eq!(told["default"], json!({"name": "claude", "why": "installed"}));
    let agents = told["agents"].as_array().unwrap();
    let named = |name: &str| agents.iter().find(|agent| agent["name"] == name).unwrap();
    assert_eq!(named("codex")["version"], "9.8.7");
    assert_eq!(named("gemini")["installed"], true);
    assert_eq!(named("aider")["path"], json!(null));
    scene.script("bin/gemini", "exit 1");
    let ran = scene.run(&["agent", "list"]);
    assert!(ran.out.contains("codex") && ran.out.contains("9.8.7"), "{}", ran.out);
    assert!(ran.out.contains("default (the first that is installed)"), "{}", ran.out);
}

#[test]
fn nobody_to_call_is_a_problem_with_a_next_action() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "").env("PATH", "/nowhere");
    let ran = scene.run(&["agent", "list"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("next: install one"), "{}", ran.err);
}

#[test]
fn the_doctor_says_what_would_be_chosen_for_each_role_and_what_is_wrong() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "").env("PATH", "/nowhere");
    let bin = scene.at("bin").display().to_string();
    scene.script("bin/claude", "echo 1.2.3");
    let config = "ai_tool: claude\nroles: {critic: codex, planner: nobody}\nenv: ['*']\n";
    scene.file("project/.ai/config.yaml", config);
    let scene = scene.env("PATH", &format!("{bin}:/usr/bin:/bin"));
    let ran = scene.run(&["agent", "doctor", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = ran.json();
    assert_eq!(told["roles"]["worker"][0]["name"], "claude");
    assert_eq!(told["roles"]["critic"][0]["installed"], false);
    assert_eq!(told["trusted"], false);
    let problems = told["problems"].to_string();
    for part in ["nobody", "role critic", "neither a name nor a prefix", "not approved"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
    assert!(told["sandbox"]["state"].is_string());
    let ran = scene.run(&["agent", "doctor", "--lang", "ko"]);
    assert!(ran.out.contains("역할 worker: claude"), "{}", ran.out);
}

#[test]
fn the_doctor_tells_each_cause_once_with_the_roles_that_it_keeps_from_working() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "").env("PATH", "/nowhere");
    scene.file("project/.ai/config.yaml", "test_command: make\n");
    let ran = scene.run(&["agent", "doctor", "--fix"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("--fix: nothing to do"), "{}", ran.out);
    assert!(ran.err.contains("role critic, executor, planner, worker: "), "{}", ran.err);
    assert_eq!(ran.err.matches("role ").count(), 1, "{}", ran.err);
    assert!(!ran.err.contains("ai_tool: claude"), "{}", ran.err);
}

#[test]
fn changed_hooks_of_an_agent_are_a_finding_and_ordinary_changes_are_none() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "claude");
    let done = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s"}'"#;
    scene.file("home/.claude/settings.json", "{}");
    scene.script("bin/claude", &format!("echo x >\"$HOME/.claude/history\"; {done}"));
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["findings"]), (0, &json!([])), "{ran:?}");
    let hook = r#"echo '{"hooks":{"Stop":[]}}' >"$HOME/.claude/settings.json""#;
    scene.script("bin/claude", &format!("{hook}; {done}"));
    let ran = scene.call(&[]);
    let finding = &ran.json()["findings"][0];
    assert!(finding["file"].as_str().unwrap().ends_with(".claude/settings.json"), "{ran:?}");
    assert!(finding["problem"].as_str().unwrap().contains("hooks"));
}

#[test]
fn progress_is_one_line_an_event_where_there_is_no_terminal() {
    let scene = Scene::new("echo hello; echo oops >&2");
    let args = ["agent", "run", "--role", "worker", "--prompt-file", "p.md"];
    let ran = scene.run(&args);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("hello") && ran.out.contains("record: "), "{}", ran.out);
    assert!(
        ran.err.contains("started, record: ") && ran.err.contains("ended after"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains('\r') && !ran.err.contains('\u{1b}'), "{:?}", ran.err);
    let quiet = scene.run(&["-q", "agent", "run", "--role", "worker", "--prompt-file", "p.md"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

#[test]
fn the_doctor_looks_at_the_homes_of_agents_and_makes_them_only_when_asked() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "").env("HAST_TRUST", "all");
    let data = scene.at("data").display().to_string();
    let bin = scene.at("bin").display().to_string();
    let scene = scene.env("XDG_DATA_HOME", &data).env("PATH", &format!("{bin}:/usr/bin:/bin"));
    scene.script("bin/opencode", "mkdir -p \"$HOME/.config/opencode\"; echo 1.2.3");
    scene.file("project/.ai/config.yaml", "ai_tool: opencode\n");
    let states = |told: &serde_json::Value| -> Vec<String> {
        let agents = told["agents"].as_array().unwrap();
        let agent = agents.iter().find(|agent| agent["name"] == "opencode").unwrap();
        assert_eq!(agent["version"], "1.2.3");
        let homes = agent["homes"].as_array().unwrap();
        homes.iter().map(|home| home["state"].as_str().unwrap().to_owned()).collect()
    };
    let ran = scene.run(&["agent", "doctor", "--json"]);
    assert_eq!((ran.code, states(&ran.json())), (0, vec!["not_there".into(); 4]), "{ran:?}");
    let ran = scene.run(&["agent", "doctor"]);
    assert!(ran.out.contains("doctor --fix") && ran.out.contains(&data), "{}", ran.out);
    assert!(!scene.at("home/.config").exists() && !scene.at("data").exists());
    let ran = scene.run(&["agent", "doctor", "--fix", "--json"]);
    assert_eq!((ran.code, states(&ran.json())), (0, vec!["writable".into(); 4]), "{ran:?}");
    assert!(scene.at("data/opencode").is_dir() && scene.at("home/.cache/opencode").is_dir());
}

#[test]
fn a_home_that_cannot_be_is_a_problem_of_the_agent_that_would_be_asked() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "").env("HAST_TRUST", "all");
    scene.script("bin/codex", "echo 1.2.3");
    scene.file("project/.ai/config.yaml", "ai_tool: codex\n");
    scene.file("home/.codex", "a file");
    for args in [&["agent", "doctor"][..], &["agent", "doctor", "--fix"]] {
        let ran = scene.run(args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(".codex") && ran.err.contains("owner or the permissions"));
    }
}

#[test]
fn homes_are_there_before_the_agent_is_and_move_with_their_variables() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "opencode");
    let data = scene.at("data").display().to_string();
    let scene = scene.env("XDG_DATA_HOME", &data);
    let done = r#"echo '{"type":"step_finish","part":{"reason":"stop"}}'"#;
    let writes = r#"cat >/dev/null; echo x >"$XDG_DATA_HOME/opencode/db" && echo x >"$HOME/.cache/opencode/c""#;
    scene.script("bin/opencode", &format!("{writes} && {done}"));
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (0, &json!("completed")), "{ran:?}");
    assert!(scene.at("data/opencode/db").exists());
}
