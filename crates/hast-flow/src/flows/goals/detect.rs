//! `hast init` recognises a project by the files at its top and takes its test command from the
//! first sign that fits. It also picks the first agent that is installed.

use crate::agents::presets::Preset;

/// A file at the top of the project that tells how it is tested.
#[derive(Clone, Copy, Debug)]
pub struct Sign {
    pub file: &'static str,
    /// What the file must say, if it is not enough that it is there.
    pub says: Option<&'static str>,
    pub test_command: &'static str,
}

/// The first sign found decides.
pub const SIGNS: &[Sign] = &[
    Sign { file: "Cargo.toml", says: None, test_command: "cargo test" },
    Sign { file: "package.json", says: Some("\"test\""), test_command: "npm test" },
    Sign { file: "pyproject.toml", says: None, test_command: "pytest" },
    Sign { file: "pytest.ini", says: None, test_command: "pytest" },
    Sign { file: "go.mod", says: None, test_command: "go test ./..." },
    Sign { file: "pom.xml", says: None, test_command: "mvn test" },
    Sign { file: "gradlew", says: None, test_command: "./gradlew test" },
    Sign { file: "build.gradle", says: None, test_command: "gradle test" },
    Sign { file: "build.gradle.kts", says: None, test_command: "gradle test" },
    Sign { file: "Makefile", says: Some("\ntest:"), test_command: "make test" },
];

/// What is written where nothing tells.
pub const DEFAULT_TEST_COMMAND: &str = "pytest";
pub const DEFAULT_AGENT: &str = "claude";

/// The sign that tells the test command of a project whose files `text_of` gives.
pub fn sign(text_of: &dyn Fn(&str) -> Option<String>) -> Option<&'static Sign> {
    SIGNS.iter().find(|sign| match (text_of(sign.file), sign.says) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(text), Some(says)) => format!("\n{text}").contains(says),
    })
}

/// The first agent that is installed, by the name of its preset: a line of its own would have to carry the
/// flags that the preset knows.
pub fn agent(is_installed: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let installed = |preset: &Preset| is_installed(preset.description().program);
    Preset::ALL.into_iter().find(installed).map(|preset| preset.description().name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_known_by_the_files_at_its_top() {
        for (files, expected) in [
            (&[("Cargo.toml", "")][..], Some("cargo test")),
            (&[("package.json", "{\"scripts\": {\"test\": \"vitest\"}}")], Some("npm test")),
            (&[("package.json", "{}")], None),
            (&[("pytest.ini", "")], Some("pytest")),
            (&[("go.mod", "")], Some("go test ./...")),
            (&[("pom.xml", "")], Some("mvn test")),
            (&[("build.gradle", ""), ("gradlew", "")], Some("./gradlew test")),
            (&[("Makefile", "test: build\n")], Some("make test")),
            (&[("Makefile", "all:\n")], None),
            (&[("Cargo.toml", ""), ("package.json", "\"test\"")], Some("cargo test")),
            (&[], None),
        ] {
            let text_of = |name: &str| {
                files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned())
            };
            assert_eq!(sign(&text_of).map(|sign| sign.test_command), expected, "{files:?}");
        }
    }

    #[test]
    fn the_first_installed_agent_is_taken() {
        assert_eq!(agent(&|program| program == "gemini"), Some("gemini"));
        assert_eq!(agent(&|_| true), Some(DEFAULT_AGENT));
        assert_eq!(agent(&|_| false), None);
    }
}
