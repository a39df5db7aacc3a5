//! Tables of runs: the same change in a large and in a small one, and `hast search` against ripgrep,
//! or against grep where there is no ripgrep.
//! Run with `cargo run --release -p hast-benches --bin tables`.

use std::fs;
use std::path::Path;

use hast_benches::{Failure, Row, Size, by_turns, hast_binary, run, table};
use hast_flow::docs::run::CatalogRow;
use hast_flow::driver::{Delta, Patched, Taken};
use hast_flow::flows::run::policy::{ORCHESTRATOR, POLICY};
use hast_flow::flows::run::{View, layout};
use hast_flow::ids::RunId;
use hast_flow::store::{ChangeSet, DocPath, Options, Put, Seen, Store};
use hast_world::disk::RealDisk;

fn main() -> Result<(), Failure> {
    let (size, _) = Size::of_arguments();
    let (runs, files) = size.pick((10_000, 100_000), (200, 1_000));
    let rounds = size.pick(300, 3);
    let (large, small) = (tempfile::tempdir()?, tempfile::tempdir()?);
    make(large.path(), runs, files)?;
    make(small.path(), 100, 100)?;
    let mut rows = Vec::new();
    {
        let mut large = Root::open(large.path())?;
        let mut small = Root::open(small.path())?;
        let (ours, peer) = by_turns(rounds, || large.status(), || small.status())?;
        rows.push(row(&format!("status of 1 of {runs} runs / of 100"), ours, peer));
        let (ours, peer) = by_turns(rounds, || large.append(), || small.append())?;
        rows.push(row(&format!("row after {files} / after 100"), ours, peer));
    }
    let hast = hast_binary()?;
    let catalog = large.path().join(layout::CATALOG);
    let catalog = catalog.to_string_lossy().into_owned();
    let finder = if run("rg", &["--version"], large.path()).is_ok() { "rg" } else { "grep" };
    for words in ["needle", "바늘을", "summary"] {
        let stem = words.trim_end_matches('을');
        let peer: &[&str] = &["-i", "-c", stem, &catalog];
        let (ours, peer) = by_turns(
            size.pick(30, 2),
            || run(&hast, &["search", words], large.path()),
            || run(finder, peer, large.path()),
        )?;
        rows.push(row(&format!("search {words} in {files} rows / {finder}"), ours, peer));
    }
    print!("{}", table(&rows));
    Ok(())
}

fn row(name: &str, ours: std::time::Duration, peer: std::time::Duration) -> Row {
    Row { name: name.to_owned(), ours, peer, goal: "2x".to_owned() }
}

/// A root of that many runs and files.
fn make(root: &Path, runs: usize, files: usize) -> std::io::Result<()> {
    fs::create_dir_all(root.join("db"))?;
    let mut text = String::from(
        "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n| :- | :- | :- | :- | :- | :- |\n",
    );
    for number in 0..runs {
        let (hour, rest) = (number / 3600, number % 3600);
        let id = format!("run-20260101-{hour:02}{:02}{:02}-001", rest / 60, rest % 60);
        text += &format!(
            "| {id} | 요청 {number}: a report about something | {:<21} | {:<16} | {:<16} | {:<16} |\n",
            "PENDING", "", "", ""
        );
    }
    fs::write(root.join(layout::RUNS), text)?;
    let mut text = String::from(
        "| file_path | run_id | asset_type | source_task_id | summary |\n| :- | :- | :- | :- | :- |\n",
    );
    for number in 0..files {
        let word = if number % 10_000 == 77 { "needle 바늘이" } else { "words" };
        text += &format!(
            "| runs/run-20260101-000000-001/workspace/ANALYZING/file_{number:06}.md | run-20260101-000000-001 | ANALYSIS_REPORT | T{number:02} | summary of file {number}, with {word} that say what is in it, long enough to be like a real one; 시장의 크기와 성장률을 분기별로 정리한 표 |\n"
        );
    }
    fs::write(root.join(layout::CATALOG), text)
}

/// An open root and what is known of its tables.
struct Root {
    store: Store<RealDisk>,
    view: View,
    run: RunId,
    turn: usize,
}

impl Root {
    fn open(path: &Path) -> Result<Self, Failure> {
        let (store, _) = Store::open(RealDisk::open(path)?, Options::default())?;
        let run: RunId = "run-20260101-000030-001".parse()?;
        let mut view = View::default();
        for path in [layout::RUNS, layout::CATALOG] {
            let path = DocPath::new(path)?;
            let Some((bytes, identity)) = store.read(&path)? else { continue };
            let seen = Seen::File(identity);
            view.fold(&run, &Delta::Document { path: &path, bytes: &bytes, seen });
        }
        Ok(Self { store, view, run, turn: 0 })
    }

    /// Another status, as the driver commits and learns it.
    fn status(&mut self) -> Result<(), Failure> {
        self.turn += 1;
        let status = if self.turn.is_multiple_of(2) { "PENDING" } else { "COMPLETED" };
        let runs =
            self.view.runs().map(|runs| runs.change().set(self.run.as_str(), "status", status));
        self.commit(runs.and_then(|change| change.put()))
    }

    fn append(&mut self) -> Result<(), Failure> {
        self.turn += 1;
        let row = CatalogRow {
            file_path: format!("runs/x/file_{}.md", self.turn),
            run_id: Some(self.run.clone()),
            asset_type: "ANALYSIS_REPORT".to_owned(),
            source_task_id: Some("T05".to_owned()),
            summary: Some("one more".to_owned()),
        };
        let put = self.view.catalog().and_then(|table| table.change().with_row(&row).put());
        self.commit(put)
    }

    fn commit(&mut self, put: Option<Put>) -> Result<(), Failure> {
        let put = put.ok_or("nothing changed")?;
        let Put::Patch { path, at, old, new, before } = &put else {
            return Err("the table is written whole".into());
        };
        let change = ChangeSet::new(ORCHESTRATOR, "bench").put(put.clone());
        let committed = self.store.commit(change, &POLICY)?;
        let seen = committed.now.into_iter().find(|(known, _)| known == path);
        let seen = seen.map_or(Seen::Absent, |(_, seen)| seen);
        if at + old.len() as u64 == before.size {
            self.view.fold(&self.run, &Delta::Appended { path, at: *at, bytes: new, seen });
            return Ok(());
        }
        let taken = self.view.fold_patch(&self.run, &Patched { path, at: *at, bytes: new, seen });
        if taken == Taken::No {
            return Err("the view did not take the patch".into());
        }
        Ok(())
    }
}
