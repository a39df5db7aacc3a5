//! A session's context: what the goal, the last handoff and the rules say, within a byte limit.
//!
//! The same files give the same bytes: nothing here looks at a clock or at a file's date.

use crate::docs::goals::{Goal, GoalStatus, HandoffStatus};
use crate::flows::goals::handoffs::{LastSession, unlisted};
use crate::flows::goals::print::{self, Format};
use crate::flows::goals::selection::Placed;
use crate::words::Lang;

/// The limit where the config names none.
pub const DEFAULT_MAX_BYTES: usize = 120_000;

/// How many context files stay when space is short.
const FILES_KEPT: usize = 5;

/// How long each kept line of the last session may be when space is short.
const SUMMARY_CHARS: usize = 200;

/// Everything a context says, before it is printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    pub goal: Option<CurrentGoal>,
    pub previous: Option<Previous>,
    /// The task, a line each, as written.
    pub task: Vec<String>,
    pub files: Vec<String>,
    /// The rules, a line each, as written.
    pub rules: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CurrentGoal {
    pub id: String,
    pub title: String,
    pub parent: Option<(String, String, GoalStatus)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Previous {
    /// As the handoff has it, with its offset.
    pub timestamp: String,
    /// `2026-02-09 14:30`, where it was written.
    pub local: String,
    pub status: HandoffStatus,
    pub done: Vec<String>,
    pub key_decisions: Vec<String>,
}

/// The limit is too small for even an empty context in this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the context needs at least {needed} bytes")]
pub struct TooSmall {
    pub needed: usize,
}

/// Puts the sources together by their priority.
pub fn assemble(goal: Option<&Placed<'_>>, last: Option<&LastSession>, rules: &str) -> Context {
    let last = last.filter(|last| goal.is_none_or(|placed| last.reaches(&placed.goal.id)));
    let task = match (goal, last) {
        (Some(placed), Some(last)) if is_about(last, placed.goal) => last.next.clone(),
        (Some(placed), _) => goal_as_task(placed.goal),
        (None, Some(last)) => last.next.clone(),
        (None, None) => Vec::new(),
    };
    Context {
        goal: goal.map(|placed| CurrentGoal {
            id: placed.goal.id.clone(),
            title: placed.goal.title.clone(),
            parent: placed.parent.map(|goal| (goal.id.clone(), goal.title.clone(), goal.status)),
        }),
        previous: last.map(|last| Previous {
            timestamp: last.front.timestamp.to_string(),
            local: last.front.timestamp.time().local().strftime("%Y-%m-%d %H:%M").to_string(),
            status: last.front.status,
            done: last.done.clone(),
            key_decisions: last.key_decisions.clone(),
        }),
        task,
        files: last.map(|last| last.context_files.clone()).unwrap_or_default(),
        rules: rules.lines().map(|line| line.trim_end().to_owned()).collect(),
    }
}

/// Prints a context, shortened in the seed's order until it fits.
pub fn fit(context: &Context, format: Format, lang: Lang, max: usize) -> Result<String, TooSmall> {
    let mut context = context.clone();
    let steps: [fn(&mut Context); 4] = [|_| {}, summarise, keep_top_files, forget_details];
    for step in steps {
        step(&mut context);
        let text = print::print(&context, format, lang);
        if text.len() <= max {
            return Ok(text);
        }
    }
    cut_to_fit(context, format, lang, max)
}

/// `Next` is the task if the handoff, or its first word, is about the goal.
fn is_about(last: &LastSession, goal: &Goal) -> bool {
    let first_word = last.next.first().and_then(|line| unlisted(line).split_whitespace().next());
    let named = first_word.map(|word| word.trim_end_matches([':', ',', '—', '-']));
    !last.next.is_empty() && (last.front.goal_id == goal.id || named == Some(goal.id.as_str()))
}

fn goal_as_task(goal: &Goal) -> Vec<String> {
    let notes = goal.notes.iter().flat_map(|notes| notes.lines()).map(str::to_owned);
    let acceptance = goal.acceptance.iter().map(|line| format!("- {line}"));
    std::iter::once(format!("{} — {}", goal.id, goal.title))
        .chain(notes)
        .chain(acceptance)
        .collect()
}

/// Of the last session, what was done first and decided first.
fn summarise(context: &mut Context) {
    if let Some(previous) = &mut context.previous {
        for list in [&mut previous.done, &mut previous.key_decisions] {
            list.truncate(1);
            for line in list {
                cut_chars(line, SUMMARY_CHARS);
            }
        }
    }
}

fn keep_top_files(context: &mut Context) {
    context.files.truncate(FILES_KEPT);
}

fn forget_details(context: &mut Context) {
    if let Some(previous) = &mut context.previous {
        previous.done.clear();
        previous.key_decisions.clear();
    }
}

/// What is left is too long by itself: the task gives way first, then files, and the rules last.
fn cut_to_fit(
    mut context: Context,
    format: Format,
    lang: Lang,
    max: usize,
) -> Result<String, TooSmall> {
    let parts: [fn(&mut Context) -> &mut Vec<String>; 3] =
        [|context| &mut context.task, |context| &mut context.files, |context| &mut context.rules];
    for part in parts {
        let whole = std::mem::take(part(&mut context));
        // Even when nothing of it fits, a mark says that there was something.
        *part(&mut context) = first_bytes(&whole, 0);
        let least = print::print(&context, format, lang).len();
        if least > max {
            continue;
        }
        // The printed size grows with what is kept, so the most that fits is found by halving.
        let (mut fits, mut too_long) = (0, whole.iter().map(String::len).sum::<usize>() + 1);
        while too_long - fits > 1 {
            let middle = fits + (too_long - fits) / 2;
            *part(&mut context) = first_bytes(&whole, middle);
            if print::print(&context, format, lang).len() <= max {
                fits = middle;
            } else {
                too_long = middle;
            }
        }
        *part(&mut context) = first_bytes(&whole, fits);
        let text = print::print(&context, format, lang);
        if text.len() <= max {
            return Ok(text);
        }
    }
    let text = print::print(&context, format, lang);
    match format {
        Format::Json => Err(TooSmall { needed: text.len() }),
        Format::Markdown | Format::Plain => Ok(text[..text.floor_char_boundary(max)].to_owned()),
    }
}

/// The first lines, the last one cut between two characters and marked: at least the mark.
fn first_bytes(lines: &[String], bytes: usize) -> Vec<String> {
    let mut left = bytes;
    let mut kept = Vec::new();
    for line in lines {
        if line.len() <= left {
            left -= line.len();
            kept.push(line.clone());
        } else {
            kept.push(format!("{}…", &line[..line.floor_char_boundary(left)]));
            break;
        }
    }
    kept
}

fn cut_chars(text: &mut String, chars: usize) {
    if let Some((at, _)) = text.char_indices().nth(chars) {
        text.truncate(at);
        text.push('…');
    }
}
