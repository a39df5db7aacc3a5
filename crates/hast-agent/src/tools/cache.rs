//! Cache of web answers, by address and day. Its directory can be deleted without loss.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hast_flow::time::UtcTime;
use hast_flow::tools::ToolFailure;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::tools::answer::{Raw, sha256};
use crate::tools::net::{Ask, Page};

/// Answers by address and day. Several handles, threads and processes may share a directory.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: Option<PathBuf>,
}

/// A kept answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub url: String,
    pub found_at: String,
    pub media: String,
    pub fetched_at: UtcTime,
    pub body: Vec<u8>,
}

/// The first line of a file; the answer follows.
#[derive(Serialize, Deserialize)]
struct Head {
    url: String,
    found_at: String,
    media: String,
    fetched_at: UtcTime,
    sha256: String,
}

impl Entry {
    pub fn raw(&self) -> Raw {
        Raw {
            url: self.url.clone(),
            fetched_at: self.fetched_at,
            media: self.media.clone(),
            bytes: self.body.clone(),
        }
    }

    pub fn page(self) -> Result<Page, ToolFailure> {
        let found_at = Url::parse(&self.found_at).map_err(|error| ToolFailure::BadUrl {
            url: self.found_at.clone(),
            why: error.to_string(),
        })?;
        Ok(Page { url: self.url, found_at, media: self.media, body: self.body })
    }
}

impl Cache {
    /// A cache in a directory, which is made when there is something to keep.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()) }
    }

    /// No cache: everything is fetched.
    pub fn none() -> Self {
        Self { directory: None }
    }

    /// What was kept on this day, if it is whole.
    pub fn find(&self, ask: &Ask, now: UtcTime) -> Option<Entry> {
        let bytes = fs::read(self.path(ask, now)?).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        let body = bytes[end + 1..].to_vec();
        let Head { url, found_at, media, fetched_at, sha256: hash } = head;
        let ours = hash == sha256(&body) && url == ask.url.as_str();
        ours.then_some(Entry { url, found_at, media, fetched_at, body })
    }

    /// Keeps an answer. A cache that cannot be written is only slower.
    pub fn keep(&self, ask: &Ask, entry: &Entry) {
        if let Some(path) = self.path(ask, entry.fetched_at) {
            let _ = write(&path, entry);
        }
    }

    fn path(&self, ask: &Ask, at: UtcTime) -> Option<PathBuf> {
        let day = at.instant().strftime("%Y%m%d").to_string();
        let key = format!("{}\n{}", ask.url, ask.body.as_deref().unwrap_or_default());
        Some(self.directory.as_ref()?.join(day).join(sha256(key.as_bytes())))
    }
}

/// Whole or not at all: a reader never sees a part, and two writers do not mix.
fn write(path: &Path, entry: &Entry) -> std::io::Result<()> {
    let head = Head {
        url: entry.url.clone(),
        found_at: entry.found_at.clone(),
        media: entry.media.clone(),
        fetched_at: entry.fetched_at,
        sha256: sha256(&entry.body),
    };
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let name = format!("{}-{:?}.part", std::process::id(), std::thread::current().id());
    let part = path.with_file_name(name);
    let mut file = fs::File::create(&part)?;
    serde_json::to_writer(&mut file, &head)?;
    file.write_all(b"\n")?;
    file.write_all(&entry.body)?;
    drop(file);
    fs::rename(&part, path)
}
