//! Another process commits while a run is driven: the driver reads what is new and not the rest, and
//! its view is what a fresh one says.

#![cfg(test)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hast_flow::driver::{Bounds, Delta, Driver, Facts, Flow, InTurn, Patched, Taken};
use hast_flow::flows::run::{View, layout};
use hast_flow::ports::Clock;
use hast_flow::roles::PolicyTable;
use hast_flow::steps::{Ending, Notice, Step, StepKey};
use hast_flow::store::{ChangeSet, DocPath, Options, Put, Store};
use hast_flow::words::Lang;
use hast_sim::disk::{SimDisk, World};
use hast_sim::flows::subject::Subject as _;
use hast_sim::runs::OneRun;
use jiff::Timestamp;
use jiff::tz::Offset;

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
    }
}

/// A run flow that decides nothing and counts the documents and bytes that it is shown.
struct Reader {
    flow: <OneRun as hast_sim::flows::subject::Subject>::Flow,
    documents: Cell<usize>,
    bytes: Cell<usize>,
}

impl Reader {
    fn new() -> Self {
        let (documents, bytes) = (Cell::new(0), Cell::new(0));
        Self { flow: OneRun::new(1).flow(), documents, bytes }
    }

    /// What was shown since the last time.
    fn shown(&self) -> (usize, usize) {
        (self.documents.take(), self.bytes.take())
    }
}

impl Flow for Reader {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        self.flow.policy()
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        self.flow.reads(path, is_dir)
    }

    fn rests_on(&self, view: &View) -> Vec<DocPath> {
        self.flow.rests_on(view)
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        if let Delta::Document { bytes, .. } | Delta::Appended { bytes, .. } = delta {
            self.documents.set(self.documents.get() + 1);
            self.bytes.set(self.bytes.get() + bytes.len());
        }
        self.flow.fold(view, delta);
    }

    fn fold_patch(&self, view: &mut View, patch: &Patched<'_>) -> Taken {
        self.flow.fold_patch(view, patch)
    }

    fn news(&self) -> Taken {
        self.flow.news()
    }

    fn next_step(&self, _: &View, _: &Facts<'_>) -> Step {
        Step::Finish(Ending::Done(Notice { what: String::new(), next: String::new() }))
    }
}

const EVENT: &str = r#"{"event_id":"EV-20260112T143000Z-0001","ts":"2026-01-12T14:30:00Z","actor":"x","type":"RUN_CREATED","detail":{}}"#;
const HEAD: &str = "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n|-|-|-|-|-|-|\n";

struct Scene {
    world: Rc<RefCell<World>>,
    other: Store<SimDisk>,
}

impl Scene {
    fn new() -> Self {
        let world = Rc::new(RefCell::new(World::new(1)));
        let (other, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
        let mut scene = Self { world, other };
        let catalog =
            "| file_path | run_id | asset_type | source_task_id | summary |\n|-|-|-|-|-|\n"
                .to_owned()
                + &"| a | | b | | c |\n".repeat(50);
        scene.commit(vec![
            create(layout::RUNS, HEAD),
            create(layout::CATALOG, &catalog),
            create(layout::LOG, &format!("{EVENT}\n")),
        ]);
        scene
    }

    fn commit(&mut self, puts: Vec<Put>) {
        let mut change = ChangeSet::new("Orchestrator", "another run");
        change.puts = puts;
        self.other.commit(change, OneRun::new(1).flow().policy()).unwrap();
    }

    fn open<'d>(&self, reader: &'d Reader) -> Driver<'d, Reader, SimDisk> {
        let (store, _) = Store::open(SimDisk::start(&self.world), Options::default()).unwrap();
        Driver::new(reader, store, &Still, Lang::En, Bounds::default()).unwrap()
    }

    /// What a look shows, and that the view is right after it.
    fn look(&self, driver: &mut Driver<'_, Reader, SimDisk>, reader: &Reader) -> (usize, usize) {
        reader.shown();
        let mut world = InTurn::new(|_: &StepKey, _: &_| unreachable!());
        driver.drive(&mut world).unwrap();
        let shown = reader.shown();
        let fresh = Reader::new();
        let fresh = self.open(&fresh).view().clone().unstamped();
        assert!(driver.view().clone().unstamped() == fresh, "the kept view differs");
        shown
    }
}

fn path(text: &str) -> DocPath {
    DocPath::new(text).unwrap()
}

fn create(text: &str, content: &str) -> Put {
    Put::Create { path: path(text), bytes: content.as_bytes().to_vec() }
}

#[test]
fn of_a_log_only_the_new_lines_are_read_and_unchanged_tables_not_at_all() {
    let (mut scene, reader) = (Scene::new(), Reader::new());
    let mut driver = scene.open(&reader);
    let at = EVENT.len() as u64 + 1;
    let line = EVENT.replace("-0001", "-0002") + "\n";
    let bytes = line.clone().into_bytes();
    scene.commit(vec![Put::Append { path: path(layout::LOG), at, bytes }]);
    assert_eq!(scene.look(&mut driver, &reader), (1, line.len()));
    assert_eq!((driver.view().events, scene.look(&mut driver, &reader)), (2, (0, 0)));
}

#[test]
fn a_table_that_changed_and_a_new_document_are_read_and_nothing_else() {
    let (mut scene, reader) = (Scene::new(), Reader::new());
    let mut driver = scene.open(&reader);
    let row = "| run-20260112-143000-002 | x | PENDING | | | |\n";
    let (_, before) = scene.other.read(&path(layout::RUNS)).unwrap().unwrap();
    let template = "| phase_name | phase_purpose |\n|-|-|\n| A | b |\n";
    let bytes = (HEAD.to_owned() + row).into_bytes();
    let length = bytes.len();
    scene.commit(vec![
        Put::Replace { path: path(layout::RUNS), before, bytes },
        create(layout::TEMPLATE, template),
    ]);
    assert_eq!(scene.look(&mut driver, &reader), (2, length + template.len()));
    assert!(driver.view().runs().unwrap().contains("run-20260112-143000-002"));
}

#[test]
fn a_log_that_began_anew_and_a_document_that_is_gone_are_noticed() {
    let (mut scene, reader) = (Scene::new(), Reader::new());
    let mut driver = scene.open(&reader);
    let (from, to) = (path(layout::LOG), path("db/archive/events-1.ndjson"));
    let line = EVENT.replace("-0001", "-0002") + "\n";
    scene.commit(vec![Put::Archive { from, to }, create(layout::LOG, &line)]);
    scene.look(&mut driver, &reader);
    assert_eq!(driver.view().events, 2);
    let (from, to) = (path(layout::CATALOG), path("db/archive/catalog.md"));
    scene.commit(vec![Put::Archive { from, to }]);
    scene.look(&mut driver, &reader);
    assert!(driver.view().catalog.is_none());
}
