//! Each of the eleven tools: its parameters, later names, bounds and errors.

use hast_agent::builtin::tools::How;
use serde_json::{Value, json};

use crate::scene::{May, Scene};

fn text(scene: &Scene, tool: &str, arguments: Value) -> String {
    let answer = scene.using(tool, arguments);
    assert_eq!(answer.how, How::Done, "{tool}: {}", answer.text);
    answer.text
}

fn fails(scene: &Scene, tool: &str, arguments: Value) -> String {
    let answer = scene.using(tool, arguments);
    assert_ne!(answer.how, How::Done, "{tool}: {}", answer.text);
    answer.text
}

fn names(may: May) -> Vec<&'static str> {
    Scene::new(may).tools().offers().iter().map(|offer| offer.name).collect()
}

#[test]
fn a_call_that_may_only_read_has_no_tool_that_changes_the_tree() {
    let reading = [
        "list_directory",
        "read_file",
        "read_many_files",
        "write_file",
        "glob",
        "search_file_content",
    ];
    assert_eq!(names(May::Read), reading);
    let writing = ["replace", "create_directory", "run_shell_command"];
    assert_eq!(names(May::Write), [&reading[..], &writing].concat());
    let scene = Scene::new(May::Read);
    scene.write("tree/a.txt", "a");
    for (tool, arguments) in [
        ("write_file", json!({"file_path": "a.txt", "content": "b"})),
        ("replace", json!({"file_path": "a.txt", "old_string": "a", "new_string": "b"})),
        ("run_shell_command", json!({"command": "echo b > a.txt"})),
        ("create_directory", json!({"dir_path": "d"})),
    ] {
        fails(&scene, tool, arguments);
    }
    assert_eq!(scene.read("tree/a.txt"), "a");
    let report = format!("{}/report.json", scene.call.outbox);
    text(&scene, "write_file", json!({"file_path": report, "content": "{}"}));
    assert_eq!(scene.read("calls/1/outbox/report.json"), "{}");
}

#[test]
fn later_names_of_tools_and_parameters_are_understood() {
    let scene = Scene::new(May::Write);
    scene.write("tree/a.txt", "one\ntwo\nthree\n");
    let at = scene.path("tree/a.txt");
    for (tool, arguments, expected) in [
        ("read_file", json!({"absolute_path": at}), "one\ntwo\nthree\n"),
        (
            "read_file",
            json!({"path": "a.txt", "start_line": 2, "end_line": 2}),
            "[Lines 2 to 2 of 3. Go on with offset 2.]\ntwo\n",
        ),
        (
            "read_file",
            json!({"file_path": "a.txt", "offset": "1", "limit": 1.0}),
            "[Lines 2 to 2 of 3. Go on with offset 2.]\ntwo\n",
        ),
        (
            "grep_search",
            json!({"pattern": "TWO", "path": "."}),
            "1 matches.\nFile: a.txt\nL1- one\nL2: two\nL3- three\n",
        ),
        ("read_many_files", json!({"paths": ["a.txt"]}), "--- a.txt ---\none\ntwo\nthree\n"),
        ("list_directory", json!({"path": "src"}), "Directory src is empty."),
    ] {
        assert_eq!(text(&scene, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
    text(
        &scene,
        "replace",
        json!({"file_path": "a.txt", "old_string": "o", "new_string": "0", "allow_multiple": true}),
    );
    assert_eq!(scene.read("tree/a.txt"), "0ne\ntw0\nthree\n");
}

#[test]
fn missing_unknown_and_wrong_parameters_go_back_by_name() {
    let scene = Scene::new(May::Write);
    for (tool, arguments, words) in [
        ("read_file", json!({}), "`file_path` is missing"),
        ("read_file", json!({"file_path": "a", "mode": "r"}), "no parameter `mode`"),
        ("read_file", json!({"file_path": 7}), "`file_path` is not a string"),
        ("read_file", json!({"file_path": "a", "offset": -1}), "`offset` is not a number"),
        ("read_file", json!("a"), "no JSON object"),
        ("replace", json!({"file_path": "a"}), "`old_string` is missing; `new_string` is missing"),
        ("fly", json!({}), "no tool `fly`"),
    ] {
        let answer = scene.using(tool, arguments);
        assert_eq!(answer.how, How::Malformed, "{tool}");
        assert!(answer.text.contains(words), "{}", answer.text);
    }
}

#[test]
fn a_directory_is_listed_with_directories_first_and_at_most_a_thousand_entries() {
    let scene = Scene::new(May::Write);
    scene.write("tree/b.txt", "12345");
    scene.write("tree/.hidden", "");
    let listed = text(&scene, "list_directory", json!({"dir_path": "."}));
    assert_eq!(
        listed,
        "Directory .:\n.ai/\nsrc/\n.hidden (0 bytes)\nb.txt (5 bytes)\n"
            .replace("Directory .", &format!("Directory {}", scene.call.workdir))
    );
    let fewer = text(&scene, "list_directory", json!({"dir_path": ".", "ignore": [".*", "*.TXT"]}));
    assert!(!fewer.contains("hidden") && !fewer.contains("b.txt"), "{fewer}");
    for number in 0..1_003 {
        scene.write(&format!("tree/src/{number}"), "");
    }
    let many = text(&scene, "list_directory", json!({"dir_path": "src"}));
    assert!(many.ends_with("... and 3 more; use glob to narrow it down\n"), "{many}");
    assert!(
        fails(&scene, "list_directory", json!({"dir_path": "none"})).contains("does not exist")
    );
}

#[test]
fn a_file_is_read_by_parts_that_say_where_to_go_on() {
    let scene = Scene::new(May::Write);
    let lines: String = (0..4_500).map(|number| format!("line {number}\n")).collect();
    scene.write("tree/long.txt", &lines);
    let (mut offset, mut read) = (0, String::new());
    while offset < 4_500 {
        let part = text(&scene, "read_file", json!({"file_path": "long.txt", "offset": offset}));
        let (head, body) = part.split_once('\n').unwrap();
        assert!(head.contains("of 4500"), "{head}");
        read += body;
        offset += 2_000;
    }
    assert_eq!(read, lines);
    scene.write("tree/wide.txt", "x".repeat(5_000) + "\n" + &"y\n".repeat(3));
    let wide = text(&scene, "read_file", json!({"file_path": "wide.txt"}));
    assert!(wide.len() < 2_200 && wide.contains("1 lines are longer"), "{}", wide.len());
    scene.write("tree/fat.txt", ("z".repeat(1_990) + "\n").repeat(1_000));
    let fat = text(&scene, "read_file", json!({"file_path": "fat.txt"}));
    assert!(fat.len() < 257 << 10 && fat.contains("Go on with offset 131"), "{}", &fat[..80]);
    assert!(
        text(&scene, "read_file", json!({"file_path": "wide.txt", "offset": 9}))
            .contains("nothing at offset 9")
    );
}

#[test]
fn byte_order_marks_are_understood_and_binary_files_are_a_sentence() {
    let scene = Scene::new(May::Write);
    let wide = |big: bool| -> Vec<u8> {
        let units = "\u{feff}한글\n".encode_utf16();
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    for (name, bytes) in [("le", wide(false)), ("be", wide(true)), ("u8", "\u{feff}한글\n".into())]
    {
        scene.write(&format!("tree/{name}"), bytes);
        assert_eq!(text(&scene, "read_file", json!({"file_path": name})), "한글\n", "{name}");
    }
    scene.write("tree/bin", b"\x7fELF\0\0");
    assert_eq!(
        text(&scene, "read_file", json!({"file_path": "bin"})),
        "`bin` is a binary file of 6 bytes; it is not shown."
    );
    scene.write("tree/empty", "");
    assert_eq!(text(&scene, "read_file", json!({"file_path": "empty"})), "The file is empty.");
}

#[test]
fn several_files_come_sorted_with_what_was_left_out() {
    let scene = Scene::new(May::Write);
    scene.write("tree/src/b.rs", "b");
    scene.write("tree/src/a.rs", "a\n");
    scene.write("tree/src/deep/c.rs", "c\n");
    scene.write("tree/bin", b"\0");
    let read = text(
        &scene,
        "read_many_files",
        json!({"include": ["src/**/*.rs", "bin", "none"], "exclude": ["c.rs"]}),
    );
    assert_eq!(
        read,
        "--- src/a.rs ---\na\n--- src/b.rs ---\nb\n--- left out ---\n`none` does not exist\n`bin` is binary\n"
    );
    let flat = text(&scene, "read_many_files", json!({"include": "src", "recursive": false}));
    assert!(flat.contains("b.rs") && !flat.contains("c.rs"), "{flat}");
    scene.write("tree/big", "x\n".repeat(150_000));
    let big = text(&scene, "read_many_files", json!({"include": ["big", "src/a.rs"]}));
    assert!(
        big.contains("--- src/a.rs ---") && big.contains("`big` (300000 bytes) did not fit"),
        "{big}"
    );
}

#[test]
fn a_written_file_is_whole_keeps_its_line_ends_and_rights_and_leaves_nothing_out() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new(May::Write);
    assert_eq!(
        text(&scene, "write_file", json!({"file_path": "new/dir/a.txt", "content": "a\nb\n"})),
        "Made new/dir/a.txt: 2 lines."
    );
    scene.write("tree/win.txt", "one\r\ntwo\r\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scene.path("tree/win.txt"), mode).unwrap();
    let wrote =
        text(&scene, "write_file", json!({"file_path": "win.txt", "content": "one\ntwo\nthree\n"}));
    assert!(wrote.contains("    3 three"), "{wrote}");
    assert_eq!(scene.read("tree/win.txt"), "one\r\ntwo\r\nthree\r\n");
    let mode = scene.path("tree/win.txt").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    for line in [
        "// ... rest of the code",
        "# ... existing code ...",
        "    // ... (remaining methods)",
        "<!-- ... unchanged content ... -->",
        "# ... 나머지 코드",
    ] {
        let told = fails(
            &scene,
            "write_file",
            json!({"file_path": "win.txt", "content": format!("one\n{line}\n")}),
        );
        assert!(told.contains("leaves text out"), "{line}: {told}");
    }
    scene.write("tree/has.txt", "# ... existing code ...\n");
    text(
        &scene,
        "write_file",
        json!({"file_path": "has.txt", "content": "new\n# ... existing code ...\n"}),
    );
    scene.write("tree/bin", b"\xff\xfe\xfd");
    assert!(
        fails(&scene, "write_file", json!({"file_path": "bin", "content": "x"}))
            .contains("no UTF-8")
    );
    assert!(
        fails(&scene, "write_file", json!({"file_path": "src", "content": "x"}))
            .contains("is a directory")
    );
    let left: Vec<_> = std::fs::read_dir(scene.path("tree"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().contains("hast-new"))
        .collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new());
}

#[test]
fn files_are_found_newest_first_and_without_those_that_git_ignores() {
    let scene = Scene::new(May::Write);
    for (name, age) in
        [("src/old.rs", 300), ("src/new.rs", 100), ("src/B.RS", 200), ("ignored/x.rs", 1)]
    {
        scene.write(&format!("tree/{name}"), "");
        let file =
            std::fs::File::options().write(true).open(scene.path(&format!("tree/{name}"))).unwrap();
        let then =
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - age);
        file.set_modified(then).unwrap();
    }
    scene.write("tree/.gitignore", "ignored/\n");
    let found = |arguments: Value| -> Vec<String> {
        let root = format!("{}/", scene.call.workdir);
        text(&scene, "glob", arguments)
            .lines()
            .skip(1)
            .map(|line| line.replace(&root, ""))
            .collect()
    };
    assert_eq!(found(json!({"pattern": "**/*.rs"})), ["src/new.rs", "src/B.RS", "src/old.rs"]);
    assert_eq!(
        found(json!({"pattern": "*.rs", "dir_path": "src", "case_sensitive": true})),
        ["src/new.rs", "src/old.rs"]
    );
    assert_eq!(found(json!({"pattern": "**/x.rs", "respect_git_ignore": false})), ["ignored/x.rs"]);
    let absolute = format!("{}/src/*.rs", scene.call.workdir);
    assert_eq!(found(json!({"pattern": absolute})).len(), 3);
    assert_eq!(found(json!({"pattern": "*.rs"})), Vec::<String>::new(), "no file is there");
    assert!(fails(&scene, "glob", json!({"pattern": "a[", "dir_path": "."})).contains("no glob"));
}

#[test]
fn a_search_shows_more_around_few_matches_and_ends_at_a_hundred() {
    let scene = Scene::new(May::Write);
    let lines: String = (0..200).map(|number| format!("line {number}\n")).collect();
    scene.write("tree/a.txt", &lines);
    scene.write("tree/b.md", "needle\n");
    let shown = |pattern: &str| {
        text(&scene, "search_file_content", json!({"pattern": pattern})).lines().count()
    };
    assert_eq!(shown("^line 100$"), 2 + 101);
    assert_eq!(shown("^line (50|150)$"), 2 + 62);
    assert_eq!(shown("^line 1[0-3]$"), 2 + 4);
    let all = text(&scene, "search_file_content", json!({"pattern": "line"}));
    assert!(all.starts_with("The first 100 matches"), "{all}");
    assert!(
        text(&scene, "search_file_content", json!({"pattern": "line", "include": "*.md"}))
            .contains("No line")
    );
    assert!(
        text(&scene, "search_file_content", json!({"pattern": "NEEDLE", "include": "**/*.md"}))
            .contains("b.md")
    );
    assert!(
        text(&scene, "search_file_content", json!({"pattern": "NEEDLE", "case_sensitive": true}))
            .contains("No line")
    );
    assert!(
        fails(&scene, "search_file_content", json!({"pattern": "("}))
            .contains("no regular expression")
    );
}

#[test]
fn a_replacement_is_exact_or_by_whole_lines_and_never_a_guess() {
    let scene = Scene::new(May::Write);
    let source = "fn a() {\n        let x = 1;\n        call(x);\n}\nfn b() {\n    call(x);\n}\n";
    let change = |old: &str, new: &str, more: Value| {
        scene.write("tree/a.rs", source);
        let mut arguments = json!({"file_path": "a.rs", "old_string": old, "new_string": new});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = scene.using("replace", arguments);
        (answer.how == How::Done, answer.text, scene.read("tree/a.rs"))
    };
    let (done, told, now) = change("let x = 1;", "let x = 2;", json!({}));
    assert!(
        done && told.starts_with("Replaced 1 times in a.rs.\n") && now.contains("x = 2"),
        "{told}"
    );
    let (done, told, now) = change("call(x);", "call(y);", json!({}));
    assert!(!done && told.contains("2 times, not 1") && now == source, "{told}");
    let (done, _, now) = change("call(x);", "call(y);", json!({"expected_replacements": 2}));
    assert!(done && now.matches("call(y)").count() == 2);
    // Other indentation: fits by its lines, and takes the file's.
    let (done, told, now) =
        change("let x = 1;\ncall(x);", "let x = 3;\nif x {\n    call(x);\n}", json!({}));
    assert!(done && told.contains("indented like the file"), "{told}");
    assert!(
        now.contains("        let x = 3;\n        if x {\n            call(x);\n        }\n}"),
        "{now}"
    );
    let (done, told, now) = change("let x = 1;\ncall(z);", "q", json!({}));
    assert!(
        !done && told.contains("not in the file") && told.contains("    2         let x = 1;"),
        "{told}"
    );
    assert_eq!(now, source);
    let (done, told, _) = change("call(x);", "call(x);", json!({}));
    assert!(!done && told.contains("are the same"));
    let (done, told, _) = change("", "x", json!({}));
    assert!(!done && told.contains("exists"));
}

#[test]
fn a_replacement_knows_line_ends_new_files_and_when_to_give_up() {
    let scene = Scene::new(May::Write);
    scene.write("tree/win.txt", "a\r\nb\r\nc\r\n");
    text(
        &scene,
        "replace",
        json!({"file_path": "win.txt", "old_string": "a\nb\n", "new_string": "x\ny\n"}),
    );
    assert_eq!(scene.read("tree/win.txt"), "x\r\ny\r\nc\r\n");
    scene.write("tree/mixed.txt", "a\r\nb\nc\n");
    text(
        &scene,
        "replace",
        json!({"file_path": "mixed.txt", "old_string": "b\n", "new_string": "B\n"}),
    );
    assert_eq!(scene.read("tree/mixed.txt"), "a\r\nB\nc\n", "what was not named stays");
    text(
        &scene,
        "replace",
        json!({"file_path": "new.txt", "old_string": "", "new_string": "hi\n"}),
    );
    assert_eq!(scene.read("tree/new.txt"), "hi\n");
    let mut tools = scene.tools();
    let wrong = json!({"file_path": "win.txt", "old_string": "none", "new_string": "x"});
    assert!(!tools.perform("replace", &wrong).text.contains("write_file"));
    assert!(tools.perform("replace", &wrong).text.contains("write the whole file with write_file"));
}

#[test]
fn a_command_has_no_input_a_limit_and_no_key() {
    let scene = Scene::new(May::Write);
    assert_eq!(
        text(&scene, "run_shell_command", json!({"command": "echo hi; echo no >&2; exit 3"})),
        "[exit code 3]\nhi\nno\n"
    );
    assert_eq!(
        text(&scene, "run_shell_command", json!({"command": "true"})),
        "[exit code 0]\n(no output)"
    );
    assert_eq!(
        text(
            &scene,
            "run_shell_command",
            json!({"command": "cat; echo $PAGER-${HOME-gone}", "description": "x"})
        ),
        "[exit code 0]\ncat-gone\n"
    );
    assert_eq!(
        text(&scene, "run_shell_command", json!({"command": "basename $PWD", "dir_path": "src"})),
        "[exit code 0]\nsrc\n"
    );
    let late =
        text(&scene, "run_shell_command", json!({"command": "sleep 60 & sleep 60", "timeout": 1}));
    assert!(late.starts_with("[ended after 1 seconds"), "{late}");
    // A child that keeps the output open is not waited for.
    let began = std::time::Instant::now();
    text(&scene, "run_shell_command", json!({"command": "sleep 30 & echo $! > pid; echo done"}));
    assert!(began.elapsed().as_secs() < 20);
    text(&scene, "run_shell_command", json!({"command": "kill $(cat pid)"}));
    let mut tools = scene.tools();
    let long = tools.perform("run_shell_command", &json!({"command": "seq 1 20000"})).text;
    assert!(
        long.len() < 20_500 && long.contains("\n1\n2\n") && long.ends_with("\n20000\n"),
        "{}",
        long.len()
    );
    let file = long.split("all of it is in ").nth(1).unwrap().split(',').next().unwrap().to_owned();
    let middle =
        tools.perform("read_file", &json!({"file_path": file, "offset": 9_999, "limit": 1}));
    assert_eq!(middle.text, "[Lines 10000 to 10000 of 20000. Go on with offset 10000.]\n10000\n");
}
