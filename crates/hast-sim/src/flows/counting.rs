//! A sixth flow in one file: it counts to five, asking the world for each number. Nothing else in
//! the program knows of it.

use std::collections::BTreeMap;

use hast_flow::docs::session::RoutingState;
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::roles::{Access, Class, PolicyTable, Row};
use hast_flow::steps::{
    Commit, Effect, EffectResult, Ending, Notice, Step, StepKey, ToolAnswer, ToolUse,
};
use hast_flow::store::{DocPath, HistoryClass, Put};

use super::subject::{Files, Performed, PersonsEdit, Promise, Subject};
use crate::rng::Rng;

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[Class { path: "numbers.txt", history: HistoryClass::Append }],
    rows: &[Row { role: "counter", access: Access::Write, path: "numbers.txt" }],
    riders: &[],
};

#[derive(Clone, Copy, Debug)]
pub struct CountingFlow;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    lines: usize,
    length: Option<u64>,
    answer: Option<(StepKey, Vec<u8>)>,
}

impl Flow for CountingFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        !is_dir && path.as_str() == "numbers.txt"
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        match delta {
            Delta::Document { bytes, .. } | Delta::Appended { bytes, .. } => {
                view.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
                view.length = Some(view.length.unwrap_or(0) + bytes.len() as u64);
                view.answer = None;
            }
            Delta::Result { key, result: EffectResult::Tools(answers) } => {
                let answer = answers.first().and_then(|answer| answer.clone().ok());
                view.answer = answer.map(|answer| ((*key).clone(), answer.bytes));
            }
            Delta::Result { .. } | Delta::Gone { .. } => {}
        }
    }

    fn next_step(&self, view: &View, _: &Facts<'_>) -> Step {
        if view.lines == 5 {
            let notice = Notice { what: "counted".to_owned(), next: "read numbers.txt".to_owned() };
            return Step::Finish(Ending::Done(notice));
        }
        let key = StepKey::new(&["count", &view.lines.to_string()]);
        let (Some((answered, bytes)), Ok(path)) = (&view.answer, DocPath::new("numbers.txt"))
        else {
            let (args, state) = (serde_json::Map::new(), RoutingState::default());
            let tool = ToolUse { name: "number".to_owned(), args, state };
            return Step::Effect { key, effect: Effect::Tools(vec![tool]) };
        };
        let bytes = bytes.clone();
        let put = match view.length {
            Some(at) => Put::Append { path, at, bytes },
            None => Put::Create { path, bytes },
        };
        Step::Commit(Commit {
            role: "counter",
            reason: "a number".to_owned(),
            puts: vec![put],
            starts: Vec::new(),
            finishes: vec![answered.clone()],
        })
    }
}

/// Says the number that the step is about, however often it is asked.
pub fn number(key: &StepKey, _: &Effect) -> EffectResult {
    let number = key.as_str().rsplit('/').next().unwrap_or_default();
    EffectResult::Tools(vec![Ok(ToolAnswer::of(format!("{number}\n")))])
}

/// The counting flow under test.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

impl Counting {
    pub fn new(_seed: u64) -> Self {
        Self
    }
}

impl Subject for Counting {
    type Flow = CountingFlow;

    fn flow(&self) -> CountingFlow {
        CountingFlow
    }

    fn clock_moves(&self) -> bool {
        true
    }

    fn perform(&self, key: &StepKey, effect: &Effect) -> Performed {
        Performed { result: number(key, effect), mood: "answered" }
    }

    fn documents_hold(&self, files: &Files, _: Option<&str>) -> Result<(), String> {
        let numbers = files.get("numbers.txt").map_or(&[][..], Vec::as_slice);
        let whole = b"0\n1\n2\n3\n4\n".starts_with(numbers);
        if whole { Ok(()) } else { Err("a number is missing or there twice".to_owned()) }
    }

    fn role_is_kept(&self, commit: &Commit) -> Result<(), String> {
        let own = commit.puts.iter().all(|put| put.path().as_str() == "numbers.txt");
        if own { Ok(()) } else { Err(format!("{} wrote elsewhere", commit.role)) }
    }

    fn logs(&self) -> &'static [&'static str] {
        &["numbers.txt"]
    }

    fn views_agree(&self, kept: &View, fresh: &View) -> Result<(), String> {
        let same = (kept.lines, kept.length) == (fresh.lines, fresh.length);
        if same { Ok(()) } else { Err("the kept view differs from a fresh one".to_owned()) }
    }

    fn essence(&self, files: &Files, _: &str) -> Files {
        let ours = files.iter().filter(|(path, _)| !path.starts_with(".hast/"));
        ours.map(|(path, bytes)| (path.clone(), bytes.clone())).collect::<BTreeMap<_, _>>()
    }

    fn may_be_spoiled(&self) -> bool {
        false
    }

    fn edit(&self, chance: &mut Rng) -> Option<PersonsEdit> {
        let name = ["notes.md", "worktrees.txt"][chance.below(2)];
        PersonsEdit::of(name, "mine", Promise::SameEnd)
    }
}
