//! What the documents of a kernel must say together. No file can know it alone; `verify` asks here.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::kernel::{KernelEvent, KernelEventKind as Kind, TodoStatus};
use crate::flows::kernel::view::{Life, Request};
use crate::flows::kernel::{View, layout, mirror};
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::ndjson::LogLines;
use crate::formats::source::Source;

/// Everything in which a kernel's documents disagree. `files` are the paths of those that are there,
/// below its root, and the view is a fold of the others.
pub fn breaches(view: &View, log: &[u8], files: &BTreeSet<String>) -> Vec<Diagnostic> {
    let mut found = of_the_log(log);
    for (id, request) in &view.requests {
        let path = |name: &str| layout::of_request(id, name);
        let ended = matches!(request.life, Life::Completed | Life::Failed);
        let response = path("response.json");
        let ending = if request.life == Life::Failed { "REQUEST_FAILED" } else { "RESPONSE_GIVEN" };
        match (ended, files.contains(&response)) {
            (true, false) => {
                let because = format!("{}: {ending} {id}", layout::LOG);
                let finding = Finding::MissingFile { path: response, because };
                found.push(Diagnostic::of_file(layout::LOG, finding));
            }
            (false, true) => {
                let (other, detail) = (layout::LOG.to_owned(), "RESPONSE_GIVEN: -".to_owned());
                found.push(Diagnostic::of_file(&response, Finding::Contradicts { other, detail }));
            }
            (true, true) | (false, false) => {}
        }
        if request.plan_was_edited() {
            found.push(Diagnostic::of_file(&path("plan.json"), edited(request)));
        }
        for item in request.items().iter().filter(|item| item.status == TodoStatus::Completed) {
            let output = path(&layout::output(&item.id, "output.json"));
            if !files.contains(&output) {
                let because = format!("{}: completed", item.id);
                let finding = Finding::MissingFile { path: output, because };
                found.push(Diagnostic::of_file(&path("plan.json"), finding));
            }
        }
    }
    found.extend(of_the_mirror(view));
    found
}

/// The log says what task management wrote.
fn edited(request: &Request) -> Finding {
    let now = request.plan_now.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
    let written = request.plan_written.clone().unwrap_or_default();
    let detail = format!("plan.json: {now} / plan_sha256: {written}");
    Finding::Contradicts { other: layout::LOG.to_owned(), detail }
}

/// Ids grow, and no item has more answers than it had reasons to be asked.
fn of_the_log(log: &[u8]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let text = String::from_utf8_lossy(log);
    let source = Source::new(layout::LOG, &text);
    let mut last: Option<KernelEvent> = None;
    let mut asked: BTreeMap<(String, String), i64> = BTreeMap::new();
    // A line that is no event was told when the file was checked alone.
    for (line, event) in
        LogLines::whole(layout::LOG, log).typed::<KernelEvent>().filter_map(Result::ok)
    {
        let mut tell = |finding: Finding| {
            let place = line.number.map(|number| source.line_place(number));
            found.push(Diagnostic { place, ..Diagnostic::of_file(layout::LOG, finding) });
        };
        let text = |key: &str| {
            event.detail.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        if let Some(last) =
            last.as_ref().filter(|last| last.event_id.number() >= event.event_id.number())
        {
            let (id, before) = (event.event_id.to_string(), last.event_id.to_string());
            tell(Finding::NotGrowing { id, before });
        }
        let left = asked.entry((text("request_id"), text("task_id"))).or_insert(1);
        match event.kind {
            // Whoever was broken down or replaced is answered for once more.
            Kind::SubPlanMerged => *left += 1,
            Kind::TaskAnswered => {
                *left -= 1;
                if *left < 0 {
                    tell(Finding::AnsweredTwice { id: text("task_id") });
                }
            }
            _ => {}
        }
        last = Some(event);
    }
    found
}

/// The mirror shows the newest request that is worked on.
fn of_the_mirror(view: &View) -> Option<Diagnostic> {
    let open = |request: &&Request| {
        matches!(request.life, Life::Working | Life::Reporting | Life::Judging)
            && !request.items().is_empty()
    };
    let request = view.requests.values().rev().find(open)?;
    // The plan itself was told of.
    if request.plan_was_edited() {
        return None;
    }
    let known = view.mirror.as_ref()?;
    let detail = mirror::difference(&known.value, request.items())?;
    // A request that was worked on since may have left its own plan there.
    let others = view.requests.values().filter(|other| !other.items().is_empty());
    let mut others = others.filter(|other| other.items() != request.items());
    if others.any(|other| mirror::difference(&known.value, other.items()).is_none()) {
        return None;
    }
    let finding = Finding::Contradicts { other: "plan.json".to_owned(), detail };
    Some(Diagnostic::of_file(layout::MIRROR, finding))
}
