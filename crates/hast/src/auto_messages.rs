//! Messages and help of `hast auto`, `hast retry` and `hast take`, and messages of the demo, in
//! Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        auto() { en: "Work through goals unattended: agent, judge, commit or roll back", ko: "목표를 무인으로 진행합니다: 에이전트 실행, 판정, 커밋 또는 롤백" }
        auto_goal() { en: "The goal; without one, everything that can run, in the order of the selection policy", ko: "목표. 없으면 실행할 수 있는 모든 목표를 선택 정책 순서로" }
        one() { en: "Only the first of what can run", ko: "실행할 수 있는 것 중 첫 목표만" }
        until() { en: "Begin nothing after this local time; what is under way then is finished", ko: "이 시각(현지)부터는 새로 시작하지 않고, 하던 일은 마칩니다" }
        max_goals() { en: "Begin no more than so many goals", ko: "이 수만큼만 목표를 시작합니다" }
        budget() { en: "What the agents of this run may use together: money, tokens (200k) or time (90m, 8h)", ko: "이번 실행의 에이전트가 함께 쓸 수 있는 양: 금액, 토큰(200k), 시간(90m, 8h)" }
        now() { en: "Ask agents whose usage limit is remembered, instead of waiting for its end", ko: "기억된 사용량 제한이 끝나기를 기다리지 않고 에이전트를 부릅니다" }
        recursive() { en: "Run the leaves below the goal, one after the other", ko: "하위 잎 목표를 차례로 실행합니다" }
        dry_run() { en: "Show what would run; start and write nothing", ko: "무엇을 실행할지 보여 주기만 하고 시작하거나 쓰지 않습니다" }
        dry_run_full() { en: "As --dry-run, with the whole prompt", ko: "--dry-run에 전체 프롬프트를 더합니다" }
        undo() { en: "Bring the work of the last attempt that was rolled back into the tree again; with =REF that of another one", ko: "마지막으로 롤백된 시도의 작업을 작업 트리에 되돌립니다. =REF를 쓰면 그 ref의 작업을 되돌립니다" }
        fewer_tests() { en: "Judge the kept work again as it is, without an agent: it is right that fewer tests run (with --continue)", ko: "에이전트 없이 보존된 작업을 그대로 다시 판정합니다. 실행되는 테스트가 줄어드는 것이 맞습니다 (--continue와 함께)" }
        go_on() { en: "Begin with the work of the last attempt that was handed over", ko: "넘겨진 마지막 시도의 작업에서 이어서 시작합니다" }
        gc() { en: "Delete refs of attempts that are older than 30 days, unmerged ones and what lies in .git/hast/aside only after asking, and rooms that no run needs", ko: "30일이 지난 시도의 ref와 쓰이지 않는 작업실을 지웁니다. 병합되지 않은 ref와 .git/hast/aside에 있는 것은 물어본 뒤에만 지웁니다" }
        isolate() { en: "Without effect: every goal works in a room of its own", ko: "효과가 없습니다. 모든 목표는 별도의 작업실에서 진행됩니다" }
        parallel() { en: "Work on up to N goals at once [default: 1]", ko: "목표를 최대 N개까지 동시에 진행합니다 [기본값: 1]" }
        explain() { en: "Say why each attempt was judged as it was", ko: "각 시도의 판정 사유를 출력합니다" }
        tool() { en: "The agent to use: a name of ai_tools, or a preset", ko: "사용할 에이전트: ai_tools의 이름이나 프리셋" }
        retry() { en: "Make a blocked goal active again and run it", ko: "차단된 목표를 다시 active로 바꾸고 실행합니다" }
        take() { en: "Put the work of a blocked goal into your checkout, uncommitted", ko: "차단된 목표의 작업을 커밋하지 않고 체크아웃에 가져옵니다" }
        retry_text() { en: "What the agent is told besides why it failed", ko: "실패 사유와 함께 에이전트에게 전할 말" }
        retry_goal() { en: "The blocked goal", ko: "차단된 목표" }
        take_goal() { en: "The blocked goal, or one of its attempts: M3, M3@2", ko: "차단된 목표, 또는 그 시도 하나: M3, M3@2" }
        no_run() { en: "Only make it active", ko: "active로 바꾸기만 합니다" }
        keep_attempts() { en: "Leave the records of earlier attempts where they are", ko: "이전 시도의 기록을 그대로 둡니다" }
        demo() { en: "Play a whole run in a scratch repository, without any model or key", ko: "모델이나 키 없이 임시 저장소에서 전체 흐름을 보여 줍니다" }
        demo_agent() { en: "`builtin`: hast's own agent works, with a server on this machine in the place of a model (goals only)", ko: "`builtin`: hast의 내장 에이전트가 일합니다. 모델 자리에는 이 컴퓨터의 서버가 있습니다(goals만)" }
        demo_dir() { en: "Where to make the scratch repository [default: a new temporary directory]", ko: "임시 저장소를 만들 곳 [기본값: 새 임시 디렉터리]" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        bad_until(text) { en: "`{text}` is no time of a day", ko: "`{text}`(은)는 시각이 아닙니다" }
        bad_until_next() { en: "write it like --until 07:00", ko: "--until 07:00처럼 쓰세요" }
        until_tomorrow(time, left) { en: "until tomorrow {time}, in {left}", ko: "내일 {time}까지, 앞으로 {left}" }
        bad_budget(text) { en: "`{text}` is no budget", ko: "`{text}`(은)는 예산이 아닙니다" }
        bad_budget_next() { en: "write money, tokens or time: --budget 5usd, --budget 200k, --budget 90m", ko: "금액, 토큰, 시간으로 쓰세요: --budget 5usd, --budget 200k, --budget 90m" }
        title() { en: "hast auto", ko: "hast auto 진행" }
        always_isolated() { en: "warning: --isolate has no effect: every goal works in a room, outside of your checkout", ko: "경고: --isolate는 효과가 없습니다. 모든 목표는 체크아웃 밖의 작업실에서 진행됩니다" }
        needs_commits() { en: "`commit: off` puts the work of one goal into your checkout, and this needs commits", ko: "`commit: off`는 한 목표의 작업을 체크아웃에 두는 설정이라 커밋이 필요한 이 명령과 함께 쓸 수 없습니다" }
        needs_commits_next() { en: "set `commit: auto` in .ai/config.yaml, or run hast auto without --parallel", ko: ".ai/config.yaml에 `commit: auto`를 쓰거나 --parallel 없이 hast auto를 실행하세요" }
        in_checkout(goal, files) { en: "the work of {goal} is in your checkout, uncommitted: {files}", ko: "{goal}의 작업은 커밋되지 않은 채 체크아웃에 있습니다: {files}" }
        taken(goal, name, count) { en: "the work of {goal} is in your checkout, uncommitted, from {name}; files: {count}", ko: "{name}에 있던 {goal}의 작업을 커밋하지 않고 체크아웃에 가져왔습니다. 파일 {count}개" }
        taken_next(typed, goal) { en: "git status and hast diff {typed} show it; commit it and set the status of {goal} in .ai/goals.yaml", ko: "git status와 hast diff {typed}(으)로 확인하고 커밋한 뒤 .ai/goals.yaml에서 {goal}의 상태를 바꾸세요" }
        nothing_kept(goal) { en: "there is no kept work of {goal}", ko: "{goal}의 보존된 작업이 없습니다" }
        nothing_kept_next(goal) { en: "hast show {goal} lists its attempts; hast take {goal}@N takes the work of one of them", ko: "hast show {goal}(으)로 시도를 보세요. hast take {goal}@N은 그중 한 시도의 작업을 가져옵니다" }
        lane_opening() { en: "preparing the room", ko: "작업실 준비" }
        lane_testing() { en: "testing the base", ko: "기준 커밋 테스트" }
        lane_judging() { en: "judging: tests", ko: "판정: 테스트" }
        lane_putting_back() { en: "keeping its work, clearing the room", ko: "작업 보관, 작업실 되돌리기" }
        failed_before(why) { en: "before: {why}", ko: "앞선 시도: {why}" }
        lane_waiting() { en: "passed, waits for its turn to be merged", ko: "통과, 병합 순서를 기다림" }
        lane_merging() { en: "passed, merging", ko: "통과, 병합 중" }
        lane_closing() { en: "its room is cleared", ko: "작업실 정리" }
        own_path(why) { en: "agents work at a path of their own, without your ignored files (room_copy copies them): {why}", ko: "에이전트가 별도 경로에서 작업하며 무시된 파일은 보이지 않습니다(room_copy로 복사할 수 있습니다): {why}" }
        gc_rooms(rooms, size) { en: "free rooms deleted: {rooms} ({size})", ko: "빈 작업실 {rooms}개를 지웠습니다 ({size})" }
        gc_tree(tree, size) { en: "removed the room of {tree} ({size})", ko: "{tree}의 작업실 삭제 ({size})" }
        gc_tree_saved(tree, size, name) { en: "removed the room of {tree} ({size}); what it held is on {name}", ko: "{tree}의 작업실 삭제 ({size}). 들어 있던 것은 {name}에 있습니다" }
        gc_earlier(tree) { en: "{tree} was made by an earlier version of hast and stays: look at it, then git worktree remove --force {tree}", ko: "{tree}(은)는 이전 버전의 hast가 만든 작업 트리여서 남겼습니다. 확인한 뒤 git worktree remove --force {tree}(으)로 지우세요" }
        gc_tree_in_use(tree, size) { en: "the room of {tree} ({size}) is in use", ko: "{tree}의 작업실 ({size})은 사용 중입니다" }
        gc_tree_refused(tree, why) { en: "the room of {tree} stays: {why}", ko: "{tree}의 작업실을 남겼습니다: {why}" }
        attempt(number) { en: "attempt {number}", ko: "{number}번째 시도" }
        attempt_of(number, last) { en: "attempt {number} of {last}", ko: "{last}번 중 {number}번째 시도" }
        attempt_again(number, last, name) { en: "attempt {number} of {last}, {name}", ko: "{last}번 중 {number}번째 시도, {name}" }
        tried(count) { en: "failed attempts: {count}", ko: "실패한 시도 {count}회" }
        interactive() { en: "interactive", ko: "사람이 직접" }
        took(time) { en: "took {time}", ko: "걸린 시간 {time}" }
        no_test_command() { en: "there is no test_command, so nothing could be judged", ko: "test_command가 없어 판정할 수 없습니다" }
        no_test_command_next() { en: "set test_command in .ai/config.yaml", ko: ".ai/config.yaml에 test_command를 쓰세요" }
        would_refuse(what) { en: "hast auto would not start now: {what}", ko: "지금은 hast auto가 시작하지 않습니다: {what}" }
        undo_is_take() { en: "notice: hast take GOAL[@N] does this for one attempt; --undo stays as its other name", ko: "알림: 시도 하나는 hast take GOAL[@N]로 가져올 수 있습니다. --undo는 다른 이름으로 남아 있습니다" }
        nothing_to_undo() { en: "no attempt was rolled back yet", ko: "롤백된 시도가 아직 없습니다" }
        nothing_to_undo_next() { en: "see `git for-each-ref refs/hast` for everything that is kept", ko: "보관된 것은 `git for-each-ref refs/hast`로 볼 수 있습니다" }
        undone(name, count) { en: "{name} is in the tree again; files: {count}", ko: "{name}(을)를 작업 트리에 되돌렸습니다. 파일 {count}개" }
        undone_next() { en: "look at it, then commit it, or `git stash` it before the next hast auto", ko: "확인한 뒤 커밋하거나, 다음 hast auto 전에 `git stash` 하세요" }
        aside(path, name, at, command) { en: "{path} does not fit on {name}: it is in {at} ({command} brings it back)", ko: "{path}(은)는 {name}에 넣을 수 없어 {at}(으)로 옮겼습니다 ({command}(으)로 되살릴 수 있습니다)" }
        beside_more(count) { en: "and {count} more; hast auto --gc lists what lies in .git/hast/aside", ko: "그 밖에 {count}개가 더 있습니다. .git/hast/aside에 있는 것은 hast auto --gc가 보여 줍니다" }
        kept_on(goal, branch) { en: "the work on {goal} is on the branch {branch}", ko: "{goal}의 작업은 브랜치 {branch}에 있습니다" }
        saved_on(goal, attempt, name) { en: "attempt {attempt} at {goal} is kept beside your files: hast diff {goal}@{attempt} shows it, hast take {goal}@{attempt} brings it into your checkout, git checkout {name} -- PATH one file of it", ko: "{goal}의 {attempt}번째 시도는 따로 보관했습니다. 보려면 hast diff {goal}@{attempt}, 체크아웃으로 모두 가져오려면 hast take {goal}@{attempt}, 파일 하나만 가져오려면 git checkout {name} -- PATH" }
        on_no_branch() { en: "HEAD is on no branch: what passes is only there; git switch -c NAME keeps it", ko: "HEAD가 브랜치에 있지 않아 통과한 작업이 HEAD에만 남습니다. git switch -c NAME으로 남기세요" }
        get_back() { en: "to get back what was kept: hast take GOAL@N, or one file with git checkout REF -- PATH", ko: "보관한 작업을 되살리려면: 전체는 hast take GOAL@N, 파일 하나는 git checkout REF -- PATH" }
        in_a_package(package, top) { en: "{package} is in a package of the repository {top}; hast auto works with the .ai/ at the top of a repository", ko: "{package}(은)는 저장소 {top}의 하위 패키지에 있습니다. hast auto는 저장소 최상위의 .ai/로 작업합니다" }
        in_a_package_next(top, package) { en: "move it there with cd {top} && git mv {package} .ai && git commit -m 'move .ai', name the package in allowed_changes and test_command, then run the command again", ko: "cd {top} && git mv {package} .ai && git commit -m 'move .ai' 로 옮긴 뒤, allowed_changes와 test_command에 패키지를 적고 명령을 다시 실행하세요" }
        came_late(goal) { en: "another worker has claimed {goal} meanwhile: what was made here does not count", ko: "그동안 다른 작업자가 {goal}(을)를 맡았으므로 여기서 한 작업은 반영하지 않습니다" }
        kept_elsewhere(goal, branch, own) { en: "the work on {goal} is on the branch {branch}; {own} holds something else or is checked out, and was left as it is", ko: "{goal}의 작업은 브랜치 {branch}에 있습니다. {own}(은)는 다른 작업이 있거나 체크아웃되어 있어 그대로 두었습니다" }
        earlier_tree(goal, name) { en: "an earlier run had left a room of {goal}; what it held is saved as {name} (git checkout {name} -- PATH brings a file back)", ko: "이전 실행이 남긴 {goal}의 작업실에 있던 것은 {name}에 보관했습니다 (git checkout {name} -- PATH로 파일을 되살릴 수 있습니다)" }
        submodules_moved(paths) { en: "submodules that are not at the commit which HEAD names: {paths}; agents and tests see their files as you have them (`git submodule update {paths}` brings them there)", ko: "HEAD가 가리키는 커밋에 있지 않은 서브모듈: {paths}. 에이전트와 테스트는 지금 있는 파일을 봅니다(`git submodule update {paths}`로 맞출 수 있습니다)" }
        installs(commands) { en: "a list of dependencies changed, and nothing is installed in your checkout: run `{commands}`", ko: "의존성 목록이 바뀌었지만 체크아웃에는 설치하지 않았습니다. `{commands}`(을)를 실행하세요" }
        rooms_here(rooms, in_use, size, kind) { en: "rooms: {rooms} ({in_use} in use), {size}, {kind}; hast auto --gc frees the others", ko: "작업실: {rooms}개 (사용 중 {in_use}개), {size}, {kind}. 나머지는 hast auto --gc로 비웁니다" }
        at_same_path() { en: "at the path of the checkout", ko: "체크아웃과 같은 경로" }
        at_own_path() { en: "at a path of their own", ko: "별도 경로" }
        squashed(why) { en: "squashed: the agent's own commits are one commit of hast's: {why}", ko: "squashed: 에이전트의 커밋을 hast의 커밋 하나로 합쳤습니다: {why}" }
        red_base(command, code, line) { en: "warning: the tests are red before any work: `{command}` ends with {code}: {line}", ko: "경고: 작업 전부터 테스트가 실패합니다. `{command}`의 종료 코드 {code}: {line}" }
        changed_tests(files) { en: "changed tests: {files}", ko: "바뀐 테스트: {files}" }
        not_committed(files) { en: "new files that the attempt's own .gitignore ignores are in no commit: {files}", ko: "시도가 추가한 .gitignore가 무시하는 새 파일은 커밋하지 않았습니다: {files}" }
        moved_refs(names) { en: "moved meanwhile, and not by hast: {names}; left as they are. If it was not you, git reflog shows where they were (an agent that no sandbox holds could have done it)", ko: "그 사이 hast가 아닌 누군가 옮긴 ref이며 그대로 두었습니다: {names}. 직접 옮긴 것이 아니면 git reflog에서 이전 위치를 확인하세요(샌드박스가 없으면 에이전트도 옮길 수 있습니다)" }
        not_to_be_set(count) { en: "nothing was started: the status of goals that would run could not be set afterwards without changing more ({count})", ko: "시작하지 않았습니다. 실행할 목표의 상태를 나중에 그 값만 바꿔 쓸 수 없습니다 ({count}개)" }
        not_to_be_set_next() { en: "write `status: active` there as a plain value of its own, without an alias, anchor, tag or block", ko: "그 자리에 앵커, 별칭, 태그, 블록 없이 `status: active`를 그대로 쓰세요" }
        not_saved(name) { en: "nothing is recorded about {name}", ko: "{name}에 대한 기록이 없습니다" }
        undone_aside(path, at) { en: "{path} (was in {at})", ko: "{path} ({at}에 있던 것)" }
        undo_in_the_way(path, at, command) { en: "{path} was not brought back: something is there already, and it stays in {at} ({command})", ko: "{path}(은)는 그 자리에 다른 것이 있어 되돌리지 않았습니다. {at}에 있습니다 ({command})" }
        undo_gone(path, at) { en: "{path} is not in {at} any more", ko: "{path}(이)가 더는 {at}에 없습니다" }
        gc_unmerged(count) { en: "older than 30 days and part of no branch of yours: {count} (run hast auto --gc on a terminal to be asked about them)", ko: "30일이 지났고 사용자의 브랜치에 없는 ref {count}개 (터미널에서 hast auto --gc를 실행하면 지울지 묻습니다)" }
        gc_checked_out(name, at) { en: "{name} stays: it is checked out at {at}", ko: "{name}(은)는 {at}에 체크아웃되어 있어 남겼습니다" }
        gc_aside(count, size) { en: "on no ref, and only in .git/hast/aside: {count} ({size})", ko: "어떤 ref에도 없이 .git/hast/aside에만 있는 것 {count}개 ({size})" }
        gc_aside_line(at, size, days, of) { en: "{at} ({size}, {days} days) of {of}", ko: "{at} ({size}, {days}일 지남), {of}의 것" }
        gc_aside_deleted(at, size) { en: "{at} ({size}) deleted", ko: "{at} ({size}) 삭제" }
        gc_aside_question(count, size) { en: "delete for good what has been there for 30 days: {count} ({size})? [y/N] ", ko: "30일이 지난 {count}개({size})를 완전히 지울까요? [y/N] " }
        gc_question(count) { en: "delete {count} unmerged refs as well? [y/N] ", ko: "병합되지 않은 ref {count}개도 지울까요? [y/N] " }
        gc_done(deleted, kept) { en: "refs deleted: {deleted}, kept: {kept}", ko: "지운 ref {deleted}개, 남긴 ref {kept}개" }
        demo_intro(directory) { en: "A small shop, five goals, and an agent that is only a script: no model, no key, no network.\nScratch repository: {directory}\n", ko: "작은 가게, 다섯 가지 목표, 그리고 스크립트로 된 에이전트. 모델도 키도 네트워크도 쓰지 않습니다.\n임시 저장소: {directory}\n" }
        demo_red() { en: "  gate: the new test is red, which is what this goal is for. Committed.", ko: "  게이트: 새 테스트가 빨간불입니다. 이 목표가 원하는 결과이므로 커밋했습니다." }
        demo_green() { en: "  gate: tests green, handoff there, changes within scope. Committed.", ko: "  게이트: 테스트 통과, 핸드오프 있음, 범위 안의 변경. 커밋했습니다." }
        demo_tests() { en: "  gate: the agent said complete, the tests say no. Rolled back; the next attempt is told what was red.", ko: "  게이트: 에이전트는 완료라고 했지만 테스트가 실패했습니다. 롤백했고, 다음 시도에 무엇이 실패했는지 알려 줍니다." }
        demo_nothing() { en: "  gate: \"all done\", and not one file changed. Words are not work.", ko: "  게이트: \"다 했다\"는데 바뀐 파일이 없습니다. 말은 일이 아닙니다." }
        demo_scope() { en: "  gate: it made the tests green by rewriting the test runner, outside of what it may change. Rolled back.", ko: "  게이트: 허용 범위 밖의 테스트 실행기를 고쳐 통과시키려 했습니다. 롤백했습니다." }
        demo_protected() { en: "  gate: it called its own goal done in goals.yaml, which is not an agent's to write. Rolled back.", ko: "  게이트: 에이전트가 쓸 수 없는 goals.yaml에서 자기 목표를 완료로 바꿨습니다. 롤백했습니다." }
        demo_other() { en: "  gate: not passed.", ko: "  게이트: 통과하지 못했습니다." }
        demo_end(directory) {
            en: "\nThree goals passed the gate, one is for you to do by hand (`mode: interactive`), and the liar's is blocked, with every attempt kept on a ref.\nLook around:\n  cd {directory}\n  hast status                      # states, and what waits for you\n  hast show SHOP.5                 # why one is blocked, attempt by attempt\n  hast diff SHOP.5@2               # what an attempt did, nothing is lost\n  git log --oneline                # a commit for each goal that passed\n  hast trust --yes                 # then take, retry and undo work here too\nIn your own repository:\n  hast init                        # settings, goals, rules\n  hast auto --dry-run              # what would run\n  hast auto                        # let it work",
            ko: "\n세 목표가 게이트를 통과했고, 하나는 사람이 직접 할 목표(`mode: interactive`)이며, 거짓말쟁이의 목표는 차단되었습니다. 모든 시도는 ref에 남아 있습니다.\n둘러보기:\n  cd {directory}\n  hast status                      # 상태와 사람을 기다리는 것\n  hast show SHOP.5                 # 목표 하나가 막힌 이유와 시도들\n  hast diff SHOP.5@2               # 한 시도가 한 일. 잃은 것은 없습니다\n  git log --oneline                # 통과한 목표마다 커밋 하나\n  hast trust --yes                 # 여기서 take, retry, undo도 쓸 수 있게 합니다\n내 저장소에서:\n  hast init                        # 설정, 목표, 규칙\n  hast auto --dry-run              # 무엇을 실행할지\n  hast auto                        # 맡기기",
        }
        demo_surprise() { en: "the demo did not end as it should", ko: "데모가 예상대로 끝나지 않았습니다" }
        demo_surprise_next() { en: "please report it with the output above", ko: "위 출력과 함께 알려 주세요" }
        demo_cut_off_next(directory, word) { en: "hast demo begins anew, in another directory; look at this one in {directory}, or remove it with rm -r {word}", ko: "hast demo를 다시 실행하면 다른 디렉터리에서 새로 시작합니다. 이번 것은 {directory}에 있으며 rm -r {word}(으)로 지울 수 있습니다" }
        demo_only_goals() { en: "`--agent builtin` plays the demo of the goals flow only", ko: "`--agent builtin`은 goals 데모에서만 쓸 수 있습니다" }
        demo_only_goals_next() { en: "run hast demo --agent builtin", ko: "hast demo --agent builtin을 실행하세요" }
        demo_no_server() { en: "the server of the demo cannot be started", ko: "데모의 서버를 시작할 수 없습니다" }
        demo_no_git() { en: "the scratch repository could not be made", ko: "임시 저장소를 만들지 못했습니다" }
        demo_no_git_next() { en: "check that git is installed and the directory can be written", ko: "git이 설치되어 있고 디렉터리에 쓸 수 있는지 확인하세요" }
        demo_not_empty() { en: "there is something in this directory already", ko: "이 디렉터리에 이미 무언가 있습니다" }
        demo_not_empty_next() { en: "name a directory that does not exist yet", ko: "아직 없는 디렉터리를 지정하세요" }
    }
}
