//! Which goal `auto` runs, a sentence of the specification each.

use std::collections::BTreeSet;

use hast_flow::docs::document::read;
use hast_flow::docs::goals::Goals;
use hast_flow::flows::goals::runnable::{
    self, Asked, Choice, Depth, Nothing, Refused, choose, parents_done,
};
use hast_flow::flows::goals::selection::placed;
use hast_flow::formats::source::Source;
use hast_flow::words::{Lang, placeholders};

/// Two spaces a level: `id status`, then `<id` for a dependency and `i` for interactive.
fn goals(lines: &[&str]) -> Goals {
    let mut text = String::from("goals:\n");
    let mut above = None;
    for line in lines {
        let level = (line.len() - line.trim_start().len()) / 2;
        let pad = " ".repeat(level * 4 + 2);
        if above.is_some_and(|above| level > above) {
            text += &format!("{}children:\n", " ".repeat(level * 4));
        }
        above = Some(level);
        let mut words = line.split_whitespace();
        let (id, status) = (words.next().unwrap(), words.next().unwrap());
        text += &format!("{pad}- id: {id}\n{pad}  title: t\n{pad}  status: {status}\n");
        for word in words {
            match word.strip_prefix('<') {
                Some(other) => text += &format!("{pad}  depends_on: [{other}]\n"),
                None => text += &format!("{pad}  mode: interactive\n"),
            }
        }
    }
    read::<Goals>(&Source::new("goals.yaml", &text))
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"))
        .value
}

fn asked(goal: Option<&str>, depth: Depth) -> Asked {
    Asked { goal: goal.map(str::to_owned), depth }
}

fn tried(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// What is chosen, as one word: an id, or `nothing ...` or `refused ...`.
fn chosen(goals: &Goals, asked: &Asked, last: Option<&str>, done: &[&str]) -> String {
    match choose(&placed(goals), asked, last, &tried(done)) {
        Choice::Run(placed) => placed.goal.id.clone(),
        Choice::Nothing(nothing) => format!("nothing {nothing:?}"),
        Choice::Refused(refused) => format!("refused {refused:?}"),
    }
}

const TREE: [&str; 6] = [
    "M4 active",
    "  M4.1 done",
    "  M4.2 active",
    "  M4.3 active",
    "    M4.3.1 active",
    "M5 active",
];

#[test]
fn without_an_id_the_policys_first_goal_is_run_and_no_other() {
    let goals = goals(&TREE);
    let one = asked(None, Depth::One);
    assert_eq!(chosen(&goals, &one, None, &[]), "M4.3.1");
    assert_eq!(chosen(&goals, &one, Some("M4.2"), &[]), "M4.2", "continuity comes first");
    assert_eq!(chosen(&goals, &one, Some("M4"), &[]), "M4.3.1", "a container is never run");
    assert_eq!(chosen(&goals, &one, None, &["M4.3.1"]), "nothing AllTried");
}

#[test]
fn recursive_runs_the_leaves_below_in_the_policys_order() {
    let goals = goals(&TREE);
    let below = asked(Some("M4"), Depth::Leaves);
    assert_eq!(chosen(&goals, &below, None, &[]), "M4.3.1");
    assert_eq!(chosen(&goals, &below, None, &["M4.3.1"]), "M4.2");
    assert_eq!(chosen(&goals, &below, None, &["M4.3.1", "M4.2"]), "nothing AllTried");
    let all = asked(None, Depth::Leaves);
    assert_eq!(chosen(&goals, &all, None, &["M4.3.1", "M4.2"]), "M5");
}

#[test]
fn the_pipeline_of_the_seed_runs_in_its_order_without_the_interactive_step() {
    let goals = goals(&["F1 active", "  F1.1 active i", "  F1.2 active", "  F1.3 active"]);
    let below = asked(Some("F1"), Depth::Leaves);
    assert_eq!(chosen(&goals, &below, Some("F1.1"), &[]), "F1.2");
    assert_eq!(chosen(&goals, &below, Some("F1.2"), &["F1.2"]), "F1.3");
}

#[test]
fn a_goal_whose_dependencies_are_not_all_done_waits() {
    let goals = goals(&["A active", "B active <A", "C blocked", "D active <C"]);
    let all = asked(None, Depth::Leaves);
    assert_eq!(chosen(&goals, &all, Some("B"), &[]), "A", "even if the last session was about it");
    let (every, tried_a) = (placed(&goals), tried(&["A"]));
    let Choice::Nothing(nothing) = choose(&every, &all, None, &tried_a) else { panic!() };
    assert!(nothing.what(Lang::En).ends_with("B (waits for A), D (waits for C)"), "{nothing:?}");
    let named = chosen(&goals, &asked(Some("B"), Depth::One), None, &[]);
    assert!(
        named.starts_with("refused Waits(Waiting { id: \"B\", named_by: \"B\", on: [\"A\"]"),
        "{named}"
    );
}

#[test]
fn what_is_advised_about_a_goal_that_others_wait_for_can_be_done() {
    let goals = goals(&[
        "A active",
        "P pending",
        "B blocked",
        "X dropped",
        "I active i",
        "C active",
        "  C1 active",
        "WA active <A",
        "WP active <P",
        "WB active <B",
        "WX active <X",
        "WI active <I",
        "WC active <C",
        "W2 active <WP",
    ]);
    for (id, advice) in [
        ("WA", "run hast auto A first"),
        ("WP", "`status: active` of P"),
        ("WB", "hast retry B"),
        ("WX", "out of depends_on of WX"),
        ("WI", "hast context --goal I"),
        ("WC", "hast auto C --recursive"),
        // What waits itself cannot be run either.
        ("W2", "`status: active` of P"),
    ] {
        let all = placed(&goals);
        let asked = asked(Some(id), Depth::One);
        let Choice::Refused(refused) = choose(&all, &asked, None, &tried(&[])) else { panic!() };
        assert!(refused.next(Lang::En).contains(advice), "{id}: {}", refused.next(Lang::En));
        assert!(!refused.next(Lang::Ko).is_empty());
    }
}

#[test]
fn naming_a_goal_that_auto_does_not_run_is_refused_with_what_to_do() {
    let goals =
        goals(&["P pending", "B blocked", "D dropped", "I active i", "C active", "  C1 active"]);
    for (id, kind, hint) in [
        ("P", "Pending", "status: active"),
        ("B", "Blocked", "hast retry B"),
        ("D", "Dropped", "status: active"),
        ("I", "Interactive", "hast context"),
        ("C", "Container", "--recursive"),
        ("C11", "Unknown", "C1"),
    ] {
        let all = placed(&goals);
        let asked = asked(Some(id), Depth::One);
        let Choice::Refused(refused) = choose(&all, &asked, None, &tried(&[])) else {
            panic!("{id}")
        };
        assert!(format!("{refused:?}").starts_with(kind), "{refused:?}");
        for lang in [Lang::En, Lang::Ko] {
            assert!(refused.what(lang).contains(id));
            assert!(refused.next(lang).contains(hint), "{}", refused.next(lang));
        }
    }
    let refused = Refused::Unknown { id: "zzz".into(), nearest: None };
    assert!(refused.next(Lang::En).contains("hast goal list"));
}

#[test]
fn a_named_goal_that_is_done_and_a_tree_with_nothing_to_run_are_notices() {
    let left = goals(&["F active", "  F1 active i"]);
    let only = chosen(&left, &asked(Some("F"), Depth::Leaves), None, &[]);
    assert_eq!(only, "nothing LeftToPeople { ids: [\"F1\"] }", "it is active already");
    let goals = goals(&["A done", "B pending"]);
    let done = chosen(&goals, &asked(Some("A"), Depth::One), None, &[]);
    assert_eq!(done, "nothing AlreadyDone { id: \"A\" }");
    assert_eq!(chosen(&goals, &asked(None, Depth::One), None, &[]), "nothing NoActiveGoal");
    assert!(Nothing::NoActiveGoal.next(Lang::Ko).contains("status: active"));
}

#[test]
fn a_container_that_its_last_leaf_made_done_ends_the_run() {
    let goals = goals(&["A done", "  A1 done"]);
    let below = asked(Some("A"), Depth::Leaves);
    assert_eq!(chosen(&goals, &below, None, &["A1"]), "nothing AllTried");
}

#[test]
fn a_parent_becomes_done_when_its_last_child_is_done() {
    let goals = goals(&[
        "A active",
        "  A1 active",
        "    A1a active",
        "    A1b dropped",
        "  A2 done",
        "B active",
        "  B1 active",
        "  B2 active",
        "C dropped",
        "  C1 active",
    ]);
    let all = placed(&goals);
    assert_eq!(parents_done(&all, "A1a"), ["A1", "A"]);
    assert!(parents_done(&all, "B1").is_empty());
    assert!(parents_done(&all, "C1").is_empty(), "what a person dropped stays dropped");
}

#[test]
fn everything_is_said_in_both_languages() {
    for entry in runnable::CATALOGUE {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
}
