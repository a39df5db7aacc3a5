//! `hast diff GOAL[@N]`: what an attempt changed, as git prints a patch, without hast's own files.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::flows::goals::layout;
use hast_flow::words::{shell_word, visible};
use hast_world::git;
use serde_json::json;

use super::target;
use crate::app::App;
use crate::commands::flow_root::printable;
use crate::look_cli::GoalArgs;
use crate::look_messages::say;
use crate::problem::{Exit, Problem};

pub(crate) fn run(app: &mut App, args: &GoalArgs) -> Result<Exit, Problem> {
    let lang = app.lang;
    let target = target::find(app, &args.goal)?;
    let tried = target.tried(app)?;
    let (goal, number) = (visible(&target.id).into_owned(), tried.number);
    let word = visible(&shell_word(&target.id)).into_owned();
    let Some((from, to)) = tried.sides() else {
        return Err(Problem::new(say::no_work(lang, goal, number), say::show_next(lang, word)));
    };
    let coloured = !app.json && app.output.colours_results();
    let own = [format!("{}/", layout::DIRECTORY)];
    let failed = |problem: GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    let patch = git::patch(&target.root, (from, to), &own, coloured).map_err(failed)?;
    let patch = String::from_utf8_lossy(&patch).into_owned();
    if app.json {
        let told = json!({
            "goal_id": target.id, "attempt": number, "from": from, "to": to, "patch": patch,
        });
        app.print_json(&told)?;
        return Ok(Exit::Done);
    }
    if patch.trim().is_empty() {
        app.print(&format!("{}\n", say::nothing_changed(lang, goal, number)))?;
    } else if coloured {
        // Git escapes nothing of a file's own.
        app.print_exact(&printable_in_colour(&patch))?;
    } else {
        app.print_exact(&printable(&patch))?;
    }
    Ok(Exit::Done)
}

/// Only the colours that git itself puts there stay: `ESC [ digits ; m`.
fn printable_in_colour(patch: &str) -> String {
    let mut text = String::new();
    for (at, piece) in patch.split('\u{1b}').enumerate() {
        let end = piece.find(|c: char| !(c.is_ascii_digit() || c == ';' || c == '[')).unwrap_or(0);
        let is_colour = piece.starts_with('[') && piece[end..].starts_with('m');
        match (at, is_colour) {
            (0, _) => text += &shown(piece),
            (_, true) => {
                text.push('\u{1b}');
                text += &piece[..=end];
                text += &shown(&piece[end + 1..]);
            }
            (_, false) => {
                text += "\\u{1b}";
                text += &shown(piece);
            }
        }
    }
    text
}

/// A part of a text with lines and tabs, which stay.
fn shown(piece: &str) -> String {
    let cell = |cell: &str| visible(cell).into_owned();
    let line = |line: &str| line.split('\t').map(cell).collect::<Vec<_>>().join("\t");
    piece.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_stay_and_nothing_else_that_a_terminal_obeys() {
        let patch = "\u{1b}[32m+a\u{1b}[m \u{1b}[2J \u{1b}]0;x\u{7}\n";
        let shown = printable_in_colour(patch);
        assert!(shown.starts_with("\u{1b}[32m+a\u{1b}[m "), "{shown:?}");
        assert_eq!(shown.matches('\u{1b}').count(), 2, "{shown:?}");
        assert!(!shown.contains('\u{7}'), "{shown:?}");
    }
}
