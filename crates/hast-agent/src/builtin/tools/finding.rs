//! `glob` and `search_file_content`: files by their names and by their lines. Links are not
//! followed, so that a walk stays where it began.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;
use regex::{Regex, RegexBuilder};

use super::arguments::Arguments;
use super::reach::{Reach, read_bounded};
use super::reading::{Decoded, MAX_ANSWER_BYTES, MAX_FILE_BYTES, cut_line, decoded};

const MAX_FILES: usize = 1_000;
const MAX_MATCHES: usize = 100;
const MAX_TIME: Duration = Duration::from_secs(30);
const MAX_VISITED: usize = 200_000;
const MAX_PROGRAM_BYTES: usize = 4 << 20;

/// Files below a directory.
pub(super) struct Walked {
    pub(super) files: Vec<PathBuf>,
    /// The walk was ended before it had seen all.
    pub(super) cut: bool,
}

pub(super) fn walk(reach: &Reach, directory: &Path, ignoring: bool) -> Result<Walked, String> {
    let mut builder = WalkBuilder::new(directory);
    builder
        .standard_filters(false)
        .git_ignore(ignoring)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git");
    let (began, mut files, mut cut) = (Instant::now(), Vec::new(), false);
    for (visited, entry) in builder.build().enumerate() {
        if visited >= MAX_VISITED || began.elapsed() > MAX_TIME {
            cut = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && reach.may_read(entry.path()) {
            files.push(entry.into_path());
        }
    }
    Ok(Walked { files, cut })
}

/// Several globs as one; `*` does not cross a directory.
pub(super) fn globs(patterns: &[&str], case_sensitive: bool) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern.trim_start_matches("./"))
            .literal_separator(true)
            .case_insensitive(!case_sensitive)
            .build()
            .map_err(|error| format!("`{pattern}` is no glob: {}", error.kind()))?;
        set.add(glob);
    }
    set.build().map_err(|error| format!("the globs are too large: {}", error.kind()))
}

pub(super) fn glob(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let directory = directory(reach, arguments)?;
    let given = arguments.text("pattern");
    // An absolute pattern is one below the directory that it names.
    let prefix = format!("{}/", directory.display());
    let pattern = given.strip_prefix(&prefix).unwrap_or(given);
    let set = globs(&[pattern], arguments.flag("case_sensitive", false))?;
    let walked = walk(reach, &directory, arguments.flag("respect_git_ignore", true))?;
    let mut found: Vec<(SystemTime, PathBuf)> = walked
        .files
        .into_iter()
        .filter(|path| set.is_match(path.strip_prefix(&directory).unwrap_or(path)))
        .map(|path| {
            let changed = path.symlink_metadata().and_then(|metadata| metadata.modified());
            (changed.unwrap_or(SystemTime::UNIX_EPOCH), path)
        })
        .collect();
    found.sort_by(|(left, a), (right, b)| right.cmp(left).then_with(|| a.cmp(b)));
    if found.is_empty() {
        return Ok(format!("No file below {} fits `{given}`.", directory.display()));
    }
    let total = found.len();
    let mut text = format!("{total} files, newest first:\n");
    for (_, path) in found.iter().take(MAX_FILES) {
        let _ = writeln!(text, "{}", path.display());
    }
    if total > MAX_FILES {
        let _ = writeln!(text, "... and {} more; narrow the pattern", total - MAX_FILES);
    }
    if walked.cut {
        text += "The directory is too large to be walked to its end; narrow dir_path.\n";
    }
    Ok(text)
}

fn directory(reach: &Reach, arguments: &Arguments) -> Result<PathBuf, String> {
    let given = arguments.optional_text("dir_path").unwrap_or(".");
    let directory = reach.readable(given)?;
    match directory.is_dir() {
        true => Ok(directory),
        false => Err(format!("`{given}` is no directory")),
    }
}

/// A line that fits.
struct Match {
    file: usize,
    line: usize,
}

pub(super) fn search_file_content(reach: &Reach, arguments: &Arguments) -> Result<String, String> {
    let pattern = arguments.text("pattern");
    let regex = regex_of(pattern, arguments.flag("case_sensitive", false))?;
    let given = arguments.optional_text("dir_path").unwrap_or(".");
    let place = reach.readable(given)?;
    let mut walked = match place.is_dir() {
        true => walk(reach, &place, true)?,
        false => Walked { files: vec![place.clone()], cut: false },
    };
    if let Some(include) = arguments.optional_text("include") {
        let set = globs(&[include], true)?;
        let by_name = !include.contains('/');
        walked.files.retain(|path| {
            let below = path.strip_prefix(&place).unwrap_or(path);
            let name = below.file_name().map(Path::new);
            set.is_match(below) || by_name && name.is_some_and(|name| set.is_match(name))
        });
    }
    walked.files.sort();
    let began = Instant::now();
    let (mut texts, mut matches, mut more) = (Vec::new(), Vec::new(), walked.cut);
    'files: for path in walked.files {
        let Ok(bytes) = read_bounded(&path, MAX_FILE_BYTES) else { continue };
        let Decoded::Text(text) = decoded(&bytes) else { continue };
        let file = texts.len();
        let before = matches.len();
        for (line, content) in text.lines().enumerate() {
            if began.elapsed() > MAX_TIME || matches.len() >= MAX_MATCHES {
                more |= regex.is_match(content) || began.elapsed() > MAX_TIME;
                if more {
                    keep(&mut texts, &matches, before, path, text);
                    break 'files;
                }
                continue;
            }
            if regex.is_match(content) {
                matches.push(Match { file, line });
            }
        }
        keep(&mut texts, &matches, before, path, text);
    }
    if matches.is_empty() {
        let unfinished = if more { " (the search was not finished)" } else { "" };
        return Ok(format!("No line in {given} fits `{pattern}`{unfinished}."));
    }
    Ok(shown(reach, &texts, &matches, more))
}

/// Keeps a text that has a match.
fn keep(
    texts: &mut Vec<(PathBuf, String)>,
    matches: &[Match],
    before: usize,
    path: PathBuf,
    text: String,
) {
    if matches.len() > before {
        texts.push((path, text));
    }
}

fn regex_of(pattern: &str, case_sensitive: bool) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .case_insensitive(!case_sensitive)
        .size_limit(MAX_PROGRAM_BYTES)
        .dfa_size_limit(MAX_PROGRAM_BYTES)
        .build()
        .map_err(|error| format!("`{pattern}` is no regular expression: {error}"))
}

fn shown(reach: &Reach, texts: &[(PathBuf, String)], matches: &[Match], more: bool) -> String {
    let around = match matches.len() {
        1 => 50,
        2 | 3 => 15,
        _ => 0,
    };
    let count = matches.len();
    let mut text = match more {
        true => format!("The first {count} matches; narrow the search for the others.\n"),
        false => format!("{count} matches.\n"),
    };
    for (file, (path, content)) in texts.iter().enumerate() {
        let lines: Vec<&str> = content.lines().collect();
        let here: Vec<usize> =
            matches.iter().filter(|one| one.file == file).map(|one| one.line).collect();
        let _ = writeln!(text, "File: {}", reach.shown(path));
        let mut next = 0;
        for line in &here {
            let start = line.saturating_sub(around).max(next);
            let end = (line + around + 1).min(lines.len());
            for (number, content) in lines.iter().enumerate().take(end).skip(start) {
                let mark = if here.contains(&number) { ':' } else { '-' };
                let _ = writeln!(text, "L{}{mark} {}", number + 1, cut_line(content));
            }
            next = end.max(next);
            if text.len() > MAX_ANSWER_BYTES {
                return text + "... the answer is too long; narrow the search\n";
            }
        }
    }
    text
}
