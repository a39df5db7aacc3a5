//! Kernel commands as users type them, and their results, for people in two languages and for
//! programs.

use crate::scene::Scene;

#[test]
fn booting_makes_a_kernel_and_tells_what_is_broken() {
    let scene = Scene::new("");
    let ran = scene.hast(&["kernel", "boot"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("RUNNING") && ran.out.contains("hast kernel start"), "{}", ran.out);
    assert!(scene.hast(&["kernel", "boot", "--json"]).out.contains("\"status\": \"RUNNING\""));
    scene.write(".brain/experts/ResearchExpert.yaml", "name: ResearchExpert\nrole: 3\n");
    let broken = scene.hast(&["kernel", "boot"]);
    assert_eq!(broken.code, 1, "{broken:?}");
    assert!(broken.err.contains("experts/ResearchExpert.yaml:"), "{}", broken.err);
    assert!(scene.read(".brain/kernel_status.json").contains("FAILED"));
    let refused = scene.hast(&["kernel", "start", "x"]);
    assert!(refused.code == 1 && refused.err.contains("hast kernel boot"), "{refused:?}");
    assert_eq!(scene.hast(&["kernel", "list"]).out, "there are no requests yet\n");
}

#[test]
fn the_response_is_one_document_for_programs() {
    let scene = Scene::new("");
    let ran = scene.hast(&["kernel", "start", "write something", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.starts_with('{') && ran.out.contains("\"final_report\": \"# Report"),
        "{ran:?}"
    );
    let list = scene.hast(&["kernel", "list", "--json"]);
    assert!(
        list.out.contains("\"items_done\": 2") && list.out.contains("\"completed\""),
        "{list:?}"
    );
    let show = scene.hast(&["kernel", "show", "--json"]);
    assert!(show.out.contains("\"merges\": []"), "{}", show.out);
    let nothing = scene.hast(&["kernel", "resume"]);
    assert!(nothing.code == 1 && nothing.err.contains("no request is unfinished"), "{nothing:?}");
}

#[test]
fn everything_is_said_in_korean_too() {
    let scene = Scene::new("");
    let empty = scene.hast(&["kernel", "list", "--lang", "ko"]);
    assert!(empty.code == 1 && empty.err.contains(".brain/이 없습니다"), "{empty:?}");
    let ran = scene.hast(&["kernel", "start", "보고서를 써라", "--lang", "ko"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("요청에 답했습니다"), "{}", ran.err);
    assert!(scene.read(".brain/experts/ResearchExpert.yaml").contains("조사"));
    let list = scene.hast(&["kernel", "list", "--lang", "ko"]);
    assert!(list.out.contains("완료  2/2  보고서를 써라"), "{}", list.out);
}

#[test]
fn an_expert_of_ones_own_is_added_checked_and_listed() {
    let scene = Scene::new("");
    scene.hast(&["kernel", "boot"]);
    let added = scene.hast(&["kernel", "experts", "add", "Poet", "--role", "Writes: verse"]);
    assert_eq!(added.code, 0, "{added:?}");
    assert!(scene.hast(&["kernel", "experts", "list"]).out.contains("Poet  Writes: verse\n"));
    assert_eq!(scene.hast(&["kernel", "experts", "check"]).code, 0);
    assert_eq!(scene.hast(&["kernel", "experts", "add", "Poet"]).code, 1, "it overwrites nothing");
    for name in ["../x", "index", "가", ""] {
        let ran = scene.hast(&["kernel", "experts", "add", name]);
        assert_eq!(ran.code, 2, "{name}: {ran:?}");
    }
    scene.write(
        ".brain/experts/Poet.yaml",
        "name: Other\nrole: r\nresponsibilities: []\ninstructions: i\n",
    );
    let broken = scene.hast(&["kernel", "experts", "check"]);
    assert!(broken.code == 1 && broken.out.contains("experts/Poet.yaml"), "{broken:?}");
    let korean = scene.hast(&["kernel", "experts", "check", "--lang", "ko"]);
    assert!(korean.out.contains("experts/Poet.yaml: name이 Other인데"), "{korean:?}");
    let booted = scene.hast(&["kernel", "boot", "--lang", "ko"]);
    assert!(booted.code == 1 && booted.err.contains("name을 고치세요"), "{booted:?}");
}

#[test]
fn an_experts_agent_writes_and_limits_are_written_shown_and_completed_by_editors() {
    let scene = Scene::new("");
    scene.hast(&["kernel", "boot"]);
    let words = ["kernel", "experts", "add", "Smith", "--agent", "codex", "--timeout", "7"];
    let added = scene.hast(&[&words[..], &["--writes", "src/**", "--writes", "*.md"]].concat());
    assert_eq!(added.code, 0, "{added:?}");
    let list = scene.hast(&["kernel", "experts", "list"]);
    assert!(
        list.out.contains("agent: codex · may write: src/**, *.md · at most 7 min"),
        "{list:?}"
    );
    let json = scene.hast(&["kernel", "experts", "list", "--json"]);
    assert!(json.out.contains("\"timeout_minutes\": 7"), "{json:?}");
    for file in ["brain.yaml", "experts/index.yaml", "experts/Smith.yaml"] {
        let text = scene.read(&format!(".brain/{file}"));
        let line = text.lines().next().unwrap();
        let schema = line.strip_prefix("# yaml-language-server: $schema=").unwrap();
        let beside = format!(".brain/{}", file.rsplit_once('/').map_or("", |(above, _)| above));
        let schema = scene.read(&format!("{beside}/{schema}"));
        assert!(schema.contains("\"$schema\""), "{file}: {line}");
    }
}

#[test]
fn the_demo_grows_a_plan_replaces_an_expert_and_delivers() {
    let scene = Scene::new("");
    for lang in ["en", "ko"] {
        let ran = scene.hast(&["demo", "kernel", "--dir", lang, "--lang", lang]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.starts_with("# "), "{}", ran.out);
        assert!(ran.err.contains("day/hours/derive"), "{}", ran.err);
        assert!(ran.err.contains("hast kernel start"), "{}", ran.err);
    }
}

#[test]
fn the_agents_of_experts_need_the_users_approval() {
    let scene = Scene::new("");
    scene.hast(&["kernel", "boot"]);
    let expert = scene.read(".brain/experts/ResearchExpert.yaml");
    let other = format!("{expert}agent: \"rehearsal:other.yaml\"\n");
    scene.write(".brain/experts/ResearchExpert.yaml", &other);
    let shown = scene.hast(&["trust"]);
    assert!(
        (shown.out + &shown.err).contains("experts.ResearchExpert.agent"),
        "an expert's agent is shown with everything else that would be run"
    );
}
