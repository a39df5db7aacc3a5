//! hast reads the first program of a shell's command line without a shell. A path, a quoted word or
//! a word of the shell itself gives no program.

/// Words that a shell does itself: after one of them something else was not found.
const OF_THE_SHELL: &[&str] = &[
    "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "do", "done", "echo",
    "elif", "else", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for",
    "function", "getopts", "hash", "if", "in", "jobs", "kill", "local", "printf", "pwd", "read",
    "readonly", "return", "select", "set", "shift", "source", "test", "then", "time", "times",
    "trap", "true", "type", "ulimit", "umask", "unalias", "unset", "until", "wait", "while",
];

/// The first word of a command line, where it is the bare name of a program that has to be found by the
/// search path. A path, a quoted or made-up word, something of the shell itself: none.
pub fn bare_program(line: &str) -> Option<&str> {
    let mut words = line.split_ascii_whitespace();
    let name = words.find(|word| !is_plain_assignment(word))?;
    let sets_path = line.split_ascii_whitespace().any(|word| word.starts_with("PATH="));
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.');
    let is_name = name.bytes().all(plain) && name.bytes().any(|byte| byte.is_ascii_alphanumeric());
    (is_name && !sets_path && !OF_THE_SHELL.contains(&name)).then_some(name)
}

/// `NAME=value` without anything that a shell would look into.
fn is_plain_assignment(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=') else { return false };
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let of_value = |byte: u8| of_name(byte) || matches!(byte, b'-' | b'.' | b'/' | b':' | b',');
    !name.is_empty() && name.bytes().all(of_name) && value.bytes().all(of_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_name_is_a_program_of_the_search_path() {
        for (line, name) in [
            ("pytets -q", Some("pytets")),
            ("  CI=1 RUST_LOG=a,b=c x", None),
            ("CI=1 DIR=a/b pytest", Some("pytest")),
            ("g++-14 --version", Some("g++-14")),
            ("./run-tests.sh", None),
            ("tests/run", None),
            ("sh tests/check.sh", Some("sh")),
            ("cd sub && pytets", None),
            ("if x; then y; fi", None),
            ("(pytets)", None),
            ("pytets; true", None),
            ("'my tests' -q", None),
            ("$RUNNER -q", None),
            ("PATH=bin:$PATH pytets", None),
            ("PATH=bin pytets", None),
            (". env", None),
            ("! pytets", None),
            ("", None),
        ] {
            assert_eq!(bare_program(line), name, "{line}");
        }
    }
}
