//! Messages and help of `hast protocol`, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        protocol() { en: "Hand goals to workers elsewhere, and judge what comes back", ko: "목표를 다른 곳의 작업자에게 넘기고 돌아온 결과를 판정합니다" }
        export() { en: "Claim a goal and print it as a task packet", ko: "목표를 claim하고 작업 패킷으로 출력합니다" }
        adapter() { en: "Who it is for: generic, langgraph, openhands or a2a", ko: "받는 쪽: generic, langgraph, openhands, a2a 중 하나" }
        goal() { en: "This goal, instead of the first that is free", ko: "비어 있는 첫 목표 대신 이 목표" }
        role() { en: "Only goals of this lane: implement, test or verify", ko: "이 역할의 목표만: implement, test, verify 중 하나" }
        worker() { en: "Who holds the claim [default: a name of its own]", ko: "claim을 가질 작업자 [기본값: 새 이름]" }
        ttl() { en: "How long the claim holds without being renewed, 1 to 240 [default: 60]", ko: "갱신하지 않을 때 claim이 유지되는 시간(분), 1~240 [기본값: 60]" }
        ingest() { en: "Judge a result packet as an attempt, in a room, and merge it if it passes", ko: "결과 패킷을 작업실에서 시도로 판정하고 통과하면 병합합니다" }
        result() { en: "The file with the result packet", ko: "결과 패킷 파일" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        empty_worker() { en: "the worker has no name", ko: "작업자의 이름이 비어 있습니다" }
        empty_worker_next() { en: "name it with --worker NAME, or leave --worker out", ko: "--worker NAME으로 이름을 쓰거나 --worker를 빼세요" }
        merged(packet, goal, commit) { en: "{packet}: {goal} is done, merged as {commit}", ko: "{packet}: {goal} 완료, {commit}(으)로 병합했습니다" }
        failed(packet, class, reason) { en: "{packet}: {class}: {reason}", ko: "{packet} 판정 {class}: {reason}" }
        failed_next(goal, name) { en: "look at the work with git show {name}; for another try: hast protocol export --goal {goal}", ko: "git show {name}(으)로 작업을 보세요. 다시 맡기려면 hast protocol export --goal {goal}" }
        failed_without_ref_next(goal) { en: "for another try: hast protocol export --goal {goal}", ko: "다시 맡기려면 hast protocol export --goal {goal}" }
        blocked(packet, goal, reason) { en: "{packet}: {goal} is handed to a person: {reason}", ko: "{packet}: {goal}(을)를 사람에게 넘겼습니다: {reason}" }
        blocked_with_ref_next(goal, name) { en: "the work is on {name}; see hast inbox list, then hast retry {goal}", ko: "작업은 {name}에 있습니다. hast inbox list를 보고 hast retry {goal}(을)를 실행하세요" }
        blocked_next(goal) { en: "see hast inbox list, then hast retry {goal}", ko: "hast inbox list를 보고 hast retry {goal}(을)를 실행하세요" }
        withdrawn(packet, goal, reason) { en: "{packet}: {goal} was decided about meanwhile: {reason}", ko: "{packet}: {goal}(은)는 그 사이 사람이 결정했습니다: {reason}" }
        withdrawn_next(name) { en: "the status stays as it is; git diff HEAD {name} shows the work, git merge {name} takes it", ko: "상태는 그대로 둡니다. git diff HEAD {name}(으)로 작업을 보고 git merge {name}(으)로 받을 수 있습니다" }
        withdrawn_before_next(goal) { en: "set `status: active` of {goal} in .ai/goals.yaml and export it anew to have it done after all", ko: "다시 하려면 .ai/goals.yaml에서 {goal}(을)를 `status: active`로 바꾸고 다시 내보내세요" }
        lease_lost(packet, goal) { en: "{packet}: the claim on {goal} was lost before the merge; nothing was merged", ko: "{packet}: 병합 전에 {goal}의 claim을 잃었습니다. 병합한 것은 없습니다" }
        lease_lost_next(branch) { en: "what passed is on the branch {branch}; see hast queue list", ko: "통과한 작업은 {branch} 브랜치에 있습니다. hast queue list를 보세요" }
        not_judged(packet) { en: "the result of {packet} came in and is not judged yet", ko: "{packet}의 결과를 받았지만 아직 판정하지 못했습니다" }
        not_judged_next() { en: "run the same command again", ko: "같은 명령을 다시 실행하세요" }
    }
}
