//! Lines of a file that have some of several words, at the speed of the disk's cache. It finds; what
//! a line is worth, others say.

use std::io::{Read, Seek, SeekFrom};

use memchr::{memchr, memrchr};
use regex::bytes::{Regex, RegexBuilder};

use crate::files::PathError;
use crate::log_lines::check_length;
use crate::root_path::RootPath;

/// A line that has at least one of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where the line begins.
    pub at: u64,
    pub length: usize,
    /// A bit for each word that it has.
    pub words: u64,
}

/// Words to look for, upper case or lower.
#[derive(Clone, Debug)]
pub struct Finder {
    any: Regex,
    each: Vec<Regex>,
}

/// What is read at once; a line that is longer is searched in parts.
const BLOCK: usize = 256 << 10;
const MOST_WORDS: usize = 64;

impl Finder {
    /// None where there is no word.
    pub fn new(words: &[String]) -> Option<Self> {
        let words: Vec<String> = words
            .iter()
            .filter(|word| !word.is_empty())
            .take(MOST_WORDS)
            .map(|word| regex::escape(word))
            .collect();
        let made = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(true).build().ok();
        if words.is_empty() {
            return None;
        }
        let any = made(&words.join("|"))?;
        let each: Option<Vec<Regex>> = words.iter().map(|word| made(word)).collect();
        Some(Self { any, each: each? })
    }

    /// Calls `visit` with every line that has a word, in order, and with its text.
    pub fn search(
        &self,
        path: &RootPath,
        visit: &mut dyn FnMut(Hit, &[u8]),
    ) -> Result<(), PathError> {
        let at = |source| path.at(source);
        let mut file = path.open_file().map_err(at)?;
        check_length(&file, 0).map_err(at)?;
        let mut block = vec![0; BLOCK];
        let (mut kept, mut start) = (0, 0_u64);
        loop {
            let read = file.read(&mut block[kept..]).map_err(at)?;
            let filled = kept + read;
            // Whole lines only, unless nothing more comes or a line does not fit.
            let end = match memrchr(b'\n', &block[..filled]) {
                _ if read == 0 => filled,
                Some(end) => end + 1,
                None if filled == block.len() => filled,
                None => 0,
            };
            self.lines(&block[..end], start, visit);
            block.copy_within(end..filled, 0);
            kept = filled - end;
            start += end as u64;
            if read == 0 {
                return Ok(());
            }
        }
    }

    fn lines(&self, text: &[u8], start: u64, visit: &mut dyn FnMut(Hit, &[u8])) {
        let mut from = 0;
        while let Some(found) = self.any.find_at(text, from) {
            let begin = memrchr(b'\n', &text[..found.start()]).map_or(0, |at| at + 1);
            let end = memchr(b'\n', &text[found.end()..]).map_or(text.len(), |at| found.end() + at);
            let line = &text[begin..end];
            let words = self.words(line);
            visit(Hit { at: start + begin as u64, length: line.len(), words }, line);
            from = end;
        }
    }

    /// Which words a text has.
    pub fn words(&self, text: &[u8]) -> u64 {
        let one = |(index, word): (usize, &Regex)| u64::from(word.is_match(text)) << index;
        self.each.iter().enumerate().map(one).sum()
    }
}

/// A line again, once it is known to be among the best.
pub fn line_at(path: &RootPath, hit: Hit) -> Result<Vec<u8>, PathError> {
    let at = |source| path.at(source);
    let mut file = path.open_file().map_err(at)?;
    file.seek(SeekFrom::Start(hit.at)).map_err(at)?;
    let mut line = Vec::new();
    file.take(hit.length as u64).read_to_end(&mut line).map_err(at)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &[u8], words: &[&str]) -> Vec<(u64, u64)> {
        let root = tempfile::tempdir().unwrap();
        let path = RootPath::new(root.path()).unwrap().join("f");
        path.create(text).unwrap();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut hits = Vec::new();
        Finder::new(&words)
            .unwrap()
            .search(&path, &mut |hit, line| {
                assert_eq!(line_at(&path, hit).unwrap(), line);
                hits.push((hit.at, hit.words));
            })
            .unwrap();
        hits
    }

    #[test]
    fn lines_are_found_in_upper_and_lower_case_and_with_particles() {
        let text = "Report one\nnothing\n매출이 오른 REPORT\n".as_bytes();
        assert_eq!(found(text, &["report", "매출"]), [(0, 0b01), (19, 0b11)]);
        assert_eq!(found(b"last line without an end", &["end"]), [(0, 1)]);
        assert_eq!(found(b"", &["a"]), []);
        assert!(Finder::new(&[String::new()]).is_none());
    }

    #[test]
    fn a_line_over_the_edge_of_a_block_is_one_line() {
        let mut text = vec![b'x'; BLOCK - 10];
        text.extend(b"\nthis has the word in it\n");
        assert_eq!(found(&text, &["word"]), [(BLOCK as u64 - 9, 1)]);
    }

    #[test]
    fn a_line_longer_than_a_block_ends_the_search_nowhere() {
        let mut text = vec![b'x'; 3 * BLOCK];
        text.extend(b" word\nword\n");
        assert_eq!(found(&text, &["word"]).len(), 2);
    }
}
