//! Approvals of commands that repositories bring, in the user's state directory: one file a
//! repository, never inside of one.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hast_flow::docs::document::Version;
use hast_flow::trust::{Allowance, Approval, Commands, Doubt, Trusted, file_name};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};

use crate::calls::variable;
use crate::files::{PathError, read_if_there};
use crate::root_path::repository;
use crate::roots::git_top;
use crate::settings::user_directory;

/// More than any list of commands.
const MAX_BYTES: usize = 4 << 20;

/// The approvals for one repository.
#[derive(Debug)]
pub struct Approvals {
    /// The repository, by its real path.
    repository: PathBuf,
    file: Option<PathBuf>,
    all: bool,
}

/// What stands in the way.
#[derive(Debug)]
pub enum NotTrusted {
    Doubt(Doubt),
    /// The user has no directory for approvals, or it lies where the repository could write it.
    NoPlace,
    Io(PathError),
}

impl Approvals {
    /// For the repository that a root is in. A directory without git is its own.
    pub fn of(root: &Path, variables: &[(OsString, OsString)]) -> Result<Self, PathError> {
        let top = git_top(root).unwrap_or_else(|| root.to_owned());
        let repository =
            top.canonicalize().map_err(|source| PathError { path: top.clone(), source })?;
        let name = file_name(repository.as_os_str().as_bytes());
        let file = outside(variables, &repository).map(|state| state.join("trust").join(name));
        let file = file.filter(|file| !lies_within(file, &repository));
        Ok(Self { repository, file, all: lets_all(variables) })
    }

    /// The one question before a command of a repository is run.
    pub fn judge(&self, commands: &Commands) -> Result<Trusted, NotTrusted> {
        if self.all {
            return Ok(Trusted::by_the_user(Allowance::All));
        }
        self.judge_stored(commands)
    }

    /// The same by the stored approval alone: whoever stores one asks what is stored, also with `HAST_TRUST=all`.
    pub fn judge_stored(&self, commands: &Commands) -> Result<Trusted, NotTrusted> {
        let approval = self.read().map_err(NotTrusted::Io)?;
        commands.judge(approval.as_ref(), &self.shown()).map_err(NotTrusted::Doubt)
    }

    /// Writes down that the user approved exactly these.
    pub fn approve(&self, commands: &Commands) -> Result<Trusted, NotTrusted> {
        let Some(file) = &self.file else { return Err(NotTrusted::NoPlace) };
        let approval =
            Approval { version: Version, repository: self.shown(), commands: commands.clone() };
        write(file, &approval).map_err(NotTrusted::Io)?;
        Ok(Trusted::by_the_user(Allowance::Approved))
    }

    pub fn repository(&self) -> &Path {
        &self.repository
    }

    /// Text that tells repositories apart, also where their paths are no text.
    fn shown(&self) -> String {
        self.repository.as_os_str().as_bytes().escape_ascii().to_string()
    }

    fn read(&self) -> Result<Option<Approval>, PathError> {
        let Some(file) = &self.file else { return Ok(None) };
        let at = |source| PathError { path: file.clone(), source };
        match file.symlink_metadata() {
            // Only what this user wrote, and nobody else could change, speaks for this user.
            Ok(metadata) => {
                let user = rustix::process::geteuid().as_raw();
                let ours = metadata.is_file() && metadata.uid() == user;
                if !ours || metadata.mode() & 0o022 != 0 {
                    return Ok(None);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(at(error)),
        }
        let bytes = read_if_there(file, MAX_BYTES)?.unwrap_or_default();
        // One that cannot be read approves nothing; the user is asked again.
        Ok(serde_json::from_slice(&bytes).ok())
    }
}

/// Whether the user lets everything run, for CI.
pub(crate) fn lets_all(variables: &[(OsString, OsString)]) -> bool {
    variable(variables, "HAST_TRUST").is_some_and(|value| value == "all")
}

/// The user's directory for what speaks for the user, where the repository of a root cannot reach it.
pub(crate) fn state_place(root: &Path, variables: &[(OsString, OsString)]) -> Option<PathBuf> {
    let repository = repository(root).canonicalize().ok()?;
    match git_top(root) {
        // A home that is no repository was not cloned by anybody.
        None => state_directory(variables),
        Some(_) => outside(variables, &repository),
    }
}

fn state_directory(variables: &[(OsString, OsString)]) -> Option<PathBuf> {
    Some(user_directory(variables, "XDG_STATE_HOME", ".local/state")?.join("hast"))
}

fn outside(variables: &[(OsString, OsString)], repository: &Path) -> Option<PathBuf> {
    state_directory(variables).filter(|state| !lies_within(state, repository))
}

/// Whether a path leads into a directory, by its longest part that is there.
fn lies_within(path: &Path, directory: &Path) -> bool {
    let real = path.ancestors().find_map(|above| above.canonicalize().ok());
    real.is_none_or(|real| real.starts_with(directory)) || path.starts_with(directory)
}

fn write(file: &Path, approval: &Approval) -> Result<(), PathError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| PathError { path, source }
    };
    let directory = file.parent().unwrap_or(Path::new("/"));
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(at(directory))?;
    let staged = file.with_extension(format!("{}.new", std::process::id()));
    let text = serde_json::to_vec_pretty(approval).unwrap_or_default();
    let _ = std::fs::remove_file(&staged);
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    let opened = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(flags)
        .open(&staged);
    opened
        .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
        .map_err(at(&staged))?;
    renameat_with(CWD, &staged, CWD, file, RenameFlags::empty())
        .map_err(|error| at(file)(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use hast_flow::docs::goals::Config;

    struct Scene {
        directory: tempfile::TempDir,
    }

    impl Scene {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(directory.path().join("home")).unwrap();
            std::fs::create_dir_all(directory.path().join("repo/.git")).unwrap();
            Self { directory }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.directory.path().join(path)
        }

        fn approvals(&self, root: &str) -> Approvals {
            let variables = [("HOME".into(), self.at("home").into())];
            Approvals::of(&self.at(root), &variables).unwrap()
        }
    }

    fn commands() -> Commands {
        Commands::of_config(&Config { ai_tool: Some("claude".into()), ..Config::default() })
    }

    #[test]
    fn an_approval_is_kept_outside_and_speaks_for_this_repository_alone() {
        let scene = Scene::new();
        let approvals = scene.approvals("repo");
        assert!(approvals.judge(&commands()).is_err());
        let _ = approvals.approve(&commands()).unwrap();
        assert!(scene.approvals("repo").judge(&commands()).is_ok());
        std::fs::create_dir_all(scene.at("repo/deep")).unwrap();
        assert!(scene.approvals("repo/deep").judge(&commands()).is_ok());
        assert_eq!(std::fs::read_dir(scene.at("repo")).unwrap().count(), 2);
        // Moved, it is another one, also with the file of the old place under its new name.
        std::fs::create_dir_all(scene.at("moved/.git")).unwrap();
        let moved = scene.approvals("moved");
        std::fs::copy(approvals.file.unwrap(), moved.file.as_ref().unwrap()).unwrap();
        assert!(moved.judge(&commands()).is_err());
        let link = scene.at("link");
        symlink(scene.at("repo"), &link).unwrap();
        assert!(scene.approvals("link").judge(&commands()).is_ok());
    }

    #[test]
    fn a_repository_cannot_bring_its_own_approval() {
        let scene = Scene::new();
        // The state directory is, or leads, into the repository.
        symlink(scene.at("repo"), scene.at("home/.local")).unwrap();
        let approvals = scene.approvals("repo");
        assert!(matches!(approvals.approve(&commands()), Err(NotTrusted::NoPlace)));
        assert!(approvals.judge(&commands()).is_err());
        assert_eq!(std::fs::read_dir(scene.at("repo")).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_others_could_have_written_approves_nothing() {
        let scene = Scene::new();
        let approvals = scene.approvals("repo");
        let _ = approvals.approve(&commands()).unwrap();
        let file = approvals.file.clone().unwrap();
        let mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        mode(0o666);
        assert!(approvals.judge(&commands()).is_err());
        mode(0o600);
        assert!(approvals.judge(&commands()).is_ok());
        let real = scene.at("real.json");
        std::fs::copy(&file, &real).unwrap();
        std::fs::remove_file(&file).unwrap();
        symlink(&real, &file).unwrap();
        assert!(approvals.judge(&commands()).is_err());
    }
}
