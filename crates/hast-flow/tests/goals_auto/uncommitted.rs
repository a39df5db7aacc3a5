//! `commit: off`: what passed is put into the checkout, and nothing goes on before it is committed.

use hast_flow::attempt::evidence::TestEnd::Green;
use hast_flow::attempt::settle::Commits;
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::Ending;

use crate::decisions::{blocked, tree};
use crate::scene::{Auto, Left, id};

/// Two goals, of which the first passes with `commit: off`.
fn without_commits() -> Auto {
    let mut auto = Auto::new(&tree(&[("M1", ""), ("M2", "")]));
    auto.flow.auto.settings.commits = Commits::Off;
    auto.agent = vec![Left::honest("M1")].into();
    auto.tests = vec![Green, Green].into();
    auto
}

#[test]
fn without_commits_the_work_is_put_into_the_checkout_and_auto_ends_after_one_goal() {
    let mut auto = without_commits();
    let Ending::Done(notice) = auto.drive() else { panic!() };
    assert!(notice.next.contains("commit: off"));
    assert!(auto.git.commits.is_empty());
    let did = |what: &str| auto.git.did.iter().position(|did| did == what).unwrap();
    assert!(did("save refs/hast/attempts/M1/1") < did("restore 5555 into the checkout"));
    assert!(did("restore 5555 into the checkout") < did("roll back"));
    assert_eq!((auto.count("GOAL_DONE"), auto.count("GOALS_COMMITTED")), (1, 0));
    assert!(auto.goals().contains("id: M1\n    title: t\n    status: done"), "{}", auto.goals());

    auto.dies();
    auto.git.users = vec!["src/a.py".into(), "mine.txt".into()];
    let notice = blocked(auto.drive());
    assert!(notice.what.contains("M1") && notice.what.contains("src/a.py"), "{notice:?}");
    assert!(!notice.what.contains("mine.txt"), "{notice:?}");

    auto.dies();
    auto.git.users = vec!["mine.txt".into()];
    auto.agent = vec![Left::honest("M2")].into();
    auto.tests = vec![Green, Green].into();
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(auto.count("GOAL_DONE"), 2);
}

#[test]
fn without_commits_a_file_of_the_user_in_the_way_blocks_the_goal_and_its_work_is_kept() {
    let mut auto = without_commits();
    auto.git.in_the_way = vec!["src/a.py".into()];
    auto.flow.auto.asked = Asked { goal: Some("M1".into()), depth: Depth::One };
    blocked(auto.drive());
    assert!(auto.goals().contains("src/a.py"), "{}", auto.goals());
    assert_eq!(auto.git.refs["refs/heads/hast/kept/M1"], id('5'));
    assert_eq!(auto.count("GOAL_DONE"), 0);
}
