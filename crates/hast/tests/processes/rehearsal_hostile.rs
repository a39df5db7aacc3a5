//! Rehearsals that hang, flood, escape and come back later. Nothing of them is left.

use std::time::Duration;

use hast_flow::agents::outcome::{FailureClass, Outcome};
use hast_flow::process::exit::Exit;

use crate::rehearsal_scene::Rehearsed;
use crate::scene::NETS;

fn each_net(actions: &str, check: impl Fn(Rehearsed)) {
    for net in NETS {
        check(Rehearsed::new(net, &format!("- do: [{actions}]\n")));
    }
}

#[test]
fn one_that_hangs_is_ended_by_time_or_for_its_silence() {
    for action in ["hang", "{hang: {ignore_term: true}}"] {
        each_net(action, |call| {
            let answer = call.limits(|limits| limits.timeout = Duration::from_millis(300)).answer();
            assert_eq!(answer.ended.exit, Exit::TimedOut);
        });
        each_net(action, |call| {
            let stall = Some(Duration::from_millis(300));
            let answer = call.limits(|limits| limits.stall = stall).answer();
            let class = FailureClass::Stalled;
            assert!(
                matches!(answer.outcome, Outcome::Failed { class: found, .. } if found == class)
            );
        });
    }
}

#[test]
fn one_that_floods_is_ended() {
    each_net("{flood: 100000000}, hang", |call| {
        let answer = call.limits(|limits| limits.flood = 1_000_000).answer();
        assert_eq!(answer.ended.exit, Exit::Flooded);
    });
    each_net("{flood: 200000}", |mut call| {
        let answer = call.answer();
        assert_eq!((answer.ended.exit, answer.ended.stdout.total()), (Exit::Exited(0), 200_000));
    });
}

#[test]
fn what_escaped_is_gone_after_a_normal_exit() {
    for spawn in [
        "{do: [hang]}",
        "{do: [{hang: {ignore_term: true}}]}",
        "{do: [hang], ignore_term: true, keep_output: true}",
        "{do: [{run: sleep 1000}], ignore_term: true}",
        "{do: [{spawn: {do: [hang], ignore_term: true}}, hang]}",
    ] {
        each_net(&format!("{{spawn: {spawn}}}, {{print: left}}"), |mut call| {
            let answer = call.answer();
            assert_eq!(answer.ended.exit, Exit::Exited(0), "{spawn}: {}", answer.complaint());
            assert!(answer.ended.swept >= 1, "{spawn}: {:?}", answer.ended);
        });
    }
}

#[test]
fn what_escaped_cannot_change_a_file_after_the_call() {
    let late = "{spawn: {do: [{write: {path: early, text: x}}, {wait_for: go}, {write: {path: late, text: x}}]}}";
    each_net(&format!("{late}, {{wait_for: early}}"), |mut call| {
        assert_eq!(call.answer().ended.exit, Exit::Exited(0));
        crate::rehearsal_scene::put(&call.tree("go"), "");
        // Nothing of the call is left, so nobody can see `go`.
        assert!(call.tree("early").exists() && !call.tree("late").exists());
    });
}

#[test]
fn what_escaped_has_a_session_of_its_own() {
    // The session of the shell itself is field 6 of its line in /proc.
    let tell = "{run: 'cut -d\" \" -f6 /proc/$$/stat > OUT'}";
    let (own, escaped) = (tell.replace("OUT", "own"), tell.replace("OUT", "escaped"));
    let actions = format!(
        "{own}, {{spawn: {{do: [{escaped}, {{write: {{path: done, text: x}}}}, hang]}}}}, {{wait_for: done}}"
    );
    each_net(&actions, |mut call| {
        assert_eq!(call.answer().ended.exit, Exit::Exited(0));
        assert_ne!(call.text("own"), call.text("escaped"));
    });
}

#[test]
fn what_escaped_plays_like_the_rest() {
    let escaped = "{spawn: {do: [{print: 'from {{unit}}'}, {write: {path: done, text: x}}, hang], keep_output: true}}";
    each_net(&format!("{escaped}, {{wait_for: done}}"), |mut call| {
        let answer = call.answer();
        assert_eq!(answer.ended.stdout.head, b"from M1.2\n");
    });
}
