//! Everything the command line says, in Korean and English.

pub(crate) mod help {
    //! Help texts of commands and flags.

    /// Headings of the help page; the parser wants them to live for ever.
    pub(crate) const COMMANDS: (&str, &str) = ("Commands", "명령");
    pub(crate) const OPTIONS: (&str, &str) = ("Options", "옵션");
    pub(crate) const ARGUMENTS: (&str, &str) = ("Arguments", "인자");
    pub(crate) const EXAMPLES: (&str, &str) = ("Examples", "예");
    pub(crate) const EVERYWHERE: (&str, &str) = ("Options of every command", "모든 명령의 옵션");

    hast_flow::messages! {
        about() { en: "Runs AI agents the way production systems run jobs.", ko: "AI 에이전트를 운영 시스템이 작업을 돌리듯 실행합니다." }
        usage() { en: "Usage", ko: "사용법" }
        init() { en: "Make .ai/ with settings, goals and rules in a git repository", ko: "git 저장소에 설정, 목표, 규칙이 든 .ai/를 만듭니다" }
        conventions() { en: "Also add the session rules to AGENTS.md and let CLAUDE.md include it", ko: "세션 규약을 AGENTS.md에 추가하고 CLAUDE.md가 읽게 합니다" }
        init_agent() { en: "The agent that works: claude, codex, gemini, qwen, opencode, goose, copilot or aider [default: the first that is installed]", ko: "일할 에이전트: claude, codex, gemini, qwen, opencode, goose, copilot, aider 중 하나 [기본값: 설치된 첫 에이전트]" }
        init_goal() { en: "Also add a first goal with this title", ko: "이 제목으로 첫 목표도 추가합니다" }
        context() { en: "Print what the next session needs to know: goal, last handoff, rules", ko: "다음 세션이 알아야 할 것(목표, 마지막 핸드오프, 규칙)을 출력합니다" }
        goal() { en: "The goal, instead of the one that is selected", ko: "선택되는 목표 대신 쓸 목표" }
        context_format() { en: "markdown, plain or json [default: markdown]", ko: "markdown, plain, json 중 하나 [기본값: markdown]" }
        status() { en: "Show all flows found here and what waits for a person", ko: "여기서 찾은 모든 흐름과 사람을 기다리는 일을 보여 줍니다" }
        verify() { en: "Check files against their schema and the laws", ko: "파일을 스키마와 법칙에 따라 검사합니다" }
        record() { en: "Print a rehearsal that replays a finished call", ko: "끝난 호출을 재현하는 리허설을 출력합니다" }
        record_folder() { en: "The directory with the records of the call", ko: "호출 기록이 있는 디렉터리" }
        record_base() { en: "Also what the work tree has changed since this commit", ko: "이 커밋 이후 작업 트리에서 바뀐 것도 담습니다" }
        agent_tool() { en: "Use one tool by hand and print what it gives", ko: "도구 하나를 직접 써서 결과를 출력합니다" }
        tool_name() { en: "The tool, for example sec_facts", ko: "도구 이름. 예: sec_facts" }
        tool_args() { en: "Its arguments as a JSON object [default: {{}}]", ko: "도구 인자(JSON 객체) [기본값: {{}}]" }
        list_tools() { en: "List all tools", ko: "모든 도구를 보여 줍니다" }
        args_schema() { en: "Print the JSON Schema of its arguments", ko: "인자의 JSON Schema를 출력합니다" }
        completions() { en: "Print a completion script for a shell", ko: "셸 자동 완성 스크립트를 출력합니다" }
        man() { en: "Print the manual page", ko: "매뉴얼 페이지를 출력합니다" }
        root() { en: "Work in this directory instead of searching upward", ko: "위로 찾는 대신 이 디렉터리에서 작업합니다" }
        lang() { en: "Language of messages [default: from LANG]", ko: "메시지 언어 [기본값: LANG]" }
        json() { en: "Print one JSON document instead of text", ko: "텍스트 대신 JSON 문서 하나를 출력합니다" }
        color() { en: "When to use colour: auto, always or never [default: auto]", ko: "색을 쓸 때: auto, always, never [기본값: auto]" }
        quiet() { en: "Say nothing but results and problems", ko: "결과와 문제만 출력합니다" }
        verbose() { en: "Say more about what is done", ko: "무엇을 하는지 더 자세히 알립니다" }
        help() { en: "Print help", ko: "도움말을 출력합니다" }
        version() { en: "Print the version", ko: "버전을 출력합니다" }
        verify_paths() { en: "Files or directories; without any, all flows found here", ko: "파일이나 디렉터리. 없으면 여기서 찾은 모든 흐름" }
        verify_as() { en: "Read the files as this document", ko: "파일을 이 문서로 읽습니다" }
        verify_schema() { en: "Print the JSON Schema of a document; without a name, list the names", ko: "문서의 JSON Schema를 출력합니다. 이름이 없으면 이름 목록" }
        everywhere() { en: "Everywhere: --root DIR, --lang ko|en, --json, --color WHEN, -q, -v, --help", ko: "어디서나: --root DIR, --lang ko|en, --json, --color WHEN, -q, -v, --help" }
        help_words() { en: "The command, for example auto or goal add", ko: "명령. 예: auto 또는 goal add" }
        exit_line(codes) { en: "Exit codes: {codes}", ko: "종료 코드: {codes}" }
        exit_done() { en: "done", ko: "완료" }
        exit_failed() { en: "failed or refused", ko: "실패 또는 거부" }
        exit_findings() { en: "errors were found", ko: "오류 발견" }
        exit_not_all() { en: "blocked, failed, waiting or locked", ko: "차단, 실패, 대기 또는 잠금" }
        exit_usage() { en: "wrong usage", ko: "잘못된 사용" }
        exit_waiting() { en: "waiting for a person", ko: "사람을 기다림" }
        exit_locked() { en: "locked by another process", ko: "다른 프로세스가 잠금" }
        exit_interrupted() { en: "interrupted", ko: "중단" }
        rehearse() { en: "Play a rehearsal; hast starts it as an agent", ko: "리허설을 재생합니다. hast가 에이전트로 실행합니다" }
        rehearse_file() { en: "The rehearsal", ko: "리허설 파일" }
        rehearse_raw() { en: "Print a preset's lines as the preset itself would", ko: "프리셋의 출력을 그대로 흉내 냅니다" }
        shell() { en: "bash, zsh, fish, elvish or powershell", ko: "bash, zsh, fish, elvish, powershell 중 하나" }
        exit_codes() { en: "Exit codes: 0 done, 1 failed or findings, 2 wrong usage, 3 waiting for a person, 4 locked by another process, 130 interrupted", ko: "종료 코드: 0 완료, 1 실패 또는 발견, 2 잘못된 사용, 3 사람을 기다림, 4 다른 프로세스가 잠금, 130 중단" }
    }
}

pub(crate) mod say {
    //! Problems and results.
    hast_flow::messages! {
        error() { en: "error", ko: "오류" }
        notice() { en: "notice", ko: "알림" }
        warning() { en: "warning", ko: "경고" }
        next() { en: "next", ko: "다음" }
        why() { en: "why", ko: "원인" }
        place() { en: "where", ko: "위치" }
        wrong_usage() { en: "the command line is not understood", ko: "명령줄을 이해할 수 없습니다" }
        usage_next(command) { en: "run `{command} --help` to see what can be typed", ko: "`{command} --help`로 쓸 수 있는 것을 확인하세요" }
        unknown_argument(argument) { en: "there is no `{argument}` here", ko: "여기에는 `{argument}`(이)가 없습니다" }
        unknown_command(command) { en: "there is no command `{command}`", ko: "`{command}` 명령은 없습니다" }
        bad_value(value, argument) { en: "`{value}` is not a value for `{argument}`", ko: "`{value}`(은)는 `{argument}`의 값이 될 수 없습니다" }
        missing_value(argument) { en: "`{argument}` is missing", ko: "`{argument}`(이)가 빠졌습니다" }
        given_twice(argument) { en: "`{argument}` is given twice", ko: "`{argument}`(을)를 두 번 썼습니다" }
        not_in_range(least, most) { en: "it has to be a number from {least} to {most}", ko: "{least}에서 {most} 사이의 수여야 합니다" }
        not_a_number() { en: "it has to be a whole number", ko: "정수여야 합니다" }
        move_away_next(path, aside) { en: "move it away with mv {path} {aside}, then run the command again", ko: "mv {path} {aside}(으)로 옮긴 뒤 명령을 다시 실행하세요" }
        not_regular() { en: "not a regular file", ko: "일반 파일이 아닙니다" }
        conflict(argument, other) { en: "`{argument}` cannot be used with `{other}`", ko: "`{argument}`(은)는 `{other}`(과)와 함께 쓸 수 없습니다" }
        synonym(command) { en: "type {command}", ko: "{command}(을)를 쓰세요" }
        no_command() { en: "no command was given", ko: "명령이 없습니다" }
        did_you_mean(word) { en: "did you mean `{word}`?", ko: "`{word}`(을)를 쓰려던 것인가요?" }
        use_an_agent(names) { en: "use one of: {names}; or `builtin:PROVIDER/MODEL`, or a command line with {{prompt}}, {{prompt_file}} or {{stdin}}", ko: "다음 중 하나를 쓰세요: {names}. 또는 `builtin:PROVIDER/MODEL`이나 {{prompt}}, {{prompt_file}}, {{stdin}} 중 하나가 있는 명령줄을 쓰세요" }
        use_one_of(values) { en: "use one of: {values}", ko: "다음 중 하나를 쓰세요: {values}" }
        cannot_read() { en: "the file cannot be read", ko: "파일을 읽을 수 없습니다" }
        cannot_read_next() { en: "check that it exists and that you may read it", ko: "파일이 있는지, 읽을 권한이 있는지 확인하세요" }
        cannot_write() { en: "the output cannot be written", ko: "출력을 쓸 수 없습니다" }
        cannot_write_next() { en: "check where the output goes", ko: "출력이 가는 곳을 확인하세요" }
        no_directory() { en: "this is not a directory", ko: "디렉터리가 아닙니다" }
        no_directory_next() { en: "name an existing directory", ko: "있는 디렉터리를 지정하세요" }
        no_current_directory() { en: "the current directory is gone", ko: "현재 디렉터리가 사라졌습니다" }
        no_current_directory_next() { en: "go to a directory that exists", ko: "있는 디렉터리로 이동하세요" }
        no_schema(name) { en: "there is no document `{name}`", ko: "`{name}` 문서는 없습니다" }
        no_schema_next() { en: "run `hast verify --schema` to see all names", ko: "`hast verify --schema`로 모든 이름을 확인하세요" }
        not_a_document() { en: "hast does not know what this file is", ko: "hast가 이 파일이 무엇인지 모릅니다" }
        not_a_document_next() { en: "say what it is with --as NAME (`hast verify --schema` lists the names)", ko: "--as NAME으로 알려 주세요(`hast verify --schema`가 이름을 보여 줍니다)" }
        no_such_agent(name) { en: "hast knows no agent `{name}`", ko: "hast가 모르는 에이전트입니다: `{name}`" }
        agent_stays() { en: "--agent has no effect: .ai/config.yaml was there and stays as it is", ko: "--agent는 효과가 없습니다. .ai/config.yaml이 이미 있어 그대로 두었습니다" }
        agent_stays_next(name) { en: "write `ai_tool: {name}` there", ko: "그곳에 `ai_tool: {name}`(을)를 쓰세요" }
        nothing_here() { en: "there is nothing of hast here", ko: "여기에는 hast의 것이 없습니다" }
        nothing_here_next(directory) { en: "run `hast init` in a git repository to begin, or go to a project that has .ai/, sessions/, db/, .brain/ or .claude/orchestrator/ (looked upward from {directory})", ko: "git 저장소에서 `hast init`으로 시작하거나 .ai/, sessions/, db/, .brain/, .claude/orchestrator/ 중 하나가 있는 프로젝트로 가세요({directory}에서 위로 찾았습니다)" }
        bare_repository() { en: "this is a bare repository: it has no files to work on", ko: "bare 저장소라 작업할 파일이 없습니다" }
        bare_repository_next(path) { en: "run `git clone {path} DIRECTORY`, then hast init in there", ko: "`git clone {path} DIRECTORY`를 실행하고 그 안에서 hast init을 실행하세요" }
        no_repository() { en: "this is not inside a git repository", ko: "git 저장소 안이 아닙니다" }
        no_repository_next(directory) { en: "run `git init` in the top directory of your project first (looked upward from {directory})", ko: "먼저 프로젝트의 최상위 디렉터리에서 `git init`을 실행하세요({directory}에서 위로 찾았습니다)" }
        link_in_the_way() { en: "a link stands where a file or directory of this project should be, and it was not followed", ko: "이 프로젝트의 파일이나 디렉터리가 있을 자리에 링크가 있어 따라가지 않았습니다" }
        link_in_the_way_next(path) { en: "look where it leads with ls -l {path}; remove the link, then run the command again", ko: "ls -l {path}(으)로 어디를 가리키는지 확인하고, 링크를 지운 뒤 명령을 다시 실행하세요" }
        not_our_file() { en: "there is another file, which is no page of hast, and it was left as it is", ko: "hast의 보고서가 아닌 다른 파일이 있어 그대로 두었습니다" }
        not_our_file_next() { en: "name another file, or move this one away first", ko: "다른 파일 이름을 쓰거나 먼저 이 파일을 옮기세요" }
        cannot_create() { en: "the file cannot be written", ko: "파일을 쓸 수 없습니다" }
        cannot_create_next() { en: "check the directory and its permissions, then run the command again: what is done stays done", ko: "디렉터리와 권한을 확인한 뒤 명령을 다시 실행하세요. 이미 된 것은 그대로 있습니다" }
        no_ai_directory() { en: "there is no .ai/ here", ko: "여기에는 .ai/가 없습니다" }
        no_ai_directory_next(directory) { en: "run `hast init` in a git repository, or name its directory with --root (looked upward from {directory})", ko: "git 저장소에서 `hast init`을 실행하거나 --root로 디렉터리를 지정하세요({directory}에서 위로 찾았습니다)" }
        bad_files(count) { en: "errors in files that are needed: {count}", ko: "필요한 파일에 오류가 {count}개 있습니다" }
        bad_files_next() { en: "correct them; `hast verify` shows them again", ko: "고치세요. `hast verify`로 다시 볼 수 있습니다" }
        bad_file_next(document, file) { en: "correct them; `hast verify --as {document} {file}` shows them again", ko: "고치세요. `hast verify --as {document} {file}`로 다시 볼 수 있습니다" }
        checked_as(file, document) { en: "{file}: checked as {document}", ko: "{file}: {document}(으)로 검사" }
        using_root(directory) { en: "root: {directory}", ko: "루트: {directory}" }
        no_handoff() { en: "last handoff: none", ko: "마지막 핸드오프: 없음" }
        no_current_goal() { en: "current goal: none", ko: "현재 목표: 없음" }
        no_such_goal(id) { en: "there is no goal `{id}` in .ai/goals.yaml", ko: ".ai/goals.yaml에 목표 `{id}`(이)가 없습니다" }
        no_such_goal_next() { en: "hast goal list shows the goals", ko: "hast goal list로 목표를 보세요" }
        handoff_skipped(file) { en: "the handoff {file} is not valid and is passed over", ko: "핸드오프 {file}(이)가 올바르지 않아 건너뜁니다" }
        context_too_small(max, needed) { en: "max_context_bytes is {max}, but even an empty JSON context has {needed}", ko: "max_context_bytes가 {max}인데, 빈 JSON 컨텍스트도 {needed}바이트입니다" }
        context_too_small_next() { en: "raise max_context_bytes in .ai/config.yaml", ko: ".ai/config.yaml의 max_context_bytes를 늘리세요" }
        goal_counts(active, pending, blocked, done, dropped) { en: "active: {active}, pending: {pending}, blocked: {blocked}, done: {done}, dropped: {dropped}", ko: "진행 {active}, 대기 {pending}, 차단 {blocked}, 완료 {done}, 폐기 {dropped}" }
        no_goals_file() { en: "settings only: there is no .ai/goals.yaml", ko: "설정만 있음: .ai/goals.yaml이 없습니다" }
        current_goal(goal) { en: "current goal: {goal}", ko: "현재 목표: {goal}" }
        blocked_goal(goal, reason) { en: "blocked: {goal} ({reason})", ko: "차단됨: {goal} ({reason})" }
        no_reason() { en: "no reason given", ko: "사유 없음" }
        last_handoff(name) { en: "last handoff: {name}", ko: "마지막 핸드오프: {name}" }
        internal() { en: "hast itself failed", ko: "hast 자체의 오류입니다" }
        internal_next() { en: "report this with the command that you ran", ko: "실행한 명령과 함께 알려 주세요" }
        bad_test_world(name) { en: "the variable {name} cannot be read; it is for hast's own tests", ko: "변수 {name}(을)를 읽을 수 없습니다. hast 자체 시험용입니다" }
        unset_it() { en: "unset it", ko: "변수를 지우세요" }
        guard_failed() { en: "the guard of an agent could not do its work; hast itself starts it", ko: "에이전트 감시 프로세스가 일을 하지 못했습니다. 이 명령은 hast가 직접 실행합니다" }
        guard_failed_next() { en: "run an agent with `hast`, not its guard", ko: "감시 프로세스 말고 `hast` 명령으로 에이전트를 실행하세요" }
        rehearse_usage() { en: "`hast agent rehearse` plays one file", ko: "`hast agent rehearse`는 파일 하나를 재생합니다" }
        rehearse_usage_next() { en: "write hast agent rehearse FILE.yaml, with --raw to print a preset's lines as the preset itself would", ko: "hast agent rehearse FILE.yaml 형식으로 쓰세요. --raw를 붙이면 프리셋의 출력을 그대로 흉내 냅니다" }
        no_call(name) { en: "there is no call to answer: the variable {name} is not set", ko: "답할 호출이 없습니다. 변수 {name}(이)가 설정되지 않았습니다" }
        no_call_next() { en: "name the file as an agent, `rehearsal:FILE.yaml`; to check it, run hast verify --as rehearsal FILE.yaml", ko: "`rehearsal:FILE.yaml`을 에이전트로 지정하세요. 검사만 하려면 hast verify --as rehearsal FILE.yaml을 실행하세요" }
        no_reply(call) { en: "no reply of the rehearsal fits the call ({call})", ko: "이 호출에 맞는 리허설 응답이 없습니다 ({call})" }
        no_reply_next() { en: "add a reply whose `when` fits, or one without `when` at the end", ko: "`when`이 맞는 응답을 추가하거나, 맨 끝에 `when` 없는 응답을 두세요" }
        no_record() { en: "there is no record of a call", ko: "호출 기록이 없습니다" }
        no_record_next() { en: "name a directory that has call.json and record.json", ko: "call.json과 record.json이 있는 디렉터리를 지정하세요" }
        no_git_answer() { en: "git cannot say what has changed", ko: "git이 무엇이 바뀌었는지 알려 주지 못했습니다" }
        no_git_answer_next() { en: "name a commit of that repository, or leave --base away", ko: "그 저장소의 커밋을 지정하거나 --base를 빼세요" }
        bad_tool_args() { en: "--args is not a JSON object", ko: "--args가 JSON 객체가 아닙니다" }
        bad_tool_args_next(tool) { en: "write it like --args '{{\"ticker\": \"AVGO\"}}'; `hast agent tool {tool} --schema` shows what it takes", ko: "--args '{{\"ticker\": \"AVGO\"}}'처럼 쓰세요. `hast agent tool {tool} --schema`가 받는 인자를 보여 줍니다" }
        tool_source(url, time, hash) { en: "from {url} at {time}, sha256 {hash}", ko: "출처 {url}, 시각 {time}, sha256 {hash}" }
        all_good(files) { en: "files checked: {files}, nothing found", ko: "파일 {files}개 검사, 문제 없음" }
        found(files, errors, warnings) { en: "files checked: {files}, errors: {errors}, warnings: {warnings}", ko: "파일 {files}개 검사: 오류 {errors}개, 경고 {warnings}개" }
        untold(findings) { en: "more findings that are not shown: {findings}; correct these first", ko: "보이지 않은 발견 {findings}개가 더 있습니다. 먼저 이것들을 고치세요" }
        no_documents() { en: "no documents of hast there", ko: "hast 문서가 없습니다" }
        no_documents_next() { en: "name a directory that has documents of hast, or a file with --as NAME", ko: "hast 문서가 있는 디렉터리를 지정하거나 파일을 --as NAME과 함께 지정하세요" }
        as_is_for_files() { en: "--as says what a file is; this is a directory", ko: "--as는 파일이 무엇인지 알려 주는 것인데, 이것은 디렉터리입니다" }
        as_is_for_files_next() { en: "name the files, or leave --as away", ko: "파일을 지정하거나 --as를 빼세요" }
        flow_state(errors, warnings) { en: "in config.yaml and goals.yaml: errors: {errors}, warnings: {warnings}", ko: "config.yaml과 goals.yaml: 오류 {errors}개, 경고 {warnings}개" }
        run_verify() { en: "run `hast verify` to see the findings", ko: "`hast verify`로 내용을 확인하세요" }
    }
}

#[cfg(test)]
mod tests {
    use super::{help, say};
    use crate::{
        agent_messages, auto_messages, contract_messages, decision_messages, explore_messages,
        flow_messages, goal_messages, kernel_messages, look_messages, observe_messages,
        ops_messages, protocol_messages, queue_messages, run_messages, session_messages,
    };
    use hast_flow::words::placeholders;

    /// Nothing but names: a shell, a field with its command.
    const ONLY_NAMES: [&str; 2] = ["shell", "trust_field"];

    #[test]
    fn both_languages_say_the_same_things() {
        let all = [
            help::CATALOGUE,
            say::CATALOGUE,
            agent_messages::help::CATALOGUE,
            agent_messages::say::CATALOGUE,
            auto_messages::help::CATALOGUE,
            auto_messages::say::CATALOGUE,
            explore_messages::help::CATALOGUE,
            explore_messages::say::CATALOGUE,
            flow_messages::say::CATALOGUE,
            goal_messages::help::CATALOGUE,
            goal_messages::say::CATALOGUE,
            contract_messages::help::CATALOGUE,
            contract_messages::say::CATALOGUE,
            decision_messages::help::CATALOGUE,
            decision_messages::say::CATALOGUE,
            kernel_messages::help::CATALOGUE,
            kernel_messages::say::CATALOGUE,
            look_messages::help::CATALOGUE,
            look_messages::say::CATALOGUE,
            session_messages::help::CATALOGUE,
            session_messages::say::CATALOGUE,
            observe_messages::say::CATALOGUE,
            ops_messages::help::CATALOGUE,
            ops_messages::say::CATALOGUE,
            protocol_messages::help::CATALOGUE,
            protocol_messages::say::CATALOGUE,
            queue_messages::help::CATALOGUE,
            queue_messages::say::CATALOGUE,
            run_messages::help::CATALOGUE,
            run_messages::say::CATALOGUE,
        ];
        for entry in all.into_iter().flatten() {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
            let hangul = |text: &str| text.chars().any(|c| ('가'..='힣').contains(&c));
            assert!(!hangul(entry.en), "{}", entry.key);
            assert!(hangul(entry.ko) || ONLY_NAMES.contains(&entry.key), "{}", entry.key);
        }
    }
}
