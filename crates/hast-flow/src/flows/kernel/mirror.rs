//! `activeContext.md`: the plan as a checklist for people. What is written can be read back and
//! compared with the plan, item by item.

use crate::docs::kernel::{TodoItem, TodoStatus};

/// What a line of the checklist says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub id: String,
    pub depth: u32,
    pub status: TodoStatus,
}

/// What people wrote into the file besides the checklist; hast keeps it below.
pub fn notes(text: &str) -> String {
    let is_item = |line: &str| {
        let box_of = line.trim_start().strip_prefix("- [").and_then(|rest| rest.split_once(']'));
        box_of.is_some_and(|(mark, rest)| mark.chars().count() == 1 && rest.starts_with(" `"))
    };
    let mut lines: Vec<&str> = Vec::new();
    let mut above = true;
    for line in text.lines() {
        let head = above && (line == TITLE || line.starts_with("> ") || line.is_empty());
        if is_item(line) {
            above = false;
        } else if !head {
            lines.push(line);
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The whole file with people's notes below the checklist.
pub fn render_with(request: &str, plan: &[TodoItem], notes: &str) -> String {
    let text = render(request, plan);
    if notes.is_empty() { text } else { format!("{text}\n{notes}\n") }
}

const TITLE: &str = "# Active context";

/// The file without notes.
pub fn render(request: &str, plan: &[TodoItem]) -> String {
    let mut text = format!("{TITLE}\n\n");
    text += &format!("> {}\n\n", one_line(request));
    for item in plan {
        let indent = "  ".repeat(usize::try_from(item.depth.saturating_sub(1)).unwrap_or(0));
        let mark = if item.status == TodoStatus::Completed { 'x' } else { ' ' };
        let title = one_line(&item.title);
        let (id, expert, status) = (code(&item.id), &item.expert, word(item.status));
        text += &format!("{indent}- [{mark}] `{id}` {title} ({expert}) · {status}\n");
    }
    text
}

/// The checklist as it stands in the file. Lines that are none are passed over.
pub fn parse(text: &str) -> Vec<Line> {
    text.lines().filter_map(parse_line).collect()
}

/// What the checklist of a plan must say.
pub fn expected(plan: &[TodoItem]) -> Vec<Line> {
    let line =
        |item: &TodoItem| Line { id: code(&item.id), depth: item.depth, status: item.status };
    plan.iter().map(line).collect()
}

/// The first line where the file and the plan differ, both sides shown.
pub fn difference(text: &str, plan: &[TodoItem]) -> Option<String> {
    let (there, wanted) = (parse(text), expected(plan));
    let lines = there.len().max(wanted.len());
    (0..lines).find(|&at| there.get(at) != wanted.get(at)).map(|at| {
        let side = |line: Option<&Line>| {
            line.map_or_else(|| "-".to_owned(), |line| format!("{} {}", line.id, word(line.status)))
        };
        format!("activeContext.md: {} / plan.json: {}", side(there.get(at)), side(wanted.get(at)))
    })
}

fn parse_line(line: &str) -> Option<Line> {
    let bare = line.trim_start_matches(' ');
    let depth = u32::try_from((line.len() - bare.len()) / 2).ok()? + 1;
    let rest = bare.strip_prefix("- [")?;
    let (mark, rest) = rest.split_at_checked(1)?;
    let rest = rest.strip_prefix("] `")?;
    let (id, rest) = rest.split_once('`')?;
    let (_, status) = rest.rsplit_once("· ")?;
    let status = status_of(status.trim_end())?;
    // A box that says something else than the word is an edit, not a status.
    let agrees = (mark == "x") == (status == TodoStatus::Completed);
    agrees.then(|| Line { id: id.to_owned(), depth, status })
}

fn word(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "in_progress",
        TodoStatus::Completed => "completed",
        TodoStatus::Failed => "failed",
    }
}

fn status_of(text: &str) -> Option<TodoStatus> {
    [TodoStatus::Pending, TodoStatus::InProgress, TodoStatus::Completed, TodoStatus::Failed]
        .into_iter()
        .find(|status| word(*status) == text)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An id between backticks, which it must not contain itself.
fn code(id: &str) -> String {
    one_line(id).replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, depth: u32, status: TodoStatus) -> TodoItem {
        TodoItem {
            id: id.to_owned(),
            title: "조사 · [x] `q`\n둘째 줄 (A) · failed".to_owned(),
            description: String::new(),
            expert: "ResearchExpert".to_owned(),
            status,
            parent_id: None,
            dependencies: Vec::new(),
            estimated_steps: 1,
            requires_external_data: false,
            depth,
            result_path: None,
        }
    }

    #[test]
    fn what_is_written_is_read_back_whatever_the_titles_say() {
        let plan = [
            item("a", 1, TodoStatus::Completed),
            item("a/s1", 2, TodoStatus::InProgress),
            item("나 다`라", 1, TodoStatus::Pending),
            item("d", 1, TodoStatus::Failed),
        ];
        let text = render("요청\n두 줄", &plan);
        assert_eq!(parse(&text), expected(&plan));
        assert_eq!(difference(&text, &plan), None);
    }

    #[test]
    fn notes_of_people_stay_below_the_checklist() {
        let plan = [item("a", 1, TodoStatus::InProgress)];
        let text = render("q", &plan) + "\n## Mine\n- call Kim\n> quoted\n";
        let notes = notes(&text);
        assert_eq!(notes, "## Mine\n- call Kim\n> quoted");
        let next = render_with("q", &plan, &notes);
        assert!(next.starts_with(&render("q", &plan)) && next.ends_with("> quoted\n"), "{next}");
        assert_eq!(super::notes(&next), notes, "they stay as they are");
        assert_eq!(super::notes(&render("q", &plan)), "");
        let ticked = text.replacen("[ ]", "[x]", 1);
        assert_eq!(super::notes(&ticked), notes, "an edited item is no note");
        assert_eq!(difference(&next, &plan), None);
    }

    #[test]
    fn a_ticked_box_a_removed_line_and_a_changed_word_are_differences() {
        let plan = [item("a", 1, TodoStatus::InProgress), item("b", 1, TodoStatus::Pending)];
        let text = render("q", &plan);
        assert!(difference(&text.replacen("[ ]", "[x]", 1), &plan).is_some());
        assert!(difference(&text.replace("· in_progress", "· completed"), &plan).is_some());
        let without: String =
            text.lines().filter(|l| !l.contains("`b`")).fold(String::new(), |t, l| t + l + "\n");
        let shown = difference(&without, &plan).unwrap();
        assert!(shown.contains("- / plan.json: b pending"), "{shown}");
        // Prose that a person adds is theirs.
        assert_eq!(difference(&(text + "\nmy notes\n"), &plan), None);
    }
}
