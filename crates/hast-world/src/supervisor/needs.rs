//! Files that a program needs to see to be started: itself, the search path, its home, and those that its
//! command names. In a room, private places would hide some of these.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hast_flow::process::SandboxMode;

use super::wire::{Order, OrderStdin};
use crate::programs;
use crate::sandbox::private_places::Needs;

/// A longer word is no path.
const LONGEST_WORD: usize = 4096;

pub(super) fn needs(order: &Order) -> Needs {
    let mut read = Vec::new();
    let cwd = Path::new(&order.cwd);
    let search = order.variable("PATH").unwrap_or_default();
    read.extend(std::env::split_paths(search).filter(|path| path.is_absolute()));
    let program = order.program.to_str().and_then(|name| programs::find(name, search));
    let words = order.args.iter().flat_map(|word| [Some(word.as_os_str()), value(word)]);
    let words = words.flatten().chain([order.program.as_os_str()]);
    let words = words.filter(|word| word.len() <= LONGEST_WORD && !word.is_empty());
    let mut named: Vec<PathBuf> = words.map(|word| cwd.join(word)).chain(program).collect();
    if let OrderStdin::File(path) = &order.stdin {
        named.push(path.into());
    }
    for path in named.iter().filter(|path| path.exists()) {
        read.extend(with_directory(path));
        // A link and where it leads.
        read.extend(path.canonicalize().ok().iter().flat_map(|path| with_directory(path)));
    }
    let read = read.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let home = order.variable("HOME").map(PathBuf::from);
    Needs { scratch: PathBuf::from(&order.scratch), home, read }
}

/// Variables that lead package managers to a cache below the run's own `TMPDIR`, for a sandbox in which the home is
/// only read: without it they end with an error. A cache that the run may write stays where it is. Caches that are of
/// use when they are only read (pip, Go's modules, cargo) stay too.
pub(super) fn caches(order: &Order) -> Vec<(&'static str, PathBuf)> {
    let sandbox = order.sandbox();
    let Some(home) = order.variable("HOME").map(PathBuf::from) else { return Vec::new() };
    if sandbox.mode == SandboxMode::Off || sandbox.room.is_some() {
        return Vec::new();
    }
    let is_open = |cache: &Path| sandbox.writable.iter().any(|open| cache.starts_with(open));
    let aside = Path::new(&order.scratch).join("tmp/caches");
    let closed = CACHES.iter().filter(|(name, below, _)| {
        let own = order.variable(name).map_or_else(|| home.join(below), PathBuf::from);
        !is_open(&own)
    });
    closed.map(|(name, _, to)| (*name, aside.join(to))).collect()
}

/// A variable, where the cache is without it below the home, and its name in the run's own directory.
const CACHES: [(&str, &str, &str); 5] = [
    ("npm_config_cache", ".npm", "npm"),
    ("YARN_CACHE_FOLDER", ".cache/yarn", "yarn"),
    ("UV_CACHE_DIR", ".cache/uv", "uv"),
    ("GOCACHE", ".cache/go-build", "go-build"),
    ("GRADLE_USER_HOME", ".gradle", "gradle"),
];

/// A directory is needed as it is; a file with what lies beside it, unless the directory is everybody's.
fn with_directory(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_owned());
    }
    let above = path.parent()?;
    let shared = ["/tmp", "/var/tmp"].iter().any(|place| Path::new(place).starts_with(above));
    Some(if shared { path } else { above }.to_owned())
}

/// The value in a word such as `--settings=/path`.
fn value(word: &OsString) -> Option<&OsStr> {
    let (_, value) = word.to_str()?.split_once('=')?;
    Some(OsStr::new(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::process::{CommandSpec, Limits, Sandbox};

    #[test]
    fn caches_lead_to_the_runs_own_directory_where_the_home_is_only_read() {
        let asked = |mode, open: &[&str], variable: Option<(&str, &str)>| {
            let mut spec = CommandSpec::new("/bin/true", "/");
            spec.env.insert("HOME".into(), "/users/me".into());
            spec.env.extend(variable.map(|(name, value)| (name.into(), value.into())));
            spec.sandbox = Sandbox { mode, ..Sandbox::off() };
            spec.sandbox.writable = open.iter().map(PathBuf::from).collect();
            let order = Order::new(&spec, &Limits::default(), "/scratch".into());
            caches(&order).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let all: Vec<&str> = CACHES.iter().map(|(name, ..)| *name).collect();
        assert_eq!(asked(SandboxMode::Prefer, &["/tree"], None), all);
        assert_eq!(asked(SandboxMode::Off, &[], None), Vec::<&str>::new());
        assert_eq!(asked(SandboxMode::Enforce, &["/users/me"], None), Vec::<&str>::new());
        assert_eq!(asked(SandboxMode::Prefer, &["/users/me/.npm"], None), all[1..]);
        let own = Some(("GOCACHE", "/tree/cache"));
        assert!(!asked(SandboxMode::Prefer, &["/tree"], own).contains(&"GOCACHE"));
    }

    #[test]
    fn files_that_a_command_names_are_needed_with_their_directories() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("tools/sub")).unwrap();
        std::fs::create_dir(top.join("w")).unwrap();
        for file in ["tools/run.sh", "settings.json"] {
            std::fs::File::create(top.join(file)).unwrap();
        }
        std::os::unix::fs::symlink(top.join("tools/run.sh"), top.join("w/link")).unwrap();
        let settings = format!("--settings={}", top.join("settings.json").display());
        let mut spec = CommandSpec::new("link", top.join("w")).args(["../tools/sub", &settings]);
        spec.env.insert("HOME".into(), top.clone().into());
        let order = Order::new(&spec, &Limits::default(), "/s".into());
        let found = needs(&order);
        let expected = ["tools/sub", "", "w", "tools"].map(|path| top.join(path));
        assert_eq!(found.read.len(), 6, "{found:?}");
        for path in expected {
            assert!(found.read.contains(&path.canonicalize().unwrap()), "{path:?} {found:?}");
        }
        assert_eq!(found.home, Some(top));
        assert_eq!(with_directory(Path::new("/tmp/of-nobody")), Some("/tmp/of-nobody".into()));
    }
}
