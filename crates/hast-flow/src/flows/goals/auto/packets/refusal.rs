//! Why a result does not come in: nothing was written, and nothing changed.

use crate::messages;
use crate::words::Lang;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    UnknownPacket {
        packet: String,
    },
    /// The packet has a result already, and it is another one.
    OtherResult {
        packet: String,
    },
    WrongGoal {
        found: String,
        expected: String,
    },
    UnknownGoal {
        goal: String,
    },
    /// The goal is done, blocked, waiting: nobody is to work on it now.
    NotOpen {
        what: String,
        next: String,
    },
    /// It began somewhere else than the task says, or that is no longer part of the branch.
    StaleBase {
        found: String,
        expected: String,
    },
    LostLease {
        goal: String,
        why: String,
    },
    /// The patch cannot be looked at safely.
    BadPatch {
        why: String,
    },
    /// The patch has a changed binary file as git writes one.
    BinaryDelta,
}

messages! {
    unknown_packet(packet) { en: "there is no packet {packet}", ko: "패킷 {packet}(이)가 없습니다" }
    unknown_packet_next() { en: "a result answers a task that hast protocol export made here; see .ai/protocols/", ko: "결과는 여기서 hast protocol export로 만든 작업에만 답할 수 있습니다. .ai/protocols/를 보세요" }
    other_result(packet) { en: "{packet} has another result already", ko: "{packet}에는 이미 다른 결과가 있습니다" }
    other_result_next() { en: "a packet is answered once; make a new one with hast protocol export", ko: "패킷에는 한 번만 답할 수 있습니다. hast protocol export로 새로 만드세요" }
    wrong_goal(found, expected) { en: "the result is for {found}, the packet is for {expected}", ko: "결과는 {found}의 것이고 패킷은 {expected}의 것입니다" }
    wrong_goal_next() { en: "correct goal_id, or answer the packet of that goal", ko: "goal_id를 고치거나 그 목표의 패킷에 답하세요" }
    unknown_goal(goal) { en: "there is no goal {goal} any more", ko: "목표 {goal}(이)가 더는 없습니다" }
    unknown_goal_next() { en: "put it back into .ai/goals.yaml, or drop the result", ko: ".ai/goals.yaml에 되돌려 놓거나 결과를 버리세요" }
    stale_base(found, expected) { en: "the result began at {found}; only {expected}, as part of your branch, counts", ko: "결과가 {found}에서 시작했습니다. 브랜치에 포함된 {expected}에서 시작한 것만 인정합니다" }
    stale_base_next() { en: "make a new packet with hast protocol export and do the work from its base", ko: "hast protocol export로 새 패킷을 만들고 그 base에서 다시 작업하세요" }
    lost_lease(goal, why) { en: "the claim on {goal} is lost: {why}", ko: "{goal}에 대한 claim을 잃었습니다: {why}" }
    lost_lease_next() { en: "make a new packet with hast protocol export; renew in time with hast queue renew", ko: "hast protocol export로 새 패킷을 만들고, 다음에는 hast queue renew로 제때 갱신하세요" }
    bad_patch(why) { en: "the patch is not taken: {why}", ko: "패치를 받지 않습니다: {why}" }
    binary_delta() { en: "the patch is not taken: it has a binary file as a delta, and only whole ones are read", ko: "패치를 받지 않습니다: 바이너리 파일이 delta로 들어 있습니다. 전체 내용만 읽습니다" }
    binary_delta_next() { en: "push the work as a branch and name it in `branch`", ko: "작업을 브랜치로 push하고 `branch`에 적으세요" }
    bad_patch_next() { en: "deliver the output of git diff --binary BASE, or push a branch and name it in `branch`", ko: "git diff --binary BASE의 출력을 보내거나 브랜치를 push하고 `branch`에 적으세요" }
}

impl Refused {
    /// For programs; it never changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownPacket { .. } => "unknown_packet",
            Self::OtherResult { .. } => "other_result",
            Self::WrongGoal { .. } => "wrong_goal",
            Self::UnknownGoal { .. } => "unknown_goal",
            Self::NotOpen { .. } => "goal_not_open",
            Self::StaleBase { .. } => "stale_base",
            Self::LostLease { .. } => "lost_lease",
            Self::BadPatch { .. } | Self::BinaryDelta => "bad_patch",
        }
    }

    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::UnknownPacket { packet } => unknown_packet(lang, packet),
            Self::OtherResult { packet } => other_result(lang, packet),
            Self::WrongGoal { found, expected } => wrong_goal(lang, found, expected),
            Self::UnknownGoal { goal } => unknown_goal(lang, goal),
            Self::NotOpen { what, .. } => what.clone(),
            Self::StaleBase { found, expected } => stale_base(lang, found, expected),
            Self::LostLease { goal, why } => lost_lease(lang, goal, why),
            Self::BadPatch { why } => bad_patch(lang, why),
            Self::BinaryDelta => binary_delta(lang),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::UnknownPacket { .. } => unknown_packet_next(lang),
            Self::OtherResult { .. } => other_result_next(lang),
            Self::WrongGoal { .. } => wrong_goal_next(lang),
            Self::UnknownGoal { .. } => unknown_goal_next(lang),
            Self::NotOpen { next, .. } => next.clone(),
            Self::StaleBase { .. } => stale_base_next(lang),
            Self::LostLease { .. } => lost_lease_next(lang),
            Self::BadPatch { .. } => bad_patch_next(lang),
            Self::BinaryDelta => binary_delta_next(lang),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::words::placeholders;

    #[test]
    fn every_refusal_is_said_in_both_languages() {
        for entry in super::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
