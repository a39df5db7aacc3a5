//! The refusals of a start. Each test is a sentence of the specification.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::recovery::{
    NotReady, Owner, Refusal, Running, StartFindings, named, owner_of, refusal, say,
};
use hast_flow::attempt::workspace::Head;
use hast_flow::words::{Lang, placeholders};

fn id(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

fn on_main() -> Head {
    Head::Branch { name: "refs/heads/main".into(), commit: id('a') }
}

fn at(head: &Head) -> StartFindings<'_> {
    StartFindings { head: Some(Ok(head)), ..StartFindings::default() }
}

#[test]
fn a_branch_and_a_detached_head_begin() {
    for head in [on_main(), Head::Detached { commit: id('a') }] {
        assert_eq!(refusal(&at(&head)), None);
    }
}

#[test]
fn a_repository_without_a_first_commit_is_refused_with_the_command_to_run() {
    let head = Head::Unborn { name: "refs/heads/main".into() };
    let refused = refusal(&at(&head)).unwrap();
    assert_eq!(refused, Refusal::Git(GitProblem::NoFirstCommit));
    assert!(refused.next(Lang::En).contains("git commit"), "{}", refused.next(Lang::En));
}

#[test]
fn outside_of_a_repository_the_refusal_says_what_to_run() {
    let problem = GitProblem::NotARepository { path: "/x".into() };
    let found = StartFindings { head: Some(Err(&problem)), ..StartFindings::default() };
    assert!(refusal(&found).unwrap().next(Lang::En).contains("git init"));
}

#[test]
fn a_missing_agent_or_an_invalid_config_comes_before_everything_else() {
    let problem = GitProblem::NotARepository { path: "/x".into() };
    for not_ready in [
        NotReady::NoAgent { line: "claude".into() },
        NotReady::InvalidConfig { findings: "test_command".into() },
    ] {
        let found = StartFindings {
            not_ready: Some(&not_ready),
            running: Some(7),
            head: Some(Err(&problem)),
            to_commit: Some(("M1", vec!["a".to_owned()])),
        };
        assert_eq!(refusal(&found), Some(Refusal::NotReady(not_ready.clone())));
    }
}

#[test]
fn a_run_that_is_alive_ends_the_other_at_once() {
    let head = on_main();
    let found = StartFindings { running: Some(42), ..at(&head) };
    assert_eq!(refusal(&found), Some(Refusal::AlreadyRunning { pid: 42 }));
}

#[test]
fn a_pid_that_another_process_has_now_is_not_the_owner() {
    let running = |started| Some(Running { started });
    assert_eq!(owner_of(Some(5), None), Owner::Gone);
    assert_eq!(owner_of(Some(5), running(Some(5))), Owner::Alive);
    assert_eq!(owner_of(Some(5), running(Some(6))), Owner::Gone);
    assert_eq!(owner_of(None, running(Some(6))), Owner::Alive, "the seed's lock has no start");
    assert_eq!(owner_of(Some(5), running(None)), Owner::Alive);
}

#[test]
fn work_of_a_goal_that_is_to_be_committed_refuses_by_name_while_any_of_it_is_left() {
    let head = on_main();
    let left = |paths: &[&str]| {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        refusal(&StartFindings { to_commit: Some(("M1", paths)), ..at(&head) })
    };
    assert_eq!(left(&[]), None);
    let refused = left(&["src/a", "src/b"]).unwrap();
    for lang in [Lang::En, Lang::Ko] {
        let told = refused.what(lang);
        assert!(told.contains("M1") && told.contains("src/a, src/b"), "{told}");
    }
}

#[test]
fn a_thousand_files_are_not_all_named() {
    let paths: Vec<String> = (0..1_000).map(|number| format!("file-{number}")).collect();
    assert!(named(&paths).ends_with("(+990)"));
}

#[test]
fn everything_is_said_in_both_languages() {
    for entry in say::CATALOGUE {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
}
