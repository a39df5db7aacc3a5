//! The address of a service: an origin with an optional prefix, to which the paths of a format are
//! added.

use url::Url;

/// An address to which paths are added.
pub fn base(text: &str) -> Option<Url> {
    let url = Url::parse(text.trim()).ok()?;
    let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    (matches!(url.scheme(), "http" | "https") && url.has_host() && plain).then_some(url)
}

/// A path below an address. A `/v1` at the end of the address is not doubled.
pub fn at(base: &Url, path: &str) -> Url {
    let mut prefix = base.path().trim_end_matches('/');
    let first = path.split('/').next().unwrap_or_default();
    if first.starts_with('v') {
        let doubled = prefix.strip_suffix(first).and_then(|rest| rest.strip_suffix('/'));
        prefix = doubled.unwrap_or(prefix);
    }
    let mut url = base.clone();
    url.set_path(&format!("{prefix}/{path}"));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_at_the_end_of_the_address_is_not_doubled() {
        for (given, expected) in [
            ("http://h:1", "http://h:1/v1/messages"),
            ("http://h:1/", "http://h:1/v1/messages"),
            ("http://h:1/v1", "http://h:1/v1/messages"),
            ("https://h/api/v1/", "https://h/api/v1/messages"),
            ("https://h/api", "https://h/api/v1/messages"),
            ("https://h/prov1", "https://h/prov1/v1/messages"),
        ] {
            assert_eq!(at(&base(given).unwrap(), "v1/messages").as_str(), expected);
        }
    }

    #[test]
    fn an_address_has_no_key_in_it() {
        for bad in ["h:1", "file:///x", "https://key@h", "https://h?key=1", ""] {
            assert!(base(bad).is_none(), "{bad}");
        }
    }
}
