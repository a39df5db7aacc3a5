//! A handoff with the front matter and the headings that hast reads.

use crate::docs::goals::HandoffStatus;
use crate::docs::rehearsal::WriteHandoff;
use crate::formats::yaml_print::quoted;
use crate::time::OffsetTime;

pub fn handoff_text(handoff: &WriteHandoff, goal_id: &str, time: OffsetTime) -> String {
    let status = match handoff.status {
        HandoffStatus::Complete => "complete",
        HandoffStatus::Failed => "failed",
        HandoffStatus::Blocked => "blocked",
    };
    let mut text = format!(
        "---\ntimestamp: \"{time}\"\nstatus: {status}\ngoal_id: {}\n---\n",
        quoted(goal_id)
    );
    let WriteHandoff { done, decisions, changed, next, context, .. } = handoff;
    let items = |list: &[String]| list.iter().map(|item| format!("- {item}\n")).collect::<String>();
    let numbered = context.iter().enumerate();
    let numbered = numbered.map(|(index, item)| format!("{}. {item}\n", index + 1)).collect();
    let next = next.as_ref().map(|next| format!("{}\n", next.trim_end())).unwrap_or_default();
    for (title, body) in [
        ("Done", items(done)),
        ("Key Decisions", items(decisions)),
        ("Changed Files", items(changed)),
        ("Next", next),
        ("Context Files", numbered),
    ] {
        if !body.is_empty() {
            text += &format!("\n## {title}\n{body}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::goals::handoffs::read_handoff;
    use crate::formats::source::Source;

    #[test]
    fn what_is_written_is_what_hast_reads() {
        let list = |item: &str| vec![item.to_owned()];
        let handoff = WriteHandoff {
            status: HandoffStatus::Complete,
            done: vec!["a: 1".to_owned(), "나".to_owned()],
            decisions: list("b"),
            changed: list("c.rs"),
            next: Some("M2 - d\n- e\n".to_owned()),
            context: list("f.rs"),
            goal_id: None,
        };
        let time: OffsetTime = "2026-02-09T14:30:00+09:00".parse().unwrap();
        let text = handoff_text(&handoff, "M4.3.1", time);
        let read = read_handoff(&Source::new("2026-02-09_143000.md", &text)).unwrap();
        assert_eq!(read.front.goal_id, "M4.3.1");
        assert_eq!(read.front.timestamp.time(), time);
        assert_eq!(read.done, handoff.done);
        assert_eq!(read.key_decisions, handoff.decisions);
        assert_eq!(read.next, ["M2 - d", "- e"]);
        assert_eq!(read.context_files, handoff.context);
    }
}
