//! Messages of `auto` at its end, in both languages.

use crate::messages;

messages! {
    no_goals() { en: "there is no .ai/goals.yaml here", ko: ".ai/goals.yaml이 없습니다" }
    no_goals_next() { en: "run hast init", ko: "hast init을 실행하세요" }
    bad_goals(why) { en: ".ai/goals.yaml cannot be read: {why}", ko: ".ai/goals.yaml을 읽을 수 없습니다: {why}" }
    bad_goals_next() { en: "hast verify .ai/goals.yaml shows each place", ko: "hast verify .ai/goals.yaml이 위치를 보여 줍니다" }
    no_test_program(command, name) { en: "the tests cannot run: `{command}` needs `{name}`, which is not installed; no agent was called", ko: "테스트를 실행할 수 없습니다. `{command}`에 필요한 `{name}`(이)가 설치되어 있지 않습니다. 에이전트를 부르지 않았습니다" }
    no_test_program_next(name) { en: "install {name}, or correct test_command in .ai/config.yaml, then run the same command again", ko: "{name}(을)를 설치하거나 .ai/config.yaml의 test_command를 고친 뒤 같은 명령을 다시 실행하세요" }
    no_test_program_of_goal_next(name, goal) { en: "install {name}, or correct test_command of {goal} in .ai/goals.yaml, then run the same command again", ko: "{name}(을)를 설치하거나 .ai/goals.yaml에서 {goal}의 test_command를 고친 뒤 같은 명령을 다시 실행하세요" }
    taken_back(reason, places) { en: "{reason}; ignored files that the agent wrote were taken back before the tests: {places} (what tests need there is made by `room_setup`, or named by `room_keep`)", ko: "{reason}. 에이전트가 쓴 무시된 파일은 테스트 전에 되돌렸습니다: {places} (테스트에 필요하면 `room_setup`으로 만들거나 `room_keep`에 적으세요)" }
    hooked() { en: "your commit hooks changed the content, and it was judged once more", ko: "커밋 훅이 내용을 바꿔 한 번 더 판정했습니다" }
    with_note(reason, note) { en: "{reason} ({note})", ko: "{reason} ({note})" }
    fewer_tests_next(goal) { en: "hast show {goal} shows it; where the tests are rightly gone, run hast retry {goal} --continue --fewer-tests, which judges the same work again without calling an agent", ko: "hast show {goal}(으)로 확인하세요. 테스트가 없어진 것이 맞으면 hast retry {goal} --continue --fewer-tests를 실행하세요. 에이전트를 부르지 않고 같은 작업을 다시 판정합니다" }
    done(goals) { en: "done: {goals}", ko: "완료: {goals}" }
    done_next() { en: "look at it with git log, and at hast status for what is left", ko: "git log로 확인하고, 남은 목표는 hast status로 보세요" }
    status_told() { en: "the status is in .ai/goals.yaml", ko: "상태를 .ai/goals.yaml에 썼습니다" }
    left_in_tree_next() { en: "the work is in your checkout, uncommitted (commit: off); commit it, then run hast auto again", ko: "작업은 커밋되지 않은 채 체크아웃에 있습니다 (commit: off). 커밋한 뒤 hast auto를 다시 실행하세요" }
    blocked(goals) { en: "handed to a person: {goals}", ko: "사람에게 넘겼습니다: {goals}" }
    one_blocked(goal, why) { en: "{goal} is blocked: {why}", ko: "{goal}(이)가 막혔습니다: {why}" }
    one_blocked_at_once(goal, why) { en: "{goal} is blocked after 1 attempt: {why}", ko: "{goal}(이)가 1번 시도한 뒤 막혔습니다: {why}" }
    one_blocked_after(goal, attempts, why) { en: "{goal} is blocked after {attempts} attempts: {why}", ko: "{goal}(이)가 {attempts}번 시도한 뒤 막혔습니다: {why}" }
    outside(allowed, paths) { en: "it changed files outside {allowed} ({paths})", ko: "{allowed} 밖의 파일을 바꿨습니다 ({paths})" }
    blocked_next(goal) { en: "See: hast show {goal} · Again: hast retry {goal} (--continue begins with the work)", ko: "보기: hast show {goal} · 다시: hast retry {goal} (--continue는 그 작업에서 이어갑니다)" }
    bounded_by_time(time, goals) { en: "it is {time} (--until), so nothing more begins; not begun: {goals}", ko: "{time}(이)가 되어(--until) 더 시작하지 않습니다. 시작하지 않은 목표: {goals}" }
    bounded_by_count(count, goals) { en: "goals begun: {count} (--max-goals), so nothing more begins; not begun: {goals}", ko: "목표 {count}개를 시작했으므로(--max-goals) 더 시작하지 않습니다. 시작하지 않은 목표: {goals}" }
    bounded_next() { en: "hast auto goes on", ko: "hast auto로 이어가세요" }
    red_base(command, code, line) { en: "the tests are red before any work: `{command}` ends with {code}: {line}", ko: "작업 전부터 테스트가 실패합니다. `{command}`의 종료 코드 {code}: {line}" }
    red_base_next(command) { en: "make `{command}` pass, or write `on_red_base: warn` in .ai/config.yaml, then run the same command again; no agent was called", ko: "`{command}`(이)가 통과하게 하거나 .ai/config.yaml에 `on_red_base: warn`을 쓴 뒤 같은 명령을 다시 실행하세요. 에이전트를 부르지 않았습니다" }
    blocked_before(goals) { en: "blocked since before: {goals}", ko: "전부터 blocked 상태: {goals}" }
    blocked_before_next(goal) { en: "hast show {goal} says why; solve that, then hast retry {goal}", ko: "hast show {goal}(이)가 사유를 보여 줍니다. 해결한 뒤 hast retry {goal}(을)를 실행하세요" }
    by_hand(goals) { en: "the status of these goals could not be set without changing more: {goals}", ko: "다른 값을 바꾸지 않고는 상태를 바꿀 수 없는 목표가 있습니다: {goals}" }
    by_hand_next() { en: "set it by hand in .ai/goals.yaml", ko: ".ai/goals.yaml에서 직접 바꾸세요" }
    withdrawn(goals) { en: "people gave these goals another status while they were worked on; that stands, and nothing of them was merged: {goals}", ko: "작업 중에 사람이 상태를 바꾼 목표입니다. 그 상태를 그대로 두고 병합하지 않았습니다: {goals}" }
    withdrawn_next(branch) { en: "git merge {branch} takes the work, git branch -D {branch} throws it away", ko: "작업을 받으려면 git merge {branch}, 버리려면 git branch -D {branch}(을)를 실행하세요" }
    withdrawn_before_next() { en: "git for-each-ref refs/hast/attempts has what was tried; set `status: active` in .ai/goals.yaml to have it done after all", ko: "시도한 작업은 git for-each-ref refs/hast/attempts에 있습니다. 다시 하려면 .ai/goals.yaml에서 `status: active`로 바꾸세요" }
    lost_records(goal) { en: "the records of the attempt at {goal} are missing", ko: "{goal} 시도의 기록이 없습니다" }
    lost_records_next() { en: "nothing was touched; look at .ai/attempts and git reflog", ko: "아무것도 건드리지 않았습니다. .ai/attempts와 git reflog를 확인하세요" }
    open_lane(goal) { en: "{goal} is still in the room where an earlier run left it", ko: "{goal}(이)가 이전 실행이 남긴 작업실에 아직 있습니다" }
    open_lane_next() { en: "run hast auto to finish it there", ko: "hast auto로 그곳에서 마무리하세요" }
    no_tip() { en: "there is no branch or commit that finished work could go onto", ko: "끝난 작업을 올릴 브랜치나 커밋이 없습니다" }
    no_tip_next() { en: "check out a branch with a commit, then run the same command again", ko: "커밋이 있는 브랜치를 체크아웃한 뒤 같은 명령을 다시 실행하세요" }
    no_queue(why) { en: "the queue, which knows who works on what, cannot be used: {why}", ko: "누가 어떤 목표를 맡았는지 적는 대기열을 쓸 수 없습니다: {why}" }
    no_queue_next() { en: "see that queue_dir (.ai/queue) can be written and has room, then run the same command again; nothing is lost", ko: "queue_dir(.ai/queue)에 쓸 수 있고 공간이 있는지 확인한 뒤 같은 명령을 다시 실행하세요. 잃은 것은 없습니다" }
    claimed_elsewhere(goals) { en: "another worker has claimed: {goals}", ko: "다른 작업자가 맡고 있습니다: {goals}" }
    claimed_elsewhere_next() { en: "hast queue list names the claim and its worker; run the same command again when it is released (hast queue release CLAIM --worker WORKER, where that worker is gone)", ko: "hast queue list가 claim과 작업자를 보여 줍니다. 반납된 뒤 같은 명령을 다시 실행하세요 (작업자가 더는 없으면 hast queue release CLAIM --worker WORKER)" }
    open_packet(goal, packet) { en: "the result of {packet} for {goal} is in the middle of being judged", ko: "{goal}에 대한 {packet}의 결과가 판정 도중에 남아 있습니다" }
    open_packet_next(packet) { en: "run hast protocol ingest .ai/protocols/{packet}/result.json to finish it", ko: "hast protocol ingest .ai/protocols/{packet}/result.json으로 마무리하세요" }
    packet_answered(packet) { en: "the result of {packet} is judged", ko: "{packet}의 결과를 판정했습니다" }
    packet_answered_next() { en: "see hast status and git log", ko: "hast status와 git log로 확인하세요" }
    exported(packet, goal) { en: "{goal} went out as {packet}", ko: "{goal}(을)를 {packet}(으)로 내보냈습니다" }
    exported_next() { en: "answer it with hast protocol ingest RESULT.json", ko: "hast protocol ingest RESULT.json으로 답하세요" }
    received(packet) { en: "the result of {packet} came in", ko: "{packet}의 결과를 받았습니다" }
    does_not_fit(why) { en: "what was delivered cannot be put onto its base: {why}", ko: "전달된 작업을 기준 커밋에 적용할 수 없습니다: {why}" }
    setup_failed(why) { en: "room_setup failed: {why}", ko: "room_setup이 실패했습니다: {why}" }
    lane_stuck_next(goal) { en: "solve that, then hast retry {goal}; hast auto --gc removes what is left of its room", ko: "해결한 뒤 hast retry {goal}(을)를 실행하세요. 남은 작업실은 hast auto --gc가 지웁니다" }
    waiting() { en: "the agent may not be asked now; no attempt was spent", ko: "지금은 에이전트를 부를 수 없습니다. 시도는 소모되지 않았습니다" }
    retried(goal) { en: "{goal} is active again", ko: "{goal}(을)를 다시 active로 바꿨습니다" }
    retried_with(goal) { en: "{goal} is active, and its next attempt is told your words", ko: "{goal}(은)는 active 상태이고, 다음 시도에 입력한 말을 전합니다" }
    retried_next(goal, options) { en: "hast auto {goal}{options}", ko: "hast auto {goal}{options}" }
    not_blocked(goal, status) { en: "{goal} is {status}, not blocked", ko: "{goal}(은)는 blocked가 아니라 {status} 상태입니다" }
    active_next(goal, options) { en: "hast auto {goal}{options} runs it", ko: "hast auto {goal}{options}(으)로 실행하세요" }
    done_again_next(goal) { en: "hast undo {goal} takes back what it brought; to do it again on top of that, set its `status: active` in .ai/goals.yaml", ko: "hast undo {goal}(은)는 가져온 것을 되돌립니다. 그 위에서 다시 하려면 .ai/goals.yaml에서 `status: active`로 바꾸세요" }
    not_active_next(goal) { en: "set its `status: active` in .ai/goals.yaml, then hast auto {goal}", ko: ".ai/goals.yaml에서 `status: active`로 바꾼 뒤 hast auto {goal}(을)를 실행하세요" }
    no_such_goal(goal) { en: "there is no goal {goal}", ko: "목표 {goal}(이)가 없습니다" }
    no_such_goal_next() { en: "hast goal list shows the goals", ko: "hast goal list로 목표를 보세요" }
    cannot_edit(why) { en: "goals.yaml cannot be changed without touching more than the status: {why}", ko: "상태만 바꿔서는 goals.yaml을 고칠 수 없습니다: {why}" }
    cannot_edit_next(goal) { en: "set `status: active` of {goal} by hand and remove its blocked_reason", ko: "{goal}의 `status: active`를 직접 쓰고 blocked_reason을 지우세요" }
    nothing_kept() { en: "there is no kept work to go on with", ko: "이어갈 보존된 작업이 없습니다" }
    nothing_kept_next() { en: "name a goal that was handed over, or run without --continue", ko: "넘겨진 목표를 지정하거나 --continue 없이 실행하세요" }
    kept_lost(name) { en: "the kept work on {name} is no longer in git", ko: "{name}의 보존된 작업이 더는 git에 없습니다" }
    kept_lost_next() { en: "run without --continue", ko: "--continue 없이 실행하세요" }
    numbers_used_up() { en: "the numbers of .ai/events/events.ndjson are used up: a line in it has the last one there is", ko: ".ai/events/events.ndjson의 번호를 다 썼습니다. 마지막 번호를 가진 줄이 있습니다" }
    numbers_used_up_next() { en: "hast verify shows the line whose number jumps; correct or remove it, then run the command again", ko: "hast verify가 번호가 건너뛴 줄을 보여 줍니다. 고치거나 지운 뒤 명령을 다시 실행하세요" }
    waiting_next() { en: "run the same command later", ko: "나중에 같은 명령을 다시 실행하세요" }
}

#[cfg(test)]
mod tests {
    use crate::words::placeholders;

    #[test]
    fn every_ending_is_said_in_both_languages() {
        for entry in super::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
