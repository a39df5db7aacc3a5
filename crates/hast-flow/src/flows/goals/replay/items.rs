//! Which events of the goals flow make something wait for a person, and which make it go away.

use super::told::{DiffStat, Told};
use crate::docs::files::FlowName;
use crate::docs::goals::GoalStatus;
use crate::inbox::{Action, Deed, Inbox, InboxEvent, Item, ItemId, ItemKind, Matter};

/// How much of each part of the evidence is shown: one screen.
const PATHS: usize = 8;
const TAIL_LINES: usize = 12;

/// Takes an event in.
pub(super) fn take(inbox: &mut Inbox, told: &Told<'_>) {
    match told.kind.as_ref() {
        "ATTEMPT_JUDGED" => {
            if let Some(kind) = told.detail.rule.and_then(violation) {
                open(inbox, told, kind);
            }
        }
        "GOAL_BLOCKED" => {
            let Some(goal) = told.goal() else { return };
            let kind = of_block(inbox, told, goal);
            resolve(inbox, told, goal, "the goal is blocked");
            open(inbox, told, kind);
        }
        "STOPPED" => {
            if let Some(kind) = of_stop(told) {
                open(inbox, told, kind);
            }
        }
        "DECISION_WAITS" => {
            end_decisions(inbox, told, "tried again");
            open(inbox, told, ItemKind::Decision);
        }
        "DECISION_MADE" => end_decisions(inbox, told, "decided"),
        // Agents are asked again: what stopped them is over.
        "ATTEMPT_ENDED" => resolve_kinds(
            inbox,
            told,
            &[ItemKind::NotStarted, ItemKind::Budget, ItemKind::Login],
            "agents answer again",
        ),
        "GOAL_DONE" => {
            if let Some(goal) = told.goal() {
                // What a violation took away is still to be looked at: it may be a person's.
                let open = open_about(inbox, goal, |kind| !kind.is_violation());
                end(inbox, told, &open, "the goal is done");
            }
        }
        "RETRIED" => {
            if let Some(goal) = told.goal() {
                resolve(inbox, told, goal, "retried");
            }
        }
        "STATUS_SET" if told.detail.status != Some(GoalStatus::Blocked) => {
            if let Some(goal) = told.goal() {
                resolve(inbox, told, goal, "its status was set");
            }
        }
        "INBOX_ACTED" => act(inbox, told),
        _ => {}
    }
}

/// What a person should know of an attempt, whatever becomes of its goal: by the judge's rule.
fn violation(rule: u8) -> Option<ItemKind> {
    match rule {
        2 | 3 => Some(ItemKind::ProtectedPath),
        6 => Some(ItemKind::ScopeViolation),
        _ => None,
    }
}

/// A goal that is blocked over its last attempt's violation is that violation's matter.
fn of_block(inbox: &Inbox, told: &Told<'_>, goal: &str) -> ItemKind {
    match told.detail.code.as_deref() {
        Some("recovery") => return ItemKind::EditConflict,
        Some(
            "conflict" | "merge_conflict" | "retest_red" | "red_after_merge" | "merge_touches"
            | "merge_waits" | "tip_moves",
        ) => return ItemKind::MergeConflict,
        _ => {}
    }
    let attempt = told.detail.attempt.map(|attempt| attempt.to_string()).unwrap_or_default();
    [ItemKind::ProtectedPath, ItemKind::ScopeViolation]
        .into_iter()
        .find(|kind| {
            let id = ItemId::of(FlowName::Goals, goal, *kind, &attempt);
            inbox.get(&id).is_some_and(Item::is_open)
        })
        .unwrap_or(ItemKind::BlockedGoal)
}

/// A limit passes by itself: there is nothing to decide.
fn of_stop(told: &Told<'_>) -> Option<ItemKind> {
    match told.detail.cause.as_deref() {
        Some("limit") => None,
        Some("login") => Some(ItemKind::Login),
        Some("budget") => Some(ItemKind::Budget),
        _ => Some(ItemKind::NotStarted),
    }
}

fn open(inbox: &mut Inbox, told: &Told<'_>, kind: ItemKind) {
    let unit = told.unit().unwrap_or("auto");
    let detail = &told.detail;
    let number = if kind == ItemKind::Decision { detail.spike } else { detail.attempt };
    let number = number.map(|number| number.to_string());
    let matter = Matter {
        flow: FlowName::Goals,
        unit,
        kind,
        // A stop is one matter however often it is told; a judgement is about its attempt, a decision
        // about its spike.
        cause: match kind {
            ItemKind::NotStarted | ItemKind::Budget | ItemKind::Login => "",
            _ => number.as_deref().unwrap_or_default(),
        },
        title: title(told),
        evidence: evidence(told),
    };
    if let Some(event) = inbox.open(matter, told.ts) {
        inbox.apply(&event);
    }
}

fn title(told: &Told<'_>) -> String {
    let detail = &told.detail;
    let said = [&detail.reason, &detail.what].into_iter().flatten().next();
    let said = said.map_or("", |said| said.lines().next().unwrap_or_default());
    match (told.unit(), detail.until) {
        (Some(goal), Some(until)) => format!("{goal}: {said} ({until})"),
        (Some(goal), None) => format!("{goal}: {said}"),
        (None, _) => said.to_owned(),
    }
}

fn evidence(told: &Told<'_>) -> Vec<String> {
    let detail = &told.detail;
    let mut lines = Vec::new();
    if let (Some(attempt), Some(class)) = (detail.attempt, &detail.class) {
        lines.push(format!("attempt {attempt}: {class}"));
    }
    lines.extend(detail.next.as_deref().map(|next| format!("-> {next}")));
    match &detail.diff {
        Some(diff) => lines.extend(stat(diff)),
        None => lines.extend(listed(&detail.changed, detail.changed.len())),
    }
    if !detail.changed_tests.is_empty() {
        lines.push(format!("changed tests: {}", detail.changed_tests.join(", ")));
    }
    if let Some(tail) = detail.test_tail.as_deref().filter(|tail| !tail.trim().is_empty()) {
        let all: Vec<&str> = tail.lines().collect();
        let last = &all[all.len().saturating_sub(TAIL_LINES)..];
        lines.extend(last.iter().map(|line| format!("| {line}")));
    }
    lines.extend(detail.look.iter().map(|command| format!("$ {command}")));
    let saved = [&detail.kept, &detail.saved].into_iter().flatten().next();
    if let (Some(saved), true) = (saved, detail.look.is_empty()) {
        lines.push(format!("$ git show {}", saved.name));
    }
    lines
}

fn stat(diff: &DiffStat) -> Vec<String> {
    let DiffStat { files, added, removed, paths } = diff;
    let mut lines = vec![format!("files {files}, +{added} -{removed}")];
    lines.extend(listed(paths, usize::try_from(*files).unwrap_or(usize::MAX)));
    lines
}

fn listed(paths: &[String], all: usize) -> Vec<String> {
    let mut lines: Vec<String> = paths.iter().take(PATHS).map(|path| format!("  {path}")).collect();
    if all > lines.len() && !lines.is_empty() {
        lines.push(format!("  (+{})", all - lines.len()));
    }
    lines
}

/// Ends what is open about a unit.
fn resolve(inbox: &mut Inbox, told: &Told<'_>, unit: &str, why: &str) {
    let open = open_about(inbox, unit, |_| true);
    end(inbox, told, &open, why);
}

/// What is open about a unit, of some kinds.
fn open_about(inbox: &Inbox, unit: &str, of: fn(ItemKind) -> bool) -> Vec<ItemId> {
    let about = |item: &&Item| item.unit == unit && item.flow == FlowName::Goals && of(item.kind);
    inbox.open_items().filter(about).map(|item| item.id.clone()).collect()
}

/// Ends what waits about a decision.
fn end_decisions(inbox: &mut Inbox, told: &Told<'_>, why: &str) {
    let about =
        |item: &&Item| item.kind == ItemKind::Decision && Some(item.unit.as_str()) == told.unit();
    let open: Vec<ItemId> = inbox.open_items().filter(about).map(|item| item.id.clone()).collect();
    end(inbox, told, &open, why);
}

fn resolve_kinds(inbox: &mut Inbox, told: &Told<'_>, kinds: &[ItemKind], why: &str) {
    let open: Vec<ItemId> = inbox
        .open_items()
        .filter(|item| kinds.contains(&item.kind))
        .map(|item| item.id.clone())
        .collect();
    end(inbox, told, &open, why);
}

fn end(inbox: &mut Inbox, told: &Told<'_>, items: &[ItemId], why: &str) {
    for id in items {
        if let Some(event) = inbox.resolve(id, told.ts, why) {
            inbox.apply(&event);
        }
    }
}

fn act(inbox: &mut Inbox, told: &Told<'_>) {
    let detail = &told.detail;
    let item = detail.inbox_id.as_deref().and_then(|id| inbox.named(id));
    let about_decision = item.is_some_and(|item| item.kind == ItemKind::Decision);
    // It is made by a merge; until then it waits for whoever runs that.
    let stays = item.and_then(Item::command).is_some();
    let id = item.map(|item| item.id.clone());
    if let (Some(id), Some(action)) = (id, detail.action) {
        let deed = Deed {
            action,
            operator: detail.operator.as_deref().unwrap_or_default().to_owned(),
            text: detail.text.as_deref().map(str::to_owned),
            at: told.ts,
        };
        inbox.apply(&match action {
            Action::Approve if stays => InboxEvent::Approved { id, deed },
            Action::Approve | Action::Reject | Action::Defer => InboxEvent::Acted { id, deed },
        });
    }
    // What is approved is not waited for any more, whatever else waited about it.
    if let (Some(Action::Approve), Some(goal), false) = (detail.action, told.goal(), about_decision)
    {
        resolve(inbox, told, goal, "approved");
    }
}
