//! No argument of any tool leads out of what the call was granted, or makes an answer that is not
//! bounded.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use hast_agent::builtin::tools::{How, Tools};
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::scene::{May, Scene};

/// A tree in which everything lies that could lead out of it.
fn hostile() -> Scene {
    let scene = Scene::new(May::Write);
    scene.write("tree/a.txt", "inside\n");
    scene.write("tree/.ai/goals.yaml", "goals: []\n");
    scene.write("calls/2/outbox/other.json", "outside");
    let link = |target: &str, name: &str| symlink(target, scene.path(name)).unwrap();
    link("../outside", "tree/out");
    link("../outside/secret.txt", "tree/secret");
    link("../outside/new.txt", "tree/dangling");
    link("/", "tree/root");
    link("/proc/self", "tree/proc");
    link("loop", "tree/loop");
    link("a.txt", "tree/inner");
    link(".ai", "tree/state");
    let rights = Mode::RUSR | Mode::WUSR;
    mknodat(CWD, scene.path("tree/fifo"), FileType::Fifo, rights, 0).unwrap();
    let sparse = std::fs::File::create(scene.path("tree/sparse")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    scene
}

/// Everything outside of the tree, as it should stay.
fn outside(scene: &Scene) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (directory, files) in [
        ("outside", vec!["secret.txt"]),
        ("calls/2/outbox", vec!["other.json"]),
        ("tree/.ai", vec!["goals.yaml", "handoffs"]),
    ] {
        let mut names: Vec<String> = std::fs::read_dir(scene.path(directory))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, files, "{directory}");
        for name in files.iter().filter(|name| **name != "handoffs") {
            all.push(((*name).to_owned(), scene.read(&format!("{directory}/{name}"))));
        }
    }
    all
}

/// Uses every tool that takes a path on it.
fn used(tools: &mut Tools, path: &str) -> Vec<(&'static str, String, How)> {
    let uses = [
        ("list_directory", json!({"dir_path": path})),
        ("read_file", json!({"file_path": path})),
        ("read_many_files", json!({"include": [path]})),
        ("glob", json!({"pattern": "**/*", "dir_path": path})),
        ("search_file_content", json!({"pattern": ".", "dir_path": path})),
        ("write_file", json!({"file_path": path, "content": "written"})),
        ("replace", json!({"file_path": path, "old_string": "outside", "new_string": "written"})),
        ("create_directory", json!({"dir_path": path})),
        ("run_shell_command", json!({"command": "true", "dir_path": path})),
    ];
    uses.map(|(tool, arguments)| {
        let answer = tools.perform(tool, &arguments);
        (tool, answer.text, answer.how)
    })
    .to_vec()
}

#[test]
fn nothing_leads_out_of_the_tree() {
    let scene = hostile();
    let before = outside(&scene);
    let mut tools = scene.tools();
    let absolute = scene.path("outside/secret.txt");
    let other = scene.path("calls/2/outbox/other.json");
    for path in [
        "../outside/secret.txt",
        "src/../../outside/secret.txt",
        "out/secret.txt",
        "secret",
        "dangling",
        "loop",
        "root/etc/passwd",
        "proc/environ",
        "/proc/self/environ",
        "/proc/1/root/etc/passwd",
        "/dev/null",
        "/dev/zero",
        "/sys/kernel",
        "/etc/passwd",
        "none/../../outside/new.txt",
        "",
        " ",
        "\0",
        "a\0b",
        absolute.to_str().unwrap(),
        other.to_str().unwrap(),
    ] {
        for (tool, text, how) in used(&mut tools, path) {
            let optional = ["glob", "search_file_content", "run_shell_command"];
            if path.is_empty() && optional.contains(&tool) {
                // No directory is the working directory.
                continue;
            }
            let refused = how != How::Done || text.starts_with("--- left out ---");
            assert!(refused, "{tool} {path:?}: {text}");
            assert!(!text.contains("root:") && !text.contains("PATH="), "{tool} {path:?}: {text}");
        }
    }
    assert_eq!(outside(&scene), before);
    // The state of hast may be read and not be written, but for the handoff.
    for path in [".ai/goals.yaml", "state/goals.yaml", ".ai/new.txt"] {
        let arguments = json!({"file_path": path, "content": "x"});
        assert_ne!(tools.perform("write_file", &arguments).how, How::Done, "{path}");
    }
    assert_eq!(outside(&scene), before);
    let handoff = json!({"file_path": ".ai/handoffs/h.md", "content": "x"});
    assert_eq!(tools.perform("write_file", &handoff).how, How::Done);
    assert_eq!(tools.perform("read_file", &json!({"file_path": "inner"})).text, "inside\n");
    let prompt = scene.call.prompt_file.clone();
    assert_eq!(tools.perform("read_file", &json!({"file_path": prompt})).text, "prompt\n");
}

#[test]
fn pipes_devices_and_files_of_ten_gigabytes_are_not_waited_for() {
    let scene = hostile();
    let mut tools = scene.tools();
    let began = Instant::now();
    for path in ["fifo", "sparse", "."] {
        for (tool, text, how) in used(&mut tools, path) {
            assert!(text.len() < 300 << 10, "{tool} {path}: {} bytes", text.len());
            if path != "." && ["read_file", "write_file", "replace"].contains(&tool) {
                assert_ne!(how, How::Done, "{tool} {path}: {text}");
            }
        }
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(scene.path("tree/sparse").metadata().unwrap().len(), 10 << 30);
}

fn any_path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just(".."),
        Just("."),
        Just("out"),
        Just("secret"),
        Just("root"),
        Just("proc"),
        Just("src"),
        Just(".ai"),
        Just("state"),
        Just("goals.yaml"),
        Just("handoffs"),
        Just("dangling"),
        Just("new.txt"),
        Just("a.txt"),
        Just("outside"),
        Just("secret.txt"),
        Just("tree"),
        Just("loop"),
        Just("fifo"),
        Just("한글"),
        Just(" "),
        Just(""),
    ];
    (prop::collection::vec(part, 1..6), any::<bool>()).prop_map(|(parts, absolute)| {
        let path = parts.join("/");
        if absolute { format!("/{path}") } else { path }
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_path().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(Value::Null),
        prop::collection::vec(any_path(), 0..3).prop_map(|list| json!(list)),
    ]
}

const NAMES: [&str; 12] = [
    "file_path",
    "dir_path",
    "path",
    "include",
    "pattern",
    "content",
    "old_string",
    "new_string",
    "offset",
    "limit",
    "expected_replacements",
    "case_sensitive",
];
const TOOLS: [&str; 8] = [
    "list_directory",
    "read_file",
    "read_many_files",
    "write_file",
    "glob",
    "search_file_content",
    "replace",
    "create_directory",
];

#[test]
fn ten_thousand_random_calls_are_answered_within_bounds_and_change_nothing_outside() {
    let scene = hostile();
    std::fs::remove_file(scene.path("tree/sparse")).unwrap();
    let before = outside(&scene);
    let mut tools = scene.tools();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 10_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let tools = std::cell::RefCell::new(&mut tools);
    let strategy =
        (0..TOOLS.len(), prop::collection::vec((0..NAMES.len(), any_value()), 0..5), any_path());
    let ran = runner.run(&strategy, |(tool, fields, path)| {
        let mut arguments = serde_json::Map::new();
        // Most calls have the right parameters, so that they get past the first look.
        for name in ["file_path", "dir_path"] {
            arguments.insert(name.to_owned(), path.clone().into());
        }
        let wrong = if ["list_directory", "glob", "search_file_content", "create_directory"]
            .contains(&TOOLS[tool])
        {
            "file_path"
        } else {
            "dir_path"
        };
        arguments.remove(wrong);
        arguments.extend(fields.into_iter().map(|(name, value)| (NAMES[name].to_owned(), value)));
        if !["read_file", "write_file", "replace", "list_directory", "create_directory"]
            .contains(&TOOLS[tool])
        {
            arguments.entry("pattern").or_insert_with(|| "**/*".into());
            arguments.entry("include").or_insert_with(|| json!([path]));
        }
        let answer = tools.borrow_mut().perform(TOOLS[tool], &Value::Object(arguments));
        prop_assert!(answer.text.len() < 300 << 10);
        prop_assert!(!answer.text.contains("root:x"), "{}", answer.text);
        Ok(())
    });
    ran.unwrap();
    let handoffs = scene.path("tree/.ai/handoffs");
    for entry in std::fs::read_dir(&handoffs).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap()
        } else {
            std::fs::remove_file(path).unwrap()
        }
    }
    assert_eq!(outside(&scene), before);
}
