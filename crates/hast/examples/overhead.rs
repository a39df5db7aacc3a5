//! Cost of supervision: `/bin/true` is started bare and under a guard, in turn, many times. Run
//! with `cargo run --release --example overhead -- target/release/hast [ROUNDS]`.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hast_flow::process::exit::Net;
use hast_flow::process::{CommandSpec, Limits, Sandbox, SandboxMode, Supervisor};
use hast_world::supervisor::Guarded;

const PROGRAM: &str = "/bin/true";

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let guard = args.next().unwrap_or_else(|| "target/release/hast".to_owned());
    let rounds = args.next().and_then(|text| text.parse().ok()).unwrap_or(300);
    let guard = std::path::absolute(guard)?;
    let here = std::env::current_dir()?;
    let temp = std::env::temp_dir();
    let full = Guarded::with_guard(&guard, temp.clone())?;
    let plain = Guarded::with_guard(&guard, temp.clone())?.without_namespaces();
    let mut spec = CommandSpec::new(PROGRAM, here.clone());
    let mut boxed = spec.clone();
    boxed.sandbox = Sandbox {
        mode: SandboxMode::Prefer,
        writable: vec![here],
        closed: Vec::new(),
        hidden: Vec::new(),
        room: None,
    };
    spec.sandbox = Sandbox::off();

    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..rounds {
        times[0].push(bare()?);
        times[1].push(supervised(&plain, &spec, Net::Subreaper));
        times[2].push(supervised(&full, &spec, Net::Namespace));
        times[3].push(supervised(&full, &boxed, Net::Namespace));
    }
    let names = ["bare spawn", "guard", "guard, namespace", "guard, namespace, sandbox"];
    let floor = median(&mut times[0]);
    for (name, times) in names.iter().zip(&mut times) {
        let middle = median(times);
        let p95 = times[times.len() * 95 / 100];
        let more = middle.saturating_sub(floor);
        println!("{name:<26} median {middle:>9.3?}  p95 {p95:>9.3?}  more than bare {more:>9.3?}");
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the floor that supervision is measured against")]
fn bare() -> std::io::Result<Duration> {
    let started = Instant::now();
    std::process::Command::new(PROGRAM).output()?;
    Ok(started.elapsed())
}

fn supervised(supervisor: &Guarded, spec: &CommandSpec, wanted: Net) -> Duration {
    let started = Instant::now();
    let ended = supervisor.run(spec, &Limits::default(), &mut |_, _| ControlFlow::Continue(()));
    let took = started.elapsed();
    assert!(ended.exit.is_success(), "{ended:?}");
    if ended.net != wanted {
        eprintln!("this machine gives no namespace");
    }
    took
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
