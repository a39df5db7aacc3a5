//! The judge's evidence from a room after an agent: changes against the base, protected files,
//! handoffs, and the agent's own commits. Nothing of the agent runs meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hast_flow::attempt::base::{Base, ObjectId, TreeRules};
use hast_flow::attempt::evidence::{Breach, Change, ChangeKind, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::{HandoffFile, Inspection};
use hast_flow::attempt::rooms::OwnCommits;

use super::super::diff::Difference;
use super::super::paths::{Matcher, repo_path, shown};
use super::super::place::At;
use super::change::{TreeNow, judged_index, links};
use super::saving::FoundWork;
use super::{RealRooms, Room, shown_files};
use crate::root_path::RootPath;

const LONGEST_HANDOFF: usize = 1 << 20;

impl RealRooms {
    /// Looks at what an agent left. Its git directory is kept apart; the tree gets a new one, at the
    /// base and with the index of the judged tree, for the tests and the hooks.
    pub(super) fn inspect_room(&self, room: &Room, base: &Base) -> Result<Inspection, GitProblem> {
        let rules = base.rules();
        self.take_git_away(room)?;
        self.undo_tests(room)?;
        let meant = self.committed_paths(room)?;
        let now = self.tree_now(room, rules, &meant)?;
        let changed: BTreeSet<&[u8]> = now.differences.iter().map(|one| &*one.path).collect();
        // A commit holds nothing that the judge does not see in the tree.
        let own = self.own_commits(room, &now.tree, &|path| changed.contains(path))?;
        let (head, squashed) = match own {
            OwnCommits::Linear(commits) => (commits.last().cloned(), None),
            OwnCommits::None => (None, None),
            OwnCommits::Squash(why) => (None, Some(why)),
        };
        let head = head.unwrap_or_else(|| room.base().clone());
        let noted = self.noted_work(room);
        let work = FoundWork {
            base: room.base().clone(),
            tree: now.tree.clone(),
            head: head.clone(),
            not_stored: now.not_stored.iter().map(|path| shown(path)).collect(),
            rewritten: noted.as_ref().and_then(|work| work.rewritten.clone()),
            taken_back: noted.map(|work| work.taken_back).unwrap_or_default(),
        };
        self.note_work(room, &work)?;
        if now.differences.iter().any(|one| is_attributes(&one.path)) {
            self.check_out_anew(room, &now.index)?;
        }
        self.make_private_git(room, &now.index)?;
        let hidden = self.newly_ignored(room, &now.differences, &meant)?;
        let (differences, absent) = (now.differences.clone(), now.absent.clone());
        let of_agent = self.changed_ignored(room)?;
        let mut found = self.evidence(room, rules, now, (&hidden, &of_agent), head)?;
        found.squashed = squashed;
        self.tell_leaks(room, &mut found)?;
        let back = self.restore_ignored(room, rules, &differences, (&absent, &of_agent))?;
        found.taken_back = work.taken_back.iter().cloned().chain(back).collect();
        found.taken_back.sort();
        found.taken_back.dedup();
        if found.taken_back != work.taken_back {
            let taken_back = found.taken_back.clone();
            self.note_work(room, &FoundWork { taken_back, ..work })?;
        }
        self.shade(room)?;
        Ok(found)
    }

    /// The files as git writes them by the attributes of the judged tree: those are the ones that the user will
    /// have, and not those that the agent wrote before it changed the attributes.
    fn check_out_anew(&self, room: &Room, index: &Path) -> Result<(), GitProblem> {
        let (git, from) = (self.git_of(room), room.trusted());
        let tracked = git.call(["ls-files", "-z", "-t"]).index(index).from(&from).run()?;
        let there = tracked.split(|byte| *byte == 0).filter_map(|line| line.strip_prefix(b"H "));
        let tree = room.files()?;
        for path in
            there.filter(|path| matches!(git.place.look_at(path), At::File { .. } | At::Link))
        {
            tree.named(path).remove()?;
        }
        let write = git.call(["checkout-index", "-a", "-f", "-u", "-q"]);
        write.index(index).from(&from).fetching().run().map(|_| ())
    }

    /// A process that died after an inspection may have run the tests: since then nobody else was in
    /// the room. The judged files are as they were, and what is new is gone.
    pub(super) fn undo_tests(&self, room: &Room) -> Result<(), GitProblem> {
        let Some(work) = self.noted_work(room) else { return Ok(()) };
        let (git, from, index) = (self.git_of(room), room.trusted(), judged_index(room)?);
        // The user's files are in the room as they are now, and the judged tree has them as the base does.
        let (tree, shown_paths) = (room.files()?, self.shown_paths(room));
        let of_user = shown_paths.iter().map(|path| tree.named(path));
        let of_user: Vec<(RootPath, Vec<u8>)> = of_user
            .filter_map(|at| Some((at.clone(), at.read_exact(shown_files::LONGEST).ok()?)))
            .collect();
        let judged = git.call(["read-tree", "-u", "--reset", work.tree.as_str()]).fetching();
        judged.index(&index).from(&from).run()?;
        for (at, bytes) in of_user {
            if at.read_exact(shown_files::LONGEST).ok().as_ref() != Some(&bytes) {
                at.make_way()?;
                at.put(&bytes)?;
            }
        }
        let begun = self.begun_paths(room);
        for path in self.new_by_base_rules(room, &index)? {
            let is_kept = shown_paths.contains(&path[..])
                || begun.contains(&path[..])
                || work.not_stored.contains(&shown(&path));
            if !is_kept {
                tree.named(&path).remove()?;
            }
        }
        Ok(())
    }

    /// New files that the attempt's own rules hide, and that the agent did not commit: they are judged and in
    /// no commit.
    fn newly_ignored(
        &self,
        room: &Room,
        differences: &[Difference],
        meant: &[Vec<u8>],
    ) -> Result<Vec<Difference>, GitProblem> {
        let own = ["ls-files", "-z", "-o", "-i", "--exclude-per-directory=.gitignore"];
        let git = self.git_of(room);
        let listed = git.call(own).index(&room.index()).from(&room.trusted()).run()?;
        let hidden: BTreeSet<&[u8]> = listed.split(|byte| *byte == 0).collect();
        let is_new = |one: &&Difference| one.old.is_none() && !meant.contains(&one.path);
        let new = differences.iter().filter(is_new);
        Ok(new.filter(|one| hidden.contains(&*one.path)).cloned().collect())
    }

    fn evidence(
        &self,
        room: &Room,
        rules: &TreeRules,
        mut now: TreeNow,
        (hidden, ignored): (&[Difference], &[Vec<u8>]),
        head: ObjectId,
    ) -> Result<Inspection, GitProblem> {
        let matcher = Matcher::new(rules);
        let commit_tree = self.without(room, &now.tree, hidden)?;
        let not_committed: Vec<RepoPath> = hidden.iter().map(|one| repo_path(&one.path)).collect();
        // A link that no commit has leads nobody anywhere.
        now.breaches.retain(|breach| match breach {
            Breach::SymlinkLeaves { path } => !not_committed.contains(path),
            _ => true,
        });
        let mut changes = self.changes_of(room, &matcher, &now)?;
        for change in changes.iter_mut().filter(|one| not_committed.contains(&one.path)) {
            change.kind = ChangeKind::NotCommitted;
        }
        Ok(Inspection {
            changes,
            links: links(&now.differences),
            protected: self.protected(room, &matcher, &now.differences, ignored)?,
            handoffs: self.new_handoffs(room, rules, &now.differences)?,
            others: Vec::new(),
            squashed: None,
            taken_back: Vec::new(),
            not_committed,
            breaches: now.breaches,
            uncommitted: self.git.tree_of(&head)? != commit_tree,
            head,
            commit_tree,
            tree: now.tree,
        })
    }

    /// Every path that differs from the base, but handoffs.
    fn changes_of(
        &self,
        room: &Room,
        matcher: &Matcher<'_>,
        now: &TreeNow,
    ) -> Result<Vec<Change>, GitProblem> {
        let git = self.git_of(room);
        let mut found: BTreeMap<&[u8], ChangeKind> = BTreeMap::new();
        found.extend(now.differences.iter().map(|one| (&*one.path, one.kind())));
        let moved = git.moved_tests(&now.differences)?;
        found.extend(moved.into_iter().map(|path| (path, ChangeKind::Moved)));
        let emptied = git.emptied(&now.differences)?;
        found.extend(emptied.into_iter().map(|path| (path, ChangeKind::Emptied)));
        let hollow = git.hollow(&now.differences);
        found.extend(hollow.into_iter().map(|path| (path, ChangeKind::Hollow)));
        found.extend(now.not_stored.iter().map(|path| (&**path, ChangeKind::Added)));
        let judged = found
            .into_iter()
            .filter(|(path, _)| !matcher.is_handoff(path) && !matcher.is_left_out(path));
        Ok(judged.map(|(path, kind)| Change { path: repo_path(path), kind }).collect())
    }

    /// Paths that no attempt may change: protected ones, shown files, handoffs of earlier work.
    fn protected(
        &self,
        room: &Room,
        matcher: &Matcher<'_>,
        differences: &[Difference],
        ignored: &[Vec<u8>],
    ) -> Result<Vec<RepoPath>, GitProblem> {
        let mut all: BTreeSet<RepoPath> = self.changed_shown(room)?.into_iter().collect();
        all.extend(matcher.off_limits(differences.iter().map(|one| &one.path)));
        // A file that the user's settings of git include is a setting.
        let settings = self.git.place.in_tree(&self.config.included);
        let settings = differences.iter().filter(|one| settings.contains(&one.path));
        all.extend(settings.map(|one| repo_path(&one.path)));
        let ignored = ignored.iter().filter(|path| matcher.is_guarded(path));
        all.extend(ignored.map(|path| repo_path(path)));
        let old = differences.iter().filter(|one| one.old.is_some());
        let old = old.filter(|one| matcher.is_handoff(&one.path));
        all.extend(old.map(|one| repo_path(&one.path)));
        Ok(all.into_iter().collect())
    }

    /// Handoffs that were not there when the attempt began, also where git ignores them.
    fn new_handoffs(
        &self,
        room: &Room,
        rules: &TreeRules,
        differences: &[Difference],
    ) -> Result<Vec<HandoffFile>, GitProblem> {
        let Some(directory) = &rules.handoffs else { return Ok(Vec::new()) };
        let shown_before = self.shown_paths(room);
        let place = room.files()?.join(directory);
        let mut new = Vec::new();
        for (name, _) in place.entries().unwrap_or_default() {
            let path = [directory.as_bytes(), name.as_bytes()].concat();
            if shown_before.contains(&path) || self.base_has(room, &path) {
                continue;
            }
            let at = place.join(&name);
            let bytes = match at.there() {
                Some(there) if !there.is_file() => Err("not a regular file".to_owned()),
                Some(there) if there.len() > LONGEST_HANDOFF as u64 => Err("too large".to_owned()),
                _ => at.read_exact(LONGEST_HANDOFF).map_err(|why| why.to_string()),
            };
            let ignored = !differences.iter().any(|one| one.path == path);
            new.push(HandoffFile { name: shown(name.as_bytes()), bytes, ignored });
        }
        new.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(new)
    }

    fn base_has(&self, room: &Room, path: &[u8]) -> bool {
        let name = [room.base().as_str().as_bytes(), b":", path].concat();
        let name = String::from_utf8_lossy(&name).into_owned();
        self.git.call(["cat-file", "-e", &name]).output().is_ok_and(|out| out.code == Some(0))
    }
}

fn is_attributes(path: &[u8]) -> bool {
    path == b".gitattributes" || path.ends_with(b"/.gitattributes")
}
