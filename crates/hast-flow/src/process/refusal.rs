//! The sandbox in the words of the programs that it holds: from what a program printed, the path that was
//! refused, or a sandbox of the program's own that cannot be made inside of hast's.

use crate::words::Lang;

/// A complaint of a program about the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It may not write there.
    Path(String),
    /// Its own sandbox was refused.
    OwnSandbox,
}

/// Words of a system that refuses to write.
const REFUSED: [&str; 6] = [
    "permission denied",
    "read-only file system",
    "operation not permitted",
    "eacces",
    "erofs",
    "eperm",
];
/// Words of programs that want namespaces of their own.
const OWN_SANDBOX: [&str; 4] = ["uid map", "uid_map", "no usable sandbox", "sandbox_host_linux"];
/// Nothing there is opened by a setting.
const OF_KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The first refusal in a text. Paths below `open` can be written: whatever is refused there is not the
/// sandbox's doing.
pub fn refusal<'a>(text: &str, open: impl Fn(&str) -> bool + 'a) -> Option<Refusal> {
    text.lines().find_map(|line| {
        let lower = line.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&OWN_SANDBOX) {
            return Some(Refusal::OwnSandbox);
        }
        let path = has(&REFUSED).then(|| first_path(line)).flatten()?;
        let is_below = |above: &str| is_below(path, above);
        let counts = !open(path) && !OF_KERNEL.iter().any(|above| is_below(above));
        counts.then(|| Refusal::Path(path.to_owned()))
    })
}

/// A path that is another one or lies below it.
pub fn is_below(path: &str, above: &str) -> bool {
    let rest = path.strip_prefix(above.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// An absolute path in a line: between quotes with all its blanks, else up to a blank or a colon.
fn first_path(line: &str) -> Option<&str> {
    let quoted = ['\'', '"', '`'].iter().find_map(|quote| {
        let (_, after) = line.split_once(&format!("{quote}/"))?;
        let start = line.len() - after.len() - 1;
        let end = line[start..].find(*quote)? + start;
        Some(&line[start..end])
    });
    let plain = || {
        let apart =
            |sign: char| sign.is_whitespace() || matches!(sign, ':' | ',' | ';' | '(' | ')' | '=');
        line.split(apart)
            .map(|word| word.trim_matches(['\'', '"', '`', '’', '‘']))
            .find(|word| word.len() > 1 && word.starts_with('/'))
    };
    quoted.or_else(plain)
}

impl Refusal {
    /// The next action of a person.
    pub fn advice(&self, lang: Lang) -> String {
        match self {
            Self::Path(path) => say::not_writable(lang, path),
            Self::OwnSandbox => say::own_sandbox(lang),
        }
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        not_writable(path) { en: "hast's sandbox lets nothing be written at {path}; if it is to be written, name it in sandbox_write of .ai/config.yaml", ko: "hast의 샌드박스가 {path}에 쓰는 것을 막습니다. 써야 하는 곳이면 .ai/config.yaml의 sandbox_write에 적으세요" }
        own_sandbox() { en: "it runs inside of hast's sandbox and cannot make one of its own; switch its own off (the names of presets do)", ko: "hast의 샌드박스 안에서는 자체 샌드박스를 만들 수 없습니다. 자체 샌드박스를 끄세요 (프리셋 이름을 쓰면 꺼집니다)" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_that_was_refused_is_found_in_the_words_of_many_programs() {
        for (line, path) in [
            ("sh: 1: cannot create /opt/data/x: Read-only file system", "/opt/data/x"),
            ("touch: cannot touch '/opt/my data/x': Read-only file system", "/opt/my data/x"),
            (
                "Error: EACCES: permission denied, mkdir '/usr/lib/node_modules/x'",
                "/usr/lib/node_modules/x",
            ),
            ("PermissionError: [Errno 13] Permission denied: '/srv/db.sqlite'", "/srv/db.sqlite"),
            ("OSError: [Errno 30] Read-only file system: '/srv/db.sqlite'", "/srv/db.sqlite"),
            ("open /var/lib/x/lock: read-only file system", "/var/lib/x/lock"),
            ("mkdir: cannot create directory ‘/opt/x’: Permission denied", "/opt/x"),
        ] {
            let found = refusal(&format!("first\n{line}\nlast"), |_| false);
            assert_eq!(found, Some(Refusal::Path(path.to_owned())), "{line}");
        }
    }

    #[test]
    fn what_the_sandbox_did_not_do_is_no_refusal_of_it() {
        let open = |path: &str| is_below(path, "/p");
        for line in [
            "sh: 1: ./run.sh: Permission denied",
            "cat: /p/secret: Permission denied",
            "/proc/sys/kernel/x: Permission denied",
            "tests failed in /opt/x",
        ] {
            assert_eq!(refusal(line, open), None, "{line}");
        }
        assert_eq!(refusal("/p2/x: Permission denied", open), Some(Refusal::Path("/p2/x".into())));
    }

    #[test]
    fn a_sandbox_of_the_programs_own_is_named() {
        for line in [
            "bwrap: setting up uid map: Permission denied",
            "No usable sandbox! Update your kernel",
        ] {
            let found = refusal(line, |_| false).unwrap();
            assert_eq!(found, Refusal::OwnSandbox, "{line}");
            assert!(found.advice(Lang::En).contains("hast's sandbox"));
        }
    }
}
