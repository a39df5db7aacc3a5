//! A patch is checked before git reads it. Its size is bounded, and nothing in it may grow when it
//! is unpacked. The paths that it touches are taken from git's result and not from the text of the
//! patch.

/// The longest patch that is taken. More than this is a branch.
pub const MOST_BYTES: usize = 16 << 20;
/// What one binary file of a patch may unpack to, and all of them.
const MOST_LITERAL: u64 = 64 << 20;
const MOST_UNPACKED: u64 = 256 << 20;

/// Why a patch is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// A few bytes of a delta may stand for any amount of an existing file.
    Delta,
    Other(String),
}

/// What stands against a patch; nothing where it is taken.
pub fn objection(patch: &str) -> Option<Objection> {
    let other = |why: String| Some(Objection::Other(why));
    if patch.len() > MOST_BYTES {
        return other(format!("{} bytes, at most {MOST_BYTES}", patch.len()));
    }
    if !patch.lines().any(|line| line.starts_with("diff --git ")) {
        return other("no line begins with `diff --git`".to_owned());
    }
    let mut unpacked: u64 = 0;
    let mut binary = false;
    for line in patch.lines() {
        // Only there does a size stand alone; in a text hunk such a line has a sign in front.
        if line == "GIT binary patch" {
            binary = true;
        } else if line.starts_with("diff --git ") {
            binary = false;
        }
        if !binary {
            continue;
        }
        if line.starts_with("delta ") {
            return Some(Objection::Delta);
        }
        if let Some(text) = line.strip_prefix("literal ") {
            // Git reads a number as far as it is one: `19x` and ` -1` are sizes to it.
            let plain = text.bytes().all(|byte| byte.is_ascii_digit());
            let size = text.parse::<u64>().ok().filter(|_| plain);
            let Some(size) = size else {
                return other(format!("a binary file of `{text}` bytes"));
            };
            unpacked = unpacked.saturating_add(size);
            if size > MOST_LITERAL || unpacked > MOST_UNPACKED {
                return other(format!("a binary file of {size} bytes"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_bounded_before_and_after_it_is_unpacked() {
        let head = "diff --git a/x b/x\n";
        let binary = format!("{head}GIT binary patch\n");
        for fine in [
            format!("{head}--- a/x\n+++ b/x\n@@ -1 +1 @@\n-literal 99999999999\n+delta 1\n"),
            format!("{binary}literal 10\nabc\n\nliteral 0\n\n"),
            format!("From: somebody\n\n{head}"),
        ] {
            assert_eq!(objection(&fine), None, "{fine}");
        }
        for wrong in [
            String::new(),
            "--- a/x\n+++ b/x\n".to_owned(),
            format!("{binary}literal 99999999999\n"),
            format!("{binary}delta 10\n"),
            format!("{binary}delta 19x\n"),
            format!("{binary}delta  +19\n"),
            format!("{binary}literal 19x\n"),
            format!("{binary}literal +19\n"),
            format!("{binary}literal \n"),
            format!("{binary}{}", "literal 60000000\n\n".repeat(5)),
            format!("{head}{}", " ".repeat(MOST_BYTES)),
        ] {
            assert!(objection(&wrong).is_some(), "{}", &wrong[..wrong.len().min(80)]);
        }
    }
}
