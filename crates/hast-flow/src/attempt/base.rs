//! Where an attempt began, and what of it is safe: the two proofs without which nothing is thrown
//! away. Neither can be made by hand.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ids::Sha256;
use crate::store::Seen;
use crate::store::identity::ContentHash;
use crate::time::UtcTime;

/// The name of an object of git: 40 or 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId(Box<str>);

/// The text does not name an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name an object of git")]
pub struct BadObjectId(String);

impl ObjectId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ObjectId {
    type Err = BadObjectId;

    fn from_str(text: &str) -> Result<Self, BadObjectId> {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if matches!(text.len(), 40 | 64) && text.bytes().all(hex) {
            Ok(Self(text.into()))
        } else {
            Err(BadObjectId(text.chars().take(80).collect()))
        }
    }
}

impl TryFrom<String> for ObjectId {
    type Error = BadObjectId;

    fn try_from(text: String) -> Result<Self, BadObjectId> {
        text.parse()
    }
}

impl From<ObjectId> for String {
    fn from(id: ObjectId) -> Self {
        id.0.into()
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What belongs to an attempt and what does not. Paths have `/` and begin at the top of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeRules {
    /// Never looked at, saved, committed or rolled back: machine files and the roots of other
    /// flows. A directory ends in `/`.
    pub leave_out: Vec<String>,
    /// Files, and directories ending in `/`, that no attempt may change. They may lie in what is left out.
    pub protected: Vec<String>,
    /// Globs of the configuration's `protect`, written as in a `.gitignore`.
    pub protect: Vec<String>,
    /// The directory of handoffs, ending in `/`: what is in it is no change.
    pub handoffs: Option<String>,
    /// Globs of ignored files that stay as the agent left them (`room_keep`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Installed dependencies whose list changed are installed again before the tests, so that the agent's do
    /// not stay.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub installs_again: bool,
    /// The setup has submodules of its own, so that they begin empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fills_submodules: bool,
}

/// A setup that speaks of submodules fills them: `git submodule update` refuses a directory with files.
pub fn fills_submodules(setup: Option<&String>) -> bool {
    setup.is_some_and(|line| line.contains("submodule"))
}

/// The start of an attempt as the workspace recorded it. It proves nothing until it is a document:
/// print it, commit it, and read [`Base`] back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseRecord {
    version: u32,
    /// The attempt.
    key: String,
    /// The full name of the branch.
    branch: String,
    commit: ObjectId,
    /// The tree that the room began with.
    tree: ObjectId,
    /// Another name of the tree; earlier versions recorded more.
    snapshot: ObjectId,
    rules: TreeRules,
    at: UtcTime,
}

const VERSION: u32 = 1;

/// What a workspace found when it recorded a start.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub branch: String,
    pub commit: ObjectId,
    pub tree: ObjectId,
    pub snapshot: ObjectId,
}

impl BaseRecord {
    pub(super) fn new(key: String, rules: TreeRules, at: UtcTime, found: Recorded) -> Self {
        let Recorded { branch, commit, tree, snapshot } = found;
        Self { version: VERSION, key, branch, commit, tree, snapshot, rules, at }
    }

    /// The text of the document to commit.
    pub fn to_document(&self) -> Vec<u8> {
        // A struct of strings and numbers always prints.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// Proof that the start of an attempt is recorded in a document. Only this can be rolled back to.
///
/// ```compile_fail
/// use hast_flow::attempt::base::{Base, BaseRecord};
/// fn a_record_that_is_no_document_proves_nothing(record: BaseRecord) -> Base {
///     Base { record }
/// }
/// ```
///
/// ```compile_fail
/// use hast_flow::attempt::base::{Base, BaseRecord};
/// fn nor_can_it_be_turned_into_one(record: BaseRecord) -> Base {
///     record.into()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    record: BaseRecord,
}

/// The document does not record a start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBase {
    #[error("it was not read from a document")]
    NotRecorded,
    #[error("the document does not record a start: {0}")]
    Unreadable(String),
    #[error("the document was written by a newer hast")]
    Newer,
}

impl Base {
    /// Reads the proof from a document, with what was seen when it was read.
    pub fn recorded(document: &[u8], seen: &Seen) -> Result<Self, BadBase> {
        let Seen::File(identity) = seen else { return Err(BadBase::NotRecorded) };
        let length = document.len() as u64;
        let same = identity.hash.is_none_or(|hash| hash == ContentHash::of(document));
        if identity.size != length || !same {
            return Err(BadBase::NotRecorded);
        }
        let record: BaseRecord = serde_json::from_slice(document)
            .map_err(|error| BadBase::Unreadable(error.to_string()))?;
        if record.version > VERSION {
            return Err(BadBase::Newer);
        }
        Ok(Self { record })
    }

    pub fn key(&self) -> &str {
        &self.record.key
    }

    /// The full name of the branch, `refs/heads/...`.
    pub fn branch(&self) -> &str {
        &self.record.branch
    }

    pub fn commit(&self) -> &ObjectId {
        &self.record.commit
    }

    pub fn tree(&self) -> &ObjectId {
        &self.record.tree
    }

    pub fn snapshot(&self) -> &ObjectId {
        &self.record.snapshot
    }

    pub fn rules(&self) -> &TreeRules {
        &self.record.rules
    }

    pub fn at(&self) -> UtcTime {
        self.record.at
    }
}

/// What a workspace says it saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedWork {
    /// The full name of the ref.
    pub name: String,
    pub commit: ObjectId,
    pub tree: ObjectId,
    /// What the size cap, or its being a repository of its own, kept out of the ref. A rollback
    /// moves these aside instead of removing them.
    pub overflow: Vec<String>,
}

/// Proof that what is in the tree is on a ref that survives a power cut. Only a performed save
/// makes one, and nothing is thrown away without it.
///
/// ```compile_fail
/// use hast_flow::attempt::base::{Saved, SavedWork};
/// fn nobody_else_can_say_that_it_is_safe(work: SavedWork) -> Saved {
///     Saved { work }
/// }
/// ```
///
/// ```compile_fail
/// use hast_flow::attempt::base::Saved;
/// fn nor_read_it_from_a_file(text: &str) -> Saved {
///     serde_json::from_str(text).unwrap()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    work: SavedWork,
}

impl Saved {
    pub(super) fn performed(work: SavedWork) -> Self {
        Self { work }
    }

    /// For messages and records; a record is no proof.
    pub fn work(&self) -> &SavedWork {
        &self.work
    }
}

/// The ref of an attempt: `refs/hast/attempts/<goal>/<n>`.
pub fn attempt_ref(goal: &str, number: u32) -> String {
    format!("refs/hast/attempts/{}/{number}", ref_part(goal))
}

/// The branch that keeps work which is handed to a person.
pub fn kept_branch(goal: &str) -> String {
    format!("refs/heads/hast/kept/{}", ref_part(goal))
}

/// The next name for a branch that keeps work, where another one has this name. No goal's own branch
/// is called so: in an id the sign would be percent-encoded.
pub fn another_branch(branch: &str, number: u32) -> String {
    if number < 2 { branch.to_owned() } else { format!("{branch}@{number}") }
}

/// How many branches keep work of one goal beside each other.
pub const MOST_KEPT: u32 = 1_000;

/// The longest part of a ref's name. Names of files end at 255 bytes, and git adds to them.
const LONGEST_PART: usize = 200;

/// A text as one part of a ref's name: what git refuses there is percent-encoded, and of what is too long
/// the beginning stays, with a hash of all of it.
pub fn ref_part(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let last = text.len().saturating_sub(1);
    for (at, byte) in text.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'=');
        // A dot is fine inside, but not first, last, doubled, or as `.lock`.
        let dot = byte == b'.'
            && at > 0
            && at < last
            && !text[..at].ends_with('.')
            && &text[at..] != ".lock";
        if plain || dot {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if out.len() > LONGEST_PART {
        let hash = Sha256::of(text.as_bytes());
        let mut cut = LONGEST_PART - 17;
        // Not within an encoded byte.
        cut -= out[..cut].rfind('%').map_or(0, |at| if cut - at < 3 { cut - at } else { 0 });
        out.truncate(cut);
        return format!("{out}-{}", &hash.as_str()[..16]);
    }
    if out.is_empty() { "%".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Identity;

    fn id(digit: char) -> ObjectId {
        digit.to_string().repeat(40).parse().unwrap()
    }

    fn record() -> BaseRecord {
        let found = Recorded {
            branch: "refs/heads/main".into(),
            commit: id('a'),
            tree: id('b'),
            snapshot: id('c'),
        };
        let at = "2026-02-09T05:30:00Z".parse().unwrap();
        BaseRecord::new("M1/1".into(), TreeRules::default(), at, found)
    }

    #[test]
    fn a_base_is_read_from_the_document_that_was_seen() {
        let document = record().to_document();
        let seen = Seen::File(Identity::of(&document, None));
        let base = Base::recorded(&document, &seen).unwrap();
        assert_eq!((base.commit(), base.branch()), (&id('a'), "refs/heads/main"));
    }

    #[test]
    fn what_nobody_has_seen_on_the_disk_is_no_base() {
        let document = record().to_document();
        assert_eq!(Base::recorded(&document, &Seen::Absent), Err(BadBase::NotRecorded));
        let other = Seen::File(Identity::of(b"something else", None));
        assert_eq!(Base::recorded(&document, &other), Err(BadBase::NotRecorded));
    }

    #[test]
    fn a_document_of_a_newer_hast_is_refused() {
        let text = String::from_utf8(record().to_document()).unwrap();
        let text = text.replace("\"version\": 1", "\"version\": 2");
        let seen = Seen::File(Identity::of(text.as_bytes(), None));
        assert_eq!(Base::recorded(text.as_bytes(), &seen), Err(BadBase::Newer));
    }

    #[test]
    fn a_part_of_a_ref_is_never_something_that_git_refuses() {
        let cases = [
            ("M4.3.2", "M4.3.2"),
            ("a b", "a%20b"),
            ("한", "%ED%95%9C"),
            ("../x", "%2E%2E%2Fx"),
            ("a..b", "a.%2Eb"),
            ("x.lock", "x%2Elock"),
            ("end.", "end%2E"),
            ("@{1}", "%40%7B1%7D"),
            ("", "%"),
        ];
        for (text, part) in cases {
            assert_eq!(ref_part(text), part);
        }
    }

    #[test]
    fn a_part_of_a_ref_is_never_too_long_for_a_file_and_tells_long_texts_apart() {
        for length in [22, 23, 66, 67, 300] {
            let (one, other) = ("가".repeat(length), "가".repeat(length) + "나");
            let (one, other) = (ref_part(&one), ref_part(&other));
            assert!(one.len() <= LONGEST_PART && one != other, "{one}");
            let encoded = one.replace("%EA%B0%80", "").replace("%EA%B0", "").replace("%EA", "");
            assert!(!encoded.contains('%'), "{one}");
            assert_eq!(ref_part(&one).len().min(LONGEST_PART), ref_part(&one).len());
        }
        let plain = "x".repeat(LONGEST_PART);
        assert_eq!(ref_part(&plain), plain);
    }

    #[test]
    fn other_texts_name_no_object() {
        for text in ["", "abc", &"g".repeat(40), &"A".repeat(40), &"a".repeat(41)] {
            assert!(text.parse::<ObjectId>().is_err(), "{text}");
        }
    }
}
