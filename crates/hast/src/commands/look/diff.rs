//! `hast diff GOAL[@N]`: what an attempt changed, as git prints a patch, without what hast writes for itself and
//! without handoffs.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::words::visible;
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
    let Some((from, to)) = tried.sides() else {
        return Err(target.no_work(app, tried));
    };
    let own = target::files_of_hast();
    let failed = |problem: GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    let patch = git::patch(&target.root, (from, to), &own).map_err(failed)?;
    let patch = String::from_utf8_lossy(&patch).into_owned();
    if app.json {
        let told = json!({
            "goal_id": target.id, "attempt": number, "from": from, "to": to, "patch": patch,
        });
        app.print_json(&told)?;
        return Ok(Exit::Done);
    }
    if patch.trim().is_empty() {
        let told = match tried.code.as_deref() {
            None | Some("nothing_changed") => say::nothing_changed(lang, goal, number),
            Some(_) => say::nothing_kept(lang, goal, number, visible(tried.reason.trim())),
        };
        app.print(&format!("{told}\n"))?;
    } else if app.output.colours_results() {
        app.print_exact(&coloured(&printable(&patch)))?;
    } else {
        app.print_exact(&printable(&patch))?;
    }
    Ok(Exit::Done)
}

/// A patch that is harmless for a terminal already, with the colours that git gives it. Colours of git itself would
/// have to be told from those that a changed file holds.
fn coloured(patch: &str) -> String {
    let (mut text, mut part) = (String::new(), PatchPart::Stat);
    for line in patch.lines() {
        part = match (part, line) {
            (_, line) if line.starts_with("diff --git ") => PatchPart::Heading,
            (PatchPart::Heading | PatchPart::Hunks, line) if line.starts_with("@@ ") => {
                PatchPart::Hunks
            }
            (part, _) => part,
        };
        let colour = match (part, line.as_bytes().first()) {
            (PatchPart::Heading, _) => "\u{1b}[1m",
            (PatchPart::Hunks, Some(b'+')) => "\u{1b}[32m",
            (PatchPart::Hunks, Some(b'-')) => "\u{1b}[31m",
            (PatchPart::Hunks, Some(b'@')) => "\u{1b}[36m",
            (PatchPart::Stat | PatchPart::Hunks, _) => "",
        };
        let end = if colour.is_empty() { "" } else { "\u{1b}[m" };
        text += &format!("{colour}{line}{end}\n");
    }
    text
}

/// The parts of what git prints.
#[derive(Clone, Copy)]
enum PatchPart {
    Stat,
    Heading,
    Hunks,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_and_removed_lines_have_colours_and_headings_none_of_those() {
        let patch = " a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n z\n";
        let shown = coloured(patch);
        for line in ["\u{1b}[31m-x\u{1b}[m\n", "\u{1b}[32m+y\u{1b}[m\n", "\n z\n", " a | 2 +-\n"] {
            assert!(shown.contains(line), "{line:?}: {shown:?}");
        }
        assert!(shown.contains("\u{1b}[1m+++ b/a\u{1b}[m\n"), "{shown:?}");
    }
}
