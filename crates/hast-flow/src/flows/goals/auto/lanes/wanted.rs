//! A goal in a lane may have been given another status by people since. This module finds that out,
//! and their status stands. It reads anew the file that the goal's status goes into.

use crate::attempt::base::ObjectId;
use crate::attempt::git_problem::GitProblem;
use crate::attempt::workspace::{GitResult, GitStep, Head};
use crate::attempt::worktrees::{Standing, Target, WorktreeResult, WorktreeStep};
use crate::attempt_steps::{problem, unexpected};
use crate::docs::goals::GoalStatus;
use crate::driver::Facts;
use crate::flows::goals::auto::asking::if_possible;
use crate::flows::goals::auto::goals_file::GoalsFile;
use crate::flows::goals::auto::lanes::decide::worktree;
use crate::flows::goals::auto::lanes::status::standing;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::{layout, words};
use crate::flows::goals::layout as project;
use crate::flows::goals::selection::placed;
use crate::formats::source::MAX_DOCUMENT_BYTES;
use crate::steps::{Effect, EffectResult, Scan, Scanned, Step, StepKey};
use crate::words::Lang;

/// What a goal is to people by now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::flows::goals::auto) enum Word {
    /// Still to be done.
    Wanted,
    /// Somebody gave it another status; none is that it is not in the file any more.
    Withdrawn(Option<GoalStatus>),
    /// Nobody can tell: the file is in the middle of being edited, or gone.
    Unreadable(String),
}

/// The question, and where its answers are kept.
pub(in crate::flows::goals::auto) struct Asking<'a> {
    pub(in crate::flows::goals::auto) seen: &'a View,
    pub(in crate::flows::goals::auto) facts: &'a Facts<'a>,
    pub(in crate::flows::goals::auto) goal: &'a str,
    pub(in crate::flows::goals::auto) onto: &'a Target,
    /// Where the work began.
    pub(in crate::flows::goals::auto) since: &'a ObjectId,
    pub(in crate::flows::goals::auto) key: &'a dyn Fn(&str) -> StepKey,
}

impl Asking<'_> {
    pub(in crate::flows::goals::auto) fn word(&self) -> Result<Word, Step> {
        let stands = standing(self.seen, self.facts, &(self.key)("standing"), self.onto)?;
        match (stands, self.onto) {
            // The checkout has the goals of another branch.
            (Standing::Off | Standing::CheckedOut { .. }, Target::Branch(_)) => {
                self.on_the_branch()
            }
            _ => self.in_the_checkout(),
        }
    }

    fn in_the_checkout(&self) -> Result<Word, Step> {
        let key = (self.key)("wanted");
        match self.seen.results.get(&key) {
            None => {
                let paths = layout::path(layout::GOALS).into_iter().collect();
                let effect = Effect::Scan(Scan { paths, head: MAX_DOCUMENT_BYTES });
                Err(Step::Effect { key, effect })
            }
            Some(EffectResult::Scan(looked)) => Ok(match read(looked, self.facts.lang) {
                Err(why) => Word::Unreadable(why),
                Ok(file) => match status_in(&file, self.goal) {
                    Some(GoalStatus::Active) => Word::Wanted,
                    other => Word::Withdrawn(other),
                },
            }),
            Some(_) => Err(unexpected(&key, self.facts.lang)),
        }
    }

    /// What was committed there since the work began. What never was there says nothing.
    fn on_the_branch(&self) -> Result<Word, Step> {
        let (seen, facts) = (self.seen, self.facts);
        let onto = || WorktreeStep::Tip { onto: Some(self.onto.clone()) };
        let tip = match worktree(seen, facts, (self.key)("wanted-tip"), onto)? {
            WorktreeResult::Tip(Head::Branch { commit, .. }) if commit != self.since => commit,
            WorktreeResult::Refused(refused @ GitProblem::Killed { .. }) => {
                return Err(problem(refused, facts.lang));
            }
            _ => return Ok(Word::Wanted),
        };
        let before = self.goals_at("wanted-before", self.since)?;
        let now = self.goals_at("wanted-now", tip)?;
        let (Some(before), Some(now)) = (before, now) else { return Ok(Word::Wanted) };
        let status = status_in(&now, self.goal);
        let same = status == status_in(&before, self.goal);
        Ok(match status {
            Some(GoalStatus::Active) => Word::Wanted,
            _ if same => Word::Wanted,
            other => Word::Withdrawn(other),
        })
    }

    fn goals_at(&self, part: &str, commit: &ObjectId) -> Result<Option<GoalsFile>, Step> {
        let paths = vec![project::GOALS.to_owned()];
        let read = || GitStep::Read { tree: commit.clone(), paths };
        let files = match if_possible(self.seen, (self.key)(part), read)? {
            Some(GitResult::Files(files)) => files.as_slice(),
            _ => return Ok(None),
        };
        let bytes = files.first().and_then(|file| file.bytes.as_ref());
        Ok(bytes.map(|bytes| GoalsFile::read(bytes, None)).filter(|file| file.goals.is_ok()))
    }
}

/// Whether a look at the file is why nobody can tell.
pub(super) fn is_unreadable(result: &EffectResult, lang: Lang) -> bool {
    matches!(result, EffectResult::Scan(looked) if read(looked, lang).is_err())
}

fn read(looked: &Result<Vec<Scanned>, String>, lang: Lang) -> Result<GoalsFile, String> {
    let files = looked.as_ref().map_err(Clone::clone)?;
    let Some(file) = files.first() else { return Err(words::no_goals(lang)) };
    let read = GoalsFile::read(&file.head, None);
    match &read.goals {
        Ok(_) => Ok(read),
        Err(why) => Err(words::bad_goals(lang, why)),
    }
}

fn status_in(file: &GoalsFile, goal: &str) -> Option<GoalStatus> {
    let goals = file.goals.as_ref().ok()?;
    placed(goals).iter().find(|placed| placed.goal.id == goal).map(|placed| placed.goal.status)
}
