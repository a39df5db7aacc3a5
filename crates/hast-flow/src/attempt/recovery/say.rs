//! What a start says about what it found.

crate::messages! {
    invalid_config(findings) { en: "the configuration is not valid: {findings}", ko: "설정이 올바르지 않습니다: {findings}" }
    invalid_config_next() { en: "mend .ai/config.yaml; hast verify shows each place", ko: ".ai/config.yaml을 고치세요. hast verify가 위치를 보여 줍니다" }
    no_agent(line) { en: "the agent is not installed: {line}", ko: "에이전트가 설치되어 있지 않습니다: {line}" }
    no_agent_next() { en: "install it, or name another in ai_tool or with --tool", ko: "설치하거나 ai_tool 또는 --tool로 다른 에이전트를 지정하세요" }
    already_running(pid) { en: "hast auto is already running here (process {pid})", ko: "이미 hast auto가 실행 중입니다 (프로세스 {pid})" }
    already_running_next() { en: "wait for it, or look at it with hast status", ko: "끝나기를 기다리거나 hast status로 확인하세요" }
    users_files(files) { en: "these files are not committed, and a rollback must not touch them: {files}", ko: "커밋되지 않은 파일이 있습니다. 롤백이 건드리면 안 됩니다: {files}" }
    users_files_next() { en: "commit them, put them away with git stash push -u -- . ':!.ai', or use --isolate; what your tests leave behind belongs into .gitignore", ko: "커밋하거나, git stash push -u -- . ':!.ai'로 치워 두거나, --isolate를 쓰세요. 테스트가 남기는 파일은 .gitignore에 추가하세요" }
    dead_process(saved) { en: "the last run ended abnormally; its work is on {saved} and the tree is back at its base", ko: "이전 실행이 비정상 종료됨. 작업은 {saved}에 저장하고 롤백 후 재시작합니다" }
    kept_work(goal, name) { en: "the tree held the kept work of {goal}; it is on {name} and the tree is back at its base", ko: "작업 트리에 {goal}의 보존된 작업이 있었습니다. {name}에 있으며 트리는 기준으로 되돌렸습니다" }
    unjudged(goal, saved) { en: "the commits of {goal} that no gate has judged are on {saved}, and the branch is back at its base", ko: "게이트가 판정하지 않은 {goal}의 커밋을 {saved}에 보관하고 브랜치를 기준으로 되돌렸습니다" }
    undecided(goal, base, head) { en: "the branch holds commits of {goal} that no gate has judged ({base}..{head}); nothing is built on them", ko: "게이트가 판정하지 않은 {goal}의 커밋이 브랜치에 있습니다 ({base}..{head}). 그 위에서 작업하지 않습니다" }
    undecided_next(goal, base, head) { en: "look at them with git log -p {base}..{head}; then hast retry {goal} saves them and goes back, or `status: done` in .ai/goals.yaml keeps them", ko: "git log -p {base}..{head}로 확인하세요. hast retry {goal}(은)는 보관하고 되돌리며, .ai/goals.yaml의 `status: done`은 그대로 둡니다" }
    undecided_below_next(goal, base, head) { en: "commits of yours are on top: git rebase --onto {base} {head} takes the others away, or `status: done` of {goal} in .ai/goals.yaml keeps them", ko: "그 위에 다른 커밋이 있습니다. git rebase --onto {base} {head}(으)로 빼거나 .ai/goals.yaml에서 {goal}의 `status: done`으로 그대로 두세요" }
    undecided_for_lanes_next(goal, base) { en: "hast auto {goal} without lanes saves them and takes the branch back, git reset --keep {base} takes it back too, or `status: done` in .ai/goals.yaml keeps them", ko: "레인 없이 hast auto {goal}(을)를 실행하면 보관하고 브랜치를 되돌립니다. git reset --keep {base}(으)로 되돌리거나 .ai/goals.yaml의 `status: done`으로 그대로 두어도 됩니다" }
    undecided_elsewhere(goal, branch) { en: "commits of {goal} that no gate has judged are checked out, and its branch is {branch}", ko: "게이트가 판정하지 않은 {goal}의 커밋이 체크아웃되어 있습니다. 원래 브랜치는 {branch}입니다" }
    undecided_elsewhere_next(branch) { en: "run git switch {branch}, then the same command again", ko: "git switch {branch}(을)를 실행한 뒤 같은 명령을 다시 실행하세요" }
    kept_work_outdated(name, files) { en: "the work on {name} cannot be gone on with; these files changed since: {files}", ko: "{name}의 작업을 이어갈 수 없습니다. 그 뒤 바뀐 파일: {files}" }
    kept_work_outdated_next(name) { en: "run without --continue, or merge {name} by hand and commit", ko: "--continue 없이 실행하거나 {name}(을)를 직접 병합해 커밋하세요" }
    unlocked(paths) { en: "a git that was killed had left these locks, and they are gone now: {paths}", ko: "강제 종료된 git이 남긴 잠금을 지웠습니다: {paths}" }
    guarded(files, aside) { en: "these files of git were not as the attempt had found them, and are again: {files} (what was there is in {aside})", ko: "시도가 시작될 때와 달라진 git 파일을 되돌렸습니다: {files} (바뀐 내용은 {aside}에 있습니다)" }
    moved_refs(refs) { en: "these refs are not where the attempt had found them: {refs} (git reflog, and git for-each-ref refs/hast/displaced, tell where they were)", ko: "시도가 시작될 때와 위치가 다른 ref: {refs} (git reflog와 git for-each-ref refs/hast/displaced로 확인할 수 있습니다)" }
    get_back(name) { en: "to get it back: hast auto --undo={name}", ko: "되찾으려면: hast auto --undo={name}" }
    no_base() { en: "the last run ended abnormally, and the commit it began at is not known", ko: "이전 실행이 비정상 종료됨. 시작한 커밋을 알 수 없습니다" }
    other_branch(recorded) { en: "the last run ended abnormally on {recorded}, and another branch is checked out now", ko: "이전 실행이 {recorded}에서 비정상 종료됨. 지금은 다른 브랜치입니다" }
    head_moved() { en: "the last run ended abnormally, and the branch has moved since", ko: "이전 실행이 비정상 종료됨. 그 뒤 브랜치가 움직였습니다" }
    look_yourself(saved) { en: "nothing was changed; a copy of the tree is on {saved}. Look at it, then hast retry the goal", ko: "아무것도 바꾸지 않았습니다. 트리의 사본은 {saved}에 있습니다. 확인한 뒤 목표를 hast retry 하세요" }
}
