//! Messages about work that is not in the tree: on its ref, on a kept branch, or in files that were
//! moved aside. Each file that was moved aside is named with the command that brings it back.

use std::borrow::Cow;
use std::path::Path;

use hast_flow::attempt::recovery::named;
use hast_flow::flows::goals::auto::run::{Beside, SettledWork};
use hast_flow::words::{Lang, shell_word, visible};
use serde_json::{Value, json};

use crate::auto_messages::say;

/// A line a file.
pub(super) fn lines(lang: Lang, root: &Path, name: &str, beside: &Beside) -> Vec<String> {
    let mut lines = Vec::new();
    for aside in &beside.aside {
        let at = within(root, &aside.at);
        let command = back(root, &at, &aside.path);
        let (path, at) = (visible(&aside.path), visible(&at));
        lines.push(say::aside(lang, path, visible(name), at, visible(&command)));
    }
    if beside.more > 0 {
        lines.push(say::beside_more(lang, beside.more));
    }
    lines
}

/// What is said about a settled attempt whose work is not all where it mostly is.
pub(super) fn settled(lang: Lang, root: &Path, work: &SettledWork) -> Vec<String> {
    let short = |branch: &str| branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned();
    let mut lines = Vec::new();
    if work.late {
        lines.push(say::came_late(lang, visible(&work.goal)));
    }
    if let Some(branch) = &work.branch {
        let (goal, branch) = (visible(&work.goal), short(branch));
        lines.push(match work.left_alone() {
            Some(own) => say::kept_elsewhere(lang, goal, visible(&branch), visible(&short(&own))),
            None => say::kept_on(lang, goal, visible(&branch)),
        });
    }
    let name = work.name.as_deref().unwrap_or_default();
    lines.extend(self::lines(lang, root, name, &work.beside));
    lines
}

/// Where the work of an attempt is that is in no commit.
pub(super) fn saved(lang: Lang, work: &SettledWork) -> Option<String> {
    let name = visible(work.name.as_deref()?);
    let goal = visible(&work.goal);
    Some(if work.uncommitted.is_empty() {
        say::saved_on(lang, goal, work.attempt, name)
    } else {
        say::in_checkout(lang, goal, visible(&named(&work.uncommitted)))
    })
}

/// The command that puts a file where it was. It asks before it writes over anything.
pub(super) fn back(root: &Path, at: &str, path: &str) -> String {
    let above = Path::new(path).parent().filter(|above| *above != Path::new(""));
    let made = above.filter(|above| !root.join(above).is_dir());
    let made = made.and_then(Path::to_str);
    let made = made.map(|above| format!("mkdir -p {} && ", shell_word(above))).unwrap_or_default();
    format!("{made}mv -i {} {}", shell_word(at), shell_word(path))
}

/// A path as it is from the project's root.
pub(super) fn within<'p>(root: &Path, path: &'p str) -> Cow<'p, str> {
    let real = root.canonicalize();
    let roots = [Some(root), real.as_deref().ok()].into_iter().flatten();
    let mut short = roots.filter_map(|root| Path::new(path).strip_prefix(root).ok()?.to_str());
    short.next().map_or(Cow::Borrowed(path), Cow::Borrowed)
}

pub(super) fn as_json(beside: &Beside) -> Value {
    json!({ "aside": beside.aside, "more": beside.more })
}
