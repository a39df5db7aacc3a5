//! Messages of a spike at its end, and its prompt for agents, in both languages.

use crate::docs::goals::{Alternative, DecisionTicket};
use crate::messages;
use crate::words::Lang;

messages! {
    ranked(id, winner, why) { en: "{id}: {winner} comes first (why:{why})", ko: "{id}: {winner}(이)가 1위입니다 (why:{why})" }
    ranked_next(accept) { en: "look at the refs, then {accept}", ko: "ref를 살펴본 뒤 실행하세요: {accept}" }
    none_passed(id) { en: "{id}: no alternative passed", ko: "{id}: 통과한 대안이 없습니다" }
    none_passed_next() { en: "look at the refs and the reasons, change the ticket, and try again", ko: "ref와 사유를 보고 티켓을 고친 뒤 다시 시도하세요" }
    made(id, winner, commit) { en: "{id} is decided: {winner}, merged as {commit}", ko: "{id} 결정 완료: {winner}, {commit}(으)로 병합했습니다" }
    made_next() { en: "see git log", ko: "git log로 확인하세요" }
    not_accepted_next(name) { en: "nothing was merged; all alternatives are kept, the first on {name}", ko: "병합한 것은 없습니다. 모든 대안이 남아 있고 1위는 {name}에 있습니다" }
    elsewhere(branch) { en: "the spike began on a detached HEAD, and {branch} is checked out now", ko: "spike는 분리된 HEAD에서 시작했는데 지금은 {branch}(이)가 체크아웃되어 있습니다" }
    elsewhere_next(commit) { en: "nothing was merged; run `git switch --detach {commit}` and accept again, or run the spike anew on the branch", ko: "병합한 것은 없습니다. `git switch --detach {commit}` 뒤에 다시 accept하거나 브랜치에서 spike를 새로 실행하세요" }
    task() { en: "Try this alternative of a decision, in this work tree and nowhere else.", ko: "결정의 대안 하나를 이 작업 트리에서만 시험 구현하라." }
    question() { en: "Question", ko: "질문" }
    alternative() { en: "Alternative", ko: "대안" }
    tests() { en: "Run the tests until they pass:", ko: "테스트가 통과할 때까지 실행하라:" }
    small() { en: "Keep the change as small as the alternative allows. No handoff is needed.", ko: "변경은 대안이 허용하는 한 작게 하라. 핸드오프는 필요 없다." }
    scope() { en: "Change only these files:", ko: "다음 파일만 수정하라:" }
}

/// The command that merges the winner.
pub fn accept(file: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=@%".contains(c);
    let quoted = !file.chars().all(plain) || file.starts_with('-');
    let file = if quoted { format!("'{}'", file.replace('\'', "'\\''")) } else { file.to_owned() };
    format!("hast decision spike {file} --accept")
}

/// What an agent is told. Words of people are put in whole.
pub(super) fn prompt(
    ticket: &DecisionTicket,
    alternative: &Alternative,
    test_command: &str,
    lang: Lang,
) -> String {
    let mut text = format!(
        "{}\n\n# {}\n{}\n\n# {}: {}\n",
        task(lang),
        question(lang),
        ticket.question,
        self::alternative(lang),
        alternative.title
    );
    for more in [&alternative.approach, &ticket.context].into_iter().flatten() {
        text += &format!("\n{more}\n");
    }
    if !ticket.allowed_changes.is_empty() {
        text += &format!("\n{} {}\n", scope(lang), ticket.allowed_changes.join(", "));
    }
    text + &format!("\n{} {test_command}\n{}\n", tests(lang), small(lang))
}

#[cfg(test)]
mod tests {
    use crate::words::placeholders;

    #[test]
    fn everything_is_said_in_both_languages() {
        for entry in super::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
