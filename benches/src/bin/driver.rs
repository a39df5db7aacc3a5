//! Cost of a step in a large session: the decision alone, and a whole turn of the driver on a disk
//! whose sync is free. The program compares the last tasks with the first ones. It also measures a
//! start with all that work done.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hast_benches::{Failure, Size};
use hast_flow::driver::{Bounds, Delta, Driver, Facts, Flow, InTurn};
use hast_flow::flows::session::{NewSession, SessionFlow};
use hast_flow::ports::Clock;
use hast_flow::roles::PolicyTable;
use hast_flow::steps::{
    Answer, Call, CallResult, Effect, EffectResult, Ending, Step, StepKey, ToolAnswer,
};
use hast_flow::store::{DocPath, Options, Store};
use hast_flow::words::Lang;
use hast_world::disk::RealDisk;
use jiff::Timestamp;
use jiff::tz::Offset;
use serde_json::{Value, json};

/// Task ids have four digits, so a plan has at most that many.
const MOST_TASKS: usize = 9_999;
/// Tasks in a window that is compared.
const WINDOW: usize = 100;

fn main() -> Result<(), Failure> {
    let (size, arguments) = Size::of_arguments();
    let usual = size.pick(MOST_TASKS, 3 * WINDOW);
    let tasks = arguments.first().map_or(Ok(usual), |text| text.parse())?;
    let tasks = tasks.clamp(3 * WINDOW, MOST_TASKS);
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
    for parallel in [1, 4] {
        let root = dir.path().join(format!("session-{parallel}"));
        std::fs::create_dir_all(&root)?;
        session(&root, tasks, parallel)?;
    }
    Ok(())
}

fn session(root: &Path, tasks: usize, parallel: usize) -> Result<(), Failure> {
    let flow = Timed::new(parallel);
    let step = |key: &StepKey, effect: &Effect| answer(tasks, key, effect);
    println!("session of {tasks} tasks, {parallel} at a time");
    // Three commits a task: ten thousand steps are done after a third of the tasks.
    for (done, name) in [(tasks / 3, "a third"), (tasks - 10, "nearly all")] {
        let mut driver = open(root, &flow)?;
        flow.stop_after(done);
        driver.drive(&mut InTurn::new(step))?;
        drop(driver);
        let start = Instant::now();
        let driver = open(root, &flow)?;
        flow.stop_after(0);
        let first = first_decision(driver)?;
        let took = start.elapsed();
        println!("  start to the first new step with {name} done: {} ms ({first})", ms(took));
    }
    flow.stop_after(usize::MAX);
    let ending = open(root, &flow)?.drive(&mut InTurn::new(step))?;
    if !matches!(ending, Ending::Done(_)) {
        return Err(format!("{ending:?}").into());
    }
    flow.tell(tasks);
    Ok(())
}

/// Drives to the first decision and no further.
fn first_decision(mut driver: Driver<'_, Timed, RealDisk>) -> Result<&'static str, Failure> {
    let nothing = |_: &StepKey, _: &Effect| EffectResult::Tools(Vec::new());
    match driver.drive(&mut InTurn::new(nothing))? {
        Ending::Blocked(_) => Ok("decided"),
        other => Err(format!("{other:?}").into()),
    }
}

fn open<'f>(root: &Path, flow: &'f Timed) -> Result<Driver<'f, Timed, RealDisk>, Failure> {
    let (store, _) = Store::open(RealDisk::open(root)?, Options::default())?;
    Ok(Driver::new(flow, store, &Still, Lang::En, Bounds::default())?)
}

/// The session flow with a watch: how long each decision took, and when it was asked for.
struct Timed {
    flow: SessionFlow,
    turns: RefCell<Vec<Turn>>,
    stop_after: RefCell<usize>,
}

#[derive(Clone, Copy)]
struct Turn {
    passed: usize,
    at: Instant,
    decided_in: Duration,
}

impl Timed {
    fn new(parallel: usize) -> Self {
        let (query, system_prompt) = ("how much?".to_owned(), String::new());
        let new = NewSession { id: None, query, system_prompt, review_rules: None };
        let flow = SessionFlow { new: Some(new), parallel, ..SessionFlow::default() };
        Self { flow, turns: RefCell::default(), stop_after: RefCell::new(usize::MAX) }
    }

    fn stop_after(&self, passed: usize) {
        *self.stop_after.borrow_mut() = passed;
    }

    fn tell(&self, tasks: usize) {
        let turns = self.turns.borrow();
        let window = |from: usize| {
            let inside = |turn: &Turn| turn.passed >= from && turn.passed < from + WINDOW;
            let pairs = turns.windows(2).filter(|pair| inside(&pair[0]) && inside(&pair[1]));
            let (mut decided, mut whole) = (Vec::new(), Vec::new());
            for pair in pairs {
                decided.push(pair[0].decided_in);
                whole.push(pair[1].at - pair[0].at);
            }
            (usual(&decided), usual(&whole))
        };
        // The first tasks warm up; between them and the last ones everything may have grown.
        let (first, last) = (window(WINDOW / 2), window(tasks - 10 - WINDOW));
        let line = |name: &str, first: Duration, last: Duration| {
            let ratio = last.as_secs_f64() / first.as_secs_f64();
            println!(
                "  {name}: first {} us, last {} us, ratio {ratio:.2} (goal under 1.2)",
                us(first),
                us(last)
            );
        };
        line("a decision", first.0, last.0);
        line("a whole turn", first.1, last.1);
        // All turns of a task, from its start to its passed review.
        let when =
            |passed: usize| turns.iter().find(|turn| turn.passed >= passed).map(|turn| turn.at);
        let cost = |from: usize| {
            let (Some(from), Some(to)) = (when(from), when(from + WINDOW)) else { return None };
            Some((to - from) / u32::try_from(WINDOW).unwrap_or(1))
        };
        if let (Some(first), Some(last)) = (cost(WINDOW / 2), cost(tasks - 10 - WINDOW)) {
            let ratio = last.as_secs_f64() / first.as_secs_f64();
            println!(
                "  a whole task: first {WINDOW} {} us, last {WINDOW} {} us, ratio {ratio:.2} (goal under 1.3)",
                us(first),
                us(last)
            );
        }
        if let Some(peak) = peak_memory() {
            println!("  peak memory of this process so far: {peak}");
        }
    }
}

impl Flow for Timed {
    type View = <SessionFlow as Flow>::View;

    fn policy(&self) -> &PolicyTable {
        self.flow.policy()
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        self.flow.reads(path, is_dir)
    }

    fn rests_on(&self, view: &Self::View) -> Vec<DocPath> {
        self.flow.rests_on(view)
    }

    fn fold(&self, view: &mut Self::View, delta: &Delta<'_>) {
        self.flow.fold(view, delta);
    }

    fn next_step(&self, view: &Self::View, facts: &Facts<'_>) -> Step {
        let at = Instant::now();
        let step = self.flow.next_step(view, facts);
        let decided_in = at.elapsed();
        let passed = view.knowledge.pieces().len();
        self.turns.borrow_mut().push(Turn { passed, at, decided_in });
        if passed >= *self.stop_after.borrow() {
            let notice =
                hast_flow::steps::Notice { what: "enough".to_owned(), next: String::new() };
            return Step::Finish(Ending::Blocked(notice));
        }
        step
    }
}

/// As the system counts it; nothing where it does not.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_owned())
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_768_228_200).unwrap_or_default()
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
    }
}

fn answer(tasks: usize, _: &StepKey, effect: &Effect) -> EffectResult {
    match effect {
        Effect::Call(call) => {
            let documents = documents(tasks, call);
            EffectResult::Call(CallResult::Completed(Answer { documents, ..Answer::default() }))
        }
        Effect::Tools(uses) => EffectResult::Tools(
            uses.iter().map(|tool| Ok(ToolAnswer::of(tool.name.clone()))).collect(),
        ),
        // A session changes no code.
        Effect::Git(_)
        | Effect::Check(_)
        | Effect::Scan(_)
        | Effect::Worktree(_)
        | Effect::Lease(_)
        | Effect::Within { .. } => EffectResult::Tools(Vec::new()),
    }
}

fn documents(tasks: usize, call: &Call) -> BTreeMap<String, Vec<u8>> {
    let text = |name: &str| match name {
        "decomposition.json" => plan(tasks).to_string(),
        "state.json" => "{}".to_owned(),
        "report.json" => {
            json!({"verdict": "PASS", "findings": [], "required_fixes": []}).to_string()
        }
        "final.md" => format!("text [{}]\n", known(&call.prompt)),
        "verdict.md" => "PASS\n".to_owned(),
        _ => "text\n".to_owned(),
    };
    call.expected.iter().map(|file| (file.name.clone(), text(&file.name).into_bytes())).collect()
}

/// The first piece of knowledge in a prompt's list: an answer has to cite one.
fn known(prompt: &str) -> &str {
    let listed = prompt.split("\n- [").nth(1).and_then(|rest| rest.split(']').next());
    listed.unwrap_or_default()
}

/// Data tasks, and every tenth task made from the nine before it.
fn plan(tasks: usize) -> Value {
    let id = |number: usize| format!("T-{number:04}");
    let task = |number: usize| {
        let synthesis = number.is_multiple_of(10);
        let deps: Vec<String> =
            if synthesis { (number - 9..number).map(id).collect() } else { Vec::new() };
        let calls = json!([{"name": "web_fetch", "args": {"url": format!("https://news.example/{}", id(number))}}]);
        json!({
            "id": id(number), "title": "a task", "level": 1, "parent_id": null,
            "data_sources": [if synthesis { "SYNTHESIS" } else { "WEB" }], "deps": deps,
            "outputs": [{"path": format!("/execution/outputs/{}/out.md", id(number)), "type": "note"}],
            "tool_calls": if synthesis { json!([]) } else { calls }, "acceptance": ["it has a source"],
        })
    };
    let tasks: Vec<Value> = (1..=tasks).map(task).collect();
    json!({"major_version": 1, "revision": 1, "tasks": tasks})
}

/// The mean of the middle one of ten pieces: a busy moment of the machine falls into the others.
fn usual(times: &[Duration]) -> Duration {
    let piece = (times.len() / 10).max(1);
    let mut means: Vec<Duration> = times
        .chunks(piece)
        .map(|piece| piece.iter().sum::<Duration>() / u32::try_from(piece.len()).unwrap_or(1))
        .collect();
    means.sort_unstable();
    means.get(means.len() / 2).copied().unwrap_or_default()
}

fn us(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e6)
}

fn ms(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}
