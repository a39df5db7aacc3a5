//! Inside `hast-flow` a module uses only modules that lib.rs names before it, and flows never
//! import each other. Tests may look anywhere.

use super::finding::{Finding, Rule};
use super::test_code::{TestItems, normal_modules, test_module_files};
use super::tokens::{self, UsedPath};
use super::tree::RustFile;

const SOURCES: &str = "crates/hast-flow/src/";
const FLOWS: &str = "flows";

/// The modules of `hast-flow`, lowest first, and the flows among them.
#[derive(Debug)]
pub(crate) struct ModuleOrder {
    modules: Vec<String>,
    flows: Vec<String>,
    /// Files that only tests compile.
    test_modules: Vec<Vec<String>>,
}

impl ModuleOrder {
    pub(crate) fn of_flow_crate(files: &[RustFile<'_>]) -> Self {
        let mut order = Self { modules: Vec::new(), flows: Vec::new(), test_modules: Vec::new() };
        for file in files {
            let Some(module) = module_of(file.path) else {
                continue;
            };
            let Ok(syntax) = syn::parse_file(file.text) else {
                continue;
            };
            if module.is_empty() {
                order.modules = normal_modules(&syntax.items);
            }
            if let [top, flow, ..] = module.as_slice()
                && top == FLOWS
                && !order.flows.contains(flow)
            {
                order.flows.push(flow.clone());
            }
            for declared in test_module_files(&syntax.items) {
                order.test_modules.push([module.as_slice(), &[declared]].concat());
            }
        }
        order
    }

    pub(crate) fn check(&self, files: &[RustFile<'_>]) -> Vec<Finding> {
        files.iter().flat_map(|file| self.check_file(file)).collect()
    }

    fn check_file(&self, file: &RustFile<'_>) -> Vec<Finding> {
        let Some(module) = module_of(file.path).filter(|module| !module.is_empty()) else {
            return Vec::new();
        };
        if self.test_modules.iter().any(|test| module.starts_with(test)) {
            return Vec::new();
        }
        let syntax = match syn::parse_file(file.text) {
            Ok(syntax) => syntax,
            Err(error) => return vec![not_rust(file, &error)],
        };
        let tests = TestItems::of(&syntax);
        tokens::used_paths(&file.tokens, &module, &[])
            .into_iter()
            .filter(|used| !tests.contains(used.at))
            .filter_map(|used| {
                self.against_order(file, &module[0], &used)
                    .or_else(|| self.between_flows(file, &module, &used))
            })
            .collect()
    }

    fn against_order(&self, file: &RustFile<'_>, own: &str, used: &UsedPath) -> Option<Finding> {
        let Some(other) = used.segments.first() else {
            return Some(file.finding(
                used.at.line,
                Rule::ModuleOrder,
                format!("`{own}` imports everything from the root of the crate"),
                "name the modules that it uses",
            ));
        };
        let own_place = self.modules.iter().position(|name| name == own)?;
        let other_place = self.modules.iter().position(|name| name == other)?;
        (other_place > own_place).then(|| {
            file.finding(
                used.at.line,
                Rule::ModuleOrder,
                format!("`{own}` uses `{other}`"),
                "move what both need to a module that lib.rs names earlier, or pass it in",
            )
        })
    }

    fn between_flows(
        &self,
        file: &RustFile<'_>,
        module: &[String],
        used: &UsedPath,
    ) -> Option<Finding> {
        let [top, own, ..] = module else { return None };
        let (used_top, rest) = used.segments.split_first()?;
        if top != FLOWS || used_top != FLOWS {
            return None;
        }
        let what = match rest.first() {
            None => format!("the flow `{own}` imports every flow"),
            Some(other) if other != own && self.flows.contains(other) => {
                format!("the flow `{own}` uses the flow `{other}`")
            }
            Some(_) => return None,
        };
        let next = "move what both need to a module before `flows`";
        Some(file.finding(used.at.line, Rule::FlowImport, what, next))
    }
}

/// The path of a file's module below the root of the crate; the root itself is empty.
fn module_of(path: &str) -> Option<Vec<String>> {
    let below = path.strip_prefix(SOURCES)?.strip_suffix(".rs")?;
    let mut module: Vec<String> = below.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    Some(module)
}

fn not_rust(file: &RustFile<'_>, error: &syn::Error) -> Finding {
    file.finding(
        error.span().start().line,
        Rule::Syntax("Rust 2024"),
        format!("this is not Rust: {error}"),
        "make it compile first",
    )
}

#[cfg(test)]
mod tests {
    use super::super::tree::TextFile;
    use super::*;

    const LIB: &str =
        "//! L.\npub mod words;\n\npub mod formats;\n\npub mod docs;\n\npub mod flows;\n";

    fn found(path: &str, text: &str) -> Vec<String> {
        let texts = [
            TextFile::new("crates/hast-flow/src/lib.rs", LIB),
            TextFile::new("crates/hast-flow/src/flows/mod.rs", "pub mod run;\npub trait Flow {}"),
            TextFile::new("crates/hast-flow/src/flows/run/mod.rs", "//! R."),
            TextFile::new("crates/hast-flow/src/formats/mod.rs", "#[cfg(test)]\nmod samples;"),
            TextFile::new(path, text),
        ];
        let files: Vec<RustFile<'_>> =
            texts.iter().map(|file| RustFile::parse(file).unwrap()).collect();
        let found = ModuleOrder::of_flow_crate(&files).check(&files);
        found.into_iter().map(|finding| format!("{}: {}", finding.line, finding.what)).collect()
    }

    #[test]
    fn a_module_may_use_itself_and_what_comes_before_it() {
        let text = "use crate::{messages, words::Lang};\nuse super::tree::Node;\n\
                    fn f() { crate::formats::x(); }";
        assert!(found("crates/hast-flow/src/formats/yaml.rs", text).is_empty());
    }

    #[test]
    fn a_module_may_not_use_what_comes_after_it() {
        for (text, line) in [
            ("use crate::docs::Goal;", 1),
            ("use crate::{\n    words::Lang,\n    docs::Goal,\n};", 3),
            ("fn f() {\n    assert!(crate::docs::ok());\n}", 2),
            ("use super::super::docs::Goal;", 1),
            ("mod inner {\n    use crate::docs;\n}", 2),
        ] {
            assert_eq!(
                found("crates/hast-flow/src/formats/yaml.rs", text),
                [format!("{line}: `formats` uses `docs`")],
                "{text}"
            );
        }
    }

    #[test]
    fn everything_at_once_hides_the_order() {
        assert_eq!(
            found("crates/hast-flow/src/formats/yaml.rs", "use crate::*;"),
            ["1: `formats` imports everything from the root of the crate"]
        );
    }

    #[test]
    fn tests_may_look_anywhere() {
        let text = "#[cfg(test)]\nmod tests { use crate::docs::Goal; }\n\
                    #[cfg(all(test, unix))]\nuse crate::docs;\n";
        assert!(found("crates/hast-flow/src/formats/yaml.rs", text).is_empty());
        let samples = "use crate::docs::Goal;";
        assert!(found("crates/hast-flow/src/formats/samples.rs", samples).is_empty());
        let built_too = "#[cfg(not(test))]\nuse crate::docs::Goal;";
        assert_eq!(found("crates/hast-flow/src/formats/yaml.rs", built_too).len(), 1);
    }

    #[test]
    fn a_flow_may_use_itself_and_what_all_flows_share() {
        let text =
            "use crate::flows::goals::view::View;\nuse crate::flows::Flow;\nuse super::policy;";
        assert!(found("crates/hast-flow/src/flows/goals/decide.rs", text).is_empty());
    }

    #[test]
    fn a_flow_may_not_use_another() {
        for (text, what) in [
            ("use crate::flows::run::view;", "the flow `goals` uses the flow `run`"),
            ("use crate::flows::{Flow, run};", "the flow `goals` uses the flow `run`"),
            ("use super::super::run::view;", "the flow `goals` uses the flow `run`"),
            ("use crate::flows::*;", "the flow `goals` imports every flow"),
        ] {
            assert_eq!(
                found("crates/hast-flow/src/flows/goals/decide.rs", text),
                [format!("1: {what}")],
                "{text}"
            );
        }
    }

    #[test]
    fn other_crates_have_no_module_order() {
        assert!(found("crates/hast/src/main.rs", "use crate::docs;").is_empty());
    }
}
