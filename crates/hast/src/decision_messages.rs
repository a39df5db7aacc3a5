//! Messages and help of `hast decision`, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        decision() { en: "Decide between alternatives by a matrix, and by really trying them", ko: "점수표와 실제 시험 구현으로 대안을 결정합니다" }
        new() { en: "Make a ticket .ai/decisions/ID.yaml to fill in", ko: "채워 넣을 티켓 .ai/decisions/ID.yaml을 만듭니다" }
        id() { en: "A name for the decision; it becomes the name of the file", ko: "결정의 이름. 파일 이름이 됩니다" }
        question() { en: "What is to be decided", ko: "무엇을 결정하는지" }
        alternative() { en: "An alternative, at least two of them", ko: "대안. 둘 이상 필요합니다" }
        goal() { en: "The goal that it is about", ko: "관련된 목표" }
        evaluate() { en: "Totals of the matrix, and which alternatives are eligible", ko: "점수표의 합계와 자격이 있는 대안을 보여 줍니다" }
        file() { en: "The ticket", ko: "티켓 파일" }
        spike() { en: "Try each alternative in a room of its own, measure and rank them", ko: "각 대안을 별도 작업실에서 시험 구현하고 측정해 순위를 매깁니다" }
        parallel() { en: "How many at once [default: all, at most 4]", ko: "동시에 몇 개를 [기본값: 전부, 최대 4]" }
        backend() { en: "auto or thread: processes here; ray is not here yet [default: auto]", ko: "auto, thread: 이 기기의 프로세스. ray는 아직 없습니다 [기본값: auto]" }
        command() { en: "Try with this command instead of an agent", ko: "에이전트 대신 이 명령으로 시도합니다" }
        timeout() { en: "How long a try may take [default: timeout_minutes]", ko: "시도 하나의 제한 시간(분) [기본값: timeout_minutes]" }
        accept() { en: "Merge the winner, if everything asked for holds", ko: "조건이 모두 맞으면 1위를 병합합니다" }
        if_reason() { en: "Only if this is why it won: passed, diff_lines, changed_files or id", ko: "1위인 이유가 이것일 때만: passed, diff_lines, changed_files, id" }
        max_lines() { en: "Only up to this many changed lines", ko: "바뀐 줄이 이 수 이하일 때만" }
        max_files() { en: "Only up to this many changed files", ko: "바뀐 파일이 이 수 이하일 때만" }
        eligible() { en: "Only if the matrix says that it is eligible", ko: "점수표에서 자격이 있을 때만" }
        explain() { en: "Say why each alternative passed or did not", ko: "각 대안의 판정 이유를 알립니다" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        title() { en: "spike", ko: "시험 구현" }
        bad_id(id) { en: "{id} cannot be the name of a file", ko: "{id}(은)는 파일 이름이 될 수 없습니다" }
        bad_id_next() { en: "use a-z, A-Z, digits, `.`, `-` and `_`", ko: "영문자(a-z, A-Z), 숫자, `.`, `-`, `_`를 쓰세요" }
        too_few() { en: "a decision needs at least two alternatives", ko: "결정에는 대안이 둘 이상 필요합니다" }
        too_few_next() { en: "give each with --alternative ID=TITLE", ko: "--alternative ID=TITLE로 하나씩 쓰세요" }
        bad_alternative(text) { en: "{text} is not ID=TITLE", ko: "{text}(은)는 ID=TITLE 꼴이 아닙니다" }
        exists(path) { en: "{path} is there already", ko: "{path}(이)가 이미 있습니다" }
        exists_next() { en: "edit it, or choose another id", ko: "그 파일을 고치거나 다른 id를 쓰세요" }
        made(path) { en: "made {path}", ko: "{path}(을)를 만들었습니다" }
        made_next(path) { en: "fill in approaches and scores, then hast decision evaluate {path} and hast decision spike {path}", ko: "접근 방법과 점수를 채운 뒤 hast decision evaluate {path}, hast decision spike {path}(을)를 실행하세요" }
        no_ray() { en: "the ray backend is not here yet", ko: "ray 백엔드는 아직 없습니다" }
        no_ray_next() { en: "use --backend thread: alternatives are tried by processes of this machine", ko: "--backend thread를 쓰세요. 이 기기의 프로세스로 시도합니다" }
        eligible() { en: "eligible", ko: "자격 있음" }
        not_eligible(why) { en: "not eligible: {why}", ko: "자격 없음: {why}" }
        passed() { en: "passed", ko: "통과" }
        moved_refs(names) { en: "moved meanwhile, and not by this alternative as far as can be told: {names}; if it was not you, git reflog shows where they were", ko: "그 사이 옮겨진 ref입니다(이 대안이 옮겼는지는 알 수 없습니다): {names}. 직접 옮긴 것이 아니면 git reflog에서 이전 위치를 확인하세요" }
        counted(lines, files, seconds) { en: "lines {lines}, files {files}, {seconds} s", ko: "줄 {lines}, 파일 {files}, {seconds}초" }
        trying() { en: "is tried", ko: "시도 중" }
    }
}
