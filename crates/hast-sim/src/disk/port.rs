//! The simulated disk as the store sees it.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use hast_flow::store::DocPath;
use hast_flow::store::disk::{
    Action, DirEntry, Disk, DiskError, DiskErrorKind, Exchange, FileKind, LockMode, Locked, Looked,
    Meta, Open, Patience,
};
use hast_flow::store::seal::Seal;

use super::names::ROOT;
use super::world::{FaultKind, World};

/// One process's view of the machine.
#[derive(Clone)]
pub struct SimDisk {
    world: Rc<RefCell<World>>,
    process: u64,
    visitor: Option<Rc<dyn Fn()>>,
}

/// A handle: it stays with its file whatever happens to the name.
#[derive(Clone, Copy, Debug)]
pub struct SimFile {
    inode: u64,
}

type Outcome<T> = Result<T, DiskErrorKind>;

/// Whether a process may be refused for lack of room or rights at this operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    Reads,
    Changes,
    Syncs,
}

impl SimDisk {
    /// A new process on the machine.
    pub fn start(world: &Rc<RefCell<World>>) -> Self {
        let mut state = world.borrow_mut();
        let process = state.next_process;
        state.next_process += 1;
        Self { world: Rc::clone(world), process, visitor: None }
    }

    /// Somebody who may act before each operation of this process.
    pub fn visited(self, visitor: Rc<dyn Fn()>) -> Self {
        Self { visitor: Some(visitor), ..self }
    }

    pub fn process(&self) -> u64 {
        self.process
    }

    fn run<T>(
        &self,
        action: Action,
        path: &str,
        touch: Touch,
        work: impl FnOnce(&mut World, Option<FaultKind>) -> Outcome<T>,
    ) -> Result<T, DiskError> {
        if let Some(visitor) = &self.visitor {
            visitor();
        }
        let mut world = self.world.borrow_mut();
        let kind = self.attempt(&mut world, touch, work);
        kind.map_err(|kind| DiskError { action, path: path.to_owned(), kind })
    }

    fn attempt<T>(
        &self,
        world: &mut World,
        touch: Touch,
        work: impl FnOnce(&mut World, Option<FaultKind>) -> Outcome<T>,
    ) -> Outcome<T> {
        let dead = || DiskErrorKind::Other("the process is dead".to_owned());
        if world.dead.contains(&self.process) {
            return Err(dead());
        }
        let fault = world.step();
        if touch == Touch::Syncs {
            world.syncs += 1;
        }
        match fault {
            Some(FaultKind::DieBefore) => {
                world.kill(self.process);
                Err(dead())
            }
            Some(FaultKind::DieAfter) => {
                let _: Outcome<T> = work(world, fault);
                world.kill(self.process);
                Err(dead())
            }
            Some(FaultKind::Full) if touch == Touch::Changes => Err(DiskErrorKind::Full),
            Some(FaultKind::Denied) if touch == Touch::Changes => Err(DiskErrorKind::Denied),
            Some(FaultKind::Broken) if touch == Touch::Syncs => work(world, fault),
            _ => work(world, None),
        }
    }

    fn reading<T>(
        &self,
        action: Action,
        path: &DocPath,
        work: impl FnOnce(&mut World) -> Outcome<T>,
    ) -> Result<T, DiskError> {
        self.run(action, path.as_str(), Touch::Reads, |world, _| work(world))
    }

    fn changing<T>(
        &self,
        action: Action,
        path: &DocPath,
        work: impl FnOnce(&mut World) -> Outcome<T>,
    ) -> Result<T, DiskError> {
        self.run(action, path.as_str(), Touch::Changes, |world, _| work(world))
    }

    fn syncing(&self, work: impl FnOnce(&mut World, bool)) -> Result<(), DiskError> {
        self.run(Action::Sync, "(file)", Touch::Syncs, |world, fault| {
            let broken = fault == Some(FaultKind::Broken);
            work(world, broken);
            if broken { Err(DiskErrorKind::Other("input/output error".to_owned())) } else { Ok(()) }
        })
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimDisk of process {}", self.process)
    }
}

fn meta(world: &World, inode: u64) -> Meta {
    match world.files.get(&inode) {
        Some(file) => Meta {
            kind: FileKind::File,
            inode,
            size: file.data.len() as u64,
            modified: file.modified,
            changed: file.changed,
            mode: file.mode,
            times: world.times,
        },
        None => {
            let changed = world.names.changed.get(&inode).copied().unwrap_or(0);
            Meta {
                kind: FileKind::Dir,
                inode,
                size: 0,
                modified: changed,
                changed,
                mode: 0o755,
                times: world.times,
            }
        }
    }
}

fn place<'a>(world: &World, path: &'a DocPath) -> Outcome<(u64, &'a str)> {
    world.place(path).ok_or(DiskErrorKind::NotFound)
}

fn touch_changed(world: &mut World, inode: u64) {
    let stamp = world.stamp();
    if let Some(file) = world.files.get_mut(&inode) {
        file.changed = stamp;
    }
}

fn rename(world: &mut World, from: &DocPath, to: &DocPath) -> Outcome<()> {
    let (from_dir, from_name) = place(world, from)?;
    let inode = world.names.find(from_dir, from_name).ok_or(DiskErrorKind::NotFound)?;
    let (to_dir, to_name) = place(world, to)?;
    touch_changed(world, inode);
    let now = world.stamp();
    world.names.assign(
        vec![((from_dir, from_name.to_owned()), None), ((to_dir, to_name.to_owned()), Some(inode))],
        now,
    );
    Ok(())
}

impl Disk for SimDisk {
    type File = SimFile;

    fn open(&self, path: &DocPath, how: Open) -> Result<SimFile, DiskError> {
        let open = |world: &mut World| {
            let (dir, name) = place(world, path)?;
            match (world.names.find(dir, name), how) {
                (Some(_), Open::CreateNew) => Err(DiskErrorKind::Exists),
                (Some(inode), _) if world.names.is_dir(inode) => Err(DiskErrorKind::IsADirectory),
                (Some(inode), _) => Ok(SimFile { inode }),
                (None, Open::CreateNew | Open::WriteOrCreate) => {
                    let inode = world.new_file();
                    let now = world.stamp();
                    world.names.create(dir, name, inode, false, now);
                    Ok(SimFile { inode })
                }
                (None, Open::Read | Open::Write) => Err(DiskErrorKind::NotFound),
            }
        };
        match how {
            Open::Read | Open::Write => self.reading(Action::Open, path, open),
            Open::CreateNew | Open::WriteOrCreate => self.changing(Action::Create, path, open),
        }
    }

    fn stat_file(&self, file: &SimFile) -> Result<Meta, DiskError> {
        self.run(Action::Look, "(file)", Touch::Reads, |world, _| Ok(meta(world, file.inode)))
    }

    fn read_at(&self, file: &SimFile, at: u64, into: &mut [u8]) -> Result<usize, DiskError> {
        self.run(Action::Read, "(file)", Touch::Reads, |world, _| {
            let data = world.files.get(&file.inode).map_or(&[][..], |f| &f.data);
            let there = data.get(at as usize..).unwrap_or(&[]);
            let count = there.len().min(into.len());
            into[..count].copy_from_slice(&there[..count]);
            Ok(count)
        })
    }

    fn write_at(&self, file: &SimFile, at: u64, bytes: &[u8]) -> Result<(), DiskError> {
        self.run(Action::Write, "(file)", Touch::Changes, |world, fault| {
            let stamp = world.stamp();
            let mut rng = world.rng.fork(world.operations);
            let dying = fault == Some(FaultKind::DieAfter);
            let count = if dying && rng.percent(50) && bytes.len() > 64 {
                rng.below(bytes.len())
            } else {
                bytes.len()
            };
            if let Some(file) = world.files.get_mut(&file.inode) {
                file.write(at as usize, &bytes[..count], stamp);
            }
            Ok(())
        })
    }

    fn set_len(&self, file: &SimFile, length: u64) -> Result<(), DiskError> {
        self.run(Action::Write, "(file)", Touch::Changes, |world, _| {
            let stamp = world.stamp();
            if let Some(file) = world.files.get_mut(&file.inode) {
                file.set_len(length as usize, stamp);
            }
            Ok(())
        })
    }

    fn set_mode(&self, file: &SimFile, mode: u32) -> Result<(), DiskError> {
        self.run(Action::Write, "(file)", Touch::Changes, |world, _| {
            if let Some(file) = world.files.get_mut(&file.inode) {
                file.mode = mode;
            }
            Ok(())
        })
    }

    fn reserve(&self, _: &SimFile, _: u64, _: u64) -> Result<(), DiskError> {
        self.run(Action::Write, "(file)", Touch::Changes, |_, _| Ok(()))
    }

    fn sync_data(&self, file: &SimFile) -> Result<(), DiskError> {
        self.syncing(|world, broken| {
            if let Some(file) = world.files.get_mut(&file.inode) {
                if broken {
                    file.fail_sync();
                } else {
                    file.sync();
                }
            }
        })
    }

    fn sync_file(&self, file: &SimFile) -> Result<(), DiskError> {
        self.syncing(|world, broken| {
            if let Some(data) = world.files.get_mut(&file.inode) {
                if broken {
                    return data.fail_sync();
                }
                data.sync();
            }
            world.names.sync_created(file.inode);
        })
    }

    fn stat(&self, path: &DocPath) -> Result<Option<Meta>, DiskError> {
        self.reading(Action::Look, path, |world| {
            Ok(world.find(path).map(|inode| meta(world, inode)))
        })
    }

    fn look(&self, path: &DocPath) -> Result<Looked, DiskError> {
        let real = path.clone();
        let meta = self.stat(path)?;
        Ok(Looked { real, meta })
    }

    fn check_writable(&self, dir: Option<&DocPath>) -> Result<(), DiskError> {
        let Some(dir) = dir else { return Ok(()) };
        self.reading(Action::Look, dir, |world| match world.find(dir) {
            None => Err(DiskErrorKind::NotFound),
            Some(inode) if world.names.is_dir(inode) => Ok(()),
            Some(_) => Err(DiskErrorKind::NotADirectory),
        })
    }

    fn read_dir(&self, dir: Option<&DocPath>) -> Result<Vec<DirEntry>, DiskError> {
        let shown = dir.map_or(".", DocPath::as_str);
        self.run(Action::List, shown, Touch::Reads, |world, _| {
            let inode = dir.map_or(Some(ROOT), |dir| world.find(dir));
            let inode = inode.ok_or(DiskErrorKind::NotFound)?;
            let entries = world.names.seen.get(&inode);
            let entries = entries.ok_or(DiskErrorKind::NotADirectory)?;
            let entry = |(name, inode): (&String, &u64)| DirEntry {
                name: name.clone(),
                is_dir: world.names.is_dir(*inode),
            };
            Ok(entries.iter().map(entry).collect())
        })
    }

    fn exchange(&self, one: &DocPath, other: &DocPath) -> Result<Exchange, DiskError> {
        self.changing(Action::Rename, other, |world| {
            let (dir_a, name_a) = place(world, one)?;
            let (dir_b, name_b) = place(world, other)?;
            let a = world.names.find(dir_a, name_a);
            let b = world.names.find(dir_b, name_b);
            let (Some(a), Some(b)) = (a, b) else {
                return Err(DiskErrorKind::NotFound);
            };
            touch_changed(world, a);
            touch_changed(world, b);
            let now = world.stamp();
            world.names.assign(
                vec![((dir_a, name_a.to_owned()), Some(b)), ((dir_b, name_b.to_owned()), Some(a))],
                now,
            );
            Ok(Exchange::Done)
        })
    }

    fn rename_new(&self, from: &DocPath, to: &DocPath) -> Result<(), DiskError> {
        self.changing(Action::Rename, to, |world| {
            if world.find(to).is_some() {
                return Err(DiskErrorKind::Exists);
            }
            rename(world, from, to)
        })
    }

    fn rename_over(&self, from: &DocPath, to: &DocPath) -> Result<(), DiskError> {
        self.changing(Action::Rename, to, |world| rename(world, from, to))
    }

    fn unlink(&self, path: &DocPath) -> Result<(), DiskError> {
        self.changing(Action::Remove, path, |world| {
            let (dir, name) = place(world, path)?;
            let inode = world.names.find(dir, name);
            inode.ok_or(DiskErrorKind::NotFound)?;
            let now = world.stamp();
            world.names.assign(vec![((dir, name.to_owned()), None)], now);
            Ok(())
        })
    }

    fn make_dir(&self, path: &DocPath) -> Result<(), DiskError> {
        self.changing(Action::MakeDir, path, |world| {
            let (dir, name) = place(world, path)?;
            if world.names.find(dir, name).is_some() {
                return Err(DiskErrorKind::Exists);
            }
            let inode = world.next_inode;
            world.next_inode += 1;
            let now = world.stamp();
            world.names.create(dir, name, inode, true, now);
            Ok(())
        })
    }

    fn remove_dir(&self, path: &DocPath) -> Result<(), DiskError> {
        self.unlink(path)
    }

    fn sync_dir(&self, dir: Option<&DocPath>) -> Result<(), DiskError> {
        let exists = self.world.borrow().dir_inode(dir);
        let Some(inode) = exists else {
            return Err(DiskError {
                action: Action::Sync,
                path: dir.map_or(".", DocPath::as_str).to_owned(),
                kind: DiskErrorKind::NotFound,
            });
        };
        self.syncing(|world, broken| {
            if !broken {
                world.names.sync_dir(inode);
            }
        })
    }

    fn sync_all(&self) -> Result<(), DiskError> {
        self.syncing(|world, broken| {
            for file in world.files.values_mut() {
                if broken {
                    file.fail_sync();
                } else {
                    file.sync();
                }
            }
            if !broken {
                world.names.sync_all();
            }
        })
    }

    fn lock(&self, file: &SimFile, mode: LockMode, _: Patience) -> Result<Locked, DiskError> {
        let process = self.process;
        self.run(Action::Lock, "(file)", Touch::Reads, |world, _| {
            let holders = world.locks.entry(file.inode).or_default();
            let free = holders.iter().all(|(holder, held)| {
                *holder == process || (*held == LockMode::Shared && mode == LockMode::Shared)
            });
            if free {
                holders.push((process, mode));
                Ok(Locked::Yes)
            } else {
                Ok(Locked::HeldByAnother)
            }
        })
    }

    fn unlock(&self, file: &SimFile) -> Result<(), DiskError> {
        let process = self.process;
        self.run(Action::Lock, "(file)", Touch::Reads, |world, _| {
            let holders = world.locks.entry(file.inode).or_default();
            holders.retain(|(holder, _)| *holder != process);
            Ok(())
        })
    }

    fn boot_id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&self.world.borrow().boots.to_le_bytes());
        id
    }

    fn now(&self) -> u64 {
        self.world.borrow().nanoseconds
    }

    fn salt(&self) -> u64 {
        let mut world = self.world.borrow_mut();
        world.salts += 1;
        world.salts
    }

    fn seal(&self, _: u64) -> Seal {
        Seal::Any
    }

    fn learn_times(&self, ours: &SimFile) -> Result<(), DiskError> {
        self.write_at(ours, 0, b" ")
    }
}
