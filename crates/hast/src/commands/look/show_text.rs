//! A goal as it is shown to people: no more lines than a terminal has, broken between words.

use std::time::Duration;

use hast_flow::flows::goals::status_edit::status_word;
use hast_flow::flows::goals::story::Tried;
use hast_flow::words::{Lang, shell_word, visible};

use super::records::CallFolder;
use super::show::{Next, Shown};
use super::target::{Target, Unfinished};
use crate::commands::driving::spent;
use crate::look_messages::say;
use crate::messages::say as common;
use crate::output::screen_size;
use crate::progress::board::{elapsed, folded};

/// So many attempts have lines of their own.
const ATTEMPTS: usize = 3;
/// So much of a reason is shown.
const REASON_LINES: usize = 3;
/// The least that is shown of the tests and of the agent's words.
const LEAST: usize = 2;

pub(super) fn screen(
    lang: Lang,
    target: &Target,
    shown: &[Shown<'_>],
    (why, words, next): (&[String], &str, &Next),
) -> String {
    let (width, height) = screen_size();
    let width = width.saturating_sub(1).max(20);
    let mut head = lines(&heading(target), width, 2);
    head.extend(why.iter().flat_map(|line| lines(line, width, REASON_LINES)));
    head.extend(attempts(lang, target, shown, (why, width)));
    let mut foot = Vec::new();
    if let Some(at) = shown.last().and_then(|last| place(last.tried)) {
        foot.extend(lines(&say::work(lang, at), width, 2));
    }
    if !next.look.is_empty() {
        foot.extend(lines(&say::look(lang, next.look.join(" · ")), width, 2));
    }
    foot.extend(next.again.iter().flat_map(|command| lines(&say::again(lang, command), width, 2)));
    let first = next.first.iter().map(|first| format!("{}: {first}", common::next(lang)));
    foot.extend(first.flat_map(|line| lines(&line, width, 2)));
    // The shell's next prompt has a line too.
    let room = height.saturating_sub(head.len() + foot.len() + 1);
    let tail = shown.last().map(|last| last.tried.test_tail.as_str()).unwrap_or_default();
    let middle = middle(lang, tail, words, (width, room));
    head.into_iter().chain(middle).chain(foot).map(|line| line + "\n").collect()
}

fn heading(target: &Target) -> String {
    let title = target.goal.as_ref().map(|goal| goal.title.as_str()).unwrap_or_default();
    let status = target.goal.as_ref().map_or("-", |goal| status_word(goal.status));
    format!("{}  {}  ({status})", visible(&target.id), visible(title))
}

fn attempts(
    lang: Lang,
    target: &Target,
    shown: &[Shown<'_>],
    (why, width): (&[String], usize),
) -> Vec<String> {
    if shown.is_empty() {
        return lines(&say::not_tried(lang, visible(&target.id)), width, 2);
    }
    let mut all = Vec::new();
    let earlier = shown.len().saturating_sub(ATTEMPTS);
    if earlier > 0 {
        let goal = visible(&shell_word(&target.id)).into_owned();
        all.extend(lines(&say::earlier(lang, earlier, goal), width, 2));
    }
    for one in shown.iter().skip(earlier) {
        all.extend(lines(&format!("  {}", line(lang, target, one)), width, 2));
        // The reason of a blocked goal mostly stands above already.
        let reason = visible(one.tried.reason.trim());
        let told = why.iter().any(|line| line.contains(&*reason));
        if !one.tried.is_done() && !one.tried.reason.trim().is_empty() && !told {
            all.extend(lines(&format!("    {reason}"), width, LEAST));
        }
    }
    all
}

/// `attempt 2: failed · 3m 12s · 12.3k tokens · $0.12 · files 3, +10 -2`.
fn line(lang: Lang, target: &Target, shown: &Shown<'_>) -> String {
    let tried = shown.tried;
    let class = match target.unfinished(tried) {
        None => tried.class.clone().unwrap_or_default(),
        Some(Unfinished::UnderWay) => say::under_way(lang),
        Some(Unfinished::CutOff) => say::went_on(lang),
        Some(Unfinished::Left) => say::left(lang),
    };
    let time = seconds(shown).map(|seconds| elapsed(Duration::from_secs(seconds)));
    let files = shown.diff.as_ref().filter(|diff| diff.files > 0);
    let files = files.map(|diff| say::files(lang, diff.files, diff.added, diff.removed));
    let cuts = (tried.cuts > 0).then(|| say::cut_off(lang, tried.cuts));
    let first = say::attempt(lang, tried.number, class);
    let rest = [time, spent(lang, shown.usage), files, cuts];
    [Some(first)].into_iter().chain(rest).flatten().collect::<Vec<_>>().join(" · ")
}

/// How long it took until it was judged; of one that was cut off, how long its calls took: nothing happened between.
pub(super) fn seconds(shown: &Shown<'_>) -> Option<u64> {
    let tried = shown.tried;
    if tried.cuts > 0 {
        let records = shown.calls.iter().filter_map(CallFolder::record);
        return Some(records.map(|record| record.duration_ms).sum::<u64>() / 1_000);
    }
    let (start, end) = tried.started_at.zip(tried.judged_at)?;
    u64::try_from(end.instant().as_second() - start.instant().as_second()).ok()
}

/// The branch, the ref, or the commit that has the work.
fn place(tried: &Tried) -> Option<String> {
    if let Some((_, to)) = tried.merged.as_ref().filter(|_| tried.is_done()) {
        return Some(to.as_str().get(..12).unwrap_or_default().to_owned());
    }
    let branch = tried.branch.as_deref();
    let branch = branch.map(|branch| branch.strip_prefix("refs/heads/").unwrap_or(branch));
    let name = tried.work.as_ref().and_then(|work| work.name.as_deref());
    let places: Vec<&str> = [branch, name].into_iter().flatten().collect();
    (!places.is_empty()).then(|| visible(&places.join(" · ")).into_owned())
}

/// The end of the tests and of what the agent said, in the room that is left.
fn middle(lang: Lang, tail: &str, words: &str, (width, room): (usize, usize)) -> Vec<String> {
    let tail: Vec<String> = wrapped(tail, width);
    let words: Vec<String> = wrapped(words, width);
    let headings = usize::from(!tail.is_empty()) + usize::from(!words.is_empty());
    let room = room.saturating_sub(headings).max(LEAST * headings);
    let of_words = words.len().min(room / 2).max(room.saturating_sub(tail.len()).min(words.len()));
    let of_tail = tail.len().min(room.saturating_sub(of_words));
    let mut all = Vec::new();
    if of_tail > 0 {
        all.push(say::tests(lang));
        all.extend_from_slice(&tail[tail.len() - of_tail..]);
    }
    if of_words > 0 {
        all.push(say::words(lang));
        all.extend_from_slice(&words[words.len() - of_words..]);
    }
    all
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    let folded = lines.flat_map(|line| {
        let line = folded(&format!("  | {}", visible(line)), width);
        line.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    folded.collect()
}

/// A text of at most so many lines.
fn lines(text: &str, width: usize, most: usize) -> Vec<String> {
    let folded = folded(text, width);
    let mut all: Vec<String> = folded.lines().map(str::to_owned).collect();
    if all.len() > most {
        all.truncate(most);
        if let Some(last) = all.last_mut() {
            last.push('…');
        }
    }
    all
}
