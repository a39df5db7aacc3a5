//! The inbox of the contract flow holds requests that stopped and were not resumed since, with the
//! decisions of people about them. It is a fold of the flow's log. A request that a person stopped
//! is not in it.

use crate::docs::contract::{ContractEvent, ContractEventKind as Kind};
use crate::docs::files::FlowName;
use crate::inbox::{Deed, Inbox, InboxEvent, ItemId, ItemKind, Matter};

/// Why an item is over that nobody acted on.
pub const RESUMED: &str = "resumed";
pub const OVERTAKEN: &str = "overtaken";

/// The inbox events that a log of the contract flow means, in its order.
pub fn fold<'e>(events: impl Iterator<Item = &'e ContractEvent>) -> Vec<InboxEvent> {
    let (mut inbox, mut all) = (Inbox::default(), Vec::new());
    for event in events {
        let meant = meaning(&inbox, event);
        if let Some(meant) = meant {
            inbox.apply(&meant);
            all.push(meant);
        }
    }
    all
}

/// What an event means for the inbox as it is before it.
pub(super) fn meaning(inbox: &Inbox, event: &ContractEvent) -> Option<InboxEvent> {
    let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
    let request = text("request_id")?;
    match event.kind {
        // Whoever stops it knows that it is stopped.
        Kind::RequestStopped if text("by") != Some("person") => {
            let reason = text("reason").unwrap_or_default();
            let evidence = event.detail.get("evidence").and_then(|lines| lines.as_array());
            let evidence = evidence.into_iter().flatten().filter_map(|line| line.as_str());
            let matter = Matter {
                flow: FlowName::Contract,
                unit: request,
                kind: ItemKind::BlockedGoal,
                cause: event.event_id.as_str(),
                title: format!("{request}: {reason}"),
                evidence: evidence.map(str::to_owned).collect(),
            };
            inbox.open(matter, event.ts)
        }
        Kind::RequestResumed | Kind::RequestCompleted => {
            let item = waiting(inbox, |unit| unit == request)?;
            inbox.resolve(&item, event.ts, RESUMED)
        }
        // Of the requests of a project only the last can be taken up again.
        Kind::RequestStarted => {
            let item = waiting(inbox, |unit| unit != request)?;
            inbox.resolve(&item, event.ts, OVERTAKEN)
        }
        Kind::InboxActed => {
            let read = |key: &str| event.detail.get(key).cloned();
            let id: ItemId = serde_json::from_value(read("inbox_id")?).ok()?;
            let deed: Deed = serde_json::from_value(read("deed")?).ok()?;
            inbox.act(&id, deed).ok()
        }
        _ => None,
    }
}

fn waiting(inbox: &Inbox, of: impl Fn(&str) -> bool) -> Option<ItemId> {
    inbox.open_items().find(|item| of(&item.unit)).map(|item| item.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(number: u64, kind: Kind, detail: &serde_json::Value) -> ContractEvent {
        let ts = "2026-01-12T14:30:00Z".parse().unwrap();
        ContractEvent {
            event_id: crate::ids::EventId::new(ts, number),
            ts,
            actor: "orchestrator".to_owned(),
            kind,
            detail: detail.as_object().unwrap().clone(),
        }
    }

    #[test]
    fn a_stopped_request_waits_for_nobody_once_the_next_has_begun() {
        let stopped = event(
            1,
            Kind::RequestStopped,
            &json!({"request_id": "R1", "by": "rounds", "reason": "GATE-3"}),
        );
        let next = event(2, Kind::RequestStarted, &json!({"request_id": "R2", "request": "x"}));
        let mut inbox = Inbox::default();
        fold([&stopped, &next].into_iter()).iter().for_each(|event| inbox.apply(event));
        assert_eq!(inbox.open_items().count(), 0);
    }

    #[test]
    fn a_stopped_request_waits_until_it_is_taken_up_again() {
        let stopped = event(
            1,
            Kind::RequestStopped,
            &json!({"request_id": "R1", "by": "rounds", "reason": "GATE-3", "evidence": ["a", "b"]}),
        );
        let mut inbox = Inbox::default();
        fold([&stopped].into_iter()).iter().for_each(|event| inbox.apply(event));
        let waiting = inbox.waiting();
        assert_eq!((waiting.len(), waiting[0].evidence.len()), (1, 2));
        let resumed = event(2, Kind::RequestResumed, &json!({"request_id": "R1"}));
        let again = event(
            3,
            Kind::RequestStopped,
            &json!({"request_id": "R1", "by": "agent", "reason": "x"}),
        );
        let mut inbox = Inbox::default();
        fold([&stopped, &resumed, &again].into_iter()).iter().for_each(|event| inbox.apply(event));
        assert_eq!(inbox.waiting().len(), 1, "the second stop is another matter");
        let by_hand = event(4, Kind::RequestStopped, &json!({"request_id": "R1", "by": "person"}));
        assert_eq!(fold([&by_hand].into_iter()), []);
    }
}
