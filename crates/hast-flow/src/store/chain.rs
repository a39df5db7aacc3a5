//! A chain is the changes of one path since the last checkpoint. The judgement over it tells what
//! the path's present content means.
//!
//! It is pure: the records and the content go in, a verdict comes out. Nothing here touches a disk.

use std::collections::BTreeMap;

use super::codec::{Before, Commit, Content, Entry};
use super::identity::ContentHash;
use super::path::DocPath;
use super::regions::{apply_all, judge_later_file, judge_regions, overwrite, was_written};

/// Whether the machine ran on since the records were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Only the process died: every write that was made is there.
    SameBoot,
    /// The machine started anew: what no sync covered may be there, or not, or in part.
    Rebooted,
    /// A sync failed: what readers see may not be what the disk has.
    Untrusted,
}

impl Life {
    /// Whether parts of what was written may be missing.
    fn may_have_lost(self) -> bool {
        self != Self::SameBoot
    }
}

/// The changes of one document, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    pub links: Vec<Link>,
}

#[derive(Clone, Debug)]
pub struct Link {
    pub seq: u64,
    /// Names its staging file.
    pub stage: StageName,
    pub published: Published,
    pub change: Change,
}

/// Which commit of which process a staging file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageName {
    pub seq: u64,
    pub index: usize,
    pub nonce: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    Yes,
    Unknown,
}

#[derive(Clone, Debug)]
pub enum Change {
    Whole { before: Before, mode: u32, content: Content },
    Append { at: u64, bytes: Vec<u8> },
    Patch { at: u64, old: Vec<u8>, new: Vec<u8> },
}

/// A tree that was to move.
#[derive(Clone, Debug)]
pub struct Move {
    pub seq: u64,
    pub from: DocPath,
    pub to: DocPath,
}

/// Everything the records say, by place. Moves come first: a chain lies where the moves put it.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub moves: Vec<Move>,
    pub chains: BTreeMap<DocPath, Chain>,
}

impl Plan {
    pub fn add(&mut self, seq: u64, published: Published, commit: &Commit) {
        for (index, entry) in commit.puts.iter().enumerate() {
            let (path, change) = match entry.clone() {
                Entry::Archive { from, to } => {
                    self.carry(&from, &to);
                    self.moves.push(Move { seq, from, to });
                    continue;
                }
                Entry::Whole { path, before, mode, content } => {
                    (path, Change::Whole { before, mode, content })
                }
                Entry::Append { path, at, bytes } => (path, Change::Append { at, bytes }),
                Entry::Patch { path, at, old, new } => (path, Change::Patch { at, old, new }),
            };
            let stage = StageName { seq, index, nonce: commit.nonce };
            self.chains.entry(path).or_default().links.push(Link { seq, stage, published, change });
        }
    }

    fn carry(&mut self, from: &DocPath, to: &DocPath) {
        let moved: Vec<_> = self
            .chains
            .keys()
            .filter_map(|path| path.moved(from, to).map(|new| (path.clone(), new)))
            .collect();
        for (old, new) in moved {
            if let Some(chain) = self.chains.remove(&old) {
                self.chains.insert(new, chain);
            }
        }
    }
}

/// What is to be done about a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Nothing,
    /// Publish this content again.
    Write {
        bytes: Vec<u8>,
        mode: u32,
    },
    /// Publish the staging file of that link again, then look once more.
    Stage {
        link: usize,
    },
    /// Write these bytes into the file at these places.
    Regions(Vec<(u64, Vec<u8>)>),
    /// A person's edit: it stays, and this content of ours is put beside it. None when only the
    /// staging file has it.
    Theirs {
        ours: Option<Vec<u8>>,
    },
}

/// What is at a path now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Current<'a> {
    Absent,
    File(&'a [u8]),
    /// A directory or something else that we never make.
    Strange,
}

/// Whether the staging file of the last whole content still holds that content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staging {
    Kept,
    Gone,
}

impl Chain {
    pub fn judge(&self, current: Current<'_>, staging: Staging, life: Life) -> Verdict {
        let whole = self.links.iter().rposition(|link| matches!(link.change, Change::Whole { .. }));
        let Some(at) = whole else {
            return judge_regions(&self.links, current, life);
        };
        let Change::Whole { mode, content, .. } = &self.links[at].change else {
            return Verdict::Nothing;
        };
        let later = &self.links[at + 1..];
        match content {
            Content::Inline(bytes) => {
                let mut wanted = bytes.clone();
                apply_all(&mut wanted, later);
                match self.judge_whole(current, wanted, *mode, life) {
                    theirs @ Verdict::Theirs { .. } => {
                        judge_later_file(&self.links[at..], current, life).unwrap_or(theirs)
                    }
                    fits => fits,
                }
            }
            Content::Staged { .. } if staging == Staging::Kept => {
                if self.knows(current, life) {
                    Verdict::Stage { link: at }
                } else {
                    self.theirs(None, life)
                }
            }
            Content::Staged { hash, .. } if later.is_empty() => match current {
                Current::File(bytes) if ContentHash::of(bytes) == *hash => Verdict::Nothing,
                _ => self.theirs(None, life),
            },
            Content::Staged { .. } => judge_regions(later, current, life),
        }
    }

    fn judge_whole(&self, current: Current<'_>, bytes: Vec<u8>, mode: u32, life: Life) -> Verdict {
        if current == Current::File(&bytes) {
            Verdict::Nothing
        } else if self.knows(current, life) {
            Verdict::Write { bytes, mode }
        } else {
            self.theirs(Some(bytes), life)
        }
    }

    /// A content nobody of us wrote. While the machine runs on, an edit after a publication is
    /// simply the next edit; after a power cut nobody can tell what its author had seen.
    fn theirs(&self, ours: Option<Vec<u8>>, life: Life) -> Verdict {
        if life == Life::Rebooted || !self.is_published() {
            Verdict::Theirs { ours }
        } else {
            Verdict::Nothing
        }
    }

    /// Whether its last change was certainly published, or put aside as a conflict.
    pub fn is_published(&self) -> bool {
        self.links.last().map(|link| link.published) == Some(Published::Yes)
    }

    /// Whether the content is one that this document went through, or what a power cut leaves of
    /// one.
    pub fn knows(&self, current: Current<'_>, life: Life) -> bool {
        let bytes = match current {
            Current::Absent => {
                return life.may_have_lost() || self.befores().any(|one| one == Before::Absent);
            }
            Current::Strange => return false,
            Current::File(bytes) => bytes,
        };
        let hash = ContentHash::of(bytes);
        if self.befores().any(|before| before == Before::File(hash)) {
            return true;
        }
        let mut families = self.families();
        families.any(|family| family.has(bytes, hash) || family.led_to_next(bytes))
            || life.may_have_lost() && self.families().any(|family| family.may_be_torn(bytes))
    }

    /// Whether a staging file still is the last whole content, with or without later changes: they
    /// went into the same file.
    pub fn is_last_whole(&self, bytes: &[u8]) -> bool {
        let last = self.families().last();
        last.is_some_and(|family| family.has(bytes, ContentHash::of(bytes)))
    }

    fn befores(&self) -> impl Iterator<Item = Before> + '_ {
        self.links.iter().filter_map(|link| match &link.change {
            Change::Whole { before, .. } => Some(*before),
            Change::Append { .. } | Change::Patch { .. } => None,
        })
    }

    /// The lives of the files that had this name, one after the other.
    fn families(&self) -> impl Iterator<Item = Family<'_>> {
        let starts: Vec<usize> = (0..self.links.len())
            .filter(|&at| at == 0 || matches!(self.links[at].change, Change::Whole { .. }))
            .collect();
        let ends = starts.clone().into_iter().skip(1).chain([self.links.len()]);
        starts.into_iter().zip(ends).map(|(start, end)| {
            let (base, mods) = match &self.links[start].change {
                Change::Whole { content, .. } => (Some(content), &self.links[start + 1..end]),
                _ => (None, &self.links[start..end]),
            };
            let next = self.links.get(end).map(|link| &link.change);
            Family { base, mods, next }
        })
    }
}

/// One file from its publication to the next one under the same name.
struct Family<'a> {
    /// None when it is older than the records.
    base: Option<&'a Content>,
    mods: &'a [Link],
    next: Option<&'a Change>,
}

impl Family<'_> {
    fn has(&self, bytes: &[u8], hash: ContentHash) -> bool {
        match self.base {
            Some(Content::Inline(base)) => base == bytes,
            Some(Content::Staged { hash: staged, size }) => {
                *staged == hash || self.undone(bytes, *size) == Some(*staged)
            }
            None => false,
        }
    }

    /// What it was before its changes, any part of which may have arrived.
    fn undone(&self, bytes: &[u8], size: u64) -> Option<ContentHash> {
        let mut state = bytes.get(..size as usize)?.to_vec();
        for link in self.mods.iter().rev() {
            if let Change::Patch { at, old, .. } = &link.change {
                overwrite(&mut state, *at, old);
                state.truncate(size as usize);
            }
        }
        Some(ContentHash::of(&state))
    }

    /// Whether the changes of this life make of it what the next whole content was decided on.
    fn led_to_next(&self, bytes: &[u8]) -> bool {
        let Some(Change::Whole { before: Before::File(next), .. }) = self.next else {
            return false;
        };
        let mut state = bytes.to_vec();
        !self.mods.is_empty()
            && apply_all(&mut state, self.mods)
            && ContentHash::of(&state) == *next
    }

    /// Whether every byte is one that was written there, or zero where it did not arrive.
    fn may_be_torn(&self, bytes: &[u8]) -> bool {
        let Some(Content::Inline(base)) = self.base else {
            return false;
        };
        let mut last = base.clone();
        apply_all(&mut last, self.mods);
        bytes.len() <= last.len()
            && bytes.iter().enumerate().all(|(at, &byte)| {
                byte == 0
                    || byte == last[at]
                    || base.get(at) == Some(&byte)
                    || was_written(self.mods, at as u64, byte)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(seq: u64, published: Published, change: Change) -> Link {
        let stage = StageName { seq, index: 0, nonce: 0 };
        Link { seq, stage, published, change }
    }

    fn whole(before: &[u8], content: &[u8]) -> Change {
        Change::Whole {
            before: Before::File(ContentHash::of(before)),
            mode: 0,
            content: Content::Inline(content.to_vec()),
        }
    }

    /// One document that went from `one` over `two!` to `three`; the last is not known to be there.
    fn chain() -> Chain {
        Chain {
            links: vec![
                link(1, Published::Yes, whole(b"one", b"two!")),
                link(3, Published::Unknown, whole(b"two!", b"three")),
            ],
        }
    }

    fn judge(current: Current<'_>, life: Life) -> Verdict {
        chain().judge(current, Staging::Gone, life)
    }

    fn redo() -> Verdict {
        Verdict::Write { bytes: b"three".to_vec(), mode: 0 }
    }

    fn theirs() -> Verdict {
        Verdict::Theirs { ours: Some(b"three".to_vec()) }
    }

    #[test]
    fn the_last_state_needs_nothing_and_an_earlier_one_is_redone() {
        for life in [Life::SameBoot, Life::Rebooted] {
            assert_eq!(judge(Current::File(b"three"), life), Verdict::Nothing);
            assert_eq!(judge(Current::File(b"two!"), life), redo());
            assert_eq!(judge(Current::File(b"one"), life), redo());
        }
    }

    #[test]
    fn absent_short_empty_or_zero_is_redone_only_after_a_reboot() {
        for torn in [&b""[..], b"thr", b"th\0\0e", b"\0\0\0\0\0", b"two\0"] {
            assert_eq!(judge(Current::File(torn), Life::Rebooted), redo());
            assert_eq!(judge(Current::File(torn), Life::SameBoot), theirs());
        }
        assert_eq!(judge(Current::Absent, Life::Rebooted), redo());
        assert_eq!(judge(Current::Absent, Life::SameBoot), theirs());
    }

    #[test]
    fn anything_else_is_a_persons_edit() {
        for life in [Life::SameBoot, Life::Rebooted] {
            assert_eq!(judge(Current::File(b"mine"), life), theirs());
            assert_eq!(judge(Current::Strange, life), theirs());
        }
    }

    #[test]
    fn a_line_is_written_again_where_it_was_cut_and_not_into_a_log_of_somebody_else() {
        let change = Change::Append { at: 4, bytes: b"line\n".to_vec() };
        let chain = Chain { links: vec![link(1, Published::Unknown, change)] };
        let judge = |bytes, life| chain.judge(Current::File(bytes), Staging::Gone, life);
        let again = Verdict::Regions(vec![(4, b"line\n".to_vec())]);
        assert_eq!(judge(b"log\n", Life::SameBoot), again);
        assert_eq!(judge(b"log\nli", Life::SameBoot), again);
        assert_eq!(judge(b"log\nl\0\0\0\0", Life::Rebooted), again);
        assert_eq!(judge(b"log\nline\nmore\n", Life::Rebooted), Verdict::Nothing);
        let other = judge(b"log\nother\n", Life::Rebooted);
        assert!(matches!(other, Verdict::Theirs { .. }));
    }

    #[test]
    fn an_end_on_its_way_is_finished_and_another_one_is_a_persons() {
        let change = Change::Patch { at: 2, old: b"]\n".to_vec(), new: b",2]\n".to_vec() };
        let chain = Chain { links: vec![link(1, Published::Unknown, change)] };
        let judge = |bytes, life| chain.judge(Current::File(bytes), Staging::Gone, life);
        let again = Verdict::Regions(vec![(2, b",2]\n".to_vec())]);
        for there in [&b"[1]\n"[..], b"[1]\n ", b"[1]\n  ", b"[1,\n  ", b"[1,2  ", b"[1,2] "] {
            assert_eq!(judge(there, Life::SameBoot), again, "{there:?}");
            assert_eq!(judge(there, Life::Rebooted), again, "{there:?}");
        }
        assert_eq!(judge(b"[1]\n\0\n", Life::Rebooted), again);
        assert_eq!(judge(b"[1,2]\n", Life::SameBoot), Verdict::Nothing);
        for theirs in [&b"[7]"[..], b"[1]\n   \n", b"[1,3]\n", b"[1 ]\n", b""] {
            for life in [Life::SameBoot, Life::Rebooted] {
                let verdict = judge(theirs, life);
                assert!(matches!(verdict, Verdict::Theirs { .. }), "{theirs:?} {verdict:?}");
            }
        }
    }

    #[test]
    fn a_document_that_moved_with_its_tree_is_looked_for_at_its_new_place() {
        let path = |text: &str| DocPath::new(text).unwrap();
        let mut plan = Plan::default();
        let create = Entry::Whole {
            path: path("plan/active/x"),
            before: Before::Absent,
            mode: 0,
            content: Content::Inline(Vec::new()),
        };
        let archive = Entry::Archive { from: path("plan/active"), to: path("plan/archive/v1") };
        let puts = vec![create.clone(), archive, create];
        let commit = Commit { puts, ..Commit::default() };
        plan.add(1, Published::Yes, &commit);
        let places: Vec<_> = plan.chains.keys().map(DocPath::as_str).collect();
        assert_eq!(places, ["plan/active/x", "plan/archive/v1/x"]);
    }
}
