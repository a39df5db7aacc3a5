//! Takes secrets out of whatever is written down, by their value, also where a value is cut in two
//! by the borders of chunks.

use std::collections::BTreeMap;

/// Values shorter than this are not secrets: they would take ordinary words out of texts.
pub const SHORTEST_SECRET: usize = 6;

/// The values to look for, longest first, each with the name that stands in its place.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Vec<(Vec<u8>, String)>,
    longest: usize,
    /// For each byte, whether a secret starts with it; most bytes of a stream start none.
    starts: Vec<bool>,
}

impl std::fmt::Debug for Redactor {
    /// Without the values: this is the one type that must not print what it holds.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("secrets", &self.secrets.len()).finish()
    }
}

impl Redactor {
    /// A redactor for these secrets, by name. A value is also found as JSON and URLs write it.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut by_value: BTreeMap<Vec<u8>, String> = BTreeMap::new();
        for (name, value) in secrets {
            let value = value.trim();
            for form in [value.to_owned(), as_json(value), as_url(value)] {
                if value.len() >= SHORTEST_SECRET {
                    by_value.entry(form.into_bytes()).or_insert_with(|| name.to_owned());
                }
            }
        }
        let mut secrets: Vec<(Vec<u8>, String)> = by_value.into_iter().collect();
        // A key may be the beginning of another one; the longer must win.
        secrets.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        let longest = secrets.first().map_or(0, |(value, _)| value.len());
        let mut starts = vec![false; 256];
        for first in secrets.iter().filter_map(|(value, _)| value.first()) {
            starts[usize::from(*first)] = true;
        }
        Self { secrets, longest, starts }
    }

    /// A text without its secrets.
    pub fn text(&self, text: &str) -> String {
        let mut stream = self.stream();
        let mut out = stream.push(text.as_bytes());
        out.extend(stream.finish());
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Bytes without their secrets.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        self.run(bytes, &mut out, bytes.len());
        out
    }

    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// The name of the first secret in some bytes.
    pub fn find(&self, bytes: &[u8]) -> Option<&str> {
        (0..bytes.len()).find_map(|at| self.at(&bytes[at..])).map(|(name, _)| name)
    }

    /// For bytes that come in pieces.
    pub fn stream(&self) -> RedactStream<'_> {
        RedactStream { redactor: self, held: Vec::new() }
    }

    /// The secret that starts here, if one does.
    fn at<'a>(&'a self, bytes: &[u8]) -> Option<(&'a str, usize)> {
        let first = usize::from(*bytes.first()?);
        if !self.starts.get(first).copied().unwrap_or(false) {
            return None;
        }
        let (value, name) = self.secrets.iter().find(|(value, _)| bytes.starts_with(value))?;
        Some((name, value.len()))
    }

    /// Moves bytes to `out` as long as it is certain which secret, if any, starts at each.
    fn run(&self, bytes: &[u8], out: &mut Vec<u8>, certain: usize) -> usize {
        let mut at = 0;
        while at < certain {
            match self.at(&bytes[at..]) {
                Some((name, length)) => {
                    out.extend_from_slice(format!("[{name} redacted]").as_bytes());
                    at += length;
                }
                None => {
                    out.push(bytes[at]);
                    at += 1;
                }
            }
        }
        at
    }
}

/// Holds back as many bytes as could be the start of a secret.
#[derive(Debug)]
pub struct RedactStream<'a> {
    redactor: &'a Redactor,
    held: Vec<u8>,
}

impl RedactStream<'_> {
    /// What of the stream so far is free of secrets and was not returned before.
    #[must_use]
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(bytes.len());
        // A byte is certain when the longest secret would fit between it and the end.
        let certain = (self.held.len() + 1).saturating_sub(self.redactor.longest.max(1));
        let done = self.redactor.run(&self.held, &mut out, certain);
        self.held.drain(..done);
        out
    }

    /// The rest.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::new();
        self.redactor.run(&self.held, &mut out, self.held.len());
        out
    }
}

/// Whether a variable's name says that its value is a secret. Names of files and sockets that lead
/// to one are none: their values are paths, which texts need.
pub fn names_a_secret(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "KEY",
        "KEYS",
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
        "CREDENTIALS",
        "AUTH",
        "COOKIE",
        "COOKIES",
        "PAT",
        "PWD",
    ];
    const ENDINGS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "COOKIE"];
    const PATHS: &[&str] = &["SOCK", "SOCKET", "FILE", "PATH", "DIR", "HOME", "PID"];
    let name = name.to_ascii_uppercase();
    let words: Vec<&str> = name.split(['_', '-', '.']).filter(|word| !word.is_empty()).collect();
    let leads_there = words.last().is_some_and(|last| PATHS.contains(last));
    let is_directory = matches!(words.as_slice(), ["PWD"] | ["OLDPWD"]);
    let is_secret =
        |word: &&str| WORDS.contains(word) || ENDINGS.iter().any(|ending| word.ends_with(ending));
    !leads_there && !is_directory && words.iter().any(is_secret)
}

/// Whether a variable is a secret: its name says so, or it is an address with a password in it, or one that is itself
/// the right to use it (`SENTRY_DSN`, `SLACK_WEBHOOK_URL`).
pub fn is_secret(name: &str, value: &str) -> bool {
    const ADDRESSES: &[&str] = &["DSN", "WEBHOOK"];
    let upper = name.to_ascii_uppercase();
    let mut words = upper.split(['_', '-', '.']);
    names_a_secret(name)
        || has_password(value)
        || value.contains("://") && words.any(|word| ADDRESSES.contains(&word))
}

/// `scheme://user:password@host`.
fn has_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    user.and_then(|user| user.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
}

fn as_json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    // A value may itself end in a quote: take off the outer ones only.
    quoted[1..quoted.len() - 1].to_owned()
}

fn as_url(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whether_its_value_is_a_secret() {
        for (name, secret) in [
            ("ANTHROPIC_API_KEY", true),
            ("GITHUB_TOKEN", true),
            ("MYAPIKEY", true),
            ("DB_PASSWORD", true),
            ("MYSQL_PWD", true),
            ("npm_config_//registry/:_authToken", true),
            ("BASIC_AUTH", true),
            ("PWD", false),
            ("OLDPWD", false),
            ("GIT_AUTHOR_NAME", false),
            ("SSH_AUTH_SOCK", false),
            ("SSL_KEY_FILE", false),
            ("PATH", false),
            ("KEYBOARD", false),
            ("HOME", false),
        ] {
            assert_eq!(names_a_secret(name), secret, "{name}");
        }
    }

    #[test]
    fn an_address_that_lets_its_holder_in_is_a_secret() {
        for (name, value, secret) in [
            ("DATABASE_URL", "postgres://app:hunter2@db/app", true),
            ("AMQP", "amqp://u:p%40ss@[::1]:5672/v?x=1", true),
            ("SENTRY_DSN", "https://0123abcd@o1.ingest.example/42", true),
            ("SLACK_WEBHOOK_URL", "https://hooks.example/T0/B0/xyz", true),
            ("DATABASE_URL", "postgres://db/app", false),
            ("HOMEPAGE", "https://user@example.org/a:b@c", false),
            ("WEBHOOK", "off", false),
            ("RUSTFLAGS", "-C target-cpu=native", false),
        ] {
            assert_eq!(is_secret(name, value), secret, "{name}={value}");
        }
    }
}
