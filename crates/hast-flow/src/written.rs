//! The last event of a commit names each file that the commit writes once, with the file's hash. A
//! later edit or deletion is found by it. Logs and `verify` use the same field.

use serde_json::{Map, Value, json};

use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::ids::Sha256;

/// The field of an event's detail: hashes by path.
const FIELD: &str = "written";

/// Files of a commit in the making.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written(Map<String, Value>);

impl Written {
    pub fn note(&mut self, path: &str, bytes: &[u8]) {
        self.0.insert(path.to_owned(), json!(Sha256::of(bytes)));
    }

    /// Says so in the detail of an event.
    pub fn tell(&mut self, detail: &mut Map<String, Value>) {
        if !self.0.is_empty() {
            detail.insert(FIELD.to_owned(), Value::Object(std::mem::take(&mut self.0)));
        }
    }
}

/// What an event tells of, with the hashes.
pub fn told(detail: &Map<String, Value>) -> impl Iterator<Item = (&str, &str)> {
    let files = detail.get(FIELD).and_then(Value::as_object).into_iter().flatten();
    files.filter_map(|(path, hash)| Some((path.as_str(), hash.as_str()?)))
}

/// What an event tells of is there, and is what it was.
pub fn check(
    log: &str,
    detail: &Map<String, Value>,
    hash: &dyn Fn(&str) -> Option<Sha256>,
    found: &mut Vec<Diagnostic>,
) {
    for (path, was) in told(detail) {
        match hash(path) {
            Some(now) if now.as_str() == was => {}
            Some(now) => {
                let (other, detail) = (log.to_owned(), format!("sha256 {now}"));
                found.push(Diagnostic::of_file(path, Finding::Contradicts { other, detail }));
            }
            None => found.push(missing(log, path, &format!("sha256 {was}"))),
        }
    }
}

/// Files that are written once, by hast alone, and that no event tells of: the event was taken out.
pub fn untold<'f>(
    log: &str,
    told: &dyn Fn(&str) -> bool,
    files: impl Iterator<Item = &'f str>,
    found: &mut Vec<Diagnostic>,
) {
    for path in files.filter(|path| !told(path)) {
        // Whoever has already told of the file knows more about it.
        if found.iter().all(|finding| finding.file != path) {
            let (other, detail) = (log.to_owned(), format!("{FIELD}: -"));
            found.push(Diagnostic::of_file(path, Finding::Contradicts { other, detail }));
        }
    }
}

/// A file that the log tells of and that is not there.
pub fn missing(log: &str, path: &str, because: &str) -> Diagnostic {
    let because = format!("{log}: {because}");
    Diagnostic::of_file(log, Finding::MissingFile { path: path.to_owned(), because })
}
