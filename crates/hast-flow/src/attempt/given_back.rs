//! What was given back after an attempt, and where what stood there instead is now: whoever did it, the
//! agent or a person beside it, has to find it again.

use serde::{Deserialize, Serialize};

use crate::words::shell_word;

/// Something that was taken out of the tree and is on no ref.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Aside {
    /// Where it was, from the top of the tree.
    pub path: String,
    pub at: String,
}

/// Protected files and refs that have again what they had at the base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenBack {
    /// What was written there instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Aside>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Displaced>,
    /// How many more there are of either.
    #[serde(default)]
    pub more: usize,
}

/// A ref that is where it was, and what it was meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Displaced {
    pub name: String,
    pub was: Meanwhile,
    /// The ref that keeps what it pointed at; none where it pointed at nothing.
    pub at: Option<String>,
}

/// What had become of a ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meanwhile {
    Moved,
    /// It was not there at the base, and is not there any more.
    Made,
    Deleted,
}

/// Ignored files of the user that were not in their place after an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IgnoredBack {
    /// They are there again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub back: Vec<String>,
    /// They were moved to another place in the tree, and are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Aside>,
    /// Something else is in their place, and they are out of the tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
}

impl IgnoredBack {
    pub fn is_empty(&self) -> bool {
        self.back.is_empty() && self.moved.is_empty() && self.aside.is_empty()
    }

    /// In order, each once.
    pub fn sort(&mut self) {
        self.back.sort();
        self.back.dedup();
        for list in [&mut self.moved, &mut self.aside] {
            list.sort();
            list.dedup();
        }
    }

    /// What several steps found, as much of it as a document takes.
    pub fn listed<'f>(found: impl Iterator<Item = &'f Self>) -> Self {
        let mut all = Self::default();
        for one in found {
            all.back.extend_from_slice(&one.back);
            all.moved.extend_from_slice(&one.moved);
            all.aside.extend_from_slice(&one.aside);
        }
        all.sort();
        all.back.truncate(IGNORED_LISTED);
        all.moved.truncate(IGNORED_LISTED);
        all.aside.truncate(IGNORED_LISTED);
        all
    }
}

const IGNORED_LISTED: usize = 200;
/// How many of each are named.
const LISTED: usize = 50;

impl GivenBack {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.refs.is_empty()
    }

    /// As much of it as a document takes.
    #[must_use]
    pub fn listed(&self) -> Self {
        let over = |count: usize| count.saturating_sub(LISTED);
        Self {
            files: self.files.iter().take(LISTED).cloned().collect(),
            refs: self.refs.iter().take(LISTED).cloned().collect(),
            more: self.more + over(self.files.len()) + over(self.refs.len()),
        }
    }
}

impl Displaced {
    /// The command that makes the ref again what it was meanwhile.
    pub fn command(&self) -> Option<String> {
        let (name, at) = (shell_word(&self.name), shell_word(self.at.as_deref()?));
        Some(match (self.name.as_str(), self.was) {
            (_, Meanwhile::Deleted) => return None,
            ("refs/stash", _) => format!("git stash apply {at}"),
            ("HEAD", _) => format!("git log {at}"),
            _ => format!("git update-ref {name} {at}"),
        })
    }
}

/// Whether `git fetch`, which people, editors and git's own maintenance run by themselves, moves, makes and
/// prunes a ref. Nothing is judged by it.
pub fn comes_with_a_fetch(name: &str) -> bool {
    ["refs/remotes/", "refs/prefetch/"].iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_has_the_command_that_brings_it_back_and_a_long_list_its_beginning() {
        let displaced = |name: &str, was| Displaced {
            name: name.to_owned(),
            was,
            at: Some(format!("refs/hast/displaced/M1/1/{name}")),
        };
        let command = |name: &str, was| displaced(name, was).command();
        assert_eq!(
            command("refs/tags/t 9", Meanwhile::Made).as_deref(),
            Some("git update-ref 'refs/tags/t 9' 'refs/hast/displaced/M1/1/refs/tags/t 9'")
        );
        assert!(command("refs/stash", Meanwhile::Moved).unwrap().starts_with("git stash apply "));
        assert_eq!(command("refs/heads/x", Meanwhile::Deleted), None);
        let refs = vec![displaced("refs/tags/t", Meanwhile::Made); LISTED + 7];
        let listed = GivenBack { refs, ..GivenBack::default() }.listed();
        assert_eq!((listed.refs.len(), listed.more), (LISTED, 7));
    }
}
