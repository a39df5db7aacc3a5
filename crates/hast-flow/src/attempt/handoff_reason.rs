//! Why a handoff asks for a person, as one line: it goes into a list, a field of YAML, an inbox. Who wants all
//! of it opens the handoff.

/// Longest that it may be.
const MAX_CHARS: usize = 300;

/// Where people look for what is wanted of them, first.
const SECTIONS: [&str; 5] = ["blocked", "reason", "next", "key decisions", "done"];

/// Lines that say that there is nothing to say.
const NOTHING: [&str; 7] = ["", "none", "nothing", "n/a", "na", "-", "없음"];

/// The lines of the first section that says something, without their Markdown. What stands before all sections
/// counts for more than they do.
pub(super) fn one_line(body: &str) -> String {
    let mut found: Vec<(String, Vec<String>)> = vec![(String::new(), Vec::new())];
    for line in body.lines().filter(|line| !line.starts_with("```")) {
        let title = line.trim_start_matches('#');
        match title.len() < line.len() && title.starts_with(' ') {
            true => found.push((title.trim().to_lowercase(), Vec::new())),
            false => {
                let words = plain(line);
                let silent = NOTHING.contains(&words.trim_end_matches('.').to_lowercase().as_str());
                if let (Some((_, lines)), false) = (found.last_mut(), silent) {
                    lines.push(words);
                }
            }
        }
    }
    let rank = |title: &str| match title {
        "" => 0,
        title => 1 + SECTIONS.iter().position(|known| *known == title).unwrap_or(SECTIONS.len()),
    };
    let best = found.iter().filter(|(_, lines)| !lines.is_empty());
    let best = best.min_by_key(|(title, _)| rank(title)).map(|(_, lines)| lines.join("; "));
    cut(&best.unwrap_or_default())
}

/// The section in which an agent lists tests that it took away.
const REMOVED: &str = "removed tests";
/// So many of them are taken, and so much of each.
const MOST_REMOVED: usize = 50;
const LONGEST_REMOVED: usize = 200;

/// The tests that a handoff lists as removed, a line each.
pub(super) fn removed_tests(body: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in body.lines() {
        let title = line.trim_start_matches('#');
        if title.len() < line.len() && title.starts_with(' ') {
            inside = title.trim().to_lowercase() == REMOVED;
            continue;
        }
        let name = plain(line).replace('`', "");
        let silent = NOTHING.contains(&name.trim_end_matches('.').to_lowercase().as_str());
        if inside && !silent && found.len() < MOST_REMOVED {
            found.push(name.chars().take(LONGEST_REMOVED).collect());
        }
    }
    found
}

/// A line without a list marker, a quote sign, a check box or emphasis.
fn plain(line: &str) -> String {
    let mut text = line.trim();
    for marker in ["> ", "- ", "* ", "+ ", "[ ] ", "[x] "] {
        text = text.strip_prefix(marker).unwrap_or(text).trim_start();
    }
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < text.len()
        && let Some(rest) = number.strip_prefix(". ").or_else(|| number.strip_prefix(") "))
    {
        text = rest.trim_start();
    }
    let text = text.replace("**", "").replace("__", "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    text.chars().take(MAX_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_tests_are_listed_in_a_section_of_their_own() {
        let body = "## Done\n- a\n\n## Removed Tests\n- `tests/test_a.py::test_old`\n* test_older\n\n## Next\nmore\n";
        assert_eq!(removed_tests(body), ["tests/test_a.py::test_old", "test_older"]);
        for body in
            ["## Removed Tests\nnone\n", "## Removed Tests\n\n## Next\nx", "Removed Tests\n- a"]
        {
            assert_eq!(removed_tests(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn the_reason_is_one_line_without_markdown() {
        let usual = |next: &str, decisions: &str| {
            format!(
                "\n## Done\n- looked\n\n## Key Decisions\n{decisions}\n\n## Changed Files\n- a\n\n## Next\n{next}\n"
            )
        };
        for (body, reason) in [
            ("\nno database here\n".to_owned(), "no database here"),
            (
                usual("- **Which** database is meant?\n- and  where?", "- none"),
                "Which database is meant?; and where?",
            ),
            (usual("- Nothing.", "1. Which database?"), "Which database?"),
            (usual("없음", "- none"), "looked"),
            (
                "# Blocked\n> [ ] a key is missing\n## Next\n- go on\n".to_owned(),
                "a key is missing",
            ),
            ("#12 is in the way\n".to_owned(), "#12 is in the way"),
            ("It needs a key.\n\n## Next\n- go on\n".to_owned(), "It needs a key."),
            (String::new(), ""),
        ] {
            assert_eq!(one_line(&body), reason, "{body}");
        }
        assert_eq!(one_line(&"가".repeat(9_000)).chars().count(), MAX_CHARS);
    }
}
