//! Landlock: from here on, this process and all that it starts write only where they may.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hast_flow::process::exit::{Applied, Missing};
use landlock::{
    ABI, Access, AccessFs, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

/// The newest version whose rights are asked for; an older kernel gives what it has.
const WANTED: ABI = ABI::V6;

/// Devices that hold nothing, and terminals: programs write to them as a matter of course.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Restricts this process for good: writing only below `writable` and `tmp`, no devices made anywhere, signals and
/// abstract sockets only to what it starts itself. Reading is not restricted.
pub(crate) fn restrict(writable: &[PathBuf], tmp: &Path) -> Applied {
    match try_restrict(writable, tmp) {
        Ok(status) => applied(&status),
        Err(error) => Applied::Unavailable { why: error.to_string() },
    }
}

/// What a call would be held by here. It stays the same while a process lives.
pub fn ability() -> &'static Applied {
    static ABILITY: OnceLock<Applied> = OnceLock::new();
    ABILITY.get_or_init(tried)
}

/// Tried on a thread that ends at once: the others stay free.
fn tried() -> Applied {
    let tried = std::thread::Builder::new().spawn(|| restrict(&[], Path::new("/nowhere")));
    let joined = tried.map_err(|error| error.to_string()).map(std::thread::JoinHandle::join);
    match joined {
        Ok(Ok(applied)) => applied,
        Ok(Err(_)) => Applied::Unavailable { why: "its thread ended".to_owned() },
        Err(why) => Applied::Unavailable { why },
    }
}

fn try_restrict(writable: &[PathBuf], tmp: &Path) -> Result<RestrictionStatus, RulesetError> {
    let write = AccessFs::from_write(WANTED);
    let ruleset = Ruleset::default().handle_access(write)?.scope(Scope::from_all(WANTED))?;
    let mut rules = ruleset.create()?;
    let granted = write & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let devices = DEVICES.iter().map(Path::new);
    for path in writable.iter().map(PathBuf::as_path).chain([tmp]).chain(devices) {
        // What is not there cannot be granted, and need not be.
        let Ok(opened) = PathFd::new(path) else { continue };
        rules = rules.add_rule(PathBeneath::new(opened, rights(path, granted)))?;
    }
    rules.restrict_self()
}

/// A file has no rights about entries; granting those on it is an error.
fn rights(path: &Path, granted: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if path.is_dir() { granted } else { granted & AccessFs::from_file(WANTED) }
}

fn applied(status: &RestrictionStatus) -> Applied {
    let abi = match &status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            kernel_abi.unwrap_or(*effective_abi as i32)
        }
        LandlockStatus::NotEnabled => {
            return Applied::Unavailable { why: "Landlock is switched off".to_owned() };
        }
        LandlockStatus::NotImplemented => {
            return Applied::Unavailable { why: "the kernel has no Landlock".to_owned() };
        }
    };
    match status.ruleset {
        RulesetStatus::FullyEnforced => Applied::Whole { abi },
        RulesetStatus::PartiallyEnforced => Applied::Partly { abi, missing: Missing::Rights },
        RulesetStatus::NotEnforced => Applied::Unavailable { why: format!("Landlock {abi}") },
    }
}
