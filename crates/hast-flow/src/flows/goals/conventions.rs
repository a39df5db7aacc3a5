//! The session rules in a project's `AGENTS.md` and its kin: between markers, once, the rest
//! untouched.

use crate::formats::edit::Edit;
use crate::messages;
use crate::words::Lang;

const START: &str = "<!-- hast:conventions -->";
const END: &str = "<!-- /hast:conventions -->";

/// The line that makes `CLAUDE.md` include `AGENTS.md`.
const INCLUDE: &str = "@AGENTS.md";

messages! {
    text() {
        en: "## Session rules\nThis project keeps its sessions in .ai/.\n- Before you work, read the newest file in `.ai/handoffs/`.\n- After you work, write a handoff to `.ai/handoffs/`.\n- Rules: see `.ai/rules.md`\n",
        ko: "## 세션 규약\n이 프로젝트는 .ai/ 디렉터리로 세션을 관리합니다.\n- 작업 전 `.ai/handoffs/`의 최신 파일을 읽으세요.\n- 작업 후 `.ai/handoffs/`에 핸드오프를 작성하세요.\n- 규칙: `.ai/rules.md` 참조\n",
    }
}

/// The edit that adds the rules to a file, or `None` where they are already.
pub fn add_rules(file: &str, lang: Lang) -> Option<Edit> {
    if file.contains(START) {
        return None;
    }
    Some(append(file, &format!("{START}\n{}{END}\n", text(lang))))
}

/// The edit that lets `CLAUDE.md` include `AGENTS.md`, or `None` where it does.
pub fn add_include(file: &str) -> Option<Edit> {
    let included = file.lines().any(|line| line.trim() == INCLUDE);
    (!included).then(|| append(file, &format!("{INCLUDE}\n")))
}

/// An insertion at the end, after a blank line, with the line ends of the file.
fn append(file: &str, block: &str) -> Edit {
    let newline = if file.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match file {
        "" | "\u{feff}" => "",
        file if file.ends_with("\n\n") || file.ends_with("\n\r\n") => "",
        file if file.ends_with('\n') => newline,
        _ if newline == "\n" => "\n\n",
        _ => "\r\n\r\n",
    };
    Edit::insert(file.len(), format!("{gap}{}", block.replace('\n', newline)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_added_once_and_the_rest_stays() {
        for before in ["", "# Mine\n", "# Mine", "# Mine\r\n", "# Mine\n\n"] {
            let after = add_rules(before, Lang::Ko).unwrap().apply(before);
            assert!(after.starts_with(before));
            assert_eq!(after.matches(START).count(), 1);
            assert_eq!(after.contains("\r\n"), before.contains("\r\n"));
            assert_eq!(add_rules(&after, Lang::Ko), None);
        }
    }

    #[test]
    fn an_include_is_added_once() {
        let after = add_include("see @AGENTS.md\n").unwrap().apply("see @AGENTS.md\n");
        assert_eq!(after, "see @AGENTS.md\n\n@AGENTS.md\n");
        assert_eq!(add_include(&after), None);
    }
}
