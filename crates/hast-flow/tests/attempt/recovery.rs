//! What a start does about what it finds, a sentence of the specification each.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::recovery::{
    Cleared, Found, From, Lock, NotReady, OtherRefs, Owner, Place, Refusal, Running, StartAct,
    StartUp, Strange, Wish, owner_of, say, start_up,
};
use hast_flow::attempt::workspace::{Head, Looked, Uncommitted, UncommittedKind};
use hast_flow::words::{Lang, placeholders};

const MAIN: &str = "refs/heads/main";
const RECOVERED: &str = "refs/hast/recovered/20260209T053000Z";

fn id(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

/// A clean tree on `main` at commit `a`.
fn looked() -> Looked {
    Looked {
        head: Head::Branch { name: MAIN.into(), commit: id('a') },
        uncommitted: Vec::new(),
        in_progress: None,
        tree: Some(id('1')),
    }
}

fn with_files(paths: &[&str]) -> Looked {
    let file =
        |path: &&str| Uncommitted { path: (*path).to_owned(), kind: UncommittedKind::Untracked };
    Looked { uncommitted: paths.iter().map(file).collect(), tree: Some(id('2')), ..looked() }
}

fn at(commit: char, mut looked: Looked) -> Looked {
    looked.head = Head::Branch { name: MAIN.into(), commit: id(commit) };
    looked
}

/// A dead process that began at `a` on `main` and recorded one commit of its attempt, `b`.
fn stale() -> Lock {
    Lock {
        pid: 7,
        owner: Owner::Gone,
        base: Some(id('a')),
        tree: Some(id('1')),
        branch: Some(MAIN.into()),
        goal: Some("M1".into()),
        commits: vec![id('b')],
        judged: None,
    }
}

fn wish() -> Wish {
    Wish { place: Place::InPlace, from: From::Base, at: "2026-02-09T05:30:00Z".parse().unwrap() }
}

fn isolated() -> Wish {
    Wish { place: Place::Isolated, ..wish() }
}

fn decide(looked: Looked, lock: Option<Lock>, wish: Wish) -> StartUp {
    start_up(&found(looked, lock), wish, ".ai/")
}

fn found(looked: Looked, lock: Option<Lock>) -> Found {
    Found { not_ready: None, looked: Ok(looked), lock, kept: None, unjudged: None }
}

fn untouched() -> StartUp {
    StartUp::Begin { first: Vec::new(), because: None }
}

fn rolled_back() -> StartUp {
    StartUp::Begin {
        first: vec![
            StartAct::Save { name: RECOVERED.into() },
            StartAct::BackToBase { base: id('a') },
            StartAct::RemoveLock,
        ],
        because: Some(Cleared::DeadProcess { saved: RECOVERED.into() }),
    }
}

/// Git's own files as they were, saved, unlocked and blocked, and nothing else.
fn given_up(start: &StartUp) -> bool {
    let StartUp::GiveUp { first, .. } = start else { return false };
    *first
        == [
            StartAct::Guard { refs: OtherRefs::Told },
            StartAct::Save { name: RECOVERED.into() },
            StartAct::RemoveLock,
            StartAct::BlockGoal { goal: "M1".into() },
        ]
}

#[test]
fn a_clean_tree_begins() {
    assert_eq!(decide(looked(), None, wish()), untouched());
}

#[test]
fn changes_under_ai_never_refuse() {
    let files = [".ai/goals.yaml", ".ai/handoffs/2026-02-09_143000.md", ".ai/x"];
    assert_eq!(decide(with_files(&files), None, wish()), untouched());
}

#[test]
fn other_uncommitted_or_untracked_files_are_the_users_and_refuse_by_name() {
    let files = [".ai/goals.yaml", "src/a.rs", "한글 이름.md", ".aix"];
    let start = decide(with_files(&files), None, wish());
    let StartUp::Refuse(refusal @ Refusal::UsersFiles { .. }) = start else { panic!("{start:?}") };
    let what = refusal.what(Lang::Ko);
    assert!(what.contains("src/a.rs, 한글 이름.md, .aix") && !what.contains("goals"), "{what}");
    for word in ["stash", "--isolate"] {
        assert!(refusal.next(Lang::En).contains(word) && refusal.next(Lang::Ko).contains(word));
    }
    assert_eq!(decide(with_files(&files), None, isolated()), untouched());
}

#[test]
fn a_thousand_files_are_not_all_named() {
    let names: Vec<String> = (0..1_000).map(|n| format!("file{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let StartUp::Refuse(refusal) = decide(with_files(&names), None, wish()) else { panic!() };
    assert!(refusal.what(Lang::En).ends_with("(+990)"), "{}", refusal.what(Lang::En));
}

#[test]
fn a_detached_head_needs_isolate() {
    let detached = || Looked { head: Head::Detached { commit: id('a') }, ..looked() };
    assert_eq!(
        decide(detached(), None, wish()),
        StartUp::Refuse(Refusal::Git(GitProblem::Detached))
    );
    assert_eq!(decide(detached(), None, isolated()), untouched());
}

#[test]
fn a_repository_without_a_first_commit_is_refused_with_the_command_to_run() {
    let unborn = Looked { head: Head::Unborn { name: MAIN.into() }, tree: None, ..looked() };
    for wish in [wish(), isolated()] {
        let StartUp::Refuse(refusal) = decide(unborn.clone(), None, wish) else { panic!() };
        assert!(refusal.next(Lang::Ko).contains("git commit"), "{}", refusal.next(Lang::Ko));
    }
}

#[test]
fn a_merge_under_way_is_the_users() {
    let merging = Looked { in_progress: Some("merge".into()), ..looked() };
    assert!(matches!(decide(merging, None, wish()), StartUp::Refuse(Refusal::Git(_))));
}

#[test]
fn a_missing_agent_or_an_invalid_config_starts_nothing_and_touches_nothing() {
    for not_ready in [
        NotReady::NoAgent { line: "claude".into() },
        NotReady::InvalidConfig { findings: "ai_tool".into() },
    ] {
        let found = Found {
            not_ready: Some(not_ready.clone()),
            looked: Ok(with_files(&["src/a.rs"])),
            lock: Some(stale()),
            kept: None,
            unjudged: None,
        };
        let start = start_up(&found, wish(), ".ai/");
        assert_eq!(start, StartUp::Refuse(Refusal::NotReady(not_ready)));
    }
}

#[test]
fn outside_of_a_repository_the_refusal_says_what_to_run() {
    let problem = GitProblem::NotARepository { path: "/x".into() };
    let found =
        Found { not_ready: None, looked: Err(problem), lock: None, kept: None, unjudged: None };
    let StartUp::Refuse(refusal) = start_up(&found, wish(), ".ai/") else { panic!() };
    assert!(refusal.next(Lang::En).contains("git init"));
}

#[test]
fn a_lock_whose_owner_lives_ends_at_once_and_touches_nothing() {
    let lock = Lock { owner: Owner::Alive, ..stale() };
    for wish in [wish(), isolated()] {
        let start = decide(with_files(&["src/a.rs"]), Some(lock.clone()), wish);
        assert_eq!(start, StartUp::Refuse(Refusal::AlreadyRunning { pid: 7 }));
    }
}

#[test]
fn a_pid_that_another_process_has_now_is_not_the_owner() {
    let running = |started| Some(Running { started });
    assert_eq!(owner_of(Some(5), None), Owner::Gone);
    assert_eq!(owner_of(Some(5), running(Some(5))), Owner::Alive);
    assert_eq!(owner_of(Some(5), running(Some(9))), Owner::Gone);
    assert_eq!(owner_of(None, running(Some(9))), Owner::Alive, "the seed's lock has only a pid");
    assert_eq!(owner_of(Some(5), running(None)), Owner::Alive, "what is not known is not gone");
}

#[test]
fn a_stale_lock_saves_the_tree_first_and_then_goes_back_to_base() {
    assert_eq!(decide(with_files(&["src/a.rs"]), Some(stale()), wish()), rolled_back());
    let StartUp::Begin { because: Some(because), .. } = rolled_back() else { panic!() };
    assert!(because.what(Lang::Ko).contains("이전 실행이 비정상 종료됨"));
    assert!(because.next(Lang::En).contains(RECOVERED), "how to get it back");
}

#[test]
fn head_may_be_the_base_or_a_recorded_commit_of_the_attempt() {
    assert_eq!(decide(at('b', looked()), Some(stale()), wish()), rolled_back());
    assert!(given_up(&decide(at('c', looked()), Some(stale()), wish())));
}

#[test]
fn a_handoff_that_the_dead_attempt_left_is_saved_with_it() {
    let left = with_files(&[".ai/handoffs/2026-02-09_143000.md"]);
    assert_eq!(decide(left, Some(stale()), wish()), rolled_back());
}

#[test]
fn a_process_that_died_before_the_tree_changed_may_have_left_hooks_and_moved_refs() {
    let guard = StartAct::Guard { refs: OtherRefs::PutBack };
    let expected = StartUp::Begin { first: vec![guard, StartAct::RemoveLock], because: None };
    assert_eq!(decide(looked(), Some(stale()), wish()), expected);
    // What the user had not committed was there before.
    let same = Looked { tree: Some(id('1')), ..with_files(&[".ai/.gitignore"]) };
    assert_eq!(decide(same.clone(), Some(stale()), wish()), expected);
    let unknown = Lock { tree: None, ..stale() };
    for lock in [Some(unknown), Some(Lock { tree: Some(id('3')), ..stale() })] {
        assert_eq!(decide(same.clone(), lock, wish()), rolled_back());
    }
    assert_eq!(decide(at('b', same), Some(stale()), wish()), rolled_back(), "it has committed");
}

#[test]
fn on_another_branch_or_without_a_branch_nothing_is_touched_and_the_goal_is_blocked() {
    let other = Head::Branch { name: "refs/heads/x".into(), commit: id('a') };
    for head in [other, Head::Detached { commit: id('a') }] {
        let start = decide(Looked { head, ..with_files(&["src/a.rs"]) }, Some(stale()), wish());
        assert!(given_up(&start), "{start:?}");
        let StartUp::GiveUp { why: why @ Strange::OtherBranch { .. }, .. } = start else {
            panic!()
        };
        assert!(why.what(Lang::En).contains(MAIN) && why.next(Lang::En).contains(RECOVERED));
    }
}

#[test]
fn a_base_that_is_not_there_any_more_is_not_guessed() {
    let lock = Lock { base: None, ..stale() };
    let start = decide(with_files(&["src/a.rs"]), Some(lock), wish());
    assert!(given_up(&start));
}

#[test]
fn a_rebase_under_way_is_not_rolled_back() {
    let rebasing = Looked { in_progress: Some("rebase".into()), ..with_files(&["src/a.rs"]) };
    assert!(given_up(&decide(rebasing, Some(stale()), wish())));
}

#[test]
fn a_lock_with_only_the_seeds_three_fields_is_valid() {
    let seed = Lock { branch: None, goal: None, commits: Vec::new(), ..stale() };
    let start = decide(with_files(&["src/a.rs"]), Some(seed.clone()), wish());
    assert_eq!(start, rolled_back(), "the branch need not move");
    let StartUp::GiveUp { first, .. } = decide(at('b', looked()), Some(seed), wish()) else {
        panic!("a branch that nobody recorded is not moved")
    };
    let save = StartAct::Save { name: RECOVERED.into() };
    assert_eq!(first, [StartAct::Guard { refs: OtherRefs::Told }, save, StartAct::RemoveLock]);
}

#[test]
fn an_attempt_that_was_judged_is_settled_and_not_rolled_back() {
    let judged = Lock { judged: Some(id('2')), ..stale() };
    let start = decide(with_files(&["src/a.rs"]), Some(judged.clone()), wish());
    assert_eq!(start, StartUp::Begin { first: vec![StartAct::RemoveLock], because: None });
    let edited = Looked { tree: Some(id('3')), ..with_files(&["src/a.rs", "mine.txt"]) };
    let StartUp::Begin { first, .. } = decide(edited, Some(judged), wish()) else { panic!() };
    assert_eq!(first[0], StartAct::Save { name: RECOVERED.into() }, "what came after is saved");
}

#[test]
fn nothing_goes_back_that_was_not_saved_before() {
    let heads = [
        Head::Branch { name: MAIN.into(), commit: id('a') },
        Head::Branch { name: MAIN.into(), commit: id('b') },
        Head::Branch { name: "refs/heads/x".into(), commit: id('c') },
        Head::Detached { commit: id('a') },
    ];
    let locks = [
        None,
        Some(stale()),
        Some(Lock { branch: None, ..stale() }),
        Some(Lock { base: None, ..stale() }),
        Some(Lock { judged: Some(id('2')), ..stale() }),
    ];
    for head in &heads {
        for lock in &locks {
            for wish in [wish(), isolated()] {
                let looked = Looked { head: head.clone(), ..with_files(&["src/a.rs"]) };
                let first = match decide(looked, lock.clone(), wish) {
                    StartUp::Refuse(_) => continue,
                    StartUp::Begin { first, .. } | StartUp::GiveUp { first, .. } => first,
                };
                let back = first.iter().position(|act| matches!(act, StartAct::BackToBase { .. }));
                assert!(back.is_none_or(|at| matches!(first[at - 1], StartAct::Save { .. })));
            }
        }
    }
}

#[test]
fn a_rebase_is_named_though_it_detaches_head() {
    let head = Head::Detached { commit: id('a') };
    let rebasing = Looked { head, in_progress: Some("rebase".into()), ..looked() };
    let problem = GitProblem::InProgress { what: "rebase".into() };
    assert_eq!(decide(rebasing, None, wish()), StartUp::Refuse(Refusal::Git(problem)));
}

#[test]
fn everything_is_said_in_both_languages() {
    for entry in say::CATALOGUE {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
}
