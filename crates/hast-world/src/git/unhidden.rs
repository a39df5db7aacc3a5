//! Files that the ignore rules of a start hide, and that are part of an attempt all the same: those that
//! it committed, and new ones that its own rules show. What was hidden before stays its owner's.

use std::collections::BTreeSet;

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::entries::GITLINK;
use super::look::is_ignore_file;
use super::paths::{Matcher, repo_path};
use super::record::Opened;
use super::scan::{At, Difference, Scanned};

/// The tree with these files, and those of which it cannot be told whose they are.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) tree: ObjectId,
    unknown: Vec<Vec<u8>>,
    huge: Vec<Vec<u8>>,
    forged: Vec<Vec<u8>>,
}

impl Shown {
    pub(super) fn breaches(&self) -> impl Iterator<Item = Breach> {
        let unknown = self.unknown.iter();
        let unknown = unknown.map(|path| Breach::NoLongerIgnored { path: repo_path(path) });
        let forged = self.forged.iter();
        let forged = forged.map(|path| Breach::ForgedObject { path: repo_path(path) });
        let huge = self.huge.iter().map(|path| Breach::TooLarge { path: repo_path(path) });
        unknown.chain(huge).chain(forged)
    }
}

/// Where a file is that the new rules show.
enum Was {
    /// A path that was hidden by itself: the user's.
    There,
    /// Below a directory that was hidden as a whole.
    Unknown,
    New,
}

impl RealWorkspace {
    pub(super) fn unhidden(
        &self,
        (base, opened): (&Base, &Opened),
        matcher: &Matcher<'_>,
        scanned: &Scanned,
        (now, committed): (&[Difference], &[Difference]),
    ) -> Result<Shown, GitProblem> {
        let seen: BTreeSet<&[u8]> = now.iter().map(|found| found.path.as_slice()).collect();
        let link = format!("{GITLINK:o}");
        let is_file = |path: &[u8]| {
            matches!(self.git.place.look_at(path), At::File { .. } | At::Link)
                && !matcher.is_left_out(path)
        };
        let hidden = committed.iter().filter(|found| {
            found.old.is_none()
                && found.new.is_some()
                && found.new_mode != link
                && !seen.contains(found.path.as_slice())
                && is_file(&found.path)
        });
        let mut paths: BTreeSet<Vec<u8>> = hidden.map(|found| found.path.clone()).collect();
        let mut unknown = Vec::new();
        if now.iter().chain(committed).any(|found| is_ignore_file(&found.path)) {
            for path in self.shown_by_new_rules(matcher, scanned)? {
                match was(&opened.snapshot.ignored, &path) {
                    _ if paths.contains(&path) => {}
                    Was::There => {}
                    Was::Unknown => unknown.push(path),
                    Was::New if path.ends_with(b"/") => unknown.push(path),
                    Was::New => {
                        paths.insert(path);
                    }
                }
            }
        }
        if paths.is_empty() {
            let (tree, huge, forged) = (scanned.tree.clone(), Vec::new(), Vec::new());
            return Ok(Shown { tree, unknown, huge, forged });
        }
        let index = self.scratch.index(Some(&scanned.image))?;
        let paths: Vec<&[u8]> = paths.iter().map(Vec::as_slice).collect();
        let taken = self.git.take_in(&index, &paths, &self.scratch.aside(base.key()))?;
        let image = index.image()?;
        let (tree, _) = self.git.tree_of_index(&index, image)?;
        Ok(Shown { tree, unknown, huge: taken.huge, forged: taken.forged })
    }

    /// Untracked files by the rules of this moment that those of the start hide.
    fn shown_by_new_rules(
        &self,
        matcher: &Matcher<'_>,
        scanned: &Scanned,
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let index = self.scratch.index(Some(&scanned.image))?;
        let call = self.git.call(["ls-files", "-z", "-o", "--exclude-standard", "--"]);
        let listed = call.args(matcher.pathspecs()).index(&index.path).run()?;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        // A repository of its own was found by the scan already.
        let known = |path: &&[u8]| {
            let directory = path.strip_suffix(b"/");
            directory.is_some_and(|path| scanned.repositories.iter().any(|known| known == path))
        };
        let paths = paths.filter(|path| !matcher.is_left_out(path) && !known(path));
        Ok(paths.map(<[u8]>::to_vec).collect())
    }
}

fn was(ignored: &[Vec<u8>], path: &[u8]) -> Was {
    let within = |one: &&Vec<u8>| one.ends_with(b"/") && path.starts_with(one);
    if ignored.iter().any(|one| one == path) {
        Was::There
    } else if ignored.iter().any(|one| within(&one)) {
        Was::Unknown
    } else {
        Was::New
    }
}
