//! The inbox as its page describes it.

use super::*;
use proptest::prelude::*;

fn at(minute: u8) -> UtcTime {
    format!("2026-01-12T14:{minute:02}:00Z").parse().unwrap()
}

fn matter(unit: &'static str, kind: ItemKind) -> Matter<'static> {
    Matter {
        flow: FlowName::Goals,
        unit,
        kind,
        cause: "src/main.rs",
        title: format!("{unit} {}", kind.code()),
        evidence: vec!["1 file changed".to_owned()],
    }
}

fn deed(action: Action, text: Option<&str>) -> Deed {
    Deed { action, operator: "kim".to_owned(), text: text.map(str::to_owned), at: at(30) }
}

fn opened(inbox: &mut Inbox, unit: &'static str, kind: ItemKind, minute: u8) -> Option<ItemId> {
    let event = inbox.open(matter(unit, kind), at(minute))?;
    inbox.apply(&event);
    let InboxEvent::Opened(item) = event else { panic!("{event:?}") };
    Some(item.id)
}

fn acted(inbox: &mut Inbox, id: &ItemId, deed: Deed) -> Result<(), Refused> {
    let event = inbox.act(id, deed)?;
    inbox.apply(&event);
    Ok(())
}

#[test]
fn the_same_cause_does_not_open_a_second_item_while_one_is_open() {
    let mut inbox = Inbox::default();
    let first = opened(&mut inbox, "G1", ItemKind::ScopeViolation, 0).unwrap();
    assert_eq!(opened(&mut inbox, "G1", ItemKind::ScopeViolation, 1), None);
    assert!(opened(&mut inbox, "G2", ItemKind::ScopeViolation, 1).is_some());
    let other = Matter { cause: "src/lib.rs", ..matter("G1", ItemKind::ScopeViolation) };
    assert!(inbox.open(other, at(1)).is_some(), "another path is another matter");
    acted(&mut inbox, &first, deed(Action::Reject, None)).unwrap();
    let again = opened(&mut inbox, "G1", ItemKind::ScopeViolation, 2).unwrap();
    assert_eq!(again, first, "what it is about has not changed");
    assert_eq!(inbox.get(&again).unwrap().opened_at, at(2));
}

#[test]
fn acting_twice_is_refused_and_names_who_was_faster() {
    let mut inbox = Inbox::default();
    let id = opened(&mut inbox, "G1", ItemKind::BlockedGoal, 0).unwrap();
    acted(&mut inbox, &id, deed(Action::Approve, None)).unwrap();
    let refused = acted(&mut inbox, &id, deed(Action::Reject, None)).unwrap_err();
    assert_eq!(refused, Refused::AlreadyActed(deed(Action::Approve, None)));
    let unknown = ItemId::of(FlowName::Run, "x", ItemKind::Question, "");
    assert_eq!(acted(&mut inbox, &unknown, deed(Action::Approve, None)), Err(Refused::Unknown));
}

#[test]
fn putting_off_is_not_acting() {
    let mut inbox = Inbox::default();
    let id = opened(&mut inbox, "G1", ItemKind::BlockedGoal, 0).unwrap();
    acted(&mut inbox, &id, deed(Action::Defer, None)).unwrap();
    assert_eq!(inbox.waiting().len(), 1);
    assert_eq!(opened(&mut inbox, "G1", ItemKind::BlockedGoal, 5), None);
    acted(&mut inbox, &id, deed(Action::Approve, None)).unwrap();
    assert!(inbox.waiting().is_empty());
}

#[test]
fn a_question_is_answered_with_a_text() {
    let mut inbox = Inbox::default();
    let id = opened(&mut inbox, "S-1", ItemKind::Question, 0).unwrap();
    for nothing in [None, Some("  ")] {
        for action in [Action::Approve, Action::Reject] {
            let refused = acted(&mut inbox, &id, deed(action, nothing));
            assert_eq!(refused, Err(Refused::NeedsText));
        }
    }
    acted(&mut inbox, &id, deed(Action::Defer, None)).unwrap();
    acted(&mut inbox, &id, deed(Action::Approve, Some("2024"))).unwrap();
}

#[test]
fn what_resolved_itself_cannot_be_acted_on() {
    let mut inbox = Inbox::default();
    let id = opened(&mut inbox, "G1", ItemKind::NotStarted, 0).unwrap();
    let event = inbox.resolve(&id, at(9), "the limit has passed").unwrap();
    inbox.apply(&event);
    assert_eq!(inbox.resolve(&id, at(9), "again"), None);
    let refused = acted(&mut inbox, &id, deed(Action::Approve, None)).unwrap_err();
    assert!(matches!(refused, Refused::AlreadyResolved { .. }));
}

#[test]
fn what_holds_up_more_comes_first_then_the_older_and_put_off_last() {
    let mut inbox = Inbox::default();
    let put_off = opened(&mut inbox, "G0", ItemKind::Login, 0).unwrap();
    acted(&mut inbox, &put_off, deed(Action::Defer, None)).unwrap();
    for (unit, kind, minute) in [
        ("G1", ItemKind::NotStarted, 0),
        ("G2", ItemKind::BlockedGoal, 3),
        ("G3", ItemKind::BlockedGoal, 1),
        ("G4", ItemKind::ProtectedPath, 9),
    ] {
        opened(&mut inbox, unit, kind, minute).unwrap();
    }
    let units = |items: Vec<&Item>| items.iter().map(|i| i.unit.clone()).collect::<Vec<_>>();
    assert_eq!(units(inbox.waiting()), ["G4", "G3", "G2", "G1", "G0"]);
    assert_eq!(units(inbox.top(2)), ["G4", "G3"]);
}

#[test]
fn every_kind_has_its_own_word_and_the_order_of_the_list() {
    for (index, kind) in ItemKind::ALL.into_iter().enumerate() {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.code());
        assert_eq!(ItemKind::ALL.iter().filter(|other| **other < kind).count(), index);
    }
}

proptest! {
    /// Telling a log twice changes nothing, and no event opens what a person has closed.
    #[test]
    fn a_log_told_twice_says_the_same(steps in prop::collection::vec((0u8..4, 0usize..3, 0usize..2), 1..40)) {
        let mut inbox = Inbox::default();
        let mut events: Vec<InboxEvent> = Vec::new();
        for (what, unit, kind) in steps {
            let unit = ["G0", "G1", "G2"][unit];
            let kind = [ItemKind::BlockedGoal, ItemKind::Budget][kind];
            let id = ItemId::of(FlowName::Goals, unit, kind, "src/main.rs");
            let event = match what {
                0 => inbox.open(matter(unit, kind), at(0)),
                1 => inbox.act(&id, deed(Action::Approve, None)).ok(),
                2 => inbox.act(&id, deed(Action::Defer, None)).ok(),
                _ => inbox.resolve(&id, at(9), "gone"),
            };
            let Some(event) = event else { continue };
            inbox.apply(&event);
            events.push(event.clone());
            let mut again = inbox.clone();
            again.apply(&event);
            prop_assert_eq!(&again, &inbox);
            if let InboxEvent::Acted { id, deed } = &event && deed.action == Action::Approve {
                prop_assert!(!inbox.get(id).unwrap().is_open());
            }
        }
        let mut folded = Inbox::default();
        for event in &events {
            folded.apply(event);
        }
        prop_assert_eq!(folded, inbox);
    }
}
