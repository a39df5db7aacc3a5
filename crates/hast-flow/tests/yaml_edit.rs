//! Ten thousand random edits of goals.yaml as people write it: only the edit's bytes change.

#![cfg(test)]

use hast_flow::formats::diagnostic::{Finding, NoEdit};
use hast_flow::formats::edit::Edit;
use hast_flow::formats::source::Source;
use hast_flow::formats::tree::{Node, Step};
use hast_flow::formats::{yaml, yaml_edit};
use proptest::prelude::*;

/// How one goal is written.
#[derive(Clone, Debug)]
struct Written {
    title: String,
    status: &'static str,
    quotes: u8,
    flow: bool,
    comment: Option<&'static str>,
    blank_after: bool,
    status_first: bool,
    extra: u8,
    children: Vec<Written>,
}

#[derive(Clone, Debug)]
struct Sample {
    goals: Vec<Written>,
    crlf: bool,
    dash_indent: usize,
    final_newline: bool,
    head: &'static str,
}

fn goal() -> impl Strategy<Value = Written> {
    let title = prop_oneof![
        "[a-z가-힣 ]{1,12}",
        "[ -~가-힣😀]{0,16}",
        Just("# not: a, comment".to_owned())
    ];
    let status = prop::sample::select(vec!["pending", "active", "done", "blocked", "dropped"]);
    let comment = prop::option::of(prop::sample::select(vec![" # 주석", " # note: x", "   #"]));
    let parts = (
        title,
        status,
        0u8..3,
        prop::bool::weighted(0.2),
        comment,
        any::<bool>(),
        any::<bool>(),
        0u8..6,
    );
    let leaf = parts.prop_map(
        |(title, status, quotes, flow, comment, blank_after, status_first, extra)| Written {
            title,
            status,
            quotes,
            flow,
            comment,
            blank_after,
            status_first,
            extra,
            children: Vec::new(),
        },
    );
    leaf.prop_recursive(3, 12, 3, |inner| {
        (inner.clone(), prop::collection::vec(inner, 0..3)).prop_map(|(mut goal, children)| {
            if !goal.flow {
                goal.children = children;
            }
            goal
        })
    })
}

fn sample() -> impl Strategy<Value = Sample> {
    let head = prop::sample::select(vec![
        "",
        "# 목표\n",
        "---\n",
        "\u{feff}",
        "defaults: &paths [\"src/\", tests/]\n\n",
    ]);
    (
        prop::collection::vec(goal(), 1..4),
        any::<bool>(),
        prop::sample::select(vec![0, 2, 4]),
        any::<bool>(),
        head,
    )
        .prop_map(|(goals, crlf, dash_indent, final_newline, head)| Sample {
            goals,
            crlf,
            dash_indent,
            final_newline,
            head,
        })
}

fn print(sample: &Sample) -> String {
    let mut out = sample.head.to_owned() + "goals:\n";
    let anchored = sample.head.contains("&paths");
    let mut counter = 0;
    for goal in &sample.goals {
        print_goal(goal, sample.dash_indent, sample.dash_indent, anchored, &mut counter, &mut out);
    }
    if !sample.final_newline {
        out.truncate(out.trim_end_matches('\n').len());
    }
    if sample.crlf { out.replace('\n', "\r\n") } else { out }
}

fn print_goal(
    goal: &Written,
    indent: usize,
    step: usize,
    anchored: bool,
    counter: &mut usize,
    out: &mut String,
) {
    *counter += 1;
    let id = format!("G{counter}");
    let title = match goal.quotes {
        1 => format!("'{}'", goal.title.replace('\'', "''")),
        _ => format!("\"{}\"", goal.title.replace('\\', "\\\\").replace('"', "\\\"")),
    };
    let status = match goal.quotes {
        0 => goal.status.to_owned(),
        1 => format!("'{}'", goal.status),
        _ => format!("\"{}\"", goal.status),
    };
    let pad = " ".repeat(indent);
    let comment = goal.comment.unwrap_or("");
    if goal.flow {
        out.push_str(&format!(
            "{pad}- {{ id: {id}, status: {status}, title: {title} }}{comment}\n"
        ));
        return;
    }
    let first = if goal.status_first { format!("status: {status}") } else { format!("id: {id}") };
    let second = if goal.status_first { format!("id: {id}") } else { format!("status: {status}") };
    out.push_str(&format!(
        "{pad}- {first}{comment}\n{pad}  title: {title}\n{pad}  {second}{comment}\n"
    ));
    match goal.extra {
        1 => out.push_str(&format!("{pad}  allowed_changes: [\"core/전략.py\", 'tests/']\n")),
        2 => {
            out.push_str(&format!("{pad}  notes: |\n{pad}    첫 줄\n\n{pad}    # not a comment\n"))
        }
        3 if anchored => out.push_str(&format!("{pad}  allowed_changes: *paths\n")),
        4 => out.push_str(&format!("{pad}  # 선택: 자동화 설정\n{pad}  expect_failure: true\n")),
        5 => out.push_str(&format!("{pad}  depends_on: []   # none\n")),
        _ => {}
    }
    if !goal.children.is_empty() {
        out.push_str(&format!("{pad}  children:\n"));
        for child in &goal.children {
            print_goal(child, indent + 2 + step, step, anchored, counter, out);
        }
    }
    if goal.blank_after {
        out.push('\n');
    }
}

/// Paths of all goals in the tree.
fn goal_paths<'a>(list: &Node, prefix: &[Step<'a>], into: &mut Vec<Vec<Step<'a>>>) {
    for (index, goal) in list.list().iter().enumerate() {
        let mut path = prefix.to_vec();
        path.push(Step::Index(index));
        if let Some(children) = goal.get("children") {
            let mut below = path.clone();
            below.push(Step::Key("children"));
            goal_paths(children, &below, into);
        }
        into.push(path);
    }
}

fn tree(text: &str) -> Node {
    yaml::read(&Source::new("goals.yaml", text)).unwrap().root
}

/// What another YAML reader sees at a goal.
fn seen_elsewhere(text: &str, path: &[Step<'_>], key: &str) -> Option<String> {
    let document: yaml_serde::Value =
        yaml_serde::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    let goal = path.iter().fold(&document, |value, step| match step {
        Step::Key(key) => &value[*key],
        Step::Index(index) => &value[*index],
    });
    goal.get(key).map(|value| value.as_str().unwrap_or("?").to_owned())
}

fn untouched_outside(before: &str, edit: &Edit) -> String {
    let after = edit.apply(before);
    assert_eq!(&after[..edit.range.start], &before[..edit.range.start]);
    assert_eq!(&after[edit.range.start + edit.text.len()..], &before[edit.range.end..]);
    after
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3400))]

    /// Three edits a case: set, insert, remove.
    #[test]
    fn edits_of_goals_change_nothing_else(
        sample in sample(),
        pick in any::<prop::sample::Index>(),
        status in prop::sample::select(vec!["active", "done", "blocked", "in progress: 진행", "no", "a, b]"]),
        reason in prop_oneof!["[ -~]{0,20}", "[가-힣 :#]{1,10}", Just("줄\n바꿈\t\"따옴표\" \\".to_owned())],
    ) {
        let text = print(&sample);
        let root = tree(&text);
        let mut paths = Vec::new();
        goal_paths(root.get("goals").unwrap(), &[Step::Key("goals")], &mut paths);
        let path = &paths[pick.index(paths.len())];
        let mut status_path = path.clone();
        status_path.push(Step::Key("status"));
        let source = Source::new("goals.yaml", &text);

        let edit = yaml_edit::set(&source, &root, &status_path, status).unwrap();
        let changed = untouched_outside(&text, &edit);
        prop_assert_eq!(seen_elsewhere(&changed, path, "status"), Some(status.to_owned()));

        let root = tree(&changed);
        let source = Source::new("goals.yaml", &changed);
        let edit = yaml_edit::insert(&source, &root, path, "status", ("blocked_reason", &reason)).unwrap();
        let inserted = untouched_outside(&changed, &edit);
        prop_assert_eq!(seen_elsewhere(&inserted, path, "blocked_reason"), Some(reason));

        let root = tree(&inserted);
        let source = Source::new("goals.yaml", &inserted);
        let edit = yaml_edit::remove(&source, &root, path, "blocked_reason").unwrap();
        let removed = untouched_outside(&inserted, &edit);
        // An added line that ended a file without a final newline leaves that newline behind.
        prop_assert_eq!(removed.trim_end_matches(['\r', '\n']), changed.trim_end_matches(['\r', '\n']));
    }
}

fn refusal(text: &str, path: &[Step<'_>]) -> (NoEdit, Option<usize>) {
    let diagnostic =
        yaml_edit::set(&Source::new("goals.yaml", text), &tree(text), path, "done").unwrap_err();
    match diagnostic.finding {
        Finding::CannotEdit { reason } => (reason, diagnostic.line()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_edited_is_refused_with_the_line() {
    let first = [Step::Key("goals"), Step::Index(0), Step::Key("status")];
    let second = [Step::Key("goals"), Step::Index(1), Step::Key("status")];
    let aliased = "goals:\n  - &g {id: a, status: active}\n  - *g\n";
    assert_eq!(refusal(aliased, &second), (NoEdit::ThroughAlias, Some(3)));
    let anchored = "goals:\n  - id: a\n    status: &s active\n  - id: b\n    status: *s\n";
    assert_eq!(refusal(anchored, &first), (NoEdit::AnchoredValue, Some(3)));
    assert_eq!(refusal(anchored, &second), (NoEdit::ThroughAlias, Some(5)));
    let merged = "base: &b\n  status: active\ngoals:\n  - id: a\n    <<: *b\n";
    assert_eq!(refusal(merged, &first).0, NoEdit::FromMergeKey);
    let tagged = "goals:\n  - id: a\n    status: !!str active\n";
    assert_eq!(refusal(tagged, &first), (NoEdit::TaggedValue, Some(3)));
    let block = "goals:\n  - id: a\n    status: |\n      active\n";
    assert_eq!(refusal(block, &first), (NoEdit::NotAScalar, Some(4)));
    let missing = "goals:\n  - id: a\n";
    assert_eq!(refusal(missing, &first), (NoEdit::NotFound, Some(2)));
    let shared = "goals:\n  - &g {id: a, status: active}\nsame: *g\n";
    assert_eq!(refusal(shared, &first).0, NoEdit::OtherValuesWouldChange);
}

#[test]
fn a_field_without_a_value_gets_one() {
    let text = "goals:\n  - id: a\n    status:   # later\n    title: x\n";
    let path = [Step::Key("goals"), Step::Index(0), Step::Key("status")];
    let edit = yaml_edit::set(&Source::new("f", text), &tree(text), &path, "active").unwrap();
    assert_eq!(edit.apply(text), "goals:\n  - id: a\n    status: active   # later\n    title: x\n");
}

#[test]
fn a_persons_comment_is_never_removed() {
    let text = "goals:\n  - id: a\n    blocked_reason: \"x\" # look at run 7\n";
    let path = [Step::Key("goals"), Step::Index(0)];
    let diagnostic =
        yaml_edit::remove(&Source::new("f", text), &tree(text), &path, "blocked_reason")
            .unwrap_err();
    assert_eq!(diagnostic.finding, Finding::CannotEdit { reason: NoEdit::SharesItsLine });
    assert_eq!(diagnostic.line(), Some(3));
}
