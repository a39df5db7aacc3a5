//! Endings that the driver itself gives: bounds, edits of people, results that never count.

use crate::messages;
use crate::steps::{CallResult, EffectResult, Ending, Later, Notice, StepKey, WaitsFor};
use crate::store::Conflict;
use crate::words::{Lang, shell_word};

messages! {
    too_many_steps(count) { en: "stopped after {count} steps", ko: "{count}단계 뒤에 멈췄습니다" }
    too_many_steps_next() { en: "look at what repeats in .hast/steps.ndjson, then resume", ko: ".hast/steps.ndjson에서 반복되는 것을 확인한 뒤 이어서 실행하세요" }
    goes_in_circles(step) { en: "the step {step} was asked for again right after it ended", ko: "끝난 단계 {step}(을)를 곧바로 다시 요청했습니다" }
    goes_in_circles_next() { en: "this is a mistake in hast; please report it", ko: "hast의 오류입니다. 알려 주세요" }
    edited_meanwhile(files) { en: "someone edited these files while they were written; theirs stand, ours are beside them: {files}", ko: "쓰는 동안 누군가 편집한 파일이 있습니다. 그 내용을 남기고 우리 것은 옆에 두었습니다: {files}" }
    edited_meanwhile_next() { en: "compare the two, keep what is right, then resume", ko: "둘을 비교해 맞는 것을 남기고 이어서 실행하세요" }
    always_stale(path) { en: "{path} is in the way: it is there already, or it changes faster than it can be read", ko: "{path}(이)가 가로막고 있습니다. 이미 있거나 읽기보다 빠르게 바뀝니다" }
    interrupted() { en: "interrupted; nothing is lost", ko: "중단했습니다. 잃은 것은 없습니다" }
    interrupted_next() { en: "run the same command again to go on", ko: "같은 명령을 다시 실행하면 이어서 진행합니다" }
    limited(agent) { en: "{agent} has reached its usage limit; no attempt was spent", ko: "{agent}(이)가 사용 한도에 도달했습니다. 시도는 소모되지 않았습니다" }
    limited_next(until) { en: "run the same command after {until}; `hast agent limits` shows and clears limits", ko: "다음 시각 뒤에 같은 명령을 실행하세요: {until}. `hast agent limits`로 한도를 보고 지울 수 있습니다" }
    login_needed(agent, advice) { en: "{agent} is not logged in: {advice}", ko: "{agent}에 로그인되어 있지 않습니다: {advice}" }
    login_needed_next(agent) { en: "log in to {agent}, then run the same command again", ko: "{agent}에 로그인한 뒤 같은 명령을 다시 실행하세요" }
    later(source, cause) { en: "{source} cannot be asked now, and no attempt was spent: {cause}", ko: "지금은 {source}에 물을 수 없으며 시도는 소모되지 않았습니다: {cause}" }
    later_next(until) { en: "resume after {until}, or try at once with `--now`", ko: "다음 시각 뒤에 이어서 실행하거나 `--now`로 바로 시도하세요: {until}" }
    no_result() { en: "an effect was begun and never came back", ko: "시작한 작업이 결과 없이 끝났습니다" }
    always_stale_next(path) { en: "close what writes it, or move it away with mv {path} {path}.aside, then run the same command again", ko: "그것을 쓰는 프로그램을 닫거나 mv {path} {path}.aside(으)로 옮긴 뒤 같은 명령을 다시 실행하세요" }
}

/// A step was asked for again right after it ended.
pub(super) fn circles(lang: Lang, key: &StepKey) -> Ending {
    blocked(goes_in_circles(lang, key), goes_in_circles_next(lang))
}

/// Reading again and deciding again did not help.
pub(super) fn stale(lang: Lang, path: &str) -> Ending {
    blocked(always_stale(lang, path), always_stale_next(lang, shell_word(path)))
}

pub(super) fn bounded(lang: Lang, steps: u64) -> Ending {
    blocked(too_many_steps(lang, steps), too_many_steps_next(lang))
}

/// The world lost an effect.
pub(super) fn lost(lang: Lang) -> Ending {
    blocked(no_result(lang), goes_in_circles_next(lang))
}

/// A person's edit stands; what we would have written is beside it.
pub(super) fn edited(lang: Lang, conflicts: &[Conflict]) -> Ending {
    let named = conflicts.iter().map(|conflict| match &conflict.ours {
        Some(ours) => format!("{} ({ours})", conflict.path),
        None => conflict.path.to_string(),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    blocked(edited_meanwhile(lang, named), edited_meanwhile_next(lang))
}

/// The ending that a result means when it never counts: no attempt is spent, and the flow does not
/// hear of it.
pub fn stops(result: &EffectResult, lang: Lang) -> Option<Ending> {
    let result = match result {
        EffectResult::Call(result) => result,
        EffectResult::Later(Later { source, cause, until }) => {
            let (what, next) = (later(lang, source, cause), later_next(lang, until.text(lang)));
            let on = WaitsFor::Source(until.at());
            return Some(Ending::Waiting { notice: Notice { what, next }, on });
        }
        _ => return None,
    };
    match result {
        CallResult::Completed(_)
        | CallResult::Broken { .. }
        | CallResult::Failed { .. }
        | CallResult::Blocked { .. } => None,
        CallResult::Limited { agent, until } => Some(Ending::Waiting {
            notice: Notice {
                what: limited(lang, agent),
                next: limited_next(lang, until.text(lang)),
            },
            on: WaitsFor::Time(until.at()),
        }),
        CallResult::LoginNeeded { agent, advice } => {
            let what = login_needed(lang, agent, advice);
            Some(Ending::Blocked(Notice { what, next: login_needed_next(lang, agent) }))
        }
        CallResult::NotStarted { reason, next } | CallResult::OverBudget { reason, next } => {
            Some(Ending::Blocked(Notice { what: reason.clone(), next: next.clone() }))
        }
        CallResult::Cancelled => Some(Ending::Interrupted(Notice {
            what: interrupted(lang),
            next: interrupted_next(lang),
        })),
    }
}

fn blocked(what: String, next: String) -> Ending {
    Ending::Blocked(Notice { what, next })
}
