//! Messages of the commands about goals, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        goal() { en: "Add goals to .ai/goals.yaml, and list them", ko: ".ai/goals.yaml에 목표를 추가하고 봅니다" }
        add() { en: "Add a goal; every other byte of the file stays", ko: "목표를 추가합니다. 파일의 나머지는 그대로 둡니다" }
        list() { en: "List the goals, and why one does not run", ko: "목표와 실행하지 않는 이유를 보여 줍니다" }
        import() { en: "Add goals from a JSON list on stdin, for example of gh issue list --json number,title,body", ko: "stdin의 JSON 목록에서 목표를 추가합니다. 예: gh issue list --json number,title,body" }
        title() { en: "What is to be done, in one line", ko: "할 일 한 줄" }
        allow() { en: "Files that the goal may change, gitignore style; may be repeated", ko: "목표가 바꿀 수 있는 파일(gitignore 형식). 여러 번 쓸 수 있습니다" }
        under() { en: "Make it a part of this goal; one that is done becomes active again", ko: "이 목표의 하위 목표로 만듭니다. 완료된 목표는 다시 active가 됩니다" }
        accept() { en: "What has to be true in the end; may be repeated", ko: "끝났을 때 참이어야 하는 것. 여러 번 쓸 수 있습니다" }
        test() { en: "The test command of this goal [default: test_command of .ai/config.yaml]", ko: "이 목표의 테스트 명령 [기본값: .ai/config.yaml의 test_command]" }
        id() { en: "Its id [default: the next free G1, G2, ..., or M4.1, M4.2, ... below M4]", ko: "목표 id [기본값: 다음 빈 G1, G2, ... 또는 M4 아래에서는 M4.1, M4.2, ...]" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        added(id, title) { en: "added {id}: {title}", ko: "{id} 추가: {title}" }
        skipped(id) { en: "{id} is there already and was skipped", ko: "{id}(은)는 이미 있어 건너뛰었습니다" }
        reopened(id) { en: "{id} was done and is active again", ko: "완료되었던 {id}(을)를 다시 active로 바꿨습니다" }
        closed(above, status) { en: "nothing below {above} runs while it is {status}", ko: "{above}(이)가 {status}인 동안 그 하위 목표는 실행하지 않습니다" }
        closed_next(above) { en: "set `status: active` of {above} in .ai/goals.yaml", ko: ".ai/goals.yaml에서 {above}(을)를 `status: active`로 바꾸세요" }
        nothing_added() { en: "no goal was added", ko: "추가한 목표가 없습니다" }
        nothing_added_next() { en: "hast goal list shows the goals", ko: "hast goal list로 목표를 보세요" }
        no_parent(id) { en: "there is no goal {id} to add to", ko: "하위 목표를 추가할 목표 {id}(이)가 없습니다" }
        no_title(number) { en: "goal {number} of the list has no title", ko: "목록의 {number}번째 목표에 제목이 없습니다" }
        no_title_next() { en: "give each goal a `title` with something in it; nothing was added", ko: "목표마다 비어 있지 않은 `title`을 쓰세요. 추가한 것은 없습니다" }
        bad_id(number, id) { en: "goal {number}: `{id}` cannot be an id", ko: "{number}번째 목표: `{id}`(은)는 id로 쓸 수 없습니다" }
        bad_id_next() { en: "use letters, digits, `.`, `_` and `-`, and begin with a letter or a digit, or leave the id away; nothing was added", ko: "문자, 숫자, `.`, `_`, `-`만 쓰고 문자나 숫자로 시작하거나 id를 빼세요. 추가한 것은 없습니다" }
        no_match(number, glob) { en: "goal {number}: no file can match `{glob}`", ko: "{number}번째 목표: `{glob}`에 맞는 파일은 있을 수 없습니다" }
        no_match_next() { en: "write it from the top of the repository, without `..`, for example --allow src/; nothing was added", ko: "저장소 최상위부터 `..` 없이 쓰세요. 예: --allow src/. 추가한 것은 없습니다" }
        empty_title() { en: "the title is empty", ko: "제목이 비어 있습니다" }
        empty_title_next(command) { en: "say in one line what is to be done: {command} \"Reject empty passwords\"", ko: "할 일을 한 줄로 쓰세요: {command} \"빈 비밀번호 거부\"" }
        is_there(id) { en: "there is a goal {id} already", ko: "목표 {id}(이)가 이미 있습니다" }
        is_there_next() { en: "give another id or leave --id away; hast goal list shows the goals", ko: "다른 id를 쓰거나 --id를 빼세요. 목표는 hast goal list로 볼 수 있습니다" }
        empty_file() { en: "there is nothing in .ai/goals.yaml", ko: ".ai/goals.yaml이 비어 있습니다" }
        empty_file_next() { en: "write the line `goals: []` into it, then run the command again", ko: "`goals: []` 한 줄을 쓴 뒤 명령을 다시 실행하세요" }
        invalid_file() { en: ".ai/goals.yaml is not right as it is; nothing was added", ko: ".ai/goals.yaml에 오류가 있어 추가하지 않았습니다" }
        invalid_file_next() { en: "correct it (hast verify lists everything), then run the command again", ko: "고친 뒤(전체 목록은 hast verify) 명령을 다시 실행하세요" }
        too_long() { en: "with these goals .ai/goals.yaml would be too long to be read", ko: "이 목표들을 더하면 .ai/goals.yaml이 너무 길어 읽을 수 없습니다" }
        too_long_next() { en: "add fewer goals, or shorter ones; nothing was added", ko: "더 적거나 짧은 목표를 추가하세요. 추가한 것은 없습니다" }
        cannot_add() { en: "the goals cannot be added without changing more of .ai/goals.yaml", ko: "다른 곳을 바꾸지 않고는 .ai/goals.yaml에 목표를 추가할 수 없습니다" }
        cannot_add_next() { en: "add them by hand at the place that is shown; nothing was changed", ko: "표시된 자리에 직접 추가하세요. 바꾼 것은 없습니다" }
        no_map(number) { en: "goal {number} of the list must be a map with a `title`", ko: "목록의 {number}번째 목표는 `title`이 있는 맵이어야 합니다" }
        not_text(number, field) { en: "goal {number} of the list: {field} must be text", ko: "목록의 {number}번째 목표: {field}(은)는 문자열이어야 합니다" }
        not_whole(number, field) { en: "goal {number} of the list: {field} must be a whole number", ko: "목록의 {number}번째 목표: {field}(은)는 정수여야 합니다" }
        wrong_list_next() { en: "correct the list, then run the command again; nothing was added", ko: "목록을 고친 뒤 명령을 다시 실행하세요. 추가한 것은 없습니다" }
        no_list() { en: "stdin has no JSON list of goals", ko: "stdin에 목표의 JSON 목록이 없습니다" }
        no_list_next() { en: "pipe one in, for example gh issue list --json number,title,body | hast goal import", ko: "목록을 파이프로 넘기세요. 예: gh issue list --json number,title,body | hast goal import" }
        list_too_long(bytes) { en: "the list on stdin is longer than {bytes} bytes", ko: "stdin의 목록이 {bytes}바이트보다 깁니다" }
        no_goals() { en: "there are no goals yet", ko: "아직 목표가 없습니다" }
        no_goals_next() { en: "hast goal add \"TITLE\"", ko: "hast goal add \"제목\"" }
        of_person() { en: "a person does it (mode: interactive)", ko: "사람이 직접 합니다 (mode: interactive)" }
        waits(on) { en: "waits for {on}", ko: "{on}(을)를 기다림" }
        waits_above(above, on) { en: "{above} waits for {on}", ko: "{above}(이)가 {on}(을)를 기다림" }
        below(above, status) { en: "does not run: {above} is {status}", ko: "실행하지 않음: {above}(이)가 {status}" }
    }
}
