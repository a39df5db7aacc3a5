//! A directory with assets and a rehearsal as planner and executor.

use std::ops::Deref;
use std::path::Path;

use hast_stage::Stage;
use hast_stage::plays::run::stage;

pub(crate) use hast_stage::Ran;

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_hast"))
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { stage: stage(binary()) }
    }

    /// As [`Self::new`], with replies that come before those of the play.
    pub(crate) fn with(replies: &str) -> Self {
        let scene = Self::new();
        let script = scene.read("x.rehearsal.yaml");
        scene.write(
            "x.rehearsal.yaml",
            script.replace("replies:\n", &format!("replies:\n{replies}")),
        );
        scene
    }

    pub(crate) fn json(ran: &Ran) -> serde_json::Value {
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }

    /// The only run.
    pub(crate) fn run(&self) -> String {
        let [run] = self.names("runs").try_into().unwrap();
        run
    }

    /// The value of a cell in the row of a run.
    pub(crate) fn status(&self) -> String {
        let runs = self.read("db/process_runs.md");
        let row = runs.lines().last().unwrap_or_default();
        row.split('|').nth(3).unwrap_or_default().trim().to_owned()
    }
}
