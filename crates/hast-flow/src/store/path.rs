//! Paths of documents. A value of this type cannot leave its root, whatever text it was made from.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The directory of a root that belongs to the store itself.
pub const TECHNICAL_DIR: &str = ".hast";

/// A path below a root: parts joined by `/`, none of them empty, `.`, `..`, over 255 bytes or with
/// a NUL byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocPath(Arc<str>);

/// Why a text is not a path below a root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a path below the root: {why}")]
pub struct BadPath {
    pub text: String,
    pub why: PathFault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    #[error("it is absolute")]
    Absolute,
    #[error("it has an empty part")]
    EmptyPart,
    #[error("it has a part `.` or `..`")]
    DotPart,
    #[error("it has a NUL byte")]
    Nul,
    #[error("it has a name over 255 bytes")]
    LongName,
    #[error("it is over 4,000 bytes")]
    LongPath,
}

const MAX_NAME: usize = 255;
/// Linux takes 4,096 bytes with the root before it; what is longer could never be opened.
const MAX_PATH: usize = 4_000;

impl DocPath {
    pub fn new(text: &str) -> Result<Self, BadPath> {
        match fault(text) {
            None => Ok(Self(text.into())),
            Some(why) => Err(BadPath { text: text.to_owned(), why }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// This path with more parts after it.
    pub fn join(&self, rest: &str) -> Result<Self, BadPath> {
        Self::new(&format!("{}/{rest}", self.0))
    }

    /// The directory it lies in; none for what lies in the root itself.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(dir, _)| Self(dir.into()))
    }

    /// As [`Self::parent`], to compare with only.
    pub(super) fn parent_text(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(dir, _)| dir)
    }

    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, name)| name)
    }

    /// The directories above it, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent)
    }

    /// Whether it is that path or lies below it.
    pub fn is_within(&self, dir: &Self) -> bool {
        self.below(dir).is_some()
    }

    /// The same place below `to` that it has below `from`.
    pub fn moved(&self, from: &Self, to: &Self) -> Option<Self> {
        let rest = self.below(from)?;
        Some(Self(format!("{}{rest}", to.0).into()))
    }

    /// Whether it belongs to the store and not to a flow.
    pub fn is_technical(&self) -> bool {
        self.0.split('/').next() == Some(TECHNICAL_DIR)
    }

    /// A path of the store's own; the parts are ours and known to be well formed.
    pub(crate) fn technical(rest: &str) -> Self {
        Self(format!("{TECHNICAL_DIR}/{rest}").into())
    }

    /// The store's own directory.
    pub(crate) fn technical_dir() -> Self {
        Self(TECHNICAL_DIR.into())
    }

    fn below(&self, dir: &Self) -> Option<&str> {
        let rest = self.0.strip_prefix(&*dir.0)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }
}

fn fault(text: &str) -> Option<PathFault> {
    if text.starts_with('/') {
        return Some(PathFault::Absolute);
    }
    if text.contains('\0') {
        return Some(PathFault::Nul);
    }
    if text.len() > MAX_PATH {
        return Some(PathFault::LongPath);
    }
    text.split('/').find_map(|part| match part {
        "" => Some(PathFault::EmptyPart),
        "." | ".." => Some(PathFault::DotPart),
        long if long.len() > MAX_NAME => Some(PathFault::LongName),
        _ => None,
    })
}

impl FromStr for DocPath {
    type Err = BadPath;

    fn from_str(text: &str) -> Result<Self, BadPath> {
        Self::new(text)
    }
}

impl fmt::Display for DocPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_leaves_the_root_or_no_file_system_takes_is_refused_by_the_type() {
        for (text, why) in [
            ("", PathFault::EmptyPart),
            ("/etc/passwd", PathFault::Absolute),
            ("a//b", PathFault::EmptyPart),
            ("a/", PathFault::EmptyPart),
            ("..", PathFault::DotPart),
            ("a/../b", PathFault::DotPart),
            ("./a", PathFault::DotPart),
            ("a\0b", PathFault::Nul),
            (&"n".repeat(256), PathFault::LongName),
            (&"가".repeat(86), PathFault::LongName),
            (&"n/".repeat(2_001), PathFault::LongPath),
        ] {
            assert_eq!(DocPath::new(text).unwrap_err().why, why, "{text:?}");
        }
        for text in ["a", "a/b.md", "..a/b..", ".ai/목표.yaml", &"n".repeat(255)] {
            assert_eq!(DocPath::new(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn a_path_knows_its_parents_and_its_new_place_after_a_move() {
        let path = DocPath::new("plan/active/goal.md").unwrap();
        assert_eq!(path.name(), "goal.md");
        let above: Vec<_> = path.ancestors().map(|dir| dir.to_string()).collect();
        assert_eq!(above, ["plan/active", "plan"]);
        let from = DocPath::new("plan/active").unwrap();
        let to = DocPath::new("archive/v1").unwrap();
        let moved = path.moved(&from, &to).unwrap();
        assert_eq!(moved.as_str(), "archive/v1/goal.md");
        assert!(!DocPath::new("plan/active2").unwrap().is_within(&from));
    }

    proptest! {
        #[test]
        fn no_text_makes_a_path_that_escapes(text in "[./a\\x00]{0,12}") {
            if let Ok(path) = DocPath::new(&text) {
                for part in path.as_str().split('/') {
                    prop_assert!(!part.is_empty() && part != "." && part != "..");
                }
            }
        }
    }
}
