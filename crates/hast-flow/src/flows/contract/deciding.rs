//! A person decides about a request that stopped: it goes on, stays as it is, or waits. The
//! decision is written once, and the same decision again changes nothing.

use serde_json::json;

use crate::attempt_steps::blocked;
use crate::docs::contract::{ContractEventKind as Kind, RequestStatus};
use crate::driver::Facts;
use crate::flows::contract::decide::life;
use crate::flows::contract::view::View;
use crate::flows::contract::write::Draft;
use crate::flows::contract::{ContractFlow, words};
use crate::ids::RequestId;
use crate::inbox::{Action, Deed, ItemId, ItemState};
use crate::steps::{Ending, Notice, Step};

/// Writes a decision down once; an approved request is active again, and `resume` drives it.
pub(super) fn step(
    flow: &ContractFlow,
    view: &View,
    facts: &Facts<'_>,
    id: &RequestId,
    item: &ItemId,
    deed: &Deed,
) -> Step {
    let lang = facts.lang;
    let known = view.inbox.items().find(|one| one.id == *item);
    let (Some(request), Some(known)) = (view.requests.get(id), known) else {
        return blocked(words::unknown_request(lang, id), words::unknown_request_next(lang));
    };
    match &known.state {
        ItemState::Acted(done) | ItemState::Deferred(done) if done == deed => {
            return Step::Finish(Ending::Done(notice(facts, id, deed.action)));
        }
        ItemState::Acted(_) | ItemState::Resolved { .. } => {
            let what = words::decided_already(lang, id);
            return blocked(what, words::unknown_request_next(lang));
        }
        ItemState::Open | ItemState::Deferred(_) | ItemState::Approved(_) => {}
    }
    let detail = json!({ "inbox_id": item, "deed": deed });
    let draft = Draft::new(view, facts, &flow.settings, "a decision").about(request).event(
        &deed.operator,
        Kind::InboxActed,
        detail,
    );
    let stopped = request.status == RequestStatus::Stopped;
    match deed.action {
        Action::Approve if stopped => draft
            .closes([life(id, request.lives)])
            .starts(life(id, request.lives + 1))
            .event(&deed.operator, Kind::RequestResumed, json!({}))
            .step(),
        Action::Approve | Action::Reject | Action::Defer => draft.step(),
    }
}

fn notice(facts: &Facts<'_>, id: &RequestId, action: Action) -> Notice {
    let lang = facts.lang;
    let what = match action {
        Action::Approve => words::goes_on(lang, id),
        Action::Reject | Action::Defer => words::stays_stopped(lang, id),
    };
    Notice { what, next: words::stopped_now_next(lang, id) }
}
