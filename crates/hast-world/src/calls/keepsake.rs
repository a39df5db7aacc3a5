//! Backup of hast's own files while an agent works that no sandbox keeps from them. It has a second
//! link to each of these files, and the bytes of small ones. Files that the agent deleted or cut
//! are put back before hast writes or judges anything.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hast_flow::steps::{Keep, KeepHow};
use rustix::fs::OFlags;

use super::doors::Doors;
use crate::files::read_bounded;
use crate::root_path::RootPath;

/// Bytes of larger files are not held; they are still linked.
const MAX_BYTES: usize = 4 << 20;
/// More files of one directory than this are not held.
const MOST: usize = 1_000;

/// Held until it is given back.
#[derive(Debug)]
pub(super) struct Keepsake {
    root: PathBuf,
    links: PathBuf,
    files: Vec<Held>,
    /// The store makes them once.
    directories: Vec<PathBuf>,
    doors: Doors,
}

#[derive(Debug)]
struct Held {
    path: PathBuf,
    how: KeepHow,
    /// The same file by another name; none where there can or need be no link.
    link: Option<PathBuf>,
    inode: (u64, u64),
    mode: u32,
    bytes: Option<Vec<u8>>,
}

impl Keepsake {
    /// Holds these documents, and what the stores that they are in have of their own. `links` is a
    /// directory out of the agent's way, on the same file system.
    pub(super) fn of(root: &Path, documents: &Path, keeps: &[Keep], links: PathBuf) -> Self {
        let (files, directories) = (Vec::new(), Vec::new());
        let doors = Doors::default();
        let mut keepsake = Self { root: root.to_owned(), links, files, directories, doors };
        // What a process that died had held.
        let _ = fs::remove_dir_all(&keepsake.links);
        if fs::create_dir_all(&keepsake.links).is_err() {
            return keepsake;
        }
        for Keep { path, how } in keeps {
            keepsake.hold_all(&documents.join(path.as_str()), *how);
        }
        let mut stores: Vec<PathBuf> = vec![documents.to_owned()];
        let kept = keepsake.files.iter().filter_map(|held| held.path.parent());
        stores.extend(kept.map(Path::to_owned));
        stores.sort();
        stores.dedup();
        stores.iter().for_each(|store| keepsake.hold_store(&store.join(".hast")));
        let above = keepsake.files.iter().filter_map(|held| held.path.parent());
        let all = above.chain(keepsake.directories.iter().map(PathBuf::as_path));
        keepsake.doors = Doors::to(root, all);
        keepsake
    }

    /// All that lies directly in a store's own directory.
    fn hold_store(&mut self, own: &Path) {
        let entries = fs::read_dir(own).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).take(MOST) {
            if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
                self.directories.push(path);
                continue;
            }
            let grows = path.extension().is_some_and(|extension| extension == "ndjson");
            self.hold_open(&path, if grows { KeepHow::Growing } else { KeepHow::There });
        }
    }

    fn hold_all(&mut self, path: &Path, how: KeepHow) {
        if !path.is_dir() {
            return self.hold(path, how);
        }
        let mut found: Vec<PathBuf> = Vec::new();
        if let Ok(path) = RootPath::new(path) {
            path.walk(&mut |file| found.extend(file.ok().map(|file| file.to_path_buf())));
        }
        found.truncate(MOST);
        found.iter().for_each(|file| self.hold(file, how));
    }

    /// A document. One that people write is not linked: that would change its date, and git would have to
    /// read it again.
    fn hold(&mut self, path: &Path, how: KeepHow) {
        self.hold_as(path, how, how != KeepHow::OfPeople);
    }

    /// A file that this process may have open.
    fn hold_open(&mut self, path: &Path, how: KeepHow) {
        self.hold_as(path, how, true);
    }

    fn hold_as(&mut self, path: &Path, how: KeepHow, linked: bool) {
        let Some(metadata) = plain(path) else { return };
        // The journal is large and rewritten in place; what is in it is the store's to check.
        let small = metadata.len() <= MAX_BYTES as u64 && !path.ends_with(".hast/journal");
        let bytes = if small { read_bounded(path, MAX_BYTES).ok() } else { None };
        let linked = (linked || bytes.is_none())
            .then(|| self.links.join(self.files.len().to_string()))
            .filter(|link| fs::hard_link(path, link).is_ok());
        let (inode, mode) = (inode(&metadata), metadata.mode() & 0o7777);
        self.files.push(Held { path: path.to_owned(), how, link: linked, inode, mode, bytes });
    }

    /// Puts back what is gone or cut, and names it from the root.
    pub(super) fn give_back(self) -> Vec<String> {
        let shown = |path: &Path| {
            path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
        };
        let aside = self.links.with_file_name("aside").join("machine");
        let doors = self.doors.open_again(&aside).into_iter();
        let mut damaged: Vec<String> = doors.map(shown).collect();
        for held in &self.files {
            if matches!(held.mend(), Ok(Mended::Nothing)) {
                continue;
            }
            damaged.push(shown(&held.path));
        }
        let _ = fs::remove_dir_all(&self.links);
        damaged
    }
}

enum Mended {
    Nothing,
    Something,
}

impl Held {
    fn mend(&self) -> io::Result<Mended> {
        let there = fs::symlink_metadata(&self.path).ok();
        // The number of a file that is gone is soon another's.
        let same = there.as_ref().is_some_and(|now| now.is_file() && inode(now) == self.inode);
        match (self.how, there) {
            (KeepHow::There | KeepHow::OfPeople, Some(now)) if now.is_file() => Ok(Mended::Nothing),
            (KeepHow::Growing | KeepHow::Same, Some(now)) if now.is_file() && self.is_whole() => {
                Ok(Mended::Nothing)
            }
            (_, there) => {
                if !same {
                    self.bring_back(there.as_ref())?;
                }
                self.write_back()?;
                Ok(Mended::Something)
            }
        }
    }

    /// Whether everything is there that was.
    fn is_whole(&self) -> bool {
        let Some(before) = &self.bytes else { return true };
        let limit = before.len().saturating_add(MAX_BYTES);
        let now = read_bounded(&self.path, limit);
        now.is_ok_and(|now| match self.how {
            KeepHow::Growing => now.starts_with(before),
            KeepHow::Same | KeepHow::There | KeepHow::OfPeople => now == *before,
        })
    }

    /// The same file where it was: whoever has it open goes on with it.
    fn bring_back(&self, there: Option<&Metadata>) -> io::Result<()> {
        if let Some(above) = self.path.parent() {
            fs::create_dir_all(above)?;
        }
        match there {
            Some(now) if now.is_dir() => fs::remove_dir_all(&self.path)?,
            Some(_) => fs::remove_file(&self.path)?,
            None => {}
        }
        match &self.link {
            Some(link) => fs::hard_link(link, &self.path),
            None => Ok(()),
        }
    }

    /// Its bytes as they were, in place.
    fn write_back(&self) -> io::Result<()> {
        let Some(bytes) = self.bytes.as_ref().filter(|_| !self.is_whole()) else { return Ok(()) };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        // Neither a link is followed nor a pipe waited for.
        let plain = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or_default();
        let mut file = options.custom_flags(plain).open(&self.path)?;
        file.set_permissions(fs::Permissions::from_mode(self.mode))?;
        file.write_all(bytes)?;
        file.sync_all()
    }
}

/// A file that is no link.
fn plain(path: &Path) -> Option<Metadata> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file)
}

fn inode(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use hast_flow::store::DocPath;

    use super::*;

    struct Scene {
        directory: tempfile::TempDir,
    }

    impl Scene {
        fn new() -> Self {
            let scene = Self { directory: tempfile::TempDir::new().unwrap() };
            for (path, text) in [
                ("goals.yaml", "goals: []\n"),
                ("events/events.ndjson", "{\"a\":1}\n{\"a\":2}\n"),
                ("attempts/M1/1/base.json", "{}\n"),
                (".hast/journal", "journal"),
                (".hast/steps.ndjson", "{}\n"),
            ] {
                scene.write(path, text);
            }
            scene
        }

        fn path(&self, path: &str) -> PathBuf {
            self.directory.path().join(".ai").join(path)
        }

        #[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
        fn write(&self, path: &str, text: &str) {
            fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
            fs::write(self.path(path), text).unwrap();
        }

        fn read(&self, path: &str) -> String {
            fs::read_to_string(self.path(path)).unwrap_or_default()
        }

        fn held(&self) -> Keepsake {
            let keep = |path, how| Keep { path: DocPath::new(path).unwrap(), how };
            let keeps = [
                keep("goals.yaml", KeepHow::OfPeople),
                keep("rules.md", KeepHow::OfPeople),
                keep("events/events.ndjson", KeepHow::Growing),
                keep("attempts/M1", KeepHow::Same),
            ];
            let root = self.directory.path();
            Keepsake::of(root, &root.join(".ai"), &keeps, root.join("links"))
        }
    }

    #[test]
    fn where_nothing_is_missing_nothing_is_touched_and_no_link_is_left() {
        let scene = Scene::new();
        let held = scene.held();
        // A person and another process at work.
        scene.write("goals.yaml", "goals: [1]\n");
        scene.write("events/events.ndjson", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
        assert_eq!(held.give_back(), Vec::<String>::new());
        assert_eq!(scene.read("goals.yaml"), "goals: [1]\n");
        assert!(scene.read("events/events.ndjson").contains('3'));
        assert!(!scene.directory.path().join("links").exists());
    }

    #[test]
    fn what_people_write_keeps_its_date_and_comes_back_with_its_mode() {
        let scene = Scene::new();
        let path = scene.path("goals.yaml");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let date = || {
            let there = fs::metadata(&path).unwrap();
            (there.ctime(), there.ctime_nsec(), there.nlink())
        };
        let before = date();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let held = scene.held();
        assert_eq!(date(), before, "git takes a file with another date for a changed one");
        assert_eq!(held.give_back(), Vec::<String>::new());
        assert_eq!(date(), before);
        let held = scene.held();
        fs::remove_file(&path).unwrap();
        assert_eq!(held.give_back(), [".ai/goals.yaml"]);
        assert_eq!(scene.read("goals.yaml"), "goals: []\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
    fn a_pipe_a_link_or_a_directory_in_place_of_a_file_or_of_what_it_is_in_goes() {
        let breaks: [fn(&Scene); 5] = [
            |scene| {
                fs::remove_file(scene.path("goals.yaml")).unwrap();
                let mode = rustix::fs::Mode::from_raw_mode(0o600);
                let kind = rustix::fs::FileType::Fifo;
                rustix::fs::mknodat(rustix::fs::CWD, scene.path("goals.yaml"), kind, mode, 0)
                    .unwrap();
            },
            |scene| {
                fs::remove_file(scene.path("goals.yaml")).unwrap();
                fs::create_dir(scene.path("goals.yaml")).unwrap();
            },
            |scene| {
                fs::remove_dir_all(scene.path("")).unwrap();
                fs::File::create(scene.directory.path().join(".ai")).unwrap();
            },
            |scene| {
                fs::rename(scene.path("events"), scene.path("moved")).unwrap();
                std::os::unix::fs::symlink("moved", scene.path("events")).unwrap();
            },
            |scene| {
                fs::remove_dir_all(scene.path("attempts")).unwrap();
                fs::File::create(scene.path("attempts")).unwrap();
            },
        ];
        for (number, damage) in breaks.iter().enumerate() {
            let scene = Scene::new();
            let held = scene.held();
            damage(&scene);
            assert!(!held.give_back().is_empty(), "{number}");
            assert_eq!(scene.read("goals.yaml"), "goals: []\n", "{number}");
            assert_eq!(scene.read("attempts/M1/1/base.json"), "{}\n", "{number}");
            assert!(scene.path("events").symlink_metadata().unwrap().is_dir(), "{number}");
            assert_eq!(scene.read("events/events.ndjson"), "{\"a\":1}\n{\"a\":2}\n", "{number}");
        }
    }

    #[test]
    fn what_was_taken_away_comes_back_as_the_same_file() {
        let scene = Scene::new();
        let journal = fs::metadata(scene.path(".hast/journal")).unwrap().ino();
        let held = scene.held();
        fs::remove_dir_all(scene.path("")).unwrap();
        let told = held.give_back();
        assert!(told.contains(&".ai/events/events.ndjson".to_owned()), "{told:?}");
        assert_eq!(told.len(), 5, "{told:?}");
        assert_eq!(scene.read("goals.yaml"), "goals: []\n");
        assert_eq!(scene.read("attempts/M1/1/base.json"), "{}\n");
        assert_eq!(fs::metadata(scene.path(".hast/journal")).unwrap().ino(), journal);
    }

    #[test]
    fn a_log_that_was_cut_forged_or_replaced_is_as_it_was() {
        for forged in ["", "{\"a\":1}\n", "{\"a\":1}\n{\"a\":9}\n{\"a\":3}\n"] {
            let scene = Scene::new();
            let held = scene.held();
            scene.write("events/events.ndjson", forged);
            assert_eq!(held.give_back(), [".ai/events/events.ndjson"], "{forged}");
            assert_eq!(scene.read("events/events.ndjson"), "{\"a\":1}\n{\"a\":2}\n");
        }
        let scene = Scene::new();
        let held = scene.held();
        let log = scene.path("events/events.ndjson");
        fs::remove_file(&log).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &log).unwrap();
        assert_eq!(held.give_back().len(), 1);
        assert!(!log.is_symlink());
        assert_eq!(scene.read("events/events.ndjson"), "{\"a\":1}\n{\"a\":2}\n");
    }
}
