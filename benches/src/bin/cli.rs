//! The command line against what it cannot beat: `/bin/true`, `cat`, one directory listing, and a
//! Python reader with libyaml. Run with `cargo run --release -p hast-benches --bin cli`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hast_benches::{Row, by_turns, table};

const HANDOFF: &str = "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: M1\n---\n\n## Done\n- 한 일\n\n## Next\nM1 — 다음\n\n## Context Files\n1. src/lib.rs\n";
const NEWEST: &str = ".ai/handoffs/2026-02-09_143000.md";

fn main() -> Result<(), Box<dyn Error>> {
    let hast = binary()?;
    let scratch = tempfile::tempdir()?;
    let root = scratch.path();
    project(root)?;
    let mut rows = vec![version(&hast, root), context(&hast, root)];
    rows.push(context_of_many_handoffs(&hast, root)?);
    for goals in [1_000, 10_000] {
        rows.push(context_of_many_goals(&hast, root, goals)?);
    }
    print!("{}", table(&rows));
    verify_many(&hast)?;
    Ok(())
}

/// The release binary beside this one, or the one that `HAST_BIN` names.
fn binary() -> Result<PathBuf, Box<dyn Error>> {
    let path = match std::env::var_os("HAST_BIN") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe()?.with_file_name("hast"),
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{}: build it with `cargo build --release -p hast`", path.display()).into())
}

fn project(root: &Path) -> std::io::Result<()> {
    fs::create_dir_all(root.join(".ai/handoffs"))?;
    fs::create_dir_all(root.join(".git"))?;
    fs::write(root.join(".ai/config.yaml"), "test_command: \"true\"\nai_tool: claude\n")?;
    fs::write(root.join(".ai/goals.yaml"), goals(10))?;
    fs::write(root.join(".ai/rules.md"), "- 규칙\n".repeat(20))?;
    fs::write(root.join(NEWEST), HANDOFF)
}

fn goals(count: usize) -> String {
    let mut text = String::from("goals:\n");
    for parent in 0..count / 10 {
        text += &format!(
            "  - id: M{parent}\n    title: \"목표 {parent}\"\n    status: active\n    children:\n"
        );
        for child in 1..10 {
            text += &format!(
                "      - id: M{parent}.{child}\n        title: \"Strategy learning step {child}\"\n        status: pending\n        expect_failure: true\n        allowed_changes: [\"core/strategy.py\", \"tests/\"]\n"
            );
        }
    }
    text
}

fn version(hast: &Path, root: &Path) -> Row {
    let (ours, peer) =
        by_turns(300, || run(hast, &["--version"], root), || run("/bin/true", &[], root));
    Row { name: "--version / true".into(), ours, peer, goal: "2x + 1 ms".into() }
}

fn context(hast: &Path, root: &Path) -> Row {
    let files = [".ai/config.yaml", ".ai/goals.yaml", ".ai/rules.md", NEWEST];
    let (ours, peer) = by_turns(300, || run(hast, &["context"], root), || run("cat", &files, root));
    Row { name: "context / cat of four files".into(), ours, peer, goal: "4x".into() }
}

fn context_of_many_handoffs(hast: &Path, root: &Path) -> std::io::Result<Row> {
    for number in 0..10_000 {
        fs::write(root.join(format!(".ai/handoffs/2025-01-01_{number:06}.md")), HANDOFF)?;
    }
    let line =
        format!("cat .ai/config.yaml .ai/goals.yaml .ai/rules.md {NEWEST}; ls -f .ai/handoffs");
    let (ours, peer) =
        by_turns(100, || run(hast, &["context"], root), || run("sh", &["-c", &line], root));
    fs::remove_dir_all(root.join(".ai/handoffs"))?;
    let name = "context, 10,000 handoffs / cat + readdir".into();
    Ok(Row { name, ours, peer, goal: "1.5x".into() })
}

fn context_of_many_goals(hast: &Path, root: &Path, count: usize) -> std::io::Result<Row> {
    fs::write(root.join(".ai/goals.yaml"), goals(count))?;
    let reader = "import yaml; yaml.load(open('.ai/goals.yaml'), Loader=yaml.CSafeLoader)";
    let (ours, peer) =
        by_turns(10, || run(hast, &["context"], root), || run("python3", &["-c", reader], root));
    let name = format!("context, {count} goals / Python with libyaml");
    Ok(Row { name, ours, peer, goal: "0.1x".into() })
}

fn verify_many(hast: &Path) -> std::io::Result<()> {
    let scratch = tempfile::tempdir()?;
    let status = "{\n  \"system_status\": \"EXECUTING\",\n  \"plan_major_version\": 2,\n  \"plan_revision\": 7,\n  \"current_task_id\": \"T-0007\",\n  \"blocked_count\": 1,\n  \"last_event_id\": \"EV-20260112T143000Z-0009\"\n}\n";
    for number in 0..10_000 {
        let directory = scratch.path().join(format!("sessions/S-20260112-{number:06}Z"));
        fs::create_dir_all(&directory)?;
        fs::write(directory.join("status.json"), status)?;
    }
    let (ours, _) = by_turns(5, || run(hast, &["verify"], scratch.path()), || ());
    println!("verify of 10,000 files: {:.0} files a second", 10_000.0 / ours.as_secs_f64());
    Ok(())
}

fn run(program: impl AsRef<std::ffi::OsStr>, args: &[&str], directory: &Path) {
    let _ = Command::new(program)
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
