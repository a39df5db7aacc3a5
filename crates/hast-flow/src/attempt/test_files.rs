//! Which files are tests, by their path alone.

/// Parts of a path below which everything is a test.
const DIRECTORIES: [&str; 4] = ["test", "tests", "spec", "__tests__"];

/// Whether a path names a test file.
pub fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.split('/').any(|part| DIRECTORIES.contains(&part))
        || name.starts_with("test_")
        || ["_test.", ".test.", ".spec.", "Test."].iter().any(|middle| name.contains(middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_a_directory_or_a_name() {
        for path in [
            "test/a.c",
            "x/tests/a.py",
            "spec/a.rb",
            "web/__tests__/a.js",
            "test_a.py",
            "src/a_test.go",
            "a.test.ts",
            "a.spec.ts",
            "src/UserTest.java",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in ["src/a.py", "testing/a.py", "contest.py", "latest.md", "attest_a.py", "Tests"]
        {
            assert!(!is_test_file(path), "{path}");
        }
    }
}
