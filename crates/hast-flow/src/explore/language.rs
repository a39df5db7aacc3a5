//! Which language a file is in, what its comments and strings look like, and whether it is a test.

/// The languages whose symbols are found; a text has words only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    Rust,
    Python,
    /// With JSX.
    JavaScript,
    TypeScript,
    Go,
    Java,
    C,
    Cpp,
    Shell,
    Text,
}

impl Language {
    /// By the end of the name; nothing for what is neither code nor text.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "tsx" | "mts" | "cts" => Self::TypeScript,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" => Self::C,
            // A header may be of either; the rules of C++ read both.
            "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Self::Cpp,
            "sh" | "bash" => Self::Shell,
            "md" | "markdown" | "rst" | "txt" | "adoc" => Self::Text,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Go => "go",
            Self::Java => "java",
            Self::C => "c",
            Self::Cpp => "c++",
            Self::Shell => "shell",
            Self::Text => "text",
        }
    }

    /// Whether blocks are braces, and not indentation.
    pub fn has_braces(self) -> bool {
        !matches!(self, Self::Python | Self::Text)
    }

    /// JavaScript and what became of it.
    pub fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript)
    }
}

/// Whether a path is that of a test, by the habits of the languages.
pub fn is_test(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let written = parts.pop().unwrap_or_default();
    let name = written.to_ascii_lowercase();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let directories = ["test", "tests", "__tests__", "testing", "spec", "specs"];
    parts.iter().any(|part| directories.contains(&part.to_ascii_lowercase().as_str()))
        || stem.starts_with("test_")
        || ["_test", "_tests", ".test", ".spec", "_spec"].iter().any(|end| stem.ends_with(end))
        || stem == "tests"
        || ["Test.java", "Tests.java", "IT.java"].iter().any(|end| written.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_its_path() {
        for path in [
            "tests/a.rs",
            "src/a/tests.rs",
            "pkg/a_test.go",
            "test_a.py",
            "src/test/java/ATest.java",
            "ui/a.spec.ts",
            "ui/__tests__/a.js",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/attest.rs", "latest.py", "contest.java", "src/testimony.ts"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
