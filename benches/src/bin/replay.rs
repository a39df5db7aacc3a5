//! Folding a million events beside `wc -l` of the same file, by turns in one run, and the memory
//! that it takes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use hast_benches::{Failure, Row, Size, median, table};
use hast_flow::flows::goals::replay::Replay;
use hast_world::log_lines::each_line;
use hast_world::root_path::RootPath;

const KINDS: [&str; 6] = [
    "ATTEMPT_STARTED",
    "ATTEMPT_ENDED",
    "ATTEMPT_JUDGED",
    "ATTEMPT_SETTLED",
    "GOAL_BLOCKED",
    "RETRIED",
];

fn main() -> Result<(), Failure> {
    let (size, arguments) = Size::of_arguments();
    let usual = size.pick(1_000_000, 10_000);
    let events: u64 = arguments.first().map_or(Ok(usual), |text| text.parse())?;
    std::fs::create_dir_all("target")?;
    let scratch = tempfile::tempdir_in("target")?;
    let path = scratch.path().join("events.ndjson");
    write(&path, events)?;
    let log = RootPath::of_user(&path)?;
    let before = peak_kib()?;
    let (mut ours, mut peer, mut seen) = (Vec::new(), Vec::new(), 0);
    for _ in 0..5 {
        let start = Instant::now();
        let mut replay = Replay::default();
        each_line(&log, 0, &mut |line| replay.line(line))?;
        ours.push(start.elapsed());
        seen = replay.views().log.events;
        let start = Instant::now();
        let counted = Command::new("wc").arg("-l").arg(&path).output()?;
        peer.push(start.elapsed());
        if !counted.status.success() {
            return Err("wc failed".into());
        }
    }
    if seen != events {
        return Err(format!("{seen} of {events} events").into());
    }
    let bytes = std::fs::metadata(&path)?.len();
    print!(
        "{}",
        table(&[Row {
            name: format!("fold {events} events, {} MB, beside wc -l", bytes >> 20),
            ours: median(ours),
            peer: median(peer),
            goal: "interactive".to_owned(),
        }])
    );
    println!("peak memory before {} MiB, after {} MiB", before >> 10, peak_kib()? >> 10);
    Ok(())
}

fn write(path: &Path, events: u64) -> Result<(), Failure> {
    let mut file = BufWriter::new(File::create(path)?);
    for number in 1..=events {
        let (kind, goal) = (KINDS[(number % 6) as usize], number / 24 % 500);
        let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
        let at = format!("{hour:02}:{minute:02}:{second:02}");
        writeln!(
            file,
            r#"{{"event_id":"EV-20260209T{}Z-{number:04}","ts":"2026-02-09T{at}Z","actor":"controller","type":"{kind}","detail":{{"goal_id":"G{goal}","attempt":{},"class":"failed","rule":10,"code":"tests_red","reason":"the tests fail (exit code 1)","then":"try_again"}}}}"#,
            at.replace(':', ""),
            number % 3 + 1
        )?;
    }
    Ok(file.flush()?)
}

fn peak_kib() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).ok_or("no value")?.parse()?)
}
