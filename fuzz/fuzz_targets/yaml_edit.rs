//! Any text and any path in its tree: an edit is refused, or it changes that value and nothing else.

#![no_main]

use hast_flow::formats::edit::Edit;
use hast_flow::formats::source::Source;
use hast_flow::formats::tree::{Node, Step, Value};
use hast_flow::formats::{yaml, yaml_edit};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Change {
    Set,
    Insert,
    Remove,
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    change: Change,
    /// Where to go at each level; the first that leads nowhere ends the path.
    picks: [u8; 4],
    key: &'a str,
    value: &'a str,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let source = Source::new("fuzz", input.text);
    let Ok(parsed) = yaml::read(&source) else { return };
    let root = &parsed.root;
    let (path, node) = path(root, &input.picks);
    let pick = usize::from(input.picks[3]);
    match input.change {
        Change::Set => {
            if let Ok(edit) = yaml_edit::set(&source, root, &path, input.value) {
                let after = changed(input.text, &edit);
                assert_eq!(after.at(&path).and_then(Node::text), Some(input.value));
                assert_eq!(count(&after), count(root));
            }
        }
        Change::Insert => {
            let after = node.fields().get(pick).map_or("", |field| &*field.key);
            let added = (input.key, input.value);
            if let Ok(edit) = yaml_edit::insert(&source, root, &path, after, added) {
                assert!(edit.range.is_empty());
                let after = changed(input.text, &edit);
                let map = after.at(&path).expect("the map is there");
                assert_eq!(map.get(input.key).and_then(Node::text), Some(input.value));
                assert_eq!(count(&after), count(root) + 1);
            }
        }
        Change::Remove => {
            let Some(field) = node.fields().get(pick) else { return };
            if let Ok(edit) = yaml_edit::remove(&source, root, &path, &field.key) {
                assert!(edit.text.is_empty());
                let after = changed(input.text, &edit);
                assert_eq!(count(&after) + count(&field.node), count(root));
            }
        }
    }
});

fn path<'t>(root: &'t Node, picks: &[u8]) -> (Vec<Step<'t>>, &'t Node) {
    let mut node = root;
    let mut path = Vec::new();
    for pick in picks {
        let pick = usize::from(*pick);
        let next = match &node.value {
            Value::Map(fields) => {
                fields.get(pick).map(|field| (Step::Key(&field.key), &field.node))
            }
            Value::List(items) => items.get(pick).map(|item| (Step::Index(pick), item)),
            _ => None,
        };
        let Some((step, below)) = next else { break };
        path.push(step);
        node = below;
    }
    (path, node)
}

/// The tree after the edit, whose range must not have been moved to fit.
fn changed(text: &str, edit: &Edit) -> Node {
    assert!(text.get(edit.range.clone()).is_some());
    let after = edit.apply(text);
    assert_eq!(&after[..edit.range.start], &text[..edit.range.start]);
    assert!(after.ends_with(&text[edit.range.end..]));
    let parsed = yaml::read(&Source::new("fuzz", &after)).expect("an edit leaves YAML behind");
    assert!(parsed.findings.is_empty());
    parsed.root
}

fn count(node: &Node) -> usize {
    let items = node.list().iter().map(count);
    let fields = node.fields().iter().map(|field| count(&field.node));
    1 + items.chain(fields).sum::<usize>()
}
