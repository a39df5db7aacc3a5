//! What a start does about work that earlier runs left: kept in the tree, or committed and never
//! judged.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::recovery::{
    Cleared, Found, From, Kept, Place, Refusal, StartAct, StartUp, Unjudged, Wanted, Wish, start_up,
};
use hast_flow::attempt::workspace::{Head, Looked, Uncommitted, UncommittedKind};
use hast_flow::words::Lang;

const MAIN: &str = "refs/heads/main";
const REF: &str = "refs/hast/attempts/M1/3";
const RECOVERED: &str = "refs/hast/recovered/20260209T053000Z";

fn id(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

/// A tree on `main` at a commit, with these files uncommitted.
fn tree(commit: char, paths: &[&str]) -> Looked {
    let file =
        |path: &&str| Uncommitted { path: (*path).to_owned(), kind: UncommittedKind::Untracked };
    Looked {
        head: Head::Branch { name: MAIN.into(), commit: id(commit) },
        uncommitted: paths.iter().map(file).collect(),
        in_progress: None,
        tree: Some(id('2')),
    }
}

/// The tree is as the attempt left it, and nothing was committed since.
fn kept() -> Kept {
    let (differs, since) = (Vec::new(), vec![".ai/goals.yaml".to_owned()]);
    Kept { goal: "M1".into(), name: REF.into(), branch: MAIN.into(), differs, since }
}

/// Commits from `a` to `c`.
fn unjudged(wanted: Wanted) -> Unjudged {
    let (goal, branch) = ("M1".into(), MAIN.into());
    Unjudged { goal, branch, base: id('a'), head: id('c'), on_top: Vec::new(), wanted }
}

fn decide(looked: Looked, kept: Option<Kept>, unjudged: Option<Unjudged>, place: Place) -> StartUp {
    let found = Found { not_ready: None, looked: Ok(looked), lock: None, kept, unjudged };
    let at = "2026-02-09T05:30:00Z".parse().unwrap();
    start_up(&found, Wish { from: From::Base, place, at }, ".ai/")
}

fn here(looked: Looked, kept: Option<Kept>, unjudged: Option<Unjudged>) -> StartUp {
    decide(looked, kept, unjudged, Place::InPlace)
}

fn users(start: &StartUp) -> Vec<String> {
    match start {
        StartUp::Refuse(Refusal::UsersFiles { paths }) => paths.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tree_equal_to_its_last_kept_attempt_is_cleaned_with_a_message() {
    let files = ["src/a.rs", ".ai/handoffs/2026-02-09_143000.md"];
    let StartUp::Begin { first, because } = here(tree('b', &files), Some(kept()), None) else {
        panic!()
    };
    assert_eq!(first, [StartAct::Save { name: REF.into() }, StartAct::TakeOut]);
    let because = because.unwrap();
    assert!(because.what(Lang::En).contains("M1") && because.next(Lang::Ko).contains(REF));
    // In a work tree of its own nothing has to go.
    let isolated = decide(tree('b', &files), Some(kept()), None, Place::Isolated);
    assert_eq!(isolated, StartUp::Begin { first: Vec::new(), because: None });
}

#[test]
fn what_was_edited_since_is_the_users_and_alone_is_named() {
    let edited = Kept { differs: vec!["src/a.rs".into(), "src/gone".into()], ..kept() };
    let start = here(tree('b', &["src/a.rs", "src/b.rs"]), Some(edited), None);
    assert_eq!(users(&start), ["src/a.rs"]);
    // Half of it gone already: a start that was cut off had begun to clean.
    let half = Kept { differs: vec!["src/b.rs".into()], ..kept() };
    assert!(matches!(here(tree('b', &["src/a.rs"]), Some(half), None), StartUp::Begin { .. }));
}

#[test]
fn on_another_branch_or_below_commits_of_the_user_nothing_is_cleaned() {
    let elsewhere = Kept { branch: "refs/heads/other".into(), ..kept() };
    assert_eq!(users(&here(tree('b', &["src/a.rs"]), Some(elsewhere), None)), ["src/a.rs"]);
    let built_on = Kept { since: vec!["src/z.rs".into()], ..kept() };
    assert_eq!(users(&here(tree('b', &["src/a.rs"]), Some(built_on), None)), ["src/a.rs"]);
}

#[test]
fn nothing_is_built_on_commits_that_no_gate_has_judged() {
    let below = Unjudged { on_top: vec![".ai/goals.yaml".into()], ..unjudged(Wanted::Undecided) };
    for (head, work) in [('c', unjudged(Wanted::Undecided)), ('d', below)] {
        for place in [Place::InPlace, Place::Isolated] {
            let start = decide(tree(head, &[]), None, Some(work.clone()), place);
            let StartUp::Refuse(refusal @ Refusal::Undecided { .. }) = start else {
                panic!("{start:?}")
            };
            let (what, next) = (refusal.what(Lang::En), refusal.next(Lang::Ko));
            assert!(what.contains("M1") && what.contains("aaaaaaaaaaaa..cccccccccccc"), "{what}");
            assert!(next.contains("hast retry M1") && next.contains("status: done"), "{next}");
        }
    }
}

#[test]
fn a_person_who_moved_the_branch_or_took_the_commits_has_decided() {
    let untouched = StartUp::Begin { first: Vec::new(), because: None };
    assert_eq!(here(tree('a', &[]), None, Some(unjudged(Wanted::Undecided))), untouched);
    let built_on = Unjudged { on_top: vec!["src/z.rs".into()], ..unjudged(Wanted::Undecided) };
    assert_eq!(here(tree('d', &[]), None, Some(built_on)), untouched);
    assert_eq!(here(tree('c', &[]), None, Some(unjudged(Wanted::Taken))), untouched);
}

#[test]
fn a_retry_saves_the_commits_and_takes_branch_and_tree_back() {
    let left = || Kept { since: vec!["src/a.rs".into()], ..kept() };
    for files in [&[][..], &["src/late.rs"][..]] {
        let start = here(tree('c', files), Some(left()), Some(unjudged(Wanted::AnotherTry)));
        let StartUp::Begin { first, because: Some(because) } = start else { panic!("{start:?}") };
        let back = StartAct::BranchBack { branch: MAIN.into(), from: id('c'), to: id('a') };
        assert_eq!(first, [StartAct::Save { name: RECOVERED.into() }, back, StartAct::TakeOut]);
        assert!(matches!(&because, Cleared::Unjudged { saved, .. } if saved == RECOVERED));
        assert!(because.what(Lang::Ko).contains(RECOVERED));
    }
    let edited = Kept { differs: vec!["src/late.rs".into()], ..left() };
    let start = here(tree('c', &["src/late.rs"]), Some(edited), Some(unjudged(Wanted::AnotherTry)));
    assert_eq!(users(&start), ["src/late.rs"]);
}

#[test]
fn lanes_are_not_opened_on_commits_that_are_to_go() {
    let work = unjudged(Wanted::AnotherTry);
    let start = decide(tree('c', &[]), None, Some(work), Place::Isolated);
    let StartUp::Refuse(refusal @ Refusal::UndecidedForLanes { .. }) = start else {
        panic!("{start:?}")
    };
    let next = refusal.next(Lang::En);
    assert!(next.contains("hast auto M1") && next.contains("aaaaaaaaaaaa"), "{next}");
    let taken = decide(tree('c', &[]), None, Some(unjudged(Wanted::Taken)), Place::Isolated);
    assert_eq!(taken, StartUp::Begin { first: Vec::new(), because: None });
}

#[test]
fn a_retry_takes_back_no_commit_of_the_user_and_no_other_branch() {
    let below = Unjudged { on_top: vec![".ai/rules.md".into()], ..unjudged(Wanted::AnotherTry) };
    let start = here(tree('d', &[]), None, Some(below));
    let StartUp::Refuse(refusal @ Refusal::UndecidedBelow { .. }) = start else { panic!() };
    assert!(refusal.next(Lang::En).contains("git rebase --onto aaaaaaaaaaaa cccccccccccc"));
    let elsewhere = Unjudged { branch: "refs/heads/other".into(), ..unjudged(Wanted::AnotherTry) };
    let start = here(tree('c', &[]), None, Some(elsewhere));
    let StartUp::Refuse(refusal @ Refusal::UndecidedElsewhere { .. }) = start else { panic!() };
    assert!(refusal.next(Lang::En).contains("git switch other"), "{}", refusal.next(Lang::En));
}
