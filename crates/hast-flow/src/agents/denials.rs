//! Denied tools of a call in words, with the agent and what it could not do.

use crate::agents::choice::Chosen;
use crate::docs::goals::agent_line::base_name;
use crate::words::Lang;

/// Tools that write files, as the agents name them, in lower case.
const WRITING: &[&str] = &[
    "write",
    "edit",
    "multiedit",
    "notebookedit",
    "write_file",
    "replace",
    "patch",
    "apply_patch",
    "file_change",
    "create",
    "text_editor",
    "str_replace_editor",
];

/// What an agent was not allowed to do; nothing where nothing was denied.
pub fn told(agent: &Chosen, tools: &[String], lang: Lang) -> Option<String> {
    let mut named: Vec<&str> = tools.iter().map(String::as_str).collect();
    named.dedup();
    let shown = named.join(", ");
    let writes = named.iter().any(|tool| WRITING.contains(&tool.to_lowercase().as_str()));
    match (named.is_empty(), writes) {
        (true, _) => None,
        (false, true) => Some(say::not_to_write(lang, short_name(agent), shown)),
        (false, false) => Some(say::not_to_use(lang, short_name(agent), shown)),
    }
}

/// The agent's name; of one that is called by a whole line, its program.
pub fn short_name(agent: &Chosen) -> &str {
    match agent.name.contains(char::is_whitespace) {
        true => base_name(agent.provider.program("hast")),
        false => &agent.name,
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        not_to_write(agent, tools) { en: "{agent} was not allowed to write ({tools})", ko: "{agent}에 쓰기 권한이 없었습니다({tools})" }
        not_to_use(agent, tools) { en: "{agent} was not allowed to use: {tools}", ko: "{agent}(이)가 다음을 쓸 수 없었습니다: {tools}" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::choice::Why;
    use crate::agents::provider::Provider;

    fn agent(line: &str) -> Chosen {
        let provider = Provider::parse(line).unwrap();
        Chosen { name: line.to_owned(), provider, why: Why::Config }
    }

    fn said(line: &str, tools: &[&str]) -> Option<String> {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        told(&agent(line), &tools, Lang::En)
    }

    #[test]
    fn a_denied_tool_that_writes_is_told_as_what_it_does() {
        let words = Some("claude was not allowed to write (Write, Bash)".to_owned());
        assert_eq!(said("claude", &["Write", "Write", "Bash"]), words);
        assert_eq!(said("/opt/bin/claude -p {prompt}", &["Write", "Bash"]), words);
        let words = Some("codex was not allowed to use: command_execution".to_owned());
        assert_eq!(said("codex", &["command_execution"]), words);
        assert_eq!(said("codex", &[]), None);
    }
}
