//! Refs go back to where they were recorded, but for what was done in another work tree. What cannot,
//! because what they pointed at is no longer there, is named, and keeps nothing else from going back.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::{Displaced, comes_with_a_fetch};
use hast_flow::attempt::inspection::MovedRef;

use super::elsewhere::{Doing, Elsewhere};
use super::refs::{Move, Refs, Target, changed, displaced, displaced_ref};
use super::run::Git;
use super::snapshot::Kept;

const BRANCHES: &str = "refs/heads/";

/// The refs of a start, and the other work trees that were there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before<'s> {
    pub(super) refs: &'s Refs,
    pub(super) trees: &'s [Kept],
}

/// What refs were found to be, and what became of it.
#[derive(Debug, Default)]
pub(super) struct PutBack {
    pub(super) breaches: Vec<Breach>,
    /// What those that are back were meanwhile.
    pub(super) displaced: Vec<Displaced>,
    /// Those that somebody moved in another work tree, and that stay.
    pub(super) others: Vec<MovedRef>,
}

/// What becomes of a ref that is not as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    /// It goes back, and the attempt has failed.
    Back(Where),
    /// It goes back: git itself, or a person beside the attempt, may have done that.
    BackAndTold(Where),
    /// Somebody stands on it, and where is not known. It stays, and the attempt has failed.
    Left,
    /// It was moved in another work tree, and stays.
    Theirs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Where {
    Recorded,
    /// Further on: somebody in another work tree had moved it so far before.
    Since(ObjectId),
}

impl Git {
    /// Refs besides the attempt's branch that are not as recorded: reported, kept reachable, and
    /// put back.
    pub(super) fn restore_refs(
        &self,
        base: &Base,
        before: Before<'_>,
        now: &Refs,
    ) -> Result<PutBack, GitProblem> {
        let mut found = PutBack::default();
        let (mut kept, mut moves, mut follows) = (Vec::new(), Vec::new(), Vec::new());
        let fates = self.fates(base, before, now)?;
        for (name, fate) in &fates {
            let (was, is) = (before.refs.get(*name), now.get(*name));
            if *fate == Fate::Theirs {
                continue;
            }
            let other = if *fate == Fate::Left { was } else { is };
            if let Some(other) = other.filter(|other| other.follows.is_none()) {
                kept.push(keep_reachable(base, name, other, now));
            }
            let from = is.map(|target| target.id.clone());
            let to = match (fate, was) {
                (Fate::Left, _) => continue,
                (Fate::Back(Where::Since(at)) | Fate::BackAndTold(Where::Since(at)), _) => {
                    Some(at.clone())
                }
                (_, Some(Target { follows: Some(other), .. })) => {
                    follows.push((*name, other));
                    continue;
                }
                (_, was) => was.map(|was| was.id.clone()),
            };
            moves.push(Move { name: (*name).clone(), from, to });
        }
        let lost = self.move_what_can_be(&[kept, moves].concat())?;
        for (name, other) in follows {
            self.call(["symbolic-ref", name.as_str(), other.as_str()]).run()?;
        }
        for (name, fate) in fates {
            found.tell((base, before.refs, now), name, &fate, lost.get(name));
        }
        Ok(found)
    }

    /// Refs that are not as recorded, where the attempt may have done that.
    pub(super) fn moved_refs(
        &self,
        base: &Base,
        before: Before<'_>,
        now: &Refs,
    ) -> Result<Vec<String>, GitProblem> {
        let fates = self.fates(base, before, now)?.into_iter();
        let moved = fates.filter(|(_, fate)| *fate != Fate::Theirs);
        Ok(moved.map(|(name, _)| name.clone()).collect())
    }

    fn fates<'r>(
        &self,
        base: &Base,
        before: Before<'r>,
        now: &'r Refs,
    ) -> Result<Vec<(&'r String, Fate)>, GitProblem> {
        let changed = changed(base, before.refs, now);
        let elsewhere = match changed.iter().any(|name| name.starts_with(BRANCHES)) {
            true => self.elsewhere(before.trees)?,
            false => Elsewhere::default(),
        };
        let mut fates = Vec::new();
        for name in changed {
            let (was, is) = (before.refs.get(name), now.get(name));
            let fate = match elsewhere.whose(name, is) {
                Doing::Theirs => Fate::Theirs,
                Doing::UnderSomebody { at: Some(at) } if self.fits(was, &at)? => {
                    Fate::Back(Where::Since(at))
                }
                Doing::UnderSomebody { .. } => Fate::Left,
                Doing::SinceThey { left } => {
                    let fits = self.fits(was, &left)?;
                    let to = if fits { Where::Since(left) } else { Where::Recorded };
                    if is.is_none() { Fate::BackAndTold(to) } else { Fate::Back(to) }
                }
                Doing::NotTheirs if is_as_fetched(name, is) => Fate::BackAndTold(Where::Recorded),
                Doing::NotTheirs => Fate::Back(Where::Recorded),
            };
            fates.push((name, fate));
        }
        Ok(fates)
    }

    /// Whether a place is where a branch was recorded, or further on: only then is it sure that a log means
    /// that branch.
    fn fits(&self, was: Option<&Target>, at: &ObjectId) -> Result<bool, GitProblem> {
        match was {
            Some(Target { id, follows: None }) => {
                Ok(id == at || (self.has_commit(at)? && self.is_ancestor(id, at)?))
            }
            _ => Ok(false),
        }
    }

    /// All moves at once where that can be; else as many as can be. Says which cannot, for what they
    /// lead to is not there.
    fn move_what_can_be(&self, moves: &[Move]) -> Result<BTreeMap<String, ObjectId>, GitProblem> {
        let Err(problem) = self.move_refs(moves) else { return Ok(BTreeMap::new()) };
        let wanted: BTreeSet<&ObjectId> =
            moves.iter().filter_map(|step| step.to.as_ref()).collect();
        let wanted: Vec<&ObjectId> = wanted.into_iter().collect();
        let missing = self.missing(&wanted)?;
        let is_lost = |step: &&Move| step.to.as_ref().is_some_and(|to| missing.contains(to));
        let lost: BTreeMap<String, ObjectId> = moves
            .iter()
            .filter(is_lost)
            .filter_map(|step| Some((step.name.clone(), step.to.clone()?)))
            .collect();
        let left: Vec<Move> = moves.iter().filter(|step| !is_lost(step)).cloned().collect();
        // What goes comes first: its name may be in the way of another.
        let (gone, set): (Vec<Move>, Vec<Move>) =
            left.into_iter().partition(|step| step.to.is_none());
        if lost.is_empty() && gone.is_empty() {
            return Err(problem);
        }
        self.move_refs(&gone)?;
        self.move_refs(&set)?;
        Ok(lost)
    }
}

impl PutBack {
    fn tell(
        &mut self,
        (base, before, now): (&Base, &Refs, &Refs),
        name: &str,
        fate: &Fate,
        lost: Option<&ObjectId>,
    ) {
        let breach = match (fate, lost) {
            (Fate::Theirs, _) => {
                let to = now.get(name).map(|is| is.id.clone());
                return self.others.push(MovedRef { name: name.to_owned(), to });
            }
            (_, Some(was)) => Breach::RefLost { name: name.to_owned(), was: was.to_string() },
            (Fate::Left, None) => Breach::RefLeft { name: name.to_owned() },
            (Fate::BackAndTold(_), None) => {
                return self.displaced.push(displaced(base, name, before, now));
            }
            (Fate::Back(_), None) => {
                self.displaced.push(displaced(base, name, before, now));
                Breach::RefMoved { name: name.to_owned() }
            }
        };
        self.breaches.push(breach);
    }
}

/// What a fetch leaves behind. No fetch makes such a ref follow a branch of the user.
fn is_as_fetched(name: &str, is: Option<&Target>) -> bool {
    let follows = is.and_then(|is| is.follows.as_deref());
    comes_with_a_fetch(name) && follows.is_none_or(comes_with_a_fetch)
}

/// A ref that is put back would leave what it pointed at to be forgotten.
pub(super) fn keep_reachable(base: &Base, name: &str, is: &Target, now: &Refs) -> Move {
    let kept = displaced_ref(base, name);
    let from = now.get(&kept).map(|target| target.id.clone());
    Move { name: kept, from, to: Some(is.id.clone()) }
}
