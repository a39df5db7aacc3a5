//! The journal file: a ring of records behind two header slots.
//!
//! A position only ever grows; where it lies in the file follows from the size of the ring.

use super::codec::{self, Body, Mark, RECORD_HEAD};
use super::disk::{Disk, DiskError, Open};
use super::header::{AREA_START, Header, NoHeader, SLOT_AT};
use super::path::DocPath;

/// An open journal, positioned after its last valid record.
#[derive(Debug)]
pub struct Journal<F> {
    pub file: F,
    pub inode: u64,
    pub header: Header,
    /// Where the next record goes.
    pub head: u64,
    /// The number it gets.
    pub next_seq: u64,
}

/// A record found on the disk.
#[derive(Clone, Debug)]
pub struct Found {
    pub at: u64,
    pub seq: u64,
    pub body: Body,
}

/// What opening the file showed.
#[derive(Debug)]
pub enum Opening<F> {
    Missing,
    Unreadable(NoHeader),
    Ready(Journal<F>),
}

pub fn journal_path() -> DocPath {
    DocPath::technical("journal")
}

/// Bytes that a `Done` record takes; every commit leaves room for one.
pub const DONE_BYTES: u64 = RECORD_HEAD as u64 + 9;

impl<F> Journal<F> {
    pub fn open<D: Disk<File = F>>(disk: &D, how: Open) -> Result<Opening<F>, DiskError> {
        let path = journal_path();
        let Some(meta) = disk.stat(&path)? else {
            return Ok(Opening::Missing);
        };
        let file = disk.open(&path, how)?;
        Ok(match read_header(disk, &file)? {
            Err(why) => Opening::Unreadable(why),
            // A file shorter than its ring cannot be ours, whatever its header says.
            Ok(header) if meta.size < AREA_START + header.area => {
                Opening::Unreadable(NoHeader::Damaged)
            }
            Ok(header) => Opening::Ready(Self {
                file,
                inode: meta.inode,
                header,
                head: header.tail,
                next_seq: header.tail_seq,
            }),
        })
    }

    pub fn read_header<D: Disk<File = F>>(
        &self,
        disk: &D,
    ) -> Result<Result<Header, NoHeader>, DiskError> {
        read_header(disk, &self.file)
    }

    /// Writes the header into the slot that is not in use and waits for it.
    pub fn write_header<D: Disk<File = F>>(
        &mut self,
        disk: &D,
        change: impl FnOnce(&mut Header),
    ) -> Result<(), DiskError> {
        let mut header = self.header;
        header.serial += 1;
        change(&mut header);
        let slot = SLOT_AT[(header.serial % 2) as usize];
        disk.write_at(&self.file, slot, &header.encode())?;
        disk.sync_data(&self.file)?;
        self.header = header;
        Ok(())
    }

    /// Reads on from the present position and moves past what it finds.
    pub fn scan<D: Disk<File = F>>(&mut self, disk: &D) -> Result<Vec<Found>, DiskError> {
        let mut found = Vec::new();
        while let Some((record, length)) = self.read_record(disk)? {
            self.head += length;
            self.next_seq += 1;
            found.push(record);
        }
        Ok(found)
    }

    fn read_record<D: Disk<File = F>>(&self, disk: &D) -> Result<Option<(Found, u64)>, DiskError> {
        let free = self.free();
        if free < RECORD_HEAD as u64 {
            return Ok(None);
        }
        let mut head = [0; RECORD_HEAD];
        self.read_ring(disk, self.head, &mut head)?;
        let mark = self.mark(self.next_seq);
        let Some(length) = codec::body_length(mark, &head) else {
            return Ok(None);
        };
        let total = (RECORD_HEAD + length) as u64;
        if total > free {
            return Ok(None);
        }
        let mut record = vec![0; RECORD_HEAD + length];
        self.read_ring(disk, self.head, &mut record)?;
        Ok(codec::decode_record(mark, &record).map(|body| {
            let found = Found { at: self.head, seq: self.next_seq, body };
            (found, total)
        }))
    }

    pub fn mark(&self, seq: u64) -> Mark {
        Mark { salt: self.header.salt, epoch: self.header.epoch, seq }
    }

    /// Bytes between the head and the oldest live record.
    pub fn free(&self) -> u64 {
        self.header.area - (self.head - self.header.tail)
    }

    /// Writes records that were encoded for the next numbers, and moves past them.
    pub fn write<D: Disk<File = F>>(
        &mut self,
        disk: &D,
        records: &[u8],
        count: u64,
    ) -> Result<(), DiskError> {
        self.write_ring(disk, self.head, records)?;
        self.head += records.len() as u64;
        self.next_seq += count;
        Ok(())
    }

    /// Writes a record again where it was found, so that the next sync covers it.
    pub fn rewrite<D: Disk<File = F>>(&self, disk: &D, found: &Found) -> Result<(), DiskError> {
        let record = codec::encode_record(self.mark(found.seq), &found.body);
        self.write_ring(disk, found.at, &record)
    }

    fn write_ring<D: Disk<File = F>>(
        &self,
        disk: &D,
        at: u64,
        bytes: &[u8],
    ) -> Result<(), DiskError> {
        let (place, first) = self.split(at, bytes.len());
        disk.write_at(&self.file, place, &bytes[..first])?;
        if first < bytes.len() {
            disk.write_at(&self.file, AREA_START, &bytes[first..])?;
        }
        Ok(())
    }

    fn read_ring<D: Disk<File = F>>(
        &self,
        disk: &D,
        at: u64,
        into: &mut [u8],
    ) -> Result<(), DiskError> {
        let (place, first) = self.split(at, into.len());
        let (before, after) = into.split_at_mut(first);
        disk.read_at(&self.file, place, before)?;
        if !after.is_empty() {
            disk.read_at(&self.file, AREA_START, after)?;
        }
        Ok(())
    }

    /// The place of a position in the file, and how many bytes lie there before the ring turns.
    fn split(&self, at: u64, length: usize) -> (u64, usize) {
        let offset = at % self.header.area;
        let until_turn = self.header.area - offset;
        (AREA_START + offset, length.min(until_turn as usize))
    }
}

fn read_header<D: Disk>(disk: &D, file: &D::File) -> Result<Result<Header, NoHeader>, DiskError> {
    let mut page = [0; AREA_START as usize];
    let length = disk.read_at(file, 0, &mut page)?;
    Ok(Header::choose(&page[..length]))
}
