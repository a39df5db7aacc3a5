//! Messages and help of the queue's commands, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        queue() { en: "Share goals among workers: who may work on what, until when", ko: "목표를 여러 워커가 나눠 맡습니다: 누가 무엇을 언제까지" }
        claim() { en: "Take a goal: the one named, else the next free one", ko: "목표를 맡습니다. 지정한 목표, 없으면 다음 빈 목표" }
        renew() { en: "Ask for more time", ko: "시간을 늘립니다" }
        release() { en: "Give a goal back", ko: "목표를 돌려줍니다" }
        list() { en: "Who works on what, and who did", ko: "누가 무엇을 맡고 있고 맡았는지 보여 줍니다" }
        sweep() { en: "End the claims whose time is over (every other call does too)", ko: "시간이 지난 claim을 끝냅니다 (다른 호출도 모두 먼저 합니다)" }
        worker() { en: "The worker's name, the same in each of its calls", ko: "워커 이름. 모든 호출에서 같아야 합니다" }
        role() { en: "Only goals of this lane: implement, test or verify", ko: "이 레인의 목표만: implement, test, verify" }
        goal() { en: "This goal and no other", ko: "이 목표만" }
        ttl() { en: "How many minutes, 1 to 240 [default: 30]", ko: "몇 분 동안, 1에서 240 [기본값: 30]" }
        key() { en: "The same key gets the same claim again, as long as it is active", ko: "같은 키는 활성인 동안 같은 claim을 다시 받습니다" }
        claim_id() { en: "The claim, like QCLM_0123456789ab", ko: "claim. 예: QCLM_0123456789ab" }
        goal_status() { en: "What the goal becomes: pending, active or blocked (done comes from a gate only)", ko: "목표의 새 상태: pending, active, blocked (done은 게이트만 정합니다)" }
        active_only() { en: "Only the claims that are active", ko: "활성 claim만" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        claimed(worker, goal, until) { en: "{worker} works on {goal} until {until}", ko: "{worker}(이)가 {until}까지 {goal}(을)를 맡습니다" }
        released(goal) { en: "{goal} is free again", ko: "{goal}(이)가 다시 비었습니다" }
        status_left(goal, status) { en: "{goal} is {status} by now, and that was left as it is", ko: "{goal}(은)는 이제 {status} 상태여서 그대로 두었습니다" }
        status_left_next() { en: "whoever set it decides; change it in .ai/goals.yaml if it is wrong", ko: "바꾼 사람이 결정합니다. 잘못되었다면 .ai/goals.yaml에서 고치세요" }
        no_claims() { en: "nobody works on anything", ko: "맡은 사람이 없습니다" }
        swept(count) { en: "claims ended because their time was over: {count}", ko: "시간이 지나 끝난 claim {count}개" }
        empty_worker() { en: "the worker has no name", ko: "워커 이름이 비어 있습니다" }
        empty_worker_next() { en: "name it with --worker; a name that is the same after a restart lets it go on", ko: "--worker로 이름을 주세요. 다시 시작해도 같은 이름이면 이어서 할 수 있습니다" }
        blocked_by(worker) { en: "{worker} gave it back as blocked", ko: "{worker}(이)가 blocked로 돌려주었습니다" }
        cannot_edit(goal) { en: "the status of {goal} cannot be set without changing more of goals.yaml", ko: "{goal}의 상태만 바꿔서 goals.yaml을 고칠 수 없습니다" }
        cannot_edit_next(goal) { en: "set the status of {goal} by hand in .ai/goals.yaml, then run the command again", ko: ".ai/goals.yaml에서 {goal}의 상태를 직접 바꾼 뒤 명령을 다시 실행하세요" }
        no_goals_file() { en: "there is no .ai/goals.yaml", ko: ".ai/goals.yaml이 없습니다" }
        no_goals_file_next() { en: "run `hast init`", ko: "`hast init`을 실행하세요" }
    }
}
