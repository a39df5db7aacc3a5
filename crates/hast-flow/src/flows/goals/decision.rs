//! Decisions by numbers: the matrix of a ticket, the order of what was tried, and what stands against
//! taking the first. Pure; nothing here has tried anything.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::attempt::base::ObjectId;
use crate::docs::goals::{DecisionTicket, MOST_SCORE};
use crate::messages;
use crate::words::Lang;

/// How an alternative scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluated {
    pub id: String,
    pub title: String,
    /// The sum of weight * score / 5.
    pub total: f64,
    pub eligible: bool,
    /// Criteria under their minimum.
    pub below: Vec<String>,
    /// Criteria without a score; they count as 0.
    pub missing: Vec<String>,
}

/// All alternatives, as the ticket has them.
pub fn evaluate(ticket: &DecisionTicket) -> Vec<Evaluated> {
    let matrix = ticket.matrix();
    let one = |alternative: &crate::docs::goals::Alternative| {
        let score = |name: &str| alternative.scores.get(name).copied();
        let named = |wanted: &dyn Fn(&crate::docs::goals::Criterion) -> bool| -> Vec<String> {
            matrix.iter().filter(|one| wanted(one)).map(|one| one.name.clone()).collect()
        };
        let missing = named(&|one| score(&one.name).is_none());
        let below = named(&|one| score(&one.name).is_some_and(|score| score < one.minimum));
        let points: u64 = matrix
            .iter()
            .map(|one| u64::from(one.weight) * u64::from(score(&one.name).unwrap_or(0)))
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "weights are small")]
        let total = points as f64 / f64::from(MOST_SCORE);
        Evaluated {
            id: alternative.id.clone(),
            title: alternative.title.clone(),
            total,
            eligible: below.is_empty() && missing.is_empty(),
            below,
            missing,
        }
    };
    ticket.alternatives.iter().map(one).collect()
}

/// What a try of an alternative came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    pub id: String,
    pub passed: bool,
    /// The judge's words.
    pub class: String,
    pub code: String,
    pub reason: String,
    /// Lines that came and went, in commits and files alike; a renamed file counts what changed in it.
    pub diff_lines: u64,
    pub changed_files: u64,
    pub duration_seconds: i64,
    /// Where the work is kept, and what a commit of it holds.
    #[serde(rename = "ref")]
    pub kept: String,
    pub saved: ObjectId,
    pub tree: ObjectId,
    /// The words of that commit, as the user's hooks left them; none for what did not pass.
    pub message: String,
    /// Refs that moved meanwhile, by whoever.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_refs: Vec<String>,
}

/// Best first: passed, fewer lines, fewer files, id.
pub fn rank(tried: impl IntoIterator<Item = Measured>) -> Vec<Measured> {
    let mut all: Vec<Measured> = tried.into_iter().collect();
    all.sort_by_key(|one| (Reverse(one.passed), one.diff_lines, one.changed_files, one.id.clone()));
    all
}

/// What made the first the first: the first thing in which it is unlike the second.
pub fn why(ranking: &[Measured]) -> &'static str {
    match ranking {
        [] => "none_passed",
        [first, ..] if !first.passed => "none_passed",
        [_] => "passed",
        [first, second, ..] if first.passed != second.passed => "passed",
        [first, second, ..] if first.diff_lines != second.diff_lines => "diff_lines",
        [first, second, ..] if first.changed_files != second.changed_files => "changed_files",
        _ => "id",
    }
}

/// What has to hold before the winner is merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// The code that has to be the reason, with or without `why:`.
    pub if_reason: Option<String>,
    pub max_diff_lines: Option<u64>,
    pub max_changed_files: Option<u64>,
    pub require_eligible: bool,
}

/// A guard that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    NonePassed,
    Reason { wanted: String, is: &'static str },
    DiffLines { most: u64, is: u64 },
    ChangedFiles { most: u64, is: u64 },
    NotEligible { id: String, why: String },
}

/// The winner, if all guards hold; else the first that does not.
pub fn accepted<'m>(
    ranking: &'m [Measured],
    guards: &Guards,
    evaluated: &[Evaluated],
) -> Result<&'m Measured, Failed> {
    let winner = ranking.first().filter(|first| first.passed).ok_or(Failed::NonePassed)?;
    let is = why(ranking);
    if let Some(wanted) = &guards.if_reason {
        let code = wanted.strip_prefix("why:").unwrap_or(wanted);
        if code != is {
            return Err(Failed::Reason { wanted: code.to_owned(), is });
        }
    }
    if let Some(most) = guards.max_diff_lines.filter(|most| winner.diff_lines > *most) {
        return Err(Failed::DiffLines { most, is: winner.diff_lines });
    }
    if let Some(most) = guards.max_changed_files.filter(|most| winner.changed_files > *most) {
        return Err(Failed::ChangedFiles { most, is: winner.changed_files });
    }
    let of_winner = evaluated.iter().find(|one| one.id == winner.id);
    if guards.require_eligible && !of_winner.is_some_and(|one| one.eligible) {
        let open = of_winner.map(|one| [&one.below[..], &one.missing[..]].concat());
        let why = open.unwrap_or_default().join(", ");
        return Err(Failed::NotEligible { id: winner.id.clone(), why });
    }
    Ok(winner)
}

messages! {
    none_passed() { en: "no alternative passed", ko: "통과한 대안이 없습니다" }
    reason(wanted, is) { en: "--accept-if-reason {wanted} does not hold: the reason is why:{is}", ko: "--accept-if-reason {wanted} 조건이 맞지 않습니다. 이유는 why:{is}입니다" }
    diff_lines(most, is) { en: "--accept-max-diff-lines {most} does not hold: the winner has {is}", ko: "--accept-max-diff-lines {most} 조건이 맞지 않습니다. 1위는 {is}줄입니다" }
    changed_files(most, is) { en: "--accept-max-changed-files {most} does not hold: the winner has {is}", ko: "--accept-max-changed-files {most} 조건이 맞지 않습니다. 1위는 파일 {is}개입니다" }
    not_eligible(id, why) { en: "--accept-require-eligible does not hold: {id} is under its minimum or has no score in {why}", ko: "--accept-require-eligible 조건이 맞지 않습니다. {id}의 {why} 점수가 최소보다 낮거나 없습니다" }
}

impl Failed {
    /// For programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NonePassed => "none_passed",
            Self::Reason { .. } => "accept_if_reason",
            Self::DiffLines { .. } => "accept_max_diff_lines",
            Self::ChangedFiles { .. } => "accept_max_changed_files",
            Self::NotEligible { .. } => "accept_require_eligible",
        }
    }

    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NonePassed => none_passed(lang),
            Self::Reason { wanted, is } => reason(lang, wanted, is),
            Self::DiffLines { most, is } => diff_lines(lang, most, is),
            Self::ChangedFiles { most, is } => changed_files(lang, most, is),
            Self::NotEligible { id, why } => not_eligible(lang, id, why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::document::read;
    use crate::formats::source::Source;
    use crate::words::placeholders;

    fn ticket(a: &str, b: &str) -> DecisionTicket {
        let text = format!(
            "id: D1\nquestion: q\nalternatives:\n  - id: A\n    title: a\n    scores: {{{a}}}\n  - id: B\n    title: b\n    scores: {{{b}}}\n"
        );
        read::<DecisionTicket>(&Source::new("d.yaml", &text)).unwrap().value
    }

    const GOOD: &str = "contract_fit: 4, regression_risk: 3, operability: 5, delivery_speed: 2, security_posture: 3";

    #[test]
    fn a_total_is_the_sum_of_weights_times_scores_over_five() {
        let found = evaluate(&ticket(GOOD, "contract_fit: 5"));
        // 30*4/5 + 20*3/5 + 20*5/5 + 15*2/5 + 15*3/5
        assert!((found[0].total - 71.0).abs() < 1e-9 && found[0].eligible, "{found:?}");
        assert!((found[1].total - 30.0).abs() < 1e-9 && !found[1].eligible, "{found:?}");
        assert_eq!(found[1].missing.len(), 4);
    }

    #[test]
    fn under_a_minimum_nobody_is_eligible_whatever_the_total() {
        let low = GOOD.replace("delivery_speed: 2", "delivery_speed: 1");
        let found = evaluate(&ticket(GOOD, &low));
        assert_eq!((found[0].eligible, found[1].eligible), (true, false));
        assert_eq!(found[1].below, ["delivery_speed"]);
    }

    fn one(id: &str, passed: bool, diff_lines: u64, changed_files: u64) -> Measured {
        let object: ObjectId = "a".repeat(40).parse().unwrap();
        Measured {
            id: id.into(),
            passed,
            class: String::new(),
            code: String::new(),
            reason: String::new(),
            diff_lines,
            changed_files,
            duration_seconds: 0,
            kept: String::new(),
            saved: object.clone(),
            tree: object,
            message: String::new(),
            moved_refs: Vec::new(),
        }
    }

    fn order(all: &[Measured]) -> (String, &'static str) {
        let ranking = rank(all.to_vec());
        (ranking.iter().map(|one| one.id.as_str()).collect(), why(&ranking))
    }

    #[test]
    fn what_passed_comes_first_then_lines_files_and_id_decide() {
        let (a, b, c) = (one("A", false, 1, 1), one("B", true, 9, 2), one("C", true, 9, 1));
        assert_eq!(order(&[a.clone(), b.clone(), c.clone()]), ("CBA".into(), "changed_files"));
        assert_eq!(order(&[a.clone(), b.clone()]), ("BA".into(), "passed"));
        assert_eq!(order(&[b.clone(), one("D", true, 3, 7)]), ("DB".into(), "diff_lines"));
        assert_eq!(order(&[one("E", true, 9, 2), b]), ("BE".into(), "id"));
        assert_eq!(order(&[a]), ("A".into(), "none_passed"));
    }

    #[test]
    fn the_first_guard_that_does_not_hold_is_named() {
        let ranking = rank([one("A", true, 10, 3), one("B", true, 20, 1)]);
        let evaluated = evaluate(&ticket("contract_fit: 5", GOOD));
        let taken = |guards: Guards| accepted(&ranking, &guards, &evaluated).map(|m| m.id.clone());
        let none = Guards::default();
        assert_eq!(taken(none.clone()), Ok("A".into()));
        let reason = |code: &str| Guards { if_reason: Some(code.into()), ..Guards::default() };
        assert_eq!(taken(reason("why:diff_lines")), Ok("A".into()));
        assert_eq!(taken(reason("passed")).unwrap_err().code(), "accept_if_reason");
        let lines = Guards { max_diff_lines: Some(9), ..none.clone() };
        assert_eq!(taken(lines), Err(Failed::DiffLines { most: 9, is: 10 }));
        let files = Guards { max_changed_files: Some(2), ..none.clone() };
        assert_eq!(taken(files), Err(Failed::ChangedFiles { most: 2, is: 3 }));
        let eligible = Guards { require_eligible: true, ..none.clone() };
        assert_eq!(taken(eligible).unwrap_err().code(), "accept_require_eligible");
        let lost = rank([one("A", false, 0, 0)]);
        assert_eq!(accepted(&lost, &none, &evaluated), Err(Failed::NonePassed));
    }

    #[test]
    fn every_guard_is_said_in_both_languages() {
        for entry in CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
