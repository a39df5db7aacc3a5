//! Limits, fallbacks, logins and budgets over several lives of the program.

use serde_json::json;

use crate::scene::Scene;

const LIMITED: &str = r#"echo x >>"$HOME/../first"; echo "You've hit your usage limit. Try again in 2 hours." >&2; exit 1"#;

/// The same words by another agent, which is allowed to write into the home of the scene.
fn configured(scene: &Scene, config: &str) {
    scene.file("project/.ai/config.yaml", &format!("sandbox: off\n{config}"));
}

#[test]
fn a_limit_survives_the_process_and_nothing_is_started_until_it_is_over() {
    let scene = Scene::new(LIMITED).env("HAST_TRUST", "all");
    configured(&scene, "");
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("limited")), "{ran:?}");
    assert_eq!(ran.json()["resume_at"], "2026-02-09T07:30:00Z");
    assert_eq!(scene.starts("first"), 1);
    let again = scene.call(&[]);
    assert_eq!(again.json()["outcome"], "limited", "{again:?}");
    assert_eq!(scene.starts("first"), 1, "a later start honours the limit without launching");
    let scene = scene.env("HAST_TEST_WORLD", "2026-02-09T16:31:00+09:00#1");
    scene.call(&[]);
    assert_eq!(scene.starts("first"), 2);
}

#[test]
fn without_a_reset_time_the_wait_doubles_and_an_answer_clears_it() {
    let scene = Scene::new(
        r#"echo x >>"$HOME/../first"; [ -s "$HOME/fine" ] && exit 0; echo 'error: 429 too many requests' >&2; exit 1"#,
    )
    .env("HAST_TRUST", "all");
    configured(&scene, "");
    assert_eq!(scene.call(&[]).json()["resume_at"], "2026-02-09T05:35:00Z");
    let scene = scene.env("HAST_TEST_WORLD", "2026-02-09T14:36:00+09:00#1");
    assert_eq!(scene.call(&[]).json()["resume_at"], "2026-02-09T05:46:00Z");
    let scene = scene.env("HAST_TEST_WORLD", "2026-02-09T14:47:00+09:00#1");
    scene.file("home/fine", "yes");
    assert_eq!(scene.call(&[]).json()["outcome"], "completed");
    scene.file("home/fine", "");
    assert_eq!(scene.call(&[]).json()["resume_at"], "2026-02-09T05:52:00Z");
}

#[test]
fn a_limit_is_shown_in_local_time_until_it_is_over_or_cleared() {
    let scene = Scene::new(LIMITED).env("HAST_TRUST", "all");
    configured(&scene, "ai_tools: {mine: \"sh ../agent.sh {prompt_file}\"}\n");
    scene.file("project/.ai/goals.yaml", "goals: []\n");
    assert!(scene.run(&["agent", "limits"]).out.contains("no agent is limited"));
    let scene = scene.env("HAST_AI_TOOL", "mine");
    let ran = scene.run(&["agent", "run", "--role", "worker", "--prompt-file", "p.md"]);
    assert!(ran.err.contains("after 16:30 (in 2 h)") && !ran.err.contains("guess"), "{ran:?}");
    let before = scene.starts("first");
    for args in [&["agent", "limits"][..], &["status"], &["agent", "doctor"]] {
        let told = scene.run(args);
        assert!(told.out.contains("mine is limited until 16:30 (in 2 h)"), "{args:?} {told:?}");
        let told = scene.run(&[args, &["--lang", "ko"]].concat());
        assert!(
            told.out.contains("mine: 한도에 걸림, 다시 쓸 수 있는 시각 16:30(2시간 뒤)"),
            "{told:?}"
        );
    }
    let limit = json!([{"agent": "mine", "since": "2026-02-09T05:30:00Z", "until": "2026-02-09T07:30:00Z", "guess": false}]);
    assert_eq!(scene.run(&["agent", "limits", "--json"]).json()["limits"], limit);
    assert_eq!(scene.run(&["status", "--json"]).json()["limits"], limit);
    let other = scene.run(&["agent", "limits", "--clear", "claude"]);
    assert!(other.code == 1 && other.err.contains("name one of: mine"), "{other:?}");
    let cleared = scene.run(&["agent", "limits", "--clear", "mine"]);
    assert_eq!((cleared.code, cleared.out.as_str()), (0, "mine will be asked again at once\n"));
    assert_eq!(scene.run(&["status", "--json"]).json()["limits"], json!([]));
    assert_eq!(scene.run(&["agent", "limits", "--clear", "mine"]).code, 1);
    scene.call(&[]);
    assert_eq!(scene.starts("first"), before + 1, "it is asked again");
    let scene = scene.env("HAST_TEST_WORLD", "2026-02-09T16:31:00+09:00#1");
    assert_eq!(scene.run(&["status", "--json"]).json()["limits"], json!([]), "it is over");
}

#[test]
fn a_time_that_no_agent_gave_is_said_to_be_a_guess() {
    let scene = Scene::new("echo 'error: 429 too many requests' >&2; exit 1");
    let scene = scene.env("HAST_TRUST", "all");
    let ran = scene.run(&["agent", "run", "--role", "worker", "--prompt-file", "p.md"]);
    assert!(ran.err.contains("after 14:35 (in 5 min; a guess, no time was given)"), "{ran:?}");
    assert_eq!(scene.run(&["agent", "limits", "--json"]).json()["limits"][0]["guess"], true);
}

#[test]
fn commands_that_look_at_limits_make_nothing() {
    let scene = Scene::new(":");
    scene.file("project/.ai/goals.yaml", "goals: []\n");
    for args in [&["agent", "limits"][..], &["status"]] {
        assert_eq!(scene.run(args).code, 0);
    }
    assert!(!scene.at("project/.ai/.hast").exists() && !scene.at("project/.hast").exists());
}

#[test]
fn a_program_that_knows_of_no_login_is_told_before_its_first_call_and_by_the_doctor() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "claude").env("HAST_TRUST", "all");
    let status =
        r#"[ "$1" = auth ] && { echo x >"$HOME/asked"; echo '{"loggedIn": false}'; exit 1; }"#;
    let done = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s"}'"#;
    scene.script("bin/claude", &format!("{status}\n[ \"$1\" = --version ] && echo 1.2.3\n{done}"));
    let ran = scene.run(&["agent", "run", "--role", "worker", "--prompt-file", "p.md"]);
    assert_eq!(ran.code, 0, "a hint stops nothing: {ran:?}");
    let said =
        "claude says that nobody is logged in (`claude auth status`); run `claude auth login`";
    let (hint, answer) = (ran.err.find(said), ran.err.find("started, record"));
    assert!(hint.is_some() && hint < answer, "{}", ran.err);
    assert!(!scene.at("home/asked").exists(), "the question changes nothing");
    let doctor = scene.run(&["agent", "doctor"]);
    assert_eq!(doctor.code, 1, "{doctor:?}");
    assert!(doctor.err.contains("claude auth status") && doctor.err.contains("claude auth login"));
    let scene = scene.env("ANTHROPIC_API_KEY", "k");
    let ran = scene.run(&["agent", "run", "--role", "worker", "--prompt-file", "p.md"]);
    assert!(!ran.err.contains("logged in"), "{}", ran.err);
    assert_eq!(scene.run(&["agent", "doctor"]).code, 0);
}

#[test]
fn a_fallback_is_used_while_the_first_is_limited_or_missing_and_only_then() {
    let scene = Scene::new(LIMITED).env("HAST_TRUST", "all");
    scene.script("second.sh", r#"echo x >>"$HOME/../second"; echo done"#);
    let second = scene.at("second.sh");
    let second = second.display();
    configured(
        &scene,
        &format!("ai_tools:\n  other: sh {second} {{prompt_file}}\nfallback: [other]\n"),
    );
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["agent"]), (0, &json!("other")), "{ran:?}");
    assert_eq!((scene.starts("first"), scene.starts("second")), (1, 1));
    scene.call(&[]);
    assert_eq!((scene.starts("first"), scene.starts("second")), (1, 2));
    let scene = scene.env("HAST_AI_TOOL", "nothing-like-this {prompt_file}");
    assert_eq!(scene.call(&[]).json()["agent"], "other");
    // A failure is no reason to ask somebody else.
    scene.script("agent.sh", r#"echo x >"$HAST_OUTBOX/a.md"; exit 3"#);
    let line = format!("sh {} {{prompt_file}} again", scene.at("agent.sh").display());
    let scene = scene.env("HAST_AI_TOOL", &line);
    assert_eq!(scene.call(&[]).json()["outcome"], "failed");
    scene.script("agent.sh", "exit 3");
    assert_eq!(scene.call(&[]).json()["outcome"], "not_started");
    assert_eq!(scene.starts("second"), 3);
}

#[test]
fn a_missing_login_stops_at_once_with_what_to_do() {
    let scene = Scene::new("echo 'Not logged in · Please run /login' >&2; exit 1");
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("login_needed")), "{ran:?}");
    assert!(ran.json()["problem"]["next"].as_str().unwrap().contains("log in"), "{}", ran.out);
}

#[test]
fn an_agent_that_is_not_installed_is_said_with_a_next_action() {
    let scene = Scene::new(":").env("HAST_AI_TOOL", "nothing-like-this {prompt_file}");
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("not_started")));
    assert!(ran.err.contains("nothing-like-this") && ran.err.contains("doctor"), "{}", ran.err);
}

/// Plays claude, whose stream reports tokens and cost.
const CLAUDE: &str = r#"echo x >>"$HOME/../first"
echo '{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.4,"usage":{"input_tokens":90,"output_tokens":10},"result":"ok","session_id":"s"}'"#;

#[test]
fn a_day_budget_is_kept_over_processes_and_reaching_it_starts_nothing() {
    let scene = Scene::new(":").env("HAST_TRUST", "all").env("HAST_AI_TOOL", "claude");
    scene.script("bin/claude", CLAUDE);
    configured(&scene, "budget: {usd: 0.7, per: day}\n");
    let ran = scene.call(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["usage"]["micro_usd"], 400_000);
    assert_eq!(scene.call(&[]).code, 0, "the last call may go beyond");
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("not_started")), "{ran:?}");
    assert!(ran.err.contains("budget is used up: usd per day"), "{}", ran.err);
    assert_eq!(scene.starts("first"), 2);
    let tomorrow = scene.env("HAST_TEST_WORLD", "2026-02-10T00:01:00+09:00#1");
    assert_eq!(tomorrow.call(&[]).code, 0);
}

#[test]
fn a_call_that_uses_more_than_it_may_is_ended() {
    let scene = Scene::new(":").env("HAST_TRUST", "all").env("HAST_AI_TOOL", "opencode");
    scene.script(
        "bin/opencode",
        r#"echo '{"type":"step_finish","sessionID":"s","part":{"reason":"tool-calls","tokens":{"input":500,"output":1}}}'
while :; do sleep 1; done"#,
    );
    configured(&scene, "budget: {tokens: 100}\n");
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("failed")), "{ran:?}");
    assert!(ran.json()["reason"].as_str().unwrap().contains("budget"), "{}", ran.out);
    assert_eq!(ran.json()["usage"]["input_tokens"], 500);
}

#[test]
fn claude_is_ended_by_what_its_messages_used_and_not_only_by_its_result() {
    let scene = Scene::new(":").env("HAST_TRUST", "all").env("HAST_AI_TOOL", "claude");
    scene.script(
        "bin/claude",
        r#"say() { echo '{"type":"assistant","message":{"id":"'"$1"'","model":"m","content":[{"type":"text","text":"hm"}],"usage":{"input_tokens":60,"output_tokens":1}}}'; }
say a; say a; say b
while :; do sleep 1; done"#,
    );
    configured(&scene, "budget: {tokens: 100}\n");
    let ran = scene.call(&[]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("failed")), "{ran:?}");
    assert!(ran.json()["reason"].as_str().unwrap().contains("budget"), "{}", ran.out);
    assert_eq!(ran.json()["usage"]["input_tokens"], 120, "a message counts once: {}", ran.out);
}

#[test]
fn an_agent_that_reports_nothing_cannot_be_held_to_a_cost_and_says_so() {
    let scene = Scene::new("echo x >>\"$HOME/../first\"").env("HAST_TRUST", "all");
    configured(&scene, "budget: {usd: 5, per: day}\n");
    assert_eq!(scene.call(&[]).code, 0);
    let ran = scene.call(&[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("does not report its use"), "{}", ran.err);
    assert_eq!(scene.starts("first"), 1);
}
