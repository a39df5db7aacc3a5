//! Refs that moved beside an attempt in a linked work tree. Others may move them there, so only what holds
//! a commit that was made in that very tree is the attempt's doing; it is put back. The rest is told.

use std::collections::BTreeSet;

use hast_flow::attempt::base::{Base, ObjectId, Shared};
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::MovedRef;

use super::put_back::keep_reachable;
use super::ref_logs::{Line, end_of};
use super::refs::{Move, Refs, Target};
use super::run::Git;
use crate::files::read_bounded;

const LONGEST_HEAD: usize = 4 << 10;
/// How many commits of a moved ref are looked through.
const MOST_COMMITS: &str = "--max-count=100000";

/// What was found among them.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) breaches: Vec<Breach>,
    pub(super) others: Vec<MovedRef>,
}

impl Beside {
    pub(super) fn put_back(&self) -> impl Iterator<Item = &str> {
        self.breaches.iter().filter_map(|breach| match breach {
            Breach::RefMoved { name } => Some(name.as_str()),
            _ => None,
        })
    }
}

impl Git {
    /// What moved that others may move too. Where a sandbox keeps the attempt from all refs, whoever moved
    /// one is somebody else.
    pub(super) fn moved_beside(
        &self,
        base: &Base,
        before: &Refs,
        now: &Refs,
    ) -> Result<Beside, GitProblem> {
        let mut found = Beside::default();
        let rules = base.rules();
        if rules.moving_refs.is_empty() || rules.shared == Shared::Left {
            return Ok(found);
        }
        let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let moved: Vec<&String> = names
            .into_iter()
            .filter(|name| before.get(*name) != now.get(*name) && is_beside(base, name))
            .collect();
        if moved.is_empty() {
            return Ok(found);
        }
        let made = self.made_here(base, before, now)?;
        let mut moves = Vec::new();
        for name in moved {
            let (was, is) = (before.get(name), now.get(name));
            match is.filter(|is| is.follows.is_none()) {
                Some(is) if self.holds_any(base, before, &is.id, &made) => {
                    let back = self.back_to(name, was, is, &made)?;
                    found.breaches.push(match &back {
                        Some(_) => Breach::RefMoved { name: name.clone() },
                        None => Breach::RefLeft { name: name.clone() },
                    });
                    if let Some(to) = back {
                        moves.push(keep_reachable(base, name, is, now));
                        moves.push(Move { name: name.clone(), from: Some(is.id.clone()), to });
                    }
                }
                // Branches of other lanes move all the time.
                _ if name.starts_with("refs/heads/hast/") => {}
                _ => {
                    let to = is.map(|is| is.id.clone());
                    found.others.push(MovedRef { name: name.clone(), to });
                }
            }
        }
        self.move_refs(&moves)?;
        Ok(found)
    }

    /// Commits that were made in this work tree, by its own log: not those that it only went to. Where the
    /// log does not know where the tree is, all that its branch has since the base.
    fn made_here(
        &self,
        base: &Base,
        before: &Refs,
        now: &Refs,
    ) -> Result<BTreeSet<String>, GitProblem> {
        let log = end_of(&self.place.git_dir.join("logs/HEAD"));
        let lines: Vec<Line<'_>> = log.lines().filter_map(Line::read).collect();
        let made = lines.iter().filter(|line| line.is_made()).map(|line| line.new.to_owned());
        let mut made: BTreeSet<String> = made.collect();
        let head = now.get(base.branch()).filter(|head| head.id != *base.commit());
        let is_told =
            |head: &&Target| lines.last().is_some_and(|line| line.new == head.id.as_str());
        if let Some(head) = head.filter(|head| !is_told(head)) {
            let since = format!("^{}", base.commit());
            let call = self.call(["rev-list", MOST_COMMITS, head.id.as_str(), &since]);
            let output = call.output()?;
            made.extend(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned));
        }
        let known: BTreeSet<&str> = before.values().map(|target| target.id.as_str()).collect();
        made.retain(|id| id != base.commit().as_str() && !known.contains(id.as_str()));
        Ok(made)
    }

    /// Whether something new at a place came from this tree: new is what no ref held before.
    fn holds_any(
        &self,
        base: &Base,
        before: &Refs,
        at: &ObjectId,
        made: &BTreeSet<String>,
    ) -> bool {
        if made.is_empty() {
            return false;
        }
        let mut input = format!("{at}\n^{}\n", base.commit());
        let known: BTreeSet<&str> = before.values().map(|target| target.id.as_str()).collect();
        for id in known {
            input += &format!("^{id}\n");
        }
        let call = self.call(["rev-list", MOST_COMMITS, "--stdin"]).input(input.into_bytes());
        // What is no commit, or not there, came from nowhere that could be told.
        let Ok(output) = call.output() else { return false };
        let new = String::from_utf8_lossy(&output.stdout).into_owned();
        new.lines().any(|id| made.contains(id))
    }

    /// Whether the user's checkout is on a branch and moved with it: its files are those of the commit.
    fn checkout_went_along(&self, name: &str, is: &Target) -> bool {
        let common = &self.place.common_dir;
        let head = read_bounded(&common.join("HEAD"), LONGEST_HEAD).unwrap_or_default();
        let log = end_of(&common.join("logs/HEAD"));
        let last = log.lines().last().and_then(Line::read);
        String::from_utf8_lossy(&head).trim_end() == format!("ref: {name}")
            && last.is_some_and(|line| line.new == is.id.as_str())
    }

    /// Where a ref was right before, as far as that is sure: its log may be the attempt's work as well.
    fn back_to(
        &self,
        name: &str,
        was: Option<&Target>,
        is: &Target,
        made: &BTreeSet<String>,
    ) -> Result<Option<Option<ObjectId>>, GitProblem> {
        let Some(was) = was else { return Ok(Some(None)) };
        if was.follows.is_some() || self.checkout_went_along(name, is) {
            return Ok(None);
        }
        let log = end_of(&self.place.common_dir.join("logs").join(name));
        let old = match log.lines().last().map(Line::read) {
            // Nothing is logged about tags and the like.
            None => return Ok(Some(Some(was.id.clone()))),
            Some(Some(Line { old, new, .. })) if new == is.id.as_str() && !made.contains(old) => {
                old.parse().ok()
            }
            Some(_) => None,
        };
        let Some(old) = old else { return Ok(None) };
        let forward = old == was.id || self.is_ancestor(&was.id, &old)?;
        Ok(forward.then_some(Some(old)))
    }
}

/// Refs that are not the tree's own, and not where hast keeps work.
fn is_beside(base: &Base, name: &str) -> bool {
    let own = base.branch().rsplit_once('/').map_or("", |(directory, _)| directory);
    let within =
        |directory: &str| name.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    let moving = base.rules().moving_refs.iter().any(|start| name.starts_with(start.as_str()));
    let kept = ["refs/hast/", "refs/heads/hast/kept/"].iter().any(|start| name.starts_with(start));
    moving && !kept && name != base.branch() && !within(own)
}
