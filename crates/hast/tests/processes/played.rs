//! A process of its own that plays hast: one supervised script, signals passed on. It is this
//! test program again, so that a test can kill it.

use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use hast_flow::process::Supervisor;
use hast_flow::process::exit::Net;
use hast_world::supervisor::forward;

use crate::scene::Scene;

const NET: &str = "HAST_PLAYED_NET";
const SCRIPT: &str = "HAST_PLAYED_SCRIPT";

/// Another process that plays hast, and the mark of what it runs.
pub(crate) struct Played {
    pub(crate) child: Child,
    pub(crate) mark: String,
    lines: Box<dyn Iterator<Item = String>>,
}

#[expect(clippy::disallowed_methods, reason = "a test has to start what it kills")]
pub(crate) fn play(net: Net, script: &str) -> Played {
    let net = match net {
        Net::Namespace => "namespace",
        Net::Subreaper => "subreaper",
    };
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "played::plays_hast_when_asked", "--nocapture"])
        .env(NET, net)
        .env(SCRIPT, script)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut played = Played { child, mark: String::new(), lines: Box::new(lines) };
    played.mark = played.says("MARK ");
    played
}

impl Played {
    /// The next line that starts so, without its start.
    #[track_caller]
    pub(crate) fn says(&mut self, start: &str) -> String {
        let found = self.lines.find_map(|line| Some(line.split_once(start)?.1.to_owned()));
        found.expect("the played hast ended early")
    }
}

/// A test that fails must not leave it behind, stopped perhaps.
impl Drop for Played {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn plays_hast_when_asked() {
    let (Ok(net), Ok(script)) = (std::env::var(NET), std::env::var(SCRIPT)) else { return };
    let net = if net == "namespace" { Net::Namespace } else { Net::Subreaper };
    let scene = Scene::new(net, &script);
    println!("MARK {}", scene.mark);
    let supervisor = Arc::new(scene.supervisor());
    let _forwarding = forward(Arc::clone(&supervisor)).unwrap();
    let ended = supervisor.run(&scene.spec, &scene.limits, &mut |_, bytes| {
        print!("{}", String::from_utf8_lossy(bytes));
        ControlFlow::Continue(())
    });
    println!("EXIT {:?}", ended.exit);
}
