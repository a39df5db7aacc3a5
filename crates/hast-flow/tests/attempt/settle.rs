//! The settlement of a judged attempt. Each test is a sentence of the specification.

use hast_flow::attempt::evidence::RepoPath;
use hast_flow::attempt::judge::Verdict;
use hast_flow::attempt::reason::{Class, Reason};
use hast_flow::attempt::settle::{
    Act, Attempt, Blocked, Commits, Then, WorkKind, commit_message, settle,
};
use hast_flow::words::Lang;

fn attempt() -> Attempt<'static> {
    Attempt {
        goal: "M4.3",
        title: "Strategy",
        kind: WorkKind::Feature,
        number: 7,
        spent: 1,
        max_retries: 3,
        commits: Commits::Auto,
    }
}

fn verdict(class: Class, reason: Reason) -> Verdict {
    Verdict { class, reason, rule: 1 }
}

fn red() -> Verdict {
    verdict(Class::Failed, Reason::TestsRed { code: 1 })
}

#[test]
fn success_is_committed_with_type_goal_title_and_trailers() {
    let settled = settle(&verdict(Class::Complete, Reason::AllGood), &attempt());
    let message = "feat(M4.3): Strategy\n\nHast-Goal: M4.3\nHast-Attempt: 7\n".to_owned();
    assert_eq!(settled.acts, [Act::Commit { message }]);
    assert_eq!(settled.then, Then::Done);
    let tests = Attempt { kind: WorkKind::Tests, ..attempt() };
    let settled = settle(&verdict(Class::ExpectedFailure, Reason::RedAsWanted), &tests);
    assert_eq!(settled.to_string(), "commit test(M4.3): Strategy -> done");
}

#[test]
fn a_title_of_several_lines_brings_no_trailers_of_its_own() {
    let hostile = Attempt { title: "x\n\nHast-Goal: other", ..attempt() };
    let message = commit_message(&hostile);
    assert_eq!(message.lines().next(), Some("feat(M4.3): x Hast-Goal: other"));
    assert_eq!(message.lines().filter(|line| line.starts_with("Hast-Goal:")).count(), 1);
}

#[test]
fn without_commits_the_work_goes_into_the_checkout_and_one_goal_is_the_end() {
    let off = Attempt { commits: Commits::Off, ..attempt() };
    let settled = settle(&verdict(Class::Complete, Reason::AllGood), &off);
    let wanted = "save refs/hast/attempts/M4.3/7, put into the checkout, roll back -> done, stop";
    assert_eq!(settled.to_string(), wanted);
}

#[test]
fn a_failure_is_saved_on_its_ref_and_then_rolled_back() {
    for verdict in [red(), verdict(Class::NoProgress, Reason::NothingChanged)] {
        let settled = settle(&verdict, &attempt());
        assert_eq!(settled.to_string(), "save refs/hast/attempts/M4.3/7, roll back -> try again");
    }
}

#[test]
fn the_id_of_a_goal_is_percent_encoded_in_its_ref() {
    let spaced = Attempt { goal: "목표/1 a", ..attempt() };
    let Act::Save { name } = &settle(&red(), &spaced).acts[0] else { panic!() };
    assert_eq!(name, "refs/hast/attempts/%EB%AA%A9%ED%91%9C%2F1%20a/7");
}

const HANDED_OVER: &str =
    "save refs/hast/attempts/M4.3/7, keep refs/heads/hast/kept/M4.3, roll back -> blocked";

#[test]
fn what_is_handed_over_is_on_a_branch_and_nothing_of_it_is_in_the_checkout() {
    let broke = Reason::ProtectedPath {
        path: RepoPath(".ai/goals.yaml".into()),
        more: 0,
        others: Vec::new(),
    };
    for reason in [
        Reason::HandoffBlocked { reason: "no key".into() },
        Reason::AgentBlocked { reason: "no key".into() },
        broke,
    ] {
        let blocked = verdict(Class::Blocked, reason);
        assert_eq!(settle(&blocked, &attempt()).to_string(), HANDED_OVER);
    }
    let blocked = verdict(Class::Blocked, Reason::HandoffBlocked { reason: "no key".into() });
    let Then::Block(why) = settle(&blocked, &attempt()).then else { panic!() };
    assert!(why.text(Lang::En).contains("no key"));
}

#[test]
fn the_last_of_max_retries_attempts_is_handed_over() {
    for (spent, then) in [(2, "try again"), (3, "blocked"), (4, "blocked")] {
        let settled = settle(&red(), &Attempt { spent, ..attempt() });
        assert!(settled.to_string().ends_with(then), "{spent}: {settled}");
        assert_eq!(settled.to_string() == HANDED_OVER, then == "blocked");
    }
    let Then::Block(why) = settle(&red(), &Attempt { spent: 3, ..attempt() }).then else {
        panic!()
    };
    assert_eq!(why.code(), "max_retries_exceeded");
    for lang in [Lang::En, Lang::Ko] {
        assert!(why.text(lang).starts_with("max retries exceeded"), "{}", why.text(lang));
    }
    let expected = Blocked::RetriesUsedUp { attempts: 3, last: Reason::TestsRed { code: 1 } };
    assert_eq!(why, expected);
}

#[test]
fn a_limit_waits_and_spends_nothing() {
    let settled = settle(&verdict(Class::Limited, Reason::Limited), &attempt());
    assert_eq!(settled.then, Then::Wait);
    assert!(settled.acts.contains(&Act::RollBack), "half of the work is not where the next begins");
}

#[test]
fn a_missing_login_stops_auto_at_once_however_many_retries_are_left() {
    let reason = Reason::LoginNeeded { advice: "run claude /login".into() };
    let settled = settle(&verdict(Class::NotStarted, reason), &Attempt { spent: 0, ..attempt() });
    assert_eq!(settled.then, Then::Stop);
}

#[test]
fn an_interruption_is_tried_again_even_when_no_retry_is_left() {
    let last = Attempt { spent: 3, ..attempt() };
    let settled = settle(&verdict(Class::Interrupted, Reason::Interrupted), &last);
    assert_eq!(settled.then, Then::TryAgain);
}

#[test]
fn a_commit_that_a_hook_refuses_fails_the_attempt() {
    let refused = Verdict::commit_refused("lint".into());
    assert_eq!(refused.class, Class::Failed);
    assert_eq!(settle(&refused, &attempt()).then, Then::TryAgain);
}

#[test]
fn nothing_is_ever_rolled_back_before_it_is_saved() {
    let verdicts = [
        verdict(Class::Complete, Reason::AllGood),
        red(),
        verdict(Class::Blocked, Reason::AgentBlocked { reason: String::new() }),
        verdict(Class::Limited, Reason::Limited),
        verdict(Class::Interrupted, Reason::Interrupted),
        verdict(Class::NotStarted, Reason::NotStarted { why: String::new() }),
    ];
    for verdict in &verdicts {
        for spent in 0..5 {
            for commits in [Commits::Auto, Commits::Off] {
                let acts = settle(verdict, &Attempt { spent, commits, ..attempt() }).acts;
                if let Some(back) = acts.iter().position(|act| *act == Act::RollBack) {
                    let saved = acts[..back].iter().any(|act| matches!(act, Act::Save { .. }));
                    assert!(saved, "{verdict:?} {acts:?}");
                }
            }
        }
    }
}
