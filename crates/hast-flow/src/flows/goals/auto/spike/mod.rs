//! `decision spike`: each alternative of a decision is really tried, in a work tree of its own and by
//! the same judge as any attempt; measured, kept on a ref, ranked, and taken over if it may be.

mod accept;
mod decide;
mod one;
pub mod view;
pub mod words;

use crate::attempt::base::{ObjectId, ref_part};
use crate::attempt::green::{AgreedTests, FewerTests};
use crate::attempt::workspace::{CommitPlan, Content, Identity};
use crate::attempt::worktrees::TreeName;
use crate::docs::goals::{Alternative, DecisionTicket, Minutes};
use crate::flows::goals::auto::Settings;
use crate::flows::goals::decision::Guards;
use crate::steps::StepKey;
use crate::time::UtcTime;

pub use view::{Spike, SpikeView};

/// One run of a spike.
#[derive(Clone, Debug)]
pub struct SpikeFlow {
    /// Names this run; another run has another name.
    pub run: String,
    pub ticket: DecisionTicket,
    /// Where the ticket is, as whoever runs this again can name it.
    pub file: String,
    /// The hash of the ticket: another ticket is another spike.
    pub content: String,
    pub settings: Settings,
    /// Tried by this command instead of an agent, where the alternative names none.
    pub command: Option<String>,
    pub timeout_minutes: Minutes,
    /// How many alternatives are tried at once.
    pub width: usize,
    /// `room_setup` and `room_copy`.
    pub setup: Option<String>,
    pub copy: Vec<String>,
    /// Whether the winner is merged, and what has to hold for that.
    pub accept: Option<Guards>,
}

impl SpikeFlow {
    /// The key of a step: of an alternative's try, or of the spike itself.
    fn key(&self, spike: u32, parts: &[&str]) -> StepKey {
        let (id, spike) = (ref_part(&self.ticket.id), spike.to_string());
        let all: Vec<&str> =
            ["spike", &id, &spike].into_iter().chain(parts.iter().copied()).collect();
        StepKey::new(&all)
    }

    fn of(&self, spike: u32, alternative: &Alternative, number: u32, part: &str) -> StepKey {
        self.key(spike, &[&ref_part(&alternative.id), &number.to_string(), part])
    }

    /// What all keys of an alternative begin with.
    fn prefix(&self, spike: u32, alternative: &Alternative) -> String {
        format!("{}/", self.key(spike, &[&ref_part(&alternative.id)]))
    }

    /// What the numbers of an alternative's tests are compared with.
    fn agreed_tests(&self, spike: &Spike, alternative: &Alternative) -> AgreedTests {
        let (base_end, base) = spike.base_run.clone().map(|run| (run.end, run.tally)).unzip();
        AgreedTests {
            base_end,
            base: base.unwrap_or_default(),
            command: self.settings.test_command.clone(),
            fewer: FewerTests {
                allowed: false,
                words: [
                    Some(&self.ticket.question),
                    self.ticket.context.as_ref(),
                    Some(&alternative.title),
                    alternative.approach.as_ref(),
                ]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("\n"),
            },
        }
    }

    fn tree(&self, alternative: &str) -> TreeName {
        TreeName::of(&format!("spike-{}-{alternative}", self.ticket.id))
    }

    /// A tree as one commit on a base; equal ones are the same commit.
    fn commit_plan(&self, base: &ObjectId, tree: &ObjectId, at: UtcTime) -> CommitPlan {
        CommitPlan {
            content: Content::Tree(tree.clone()),
            parent: base.clone(),
            message: String::new(),
            at,
            identity: Identity::Users,
        }
    }

    /// The words of the commit that an alternative becomes.
    fn message(&self, alternative: &Alternative) -> String {
        let id = &self.ticket.id;
        format!(
            "feat({id}): {}\n\nHast-Decision: {id}\nHast-Alternative: {}\n",
            alternative.title, alternative.id
        )
    }

    /// `refs/hast/spikes/<decision>/<n>/<alternative>`
    fn kept(&self, spike: u32, alternative: &str) -> String {
        let (id, alternative) = (ref_part(&self.ticket.id), ref_part(alternative));
        format!("refs/hast/spikes/{id}/{spike}/{alternative}")
    }

    /// Where the base of a try is written down.
    fn base_path(&self, spike: u32, alternative: &str, number: u32) -> String {
        let (id, alternative) = (ref_part(&self.ticket.id), ref_part(alternative));
        format!("{}{id}/{spike}/{alternative}/{number}/base.json", view::SPIKES)
    }
}
