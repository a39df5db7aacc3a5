//! A project's knowledge is its decisions, patterns and pitfalls, kept for later contracts. Only
//! pieces that passed a gate are taken in. A newer piece supersedes an older one, and the commit
//! tells every change.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::json;

use crate::attempt_steps::blocked;
use crate::docs::contract::{
    ContractEventKind as Kind, Decision, DecisionDraft, Pattern, Pitfall, Project, ProjectKnowledge,
};
use crate::docs::document::Version;
use crate::driver::Facts;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::view::View;
use crate::flows::contract::write::{Draft, yaml};
use crate::flows::contract::{ContractFlow, words};
use crate::gates::{Evidence, Outcome, Passed, gate};
use crate::ids::SubtaskId;
use crate::steps::{Ending, Notice, Step};
use crate::time::{Day, UtcTime};

/// Something that may become knowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewPiece {
    Decision(DecisionDraft),
    Pitfall { description: String, reason: String, learned_from: Option<String> },
    Pattern { name: String, value: Pattern },
}

/// What changes when pieces are taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    pub knowledge: ProjectKnowledge,
    pub added: Vec<String>,
    pub superseded: Vec<String>,
}

/// What is known where nothing was learnt yet.
pub(super) fn nothing(project: Project, now: UtcTime) -> ProjectKnowledge {
    ProjectKnowledge {
        version: Version,
        project,
        patterns: IndexMap::new(),
        decisions: Vec::new(),
        pitfalls: Vec::new(),
        updated_at: now,
    }
}

/// Takes pieces in that passed; nothing if all of them are known.
pub fn learn(
    known: Option<&ProjectKnowledge>,
    project: &Project,
    passed: &Passed<Vec<NewPiece>>,
    now: UtcTime,
) -> Option<Lesson> {
    let mut lesson = Lesson {
        knowledge: known.cloned().unwrap_or_else(|| nothing(project.clone(), now)),
        added: Vec::new(),
        superseded: Vec::new(),
    };
    for piece in passed.subject() {
        lesson.take(piece, now);
    }
    lesson.knowledge.updated_at = now;
    (!lesson.added.is_empty()).then_some(lesson)
}

impl Lesson {
    fn take(&mut self, piece: &NewPiece, now: UtcTime) {
        match piece {
            NewPiece::Decision(draft) => self.decide(draft, now),
            NewPiece::Pitfall { description, reason, learned_from } => {
                let pitfalls = &mut self.knowledge.pitfalls;
                if pitfalls.iter().any(|known| known.description == *description) {
                    return;
                }
                let id = next_id('P', pitfalls.iter().map(|known| known.id.as_str()));
                pitfalls.push(Pitfall {
                    id: id.clone(),
                    description: description.clone(),
                    reason: reason.clone(),
                    learned_from: learned_from.clone(),
                });
                self.added.push(id);
            }
            NewPiece::Pattern { name, value } => {
                match self.knowledge.patterns.insert(name.clone(), value.clone()) {
                    Some(before) if before == *value => return,
                    Some(_) => self.superseded.push(name.clone()),
                    None => {}
                }
                self.added.push(name.clone());
            }
        }
    }

    /// A decision on a topic that was decided before stands after it and says so.
    fn decide(&mut self, draft: &DecisionDraft, now: UtcTime) {
        let decisions = &mut self.knowledge.decisions;
        let before = decisions.iter().rev().find(|known| known.topic == draft.topic);
        if before.is_some_and(|known| known.decision == draft.decision) {
            return;
        }
        let before = before.map(|known| known.id.clone());
        let rationale = match &before {
            Some(old) => format!("{} (supersedes {old})", draft.rationale),
            None => draft.rationale.clone(),
        };
        let id = next_id('D', decisions.iter().map(|known| known.id.as_str()));
        decisions.push(Decision {
            id: id.clone(),
            topic: draft.topic.clone(),
            decision: draft.decision.clone(),
            rationale,
            refs: draft.refs.clone(),
            created_at: Day::new(now.instant().to_zoned(jiff::tz::TimeZone::UTC).date()),
        });
        self.added.push(id);
        self.superseded.extend(before);
    }
}

fn next_id<'i>(letter: char, ids: impl Iterator<Item = &'i str>) -> String {
    let numbers = ids.filter_map(|id| id.strip_prefix(letter)?.parse::<u64>().ok());
    format!("{letter}{}", numbers.max().unwrap_or(0).saturating_add(1))
}

/// A commit that also keeps what passed.
pub(super) fn with_lesson<'v>(
    scene: &Scene<'_>,
    draft: Draft<'v>,
    passed: &Passed<Vec<NewPiece>>,
    subtask: Option<&SubtaskId>,
) -> Result<Draft<'v>, Step> {
    if passed.subject().is_empty() {
        return Ok(draft);
    }
    let known = readable(scene.view, scene.facts)?;
    let project = &scene.flow.settings.project;
    let Some(lesson) = learn(known, project, passed, scene.facts.now) else { return Ok(draft) };
    Ok(kept(draft, &lesson, subtask))
}

fn kept<'v>(draft: Draft<'v>, lesson: &Lesson, subtask: Option<&SubtaskId>) -> Draft<'v> {
    let mut detail = json!({ "added": lesson.added });
    if !lesson.superseded.is_empty() {
        detail["superseded"] = json!(lesson.superseded);
    }
    if let Some(subtask) = subtask {
        detail["learned_from"] = json!(subtask);
    }
    let draft = draft.knowledge(yaml(&lesson.knowledge));
    draft.event(ORCHESTRATOR, Kind::KnowledgeLearned, detail)
}

fn readable<'v>(view: &'v View, facts: &Facts<'_>) -> Result<Option<&'v ProjectKnowledge>, Step> {
    match &view.knowledge {
        None => Ok(None),
        Some(known) => match &known.value {
            Some(value) => Ok(Some(value)),
            None => Err(blocked(
                words::bad_knowledge(facts.lang),
                words::bad_knowledge_next(facts.lang),
            )),
        },
    }
}

/// `hast contract knowledge add`: a person's word is the gate.
pub(super) fn add(flow: &ContractFlow, view: &View, facts: &Facts<'_>, piece: &NewPiece) -> Step {
    let known = match readable(view, facts) {
        Ok(known) => known,
        Err(step) => return step,
    };
    let evidence = Evidence::default().with("a person says so", Outcome::Met);
    let Ok(passed) = gate(vec![piece.clone()], &evidence) else {
        return blocked(words::bad_knowledge(facts.lang), words::bad_knowledge_next(facts.lang));
    };
    match learn(known, &flow.settings.project, &passed, facts.now) {
        Some(lesson) => {
            kept(Draft::new(view, facts, &flow.settings, "knowledge"), &lesson, None).step()
        }
        None => {
            let name = match piece {
                NewPiece::Decision(draft) => &draft.topic,
                NewPiece::Pitfall { description, .. } => description,
                NewPiece::Pattern { name, .. } => name,
            };
            let what = words::learned(facts.lang, name);
            let next = words::learned_next(facts.lang);
            Step::Finish(Ending::Done(Notice { what, next }))
        }
    }
}

/// What of it concerns a text, the closest first, within so many bytes. Superseded decisions are left
/// out.
pub fn relevant(knowledge: &ProjectKnowledge, text: &str, most_bytes: usize) -> Vec<String> {
    let wanted = words_of(text);
    let score = |line: &str| words_of(line).intersection(&wanted).count();
    let mut scored: Vec<(usize, String)> = Vec::new();
    for (index, one) in knowledge.decisions.iter().enumerate() {
        let newer = knowledge.decisions[index + 1..].iter().any(|later| later.topic == one.topic);
        if !newer {
            let line = format!("[{}] {}: {} ({})", one.id, one.topic, one.decision, one.rationale);
            scored.push((score(&line), line));
        }
    }
    for one in &knowledge.pitfalls {
        let line = format!("[{}] {} ({})", one.id, one.description, one.reason);
        scored.push((score(&line), line));
    }
    scored.retain(|(score, _)| *score > 0);
    // Stable: among equals the order of the file stays.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let patterns =
        knowledge.patterns.iter().map(|(name, value)| format!("[{name}] {}", shown(value)));
    let mut left = most_bytes;
    let lines = patterns.chain(scored.into_iter().map(|(_, line)| line));
    lines
        .take_while(|line| {
            let fits = line.len() <= left;
            left = left.saturating_sub(line.len() + 1);
            fits
        })
        .collect()
}

fn shown(value: &Pattern) -> String {
    match value {
        Pattern::Text(text) => text.clone(),
        Pattern::Group(group) => group
            .iter()
            .map(|(name, text)| format!("{name}: {text}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The words of a text, for comparing.
pub(super) fn words_of(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> Project {
        Project { path: "/p".into(), name: "p".into(), hash: "a1b2c3d4".parse().unwrap() }
    }

    fn passed(pieces: Vec<NewPiece>) -> Passed<Vec<NewPiece>> {
        gate(pieces, &Evidence::default().with("gates", Outcome::Met)).unwrap()
    }

    fn decision(topic: &str, decision: &str) -> NewPiece {
        NewPiece::Decision(DecisionDraft {
            topic: topic.to_owned(),
            decision: decision.to_owned(),
            rationale: "because".to_owned(),
            refs: Vec::new(),
        })
    }

    fn now() -> UtcTime {
        "2026-01-12T14:30:00Z".parse().unwrap()
    }

    #[test]
    fn a_newer_decision_supersedes_and_the_older_stays() {
        let first = learn(None, &project(), &passed(vec![decision("auth", "JWT")]), now()).unwrap();
        assert_eq!(first.added, ["D1"]);
        let again = passed(vec![decision("auth", "JWT")]);
        assert_eq!(learn(Some(&first.knowledge), &project(), &again, now()), None);
        let other = passed(vec![decision("auth", "sessions")]);
        let second = learn(Some(&first.knowledge), &project(), &other, now()).unwrap();
        assert_eq!(
            (second.added, second.superseded),
            (vec!["D2".to_owned()], vec!["D1".to_owned()])
        );
        assert_eq!(second.knowledge.decisions.len(), 2);
        assert!(second.knowledge.decisions[1].rationale.contains("supersedes D1"));
        let lines = relevant(&second.knowledge, "how does auth work", 1000);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("[D2]"), "{lines:?}");
    }

    #[test]
    fn what_is_injected_concerns_the_call_and_fits() {
        let pieces = vec![
            decision("parser", "by hand"),
            decision("colours", "none"),
            NewPiece::Pitfall {
                description: "the parser must not recurse".to_owned(),
                reason: "deep input".to_owned(),
                learned_from: Some("R1/T1-S1".to_owned()),
            },
        ];
        let knowledge = learn(None, &project(), &passed(pieces), now()).unwrap().knowledge;
        let lines = relevant(&knowledge, "write the parser", 1000);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("[P1]"), "two words in common come first: {lines:?}");
        assert_eq!(relevant(&knowledge, "write the parser", 10), Vec::<String>::new());
    }
}
