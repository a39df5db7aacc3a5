//! Places that all programs of a user share, private to one run in a room: `/tmp`, `/var/tmp` and the
//! user's home. What the run needs of a covered place is seen at its own path. Needs a mount namespace
//! of the run's own, and comes after the room's overlay: the room's layers may lie in the home.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, mount};

use super::held::Held;
use super::mounts::{mount_points, named_error};
use super::overlay::Layers;

/// Directories for files of a moment.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
/// The system's own directories and the temporary ones: a directory above one of them is no home.
const OF_SYSTEM: [&str; 7] = ["/tmp", "/var/tmp", "/usr", "/etc", "/dev", "/proc", "/run"];

/// Files that a run needs to see, wherever they lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The run's own directory: everything that is written to private places lies here.
    pub(crate) scratch: PathBuf,
    /// `HOME` of the program.
    pub(crate) home: Option<PathBuf>,
    /// Programs, files among the words of the command, and their directories.
    pub(crate) read: Vec<PathBuf>,
}

/// The private places of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrivatePlaces {
    /// Directories whose files are gone after the run.
    pub(crate) open: Vec<PathBuf>,
    /// Files of the user's that are seen in them, or in the home, and stay as they are.
    pub(super) closed: Vec<PathBuf>,
    /// Variables that lead programs there.
    pub(crate) variables: Vec<(&'static str, PathBuf)>,
}

/// Makes the private places. `granted` is what the run may write of the user's, the checkout among it;
/// `closed` is what it reads.
pub(super) fn make(
    needs: &Needs,
    checkout: &Path,
    granted: &[PathBuf],
    closed: &[PathBuf],
) -> io::Result<PrivatePlaces> {
    let mut places = PrivatePlaces::default();
    let home = needs.home.as_ref().and_then(|home| home.canonicalize().ok());
    let is_granted = |place: &Path| granted.iter().any(|one| place.starts_with(one));
    if let Some(home) = home.filter(|home| may_cover(home, checkout) && !is_granted(home)) {
        match cover_home(&home, &needs.scratch, granted) {
            Ok(()) => places.open.push(home),
            // A file system that no overlay takes: the home is read, and caches go elsewhere.
            Err(_) => places.closed.push(home),
        }
    }
    let mut seen: Vec<PathBuf> = [&places.open, granted, closed].concat();
    seen.push(checkout.to_owned());
    let of_moment = |path: &Path| TEMPORARY.iter().any(|place| path.starts_with(place));
    let is_open = |path: &Path| places.open.iter().any(|open| path.starts_with(open));
    let read =
        needs.read.iter().filter(|path| of_moment(path) && !is_granted(path) && !is_open(path));
    let read: Vec<PathBuf> = read.cloned().collect();
    places.closed.extend(read);
    seen.extend(places.closed.iter().cloned());
    let mut covered = Vec::new();
    for (number, place) in TEMPORARY.iter().enumerate() {
        let Ok(place) = Path::new(place).canonicalize() else { continue };
        let known = covered.contains(&place) || place.starts_with(checkout);
        if known || is_granted(&place) {
            continue;
        }
        let own = needs.scratch.join(if number == 0 { "tmp" } else { "var" });
        fs::create_dir_all(&own).map_err(|error| named_error(&own, &error))?;
        covered.push(place.clone());
        cover(&place, &own, &seen)?;
    }
    places.lead_programs(&covered, needs);
    places.open.extend(covered);
    Ok(places)
}

impl PrivatePlaces {
    fn lead_programs(&mut self, covered: &[PathBuf], needs: &Needs) {
        let temporary = match covered.first() {
            Some(first) => first.clone(),
            None => {
                self.open.push(needs.scratch.join("tmp"));
                needs.scratch.join("tmp")
            }
        };
        if let Some(home) = &needs.home
            && !self.open.iter().any(|open| home.starts_with(open))
        {
            let caches = temporary.join("caches");
            self.variables.extend(CACHES.map(|(name, below)| (name, caches.join(below))));
        }
        self.variables.push(("TMPDIR", temporary));
    }
}

/// Caches of package managers for a home that cannot be written. `CARGO_HOME` is not among
/// these: it has settings and installed programs too.
const CACHES: [(&str, &str); 8] = [
    ("XDG_CACHE_HOME", ""),
    ("npm_config_cache", "npm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go-build"),
    ("GOMODCACHE", "go-mod"),
    ("GRADLE_USER_HOME", "gradle"),
];

/// A home in the checkout is copy-on-write with it; one above the system's directories is none.
fn may_cover(home: &Path, checkout: &Path) -> bool {
    let above = OF_SYSTEM.iter().any(|path| Path::new(path).starts_with(home));
    !above && !home.starts_with(checkout)
}

/// An overlay over the home: it is read through, and what is written lies in the run's own directory.
fn cover_home(home: &Path, scratch: &Path, granted: &[PathBuf]) -> io::Result<()> {
    let (upper, work) = (scratch.join("home"), scratch.join("home-work"));
    fs::create_dir_all(&upper)?;
    fs::create_dir_all(&work)?;
    // The home's own rights are those of its upper layer.
    fs::set_permissions(&upper, fs::metadata(home)?.permissions())?;
    let table = fs::read("/proc/self/mountinfo")?;
    let mut kept: Vec<PathBuf> = granted.to_vec();
    kept.extend(mount_points(&table));
    let kept = outermost(&kept, home);
    // A file system of somebody else's below the home cannot be opened, and not be seen either.
    let held: Vec<Held> = kept.iter().filter_map(|path| Held::take(path).ok()).collect();
    let layers = Layers { lower: home, upper: &upper, work: &work };
    mount("overlay", home, "overlay", MountFlags::empty(), layers.options()?.as_c_str())?;
    held.iter().try_for_each(Held::put)
}

/// Another directory over a place, with what the run needs of it.
fn cover(place: &Path, own: &Path, seen: &[PathBuf]) -> io::Result<()> {
    let held: io::Result<Vec<Held>> =
        outermost(seen, place).iter().map(|path| Held::take(path)).collect();
    let (held, own) = (held?, Held::take_for(own, place.to_owned())?);
    own.put()?;
    held.iter().try_for_each(Held::put)
}

/// The paths below a place that are not below another one.
fn outermost(paths: &[PathBuf], place: &Path) -> Vec<PathBuf> {
    let mut inside: Vec<PathBuf> = paths.to_vec();
    inside.retain(|path| path != place && path.starts_with(place) && path.exists());
    inside.sort();
    inside.dedup();
    let mut outer: Vec<PathBuf> = Vec::new();
    for path in inside {
        if !outer.iter().any(|above| path.starts_with(above)) {
            outer.push(path);
        }
    }
    outer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_covered_where_it_is_one_and_not_in_the_checkout() {
        let may = |home: &str| may_cover(Path::new(home), Path::new("/users/me/p"));
        assert!(may("/users/me") && may("/root") && may("/tmp/me"));
        for home in ["/", "/tmp", "/usr", "/var", "/users/me/p", "/users/me/p/house"] {
            assert!(!may(home), "{home}");
        }
    }
}
