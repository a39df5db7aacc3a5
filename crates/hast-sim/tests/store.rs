//! The store on the simulated disk.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::store::policy::AnyRole;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Store};
use hast_sim::disk::{SimDisk, World};

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
    let create = |name: &str| Put::Create {
        path: path(name),
        bytes: b"0123456789\n".to_vec(),
    };
    let append = |at| Put::Append {
        path: path("log"),
        at,
        bytes: b"line\n".to_vec(),
    };
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
        store
            .commit(change, &AnyRole(HistoryClass::Pointer))
            .unwrap();
        assert_eq!(world.borrow().syncs - before, 1);
    }
}
