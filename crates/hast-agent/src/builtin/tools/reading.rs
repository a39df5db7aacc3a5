//! `list_directory`, `read_file`, `read_many_files`: text out of files, bounded, with the way to the
//! rest.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};
use globset::GlobSet;

use super::arguments::Arguments;
use super::finding::{globs, walk};
use super::reach::{Reach, read_bounded};

const MAX_ENTRIES: usize = 1_000;
pub(super) const MAX_FILE_BYTES: u64 = 20 << 20;
const MAX_LINES: usize = 2_000;
pub(super) const MAX_LINE_CHARS: usize = 2_000;
/// All that one answer may hold.
pub(super) const MAX_ANSWER_BYTES: usize = 256 << 10;
const BINARY_LOOK: usize = 8 << 10;

pub(super) fn list_directory(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let given = arguments.text("dir_path");
    let directory = reach.readable(given)?;
    let ignored = globs(&arguments.texts("ignore"), false)?;
    let listing = fs::read_dir(&directory).map_err(|error| format!("`{given}`: {error}"))?;
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    for entry in listing.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if ignored.is_match(&name) {
            continue;
        }
        let Ok(metadata) = entry.path().symlink_metadata() else { continue };
        if metadata.is_dir() {
            directories.push(format!("{name}/"));
        } else if metadata.is_symlink() {
            files.push(format!("{name} (link)"));
        } else if metadata.is_file() {
            files.push(format!("{name} ({} bytes)", metadata.len()));
        } else {
            files.push(format!("{name} (no regular file)"));
        }
    }
    directories.sort();
    files.sort();
    let all: Vec<String> = directories.into_iter().chain(files).collect();
    let shown = reach.shown(&directory);
    if all.is_empty() {
        return Ok(format!("Directory {shown} is empty."));
    }
    let mut text =
        format!("Directory {shown}:\n{}\n", all[..all.len().min(MAX_ENTRIES)].join("\n"));
    if let Some(more) = all.len().checked_sub(MAX_ENTRIES).filter(|more| *more > 0) {
        let _ = writeln!(text, "... and {more} more; use glob to narrow it down");
    }
    Ok(text)
}

pub(super) fn read_file(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let given = arguments.text("file_path");
    let path = reach.readable(given)?;
    if path.is_dir() {
        return Err(format!("`{given}` is a directory; use list_directory"));
    }
    let bytes = read_bounded(&path, MAX_FILE_BYTES)?;
    let text = match decoded(&bytes) {
        Decoded::Text(text) => text,
        Decoded::Binary => {
            return Ok(format!(
                "`{given}` is a binary file of {} bytes; it is not shown.",
                bytes.len()
            ));
        }
    };
    let offset = match (arguments.number("offset"), arguments.number("start_line")) {
        (Some(offset), _) => offset,
        (None, Some(start)) => start.saturating_sub(1),
        (None, None) => 0,
    };
    let limit = arguments
        .number("limit")
        .or_else(|| arguments.number("end_line").map(|end| end.saturating_sub(offset).max(1)));
    Ok(part(&text, offset, limit.unwrap_or(MAX_LINES).clamp(1, MAX_LINES)))
}

/// Lines of a text, and where the rest begins.
fn part(text: &str, offset: usize, limit: usize) -> String {
    let total = text.lines().count();
    if text.is_empty() {
        return "The file is empty.".to_owned();
    }
    if offset >= total {
        return format!("The file has {total} lines; there is nothing at offset {offset}.");
    }
    let (mut shown, mut lines, mut shortened) = (String::new(), 0, 0);
    for line in text.lines().skip(offset).take(limit) {
        let cut = cut_line(line);
        if shown.len() + cut.len() > MAX_ANSWER_BYTES {
            break;
        }
        shortened += usize::from(cut.len() < line.len());
        shown += &cut;
        shown.push('\n');
        lines += 1;
    }
    let end = offset + lines;
    let mut head = String::new();
    if offset > 0 || end < total {
        let _ = write!(head, "Lines {} to {end} of {total}.", offset + 1);
        if end < total {
            let _ = write!(head, " Go on with offset {end}.");
        }
    }
    if shortened > 0 {
        let _ =
            write!(head, " {shortened} lines are longer than {MAX_LINE_CHARS} characters and cut.");
    }
    if head.is_empty() { shown } else { format!("[{}]\n{shown}", head.trim()) }
}

/// A line of at most so many characters.
pub(super) fn cut_line(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        None => line.to_owned(),
        Some((at, _)) => format!("{}...", &line[..at]),
    }
}

pub(super) enum Decoded {
    Text(String),
    Binary,
}

/// The text of a file by its byte order mark; bytes that are no UTF-8 are shown as such.
pub(super) fn decoded(bytes: &[u8]) -> Decoded {
    let marked = [(&b"\xef\xbb\xbf"[..], UTF_8), (b"\xff\xfe", UTF_16LE), (b"\xfe\xff", UTF_16BE)];
    let wide = bytes.starts_with(b"\xff\xfe\0\0");
    for (mark, encoding) in marked {
        if let (Some(rest), false) = (bytes.strip_prefix(mark), wide) {
            return Decoded::Text(encoding.decode_without_bom_handling(rest).0.into_owned());
        }
    }
    if bytes[..bytes.len().min(BINARY_LOOK)].contains(&0) {
        return Decoded::Binary;
    }
    Decoded::Text(String::from_utf8_lossy(bytes).into_owned())
}

pub(super) fn read_many_files(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let exclude = globs(&arguments.texts("exclude"), false)?;
    let recursive = arguments.flag("recursive", true);
    let (mut files, mut left_out) = (Vec::new(), Vec::new());
    for include in arguments.texts("include") {
        match included(reach, include, recursive) {
            Ok(found) => files.extend(found),
            Err(why) => left_out.push(why),
        }
    }
    files.retain(|path| !is_excluded(reach, path, &exclude));
    files.sort();
    files.dedup();
    let mut text = String::new();
    for path in files {
        let shown = reach.shown(&path);
        let bytes = match read_bounded(&path, MAX_FILE_BYTES) {
            Ok(bytes) => bytes,
            Err(why) => {
                left_out.push(why);
                continue;
            }
        };
        match decoded(&bytes) {
            Decoded::Binary => left_out.push(format!("`{shown}` is binary")),
            Decoded::Text(one) if text.len() + one.len() + shown.len() + 16 > MAX_ANSWER_BYTES => {
                left_out.push(format!("`{shown}` ({} bytes) did not fit", one.len()));
            }
            Decoded::Text(one) => {
                let _ = write!(text, "--- {shown} ---\n{one}");
                if !one.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
    if text.is_empty() && left_out.is_empty() {
        return Ok("No file fits.".to_owned());
    }
    if !left_out.is_empty() {
        let more = left_out.len().saturating_sub(MAX_NAMED);
        left_out.truncate(MAX_NAMED);
        let _ = write!(text, "--- left out ---\n{}\n", left_out.join("\n"));
        if more > 0 {
            let _ = writeln!(text, "... and {more} more");
        }
    }
    Ok(text)
}

/// So many of the files that were left out are named.
const MAX_NAMED: usize = 100;

fn included(reach: &Reach, include: &str, recursive: bool) -> Result<Vec<PathBuf>, String> {
    let is_glob = include.contains(['*', '?', '[', '{']);
    if !is_glob {
        let path = reach.readable(include)?;
        return Ok(match path.is_dir() {
            false => vec![path],
            true if recursive => walk(reach, &path, true)?.files,
            true => walk(reach, &path, true)?
                .files
                .into_iter()
                .filter(|file| file.parent() == Some(&path))
                .collect(),
        });
    }
    let pattern = globs(&[include], true)?;
    let workdir = reach.workdir();
    let files = walk(reach, workdir, true)?.files.into_iter();
    Ok(files.filter(|file| pattern.is_match(file.strip_prefix(workdir).unwrap_or(file))).collect())
}

fn is_excluded(reach: &Reach, path: &Path, exclude: &GlobSet) -> bool {
    let below = path.strip_prefix(reach.workdir()).unwrap_or(path);
    exclude.is_match(below)
        || below.file_name().is_some_and(|name| exclude.is_match(Path::new(name)))
}
