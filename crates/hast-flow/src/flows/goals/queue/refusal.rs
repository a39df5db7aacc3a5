//! Why a worker does not get what it asked for: a code for programs, words for people.

use crate::docs::goals::{ClaimStatus, QueueLane};
use crate::leases;
use crate::messages;
use crate::time::UtcTime;
use crate::words::Lang;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    MaxActiveClaims {
        most: usize,
        held: Vec<String>,
    },
    RolePhaseMismatch {
        goal: String,
        lane: QueueLane,
    },
    RoleNoClaimableGoals {
        role: QueueLane,
    },
    GoalAlreadyClaimed {
        goal: String,
        by: String,
        until: UtcTime,
    },
    GoalNotClaimable {
        goal: String,
    },
    NoClaimableGoals,
    ClaimNotFound {
        claim: String,
    },
    ClaimNotActive {
        claim: String,
        status: ClaimStatus,
    },
    NotClaimOwner {
        claim: String,
        owner: String,
    },
    /// The time asked for is outside of the policy.
    BadTime {
        most_minutes: i64,
    },
    /// A line of the log has the last fence there is.
    NoFence,
}

/// The word for programs; it is never translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    MaxActiveClaims,
    RolePhaseMismatch,
    RoleNoClaimableGoals,
    GoalAlreadyClaimed,
    GoalNotClaimable,
    NoClaimableGoals,
    ClaimNotFound,
    ClaimNotActive,
    NotClaimOwner,
    BadTime,
    NoFence,
}

impl Code {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaxActiveClaims => "max_active_claims",
            Self::RolePhaseMismatch => "role_phase_mismatch",
            Self::RoleNoClaimableGoals => "role_no_claimable_goals",
            Self::GoalAlreadyClaimed => "goal_already_claimed",
            Self::GoalNotClaimable => "goal_not_claimable",
            Self::NoClaimableGoals => "no_claimable_goals",
            Self::ClaimNotFound => "claim_not_found",
            Self::ClaimNotActive => "claim_not_active",
            Self::NotClaimOwner => "not_claim_owner",
            Self::BadTime => "bad_ttl",
            Self::NoFence => "no_fence",
        }
    }
}

messages! {
    max_active_claims(most, held) { en: "this worker has as many active claims as one may have ({most}): {held}", ko: "이 워커는 한 워커가 가질 수 있는 만큼의 claim({most}개)을 이미 가지고 있습니다: {held}" }
    max_active_claims_next() { en: "release it with `hast queue release`, or let its time run out", ko: "`hast queue release`로 해제하거나 만료를 기다리세요" }
    role_phase_mismatch(goal, lane) { en: "{goal} is work for the lane {lane}", ko: "{goal}(은)는 {lane} 레인의 일입니다" }
    role_phase_mismatch_next(lane) { en: "claim it with --role {lane}, or change its `phase` in .ai/goals.yaml", ko: "--role {lane}(으)로 claim하거나 .ai/goals.yaml에서 `phase`를 바꾸세요" }
    role_no_claimable_goals(role) { en: "no goal of the lane {role} is free", ko: "{role} 레인에 남은 목표가 없습니다" }
    no_claimable_goals() { en: "no goal is free", ko: "남은 목표가 없습니다" }
    no_goals_next() { en: "ask again later; `hast queue list --active-only` shows who works on what", ko: "나중에 다시 요청하세요. `hast queue list --active-only`가 누가 무엇을 하는지 보여 줍니다" }
    goal_already_claimed(goal, by, until) { en: "{by} works on {goal} until {until}", ko: "{by}(이)가 {until}까지 {goal}(을)를 작업합니다" }
    goal_already_claimed_next() { en: "claim another goal, or ask again after that time", ko: "다른 목표를 claim하거나 그 시각 뒤에 다시 요청하세요" }
    goal_not_claimable(goal) { en: "{goal} cannot be claimed: only an active leaf whose dependencies are done can", ko: "{goal}(은)는 claim할 수 없습니다. 의존 목표가 끝난 active 잎 목표만 가능합니다" }
    goal_not_claimable_next() { en: "see its status in .ai/goals.yaml", ko: ".ai/goals.yaml에서 상태를 확인하세요" }
    claim_not_found(claim) { en: "there is no claim {claim}, or it ended long ago", ko: "claim {claim}(이)가 없거나 오래전에 끝났습니다" }
    claim_not_found_next() { en: "see `hast queue list`", ko: "`hast queue list`를 확인하세요" }
    claim_not_active(claim, status) { en: "{claim} is {status}: somebody else may have its goal by now", ko: "{claim}(은)는 {status} 상태입니다. 다른 워커가 이미 그 목표를 맡았을 수 있습니다" }
    claim_not_active_next() { en: "drop what was made under it and claim again", ko: "그 claim으로 만든 결과를 버리고 다시 claim하세요" }
    not_claim_owner(claim, owner) { en: "{claim} belongs to {owner}", ko: "{claim}(은)는 {owner}의 것입니다" }
    not_claim_owner_next() { en: "only its owner renews or releases it; it ends by itself when its time is over", ko: "소유자만 갱신하거나 해제할 수 있습니다. 시간이 지나면 스스로 끝납니다" }
    bad_time(most) { en: "a claim may last between 1 and {most} minutes", ko: "claim은 1분에서 {most}분까지 가능합니다" }
    no_fence() { en: "the fences of the queue are used up: a line of its log has the last one there is", ko: "큐의 fence를 다 썼습니다. 로그에 마지막 fence를 가진 줄이 있습니다" }
    no_fence_next() { en: "correct or remove that line of queue.ndjson, which is in .ai/queue/ or queue_dir", ko: ".ai/queue/ 또는 queue_dir에 있는 queue.ndjson에서 그 줄을 고치거나 지우세요" }
    bad_time_next() { en: "ask for less and renew it", ko: "더 짧게 요청하고 갱신하세요" }
}

impl Refused {
    pub(super) fn no_goals(role: Option<QueueLane>) -> Self {
        match role {
            Some(role) => Self::RoleNoClaimableGoals { role },
            None => Self::NoClaimableGoals,
        }
    }

    pub(super) fn of_lease(goal: &str, refused: leases::Refused) -> Self {
        match refused {
            leases::Refused::Held { by, until } => {
                let (goal, until) = (goal.to_owned(), UtcTime::new(until));
                Self::GoalAlreadyClaimed { goal, by, until }
            }
            leases::Refused::BadTime { most } => Self::BadTime { most_minutes: most.as_mins() },
            leases::Refused::NoFence => Self::NoFence,
            leases::Refused::Gone | leases::Refused::NotYours { .. } => {
                Self::GoalNotClaimable { goal: goal.to_owned() }
            }
        }
    }

    pub(super) fn of_claim(claim: &crate::docs::goals::Claim, refused: leases::Refused) -> Self {
        let id = claim.claim_id.clone();
        match refused {
            leases::Refused::BadTime { most } => Self::BadTime { most_minutes: most.as_mins() },
            leases::Refused::NoFence => Self::NoFence,
            leases::Refused::NotYours { owner } => Self::NotClaimOwner { claim: id, owner },
            leases::Refused::Gone | leases::Refused::Held { .. } => {
                Self::ClaimNotActive { claim: id, status: ClaimStatus::Expired }
            }
        }
    }

    pub fn code(&self) -> Code {
        match self {
            Self::MaxActiveClaims { .. } => Code::MaxActiveClaims,
            Self::RolePhaseMismatch { .. } => Code::RolePhaseMismatch,
            Self::RoleNoClaimableGoals { .. } => Code::RoleNoClaimableGoals,
            Self::GoalAlreadyClaimed { .. } => Code::GoalAlreadyClaimed,
            Self::GoalNotClaimable { .. } => Code::GoalNotClaimable,
            Self::NoClaimableGoals => Code::NoClaimableGoals,
            Self::ClaimNotFound { .. } => Code::ClaimNotFound,
            Self::ClaimNotActive { .. } => Code::ClaimNotActive,
            Self::NotClaimOwner { .. } => Code::NotClaimOwner,
            Self::BadTime { .. } => Code::BadTime,
            Self::NoFence => Code::NoFence,
        }
    }

    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::MaxActiveClaims { most, held } => max_active_claims(lang, most, held.join(", ")),
            Self::RolePhaseMismatch { goal, lane } => {
                role_phase_mismatch(lang, goal, lane.as_str())
            }
            Self::RoleNoClaimableGoals { role } => role_no_claimable_goals(lang, role.as_str()),
            Self::GoalAlreadyClaimed { goal, by, until } => {
                goal_already_claimed(lang, goal, by, until)
            }
            Self::GoalNotClaimable { goal } => goal_not_claimable(lang, goal),
            Self::NoClaimableGoals => no_claimable_goals(lang),
            Self::ClaimNotFound { claim } => claim_not_found(lang, claim),
            Self::ClaimNotActive { claim, status } => {
                claim_not_active(lang, claim, status.as_str())
            }
            Self::NotClaimOwner { claim, owner } => not_claim_owner(lang, claim, owner),
            Self::BadTime { most_minutes } => bad_time(lang, most_minutes),
            Self::NoFence => no_fence(lang),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::MaxActiveClaims { .. } => max_active_claims_next(lang),
            Self::RolePhaseMismatch { lane, .. } => role_phase_mismatch_next(lang, lane.as_str()),
            Self::RoleNoClaimableGoals { .. } | Self::NoClaimableGoals => no_goals_next(lang),
            Self::GoalAlreadyClaimed { .. } => goal_already_claimed_next(lang),
            Self::GoalNotClaimable { .. } => goal_not_claimable_next(lang),
            Self::ClaimNotFound { .. } => claim_not_found_next(lang),
            Self::ClaimNotActive { .. } => claim_not_active_next(lang),
            Self::NotClaimOwner { .. } => not_claim_owner_next(lang),
            Self::BadTime { .. } => bad_time_next(lang),
            Self::NoFence => no_fence_next(lang),
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
