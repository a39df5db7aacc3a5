//! Files and functions stay small: the tail is policed, not the mean.

use super::finding::{Finding, Rule};
use super::tokens;
use super::tree::{RustFile, TextFile};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;

pub(crate) fn check_file(file: &TextFile) -> Option<Finding> {
    let lines = file.text.lines().count();
    (lines > FILE_LINES).then(|| {
        file.finding(
            FILE_LINES + 1,
            Rule::FileLength(FILE_LINES),
            format!("the file has {lines} lines"),
            "move one idea into a module of its own",
        )
    })
}

pub(crate) fn check_functions(file: &RustFile<'_>) -> Vec<Finding> {
    tokens::functions(&file.tokens)
        .into_iter()
        .filter(|function| function.lines > FUNCTION_LINES)
        .map(|function| {
            file.finding(
                function.line,
                Rule::FunctionLength(FUNCTION_LINES),
                format!("`{}` has {} lines", function.name, function.lines),
                "keep the branches here and move the work into pure functions",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_the_limit_and_not_one_line_more() {
        let at_limit = TextFile::new("a.rs", &"// x\n".repeat(FILE_LINES));
        assert_eq!(check_file(&at_limit), None);
        let over = TextFile::new("a.rs", &"// x\n".repeat(FILE_LINES + 1));
        assert_eq!(
            check_file(&over).unwrap().to_string(),
            "a.rs:501: the file has 501 lines (file length: 500 lines) -> move one idea into a \
             module of its own"
        );
    }

    fn long_function(lines: usize) -> TextFile {
        let body = "    work();\n".repeat(lines - 2);
        TextFile::new("a.rs", &format!("impl A {{\n#[test]\nfn long() {{\n{body}}}\n}}\n"))
    }

    #[test]
    fn a_function_may_have_the_limit_and_not_one_line_more() {
        let at_limit = long_function(FUNCTION_LINES);
        assert_eq!(check_functions(&RustFile::parse(&at_limit).unwrap()), []);
        let over = long_function(FUNCTION_LINES + 1);
        let found = check_functions(&RustFile::parse(&over).unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "a.rs:3: `long` has 71 lines (function length: 70 lines) -> keep the branches here \
             and move the work into pure functions"
        );
    }
}
