//! Whether a symbolic link leads out of the work tree, by its text and by where it really leads.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use super::place::Place;

/// A link to an absolute path leaves, wherever that is: a clone would be somewhere else.
pub(super) fn leaves(place: &Place, path: &[u8], target: &[u8]) -> bool {
    let target = Path::new(OsStr::from_bytes(target));
    let mut parts: Vec<&OsStr> = path.split(|byte| *byte == b'/').map(OsStr::from_bytes).collect();
    parts.pop();
    for component in target.components() {
        match component {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::CurDir => {}
            Component::ParentDir => {
                if parts.pop().is_none() {
                    return true;
                }
            }
            Component::Normal(name) => parts.push(name),
        }
    }
    let into_git = parts.first().is_some_and(|first| first.eq_ignore_ascii_case(".git"));
    let real = place.at(path).canonicalize();
    let outside = real.is_ok_and(|real| {
        !real.starts_with(&place.top)
            || real.starts_with(&place.git_dir)
            || real.starts_with(&place.common_dir)
    });
    into_git || outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_as_long_as_its_text_and_its_end_do() {
        let place = Place {
            top: "/nowhere/top".into(),
            git_dir: "/nowhere/top/.git".into(),
            common_dir: "/nowhere/top/.git".into(),
        };
        let cases: [(&[u8], &[u8], bool); 7] = [
            (b"a/link", b"../b", false),
            (b"a/link", b"../../b", true),
            (b"link", b"..", true),
            (b"link", b"/etc/passwd", true),
            (b"link", b".git/config", true),
            (b"a/b/link", b"./../x/../y", false),
            (b"a/link", b"../.GIT/hooks", true),
        ];
        for (path, target, wanted) in cases {
            let target_text = String::from_utf8_lossy(target);
            assert_eq!(leaves(&place, path, target), wanted, "{target_text}");
        }
    }
}
