//! Looks at files of a root for whoever decides: which are there, how large, and how they begin.
//! What leads out of the root is not there.

use std::path::Path;

use hast_flow::steps::{EffectResult, Scan, Scanned};
use hast_flow::store::DocPath;

use crate::files::read_open;
use crate::root_path::RootPath;

/// More files are not looked at: whoever asked is told so.
const MOST_FILES: usize = 50_000;

/// Looks at what was asked for, in the order of names.
pub fn perform(root: &Path, scan: &Scan) -> EffectResult {
    EffectResult::Scan(look(root, scan))
}

fn look(root: &Path, scan: &Scan) -> Result<Vec<Scanned>, String> {
    let root = RootPath::new(root).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for path in &scan.paths {
        let place = root.join(path.as_str());
        if !place.exists() {
            continue;
        }
        if !place.is_dir() {
            found.extend(scanned(&root, &place, scan.head));
            continue;
        }
        let mut trouble = None;
        place.walk(&mut |file| match file {
            Ok(file) if found.len() < MOST_FILES => found.extend(scanned(&root, file, scan.head)),
            Ok(_) => {
                trouble.get_or_insert_with(|| format!("{path}: more than {MOST_FILES} files"));
            }
            Err(error) => {
                trouble.get_or_insert_with(|| error.to_string());
            }
        });
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
    }
    Ok(found)
}

/// A file, if it is one and stays in the repository.
fn scanned(root: &RootPath, file: &RootPath, head: usize) -> Option<Scanned> {
    let path = DocPath::new(file.strip_prefix(root.as_path()).ok()?.to_str()?).ok()?;
    let opened = file.open_file().ok()?;
    let size = opened.metadata().ok()?.len();
    let mut bytes = if head == 0 { Vec::new() } else { read_open(opened, head).ok()? };
    bytes.truncate(head);
    Some(Scanned { path, size, head: bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(result: &Result<Vec<Scanned>, String>) -> Vec<String> {
        result.as_ref().unwrap().iter().map(|file| file.path.to_string()).collect()
    }

    #[test]
    fn files_and_directories_are_looked_at_and_what_leaves_the_root_is_not_there() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (file, text) in [("assets/b/x.csv", "abcdef"), ("assets/a.md", "한글"), ("top", "1")]
        {
            let path = RootPath::new(root.path()).unwrap().join(file);
            path.create(text.as_bytes()).unwrap();
        }
        let secret = RootPath::new(other.path()).unwrap().join("secret");
        secret.create(b"s").unwrap();
        std::os::unix::fs::symlink(&secret, root.path().join("assets/link")).unwrap();
        std::os::unix::fs::symlink("a.md", root.path().join("assets/inside")).unwrap();
        let path = |text: &str| DocPath::new(text).unwrap();
        let paths = vec![path("assets"), path("none"), path("top")];
        let found = look(root.path(), &Scan { paths, head: 3 });
        assert_eq!(names(&found), ["assets/a.md", "assets/inside", "assets/b/x.csv", "top"]);
        let found = found.unwrap();
        assert_eq!((found[2].size, found[2].head.as_slice()), (6, &b"abc"[..]));
    }
}
