//! Reading a log line by line, however long it is, with memory for one line.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use crate::files::PathError;
use crate::root_path::RootPath;

const PIECE: usize = 1 << 20;
/// What is longer is given in pieces, none of which is a line of ours.
const LONGEST: usize = 16 << 20;
/// No log of ours comes near it. A file with holes may say that it is longer than its disk.
const MOST: u64 = 1 << 30;

/// Refuses a file of which more is left than anything reads.
pub(crate) fn check_length(file: &File, from: u64) -> io::Result<()> {
    let length = file.metadata()?.len();
    if length.saturating_sub(from) <= MOST {
        return Ok(());
    }
    let why = format!("the file has {length} bytes, more than the limit of {MOST}");
    Err(io::Error::new(ErrorKind::FileTooLarge, why))
}

/// Calls `each` with every whole line from a place on, line end included. What stands after the last
/// line end is on its way and not given. Returns how many bytes were given; none without a file.
pub fn each_line(
    path: &RootPath,
    from: u64,
    each: &mut dyn FnMut(&[u8]),
) -> Result<Option<u64>, PathError> {
    let at = |source| path.at(source);
    let mut file = match path.open_file() {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(error)),
    };
    check_length(&file, from).map_err(at)?;
    file.seek(SeekFrom::Start(from)).map_err(at)?;
    let mut buffer = vec![0; PIECE];
    let (mut filled, mut given) = (0, 0);
    loop {
        let count = file.read(&mut buffer[filled..]).map_err(at)?;
        if count == 0 {
            return Ok(Some(given));
        }
        filled += count;
        let mut start = 0;
        while let Some(end) = memchr::memchr(b'\n', &buffer[start..filled]) {
            each(&buffer[start..=start + end]);
            start += end + 1;
        }
        given += start as u64;
        buffer.copy_within(start..filled, 0);
        filled -= start;
        if filled == buffer.len() && buffer.len() < LONGEST {
            buffer.resize(buffer.len() * 2, 0);
        } else if filled == buffer.len() {
            each(&buffer);
            given += filled as u64;
            filled = 0;
        }
    }
}

/// Whether the line that ends at a place contains a text.
pub fn line_before_has(path: &RootPath, end: u64, text: &str) -> Result<bool, PathError> {
    const TAIL: u64 = 64 << 10;
    let from = end.saturating_sub(TAIL);
    let mut last = Vec::new();
    let mut at = from;
    let read = each_line(path, from, &mut |line| {
        at += line.len() as u64;
        if at <= end {
            last = line.to_vec();
        }
    })?;
    let there = last.windows(text.len().max(1)).any(|part| part == text.as_bytes());
    Ok(read.is_some() && there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_from_any_place_and_the_torn_one_does_not() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = RootPath::new(scratch.path()).unwrap();
        let path = directory.join("log");
        let long = "x".repeat(3 * PIECE);
        let text = format!("one\n{long}\nthree\ntorn");
        path.create(text.as_bytes()).unwrap();
        let mut lengths = Vec::new();
        let given = each_line(&path, 0, &mut |line| lengths.push(line.len())).unwrap();
        assert_eq!(lengths, [4, 3 * PIECE + 1, 6]);
        assert_eq!(given, Some(text.len() as u64 - 4));
        let mut rest = Vec::new();
        each_line(&path, given.unwrap() - 6, &mut |line| rest.push(line.to_vec())).unwrap();
        assert_eq!(rest, [b"three\n".to_vec()]);
        assert!(line_before_has(&path, given.unwrap(), "three").unwrap());
        assert!(!line_before_has(&path, given.unwrap(), "one").unwrap());
        assert_eq!(each_line(&directory.join("none"), 0, &mut |_| ()).unwrap(), None);
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = RootPath::new(scratch.path()).unwrap();
        let pipe = directory.join("pipe");
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &*pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(each_line(&pipe, 0, &mut |_| ()).is_err());
        assert!(each_line(&directory, 0, &mut |_| ()).is_err());
    }
}
