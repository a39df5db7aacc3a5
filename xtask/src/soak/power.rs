//! Power cuts: the image of a file system is copied while a writer runs, and the copy is mounted as
//! if the machine had just started.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hast_world::disk::RealDisk;
use rustix::process::{Pid, Signal, geteuid, kill_process};

use super::{Figures, Part, writer};
use crate::Failure;

const FILE_SYSTEMS: [(&str, &[&str], &str); 3] = [
    ("ext4", &["mkfs.ext4", "-q", "-F"], "loop"),
    ("xfs", &["mkfs.xfs", "-q", "-f"], "loop,nouuid"),
    ("btrfs", &["mkfs.btrfs", "-q", "-f"], "loop"),
];
const IMAGE_BYTES: u64 = 400 << 20;

pub(super) fn run(copies: u64) -> Result<Vec<Part>, Failure> {
    let again = format!("--power {copies}");
    if !geteuid().is_root() {
        let why = "mounting images needs root".to_owned();
        return Ok(vec![Part::skipped("power", again, why)]);
    }
    std::fs::create_dir_all("target")?;
    let scratch = tempfile::tempdir_in("target")?;
    let mut parts = Vec::new();
    for (name, make, options) in FILE_SYSTEMS {
        let part = format!("power, {name}");
        let dir = scratch.path().join(name);
        std::fs::create_dir(&dir)?;
        parts.push(match format_and_mount(&dir, make, options) {
            Err(why) => Part::skipped(&part, again.clone(), why.to_string()),
            Ok(mounted) => {
                let taken = take_copies(&dir, mounted, copies)?;
                Part::ran(&part, again.clone(), look_at(&taken, &dir, options)?)
            }
        });
    }
    Ok(parts)
}

/// Each copy is mounted, recovered and checked.
fn look_at(taken: &[(PathBuf, u64)], dir: &Path, options: &str) -> Result<Figures, Failure> {
    let (mut commits, mut diverged) = (0, Vec::new());
    for (index, (image, acknowledged)) in taken.iter().enumerate() {
        let mounted = Mounted::new(image, &dir.join("mnt"), options)?;
        // Another start of the machine, as far as the journal can tell.
        let disk = RealDisk::open_as(&mounted.at.join("root"), [0x5a; 16])?;
        match writer::recover(disk, *acknowledged) {
            Ok(number) => commits = commits.max(number),
            Err(error) => diverged.push(format!("image {index}: {error}")),
        }
    }
    let counts = vec![("images", taken.len() as u64), ("commits in the last of them", commits)];
    Ok(Figures { counts, diverged })
}

/// The first thing that a machine without the tools, the module or the right refuses.
fn format_and_mount(dir: &Path, make: &[&str], options: &str) -> Result<Mounted, Failure> {
    let image = dir.join("image");
    std::fs::File::create(&image)?.set_len(IMAGE_BYTES)?;
    // The reason goes into a page that names no path of this machine; the details are for the person.
    let because = |why: String| {
        move |error: Failure| {
            eprintln!("power: {error}");
            Failure::from(why)
        }
    };
    call(Command::new(make[0]).args(&make[1..]).arg(&image))
        .map_err(because(format!("{} is not installed or failed", make[0])))?;
    Mounted::new(&image, &dir.join("mnt"), options)
        .map_err(because("an image cannot be mounted here".to_owned()))
}

/// Copies of an image in use, each with the last number that was acknowledged before.
fn take_copies(dir: &Path, mounted: Mounted, copies: u64) -> Result<Vec<(PathBuf, u64)>, Failure> {
    let image = dir.join("image");
    let root = mounted.at.join("root");
    std::fs::create_dir(&root)?;
    // The root itself is the caller's; only what is in it is the store's.
    rustix::fs::sync();
    let (child, out) = writer::start(&root)?;
    let writer = Stopped(child);
    let said = Arc::new(AtomicU64::new(0));
    let heard = Arc::clone(&said);
    let listener = std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            heard.store(line.parse().unwrap_or(0), Ordering::SeqCst);
        }
    });
    let mut taken = Vec::new();
    for index in 0..copies {
        std::thread::sleep(Duration::from_millis(150 + 613 * index % 900));
        let acknowledged = said.load(Ordering::SeqCst);
        writer.signal(Signal::STOP)?;
        let copy = dir.join(format!("copy-{index}"));
        call(Command::new("cp").arg("--sparse=always").args([&image, &copy]))?;
        writer.signal(Signal::CONT)?;
        taken.push((copy, acknowledged));
    }
    drop(writer);
    drop(mounted);
    listener.join().map_err(|_| "the listener failed")?;
    Ok(taken)
}

/// The writer; it is killed in the end, whatever happens.
struct Stopped(Child);

impl Stopped {
    fn signal(&self, signal: Signal) -> Result<(), Failure> {
        let pid = i32::try_from(self.0.id())?;
        let pid = Pid::from_raw(pid).ok_or("no process")?;
        Ok(kill_process(pid, signal)?)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _: std::io::Result<()> = self.0.kill();
        let _: std::io::Result<_> = self.0.wait();
    }
}

/// An image in the tree of files, until it is dropped.
struct Mounted {
    at: PathBuf,
}

impl Mounted {
    fn new(image: &Path, at: &Path, options: &str) -> Result<Self, Failure> {
        std::fs::create_dir_all(at)?;
        call(Command::new("mount").args(["-o", options]).args([image, at]))?;
        Ok(Self { at: at.to_owned() })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _: Result<(), Failure> = call(Command::new("umount").arg(&self.at));
    }
}

fn call(command: &mut Command) -> Result<(), Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {said}").into())
}
