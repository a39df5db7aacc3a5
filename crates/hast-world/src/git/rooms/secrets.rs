//! Values of secrets that an agent was given, in what it left: found in files, handoffs and commits, and
//! taken out of everything that is saved.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;

use super::super::diff::{Difference, parse_raw};
use super::super::index::{Entry, ScratchFile, object};
use super::super::paths::repo_path;
use super::saving::FoundWork;
use super::{RealRooms, Room, remove_any};

/// Changed files that have the value of a secret, each with the secret's variable.
type Leaks = Vec<(Difference, String)>;

impl RealRooms {
    /// What a judge is told about secrets in the work.
    pub(super) fn tell_leaks(&self, room: &Room, found: &mut Inspection) -> Result<(), GitProblem> {
        let files = self.leaks(room, &found.tree)?;
        let files = files.into_iter().map(|(one, variable)| (repo_path(&one.path), variable));
        let history = self.leak_in_history(room, &found.head)?;
        let history = history.map(|variable| (RepoPath("git log".into()), variable));
        // Handoffs are read by path, also where git ignores them.
        let handoffs = found.handoffs.iter().filter_map(|file| {
            let variable = self.secrets.find(file.bytes.as_ref().ok()?)?;
            Some((RepoPath(file.name.as_str().into()), variable.to_owned()))
        });
        let mut all: Vec<(RepoPath, String)> = files.chain(history).collect();
        let known = |path: &RepoPath, all: &[(RepoPath, String)]| {
            all.iter().any(|(known, _)| known.name() == path.name())
        };
        for (path, variable) in handoffs {
            if !known(&path, &all) {
                all.push((path, variable));
            }
        }
        let breach = |(path, variable)| Breach::SecretWritten { path, variable };
        found.breaches.splice(0..0, all.into_iter().map(breach));
        Ok(())
    }

    /// The work without the values of secrets. Commits of the agent that have one are left out of what is saved.
    pub(super) fn redacted(&self, room: &Room, work: FoundWork) -> Result<FoundWork, GitProblem> {
        let leaks = self.leaks(room, &work.tree)?;
        let in_history = self.leak_in_history(room, &work.head)?.is_some();
        if leaks.is_empty() && !in_history {
            return Ok(work);
        }
        let mut entries: Vec<Entry> = Vec::new();
        for (one, _) in &leaks {
            let Some(new) = &one.new else { continue };
            let bytes = self.git.call(["cat-file", "blob", new.as_str()]).run()?;
            let call = self.git.call(["hash-object", "-w", "--stdin", "--no-filters"]).synced();
            let clean = object(&call.input(self.secrets.bytes(&bytes)).line()?)?;
            entries.push(Entry { object: Some(clean), ..one.new_entry() });
        }
        let index = ScratchFile { path: room.trusted().join("redacting") };
        remove_any(&index.path)?;
        self.git.read_tree(&index, &work.tree)?;
        self.git.set_entries(&index, &entries)?;
        let tree = self.git.write_tree(&index)?;
        Ok(FoundWork { tree, head: room.base().clone(), ..work })
    }

    fn leaks(&self, room: &Room, tree: &ObjectId) -> Result<Leaks, GitProblem> {
        let mut leaks = Vec::new();
        if self.secrets.is_empty() || !self.differs_by_a_secret(room, tree)? {
            return Ok(leaks);
        }
        let diff = ["diff-tree", "-r", "-z", "--no-renames", room.base().as_str(), tree.as_str()];
        for one in parse_raw(&self.git.call(diff).run()?)? {
            let is_file = one.new_mode.starts_with("10") || one.new_mode.starts_with("12");
            let Some(new) = one.new.as_ref().filter(|_| is_file) else { continue };
            let Some(variable) = self.secret_in(new)? else { continue };
            // It stood there before the work.
            let old = one.old.as_ref().filter(|_| one.old_mode.starts_with('1'));
            let before = old.map(|old| self.secret_in(old)).transpose()?.flatten();
            if before.as_ref() != Some(&variable) {
                leaks.push((one, variable));
            }
        }
        Ok(leaks)
    }

    /// One look at everything that differs: mostly there is nothing to find.
    fn differs_by_a_secret(&self, room: &Room, tree: &ObjectId) -> Result<bool, GitProblem> {
        let [base, tree] = [room.base(), tree].map(ObjectId::as_str);
        let plain = ["--text", "--no-ext-diff", "--no-textconv", "--no-renames"];
        let call = self.git.call(["diff-tree", "-r", "-p"]).args(plain).args([base, tree]);
        Ok(self.secrets.find(&without_signs(&call.run()?)).is_some())
    }

    /// The variable whose value stands in one of the agent's own commits, or in its message.
    fn leak_in_history(&self, room: &Room, head: &ObjectId) -> Result<Option<String>, GitProblem> {
        if self.secrets.is_empty() || head == room.base() {
            return Ok(None);
        }
        let range = format!("{}..{head}", room.base());
        let plain = ["--text", "--no-ext-diff", "--no-textconv", "--no-renames"];
        let call = self.git.call(["log", "-p", "--format=%B"]).args(plain).args([range.as_str()]);
        let told = without_signs(&call.run()?);
        Ok(self.secrets.find(&told).map(str::to_owned))
    }

    fn secret_in(&self, blob: &ObjectId) -> Result<Option<String>, GitProblem> {
        let bytes = self.git.call(["cat-file", "blob", blob.as_str()]).run()?;
        Ok(self.secrets.find(&bytes).map(str::to_owned))
    }
}

/// The added lines of a patch, without their signs: a secret may have several lines.
fn without_signs(patch: &[u8]) -> Vec<u8> {
    let lines = patch.split(|byte| *byte == b'\n');
    let added = lines.filter(|line| !line.starts_with(b"-") && !line.starts_with(b" "));
    let plain = added.map(|line| line.strip_prefix(b"+").unwrap_or(line));
    plain.collect::<Vec<_>>().join(&b'\n')
}

#[cfg(test)]
mod tests {
    use hast_flow::agents::redact::Redactor;

    use super::*;

    #[test]
    fn only_lines_that_a_patch_adds_are_looked_at() {
        let patch = b"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old secret\n+new\n+line\n kept secret\n";
        let plain = without_signs(patch);
        assert!(!plain.windows(6).any(|part| part == b"secret"));
        assert!(plain.windows(8).any(|part| part == b"new\nline"));
        let secrets = Redactor::new([("API_TOKEN", "new\nline")]);
        assert_eq!(secrets.find(&plain), Some("API_TOKEN"));
    }
}
