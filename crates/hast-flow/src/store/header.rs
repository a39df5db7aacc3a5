//! The header of the journal: two slots that take turns, so that one is whole whenever the other
//! is torn.

use super::codec::Input;
use super::seal::SEAL_BYTES;

/// Where the records start; the header slots lie before.
pub const AREA_START: u64 = 4096;
/// The two header slots are sectors of their own, so that tearing one leaves the other.
pub const SLOT_AT: [u64; 2] = [0, 2048];
pub const SLOT_BYTES: usize = 512;

const MAGIC: &[u8; 8] = b"hastjrnl";
const VERSION: u32 = 1;
/// No journal comes near this; a greater number was not counted by hast.
const MOST: u64 = 1 << 60;

/// One of the two alternating headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Counts header writes; the higher of two valid slots is the header.
    pub serial: u64,
    /// Changes when the journal is taken over after a crash: older records are dead then.
    pub epoch: u64,
    pub salt: u64,
    pub boot_id: [u8; 16],
    /// Where the first live record starts, as a position that only grows.
    pub tail: u64,
    /// The number of that record.
    pub tail_seq: u64,
    /// How many bytes the ring of records has.
    pub area: u64,
    /// Whose journal it is; see [`super::seal`].
    pub seal: [u8; SEAL_BYTES],
}

/// Why no header could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoHeader {
    Damaged,
    /// Written by a newer hast; it must not be touched.
    Newer,
}

impl Header {
    pub fn encode(&self) -> [u8; SLOT_BYTES] {
        let mut out = Vec::with_capacity(SLOT_BYTES);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        for number in [self.serial, self.epoch, self.salt] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.boot_id);
        for number in [self.tail, self.tail_seq, self.area] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let crc = crc32c::crc32c(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        // After the sum, where an older hast had zeros: the seal proves itself.
        out.extend_from_slice(&self.seal);
        let mut slot = [0; SLOT_BYTES];
        slot[..out.len()].copy_from_slice(&out);
        slot
    }

    fn decode(slot: &[u8]) -> Result<Self, NoHeader> {
        let mut input = Input(slot);
        let mut header = Self::take(&mut input).ok_or(NoHeader::Damaged)?;
        let read = slot.len() - input.0.len();
        let crc = input.u32().ok_or(NoHeader::Damaged)?;
        header.seal = input.array().ok_or(NoHeader::Damaged)?;
        let version = slot.get(8..12).and_then(|four| four.try_into().ok());
        let magic = slot.starts_with(MAGIC);
        match version.map(u32::from_le_bytes) {
            Some(newer) if magic && newer > VERSION => Err(NoHeader::Newer),
            Some(VERSION) if magic && crc == crc32c::crc32c(&slot[..read]) && header.counts() => {
                Ok(header)
            }
            _ => Err(NoHeader::Damaged),
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        input.bytes(12)?;
        Some(Self {
            serial: input.u64()?,
            epoch: input.u64()?,
            salt: input.u64()?,
            boot_id: input.array()?,
            tail: input.u64()?,
            tail_seq: input.u64()?,
            area: input.u64()?,
            seal: [0; SEAL_BYTES],
        })
    }

    /// Whether its numbers leave room to count on.
    fn counts(&self) -> bool {
        let Self { serial, epoch, tail, tail_seq, area, .. } = self;
        *area > 0 && [serial, epoch, tail, tail_seq, area].iter().all(|number| **number <= MOST)
    }

    /// The newer of the valid slots in the first page of a journal.
    pub fn choose(page: &[u8]) -> Result<Self, NoHeader> {
        let slots = SLOT_AT.map(|at| {
            let start = at as usize;
            let slot = page.get(start..start + SLOT_BYTES);
            slot.map_or(Err(NoHeader::Damaged), Self::decode)
        });
        match slots {
            [Err(NoHeader::Newer), _] | [_, Err(NoHeader::Newer)] => Err(NoHeader::Newer),
            [Ok(one), Ok(other)] if other.serial > one.serial => Ok(other),
            [Ok(one), _] => Ok(one),
            [_, other] => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(serial: u64) -> Header {
        Header {
            serial,
            epoch: 3,
            salt: 9,
            boot_id: [7; 16],
            tail: 512,
            tail_seq: 41,
            area: 1 << 20,
            seal: [5; SEAL_BYTES],
        }
    }

    fn page(slots: [&[u8]; 2]) -> Vec<u8> {
        let mut page = vec![0; AREA_START as usize];
        for (at, slot) in SLOT_AT.iter().zip(slots) {
            page[*at as usize..][..slot.len()].copy_from_slice(slot);
        }
        page
    }

    #[test]
    fn the_newer_valid_slot_is_the_header_and_a_torn_one_leaves_the_other() {
        let (old, new) = (header(4), header(5));
        let both = page([&new.encode(), &old.encode()]);
        assert_eq!(Header::choose(&both), Ok(new));
        let mut torn = new.encode();
        torn[40] ^= 1;
        assert_eq!(Header::choose(&page([&torn, &old.encode()])), Ok(old));
        assert_eq!(Header::choose(&page([&[], &[]])), Err(NoHeader::Damaged));
        assert_eq!(Header::choose(b"short"), Err(NoHeader::Damaged));
    }

    #[test]
    fn a_journal_of_a_newer_hast_is_told_apart_from_a_damaged_one() {
        let mut newer = header(4).encode();
        newer[8] = 2;
        let page = page([&newer, &header(3).encode()]);
        assert_eq!(Header::choose(&page), Err(NoHeader::Newer));
    }

    #[test]
    fn a_header_that_nobody_could_have_counted_to_is_damaged() {
        let far = Header { tail: u64::MAX - 3, ..header(4) };
        assert_eq!(Header::choose(&page([&far.encode(), &[]])), Err(NoHeader::Damaged));
    }

    proptest! {
        #[test]
        fn hostile_headers_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
            prop_assert_eq!(Header::choose(&bytes), Err(NoHeader::Damaged));
        }
    }
}
