//! Messages and help of `hast agent` and `hast trust`, in Korean and English.

pub(crate) mod help {
    //! Help texts of commands and flags.

    hast_flow::messages! {
        agent() { en: "See, check and call agents", ko: "에이전트를 보고, 점검하고, 부릅니다" }
        list() { en: "List agents: what is installed, which is the default and why", ko: "에이전트 목록: 설치된 것, 기본으로 쓰이는 것과 그 이유" }
        doctor() { en: "Check agents, login, sandbox and settings", ko: "에이전트, 로그인, 샌드박스, 설정을 점검합니다" }
        limits() { en: "Show which agents refuse until when, and let one be asked again", ko: "어느 에이전트가 언제까지 한도에 걸려 있는지 보이고, 다시 부를 수 있게 합니다" }
        limits_clear() { en: "Forget the limit of this agent: the next run asks it at once", ko: "이 에이전트의 한도를 잊습니다. 다음 실행이 바로 부릅니다" }
        prompt() { en: "Show what agents are told, by flow, role and step", ko: "에이전트가 받는 프롬프트를 흐름, 역할, 단계별로 보여 줍니다" }
        prompt_flow() { en: "Of this flow alone: goals, session, run, kernel or contract", ko: "이 흐름만: goals, session, run, kernel, contract" }
        prompt_role() { en: "Of this role alone", ko: "이 역할만" }
        prompt_step() { en: "Of this step alone", ko: "이 단계만" }
        doctor_fix() { en: "Make the directories that installed agents need; without it nothing is changed", ko: "설치된 에이전트에 필요한 디렉터리를 만듭니다. 없으면 아무것도 바꾸지 않습니다" }
        doctor_call() { en: "Ask the model of the built-in agent for one token", ko: "내장 에이전트의 모델에 토큰 하나를 요청해 봅니다" }
        builtin() { en: "Be the built-in agent; hast starts it as an agent", ko: "내장 에이전트로 일합니다. hast가 에이전트로 실행합니다" }
        builtin_model() { en: "The format and the model: anthropic/MODEL or openai-chat/MODEL", ko: "형식과 모델: anthropic/모델 또는 openai-chat/모델" }
        run() { en: "Make one supervised call by hand", ko: "감독 아래에서 에이전트를 한 번 직접 부릅니다" }
        role() { en: "The role that the agent plays", ko: "에이전트가 맡을 역할" }
        prompt_file() { en: "The file with the prompt; - for standard input", ko: "프롬프트 파일. -는 표준 입력" }
        tool() { en: "The agent: a name of `ai_tools` or a preset", ko: "에이전트: `ai_tools`의 이름이나 프리셋" }
        expect() { en: "A file that must come back, with the name of its schema", ko: "돌려받아야 할 파일과 그 스키마 이름" }
        timeout() { en: "End the call after this time: 90s, 5m, 1h [default: timeout_minutes]", ko: "이 시간이 지나면 호출을 끝냅니다: 90s, 5m, 1h [기본값: timeout_minutes]" }
        in_place() { en: "Let the agent change files here; without it, it only reads", ko: "에이전트가 여기의 파일을 바꿀 수 있게 합니다. 없으면 읽기만 합니다" }
        trust() { en: "Approve the commands that this repository brings", ko: "이 저장소가 가져오는 명령을 승인합니다" }
        yes() { en: "Approve without asking", ko: "묻지 않고 승인합니다" }
    }
}

pub(crate) mod say {
    //! Problems and results.

    hast_flow::messages! {
        prompt_unknown() { en: "no prompt has this flow, role and step", ko: "이 흐름, 역할, 단계의 프롬프트가 없습니다" }
        prompt_unknown_next() { en: "hast agent prompt lists them all", ko: "hast agent prompt로 전체 목록을 보세요" }
        prompt_demo() { en: "the demo that shows the prompts did not come to its end", ko: "프롬프트를 보여 줄 데모가 끝까지 가지 못했습니다" }
        prompt_demo_next() { en: "run hast demo by itself: it says what is missing", ko: "hast demo를 실행하면 무엇이 빠졌는지 알려 줍니다" }
        builtin_next(line) { en: "write `ai_tool: \"{line}\"` into .ai/config.yaml, or try it with hast agent run --tool {line}", ko: "`.ai/config.yaml`에 `ai_tool: \"{line}\"`을 적거나 hast agent run --tool {line}으로 시험해 보세요" }
        builtin_page() { en: "docs/builtin.md has each setting; then run `hast agent doctor --call`", ko: "설정은 docs/builtin.md에 있습니다. 고친 뒤 `hast agent doctor --call`을 실행하세요" }
        builtin_key(variable) { en: "key in {variable}", ko: "키는 {variable}에 있음" }
        builtin_no_key() { en: "no key", ko: "키 없음" }
        builtin_server(server, window) { en: "{server}, window of {window} tokens", ko: "{server}, 컨텍스트 {window}토큰" }
        builtin_no_tools(server) { en: "{server} says that this model cannot use tools", ko: "{server}에 따르면 이 모델은 도구를 쓸 수 없습니다" }
        builtin_no_tools_next() { en: "choose a model that can", ko: "도구를 쓸 수 있는 모델을 고르세요" }
        builtin_answers(input, output) { en: "the model answers ({input} tokens in, {output} out)", ko: "모델이 응답합니다(입력 {input}토큰, 출력 {output}토큰)" }
        builtin_silent(name, why) { en: "{name}: the model does not answer: {why}", ko: "{name}: 모델이 응답하지 않습니다: {why}" }
        no_config_value(value) { en: "`{value}` is not a time such as 90s, 5m or 1h", ko: "`{value}`(은)는 90s, 5m, 1h 같은 시간이 아닙니다" }
        time_next() { en: "write a number with s, m or h", ko: "숫자 뒤에 s, m, h 중 하나를 쓰세요" }
        no_prompt() { en: "the prompt cannot be read", ko: "프롬프트를 읽을 수 없습니다" }
        no_prompt_next() { en: "name a text file in UTF-8 of at most 64 MiB", ko: "64 MiB 이하의 UTF-8 텍스트 파일을 지정하세요" }
        bad_expect(name) { en: "`{name}` is not the name of a file", ko: "`{name}`(은)는 파일 이름이 아닙니다" }
        bad_expect_next() { en: "write NAME or NAME=SCHEMA, without directories", ko: "디렉터리 없이 NAME 또는 NAME=SCHEMA로 쓰세요" }
        no_supervisor() { en: "programs cannot be supervised here", ko: "여기서는 프로그램을 감독할 수 없습니다" }
        no_supervisor_next() { en: "run `hast agent doctor`", ko: "`hast agent doctor`를 실행하세요" }
        completed(agent, time) { en: "completed by {agent} in {time}", ko: "{agent}(이)가 {time} 만에 완료" }
        broken() { en: "the files that came back are missing or wrong", ko: "돌아온 파일이 없거나 잘못되었습니다" }
        broken_next() { en: "correct the prompt, or call again", ko: "프롬프트를 고치거나 다시 부르세요" }
        failed(reason) { en: "the call failed: {reason}", ko: "호출이 실패했습니다: {reason}" }
        failed_next(record) { en: "look at {record}", ko: "{record}(을)를 확인하세요" }
        blocked(reason) { en: "the agent needs a person: {reason}", ko: "에이전트가 사람을 필요로 합니다: {reason}" }
        blocked_next() { en: "answer in the prompt and call again", ko: "프롬프트에 답을 넣고 다시 부르세요" }
        limited(agent) { en: "{agent} has reached its usage limit", ko: "{agent}(이)가 사용 한도에 도달했습니다" }
        limited_next(until) { en: "call again after {until}, or name another agent with --tool", ko: "다음 시각 뒤에 다시 부르거나({until}) --tool로 다른 에이전트를 지정하세요" }
        login(agent, advice) { en: "{agent} is not logged in: {advice}", ko: "{agent}에 로그인되어 있지 않습니다: {advice}" }
        login_next(agent) { en: "log in to {agent}, then call again", ko: "{agent}에 로그인한 뒤 다시 부르세요" }
        interrupted() { en: "interrupted; nothing of the agent is left running", ko: "중단했습니다. 에이전트의 프로세스는 남아 있지 않습니다" }
        interrupted_next() { en: "run the same command again", ko: "같은 명령을 다시 실행하세요" }
        record_at(path) { en: "record: {path}", ko: "기록: {path}" }
        tokens_used(input, output) { en: "tokens: {input} in, {output} out", ko: "토큰: 입력 {input}, 출력 {output}" }
        cost(amount) { en: "cost: {amount}", ko: "비용: {amount}" }
        document_at(path) { en: "file: {path}", ko: "파일: {path}" }
        started(agent, record) { en: "{agent} started, record: {record}", ko: "{agent} 시작, 기록: {record}" }
        using(tool) { en: "uses {tool}", ko: "{tool} 사용" }
        retrying(why) { en: "tries again: {why}", ko: "다시 시도: {why}" }
        waiting_until(until) { en: "waits until {until}", ko: "기다림, 다시 시작하는 시각 {until}" }
        limited_until(agent, until) { en: "{agent} is limited until {until}", ko: "{agent}: 한도에 걸림, 다시 쓸 수 있는 시각 {until}" }
        no_limits() { en: "no agent is limited", ko: "한도에 걸린 에이전트가 없습니다" }
        clear_limit_next(agent) { en: "to ask again before: hast agent limits --clear {agent}", ko: "그 전에 다시 부르려면: hast agent limits --clear {agent}" }
        limit_cleared(agent) { en: "{agent} will be asked again at once", ko: "{agent}(을)를 바로 다시 부릅니다" }
        not_limited(agent) { en: "no limit of `{agent}` is known", ko: "`{agent}`의 한도 기록이 없습니다" }
        not_limited_next(agents) { en: "name one of: {agents}", ko: "다음 중 하나를 쓰세요: {agents}" }
        none_limited_next() { en: "nothing to do: no agent is limited here", ko: "여기에는 한도에 걸린 에이전트가 없어 할 일이 없습니다" }
        held() { en: "waits: other calls hold what is left of the budget", ko: "기다림: 다른 호출이 남은 예산을 잡고 있음" }
        ended(time) { en: "ended after {time}", ko: "{time} 뒤에 끝남" }
        finding(file, problem, next) { en: "finding in {file}: {problem} -> {next}", ko: "{file}에서 발견: {problem} -> {next}" }
        is_default(why) { en: "default ({why})", ko: "기본({why})" }
        why_flag() { en: "--tool", ko: "--tool 옵션" }
        why_role() { en: "`roles` in the settings", ko: "설정의 `roles`" }
        why_variable() { en: "HAST_AI_TOOL", ko: "HAST_AI_TOOL 변수" }
        why_config() { en: "`ai_tool` in the settings", ko: "설정의 `ai_tool`" }
        why_installed() { en: "the first that is installed", ko: "설치된 것 중 첫 번째" }
        why_fallback() { en: "`fallback` in the settings", ko: "설정의 `fallback`" }
        not_installed() { en: "not installed", ko: "설치되지 않음" }
        no_version() { en: "installed, version unknown", ko: "설치됨, 버전 모름" }
        no_default() { en: "no agent can be called: none is named and none is installed", ko: "부를 수 있는 에이전트가 없습니다. 지정된 것도 설치된 것도 없습니다" }
        no_default_next() { en: "install one (for example claude or codex), or set `ai_tool` in .ai/config.yaml", ko: "하나를 설치하거나(예: claude, codex) .ai/config.yaml의 `ai_tool`을 정하세요" }
        logged_in() { en: "a login or key is there", ko: "로그인이나 키가 있음" }
        not_logged_in() { en: "no login and no key found", ko: "로그인도 키도 없음" }
        login_denied_short() { en: "nobody is logged in, it says", ko: "로그인되어 있지 않다고 함" }
        login_unknown() { en: "login cannot be told from outside", ko: "로그인 여부를 밖에서 알 수 없음" }
        homes_to_make(agent, paths) { en: "{agent}: directories that are not there yet; its first call or `hast agent doctor --fix` makes them: {paths}", ko: "{agent}: 아직 없는 디렉터리. 첫 호출이나 `hast agent doctor --fix`가 만듭니다: {paths}" }
        nothing_to_fix() { en: "--fix: nothing to do, every installed agent has its directories", ko: "--fix: 할 일이 없습니다. 설치된 에이전트에 필요한 디렉터리가 모두 있습니다" }
        homes_made(agent, paths) { en: "{agent}: directories made: {paths}", ko: "{agent}: 만든 디렉터리: {paths}" }
        home_closed(agent, path) { en: "{agent} cannot write to its directory {path}", ko: "{agent}(이)가 자기 디렉터리 {path}에 쓸 수 없습니다" }
        home_closed_next(path) { en: "correct the owner or the permissions of {path}, or of what lies above it", ko: "{path}(이)나 그 위 디렉터리의 소유자와 권한을 고치세요" }
        home_not_made(agent, path, why) { en: "a directory of {agent} cannot be made: {path}: {why}", ko: "{agent}의 디렉터리를 만들 수 없습니다: {path}: {why}" }
        sandbox_whole(abi) { en: "sandbox: whole (Landlock {abi})", ko: "샌드박스: 모두 적용(Landlock {abi})" }
        sandbox_off() { en: "sandbox: switched off", ko: "샌드박스: 꺼짐" }
        sandbox_partly(notice) { en: "sandbox: {notice}", ko: "샌드박스: {notice}" }
        rooms_same_path() { en: "rooms: at the path of the checkout, with your ignored files to read", ko: "작업실: 체크아웃과 같은 경로, 무시된 파일이 읽기용으로 보입니다" }
        rooms_own_path(why) { en: "rooms: at a path of their own; {why}", ko: "작업실: 별도 경로. {why}" }
        net_namespace() { en: "processes: a PID namespace for each call", ko: "프로세스: 호출마다 PID 네임스페이스" }
        net_subreaper() { en: "processes: no namespaces here; a guard collects what agents leave behind", ko: "프로세스: 네임스페이스 없음. 에이전트가 남긴 것은 감시 프로세스가 거둡니다" }
        settings_at(path) { en: "settings: {path}", ko: "설정: {path}" }
        settings_none() { en: "settings: none, defaults are used", ko: "설정: 없음, 기본값 사용" }
        role_agent(role, agents) { en: "role {role}: {agents}", ko: "역할 {role}: {agents}" }
        no_agent(program) { en: "the agent's program `{program}` is not installed", ko: "에이전트 프로그램 `{program}`(이)가 설치되어 있지 않습니다" }
        no_agent_next() { en: "install it, or set ai_tool in .ai/config.yaml; `hast agent list` shows what is there", ko: "설치하거나 .ai/config.yaml의 ai_tool을 바꾸세요. `hast agent list`로 확인할 수 있습니다" }
        no_agent_path(path) { en: "the agent's program {path} is not there, or is not a file that may be run", ko: "에이전트 프로그램 {path}(이)가 없거나 실행할 수 있는 파일이 아닙니다" }
        no_agent_path_next(path) { en: "correct the path in ai_tool or ai_tools in .ai/config.yaml, or run `chmod +x {path}`", ko: ".ai/config.yaml의 ai_tool이나 ai_tools에서 경로를 고치거나 `chmod +x {path}`(을)를 실행하세요" }
        no_rehearsal(file) { en: "there is no rehearsal {file}", ko: "리허설 파일 {file}(이)가 없습니다" }
        no_rehearsal_next(file) { en: "make {file}, or set ai_tool in .ai/config.yaml (or HAST_AI_TOOL) to another agent", ko: "{file}(을)를 만들거나, .ai/config.yaml의 ai_tool(또는 HAST_AI_TOOL)을 다른 에이전트로 바꾸세요" }
        role_problem(role, problem) { en: "role {role}: {problem}", ko: "역할 {role}: {problem}" }
        bad_env(text) { en: "`env` has `{text}`, which is neither a name nor a prefix such as AWS_*", ko: "`env`의 `{text}`(은)는 변수 이름도 AWS_* 같은 접두사도 아닙니다" }
        enforce_missing() { en: "`sandbox: enforce` is set, and this machine has no whole sandbox: no agent will be started", ko: "`sandbox: enforce`인데 이 컴퓨터에는 온전한 샌드박스가 없어 에이전트를 시작하지 않습니다" }
        write_setting(text) { en: "write `{text}` in the settings", ko: "설정에 `{text}`(으)로 쓰세요" }
        not_trusted() { en: "this repository brings commands that you have not approved", ko: "이 저장소에는 아직 승인하지 않은 명령이 있습니다" }
        not_trusted_next() { en: "run `hast trust` to see and approve them (HAST_TRUST=all in CI)", ko: "`hast trust`로 확인하고 승인하세요(CI에서는 HAST_TRUST=all)" }
        no_trust_place() { en: "there is no place for approvals: the state directory is missing or lies in the repository", ko: "승인을 기록할 곳이 없습니다. 상태 디렉터리가 없거나 저장소 안에 있습니다" }
        no_trust_place_next() { en: "set HOME or XDG_STATE_HOME to a directory outside of the repository", ko: "HOME이나 XDG_STATE_HOME을 저장소 밖의 디렉터리로 정하세요" }
        cannot_keep() { en: "the approval cannot be read or written", ko: "승인 기록을 읽거나 쓸 수 없습니다" }
        cannot_keep_next() { en: "check the directory and its permissions", ko: "디렉터리와 권한을 확인하세요" }
        trust_heading(repository) { en: "commands that {repository} brings:", ko: "{repository}(이)가 가져오는 명령:" }
        trust_field(field, command) { en: "  {field}: {command}", ko: "  {field}: {command}" }
        trust_changed(field, before) { en: "  {field} changed; before: {before}", ko: "  {field} 바뀜. 이전: {before}" }
        trust_nothing() { en: "(nothing)", ko: "(없음)" }
        trust_none() { en: "this repository brings no commands; there is nothing to approve", ko: "이 저장소가 가져오는 명령이 없어 승인할 것이 없습니다" }
        trust_question() { en: "Run these commands when hast is asked to? [y/N] ", ko: "hast가 이 명령을 실행해도 될까요? [y/N] " }
        trust_approved() { en: "approved", ko: "승인함" }
        trust_already() { en: "already approved", ko: "이미 승인됨" }
        trust_refused() { en: "not approved; nothing is run", ko: "승인하지 않았습니다. 아무것도 실행하지 않습니다" }
        trust_refused_next() { en: "look at the commands, then run `hast trust` again or `hast trust --yes`", ko: "명령을 확인한 뒤 `hast trust`를 다시 실행하거나 `hast trust --yes`를 쓰세요" }
        yes() { en: "y", ko: "예" }
    }
}
