//! `hast init` and `hast context` in scratch projects.

use std::fs;
use std::process::Stdio;

use crate::world::World;

const CONFIG: &str = "test_command: \"cargo test\"\nai_tool: claude\n";
const GOALS: &str = "goals:\n  - id: M1\n    title: \"첫 목표\"\n    status: active\n";

fn handoff(goal: &str, next: &str) -> String {
    format!(
        "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: {goal}\n---\n\n## Done\n- 한 일\n\n## Next\n{next}\n"
    )
}

fn project() -> World {
    World::new().file(".git/HEAD", "ref: refs/heads/main\n")
}

#[test]
fn init_makes_what_is_missing_and_shows_the_next_steps() {
    let world = project().file("Cargo.toml", "").korean();
    let ran = world.run(&["init"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.out,
        "hast init
═════════

  Created .ai/
  ├── config.yaml
  ├── goals.yaml
  ├── rules.md
  └── handoffs/

  다음 단계:
  1. .ai/config.yaml에서 test_command(cargo test, Cargo.toml에서 추측), ai_tool(claude: 이 기계에서 에이전트를 찾지 못했습니다)이 프로젝트에 맞는지 확인하세요.
  2. .ai/goals.yaml에 목표를 추가하세요.
  3. CLAUDE.md 또는 AGENTS.md에 다음을 추가하거나 hast init --conventions를 실행하세요:

     ## 세션 규약
     이 프로젝트는 .ai/ 디렉터리로 세션을 관리합니다.
     - 작업 전 `.ai/handoffs/`의 최신 파일을 읽으세요.
     - 작업 후 `.ai/handoffs/`에 핸드오프를 작성하세요.
     - 규칙: `.ai/rules.md` 참조

  이어서:
     hast goal add \"할 일 한 줄\"
     git add .ai && git commit -m \"hast: 설정, 목표, 규칙\"
     hast auto
"
    );
    assert_eq!(world.run(&["verify"]).code, 0);
    assert_eq!(world.run(&["context"]).code, 0);
    let modeline = world.read(".ai/config.yaml");
    let schema = modeline.lines().next().unwrap().rsplit('=').next().unwrap();
    assert!(world.read(&format!(".ai/{schema}")).contains("\"title\": \"Config\""));
}

#[test]
fn init_never_overwrites_and_finishes_what_was_interrupted() {
    let world = project().file(".ai/goals.yaml", GOALS).file(".ai/config.yaml", CONFIG);
    let ran = world.run(&["init", "--json"]);
    assert_eq!(ran.code, 0);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let created = document["created"].to_string();
    assert!(created.contains("rules.md") && !created.contains("goals.yaml\""), "{created}");
    assert_eq!(world.read(".ai/goals.yaml"), GOALS);
    assert_eq!(world.read(".ai/config.yaml"), CONFIG);
    let again = world.run(&["init"]);
    assert!(again.out.contains("nothing was changed"), "{}", again.out);
}

#[test]
fn init_tells_what_the_settings_really_have() {
    let own = "test_command: \"make check\"\nai_tool: codex\n";
    let world = project().file(".ai/config.yaml", own).file("Cargo.toml", "");
    let ran = world.run(&["init"]);
    assert!(ran.out.contains("test_command (make check) and ai_tool (codex) in"), "{}", ran.out);
    let document: serde_json::Value =
        serde_json::from_str(&world.run(&["init", "--json"]).out).unwrap();
    assert_eq!(
        (&document["test_command"], &document["ai_tool"]),
        (&"make check".into(), &"codex".into())
    );
    let rules = world.run(&["init", "--conventions"]);
    assert!(rules.out.contains("session rules added: AGENTS.md"), "{}", rules.out);
    assert!(!rules.out.contains("nothing was changed"), "{}", rules.out);
    let empty = project().run(&["init"]);
    assert!(empty.out.contains("(pytest: no test command was found, set yours)"), "{}", empty.out);
    assert!(empty.out.contains("no agent was found on this machine"), "{}", empty.out);
    assert!(!empty.out.contains("guessed"), "{}", empty.out);
    let broken = project().file(".ai/config.yaml", "test_command: [").run(&["init"]);
    assert!(broken.out.contains(".ai/config.yaml cannot be read"), "{}", broken.out);
}

#[test]
fn init_killed_anywhere_is_finished_by_running_it_again() {
    for round in 0..20u32 {
        let world = project();
        let mut child =
            world.command(&["init", "--conventions"]).stdout(Stdio::null()).spawn().unwrap();
        // Not a sleep: somewhere in the few milliseconds that it takes.
        for _ in 0..round * 60_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(world.run(&["init", "--conventions"]).code, 0);
        assert_eq!(world.run(&["verify"]).code, 0);
        assert_eq!(world.read("AGENTS.md").matches("<!-- hast:conventions -->").count(), 1);
        for directory in [world.root(), world.root().join(".ai"), world.root().join(".ai/.hast")] {
            let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
            let left: Vec<_> =
                names.filter(|name| name.to_string_lossy().contains(".hast-")).collect();
            assert!(left.is_empty(), "{left:?}");
        }
    }
}

#[test]
fn init_outside_a_repository_says_which_command_to_run() {
    let ran = World::new().run(&["init"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("git init"), "{}", ran.err);
    let bare = World::new().file("HEAD", "").file("objects/x", "").file("refs/x", "");
    let ran = bare.run(&["init"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("bare") && ran.err.contains("git clone"), "{}", ran.err);
    let ran = project().file(".ai/config.yaml/in/the/way", "").run(&["init"]);
    assert_eq!(ran.code, 0, "what is there is left alone, whatever it is: {}", ran.err);
    let ran = project().file(".ai", "a file").run(&["init"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--> /tmp/home/project/.ai"), "{}", ran.err);
}

#[test]
fn init_works_at_the_git_top_level() {
    let world = project().file("deep/er/file", "");
    let ran = world.command(&["init"]).current_dir(world.root().join("deep/er")).output().unwrap();
    assert!(ran.status.success());
    assert!(world.root().join(".ai/goals.yaml").is_file());
    assert!(!world.root().join("deep/er/.ai").exists());
}

#[test]
fn conventions_are_added_once_and_leave_the_rest_byte_for_byte() {
    let world = project().file("CLAUDE.md", "# 내 규칙\r\n- 하나\r\n").file("GEMINI.md", "x");
    assert_eq!(world.run(&["init", "--conventions"]).code, 0);
    assert_eq!(world.read("CLAUDE.md"), "# 내 규칙\r\n- 하나\r\n\r\n@AGENTS.md\r\n");
    assert_eq!(world.read("GEMINI.md"), "x\n\n@AGENTS.md\n");
    let agents = world.read("AGENTS.md");
    assert_eq!(agents.matches(".ai/handoffs/").count(), 2);
    assert_eq!(world.run(&["init", "--conventions"]).code, 0);
    assert_eq!(world.read("AGENTS.md"), agents);
    assert_eq!(world.read("GEMINI.md"), "x\n\n@AGENTS.md\n");
}

#[test]
fn context_reads_the_newest_valid_handoff_and_warns_about_the_others() {
    let world = project()
        .file(".ai/goals.yaml", GOALS)
        .file(".ai/handoffs/2026-02-09_143000.md", handoff("M1", "첫째"))
        .file(".ai/handoffs/2026-02-09_143000_2.md", handoff("M1", "둘째"))
        .file(".ai/handoffs/2026-02-09_143000_10.md", handoff("M1", "열째"))
        .file(".ai/handoffs/2026-02-09_150000.md", "no front matter\n")
        .file(".ai/handoffs/zzz.md", "not a handoff\n");
    let ran = world.run(&["context"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("## Your Task\n열째\n"), "{}", ran.out);
    assert!(
        ran.err.contains("2026-02-09_150000.md is not valid and is passed over"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("zzz"));
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let build = |order: &[usize]| {
        let files: Vec<(String, String)> = (0..20)
            .map(|n| {
                (
                    format!(".ai/handoffs/2026-02-{:02}_143000.md", n + 1),
                    handoff("M1", &format!("{n}")),
                )
            })
            .collect();
        let mut world = project().file(".ai/goals.yaml", GOALS);
        for &index in order {
            let (path, text) = &files[index];
            world = world.file(path, text);
        }
        world
    };
    let forward: Vec<usize> = (0..20).collect();
    let shuffled: Vec<usize> = (0..20).map(|n| (n * 7 + 3) % 20).collect();
    let first = build(&forward);
    let second = build(&shuffled);
    for format in ["markdown", "plain", "json"] {
        let once = first.run(&["context", "--format", format]).out;
        let old = first.root().join(".ai/handoffs/2026-02-03_143000.md");
        let file = fs::File::options().append(true).open(old).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(once, first.run(&["context", "--format", format]).out);
        assert_eq!(once, second.run(&["context", "--format", format]).out);
    }
}

#[test]
fn context_without_goals_or_handoffs_is_useful_and_exit_0() {
    let world = project().file(".ai/rules.md", "- 규칙 하나\n");
    let ran = world.run(&["context", "--json"]);
    assert_eq!(ran.code, 0);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["current_goal"], serde_json::Value::Null);
    assert_eq!(document["rules"][0], "규칙 하나");
    assert_eq!(document.as_object().unwrap().len(), 5);
}

#[test]
fn context_of_a_named_goal() {
    let goals = "goals:\n  - id: A\n    title: 가\n    status: active\n  - id: B\n    title: 나\n    status: pending\n";
    let world = project().file(".ai/goals.yaml", goals);
    assert!(world.run(&["context", "--goal", "B"]).out.contains("B — 나"));
    let ran = world.run(&["context", "--goal", "C"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("there is no goal `C`"), "{}", ran.err);
}

#[test]
fn a_bad_file_ends_context_with_file_line_and_cause() {
    let world = project().file(".ai/goals.yaml", "goals:\n  - id: A\n    title: 가\n");
    let ran = world.run(&["context"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains(".ai/goals.yaml:2:5"), "{}", ran.err);
    assert!(ran.err.contains("status: active"), "{}", ran.err);
    let goals = GOALS.to_owned() + "    tool: robot\n";
    let world = project().file(".ai/goals.yaml", goals).file(".ai/config.yaml", CONFIG);
    for command in ["context", "verify"] {
        let ran = world.run(&[command]);
        assert_eq!(ran.code, 1, "{command}");
        assert!((ran.err + &ran.out).contains("`robot` is not allowed here"), "{command}");
    }
    let ran = World::new().run(&["context"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("hast init"), "{}", ran.err);
}

#[test]
fn unknown_keys_are_a_warning_on_stderr() {
    let world = project().file(".ai/config.yaml", format!("{CONFIG}futur: 1\n"));
    let ran = world.run(&["context"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("warning: unknown field `futur`"), "{}", ran.err);
    assert!(ran.out.starts_with("# Session Context"));
    assert_eq!(world.run(&["context", "-q"]).err, "");
}

#[test]
fn the_limit_of_the_config_holds() {
    let rules = "- 규칙은 언제나 남는다\n".repeat(500);
    let config = format!("{CONFIG}max_context_bytes: 1000\n");
    let world = project()
        .file(".ai/config.yaml", config)
        .file(".ai/rules.md", rules)
        .file(".ai/goals.yaml", GOALS);
    for format in ["markdown", "plain", "json"] {
        let ran = world.run(&["context", "--format", format]);
        assert_eq!(ran.code, 0);
        assert!(ran.out.len() <= 1000 && ran.out.len() > 900, "{format} {}", ran.out.len());
    }
}

#[test]
fn the_config_may_choose_the_language() {
    let world = project().file(".ai/config.yaml", format!("{CONFIG}language: ko\n"));
    assert!(world.run(&["context"]).out.contains("활성 목표가 없습니다"));
    assert!(world.run(&["context", "--lang", "en"]).out.contains("No active goal"));
    assert!(world.run(&["inbox", "list"]).out.contains("없습니다"));
    let wrong = world.run(&["queue", "claim", "--worker", "w", "--goal", "none"]).err;
    assert!(wrong.starts_with("오류"), "{wrong}");
    assert!(!wrong.contains("next:"), "one language: {wrong}");
}

#[test]
fn status_and_context_name_the_same_goal() {
    let goals = GOALS.to_owned()
        + "    children:\n      - id: M1.1\n        title: 깊은 것\n        status: active\n";
    let world = project()
        .file(".ai/goals.yaml", goals)
        .file(".ai/handoffs/2026-02-09_143000.md", handoff("M1", "다음"))
        .file(".ai/handoffs/2026-02-09_150000.md", "not valid\n");
    assert!(world.run(&["context"]).out.contains("## Current Goal\nM1 — 첫 목표"));
    let status = world.run(&["status"]).out;
    assert!(status.contains("current goal: M1 — 첫 목표"), "{status}");
    assert!(status.contains("last handoff: 2026-02-09_143000.md"), "{status}");
}

#[test]
fn status_shows_goals_at_a_glance() {
    let goals = GOALS.to_owned()
        + "  - id: M2\n    title: x\n    status: blocked\n    blocked_reason: \"테스트 실패\"\n";
    let world = project()
        .file(".ai/goals.yaml", goals)
        .file(".ai/handoffs/2026-02-09_143000.md", handoff("M1", "다음"))
        .korean();
    assert_eq!(
        world.run(&["status"]).out,
        "goals     /tmp/home/project
          진행 1, 대기 0, 차단 1, 완료 0, 폐기 0
          현재 목표: M1 — 첫 목표
          마지막 핸드오프: 2026-02-09_143000.md
          차단됨: M2 (테스트 실패)
          다음: hast show M2가 사유를 보여 줍니다
"
    );
}

#[test]
fn conventions_are_written_through_no_link_out_of_the_repository_and_no_file_includes_itself() {
    let world = project();
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), world.root().join("AGENTS.md")).unwrap();
    let ran = world.run(&["init", "--conventions"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("AGENTS.md") && ran.err.contains("next"), "{}", ran.err);
    assert_eq!(fs::read_to_string(outside.path()).unwrap(), "");

    let world = project().file("AGENTS.md", "# mine\n");
    std::os::unix::fs::symlink("AGENTS.md", world.root().join("CLAUDE.md")).unwrap();
    assert_eq!(world.run(&["init", "--conventions"]).code, 0);
    assert!(!world.read("AGENTS.md").contains("@AGENTS.md"), "{}", world.read("AGENTS.md"));
}
