//! `write_file`, `replace`, `create_directory`: whole files, each with one rename.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use regex::Regex;

use super::arguments::Arguments;
use super::matching::{Edited, edit};
use super::reach::{Reach, read_bounded};
use super::reading::MAX_FILE_BYTES;

const MAX_WRITE_BYTES: usize = 20 << 20;
/// Lines shown around a change, and of the change at most.
const AROUND: usize = 3;
const MAX_SHOWN: usize = 40;

pub(super) fn write_file(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let given = arguments.text("file_path");
    let path = reach.writable(given)?;
    let content = arguments.text("content");
    if content.len() > MAX_WRITE_BYTES {
        return Err(format!("`content` has more than {MAX_WRITE_BYTES} bytes"));
    }
    let before = existing(&path)?;
    if let Some(line) = placeholder(content, before.as_deref().unwrap_or_default()) {
        return Err(format!(
            "`content` leaves text out (`{line}`); write the whole file, or change a part of it with replace"
        ));
    }
    let content = match &before {
        Some(before) => like(before, content),
        None => content.to_owned(),
    };
    put(&path, content.as_bytes())?;
    let shown = reach.shown(&path);
    Ok(match before {
        None => format!("Made {shown}: {} lines.", content.lines().count()),
        Some(before) if before == content => format!("{shown} was like that already."),
        Some(before) => format!("Wrote {shown}.\n{}", changed(&before, &content)),
    })
}

pub(super) fn create_directory(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let given = arguments.text("dir_path");
    let path = reach.writable(given)?;
    if path.is_dir() {
        return Ok(format!("{} exists.", reach.shown(&path)));
    }
    fs::create_dir_all(&path).map_err(|error| format!("`{given}`: {error}"))?;
    Ok(format!("Made {}.", reach.shown(&path)))
}

pub(super) fn replace(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let given = arguments.text("file_path");
    let path = reach.writable(given)?;
    let (old, new) = (arguments.text("old_string"), arguments.text("new_string"));
    let before = existing(&path)?;
    let Some(before) = before else {
        if !old.is_empty() {
            return Err(format!("`{given}` does not exist; an empty old_string makes a new file"));
        }
        put(&path, new.as_bytes())?;
        return Ok(format!("Made {}: {} lines.", reach.shown(&path), new.lines().count()));
    };
    if old.is_empty() {
        return Err(format!(
            "`{given}` exists, and an empty old_string makes a new file; give the text that is to be replaced"
        ));
    }
    if let Some(line) = placeholder(new, &before) {
        return Err(format!("`new_string` leaves text out (`{line}`); write all of it"));
    }
    let all = arguments.flag("allow_multiple", false) || arguments.flag("replace_all", false);
    let expected = match (arguments.number("expected_replacements"), all) {
        (Some(expected), false) => Some(expected.max(1)),
        (_, true) => None,
        (None, false) => Some(1),
    };
    let Edited { text, times, how } = edit(&before, old, new, expected)?;
    put(&path, text.as_bytes())?;
    let shown = reach.shown(&path);
    Ok(format!("Replaced {times} times in {shown}.{how}\n{}", changed(&before, &text)))
}

/// The text of a file that is there; one that is no text is not to be written over by mistake.
fn existing(path: &Path) -> Result<Option<String>, String> {
    match path.symlink_metadata() {
        Err(_) => return Ok(None),
        Ok(metadata) if metadata.is_dir() => {
            return Err(format!("`{}` is a directory", path.display()));
        }
        Ok(_) => {}
    }
    let bytes = read_bounded(path, MAX_FILE_BYTES)?;
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| format!("`{}` is no UTF-8 text; it is not changed", path.display()))
}

/// The new content with the line ends and the byte order mark of the old.
fn like(before: &str, content: &str) -> String {
    let mark = before.starts_with('\u{feff}') && !content.starts_with('\u{feff}');
    let lines = before.matches('\n').count();
    let windows = lines > 0 && before.matches("\r\n").count() * 2 > lines;
    let content = match windows {
        true => content.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => content.to_owned(),
    };
    if mark { format!("\u{feff}{content}") } else { content }
}

/// A line that stands for text that was left out, unless the file had it before.
fn placeholder(content: &str, before: &str) -> Option<String> {
    let pattern = concat!(
        r"(?im)^\s*(//|#|/\*|<!--|--|;|%)?\s*[(\[{]?\s*(\.\.\.|…)\s*\(?",
        r"((the\s+)?(rest of|remaining|existing|unchanged|previous|other)\s+(of\s+)?(the\s+)?",
        r"(code|file|contents?|methods?|functions?|implementation|class|lines|text|document)",
        r"|(나머지|기존|이전)\s*(코드|내용|파일|부분))",
    );
    let regex = Regex::new(pattern).ok()?;
    let mut found = regex.find_iter(content).filter_map(|found| {
        content[found.start()..].lines().map(str::trim).find(|line| !line.is_empty())
    });
    found.find(|line| !before.contains(line)).map(|line| line.chars().take(120).collect())
}

/// Puts a file into its place in one act; the rights of a file that is there stay.
fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let told = |error: std::io::Error| format!("`{}`: {error}", path.display());
    let parent = path.parent().ok_or_else(|| format!("`{}` is no file", path.display()))?;
    fs::create_dir_all(parent).map_err(told)?;
    let name = format!(".hast-new-{}", std::process::id());
    let new = parent.join(name);
    let _ = fs::remove_file(&new);
    let written =
        OpenOptions::new().write(true).create_new(true).open(&new).and_then(|mut file| {
            file.write_all(bytes)?;
            if let Ok(there) = path.symlink_metadata() {
                file.set_permissions(there.permissions())?;
            }
            fs::rename(&new, path)
        });
    written.map_err(|error| {
        let _ = fs::remove_file(&new);
        told(error)
    })
}

/// The lines that differ, with a few around them and their numbers.
fn changed(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[same.min(old.len())..]
        .iter()
        .rev()
        .zip(new[same.min(new.len())..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (start, end) = (same.saturating_sub(AROUND), (new.len() - tail + AROUND).min(new.len()));
    numbered(&new, start, end.min(start + MAX_SHOWN))
}

pub(super) fn numbered(lines: &[&str], start: usize, end: usize) -> String {
    let shown = lines.iter().enumerate().take(end).skip(start);
    shown
        .map(|(number, line)| format!("{:>5} {}\n", number + 1, super::reading::cut_line(line)))
        .collect()
}
