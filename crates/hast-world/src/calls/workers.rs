//! Threads for effects. One that is done waits for the next effect: steps are short, and a thread takes a
//! while to begin and to end.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

type Work = Box<dyn FnOnce() + Send>;

/// Something to do, and the way to whoever does it: nobody else holds that meanwhile.
struct Task {
    work: Work,
    way: Sender<Task>,
}

/// The ways to threads that have nothing to do. Once these are gone, the threads end.
#[derive(Default)]
pub(super) struct Workers {
    idle: Arc<Mutex<Vec<Sender<Task>>>>,
}

impl Workers {
    /// Has something done by a thread that does nothing else meanwhile. Where there can be none, it is
    /// dropped.
    pub(super) fn give(&self, work: impl FnOnce() + Send + 'static) {
        let work: Work = Box::new(work);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let work = match idle {
            Some(way) => match way.send(Task { work, way: way.clone() }) {
                Ok(()) => return,
                Err(back) => back.0.work,
            },
            None => work,
        };
        let (way, tasks) = channel();
        let idle = Arc::downgrade(&self.idle);
        let serve = move || {
            let mut next = Some(Task { work, way });
            while let Some(task) = next {
                (task.work)();
                let Some(idle) = idle.upgrade() else { return };
                idle.lock().unwrap_or_else(PoisonError::into_inner).push(task.way);
                drop(idle);
                next = tasks.recv().ok();
            }
        };
        let _ = Builder::new().name("effect".to_owned()).spawn(serve);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc::Receiver;
    use std::thread::ThreadId;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn idle(workers: &Workers, count: usize) {
        while workers.idle.lock().unwrap().len() < count {
            std::thread::yield_now();
        }
    }

    fn who(workers: &Workers) -> Receiver<ThreadId> {
        let (sender, done) = channel();
        workers.give(move || sender.send(std::thread::current().id()).unwrap());
        done
    }

    #[test]
    fn one_after_the_other_is_done_by_the_same_thread_and_others_side_by_side() {
        let workers = Workers::default();
        let first = who(&workers).recv_timeout(LONG).unwrap();
        idle(&workers, 1);
        assert_eq!(who(&workers).recv_timeout(LONG).unwrap(), first);
        idle(&workers, 1);
        let meet = Arc::new(Barrier::new(3));
        for _ in 0..2 {
            let meet = Arc::clone(&meet);
            workers.give(move || _ = meet.wait());
        }
        meet.wait();
        idle(&workers, 2);
    }

    #[test]
    fn one_that_dies_is_replaced_and_all_end_with_the_last_handle() {
        let workers = Workers::default();
        let (sender, gone) = channel::<()>();
        workers.give(move || {
            let _ends_with_the_thread = sender;
            panic!("on purpose");
        });
        assert!(gone.recv_timeout(LONG).is_err());
        who(&workers).recv_timeout(LONG).unwrap();
        idle(&workers, 1);
        let way = workers.idle.lock().unwrap()[0].clone();
        drop(workers);
        let (sender, done) = channel();
        // Not idle, but not gone either before it has done this.
        let work: Work = Box::new(move || sender.send(()).unwrap());
        way.send(Task { work, way: way.clone() }).unwrap();
        done.recv_timeout(LONG).unwrap();
        while way.send(Task { work: Box::new(|| ()), way: way.clone() }).is_ok() {
            std::thread::yield_now();
        }
    }
}
