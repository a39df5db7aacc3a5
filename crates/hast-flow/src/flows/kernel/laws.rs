//! The documents of a kernel must agree with each other. `breaches` reports every contradiction. No
//! single file can show these faults; `verify` calls this module.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::kernel::{KernelEvent, KernelEventKind as Kind, KernelState, TodoStatus};
use crate::flows::kernel::policy::POLICY;
use crate::flows::kernel::view::{Life, Request};
use crate::flows::kernel::{View, layout, mirror};
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::ndjson::LogLines;
use crate::formats::source::Source;
use crate::ids::Sha256;
use crate::logged::{Counted, Counting};
use crate::store::HistoryClass;
use crate::written;

/// Everything in which a kernel's documents disagree. `files` are the paths of those that are there,
/// below its root, and the view is a fold of the others.
pub fn breaches(
    view: &View,
    log: &[u8],
    files: &BTreeSet<String>,
    hash: &dyn Fn(&str) -> Option<Sha256>,
) -> Vec<Diagnostic> {
    let mut found = of_the_log(log, hash);
    found.extend(of_the_core(view));
    for (id, request) in &view.requests {
        let path = |name: &str| layout::of_request(id, name);
        let ended = matches!(request.life, Life::Completed | Life::Failed);
        let response = path("response.json");
        let ending = if request.life == Life::Failed { "REQUEST_FAILED" } else { "RESPONSE_GIVEN" };
        let text = path("request.json");
        if request.life == Life::Unborn && files.contains(&text) {
            let (other, detail) = (layout::LOG.to_owned(), format!("REQUEST_RECEIVED {id}: -"));
            found.push(Diagnostic::of_file(&text, Finding::Contradicts { other, detail }));
            continue;
        }
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
            let outputs = layout::results(&item.id).map(|output| path(&output));
            if !outputs.iter().any(|output| files.contains(output)) {
                let [output, _] = outputs;
                let because = format!("{}: completed", item.id);
                let finding = Finding::MissingFile { path: output, because };
                found.push(Diagnostic::of_file(&path("plan.json"), finding));
            }
        }
    }
    found.extend(of_the_mirror(view));
    of_the_untold(view, log, files, &mut found);
    once(found)
}

/// A file is missed once, whoever tells of it.
fn once(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut missed = BTreeSet::new();
    let mut is_new = |finding: &Diagnostic| match &finding.finding {
        Finding::MissingFile { path, .. } => missed.insert(path.clone()),
        _ => true,
    };
    found.into_iter().filter(|finding| is_new(finding)).collect()
}

/// The log says what task management wrote.
fn edited(request: &Request) -> Finding {
    let now = request.plan_now.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
    let written = request.plan_written.clone().unwrap_or_default();
    let detail = format!("plan.json: {now} / plan_sha256: {written}");
    Finding::Contradicts { other: layout::LOG.to_owned(), detail }
}

/// What every kernel has once something happened in it.
fn of_the_core(view: &View) -> Vec<Diagnostic> {
    let planned = view.requests.values().any(|request| request.plan_written.is_some());
    let gone = |path: &str, because: &str| written::missing(layout::LOG, path, because);
    let status = (view.last_event.is_some() && view.status.is_none())
        .then(|| gone(layout::STATUS, "KERNEL_BOOTING"));
    let mirror = (planned && view.mirror.is_none()).then(|| gone(layout::MIRROR, "PLAN_APPROVED"));
    status.into_iter().chain(mirror).collect()
}

/// Numbers count by one, no item has more answers than it had reasons to be asked, and what was
/// written once is still what it was.
fn of_the_log(log: &[u8], hash: &dyn Fn(&str) -> Option<Sha256>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let text = String::from_utf8_lossy(log);
    let source = Source::new(layout::LOG, &text);
    let mut counting = Counting::default();
    let mut asked: BTreeMap<(String, String), i64> = BTreeMap::new();
    // A line that is no event was told when the file was checked alone.
    for read in LogLines::whole(layout::LOG, log).typed::<KernelEvent>() {
        let Ok((line, event)) = read else {
            counting.unread();
            continue;
        };
        written::check(layout::LOG, &event.detail, hash, &mut found);
        let mut tell = |finding: Finding| {
            let place = line.number.map(|number| source.line_place(number));
            found.push(Diagnostic { place, ..Diagnostic::of_file(layout::LOG, finding) });
        };
        let text = |key: &str| {
            event.detail.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        if let Counted::Wrong(finding) = counting.take(&event.event_id) {
            tell(finding);
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
    }
    found
}

/// A kernel runs once the log says so, and what was written once was told of, in requests whose log tells
/// of files.
fn of_the_untold(view: &View, log: &[u8], files: &BTreeSet<String>, found: &mut Vec<Diagnostic>) {
    let events = LogLines::whole(layout::LOG, log).typed::<KernelEvent>().filter_map(Result::ok);
    let mut told = BTreeSet::new();
    let mut runs = false;
    for (_, event) in events {
        runs |= event.kind == Kind::KernelRunning;
        told.extend(written::told(&event.detail).map(|(path, _)| path.to_owned()));
    }
    let status = view.status.as_ref().map(|known| known.value.status);
    // A hole in the log was told of where it is.
    let whole = found.iter().all(|finding| finding.file != layout::LOG);
    if status == Some(KernelState::Running) && !runs && whole && view.last_event.is_some() {
        let (other, detail) = (layout::LOG.to_owned(), "KERNEL_RUNNING: -".to_owned());
        found.push(Diagnostic::of_file(layout::STATUS, Finding::Contradicts { other, detail }));
    }
    let unit = |path: &str| path.split('/').nth(1).map(str::to_owned);
    let units: BTreeSet<String> = told.iter().filter_map(|path| unit(path)).collect();
    let once = |path: &&str| {
        let known = layout::path(path).and_then(|path| POLICY.class_of(&path));
        known == Some(HistoryClass::Once) && unit(path).is_some_and(|unit| units.contains(&unit))
    };
    let files = files.iter().map(String::as_str).filter(once);
    written::untold(layout::LOG, &|path| told.contains(path), files, found);
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
