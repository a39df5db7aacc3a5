//! Committing for the user: hooks, the commit's object, the branch, the index.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{CommitPlan, Content, HookVerdict, Identity};

use super::RealWorkspace;
use super::branch_files::{Advance, Signature};
use super::config::Config;
use super::hooking::HookFiles;
use super::ignored_files::Next;
use super::index::{Entry, IndexImage, disk, object};
use super::objects::NewCommit;
use super::record::Opened;
use super::refs::Move;
use super::run::{Call, Git};
use super::scan::Difference;
use super::true_objects::OBJECTS;

/// What a commit runs.
pub(super) const HOOKS: [&str; 3] = ["pre-commit", "prepare-commit-msg", "commit-msg"];

/// The index that goes with a commit of one file.
#[derive(Debug)]
pub(super) struct Filed {
    tree: ObjectId,
    /// Its parent, and itself.
    commit: Option<(ObjectId, ObjectId)>,
    /// The user's index that it was made from, and what follows.
    users: IndexImage,
    next: IndexImage,
}

impl Filed {
    fn follows(&self, users: &IndexImage, from: &ObjectId, to: &ObjectId) -> bool {
        let known = self.commit.as_ref().map(|(parent, commit)| (parent, commit));
        known == Some((from, to)) && self.users.has_bytes_of(users)
    }
}

pub(super) fn signed_by<'g>(call: Call<'g>, name: &str, email: &str, date: &str) -> Call<'g> {
    call.variable("GIT_AUTHOR_NAME", name)
        .variable("GIT_AUTHOR_EMAIL", email)
        .variable("GIT_AUTHOR_DATE", date)
        .variable("GIT_COMMITTER_NAME", name)
        .variable("GIT_COMMITTER_EMAIL", email)
        .variable("GIT_COMMITTER_DATE", date)
}

fn file_entry(path: &str, object: ObjectId) -> Entry {
    let (path, mode) = (path.as_bytes().to_vec(), "100644".to_owned());
    Entry { path, mode, object: Some(object) }
}

fn is_executable(file: &fs::Metadata) -> bool {
    file.permissions().mode() & 0o111 != 0
}

impl Config {
    /// Who commits for the user.
    pub(super) fn signature(&self) -> Signature<'_> {
        let user = self.user.as_ref();
        user.map_or(("hast", "hast@localhost"), |(name, email)| (name, email))
    }
}

impl Git {
    /// The commit of a plan with this tree; the same one each time. `users` is who the user is.
    pub(super) fn planned_commit(
        &self,
        plan: &CommitPlan,
        tree: &ObjectId,
        users: Signature<'_>,
    ) -> Result<ObjectId, GitProblem> {
        let (name, email) = match &plan.identity {
            Identity::Named { name, email } => (name.as_str(), email.as_str()),
            Identity::Users => users,
        };
        let (parents, message) = ([&plan.parent], plan.message.as_str());
        let commit = NewCommit { tree, parents: &parents, name, email, at: plan.at, message };
        let signing = match &plan.identity {
            Identity::Users => self.overrides.signing.as_ref(),
            Identity::Named { .. } => None,
        };
        let stored = match signing {
            Some(signing) => Some(self.sign(signing, commit.text().as_bytes())?),
            None => self.store_commit(&commit),
        };
        match stored {
            Some(commit) => Ok(commit),
            None => {
                let date = format!("@{} +0000", plan.at.instant().as_second());
                let call = self.call(["commit-tree", tree.as_str(), "-p"]);
                let call = call.args([plan.parent.as_str()]).synced();
                let call = call.input(plan.message.clone().into_bytes());
                object(&signed_by(call, name, email, &date).line()?)
            }
        }
    }
}

impl RealWorkspace {
    /// The tree that a plan would commit.
    fn planned_tree(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let path = match &plan.content {
            Content::Tree(tree) => return Ok(tree.clone()),
            Content::Text { path, text } => {
                let call = self.git.call(["hash-object", "-w", "--stdin", "--no-filters"]).synced();
                let object = object(&call.input(text.clone().into_bytes()).line()?)?;
                return self.tree_with(&plan.parent, &file_entry(path, object));
            }
            Content::File { path } => path,
        };
        self.nothing_under_way()?;
        if let Some(tree) = self.tree_from_parents_index(plan, path) {
            return Ok(tree);
        }
        let call = self.git.call(["hash-object", "-w", "--path", path, "--", path]).synced();
        let entry = file_entry(path, object(&call.line()?)?);
        if let Some(tree) = self.tree_by_users_index(plan, &entry) {
            return Ok(tree);
        }
        self.tree_with(&plan.parent, &entry)
    }

    /// The tree of a commit with one entry changed.
    fn tree_with(&mut self, commit: &ObjectId, entry: &Entry) -> Result<ObjectId, GitProblem> {
        let index = self.scratch.index(None)?;
        self.git.read_tree(&index, commit)?;
        self.git.set_entries(&index, std::slice::from_ref(entry))?;
        self.git.write_tree(&index)
    }

    /// Mostly the user's index has just what the parent has. Then it takes the file in, and nothing
    /// else needs to be read.
    fn tree_from_parents_index(&mut self, plan: &CommitPlan, path: &str) -> Option<ObjectId> {
        let users = IndexImage::of_user(&self.git).ok()??;
        let before = self.git.entries(&users)?;
        let parents = self.git.tree_in_loose(&plan.parent)?;
        let file = fs::symlink_metadata(self.git.place.at(path.as_bytes())).ok()?;
        if self.git.store_tree(&before)? != parents || !file.is_file() || is_executable(&file) {
            return None;
        }
        let next = match self.index_with_file(&users, path) {
            Some(next) => next,
            None => {
                let index = self.scratch.index(Some(&users)).ok()?;
                let aside = self.scratch.aside(OBJECTS);
                self.git.take_in(&index, &[path.as_bytes()], &aside).ok()?;
                index.image().ok()?
            }
        };
        let after = self.git.entries(&next)?;
        let differences = before.differences(&after)?;
        let [only] = &differences[..] else { return None };
        if only.path != path.as_bytes() || only.new_mode != "100644" {
            return None;
        }
        let tree = self.git.store_tree(&after)?;
        self.filed = Some(Filed { tree: tree.clone(), commit: None, users: users.clone(), next });
        Some(tree)
    }

    /// Mostly the user's index has what the parent has. Then nothing needs to be read again, and
    /// what comes out is the user's next index. Whether it was so shows in the tree.
    fn tree_by_users_index(&mut self, plan: &CommitPlan, entry: &Entry) -> Option<ObjectId> {
        let users = IndexImage::of_user(&self.git).ok()??;
        let index = self.scratch.index(Some(&users)).ok()?;
        self.git.set_entries(&index, std::slice::from_ref(entry)).ok()?;
        let tree = self.git.write_tree(&index).ok()?;
        let differences = self.git.diff(&plan.parent, &tree).ok()?;
        let [only] = &differences[..] else { return None };
        if only.path != entry.path || only.new != entry.object || only.new_mode != entry.mode {
            return None;
        }
        let next = index.image().ok()?;
        self.filed = Some(Filed { tree: tree.clone(), commit: None, users, next });
        Some(tree)
    }

    pub(super) fn build_commit(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let tree = self.planned_tree(plan)?;
        let commit = self.git.planned_commit(plan, &tree, self.config.signature())?;
        if let Some(filed) = self.filed.as_mut().filter(|filed| filed.tree == tree) {
            filed.commit = Some((plan.parent.clone(), commit.clone()));
        }
        Ok(commit)
    }

    pub(super) fn hooks(
        &mut self,
        plan: &CommitPlan,
        base: &Base,
    ) -> Result<HookVerdict, GitProblem> {
        // Tests ran since the attempt was inspected: the hooks must be the user's.
        let opened = self.opened(base)?;
        self.back_before_a_commit(base, &opened)?;
        if let Some(verdict) = self.no_longer_judged(base, plan)? {
            return Ok(verdict);
        }
        let ignored = self.give_back_ignored(base.key(), Next::Commit);
        if !HOOKS.iter().any(|hook| self.hooks_directory().join(hook).symlink_metadata().is_ok()) {
            return Ok(HookVerdict::Passed { message: plan.message.clone(), ignored });
        }
        let asked = self.ask_hooks(plan);
        // What they run lies in the tree, and an agent was there: they are looked after as the tests are.
        self.mend()?;
        let strays = self.back_before_a_commit(base, &opened)?;
        let ignored = self.give_back_ignored(base.key(), Next::Hooked);
        if let Some(verdict) = self.no_longer_judged(base, plan)? {
            return Ok(verdict);
        }
        match asked? {
            Ok(_) if !strays.is_empty() => Ok(HookVerdict::Strayed { what: strays }),
            Ok(message) => Ok(HookVerdict::Passed { message, ignored }),
            Err(verdict) => Ok(verdict),
        }
    }

    /// Everything as it was recorded that is not what was judged. Says which refs, and what else of git's
    /// own, were not.
    fn back_before_a_commit(
        &mut self,
        base: &Base,
        opened: &Opened,
    ) -> Result<Vec<String>, GitProblem> {
        self.guard(base, opened)?;
        self.nested_away(base, opened)?;
        self.end_operations(base, opened)?;
        let mut strays: Vec<String> =
            std::mem::take(&mut self.mended).iter().map(ToString::to_string).collect();
        strays.extend(self.refs_back(base, opened)?);
        Ok(strays)
    }

    /// Where objects of what was judged were replaced since, and their files cannot make them true again.
    fn no_longer_judged(
        &self,
        base: &Base,
        plan: &CommitPlan,
    ) -> Result<Option<HookVerdict>, GitProblem> {
        let Content::Tree(tree) = &plan.content else { return Ok(None) };
        let seen = self.latest.as_ref();
        let judged = self.git.diff(base.tree(), seen.map_or(tree, |latest| &latest.tree))?;
        let what = self.true_again(&judged, &self.scratch.aside(base.key()))?;
        // What is written here is compared with what is there.
        if let Some(entries) = seen.and_then(|latest| self.git.entries(&latest.image)) {
            self.git.store_tree(&entries);
        }
        Ok((!what.is_empty()).then_some(HookVerdict::Strayed { what }))
    }

    /// What the hooks make of the message, or why nothing is to be committed.
    fn ask_hooks(&mut self, plan: &CommitPlan) -> Result<Result<String, HookVerdict>, GitProblem> {
        let tree = self.planned_tree(plan)?;
        let files = self.scratch.for_hooks(plan.message.as_bytes())?;
        let (index, message) = (&files.index, &files.message);
        self.git.read_tree(index, &tree)?;
        let file = message.path.as_os_str();
        let steps: [(&str, Vec<&std::ffi::OsStr>); 3] = [
            ("pre-commit", vec![]),
            ("prepare-commit-msg", vec![file, "message".as_ref()]),
            ("commit-msg", vec![file]),
        ];
        for (hook, args) in steps {
            if let Some(said) = self.refusal(hook, &args, &files)? {
                return Ok(Err(HookVerdict::Refused { hook: hook.to_owned(), said }));
            }
            if hook == "pre-commit" && self.git.write_tree(index)? != tree {
                return Ok(Err(HookVerdict::ChangedContent { hook: hook.to_owned() }));
            }
        }
        let text = fs::read(&message.path).map_err(|error| disk(&message.path, error))?;
        Ok(Ok(String::from_utf8_lossy(&text).into_owned()))
    }

    fn hooks_directory(&self) -> PathBuf {
        let usual = || self.git.place.common_dir.join("hooks");
        self.config.hooks_path.clone().unwrap_or_else(usual)
    }

    /// What a hook says when it refuses; none if it passes or is not there.
    fn refusal(
        &self,
        hook: &str,
        args: &[&std::ffi::OsStr],
        files: &HookFiles,
    ) -> Result<Option<String>, GitProblem> {
        let directory = self.hooks_directory();
        if !directory.join(hook).exists() {
            return Ok(None);
        }
        let path = directory.display().to_string();
        let call = self.git.call(["hook", "run", "--ignore-missing", hook, "--"]).args(args);
        let call = call.index(&files.index.path).setting("core.hooksPath", &path);
        self.ask_hook(call, files)
    }

    pub(super) fn advance_branch(
        &mut self,
        branch: &str,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<(), GitProblem> {
        self.scene = None;
        let step = Advance { branch, from, to };
        if self.git.advance_in_files(step, &self.scratch, self.config.signature()).is_none() {
            let (name, expected) = (branch.to_owned(), Some(from.clone()));
            match self.git.move_refs(&[Move { name, from: expected, to: Some(to.clone()) }]) {
                // It was done before.
                Err(GitProblem::Moved { found: Some(found), .. }) if found == *to => {}
                other => other?,
            }
        }
        let here = super::refs::HeadNow::Branch(branch.to_owned());
        if branch == "HEAD" || self.git.head()? == here {
            self.index_follows(from, to)?;
        }
        self.latest = None;
        self.inspected = None;
        self.let_go_of_ignored();
        self.forget_included();
        Ok(())
    }

    /// The user's index as it was at the start, with what was committed since.
    pub(super) fn index_follows(
        &mut self,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<(), GitProblem> {
        let start = self.inspected.as_ref().zip(self.opened.as_ref());
        let start = start.filter(|(base, opened)| opened.id == *base.snapshot());
        if let Some(next) = start.and_then(|(base, opened)| self.judged_index(base, opened, to)) {
            return next.install(&self.git, &self.scratch);
        }
        let known =
            start.and_then(|(base, opened)| Some((opened.users.clone()?, base.commit().clone())));
        let (image, since) = match known {
            Some(known) => known,
            None => match IndexImage::of_user(&self.git)? {
                Some(image) => match self.filed.take() {
                    Some(filed) if filed.follows(&image, from, to) => {
                        return filed.next.install(&self.git, &self.scratch);
                    }
                    _ => (image, from.clone()),
                },
                None => return self.index_anew(to),
            },
        };
        let index = self.scratch.index(Some(&image))?;
        let differences = self.git.diff(&since, to)?;
        let entries: Vec<Entry> = differences.iter().map(Difference::new_entry).collect();
        // An index that git cannot read takes no entries.
        let mut taken = self.git.set_entries(&index, &entries);
        if taken.is_ok() && entries.is_empty() {
            taken = self.git.listed().map(|_| ());
        }
        match taken {
            Ok(()) => index.image()?.install(&self.git, &self.scratch),
            // It was not asked.
            Err(problem) if problem.is_everybodys() => Err(problem),
            Err(_) => self.index_anew(to),
        }
    }

    /// The index of the inspection, where it is the user's with just what the commit brings.
    fn judged_index(&self, base: &Base, opened: &Opened, to: &ObjectId) -> Option<&IndexImage> {
        let latest = self.latest.as_ref()?;
        let flags = &opened.snapshot.flags;
        let as_the_users = opened.users.as_ref()?.has_bytes_of(opened.image.as_ref()?)
            && flags.assumed.is_empty()
            && flags.skipped.is_empty();
        let as_committed = self.git.tree_in_loose(base.commit())? == *base.tree()
            && self.git.tree_in_loose(to)? == latest.tree;
        (as_the_users && as_committed).then_some(&latest.image)
    }

    fn index_anew(&self, commit: &ObjectId) -> Result<(), GitProblem> {
        let index = self.scratch.index(None)?;
        self.git.read_tree(&index, commit)?;
        index.image()?.install(&self.git, &self.scratch)
    }
}
