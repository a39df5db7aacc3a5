//! The paths that a call may read and write: links are followed first, then the longest prefix that
//! the call was granted or refused decides.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use hast_flow::docs::call::{Call, CallGrants};
use rustix::fs::OFlags;

/// Nothing below these is a file of a project, whatever was granted.
const NEVER: [&str; 3] = ["/proc", "/sys", "/dev"];
const MAX_PATH_BYTES: usize = 4096;

/// The grants of one call, with their links resolved.
#[derive(Clone, Debug)]
pub struct Reach {
    workdir: PathBuf,
    outbox: PathBuf,
    read: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
    write: Vec<PathBuf>,
    closed: Vec<PathBuf>,
}

impl Reach {
    /// A call without grants, from an earlier hast, may read its tree and write its outbox.
    pub fn of(call: &Call, scratch: &Path) -> Self {
        let fallback = || CallGrants {
            read: vec![call.workdir.clone()],
            write: vec![call.outbox.clone()],
            closed: Vec::new(),
            hidden: Vec::new(),
        };
        let CallGrants { read, write, closed, hidden } =
            call.grants.clone().unwrap_or_else(fallback);
        let inputs = call.inputs.iter().map(|input| input.path.clone());
        let own = [call.workdir.clone(), call.outbox.clone(), call.prompt_file.clone()];
        let scratch = real(&scratch.to_string_lossy());
        let mut read: Vec<PathBuf> =
            read.into_iter().chain(inputs).chain(own).map(|path| real(&path)).collect();
        read.push(scratch);
        let outbox = real(&call.outbox);
        let mut write: Vec<PathBuf> = write.iter().map(|path| real(path)).collect();
        write.push(outbox.clone());
        Self {
            workdir: real(&call.workdir),
            outbox,
            read,
            hidden: hidden.iter().map(|path| real(path)).collect(),
            write,
            closed: closed.iter().map(|path| real(path)).collect(),
        }
    }

    pub fn workdir(&self) -> &Path {
        &self.workdir
    }

    /// Whether the call may change more than its own documents.
    pub fn writes_more_than_documents(&self) -> bool {
        self.write.iter().any(|path| !path.starts_with(&self.outbox))
    }

    /// An existing path that may be read.
    pub(super) fn readable(&self, text: &str) -> Result<PathBuf, String> {
        let path = self.resolved(text)?;
        if !self.may_read(&path) {
            return Err(format!(
                "`{text}` may not be read in this call; its files are below `{}`",
                self.workdir.display()
            ));
        }
        match path.symlink_metadata() {
            Ok(_) => Ok(path),
            Err(error) => Err(missing(text, &error)),
        }
    }

    /// A path that may be written, whether or not something is there.
    pub(super) fn writable(&self, text: &str) -> Result<PathBuf, String> {
        let path = self.resolved(text)?;
        if self.may_write(&path) {
            return Ok(path);
        }
        let may: Vec<String> =
            self.write.iter().map(|path| format!("`{}`", path.display())).collect();
        Err(format!("`{text}` may not be written in this call; it may write {}", may.join(", ")))
    }

    pub(super) fn may_read(&self, path: &Path) -> bool {
        deepest(&self.read, path) > deepest(&self.hidden, path) && !is_never(path)
    }

    fn may_write(&self, path: &Path) -> bool {
        let granted = deepest(&self.write, path);
        granted.is_some() && granted >= deepest(&self.closed, path) && !is_never(path)
    }

    /// A path with every link on it followed, as far as something is there.
    fn resolved(&self, text: &str) -> Result<PathBuf, String> {
        if text.trim().is_empty() {
            return Err("the path is empty".to_owned());
        }
        if text.contains('\0') || text.len() > MAX_PATH_BYTES {
            return Err("the path has a NUL or is too long".to_owned());
        }
        let mut there = self.workdir.join(text);
        let mut rest: Vec<std::ffi::OsString> = Vec::new();
        loop {
            match there.canonicalize() {
                Ok(real) => {
                    return Ok(rest.iter().rev().fold(real, |path, name| path.join(name)));
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(missing(text, &error));
                }
                Err(_) if there.symlink_metadata().is_ok() => {
                    return Err(format!("`{text}` is or passes a link that leads nowhere"));
                }
                Err(_) => {}
            }
            // `..` after what is not there could lead anywhere once it is.
            let Some(Component::Normal(name)) = there.components().next_back() else {
                return Err(format!("`{text}` does not exist"));
            };
            rest.push(name.to_owned());
            there.pop();
        }
    }

    /// A path as answers show it: below the working directory without it.
    pub(super) fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.workdir).ok().filter(|below| *below != Path::new(""));
        below.unwrap_or(path).display().to_string()
    }
}

/// How long the longest of these prefixes of a path is; nothing where none is one.
fn deepest(prefixes: &[PathBuf], path: &Path) -> Option<usize> {
    let fitting = prefixes.iter().filter(|prefix| path.starts_with(prefix));
    fitting.map(|prefix| prefix.components().count()).max()
}

fn is_never(path: &Path) -> bool {
    NEVER.iter().any(|never| path.starts_with(never))
}

/// Where a granted path really is; as it was told where nothing is there.
fn real(path: &str) -> PathBuf {
    let mut there = PathBuf::from(path);
    let mut rest = Vec::new();
    loop {
        if let Ok(real) = there.canonicalize() {
            return rest.iter().rev().fold(real, |path, name| path.join(name));
        }
        match there.file_name().map(std::ffi::OsStr::to_owned) {
            Some(name) if there.pop() => rest.push(name),
            _ => return PathBuf::from(path),
        }
    }
}

fn missing(text: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("`{text}` does not exist"),
        _ => format!("`{text}`: {error}"),
    }
}

/// Opens a regular file and nothing else: a FIFO or a device is not touched, and no link that took
/// the file's place is followed.
pub(super) fn open_regular(path: &Path) -> Result<File, String> {
    let shown = path.display();
    let told = |error: io::Error| format!("`{shown}`: {error}");
    let odd = || Err(format!("`{shown}` is no regular file"));
    if !path.symlink_metadata().map_err(told)?.is_file() {
        return odd();
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(i32::try_from(flags).unwrap_or_default());
    let file = options.open(path).map_err(told)?;
    match file.metadata().map_err(told)?.is_file() {
        true => Ok(file),
        false => odd(),
    }
}

/// The bytes of a regular file that is not larger than a limit.
pub(super) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let file = open_regular(path)?;
    let shown = path.display();
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let too_large = |length: u64| {
        format!(
            "`{shown}` has {length} bytes, more than {limit}; search it, or use the shell for a part of it"
        )
    };
    if length > limit {
        return Err(too_large(length));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| format!("`{shown}`: {error}"))?;
    let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if read > limit { Err(too_large(read)) } else { Ok(bytes) }
}
