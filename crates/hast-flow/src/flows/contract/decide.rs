//! The contract flow decides its next step here. Each decision looks at the view and names one
//! step.

use serde_json::json;

use crate::attempt_steps::{GitSteps, blocked};
use crate::docs::call::CallFinding;
use crate::docs::contract::{ContractEventKind as Kind, GlobalPhase, RequestStatus, WorkStatus};
use crate::driver::{Delta, Facts, Flow, Touched};
use crate::flows::contract::policy::{ORCHESTRATOR, POLICY};
use crate::flows::contract::request::{Request, Stage, Subtask, Task};
use crate::flows::contract::view::View;
use crate::flows::contract::write::{Draft, printed};
use crate::flows::contract::{
    Asked, ContractFlow, building, deciding, designing, discovery, endings, knowledge, layout,
    restoring, rooms, settling, testing, verifying, words,
};
use crate::ids::{RequestId, SubtaskId};
use crate::replies::{self, Asking};
use crate::roles::PolicyTable;
use crate::steps::{Answer, Call, Step, StepKey};
use crate::store::DocPath;

impl Flow for ContractFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        let project = &self.settings.project.hash;
        layout::is_read(path.as_str(), is_dir, project, self.asked.request())
    }

    /// Agents and people may write here too; what they changed is seen before it is built upon.
    fn rests_on(&self, view: &View) -> Vec<DocPath> {
        let project = &self.settings.project.hash;
        let request = self.asked.request().and_then(|id| view.requests.get(id));
        let fixed = [
            layout::LOG.to_owned(),
            layout::session(project),
            layout::state(project),
            layout::knowledge(project),
        ];
        let contracts = request.map(restoring::watched).into_iter().flatten();
        let results = request.map(|request| restoring::expected(project, request));
        let results = results.into_iter().flatten();
        fixed
            .into_iter()
            .chain(contracts)
            .chain(results)
            .filter_map(|path| layout::path(&path))
            .collect()
    }

    /// Only one process drives the requests of a project, and it alone writes their documents.
    fn guards(&self, path: &DocPath) -> bool {
        self.reads(path, false)
    }

    fn touched(&self, view: &mut View, touched: &Touched<'_>) {
        view.touch(touched);
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        match &self.asked {
            Asked::Learn(piece) => knowledge::add(self, view, facts, piece),
            Asked::Start { id, text } => match view.requests.get(id) {
                // Only what this start has begun itself.
                Some(request) if request.text == *text => self.drive(view, facts, request),
                Some(_) => {
                    blocked(words::taken_id(facts.lang, id), words::taken_id_next(facts.lang))
                }
                None => self.start(view, facts, id, text),
            },
            Asked::Resume { id } => match view.requests.get(id) {
                Some(request) => self.resume(view, facts, request),
                None => blocked(
                    words::unknown_request(facts.lang, id),
                    words::unknown_request_next(facts.lang),
                ),
            },
            Asked::Stop { id } => endings::stop(self, view, facts, id),
            Asked::Decide { id, item, deed } => deciding::step(self, view, facts, id, item, deed),
        }
    }
}

impl ContractFlow {
    /// One request at a time, in a repository that has a commit to begin at.
    fn start(&self, view: &View, facts: &Facts<'_>, id: &RequestId, text: &str) -> Step {
        let lang = facts.lang;
        let before = view.state.as_ref();
        if before.is_some_and(|known| known.value.is_none()) {
            // Whose request that was is not known, so nothing takes its place.
            return blocked(words::bad_state(lang), words::bad_state_next(lang));
        }
        let project = &self.settings.project.hash;
        let other = before.and_then(|known| known.value.as_ref()).map(|state| &state.request);
        let active = other.filter(|other| other.status == RequestStatus::Active);
        // The log knows it also where its state was lost.
        let last = view.last_of(project);
        let logged = last.filter(|last| last.status == RequestStatus::Active);
        if let Some(other) = active.map(|other| &other.id).or(logged.map(|last| &last.id)) {
            let what = words::another_active(lang, other);
            return blocked(what, words::another_active_next(lang, other));
        }
        let key = StepKey::new(&[id.as_str(), "start", "tip"]);
        let git = GitSteps { results: &view.results, lang };
        if let Err(step) = rooms::tip(&git, &key, None) {
            return step;
        }
        let mut draft = Draft::new(view, facts, &self.settings, "a request").finishes_all();
        let past = match (other, before, last) {
            (Some(other), Some(known), _) => Some((&other.id, known.bytes.clone())),
            (_, None, Some(last)) => Some((&last.id, printed(&last.state()).into_bytes())),
            _ => None,
        };
        if let Some((id, state)) = past {
            draft = draft.keep(&layout::of_request(project, id, "state.json"), state);
        }
        draft.begin(id, text).first_knowledge().starts(life(id, 0)).step()
    }

    /// A request that was stopped is taken up once; what stops it again ends this drive.
    fn resume(&self, view: &View, facts: &Facts<'_>, request: &Request) -> Step {
        let lived = facts.noted.contains(&life(&request.id, request.lives));
        if lived || request.status == RequestStatus::Completed {
            return self.drive(view, facts, request);
        }
        if request.status == RequestStatus::Active {
            // Cut off, or taken up in the inbox: a stop from here on is this life's own.
            return Draft::new(view, facts, &self.settings, "goes on")
                .starts(life(&request.id, request.lives))
                .step();
        }
        Draft::new(view, facts, &self.settings, "taken up again")
            .about(request)
            .closes([life(&request.id, request.lives)])
            .starts(life(&request.id, request.lives + 1))
            .event(ORCHESTRATOR, Kind::RequestResumed, json!({}))
            .step()
    }

    fn drive(&self, view: &View, facts: &Facts<'_>, request: &Request) -> Step {
        let scene = Scene { flow: self, view, facts, request };
        rooms::within(&scene, Self::next(&scene))
    }

    fn next(scene: &Scene<'_>) -> Step {
        match scene.request.status {
            RequestStatus::Completed => endings::completed(scene),
            RequestStatus::Stopped => endings::stopped(scene),
            RequestStatus::Active => match restoring::step(scene) {
                Some(step) => step,
                None if scene.request.phase == GlobalPhase::GlobalDiscovery => {
                    discovery::step(scene)
                }
                None => scene.task_loop(),
            },
        }
    }
}

/// Open from a request's start or resumption until it is over.
pub(super) fn life(id: &RequestId, number: u32) -> StepKey {
    StepKey::new(&[id.as_str(), &number.to_string(), "life"])
}

/// Everything that a decision about one request looks at.
#[derive(Clone, Copy)]
pub(super) struct Scene<'s> {
    pub(super) flow: &'s ContractFlow,
    pub(super) view: &'s View,
    pub(super) facts: &'s Facts<'s>,
    pub(super) request: &'s Request,
}

impl<'s> Scene<'s> {
    pub(super) fn draft(&self, reason: &str) -> Draft<'s> {
        Draft::new(self.view, self.facts, &self.flow.settings, reason).about(self.request)
    }

    pub(super) fn git(&self) -> GitSteps<'s> {
        GitSteps { results: &self.view.results, lang: self.facts.lang }
    }

    /// The path of a document of the request, of a task, of a subtask.
    pub(super) fn path(&self, name: &str) -> String {
        layout::of_request(&self.flow.settings.project.hash, &self.request.id, name)
    }

    pub(super) fn task_path(&self, task: &Task, name: &str) -> String {
        self.path(&format!("{}/{name}", task.id))
    }

    pub(super) fn subtask_path(&self, subtask: &SubtaskId, name: &str) -> String {
        layout::of_subtask(&self.flow.settings.project.hash, &self.request.id, subtask, name)
    }

    /// A question of this life of the request.
    pub(super) fn key(&self, parts: &[&str]) -> StepKey {
        let lives = self.request.lives.to_string();
        let all: Vec<&str> =
            [self.request.id.as_str(), &lives].into_iter().chain(parts.iter().copied()).collect();
        StepKey::new(&all)
    }

    pub(super) fn ask<T>(
        &self,
        key: StepKey,
        call: impl FnOnce() -> Call,
        read: impl Fn(&Answer) -> Result<T, Vec<CallFinding>>,
    ) -> replies::Asked<T> {
        let asking = Asking {
            key,
            max_regenerations: self.flow.settings.max_regenerations,
            results: &self.view.results,
            lang: self.facts.lang,
        };
        asking.ask(call, read)
    }

    /// Task after task, subtask after subtask.
    fn task_loop(&self) -> Step {
        match self.request.current().filter(|(task, _)| task.status == WorkStatus::InProgress) {
            None => match self.request.next_task() {
                Some(task) => designing::begin(self, task),
                None => endings::complete(self),
            },
            Some((task, current)) => self.in_task(task, current),
        }
    }

    fn in_task(&self, task: &Task, current: Option<&Subtask>) -> Step {
        let current = current.filter(|one| one.status == WorkStatus::InProgress);
        let earlier = current.and_then(|one| settling::of_earlier_version(self, task, one));
        if let Some(step) = earlier {
            return step;
        }
        if let Some(subtask) = current
            && let Stage::Failing { attempt, to } = &subtask.stage
        {
            return settling::go_back(self, task, subtask, *attempt, *to);
        }
        if !task.designed {
            return designing::step(self, task, current);
        }
        let Some(subtask) = current else {
            let next = task.subtasks.iter().find(|one| one.status == WorkStatus::Pending);
            return match next {
                Some(next) => self
                    .draft(next.id.as_str())
                    .event(ORCHESTRATOR, Kind::SubtaskStarted, json!({ "subtask_id": next.id }))
                    .step(),
                None => settling::complete_task(self, task),
            };
        };
        match &subtask.stage {
            Stage::TestFirst { attempt } => testing::step(self, task, subtask, attempt.as_ref()),
            Stage::TestsPassed { judged } => settling::commit_tests(self, subtask, judged),
            Stage::Implementation { attempt } => {
                building::step(self, task, subtask, attempt.as_ref())
            }
            Stage::Review { judged } => building::review(self, task, subtask, judged),
            Stage::Verification { judged, tested } => {
                verifying::step(self, task, subtask, judged.as_ref(), tested.as_ref())
            }
            Stage::Passed { judged } => settling::finish(self, subtask, judged.as_ref()),
            Stage::Failing { attempt, to } => settling::go_back(self, task, subtask, *attempt, *to),
            Stage::Complete => settling::complete_task(self, task),
        }
    }
}
