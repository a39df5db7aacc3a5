//! Commits with the user's signature, where their git signs what it commits. No two signatures are the same,
//! so the one that was made is remembered: a commit that is built again is the one that was built before.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::ids::Sha256;

use super::config::Setting;
use super::index::{disk, object};
use super::place::Place;
use super::run::Git;
use crate::files::read_bounded;

/// A person may have to type a passphrase.
const LONGEST: Duration = Duration::from_secs(300);
/// Where signed commits are remembered, in the directory that all work trees share.
const MEMORY: &str = "hast/signed";
/// How many signed commits are remembered.
const MOST: usize = 500;
/// How many lines of what was said are kept.
const LINES: usize = 4;
/// Programs that sign, and what git takes where nobody names one.
const PROGRAMS: &[(&[&str], &str)] = &[
    (&["gpg.program", "gpg.openpgp.program"], "gpg"),
    (&["gpg.x509.program"], "gpgsm"),
    (&["gpg.ssh.program"], "ssh-keygen"),
];
const KEY_COMMAND: &str = "gpg.ssh.defaultkeycommand";

/// How the user's git signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signing {
    settings: Vec<(String, String)>,
}

impl Signing {
    /// Nothing where commits are not signed. The program is the user's choice, or git's; one that only the
    /// repository names does not run.
    pub(super) fn of(settings: &[Setting]) -> Option<Self> {
        let last = |key: &str| settings.iter().rev().find(|setting| setting.key == key);
        if !last("commit.gpgsign").is_some_and(|wanted| is_true(&wanted.value)) {
            return None;
        }
        let users = |keys: &[&str]| {
            let mut found = settings.iter().rev().filter(|setting| setting.is_users());
            found.find(|setting| keys.contains(&setting.key.as_str())).map(|it| it.value.clone())
        };
        let mut all: Vec<(String, String)> = PROGRAMS
            .iter()
            .map(|(keys, usual)| {
                (keys[0].to_owned(), users(keys).unwrap_or_else(|| (*usual).to_owned()))
            })
            .collect();
        if last(KEY_COMMAND).is_some() {
            all.push((KEY_COMMAND.to_owned(), users(&[KEY_COMMAND]).unwrap_or_default()));
        }
        for key in ["gpg.format", "user.signingkey"] {
            all.extend(last(key).map(|setting| (key.to_owned(), setting.value.clone())));
        }
        Some(Self { settings: all })
    }
}

fn is_true(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(value.as_str(), "true" | "yes" | "on")
        || value.parse::<i64>().is_ok_and(|number| number != 0)
}

/// What a commit says, without its signature.
#[derive(Debug, PartialEq, Eq)]
struct Said<'c> {
    tree: &'c [u8],
    parents: Vec<&'c [u8]>,
    author: &'c [u8],
    committer: &'c [u8],
    message: &'c [u8],
}

impl<'c> Said<'c> {
    fn by(commit: &'c [u8]) -> Option<Self> {
        let end = commit.windows(2).position(|two| two == b"\n\n")?;
        let lines = || commit[..end].split(|byte| *byte == b'\n');
        let all = |word: &'static [u8]| lines().filter_map(move |line| line.strip_prefix(word));
        Some(Self {
            tree: all(b"tree ").next()?,
            parents: all(b"parent ").collect(),
            author: all(b"author ").next()?,
            committer: all(b"committer ").next()?,
            message: &commit[end + 2..],
        })
    }

    /// Names apart: git tidies those that are not plain.
    fn is_same(&self, other: &Self) -> bool {
        (self.tree, &self.parents, self.message) == (other.tree, &other.parents, other.message)
    }
}

/// `name <address> seconds zone`.
fn who(line: &[u8]) -> Option<(String, String, String)> {
    let text = String::from_utf8_lossy(line);
    let (name, rest) = text.split_once('<')?;
    let (email, date) = rest.rsplit_once('>')?;
    Some((name.trim().to_owned(), email.to_owned(), format!("@{}", date.trim())))
}

impl Git {
    /// The commit that has these bytes and a signature of the user's.
    pub(super) fn sign(&self, signing: &Signing, unsigned: &[u8]) -> Result<ObjectId, GitProblem> {
        let unreadable = || GitProblem::NotSigned { said: "the commit cannot be read".to_owned() };
        let said = Said::by(unsigned).ok_or_else(unreadable)?;
        let name = Sha256::of(unsigned);
        let remembered = self.place.common_dir.join(MEMORY).join(name.as_str());
        if let Some(known) = self.signed_before(&remembered, &said) {
            return Ok(known);
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut call = self.call(["commit-tree", "-S", &text(said.tree)]).longest(LONGEST);
        for parent in &said.parents {
            call = call.args(["-p", &text(parent)]);
        }
        for (key, value) in &signing.settings {
            call = call.setting(key, value);
        }
        for (name, value) in &self.environment.signing {
            call = call.variable(name, value);
        }
        let (name, email, date) = who(said.author).ok_or_else(unreadable)?;
        call = call.variable("GIT_AUTHOR_NAME", name).variable("GIT_AUTHOR_EMAIL", email);
        call = call.variable("GIT_AUTHOR_DATE", date);
        let (name, email, date) = who(said.committer).ok_or_else(unreadable)?;
        call = call.variable("GIT_COMMITTER_NAME", name).variable("GIT_COMMITTER_EMAIL", email);
        call = call.variable("GIT_COMMITTER_DATE", date);
        let output = call.synced().input(said.message.to_vec()).output()?;
        if output.code != Some(0) {
            return Err(GitProblem::NotSigned { said: complaints(&output.stderr) });
        }
        let commit = object(text(&output.stdout).lines().next().unwrap_or_default())?;
        remember(&self.place, &remembered, &commit)?;
        Ok(commit)
    }

    /// What is remembered counts only where it says the same: others can write there.
    fn signed_before(&self, remembered: &Path, said: &Said<'_>) -> Option<ObjectId> {
        let text = read_bounded(remembered, 100).ok()?;
        let known: ObjectId = std::str::from_utf8(&text).ok()?.parse().ok()?;
        let bytes = self.call(["cat-file", "commit", known.as_str()]).run().ok()?;
        let signed = bytes.windows(8).any(|part| part == b"\ngpgsig ")
            || bytes.windows(15).any(|part| part == b"\ngpgsig-sha256 ");
        Said::by(&bytes).filter(|there| signed && there.is_same(said)).map(|_| known)
    }
}

/// What git and the program that signs say, without what is for machines.
fn complaints(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines =
        text.lines().map(|line| line.trim().trim_start_matches("error: ").trim_end_matches(':'));
    let told = lines.filter(|line| !line.is_empty() && !line.starts_with("[GNUPG:]"));
    told.take(LINES).collect::<Vec<_>>().join("; ")
}

/// Two lanes may remember at once, so each writes into a file of its own before it gives it the name.
fn remember(place: &Place, remembered: &Path, commit: &ObjectId) -> Result<(), GitProblem> {
    let memory = place.common_dir.join(MEMORY);
    fs::create_dir_all(&memory).map_err(|error| disk(&memory, error))?;
    let entries = fs::read_dir(&memory).into_iter().flatten().flatten();
    let time = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut all: Vec<_> = entries.filter_map(time).collect();
    if all.len() > MOST {
        all.sort();
        for (_, old) in &all[..MOST / 2] {
            let _ = fs::remove_file(old);
        }
    }
    let staged = place.scratch("signed")?;
    let written = File::create(&staged.path)
        .and_then(|mut file| {
            file.write_all(commit.as_str().as_bytes()).and_then(|()| file.sync_all())
        })
        .and_then(|()| rustix::fs::rename(&staged.path, remembered).map_err(Into::into));
    written.map_err(|error| disk(remembered, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(scope: &str, key: &str, value: &str) -> Setting {
        let origin = String::new();
        Setting { scope: scope.into(), origin, key: key.into(), value: value.into() }
    }

    fn value<'s>(signing: &'s Signing, key: &str) -> Option<&'s str> {
        let found = signing.settings.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    #[test]
    fn commits_are_signed_where_the_last_word_says_so() {
        for (wanted, expected) in [("true", true), ("1", true), ("off", false), ("", false)] {
            let settings = [
                setting("global", "commit.gpgsign", "yes"),
                setting("local", "commit.gpgsign", wanted),
            ];
            assert_eq!(Signing::of(&settings).is_some(), expected, "{wanted}");
        }
        assert_eq!(Signing::of(&[]), None);
    }

    #[test]
    fn the_program_is_the_users_and_never_the_repositorys() {
        let settings = [
            setting("global", "commit.gpgsign", "true"),
            setting("global", "gpg.openpgp.program", "mine"),
            setting("local", "gpg.program", "evil"),
            setting("local", "gpg.ssh.program", "evil"),
            setting("local", "gpg.ssh.defaultkeycommand", "evil"),
            setting("local", "user.signingkey", "ABC"),
        ];
        let signing = Signing::of(&settings).unwrap();
        assert_eq!(value(&signing, "gpg.program"), Some("mine"));
        assert_eq!(value(&signing, "gpg.ssh.program"), Some("ssh-keygen"));
        assert_eq!(value(&signing, KEY_COMMAND), Some(""));
        assert_eq!(value(&signing, "user.signingkey"), Some("ABC"));
    }

    #[test]
    fn what_a_commit_says_is_read_without_its_signature() {
        let plain = b"tree t\nparent p\nauthor A <a@b> 5 +0000\ncommitter C <c@d> 6 +0900\n\nit\n";
        let signed = b"tree t\nparent p\nauthor A <a@b> 5 +0000\ncommitter C <c@d> 6 +0900\ngpgsig x\n y\n\nit\n";
        let (plain, signed) = (Said::by(plain).unwrap(), Said::by(signed).unwrap());
        assert_eq!(plain, signed);
        let expected = ("C".to_owned(), "c@d".to_owned(), "@6 +0900".to_owned());
        assert_eq!(who(plain.committer), Some(expected));
    }

    #[test]
    fn two_lanes_remember_their_commits_at_once() {
        let scratch = tempfile::tempdir().unwrap();
        let git_dir = scratch.path().join(".git");
        let place =
            Place { top: scratch.path().into(), git_dir: git_dir.clone(), common_dir: git_dir };
        let commit: ObjectId = "0123456789012345678901234567890123456789".parse().unwrap();
        let lane = |lane: usize| {
            for number in 0..100 {
                let name = place.common_dir.join(MEMORY).join(format!("{lane}-{number}"));
                remember(&place, &name, &commit).unwrap();
                assert_eq!(fs::read_to_string(name).unwrap(), commit.as_str());
            }
        };
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || lane(number));
            }
        });
    }
}
