//! Messages of the commands that look at a goal, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        show() { en: "Show a goal: its attempts, why they failed, where their work is, what to do next", ko: "목표를 보여 줍니다: 시도, 실패 사유, 작업이 있는 곳, 다음에 할 일" }
        log() { en: "Show what an attempt was asked, what its agent did, and its events", ko: "시도에 준 프롬프트, 에이전트가 한 일, 이벤트를 보여 줍니다" }
        diff() { en: "Show what an attempt changed, as a patch", ko: "시도가 바꾼 것을 패치로 보여 줍니다" }
        try_out() { en: "Put the files of an attempt, also a failed one, into a directory to look at and run", ko: "시도의 파일을(실패한 것도) 디렉터리에 꺼내 보고 실행할 수 있게 합니다" }
        undo() { en: "Take back what a passed goal brought, by a revert commit; the goal is active again", ko: "통과한 목표가 가져온 것을 되돌리는 커밋을 만들고 목표를 다시 active로 바꿉니다" }
        undo_goal() { en: "The goal that is done", ko: "완료된 목표" }
        goal() { en: "The goal, or one of its attempts: M3, M3@2 [default: the last attempt]", ko: "목표, 또는 그 시도 하나: M3, M3@2 [기본값: 마지막 시도]" }
        follow() { en: "Go on until the agent has ended", ko: "에이전트가 끝날 때까지 계속 보여 줍니다" }
        dir() { en: "Where to put them: a directory that does not exist yet [default: a new temporary one]", ko: "꺼낼 곳: 아직 없는 디렉터리 [기본값: 새 임시 디렉터리]" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        no_goal(id) { en: "there is no goal {id}", ko: "목표 {id}(이)가 없습니다" }
        no_goal_next() { en: "hast goal list shows the goals", ko: "hast goal list로 목표를 보세요" }
        no_attempt(goal, number) { en: "{goal} has no attempt {number}", ko: "{goal}에는 {number}번째 시도가 없습니다" }
        not_tried(goal) { en: "no agent has worked on {goal} yet", ko: "아직 {goal}(을)를 작업한 에이전트가 없습니다" }
        not_tried_next(goal) { en: "run hast auto {goal}", ko: "hast auto {goal}(을)를 실행하세요" }
        show_next(goal) { en: "hast show {goal} lists the attempts", ko: "hast show {goal}(으)로 시도를 보세요" }
        no_work(goal, number) { en: "attempt {number} at {goal} left no work in git", ko: "{goal}의 {number}번째 시도는 git에 남긴 작업이 없습니다" }
        blocked(why) { en: "blocked: {why}", ko: "차단: {why}" }
        waits(on) { en: "waits for {on}", ko: "{on}(을)를 기다림" }
        stopped(why) { en: "the last run stopped at it: {why}", ko: "마지막 실행이 여기서 멈췄습니다: {why}" }
        attempt(number, class) { en: "attempt {number}: {class}", ko: "시도 {number}: {class}" }
        still_under_way(goal, number) { en: "attempt {number} at {goal} is still under way", ko: "{goal}의 {number}번째 시도가 아직 진행 중입니다" }
        follow_next(goal) { en: "hast log {goal} --follow shows what its agent does", ko: "hast log {goal} --follow로 에이전트가 하는 일을 보세요" }
        went_on() { en: "cut off; the next run goes on with it", ko: "중단됨. 다음 실행이 이어갑니다" }
        left() { en: "did not end", ko: "끝나지 않음" }
        brought(goal, commit) { en: "what {goal} brought is in {commit} already", ko: "{goal}(이)가 가져온 것은 이미 {commit}에 있습니다" }
        brought_next(goal) { en: "hast diff {goal} shows it, hast undo {goal} takes it back", ko: "hast diff {goal}(으)로 보고, hast undo {goal}(으)로 되돌릴 수 있습니다" }
        nothing_to_take(goal, number) { en: "attempt {number} at {goal} left no file that could be taken", ko: "{goal}의 {number}번째 시도가 남긴 파일이 없습니다" }
        commit_first(goal) { en: "commit or stash those files, then hast retry {goal}", ko: "그 파일을 커밋하거나 stash한 뒤 hast retry {goal}" }
        under_way() { en: "under way", ko: "진행 중" }
        earlier(count, goal) { en: "earlier attempts: {count} (hast show {goal} --json has all)", ko: "이전 시도 {count}회 (hast show {goal} --json이 모두 보여 줍니다)" }
        files(files, added, removed) { en: "files {files}, +{added} -{removed}", ko: "파일 {files}개, +{added} -{removed}" }
        cut_off(count) { en: "interruptions: {count}", ko: "{count}번 중단됨" }
        tests() { en: "tests, last lines:", ko: "테스트 출력의 끝:" }
        words() { en: "the agent's last words:", ko: "에이전트의 마지막 말:" }
        work(at) { en: "work: {at}", ko: "작업: {at}" }
        look(commands) { en: "look: {commands}", ko: "보기: {commands}" }
        again(command) { en: "again: {command}", ko: "다시: {command}" }
        prompt(path, bytes) { en: "prompt ({bytes} bytes, {path})", ko: "프롬프트 ({bytes}바이트, {path})" }
        agent(command, path) { en: "agent: {command} ({path})", ko: "에이전트: {command} ({path})" }
        events() { en: "events", ko: "이벤트" }
        no_records(goal, number) { en: "the records of the agent of attempt {number} at {goal} are gone", ko: "{goal}의 {number}번째 시도에 대한 에이전트 기록이 없습니다" }
        no_records_next(goal) { en: "hast show {goal} has what the log of events tells", ko: "hast show {goal}(이)가 이벤트 로그의 내용을 보여 줍니다" }
        nothing_changed(goal, number) { en: "attempt {number} at {goal} changed nothing", ko: "{goal}의 {number}번째 시도는 바꾼 것이 없습니다" }
        nothing_kept(goal, number, why) { en: "attempt {number} at {goal} left no file that is kept: {why}", ko: "{goal}의 {number}번째 시도에서 보존된 파일이 없습니다: {why}" }
        tried(goal, number, directory) { en: "attempt {number} at {goal} is in {directory}", ko: "{goal}의 {number}번째 시도를 {directory}에 꺼냈습니다" }
        tried_words() { en: "it is a copy: nothing that you change there comes back", ko: "복사본이므로 그곳에서 바꾼 것은 돌아오지 않습니다" }
        nothing_passed(goal) { en: "no commit of hast's for {goal} is known here, so there is nothing to take back", ko: "{goal}에 대해 hast가 만든 커밋이 여기에 없어서 되돌릴 것이 없습니다" }
        undo_conflicts(goal, paths) { en: "later commits have changed what {goal} brought: {paths}; nothing was done", ko: "{goal}(이)가 가져온 것을 나중 커밋이 바꿨습니다: {paths}. 아무것도 하지 않았습니다" }
        undo_conflicts_next(range) { en: "git revert --no-commit {range} begins it by hand; solve the conflicts, commit, and set `status: active` in .ai/goals.yaml", ko: "git revert --no-commit {range}(으)로 직접 시작하세요. 충돌을 해결하고 커밋한 뒤 .ai/goals.yaml에서 `status: active`로 바꾸세요" }
        undo_elsewhere(goal, commit) { en: "what {goal} brought ({commit}) is not on the branch that you are on", ko: "{goal}(이)가 가져온 것({commit})이 지금 브랜치에 없습니다" }
        undo_elsewhere_next(commit) { en: "git branch --contains {commit} names the branches that have it; switch to one of them", ko: "git branch --contains {commit}(으)로 그것이 있는 브랜치를 찾아 그 브랜치로 바꾸세요" }
        undo_files(paths) { en: "uncommitted files of yours are in the way: {paths}; nothing was done", ko: "커밋하지 않은 파일이 있어 아무것도 하지 않았습니다: {paths}" }
        undo_files_next() { en: "commit or stash them, then run the command again", ko: "커밋하거나 stash한 뒤 명령을 다시 실행하세요" }
        undo_under_way(what) { en: "you are in the middle of something ({what}); nothing was done", ko: "진행 중인 작업({what})이 있어 아무것도 하지 않았습니다" }
        undo_under_way_next() { en: "end it, then run the command again", ko: "마친 뒤 명령을 다시 실행하세요" }
        undo_checked_out(at) { en: "the branch is checked out at {at}; nothing was done", ko: "브랜치가 {at}에 체크아웃되어 있어 아무것도 하지 않았습니다" }
        undone(goal, commit) { en: "what {goal} brought is taken back by {commit}", ko: "{goal}(이)가 가져온 것을 {commit}(으)로 되돌렸습니다" }
        undone_before(goal) { en: "nothing of what {goal} brought is left on the branch", ko: "{goal}(이)가 가져온 것은 브랜치에 남아 있지 않습니다" }
        active_again(goals) { en: "active again: {goals}", ko: "다시 active: {goals}" }
        not_committed() { en: "(in .ai/goals.yaml, not committed: you have changed that file too)", ko: "(.ai/goals.yaml에 썼지만 직접 고친 파일이라 커밋하지 않았습니다)" }
        on_no_branch(commit) { en: "HEAD is on no branch: {commit} is only there; git switch -c NAME keeps it", ko: "HEAD가 브랜치에 있지 않아 {commit}(은)는 HEAD에만 있습니다. git switch -c NAME으로 남기세요" }
        undone_status(goal) { en: "what {goal} brought is taken back, but its status cannot be set without changing more of .ai/goals.yaml", ko: "{goal}(이)가 가져온 것은 되돌렸지만 .ai/goals.yaml의 다른 곳을 바꾸지 않고는 상태를 바꿀 수 없습니다" }
        undone_status_next() { en: "set `status: active` there by hand", ko: "그곳에서 직접 `status: active`로 바꾸세요" }
        dir_there() { en: "something is there already", ko: "그곳에 이미 파일이나 디렉터리가 있습니다" }
        dir_there_next() { en: "name a directory that does not exist yet, or leave --dir away", ko: "아직 없는 디렉터리를 쓰거나 --dir을 빼세요" }
    }
}
