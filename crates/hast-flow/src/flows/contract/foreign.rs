//! What others did in the repository besides an attempt: looked at before anything is taken back or
//! committed, named, and left to them.

use serde_json::{Value, json};

use crate::attempt::base::{Base, ObjectId};
use crate::attempt::workspace::{Aside, GitResult, GitStep, Head, LeftWork, Reach};
use crate::attempt_steps::unexpected;
use crate::flows::contract::attempts::{key, save_plan};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::request::{Judged, Subtask};
use crate::flows::contract::{attempts, words};
use crate::steps::{Effect, EffectResult, Step, StepKey};

/// How many files a message names.
const NAMED: usize = 20;

/// Whoever else was at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Others {
    Nobody,
    /// Commits of theirs are on the attempt's branch, and nothing else is different.
    Committed(Vec<String>),
    /// Another branch, other refs, files of git, an operation that is under way.
    More(Vec<String>),
}

impl Others {
    /// What they did, a sentence each.
    pub(super) fn told(&self) -> &[String] {
        match self {
            Self::Nobody => &[],
            Self::Committed(told) | Self::More(told) => told,
        }
    }
}

/// What is not as hast and the attempts that it looked at left it. `heads` is where they left the branch;
/// `part` makes the keys. Refs stay where they are; what is git's own, its hooks among it, gets back what
/// it had, because nobody knows who wrote it.
pub(super) fn look(
    scene: &Scene<'_>,
    base: &Base,
    heads: &[ObjectId],
    part: impl Fn(&str) -> StepKey,
) -> Result<Others, Step> {
    let lang = scene.facts.lang;
    let guarded = scene.git().guard(&part("others"), base, Reach::OfGitButRefs)?;
    let key = part("where");
    let looked = match scene.view.results.get(&key) {
        Some(EffectResult::Git(GitResult::Looked(looked))) => looked,
        // After a power cut HEAD may be at a commit that is lost: of that nothing can be taken.
        Some(EffectResult::Git(GitResult::Refused(_))) => return Ok(Others::Nobody),
        Some(_) => return Err(unexpected(&key, lang)),
        None => {
            let look = GitStep::LookAgain { rules: base.rules().clone() };
            return Err(Step::Effect { key, effect: Effect::Git(Box::new(look)) });
        }
    };
    let (mut commits, mut more) = (Vec::new(), Vec::new());
    let branch = short(base.branch());
    match &looked.head {
        Head::Branch { name, commit } if name == base.branch() => {
            if !heads.contains(commit) {
                commits.push(words::branch_moved(lang, branch, &commit.as_str()[..12]));
            }
        }
        Head::Branch { name, .. } | Head::Unborn { name } => {
            more.push(words::branch_left(lang, branch, short(name)));
        }
        Head::Detached { .. } => more.push(words::branch_left(lang, branch, "HEAD")),
    }
    more.extend(looked.in_progress.as_ref().map(|what| words::operation(lang, what)));
    if !guarded.refs.is_empty() {
        more.push(words::refs_moved(lang, listed(&guarded.refs)));
    }
    if !guarded.files.is_empty() {
        let aside = guarded.aside.as_deref().unwrap_or("-");
        more.push(words::files_of_git(lang, listed(&guarded.files), aside));
    }
    Ok(match (more.is_empty(), commits.is_empty()) {
        (true, true) => Others::Nobody,
        (true, false) => Others::Committed(commits),
        (false, _) => Others::More([commits, more].concat()),
    })
}

/// A branch as people type it.
fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} (+{more})"),
    }
}

/// Where the branch may be since an attempt began: its base, and where hast or an attempt left it that
/// began at such a place itself. On any other base somebody else's commits lie in between.
fn own_heads(scene: &Scene<'_>, subtask: &Subtask, from: u32, base: &Base) -> Vec<ObjectId> {
    let mut heads = vec![base.commit().clone()];
    for number in from..=subtask.last_attempt {
        let began = scene.view.base(&scene.request.id, &subtask.id, number);
        if began.is_some_and(|began| heads.contains(began.commit())) {
            let left = subtask.heads.iter().filter(|(attempt, _)| *attempt == number);
            heads.extend(left.map(|(_, head)| head.clone()));
        }
    }
    heads
}

/// What became of an attempt that does not count.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    /// The ref that has everything.
    pub(super) saved: String,
    pub(super) others: Vec<String>,
    /// What no ref holds, and where it is now.
    pub(super) aside: Vec<Aside>,
    pub(super) tree: Tree,
}

impl Returned {
    /// Says in the detail of an event what became of the tree.
    pub(super) fn tell(&self, detail: &mut Value) {
        detail["saved"] = json!(self.saved);
        if !self.others.is_empty() {
            detail["others"] = json!(self.others);
        }
        if !self.aside.is_empty() {
            detail["aside"] = json!(self.aside);
        }
    }
}

/// What a way back put aside.
fn put_aside(scene: &Scene<'_>, back: &StepKey) -> Vec<Aside> {
    match scene.view.results.get(back) {
        Some(EffectResult::Git(GitResult::RolledBack(back))) => back.aside.clone(),
        _ => Vec::new(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// It is as the attempt found it.
    Back,
    /// The attempt's work is out of it, and what others committed stays.
    TakenOut,
    /// Whose is what is for a person to say.
    LeftAlone,
}

/// Everything is saved; then what is the attempt's goes, as far as nothing of others goes with it.
pub(super) fn go_back_to(
    scene: &Scene<'_>,
    subtask: &Subtask,
    attempt: u32,
) -> Result<Returned, Step> {
    let base = attempts::base(scene, &subtask.id, attempt)?;
    // An older base may be gone back to more than once.
    let part = |name: &str| key(scene, &subtask.id, attempt, &format!("{name}.{}", subtask.round));
    let others = look(scene, base, &own_heads(scene, subtask, attempt, base), part)?;
    let plan = || save_plan(scene, &subtask.id, subtask.last_attempt, base);
    let inspected = subtask.failures.last().and_then(|failure| failure.inspected.as_ref());
    let git = scene.git();
    let (saved, tree) = match (&others, inspected) {
        (Others::Nobody, _) => {
            (git.save_and_go_back(&part("save"), part("back"), plan, base)?, Tree::Back)
        }
        (Others::Committed(_), Some(inspected)) => {
            let saved = git.save(&part("save"), plan)?;
            let discard = || GitStep::Discard {
                left: LeftWork {
                    base: base.commit().clone(),
                    from: base.tree().clone(),
                    work: inspected.tree.clone(),
                    within: None,
                },
                saved: saved.clone(),
                rules: base.rules().clone(),
            };
            git.git(part("out"), discard)?;
            (saved, Tree::TakenOut)
        }
        (Others::Committed(_), None) | (Others::More(_), _) => {
            (git.save(&part("save"), plan)?, Tree::LeftAlone)
        }
    };
    let saved = saved.work().name.clone();
    let aside = put_aside(scene, &part("back"));
    Ok(Returned { saved, others: others.told().to_vec(), aside, tree })
}

/// The same for an attempt that was cut off: nobody looked at what it did, so that whatever is not as it
/// began may be a person's.
pub(super) fn clear_away(
    scene: &Scene<'_>,
    subtask: &Subtask,
    attempt: u32,
) -> Result<Returned, Step> {
    let base = attempts::base(scene, &subtask.id, attempt)?;
    let part = |name: &str| key(scene, &subtask.id, attempt, &format!("cut-{name}"));
    let others = look(scene, base, &[base.commit().clone()], part)?;
    let plan = || save_plan(scene, &subtask.id, attempt, base);
    let git = scene.git();
    let (saved, tree) = match &others {
        Others::Nobody => {
            (git.save_and_go_back(&part("save"), part("back"), plan, base)?, Tree::Back)
        }
        Others::Committed(_) | Others::More(_) => (git.save(&part("save"), plan)?, Tree::LeftAlone),
    };
    let saved = saved.work().name.clone();
    let aside = put_aside(scene, &part("back"));
    Ok(Returned { saved, others: others.told().to_vec(), aside, tree })
}

/// What others did since the call of an attempt ended, where another process has judged nothing of it yet.
pub(super) fn since_ended(
    scene: &Scene<'_>,
    subtask: &Subtask,
    attempt: u32,
    base: &Base,
) -> Result<Vec<String>, Step> {
    if !scene.facts.left_open(&attempts::judging(scene, subtask, attempt)) {
        return Ok(Vec::new());
    }
    let part = |name: &str| key(scene, &subtask.id, attempt, &format!("ended-{name}"));
    Ok(look(scene, base, &[base.commit().clone()], part)?.told().to_vec())
}

/// Files that are not as they were judged.
pub(super) fn changed_since(
    scene: &Scene<'_>,
    judged: &Judged,
    now: &ObjectId,
    key: &StepKey,
) -> Result<Vec<String>, Step> {
    if *now == judged.tree {
        return Ok(Vec::new());
    }
    let compare = || GitStep::Compare { from: judged.tree.clone(), to: now.clone() };
    match scene.git().git(key.clone(), compare)? {
        GitResult::Compared(lines) => {
            Ok(lines.iter().take(NAMED).map(|line| line.change.path.to_string()).collect())
        }
        _ => Err(unexpected(key, scene.facts.lang)),
    }
}
