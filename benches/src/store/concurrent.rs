//! Many roots at once, and many processes at one root.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hast_benches::{Failure, Size};
use hast_flow::store::{ChangeSet, DocPath, Options, Put, Store, StoreError};
use hast_world::disk::RealDisk;

use crate::fixture::{POLICY, Root};
use crate::floor::Floor;

pub(crate) fn roots(time: Duration, size: Size, scratch: &Path) -> Result<(), Failure> {
    println!(
        "roots at once (commits a second; goals at 64: raw 25,000 : event 12,000 : file 8,000)"
    );
    for &count in size.pick(&[1, 8, 64][..], &[1, 8]) {
        let dir = scratch.join(format!("roots-{count}"));
        let mut raw = Vec::new();
        let mut event = Vec::new();
        let mut file = Vec::new();
        for index in 0..count {
            raw.push(Floor::new(&dir.join(format!("raw-{index}")))?);
            event.push(Root::new(&dir.join(format!("event-{index}")))?);
            file.push(Root::new(&dir.join(format!("file-{index}")))?);
        }
        let raw = together(raw, time, Floor::append)?;
        let event = together(event, time, |root| root.commit(0))?;
        let file = together(file, time, |root| root.commit(1))?;
        println!(
            "  {count:>2} roots   raw logs {raw:>8.0}   event only {event:>8.0} ({:.2})   1 file {file:>8.0} ({:.2})",
            event / raw,
            file / raw
        );
    }
    Ok(())
}

/// How often a second all of them together get through.
fn together<T: Send>(
    all: Vec<T>,
    time: Duration,
    work: impl Fn(&mut T) -> Result<(), Failure> + Sync,
) -> Result<f64, Failure> {
    let start = Instant::now();
    let done = std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = all
            .into_iter()
            .map(|mut one| {
                scope.spawn(move || {
                    let mut done = 0_u64;
                    while start.elapsed() < time {
                        work(&mut one)?;
                        done += 1;
                    }
                    Ok::<u64, Failure>(done)
                })
            })
            .collect();
        let mut sum = 0;
        for thread in threads {
            sum += thread.join().map_err(|_| "a thread failed")??;
        }
        Ok::<u64, Failure>(sum)
    })?;
    Ok(done as f64 / start.elapsed().as_secs_f64())
}

const PROCESSES: usize = 16;

/// Sixteen processes count in one file and note each number in one log.
pub(crate) fn processes(time: Duration, scratch: &Path) -> Result<(), Failure> {
    let dir = scratch.join("processes");
    fs::create_dir_all(&dir)?;
    fs::write(dir.join("count"), "0")?;
    fs::write(dir.join("log"), "")?;
    let program = std::env::current_exe()?;
    let mut children = Vec::new();
    for index in 0..PROCESSES {
        let mut command = Command::new(&program);
        command.arg("--child").arg(&dir).arg(index.to_string());
        command.arg(time.as_millis().to_string());
        children.push(command.stdout(std::process::Stdio::piped()).spawn()?);
    }
    let (mut commits, mut conflicts) = (0, 0);
    for child in children {
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err("a process failed".into());
        }
        let text = String::from_utf8(output.stdout)?;
        let mut numbers = text.split_whitespace().map(str::parse::<u64>);
        commits += numbers.next().ok_or("no count")??;
        conflicts += numbers.next().ok_or("no count")??;
    }
    let count: u64 = fs::read_to_string(dir.join("count"))?.parse()?;
    let log = fs::read_to_string(dir.join("log"))?;
    let in_order = log
        .lines()
        .zip(1_u64..)
        .all(|(line, number)| line.split(' ').next().and_then(|n| n.parse().ok()) == Some(number));
    let lines = log.lines().count() as u64;
    println!("{PROCESSES} processes at one root for {time:?}");
    println!(
        "  acknowledged {commits}   counter {count}   log lines {lines}   in order {in_order}   clean conflicts {conflicts}"
    );
    if commits == count && commits == lines && in_order {
        Ok(())
    } else {
        Err("an update was lost".into())
    }
}

/// One of the sixteen: reads, adds one, commits, and starts over when somebody was faster.
pub(crate) fn child(arguments: &[String]) -> Result<(), Failure> {
    let [dir, index, millis] = arguments else {
        return Err("--child DIR INDEX MILLISECONDS".into());
    };
    let time = Duration::from_millis(millis.parse()?);
    let (mut store, _) = Store::open(RealDisk::open(Path::new(dir))?, Options::default())?;
    let (count, log) = (DocPath::new("count")?, DocPath::new("log")?);
    let start = Instant::now();
    let (mut commits, mut conflicts) = (0_u64, 0_u64);
    while start.elapsed() < time {
        let ((text, before), length) = store.read_together(|store| {
            let read = store.read(&count)?.ok_or(StoreError::Stopped)?;
            let length = store.read(&log)?.map_or(0, |(bytes, _)| bytes.len() as u64);
            Ok((read, length))
        })?;
        let next = String::from_utf8(text)?.parse::<u64>()? + 1;
        let change = ChangeSet::new("bench", "count")
            .put(Put::Replace { path: count.clone(), before, bytes: next.to_string().into_bytes() })
            .put(Put::Append {
                path: log.clone(),
                at: length,
                bytes: format!("{next} {index}\n").into_bytes(),
            });
        match store.commit(change, &POLICY) {
            Ok(committed) if committed.conflicts.is_empty() => commits += 1,
            Ok(_) => return Err("a conflict with nobody".into()),
            Err(StoreError::Stale { .. }) => conflicts += 1,
            Err(error) => return Err(error.into()),
        }
        if store.checkpoint_due() {
            store.checkpoint()?;
        }
    }
    store.close()?;
    println!("{commits} {conflicts}");
    Ok(())
}
