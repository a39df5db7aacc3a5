//! Refs go back to where they were recorded. What cannot, because what they pointed at is no longer
//! there, is named, and keeps nothing else from going back.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::git_problem::GitProblem;

use super::refs::{Move, Refs, Target, displaced_ref};
use super::run::Git;

impl Git {
    /// Refs besides the attempt's branch that are not as recorded: reported, kept reachable, and
    /// put back.
    pub(super) fn restore_refs(
        &self,
        base: &Base,
        before: &Refs,
        now: &Refs,
    ) -> Result<Vec<Breach>, GitProblem> {
        let breaches = self.moved_refs(base, before, now);
        let (mut kept, mut moves, mut follows) = (Vec::new(), Vec::new(), Vec::new());
        for breach in &breaches {
            let Breach::RefMoved { name } = breach else { continue };
            let (was, is) = (before.get(name), now.get(name));
            if let Some(is) = is.filter(|is| is.follows.is_none()) {
                kept.push(keep_reachable(base, name, is, now));
            }
            let from = is.map(|target| target.id.clone());
            match was {
                Some(Target { follows: Some(other), .. }) => follows.push((name, other)),
                _ => moves.push(Move { name: name.clone(), from, to: was.map(|w| w.id.clone()) }),
            }
        }
        let lost = self.move_what_can_be(&[kept, moves].concat())?;
        for (name, other) in follows {
            self.call(["symbolic-ref", name.as_str(), other.as_str()]).run()?;
        }
        let told = breaches.into_iter().map(|breach| match breach {
            Breach::RefMoved { name } => match lost.get(&name) {
                Some(was) => Breach::RefLost { name, was: was.to_string() },
                None => Breach::RefMoved { name },
            },
            other => other,
        });
        Ok(told.collect())
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

/// A ref that is put back would leave what it pointed at to be forgotten.
pub(super) fn keep_reachable(base: &Base, name: &str, is: &Target, now: &Refs) -> Move {
    let kept = displaced_ref(base, name);
    let from = now.get(&kept).map(|target| target.id.clone());
    Move { name: kept, from, to: Some(is.id.clone()) }
}
