//! The store on the simulated disk.

#![cfg(test)]

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::store::policy::AnyRole;
use hast_flow::store::{
    ChangeSet, DocPath, EventLog, HistoryClass, Opened, Options, Put, Seen, Store, StoreError,
};
use hast_sim::disk::{Edit, EditStyle, Event, Fault, FaultKind, SimDisk, World};

fn world() -> Rc<RefCell<World>> {
    Rc::new(RefCell::new(World::new(7)))
}

#[test]
fn the_simulated_disk_keeps_the_contract() {
    hast_sim::contract::check(|| SimDisk::start(&world())).unwrap();
}

#[test]
fn a_commit_waits_for_the_disk_exactly_once() {
    let world = world();
    let (mut store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    let path = |name: &str| DocPath::new(name).unwrap();
    let create = |name: &str| Put::Create { path: path(name), bytes: b"0123456789\n".to_vec() };
    let append = |at| Put::Append { path: path("log"), at, bytes: b"line\n".to_vec() };
    let sets = [
        vec![create("log")],
        vec![append(11)],
        vec![append(16), create("a/b/c")],
        vec![append(21), create("1"), create("2"), create("3")],
    ];
    for puts in sets {
        let before = world.borrow().syncs;
        let mut change = ChangeSet::new("tester", "count");
        change.puts = puts;
        store.commit(change, &AnyRole(HistoryClass::Pointer)).unwrap();
        assert_eq!(world.borrow().syncs - before, 1);
    }
}

#[test]
fn a_commit_asks_the_disk_for_no_more_than_it_needs() {
    // An even seed: a machine that stamps every change with a time of its own.
    let world = Rc::new(RefCell::new(World::new(8)));
    let (mut store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    let path = |name: &str| DocPath::new(name).unwrap();
    let policy = AnyRole(HistoryClass::Pointer);
    let create = |name: &str| Put::Create { path: path(name), bytes: b"0\n".to_vec() };
    let change = ChangeSet::new("tester", "create").put(create("log")).put(create("a"));
    let mut now = store.commit(change, &policy).unwrap().now;
    for round in 1..5 {
        let Seen::File(before) = now[1].1 else { panic!("{now:?}") };
        let append = Put::Append { path: path("log"), at: 2 * round, bytes: b"1\n".to_vec() };
        let replace = Put::Replace { path: path("a"), before, bytes: b"1\n".to_vec() };
        let change = ChangeSet::new("tester", "go on").put(append).put(replace);
        let before = world.borrow().operations;
        now = store.commit(change, &policy).unwrap().now;
        // Lock, our names, header, next record; the log, its document; record, sync; the log before,
        // in and after its line; done, unlock. For the document: its staging file made, written and
        // looked at twice, exchanged, looked at and removed.
        let calls = world.borrow().operations - before;
        assert!(round == 1 || calls <= 20, "{calls}");
    }
}

#[test]
fn events_have_numbers_of_their_own_also_after_a_rotation_and_replay_reads_them_all() {
    let world = world();
    let (mut store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    let log_path = DocPath::new(".ai/events/events.ndjson").unwrap();
    let time = "2026-01-12T14:30:00Z".parse().unwrap();
    for round in 0..12 {
        // Opened anew each time: everything that counts is in the files.
        let mut log = EventLog::open(&mut store, log_path.clone(), 300).unwrap();
        log.add(time, "Planner", "STARTED", serde_json::json!({ "round": round }));
        log.add(time, "Planner", "ENDED", serde_json::json!({}));
        let mut change = ChangeSet::new("planner", "events");
        change.puts = log.take_puts().unwrap();
        store.commit(change, &AnyRole(HistoryClass::Append)).unwrap();
    }
    let log = EventLog::open(&mut store, log_path, 300).unwrap();
    let mut numbers = Vec::new();
    let bad = log.replay(&store, |event| numbers.push(event.event_id.number()));
    assert_eq!(bad.unwrap(), []);
    assert_eq!(numbers, (1..=24).collect::<Vec<u64>>());
    let documents = world.borrow().documents();
    assert!(documents.len() > 3, "{:?}", documents.keys());
}

#[test]
fn a_torn_last_line_is_cut_off_and_a_bad_one_reported_and_neither_is_fatal() {
    let world = world();
    let (mut store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    let text = "{\"event_id\":\"EV-20260112T143000Z-0009\",\"ts\":\"2026-01-12T14:30:00Z\",\
                \"actor\":\"Planner\",\"type\":\"X\",\"detail\":{}}\nnonsense\n{\"event";
    let path = DocPath::new("log.ndjson").unwrap();
    let change = ChangeSet::new("tester", "bad lines")
        .put(Put::Create { path: path.clone(), bytes: text.as_bytes().to_vec() });
    store.commit(change, &AnyRole(HistoryClass::Append)).unwrap();
    let log = EventLog::open(&mut store, path, 1_000).unwrap();
    let mut seen = 0;
    let bad = log.replay(&store, |_| seen += 1).unwrap();
    assert_eq!((seen, bad.len()), (1, 1));
    let torn = log.torn().and_then(|torn| torn.ours.clone()).unwrap();
    assert_eq!(world.borrow().content(&torn), Some(&b"{\"event"[..]));
    let whole = world.borrow().content(log.path()).map(<[u8]>::to_vec);
    assert!(whole.unwrap().ends_with(b"nonsense\n"));
}

#[test]
fn nothing_is_appended_to_a_line_without_its_break() {
    let world = world();
    let (mut store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    let policy = AnyRole(HistoryClass::Append);
    for (name, left, mended, torn) in [
        ("whole.ndjson", "{}\n{\"a\":1}", "{}\n{\"a\":1}\n", None),
        ("torn.ndjson", "{}\n{\"a\":", "{}\n", Some("{\"a\":")),
        ("half.ndjson", "half", "", Some("half")),
        ("notes.md", "- one", "- one\n", None),
        ("blank.ndjson", "{}\n ", "{}\n ", None),
    ] {
        let path = DocPath::new(name).unwrap();
        let bytes = left.as_bytes().to_vec();
        let created =
            ChangeSet::new("tester", "left").put(Put::Create { path: path.clone(), bytes });
        store.commit(created, &policy).unwrap();
        let more = |at: usize| {
            let bytes = b"{\"b\":2}\n".to_vec();
            ChangeSet::new("tester", "more").put(Put::Append {
                path: path.clone(),
                at: at as u64,
                bytes,
            })
        };
        let content = || world.borrow().content(&path).map(<[u8]>::to_vec).unwrap();
        if left != mended {
            // Whoever appends has to see what the log is by now.
            let refused = store.commit(more(left.len()), &policy);
            assert!(matches!(refused, Err(StoreError::Stale { .. })), "{name}: {refused:?}");
            assert_eq!(content(), mended.as_bytes(), "{name}");
        }
        let kept = store.take_torn();
        assert_eq!(kept.len(), usize::from(torn.is_some()), "{name}");
        for kept in kept {
            let place = kept.ours.unwrap();
            assert_eq!(world.borrow().content(&place), torn.map(str::as_bytes), "{name}");
        }
        store.commit(more(mended.len()), &policy).unwrap();
        assert_eq!(content(), format!("{mended}{{\"b\":2}}\n").as_bytes(), "{name}");
    }
}

#[test]
fn an_event_that_lacks_only_its_line_break_is_not_lost() {
    let world = world();
    let (mut store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    let text = "{\"event_id\":\"EV-20260112T143000Z-0009\",\"ts\":\"2026-01-12T14:30:00Z\",\
                \"actor\":\"Planner\",\"type\":\"X\",\"detail\":{}}";
    let path = DocPath::new("log.ndjson").unwrap();
    let change = ChangeSet::new("tester", "no break")
        .put(Put::Create { path: path.clone(), bytes: text.as_bytes().to_vec() });
    store.commit(change, &AnyRole(HistoryClass::Append)).unwrap();
    let log = EventLog::open(&mut store, path, 1_000).unwrap();
    let mut seen = Vec::new();
    let bad = log.replay(&store, |event| seen.push(event.event_id.number())).unwrap();
    assert_eq!((seen, bad.len()), (vec![9], 0));
    assert!(log.torn().is_none());
}

const THEIRS: &[u8] = b"a person saved this, which is longer than what was there\n";

/// A root with a log and a table, which another process made: this one has no file of it open.
fn root_of_another() -> (Rc<RefCell<World>>, Store<SimDisk>) {
    let world = world();
    let (mut store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    let mut change = ChangeSet::new("tester", "before");
    for name in ["log.ndjson", "table.md"] {
        let bytes = b"{\"a\":1}\n".to_vec();
        change = change.put(Put::Create { path: DocPath::new(name).unwrap(), bytes });
    }
    store.commit(change, &AnyRole(HistoryClass::Pointer)).unwrap();
    store.close().unwrap();
    let (store, _) = Store::open(SimDisk::start(&world), Options::default()).unwrap();
    (world, store)
}

fn changes_inside(store: &Store<SimDisk>) -> [(&'static str, Put); 2] {
    let path = |name: &str| DocPath::new(name).unwrap();
    let (_, before) = store.read(&path("table.md")).unwrap().unwrap();
    let (old, new) = (b"1}".to_vec(), b"2}".to_vec());
    [
        (
            "log.ndjson",
            Put::Append { path: path("log.ndjson"), at: 8, bytes: b"{\"b\":2}\n".to_vec() },
        ),
        ("table.md", Put::Patch { path: path("table.md"), before, at: 5, old, new }),
    ]
}

fn plan_save(world: &Rc<RefCell<World>>, name: &str, after: u64) {
    let at = world.borrow().operations + after;
    let (path, bytes) = (DocPath::new(name).unwrap(), THEIRS.to_vec());
    world.borrow_mut().plan_edit(Edit { at, path, bytes, style: EditStyle::Rename });
}

fn was_saved(world: &Rc<RefCell<World>>) -> bool {
    world.borrow().events.iter().any(|event| matches!(event, Event::Edited { .. }))
}

#[test]
fn a_file_that_a_person_saves_at_any_operation_of_a_commit_is_theirs() {
    for number in 0..2 {
        for after in 1.. {
            let (world, mut store) = root_of_another();
            let (name, put) = changes_inside(&store)[number].clone();
            plan_save(&world, name, after);
            let change = ChangeSet::new("tester", "inside").put(put);
            let committed = store.commit(change, &AnyRole(HistoryClass::Pointer));
            if !was_saved(&world) {
                assert!(after > 10, "{name}: the commit took {after} operations");
                break;
            }
            let path = DocPath::new(name).unwrap();
            assert_eq!(world.borrow().content(&path), Some(THEIRS), "{name} after {after}");
            assert!(
                matches!(&committed, Ok(_) | Err(StoreError::Stale { .. })),
                "{name} after {after}: {committed:?}"
            );
        }
    }
}

#[test]
fn a_file_that_a_person_saves_at_any_operation_of_a_recovery_is_theirs() {
    for number in 0..2 {
        let mut saved = 0;
        for (died, after) in (1..24).flat_map(|died| (1..40).map(move |after| (died, after))) {
            let (world, mut store) = root_of_another();
            let (name, put) = changes_inside(&store)[number].clone();
            let at = world.borrow().operations + died;
            world.borrow_mut().plan_fault(Fault { at, kind: FaultKind::DieAfter });
            let change = ChangeSet::new("tester", "inside").put(put);
            let _: Result<_, StoreError> = store.commit(change, &AnyRole(HistoryClass::Pointer));
            if world.borrow().faults_left() > 0 {
                // The commit was done before.
                continue;
            }
            plan_save(&world, name, after);
            Store::open(SimDisk::start(&world), Options::default()).unwrap();
            let path = DocPath::new(name).unwrap();
            if was_saved(&world) {
                saved += 1;
                let there = world.borrow().content(&path).map(<[u8]>::to_vec);
                assert_eq!(there.as_deref(), Some(THEIRS), "{name} {died} {after}");
            }
        }
        assert!(saved > 100, "{number}: {saved}");
    }
}

/// A process that found nothing to do relied on it, and a power cut brought back commits that were done
/// with: an edit of a person after them would have been called a conflict.
#[test]
fn what_a_dead_process_left_unsynced_in_the_header_is_synced_before_somebody_relies_on_it() {
    let mut deaths = 0;
    for (seed, after) in (1..9).flat_map(|seed| (1..60).map(move |after| (seed, after))) {
        let world = Rc::new(RefCell::new(World::new(seed)));
        let open = || Store::open(SimDisk::start(&world), Options::default()).unwrap();
        let (mut store, _) = open();
        let path = DocPath::new("status.json").unwrap();
        let put = Put::Create { path, bytes: b"{}\n".to_vec() };
        let change = ChangeSet::new("tester", "first").put(put);
        store.commit(change, &AnyRole(HistoryClass::Pointer)).unwrap();
        let at = world.borrow().operations + after;
        world.borrow_mut().plan_fault(Fault { at, kind: FaultKind::DieAfter });
        if store.checkpoint().is_ok() {
            continue;
        }
        deaths += 1;
        open().0.close().unwrap();
        world.borrow_mut().cut_power();
        assert_eq!(open().1, Opened::default(), "seed {seed}, {after} operations later");
    }
    assert!(deaths > 50, "{deaths}");
}
