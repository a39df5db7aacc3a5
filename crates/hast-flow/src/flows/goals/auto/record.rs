//! An attempt has two records: the agreement before its agent started, and the verdict. The agent
//! cannot change the agreement. Records of kept work, and of work that earlier versions of hast
//! left, are here too.

use serde::{Deserialize, Serialize};

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::TestEnd;
use crate::attempt::green::{AgreedTests, FewerTests};
use crate::attempt::judge::{Rules, Scope, Verdict, WantedHandoff, WantedTests};
use crate::attempt::rooms::SquashReason;
use crate::attempt::settle::{Commits, WorkKind};
use crate::docs::document::Version;
use crate::docs::goals::{Goal, Minutes, PromptMode};
use crate::flows::goals::auto::Settings;
use crate::flows::goals::auto::tested::BaseRun;
use crate::flows::goals::layout::HANDOFFS;
use crate::flows::goals::status_edit::NewStatus;
use crate::suites::Tally;
use crate::time::{OffsetTime, UtcTime};

/// `attempt.json`: written before the agent starts, so that nothing it writes changes the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    pub version: Version<1>,
    pub goal_id: String,
    pub title: String,
    pub attempt: u32,
    pub allowed_changes: Vec<String>,
    pub expect_failure: bool,
    pub adversarial: bool,
    pub test_command: String,
    pub timeout_minutes: Minutes,
    pub max_retries: u32,
    /// `room_setup`, which installs again what a changed list of dependencies names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    pub commits: bool,
    /// The name of the handoff file that was asked for.
    pub handoff: String,
    /// How the tests ended on the base.
    pub base_tests: Option<TestEnd>,
    /// The last lines of those tests where they failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base_tail: String,
    /// The numbers that those tests told.
    #[serde(default)]
    pub base_tally: Tally,
    /// The goal's notes and acceptance: tests that are named there may go.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Fewer tests than on the base are right: the goal or a person says so.
    #[serde(default)]
    pub fewer_tests: bool,
    /// The earlier work is only judged again: no agent is called (`--fewer-tests`).
    #[serde(default)]
    pub judged_again: bool,
    /// Earlier work that is put into the tree before the agent is called (`--continue`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<KeptWork>,
    pub started_at: UtcTime,
}

/// Work that was handed to a person: where it is, and what it began from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptWork {
    /// The ref that has it, and what was there then.
    #[serde(rename = "ref")]
    pub name: String,
    pub commit: ObjectId,
    pub tree: ObjectId,
    pub branch: String,
    pub base: ObjectId,
    pub base_tree: ObjectId,
    /// Whether an earlier version left it in the checkout as well.
    #[serde(default)]
    pub in_tree: bool,
}

/// What a version of hast that worked in the user's checkout left there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "left", rename_all = "snake_case")]
pub enum EarlierWork {
    /// An attempt that was cut off.
    Attempt { goal_id: String, base: Option<ObjectId> },
    /// Commits on the branch that no gate has judged.
    Commits { goal_id: String, base: ObjectId, head: ObjectId },
    /// Work that was handed to a person, and the ref that has it too.
    Uncommitted { goal_id: String, name: String, base: ObjectId },
}

/// Commits that an attempt of an earlier version made in the checkout before it was cut off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnjudgedWork {
    pub goal_id: String,
    pub branch: String,
    pub base: ObjectId,
    pub head: ObjectId,
}

impl AttemptRecord {
    pub fn new(
        goal: &Goal,
        settings: &Settings,
        attempt: u32,
        handoff: String,
        base: Option<BaseRun>,
        started_at: UtcTime,
    ) -> Self {
        let (base_tests, told) = base.map(|run| (run.end, (run.tail, run.tally))).unzip();
        let (base_tail, base_tally) = told.unwrap_or_default();
        let words = goal.notes.iter().chain(&goal.acceptance).map(String::as_str);
        Self {
            version: Version,
            goal_id: goal.id.clone(),
            title: goal.title.clone(),
            attempt,
            allowed_changes: goal.allowed_changes.clone(),
            expect_failure: goal.expect_failure,
            adversarial: goal.prompt_mode == Some(PromptMode::Adversarial),
            test_command: settings.test_command_of(goal).to_owned(),
            timeout_minutes: settings.timeout_of(goal),
            max_retries: settings.max_retries_of(goal),
            setup: settings.setup.clone(),
            commits: settings.commits == Commits::Auto,
            handoff,
            base_tests,
            base_tail,
            base_tally,
            about: words.collect::<Vec<_>>().join("\n").chars().take(ABOUT).collect(),
            fewer_tests: goal.fewer_tests,
            judged_again: false,
            continues: None,
            started_at,
        }
    }

    pub fn rules(&self, attempt_end: OffsetTime, interruptions_before: u32) -> Rules {
        Rules {
            goal_id: self.goal_id.clone(),
            scope: Scope::new(&self.allowed_changes, HANDOFFS),
            wanted: if self.expect_failure { WantedTests::Red } else { WantedTests::Green },
            handoff: WantedHandoff::Needed,
            base_tests: self.base_tests.clone(),
            attempt_end,
            interruptions_before,
        }
    }

    /// What the numbers of the attempt's tests are compared with.
    pub fn agreed_tests(&self) -> AgreedTests {
        let words = format!("{}\n{}", self.title, self.about);
        AgreedTests {
            base_end: self.base_tests.clone(),
            base: self.base_tally.clone(),
            command: self.test_command.clone(),
            fewer: FewerTests { allowed: self.fewer_tests, words },
        }
    }

    /// Only the judge looks at the earlier work again: no agent is called, so there is one try.
    pub fn judge_again(&mut self) {
        (self.judged_again, self.fewer_tests, self.max_retries) = (true, true, 1);
    }

    /// The tests on the base.
    pub fn base_run(&self) -> Option<BaseRun> {
        let (end, tally) = (self.base_tests.clone()?, self.base_tally.clone());
        Some(BaseRun::of(end, &self.base_tail, tally))
    }

    pub fn kind(&self) -> WorkKind {
        if self.expect_failure || self.adversarial { WorkKind::Tests } else { WorkKind::Feature }
    }

    pub fn commits(&self) -> Commits {
        if self.commits { Commits::Auto } else { Commits::Off }
    }
}

/// So much of what a goal says about itself is remembered.
const ABOUT: usize = 20_000;

/// `verdict.json`: what the attempt was judged, and what settling it needs to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictRecord {
    pub version: Version<1>,
    pub verdict: Verdict,
    /// The reason in words.
    pub text: String,
    pub judged_at: UtcTime,
    /// Where the attempt left its branch.
    pub head: ObjectId,
    /// What was in the tree when it was judged.
    pub tree: ObjectId,
    /// What a commit on `head` would hold.
    pub commit_tree: ObjectId,
    pub uncommitted: bool,
    /// The beginning of the list of changed paths.
    pub changed: Vec<String>,
    pub tests: Option<TestEnd>,
    pub test_tail: String,
    /// The numbers that the tests told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tally: Option<Tally>,
    /// Test files that the attempt changed: `calc.test.js +1 -1`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_tests: Vec<String>,
    /// Refs that moved meanwhile, by whoever: nothing held the agent, and hast did not move them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_refs: Vec<String>,
    /// New files that the attempt's own ignore rules hide: they are in the tree and in no commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_committed: Vec<String>,
    /// Lists of dependencies that the attempt changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependency_lists: Vec<String>,
    /// Handoffs that git ignores: no commit has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_handoffs: Vec<String>,
    /// Why the agent's own commits became one commit of hast's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squashed: Option<SquashReason>,
}

/// What became of a goal, as `goals.yaml` is to say it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToldStatus {
    Done,
    Blocked { reason: String },
}

impl ToldStatus {
    pub fn new_status(&self) -> NewStatus<'_> {
        match self {
            Self::Done => NewStatus::Done,
            Self::Blocked { reason } => NewStatus::Blocked { reason },
        }
    }
}

/// How many changed paths a verdict lists.
pub const LISTED: usize = 200;
