//! The log of every flow is checked for removed lines here. Its numbers count by one from the first
//! line on. A log without a line is a fault where steps were ended. The module knows no event of
//! any flow.

use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::ndjson::LogLines;
use crate::ids::EventId;

/// How far a log was counted, over all of its files.
#[derive(Clone, Debug, Default)]
pub struct Counting {
    last: Option<EventId>,
    /// Lines since then that are no events: their numbers are missing, and rightly so.
    unread: u64,
}

/// How an event stands to those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Right after the one before it, or the first.
    Next,
    /// As far behind it as there are lines that cannot be read.
    AfterUnread,
    Wrong(Finding),
}

impl Counting {
    /// A line that is no event. It is told when the file is checked alone.
    pub fn unread(&mut self) {
        self.unread += 1;
    }

    /// The next event of the log.
    pub fn take(&mut self, id: &EventId) -> Counted {
        let (number, unread) = (id.number(), std::mem::take(&mut self.unread));
        let last = self.last.as_ref().map_or(0, EventId::number);
        let counted = match number.checked_sub(last) {
            Some(1) => Counted::Next,
            Some(2..) if number <= last + 1 + unread => Counted::AfterUnread,
            _ => Counted::Wrong(match &self.last {
                Some(before) => {
                    Finding::NotGrowing { id: id.to_string(), before: before.to_string() }
                }
                None => Finding::NotTheFirst { id: id.to_string() },
            }),
        };
        // A line that stands too early is told once, not with the one behind it as well.
        if number > last {
            self.last = Some(id.clone());
        }
        counted
    }
}

/// A log without a line, where steps of its flow were ended: each end came with an event.
pub fn emptied(log: &str, bytes: &[u8], steps: &str, ended: &[u8]) -> Option<Diagnostic> {
    let whole = LogLines::whole(log, bytes).typed::<serde_json::Value>().next().is_some();
    let ends = |line: &[u8]| memchr::memmem::find(line, b"\"finished\"").is_some();
    if whole || !ended.split(|byte| *byte == b'\n').any(ends) {
        return None;
    }
    let (path, because) = (log.to_owned(), steps.to_owned());
    Some(Diagnostic::of_file(log, Finding::MissingFile { path, because }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(numbers: &[Option<u64>]) -> String {
        let mut counting = Counting::default();
        let word = |number: &Option<u64>| match number {
            None => {
                counting.unread();
                "?"
            }
            Some(number) => {
                let id = format!("EV-20260112T143000Z-{number:04}").parse().unwrap();
                match counting.take(&id) {
                    Counted::Next => "next",
                    Counted::AfterUnread => "after",
                    Counted::Wrong(Finding::NotTheFirst { .. }) => "first",
                    Counted::Wrong(_) => "wrong",
                }
            }
        };
        numbers.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_count_by_one_from_the_first_on() {
        let of = |numbers: &[u64]| counted(&numbers.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(of(&[1, 2, 3]), "next next next");
        assert_eq!(of(&[2, 3]), "first next");
        assert_eq!(of(&[1, 3, 4]), "next wrong next");
        assert_eq!(of(&[1, 2, 2, 1, 3]), "next next wrong wrong next");
    }

    #[test]
    fn a_line_that_cannot_be_read_leaves_room_for_one_number() {
        assert_eq!(counted(&[None, Some(2), None, Some(4)]), "? after ? after");
        assert_eq!(counted(&[None, Some(1), None, Some(4)]), "? next ? wrong");
    }

    #[test]
    fn a_log_without_a_line_is_missed_where_steps_were_ended() {
        let (begun, ended) =
            (b"{\"step\":\"a\",\"state\":\"started\"}\n", b"{\"state\":\"finished\"}\n");
        assert!(emptied("l", b"", "s", ended).is_some());
        assert!(emptied("l", b"\n", "s", ended).is_some());
        assert!(emptied("l", b"", "s", begun).is_none(), "nothing came of it yet");
        assert!(emptied("l", b"{}\n", "s", ended).is_none());
    }
}
