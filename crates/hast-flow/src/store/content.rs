//! The store reads whole documents here. It stamps them first, so that a change during the reading
//! shows, and it compares a file's content by size and hash.

use super::change::PAGE;
use super::disk::{Action, Disk, DiskError, DiskErrorKind, FileKind, Meta, Open};
use super::identity::{ContentHash, Identity, Stamp};
use super::path::DocPath;

/// Reads a document and stamps it. The stamp is taken first, so that a change while reading shows.
pub(super) fn read_document<D: Disk>(
    disk: &D,
    path: &DocPath,
) -> Result<Option<(Vec<u8>, Identity)>, DiskError> {
    let looked = disk.look(path)?;
    match looked.meta.filter(|meta| meta.kind == FileKind::File) {
        Some(meta) => read_real(disk, &looked.real, &meta),
        None => Ok(None),
    }
}

/// As [`read_document`], of a file that was just looked at.
pub(super) fn read_real<D: Disk>(
    disk: &D,
    real: &DocPath,
    meta: &Meta,
) -> Result<Option<(Vec<u8>, Identity)>, DiskError> {
    let now = disk.now();
    let Some(bytes) = read_whole(disk, real)? else {
        return Ok(None);
    };
    let stamp = (bytes.len() as u64 == meta.size).then(|| Stamp::new(meta, now));
    let identity = Identity::of(&bytes, stamp);
    Ok(Some((bytes, identity)))
}

/// The bytes of a file from one place to another.
pub(super) fn read_from<D: Disk>(
    disk: &D,
    path: &DocPath,
    from: u64,
    to: u64,
) -> Result<Vec<u8>, DiskError> {
    let file = disk.open(path, Open::Read)?;
    let mut bytes = vec![0; (to - from) as usize];
    let length = disk.read_at(&file, from, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// The bytes of a file; none when there is no file.
pub(super) fn read_whole<D: Disk>(disk: &D, path: &DocPath) -> Result<Option<Vec<u8>>, DiskError> {
    use DiskErrorKind::{IsADirectory, NotFound};
    let file = match disk.open(path, Open::Read) {
        Ok(file) => file,
        Err(error) if matches!(error.kind, NotFound | IsADirectory) => return Ok(None),
        Err(error) => return Err(error),
    };
    let meta = disk.stat_file(&file)?;
    if meta.kind != FileKind::File {
        return Ok(None);
    }
    if meta.size > MOST_BYTES {
        let (path, kind) = (disk.shown(path), DiskErrorKind::Huge { bytes: meta.size });
        return Err(DiskError { action: Action::Read, path, kind });
    }
    read_opened(disk, &file, &meta).map(Some)
}

/// What is read as a whole. A file with holes may say that it is longer than any memory.
pub(super) const MOST_BYTES: u64 = 1 << 30;

/// The bytes of an open file. More than [`MOST_BYTES`] is asked about before.
pub(super) fn read_opened<D: Disk>(
    disk: &D,
    file: &D::File,
    meta: &Meta,
) -> Result<Vec<u8>, DiskError> {
    let mut bytes = vec![0; meta.size as usize];
    let length = disk.read_at(file, 0, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// Whether a file has exactly this content by size and hash. Reads no more than that.
pub(super) fn has_content<D: Disk>(
    disk: &D,
    path: &DocPath,
    size: u64,
    hash: ContentHash,
) -> Result<bool, DiskError> {
    let file = match disk.open(path, Open::Read) {
        Err(error) if error.kind == DiskErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    let mut bytes = vec![0; size as usize + 1];
    let length = disk.read_at(&file, 0, &mut bytes)?;
    Ok(length as u64 == size && ContentHash::of(&bytes[..length]) == hash)
}

/// By pages: a system that keeps what was written together in one piece would otherwise look through
/// all of that piece for every small write into it.
pub(super) fn fill_with_zeros<D: Disk>(
    disk: &D,
    file: &D::File,
    from: u64,
    to: u64,
) -> Result<(), DiskError> {
    let zeros = [0; PAGE as usize];
    let mut at = from;
    while at < to {
        let count = zeros.len().min((to - at) as usize);
        disk.write_at(file, at, &zeros[..count])?;
        at += count as u64;
    }
    Ok(())
}
