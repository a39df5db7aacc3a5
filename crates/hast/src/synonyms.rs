//! Words that people type for a command that has another name.

/// The command to type instead.
pub(crate) fn of(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "goals" | "ls" | "list" | "backlog" => "hast goal list",
        "add" | "new" => "hast goal add \"TITLE\"",
        "import" => "hast goal import",
        "logs" | "tail" => "hast log GOAL",
        "start" | "go" | "work" => "hast auto",
        "stop" | "cancel" | "kill" | "abort" => {
            "Ctrl-C in the terminal of the run; the same command goes on"
        }
        "revert" | "rollback" => "hast undo GOAL",
        "apply" | "checkout" => "hast take GOAL",
        "config" | "settings" | "doctor" => "hast agent doctor",
        "agents" => "hast agent list",
        "limits" => "hast agent limits",
        "board" | "info" => "hast status",
        "attempts" | "history" => "hast show GOAL",
        "patch" => "hast diff GOAL",
        "check" | "lint" | "validate" => "hast verify",
        "ask" | "why" => "hast explore \"QUESTION\"",
        "approve" => "hast trust",
        "todo" | "questions" => "hast inbox summary",
        _ => return None,
    })
}
