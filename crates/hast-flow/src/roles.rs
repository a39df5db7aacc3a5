//! Roles may read and write a flow's documents as the table of the flow says. The table judges
//! every write of hast before it happens. The kernel flow also gives an agent only documents that
//! its role may read. Files that an agent left in a project are judged by `calling::strays`.

use crate::docs::files::matches_part;
use crate::store::change::{PutKind, steps_log};
use crate::store::{DocPath, HistoryClass, Policy, Violation};

/// What a row gives a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// A role and a place. In a path `*` stands for any text within one part, and a last part `**`
/// for everything below.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub role: &'static str,
    pub access: Access,
    pub path: &'static str,
}

/// How the documents at a place may change. The first class that fits counts.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    pub path: &'static str,
    pub history: HistoryClass,
}

/// The policy of a flow, as data.
#[derive(Clone, Copy, Debug)]
pub struct PolicyTable {
    pub classes: &'static [Class],
    pub rows: &'static [Row],
    /// What every commit may carry, whoever made it: the log of what happened and its folds.
    pub riders: &'static [&'static str],
}

impl PolicyTable {
    /// Whether a role may read a document; what it may write it may read too.
    pub fn may_read(&self, role: &str, path: &DocPath) -> bool {
        self.rows.iter().any(|row| row.role == role && matches(row.path, path))
    }

    /// How a document may change; none where no document of the flow stands.
    pub fn class_of(&self, path: &DocPath) -> Option<HistoryClass> {
        self.classes.iter().find(|class| matches(class.path, path)).map(|class| class.history)
    }
}

impl Policy for PolicyTable {
    fn judge(&self, role: &str, kind: PutKind, path: &DocPath) -> Result<HistoryClass, Violation> {
        if *path == steps_log() {
            return Ok(HistoryClass::Append);
        }
        let refuse = |rule: String| {
            Err(Violation { role: role.into(), kind, path: path.clone(), rule: rule.into() })
        };
        let Some(history) = self.class_of(path) else {
            return refuse("no document of this flow stands there".to_owned());
        };
        let rides = self.riders.iter().any(|rider| matches(rider, path));
        let own = self.rows.iter().filter(|row| row.role == role && row.access == Access::Write);
        if rides || own.clone().any(|row| matches(row.path, path)) {
            return Ok(history);
        }
        let places: Vec<&str> = own.map(|row| row.path).collect();
        refuse(format!(
            "it writes {}",
            if places.is_empty() { "nothing".to_owned() } else { places.join(", ") }
        ))
    }
}

/// Whether a path has the form of a pattern.
pub fn matches(pattern: &str, path: &DocPath) -> bool {
    let mut wanted = pattern.split('/');
    let mut parts = path.as_str().split('/');
    loop {
        match (wanted.next(), parts.next()) {
            (Some("**"), Some(_)) => return true,
            (Some(wanted), Some(part)) if matches_part(wanted, part) => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: PolicyTable = PolicyTable {
        classes: &[
            Class { path: "log.ndjson", history: HistoryClass::Append },
            Class { path: "plan/*.json", history: HistoryClass::Once },
            Class { path: "out/**", history: HistoryClass::Once },
        ],
        rows: &[
            Row { role: "planner", access: Access::Write, path: "plan/**" },
            Row { role: "worker", access: Access::Write, path: "out/**" },
            Row { role: "worker", access: Access::Read, path: "plan/**" },
        ],
        riders: &["log.ndjson"],
    };

    fn path(text: &str) -> DocPath {
        DocPath::new(text).unwrap()
    }

    #[test]
    fn a_role_writes_where_its_row_says_and_nowhere_else() {
        let judge = |role, place| TABLE.judge(role, PutKind::Create, &path(place)).is_ok();
        assert!(judge("planner", "plan/a.json"));
        assert!(!judge("planner", "plan/deep/a.json"), "no document of the flow stands there");
        assert!(!judge("worker", "plan/a.json"));
        assert!(judge("worker", "out/a/b/c"));
        assert!(!judge("nobody", "out/a"));
        assert!(judge("worker", "log.ndjson") && judge("planner", "log.ndjson"));
    }

    #[test]
    fn what_a_role_may_write_it_may_read() {
        assert!(TABLE.may_read("worker", &path("plan/a.json")));
        assert!(TABLE.may_read("worker", &path("out/a")));
        assert!(!TABLE.may_read("planner", &path("out/a")));
    }

    #[test]
    fn two_stars_stand_for_everything_below_and_not_for_the_directory() {
        assert!(matches("a/**", &path("a/b")));
        assert!(matches("a/**", &path("a/b/c")));
        assert!(!matches("a/**", &path("a")));
        assert!(matches("a/T-*.json", &path("a/T-0001.json")));
        assert!(!matches("a/*", &path("a/b/c")));
    }
}
