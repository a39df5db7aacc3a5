//! The content of a file: what readers see, and which versions of each page could survive.

use std::collections::BTreeMap;

use crate::rng::Rng;

/// Smaller than a real page, so that small files tear too.
const PAGE: usize = 512;

/// One file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    /// What a reader sees.
    pub(super) data: Vec<u8>,
    pub(super) mode: u32,
    pub(super) modified: u64,
    pub(super) changed: u64,
    durable: Vec<u8>,
    /// Every state that each page had since it was last synced.
    dirty: BTreeMap<usize, Vec<Vec<u8>>>,
    lengths: Vec<usize>,
}

impl File {
    pub(super) fn new(now: u64) -> Self {
        Self { mode: 0o644, modified: now, changed: now, ..Self::default() }
    }

    pub(super) fn write(&mut self, at: usize, bytes: &[u8], now: u64) {
        if bytes.is_empty() {
            return;
        }
        let end = at + bytes.len();
        if self.data.len() < end {
            self.data.resize(end, 0);
            self.lengths.push(end);
        }
        self.data[at..end].copy_from_slice(bytes);
        for page in at / PAGE..=(end - 1) / PAGE {
            let version = page_of(&self.data, page);
            self.dirty.entry(page).or_default().push(version);
        }
        self.modified = now;
        self.changed = now;
    }

    pub(super) fn set_len(&mut self, length: usize, now: u64) {
        self.data.resize(length, 0);
        self.lengths.push(length);
        self.modified = now;
        self.changed = now;
    }

    /// Everything readers see survives from now on.
    pub(super) fn sync(&mut self) {
        let length = if self.lengths.is_empty() { self.durable.len() } else { self.data.len() };
        let last = std::mem::take(&mut self.dirty)
            .into_iter()
            .filter_map(|(page, mut versions)| versions.pop().map(|last| (page, last)));
        store_pages(&mut self.durable, last, length);
        self.lengths.clear();
    }

    /// A sync that failed: the system forgets that the pages were dirty, and says so only once.
    pub(super) fn fail_sync(&mut self) {
        self.dirty.clear();
    }

    /// What a power cut leaves: any version of each page, sometimes two of them in one page.
    pub(super) fn cut(&mut self, rng: &mut Rng) {
        let mut kept = Vec::new();
        for (page, versions) in std::mem::take(&mut self.dirty) {
            let durable = page_of(&self.durable, page);
            let mut choose = || match rng.below(versions.len() + 1) {
                0 => durable.clone(),
                chosen => versions[chosen - 1].clone(),
            };
            let mut left = choose();
            let other = choose();
            if rng.percent(30) {
                let tear = rng.below(PAGE);
                left[tear..].copy_from_slice(&other[tear..]);
            }
            kept.push((page, left));
        }
        let length = match rng.below(self.lengths.len() + 1) {
            0 => self.durable.len(),
            chosen => self.lengths[chosen - 1],
        };
        store_pages(&mut self.durable, kept.into_iter(), length);
        self.lengths.clear();
        self.data = self.durable.clone();
    }
}

fn page_of(data: &[u8], page: usize) -> Vec<u8> {
    let mut copy = vec![0; PAGE];
    if let Some(rest) = data.get(page * PAGE..) {
        let length = rest.len().min(PAGE);
        copy[..length].copy_from_slice(&rest[..length]);
    }
    copy
}

fn store_pages(
    durable: &mut Vec<u8>,
    pages: impl Iterator<Item = (usize, Vec<u8>)>,
    length: usize,
) {
    for (page, bytes) in pages {
        let end = (page + 1) * PAGE;
        if durable.len() < end {
            durable.resize(end, 0);
        }
        durable[page * PAGE..end].copy_from_slice(&bytes);
    }
    durable.resize(length, 0);
}
