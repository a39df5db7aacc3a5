//! A play killed at moments that nobody chose, and started again until it has ended. Each round must
//! end as the one that nobody disturbed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::stage::Stage;

/// Most kills in a round, and most starts after them.
const KILLS: u64 = 6;
const STARTS: usize = 12;

/// What is left at the end, by name, without what differs from run to run (times, random ids).
pub type Outcome = BTreeMap<String, String>;

/// A unit of a flow in a scratch project, with a rehearsal as its agent.
pub trait Play: Sync {
    /// The project as a person would have it before the first command.
    fn set(&self, hast: &Path) -> Stage;

    /// What a person types now: the start, or what goes on with what is there.
    fn arguments(&self, stage: &Stage) -> Vec<String>;

    /// What came of it, once it has ended.
    fn outcome(&self, stage: &Stage) -> Option<Outcome>;

    /// What must be so in the end, besides the same outcome: nothing done twice, `verify` silent.
    fn check(&self, stage: &Stage);

    /// Somebody does something between a kill and the next start.
    fn between(&self, _stage: &Stage, _dice: &mut Dice) {}
}

/// What all rounds came to.
#[derive(Debug, Default)]
pub struct Tally {
    pub rounds: u64,
    pub kills: u64,
    pub ended_before: u64,
    pub diverged: Vec<String>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, kills, ended_before, diverged } = self;
        let diverged = diverged.len();
        write!(
            f,
            "{rounds} rounds, {kills} kills ({ended_before} came after the end), {diverged} diverged"
        )
    }
}

/// Plays rounds, several at once: most of a round is waiting for the disk and for agents.
pub fn play(play: &dyn Play, hast: &Path, rounds: u64, seed: u64, lanes: usize) -> Tally {
    let start = Instant::now();
    let undisturbed = play.set(hast);
    let expected = finish(play, &undisturbed);
    let length = start.elapsed();
    play.check(&undisturbed);
    let (kills, before) = (AtomicU64::new(0), AtomicU64::new(0));
    let (next, diverged) = (AtomicU64::new(1), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..lanes {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number > rounds {
                        return;
                    }
                    let mut dice = Dice::of(seed, number);
                    let stage = play.set(hast);
                    let played = catch_unwind(AssertUnwindSafe(|| {
                        for _ in 0..=dice.below(KILLS) {
                            let late = kill(play, &stage, &mut dice, length);
                            kills.fetch_add(1, Ordering::Relaxed);
                            before.fetch_add(u64::from(late), Ordering::Relaxed);
                        }
                        let outcome = finish(play, &stage);
                        if let Some(told) = difference(&expected, &outcome) {
                            panic!("{told}");
                        }
                        play.check(&stage);
                        stage.nothing_runs();
                    }));
                    if let Err(panic) = played {
                        let kept = stage.keep();
                        let what = said(&*panic);
                        let told = format!("round {number}: {what}; see {}", kept.display());
                        diverged.lock().unwrap().push(told);
                    }
                }
            });
        }
    });
    Tally {
        rounds,
        kills: kills.into_inner(),
        ended_before: before.into_inner(),
        diverged: diverged.into_inner().unwrap(),
    }
}

/// Starts once and kills; whether it had ended by then.
fn kill(play: &dyn Play, stage: &Stage, dice: &mut Dice, length: Duration) -> bool {
    if play.outcome(stage).is_some() {
        return true;
    }
    let arguments = play.arguments(stage);
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut child = stage.start(&words);
    let most = u64::try_from(length.as_micros()).unwrap();
    std::thread::sleep(Duration::from_micros(dice.below(most)));
    let late = child.try_wait().unwrap().is_some();
    child.kill().unwrap();
    child.wait().unwrap();
    play.between(stage, dice);
    late
}

/// Starts until there is an outcome.
fn finish(play: &dyn Play, stage: &Stage) -> Outcome {
    let mut said = Vec::new();
    for _ in 0..STARTS {
        if let Some(outcome) = play.outcome(stage) {
            return outcome;
        }
        let arguments = play.arguments(stage);
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        said.push(stage.hast(&words));
    }
    play.outcome(stage).unwrap_or_else(|| panic!("not ended after {STARTS} starts: {said:#?}"))
}

/// The first line on which two outcomes differ.
fn difference(expected: &Outcome, found: &Outcome) -> Option<String> {
    let names: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let name = names.into_iter().find(|name| expected.get(*name) != found.get(*name))?;
    let (Some(expected), Some(found)) = (expected.get(name), found.get(name)) else {
        return Some(format!("{name} is in one outcome only"));
    };
    let (mut expected, mut found) = (expected.lines(), found.lines());
    for line in 1.. {
        match (expected.next(), found.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => {
                let [one, other] = [one, other].map(|line| line.unwrap_or("(the end)"));
                return Some(format!("{name}:{line}: expected `{one}`, found `{other}`"));
            }
        }
    }
    Some(format!("{name} differs in its line ends"))
}

/// The words of a panic.
pub fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Outcome, difference};

    #[test]
    fn a_difference_is_told_by_name_and_line() {
        let outcome = |text: &str| Outcome::from([("plan".to_owned(), text.to_owned())]);
        assert_eq!(difference(&outcome("a\nb"), &outcome("a\nb")), None);
        let told = difference(&outcome("a\nb"), &outcome("a\nc")).unwrap();
        assert_eq!(told, "plan:2: expected `b`, found `c`");
        let told = difference(&outcome("a"), &Outcome::new()).unwrap();
        assert_eq!(told, "plan is in one outcome only");
    }
}
