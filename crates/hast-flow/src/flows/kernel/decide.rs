//! A kernel decides its next step here. Each decision looks at the view and names one step.

use crate::docs::call::CallFinding;
use crate::docs::kernel::KernelEventKind as Kind;
use crate::docs::kernel::{KernelState, KernelToEngineRequest};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::kernel::policy::{ENGINE, KERNEL, POLICY};
use crate::flows::kernel::view::{Life, Request, View};
use crate::flows::kernel::write::{Draft, printed};
use crate::flows::kernel::{boot, ending, layout, plan, planning, prompts, reporting, work};
use crate::ids::RequestUuid;
use crate::replies::{self, Asking, NoAnswer};
use crate::roles::PolicyTable;
use crate::steps::{Answer, Call, Ending, Notice, Step, StepKey};
use crate::store::DocPath;

/// A kernel and what it is asked to do.
#[derive(Clone, Debug)]
pub struct KernelFlow {
    pub asked: Asked,
    pub max_regenerations: u32,
}

#[derive(Clone, Debug)]
pub enum Asked {
    /// Boot, and nothing else.
    Boot,
    /// Drive this request, and make it if it is new.
    Request { id: RequestUuid, new: Option<NewRequest> },
}

#[derive(Clone, Debug)]
pub struct NewRequest {
    pub text: String,
}

impl Flow for KernelFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        let own = match &self.asked {
            Asked::Request { id, .. } => Some(id),
            Asked::Boot => None,
        };
        layout::is_read(path.as_str(), is_dir, own)
    }

    fn rests_on(&self, view: &View) -> Vec<DocPath> {
        let mut paths: Vec<String> =
            [layout::BRAIN, layout::INDEX, layout::MIRROR].map(str::to_owned).to_vec();
        if let Asked::Request { id, .. } = &self.asked {
            let request = view.requests.get(id);
            let brain = view.brain.as_ref().and_then(|brain| brain.as_ref().ok());
            let item = request.and_then(|request| plan::in_work(request.items()));
            let parts = brain.into_iter().flat_map(|brain| [&brain.planner, &brain.synthesizer]);
            let names = parts.chain(item.map(|item| &item.expert));
            paths.extend(names.map(|name| layout::expert(name)));
        }
        paths.iter().filter_map(|path| layout::path(path)).collect()
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(delta);
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let status = view.status.as_ref().map(|known| &known.value);
        match (status.map(|status| status.status), &self.asked) {
            (None, _) => boot::begin(view, facts),
            (Some(KernelState::Booting), _) => boot::finish(view, facts),
            (Some(KernelState::Failed), Asked::Boot) => self.boot_again(view, facts),
            (Some(KernelState::Failed), Asked::Request { .. }) => {
                let cause = status.and_then(|status| status.last_failure.as_ref());
                let cause = cause.map(|cause| cause.error_details.as_str()).unwrap_or_default();
                ending::kernel_failed(facts.lang, cause)
            }
            (Some(KernelState::Running), Asked::Boot) => {
                // A kernel that runs and lost a file since is booted again.
                if boot::troubles(view).is_empty() {
                    let notice = Notice {
                        what: prompts::running(facts.lang),
                        next: prompts::running_next(facts.lang),
                    };
                    return Step::Finish(Ending::Done(notice));
                }
                self.boot_again(view, facts)
            }
            (Some(KernelState::Running), Asked::Request { id, new }) => {
                self.drive(view, facts, id, new.as_ref())
            }
        }
    }
}

impl KernelFlow {
    /// Boots at most once in a life: a kernel that failed a moment ago is not booted in circles.
    fn boot_again(&self, view: &View, facts: &Facts<'_>) -> Step {
        if facts.noted.contains(&boot::key()) {
            let told = boot::told(&boot::troubles(view), facts.lang);
            return ending::kernel_failed(facts.lang, &told);
        }
        boot::begin(view, facts)
    }

    fn drive(
        &self,
        view: &View,
        facts: &Facts<'_>,
        id: &RequestUuid,
        new: Option<&NewRequest>,
    ) -> Step {
        let unborn = Request::default();
        let request = view.requests.get(id).unwrap_or(&unborn);
        let scene = Scene { flow: self, view, facts, id, request };
        let builds = matches!(request.life, Life::Working | Life::Reporting | Life::Judging);
        if builds
            && !request.plan_was_edited()
            && let Some(path) = request.broken_file()
        {
            return ending::broken_file(&scene, &path);
        }
        match request.life {
            Life::Unborn => match new {
                Some(new) => create(&scene, new),
                None => Step::Finish(Ending::Blocked(Notice {
                    what: prompts::no_request(facts.lang, id),
                    next: prompts::no_request_next(facts.lang),
                })),
            },
            Life::Planning => planning::step(&scene),
            Life::Working => work::step(&scene),
            Life::Reporting => reporting::write(&scene),
            Life::Judging => reporting::judge(&scene),
            Life::Completed => ending::completed(&scene),
            Life::Failed => ending::failed(&scene),
        }
    }
}

/// Everything that a decision about one request looks at.
#[derive(Clone, Copy)]
pub(super) struct Scene<'s> {
    pub(super) flow: &'s KernelFlow,
    pub(super) view: &'s View,
    pub(super) facts: &'s Facts<'s>,
    pub(super) id: &'s RequestUuid,
    pub(super) request: &'s Request,
}

impl<'s> Scene<'s> {
    pub(super) fn draft(&self, role: &'static str, reason: &str) -> Draft<'s> {
        Draft::new(self.view, self.facts, role, reason).about(self.id, self.request)
    }

    /// A step of this request; an item's id is one part of it whatever it says.
    pub(super) fn key(&self, unit: &str, step: &str) -> StepKey {
        StepKey::new(&[self.id.as_str(), &layout::key_part(unit), step])
    }

    /// Asks until an answer keeps the rules, as often as is allowed. An expert that cannot be loaded
    /// fails the call before it begins.
    pub(super) fn ask<T>(
        &self,
        unit: &str,
        call: impl FnOnce() -> Result<Call, String>,
        read: impl Fn(&Answer) -> Result<T, Vec<CallFinding>>,
    ) -> replies::Asked<T> {
        let call = match call() {
            Ok(call) => call,
            Err(error) => {
                let why = NoAnswer::Failed(error);
                return replies::Asked::Unanswered { why, steps: Vec::new(), rejected: Vec::new() };
            }
        };
        let asking = Asking {
            key: self.key(unit, call.step),
            max_regenerations: self.flow.max_regenerations,
            results: &self.view.results,
            lang: self.facts.lang,
        };
        asking.ask(|| call, read)
    }
}

/// Steps 1 to 3: the request arrives, is handed to the engine, and a plan is asked for.
fn create(scene: &Scene<'_>, new: &NewRequest) -> Step {
    let message =
        KernelToEngineRequest { request_id: scene.id.clone(), user_request: new.text.clone() };
    scene
        .draft(KERNEL, "a request")
        .create_here("request.json", printed(&message))
        .message("KernelToEngineRequest", &message)
        .asks("plan", &new.text, serde_json::Value::Null)
        .event(KERNEL, Kind::RequestReceived, &[])
        .event(KERNEL, Kind::RequestDelegated, &[])
        .event(ENGINE, Kind::PlanRequested, &[])
        .starts(scene.key("plan", "plan"))
        .step()
}
