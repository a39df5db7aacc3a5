//! The refs that hast made: branches of kept work, and what can be cleared away. A branch that somebody
//! has gone on with, or stands on, is theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use hast_flow::attempt::base::{MOST_KEPT, ObjectId, another_branch};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::ROOM_REFS;
use hast_flow::attempt::workspace::OwnRef;
use hast_flow::attempt::worktrees::LANES;
use hast_flow::time::UtcTime;

use super::index::object;
use super::refs::Move;
use super::run::Git;

/// Refs of earlier versions: where an attempt began, and what was held reachable for one.
const BASES: &str = "refs/hast/bases/";
const HELD: &str = "refs/hast/held/";
const OURS: &str = "refs/hast/";
const KEPT: &str = "refs/heads/hast/kept/";
/// Where branches of hast are; all others are the user's.
const BRANCHES: &str = "refs/heads/";
const OUR_BRANCHES: &str = "refs/heads/hast/";
/// How many commits are asked about at once.
const AT_ONCE: usize = 400;
/// What of a git directory names a branch that is being rebased or searched.
const BUSY: [&str; 3] = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];

/// Refs that live and go with the work under way.
fn is_of_a_room(name: &str) -> bool {
    [HELD, LANES, ROOM_REFS].iter().any(|start| name.starts_with(start))
}

impl Git {
    /// The branch that keeps the work now. Doing it again finds the same one.
    pub(super) fn keep_work(&self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        for number in 1..=MOST_KEPT {
            let name = another_branch(branch, number);
            let before = self.resolve(&name)?;
            match &before {
                Some(before) if before == commit => return Ok(name),
                Some(before) if !self.may_move(&name, before)? => continue,
                Some(_) | None => {}
            }
            let (moved, to) = (name.clone(), Some(commit.clone()));
            self.move_refs(&[Move { name: moved, from: before, to }])?;
            return Ok(name);
        }
        Err(GitProblem::TooMuch { what: branch.to_owned() })
    }

    pub(super) fn own_refs(&self) -> Result<Vec<OwnRef>, GitProblem> {
        let format = "--format=%(objectname) %(committerdate:unix) %(refname)";
        let call = self.call(["for-each-ref", format]).args([OURS, KEPT]);
        let all = call.run()?;
        let merged = self.merged_by_user()?;
        let busy = self.busy_branches()?;
        let mut refs = Vec::new();
        for line in String::from_utf8_lossy(&all).lines() {
            let words: Vec<&str> = line.splitn(3, ' ').collect();
            if let [id, time, name] = words[..]
                && !is_of_a_room(name)
            {
                // What only tells where an attempt began is no work of anybody's, and never old.
                let time = if name.starts_with(BASES) { "" } else { time };
                let at = time.parse().ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
                let (target, at) = (object(id)?, at.map(UtcTime::new));
                let (merged, checked_out) = (merged.contains(name), busy.get(name).cloned());
                refs.push(OwnRef { target, at, merged, checked_out, name: name.into() });
            }
        }
        Ok(refs)
    }

    pub(super) fn delete_own(&self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        let branches = refs.iter().any(|(name, _)| name.starts_with(KEPT));
        let busy = if branches { self.busy_branches()? } else { BTreeMap::new() };
        let mut moves = Vec::new();
        for (name, target) in refs {
            let ours = name.starts_with(OURS) || name.starts_with(KEPT);
            let found = self.resolve(name)?;
            if !ours || found.as_ref().is_some_and(|found| found != target) {
                let (name, expected) = (name.clone(), Some(target.clone()));
                return Err(GitProblem::Moved { name, expected, found });
            }
            if let Some(at) = busy.get(name) {
                return Err(GitProblem::CheckedOut { name: name.clone(), at: at.clone() });
            }
            if found.is_some() {
                moves.push(Move { name: name.clone(), from: found, to: None });
            }
        }
        self.move_refs(&moves)
    }
}

impl Git {
    /// Whether a branch can point elsewhere with nothing lost and nobody standing on it.
    fn may_move(&self, name: &str, before: &ObjectId) -> Result<bool, GitProblem> {
        let contains = format!("--contains={before}");
        let call = self.call(["for-each-ref", "--format=%(refname)", &contains]);
        let listed = call.args([OURS]).output()?.stdout;
        // Those go by themselves.
        let stays = |name: &str| !name.starts_with(BASES) && !is_of_a_room(name);
        let recorded = String::from_utf8_lossy(&listed).lines().any(stays);
        Ok(recorded && !self.busy_branches()?.contains_key(name))
    }

    /// Which of our refs a branch of the user contains.
    fn merged_by_user(&self) -> Result<BTreeSet<String>, GitProblem> {
        let users = |name: &str| name.starts_with(BRANCHES) && !name.starts_with(OUR_BRANCHES);
        let tips = self.refs()?.into_iter().filter(|(name, _)| users(name));
        let tips: BTreeSet<ObjectId> = tips.map(|(_, target)| target).collect();
        let tips: Vec<String> = tips.iter().map(|id| format!("--merged={id}")).collect();
        let mut merged = BTreeSet::new();
        for some in tips.chunks(AT_ONCE) {
            let call = self.call(["for-each-ref", "--format=%(refname)"]).args(some);
            let names = call.args([OURS, KEPT]).run()?;
            merged.extend(String::from_utf8_lossy(&names).lines().map(str::to_owned));
        }
        Ok(merged)
    }

    /// Branches of kept work that are checked out, or in the middle of a rebase or bisect, and where.
    fn busy_branches(&self) -> Result<BTreeMap<String, String>, GitProblem> {
        let call = self.call(["for-each-ref", "--format=%(refname) %(worktreepath)", KEPT]);
        let listed = call.run()?;
        let mut busy = BTreeMap::new();
        for line in String::from_utf8_lossy(&listed).lines() {
            if let Some((name, at)) = line.split_once(' ').filter(|(_, at)| !at.is_empty()) {
                busy.insert(name.to_owned(), at.to_owned());
            }
        }
        let common = &self.place.common_dir;
        let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
        for directory in linked.map(|entry| entry.path()).chain([common.clone()]) {
            for file in BUSY {
                let Ok(text) = fs::read_to_string(directory.join(file)) else { continue };
                let name = text.trim_end();
                let full = match name.strip_prefix(BRANCHES) {
                    Some(_) => name.to_owned(),
                    None => format!("{BRANCHES}{name}"),
                };
                busy.entry(full).or_insert_with(|| directory.display().to_string());
            }
        }
        Ok(busy)
    }
}
