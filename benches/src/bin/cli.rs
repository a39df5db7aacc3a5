//! The command line against what it cannot beat: `/bin/true`, `cat`, one directory listing, and a
//! Python reader with libyaml. Run with `cargo run --release -p hast-benches --bin cli`.

use std::fs;
use std::path::Path;

use hast_benches::{Failure, Row, Size, by_turns, hast_binary, run, table};

const HANDOFF: &str = "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: M1\n---\n\n## Done\n- 한 일\n\n## Next\nM1 — 다음\n\n## Context Files\n1. src/lib.rs\n";
const NEWEST: &str = ".ai/handoffs/2026-02-09_143000.md";

fn main() -> Result<(), Failure> {
    let (size, _) = Size::of_arguments();
    let hast = hast_binary()?;
    let scratch = tempfile::tempdir()?;
    let root = scratch.path();
    project(root)?;
    let mut rows = vec![version(&hast, root, size)?, context(&hast, root, size)?];
    rows.push(context_of_many_handoffs(&hast, root, size)?);
    if run("python3", &["-c", "import yaml; yaml.CSafeLoader"], root).is_ok() {
        for goals in size.pick([1_000, 10_000], [100, 200]) {
            rows.push(context_of_many_goals(&hast, root, goals, size)?);
        }
    } else {
        println!("many goals: no python3 with libyaml on PATH, left out");
    }
    print!("{}", table(&rows));
    verify_many(&hast, size)
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

fn version(hast: &Path, root: &Path, size: Size) -> Result<Row, Failure> {
    let (ours, peer) = by_turns(
        size.pick(300, 3),
        || run(hast, &["--version"], root),
        || run("/bin/true", &[], root),
    )?;
    Ok(Row { name: "--version / true".into(), ours, peer, goal: "2x + 1 ms".into() })
}

fn context(hast: &Path, root: &Path, size: Size) -> Result<Row, Failure> {
    let files = [".ai/config.yaml", ".ai/goals.yaml", ".ai/rules.md", NEWEST];
    let (ours, peer) =
        by_turns(size.pick(300, 3), || run(hast, &["context"], root), || run("cat", &files, root))?;
    Ok(Row { name: "context / cat of four files".into(), ours, peer, goal: "4x".into() })
}

fn context_of_many_handoffs(hast: &Path, root: &Path, size: Size) -> Result<Row, Failure> {
    let handoffs = size.pick(10_000, 100);
    write_handoffs(root, handoffs)?;
    let line =
        format!("cat .ai/config.yaml .ai/goals.yaml .ai/rules.md {NEWEST}; ls -f .ai/handoffs");
    let (ours, peer) = by_turns(
        size.pick(100, 3),
        || run(hast, &["context"], root),
        || run("sh", &["-c", &line], root),
    )?;
    fs::remove_dir_all(root.join(".ai/handoffs"))?;
    let name = format!("context, {handoffs} handoffs / cat + readdir");
    Ok(Row { name, ours, peer, goal: "1.5x".into() })
}

fn context_of_many_goals(
    hast: &Path,
    root: &Path,
    count: usize,
    size: Size,
) -> Result<Row, Failure> {
    fs::write(root.join(".ai/goals.yaml"), goals(count))?;
    let reader = "import yaml; yaml.load(open('.ai/goals.yaml'), Loader=yaml.CSafeLoader)";
    let (ours, peer) = by_turns(
        size.pick(10, 2),
        || run(hast, &["context"], root),
        || run("python3", &["-c", reader], root),
    )?;
    let name = format!("context, {count} goals / Python with libyaml");
    Ok(Row { name, ours, peer, goal: "0.1x".into() })
}

fn verify_many(hast: &Path, size: Size) -> Result<(), Failure> {
    let scratch = tempfile::tempdir()?;
    let files: u32 = size.pick(10_000, 100);
    project(scratch.path())?;
    write_handoffs(scratch.path(), files)?;
    let (ours, _) =
        by_turns(size.pick(5, 1), || run(hast, &["verify"], scratch.path()), || Ok(()))?;
    println!(
        "verify of {files} files: {:.0} files a second",
        f64::from(files) / ours.as_secs_f64()
    );
    Ok(())
}

/// One a second, on a day before the newest.
fn write_handoffs(root: &Path, count: u32) -> std::io::Result<()> {
    for number in 0..count {
        let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60);
        let name = format!(".ai/handoffs/2025-01-01_{hour:02}{minute:02}{second:02}.md");
        fs::write(root.join(name), HANDOFF)?;
    }
    Ok(())
}
