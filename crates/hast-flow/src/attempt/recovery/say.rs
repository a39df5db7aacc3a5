//! Messages of a start in both languages: its refusals, and its notes on files and goals that it
//! leaves alone.

crate::messages! {
    invalid_config(findings) { en: "the configuration is not valid: {findings}", ko: "설정이 올바르지 않습니다: {findings}" }
    invalid_config_next() { en: "mend .ai/config.yaml; hast verify shows each place", ko: ".ai/config.yaml을 고치세요. hast verify가 위치를 보여 줍니다" }
    no_agent(line) { en: "the agent is not installed: {line}", ko: "에이전트가 설치되어 있지 않습니다: {line}" }
    no_agent_next() { en: "install it, or name another in ai_tool or with --tool", ko: "설치하거나 ai_tool 또는 --tool로 다른 에이전트를 지정하세요" }
    already_running(pid) { en: "hast auto is already running here (process {pid})", ko: "이미 hast auto가 실행 중입니다 (프로세스 {pid})" }
    already_running_next() { en: "wait for it, or look at it with hast status", ko: "끝나기를 기다리거나 hast status로 확인하세요" }
    not_committed(goal, files) { en: "the work of {goal} is in your checkout and not committed (commit: off): {files}", ko: "{goal}의 작업이 커밋되지 않은 채 체크아웃에 있습니다 (commit: off): {files}" }
    not_committed_next() { en: "commit it, or take it out with git restore or git stash, then run the same command again", ko: "커밋하거나 git restore, git stash로 치운 뒤 같은 명령을 다시 실행하세요" }
    kept_work_outdated(name, files) { en: "the work on {name} cannot be gone on with; these files changed since: {files}", ko: "{name}의 작업을 이어갈 수 없습니다. 그 뒤 바뀐 파일: {files}" }
    kept_work_outdated_next(name) { en: "run without --continue, or merge {name} by hand and commit", ko: "--continue 없이 실행하거나 {name}(을)를 직접 병합해 커밋하세요" }
    uncommitted(files) { en: "uncommitted files are not part of the work, and stay as they are: {files}", ko: "커밋되지 않은 파일은 작업에 포함되지 않으며 그대로 둡니다: {files}" }
    left_alone(goals) { en: "not asked for, and left where an earlier run stopped: {goals} (hast auto GOAL goes on with one)", ko: "요청하지 않은 목표는 이전 실행이 멈춘 곳에 그대로 둡니다: {goals} (hast auto GOAL로 이어갑니다)" }
    earlier_attempt(goal) { en: "an earlier version of hast worked on {goal} in your checkout and was cut off; its files are still there and are yours now", ko: "이전 버전의 hast가 체크아웃에서 {goal}(을)를 진행하다 중단되었습니다. 그 파일은 그대로 있으며 이제 사용자의 것입니다" }
    earlier_commits(goal, base, head) { en: "commits of {goal} that no gate has judged are on your branch ({base}..{head}); they are yours now", ko: "게이트가 판정하지 않은 {goal}의 커밋이 브랜치에 있습니다 ({base}..{head}). 이제 사용자의 것입니다" }
    earlier_work(goal, name) { en: "an earlier version of hast left the work of {goal} uncommitted in your checkout; it is on {name} too", ko: "이전 버전의 hast가 {goal}의 작업을 커밋하지 않은 채 체크아웃에 두었습니다. {name}에도 있습니다" }
    look_since(base) { en: "git diff {base} shows what is there since", ko: "git diff {base}로 그 뒤 바뀐 것을 볼 수 있습니다" }
    look_yourself() { en: "git status shows what is there", ko: "git status로 확인하세요" }
}
