//! hast watches the files of an agent's own settings that change how the agent or another program
//! behaves later: hooks, MCP servers, permissions. This module lists these files for each preset.
//! It compares their contents before and after a call and reports the differences as findings.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::agents::presets::Preset;
use crate::docs::call::CallFinding;
use crate::words::Lang;

/// A file of a home that is compared. The rest of a home changes with every call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Which of the preset's homes, by its place there.
    pub home: usize,
    /// Below that home; empty where the home is the file itself.
    pub path: &'static str,
    pub part: Part,
}

/// What of a file counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// These fields of a JSON object, wherever they stand in it.
    JsonFields(&'static [&'static str]),
    /// These tables of a TOML file, and these keys outside of any table.
    Toml {
        tables: &'static [&'static str],
        keys: &'static [&'static str],
    },
}

/// A file larger than this is compared by its size.
pub const MAX_WATCHED_BYTES: usize = 4 << 20;

const fn whole(home: usize, path: &'static str) -> Watched {
    Watched { home, path, part: Part::Whole }
}

/// The files of a preset that are compared.
pub fn watched(preset: Preset) -> &'static [Watched] {
    const CLAUDE: &[Watched] = &[
        whole(0, "settings.json"),
        whole(0, "settings.local.json"),
        Watched {
            home: 1,
            path: "",
            part: Part::JsonFields(&[
                "mcpServers",
                "hooks",
                "permissions",
                "allowedTools",
                "enabledMcpjsonServers",
                "enableAllProjectMcpServers",
            ]),
        },
    ];
    const CODEX: &[Watched] = &[
        Watched {
            home: 0,
            path: "config.toml",
            part: Part::Toml {
                tables: &["mcp_servers", "hooks", "permissions", "shell_environment_policy"],
                keys: &["approval_policy", "sandbox_mode", "notify"],
            },
        },
        whole(0, "hooks.json"),
    ];
    const SETTINGS: &[Watched] = &[whole(0, "settings.json"), whole(0, "trustedFolders.json")];
    const OPENCODE: &[Watched] =
        &[whole(0, "opencode.json"), whole(0, "opencode.jsonc"), whole(0, "config.json")];
    const GOOSE: &[Watched] = &[whole(0, "config.yaml"), whole(0, "permission.yaml")];
    const COPILOT: &[Watched] = &[
        Watched {
            home: 0,
            path: "config.json",
            part: Part::JsonFields(&["hooks", "trusted_folders", "allowed_urls", "allowed_tools"]),
        },
        whole(0, "mcp-config.json"),
    ];
    const AIDER: &[Watched] = &[whole(1, "")];
    match preset {
        Preset::Claude => CLAUDE,
        Preset::Codex => CODEX,
        Preset::Gemini | Preset::Qwen => SETTINGS,
        Preset::Opencode => OPENCODE,
        Preset::Goose => GOOSE,
        Preset::Copilot => COPILOT,
        Preset::Aider => AIDER,
    }
}

/// What counts in a file; a file that cannot be understood counts as a whole.
pub fn counted(part: Part, bytes: &[u8]) -> Vec<u8> {
    match part {
        Part::Whole => bytes.to_vec(),
        Part::JsonFields(names) => match serde_json::from_slice::<Value>(bytes) {
            Ok(value) => {
                let mut found = Vec::new();
                fields(&value, names, &mut String::new(), &mut found);
                found.join("\n").into_bytes()
            }
            Err(_) => bytes.to_vec(),
        },
        Part::Toml { tables, keys } => {
            toml_parts(&String::from_utf8_lossy(bytes), tables, keys).into_bytes()
        }
    }
}

/// What differs, as findings. Both sides map a shown path to what counts there.
pub fn changes(
    before: &BTreeMap<String, Vec<u8>>,
    after: &BTreeMap<String, Vec<u8>>,
    lang: Lang,
) -> Vec<CallFinding> {
    let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| CallFinding {
            file: path.clone(),
            line: None,
            problem: say::changed(lang),
            next: say::changed_next(lang),
        })
        .collect()
}

fn fields(value: &Value, names: &[&str], at: &mut String, found: &mut Vec<String>) {
    let Value::Object(map) = value else { return };
    for (name, below) in map {
        let length = at.len();
        at.push('/');
        at.push_str(name);
        if names.contains(&name.as_str()) {
            // An empty list and no list mean the same, and agents add empty ones.
            let empty = match below {
                Value::Array(list) => list.is_empty(),
                Value::Object(map) => map.is_empty(),
                other => other.is_null(),
            };
            if !empty {
                found.push(format!("{at}={below}"));
            }
        } else {
            fields(below, names, at, found);
        }
        at.truncate(length);
    }
    found.sort();
}

fn toml_parts(text: &str, tables: &[&str], keys: &[&str]) -> String {
    let (mut kept, mut in_table, mut counts) = (String::new(), false, false);
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            let name = line.trim_start_matches('[').trim_start();
            let first = name.split(['.', ']']).next().unwrap_or("").trim();
            in_table = true;
            counts = tables.contains(&first.trim_matches(['"', '\'']));
        }
        let key = line.split(['=', '.']).next().unwrap_or("").trim();
        let outside = !in_table && (keys.contains(&key) || tables.contains(&key));
        if counts || outside {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        changed() { en: "hooks, MCP servers or permissions of the agent changed during the call", ko: "호출 중에 에이전트의 훅, MCP 서버 또는 권한 설정이 바뀌었습니다" }
        changed_next() { en: "look at this file, and take back what you did not want", ko: "이 파일을 확인하고 원하지 않은 변경을 되돌리세요" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(part: Part, text: &str) -> String {
        String::from_utf8(counted(part, text.as_bytes())).unwrap()
    }

    #[test]
    fn every_watched_file_is_in_a_home_of_its_preset() {
        for preset in Preset::ALL {
            for file in watched(preset) {
                assert!(preset.description().homes.get(file.home).is_some(), "{file:?}");
            }
        }
    }

    #[test]
    fn of_a_file_that_always_changes_only_what_matters_counts() {
        let part = watched(Preset::Claude)[2].part;
        let before = r#"{"numStartups": 1, "projects": {"/p": {"mcpServers": {}}}}"#;
        let later = r#"{"projects": {"/p": {"mcpServers": {}, "cost": 3}}, "numStartups": 2}"#;
        assert_eq!(of(part, before), of(part, later));
        let server = r#"{"projects": {"/p": {"mcpServers": {"x": {"command": "evil"}}}}}"#;
        assert_ne!(of(part, before), of(part, server));
        assert_ne!(of(part, before), of(part, "{ torn"));
    }

    #[test]
    fn a_tables_lines_count_until_the_next_table() {
        let part = watched(Preset::Codex)[0].part;
        let before = "model = \"m\"\n[projects.\"/a\"]\ntrust_level = \"trusted\"\n";
        let trusted = format!("{before}[projects.\"/b\"]\ntrust_level = \"trusted\"\n");
        assert_eq!(of(part, before), of(part, &trusted));
        for added in [
            "[mcp_servers.x]\ncommand = \"evil\"\n",
            "[[hooks.stop]]\ncommand = \"evil\"\n",
            "[ \"mcp_servers\".x]\ncommand = \"evil\"\n",
        ] {
            assert_ne!(of(part, before), of(part, &format!("{before}{added}")), "{added}");
        }
        let policy = format!("approval_policy = \"never\"\n{before}");
        assert_ne!(of(part, before), of(part, &policy));
        assert_ne!(of(part, before), of(part, &format!("mcp_servers.x.command = \"e\"\n{before}")));
    }

    #[test]
    fn added_changed_and_removed_files_are_findings() {
        let map = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(a, b)| ((*a).to_owned(), b.as_bytes().to_vec())).collect()
        };
        let before = map(&[("same", "1"), ("changed", "1"), ("gone", "1")]);
        let after = map(&[("same", "1"), ("changed", "2"), ("new", "1")]);
        let found = changes(&before, &after, Lang::En);
        let files: Vec<_> = found.iter().map(|finding| finding.file.as_str()).collect();
        assert_eq!(files, ["changed", "gone", "new"]);
    }
}
