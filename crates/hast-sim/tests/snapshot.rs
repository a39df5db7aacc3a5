//! Following the documents of a root: what is news, and what it costs to find out.
#![cfg(test)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::store::policy::AnyRole;
use hast_flow::store::snapshot::{HOT_SET, Looked};
use hast_flow::store::{
    ChangeSet, Disk, DocPath, Fed, HistoryClass, Name, News, Options, Put, Seen, Snapshot, Store,
    Wanted,
};
use hast_sim::disk::{Edit, EditStyle, SimDisk, World};
use hast_sim::rng::Rng;

const POLICY: AnyRole = AnyRole(HistoryClass::Pointer);

/// A machine whose times are exact; an odd seed has the other kind.
const EXACT: u64 = 8;

fn path(name: &str) -> DocPath {
    DocPath::new(name).unwrap()
}

fn create(name: &str) -> Put {
    Put::Create { path: path(name), bytes: format!("{name}\n").into_bytes() }
}

fn logs_by_length(path: &DocPath, name: Name) -> Wanted {
    match (path.name(), name) {
        ("worktrees", Name::Dir) => Wanted::Skip,
        (log, Name::File) if log.ends_with(".ndjson") => Wanted::Log,
        _ => Wanted::Read,
    }
}

/// Two processes at one root, of which the first follows its documents.
struct Scene {
    world: Rc<RefCell<World>>,
    store: Store<SimDisk>,
    other: Store<SimDisk>,
    snapshot: Snapshot<'static>,
}

impl Scene {
    fn new(seed: u64, names: &[&str]) -> Self {
        let world = Rc::new(RefCell::new(World::new(seed)));
        let open = || Store::open(SimDisk::start(&world), Options::default()).unwrap().0;
        let (mut store, other) = (open(), open());
        for name in names {
            let change = ChangeSet::new("tester", "set the scene").put(create(name));
            store.commit(change, &POLICY).unwrap();
        }
        Self { world: Rc::clone(&world), store, other, snapshot: Snapshot::new(logs_by_length) }
    }

    fn everywhere(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        self.snapshot.look_everywhere(&mut self.store, &mut |one| news.push(one)).unwrap();
        news
    }

    fn look(&mut self, hot: &[&str]) -> (Looked, Vec<News>) {
        let hot: Vec<DocPath> = hot.iter().map(|name| path(name)).collect();
        let mut news = Vec::new();
        let looked = self.snapshot.look(&mut self.store, &hot, &mut |one| news.push(one));
        (looked.unwrap(), news)
    }

    fn edit(&self, name: &str, bytes: &str) {
        let at = self.world.borrow().operations;
        let (path, bytes) = (path(name), bytes.as_bytes().to_vec());
        self.world.borrow_mut().plan_edit(Edit { at, path, bytes, style: EditStyle::InPlace });
        // The next operation makes it happen.
        self.store.disk().stat(&DocPath::new("nothing").unwrap()).unwrap();
    }

    fn commit(&mut self, puts: &[Put]) -> Fed {
        let mut change = ChangeSet::new("tester", "own");
        change.puts = puts.to_vec();
        let committed = self.store.commit(change, &POLICY).unwrap();
        self.snapshot.feed(puts, &committed)
    }

    fn foreign(&mut self, puts: Vec<Put>) {
        let mut change = ChangeSet::new("other", "foreign");
        change.puts = puts;
        self.other.commit(change, &POLICY).unwrap();
    }
}

fn names(news: &[News]) -> Vec<&str> {
    news.iter()
        .map(|one| match one {
            News::Document { path, .. } | News::Appended { path, .. } | News::Gone { path } => {
                path.as_str()
            }
        })
        .collect()
}

#[test]
fn a_start_reads_everything_in_the_order_of_names_and_enters_no_directory_that_is_skipped() {
    let made = ["b.md", "a/z.md", "a/log.ndjson", "worktrees/lane/main.rs", "a-b.md"];
    let mut scene = Scene::new(EXACT, &made);
    let asked = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&asked);
    scene.snapshot = Snapshot::new(move |path, name| {
        noted.borrow_mut().push(path.to_string());
        logs_by_length(path, name)
    });
    let news = scene.everywhere();
    assert_eq!(names(&news), ["a/log.ndjson", "a/z.md", "a-b.md", "b.md"]);
    assert!(asked.borrow().iter().all(|path| !path.starts_with("worktrees/")));
    assert!(asked.borrow().iter().all(|path| !path.starts_with(".hast")));
    assert_eq!(scene.snapshot.seen(&path("a/log.ndjson")), Some(Seen::Log { length: 13 }));
    assert!(scene.everywhere().is_empty());
}

#[test]
fn own_commits_are_no_news_and_nothing_of_them_is_read_again() {
    let mut scene = Scene::new(EXACT, &["status.json", "log.ndjson", "table.md", "plan/active/x"]);
    scene.everywhere();
    let Some(Seen::File(before)) = scene.snapshot.seen(&path("status.json")) else { panic!() };
    let Some(Seen::File(table)) = scene.snapshot.seen(&path("table.md")) else { panic!() };
    let fed = scene.commit(&[
        Put::Replace { path: path("status.json"), before, bytes: b"2\n".to_vec() },
        Put::Append { path: path("log.ndjson"), at: 11, bytes: b"line\n".to_vec() },
        Put::tail(path("table.md"), table, b".md\n", b".md, more\n".to_vec()),
        create("new.md"),
        create("worktrees/mine"),
        Put::Archive { from: path("plan/active"), to: path("plan/archive/v1") },
    ]);
    assert_eq!(fed, Fed::Complete);
    let hot = ["status.json", "log.ndjson", "table.md", "new.md", "plan/active/x"];
    let before = scene.world.borrow().operations;
    assert_eq!(scene.look(&hot), (Looked::HotSet, Vec::new()));
    let calls = scene.world.borrow().operations - before;
    assert!(calls <= 5 + hot.len() as u64, "{calls}");
    assert!(scene.everywhere().is_empty());
    assert!(scene.snapshot.seen(&path("plan/archive/v1/x")).is_some());
    assert!(scene.snapshot.seen(&path("worktrees/mine")).is_none());
}

#[test]
fn a_turn_notices_an_edit_of_a_hot_document_and_does_not_look_at_the_others() {
    for seed in [EXACT, EXACT + 1] {
        let mut scene = Scene::new(seed, &["hot.md", "cold.md"]);
        scene.everywhere();
        scene.edit("hot.md", "edited\n");
        scene.edit("cold.md", "edited too\n");
        let (looked, news) = scene.look(&["hot.md", "absent.md"]);
        assert_eq!((looked, names(&news)), (Looked::HotSet, vec!["hot.md"]));
        assert_eq!(scene.look(&["hot.md"]).1, Vec::new());
        assert_eq!(names(&scene.everywhere()), ["cold.md"]);
    }
    let many: Vec<String> = (0..3 * HOT_SET).map(|number| format!("{number}.md")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut scene = Scene::new(EXACT, &[]);
    scene.everywhere();
    let before = scene.world.borrow().operations;
    scene.look(&many);
    assert!(scene.world.borrow().operations - before <= HOT_SET as u64 + 8);
}

#[test]
fn after_a_foreign_commit_only_what_changed_is_read_and_of_a_log_only_what_is_new() {
    let mut scene = Scene::new(EXACT, &["a.md", "b.md", "c.md", "log.ndjson", "old.ndjson"]);
    scene.everywhere();
    let (_, before) = scene.other.read(&path("b.md")).unwrap().unwrap();
    scene.foreign(vec![
        Put::Replace { path: path("b.md"), before, bytes: b"theirs\n".to_vec() },
        Put::Append { path: path("log.ndjson"), at: 11, bytes: b"more\n".to_vec() },
        Put::Archive { from: path("old.ndjson"), to: path("archive/old.ndjson") },
        Put::Create { path: path("old.ndjson"), bytes: b"much longer than before\n".to_vec() },
    ]);
    scene.edit("c.md", "person\n");
    let (looked, news) = scene.look(&[]);
    assert_eq!(looked, Looked::Everywhere);
    assert_eq!(names(&news), ["archive/old.ndjson", "b.md", "c.md", "log.ndjson", "old.ndjson"]);
    let appended = News::Appended { path: path("log.ndjson"), at: 11, bytes: b"more\n".to_vec() };
    assert_eq!(news[3], appended);
    assert!(matches!(&news[4], News::Document { bytes, .. } if bytes.starts_with(b"much")));
    assert_eq!(scene.look(&["a.md"]), (Looked::HotSet, Vec::new()));
}

/// What somebody knows who folds the news and their own changes.
#[derive(Default)]
struct Folded(BTreeMap<String, Vec<u8>>);

impl Folded {
    fn news(&mut self, news: Vec<News>) {
        for one in news {
            match one {
                News::Document { path, bytes, .. } => {
                    self.0.insert(path.to_string(), bytes);
                }
                News::Appended { path, at, bytes } => {
                    let text = self.0.entry(path.to_string()).or_default();
                    assert_eq!(text.len() as u64, at, "{path}");
                    text.extend(bytes);
                }
                News::Gone { path } => {
                    assert!(self.0.remove(path.as_str()).is_some(), "{path} was never there");
                }
            }
        }
    }

    fn own(&mut self, puts: &[Put]) {
        for put in puts {
            match put {
                Put::Create { path, bytes } | Put::Replace { path, bytes, .. } => {
                    self.0.insert(path.to_string(), bytes.clone());
                }
                Put::Append { path, bytes, .. } => {
                    self.0.entry(path.to_string()).or_default().extend(bytes);
                }
                Put::Patch { path, at, old, new, .. } => {
                    let text = self.0.get_mut(path.as_str()).unwrap();
                    let at = *at as usize;
                    text.splice(at..at + old.len(), new.iter().copied());
                }
                Put::Archive { from, to } => {
                    for (name, bytes) in std::mem::take(&mut self.0) {
                        let moved = path(&name).moved(from, to);
                        self.0.insert(moved.map_or(name, |moved| moved.to_string()), bytes);
                    }
                }
            }
        }
    }
}

/// One change of one of a few documents, as the files are now.
fn any_put(store: &Store<SimDisk>, rng: &mut Rng, round: usize) -> Put {
    let name = ["a.md", "d/b.md", "d/e/c.json", "d/log.ndjson", "log.ndjson"][rng.below(5)];
    let bytes = format!("{round} {}\n", "x".repeat(rng.below(40))).into_bytes();
    let path = path(name);
    match store.read(&path).unwrap() {
        None => Put::Create { path, bytes },
        Some((text, _)) if rng.percent(70) && name.ends_with("ndjson") => {
            Put::Append { path, at: text.len() as u64, bytes }
        }
        Some(_) if rng.percent(20) => {
            let to = DocPath::new(&format!("archive/{round}/{}", path.name())).unwrap();
            Put::Archive { from: path, to }
        }
        Some((text, before)) if rng.percent(40) && !name.ends_with("ndjson") => {
            let old = &text[text.len() - 1..];
            Put::tail(path, before, old, [b" ", bytes.as_slice()].concat())
        }
        Some((_, before)) => Put::Replace { path, before, bytes },
    }
}

#[test]
fn news_and_own_commits_folded_are_always_what_a_fresh_read_finds() {
    for seed in 1..60 {
        let mut rng = Rng::new(seed);
        let mut scene = Scene::new(seed, &["a.md", "log.ndjson"]);
        let mut folded = Folded::default();
        folded.news(scene.everywhere());
        for round in 0..30 {
            match rng.below(4) {
                0 => {
                    let put = any_put(&scene.store, &mut rng, round);
                    scene.foreign(vec![put]);
                }
                1 => {
                    scene.edit(["a.md", "d/b.md"][rng.below(2)], &format!("edit {round}\n"));
                }
                _ => {
                    let put = any_put(&scene.store, &mut rng, round);
                    folded.own(std::slice::from_ref(&put));
                    assert_eq!(scene.commit(&[put]), Fed::Complete);
                }
            }
            // A person's edit is noticed where one looks for it; another process's commit always.
            let (_, news) = scene.look(&["a.md", "d/b.md"]);
            folded.news(news);
            let mut there = scene.world.borrow().documents();
            there.retain(|name, _| !name.starts_with(".hast"));
            assert_eq!(folded.0, there, "seed {seed}, round {round}");
        }
    }
}
