//! The time to enter a room at the checkout's path, with one or more binaries as the guard, in turn:
//! `cargo run --example room_entry -- 50 OLD NEW`. The program is `true`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hast_flow::process::exit::Exit;
use hast_flow::process::{
    CommandSpec, Limits, ROOM_OBJECTS, RoomMounts, Sandbox, SandboxMode, Supervisor,
};
use hast_world::supervisor::Guarded;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let runs: usize = args.next().ok_or("usage: room_entry RUNS GUARD...")?.parse()?;
    let guards: Vec<String> = args.collect();
    let temp = tempfile::tempdir()?;
    let top = temp.path().canonicalize()?;
    let spec = spec(&top)?;
    let guarded: Result<Vec<Guarded>, _> =
        guards.iter().map(|guard| Guarded::with_guard(guard, top.clone())).collect();
    let guarded = guarded?;
    let mut times = vec![Vec::new(); guards.len()];
    let limits = Limits::default();
    for _ in 0..runs {
        for (guard, times) in guarded.iter().zip(&mut times) {
            let ended = guard.run(&spec, &limits, &mut |_, _| ControlFlow::Continue(()));
            if ended.exit != Exit::Exited(0) {
                return Err(format!("{:?}", ended.exit).into());
            }
            times.push(ended.lasted);
        }
    }
    for (guard, times) in guards.iter().zip(&mut times) {
        times.sort();
        let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
        println!("{guard}: median {}, p90 {}", shown(at(50)), shown(at(90)));
    }
    Ok(())
}

fn spec(top: &Path) -> std::io::Result<CommandSpec> {
    let [checkout, tree, work, objects, home] =
        ["checkout", "tree", "work", "objects", "home"].map(|name| top.join(name));
    for path in [&checkout, &tree.join(ROOM_OBJECTS), &work, &objects, &home] {
        std::fs::create_dir_all(path)?;
    }
    let mut spec = CommandSpec::new("/bin/true", &checkout);
    spec.env.insert("HOME".into(), home.into());
    spec.env.insert("PATH".into(), "/usr/bin:/bin".into());
    let writable: Vec<PathBuf> = vec![checkout.clone()];
    let room = Some(RoomMounts { checkout, tree, work, objects });
    spec.sandbox = Sandbox { mode: SandboxMode::Prefer, writable, room, ..Sandbox::off() };
    Ok(spec)
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
