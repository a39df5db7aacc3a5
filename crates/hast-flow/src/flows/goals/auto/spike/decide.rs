//! A spike decides its next step here. It tries the alternatives that are not tried yet, removes
//! their trees, tells the ranking, and merges the winner where the person asked for it.

use serde_json::json;

use crate::attempt::workspace::Head;
use crate::attempt::worktrees::{Spent, Target, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{blocked, problem, unexpected};
use crate::docs::goals::{Alternative, GoalsEventKind as Kind};
use crate::driver::{Delta, Facts, Flow};
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::policy::POLICY;
use crate::flows::goals::auto::spike::view::{Spike, SpikeView};
use crate::flows::goals::auto::spike::{SpikeFlow, accept, one, words};
use crate::flows::goals::auto::words as auto_words;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::decision::why;
use crate::roles::PolicyTable;
use crate::steps::{Effect, EffectResult, Ending, Notice, Step, StepKey};
use crate::store::DocPath;

impl Flow for SpikeFlow {
    type View = SpikeView;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, _: bool) -> bool {
        layout::is_read(path)
    }

    fn fold(&self, view: &mut SpikeView, delta: &Delta<'_>) {
        view.fold(self, delta);
    }

    fn next_step(&self, view: &SpikeView, facts: &Facts<'_>) -> Step {
        let Some((number, spike)) = self.open(view) else { return self.start(view, facts) };
        if let Some(step) = self.try_all(view, facts, number, spike) {
            return step;
        }
        if spike.ranked.is_none() {
            return match self.clear(view, number, spike) {
                Some(step) => step,
                None => self.waits(view, facts, number, spike),
            };
        }
        match &self.accept {
            Some(guards) => accept::step(self, view, facts, (number, spike), guards),
            None => self.finish(facts, spike),
        }
    }
}

impl SpikeFlow {
    /// The spike that this run goes on with: one that is not over, one that it ended itself, or, to
    /// accept it, the last.
    fn open<'v>(&self, view: &'v SpikeView) -> Option<(u32, &'v Spike)> {
        let (number, spike) = view.last().filter(|(_, spike)| spike.content == self.content)?;
        let goes_on = match &spike.ranked {
            None => true,
            Some((run, _)) => *run == self.run || self.accept.is_some(),
        };
        goes_on.then_some((number, spike))
    }

    fn start(&self, view: &SpikeView, facts: &Facts<'_>) -> Step {
        let number = view.last().map_or(1, |(number, _)| number + 1);
        let key = self.key(number, &["tip"]);
        let (base, onto) = match worktree(view, facts, &key, || WorktreeStep::Tip { onto: None }) {
            Err(step) => return step,
            Ok(WorktreeResult::Tip(Head::Branch { name, commit })) => (commit, Some(name)),
            Ok(WorktreeResult::Tip(Head::Detached { commit })) => (commit, None),
            Ok(_) => {
                let lang = facts.lang;
                return blocked(auto_words::no_tip(lang), auto_words::no_tip_next(lang));
            }
        };
        let ids: Vec<&str> = self.ticket.alternatives.iter().map(|one| one.id.as_str()).collect();
        let detail = json!({
            "decision_id": self.ticket.id,
            "spike": number,
            "content": self.content,
            "base": base,
            "onto": onto,
            "test_command": self.settings.test_command,
            "alternatives": ids,
        });
        let seen = view.seen(&format!("{}/", self.key(number, &[]).as_str().trim_end_matches('/')));
        Draft::new(&seen, facts, &format!("spike {number} of {}", self.ticket.id))
            .event(Kind::SpikeStarted, detail)
            .step()
    }

    /// What the next alternatives need; nothing once all are tried.
    fn try_all(
        &self,
        view: &SpikeView,
        facts: &Facts<'_>,
        number: u32,
        spike: &Spike,
    ) -> Option<Step> {
        let open = |one: &&Alternative| !spike.tried.contains_key(&one.id);
        let mut waits = None;
        for alternative in self.ticket.alternatives.iter().filter(open).take(self.width) {
            match running(facts, &self.prefix(number, alternative)) {
                Some(key) => waits = Some(key),
                None => return Some(one::step(self, view, facts, (number, spike), alternative)),
            }
        }
        waits.map(|key| Step::Effect { key, effect: Effect::Tools(Vec::new()) })
    }

    /// What was tried is on refs: the trees go. One that cannot go is found by `auto --gc`.
    fn clear(&self, view: &SpikeView, number: u32, spike: &Spike) -> Option<Step> {
        for measured in spike.tried.values() {
            let key = self.key(number, &["remove", &crate::attempt::base::ref_part(&measured.id)]);
            if view.result(&key).is_none() {
                let spent = Spent::Merged { into: measured.saved.clone() };
                let step = WorktreeStep::Remove { tree: self.tree(&measured.id), spent };
                return Some(Step::Effect { key, effect: Effect::Worktree(Box::new(step)) });
            }
        }
        None
    }

    /// The ranking is told, and waits for whoever decides.
    fn waits(&self, view: &SpikeView, facts: &Facts<'_>, number: u32, spike: &Spike) -> Step {
        let (lang, ranking) = (facts.lang, spike.ranking());
        let why = why(&ranking);
        let winner = ranking.first().filter(|first| first.passed);
        let what = match winner {
            Some(winner) => words::ranked(lang, &self.ticket.id, &winner.id, why),
            None => words::none_passed(lang, &self.ticket.id),
        };
        let short = spike.base.as_str().get(..12).unwrap_or_default();
        let look = ranking.iter().map(|one| format!("git diff {short} {}", one.kept));
        let accept = winner.map(|_| words::accept(&self.file));
        let look: Vec<String> = look.chain(accept).collect();
        let detail = json!({
            "decision_id": self.ticket.id,
            "spike": number,
            "run": self.run,
            // The inbox names the decision by itself.
            "what": what.strip_prefix(&format!("{}: ", self.ticket.id)).unwrap_or(&what),
            "why": format!("why:{why}"),
            "winner": winner.map(|winner| &winner.id),
            "look": look,
        });
        let seen = view.seen(&format!("{}/", self.key(number, &[]).as_str().trim_end_matches('/')));
        Draft::new(&seen, facts, &format!("spike {number} of {} is over", self.ticket.id))
            .event(Kind::DecisionWaits, detail)
            .step()
    }

    fn finish(&self, facts: &Facts<'_>, spike: &Spike) -> Step {
        let (lang, ranking) = (facts.lang, spike.ranking());
        Step::Finish(match ranking.first().filter(|first| first.passed) {
            Some(winner) => {
                let what = words::ranked(lang, &self.ticket.id, &winner.id, why(&ranking));
                let next = words::ranked_next(lang, words::accept(&self.file));
                Ending::Done(Notice { what, next })
            }
            None => {
                let what = words::none_passed(lang, &self.ticket.id);
                Ending::Failed(Notice { what, next: words::none_passed_next(lang) })
            }
        })
    }
}

/// What is on its way under a prefix.
fn running(facts: &Facts<'_>, prefix: &str) -> Option<StepKey> {
    facts.running.iter().find(|key| key.as_str().starts_with(prefix)).cloned()
}

/// The result of a step with work trees, or the step that has to be taken first.
pub(super) fn worktree<'v>(
    view: &'v SpikeView,
    facts: &Facts<'_>,
    key: &StepKey,
    step: impl FnOnce() -> WorktreeStep,
) -> Result<&'v WorktreeResult, Step> {
    match view.result(key) {
        None => {
            let effect = Effect::Worktree(Box::new(step()));
            Err(Step::Effect { key: key.clone(), effect })
        }
        Some(EffectResult::Worktree(WorktreeResult::Refused(refused))) => {
            Err(problem(refused, facts.lang))
        }
        Some(EffectResult::Worktree(result)) => Ok(result),
        Some(_) => Err(unexpected(key, facts.lang)),
    }
}

/// The branch as a target's name.
pub(super) fn branch_of(onto: &Target) -> &str {
    match onto {
        Target::Branch(name) => name,
        Target::Detached => "HEAD",
    }
}
