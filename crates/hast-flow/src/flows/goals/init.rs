//! The files of a new project, and what its user is told to do next.

use crate::docs::document::schema;
use crate::docs::goals::{Config, Goals};
use crate::flows::goals::detect::{DEFAULT_AGENT, DEFAULT_TEST_COMMAND, Sign};
use crate::flows::goals::{conventions, layout};
use crate::formats::yaml_print::quoted;
use crate::messages;
use crate::words::{Lang, shell_word};

/// A file to make where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    pub path: &'static str,
    pub text: String,
}

/// What was found out about the project.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub sign: Option<&'static Sign>,
    /// What `ai_tool` is to be: a name, or a command line.
    pub agent: Option<String>,
}

/// The settings that a user is told to check: what `config.yaml` has now.
#[derive(Clone, Debug)]
pub enum Settings {
    /// They were written just now, by what was found.
    Written(Found),
    /// The file was there before.
    There { test_command: Option<String>, ai_tool: Option<String> },
    /// The file was there before and cannot be read.
    Unreadable,
}

impl Settings {
    pub fn test_command(&self) -> Option<&str> {
        match self {
            Self::Written(found) => {
                Some(found.sign.map_or(DEFAULT_TEST_COMMAND, |sign| sign.test_command))
            }
            Self::There { test_command, .. } => test_command.as_deref(),
            Self::Unreadable => None,
        }
    }

    pub fn ai_tool(&self) -> Option<&str> {
        match self {
            Self::Written(found) => Some(found.agent.as_deref().unwrap_or(DEFAULT_AGENT)),
            Self::There { ai_tool, .. } => ai_tool.as_deref(),
            Self::Unreadable => None,
        }
    }

    fn told(&self, lang: Lang) -> String {
        let value = |text: Option<&str>| text.map_or_else(|| not_set(lang), str::to_owned);
        let test_command = value(self.test_command());
        let agent = value(self.ai_tool());
        match self {
            Self::Written(found) => step_config(
                lang,
                match found.sign {
                    Some(sign) => guessed(lang, test_command, sign.file),
                    None => no_test_command(lang, test_command),
                },
                if found.agent.is_some() { agent } else { not_installed(lang, agent) },
            ),
            Self::There { .. } => step_config(lang, test_command, agent),
            Self::Unreadable => step_unreadable(lang),
        }
    }
}

messages! {
    rules_text() {
        en: "## Handoffs\n- When the work is done, write a handoff to `.ai/handoffs/YYYY-MM-DD_HHMMSS.md`, under the name that the prompt gives where it gives one\n- Required sections: Done, Key Decisions, Changed Files, Next, Context Files\n- YAML front matter: timestamp, status (complete/failed/blocked), goal_id\n\n## Checks\n- Run the tests before each commit and before the handoff\n- Write status complete only when the tests end as the task wants it\n\n## Commits\nIf you commit yourself:\n{{type}}({{goal_id}}): {{description}}\ntypes: feat, fix, refactor, test, docs, chore\n",
        ko: "## 핸드오프 규약\n- 작업 완료 후 `.ai/handoffs/YYYY-MM-DD_HHMMSS.md`에 핸드오프 작성 (프롬프트가 이름을 주면 그 이름으로)\n- 필수 섹션: Done, Key Decisions, Changed Files, Next, Context Files\n- YAML frontmatter: timestamp, status (complete/failed/blocked), goal_id\n\n## 검증\n- 커밋 전, 핸드오프 작성 전 테스트 실행\n- status complete는 테스트가 작업이 요구한 대로 끝났을 때만\n\n## 커밋 형식\n직접 커밋한다면:\n{{type}}({{goal_id}}): {{description}}\ntypes: feat, fix, refactor, test, docs, chore\n",
    }
    goals_comment() {
        en: "# One goal is enough to start. Instead of the line above:\n# goals:\n#   - id: M1\n#     title: \"User sign-in\"\n#     status: active\n",
        ko: "# 목표 하나면 시작할 수 있습니다. 윗줄 대신 이렇게 쓰세요:\n# goals:\n#   - id: M1\n#     title: \"사용자 로그인\"\n#     status: active\n",
    }
    created_in() { en: "Created .ai/", ko: "Created .ai/" }
    all_there() { en: "Everything was there already; nothing was changed", ko: "이미 모두 있어 바꾼 것이 없습니다" }
    files_there() { en: "These were there already and are unchanged", ko: "다음은 이미 있어 그대로 두었습니다" }
    kept() { en: "was there, kept", ko: "있던 것을 그대로 둠" }
    next_steps() { en: "Next steps:", ko: "다음 단계:" }
    step_config(test_command, agent) {
        en: "Check test_command ({test_command}) and ai_tool ({agent}) in .ai/config.yaml.",
        ko: ".ai/config.yaml에서 test_command({test_command}), ai_tool({agent})이 프로젝트에 맞는지 확인하세요.",
    }
    step_goals() { en: "Add goals to .ai/goals.yaml.", ko: ".ai/goals.yaml에 목표를 추가하세요." }
    step_conventions() {
        en: "Add this to CLAUDE.md or AGENTS.md, or run hast init --conventions:",
        ko: "CLAUDE.md 또는 AGENTS.md에 다음을 추가하거나 hast init --conventions를 실행하세요:",
    }
    step_context() { en: "Start a session with hast context.", ko: "hast context로 세션을 시작하세요." }
    step_unreadable() { en: ".ai/config.yaml cannot be read: hast verify says why.", ko: ".ai/config.yaml을 읽을 수 없습니다. hast verify가 이유를 알려 줍니다." }
    guessed(command, file) { en: "{command}, guessed from {file}", ko: "{command}, {file}에서 추측" }
    no_test_command(command) { en: "{command}: no test command was found, set yours", ko: "{command}: 테스트 명령을 찾지 못했으니 직접 정하세요" }
    not_installed(agent) { en: "{agent}: no agent was found on this machine", ko: "{agent}: 이 기계에서 에이전트를 찾지 못했습니다" }
    conventions_added(files) { en: "session rules added: {files}", ko: "세션 규약을 추가함: {files}" }
    then() { en: "Then:", ko: "이어서:" }
    commit_message() { en: "hast: settings, goals, rules", ko: "hast: 설정, 목표, 규칙" }
    example_goal() { en: "what is to be done", ko: "할 일 한 줄" }
    not_set() { en: "not set", ko: "없음" }
}

/// All files of a project's `.ai/`, in the order they are made.
pub fn files(found: &Found, lang: Lang) -> Vec<NewFile> {
    let written = Settings::Written(found.clone());
    let test_command = quoted(written.test_command().unwrap_or_default());
    let agent = written.ai_tool().unwrap_or_default();
    let is_word = agent.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let agent = if is_word { agent.to_owned() } else { quoted(agent) };
    let config = format!(
        "{}test_command: {test_command}\nai_tool: {agent}\n",
        modeline(layout::CONFIG_SCHEMA)
    );
    let goals = format!("{}goals: []\n{}", modeline(layout::GOALS_SCHEMA), goals_comment(lang));
    vec![
        NewFile { path: layout::IGNORE, text: layout::ignore_text() },
        NewFile { path: layout::CONFIG_SCHEMA, text: format!("{:#}\n", schema::<Config>()) },
        NewFile { path: layout::GOALS_SCHEMA, text: format!("{:#}\n", schema::<Goals>()) },
        NewFile { path: layout::CONFIG, text: config },
        NewFile { path: layout::GOALS, text: goals },
        NewFile { path: layout::RULES, text: rules_text(lang) },
    ]
}

/// What stands in the tree that `init` shows, and its file.
const SHOWN: &[(&str, &str)] = &[
    ("config.yaml", layout::CONFIG),
    ("goals.yaml", layout::GOALS),
    ("rules.md", layout::RULES),
    ("handoffs/", layout::HANDOFFS),
];

/// The work of `init` beside the files of `.ai/`.
#[derive(Clone, Debug)]
pub struct More<'m> {
    /// Whether the project's instruction files have the rules.
    pub conventions: Conventions,
    /// Those that got them just now.
    pub rules_in: &'m [&'m str],
    /// What became of the goal that was asked for.
    pub goal: Option<&'m str>,
}

/// The message after `init`, as the seed shows it.
pub fn summary(created: &[&str], settings: &Settings, more: &More<'_>, lang: Lang) -> String {
    let &More { conventions, rules_in: added, goal } = more;
    let mut text = String::from("hast init\n═════════\n\n");
    let any = SHOWN.iter().any(|(_, path)| created.contains(path));
    let heading = match (any, added, goal) {
        (true, _, _) => created_in(lang),
        (false, [], None) => all_there(lang),
        (false, _, _) => files_there(lang),
    };
    text += &format!("  {heading}\n");
    for (index, (name, path)) in SHOWN.iter().enumerate() {
        let branch = if index + 1 == SHOWN.len() { "└──" } else { "├──" };
        let kept = if any && !created.contains(path) {
            format!("  ({})", kept(lang))
        } else {
            String::new()
        };
        text += &format!("  {branch} {name}{kept}\n");
    }
    text += &format!("\n  {}\n", next_steps(lang));
    text += &format!("  1. {}\n", settings.told(lang));
    text += &format!("  2. {}\n", step_goals(lang));
    match conventions {
        Conventions::Added => text += &format!("  3. {}\n", step_context(lang)),
        Conventions::Missing => {
            text += &format!("  3. {}\n\n", step_conventions(lang));
            for line in conventions::text(lang).lines() {
                text += &format!("     {line}\n");
            }
        }
    }
    if let Some(goal) = goal {
        text += &format!("\n  {goal}\n");
    }
    if !added.is_empty() {
        text += &format!("\n  {}\n", conventions_added(lang, added.join(", ")));
    }
    text
}

/// The three commands that come next, as they can be typed.
pub fn commands(goal: Option<&str>, rules_in: &[&str], lang: Lang) -> String {
    let paths: String = rules_in.iter().map(|path| format!(" {path}")).collect();
    let commit = format!("git add .ai{paths} && git commit -m \"{}\"", commit_message(lang));
    let commands = match goal {
        None => [format!("hast goal add \"{}\"", example_goal(lang)), commit, "hast auto".into()],
        Some(id) => [commit, "hast auto --dry-run".into(), format!("hast auto {}", shell_word(id))],
    };
    let lines = commands.iter().map(|command| format!("     {command}\n"));
    format!("\n  {}\n{}", then(lang), lines.collect::<String>())
}

/// Whether a project's instruction files have the session rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conventions {
    Added,
    Missing,
}

/// Editors with a YAML language server complete and check the file by this line.
fn modeline(schema: &str) -> String {
    let beside = schema.strip_prefix(".ai/").unwrap_or(schema);
    format!("# yaml-language-server: $schema={beside}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::document::read;
    use crate::formats::source::Source;
    use crate::words::placeholders;

    #[test]
    fn what_init_writes_is_valid() {
        for lang in [Lang::En, Lang::Ko] {
            let files = files(&Found::default(), lang);
            let text = |path| files.iter().find(|file| file.path == path).unwrap().text.as_str();
            let config = read::<Config>(&Source::new("c", text(layout::CONFIG))).unwrap();
            assert_eq!(config.warnings, []);
            assert_eq!(config.value.test_command.as_deref(), Some("pytest"));
            assert!(text(layout::CONFIG).ends_with("\nai_tool: claude\n"));
            assert!(
                read::<Goals>(&Source::new("g", text(layout::GOALS)))
                    .unwrap()
                    .value
                    .goals
                    .is_empty()
            );
            assert!(text(layout::RULES).contains("{type}({goal_id}): {description}"));
        }
    }

    #[test]
    fn the_example_of_goals_is_one_where_its_comment_signs_are_taken_away() {
        for lang in [Lang::En, Lang::Ko] {
            let files = files(&Found::default(), lang);
            let text = &files.iter().find(|file| file.path == layout::GOALS).unwrap().text;
            assert!(text.contains("\ngoals: []\n"), "as the seed has it: {text}");
            let text = text.replace("goals: []\n", "").replace("# goals:", "goals:");
            let text = text.replace("#   ", "  ").replace("#     ", "    ");
            let goals = read::<Goals>(&Source::new("g", &text)).unwrap().value.goals;
            assert_eq!(goals.first().map(|goal| goal.id.as_str()), Some("M1"), "{text}");
        }
    }

    #[test]
    fn both_languages_say_the_same_things() {
        for entry in CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
