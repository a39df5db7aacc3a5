//! Where a text stands in a file: exactly, else by its lines without their outer blanks. Nothing is
//! guessed: what fits another number of times than was said changes nothing.

use super::writing::numbered;

/// How many lines of the file the error shows.
const SHOWN: usize = 10;

/// A file with its text replaced.
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) times: usize,
    /// How it fitted, where it was not exact.
    pub(super) how: &'static str,
}

/// Replaces a text that stands there `expected` times; any number of times for `None`.
pub(super) fn edit(
    before: &str,
    old: &str,
    new: &str,
    expected: Option<usize>,
) -> Result<Edited, String> {
    if old == new {
        return Err("old_string and new_string are the same; nothing was changed".to_owned());
    }
    let lines = before.matches('\n').count();
    let windows = lines > 0 && before.matches("\r\n").count() == lines;
    // Models write line feeds, whatever the file has.
    let unix = |text: &str| text.replace("\r\n", "\n");
    let (text, old, new) = match windows || !before.contains('\r') {
        true => (unix(before), unix(old), unix(new)),
        false => (before.to_owned(), old.to_owned(), new.to_owned()),
    };
    let back = |text: String| if windows { text.replace('\n', "\r\n") } else { text };
    let fits = |times: usize| times > 0 && expected.is_none_or(|expected| expected == times);
    let exact = text.matches(&old).count();
    if fits(exact) {
        return Ok(Edited { text: back(text.replace(&old, &new)), times: exact, how: "" });
    }
    if exact == 0 {
        let places = by_lines(&text, &old);
        if fits(places.len()) {
            let times = places.len();
            let text = back(reindented(&text, &places, &old, &new));
            let how = " It fitted only without the blanks around its lines; the new text was indented like the file.";
            return Ok(Edited { text, times, how });
        }
    }
    let wanted = expected.unwrap_or(1);
    let found = match exact {
        0 => "old_string is not in the file".to_owned(),
        _ => format!(
            "old_string is in the file {exact} times, not {wanted}; give more lines around it, or expected_replacements"
        ),
    };
    Err(format!("{found}; nothing was changed. The nearest text there:\n{}", nearest(&text, &old)))
}

/// The first lines of the places where all lines of a text stand, without their outer blanks.
fn by_lines(text: &str, old: &str) -> Vec<usize> {
    let wanted: Vec<&str> = old.trim_matches('\n').lines().map(str::trim).collect();
    if wanted.iter().all(|line| line.is_empty()) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (mut places, mut at) = (Vec::new(), 0);
    while at + wanted.len() <= lines.len() {
        if lines[at..at + wanted.len()] == wanted[..] {
            places.push(at);
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    places
}

/// The text with these places replaced by lines that are indented as the place is.
fn reindented(text: &str, places: &[usize], old: &str, new: &str) -> String {
    let count = old.trim_matches('\n').lines().count();
    let base = indent(old.trim_matches('\n'));
    let mut lines: Vec<String> = Vec::new();
    let all: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < all.len() {
        if !places.contains(&at) {
            lines.push(all[at].to_owned());
            at += 1;
            continue;
        }
        let there = indent(all[at]);
        lines.extend(new.trim_matches('\n').lines().map(|line| match line.trim().is_empty() {
            true => String::new(),
            false => format!("{there}{}", line.strip_prefix(base).unwrap_or(line.trim_start())),
        }));
        at += count;
    }
    let mut joined = lines.join("\n");
    if text.ends_with('\n') {
        joined.push('\n');
    }
    joined
}

fn indent(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    &line[..line.len() - line.trim_start().len()]
}

/// The lines of the file that have most in common with a text.
fn nearest(text: &str, old: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: std::collections::BTreeSet<&str> =
        old.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let window = SHOWN.min(lines.len());
    let hit = |line: &str| usize::from(wanted.contains(line.trim()));
    let mut score: usize = lines[..window].iter().map(|line| hit(line)).sum();
    let mut best = (score, 0);
    for at in window..lines.len() {
        score = score + hit(lines[at]) - hit(lines[at - window]);
        if score > best.0 {
            best = (score, at + 1 - window);
        }
    }
    let start = match best.0 {
        0 => alike(&lines, wanted_first(old)).saturating_sub(2),
        _ => best.1,
    };
    numbered(&lines, start, start + SHOWN)
}

fn wanted_first(old: &str) -> &str {
    old.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// The line that begins most like a text.
fn alike(lines: &[&str], wanted: &str) -> usize {
    let common =
        |line: &str| line.trim().chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
    let best =
        lines.iter().enumerate().max_by_key(|(at, line)| (common(line), std::cmp::Reverse(*at)));
    best.map_or(0, |(at, _)| at)
}
