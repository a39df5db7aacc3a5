//! A design forbids some components to use others. This module finds the lines that do so: imports
//! and uses in the text of files, in the common languages. Comments do not count. Text that cannot
//! be told apart from a use counts as one.

use crate::docs::contract::{Boundary, DesignContract};

/// A file of a tree, as text.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    pub path: &'t str,
    pub text: &'t str,
}

/// One line that crosses a boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    pub from: String,
    pub to: String,
    pub path: String,
    pub line: usize,
}

/// Every line of a file of `from` that uses `to`, for each boundary that is not allowed.
pub fn crossings(design: &DesignContract, files: &[Text<'_>]) -> Vec<Crossing> {
    let forbidden = design.boundaries.iter().filter(|boundary| !boundary.allowed);
    forbidden.flat_map(|boundary| of_boundary(design, boundary, files)).collect()
}

/// The paths of files that belong to a side of some forbidden boundary.
pub fn watched(design: &DesignContract) -> Vec<String> {
    let forbidden = design.boundaries.iter().filter(|boundary| !boundary.allowed);
    let mut paths: Vec<String> = forbidden
        .flat_map(|boundary| files_of(design, &boundary.from))
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

fn of_boundary(design: &DesignContract, boundary: &Boundary, files: &[Text<'_>]) -> Vec<Crossing> {
    let own: Vec<&str> = files_of(design, &boundary.from).collect();
    let targets = Targets {
        entity: &boundary.to,
        files: files_of(design, &boundary.to).filter(|path| !own.contains(path)).collect(),
    };
    let mut found = Vec::new();
    for file in files.iter().filter(|file| own.contains(&file.path)) {
        let mut comment = Comment::default();
        for (number, line) in (1..).zip(file.text.lines()) {
            let code = comment.code_of(line, file.path);
            if targets.are_used_in(&code) {
                found.push(Crossing {
                    from: boundary.from.clone(),
                    to: boundary.to.clone(),
                    path: file.path.to_owned(),
                    line: number,
                });
            }
        }
    }
    found
}

/// Files of an entity, or of the layer or directory that a boundary names.
fn files_of<'d>(design: &'d DesignContract, name: &'d str) -> impl Iterator<Item = &'d str> {
    let in_layer = move |entity: &str| {
        let mut layers = design.layer_assignments.iter();
        layers.any(|layer| layer.component == entity && layer.layer == name)
    };
    let refs = design.file_refs.iter();
    refs.filter(move |file| file.entity == name || in_layer(&file.entity))
        .map(|file| file.path.as_str())
}

struct Targets<'d> {
    entity: &'d str,
    files: Vec<&'d str>,
}

impl Targets<'_> {
    fn are_used_in(&self, code: &str) -> bool {
        let by_file = |path: &&str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.split('.').next().unwrap_or(name);
            has_word(code, name) || (is_import(code) && has_word(code, stem))
        };
        has_word(code, self.entity) || self.files.iter().any(by_file)
    }
}

/// Words that begin a line which brings in something from elsewhere.
const IMPORTS: &[&str] = &[
    "import",
    "from",
    "use",
    "using",
    "require",
    "require_relative",
    "include",
    "#include",
    "mod",
    "extern",
    "export",
    "source",
    ".",
    "load",
    "package",
    "open",
    "alias",
    "@import",
];

fn is_import(code: &str) -> bool {
    let code = code.trim_start();
    let first = code.split(|c: char| c.is_whitespace() || c == '(' || c == '"' || c == '<');
    let first = first.into_iter().next().unwrap_or_default();
    let visible = ["pub", "pub(crate)", "static", "const", "let", "var"].contains(&first);
    IMPORTS.contains(&first)
        || ["require(", "import(", "import ", "source "].iter().any(|word| code.contains(word))
        || (visible && [" use ", " mod "].iter().any(|word| code.contains(word)))
}

/// Whether a text stands in a line as a word of its own.
fn has_word(line: &str, word: &str) -> bool {
    if word.is_empty() {
        return false;
    }
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let (first, last) = (word.chars().next(), word.chars().next_back());
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joined = |edge: Option<char>, next: Option<char>| {
            edge.is_some_and(part) && next.is_some_and(part)
        };
        !joined(first, before) && !joined(last, after)
    })
}

/// Whether a line begins inside of a comment of several lines.
#[derive(Default)]
struct Comment {
    open: bool,
}

impl Comment {
    /// What of a line is not a comment.
    fn code_of(&mut self, line: &str, path: &str) -> String {
        let hash = !matches!(
            path.rsplit('.').next(),
            Some(
                "c" | "h"
                    | "cc"
                    | "cpp"
                    | "hpp"
                    | "rs"
                    | "js"
                    | "ts"
                    | "tsx"
                    | "jsx"
                    | "java"
                    | "kt"
                    | "go"
                    | "cs"
                    | "swift"
                    | "scala"
                    | "php"
            )
        );
        let mut code = String::new();
        let mut rest = line;
        loop {
            if self.open {
                let Some(end) = rest.find("*/") else { return code };
                self.open = false;
                rest = &rest[end + 2..];
            }
            if hash {
                let comment = rest.trim_start().starts_with('#') && !rest.contains("#include");
                return if comment { code } else { code + rest };
            }
            let line_comment = rest.find("//").filter(|at| !rest[..*at].ends_with(':'));
            let block = rest.find("/*");
            match (line_comment, block) {
                (Some(line), Some(block)) if line < block => return code + &rest[..line],
                (_, Some(block)) => {
                    code += &rest[..block];
                    rest = &rest[block + 2..];
                    self.open = true;
                }
                (Some(line), None) => return code + &rest[..line],
                (None, None) => return code + rest,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::contract::{Author, FileRef, FileStatus, LayerAssignment};
    use crate::docs::document::Version;

    fn design(from: &str, to: &str) -> DesignContract {
        let file = |entity: &str, path: &str| FileRef {
            entity: entity.to_owned(),
            path: path.to_owned(),
            status: FileStatus::Existing,
        };
        DesignContract {
            version: Version,
            request_id: "R1".parse().unwrap(),
            task_id: "T1".parse().unwrap(),
            created_at: "2026-01-12T14:30:00Z".parse().unwrap(),
            created_by: Author::Architect,
            task_name: "t".to_owned(),
            invariants: Vec::new(),
            interfaces: Vec::new(),
            boundaries: vec![Boundary {
                from: from.to_owned(),
                to: to.to_owned(),
                allowed: false,
                note: None,
            }],
            layer_assignments: vec![LayerAssignment {
                component: "Service".to_owned(),
                layer: "domain".to_owned(),
            }],
            file_refs: vec![
                file("Service", "src/service.rs"),
                file("Repository", "src/orders_repository.rs"),
                file("Script", "bin/total.sh"),
                file("Tool", "bin/tool.sh"),
            ],
        }
    }

    fn lines(design: &DesignContract, path: &str, text: &str) -> Vec<usize> {
        crossings(design, &[Text { path, text }]).iter().map(|one| one.line).collect()
    }

    #[test]
    fn an_import_or_a_use_of_the_other_side_is_a_crossing() {
        let design = design("Service", "Repository");
        let text = "use crate::orders_repository::find;\nfn a() { Repository::new(); }\n";
        assert_eq!(lines(&design, "src/service.rs", text), [1, 2]);
        for fine in [
            "// Repository does the rest\n",
            "/* use crate::orders_repository */\n",
            "let orders_repository_size = 1; // no import\n",
            "struct RepositoryError;\n",
            "let url = \"http://x\"; let a = Repositoryish;\n",
        ] {
            assert_eq!(lines(&design, "src/service.rs", fine), [0; 0], "{fine}");
        }
        assert_eq!(lines(&design, "src/other.rs", text), [0; 0], "another component may");
    }

    #[test]
    fn a_script_that_runs_the_other_file_crosses_too() {
        let design = design("Script", "Tool");
        assert_eq!(
            lines(&design, "bin/total.sh", "# tool.sh\n. bin/tool.sh\nsh \"$d/tool.sh\"\n"),
            [2, 3]
        );
    }

    #[test]
    fn a_layer_stands_for_the_files_of_its_components() {
        let design = design("domain", "Repository");
        assert_eq!(lines(&design, "src/service.rs", "Repository::new()\n"), [1]);
        assert_eq!(watched(&design), ["src/service.rs"]);
    }

    #[test]
    fn what_is_allowed_is_no_crossing() {
        let mut design = design("Service", "Repository");
        design.boundaries[0].allowed = true;
        assert_eq!(lines(&design, "src/service.rs", "Repository::new()\n"), [0; 0]);
    }
}
