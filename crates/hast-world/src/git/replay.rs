//! Finished work once more on top of where the user's branch is now, commit by commit, without any file.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::Replay;

use super::in_the_way::NAMED;
use super::index::object;
use super::paths::shown;
use super::run::Git;

impl Git {
    /// The commits since `base` on top of `onto`, one by one; where there are merges among them, all
    /// of them as one.
    pub(super) fn replay(
        &self,
        base: &ObjectId,
        head: &ObjectId,
        onto: &ObjectId,
    ) -> Result<Replay, GitProblem> {
        if base == onto {
            return Ok(Replay::Done { commit: head.clone(), tree: self.tree_of(head)? });
        }
        let range = format!("{base}..{head}");
        let call = self.call(["rev-list", "--reverse", "--topo-order", "--parents"]);
        let lines = call.args([range.as_str()]).run()?;
        let text = String::from_utf8_lossy(&lines);
        let mut steps: Vec<(ObjectId, ObjectId)> = Vec::new();
        let mut linear = true;
        for line in text.lines() {
            let ids: Vec<&str> = line.split(' ').collect();
            match ids[..] {
                [commit, parent] => steps.push((object(parent)?, object(commit)?)),
                _ => linear = false,
            }
        }
        if !linear {
            steps = vec![(base.clone(), head.clone())];
        }
        let mut tip = onto.clone();
        let mut tree = self.tree_of(onto)?;
        for (parent, commit) in &steps {
            match self.merged_tree(parent, &tip, commit)? {
                Err(paths) => return Ok(Replay::Conflict { paths }),
                // The same change is there already.
                Ok(merged) if merged == tree => {}
                Ok(merged) => {
                    tip = self.commit_like(commit, &merged, &tip)?;
                    tree = merged;
                }
            }
        }
        Ok(Replay::Done { commit: tip, tree })
    }

    /// The tree of a three-way merge, or the paths that conflict.
    pub(super) fn merged_tree(
        &self,
        base: &ObjectId,
        ours: &ObjectId,
        theirs: &ObjectId,
    ) -> Result<Result<ObjectId, Vec<String>>, GitProblem> {
        let call = self.call(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]);
        let call = call.fetching();
        let base = format!("--merge-base={base}");
        let call = call.args([base.as_str(), ours.as_str(), theirs.as_str()]).synced();
        let output = call.output()?;
        let mut parts = output.stdout.split(|byte| *byte == 0);
        let tree = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        match output.code {
            Some(0) => object(&tree).map(Ok),
            Some(1) => {
                let named = parts.filter(|path| !path.is_empty()).map(shown);
                Ok(Err(named.take(NAMED).collect()))
            }
            _ => {
                let (command, said) = ("merge-tree".to_owned(), output.said());
                Err(GitProblem::Refused { command, said })
            }
        }
    }

    /// A commit with the author, the dates and the words of another one; its signature would not fit
    /// any more, and where the user signs it gets theirs. The same each time.
    fn commit_like(
        &self,
        commit: &ObjectId,
        tree: &ObjectId,
        parent: &ObjectId,
    ) -> Result<ObjectId, GitProblem> {
        let bytes = self.call(["cat-file", "commit", commit.as_str()]).run()?;
        let raw = rewritten(&bytes, tree, parent);
        if let Some(signing) = &self.overrides.signing {
            return self.sign(signing, &raw);
        }
        let call = self.call(["hash-object", "-t", "commit", "-w", "--stdin", "--no-filters"]);
        object(&call.synced().input(raw).line()?)
    }
}

/// The bytes of a commit with another tree and parent, and without signatures.
fn rewritten(commit: &[u8], tree: &ObjectId, parent: &ObjectId) -> Vec<u8> {
    let mut out = format!("tree {tree}\nparent {parent}\n").into_bytes();
    let end = commit.windows(2).position(|two| two == b"\n\n").unwrap_or(commit.len());
    let mut dropping = false;
    for line in commit[..end].split(|byte| *byte == b'\n') {
        // A header that goes on has a space in front.
        if !line.starts_with(b" ") {
            let word = line.split(|byte| *byte == b' ').next().unwrap_or_default();
            let gone: [&[u8]; 5] = [b"tree", b"parent", b"gpgsig", b"gpgsig-sha256", b"mergetag"];
            dropping = gone.contains(&word);
        }
        if !dropping {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
    out.extend_from_slice(&commit[(end + 1).min(commit.len())..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_keeps_its_words_and_loses_its_signature() {
        let id = |digit: &str| digit.repeat(40).parse::<ObjectId>().unwrap();
        let commit = b"tree 1\nparent 2\nauthor A <a> 1 +0000\ncommitter B <b> 2 +0000\n\
                       gpgsig -----BEGIN\n more\n -----END\nencoding latin1\n\nwords\n\nmore \xe9\n";
        let expected = format!(
            "tree {}\nparent {}\nauthor A <a> 1 +0000\ncommitter B <b> 2 +0000\nencoding latin1\n\n",
            id("a"),
            id("b")
        );
        let expected = [expected.as_bytes(), b"words\n\nmore \xe9\n"].concat();
        assert_eq!(rewritten(commit, &id("a"), &id("b")), expected);
    }
}
