//! The cookie and the crumb that quotes need, and how to tell a crumb from an apology.

use crate::tools::settings::Secret;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crumb {
    pub cookie: Secret,
    pub value: Secret,
}

/// The names and values of the cookies that were set, as they are sent back.
pub fn cookie(set: &[String]) -> Option<Secret> {
    let pairs: Vec<&str> = set
        .iter()
        .filter_map(|cookie| cookie.split(';').next())
        .map(str::trim)
        .filter(|pair| pair.contains('=') && pair.chars().all(|c| c.is_ascii_graphic()))
        .collect();
    (!pairs.is_empty()).then(|| Secret::new(pairs.join("; ")))
}

/// A crumb is one short word. A page, a sentence or nothing is not one, whatever its status.
pub fn value(media: &str, body: &[u8]) -> Option<Secret> {
    let text = std::str::from_utf8(body).ok()?.trim();
    let word = |c: char| c.is_ascii_graphic() && !"<>{}\"".contains(c);
    let fits = (4..=64).contains(&text.len()) && text.chars().all(word);
    (fits && !media.starts_with("text/html")).then(|| Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_429_page_is_not_a_crumb() {
        assert!(value("text/plain", b"aB3.x/Yz9").is_some());
        assert!(value("text/plain", b"Too Many Requests\r\n").is_none());
        assert!(value("text/html", b"<html>429</html>").is_none());
        assert!(value("text/html", b"sorry").is_none());
        assert!(value("application/json", br#"{"finance":{"error":"x"}}"#).is_none());
        assert!(value("text/plain", b"").is_none());
        assert!(value("text/plain", &[b'a'; 65]).is_none());
        assert!(value("text/plain", b"\xff\xfe\xfd\xfc").is_none());
    }

    #[test]
    fn cookies_are_sent_back_without_their_attributes() {
        let set = ["A3=d=AQAB; Expires=x; Secure".to_owned(), "bad".to_owned(), "B=2".to_owned()];
        assert_eq!(cookie(&set).unwrap().reveal(), "A3=d=AQAB; B=2");
        assert!(cookie(&[]).is_none());
        assert!(cookie(&["a=b\r\nx: y".to_owned()]).is_none());
    }

    #[test]
    fn a_crumb_is_not_printed() {
        let crumb = Crumb { cookie: Secret::new("c1"), value: Secret::new("v1") };
        let shown = format!("{crumb:?}");
        assert!(!shown.contains("c1") && !shown.contains("v1"), "{shown}");
    }
}
