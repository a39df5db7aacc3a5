//! Strays are changes in the project that an agent's call was not allowed to make. The module is
//! given the changed paths, the paths that the call may write, and the sandbox that held it. A path
//! that the sandbox held shut was changed by another program or a person, and is no stray.

use std::path::Path;

use crate::attempt::globs::Globs;
use crate::messages;
use crate::process::Sandbox;
use crate::process::exit::{Applied, Missing};
use crate::words::{Lang, visible};

/// So many are named; the rest is counted.
const NAMED: usize = 5;

messages! {
    strayed(paths) { en: "it changed what it may not: {paths}", ko: "바꿀 수 없는 것을 바꾸었습니다: {paths}" }
    and_more(paths, count) { en: "{paths} and {count} more", ko: "{paths} 외 {count}개" }
}

/// The walls of one call.
#[derive(Clone, Copy, Debug)]
pub struct Walls<'a> {
    pub root: &'a Path,
    /// What it may change below the root.
    pub writes: &'a [String],
    /// What was granted, held by a sandbox or not.
    pub granted: &'a Sandbox,
    pub applied: &'a Applied,
    /// Below the root, hast's own and git's: no pattern names them.
    pub protected: &'a [&'a Path],
}

impl Walls<'_> {
    /// Of what changed, given by paths below the root, what the call may not have changed. What its
    /// sandbox held shut was somebody else: a person may work on while an agent does.
    pub fn strays(&self, changed: &[String]) -> Vec<String> {
        let globs = Globs::new(self.writes);
        let is_stray = |path: &&String| {
            let whole = self.root.join(path);
            let protected = self.protected.iter().any(|own| whole.starts_with(own));
            let may = globs.names(path) && !protected;
            // A directory came with what is in it, and that is judged by itself.
            let holds = |other: &String| other != *path && Path::new(other).starts_with(path);
            !may && !self.is_granted(&whole) && self.was_open(&whole) && !changed.iter().any(holds)
        };
        changed.iter().filter(is_stray).cloned().collect()
    }

    /// Its outbox, its settings and the caches that the configuration opens are its own. What was
    /// opened for the sake of a pattern is not: the pattern may be narrower.
    fn is_granted(&self, path: &Path) -> bool {
        let apart = |open: &&std::path::PathBuf| {
            let below = open.strip_prefix(self.root).ok().and_then(Path::to_str);
            below.is_none_or(|below| !self.holds_a_pattern(below))
        };
        self.granted.writable.iter().filter(apart).any(|open| path.starts_with(open))
    }

    fn holds_a_pattern(&self, below: &str) -> bool {
        use crate::attempt::globs::Named::{Directory, Path as Exactly};
        let places = Globs::new(self.writes).places();
        places.iter().any(|place| match place {
            Directory(path) | Exactly(path) => Path::new(path).starts_with(below),
        })
    }

    fn was_open(&self, path: &Path) -> bool {
        let below = |paths: &[std::path::PathBuf]| paths.iter().any(|open| path.starts_with(open));
        let Sandbox { writable, closed, .. } = self.granted;
        match self.applied {
            Applied::Whole { .. } => below(writable) && !below(closed),
            Applied::Partly { missing: Missing::ClosedPaths, .. } => below(writable),
            Applied::Partly { missing: Missing::Rights, .. }
            | Applied::Unavailable { .. }
            | Applied::Off => true,
        }
    }
}

/// The reason of the failure.
pub fn told(strays: &[String], lang: Lang) -> String {
    let named: Vec<String> =
        strays.iter().take(NAMED).map(|path| visible(path).into_owned()).collect();
    let paths = named.join(", ");
    match strays.len().saturating_sub(NAMED) {
        0 => strayed(lang, paths),
        more => strayed(lang, and_more(lang, paths, more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::SandboxMode;

    fn strays(writes: &[&str], writable: &[&str], applied: &Applied, changed: &[&str]) -> String {
        let writes: Vec<String> = writes.iter().map(|glob| (*glob).to_owned()).collect();
        let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
        let granted = Sandbox {
            mode: SandboxMode::Off,
            writable: writable.iter().map(Into::into).collect(),
            closed: vec!["/p/.brain".into(), "/p/.git".into()],
            hidden: Vec::new(),
            room: None,
        };
        let walls = Walls {
            root: Path::new("/p"),
            writes: &writes,
            granted: &granted,
            applied,
            protected: &[Path::new("/p/.brain"), Path::new("/p/.git")],
        };
        walls.strays(&changed).join(" ")
    }

    const CHANGED: &[&str] = &["src/a", "docs/b", ".brain/plan.json", ".git/hooks/x"];

    #[test]
    fn without_a_sandbox_everything_but_the_named_is_a_stray() {
        assert_eq!(strays(&[], &[], &Applied::Off, CHANGED), CHANGED.join(" "));
        let found = strays(&["src/**"], &[], &Applied::Off, CHANGED);
        assert_eq!(found, "docs/b .brain/plan.json .git/hooks/x");
        assert_eq!(strays(&["**"], &[], &Applied::Off, CHANGED), ".brain/plan.json .git/hooks/x");
    }

    #[test]
    fn what_the_sandbox_held_shut_was_somebody_else() {
        let whole = Applied::Whole { abi: 6 };
        assert_eq!(strays(&["src/**"], &["/p/src"], &whole, CHANGED), "");
        assert_eq!(strays(&["*.md"], &["/p"], &whole, CHANGED), "src/a docs/b");
        let partly = Applied::Partly { abi: 6, missing: Missing::ClosedPaths };
        let found = strays(&["*.md"], &["/p"], &partly, CHANGED);
        assert_eq!(found, "src/a docs/b .brain/plan.json .git/hooks/x");
        let old = Applied::Partly { abi: 1, missing: Missing::Rights };
        assert_eq!(strays(&["src/**"], &["/p/src"], &old, &["docs/b"]), "docs/b");
    }

    #[test]
    fn caches_that_the_configuration_opens_are_no_strays() {
        let found = strays(&["src/**"], &["/p/src", "/p/target"], &Applied::Off, &["target/x"]);
        assert_eq!(found, "");
        let whole = Applied::Whole { abi: 6 };
        let found = strays(&["src/*.rs"], &["/p/src"], &whole, &["src/a.rs", "src/b.txt"]);
        assert_eq!(found, "src/b.txt");
    }

    #[test]
    fn a_directory_that_came_with_something_in_it_is_not_told_beside_it() {
        let changed = ["a", "a/x", "a/x/b.txt", "c", "c/d", "e"];
        assert_eq!(strays(&["a/*/b.txt"], &[], &Applied::Off, &changed), "c/d e");
    }

    #[test]
    fn many_strays_are_counted() {
        let many: Vec<String> = (0..8).map(|number| format!("f{number}")).collect();
        let told = told(&many, Lang::En);
        assert_eq!(told, "it changed what it may not: f0, f1, f2, f3, f4 and 3 more");
    }
}
