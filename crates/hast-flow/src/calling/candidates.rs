//! Candidates are the agents of a call in the order in which hast asks them: the chosen agent
//! first, then the fallbacks. A fallback is asked only while all agents before it are limited or
//! not installed.

use crate::agents::choice::{Chosen, Wishes, choose, fallbacks};
use crate::agents::problem::AgentProblem;
use crate::agents::resume_time::KnownLimit;
use crate::words::Lang;

/// The agents of a call in the order in which they are asked.
pub fn candidates(wishes: Wishes<'_>) -> Result<Vec<Chosen>, AgentProblem> {
    let first = choose(wishes)?;
    let rest = fallbacks(&first, wishes.config)?;
    Ok(std::iter::once(first).chain(rest).collect())
}

/// Whether an agent can be asked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    Limited(KnownLimit),
    /// Its program is not installed.
    Missing,
}

/// What to do about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Ask this candidate.
    Ask(usize),
    /// Nobody can be asked before this time, when this candidate can.
    Wait { candidate: usize, until: KnownLimit },
    /// None is installed.
    Nobody,
}

/// The first that is ready; else the one that is ready first.
pub fn turn(candidates: &[Readiness]) -> Turn {
    if let Some(ready) = candidates.iter().position(|state| *state == Readiness::Ready) {
        return Turn::Ask(ready);
    }
    let limited = candidates.iter().enumerate().filter_map(|(candidate, state)| match state {
        Readiness::Limited(until) => Some((*until, candidate)),
        Readiness::Ready | Readiness::Missing => None,
    });
    match limited.min() {
        Some((until, candidate)) => Turn::Wait { candidate, until },
        None => Turn::Nobody,
    }
}

/// The words for [`Turn::Nobody`]: what, and what to do.
pub fn nobody(programs: &[&str], lang: Lang) -> (String, String) {
    (say::nobody(lang, programs.join(", ")), say::nobody_next(lang))
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        nobody(programs) { en: "no agent can be asked; these programs are not installed: {programs}", ko: "부를 수 있는 에이전트가 없습니다. 설치되지 않은 프로그램: {programs}" }
        nobody_next() { en: "install one, or name another agent in .ai/config.yaml or with --tool; `hast agent doctor` shows what is there", ko: "하나를 설치하거나 .ai/config.yaml 또는 --tool로 다른 에이전트를 지정하세요. `hast agent doctor`가 무엇이 있는지 보여 줍니다" }
        gave_up(agent) { en: "`{agent}` has refused for twelve hours without saying until when", ko: "`{agent}`(이)가 언제까지인지 말하지 않고 열두 시간 동안 거절했습니다" }
        gave_up_next(agent) { en: "check the plan and the limits of `{agent}`, or choose another agent, then run the same command again", ko: "`{agent}`의 요금제와 한도를 확인하거나 다른 에이전트를 고른 뒤 같은 명령을 다시 실행하세요" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::resume_time::ResetSource;

    fn at(text: &str) -> KnownLimit {
        KnownLimit { until: text.parse().unwrap(), source: ResetSource::Agent }
    }

    #[test]
    fn a_fallback_is_asked_only_while_those_before_are_limited_or_missing() {
        use Readiness::{Limited, Missing, Ready};
        let (noon, later) = (at("2026-01-12T12:00:00Z"), at("2026-01-12T13:00:00Z"));
        assert_eq!(turn(&[Ready, Ready]), Turn::Ask(0));
        assert_eq!(turn(&[Limited(noon), Missing, Ready]), Turn::Ask(2));
        let wait = Turn::Wait { candidate: 1, until: noon };
        assert_eq!(turn(&[Limited(later), Limited(noon), Missing]), wait);
        assert_eq!(turn(&[Missing]), Turn::Nobody);
    }
}
