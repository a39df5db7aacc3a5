//! A recorded call replays to the same result: outcome, documents, tree, usage.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use hast_flow::agents::command::AgentCommand;
use hast_flow::agents::presets::Preset;
use hast_flow::agents::record::{Recording, record};
use hast_flow::agents::redact::Redactor;
use hast_flow::agents::usage::Earlier;
use hast_flow::process::Stdin;
use hast_flow::words::Lang;

use crate::rehearsal_calls::in_the_place_of;
use crate::rehearsal_scene::{Answer, Rehearsed, put};
use crate::scene::NETS;

#[expect(clippy::disallowed_methods, reason = "a test of the binary has to start it, and git")]
fn ran(program: &str, args: &[&str], cwd: &Path) -> (bool, String, String) {
    let output = Command::new(program)
        .args(args)
        .current_dir(cwd)
        .env("LC_ALL", "C")
        .env("MY_API_KEY", "sesame-street")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// A repository with one commit as the work tree, and the handoff in it.
fn in_repository(replies: &str) -> Rehearsed {
    let call = Rehearsed::new(NETS[0], replies);
    let tree = call.tree("");
    put(&call.tree("kept"), "as it was\n");
    put(&call.tree("changed"), "one\n");
    put(&call.tree("doomed"), "bye\n");
    put(&call.tree(".gitignore"), "*.log\n");
    put(&call.tree("was-tool"), "x\n");
    put(&call.tree("was-file"), "x\n");
    put(&call.tree("was-top"), "x\n");
    std::os::unix::fs::symlink("kept", call.tree("was-link")).unwrap();
    fs::set_permissions(call.tree("was-tool"), fs::Permissions::from_mode(0o755)).unwrap();
    for args in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "base"],
    ] {
        assert!(ran("git", args, &tree).0);
    }
    let handoff = call.tree(".ai/handoffs/2026-02-09_143000.md").display().to_string();
    call.call(|call| call.handoff_path = Some(handoff))
}

/// What a performer of calls keeps.
fn keep(call: &Rehearsed, answer: &Answer, folder: &Path) {
    fs::create_dir_all(folder.join("outbox")).unwrap();
    let command = AgentCommand {
        program: "claude".to_owned(),
        args: Vec::new(),
        cwd: String::new(),
        stdin: Stdin::Nothing,
        env: BTreeMap::new(),
        inherit: Vec::new(),
        shown: "claude -p --output-format stream-json".to_owned(),
    };
    let kept = record(
        Recording {
            call: &call.call,
            command: &command,
            started_at: "2026-02-09T05:30:00Z".parse().unwrap(),
            duration_ms: 1,
            exit: &answer.ended.exit,
            reply: &answer.reply,
            outcome: &answer.outcome,
            earlier: Earlier::Nothing,
            findings: &[],
        },
        &Redactor::default(),
        Lang::En,
    );
    put(&folder.join("call.json"), &serde_json::to_string(&call.call).unwrap());
    put(&folder.join("record.json"), &serde_json::to_string(&kept).unwrap());
    put_bytes(&folder.join("stdout.txt"), &answer.ended.stdout.head);
    put_bytes(&folder.join("stderr.txt"), &answer.ended.stderr.head);
    for (name, bytes) in &answer.outbox {
        put_bytes(&folder.join("outbox").join(name), bytes);
    }
}

#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn put_bytes(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

/// Every file of a tree with what it holds, links by their targets, and who may run it.
fn files(root: &Path) -> BTreeMap<String, (Vec<u8>, bool)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_symlink() {
                let target = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
                found.insert(name, (target, false));
            } else if metadata.is_dir() && name != ".git" {
                open.push(path);
            } else if metadata.is_file() {
                let runs = metadata.permissions().mode() & 0o100 != 0;
                found.insert(name, (fs::read(&path).unwrap(), runs));
            }
        }
    }
    found
}

const WORK: &str = r##"
    - print: {text: "warming up {{{{x}}", to: stderr}
    - write: {path: changed, text: "one\ntwo {{{{braces}} sesame-street\n"}
    - write: {path: src/new.sh, text: "#!/bin/sh\n", mode: 755}
    - write: {path: logo.bin, base64: AAH/}
    - write: {path: build.log, text: ignored}
    - delete: doomed
    - symlink: {path: link, target: src/new.sh}
    - chmod: {path: was-tool, mode: 644}
    - symlink: {path: was-file, target: kept}
    - write: {path: was-link, text: now a file}
    - delete: was-top
    - write: {path: was-top/below, text: deeper}
    - handoff: {status: complete, done: [all], next: more}
    - outbox: {report.json: {verdict: PASS}}
    - write: {path: "{{outbox}}/data.bin", base64: /w==}
    - stream: {like: claude, session: s1, say: "I did it", tool: Write}
"##;

#[test]
fn a_recorded_call_replays_to_the_same_result() {
    for ending in [
        "    - stream: {like: claude, usage: {input: 900, output: 34, cached: 200, usd: 0.5}, end: success}\n",
        "    - limit: {like: claude, resets_at: '2026-02-09T06:30:00Z'}\n",
        "    - stream: {like: claude, error: {status: 500, text: broken}}\n    - exit: 3\n",
        "    - blocked: which?\n",
        "    - signal: TERM\n",
        "    - print: {text: half a li, newline: false, like: claude}\n    - crash\n",
    ] {
        let mut first = in_repository(&format!("- do:\n{WORK}{ending}"));
        in_the_place_of(Preset::Claude, &mut first);
        let answer = first.answer();
        let folder = first.scene.directory.path().join("record");
        keep(&first, &answer, &folder);
        let record = || {
            let args = ["agent", "record", folder.to_str().unwrap(), "--base", "HEAD"];
            ran(env!("CARGO_BIN_EXE_hast"), &args, &first.tree(""))
        };
        let (fine, text, said) = record();
        assert!(fine, "{said}");
        assert_eq!(record().1, text, "the same call gives the same text");
        assert!(!text.contains("sesame-street") && text.contains("path: \"{{handoff_path}}\""));

        let mut second = in_repository("");
        put(&Path::new(&second.call.root).join("play.yaml"), &text);
        let again = second.answer();
        assert_eq!(again.ended.exit, answer.ended.exit, "{ending}: {}", again.complaint());
        assert_eq!(again.outbox, answer.outbox, "{ending}");
        assert_eq!(again.complaint(), answer.complaint(), "{ending}");
        let expected = answer.reply.usage(Earlier::Nothing);
        assert_eq!(again.reply.usage(Earlier::Nothing), expected, "{ending}");
        assert_eq!(again.reply.session, answer.reply.session, "{ending}");
        assert_eq!(again.reply.final_text(), answer.reply.final_text(), "{ending}");
        // What is announced is the preset's rule; a rehearsal just ends.
        let same =
            std::mem::discriminant(&again.outcome) == std::mem::discriminant(&answer.outcome);
        assert!(same, "{ending}: {:?} {:?}", again.outcome, answer.outcome);
        let mut before = files(&first.tree(""));
        before.remove("build.log");
        let changed = before.get_mut("changed").unwrap();
        changed.0 = b"one\ntwo {{braces}} [MY_API_KEY redacted]\n".to_vec();
        assert_eq!(files(&second.tree("")), before, "{ending}");
    }
}

#[test]
fn what_is_too_large_is_left_out_and_said() {
    let mut call = in_repository(
        "- do:\n    - run: head -c 2000000 /dev/zero > big\n    - run: git add big && git -c user.name=t -c user.email=t@example.org commit -qm more\n    - run: yes hello | head -c 600000\n",
    );
    let answer = call.answer();
    let folder = call.scene.directory.path().join("record");
    keep(&call, &answer, &folder);
    let args = ["agent", "record", folder.to_str().unwrap(), "--base", "HEAD~1"];
    let (fine, text, said) = ran(env!("CARGO_BIN_EXE_hast"), &args, &call.tree(""));
    assert!(fine, "{said}");
    assert!(text.len() < 4_000_000 && text.contains("# left out, too large or not a file: big"));
    assert!(
        said.contains("commits of the agent: 1") && said.contains("middle of a stream"),
        "{said}"
    );
}

#[test]
fn a_directory_without_a_record_or_an_unknown_commit_is_a_problem_with_a_next_action() {
    let call = in_repository("- do: []\n");
    let hast = env!("CARGO_BIN_EXE_hast");
    let (fine, _, said) = ran(hast, &["agent", "record", "nowhere"], &call.tree(""));
    assert!(!fine && said.contains("call.json and record.json"), "{said}");
    let mut call = call;
    let answer = call.answer();
    let folder = call.scene.directory.path().join("record");
    keep(&call, &answer, &folder);
    let folder = folder.to_str().unwrap();
    let (fine, _, said) =
        ran(hast, &["agent", "record", folder, "--base", "--all"], &call.tree(""));
    assert!(!fine, "{said}");
    let (fine, _, said) = ran(hast, &["agent", "record", folder, "--base=--all"], &call.tree(""));
    assert!(!fine && said.contains("name a commit"), "{said}");
}
