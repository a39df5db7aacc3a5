//! The world of a driver: effects side by side, their ends in any order, and the end of all.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::{Config, SandboxMode};
use hast_flow::docs::session::RoutingState;
use hast_flow::driver::World;
use hast_flow::steps::{
    Call, CallResult, Effect, EffectResult, Scan, StepKey, ToolAnswer, ToolUse,
};
use hast_flow::trust::Commands;
use hast_flow::words::Lang;
use hast_world::calls::{Calls, OtherEffects, RealWorld, Settings, What};
use hast_world::clock::Machine;
use hast_world::root_path::RootPath;
use hast_world::supervisor::Guarded;

use crate::scene::{Scene, marked, wait_until};

struct Tools;

impl OtherEffects for Tools {
    fn perform(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Tools(_) if key.as_str() == "dies" => panic!("a thread that dies"),
            // Whoever waits for this waits for ever.
            Effect::Tools(_) | Effect::Scan(_) if key.as_str().starts_with("never") => loop {
                std::thread::park();
            },
            Effect::Tools(uses) => EffectResult::Tools(
                uses.iter().map(|one| Ok(ToolAnswer::of(one.name.clone()))).collect(),
            ),
            other => panic!("{other:?}"),
        }
    }
}

fn world(scene: &Scene, mark: &str) -> (RealWorld, Arc<Mutex<Vec<String>>>) {
    let (world, told, _) = guarded_world(scene, mark);
    (world, told)
}

fn guarded_world(scene: &Scene, mark: &str) -> (RealWorld, Arc<Mutex<Vec<String>>>, Arc<Guarded>) {
    let tool = format!("sh {} {{prompt_file}}", scene.at("agent.sh").display());
    let (name, value) = mark.split_once('=').unwrap();
    let variables = [
        ("PATH", std::env::var("PATH").unwrap()),
        ("HOME", scene.at("home").display().to_string()),
        ("HAST_AI_TOOL", tool),
        (name, value.to_owned()),
    ];
    let root = RootPath::new(&scene.root()).unwrap();
    let settings = Settings {
        flow: FlowName::Session,
        root: root.clone(),
        documents: root.clone(),
        machine: root.join(".hast"),
        scope: "S-1".to_owned(),
        // The agents look at each other's directories.
        config: Config { sandbox: Some(SandboxMode::Off), ..Config::default() },
        lang: Lang::En,
        tool: None,
        variables: variables.map(|(name, value)| (name.into(), value.into())).to_vec(),
        hast: "hast".to_owned(),
        clock: Arc::new(Machine),
        trusted: Commands::default().judge(None, "").unwrap(),
        run_budget: None,
    };
    let guarded = Guarded::with_guard(env!("CARGO_BIN_EXE_hast"), scene.at("tmp")).unwrap();
    let guarded = Arc::new(guarded);
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let calls = Calls::new(
        settings,
        Arc::clone(&guarded),
        Box::new(move |progress| {
            if let What::Ended(_) = progress.what {
                heard.lock().unwrap().push(progress.key.to_string());
            }
        }),
    );
    (RealWorld::new(Arc::new(calls), Arc::new(Tools)), told, guarded)
}

#[test]
fn an_interruption_does_not_wait_for_what_only_asks_or_looks_but_for_agents() {
    let scene = Scene::new("sleep 1000");
    let mark = mark("interrupted");
    let (mut world, told, guarded) = guarded_world(&scene, &mark);
    let (args, state) = (serde_json::Map::new(), RoutingState::default());
    let asks = Effect::Tools(vec![ToolUse { name: "x".to_owned(), args, state }]);
    let looks = Effect::Scan(Scan { paths: Vec::new(), head: 0 });
    world.begin(&StepKey::new(&["never", "asked"]), &asks);
    world.begin(&StepKey::new(&["never", "seen"]), &looks);
    world.begin(&StepKey::new(&["call"]), &call("u"));
    wait_until("the agent runs", || (!marked(&mark).is_empty()).then_some(()));
    guarded.interrupt();
    let mut home = BTreeSet::new();
    while let Some((key, result)) = world.next() {
        assert_eq!(result, EffectResult::Call(CallResult::Cancelled), "{key}");
        home.insert(key.to_string());
    }
    assert_eq!(home.into_iter().collect::<Vec<_>>(), ["call", "never/asked", "never/seen"]);
    assert_eq!(marked(&mark), [0_u32; 0]);
    assert_eq!(*told.lock().unwrap(), ["call"], "its end is on record");
}

fn call(unit: &str) -> Effect {
    Effect::Call(Box::new(Call::new("worker", "attempt", unit, "do it".to_owned())))
}

fn mark(name: &str) -> String {
    format!("HAST_MARK={name}-{}-", std::process::id())
}

#[test]
fn effects_run_side_by_side_and_each_comes_home_once() {
    // Each waits until three were begun: one after the other they would wait for ever.
    let scene = Scene::new(
        "while [ \"$(ls -d \"$HOME\"/../project/.hast/calls/*/1 | wc -l)\" -lt 3 ]; do sleep 0.01; done",
    );
    let (mut world, told) = world(&scene, &mark("side"));
    let keys: BTreeSet<StepKey> = ["a", "b", "c"].map(|name| StepKey::new(&[name])).into();
    for key in &keys {
        world.begin(key, &call(key.as_str()));
    }
    let mut home = BTreeSet::new();
    while let Some((key, result)) = world.next() {
        assert!(matches!(result, EffectResult::Call(CallResult::Completed(_))), "{result:?}");
        assert!(home.insert(key));
    }
    assert_eq!(home, keys);
    assert_eq!(told.lock().unwrap().len(), 3);
}

#[test]
fn other_effects_go_to_whoever_is_plugged_in_and_a_dead_thread_is_not_waited_for() {
    let scene = Scene::new("echo hi");
    let (mut world, told) = world(&scene, &mark("others"));
    let tools = |name: &str| {
        let (args, state) = (serde_json::Map::new(), RoutingState::default());
        Effect::Tools(vec![ToolUse { name: name.to_owned(), args, state }])
    };
    let keys: BTreeSet<StepKey> = ["call", "tool"].map(|name| StepKey::new(&[name])).into();
    world.begin(&StepKey::new(&["call"]), &call("u"));
    world.begin(&StepKey::new(&["tool"]), &tools("read"));
    let results: Vec<_> = [world.next(), world.next()].into_iter().flatten().collect();
    assert!(world.next().is_none(), "nothing more is on its way");
    assert_eq!(results.iter().map(|(key, _)| key.clone()).collect::<BTreeSet<_>>(), keys);
    for (key, result) in results {
        match result {
            EffectResult::Call(CallResult::Completed(answer)) => assert_eq!(answer.text, "hi"),
            EffectResult::Tools(read) => assert_eq!(read, [Ok(ToolAnswer::of("read"))]),
            other => panic!("{key}: {other:?}"),
        }
    }
    assert_eq!(*told.lock().unwrap(), ["call"]);
    assert!(scene.root().join(".hast/calls/S-1+call/1/record.json").exists());
    world.begin(&StepKey::new(&["dies"]), &tools("x"));
    assert!(world.next().is_none());
}

#[test]
fn cancel_ends_all_that_is_on_its_way_and_a_later_drive_begins_anew() {
    let scene = Scene::new("[ -e \"$HOME/fine\" ] && exit 0; setsid sleep 1000 & sleep 1000");
    let mark = mark("cancel");
    let (mut world, _) = world(&scene, &mark);
    for name in ["a", "b"] {
        world.begin(&StepKey::new(&[name]), &call(name));
    }
    wait_until("both run", || (marked(&mark).len() >= 6).then_some(()));
    world.cancel();
    for _ in 0..2 {
        let (_, result) = world.next().unwrap();
        assert_eq!(result, EffectResult::Call(CallResult::Cancelled));
    }
    assert!(world.next().is_none());
    assert_eq!(marked(&mark), [0_u32; 0]);
    scene.file("home/fine", "");
    world.begin(&StepKey::new(&["a"]), &call("a"));
    let (_, result) = world.next().unwrap();
    assert!(matches!(result, EffectResult::Call(CallResult::Completed(_))), "{result:?}");
}
