//! One supervised shell script: a scratch directory, a mark to find its processes by, limits.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hast_flow::process::exit::Net;
use hast_flow::process::{CommandSpec, Ended, Limits, Stream, Supervisor};
use hast_world::supervisor::Guarded;
use tempfile::TempDir;

use crate::proc;

/// Both ways to hold processes together; a machine without namespaces shows the second twice.
pub(crate) const NETS: [Net; 2] = [Net::Namespace, Net::Subreaper];

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Scene {
    pub(crate) directory: TempDir,
    pub(crate) mark: String,
    pub(crate) spec: CommandSpec,
    pub(crate) limits: Limits,
    net: Net,
}

impl Scene {
    pub(crate) fn new(net: Net, script: &str) -> Self {
        let directory = TempDir::new().unwrap();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("HAST_TEST_MARK={}-{number}-", std::process::id());
        let mut spec = CommandSpec::new("sh", directory.path()).args(["-c", script]);
        let (name, value) = mark.split_once('=').unwrap();
        spec.env.insert(name.into(), value.into());
        spec.env.insert("PATH".into(), std::env::var_os("PATH").unwrap());
        let limits = Limits {
            timeout: Duration::from_secs(120),
            grace: Duration::from_millis(200),
            stall: None,
            ..Limits::default()
        };
        Self { directory, mark, spec, limits, net }
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    pub(crate) fn supervisor(&self) -> Guarded {
        let temp = self.directory.path().to_owned();
        let guarded = Guarded::with_guard(env!("CARGO_BIN_EXE_hast"), temp).unwrap();
        match self.net {
            Net::Namespace => guarded,
            Net::Subreaper => guarded.without_namespaces(),
        }
    }

    /// Runs the script to its end and checks that nothing of it is left.
    #[track_caller]
    pub(crate) fn run(&self) -> Ended {
        self.watched(&mut |_, _| ControlFlow::Continue(()))
    }

    /// Runs it until it printed `ready`, then cancels it.
    #[track_caller]
    pub(crate) fn cancelled_when_ready(&self) -> Ended {
        let mut seen = Vec::new();
        self.watched(&mut |_, bytes| {
            seen.extend_from_slice(bytes);
            match seen.windows(5).any(|window| window == b"ready") {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
    }

    #[track_caller]
    pub(crate) fn watched(&self, watch: &mut dyn FnMut(Stream, &[u8]) -> ControlFlow<()>) -> Ended {
        let ended = self.supervisor().run(&self.spec, &self.limits, watch);
        assert_eq!(proc::marked(&self.mark), [0_u32; 0], "left running: {ended:?}");
        let left: Vec<_> = std::fs::read_dir(self.directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("hast-"))
            .collect();
        assert!(left.is_empty(), "private directories left: {left:?}");
        ended
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
