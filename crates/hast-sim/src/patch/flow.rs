//! The flow: what its few documents mean, and what comes next.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{Base, ObjectId, TreeRules, attempt_ref};
use hast_flow::attempt::evidence::TestEnd;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, GitResult, GitStep, Identity as Author, SavePlan,
};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::gates::{Evidence, Outcome, gate};
use hast_flow::roles::{Access, Class, PolicyTable, Row};
use hast_flow::steps::{
    Call, CallResult, Check, Commit, Effect, EffectResult, Ending, Notice, Step, StepKey,
};
use hast_flow::store::{DocPath, HistoryClass, Identity, Put, Seen};
use hast_flow::time::UtcTime;
use serde::{Deserialize, Serialize};

const STATE: &str = "state.json";
const BASE: &str = "base.json";
const VERDICTS: &str = "verdicts.txt";
pub(super) const ATTEMPTS: u32 = 4;

const POLICY: PolicyTable = PolicyTable {
    classes: &[
        Class { path: STATE, history: HistoryClass::Pointer },
        Class { path: BASE, history: HistoryClass::Pointer },
        Class { path: VERDICTS, history: HistoryClass::Append },
    ],
    rows: &[
        Row { role: "auto", access: Access::Write, path: STATE },
        Row { role: "auto", access: Access::Write, path: BASE },
        Row { role: "auto", access: Access::Write, path: VERDICTS },
    ],
    riders: &[],
};

/// Where the goal is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    attempt: u32,
    stage: Stage,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    /// An attempt may begin.
    Next,
    /// Its start is recorded.
    Started,
    Failed,
    Passed {
        commit_tree: ObjectId,
        head: ObjectId,
        uncommitted: bool,
    },
    Committing {
        commit: ObjectId,
        head: ObjectId,
    },
    Done {
        commit: ObjectId,
    },
    GaveUp,
}

#[derive(Debug, Default)]
pub(super) struct View {
    state: Option<(State, Identity)>,
    base: Option<(Base, Identity)>,
    verdicts: Option<u64>,
    results: BTreeMap<StepKey, EffectResult>,
}

#[derive(Debug)]
pub(super) struct Patching;

pub(super) fn rules() -> TreeRules {
    TreeRules {
        leave_out: vec!["state/".to_owned()],
        protected: vec!["goals".to_owned()],
        handoffs: Some("handoffs/".to_owned()),
        ..TreeRules::default()
    }
}

impl Flow for Patching {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, seen } => match (path.as_str(), seen) {
                (STATE, Seen::File(identity)) => {
                    view.state = serde_json::from_slice(bytes).ok().map(|state| (state, *identity));
                    view.results.clear();
                }
                (BASE, Seen::File(identity)) => {
                    view.base = Base::recorded(bytes, seen).ok().map(|base| (base, *identity));
                }
                (VERDICTS, _) => view.verdicts = Some(bytes.len() as u64),
                _ => {}
            },
            Delta::Appended { at, bytes, .. } => view.verdicts = Some(at + bytes.len() as u64),
            Delta::Result { key, result } => {
                view.results.insert((*key).clone(), (*result).clone());
            }
            Delta::Gone { .. } => {}
        }
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let first = State { attempt: 1, stage: Stage::Next };
        let state = view.state.as_ref().map_or(&first, |(state, _)| state);
        let turn = Turn { view, attempt: state.attempt, now: facts.now };
        let step = match (&state.stage, &view.base) {
            (Stage::Next, _) => turn.begin(),
            (Stage::Started, Some((base, _))) => turn.attempt(base),
            (Stage::Failed, Some((base, _))) => turn.discard(base),
            (Stage::Passed { commit_tree, head, uncommitted }, Some(_)) => {
                turn.build(commit_tree, head, *uncommitted)
            }
            (Stage::Committing { commit, head }, Some((base, _))) => {
                turn.advance(base, commit, head)
            }
            (Stage::Done { .. }, _) => return Step::Finish(Ending::Done(notice("committed"))),
            (Stage::GaveUp, _) => return Step::Finish(Ending::Failed(notice("no attempt passed"))),
            (_, None) => Err("there is no base".to_owned()),
        };
        step.unwrap_or_else(|why| Step::Finish(Ending::Blocked(notice(&why))))
    }
}

fn notice(what: &str) -> Notice {
    Notice { what: what.to_owned(), next: "look at verdicts.txt".to_owned() }
}

/// One decision.
struct Turn<'v> {
    view: &'v View,
    attempt: u32,
    now: UtcTime,
}

type Decided = Result<Step, String>;

impl Turn<'_> {
    fn key(&self, name: &str) -> StepKey {
        StepKey::new(&[&self.attempt.to_string(), name])
    }

    /// The result of a step of git, or the step that asks for it.
    fn git(&self, name: &str, step: GitStep) -> Result<GitResult, Decided> {
        match self.view.results.get(&self.key(name)) {
            None => {
                Err(Ok(Step::Effect { key: self.key(name), effect: Effect::Git(Box::new(step)) }))
            }
            Some(EffectResult::Git(GitResult::Refused(problem))) => Err(Err(problem.to_string())),
            Some(EffectResult::Git(result)) => Ok(result.clone()),
            Some(other) => Err(Err(format!("{other:?}"))),
        }
    }

    fn commit(&self, stage: Stage, attempt: u32, mut puts: Vec<Put>) -> Decided {
        let bytes = serde_json::to_vec(&State { attempt, stage }).map_err(|e| e.to_string())?;
        puts.push(put(STATE, self.view.state.as_ref().map(|(_, seen)| *seen), bytes)?);
        Ok(Step::Commit(Commit {
            role: "auto",
            reason: "the goal goes on".to_owned(),
            puts,
            starts: Vec::new(),
            finishes: self.view.results.keys().cloned().collect(),
        }))
    }

    fn begin(&self) -> Decided {
        let key = format!("G/{}", self.attempt);
        let step = GitStep::Record { key, rules: rules(), at: self.now };
        match self.git("record", step) {
            Ok(GitResult::Recorded(record)) => {
                let before = self.view.base.as_ref().map(|(_, seen)| *seen);
                let base = put(BASE, before, record.to_document())?;
                self.commit(Stage::Started, self.attempt, vec![base])
            }
            Ok(other) => Err(format!("{other:?}")),
            Err(decided) => decided,
        }
    }

    /// The tree must be as recorded before the agent begins: a life before this one may have been
    /// cut off in the middle of its work.
    fn attempt(&self, base: &Base) -> Decided {
        let inspect = || GitStep::Inspect { base: base.clone() };
        let before = match self.git("clean", inspect()) {
            Ok(GitResult::Inspected(found)) => found,
            Ok(other) => return Err(format!("{other:?}")),
            Err(decided) => return decided,
        };
        if before.tree != *base.tree() || before.head != *base.commit() {
            let name = format!("refs/hast/recovered/{}", self.attempt);
            if let Err(decided) = self.save_and_back(base, name, "rescue", "rescued") {
                return decided;
            }
        }
        let key = self.key("call");
        if !self.view.results.contains_key(&key) {
            let mut call = Call::new("worker", "attempt", "G", "make it good".to_owned());
            call.attempt = self.attempt;
            return Ok(Step::Effect { key, effect: Effect::Call(Box::new(call)) });
        }
        if let Some(EffectResult::Call(CallResult::Cancelled)) = self.view.results.get(&key) {
            return Err("the agent was interrupted".to_owned());
        }
        match self.git("see", inspect()) {
            Ok(GitResult::Inspected(found)) => self.judge(&found),
            Ok(other) => Err(format!("{other:?}")),
            Err(decided) => decided,
        }
    }

    fn judge(&self, found: &Inspection) -> Decided {
        let key = self.key("check");
        let Some(EffectResult::Check(tests)) = self.view.results.get(&key) else {
            let tree = found.tree.clone();
            let check = Check { command: "true".to_owned(), tree, limit_seconds: 60 };
            return Ok(Step::Effect { key, effect: Effect::Check(check) });
        };
        let outside = found.changes.iter().find(|change| !change.path.0.starts_with("src/"));
        let evidence = Evidence::default()
            .with("git", Outcome::of(found.breaches.is_empty(), || format!("{:?}", found.breaches)))
            .with("protected", Outcome::of(found.protected.is_empty(), || "changed".to_owned()))
            .with("scope", Outcome::of(outside.is_none(), || format!("{outside:?}")))
            .with("work", Outcome::of(!found.changes.is_empty(), || "nothing changed".to_owned()))
            .with("tests", Outcome::of(tests.end == TestEnd::Green, || "red".to_owned()));
        let (stage, verdict) = match gate(found, &evidence) {
            Ok(passed) => {
                let found = passed.into_subject();
                let (commit_tree, head) = (found.commit_tree.clone(), found.head.clone());
                let uncommitted = found.uncommitted;
                (Stage::Passed { commit_tree, head, uncommitted }, "passed".to_owned())
            }
            Err(rejected) => (Stage::Failed, rejected.reasons.join("; ")),
        };
        let line = format!("{} {verdict}\n", self.attempt).into_bytes();
        let path = document(VERDICTS)?;
        let put = match self.view.verdicts {
            Some(at) => Put::Append { path, at, bytes: line },
            None => Put::Create { path, bytes: line },
        };
        self.commit(stage, self.attempt, vec![put])
    }

    /// Saved, and only then rolled back.
    fn save_and_back(
        &self,
        base: &Base,
        name: String,
        save: &str,
        back: &str,
    ) -> Result<(), Decided> {
        let plan = SavePlan {
            name,
            rules: rules(),
            base: Some(base.clone()),
            message: "what was there".to_owned(),
            at: self.now,
            max_file_bytes: 1 << 20,
            max_total_bytes: 1 << 20,
        };
        let saved = match self.git(save, GitStep::Save(plan))? {
            GitResult::Saved(saved) => saved,
            other => return Err(Err(format!("{other:?}"))),
        };
        self.git(back, GitStep::RollBack { base: base.clone(), saved }).map(|_| ())
    }

    fn discard(&self, base: &Base) -> Decided {
        let name = attempt_ref("G", self.attempt);
        if let Err(decided) = self.save_and_back(base, name, "save", "back") {
            return decided;
        }
        if self.attempt == ATTEMPTS {
            return self.commit(Stage::GaveUp, self.attempt, Vec::new());
        }
        self.commit(Stage::Next, self.attempt + 1, Vec::new())
    }

    fn build(&self, tree: &ObjectId, head: &ObjectId, uncommitted: bool) -> Decided {
        if !uncommitted {
            return self.commit(Stage::Done { commit: head.clone() }, self.attempt, Vec::new());
        }
        let plan = CommitPlan {
            content: Content::Tree(tree.clone()),
            parent: head.clone(),
            message: format!("feat(G): it, attempt {}", self.attempt),
            at: self.now,
            identity: Author::Users,
        };
        match self.git("build", GitStep::Build { plan }) {
            Ok(GitResult::Built { commit }) => {
                let stage = Stage::Committing { commit, head: head.clone() };
                self.commit(stage, self.attempt, Vec::new())
            }
            Ok(other) => Err(format!("{other:?}")),
            Err(decided) => decided,
        }
    }

    fn advance(&self, base: &Base, commit: &ObjectId, head: &ObjectId) -> Decided {
        let (branch, from, to) = (base.branch().to_owned(), head.clone(), commit.clone());
        match self.git("move", GitStep::Advance { branch, from, to }) {
            Ok(_) => self.commit(Stage::Done { commit: commit.clone() }, self.attempt, Vec::new()),
            Err(decided) => decided,
        }
    }
}

fn document(name: &str) -> Result<DocPath, String> {
    DocPath::new(name).map_err(|error| error.to_string())
}

fn put(name: &str, before: Option<Identity>, bytes: Vec<u8>) -> Result<Put, String> {
    let path = document(name)?;
    Ok(match before {
        Some(before) => Put::Replace { path, before, bytes },
        None => Put::Create { path, bytes },
    })
}
