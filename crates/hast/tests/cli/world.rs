//! A scratch directory, and the real binary run in it with nothing of this machine around it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A directory with files. `home` is beside `project`, so that a search upward ends there.
pub(crate) struct World {
    directory: TempDir,
    lang: &'static str,
}

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        fs::create_dir_all(directory.path().join("home/project")).unwrap();
        Self { directory, lang: "C" }
    }

    pub(crate) fn korean(self) -> Self {
        Self { lang: "ko_KR.UTF-8", ..self }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("home/project")
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        write(&self.root().join(path), text.as_ref());
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let output = self.command(args).output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: self.shown(&output.stdout),
            err: self.shown(&output.stderr),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a test of the binary has to start it")]
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hast"));
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("HOME", self.directory.path().join("home"))
            .env("LANG", self.lang)
            .env("HAST_TEST_WORLD", "2026-02-09T14:30:00+09:00#1")
            .stdin(Stdio::null());
        command
    }

    /// The scratch directory has another name each time.
    fn shown(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let real = self.directory.path().canonicalize().unwrap();
        text.replace(&*real.to_string_lossy(), "/tmp")
            .replace(&*self.directory.path().to_string_lossy(), "/tmp")
    }
}

#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
