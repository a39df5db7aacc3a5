//! Which variables of hast's own environment a program gets to see. What is not on the list stays
//! out, so that a secret has to be named to reach an agent.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// What every program gets, besides `LC_*` and `HAST_*`.
const ALWAYS: &[&str] = &["HOME", "PATH", "LANG", "TZ", "TERM", "USER", "SHELL"];
const PREFIXES: &[&str] = &["LC_", "HAST_"];
/// Proxies; tools read them in either case.
const PROXIES: &[&str] = &["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"];
/// Where tools look for certificate authorities.
const AUTHORITIES: &[&str] = &[
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "PIP_CERT",
    "DENO_CERT",
];

/// A name, or all names with a prefix, as `env:` in the config says it: `NAME` or `PREFIX_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Name(String),
    Prefix(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is neither a variable's name nor a prefix such as `AWS_*`")]
pub struct BadPattern {
    pub text: String,
}

impl std::str::FromStr for Pattern {
    type Err = BadPattern;

    fn from_str(text: &str) -> Result<Self, BadPattern> {
        let stem = text.strip_suffix('*').unwrap_or(text);
        let is_name = !stem.is_empty()
            && !stem.starts_with(|c: char| c.is_ascii_digit())
            && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match is_name {
            // `*` alone would let everything through, which is what the filter is against.
            false => Err(BadPattern { text: text.to_owned() }),
            true if stem.len() < text.len() => Ok(Self::Prefix(stem.to_owned())),
            true => Ok(Self::Name(stem.to_owned())),
        }
    }
}

impl Pattern {
    fn fits(&self, name: &OsStr) -> bool {
        match self {
            Self::Name(wanted) => name == wanted.as_str(),
            Self::Prefix(prefix) => has_prefix(name, prefix),
        }
    }
}

/// The variables that a program gets: the fixed list, and what `more` names.
pub fn filtered(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    more: &[Pattern],
) -> BTreeMap<OsString, OsString> {
    variables
        .into_iter()
        .filter(|(name, _)| is_common(name) || more.iter().any(|pattern| pattern.fits(name)))
        .collect()
}

fn is_common(name: &OsStr) -> bool {
    ALWAYS.iter().chain(AUTHORITIES).any(|known| name == *known)
        || PREFIXES.iter().any(|prefix| has_prefix(name, prefix))
        || PROXIES.iter().any(|proxy| name == *proxy || name == proxy.to_ascii_uppercase().as_str())
}

fn has_prefix(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_on_the_list_or_named_gets_through() {
        let more: Vec<Pattern> =
            ["ANTHROPIC_API_KEY", "AWS_*"].iter().map(|text| text.parse().unwrap()).collect();
        let table = [
            ("HOME", true),
            ("PATH", true),
            ("LANG", true),
            ("LC_ALL", true),
            ("LC_MESSAGES", true),
            ("TZ", true),
            ("TERM", true),
            ("USER", true),
            ("SHELL", true),
            ("http_proxy", true),
            ("HTTPS_PROXY", true),
            ("NO_PROXY", true),
            ("Http_Proxy", false),
            ("SSL_CERT_FILE", true),
            ("NODE_EXTRA_CA_CERTS", true),
            ("HAST_OUTBOX", true),
            ("HASTE", false),
            ("ANTHROPIC_API_KEY", true),
            ("ANTHROPIC_API_KEY_2", false),
            ("AWS_REGION", true),
            ("AWSX", false),
            ("OPENAI_API_KEY", false),
            ("GITHUB_TOKEN", false),
            ("LD_PRELOAD", false),
            ("GIT_DIR", false),
            ("TMPDIR", false),
            ("HOMEBREW", false),
            ("", false),
        ];
        for (name, passes) in table {
            let kept = filtered([(name.into(), "value".into())], &more);
            assert_eq!(kept.len() == 1, passes, "{name}");
        }
    }

    #[test]
    fn a_pattern_is_a_name_or_a_prefix_and_never_everything() {
        assert_eq!("AWS_*".parse(), Ok(Pattern::Prefix("AWS_".into())));
        assert_eq!("KEY".parse(), Ok(Pattern::Name("KEY".into())));
        for bad in ["", "*", "A*B", "A B", "1A", "A=B", "A-*"] {
            assert_eq!(bad.parse::<Pattern>(), Err(BadPattern { text: bad.into() }), "{bad}");
        }
    }
}
