//! Messages and help of `hast explore`, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        explore() { en: "Ask about the code: a map without a model, then an agent that may only read", ko: "코드에 대해 묻습니다: 모델 없이 만든 지도, 그리고 읽기만 하는 에이전트" }
        question() { en: "The question, in Korean or English", ko: "질문(한국어 또는 영어)" }
        no_agent() { en: "Only the map: no agent is asked and nothing is written", ko: "지도만 보여 줍니다. 에이전트를 부르지 않고 아무것도 쓰지 않습니다" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        title() { en: "hast explore", ko: "hast explore 진행" }
        asking() { en: "the question", ko: "질문" }
        empty() { en: "the question is empty", ko: "질문이 비어 있습니다" }
        empty_next() { en: "ask something: hast explore \"where is ...?\"", ko: "질문을 쓰세요: hast explore \"...은 어디에 있나요?\"" }
        no_terms() { en: "the question names nothing that code could be about", ko: "질문에 코드에서 찾을 만한 낱말이 없습니다" }
        no_terms_next() { en: "name a thing, a function or a file", ko: "대상, 함수, 파일의 이름을 쓰세요" }
        no_place() { en: "there is no .ai/ here or above, where the answer would be kept", ko: "답을 저장할 .ai/가 여기와 상위 디렉터리에 없습니다" }
        no_place_next() { en: "run `git init && hast init` (in a git repository `hast init` alone), or ask for the map alone with --no-agent", ko: "`git init && hast init`을 실행하거나(git 저장소에서는 `hast init`만), --no-agent로 지도만 보세요" }
        unchanged(count) { en: "the repository is unchanged; looked at before and after: {count}", ko: "저장소가 그대로입니다. 전후로 살펴본 항목 {count}개" }
        changed(paths) { en: "the repository changed while the agent explored: {paths}", ko: "에이전트가 탐색하는 동안 저장소가 바뀌었습니다: {paths}" }
        changed_next() { en: "if that was not you, look at it with `git status` and `git reflog` before you trust the answer", ko: "직접 바꾼 것이 아니라면 답을 믿기 전에 `git status`와 `git reflog`로 확인하세요" }
    }
}
