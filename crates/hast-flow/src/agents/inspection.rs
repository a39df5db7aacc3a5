//! hast inspects an installed agent without calling a model: its version, and signs of a login.
//! This module is given printed text, set variables and present files. It starts no program itself,
//! and a missing sign is rarely proof of a missing login.

use crate::agents::presets::Preset;
use crate::messages;
use crate::words::Lang;

/// Where a login shows, if it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginSigns {
    /// Variables that hold a key; one is enough.
    pub variables: &'static [&'static str],
    /// Files of the preset's homes: which home, and the path below it.
    pub files: &'static [(usize, &'static str)],
    /// Whether the absence of all signs means that nobody is logged in.
    pub certain: Certain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certain {
    Yes,
    /// It may keep its login elsewhere: a keyring, a settings file of its own.
    No,
}

/// Whether somebody is logged in, as far as can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    Seen,
    NotSeen,
    CannotTell,
    /// The program itself knows of none.
    Denied,
}

/// How a program is asked whether somebody is logged in, without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginQuestion {
    pub args: &'static [&'static str],
    /// The command that logs in.
    pub login: &'static str,
}

impl LoginQuestion {
    /// The question as a person would type it.
    pub fn line(&self, preset: Preset) -> String {
        format!("{} {}", preset.description().program, self.args.join(" "))
    }
}

/// Nothing where the program has no such command.
pub fn login_question(preset: Preset) -> Option<LoginQuestion> {
    match preset {
        Preset::Claude => {
            Some(LoginQuestion { args: &["auth", "status"], login: "claude auth login" })
        }
        Preset::Codex => Some(LoginQuestion { args: &["login", "status"], login: "codex login" }),
        Preset::Gemini
        | Preset::Qwen
        | Preset::Opencode
        | Preset::Goose
        | Preset::Copilot
        | Preset::Aider => None,
    }
}

/// That the program knows of no login.
pub fn denied(preset: Preset, lang: Lang) -> String {
    let line = login_question(preset).map(|question| question.line(preset));
    no_login(lang, preset.description().name, line.unwrap_or_default())
}

/// The next action of a user whose agent knows of no login.
pub fn denied_next(preset: Preset, lang: Lang) -> String {
    no_login_next(lang, login_question(preset).map_or("", |question| question.login))
}

messages! {
    no_login(agent, line) { en: "{agent} says that nobody is logged in (`{line}`)", ko: "{agent}(이)가 로그인되어 있지 않다고 합니다(`{line}`)" }
    no_login_next(login) { en: "run `{login}`, or set its key; nothing to do if it gets its login another way", ko: "`{login}`(을)를 실행하거나 키를 정하세요. 다른 방법으로 로그인한다면 그대로 두어도 됩니다" }
}

/// The login that an answer to that question tells of. `settings` is the program's own settings file: with a provider of
/// the user's own, codex says that nobody is logged in, and works.
pub fn login_answer(preset: Preset, text: &str, settings: &str) -> Login {
    let told = match preset {
        Preset::Claude => serde_json::from_str::<serde_json::Value>(text.trim())
            .ok()
            .and_then(|told| told.get("loggedIn")?.as_bool()),
        Preset::Codex => {
            let own = |line: &str| line.trim_start().starts_with("model_provider");
            let denied = text.lines().any(|line| line.trim() == "Not logged in");
            (denied && !settings.lines().any(own)).then_some(false)
        }
        _ => None,
    };
    match told {
        Some(true) => Login::Seen,
        Some(false) => Login::Denied,
        None => Login::CannotTell,
    }
}

pub fn login_signs(preset: Preset) -> LoginSigns {
    let signs = |variables, files, certain| LoginSigns { variables, files, certain };
    match preset {
        Preset::Claude => signs(
            &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
            &[(0, ".credentials.json")],
            // On some systems it uses a keychain; other services bring their own variables.
            Certain::No,
        ),
        Preset::Codex => signs(&["CODEX_API_KEY"], &[(0, "auth.json")], Certain::No),
        Preset::Gemini => {
            signs(&["GEMINI_API_KEY", "GOOGLE_API_KEY"], &[(0, "oauth_creds.json")], Certain::No)
        }
        Preset::Qwen => {
            signs(&["OPENAI_API_KEY", "DASHSCOPE_API_KEY"], &[(0, "oauth_creds.json")], Certain::No)
        }
        Preset::Opencode => signs(
            &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"],
            &[(1, "auth.json")],
            Certain::No,
        ),
        Preset::Goose => {
            signs(&["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"], &[], Certain::No)
        }
        Preset::Copilot => signs(
            &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
            &[(0, "config.json")],
            Certain::No,
        ),
        Preset::Aider => signs(
            &[
                "OPENAI_API_KEY",
                "ANTHROPIC_API_KEY",
                "GEMINI_API_KEY",
                "OPENROUTER_API_KEY",
                "DEEPSEEK_API_KEY",
            ],
            &[(1, "")],
            Certain::Yes,
        ),
    }
}

impl LoginSigns {
    /// What the signs say. `variable` tells whether one is set, `file` whether one is there.
    pub fn read(
        &self,
        variable: impl Fn(&str) -> bool,
        file: impl Fn(usize, &str) -> bool,
    ) -> Login {
        let seen = self.variables.iter().any(|name| variable(name))
            || self.files.iter().any(|(home, path)| file(*home, path));
        match (seen, self.certain) {
            (true, _) => Login::Seen,
            (false, Certain::Yes) => Login::NotSeen,
            (false, Certain::No) => Login::CannotTell,
        }
    }
}

/// The version in what a program prints about itself: the first word with numbers and points.
pub fn version_in(text: &str) -> Option<&str> {
    let lines = text.lines().take(20);
    lines.flat_map(str::split_whitespace).find_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let word = word.strip_prefix('v').unwrap_or(word);
        let mut parts = word.split('.');
        let is_number = |part: Option<&str>| {
            part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        };
        let second = |part: Option<&str>| {
            part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        };
        (is_number(parts.next()) && second(parts.next()) && word.len() <= 40).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_agents_print() {
        for (text, version) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("aider 0.86.2", Some("0.86.2")),
            (" 1.34.0", Some("1.34.0")),
            ("GitHub Copilot CLI v1.0.102.", Some("1.0.102")),
            ("0.61.0-nightly.3", Some("0.61.0-nightly.3")),
            ("usage: tool [-h]", None),
            ("", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }

    #[test]
    fn an_answer_about_the_login_counts_only_where_it_is_clear() {
        let answer = |preset, text, settings| login_answer(preset, text, settings);
        for (text, login) in [
            ("{\n  \"loggedIn\": false,\n  \"authMethod\": \"none\"\n}\n", Login::Denied),
            ("{\"loggedIn\": true}", Login::Seen),
            ("{}", Login::CannotTell),
            ("error: unknown command 'auth'", Login::CannotTell),
        ] {
            assert_eq!(answer(Preset::Claude, text, ""), login, "{text}");
        }
        let no = "WARNING: no aliases\nNot logged in\n";
        assert_eq!(answer(Preset::Codex, no, "model = \"x\"\n"), Login::Denied);
        assert_eq!(answer(Preset::Codex, no, "model_provider = \"mine\"\n"), Login::CannotTell);
        assert_eq!(answer(Preset::Codex, "Logged in using ChatGPT\n", ""), Login::CannotTell);
        assert_eq!(answer(Preset::Gemini, "Not logged in", ""), Login::CannotTell);
    }

    #[test]
    fn a_key_or_a_file_is_a_login_and_nothing_is_rarely_proof_of_none() {
        let aider = login_signs(Preset::Aider);
        assert_eq!(aider.read(|name| name == "OPENAI_API_KEY", |_, _| false), Login::Seen);
        assert_eq!(aider.read(|_| false, |_, _| false), Login::NotSeen);
        let claude = login_signs(Preset::Claude);
        assert_eq!(claude.read(|_| false, |_, _| false), Login::CannotTell);
        for preset in Preset::ALL {
            for (home, _) in login_signs(preset).files {
                assert!(preset.description().homes.get(*home).is_some(), "{preset:?}");
            }
        }
    }
}
