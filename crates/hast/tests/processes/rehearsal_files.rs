//! Files that a rehearsal changes, and the choice of the reply that answers a call.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use hast_flow::agents::outcome::{FailureClass, Outcome};
use hast_flow::flows::goals::handoffs::read_handoff;
use hast_flow::formats::source::Source;
use hast_flow::process::exit::{Applied, Exit};
use hast_flow::process::{Sandbox, SandboxMode};
use hast_stage::needs::{Ability, skip_without};

use crate::rehearsal_scene::{NOW, Rehearsed, put};
use crate::scene::NETS;

#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn without_root(call: &Rehearsed) {
    fs::remove_dir_all(&call.call.root).unwrap();
}

fn only(actions: &str) -> Rehearsed {
    Rehearsed::new(NETS[0], &format!("- do:\n{actions}"))
}

#[test]
fn files_are_written_changed_moved_and_deleted() {
    let mut call = only(
        r#"
    - write: {path: "src/{{unit}}.txt", text: "{{flow}} {{attempt}} {{timestamp}} {{{{x}}\n", mode: 755}
    - write: {path: logo.bin, base64: AAH/}
    - write: {path: a.json, json: {unit: "{{unit}}", list: [1, true]}}
    - write: {path: b.yaml, json: {unit: "{{unit}}"}}
    - append: {path: log, text: one}
    - append: {path: log, text: two}
    - replace: {path: log, old: eton, new: "e, n"}
"#,
    );
    // `onetwo` has no `eton`: the rehearsal is wrong, and says so.
    let answer = call.answer();
    assert_eq!(answer.ended.exit, Exit::Exited(98));
    assert!(answer.complaint().contains("`eton` is in `log` 0 times, not 1 ->"));
    assert!(matches!(answer.outcome, Outcome::Failed { class: FailureClass::AgentSaid, .. }));
    assert_eq!(call.text("src/M1.2.txt"), format!("goals 1 {NOW} {{{{x}}}}\n"));
    let mode = call.tree("src/M1.2.txt").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(fs::read(call.tree("logo.bin")).unwrap(), [0, 1, 255]);
    let json: serde_json::Value = serde_json::from_str(&call.text("a.json")).unwrap();
    assert_eq!(json, serde_json::json!({"unit": "M1.2", "list": [1, true]}));
    assert_eq!(call.text("b.yaml"), "unit: \"M1.2\"\n");
    assert_eq!(call.text("log"), "onetwo");

    let mut call = only(
        "    - write: {path: a, text: one two two}\n\
         \x20   - replace: {path: a, old: two, new: three, times: 2}\n\
         \x20   - rename: {from: a, to: deep/b}\n\
         \x20   - symlink: {path: link, target: deep/b}\n\
         \x20   - mkdir: [empty/one, gone/two]\n\
         \x20   - delete: gone\n\
         \x20   - chmod: {path: deep/b, mode: \"0600\"}\n",
    );
    let answer = call.answer();
    assert_eq!(answer.outcome, Outcome::Completed, "{}", answer.complaint());
    assert_eq!(call.text("link"), "one three three");
    assert!(call.tree("empty/one").is_dir() && !call.tree("gone").exists());
    assert_eq!(call.tree("deep/b").metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn documents_go_into_the_outbox_as_their_names_say() {
    let mut call = only(
        "    - outbox:\n        report.json: {verdict: PASS, unit: \"{{unit}}\"}\n        plan.yaml: [a]\n        final.md: |\n          # {{unit}}\n",
    );
    let answer = call.answer();
    let text = |name: &str| String::from_utf8(answer.outbox[name].clone()).unwrap();
    assert_eq!(text("report.json"), "{\n  \"verdict\": \"PASS\",\n  \"unit\": \"M1.2\"\n}\n");
    assert_eq!(text("final.md"), "# M1.2\n");
    assert_eq!(text("plan.yaml"), "[\"a\"]\n");
}

#[test]
fn one_short_action_writes_a_handoff_that_hast_reads() {
    let mut call =
        only("    - handoff: {status: complete, done: [\"{{unit}}: hello\"], next: M1.3}\n");
    assert_eq!(call.answer().outcome, Outcome::Completed);
    let path = call.call.handoff_path.clone().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let read = read_handoff(&Source::new(&path, &text)).unwrap();
    assert_eq!(
        (read.front.goal_id.as_str(), read.front.timestamp.to_string().as_str()),
        ("M1.2", NOW)
    );
    assert_eq!((read.done, read.next), (vec!["M1.2: hello".to_owned()], vec!["M1.3".to_owned()]));
}

#[test]
fn programs_run_in_the_work_tree_and_their_failure_is_one() {
    let mut call = only(
        "    - run: echo \"$HAST_ROLE\" > by-line\n    - run: [sh, -c, 'printf %s \"$1\" > by-words', sh, \"a  b\"]\n    - run: exit 3\n      may_fail: true\n    - run: [no-such-program-at-all]\n",
    );
    let answer = call.answer();
    assert_eq!(answer.ended.exit, Exit::Exited(98));
    let said = answer.complaint();
    assert!(
        said.contains("`exit 3` ended with") && said.contains("`no-such-program-at-all`"),
        "{said}"
    );
    assert_eq!(call.text("by-line"), "worker\n");
    assert_eq!(call.text("by-words"), "a  b");
}

const CHOICES: &str = "\
- {when: {flow: session}, do: [{print: other flow}]}
- {when: {unit: 'M2.*'}, do: [{print: other unit}]}
- {when: {attempt: 1, regeneration: 0, exists: wait-for-me}, do: [{print: file}]}
- {when: {until: '2026-02-09T00:00:00Z'}, do: [{print: too early}]}
- {when: {role: work*, attempt: 1}, do: [{print: first}]}
- {when: {attempt: {from: 2, to: 3}}, do: [{print: later}]}
- {name: again, when: {attempt: 4, regeneration: {from: 1}}, do: [{print: again}]}
";

#[test]
fn the_first_reply_that_fits_is_played() {
    let said = |attempt: u32, regeneration: u32, file: bool| {
        let mut call = Rehearsed::new(NETS[0], CHOICES).call(|call| {
            call.attempt = attempt;
            call.regeneration = regeneration;
        });
        if file {
            put(&std::path::Path::new(&call.call.root).join("wait-for-me"), "");
        }
        call.answer().reply.final_text().trim().to_owned()
    };
    assert_eq!(said(1, 0, false), "first");
    assert_eq!(said(1, 0, true), "file");
    assert_eq!(said(1, 2, true), "first");
    assert_eq!(said(3, 0, false), "later");
    assert_eq!(said(4, 7, false), "again");
}

#[test]
fn a_call_that_no_reply_fits_names_what_was_asked_and_what_there_is() {
    let mut call = Rehearsed::new(NETS[0], CHOICES).call(|call| call.attempt = 4);
    let answer = call.answer();
    assert_eq!(answer.ended.exit, Exit::Exited(96));
    let said = answer.complaint();
    for part in
        ["unit: M1.2, attempt: 4, regeneration: 0", "6: attempt: 2-3", "7 (again): attempt: 4"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let Outcome::Failed { reason, .. } = answer.outcome else { panic!("{:?}", answer.outcome) };
    assert!(reason.contains("attempt: 4"), "{reason}");
}

#[test]
fn an_expectation_that_is_not_met_fails_the_call_whatever_is_in_the_outbox() {
    for (expectation, said) in [
        ("prompt: [goal M1.2, '{{unit}}'], exists: ., not_in_prompt: M9", None),
        ("prompt: goal M2", Some("the prompt does not have `goal M2`")),
        ("not_in_prompt: hello", Some("the prompt has `hello`")),
        ("exists: [., nothing]", Some("`nothing` should be there")),
        ("missing: '{{prompt_file}}'", Some("should not be there")),
        ("file: {path: '{{prompt_file}}', has: [goal, x9]}", Some("does not have `x9`")),
    ] {
        let actions = format!("    - outbox: {{a.md: x}}\n    - expect: {{{expectation}}}\n");
        let answer = only(&actions).answer();
        match said {
            None => assert_eq!(answer.outcome, Outcome::Completed, "{}", answer.complaint()),
            Some(said) => {
                assert_eq!(answer.ended.exit, Exit::Exited(97), "{expectation}");
                assert!(answer.complaint().contains(said), "{}", answer.complaint());
                assert!(matches!(answer.outcome, Outcome::Failed { .. }), "{:?}", answer.outcome);
            }
        }
    }
}

#[test]
fn a_bad_file_is_told_with_its_line_and_the_next_action() {
    let mut call = Rehearsed::new(NETS[0], "- do:\n    - wirte: {path: a, text: b}\n");
    let answer = call.answer();
    assert_eq!(answer.ended.exit, Exit::Exited(2));
    let said = answer.complaint();
    assert!(said.contains("play.yaml:4:7") && said.contains("did you mean `write`?"), "{said}");
    without_root(&call);
    let answer = call.answer();
    assert_eq!(answer.ended.exit, Exit::Exited(2));
    assert!(answer.complaint().contains("play.yaml"), "{}", answer.complaint());
}

#[test]
fn a_relative_file_lies_below_the_root_and_else_in_the_work_tree() {
    let mut call = only("    - print: root\n");
    put(&call.tree("play.yaml"), "version: 1\nreplies: [{do: [{print: tree}]}]\n");
    assert_eq!(call.answer().reply.final_text().trim(), "root");
    without_root(&call);
    assert_eq!(call.answer().reply.final_text().trim(), "tree");
}

#[test]
fn a_placeholder_that_this_call_lacks_fails_the_action() {
    let answer = only("    - print: '{{session_id}}'\n").answer();
    assert_eq!(answer.ended.exit, Exit::Exited(98));
    assert!(answer.complaint().contains("this call has no {{session_id}}"));
}

#[test]
fn the_sandbox_holds_a_rehearsal_like_every_agent() {
    let mut call = only(
        "    - write: {path: inside, text: x}\n    - write: {path: ../outside, text: x}\n      may_fail: true\n    - write: {path: '{{root}}/.ai/goals.yaml', text: x}\n",
    );
    let writable = vec![call.tree(""), (&call.call.outbox).into()];
    call.scene.spec.sandbox = Sandbox { mode: SandboxMode::Prefer, writable, ..Sandbox::off() };
    let answer = call.answer();
    if let Applied::Unavailable { why } = &answer.ended.sandbox {
        skip_without(Ability::Landlock, why);
        return;
    }
    assert_eq!(answer.ended.exit, Exit::Exited(98), "{}", answer.complaint());
    assert_eq!(answer.complaint().matches("Permission denied").count(), 2);
    assert!(call.tree("inside").exists() && !call.tree("../outside").exists());
}
