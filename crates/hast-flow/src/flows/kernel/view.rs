//! The view of a kernel: its documents about one request, kept up to date change by change.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::kernel::{
    Brain, Expert, ExpertIndex, ExpertOutput, KernelEvent, KernelEventKind as Kind, KernelPlan,
    KernelStatus, TodoItem, TodoStatus,
};
use crate::driver::Delta;
use crate::flows::kernel::layout;
use crate::flows::kernel::troubles::{Trouble, read_expert, read_yaml};
use crate::formats::ndjson;
use crate::ids::{EventId, RequestUuid, Sha256};
use crate::steps::{EffectResult, StepKey};
use crate::store::{DocPath, Identity, Seen};
use crate::written;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub status: Option<Known<KernelStatus>>,
    pub brain: Option<Result<Brain, Trouble>>,
    pub index: Option<Result<ExpertIndex, Trouble>>,
    /// Experts by name, as their files say now.
    pub experts: BTreeMap<String, Result<Expert, Trouble>>,
    pub mirror: Option<Known<String>>,
    pub requests: BTreeMap<RequestUuid, Request>,
    pub last_event: Option<EventId>,
    pub events: u64,
    pub lengths: BTreeMap<DocPath, u64>,
    /// Results of effects that no commit has used yet.
    pub results: BTreeMap<StepKey, EffectResult>,
}

/// A document and what it was when it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<T> {
    pub value: T,
    pub identity: Option<Identity>,
}

/// One request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub text: String,
    pub life: Life,
    pub plan: Option<Known<KernelPlan>>,
    /// What `plan.json` is now, and what task management last said that it wrote.
    pub plan_now: Option<Sha256>,
    pub plan_written: Option<String>,
    /// What came of each item.
    pub outputs: BTreeMap<String, ExpertOutput>,
    /// Results and reports: what they are now, and what the log says that they were.
    pub files: BTreeMap<String, Sha256>,
    pub written: BTreeMap<String, String>,
    /// Items whose failure was answered with a replacement.
    pub replaced: BTreeSet<String>,
    /// The item that failed and has no replacement yet, and why.
    pub failed: Option<(String, String)>,
    pub report: Option<Vec<u8>>,
    pub reports_rejected: u32,
    pub repairs: u32,
    pub messages: u32,
    pub error: Option<String>,
}

/// How far a request is, by the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    #[default]
    Unborn,
    Planning,
    Working,
    Reporting,
    Judging,
    Completed,
    Failed,
}

impl View {
    pub fn length(&self, path: &DocPath) -> Option<u64> {
        self.lengths.get(path).copied()
    }

    /// The names in the index.
    pub fn known_experts(&self) -> BTreeSet<String> {
        let index = self.index.as_ref().and_then(|index| index.as_ref().ok());
        index.into_iter().flat_map(|index| &index.experts).map(|entry| entry.name.clone()).collect()
    }

    /// The experts that a plan may name: all but those whose part is hast's own code.
    pub fn working_experts(&self) -> BTreeSet<String> {
        let mut names = self.known_experts();
        if let Some(Ok(brain)) = &self.brain {
            names.retain(|name| *name != brain.engine && *name != brain.task_manager);
        }
        names
    }

    pub fn fold(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, seen } => self.document(path, bytes, *seen),
            Delta::Appended { path, at, bytes, .. } => {
                self.lengths.insert((*path).clone(), at + bytes.len() as u64);
                if path.as_str() == layout::LOG {
                    self.take_events(bytes);
                }
            }
            Delta::Gone { path } => self.gone(path),
            Delta::Result { key, result } => {
                self.results.insert((*key).clone(), (*result).clone());
            }
        }
    }

    fn document(&mut self, path: &DocPath, bytes: &[u8], seen: Seen) {
        let identity = seen.identity();
        let name = path.as_str();
        match name {
            layout::STATUS => {
                self.status =
                    serde_json::from_slice(bytes).ok().map(|value| Known { value, identity });
            }
            layout::BRAIN => self.brain = Some(read_yaml(name, bytes)),
            layout::INDEX => self.index = Some(read_yaml(name, bytes)),
            layout::MIRROR => {
                let value = String::from_utf8_lossy(bytes).into_owned();
                self.mirror = Some(Known { value, identity });
            }
            layout::LOG => {
                self.lengths.insert(path.clone(), bytes.len() as u64);
                self.take_events(bytes);
            }
            _ => {
                if let Some(expert) = layout::expert_of(name) {
                    let read = read_expert(expert, bytes);
                    self.experts.insert(expert.to_owned(), read);
                } else if let Some((id, rest)) = of_request(name) {
                    self.of_request(path, &id, rest, bytes, identity);
                }
            }
        }
    }

    fn of_request(
        &mut self,
        path: &DocPath,
        id: &RequestUuid,
        rest: &str,
        bytes: &[u8],
        identity: Option<Identity>,
    ) {
        if rest.ends_with(".ndjson") {
            self.lengths.insert(path.clone(), bytes.len() as u64);
            return;
        }
        let request = self.requests.entry(id.clone()).or_default();
        if layout::is_rested_on(rest) {
            request.files.insert(rest.to_owned(), Sha256::of(bytes));
        }
        match rest {
            "request.json" => {
                let read =
                    serde_json::from_slice::<crate::docs::kernel::KernelToEngineRequest>(bytes);
                request.text = read.map(|read| read.user_request).unwrap_or_default();
            }
            "plan.json" => {
                request.plan_now = Some(Sha256::of(bytes));
                request.plan =
                    serde_json::from_slice(bytes).ok().map(|value| Known { value, identity });
            }
            "report.md" | "report.2.md" => request.report = Some(bytes.to_vec()),
            _ if rest.starts_with("transcript/") => request.messages += 1,
            _ if rest.starts_with("outputs/") && rest.ends_with("/output.json") => {
                if let Ok(output) = serde_json::from_slice::<ExpertOutput>(bytes) {
                    request.outputs.insert(output.task_id.clone(), output);
                }
            }
            _ => {}
        }
    }

    fn gone(&mut self, path: &DocPath) {
        self.lengths.remove(path);
        match path.as_str() {
            layout::STATUS => self.status = None,
            layout::BRAIN => self.brain = None,
            layout::INDEX => self.index = None,
            layout::MIRROR => self.mirror = None,
            name => {
                if let Some(expert) = layout::expert_of(name) {
                    self.experts.remove(expert);
                } else if let Some((id, rest)) = of_request(name)
                    && let Some(request) = self.requests.get_mut(&id)
                {
                    request.files.remove(rest);
                    if rest == "plan.json" {
                        (request.plan, request.plan_now) = (None, None);
                    }
                }
            }
        }
    }

    fn take_events(&mut self, bytes: &[u8]) {
        // A bad line is skipped here and told by `verify`; a torn one is cut off by recovery.
        let (events, _) = ndjson::read::<KernelEvent>(layout::LOG, bytes);
        for event in events {
            self.take_event(&event);
        }
    }

    fn take_event(&mut self, event: &KernelEvent) {
        self.events = self.events.max(event.event_id.number());
        self.last_event = Some(event.event_id.clone());
        // A result whose meaning is in the log is used up.
        self.results.clear();
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let Some(id) = text("request_id").and_then(|id| id.parse::<RequestUuid>().ok()) else {
            return;
        };
        let request = self.requests.entry(id).or_default();
        let task = text("task_id").unwrap_or_default().to_owned();
        if let Some(written) = text("plan_sha256") {
            request.plan_written = Some(written.to_owned());
        }
        for (path, hash) in written::told(&event.detail) {
            if let Some((_, rest)) = of_request(path).filter(|(_, rest)| layout::is_rested_on(rest))
            {
                request.written.insert(rest.to_owned(), hash.to_owned());
            }
        }
        match event.kind {
            Kind::RequestReceived => request.life = Life::Planning,
            Kind::PlanApproved => request.life = Life::Working,
            Kind::TaskAnswered => {
                let error = text("error").map(str::to_owned);
                request.failed = error.map(|error| (task, error));
            }
            Kind::ReplacementRequested => {
                request.replaced.insert(task);
            }
            Kind::SubPlanMerged => request.failed = None,
            Kind::MirrorRepaired => request.repairs += 1,
            Kind::ReportRequested => request.life = Life::Reporting,
            Kind::ReportDrafted => request.life = Life::Judging,
            Kind::ReportRejected => {
                request.reports_rejected += 1;
                request.life = Life::Reporting;
            }
            Kind::ResponseGiven => {
                request.life = Life::Completed;
                request.written.clear();
            }
            Kind::RequestFailed => {
                request.written.clear();
                request.error = text("error").map(str::to_owned);
                request.life = Life::Failed;
            }
            _ => {}
        }
    }
}

impl Request {
    /// Whether somebody else than task management changed `plan.json`, or took it away.
    pub fn plan_was_edited(&self) -> bool {
        let now = self.plan_now.as_ref().map(Sha256::as_str);
        self.plan_written.as_deref().is_some_and(|written| now != Some(written))
    }

    /// A result or a report that is not what the log says, or what a completed item has to have:
    /// nothing may rest on it.
    pub fn broken_file(&self) -> Option<String> {
        let done = self.items().iter().filter(|item| item.status == TodoStatus::Completed);
        let needed = done.map(|item| layout::results(&item.id));
        let there = |path: &String| self.files.contains_key(path);
        let lost = needed.into_iter().find(|paths| !paths.iter().any(there)).map(|[path, _]| path);
        lost.or_else(|| {
            let now = |path: &str| self.files.get(path).map(Sha256::as_str);
            let broken = self.written.iter().find(|(path, was)| now(path) != Some(was.as_str()));
            broken.map(|(path, _)| path.clone())
        })
    }

    pub fn items(&self) -> &[TodoItem] {
        self.plan.as_ref().map_or(&[], |plan| &plan.value.todo_list)
    }
}

fn of_request(path: &str) -> Option<(RequestUuid, &str)> {
    let (id, rest) = path.strip_prefix("requests/")?.split_once('/')?;
    Some((id.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_result_counts_where_it_is_put_now_and_where_an_earlier_version_put_it() {
        let item = json!({"id": "b/s1", "title": "t", "description": "d", "expert": "E", "status": "completed"});
        let plan = serde_json::from_value(json!({ "todo_list": [item] })).unwrap();
        let known = Known { value: plan, identity: None };
        let with = |path: &str| {
            let files = BTreeMap::from([(path.to_owned(), Sha256::of(b"x"))]);
            Request { plan: Some(known.clone()), files, ..Request::default() }.broken_file()
        };
        assert_eq!(with("outputs/b+s1/output.json"), None);
        assert_eq!(with("outputs/b%2Fs1/output.json"), None);
        assert_eq!(with("outputs/b/output.json").as_deref(), Some("outputs/b+s1/output.json"));
    }
}
