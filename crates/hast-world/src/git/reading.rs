//! Files of a recorded tree, as git keeps them. The work tree is not looked at.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::TreeFile;

use super::run::Git;

impl Git {
    pub(super) fn files_of(
        &self,
        tree: &ObjectId,
        paths: &[String],
    ) -> Result<Vec<TreeFile>, GitProblem> {
        // One name a line: a name with a line break cannot be asked for, and is not there.
        let (asked, never): (Vec<&String>, Vec<&String>) =
            paths.iter().partition(|path| !path.contains(['\n', '\0']) && !path.is_empty());
        let absent = |path: &String| TreeFile { path: path.clone(), bytes: None };
        let mut files: Vec<TreeFile> = never.into_iter().map(absent).collect();
        if asked.is_empty() {
            return Ok(files);
        }
        let names: String = asked.iter().map(|path| format!("{tree}:{path}\n")).collect();
        let printed = self.call(["cat-file", "--batch"]).input(names.into_bytes()).run()?;
        let mut rest = &printed[..];
        for path in asked {
            let (bytes, after) = entry(rest).ok_or_else(|| lost(tree))?;
            rest = after;
            files.push(TreeFile { path: path.clone(), bytes });
        }
        Ok(files)
    }
}

fn lost(tree: &ObjectId) -> GitProblem {
    GitProblem::Lost { what: tree.to_string() }
}

/// The first answer of a batch and what follows it. Only files count: not directories, not
/// submodules.
fn entry(printed: &[u8]) -> Option<(Option<Vec<u8>>, &[u8])> {
    let end = printed.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = (std::str::from_utf8(&printed[..end]).ok(), &printed[end + 1..]);
    let words: Vec<&str> = line.map(|line| line.rsplitn(3, ' ').collect()).unwrap_or_default();
    let [size, kind, _] = words[..] else { return Some((None, rest)) };
    let Ok(size) = size.parse::<usize>() else { return Some((None, rest)) };
    let bytes = rest.get(..size)?;
    let after = rest.get(size + 1..)?;
    Some(((kind == "blob").then(|| bytes.to_vec()), after))
}
