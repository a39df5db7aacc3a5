//! All shapes by all commands.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::commands::{COMMANDS, May};
use super::places::{Places, SECRET, Tree, clear, differences, home_tree, restore, tree};
use super::shapes::{SHAPES, Shape};

#[test]
fn before_trust_no_shape_of_a_repository_makes_a_command_do_harm() {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, shape)) = SHAPES.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = play(*shape);
                    let found = found.into_iter().map(|found| format!("{name}: {found}"));
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(SHAPES.len() >= 16);
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// Runs every command in clones of one shape; tells what they did that they must not do.
fn play(shape: Shape) -> Vec<String> {
    let places = Places::new();
    let looked = places.clone_into("home/src/clone");
    shape(&looked, &places.home());
    let of = |may: May| COMMANDS.iter().filter(move |(its, _)| *its == may).map(|(_, words)| words);
    // The clone lies in the home: one look shows both.
    let home = home_tree(&places.home());
    for words in of(May::Nothing) {
        if let Some(wrong) = run(&places, &looked, words, &home) {
            return vec![wrong];
        }
    }
    let mut written = None;
    for words in of(May::Documents) {
        let (root, before, home) = written.take().unwrap_or_else(|| {
            let root = places.clone_into("clone");
            shape(&root, &places.home());
            let (before, home) = (tree(&root), home_tree(&places.home()));
            (root, before, home)
        });
        if let Some(wrong) = run(&places, &root, words, &home) {
            return vec![wrong];
        }
        match restore(&root, &before) {
            true => written = Some((root, before, home)),
            false => clear(&root),
        }
    }
    Vec::new()
}

fn run(places: &Places, root: &Path, words: &str, home: &Tree) -> Option<String> {
    let args: Vec<&str> = words.split(' ').collect();
    let ran = places.hast(root, &args);
    let now = home_tree(&places.home());
    let changed = differences(home, &now);
    if !changed.is_empty() {
        return Some(format!("`{words}` ({}) changed {changed:?}: {}", ran.code, ran.err));
    }
    if ran.out.contains(SECRET) || ran.err.contains(SECRET) {
        return Some(format!("`{words}` told a secret: {}{}", ran.out, ran.err));
    }
    if ran.code == 124 {
        return Some(format!("`{words}` waited without end"));
    }
    if ran.code == 101 || ran.code < 0 || ran.err.contains("panicked") {
        return Some(format!("`{words}` died: {}", ran.err));
    }
    None
}
