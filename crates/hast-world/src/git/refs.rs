//! All refs at once, and what changed among them.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::{Base, ObjectId, ref_part};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::{Displaced, Meanwhile};
use serde::{Deserialize, Serialize};

use super::held::{BASES, HELD};
use super::index::object;
use super::place::Place;
use super::run::Git;

/// More than any name of a branch.
const LONGEST_HEAD: u64 = 4_096;

/// Where a ref points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Target {
    pub(super) id: ObjectId,
    /// The name of another ref, where this only follows that one.
    pub(super) follows: Option<String>,
}

pub(super) type Refs = BTreeMap<String, Target>;

/// What HEAD says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HeadNow {
    Branch(String),
    Detached,
}

impl Git {
    pub(super) fn refs(&self) -> Result<Refs, GitProblem> {
        if let Some(refs) = self.refs_in_files() {
            return Ok(refs);
        }
        let format = "--format=%(objectname)%09%(symref)%09%(refname)";
        let bytes = self.call(["for-each-ref", format]).run()?;
        let text = String::from_utf8_lossy(&bytes);
        let mut refs = Refs::new();
        for line in text.lines() {
            let mut parts = line.splitn(3, '\t');
            if let (Some(id), Some(follows), Some(name)) =
                (parts.next(), parts.next(), parts.next())
            {
                let follows = Some(follows.to_owned()).filter(|follows| !follows.is_empty());
                refs.insert(name.to_owned(), Target { id: object(id)?, follows });
            }
        }
        Ok(refs)
    }

    pub(super) fn head(&self) -> Result<HeadNow, GitProblem> {
        if let Some(name) = self.place.head_in_file() {
            return Ok(HeadNow::Branch(name));
        }
        let output = self.call(["symbolic-ref", "-q", "--no-recurse", "HEAD"]).output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.code == Some(0) { Ok(HeadNow::Branch(text)) } else { Ok(HeadNow::Detached) }
    }

    /// Refuses where HEAD is on another branch, or on none.
    pub(super) fn stands_on(&self, branch: &str) -> Result<(), GitProblem> {
        let found = match self.head()? {
            HeadNow::Branch(name) => name,
            HeadNow::Detached => "HEAD".to_owned(),
        };
        if found == branch {
            return Ok(());
        }
        Err(GitProblem::OtherBranch { name: branch.to_owned(), found })
    }

    /// The object that a name stands for; none if it stands for nothing.
    pub(super) fn resolve(&self, name: &str) -> Result<Option<ObjectId>, GitProblem> {
        let branch = if name == "HEAD" { self.place.head_in_file() } else { None };
        if let Some(found) = self.ref_in_files(branch.as_deref().unwrap_or(name)) {
            return Ok(found);
        }
        let call = self.call(["rev-parse", "-q", "--verify", "--end-of-options", name]);
        let output = call.output()?;
        if output.code != Some(0) {
            return Ok(None);
        }
        object(String::from_utf8_lossy(&output.stdout).trim()).map(Some)
    }

    pub(super) fn tree_of(&self, commit: &ObjectId) -> Result<ObjectId, GitProblem> {
        if let Some(tree) = self.tree_in_loose(commit) {
            return Ok(tree);
        }
        let found = self.resolve(&format!("{commit}^{{tree}}"))?;
        found.ok_or_else(|| GitProblem::Lost { what: commit.to_string() })
    }

    /// Several moves, all or none, each from where the ref is expected to be.
    pub(super) fn move_refs(&self, moves: &[Move]) -> Result<(), GitProblem> {
        if moves.is_empty() {
            return Ok(());
        }
        if let [only] = moves
            && self.make_own_ref(only).is_some()
        {
            return Ok(());
        }
        let mut input = String::from("start\n");
        for step in moves {
            let name = &step.name;
            // The name may follow another one; the ref itself is meant.
            let line = match (&step.from, &step.to) {
                (None, None) => continue,
                (None, Some(to)) => format!("create {name} {to}\n"),
                (Some(from), Some(to)) => format!("update {name} {to} {from}\n"),
                (Some(from), None) => format!("delete {name} {from}\n"),
            };
            input.push_str("option no-deref\n");
            input.push_str(&line);
        }
        input.push_str("commit\n");
        let call = self.call(["update-ref", "-m", "hast", "--stdin"]).synced();
        let moved = call.input(input.into_bytes()).run().map(|_| ());
        match moved {
            Err(GitProblem::Refused { command, said }) => {
                let way = || moves.iter().find_map(|step| self.in_the_way(&step.name));
                let found = self.who_moved(moves)?.or_else(way);
                Err(found.unwrap_or(GitProblem::Refused { command, said }))
            }
            Err(killed @ GitProblem::Killed { .. }) => {
                let lock = |step: &Move| self.place.common_dir.join(format!("{}.lock", step.name));
                self.place.remove_unheld(moves.iter().map(lock).collect());
                Err(killed)
            }
            other => other,
        }
    }

    /// A branch whose name is the beginning of another one's, so that git cannot have both.
    pub(super) fn in_the_way(&self, name: &str) -> Option<GitProblem> {
        let short = name.strip_prefix("refs/heads/")?;
        let mut above = short.match_indices('/').map(|(at, _)| &short[..at]);
        let is_there =
            |above: &&str| matches!(self.resolve(&format!("refs/heads/{above}")), Ok(Some(_)));
        above.find(is_there).map(|above| GitProblem::BranchInTheWay { name: above.to_owned() })
    }

    /// The first ref that is not where it was expected.
    fn who_moved(&self, moves: &[Move]) -> Result<Option<GitProblem>, GitProblem> {
        for step in moves {
            let found = self.resolve(&step.name)?;
            if found != step.from {
                let (name, expected) = (step.name.clone(), step.from.clone());
                return Ok(Some(GitProblem::Moved { name, expected, found }));
            }
        }
        Ok(None)
    }
}

impl Place {
    /// The branch that HEAD names in the plain form that git writes. Anything else is git's to say.
    pub(super) fn head_in_file(&self) -> Option<String> {
        let path = self.git_dir.join("HEAD");
        let there = std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        if there.len() > LONGEST_HEAD {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        let name = text.strip_prefix("ref: ")?.strip_suffix('\n')?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-".contains(&byte);
        let short = name.strip_prefix("refs/heads/")?;
        (!short.is_empty() && short.bytes().all(plain)).then(|| name.to_owned())
    }
}

/// One move of a ref; no object means that it is not there.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) name: String,
    pub(super) from: Option<ObjectId>,
    pub(super) to: Option<ObjectId>,
}

/// Refs besides the attempt's branch that are not as recorded.
pub(super) fn changed<'r>(base: &Base, before: &'r Refs, now: &'r Refs) -> Vec<&'r String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let moved = names.into_iter().filter(|name| {
        let (was, is) = (before.get(*name), now.get(*name));
        was != is && !others_may_move(base, name, was)
    });
    moved.collect()
}

/// What became of a ref that is put back, and the ref that keeps what it pointed at.
pub(super) fn displaced(base: &Base, name: &str, before: &Refs, now: &Refs) -> Displaced {
    let kept = now.get(name).filter(|is| is.follows.is_none());
    Displaced {
        was: match (before.contains_key(name), now.contains_key(name)) {
            (true, true) => Meanwhile::Moved,
            (true, false) => Meanwhile::Deleted,
            (false, _) => Meanwhile::Made,
        },
        at: kept.map(|_| displaced_ref(base, name)),
        name: name.to_owned(),
    }
}

/// The attempt's own branch, other lanes', and what hast itself adds while an attempt is judged.
fn others_may_move(base: &Base, name: &str, was: Option<&Target>) -> bool {
    name == base.branch()
        || (name.starts_with("refs/hast/") && was.is_none())
        || name == base_ref(base.key())
        || name.starts_with(HELD)
}

/// The ref that keeps what another one, or HEAD, pointed at.
pub(super) fn displaced_ref(base: &Base, name: &str) -> String {
    let short = name.strip_prefix("refs/").unwrap_or(name);
    format!("refs/hast/displaced/{}/{short}", key_part(base.key()))
}

/// The ref that keeps the record of a base.
pub(super) fn base_ref(key: &str) -> String {
    format!("{BASES}{}", key_part(key))
}

pub(super) fn key_part(key: &str) -> String {
    key.split('/').map(ref_part).collect::<Vec<_>>().join("/")
}
